"""The climb of a search on a card, from a source's cell to the root: d[S ∪ A] = min(d, d[S] ⊗ R), in shared memory."""

from __future__ import annotations

from typing import Final

from wayfront.devices.atomics import atomic_min
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import DeviceArray
from wayfront.devices.warps import WARP, WARP_BITS, sync_first
from wayfront.dissection.card_records import (
    BORDER,
    BORDER_AT,
    BORDER_BEFORE,
    FRONT_BITS,
    NODES,
    PATH_RECORD,
    POSITION,
    R_AT,
    R_BEFORE,
    SLOT,
    Block,
    Path,
)
from wayfront.dissection.card_steps import At, Int, by_rows, copy_part, find_share


def _climb_cell(
    me: int,
    width: int,
    on_path: int,
    block: Block,
    r: DeviceArray,
    r_at: int,
) -> None:
    """Lower the distances of a cell's separator and border by paths that leave the separator."""
    room, ints, d = block.room, block.ints, block.d
    s, bits = ints[At(on_path + NODES)], ints[At(on_path + FRONT_BITS)]
    f = Int(s + ints[At(on_path + BORDER)])
    first = Int(room.path_at + ints[At(on_path + SLOT)])
    borders = Int(room.borders_at + ints[At(on_path + BORDER_BEFORE)])
    j, part, parts = find_share(me, bits, width)
    while j < f:
        to = Int(first + j)
        if j >= s:
            to = Int(room.path_at + ints[At(borders + j - s)])
        known = d[At(to)]
        best = by_rows(known, part, parts, s, d, first, r, Int(r_at + j), f)
        if best < known:
            atomic_min(d, to, best)
        j = Int(j + min(1 << bits, width))


_climb = cuda_function(_climb_cell)


def _climb_path(
    me: int,
    team: int,
    position: int,
    path: Path,
    block: Block,
    r: DeviceArray,
) -> None:
    """Climb from the source's cell to the root, as one of the block's first threads."""
    room, ints, d = block.room, block.ints, block.d
    if me == 0:
        leaf = path.deepest * PATH_RECORD
        slot = ints[At(leaf + SLOT)] + position - ints[At(leaf + POSITION)]
        d[At(room.path_at + slot)] = 0
    sync_first(team)
    turn = Int(path.deepest)
    while turn >= 0:
        on_path = Int(turn * PATH_RECORD)
        before, s = ints[At(on_path + R_BEFORE)], ints[At(on_path + NODES)]
        if before + s * (s + ints[At(on_path + BORDER)]) <= path.r_size:
            _climb(me, team, on_path, block, d, Int(path.r_at + before))
        else:
            _climb(me, team, on_path, block, r, ints[At(on_path + R_AT)])
        sync_first(team)
        turn = Int(turn - 1)


def _copy_path(path: Path, slots: DeviceArray, block: Block, r: DeviceArray) -> None:
    """Start to copy the borders and the matrices R of the cells on the path, a warp each."""
    room, ints, d = block.room, block.ints, block.d
    lane, warps = Int(cuda.threadIdx.x & (WARP - 1)), cuda.blockDim.x >> WARP_BITS
    q = cuda.threadIdx.x >> WARP_BITS
    while q <= path.deepest:
        on_path = q * PATH_RECORD
        before, s = ints[At(on_path + R_BEFORE)], ints[At(on_path + NODES)]
        border = ints[At(on_path + BORDER)]
        to = Int(room.borders_at + ints[At(on_path + BORDER_BEFORE)])
        copy_part(lane, WARP, ints, to, slots, ints[At(on_path + BORDER_AT)], border)
        size = Int(s * (s + border))
        if before + size <= path.r_size:
            copy_part(lane, WARP, d, Int(path.r_at + before), r, ints[At(on_path + R_AT)], size)
        q += warps


climb_path: Final = cuda_function(_climb_path)
copy_path: Final = cuda_function(_copy_path)
