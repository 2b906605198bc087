"""What the model asks the engine for: one search, without a word of who runs it and where."""

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
    metric: str | None
    options: Mapping[str, OptionValue]
    runs: int
    trace_budget: int | None
    live: bool = False
