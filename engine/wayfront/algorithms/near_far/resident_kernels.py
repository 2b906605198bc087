"""The near-far search as one resident kernel, from the same bodies as the stepped one.

The search alternates two kinds of phase: relax the near pile, or, when it is empty, split the far pile. A barrier
ends each phase, after which every thread reads the new lengths and takes the same decision, so nothing has to be
broadcast. Lengths rotate through three elements: a phase fills one, the one before is still being read, and thread 0
clears the next. Loops with a stride are written with ``while``: a ``range`` would divide to count its turns, and a
64-bit division in every phase takes a card about as long as a barrier of a block.

A pile too short for the whole card is left to block 0, which needs only its own, far cheaper barrier; the other
blocks wait at the grid's until it comes back. That is the mode of a step: "grid" or "one block".

Cooperative kernels compile only where there is a driver, but this file imports anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.algorithms.near_far.near_far_kernels import (
    Entry,
    Lengths,
    Marks,
    Nearest,
    Piles,
    relax_near,
    split_far,
)
from wayfront.devices.clocks import clock_ticks, timer_ns
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording

STEPS_AT_ONCE = 1 << 12
"""Steps of one launch at most. A search can be cancelled between two: 0.2 s apart where a step takes 50 µs."""

LOG_NODES = 1 << 22
"""Room of the log beyond one pile of all nodes."""

ONE_BLOCK = 256
"""A phase of up to this many threads' work is left to block 0, in one round of its threads (tried on an H200)."""

MODES = ("grid", "one block")

STEP, PHASE, SPLITS, SETTLED, LIMIT, NEAR_COUNT, FAR_COUNT, FINISHED = range(8)
LOGGED_STEPS, LOGGED_NODES, CLOCK_TICKS, TIMER_NS, STATE_SIZE = 8, 9, 10, 11, 12
"""Indices in the state, int64: what a launch needs from the one before, and what it reports to the host."""

LOG_COLUMNS = 5
"""Per step: length of the near pile, clock ticks, settled distance, limit, mode."""

COUNTERS = 6
"""Lengths being filled: three elements for the near pile, three for the far pile."""

_relax_near = cuda_function(relax_near)
_split_far = cuda_function(split_far)


class Memory(NamedTuple):
    """What the threads of all blocks share, and what one launch leaves to the next.

    counters   int32 [COUNTERS]: the lengths of piles being filled
    nearest    [3], typed like the distances: the smallest distance left on the far pile, in the same rotation
    state      int64 [STATE_SIZE]
    """

    counters: DeviceArray
    nearest: DeviceArray
    state: DeviceArray


class Log(NamedTuple):
    """What a traced search writes down on the card.

    capacity   the most nodes that fit, at least n; 0 in clean runs, which leave the arrays alone
    nodes      int32 [capacity]: the near piles, one after the other
    steps      int64 [STEPS_AT_ONCE × LOG_COLUMNS]
    improved   int32 [STEPS_AT_ONCE + 1]: how many nodes each step improved
    """

    capacity: int
    nodes: DeviceArray
    steps: DeviceArray
    improved: DeviceArray


def start_state(i: int, delta: int, infinity: int, memory: Memory) -> None:
    """Set the state so that the first launch finds the source alone on the near pile."""
    for k in range(COUNTERS):
        memory.counters[k] = 0
    for k in range(3):
        memory.nearest[k] = infinity
    for k in range(STATE_SIZE):
        memory.state[k] = 0
    memory.state[LIMIT] = delta
    memory.state[NEAR_COUNT] = 1 + i


