"""Near-far: Δ-stepping with two piles instead of many buckets.

Nodes whose tentative distance lies below a limit are near, the others far. Every step relaxes all arcs of the near
pile; improved nodes go on the next near pile or on the far pile. When no node is near, all distances below the limit
are final: the limit rises by Δ, and the far pile is split anew. If the gap to the nearest far node is wider than Δ,
the limit jumps there.

A node enters the near pile of a step at most once, because ``stamp[v]`` keeps the last step that put it there; and
it lies in the far pile at most once, because ``waiting[v]`` says so. So n elements are enough for each pile.

Only nodes that changed have threads, so a step costs what its frontier has arcs; what remains is the time between
steps. ``near-far`` lets the host drive each step.

``near-far-resident`` is the same search in one launch, from the same bodies: all threads stay on the card, a grid-wide
barrier stands between steps, and piles and limits never leave device memory. It alternates two kinds of phase: relax
the near pile, or, when it is empty, split the far pile. A barrier ends each phase, after which every thread reads the
new lengths and takes the same decision, so nothing has to be broadcast. Lengths rotate through three elements: a phase
fills one, the one before is still being read, and thread 0 clears the next. Loops with a stride are written with
``while``: a ``range`` would divide to count its turns, and a 64-bit division in every phase takes a card about as long
as a barrier of a block.

A pile too short for the whole card is left to block 0, which needs only its own, far cheaper barrier; the other
blocks wait at the grid's until it comes back. That is the mode of a step: "grid" or "one block".

Cooperative kernels compile only where there is a driver, but this file imports anywhere.

Davidson, Baxter, Garland and Owens, Work-efficient parallel GPU methods for single-source shortest paths, IPDPS 2014.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min, next_place
from wayfront.devices.clocks import clock_ticks, timer_ns
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.kernels.observing import fill
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.options import AUTO, Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import Run
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StateRow, StepNote
from wayfront.trace.step_views import Blocks, Launch, Recorded, held_state

PAPER = "Davidson, Baxter, Garland and Owens, IPDPS 2014"

NEAR_SLOT, FAR_SLOT = 0, 1

NEAR, FAR, RELAXED = "Near pile", "Far pile", "Relaxed by the last step"

NOTE = StepNote("frontier list", "only nodes that changed have threads", "relax near")

RESIDENT_WIDTH = 4
"""How many times the paper's Δ suits a resident search: its relaxations cost less, beside its steps, than the host's.
On an H200 New York took 10.2 ms with the paper's Δ and 8.0 ms with four times that."""

# --------------------------------------------------------------------------------------------------------------- bodies


class Marks(NamedTuple):
    """What is known of each node's piles.

    stamp     int32 [n]: the last step that put the node on the near pile, or -1
    waiting   int32 [n]: 1 while the node is on the far pile
    """

    stamp: DeviceArray
    waiting: DeviceArray


class NearFar(NamedTuple):
    """What a search works on, typed as usual; ``infinity`` is the distance of a node that is not reached."""

    infinity: int
    arcs: Arcs
    distances: DeviceArray
    marks: Marks
    recording: Recording


class Piles(NamedTuple):
    """The piles, int32 [n] each: those being read, and those being filled."""

    near: DeviceArray
    near_next: DeviceArray
    far: DeviceArray
    far_next: DeviceArray


class Lengths(NamedTuple):
    """The lengths of the piles being filled: ``counters[near]`` and ``counters[far]``, int32."""

    counters: DeviceArray
    near: int
    far: int


class Entry(NamedTuple):
    """Where a step goes in the log of a traced search.

    nodes   int32: lists near piles, this one from ``begin`` on; a search that logs them otherwise has −1 there
    slot    where it counts in the recording's ``improved``
    """

    nodes: DeviceArray
    begin: int
    slot: int


class Nearest(NamedTuple):
    """The smallest distance left on the far pile: ``distances[slot]``, typed like the distances."""

    distances: DeviceArray
    slot: int


def start_search(i: int, source: int, search: NearFar, near: DeviceArray) -> None:
    """Put the source alone on the near pile."""
    search.distances[i] = 0 if i == source else search.infinity
    search.marks.stamp[i] = -1
    search.marks.waiting[i] = 0
    if i == source:
        near[0] = i


