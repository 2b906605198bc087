"""A slot is driven without a window; its closed roads are closed, reopened and listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from there import there
from wayfront.network.details import RoadNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.options import AUTO, Option
from wayfront.searching.registry import Algorithm
from wayfront_gui.app.map_sync import describe_node
from wayfront_gui.session import choice as chosen_search
from wayfront_gui.session.choice import central_node
from wayfront_gui.session.closures import NO_ARCS, Closures, as_arcs, closed_roads, describe_road, road_arcs
from wayfront_gui.session.replay import ReplayClock
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Live, Slot
from wayfront_gui.session.state import Notice


@pytest.fixture
def slot(grid: RoadNetwork) -> Slot:
    slot = Slot(1, ReplayClock())
    slot.open(grid)
    return slot


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two declared algorithms, so that this does not depend on which there are."""
    width = Option("width", int, AUTO, "Width.", bounds=(1, 100), unit="m", automatic=True)
    declared = {
        name: Algorithm(
            lambda _: iter(()),
            name=name,
            title=name.capitalize(),
            paper="A paper",
            family="family",
            summary="An idea.",
            phases=(),
            options=options,
        )
        for name, options in (("one", (width,)), ("two", ()))
    }

    def find(name: str) -> Algorithm:
        if name not in declared:
            raise OptionError(f"there is no algorithm {name!r}")
        return declared[name]

    monkeypatch.setattr(chosen_search, "find_algorithm", find)


def copy_of(network: RoadNetwork) -> RoadNetwork:
    """Return another network that happens to have equal arrays."""
    return RoadNetwork.from_arrays(
        name="Copy", offsets=network.offsets, targets=network.targets.copy(), metrics=network.metrics
    )


def count(notice: Notice) -> list[int]:
    calls: list[int] = []
    notice.connect(lambda: calls.append(1))
    return calls


def offers(slot: Slot) -> tuple[bool, bool]:
    """Return whether a tree and a route are offered."""
    return slot.tree_offered, slot.route() is not None


def test_a_running_search_is_shown_in_place_of_the_result(slot: Slot, grid: RoadNetwork, result: Result) -> None:
    trace, by_time = result.trace, grid.metric("travel time")
    assert trace is not None
    slot.show(result)
    slot.choose_target(5)
    assert offers(slot) == (True, True)
    changes, routes = count(slot.live_changed), count(slot.target_changed)
    slot.show_live(Live(trace, by_time))
    slot.show_live(Live(trace, by_time))
    assert (len(changes), len(routes)) == (2, 1), "the route of the result before it goes once"
    assert offers(slot) == (False, False)
    assert slot.shown_metric is by_time
    first = int(trace.first_reached[5]) + 1
    assert describe_node(slot, 5) == f"Node 105  ·  reached in step {first}"
    assert describe_node(slot, 108) == "Node 208  ·  not reached yet"
    slot.show(result)
    assert slot.live is None and offers(slot) == (True, True)
    assert slot.shown_metric is result.metric


def test_a_node_improved_again_in_a_running_search_is_told_so(slot: Slot, result: Result) -> None:
    assert result.trace is not None and slot.metric is not None
    later = replace(result.trace, last_improved=result.trace.first_reached + 3)
    slot.show_live(Live(later, slot.metric))
    first = int(result.trace.first_reached[5]) + 1
    assert describe_node(slot, 5).endswith(f"reached in step {first}, improved until {first + 3} so far")


def test_figures_keep_the_metric_of_their_search(slot: Slot, result: Result) -> None:
    slot.show(result)
    slot.choose_metric("travel time")
    assert slot.metric is not None and slot.metric.name == "travel time"
    assert slot.shown_metric is result.metric


def test_opening_another_network_forgets_source_and_result(slot: Slot, grid: RoadNetwork, result: Result) -> None:
    slot.choose_source(3)
    slot.choose_target(5)
    slot.show(result)
    slot.open(grid.with_coordinates(np.array(grid.coordinates) + 5))
    assert slot.source == 3 and slot.result is result, "the same arcs on another map keep what was found"
    slot.open(copy_of(grid))
    found: list[object] = [slot.source, slot.target, slot.result]
    assert found == [None, None, None]


def test_central_node_is_inside_and_has_arcs(grid: RoadNetwork) -> None:
    node = there(central_node(grid))
    assert grid.coordinates is not None
    middle = np.median(grid.coordinates, axis=0)
    assert (np.abs(grid.coordinates[node] - middle) <= 1000).all()
    assert grid.out_degrees()[node] >= 2


