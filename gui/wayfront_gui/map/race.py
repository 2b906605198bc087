"""The maps of a race in the window: that of the active search, and one for each other, all seen with one camera."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage, QResizeEvent
from PySide6.QtWidgets import QWidget

from wayfront_gui.look.theme import Theme
from wayfront_gui.map.frame_share import FrameShare
from wayfront_gui.map.race_picture import RacePicture
from wayfront_gui.map.view import MapView
from wayfront_gui.model.race_layout import GRAPH_TEXTS, Pane, side_by_side, split
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.scene.layers import Layers
from wayfront_gui.scene.scene import Scene


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
        view.map_scene.style, view.map_scene.layers = self.main.map_scene.style, self.main.map_scene.layers
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
        if self._moving or len(maps) < 2 or moved not in maps or moved.map_scene.geometry is None:
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
            self._panes = side_by_side(len(maps), *size, shape=shape, texts=GRAPH_TEXTS if scene.graph else 0)
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
        for view in (*self._others.values(), *self._spare):
            view.set_theme(theme.name)

    def set_text_scale(self, scale: float) -> None:
        """Have texts and marks ``scale`` times their usual size."""
        for view in (*self._others.values(), *self._spare):
            view.set_text_scale(scale)

    def set_colour_map(self, name: str) -> None:
        """Draw distances in the colours of that name."""
        for view in (*self._others.values(), *self._spare):
            view.set_colour_map(name)

    def set_layers(self, layers: Layers) -> None:
        """Show names, water and parks, or not, on every map."""
        for view in (self.main, *self._others.values(), *self._spare):
            view.set_layers(layers)

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
        for view in (*self._others.values(), *self._spare):
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

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """Copies of what the maps show, in their order."""
        return tuple(replace(view.map_scene, hovered=None) for view in self.all_maps)

    def picture(self, scale: float) -> Callable[[], QImage]:
        """Return what draws all maps as they are now, on whatever thread it is called."""
        return RacePicture(
            self.scenes, self.width(), self.height(), scale, split_map=self._split, extent=self.seen
        ).draw

    # -------------------------------------------------------------------------------------------------- events

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Divide the new room."""
        super().resizeEvent(event)
        seen = self.seen
        self._arrange()
        if seen is not None and len(self._panes) > 1:
            self._show(seen)
