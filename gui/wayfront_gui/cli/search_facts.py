"""Lines of facts that several commands print of a search: what was searched, where, and distances."""

from __future__ import annotations

from wayfront.network.road_network import Metric
from wayfront.search.result import BaseResult


def setting(result: BaseResult) -> dict[str, str]:
    """Return what a search ran on, and how: name and value of each line."""
    network, metric = result.network, result.metric
    return {
        "network": f"{counted(network.node_count, 'node')}, {counted(network.arc_count, 'arc')}",
        "metric": f"{metric.name}, in {metric.raw_unit}" if metric.unit else metric.name,
        "device": f"{result.device_name} ({result.device})",
        "options": ", ".join(f"{name}={value}" for name, value in result.options.items()) or "none",
        **({"closed": counted(len(result.closures), "arc")} if len(result.closures) else {}),
    }


def distance_text(metric: Metric, distance: float) -> str:
    """Return a distance as its raw number, and in the metric's unit where it has one: ``12,345, 1.2 km``."""
    raw = f"{distance:,}" if isinstance(distance, int) else f"{distance:,.1f}"
    return f"{raw}, {metric.describe(round(distance))}" if metric.unit else raw


def counted(count: int, noun: str) -> str:
    """Return a number of things: ``1 node``, ``264,346 nodes``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
