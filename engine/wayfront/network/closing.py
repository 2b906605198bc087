"""Close roads: a network without some of its arcs, for searches that are to find their way around them.

Nodes, their ids and all metrics stay; the arcs that are left keep their order. So whatever searches a network searches
one with closed roads too, and a closed bridge leaves nodes unreached like any other gap.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.network.road_network import Metric, RoadNetwork

NOTHING_CLOSED: NDArray[np.int64] = np.empty(0, np.int64)
NOTHING_CLOSED.flags.writeable = False

_ENDING = " without closed arcs"


def checked_arcs(network: RoadNetwork, arcs: Sequence[int] | NDArray[np.integer] | None) -> NDArray[np.int64]:
    """Return internal arc numbers as int64 [k], ascending, each once, read-only; none for None.

    Raises ``NetworkError`` unless they are arcs of the network.
    """
    if arcs is None:
        return NOTHING_CLOSED
    given = np.asarray(arcs)
    if given.size == 0:
        return NOTHING_CLOSED
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise NetworkError(
            f"closed roads are given as internal arc numbers, not as {arcs!r}; wayfront.arcs_between gives those from "
            "one node to another"
        )
    outside = (given < 0) | (given >= network.arc_count)
    if outside.any():
        raise NetworkError(
            f"{network.name} has no internal arc {given[outside][0]}; they are 0…{network.arc_count - 1}"
        )
    numbers: NDArray[np.int64] = np.unique(given.astype(np.int64))
    numbers.flags.writeable = False
    return numbers


def without_arcs(network: RoadNetwork, closed: NDArray[np.int64]) -> RoadNetwork:
    """Return the network without the arcs ``closed`` (of ``checked_arcs``); itself where these are none.

    The last one made is kept with the network. Its content key is made of the whole network's and the closures: it is
    no file's, and only tells such networks apart.
    """
    if not len(closed):
        return network
    digest = hashlib.blake2b(closed.astype("<i8").tobytes(), digest_size=16).hexdigest()
    key = f"{digest}{_ENDING}"
    if not network.has_derived(key):
        network.forget(_ENDING)
    return network.derive(key, lambda: _remove(network, closed, f"{network.content_key}-{digest}"))


def _remove(network: RoadNetwork, closed: NDArray[np.int64], content_key: str) -> RoadNetwork:
    kept = np.ones(network.arc_count, np.bool_)
    kept[closed] = False
    lost = np.zeros(network.node_count + 1, np.int64)
    np.cumsum(np.bincount(network.tails()[closed], minlength=network.node_count), out=lost[1:])
    metrics = tuple(Metric(m.name, m.unit, m.scale, m.weights[kept]).frozen() for m in network.metrics)
    offsets, targets = (network.offsets - lost).astype(network.offsets.dtype), network.targets[kept]
    offsets.flags.writeable = targets.flags.writeable = False
    return replace(
        network,
        offsets=offsets,
        targets=targets,
        metrics=metrics,
        road_class=None,  # what is drawn and told of roads is the whole network's
        road_names=None,
        shapes=None,
        content_key=content_key,
        _derived={"id_order": network.id_order()},
    )
