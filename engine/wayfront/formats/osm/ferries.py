"""Ferries of OpenStreetMap: who may use them, and how fast they are by the ``duration`` that they name.

A ferry is a way with ``route=ferry`` and no ``highway``. Its duration stands on the way, or on a relation of the whole
line (``type=route``, ``route=ferry``) and then is divided by length among the ways that name none. What cannot be read,
or would make a ferry absurdly slow or fast, counts as missing. The conventions are those of the wiki's pages
``Tag:route=ferry`` and ``Key:duration``.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.options import BIKE, WALK
from wayfront.formats.osm.rules import CLOSED, SPEEDS, Tags

FERRY_KMH: float = SPEEDS["ferry"]["usual"]
_SLOWEST_KMH: float = SPEEDS["ferry"]["slowest"]
_FASTEST_KMH: float = SPEEDS["ferry"]["fastest"]

_CLOCK = re.compile(r"(\d{1,4}):([0-5]?\d)(?::([0-5]?\d))?", re.ASCII)
_MINUTES = re.compile(r"(\d{1,5}(?:[.,]\d{1,3})?)\s*(?:min|mins|minutes)?", re.ASCII)
_NUMBER = r"(\d{1,5}(?:[.,]\d{1,3})?)"
_ISO = re.compile(
    rf"P(?:{_NUMBER}W)?(?:{_NUMBER}D)?(?:T(?:{_NUMBER}H)?(?:{_NUMBER}M)?(?:{_NUMBER}S)?)?", re.ASCII | re.IGNORECASE
)
_SECONDS_OF = (604_800, 86_400, 3_600, 60, 1)

_OF_CARS = ("motorcar", "motor_vehicle", "vehicle")
_OWN_KEYS = {WALK: ("foot",), BIKE: ("bicycle", "vehicle")}


def is_ferry(tags: Tags) -> bool:
    """Return whether a way is a ferry."""
    return tags.get("route") == "ferry" and "highway" not in tags


def carries(tags: Tags, network_type: str) -> bool:
    """Return whether a ferry carries this traffic.

    What it says of the traffic itself decides, then ``access``. Cars are not carried by a ferry that only names others.
    """
    keys = _OWN_KEYS.get(network_type, _OF_CARS)
    own = next((tags[key] for key in keys if key in tags), None)
    if own is not None:
        return own not in CLOSED
    if tags.get("access") in CLOSED:
        return False
    return network_type in _OWN_KEYS or not ("foot" in tags or "bicycle" in tags)


def duration_s(text: str | None) -> float | None:
    """Return a duration in seconds: ``90`` minutes, ``1:30``, ``1:30:00``, ``PT1H30M``; None for anything else.

    >>> [duration_s(text) for text in ("90", "1:30", "01:30:00", "PT1H30M", "P1DT2H", "soon", "0", None)]
    [5400.0, 5400.0, 5400.0, 5400.0, 93600.0, None, None, None]
    """
    text = (text or "").strip()
    seconds = 0.0
    if found := _CLOCK.fullmatch(text):
        seconds = int(found[1]) * 3600.0 + int(found[2]) * 60 + int(found[3] or 0)
    elif found := _MINUTES.fullmatch(text):
        seconds = float(found[1].replace(",", ".")) * 60
    elif found := _ISO.fullmatch(text):
        parts = zip(found.groups(), _SECONDS_OF, strict=True)
        seconds = sum((float(part.replace(",", ".")) * unit for part, unit in parts if part), 0.0)
    return seconds or None


@dataclass
class Ferries:
    """The ferries of a file, by the index of their way among all ways of the network.

    ways      index of each
    seconds   the duration on the way, 0 for none that can be read
    lines     durations of relations, with the ids of their ways
    """

    ways: array[int] = field(default_factory=lambda: array("q"))
    seconds: array[float] = field(default_factory=lambda: array("d"))
    lines: list[tuple[float, list[int]]] = field(default_factory=list)

    def add(self, way: int, tags: Tags) -> None:
        """Take a ferry."""
        self.ways.append(way)
        self.seconds.append(duration_s(tags.get("duration")) or 0.0)

    def add_relation(self, tags: Tags, ways: Iterable[int]) -> None:
        """Take the duration of a whole line, if a relation is one."""
        if tags.get("type") == "route" and tags.get("route") == "ferry":
            seconds = duration_s(tags.get("duration"))
            if seconds is not None:
                self.lines.append((seconds, list(ways)))

    def speeds(
        self, ids: NDArray[np.int64], metres: NDArray[np.float64], cut: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.bool_]]:
        """Return the ways that are ferries, int64 [f], their speeds in km/h, and whether each is assumed, bool [f].

        ``ids`` and ``metres`` are of all ways, [w], and ``cut`` those of which the file lacks a part.
        """
        ways = np.array(self.ways, np.int64)
        seconds = np.array(self.seconds, np.float64)
        index = {int(ids[way]): place for place, way in enumerate(ways.tolist())}
        for line, members in self.lines:
            mine = np.array(sorted({index[way] for way in members if way in index}), np.int64)
            open_ = mine[seconds[mine] == 0]
            left = line - seconds[mine].sum()
            whole = metres[ways[open_]].sum()
            if left > 0 and whole > 0 and not cut[ways[mine]].any() and len(mine) == len(set(members)):
                seconds[open_] = left * metres[ways[open_]] / whole
        with np.errstate(divide="ignore", invalid="ignore"):
            found = metres[ways] / seconds * 3.6
        assumed = ~((found >= _SLOWEST_KMH) & (found <= _FASTEST_KMH)) | cut[ways]
        return ways, np.where(assumed, FERRY_KMH, found), assumed
