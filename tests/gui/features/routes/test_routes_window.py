"""Searches to a target in the whole window, offscreen: the target they need, what is said of nodes, races, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import RouteResult, SearchKind
from wayfront.searching.registry import algorithms
from wayfront.searching.result_file import save_trace
from wayfront_gui.app.map_sync import describe_node, facts_of_node
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.window import Window
from wayfront_gui.features.race.panel import RacePanel
from wayfront_gui.features.race.state import Race
from wayfront_gui.features.timing.panel import about_run
from wayfront_gui.session import formatting


@pytest.fixture
def idle(window: Window, qtbot: QtBot) -> Callable[[], None]:
    return lambda: qtbot.waitUntil(lambda: not window.controller.worker.busy)


@pytest.fixture
def window(window: Window, grid: RoadNetwork) -> Window:
    window.session.active.open(grid)
    window.session.active.choose_source(0)
    window.controller.find_abilities()
    return window


def route_of(window: Window) -> RouteResult:
    result = window.session.active.result
    assert isinstance(result, RouteResult)
    return result


def test_a_route_asks_for_its_target_and_is_searched_once_it_has_one(
    window: Window, qtbot: QtBot, idle: Callable[[], None]
) -> None:
    slot, panel = window.session.active, window.panels.panel(AlgorithmPanel)
    said: list[str] = []
    window.controller.news.connect(said.append)
    idle()
    window.actions_by_name["search.route"].trigger()
    assert slot.kind is SearchKind.ROUTE and panel.kind.currentText() == "One route"
    assert panel.no_target.isVisibleTo(panel)
    listed = {panel.algorithm.itemData(row) for row in range(panel.algorithm.count())}
    assert listed >= {a.name for a in algorithms()}, "one list has the searches of every kind"
    window.controller.run()
    assert said[-1].startswith("Right-click a target") and slot.result is None
    slot.choose_algorithm("a-star")
    window.map.target_chosen.emit(50)
    idle()
    assert not panel.no_target.isVisibleTo(panel)
    result = route_of(window)
    assert (result.source, result.target, result.algorithm) == (0, 50, "a-star")
    route = slot.route()
    assert route is not None and route.nodes.tolist() == result.path.tolist()
    qtbot.waitUntil(lambda: len(window.session.runs) == 1)
    row = window.session.timings[0]
    assert f"{result.settled_count} settled" in about_run(row) and "to node 150" in about_run(row)
    assert slot.comparable(row)
    assert formatting.outcome(result).startswith(f"settled {result.settled_count}")
    window.controller.move_target(50, 40)
    idle()
    assert route_of(window).target == 40 and not slot.comparable(row)
    window.controller.choose_source(7, False)
    idle()
    assert route_of(window).source == 7 and slot.tree_shown


def test_what_is_said_of_nodes_tells_final_distances_from_others(window: Window, idle: Callable[[], None]) -> None:
    slot = window.session.active
    slot.choose_algorithm("bidirectional")
    window.controller.choose_target(107 - 5)
    idle()
    result = route_of(window)
    waiting = np.flatnonzero(result.reached & ~result.settled & ~result.from_target)
    behind = np.flatnonzero(result.settled & result.from_target)
    assert "at most" in describe_node(slot, int(waiting[0]))
    assert "to the target" in describe_node(slot, int(behind[0]))
    assert ("Parent", "none: the target") in facts_of_node(slot, result.target)
    assert slot.tree is None, "no isochrones, detours or critical roads of a route"
    other = int(np.flatnonzero(~result.reached)[0])
    slot.choose_target(other)
    assert slot.route() is None, "its route is not known before the next search"


def test_searches_to_a_target_are_shown_in_step(window: Window, qtbot: QtBot, idle: Callable[[], None]) -> None:
    slot, session = window.session.active, window.session
    slot.choose_kind(SearchKind.ROUTE)
    window.actions_by_name["race.two"].trigger()
    assert [each.result for each in session.slots] == [None, None], "a race needs the target too"
    window.controller.choose_target(60)
    qtbot.waitUntil(lambda: len(session.runs) == 2)
    idle()
    found = [each.result for each in session.slots]
    assert [result.algorithm for result in found if result is not None] == ["dijkstra-to-target", "a-star"]
    assert all(isinstance(result, RouteResult) and result.target == 60 for result in found)
    assert "nodes settled" in window.panels.panel(RacePanel).rows[0].facts.toolTip()
    assert session.state(Race).difference_of(session.slots[1]) is None
    window.actions_by_name["race.leave"].trigger()


def test_a_saved_route_opens_with_its_target(
    window: Window, tmp_path: Path, idle: Callable[[], None], qtbot: QtBot
) -> None:
    slot = window.session.active
    slot.choose_algorithm("alt")
    window.controller.choose_target(60)
    idle()
    path = tmp_path / "route.wftrace"
    save_trace(route_of(window), path)
    slot.choose_kind(SearchKind.ONE_TREE)
    slot.choose_target(None)
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: slot.target == 60)
    assert (slot.kind, slot.algorithm) == (SearchKind.ROUTE, "alt")
    idle()
