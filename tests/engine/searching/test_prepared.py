"""Prepared networks give what a fresh search gives, whatever was closed, reopened or weighted anew before."""

from __future__ import annotations

import threading
import time
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import wayfront
from pairs_checks import expected_matrix, shapes
from search_checks import make_network, networks, plain_distances, plain_parents, random_arcs
from wayfront.devices import Ability
from wayfront.dissection.cut.cutting import dissect
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError, OptionError, SearchCancelled
from wayfront.searching import customised
from wayfront.searching.certificate import certify
from wayfront.searching.prepared import Prepared
from wayfront.searching.run import Progress
from wayfront.synthetic import from_name


def check_against_dijkstra(prepared: Prepared, weights: Any, closed: Any, source: int) -> None:
    """Compare a tree with a fresh search on the network with these weights and closures."""
    network, metric = prepared.network, prepared.network.metrics[0]
    fresh = RoadNetwork.from_arrays(
        name="fresh",
        offsets=network.offsets,
        targets=network.targets,
        metrics=[Metric(metric.name, metric.unit, metric.scale, np.array(weights, np.int32))],
        node_ids=network.node_ids,
    )
    expected = wayfront.search(fresh, source, "dijkstra", "cpu", closures=closed, runs=0, trace_budget=None)
    found = prepared.tree(source)
    assert found.distances.tolist() == expected.distances.tolist()
    assert found.parents.tolist() == expected.parents.tolist()


