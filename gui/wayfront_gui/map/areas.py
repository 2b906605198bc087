"""Water, parks and woods round the roads, as a camera sees them: what is large enough, in pixels. No Qt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.network.details import AREAS, KINDS, LINES
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent, Plane

if TYPE_CHECKING:
    from wayfront.network.details import Surroundings
    from wayfront.network.road_network import RoadNetwork

LEAST_PIXELS = 6.0
"""Areas of fewer square pixels are left out …"""
MOST_FEATURES = 1500
"""… and of more than these the smaller ones."""
_CELL = 0.7
"""Of points in one square of so many pixels only the first is drawn."""
_MARGIN = 8.0
"""Pixels beyond the view in which outlines stay as they are: lines are not as wide."""
_WIDEST_RIVER = 120.0
"""Metres in a pixel up to which rivers without a bed of their own are lines."""


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """One area or line: its kind, and its outlines, float64 [k, 2] in pixels; holes are outlines too.

    ``rows`` are the first row of pixels and the one behind the last where it is right; None for all of the view.
    """

    kind: str
    outlines: tuple[NDArray[np.float64], ...]
    rows: tuple[int, int] | None = None

    @property
    def filled(self) -> bool:
        """Whether it is an area."""
        return self.kind in AREAS

    def in_rows(self, bounds: Sequence[int]) -> Iterator[Shape]:
        """Yield what of an area there is between each two rows of pixels that follow each other."""
        highest, lowest = (np.array([reach(points[:, 1]) for points in self.outlines]) for reach in (np.min, np.max))
        for top, bottom in pairwise(bounds):
            met = np.flatnonzero((highest <= bottom) & (lowest >= top)).tolist()
            within = (highest >= top - _MARGIN) & (lowest <= bottom + _MARGIN)
            parts = [
                self.outlines[ring] if within[ring] else _near_view(self.outlines[ring], -np.inf, top, np.inf, bottom)
                for ring in met
            ]
            yield Shape(self.kind, tuple(parts), (top, bottom))


class Areas:
    """The areas and lines of one network on its plane."""

    @classmethod
    def of(cls, network: RoadNetwork) -> Areas | None:
        """Return the areas of a network, made at the first call; None where it has none."""
        around = network.surroundings
        return (
            None if around is None or not len(around.points) else network.derive("areas", lambda: cls(network, around))
        )

    def __init__(self, network: RoadNetwork, around: Surroundings) -> None:
        plane = Plane.of(network)
        x, y = plane.project(around.points)
        self._x, self._y = x.astype(np.float64), y.astype(np.float64)
        self._around = around
        kinds = [KINDS.index(kind) for kind in (*AREAS, *LINES)]
        self._features = np.flatnonzero(np.isin(around.kind, kinds) & (np.diff(around.outlines) > 0))
        # Those of one feature lie together, and those of the next begin where they end; points of outlines likewise.
        self._rings = _boxes_of(np.stack([x, y, x, y], axis=1), around.offsets)
        self._boxes = _boxes_of(self._rings, around.outlines)[self._features]

    def seen(self, camera: Camera) -> Iterator[Shape]:
        """Yield what a camera sees, in its pixels, woods first and water last."""
        around, view = self._around, camera.extent
        kind = around.kind[self._features]
        lines = np.isin(kind, [KINDS.index(name) for name in LINES])
        meets = _meets(self._boxes, view)
        size = around.size[self._features] * np.where(lines, camera.scale, camera.scale**2)
        meets &= size >= LEAST_PIXELS
        if 1 / camera.scale > _WIDEST_RIVER:
            meets &= kind != KINDS.index("river")
        found = np.flatnonzero(meets)
        kept = _meets(self._rings, view) & (
            (self._rings[:, 2:] - self._rings[:, :2]).max(axis=1) >= _CELL / camera.scale
        )
        found = found[np.argsort(-size[found], kind="stable")[:MOST_FEATURES]]
        order = np.array([_ORDER.index(KINDS[k]) for k in kind[found]], np.int64)
        for index in found[np.argsort(order, kind="stable")].tolist():
            feature = self._features[index]
            first, last = int(around.outlines[feature]), int(around.outlines[feature + 1])
            rings = (first + np.flatnonzero(kept[first:last])).tolist()
            outlines = [
                self._outline(int(around.offsets[ring]), int(around.offsets[ring + 1]), camera) for ring in rings
            ]
            yield Shape(KINDS[around.kind[feature]], tuple(outline for outline in outlines if len(outline) > 1))

    def _outline(self, begin: int, end: int, camera: Camera) -> NDArray[np.float64]:
        """Return the points of an outline in pixels, without those nobody can tell from the one before."""
        corner = camera.extent.left, camera.extent.top
        points = np.stack([self._x[begin:end] - corner[0], corner[1] - self._y[begin:end]], axis=1) * camera.scale
        if len(points) < 3:
            return points
        cell = np.floor(points / _CELL)
        kept = np.ones(len(points), bool)
        kept[1:-1] = (cell[1:-1] != cell[:-2]).any(axis=1)
        width, height = camera.extent.width * camera.scale, camera.extent.height * camera.scale
        return _near_view(points[kept], 0.0, 0.0, width, height)


def _boxes_of(boxes: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the boxes round groups of boxes [k, 4], left, bottom, right, top: those between offsets [groups+1]."""
    begins, ends = offsets[:-1], offsets[1:]
    between = np.stack([begins, ends], axis=1).ravel()
    padded = np.concatenate([boxes, boxes[-1:]])
    if not len(boxes):
        return np.zeros((len(begins), 4))
    reduced = [reduce.reduceat(padded[:, at], between)[::2] for at, reduce in enumerate(_SIDES)]
    return np.stack(reduced, axis=1).astype(np.float64)


_SIDES = (np.minimum, np.minimum, np.maximum, np.maximum)


def _meets(boxes: NDArray[np.float64], view: Extent) -> NDArray[np.bool_]:
    """Return which boxes [k, 4] a part of the plane meets."""
    across = (boxes[:, 0] <= view.right) & (boxes[:, 2] >= view.left)
    return np.asarray(across & (boxes[:, 1] <= view.top) & (boxes[:, 3] >= view.bottom))


def _near_view(
    points: NDArray[np.float64], left: float, top: float, right: float, bottom: float
) -> NDArray[np.float64]:
    """Return an outline without what it does beyond one side of a view: a straight line takes the place of that.

    Neither what is filled nor what is stroked within the view changes by it. Coasts of a whole country have a hundred
    thousand points, which take most of a second to paint, and Python's lock as long.
    """
    x, y = points[:, 0], points[:, 1]
    beyond = [x < left - _MARGIN, x > right + _MARGIN, y < top - _MARGIN, y > bottom + _MARGIN]
    side = np.select(beyond, [1, 2, 3, 4], 0)
    kept = np.ones(len(points), bool)
    kept[1:-1] = (side[1:-1] == 0) | (side[1:-1] != side[:-2]) | (side[1:-1] != side[2:])
    return points[kept]


_ORDER = ("wood", "glacier", "park", "water", "river", "coast")
"""What is drawn first: a lake in a park lies on it."""
