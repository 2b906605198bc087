"""The near-far search as one resident kernel, from the same bodies as the stepped one.

The search alternates two kinds of phase: relax the near pile, or, when it is empty, split the far pile. A barrier
ends each phase, after which every thread reads the new lengths and takes the same decision, so nothing has to be
broadcast. Lengths rotate through three places: a phase fills one, the one before is still being read, and thread 0
clears the next.

A pile too short for the whole card is left to block 0, which needs only its own, far cheaper barrier; the other
blocks wait at the grid's until it comes back. That is the mode of a step: "grid" or "one block".

Cooperative kernels compile only where there is a driver, but this file imports anywhere.
"""

from __future__ import annotations

from typing import Any

from wayfront.algorithms.near_far.near_far_kernels import relax_near, split_far
from wayfront.devices.clocks import clock_ticks, timer_ns
from wayfront.devices.cuda_support import cuda, cuda_function, cuda_kernel

STEPS_AT_ONCE = 1 << 15
"""Steps of one launch at most, so that a search can be cancelled between launches."""

LOG_NODES = 1 << 22
"""Room of the log beyond one pile of all nodes."""

ONE_BLOCK = 256
"""A phase of up to this many threads' work is left to block 0, in one round of its threads (tried on an H200)."""

MODES = ("grid", "one block")

STEP, PHASE, SPLITS, SETTLED, LIMIT, NEAR_COUNT, FAR_COUNT, FINISHED = range(8)
LOGGED_STEPS, LOGGED_NODES, CLOCK_TICKS, TIMER_NS, STATE_SIZE = 8, 9, 10, 11, 12
"""Places in the state, int64: what a launch needs from the one before, and what it tells the host."""

LOG_COLUMNS = 5
"""Per step: length of the near pile, clock ticks, settled distance, limit, mode."""

COUNTERS = 6
"""Lengths being filled: three places for the near pile, three for the far pile."""

_relax_near = cuda_function(relax_near)
_split_far = cuda_function(split_far)


def start_state(i: int, delta: int, infinity: int, counters: Any, nearest: Any, state: Any) -> None:
    """Set the state so that the first launch finds the source alone on the near pile."""
    for k in range(COUNTERS):
        counters[k] = 0
    for k in range(3):
        nearest[k] = infinity
    for k in range(STATE_SIZE):
        state[k] = 0
    state[LIMIT] = delta
    state[NEAR_COUNT] = 1 + i


@cuda_kernel
def search_near_far(  # noqa: PLR0912, PLR0915 - one loop of phases whose registers every branch shares
    node_count: int,
    delta: int,
    infinity: int,
    lane_bits: int,
    most_steps: int,
    offsets: Any,
    targets: Any,
    weights: Any,
    distances: Any,
    stamp: Any,
    waiting: Any,
    near_a: Any,
    near_b: Any,
    far_a: Any,
    far_b: Any,
    counters: Any,
    nearest: Any,
    state: Any,
    recording: int,
    log_capacity: int,
    log_nodes: Any,
    log_steps: Any,
    log_improved: Any,
    first_reached: Any,
    last_improved: Any,
) -> None:
    """Run phases until no node is near or far, ``most_steps`` are done, or the log has no room for another pile."""
    grid = cuda.cg.this_grid()
    first_thread = cuda.grid(1) == 0
    step, phase, splits = state[STEP], state[PHASE], state[SPLITS]
    settled, limit = state[SETTLED], state[LIMIT]
    near_count, far_count = state[NEAR_COUNT], state[FAR_COUNT]
    steps_done, logged = 0, 0
    if recording != 0 and first_thread:
        log_improved[0] = 0
    grid.sync()  # nobody writes the state before all have read it
    begin_ns, begin_ticks = timer_ns(), clock_ticks()
    last_ticks = begin_ticks
    while near_count + far_count > 0 and steps_done < most_steps:
        if recording != 0 and logged + near_count > log_capacity:
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
        near, near_next = (near_a, near_b) if phase % 2 == 0 else (near_b, near_a)
        far, far_next = (far_a, far_b) if splits % 2 == 0 else (far_b, far_a)
        near_place = phase % 3
        far_place = 3 + splits % 3
        if first_thread:
            counters[(phase + 1) % 3] = 0
        relaxing = near_count > 0
        if relaxing:
            if recording != 0 and first_thread:
                log_improved[steps_done + 1] = 0
            if recording != 0:
                for i in range(first, near_count, stride):
                    log_nodes[logged + i] = near[i]
            for i in range(first, near_count << lane_bits, stride):
                _relax_near(
                    i,
                    lane_bits,
                    step,
                    limit,
                    infinity,
                    offsets,
                    targets,
                    weights,
                    distances,
                    stamp,
                    waiting,
                    near,
                    near_next,
                    far,
                    counters,
                    near_place,
                    far_place,
                    recording,
                    step,
                    first_reached,
                    last_improved,
                    log_improved[steps_done : steps_done + 1],
                )
        else:
            settled = limit
            limit += delta
            if first_thread:
                counters[3 + (splits + 2) % 3] = 0
                nearest[(splits + 2) % 3] = infinity
            far_place = 3 + (splits + 1) % 3
            for i in range(first, far_count, stride):
                _split_far(
                    i,
                    step - 1,
                    settled,
                    limit,
                    distances,
                    stamp,
                    waiting,
                    far,
                    far_next,
                    near_next,
                    counters,
                    near_place,
                    far_place,
                    nearest,
                    (splits + 1) % 3,
                )
            splits += 1
        if alone:
            cuda.syncthreads()
        else:
            grid.sync()
        if relaxing:
            if recording != 0:
                if first_thread:
                    now = clock_ticks()
                    row = steps_done * LOG_COLUMNS
                    log_steps[row] = near_count
                    log_steps[row + 1] = now - last_ticks
                    log_steps[row + 2] = settled
                    log_steps[row + 3] = limit
                    log_steps[row + 4] = 1 if alone else 0
                    last_ticks = now
                logged += near_count
            step += 1
            steps_done += 1
        near_count, far_count = counters[near_place], counters[far_place]
        if not relaxing and near_count == 0 and far_count > 0:
            limit = nearest[splits % 3]
        phase += 1
        work = near_count << lane_bits if near_count > 0 else far_count
        if alone:
            full = recording != 0 and logged + near_count > log_capacity
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
