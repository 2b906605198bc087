"""Read GraphML that OSMnx saved: nodes with x and y in degrees, edges with OpenStreetMap's tags and a length.

OSMnx merges ways, so a value may be a list in Python's own notation; the first name, the slowest speed and the most
important class then stand for all. The text is read by expat in blocks, entities are refused.
"""

from __future__ import annotations

import ast
import re
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.dimacs.files import LENGTH, TRAVEL_TIME
from wayfront.formats.options import OsmOptions
from wayfront.formats.osm import rules
from wayfront.formats.osm.arcs import Arcs
from wayfront.formats.osm.guards import memory_for_text
from wayfront.formats.osm.roads import Source, as_array, great_circle_m, network_of_arcs
from wayfront.formats.streams import ROWS, Opening, origin_lines, write_compressed, xml_blocks
from wayfront.network.copies import require_whole_nodes
from wayfront.network.details import RoadNames, Shapes
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import offsets_of
from wayfront.safe.errors import FormatError, NetworkError

_ONE = {"node": "a node", "edge": "an edge"}
_MOST_ID = 2**62
_MOST_LENGTH_M, _MOST_TIME_S = 1e8, 1e6
_DEEPEST, _MOST_KEYS = 16, 10_000
_WANTED = frozenset(("x", "y", "length", "highway", "name", "ref", "maxspeed", "travel_time", "geometry"))


