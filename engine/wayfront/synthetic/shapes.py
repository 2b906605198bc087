"""Networks of a simple shape: grid, ring, complete, and the random ones that papers measure on.

They carry one metric, ``weight``, of whole numbers drawn evenly from 1 … largest_weight; where the shape has a
natural map (grid, ring, complete) they carry coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import OptionError
from wayfront.network import Int64Array, Metric, RoadNetwork
from wayfront.synthetic.exact import Draws, cosine_sine

LARGEST_WEIGHT = 1000
"""Largest arc weight where none is asked for."""

_ATTRIBUTION = "Synthetic network, made by wayfront.synthetic"
_CENTRE = np.array([8_000_000, 50_000_000], np.int64)
_CROSSING_STEP = np.array([1_400, 900], np.int64)
"""Microdegrees between two crossings of a grid: 100 m both ways at 50° north."""


def grid(columns: int, rows: int, seed: int = 1, largest_weight: int = LARGEST_WEIGHT) -> RoadNetwork:
    """Return a street grid: two-way arcs to the four neighbours, node ids row by row from the south-west.

    Both directions of a street have the same weight. Raises ``OptionError``.
    """
    _at_least(1, columns=columns, rows=rows, largest_weight=largest_weight)
    nodes = np.arange(columns * rows, dtype=np.int64).reshape(rows, columns)
    tails = np.concatenate((nodes[:, :-1].ravel(), nodes[:-1].ravel()))
    heads = np.concatenate((nodes[:, 1:].ravel(), nodes[1:].ravel()))
    weights = Draws(seed).integers(1, largest_weight, len(tails))
    steps = np.stack((np.tile(np.arange(columns), rows), np.repeat(np.arange(rows), columns)), axis=1)
    # A grid too large for the globe is drawn smaller rather than refused.
    step = np.maximum(np.minimum(_CROSSING_STEP, 40_000_000 // max(columns, rows)), 1)
    return _network(
        f"Grid {columns} × {rows}",
        columns * rows,
        np.concatenate((tails, heads)),
        np.concatenate((heads, tails)),
        np.concatenate((weights, weights)),
        f"synthetic:grid?columns={columns}&rows={rows}&seed={seed}&largest_weight={largest_weight}",
        _CENTRE + (steps - np.array([columns, rows]) // 2) * step,
    )


def ring(nodes: int, seed: int = 1, largest_weight: int = LARGEST_WEIGHT) -> RoadNetwork:
    """Return one two-way street in a circle: the longest possible way for a search. Raises ``OptionError``."""
    _at_least(1, nodes=nodes, largest_weight=largest_weight)
    streets = nodes if nodes > 2 else nodes - 1
    tails = np.arange(streets, dtype=np.int64)
    heads = (tails + 1) % nodes
    weights = Draws(seed).integers(1, largest_weight, streets)
    return _network(
        f"Ring of {nodes:,}",
        nodes,
        np.concatenate((tails, heads)),
        np.concatenate((heads, tails)),
        np.concatenate((weights, weights)),
        f"synthetic:ring?nodes={nodes}&seed={seed}&largest_weight={largest_weight}",
        _circle(nodes),
    )


def complete(nodes: int, seed: int = 1, largest_weight: int = LARGEST_WEIGHT) -> RoadNetwork:
    """Return a network with an arc from every node to every other, each weighing its own. Raises ``OptionError``."""
    _at_least(1, nodes=nodes, largest_weight=largest_weight)
    tails = np.repeat(np.arange(nodes, dtype=np.int64), nodes - 1)
    heads = np.tile(np.arange(nodes - 1, dtype=np.int64), nodes)
    heads += heads >= tails
    weights = Draws(seed).integers(1, largest_weight, len(tails))
    origin = f"synthetic:complete?nodes={nodes}&seed={seed}&largest_weight={largest_weight}"
    return _network(f"Complete network of {nodes:,}", nodes, tails, heads, weights, origin, _circle(nodes))


def random_network(nodes: int, arcs: int, largest_weight: int = LARGEST_WEIGHT, seed: int = 1) -> RoadNetwork:
    """Return arcs between nodes drawn evenly and independently, as GTgraph's "random" does.

    Parallel arcs, self-loops and nodes without arcs occur; there is no map. Raises ``OptionError``.
    """
    _at_least(1, nodes=nodes, largest_weight=largest_weight)
    _at_least(0, arcs=arcs)
    draws = Draws(seed)
    tails = draws.integers(0, nodes - 1, arcs)
    heads = draws.integers(0, nodes - 1, arcs)
    weights = draws.integers(1, largest_weight, arcs)
    origin = f"synthetic:random?nodes={nodes}&arcs={arcs}&largest_weight={largest_weight}&seed={seed}"
    return _network(f"Random network of {nodes:,}", nodes, tails, heads, weights, origin, None)


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
    _at_least(1, nodes=nodes, largest_weight=largest_weight)
    _at_least(0, arcs=arcs)
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
    return _network(name, nodes, tails * nodes >> levels, heads * nodes >> levels, weights, origin, None)


def _circle(nodes: int) -> Int64Array:
    """Return int64 [nodes, 2]: a circle on the map, 100 m from node to node but at most 1,000 km wide."""
    radius = min(nodes * 143, 4_500_000)
    cosine, sine = cosine_sine(np.arange(nodes) / max(nodes, 1))
    across = np.rint(np.stack((cosine * radius * 14 / 9, sine * radius), axis=1)).astype(np.int64)
    return _CENTRE + across


def _network(
    name: str,
    nodes: int,
    tails: Int64Array,
    heads: Int64Array,
    weights: Int64Array,
    origin: str,
    coordinates: Int64Array | None,
) -> RoadNetwork:
    return RoadNetwork.from_arcs(
        name=name,
        node_count=nodes,
        tails=tails,
        heads=heads,
        metrics=[Metric("weight", "", 1.0, _int32(weights))],
        coordinates=coordinates,
        attribution=_ATTRIBUTION,
        origin=origin,
    )


def _int32(values: NDArray[Any]) -> NDArray[np.int32]:
    return values.astype(np.int32)


def _at_least(least: int, **values: int) -> None:
    for name, value in values.items():
        if value < least:
            raise OptionError(f"{name} is at least {least}, not {value}")
        if value > 2**31 - 1:
            raise OptionError(f"{name} is at most {2**31 - 1:,}, not {value:,}")
