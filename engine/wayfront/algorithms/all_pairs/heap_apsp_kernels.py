"""Bodies of Heap_APSP: one thread runs one whole Dijkstra search."""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs
from wayfront.kernels.keyed_heap import NOT_IN_HEAP, KeyedHeap, drop_least, lower_node, put_entry


class Layout(NamedTuple):
    """Where the records of k searches lie: that of search j and element e at ``j * search + e * element``."""

    search: int
    element: int


class Searches(NamedTuple):
    """The searches of a batch, each with a heap of its own (see ``wayfront.kernels.keyed_heap``).

    assist, nodes     [2·k·n], typed like the distances, and its layout: tentative distance and place of every node
    entries, places   [2·k·room], typed like the distances, and its layout: distance and node at every place of a heap
    sizes             int32 [k]: entries in each heap
    """

    assist: DeviceArray
    nodes: Layout
    entries: DeviceArray
    places: Layout
    sizes: DeviceArray


def reset_assist(i: int, infinity: int, searches: Searches) -> None:
    """Reset one number of all records: no node is reached, none is in a heap."""
    searches.assist[i] = infinity if i & 1 == 0 else NOT_IN_HEAP


def enter_sources(i: int, sources: DeviceArray, searches: Searches) -> None:
    """Enter the source of search i into its heap, at distance 0."""
    nodes, places = searches.nodes, searches.places
    heap = KeyedHeap(
        searches.assist, searches.entries, i * nodes.search, nodes.element, i * places.search, places.element
    )
    searches.assist[i * nodes.search + sources[i] * nodes.element] = 0
    put_entry(heap, 0, 0, sources[i])
    searches.sizes[i] = 1


def settle_nodes(
    i: int, most_work: int, room: int, arcs: Arcs, searches: Searches, unfinished: DeviceArray, full: DeviceArray
) -> None:
    """Go on with search i until its heap is empty, or it has settled and relaxed ``most_work`` nodes and arcs.

    A node is settled when its entry is the least; its distance is then final, and it never enters again. A search whose
    heap might need more than ``room`` places stops, and says so.
    """
    nodes, places = searches.nodes, searches.places
    heap = KeyedHeap(
        searches.assist, searches.entries, i * nodes.search, nodes.element, i * places.search, places.element
    )
    size, work = searches.sizes[i], 0
    while size > 0 and work < most_work:
        distance, node = heap.entries[heap.first_entry], heap.entries[heap.first_entry + 1]
        begin, end = arcs.offsets[node], arcs.offsets[node + 1]
        if size - 1 + end - begin > room:
            full[0] = 1
            break
        size = drop_least(heap, size)
        for arc in range(begin, end):
            target = arcs.targets[arc]
            offer = distance + arcs.weights[arc]
            if offer < heap.assist[heap.first_node + target * heap.node_step]:
                size = lower_node(heap, size, target, offer)
        work += 1 + end - begin
    searches.sizes[i] = size
    if size > 0:
        unfinished[0] = 1
