"""Bellman–Ford: relax all arcs again and again, on one thread, and on a GPU in the three versions of its authors.

After pass k every node whose shortest path has at most k arcs has its distance, so |V| − 1 passes always suffice. The
option ``stop`` says whether to make them all, as the article's figures do, or to end with the first that changes
nothing, which is ours for the three versions. Each pass costs m relaxations, whatever the last one left to do.

**Sequential** (``bellman-ford``): one thread passes over all arcs in their order and lowers distances in place, so that
a pass may carry one along many arcs.

**Three versions on a GPU**, with two arrays and two launches a pass. RELAX reads the distances D and lowers a second
array Di by atomic minimum; UPDATE_DISTANCE then takes over into D what is less. So a pass carries a distance over one
arc exactly, whatever the order of the threads.

- **v1** has one thread for each node, so the grid grows with the network.
- **v2** has a fixed number of threads, each of which takes every t-th node, t being their number (a grid-stride loop).
- **v3** adds one array of flags: only nodes whose distance fell in the last pass are relaxed. RELAX clears a node's
  flag, UPDATE_DISTANCE sets it, and no launch does both.

The option ``update`` has three forms. The default is the authors' code of 2021. Their code of 2020, from which the
article's figures probably come, wrote a better offer and its predecessor by two exchanges: of several offers in one
pass the last one stays, although it may be the larger, and the predecessor beside it may be another thread's. v1 and
v2 offer it again in the next pass; v3 does so only if the tail's flag is set once more, which a changed predecessor
also does, and otherwise keeps a distance that is too large. Parents are then the ones that this leaves. Such a result
is always checked, and says whether it is wrong. The third form is ours: one array lowered in place, so that a pass
may carry a distance along several arcs, how far depends on the order of the threads, and so does the number of passes;
v3 then needs two arrays of flags.

Strides are loops with ``while``: the length of a range with a variable step takes a division, which for four nodes a
thread lasted longer than the nodes.

S. Rajkumar and S. Garland, Bellman-Ford single source shortest path algorithm on GPU using CUDA, 2020 (an article and
term paper with source code). Bellman 1958; Ford 1956.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_exchange, atomic_min, callable_in_bodies
from wayfront.devices.compiling import loop_without_allocation
from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.arguments import Arcs, lowers
from wayfront.kernels.observing import fill
from wayfront.safe.options import AUTO, Option
from wayfront.searching.registry import OptionValues, algorithm
from wayfront.searching.run import Run
from wayfront.trace.schema import StepNote, StepState
from wayfront.trace.step_views import Blocks, Launch, Recorded, Relaxing

PAPER = "Rajkumar and Garland 2020: Bellman–Ford on GPU in three versions"

WHEN_DONE, ALL_PASSES = "when nothing changes", "after n − 1 passes"

PASSES_AT_ONCE = 64
"""Passes between two yields where all passes are made: a few milliseconds, so that cancelling works."""

NODES_AT_ONCE = 1 << 16
"""Nodes that are relaxed before the search looks whether to stop."""

NODES_EACH = 4
"""Nodes that every thread of an automatic grid has at least, where there are so many: with fewer than two its loop
would never stride, and version 2 would be version 1."""

MINIMUM = "two arrays with minimum (2021)"

EXCHANGES = "two arrays with exchanges (2020)"

IN_PLACE = "one array in place (ours)"
"""The form of the three versions in which a pass lowers the array that it reads."""

STOP = Option(
    "stop",
    str,
    WHEN_DONE,
    "When to end; all n − 1 passes are what the article measured.",
    choices=(WHEN_DONE, ALL_PASSES),
)

_UPDATE = Option(
    "update",
    str,
    MINIMUM,
    "How a pass lowers distances: as in the authors' code of 2021; as in that of 2020, which may lose the better of "
    "two offers; or directly in the array that it reads.",
    choices=(MINIMUM, EXCHANGES, IN_PLACE),
    unsafe=(EXCHANGES,),
)

_BLOCK = Option("block", int, 256, "Threads of a block.", choices=(32, 64, 128, 256, 512, 1024), unit="threads")

_BLOCKS = Option(
    "blocks",
    int,
    AUTO,
    f"Blocks of the grid; auto keeps the whole device busy, if each thread then serves {NODES_EACH} nodes or more.",
    bounds=(1, 65_535),
    unit="blocks",
    automatic=True,
)

Launches = Callable[[], None]

# ----------------------------------------------------------------------------------------------------- bodies: in place


class Expanded(NamedTuple):
    """Where a traced run marks the nodes that a pass expanded.

    Distances are lowered in place, so these are not just the nodes that had a distance before the pass.

    on     1 in traced runs; 0 in clean ones, where kernels leave the array alone
    mark   int8 [n]: 1 for every node that was expanded; none ever stops to be, so it is never cleared
    """

    on: int
    mark: DeviceArray


class Flags(NamedTuple):
    """The nodes whose distance fell, int8 [n] each: in the last pass, and in this one."""

    now: DeviceArray
    following: DeviceArray


class InPlace(NamedTuple):
    """What a pass in place works on: the distances [n], int32 [1], set to 1 where one fell, and the nodes expanded."""

    distances: DeviceArray
    changed: DeviceArray
    expanded: Expanded


def start_in_place(i: int, source: int, infinity: int, distances: DeviceArray, flags: Flags) -> None:
    """Give the source distance 0, and flag it alone."""
    distances[i] = 0 if i == source else infinity
    flags.now[i] = 1 if i == source else 0
    flags.following[i] = 0


@callable_in_bodies
def _relax_node(node: int, infinity: int, arcs: Arcs, state: InPlace) -> None:
    """Relax all arcs of a node that is reached."""
    reached_at = state.distances[node]
    if reached_at == infinity:
        return
    if state.expanded.on != 0:
        state.expanded.mark[node] = 1
    for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
        if lowers(state.distances, arcs.targets[arc], reached_at + arcs.weights[arc]):
            state.changed[0] = 1


def relax_all(i: int, infinity: int, arcs: Arcs, state: InPlace) -> None:
    """Relax all arcs of one node."""
    _relax_node(i, infinity, arcs, state)


def relax_all_by_stride(i: int, threads: int, node_count: int, infinity: int, arcs: Arcs, state: InPlace) -> None:
    """Relax all arcs of every ``threads``-th node from the i-th on."""
    node = i
    while node < node_count:
        _relax_node(node, infinity, arcs, state)
        node += threads


def relax_flagged_by_stride(
    i: int, threads: int, node_count: int, arcs: Arcs, flags: Flags, distances: DeviceArray, changed: DeviceArray
) -> None:
    """Relax all arcs of those among every ``threads``-th node whose flag is set, and flag the nodes that improves.

    Flags are read from one array and set in another. With a single array a thread could clear the flag that another
    has just set for a distance this thread did not see.
    """
    node = i
    while node < node_count:
        if flags.now[node] != 0:
            flags.now[node] = 0
            reached_at = distances[node]
            for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
                target = arcs.targets[arc]
                offer = reached_at + arcs.weights[arc]
                if lowers(distances, target, offer):
                    flags.following[target] = 1
                    changed[0] = 1
        node += threads


@loop_without_allocation
def pass_over_arcs(
    begin: int, end: int, arcs: Arcs, distances: DeviceArray, infinity: int, expanded: Expanded
) -> tuple[bool, int]:
    """Relax the arcs of nodes ``begin`` … ``end`` − 1 once, in order.

    Returns whether a distance fell, and how many arcs had a reached tail.
    """
    changed, relaxed = False, 0
    for node in range(begin, end):
        reached_at = distances[node]
        if reached_at == infinity:
            continue
        if expanded.on != 0:
            expanded.mark[node] = 1
        relaxed += arcs.offsets[node + 1] - arcs.offsets[node]
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            offer = reached_at + arcs.weights[arc]
            if offer < distances[arcs.targets[arc]]:
                distances[arcs.targets[arc]] = offer
                changed = True
    return changed, relaxed


# --------------------------------------------------------------------------------------------------- bodies: two arrays


class Pair(NamedTuple):
    """The two arrays of distances, and those of predecessors where offers are written by exchanges.

    exchanging        0: an atomic minimum lowers Di (the code of 2021). 1: an exchange sets Di to an offer below D and
                      another one sets Pi (the code of 2020): of several offers in one pass the last one stays, which
                      may be the larger, and the predecessor may be another's
    distances         D, [n]: distances that a pass reads, changed only at its end
    offered           Di, [n]: D until a pass lowers it
    parents           P, int32 [n], -1 at first; one unused element without exchanges
    offered_parents   Pi, likewise
    changed           int32 [1]: 1 if the last pass changed anything
    """

    exchanging: int
    distances: DeviceArray
    offered: DeviceArray
    parents: DeviceArray
    offered_parents: DeviceArray
    changed: DeviceArray


def start_pair(i: int, source: int, infinity: int, pair: Pair) -> None:
    """Give the source distance 0 in both arrays; no node has a predecessor."""
    pair.distances[i] = pair.offered[i] = 0 if i == source else infinity
    if pair.exchanging != 0:
        pair.parents[i] = pair.offered_parents[i] = -1


def start_flags(i: int, source: int, flags: DeviceArray) -> None:
    """Flag the source alone."""
    flags[i] = 1 if i == source else 0


@callable_in_bodies
def _offer(node: int, arcs: Arcs, pair: Pair) -> None:
    """Offer a reached node's distance along its arcs."""
    reached_at = pair.distances[node]
    for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
        target = arcs.targets[arc]
        offer = reached_at + arcs.weights[arc]
        if offer < pair.distances[target]:
            if pair.exchanging != 0:
                atomic_exchange(pair.offered, target, offer)
                atomic_exchange(pair.offered_parents, target, node)
            else:
                atomic_min(pair.offered, target, offer)


