"""What is particular to the papers' forms: two arrays, exchanges, strides, heads of queues, reductions, rules for Δ."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import check_result, make_network, plain_distances, random_arcs
from wayfront.algorithms import bellman_ford as versions
from wayfront.algorithms import bellman_ford_queue as queue
from wayfront.algorithms.bellman_ford import ALL_PASSES, IN_PLACE
from wayfront.algorithms.bellman_ford_queue import FIFO, LLL, ONE_HEAD, SLF, SLF_LLL
from wayfront.algorithms.delta_stepping import RULES, choose_delta
from wayfront.algorithms.dijkstra_reduction import REDUCING_THREADS, count_blocks
from wayfront.devices.cpu import CpuDevice
from wayfront.devices.device import Ability, Device
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import CertificateError, TraceError
from wayfront.searching.registry import find_algorithm
from wayfront.searching.result_file import save_trace
from wayfront.searching.run import Run, Setting
from wayfront.synthetic import from_name

VERSIONS = ("bellman-ford-v1", "bellman-ford-v2", "bellman-ford-v3")
ARTICLE = make_network(
    5, [(0, 1, 9), (0, 2, 4), (1, 2, 10), (1, 3, 2), (1, 4, 3), (2, 3, 2), (2, 4, 11), (3, 1, 2), (4, 3, 2)]
)
"""The article's example, A to E."""

LOSING = make_network(4, [(0, 1, 1), (0, 2, 2), (1, 3, 1), (2, 3, 5)])
"""In the second pass nodes 1 and 2 both make node 3 an offer; the one served last is the larger."""


def run_on(device: Device, network: RoadNetwork, name: str, **options: Any) -> Run:
    values = {option.name: option.default for option in find_algorithm(name).options} | options
    return Run(Setting(device, network, network.metrics[0], values, np.dtype(np.int32)), 0)


@pytest.mark.parametrize("name", VERSIONS)
def test_the_articles_example(name: str) -> None:
    result = wayfront.search(ARTICLE, 0, name, "cpu", runs=0, verify=True, trace=True)
    assert result.distances.tolist() == [0, 8, 4, 6, 11]


@pytest.mark.parametrize("name", VERSIONS)
def test_a_pass_over_two_arrays_goes_one_arc_far_and_one_in_place_may_go_on(name: str) -> None:
    network = from_name("synthetic:ring?n=40")
    steps = {}
    for update in (versions.MINIMUM, IN_PLACE):
        trace = wayfront.search(network, 0, name, "cpu", options={"update": update}, runs=0, trace=True).trace
        assert trace is not None
        steps[update] = trace.first_reached
    around = np.arange(40)
    assert (steps[versions.MINIMUM] == np.maximum(np.minimum(around, 40 - around) - 1, 0)).all()
    assert (steps[IN_PLACE] <= steps[versions.MINIMUM]).all()
    assert (steps[IN_PLACE] < steps[versions.MINIMUM]).any() == (name != "bellman-ford-v3")


def test_exchanges_keep_the_last_offer_and_only_version_3_never_repeats_the_better_one() -> None:
    found = {}
    for name in VERSIONS:
        result = wayfront.search(LOSING, 0, name, "cpu", options={"update": versions.EXCHANGES}, runs=0, trace=True)
        found[name] = result.distances.tolist(), result.verified
    right, wrong = ([0, 1, 2, 2], True), ([0, 1, 2, 7], False)
    assert found == {"bellman-ford-v1": right, "bellman-ford-v2": right, "bellman-ford-v3": wrong}


def test_a_wrong_result_of_an_unsafe_choice_is_reported_whether_or_not_it_is_verified(tmp_path: Path) -> None:
    options = {"update": versions.EXCHANGES}
    result = wayfront.search(LOSING, 0, "bellman-ford-v3", "cpu", options=options, runs=0, trace=True)
    assert "with update 'two arrays with exchanges (2020)' a result may be wrong, and here it is" in result.note
    assert "the arc from node 2 to node 4 gives a shorter path to node 4" in result.note
    assert result.summary()["verified"] is False
    with pytest.raises(CertificateError, match="the arc from node 2 to node 4 gives a shorter path"):
        wayfront.search(LOSING, 0, "bellman-ford-v3", "cpu", options=options, runs=0, verify=True, trace=True)
    with pytest.raises(TraceError, match="this result is wrong"):
        save_trace(result, tmp_path / "wrong.trace")
    assert not list(tmp_path.iterdir())
    lucky = wayfront.search(ARTICLE, 0, "bellman-ford-v1", "cpu", options=options, runs=0, trace=True)
    assert lucky.verified
    assert lucky.note.endswith("but this result is proved right")


