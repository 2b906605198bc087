"""Bodies of Bellman–Ford as a matrix–vector product over (min, +): a thread for each row, that is, for each head.

Row v holds the arcs that enter v. In CSR a row is a stretch of two arrays. In ELL all rows are as long as the longest,
and stand column by column, so that neighbouring threads read neighbouring places; ``PADDING`` fills them up.
"""

from __future__ import annotations

from typing import Any

PADDING = -1


def start_search(i: int, source: int, infinity: int, distances: Any) -> None:
    """Give the source distance 0 and all others infinity."""
    distances[i] = 0 if i == source else infinity


def fill_ell(
    i: int, rows: int, width: int, offsets: Any, tails: Any, weights: Any, ell_tails: Any, ell_weights: Any
) -> None:
    """Write row i of the ELL form from the CSR form."""
    begin, length = offsets[i], offsets[i + 1] - offsets[i]
    for column in range(width):
        place = column * rows + i
        ell_tails[place] = PADDING
        ell_weights[place] = 0
        if column < length:
            ell_tails[place] = tails[begin + column]
            ell_weights[place] = weights[begin + column]


def multiply_csr(
    i: int, infinity: int, offsets: Any, tails: Any, weights: Any, before: Any, after: Any, changed: Any
) -> None:
    """Write the least of the row's own distance and of distance plus weight over its arcs."""
    best = before[i]
    for arc in range(offsets[i], offsets[i + 1]):
        distance = before[tails[arc]]
        if distance != infinity:
            best = min(best, distance + weights[arc])
    after[i] = best
    if best != before[i]:
        changed[0] = 1


def multiply_ell(
    i: int, rows: int, width: int, infinity: int, tails: Any, weights: Any, before: Any, after: Any, changed: Any
) -> None:
    """Do the same over the padded row."""
    best = before[i]
    for column in range(width):
        tail = tails[column * rows + i]
        if tail != PADDING:
            distance = before[tail]
            if distance != infinity:
                best = min(best, distance + weights[column * rows + i])
    after[i] = best
    if best != before[i]:
        changed[0] = 1
