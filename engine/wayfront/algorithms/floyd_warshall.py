"""Floyd–Warshall: all pairs at once, node by node as the intermediate one of every path.

The matrix holds the distance of every pair by paths whose intermediate nodes are among those that have been the
*pivot*; at first that is the arcs alone. When node k becomes the pivot, ``d[i, j] = min(d[i, j], d[i, k] + d[k, j])``
for every pair. After n pivots all paths are allowed. Row and column k do not change meanwhile, since d[k, k] is 0: so
all entries can be improved at once, in any order.

On a card a block improves a row. A row whose node has no path to the pivot cannot change and is skipped; the entries
to the pivot and the pivot's row are read into shared memory, some of it at a time. On a processor the same row is a
loop over neighbouring numbers, and cores divide the rows of each pivot between them.

The matrix is a work array of the run and lies on the device; the blocked form has one too. Internal node numbers are
its rows and columns. ``infinity`` stands where no path is known; sums of two are compared without a sign (see
``kernels.arithmetic``).

Cost: n³ sums whatever the arcs, and n² entries of memory, read and written n times: the memory is what limits it. The
blocked form does the same sums with a 128th of that traffic.

Floyd, Algorithm 97, 1962; Warshall 1962. A block a row, skipped rows and shared memory: Okuyama, Ino and Hagihara, who
took it from Harish and Narayanan and found it about ten times as fast. What they kept in shared and texture memory is
not said, so that is ours, and so are several rows a block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
from numba import njit

from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import DeviceArray, TileKernel
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.arithmetic import Index, lesser_sum
from wayfront.kernels.observing import fill
from wayfront.results.result import SearchKind
from wayfront.safe.options import Option
from wayfront.searching.all_pairs.run import PairsRun
from wayfront.searching.registry import algorithm
from wayfront.trace.schema import NO_PATH, StepNote
from wayfront.trace.step_views import ROW, Blocks, Launch, Recorded

PIVOT = StepNote("a block a row", "rows are independent of one another", "improve rows")

ROWS = StepNote("all nodes", "every node was the pivot", "deliver rows")

AT_ONCE = 1 << 26
"""Entries of finished rows that are delivered together."""

STRETCH = 1024
"""Neighbouring entries that a loop on a core improves before it looks again whether what it reads and what it writes
overlap. The compiler tests that once for two loops one within the other: without the outer loop over stretches that
would be the loop over rows, of which one is the pivot's and does overlap, and then no vectors are used for any row."""

AHEAD = 1 << 33
"""Entries that are improved before the host waits for the device: some ten milliseconds on a fast card. A search that
was launched to its end at once would not show how far it is, and could not be cancelled."""

SHARE = 1 << 20
"""Entries that a core improves before it looks for more to do, some tenths of a millisecond. Pivots of less than two
shares are not divided: a thousand nodes took twice as long on two cores when they were."""

MOST_ROWS = 32
"""Rows of a block at most: no more than a block has threads."""

SEGMENT = 2048
"""Entries of the pivot's row that are in shared memory at a time."""

OPTIONS = (
    Option("block", int, 256, "Threads of a block.", choices=(32, 64, 128, 256, 512, 1024), unit="threads"),
    Option(
        "rows",
        int,
        1,
        "Rows that a block improves, one in the paper; several use the pivot's row in shared memory together.",
        bounds=(1, MOST_ROWS),
        unit="rows",
    ),
)

# ---------------------------------------------------------------------------------------------- the matrix of distances


class Matrix(NamedTuple):
    """Distances between all pairs of nodes.

    entries   [rows · stride], typed like the distances: that from node i to node j at i · stride + j
    stride    entries from one row to the next
    """

    entries: DeviceArray
    stride: int


@njit(_nrt=False, forceinline=True)
def improve_neighbours(entries: DeviceArray, index: int, length: int, to_pivot: int, from_pivot: int) -> None:
    """Improve ``length`` entries from ``index`` on by sums of ``to_pivot`` and the entries from ``from_pivot`` on.

    For cores, which do this with vectors.
    """
    for begin in range(0, length, STRETCH):
        for j in range(begin, min(begin + STRETCH, length)):
            entries[Index(index + j)] = lesser_sum(entries[Index(index + j)], to_pivot, entries[Index(from_pivot + j)])


