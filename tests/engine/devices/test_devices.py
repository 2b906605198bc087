"""Devices: atomics under threads, their plain forms, listed devices, and everything but CUDA without numba-cuda."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import njit

from wayfront.devices import describe_device, devices, faults, open_device
from wayfront.devices.atomics import (
    atomic_add,
    atomic_exchange,
    atomic_max,
    atomic_min,
    compare_exchange,
    next_place,
    with_plain_operations,
)
from wayfront.devices.clocks import clock_ticks, timer_ns
from wayfront.devices.cpu import CpuDevice
from wayfront.devices.device import CardKernel, OneSearchAtATime
from wayfront.devices.workspace import Workspace
from wayfront.safe.errors import DeviceError, SearchCancelled
from wayfront.searching import execution
from wayfront.searching.call import search
from wayfront.searching.registry import find_algorithm
from wayfront.synthetic import from_name


@njit(nogil=True)
def hammer(counts: np.ndarray, rounds: int) -> int:
    """Add, lower and raise ``rounds`` times; return how often this thread saw the sum at 0."""
    firsts = 0
    for k in range(rounds):
        firsts += atomic_add(counts, 0, 1) == 0
        counts[4 + next_place(counts, 3)] += 1
        atomic_min(counts, 1, -k)
        atomic_max(counts, 2, k)
    return firsts


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_compiled_atomics_lose_nothing(dtype: type) -> None:
    counts: np.ndarray = np.zeros(4 + 800_000, dtype)
    hammer(counts, 1)
    counts[:] = 0
    firsts: list[int] = []
    threads = [threading.Thread(target=lambda: firsts.append(hammer(counts, 200_000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts[:4].tolist() == [800_000, -199_999, 199_999, 800_000]
    assert (counts[4:] == 1).all(), "each place was taken once"
    assert sum(firsts) == 1


@pytest.mark.parametrize(
    ("operation", "value", "after"),
    [(atomic_min, 3, 3), (atomic_min, 9, 5), (atomic_max, 9, 9), (atomic_max, 3, 5), (atomic_add, 4, 9)],
)
def test_plain_atomics_return_the_old_value(operation: object, value: int, after: int) -> None:
    array = np.array([0, 5])
    assert operation(array, 1, value) == 5  # type: ignore[operator]
    assert array.tolist() == [0, after]
    assert next_place(array, 1) == after
    assert array.tolist() == [0, after + 1]


def use_all(i: int, array: np.ndarray, old: np.ndarray) -> None:
    old[0] = atomic_add(array, i, 7)
    old[1] = atomic_min(array, i, 3)
    old[2] = atomic_max(array, i, 9)
    old[3] = atomic_exchange(array, i, 2)
    old[4] = compare_exchange(array, i, 2, 4)
    old[5] = compare_exchange(array, i, 2, 8)
    old[6] = next_place(array, i)


@pytest.mark.parametrize("body", [use_all, with_plain_operations(use_all)], ids=["atomic", "plain"])
def test_compiled_forms_do_what_the_plain_functions_do(body: object) -> None:
    array, old = np.array([0, 5], np.int32), np.zeros(7, np.int32)
    njit(body)(1, array, old)
    assert (array.tolist(), old.tolist()) == ([0, 5], [5, 12, 3, 9, 2, 4, 4])


def test_plain_clocks_rise() -> None:
    assert clock_ticks() <= clock_ticks()
    assert timer_ns() <= timer_ns()


def test_every_device_is_listed_with_its_reason() -> None:
    listed = {d.id: d for d in devices()}
    ids = list(listed)
    assert (ids[0], ids[-1]) == ("cpu", "simulator")
    assert ids[1:-1] == [f"cuda:{number}" for number in range(len(ids) - 2)]
    assert "cuda:0" in ids
    assert listed["cpu"].available
    for info in listed.values():
        assert describe_device(info.id).abilities == info.abilities
        assert find_algorithm(info.fastest).runs_on(info)
        assert info.available or (info.why_not and "\n" not in info.why_not)
    with pytest.raises(DeviceError, match=r"NUMBA_ENABLE_CUDASIM|numba-cuda is not installed"):
        open_device("simulator")


class DeviceOfTurns(OneSearchAtATime, CpuDevice):
    """The CPU, one search at a time; notes how many were on it at once."""

    def __init__(self) -> None:
        OneSearchAtATime.__init__(self)
        CpuDevice.__init__(self)
        self.searching = self.most = 0

    @contextlib.contextmanager
    def reserve(self, cancel: threading.Event | None) -> Iterator[None]:
        with super().reserve(cancel):
            self.searching += 1
            self.most = max(self.most, self.searching)
            yield
            self.searching -= 1


def test_searches_from_several_threads_take_turns_on_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    device, network = DeviceOfTurns(), from_name("synthetic:grid?columns=40&rows=30&seed=5")
    expected = search(network, 7, "dijkstra", "cpu", runs=0).distances
    monkeypatch.setattr(execution, "open_device", lambda *_: device)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: search(network, 7, "near-far", "cpu", runs=3), range(8)))
    assert all((result.distances == expected).all() for result in found)
    assert device.most == 1


def test_a_search_that_waits_for_its_turn_can_be_cancelled() -> None:
    device, cancel = DeviceOfTurns(), threading.Event()
    cancel.set()
    with device.reserve(None), device.reserve(cancel), ThreadPoolExecutor(1) as threads:  # one thread may search again
        waiting = threads.submit(lambda: device.reserve(cancel).__enter__())
        with pytest.raises(SearchCancelled):
            waiting.result(timeout=30)


WITHOUT_NUMBA_CUDA = """
import sys
sys.modules["numba_cuda"] = None  # as where the package is not installed
import wayfront
from wayfront.synthetic import from_name
found = wayfront.search(from_name("synthetic:ring?n=64"), 0, "near-far", "cpu", runs=0, verify=True)
assert found.reached.all()
from wayfront.devices import devices
for info in devices():
    print(info.why_not or "runs")
