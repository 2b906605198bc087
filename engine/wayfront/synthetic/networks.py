"""Generate networks of a simple shape (grid, ring, complete) and random ones (even, R-MAT, regular, SPRAND).

They have one metric, ``weight``. The shapes have coordinates that show them; random networks have none, which a layout
can compute. Every draw comes from a ``Draws`` in a fixed order, so that a name gives the same network on every machine.
"""

from __future__ import annotations

import numpy as np

from wayfront.network.conventions import SYNTHETIC
from wayfront.network.road_network import Int64Array, Metric, RoadNetwork
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO
from wayfront.synthetic.portable_random import Draws, cosine_sine

FEWEST_NODES, MOST_NODES = 2_000, 1_600_000
"""Nodes of a city."""
LARGEST_WEIGHT = 1000
"""Default largest arc weight."""

_ATTRIBUTION = "Synthetic network, made by wayfront.synthetic"
_CENTRE = np.array([8_000_000, 50_000_000], np.int64)
_CROSSING_STEP = np.array([1_400, 900], np.int64)
"""Microdegrees between two crossings of a grid: 100 m both ways at 50° north."""


def grid(columns: int, rows: int, seed: int = 1, largest_weight: int = LARGEST_WEIGHT) -> RoadNetwork:
    """Return a street grid: two-way arcs to the four neighbours, node ids row by row from the south-west.

    Both directions of a street have the same weight. Raises ``OptionError``.
    """
    at_least(1, columns=columns, rows=rows, largest_weight=largest_weight, crossings=columns * rows)
    nodes = np.arange(columns * rows, dtype=np.int64).reshape(rows, columns)
    tails = np.concatenate((nodes[:, :-1].ravel(), nodes[:-1].ravel()))
    heads = np.concatenate((nodes[:, 1:].ravel(), nodes[1:].ravel()))
    weights = Draws(seed).integers(1, largest_weight, len(tails))
    steps = np.stack((np.tile(np.arange(columns), rows), np.repeat(np.arange(rows), columns)), axis=1)
    # A grid too large for the globe is drawn smaller rather than refused.
    step = np.maximum(np.minimum(_CROSSING_STEP, 40_000_000 // max(columns, rows)), 1)
    places = _CENTRE + (steps - np.array([columns, rows]) // 2) * step
    origin = origin_of("grid", columns=columns, rows=rows, seed=seed, largest_weight=largest_weight)
    return _both_ways(f"Grid {columns} × {rows}", columns * rows, tails, heads, weights, origin, places)


def ring(nodes: int, seed: int = 1, largest_weight: int = LARGEST_WEIGHT) -> RoadNetwork:
    """Return one two-way street in a circle: the longest possible way for a search. Raises ``OptionError``."""
    at_least(1, nodes=nodes, largest_weight=largest_weight)
    streets = nodes if nodes > 2 else nodes - 1
    tails = np.arange(streets, dtype=np.int64)
    heads = (tails + 1) % nodes
    weights = Draws(seed).integers(1, largest_weight, streets)
    origin = origin_of("ring", nodes=nodes, seed=seed, largest_weight=largest_weight)
    return _both_ways(f"Ring of {nodes:,}", nodes, tails, heads, weights, origin, _circle(nodes))


def complete(nodes: int, seed: int = 1, largest_weight: int = LARGEST_WEIGHT) -> RoadNetwork:
    """Return a network with an arc from every node to every other, each with its own weight. Raises ``OptionError``."""
    at_least(1, nodes=nodes, largest_weight=largest_weight)
    tails = np.repeat(np.arange(nodes, dtype=np.int64), nodes - 1)
    heads = np.tile(np.arange(nodes - 1, dtype=np.int64), nodes)
    heads += heads >= tails
    weights = Draws(seed).integers(1, largest_weight, len(tails))
    origin = origin_of("complete", nodes=nodes, seed=seed, largest_weight=largest_weight)
    return network_of(f"Complete network of {nodes:,}", nodes, tails, heads, weights, origin, _circle(nodes))


def _circle(nodes: int) -> Int64Array:
    """Return int64 [nodes, 2]: a circle on the map, 100 m from node to node but at most 1,000 km wide."""
    radius = min(nodes * 143, 4_500_000)
    cosine, sine = cosine_sine(np.arange(nodes) / max(nodes, 1))
    across = np.rint(np.stack((cosine * radius * 14 / 9, sine * radius), axis=1)).astype(np.int64)
    return _CENTRE + across


def origin_of(kind: str, **parameters: int | float | str) -> str:
    """Return the name by which a network of this kind is generated again."""
    written = (f"{n}={v:g}" if isinstance(v, float) else f"{n}={v}" for n, v in parameters.items())
    return f"{SYNTHETIC}{kind}?" + "&".join(written)


def _both_ways(
    name: str, nodes: int, tails: Int64Array, heads: Int64Array, weights: Int64Array, origin: str, places: Int64Array
) -> RoadNetwork:
    """Return the network of these streets, which have the same weight in both directions."""
    ends, weights = np.concatenate((tails, heads)), np.concatenate((weights, weights))
    return network_of(name, nodes, ends, np.concatenate((heads, tails)), weights, origin, places)


def network_of(
    name: str,
    nodes: int,
    tails: Int64Array,
    heads: Int64Array,
    weights: Int64Array,
    origin: str,
    coordinates: Int64Array | None = None,
) -> RoadNetwork:
    """Return a network of these arcs between node indices, with the one metric ``weight``."""
    return RoadNetwork.from_arcs(
        name=name,
        node_count=nodes,
        tails=tails,
        heads=heads,
        metrics=[Metric("weight", "", 1.0, weights.astype(np.int32))],
        coordinates=coordinates,
        attribution=_ATTRIBUTION,
        origin=origin,
    )


def at_least(least: int, **values: int) -> None:
    """Raise ``OptionError`` for a value below ``least``, or beyond 32 bits."""
    for name, value in values.items():
        if value < least:
            raise OptionError(f"{name} is at least {least}, not {value}")
        if value > 2**31 - 1:
            raise OptionError(f"{name} is at most {2**31 - 1:,}, not {value:,}")


SPRAND_LARGEST_WEIGHT = 10_000
"""Default largest weight of SPRAND, which draws from 0."""


def random_network(nodes: int, arcs: int, largest_weight: int = LARGEST_WEIGHT, seed: int = 1) -> RoadNetwork:
    """Return arcs between nodes drawn evenly and independently, as GTgraph's "random" does.

    Parallel arcs, self-loops and nodes without arcs occur; there is no map. Raises ``OptionError``.
    """
    at_least(1, nodes=nodes, largest_weight=largest_weight)
    at_least(0, arcs=arcs)
    draws = Draws(seed)
    tails = draws.integers(0, nodes - 1, arcs)
    heads = draws.integers(0, nodes - 1, arcs)
    weights = draws.integers(1, largest_weight, arcs)
    origin = origin_of("random", nodes=nodes, arcs=arcs, largest_weight=largest_weight, seed=seed)
    return network_of(f"Random network of {nodes:,}", nodes, tails, heads, weights, origin)


def rmat(
    nodes: int,
    arcs: int,
    largest_weight: int = LARGEST_WEIGHT,
    seed: int = 1,
    a: float = 0.45,
    b: float = 0.22,
    c: float = 0.22,
) -> RoadNetwork:
    """Return an R-MAT network: few nodes with very many arcs, many with few; no map.

    Each arc falls down the adjacency matrix, at every level into its upper left quarter with probability
    ``a``, the upper right with ``b``, the lower left with ``c``, else the lower right (Chakrabarti, Zhan and
    Faloutsos, "R-MAT: a recursive model for graph mining", SDM 2004). Where ``nodes`` is no power of two the
    matrix is shrunk to fit. Raises ``OptionError``.
    """
    at_least(1, nodes=nodes, largest_weight=largest_weight)
    at_least(0, arcs=arcs)
    if min(a, b, c) < 0 or a + b + c > 1:
        raise OptionError(f"a, b and c are probabilities that add up to at most 1, not {a:g}, {b:g} and {c:g}")
    draws = Draws(seed)
    levels = (nodes - 1).bit_length()
    tails, heads = np.zeros(arcs, np.int64), np.zeros(arcs, np.int64)
    for _ in range(levels):
        fall = draws.fractions(arcs)
        lower = fall >= a + b
        right = ((fall >= a) & ~lower) | (fall >= a + b + c)
        tails = 2 * tails + lower
        heads = 2 * heads + right
    weights = draws.integers(1, largest_weight, arcs)
    origin = origin_of("rmat", nodes=nodes, arcs=arcs, largest_weight=largest_weight, seed=seed, a=a, b=b, c=c)
    name = f"R-MAT network of {nodes:,}"
    return network_of(name, nodes, tails * nodes >> levels, heads * nodes >> levels, weights, origin)


def regular(nodes: int, degree: int = 6, largest_weight: int = LARGEST_WEIGHT, seed: int = 1) -> RoadNetwork:
    """Return a network where every node has exactly ``degree`` arcs out of it and as many into it; no map.

    It is made of as many closed tours through all nodes, each in a random order: so every node reaches every
    other, no arc leads back to its own node, and parallel arcs are rare. With six arcs a node these are the
    Graph4096 and Graph65536 of Liu and Wang, who give no details. Raises ``OptionError``.
    """
    at_least(2, nodes=nodes)
    at_least(1, degree=degree, largest_weight=largest_weight)
    draws = Draws(seed)
    tours = [draws.permutation(nodes) for _ in range(degree)]
    tails = np.concatenate(tours)
    heads = np.concatenate([np.roll(tour, -1) for tour in tours])
    weights = draws.integers(1, largest_weight, len(tails))
    origin = origin_of("regular", nodes=nodes, degree=degree, largest_weight=largest_weight, seed=seed)
    return network_of(f"Regular network of {nodes:,}", nodes, tails, heads, weights, origin)


def sprand(
    nodes: int,
    arcs: int,
    smallest_weight: int = 0,
    largest_weight: int = SPRAND_LARGEST_WEIGHT,
    cycle_weight: int | None = 1,
    seed: int = 1,
) -> RoadNetwork:
    """Return a network as SPRAND makes it: a cycle through all nodes, and arcs drawn evenly; no map.

    The cycle lets every node reach every other; its arcs weigh ``cycle_weight``, or are drawn like the others where
    that is None. The other arcs join two different nodes drawn evenly, with weights drawn evenly from
    ``smallest_weight`` to ``largest_weight`` (B. Cherkassky, A. Goldberg and T. Radzik, "Shortest paths algorithms:
    theory and experimental evaluation", Mathematical Programming 73, 1996). There the cycle runs in the order of the
    ids; here its order is random, so that ids do not reveal where a node lies on it. Raises ``OptionError``.
    """
    at_least(2, nodes=nodes)
    at_least(0, smallest_weight=smallest_weight, largest_weight=largest_weight)
    if cycle_weight is not None:
        at_least(0, cycle_weight=cycle_weight)
    if arcs < nodes:
        raise OptionError(f"the cycle through {nodes:,} nodes takes {nodes:,} arcs, so {arcs:,} are too few")
    if smallest_weight > largest_weight:
        raise OptionError(f"the smallest weight, {smallest_weight:,}, is above the largest, {largest_weight:,}")
    at_least(0, arcs=arcs)
    draws = Draws(seed)
    tour = draws.permutation(nodes)
    tails = draws.integers(0, nodes - 1, arcs - nodes)
    heads = draws.integers(0, nodes - 2, arcs - nodes)
    heads += heads >= tails
    weights = draws.integers(smallest_weight, largest_weight, arcs)
    if cycle_weight is not None:
        weights[:nodes] = cycle_weight
    weighed = {"smallest_weight": smallest_weight, "largest_weight": largest_weight}
    cycle = AUTO if cycle_weight is None else cycle_weight
    origin = origin_of("sprand", nodes=nodes, arcs=arcs, **weighed, cycle_weight=cycle, seed=seed)
    tails, heads = np.concatenate((tour, tails)), np.concatenate((np.roll(tour, -1), heads))
    return network_of(f"SPRAND network of {nodes:,}", nodes, tails, heads, weights, origin)