def enter_arcs(i: int, arcs: Arcs, matrix: Matrix) -> None:
    """Set the distance of node i to itself to 0, and to each of its neighbours to the least weight of an arc there."""
    row = i * matrix.stride
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        index = row + arcs.targets[arc]
        matrix.entries[index] = min(matrix.entries[index], arcs.weights[arc])
    matrix.entries[row + i] = 0


def copy_row_entries(i: int, nodes: int, matrix: Matrix, sources: DeviceArray, rows: DeviceArray) -> None:
    """Copy an entry of the sources' rows, one after the other, into ``rows``."""
    row = i // nodes
    rows[i] = matrix.entries[sources[row] * matrix.stride + (i - row * nodes)]


def make_matrix(run: PairsRun, side: int, stride: int) -> Matrix:
    """Return the matrix before any pivot: arcs, and 0 from each node to itself; ``side`` rows, n of them in use.

    Raises ``DeviceMemoryError`` with the bytes it takes where they are not there.
    """
    n, size = run.node_count, run.distance_dtype.itemsize
    if not run.has_array("matrix"):
        run.require((side * stride + _rows_at_once(run) * n) * size)
    matrix = Matrix(run.array("matrix", side * stride, run.distance_dtype), stride)
    run.launch(fill, side * stride, matrix.entries, run.infinity)
    run.launch(enter_arcs, n, run.arcs, matrix)
    show_matrix(run, matrix)
    return matrix


def show_matrix(run: PairsRun, matrix: Matrix) -> None:
    """Let a trace of a small graph keep the matrix as it is before the first step, or after the last one."""
    run.observer.keep_matrix(matrix.entries, matrix.stride, run.infinity)


def deliver(run: PairsRun, matrix: Matrix, note: StepNote) -> Iterator[int]:
    """Deliver the rows of the run's sources: a step is a batch of them."""
    n, at_once = run.node_count, _rows_at_once(run)
    rows = run.array("rows", at_once * n, run.distance_dtype)
    for batch in run.batches(at_once):
        run.launch(copy_row_entries, batch.count * n, n, matrix, batch.sources, rows)
        run.rows_done(batch, rows, source_stride=n, node_stride=1, note=note)
        show_matrix(run, matrix)
        yield 1


