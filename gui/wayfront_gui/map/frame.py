"""One picture of the map: the G-buffer of one camera, and its colours as the scene is at the moment. No Qt.

From one step of a search to the next, only what changes is coloured.
"""

from __future__ import annotations

import math
import operator
import time
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.network.details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.found import Tree
from wayfront_gui.map.geometry import MapGeometry, read_only
from wayfront_gui.map.legend import NodeColours
from wayfront_gui.map.raster import NEVER, Drawing, aside, draw_lines, stamp_dots
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.map.shading import (
    TILE_HEIGHT,
    Bloom,
    Grid,
    Lamp,
    Room,
    Tiles,
    changing,
    find_rows,
    find_steps,
    lay_bloom,
    lay_points,
    light_cells,
    light_lines,
    room_for,
    shade,
)
from wayfront_gui.map.street_details import draw_street_details, visible_lines

DOT_SHARE = 0.2
"""Radius of a sampled source's dot, as a share of the distance between two, within …"""
SMALLEST_DOT, LARGEST_DOT = 1.6, 4.5
"""… these logical pixels."""
_ROADS_SHINE = 2.5
"""Octaves of zoom from which on roads shine, not their nodes alone: a typical line is then some cells of light long."""
_SHARED_FROM = 1 << 19
"""Pixels from which on a second core makes the bloom meanwhile, and lays half of the light."""
_NO_STEP = read_only(np.full(1, NEVER, np.uint32))
"""When the nodes of a network that has none are reached: empty pixels look up the first one."""
_WHOLE_PIXEL = 1e-3
"""A camera that is this near to having moved by whole pixels has: Qt's transforms round where a map is."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """The G-buffer of one camera, uint32 [height, width]; which levels it drew, and the processor time it took.

    ``by_line`` says that pixels hold lines instead of nodes, as in ``Drawing``.
    """

    camera: Camera
    levels: NDArray[np.uint8]
    gbuffer: NDArray[np.uint32]
    raster_ms: float
    by_line: bool = False

    @classmethod
    def draw(
        cls, geometry: MapGeometry, drawing: Drawing, camera: Camera, stop: NDArray[np.uint8] | None = None
    ) -> Frame:
        """Raster the lines in a camera's view. ``stop[0]``, set from another thread, ends it early and incomplete."""
        gbuffer = np.zeros((camera.height, camera.width), np.uint32)
        spent = draw_lines(gbuffer, geometry, drawing, camera, np.zeros(1, np.uint8) if stop is None else stop)
        start = time.thread_time()
        if drawing.weights.details:
            draw_street_details(gbuffer, geometry, camera, float(drawing.weights.width[0]))
        spent += (time.thread_time() - start) * 1e3
        return cls(camera, drawing.levels, gbuffer, spent, drawing.by_line)

    def moved(self, geometry: MapGeometry, drawing: Drawing, camera: Camera) -> Frame | None:
        """Return the frame of a camera that was moved by whole pixels: only what comes into view is rastered.

        None where the cameras differ in more than that, or where less than half of the frame stays in view.
        """
        across, down = self.camera.pixels_to(camera)
        columns, rows = round(across), round(down)
        height, width = self.gbuffer.shape
        if self.levels is not drawing.levels or abs(across - columns) + abs(down - rows) > _WHOLE_PIXEL:
            return None
        kept = max(width - abs(columns), 0) * max(height - abs(rows), 0)
        if not self.camera.shows_like(camera) or 2 * kept < width * height:
            return None
        start = time.thread_time()
        gbuffer = np.empty_like(self.gbuffer)
        kept_rows, old_rows = _overlap(rows, height)
        kept_columns, old_columns = _overlap(columns, width)
        gbuffer[kept_rows, kept_columns] = self.gbuffer[old_rows, old_columns]
        whole = slice(0, width)
        for new_rows, new_columns in ((_rest(rows, height), whole), (kept_rows, _rest(columns, width))):
            seen = camera.part(new_rows, new_columns)
            if seen.width and seen.height:
                gbuffer[new_rows, new_columns] = Frame.draw(geometry, drawing, seen).gbuffer
        return replace(self, camera=camera, gbuffer=gbuffer, raster_ms=(time.thread_time() - start) * 1e3)

    def paint(self, scene: Scene, pixels: NDArray[np.uint32]) -> None:
        """Colour the frame into ``pixels`` uint32 [height, width] as the scene is now, with the frontier's glow."""
        Painter().paint(self, scene, pixels)