def relax_near(
    i: int, lane_bits: int, step: int, limit: int, search: NearFar, piles: Piles, lengths: Lengths, entry: Entry
) -> None:
    """Relax arcs of a near node; improved nodes go on the next near pile below the limit, else on the far pile.

    2^``lane_bits`` threads share one node, each with every 2^``lane_bits``-th of its arcs: on a card the chain of
    dependent loads and atomics for one arc takes microseconds, and so they run side by side.
    """
    arcs, distances, marks, recording = search.arcs, search.distances, search.marks, search.recording
    node = piles.near[i >> lane_bits]
    reached_at = distances[node]
    lanes = 1 << lane_bits
    if entry.begin >= 0 and i & (lanes - 1) == 0:
        entry.nodes[entry.begin + (i >> lane_bits)] = node
    arc, end = arcs.offsets[node] + (i & (lanes - 1)), arcs.offsets[node + 1]
    while arc < end:  # a range with a step would divide to count its turns, and 64-bit division is slow on a card
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        # A plain load first: most offers are no better, and an atomic on each would cost far more than this load.
        if offer < distances[target]:
            before = atomic_min(distances, target, offer)
            if offer < before:
                improved_at = step
                if recording.on != 0:  # first, so that the card answers while the piles are filled
                    improved_at = atomic_max(recording.last_improved, target, step)
                    if before == search.infinity:
                        recording.first_reached[target] = step
                if offer < limit:
                    if atomic_max(marks.stamp, target, step) < step:
                        piles.near_next[next_place(lengths.counters, lengths.near)] = target
                elif marks.waiting[target] == 0 and atomic_max(marks.waiting, target, 1) == 0:
                    piles.far[next_place(lengths.counters, lengths.far)] = target
                if improved_at < step:
                    atomic_add(recording.improved, entry.slot, 1)
        arc += lanes


def split_far(
    i: int, step: int, settled: int, limit: int, search: NearFar, piles: Piles, lengths: Lengths, nearest: Nearest
) -> None:
    """Move the i-th far node to the next near pile if it lies below the new limit, else to the next far pile.

    Drop it if its distance was final below the old limit, ``settled``.
    """
    node = piles.far[i]
    distance = search.distances[node]
    if distance < limit:
        search.marks.waiting[node] = 0
        if distance >= settled:
            search.marks.stamp[node] = step
            piles.near_next[next_place(lengths.counters, lengths.near)] = node
        return
    piles.far_next[next_place(lengths.counters, lengths.far)] = node
    if distance < nearest.distances[nearest.slot]:
        atomic_min(nearest.distances, nearest.slot, distance)


# -------------------------------------------------------------------------------------------------- the resident kernel

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
    delta: int, lane_bits: int, most_steps: int, search: NearFar, piles: Piles, memory: Memory, log: Log
) -> None:
    """Run phases until no node is near or far, ``most_steps`` are done, or the log has no room for another pile."""
    grid = cuda.cg.this_grid()
    counters, nearest, state = memory
    traced = search.recording.on != 0
    first_thread = cuda.grid(1) == 0
    step, phase, splits = state[STEP], state[PHASE], state[SPLITS]
    settled, limit = state[SETTLED], state[LIMIT]
    near_count, far_count = state[NEAR_COUNT], state[FAR_COUNT]
    steps_done, logged = 0, 0
    if traced and first_thread:
        log.improved[0] = 0
    grid.sync()  # no thread writes the state before all have read it
    begin_ns, begin_ticks = timer_ns(), clock_ticks()
    last_ticks = begin_ticks
    while near_count + far_count > 0 and steps_done < most_steps:
        if traced and logged + near_count > log.capacity:
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
            if traced and first_thread:
                log.improved[steps_done + 1] = 0
            lengths = Lengths(counters, filled, 3 + splits % 3)
            entry = Entry(log.nodes, logged if traced else -1, steps_done)
            i = first
            while i < work:
                _relax_near(i, lane_bits, step, limit, search, now, lengths, entry)
                i += stride
        else:
            settled = limit
            limit += delta
            if first_thread:
                counters[3 + (splits + 2) % 3] = 0
                nearest[(splits + 2) % 3] = search.infinity
            lengths = Lengths(counters, filled, 3 + (splits + 1) % 3)
            left = Nearest(nearest, (splits + 1) % 3)
            i = first
            while i < work:
                _split_far(i, step - 1, settled, limit, search, now, lengths, left)
                i += stride
            splits += 1
        if alone:
            cuda.syncthreads()
        else:
            grid.sync()
        if relaxing:
            if traced:
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
            full = traced and logged + near_count > log.capacity
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


# ------------------------------------------------------------------------------------------------ what the replay shows


