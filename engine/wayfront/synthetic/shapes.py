"""Generate networks of a simple shape: grid, ring and complete.

They have one metric, ``weight``, of whole numbers drawn evenly from 1 … largest_weight, and coordinates that show their
shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import OptionError
from wayfront.network.road_network import Int64Array, Metric, RoadNetwork
from wayfront.synthetic.portable_random import Draws, cosine_sine

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
    return network_of(
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
    at_least(1, nodes=nodes, largest_weight=largest_weight)
    streets = nodes if nodes > 2 else nodes - 1
    tails = np.arange(streets, dtype=np.int64)
    heads = (tails + 1) % nodes
    weights = Draws(seed).integers(1, largest_weight, streets)
    return network_of(
        f"Ring of {nodes:,}",
        nodes,
        np.concatenate((tails, heads)),
        np.concatenate((heads, tails)),
        np.concatenate((weights, weights)),
        f"synthetic:ring?nodes={nodes}&seed={seed}&largest_weight={largest_weight}",
        _circle(nodes),
    )


def complete(nodes: int, seed: int = 1, largest_weight: int = LARGEST_WEIGHT) -> RoadNetwork:
    """Return a network with an arc from every node to every other, each with its own weight. Raises ``OptionError``."""
    at_least(1, nodes=nodes, largest_weight=largest_weight)
    tails = np.repeat(np.arange(nodes, dtype=np.int64), nodes - 1)
    heads = np.tile(np.arange(nodes - 1, dtype=np.int64), nodes)
    heads += heads >= tails
    weights = Draws(seed).integers(1, largest_weight, len(tails))
    origin = f"synthetic:complete?nodes={nodes}&seed={seed}&largest_weight={largest_weight}"
    return network_of(f"Complete network of {nodes:,}", nodes, tails, heads, weights, origin, _circle(nodes))


def _circle(nodes: int) -> Int64Array:
    """Return int64 [nodes, 2]: a circle on the map, 100 m from node to node but at most 1,000 km wide."""
    radius = min(nodes * 143, 4_500_000)
    cosine, sine = cosine_sine(np.arange(nodes) / max(nodes, 1))
    across = np.rint(np.stack((cosine * radius * 14 / 9, sine * radius), axis=1)).astype(np.int64)
    return _CENTRE + across


def network_of(
    name: str,
    nodes: int,
    tails: Int64Array,
    heads: Int64Array,
    weights: Int64Array,
    origin: str,
    coordinates: Int64Array | None,
) -> RoadNetwork:
    """Return a network of these arcs between node indices, with the one metric ``weight``."""
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


def at_least(least: int, **values: int) -> None:
    """Raise ``OptionError`` for a value below ``least``, or beyond 32 bits."""
    for name, value in values.items():
        if value < least:
            raise OptionError(f"{name} is at least {least}, not {value}")
        if value > 2**31 - 1:
            raise OptionError(f"{name} is at most {2**31 - 1:,}, not {value:,}")
