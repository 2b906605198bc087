"""Flows within a radius, 64 neighbouring sources at a time: most of what they reach is the same.

The nodes within the radius of any of them are found by one search, in the order of their distance to the nearest, and
are given rows of 64 distances, a lane for each source. Each node takes the least of its in-neighbours' rows plus the
arcs' weights, node after node in that order, until nothing changes any more: since paths lead outward nearly all of
that happens in the first round, and later ones look only at nodes whose neighbours changed. It is the method of Bellman
and Ford with an order that a few rounds suffice for, and one instruction does what a heap would take 64 turns for.

Then what ends at every node is given back, farthest nodes first: to the first tight arc of each lane, arcs by the ids
of their tails, as ``by_trees`` does, so that both find the same flows. What comes to a node that had its turn goes on
in the next round.

That is in whole numbers: one path a pair, whole demand. Where all ties share, ``ties_in_lanes`` gives back.

Where arcs of weight 0 could lead back to where a path has been, a weight w is taken for 2ᵇ · w + 1, as trees take it
for K · w + 1. A path within the radius has fewer arcs than there are rows, and these are fewer than 2ᵇ, so that both
find the same paths; the distance is what is above the lowest b bits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, loop_without_allocation, part
from wayfront.devices.cpu import CpuDevice, aligned_empty
from wayfront.dissection.host.flows import LANE_LIMIT
from wayfront.dissection.host.flows_lanes import ALL_LANES, NO_LANES, WIDTH, members_in, sum_over
from wayfront.dissection.host.vectors import (
    LANES_64,
    Vector,
    add,
    get,
    keep_lanes,
    lanes_below,
    lanes_equal,
    load,
    minimum,
    put,
    splat,
    store,
    total_of_products,
    without_low_bits,
)
from wayfront.kernels.wide_heap import drop_first, enter
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.memory import require_memory
from wayfront.searching.flows.by_trees import FIGURES, TOO_MANY_PATHS, Asked, Found, OpenArcs, Sums, flows_by_trees
from wayfront.searching.flows.ties_in_lanes import add_figures, share_in_lanes

MOST_NODES = 1 << 14
"""Rows that a core has: 64 sources that reach more are left to trees, whose memory does not grow by 64."""

AT_ONCE = 16
"""Blocks of 64 sources that a core takes, and between two reports of progress."""

MOST_DECAYS = 1 << 22
"""Raw distances at which a decay is looked up in a table; with a longer radius trees find it."""

FAR = 1 << 30
"""In place of a distance that is not known."""


FEWEST_BITS = 8
"""Where the radius leaves fewer bits for numbers of arcs, and so for rows, blocks hardly fit, and trees find all."""

LARGEST = 1 << 62
"""Sums in whole numbers are less than this."""

_BYTES_OF_NODE, _BYTES_OF_ARC = 8 + 24, 8 * 7 + 40
"""Memory of a core for each node and arc, without its rows."""


def suits(arcs: OpenArcs, asked: Asked) -> bool:
    """Return whether flows are within a radius and those that can be found here: shared, or whole numbers."""
    p, q = asked.shares, asked.targets.weights
    if asked.limit >= (FAR >> FEWEST_BITS if arcs.step > 1 else FAR) or not (len(p) and len(q)):
        return False
    if asked.all_ties:
        return asked.decay is None or asked.limit < MOST_DECAYS
    whole = bool((p == np.floor(p)).all()) and bool((q == np.floor(q)).all()) and asked.decay is None
    return whole and q.sum() < LANE_LIMIT and p.sum() * q.sum() * (asked.limit + 1.0) < LARGEST


class _Reach(NamedTuple):
    """How far blocks reach: to the distance ``limit``, whose lowest ``bits`` count arcs, and to so many ``rows``."""

    limit: int
    bits: int
    rows: int

    @classmethod
    def of(cls, arcs: OpenArcs, limit: int) -> _Reach:
        """Return it for a raw limit: there are bits where a weight is 0."""
        rows = min(len(arcs.offsets) - 1, MOST_NODES)
        if arcs.step == 1:
            return cls(limit, 0, rows)
        bits = min((FAR // (limit + 1)).bit_length() - 1, rows.bit_length())
        return cls(((limit + 1) << bits) - 1, bits, min(rows, (1 << bits) - 1))


class _Core:
    """What one core works with, and what it found."""

    def __init__(self, n: int, arcs: int, rows: int, all_ties: bool) -> None:
        self.room = Room.of(n, arcs, rows, all_ties)
        self.whole = Whole.none(n, 0 if all_ties else arcs)
        self.shared = Sums.none(n, arcs if all_ties else 0)


def flows_in_lanes(
    arcs: OpenArcs,
    asked: Asked,
    rank: NDArray[np.int32],
    device: CpuDevice,
    report: Callable[[float], None],
    cancel: threading.Event | None,
) -> Found:
    """Return the flows of sources within a radius, as ``flows_by_trees`` finds them. Raises what that raises."""
    n, k, count = len(arcs.offsets) - 1, len(arcs.heads), len(asked.sources)
    blocks = -(-count // WIDTH)
    cores = min(device.threads, blocks)
    per_row = WIDTH * (4 + 24 if asked.all_ties else 8)
    reach = _Reach.of(arcs, asked.limit)
    require_memory(cores * (n * _BYTES_OF_NODE + k * _BYTES_OF_ARC + per_row * reach.rows), "flows")
    blocked, entering = _Blocks.of(asked, blocks), inward(arcs, rank, reach.bits)
    each = [_Core(n, k, reach.rows, asked.all_ties) for _ in range(cores)]
    too_many = np.zeros(blocks * WIDTH, np.bool_)
    done = 0

    def work(first: int, core: int) -> None:
        nonlocal done
        for block in range(first, min(first + AT_ONCE, blocks)):
            if cancel is not None and cancel.is_set():
                raise SearchCancelled("adding up flows was stopped")
            lanes = slice(block * WIDTH, (block + 1) * WIDTH)
            too_many[lanes] = not _add_block(entering, asked, reach, blocked, lanes, each[core])
            done += 1
        report(done / blocks)

    device.divide(work, range(0, blocks, AT_ONCE))
    left = too_many[:count]
    p, q = asked.shares[~left], asked.targets.weights
    wanted = float(p @ (q.sum() - q[asked.sources[~left]]))
    sums, distance = _together(arcs, asked, each, wanted)
    found = Found(sums, blocked.figures[:count], distance)
    if not left.any():
        return found
    rest = asked._replace(sources=asked.sources[left], shares=asked.shares[left])
    trees = flows_by_trees(arcs, rest, rank, device, report, cancel)
    found.sums.add(trees.sums)
    if asked.figures:
        found.figures[left] = trees.figures
    return found._replace(distance=found.distance + trees.distance)


class _Blocks(NamedTuple):
    """Sources in blocks of 64, −1 for none, and p of each; q and decay; and a row of figures for each."""

    sources: NDArray[np.int32]
    shares: NDArray[np.float64]
    members: NDArray[np.int64]
    demand: NDArray[np.int32]
    decay: NDArray[np.float64]
    unit: bool
    figures: NDArray[np.float64]

    @classmethod
    def of(cls, asked: Asked, blocks: int) -> _Blocks:
        """Return so many blocks of what is asked for."""
        count, rows = len(asked.sources), blocks * WIDTH
        sources, shares = np.full(rows, -1, np.int32), np.zeros(rows)
        sources[:count], shares[:count] = asked.sources, asked.shares
        whole = np.zeros(0) if asked.all_ties else asked.targets.weights
        return cls(
            sources,
            shares,
            np.zeros(rows, np.int64) if asked.all_ties else shares.astype(np.int64),
            whole.astype(np.int32),
            _decays(asked),
            bool((asked.shares == 1).all()),
            np.zeros((rows if asked.figures else 0, len(FIGURES))),
        )


def _add_block(entering: Inward, asked: Asked, reach: _Reach, blocked: _Blocks, lanes: slice, core: _Core) -> bool:
    """Add what a block of sources sends; return False where it reaches too many nodes. Raises ``NetworkError``."""
    sources, room, (limit, bits, _) = blocked.sources[lanes], core.room, reach
    rows = gather(entering, sources, limit, room)
    if rows < 0:
        return False
    find_distances(rows, sources, room)
    if not asked.all_ties:
        members, unit = blocked.members[lanes], blocked.unit
        flow_in_lanes(rows, sources, members, unit, limit, bits, blocked.demand, room, core.whole)
    elif not share_in_lanes(
        rows, sources, blocked.shares[lanes], limit, bits, asked.targets.weights, blocked.decay, room, core.shared
    ):
        raise NetworkError(TOO_MANY_PATHS)
    if asked.figures:
        add_figures(rows, lanes.start, sources, limit, bits, asked.metres, asked.ends, room, blocked.figures)
    forget(rows, room)
    return True


def _decays(asked: Asked) -> NDArray[np.float64]:
    """Return what demand is multiplied by at each raw distance, nothing where it does not fall."""
    if asked.decay is None:
        return np.empty(0)
    return asked.decay.at(np.arange(asked.limit + 1) * asked.scale)


def _together(arcs: OpenArcs, asked: Asked, cores: list[_Core], wanted: float) -> tuple[Sums, int]:
    """Return what all cores found, in floating point, where whole numbers are exact, and their sum of distances."""
    if asked.all_ties:
        for core in cores[1:]:
            cores[0].shared.add(core.shared)
        cores[0].shared.totals[1] += wanted
        return cores[0].shared, 0
    parts = [core.whole for core in cores]
    flow, starts, ends, travelled = (sum(part[1:], part[0]) for part in zip(*parts, strict=True))
    coming = np.bincount(arcs.heads, flow, minlength=len(ends))
    arrived, distance = int(ends.sum()), int(travelled[0])
    totals = np.array([arrived, wanted - arrived, distance], np.float64)
    real = [column.astype(np.float64) for column in (flow, coming - ends, starts, ends)]
    return Sums(real[0], real[1], real[2], real[3], totals), distance


class Inward(NamedTuple):
    """Open arcs by their heads and the ids of their tails, and by their tails.

    offsets  int64 [n + 1], tails int32, weights int32, slots int32 [k]: those that enter each node
    out_offsets  int64 [n + 1], heads int32 [k], out_weights int32 [k]: those that leave it
    """

    offsets: NDArray[np.int64]
    tails: NDArray[np.int32]
    weights: NDArray[np.int32]
    slots: NDArray[np.int32]
    out_offsets: NDArray[np.int64]
    heads: NDArray[np.int32]
    out_weights: NDArray[np.int32]


def inward(arcs: OpenArcs, rank: NDArray[np.int32], bits: int) -> Inward:
    """Return the arcs; ``rank`` are the places of nodes' ids in their order, and ``bits`` those that count arcs."""
    n, raw = len(arcs.offsets) - 1, arcs.weights // arcs.step
    weights = np.minimum((raw << bits) + (arcs.step > 1), FAR).astype(np.int32)
    order = np.lexsort((rank[arcs.tails], arcs.heads))
    into = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(arcs.heads, minlength=n))))
    return Inward(into, arcs.tails[order], weights[order], order.astype(np.int32), arcs.offsets, arcs.heads, weights)


