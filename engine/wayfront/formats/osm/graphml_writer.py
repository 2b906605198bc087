"""Write GraphML that ``osmnx.load_graphml`` reads."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.formats.dimacs.files import LENGTH, TRAVEL_TIME
from wayfront.formats.osm.assembly import great_circle_m
from wayfront.formats.progress import Opening
from wayfront.formats.writing import ROWS, origin_lines, write_compressed
from wayfront.network.road_network import RoadNetwork

_HIGHWAYS = ("residential", "secondary", "primary", "motorway")
"""The ``highway`` value that stands for each road class."""

_KEYS = (
    ("d0", "graph", "crs"),
    ("d1", "node", "x"),
    ("d2", "node", "y"),
    ("d3", "edge", "osmid"),
    ("d4", "edge", "length"),
    ("d5", "edge", "travel_time"),
    ("d6", "edge", "highway"),
    ("d7", "edge", "name"),
    ("d8", "edge", "geometry"),
    ("d9", "graph", "name"),
)
_NOT_IN_XML = re.compile("[\x00-\x1f\ud800-\udfff\ufffe\uffff]")
_KEY_OF = {name: key for key, where, name in _KEYS if where == "edge"}


def save_graphml(network: RoadNetwork, path: Path, opening: Opening) -> None:
    """Write x and y of nodes in degrees and the length of edges in metres.

    OSMnx insists on an ``osmid`` for every edge; the ways' own are not kept, so it is the arc's number. Raises
    ``NetworkError`` for a network without coordinates, ``OpenCancelled`` and ``WriteError``.
    """
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, without which OSMnx reads no graph")
    ids, degrees = network.node_ids.tolist(), (network.coordinates / 1e6).tolist()
    with write_compressed(path) as file:
        file.write(_graphml_head(network).encode())
        for start in range(0, len(ids), ROWS):
            opening.report(0.3 * start / len(ids))
            nodes = zip(ids[start : start + ROWS], degrees[start : start + ROWS], strict=True)
            lines = (_NODE % (node, x, y) for node, (x, y) in nodes)
            file.write("".join(lines).encode())
        columns = _edge_columns(network)
        for start in range(0, network.arc_count, ROWS):
            opening.report(0.3 + 0.7 * start / network.arc_count)
            arcs = range(start, min(start + ROWS, network.arc_count))
            file.write("".join(_edge(network, ids, columns, arc) for arc in arcs).encode("utf-8", "replace"))
        file.write(b"</graph></graphml>\n")


_NODE = '<node id="%d"><data key="d1">%.6f</data><data key="d2">%.6f</data></node>\n'


def _graphml_head(network: RoadNetwork) -> str:
    keys = "".join(
        f'<key id="{key}" for="{where}" attr.name="{name}" attr.type="string"/>\n' for key, where, name in _KEYS
    )
    comment = re.sub("-(?=-)", "- ", "; ".join(origin_lines(network)))  # two would end it
    return (
        "<?xml version='1.0' encoding='utf-8'?>\n"
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n<!-- {comment} -->\n{keys}'
        f'<graph edgedefault="directed">\n<data key="d0">epsg:4326</data><data key="d9">{_text(network.name)}</data>\n'
    )


def _edge_columns(network: RoadNetwork) -> dict[str, NDArray[Any]]:
    """Return per arc: tail, head, index among parallel arcs, length and travel time in OSMnx's units."""
    tails, targets, metrics = network.tails(), network.targets, {metric.name: metric for metric in network.metrics}
    order = np.lexsort((targets, tails))
    new = np.ones(len(order), bool)
    new[1:] = (tails[order][1:] != tails[order][:-1]) | (targets[order][1:] != targets[order][:-1])
    index = np.arange(len(order))
    twin = np.empty(len(order), np.int64)
    twin[order] = index - np.maximum.accumulate(np.where(new, index, 0))
    columns: dict[str, NDArray[Any]] = {"tail": tails, "head": targets, "twin": twin}
    length, time = metrics.get(LENGTH), metrics.get(TRAVEL_TIME)
    if length is not None and length.unit == "m":
        columns["length"] = length.weights * length.scale
    else:
        assert network.coordinates is not None
        degrees = network.coordinates / 1e6
        columns["length"] = great_circle_m(degrees[tails], degrees[targets])
    if time is not None and time.unit == "s":
        columns["travel_time"] = time.weights * time.scale
    return columns


def _edge(network: RoadNetwork, ids: list[int], columns: dict[str, NDArray[Any]], arc: int) -> str:
    values = {"osmid": str(arc), "length": f"{columns['length'][arc]:.3f}"}
    if "travel_time" in columns:
        values["travel_time"] = f"{columns['travel_time'][arc]:.3f}"
    if network.road_class is not None:
        values["highway"] = _HIGHWAYS[network.road_class[arc]]
    if network.road_names is not None:
        values["name"] = network.road_names.name(arc)
    tail, head = int(columns["tail"][arc]), int(columns["head"][arc])
    if network.shapes is not None and len(inner := network.shapes.of(arc)):
        assert network.coordinates is not None
        points = (network.coordinates[tail], *inner, network.coordinates[head])
        values["geometry"] = "LINESTRING (" + ", ".join(f"{x / 1e6:.6f} {y / 1e6:.6f}" for x, y in points) + ")"
    data = "".join(f'<data key="{_KEY_OF[name]}">{_text(value)}</data>' for name, value in values.items() if value)
    return f'<edge source="{ids[tail]}" target="{ids[head]}" id="{columns["twin"][arc]}">{data}</edge>\n'


def _text(value: str) -> str:
    """Return a text escaped for XML, without the characters that XML cannot hold."""
    return escape(_NOT_IN_XML.sub("", value))