def test_metric_is_kept_where_the_next_network_has_it(slot: Slot, grid: RoadNetwork) -> None:
    slot.choose_metric("travel time")
    slot.open(grid)
    assert slot.metric is not None and slot.metric.name == "travel time"
    with pytest.raises(NetworkError, match="no metric 'beauty'"):
        slot.choose_metric("beauty")


@pytest.mark.usefixtures("known")
def test_each_algorithm_remembers_its_options(slot: Slot) -> None:
    told = count(slot.choice_changed)
    slot.choose_algorithm("one")
    slot.set_option("width", 20)
    slot.set_option("width", 20)
    slot.choose_algorithm("two")
    assert slot.options() == {}
    slot.choose_algorithm("one")
    assert slot.options() == {"width": 20}
    assert len(told) == 4, "what does not change is not told"
    with pytest.raises(OptionError, match="between 1 and 100"):
        slot.set_option("width", 1000)
    with pytest.raises(OptionError, match="no algorithm 'three'"):
        slot.choose_algorithm("three")
    assert slot.algorithm == "one"


def test_a_request_holds_what_is_chosen(slot: Slot, grid: RoadNetwork) -> None:
    assert slot.request(runs=0, trace_budget=None) is None, "there is no source yet"
    slot.choose_source(grid.node(117))
    slot.choose_metric("travel time")
    slot.choose_device("cpu")
    slot.choose_threads(2)
    job = there(slot.request(runs=3, trace_budget=1000, live=True))
    assert (job.network, job.source, job.metric) == (grid, grid.node(117), "travel time")
    assert (job.device, job.threads) == ("cpu", 2)
    assert (job.algorithm, job.runs, job.trace_budget, job.live) == (AUTO, 3, 1000, True)


def test_route_in_words(slot: Slot, grid: RoadNetwork, result: Result) -> None:
    assert slot.route() is None
    slot.choose_source(result.source)
    slot.show(result)
    slot.choose_target(grid.node(131))
    route = there(slot.route())
    assert route.nodes.tolist() == [grid.node(130), grid.node(131)]
    assert route.text == f"Route to node 131: {result.distances[grid.node(131)]} m over 1 arc"
    slot.choose_target(grid.node_count - 1)
    lost = slot.route()
    assert lost is not None and len(lost.nodes) == 0
    assert lost.text == "No way leads from node 130 to node 208"


def test_a_tree_that_leads_nowhere_has_no_route(slot: Slot, grid: RoadNetwork, result: Result) -> None:
    """As that of a choice that may give wrong results can be."""
    node = grid.node(131)
    parents = np.where(np.arange(grid.node_count) == node, node, result.parents).astype(np.int32)
    slot.show(replace(result, parents=parents))
    slot.choose_target(node)
    route = slot.route()
    assert route is not None and len(route.nodes) == 0
    assert route.text == "No route to node 131: the tree is wrong: the parents of node 131 never lead to the source"
    assert slot.shown_ways() == []


def test_a_new_result_moves_the_route(slot: Slot, result: Result) -> None:
    slot.show(result)
    slot.choose_target(4)
    told = count(slot.target_changed)
    slot.show(result)
    assert told == [1]


def test_describe_node(slot: Slot, grid: RoadNetwork, result: Result) -> None:
    assert describe_node(slot, -1) == ""
    assert describe_node(slot, 0) == "Node 100"
    slot.show(result)
    assert describe_node(slot, grid.node(130)) == "Node 130  ·  0 m  ·  reached in step 1"
    assert describe_node(slot, grid.node_count - 1) == "Node 208  ·  not reached"


def closures() -> tuple[Closures, list[list[int]]]:
    """Return closures, and what was closed at every notice."""
    changed, seen = Notice(), []
    made = Closures(changed)
    changed.connect(lambda: seen.append(made.arcs.tolist()))
    return made, seen


def test_closing_and_reopening_is_told_once_each_and_only_if_something_changed() -> None:
    made, seen = closures()
    made.close(as_arcs([4, 2, 4]))
    made.close(as_arcs([2]))
    made.reopen(as_arcs([9]))
    made.reopen(as_arcs([2, 9]))
    made.replace(as_arcs([4]))
    assert seen == [[2, 4], [4]]


