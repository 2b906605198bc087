"""The matrix of distances that the searches of Floyd and Warshall improve: made from arcs, delivered row by row.

It is a work array of the run and lies on the device. Internal node numbers are its rows and columns. ``infinity``
stands where no path is known; sums of two are compared without a sign (see ``kernels.min_plus``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from numba import njit

from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.min_plus import Index, lesser_sum
from wayfront.kernels.observing import fill
from wayfront.search.all_pairs.run import PairsRun
from wayfront.trace.schema import StepNote

AT_ONCE = 1 << 26
"""Entries of finished rows that are delivered together."""

STRETCH = 1024
"""Neighbouring entries that a loop on a core improves before it looks again whether what it reads and what it writes
overlap. The compiler tests that once for two loops one within the other: without the outer loop over stretches that
would be the loop over rows, of which one is the pivot's and does overlap, and then no vectors are used for any row."""


class Matrix(NamedTuple):
    """Distances between all pairs of nodes.

    entries   [rows · stride], typed like the distances: that from node i to node j at i · stride + j
    stride    entries from one row to the next
    """

    entries: DeviceArray
    stride: int


@njit(_nrt=False, forceinline=True)
def improve_neighbours(entries: DeviceArray, place: int, length: int, to_pivot: int, from_pivot: int) -> None:
    """Improve ``length`` entries from ``place`` on by sums of ``to_pivot`` and the entries from ``from_pivot`` on.

    For cores, which do this with vectors.
    """
    for begin in range(0, length, STRETCH):
        for j in range(begin, min(begin + STRETCH, length)):
            entries[Index(place + j)] = lesser_sum(entries[Index(place + j)], to_pivot, entries[Index(from_pivot + j)])


def enter_arcs(i: int, arcs: Arcs, matrix: Matrix) -> None:
    """Set the distance of node i to itself to 0, and to each of its neighbours to the least weight of an arc there."""
    row = i * matrix.stride
    for arc in range(arcs.offsets[i], arcs.offsets[i + 1]):
        place = row + arcs.targets[arc]
        matrix.entries[place] = min(matrix.entries[place], arcs.weights[arc])
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
