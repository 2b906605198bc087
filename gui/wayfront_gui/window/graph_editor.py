"""Draws graphs: joins the tool on the map and the panel to the graph that is open, which is searched as it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from wayfront.errors import NetworkError, WayfrontError
from wayfront.network import editing
from wayfront.network.road_network import RoadNetwork
from wayfront.network.small import SMALL
from wayfront.sources.cache import subfolder
from wayfront_gui.map.graph_editing import GraphPlace
from wayfront_gui.map.view import MapView
from wayfront_gui.model.graph_editing import Picked, find_node, weight_of
from wayfront_gui.scene.geometry import Extent, Plane
from wayfront_gui.scene.graph_marks import GraphMarks
from wayfront_gui.translation import marked, translated, translated_message
from wayfront_gui.widgets.field_over_map import FieldOverMap
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.reports import Reports

FIRST_VIEW = 250_000
"""Microdegrees from the middle to the side of what is seen of a graph without nodes: 250 units of a drawing."""
_KEPT = "graphs"
"""The folder in the cache where a graph that was not saved waits for the next start."""
HELP = marked("Click for a node, drag from node to node for an arc, click a weight and type. Shift-drag moves a node.")


class GraphEditor(QObject):
    """Changes the active slot's network if it is a small graph. Problems are shown over the map."""

    def __init__(self, controller: Controller, view: MapView, reports: Reports) -> None:
        super().__init__(view)
        self._session, self._files = controller.session, controller.files
        self.editing = self._session.graph_editing
        self._view, self._reports = view, reports
        self._showing = False
        self.field = FieldOverMap(view)
        tool = view.graph_tool
        tool.clicked.connect(self._on_clicked)
        tool.joined.connect(self._on_joined)
        tool.moved.connect(self._on_moved)
        tool.dragged.connect(self._show_marks)
        self.editing.changed.connect(self._show_marks)
        self.editing.graph_changed.connect(self._show_graph)
        self._session.network_changed.connect(self._on_network)

    # ------------------------------------------------------------------------------------------------ beginning

    def new_graph(self) -> None:
        """Open a graph without nodes, and draw it."""
        self.end()
        slot = self._session.active
        self._leave_unsaved()
        slot.player.load(None, None)
        self._showing = True
        slot.open(editing.empty_graph(translated("Graph")))
        self._showing = False
        view = Plane.of(self._graph).extent(-FIRST_VIEW, -FIRST_VIEW, FIRST_VIEW, FIRST_VIEW)
        self._view.look_at(view)
        self.begin()

    def begin(self) -> bool:
        """Draw the graph that is open; return whether it is one."""
        network = self._session.active.network
        if network is None or network.coordinates is None or network.node_count > SMALL:
            self._reports.show_problem(
                translated(
                    "Only a graph of at most {most} nodes can be drawn: begin one, or cut one out of this network.",
                    most=SMALL,
                )
            )
            self.editing.changed()  # what was checked for it is to be unchecked
            return False
        if self._session.race.on:
            self._session.race.leave()  # what is drawn is one graph
        self.editing.begin(network)
        self._view.graph_tool.take(True)
        self._reports.show(translated(HELP))
        return True

    def end(self) -> bool:
        """Put the tool away; return whether it was taken."""
        was_on = self.editing.on
        self.field.leave()
        self._view.graph_tool.take(False)
        self.editing.end()
        return was_on

    def _on_network(self) -> None:
        """Put the tool away when another network is opened, and offer what was not saved."""
        network = self._session.active.network
        if not self._showing and network is not self.editing.graph:
            self.end()
            self._leave_unsaved()

    def _leave_unsaved(self) -> None:
        """Offer to go back to a graph that was left with changes that are not saved."""
        graph = self.editing.graph
        if graph is not None and self.editing.unsaved and graph.node_count:
            text = translated("{graph} has changes that are not saved.", graph=graph.name)
            self._reports.tell_once(text, translated("Take it &back"), partial(self._take_back, graph))
            self.editing.mark_saved()

    def _take_back(self, graph: RoadNetwork) -> None:
        self._open(graph)
        self.editing.begin(graph)
        self.editing.mark_saved(False)
        self._view.graph_tool.take(True)
        self._view.fit()

    def keep(self) -> None:
        """Keep a graph that is open and not saved for the next start, which opens it again."""
        slot = self._session.active
        graph, alone = slot.network, len(self._session.slots) == 1
        drawn = graph is self.editing.graph and self.editing.unsaved
        if graph is None or not (drawn or (alone and slot.part is not None)):
            return
        folder = subfolder(_KEPT)
        if folder is not None and graph.node_count:
            with suppress(WayfrontError, OSError):  # a full disk keeps nobody from leaving
                self._files.keep(graph, folder / "unsaved.wayfront")

    def delete(self) -> None:
        """Delete the picked node with its arcs, or the picked arc."""
        self._try(self.editing.delete)

    # -------------------------------------------------------------------------------------------------- typing

    def type_picked(self) -> None:
        """Ask for the picked node's name or the picked arc's weight, over where it stands."""
        picked, tool, graph = self.editing.picked, self._view.graph_tool, self._graph
        if self._view.map_scene.graph is None or not picked:
            return
        if picked.node >= 0:
            name = graph.node_name(picked.node)
            take = partial(self._typed_name, picked.node)
            self.field.ask(tool.disc_area(picked.node), translated("Name of the node"), name, take)
        else:
            metric = graph.metric(self._session.active.metric_name)
            take = partial(self._typed_weight, picked.arc)
            weight = str(int(metric.weights[picked.arc]))
            self.field.ask(tool.weight_area(picked.arc), translated("Weight of the arc"), weight, take)

    def _typed_name(self, node: int, text: str) -> bool:
        return self._graph.node_name(node) == text or self._try(lambda: self.editing.set_name(node, text))

    def _typed_weight(self, arc: int, text: str) -> bool:
        metric = self._session.active.metric_name
        return self._try(lambda: self.editing.set_weight(arc, metric, weight_of(text)))

    # ------------------------------------------------------------------------------------------------ the pointer

    def _on_clicked(self, place: GraphPlace, twice: bool) -> None:
        if place.node >= 0 or place.arc >= 0:
            self.editing.pick(Picked(place.node, place.arc))
            if place.on_weight or twice:
                self.type_picked()
        elif not twice:
            self._try(lambda: self.editing.add_node(self._degrees(place)))

    def _on_joined(self, tail: int, end: GraphPlace) -> None:
        if self._try(lambda: self.editing.join(tail, end.node, self._degrees(end))):
            self.type_picked()

    def _on_moved(self, node: int, place: GraphPlace) -> None:
        self._try(lambda: self.editing.move(node, self._degrees(place)))

    # ------------------------------------------------------------------------------------------------- showing

    @property
    def _graph(self) -> RoadNetwork:
        """The graph that is changed."""
        graph = self.editing.graph if self.editing.on else self._session.active.network
        assert graph is not None
        return graph

    def _try(self, change: Callable[[], None]) -> bool:
        """Make a change; show why not where it cannot be made, and return whether it was."""
        try:
            change()
        except (NetworkError, ValueError) as problem:
            self._reports.show_problem(translated_message(str(problem)))
            return False
        return True

    def _degrees(self, place: GraphPlace) -> tuple[int, int]:
        """Return a place of the map in microdegrees, rounded to a power of ten of them below a pixel."""
        plane, camera = Plane.of(self._graph), self._view.camera()
        degrees = plane.to_degrees(np.array([[place.x, place.y]]))[0]
        pixel = camera.pixel_ratio / camera.scale / plane.upward
        step = 10 ** max(math.floor(math.log10(pixel)), 0)  # no finer than the pointer
        longitude, latitude = (round(float(degree) * 1e6 / step) * step for degree in degrees)
        return longitude, latitude

    def _show_graph(self) -> None:
        """Let the graph as it is now be the open network; the map shows the same part of it as before."""
        graph = self.editing.graph
        if graph is None or graph is self._session.active.network:
            return
        slot = self._session.active
        before, camera, source = slot.network, self._view.camera(), slot.source
        assert before is not None
        called = None if source is None else before.node_name(source)
        self._open(graph)
        self._view.look_at(_moved(camera.extent, Plane.of(before), Plane.of(graph)))
        again = None if called is None else find_node(graph, called)
        if again is not None:
            slot.choose_source(again)
        self._show_marks()

    def _open(self, graph: RoadNetwork) -> None:
        slot = self._session.active
        slot.player.load(None, None)
        self._showing = True
        slot.open(graph, laid_out=slot.laid_out)
        self._showing = False

    def _show_marks(self, tail: int = -1, end: GraphPlace | None = None, moves: bool = False) -> None:
        picked = self.editing.picked
        marks = GraphMarks(picked.node, picked.arc, tail, None if end is None else (end.x, end.y), moves)
        self._view.set_graph_marks(marks if self.editing.on else None)


def _moved(extent: Extent, before: Plane, after: Plane) -> Extent:
    """Return what is seen of the plane before a change as a part of the one after it, whose middle may be another."""
    corners = np.array([[extent.left, extent.bottom], [extent.right, extent.top]])
    (west, south), (east, north) = (before.to_degrees(corners) * 1e6).tolist()
    return after.extent(west, south, east, north)
