"""Measure what a device can do at best: bytes copied, and sums compared, a second.

usage: python tools/hardware_limits.py [--device ID] [--threads N] [--results trees.json]

With ``--results``, a file that ``wayfront benchmark trees -o`` wrote, the limits are added to the stages that were
measured on this device, and ``wayfront benchmark trees --from`` shows which shares of them each stage reaches.

A tree reads every entry of its matrices once, adds a distance to it and keeps the smaller sum. So two rates bound it:
that of a copy of as many bytes, and that of additions with a minimum whose operands are as near as can be, in registers
on a card and in the nearest cache on a core.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.benchmarks.tree_times import Limits, Stage, TreeBenchmark, read_benchmarks
from wayfront.devices import choose_device, open_device
from wayfront.devices.compiling import loop
from wayfront.devices.device import Ability, Device, DeviceArray
from wayfront.dissection.host.vectors import add, lanes_of_processor, load, minimum, splat, store
from wayfront.kernels.arithmetic import lesser_sum
from wayfront.safe.files import write_text_whole

LARGEST_COPY = 1 << 30
"""Bytes that a copy moves at most: more take as long each."""

REPEATS = 20
AT_ONCE = 10

ROUNDS = 4096
"""Times that every sum is made in one run."""

DEPTH, VECTORS = 16, 8
"""A core's matrix: so many rows of so many vectors, 8 kB with vectors of 64 bytes."""

SUMS = 8
"""Sums that a card's thread keeps in registers."""


