"""Bodies that reduce rows of distances to a few figures each, look for overflow in them, and copy them out.

A row holds the distances from one source. Searches lay rows out as suits them, row after row or node after node, so
each body takes two strides, and spreads its threads such that neighbouring ones read neighbouring numbers.

The last body looks for overflow in the distances from one source (see ``wayfront.searching.distances``).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wayfront.devices.atomics import atomic_add, atomic_max, atomic_min, callable_in_bodies
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs

ECCENTRICITY, TOTAL, REACHED, FARTHEST, FIGURES = 0, 1, 2, 3, 4
"""The figures of a row, in the order in which ``figures`` holds an array of each."""


class Rows(NamedTuple):
    """The distances of ``number`` rows: that of row r to node v lies at ``r * source_stride + v * node_stride``."""

    distances: DeviceArray
    number: int
    source_stride: int
    node_stride: int


class Spread(NamedTuple):
    """How threads share rows.

    parts    threads that share one row
    by_row   1: neighbouring threads have neighbouring rows; 0: neighbouring nodes of one row
    blocks   1: a thread takes nodes that follow one another; 0: every ``parts``-th node
    """

    parts: int
    by_row: int
    blocks: int


def copy_sources(i: int, sources: DeviceArray, skipped: int, batch: DeviceArray) -> None:
    """Copy the sources of a batch."""
    batch[i] = sources[skipped + i]


def reset_figures(i: int, count: int, no_rank: int, figures: DeviceArray) -> None:
    """Reset the figures of all rows; ``no_rank`` is above every rank."""
    figures[i] = no_rank if i >= FARTHEST * count else 0


@callable_in_bodies
def _share(i: int, spread: Spread, number: int, node_count: int) -> tuple[int, int, int, int]:
    """Return the row that a thread has a share of, and the nodes of its share: the first, the end and the step."""
    row = i % number if spread.by_row != 0 else i // spread.parts
    part = i // number if spread.by_row != 0 else i % spread.parts
    if spread.blocks != 0:
        return row, node_count * part // spread.parts, node_count * (part + 1) // spread.parts, 1
    return row, part, node_count, spread.parts


def reduce_row(
    i: int,
    spread: Spread,
    rows: Rows,
    node_count: int,
    infinity: int,
    split: int,
    rank: DeviceArray,
    figures: DeviceArray,
) -> None:
    """Add one thread's share of a row to the row's eccentricity, sum and number of nodes reached.

    Where nodes are ``split`` those of a rank below 0 do not count.
    """
    row, node, end, step = _share(i, spread, rows.number, node_count)
    largest, total, reached = np.int64(0), np.int64(0), np.int64(0)
    begin = row * rows.source_stride
    while node < end:
        distance = rows.distances[begin + node * rows.node_stride]
        if distance != infinity and (split == 0 or rank[node] >= 0):
            largest = max(largest, np.int64(distance))
            total += distance
            reached += 1
        node += step
    if reached > 0:
        atomic_max(figures, ECCENTRICITY * rows.number + row, largest)
        atomic_add(figures, TOTAL * rows.number + row, total)
        atomic_add(figures, REACHED * rows.number + row, reached)


def find_farthest(i: int, spread: Spread, rows: Rows, node_count: int, rank: DeviceArray, figures: DeviceArray) -> None:
    """Offer the smallest rank among the nodes of one thread's share that lie at the row's eccentricity."""
    row, node, end, step = _share(i, spread, rows.number, node_count)
    begin, largest = row * rows.source_stride, figures[ECCENTRICITY * rows.number + row]
    best = np.int64(node_count)
    while node < end:
        if rows.distances[begin + node * rows.node_stride] == largest and rank[node] >= 0:
            best = min(best, np.int64(rank[node]))
        node += step
    if best < node_count:
        atomic_min(figures, FARTHEST * rows.number + row, best)


def find_unreached_heads(
    i: int, spread: Spread, rows: Rows, node_count: int, arcs: Arcs, infinity: int, found: DeviceArray
) -> None:
    """Set ``found[0]`` if an arc leads from a reached node to an unreached one, in one thread's share of a row."""
    row = i % rows.number if spread.by_row != 0 else i // spread.parts
    node = i // rows.number if spread.by_row != 0 else i % spread.parts
    begin = row * rows.source_stride
    while node < node_count:
        if rows.distances[begin + node * rows.node_stride] != infinity:
            for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
                if rows.distances[begin + arcs.targets[arc] * rows.node_stride] == infinity:
                    found[0] = 1
        node += spread.parts


def copy_rows(i: int, rows: Rows, skipped: int, node_count: int, infinity: int, copied: DeviceArray) -> None:
    """Copy the rows behind the first ``skipped`` ones, one after the other, with -1 where there is no path."""
    row, node = i // node_count, i % node_count
    distance = rows.distances[(skipped + row) * rows.source_stride + node * rows.node_stride]
    copied[i] = -1 if distance == infinity else distance


def find_above(i: int, limit: int, infinity: int, distances: DeviceArray, found: DeviceArray) -> None:
    """Set ``found[0]`` if node i is reached at a distance above a limit."""
    if limit < distances[i] < infinity:
        found[0] = 1
