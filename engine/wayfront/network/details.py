"""What a network may have beside its graph: names of roads and of nodes, shapes of arcs, and what lies round the roads.

No search needs what lies round the roads, so it is no part of what defines a network: it is not in the content key, and
is kept in a file of its own (``sources.cache``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.schema import NO_NAME, freeze, frozen_array, offsets_of
from wayfront.safe.errors import NetworkError, SchemaError
from wayfront.safe.schema import ArrayField, check_arrays
from wayfront.safe.text import printable


@dataclass(frozen=True, slots=True, eq=False)
class RoadNames:
    """Names of roads, each kept once.

    names   distinct texts, none empty, none with a line feed
    of_arc  int32 [m]: which of them each arc has, ``NO_NAME`` for none
    """

    names: tuple[str, ...]
    of_arc: NDArray[np.int32]

    def name(self, arc: int) -> str:
        """Return the name of an arc's road, "" where it has none."""
        index = int(self.of_arc[arc])
        return "" if index == NO_NAME else self.names[index]

    @property
    def nbytes(self) -> int:
        """Bytes that the names take in memory, each text with Python's own overhead."""
        return self.of_arc.nbytes + sum(49 + 8 + 2 * len(name) for name in self.names)

    def frozen(self) -> RoadNames:
        """Return the same names in a read-only array. Raises ``NetworkError`` for values that do not fit."""
        return RoadNames(tuple(self.names), freeze("road_names", self.of_arc))

    def reordered(self, order: NDArray[np.integer]) -> RoadNames:
        """Return the names of the arcs ``order``, in that order."""
        return RoadNames(self.names, self.of_arc[order])

    @property
    def text(self) -> NDArray[np.uint8]:
        """All names as UTF-8 lines, uint8, for files."""
        return np.frombuffer("\n".join(self.names).encode("utf-8", "replace"), np.uint8)

    @classmethod
    def from_arrays(cls, text: NDArray[np.uint8], of_arc: NDArray[np.int32]) -> RoadNames:
        """Return the names that ``text`` gave. Raises ``ValueError`` for bytes that are no UTF-8."""
        decoded = text.tobytes().decode("utf-8")
        return cls(tuple(decoded.split("\n")) if decoded else (), of_arc)

    @classmethod
    def collect(cls, texts: Iterable[str]) -> RoadNames:
        """Return the names of arcs (or ways) given one by one, "" for none."""
        known: dict[str, int] = {"": NO_NAME}
        of_arc = np.fromiter((known.setdefault(" ".join(text.split()), len(known) - 1) for text in texts), np.int32)
        return cls(tuple(known)[1:], of_arc)


@dataclass(frozen=True, slots=True, eq=False)
class Shapes:
    """The points each arc passes between its two ends, where a simplified network left nodes out.

    offsets  int64 [m+1], rising from 0 to k
    points   int32 [k, 2], longitude and latitude in microdegrees, in the arc's direction
    """

    offsets: NDArray[np.int64]
    points: NDArray[np.int32]

    @classmethod
    def from_arrays(cls, offsets: NDArray[np.int64], points: NDArray[np.int32]) -> Shapes:
        """Return the shapes in these arrays."""
        return cls(offsets, points)

    def frozen(self) -> Shapes:
        """Return the same shapes in read-only arrays. Raises ``NetworkError`` for values that do not fit."""
        return Shapes(freeze("shape_offsets", self.offsets), freeze("shape_points", self.points))

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays."""
        return self.offsets.nbytes + self.points.nbytes

    def of(self, arc: int) -> NDArray[np.int32]:
        """Return the inner points of one arc, int32 [points, 2]."""
        return self.points[self.offsets[arc] : self.offsets[arc + 1]]

    def reordered(self, order: NDArray[np.integer], *, turned: bool = False) -> Shapes:
        """Return the shapes of the arcs ``order``, in that order; ``turned`` round, from their heads to their tails."""
        counts = np.diff(self.offsets)[order]
        offsets = offsets_of(counts)
        within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], counts)
        if turned:
            within = np.repeat(counts - 1, counts) - within
        return Shapes(offsets, self.points[np.repeat(self.offsets[:-1][order], counts) + within])


DETAILS: dict[str, type[RoadNames] | type[Shapes]] = {"road_names": RoadNames, "shapes": Shapes}
"""The attributes of ``RoadNetwork`` that are groups of arrays."""


LONGEST_NODE_NAME = 64
"""Characters that a node's name may have."""


