"""Nodes found by what people call them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from named_town import SIDE, named_town
from wayfront.network.details import RoadNames
from wayfront.network.finding import find_node, look_up
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError
from wayfront.synthetic.textbooks import from_name


@pytest.fixture(scope="module")
def town() -> RoadNetwork:
    return named_town()


def at(row: int, column: int) -> int:
    return row * SIDE + column


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        ("1", 0, 0),
        (" +144 ", 11, 11),
        ("0.0031,0.0052", 3, 5),
        ("0.003, 0.005", 3, 5),
        ("-0.001,-0.001", 0, 0),
        ("Row 4 Street / Column 7", 4, 7),
        ("column 7/ROW 4 STREET", 4, 7),
        ("Gridton", 5, 5),
        ("long lake", 4, 3),
    ],
)
def test_each_form_names_the_node(town: RoadNetwork, text: str, row: int, column: int) -> None:
    assert find_node(town, text) == at(row, column)


def test_a_road_is_its_middle_node_and_says_so(town: RoadNetwork) -> None:
    found = look_up(town, "  row  4 street")
    assert found.node in {at(4, 5), at(4, 6)}
    assert f"node {town.node_ids[found.node]}, the middle one, of 12" in found.remark


def test_a_road_in_several_parts_is_the_middle_of_the_longest() -> None:
    # Main is 1 – 2, and 3 – 4 – 5; nothing joins them but Side.
    tails, heads = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 4])
    network = RoadNetwork.from_arcs(
        name="parts",
        node_count=5,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1.0, np.ones(4, np.int32))],
        coordinates=np.stack([np.arange(5) * 20_000, np.zeros(5)], axis=1).astype(np.int32),
        road_names=RoadNames.collect(["Main", "Side", "Main", "Main"]),
    )
    found = look_up(network, "main")
    assert network.node_ids[found.node] == 4
    assert "in the middle of the largest of its 2 parts" in found.remark


def test_accents_and_case_need_not_be_right() -> None:
    network = replace(named_town(), surroundings=None)
    assert network.road_names is not None
    names = ("Rua de São João", "Hafnarstræti", *network.road_names.names[2:])
    network = replace(network, road_names=RoadNames(names, network.road_names.of_arc), _derived={})
    assert find_node(network, "rua de sao joao") == find_node(network, "RUA DE SÃO JOÃO")
    assert find_node(network, "Hafnarstraeti") == find_node(network, "hafnarstræti")


def test_names_of_nodes_go_first() -> None:
    graph = from_name("example:paper-e")
    assert graph.node_names is not None
    for node, name in enumerate(graph.node_names.names):
        assert find_node(graph, name) == find_node(graph, name.lower()) == node


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a node needs a name"),
        ("9999", "town has no node 9999"),
        ("95,0", "95, 0 is no position"),
        ("52.5,13.4", "52.5, 13.4 is 5,906.5 km from the nearest node of town, whose latitudes are 0.0000 to 0.0110"),
        ("Row 4", "no node or road or place called 'Row 4'; similar are Row 4 Street"),
        ("Gridtown", "called 'Gridtown'; similar are Gridton"),
        ("zzzzzzzz", "called 'zzzzzzzz'; name a node by its id or LAT,LON"),
        ("Row 1 Street / Row 2 Street", "Row 1 Street and Row 2 Street have no node in common"),
        ("Row 1 Street / Nowhere Lane", "called 'Nowhere Lane'"),
    ],
)
def test_what_nobody_is_called_is_refused_with_advice(town: RoadNetwork, text: str, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        find_node(town, text)


def test_without_names_or_a_map_the_error_says_what_there_is() -> None:
    plain = RoadNetwork.from_arcs(
        name="plain", node_count=2, tails=np.array([0]), heads=np.array([1]),
        metrics=[Metric("hops", "", 1.0, np.ones(1, np.int32))],
    )  # fmt: skip
    with pytest.raises(NetworkError, match="plain has no names: 'High Street' can be a node's id"):
        find_node(plain, "High Street")
    with pytest.raises(NetworkError, match="plain has no coordinates"):
        find_node(plain, "1.5,2.5")
