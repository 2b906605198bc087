"""Flows source by source: a tree forward by Dijkstra's search, and what arrives is given back to its arcs.

From a source s nodes are settled by rising distance. Of a node v, σ(v) is the number of shortest paths from s; the arcs
u → v with d(u) + w = d(v) are tight, and over them σ(v) is the sum of σ(u). Backward, by falling distance, what arrives
at v or passes it, divided by σ(v), goes to each tight arc σ(u) times: so every shortest path of a pair carries the same
share. That costs two looks at each arc and no memory for pairs. With one path a pair, all goes to one tight arc, that
whose tail has the smallest id; these arcs form the tree.

Both work because each tail of a tight arc is settled before its head, which arcs of weight 0 would break. With such,
all weights are multiplied by K > n, and 1 is added: what was shorter stays so, and of equally long paths those with the
fewest arcs are left.

Brandes, A faster algorithm for betweenness centrality, Journal of Mathematical Sociology 25, 2001; variants (edges,
bounded distance, endpoints): Brandes, On variants of shortest-path betweenness centrality, Social Networks 30, 2008.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.devices.cpu import CpuDevice
from wayfront.kernels.wide_heap import drop_first, enter
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.access import Decay, DecayKind
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.memory import require_memory

FAR = np.iinfo(np.int64).max
NO_LIMIT = FAR - 1
NONE = -1

NO_DECAY, _EXPONENTIAL, _GAUSSIAN, _POWER = range(4)
_DECAYS = {DecayKind.EXPONENTIAL: _EXPONENTIAL, DecayKind.GAUSSIAN: _GAUSSIAN, DecayKind.POWER: _POWER}

BYTES_OF_NODE, BYTES_OF_ARC = 80, 24
"""Memory of a core for each node and arc."""
_NODES_AT_ONCE = 2_000_000
"""Nodes of trees that a core makes between two looks at whether somebody cancelled: some tenths of a second."""

TOO_MANY_PATHS = "two nodes have more shortest paths than numbers can count: ask for one path a pair, ties='one'"

FIGURES = ("reach", "farness", "harmonic", "straightness")


class OpenArcs(NamedTuple):
    """The open arcs between different nodes, of parallel ones the lightest, k of them, by their tails.

    offsets  int64 [n + 1]
    tails    int32 [k]
    heads    int32 [k]
    weights  int64 [k], at least 1: raw weights times ``step``, and with a step above 1 one more
    first    int64 [k]: the lowest arc of the network that is as light as any between the same nodes
    slots    int32 [m]: which of these each arc of the network is, ``NONE`` for what is closed, a loop or heavier
    step     how much a raw weight is here
    """

    offsets: NDArray[np.int64]
    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    weights: NDArray[np.int64]
    first: NDArray[np.int64]
    slots: NDArray[np.int32]
    step: int

    @classmethod
    def of(cls, network: RoadNetwork, metric: Metric, closed: NDArray[np.bool_]) -> OpenArcs:
        """Return the open arcs by a metric. Raises ``NetworkError`` where weights of 0 leave no room in 64 bits."""
        n, m = network.node_count, network.arc_count
        offsets, slots = np.zeros(n + 1, np.int64), np.full(m, NONE, np.int32)
        heads, weights, first = np.empty(m, np.int32), np.empty(m, np.int64), np.empty(m, np.int64)
        k = _merge(network.offsets, network.targets, metric.weights, closed, offsets, heads, weights, first, slots)
        heads, weights, first = heads[:k], weights[:k], first[:k]
        step = 1
        if k and int(weights.min()) == 0:
            step = n + 1
            if (network.distance_bound(metric) + 1) * step >= NO_LIMIT:
                raise NetworkError(
                    f"{network.name} has roads of weight 0, and its other weights are too large to tell its shortest "
                    "paths apart in 64 bits: give these roads a weight of at least 1"
                )
            weights = weights * step + 1
        tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(offsets))
        return cls(offsets, tails, heads, weights, first, slots, step)


@loop
def _merge(
    offsets: Any,
    targets: Any,
    weights: Any,
    closed: Any,
    starts: Any,
    heads: Any,
    lightest: Any,
    first: Any,
    slots: Any,
) -> int:
    """Keep of parallel open arcs the lightest; return how many are left."""
    count = 0
    for tail in range(len(offsets) - 1):
        begin = count
        for arc in range(offsets[tail], offsets[tail + 1]):
            head = targets[arc]
            if closed[arc] or head == tail:
                continue
            slot = begin
            while slot < count and heads[slot] != head:
                slot += 1
            if slot == count:
                heads[slot], lightest[slot], first[slot] = head, weights[arc], arc
                count += 1
            elif weights[arc] < lightest[slot]:
                lightest[slot], first[slot] = weights[arc], arc
            slots[arc] = slot
        starts[tail + 1] = count
        for arc in range(offsets[tail], offsets[tail + 1]):
            if slots[arc] != -1 and weights[arc] > lightest[slots[arc]]:
                slots[arc] = -1
    return count


class Targets(NamedTuple):
    """Where demand goes to: q(t) for all sources alike, or t and trips of each source's own.

    weights  float64 [n] of nodes, or [0] with pairs
    offsets  int64 [sources + 1] of pairs, or [0]
    nodes    int32 [pairs]; each once for a source
    trips    float64 [pairs]
    """

    weights: NDArray[np.float64]
    offsets: NDArray[np.int64]
    nodes: NDArray[np.int32]
    trips: NDArray[np.float64]


class Asked(NamedTuple):
    """What trees are asked for.

    sources   int32 [s], each once
    shares    float64 [s]: p(s)
    targets   where demand goes to
    limit     the largest raw distance that counts, ``NO_LIMIT`` for all
    all_ties  whether all shortest paths of a pair carry the same share, or else one path carries all
    decay     how demand falls with distance, None for not at all; ``scale`` is the metric's, by raw weight
    metres    float64 [n, 3]: places of nodes in space for straightness, [0, 3] for none
    figures   whether reach, farness and the others of ``FIGURES`` are found
    one_each  whether demand is one trip a pair of places
    ends      int32 [n]: the last copy of each node, where ways to it end; [0] where none is split
    """

    sources: NDArray[np.int32]
    shares: NDArray[np.float64]
    targets: Targets
    limit: int
    all_ties: bool
    decay: Decay | None
    scale: float
    metres: NDArray[np.float64]
    figures: bool
    one_each: bool
    ends: NDArray[np.int32]


class Given(NamedTuple):
    """The numbers that loops read of what is asked for."""

    limit: int
    step: int
    all_ties: bool
    decay: int
    reach: float
    exponent: float


class Scratch(NamedTuple):
    """What a core needs for one tree after the other: distances are ``FAR`` and targets 0 between two of them."""

    distance: NDArray[np.int64]
    paths: NDArray[np.float64]
    passing: NDArray[np.float64]
    parent: NDArray[np.int32]
    order: NDArray[np.int32]
    wanted: NDArray[np.float64]
    heap_keys: NDArray[np.int64]
    heap_nodes: NDArray[np.int32]

    @classmethod
    def of(cls, n: int, arcs: int) -> Scratch:
        """Return it for n nodes and so many arcs."""
        return cls(
            np.full(n, FAR, np.int64),
            np.empty(n),
            np.empty(n),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.zeros(n),
            np.empty(arcs + 2, np.int64),
            np.empty(arcs + 2, np.int32),
        )


class Sums(NamedTuple):
    """What a core adds up: flows [k], what passes, starts and ends at nodes [n], and some totals.

    totals  float64: demand that arrives, that does not, and the sum of demand times raw distance
    """

    flow: NDArray[np.float64]
    through: NDArray[np.float64]
    starts: NDArray[np.float64]
    ends: NDArray[np.float64]
    totals: NDArray[np.float64]

    @classmethod
    def none(cls, n: int, arcs: int) -> Sums:
        """Return nothing yet."""
        return cls(np.zeros(arcs), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(3))

    def add(self, other: Sums) -> None:
        """Add what another core found."""
        for mine, theirs in zip(self, other, strict=True):
            np.add(mine, theirs, out=mine)


class Found(NamedTuple):
    """What all trees found together.

    sums      see ``Sums``
    figures   float64 [s, 4] of each source, in raw weights, or [0, 4]
    distance  the sum of distances of all pairs, exactly, in raw weights, where demand is one for each pair
    """

    sums: Sums
    figures: NDArray[np.float64]
    distance: int


def flows_by_trees(
    arcs: OpenArcs,
    asked: Asked,
    rank: NDArray[np.int32],
    device: CpuDevice,
    report: Callable[[float], None],
    cancel: threading.Event | None,
) -> Found:
    """Return the flows of all sources; ``rank`` [n] are the places of nodes' ids in their order.

    Raises ``SearchCancelled``, ``MemoryShortError``, and ``NetworkError`` where there are more shortest paths than
    numbers count.
    """
    n, k, count = len(arcs.offsets) - 1, len(arcs.heads), len(asked.sources)
    cores = min(device.threads, max(count, 1))
    require_memory(cores * (n * BYTES_OF_NODE + k * BYTES_OF_ARC), "flows")
    scratch = [Scratch.of(n, k) for _ in range(cores)]
    sums = [Sums.none(n, k) for _ in range(cores)]
    figures = np.zeros((count if asked.figures else 0, len(FIGURES)))
    distances = np.zeros(count, np.int64)
    given = given_of(asked, arcs)
    block = (
        max(1, min(64, count // (8 * cores) + 1)) if asked.limit != NO_LIMIT else max(1, _NODES_AT_ONCE // max(n, 1))
    )

    def add(begin: int, end: int, core: int) -> bool:
        return _add_trees(
            arcs, asked.sources, asked.shares, asked.targets, given, rank, asked.metres, asked.ends, begin, end,
            scratch[core], sums[core], figures, distances,
        )  # fmt: skip

    add_up(device, count, block, add, report, cancel)
    for other in sums[1:]:
        sums[0].add(other)
    return Found(sums[0], figures, sum(distances.tolist()))


def add_up(
    device: CpuDevice,
    count: int,
    block: int,
    add: Callable[[int, int, int], bool],
    report: Callable[[float], None],
    cancel: threading.Event | None,
) -> None:
    """Add the flows of ``count`` sources on the device's cores, ``block`` at a time.

    ``add(begin, end, core)`` adds those of some of them, and returns whether all numbers of paths are numbers still.
    Raises ``SearchCancelled``, and ``NetworkError`` where they are not.
    """
    done = 0

    def work(begin: int, core: int) -> None:
        nonlocal done
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("adding up flows was stopped")
        end = min(begin + block, count)
        if not add(begin, end, core):
            raise NetworkError(TOO_MANY_PATHS)
        done += end - begin
        report(done / count)

    device.divide(work, range(0, count, block))


def given_of(asked: Asked, arcs: OpenArcs) -> Given:
    """Return the numbers that loops read."""
    limit = asked.limit
    if limit != NO_LIMIT and arcs.step > 1:
        limit = min(limit * arcs.step + arcs.step - 1, NO_LIMIT)
    decay = asked.decay
    if decay is None:
        return Given(limit, arcs.step, asked.all_ties, NO_DECAY, 1.0, 1.0)
    return Given(
        limit, arcs.step, asked.all_ties, _DECAYS[decay.kind], float(decay.scale) / asked.scale, float(decay.exponent)
    )


# ------------------------------------------------------------------------------------------------------- the loops


@part
def settle(arcs: Any, source: int, given: Any, rank: Any, scratch: Any, left: int) -> int:
    """Settle nodes by rising distance until none is left within the limit, or so many targets are settled.

    Return how many are settled. Distances of others that were seen are ``FAR`` again.
    """
    keys, nodes, distance = scratch.heap_keys, scratch.heap_nodes, scratch.distance
    distance[source], scratch.paths[source], scratch.parent[source] = 0, 1.0, NONE
    size, settled = enter(keys, nodes, 0, 0, source), 0
    while size > 0 and left != 0:
        here, node = keys[0], nodes[0]
        size = drop_first(keys, nodes, size)
        if here != distance[node]:
            continue
        scratch.order[settled] = node
        settled += 1
        if scratch.wanted[node] > 0.0:
            left -= 1
        for slot in range(arcs.offsets[node], arcs.offsets[node + 1]):
            head, through = arcs.heads[slot], here + arcs.weights[slot]
            if through > distance[head] or through > given.limit:
                continue
            if through < distance[head]:
                distance[head], scratch.paths[head], scratch.parent[head] = through, scratch.paths[node], slot
                size = enter(keys, nodes, size, through, head)
            else:
                scratch.paths[head] += scratch.paths[node]
                if rank[node] < rank[arcs.tails[scratch.parent[head]]]:
                    scratch.parent[head] = slot
    for entry in range(size):
        distance[nodes[entry]] = FAR if keys[entry] == distance[nodes[entry]] else distance[nodes[entry]]
    return settled


@part
def decayed(raw: float, given: Any) -> float:
    """Return what demand is multiplied by at a raw distance."""
    x = raw / given.reach
    if given.decay == _EXPONENTIAL:
        return np.exp(-x)
    if given.decay == _GAUSSIAN:
        return np.exp(-0.5 * x * x)
    return max(x, 1.0) ** -given.exponent


@loop
def _add_trees(
    arcs: Any,
    sources: Any,
    shares: Any,
    targets: Any,
    given: Any,
    rank: Any,
    metres: Any,
    ends_of: Any,
    begin: int,
    end: int,
    scratch: Any,
    sums: Any,
    figures: Any,
    distances: Any,
) -> bool:
    """Add the flows of some sources; return whether all numbers of paths are numbers still."""
    fits, pairs = True, len(targets.offsets) > 1
    demanded = targets.weights.sum()
    for i in range(begin, end):
        source, share, left = sources[i], shares[i], -1
        wanted = scratch.wanted if pairs else targets.weights
        if pairs:
            demanded = _write_targets(targets, i, scratch.wanted)
            if not len(figures):  # these are of whole trees
                left = targets.offsets[i + 1] - targets.offsets[i]
        settled = settle(arcs, source, given, rank, scratch, left)
        starts, ends = sums.starts[source], sums.totals[0]
        reached = 0.0
        for place in range(settled):
            scratch.passing[scratch.order[place]] = 0.0
        for place in range(settled - 1, 0, -1):
            node = scratch.order[place]
            distance = scratch.distance[node]
            raw = distance // given.step if given.step > 1 else distance
            if wanted[node] > 0.0:
                distances[i] += raw
            mass = share * wanted[node]
            reached += mass
            if given.decay != NO_DECAY:
                mass *= decayed(raw, given)
            starts += mass
            ends += mass
            sums.ends[node] += mass
            sums.totals[2] += mass * raw
            fits &= _give_back(arcs, node, distance, mass, given.all_ties, scratch, sums)
        if given.all_ties:
            _give_to_heads(arcs, source, 0, scratch, sums.flow)
        sums.starts[source], sums.totals[0] = starts, ends
        sums.totals[1] += share * (demanded - wanted[source]) - reached
        if len(figures):
            _add_figures(i, source, settled, given, scratch, metres, ends_of, figures)
        for place in range(settled):
            scratch.distance[scratch.order[place]] = FAR
        if pairs:
            for pair in range(targets.offsets[i], targets.offsets[i + 1]):
                scratch.wanted[targets.nodes[pair]] = 0.0
    return fits


@part
def _write_targets(targets: Any, row: int, wanted: Any) -> float:
    """Write a source's trips to nodes; return their sum."""
    together = 0.0
    for pair in range(targets.offsets[row], targets.offsets[row + 1]):
        wanted[targets.nodes[pair]] = targets.trips[pair]
        together += targets.trips[pair]
    return together