class Whole(NamedTuple):
    """What a core adds up, in whole numbers: as ``Sums``; ``travelled`` int64 [1], demand times raw distance."""

    flow: NDArray[np.int64]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    travelled: NDArray[np.int64]

    @classmethod
    def none(cls, n: int, arcs: int) -> Whole:
        """Return nothing yet."""
        return cls(np.zeros(arcs, np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64), np.zeros(1, np.int64))


class Room(NamedTuple):
    """What a core needs for 64 sources after the other.

    distance, flow  int32 rows of 64
    nodes     int32: the nodes that have rows, nearest first; ``row`` int32 [n]: −1 for none
    nearest   int32 [n]: distances to the nearest source while they are searched for; ``FAR`` between
    first     int32: where the arcs into each row begin; ``tail``, ``weight``, ``slot`` are of these arcs
    out_first, head, out_weight, out_slot  the arcs that leave each row
    stale     uint8: rows that have to be looked at
    keys, entries    the heap
    paths, ending, loads  float64 rows of 64 where ties share, with ``found`` and ``spare`` one row each: numbers of
              paths, and what one path carries that ends there, and in all
    """

    distance: NDArray[np.int32]
    flow: NDArray[np.int32]
    nodes: NDArray[np.int32]
    row: NDArray[np.int32]
    nearest: NDArray[np.int32]
    first: NDArray[np.int32]
    tail: NDArray[np.int32]
    weight: NDArray[np.int32]
    slot: NDArray[np.int32]
    out_first: NDArray[np.int32]
    head: NDArray[np.int32]
    out_weight: NDArray[np.int32]
    out_slot: NDArray[np.int32]
    stale: NDArray[np.uint8]
    keys: NDArray[np.int32]
    entries: NDArray[np.int32]
    paths: NDArray[np.float64]
    ending: NDArray[np.float64]
    loads: NDArray[np.float64]
    found: NDArray[np.float64]
    spare: NDArray[np.float64]

    @classmethod
    def of(cls, n: int, arcs: int, rows: int, all_ties: bool) -> Room:
        """Return it for n nodes and so many arcs, with what is needed where ties share, or where one carries all."""
        shared, whole = (rows * WIDTH, 0) if all_ties else (0, rows * WIDTH)
        return cls(
            aligned_empty(rows * WIDTH, np.int32),
            aligned_empty(whole, np.int32),
            np.empty(rows, np.int32),
            np.full(n, -1, np.int32),
            np.full(n, FAR, np.int32),
            np.empty(rows + 1, np.int32),
            np.empty(arcs, np.int32),
            np.empty(arcs, np.int32),
            np.empty(arcs, np.int32),
            np.empty(rows + 1, np.int32),
            np.empty(arcs, np.int32),
            np.empty(arcs, np.int32),
            np.empty(arcs, np.int32),
            np.empty(rows, np.uint8),
            np.empty(arcs + WIDTH + 1, np.int32),
            np.empty(arcs + WIDTH + 1, np.int32),
            aligned_empty(shared, np.float64),
            aligned_empty(shared, np.float64),
            aligned_empty(shared, np.float64),
            aligned_empty(WIDTH, np.float64),
            aligned_empty(WIDTH, np.float64),
        )


