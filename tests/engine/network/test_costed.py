"""Turns that take time, beside Dijkstra's algorithm over arcs with costs and angles of its own."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

import wayfront
from towns import CROSS, Arc, distances, network_of, over_arcs, towns
from wayfront import TurnCosts, with_turn_costs, without_turns
from wayfront.network.copies import is_split, turn_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError, OptionError


def times(
    arcs: list[Arc], source: int, closed: set[tuple[int, int, int]], costs: TurnCosts, lit: set[int]
) -> dict[int, int]:
    """Return the time of every node that is reached, in ms, with every turn at its cost."""
    around = {node: {a + b - node for a, b, _ in arcs if node in (a, b)} - {node} for node in range(9)}
    point = {node: complex(node % 3, node // 3) for node in range(9)}
    mirrored = costs.side == "left"

    def cost(arc: int, other: int) -> float:
        (tail, node, weight), (_, head, weight_on) = arcs[arc], arcs[other]
        if (head, weight_on) == (tail, weight):
            return costs.u_turn
        found = costs.signals if node in lit else 0
        if len(around[node]) < 3:
            return found
        degrees = math.degrees(cmath.phase((point[head] - point[node]) / (point[node] - point[tail])))
        assume(abs(degrees) < 179.9)  # which side that is rounding alone decides
        part = min(max((abs(degrees) - 30) / 60, 0), 1)
        most = costs.left if (degrees > 0) != mirrored else costs.right
        return found + costs.straight + part * (most - costs.straight)

    return over_arcs(arcs, source, closed, 3000, lambda arc, other: round(cost(arc, other) * 1000))


seconds = st.sampled_from([0, 1, 4, 7, 20])


@given(
    town=towns(),
    costs=st.builds(
        TurnCosts, seconds, seconds, st.sampled_from([0, 2]), seconds, seconds, st.sampled_from(["", "left"])
    ),
    lit=st.sets(st.integers(0, 6), max_size=2),
)
@example(
    town=([(0, 1, 0), (1, 0, 0), (0, 2, 0), (2, 0, 0), (0, 3, 0), (3, 0, 0)], 4, [(2, 0, 1)]),
    costs=TurnCosts(0, 0, 0, 1, 0),
    lit=set(),
)
@settings(max_examples=20, deadline=None)
def test_any_town(town: Any, costs: TurnCosts, lit: set[int]) -> None:
    arcs, nodes, turns = town
    plain = without_turns(network_of(arcs, nodes), [[each + 10 for each in turn] for turn in turns])
    network = with_turn_costs(plain, costs, [node + 10 for node in lit])
    later = with_turn_costs(network_of(arcs, nodes), costs, [node + 10 for node in lit])
    later = without_turns(later, [[each + 10 for each in turn] for turn in turns[:1]])
    for source in range(0, nodes, 2):
        assert distances(network, source + 10, "travel time") == times(arcs, source, set(turns), costs, lit)
        assert distances(later, source + 10, "travel time") == times(arcs, source, set(turns[:1]), costs, lit)
    assert distances(network, 10) == distances(plain, 10)


@pytest.mark.parametrize(
    ("costs", "to_left", "to_right"),
    [(TurnCosts(), 7, 4), (TurnCosts(side="left"), 4, 7), (TurnCosts(left=0, right=0), 0, 0)],
)
def test_left_and_right(costs: TurnCosts, to_left: float, to_right: float) -> None:
    """From the south, node 11, the west is to the left."""
    network = with_turn_costs(network_of(CROSS, 9), costs)
    found = distances(network, 11, "travel time")
    assert [found[node] - 30_000 for node in (3, 5, 7)] == [1000 * to_left, 1000 * to_right, 0]
    assert distances(network, 14, "travel time") == {node: 15_000 if node != 4 else 0 for node in (1, 3, 4, 5, 7)}
    assert distances(network, 11)[3] == 10, "a length has no turns"


def test_signals_cost_also_in_the_middle_of_a_road() -> None:
    road = [(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1)]
    network = with_turn_costs(network_of(road, 3), TurnCosts(signals=5), signals=[11, 4711])
    assert distances(network, 10, "travel time") == {0: 0, 1: 3000, 2: 11_000}
    assert not is_split(with_turn_costs(network_of(road, 3)))


def test_the_network_says_how_large_it_became() -> None:
    network = with_turn_costs(network_of(CROSS, 9), TurnCosts(left=9))
    assert network.notes[-1].startswith(
        "turns cost seconds: left=9 right=4 straight=0 u_turn=20 signals=5; 1 more split"
    )
    assert network.notes[-1].endswith(f"became {network.node_count} and {network.arc_count}")
    roads = ~turn_arcs(network)
    assert int(roads.sum()) == len(CROSS)
    found = wayfront.search(network, network.node(11), "dijkstra", "cpu", metric="travel time", verify=True)
    assert found.route(network.node(13)).ids.tolist() == [11, 14, 13]


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ("usual", TurnCosts()),
        ("", TurnCosts()),
        ("left=9,right=3", TurnCosts(9, 3)),
        ("u_turn=60 side=left", TurnCosts(u_turn=60, side="left")),
    ],
)
def test_costs_as_text(text: str, costs: TurnCosts) -> None:
    assert TurnCosts.described(text) == costs
    assert TurnCosts.described(str(costs)) == costs


@pytest.mark.parametrize(
    "text", ["left", "left=", "left=x", "left=-1", "left=1e9", "left=nan", "up=3", "left=1,left=2", "side=up"]
)
def test_texts_that_are_no_costs(text: str) -> None:
    with pytest.raises(OptionError, match=r"turn|traffic"):
        TurnCosts.described(text)


def test_networks_whose_turns_cannot_cost() -> None:
    with pytest.raises(NetworkError, match="has no coordinates"):
        with_turn_costs(wayfront.from_pandas({"source": [1], "target": [2], "weight": [1]}))
    plain = network_of(CROSS, 9)
    bare = RoadNetwork.from_arcs(
        name="bare", node_count=2, tails=np.array([0]), heads=np.array([1]), coordinates=np.zeros((2, 2), np.int32),
        metrics=[Metric("length", "m", 1.0, np.ones(1, np.int32))],
    )  # fmt: skip
    with pytest.raises(NetworkError, match="no metric in seconds"):
        with_turn_costs(bare)
    with pytest.raises(NetworkError, match="cost already"):
        with_turn_costs(with_turn_costs(plain))
    with pytest.raises(OptionError, match=r"wayfront.TurnCosts\(…\), not str"):
        with_turn_costs(plain, "usual")  # type: ignore[arg-type]
    for signals in (5, ["a"], [1.5], [2**70]):
        with pytest.raises(OptionError, match="signals are the ids of nodes"):
            wayfront.with_turn_costs(plain, signals=signals)  # type: ignore[arg-type]  # which is what is wrong
