"""Every kernel that CUDA runs, in numba's simulator: the same bodies as Python threads, in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import wayfront
from search_checks import random_arcs
from wayfront.registry import algorithms

SIMULATED = [a.name for a in algorithms() if "simulator" in a.devices]
NETWORKS = [(1, 0, 1, 0), (8, 14, 3, 1), (40, 110, 0, 2), (60, 170, 50, 3), (20, 60, 2**31 - 1, 4), (70, 200, 9, 5)]
SMALL_DELTA = {"near-far": {"delta": 40}, "near-far-resident": {"delta": 40}}
FEW_STEPS = {"delta-stepping": {"rule": "mean weight"}}


def simulate(tasks: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Search in a process that was started for the simulator."""
    here = Path(__file__).resolve().parent
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1", "PYTHONPATH": str(here.parent / "support")}
    done = subprocess.run(
        [sys.executable, str(here / "simulated.py"), json.dumps(tasks)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("name", SIMULATED)
def test_simulated_searches_equal_the_reference(name: str) -> None:
    tasks: list[tuple[Any, ...]] = [(*network, name, FEW_STEPS.get(name, {})) for network in NETWORKS]
    tasks += [(*network, name, SMALL_DELTA[name]) for network in NETWORKS[3:4] if name in SMALL_DELTA]
    for task, found in zip(tasks, simulate(tasks), strict=True):
        network = random_arcs(*task[:4])
        reference = wayfront.search(network, 0, "dijkstra", "cpu", runs=0)
        assert found["device"] == "simulator"
        assert found["distances"] == reference.distances.tolist()
        assert found["parents"] == reference.parents.tolist()
        assert [s >= 0 for s in found["first_reached"]] == reference.reached.tolist()
        expanded = {node for frontier in found["frontiers"] for node in frontier}
        assert expanded == set(reference.reached.nonzero()[0].tolist())
        assert sum(found["improved"]) >= int(reference.reached.sum()) - 1