def search_near_far(  # noqa: PLR0912, PLR0915 - one loop of phases whose registers every branch shares
    delta: int,
    infinity: int,
    lane_bits: int,
    most_steps: int,
    arcs: Arcs,
    distances: DeviceArray,
    marks: Marks,
    piles: Piles,
    memory: Memory,
    log: Log,
    recording: Recording,
) -> None:
    """Run phases until no node is near or far, ``most_steps`` are done, or the log has no room for another pile."""
    grid = cuda.cg.this_grid()
    counters, nearest, state = memory
    first_thread = cuda.grid(1) == 0
    step, phase, splits = state[STEP], state[PHASE], state[SPLITS]
    settled, limit = state[SETTLED], state[LIMIT]
    near_count, far_count = state[NEAR_COUNT], state[FAR_COUNT]
    steps_done, logged = 0, 0
    if recording.on != 0 and first_thread:
        log.improved[0] = 0
    grid.sync()  # no thread writes the state before all have read it
    begin_ns, begin_ticks = timer_ns(), clock_ticks()
    last_ticks = begin_ticks
    while near_count + far_count > 0 and steps_done < most_steps:
        if recording.on != 0 and logged + near_count > log.capacity:
            break
        work = near_count << lane_bits if near_count > 0 else far_count
        alone = work <= ONE_BLOCK
        if alone and cuda.blockIdx.x != 0:
            grid.sync()
            step, phase, splits = state[STEP], state[PHASE], state[SPLITS]
            settled, limit = state[SETTLED], state[LIMIT]
            near_count, far_count = state[NEAR_COUNT], state[FAR_COUNT]
            steps_done, logged = state[LOGGED_STEPS], state[LOGGED_NODES]
            grid.sync()
            continue
        first, stride = (cuda.threadIdx.x, cuda.blockDim.x) if alone else (cuda.grid(1), cuda.gridsize(1))
        near, near_next = (piles.near, piles.near_next) if phase % 2 == 0 else (piles.near_next, piles.near)
        far, far_next = (piles.far, piles.far_next) if splits % 2 == 0 else (piles.far_next, piles.far)
        now = Piles(near, near_next, far, far_next)
        filled = phase % 3
        if first_thread:
            counters[(phase + 1) % 3] = 0
        relaxing = near_count > 0
        if relaxing:
            if recording.on != 0 and first_thread:
                log.improved[steps_done + 1] = 0
            lengths = Lengths(counters, filled, 3 + splits % 3)
            entry = Entry(log.nodes, logged if recording.on != 0 else -1, steps_done)
            i = first
            while i < work:
                _relax_near(i, lane_bits, step, limit, infinity, arcs, distances, marks, now, lengths, entry, recording)
                i += stride
        else:
            settled = limit
            limit += delta
            if first_thread:
                counters[3 + (splits + 2) % 3] = 0
                nearest[(splits + 2) % 3] = infinity
            lengths = Lengths(counters, filled, 3 + (splits + 1) % 3)
            left = Nearest(nearest, (splits + 1) % 3)
            i = first
            while i < work:
                _split_far(i, step - 1, settled, limit, distances, marks, now, lengths, left)
                i += stride
            splits += 1
        if alone:
            cuda.syncthreads()
        else:
            grid.sync()
        if relaxing:
            if recording.on != 0:
                if first_thread:
                    ticks = clock_ticks()
                    row = steps_done * LOG_COLUMNS
                    log.steps[row] = near_count
                    log.steps[row + 1] = ticks - last_ticks
                    log.steps[row + 2] = settled
                    log.steps[row + 3] = limit
                    log.steps[row + 4] = 1 if alone else 0
                    last_ticks = ticks
                logged += near_count
            step += 1
            steps_done += 1
        near_count, far_count = counters[lengths.near], counters[lengths.far]
        if not relaxing and near_count == 0 and far_count > 0:
            limit = nearest[splits % 3]
        phase += 1
        work = near_count << lane_bits if near_count > 0 else far_count
        if alone:
            full = recording.on != 0 and logged + near_count > log.capacity
            if work > ONE_BLOCK or work == 0 or steps_done >= most_steps or full:
                if first_thread:
                    state[STEP], state[PHASE], state[SPLITS] = step, phase, splits
                    state[SETTLED], state[LIMIT] = settled, limit
                    state[NEAR_COUNT], state[FAR_COUNT] = near_count, far_count
                    state[LOGGED_STEPS], state[LOGGED_NODES] = steps_done, logged
                grid.sync()
                grid.sync()
    if first_thread:
        state[STEP], state[PHASE], state[SPLITS] = step, phase, splits
        state[SETTLED], state[LIMIT] = settled, limit
        state[NEAR_COUNT], state[FAR_COUNT] = near_count, far_count
        state[LOGGED_STEPS], state[LOGGED_NODES] = steps_done, logged
        state[FINISHED] = 1 if near_count + far_count == 0 else 0
        state[CLOCK_TICKS], state[TIMER_NS] = clock_ticks() - begin_ticks, timer_ns() - begin_ns