@dataclass(frozen=True, slots=True, eq=False)
class NodeNames:
    """The name of each node, "" where it has none: one line of at most ``LONGEST_NODE_NAME`` characters."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> NodeNames:
        """Return the names of nodes 0 … n−1. Raises ``NetworkError`` for one too long, or one that cannot be shown."""
        for node, name in enumerate(names):
            if len(name) > LONGEST_NODE_NAME:
                raise NetworkError(
                    f"the name of node {node + 1} has {len(name):,} characters; it may have {LONGEST_NODE_NAME}"
                )
            if printable(name) != name or name.strip() != name:
                raise NetworkError(
                    f"the name '{printable(name)}' holds control characters, or blanks at an end: leave them out"
                )
        return cls(tuple(names))

    @classmethod
    def from_arrays(cls, offsets: NDArray[Any], text: NDArray[np.uint8]) -> NodeNames:
        """Return the names that ``offsets`` and ``text`` gave. Raises ``NetworkError``, ``ValueError`` for no UTF-8."""
        ends = offsets.tolist()
        if ends[:1] != [0] or ends[-1] != len(text) or (np.diff(offsets) < 0).any():  # before names are cut by them
            raise NetworkError("offsets of node names: they have to rise from 0 to the length of the text")
        letters = text.tobytes()
        return cls.of([letters[a:b].decode("utf-8") for a, b in pairwise(ends)])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each name begins in ``text``, int64 [n+1], for files."""
        return freeze("node_name_offsets", offsets_of([len(name.encode()) for name in self.names]))

    @property
    def text(self) -> NDArray[np.uint8]:
        """All names as UTF-8, one after the other, uint8, for files."""
        return np.frombuffer("".join(self.names).encode(), np.uint8)

    @property
    def nbytes(self) -> int:
        """Bytes that the names take in memory, each text with Python's own overhead."""
        return sum(57 + 2 * len(name) for name in self.names)


PLACES = ("city", "town", "village", "suburb", "quarter", "hamlet", "island")
AREAS = ("water", "park", "wood", "glacier")
LINES = ("river", "coast")
KINDS = PLACES + AREAS + LINES
"""Names of the values in ``Surroundings.kind``: points, areas and lines."""

FEATURES, OUTLINES, OUTLINE_POINTS, NAME_BYTES = "features", "outlines", "points of outlines", "bytes of names"

_MICRODEGREES: dict[str, Any] = {"dtypes": (np.int32,), "columns": 2, "lowest": None}

SURROUNDINGS_FIELDS = (
    ArrayField(name="kind", title="kinds", dtypes=(np.uint8,), counts=FEATURES, below=len(KINDS)),
    ArrayField(name="position", title="positions", counts=FEATURES, **_MICRODEGREES),
    ArrayField(name="size", title="sizes", dtypes=(np.int64,), counts=FEATURES),
    ArrayField(name="outlines", dtypes=(np.int64,), counts=FEATURES, more=1, rises_to=OUTLINES),
    ArrayField(
        name="offsets",
        title="offsets of outlines",
        dtypes=(np.int64,),
        counts=OUTLINES,
        more=1,
        rises_to=OUTLINE_POINTS,
    ),
    ArrayField(name="points", title="points of outlines", counts=OUTLINE_POINTS, **_MICRODEGREES),
    ArrayField(name="name_text", title="texts of names", dtypes=(np.uint8,), counts=NAME_BYTES),
)


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """Places, areas and lines round a network, k of them, in read-only arrays.

    kind      uint8 [k], index into ``KINDS``
    position  int32 [k, 2]: longitude and latitude in microdegrees of where the name stands; within its area
    size      int64 [k]: inhabitants of a place, square metres of an area's largest outline; 0 where unknown
    outlines  int64 [k+1]: the outlines of feature f are ``outlines[f]:outlines[f + 1]``, none for a place
    offsets   int64 [outlines+1]: the points of each outline; those of an area are closed, and holes are outlines too
    points    int32 [points, 2], longitude and latitude in microdegrees
    names     of every feature, "" for none
    """

    kind: NDArray[np.uint8]
    position: NDArray[np.int32]
    size: NDArray[np.int64]
    outlines: NDArray[np.int64]
    offsets: NDArray[np.int64]
    points: NDArray[np.int32]
    names: tuple[str, ...]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Surroundings:
        """Return what these arrays hold, checked. Raises ``SchemaError``, and ``ValueError`` for names no UTF-8."""
        sizes = check_arrays(arrays, SURROUNDINGS_FIELDS)
        frozen = {field.name: frozen_array(arrays[field.name], field.dtypes[0]) for field in SURROUNDINGS_FIELDS}
        text = frozen.pop("name_text")
        names = tuple(text.tobytes().decode("utf-8").split("\n")) if sizes[FEATURES] else ()
        if len(names) != sizes[FEATURES]:
            raise SchemaError(f"texts of names: {len(names)} names, where there are {sizes[FEATURES]} features")
        return cls(names=names, **frozen)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays by name, the names as UTF-8 lines, for files."""
        text = np.frombuffer("\n".join(self.names).encode("utf-8", "replace"), np.uint8)
        held = {field.name: getattr(self, field.name) for field in SURROUNDINGS_FIELDS if field.name != "name_text"}
        return held | {"name_text": text}

    def __len__(self) -> int:
        """Return the number of features."""
        return len(self.kind)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, about: a name counts with what Python adds to it."""
        held = (self.kind, self.position, self.size, self.outlines, self.offsets, self.points)
        return sum(array.nbytes for array in held) + sum(57 + len(name) for name in self.names)

    def count(self, kinds: tuple[str, ...]) -> int:
        """Return how many features there are of these kinds."""
        return int(np.isin(self.kind, [KINDS.index(kind) for kind in kinds]).sum())
