"""A route told by the names of its roads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from wayfront import open_network
from wayfront.network.arcs import route_arcs
from wayfront.network.details import RoadNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.session.routes import Stretch, directions, roads_at


def make_ladder(*, lengths: bool = True, names: bool = True) -> RoadNetwork:
    """Return 0 → 1 → 2 → 3 → 4 on Elm Row, Elm Row, nothing, Oak Row; from 1 to 2 also a slower, shorter Back Lane."""
    arcs = np.array([(0, 1), (1, 2), (1, 2), (2, 3), (3, 4), (3, 0)])
    metrics = [Metric("travel time", "s", 1.0, np.array([5, 90, 20, 30, 40, 1]))]
    if lengths:
        metrics.append(Metric("length", "m", 0.1, np.array([1000, 1500, 2000, 3000, 16000, 10])))
    return RoadNetwork.from_arcs(
        name="Ladder",
        node_count=5,
        tails=arcs[:, 0],
        heads=arcs[:, 1],
        metrics=metrics,
        road_names=RoadNames.collect(["Elm Row", "Back Lane", "Elm Row", "", "Oak Row", "Elm Row"]) if names else None,
    )


WAY = np.arange(5, dtype=np.int32)


def test_arcs_of_one_road_are_one_stretch_told_in_length() -> None:
    network = make_ladder()
    assert directions(network, WAY, network.metric("travel time")) == (
        Stretch("Elm Row", "300 m"),
        Stretch("", "300 m"),
        Stretch("Oak Row", "1.6 km"),
    )


def test_of_parallel_roads_the_one_that_the_search_took_is_told() -> None:
    network = make_ladder()
    assert [s.name for s in directions(network, WAY, network.metric("length"))] == [
        "Elm Row",
        "Back Lane",
        "",
        "Oak Row",
    ]
    assert route_arcs(network, WAY, network.metric("length")).tolist() == [0, 1, 3, 4]
    assert route_arcs(network, WAY, network.metric("travel time")).tolist() == [0, 2, 3, 4]


def test_without_lengths_stretches_are_told_as_searched() -> None:
    network = make_ladder(lengths=False)
    assert [s.length for s in directions(network, WAY, network.metric())] == ["0 min 25 s", "0 min 30 s", "0 min 40 s"]


@pytest.mark.parametrize("nodes", [[], [2]])
def test_no_way_has_no_directions(nodes: list[int]) -> None:
    network = make_ladder()
    assert directions(network, np.array(nodes, np.int32), network.metric()) == ()


def test_a_network_without_names_tells_none() -> None:
    network = make_ladder(names=False)
    assert directions(network, WAY, network.metric()) == ()
    assert roads_at(network, 1) == ""


def test_a_node_is_on_the_roads_that_leave_it() -> None:
    network = make_ladder()
    assert roads_at(network, 1) == "Back Lane / Elm Row"
    assert roads_at(network, 2) == ""
    assert roads_at(network, 4) == "", "no road leaves it"
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


def test_a_real_file(data: Path) -> None:
    network = open_network(data / "tiny.osm")
    nodes = np.array([network.node(node) for node in (1, 2, 8, 3)], np.int32)
    told = directions(network, nodes, network.metric())
    assert [s.name for s in told] == ["High Street", "Curved Lane"]
    assert told[0].length == "715 m"
