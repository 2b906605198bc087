"""Customising on a card: the fronts of one level of cells in one launch, each closed over its separator.

A front (drawn in ``layout``) is small and dense: entry [i, j] is the distance from its node i to its node j. Its
threads stand in a grid and keep it in registers: thread (y, x) has the entries of rows y, y + pitch, … and columns x,
x + pitch, …. So a front of 64 rows uses all threads as well as one of 128, and neighbours read and write neighbouring
entries::

      4 × 8 threads of a warp, a front of 16 nodes, 4 × 2 entries each; those of thread (1, 2) are marked:

           x = 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7
      y = 0    . . . . . . . . . . . . . . . .
          1    . . # . . . . . . . # . . . . .
          2    . . . . . . . . . . . . . . . .
          3    . . . . . . . . . . . . . . . .
          0    . . . . . . . . . . . . . . . .
          1    . . # . . . . . . . # . . . . .      and so on, down to the 16th row

A node of the separator is eliminated in one turn: the threads that have its row and its column write them to shared
memory, all wait, and every thread lowers its entries by sums of the two (Floyd 1962, Warshall 1962; George 1973 for the
order). Two turns use different lines of shared memory, so one barrier a turn is enough.

Warps take fronts up to 32 × 32 for themselves, blocks those up to 128 × 128; what is larger lies in the card's memory.
A thread has as few entries as the front allows, in four forms for warps and three for blocks: most fronts are small,
and what is left over of a form costs as much as what is used.

Names in kernels: s and a are the nodes of separator and border, f = s + a; i and j a row and a column of the front, k a
pivot; x and y a thread in the grid, r and c its own rows and columns; z runs over a list, a thread an element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from numba import types

from wayfront.devices.atomics import atomic_max, atomic_min
from wayfront.devices.blocks import WARP, WARP_BITS, sync_warp
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.dissection.card.layout import CHILDREN, FRONT, FRONT_SIZE, NEXT_CHILD
from wayfront.kernels.arithmetic import Index, lesser_sum

SMALL = 32
"""Nodes of a front that a warp eliminates at most, as 4 × 8 threads."""

LIGHT = 16
"""Nodes of the fronts that have threads of so few entries that twice as many go side by side."""

MEDIUM, MIDDLING, LARGE = 4, 6, 8
"""Rows and columns of a thread of a block."""


class Fronts(NamedTuple):
    """The fronts of a dissection, by shape.

    records      int32 [c · FRONT_SIZE]
    arc_slots    int32; where each arc of each cell goes in the cell's front, row by row
    arcs         int32; which arc of the network that is
    from_child   int16; for each cell and child the index of every node of the front in the child's border, or −1
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
    """The cells of a launch: ``tiles`` from ``first`` on for blocks, and ``warps`` behind them for warps."""

    cells: DeviceArray
    first: int
    tiles: int
    warps: int


@cuda_function
def _wait_for_block() -> None:
    cuda.syncthreads()


@cuda_function
def _nodes_of_front(cell: int, fronts: Fronts) -> int:
    """Return how many nodes the front of a cell has."""
    return (
        fronts.records[Index(cell * FRONT_SIZE + FRONT.nodes)] + fronts.records[Index(cell * FRONT_SIZE + FRONT.border)]
    )


