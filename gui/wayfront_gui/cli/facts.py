"""What commands print of networks and of searches: one, several laid together, routes, and all pairs.

It imports the engine: a command imports it once it has something to print.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from wayfront.network.copies import node_count_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH, ROAD_CLASSES
from wayfront.network.structure import strong_components
from wayfront.places.snapping import SnappedPlaces
from wayfront.results.alternatives import Alternative
from wayfront.results.directions import directions as directions_of
from wayfront.results.histogram import Histogram
from wayfront.results.nearest import Nearest
from wayfront.results.pairs import PairsResult
from wayfront.results.result import BaseResult, Result, RouteResult
from wayfront.results.route import Route
from wayfront_gui.cli.places import place_name
from wayfront_gui.session import formatting
from wayfront_gui.session.routes import roads_at

_OF_ONE = ("source", "steps", "relaxations", "time_ms", "prepare_ms", "from_scratch_ms", "transfer_ms", "tree_ms",
           "traced_ms", "verified", "note")  # fmt: skip
"""Figures of a search from one source that are listed with it."""


def title(found: Result, places: SnappedPlaces | None = None) -> str:
    """Return what was searched for, and from where."""
    start = f"node {found.network.node_name(found.source)}"
    if isinstance(found, Nearest):
        start = f"the nearest of {len(found.origins):,} {'nodes' if places is None else 'places'}"
    return f"{found.algorithm} on {found.network.name} {'to' if found.reverse else 'from'} {start}"


def facts(found: Result, places: SnappedPlaces | None = None) -> dict[str, str]:
    """Return the lines of the table that is printed: name and value."""
    return {
        **setting(found),
        **(_of_route(found) if isinstance(found, RouteResult) else _of_trees(found)),
        **(_of_several(found, places) if isinstance(found, Nearest) else {}),
        **_of_one(found),
    }


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


def _of_trees(found: Result) -> dict[str, str]:
    summary, metric = record(found), found.metric
    return {
        "reached": counted(summary["reached"], "node"),
        "sum of distances": f"{summary['sum_distance']:,}",
        "farthest": f"node {summary['farthest']} at {distance_text(metric, summary['max_distance'])}",
    }


def _of_route(result: RouteResult) -> dict[str, str]:
    nodes = len(result.distances)
    return {"settled": f"{result.settled_count:,} of {counted(nodes, 'node')}, {result.settled_count / nodes:.1%}"}


def _of_one(result: Result) -> dict[str, str]:
    summary, timing = result.summary(), result.timing
    time = "not timed (no clean runs)"
    if timing.median_ms is not None:
        time = f"{formatting.milliseconds(timing.median_ms)}, {formatting.times(result)}"
    steps, relaxations = summary["steps"], summary["relaxations"]
    lines = {
        "steps": "–" if steps is None else f"{steps:,} with {relaxations:,} relaxations",
        "time": time,
        **formatting.preparation(timing.prepare_ms, timing.from_scratch_ms),
        "copying back": formatting.milliseconds(timing.transfer_ms),
        "making the tree": formatting.milliseconds(timing.tree_ms),
    }
    if timing.traced_ms is not None:
        times = f", {timing.overhead:.1f} × the time" if timing.overhead is not None else ""
        lines["traced run"] = f"{formatting.milliseconds(timing.traced_ms)}{times}"
    if result.verified is not None:
        proved = "the route is" if isinstance(result, RouteResult) else "distances and tree are"
        lines["verified"] = f"{proved} proved right" if result.verified else "no: the result is wrong"
    return lines


_MOST_SOURCES = 20
"""Sources that are listed on a terminal, those that serve most; files and JSON have all."""


def _of_several(found: Nearest, places: SnappedPlaces | None) -> dict[str, str]:
    to, served = "to" if found.reverse else "from", found.served
    most = np.sort(np.argsort(-served, kind="stable")[:_MOST_SOURCES]).tolist()
    lines = {}
    for row in most:
        if places is None:
            called = f"node {found.network.node_name(int(found.sources[row]))}"
        else:
            called = place_name(places.places, row)
        label = f"{to} {called}"
        label = f"{label} ({row + 1})" if label in lines else label
        lines[label] = f"nearest to {counted(int(served[row]), 'node')}"
    others = len(served) - len(most)
    more = {f"and {others:,} more": f"nearest to {counted(int(np.delete(served, most).sum()), 'node')}"}
    return lines | (more if others else {})


def record(found: Result, places: SnappedPlaces | None = None) -> dict[str, Any]:
    """Return what ``--json`` prints of a search: ``sources`` lists how many nodes each one is the nearest of.

    A single one has the figures of its search there; places have their id, name, and how far the road is.
    """
    summary = found.summary()
    if isinstance(found, Nearest):
        if places is not None:
            table = places.places
            known = zip(table.ids.tolist(), table.names.tolist(), places.metres.round(1).tolist(), strict=True)
            for each, (place, name, metres) in zip(summary["sources"], known, strict=True):
                each |= {"place": place, "name": name, "metres": metres}
        return summary
    its = {name: summary[name] for name in _OF_ONE} | {"nearest_nodes": summary["reached"]}
    return {name: value for name, value in summary.items() if name not in _OF_ONE} | {"sources": [its]}


# --------------------------------------------------------------------------------------------------------------- routes


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """A route to a target, an alternative one if others were asked for."""

    target: int
    route: Route
    alternative: Alternative | None = None


def route_title(found: Result, way: Way, number: int = 0) -> str:
    """Return where a route leads from and to, and the ``number`` of one of several."""
    source, target = ends(found, way.target)
    return f"Route{f' {number}' if number else ''} from {_node(found, source)} to {_node(found, target)}"


def route_facts(way: Way, *, directions: bool = False) -> dict[str, str]:
    """Return the lines of a route: every metric's sum along it, its arcs, and its roads or its ``directions``.

    An alternative one has what it shares with those before it.
    """
    route = way.route
    if not len(route):
        return {"route": "none: no way leads there"}
    metrics = {metric.name: metric for metric in (route.metric, *route.network.metrics)}
    sums = {
        name: metric.describe(int(metric.weights[route.arcs].sum(dtype=np.int64))) for name, metric in metrics.items()
    }
    if way.alternative is not None and way.alternative.sharing:
        sums["shared"] = f"{100 * way.alternative.sharing:.0f} % with those before it"
    if directions:
        steps = "\n".join(map(str, directions_of(route)))
        return {**sums, "arcs": f"{len(route) - 1:,}", **({"directions": steps} if steps else {})}
    roads = "\n".join(str(street) for street in route.streets)
    return {**sums, "arcs": f"{len(route) - 1:,}", **({"roads": roads} if roads else {})}


def route_records(found: Result, ways: Sequence[Way], *, directions: bool = False) -> list[dict[str, Any]]:
    """Return routes as JSON values, with ``directions`` if they are wanted.

    One that does not exist has the distance −1, no other figures and no nodes.
    """
    ids = found.network.node_ids
    none: dict[str, Any] = {"distance": NO_PATH, "cost": None, "length_m": None, "time_s": None, "nodes": []}
    return [
        {name: int(ids[node]) for name, node in zip(("from", "to"), ends(found, way.target), strict=True)}
        | (way.route.summary() if len(way.route) else none)
        | ({} if way.alternative is None else {"stretch": way.alternative.stretch, "sharing": way.alternative.sharing})
        | ({"directions": [step.record() for step in directions_of(way.route)]} if directions else {})
        for way in ways
    ]


def ends(found: Result, target: int) -> tuple[int, int]:
    """Return where the route of a target begins and ends; of several sources it is the nearest, or else the first."""
    source = found.source
    if isinstance(found, Nearest):
        source = int(found.sources[max(int(found.nearest[target]), 0)])
    return (target, source) if found.reverse else (source, target)


def _node(found: Result, node: int) -> str:
    """Return what a node is called, with its roads."""
    network = found.network
    roads = roads_at(network, node)
    return f"node {network.node_name(node)}" + (f" ({roads})" if roads else "")


# ------------------------------------------------------------------------------------------------------------ all pairs


def pairs_title(result: PairsResult) -> str:
    """Return what was searched for, and from how many nodes."""
    count, n = len(result.sources), node_count_of(result.network)
    which = "all nodes" if count == n else f"{count:,} of {n:,} nodes"
    return f"{result.algorithm} on {result.network.name} {'to' if result.reverse else 'from'} {which}"


def pairs_facts(result: PairsResult) -> dict[str, str]:
    """Return the lines of the table that is printed of all pairs: name and value."""
    summary, metric, timing = result.summary(), result.metric, result.timing
    time = "not timed"
    if timing.median_ms is not None and result.trees_per_s is not None:
        rate = f"{result.trees_per_s:,.0f} trees/s" if result.trees_per_s >= 10 else f"{result.trees_per_s:.2g} trees/s"
        time = f"{formatting.milliseconds(timing.median_ms)}, {formatting.times(result)}; {rate}"
    pairs, diameter, centre = summary["pairs_reached"], summary["diameter"], summary["centre"]
    of = " of these sources" if len(result.sources) < node_count_of(result.network) else ""
    facts = {
        **setting(result),
        "sources": f"{len(result.sources):,}",
        "pairs": f"{pairs:,} with a path, {summary['pairs_unreached']:,} without",
        "sum of distances": f"{summary['sum_distance']:,}",
        "mean distance": _mean(result),
        f"diameter{of}": f"{distance_text(metric, diameter['distance'])}, from node {diameter['from']} "
        f"to node {diameter['to']}",
        f"centre{of}": f"node {centre['node']}, at most {distance_text(metric, centre['eccentricity'])}, "
        "from every node it reaches",
        "steps": "–" if result.steps is None else f"{result.steps:,}",
        "time": time,
        **formatting.preparation(timing.prepare_ms, timing.from_scratch_ms),
    }
    if result.device_bytes:
        facts["memory"] = f"{result.device_bytes / 1e6:,.1f} MB on the device, beside the network"
    if timing.transfer_ms:
        facts["rows"] = "copying back, proving and keeping them took " + formatting.milliseconds(timing.transfer_ms)
    if result.proved_rows is not None:
        count, every = len(result.sources), result.verified
        rows = f"{result.proved:,} rows are" if every else f"no: {result.proved:,} of {count:,} rows are"
        facts["verified"] = f"{rows} proved right, {result.compared:,} compared with Dijkstra's"
    return facts


def bins_facts(metric: Metric, histogram: Histogram) -> dict[str, str]:
    """Return the lines of the table of pairs by distance: the bin, and how many pairs lie there."""
    ends = [metric.describe(round(metric.raw_limit(edge))) for edge in histogram.edges.tolist()]
    whole = max(int(histogram.counts.sum()) + histogram.outside, 1)
    counts = [*histogram.counts.tolist(), *([histogram.outside] if histogram.outside else [])]
    names = [f"{low} to {high}" for low, high in pairwise(ends)] + ["elsewhere"]
    return {name: f"{count:,}, {count / whole:.1%}" for name, count in zip(names, counts, strict=False)}


def _mean(result: PairsResult) -> str:
    """Return the mean distance of all pairs of two nodes with a path."""
    others = result.pairs_reached - len(result.sources)
    if not others:
        return "–"
    return distance_text(result.metric, result.sum_distance / others)


# ------------------------------------------------------------------------------------------------------------- networks


def network_record(network: RoadNetwork) -> dict[str, Any]:
    """Return everything ``wayfront info --json`` prints; degrees are west, south, east, north."""
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
    ends = np.sort(network.tails().astype(np.int64) * network.node_count + network.targets)
    return int(np.count_nonzero(ends[1:] == ends[:-1]))


def _road_classes(network: RoadNetwork) -> dict[str, int] | None:
    if network.road_class is None:
        return None
    counts = np.bincount(network.road_class, minlength=len(ROAD_CLASSES))
    return {name: int(count) for name, count in zip(ROAD_CLASSES, counts, strict=False)}


def network_facts(record: dict[str, Any]) -> dict[str, str]:
    """Return the lines of the table that is printed of a network's record: name and value."""
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
