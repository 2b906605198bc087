"""The labels of small graphs after every step: against tables worked by hand, and against plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import wayfront
from plain_labels import (
    DELTA_4,
    DIJKSTRA,
    NEVER,
    PAPER_E,
    PASSES,
    PIVOTS_FROM_A,
    arcs_of,
    delta_rows,
    dijkstra_rows,
    near_far_rows,
    pass_in_place_rows,
    pass_rows,
    pivot_matrices,
    tentative_of,
)
from search_checks import make_network, random_arcs, variants
from there import there
from wayfront.devices.cpu import CpuDevice
from wayfront.devices.device import BlockKernel, Body, Check, no_check
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.options import resolve
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.searching.run import Run, Setting
from wayfront.trace import observing as tracing
from wayfront.trace.schema import Trace

EXAMPLE = make_network(5, list(PAPER_E))
DENSE = random_arcs(24, 110, 60, 11)
SPARSE = random_arcs(40, 90, 500, 12)
NETWORKS = {"example": EXAMPLE, "dense": DENSE, "sparse": SPARSE}


def search(network: RoadNetwork, name: str, **options: Any) -> tuple[Result, Trace]:
    result = wayfront.search(network, 0, name, "cpu", options=options, runs=0, trace=True)
    return result, there(result.trace)


@pytest.mark.parametrize(
    ("name", "options", "table"),
    [
        ("dijkstra", {}, DIJKSTRA),
        ("dijkstra-heap", {}, DIJKSTRA),
        ("dijkstra-heap", {"heap": "decrease-key"}, DIJKSTRA),
        ("cuda-dijkstra", {}, DIJKSTRA),
        ("bellman-ford-v1", {}, PASSES),
        ("bellman-ford-v2", {}, PASSES),
        ("bellman-ford-v3", {}, PASSES),
        ("bellman-ford-matrix", {}, PASSES),
        ("relax-update", {}, PASSES),
        ("delta-stepping", {}, DELTA_4),
        ("near-far", {"delta": 4}, DIJKSTRA),
    ],
    ids=str,
)
def test_the_example_has_the_labels_worked_by_hand(name: str, options: dict[str, Any], table: list[list[int]]) -> None:
    _, trace = search(EXAMPLE, name, **options)
    assert tentative_of(trace) == table


def test_the_matrix_of_the_example_is_the_one_worked_by_hand() -> None:
    trace = there(wayfront.all_pairs(EXAMPLE, "floyd-warshall", "cpu", runs=0, trace=True).trace)
    pivots = there(trace.matrices)[:6].reshape(6, 5, 5).tolist()
    assert [matrix[0] for matrix in pivots] == PIVOTS_FROM_A
    far = NEVER
    assert pivots[-1] == [
        [0, 8, 4, 6, 11], [far, 0, 10, 2, 3], [far, 4, 0, 2, 7], [far, 2, 12, 0, 5], [far, 4, 14, 2, 0],
    ]  # fmt: skip


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_dijkstra_keeps_the_labels_after_every_settled_node(network: RoadNetwork) -> None:
    n, arcs = network.node_count, arcs_of(network)
    rows, order = dijkstra_rows(n, arcs, 0)
    for name, options in (("dijkstra", {}), ("dijkstra-heap", {}), ("dijkstra-heap", {"heap": "decrease-key"})):
        result, trace = search(network, name, **options)
        settled = trace.settled.tolist()
        assert result.distances[settled].tolist() == result.distances[order].tolist()
        if len(np.unique(result.distances[order])) == len(order):  # nodes at the same distance may change places
            assert settled == order
            assert tentative_of(trace) == rows
        assert tentative_of(trace)[-1] == rows[-1]


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_passes_keep_the_labels_of_paths_of_so_many_arcs(network: RoadNetwork) -> None:
    n, arcs = network.node_count, arcs_of(network)
    for name in ("bellman-ford-v1", "bellman-ford-v2", "bellman-ford-v3", "bellman-ford-matrix", "relax-update"):
        assert tentative_of(search(network, name)[1])[: n + 1] == pass_rows(n, arcs, 0), name
    rows = pass_in_place_rows(n, arcs, 0)
    assert tentative_of(search(network, "bellman-ford")[1]) == rows
    for name in ("bellman-ford-v1", "bellman-ford-v2"):
        assert tentative_of(search(network, name, update="one array in place (ours)")[1]) == rows, name


@pytest.mark.parametrize("delta", [1, 4, 30, 1000])
@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_buckets_and_piles_keep_the_labels_of_their_definitions(network: RoadNetwork, delta: int) -> None:
    n, arcs = network.node_count, arcs_of(network)
    rows, steps = delta_rows(n, arcs, 0, delta)
    _, trace = search(network, "delta-stepping", delta=delta)
    assert tentative_of(trace) == rows
    assert [(step.note.bucket, step.note.phase) for step in trace] == steps

    rows, piles = near_far_rows(n, arcs, 0, delta)
    _, trace = search(network, "near-far", delta=delta)
    assert tentative_of(trace) == rows
    assert [step.frontier.tolist() for step in trace] == [sorted(pile) for pile in piles]


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_every_pivot_keeps_its_matrix(network: RoadNetwork) -> None:
    n = network.node_count
    expected = pivot_matrices(n, arcs_of(network))
    for name in ("floyd-warshall", "floyd-warshall-blocked"):
        result = wayfront.all_pairs(network, name, "cpu", runs=0, trace=True)
        assert result.trace is not None
        matrices = there(result.trace.matrices)
        assert len(matrices) == len(result.trace) + 1
        found = matrices.reshape(-1, n, n).tolist()
        assert (found[0], found[-1]) == (expected[0], expected[-1])
        if name == "floyd-warshall":
            assert found[: n + 1] == expected
    assert search(network, "dijkstra")[1].matrices is None


@pytest.mark.parametrize(("name", "options"), variants("cpu"), ids=str)
def test_every_search_keeps_labels_that_fit_its_steps(name: str, options: dict[str, Any]) -> None:
    result, trace = search(DENSE, name, **options)
    labels = there(trace.tentative)
    assert not labels.flags.writeable
    assert labels.shape == (len(trace) + 1, DENSE.node_count)
    assert labels[0].tolist() == [0] + [-1] * (DENSE.node_count - 1)
    assert labels[-1].tolist() == np.where(result.reached, result.distances, -1).tolist()
    tails, heads = DENSE.tails(), DENSE.targets
    for step in trace:
        changed = np.flatnonzero(labels[step.index] != labels[step.index + 1])
        assert len(changed) == step.improved
        assert (
            (labels[step.index, changed] > labels[step.index + 1, changed]) | (labels[step.index, changed] < 0)
        ).all()
        if name not in ("dissection", "bellman-ford"):  # whose frontiers say something else
            assert np.isin(changed, heads[np.isin(tails, step.frontier)]).all()
    others = result.reached & (np.arange(DENSE.node_count) != 0)
    assert ((labels[1:] >= 0).argmax(axis=0)[others] == trace.first_reached[others]).all()


def test_larger_networks_and_small_budgets_keep_no_labels() -> None:
    network = random_arcs(SMALL + 1, 600, 30, 1)
    result = wayfront.search(network, 0, "near-far", "cpu", runs=0, trace=True)
    assert result.trace is not None
    assert result.trace.tentative is None
    result = wayfront.search(DENSE, 0, "near-far", "cpu", runs=0, trace_budget=1000)
    assert there(result.trace).tentative is None


class _Listing(CpuDevice):
    """The CPU, listing the names of the kernels that it launches, and counting what is read back."""

    def __init__(self) -> None:
        super().__init__()
        self.launched: list[str] = []
        self.reads = 0

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        return self._listed(super().prepare(body, block, check), body.__name__)

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        return self._listed(super().prepare_blocks(kernel, block), kernel.on_card.__name__)

    def _listed(self, launch: Callable[..., None], name: str) -> Callable[..., None]:
        def listed(*arguments: Any) -> None:
            self.launched.append(name)
            launch(*arguments)

        return listed

    def get(self, array: Any, count: int | None = None) -> Any:
        self.reads += 1
        return super().get(array, count)


def traced_launches(network: RoadNetwork, name: str) -> tuple[list[str], int, Trace]:
    """Return the kernels launched by a recorded search, how often something was read back, and the trace."""
    chosen, device = find_algorithm(name), _Listing()
    options = resolve(chosen.options, {"judge": "frontier size"} if name == "adaptive" else {})
    run = Run(Setting(device, network, network.metrics[0], options, np.dtype(np.int32)), 0)
    run.observer = tracer = run.make_tracer(1 << 20)
    for _ in chosen.search(run):
        pass
    trace = tracer.finish()
    return device.launched, device.reads, trace


@pytest.mark.parametrize("name", [a.name for a in algorithms(SearchKind.ONE_TREE) if a.stepped])
def test_labels_cost_larger_networks_neither_a_launch_nor_a_read(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is launched for a network one node larger is what a small one launches but for the copies of labels."""
    launched, _, trace = traced_launches(random_arcs(SMALL + 1, 500, 9, 4), name)
    assert trace.tentative is None
    assert "keep_labels" not in launched

    with_labels, reads_with, kept = traced_launches(SPARSE, name)
    monkeypatch.setattr(tracing, "SMALL", 0)
    without, reads, plain = traced_launches(SPARSE, name)
    assert [kernel for kernel in with_labels if kernel != "keep_labels"] == without
    assert len(with_labels) - len(without) >= len(kept) == len(plain)
    assert reads < reads_with
    assert plain.held(0) is None


def test_a_recorded_search_of_a_larger_network_launches_what_it_always_did() -> None:
    launched, reads, trace = traced_launches(random_arcs(SMALL + 1, 500, 9, 4), "relax-update")
    step = ["compare_distances", "pack_marked", "fill", "relax_arcs", "update_costs"]
    assert launched == ["rewind", "reset_steps", "start_search", *step * len(trace), "compare_distances", "rewind"]
    assert reads == len(trace) + 4, "the sign of each step; then the log, its counts, and both steps of each node"