def deliveries(run: PairsRun) -> int:
    """Return how many steps ``deliver`` takes."""
    return -(-len(run.sources) // _rows_at_once(run))


def _rows_at_once(run: PairsRun) -> int:
    return max(1, min(len(run.sources), AT_ONCE // run.node_count))


# ----------------------------------------------------------------------------------------------------------- the search


def _improve_part(
    entries: DeviceArray, begin: int, me: int, width: int, length: int, to_pivot: int, from_pivot: DeviceArray
) -> None:
    for j in range(me, length, width):
        known = entries[Index(begin + j)]
        improved = lesser_sum(known, to_pivot, from_pivot[j])
        if improved != known:  # most are not, and writing them would double what goes through the memory
            entries[Index(begin + j)] = improved


_improve_part_on_card = cuda_function(_improve_part)


def _improve_rows_on_card(pivot: int, nodes: int, rows: int, infinity: int, matrix: Matrix) -> None:
    entries, stride = matrix.entries, matrix.stride
    from_pivot = cuda.shared.array(SEGMENT, matrix.entries.dtype)
    to_pivot = cuda.shared.array(MOST_ROWS, matrix.entries.dtype)
    me, width = cuda.threadIdx.x, cuda.blockDim.x
    first = cuda.blockIdx.x * rows
    if me < rows:
        row = first + me
        to_pivot[me] = entries[row * stride + pivot] if row < nodes and row != pivot else infinity
    cuda.syncthreads()
    nearest = infinity
    for r in range(rows):
        nearest = min(nearest, to_pivot[r])
    if nearest == infinity:
        return
    for begin in range(0, nodes, SEGMENT):
        length = min(SEGMENT, nodes - begin)
        for j in range(me, length, width):
            from_pivot[j] = entries[Index(pivot * stride + begin + j)]
        cuda.syncthreads()
        for r in range(rows):
            if to_pivot[r] != infinity:
                _improve_part_on_card(entries, (first + r) * stride + begin, me, width, length, to_pivot[r], from_pivot)
        cuda.syncthreads()


def _improve_rows_on_core(block: int, pivot: int, nodes: int, rows: int, infinity: int, matrix: Matrix) -> None:
    entries, stride = matrix.entries, matrix.stride
    for row in range(block * rows, min((block + 1) * rows, nodes)):
        to_pivot = entries[row * stride + pivot]
        if row != pivot and to_pivot != infinity:
            improve_neighbours(entries, row * stride, nodes, to_pivot, pivot * stride)


improve_rows: Final = TileKernel(_improve_rows_on_card, _improve_rows_on_core)
"""Improve the distances from ``rows`` nodes by paths through the pivot; skip the nodes with no path to it."""


def block_a_row(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launch of a pivot: a block for each row, or for several, whose threads take entries side by side.

    A block has nothing to do where its row has no path to the pivot; neither has a thread beyond the row's entries.
    Steps that deliver rows have none.
    """
    n, pivot, matrices = recorded.network.node_count, recorded.trace.frontier(step), recorded.trace.matrices
    if recorded.trace.improved[step] or matrices is None or len(pivot) != 1:
        return ()
    rows = int(recorded.options.get("rows", 1))
    to_pivot = matrices[step].reshape(n, n)[:, pivot[0]] != NO_PATH
    to_pivot[pivot[0]] = False
    first = np.arange(0, n, rows, dtype=np.int32)
    items = np.repeat(first, blocks.block)
    at_work = np.array([to_pivot[row : row + rows].any() for row in first])
    busy = np.repeat(at_work, blocks.block) & (np.tile(np.arange(blocks.block), len(first)) < n)
    return (blocks.launch("improve_rows", items, busy, ROW),)


def _count_steps(run: PairsRun) -> int:
    return run.node_count + deliveries(run)


def _try_pivots(run: PairsRun) -> Iterator[int]:
    """Make nodes the pivot of a matrix in which every pair has a path: the first pivots skip nearly all rows."""
    matrix = make_matrix(run, run.node_count, run.node_count)
    run.launch(fill, run.node_count**2, matrix.entries, 1)
    yield from _improve_by_pivots(run, matrix)


@algorithm(
    name="floyd-warshall",
    reading_order=640,
    title="Floyd–Warshall",
    paper="Floyd 1962; on a GPU: Okuyama, Ino and Hagihara",
    family="All pairs",
    summary="Makes every node the pivot in turn, and tries for every pair of nodes whether the way over the pivot is "
    "shorter. Holds a distance for every pair in memory.",
    phases=("improve rows", "deliver rows"),
    options=OPTIONS,
    count_steps=_count_steps,
    trial=_try_pivots,
    kind=SearchKind.ALL_PAIRS,
    threads=block_a_row,
)
def floyd_warshall(run: PairsRun) -> Iterator[int]:
    """Make every node the pivot; a step is a pivot."""
    matrix = make_matrix(run, run.node_count, run.node_count)
    yield from _improve_by_pivots(run, matrix)
    yield from deliver(run, matrix, ROWS)


def _improve_by_pivots(run: PairsRun, matrix: Matrix) -> Iterator[int]:
    n, rows = run.node_count, int(run.options["rows"])
    blocks, share, wait_every = -(-n // rows), max(1, SHARE // (rows * n)), max(1, AHEAD // (n * n))
    for pivot in range(n):
        run.launch_tiles(improve_rows, blocks, share, pivot, n, rows, run.infinity, matrix)
        if (pivot + 1) % wait_every == 0:
            run.device.synchronize()
        run.step_done(PIVOT, (pivot,))
        show_matrix(run, matrix)
        yield 1
