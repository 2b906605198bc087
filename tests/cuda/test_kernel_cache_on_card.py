"""Kernels that one process compiled for a card are those that the next one launches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from wayfront.devices import devices

CARDS = [info for info in devices() if info.available and info.id.startswith("cuda:")]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARDS, reason=devices()[1].why_not or "no card")]

SCRIPT = """
import numpy as np
import wayfront
from numba.cuda.dispatcher import CUDADispatcher
from wayfront.synthetic import from_name

made = set()
usual = CUDADispatcher.add_overload

def noted(self, *of):
    made.add(self)
    return usual(self, *of)

CUDADispatcher.add_overload = noted
network = from_name("synthetic:grid?rows=30&columns=30")
proved = wayfront.search(network, 0, "dijkstra", "cpu", runs=0).distances
for name in ("near-far", "near-far-resident", "dissection"):
    found = wayfront.search(network, 0, name, "cuda", runs=0, verify=True)
    assert np.array_equal(found.distances, proved), name
kept = [one for one in made if type(one._cache).__name__ == "KernelCache"]
print(sum(sum(one._cache_hits.values()) for one in kept), sum(sum(one._cache_misses.values()) for one in kept))
"""


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    counts = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        counts.append([int(count) for count in done.stdout.split()])
    (hits, compiled), (loaded, anew) = counts
    assert hits == 0 and compiled > 10
    assert (loaded, anew) == (compiled, 0)
