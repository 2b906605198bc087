"""Customising on a card: the fronts of one level of cells in one launch, each closed over its separator.

A front is small and dense: entry [i, j] is the distance from its node i to its node j. Its threads stand in a grid and
keep it in registers: thread (y, x) has the entries of rows y, y + pitch, … and columns x, x + pitch, …. So a front of
64 rows uses all threads as well as one of 128, and neighbours read and write neighbouring entries. A node of the
separator is eliminated in one turn: the threads that have its row and its column write them to shared memory, all wait,
and every thread lowers its entries by sums of the two (Floyd 1962, Warshall 1962; George 1973 for the order). Two turns
use different lines of shared memory, so one barrier a turn is enough.

Warps take fronts up to 32 × 32 for themselves, blocks those up to 128 × 128; what is larger lies in the card's memory.
A thread has as few entries as the front allows, in four forms for warps and three for blocks: most fronts are small,
and what is left over of a form costs as much as what is used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from numba import types

from wayfront.devices.atomics import atomic_max, atomic_min
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS, sync_warp
from wayfront.kernels.min_plus import Index, lesser_sum

RECORD = 16
"""Numbers in the record of a cell: one line of 64 bytes."""

NODES, BORDER, FIRST_ARC, END_ARC, L_AT, R_AT, U_AT, DEPTH, MAP_AT, CHILD_BORDER, CHILD_U = range(11)
"""Their places in it: how many nodes separator and border have; its arcs; where L, R and U of the cell begin; its
depth; where the places of its front in the children's borders begin; for each child the length of its border, its U."""

NEXT_CHILD = 2
CHILDREN = 2


class Fronts(NamedTuple):
    """The fronts of a dissection, by shape.

    records      int32 [c · RECORD]
    arc_slots    int32; where each arc of each cell goes in the cell's front, row by row
    arcs         int32; which arc of the network that is
    from_child   int16; for each cell and child the place of every node of the front in the child's border, or −1
    """

    records: DeviceArray
    arc_slots: DeviceArray
    arcs: DeviceArray
    from_child: DeviceArray


class Matrices(NamedTuple):
    """What customising makes of the weights, all in the type of the distances.

    weights   [m], infinity for closed arcs
    l         from each cell's border to its separator: [border, separator], cell after cell
    r         from each cell's separator to itself and the border: [separator, separator + border]
    u         what each cell leaves to its parent: [border, border]
    largest   [1 + 2 · depths]: the largest finite entry of all fronts, then of R and of L at each depth
    """

    weights: DeviceArray
    l: DeviceArray  # noqa: E741 - the literature's names
    r: DeviceArray
    u: DeviceArray
    largest: DeviceArray


class Chosen(NamedTuple):
    """The cells that a launch folds: ``tiles`` from ``first`` on by blocks, and ``warps`` behind them by warps."""

    cells: DeviceArray
    first: int
    tiles: int
    warps: int


SMALL = 32
"""Nodes of a front that a warp folds at most, as 4 × 8 threads."""

LIGHT = 16
"""Nodes of the fronts that are folded by threads of so few entries that twice as many go side by side."""

MEDIUM, MIDDLING, LARGE = 4, 6, 8
"""Rows and columns of a thread of a block."""


def _wait_for_block() -> None:
    cuda.syncthreads()


_block_barrier = cuda_function(_wait_for_block)


