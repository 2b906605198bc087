"""One picture of the map: the G-buffer of one camera, and its colours as the scene is at the moment. No Qt."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.scene.geometry import MapGeometry, read_only
from wayfront_gui.scene.raster import rasterize, shade, stamp_dots, stamp_glow
from wayfront_gui.scene.scene import Camera, Drawing, Scene

MOST_CORES = 6000
"""Largest number of frontier nodes with a bright core in one frame."""
MOST_BLOOM_PIXELS = 500_000
"""Largest number of pixels that their bloom changes in one frame, at a pixel ratio of 1."""
DOT_SHARE = 0.2
"""Radius of a sampled source's dot, as a share of the distance between two, within …"""
SMALLEST_DOT, LARGEST_DOT = 1.6, 4.5
"""… these logical pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The G-buffer of one camera, uint32 [height, width]; which levels it drew, and the processor time it took."""

    camera: Camera
    levels: NDArray[np.uint8]
    gbuffer: NDArray[np.uint32]
    raster_ms: float

    @classmethod
    def draw(
        cls, geometry: MapGeometry, drawing: Drawing, camera: Camera, stop: NDArray[np.uint8] | None = None
    ) -> Frame:
        """Raster the lines in a camera's view. ``stop[0]``, set from another thread, ends it early and incomplete."""
        start = time.thread_time()
        gbuffer = np.zeros((camera.height, camera.width), np.uint32)
        rasterize(
            gbuffer,
            geometry.x,
            geometry.y,
            geometry.line_a,
            geometry.line_b,
            geometry.owner_a,
            geometry.owner_b,
            drawing.levels,
            geometry.cell_offsets,
            geometry.cell_boxes,
            camera.scale,
            camera.left,
            camera.top,
            drawing.weights.coverage,
            drawing.weights.width,
            np.zeros(1, np.uint8) if stop is None else stop,
        )
        return cls(camera, drawing.levels, gbuffer, (time.thread_time() - start) * 1e3)

    def paint(self, scene: Scene, pixels: NDArray[np.uint32]) -> None:
        """Colour the frame into ``pixels`` uint32 [height, width] as the scene is now, with the frontier's glow."""
        self.shade(scene, pixels)
        if len(scene.node_colours.dots):
            self.dot(scene, pixels)
        if scene.trail and scene.step >= 0:
            self.glow(scene, pixels)

    def shade(self, scene: Scene, pixels: NDArray[np.uint32]) -> None:
        """Colour the frame without the glow."""
        style, nodes = scene.style, scene.node_colours
        shade(
            self.gbuffer,
            pixels,
            nodes.first_step,
            nodes.colour,
            scene.table,
            style.hot,
            style.fade,
            scene.shaded_step,
            scene.trail,
        )

    def dot(self, scene: Scene, pixels: NDArray[np.uint32]) -> None:
        """Draw a dot in its colour for every finished source: the roads next to a few nodes would hardly be seen."""
        assert scene.geometry is not None
        camera, geometry, nodes = self.camera, scene.geometry, scene.node_colours
        area = geometry.bounds.width * geometry.bounds.height * camera.scale**2
        apart = math.sqrt(area / len(nodes.dots)) / camera.pixel_ratio
        radius = min(max(DOT_SHARE * apart, SMALLEST_DOT), LARGEST_DOT) * camera.pixel_ratio
        stamp_dots(
            pixels,
            nodes.dots,
            nodes.first_step,
            nodes.colour,
            geometry.x,
            geometry.y,
            camera.scale,
            camera.left,
            camera.top,
            scene.table,
            scene.shaded_step,
            radius,
        )

    def glow(self, scene: Scene, pixels: NDArray[np.uint32]) -> int:
        """Stamp the glow of the frontier and its trail onto ``pixels``; return the number of nodes that glow.

        A wide bloom around some nodes, then a bright core on (nearly) all: the light is smooth, and a huge frontier
        costs no more than ``MOST_CORES`` and ``MOST_BLOOM_PIXELS`` allow.
        """
        nodes, weights = frontier_trail(scene)
        if scene.geometry is None or not len(nodes):
            return 0
        ratio = self.camera.pixel_ratio
        octaves = math.log2(max(scene.geometry.typical_line * self.camera.scale / ratio, 1.0))
        wide = round((15 + min(1.5 * octaves, 6.0)) * ratio)
        self._stamp(scene, pixels, nodes, weights, scene.style.bloom(wide), round(MOST_BLOOM_PIXELS * ratio**2))
        core = round((1.0 + min(0.5 * octaves, 1.5)) * ratio)
        sprite = scene.style.core(core)
        return self._stamp(scene, pixels, nodes, weights, sprite, MOST_CORES * sprite.shape[0] ** 2)

    def _stamp(
        self,
        scene: Scene,
        pixels: NDArray[np.uint32],
        nodes: NDArray[np.int32],
        weights: NDArray[np.uint16],
        sprite: NDArray[np.int32],
        most_pixels: int,
    ) -> int:
        assert scene.geometry is not None
        x, y, camera = scene.geometry.x, scene.geometry.y, self.camera
        most = most_pixels // sprite.shape[0] ** 2
        return int(stamp_glow(pixels, nodes, weights, x, y, camera.scale, camera.left, camera.top, sprite, most))


def frontier_trail(scene: Scene) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """Return the frontier nodes of the step shown and of the steps just before, with weights in 256ths by age."""
    trace = scene.trace
    if trace is None or not len(trace) or scene.step < 0:
        return np.zeros(0, np.int32), np.zeros(0, np.uint16)
    last = min(math.floor(scene.step), len(trace) - 1)
    first = max(math.ceil(scene.step - scene.trail), 0)
    if first > last:
        return np.zeros(0, np.int32), np.zeros(0, np.uint16)
    offsets = trace.frontier_offsets[first : last + 2]
    age = np.clip((scene.step - np.arange(first, last + 1)) / scene.trail, 0, 1)
    weights = np.round(256 * (1 - age) ** 2.5).astype(np.uint16)
    return read_only(trace.frontier_nodes[offsets[0] : offsets[-1]]), np.repeat(weights, np.diff(offsets))
