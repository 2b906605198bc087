"""Select link: the flows of those trips alone that pass one arc; where they start and end says who uses it.

The trips over an arc u → v of weight w come from sources with d(s, u) + w = d(s, v), which two searches towards u and
towards v find for all nodes at once: only their trees are made. In such a tree ρ(x) counts the shortest paths to x that
pass the arc: σ(u) at v, and the sum over tight arcs behind it. Of what goes to t, ρ(t) / σ(t) passes the arc. It is
given back as in ``by_trees``: behind the arc along paths that pass it, by ρ, and before it along all to u, by σ.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.devices.cpu import CpuDevice
from wayfront.safe.memory import require_memory
from wayfront.searching.flows.by_trees import (
    BYTES_OF_ARC,
    BYTES_OF_NODE,
    FAR,
    NO_DECAY,
    Asked,
    Found,
    OpenArcs,
    Scratch,
    Sums,
    add_up,
    decayed,
    given_of,
    settle,
)

AT_ONCE = 500_000
"""Nodes of trees that a core makes between two looks at whether somebody cancelled."""


def flows_over_arc(
    arcs: OpenArcs,
    asked: Asked,
    slot: int,
    rank: NDArray[np.int32],
    device: CpuDevice,
    report: Callable[[float], None],
    cancel: threading.Event | None,
) -> Found:
    """Return the flows of the trips over an arc of ``arcs``; errors are those of ``flows_by_trees``."""
    n, k = len(arcs.offsets) - 1, len(arcs.heads)
    asked = _coming_over(arcs, asked, slot, rank)
    count = len(asked.sources)
    cores = min(device.threads, max(count, 1))
    require_memory(cores * (n * (BYTES_OF_NODE + 8) + k * BYTES_OF_ARC), "flows")
    scratch, over = [Scratch.of(n, k) for _ in range(cores)], [np.empty(n) for _ in range(cores)]
    sums = [Sums.none(n, k) for _ in range(cores)]
    given, travelled = given_of(asked, arcs), np.zeros(count)
    block = max(1, AT_ONCE // max(n, 1))

    def add(begin: int, end: int, core: int) -> bool:
        return _add_trees(
            arcs, asked.sources, asked.shares, asked.targets, given, rank, slot, begin, end, scratch[core], over[core],
            sums[core], travelled,
        )  # fmt: skip

    add_up(device, count, block, add, report, cancel)
    for other in sums[1:]:
        sums[0].add(other)
    sums[0].totals[2] = float(travelled.sum())
    return Found(sums[0], np.zeros((0, 4)), int(sum(int(each) for each in travelled.tolist())))


def _coming_over(arcs: OpenArcs, asked: Asked, slot: int, rank: NDArray[np.int32]) -> Asked:
    """Return what is asked for, of those sources alone that come to the arc's head over it."""
    order = np.argsort(arcs.heads, kind="stable")
    starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(arcs.heads, minlength=len(rank)))))
    back = arcs._replace(offsets=starts, tails=arcs.heads[order], heads=arcs.tails[order], weights=arcs.weights[order])
    given, scratch = given_of(asked, arcs), Scratch.of(len(rank), len(arcs.heads))
    to_tail, to_head = np.empty(len(rank), np.int64), np.empty(len(rank), np.int64)
    _distances_to(back, int(arcs.tails[slot]), given, rank, scratch, to_tail)
    _distances_to(back, int(arcs.heads[slot]), given, rank, scratch, to_head)
    coming = (to_tail != FAR) & (to_head != FAR) & (to_head - to_tail == arcs.weights[slot])
    kept = coming[asked.sources]
    targets = asked.targets
    if len(targets.offsets) > 1:
        counts = np.diff(targets.offsets)
        pairs = np.repeat(kept, counts)
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts[kept])))
        targets = targets._replace(offsets=offsets, nodes=targets.nodes[pairs], trips=targets.trips[pairs])
    sources = asked.sources[kept]
    sources.flags.writeable = False
    return asked._replace(sources=sources, shares=asked.shares[kept], targets=targets)


@loop
def _distances_to(back: Any, node: int, given: Any, rank: Any, scratch: Any, distances: Any) -> None:
    """Write the distances to a node within the limit, ``FAR`` for others; ``back`` are the arcs turned round."""
    settled = settle(back, node, given, rank, scratch, -1)
    distances[:] = FAR
    for place in range(settled):
        distances[scratch.order[place]] = scratch.distance[scratch.order[place]]
    for place in range(settled):
        scratch.distance[scratch.order[place]] = FAR


