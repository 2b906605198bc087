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
from search_checks import random_arcs, variants
from wayfront.devices import describe_device
from wayfront.devices.cuda_support import WHY_NOT, cuda
from wayfront.network.small import SMALL
from wayfront.search.registry import SearchKind, algorithms, find_algorithm

pytestmark = pytest.mark.skipif(cuda is None, reason=WHY_NOT or "numba-cuda is there")

SIMULATED = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("simulator"))]
NETWORKS = [(1, 0, 1, 0), (8, 14, 3, 1), (36, 100, 0, 2), (40, 110, 50, 3), (20, 60, 2**31 - 1, 4), (150, 450, 9, 5)]
MOST_NODES = {"cuda-dijkstra": 36, "delta-stepping": 40, "dissection": 20}
"""Where every step starts threads for all nodes, several times over, and there are as many steps as nodes."""
LONGEST_S = 600.0
PAIRS_NETWORKS = [(1, 0, 1, 0), (4, 180, 9, 6), (7, 12, 2**31 - 1, 2)]
"""Those for all pairs, one of them with more arcs a node than a warp has threads."""
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


Simulate = Callable[[list[tuple[Any, ...]]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def simulate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulate]:
    """Search in a process that was started for the simulator: one for all tests, since it takes seconds to start."""
    here = Path(__file__).resolve().parent
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(REPOSITORY / "tests" / "support")}
    errors = tmp_path_factory.mktemp("simulator") / "errors"
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, str(here / "simulated.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment,
        ) as process,
    ):  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        tasks, found = process.stdin, process.stdout

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
        network = random_arcs(*task[:4])
        reference = wayfront.search(network, 0, "dijkstra", "cpu", runs=0)
        assert found["device"] == "simulator"
        assert found["verified"]
        assert found["distances"] == np.where(reference.reached, reference.distances, -1).tolist()
        assert found["parents"] == reference.parents.tolist() or find_algorithm(name).keeps_parents
        assert [s >= 0 for s in found["first_reached"]] == reference.reached.tolist()
        expanded = {node for frontier in found["frontiers"] for node in frontier}
        assert expanded == set(reference.reached.nonzero()[0].tolist())
        assert sum(found["improved"]) >= int(reference.reached.sum()) - 1
        labels = np.array(found["labels"])
        assert labels[-1].tolist() == found["distances"]
        assert np.count_nonzero(labels[1:] != labels[:-1], axis=1).tolist() == found["improved"]
        if name in HELD:
            title, shift = HELD[name]
            held = [[sorted(nodes) for row, nodes, *_ in rows if row == title] for rows in found["held"]]
            assert held[shift : len(held) - 1 + shift] == [[nodes] for nodes in found["frontiers"]]
        if name in ORDERLESS and "update" not in task[5]:
            trace = wayfront.search(network, 0, name, "cpu", options=task[5], runs=0).trace
            assert trace is not None
            assert trace.tentative is not None
            assert labels.tolist() == trace.tentative.tolist()


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
        assert found["device"] == "simulator"
        assert found["verified"]
        network = random_arcs(*task[:4])
        assert found["matrix"] == expected_matrix(network).tolist()
        if name == "floyd-warshall":
            n = network.node_count
            pivots = pivot_matrices(n, arcs_of(network))
            assert np.reshape(found["matrices"], (-1, n, n))[: n + 1].tolist() == pivots


@pytest.mark.parametrize(
    ("width", "height", "options"),
    [
        (4, 4, {"dtype": "int32", "trees": 2, "batch": 17, "changes": 1, "tiers": 1}),
        (6, 5, {"dtype": "int64", "trees": 2, "batch": 3, "changes": 1, "tiers": 2}),
    ],
)
def test_simulated_card_finds_trees_batches_and_changes(
    width: int, height: int, options: dict[str, Any], simulate: Simulate
) -> None:
    (found,) = simulate([(width, height, 90, 3, "a card's engine", options)])
    assert found["tiers"] == options["tiers"]
    assert found["wrong"] == []
