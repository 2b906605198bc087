"""The compiled loop of searches from one end: Dijkstra's, with a lower bound on what is left added to the keys.

A bound π is given for a target t. It never exceeds the distance that is left, and no arc (u, v) makes it fall by more
than its weight: π(u) ≤ w + π(v). Then keys never fall along a path, a node is settled with its final distance, once,
and the search may end when no key is below the target's distance.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from wayfront.algorithms.dijkstra.logging_kernels import BEGUN, ROWS, ROWS_AT_ONCE, begin_call, end_call
from wayfront.algorithms.to_target.exploring import INFINITY, Steps, clear, drop_outdated, end_step, label
from wayfront.algorithms.to_target.heap import Heap, drop_least, put
from wayfront.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.search.to_target.run import BEST, MEETING, NO_NODE, Labels

NOTHING, GREAT_CIRCLE, LANDMARKS = range(3)
"""What a bound is made of."""


class Bound(NamedTuple):
    """Lower bounds on the distance from each node to the target.

    rule        ``NOTHING`` (all are 0), ``GREAT_CIRCLE`` or ``LANDMARKS``
    target      internal node number
    places      float64 [3 n]: the nodes as points of a sphere of radius 1
    per_radian  what a radian of a great circle costs at least, in raw weights
    away        int64 [n · k]: the distance from each of k landmarks to each node, -1 where there is no path
    towards     int64 [n · k]: the distance from each node to each landmark, likewise
    active      int32 [a]: the landmarks that are asked in this search
    """

    rule: int
    target: int
    places: DeviceArray
    per_radian: float
    away: DeviceArray
    towards: DeviceArray
    landmarks: int
    active: DeviceArray


@part_without_allocation
def _great_circle(bound: Bound, node: int) -> int:
    """Return what the great circle to the target costs at least, rounded down."""
    u, t, places = 3 * node, 3 * bound.target, bound.places
    x, y, z = places[u] - places[t], places[u + 1] - places[t + 1], places[u + 2] - places[t + 2]
    half_chord = 0.5 * math.sqrt(x * x + y * y + z * z)
    return int(bound.per_radian * 2.0 * math.asin(min(half_chord, 1.0)))


@part_without_allocation
def _by_landmarks(bound: Bound, node: int) -> int:
    """Return the largest bound that the active landmarks give, ``INFINITY`` where one shows that no path leads on.

    For a landmark L, d(L, t) ≤ d(L, v) + d(v, t) and d(v, L) ≤ d(v, t) + d(t, L). A landmark that reaches v and not t
    shows that v does not reach t; so does one that t reaches and v does not.
    """
    v, t, best = node * bound.landmarks, bound.target * bound.landmarks, 0
    for index in range(len(bound.active)):
        place = bound.active[index]
        to_node, to_target = bound.away[v + place], bound.away[t + place]
        from_node, from_target = bound.towards[v + place], bound.towards[t + place]
        if (to_target < 0 and to_node >= 0) or (from_target >= 0 and from_node < 0):
            return INFINITY
        if to_target >= 0 and to_node >= 0:
            best = max(best, to_target - to_node)
        if from_target >= 0 and from_node >= 0:
            best = max(best, from_node - from_target)
    return best


@part_without_allocation
def _bound_of(bound: Bound, node: int) -> int:
    if bound.rule == GREAT_CIRCLE:
        return _great_circle(bound, node)
    if bound.rule == LANDMARKS:
        return _by_landmarks(bound, node)
    return 0


@loop_without_allocation
def start_one_way(
    heap: Heap,
    labels: Labels,
    settled: DeviceArray,
    met: DeviceArray,
    bound: Bound,
    source: int,
    recording: Recording,
) -> None:
    """Forget the search before and enter the source, which is settled first whatever its key."""
    clear(labels, settled)
    nothing = np.int64(0)
    label(labels, source, nothing, np.int64(NO_NODE), recording)
    met[BEST] = 0 if source == bound.target else INFINITY
    met[MEETING] = bound.target
    heap.size[0] = 0
    put(heap, nothing, nothing, source)


@loop_without_allocation
def explore_one_way(
    arcs: Arcs,
    heap: Heap,
    labels: Labels,
    settled: DeviceArray,
    order: DeviceArray,
    count: int,
    met: DeviceArray,
    bound: Bound,
    steps: Steps,
    recording: Recording,
) -> tuple[int, bool]:
    """Settle nodes by least key until none is below the target's distance; list them in ``order``.

    Ends earlier as ``steps`` say. Returns (nodes settled, whether the search is over).
    """
    state, work, over = steps.log.state, np.int64(0), False
    begin_call(steps.log)
    while not over and count < steps.at_least and work < steps.most_work and state[ROWS] < ROWS_AT_ONCE:
        work += drop_outdated(heap, labels, settled) + 1
        over = heap.size[0] == 0 or heap.key[0] >= met[BEST]
        node = np.int64(bound.target)
        if not over:
            node = np.int64(heap.node[0])
            drop_least(heap)
            work += _relax(arcs, heap, labels, node, settled, met, bound, steps, recording)
        if not over or met[BEST] != INFINITY:
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
    node: int,
    settled: DeviceArray,
    met: DeviceArray,
    bound: Bound,
    steps: Steps,
    recording: Recording,
) -> int:
    """Relax the arcs that leave a node; return how many there are."""
    distance, begin, end = labels.distance[node], arcs.offsets[node], arcs.offsets[node + 1]
    for arc in range(begin, end):
        head = np.int64(arcs.targets[arc])
        offer = distance + arcs.weights[arc]
        if offer >= labels.distance[head] or settled[head] != 0:
            continue
        label(labels, head, offer, node, recording)
        if head == bound.target:
            met[BEST] = offer
        ahead = _bound_of(bound, head)
        if ahead != INFINITY:
            put(heap, offer + ahead, offer, head)
    steps.relaxed[0] += end - begin
    return int(end - begin)
