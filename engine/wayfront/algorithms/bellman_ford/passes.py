"""Bellman–Ford: pass over all arcs until nothing changes, one after the other or with a thread for each node.

After pass k every node whose shortest path has at most k arcs has its distance, so |V| − 1 passes always suffice;
``stop`` says whether to make them all, as the article's figures do, or to end with the first that changes nothing.
Each pass costs m relaxations, whatever the last one left to do.

``bellman-ford`` is the textbook loop on one thread. The GPU versions lower distances by atomic minimum:

- **v1** has one thread for each node, so the grid grows with the network.
- **v2** has a fixed number of threads, each of which serves every t-th node, t being their number (a grid-stride loop).
- **v3** adds a flag for each node: only nodes whose distance fell in the last pass are relaxed.

S. Rajkumar and S. Garland, Bellman-Ford single source shortest path algorithm on GPU using CUDA, 2020 (an article and
term paper with source code). Bellman 1958; Ford 1956.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from wayfront.algorithms.bellman_ford import passes_kernels as bodies
from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.observing import fill
from wayfront.options import AUTO, Option
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

PAPER = "Rajkumar and Garland 2020: Bellman–Ford on GPU in three versions"
WHEN_DONE, ALL_PASSES = "when nothing changes", "after n − 1 passes"

PASSES_AT_ONCE = 64
"""Passes between two yields where all passes are made: a few milliseconds, so that cancelling works."""

NODES_AT_ONCE = 1 << 16
"""Nodes that the sequential search serves before it looks whether to stop."""

_STOP = Option(
    "stop",
    str,
    WHEN_DONE,
    "When to end; all n − 1 passes are what the article measured.",
    choices=(WHEN_DONE, ALL_PASSES),
)
_BLOCK = Option("block", int, 256, "Threads of a block.", choices=(32, 64, 128, 256, 512, 1024), unit="threads")
_BLOCKS = Option(
    "blocks",
    int,
    AUTO,
    "Blocks of the grid; auto is as many as keep the whole device busy.",
    bounds=(1, 65_535),
    unit="blocks",
    automatic=True,
)


def _count_passes(run: Run) -> int | None:
    """Return the number of passes if it is known beforehand: with every pass made, n − 1 and at least one."""
    return max(1, run.node_count - 1) if run.options["stop"] == ALL_PASSES else None


@algorithm(
    name="bellman-ford",
    reading_order=200,
    title="Bellman–Ford, sequential",
    paper=PAPER,
    family="Bellman–Ford",
    needs=Ability.HOST_LOOPS,
    summary="Passes over all arcs in their order, on one thread, until nothing changes: what the three GPU versions "
    "are measured against.",
    phases=("pass over all arcs",),
    options=(_STOP,),
    count_steps=_count_passes,
)
def bellman_ford(run: Run) -> Iterator[None]:
    """Run sequential Bellman–Ford; a step is one pass."""
    passes = _count_passes(run)
    run.distances[:] = run.infinity
    run.distances[run.source] = 0
    note = StepNote("one thread", "a sequential search", "pass over all arcs")
    more, made = True, 0
    while more:
        run.expand_reached()
        changed, relaxed = _pass_over_arcs(run)
        run.step_done(replace(note, relaxations=relaxed))
        made += 1
        more = changed and made != passes
        yield
    if passes is not None and made < passes:
        run.expand_reached()
        for _ in range(passes - made):
            _pass_over_arcs(run)
            yield
        idle = passes - made
        run.step_done(replace(note, reason=_describe_idle(idle), relaxations=idle * relaxed))


def _pass_over_arcs(run: Run) -> tuple[bool, int]:
    """Relax every arc once, in order; return whether a distance fell, and how many arcs had a reached tail."""
    changed, relaxed = False, 0
    for begin in range(0, run.node_count, NODES_AT_ONCE):
        run.check()
        end = min(begin + NODES_AT_ONCE, run.node_count)
        fell, tried = bodies.pass_over_arcs(begin, end, run.arcs, run.distances, run.infinity)
        changed, relaxed = changed or fell, relaxed + tried
    return changed, relaxed


@algorithm(
    name="bellman-ford-v1",
    reading_order=210,
    title="Bellman–Ford v1, a thread a node",
    paper=PAPER,
    family="Bellman–Ford",
    summary="Every node has its own thread, which relaxes all its arcs in every pass.",
    phases=("relax all nodes",),
    options=(_STOP, _BLOCK),
    count_steps=_count_passes,
)
def version_1(run: Run) -> Iterator[int | None]:
    """Run version 1; a step is one pass."""
    _, changed = _start(run)
    expanded = _expanded(run)

    def relax() -> None:
        run.launch(bodies.relax_all, run.node_count, run.infinity, run.arcs, run.distances, changed, expanded)

    note = StepNote("all nodes", "this search has no other mode", "relax all nodes")
    return _passes(run, relax, relax, lambda: run.expand_marked(expanded.mark), note)


@algorithm(
    name="bellman-ford-v2",
    reading_order=220,
    title="Bellman–Ford v2, grid-stride loop",
    paper=PAPER,
    family="Bellman–Ford",
    summary="A fixed number of threads, each of which serves every t-th node where there are t threads: no more "
    "threads on a larger network, but more work for each.",
    phases=("relax all nodes",),
    options=(_STOP, _BLOCK, _BLOCKS),
    count_steps=_count_passes,
)
def version_2(run: Run) -> Iterator[int | None]:
    """Run version 2; a step is one pass."""
    _, changed = _start(run)
    expanded, threads = _expanded(run), _thread_count(run)
    arguments = (threads, run.node_count, run.infinity, run.arcs, run.distances, changed, expanded)

    def relax() -> None:
        run.launch(bodies.relax_all_by_stride, threads, *arguments)

    note = StepNote("grid stride", f"{threads:,} threads share the nodes", "relax all nodes")
    return _passes(run, relax, relax, lambda: run.expand_marked(expanded.mark), note)


@algorithm(
    name="bellman-ford-v3",
    reading_order=230,
    title="Bellman–Ford v3, flagged nodes",
    paper=PAPER,
    family="Bellman–Ford",
    summary="Version 2 with a flag for each node: only nodes whose distance fell in the last pass are relaxed.",
    phases=("relax flagged nodes",),
    options=(_STOP, _BLOCK, _BLOCKS),
    count_steps=_count_passes,
)
def version_3(run: Run) -> Iterator[int | None]:
    """Run version 3; a step is one pass."""
    flags, changed = _start(run)
    threads = _thread_count(run)
    swapped = bodies.Flags(flags.following, flags.now)
    turns = [flags, swapped]

    def relax_from(flags: bodies.Flags) -> Callable[[], None]:
        arguments = (threads, run.node_count, run.arcs, run.distances, flags, changed)
        return lambda: run.launch(bodies.relax_flagged_by_stride, threads, *arguments)

    def expand() -> None:
        run.expand_marked(turns[0].now)
        turns.reverse()

    note = StepNote("grid stride", f"{threads:,} threads share the nodes", "relax flagged nodes")
    return _passes(run, relax_from(flags), relax_from(swapped), expand, note, expand_first=True)


def _start(run: Run) -> tuple[bodies.Flags, DeviceArray]:
    """Set distances and flags; return the flags and the sign of change."""
    n = run.node_count
    flags = bodies.Flags(run.array("flags", n, np.int8), run.array("flags next", n, np.int8))
    run.launch(bodies.start_search, n, run.source, run.infinity, run.distances, flags)
    return flags, run.array("changed", 1, np.int32)


def _expanded(run: Run) -> bodies.Expanded:
    """Return where a traced run marks the nodes that its passes expand, none as yet."""
    n, on = run.node_count, int(run.observer.recording)
    mark = run.array("expanded", n if on else 1, np.int8) if on else run.array("unused mark", 1, np.int8)
    run.launch(fill, n * on, mark, 0)
    return bodies.Expanded(on, mark)


def _thread_count(run: Run) -> int:
    blocks = run.options["blocks"]
    return (run.device.busy_blocks if blocks == AUTO else int(blocks)) * run.block


def _passes(
    run: Run,
    relax_even: Callable[[], None],
    relax_odd: Callable[[], None],
    expand: Callable[[], None],
    note: StepNote,
    *,
    expand_first: bool = False,
) -> Iterator[int | None]:
    """Make passes, alternating between two kinds, until nothing changes or all n − 1 are made.

    ``expand`` announces the frontier: before the pass if ``expand_first``, else after it, when it is known.
    """
    changed = run.array("changed", 1, np.int32)

    def with_sign(relax: Callable[[], None]) -> Callable[[], None]:
        def step() -> None:
            run.launch(fill, 1, changed, 0)
            relax()

        return run.record(step)

    passes = _count_passes(run)
    if passes is not None and not run.observer.recording:
        yield from _blind_passes(run, (relax_even, relax_odd), 0, passes)
        return
    steps = (with_sign(relax_even), with_sign(relax_odd))
    made, more = 0, True
    while more:
        if expand_first:
            expand()
        steps[made % 2]()
        made += 1
        more = run.read(changed)[0] != 0 and made != passes
        if not expand_first:
            expand()
        run.step_done(note)
        yield None
    if passes is not None and made < passes:
        expand()
        yield from _blind_passes(run, (relax_even, relax_odd), made, passes)
        run.step_done(replace(note, reason=_describe_idle(passes - made), passes=passes - made))


def _blind_passes(
    run: Run, relax: tuple[Callable[[], None], Callable[[], None]], made: int, passes: int
) -> Iterator[int | None]:
    """Make passes ``made`` … ``passes`` − 1 without asking whether they change anything, many in one go."""

    def many() -> None:
        for k in range(PASSES_AT_ONCE):
            relax[(made + k) % 2]()

    recorded = run.record(many)
    for _ in range((passes - made) // PASSES_AT_ONCE):
        recorded()
        yield PASSES_AT_ONCE
    for k in range((passes - made) % PASSES_AT_ONCE):
        relax[(made + k) % 2]()
        yield None


def _describe_idle(passes: int) -> str:
    """Say why a trace shows many passes as one step."""
    return f"the last {passes:,} passes change nothing, and are shown as one step"
