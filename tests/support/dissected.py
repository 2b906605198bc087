"""Small networks for tests of dissection: of several cells each, with what road networks have of the unusual."""

from __future__ import annotations

import numpy as np

from wayfront import RoadNetwork
from wayfront.network.road_network import Metric


def street_grid(width: int, height: int, largest: int, seed: int) -> RoadNetwork:
    """Return two grids of streets that do not hang together, of ``width · height`` nodes each.

    Some streets are one-way or missing, so that parts can only be left or only be entered; weights go from 0 up; there
    are parallel arcs and self-loops. Ids are in no order.
    """
    rng = np.random.default_rng(seed)
    nodes = np.arange(2 * width * height).reshape(2, height, width)
    pairs = np.concatenate(
        [
            np.stack([nodes[:, :, :-1].ravel(), nodes[:, :, 1:].ravel()], 1),
            np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()], 1),
        ]
    )
    there, back = rng.random((2, len(pairs))) < 0.85
    loops = np.repeat(rng.choice(nodes.ravel(), 5), 2).reshape(-1, 2)
    arcs = np.concatenate([pairs[there], pairs[back][:, ::-1], pairs[rng.random(len(pairs)) < 0.1], loops])
    weights = rng.integers(0, largest + 1, len(arcs)).astype(np.int32)
    weights[rng.random(len(arcs)) < 0.1] = 0
    return RoadNetwork.from_arcs(
        name="two grids",
        node_count=nodes.size,
        tails=arcs[:, 0],
        heads=arcs[:, 1],
        metrics=[Metric("length", "m", 1.0, weights)],
        node_ids=rng.permutation(nodes.size),
    )
