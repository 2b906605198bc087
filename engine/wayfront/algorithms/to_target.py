"""Searches from a source to one target, which look at a part of the network: from one end, or from both.

Nodes are settled in order of a key, by a binary heap, as in Dijkstra's search for a tree; the search ends when no key
is below the best path to the target. The searches from one end share a loop and differ by the lower bound π on what is
left that their keys contain (``target_bounds``).

**Dijkstra to a target** has π = 0. It looks at every node that is nearer than the target, in whatever direction: what
every other search to a target is measured by.

**A-star** adds the great circle to the target, times the least weight for each metre. So nodes on the way come before
nodes that lie just as near in the other direction. The bound never exceeds the distance that is left, and no arc lets
it fall by more than the arc's weight: π(u) ≤ w + π(v). Therefore keys never fall along a path, and a settled node has
its final distance. The search settles no node that Dijkstra's would not; how many fewer depends on how near the bound
comes to the truth: near by length, far by travel time, whose scale is that of the fastest road.

**ALT** has bounds by landmarks and the triangle inequality. Before the first search the distances between a few
landmarks and all nodes are found, once for each metric. For a landmark L, the triangle inequality bounds what is left
from v to t from below: d(L, t) − d(L, v), and d(v, L) − d(t, L). It knows rivers, mountains and motorways, which the
great circle does not, so it comes nearer to the truth, by travel time above all, and it needs no coordinates. A search
asks only the landmarks that bound best at its source. What is prepared is timed apart from the search.

Closing roads only makes paths longer, so bounds of the whole network hold without them.

**Dijkstra from both ends** runs one search from the source and one against the arcs from the target, until they have
met. The end whose least distance is smaller settles its next node, so both have the same radius r. Whenever an arc
leads to a node that the other end has reached, source and target are joined by a path; the shortest of these is kept.
A path not yet known has to leave both balls, so it is at least as long as both least distances together: once these
are no less than the best path, that is the shortest. The first node that both reach need not be on it. Two balls of
radius r cover about half the area of one of radius 2 r, and much less where the network branches like a tree. It needs
neither coordinates nor preparation.

Dijkstra 1959. A*: Hart, Nilsson and Raphael 1968. ALT: Goldberg and Harrelson 2005. From both ends: Dantzig 1962;
Nicholson 1966 (when to end); Pohl 1971.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.sequential_steps import (
    ROWS,
    ROWS_AT_ONCE,
    TRIED,
    SequentialSearch,
    Steps,
    begin_call,
    end_call,
    end_step,
    make_steps,
    note_improved,
    take_steps,
)
from wayfront.algorithms.target_bounds import (
    INFINITY,
    Bound,
    Points,
    best_of,
    bound_of,
    great_circle_bound,
    landmark_bound,
    landmarks_for,
    no_bound,
    points_for,
)
from wayfront.devices.compiling import loop_without_allocation, part_without_allocation
from wayfront.devices.device import Ability, DeviceArray
from wayfront.kernels.arguments import Arcs, Recording
from wayfront.results.result import SearchKind
from wayfront.safe.errors import NetworkError
from wayfront.safe.options import Option
from wayfront.searching.registry import Tell, algorithm
from wayfront.searching.routes import BEST, MEETING, NO_NODE, Labels, RouteRun
from wayfront.trace.schema import StateRow
from wayfront.trace.step_views import Relaxing, held_state

MOST_STEPS = 4096
"""Steps of a search that settles all nodes. Searches of fewer nodes have fewer: a step is the same work in all."""

BOUND = "bound"
"""The name under which ``Timing.prepare_ms`` has what measuring the arcs took."""

LANDMARKS = "landmarks"
"""The option, and the name under which ``Timing.prepare_ms`` has what finding their distances took."""


class Heap(NamedTuple):
    """A binary heap with an entry for every time that a node's distance fell, by a key that may be larger.

    Of equal keys the entry with the larger distance comes first: where many paths are equally long, as on a grid, the
    search then goes on with the one that is nearest to its end.

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


@part_without_allocation
def _put(heap: Heap, key: int, distance: int, node: int) -> None:
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
def _drop_least(heap: Heap) -> None:
    """Remove the least entry: the last one moves there and sinks."""
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


# ------------------------------------------------------------------------------------------------------------ the loops


class End(NamedTuple):
    """What a search has at one of its ends: the arcs that lead away from there, its heap, and its labels of nodes."""

    arcs: Arcs
    heap: Heap
    labels: Labels


