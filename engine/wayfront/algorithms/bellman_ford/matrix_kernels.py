"""Bodies of Bellman–Ford as a matrix–vector product over (min, +): a thread for each row, that is, for each head.

Row v holds the arcs that enter v. In CSR a row is a slice of two arrays. In ELL all rows are as long as the longest,
and are stored column by column, so that neighbouring threads read neighbouring elements; ``PADDING`` fills them up.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import InArcs

PADDING = -1


class Ell(NamedTuple):
    """The matrix in ELL: the element (row, column) has the index column · rows + row.

    tails     int32 [rows · width]: each arc's tail, or PADDING
    weights   int32 [rows · width]
    """

    rows: int
    width: int
    tails: DeviceArray
    weights: DeviceArray


class Product(NamedTuple):
    """The distances before and after a product, [n] each, and int32 [1], set to 1 where one of them fell."""

    before: DeviceArray
    after: DeviceArray
    changed: DeviceArray


def start_search(i: int, source: int, infinity: int, distances: DeviceArray) -> None:
    """Give the source distance 0 and all others infinity."""
    distances[i] = 0 if i == source else infinity


def fill_ell(i: int, matrix: InArcs, ell: Ell) -> None:
    """Write row i of the ELL form from the CSR form."""
    begin, length = matrix.offsets[i], matrix.offsets[i + 1] - matrix.offsets[i]
    for column in range(ell.width):
        index = column * ell.rows + i
        ell.tails[index] = PADDING
        ell.weights[index] = 0
        if column < length:
            ell.tails[index] = matrix.tails[begin + column]
            ell.weights[index] = matrix.weights[begin + column]


def multiply_csr(i: int, infinity: int, matrix: InArcs, product: Product) -> None:
    """Write the least of the row's own distance and of distance plus weight over its arcs."""
    best = product.before[i]
    for arc in range(matrix.offsets[i], matrix.offsets[i + 1]):
        distance = product.before[matrix.tails[arc]]
        if distance != infinity:
            best = min(best, distance + matrix.weights[arc])
    product.after[i] = best
    if best != product.before[i]:
        product.changed[0] = 1


def multiply_ell(i: int, infinity: int, ell: Ell, product: Product) -> None:
    """Do the same over the padded row."""
    best = product.before[i]
    for column in range(ell.width):
        tail = ell.tails[column * ell.rows + i]
        if tail != PADDING:
            distance = product.before[tail]
            if distance != infinity:
                best = min(best, distance + ell.weights[column * ell.rows + i])
    product.after[i] = best
    if best != product.before[i]:
        product.changed[0] = 1