@loop
def gather(arcs: Any, sources: Any, limit: int, room: Any) -> int:
    """Give rows to the nodes within a limit of any source, −1 for none, and list their arcs.

    Return how many there are, −1 where they are too many: then none has a row.
    """
    count, fits = _search(arcs, sources, limit, room)
    if fits:
        _list_arcs(arcs, count, limit, room)
    for row in range(count):
        if not fits:
            room.row[room.nodes[row]] = -1
    return count if fits else -1


@part
def _search(arcs: Any, sources: Any, limit: int, room: Any) -> tuple[int, bool]:
    """Give rows to nodes, nearest first; return how many, and whether that was all of them."""
    size, count, fits = 0, 0, True
    for source in sources:
        if source >= 0:
            room.nearest[source] = 0
            room.keys[size], room.entries[size] = 0, source
            size += 1
    while size > 0 and fits:
        here, node = room.keys[0], room.entries[0]
        size = drop_first(room.keys, room.entries, size)
        if room.row[node] >= 0:
            continue
        fits = count < len(room.nodes)
        if fits:
            room.row[node], room.nodes[count] = count, node
            count += 1
            for arc in range(arcs.out_offsets[node], arcs.out_offsets[node + 1]):
                head, through = arcs.heads[arc], here + arcs.out_weights[arc]
                if through <= limit and through < room.nearest[head]:
                    room.nearest[head] = through
                    size = enter(room.keys, room.entries, size, through, head)
        room.nearest[node] = FAR if not fits else here
    for entry in range(size):
        room.nearest[room.entries[entry]] = FAR
    for row in range(count):
        room.nearest[room.nodes[row]] = FAR
    return count, fits


