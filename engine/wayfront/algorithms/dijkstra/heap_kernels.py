"""The compiled loop of Dijkstra's search with a binary heap. It runs on the processor only, on one thread."""

from __future__ import annotations

from typing import NamedTuple

from wayfront.algorithms.dijkstra.settling import note_improved, without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording


class Heap(NamedTuple):
    """A binary heap of tentative distances.

    distance   [m + 1], typed like the distances
    node       int32 [m + 1]
    size       int64 [1]: entries in use
    """

    distance: DeviceArray
    node: DeviceArray
    size: DeviceArray


@without_allocation
def start_heap(heap: Heap, distances: DeviceArray, source: int, infinity: int) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    heap.distance[0] = 0
    heap.node[0] = source
    heap.size[0] = 1


@without_allocation
def settle_from_heap(
    arcs: Arcs,
    distances: DeviceArray,
    heap: Heap,
    settled: DeviceArray,
    count: int,
    at_least: int,
    most_work: int,
    step: int,
    recording: Recording,
) -> tuple[int, bool]:
    """Settle nodes until there are ``at_least``, ``count`` of them settled before this call, or none is left.

    The nodes are listed in ``settled``. Returns (nodes settled, whether that is done). If not, ``most_work`` nodes and
    arcs were looked at: call again with the count. Done with a count of 0 means that the search is over.
    """
    entries, work = heap.size[0], 0
    while entries > 0 and count < at_least and work < most_work:
        distance, node = heap.distance[0], heap.node[0]
        entries -= 1
        _sift_down(heap, entries)
        work += 1
        if distance != distances[node]:
            continue
        settled[count] = node
        count += 1
        begin, end = arcs.offsets[node], arcs.offsets[node + 1]
        work += end - begin
        for arc in range(begin, end):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < distances[target]:
                distances[target] = offer
                _sift_up(heap, entries, offer, target)
                entries += 1
                if recording.on != 0:
                    note_improved(recording, step, target)
    heap.size[0] = entries
    return count, entries == 0 or count >= at_least


@without_allocation
def _sift_up(heap: Heap, hole: int, distance: int, node: int) -> None:
    """Enter a node at the end of a heap of ``hole`` entries and let it rise."""
    while hole > 0:
        above = (hole - 1) >> 1
        if heap.distance[above] <= distance:
            break
        heap.distance[hole] = heap.distance[above]
        heap.node[hole] = heap.node[above]
        hole = above
    heap.distance[hole] = distance
    heap.node[hole] = node


@without_allocation
def _sift_down(heap: Heap, entries: int) -> None:
    """Fill the root with the entry behind the last one and let it sink."""
    distance, node = heap.distance[entries], heap.node[entries]
    hole = 0
    while True:
        child = 2 * hole + 1
        if child >= entries:
            break
        if child + 1 < entries and heap.distance[child + 1] < heap.distance[child]:
            child += 1
        if heap.distance[child] >= distance:
            break
        heap.distance[hole] = heap.distance[child]
        heap.node[hole] = heap.node[child]
        hole = child
    heap.distance[hole] = distance
    heap.node[hole] = node
