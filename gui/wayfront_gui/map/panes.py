"""The maps of a race in the window: that of the active search, and one for each other, all seen with one camera."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QWidget

from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame, FrameShare, Painter
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.offscreen import MARGIN, fitting_camera, image_over, logical
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.map.scene import Layers, Scene
from wayfront_gui.map.view import MapView
from wayfront_gui.ui.theme import THEMES, Theme


class MapPanes(QWidget):
    """Holds the window's map, which shows the active search, and in a race a map for every other search.

    A pan or a zoom in one moves all. ``key`` stands for a search, as its slot's id does.
    """

    map_added = Signal(int)
    """The search that has a new map."""

    def __init__(self, view: MapView) -> None:
        super().__init__()
        self.main = view
        """The window's own map."""
        self._keys: list[int] = []
        self._main_key = 0
        self._others: dict[int, MapView] = {}
        self._spare: list[MapView] = []
        self._panes: list[Pane] = []
        self._split = False
        self._moving = False
        self._asked: Extent | None = None
        """What was seen before the room was divided in another way; None once the maps were moved."""
        self._share = FrameShare()
        view.setParent(self)
        self._watch(view)

    def show_maps(self, keys: Sequence[int], main: int, *, split_map: bool) -> None:
        """Show a map for each of ``keys`` in their order; that of ``main`` is the window's own."""
        seen, before = self.seen, (len(self._panes), self._split)
        self._keys, self._main_key, self._split = list(keys), main, split_map
        for key in [key for key in self._others if key not in keys or key == main]:
            self._hide(self._others.pop(key))
        added = [key for key in keys if key != main and key not in self._others]
        for key in added:
            self._others[key] = self._take_spare()
        self._arrange()
        for key in added:
            self.map_added.emit(key)
        if seen is not None and before != (len(self._panes), split_map):
            self._show(seen)
        else:
            self._follow(self.main)

    def map_of(self, key: int) -> MapView | None:
        """Return the map of a search, None where it has none or the window's own."""
        return self._others.get(key)

    @property
    def all_maps(self) -> list[MapView]:
        """Every map that is shown, in their order."""
        if not self._keys:
            return [self.main]
        return [self.main if key == self._main_key else self._others[key] for key in self._keys]

    @property
    def panes(self) -> list[Pane]:
        """Where the maps are."""
        return list(self._panes)

    def _take_spare(self) -> MapView:
        """Return a map that no search has any more, or a new one."""
        if self._spare:
            view = self._spare.pop()
        else:
            view = MapView(self)
            self._watch(view)
        self._share.join(view.map_item)
        view.map_scene.style, view.map_scene.wanted = self.main.map_scene.style, self.main.map_scene.wanted
        view.show()
        return view

    def _watch(self, view: MapView) -> None:
        view.view_changed.connect(partial(self._follow, view))
        view.node_hovered.connect(partial(self._point, view))

    def _hide(self, view: MapView) -> None:
        view.hide()
        self._share.leave(view.map_item)
        view.set_network(None)
        self._spare.append(view)

    # ---------------------------------------------------------------------------------------------- one camera

    def _follow(self, moved: MapView) -> None:
        """Show on every map what was just moved to on one of them."""
        maps = self.all_maps
        if self._moving:
            return
        self._asked = None
        if len(maps) < 2 or moved not in maps or moved.map_scene.geometry is None:
            return
        self._moving = True
        try:
            whole, here = moved.camera(), self._panes[maps.index(moved)]
            for view, pane in zip(maps, self._panes, strict=True):
                if view is not moved and view.map_scene.geometry is moved.map_scene.geometry:
                    ratio = whole.pixel_ratio
                    left = whole.left + (pane.offset - here.offset) * ratio / whole.scale
                    seen = replace(whole, left=left, width=round(pane.width * ratio), height=round(pane.height * ratio))
                    view.look_at(seen.extent)
        finally:
            self._moving = False

    def _arrange(self) -> None:
        maps = self.all_maps
        scene, size = self.main.map_scene, (self.width(), self.height())
        if self._split:
            self._panes = split(len(maps), *size)
        else:
            shape = 1.0 if scene.geometry is None else scene.home.shape
            self._panes = side_by_side(len(maps), *size, shape=shape, texts=GRAPH_TEXTS if scene.diagram else 0)
        self._moving = True
        try:
            for view, pane in zip(maps, self._panes, strict=True):
                view.show_part(pane.offset, pane.whole_width)
                view.setGeometry(pane.left, pane.top, pane.width, pane.height)
        finally:
            self._moving = False
        sharing = len(maps) > 1
        if sharing and self.main.map_item.share is None:
            self._share.join(self.main.map_item)
        elif not sharing and self.main.map_item.share is not None:
            self._share.leave(self.main.map_item)

    def _point(self, pointed: MapView, node: int) -> None:
        """Point at the same node on every map, also while maps are added and taken away."""
        for view in (self.main, *self._others.values()):
            if view is not pointed and view.map_scene.geometry is pointed.map_scene.geometry:
                view.point_at(node)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._restyle(theme_name=theme.name)

    def set_text_scale(self, scale: float) -> None:
        """Have texts and marks ``scale`` times their usual size."""
        self._restyle(text_scale=scale)

    def set_colour_map(self, name: str) -> None:
        """Draw distances in the colours of that name."""
        self._restyle(colour_map=name)

    def _restyle(self, **changes: Any) -> None:
        for view in (self.main, *self._others.values(), *self._spare):
            with view.changing() as scene:
                scene.style = replace(scene.style, **changes)

    def set_layers(self, layers: Layers) -> None:
        """Show names, water and parks, or not, on every map."""
        for view in (self.main, *self._others.values(), *self._spare):
            with view.changing() as scene:
                scene.wanted = layers

    def camera(self) -> Camera:
        """Return from where the maps are seen: each of them, or a split one as a whole."""
        camera = self.main.camera()
        if not self._panes:
            return camera
        pane, ratio = self._panes[self.all_maps.index(self.main)], camera.pixel_ratio
        left = camera.left - pane.offset * ratio / camera.scale
        return replace(camera, left=left, width=round(pane.whole_width * ratio))

    def set_colours_fitted(self, fitted: bool) -> None:
        """Give what is seen of the maps all colours of distance, or the whole maps."""
        for view in (self.main, *self._others.values(), *self._spare):
            view.set_colours_fitted(fitted)

    @property
    def seen(self) -> Extent | None:
        """What is seen of the plane on a split map as a whole, or on each of several; None without a network."""
        return self.camera().extent if self._panes and self.main.map_scene.geometry is not None else None

    @property
    def pressed(self) -> bool:
        """Whether a button is pressed on any of the maps."""
        return any(view.pressed for view in self.all_maps)

    def _show(self, seen: Extent) -> None:
        """Show the same part of the plane after the room was divided in another way; a whole network stays whole."""
        geometry, pane = self.main.map_scene.geometry, self._panes[self.all_maps.index(self.main)]
        if geometry is None:
            return
        if seen.contains(geometry.home):
            self.main.fit()
        else:
            scale = min(pane.whole_width / (seen.width or 1.0), pane.height / (seen.height or 1.0))
            x, y = seen.middle
            left, top = x - pane.whole_width / scale / 2 + pane.offset / scale, y + pane.height / scale / 2
            self.main.look_at(Camera(scale, left, top, pane.width, pane.height).extent)
        self._follow(self.main)
        self._asked = seen

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """Copies of what the maps show, in their order."""
        return tuple(view.map_scene.copy() for view in self.all_maps)

    def picture(self, scale: float) -> Callable[[], QImage]:
        """Return what draws all maps as they are now, on whatever thread it is called."""
        return RacePicture(
            self.scenes, self.width(), self.height(), scale, split_map=self._split, extent=self.seen
        ).draw

    # -------------------------------------------------------------------------------------------------- events

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the new room; in what it was before, as once a message is gone, the same is seen as before."""
        super().resizeEvent(event)
        seen = self._asked or self.seen
        self._arrange()
        if seen is not None and len(self._panes) > 1:
            self._show(seen)


GAP = 2
"""Between two maps, in pixels."""


GRAPH_TEXTS = 110
"""Pixels over and under a small graph that its caption and its key take; streets may lie under theirs."""


WIDEST = 5.0
"""Width over height of a picture, or height over width, beyond which maps leave room beside them after all."""


@dataclass(frozen=True, slots=True)
class Pane:
    """The rectangle of one map; it shows, of a view ``whole_width`` pixels wide, the part from ``offset`` on."""

    left: int
    top: int
    width: int
    height: int
    offset: int
    whole_width: int


def side_by_side(
    count: int, width: int, height: int, gap: int = GAP, *, shape: float = 1.0, texts: int = 0
) -> list[Pane]:
    """Return ``count`` panes of exactly one size, so that all have the same view: a map of each search.

    Of all numbers of columns that is taken in which a map is largest whose width is ``shape`` times its height, then
    that of the largest panes; ``texts`` are pixels of a pane's height that a map leaves to what is written there.
    """

    def sides(columns: int) -> tuple[int, int]:
        return _side(width, columns, gap), _side(height, -(-count // columns), gap)

    def fits(columns: int) -> tuple[float, int]:
        across, down = sides(columns)
        return min(across / shape, max(float(down - texts), 1.0)), across * down

    columns = max(range(1, count + 1), key=fits)
    across, down = sides(columns)
    return [
        Pane(column * (across + gap), row * (down + gap), across, down, 0, across)
        for row, column in (divmod(index, columns) for index in range(count))
    ]


def full_size(count: int, width: int, height: int, *, shape: float, split_map: bool = False) -> tuple[int, int]:
    """Return a size of about as many pixels as ``width`` × ``height``, which maps of that shape fill to its edges.

    ``shape`` is a map's width over its height. The maps stand in complete rows, of all ways to do so that which comes
    nearest to the form asked for; ``WIDEST`` limits how long and narrow it becomes.
    """
    columns = [1] if split_map else [columns for columns in range(1, count + 1) if count % columns == 0]
    forms = (shape if split_map else shape * number * number / count for number in columns)
    form = min(forms, key=lambda form: abs(math.log(form * height / width)))
    across = math.sqrt(width * height * min(max(form, 1 / WIDEST), WIDEST))
    return round(across), round(width * height / across)


def split(count: int, width: int, height: int, gap: int = GAP) -> list[Pane]:
    """Return ``count`` strips of one map from left to right; the gaps between them hide parts of it."""
    edges = [round(index * (width + gap) / count) for index in range(count + 1)]
    return [Pane(left, 0, max(right - gap - left, 1), max(height, 1), left, width) for left, right in pairwise(edges)]


def _side(length: int, parts: int, gap: int) -> int:
    return max((length - (parts - 1) * gap) // parts, 1)


@dataclass(slots=True, eq=False)
class _Map:
    """One map of the picture: its camera, the frame drawn last, and the pixels that it is coloured into."""

    scene: Scene
    pane: Pane
    camera: Camera
    pixels: NDArray[np.uint32]
    frame: Frame | None = None
    painter: Painter = field(default_factory=Painter)


class RacePicture:
    """Draws the maps of a race, as their scenes are at the moment, into pictures of one size.

    ``width`` and ``height`` count logical pixels, each ``scale`` × ``scale`` physical ones. Shows ``extent`` (metres,
    as in ``MapGeometry.bounds``), or the network as the window shows it at first; all scenes are of one network with a
    map. Needs a QGuiApplication, for its fonts.
    """

    def __init__(
        self,
        scenes: Sequence[Scene],
        width: int,
        height: int,
        scale: float = 1.0,
        *,
        split_map: bool = False,
        extent: Extent | None = None,
    ) -> None:
        self.size = round(width * scale), round(height * scale)
        self._scale = scale
        if split_map:
            panes = split(len(scenes), width, height)
        else:
            geometry = scenes[0].geometry
            shape = 1.0 if geometry is None else (extent or scenes[0].home).shape
            texts = GRAPH_TEXTS if scenes[0].diagram is not None else 0
            panes = side_by_side(len(scenes), width, height, shape=shape, texts=texts)
        # A neighbourhood that was cut out of the network is on a plane of its own, and is shown whole.
        seen = [extent if scene.geometry is scenes[0].geometry else None for scene in scenes]
        self._maps = [self._map(*drawn) for drawn in zip(scenes, panes, seen, strict=True)]

    def _map(self, scene: Scene, pane: Pane, extent: Extent | None) -> _Map:
        assert scene.geometry is not None
        scale = self._scale
        width, height = round(pane.width * scale), round(pane.height * scale)
        margin = 0.0 if extent else MARGIN
        whole = fitting_camera(scene, round(pane.whole_width * scale), height, scale, extent, margin=margin)
        left = whole.left + pane.offset * scale / whole.scale
        camera = replace(whole, left=left, width=width, thickness=scene.style.colours.thickness)
        return _Map(scene, pane, camera, np.empty((height, width), np.uint32))

    @property
    def maps(self) -> list[tuple[Scene, Pane, Camera]]:
        """The maps: what each shows, where it is, and its camera."""
        return [(shown.scene, shown.pane, shown.camera) for shown in self._maps]

    def draw(self) -> QImage:
        """Return a picture of the scenes as they are now."""
        image = QImage(*self.size, QImage.Format.Format_RGB32)
        image.fill(QColor(THEMES[self._maps[0].scene.style.theme_name].interface.line))
        image.setDevicePixelRatio(self._scale)
        painter = QPainter(image)
        try:
            end = self._maps[-1].pane  # right of it may be room for more
            room = QRectF(end.left + end.width + GAP, end.top, self.size[0], self.size[1])
            painter.fillRect(room, QColor(self._maps[0].scene.style.colours.background))
            for shown in self._maps:
                self._paint(painter, shown)
        finally:
            painter.end()
        return image

    def _paint(self, painter: QPainter, shown: _Map) -> None:
        scene, pane, camera = shown.scene, shown.pane, shown.camera
        assert scene.geometry is not None
        drawing = scene.drawing(camera)
        if shown.frame is None or shown.frame.levels is not drawing.levels:
            same = (m.frame for m in self._maps if m.frame is not None and m.camera == camera)
            found = next((frame for frame in same if frame.levels is drawing.levels), None)
            shown.frame = found or Frame.draw(scene.geometry, drawing, camera)
        shown.painter.paint(shown.frame, scene, shown.pixels)
        image = image_over(shown.pixels)
        image.setDevicePixelRatio(self._scale)
        painter.save()
        painter.translate(pane.left, pane.top)
        painter.setClipRect(QRectF(0, 0, pane.width, pane.height))
        painter.drawImage(QPointF(0, 0), image)
        paint_overlay(painter, scene, logical(camera))
        painter.restore()
