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
limit. The parents of nodes with D[v] < I, made from tight arcs or kept beside the distance under its lock, are thus
those of an unlimited search.

**What it records** may differ from that: a node with D[v] < I may first be offered a distance of I or more, which rule
3 refuses, and then it is reached in a later step. No offer is refused where the bound on distances and one more weight
stay below I, and the trace of a small network is only recorded in 32 bits if that holds. On larger ones such a bound
says little. There ``drops_offers`` asks afterwards, at little cost, whether a distance above I − 1 − the largest weight
may have been expanded: a final one, one within the last bucket, or one that the recorder saw where it compares all that
fell. Passes in place may expand distances between two comparisons, and count as if they had. Where one may have been,
the search is recorded again in 64 bits, and its clean runs stay in 32. So a trace is the same in 32 bits and in 64.

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

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device
from wayfront.kernels.observing import fill
from wayfront.kernels.rows import Rows, Spread, find_above, find_unreached_heads
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.searching.run import BaseRun, Run
from wayfront.trace.schema import Trace

NARROW, WIDE = np.dtype(np.int32), np.dtype(np.int64)


def distance_dtypes(
    device: Device, network: RoadNetwork, metric: Metric, *, traced: bool = False
) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes to try in turn, until a search in one of them does not overflow.

    One that is ``traced`` on a small network, whose trace keeps every distance, refuses no offer in any of them.
    """
    if device.wide_sums and not (traced and network.node_count <= SMALL):
        return (NARROW, WIDE)
    return (NARROW,) if _all_offers_fit(network, metric) else (WIDE,)


def _all_offers_fit(network: RoadNetwork, metric: Metric) -> bool:
    """Return whether 32 bits hold any offer: it may exceed the largest distance by one more weight."""
    return network.distance_bound(metric) + network.weight_range(metric)[1] < int(np.iinfo(NARROW).max)


def drops_offers(run: BaseRun, trace: Trace, saw_large: Callable[[], bool]) -> bool:
    """Return whether a recorded run whose distances fit 32 bits may have refused an offer because it does not.

    ``saw_large`` is that of its recorder. The run is that of one tree; others have 64 bits.
    """
    if not isinstance(run, Run) or run.distance_dtype == WIDE or _all_offers_fit(run.network, run.metric):
        return False
    limit = run.infinity - 1 - run.network.weight_range(run.metric)[1]
    return bool((trace.bucket_high > limit).any()) or _any_above(run, limit) or saw_large()


def _any_above(run: Run, limit: int) -> bool:
    found = run.array("overflow", 1, np.int32)
    run.launch(fill, 1, found, 0)
    run.launch(find_above, run.node_count, limit, run.infinity, run.distances, found)
    return run.read(found)[0] != 0


def overflows(run: Run) -> bool:
    """Return whether the distances of a finished search do not fit its dtype: it must be repeated in a wider one."""
    if run.distance_dtype == WIDE:
        return False
    if not _any_above(run, run.infinity - 1 - run.network.weight_range(run.metric)[1]):
        return False
    found = run.array("overflow", 1, np.int32)
    run.launch(fill, 1, found, 0)
    n, one_row = run.node_count, Rows(run.distances, number=1, source_stride=run.node_count, node_stride=1)
    a_node_each = Spread(parts=n, by_row=0, blocks=0)
    run.launch(find_unreached_heads, n, a_node_each, one_row, n, run.arcs, run.infinity, found)
    return run.read(found)[0] != 0


def in_fewest_bits(distances: NDArray[Any]) -> NDArray[Any]:
    """Return what a search found [n] as a result has it: ``NO_PATH`` where nothing was reached, int32 where all fit.

    A search itself marks what it did not reach by the largest value of the dtype, so that a minimum needs no exception.
    """
    found = np.where(distances == np.iinfo(distances.dtype).max, distances.dtype.type(NO_PATH), distances)
    return found.astype(NARROW) if found.max(initial=0) < np.iinfo(NARROW).max else found
