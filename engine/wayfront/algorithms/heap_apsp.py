"""Heap_APSP: one thread runs one whole Dijkstra search, with a binary heap of its own.

The searches from different sources have nothing to do with each other, so nothing is shared, nothing is locked, and no
thread waits for another. Each takes the nearest node out of its heap, whose distance is then final, and offers its
neighbours a path; a neighbour that gets a better offer enters the heap, or rises in it. An auxiliary array keeps each
node's tentative distance and its index in the heap, so that a rising entry is found at once (decrease-key): a node has
one entry at most, and n entries are room enough for every heap.

Cost: O((m + n) log n) for each source, as on one core. A card has far more threads than cores, but each one waits for
memory at nearly every step, and threads of one warp that search from different sources seldom do the same. It wins by
the number of searches at once, which memory bounds: 8 bytes for each node and search, and 8 for each entry of its heap,
twice that with 64-bit distances.

What is ours:

- The paper calls ``malloc`` and ``free`` in the kernel, out of 512 MB set aside, as heaps grow. Here all searches have
  their arrays from the start, and as many run side by side as fit (``PairsRun.at_once``). Where not all sources fit
  with n entries for each heap, heaps begin with n / 32: on roads the front alone waits in them, 750 of New York's
  264,346 nodes, and twice as many searches fit. Should any heap be full, its batch is searched again in parts, with n
  entries for each heap, and so are all later ones.
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
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.keyed_heap import NOT_IN_HEAP, PAIR, KeyedHeap, drop_least, lower_node, put_entry
from wayfront.kernels.observing import fill
from wayfront.results.result import SearchKind
from wayfront.safe.options import AUTO, Option
from wayfront.searching.all_pairs.run import Batch, PairsRun
from wayfront.searching.registry import algorithm
from wayfront.trace.schema import StepNote
from wayfront.trace.step_views import Blocks, Launch, Recorded

MOST_WORK = 1 << 16
"""Nodes settled and arcs relaxed by each thread before a launch ends: tens of milliseconds on either device."""

SMALL = 1 << 16
"""Nodes of all searches that a core has in one batch, at least: small networks are searched many at once there."""

NARROW, LEAST_ROOM = 32, 1024
"""Where memory is scarce, heaps begin with an n / NARROW-th of the entries, and no fewer than the other."""

UNLIMITED = 1 << 62

RESIDENT = 4
"""Blocks of a few threads that a card holds at once, for each block of its usual size."""

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
    Option(
        "room",
        int,
        AUTO,
        "Places of a heap. Automatic: one for each node, or fewer where more searches then fit side by side. A batch "
        "whose heaps need more is searched again with one for each node.",
        bounds=(1, 2**31 - 1),
        unit="places",
        automatic=True,
    ),
)


class Layout(NamedTuple):
    """Where the records of k searches lie: that of search j and element e at ``j * search + e * element``."""

    search: int
    element: int


class Searches(NamedTuple):
    """The searches of a batch, each with a heap of its own (see ``wayfront.kernels.keyed_heap``).

    assist, of_nodes      [2·k·n], typed like the distances, and its layout: tentative distance and heap index of a node
    entries, of_entries   [2·k·room], typed like the distances, and its layout: distance and node of an entry of a heap
    sizes             int32 [k]: entries in each heap
    """

    assist: DeviceArray
    of_nodes: Layout
    entries: DeviceArray
    of_entries: Layout
    sizes: DeviceArray


def reset_assist(i: int, infinity: int, searches: Searches) -> None:
    """Reset one number of all records: no node is reached, none is in a heap."""
    searches.assist[i] = infinity if i & 1 == 0 else NOT_IN_HEAP


def enter_sources(i: int, sources: DeviceArray, searches: Searches) -> None:
    """Enter the source of search i into its heap, at distance 0."""
    nodes, entries = searches.of_nodes, searches.of_entries
    heap = KeyedHeap(
        searches.assist, searches.entries, i * nodes.search, nodes.element, i * entries.search, entries.element
    )
    searches.assist[i * nodes.search + sources[i] * nodes.element] = 0
    put_entry(heap, 0, 0, sources[i])
    searches.sizes[i] = 1


def settle_nodes(
    i: int, most_work: int, room: int, arcs: Arcs, searches: Searches, unfinished: DeviceArray, full: DeviceArray
) -> None:
    """Go on with search i until its heap is empty, or it has settled and relaxed ``most_work`` nodes and arcs.

    A node is settled when its entry is the least; its distance is then final, and it never enters again. A search whose
    heap might need more than ``room`` entries stops, and says so.
    """
    nodes, entries = searches.of_nodes, searches.of_entries
    heap = KeyedHeap(
        searches.assist, searches.entries, i * nodes.search, nodes.element, i * entries.search, entries.element
    )
    size, work = searches.sizes[i], 0
    while size > 0 and work < most_work:
        distance, node = heap.entries[heap.first_entry], heap.entries[heap.first_entry + 1]
        begin, end = arcs.offsets[node], arcs.offsets[node + 1]
        if size - 1 + end - begin > room:
            full[0] = 1
            break
        size = drop_least(heap, size)
        for arc in range(begin, end):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < heap.assist[heap.first_node + target * heap.node_step]:
                size = lower_node(heap, size, target, offer)
        work += 1 + end - begin
    searches.sizes[i] = size
    if size > 0:
        unfinished[0] = 1


def thread_a_source(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launch of a batch: a thread for each source, which searches from it alone; a block each by itself."""
    if recorded.options.get("block", AUTO) == AUTO:
        blocks = replace(blocks, block=1)
    return (blocks.listed("settle_nodes", recorded.trace.frontier(step).tolist()),)


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
    threads=thread_a_source,
)
def heap_apsp(run: PairsRun) -> Iterator[None]:
    """Search from every source, a thread each; a step is a batch of sources, or a part of one."""
    n, most = run.node_count, _most_at_once(run)
    room = _room(run, most)
    at_once = run.at_once(_bytes_each(run, room), most=most)
    numbers = PAIR * max(at_once * (n + room), 2 * n)
    heaps = Heaps(run, numbers, at_once)
    for batch in run.batches(at_once):
        fits = room < n and heaps.search(batch, at_once, room)
        if not fits:
            room = n
        for part in (batch,) if fits else _parts(batch, min(at_once, numbers // (2 * PAIR * n))):
            if not fits:
                heaps.search(part, part.count, n)
            heaps.deliver(part)
            yield


class Heaps:
    """The records of all searches of a batch, in one array that is divided anew for every batch."""

    def __init__(self, run: PairsRun, numbers: int, at_once: int) -> None:
        self._run = run
        self._records = run.array("records", numbers, run.distance_dtype)
        self._sizes = run.array("heap sizes", at_once, np.int32)
        self._unfinished = run.array("unfinished", 1, np.int32)
        self._full = run.array("full", 1, np.int32)
        self._settle = run.device.prepare_shared(settle_nodes, 1, _block(run, at_once), run.check)
        self._searches: Searches

    def search(self, batch: Batch, width: int, room: int) -> bool:
        """Search from all sources of a batch of ``width``, ``room`` entries a heap; return False if one is full."""
        run, n = self._run, self._run.node_count
        layout, end = run.options["layout"], PAIR * n * width
        self._searches = Searches(
            assist=self._records[:end],
            of_nodes=_layout(width, n, interleaved=layout == INTERLEAVED),
            entries=self._records[end : end + PAIR * room * width],
            of_entries=_layout(width, room, interleaved=layout != BY_SOURCE),
            sizes=self._sizes,
        )
        run.launch(reset_assist, end, run.infinity, self._searches)
        run.launch(enter_sources, batch.count, batch.sources, self._searches)
        run.launch(fill, 1, self._full, 0)
        limit = room if room < n else UNLIMITED
        unfinished = True
        while unfinished:
            run.check()
            run.launch(fill, 1, self._unfinished, 0)
            self._settle(batch.count, MOST_WORK, limit, run.arcs, self._searches, self._unfinished, self._full)
            unfinished = run.read(self._unfinished)[0] != 0
            if limit < UNLIMITED and run.read(self._full)[0] != 0:
                return False
        return True

    def deliver(self, batch: Batch) -> None:
        """Deliver the rows that were found last."""
        searches = self._searches
        strides = {"source_stride": searches.of_nodes.search, "node_stride": searches.of_nodes.element}
        self._run.rows_done(batch, searches.assist, **strides, note=NOTE)


def _layout(width: int, elements: int, *, interleaved: bool) -> Layout:
    """Return where the records of ``width`` searches lie, ``elements`` of each."""
    return Layout(PAIR, PAIR * width) if interleaved else Layout(PAIR * elements, PAIR)


def _parts(batch: Batch, width: int) -> Iterator[Batch]:
    """Divide a batch into batches of at most ``width`` sources."""
    for first in range(0, batch.count, width):
        end = min(first + width, batch.count)
        yield Batch(batch.first + first, end - first, batch.sources[first:end])


def _bytes_each(run: PairsRun, room: int) -> int:
    """Return the bytes of a search whose heap has so many entries."""
    return PAIR * (run.node_count + room) * run.distance_dtype.itemsize + 4


def _room(run: PairsRun, most: int | None) -> int:
    """Return how many entries each heap begins with."""
    n = run.node_count
    if run.options["room"] != AUTO:
        return min(n, int(run.options["room"]))
    everything = run.at_once(_bytes_each(run, n), most=most)
    scarce = everything < min(len(run.sources), most or len(run.sources))
    return min(n, max(LEAST_ROOM, n // NARROW)) if scarce else n


def _most_at_once(run: PairsRun) -> int | None:
    """Return how many searches are worth having at once: any number on a card, few for each core of a processor."""
    if Ability.BLOCKS in run.device.abilities:
        return None
    return run.device.threads * (1 + SMALL // run.node_count)


def _block(run: PairsRun, at_once: int) -> int:
    """Return the block size: that of the option, or the least power of two whose blocks are all on the card at once.

    With few searches a warp then holds few of them, which do not wait for one another.
    """
    if run.options["block"] != AUTO:
        return run.block
    block = 1
    while block < run.device.block and at_once > block * run.device.busy_blocks * RESIDENT:
        block *= 2
    return block