class SharedByEnds(NamedTuple):
    """What is known of the nodes, from both ends together.

    settled    int8 [n]: 1 for a settled node
    order      int32 [n]: the nodes in the order in which they were settled
    met        the best path to the target and where it meets, as in ``RouteRun``
    """

    settled: DeviceArray
    order: DeviceArray
    met: DeviceArray


@part_without_allocation
def _clear(labels: Labels, settled: DeviceArray) -> None:
    """Take back what the search before wrote."""
    for index in range(1, labels.listed[0] + 1):
        node = labels.listed[index]
        labels.distance[node] = INFINITY
        labels.parent[node] = NO_NODE
        settled[node] = 0
    labels.listed[0] = 0


@part_without_allocation
def _label(labels: Labels, node: int, distance: int, parent: int, recording: Recording) -> None:
    """Note a shorter path to a node."""
    if labels.distance[node] == INFINITY:
        labels.listed[0] += 1
        labels.listed[labels.listed[0]] = node
    labels.distance[node] = distance
    labels.parent[node] = parent
    if recording.on != 0:
        note_improved(recording, node)


@part_without_allocation
def _drop_outdated(heap: Heap, labels: Labels, settled: DeviceArray) -> int:
    """Remove entries of settled nodes and of distances that fell since from the top; return how many there were."""
    dropped = 0
    while heap.size[0] > 0:
        node = heap.node[0]
        if settled[node] == 0 and heap.distance[0] == labels.distance[node]:
            break
        _drop_least(heap)
        dropped += 1
    return dropped


@part_without_allocation
def _start_at(end: End, node: int, shared: SharedByEnds, steps: Steps) -> None:
    """Forget the search before and enter the node that an end starts from."""
    nothing = np.int64(0)
    _clear(end.labels, shared.settled)
    end.heap.size[0] = 0
    _label(end.labels, node, nothing, np.int64(NO_NODE), steps.recording)
    _put(end.heap, nothing, nothing, node)


@loop_without_allocation
def start_one_way(end: End, shared: SharedByEnds, bound: Bound, source: int, steps: Steps) -> None:
    """Forget the search before and enter the source, which is settled first whatever its key."""
    _start_at(end, source, shared, steps)
    shared.met[BEST] = 0 if source == bound.target else INFINITY
    shared.met[MEETING] = bound.target


@loop_without_allocation
def explore_one_way(end: End, shared: SharedByEnds, bound: Bound, count: int, steps: Steps) -> tuple[int, bool]:
    """Settle nodes by least key until none is below the target's distance; list them in ``order``.

    Ends earlier as ``steps`` say. Returns (nodes settled, whether the search is over).
    """
    heap, settled, met = end.heap, shared.settled, shared.met
    work, over = np.int64(0), False
    begin_call(steps)
    while not over and work < steps.most_work and steps.state[ROWS] < ROWS_AT_ONCE:
        work += _drop_outdated(heap, end.labels, settled) + 1
        over = heap.size[0] == 0 or heap.key[0] >= met[BEST]
        node = np.int64(bound.target)
        if not over:
            node = np.int64(heap.node[0])
            _drop_least(heap)
            work += _relax_one_way(end, shared, bound, node, steps)
        if not over or met[BEST] != INFINITY:
            settled[node] = 1
            shared.order[count] = node
            count += 1
        end_step(steps, count, 0, over)
    end_call(steps)
    return count, over


@part_without_allocation
def _relax_one_way(end: End, shared: SharedByEnds, bound: Bound, node: int, steps: Steps) -> int:
    """Relax the arcs that leave a node; return how many there are."""
    arcs, labels = end.arcs, end.labels
    distance, first, last = labels.distance[node], arcs.offsets[node], arcs.offsets[node + 1]
    for arc in range(first, last):
        head = np.int64(arcs.targets[arc])
        offer = distance + arcs.weights[arc]
        if offer >= labels.distance[head] or shared.settled[head] != 0:
            continue
        _label(labels, head, offer, node, steps.recording)
        if head == bound.target:
            shared.met[BEST] = offer
        left = bound_of(bound, head)
        if left != INFINITY:
            _put(end.heap, offer + left, offer, head)
    steps.state[TRIED] += last - first
    return int(last - first)


@loop_without_allocation
def start_both_ways(ahead: End, back: End, shared: SharedByEnds, source: int, target: int, steps: Steps) -> None:
    """Forget the search before and enter source and target, each into its heap."""
    _start_at(ahead, source, shared, steps)
    _start_at(back, target, shared, steps)
    shared.met[BEST] = 0 if source == target else INFINITY
    shared.met[MEETING] = source


