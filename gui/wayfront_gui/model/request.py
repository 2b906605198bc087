"""The search that a slot asks for, as plain data that uses no jobs and no threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import RoadNetwork
from wayfront.options import OptionValue


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search; fields as in ``wayfront.search``. ``live`` shows a slow one while it runs."""

    network: RoadNetwork
    source: int
    algorithm: str
    device: str
    threads: int
    metric: str | None
    options: Mapping[str, OptionValue]
    runs: int
    trace_budget: int | None
    live: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class PairsRequest:
    """One search for all pairs; fields as in ``wayfront.all_pairs``. ``sources`` are int32 internal node numbers."""

    network: RoadNetwork
    sources: NDArray[np.int32]
    algorithm: str
    device: str
    threads: int
    metric: str
    options: Mapping[str, OptionValue]
    runs: int
    trace_budget: int | None


def sample_sources(node_count: int, sample: int | None) -> NDArray[np.int32]:
    """Return all nodes, or ``sample`` of them spread over the whole map, which neighbouring numbers lie on together."""
    if sample is None or sample >= node_count:
        return np.arange(node_count, dtype=np.int32)
    return ((2 * np.arange(sample, dtype=np.int64) + 1) * node_count // (2 * sample)).astype(np.int32)
