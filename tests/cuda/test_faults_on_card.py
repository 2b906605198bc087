"""Faults that only a real card can have: each that spoils a card happens in a process of its own, which ends well."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from wayfront.devices import devices

CARDS = [info for info in devices() if info.available and info.id.startswith("cuda:")]
pytestmark = [pytest.mark.cuda, pytest.mark.skipif(not CARDS, reason=devices()[1].why_not or "no card")]

BEGIN = """
import sys
import numpy as np
import wayfront
from wayfront.devices import devices, open_device, choose_device
from wayfront.safe.errors import DeviceError, DeviceLostError, DeviceMemoryError, KernelError
from wayfront.synthetic import from_name

def spoil(i, array):
    array[i + (1 << 40)] = 1

def expect(kind, call):
    try:
        call()
    except kind as problem:
        print(f"{kind.__name__}: {problem}", flush=True)
        assert "\\n" not in str(problem)
        return
    raise AssertionError(f"no {kind.__name__}")

small = from_name("synthetic:grid?columns=60&rows=40&seed=1")

def search(device, network=small, name="near-far"):
    return wayfront.search(network, 0, name, device, runs=1, verify=True)

def hold_all_but(device, left):
    held = []
    size = 1 << 32
    while size >= 1 << 20:
        if device.free_bytes() - left > size:
            held.append(device.empty(size, np.int8))
        else:
            size //= 2
    return held
"""

SPOILED = """
device = open_device("cuda:0")
search("cuda:0")
array = device.put(np.zeros(64, np.int32))
def go():
    with device.reserve(None):
        device.prepare(spoil)(64, array)
        device.synchronize()
expect(DeviceLostError, go)
listed = next(info for info in devices() if info.id == "cuda:0")
assert not listed.available and "a kernel failed on cuda:0" in listed.why_not, listed
expect(DeviceError, lambda: search("cuda:0"))
found = search("cpu")
assert found.verified
"""

SPOILED_IN_A_SEARCH = """
from wayfront.algorithms import near_far
whole = near_far.split_far
def bad(i, step, settled, limit, search, piles, lengths, nearest):
    search.distances[i + (1 << 40)] = 1
import typing
bad.__annotations__ = typing.get_type_hints(whole)
bad.__module__ = whole.__module__
near_far.split_far = bad
expect(DeviceLostError, lambda: search("cuda:0"))
near_far.split_far = whole
assert search("cpu").verified
assert choose_device("auto").id != "cuda:0"
"""

TOO_LARGE = """
device = open_device("cuda:0")
held = hold_all_but(device, 64 << 20)
large = from_name("synthetic:grid?columns=1500&rows=1500&seed=1")
expect(DeviceMemoryError, lambda: search("cuda:0", large))
from wayfront.searching import execution
execution.require_room = lambda *_a, **_o: None
for name in ("near-far", "relax-update", "delta-stepping", "near-far-resident"):
    expect(DeviceMemoryError, lambda: search("cuda:0", large, name))
    assert search("cuda:0").verified
held.clear()
assert search("cuda:0", large).verified
"""

HOLD = (
    BEGIN
    + """
device = open_device("cuda:0")
held = hold_all_but(device, 1400 << 20)
print("held", flush=True)
sys.stdin.read()
"""
)

HELD_ELSEWHERE = """
large = from_name("synthetic:grid?columns=4500&rows=4500&seed=1")
expect(DeviceMemoryError, lambda: search("cuda:0", large))
assert search("cuda:0").verified
assert search("cpu").verified
"""

UNFIT_KERNEL = """
from numba import cuda
device = open_device("cuda:0")
def unfit(i, array):
    array[i] = cuda.blockDim.nonsense
def go():
    with device.reserve(None):
        device.prepare(unfit)(64, device.put(np.zeros(64, np.int32)))
expect(KernelError, go)
assert search("cuda:0").verified
"""

TWO_CARDS = """
for card in ("cuda:0", "cuda:1", "cuda:0"):
    for name in ("near-far-resident", "near-far", "cuda-dijkstra"):
        assert search(card, name=name).verified
"""

ONE_SPOILED_OF_TWO = "search('cuda:1')\n" + SPOILED

CASES = {
    "a kernel writes out of bounds": SPOILED,
    "a search's own kernel does": SPOILED_IN_A_SEARCH,
    "a network too large": TOO_LARGE,
    "a kernel that cannot be compiled": UNFIT_KERNEL,
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", BEGIN + code + "\nprint('ends well', flush=True)\n"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=dict(os.environ))


def check(done: subprocess.CompletedProcess[str]) -> None:
    """Expect that a process came to its end, left with 0, and said nothing on stderr, also not while it ended."""
    assert "ends well" in done.stdout, done.stdout + done.stderr[-3000:]
    assert done.returncode == 0, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    assert "Error" not in done.stderr


@pytest.mark.parametrize("code", CASES.values(), ids=CASES.keys())
def test_the_process_goes_on_and_ends_well(code: str) -> None:
    check(run(code))


def test_memory_held_by_another_process_is_reported() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline().strip() == "held"
            check(run(HELD_ELSEWHERE))
        finally:
            holder.communicate("")


@pytest.mark.skipif(len(CARDS) < 2, reason="needs two cards")
@pytest.mark.parametrize("code", [TWO_CARDS, ONE_SPOILED_OF_TWO], ids=["both at work", "one spoiled"])
def test_a_process_with_two_cards_ends_well(code: str) -> None:
    check(run(code))
