"""Every kernel that CUDA runs, in numba's simulator: the same bodies as Python threads, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from pairs_checks import expected_matrix, pairs_variants
from plain_labels import arcs_of, pivot_matrices
from repository import REPOSITORY
from search_checks import star_or_random_arcs, variants
from simulated_schedules import REVERSED, SCHEDULES, SHUFFLED
from there import there
from wayfront.devices import describe_device
from wayfront.devices.cuda_support import WHY_NOT, cuda
from wayfront.network.conventions import SMALL
from wayfront.results.result import SearchKind
from wayfront.searching.registry import algorithms, find_algorithm

pytestmark = pytest.mark.skipif(cuda is None, reason=WHY_NOT or "numba-cuda is there")

SIMULATED = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("simulator"))]
NETWORKS = [(1, 0, 1, 0), (8, 14, 3, 4), (36, 100, 0, 11), (40, 110, 50, 3), (20, 60, 2**31 - 1, 1), (150, 450, 9, 5)]
MOST_NODES = {"cuda-dijkstra": 20, "delta-stepping": 40, "dissection": 20, "regions": 40}
"""Where every step starts threads for all nodes, several times over, and there are as many steps as nodes."""
LONGEST_S = 600.0
PAIRS_NETWORKS = [(1, 0, 1, 0), (4, 180, 9, 6), (7, 12, 2**31 - 1, 5)]
"""Those for all pairs, one of them with more arcs a node than a warp has threads."""
PAIRS_ORDER = {
    "": [(4, 180, 9, 6), (9, 40, 6, 2)],
    "floyd-warshall": [(4, 180, 9, 6), (12, 16, 6, 2)],
    "task-parallel": [(4, 180, 9, 6), (40, 0, 90, 9)],
}
FEW_STEPS = {"delta-stepping": {"rule": "mean weight"}}
ORDERLESS = {"relax-update", "advanced-atomics", "bellman-ford-matrix", "cuda-dijkstra", "dissection"}
ORDERLESS |= {"bellman-ford-v1", "bellman-ford-v2", "bellman-ford-v3"}
"""Searches whose labels after a step do not depend on which thread comes first, unless an array is lowered in place."""
HELD = {
    "near-far": ("Near pile", 0),
    "near-far-resident": ("Relaxed by the last step", 1),
    "delta-stepping": ("Relaxed by the last step", 1),
    "bellman-ford-queue": ("Taken by the last step", 1),
}
"""Where the nodes lie that a step expands, and whether they are there before it or after it."""


TIERS = {"itself": 1, "of small regions": 2, "of deep regions": 2, "of little memory": 1}
"""Tiers of regions on each of the cards that ``simulated`` knows."""

ORDER_NETWORKS = {
    "": [(32, 240, 1, 7), (40, 300, 90, 8), (36, 80, 2, 11)],
    "cuda-dijkstra": [(4, 180, 9, 6), (40, 0, 90, 9)],
    "dissection": [(12, 40, 6, 7)],
}
"""Networks in which many arcs lead to each node, so that threads meet; "" is for searches that are not named."""
ORDER_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "delta-stepping": [{"rule": "mean weight"}],
    "near-far": [{}, {"delta": 2**31 - 1}, {"delta": 5}],
    "near-far-resident": [{}, {"delta": 2**31 - 1}],
    "floyd-warshall": [{"rows": 3, "segment": 4}],
    "task-parallel": [{}, {"shared": False}],
    "adaptive": [{"threshold": 0.01}, {"threshold": 1e9}, {"judge": "frontier size", "list_up_to": 12}],
    "bellman-ford-queue": [{"order": "SLF + LLL", "batch": 4}, {"order": "FIFO"}],
    "bellman-ford-v2": [{"blocks": 1, "block": 32}],
    "bellman-ford-v3": [{"blocks": 1, "block": 32}],
}

Simulate = Callable[[list[tuple[Any, ...]]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def simulate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulate]:
    """Search in a process that was started for the simulator: one for all tests, since it takes seconds to start."""
    here = Path(__file__).resolve().parent
    paths = os.pathsep.join((str(REPOSITORY / "tests" / "support"), os.environ.get("PYTHONPATH", "")))
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": paths}
    errors = tmp_path_factory.mktemp("simulator") / "errors"
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, str(here / "simulated.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment,
        ) as process,
    ):  # fmt: skip
        tasks, found = there(process.stdin), there(process.stdout)

        def call(asked: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
            watch = threading.Timer(LONGEST_S, process.kill)
            watch.start()
            try:
                with suppress(BrokenPipeError):
                    tasks.write(json.dumps(asked) + "\n")
                    tasks.flush()
                line = found.readline()
            finally:
                watch.cancel()
            assert line, errors.read_text()[-3000:]
            results: list[dict[str, Any]] = json.loads(line)
            return results

        yield call
        process.kill()


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_searches_equal_the_reference(name: str, simulate: Simulate) -> None:
    fitting = [network for network in NETWORKS if network[0] <= MOST_NODES.get(name, 300)]
    tasks: list[tuple[Any, ...]] = [(*network, name, FEW_STEPS.get(name, {})) for network in fitting]
    # The simulator has one size of blocks.
    others = [options for other, options in variants("simulator") if other == name and options.keys() - {"block"}]
    for options in others:
        if (*NETWORKS[3], name, options) not in tasks:
            tasks.append((*NETWORKS[3], name, options))

    for task, found in zip(tasks, simulate(tasks), strict=True):
        check_search(task, found)


def check_search(task: tuple[Any, ...], found: dict[str, Any]) -> None:
    """Compare what a simulated search found, and what it did in each step, with the CPU."""
    name, options = task[4:6]
    network = star_or_random_arcs(*task[:4])
    reference = wayfront.search(network, 0, "dijkstra", "cpu", runs=0)
    assert 2 * reference.reached.sum() > network.node_count, "a search that reaches nothing shows nothing"
    assert found["device"] == "simulator"
    assert found["verified"]
    assert found["distances"] == reference.distances.tolist()
    assert found["parents"] == reference.parents.tolist() or find_algorithm(name).keeps_parents
    assert [s >= 0 for s in found["first_reached"]] == reference.reached.tolist()
    expanded = {node for frontier in found["frontiers"] for node in frontier}
    assert expanded == set(reference.reached.nonzero()[0].tolist())
    assert all(len(set(nodes)) == len(nodes) for nodes in found["frontiers"]), "lists have room for every node once"
    assert sum(found["improved"]) >= int(reference.reached.sum()) - 1
    labels = np.array(found["labels"])
    assert labels[-1].tolist() == found["distances"]
    assert np.count_nonzero(labels[1:] != labels[:-1], axis=1).tolist() == found["improved"]
    if name in HELD:
        title, shift = HELD[name]
        held = [[sorted(nodes) for row, nodes, *_ in rows if row == title] for rows in found["held"]]
        assert held[shift : len(held) - 1 + shift] == [[nodes] for nodes in found["frontiers"]]
    if options.get("judge") == "frontier size":
        trace = there(wayfront.search(network, 0, name, "cpu", options=options, trace=True).trace)
        assert found["modes"] == [step.note.mode for step in trace], "as many nodes are counted"
    if name in ORDERLESS and "update" not in options:
        trace = there(wayfront.search(network, 0, name, "cpu", options=options, trace=True).trace)
        assert labels.tolist() == there(trace.tentative).tolist()
        assert found["frontiers"] == [step.frontier.tolist() for step in trace]


@pytest.mark.parametrize("schedule", [REVERSED, SHUFFLED])
@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_searches_do_not_depend_on_the_order_of_threads(name: str, schedule: str, simulate: Simulate) -> None:
    tasks = [
        (*network, name, options, schedule)
        for network in ORDER_NETWORKS.get(name, ORDER_NETWORKS[""])
        for options in ORDER_OPTIONS.get(name, [{}])
    ]
    for task, found in zip(tasks, simulate(tasks), strict=True):
        check_search(task, found)


def test_a_simulated_resident_search_of_a_larger_network_is_one_launch_recorded_or_not(simulate: Simulate) -> None:
    small, large = simulate([(n, 2 * n, 0, 7, "near-far-resident", {}) for n in (30, SMALL + 1)])
    assert small["resident launches"] >= len(small["frontiers"]), "a launch for each step of a small graph"
    assert large["resident launches"] == 1
    assert large["labels"] is None
    assert len(large["frontiers"]) > 1


@pytest.mark.parametrize("name", sorted({name for name, _ in pairs_variants("simulator")}))
def test_simulated_pairs_equal_scipy(name: str, simulate: Simulate) -> None:
    # The simulator has one size of blocks.
    chosen = [options for other, options in pairs_variants("simulator") if other == name and options.keys() - {"block"}]
    tasks: list[tuple[Any, ...]] = [(*network, name, {}) for network in PAIRS_NETWORKS]
    tasks += [(*PAIRS_NETWORKS[1], name, options) for options in chosen]
    for task, found in zip(tasks, simulate(tasks), strict=True):
        check_pairs_found(task, found)


def check_pairs_found(task: tuple[Any, ...], found: dict[str, Any]) -> None:
    """Compare a matrix and its figures with SciPy's, and every pivot's matrix with one in plain Python."""
    assert found["device"] == "simulator"
    assert found["verified"]
    network = star_or_random_arcs(*task[:4])
    expected = expected_matrix(network)
    assert found["matrix"] == expected.tolist()
    assert found["eccentricity"] == expected.max(1).tolist()
    assert found["total"] == np.maximum(expected, 0).sum(1).tolist()
    assert found["reached"] == (expected >= 0).sum(1).tolist()
    ids = network.node_ids
    assert ids[found["farthest"]].tolist() == [ids[row == row.max()].min() for row in expected]
    if task[4] == "floyd-warshall":
        n = network.node_count
        pivots = pivot_matrices(n, arcs_of(network))
        assert np.reshape(found["matrices"], (-1, n, n))[: n + 1].tolist() == pivots


@pytest.mark.parametrize("schedule", [REVERSED, SHUFFLED])
@pytest.mark.parametrize("name", sorted({name for name, _ in pairs_variants("simulator")} - {"floyd-warshall-blocked"}))
def test_simulated_pairs_do_not_depend_on_the_order_of_threads(name: str, schedule: str, simulate: Simulate) -> None:
    tasks: list[tuple[Any, ...]] = [
        (*network, name, options, schedule)
        for network in PAIRS_ORDER.get(name, PAIRS_ORDER[""])
        for options in ORDER_OPTIONS.get(name, [{}])
    ]
    for task, found in zip(tasks, simulate(tasks), strict=True):
        check_pairs_found(task, found)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_simulated_floyd_warshall_blocked_of_two_tiles_a_side(schedule: str, simulate: Simulate) -> None:
    task = (41, 90, 30, 12, "floyd-warshall-blocked", {"tile": 32}, schedule)
    (found,) = simulate([task])
    check_pairs_found(task, found)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_simulated_reductions_of_more_elements_than_threads(schedule: str, simulate: Simulate) -> None:
    (found,) = simulate([(0, 0, 0, 3, "reductions", {}, schedule)])
    assert found["wrong"] == []


@pytest.mark.parametrize("schedule", [REVERSED, SHUFFLED])
def test_simulated_flows_are_the_processors(schedule: str, simulate: Simulate) -> None:
    (found,) = simulate([(3, 3, 3, 5, "flows", {"leaf_nodes": 3, "count": 5}, schedule)])
    assert found["wrong"] == []


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_simulated_access_is_the_processors(schedule: str, simulate: Simulate) -> None:
    narrow, wide = simulate([(8, 20, largest, 3, "access", {}, schedule) for largest in (30, 2**31 - 1)])
    assert narrow["wrong"] == []
    assert wide["wrong"] == []


@pytest.mark.parametrize("schedule", SCHEDULES)
@pytest.mark.parametrize(
    ("width", "height", "largest", "options"),
    [
        (4, 4, 1, {"card": "itself", "dtype": "int32", "trees": 2, "batch": 17, "changes": 1}),
        (6, 5, 90, {"card": "of small regions", "dtype": "int64", "trees": 2, "batch": 3, "changes": 1}),
        # Figures of inner cells as well, and of nodes that are equally far.
        (6, 5, 2, {"card": "of small regions", "dtype": "int32", "trees": 0, "batch": 5, "changes": 0}),
        (7, 6, 90, {"card": "of deep regions", "dtype": "int32", "trees": 6, "batch": 0, "changes": 0}),
        (10, 8, 90, {"card": "of little memory", "dtype": "int64", "trees": 6, "batch": 0, "changes": 0}),
    ],
)
def test_simulated_card_finds_trees_batches_and_changes(
    width: int, height: int, largest: int, options: dict[str, Any], schedule: str, simulate: Simulate
) -> None:
    (found,) = simulate([(width, height, largest, 3, "a card's engine", options, schedule)])
    assert found["tiers"] == TIERS[options["card"]]
    assert found["wrong"] == []
