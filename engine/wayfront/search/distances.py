"""Decide whether distances are held in 32 or 64 bits. They are never wrong by overflow.

A search begins in int32 and is repeated in int64 if its distances do not fit. Bounds known beforehand are of little
use: the sum of the n−1 largest weights, which no path exceeds, is 604 million on New York, whose largest distance is
1.4 million, and passes 2^31 on every larger map.

**What an int32 search computes.** Let I = 2^31−1, the value that means "not reached". Every search here obeys
three rules, whatever its order, threads or buckets:

1. An offer is distance + weight, computed in 64 bits: numba widens the sum of two int32 on processor and card.
2. Offers start from nodes whose distance is below I: searches skip nodes at I, or expand only nodes that were improved.
3. An offer is stored, in ``distances``, an updating cost, a heap or a bucket, only if it is less than the value there,
   so only if it is below I; stored values fit, and nothing wraps.

Values computed from stored ones and limits (``limit + delta``, sums of a queue, shares of a reduction) are int64, and
bucket indices are at most stored value / Δ < I.

*Claim.* When such a search ends, d[v] is the true distance D[v] wherever D[v] < I, and I elsewhere. *Proof.* Every
stored value below I is the length of a path, so d[v] ≥ D[v]; if D[v] ≥ I, nothing is ever stored at v. If D[v] < I,
all distances along a shortest path to v are at most D[v] < I because weights are not negative, and so are the offers
along it: they are never refused by rule 3 for being too large, and the search delivers them as it does without a
limit. The parents of nodes with D[v] < I, made from tight arcs or kept beside the distance under its lock, and the
steps recorded of them, are thus those of an unlimited search.

**What is left to check** is whether some node has I ≤ D[v] < ∞. On a path to it, the first node at or beyond I has a
predecessor below I. So it is exactly if an arc leads from a reached node to an unreached one (``overflows``), and then
the search is repeated in int64, where n−1 weights of 2^31−1 stay far below the limit. No arc can do so unless a
distance lies within one largest weight of I; so a pass over the nodes is enough for most networks, and only where it
finds such a distance do all arcs follow. The check is made and timed together with the tree.

Rule 1 does not hold where NumPy adds the numbers, as in the CUDA simulator: there the bound decides. What an algorithm
prepares may hold longer paths than any distance is. So a search may need 64 bits although its distances do not, and
they are given in 32 bits in the end: the same result whatever found it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device
from wayfront.kernels.observing import fill
from wayfront.kernels.overflow import find_above, find_unreached_head
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.run import Run

NARROW, WIDE = np.dtype(np.int32), np.dtype(np.int64)


def distance_dtypes(device: Device, network: RoadNetwork, metric: Metric) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes to try in turn, until a search in one of them does not overflow."""
    if device.wide_sums:
        return (NARROW, WIDE)
    # Offers may exceed the largest distance by one more weight.
    largest_offer = network.distance_bound(metric) + network.weight_range(metric)[1]
    return (NARROW,) if largest_offer < np.iinfo(NARROW).max else (WIDE,)


def overflows(run: Run) -> bool:
    """Return whether the distances of a finished search do not fit its dtype: it must be repeated in a wider one."""
    if run.distance_dtype == WIDE:
        return False
    found = run.array("overflow", 1, np.int32)
    run.launch(fill, 1, found, 0)
    safe = run.infinity - 1 - run.network.weight_range(run.metric)[1]
    run.launch(find_above, run.node_count, safe, run.infinity, run.distances, found)
    if run.read(found)[0] == 0:
        return False
    run.launch(fill, 1, found, 0)
    run.launch(find_unreached_head, run.node_count, run.arcs, run.distances, run.infinity, found)
    return run.read(found)[0] != 0


def in_fewest_bits(distances: NDArray[Any]) -> NDArray[Any]:
    """Return distances [n] as int32 where all fit; the largest value of either dtype means "not reached"."""
    if distances.dtype == NARROW:
        return distances
    unreached, limit = np.iinfo(WIDE).max, np.iinfo(NARROW).max
    reached = distances != unreached
    if (distances[reached] >= limit).any():
        return distances
    return np.where(reached, distances, limit).astype(NARROW)
