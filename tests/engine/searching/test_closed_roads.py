"""Closed roads are not there, for every search: it finds what it finds on the network without them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import wayfront
from pairs_checks import check_pairs, expected_matrix
from search_checks import make_network, plain_distances, plain_parents, random_arcs
from wayfront.devices import describe_device
from wayfront.network.arcs import checked_arcs, without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.network.structure import in_largest_component
from wayfront.results.result import SearchKind
from wayfront.safe.errors import CertificateError, FormatError, NetworkError, TraceError
from wayfront.searching.all_pairs import driving
from wayfront.searching.certificate import certify
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.searching.result_file import load_pairs_trace, load_trace, save_trace
from wayfront.searching.run import Progress
from wayfront.synthetic import from_name

ON_CPU = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("cpu"))]
PAIRS_ON_CPU = [a.name for a in algorithms(SearchKind.ALL_PAIRS) if a.runs_on(describe_device("cpu"))]


def built_without(network: RoadNetwork, closed: NDArray[np.int64]) -> RoadNetwork:
    """Return a network built anew of the arcs that are left, in another way than the search goes."""
    left = sorted(set(range(network.arc_count)) - set(closed.tolist()))
    triples = zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    arcs = list(triples)
    return make_network(network.node_count, [arcs[arc] for arc in left], network.node_ids.tolist())


@pytest.mark.parametrize("name", ON_CPU)
def test_every_search_takes_closed_roads_for_absent(name: str) -> None:
    for seed, largest in ((1, 40), (2, 1)):
        network = random_arcs(60, 190, largest, seed)
        closed = np.random.default_rng(seed).choice(network.arc_count, 60, replace=False)
        result = wayfront.search(network, 7, name, "cpu", closures=closed, runs=0, verify=True)
        rest = built_without(network, closed)
        expected = plain_distances(rest, 7)
        assert [None if d == result.unreached else d for d in result.distances.tolist()] == expected
        if not find_algorithm(name).keeps_parents:
            assert result.parents.tolist() == plain_parents(rest, 7, expected)
        assert result.network is network
        assert result.closures.tolist() == sorted(closed.tolist())
        assert result.summary()["closed_arcs"] == 60


@pytest.mark.parametrize("name", PAIRS_ON_CPU)
def test_every_search_for_all_pairs_takes_closed_roads_for_absent(name: str, tmp_path: Path) -> None:
    network = random_arcs(40, 150, 30, 3)
    closed = np.arange(0, 150, 3)
    result = wayfront.all_pairs(network, name, "cpu", closures=closed, keep="matrix", runs=0, verify=True)
    assert result.matrix.tolist() == expected_matrix(built_without(network, closed)).tolist()
    certify(replace(result, matrix=None))
    with pytest.raises(CertificateError):
        certify(replace(result, closures=closed[:0]))


@pytest.mark.parametrize("name", PAIRS_ON_CPU)
def test_no_node_whose_roads_are_closed_is_the_centre(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driving, "REPORT_EVERY_S", 0.0)
    network = from_name("synthetic:grid?columns=5&rows=4&seed=2")
    closed = np.flatnonzero((network.tails() == 0) | (network.targets == 0))
    assert in_largest_component(network)[0], "with its roads open the node belongs to the component that is compared"
    result = wayfront.all_pairs(network, name, "cpu", runs=1, trace=True, verify=True, closures=closed)
    check_pairs(result)
    assert (int(result.figures.reached[0]), int(result.figures.eccentricity[0])) == (1, 0)
    assert result.centre.node != 0 and result.centre.eccentricity > 0
    rest = wayfront.all_pairs(built_without(network, closed), name, "cpu", runs=0)
    assert (result.centre, result.diameter) == (rest.centre, rest.diameter)
    save_trace(result, tmp_path / "closed.wftrace")
    assert load_pairs_trace(tmp_path / "closed.wftrace", network).centre == rest.centre
    assert result.found()["centre"]["node"] == network.node_ids[rest.centre.node]

    def stop(progress: Progress) -> None:
        if progress.sources_done:
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        wayfront.all_pairs(
            network, name, "cpu", runs=0, checkpoint=tmp_path / "a.wfpairs", progress=stop, closures=closed
        )
    resumed = wayfront.all_pairs(network, name, "cpu", runs=0, checkpoint=tmp_path / "a.wfpairs", closures=closed)
    assert resumed.centre == rest.centre


def test_a_closed_bridge_leaves_nodes_unreached() -> None:
    network = make_network(4, [(0, 1, 5), (1, 2, 5), (2, 3, 5), (1, 0, 5), (2, 1, 5), (3, 2, 5)])
    bridge = wayfront.arcs_between(network, np.array([1, 2]), np.array([2, 1]))
    result = wayfront.search(network, 0, "near-far", "cpu", closures=bridge, runs=0, verify=True)
    assert result.reached.tolist() == [True, True, False, False]
    assert result.route(3).nodes.tolist() == []


def test_a_network_without_closed_roads_is_kept_until_others_are_closed() -> None:
    network = random_arcs(20, 60, 9, 1)
    first = without_arcs(network, checked_arcs(network, [3, 1]))
    assert without_arcs(network, checked_arcs(network, [1, 3, 1])) is first
    other = without_arcs(network, checked_arcs(network, [2]))
    assert other.content_key not in (first.content_key, network.content_key)
    assert without_arcs(network, checked_arcs(network, [1, 3])) is not first
    assert without_arcs(network, checked_arcs(network, [])) is network
    assert (first.arc_count, first.node_ids.tolist()) == (58, network.node_ids.tolist())


@pytest.mark.parametrize(
    ("closures", "message"),
    [([60], "no internal arc 60; they are 0…59"), ([-1], "no internal arc -1"), ([0.5], "internal arc numbers")],
)
def test_what_is_no_arc_is_refused(closures: list[Any], message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        wayfront.search(random_arcs(20, 60, 9, 1), 0, "dijkstra", "cpu", closures=closures)


def test_a_trace_keeps_its_closures_and_is_proved_with_them(tmp_path: Path) -> None:
    network = random_arcs(50, 160, 9, 6)
    result = wayfront.search(network, 0, "near-far", "cpu", closures=[5, 9, 30], trace=True)
    save_trace(result, tmp_path / "closed.wftrace")
    back = load_trace(tmp_path / "closed.wftrace", network)
    assert back.closures.tolist() == [5, 9, 30]
    assert back.verified
    on_tree = wayfront.arcs_between(network, back.parents[back.reached][1:2], np.flatnonzero(back.reached)[1:2])
    save_trace(replace(result, closures=np.union1d(result.closures, on_tree)), tmp_path / "wrong.wftrace")
    with pytest.raises(TraceError, match="damaged"):
        load_trace(tmp_path / "wrong.wftrace", network)
    save_trace(replace(result, closures=np.array([160])), tmp_path / "outside.wftrace")
    with pytest.raises(TraceError, match="no internal arc 160"):
        load_trace(tmp_path / "outside.wftrace", network)


def test_a_checkpoint_of_other_closures_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driving, "REPORT_EVERY_S", 0.0)
    network = random_arcs(40, 150, 30, 3)
    path = tmp_path / "run.wfpairs"

    def stop(progress: Progress) -> None:
        if progress.sources_done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wayfront.all_pairs(network, "relax-update-in-turn", "cpu", checkpoint=path, runs=0, progress=stop, closures=[4])
    with pytest.raises(FormatError, match="name another file"):
        wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", checkpoint=path, runs=0)
    rest = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", checkpoint=path, runs=0, closures=[4])
    assert rest.found_before > 0
