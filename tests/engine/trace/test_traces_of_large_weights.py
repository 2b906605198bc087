"""A trace is the same in 32 bits and in 64: offers beyond 32 bits on the way to distances that fit are recorded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import make_network, taking_turns, variants
from there import there
from wayfront.algorithms.delta_stepping import RULES
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.searching import execution
from wayfront.searching.distances import NARROW, WIDE
from wayfront.trace.schema import Trace

HEAVY = 2_000_000_000
SIZES = {"small": 9, "larger": SMALL + 40}
FIGURES = (
    "frontier_nodes",
    "frontier_size",
    "first_reached",
    "last_improved",
    "improved",
    "relaxations",
    "bucket_high",
)
SEARCHES = [
    (name, options)
    for name, options in variants("cpu")
    if (name, options) != ("delta-stepping", {"delta": 40}) and not (name == "adaptive" and "judge" not in options)
]
"""That width needs too many buckets here; and judged by the clock two runs differ."""


def beside(n: int) -> RoadNetwork:
    """Return two arcs of 2·10⁹ each to node 2, beside a path of small ones over all further nodes."""
    light = [0, *range(3, n), 2]
    return make_network(n, [(0, 1, HEAVY), (1, 2, HEAVY), *((u, v, 3) for u, v in pairwise(light)), (2, 1, 5)])


def recorded(network: RoadNetwork, name: str, options: dict[str, Any]) -> tuple[Result, Trace]:
    result = wayfront.search(network, 0, name, "cpu", options=options, runs=1, verify=True, trace_budget=1 << 26)
    return result, there(result.trace)


@pytest.mark.parametrize(("name", "options", "size"), taking_turns(SEARCHES, SIZES), ids=str)
def test_a_trace_is_the_same_in_any_bits(
    name: str, options: dict[str, Any], size: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = beside(SIZES[size])
    result, trace = recorded(network, name, options)
    assert result.distances.dtype == NARROW
    monkeypatch.setattr(execution, "distance_dtypes", lambda *_asked, **_how: (WIDE,))
    expected, wide = recorded(network, name, options)
    assert (result.distances == expected.distances).all()
    assert (result.parents == expected.parents).all()
    for figure in FIGURES:
        assert np.array_equal(getattr(trace, figure), getattr(wide, figure)), figure
    assert (trace.tentative is None) == (wide.tentative is None) == (size == "larger")
    if trace.tentative is not None and wide.tentative is not None:
        assert np.array_equal(trace.tentative, wide.tentative)


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_gives_buckets_of_one_width_in_any_bits(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    n = SMALL + 40
    arcs = [(u, v, 3) for u, v in pairwise(range(n))]
    network = make_network(n, [*arcs, *arcs, *((v, u, HEAVY) for u, v, _ in arcs)])
    result, trace = recorded(network, "delta-stepping", {"rule": rule})
    assert result.distances.dtype == NARROW
    monkeypatch.setattr(execution, "distance_dtypes", lambda *_asked, **_how: (WIDE,))
    _, wide = recorded(network, "delta-stepping", {"rule": rule})
    assert np.array_equal(trace.bucket_high, wide.bucket_high)
    assert trace.bucket_high[0] > np.median(network.metrics[0].weights) == 3


def test_the_matrix_of_pivots_is_the_same_in_any_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    network, found = beside(9), []
    for wide in (False, True):
        if wide:
            monkeypatch.setattr(execution, "distance_dtypes", lambda *_asked, **_how: (WIDE,))
        trace = there(wayfront.all_pairs(network, "floyd-warshall", "cpu", runs=0, verify=True, trace=True).trace)
        found.append(there(trace.matrices))
    assert np.array_equal(found[0], found[1])
    assert found[0].max() == 2 * HEAVY


def test_only_searches_that_refuse_an_offer_are_recorded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    again = []
    trace_again = execution._trace_in_64_bits

    def noted(*asked: Any) -> Any:
        again.append(asked[1].name)
        return trace_again(*asked)

    monkeypatch.setattr(execution, "_trace_in_64_bits", noted)
    n = SMALL + 40
    weights = [20_000_000 + 7 * (k % 5) for k in range(n)]  # which add up to far more than any distance
    around = make_network(n, [(u, v, weights[u]) for u in range(n) for v in ((u + 1) % n, (u * 7 + 3) % n)])
    assert around.distance_bound(around.metrics[0]) > np.iinfo(np.int32).max
    for name in ("dijkstra", "cuda-dijkstra", "relax-update", "bellman-ford-v1", "bellman-ford-queue", "near-far"):
        recorded(around, name, {})
    assert again == []
    recorded(beside(n), "relax-update", {})
    assert again == ["relax-update"]


SIMULATED = """
import json, sys
import numpy as np
import wayfront
from search_checks import make_network

arcs = json.loads(sys.argv[1])
network, found = make_network(9, arcs), {}
for name in ("relax-update", "adaptive", "near-far", "bellman-ford-v2"):  # by marks, by lists, by piles, in passes
    options = {"judge": "frontier size"} if name == "adaptive" else {}
    trace = wayfront.search(network, 0, name, "simulator", options=options, trace=True).trace
    found[name] = {f: getattr(trace, f).tolist() for f in ("first_reached", "improved", "tentative")}
print(json.dumps(found))
"""


def test_the_simulator_records_what_the_cpu_does() -> None:
    network = beside(9)
    arcs = list(
        zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    )
    support = Path(__file__).parents[2] / "support"
    environment = os.environ | {
        "NUMBA_ENABLE_CUDASIM": "1",
        "PYTHONPATH": os.pathsep.join([str(support), os.environ.get("PYTHONPATH", "")]),
    }
    called = [sys.executable, "-c", SIMULATED, json.dumps(arcs)]
    answer = subprocess.run(called, env=environment, capture_output=True, text=True, check=False, timeout=500)
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert len(found) == 4
    for name, figures in found.items():
        _, trace = recorded(network, name, {"judge": "frontier size"} if name == "adaptive" else {})
        for figure, values in figures.items():
            assert getattr(trace, figure).tolist() == values, (name, figure)
    assert found["relax-update"]["tentative"][1][1] == HEAVY
    assert found["relax-update"]["tentative"][2][2] == 2 * HEAVY, "which 32 bits refuse"