@loop_without_allocation
def explore_both_ways(ahead: End, back: End, shared: SharedByEnds, count: int, steps: Steps) -> tuple[int, bool]:
    """Settle nodes at the end whose least distance is smaller, until both together are no less than the best path.

    A node settled from one end is not expanded from the other: every path over it is known by then. Ends earlier as
    ``steps`` say. Returns (nodes settled, whether the search is over).
    """
    heap, back_heap, settled, met = ahead.heap, back.heap, shared.settled, shared.met
    work, over = np.int64(0), False
    begin_call(steps)
    while not over and work < steps.most_work and steps.state[ROWS] < ROWS_AT_ONCE:
        work += _drop_outdated(heap, ahead.labels, settled) + _drop_outdated(back_heap, back.labels, settled) + 1
        over = heap.size[0] == 0 or back_heap.size[0] == 0 or heap.key[0] + back_heap.key[0] >= met[BEST]
        node = np.int64(met[MEETING])
        if not over and heap.key[0] <= back_heap.key[0]:
            node = np.int64(heap.node[0])
            _drop_least(heap)
            work += _relax_at_end(ahead.arcs, heap, ahead.labels, back.labels, node, shared, steps)
        elif not over:
            node = np.int64(back_heap.node[0])
            _drop_least(back_heap)
            work += _relax_at_end(back.arcs, back_heap, back.labels, ahead.labels, node, shared, steps)
        if not over or (met[BEST] != INFINITY and settled[node] == 0):
            settled[node] = 1
            shared.order[count] = node
            count += 1
        end_step(steps, count, 0, over)
    end_call(steps)
    return count, over


@part_without_allocation
def _relax_at_end(
    arcs: Arcs, heap: Heap, labels: Labels, others: Labels, node: int, shared: SharedByEnds, steps: Steps
) -> int:
    """Relax a node's arcs at one end, and keep the shortest path that meets the other; return how many they are."""
    settled, met = shared.settled, shared.met
    distance, first, last = labels.distance[node], arcs.offsets[node], arcs.offsets[node + 1]
    for arc in range(first, last):
        head = np.int64(arcs.targets[arc])
        offer = distance + arcs.weights[arc]
        if offer >= labels.distance[head]:
            continue
        _label(labels, head, offer, node, steps.recording)
        if settled[head] == 0:
            _put(heap, offer, offer, head)
        if others.distance[head] != INFINITY and offer + others.distance[head] < met[BEST]:
            met[BEST] = offer + others.distance[head]
            met[MEETING] = head
    steps.state[TRIED] += last - first
    return int(last - first)


# ------------------------------------------------------------------------------------------------ what the replay shows

FROM_SOURCE, TO_TARGET = "Heap from the source, place by place", "Heap from the target, place by place"

_COLUMNS = ("Held in", "Nodes", "Keys")

_ONE_HEAP = held_state("Binary heap", _COLUMNS)


def read_heap(heap: Heap, title: str) -> StateRow:
    """Return the heap, entry by entry: the least first, and below entry p the entries 2 p + 1 and 2 p + 2."""
    size = int(heap.size[0])
    return StateRow(title, heap.node[:size].tolist(), heap.key[:size].tolist())


# --------------------------------------------------------------------------------------------------------- the searches


@algorithm(
    name="dijkstra-to-target",
    reading_order=560,
    title="Dijkstra to a target",
    paper="Dijkstra 1959",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="Settles nodes in order of distance and ends at the target. What A*, ALT and the search from both ends are "
    "measured by.",
    phases=("settle nodes",),
    kind=SearchKind.ROUTE,
    state=_ONE_HEAP,
    one_by_one=True,
)
def dijkstra_to_target(run: RouteRun) -> Iterator[int]:
    """Run Dijkstra until the target is settled."""
    return _one_way_steps(run, no_bound(run.target))


def measure(run: RouteRun, tell: Tell, _cancel: threading.Event | None) -> Mapping[str, float]:
    """Find the scale of the bound, once for each metric. Raises ``NetworkError`` without coordinates."""
    if run.network.coordinates is None:
        raise NetworkError(
            f"{run.network.name} has no coordinates, and A* needs them for its bound: search by alt or bidirectional, "
            "which need none"
        )
    tell("measuring arcs", -1)
    return {BOUND: _points(run).made_ms}


def _points(run: RouteRun) -> Points:
    """Return the points of a run's whole network: its arcs are not measured again when roads are closed."""
    return points_for(run.whole, run.whole.metric(run.metric.name))


