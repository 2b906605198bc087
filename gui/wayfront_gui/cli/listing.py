"""``wayfront list`` and ``wayfront info``: what there is to run, on what, and what a network is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wayfront.options import AUTO
from wayfront_gui.cli import engine
from wayfront_gui.cli.arguments import (
    CoordinatesOption,
    ForceOption,
    JsonOption,
    LargestPartOption,
    NetworkArgument,
    NetworkTypeOption,
    SimplifyOption,
)
from wayfront_gui.cli.terminal import facts_table, print_json, print_tables, stoppable

if TYPE_CHECKING:
    from rich.table import Table

    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.options import Option
    from wayfront.search.registry import Algorithm
    from wayfront.synthetic import Generator


def list_all(json: JsonOption = False) -> None:
    """List the algorithms with their papers and options, the kinds of made networks, and this machine's devices."""
    from wayfront.devices import devices
    from wayfront.search.registry import algorithms
    from wayfront.synthetic import names

    if json:
        told_devices = [
            {"kind": d.kind, "name": d.name, "available": d.available, "why_not": d.why_not} for d in devices()
        ]
        made = [
            {"name": g.name, "summary": g.summary, "parameters": [_option_record(p) for p in g.parameters]}
            for g in names()
        ]
        searches = [_algorithm_record(a) for a in algorithms()]
        print_json({"algorithms": searches, "made_networks": made, "devices": told_devices})
        return
    print_tables(
        _algorithms_table(algorithms()),
        _options_table(algorithms()),
        _made_networks_table(names()),
        _devices_table(devices()),
    )


def info(
    network: NetworkArgument,
    coordinates: CoordinatesOption = None,
    network_type: NetworkTypeOption = None,
    simplify: SimplifyOption = False,
    largest_part: LargestPartOption = False,
    force: ForceOption = False,
    json: JsonOption = False,
) -> None:
    """Tell what a network is: size, metrics, connected parts, bounds, memory and where it is from."""
    with stoppable() as cancel:
        osm = engine.map_options(network_type, simplify, largest_part)
        opened = engine.open_network(network, cancel, coordinates, osm=osm, force=force)
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

    from wayfront.network.road_network import ROAD_CLASSES

    if network.road_class is None:
        return None
    counts = np.bincount(network.road_class, minlength=len(ROAD_CLASSES))
    return {name: int(count) for name, count in zip(ROAD_CLASSES, counts, strict=False)}


def _network_facts(record: dict[str, Any]) -> dict[str, str]:
    parts = record["parts"]
    share = parts["largest"] / record["nodes"] if record["nodes"] else 0.0
    facts = {"nodes": f"{record['nodes']:,}", "arcs": f"{record['arcs']:,}"}
    for metric in record["metrics"]:
        span = "no arcs" if metric["smallest"] is None else f"{metric['smallest']:,} to {metric['largest']:,}"
        unit = "" if metric["unit"] == "unit" else f" in {metric['unit']}"
        zeros = f", {metric['zero_weights']:,} of them 0" if metric["zero_weights"] else ""
        facts[f"metric {metric['name']}"] = f"{span}{unit}{zeros}"
    facts["parts"] = f"{parts['strongly_connected']:,} strongly connected, the largest with {share:.1%} of the nodes"
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


def _algorithm_record(algorithm: Algorithm) -> dict[str, Any]:
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "paper": algorithm.paper,
        "family": algorithm.family,
        "devices": list(algorithm.devices),
        "summary": algorithm.summary,
        "options": [_option_record(option) for option in algorithm.options],
    }


def _option_record(option: Option) -> dict[str, Any]:
    return {
        "name": option.name,
        "type": option.kind.__name__,
        "default": option.default,
        "bounds": list(option.bounds) if option.bounds else None,
        "choices": list(option.choices),
        "unit": option.unit,
        "help": option.help,
    }


def _algorithms_table(algorithms: tuple[Algorithm, ...]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="Algorithms", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("name", "what", "paper", "devices"):
        table.add_column(column, header_style="dim", no_wrap=column == "name")
    for algorithm in algorithms:
        devices = ", ".join(algorithm.devices)
        table.add_row(f"[bold]{algorithm.name}[/]", escape(algorithm.title), escape(algorithm.paper), devices)
    return table


def _options_table(algorithms: tuple[Algorithm, ...]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="\nOptions", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("algorithm", "option", "default", "range", "what"):
        table.add_column(column, header_style="dim", no_wrap=column in ("algorithm", "option"))
    for algorithm in algorithms:
        for place, option in enumerate(algorithm.options):
            name = "" if place else algorithm.name
            automatic = option.automatic is not None and option.default == option.automatic
            default = AUTO if automatic else f"{option.default} {option.unit}".strip()
            table.add_row(name, f"[bold]{option.name}[/]", default, _range(option), escape(option.help))
    return table


def _made_networks_table(generators: tuple[Generator, ...]) -> Table:
    from rich.markup import escape
    from rich.table import Table

    title = "\nMade networks, usable wherever a file is"
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("name", "what", "parameters"):
        table.add_column(column, header_style="dim", no_wrap=column == "name")
    for generator in generators:
        defaults = (f"{p.name}={AUTO if p.default == p.automatic else p.default}" for p in generator.parameters)
        table.add_row(f"[bold]synthetic:{generator.name}[/]", escape(generator.summary), escape(", ".join(defaults)))
    return table


def _range(option: Option) -> str:
    if option.choices:
        return ", ".join(str(choice) for choice in option.choices)
    if option.bounds:
        low, high = option.bounds
        return " – ".join(f"{bound:,.0f}" if float(bound).is_integer() else f"{bound:g}" for bound in (low, high))
    return "true, false" if option.kind is bool else ""


def _devices_table(devices: Any) -> Table:
    from rich.markup import escape
    from rich.table import Table

    table = Table(title="\nDevices", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in ("device", "name", "state"):
        table.add_column(column, header_style="dim")
    for device in devices:
        state = "ready" if device.available else device.why_not
        table.add_row(f"[bold]{device.kind}[/]", escape(device.name), escape(state))
    return table
