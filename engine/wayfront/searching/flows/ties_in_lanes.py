"""What 64 neighbouring sources give back where all ties share, and the figures of their trees.

Distances are known, in rows of 64 (``in_lanes``). The number of paths to a node is the sum of those to the tails of its
tight arcs, and what one path carries, h = (what ends there) / σ + the sum of the heads' h. Both are taken from the
neighbours' rows, node after node, nearest first for the one and farthest first for the other, going back to a node
whose neighbour changed after it: sums are made anew each time, until nothing changes. Then each tight arc carries
σ(tail) · h(head).

Demand may be any number here, and fall with distance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.devices.compiling import inlined, loop_without_allocation, part_without_checks
from wayfront.dissection.host.flows_lanes import NO_LANES, WIDTH
from wayfront.dissection.host.vectors import LANES_64, Vector, add, lanes_below, lanes_equal, load, splat

MOST_JUMPS = 1 << 14
"""How often rows of one block are gone back to at once when a neighbour changes them; later ones wait for the next
round, since on odd networks going back might take for ever."""


@loop_without_allocation
def share_in_lanes(
    count: int, sources: Any, shares: Any, limit: int, bits: int, demand: Any, decay: Any, room: Any, sums: Any
) -> bool:
    """Add the flows of 64 sources, −1 for none, to the nodes that have rows and distances.

    ``shares`` float64 [64] and ``demand`` float64 [n] are p and q; ``decay`` float64 is what demand is multiplied by at
    each raw distance, which is what is above the lowest ``bits``, or [0] for none. Return whether all numbers of paths
    are numbers still.
    """
    if not _count_paths(count, sources, limit, room):
        return False
    _send(count, shares, limit, bits, demand, decay, room, sums)
    _find_loads(count, limit, room)
    _add_flows(count, limit, room, sums)
    for lane in range(WIDTH):
        if sources[lane] >= 0:
            row = room.row[sources[lane]]
            at = row * WIDTH + lane
            left = room.loads[at] - room.ending[at]
            sums.starts[sources[lane]] += left
            sums.through[sources[lane]] -= left
    return True


@part_without_checks
def _count_paths(count: int, sources: Any, limit: int, room: Any) -> bool:
    """Find the numbers of shortest paths; return whether none is too large."""
    room.paths[: count * WIDTH] = 0.0
    for lane in range(WIDTH):
        if sources[lane] >= 0:
            room.paths[room.row[sources[lane]] * WIDTH + lane] = 1.0
    room.stale[:count] = 1
    beyond, fits, following, jumps, again = splat(LANES_64, np.int32(limit + 1)), True, 0, 0, False
    while following < count or again:
        if following == count:
            following, again = 0, False
        row, following = following, following + 1
        if room.stale[row] != 0:
            room.stale[row] = 0
            distance = load(LANES_64, room.distance, row * WIDTH)
            live = lanes_below(distance, beyond)
            _add_paths(row, distance, live, room)
            if _is_new(room.found, room.paths[row * WIDTH : (row + 1) * WIDTH]):
                lowest = np.int64(row + 1)
                for arc in range(room.out_first[row], room.out_first[row + 1]):
                    head = np.int64(room.head[arc])
                    through = add(distance, splat(LANES_64, room.out_weight[arc]))
                    if lanes_equal(through, load(LANES_64, room.distance, head * WIDTH)) & live:
                        room.stale[head] = 1
                        lowest = head if head < lowest else lowest
                if lowest <= row:
                    jumps += 1
                    following, again = (int(lowest), again) if jumps < MOST_JUMPS else (following, True)
            for lane in range(WIDTH):
                fits &= room.found[lane] < np.inf
    return fits


@inlined
def _add_paths(row: int, distance: Vector, live: np.uint64, room: Any) -> None:
    """Write the numbers of paths to a node, those to its in-neighbours together, to ``found``."""
    mine, found = room.distance[row * WIDTH : (row + 1) * WIDTH], room.found
    for lane in range(WIDTH):
        found[lane] = 1.0 if mine[lane] == 0 else 0.0
    for arc in range(room.first[row], room.first[row + 1]):
        tail, weight = np.int64(room.tail[arc]) * WIDTH, room.weight[arc]
        if lanes_equal(add(load(LANES_64, room.distance, tail), splat(LANES_64, weight)), distance) & live:
            theirs, paths = room.distance[tail : tail + WIDTH], room.paths[tail : tail + WIDTH]
            for lane in range(WIDTH):
                found[lane] += paths[lane] if theirs[lane] + weight == mine[lane] else 0.0


@inlined
def _is_new(found: Any, before: Any) -> bool:
    """Write a row over the one before; return whether they differ."""
    changed = False
    for lane in range(WIDTH):
        changed |= found[lane] != before[lane]
        before[lane] = found[lane]
    return changed


@part_without_checks
def _send(count: int, shares: Any, limit: int, bits: int, demand: Any, decay: Any, room: Any, sums: Any) -> None:
    """Find what one path to each node carries that ends there."""
    masses, spare = room.found, room.spare
    for row in range(count):
        mine, paths = room.distance[row * WIDTH : (row + 1) * WIDTH], room.paths[row * WIDTH : (row + 1) * WIDTH]
        ending, amount = room.ending[row * WIDTH : (row + 1) * WIDTH], demand[room.nodes[row]]
        for lane in range(WIDTH):
            masses[lane] = shares[lane] * amount if (mine[lane] > 0) & (mine[lane] <= limit) else 0.0
            spare[lane] = masses[lane]
        sums.totals[1] -= _total(spare)
        if len(decay):
            for lane in range(WIDTH):
                masses[lane] *= decay[min(mine[lane], limit) >> bits]
        for lane in range(WIDTH):
            spare[lane] = masses[lane]
            ending[lane] = masses[lane] / paths[lane] if masses[lane] > 0.0 else 0.0
        arrived = _total(spare)
        sums.ends[room.nodes[row]] += arrived
        sums.totals[0] += arrived
        for lane in range(WIDTH):
            spare[lane] = masses[lane] * (mine[lane] >> bits)
        sums.totals[2] += _total(spare)
        room.stale[row] = 1


@inlined
def _total(row: Any) -> float:
    """Return the sum of 64 numbers, which are not kept: halves are added to each other, in vectors."""
    for lane in range(32):
        row[lane] += row[lane + 32]
    for lane in range(16):
        row[lane] += row[lane + 16]
    for lane in range(8):
        row[lane] += row[lane + 8]
    return (row[0] + row[1]) + (row[2] + row[3]) + ((row[4] + row[5]) + (row[6] + row[7]))


@part_without_checks
def _find_loads(count: int, limit: int, room: Any) -> None:
    """Find what one path to each node carries there: to it, and on."""
    room.loads[: count * WIDTH] = 0.0
    beyond, following, jumps, again = splat(LANES_64, np.int32(limit + 1)), count - 1, 0, False
    while following >= 0 or again:
        if following < 0:
            following, again = count - 1, False
        row, following = following, following - 1
        if room.stale[row] != 0:
            room.stale[row] = 0
            distance = load(LANES_64, room.distance, row * WIDTH)
            live = lanes_below(distance, beyond)
            _add_loads(row, distance, beyond, room)
            if live != NO_LANES and _is_new(room.found, room.loads[row * WIDTH : (row + 1) * WIDTH]):
                highest = np.int64(row - 1)
                for arc in range(room.first[row], room.first[row + 1]):
                    tail = np.int64(room.tail[arc])
                    behind = load(LANES_64, room.distance, tail * WIDTH)
                    if lanes_equal(add(behind, splat(LANES_64, room.weight[arc])), distance) & live:
                        room.stale[tail] = 1
                        highest = tail if tail > highest else highest
                if highest >= row:
                    jumps += 1
                    following, again = (int(highest), again) if jumps < MOST_JUMPS else (following, True)


@inlined
def _add_loads(row: int, distance: Vector, beyond: Vector, room: Any) -> None:
    """Write what a path to a node carries, that ends there and goes on to its out-neighbours, to ``found``."""
    mine, found = room.distance[row * WIDTH : (row + 1) * WIDTH], room.found
    ending = room.ending[row * WIDTH : (row + 1) * WIDTH]
    for lane in range(WIDTH):
        found[lane] = ending[lane]
    for arc in range(room.out_first[row], room.out_first[row + 1]):
        head, weight = np.int64(room.head[arc]) * WIDTH, room.out_weight[arc]
        ahead = load(LANES_64, room.distance, head)
        if lanes_equal(add(distance, splat(LANES_64, weight)), ahead) & lanes_below(ahead, beyond):
            theirs, loads = room.distance[head : head + WIDTH], room.loads[head : head + WIDTH]
            for lane in range(WIDTH):
                found[lane] += loads[lane] if mine[lane] + weight == theirs[lane] else 0.0


@part_without_checks
def _add_flows(count: int, limit: int, room: Any, sums: Any) -> None:
    """Add the flow of each tight arc, and of all that leave a node together, to what passes it."""
    beyond, spare = splat(LANES_64, np.int32(limit + 1)), room.spare
    for row in range(count):
        distance = load(LANES_64, room.distance, row * WIDTH)
        mine, paths = room.distance[row * WIDTH : (row + 1) * WIDTH], room.paths[row * WIDTH : (row + 1) * WIDTH]
        together = 0.0
        for arc in range(room.out_first[row], room.out_first[row + 1]):
            head, weight = np.int64(room.head[arc]) * WIDTH, room.out_weight[arc]
            ahead = load(LANES_64, room.distance, head)
            if lanes_equal(add(distance, splat(LANES_64, weight)), ahead) & lanes_below(ahead, beyond):
                theirs, loads = room.distance[head : head + WIDTH], room.loads[head : head + WIDTH]
                for lane in range(WIDTH):
                    spare[lane] = paths[lane] * loads[lane] if mine[lane] + weight == theirs[lane] else 0.0
                flow = _total(spare)
                sums.flow[room.out_slot[arc]] += flow
                together += flow
        sums.through[room.nodes[row]] += together


@loop_without_allocation
def add_figures(
    count: int, begin: int, sources: Any, limit: int, bits: int, metres: Any, ends: Any, room: Any, figures: Any
) -> None:
    """Write the figures of 64 sources, −1 for none, from row ``begin`` on: see ``FIGURES``.

    Of split nodes, whose last copies ``ends`` int32 [n] names, or [0] where there are none, each counts once.
    """
    for row in range(count):
        node = room.nodes[row]
        if len(ends) and ends[node] != node:
            continue
        for lane in range(WIDTH):
            distance = room.distance[row * WIDTH + lane]
            elsewhere = not (len(ends) and sources[lane] >= 0 and ends[sources[lane]] == node)
            if elsewhere and 0 < distance <= limit:
                raw = distance >> bits
                figures[begin + lane, 0] += 1.0
                figures[begin + lane, 1] += raw
                if raw > 0:
                    figures[begin + lane, 2] += 1.0 / raw
                if len(metres) and raw > 0:
                    square = 0.0
                    for axis in range(3):
                        square += (metres[node, axis] - metres[sources[lane], axis]) ** 2
                    figures[begin + lane, 3] += np.sqrt(square) / raw
