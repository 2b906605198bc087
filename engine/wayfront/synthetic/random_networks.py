"""Generate networks whose arcs are drawn at random, as in papers: random, R-MAT, regular and SPRAND.

They have one metric, ``weight``, and no coordinates, which a layout can compute. Every draw comes from a ``Draws`` in a
fixed order, so that a name gives the same network on every machine.
"""

from __future__ import annotations

import numpy as np

from wayfront.errors import OptionError
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO
from wayfront.synthetic.portable_random import Draws
from wayfront.synthetic.shapes import LARGEST_WEIGHT, at_least, network_of

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
    origin = f"synthetic:random?nodes={nodes}&arcs={arcs}&largest_weight={largest_weight}&seed={seed}"
    return network_of(f"Random network of {nodes:,}", nodes, tails, heads, weights, origin, None)


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
    origin = f"synthetic:rmat?nodes={nodes}&arcs={arcs}&largest_weight={largest_weight}&seed={seed}"
    origin += f"&a={a:g}&b={b:g}&c={c:g}"
    name = f"R-MAT network of {nodes:,}"
    return network_of(name, nodes, tails * nodes >> levels, heads * nodes >> levels, weights, origin, None)


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
    origin = f"synthetic:regular?nodes={nodes}&degree={degree}&largest_weight={largest_weight}&seed={seed}"
    return network_of(f"Regular network of {nodes:,}", nodes, tails, heads, weights, origin, None)


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
    cycle = AUTO if cycle_weight is None else cycle_weight
    origin = f"synthetic:sprand?nodes={nodes}&arcs={arcs}&smallest_weight={smallest_weight}"
    origin += f"&largest_weight={largest_weight}&cycle_weight={cycle}&seed={seed}"
    return network_of(
        f"SPRAND network of {nodes:,}",
        nodes,
        np.concatenate((tour, tails)),
        np.concatenate((np.roll(tour, -1), heads)),
        weights,
        origin,
        None,
    )
