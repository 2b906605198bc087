"""Joins the map's tool for roads to the active slot: closes, reopens, and describes what is under the pointer."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF

from wayfront.network.arcs import arcs_between, joining_arcs, read_closures, write_closures
from wayfront.network.geopackage import GEOPACKAGE
from wayfront.network.road_network import RoadNetwork
from wayfront.results.layers import GEOJSON
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront_gui.app.commands import command
from wayfront_gui.app.engine_thread import Asked
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as, with_suffix
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.app.slot_control import SlotControl
from wayfront_gui.app.undo import Undo
from wayfront_gui.features.closures.costs import Critical, CriticalRoad, Detours, busiest, most_critical
from wayfront_gui.features.closures.files import CSV, write_detours, write_ranking
from wayfront_gui.features.closures.layer import ClosedRoads, detour_colours
from wayfront_gui.features.closures.roads import Stroke, arcs_of_lines, lines_near, road_of_arc
from wayfront_gui.features.closures.tool import RoadStroke, RoadTool
from wayfront_gui.features.closures.turn_control import TurnControl
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.subtrees import subtree_sizes
from wayfront_gui.map.view import MapView
from wayfront_gui.session.closures import NO_ARCS, Arcs, RoadAction, as_arcs, describe_road
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.searching.prepared import Prepared


NEAR = 160.0
"""How far from the pointer roads are near it, in logical pixels."""
MOST_TRIED = 64
"""Lines near a click among which a closed one is looked for."""
TOOL = "roads"
TABLES = marked("Closed roads (*.csv);;All files (*)")
TABLE = {marked("CSV table (*.csv)"): CSV}
PACKAGE = {marked("GeoPackage, for GIS (*.gpkg)"): GEOPACKAGE}
NODES = {marked("Points for maps and GIS (*.geojson)"): GEOJSON, **PACKAGE, marked("Parquet (*.parquet)"): ".parquet"}
LINES = {marked("Lines for maps and GIS (*.geojson)"): GEOJSON, **PACKAGE}
TOOL_NEWS = {
    RoadAction.CLOSE: marked("Click roads to close them, or drag over them. L lists them, Esc ends closing."),
    RoadAction.REOPEN: marked("Click closed roads to reopen them, or drag over them. Esc ends reopening."),
}
_ENDS = re.compile(r"\s*+(-?\d{1,19})(\s*+(?:-|,|to)|\s)\s*+(-?\d{1,19})\s*+", re.ASCII)


class RoadControl(QObject):
    """Closes and reopens roads, by the tool on the map, by their ends' ids and by tables, and shows what that costs."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._controller, self._session = host, host.controller, host.session
        self._view, self._actions, self._reports = host.view, host.actions, host.reports
        self._panel_was_shown = False
        tool = host.view.tool(RoadTool)
        tool.drawn.connect(self._on_drawn)
        tool.pointed.connect(self._on_pointed)
        tool.ended.connect(host.control(Undo).note)
        tool.ended.connect(self._end_stroke)
        host.tools.add(TOOL, self.leave_tool)
        maps = host.control(MapSync)
        maps.follow(lambda slot: (slot.closures_changed,), _show_closed)
        maps.follow(lambda slot: (slot.state(Detours).changed,), _show_detour)
        maps.follow(lambda slot: (slot.state(Critical).changed,), _show_critical)
        for changed in (self._session.closures_changed, self._session.network_changed):
            changed.connect(self._show_state)
        self._session.changed(Detours).connect(self._show_detours)
        self._session.changed(Critical).connect(self._show_state)
        self._controller.files.closes_roads = self.close_table
        self._show_state()

    @property
    def network(self) -> RoadNetwork | None:
        """The open network, None where it has no map."""
        network = self._session.active.network
        return None if network is None or network.coordinates is None else network

    def take_tool(self, action: RoadAction | None) -> None:
        """Take the tool that closes or reopens roads, which puts other tools away, or put it away."""
        self._view.tool(RoadTool).choose(action)
        for each in RoadAction:
            self._actions[f"roads.{each}"].setChecked(action is each)
        if action is not None:
            self._host.tools.taken(TOOL)

    def leave_tool(self) -> bool:
        """Put the tool away; return whether there was one."""
        chosen = self._view.tool(RoadTool).action is not None
        if chosen:
            self.take_tool(None)
        return chosen

    def near_pointer(self) -> Arcs:
        """Return the arcs of all roads near the pointer, or near the middle of the map while it is elsewhere."""
        network = self.network
        if network is None:
            return NO_ARCS
        pos, camera = self._view.pointer or QPointF(self._view.rect().center()), self._view.camera()
        ratio = camera.pixel_ratio
        x, y = camera.to_plane(pos.x() * ratio, pos.y() * ratio)
        lines = lines_near(MapGeometry.of(network), Stroke(x, y, x, y), NEAR * ratio / camera.scale)
        return as_arcs(arcs_of_lines(network, lines))

    def _on_drawn(self, stroke: RoadStroke) -> None:
        network, closures = self.network, self._session.active.closures
        if network is None:
            return
        arcs = self._meant(network, stroke)
        if stroke.action is RoadAction.CLOSE:
            closures.close(arcs, in_stroke=True)
        else:
            closures.reopen(arcs, in_stroke=True)
        if len(arcs) == 0 and stroke.is_click:
            closing = stroke.action is RoadAction.CLOSE
            self._reports.show(
                translated("There is no road near the pointer: zoom in, and click on one.")
                if closing
                else translated("There is no closed road near the pointer: zoom in, and click on one.")
            )

    def _on_pointed(self, stroke: RoadStroke | None) -> None:
        network = self.network
        arcs = NO_ARCS if network is None or stroke is None else self._meant(network, stroke)
        if network is None or stroke is None or not len(arcs):
            self._view.take_away("pointed")
            self._host.status.show_hover("")
            return
        self._view.set_layer("pointed", ClosedRoads.of(network, arcs, "pointed"))
        metric = self._session.active.metric or network.metrics[0]
        verb = translated("Close") if stroke.action is RoadAction.CLOSE else translated("Reopen")
        self._host.status.show_hover(f"{verb} {describe_road(network, arcs, metric)}")

    def _meant(self, network: RoadNetwork, stroke: RoadStroke) -> Arcs:
        """Return the arcs that a stroke means to close or reopen."""
        if stroke.action is RoadAction.REOPEN and stroke.is_click:
            return self._nearest_closed(network, stroke)
        lines = stroke.lines[:1] if stroke.is_click else stroke.lines
        towards = None if stroke.towards_b is None else stroke.towards_b[: len(lines)]
        return as_arcs(arcs_of_lines(network, lines, towards))

    def _nearest_closed(self, network: RoadNetwork, stroke: RoadStroke) -> Arcs:
        """Return the closed arcs of the nearest road that is closed."""
        closed = self._session.active.closures.arcs
        for line in stroke.lines[:MOST_TRIED] if len(closed) else ():
            arcs = np.intersect1d(arcs_of_lines(network, np.array([line], np.int32)), closed)
            if len(arcs):
                return as_arcs(arcs)
        return NO_ARCS

    # --------------------------------------------------------------------------------------- closing, reopening

    @command(
        "roads.close",
        "&Close roads",
        keys=("C",),
        hint="Close the road clicked, or all dragged over; Shift closes one direction, the right button reopens",
        at=(1, 1),
        argument=RoadAction.CLOSE,
        checkable=True,
    )
    @command(
        "roads.reopen",
        "&Reopen roads",
        keys=("Shift+C",),
        hint="Reopen the closed road clicked, or all dragged over",
        at=(1, 2),
        argument=RoadAction.REOPEN,
        checkable=True,
    )
    def choose_tool(self, action: str, chosen: bool) -> None:
        """Take the tool that closes or reopens roads, or put it away."""
        self.take_tool(RoadAction(action) if chosen else None)
        self._reports.show(TOOL_NEWS[RoadAction(action)] if chosen else "")

    @command(
        "roads.close_ids", "Close by &node ids…", keys=("Ctrl+L",), hint="Close a road by its ends' ids", at=(1, 3)
    )
    def ask_road(self) -> None:
        """Ask for the ends of a road and close it both ways."""
        self._host.question.ask(translated("Close the road between nodes… (two ids: 12-57)"), self._answer_road)

    def _answer_road(self, answer: str) -> None:
        network = self._session.active.network
        if network is None:
            raise NetworkError("Open a network first.")
        ends = _ENDS.fullmatch(answer)
        if ends is None:
            raise NetworkError("A road is named by the ids of its two ends, as in 12-57.")
        one, other = np.array([network.node(int(ends[1]))]), np.array([network.node(int(ends[3]))])
        self._session.active.closures.close(as_arcs(_between(network, one, other)))

    @command(
        "roads.reopen_all", "Reopen &all", keys=("Ctrl+Shift+C",), hint="Reopen every closed road and turn", at=(1, 4)
    )
    def reopen_all(self) -> None:
        """Reopen every closed road, and every closed turn."""
        self._session.active.closures.replace(NO_ARCS)
        self._host.control(TurnControl).replace(())

    # ---------------------------------------------------------------------------------------------- the list

    @command("roads.open", "&Open closed roads…", hint="Close the roads, or the turns, of a CSV table", at=(3, 1))
    def open_list(self) -> None:
        """Ask for a table and close its roads, and no others."""
        network = self._session.active.network
        if network is None:
            self._reports.show_problem(translated("Open a network first; a table of closed roads belongs to one."))
            return
        path = self._host.dialogs.open(translated("Open closed roads"), translated(TABLES))
        if path:
            self.close_table(path)

    def close_table(self, path: str) -> None:
        """Close the roads of a table, and no others; a table that cannot be read changes nothing."""
        slot, turns = self._session.active, self._host.control(TurnControl)
        assert slot.network is not None
        if turns.takes(path):
            turns.close_table(path)
            return
        job = ReadClosuresJob(path, slot.network, slot.id)
        self._controller.worker.submit(job, partial(self._on_table, slot, slot.network))

    def _on_table(self, slot: Slot, network: RoadNetwork, arcs: Arcs) -> None:
        if slot.network is network:
            slot.closures.replace(arcs)

    @command("roads.save", "&Save closed roads…", hint="Save the closed roads as a CSV table", at=(3, 2))
    def save_list(self) -> None:
        """Ask where and save a table of the closed roads."""
        slot = self._session.active
        if slot.network is None or not len(slot.closures.arcs):
            self._reports.show_problem(translated("There are no closed roads to save yet: close one first (C)."))
            return
        path, _ = self._host.dialogs.save(translated("Save closed roads"), "closed-roads.csv", translated(TABLES))
        if path:
            write = partial(write_closures, network=slot.network, arcs=slot.closures.arcs)
            self._controller.files.save(with_suffix(path, ".csv"), write)

    # ------------------------------------------------------------------------------------------- what it costs

    @command(
        "roads.detours",
        "D&etour view",
        keys=("V",),
        hint="Colour nodes by how much farther closed roads made them",
        at=(2, 1),
        checkable=True,
    )
    def show_detours(self, wanted: bool) -> None:
        """Colour nodes by how much farther they became, or show the tree."""
        slot = self._session.active
        slot.state(Detours).want(wanted)
        if wanted:
            self._show_panel_once()
            self._controller.show_tree(True)
        if wanted and not len(slot.closures.arcs):
            self._reports.show(translated("The detour view shows what closed roads cost: close one (C)."))

    @command(
        "roads.critical",
        "&Most critical road",
        keys=("K",),
        hint="Find the road near the pointer whose closure costs most",
        at=(2, 2),
    )
    def find_critical(self) -> None:
        """Find the road near the pointer whose closure costs most."""
        slot = self._session.active
        if slot.tree is None or slot.live is not None:
            self._reports.show(
                translated("Search for one tree first; then K finds the most critical road near the pointer.")
            )
            return
        self._show_panel_once()
        job = CriticalJob(slot.tree, self.near_pointer(), slot.id)
        self._controller.worker.submit(job, partial(self._on_critical, slot))

    def _show_panel_once(self) -> None:
        """Show the panel that has the figures, unless a person has hidden it since it was first shown so."""
        if not self._panel_was_shown:
            self._panel_was_shown = True
            self._actions["view.closures"].setChecked(True)
            self._host.panels.show("closures", True)

    def _on_critical(self, slot: Slot, found: CriticalRoad | None) -> None:
        slot.state(Critical).take(found)
        if found is None:
            self._reports.show(translated("No road near the pointer is in the tree: zoom out, or point elsewhere."))
        elif slot.state(Critical).road is found:
            self._reports.show(translated("{road} Shift+K closes it.", road=found.text))

    @command("roads.close_critical", "Close the mos&t critical road", keys=("Shift+K",), at=(2, 3))
    def close_critical(self) -> None:
        """Close the most critical road that was found."""
        slot = self._session.active
        if (found := slot.state(Critical).road) is None:
            self._reports.show(translated("Find the most critical road near the pointer first (K)."))
        else:
            slot.closures.close(found.arcs)

    @command(
        "roads.save_detours",
        "Save &detours…",
        hint="Save how much farther closed roads made every node, as CSV, GeoJSON, GeoPackage or Parquet",
        at=(3, 3),
    )
    def save_detours(self) -> None:
        """Ask where and save what the detour view shows of every node."""
        slot = self._session.active
        tree, found = slot.tree, slot.state(Detours).found
        if tree is None or found is None:
            self._reports.show_problem(
                translated("There are no detours to save yet: close a road (C), and show the detour view (V).")
            )
            return
        save_as(self._host, translated("Save detours"), "detours", TABLE | NODES, partial(write_detours, tree, found))

    @command(
        "roads.save_ranking",
        "Sa&ve critical roads…",
        hint="Save all roads that were tried, the most critical one first, as CSV, GeoJSON or GeoPackage",
        at=(3, 4),
    )
    def save_ranking(self) -> None:
        """Ask where and save the roads among which the most critical one was found."""
        found = self._session.active.state(Critical).road
        if found is None:
            self._reports.show_problem(translated("Find the most critical road near the pointer first (K)."))
            return
        kinds, write = TABLE | LINES, partial(write_ranking, found)
        save_as(self._host, translated("Save critical roads"), "critical-roads", kinds, write)

    def _end_stroke(self) -> None:
        self._controller.active.end_stroke()

    def _show_detours(self) -> None:
        self._show_state()
        found = self._session.active.state(Detours).found
        if found is not None:
            self._reports.show(f"{found.text}.")

    def _show_state(self) -> None:
        slot = self._session.active
        self._actions["roads.reopen_all"].setEnabled(len(slot.closures.arcs) > 0 or bool(slot.turns))
        self._actions["roads.close_critical"].setEnabled(slot.state(Critical).road is not None)
        self._actions["roads.detours"].setChecked(slot.state(Detours).wanted)


