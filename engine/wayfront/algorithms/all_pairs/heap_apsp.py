"""Heap_APSP: one thread runs one whole Dijkstra search, with a binary heap of its own.

The searches from different sources have nothing to do with each other, so nothing is shared, nothing is locked, and no
thread waits for another. Each takes the nearest node out of its heap, whose distance is then final, and offers its
neighbours a path; a neighbour that gets a better offer enters the heap, or rises in it. An auxiliary array keeps each
node's tentative distance and its place in the heap, so that a rising entry is found at once (decrease-key): a node has
one entry at most, and n entries are room enough for every heap.

Cost: O((m + n) log n) for each source, as on one core. A card has far more threads than cores, but each one waits for
memory at nearly every step, and threads of one warp that search from different sources seldom do the same. It wins by
the number of searches at once, which memory bounds: 16 bytes for each node and search, 32 with 64-bit distances.

What is ours:

- The paper calls ``malloc`` and ``free`` in the kernel, out of 512 MB set aside. Here all searches have their arrays
  from the start, of n elements each, and as many run side by side as fit (``PairsRun.at_once``).
- A launch ends after a bounded amount of work, and the next one goes on where it stopped, so that a search can be
  cancelled. Nothing else changes: the heaps stay where they are.
- The paper keeps parents. With n nodes for each of n sources they would be an array of n² elements, so here
  distances alone are found; the tree of one source is what the searches for one tree are for.
- ``layout``. In the paper a thread's array is one piece (by source). Interleaved, element e of all searches lies
  together, which neighbouring threads would read with one access if they were at the same element; they are at the
  first entries of their heaps, and hardly ever at the same node. On an H200 interleaving gained nothing.
- ``block``. The paper's 512 threads a block put hundreds of searches on a few multiprocessors, in warps that go on only
  as one. A block for each search took a third of the time there, so that is what is chosen while blocks suffice.

Liu Xin and Wang Fei, Two improved shortest path algorithms on GPU, Application Research of Computers 31, 2014.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wayfront.algorithms.all_pairs.heap_apsp_kernels import (
    Layout,
    Searches,
    enter_sources,
    reset_assist,
    settle_nodes,
)
from wayfront.devices.device import Ability
from wayfront.kernels.keyed_heap import PAIR
from wayfront.options import AUTO, Option
from wayfront.search.all_pairs.run import PairsRun
from wayfront.search.registry import SearchKind, algorithm
from wayfront.trace.schema import StepNote

MOST_WORK = 1 << 18
"""Nodes settled and arcs relaxed by each thread before a launch ends: tens of milliseconds on either device."""

SMALL = 1 << 16
"""Nodes of all searches that a core has in one batch, at least: small networks are searched many at once there."""

NOTE = StepNote(mode="one thread a source", reason="searches share nothing", phase="settle nodes")

BY_SOURCE, INTERLEAVED, HEAPS_INTERLEAVED = "by source", "interleaved", "heaps interleaved"

OPTIONS = (
    Option(
        "block",
        int,
        AUTO,
        "Threads of a block; each is one search. The paper has 512. Automatic: as few as spread the searches over the "
        "whole card.",
        bounds=(1, 512),
        unit="threads",
        automatic=True,
    ),
    Option(
        "layout",
        str,
        BY_SOURCE,
        "Where the arrays of the searches lie: one after the other, as in the paper; element by element; or only the "
        "heaps element by element.",
        choices=(BY_SOURCE, INTERLEAVED, HEAPS_INTERLEAVED),
    ),
)


@algorithm(
    name="heap-apsp",
    kind=SearchKind.ALL_PAIRS,
    reading_order=620,
    title="Heap_APSP",
    paper="Liu and Wang 2014",
    family="All pairs",
    summary="Every thread runs a whole Dijkstra search of its own, with a binary heap and decrease-key: as many "
    "sources at once as memory allows.",
    phases=("settle nodes",),
    options=OPTIONS,
)
def heap_apsp(run: PairsRun) -> Iterator[None]:
    """Search from every source, a thread each; a step is a batch of sources."""
    n, dtype = run.node_count, run.distance_dtype
    at_once = run.at_once(2 * PAIR * n * dtype.itemsize + 4, most=_most_at_once(run))
    numbers = PAIR * n * at_once
    whole, alternating = Layout(PAIR * n, PAIR), Layout(PAIR, PAIR * at_once)
    layout = run.options["layout"]
    nodes = alternating if layout == INTERLEAVED else whole
    searches = Searches(
        assist=run.array("assist", numbers, dtype),
        nodes=nodes,
        entries=run.array("heap entries", numbers, dtype),
        places=whole if layout == BY_SOURCE else alternating,
        sizes=run.array("heap sizes", at_once, np.int32),
    )
    settle = run.device.prepare_shared(settle_nodes, 1, _block(run, at_once), run.check)
    for batch in run.batches(at_once):
        run.launch(reset_assist, numbers, run.infinity, searches)
        run.launch(enter_sources, batch.count, batch.sources, searches)
        unfinished = True
        while unfinished:
            run.check()
            counter = run.counters(1)
            settle(batch.count, MOST_WORK, run.arcs, searches, counter)
            unfinished = run.read(counter)[0] != 0
        run.rows_done(batch, searches.assist, source_stride=nodes.search, node_stride=nodes.element, note=NOTE)
        yield


def _most_at_once(run: PairsRun) -> int | None:
    """Return how many searches are worth having at once: any number on a card, few for each core of a processor."""
    if Ability.BLOCKS in run.device.abilities:
        return None
    return run.device.threads * (1 + SMALL // run.node_count)


def _block(run: PairsRun, at_once: int) -> int:
    """Return the block size: that of the option, or the least power of two that leaves no more blocks than are busy.

    With few searches a warp then holds few of them, which do not wait for one another.
    """
    if run.options["block"] != AUTO:
        return run.block
    block = 1
    while block < run.device.block and at_once > block * run.device.busy_blocks:
        block *= 2
    return block