"""


def test_everything_but_cuda_works_without_numba_cuda() -> None:
    command = [sys.executable, "-W", "error", "-c", WITHOUT_NUMBA_CUDA]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    runs, *others = done.stdout.splitlines()
    assert runs == "runs"
    assert len(others) == 2
    assert all("numba-cuda is not installed" in why for why in others)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says so without importing CUDA")
def test_a_driver_that_is_there_is_never_taken_for_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spoilt = tmp_path / "libcuda.so"
    spoilt.write_text("no library")
    for names, missing in (
        (("no-such-library.so",), True),
        (("no-such-library.so", "libc.so.6"), False),
        ((str(spoilt),), False),  # numba says why it cannot be loaded
    ):
        monkeypatch.setattr(faults, "_DRIVERS", names)
        assert faults.driver_is_missing() is missing


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says so without importing CUDA")
def test_without_a_driver_devices_are_listed_without_importing_numba() -> None:
    script = """
import sys
from wayfront.devices import devices, faults
faults._DRIVERS = ()
print(devices()[1].why_not, "numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("no CUDA device: ")
    assert done.stdout.endswith(" False\n")


def test_a_kernel_for_cards_is_prepared_for_every_block_and_shared_memory() -> None:
    class Card(CpuDevice):
        most_block = 512

        def prepare_card(self, kernel: object, block: int, shared_bytes: int) -> Callable[..., None]:
            prepared.append((block, shared_bytes))
            return lambda blocks: ran.append((blocks, block, shared_bytes))

    prepared: list[tuple[int, int]] = []
    ran: list[tuple[int, int, int]] = []
    with contextlib.closing(Card()) as card:
        workspace, kernel = Workspace(card, 128), CardKernel(lambda: None)
        for block, shared_bytes in [(256, 100), (256, 900), (256, 100), (512, 100)]:
            workspace.launch_card(kernel, 3, block, shared_bytes)
    assert prepared == [(256, 100), (256, 900), (512, 100)]
    assert ran == [(3, 256, 100), (3, 256, 900), (3, 256, 100), (3, 512, 100)]
