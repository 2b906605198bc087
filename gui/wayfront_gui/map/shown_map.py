"""What a map in the window shows: a network, and on it a search, a tree, routes, closed roads and more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QHideEvent
from PySide6.QtWidgets import QGraphicsView, QWidget

from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result
from wayfront.trace.schema import Trace
from wayfront_gui.map.map_item import MapItem
from wayfront_gui.model.pairs import Measure, Pairs
from wayfront_gui.model.race import Caption
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.graph_marks import GraphMarks
from wayfront_gui.scene.isochrones import Isochrones
from wayfront_gui.scene.layers import Layers
from wayfront_gui.scene.lesson_marks import LessonMarks
from wayfront_gui.scene.node_colours import NodeColours
from wayfront_gui.scene.scene import Drawn, Scene
from wayfront_gui.scene.style import Style


class ShownMap(pg.GraphicsView):
    """A scene in a view: each ``set_…`` and ``show_…`` changes the scene and paints it soon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, useOpenGL=False, background=None)
        self.map_scene = Scene()
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._box = pg.ViewBox(lockAspect=1.0, enableMouse=False, enableMenu=False, defaultPadding=0.0)
        self._box.disableAutoRange()
        self.setCentralItem(self._box)
        self.map_item = MapItem(self.map_scene)
        self._box.addItem(self.map_item, ignoreBounds=True)

    def set_network(self, network: RoadNetwork | None) -> None:
        """Show a network, whole and without a search; None shows an empty map.

        A network without coordinates also shows an empty map; ``set_message`` says why. Raises ``NetworkError``
        for one with more nodes than a pixel can name.
        """
        drawable = network if network is not None and network.coordinates is not None else None
        old = self.map_scene
        self.map_scene = Scene.of(drawable, old.style)
        self.map_scene.message, self.map_scene.scale_bar = old.message, old.scale_bar
        self.map_scene.layers = old.layers
        self.map_item.map_scene = self.map_scene
        self.map_item.forget_frame()

    def set_message(self, text: str) -> None:
        """Set the sentence that is shown in the middle while there is no map."""
        self.map_scene.message = text
        self.map_item.refresh()

    def set_result(self, result: Result | None) -> None:
        """Show a finished search (mode and step stay), or none. Raises ``NetworkError`` if of another network."""
        if result is None:
            self.map_scene.forget_search()
        else:
            self.map_scene.show_result(result)
        self.map_item.refresh()

    def set_dragged(self, drawn: Drawn | None, asked_at: float) -> None:
        """Show the picture of a tree that follows the mouse, asked for at a ``time.perf_counter()``; None ends that."""
        self.map_scene.dragged = drawn
        if drawn is None:
            self.map_scene.latency = ""
        self.map_item.asked_at = None if drawn is None else asked_at
        self.map_item.refresh()

    def set_live(self, trace: Trace, distances: NDArray[Any] | None) -> None:
        """Show a search that still runs, at its latest step. Raises ``NetworkError`` if of another network."""
        self.map_scene.show_live(trace, distances)
        self.map_item.refresh()

    def set_pairs(self, pairs: Pairs, measure: Measure) -> None:
        """Show what a search for all pairs found so far (step and route stay). Raises ``NetworkError`` as above."""
        self.map_scene.show_pairs(pairs, measure)
        self.map_item.refresh()

    def show_step(self, step: float, *, settled: bool = False) -> None:
        """Show the search at a step, which may be fractional; below 0 nothing is reached.

        ``settled`` shows all pairs found, without the glow of a step.
        """
        scene = self.map_scene
        scene.mode, scene.step, scene.settled = "search", float(step), settled
        self.map_item.show_step()

    def show_tree(self) -> None:
        """Show the finished tree of the result."""
        self.map_scene.mode = "tree"
        self.map_item.refresh()

    def set_source(self, node: int | None) -> None:
        """Move the source marker, or take it away."""
        self.map_scene.source = node
        self.map_item.show_source()

    def set_route(
        self, nodes: NDArray[np.int32] | None, further: Sequence[NDArray[np.int32]] = (), targets: tuple[int, ...] = ()
    ) -> None:
        """Show a route, the nodes from the source to the target, and further ones to others of the ``targets``.

        None or empty shows none.
        """
        self.map_scene.set_route(nodes, further, targets)
        self.map_item.update()

    def set_target(self, node: int | None) -> None:
        """Move the target marker, or take it away, while the route to it is not known."""
        self.map_scene.target = node
        self.map_item.update()

    def set_detour(self, colours: NodeColours | None) -> None:
        """Show what closed roads cost wherever a finished tree is shown, or the tree itself."""
        self.map_scene.detour = colours
        self.map_item.refresh()

    def set_closed(self, roads: ClosedRoads | None) -> None:
        """Cross out the closed roads."""
        self.map_scene.closed = roads
        self.map_item.update()

    def set_pointed(self, roads: ClosedRoads | None) -> None:
        """Show which roads the tool would change now."""
        self.map_scene.pointed = roads
        self.map_item.update()

    def set_depots(self, candidates: tuple[int, ...], depots: tuple[int, ...], colours: NodeColours | None) -> None:
        """Show where depots could be and are to be; ``colours`` of how far the nearest is take a search's place."""
        self.map_scene.candidates, self.map_scene.depots, self.map_scene.served = candidates, depots, colours
        self.map_item.refresh()

    def set_difference(self, colours: NodeColours | None) -> None:
        """Show where a search differs from another, or the search."""
        if colours is not self.map_scene.difference:
            self.map_scene.difference = colours
            self.map_item.refresh()

    def set_isochrones(self, isochrones: Isochrones | None) -> None:
        """Show bands of distance, or what is shown without them."""
        self.map_scene.isochrones = isochrones
        self.map_item.refresh()

    def set_marks(self, marks: LessonMarks) -> None:
        """Show what a lesson points out."""
        if marks != self.map_scene.marks:
            self.map_scene.marks = marks
            self.map_item.update()

    def set_critical(self, roads: ClosedRoads | None) -> None:
        """Show the most critical road, or none."""
        self.map_scene.critical = roads
        self.map_item.update()

    def set_theme(self, name: str) -> None:
        """Choose one of ``look.theme.THEMES``."""
        self._set_style(replace(self.map_scene.style, theme_name=name))

    def set_colour_map(self, name: str) -> None:
        """Choose one of ``look.colour_maps.COLOUR_MAPS``."""
        self._set_style(replace(self.map_scene.style, colour_map=name))

    def set_text_scale(self, scale: float) -> None:
        """Have texts and marks ``scale`` times their usual size."""
        self._set_style(replace(self.map_scene.style, text_scale=scale))

    def set_layers(self, layers: Layers) -> None:
        """Show names, water and parks, or not."""
        self.map_scene.layers = layers
        self.map_item.refresh()

    def set_scale_bar(self, visible: bool) -> None:
        """Show a scale bar or not: it means nothing on a layout that is not a map."""
        self.map_scene.scale_bar = visible
        self.map_item.update()

    def _set_style(self, style: Style) -> None:
        self.map_scene.style = style
        self.map_item.refresh()

    def point_at(self, node: int) -> None:
        """Mark a node that the pointer is over on another map, -1 for none."""
        self.map_scene.hovered = node if node >= 0 else None
        self.map_item.update()

    def set_graph_marks(self, marks: GraphMarks | None) -> None:
        """Mark what is picked of a graph that is being drawn, and what the pointer draws."""
        if marks != self.map_scene.graph_marks:
            self.map_scene.graph_marks = marks
            self.map_item.update()

    def set_caption(self, caption: Caption | None) -> None:
        """Say what races here, or nothing."""
        if caption != self.map_scene.caption:
            self.map_scene.caption = caption
            self.map_item.update()

    def sizeHint(self) -> QSize:
        """Return a large size: the map is the main part of the window."""
        return QSize(1200, 800)

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the raster thread while the map is hidden."""
        self.map_item.stop()
        super().hideEvent(event)

    def close(self) -> bool:
        """Close the widget. What pyqtgraph does here instead, taking the viewport away, crashes Qt 6.11."""
        return QWidget.close(self)

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the raster thread."""
        self.map_item.stop()
        super().closeEvent(event)
