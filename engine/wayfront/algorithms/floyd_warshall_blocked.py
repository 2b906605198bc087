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

Nearly all work is in the rest, whose tiles are independent of one another. There each number that comes from the
memory is used in as many sums as a tile is wide.

*On a card* a block has a tile and a thread an 8 × 8 part of it, in registers. Arrays whose indices are known when the
kernel is compiled are kept there, so the loops over a part have constant ends. From Hopper on, a sum with its minimum
is one instruction. A block has slabs of two other tiles in shared memory, 16 columns of one and 16 rows of the other;
each number that a thread reads from there is used in 8 sums. Its 8 rows and 8 columns are two times 4 neighbours, which
it reads in one go. Numbers for the next slabs are on their way from the card's memory into registers while the sums of
the present ones are computed.

*On a core* a tile's rows are improved by 8 rows of the pivot at a time, so that a distance is loaded and stored once
for 8 sums; the compiler makes a loop over neighbours into one over vectors.

Cost: n³ sums, as before, at nearly the rate at which the card or the core can do them. What one would do today; in
none of the papers. Venkataraman, Sahni and Mukhopadhyaya, A blocked all-pairs shortest-paths algorithm, 2003; on GPUs
Katz and Kider 2008, who have the three phases, and Lund and Smith 2010, who keep results in registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numba import njit

from wayfront.algorithms.floyd_warshall import Matrix, deliver, deliveries, improve_neighbours, make_matrix, show_matrix
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import BLOCKS_OF_ONE, DeviceArray, TileKernel
from wayfront.kernels.arithmetic import Index, lesser_sum
from wayfront.results.result import SearchKind
from wayfront.safe.options import AUTO, Option
from wayfront.searching.all_pairs.run import PairsRun
from wayfront.searching.registry import algorithm
from wayfront.trace.schema import StepNote
from wayfront.trace.step_views import TILE, Blocks, Launch, Recorded

CLOSE = StepNote("one block", "its pivots follow one another", "pivot tile")

CROSS = StepNote("a block a tile", "tiles are independent of one another", "pivot row and column")

REST = StepNote("a block a tile", "tiles are independent of one another", "rest")

ROWS = StepNote("all nodes", "every tile was the pivot", "deliver rows")

APART = 32
"""Entries between the end of a row of the matrix and the next. With rows a power of two apart, a column of a tile would
share a few lines of a processor's cache."""

AHEAD = 1 << 37
"""Sums that are computed before the host waits for the device, as in ``floyd_warshall``: as long, with more of them."""

PART = 8
"""Rows and columns of a thread's part."""

QUAD = 4
"""Neighbouring entries that a thread reads at once."""

WIDEST = 128
"""Rows and columns of a tile at most."""

DEPTH = WIDEST // PART
"""Columns and rows of the two other tiles that are in shared memory at a time: an eighth of a tile, at most so many."""

PITCH = WIDEST + QUAD
"""Entries from one row of a slab to the next: with ``WIDEST`` the threads that store a column would all use one
bank."""

SLAB = DEPTH * PITCH

BOTH_SLABS = 2 * PART

TWO_LINES = 2 * WIDEST

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


class Tiles(NamedTuple):
    """How a matrix is divided: 2^``bits`` rows and columns a tile, ``per_side`` tiles in each direction."""

    bits: int
    per_side: int