@part
def _give_back(arcs: Any, node: int, distance: int, mass: float, all_ties: bool, scratch: Any, sums: Any) -> bool:
    """Give what ends at a node and passes it to its tight arcs, or leave that to their tails where all of these share.

    Return whether its number of paths is a number still.
    """
    if all_ties:
        flow = _give_to_heads(arcs, node, distance, scratch, sums.flow)
        sums.through[node] += flow
        scratch.passing[node] = (mass + flow) / scratch.paths[node]
        fits: bool = scratch.paths[node] < np.inf
        return fits
    sums.through[node] += scratch.passing[node]
    slot = scratch.parent[node]
    sums.flow[slot] += mass + scratch.passing[node]
    scratch.passing[arcs.tails[slot]] += mass + scratch.passing[node]
    return True


@part
def _give_to_heads(arcs: Any, node: int, distance: int, scratch: Any, flows: Any) -> float:
    """Add the flows of a node's tight arcs, whose heads all have their share of a path; return their sum."""
    together = 0.0
    for slot in range(arcs.offsets[node], arcs.offsets[node + 1]):
        head = arcs.heads[slot]
        if distance + arcs.weights[slot] == scratch.distance[head]:
            flow = scratch.paths[node] * scratch.passing[head]
            flows[slot] += flow
            together += flow
    return together


@part
def _add_figures(
    row: int, source: int, settled: int, given: Any, scratch: Any, metres: Any, ends_of: Any, figures: Any
) -> None:
    """Write a source's figures: how many nodes it reaches, and sums of distances, 1 / distances and shares of straight
    lines. A split node counts once, by its last copy.
    """
    for place in range(1, settled):
        node = scratch.order[place]
        if len(ends_of) and (ends_of[node] != node or ends_of[source] == node):
            continue
        raw = scratch.distance[node] // given.step
        figures[row, 0] += 1.0
        figures[row, 1] += raw
        if raw > 0:
            figures[row, 2] += 1.0 / raw
        if len(metres) and raw > 0:
            square = 0.0
            for axis in range(3):
                square += (metres[node, axis] - metres[source, axis]) ** 2
            figures[row, 3] += np.sqrt(square) / raw
