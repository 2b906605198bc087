"""Near-far: Δ-stepping with two piles instead of many buckets.

Nodes whose tentative distance lies below a limit are near, the others far. Every step relaxes all arcs of the near
pile; improved nodes go on the next near pile or on the far pile. When no node is near, all distances below the limit
are final: the limit rises by Δ, and the far pile is split anew. If the gap to the nearest far node is wider than Δ,
the limit jumps there.

Only nodes that changed have threads, so a step costs what its frontier has arcs; what remains is the time between
steps. ``near-far`` lets the host drive each step. ``near-far-resident`` is the same search in one launch: all threads
stay on the card, a grid-wide barrier stands between steps, and piles and limits never leave device memory.

Davidson, Baxter, Garland and Owens, Work-efficient parallel GPU methods for single-source shortest paths, IPDPS 2014.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.near_far import near_far_kernels as bodies
from wayfront.algorithms.near_far import resident_kernels as resident
from wayfront.algorithms.near_far.near_far_view import piles_after, read_piles, resident_block, threads_of_pile
from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.observing import fill
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.options import AUTO, Option
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StepNote

PAPER = "Davidson, Baxter, Garland and Owens, IPDPS 2014"
NEAR, FAR = 0, 1

NOTE = StepNote("frontier list", "only nodes that changed have threads", "relax near")

RESIDENT_WIDTH = 4
"""How many times the paper's Δ suits a resident search: its relaxations cost less, beside its steps, than the host's.
On an H200 New York took 10.2 ms with the paper's Δ and 8.0 ms with four times that."""


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


def _start(run: Run) -> tuple[bodies.Marks, bodies.Piles]:
    """Return the marks and piles of a search, with the source alone on the near pile."""
    n = run.node_count

    def per_node(name: str) -> DeviceArray:
        return run.array(name, n, np.int32)

    marks = bodies.Marks(per_node("stamp"), per_node("waiting"))
    piles = bodies.Piles(per_node("near"), per_node("near next"), per_node("far"), per_node("far next"))
    run.launch(bodies.start_search, n, run.source, run.infinity, run.distances, marks, piles.near)
    return marks, piles


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
    state=piles_after,
    threads=threads_of_pile,
)
def near_far(run: Run) -> Iterator[None]:
    """Run near-far step by step; a step expands one near pile."""
    marks, piles = _start(run)
    delta = _delta(run, 1)
    lengths = bodies.Lengths(run.counters(2), NEAR, FAR)
    counters = lengths.counters
    improved = run.array("improved", 1, np.int32)
    recording, entry = run.recording(improved), bodies.Entry(improved, -1, 0)
    run.launch(fill, recording.on, recording.improved, 0)  # the observer sets it to 0 again after every step
    lanes = run.device.lane_bits
    step, settled, limit = 0, 0, delta
    near_count, far_count = 1, 0
    run.observer.hold(read_piles(run, piles.near, near_count, piles.far, far_count))
    while near_count:
        run.launch(fill, 1, counters, 0)
        run.launch(
            bodies.relax_near,
            near_count << lanes,
            lanes,
            step,
            limit,
            run.infinity,
            run.arcs,
            run.distances,
            marks,
            piles,
            lengths,
            entry,
            recording,
        )
        run.expand_list(piles.near, near_count)
        note = _note(settled, limit, delta)
        near_count, far_count = run.read(counters)
        while near_count == 0 and far_count:
            settled, limit = limit, limit + delta
            near_count, far_count, nearest = _split(run, marks, piles, lengths, far_count, step, settled, limit)
            piles = piles._replace(far=piles.far_next, far_next=piles.far)
            if near_count == 0:
                limit = nearest
        piles = piles._replace(near=piles.near_next, near_next=piles.near)
        run.step_done(note, improved)
        run.observer.hold(read_piles(run, piles.near, near_count, piles.far, far_count))
        step += 1
        yield


def _split(
    run: Run,
    marks: bodies.Marks,
    piles: bodies.Piles,
    lengths: bodies.Lengths,
    far_count: int,
    step: int,
    settled: int,
    limit: int,
) -> tuple[int, int, int]:
    """Split the far pile; return the lengths of the near and far piles and the nearest distance left in the latter."""
    nearest = bodies.Nearest(run.array("nearest", 1, run.distance_dtype), 0)
    run.launch(fill, 2, lengths.counters, 0)
    run.launch(fill, 1, nearest.distances, run.infinity)
    run.launch(bodies.split_far, far_count, step, settled, limit, run.distances, marks, piles, lengths, nearest)
    near_count, far_left = run.read(lengths.counters)
    return near_count, far_left, run.read(nearest.distances)[0] if near_count == 0 else 0