def _overlap(by: int, size: int) -> tuple[slice, slice]:
    """Return which pixels of a side stay in view when it moves ``by`` pixels, and where they were before."""
    return slice(max(-by, 0), size - max(by, 0)), slice(max(by, 0), size - max(-by, 0))


def _rest(by: int, size: int) -> slice:
    """Return which pixels of a side come into view when it moves ``by`` pixels."""
    return slice(size - by, size) if by >= 0 else slice(0, -by)


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """What shines at a step: nodes int32 [k] with weights in 256ths, as points and as a bloom."""

    geometry: MapGeometry
    nodes: NDArray[np.int32]
    weights: NDArray[np.uint16]
    lamp: Lamp
    bloom: Bloom


class Painter:
    """Colours frames of a scene. It remembers the pixels that it coloured last: nobody else may write to them."""

    def __init__(self) -> None:
        self._painted: tuple[object, ...] = (None,)
        """What the pixels show besides the step: they show something else as soon as one of these is another one."""
        self._step = self._trail = -1.0
        self._tiles, self._steps_known = Tiles.of(0, 0), False
        self._rows = np.zeros(1, np.uint16)
        self._rooms: list[Room | None] = [None, None]
        self.changed: NDArray[np.bool_] | None = None
        """Which tiles [rows, columns] the last painting may have changed; None for all."""

    def paint(self, frame: Frame, scene: Scene, pixels: NDArray[np.uint32]) -> None:
        """Colour a frame into ``pixels`` uint32 [height, width] as the scene is now, with the frontier's glow."""
        glows = scene.trail > 0 and scene.step >= 0
        shared = glows and pixels.size >= _SHARED_FROM
        bloom = partial(self._bloom, frame, scene)
        find_light = aside(bloom) if shared else bloom
        self.shade(frame, scene, pixels)
        if len(scene.node_colours.dots):
            self._dot(frame, scene, pixels)
            self.changed = None
        light = find_light() if glows else None
        if light is not None:
            self._lay(frame, light, pixels, shared=shared)
            if self.changed is not None:
                self.changed |= self._tiles.stale.view(np.bool_)

    def shade(self, frame: Frame, scene: Scene, pixels: NDArray[np.uint32]) -> None:
        """Colour a frame without dots and glow."""
        nodes, style = scene.node_colours, scene.style
        first_step = nodes.first_step if len(nodes.first_step) else _NO_STEP
        table, step, trail, before = scene.table, scene.shaded_step, scene.trail, self._step
        now = (frame, pixels, nodes.first_step, nodes.colour, nodes.dots, table, style.hot)
        same = trail == self._trail and all(map(operator.is_, now, self._painted))
        follows = same and not len(nodes.dots)
        if not follows:
            before = step
            self._tiles, self._steps_known = Tiles.of(*frame.gbuffer.shape), False
        if follows and not self._steps_known:  # while the view moves, finding them would cost more than it saves
            find_steps(frame.gbuffer, first_step, self._tiles)
            self._steps_known = True
        self.changed = changing(self._tiles, step, before, trail) if follows else None
        rows, when = self._rows_at(nodes, step), (step, trail, before)
        shade(frame.gbuffer, pixels, rows, first_step, table.reshape(-1), style.hot, style.fade, *when, self._tiles)
        self._painted, self._step, self._trail = now, step, trail

    def _rows_at(self, nodes: NodeColours, step: float) -> NDArray[np.uint16]:
        """Return where the colours of each node begin in a table at a step; there is one node at least."""
        count = max(len(nodes.first_step), 1)
        if len(self._rows) != count:
            self._rows = np.zeros(count, np.uint16)
        find_rows(nodes.first_step, nodes.colour, np.uint32(max(math.floor(step) + 1, 0)), self._rows)
        return self._rows

    def _dot(self, frame: Frame, scene: Scene, pixels: NDArray[np.uint32]) -> None:
        """Draw a dot in its colour for every finished source: the roads next to a few nodes would hardly be seen."""
        assert scene.geometry is not None
        camera, geometry, nodes = frame.camera, scene.geometry, scene.node_colours
        area = geometry.bounds.width * geometry.bounds.height * camera.scale**2
        apart = math.sqrt(area / len(nodes.dots)) / camera.pixel_ratio
        radius = min(max(DOT_SHARE * apart, SMALLEST_DOT), LARGEST_DOT) * camera.pixel_ratio
        reached, colour, step = nodes.first_step, nodes.colour, scene.shaded_step
        stamp_dots(pixels, nodes.dots, reached, colour, geometry.lines, camera.view, scene.table, step, radius)

    def _bloom(self, frame: Frame, scene: Scene) -> Light | None:
        """Return the light of the frontier and its trail, None where there is none."""
        nodes, weights = frontier_trail(scene)
        if scene.geometry is None or not len(nodes):
            return None
        camera, geometry, style = frame.camera, scene.geometry, scene.style
        octaves = math.log2(max(geometry.typical_line * camera.scale / camera.pixel_ratio, 1.0))
        lamp = style.lamp(octaves, camera.pixel_ratio)

        def shine(light: NDArray[np.float32], grid: Grid) -> None:
            light_cells(light, nodes, weights, geometry.lines, grid)
            if octaves >= _ROADS_SHINE:  # those that were just reached, along their length
                seen, first_step = visible_lines(geometry, camera, lamp.radius), scene.node_colours.first_step
                light_lines(light, seen, geometry.lines, grid, first_step, scene.step, scene.trail, style.fade)

        return Light(geometry, nodes, weights, lamp, Bloom.of(camera, lamp.radius, shine))

    def _lay(self, frame: Frame, light: Light, pixels: NDArray[np.uint32], *, shared: bool) -> None:
        """Lay light over pixels that ``shade`` coloured; ``shared``, another core lays that of the lower half."""
        height = len(pixels)
        middle = light.bloom.middle_row(height) // TILE_HEIGHT * TILE_HEIGHT if shared else height
        lower = partial(self._lay_rows, frame, light, pixels, 1, middle, height)
        lay_lower = aside(lower) if shared else lower
        try:
            self._lay_rows(frame, light, pixels, 0, 0, middle)
        finally:
            lay_lower()

    def _lay_rows(
        self, frame: Frame, light: Light, pixels: NDArray[np.uint32], band: int, first: int, end: int
    ) -> None:
        """Lay light over some rows of pixels, whose first is that of a tile."""
        if first == end:
            return
        bloom, lamp, lines, view = light.bloom, light.lamp, light.geometry.lines, frame.camera.view
        rows, stale, limit = pixels[first:end], self._tiles.stale[first // TILE_HEIGHT :], np.float32(lamp.limit)
        lay_bloom(rows, bloom.strength, bloom.grid, first, lamp.bloom, limit, stale)
        room = self._rooms[band] = room_for(rows.shape, lamp, self._rooms[band])
        lay_points(rows, light.nodes, light.weights, lines, view, first, lamp.core, lamp.sprite, room, stale)


def frontier_trail(scene: Scene) -> tuple[NDArray[np.int32], NDArray[np.uint16]]:
    """Return the frontier nodes of the step shown and of the steps just before, with weights in 256ths by age."""
    trace = scene.found.trace
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


_SAME_PIXELS = 1e-3
"""Views that are this near to each other, in pixels, are one."""


class Sharer(Protocol):
    """A map that shares frames, a ``MapItem``."""

    share: FrameShare | None

    @property
    def settled(self) -> bool: ...  # noqa: D102 - see MapItem

    def update(self) -> Any:
        """Paint again soon."""


class FrameShare:
    """The last frame that any of some maps has drawn, for the others to colour in their own way."""

    def __init__(self) -> None:
        self._items: list[Sharer] = []
        self._geometry: MapGeometry | None = None
        self._frame: Frame | None = None
        self._asked: tuple[Sharer, Camera, NDArray[np.uint8]] | None = None

    def join(self, item: Sharer) -> None:
        """Let a map share frames from now on."""
        item.share = self
        self._items.append(item)

    def leave(self, item: Sharer) -> None:
        """Let a map draw its own frames again."""
        item.share = None
        self._items.remove(item)
        if self._asked is not None and self._asked[0] is item:
            self._asked = None

    def find(self, geometry: MapGeometry, camera: Camera, levels: NDArray[np.uint8]) -> Frame | None:
        """Return the frame of this view with this very camera, if it is the last that was drawn."""
        frame = self._frame
        if frame is None or self._geometry is not geometry or frame.levels is not levels:
            return None
        return replace(frame, camera=camera) if _same_view(frame.camera, camera) else None

    def keep(self, item: Sharer, geometry: MapGeometry, frame: Frame) -> None:
        """Take a frame that a map has drawn, and let those paint again that wait for it."""
        self._geometry, self._frame = geometry, frame
        asked, self._asked = self._asked, None
        if asked is not None:
            for other in self._items:
                if other is not item:
                    other.update()

    def may_ask(self, item: Sharer, camera: Camera, levels: NDArray[np.uint8]) -> bool:
        """Return whether a map is to draw this view in the background: not while another one does."""
        if self._asked is not None:
            asker, its_camera, its_levels = self._asked
            if asker is not item and not asker.settled and _same_view(its_camera, camera) and its_levels is levels:
                return False
        self._asked = (item, camera, levels)
        return True


def _same_view(first: Camera, second: Camera) -> bool:
    """Return whether two cameras see the same pixels: Qt's transforms round where a map was moved to."""
    return first.shows_like(second) and sum(map(abs, first.pixels_to(second))) < _SAME_PIXELS


PARENTS = read_only(np.array([-1, 0], np.int32))
"""Of the network that kernels are loaded with."""


@cache
def warm_up_map(*, bent: bool) -> None:
    """Do as ``warm_up``, once, with what the window's thread calls for a map, of bent arcs or of straight ones."""
    network = two_nodes(bent)
    scene = Scene.of(network)
    scene.wanted = AS_ROADS
    assert scene.geometry is not None
    arcs = np.array([0, 1], np.int32)
    recorder = Recorder(network.out_degrees())
    recorder.add(arcs[:1], 1, 0, StepNote())
    trace = recorder.finish(np.array([0, 0], np.int32), np.array([0, 0], np.int32))
    camera = Camera.fitting(scene.geometry.bounds, 16, 16)
    pixels = np.empty((16, 16), np.uint32)
    for distances in (None, np.array([0, 1], np.int32)):
        scene.show_live(trace, distances)
        frame, painter = Frame.draw(scene.geometry, scene.drawing(camera), camera), Painter()
        for _ in range(2):  # a second time it looks for what has changed
            painter.paint(frame, scene, pixels)
    scene.found = replace(scene.found, nodes=replace(scene.found.nodes, dots=arcs[:1]))
    Frame.draw(scene.geometry, scene.drawing(camera), camera).paint(scene, pixels)
    chains = scene.geometry.chains
    if chains is not None:
        chains.levels_of_tree(PARENTS, chains.tree_arcs(PARENTS, read_only(network.metrics[0].weights)))
    scene.found, scene.mode = replace(scene.found, tree=Tree(scene.geometry, PARENTS)), "tree"
    scene.drawing(camera)
    draw_street_details(np.zeros((16, 16), np.uint32), scene.geometry, camera, 1.0)
    scene.geometry.nearest_node(0.0, 0.0)


def two_nodes(bent: bool) -> RoadNetwork:
    """Return a network of two nodes, with a bend between them if arcs are bent."""
    arcs = np.array([0, 1], np.int32)
    shapes = Shapes(np.array([0, 1, 2]), np.array([[500, 500], [500, 500]], np.int32)) if bent else None
    return RoadNetwork.from_arcs(
        name="two nodes",
        node_count=2,
        tails=arcs,
        heads=arcs[::-1],
        metrics=[Metric("length", "m", 1, np.ones(2, np.int32))],
        coordinates=np.array([[0, 0], [1000, 500]], np.int32),
        road_class=np.zeros(2, np.uint8),
        shapes=shapes,
    )
