"""Regions: parts of the map that search on their own for a while, each in the shared memory of one block.

A search that synchronises the whole card at every step spends its time at barriers: a road network has thousands of
short steps. Here a *region* of some two thousand nodes, with arcs and distances, fills the shared memory of a block,
whose own barrier is far cheaper. The block relaxes its region to a local fixed point, in near-far order, and lowers by
a global minimum the distances of those nodes of neighbouring regions to which its arcs lead, their *inbox*. A block
without work watches its inbox, and begins as soon as something lies there, whatever the others do.

**The window.** Only nodes below a limit are expanded, or regions would search far ahead by detours and do it over
again. When no region is at work, the least distance that waits anywhere is known, and the limit rises to that and
``window``. A window is a step of the recording: its frontier are the nodes that were expanded in it.

**Who is at work** is counted in credits. Every region has one when a window opens, and gives it back when it has
nothing left below the limit; before that it marks each neighbour to which it has sent something below the limit, and a
mark that was not set yet is worth a credit, which the neighbour gives back in turn. A region may work on what it finds
before it is marked: it is marked in any case, and so reports what it sent. The block that gives back the last credit
moves the window on: at that moment no other is at work. What a region sends beyond the limit it reports as waiting, and
so does the region that has it.

**Order within a block.** Nodes below a narrower limit are queued, and expanded round by round; when none is left, all
nodes of the region that wait are looked through, and that limit rises by ``delta``. Four threads share a node's arcs. A
node waits while its distance is below that at which it was
expanded last, so queues may overflow, and a launch may end and be resumed between two windows.

Regions come from halving the map by longitude or latitude until there are enough; without coordinates they are runs of
nodes in their order. That is part of each search and timed as its preparation.

The blocks must all be on the card at once, and the whole network in their shared memory: about a million nodes on an
H200. The simulator has but one block, and so one region.

The near-far order: Davidson, Baxter, Garland and Owens, IPDPS 2014. Credits: Mattern, Global quiescence detection based
on credit distribution and recovery, Information Processing Letters 1989.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add, atomic_exchange, atomic_min, fence, next_place
from wayfront.devices.blocks import WARP, WARP_BITS, latest, min_of_warp, of_first
from wayfront.devices.clocks import timer_ns
from wayfront.devices.cuda_support import SIMULATING, cuda, cuda_inlined
from wayfront.devices.device import BLOCKS_OF_ONE, Ability, CardKernel, DeviceArray
from wayfront.kernels.arguments import Recording
from wayfront.kernels.arithmetic import Index
from wayfront.kernels.observing import fill
from wayfront.network.arcs import arcs_from
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import DeviceMemoryError, OptionError
from wayfront.safe.options import AUTO, Option
from wayfront.searching.registry import Tell, algorithm
from wayfront.searching.run import BaseRun, Run
from wayfront.trace.recorder import StepTable
from wayfront.trace.schema import StepNote

NOTE = StepNote("regions", "each region works until it has nothing left below the limit", "work off a window")

DIVIDE: Final = "regions"
"""The name under which ``Timing.prepare_ms`` has what dividing the network took."""

BLOCK = 512
"""Threads of a block."""

MOST_REGIONS = 1024

LEAST_NODES = 256
"""Nodes of a region where the number of regions is automatic, but for a network that has fewer."""

OUTSIDE = 1 << 15
"""Added to a number of an arc that leaves the region, in place of a node's."""

QUEUE = 2048
"""Nodes of a queue; a region may have more that wait."""

SHARE_BITS = 0 if SIMULATING else 2
SHARE = 1 << SHARE_BITS
"""Threads that share the arcs of a node."""

LOOK_EVERY = 4
"""Rounds after which a region at work looks into its inbox; a power of two."""

STEPS_AT_ONCE = 1 << 12
"""Windows of one launch at most."""

LOG_NODES = 1 << 22
"""Room of the log beyond two windows of all nodes."""

DELTA_WEIGHTS, WINDOW_WEIGHTS = 24, 300
"""How many mean weights wide Δ and window are by themselves."""

RECORD = 8
"""Numbers of a region's record: first position, nodes, of these with an inbox, first arc, arcs, first and number of
arcs that leave it."""

APART = 16
"""Elements of 64 bits between what different blocks write, so that they are in different lines of the cache."""