def make_streets() -> RoadNetwork:
    """Return 10 ⇄ 20 (Elm Row, and Back Lane beside it) → 30 ⇄ 40 without names, and a loop at 40."""
    arcs = np.array([(0, 1), (1, 0), (0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (3, 3)])
    names = ["Elm Row", "Elm Row", "Back Lane", "Back Lane", "", "", "", ""]
    return RoadNetwork.from_arcs(
        name="Streets",
        node_count=4,
        tails=arcs[:, 0],
        heads=arcs[:, 1],
        metrics=[
            Metric("travel time", "s", 1.0, np.full(8, 60, np.int32)),
            Metric("length", "m", 1.0, 100 * np.arange(1, 9, dtype=np.int32)),
        ],
        node_ids=np.array([10, 20, 30, 40]),
        road_names=RoadNames.collect(names),
    )


def arcs_of(network: RoadNetwork, *ends: tuple[int, int], name: str | None = None) -> list[int]:
    tails, names = network.tails(), network.road_names
    assert names is not None
    return [
        arc
        for arc in range(network.arc_count)
        if (int(network.node_ids[tails[arc]]), int(network.node_ids[network.targets[arc]])) in ends
        and name in (None, names.name(arc))
    ]


def listed(network: RoadNetwork, arcs: Sequence[int], most: int = 9) -> list[tuple[str, str, str]]:
    roads, _ = closed_roads(network, as_arcs(arcs), network.metrics[0], most)
    return [(road.name, road.length, road.ends) for road in roads]


def test_roads_are_listed_with_names_first_and_each_once_for_both_directions() -> None:
    network = make_streets()
    every = list(range(network.arc_count))
    assert listed(network, every) == [
        ("Elm Row", "100 m", "between nodes 10 and 20"),
        ("Back Lane", "300 m", "between nodes 10 and 20"),
        ("", "500 m", "from node 20 to node 30"),
        ("", "600 m", "between nodes 30 and 40"),
        ("", "800 m", "between nodes 40 and 40"),
    ]
    roads, count = closed_roads(network, as_arcs(every), network.metrics[0], 2)
    assert [road.name for road in roads] == ["Elm Row", "Back Lane"] and count == 5
    assert np.concatenate([r.arcs for r in closed_roads(network, as_arcs(every), network.metrics[0], 9)[0]]).size == 8


def test_one_closed_direction_is_told_apart_from_a_one_way_road() -> None:
    network = make_streets()
    assert listed(network, arcs_of(network, (40, 30))) == [("", "700 m", "only from node 40 to node 30")]
    assert listed(network, arcs_of(network, (20, 30))) == [("", "500 m", "from node 20 to node 30")]


def test_nothing_closed_lists_nothing() -> None:
    assert closed_roads(make_streets(), NO_ARCS, make_streets().metrics[0], 9) == ((), 0)


def test_a_road_is_described_by_what_is_known() -> None:
    network = make_streets()
    elm, bare = arcs_of(network, (10, 20), name="Elm Row"), arcs_of(network, (20, 30))
    assert describe_road(network, as_arcs(elm), network.metrics[0]) == "Elm Row, 100 m, only from node 10 to node 20"
    assert describe_road(network, as_arcs(bare), network.metrics[0]) == "500 m, from node 20 to node 30"


def test_a_road_has_its_arcs_in_both_directions() -> None:
    network = make_streets()
    assert road_arcs(network, as_arcs(arcs_of(network, (40, 30)))).tolist() == arcs_of(network, (30, 40), (40, 30))


def test_a_slot_searches_without_what_is_closed_and_another_network_opens_all() -> None:
    slot = Session().active
    network = make_streets()
    slot.open(network)
    slot.choose_source(0)
    slot.closures.close(as_arcs([3]))
    asked, pairs = slot.request(runs=0, trace_budget=None), slot.pairs_request(runs=0, trace_budget=None)
    assert asked is not None and asked.closures.tolist() == [3]
    assert pairs is not None and pairs.closures.tolist() == [3]
    slot.open(network)
    assert slot.closures.arcs.tolist() == [3], "the same network read again"
    slot.open(make_streets())
    assert not len(slot.closures.arcs)


def test_a_new_slot_has_the_same_roads_closed() -> None:
    session = Session()
    session.active.open(make_streets())
    session.active.closures.close(as_arcs([2]))
    assert session.add_slot().closures.arcs.tolist() == [2]
