"""Compiled loops that take many steps of a sequential Dijkstra search and write each of them down.

A step of the search on New York takes 6 µs. Coming back to Python after each would take several times as long, so these
loops read the clock, count, and log for themselves. They call the same loops as a clean run, a step at a time.
"""

from __future__ import annotations

from typing import NamedTuple

from numba import types

from wayfront.algorithms.dijkstra.bucket_kernels import OPENED, BucketQueue, settle_buckets
from wayfront.algorithms.dijkstra.heap_kernels import (
    DecreaseKeyHeap,
    LazyHeap,
    settle_from_decrease_key_heap,
    settle_from_lazy_heap,
)
from wayfront.algorithms.dijkstra.settling import MOST_WORK
from wayfront.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.clocks import timer_ns
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording

END, RELAXED, IMPROVED, TIME_NS, BUCKET, COLUMNS = range(6)
"""Columns of a logged step: nodes settled up to its end, arcs relaxed, nodes improved up to its end, each as often as
its distance fell, time, the bucket opened last."""

STEP, ROWS, BEGUN, WORK, LAST_NS, CARRIED_NS, CLOCKED_NS, STATE = range(8)
"""Indices in a log's state: the present step; rows in use; nodes settled when it began; work done in this call; when
the clock was read last; the present step's time in earlier calls; and the time of all calls since the last reading."""

ROWS_AT_ONCE = 1 << 12
"""Steps that fit the log."""


class StepLog(NamedTuple):
    """Where the steps are written down.

    rows    int64 [ROWS_AT_ONCE · COLUMNS]
    state   int64 [STATE]
    """

    rows: DeviceArray
    state: DeviceArray


@loop_without_allocation
def settle_buckets_and_log(
    arcs: Arcs,
    distances: DeviceArray,
    queue: BucketQueue,
    fine_bits: int,
    settled: DeviceArray,
    count: int,
    log: StepLog,
    recording: Recording,
) -> tuple[int, bool]:
    """Settle coarse bucket after coarse bucket, a step each, until the log is full or enough work is done.

    The nodes are listed in ``settled``, all steps' one after the other. Returns (nodes settled, whether the search is
    over).
    """
    state = log.state
    begin_call(log)
    more = True
    most_work = types.int64(MOST_WORK)  # a literal would compile the loop for that number alone
    while more and state[ROWS] < ROWS_AT_ONCE and state[WORK] < most_work:
        least = state[BEGUN] + 1
        count, done = settle_buckets(arcs, distances, queue, fine_bits, settled, count, least, most_work, recording)
        more = _end_step(log, arcs, settled, count, done, queue.state[OPENED], recording)
    end_call(log)
    return count, not more


@loop_without_allocation
def settle_from_lazy_heap_and_log(
    arcs: Arcs,
    distances: DeviceArray,
    heap: LazyHeap,
    share: int,
    settled: DeviceArray,
    count: int,
    log: StepLog,
    recording: Recording,
) -> tuple[int, bool]:
    """Settle ``share`` nodes a step from the heap, until the log is full or enough work is done; returns as above."""
    state = log.state
    begin_call(log)
    more = True
    most_work = types.int64(MOST_WORK)  # a literal would compile the loop for that number alone
    while more and state[ROWS] < ROWS_AT_ONCE and state[WORK] < most_work:
        enough = state[BEGUN] + share
        count, done = settle_from_lazy_heap(arcs, distances, heap, settled, count, enough, most_work, recording)
        more = _end_step(log, arcs, settled, count, done, 0, recording)
    end_call(log)
    return count, not more


@loop_without_allocation
def settle_from_decrease_key_heap_and_log(
    arcs: Arcs,
    distances: DeviceArray,
    heap: DecreaseKeyHeap,
    share: int,
    settled: DeviceArray,
    count: int,
    log: StepLog,
    recording: Recording,
) -> tuple[int, bool]:
    """Do the same from a heap with decrease-key."""
    state = log.state
    begin_call(log)
    more = True
    most_work = types.int64(MOST_WORK)  # a literal would compile the loop for that number alone
    while more and state[ROWS] < ROWS_AT_ONCE and state[WORK] < most_work:
        enough = state[BEGUN] + share
        count, done = settle_from_decrease_key_heap(arcs, distances, heap, settled, count, enough, most_work, recording)
        more = _end_step(log, arcs, settled, count, done, 0, recording)
    end_call(log)
    return count, not more


@loop_without_allocation
def begin_call(log: StepLog) -> None:
    """Begin a call: the clock runs, and no work is done yet."""
    log.state[LAST_NS] = timer_ns()
    log.state[WORK] = 0


@loop_without_allocation
def end_call(log: StepLog) -> None:
    """End a call: keep the time of a step that is not over."""
    time_ns = timer_ns() - log.state[LAST_NS]
    log.state[CARRIED_NS] += time_ns
    log.state[CLOCKED_NS] += time_ns


@part_without_allocation
def _end_step(
    log: StepLog, arcs: Arcs, settled: DeviceArray, count: int, done: bool, bucket: int, recording: Recording
) -> bool:
    """Write down the present step if it is over, ``done``; return whether the search goes on."""
    state = log.state
    if not done:
        state[WORK] = MOST_WORK
        return True
    begun, relaxed = state[BEGUN], 0
    if count == begun:
        return False
    for index in range(begun, count):
        node = settled[index]
        relaxed += arcs.offsets[node + 1] - arcs.offsets[node]
    row, now = state[ROWS] * COLUMNS, timer_ns()
    time_ns = now - state[LAST_NS]
    log.rows[row + END] = count
    log.rows[row + RELAXED] = relaxed
    log.rows[row + IMPROVED] = recording.improved[0]
    log.rows[row + TIME_NS] = state[CARRIED_NS] + time_ns
    log.rows[row + BUCKET] = bucket
    state[LAST_NS], state[CARRIED_NS], state[BEGUN] = now, 0, count
    state[CLOCKED_NS] += time_ns
    state[STEP] += 1
    state[ROWS] += 1
    state[WORK] += relaxed + count - begun
    return True


@loop_without_allocation
def look_up_improved(log: StepLog, recording: Recording) -> None:
    """Note in the nodes' arrays in which of the logged steps each improved, and turn the steps' column into counts.

    A node counts once for each step. What was improved in a step that is not over stays on the list.
    """
    first_step, begin, listed = log.state[STEP] - log.state[ROWS], 1, recording.improved[0]
    for row in range(log.state[ROWS]):
        step, end, count = first_step + row, log.rows[row * COLUMNS + IMPROVED] + 1, 0
        for index in range(begin, end):
            node = recording.improved[index]
            if recording.first_reached[node] < 0:
                recording.first_reached[node] = step
            if recording.last_improved[node] != step:
                recording.last_improved[node] = step
                count += 1
        log.rows[row * COLUMNS + IMPROVED] = count
        begin = end
    left = listed + 1 - begin
    for index in range(left):
        recording.improved[1 + index] = recording.improved[begin + index]
    recording.improved[0] = left
