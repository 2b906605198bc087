"""Forbidden turns as the copies of split nodes have them: rows for signs, and whether one road may follow another."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import wayfront
from repository import REAL_DATA
from round_the_block import write_map
from wayfront import OsmOptions
from wayfront.network.copies import begin_of, end_of, split_count, turn_arcs
from wayfront.network.forbidden_turns import TurnRule, forbidden_turns, may_turn
from wayfront.network.headings import turned_by
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe import memory
from wayfront.safe.errors import MemoryShortError


def told(network: RoadNetwork) -> list[tuple[str, int, int, int]]:
    """Return the rows as rule, and the ids of where one comes from, of the node, and of where the road leads."""
    turns, ids, tails = forbidden_turns(network), network.node_ids, network.tails()
    rows = zip(turns.rule, turns.arriving, turns.via, turns.leaving, strict=True)
    return [
        (TurnRule(rule).name, int(ids[tails[arriving]]), int(ids[via]), int(ids[network.targets[leaving]]))
        for rule, arriving, via, leaving in rows
    ]


def test_a_restriction_is_one_row(tmp_path: Path) -> None:
    network = wayfront.open_network(write_map(tmp_path), cache=False)
    assert told(network) == [("NO", 1, 2, 5)]
    turns = forbidden_turns(network)
    arriving, leaving = int(turns.arriving[0]), int(turns.leaving[0])
    assert turns.behind.tolist() == [-1] and int(turns.via[0]) == begin_of(network, int(turns.via[0]))
    tails = network.tails()
    assert turned_by(network, arriving, int(tails[arriving]), leaving, int(tails[leaving])) == pytest.approx(-90, abs=1)


def test_one_way_on_of_three_is_a_row_of_its_own(tmp_path: Path) -> None:
    assert told(wayfront.open_network(write_map(tmp_path, ("only_straight_on", 10, 2, 11)))) == [("ONLY", 1, 2, 3)]
    two = write_map(tmp_path, ("no_left_turn", 10, 2, 15), ("no_right_turn", 15, 2, 10))
    assert sorted(told(wayfront.open_network(two))) == [("NO", 1, 2, 5), ("NO", 5, 2, 1)]


def test_turning_round_is_told_where_nothing_else_is_forbidden(tmp_path: Path) -> None:
    only_round = wayfront.open_network(write_map(tmp_path, ("no_u_turn", 10, 2, 10)), cache=False)
    assert {rule for rule, *_ in told(only_round)} == {"NO_U_TURN"}
    assert sorted(tail for _, tail, _, _ in told(only_round)) == [1, 3, 5, 7]


def test_networks_without_restrictions_have_no_rows(tmp_path: Path) -> None:
    network = wayfront.open_network(write_map(tmp_path), osm=OsmOptions(turns="off"), cache=False)
    assert not told(network) and may_turn(network, 0, 1)


def test_who_came_by_ways_of_a_restriction_is_told_where_they_came_from(tmp_path: Path) -> None:
    path = write_map(tmp_path)
    map_ = json.loads(path.read_text())
    relation = map_["elements"][-1]
    relation["tags"]["restriction"] = "no_u_turn"
    relation["members"] = [
        {"type": "way", "ref": 10, "role": "from"},
        {"type": "way", "ref": 11, "role": "via"},
        {"type": "way", "ref": 12, "role": "to"},
    ]
    path.write_text(json.dumps(map_))
    network = wayfront.open_network(path, cache=False)
    assert told(network) == [("NO", 2, 3, 6)]
    (behind,) = forbidden_turns(network).behind.tolist()
    assert [network.node_ids[network.tails()[behind]], network.node_ids[network.targets[behind]]] == [1, 2]
    assert told(wayfront.open_network(path, osm=OsmOptions(turn_costs="usual"), cache=False)) == told(network)


def roads_into(network: RoadNetwork, node: int) -> list[int]:
    arcs = np.flatnonzero((begin_of(network, network.targets) == node) & ~turn_arcs(network))
    return [int(arc) for arc in arcs if network.targets[arc] != end_of(network, int(network.targets[arc]))]


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["monaco-osrm.osm.pbf", "krems.osm.gz"])
def test_rows_are_what_cannot_be_taken_in_real_files(name: str) -> None:
    if not (REAL_DATA / "osm" / name).exists():
        pytest.skip(f"{name} is not here")
    network = wayfront.open_network(REAL_DATA / "osm" / name)
    turns, first = forbidden_turns(network), begin_of(network, np.arange(network.node_count))
    rows = zip(turns.rule.tolist(), turns.arriving.tolist(), turns.leaving.tolist(), strict=True)
    for rule, arriving, leaving in rows:
        assert may_turn(network, arriving, leaving) == (rule == TurnRule.ONLY)
    # What no row names is allowed, but for turning back.
    named = {(int(a), int(b)) for a, b in zip(turns.arriving, turns.leaving, strict=True)}
    only = set(turns.arriving[np.isin(turns.rule, (TurnRule.ONLY, TurnRule.BARRIER))].tolist())
    for via in np.unique(turns.via).tolist():
        ways = np.flatnonzero((first[network.tails()] == via) & ~turn_arcs(network)).tolist()
        for arriving, leaving in product(roads_into(network, via), ways):
            back = first[network.targets[leaving]] == first[network.tails()[arriving]]
            if (arriving, leaving) not in named and arriving not in only and not back:
                assert may_turn(network, arriving, leaving), (arriving, leaving)


@pytest.mark.parametrize(
    "restrictions",
    [
        [("no_left_turn", 10, 2, 15)],
        [("only_straight_on", 10, 2, 11)],
        [("no_left_turn", 10, 2, 15), ("no_right_turn", 15, 2, 10)],
        [("no_u_turn", 10, 2, 10)],
    ],
    ids=str,
)
def test_turns_that_cost_are_not_forbidden(tmp_path: Path, restrictions: list[tuple[str, int, int, int]]) -> None:
    path = write_map(tmp_path, *restrictions)
    costly = wayfront.open_network(path, osm=OsmOptions(turn_costs="usual"), cache=False)
    assert split_count(costly) > 1
    assert sorted(told(costly)) == sorted(told(wayfront.open_network(path, cache=False)))
    free = wayfront.open_network(path, osm=OsmOptions(turns="off", turn_costs="usual"), cache=False)
    assert split_count(free) and not told(free)


def test_many_copies_are_refused_before_memory_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's file may have as many nodes of one id as it likes."""
    count = 40
    inner, outer = np.arange(count), np.arange(count, 2 * count)
    network = RoadNetwork.from_arcs(
        name="many",
        node_count=2 * count,
        tails=np.concatenate([inner, outer]),
        heads=np.concatenate([outer, inner]),
        metrics=[Metric("length", "m", 1.0, np.ones(2 * count, np.int32))],
        node_ids=np.concatenate([np.full(count, 7), outer + 100]),
        coordinates=np.stack([np.where(np.arange(2 * count) < count, 0, np.arange(2 * count))] * 2, axis=1),
    )
    monkeypatch.setattr(memory, "available_bytes", lambda: count * count * 100)
    with pytest.raises(MemoryShortError, match="many"):
        forbidden_turns(network)
    monkeypatch.undo()
    assert len(forbidden_turns(network)) == count - 1
