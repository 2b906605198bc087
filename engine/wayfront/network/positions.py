"""Positions as people paste them, in degrees: written out, from the links of maps, as ``geo:`` or GeoJSON.

A text may be read in two ways: as latitude and longitude, which is usual among people, or as longitude and latitude,
which is usual among programs. Letters for the directions decide; without them the usual reading of the form goes first,
and the network that is searched decides, for at most one of both lies on it.
"""

from __future__ import annotations

import math
import re
import unicodedata
from typing import NamedTuple
from urllib.parse import unquote_plus

import numpy as np
from numpy.typing import NDArray

from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.road_network import RoadNetwork

LONGEST = 2_000
"""Characters of a text that may be a position: links are long."""
_BLOCK = 1_024
"""Nodes that are looked at together for the nearest one; they are near each other, since nodes are in Morton order."""


class Position(NamedTuple):
    """Degrees north and east."""

    north: float
    east: float

    @property
    def on_earth(self) -> bool:
        """Whether there is such a position."""
        return abs(self.north) <= 90 and abs(self.east) <= 180

    def __str__(self) -> str:
        """Return latitude and longitude, as exact as a network's coordinates."""
        return f"{self.north:.6f}".rstrip("0").rstrip(".") + ", " + f"{self.east:.6f}".rstrip("0").rstrip(".")


_SIGNS = str.maketrans(
    {"−": "-", "–": "-", "º": "°", "˚": "°", "′": "'", "’": "'", "‘": "'", "″": '"', "”": '"', "“": '"', "、": ","}
    | {"度": "°", "分": "'", "秒": '"'}
)
_DIRECTIONS = (("北緯", "N"), ("南緯", "S"), ("東経", "E"), ("西経", "W"))
_NUMBER = r"[+-]?\d{1,3}(?:\.\d{0,15})?"
_TWO = rf"({_NUMBER})(?:\s*+[,~/]\s*+|\s++)({_NUMBER})(?![\d.])"
_IN_LINKS = (
    rf"!3d({_NUMBER})!4d({_NUMBER})",  # the place itself, where @ is only what is seen
    rf"[?&](?:q|query|ll|center|destination|daddr|cp|sll)=(?:loc:)?\s*+{_TWO}",
    rf"geo:{_TWO}",
    rf"/(?:place|search|dir)/+{_TWO}",
    rf"@{_TWO}",
    rf"#(?:map=)?\d{{1,2}}(?:\.\d+)?/{_TWO}",
)
_LATITUDE = re.compile(rf"\bm?lat(?:itude)?\b[\"']?\s*+(?:[:=]\s*+)?({_NUMBER})", re.IGNORECASE)
_LONGITUDE = re.compile(rf"\bm?(?:lon|lng|long)(?:gitude)?\b[\"']?\s*+(?:[:=]\s*+)?({_NUMBER})", re.IGNORECASE)
_LON_LAT = re.compile(
    rf"(?:.*\"coordinates\"\s*:\s*)?\[\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[,\]].*"
    rf"|POINT\s*+(?:Z\s*+)?\(\s*+({_NUMBER})\s+({_NUMBER}).*\)",
    re.IGNORECASE | re.DOTALL,
)
_PLAIN = r"(?P<sign{0}>[+-])?(?P<degrees{0}>\d{{1,3}}(?:[.,]\d{{1,15}}|\.)?)"
_PLAIN += r"(?:\s*°(?:\s*(?P<minutes{0}>\d{{1,2}}(?:[.,]\d{{1,15}})?)\s*'"
_PLAIN += r"(?:\s*(?P<seconds{0}>\d{{1,2}}(?:[.,]\d{{1,15}})?)\s*(?:\"|''))?)?)?"
_LETTER = r"(?P<letter{0}>[NSEW])"
_WRITTEN = tuple(
    re.compile(angle.format(1) + r"(?P<between>\s*[,;]\s*|\s*)" + angle.format(2), re.IGNORECASE)
    for angle in (rf"{_LETTER}\s*{_PLAIN}", rf"{_PLAIN}\s*{_LETTER}", _PLAIN)
)
"""Two angles with letters before them, behind them, or without any."""


def positions_in(text: str) -> tuple[Position, ...]:
    """Return what positions a text may mean, the likeliest first; none where it is no position.

    Some may not be on the Earth.

        >>> from wayfront.network.positions import positions_in
        >>> [str(position) for position in positions_in("41°09'00\\"N 8°36'36\\"W")]
        ['41.15, -8.61']
    """
    if not text or len(text) > LONGEST:
        return ()
    plain = unicodedata.normalize("NFKC", text.translate(_SIGNS)).strip()
    if plain.startswith("(") and plain.endswith(")"):
        plain = plain[1:-1].strip()
    for name, letter in _DIRECTIONS:
        plain = plain.replace(name, letter)
    if "://" in plain or plain.startswith("geo:") or "#map=" in plain:
        return _in_link(unquote_plus(plain))
    if found := _LON_LAT.fullmatch(plain):
        east, north = (float(each) for each in found.groups() if each is not None)
        return Position(north, east), Position(east, north)
    return _labelled(plain) or _written(plain)


