"""What a trace reports of its steps, against counts: every launch falls into a step, every arc tried is counted."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

import wayfront
from counting_devices import ArcCountingDevice, TickingDevice
from search_checks import make_network, random_arcs, taking_turns, variants
from there import there
from wayfront.devices.device import Device
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.options import resolve
from wayfront.searching import execution
from wayfront.searching.registry import SearchFunction, find_algorithm
from wayfront.searching.run import Run, Setting
from wayfront.synthetic import from_name

NETWORKS = {"grid": from_name("synthetic:grid?columns=10&rows=8&seed=2"), "dense": random_arcs(30, 150, 90, 7)}
STEPPED = [(name, options) for name, options in variants("cpu") if find_algorithm(name).stepped]
COUNTABLE = [(name, options) for name, options in STEPPED if "block" not in options and options.get("format") != "ELL"]
"""Blocks change nothing on the CPU. ELL reads padding beside arcs."""


def make_run(device: Device, network: RoadNetwork, name: str, options: dict[str, Any]) -> tuple[Run, SearchFunction]:
    """Return a run of an algorithm from node 0, and its search function."""
    algorithm = find_algorithm(name)
    values = resolve(algorithm.options, options)
    setting = Setting(device, network, network.metrics[0], values, np.dtype(np.int32))
    return Run(setting, 0), algorithm.search


@pytest.mark.parametrize(("name", "options", "shape"), taking_turns(STEPPED, NETWORKS), ids=str)
def test_every_launch_of_a_search_falls_into_a_step_and_none_of_the_recorder(
    name: str, options: dict[str, Any], shape: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = NETWORKS[shape]
    if name == "adaptive":  # judged by the clock, two runs differ
        options = {"list_up_to": 9} | options | {"judge": "frontier size"}
    device = TickingDevice()
    monkeypatch.setattr(execution, "open_device", lambda *_name, **_options: device)
    trace = there(wayfront.search(network, 0, name, options=options, trace=True, runs=0).trace)
    assert (trace.time_ns >= 1).all(), "every step launches something"

    run, search = make_run(device, network, name, options)
    before = device.ticks
    for _ in search(run):
        pass
    assert trace.time_ns.sum() == device.ticks - before, "a traced run's steps launch what a clean run does"


@pytest.mark.parametrize("name", ["dijkstra", "dijkstra-heap", "bellman-ford", "near-far"])
def test_time_between_steps_belongs_to_none(name: str) -> None:
    slept = 0.0

    def wait(progress: wayfront.Progress) -> None:
        nonlocal slept
        if progress.stage == "tracing" and slept < 0.2:
            time.sleep(0.05)
            slept += 0.05

    begin = time.perf_counter()
    result = wayfront.search(from_name("synthetic:ring?n=3000"), 0, name, "cpu", runs=0, trace=True, progress=wait)
    wall = time.perf_counter() - begin
    assert slept > 0
    assert there(result.timing.traced_ms) <= 1e3 * (wall - slept)


@pytest.mark.parametrize(("name", "options", "shape"), taking_turns(COUNTABLE, NETWORKS), ids=str)
def test_relaxations_are_the_arcs_that_every_step_tries(name: str, options: dict[str, Any], shape: str) -> None:
    network = NETWORKS[shape]
    device = ArcCountingDevice()
    run, search = make_run(device, network, name, options)
    tracer = run.make_tracer(1 << 20)
    run.observer = tracer
    tried = {0: 0}
    for _ in search(run):
        tried.setdefault(tracer.step_count, device.tried)
    tried[tracer.step_count] = device.tried  # passes that change nothing end as one step, after the last yield
    counted = np.append(0, np.cumsum(tracer.finish().relaxations))
    assert {steps: int(counted[steps]) for steps in tried} == tried


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
def test_relaxations_of_sequential_searches(network: RoadNetwork) -> None:
    reached = wayfront.search(network, 0, "dijkstra", "cpu", runs=0).reached
    once = int(network.out_degrees()[reached].sum())
    for name in ("dijkstra", "dijkstra-heap"):
        assert wayfront.search(network, 0, name, "cpu", trace=True, runs=0).relaxations == once

    tails, heads, weights = network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist()
    distances: dict[int, int] = {0: 0}
    expected, changed = [], True
    while changed:
        changed, tried = False, 0
        for tail, head, weight in zip(tails, heads, weights, strict=True):
            if tail in distances:
                tried += 1
                if distances[tail] + weight < distances.get(head, 2**62):
                    distances[head] = distances[tail] + weight
                    changed = True
        expected.append(tried)
    trace = there(wayfront.search(network, 0, "bellman-ford", "cpu", trace=True, runs=0).trace)
    assert trace.relaxations.tolist() == expected


def test_delta_stepping_tries_light_arcs_in_light_phases_and_heavy_ones_in_heavy_phases() -> None:
    # From node 0: light to 1, heavy to 2; from 1: light back to 0; from 2: heavy to 0.
    network = make_network(3, [(0, 1, 1), (0, 2, 50), (1, 0, 1), (2, 0, 50)])
    trace = there(wayfront.search(network, 0, "delta-stepping", "cpu", options={"delta": 10}, trace=True, runs=0).trace)
    phases = [(step.note.phase, step.frontier.tolist(), step.relaxations) for step in trace]
    zero, one, two = (network.node(k) for k in network.node_ids[np.argsort(network.node_ids)].tolist())
    assert phases == [
        ("light arcs", [zero], 1),
        ("light arcs", [one], 1),
        ("heavy arcs", sorted([zero, one]), 1),
        ("light arcs", [two], 0),
        ("heavy arcs", [two], 1),
    ]
