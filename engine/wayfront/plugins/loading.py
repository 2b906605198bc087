"""Load plug-ins, once, when somebody first asks for what they declare.

A plug-in is a module. It is named by an entry point of an installed package, or it is a file that a person named. All
that it declares while it is loaded counts: algorithms, which report themselves by ``collect``, and the objects of its
namespace that are a format, colours or a panel of the window. Who lists such things asks ``declared_by_plugins`` for
those of a kind.

A plug-in that cannot be loaded is left out, with all that it declared before it failed; ``plugins`` says why, and
whoever ``listen``s is called once. A plug-in is a program with all rights of the person who runs it: only what a person
installed or named is loaded, never what a network, trace, lesson or session refers to.
"""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import traceback
import warnings
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.machinery import PathFinder
from importlib.util import decode_source
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from wayfront.plugins.faults import describe_fault
from wayfront.safe.errors import PluginError, PluginWarning
from wayfront.safe.files import read_at_most, write_whole
from wayfront.safe.folders import cache_folder, make_private

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


ALGORITHMS, FORMATS, COLOURS, PANELS = GROUPS = (
    "wayfront.algorithms", "wayfront.formats", "wayfront.colours", "wayfront.panels",
)  # fmt: skip
"""The groups of entry points."""
_NOTHING = "it declares no algorithm, format, colours or panel; a search is declared by @algorithm(name=…) above it"
LONGEST_FILE = 1 << 20
"""Bytes of a file that is taken for a plug-in."""

Kind = TypeVar("Kind")
Listener = Callable[[str], None]


@dataclass(slots=True)
class Plugin:
    """One plug-in.

    name      the file's name, or the entry point's with the package's name and version
    path      the file, None of an entry point
    problem   why it is left out, in one sentence with file and line; "" where it was loaded
    declared  what it declares
    """

    name: str
    path: Path | None = None
    problem: str = ""
    declared: list[Declaration] = field(default_factory=list)


def warn(problem: str) -> None:
    """Issue a ``PluginWarning``."""
    warnings.warn(problem, PluginWarning, stacklevel=2)


_lock = threading.RLock()
_named: dict[Path, Plugin | None] = {}
"""Files that a person named, None until they are loaded."""
_installed: dict[str, list[Plugin]] = {}
"""Plug-ins of entry points by group, once they are loaded."""
_points: dict[str, list[EntryPoint]] = {}
"""The entry points of each group, once they were looked for: all packages are looked through for that."""
_INSTALLED = (".dist-info", ".egg-info", "EGG-INFO")
"""How folders end that describe an installed package."""
_OURS = b"[wayfront."
_loading: list[Plugin] = []
"""The plug-in that is being loaded, and those during whose loading that began."""
_loader = 0
"""The thread that loads."""
_listener: Listener = warn


def listen(listener: Listener) -> None:
    """Call ``listener`` with the problem of every plug-in that cannot be loaded; at first that is ``warn``."""
    global _listener  # noqa: PLW0603 - a process has one place where problems are shown
    _listener = listener


def name_file(path: str | Path) -> Path:
    """Note a file as a plug-in, loaded when something is first asked for that it may declare; return its whole path.

    Raises ``PluginError`` where there is no such file.
    """
    given = Path(path)
    if not os.path.isfile(given):  # noqa: PTH113 - Path.is_file raises for a name longer than the system allows
        raise PluginError(f"{path}: there is no such file; a plug-in is a Python file")
    with _lock:
        _named.setdefault(given.resolve(), None)
        return given.resolve()


