"""Turns closed by hand, beside Dijkstra's algorithm over arcs, which knows no copies of nodes."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import wayfront
from towns import CROSS, distances, network_of, over_arcs, towns
from wayfront.network.closed_turns import read_turns, without_turns, write_turns
from wayfront.network.copies import begin_of, is_split, split_count, turn_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.network.turning import MOST_ARCS
from wayfront.safe.errors import FormatError, NetworkError, NotInNetworkError, OpenCancelled, OptionError


@given(town=towns())
@settings(max_examples=25, deadline=None)
def test_any_town(town: Any) -> None:
    arcs, nodes, turns = town
    plain = network_of(arcs, nodes)
    network = without_turns(plain, [[each + 10 for each in turn] for turn in turns])
    twice = plain
    for turn in turns:
        twice = without_turns(twice, [[each + 10 for each in turn]])
    for source in range(0, nodes, 2):
        expected = over_arcs(arcs, source, set(turns))
        assert distances(network, source + 10) == expected
        if source == 0:
            assert distances(network, 10, "travel time") == {node: 3000 * far for node, far in expected.items()}
        if len({turn[1] for turn in turns}) < 2:  # round the next node one may turn until a turn is closed there
            assert distances(twice, source + 10) == expected
    roads = ~turn_arcs(network)
    assert sorted(network.metrics[0].weights[roads].tolist()) == sorted(arc[2] for arc in arcs)
    assert not network.metrics[0].weights[~roads].any()


def test_a_turn_is_closed_and_no_other() -> None:
    plain = network_of(CROSS, 9)
    network = without_turns(plain, [(11, 14, 13)])
    assert (split_count(network), network.node_count) == (1, 9 + 1 + 4 + 4)
    assert network.notes[-1] == "turns closed by hand: 1"
    assert distances(plain, 11)[3] == 10
    assert distances(network, 11)[3] == 20, "by the end of a dead end"
    assert distances(network, 13) == distances(plain, 13)
    assert distances(network, 14) == distances(plain, 14)
    assert without_turns(plain, []) is plain
    assert network.content_key != plain.content_key
    back = wayfront.search(network, network.node(13), "dijkstra", "cpu", reverse=True)
    assert back.distances[begin_of(network, network.node(11))] == 20


def test_turning_round_and_closed_roads() -> None:
    network = without_turns(network_of(CROSS, 9), [(11, 14, 13), (11, 14, 15), (11, 14, 17)])
    assert distances(network, 11) == {1: 0, 4: 5}, "who cannot go on turns round"
    shut = without_turns(network_of(CROSS, 9), [(11, 14, each) for each in (11, 13, 15, 17)])
    assert distances(shut, 11) == {1: 0, 4: 5}
    closed = wayfront.arcs_between(network, [network.node(14)], [network.node(17)])
    found = wayfront.search(network, network.node(13), "dijkstra", "cpu", closures=closed, verify=True)
    assert len(found.route(network.node(17))) == 0


def rows_of(network: RoadNetwork, chosen: Any) -> list[tuple[int, int, int]]:
    """Return the ids of the ends of arcs, and their weights, sorted."""
    ends = (network.node_ids[each[chosen]].tolist() for each in (network.tails(), network.targets))
    return sorted(zip(*ends, network.metrics[0].weights[chosen].tolist(), strict=True))


def test_what_belongs_to_arcs_stays_with_them() -> None:
    plain = wayfront.open_network("synthetic:grid?columns=5&rows=4")
    network = without_turns(plain, [(7, 8, 13)])
    roads = ~turn_arcs(network)
    assert rows_of(network, roads) == rows_of(plain, np.ones(plain.arc_count, np.bool_))
    assert is_split(network)


@pytest.mark.parametrize(
    ("turns", "problem"),
    [
        ([1, 2, 3], "rows of three node ids"),
        ([(1, 2)], "rows of three node ids"),
        ([(1.5, 2, 3)], "rows of three node ids"),
        ("14", "rows of three node ids"),
        ([(1, 2, 3)], "no node"),
        ([(11, 14, 12)], "no arc of town leads from node 14 to node 12"),
        ([(11, 13, 14)], "no arc of town leads from node 11 to node 13"),
    ],
)
def test_what_are_no_turns(turns: Any, problem: str) -> None:
    with pytest.raises((NetworkError, NotInNetworkError), match=problem):
        without_turns(network_of(CROSS, 9), turns)


def test_networks_that_cannot_be_split() -> None:
    from wayfront import from_pandas

    with pytest.raises(NetworkError, match="has no coordinates"):
        without_turns(from_pandas({"source": [1, 2], "target": [2, 3], "weight": [1, 1]}), [(1, 2, 3)])
    hub = [(0, node, 1) for node in range(1, MOST_ARCS)] + [(node, 0, 1) for node in range(1, 4)]
    with pytest.raises(NetworkError, match=f"more than {MOST_ARCS} arcs meet at node 10"):
        without_turns(network_of(hub, MOST_ARCS), [(11, 10, 12)])


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "turns.csv"
    write_turns(path, [(11, 14, 13), (-5, 14, 15)])
    assert path.read_text() == "from,via,to\n-5,14,15\n11,14,13\n"
    assert read_turns(path).tolist() == [[-5, 14, 15], [11, 14, 13]]
    path.write_text('"From", "Via", "To"\n\n" 11 ",14,13\n')
    assert read_turns(path).tolist() == [[11, 14, 13]]
    for text, problem in (("", "begins with"), ("from,to\n", "begins with"), ("from,via,to\n1,2\n", "no closed turn"),
                          ("from,via,to\n1,2,9999999999999999999\n", "no closed turn"),
                          ("from,via,to\n1,2,x\n", "no closed turn")):  # fmt: skip
        path.write_text(text)
        with pytest.raises(FormatError, match=problem):
            read_turns(path)
    path.write_bytes(b"from,via,to\n\xff")
    with pytest.raises(FormatError, match="no text in UTF-8"):
        read_turns(path)


def test_turns_are_closed_as_a_network_is_opened(tmp_path: Path) -> None:
    write_turns(tmp_path / "turns.csv", [(1, 2, 5)])
    name = "synthetic:grid?columns=3&rows=2"
    closed = without_turns(wayfront.open_network(name), [(1, 2, 5)])
    for each in ([(1, 2, 5)], "1-2-5", " 1-2-5, 1-2-5", tmp_path / "turns.csv", str(tmp_path / "turns.csv")):
        assert wayfront.open_network(name, close_turns=each).content_key == closed.content_key
    with pytest.raises(OptionError, match=r"FROM-VIA-TO, or in a table FILE\.csv, not by '1-2'"):
        wayfront.open_network(name, close_turns="1-2-5,1-2")


def test_cancelling() -> None:
    network, cancel = wayfront.open_network("synthetic:city?nodes=2000"), threading.Event()
    cancel.set()
    arc = next(arc for arc in range(network.arc_count) if network.out_degrees()[network.targets[arc]] > 1)
    via = int(network.targets[arc])
    turn = network.node_ids[[network.tails()[arc], via, network.targets[network.offsets[via]]]]
    with pytest.raises(OpenCancelled):
        wayfront.without_turns(network, [turn], cancel=cancel)
    with pytest.raises(OpenCancelled):
        wayfront.with_turn_costs(network, cancel=cancel)
    cancel.clear()
    assert (
        wayfront.with_turn_costs(wayfront.without_turns(network, [turn], cancel=cancel), cancel=cancel).node_count
        > 2000
    )