def read_piles(
    run: Run,
    near: DeviceArray,
    near_count: int,
    far: DeviceArray,
    far_count: int,
    relaxed: NDArray[np.int32] | None = None,
) -> Callable[[], tuple[StateRow, ...]]:
    """Return what reads the two piles, in their order; a node on the far pile may have come nearer since.

    A resident search splits the far pile at the beginning of a step, and so says after it what it ``relaxed``.
    """

    def read() -> tuple[StateRow, ...]:
        distances = run.device.get(run.distances, run.node_count)
        piles = ((NEAR, run.device.get(near, near_count)), (FAR, run.device.get(far, far_count)))
        rows = [StateRow(title, nodes.tolist(), distances[nodes].tolist()) for title, nodes in piles]
        return (*rows, *(() if relaxed is None else (StateRow(RELAXED, relaxed.tolist()),)))

    return read


_PILES = held_state("Piles", ("Pile", "Nodes", "Distances"))


def threads_of_pile(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the relaxing launch: several threads for each near node, in the order of the pile."""
    return (blocks.lanes("relax_near", recorded.held(step, NEAR), recorded.network.out_degrees()),)


def resident_block(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return what the threads of block 0 did, to which a resident search leaves a pile as short as a small graph's."""
    work = blocks.lanes("search_near_far", recorded.held(step + 1, RELAXED), recorded.network.out_degrees())
    return (blocks.rounds(work.kernel, work.items.ravel(), work.busy.ravel(), blocks.block),)


# --------------------------------------------------------------------------------------------------------- the searches


def _options(warps: int) -> tuple[Option, ...]:
    about = f"By how much the limit between near and far rises; auto is {32 * warps} mean weights / mean degree."
    return (Option("delta", int, AUTO, about, bounds=(1, 2**31 - 1), unit="weights", automatic=True),)


def choose_delta(network: RoadNetwork, metric: Metric) -> int:
    """Return the paper's Δ: a warp's width times the mean weight over the mean degree, at least 1."""
    if network.arc_count == 0:
        return 1
    mean_degree = network.arc_count / network.node_count
    return max(1, round(32 * float(metric.weights.mean()) / mean_degree))


def _delta(run: Run, warps: int) -> int:
    """Return Δ as given, or for so many warps."""
    given = run.options["delta"]
    if given != AUTO:
        return int(given)
    return warps * run.measured("delta", lambda: choose_delta(run.network, run.metric))


def _start(run: Run, improved: DeviceArray) -> tuple[NearFar, Piles]:
    """Return what a search works on, with the source alone on the near pile; steps count in ``improved``."""
    n = run.node_count

    def per_node(name: str) -> DeviceArray:
        return run.array(name, n, np.int32)

    marks = Marks(per_node("stamp"), per_node("waiting"))
    search = NearFar(run.infinity, run.arcs, run.distances, marks, run.recording(improved))
    piles = Piles(per_node("near"), per_node("near next"), per_node("far"), per_node("far next"))
    run.launch(start_search, n, run.source, search, piles.near)
    return search, piles


@algorithm(
    name="near-far",
    reading_order=500,
    title="Near-far",
    paper=PAPER,
    family="Near-far",
    summary="Nodes below a distance limit are expanded until none is left; then the limit rises by Δ and the pile of "
    "far nodes is split anew. The host drives each step.",
    phases=("relax near",),
    options=_options(1),
    state=_PILES,
    threads=threads_of_pile,
)
def near_far(run: Run) -> Iterator[None]:
    """Run near-far step by step; a step expands one near pile."""
    improved = run.array("improved", 1, np.int32)
    search, piles = _start(run, improved)
    delta = _delta(run, 1)
    lengths = Lengths(run.counters(2), NEAR_SLOT, FAR_SLOT)
    run.launch(fill, search.recording.on, improved, 0)  # the observer sets it to 0 again after every step
    entry, lanes = Entry(improved, -1, 0), run.device.lane_bits
    step, settled, limit = 0, 0, delta
    near_count, far_count = 1, 0
    run.observer.hold(read_piles(run, piles.near, near_count, piles.far, far_count))
    while near_count:
        run.launch(fill, 1, lengths.counters, 0)
        run.launch(relax_near, near_count << lanes, lanes, step, limit, search, piles, lengths, entry)
        run.expand_list(piles.near, near_count)
        note = _note(settled, limit, delta)
        near_count, far_count = run.read(lengths.counters)
        while near_count == 0 and far_count:
            settled, limit = limit, limit + delta
            near_count, far_count, nearest = _split(run, search, piles, lengths, far_count, step, settled, limit)
            piles = piles._replace(far=piles.far_next, far_next=piles.far)
            if near_count == 0:
                limit = nearest
        piles = piles._replace(near=piles.near_next, near_next=piles.near)
        run.step_done(note, improved)
        run.observer.hold(read_piles(run, piles.near, near_count, piles.far, far_count))
        step += 1
        yield


def _split(
    run: Run, search: NearFar, piles: Piles, lengths: Lengths, far_count: int, step: int, settled: int, limit: int
) -> tuple[int, int, int]:
    """Split the far pile; return the lengths of the near and far piles and the nearest distance left in the latter."""
    nearest = Nearest(run.array("nearest", 1, run.distance_dtype), 0)
    run.launch(fill, 2, lengths.counters, 0)
    run.launch(fill, 1, nearest.distances, run.infinity)
    run.launch(split_far, far_count, step, settled, limit, search, piles, lengths, nearest)
    near_count, far_left = run.read(lengths.counters)
    return near_count, far_left, run.read(nearest.distances)[0] if near_count == 0 else 0


def _note(settled: int, limit: int, delta: int) -> StepNote:
    return NOTE._replace(bucket=settled // delta, low=settled, high=limit)


@algorithm(
    name="near-far-resident",
    reading_order=510,
    title="Near-far, resident",
    paper=PAPER,
    family="Near-far",
    needs=Ability.GRID_BARRIER,
    summary="Near-far in one launch: all threads stay on the card with a grid-wide barrier between steps. "
    "Fast on networks of any size.",
    phases=("relax near",),
    options=_options(RESIDENT_WIDTH),
    state=_PILES,
    threads=resident_block,
)
def near_far_resident(run: Run) -> Iterator[None]:
    """Run near-far in one launch, or in a few where the log of a traced run fills up.

    A traced run on a small graph makes a launch a step, between which the host reads distances and piles.
    """
    log = _make_log(run)
    search, piles = _start(run, log.improved)
    delta = _delta(run, RESIDENT_WIDTH)
    memory = Memory(
        counters=run.array("resident counters", COUNTERS, np.int32),
        nearest=run.array("resident nearest", 3, run.distance_dtype),
        state=run.array("resident state", STATE_SIZE, np.int64),
    )
    run.launch(start_state, 1, delta, run.infinity, memory)
    most_steps = STEPS_AT_ONCE if run.observer.labels is None else 1
    finished = 0
    run.observer.hold(read_piles(run, piles.near, 1, piles.far, 0))
    while not finished:
        run.launch_resident(search_near_far, delta, run.device.lane_bits, most_steps, search, piles, memory, log)
        values = run.read(memory.state)
        finished = values[FINISHED]
        if search.recording.on:
            _hand_over(run, log, values, delta, piles)
        yield


def _make_log(run: Run) -> Log:
    """Return the log of a traced run, or one without room for a clean one.

    At least one pile of all nodes fits, so that every launch gets on.
    """
    if not run.observer.recording:
        unused = run.array("unused", 1, np.int32)
        return Log(0, unused, run.array("unused wide", 1, np.int64), unused)
    capacity = run.node_count + LOG_NODES
    return Log(
        capacity,
        run.array("log nodes", capacity, np.int32),
        run.array("log steps", STEPS_AT_ONCE * LOG_COLUMNS, np.int64),
        run.array("log improved", STEPS_AT_ONCE + 1, np.int32),
    )


def _hand_over(run: Run, log: Log, state: list[int], delta: int, piles: Piles) -> None:
    """Give the steps of the last launch to the observer, with device clocks turned into nanoseconds.

    What the launch took beside its steps counts for the first of them.
    """
    launch_ns = run.observer.lap_ns()
    device, count, labels = run.device, state[LOGGED_STEPS], run.observer.labels
    if not count:
        return
    near = piles.near if state[PHASE] % 2 == 0 else piles.near_next
    far = piles.far if state[SPLITS] % 2 == 0 else piles.far_next
    nodes: NDArray[np.int32] = device.get(log.nodes, state[LOGGED_NODES])
    run.observer.hold(read_piles(run, near, state[NEAR_COUNT], far, state[FAR_COUNT], nodes))
    columns: NDArray[np.int64] = device.get(log.steps, count * LOG_COLUMNS).reshape(-1, LOG_COLUMNS)
    sizes, ticks, settled, limit, mode = columns.T
    ns_per_tick = state[TIMER_NS] / max(state[CLOCK_TICKS], 1)
    time_ns = np.rint(ticks * ns_per_tick).astype(np.int64)
    time_ns[0] += max(0, launch_ns - round(int(ticks.sum()) * ns_per_tick))
    modes = [MODES[k] for k in mode.tolist()]
    table = StepTable(
        sizes=sizes,
        improved=device.get(log.improved, count).astype(np.int64),
        time_ns=time_ns,
        note=NOTE._replace(mode=modes[0]),
        figures={"bucket": settled // delta, "bucket_low": settled, "bucket_high": limit},
        modes=modes,
        tentative=None if labels is None else labels.labels(device.get(run.distances, run.node_count))[None],
    )
    run.observer.add_steps(nodes, table)
