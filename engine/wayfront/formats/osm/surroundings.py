"""Collect what lies round the roads of an OpenStreetMap file: places, water, parks and woods, rivers and the sea.

Objects are handed over as they are read; a relation says which ways, perhaps without tags, are the shore of a lake. An
area that does not close, or whose nodes the file lacks, is left out, and so is a road that is tagged as one as well.
Coasts are the border of the sea, and lines where that cannot be made of them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.osm.lines import Line, joined, thinned
from wayfront.formats.osm.rules import Tags
from wayfront.formats.osm.sea import sea_round
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.details import AREAS, KINDS, LINES, Surroundings
from wayfront.network.schema import offsets_of

_PLACES = {
    "city": "city",
    "town": "town",
    "village": "village",
    "suburb": "suburb",
    "borough": "suburb",
    "quarter": "quarter",
    "neighbourhood": "quarter",
    "hamlet": "hamlet",
    "island": "island",
    "islet": "island",
    "archipelago": "island",
}
_WAYS = {
    "natural": {"water": "water", "coastline": "coast", "wood": "wood", "glacier": "glacier"},
    "waterway": {"river": "river", "canal": "river", "riverbank": "water"},
    "landuse": {"reservoir": "water", "basin": "water", "forest": "wood", "cemetery": "park", "village_green": "park"},
    "leisure": {"park": "park", "garden": "park", "golf_course": "park"},
}
KEYS = tuple(_WAYS)
"""The keys of tags that ways and relations must have one of to be taken."""

ASKED = {
    "place": sorted(_PLACES),
    "natural": ["coastline", "glacier", "water"],
    "waterway": ["river", "riverbank"],
    "leisure": ["golf_course", "park"],
}
"""Tags that a server is asked for: woods and gardens would double what it sends."""

LEAST_M2 = {"water": 400.0, "park": 1_000.0, "wood": 10_000.0, "glacier": 10_000.0}
"""Smaller areas are left out: they would be a point wherever a street is a line."""
_MOST_INHABITANTS = 10**9
_LONGEST_NAME = 200


def kind_of_place(tags: Tags) -> str:
    """Return the kind of a node, "" for one that is not taken."""
    return _PLACES.get(tags.get("place", ""), "") if "name" in tags else ""


def kind_of_way(tags: Tags) -> str:
    """Return the kind of a way or a relation, "" for one that is not taken."""
    for key, values in _WAYS.items():
        value = tags.get(key)
        if value is not None and (kind := values.get(value, "")):
            return kind
    return ""


class SurroundingsReader:
    """Takes objects one by one; ``build`` makes the surroundings of them."""

    def __init__(self) -> None:
        self._lines: dict[int, Line] = {}
        self._tagged: list[tuple[str, str, int]] = []
        self._coasts: list[tuple[str, Line]] = []
        self._relations: list[tuple[str, str, tuple[int, ...]]] = []
        self._members: set[int] = set()
        self._features: list[_Feature] = []

    def add_place(self, tags: Tags, x: int, y: int) -> None:
        """Take a node at a position in 1e-7 degrees if it is a place with a name."""
        if kind := kind_of_place(tags):
            self._features.append(_Feature(kind, _name(tags), _inhabitants(tags), (x // 10, y // 10), []))

    def add_relation(self, tags: Tags, ways: Iterable[int]) -> None:
        """Take a relation if it is an area; ``ways`` are the ids of its members."""
        kind = kind_of_way(tags)
        if kind in AREAS and tags.get("type") == "multipolygon":
            members = tuple(ways)
            self._members.update(members)
            self._relations.append((kind, _name(tags), members))

    def wants(self, way: int, tags: Tags, *, road: bool = False) -> bool:
        """Return whether a way is taken: by its tags, but for a ``road``, or since a relation that was added has it."""
        return way in self._members or (not road and bool(kind_of_way(tags)))

    def add_way(self, way: int, tags: Tags, line: Line) -> None:
        """Take a way that is wanted."""
        kind = kind_of_way(tags)
        self._lines[way] = line = Line(line.first, line.last, thinned(line.points))
        if kind == "coast":
            self._coasts.append((_name(tags), line))
        elif kind in LINES or (kind and line.closed):
            self._tagged.append((kind, _name(tags), way))

    def add_part(self, tags: Tags, line: Line) -> None:
        """Take a part of a way that lacks nodes, where a part is worth something: of a coastline it is."""
        if kind_of_way(tags) == "coast":
            self._coasts.append((_name(tags), Line(line.first, line.last, thinned(line.points))))

    def build(self, nodes: NDArray[np.int32] | None) -> Surroundings:
        """Return all that was taken, and the sea round a network's ``nodes`` [n, 2] in microdegrees."""
        features = [*self._features]
        for kind, name, ways in self._relations:
            members = [self._lines[way] for way in ways if way in self._lines]
            features += _area(kind, name, [line.points for line in joined(members) if line.closed])
        sea = [] if nodes is None else sea_round([line for _, line in self._coasts], nodes)
        features += _area("water", "", sea)
        courses: dict[tuple[str, str], list[Line]] = defaultdict(list)
        for name, line in [] if sea else self._coasts:
            courses["coast", name].append(line)
        for kind, name, way in self._tagged:
            if kind in LINES:
                courses[kind, name].append(self._lines[way])
            else:
                features += _area(kind, name, [self._lines[way].points])
        for (kind, name), lines in courses.items():
            features += [_course(kind, name, line.points) for line in joined(lines) if len(line.points) > 1]
        return _surroundings(features)


