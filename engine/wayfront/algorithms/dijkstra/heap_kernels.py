"""The compiled loops of Dijkstra's search with a binary heap. They run on the processor only, on one thread."""

from __future__ import annotations

from typing import NamedTuple

from wayfront.algorithms.dijkstra.settling import note_improved
from wayfront.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.kernels.keyed_heap import NOT_IN_HEAP, PAIR, KeyedHeap, drop_least, lower_node, put_entry


class LazyHeap(NamedTuple):
    """A binary heap of tentative distances, in which a node has an entry for every time its distance fell.

    distance   [m + 1], typed like the distances
    node       int32 [m + 1]
    size       int64 [1]: entries in use
    """

    distance: DeviceArray
    node: DeviceArray
    size: DeviceArray


class DecreaseKeyHeap(NamedTuple):
    """A binary heap in which a node has one entry at most (see ``wayfront.kernels.keyed_heap``).

    assist    [2 n], typed like the distances: tentative distance of each node, and its place in the heap
    entries   [2 n], typed like the distances: distance and node at each place
    size      int64 [1]: entries in use
    """

    assist: DeviceArray
    entries: DeviceArray
    size: DeviceArray


@loop_without_allocation
def start_lazy_heap(heap: LazyHeap, distances: DeviceArray, source: int, infinity: int) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    distances[source] = 0
    heap.distance[0] = 0
    heap.node[0] = source
    heap.size[0] = 1


@loop_without_allocation
def settle_from_lazy_heap(
    arcs: Arcs,
    distances: DeviceArray,
    heap: LazyHeap,
    settled: DeviceArray,
    count: int,
    at_least: int,
    most_work: int,
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
                    note_improved(recording, target)
    heap.size[0] = entries
    return count, entries == 0 or count >= at_least


@loop_without_allocation
def start_decrease_key_heap(heap: DecreaseKeyHeap, distances: DeviceArray, source: int, infinity: int) -> None:
    """Empty the heap and enter the source at distance 0."""
    distances[:] = infinity
    heap.assist[::PAIR] = infinity
    heap.assist[1::PAIR] = NOT_IN_HEAP
    heap.assist[PAIR * source] = 0
    put_entry(KeyedHeap(heap.assist, heap.entries, 0, PAIR, 0, PAIR), 0, 0, source)
    heap.size[0] = 1


@loop_without_allocation
def settle_from_decrease_key_heap(
    arcs: Arcs,
    distances: DeviceArray,
    heap: DecreaseKeyHeap,
    settled: DeviceArray,
    count: int,
    at_least: int,
    most_work: int,
    recording: Recording,
) -> tuple[int, bool]:
    """Settle nodes as ``settle_from_lazy_heap`` does. A node's entry in ``distances`` is written when it is settled."""
    keyed = KeyedHeap(heap.assist, heap.entries, 0, PAIR, 0, PAIR)
    entries, work = heap.size[0], 0
    while entries > 0 and count < at_least and work < most_work:
        distance, node = keyed.entries[0], keyed.entries[1]
        entries = drop_least(keyed, entries)
        distances[node] = distance
        settled[count] = node
        count += 1
        begin, end = arcs.offsets[node], arcs.offsets[node + 1]
        work += 1 + end - begin
        for arc in range(begin, end):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < keyed.assist[PAIR * target]:
                entries = lower_node(keyed, entries, target, offer)
                if recording.on != 0:
                    note_improved(recording, target)
    heap.size[0] = entries
    return count, entries == 0 or count >= at_least


@part_without_allocation
def _sift_up(heap: LazyHeap, hole: int, distance: int, node: int) -> None:
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


@part_without_allocation
def _sift_down(heap: LazyHeap, entries: int) -> None:
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
