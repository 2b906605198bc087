"""The compiled loop of Dijkstra's search from both ends at once."""

from __future__ import annotations

import numpy as np

from wayfront.algorithms.dijkstra.logging_kernels import BEGUN, ROWS, ROWS_AT_ONCE, begin_call, end_call
from wayfront.algorithms.to_target.exploring import INFINITY, Steps, clear, drop_outdated, end_step, label
from wayfront.algorithms.to_target.heap import Heap, drop_least, put
from wayfront.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.search.to_target.run import BEST, MEETING, NO_NODE, Labels


@loop_without_allocation
def start_both_ways(
    heap: Heap,
    back_heap: Heap,
    ahead: Labels,
    back: Labels,
    settled: DeviceArray,
    met: DeviceArray,
    source: int,
    target: int,
    recording: Recording,
) -> None:
    """Forget the search before and enter source and target, each into its heap."""
    clear(ahead, settled)
    clear(back, settled)
    heap.size[0] = back_heap.size[0] = 0
    nothing, nobody = np.int64(0), np.int64(NO_NODE)
    label(ahead, source, nothing, nobody, recording)
    label(back, target, nothing, nobody, recording)
    put(heap, nothing, nothing, source)
    put(back_heap, nothing, nothing, target)
    met[BEST] = 0 if source == target else INFINITY
    met[MEETING] = source


@loop_without_allocation
def explore_both_ways(
    arcs: Arcs,
    in_arcs: Arcs,
    heap: Heap,
    back_heap: Heap,
    ahead: Labels,
    back: Labels,
    settled: DeviceArray,
    order: DeviceArray,
    count: int,
    met: DeviceArray,
    steps: Steps,
    recording: Recording,
) -> tuple[int, bool]:
    """Settle nodes at the end whose least distance is smaller, until both together are no less than the best path.

    A node settled from one end is not expanded from the other: every path over it is known by then. Ends earlier as
    ``steps`` say. Returns (nodes settled, whether the search is over).
    """
    state, work, over = steps.log.state, np.int64(0), False
    begin_call(steps.log)
    while not over and count < steps.at_least and work < steps.most_work and state[ROWS] < ROWS_AT_ONCE:
        work += drop_outdated(heap, ahead, settled) + drop_outdated(back_heap, back, settled) + 1
        over = heap.size[0] == 0 or back_heap.size[0] == 0 or heap.key[0] + back_heap.key[0] >= met[BEST]
        node = np.int64(met[MEETING])
        if not over and heap.key[0] <= back_heap.key[0]:
            node = np.int64(heap.node[0])
            drop_least(heap)
            work += _relax(arcs, heap, ahead, back, node, met, settled, steps, recording)
        elif not over:
            node = np.int64(back_heap.node[0])
            drop_least(back_heap)
            work += _relax(in_arcs, back_heap, back, ahead, node, met, settled, steps, recording)
        if not over or (met[BEST] != INFINITY and settled[node] == 0):
            settled[node] = 1
            order[count] = node
            count += 1
        if count > state[BEGUN] and (over or count - state[BEGUN] >= steps.share):
            end_step(steps, count, recording)
    end_call(steps.log)
    return count, over


@part_without_allocation
def _relax(
    arcs: Arcs,
    heap: Heap,
    labels: Labels,
    others: Labels,
    node: int,
    met: DeviceArray,
    settled: DeviceArray,
    steps: Steps,
    recording: Recording,
) -> int:
    """Relax a node's arcs at one end, and keep the shortest path that meets the other; return how many they are."""
    distance, begin, end = labels.distance[node], arcs.offsets[node], arcs.offsets[node + 1]
    for arc in range(begin, end):
        head = np.int64(arcs.targets[arc])
        offer = distance + arcs.weights[arc]
        if offer >= labels.distance[head]:
            continue
        label(labels, head, offer, node, recording)
        if settled[head] == 0:
            put(heap, offer, offer, head)
        if others.distance[head] != INFINITY and offer + others.distance[head] < met[BEST]:
            met[BEST] = offer + others.distance[head]
            met[MEETING] = head
    steps.relaxed[0] += end - begin
    return int(end - begin)
