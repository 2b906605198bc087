"""Floyd–Warshall: all pairs at once, node by node as the intermediate one of every path.

The matrix holds the distance of every pair by paths whose intermediate nodes are among those that have been the
*pivot*; at first that is the arcs alone. When node k becomes the pivot, ``d[i, j] = min(d[i, j], d[i, k] + d[k, j])``
for every pair. After n pivots all paths are allowed. Row and column k do not change meanwhile, since d[k, k] is 0: so
all entries can be improved at once, in any order.

On a card a block improves a row. A row whose node has no path to the pivot cannot change and is skipped; the entries
to the pivot and the pivot's row are read into shared memory, some of it at a time. On a processor the same row is a
loop over neighbouring numbers, and cores divide the rows of each pivot between them.

Cost: n³ sums whatever the arcs, and n² entries of memory, read and written n times: the memory is what limits it. The
blocked form does the same sums with a 128th of that traffic.

Floyd, Algorithm 97, 1962; Warshall 1962. A block a row, skipped rows and shared memory: Okuyama, Ino and Hagihara, who
took it from Harish and Narayanan and found it about ten times as fast. What they kept in shared and texture memory is
not told, so that is ours, and so are several rows a block.
"""

from __future__ import annotations

from collections.abc import Iterator

from wayfront.algorithms.all_pairs.all_pairs_view import block_a_row
from wayfront.algorithms.all_pairs.distance_matrix import Matrix, deliver, deliveries, make_matrix, show_matrix
from wayfront.algorithms.all_pairs.floyd_warshall_kernels import MOST_ROWS, improve_rows
from wayfront.kernels.observing import fill
from wayfront.options import Option
from wayfront.search.all_pairs.run import PairsRun
from wayfront.search.registry import SearchKind, algorithm
from wayfront.trace.schema import StepNote

PIVOT = StepNote("a block a row", "rows are independent of one another", "improve rows")
ROWS = StepNote("all nodes", "every node was the pivot", "deliver rows")

AHEAD = 1 << 33
"""Entries that are improved before the host waits for the device: some ten milliseconds on a fast card. A search that
was launched to its end at once would not show how far it is, and could not be cancelled."""

SHARE = 1 << 20
"""Entries that a core improves before it looks for more to do, some tenths of a millisecond. Pivots of less than two
shares are not divided: a thousand nodes took twice as long on two cores when they were."""

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
