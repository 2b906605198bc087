"""``wayfront info``: size, metrics, components, bounds, memory and origin of a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wayfront.formats.options import OpeningOptions
from wayfront_gui.cli import engine_calls
from wayfront_gui.cli.argument_groups import expand_groups
from wayfront_gui.cli.arguments import JsonOption, NetworkArgument
from wayfront_gui.cli.console import cancel_on_interrupt, facts_table, print_json, print_tables

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric, RoadNetwork


@expand_groups
def info(network: NetworkArgument, opening: OpeningOptions, json: JsonOption = False) -> None:
    """Print a network's size, metrics, components and origin."""
    with cancel_on_interrupt() as cancel:
        opened = engine_calls.open_network(network, cancel, opening)
        record = network_record(opened)
    if json:
        print_json(record)
    else:
        print_tables(facts_table(opened.name, _network_facts(record)))


def network_record(network: RoadNetwork) -> dict[str, Any]:
    """Return everything ``wayfront info --json`` prints; degrees are west, south, east, north."""
    import numpy as np

    from wayfront.network.connectivity import strong_components

    sizes = np.bincount(strong_components(network)) if network.node_count else np.zeros(0, np.int64)
    bounds = None
    if network.coordinates is not None and network.node_count:
        low, high = network.coordinates.min(axis=0) / 1e6, network.coordinates.max(axis=0) / 1e6
        bounds = [float(low[0]), float(low[1]), float(high[0]), float(high[1])]
    return {
        "name": network.name,
        "nodes": network.node_count,
        "arcs": network.arc_count,
        "metrics": [_metric_record(metric) for metric in network.metrics],
        "components": {"count": len(sizes), "largest": int(sizes.max(initial=0))},
        "parts": {"strongly_connected": len(sizes), "largest": int(sizes.max(initial=0))},
        "parallel_arcs": _parallel_arcs(network),
        "self_loops": int(np.count_nonzero(network.tails() == network.targets)),
        "bounds": bounds,
        "road_classes": _road_classes(network),
        "memory_bytes": network.nbytes,
        "origin": network.origin,
        "attribution": network.attribution,
        "data_date": network.data_date,
        "road_names": None if network.road_names is None else len(network.road_names.names),
        "road_names_bytes": 0 if network.road_names is None else network.road_names.nbytes,
        "notes": list(network.notes),
        "content_key": network.content_key,
    }


def _metric_record(metric: Metric) -> dict[str, Any]:
    import numpy as np

    weights = metric.weights
    return {
        "name": metric.name,
        "unit": metric.raw_unit,
        "smallest": int(weights.min()) if len(weights) else None,
        "largest": int(weights.max()) if len(weights) else None,
        "zero_weights": int(np.count_nonzero(weights == 0)),
    }


def _parallel_arcs(network: RoadNetwork) -> int:
    """Count the arcs beyond the first between the same two nodes in the same direction."""
    import numpy as np

    ends = np.sort(network.tails().astype(np.int64) * network.node_count + network.targets)
    return int(np.count_nonzero(ends[1:] == ends[:-1]))


def _road_classes(network: RoadNetwork) -> dict[str, int] | None:
    import numpy as np

    from wayfront.network.schema import ROAD_CLASSES

    if network.road_class is None:
        return None
    counts = np.bincount(network.road_class, minlength=len(ROAD_CLASSES))
    return {name: int(count) for name, count in zip(ROAD_CLASSES, counts, strict=False)}


def _network_facts(record: dict[str, Any]) -> dict[str, str]:
    components = record["components"]
    share = components["largest"] / record["nodes"] if record["nodes"] else 0.0
    facts = {"nodes": f"{record['nodes']:,}", "arcs": f"{record['arcs']:,}"}
    for metric in record["metrics"]:
        span = "no arcs" if metric["smallest"] is None else f"{metric['smallest']:,} to {metric['largest']:,}"
        unit = "" if metric["unit"] == "unit" else f" in {metric['unit']}"
        zeros = f", {metric['zero_weights']:,} of them 0" if metric["zero_weights"] else ""
        facts[f"metric {metric['name']}"] = f"{span}{unit}{zeros}"
    facts["components"] = f"{components['count']:,} strongly connected, the largest with {share:.1%} of the nodes"
    facts["parallel arcs"] = f"{record['parallel_arcs']:,}"
    facts["self-loops"] = f"{record['self_loops']:,}"
    facts["bounds"] = "none: there are no coordinates"
    if record["bounds"]:
        west, south, east, north = record["bounds"]
        facts["bounds"] = f"{west:.4f}° to {east:.4f}° east, {south:.4f}° to {north:.4f}° north"
    if record["road_classes"]:
        facts["road classes"] = ", ".join(f"{name} {count:,}" for name, count in record["road_classes"].items())
    facts["memory"] = f"{record['memory_bytes'] / 2**20:,.1f} MiB"
    facts["from"] = record["origin"]
    if record["attribution"]:
        facts["attribution"] = record["attribution"]
    if record["data_date"]:
        facts["data of"] = record["data_date"]
    if record["road_names"]:
        facts["road names"] = f"{record['road_names']:,}, {record['road_names_bytes'] / 2**20:,.1f} MiB"
    if record["notes"]:
        facts["to know"] = "\n".join(record["notes"])
    facts["content key"] = record["content_key"]
    return facts
