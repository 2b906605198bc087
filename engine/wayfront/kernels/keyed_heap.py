"""A binary min-heap with decrease-key: every node has at most one entry, which rises when its distance falls.

An auxiliary array keeps of each node its tentative distance and its index in the heap, so that the entry is found at
once; Liu and Wang call it ``assist_array``. The lazy heap, which enters a node anew, needs no such array, but an entry
for every arc. Distance and index lie side by side, and so do distance and node of an entry: on a card both then come
with one access to memory.

Heap: Williams 1964. Liu Xin and Wang Fei, Two improved shortest path algorithms on GPU, 2014.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.atomics import callable_in_bodies
from wayfront.devices.device import DeviceArray

NOT_IN_HEAP = -1
"""The index of a node that never was in the heap. That of a node taken out is left as it was: it is never looked at."""

PAIR = 2
"""Numbers of an element of either array."""


class KeyedHeap(NamedTuple):
    """One search's heap; both arrays are typed like the distances and may hold other searches' too.

    assist   tentative distance and index of node v, at ``assist[first_node + v * node_step]`` and the next element
    entries  distance and node at index p, at ``entries[first_entry + p * entry_step]`` and the next element
    """

    assist: DeviceArray
    entries: DeviceArray
    first_node: int
    node_step: int
    first_entry: int
    entry_step: int


@callable_in_bodies
def put_entry(heap: KeyedHeap, index: int, distance: int, node: int) -> None:
    """Write an entry, and its index to the node's own record."""
    at = heap.first_entry + index * heap.entry_step
    heap.entries[at] = distance
    heap.entries[at + 1] = node
    heap.assist[heap.first_node + node * heap.node_step + 1] = index


@callable_in_bodies
def lower_node(heap: KeyedHeap, size: int, node: int, distance: int) -> int:
    """Give a node a tentative distance less than its present one; enter it, or let its entry rise. Return the size."""
    record = heap.first_node + node * heap.node_step
    heap.assist[record] = distance
    hole = heap.assist[record + 1]
    entered = size
    if hole == NOT_IN_HEAP:
        hole = size
        entered = size + 1
    while hole > 0:
        above = (hole - 1) >> 1
        at = heap.first_entry + above * heap.entry_step
        if heap.entries[at] <= distance:
            break
        put_entry(heap, hole, heap.entries[at], heap.entries[at + 1])
        hole = above
    put_entry(heap, hole, distance, node)
    return entered


@callable_in_bodies
def drop_least(heap: KeyedHeap, size: int) -> int:
    """Take the first entry out of a heap that has one: the last one moves there and sinks. Return the size."""
    left = size - 1
    if left == 0:
        return left
    last = heap.first_entry + left * heap.entry_step
    distance, node = heap.entries[last], heap.entries[last + 1]
    hole, child = 0, 1
    while child < left:
        at = heap.first_entry + child * heap.entry_step
        if child + 1 < left and heap.entries[at + heap.entry_step] < heap.entries[at]:
            child += 1
            at += heap.entry_step
        if heap.entries[at] >= distance:
            break
        put_entry(heap, hole, heap.entries[at], heap.entries[at + 1])
        hole, child = child, 2 * child + 1
    put_entry(heap, hole, distance, node)
    return left
