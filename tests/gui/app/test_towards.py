"""Ways that lead to the source: chosen, dragged, replayed, undone and kept as those from it are."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import wayfront
from wayfront.network.details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.results.result import Result, SearchKind
from wayfront_gui.app.search_panel import SearchPanel
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.costs import busiest
from wayfront_gui.features.isochrones.state import IsochroneChoice
from wayfront_gui.features.live_tree.cutting import CutControl
from wayfront_gui.features.live_tree.picture import Links
from wayfront_gui.features.small_graphs.moment import ShownGraph
from wayfront_gui.map.found import Tree
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.subtrees import subtree_sizes
from wayfront_gui.session.choice import Targets
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.saved import SavedSession
from wayfront_gui.session.slot import Slot


@pytest.fixture
def one_way(window: Window, grid: RoadNetwork, qtbot: QtBot) -> Window:
    """The window with the grid, some of whose streets can be driven in one direction only, and the tree from a node."""
    slot = window.session.active
    slot.open(grid)
    slot.choose_device("cpu")
    slot.choose_source(50)
    slot.closures.close(as_arcs(np.flatnonzero((grid.tails() < grid.targets) & (grid.tails() % 3 == 0))))
    window.controller.run()
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    return window


def towards(window: Window, node: int) -> Result:
    """Return the tree towards a node by a search apart from the window."""
    slot = window.session.active
    assert slot.network is not None
    back = slot.network.reversed()
    closed = slot.network.reversed_arcs(slot.closures.arcs)
    return wayfront.search(back, node, "dijkstra-heap", "cpu", closures=closed)


def follows(slot: Slot, node: int) -> bool:
    """Return whether the tree of a drag to a node is shown."""
    return slot.dragged is not None and slot.dragged.source == node


def test_the_switch_shows_the_ways_to_the_source(one_way: Window, qtbot: QtBot) -> None:
    slot = one_way.session.active
    there = slot.result
    assert there is not None and not there.reverse
    slot.choose_target(7)
    one_way.actions_by_name["search.towards"].trigger()
    qtbot.waitUntil(lambda: slot.result is not there and slot.result is not None)
    found, expected = slot.result, towards(one_way, 50)
    assert found is not None and found.reverse and (found.distances == expected.distances).all()
    assert (found.distances != there.distances).any(), "streets of one direction make a difference"
    route = slot.route()
    assert route is not None and (route.nodes[0], route.nodes[-1]) == (7, 50)
    assert route.text.startswith("Route from node 107: ") and one_way.status.message == route.text
    way = slot.shown_ways()[0]
    assert way.distance == found.distances[7] and not np.isin(way.arcs, slot.closures.arcs).any()
    legend = one_way.map.map_scene.node_colours.legend
    assert legend is not None and legend.title.endswith("to the source")
    panel = one_way.findChildren(SearchPanel)[0].algorithm.way
    assert panel.currentText() == "To here" and one_way.actions_by_name["search.towards"].isChecked()
    panel.setCurrentIndex(0)
    panel.activated.emit(0)
    qtbot.waitUntil(lambda: slot.result is not None and not slot.result.reverse)
    assert not one_way.actions_by_name["search.towards"].isChecked()
    QTest.keyClick(one_way.map, Qt.Key.Key_B, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.reverse)


def test_a_search_towards_the_source_is_replayed_from_there_outwards(one_way: Window, qtbot: QtBot) -> None:
    slot = one_way.session.active
    slot.choose_reverse(True)
    one_way.controller.run()
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.reverse and slot.result.trace is not None)
    assert slot.result is not None and slot.player.trace is not None
    trace = slot.player.trace
    assert trace.first_reached[50] == 0 and (trace.frontier(0) == [50]).all()
    farthest = [int(slot.result.distances[trace.frontier(step)].max()) for step in range(len(trace))]
    assert len(farthest) > 20 and farthest == sorted(farthest), "by rising distance towards the source"


def test_a_drag_follows_the_mouse_with_ways_to_the_source(one_way: Window, qtbot: QtBot) -> None:
    slot = one_way.session.active
    one_way.host.control(CutControl).start()
    drag = one_way.controller.active.quick
    qtbot.waitUntil(lambda: drag.prepared is not None)
    from_prepared = drag.prepared
    slot.choose_reverse(True)
    qtbot.waitUntil(lambda: drag.prepared is not None and drag.prepared is not from_prepared)
    assert drag.prepared is not None and from_prepared is not None
    assert drag.prepared.dissection is from_prepared.dissection, "it is cut once"
    slot.choose_target(7)
    for node in (51, 65, 20):
        one_way.map.source_moved.emit(node, False)
        qtbot.waitUntil(partial(follows, slot, node))
        tree, expected = slot.dragged, towards(one_way, node)
        assert tree is not None and tree.reverse and (tree.distances == expected.distances).all()
        route = slot.route()
        assert route is not None and (route.nodes == expected.route(7).nodes[::-1]).all()
        assert tree.title == "Nested dissection"
    one_way.controller.active.stop()
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 20)
    assert slot.result is not None and slot.result.reverse


def test_the_direction_is_undone_and_kept(one_way: Window, qtbot: QtBot) -> None:
    slot = one_way.session.active
    one_way.actions_by_name["search.towards"].trigger()
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.reverse)
    assert slot.network is not None
    saved = SavedSession.of("grid", slot.network, slot.choice, None)
    assert SavedSession.read(saved.text()).choice_on(slot.network).reverse
    before = saved.text().replace('"reverse": true, ', "")
    assert before != saved.text() and not SavedSession.read(before).choice_on(slot.network).reverse
    one_way.actions_by_name["edit.undo"].trigger()
    qtbot.waitUntil(lambda: slot.result is not None and not slot.result.reverse)
    assert not slot.reverse
    one_way.actions_by_name["edit.redo"].trigger()
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.reverse)


def test_via_points_are_passed_in_their_order_on_the_way_to_the_source(one_way: Window, qtbot: QtBot) -> None:
    slot = one_way.session.active
    one_way.controller.choose_way(True)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.reverse)
    slot.take_targets(Targets((7, 90), 90, through=True))
    qtbot.waitUntil(lambda: slot.route() is not None)
    route = slot.route()
    assert route is not None and (route.nodes[0], route.nodes[-1]) == (7, 50) and 90 in route.nodes
    assert slot.ways()[0] is not None and Targets((7, 90), 90).legs(50, reverse=True) == ((7, 50), (90, 50))
    slot.choose_kind(SearchKind.ROUTE)
    assert slot.end == 90, "the part next to the source"


def test_isochrones_are_of_the_ways_to_their_sources(one_way: Window, qtbot: QtBot) -> None:
    slot = one_way.session.active
    one_way.controller.choose_way(True)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.reverse)
    one_way.actions_by_name["search.isochrones"].trigger()
    slot.state(IsochroneChoice).toggle(3)
    qtbot.waitUntil(lambda: len(slot.state(IsochroneChoice).zones) == 2)
    found = one_way.map.map_scene.layers["isochrones"].found.reach  # type: ignore[attr-defined]
    rows = [towards(one_way, node).distances for node in (50, 3)]
    least = np.min([np.where(row == NO_PATH, 1 << 30, row) for row in rows], axis=0)
    assert found.reverse and (found.distances == np.where(least == 1 << 30, NO_PATH, least)).all()


STREET = RoadNetwork.from_arcs(
    name="Street",
    node_count=3,
    tails=np.array([0, 1, 1, 2, 2]),
    heads=np.array([1, 0, 2, 1, 0]),
    metrics=[Metric("length", "m", 1.0, np.array([9, 4, 7, 3, 30], np.int32))],
    coordinates=np.array([[0, 0], [1000, 0], [2000, 0]]),
    shapes=Shapes(np.array([0, 1, 2, 2, 2, 3]), np.array([[500, 200], [500, -200], [900, 900]], np.int32)),
)


def test_the_tree_on_a_bent_map_takes_the_arcs_that_are_driven() -> None:
    result, geometry = wayfront.search(STREET, 0, device="cpu", reverse=True), MapGeometry.of(STREET)
    assert result.parents.tolist() == [-1, 0, 1]
    driven = wayfront.arcs_between(STREET, [1, 2], [0, 1])
    tree = Tree.of(result, geometry)
    assert tree.arcs is not None and tree.arcs.tolist() == [-1, *driven.tolist()]
    assert busiest(result, subtree_sizes(result.parents), np.arange(5)).tolist() == driven.tolist()
    assert geometry.chains is not None
    links = Links.of(geometry, STREET.metrics[0].weights, reverse=True)
    leaving = slice(int(links.first[1]), int(links.first[2]))
    assert links.others[leaving].tolist() == [0, 2], "the lightest of the arcs that leave the node"
    assert links.links[leaving].tolist() == geometry.chains.of_arc[[1, 2]].tolist()


def test_a_small_graph_shows_the_arcs_that_are_followed_backwards() -> None:
    result = wayfront.search(STREET, 0, "dijkstra", "cpu", reverse=True, trace=True, closures=[4])
    bare = ShownGraph.of(STREET)
    assert bare is not None and result.trace is not None
    shown = bare.with_result(result)
    assert shown.tree is not None and shown.steps is not None
    assert shown.tree.parents.tolist() == [-1, 1, 3]
    last = shown.steps.at(len(result.trace) - 1)
    assert last.parents.tolist() == [-1, 1, 3] and last.labels.tolist() == [0, 4, 7]
    first = shown.steps.at(0)
    assert np.flatnonzero(first.tried).tolist() == [1], "the arcs that lead to the node that is settled"
    assert np.flatnonzero(first.improving).tolist() == [1]