def load_plugin(path: str | Path) -> Plugin:
    """Load a file as a plug-in, again if it was loaded before, in place of what it declared then.

    What it declares can be used at once: algorithms by name, formats for opening and saving, colours in the window.
    Raises ``PluginError`` with the file and the line where it fails; then nothing of it is kept.

    >>> import tempfile, wayfront
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "broken.py").write_text("here: is no declaration")
    ...     try:
    ...         wayfront.load_plugin(f"{folder}/broken.py")
    ...     except wayfront.safe.errors.PluginError as problem:
    ...         print("broken.py" in str(problem))
    True
    """
    resolved = name_file(path)
    with _lock:
        loaded = _load_file(resolved)
    if loaded.problem:
        raise PluginError(loaded.problem)
    return loaded


def named_files() -> tuple[str, ...]:
    """Return the files that are plug-ins, in the order in which they were named."""
    with _lock:
        return tuple(str(path) for path in _named)


def forget_file(path: str | Path) -> None:
    """Use a file no longer as a plug-in, from now on."""
    with _lock:
        _named.pop(Path(path).resolve(), None)


def declared_by_plugins(kind: type[Kind], group: str) -> tuple[Kind, ...]:
    """Return what plug-ins declare of a kind, loading those of the group and the files that were named."""
    return tuple(each for plugin in plugins_with(group) for each in plugin.declared if isinstance(each, kind))


def plugins_with(group: str) -> tuple[Plugin, ...]:
    """Return the plug-ins of a group and of the files that were named, loading what was not loaded yet."""
    with _lock:
        return (*_of_group(group), *_of_files())


def any_plugins() -> bool:
    """Return whether there are plug-ins, of files that were named or of installed packages, without loading them."""
    with _lock:
        return bool(_named) or any(_installed.values()) or any(map(_points_of, GROUPS))


def plugins() -> tuple[Plugin, ...]:
    """Return all plug-ins, those too that are left out, loading what was not loaded yet."""
    with _lock:
        return tuple(plugin for group in GROUPS for plugin in _of_group(group)) + tuple(_of_files())


def problems() -> tuple[str, ...]:
    """Return why plug-ins are left out that somebody has asked for so far."""
    with _lock:
        asked = [plugin for group in _installed.values() for plugin in group] + list(_named.values())
        return tuple(plugin.problem for plugin in asked if plugin is not None and plugin.problem)


def blamed(problem: BaseException) -> str:
    """Return in one sentence, with file and line, what went wrong in a file that a person named; "" where in none."""
    frames = {Path(frame.filename) for frame in traceback.extract_tb(problem.__traceback__)}
    home = next((path for path in map(Path, named_files()) if path in frames), None)
    return "" if home is None else describe_fault(problem, home)


def collect(what: Declaration) -> bool:
    """Add what is declared now to the plug-in that is being loaded, if one is; return whether one is."""
    if not _loading or _loader != threading.get_ident():
        return False
    _loading[-1].declared.append(what)
    return True


def _of_group(group: str) -> list[Plugin]:
    if group not in _installed and not _loading:
        found = _installed[group] = []
        for point in _points_of(group):
            package = f" of {point.dist.name} {point.dist.version}" if point.dist is not None else ""
            found.append(Plugin(f"{point.name}{package}"))
            _report(_load(found[-1], partial(_run_entry_point, point)))
    return _installed.get(group, [])


def _points_of(group: str) -> list[EntryPoint]:
    if not _points:
        _points.update({each: [] for each in GROUPS})
        if _may_have_points():
            from importlib.metadata import entry_points  # which reads mail headers and archives: not at every start

            found = entry_points()
            _points.update({each: list(found.select(group=each)) for each in GROUPS})
    return _points[group]


def _may_have_points() -> bool:
    """Return whether a group is named in a package's list, or something is installed in no folder: a quick look."""
    if any(hasattr(finder, "find_distributions") for finder in sys.meta_path if finder is not PathFinder):
        return True
    for folder in sys.path:
        if os.path.isfile(folder):  # noqa: PTH113 - an archive
            return True
        with suppress(OSError), os.scandir(folder or ".") as entries:
            for each in entries:
                if each.name.endswith(_INSTALLED):
                    with suppress(OSError), open(f"{each.path}/entry_points.txt", "rb") as file:  # noqa: PTH123 - quick
                        if _OURS in file.read():
                            return True
    return False