def _show_closed(slot: Slot, view: MapView) -> None:
    assert slot.network is not None
    view.set_layer("closed", ClosedRoads.of(slot.network, slot.closures.arcs))


def _show_detour(slot: Slot, view: MapView) -> None:
    found = slot.state(Detours).found
    view.set_layer("detour", None if found is None else detour_colours(found))


def _show_critical(slot: Slot, view: MapView) -> None:
    found = slot.state(Critical).road
    roads = None if found is None else ClosedRoads.of(found.result.network, found.arcs, "critical")
    view.set_layer("critical", roads)


def _between(network: RoadNetwork, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the arcs between two nodes, in the directions that there are. Raises ``NetworkError`` for none."""
    there, _ = joining_arcs(network, one, other)
    back, _ = joining_arcs(network, other, one)
    return np.concatenate([there, back]) if len(back) else arcs_between(network, one, other)


class OpenTrees:
    """Finds the tree with all roads open where the detour view of one slot needs it."""

    def __init__(self, control: SlotControl) -> None:
        self._slot, self._asked = control.slot, Asked(control.worker)
        control.stroke_is_followed = lambda: not self._slot.state(Detours).wanted
        self._slot.state(Detours).changed.connect(self._find)
        self._slot.result_changed.connect(self._find)
        self._slot.network_closing.connect(self._asked.forget)

    def _find(self) -> None:
        """Search with all roads open, unless the same search runs already."""
        detours, result = self._slot.state(Detours), self._slot.result
        quick = self._slot.request(runs=0, trace_budget=None)
        if quick is None or result is None or not detours.needs_open_tree:
            return
        asked = replace(
            quick, source=result.source, metric=result.metric.name, closures=NO_ARCS, reverse=result.reverse
        )
        key = asked.source, asked.metric, asked.reverse
        self._asked.ask(key, lambda: SearchJob(asked, self._slot.id, "open tree"), self._take)

    def _take(self, tree: Result) -> None:
        self._asked.forget()
        self._slot.state(Detours).take_open(tree)
        self._find()


@dataclass(frozen=True, slots=True, eq=False)
class ReadClosuresJob:
    """Read a table of closed roads; a long one takes seconds."""

    path: str
    network: RoadNetwork
    slot: int
    lane: str = field(default="closures", init=False)

    def run(self, report: Report) -> Arcs:
        """Return the arcs that it closes. Raises ``FormatError``."""
        report.progress(translated("Reading closed roads"), -1.0)
        return as_arcs(read_closures(self.path, self.network))


@dataclass(frozen=True, slots=True, eq=False)
class CriticalJob:
    """Find the road among the arcs ``near`` whose closure would lengthen a result's tree most."""

    result: Result
    near: Arcs
    slot: int
    lane: str = field(default="critical", init=False)

    def run(self, report: Report) -> CriticalRoad | None:
        """Return the road, None where no road of the tree is among them."""
        report.progress(translated("Choosing roads"), -1.0)
        result = self.result
        arcs = busiest(result, subtree_sizes(result.parents), self.near)
        roads = [road_of_arc(result.network, int(arc)) for arc in arcs]
        roads = list({road.tobytes(): road for road in roads}.values())
        if not roads:
            return None

        def tried(number: int) -> None:
            if report.cancel.is_set():
                raise SearchCancelled("the search for the most critical road was stopped")
            report.progress(
                translated("Closing road {number} of {roads}", number=number + 1, roads=len(roads)), number / len(roads)
            )

        return most_critical(result, roads, _finder(result, report), tried)


def _finder(result: Result, report: Report) -> Callable[[Arcs], NDArray[Any]]:
    """Return what finds the distances with some arcs closed: by a cut that is kept, else by a search each time."""
    from wayfront import search

    prepared = _prepared(result, report)

    def distances_without(closed: Arcs) -> NDArray[Any]:
        if prepared is None:
            asked: dict[str, Any] = {"metric": result.metric.name, "reverse": result.reverse, "cancel": report.cancel}
            return search(result.network, result.source, closures=closed, **asked).distances
        prepared.close_exactly(closed)
        distances = np.empty(result.network.node_count, prepared.distance_dtype)
        prepared.distances_into(result.source, distances)
        return distances

    return distances_without


def _prepared(result: Result, report: Report) -> Prepared | None:
    """Return the network prepared for many trees, None where no cut is kept or it cannot be cut well."""
    from wayfront import prepare
    from wayfront.devices import CPU
    from wayfront.dissection.store import dissection_of

    try:
        if dissection_of(result.network, only_kept=True) is None:
            return None
        return prepare(result.network, result.metric.name, CPU, reverse=result.reverse, cancel=report.cancel)
    except NetworkError:
        return None