def relax(i: int, infinity: int, arcs: Arcs, pair: Pair) -> None:
    """RELAX, version 1: offer the distance of one node along its arcs."""
    if i == 0:
        pair.changed[0] = 0
    if pair.distances[i] != infinity:
        _offer(i, arcs, pair)


def relax_by_stride(i: int, threads: int, node_count: int, infinity: int, arcs: Arcs, pair: Pair) -> None:
    """RELAX, version 2: offer the distance of every ``threads``-th node from the i-th on along its arcs."""
    if i == 0:
        pair.changed[0] = 0
    node = i
    while node < node_count:
        if pair.distances[node] != infinity:
            _offer(node, arcs, pair)
        node += threads


def relax_flagged(i: int, threads: int, node_count: int, arcs: Arcs, pair: Pair, flags: DeviceArray) -> None:
    """RELAX, version 3: as version 2, but only for nodes whose flag is set; each thread clears its own nodes' flags."""
    if i == 0:
        pair.changed[0] = 0
    node = i
    while node < node_count:
        if flags[node] != 0:
            flags[node] = 0
            _offer(node, arcs, pair)
        node += threads


@callable_in_bodies
def _take_over(node: int, pair: Pair) -> bool:
    """Take over what a node was offered; return whether its distance fell."""
    fell = pair.distances[node] > pair.offered[node]
    if fell:
        pair.distances[node] = pair.offered[node]
        pair.changed[0] = 1
    pair.offered[node] = pair.distances[node]
    return fell


