"""The map's picture of a tree whose source moves: drawn anew many times a second into arrays made once. No Qt.

It is drawn on the engine thread, right after its tree; the window only shades it. There are two of every array: one is
shown while the other is drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wayfront_gui.scene.geometry import MapGeometry, read_only
from wayfront_gui.scene.legend import Legend
from wayfront_gui.scene.line_pieces import LinePieces, draw_pieces, draw_wide, find_strengths, take_strengths
from wayfront_gui.scene.raster import NEVER
from wayfront_gui.scene.scene import CLIP_PERCENTILE, Camera, Drawn
from wayfront_gui.scene.style import LineWeights, tree_weights
from wayfront_gui.scene.subtrees import subtree_sizes

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric

_SAMPLED = 4096
"""Nodes among which the distance that has the last colour is looked for."""


class DraggedPicture:
    """Draws trees of one network from one camera after another; ``draw`` belongs to one thread at a time."""

    def __init__(self, geometry: MapGeometry) -> None:
        n = geometry.node_count
        self._geometry = geometry
        self._pieces: LinePieces | None = None
        self._weights: LineWeights | None = None
        self._sizes = np.empty(n, np.int32)
        self._strength, self._levels = (np.zeros(geometry.line_count, np.uint8) for _ in range(2))
        self._wide = np.empty(geometry.line_count, np.int32)
        self._sample = np.arange(0, n, max(n // _SAMPLED, 1))
        self._sides = tuple((np.empty(n, np.uint32), np.empty(n, np.uint8)) for _ in range(2))
        self._buffers: tuple[NDArray[np.uint32], ...] = ()

    def look(self, camera: Camera) -> bool:
        """Be ready to draw from a camera; return False where that would take too much."""
        if self._pieces is not None and self._pieces.camera == camera:
            return True
        zoom = round(self._geometry.typical_line * camera.scale / camera.pixel_ratio, 4)
        self._weights = tree_weights(zoom, camera.pixel_ratio)
        self._pieces = LinePieces.of(self._geometry, camera, float(self._weights.width[1]))
        self._buffers = tuple(np.zeros((camera.height, camera.width), np.uint32) for _ in range(2))
        return self._pieces is not None

    def draw(
        self, side: int, distances: NDArray[Any], parents: NDArray[np.int32], infinity: int, metric: Metric
    ) -> Drawn:
        """Draw a tree from the camera of ``look`` into the arrays of a side, 0 or 1; ``infinity`` is not reached."""
        pieces, weights, geometry = self._pieces, self._weights, self._geometry
        assert pieces is not None and weights is not None
        distances, parents = read_only(distances), read_only(parents)
        (first_step, colour), buffer = self._sides[side], self._buffers[side]
        last = self._last_coloured(distances, infinity)
        colour_reached(distances, infinity, last, first_step, colour)
        buffer[:] = 0
        wide = self._find_strengths(pieces, weights, parents, metric)
        draw_pieces(buffer.reshape(-1), pieces.pieces, pieces.halves, pieces.owners, self._strength)
        camera = pieces.camera
        draw_wide(
            buffer,
            self._wide[:wide],
            self._levels[:wide],
            geometry.x,
            geometry.y,
            geometry.line_a,
            geometry.line_b,
            geometry.owner_a,
            geometry.owner_b,
            camera.scale,
            camera.left,
            camera.top,
            weights.coverage,
            weights.width,
        )
        return Drawn(camera, buffer, first_step, colour, Legend.of(metric, last))

    def _find_strengths(
        self, pieces: LinePieces, weights: LineWeights, parents: NDArray[np.int32], metric: Metric
    ) -> int:
        """Find how strong every line of the view is in a tree; return how many are wide."""
        geometry, by_level = self._geometry, (weights.coverage, weights.width)
        filled = (self._strength, self._wide, self._levels)
        if geometry.chains is not None:  # parallel roads of other courses: only those that the tree takes are in it
            arcs = geometry.chains.tree_arcs(parents, read_only(metric.weights))
            levels = read_only(geometry.chains.levels_of_tree(parents, arcs))
            return int(take_strengths(pieces.runs, levels, *by_level, *filled))
        subtree_sizes(parents, self._sizes)
        ends = (geometry.line_a, geometry.line_b)
        return int(find_strengths(pieces.runs, *ends, parents, self._sizes, *by_level, *filled))

    def _last_coloured(self, distances: NDArray[Any], infinity: int) -> float:
        """Return the distance from which on nodes have the last colour, by a sample of them."""
        some = distances[self._sample]
        some = some[some < infinity]
        if not len(some):
            return 1.0
        place = min(len(some) * CLIP_PERCENTILE // 100, len(some) - 1)
        return float(max(np.partition(some, place)[place], 1))


@njit(nogil=True, cache=True)
def colour_reached(distances, infinity, last, first_step, colour):  # type: ignore[no-untyped-def]
    """Fill ``first_step`` and ``colour`` [n]: 0 … 255 for distances from 0 to ``last``, ``NEVER`` at ``infinity``."""
    per_value = np.float32(255.0 / max(last, 1e-9))
    for v in range(len(distances)):
        reached = distances[v] < infinity
        first_step[v] = np.uint32(0) if reached else np.uint32(NEVER)
        colour[v] = np.uint8(min(np.float32(distances[v]) * per_value, np.float32(255.0)))