def _note(settled: int, limit: int, delta: int) -> StepNote:
    return StepNote(NOTE.mode, NOTE.reason, NOTE.phase, bucket=settled // delta, low=settled, high=limit)


@algorithm(
    name="near-far-resident",
    reading_order=510,
    title="Near-far, resident",
    paper=PAPER,
    family="Near-far",
    needs=Ability.GRID_BARRIER,
    summary="Near-far in one launch: all threads stay on the card with a grid-wide barrier between steps. "
    "The fastest search here.",
    phases=("relax near",),
    options=_options(RESIDENT_WIDTH),
    state=piles_after,
    threads=resident_block,
)
def near_far_resident(run: Run) -> Iterator[None]:
    """Run near-far in one launch, or in a few where the log of a traced run fills up.

    A traced run on a small graph makes a launch a step, between which the host reads distances and piles.
    """
    marks, piles = _start(run)
    delta = _delta(run, RESIDENT_WIDTH)
    log = _make_log(run)
    recording = run.recording(log.improved)
    memory = resident.Memory(
        counters=run.array("resident counters", resident.COUNTERS, np.int32),
        nearest=run.array("resident nearest", 3, run.distance_dtype),
        state=run.array("resident state", resident.STATE_SIZE, np.int64),
    )
    run.launch(resident.start_state, 1, delta, run.infinity, memory)
    most_steps = resident.STEPS_AT_ONCE if run.observer.labels is None else 1
    finished = 0
    run.observer.hold(read_piles(run, piles.near, 1, piles.far, 0))
    while not finished:
        run.launch_resident(
            resident.search_near_far,
            delta,
            run.infinity,
            run.device.lane_bits,
            most_steps,
            run.arcs,
            run.distances,
            marks,
            piles,
            memory,
            log,
            recording,
        )
        values = run.read(memory.state)
        finished = values[resident.FINISHED]
        if recording.on:
            _hand_over(run, log, values, delta, piles)
        yield


def _make_log(run: Run) -> resident.Log:
    """Return the log of a traced run, or one without room for a clean one.

    At least one pile of all nodes fits, so that every launch gets on.
    """
    if not run.observer.recording:
        unused = run.array("unused", 1, np.int32)
        return resident.Log(0, unused, run.array("unused wide", 1, np.int64), unused)
    capacity = run.node_count + resident.LOG_NODES
    return resident.Log(
        capacity,
        run.array("log nodes", capacity, np.int32),
        run.array("log steps", resident.STEPS_AT_ONCE * resident.LOG_COLUMNS, np.int64),
        run.array("log improved", resident.STEPS_AT_ONCE + 1, np.int32),
    )


def _hand_over(run: Run, log: resident.Log, state: list[int], delta: int, piles: bodies.Piles) -> None:
    """Give the steps of the last launch to the observer, with device clocks turned into nanoseconds.

    What the launch took beside its steps counts for the first of them.
    """
    launch_ns = run.observer.lap_ns()
    device, count, labels = run.device, state[resident.LOGGED_STEPS], run.observer.labels
    if not count:
        return
    near = piles.near if state[resident.PHASE] % 2 == 0 else piles.near_next
    far = piles.far if state[resident.SPLITS] % 2 == 0 else piles.far_next
    nodes: NDArray[np.int32] = device.get(log.nodes, state[resident.LOGGED_NODES])
    run.observer.hold(read_piles(run, near, state[resident.NEAR_COUNT], far, state[resident.FAR_COUNT], nodes))
    columns: NDArray[np.int64] = device.get(log.steps, count * resident.LOG_COLUMNS).reshape(-1, resident.LOG_COLUMNS)
    sizes, ticks, settled, limit, mode = columns.T
    ns_per_tick = state[resident.TIMER_NS] / max(state[resident.CLOCK_TICKS], 1)
    time_ns = np.rint(ticks * ns_per_tick).astype(np.int64)
    time_ns[0] += max(0, launch_ns - round(int(ticks.sum()) * ns_per_tick))
    modes = [resident.MODES[k] for k in mode.tolist()]
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