@pytest.mark.parametrize("name", shapes())
def test_trees_of_every_shape_equal_the_reference(name: str) -> None:
    network = shapes()[name]
    prepared = wayfront.prepare(network, device="cpu")
    rows = prepared.trees(range(network.node_count))
    assert rows.tolist() == expected_matrix(network).tolist()
    result = prepared.tree(network.node_count // 2)
    certify(result)
    assert result.distances.tolist() == rows[network.node_count // 2].tolist()
    assert result.summary()["prepare_ms"].keys() == {"cut", "set up", "customise"}


@settings(max_examples=15, deadline=None)
@given(network=networks(), data=st.data())
def test_any_network_with_any_closures_and_weights(network: RoadNetwork, data: st.DataObject) -> None:
    prepared = wayfront.prepare(network, device="cpu")
    arcs = st.lists(st.integers(0, max(network.arc_count - 1, 0)), max_size=6 * (network.arc_count > 0))
    weights, closed = network.metrics[0].weights.copy(), set[int]()
    for _ in range(data.draw(st.integers(1, 4))):
        chosen = data.draw(arcs)
        if data.draw(st.booleans()):
            prepared.close(chosen)
            closed |= set(chosen)
        elif data.draw(st.booleans()):
            prepared.reopen(chosen)
            closed -= set(chosen)
        else:
            once = np.array(sorted(set(chosen)), np.int64)
            given_weights = data.draw(st.lists(st.integers(0, 2**31 - 1), min_size=len(once), max_size=len(once)))
            prepared.set_weights(once, np.array(given_weights, np.int64))
            weights[once] = given_weights
        source = data.draw(st.integers(0, network.node_count - 1))
        assert prepared.closures.tolist() == sorted(closed)
        check_against_dijkstra(prepared, weights, sorted(closed), source)


def test_closing_and_reopening_random_roads_one_after_another() -> None:
    network = from_name("synthetic:grid?columns=30&rows=25&seed=4")
    prepared = wayfront.prepare(network, device="cpu")
    random, closed = np.random.default_rng(5), set[int]()
    weights = network.metrics[0].weights
    for turn in range(60):
        arc = int(random.integers(network.arc_count)) if turn % 3 or not closed else random.choice(sorted(closed))
        (prepared.reopen if arc in closed else prepared.close)([arc])
        closed ^= {int(arc)}
        check_against_dijkstra(prepared, weights, sorted(closed), int(random.integers(network.node_count)))
    prepared.reopen()
    assert not len(prepared.closures)
    check_against_dijkstra(prepared, weights, [], 3)


def test_the_roads_closed_are_exactly_those_given_whatever_was_closed_before() -> None:
    network = from_name("synthetic:grid?columns=12&rows=11&seed=4")
    prepared = wayfront.prepare(network, device="cpu")
    weights = network.metrics[0].weights
    for closed in ([3, 8, 90], [8, 91, 5], [8, 91, 5], []):
        prepared.close_exactly(closed)
        assert prepared.closures.tolist() == sorted(closed)
        check_against_dijkstra(prepared, weights, sorted(closed), 40)
    with pytest.raises(NetworkError):
        prepared.close_exactly([network.arc_count])
    assert not len(prepared.closures)


def test_a_closed_bridge_leaves_nodes_unreached_until_it_is_open() -> None:
    network = make_network(4, [(0, 1, 5), (1, 2, 5), (2, 3, 5), (1, 0, 5), (2, 1, 5), (3, 2, 5)])
    prepared = wayfront.prepare(network, device="cpu")
    prepared.close(wayfront.arcs_between(network, np.array([1]), np.array([2])))
    result = prepared.tree(0)
    assert result.reached.tolist() == [True, True, False, False]
    certify(result)
    prepared.reopen()
    assert prepared.tree(0).reached.all()


def test_results_keep_the_weights_and_closures_they_were_found_with() -> None:
    network = random_arcs(50, 160, 30, 2)
    prepared = wayfront.prepare(network, device="cpu")
    assert prepared.metric is network.metrics[0]
    prepared.set_weights([3, 8], 0)
    prepared.close([5, 9])
    prepared.set_weights([9], [77])
    former = prepared.tree(1)
    prepared.reopen()
    prepared.set_weights([3, 8], network.metrics[0].weights[[3, 8]])
    certify(former)
    assert former.closures.tolist() == [5, 9]
    assert former.metric.weights[[3, 8, 9]].tolist() == [0, 0, 77]
    assert prepared.metric.weights[9] == 77
    certify(prepared.tree(1))


def test_distances_beyond_32_bits_widen_what_is_prepared() -> None:
    network = make_network(6, [(u, u + 1, 3) for u in range(5)])
    prepared = wayfront.prepare(network, device="cpu")
    assert prepared.distance_dtype == np.int32
    narrow = np.empty(6, np.int32)
    prepared.distances_into(0, narrow)
    assert narrow.tolist() == [0, 3, 6, 9, 12, 15]
    prepared.set_weights(np.arange(5), 2**31 - 1)
    assert prepared.distance_dtype == np.int64
    assert prepared.tree(0).distances.tolist() == [k * (2**31 - 1) for k in range(6)]
    with pytest.raises(NetworkError, match="take 6 int64, not int32"):
        prepared.distances_into(0, narrow)


def test_distances_and_parents_are_written_in_place() -> None:
    network = random_arcs(80, 260, 3, 7)
    prepared = wayfront.prepare(network, device="cpu")
    distances, parents = np.empty(80, prepared.distance_dtype), np.empty(80, np.int32)
    for source in (4, 60):
        prepared.distances_into(source, distances)
        prepared.parents_into(distances, source, parents)
        expected = plain_distances(network, source)
        assert distances.tolist() == [-1 if d is None else d for d in expected]
        assert parents.tolist() == plain_parents(network, source, expected)
        both = np.empty_like(distances), np.empty_like(parents)
        prepared.tree_into(source, *both)
        assert (both[0] == distances).all() and (both[1] == parents).all()
    with pytest.raises(NetworkError, match="distance_dtype"):
        prepared.tree_into(0, np.empty(79, np.int32), parents)
    assert prepared.trees([]).shape == (0, 80)


@pytest.mark.parametrize(
    ("arcs", "weights", "message"),
    [
        ([1, 1], [2, 3], "an arc occurs twice"),
        ([1], [-1], "whole numbers between 0 and 2,147,483,647"),
        ([1], [2**31], "whole numbers between"),
        ([1], [0.5], "whole numbers between"),
        ([1, 2], [1, 2, 3], "one for each arc"),
        ([900], [1], "no internal arc 900"),
    ],
)
def test_weights_that_no_arc_can_have_are_refused(arcs: list[int], weights: list[Any], message: str) -> None:
    prepared = wayfront.prepare(random_arcs(20, 60, 9, 1), device="cpu")
    before = prepared.tree(0)
    with pytest.raises(NetworkError, match=message):
        prepared.set_weights(arcs, weights)
    with pytest.raises(NetworkError, match="no internal node 20"):
        prepared.tree(20)
    assert prepared.tree(0).distances.tolist() == before.distances.tolist()


def test_auto_takes_the_dissection_once_the_cut_is_kept() -> None:
    network = random_arcs(60, 200, 9, 4)
    assert wayfront.search(network, 0, device="cpu", runs=0, trace=True).algorithm == "dijkstra"
    assert wayfront.all_pairs(network, device="cpu", runs=1, trace=True).algorithm == "dijkstra-in-turn"
    wayfront.prepare(network, device="cpu")
    found = wayfront.search(network, 0, device="cpu", runs=0, trace_budget=None, closures=[3], verify=True)
    assert found.algorithm == "dissection"
    assert (
        wayfront.all_pairs(network, device="cpu", runs=1, verify=True, trace=True).algorithm == "dissection-all-pairs"
    )
    with pytest.raises(OptionError, match="there is no option 'heap' here"):
        wayfront.search(network, 0, device="cpu", trace_budget=None, options={"heap": "lazy"})
    with pytest.MonkeyPatch.context() as refusing:
        refusing.setattr(customised, "dissection_of", refuse)
        assert wayfront.search(network, 0, device="cpu", runs=0, trace_budget=None).algorithm == "dijkstra"


def test_auto_takes_a_search_with_a_front_for_what_is_recorded_whatever_is_kept() -> None:
    network = random_arcs(60, 200, 9, 5)
    wayfront.prepare(network, device="cpu")
    assert wayfront.search(network, 0, device="cpu", runs=0, trace_budget=None).algorithm == "dissection"
    recorded = wayfront.search(network, 0, device="cpu", runs=0, trace_budget=1 << 20)
    assert recorded.algorithm == "dijkstra"
    assert recorded.trace is not None
    named = wayfront.search(network, 0, "dissection", device="cpu", runs=0, trace_budget=1 << 20)
    assert named.algorithm == "dissection"


def refuse(network: RoadNetwork, **_asked: Any) -> None:
    """Refuse as where fronts are too large."""
    raise NetworkError("too large")


def test_what_is_prepared_is_reported_and_can_be_cancelled() -> None:
    told: list[tuple[str, float]] = []

    def note(progress: Progress) -> None:
        if progress.stage == "preparing":
            told.append((progress.doing, progress.fraction))

    wayfront.search(random_arcs(60, 200, 9, 5), 0, "dissection", "cpu", runs=0, progress=note, trace=True)
    assert told
    assert all(doing and -1 <= fraction <= 1 for doing, fraction in told)
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(SearchCancelled):
        wayfront.prepare(random_arcs(60, 200, 9, 6), device="cpu", cancel=cancel)


class SlowAtFirst:
    """An engine that takes 40 ms to make and 100 to customise at first, 10 later, as one on a card does."""

    spare = 0

    def __init__(self, clock: list[float]) -> None:
        self._clock, self._customised, self.spare = clock, False, 0
        clock[0] += 0.04

    def customise(self, weights: NDArray[Any]) -> bool:
        self._clock[0] += 0.01 if self._customised else 0.1
        self._customised = True
        return True


@pytest.mark.parametrize(("card", "set_up_ms", "customise_ms"), [(True, 140, 10), (False, 40, 100)])
def test_what_is_compiled_for_a_cut_is_no_part_of_customising_it(
    monkeypatch: pytest.MonkeyPatch, card: bool, set_up_ms: float, customise_ms: float
) -> None:
    clock, network = [0.0], random_arcs(30, 90, 9, 2)
    monkeypatch.setattr(customised, "make_engine", lambda *_args, **_options: SlowAtFirst(clock))
    monkeypatch.setattr(time, "perf_counter", lambda: clock[0])
    abilities = frozenset[Ability]() if card else frozenset({Ability.HOST_LOOPS})
    device: Any = SimpleNamespace(abilities=abilities, compiles=True, threads=1, synchronize=lambda: None)
    engine = customised.Customised(device, network, dissect(network))
    for name in ("one", "another"):
        wanted = customised.Wanted("weight", np.array([len(name)], np.int64).tobytes(), np.dtype(np.int32))
        assert engine.customise(wanted)
        assert engine.set_up_ms == pytest.approx(set_up_ms)
        assert engine.customise_ms == pytest.approx(customise_ms if name == "one" else 10)


def test_fronts_go_before_wider_ones_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = wayfront.prepare(make_network(3, [(0, 1, 1), (1, 2, 1)]), device="cpu")
    narrow, set_up, there = weakref.ref(prepared._ready), customised.set_up, list[bool]()

    def noting(*given: Any) -> Any:
        there.append(narrow() is not None)
        return set_up(*given)

    monkeypatch.setattr("wayfront.searching.prepared.set_up", noting)
    prepared.set_weights([0, 1], 2**31 - 1)
    assert prepared.distance_dtype == np.int64
    assert there == [False]


def test_nothing_is_written_behind_an_array_that_is_too_short() -> None:
    prepared = wayfront.prepare(make_network(3, [(0, 1, 1), (1, 2, 1)]), device="cpu")
    distances, room = np.empty(3, np.int32), np.full(3, 77, np.int32)
    others: tuple[Any, ...] = (room[:1], np.empty(3, np.int64))
    prepared.distances_into(0, distances)
    for parents in others:
        with pytest.raises(NetworkError, match="take 3 int32, not "):
            prepared.tree_into(0, distances, parents)
        with pytest.raises(NetworkError, match="take 3 int32, not "):
            prepared.parents_into(distances, 0, parents)
    assert room.tolist() == [77, 77, 77]
    prepared.set_weights([0, 1], 2**31 - 1)
    with pytest.raises(NetworkError, match="take 3 int64, not int32"):
        prepared.parents_into(distances, 0, room)
