"""The processor's ways to find a minimum, compiled with optimisation: a loop over all entries, and a binary heap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wayfront.synthetic.portable_random import Draws

LARGEST = 2**30


def distances_of(count: int) -> NDArray[np.int32]:
    """Return the random distances that all ways look at, int32 [count]."""
    return Draws(1).integers(1, LARGEST, count).astype(np.int32)


@njit(nogil=True)
def smallest_of(distances: NDArray[Any]) -> tuple[int, int]:
    """Return the smallest distance and the first place that has it."""
    best, place = distances[0], 0
    for i in range(1, len(distances)):
        if distances[i] < best:
            best, place = distances[i], i
    return best, place


@njit(nogil=True)
def loop(distances: NDArray[Any], times: int) -> int:
    """Find the smallest distance so many times, and return it.

    Each time an entry that is not the smallest one is changed, lest a compiler finds that once is enough.
    """
    best = 0
    for turn in range(times):
        best, place = smallest_of(distances)
        other = turn % len(distances)
        if other != place:
            distances[other] += 1 if turn % 2 == 0 else -1
            if distances[other] <= best:
                distances[other] = best + 1
    return best


@njit(nogil=True)
def make_heap(distances: NDArray[Any]) -> None:
    """Order distances into a binary heap, the smallest first."""
    for hole in range(len(distances) // 2 - 1, -1, -1):
        _sink(distances, hole, distances[hole])


@njit(nogil=True)
def replace_smallest(heap: NDArray[Any], entries: NDArray[Any]) -> int:
    """Take the smallest entry of a heap and put another in, for each of ``entries``; return the last one taken."""
    taken = 0
    for entry in entries:
        taken = heap[0]
        _sink(heap, 0, entry)
    return taken


@njit(nogil=True)
def _sink(heap: NDArray[Any], hole: int, entry: int) -> None:
    while 2 * hole + 1 < len(heap):
        child = 2 * hole + 1
        if child + 1 < len(heap) and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= entry:
            break
        heap[hole] = heap[child]
        hole = child
    heap[hole] = entry
