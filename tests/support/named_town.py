"""A town whose roads have names, with places, a lake and a park round them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wayfront.network.details import KINDS, RoadNames, Surroundings
from wayfront.network.road_network import Metric, RoadNetwork

SIDE = 12
STEP = 1_000
"""Microdegrees between two junctions, some hundred metres."""


def named_town() -> RoadNetwork:
    """Return a square grid whose rows and columns are streets, of which the middle row is a main road."""
    node = np.arange(SIDE * SIDE).reshape(SIDE, SIDE)
    across = np.stack([node[:, :-1].ravel(), node[:, 1:].ravel()])
    upward = np.stack([node[:-1].ravel(), node[1:].ravel()])
    tails, heads = np.concatenate([across, across[::-1], upward, upward[::-1]], axis=1)
    rows, columns = tails // SIDE, tails % SIDE
    along = rows == heads // SIDE
    names = [f"Row {r} Street" if flat else f"Column {c}" for r, c, flat in zip(rows, columns, along, strict=True)]
    x, y = np.meshgrid(np.arange(SIDE) * STEP, np.arange(SIDE) * STEP)
    network = RoadNetwork.from_arcs(
        name="town",
        node_count=SIDE * SIDE,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1.0, np.full(len(tails), 100, np.int32))],
        coordinates=np.stack([x.ravel(), y.ravel()], axis=1).astype(np.int32),
        road_names=RoadNames.collect(names),
        road_class=(along & (rows == SIDE // 2)).astype(np.uint8) * 2,
    )
    return replace(network, surroundings=around())


def around() -> Surroundings:
    """Return a city, a quarter at the same place, a lake with an island, and a park without a name."""
    lake, park = (3_000, 3_000), (8_000, 500)
    outlines = [_ring(lake, 2_000), _ring(lake, 500), _ring(park, 400)]
    return Surroundings.from_arrays(
        {
            "kind": np.array([KINDS.index(kind) for kind in ("city", "quarter", "water", "park")], np.uint8),
            "position": np.array([[5_500, 5_500], [5_500, 5_550], [3_000, 4_400], [8_000, 500]], np.int32),
            "size": np.array([50_000, 0, 190_000, 8_000]),
            "outlines": np.array([0, 0, 0, 2, 3]),
            "offsets": np.array([0, 5, 10, 15]),
            "points": np.concatenate(outlines).astype(np.int32),
            "name_text": np.frombuffer(b"Gridton\nMidst\nLong Lake\n", np.uint8),
        }
    )


def _ring(middle: tuple[int, int], half: int) -> np.ndarray:
    corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
    return np.array([(middle[0] + half * dx, middle[1] + half * dy) for dx, dy in corners])
