"""The settings that are kept between two runs, each declared once with what it may be.

Their file may be of a newer version, edited by hand or damaged. A value that is not allowed counts as the default and
is reported once; it stays in the file until a person chooses another one.
"""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QByteArray, QSettings

from wayfront.formats.options import OsmOptions
from wayfront.plugins import loading
from wayfront.safe.errors import OptionError, PluginError
from wayfront.safe.options import AUTO, Option
from wayfront.safe.schema import parse_json
from wayfront.safe.text import printable, shortened
from wayfront_gui.session.replay import SPEEDS
from wayfront_gui.session.saved import SavedSession
from wayfront_gui.ui.colour_maps import COLOUR_MAPS, DEFAULT, is_known
from wayfront_gui.ui.theme import LEAST, MOST, THEMES, USUAL
from wayfront_gui.ui.translation import LANGUAGES, SYSTEM

RECENT_COUNT = 8
MOST_PLUGINS = 100
LONGEST_PATH = 4096
"""Characters of a recent file's path, as long as a system allows one to be."""
LONGEST_READING = 512
MOST_BYTES = 1 << 16
"""Size of the window's stored position: some hundred bytes are usual."""
MOST_THREADS = 4096
REPORTED = "reported"
"""The group of keys that say which refused values a person has read of."""
LONGEST_LAYOUT = 1 << 14
"""Characters of the stored layout; some hundred are usual."""
MOST_PIXELS = 1 << 14
Layout = dict[str, str | int | list[str]]
"""How the panels stand: names of sections by activity, what is closed, widths in pixels of texts of the usual size."""
T = TypeVar("T")
log = logging.getLogger(__name__)


class Setting(Generic[T]):
    """One setting of ``Settings``: its key, its default, and ``read``, which turns a stored value into an allowed one.

    ``read`` raises an exception for any other; ``allowed`` says in words what is allowed.
    """

    def __init__(
        self, key: str, default: T, read: Callable[[Any], T], allowed: str, write: Callable[[T], Any] = str
    ) -> None:
        self.key, self.default, self.read, self.allowed, self.write = key, default, read, allowed, write

    def __get__(self, settings: Settings, _owner: type | None = None) -> T:
        """Return the value in use: the stored one if it is allowed, else the default."""
        return settings.get(self)

    def __set__(self, settings: Settings, value: T) -> None:
        """Store a value, as ``put`` does."""
        settings.put(self, value)


def declared(option: Option) -> Setting[Any]:
    """Return the setting of an option's value."""
    if option.bounds is not None:
        allowed = "{:g} to {:g}".format(*option.bounds)
    else:
        allowed = ", ".join(map(str, option.choices)) or "true, false"
    write = (lambda on: "true" if on else "false") if option.kind is bool else str
    return Setting(option.name, option.default, option.parse, allowed, write)


def switch(key: str, first: bool) -> Setting[bool]:
    """Return the setting of what is on or off, as commands that are ``kept`` declare it."""
    return declared(Option(key, bool, first, ""))


def _colours(value: Any) -> str:
    if not isinstance(value, str) or not is_known(value):
        raise ValueError("not one of the colours")
    return value


def _osm_options(value: Any) -> OsmOptions:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return OsmOptions.described(value)


def _stored_bytes(value: Any) -> QByteArray:
    if not isinstance(value, QByteArray) or value.size() > MOST_BYTES:
        raise ValueError("not the bytes that Qt stores")
    return value


def _layout(value: Any) -> Layout:
    found = parse_json(value, LONGEST_LAYOUT, "the layout") if isinstance(value, str) else None
    if not isinstance(found, dict) or not all(map(_in_layout, found.values())):
        raise ValueError("not how panels stand")
    return found


