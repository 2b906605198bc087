"""The kernel of Floyd–Warshall as Okuyama, Ino and Hagihara run it: a block improves a row of the matrix."""

from __future__ import annotations

from typing import Final

from wayfront.algorithms.all_pairs.distance_matrix import Matrix, improve_neighbours
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import DeviceArray, TileKernel
from wayfront.kernels.min_plus import Index, lesser_sum

MOST_ROWS = 32
"""Rows of a block at most: no more than a block has threads."""

SEGMENT = 2048
"""Entries of the pivot's row that are in shared memory at a time."""


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
