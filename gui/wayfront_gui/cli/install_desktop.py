"""``wayfront install-desktop``: the program among a Linux desktop's, and its files opened by a double click.

What it writes follows freedesktop.org's specifications (desktop entry, shared MIME info, icon theme) and lies in the
person's own folder of such data; ``--remove`` deletes the same files.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated
from xml.etree import ElementTree

import typer
from platformdirs import user_data_path

from wayfront.errors import OptionError
from wayfront.files import write_whole
from wayfront_gui.cli.console import print_message
from wayfront_gui.cli.qt import require_qt
from wayfront_gui.resources import asset

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
REMOVE = "Remove what was installed."


def install_desktop(remove: Annotated[bool, typer.Option("--remove", help=REMOVE)] = False) -> None:
    """Add wayfront to a Linux desktop; --remove undoes it.

    It is then among the desktop's programs, and its files open by a double click.
    """
    if not sys.platform.startswith("linux"):
        raise OptionError(
            "install-desktop is for Linux desktops; here, choose wayfront in the file manager's 'Open with'"
        )
    if not remove:
        require_qt()
    home = user_data_path()
    if remove and not any((home / path).exists() for path in (ENTRY, MIME, *ICONS)):
        print_message(f"nothing to remove: wayfront is not among the desktop's programs in {home}")
        return
    contents = {} if remove else _contents()
    for path in (ENTRY, MIME, *ICONS):
        if remove:
            (home / path).unlink(missing_ok=True)
        else:
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            _write(home / path, contents[path])
    missing = _update(home)
    done = "removed from" if remove else "added to"
    later = f"; without {' and '.join(missing)} the desktop notices at the next login" if missing else ""
    print_message(f"{done} the desktop's programs in {home}{later}")


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


def _write(path: Path, content: bytes) -> None:
    with write_whole(path) as file:
        file.write(content)


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
