"""The bucket queue of Dijkstra's search: right in any state, and its work does not depend on how large weights are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfront
from search_checks import make_network, networks, random_arcs
from wayfront.algorithms import dijkstra, sequential_steps
from wayfront.devices import open_device
from wayfront.network.road_network import RoadNetwork
from wayfront.searching.run import Run, Setting

LARGEST = 2**31 - 1
COMPILED = (
    *("start_buckets", "settle_buckets", "next_used"),
    *("_empty", "_put", "_bit", "_open", "_settle_open", "_settle_fine", "_enter"),
    *("begin_call", "end_step", "end_call"),
)


def heavy_path(n: int) -> RoadNetwork:
    """Return a path whose every fourth arc has weight 0, and all others the largest weight there is."""
    return make_network(n, [(u, u + 1, 0 if u % 4 == 3 else LARGEST) for u in range(n - 1)])


def heavy_random(n: int, seed: int) -> RoadNetwork:
    """Return a random network with weights of 0, small ones, and the largest there are."""
    r = np.random.default_rng(seed)
    weights = r.choice([0, 1, 77, LARGEST - 1, LARGEST], 4 * n)
    arcs = np.stack([r.integers(0, n, 4 * n), r.integers(0, n, 4 * n), weights], 1)
    return make_network(n, [tuple(arc) for arc in arcs.tolist()])


@settings(max_examples=60, deadline=None)
@given(bits=st.integers(6, 16), data=st.data())
def test_the_next_bucket_in_use_is_found_anywhere(bits: int, data: st.DataObject) -> None:
    size = 1 << bits
    used = data.draw(st.sets(st.integers(0, size - 1), max_size=5))
    begin = data.draw(st.integers(0, size - 1))
    level = dijkstra.Level(
        np.zeros(size, np.int32), np.zeros(size >> 6, np.uint64), np.zeros(max(1, size >> 12), np.uint64)
    )
    for bucket in used:
        level.used[bucket >> 6] |= np.uint64(1 << (bucket & 63))
        level.groups[bucket >> 12] |= np.uint64(1 << (bucket >> 6 & 63))
    expected = min(used, key=lambda bucket: (bucket - begin) % size, default=dijkstra.NONE)
    assert dijkstra.next_used(level, begin) == expected


class Words:
    """An array of Python integers that counts how often an element is read."""

    def __init__(self, size: int, counter: list[int]) -> None:
        self._values = [0] * size
        self._counter = counter

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: int) -> int:
        self._counter[0] += 1
        return self._values[index]

    def __setitem__(self, index: int | slice, value: int) -> None:
        if isinstance(index, slice):
            self._values[index] = [value] * len(self)
        else:
            self._values[index] = value


def run_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the queue's loops as plain Python."""
    for name in COMPILED:
        monkeypatch.setattr(dijkstra, name, getattr(dijkstra, name).py_func)
    monkeypatch.setattr(dijkstra, "_drop", dijkstra._drop.py_func)
    monkeypatch.setattr(dijkstra, "trailing_zeros", lambda word: (word & -word).bit_length() - 1)
    monkeypatch.setattr(dijkstra, "types", SimpleNamespace(int64=int, uint64=int))


def count_reads(network: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> int:
    """Search with the bucket queue, and return how often it looks at a bucket or a word of a bit map."""
    counter = [0]

    def level(_run: Run, _name: str, bits: int) -> dijkstra.Level:
        sizes = (1 << bits, 1 << (bits - 6), 1 << max(bits - 12, 0))
        return dijkstra.Level(*(Words(size, counter) for size in sizes))

    expected = wayfront.search(network, 0, "dijkstra-heap", "cpu", runs=0, trace_budget=None)
    run_plainly(monkeypatch)
    monkeypatch.setattr(dijkstra, "_level", level)
    run = Run(Setting(open_device("cpu"), network, network.metrics[0], {}, np.dtype(np.int64)), 0)
    for _ in dijkstra.dijkstra(run):
        pass
    reached = run.distances != run.infinity
    assert (reached == expected.reached).all()
    assert (run.distances[reached] == expected.distances[reached]).all()
    return counter[0]


@pytest.mark.parametrize("network", [heavy_path(300), heavy_random(80, 1)], ids=["path", "random"])
def test_empty_stretches_are_skipped(network: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = count_reads(network, monkeypatch)
    assert reads <= 60 * network.node_count + 20 * network.arc_count


def test_levels_for_the_largest_weight_are_small() -> None:
    network = heavy_path(3)
    run = Run(Setting(open_device("cpu"), network, network.metrics[0], {}, np.dtype(np.int64)), 0)
    for _ in dijkstra.dijkstra(run):
        pass
    assert [run.array(f"{name} words in use", 0, np.uint64).size for name in ("fine", "coarse")] == [16, 16]


def test_a_path_of_sixty_thousand_of_the_largest_weights() -> None:
    network = heavy_path(60_000)
    result = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace_budget=None, verify=True)
    expected = wayfront.search(network, 0, "dijkstra-heap", "cpu", runs=0, trace_budget=None)
    assert (result.distances == expected.distances).all()
    assert (result.parents == expected.parents).all()


def test_a_step_for_each_distance_there_is_and_none_for_an_empty_bucket() -> None:
    trace = wayfront.search(heavy_path(1001), 0, "dijkstra", "cpu", runs=0, trace=True).trace
    assert trace is not None
    assert len(trace) == 751


@pytest.mark.parametrize("most_work", [1, 7])
@pytest.mark.parametrize("name", ["dijkstra", "dijkstra-heap"])
@settings(max_examples=8, deadline=None)
@given(network=networks())
def test_a_search_goes_on_where_a_call_left_it(name: str, most_work: int, network: RoadNetwork) -> None:
    whole = wayfront.search(network, 0, name, "cpu", runs=0, verify=True, trace=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequential_steps, "MOST_WORK", most_work)
        parts = wayfront.search(network, 0, name, "cpu", runs=1, verify=True, trace=True)
    assert (parts.distances == whole.distances).all()
    assert parts.trace is not None
    assert whole.trace is not None
    assert parts.trace.bucket.tolist() == whole.trace.bucket.tolist()
    assert parts.trace.frontier_nodes.tolist() == whole.trace.frontier_nodes.tolist()


def test_one_bucket_of_all_nodes_is_left_and_entered_again(monkeypatch: pytest.MonkeyPatch) -> None:
    network = random_arcs(400, 2000, 0, 3)  # every weight is 0
    calls: list[tuple[int, bool]] = []
    settle: Any = dijkstra.settle_buckets

    def noted(*arguments: Any) -> tuple[int, bool]:
        calls.append(settle(*arguments))
        return calls[-1]

    monkeypatch.setattr(dijkstra, "settle_buckets", noted)
    monkeypatch.setattr(sequential_steps, "MOST_WORK", 100)
    reached = wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace_budget=None).summary()["reached"]
    counts = [count for count, _ in calls[-20:] if count]
    assert len(counts) >= 15
    assert max(np.diff(counts[-15:])) <= 100
    assert max(counts) == reached