ACTIVE, EPOCH, LIMIT, NEXT, MODE, FINISHED, STEPS, LOW, BEGIN = (k * APART for k in range(9))
CONTROL_SIZE = 9 * APART
"""Places in the control array, int64: credits that are out; the number of the window; its limit, of two windows in
turn; the least distance that waits, of three windows in turn; whether the launch ends, and the search with it; windows
of this launch; the least distance of the window to come; when the launch began."""

FAR, BEYOND, WOKEN, LEAST_SIZE = 0, 1, 2, 4
"""Places in a block's own least distances: of nodes that wait; of what it sent beyond the limit; of what it found."""

MARKED, NOW, AGAIN, NEXT_LIMIT, ENDS, TOLD_SIZE = 0, 2, 4, 6, 7, 8
"""Places of what one thread reads for its block, the first three of two turns in turn."""

At = np.uint32
"""The type of an index into shared memory."""

# -------------------------------------------------------------------------------------------------------------- regions


class Plan(NamedTuple):
    """The regions of a network, one after the other; a *position* is a node's place in that order.

    records   int32 [regions × RECORD]
    node_at   int32 [n]: the node at each position
    rows      int32 [n + regions]: where the arcs of each position begin, counted within its region
    weights   int32 [m]
    targets   uint16 [m]: a node's number within the region, or ``OUTSIDE`` and the number of an arc that leaves it
    heads     int32 [arcs between regions]: the positions to which those lead
    to        uint16, likewise: their regions
    """

    records: DeviceArray
    node_at: DeviceArray
    rows: DeviceArray
    weights: DeviceArray
    targets: DeviceArray
    heads: DeviceArray
    to: DeviceArray


class Room(NamedTuple):
    """How a block's shared memory is divided: in elements of the distances, of 32 bits, and of 16.

    Distances come first, followed by those at which nodes were expanded last, and the least sent along arcs that leave
    the region; rows, weights and heads; targets, regions of heads, and two queues.
    """

    expanded: int
    sent: int
    rows: int
    weights: int
    heads: int
    targets: int
    to: int
    queue: int


@dataclass(frozen=True, slots=True)
class Divided:
    """The regions of a network on a device, by number of regions; the room of a block by bytes of a distance.

    ``nodes``, ``arcs`` and ``leaving`` are the most that a region has of each.
    """

    count: int
    plan: Plan
    nodes: int
    arcs: int
    leaving: int

    def room(self, item: int) -> tuple[Room, int]:
        """Return how a block's memory is divided with distances of so many bytes, and its bytes."""
        wide = 2 * self.nodes + self.leaving
        rows = wide * item // 4 + 1
        weights = rows + self.nodes + 1
        heads = weights + self.arcs
        targets = 2 * (heads + self.leaving)
        to = targets + self.arcs
        queue = to + self.leaving
        return Room(self.nodes, 2 * self.nodes, rows, weights, heads, targets, to, queue), -(
            -2 * (queue + 2 * QUEUE) // 16
        ) * 16


