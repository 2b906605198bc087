"""The raster of a view, by two cores where it is long. No Qt.

Of two lines on one pixel the larger value wins, so the order of drawing never matters: each core draws half of the
lines into a G-buffer of its own, and the larger value of each pixel is taken in the end. The picture is the same, bit
for bit. Only roads with a casing, which clears what is below, are drawn by one.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from wayfront.timing.machine import usable_cores
from wayfront_gui.scene.aside import aside
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.geometry import MapGeometry
from wayfront_gui.scene.line_blocks import Block, rasterize
from wayfront_gui.scene.scene import Drawing

SHARED_FROM = 1 << 19
"""Lines in view from which on two cores draw them: some hundredths of a second for one."""


def draw_lines(
    gbuffer: NDArray[np.uint32], geometry: MapGeometry, drawing: Drawing, camera: Camera, stop: NDArray[np.uint8]
) -> float:
    """Draw the lines of a view into a G-buffer that is zero; return the processor time of all threads in milliseconds.

    ``stop[0]``, set from another thread, ends it early and incomplete.
    """
    cells, alone = len(geometry.cell_boxes), drawing.weights.casing is not None
    if alone or usable_cores() < 2 or geometry.visible_lines(camera.extent) < SHARED_FROM:
        return _draw_cells(gbuffer, geometry, drawing, camera, 0, cells, stop)
    half = _middle_cell(geometry, camera)
    other = np.zeros_like(gbuffer)
    rest = aside(lambda: _draw_cells(other, geometry, drawing, camera, half, cells, stop))
    spent = _draw_cells(gbuffer, geometry, drawing, camera, 0, half, stop) + rest()
    np.maximum(gbuffer, other, out=gbuffer)
    return spent


def _middle_cell(geometry: MapGeometry, camera: Camera) -> int:
    """Return the cell before which half of the lines in view are."""
    lines = np.where(geometry.cells_in(camera.extent), np.diff(geometry.cell_offsets), 0).cumsum()
    return int(np.searchsorted(lines, lines[-1] / 2))


def _draw_cells(
    gbuffer: NDArray[np.uint32],
    geometry: MapGeometry,
    drawing: Drawing,
    camera: Camera,
    first: int,
    end: int,
    stop: NDArray[np.uint8],
) -> float:
    """Draw the lines of the cells ``first`` … ``end`` − 1; return the processor time in milliseconds."""
    start, block = time.thread_time(), Block.empty()
    for coverage, width in drawing.weights.passes:
        rasterize(
            gbuffer,
            geometry.x,
            geometry.y,
            geometry.line_a,
            geometry.line_b,
            geometry.owner_a,
            geometry.owner_b,
            drawing.levels,
            geometry.cell_offsets[first : end + 1],
            geometry.cell_boxes[first:end],
            camera.scale,
            camera.left,
            camera.top,
            coverage,
            width,
            stop,
            block,
        )
    return (time.thread_time() - start) * 1e3
