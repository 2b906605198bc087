"""What is said of measured times, of the network and of the machine, in records and in lines."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork


def spread_of(measured: tuple[float, ...]) -> dict[str, Any]:
    """Return the median, the least and the most of some times, and how many there are."""
    low, high = min(measured), max(measured)
    return {"median": statistics.median(measured), "min": low, "max": high, "runs": len(measured)}


def spread_text(spread: dict[str, Any]) -> str:
    """Return what ``spread_of`` returned, times in milliseconds, as a line."""
    from wayfront_gui.model.formatting import milliseconds

    low, high = milliseconds(spread["min"]), milliseconds(spread["max"])
    return f"{milliseconds(spread['median'])}, median of {spread['runs']} runs ({low} – {high})"


def network_record(network: RoadNetwork) -> dict[str, Any]:
    """Return a network's name and size."""
    return {"name": network.name, "nodes": network.node_count, "arcs": network.arc_count}


def machine_line(record: dict[str, Any]) -> str:
    """Return the processor, the system and the date of a record that has the machine's facts."""
    machine = record["machine"]
    return f"{machine['processor']}, {machine['cores']} cores, {machine['system']}, {machine['date']}"
