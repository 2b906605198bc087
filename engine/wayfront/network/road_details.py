"""Optional details of arcs: road names, and the points an arc passes on the map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.schema import NO_NAME, freeze


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

    def reordered(self, order: NDArray[np.integer]) -> Shapes:
        """Return the shapes of the arcs ``order``, in that order."""
        counts = np.diff(self.offsets)[order]
        offsets = np.zeros(len(order) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        within = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], counts)
        return Shapes(offsets, self.points[np.repeat(self.offsets[:-1][order], counts) + within])


DETAILS: dict[str, type[RoadNames] | type[Shapes]] = {"road_names": RoadNames, "shapes": Shapes}
"""The attributes of ``RoadNetwork`` that are groups of arrays."""