class _Feature(NamedTuple):
    """One feature, with its outlines in microdegrees."""

    kind: str
    name: str
    size: int
    position: tuple[int, int]
    outlines: list[NDArray[np.int32]]


def _area(kind: str, name: str, outlines: list[NDArray[np.int32]]) -> Iterator[_Feature]:
    """Yield an area with these outlines unless it is too small."""
    outlines = [outline for outline in outlines if len(outline) > 3]
    sizes = [metres(outline)[1] for outline in outlines]
    if outlines and max(sizes) >= LEAST_M2[kind]:
        largest = outlines[int(np.argmax(sizes))]
        position = inside(largest) if name else (int(largest[0, 0]), int(largest[0, 1]))
        yield _Feature(kind, name, round(max(sizes)), position, outlines)


def _course(kind: str, name: str, outline: NDArray[np.int32]) -> _Feature:
    x, y = outline[len(outline) // 2].tolist()
    return _Feature(kind, name, round(metres(outline)[0]), (x, y), [outline])


def _surroundings(features: list[_Feature]) -> Surroundings:
    """Return the features as arrays, the largest of a kind first."""
    features = sorted(features, key=lambda each: (KINDS.index(each.kind), -each.size))
    rings = [ring for each in features for ring in each.outlines]
    names = "\n".join(each.name for each in features)
    return Surroundings.from_arrays(
        {
            "kind": np.array([KINDS.index(each.kind) for each in features], np.uint8),
            "position": np.array([each.position for each in features], np.int32).reshape(-1, 2),
            "size": np.array([each.size for each in features], np.int64),
            "outlines": offsets_of([len(each.outlines) for each in features]),
            "offsets": offsets_of([len(ring) for ring in rings]),
            "points": np.concatenate([np.zeros((0, 2), np.int32), *rings]),
            "name_text": np.frombuffer(names.encode("utf-8", "replace"), np.uint8),
        }
    )


def _name(tags: Tags) -> str:
    return " ".join(tags.get("name", "").split())[:_LONGEST_NAME]


def _inhabitants(tags: Tags) -> int:
    text = tags.get("population", "").replace(",", "").replace(" ", "")
    return min(int(text), _MOST_INHABITANTS) if text.isascii() and text.isdecimal() and len(text) < 12 else 0


def metres(points: NDArray[np.int32]) -> tuple[float, float]:
    """Return the length in metres of a line [k, 2] in microdegrees, and the square metres that it encloses."""
    x, y = ((points - points[0]) * (METRES_PER_DEGREE / 1e6)).T
    x = x * math.cos(math.radians(int(points[0, 1]) / 1e6))
    length = float(np.hypot(x[1:] - x[:-1], y[1:] - y[:-1]).sum())
    return length, abs(float(np.dot(x[:-1], y[1:]) - np.dot(x[1:], y[:-1]))) / 2


def inside(outline: NDArray[np.int32]) -> tuple[int, int]:
    """Return a point in the widest part of an area along one of three parallels."""
    x, y = outline[:, 0].astype(np.float64), outline[:, 1].astype(np.float64)
    widest = (-1.0, float(x[0]), float(y[0]))
    for share in (0.5, 0.35, 0.65):
        level = round(y.min() + share * (y.max() - y.min())) + 0.25  # between two microdegrees, so through no point
        crossed = np.flatnonzero((y[:-1] < level) != (y[1:] < level))
        part = (level - y[crossed]) / (y[crossed + 1] - y[crossed])
        across = np.sort(x[crossed] + part * (x[crossed + 1] - x[crossed]))
        widths = across[1::2] - across[: len(across) // 2 * 2 : 2]
        if len(widths) and widths.max() > widest[0]:
            best = int(np.argmax(widths))
            widest = (float(widths[best]), float(across[2 * best : 2 * best + 2].mean()), level)
    return round(widest[1]), round(widest[2])