def _of_files() -> list[Plugin]:
    for path, plugin in list(_named.items()):
        if plugin is None and not _loading:  # one that is being loaded sees those before it
            _report(_load_file(path))
    return [plugin for plugin in _named.values() if plugin is not None]


def _load_file(path: Path) -> Plugin:
    plugin = _named[path] = Plugin(path.name, path)  # before it runs: it may ask for what there is
    return _load(plugin, partial(_run_file, path))


def _report(plugin: Plugin) -> None:
    if plugin.problem:
        _listener(f"plug-in {plugin.name} is left out: {plugin.problem}")


def _load(plugin: Plugin, run: Callable[[], list[object]]) -> Plugin:
    """Run a plug-in's module and add what its namespace holds to what it collected; note why where that fails."""
    global _loader  # noqa: PLW0603 - set under the lock
    _loader = threading.get_ident()
    _loading.append(plugin)
    try:
        for each in run():
            if isinstance(each, Declaration) and not any(each is known for known in plugin.declared):
                plugin.declared.append(each)
        if not plugin.declared:
            plugin.problem = f"{plugin.path or plugin.name}: {_NOTHING}"
    except (Exception, SystemExit) as problem:  # whatever a stranger's module raises
        plugin.declared.clear()
        plugin.problem = describe_fault(problem, plugin.path)
    finally:
        _loading.pop()
    return plugin


def _run_file(path: Path) -> list[object]:
    """Run a file as a module of its own name and return what its namespace holds.

    It is compiled anew each time: Python's own cache takes a file for unchanged that was saved twice in a second.
    """
    text = read_at_most(path, LONGEST_FILE, "the file is too large for a plug-in")
    # Numba's cache of compiled kernels names modules, so that of a file has to be the same in the next process.
    module = ModuleType(f"wayfront_plugin_{zlib.crc32(str(path).encode()):08x}")
    module.__file__ = str(path)
    code = compile(decode_source(text), str(path), "exec")
    sys.modules[module.__name__] = module
    try:
        exec(code, vars(module))
    except BaseException:
        del sys.modules[module.__name__]
        raise
    return list(vars(module).values())


def _run_entry_point(point: EntryPoint) -> list[object]:
    """Import what an entry point names and return that, or what its namespace holds if it is a module."""
    named = point.load()
    return list(vars(named).values()) if isinstance(named, ModuleType) else [named]


class Declaration:
    """An algorithm, a format, colours or a panel; such objects of a plug-in's namespace count as declared by it."""

    __slots__ = ()

    @property
    def called(self) -> str:
        """What it is and its name, such as ``algorithm waves``."""
        raise NotImplementedError


FOLDER = "plug-ins"


class SentFile(NamedTuple):
    """The name and the content of a plug-in's file."""

    name: str
    text: bytes


def send_file(path: Path) -> SentFile | None:
    """Return the file of a plug-in to be sent, None where this is no file that a person named as one."""
    if str(path.resolve()) not in named_files():
        return None
    return SentFile(path.name, _text(path))


def take_file(sent: SentFile) -> None:
    """Load a plug-in that was sent, in place of an earlier text of it; do nothing where it is loaded.

    Raises ``PluginError`` where it fails here, and ``OSError`` where it cannot be kept.
    """
    folder = cache_folder() / FOLDER
    for known in map(Path, named_files()):
        if known.name == sent.name:
            if _text(known) == sent.text:
                return
            if known.is_relative_to(folder.resolve()):
                forget_file(known)
    own = make_private(make_private(folder) / hashlib.sha256(sent.text).hexdigest()[:16]) / sent.name
    with write_whole(own) as file:
        file.write(sent.text)
    load_plugin(own)


def _text(path: Path) -> bytes:
    return read_at_most(path, LONGEST_FILE, "the file is too large for a plug-in")
