"""The map's picture of a tree whose source moves: drawn anew many times a second into arrays made once. No Qt.

It is drawn on the engine thread, right after its tree; the window only shades it. There are three of every array: one
is shown, one may wait to be shown, and one is drawn. Few lines of a tree differ from those of the tree before, and only
their pixels are drawn (see ``tree_strengths`` and ``line_pieces``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, loop_without_allocation
from wayfront.network.small import SMALL
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.geometry import MapGeometry, read_only
from wayfront_gui.scene.legend import Legend
from wayfront_gui.scene.line_pieces import (
    Changes,
    LinePieces,
    WideLines,
    clear_wide,
    draw_changes,
    draw_wide,
    lay_wide,
    owners_of_halves,
    settle,
)
from wayfront_gui.scene.raster import NEVER
from wayfront_gui.scene.scene import CLIP_PERCENTILE, Drawn
from wayfront_gui.scene.style import LineWeights, tree_weights
from wayfront_gui.scene.subtrees import resize
from wayfront_gui.scene.tree_strengths import Links, TreeStrengths, follow

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric

SIDES = 3
"""How many pictures there are at once."""
_SAMPLED = 4096
"""Nodes among which the distance that has the last colour is looked for."""
_FIRST_ROOM = 1 << 18
"""Pieces of wide lines for which there is room at first."""
_TREE, _SCALE, _WIDE, _NOTHING = 0, 1, 2, 3
"""The stages of a drawing."""


class DraggedPicture:
    """Draws trees of one network from one camera after another; ``draw`` belongs to one thread at a time."""

    def __init__(self, geometry: MapGeometry) -> None:
        n = geometry.node_count
        self._geometry = geometry
        self._owners: NDArray[np.uint32] | None = None
        self._links: Links | None = None
        self._links_for: NDArray[np.int32] | None = None
        self._sheet: _Sheet | None = None
        self._camera: Camera | None = None
        self._sample = np.arange(0, n, max(n // _SAMPLED, 1))
        self._sides = tuple((np.empty(n, np.uint32), np.empty(n, np.uint8)) for _ in range(SIDES))

    def look(self, camera: Camera) -> bool:
        """Be ready to draw from a camera; return False where that would take too much."""
        if self._camera != camera:
            self._camera, self._sheet = camera, None
            zoom = round(self._geometry.typical_line * camera.scale / camera.pixel_ratio, 4)
            weights = tree_weights(zoom, camera.line_unit)
            if self._owners is None:
                self._owners = owners_of_halves(self._geometry)
            pieces = LinePieces.of(self._geometry, camera, float(weights.width[0]), self._owners)
            if pieces is not None:
                self._sheet = _Sheet(self._geometry, pieces, weights)
        return self._sheet is not None

    def draw(
        self, side: int, distances: NDArray[Any], parents: NDArray[np.int32], infinity: int, metric: Metric
    ) -> Drawn:
        """Draw a tree from the camera of ``look`` into the arrays of a side, 0 … 2; ``infinity`` is not reached."""
        sheet = self._sheet
        assert sheet is not None
        distances, parents = read_only(distances), read_only(parents)
        first_step, colour = self._sides[side]
        last = self._last_coloured(distances, infinity)
        colour_reached(distances, infinity, last, first_step, colour)
        tree = (distances.copy(), parents.copy()) if len(parents) <= SMALL else None
        gbuffer, nodes = sheet.draw(side, parents, self._links_of(metric)), (read_only(first_step), read_only(colour))
        return Drawn(sheet.camera, gbuffer, *nodes, Legend.of(metric, last), tree)

    def _links_of(self, metric: Metric) -> Links:
        """Return the links of the map's nodes; between parallel roads of other courses, the metric decides."""
        bent = self._geometry.chains is not None
        if self._links is None or (bent and metric.weights is not self._links_for):
            self._links, self._links_for = Links.of(self._geometry, metric.weights), metric.weights
        return self._links

    def _last_coloured(self, distances: NDArray[Any], infinity: int) -> float:
        """Return the distance from which on nodes have the last colour, by a sample of them."""
        some = distances[self._sample]
        some = some[some < infinity]
        if not len(some):
            return 1.0
        place = min(len(some) * CLIP_PERCENTILE // 100, len(some) - 1)
        return float(max(np.partition(some, place)[place], 1))


class _Sheet:
    """What is drawn from one camera: the G-buffers, and beneath them one for all and one without wide lines."""

    def __init__(self, geometry: MapGeometry, pieces: LinePieces, weights: LineWeights) -> None:
        self.camera = pieces.camera
        self._geometry, self._pieces, self._weights = geometry, pieces.pieces, weights
        shape = self.camera.height, self.camera.width
        self._strengths: TreeStrengths | None = None
        self._drawn = np.zeros(geometry.line_count, np.uint8)
        self._narrow, self._beneath = np.zeros((2, shape[0] * shape[1]), np.uint32)
        self._gbuffers = tuple(np.zeros(shape, np.uint32) for _ in range(SIDES))
        self._changes = Changes.of(shape[0] * shape[1], SIDES)
        self._wide = WideLines.of(geometry.line_count, _FIRST_ROOM)
        self._count = np.zeros(1, np.int64)

    def draw(self, side: int, parents: NDArray[np.int32], links: Links) -> NDArray[np.uint32]:
        """Draw a tree and return its G-buffer, that of a side, uint32 [height, width]."""
        if self._strengths is None or self._strengths.links is not links:
            self._strengths = TreeStrengths(self._geometry, self._weights, links)
            self._wide = WideLines.of(self._geometry.line_count, len(self._wide.pieces))
            self._changes.bounds[1] = -1
        strengths, stage = self._strengths, _TREE
        while (lacks := self._draw_from(stage, side, parents, strengths)) != _NOTHING:
            if lacks == _SCALE:
                strengths.rescale()
            elif stage == _WIDE or self._wide.half_full:
                self._wide = self._wide.larger()
            stage = lacks
        return self._gbuffers[side]

    def _draw_from(self, stage: int, side: int, parents: NDArray[np.int32], strengths: TreeStrengths) -> int:
        """Draw a tree from a stage on; return the stage that lacks something."""
        geometry, camera, weights = self._geometry, self.camera, self._weights
        return int(
            _draw_tree(
                stage,
                side,
                parents,
                strengths.kept,
                strengths.resizing,
                strengths.links,
                strengths.scale,
                strengths.strength,
                strengths.touched,
                self._count,
                self._pieces,
                self._drawn,
                self._narrow,
                self._wide,
                self._beneath,
                self._changes,
                self._gbuffers[side].reshape(-1),
                geometry.x,
                geometry.y,
                geometry.line_a,
                geometry.line_b,
                (camera.scale, camera.left, camera.top, camera.width, camera.height),
                weights.coverage,
                weights.width,
            )
        )


@loop_without_allocation
def _draw_tree(  # type: ignore[no-untyped-def]
    stage, side, parents, kept, resizing, links, scale, strengths, touched, count, pieces, drawn, narrow, wide, beneath,
    changes, target, x, y, line_a, line_b, view, coverage, widths,
):  # fmt: skip
    """Draw a tree from a stage on, all in one, so that Python's lock is given up once; return the stage that lacks.

    ``_SCALE`` lacks one for as many nodes as there are now, ``_WIDE`` room for pieces: at first those that are no
    longer needed are dropped.
    """
    if stage != _WIDE:
        found = np.uint64(0)
        if stage == _TREE:
            found = resize(parents, kept.parents, kept.sizes, kept.changed, resizing)
            reached = np.int32(1)
            for v in range(np.uint64(len(parents))):
                reached = max(reached, kept.sizes[v])
            if reached != scale.reached:
                return _SCALE
        rescaled = stage == _SCALE
        count[0] = follow(parents, found, rescaled, kept, links, scale, strengths, wide.level, touched)
        draw_changes(narrow, pieces, touched, count[0], strengths, drawn, changes)
        clear_wide(touched, count[0], wide, changes)
    if not lay_wide(touched, count[0], stage == _WIDE, wide, x, y, line_a, line_b, view, widths):
        return _WIDE
    draw_wide(beneath, narrow, touched, count[0], wide, pieces.owners, coverage, changes)
    settle(target, beneath, changes, side)
    return _NOTHING


@loop
def colour_reached(distances, infinity, last, first_step, colour):  # type: ignore[no-untyped-def]
    """Fill ``first_step`` and ``colour`` [n]: 0 … 255 for distances from 0 to ``last``, ``NEVER`` at ``infinity``."""
    per_value = np.float32(255.0 / max(last, 1e-9))
    for v in range(len(distances)):
        reached = distances[v] < infinity
        first_step[v] = np.uint32(0) if reached else np.uint32(NEVER)
        colour[v] = np.uint8(min(np.float32(distances[v]) * per_value, np.float32(255.0)))