@pytest.mark.parametrize("name", VERSIONS)
@pytest.mark.parametrize("seed", range(2))
def test_exchanges_are_judged_by_the_certificate(name: str, seed: int) -> None:
    network = random_arcs(60, 240, 9, seed)
    options = {"update": versions.EXCHANGES, "stop": ALL_PASSES if seed % 2 else "when nothing changes"}
    result = wayfront.search(network, 0, name, "cpu", options=options, runs=0, trace=True)
    expected = plain_distances(network, 0)
    found = [None if d == result.unreached else d for d in result.distances.tolist()]
    assert [d is None for d in found] == [d is None for d in expected]
    assert all(d is None or d >= least for d, least in zip(found, expected, strict=True))
    assert result.verified == (found == expected)


@pytest.mark.parametrize("block", [32, 256, 1024])
def test_an_automatic_grid_counts_blocks_of_its_own_size_and_strides(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = CpuDevice()
    run = run_on(device, from_name("synthetic:ring?n=20000"), "bellman-ford-v2", block=block)
    assert versions.thread_count(run) == 5000 // block * block
    device.abilities |= Ability.BLOCKS
    monkeypatch.setattr(CpuDevice, "busy_blocks", 40)
    assert versions.thread_count(run) == 5000 // block * block
    monkeypatch.setattr(CpuDevice, "busy_blocks", 8)
    assert versions.thread_count(run) == 8 * 256
    assert versions.thread_count(run_on(device, run.network, "bellman-ford-v2", block=block, blocks=3)) == 3 * block


# ----------------------------------------------------------------------------------------------------- the queue


ORDERS = (FIFO, SLF, LLL, SLF_LLL)


def serve_plainly(network: RoadNetwork, order: str) -> list[tuple[int, int]]:
    """Return the heads that the paper's queue relaxes, in order, and how many nodes wait after each."""
    weights = network.metrics[0].weights.tolist()
    distances, waiting, served = {0: 0}, deque([0]), []
    while waiting:
        if "LLL" in order:
            average = sum(distances[v] for v in waiting) / len(waiting)
            while distances[waiting[0]] > average:
                waiting.rotate(-1)
        head = waiting.popleft()
        first = distances[waiting[0]] if waiting else -1
        for arc in range(network.offsets[head], network.offsets[head + 1]):
            target, offer = int(network.targets[arc]), distances[head] + weights[arc]
            if offer < distances.get(target, 2**62):
                distances[target] = offer
                if target not in waiting:
                    (waiting.appendleft if "SLF" in order and offer < first else waiting.append)(target)
        served.append((head, len(waiting)))
    return served


@pytest.mark.parametrize(
    ("n", "largest", "order"),
    [(1, 30, SLF_LLL), (2, 30, SLF_LLL), *((70, largest, order) for largest in (30, 2) for order in ORDERS)],
)
def test_the_papers_queue_relaxes_one_head_after_the_other(n: int, largest: int, order: str) -> None:
    network = random_arcs(n, 4 * n, largest, n)  # with small weights many distances equal that of the head
    options = {"serving": ONE_HEAD, "order": order}
    result = wayfront.search(network, 0, "bellman-ford-queue", "cpu", options=options, runs=0, verify=True, trace=True)
    check_result(result)
    assert result.trace is not None
    assert [(int(step.frontier[0]), step.note.queue) for step in result.trace] == serve_plainly(network, order)


@pytest.mark.parametrize("order", [FIFO, SLF])
@pytest.mark.parametrize("largest", [30, 2])
def test_a_batch_of_one_is_the_papers_queue_where_no_label_is_last(largest: int, order: str) -> None:
    network = random_arcs(70, 280, largest, 7)
    traces = []
    for serving, batch in ((ONE_HEAD, 9), (queue.BATCHES, 1)):
        options = {"serving": serving, "order": order, "batch": batch}
        traces.append(
            wayfront.search(network, 0, "bellman-ford-queue", "cpu", options=options, runs=0, trace=True).trace
        )
    one, batches = traces
    assert one is not None
    assert batches is not None
    assert one.frontier_nodes.tolist() == batches.frontier_nodes.tolist()


# ------------------------------------------------------------------------------------------ the reduction, and Δ


def test_the_size_of_a_block_leaves_the_number_of_threads_that_reduce() -> None:
    option = next(option for option in find_algorithm("cuda-dijkstra").options if option.name == "block")
    for block in map(int, option.choices):
        for n in (1, 1000, 264_346, 10**7):
            threads = count_blocks(n, block) * block
            assert threads == REDUCING_THREADS if n >= REDUCING_THREADS else 0 <= threads - n < block


def test_the_rules_for_delta_are_the_studys_and_our_reading_of_the_second() -> None:
    network = make_network(4, [(0, 1, 10), (0, 2, 2), (0, 3, 4), (1, 2, 2), (2, 3, 2), (3, 1, 40)])
    chosen = {rule: choose_delta(network, network.metrics[0], rule) for rule in RULES}
    assert chosen == {
        "largest weight / largest degree": 13,
        "sum of weights / nodes": 15,
        "mean weight": 10,
        "median weight": 3,
    }
