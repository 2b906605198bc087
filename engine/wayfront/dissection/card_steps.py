"""Steps of a search in a block's shared memory: copying there, and the least of some sums, four at a time."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from wayfront.devices.copies import COPIED_BYTES, copy_ahead
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import DeviceArray
from wayfront.kernels.min_plus import lesser_sum

TEAM_BITS = 8
TEAM = 1 << TEAM_BITS
"""Threads that work on cells with few nodes, while the others wait."""

At = np.uint32
"""The type of an index into shared memory: what leads to it is computed in 32 bits."""

Int: Final = types.int32


def _copy_part(me: int, width: int, target: DeviceArray, at: int, source: DeviceArray, begin: int, size: int) -> None:
    """Start to copy entries to shared memory, as one of ``width`` threads; both places are aligned."""
    step = COPIED_BYTES // target.itemsize
    z = Int(me * step)
    while z < size:
        copy_ahead(target, Int(at + z), source, Int(begin + z))
        z = Int(z + width * step)


copy_part: Final = cuda_function(_copy_part)


def _least_by_rows(
    known: Any, i: int, parts: int, s: int, d: DeviceArray, from_at: int, entries: DeviceArray, at: int, pitch: int
) -> Any:
    """Return the least of what is known and d[from_at + i] + entries[at + i · pitch] for every ``parts``-th i below s.

    Four at a time, so that four entries are on their way at once; behind the last i it is taken again.
    """
    best, last = known, s - 1
    while i < s:
        i1, i2, i3 = Int(min(i + parts, last)), Int(min(i + 2 * parts, last)), Int(min(i + 3 * parts, last))
        d0, d1, d2, d3 = d[At(from_at + i)], d[At(from_at + i1)], d[At(from_at + i2)], d[At(from_at + i3)]
        e0, e1 = entries[At(at + i * pitch)], entries[At(at + i1 * pitch)]
        e2, e3 = entries[At(at + i2 * pitch)], entries[At(at + i3 * pitch)]
        best = lesser_sum(lesser_sum(lesser_sum(lesser_sum(best, d0, e0), d1, e1), d2, e2), d3, e3)
        i = Int(i + 4 * parts)
    return best


def _least_over_border(
    known: Any,
    i: int,
    parts: int,
    a: int,
    ints: DeviceArray,
    border: int,
    d: DeviceArray,
    d_at: int,
    entries: DeviceArray,
    at: int,
    pitch: int,
) -> Any:
    """Return the same for d[d_at + border[i]], where the border's numbers are in ``ints``."""
    best, last = known, a - 1
    while i < a:
        i1, i2, i3 = Int(min(i + parts, last)), Int(min(i + 2 * parts, last)), Int(min(i + 3 * parts, last))
        b0, b1, b2, b3 = ints[At(border + i)], ints[At(border + i1)], ints[At(border + i2)], ints[At(border + i3)]
        e0, e1 = entries[At(at + i * pitch)], entries[At(at + i1 * pitch)]
        e2, e3 = entries[At(at + i2 * pitch)], entries[At(at + i3 * pitch)]
        d0, d1, d2, d3 = d[At(d_at + b0)], d[At(d_at + b1)], d[At(d_at + b2)], d[At(d_at + b3)]
        best = lesser_sum(lesser_sum(lesser_sum(lesser_sum(best, d0, e0), d1, e1), d2, e2), d3, e3)
        i = Int(i + 4 * parts)
    return best


def _find_share(me: int, bits: int, width: int) -> tuple[int, int, int]:
    """Return with which of 2^bits nodes at most one of ``width`` threads begins, its part of that, and their number."""
    if width >> bits == 0:
        return Int(me), Int(0), Int(1)
    return Int(me & ((1 << bits) - 1)), Int(me >> bits), Int(width >> bits)


find_share: Final = cuda_function(_find_share)
by_rows: Final = cuda_function(_least_by_rows)
over_border: Final = cuda_function(_least_over_border)


def _fill_up(d: DeviceArray, at: int, size: int, infinity: int) -> None:
    """Set entries to infinity."""
    z = cuda.threadIdx.x
    while z < size:
        d[At(at + z)] = infinity
        z += cuda.blockDim.x


fill_up: Final = cuda_function(_fill_up)
