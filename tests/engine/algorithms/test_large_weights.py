"""No search does more because weights are large: its steps and launches are counted, not timed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wayfront
from counting_devices import TickingDevice
from search_checks import make_network, taking_turns, variants
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.searching import execution
from wayfront.synthetic import from_name

LARGEST = 2**31 - 1
NODES = 80
SEARCHES = [
    (name, options)
    for name, options in variants("cpu")
    if "block" not in options and (name, options) != ("delta-stepping", {"delta": 40})
]
"""A block's size has nothing to do with weights; that width needs more buckets than indices hold, and is refused."""


def path(weight: int) -> RoadNetwork:
    """Return a path of arcs of one weight and, every fourth, of weight 0."""
    return make_network(NODES, [(u, u + 1, 0 if u % 4 == 3 else weight) for u in range(NODES - 1)])


def web(weight: int) -> RoadNetwork:
    """Return a random network of arcs of one weight and of weight 0."""
    r = np.random.default_rng(5)
    arcs = [(*r.integers(0, NODES, 2).tolist(), weight * (k % 3 != 0)) for k in range(4 * NODES)]
    return make_network(NODES, arcs)


@pytest.mark.parametrize(
    ("name", "options", "make"),
    taking_turns(SEARCHES, [path, web]),
    ids=lambda each: getattr(each, "__name__", str(each)),
)
def test_steps_do_not_grow_with_the_weights(
    name: str, options: dict[str, Any], make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "adaptive":  # judged by the clock, two runs differ
        options = {"list_up_to": 9} | options | {"judge": "frontier size"}
    device = TickingDevice()
    monkeypatch.setattr(execution, "open_device", lambda *_name, **_options: device)
    steps, launches = [], []
    for weight in (1000, LARGEST):
        before = device.ticks
        trace = there(wayfront.search(make(weight), 0, name, options=options, runs=0, trace=True).trace)
        steps.append(len(trace))
        launches.append(device.ticks - before)
    assert steps[1] <= max(steps[0], 2 * NODES)
    # Three times: a search that outgrows 32 bits is repeated with 64, and a tiny network is searched to compile.
    assert launches[1] <= 3 * max(launches[0], 12 * NODES)


def test_a_long_chain_of_weights_of_zero_makes_its_tree_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    served = 0
    device = TickingDevice()
    prepare = device.prepare

    def counted(body: Any, *arguments: Any) -> Any:
        launch = prepare(body, *arguments)

        def count_and_launch(count: int, *rest: Any) -> None:
            nonlocal served
            served += count
            launch(count, *rest)

        return count_and_launch

    monkeypatch.setattr(device, "prepare", counted)
    monkeypatch.setattr(execution, "open_device", lambda *_name, **_options: device)
    n = 2000
    result = wayfront.search(
        make_network(n, [(u, u + 1, 0) for u in range(n - 1)]), 0, "dijkstra", runs=0, trace_budget=None, verify=True
    )
    assert result.parents.tolist() == list(range(-1, n - 1))
    assert served <= 20 * n


@pytest.mark.parametrize("rule", ["mean weight", "median weight", "largest weight / largest degree"])
def test_a_width_that_is_chosen_is_never_refused(rule: str) -> None:
    heavy = [(u, u + 1, LARGEST) for u in range(9)]
    light = [(u, v, 0) for u in range(9) for v in range(u + 1)]  # the median weight is 0
    network = make_network(10, heavy + light)
    result = wayfront.search(
        network, 0, "delta-stepping", "cpu", options={"rule": rule}, runs=0, verify=True, trace=True
    )
    assert result.distances[9] == 9 * LARGEST


def test_steps_of_ordinary_networks_are_unchanged() -> None:
    network = from_name("synthetic:grid?columns=30&rows=20&seed=2")
    trace = there(wayfront.search(network, 0, "dijkstra", "cpu", runs=0, trace=True).trace)
    assert (np.diff(trace.bucket) > 0).all()