def _make_pass(rows: int, columns: int, row_bits: int, column_bits: int, barrier: Any) -> Any:
    """Return the function that improves a front by paths through the nodes in one row of the threads' rows."""
    row_pitch, column_pitch = 1 << row_bits, 1 << column_bits
    reach = columns * column_pitch
    line_length = reach + rows * row_pitch

    def pass_group(best: Any, group: int, s: int, y: int, x: int, shared: Any, lines: int) -> None:
        """Improve the front by paths through the nodes in row ``group`` of the threads' rows."""
        one = 0
        while one < row_pitch:
            k = group * row_pitch + one
            if k >= s:
                break
            line = lines + (k & 1) * line_length
            if y == one:
                for c in range(columns):
                    shared[Index(line + x + c * column_pitch)] = best[group, c]
            if x == k & (column_pitch - 1):
                for r in range(rows):
                    shared[Index(line + reach + y + r * row_pitch)] = best[r, (group * row_pitch) // column_pitch]
            barrier()
            for r in range(rows):
                to_pivot = shared[Index(line + reach + y + r * row_pitch)]
                for c in range(columns):
                    from_pivot = shared[Index(line + x + c * column_pitch)]
                    best[r, c] = lesser_sum(best[r, c], to_pivot, from_pivot)
            one += 1

    return cuda_function(pass_group)


def _make_take_children(rows: int, columns: int, row_bits: int, column_bits: int) -> Any:
    """Return the function that lowers entries to what the children leave."""
    row_pitch, column_pitch = 1 << row_bits, 1 << column_bits

    def take_children(best: Any, at: int, y: int, x: int, fronts: Fronts, matrices: Matrices) -> None:
        """Lower the entries to what the children leave."""
        records, from_child, u = fronts.records, fronts.from_child, matrices.u
        f = records[Index(at + NODES)] + records[Index(at + BORDER)]
        places = cuda.local.array(columns, types.int32)
        for child in range(CHILDREN):
            b = records[Index(at + CHILD_BORDER + NEXT_CHILD * child)]
            if b > 0:
                u_at = records[Index(at + CHILD_U + NEXT_CHILD * child)]
                map_at = records[Index(at + MAP_AT)] + child * f
                for c in range(columns):
                    j = x + c * column_pitch
                    places[c] = from_child[Index(map_at + j)] if j < f else -1
                for r in range(rows):
                    i = y + r * row_pitch
                    if i < f:
                        place = from_child[Index(map_at + i)]
                        if place >= 0:
                            for c in range(columns):
                                if places[c] >= 0:
                                    best[r, c] = min(best[r, c], u[Index(u_at + place * b + places[c])])

    return cuda_function(take_children)


def _make_put_back(rows: int, columns: int, row_bits: int, column_bits: int) -> Any:
    """Return the function that writes R, L and U of a closed front."""
    row_pitch, column_pitch = 1 << row_bits, 1 << column_bits

    def put_back(
        best: Any, most: Any, at: int, y: int, x: int, infinity: int, fronts: Fronts, matrices: Matrices
    ) -> None:
        """Write R, L and U of the closed front, and note in ``most`` the largest finite entry of each."""
        records = fronts.records
        s, a = records[Index(at + NODES)], records[Index(at + BORDER)]
        l_at, r_at, u_at = records[Index(at + L_AT)], records[Index(at + R_AT)], records[Index(at + U_AT)]
        f = s + a
        in_r, in_l, in_u = 0, 0, 0
        for r in range(rows):
            i = y + r * row_pitch
            for c in range(columns):
                j = x + c * column_pitch
                entry = best[r, c]
                finite = entry if entry < infinity else 0
                if i < s:
                    if j < f:
                        matrices.r[Index(r_at + i * f + j)] = entry
                        in_r = max(in_r, finite)
                elif i < f:
                    if j < s:
                        matrices.l[Index(l_at + (i - s) * s + j)] = entry
                        in_l = max(in_l, finite)
                    elif j < f:
                        matrices.u[Index(u_at + (i - s) * a + j - s)] = entry
                        in_u = max(in_u, finite)
        most[0], most[1], most[2] = in_r, in_l, in_u

    return cuda_function(put_back)


def _make_note_largest(barrier: Any) -> Any:
    """Return the function that notes the largest entries."""

    def note_largest(most: Any, me: int, depth: int, shared: Any, at: int, matrices: Matrices) -> None:
        """Raise the largest entries: one number for all of a front's threads, and only where it is larger."""
        largest = matrices.largest
        if me < 3:
            shared[Index(at + me)] = 0
        barrier()
        for kind in range(3):
            if most[kind] > shared[Index(at + kind)]:
                atomic_max(shared, at + kind, most[kind])
        barrier()
        if me < 3:
            mine = shared[Index(at + me)]
            if mine > largest[0]:
                atomic_max(largest, 0, mine)
            if me < 2 and mine > largest[Index(1 + 2 * depth + me)]:
                atomic_max(largest, 1 + 2 * depth + me, mine)

    return cuda_function(note_largest)


def _nodes_of_front(cell: int, fronts: Fronts) -> int:
    """Return how many nodes the front of a cell has."""
    return fronts.records[Index(cell * RECORD + NODES)] + fronts.records[Index(cell * RECORD + BORDER)]


_front_nodes = cuda_function(_nodes_of_front)


def _make_fold(rows: int, columns: int, row_bits: int, column_bits: int, barrier: Any) -> Any:
    """Return a function that folds a front in the registers of 2^(row_bits + column_bits) threads.

    The front has at most ``rows · 2^row_bits`` and ``columns · 2^column_bits`` nodes, the same number.
    """
    tile = rows, columns, row_bits, column_bits
    _pass, _note_largest = _make_pass(*tile, barrier), _make_note_largest(barrier)
    _take_children, _put_back = _make_take_children(*tile), _make_put_back(*tile)
    row_pitch, column_pitch = 1 << row_bits, 1 << column_bits
    width = row_pitch * column_pitch

    def fold(cell: int, me: int, shared: Any, at: int, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
        """Fold one front; ``shared[at:]`` has room for it and four lines."""
        best = cuda.local.array((rows, columns), matrices.l.dtype)
        most = cuda.local.array(3, matrices.l.dtype)
        record = cell * RECORD
        records = fronts.records
        s = records[Index(record + NODES)]
        f = s + records[Index(record + BORDER)]
        x, y = me & (column_pitch - 1), me >> column_bits
        for r in range(rows):
            for c in range(columns):
                best[r, c] = infinity
        _take_children(best, record, y, x, fronts, matrices)
        z = me
        while z < f * f:
            shared[Index(at + z)] = infinity
            z += width
        barrier()
        z = me
        while z < f:
            shared[Index(at + z * f + z)] = 0
            z += width
        z = records[Index(record + FIRST_ARC)] + me
        while z < records[Index(record + END_ARC)]:
            atomic_min(shared, at + fronts.arc_slots[Index(z)], matrices.weights[Index(fronts.arcs[Index(z)])])
            z += width
        barrier()
        for r in range(rows):
            for c in range(columns):
                i, j = y + r * row_pitch, x + c * column_pitch
                if i < f and j < f:
                    best[r, c] = min(best[r, c], shared[Index(at + i * f + j)])
        lines = at + f * f
        # Written out: entries stay in registers only while their indices are known to the compiler.
        _pass(best, 0, s, y, x, shared, lines)
        _pass(best, 1, s, y, x, shared, lines)
        if rows > 2:
            _pass(best, 2, s, y, x, shared, lines)
            _pass(best, 3, s, y, x, shared, lines)
        if rows > 4:
            _pass(best, 4, s, y, x, shared, lines)
            _pass(best, 5, s, y, x, shared, lines)
        if rows > 6:
            _pass(best, 6, s, y, x, shared, lines)
            _pass(best, 7, s, y, x, shared, lines)
        _put_back(best, most, record, y, x, infinity, fronts, matrices)
        barrier()
        _note_largest(most, me, records[Index(record + DEPTH)], shared, at, matrices)
        barrier()

    return cuda_function(fold)


def _entries(side: int) -> int:
    """Return the shared memory that a front of ``side`` nodes at most needs, in entries."""
    return side * side + 4 * side


SMALL_ENTRIES, LIGHT_ENTRIES = _entries(SMALL), _entries(LIGHT)

_fold_8, _fold_16, _fold_24, _fold_32 = (_make_fold(2 * turns, turns, 2, 3, sync_warp) for turns in (1, 2, 3, 4))


def _make_by_warps(entries: int) -> Any:
    """Return the function that folds fronts by warps, which have so many entries of shared memory each."""
    only_light = entries == LIGHT_ENTRIES

    def by_warps(chosen: Chosen, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
        """Fold the front of this thread's warp, if there is one."""
        shared = cuda.shared.array(0, matrices.l.dtype)
        warp, me = cuda.threadIdx.x >> WARP_BITS, cuda.threadIdx.x & (WARP - 1)
        turn = (cuda.blockIdx.x - chosen.tiles) * (cuda.blockDim.x >> WARP_BITS) + warp
        if turn < chosen.warps:
            cell, at = chosen.cells[Index(chosen.first + chosen.tiles + turn)], warp * entries
            nodes = _front_nodes(cell, fronts)
            if nodes <= 8:
                _fold_8(cell, me, shared, at, infinity, fronts, matrices)
            elif only_light or nodes <= 16:
                _fold_16(cell, me, shared, at, infinity, fronts, matrices)
            elif nodes <= 24:
                _fold_24(cell, me, shared, at, infinity, fronts, matrices)
            else:
                _fold_32(cell, me, shared, at, infinity, fronts, matrices)

    return cuda_function(by_warps)


_by_warps, _light_by_warps = _make_by_warps(SMALL_ENTRIES), _make_by_warps(LIGHT_ENTRIES)


def _fold_by_warps(chosen: Chosen, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
    _by_warps(chosen, infinity, fronts, matrices)


def _fold_light(chosen: Chosen, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
    _light_by_warps(chosen, infinity, fronts, matrices)


def _make_by_blocks(bits: int) -> Callable[..., None]:
    """Return a kernel that folds fronts by blocks of 4^bits threads, and further ones by warps."""
    fold_medium = _make_fold(MEDIUM, MEDIUM, bits, bits, _block_barrier)
    fold_middling = _make_fold(MIDDLING, MIDDLING, bits, bits, _block_barrier)
    fold_large = _make_fold(LARGE, LARGE, bits, bits, _block_barrier)

    def fold_by_blocks(chosen: Chosen, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
        shared = cuda.shared.array(0, matrices.l.dtype)
        if cuda.blockIdx.x < chosen.tiles:
            cell = chosen.cells[Index(chosen.first + cuda.blockIdx.x)]
            nodes = _front_nodes(cell, fronts)
            if nodes <= MEDIUM << bits:
                fold_medium(cell, cuda.threadIdx.x, shared, 0, infinity, fronts, matrices)
            elif nodes <= MIDDLING << bits:
                fold_middling(cell, cuda.threadIdx.x, shared, 0, infinity, fronts, matrices)
            else:
                fold_large(cell, cuda.threadIdx.x, shared, 0, infinity, fronts, matrices)
        else:
            _by_warps(chosen, infinity, fronts, matrices)

    return fold_by_blocks


class FoldKernels(NamedTuple):
    """The kernels that fold fronts in registers.

    block      threads of a block
    small      nodes of a front that a warp folds
    tile       nodes of a front that a block folds at most
    warps      fronts that a block folds by warps
    by_blocks  takes both kinds
    by_warps   takes those for warps alone
    light      takes those of at most ``LIGHT`` nodes alone
    """

    block: int
    small: int
    tile: int
    warps: int
    by_blocks: CardKernel[...]
    by_warps: CardKernel[...]
    light: CardKernel[...]


def _kernels(bits: int, small: int) -> FoldKernels:
    block = 4**bits
    kernels = (
        CardKernel(_make_by_blocks(bits), registers=128),
        CardKernel(_fold_by_warps, registers=80),
        CardKernel(_fold_light, registers=48),
    )
    return FoldKernels(block, small, LARGE << bits, max(1, block // WARP), *kernels)


KERNELS = _kernels(4, SMALL)
FEW_THREADS = _kernels(2, 8)
"""For devices whose blocks are small: the simulator's, which shall come to all kernels with small networks."""


def shared_entries(kernels: FoldKernels) -> tuple[int, int, int]:
    """Return how many entries of shared memory a block of each of the three kernels takes, in their order."""
    by_warps = kernels.warps * SMALL_ENTRIES
    return max(by_warps, _entries(kernels.tile)), by_warps, kernels.warps * LIGHT_ENTRIES
