"""The heap of searches to a target: a node enters again whenever its distance falls, by a key that may be larger.

Of equal keys the entry with the larger distance comes first: where many paths are equally long, as on a grid, the
search then goes on with the one that is nearest to its end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wayfront.compiling import part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.search.to_target.run import RouteRun
from wayfront.trace.step_state import StateRow


class Heap(NamedTuple):
    """A binary heap with an entry for every time that a node's distance fell.

    key        int64 [m + 1]: what orders the entries, distance and bound together
    distance   int64 [m + 1]
    node       int32 [m + 1]
    size       int64 [1]: entries in use
    """

    key: DeviceArray
    distance: DeviceArray
    node: DeviceArray
    size: DeviceArray


def make_heap(run: RouteRun, owner: str) -> Heap:
    """Return a heap with room for an entry for every arc; ``owner`` distinguishes those of several searches at once."""
    entries = run.network.arc_count + 1
    return Heap(
        key=run.array(f"{owner} heap key", entries, np.int64),
        distance=run.array(f"{owner} heap distance", entries, np.int64),
        node=run.array(f"{owner} heap node", entries, np.int32),
        size=run.array(f"{owner} heap size", 1, np.int64),
    )


def read_heap(heap: Heap, title: str) -> StateRow:
    """Return the heap, place by place: the least first, and below place p the places 2 p + 1 and 2 p + 2."""
    size = int(heap.size[0])
    return StateRow(title, heap.node[:size].tolist(), heap.key[:size].tolist())


@part_without_allocation
def put(heap: Heap, key: int, distance: int, node: int) -> None:
    """Enter a node at the end of the heap and let it rise."""
    hole = heap.size[0]
    heap.size[0] = hole + 1
    while hole > 0:
        above = (hole - 1) >> 1
        if not _before(key, distance, heap.key[above], heap.distance[above]):
            break
        heap.key[hole], heap.distance[hole], heap.node[hole] = heap.key[above], heap.distance[above], heap.node[above]
        hole = above
    heap.key[hole], heap.distance[hole], heap.node[hole] = key, distance, node


@part_without_allocation
def drop_least(heap: Heap) -> None:
    """Remove the least entry: the last one takes its place and sinks."""
    size = heap.size[0] - 1
    heap.size[0] = size
    key, distance, node = heap.key[size], heap.distance[size], heap.node[size]
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= size:
            break
        if child + 1 < size and _before(
            heap.key[child + 1], heap.distance[child + 1], heap.key[child], heap.distance[child]
        ):
            child += 1
        if not _before(heap.key[child], heap.distance[child], key, distance):
            break
        heap.key[hole], heap.distance[hole], heap.node[hole] = heap.key[child], heap.distance[child], heap.node[child]
        hole = child
    heap.key[hole], heap.distance[hole], heap.node[hole] = key, distance, node


@part_without_allocation
def _before(key: int, distance: int, other_key: int, other_distance: int) -> bool:
    return key < other_key or (key == other_key and distance > other_distance)
