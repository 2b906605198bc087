"""Figures of all pairs and vulnerability count a split node once: one source, and one node that is reached."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from split_towns import figures_of_matrix, people_matrix, split_town
from wayfront.network.arcs import without_arcs
from wayfront.network.copies import all_sources, begin_of, is_split, node_count_of, turn_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.searching.all_pairs.checkpoint import Checkpoint
from wayfront.searching.certificate import certify
from wayfront.searching.result_file import load_pairs_trace, save_trace

DIJKSTRA, CUT = "dijkstra-in-turn", "dissection-all-pairs"


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    town = split_town(3)
    assert town.node_count > node_count_of(town) + 20
    return town


def rows_of(found: wayfront.PairsResult) -> list[tuple[int, int, int, int]]:
    """Return the figures of sources by rising id, with the id of the farthest node."""
    ids, figures = found.network.node_ids, found.figures
    order = np.argsort(ids[found.sources])
    far = ids[figures.farthest]
    columns = figures.eccentricity[order], far[order], figures.total[order], figures.reached[order]
    return list(zip(*(column.tolist() for column in columns), strict=True))


@pytest.mark.parametrize("algorithm", [DIJKSTRA, CUT, "heap-apsp", "by classes"])
@pytest.mark.parametrize("reverse", [False, True])
def test_figures_are_those_of_nodes(
    network: RoadNetwork, algorithm: str, reverse: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = np.flatnonzero(~turn_arcs(network))[::9]
    if algorithm == "by classes":
        monkeypatch.setattr("wayfront.dissection.host.engine.WORTH_SHARING", 0)
        monkeypatch.setattr("wayfront.dissection.host.class_figures.LEAST_BELOW", 12)
    name = CUT if algorithm == "by classes" else algorithm
    found = wayfront.all_pairs(network, name, "cpu", closures=closed, reverse=reverse, verify=algorithm != "by classes")
    ids, matrix = people_matrix(without_arcs(network, closed), reverse=reverse)
    assert len(found.sources) == len(ids) == node_count_of(network)
    assert rows_of(found) == figures_of_matrix(ids, matrix)
    assert (found.pairs_reached, found.pairs_unreached) == ((matrix >= 0).sum(), (matrix < 0).sum())
    assert found.sum_distance == matrix[matrix >= 0].sum()
    assert found.diameter.distance == matrix.max()


@pytest.mark.parametrize("seed", range(4))
def test_other_towns_and_costs_of_turns(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    town = split_town(seed, columns=5, rows=4, turns=25)
    if seed % 2:
        timed = Metric("time", "s", 1.0, town.metrics[0].weights)
        town = replace(town, metrics=(timed,), _derived={})
        town = wayfront.with_turn_costs(town, wayfront.TurnCosts(left=9), signals=town.node_ids[::7].tolist())
    ids, matrix = people_matrix(town)
    for shared in (0, 1 << 40):
        monkeypatch.setattr("wayfront.dissection.host.engine.WORTH_SHARING", shared)
        assert rows_of(wayfront.all_pairs(town, CUT, "cpu")) == figures_of_matrix(ids, matrix)


def test_what_follows_from_figures(network: RoadNetwork, tmp_path: Path) -> None:
    ids, matrix = people_matrix(network)
    n = len(ids)
    found = wayfront.all_pairs(network, DIJKSTRA, "cpu", keep="matrix", trace=True)
    to = (np.where(matrix < 0, 0, matrix).sum(axis=0), (matrix >= 0).sum(axis=0) - 1)
    wanted = to[1] / (n - 1) * to[1] / (to[0] * found.metric.scale)
    order = np.argsort(network.node_ids[found.sources])
    np.testing.assert_allclose(found.closeness()[order], wanted)
    np.testing.assert_allclose(wayfront.closeness(network, device="cpu", algorithm=DIJKSTRA)[order], wanted)
    centre = found.centre
    assert centre.node == begin_of(network, centre.node)
    assert centre.eccentricity == min(row.max() for row in matrix if (row >= 0).sum() == n)
    any_copy = int(np.flatnonzero(network.node_ids == network.node_ids[centre.node])[-1])
    assert found.row(any_copy).max() == found.row(centre.node).max()
    certify(found)
    save_trace(found, tmp_path / "pairs.wftrace")
    assert rows_of(load_pairs_trace(tmp_path / "pairs.wftrace", network)) == rows_of(found)


def test_sources_of_a_checkpoint_are_not_searched_again(network: RoadNetwork, tmp_path: Path) -> None:
    path, last = tmp_path / "town.wfpairs", network.node_count - 1
    some = wayfront.all_pairs(network, DIJKSTRA, "cpu", sources=[last, 0, last])
    assert (some.sources == begin_of(network, np.array([last, 0]))).all()
    Checkpoint(path, network, network.metrics[0]).save(some.sources, some.figures, None)
    found = wayfront.all_pairs(network, CUT, "cpu", checkpoint=path)
    assert found.found_before == 2
    assert rows_of(found) == figures_of_matrix(*people_matrix(network))


def test_a_turn_from_where_ways_begin_to_where_they_end_stays_open(network: RoadNetwork) -> None:
    everything = np.flatnonzero(turn_arcs(network))
    found = wayfront.all_pairs(network, CUT, "cpu", closures=everything)
    assert (found.figures.reached >= 1).all()
    assert (found.figures.reached < node_count_of(network)).any()


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize("sources", [None, range(0, 60, 7)])
def test_a_closed_road_costs_nodes_and_not_copies(
    network: RoadNetwork, classes: bool, sources: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if classes:
        monkeypatch.setattr("wayfront.dissection.host.engine.WORTH_SHARING", 0)
        monkeypatch.setattr("wayfront.dissection.host.class_closing.LEAST_BELOW", 12)
        monkeypatch.setattr("wayfront.dissection.host.engine.TREES_SHARED", 10**9)
    found = wayfront.vulnerability(network, k=6, sources=sources, device="cpu")
    ids, before = people_matrix(network)
    starts = np.searchsorted(ids, np.unique(network.node_ids[all_sources(network) if sources is None else [*sources]]))
    assert found.sampled == (sources is not None)
    assert found.pairs == (before[starts] >= 0).sum() - len(starts)
    for rank in range(len(found)):
        _, after = people_matrix(without_arcs(network, found.closing(rank)))
        left = after[starts] >= 0
        assert found.extra[rank] == (after[starts] - before[starts])[left].sum()
        assert found.cut_off[rank] == ((before[starts] >= 0) & ~left).sum()


def test_ids_that_nothing_joins_count_each() -> None:
    weights = Metric("length", "m", 1.0, np.array([1, 2, 3], np.int32))
    town = RoadNetwork.from_arcs(
        name="Odd", node_count=3, tails=np.array([0, 2, 1]), heads=np.array([2, 1, 2]), metrics=[weights],
        node_ids=np.array([7, 7, 8]), coordinates=np.array([[1, 1], [1, 1], [2, 2]], np.int32),
    )  # fmt: skip
    assert is_split(town)
    assert wayfront.all_pairs(town, DIJKSTRA, "cpu").figures.reached.tolist() == [3, 2]
