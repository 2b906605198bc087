"""``wayfront warm-up``, ``install-desktop`` and ``new``: what is made on a machine once, before it is used."""

from __future__ import annotations

import keyword
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from platformdirs import user_data_path

from wayfront.safe.errors import OptionError, WayfrontError, WriteError
from wayfront.safe.files import why_unwritten, write_whole
from wayfront_gui.cli import console, searching
from wayfront_gui.cli.arguments import DEVICES, JSON, argument, option
from wayfront_gui.cli.declared import declared
from wayfront_gui.cli.drawing import require_qt
from wayfront_gui.resources import asset

if TYPE_CHECKING:
    from wayfront.searching.warming import Task

# -------------------------------------------------------------------------------------------------------------- warm-up

MOST_JOBS = 61
"""Processes that Windows waits for at once."""
PATIENCE_S = 60.0
"""After Ctrl-C the kernel that is being compiled is waited for: it is kept, and the same command goes on behind it."""


def warm_up(
    devices: str = DEVICES,
    jobs: int = option(0, "Processes that compile at once; 0: one a core, and 8 at most.", min=0, max=MOST_JOBS),
    json: bool = JSON,
) -> None:
    """Compile all kernels now, before they are first used.

    They are kept, so this is done once on a machine, and after an update.
    """
    chosen = searching.choose_devices(devices)
    from wayfront.devices import describe_device

    if any(describe_device(name).exclusive for name in chosen):
        raise OptionError("the simulator compiles nothing: it runs kernels as Python; name cpu or cuda")
    console.stop_watching()  # this is what the command is for
    from wayfront.searching.warming import compile_all, jobs_at_once

    begin = time.perf_counter()
    with console.cancel_on_interrupt(PATIENCE_S) as cancel, console.progress_bar() as show:
        seconds = compile_all(partial(_tasks, chosen), jobs or jobs_at_once(), progress=show, cancel=cancel)
    took = time.perf_counter() - begin
    declared()  # which is kept, so that 'wayfront list' and completion answer at once
    slowest = sorted(seconds, key=lambda name: -seconds[name])[:3]
    facts = {
        "compiled for": ", ".join(chosen),
        "parts": f"{len(seconds)} in {took:,.1f} s",
        "longest": ", ".join(f"{name} {seconds[name]:,.1f} s" for name in slowest),
    }
    record = {"devices": chosen, "seconds": seconds}
    console.print_found(json, record, lambda _: console.facts_table("All kernels are ready", facts))


def _tasks(devices: Sequence[str]) -> list[Task]:
    from wayfront.searching.warming import Task, flow_tasks, reader_tasks, search_tasks
    from wayfront_gui.features.live_tree.picture import warm_up as draw

    searches = [task for device in devices for task in search_tasks(device)]
    return [*searches, *flow_tasks(), *reader_tasks(), Task("the map", lambda _cancel: draw())]


# ------------------------------------------------------------------------------------------------------ install-desktop

# What it writes follows freedesktop.org's specifications (desktop entry, shared MIME info, icon theme) and lies in the
# person's own folder of such data; --remove deletes the same files.

ENTRY = Path("applications/wayfront.desktop")
MIME = Path("mime/packages/wayfront.xml")
ICONS = {
    Path("icons/hicolor/scalable/apps/wayfront.svg"): "icons/wayfront.svg",
    Path("icons/hicolor/48x48/apps/wayfront.png"): "icons/wayfront-48.png",
    Path("icons/hicolor/256x256/apps/wayfront.png"): "icons/wayfront-256.png",
}
UPDATES = (("update-mime-database", "mime"), ("update-desktop-database", "applications"))
"""Tools that let a running desktop notice what changed, and the folder each is given."""
NAMESPACE = "{http://www.freedesktop.org/standards/shared-mime-info}"


def install_desktop(remove: bool = option(False, "Remove what was installed.")) -> None:
    """Add wayfront to a Linux desktop; --remove undoes it.

    It is then among the desktop's programs, and its files open by a double click.
    """
    if not sys.platform.startswith("linux"):
        raise WayfrontError(
            "install-desktop is for Linux desktops; here, choose wayfront in the file manager's 'Open with'"
        )
    if not remove:
        require_qt()
    home = user_data_path()
    if remove and not any((home / path).exists() for path in (ENTRY, MIME, *ICONS)):
        console.print_message(f"nothing to remove: wayfront is not among the desktop's programs in {home}")
        return
    contents = {} if remove else _contents()
    for path in (ENTRY, MIME, *ICONS):
        if remove:
            (home / path).unlink(missing_ok=True)
        else:
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            with write_whole(home / path) as file:
                file.write(contents[path])
    missing = _update(home)
    done = "removed from" if remove else "added to"
    later = f"; without {' and '.join(missing)} the desktop notices at the next login" if missing else ""
    console.print_message(f"{done} the desktop's programs in {home}{later}")