def _quad_index(side: int, position: int, part: int) -> int:
    """Return where in a tile element ``part`` of the part at ``position`` lies: 4 here, 4 half a tile further."""
    return (part // QUAD) * QUAD * side + position * QUAD + part % QUAD


_quad_index_on_card = cuda_function(_quad_index)


def _read_ahead(ahead: DeviceArray, to_pivot_at: int, from_pivot_at: int, bits: int, matrix: Matrix) -> None:
    """Read a thread's entries of two slabs: 8 of the columns from one index on, and two quads of the rows from another.

    Neighbouring threads read neighbouring entries of the matrix.
    """
    entries, stride, me = matrix.entries, matrix.stride, cuda.threadIdx.x
    side = 1 << (bits - 3)
    line, k = me >> (bits - 3), me & (side - 1)
    for turn in range(PART):
        ahead[turn] = entries[Index(to_pivot_at + (line + turn * side) * stride + k)]
    k, line = me >> (bits - 2), QUAD * (me & (2 * side - 1))
    for turn in range(2):
        for q in range(QUAD):
            ahead[PART + turn * QUAD + q] = entries[Index(from_pivot_at + (k + turn * (side // 2)) * stride + line + q)]


def _store_slabs(ahead: DeviceArray, left: DeviceArray, right: DeviceArray, bits: int) -> None:
    """Write what a thread read ahead to the slabs, columns as rows."""
    me, side = cuda.threadIdx.x, 1 << (bits - 3)
    line, k = me >> (bits - 3), me & (side - 1)
    for turn in range(PART):
        left[Index(k * PITCH + line + turn * side)] = ahead[turn]
    k, line = me >> (bits - 2), QUAD * (me & (2 * side - 1))
    for turn in range(2):
        for q in range(QUAD):
            right[Index((k + turn * (side // 2)) * PITCH + line + q)] = ahead[PART + turn * QUAD + q]


_read_ahead_on_card, _store_slabs_on_card = cuda_function(_read_ahead), cuda_function(_store_slabs)


def _join_on_card(row: int, column: int, pivot: int, bits: int, matrix: Matrix) -> None:
    """Improve tile (row, column) by sums of tiles (row, pivot) and (pivot, column). All threads of the block."""
    left = cuda.shared.array(SLAB, matrix.entries.dtype)
    right = cuda.shared.array(SLAB, matrix.entries.dtype)
    best = cuda.local.array((PART, PART), matrix.entries.dtype)
    ahead = cuda.local.array(BOTH_SLABS, matrix.entries.dtype)
    entries, stride, me = matrix.entries, matrix.stride, cuda.threadIdx.x
    tile, side = 1 << bits, 1 << (bits - 3)
    across, down = me & (side - 1), me >> (bits - 3)
    first = row * tile * stride + column * tile
    for r in range(PART):
        for c in range(PART):
            index = _quad_index_on_card(side, down, r) * stride + _quad_index_on_card(side, across, c)
            best[r, c] = entries[Index(first + index)]
    to_pivot_at, from_pivot_at = row * tile * stride + pivot * tile, pivot * tile * stride + column * tile
    _read_ahead_on_card(ahead, to_pivot_at, from_pivot_at, bits, matrix)
    for begin in range(side, tile + side, side):
        cuda.syncthreads()
        _store_slabs_on_card(ahead, left, right, bits)
        cuda.syncthreads()
        if begin < tile:  # these numbers arrive while the sums below are computed
            _read_ahead_on_card(ahead, to_pivot_at + begin, from_pivot_at + begin * stride, bits, matrix)
        for k in range(side):
            for r in range(PART):
                to_pivot = left[Index(k * PITCH + _quad_index_on_card(side, down, r))]
                for c in range(PART):
                    from_pivot = right[Index(k * PITCH + _quad_index_on_card(side, across, c))]
                    best[r, c] = lesser_sum(best[r, c], to_pivot, from_pivot)
    for r in range(PART):
        for c in range(PART):
            index = _quad_index_on_card(side, down, r) * stride + _quad_index_on_card(side, across, c)
            entries[Index(first + index)] = best[r, c]


_join = cuda_function(_join_on_card)


def _pass_through_on_card(
    best: DeviceArray, column_line: DeviceArray, row_line: DeviceArray, across: int, down: int, group: int, one: int
) -> None:
    """Improve a tile by its node number ``one`` of the part at ``group``; two turns never use the same lines."""
    line = (one & 1) * WIDEST
    if down == group:
        for c in range(PART):
            row_line[Index(line + across * PART + c)] = best[one, c]
    if across == group:
        for r in range(PART):
            column_line[Index(line + down * PART + r)] = best[r, one]
    cuda.syncthreads()
    for r in range(PART):
        to_pivot = column_line[Index(line + down * PART + r)]
        for c in range(PART):
            best[r, c] = lesser_sum(best[r, c], to_pivot, row_line[Index(line + across * PART + c)])


_pass_through = cuda_function(_pass_through_on_card)


def _close_tile_on_card(pivot: int, tiles: Tiles, matrix: Matrix) -> None:
    column_line = cuda.shared.array(TWO_LINES, matrix.entries.dtype)
    row_line = cuda.shared.array(TWO_LINES, matrix.entries.dtype)
    best = cuda.local.array((PART, PART), matrix.entries.dtype)
    entries, stride, me = matrix.entries, matrix.stride, cuda.threadIdx.x
    tile, side = 1 << tiles.bits, 1 << (tiles.bits - 3)
    across, down = me & (side - 1), me >> (tiles.bits - 3)
    first = (pivot * tile + down * PART) * stride + pivot * tile + across * PART
    for r in range(PART):
        for c in range(PART):
            best[r, c] = entries[Index(first + r * stride + c)]
    for group in range(side):
        # Written out: a part stays in registers only while its indices are known to the compiler.
        _pass_through(best, column_line, row_line, across, down, group, 0)
        _pass_through(best, column_line, row_line, across, down, group, 1)
        _pass_through(best, column_line, row_line, across, down, group, 2)
        _pass_through(best, column_line, row_line, across, down, group, 3)
        _pass_through(best, column_line, row_line, across, down, group, 4)
        _pass_through(best, column_line, row_line, across, down, group, 5)
        _pass_through(best, column_line, row_line, across, down, group, 6)
        _pass_through(best, column_line, row_line, across, down, group, 7)
    for r in range(PART):
        for c in range(PART):
            entries[Index(first + r * stride + c)] = best[r, c]


def _pass_through_rows(column: int, pivot: int, bits: int, matrix: Matrix) -> None:
    """Improve tile (pivot, column) by paths within the pivot's tile and then within itself, node by node."""
    entries, stride = matrix.entries, matrix.stride
    tile = 1 << bits
    for k in range(pivot * tile, (pivot + 1) * tile):
        for i in range(pivot * tile, (pivot + 1) * tile):
            to_pivot = entries[Index(i * stride + k)]
            improve_neighbours(entries, i * stride + column * tile, tile, to_pivot, k * stride + column * tile)


_pass_through_inline = njit(_nrt=False, forceinline=True)(_pass_through_rows)


def _close_tile_on_core(_block: int, pivot: int, tiles: Tiles, matrix: Matrix) -> None:
    _pass_through_inline(pivot, pivot, tiles.bits, matrix)


close_tile: Final = TileKernel(_close_tile_on_card, _close_tile_on_core)
"""Find the distances within the pivot's tile by paths within it. One block."""


def _join_cross_on_card(pivot: int, tiles: Tiles, matrix: Matrix) -> None:
    other = cuda.blockIdx.x >> 1
    if other != pivot:
        row, column = (other, pivot) if cuda.blockIdx.x & 1 else (pivot, other)
        _join(row, column, pivot, tiles.bits, matrix)


def _join_rest_on_card(pivot: int, tiles: Tiles, matrix: Matrix) -> None:
    row = cuda.blockIdx.x // tiles.per_side
    column = cuda.blockIdx.x - row * tiles.per_side
    if pivot not in (row, column):
        _join(row, column, pivot, tiles.bits, matrix)


def _join_on_core(row: int, column: int, pivot: int, bits: int, matrix: Matrix) -> None:
    """Improve tile (row, column) by sums of tiles (row, pivot) and (pivot, column)."""
    entries, stride = matrix.entries, matrix.stride
    tile = 1 << bits
    for k in range(pivot * tile, (pivot + 1) * tile, PART):
        from_pivot = k * stride + column * tile
        for i in range(row * tile, (row + 1) * tile):
            index, via = i * stride + column * tile, i * stride + k
            to_0, to_1 = entries[Index(via)], entries[Index(via + 1)]
            to_2, to_3 = entries[Index(via + 2)], entries[Index(via + 3)]
            to_4, to_5 = entries[Index(via + 4)], entries[Index(via + 5)]
            to_6, to_7 = entries[Index(via + 6)], entries[Index(via + 7)]
            for j in range(tile):
                best = lesser_sum(entries[Index(index + j)], to_0, entries[Index(from_pivot + j)])
                best = lesser_sum(best, to_1, entries[Index(from_pivot + stride + j)])
                best = lesser_sum(best, to_2, entries[Index(from_pivot + 2 * stride + j)])
                best = lesser_sum(best, to_3, entries[Index(from_pivot + 3 * stride + j)])
                best = lesser_sum(best, to_4, entries[Index(from_pivot + 4 * stride + j)])
                best = lesser_sum(best, to_5, entries[Index(from_pivot + 5 * stride + j)])
                best = lesser_sum(best, to_6, entries[Index(from_pivot + 6 * stride + j)])
                entries[Index(index + j)] = lesser_sum(best, to_7, entries[Index(from_pivot + 7 * stride + j)])


_join_inline = njit(_nrt=False, forceinline=True)(_join_on_core)


def _join_cross_on_core(block: int, pivot: int, tiles: Tiles, matrix: Matrix) -> None:
    other = block >> 1
    if other == pivot:
        return
    if block & 1:
        _join_inline(other, pivot, pivot, tiles.bits, matrix)
    else:  # here the rows that are read and those that are written are the same
        _pass_through_inline(other, pivot, tiles.bits, matrix)


def _join_rest_on_core(block: int, pivot: int, tiles: Tiles, matrix: Matrix) -> None:
    row = block // tiles.per_side
    column = block - row * tiles.per_side
    if pivot not in (row, column):
        _join_inline(row, column, pivot, tiles.bits, matrix)


join_cross: Final = TileKernel(_join_cross_on_card, _join_cross_on_core)
"""Improve the tiles in the pivot's row and column, but not the pivot's own, by that. Two blocks a tile of a row."""

join_rest: Final = TileKernel(_join_rest_on_card, _join_rest_on_core)
"""Improve the other tiles by those in the pivot's row and column. A block a tile of the matrix."""

# ------------------------------------------------------------------------------------------------ what the replay shows

_WIDTHS = (32, 64, 128)

_CHOSEN = 64
"""The width that a card chooses itself on a small graph."""


def block_a_tile(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launch of a phase of the blocked search: a block for each tile that it may improve.

    Tiles are numbered row by row. The blocks of the pivot's own row and column have nothing to do in the last phase.
    """
    trace = recorded.trace
    nodes, phase = trace.frontier(step), trace.step(step).note.phase
    if trace.improved[step] or not len(nodes):
        return ()
    width = _tile_width(recorded, blocks)
    sides, pivot = -(-recorded.network.node_count // width), int(nodes[0]) // width
    every = np.arange(sides)
    if phase == "pivot tile":
        kernel, row, column, at_work = "close_tile", np.array([pivot]), np.array([pivot]), np.ones(1, bool)
    elif phase == "rest":
        kernel, row, column = "join_rest", np.repeat(every, sides), np.tile(every, sides)
        at_work = (row != pivot) & (column != pivot)
    else:
        other, down = np.repeat(every, 2), np.tile([False, True], sides)
        kernel, row, column = "join_cross", np.where(down, other, pivot), np.where(down, pivot, other)
        at_work = other != pivot
    of_tile = replace(blocks, block=(width // PART) ** 2)
    items, busy = np.repeat(row * sides + column, of_tile.block), np.repeat(at_work, of_tile.block)
    return (of_tile.launch(kernel, items, busy, TILE),)


def _tile_width(recorded: Recorded, blocks: Blocks) -> int:
    """Return the rows of a tile: as many as asked for or chosen, but no tile was narrower than what it closed."""
    trace, asked = recorded.trace, recorded.options.get("tile", AUTO)
    widest = int(trace.frontier_size[trace.improved == 0].max())
    fitting = [width for width in _WIDTHS if (width // PART) ** 2 <= blocks.facts.most_block]
    least = max(widest, _CHOSEN if asked == AUTO else int(asked))
    return next((width for width in fitting if width >= least), fitting[-1])


# ----------------------------------------------------------------------------------------------------------- the search


def _tile_bits(run: PairsRun) -> int:
    """Return the exponent of a tile's width: as asked, or chosen; the threads of a tile must fit a block."""
    asked = run.options["tile"]
    bits = 7 if asked == AUTO else int(asked).bit_length() - 1
    if asked == AUTO and (run.node_count >> bits) ** 2 < run.device.busy_blocks // BLOCKS_OF_ONE:
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