def update_distance(i: int, pair: Pair) -> None:
    """UPDATE_DISTANCE, version 1: take over what one node was offered."""
    _take_over(i, pair)
    if pair.exchanging != 0:
        pair.parents[i] = pair.offered_parents[i]


def update_by_stride(i: int, threads: int, node_count: int, pair: Pair) -> None:
    """UPDATE_DISTANCE, version 2: take over what every ``threads``-th node from the i-th on was offered."""
    node = i
    while node < node_count:
        _take_over(node, pair)
        if pair.exchanging != 0:
            pair.parents[node] = pair.offered_parents[node]
        node += threads


def update_and_flag(i: int, threads: int, node_count: int, pair: Pair, flags: DeviceArray) -> None:
    """UPDATE_DISTANCE, version 3: as version 2, and set the flag of a node whose distance, or predecessor, changed."""
    node = i
    while node < node_count:
        if _take_over(node, pair):
            flags[node] = 1
        if pair.exchanging != 0 and pair.parents[node] != pair.offered_parents[node]:
            pair.parents[node] = pair.offered_parents[node]
            flags[node] = 1
            pair.changed[0] = 1
        node += threads


# --------------------------------------------------------------------------------------------------------------- passes


@dataclass(frozen=True, slots=True)
class Passes:
    """How a search makes its passes.

    even, odd     launch the passes with even and with odd numbers, which may read and write swapped arrays
    expand        announces the frontier of a pass: whether its number is odd, and whether it is looked at when the step
                  ends, as in ``Run.expand_marked``
    resets_sign   whether the launches themselves clear the sign of change, ``changed``, before they may set it
    later         whether a frontier is known only after its pass, so that it is announced for later
    """

    even: Launches
    odd: Launches
    expand: Callable[[bool, bool], None]
    note: StepNote
    resets_sign: bool = True
    later: bool = False