def desktop_entry(command: Sequence[str], types: Sequence[str]) -> str:
    """Return the desktop entry of a command that takes a file of one of these MIME types."""
    lines = {
        "Type": "Application",
        "Version": "1.0",
        "Name": "wayfront",
        "GenericName": "Shortest-path search visualizer",
        "Comment": "Watch shortest-path searches run on real road networks",
        "Exec": f"{' '.join(_quoted(word) for word in command)} %f",
        "Icon": "wayfront",
        "Terminal": "false",
        "Categories": "Science;Geography;",
        "Keywords": "map;route;road;graph;Dijkstra;CUDA;OpenStreetMap;",
        "MimeType": "".join(f"{name};" for name in types),
        "StartupWMClass": "wayfront",
    }
    return "[Desktop Entry]\n" + "".join(f"{key}={value}\n" for key, value in lines.items())


def program() -> tuple[str, ...]:
    """Return the command that starts this very installation, from any folder."""
    here = Path(sys.executable)
    script = here.with_name("wayfront")
    # -P: a module of that name in the folder where a desktop starts programs is none of ours.
    return (str(script),) if script.is_file() else (str(here), "-P", "-m", "wayfront_gui")


def _contents() -> dict[Path, bytes]:
    mime = asset("wayfront-mime.xml").read_bytes()
    types = [kind.attrib["type"] for kind in ElementTree.fromstring(mime).iter(f"{NAMESPACE}mime-type")]
    icons = {path: asset(name).read_bytes() for path, name in ICONS.items()}
    return {ENTRY: desktop_entry(program(), types).encode(), MIME: mime, **icons}


def _quoted(word: str) -> str:
    """Return a word of ``Exec``: in quotes, with what means something there escaped twice, as the entry demands."""
    for mark in ("\\", '"', "`", "$"):
        word = word.replace(mark, f"\\{mark}")
    return '"' + word.replace("\\", "\\\\").replace("%", "%%") + '"'


def _update(home: Path) -> list[str]:
    """Let the desktop notice; return the tools for it that are not installed."""
    missing = []
    for tool, folder in UPDATES:
        if (found := shutil.which(tool)) is None:
            missing.append(tool)
        elif (home / folder).is_dir():
            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run([found, str(home / folder)], capture_output=True, check=False, timeout=60)
    return missing


# ------------------------------------------------------------------------------------------------------------------ new

# What is copied is a package that works, assets/new-algorithm, in which names are replaced.

TEMPLATE = "new-algorithm"
LONGEST_NAME = 60


def new_algorithm(
    name: str = argument(..., "What it is called: small letters, figures and hyphens.", "NAME"),
) -> None:
    """Make a package with a search of your own.

    It is a folder of that name in the current one, with a search that works, its explanation, and tests of it: against
    a reference, by the certificate, and in the simulator of cards. Change the search, and run the tests.
    """
    title = _checked(name)
    folder = Path(name)
    if folder.exists():
        raise WriteError(name, "there is such a folder already; choose another name, or remove it")
    _copy(folder, {TEMPLATE: name, TEMPLATE.replace("-", "_"): _module(name), "New algorithm": title})
    search = folder / "src" / _module(name) / "search.py"
    console.print_message(f"a package with the search {name} is in {folder}")
    for line in (f"cd {folder}", "pytest", f"wayfront --plugin {search.relative_to(folder)}"):
        console.print_line(line)


def _checked(name: str) -> str:
    """Return the title of an algorithm. Raises ``OptionError`` for a name that it cannot have."""
    from wayfront.searching.registry import NAME, algorithms

    module = _module(name)
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise OptionError(f"an algorithm is called by small letters, figures and hyphens, not {name[:LONGEST_NAME]!r}")
    if keyword.iskeyword(module) or module in sys.stdlib_module_names or module.startswith("wayfront"):
        raise OptionError(f"{name!r} would be the module {module}, a name that Python or wayfront has: choose another")
    if name in {each.name for each in algorithms()}:
        raise OptionError(f"there is an algorithm {name!r} already: choose another name")
    return name.replace("-", " ").capitalize()


def _module(name: str) -> str:
    return name.replace("-", "_")


def _copy(folder: Path, names: dict[str, str]) -> None:
    """Copy the template with names replaced, as a whole or not at all. Raises ``WriteError``."""
    template = asset(TEMPLATE)
    try:
        with tempfile.TemporaryDirectory(prefix=".new-", dir=folder.parent) as made:
            whole = Path(made) / folder.name
            for source in sorted(template.rglob("*")):
                if source.is_file() and source.suffix in (".py", ".toml", ".md"):
                    target = whole / _renamed(str(source.relative_to(template)), names)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_text(_renamed(source.read_text("utf-8"), names), encoding="utf-8")
            whole.rename(folder)
    except OSError as problem:
        raise WriteError(folder, why_unwritten(problem)) from None


def _renamed(text: str, names: dict[str, str]) -> str:
    for old, given in names.items():
        text = text.replace(old, given)
    return text
