"""The settings that are kept between two runs, each with its key in one function."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings

from wayfront.errors import OptionError
from wayfront.formats.osm_options import OsmOptions

RECENT_COUNT = 8


class Settings:
    """Typed access to the settings in ``store``."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store if store is not None else QSettings("wayfront", "wayfront")

    @property
    def theme(self) -> str:
        """``auto``, ``dark`` or ``light``."""
        return self._text("theme", "auto")

    @theme.setter
    def theme(self, choice: str) -> None:
        self._store.setValue("theme", choice)

    @property
    def colour_map(self) -> str:
        """The map's colours of distance."""
        return self._text("colour_map", "plasma")

    @colour_map.setter
    def colour_map(self, name: str) -> None:
        self._store.setValue("colour_map", name)

    @property
    def speed(self) -> float:
        """The replay's speed."""
        return float(self._text("speed", "1"))

    @speed.setter
    def speed(self, speed: float) -> None:
        self._store.setValue("speed", str(speed))

    @property
    def threads(self) -> int:
        """How many cores searches on the CPU use."""
        return max(int(self._text("threads", "1")), 1)

    @threads.setter
    def threads(self, threads: int) -> None:
        self._store.setValue("threads", str(threads))

    @property
    def osm(self) -> OsmOptions:
        """Which roads are taken from OpenStreetMap files."""
        try:
            return OsmOptions.described(self._text("osm", OsmOptions().describe()))
        except OptionError:  # of another version
            return OsmOptions()

    @osm.setter
    def osm(self, options: OsmOptions) -> None:
        self._store.setValue("osm", options.describe())

    @property
    def geometry(self) -> QByteArray:
        """Where the window was, empty at first."""
        return self._bytes("window/geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._store.setValue("window/geometry", value)

    @property
    def layout(self) -> QByteArray:
        """Where the docks were, empty at first."""
        return self._bytes("window/layout")

    @layout.setter
    def layout(self, value: QByteArray) -> None:
        self._store.setValue("window/layout", value)

    @property
    def recent(self) -> list[str]:
        """Files opened last, newest first."""
        value = self._store.value("recent", [])
        if isinstance(value, str):  # an INI file with one entry reads back as text
            return [value] if value else []
        return [str(path) for path in value] if isinstance(value, list) else []

    def remember_file(self, path: str) -> None:
        """Put a file first among the recent ones."""
        self._store.setValue("recent", [path, *(p for p in self.recent if p != path)][:RECENT_COUNT])

    def save(self) -> None:
        """Write everything to disk now."""
        self._store.sync()

    def _text(self, key: str, default: str) -> str:
        value = self._store.value(key, default)
        return value if isinstance(value, str) else default

    def _bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()
