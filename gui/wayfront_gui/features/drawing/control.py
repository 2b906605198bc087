"""Draws graphs: joins the tool on the map and the panel to the graph that is open, which is searched as it is."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import numpy as np
from PySide6.QtCore import QObject

from wayfront.network import small_graphs as editing
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkError, WayfrontError
from wayfront.sources.cache import subfolder
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.undo import Undo
from wayfront_gui.features.drawing.layer import GraphMarks
from wayfront_gui.features.drawing.state import GraphEditing, Picked, find_node, weight_of
from wayfront_gui.features.drawing.tool import GraphPlace, GraphTool
from wayfront_gui.features.small_graphs.graph import disc_radius
from wayfront_gui.features.small_graphs.layer import graph_of
from wayfront_gui.map.geometry import Extent, Plane
from wayfront_gui.ui.cards import FieldOverMap
from wayfront_gui.ui.translation import marked, translated, translated_message

FIRST_VIEW = 250_000
"""Microdegrees from the middle to the side of what is seen of a graph without nodes: 250 units of a drawing."""
DISCS_FROM_EDGE = 1.8
"""Radii that discs keep from the edges of the map: labels stand beside them."""
LEAST_SIZE = 0.6
"""Share of the size with which a graph would fill the map, below which one that was typed is fitted to it."""
_KEPT = "graphs"
"""The folder in the cache where a graph that was not saved waits for the next start."""
TOOL = "drawing"
TAKE_BACK = marked("Take it &back")
HELP = marked("Click for a node, drag from node to node for an arc, click a weight and type. Shift-drag moves a node.")


class GraphEditor(QObject):
    """Changes the active slot's network if it is a small graph. Problems are shown over the map."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session, self._files = host, host.session, host.controller.files
        self.editing = self._session.state(GraphEditing)
        self._view, self._reports = host.view, host.reports
        self._showing = self._at_pointer = self._drawing = False
        self.field = FieldOverMap(host.view)
        host.tools.add(TOOL, self.end)
        host.control(Undo).take_turns_with(self.editing)
        tool = host.view.tool(GraphTool)
        tool.clicked.connect(self._on_clicked)
        tool.joined.connect(self._on_joined)
        tool.moved.connect(self._on_moved)
        tool.dragged.connect(self._show_marks)
        self.editing.changed.connect(self._show_marks)
        self.editing.changed.connect(self._show_drawing)
        self.editing.graph_changed.connect(self._show_graph)
        self._session.network_changed.connect(self._on_network)
        self._files.network_saved.connect(self.editing.note_saved)
        host.closing.connect(self.keep)
        self._show_drawing()

    # ------------------------------------------------------------------------------------------------ beginning

    @command("file.new", "&New graph", keys=("Ctrl+N",), hint="Draw a graph of one's own, from nothing", at=(1, 1))
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

    @command(
        "edit.graph",
        "&Draw graph",
        keys=("Ctrl+D",),
        hint="Change a small graph: click for nodes, drag for arcs, type weights",
        at=(2, 1),
        checkable=True,
    )
    def draw(self, wanted: bool) -> None:
        """Take the tool that changes the graph, or put it away."""
        if wanted:
            self.begin()
        else:
            self.end()

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
        if self._session.several:
            self._session.keep_active()  # what is drawn is one graph
        self.editing.begin(network)
        self._view.tool(GraphTool).take(True)
        self._reports.show(translated(HELP))
        return True

    def end(self) -> bool:
        """Put the tool away; return whether it was taken."""
        was_on = self.editing.on
        self.field.leave()
        self._view.tool(GraphTool).take(False)
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
            self._reports.report_once(text, translated(TAKE_BACK), partial(self._take_back, graph))
            self.editing.mark_saved()

    def _take_back(self, graph: RoadNetwork) -> None:
        self._open(graph)
        self.editing.begin(graph)
        self.editing.mark_saved(False)
        self._view.tool(GraphTool).take(True)
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

    @command("edit.delete", "D&elete", keys=("Delete",), hint="Delete the picked node or arc of the graph", at=(2, 3))
    def delete(self) -> None:
        """Delete the picked node with its arcs, or the picked arc."""
        self._try(self.editing.delete)

    # -------------------------------------------------------------------------------------------------- typing

    @command(
        "edit.type", "&Type name or weight", keys=("F2",), hint="Type the picked node's name or arc's weight", at=(2, 2)
    )
    def type_picked(self) -> None:
        """Ask for the picked node's name or the picked arc's weight, over where it stands."""
        picked, tool, graph = self.editing.picked, self._view.tool(GraphTool), self._graph
        if graph_of(self._view.map_scene) is None or not picked:
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
        """Make a change on the map; show why not where it cannot be made, and return whether it was."""
        self._at_pointer = True
        try:
            change()
        except (NetworkError, ValueError) as problem:
            self._reports.show_problem(translated_message(str(problem)))
            return False
        finally:
            self._at_pointer = False
        return True

    def _degrees(self, place: GraphPlace) -> tuple[int, int]:
        """Return a place of the map in microdegrees, rounded to a power of ten of them below a pixel."""
        plane, camera = Plane.of(self._graph), self._view.camera()
        degrees = plane.to_degrees(np.array([[place.x, place.y]]))[0]
        pixel = camera.pixel_ratio / camera.scale / plane.upward
        step = 10 ** max(math.floor(math.log10(pixel)), 0)  # no finer than the pointer
        longitude, latitude = (round(float(degree) * 1e6 / step) * step for degree in degrees)
        return longitude, latitude

    def _show_drawing(self) -> None:
        """Show the panel of the graph when the tool that draws it is taken, and put the other tools away."""
        on, before, self._drawing = self.editing.on, self._drawing, self.editing.on
        if on and not before:
            self._host.tools.taken(TOOL)
            self._host.panels.show("drawing", True)
        self._host.actions["edit.graph"].setChecked(on)
        for name in ("edit.type", "edit.delete"):
            self._host.actions[name].setEnabled(on and bool(self.editing.picked))

    def _show_graph(self) -> None:
        """Let the graph as it is now be the open network; the map shows the same part of it as before.

        A graph that was seen whole stays so, and large enough to be read, where nodes were typed: they lie anywhere.
        """
        graph = self.editing.graph
        if graph is None or graph is self._session.active.network:
            return
        self.field.leave()  # its node or arc may be gone: a menu changes the graph while something is typed
        slot = self._session.active
        before, camera, source = slot.network, self._view.camera(), slot.source
        assert before is not None
        called = None if source is None else before.node_name(source)
        fitted = self._view.seen is None
        whole = not self._at_pointer and (fitted or self._is_seen(0.0)) and _lies_elsewhere(before, graph)
        self._open(graph)
        self._view.look_at(_moved(camera.extent, Plane.of(before), Plane.of(graph)))
        if whole and (fitted or self._view.size_seen < LEAST_SIZE or not self._is_seen(DISCS_FROM_EDGE)):
            self._view.fit()
        again = None if called is None else find_node(graph, called)
        if again is not None:
            slot.choose_source(again)
        self._show_marks()

    def _is_seen(self, discs: float) -> bool:
        """Return whether all nodes are on the map, so many radii of their discs from its edges."""
        graph, camera = graph_of(self._view.map_scene), self._view.camera()
        if graph is None:
            return True
        edge = discs * disc_radius(graph, camera)
        x, y = camera.to_pixels(graph.x, graph.y)
        inside = (x >= edge) & (x <= camera.width - edge) & (y >= edge) & (y <= camera.height - edge)
        return bool(inside.all())

    def _open(self, graph: RoadNetwork) -> None:
        slot = self._session.active
        slot.player.load(None, None)
        self._showing = True
        slot.open(graph, laid_out=slot.laid_out)
        self._showing = False

    def _show_marks(self, tail: int = -1, end: GraphPlace | None = None, moves: bool = False) -> None:
        picked = self.editing.picked
        marks = GraphMarks(picked.node, picked.arc, tail, None if end is None else (end.x, end.y), moves)
        self._view.set_layer("drawing", marks if self.editing.on else None)


def _lies_elsewhere(before: RoadNetwork, after: RoadNetwork) -> bool:
    """Return whether a graph of several nodes has other places than before."""
    return after.node_count > 1 and not np.array_equal(before.coordinates, after.coordinates)  # type: ignore[arg-type]


def _moved(extent: Extent, before: Plane, after: Plane) -> Extent:
    """Return what is seen of the plane before a change as a part of the one after it, whose middle may be another."""
    corners = np.array([[extent.left, extent.bottom], [extent.right, extent.top]])
    (west, south), (east, north) = (before.to_degrees(corners) * 1e6).tolist()
    return after.extent(west, south, east, north)
