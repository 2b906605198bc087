"""The search that a slot asks for, as plain data that uses no jobs and no threads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