@part
def _list_arcs(arcs: Any, count: int, limit: int, room: Any) -> None:
    """List the arcs between nodes that have rows."""
    into, out = 0, 0
    for row in range(count):
        node = room.nodes[row]
        room.first[row], room.out_first[row] = into, out
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            tail = room.row[arcs.tails[arc]]
            if tail >= 0 and arcs.weights[arc] <= limit:
                room.tail[into], room.weight[into], room.slot[into] = tail, arcs.weights[arc], arcs.slots[arc]
                into += 1
        for arc in range(arcs.out_offsets[node], arcs.out_offsets[node + 1]):
            head = room.row[arcs.heads[arc]]
            if head >= 0 and arcs.out_weights[arc] <= limit:
                room.head[out], room.out_weight[out], room.out_slot[out] = head, arcs.out_weights[arc], arc
                out += 1
    room.first[count], room.out_first[count] = into, out


@loop_without_allocation
def find_distances(count: int, sources: Any, room: Any) -> None:
    """Find the distances of 64 sources, −1 for none, to the nodes that have rows."""
    far = splat(LANES_64, np.int32(FAR))
    for row in range(count):
        store(room.distance, row * WIDTH, far)
        put(room.stale, row, 1)
    for lane in range(WIDTH):
        if get(sources, lane) >= 0:
            put(room.distance, np.int64(get(room.row, get(sources, lane))) * WIDTH + lane, 0)
    _settle_rows(count, room)


