"""What access finds on a device, compared with the processor's: the sums are the same to the last bit."""

from __future__ import annotations

import numpy as np

import wayfront
from wayfront import RoadNetwork
from wayfront.network.ends import NONE, Ends


def differences(network: RoadNetwork, device: str, count: int, seed: int, largest: int) -> list[str]:
    """Return the measures that differ, of points on roads with weights that are not whole, with a limit and without."""
    draws, n = np.random.default_rng(seed), network.node_count
    nodes = np.stack([draws.integers(0, n, count), draws.integers(-1, n, count)], axis=1).astype(np.int32)
    none = np.full((count, 2), NONE, np.int64)
    ends, weights = Ends(nodes, draws.integers(0, largest, (count, 2)), none, none), draws.random(count) * 9
    wrong = []
    for limit in (None, 3.0 * largest):
        found, expected = (
            wayfront.access(
                *(network, ends),
                weights=weights,
                within=[largest * part for part in (0.5, 1, 2, 3, 5)],
                decay=f"exponential:{largest}",
                nearest=[1, 3],
                mean=True,
                quantiles=[0.5],
                limit=limit,
                device=each,
            )
            for each in (device, "cpu")
        )
        wrong += [f"{name}, limit {limit}" for name in expected if found[name].tolist() != expected[name].tolist()]
    return wrong