@algorithm(
    name="a-star",
    reading_order=580,
    title="A*, great-circle bound",
    paper="Hart, Nilsson and Raphael 1968",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="Dijkstra to a target, with the great circle that is left added to each key at its least cost: the search "
    "leans towards the target.",
    phases=("settle nodes",),
    kind=SearchKind.ROUTE,
    prepare=measure,
    state=_ONE_HEAP,
    one_by_one=True,
)
def a_star(run: RouteRun) -> Iterator[int]:
    """Run A* with the bound by great circles."""
    points = _points(run)
    return _one_way_steps(run, great_circle_bound(run.target, points.points, points.per_radian))


def find_landmarks(run: RouteRun, tell: Tell, _cancel: threading.Event | None) -> Mapping[str, float]:
    """Choose the landmarks and find their distances, once for each network, metric and number."""
    return {LANDMARKS: landmarks_for(run, tell).made_ms}


@algorithm(
    name="alt",
    reading_order=590,
    title="ALT, landmarks",
    paper="Goldberg and Harrelson 2005",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="A* with bounds by landmarks: distances from and to a few nodes, found beforehand, bound what is left "
    "by the triangle inequality. What is prepared is told apart.",
    phases=("settle nodes",),
    options=(
        Option("landmarks", int, 16, "Nodes from and to which all distances are found before.", bounds=(1, 64)),
        Option("active", int, 4, "Landmarks that a search asks: those that bound best at its source.", bounds=(1, 64)),
    ),
    kind=SearchKind.ROUTE,
    prepare=find_landmarks,
    state=_ONE_HEAP,
    one_by_one=True,
)
def alt(run: RouteRun) -> Iterator[int]:
    """Run A* with the bound by landmarks."""
    landmarks = landmarks_for(run, lambda _doing, _fraction: None)
    active = best_of(landmarks, int(run.options["active"]), run.source, run.target)
    bound = landmark_bound(run.target, landmarks.away, landmarks.towards, len(landmarks.nodes), active)
    return _one_way_steps(run, bound)


@algorithm(
    name="bidirectional",
    reading_order=570,
    title="Dijkstra from both ends",
    paper="Nicholson 1966; Pohl 1971",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="Settles nodes from the source and, against the arcs, from the target, until no other path can be shorter. "
    "Needs neither coordinates nor preparation.",
    phases=("settle nodes",),
    kind=SearchKind.ROUTE,
    state=held_state("Two binary heaps", _COLUMNS),
    one_by_one=True,
    relaxing=Relaxing.BOTH_WAYS,
)
def bidirectional(run: RouteRun) -> Iterator[int]:
    """Run Dijkstra from both ends."""
    # Made in this order: with the two ends' arrays in turns, they fell into the same lines of the cache, 20 % slower.
    heap, back_heap = make_heap(run, "forward"), make_heap(run, "backward")
    ahead, back_labels = End(run.arcs, heap, run.ahead), run.labels_back()
    back = End(Arcs(*run.in_arcs()), back_heap, back_labels)
    shared, steps = _shared_by_ends(run), _steps(run)
    start_both_ways(ahead, back, shared, run.source, run.target, steps)

    def tentative() -> NDArray[np.int64]:
        return np.minimum(ahead.labels.distance, back.labels.distance)

    def holding() -> Sequence[StateRow]:
        return [read_heap(ahead.heap, FROM_SOURCE), read_heap(back.heap, TO_TARGET)]

    search = SequentialSearch(
        explore=lambda count, steps: explore_both_ways(ahead, back, shared, count, steps),
        steps=steps,
        settled=shared.order,
        phase="settle nodes",
        tentative=tentative,
        holding=holding,
        counts_arcs=True,
    )
    return take_steps(run, search)


def _one_way_steps(run: RouteRun, bound: Bound) -> Iterator[int]:
    """Search from the source alone, by keys that a bound is part of."""
    end, shared, steps = End(run.arcs, make_heap(run, "forward"), run.ahead), _shared_by_ends(run), _steps(run)
    start_one_way(end, shared, bound, run.source, steps)
    search = SequentialSearch(
        explore=lambda count, steps: explore_one_way(end, shared, bound, count, steps),
        steps=steps,
        settled=shared.order,
        phase="settle nodes",
        tentative=lambda: run.ahead.distance,
        holding=lambda: [read_heap(end.heap, FROM_SOURCE)],
        counts_arcs=True,
    )
    return take_steps(run, search)


def _shared_by_ends(run: RouteRun) -> SharedByEnds:
    return SharedByEnds(run.settled, run.array("order", run.node_count, np.int32), run.met)


def _steps(run: RouteRun) -> Steps:
    """Return the steps of a run. Both ends may improve the head of each arc, and their own node."""
    return make_steps(run, max(1, run.node_count // MOST_STEPS), 2 * run.network.arc_count + 2)
