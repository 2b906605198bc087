"""The map's picture of a tree whose source moves: drawn anew many times a second into arrays made once. No Qt.

It is drawn on the engine thread, right after its tree; the window only shades it. There are three of every array: one
is shown, one may wait to be shown, and one is drawn. Few lines of a tree differ from those of the tree before, and only
their pixels are drawn (see ``tree_strengths`` and ``line_pieces``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.network.small import SMALL
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.geometry import MapGeometry, read_only
from wayfront_gui.scene.legend import Legend
from wayfront_gui.scene.line_pieces import LaidLines, LinePieces, copy_pixels, draw_changes, draw_wide, owners_of_halves
from wayfront_gui.scene.raster import NEVER
from wayfront_gui.scene.scene import CLIP_PERCENTILE, Drawn
from wayfront_gui.scene.style import LineWeights, tree_weights
from wayfront_gui.scene.tree_strengths import TreeStrengths, Wide

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric

SIDES = 3
"""How many pictures there are at once."""
_SAMPLED = 4096
"""Nodes among which the distance that has the last colour is looked for."""
_FIRST_ROOM = 1 << 18
"""Pieces of wide lines for which there is room at first."""
_MOST_OWED = 8
"""Drawings of the other side that a side catches up with pixel by pixel."""


class DraggedPicture:
    """Draws trees of one network from one camera after another; ``draw`` belongs to one thread at a time."""

    def __init__(self, geometry: MapGeometry) -> None:
        n = geometry.node_count
        self._geometry = geometry
        self._owners: NDArray[np.uint32] | None = None
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
        gbuffer, nodes = sheet.draw(side, parents, metric), (read_only(first_step), read_only(colour))
        return Drawn(sheet.camera, gbuffer, *nodes, Legend.of(metric, last), tree)

    def _last_coloured(self, distances: NDArray[Any], infinity: int) -> float:
        """Return the distance from which on nodes have the last colour, by a sample of them."""
        some = distances[self._sample]
        some = some[some < infinity]
        if not len(some):
            return 1.0
        place = min(len(some) * CLIP_PERCENTILE // 100, len(some) - 1)
        return float(max(np.partition(some, place)[place], 1))


class _Sheet:
    """What is drawn from one camera: the G-buffers, and beneath them one of the lines that are not wide."""

    def __init__(self, geometry: MapGeometry, pieces: LinePieces, weights: LineWeights) -> None:
        self.camera = pieces.camera
        self._geometry, self._pieces, self._weights = geometry, pieces.pieces, weights
        shape = self.camera.height, self.camera.width
        self._strengths = TreeStrengths(geometry, weights)
        self._drawn = np.zeros(geometry.line_count, np.uint8)
        self._beneath = np.zeros(shape[0] * shape[1], np.uint32)
        self._sides = tuple(_Side(np.zeros(shape, np.uint32)) for _ in range(SIDES))
        self._changed = np.empty(max(len(self._pieces.of_lines), 1), np.uint32)
        self._laid = LaidLines.of(geometry.line_count, _FIRST_ROOM)
        self._begun = False

    def draw(self, side: int, parents: NDArray[np.int32], metric: Metric) -> NDArray[np.uint32]:
        """Draw a tree and return its G-buffer, that of a side, uint32 [height, width]."""
        touched, wide = self._find_strengths(parents, metric)
        if not self._begun:  # the roads outside of any tree may be seen too
            touched, self._begun = np.arange(len(self._drawn), dtype=np.int32), True
        arrays = (self._beneath, self._pieces, touched, self._strengths.strength, self._drawn)
        count = draw_changes(*arrays, self._changed)
        changed = None if count < 0 else self._changed[:count].copy()
        for each in self._sides:
            each.owe(changed)
        target = self._sides[side]
        target.settle(self._beneath)
        self._draw_wide(target, wide)
        return target.gbuffer

    def _find_strengths(self, parents: NDArray[np.int32], metric: Metric) -> tuple[NDArray[np.int32], Wide]:
        chains = self._geometry.chains
        if chains is None:
            return self._strengths.follow(parents)
        # Parallel roads of other courses: only those that the tree takes are in it.
        arcs = chains.tree_arcs(parents, read_only(metric.weights))
        return self._strengths.take(read_only(chains.levels_of_tree(parents, arcs)))

    def _draw_wide(self, target: _Side, wide: Wide) -> None:
        """Draw the wide lines on top. Where there is no room for their pieces, those no longer needed are dropped."""
        count = self._lay_wide(target, wide)
        if count < 0:
            self._laid.forget()
            count = self._lay_wide(target, wide)
        while count < 0:
            self._laid = LaidLines.of(self._geometry.line_count, 2 * len(self._laid.pieces))
            count = self._lay_wide(target, wide)
        target.overdrawn = target.room[:count]

    def _lay_wide(self, target: _Side, wide: Wide) -> int:
        geometry, camera, weights = self._geometry, self.camera, self._weights
        view = (camera.scale, camera.left, camera.top, camera.width, camera.height)
        if len(target.room) < len(self._laid.pieces):
            target.room = np.empty(len(self._laid.pieces), np.uint32)
        return int(
            draw_wide(
                target.pixels,
                wide.lines,
                wide.levels,
                geometry.x,
                geometry.y,
                geometry.line_a,
                geometry.line_b,
                self._pieces.owners,
                view,
                weights.coverage,
                weights.width,
                self._laid,
                target.room,
            )
        )


class _Side:
    """A G-buffer, and in which pixels it differs from what lies beneath it."""

    def __init__(self, gbuffer: NDArray[np.uint32]) -> None:
        self.gbuffer = gbuffer
        self.pixels = gbuffer.reshape(-1)
        self.overdrawn = np.zeros(0, np.uint32)
        self.room = np.zeros(0, np.uint32)
        self._owed: list[NDArray[np.uint32]] | None = None

    def owe(self, changed: NDArray[np.uint32] | None) -> None:
        """Note which pixels changed beneath, None for all."""
        if changed is None:
            self._owed = None
        elif self._owed is not None:
            self._owed.append(changed)
            if len(self._owed) > _MOST_OWED:
                self._owed = None

    def settle(self, beneath: NDArray[np.uint32]) -> None:
        """Make it equal to what lies beneath."""
        if self._owed is None:
            self.pixels[:] = beneath
        else:
            for some in (self.overdrawn, *self._owed):
                copy_pixels(self.pixels, beneath, some)
        self._owed = []


@loop
def colour_reached(distances, infinity, last, first_step, colour):  # type: ignore[no-untyped-def]
    """Fill ``first_step`` and ``colour`` [n]: 0 … 255 for distances from 0 to ``last``, ``NEVER`` at ``infinity``."""
    per_value = np.float32(255.0 / max(last, 1e-9))
    for v in range(len(distances)):
        reached = distances[v] < infinity
        first_step[v] = np.uint32(0) if reached else np.uint32(NEVER)
        colour[v] = np.uint8(min(np.float32(distances[v]) * per_value, np.float32(255.0)))