@loop
def _add_trees(
    arcs: Any,
    sources: Any,
    shares: Any,
    targets: Any,
    given: Any,
    rank: Any,
    slot: int,
    begin: int,
    end: int,
    scratch: Any,
    over: Any,
    sums: Any,
    travelled: Any,
) -> bool:
    """Add the flows of some sources over an arc; return whether all numbers of paths are numbers still."""
    fits, pairs = True, len(targets.offsets) > 1
    for i in range(begin, end):
        left = -1
        wanted = scratch.wanted if pairs else targets.weights
        if pairs:
            left = targets.offsets[i + 1] - targets.offsets[i]
            for pair in range(targets.offsets[i], targets.offsets[i + 1]):
                scratch.wanted[targets.nodes[pair]] = targets.trips[pair]
        settled = settle(arcs, sources[i], given, rank, scratch, left)
        if _count_over(arcs, slot, settled, given.all_ties, scratch, over):
            for place in range(settled - 1, -1, -1):
                node, mass = scratch.order[place], 0.0
                fits &= scratch.paths[node] < np.inf or not given.all_ties
                if over[node] > 0.0:
                    raw = scratch.distance[node] // given.step
                    mass = shares[i] * wanted[node]
                    if given.decay != NO_DECAY:
                        mass *= decayed(raw, given)
                    if given.all_ties:
                        mass *= over[node] / scratch.paths[node]
                    travelled[i] += mass * raw
                    sums.starts[sources[i]] += mass
                    sums.totals[0] += mass
                    sums.ends[node] += mass
                _give_back(arcs, slot, place, mass, given.all_ties, scratch, over, sums)
        for place in range(settled):
            scratch.distance[scratch.order[place]] = FAR
        if pairs:
            for pair in range(targets.offsets[i], targets.offsets[i + 1]):
                scratch.wanted[targets.nodes[pair]] = 0.0
    return fits


@part
def _count_over(arcs: Any, slot: int, settled: int, all_ties: bool, scratch: Any, over: Any) -> bool:
    """Count the paths to each node over an arc, 1 where only one is taken; return whether there are any."""
    for place in range(settled):
        over[scratch.order[place]] = 0.0
        scratch.passing[scratch.order[place]] = 0.0
    tail, head = arcs.tails[slot], arcs.heads[slot]
    if scratch.distance[tail] == FAR or scratch.distance[head] == FAR:
        return False
    if scratch.distance[tail] + arcs.weights[slot] != scratch.distance[head]:
        return False
    if not all_ties and scratch.parent[head] != slot:
        return False
    over[head] = scratch.paths[tail] if all_ties else 1.0
    for place in range(1, settled):
        node = scratch.order[place]
        if not all_ties:
            if node != head:
                over[node] = over[arcs.tails[scratch.parent[node]]]
        elif over[node] > 0.0:
            for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
                if scratch.distance[node] + arcs.weights[arc] == scratch.distance[arcs.heads[arc]]:
                    over[arcs.heads[arc]] += over[node]
    return True


@part
def _give_back(
    arcs: Any, slot: int, place: int, mass: float, all_ties: bool, scratch: Any, over: Any, sums: Any
) -> None:
    """Give what ends at a node and passes it back: to its parent, or as what one of its paths carries to its tails."""
    node = scratch.order[place]
    if not all_ties:
        if place > 0:
            sums.through[node] += scratch.passing[node]
            sums.flow[scratch.parent[node]] += mass + scratch.passing[node]
            scratch.passing[arcs.tails[scratch.parent[node]]] += mass + scratch.passing[node]
        return
    behind = over[node] > 0.0
    paths, together = over[node] if behind else scratch.paths[node], 0.0
    for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
        head = arcs.heads[arc]
        tight = scratch.distance[node] + arcs.weights[arc] == scratch.distance[head]
        if tight and (arc == slot or (over[head] > 0.0) == behind):
            sums.flow[arc] += paths * scratch.passing[head]
            together += paths * scratch.passing[head]
    if place > 0:
        sums.through[node] += together
    scratch.passing[node] = (mass + together) / paths
