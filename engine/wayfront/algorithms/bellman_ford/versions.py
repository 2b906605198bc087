"""Bellman–Ford on a GPU in three versions, as its authors wrote them: two arrays, and two launches a pass.

RELAX reads the distances D and lowers a second array Di by atomic minimum; UPDATE_DISTANCE then takes over into D what
is less. So after pass k exactly the nodes whose shortest path has at most k arcs have their distance, and |V| − 1
passes suffice. The authors always make them all (``stop`` "after n − 1 passes"); to end with the first that changes
nothing is ours.

- **v1** has one thread for each node, so the grid grows with the network.
- **v2** has a fixed number of threads, each of which serves every t-th node, t being their number (a grid-stride loop).
- **v3** adds one array of flags: only nodes whose distance fell in the last pass are relaxed. RELAX clears a node's
  flag, UPDATE_DISTANCE sets it, and no launch does both.

The option ``update`` has three forms. The default is the authors' code of 2021. Their code of 2020, from which the
article's figures probably come, wrote a better offer and its predecessor by two exchanges: of several offers in one
pass the last one stays, although it may be the larger, and the predecessor beside it may be another thread's. v1 and
v2 offer it again in the next pass; v3 does so only if the tail's flag is set once more, which a changed predecessor
also does, and otherwise keeps a distance that is too large. Parents are then the ones that this leaves. Such a result
is always checked, and says whether it is wrong. The third form is ours: one array lowered in place, so that a pass
may carry a distance along several arcs; v3 then needs two arrays of flags.

S. Rajkumar and S. Garland, Bellman-Ford single source shortest path algorithm on GPU using CUDA, 2020 (an article and
term paper with source code). Bellman 1958; Ford 1956.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from wayfront.algorithms.bellman_ford import bellman_ford_view as view
from wayfront.algorithms.bellman_ford import in_place_kernels as in_place
from wayfront.algorithms.bellman_ford import two_arrays_kernels as two_arrays
from wayfront.algorithms.bellman_ford.passes import (
    IN_PLACE,
    NODES_EACH,
    PAPER,
    STOP,
    Passes,
    count_passes,
    make_passes,
    stride_threads,
)
from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.observing import fill
from wayfront.options import AUTO, Option
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

MINIMUM = "two arrays with minimum (2021)"
EXCHANGES = "two arrays with exchanges (2020)"

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
    state=view.reached_after,
    threads=view.thread_a_node,
)
def version_1(run: Run) -> Iterator[int | None]:
    """Run version 1; a step is one pass."""
    n = run.node_count
    note = StepNote("all nodes", "this search has no other mode", "relax all nodes")
    if run.options["update"] == IN_PLACE:
        _, changed = _start_in_place(run)
        expanded = _expanded(run)
        arguments = (run.infinity, run.arcs, run.distances, changed, expanded)
        return _all_nodes_in_place(run, lambda: run.launch(in_place.relax_all, n, *arguments), expanded, note)
    pair = _start_pair(run)

    def one_pass() -> None:
        run.launch(two_arrays.relax, n, run.infinity, run.arcs, pair)
        run.launch(two_arrays.update_distance, n, pair)

    return make_passes(run, Passes(one_pass, one_pass, _reached(run), note))


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
    state=view.reached_after,
    threads=view.grid_stride,
)
def version_2(run: Run) -> Iterator[int | None]:
    """Run version 2; a step is one pass."""
    n, threads = run.node_count, thread_count(run)
    note = StepNote("grid stride", f"{threads:,} threads share the nodes", "relax all nodes")
    if run.options["update"] == IN_PLACE:
        _, changed = _start_in_place(run)
        expanded = _expanded(run)
        arguments = (threads, n, run.infinity, run.arcs, run.distances, changed, expanded)
        relax = in_place.relax_all_by_stride
        return _all_nodes_in_place(run, lambda: run.launch(relax, threads, *arguments), expanded, note)
    pair = _start_pair(run)

    def one_pass() -> None:
        run.launch(two_arrays.relax_by_stride, threads, threads, n, run.infinity, run.arcs, pair)
        run.launch(two_arrays.update_by_stride, threads, threads, n, pair)

    return make_passes(run, Passes(one_pass, one_pass, _reached(run), note))


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
    state=view.flags_after,
    threads=view.flagged_by_stride,
)
def version_3(run: Run) -> Iterator[int | None]:
    """Run version 3; a step is one pass."""
    n, threads = run.node_count, thread_count(run)
    note = StepNote("grid stride", f"{threads:,} threads share the nodes", "relax flagged nodes")
    if run.options["update"] == IN_PLACE:
        return _flagged_in_place(run, threads, note)
    pair, flags = _start_pair(run), run.array("flags", n, np.int8)
    run.launch(two_arrays.start_flags, n, run.source, flags)

    def one_pass() -> None:
        run.launch(two_arrays.relax_flagged, threads, threads, n, run.arcs, pair, flags)
        run.launch(two_arrays.update_and_flag, threads, threads, n, pair, flags)

    return make_passes(run, Passes(one_pass, one_pass, lambda _odd, later: run.expand_marked(flags, later=later), note))


def thread_count(run: Run) -> int:
    """Return the threads of the grid: as many whole blocks as the option says, or chosen by ``NODES_EACH``.

    Where threads do not run side by side no number of them is too large, and few are bad: one that serves every 256th
    node finds none of its nodes in a cache, and New York took two to three times as long.
    """
    blocks, device = run.options["blocks"], run.device
    if blocks != AUTO:
        return int(blocks) * run.block
    most = device.busy_blocks * device.block if Ability.BLOCKS in device.abilities else run.node_count
    return stride_threads(run.node_count, run.block, most)


def _reached(run: Run) -> Callable[[bool, bool], None]:
    """Return what announces that a pass expands every node that has a distance."""
    return lambda _odd, later: run.expand_reached(later=later)


def _start_pair(run: Run) -> two_arrays.Pair:
    """Set the two arrays; where offers are exchanged the search keeps its own parents."""
    n, exchanging = run.node_count, run.options["update"] == EXCHANGES
    size = n if exchanging else 1
    pair = two_arrays.Pair(
        exchanging=int(exchanging),
        distances=run.distances,
        offered=run.array("offered", n, run.distance_dtype),
        parents=run.array("own parents", size, np.int32),
        offered_parents=run.array("offered parents", size, np.int32),
        changed=run.array("changed", 1, np.int32),
    )
    run.launch(two_arrays.start_pair, n, run.source, run.infinity, pair)
    if exchanging:
        run.parents = pair.parents
    return pair


# --------------------------------------------------------------------------------------------- in place, which is ours


def _start_in_place(run: Run) -> tuple[in_place.Flags, DeviceArray]:
    """Set distances and flags; return the flags and the sign of change."""
    n = run.node_count
    flags = in_place.Flags(run.array("flags", n, np.int8), run.array("flags next", n, np.int8))
    run.launch(in_place.start_search, n, run.source, run.infinity, run.distances, flags)
    return flags, run.array("changed", 1, np.int32)


def _expanded(run: Run) -> in_place.Expanded:
    """Return where a traced run marks the nodes that its passes expand, none as yet."""
    n, on = run.node_count, int(run.observer.recording)
    mark = run.array("expanded", n if on else 1, np.int8) if on else run.array("unused mark", 1, np.int8)
    run.launch(fill, n * on, mark, 0)
    return in_place.Expanded(on, mark)


def _all_nodes_in_place(
    run: Run, relax: Callable[[], None], expanded: in_place.Expanded, note: StepNote
) -> Iterator[int | None]:
    """Make the passes of version 1 or 2; which nodes a pass expands is known after it."""

    def expand(_odd: bool, later: bool) -> None:
        run.expand_marked(expanded.mark, later=later)

    return make_passes(run, Passes(relax, relax, expand, note, resets_sign=False, later=True))


def _flagged_in_place(run: Run, threads: int, note: StepNote) -> Iterator[int | None]:
    """Make the passes of version 3, which read flags from one array and set them in the other, in turns."""
    flags, changed = _start_in_place(run)
    swapped = in_place.Flags(flags.following, flags.now)

    def relax_from(flags: in_place.Flags) -> Callable[[], None]:
        arguments = (threads, run.node_count, run.arcs, run.distances, flags, changed)
        return lambda: run.launch(in_place.relax_flagged_by_stride, threads, *arguments)

    def expand(odd: bool, later: bool) -> None:
        run.expand_marked((swapped if odd else flags).now, later=later)

    return make_passes(run, Passes(relax_from(flags), relax_from(swapped), expand, note, resets_sign=False))
