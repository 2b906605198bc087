"""What the window shows of a search for all pairs: values by source, routes, and a matrix at every step."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.gui.conftest import make_grid

from made_pairs import make_pairs, stopped_after
from split_towns import people_matrix, split_town
from there import there
from wayfront import all_pairs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.features.small_graphs.moment import finished
from wayfront_gui.map.found import Found
from wayfront_gui.session.choice import choose_sources
from wayfront_gui.session.pairs import NEVER, Ends, MatrixReplay, Measure, Pairs, pivot_steps, tight_path
from wayfront_gui.session.replay import ReplayClock
from wayfront_gui.session.routes import measures
from wayfront_gui.session.slot import Slot

FAR = 10**9


@pytest.fixture(scope="module")
def network() -> RoadNetwork:
    return make_grid()


@pytest.fixture(scope="module")
def pairs(network: RoadNetwork) -> Pairs:
    return Pairs.of(make_pairs(network))


def length_of(network: RoadNetwork, path: np.ndarray) -> int:
    """Return the length of a path over the lightest of its parallel arcs."""
    weights, total = network.metrics[0].weights, 0
    for tail, head in pairwise(path.tolist()):
        arcs = range(network.offsets[tail], network.offsets[tail + 1])
        total += min(int(weights[arc]) for arc in arcs if network.targets[arc] == head)
    return total


def test_colours_rise_with_the_value_and_leave_out_what_reaches_nothing(pairs: Pairs) -> None:
    lonely = pairs.network.node_count - 1
    for measure in Measure:
        nodes, rows = pairs.colours(measure)
        assert sorted(nodes.tolist()) == list(range(lonely))
        values = pairs.figures.eccentricity if measure is Measure.ECCENTRICITY else pairs.figures.closeness(109)
        assert (np.diff(rows[np.argsort(values[nodes], kind="stable")].astype(int)) >= 0).all()
        assert rows.min() == 0 and rows.max() == 255


def test_centre_and_diameter_are_those_of_the_sources_that_reach_most(pairs: Pairs) -> None:
    eccentricity = pairs.figures.eccentricity[:-1]
    assert pairs.centre is not None and pairs.diameter is not None
    assert pairs.centre.eccentricity == eccentricity.min()
    assert pairs.diameter.distance == eccentricity.max()
    assert pairs.distance(pairs.diameter.source, pairs.diameter.target) == pairs.diameter.distance


def test_before_the_first_source_there_is_nothing_to_show(pairs: Pairs) -> None:
    result = there(pairs.result)
    nothing = replace(pairs, figures=stopped_after(result, 0), result=None)
    assert (nothing.finished, nothing.diameter, nothing.centre, nothing.matrix) == (0, None, None, None)
    assert all(len(nothing.colours(measure)[0]) == 0 for measure in Measure)
    assert nothing.farthest(0) is None and nothing.about(0) == ["not finished"]


def test_every_route_of_the_matrix_is_as_long_as_its_cell(pairs: Pairs) -> None:
    network = pairs.network
    for source in (0, 40, 107):
        for target in range(network.node_count):
            path, distance = pairs.route(source, target), pairs.distance(source, target)
            assert path is not None and distance is not None
            if distance < 0:
                assert len(path) == 0
            else:
                assert (path[0], path[-1]) == (source, target) and length_of(network, path) == distance


def test_a_path_over_arcs_of_weight_zero_ends() -> None:
    tails, heads, weights = np.array([[0, 1, 0], [1, 0, 0], [1, 2, 0], [2, 1, 0], [2, 3, 5]]).T
    metric = Metric("length", "m", 1.0, weights)
    network = RoadNetwork.from_arcs(name="zeros", node_count=4, tails=tails, heads=heads, metrics=[metric])
    assert tight_path(network, network.metrics[0], np.array([0, 0, 0, 5]), 0, 3).tolist() == [0, 1, 2, 3]


def test_what_is_shown_is_of_the_network_without_the_closed_roads() -> None:
    closed_arcs = [(1, 0, 6), (0, 2, 4), (1, 2, 2), (3, 0, 1), (0, 3, 1)]
    table = np.array([(0, 1, 1), (1, 2, 5), (2, 0, 1), *closed_arcs])
    metric = Metric("length", "m", 1.0, table[:, 2].astype(np.int32))
    network = RoadNetwork.from_arcs(name="closed", node_count=4, tails=table[:, 0], heads=table[:, 1], metrics=[metric])
    weights = network.metrics[0].weights
    arcs = list(zip(network.tails().tolist(), network.targets.tolist(), weights.tolist(), strict=True))
    closed = np.array(sorted(arcs.index(arc) for arc in closed_arcs), np.int64)
    result = all_pairs(network, "floyd-warshall", "cpu", keep="matrix", closures=closed, trace=True)
    finished = Pairs.of(result)
    so_far = Pairs(network, network.metrics[0], result.sources, result.figures, result.trace, closures=closed)
    for pairs in (finished, so_far):
        assert pairs.centre is not None and (pairs.centre.node, pairs.centre.eccentricity) == (2, 2)
    route = finished.route(1, 0)
    assert route is not None and route.tolist() == [1, 2, 0], "the closed arc is as long"
    matrix = MatrixReplay.of(finished)
    assert matrix is not None and matrix.pivots
    assert matrix.first[1, 0] >= 0, "no open arc gives this cell a path before the first pivot"
    slot = Slot(1, ReplayClock())
    slot.open(network)
    slot.show_pairs(finished)
    slot.choose_pair(Ends(1, 0))
    assert not len(slot.closures.arcs), "the roads that are closed now are not those of the search"
    assert "6 m" in measures(slot.shown_ways()), "not over the closed arc beside the open one"


def test_a_closed_arc_beside_an_arc_of_the_tree_is_none_of_it() -> None:
    metric = Metric("length", "m", 1.0, np.array([4, 4], np.int32))
    zeros, ones = np.zeros(2, np.int64), np.ones(2, np.int64)
    network = RoadNetwork.from_arcs(name="two", node_count=2, tails=zeros, heads=ones, metrics=[metric])
    distances, parents = np.array([0, 4], np.int32), np.array([-1, 0], np.int32)
    for closed in (0, 1):
        moment = finished(network, network.metrics[0], distances, parents, np.array([closed]))
        assert moment.parents[1] == 1 - closed


def test_a_source_is_described_and_others_say_why_they_are_not(network: RoadNetwork) -> None:
    sampled = Pairs.of(make_pairs(network, np.array([3, 50, 108])))
    far, mean = sampled.about(50)[:2]
    assert far.startswith("eccentricity ") and far.endswith(f"to node {network.node_ids[sampled.farthest(50)]}")
    assert mean.startswith("mean ") and sampled.about(50)[2] == "reaches 108 nodes"
    assert sampled.about(108) == ["reaches no other node"] and sampled.about(4) == ["no source"]


def test_a_matrix_of_batches_fills_by_rows(network: RoadNetwork) -> None:
    order = np.random.default_rng(3).permutation(network.node_count).astype(np.int32)
    found = make_pairs(network, order)
    matrix = MatrixReplay.of(Pairs.of(found))
    assert matrix is not None and not matrix.pivots and found.trace is not None
    assert matrix.sources.tolist() == list(range(network.node_count)), "rows are in the order of the nodes"
    assert (matrix.last == found.trace.first_reached[:, None]).all()
    assert ((matrix.first == NEVER) == (matrix.distances < 0)).all()
    assert (matrix.distances[order] == found.matrix).all()


def test_a_matrix_of_pivots_is_at_every_step_that_of_floyd_and_warshall(network: RoadNetwork) -> None:
    found = make_pairs(network, pivots=True)
    matrix = MatrixReplay.of(Pairs.of(found))
    assert matrix is not None and matrix.pivots and found.trace is not None
    n = network.node_count
    now = np.full((n, n), FAR)
    np.minimum.at(now, (network.tails(), network.targets), network.metrics[0].weights)
    np.fill_diagonal(now, 0)
    assert ((now < FAR) == (matrix.first < 0)).all(), "arcs are there before the first pivot"
    for step in range(n):
        before = now
        now = np.minimum(now, now[:, step, None] + now[None, step, :])
        assert ((now < FAR) == (matrix.first <= step)).all()
        changed = now < before
        assert (matrix.last[changed] >= step).all()
        assert (changed | (matrix.last != step)).all()
    assert (np.where(now >= FAR, -1, now) == matrix.distances).all()


def test_pivots_of_one_step_may_be_many(network: RoadNetwork) -> None:
    """A blocked search takes a tile of pivots in a step: a cell changes in the step that its last pivot belongs to."""
    found = there(make_pairs(network, pivots=True).trace)
    tile = 16
    last_step = (network.node_count - 1) // tile
    nodes = np.arange(network.node_count, dtype=np.int32)
    tiles = replace(
        found,
        frontier_nodes=nodes,
        frontier_offsets=np.append(np.arange(0, network.node_count, tile), network.node_count).astype(np.int64),
        frontier_size=np.full(last_step + 1, tile, np.int32),
        improved=np.zeros(last_step + 1, np.int64),
    )
    first, last = pivot_steps(network, network.metrics[0], found)
    tiled_first, tiled_last = pivot_steps(network, network.metrics[0], tiles)
    assert (tiled_last == last // tile).all()
    assert (tiled_first == np.where(first == NEVER, NEVER, first // tile)).all()


@pytest.mark.parametrize("nodes", [1, 2, 300, 513, 5000])
@pytest.mark.parametrize("sample", [None, 1, 100, 5000])
def test_sources_are_distinct_and_as_many_as_were_chosen(nodes: int, sample: int | None) -> None:
    sources = choose_sources(nodes, sample)
    assert len(sources) == len(set(sources.tolist())) == min(sample or nodes, nodes)
    assert sources.min() >= 0 and sources.max() < nodes


@pytest.mark.parametrize("sample", [None, 1000])
def test_sources_found_early_are_spread_over_all_numbers(sample: int | None) -> None:
    sources = choose_sources(100_000, sample)
    early = np.histogram(sources[: len(sources) // 10], bins=10, range=(0, 100_000))[0]
    assert early.min() > 0.6 * early.mean()


def test_any_copy_of_a_split_node_names_it() -> None:
    town = split_town(3, columns=5, rows=4, turns=20)
    pairs = Pairs.of(all_pairs(town, "dijkstra-in-turn", "cpu", keep="matrix", trace=True))
    ids, matrix = people_matrix(town)
    assert not pairs.sampled
    split = int(np.flatnonzero(np.bincount(np.searchsorted(ids, town.node_ids)) > 1)[0])
    copies, other = np.flatnonzero(town.node_ids == ids[split]).tolist(), 0 if split else len(ids) - 1
    for copy in copies:
        there = int(np.flatnonzero(town.node_ids == ids[other])[0])
        assert pairs.distance(there, copy) == matrix[other, split]
        assert pairs.farthest(copy) == pairs.farthest(copies[0])
        way = pairs.route(copy, there)
        assert way is not None and town.node_ids[way[[0, -1]]].tolist() == [ids[split], ids[other]]
    coloured, rows = pairs.colours(Measure.CLOSENESS)
    assert sorted(coloured) == list(range(town.node_count))
    assert len({int(rows[list(coloured).index(copy)]) for copy in copies}) == 1
    found = Found.of_pairs(pairs, Measure.CLOSENESS)
    assert len({int(found.nodes.first_step[copy]) for copy in copies}) == 1