def read_graphml(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    """Read a network that OSMnx saved. Raises ``FormatError`` and ``OpenCancelled``."""
    opening.require_memory(memory_for_text(path, opening), path)
    opening.enter("reading the graph", 0.8)
    graph = _Graph(path)
    graph.read(opening)
    opening.enter("arranging", 0.2)
    return network_of_arcs(graph.arcs(), Source(path, name, ""), options, opening, [])


class _Graph:
    """The graph as it is read, in flat lists."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._keys: dict[str, str] = {}
        self._values: dict[str, str] = {}
        self._item: dict[str, str] | None = None
        self._text: list[str] = []
        self._data = ""
        self._depth = self._declared = 0
        self._undirected = False
        self._ids, self._x, self._y = array("q"), array("d"), array("d")
        self._tails, self._heads = array("q"), array("q")
        self._lengths, self._times = array("d"), array("d")
        self._road_class, self._imputed = array("B"), array("B")
        self._names: list[str] = []
        self._shapes: list[bytes] = []

    # ------------------------------------------------------------------------------------------- reading

    def read(self, opening: Opening) -> None:
        """Read the file. Raises ``FormatError`` and ``OpenCancelled``."""
        parser = expat.ParserCreate()
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.CharacterDataHandler = self._characters
        parser.EntityDeclHandler = self._refuse_entities
        try:
            untagged = FormatError("there is a megabyte without a tag: this is no road network", self._path)
            for block in xml_blocks(self._path, opening, untagged):
                parser.Parse(block, False)
            parser.Parse(b"", True)
        except LookupError as error:  # the text says that it is in an encoding there is not
            raise FormatError(f"the XML is damaged ({error}): get the file again", self._path) from None
        except expat.ExpatError as error:
            problem = f"the XML is damaged ({expat.errors.messages[error.code]}): get the file again"
            raise FormatError(problem, self._path, error.lineno) from None

    def _refuse_entities(self, *_: Any) -> None:
        raise FormatError("it declares entities, which no graph of OSMnx needs", self._path)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST or self._declared > _MOST_KEYS:
            raise FormatError("it is nested or declared like no graph of OSMnx", self._path)
        if tag == "key":
            self._declared += 1
            self._keys[attributes.get("id", "")] = attributes.get("attr.name", "")
        elif tag == "graph":
            self._undirected = attributes.get("edgedefault") == "undirected"
        elif tag in ("node", "edge"):
            self._item, self._values = attributes, {}
        elif tag == "data":
            self._data = self._keys.get(attributes.get("key", ""), "")
            self._text.clear()

    def _characters(self, text: str) -> None:
        if self._data in _WANTED:
            self._text.append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag == "data":
            if self._data in _WANTED:
                self._values[self._data] = "".join(self._text)
            self._data = ""
        elif tag in ("node", "edge") and self._item is not None:
            try:
                self._add_node() if tag == "node" else self._add_edge()
            except KeyError as error:
                raise FormatError(
                    f"{_ONE[tag]} has no {error}: this is no graph that OSMnx saved", self._path
                ) from None
            except (ValueError, OverflowError) as error:
                raise FormatError(f"{_ONE[tag]} is damaged ({str(error)[:80]})", self._path) from None
            self._item = None

    def _add_node(self) -> None:
        assert self._item is not None
        x, y = float(self._values["x"]), float(self._values["y"])
        if not (abs(x) <= 180 and abs(y) <= 90):
            raise ValueError(f"it lies at {x}, {y}: project the graph back to degrees before saving it")
        self._ids.append(_node_id(self._item["id"]))
        self._x.append(x)
        self._y.append(y)

    def _add_edge(self) -> None:
        assert self._item is not None
        values = self._values
        length = float(values["length"])
        if not 0 <= length <= _MOST_LENGTH_M:
            raise ValueError(f"it is {length} m long")
        highways = _all_of(values.get("highway"))
        time, imputed = _travel_time_s(values, length, highways)
        self._tails.append(_node_id(self._item["source"]))
        self._heads.append(_node_id(self._item["target"]))
        self._lengths.append(length)
        self._times.append(time * 1000)
        self._imputed.append(imputed)
        self._road_class.append(max(map(rules.importance, highways), default=0))
        self._names.append(next(iter(_all_of(values.get("name")) + _all_of(values.get("ref"))), ""))
        self._shapes.append(_inner_points(values.get("geometry", "")))

    # ------------------------------------------------------------------------------------------- arranging

    def arcs(self) -> Arcs:
        """Return the arcs that were read. Raises ``FormatError`` where there are none, or their nodes are missing."""
        if not len(self._ids) or not len(self._tails):
            raise FormatError("no roads: there is no edge in this graph", self._path)
        ids = as_array(self._ids, np.int64)
        order = np.argsort(ids)
        ranked = ids[order]
        if (np.diff(ranked) == 0).any():
            raise FormatError("two nodes have the same id", self._path)
        tails, heads = (self._numbers(ranked, as_array(ends, np.int64)) for ends in (self._tails, self._heads))
        degrees = np.column_stack((as_array(self._x, np.float64), as_array(self._y, np.float64)))[order]
        lengths = np.rint(as_array(self._lengths, np.float64) * 10)
        arcs = Arcs(
            ranked,
            np.rint(degrees * 1e6).astype(np.int32),
            tails,
            heads,
            np.maximum(lengths, 1),
            np.maximum(np.rint(as_array(self._times, np.float64)), 1),
            as_array(self._road_class, np.uint8),
            RoadNames.collect(self._names),
            self._shapes_of_arcs(),
            as_array(self._imputed, np.uint8).astype(bool),
        )
        return _both_ways(arcs) if self._undirected else arcs

    def _numbers(self, ranked: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.int32]:
        index = np.minimum(np.searchsorted(ranked, ids), len(ranked) - 1)
        missing = ranked[index] != ids
        if missing.any():
            raise FormatError(
                f"nodes missing: {int(missing.sum()):,} edges name nodes that are not in this graph", self._path
            )
        return index.astype(np.int32)

    def _shapes_of_arcs(self) -> Shapes | None:
        if not any(self._shapes):
            return None
        offsets = offsets_of([len(shape) // 8 for shape in self._shapes])
        return Shapes(offsets, np.frombuffer(b"".join(self._shapes), np.int32).reshape(-1, 2))


def _both_ways(arcs: Arcs) -> Arcs:
    """Return each arc of an undirected graph in both directions."""
    m = len(arcs.tails)
    twice = np.tile(np.arange(m), 2)
    shapes = arcs.shapes
    if shapes is not None:
        offsets = np.concatenate((shapes.offsets, shapes.offsets[-1] + np.cumsum(np.diff(shapes.offsets)[::-1])))
        both = Shapes(offsets, np.concatenate((shapes.points, shapes.points[::-1])))
        shapes = both.reordered(np.concatenate((np.arange(m), np.arange(2 * m - 1, m - 1, -1))))
    doubled = replace(arcs, shapes=None).chosen(twice)
    tails, heads = np.concatenate((arcs.tails, arcs.heads)), np.concatenate((arcs.heads, arcs.tails))
    return replace(doubled, tails=tails, heads=heads, shapes=shapes)


def _node_id(text: str) -> int:
    value = int(text)
    if abs(value) > _MOST_ID:
        raise ValueError(f"node id {text:.40} cannot be")
    return value


def _all_of(value: str | None) -> list[str]:
    """Return the texts of a value that may be a list in Python's notation."""
    if not value:
        return []
    if value.startswith("[") and len(value) < 10_000:
        try:
            return [str(item) for item in ast.literal_eval(value)]
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            return [value]
    return [value]


def _travel_time_s(values: dict[str, str], length_m: float, highways: list[str]) -> tuple[float, bool]:
    """Return the seconds an edge takes, and whether its speed is assumed."""
    if "travel_time" in values:
        time = float(values["travel_time"])
        if not 0 <= time <= _MOST_TIME_S:
            raise ValueError(f"it takes {time} s")
        return time, False
    given = [speed for text in _all_of(values.get("maxspeed")) if (speed := rules.parse_speed(text)) is not None]
    assumed = [rules.DEFAULT_SPEED_KMH[highway] for highway in highways if highway in rules.DEFAULT_SPEED_KMH]
    speed = min(given or assumed, default=rules.DEFAULT_SPEED_KMH["road"])
    return length_m * 3.6 / speed, not given


def _inner_points(line: str) -> bytes:
    """Return the inner points of a LINESTRING as int32 microdegrees. Raises ``ValueError`` where one is none."""
    points = array("i")
    _, _, inside = line.partition("(")
    for point in inside.partition(")")[0].split(",")[1:-1]:
        x, y = point.split(maxsplit=2)[:2]
        points.extend((round(float(x) * 1e6), round(float(y) * 1e6)))
    return points.tobytes()


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
_NOT_WRITTEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""What XML cannot hold, and what a terminal or a label would obey: controls, line breaks, overrides of direction."""
_KEY_OF = {name: key for key, where, name in _KEYS if where == "edge"}


def save_graphml(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    """Write x and y of nodes in degrees and the length of edges in metres, and return the file.

    OSMnx insists on an ``osmid`` for every edge; the ways' own are not kept, so it is the arc's number. Raises
    ``NetworkError`` for a network without coordinates, ``OpenCancelled`` and ``WriteError``.
    """
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, without which OSMnx reads no graph")
    require_whole_nodes(network, "GraphML")
    opening.enter("writing the graph", 1.0)
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
    return [path]


_NODE = '<node id="%d"><data key="d1">%.6f</data><data key="d2">%.6f</data></node>\n'


def _graphml_head(network: RoadNetwork) -> str:
    keys = "".join(
        f'<key id="{key}" for="{where}" attr.name="{name}" attr.type="string"/>\n' for key, where, name in _KEYS
    )
    comment = re.sub("-(?=-)", "- ", _NOT_WRITTEN.sub("", "; ".join(origin_lines(network))))  # two would end it
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
    """Return a text escaped for XML, without the characters that it cannot hold or nobody should be shown."""
    return escape(_NOT_WRITTEN.sub("", value))