def divide_map(network: RoadNetwork, count: int) -> NDArray[np.int32]:
    """Return the region of each node, int32 [n]: ``count`` parts of about as many nodes.

    The map is halved across its longer side, the parts again, and so on; without coordinates parts are runs of nodes.
    """
    n = network.node_count
    if network.coordinates is None:
        return (np.arange(n, dtype=np.int64) * count // max(n, 1)).astype(np.int32)
    places = network.coordinates.astype(np.float64)
    places[:, 0] *= np.cos(np.deg2rad(np.median(places[:, 1]) / 1e6)) if n else 1.0
    region = np.zeros(n, np.int32)
    parts = [(np.arange(n), 0, count)]
    while parts:
        nodes, first, pieces = parts.pop()
        if pieces == 1 or not len(nodes):
            region[nodes] = first
            continue
        here = places[nodes]
        along = here[:, int(np.argmax(np.ptp(here, axis=0)))]
        left = pieces // 2
        middle = len(nodes) * left // pieces
        order = np.argpartition(along, min(middle, len(nodes) - 1))
        parts.append((nodes[order[:middle]], first, left))
        parts.append((nodes[order[middle:]], first + left, pieces - left))
    return region


def plan_regions(
    network: RoadNetwork, metric: Metric, region: NDArray[np.int32], count: int
) -> tuple[Plan, tuple[int, int, int]]:
    """Return the regions' arrays on the host, and the most nodes, arcs and arcs leaving it that a region has.

    Where a region has more nodes or arcs that leave it than 15 bits can number, its targets mean nothing.
    """
    tails, heads = network.tails(), network.targets
    crossing = region[tails] != region[heads]
    has_inbox = np.zeros(network.node_count, np.bool_)
    has_inbox[heads[crossing]] = True
    order = np.argsort(2 * region + ~has_inbox, kind="stable")
    position = np.empty(network.node_count, np.int32)
    position[order] = np.arange(network.node_count, dtype=np.int32)
    nodes = np.bincount(region, minlength=count)
    first = np.cumsum(nodes) - nodes
    degrees = np.diff(network.offsets)[order].astype(np.int64)
    ends = np.cumsum(degrees)
    arcs = arcs_from(network, order)
    of_arc = region[tails[arcs]]
    arc_counts = np.bincount(of_arc, minlength=count)
    first_arc = np.cumsum(arc_counts) - arc_counts
    leaves = crossing[arcs]
    leaving = np.bincount(of_arc[leaves], minlength=count)
    first_leaving = np.cumsum(leaving) - leaving
    at_head = position[heads[arcs]]
    targets = at_head - first[of_arc]
    targets[leaves] = OUTSIDE + np.arange(np.count_nonzero(leaves)) - first_leaving[of_arc[leaves]]
    of_node = region[order]
    rows = np.empty(network.node_count + count, np.int32)
    rows[np.arange(network.node_count) + of_node] = ends - degrees - first_arc[of_node]
    rows[first + nodes + np.arange(count)] = arc_counts
    records = np.zeros((count, RECORD), np.int32)
    inboxes = np.bincount(region[has_inbox], minlength=count)
    records[:, :7] = np.stack([first, nodes, inboxes, first_arc, arc_counts, first_leaving, leaving], 1)
    plan = Plan(
        records.ravel(),
        order.astype(np.int32),
        rows,
        metric.weights[arcs].astype(np.int32),
        targets.astype(np.uint16),
        at_head[leaves],
        region[heads[arcs]][leaves].astype(np.uint16),
    )
    return plan, (int(nodes.max()), int(arc_counts.max()), int(leaving.max()))


def _processors(run: BaseRun) -> int:
    return max(1, run.device.busy_blocks // BLOCKS_OF_ONE)


def _count(run: BaseRun) -> int:
    """Return into how many regions the network is divided. Raises ``OptionError`` where so many find no place."""
    asked, processors = run.options["regions"], _processors(run)
    if asked == AUTO:
        return min(processors, max(1, run.node_count // LEAST_NODES))
    if int(asked) > processors:
        raise OptionError(
            f"{int(asked):,} regions are more than {run.device.id} can work on at once; choose at most {processors:,}"
        )
    return int(asked)


def _divided(run: BaseRun) -> Divided:
    """Return the regions of the run's network and metric on its device, made at the first call."""
    count, network, metric, device = _count(run), run.network, run.metric, run.device

    def divide() -> Divided:
        plan, largest = plan_regions(network, metric, divide_map(network, count), count)
        return Divided(count, Plan(*(device.put(array) for array in plan)), *largest)

    return network.derive(f"{count} regions for {metric.name} in {device.memory}", divide)


def prepare(run: BaseRun, tell: Tell, cancel: threading.Event | None) -> Mapping[str, float]:
    """Divide the network into regions. Raises ``DeviceMemoryError`` where one does not fit a block's shared memory."""
    begin = time.perf_counter()
    tell("dividing the map", -1.0)
    divided = _divided(run)
    _, needed = divided.room(run.distance_dtype.itemsize)
    if needed > run.device.shared_bytes - STATIC_BYTES or max(divided.nodes, divided.leaving) >= OUTSIDE - 1:
        raise DeviceMemoryError(
            f"a region of {run.network.name} takes {needed / 1e3:,.0f} kB, and a block of {run.device.id} has "
            f"{run.device.shared_bytes / 1e3:,.0f} kB of shared memory: choose near-far-resident, or a smaller network"
        )
    return {DIVIDE: 1e3 * (time.perf_counter() - begin)}


STATIC_BYTES = 4 * MOST_REGIONS + 512
"""Shared memory that the kernel has beside what it is launched with."""

# ----------------------------------------------------------------------------------------------------------- the kernel


class Search(NamedTuple):
    """What a search works on, typed as usual.

    distances  [n], by node
    expanded   [n], by position: the distance at which a node was expanded last, as the last launch left it
    inbox      [n], by position: the least distance that another region sent
    marks      int32 [regions × APART]: 1 where a region was sent something below the limit
    """

    infinity: int
    distances: DeviceArray
    expanded: DeviceArray
    inbox: DeviceArray
    marks: DeviceArray
    recording: Recording


class Widths(NamedTuple):
    """By how much the limits rise, and how many windows a launch has at most."""

    delta: int
    window: int
    most_steps: int


class Log(NamedTuple):
    """What a traced search writes down on the card.

    capacity  the most nodes that fit; 0 in clean runs, which leave the arrays alone
    counter   int32 [1]: how many there are
    nodes     int32 [capacity], with the window of each in ``windows``
    tried     int64 [STEPS_AT_ONCE]: arcs that each window tried
    ended     int64 [STEPS_AT_ONCE × 3]: when it ended, the least distance left, and the next limit
    first     the number of the launch's first window
    """

    capacity: int
    counter: DeviceArray
    nodes: DeviceArray
    windows: DeviceArray
    tried: DeviceArray
    ended: DeviceArray
    first: int


class Own(NamedTuple):
    """A block's shared memory: distances, the same bytes as elements of 32 and of 16 bits, and what threads share."""

    x: DeviceArray
    ints: DeviceArray
    shorts: DeviceArray
    counts: DeviceArray
    least: DeviceArray
    touched: DeviceArray


class Limits(NamedTuple):
    """The limits of queue and window, and where nodes are queued: the counter, and the queue's place."""

    near: int
    limit: int
    counter: int
    queue: int


def start_search(i: int, source: int, search: Search) -> None:
    """Give the source distance 0; nothing was sent or expanded."""
    search.distances[i] = 0 if i == source else search.infinity
    search.expanded[i] = search.infinity
    search.inbox[i] = search.infinity


def open_window(i: int, regions: int, limit: int, infinity: int, control: DeviceArray, marks: DeviceArray) -> None:
    """Give every region a credit for the first window of a launch."""
    marks[i * APART] = 0
    if i == 0:
        control[ACTIVE], control[EPOCH], control[LIMIT] = regions, 0, limit
        control[NEXT], control[NEXT + 1], control[NEXT + 2] = infinity, infinity, infinity
        control[MODE], control[FINISHED], control[STEPS] = 0, 0, 0


@cuda_inlined
def _wait_or_queue(node: int, offer: int, own: Own, limits: Limits) -> None:
    """Queue a node of the region that was lowered, or note that it waits."""
    if offer < limits.near:
        place = atomic_add(own.counts, limits.counter, 1)
        if place < QUEUE:
            own.shorts[At(limits.queue + place)] = node
            return
    if offer < own.least[At(FAR)]:
        atomic_min(own.least, FAR, offer)


@cuda_inlined
def _take_in(node: int, offer: int, own: Own, limits: Limits) -> None:
    """Take over what lay in the inbox of a node."""
    if offer < own.x[At(node)]:
        before = atomic_min(own.x, node, offer)
        if offer < before:
            _wait_or_queue(node, offer, own, limits)


@cuda_inlined
def _take_all_in(base: int, inboxes: int, search: Search, own: Own, limits: Limits) -> None:
    node = cuda.threadIdx.x
    while node < inboxes:
        _take_in(node, latest(search.inbox, base + node), own, limits)
        node += cuda.blockDim.x


@cuda_inlined
def _send(number: int, offer: int, search: Search, room: Room, own: Own, limits: Limits) -> None:
    """Lower the inbox to which an arc leads out of the region, unless it was sent less before."""
    if offer < own.x[At(room.sent + number)]:
        own.x[At(room.sent + number)] = offer
        atomic_min(search.inbox, own.ints[At(room.heads + number)], offer)
        if offer < limits.limit:
            own.touched[At(own.shorts[At(room.to + number)])] = 1
        elif offer < own.least[At(BEYOND)]:
            atomic_min(own.least, BEYOND, offer)


@cuda_inlined
def _expand(first: int, count: int, queue: int, search: Search, room: Room, own: Own, limits: Limits) -> int:
    """Expand up to one queued node for each group of lanes of this warp; return how many arcs this thread tried.

    All lanes of a group go by what the first of them reads, or one might relax from a distance that is lower already
    where the others do not.
    """
    lane, warps = cuda.threadIdx.x & (WARP - 1), cuda.blockDim.x >> WARP_BITS
    i, sub = first + (lane >> SHARE_BITS) * warps, lane & (SHARE - 1)
    node, waits = 0, search.infinity
    if i < count:
        node = int(own.shorts[At(queue + i)])
        distance = own.x[At(node)]
        if distance < own.x[At(room.expanded + node)]:
            waits = distance
    waits = of_first(waits, SHARE)
    if waits == search.infinity:
        return 0
    if sub == 0:
        own.x[At(room.expanded + node)] = waits
    arc, end, tried = own.ints[At(room.rows + node)] + sub, own.ints[At(room.rows + node + 1)], 0
    while arc < end:
        target = int(own.shorts[At(room.targets + arc)])
        offer = min(waits + own.ints[At(room.weights + arc)], search.infinity)
        if target < OUTSIDE:
            if offer < own.x[At(target)]:
                before = atomic_min(own.x, target, offer)
                if offer < before:
                    _wait_or_queue(target, offer, own, limits)
        else:
            _send(target - OUTSIDE, offer, search, room, own, limits)
        tried += 1
        arc += SHARE
    return tried


@cuda_inlined
def _scan(nodes: int, room: Room, own: Own, limits: Limits, infinity: int) -> None:
    """Queue all nodes that wait below the near limit, and find the least distance of the others."""
    least = infinity
    node = cuda.threadIdx.x
    while node < nodes:
        distance = own.x[At(node)]
        if distance < own.x[At(room.expanded + node)]:
            if distance < limits.near:
                _wait_or_queue(node, distance, own, limits)
            elif distance < least:
                least = distance
        node += cuda.blockDim.x
    min_of_warp(own.least, FAR, least)


@cuda_inlined
def _note_window(
    window: int, base: int, nodes: int, tried: int, search: Search, plan: Plan, room: Room, own: Own, log: Log
) -> None:
    """Note which nodes of the region were expanded in a window, and which distances fell."""
    recording, step = search.recording, log.first + window
    improved = 0
    place = cuda.threadIdx.x
    while place < nodes:
        node = plan.node_at[Index(base + place)]
        expanded, distance = own.x[At(room.expanded + place)], own.x[At(place)]
        if expanded < search.expanded[Index(base + place)]:
            search.expanded[Index(base + place)] = expanded
            slot = next_place(log.counter, 0)
            log.nodes[Index(slot)] = node
            log.windows[Index(slot)] = window
        before = search.distances[Index(node)]
        if distance < before:
            if before == search.infinity:
                recording.first_reached[Index(node)] = step
            recording.last_improved[Index(node)] = step
            search.distances[Index(node)] = distance
            improved += 1
        place += cuda.blockDim.x
    if improved > 0:
        atomic_add(recording.improved, window, improved)
    if tried > 0:
        atomic_add(log.tried, window, tried)


@cuda_inlined
def _move_on(
    regions: int, epoch: int, most_nodes: int, widths: Widths, search: Search, control: DeviceArray, log: Log
) -> None:
    """Open the next window: one thread, of the block that gave back the last credit."""
    least = latest(control, NEXT + epoch % 3)
    control[Index(NEXT + (epoch + 2) % 3)] = search.infinity
    limit = min(least + widths.window, search.infinity)
    control[Index(LIMIT + (epoch + 1) % 2)] = limit
    full = log.capacity > 0 and latest(log.counter, 0) + 2 * most_nodes > log.capacity
    control[Index(STEPS)] = epoch + 1
    control[Index(LOW)] = least
    if least == search.infinity or epoch + 1 >= widths.most_steps or full:
        control[Index(MODE)] = 1
        if least == search.infinity:
            control[Index(FINISHED)] = 1
    if log.capacity > 0:
        log.ended[Index(3 * epoch)] = timer_ns()
        log.ended[Index(3 * epoch + 1)] = least
        log.ended[Index(3 * epoch + 2)] = limit
    atomic_exchange(control, ACTIVE, regions)
    fence()
    atomic_exchange(control, EPOCH, epoch + 1)


def _search_regions(  # noqa: PLR0912, PLR0915 - one loop whose registers every branch shares
    node_count: int,
    widths: Widths,
    search: Search,
    plan: Plan,
    room: Room,
    control: DeviceArray,
    log: Log,
) -> None:
    x = cuda.shared.array(0, search.distances.dtype)
    ints = cuda.shared.array(0, plan.rows.dtype)
    shorts = cuda.shared.array(0, plan.targets.dtype)
    counts = cuda.shared.array(4, types.int32)
    least = cuda.shared.array(LEAST_SIZE, search.distances.dtype)
    told = cuda.shared.array(TOLD_SIZE, types.int64)
    touched = cuda.shared.array(MOST_REGIONS, types.int32)
    own = Own(x, ints, shorts, counts, least, touched)
    me, threads = cuda.threadIdx.x, cuda.blockDim.x
    region, regions = cuda.blockIdx.x, cuda.gridDim.x
    infinity = search.infinity
    record = region * RECORD
    base, nodes, inboxes = plan.records[record], plan.records[record + 1], plan.records[record + 2]
    first_arc, arcs = plan.records[record + 3], plan.records[record + 4]
    first_leaving, leaving = plan.records[record + 5], plan.records[record + 6]
    if region == 0 and me == 0:
        control[Index(BEGIN)] = timer_ns()
    i = me
    while i < nodes:
        x[At(i)] = search.distances[Index(plan.node_at[Index(base + i)])]
        x[At(room.expanded + i)] = search.expanded[Index(base + i)]
        i += threads
    i = me
    while i <= nodes:
        ints[At(room.rows + i)] = plan.rows[Index(base + region + i)]
        i += threads
    i = me
    while i < arcs:
        ints[At(room.weights + i)] = plan.weights[Index(first_arc + i)]
        shorts[At(room.targets + i)] = plan.targets[Index(first_arc + i)]
        i += threads
    i = me
    while i < leaving:
        x[At(room.sent + i)] = infinity
        ints[At(room.heads + i)] = plan.heads[Index(first_leaving + i)]
        shorts[At(room.to + i)] = plan.to[Index(first_leaving + i)]
        i += threads
    i = me
    while i < regions:
        touched[At(i)] = 0
        i += threads
    if me < 4:
        counts[At(me)] = 0
    if me == 0:
        least[At(FAR)], least[At(BEYOND)], least[At(WOKEN)] = 0, infinity, infinity
    reader, watcher = threads - 1, max(threads - 33, 0)
    epoch, limit = 0, latest(control, LIMIT)
    near = min(limit, widths.delta)
    owed, released, rounds, tried = 1, False, 0, 0
    current, filling, spare = 0, 1, 2
    queue, next_queue = room.queue, room.queue + QUEUE
    found = infinity
    cuda.syncthreads()
    while True:
        count = min(counts[At(current)], QUEUE)
        while count > 0:
            limits = Limits(near, limit, filling, next_queue)
            first = me >> WARP_BITS
            while first < count:
                tried += _expand(first, count, queue, search, room, own, limits)
                first += threads >> SHARE_BITS
            rounds += 1
            if rounds & (LOOK_EVERY - 1) == 0 and me < inboxes:
                _take_in(me, found, own, limits)
                found = latest(search.inbox, base + me)
            if me == 0:
                counts[At(spare)] = 0
            cuda.syncthreads()
            current, filling, spare = filling, spare, current
            queue, next_queue = next_queue, queue
            count = min(counts[At(current)], QUEUE)
        far = least[At(FAR)]
        if far < limit:
            cuda.syncthreads()
            if me == 0:
                least[At(FAR)] = infinity
                counts[At(spare)] = 0
            near = min(limit, far + widths.delta)
            cuda.syncthreads()
            limits = Limits(near, limit, filling, next_queue)
            if me < inboxes:
                _take_in(me, found, own, limits)
                found = latest(search.inbox, base + me)
            _scan(nodes, room, own, limits, infinity)
            cuda.syncthreads()
            current, filling, spare = filling, spare, current
            queue, next_queue = next_queue, queue
            continue
        limits = Limits(near, limit, filling, next_queue)
        if not released:
            if me == 0 and latest(search.marks, region * APART) != 0:
                atomic_exchange(search.marks, region * APART, 0)
                owed += 1
            fence()
            cuda.syncthreads()
            _take_all_in(base, inboxes, search, own, limits)
            if me == 0:
                counts[At(spare)] = 0
            cuda.syncthreads()
            current, filling, spare = filling, spare, current
            queue, next_queue = next_queue, queue
            if counts[At(current)] > 0 or least[At(FAR)] < limit:
                continue
            i = me
            while i < regions:
                if touched[At(i)] != 0:
                    touched[At(i)] = 0
                    if atomic_exchange(search.marks, i * APART, 1) == 0:
                        atomic_add(control, ACTIVE, 1)
                    fence()
                i += threads
            cuda.syncthreads()
            if me == 0:
                waits = min(least[At(FAR)], least[At(BEYOND)])
                if waits < infinity:
                    atomic_min(control, NEXT + epoch % 3, waits)
                least[At(BEYOND)] = infinity
                fence()
                if atomic_add(control, ACTIVE, -owed) == owed:
                    fence()
                    _move_on(regions, epoch, node_count, widths, search, control, log)
                owed = 0
            released = True
            continue
        if me == 0:
            least[At(WOKEN)] = infinity
        cuda.syncthreads()
        limits = Limits(limit, limit, filling, next_queue)
        turn, marked, now, again, woken = 0, 0, epoch, epoch, False
        while True:
            if me == watcher:
                told[At(NOW + turn)] = latest(control, EPOCH)
            if me == reader:
                told[At(MARKED + turn)] = latest(search.marks, region * APART)
                if told[At(MARKED + turn)] != 0:
                    fence()
                    told[At(AGAIN + turn)] = latest(control, EPOCH)
                else:
                    told[At(AGAIN + turn)] = epoch
            i = me
            while i < inboxes:
                offer = latest(search.inbox, base + i)
                if offer < x[At(i)]:
                    _take_in(i, offer, own, limits)
                    if offer < limit:
                        atomic_min(least, WOKEN, offer)
                i += threads
            if me == 0:
                counts[At(spare)] = 0
            cuda.syncthreads()
            current, filling, spare = filling, spare, current
            queue, next_queue = next_queue, queue
            limits = Limits(limit, limit, filling, next_queue)
            marked, now, again = told[At(MARKED + turn)], told[At(NOW + turn)], told[At(AGAIN + turn)]
            woken = counts[At(current)] > 0
            turn ^= 1
            if marked != 0 or woken or now != epoch:
                break
        if woken:
            near = max(near, min(limit, least[At(WOKEN)] + widths.delta))
        if now == epoch and again == epoch:
            if marked != 0:
                if me == 0:
                    atomic_exchange(search.marks, region * APART, 0)
                owed, released = 1, False
            continue
        if me == 0:
            fence()
            told[At(NEXT_LIMIT)] = latest(control, LIMIT + (epoch + 1) % 2)
            told[At(ENDS)] = latest(control, MODE)
        if log.capacity > 0:
            _take_all_in(base, inboxes, search, own, limits)
        cuda.syncthreads()
        if log.capacity > 0:
            _note_window(epoch, base, nodes, tried, search, plan, room, own, log)
            tried = 0
        if told[At(ENDS)] != 0:
            break
        epoch += 1
        limit = told[At(NEXT_LIMIT)]
        near = min(near, limit)
        owed, released = 1, False
        cuda.syncthreads()
    i = me
    while i < nodes:
        search.distances[Index(plan.node_at[Index(base + i)])] = x[At(i)]
        search.expanded[Index(base + i)] = x[At(room.expanded + i)]
        i += threads


search_regions: Final = CardKernel(_search_regions, together=True)
"""Run windows until nothing waits, ``most_steps`` are done, or the log has no room: a block for each region."""

# ----------------------------------------------------------------------------------------------------------- the search


_WINDOW = f"By how much the limit of all regions rises; auto is {WINDOW_WEIGHTS} mean weights."

_DELTA = f"By how much the limit within a region rises; auto is {DELTA_WEIGHTS} mean weights."

_REGIONS = f"Regions; auto is one for each processor of the card, of at least {LEAST_NODES} nodes."

OPTIONS = (
    Option("window", int, AUTO, _WINDOW, bounds=(1, 2**31 - 1), unit="weights", automatic=True),
    Option("delta", int, AUTO, _DELTA, bounds=(1, 2**31 - 1), unit="weights", automatic=True),
    Option("regions", int, AUTO, _REGIONS, bounds=(1, MOST_REGIONS), unit="regions", automatic=True),
)


def _width(run: Run, name: str, mean_weights: int) -> int:
    """Return a width as given, or so many mean weights, at least 1."""
    given = run.options[name]
    if given != AUTO:
        return int(given)
    weights = run.metric.weights
    return run.measured(name, lambda: max(1, round(mean_weights * float(weights.mean()))) if len(weights) else 1)


@algorithm(
    name="regions",
    reading_order=520,
    title="Regions",
    paper="Ours, of the near-far order of Davidson, Baxter, Garland and Owens 2014 and the credits of Mattern 1989",
    family="Near-far",
    needs=Ability.GRID_BARRIER,
    summary="Divides the map among the blocks of a card, each of which relaxes its region in its own memory and sends "
    "its neighbours what changed. No barrier of the whole card; the division is timed apart.",
    phases=("work off a window",),
    options=OPTIONS,
    prepare=prepare,
)
def regions(run: Run) -> Iterator[int]:
    """Run windows in one launch, or in a few where a traced run's log fills up, and one a launch on small graphs."""
    divided, n = _divided(run), run.node_count
    count, recording, labels = divided.count, run.observer.recording, run.observer.labels
    log = _make_log(run)
    search = Search(
        run.infinity,
        run.distances,
        run.array("expanded", n, run.distance_dtype),
        run.array("inbox", n, run.distance_dtype),
        run.array("marks", count * APART, np.int32),
        run.recording(run.array("windows improved", STEPS_AT_ONCE, np.int32)),
    )
    most_steps = 1 if labels is not None else STEPS_AT_ONCE
    widths = Widths(_width(run, "delta", DELTA_WEIGHTS), _width(run, "window", WINDOW_WEIGHTS), most_steps)
    control = run.array("control", CONTROL_SIZE, np.int64)
    room, shared_bytes = divided.room(run.distance_dtype.itemsize)
    run.launch(start_search, n, run.source, search)
    finished, low, limit = False, 0, min(widths.window, run.infinity)
    while not finished:
        if recording:
            run.launch(fill, 1, log.counter, 0)
            run.launch(fill, STEPS_AT_ONCE, log.tried, 0)
            run.launch(fill, STEPS_AT_ONCE, search.recording.improved, 0)
        run.launch(open_window, count, count, limit, run.infinity, control, search.marks)
        run.launch_card(search_regions, count, BLOCK, shared_bytes, n, widths, search, divided.plan, room, control, log)
        values = run.read(control)
        finished, taken = bool(values[FINISHED]), values[STEPS]
        if recording:
            _hand_over(run, log, values, low, limit)
            log = log._replace(first=log.first + taken)
        low = values[LOW]
        limit = min(low + widths.window, run.infinity)
        yield taken


def _make_log(run: Run) -> Log:
    """Return the log of a traced run, or one without room for a clean one."""
    unused, wide = run.array("unused", 1, np.int32), run.array("unused wide", 1, np.int64)
    if not run.observer.recording:
        return Log(0, unused, unused, unused, wide, wide, 0)
    capacity = 2 * run.node_count + LOG_NODES
    return Log(
        capacity,
        run.array("log counter", 1, np.int32),
        run.array("log nodes", capacity, np.int32),
        run.array("log windows", capacity, np.int32),
        run.array("log tried", STEPS_AT_ONCE, np.int64),
        run.array("log ended", 3 * STEPS_AT_ONCE, np.int64),
        0,
    )


def _hand_over(run: Run, log: Log, control: list[int], low: int, limit: int) -> None:
    """Give the windows of the last launch to the observer; what it took beside them counts for the first."""
    launch_ns = run.observer.lap_ns()
    device, count, labels = run.device, control[STEPS], run.observer.labels
    logged = run.read(log.counter)[0]
    nodes: NDArray[np.int32] = device.get(log.nodes, logged)
    windows: NDArray[np.int32] = device.get(log.windows, logged)
    ended, lows, limits = device.get(log.ended, 3 * count).reshape(-1, 3).T
    time_ns = np.diff(ended, prepend=control[BEGIN])
    time_ns[0] += max(0, launch_ns - int(time_ns.sum()))
    table = StepTable(
        sizes=np.bincount(windows, minlength=count),
        improved=device.get(run.array("windows improved", STEPS_AT_ONCE, np.int32), count).astype(np.int64),
        time_ns=time_ns,
        note=NOTE,
        figures={
            "bucket_low": np.concatenate(([low], lows[:-1])),
            "bucket_high": np.concatenate(([limit], limits[:-1])),
        },
        tentative=None if labels is None else labels.labels(device.get(run.distances, run.node_count))[None],
    )
    in_order = np.lexsort((nodes, windows))
    run.observer.add_steps(nodes[in_order], table, device.get(log.tried, count))
