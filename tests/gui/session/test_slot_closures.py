"""Closed roads of a slot: closing, reopening, and how they are listed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wayfront.network.details import RoadNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.session.closures import NO_ARCS, Closures, as_arcs, closed_roads, describe_road, road_arcs
from wayfront_gui.session.session import Session
from wayfront_gui.session.state import Notice


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
