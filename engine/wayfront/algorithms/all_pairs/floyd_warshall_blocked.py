"""Blocked Floyd–Warshall: the same sums in an order in which numbers are used many times once they are near.

Plain Floyd–Warshall reads and writes the whole matrix once for every pivot: for each sum a number comes from the
memory and one goes back. Here the matrix is divided into square tiles, and all nodes of a tile become pivots
together, in three phases. *Pivot tile*: find the shortest paths within the tile on the diagonal. *Pivot row and
column*: improve the tiles beside it, and those above and below it, by paths through it. *Rest*: improve every other
tile by the product of the tile in its row of the pivot's column and the tile in its column of the pivot's row, with
minimum and sum for sum and product.

After the three phases each entry is the shortest distance by paths through nodes of the tiles so far, so that n over
the tile's width such steps do what n pivots did. That pivots within a step are not taken one after the other is no
harm: every number is the length of some path, and the least of them is reached in the end.

Nearly all work is in the rest, whose tiles are independent of one another. There each number that comes from the memory
serves as many sums as a tile is wide. A thread of a card keeps 8 × 8 distances in registers; from Hopper on, a sum with
its minimum is one instruction. A core improves vectors of 8 distances by 8 rows of the pivot at a time.

Cost: n³ sums, as before, at nearly the rate at which the card or the core can do them. What one would do today; in
none of the papers. Venkataraman, Sahni and Mukhopadhyaya, A blocked all-pairs shortest-paths algorithm, 2003; on GPUs
Katz and Kider 2008, who have the three phases, and Lund and Smith 2010, who keep results in registers.
"""

from __future__ import annotations

from collections.abc import Iterator

from wayfront.algorithms.all_pairs.all_pairs_view import block_a_tile
from wayfront.algorithms.all_pairs.distance_matrix import deliver, deliveries, make_matrix, show_matrix
from wayfront.algorithms.all_pairs.floyd_warshall_blocked_kernels import (
    PART,
    WIDEST,
    Tiles,
    close_tile,
    join_cross,
    join_rest,
)
from wayfront.options import AUTO, Option
from wayfront.search.all_pairs.run import PairsRun
from wayfront.search.registry import SearchKind, algorithm
from wayfront.trace.schema import StepNote

CLOSE = StepNote("one block", "its pivots follow one another", "pivot tile")
CROSS = StepNote("a block a tile", "tiles are independent of one another", "pivot row and column")
REST = StepNote("a block a tile", "tiles are independent of one another", "rest")
ROWS = StepNote("all nodes", "every tile was the pivot", "deliver rows")

APART = 32
"""Entries between the end of a row of the matrix and the next. With rows a power of two apart, a column of a tile would
share a few lines of a processor's cache."""

AHEAD = 1 << 37
"""Sums that are computed before the host waits for the device, as in ``floyd_warshall``: as long, with more of them."""

OPTIONS = (
    Option(
        "tile",
        int,
        AUTO,
        f"Rows and columns of a tile; auto is {WIDEST}, or 64 where a card has more multiprocessors than there would "
        "be tiles.",
        choices=(32, 64, 128),
        unit="nodes",
        automatic=True,
    ),
)


def _tile_bits(run: PairsRun) -> int:
    """Return the exponent of a tile's width: as asked, or chosen; the threads of a tile must fit a block."""
    asked = run.options["tile"]
    bits = 7 if asked == AUTO else int(asked).bit_length() - 1
    if asked == AUTO and (run.node_count >> bits) ** 2 < run.device.busy_blocks // 8:
        bits = 6
    while (1 << bits) ** 2 // PART**2 > run.device.most_block:
        bits -= 1
    return bits


def _tiles(run: PairsRun) -> Tiles:
    bits = _tile_bits(run)
    return Tiles(bits, -(-run.node_count >> bits))


def _count_steps(run: PairsRun) -> int:
    return 3 * _tiles(run).per_side + deliveries(run)


@algorithm(
    name="floyd-warshall-blocked",
    reading_order=650,
    title="Blocked Floyd–Warshall",
    paper="Venkataraman, Sahni and Mukhopadhyaya 2003; Katz and Kider 2008",
    family="All pairs",
    summary="Floyd–Warshall in tiles: all nodes of a tile become pivots together, and distances are used many times "
    "while they are in registers and caches. Holds a distance for every pair in memory.",
    phases=("pivot tile", "pivot row and column", "rest", "deliver rows"),
    options=OPTIONS,
    count_steps=_count_steps,
    kind=SearchKind.ALL_PAIRS,
    threads=block_a_tile,
)
def floyd_warshall_blocked(run: PairsRun) -> Iterator[int]:
    """Make every tile on the diagonal the pivot; each of its phases is a step."""
    n, tiles = run.node_count, _tiles(run)
    tile = 1 << tiles.bits
    side = tiles.per_side << tiles.bits
    run.block = (tile // PART) ** 2
    matrix = make_matrix(run, side, side + APART)
    wait_every = max(1, AHEAD // (side * side * tile))
    for pivot in range(tiles.per_side):
        nodes = range(pivot * tile, min((pivot + 1) * tile, n))
        run.launch_tiles(close_tile, 1, 1, pivot, tiles, matrix)
        run.step_done(CLOSE, nodes)
        show_matrix(run, matrix)
        run.launch_tiles(join_cross, 2 * tiles.per_side, 1, pivot, tiles, matrix)
        run.step_done(CROSS, nodes)
        show_matrix(run, matrix)
        run.launch_tiles(join_rest, tiles.per_side**2, 1, pivot, tiles, matrix)
        if (pivot + 1) % wait_every == 0:
            run.device.synchronize()
        run.step_done(REST, nodes)
        show_matrix(run, matrix)
        yield 3
    yield from deliver(run, matrix, ROWS)
