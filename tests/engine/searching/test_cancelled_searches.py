"""Cancelling: between two looks whether to stop, no search on the CPU does more than a little work."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import wayfront
from search_checks import make_network, random_arcs, variants
from wayfront.algorithms import bellman_ford as one_thread
from wayfront.algorithms import bellman_ford as passes
from wayfront.algorithms import sequential_steps as sequential
from wayfront.devices import cpu, describe_device, open_device
from wayfront.devices.cpu import CpuDevice
from wayfront.kernels.observing import fill
from wayfront.results.result import SearchKind
from wayfront.safe.errors import SearchCancelled
from wayfront.safe.options import resolve
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.searching.run import Run, Setting
from wayfront.synthetic import from_name

ON_CPU = [a.name for a in algorithms(SearchKind.ONE_TREE) if a.runs_on(describe_device("cpu"))]


class Stop(Exception):  # noqa: N818 - what a check raises here
    pass


class Checks:
    """A check that counts how often it is called, and stops at one of the calls."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.count = 0
        self._stop_at = stop_at

    def __call__(self) -> None:
        self.count += 1
        if self.count == self._stop_at:
            raise Stop


@pytest.mark.parametrize("threads", [1, 3])
def test_a_long_launch_is_cut_into_slices(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "SLICE", 5000)
    device = CpuDevice(threads=threads)
    count = 10 * threads * 5000 - 1
    array, checks = np.zeros(count, np.int32), Checks()
    launch = device.prepare(fill, None, checks)
    launch(count, array, 1)
    assert checks.count == 10
    assert (array == 1).all()

    stopping = device.prepare(fill, None, Checks(stop_at=4))
    with pytest.raises(Stop):
        stopping(count, array, 2)
    assert (array == 2).sum() == 3 * threads * 5000, "the rest is not run"

    short = Checks()
    device.prepare(fill, None, short)(4096, array, 3)
    assert short.count == 0, "a short launch costs nothing more"
    device.close()


@pytest.mark.parametrize("name", ["dijkstra", "dijkstra-heap", "bellman-ford"])
def test_sequential_searches_check_after_little_work(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequential, "MOST_WORK", 500)
    monkeypatch.setattr(one_thread, "NODES_AT_ONCE", 100)
    network = random_arcs(3000, 12_000, 1, 4)  # all in one bucket
    checks = Checks()
    algorithm = find_algorithm(name)
    setting = Setting(
        open_device("cpu"), network, network.metrics[0], resolve(algorithm.options, {}), np.dtype("i4"), checks
    )
    for _ in algorithm.search(Run(setting, 0)):
        pass
    assert checks.count >= 25


@pytest.mark.parametrize(("name", "options"), variants("cpu"), ids=str)
def test_every_search_checks_within_long_launches(
    name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "SLICE", 64)
    monkeypatch.setattr(one_thread, "NODES_AT_ONCE", 64)
    monkeypatch.setattr(sequential, "MOST_WORK", 64)
    network = from_name("synthetic:grid?columns=30&rows=30&seed=2")
    cancel = threading.Event()
    looked = 0

    class Watched(threading.Event):
        def is_set(self) -> bool:
            nonlocal looked
            looked += 1
            return super().is_set()

    wayfront.search(network, 0, name, "cpu", options=options, runs=0, trace_budget=None, cancel=Watched())
    # A tree by dissection is two sweeps over the cells, which look less often than launches over 900 nodes do.
    assert looked > (20 if name == "dissection" else 40)
    cancel.set()
    with pytest.raises(SearchCancelled, match="was stopped"):
        wayfront.search(network, 0, name, "cpu", options=options, runs=0, cancel=cancel)


@pytest.mark.parametrize("name", ON_CPU)
def test_a_cancel_at_any_check_ends_the_search(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last look matters as much as the first: none is followed by a result."""
    monkeypatch.setattr(cpu, "SLICE", 64)
    network = from_name("synthetic:grid?columns=12&rows=10&seed=2")
    options = {"judge": "frontier size"} if name == "adaptive" else {}  # judged by the clock, two runs differ
    wayfront.search(network, 0, name, "cpu", options=options, runs=1)  # compile
    looked, stop_at = 0, 0

    class Late(threading.Event):
        def is_set(self) -> bool:
            nonlocal looked
            looked += 1
            return looked == stop_at

    wayfront.search(network, 0, name, "cpu", options=options, runs=1, cancel=Late())
    total = looked
    for stop_at in {1, 2, total // 2, total - 1, total}:  # noqa: B007 - read by the event
        looked = 0
        with pytest.raises(SearchCancelled):
            wayfront.search(network, 0, name, "cpu", options=options, runs=1, cancel=Late())


@pytest.mark.parametrize("name", ["cuda-dijkstra", "bellman-ford", "dijkstra"])
def test_a_cancel_is_noticed_soon(name: str) -> None:
    n = 400_000 if name == "dijkstra" else 60_000
    network = make_network(n, [(u, u + 1, 0) for u in range(n - 1)] + [(u + 1, u, 1) for u in range(n - 1)])
    options = {"stop": passes.ALL_PASSES} if name == "bellman-ford" else None
    wayfront.search(random_arcs(64, 200, 1, 1), 0, name, "cpu", runs=0, options=options)  # compile
    cancel, begin = threading.Event(), time.monotonic()
    timer = threading.Timer(0.5, cancel.set)
    timer.start()
    with pytest.raises(SearchCancelled):
        wayfront.search(network, 0, name, "cpu", runs=1000, trace_budget=None, options=options, cancel=cancel)
    assert cancel.is_set()
    assert time.monotonic() - begin < 5, "0.2 s, and much more for a busy machine"


INTERRUPTED = """
import _thread, sys, threading, time
import wayfront
from wayfront.synthetic import from_name
wayfront.search(from_name("synthetic:ring?n=64"), 0, "cuda-dijkstra", "cpu", runs=0)
network = from_name("synthetic:ring?n=60000")
threading.Timer(0.3, _thread.interrupt_main).start()
begin = time.monotonic()
try:
    wayfront.search(network, 0, "cuda-dijkstra", "cpu", runs=1, trace_budget=None)
except KeyboardInterrupt:
    print(time.monotonic() - begin)
print(wayfront.search(from_name("synthetic:ring?n=64"), 0, "dijkstra", "cpu", runs=0, verify=True).verified)
"""


def test_ctrl_c_ends_a_search_on_the_cpu_and_the_next_one_works() -> None:
    command = [sys.executable, "-W", "error", "-c", INTERRUPTED]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    after, verified = done.stdout.split()
    assert float(after) < 5
    assert verified == "True"