def _make_eliminate(rows: int, columns: int, row_bits: int, column_bits: int, barrier: Any) -> Any:  # noqa: PLR0915 - one form's functions
    """Return a function that eliminates a separator in the registers of 2^(row_bits + column_bits) threads.

    The front has at most ``rows · 2^row_bits`` and ``columns · 2^column_bits`` nodes, the same number.
    """
    row_pitch, column_pitch = 1 << row_bits, 1 << column_bits
    width = row_pitch * column_pitch
    reach = columns * column_pitch
    line_length = reach + rows * row_pitch

    @cuda_function
    def take_children(best: Any, at: int, y: int, x: int, fronts: Fronts, matrices: Matrices) -> None:
        """Lower the entries to what the children leave."""
        records, from_child, u = fronts.records, fronts.from_child, matrices.u
        f = records[Index(at + FRONT.nodes)] + records[Index(at + FRONT.border)]
        columns_of_child = cuda.local.array(columns, types.int32)
        for child in range(CHILDREN):
            b = records[Index(at + FRONT.child_border + NEXT_CHILD * child)]
            if b > 0:
                u_at = records[Index(at + FRONT.child_u + NEXT_CHILD * child)]
                map_at = records[Index(at + FRONT.map_at)] + child * f
                for c in range(columns):
                    j = x + c * column_pitch
                    columns_of_child[c] = from_child[Index(map_at + j)] if j < f else -1
                for r in range(rows):
                    i = y + r * row_pitch
                    if i < f:
                        row = from_child[Index(map_at + i)]
                        if row >= 0:
                            for c in range(columns):
                                if columns_of_child[c] >= 0:
                                    best[r, c] = min(best[r, c], u[Index(u_at + row * b + columns_of_child[c])])

    @cuda_function
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

    @cuda_function
    def put_back(
        best: Any, most: Any, at: int, y: int, x: int, infinity: int, fronts: Fronts, matrices: Matrices
    ) -> None:
        """Write R, L and U of the closed front, and note in ``most`` the largest finite entry of each."""
        records = fronts.records
        s, a = records[Index(at + FRONT.nodes)], records[Index(at + FRONT.border)]
        l_at, r_at = records[Index(at + FRONT.l_at)], records[Index(at + FRONT.r_at)]
        u_at = records[Index(at + FRONT.u_at)]
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

    @cuda_function
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

    @cuda_function
    def eliminate(cell: int, me: int, shared: Any, at: int, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
        """Eliminate the separator of one front; ``shared[at:]`` has room for it and four lines."""
        best = cuda.local.array((rows, columns), matrices.l.dtype)
        most = cuda.local.array(3, matrices.l.dtype)
        record = cell * FRONT_SIZE
        records = fronts.records
        s = records[Index(record + FRONT.nodes)]
        f = s + records[Index(record + FRONT.border)]
        x, y = me & (column_pitch - 1), me >> column_bits
        for r in range(rows):
            for c in range(columns):
                best[r, c] = infinity
        take_children(best, record, y, x, fronts, matrices)
        z = me
        while z < f * f:
            shared[Index(at + z)] = infinity
            z += width
        barrier()
        z = me
        while z < f:
            shared[Index(at + z * f + z)] = 0
            z += width
        z = records[Index(record + FRONT.first_arc)] + me
        while z < records[Index(record + FRONT.end_arc)]:
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
        pass_group(best, 0, s, y, x, shared, lines)
        pass_group(best, 1, s, y, x, shared, lines)
        if rows > 2:
            pass_group(best, 2, s, y, x, shared, lines)
            pass_group(best, 3, s, y, x, shared, lines)
        if rows > 4:
            pass_group(best, 4, s, y, x, shared, lines)
            pass_group(best, 5, s, y, x, shared, lines)
        if rows > 6:
            pass_group(best, 6, s, y, x, shared, lines)
            pass_group(best, 7, s, y, x, shared, lines)
        put_back(best, most, record, y, x, infinity, fronts, matrices)
        barrier()
        note_largest(most, me, records[Index(record + FRONT.depth)], shared, at, matrices)
        barrier()

    return eliminate


def _entries(side: int) -> int:
    """Return the shared memory that a front of ``side`` nodes at most needs, in entries."""
    return side * side + 4 * side


SMALL_ENTRIES, LIGHT_ENTRIES = _entries(SMALL), _entries(LIGHT)

_eliminate_8, _eliminate_16, _eliminate_24, _eliminate_32 = (
    _make_eliminate(2 * turns, turns, 2, 3, sync_warp) for turns in (1, 2, 3, 4)
)


def _make_by_warps(entries: int) -> Callable[..., None]:
    """Return a kernel that gives each warp a front, and so many entries of shared memory."""
    only_light = entries == LIGHT_ENTRIES

    def by_warps(chosen: Chosen, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
        shared = cuda.shared.array(0, matrices.l.dtype)
        warp, me = cuda.threadIdx.x >> WARP_BITS, cuda.threadIdx.x & (WARP - 1)
        turn = (cuda.blockIdx.x - chosen.tiles) * (cuda.blockDim.x >> WARP_BITS) + warp
        if turn < chosen.warps:
            cell, at = chosen.cells[Index(chosen.first + chosen.tiles + turn)], warp * entries
            nodes = _nodes_of_front(cell, fronts)
            if nodes <= 8:
                _eliminate_8(cell, me, shared, at, infinity, fronts, matrices)
            elif only_light or nodes <= 16:
                _eliminate_16(cell, me, shared, at, infinity, fronts, matrices)
            elif nodes <= 24:
                _eliminate_24(cell, me, shared, at, infinity, fronts, matrices)
            else:
                _eliminate_32(cell, me, shared, at, infinity, fronts, matrices)

    return by_warps


_by_warps = _make_by_warps(SMALL_ENTRIES)
_by_warps_of_block: Any = cuda_function(_by_warps)


def _make_by_blocks(bits: int) -> Callable[..., None]:
    """Return a kernel that gives each block of 4^bits threads a front, and further blocks several, by warps."""
    eliminate_medium = _make_eliminate(MEDIUM, MEDIUM, bits, bits, _wait_for_block)
    eliminate_middling = _make_eliminate(MIDDLING, MIDDLING, bits, bits, _wait_for_block)
    eliminate_large = _make_eliminate(LARGE, LARGE, bits, bits, _wait_for_block)

    def by_blocks(chosen: Chosen, infinity: int, fronts: Fronts, matrices: Matrices) -> None:
        shared = cuda.shared.array(0, matrices.l.dtype)
        if cuda.blockIdx.x < chosen.tiles:
            cell = chosen.cells[Index(chosen.first + cuda.blockIdx.x)]
            nodes = _nodes_of_front(cell, fronts)
            if nodes <= MEDIUM << bits:
                eliminate_medium(cell, cuda.threadIdx.x, shared, 0, infinity, fronts, matrices)
            elif nodes <= MIDDLING << bits:
                eliminate_middling(cell, cuda.threadIdx.x, shared, 0, infinity, fronts, matrices)
            else:
                eliminate_large(cell, cuda.threadIdx.x, shared, 0, infinity, fronts, matrices)
        else:
            _by_warps_of_block(chosen, infinity, fronts, matrices)

    return by_blocks


class Kernels(NamedTuple):
    """The kernels that keep fronts in registers.

    block      threads of a block
    small      nodes of a front that a warp takes
    tile       nodes of a front that a block takes at most
    warps      fronts that a block takes by warps
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

    @classmethod
    def of(cls, bits: int, small: int) -> Kernels:
        """Return the kernels whose blocks have 4^bits threads."""
        block = 4**bits
        kernels = (
            CardKernel(_make_by_blocks(bits), registers=128),
            CardKernel(_by_warps, registers=80),
            CardKernel(_make_by_warps(LIGHT_ENTRIES), registers=48),
        )
        return cls(block, small, LARGE << bits, max(1, block // WARP), *kernels)

    def shared_entries(self) -> tuple[int, int, int]:
        """Return how many entries of shared memory a block of each of the three kernels takes, in their order."""
        by_warps = self.warps * SMALL_ENTRIES
        return max(by_warps, _entries(self.tile)), by_warps, self.warps * LIGHT_ENTRIES


KERNELS = Kernels.of(4, SMALL)
FEW_THREADS = Kernels.of(2, 8)
"""For devices whose blocks are small: the simulator's, which shall come to all kernels with small networks."""


@cuda_function
def _assemble(cell: int, at: int, infinity: int, fronts: Fronts, matrices: Matrices, scratch: DeviceArray) -> None:
    """Put together a front in the card's memory."""
    records, me, width = fronts.records, cuda.threadIdx.x, cuda.blockDim.x
    record = cell * FRONT_SIZE
    s = records[Index(record + FRONT.nodes)]
    f = s + records[Index(record + FRONT.border)]
    z = me
    while z < f * f:
        scratch[Index(at + z)] = infinity
        z += width
    cuda.syncthreads()
    z = me
    while z < f:
        scratch[Index(at + z * f + z)] = 0
        z += width
    z = records[Index(record + FRONT.first_arc)] + me
    while z < records[Index(record + FRONT.end_arc)]:
        atomic_min(scratch, at + fronts.arc_slots[Index(z)], matrices.weights[Index(fronts.arcs[Index(z)])])
        z += width
    x, y = me & (WARP - 1), me >> WARP_BITS
    for child in range(CHILDREN):
        cuda.syncthreads()
        b = records[Index(record + FRONT.child_border + NEXT_CHILD * child)]
        u_at = records[Index(record + FRONT.child_u + NEXT_CHILD * child)]
        map_at = records[Index(record + FRONT.map_at)] + child * f
        i = y
        while b > 0 and i < f:
            row = fronts.from_child[Index(map_at + i)]
            j = x
            while row >= 0 and j < f:
                column = fronts.from_child[Index(map_at + j)]
                if column >= 0:
                    entry = matrices.u[Index(u_at + row * b + column)]
                    scratch[Index(at + i * f + j)] = min(scratch[Index(at + i * f + j)], entry)
                j += WARP
            i += width >> WARP_BITS
    cuda.syncthreads()


def _eliminate_in_memory(
    chosen: Chosen, room: int, infinity: int, fronts: Fronts, matrices: Matrices, scratch: DeviceArray
) -> None:
    cell, at = chosen.cells[Index(chosen.first + cuda.blockIdx.x)], cuda.blockIdx.x * room
    records, me, rows = fronts.records, cuda.threadIdx.x, cuda.blockDim.x >> WARP_BITS
    x, y = me & (WARP - 1), me >> WARP_BITS
    record = cell * FRONT_SIZE
    s, a = records[Index(record + FRONT.nodes)], records[Index(record + FRONT.border)]
    f = s + a
    _assemble(cell, at, infinity, fronts, matrices, scratch)
    for k in range(s):
        i = y
        while i < f:
            to_pivot = scratch[Index(at + i * f + k)]
            j = x
            while to_pivot < infinity and i != k and j < f:
                known = scratch[Index(at + i * f + j)]
                scratch[Index(at + i * f + j)] = lesser_sum(known, to_pivot, scratch[Index(at + k * f + j)])
                j += WARP
            i += rows
        cuda.syncthreads()
    l_at, r_at = records[Index(record + FRONT.l_at)], records[Index(record + FRONT.r_at)]
    u_at = records[Index(record + FRONT.u_at)]
    in_r, in_l, in_u = 0, 0, 0
    i = y
    while i < f:
        j = x
        while j < f:
            entry = scratch[Index(at + i * f + j)]
            finite = entry if entry < infinity else 0
            if i < s:
                matrices.r[Index(r_at + i * f + j)] = entry
                in_r = max(in_r, finite)
            elif j < s:
                matrices.l[Index(l_at + (i - s) * s + j)] = entry
                in_l = max(in_l, finite)
            else:
                matrices.u[Index(u_at + (i - s) * a + j - s)] = entry
                in_u = max(in_u, finite)
            j += WARP
        i += rows
    depth = records[Index(record + FRONT.depth)]
    atomic_max(matrices.largest, 0, max(in_r, in_l, in_u))
    atomic_max(matrices.largest, 1 + 2 * depth, in_r)
    atomic_max(matrices.largest, 2 + 2 * depth, in_l)


eliminate_in_memory: Final = CardKernel(_eliminate_in_memory)
"""Eliminate in fronts of any size, each by a block, in ``scratch``, which has ``room`` entries for each block."""