def _in_layout(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return isinstance(value, str) or (isinstance(value, int) and 0 <= value <= MOST_PIXELS)


def _path(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_PATH:
        raise ValueError("not a path")
    return value


def _readings(value: Any) -> dict[str, str]:
    most = RECENT_COUNT * (LONGEST_PATH + LONGEST_READING)
    found = parse_json(value, most, "the readings") if isinstance(value, str) else None
    if not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise ValueError("not how files were read")
    return found


def _saved_session(value: Any) -> SavedSession | None:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return SavedSession.read(value) if value else None


def _paths(value: Any, most: int = RECENT_COUNT) -> tuple[str, ...]:
    listed = [value] if isinstance(value, str) and value else value or []  # a list of one is read back as text
    if not isinstance(listed, list | tuple) or not all(isinstance(p, str) and len(p) <= LONGEST_PATH for p in listed):
        raise ValueError("not a list of paths")
    return tuple(listed[:most])


class Settings:
    """Typed access to the settings in ``store``; reading never fails."""

    theme: Setting[str] = declared(Option("theme", str, AUTO, "", choices=(AUTO, *THEMES)))
    colour_map = Setting("colour_map", DEFAULT, _colours, f"{', '.join(COLOUR_MAPS)}, or those of a plug-in")
    """The map's colours of distance."""
    language: Setting[str] = declared(Option("language", str, SYSTEM, "", choices=(SYSTEM, *LANGUAGES)))
    """The language of all texts, or that of the system."""
    text_scale: Setting[int] = declared(Option("text_scale", int, USUAL, "", bounds=(LEAST, MOST)))
    """How large texts are, in percent."""
    speed: Setting[float] = declared(Option("speed", float, 1.0, "", bounds=(SPEEDS[0], SPEEDS[-1])))
    """The replay's speed."""
    threads: Setting[int] = declared(Option("threads", int, 1, "", bounds=(1, MOST_THREADS)))
    """How many cores searches on the CPU use."""
    osm = Setting("osm", OsmOptions(), _osm_options, "roads that this version can take", OsmOptions.describe)
    """Which roads are taken from OpenStreetMap files."""
    geometry = Setting("window/geometry", QByteArray(), _stored_bytes, "a position stored by this program", QByteArray)
    """Where the window was, empty at first."""
    layout: Setting[Layout] = Setting("window/panels", {}, _layout, "a layout of this program's panels", json.dumps)
    """How the panels stood, empty at first."""
    folder = Setting("folder", "", _path, "a path")
    """Where a file dialog was last, empty at first."""
    lessons = Setting("lessons", "", _path, "a path")
    """The folder whose lessons the menu lists, where the last one was opened; empty at first."""
    reopen = switch("reopen", True)
    """Whether the window begins with what was open when it was closed."""
    saved: Setting[SavedSession | None] = Setting(
        "session",
        None,
        _saved_session,
        "a session of this version",
        lambda saved: "" if saved is None else saved.text(),
    )
    """What was open when the window was closed."""
    plugins: Setting[tuple[str, ...]] = Setting(
        "plugins", (), partial(_paths, most=MOST_PLUGINS), "a list of paths", list
    )
    """Files that were added as plug-ins."""
    recent: Setting[tuple[str, ...]] = Setting("recent", (), _paths, "a list of paths", list)
    """Files opened last, newest first."""
    readings: Setting[dict[str, str]] = Setting("readings", {}, _readings, "how files were read", json.dumps)
    """How each of the recent files was read from OpenStreetMap data, where it holds such."""
    found: Setting[tuple[str, ...]] = Setting("found", (), _paths, "a list of texts", list)
    """What was found last by the search box, newest first."""

    def __init__(self, store: QSettings | None = None) -> None:
        self.store = store if store is not None else QSettings("wayfront", "wayfront")
        self._refused: dict[str, tuple[str, str]] = {}  # the sentence and the value's mark, by the setting's key

    def get(self, setting: Setting[T]) -> T:
        """Return the value in use of a setting; one that is refused is remembered for ``problem``."""
        found: Any = None
        try:
            found = self.store.value(setting.key)
            return setting.default if found is None else setting.read(found)
        except Exception:  # whatever a damaged value makes of its reader, the window has to begin
            log.debug("%s is refused", setting.key, exc_info=True)
            text = printable(shortened(found, 60))
            self._refused[setting.key] = f"{setting.key} is {text} instead of {setting.allowed}", _mark(text, found)
            return setting.default

    def put(self, setting: Setting[T], value: T) -> None:
        """Store a value that differs from the one in use; what this version cannot read stays where it is."""
        if value != self.get(setting):
            self.store.setValue(setting.key, setting.write(value))

    def refuse(self, what: str, *keys: str) -> None:
        """Note that stored values which looked allowed turned out to be of no use."""
        self._refused[what] = f"{what} cannot be restored", _mark(*(self.store.value(key) for key in keys))

    def name_plugins(self) -> None:
        """Note the plug-ins that were added in earlier windows, before anything asks what plug-ins declare.

        Until there is a window to show them, problems are only kept.
        """
        loading.listen(lambda _problem: None)
        for path in self.plugins:
            with suppress(PluginError):  # one that is gone is listed as that
                loading.name_file(path)

    def read_all(self) -> None:
        """Read every setting, so that ``problem`` knows of those that are otherwise read later."""
        for each in vars(type(self)).values():
            if isinstance(each, Setting):
                self.get(each)

    def take_problem(self) -> str:
        """Return what ``problem`` returns, but of stored values only those that no earlier call has returned.

        That holds for later starts too, as long as the values are as they were.
        """
        key = f"{REPORTED}/{{}}".format
        known = {what: self.store.value(key(what)) for what in self._refused}
        self._refused = {what: each for what, each in self._refused.items() if each[1] != known[what]}
        problem = self.problem()
        for what, (_, mark) in self._refused.items():
            self.store.setValue(key(what), mark)
        return problem

    def remember_file(self, path: str, reading: str = "") -> None:
        """Put a file first among the recent ones, also of those that another program opened meanwhile.

        ``reading`` is how it was read from OpenStreetMap data.
        """
        self.store.sync()
        if len(path) <= LONGEST_PATH:
            self.recent = recent = (path, *(p for p in self.recent if p != path))[:RECENT_COUNT]
            known = {**self.readings, path: reading}
            self.readings = {each: known[each] for each in recent if known.get(each)}

    def reading_of(self, path: str) -> OsmOptions | None:
        """Return how a recent file was read; None where that is not known, or was another version's."""
        try:
            return OsmOptions.described(self.readings[path])
        except (KeyError, OptionError):
            return None

    def problem(self) -> str:
        """Return what is wrong with the stored settings that were read so far, as one sentence, or an empty string."""
        if self.store.status() != QSettings.Status.NoError:
            return f"The settings in {self.store.fileName()} cannot be read; the defaults are used."
        if self._refused:
            refused = "; ".join(text for text, _ in self._refused.values())
            return f"The defaults are used for settings that this version cannot use: {refused}."
        if not self.store.isWritable():
            return f"Settings are not kept: {self.store.fileName()} cannot be written."
        return ""

    def forget_all(self) -> None:
        """Forget what is stored: every setting has its default."""
        self.store.clear()
        self._refused.clear()

    def save(self) -> None:
        """Write everything to disk now."""
        self.store.sync()


def _mark(*values: object) -> str:
    """Return what tells stored values from others, the same at every start."""
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(_text_of(value) for value in values))
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _text_of(value: object) -> str:
    try:
        return repr(value)
    except Exception:  # a number of more digits than Python writes, or an object whose maker is gone
        return shortened(type(value).__name__)