def copied_bytes_a_second(device: Device, moved: int) -> float:
    """Return how many bytes a copy moves a second, read and written, where it moves ``moved`` in all."""
    count = max(1024, min(moved, LARGEST_COPY) // 16)
    source, target = device.put(np.ones(count, np.int64)), device.empty(count, np.int64)
    if Ability.HOST_LOOPS in device.abilities:
        return 16 * count / _fastest_s(device, lambda: _copy_on_cores(device, source, target))
    copy = device.prepare(_copy)
    return 16 * count / _fastest_s(device, lambda: copy(count, source, target))


def _copy_on_cores(device: Device, source: NDArray[np.int64], target: NDArray[np.int64]) -> None:
    parts = [
        slice(len(source) * k // device.threads, len(source) * (k + 1) // device.threads) for k in range(device.threads)
    ]
    device.divide(lambda part, _core: np.copyto(target[parts[part]], source[parts[part]]), range(device.threads))


def additions_a_second(device: Device) -> float:
    """Return how many additions of int32 with a minimum the device makes a second, on all its cores in use."""
    if Ability.HOST_LOOPS in device.abilities:
        return _on_cores(device)
    threads = 4 * device.busy_blocks * device.block
    numbers = device.put(np.arange(threads + SUMS, dtype=np.int32))
    results = device.empty(threads, np.int32)
    lower = device.prepare(_lower_in_registers)
    return threads * ROUNDS * SUMS / _fastest_s(device, lambda: lower(threads, ROUNDS, numbers, results))


def _on_cores(device: Device) -> float:
    lanes = lanes_of_processor(np.int32)
    width = lanes.count * VECTORS
    matrix = np.arange(DEPTH * width, dtype=np.int32)
    row = np.arange(DEPTH, dtype=np.int32)
    results = [np.full(width, 1 << 20, np.int32) for _ in range(device.threads)]

    def lower(_task: int, core: int) -> None:
        _lower_row(lanes, lanes.count, ROUNDS, row, matrix, results[core])

    seconds = _fastest_s(device, lambda: device.divide(lower, range(device.threads)))
    return device.threads * ROUNDS * DEPTH * width / seconds


def _fastest_s(device: Device, work: Callable[[], None]) -> float:
    """Return the seconds of the fastest of several runs, of which some are sent at a time where they can be."""
    several = AT_ONCE if device.asynchronous else 1
    stamps = device.stamps()
    work()
    for _ in range(REPEATS):
        stamps.add()
        for _ in range(several):
            work()
        device.synchronize()
        stamps.add()
    times = stamps.take()
    return max(int((times[1::2] - times[::2]).min()) / 1e9 / several, 1e-9)


def _copy(i: int, source: DeviceArray, target: DeviceArray) -> None:
    target[i] = source[i]


def _lower_in_registers(i: int, rounds: int, numbers: DeviceArray, results: DeviceArray) -> None:
    """Lower eight numbers by sums of others again and again; none of them can be left out."""
    a, b, c, d = numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]
    e, f, g, h = numbers[i + 4], numbers[i + 5], numbers[i + 6], numbers[i + 7]
    far, near = numbers[i], numbers[0]
    for _ in range(rounds):
        a, b = lesser_sum(a, e, far), lesser_sum(b, f, near)
        c, d = lesser_sum(c, g, far), lesser_sum(d, h, near)
        e, f = lesser_sum(e, b, near), lesser_sum(f, c, far)
        g, h = lesser_sum(g, d, near), lesser_sum(h, a, far)
    a, b, c, d = lesser_sum(a, e, 0), lesser_sum(b, f, 0), lesser_sum(c, g, 0), lesser_sum(d, h, 0)
    a, c = lesser_sum(a, b, 0), lesser_sum(c, d, 0)
    results[i] = lesser_sum(a, c, 0)


@loop
def _lower_row(lanes: Any, n: int, rounds: int, row: Any, matrix: Any, result: Any) -> None:
    """Lower the sums of a row by those of a matrix, as a front does, with eight vectors of sums in registers."""
    for _ in range(rounds):
        a, b, c, d = (
            load(lanes, result, 0),
            load(lanes, result, n),
            load(lanes, result, 2 * n),
            load(lanes, result, 3 * n),
        )
        e, f = load(lanes, result, 4 * n), load(lanes, result, 5 * n)
        g, h = load(lanes, result, 6 * n), load(lanes, result, 7 * n)
        for k in range(DEPTH):
            to, at = splat(lanes, row[k]), k * VECTORS * n
            a = minimum(a, add(to, load(lanes, matrix, at)))
            b = minimum(b, add(to, load(lanes, matrix, at + n)))
            c = minimum(c, add(to, load(lanes, matrix, at + 2 * n)))
            d = minimum(d, add(to, load(lanes, matrix, at + 3 * n)))
            e = minimum(e, add(to, load(lanes, matrix, at + 4 * n)))
            f = minimum(f, add(to, load(lanes, matrix, at + 5 * n)))
            g = minimum(g, add(to, load(lanes, matrix, at + 6 * n)))
            h = minimum(h, add(to, load(lanes, matrix, at + 7 * n)))
        store(result, 0, a)
        store(result, n, b)
        store(result, 2 * n, c)
        store(result, 3 * n, d)
        store(result, 4 * n, e)
        store(result, 5 * n, f)
        store(result, 6 * n, g)
        store(result, 7 * n, h)


def with_limits(benchmark: TreeBenchmark, device: Device) -> TreeBenchmark:
    """Return a benchmark with the limits of the device at the stages that ran on it and whose work is known."""
    additions, copied = additions_a_second(device), cache(lambda moved: copied_bytes_a_second(device, moved))
    times = []
    for one in benchmark.times:
        if one.device == device.id and one.work is not None:
            trees = int(benchmark.network["nodes"]) if one.stage is Stage.ALL_PAIRS else 1
            one = replace(one, limits=Limits(copied(int(one.work.bytes_moved) // trees), additions))  # noqa: PLW2901
        times.append(one)
    return replace(benchmark, times=tuple(times))


def main(words: list[str]) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Measure what a device can do at best.")
    parser.add_argument("--device", default="cpu", help="its id, for instance cuda:0")
    parser.add_argument("--threads", type=int, default=1, help="CPU cores")
    parser.add_argument("--results", type=Path, help="a JSON file of 'wayfront benchmark trees', to add the limits to")
    given = parser.parse_args(words)
    device = open_device(choose_device(given.device).id, given.threads)
    if given.results is None:
        sys.stdout.write(
            f"{device.name}: {copied_bytes_a_second(device, LARGEST_COPY) / 1e9:,.1f} GB and "
            f"{additions_a_second(device) / 1e9:,.1f} billion additions a second\n"
        )
        return
    done = [with_limits(one, device).record() for one in read_benchmarks(given.results)]
    write_text_whole(given.results, json.dumps({"benchmarks": done}, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main(sys.argv[1:])