@loop_without_allocation
def forget(count: int, room: Any) -> None:
    """Let nodes have no rows again."""
    for row in range(count):
        room.row[room.nodes[row]] = -1


@loop_without_allocation
def flow_in_lanes(
    count: int, sources: Any, members: Any, unit: bool, limit: int, bits: int, demand: Any, room: Any, sums: Any
) -> None:
    """Add the flows of 64 sources, −1 for none, to the nodes that have rows and distances.

    The lowest ``bits`` of distances, ``limit`` too, count arcs.
    """
    beyond = splat(LANES_64, np.int32(limit + 1))
    many = load(LANES_64, members, 0)
    for row in range(count):
        distance = load(LANES_64, room.distance, row * WIDTH)
        reached = lanes_below(distance, beyond)
        node = np.int64(get(room.nodes, row))
        amount = get(demand, node)
        store(room.flow, row * WIDTH, keep_lanes(reached, splat(LANES_64, amount)))
        sums.ends[node] += members_in(unit, reached, many) * np.int64(amount)
        raw = without_low_bits(keep_lanes(reached, distance), bits)
        sums.travelled[0] += total_of_products(raw, many) * np.int64(amount)
        put(room.stale, row, 1)
    for lane in range(WIDTH):  # nobody goes to where he is
        if get(sources, lane) >= 0:
            node = np.int64(get(sources, lane))
            put(room.flow, np.int64(get(room.row, node)) * WIDTH + lane, 0)
            sums.ends[node] -= get(members, lane) * np.int64(get(demand, node))
    _give_back(count, unit, many, room, sums)
    for lane in range(WIDTH):
        if get(sources, lane) >= 0:
            at = np.int64(get(room.row, get(sources, lane))) * WIDTH + lane
            sums.starts[get(sources, lane)] += np.int64(get(room.flow, at)) * get(members, lane)


@inlined
def _settle_rows(count: int, room: Any) -> None:
    again = True
    while again:
        again = False
        for row in range(count):
            if get(room.stale, row) != 0:
                put(room.stale, row, 0)
                before = load(LANES_64, room.distance, row * WIDTH)
                best = before
                for arc in range(get(room.first, row), get(room.first, row + 1)):
                    tail = np.int64(get(room.tail, arc)) * WIDTH
                    best = minimum(
                        best, add(load(LANES_64, room.distance, tail), splat(LANES_64, get(room.weight, arc)))
                    )
                if lanes_below(best, before) != NO_LANES:
                    store(room.distance, row * WIDTH, best)
                    for arc in range(get(room.out_first, row), get(room.out_first, row + 1)):
                        head = np.int64(get(room.head, arc))
                        put(room.stale, head, 1)
                        again = True if head <= row else again


@inlined
def _give_back(count: int, unit: bool, many: Vector, room: Any, sums: Any) -> None:
    """Give what ends at nodes and passes them to the first tight arc of each lane, until all is at its source."""
    none = splat(LANES_64, np.int32(0))
    again = True
    while again:
        again = False
        for row in range(count - 1, -1, -1):
            if get(room.stale, row) != 0:
                put(room.stale, row, 0)
                flow = load(LANES_64, room.flow, row * WIDTH)
                left = lanes_below(none, flow)
                if left != NO_LANES:
                    distance = load(LANES_64, room.distance, row * WIDTH)
                    arc, end, gone = get(room.first, row), get(room.first, row + 1), NO_LANES
                    while arc < end and left != NO_LANES:
                        tail = np.int64(get(room.tail, arc))
                        offer = add(load(LANES_64, room.distance, tail * WIDTH), splat(LANES_64, get(room.weight, arc)))
                        bits = lanes_equal(offer, distance) & left
                        if bits != NO_LANES:
                            left ^= bits
                            gone |= bits
                            taken = keep_lanes(bits, flow)
                            store(room.flow, tail * WIDTH, add(load(LANES_64, room.flow, tail * WIDTH), taken))
                            moved = sum_over(unit, taken, many)
                            sums.flow[get(room.slot, arc)] += moved
                            put(room.stale, tail, 1)
                            again = True if tail >= row else again
                        arc += 1
                    store(room.flow, row * WIDTH, keep_lanes(ALL_LANES ^ gone, flow))
