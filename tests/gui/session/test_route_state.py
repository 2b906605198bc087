"""Routes without a window: targets and via points, what routes take, what closed roads cost them, their words."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.gui.conftest import make_grid, make_result

from wayfront.network.details import RoadNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.route import Route as Way
from wayfront_gui.session.choice import Choice, Targets
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.routes import Leg, detour, directions_text, joined, measures, place_name, roads_at
from wayfront_gui.session.saved import SavedSession
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Slot


@pytest.fixture
def grid() -> RoadNetwork:
    return make_grid()


@pytest.fixture
def slot(grid: RoadNetwork) -> Slot:
    """A slot with the tree of the grid from node 0."""
    slot = Session().active
    slot.open(grid)
    slot.choose_source(0)
    slot.show(make_result(grid, 0))
    return slot


def leg(network: RoadNetwork, source: int, target: int) -> Leg:
    return Leg(source, target, make_result(network, source).route(target))


# ---------------------------------------------------------------------------------------------------------- targets


def test_via_points_are_shifted_and_stay_via_points_whatever_is_done_with_them() -> None:
    points = Targets((4, 5, 6), 6, through=True)
    assert points.legs(1) == ((1, 4), (4, 5), (5, 6))
    assert replace(points, through=False).legs(1) == ((1, 4), (1, 5), (1, 6))
    assert points.shifted(6, -1).nodes == (4, 6, 5) and points.shifted(4, 9).nodes == (5, 6, 4)
    assert points.shifted(7, 1) == points == points.shifted(6, 1)
    for changed in (points.toggled(9), points.toggled(5), points.moved(5, 8), points.shifted(4, 1)):
        assert changed.through, changed


def test_via_points_are_kept_with_a_session_and_old_sessions_have_none(grid: RoadNetwork) -> None:
    choice = Choice(metric="length", source=0, targets=Targets((4, 9), 9, through=True))
    saved = SavedSession.of("a", grid, choice, None)
    assert SavedSession.read(saved.text()).choice_on(grid).targets == choice.targets
    old = {name: value for name, value in saved.choice.items() if name != "through"}
    assert SavedSession("a", grid.content_key, old).choice_on(grid).targets == Targets((4, 9), 9)


def test_a_target_that_replaces_others_leaves_the_mode_as_it_is(slot: Slot) -> None:
    slot.take_targets(Targets((4, 9), 9, through=True))
    slot.choose_target(7)
    assert slot.targets == Targets((7,), 7, through=True)
    slot.choose_target(None)
    assert slot.targets == Targets()


# ------------------------------------------------------------------------------------------- one route through all


def test_the_one_route_is_there_once_its_parts_are(slot: Slot, grid: RoadNetwork) -> None:
    slot.take_targets(Targets((30, 8, 100), 100, through=True))
    assert slot.awaits_ways and slot.route() is None and slot.shown_ways() == []
    assert [(a, b) for a, b, _ in slot.wanted_ways()] == [(30, 8), (8, 100)]
    told = []
    slot.target_changed.connect(lambda: told.append(slot.awaits_ways))
    slot.take_ways([leg(grid, 30, 8), leg(grid, 8, 100), leg(grid, 3, 4)])
    assert told == [False] and len(slot.legs) == 2, "a leg that nobody wants any more is dropped"
    route = slot.route()
    assert route is not None and route.nodes[0] == 0 and route.nodes[-1] == 100
    assert {30, 8} <= set(route.nodes.tolist()) and "over 2 via points to node 200" in route.text
    whole = joined(slot.shown_ways())
    assert all(b in grid.targets[grid.offsets[a] : grid.offsets[a + 1]] for a, b in pairwise(whole.nodes.tolist()))
    assert whole.distance == int(grid.metrics[0].weights[whole.arcs].sum())


def test_a_new_source_changes_the_first_part_alone(slot: Slot, grid: RoadNetwork) -> None:
    slot.take_targets(Targets((30, 8), 8, through=True))
    slot.take_ways([leg(grid, 30, 8)])
    slot.choose_source(77)
    slot.show(make_result(grid, 77))
    assert not slot.wanted_ways()
    route = slot.route()
    assert route is not None and route.nodes[0] == 77


@pytest.mark.parametrize("changed", ["metric", "closures", "order"])
def test_parts_of_another_search_are_wanted_anew(slot: Slot, grid: RoadNetwork, changed: str) -> None:
    slot.take_targets(Targets((30, 8), 8, through=True))
    slot.take_ways([leg(grid, 30, 8)])
    if changed == "metric":
        slot.show(replace(make_result(grid, 0), metric=grid.metrics[1]))
    elif changed == "closures":
        slot.show(replace(make_result(grid, 0), closures=as_arcs([3])))
    else:
        slot.take_targets(slot.targets.shifted(8, -1))
    assert slot.awaits_ways and slot.route() is None
    assert ((30, 8) if changed != "order" else (8, 30)) in [(a, b) for a, b, _ in slot.wanted_ways()]


def test_a_point_that_cannot_be_reached_is_said(slot: Slot, grid: RoadNetwork) -> None:
    lost = grid.node_count - 1
    slot.take_targets(Targets((30, lost), lost, through=True))
    slot.take_ways([Leg(30, lost, Way(grid, grid.metrics[0], np.empty(0, np.int32), -1))])
    route = slot.route()
    assert route is not None and not len(route.nodes)
    assert route.text == f"No way leads from node 130 to node {grid.node_ids[lost]}"


def test_another_network_has_no_targets_and_no_parts(slot: Slot, grid: RoadNetwork) -> None:
    slot.take_targets(Targets((30, 8), 8, through=True))
    slot.take_ways([leg(grid, 30, 8)])
    slot.open(make_grid(name="other"))
    assert slot.targets == Targets() and slot.legs == () and slot.ways() == []


# -------------------------------------------------------------------------------------------------- what they take


def test_closed_roads_cost_a_route_in_both_metrics(slot: Slot, grid: RoadNetwork) -> None:
    before = make_result(grid, 0).route(40)
    there = (0, 1, 13, 25, 26, 27, 28, 40)  # a way that is longer
    now = Way(grid, grid.metrics[0], np.array(there, np.int32), 0, as_arcs([0]))
    metres, tenths = (
        int(metric.weights[now.arcs].sum()) - int(metric.weights[before.arcs].sum()) for metric in grid.metrics
    )
    assert metres > 0
    sign = "+" if tenths >= 0 else "−"
    assert detour([now], [before]) == f"+{metres} m, {sign}0:{round(abs(tenths) / 10):02d}"
    assert detour([before], [before]) == "", "no farther"
    assert detour([now], [None]) == "", "not known yet"
    lost = Way(grid, grid.metrics[0], np.empty(0, np.int32), -1)
    assert detour([lost], [before]) == "cut off by closed roads"


def test_the_routes_of_before_are_wanted_where_roads_are_closed(slot: Slot, grid: RoadNetwork) -> None:
    slot.take_targets(Targets((30, 8), 8))
    assert not slot.wanted_ways() and slot.open_ways() == []
    slot.show(replace(make_result(grid, 0), closures=as_arcs([3])))
    assert [(a, b, len(closed)) for a, b, closed in slot.wanted_ways()] == [(0, 30, 0), (0, 8, 0)]
    slot.take_ways([leg(grid, 0, 30), leg(grid, 0, 8)])
    assert not slot.wanted_ways() and None not in slot.open_ways()


def test_hours_and_other_metrics_are_told(grid: RoadNetwork) -> None:
    slow = replace(grid.metrics[1], weights=grid.metrics[1].weights * 20_000)
    tolls = Metric("toll", "", 1.0, grid.metrics[0].weights)
    network = replace(grid, metrics=(grid.metrics[0], slow, tolls))
    one, two = (Way(network, tolls, np.array(nodes, np.int32), 0) for nodes in ((0, 1), (0, 1, 2)))
    assert measures([one]).count(" · ") == 2 and measures([one]).endswith(str(int(tolls.weights[one.arcs].sum())))
    hours, minutes, seconds = detour([two], [one]).split(", ")[-1].split(":")
    assert hours.startswith("+") and len(minutes) == len(seconds) == 2


def test_directions_are_text_with_the_letters_of_via_points(slot: Slot, grid: RoadNetwork) -> None:
    slot.take_targets(Targets((30, 8), 8, through=True))
    slot.take_ways([leg(grid, 30, 8)])
    lines = directions_text(slot.shown_ways(), "AB").splitlines()
    assert lines[0] == measures(slot.shown_ways()) and lines[1].startswith("Shortest way to node 108")
    assert any(line.startswith("A: Arrive at node 130") for line in lines)
    assert lines[-1].startswith("B: Arrive at node 108")
    unmapped = directions_text(slot.shown_ways(), "AB", on_map=False)
    assert "heading" not in unmapped and "Go to node" in unmapped


# ------------------------------------------------------------------------------------------------------------ names


def test_a_node_is_on_the_roads_that_leave_it() -> None:
    tails, names = np.zeros(9, np.int32), [f"Road {arc // 2}" for arc in range(9)]
    star = RoadNetwork.from_arcs(
        name="Star",
        node_count=10,
        tails=tails,
        heads=np.arange(9) + 1,
        metrics=[Metric("length", "m", 1.0, np.ones(9, np.int32))],
        road_names=RoadNames.collect(names),
    )
    assert roads_at(star, 0) == "Road 0 / Road 1 / Road 2"
    assert roads_at(star, 4) == "", "no road leaves it"
    assert roads_at(make_grid(), 1) == ""


def test_a_place_without_a_name_is_near_the_last_road_on_the_way_there(grid: RoadNetwork) -> None:
    names = ["Elm Row" if (tail, head) == (1, 2) else "" for tail, head in zip(grid.tails(), grid.targets, strict=True)]
    named = replace(grid, road_names=RoadNames.collect(names), _derived={})
    way = Way(named, named.metrics[0], np.array([0, 1, 2, 3], np.int32), 0)
    assert place_name(named, 3, way) == "near Elm Row" and place_name(named, 3) == "node 103"
    assert place_name(named, 1, way) == "Elm Row"