def _in_link(link: str) -> tuple[Position, ...]:
    """Return the position that a link to a map, or a ``geo:`` address, has."""
    if labelled := _labelled(link):
        return labelled
    for form in _IN_LINKS:
        if found := re.findall(form, link):
            return (Position(*map(float, found[-1])),)
    return ()


def _labelled(text: str) -> tuple[Position, ...]:
    north, east = _LATITUDE.search(text), _LONGITUDE.search(text)
    return (Position(float(north[1]), float(east[1])),) if north and east else ()


def _written(text: str) -> tuple[Position, ...]:
    """Return what two angles beside each other may mean."""
    found = next(filter(None, (form.fullmatch(text) for form in _WRITTEN)), None)
    if found is None:
        return ()
    one, two, letters = _angle(found, "1"), _angle(found, "2"), _letter(found, "1") + _letter(found, "2")
    if one is None or two is None or letters in ("NN", "NS", "SN", "SS", "EE", "EW", "WE", "WW"):
        return ()
    if letters:
        return (Position(two, one) if letters[0] in "EW" else Position(one, two),)
    # Neither digits that could be parted anywhere, nor two whole numbers with a blank between them.
    if not found["between"] or not re.search(r"[,;.°-]", text):
        return ()
    return Position(one, two), Position(two, one)


def _letter(found: re.Match[str], number: str) -> str:
    return (found.groupdict().get(f"letter{number}") or "").upper()


def _angle(found: re.Match[str], number: str) -> float | None:
    """Return an angle in degrees, None for one with more than 59 minutes or seconds."""
    degrees, minutes, seconds = (
        float((found[f"{part}{number}"] or "0").replace(",", ".")) for part in ("degrees", "minutes", "seconds")
    )
    if minutes >= 60 or seconds >= 60:
        return None
    negative = _letter(found, number) in ("S", "W") or found[f"sign{number}"] == "-"
    return (-1 if negative else 1) * (degrees + minutes / 60 + seconds / 3600)


def nearest_node(network: RoadNetwork, position: Position) -> tuple[int, float]:
    """Return the index of the node nearest to a position, and how many metres it is away; the network has some."""
    low, high = blocks(network)
    coordinates = network.coordinates
    assert coordinates is not None
    at = np.array([position.east, position.north]) * 1e6
    across = np.minimum.reduce(
        [np.maximum(np.maximum(low[:, 0] - east, east - high[:, 0]), 0) for east in (at[0] + turn for turn in _TURNS)]
    )
    upward = np.maximum(np.maximum(low[:, 1] - at[1], at[1] - high[:, 1]), 0)
    narrow = math.cos(math.radians(position.north))
    least = np.hypot(across * narrow, upward)
    best, node = math.inf, -1
    for block in np.argsort(least).tolist():
        if least[block] >= best:
            break
        begin = block * _BLOCK
        away = distances_m(coordinates[begin : begin + _BLOCK], position) / METRES_PER_DEGREE * 1e6
        nearest = int(np.argmin(away))
        if away[nearest] < best:
            best, node = float(away[nearest]), begin + nearest
    return node, best / 1e6 * METRES_PER_DEGREE


_TURNS = (0.0, 360e6, -360e6)


def blocks(network: RoadNetwork) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the corners of the boxes round nodes that are near each other, int32 [blocks, 2]; the network has some."""
    coordinates = network.coordinates
    assert coordinates is not None and len(coordinates)
    starts = np.arange(0, len(coordinates), _BLOCK)
    return network.derive(
        "blocks of nodes",
        lambda: (np.minimum.reduceat(coordinates, starts), np.maximum.reduceat(coordinates, starts)),
    )


def distances_m(coordinates: NDArray[np.integer], position: Position) -> NDArray[np.float64]:
    """Return how far points, microdegrees [k, 2], are from a position, in metres [k]: exact enough for near ones."""
    east = (coordinates[:, 0] - position.east * 1e6 + 180e6) % 360e6 - 180e6
    north = coordinates[:, 1] - position.north * 1e6
    metres: NDArray[np.float64] = np.hypot(east * math.cos(math.radians(position.north)), north)
    return metres / 1e6 * METRES_PER_DEGREE
