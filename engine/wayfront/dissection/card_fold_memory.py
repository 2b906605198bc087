"""Fold fronts that no block of a card can hold: they lie in the card's memory, a block each."""

from __future__ import annotations

from typing import Final

from wayfront.devices.atomics import atomic_max, atomic_min
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import CardKernel, DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS
from wayfront.dissection.card_fold import (
    BORDER,
    CHILD_BORDER,
    CHILD_U,
    CHILDREN,
    DEPTH,
    END_ARC,
    FIRST_ARC,
    L_AT,
    MAP_AT,
    NEXT_CHILD,
    NODES,
    R_AT,
    RECORD,
    U_AT,
    Chosen,
    Fronts,
    Matrices,
)
from wayfront.kernels.min_plus import Index, lesser_sum


def _assemble(cell: int, at: int, infinity: int, fronts: Fronts, matrices: Matrices, scratch: DeviceArray) -> None:
    """Put together a front in the card's memory."""
    records, me, width = fronts.records, cuda.threadIdx.x, cuda.blockDim.x
    record = cell * RECORD
    s = records[Index(record + NODES)]
    f = s + records[Index(record + BORDER)]
    z = me
    while z < f * f:
        scratch[Index(at + z)] = infinity
        z += width
    cuda.syncthreads()
    z = me
    while z < f:
        scratch[Index(at + z * f + z)] = 0
        z += width
    z = records[Index(record + FIRST_ARC)] + me
    while z < records[Index(record + END_ARC)]:
        atomic_min(scratch, at + fronts.arc_slots[Index(z)], matrices.weights[Index(fronts.arcs[Index(z)])])
        z += width
    x, y = me & (WARP - 1), me >> WARP_BITS
    for child in range(CHILDREN):
        cuda.syncthreads()
        b = records[Index(record + CHILD_BORDER + NEXT_CHILD * child)]
        u_at = records[Index(record + CHILD_U + NEXT_CHILD * child)]
        map_at = records[Index(record + MAP_AT)] + child * f
        i = y
        while b > 0 and i < f:
            place = fronts.from_child[Index(map_at + i)]
            j = x
            while place >= 0 and j < f:
                other = fronts.from_child[Index(map_at + j)]
                if other >= 0:
                    entry = matrices.u[Index(u_at + place * b + other)]
                    scratch[Index(at + i * f + j)] = min(scratch[Index(at + i * f + j)], entry)
                j += WARP
            i += width >> WARP_BITS
    cuda.syncthreads()


_assemble_on_card = cuda_function(_assemble)


def _fold_in_memory(
    chosen: Chosen, room: int, infinity: int, fronts: Fronts, matrices: Matrices, scratch: DeviceArray
) -> None:
    cell, at = chosen.cells[Index(chosen.first + cuda.blockIdx.x)], cuda.blockIdx.x * room
    records, me, rows = fronts.records, cuda.threadIdx.x, cuda.blockDim.x >> WARP_BITS
    x, y = me & (WARP - 1), me >> WARP_BITS
    record = cell * RECORD
    s, a = records[Index(record + NODES)], records[Index(record + BORDER)]
    f = s + a
    _assemble_on_card(cell, at, infinity, fronts, matrices, scratch)
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
    l_at, r_at, u_at = records[Index(record + L_AT)], records[Index(record + R_AT)], records[Index(record + U_AT)]
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
    depth = records[Index(record + DEPTH)]
    atomic_max(matrices.largest, 0, max(in_r, in_l, in_u))
    atomic_max(matrices.largest, 1 + 2 * depth, in_r)
    atomic_max(matrices.largest, 2 + 2 * depth, in_l)


fold_in_memory: Final = CardKernel(_fold_in_memory)
"""Fold fronts of any size, each by a block, in ``scratch``, which has ``room`` entries for each block."""