def count_passes(run: Run) -> int | None:
    """Return the number of passes if it is known beforehand: with every pass made, n − 1 and at least one."""
    return max(1, run.node_count - 1) if run.options["stop"] == ALL_PASSES else None


def stride_threads(node_count: int, block: int, most: int | None = None) -> int:
    """Return the threads of an automatic grid for a grid-stride loop: whole blocks, at least one, ``most`` at most."""
    threads = node_count // NODES_EACH
    return max(1, (threads if most is None else min(threads, most)) // block) * block


def expanded_by(run: Run) -> Expanded:
    """Return where a traced run marks the nodes that passes in place expand, none as yet."""
    n, on = run.node_count, int(run.observer.recording)
    mark = run.array("expanded", n if on else 1, np.int8) if on else run.array("unused mark", 1, np.int8)
    run.launch(fill, n * on, mark, 0)
    return Expanded(on, mark)


def make_passes(run: Run, passes: Passes) -> Iterator[int | None]:
    """Make passes until one changes nothing or all n − 1 are made; yields after each, or the number of several."""
    number = count_passes(run)
    if number is not None and not run.observer.recording:
        yield from _blind_passes(run, passes, 0, number)
        return
    changed = run.array("changed", 1, np.int32)

    def watched(launches: Launches, odd: bool) -> Launches:
        def step() -> None:
            if not passes.later:
                passes.expand(odd, False)
            if not passes.resets_sign:
                run.launch(fill, 1, changed, 0)
            launches()

        return run.record(step)

    steps = (watched(passes.even, False), watched(passes.odd, True))
    made, more = 0, True
    while more:
        if passes.later:
            passes.expand(made % 2 == 1, True)
        steps[made % 2]()
        made += 1
        more = run.read(changed)[0] != 0 and made != number
        run.step_done(passes.note)
        yield None
    if number is not None and made < number:
        passes.expand(made % 2 == 1, True)
        yield from _blind_passes(run, passes, made, number)
        run.step_done(passes.note._replace(reason=describe_idle(number - made), passes=number - made))


def _blind_passes(run: Run, passes: Passes, made: int, number: int) -> Iterator[int | None]:
    """Make passes ``made`` … ``number`` − 1 without asking whether they change anything, many in one go."""
    launches = (passes.even, passes.odd)

    def many() -> None:
        for k in range(PASSES_AT_ONCE):
            launches[(made + k) % 2]()

    recorded = run.record(many)
    for _ in range((number - made) // PASSES_AT_ONCE):
        recorded()
        yield PASSES_AT_ONCE
    for k in range((number - made) % PASSES_AT_ONCE):
        launches[(made + k) % 2]()
        yield None


def describe_idle(passes: int) -> str:
    """Say why a trace shows many passes as one step."""
    return f"the last {passes:,} passes change nothing, and are shown as one step"


# ------------------------------------------------------------------------------------------------ what the replay shows

_COLUMNS = ("Held in", "Nodes", "Distances")


def in_place_or_at_once(options: OptionValues) -> Relaxing:
    """Return in which order a pass of the three versions relaxes arcs."""
    return Relaxing.IN_TURN if options.get("update") == IN_PLACE else Relaxing.AT_ONCE


def reached_after(recorded: Recorded, done: int) -> StepState:
    """Return the reached nodes, all of which the next pass relaxes: these searches hold nothing else."""
    return StepState(
        "Array D", _COLUMNS, (recorded.row("Reached, relaxed by the next pass", recorded.reached(done), done),)
    )


def flags_after(recorded: Recorded, done: int) -> StepState:
    """Return the flagged nodes: those whose distance fell in the last pass."""
    return StepState("Flags F", _COLUMNS, (recorded.row("Flagged", recorded.expanded_next(done), done),))


def thread_a_node(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of version 1: a thread for every node."""
    n, expanded = recorded.network.node_count, recorded.trace.frontier(step)
    if recorded.options.get("update") == IN_PLACE:
        return (blocks.nodes("relax_all", n, expanded),)
    return blocks.nodes("relax", n, expanded), blocks.nodes("update_distance", n, recorded.changed(step))


def grid_stride(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of version 2: each thread takes every so many-th node."""
    if recorded.options.get("update") == IN_PLACE:
        return _by_stride(recorded, step, blocks, ("relax_all_by_stride",))
    return _by_stride(recorded, step, blocks, ("relax_by_stride", "update_by_stride"))


def flagged_by_stride(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches of version 3, in which only flagged nodes have arcs to relax."""
    if recorded.options.get("update") == IN_PLACE:
        return _by_stride(recorded, step, blocks, ("relax_flagged_by_stride",))
    return _by_stride(recorded, step, blocks, ("relax_flagged", "update_and_flag"))


def _by_stride(recorded: Recorded, step: int, blocks: Blocks, kernels: tuple[str, ...]) -> tuple[Launch, ...]:
    nodes, given = np.arange(recorded.network.node_count, dtype=np.int32), recorded.options.get("blocks", AUTO)
    threads = stride_threads(len(nodes), blocks.block) if given == AUTO else int(given) * blocks.block
    busy: tuple[NDArray[np.integer], ...] = (recorded.trace.frontier(step), recorded.changed(step))
    return tuple(
        blocks.rounds(kernel, nodes, np.isin(nodes, at_work), threads)
        for kernel, at_work in zip(kernels, busy, strict=False)
    )


# --------------------------------------------------------------------------------------------------------- the searches


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
    options=(STOP,),
    count_steps=count_passes,
    state=reached_after,
)
def bellman_ford(run: Run) -> Iterator[None]:
    """Run sequential Bellman–Ford; a step is one pass."""
    passes = count_passes(run)
    run.distances[:] = run.infinity
    run.distances[run.source] = 0
    note = StepNote("one thread", "a sequential search", "pass over all arcs")
    expanded = expanded_by(run)
    more, made = True, 0
    while more:
        run.expand_marked(expanded.mark, later=True)  # a pass also expands nodes that it reaches itself
        changed, relaxed = _pass_over_arcs(run, expanded)
        run.step_done(note._replace(relaxations=relaxed))
        made += 1
        more = changed and made != passes
        yield
    if passes is not None and made < passes:
        run.expand_marked(expanded.mark, later=True)
        for _ in range(passes - made):
            _pass_over_arcs(run, expanded)
            yield
        idle = passes - made
        run.step_done(note._replace(reason=describe_idle(idle), relaxations=idle * relaxed))


def _pass_over_arcs(run: Run, expanded: Expanded) -> tuple[bool, int]:
    """Relax every arc once, in order; return whether a distance fell, and how many arcs had a reached tail."""
    changed, relaxed = False, 0
    for begin in range(0, run.node_count, NODES_AT_ONCE):
        run.check()
        end = min(begin + NODES_AT_ONCE, run.node_count)
        fell, tried = pass_over_arcs(begin, end, run.arcs, run.distances, run.infinity, expanded)
        changed, relaxed = changed or fell, relaxed + tried
    return changed, relaxed


@dataclass(frozen=True, slots=True)
class _Version:
    """What distinguishes versions 1 and 2: how threads share the nodes, and the bodies that say so.

    threads           threads of a launch
    share             what the bodies get of that: nothing, or the threads and the nodes
    note              what a step says of itself
    in_place, relax, update   the bodies: of the form in place, and of the two launches with two arrays
    """

    threads: int
    share: tuple[int, ...]
    note: StepNote
    in_place: Callable[..., None]
    relax: Callable[..., None]
    update: Callable[..., None]


@algorithm(
    name="bellman-ford-v1",
    reading_order=210,
    title="Bellman–Ford v1, a thread a node",
    paper=PAPER,
    family="Bellman–Ford",
    summary="Every node has its own thread, which relaxes all its arcs in every pass.",
    phases=("relax all nodes",),
    options=(STOP, _UPDATE, _BLOCK),
    count_steps=count_passes,
    state=reached_after,
    threads=thread_a_node,
    relaxing=in_place_or_at_once,
)
def version_1(run: Run) -> Iterator[int | None]:
    """Run version 1; a step is one pass."""
    note = StepNote("all nodes", "this search has no other mode", "relax all nodes")
    return _all_nodes(run, _Version(run.node_count, (), note, relax_all, relax, update_distance))


@algorithm(
    name="bellman-ford-v2",
    reading_order=220,
    title="Bellman–Ford v2, grid-stride loop",
    paper=PAPER,
    family="Bellman–Ford",
    summary="A fixed number of threads, each of which serves every t-th node where there are t threads: no more "
    "threads on a larger network, but more work for each.",
    phases=("relax all nodes",),
    options=(STOP, _UPDATE, _BLOCK, _BLOCKS),
    count_steps=count_passes,
    state=reached_after,
    threads=grid_stride,
    relaxing=in_place_or_at_once,
)
def version_2(run: Run) -> Iterator[int | None]:
    """Run version 2; a step is one pass."""
    threads = thread_count(run)
    note, bodies = _shared_nodes(threads, "relax all nodes"), (relax_all_by_stride, relax_by_stride, update_by_stride)
    return _all_nodes(run, _Version(threads, (threads, run.node_count), note, *bodies))


@algorithm(
    name="bellman-ford-v3",
    reading_order=230,
    title="Bellman–Ford v3, flagged nodes",
    paper=PAPER,
    family="Bellman–Ford",
    summary="Version 2 with a flag for each node: only nodes whose distance fell in the last pass are relaxed.",
    phases=("relax flagged nodes",),
    options=(STOP, _UPDATE, _BLOCK, _BLOCKS),
    count_steps=count_passes,
    state=flags_after,
    threads=flagged_by_stride,
    relaxing=in_place_or_at_once,
)
def version_3(run: Run) -> Iterator[int | None]:
    """Run version 3; a step is one pass."""
    n, threads = run.node_count, thread_count(run)
    note = _shared_nodes(threads, "relax flagged nodes")
    if run.options["update"] == IN_PLACE:
        return _flagged_in_place(run, threads, note)
    pair, flags = _start_pair(run), run.array("flags", n, np.int8)
    run.launch(start_flags, n, run.source, flags)

    def one_pass() -> None:
        run.launch(relax_flagged, threads, threads, n, run.arcs, pair, flags)
        run.launch(update_and_flag, threads, threads, n, pair, flags)

    return make_passes(run, Passes(one_pass, one_pass, lambda _odd, later: run.expand_marked(flags, later=later), note))


def thread_count(run: Run) -> int:
    """Return the threads of the grid: as many whole blocks as the option says, or chosen by ``NODES_EACH``.

    Where threads do not run side by side no number of them is too large, and few are bad: one that takes every 256th
    node finds none of its nodes in a cache, and New York took two to three times as long.
    """
    blocks, device = run.options["blocks"], run.device
    if blocks != AUTO:
        return int(blocks) * run.block
    most = device.busy_blocks * device.block if Ability.BLOCKS in device.abilities else run.node_count
    return stride_threads(run.node_count, run.block, most)


def _shared_nodes(threads: int, phase: str) -> StepNote:
    return StepNote("grid stride", f"{threads:,} threads share the nodes", phase)


def _all_nodes(run: Run, version: _Version) -> Iterator[int | None]:
    """Make the passes of version 1 or 2."""
    if run.options["update"] == IN_PLACE:
        state = _start_in_place(run)[1]

        def relax_in_place() -> None:
            run.launch(version.in_place, version.threads, *version.share, run.infinity, run.arcs, state)

        def expand_relaxed(_odd: bool, later: bool) -> None:  # which nodes a pass expands is known after it
            run.expand_marked(state.expanded.mark, later=later)

        passes = Passes(relax_in_place, relax_in_place, expand_relaxed, version.note, resets_sign=False, later=True)
        return make_passes(run, passes)
    pair = _start_pair(run)

    def one_pass() -> None:
        run.launch(version.relax, version.threads, *version.share, run.infinity, run.arcs, pair)
        run.launch(version.update, version.threads, *version.share, pair)

    return make_passes(
        run, Passes(one_pass, one_pass, lambda _odd, later: run.expand_reached(later=later), version.note)
    )


def _start_pair(run: Run) -> Pair:
    """Set the two arrays; where offers are exchanged the search keeps its own parents."""
    n, exchanging = run.node_count, run.options["update"] == EXCHANGES
    size = n if exchanging else 1
    pair = Pair(
        exchanging=int(exchanging),
        distances=run.distances,
        offered=run.array("offered", n, run.distance_dtype),
        parents=run.array("own parents", size, np.int32),
        offered_parents=run.array("offered parents", size, np.int32),
        changed=run.array("changed", 1, np.int32),
    )
    run.launch(start_pair, n, run.source, run.infinity, pair)
    if exchanging:
        run.parents = pair.parents
    return pair


def _start_in_place(run: Run) -> tuple[Flags, InPlace]:
    """Set distances and flags."""
    n = run.node_count
    flags = Flags(run.array("flags", n, np.int8), run.array("flags next", n, np.int8))
    run.launch(start_in_place, n, run.source, run.infinity, run.distances, flags)
    return flags, InPlace(run.distances, run.array("changed", 1, np.int32), expanded_by(run))


def _flagged_in_place(run: Run, threads: int, note: StepNote) -> Iterator[int | None]:
    """Make the passes of version 3, which read flags from one array and set them in the other, in turns."""
    flags, state = _start_in_place(run)
    swapped = Flags(flags.following, flags.now)

    def relax_from(flags: Flags) -> Launches:
        return lambda: run.launch(
            relax_flagged_by_stride, threads, threads, run.node_count, run.arcs, flags, state.distances, state.changed
        )

    def expand(odd: bool, later: bool) -> None:
        run.expand_marked((swapped if odd else flags).now, later=later)

    return make_passes(run, Passes(relax_from(flags), relax_from(swapped), expand, note, resets_sign=False))
