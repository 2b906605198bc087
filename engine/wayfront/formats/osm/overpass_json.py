"""Read the JSON answer of an Overpass server element by element, so that only one is ever held as objects.

``json.JSONDecoder.raw_decode`` on blocks of text takes 1.2 s for 54 MB with 250,000 elements (also for the indented
76 MB a server sends); ijson with its C backend took 1.2 to 1.8 s in turns with it, so that dependency is not needed.
"""

from __future__ import annotations

import codecs
import json
import re
from array import array
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

import numpy as np

from wayfront.formats.options import OsmOptions
from wayfront.formats.osm.guards import data_date, memory_for_text
from wayfront.formats.osm.lines import Line, known_parts
from wayfront.formats.osm.restrictions import is_restriction
from wayfront.formats.osm.roads import (
    MOST_NODES_OF_A_WAY,
    UNKNOWN,
    NodesOfWays,
    Roads,
    Source,
    as_array,
    network_of_roads,
)
from wayfront.formats.osm.surroundings import SurroundingsReader
from wayfront.formats.streams import BLOCK_BYTES, Opening, open_stream
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError
from wayfront.safe.files import file_bytes

_LARGEST_ELEMENT = 16 << 20
"""Most characters of one element, or before the first: more than any real way needs."""

_ELEMENTS = re.compile(r'"elements"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_MOST_ID = 2**53
_BEYOND = 400


def read_overpass(path: Path, name: str, options: OsmOptions, opening: Opening) -> RoadNetwork:
    """Read a network from an answer. Raises ``FormatError``, also for an error that the server reports."""
    opening.require_memory(memory_for_text(path, opening), path)
    opening.enter("reading roads", 0.8)
    roads, around, nodes = Roads.wanted(options), _Around(), _Nodes()
    answer = _Answer(path)
    with open_stream(path) as (stream, file):
        for count, element in enumerate(answer.elements(stream)):
            if count % 1024 == 0:
                opening.report(file.tell() / max(file_bytes(path), 1))
            _take(element, count, roads, around, nodes, path)
    located = as_array(nodes.ids, np.int64), as_array(nodes.x, np.int32), as_array(nodes.y, np.int32)
    roads.locate(*located)
    around.nodes.locate(*located)
    around.add_ways()
    opening.enter("arranging", 0.2)
    network = network_of_roads(roads, Source(path, name, answer.date), options, opening)
    return replace(network, surroundings=around.reader.build(network.coordinates))


class _Nodes:
    """Nodes in flat arrays: ids, and longitude and latitude in 1e-7 degrees."""

    def __init__(self) -> None:
        self.ids, self.x, self.y = array("q"), array("i"), array("i")

    def add(self, node: Any, position: Any) -> None:
        x, y = float(position["lon"]), float(position["lat"])
        if not (type(node) is int and abs(node) < _MOST_ID and abs(x) < _BEYOND and abs(y) < _BEYOND):
            raise ValueError(f"node {node!r:.40} lies at {x}, {y}")
        inside = abs(x) <= 180 and abs(y) <= 90
        self.ids.append(node)
        self.x.append(round(x * 1e7) if inside else UNKNOWN)
        self.y.append(round(y * 1e7) if inside else UNKNOWN)


class _Around:
    """Ways that are no roads, until all nodes and relations are known, which may come behind them."""

    def __init__(self) -> None:
        self.reader, self.nodes = SurroundingsReader(), NodesOfWays()
        self._ways: list[tuple[int, dict[str, str]]] = []

    def add_way(self, way: int, tags: dict[str, str], nodes: list[int]) -> None:
        self.nodes.add_nodes(nodes)
        self._ways.append((way, tags))

    def add_ways(self) -> None:
        """Hand over the ways that are wanted and whose nodes are all known."""
        refs = as_array(self.nodes.refs, np.int64)
        places = np.column_stack((as_array(self.nodes.x, np.int32), as_array(self.nodes.y, np.int32)))
        end = 0
        for (way, tags), size in zip(self._ways, self.nodes.sizes, strict=True):
            start, end = end, end + size
            if not self.reader.wants(way, tags):
                continue
            known = places[start:end, 0] != UNKNOWN
            if known.all():
                self.reader.add_way(way, tags, Line(int(refs[start]), int(refs[end - 1]), places[start:end] // 10))
            else:
                for part in known_parts(refs[start:end], places[start:end] // 10, known):
                    self.reader.add_part(tags, part)


def _take(element: Any, index: int, roads: Roads, around: _Around, located: _Nodes, path: Path) -> None:
    try:
        tags = {str(key): str(value) for key, value in element.get("tags", {}).items()}
        if element["type"] != "relation":
            roads.add_place(tags)
        if element["type"] == "node":
            if "lat" in element:
                located.add(element["id"], element)
                if "barrier" in tags:
                    roads.add_barrier(tags, element["id"])
                roads.add_signals(tags, element["id"])
                if "place" in tags and located.x[-1] != UNKNOWN:
                    around.reader.add_place(tags, located.x[-1], located.y[-1])
        elif element["type"] == "relation":
            _take_relation(tags, element.get("members", []), roads, around)
        elif element["type"] == "way":
            nodes = element.get("nodes", [])
            _refuse_ids(nodes)
            for node, position in zip(nodes, element.get("geometry", []), strict=False):  # of a query with "out geom"
                if position is not None:
                    located.add(node, position)
            if ("highway" in tags or "route" in tags) and roads.takes(tags):
                _refuse_ids([way := element.get("id", 0)])
                roads.add(tags, nodes, way=way)
            elif nodes and "highway" not in tags:
                _refuse_ids([element["id"]])
                around.add_way(element["id"], tags, nodes)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        problem = f"{type(error).__name__}: {error}"[:120]
        raise FormatError(
            f"an element of the Overpass answer is damaged (number {index + 1}, {problem})", path
        ) from None


def _take_relation(tags: dict[str, str], members: Any, roads: Roads, around: _Around) -> None:
    if not is_restriction(tags):
        ways = [member["ref"] for member in members if member["type"] == "way"]
        _refuse_ids(ways)
        roads.add_boundary(tags)
        roads.ferries.add_relation(tags, ways)
        around.reader.add_relation(tags, ways)
    elif roads.restrictions is not None:  # a damaged one is counted like any that is incomplete
        given = members if isinstance(members, list) else []
        known = [each for each in given if isinstance(each, dict) and type(each.get("ref")) is int]
        named = [(str(each.get("type", ""))[:1], each["ref"], str(each.get("role", ""))) for each in known]
        roads.restrictions.add(tags, [each for each in named if abs(each[1]) < _MOST_ID])


def _refuse_ids(nodes: list[int]) -> None:
    if len(nodes) > MOST_NODES_OF_A_WAY:
        raise ValueError(f"a way has {len(nodes):,} nodes")
    if any(type(node) is not int or abs(node) >= _MOST_ID for node in nodes):
        raise ValueError("an id that cannot be")


class _Answer:
    """The text of an answer, read in blocks; ``date`` is set before the first element is yielded."""

    def __init__(self, path: Path) -> None:
        self.date = ""
        self._path = path
        self._text = ""
        self._at = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._reader = json.JSONDecoder()

    def elements(self, stream: IO[bytes]) -> Iterator[Any]:
        """Yield the elements. Raises ``FormatError`` for text that is cut off, and for a remark of failure."""
        head = self._head(stream)
        self.date = data_date(head.encode())
        while True:
            between = _BETWEEN.match(self._text, self._at)
            self._at = between.end() if between else self._at
            if self._text.startswith("]", self._at):
                break
            element = self._element(stream)
            if element is None:
                self._refuse_remark(head + "]}")  # a server that gives up may end the answer anywhere
                raise FormatError("the Overpass answer is cut off: ask again", self._path)
            if element is not _MORE:
                yield element
        rest = self._text[self._at :]
        while self._more(stream):
            rest = self._text[self._at :]
        self._refuse_remark(head + rest)

    def _head(self, stream: IO[bytes]) -> str:
        while not (found := _ELEMENTS.search(self._text)):
            if not self._more(stream):
                raise FormatError("the Overpass answer is cut off before its first element: ask again", self._path)
        self._at = found.end()
        return self._text[: found.end()]

    def _element(self, stream: IO[bytes]) -> Any:
        """Return the next element, ``_MORE`` after blank text, or None where the text ends."""
        wanted = BLOCK_BYTES // 16
        while True:
            try:
                if self._at < len(self._text):
                    element, self._at = self._reader.raw_decode(self._text, self._at)
                    return element
            except (ValueError, RecursionError):
                pass
            before, grown = len(self._text) - self._at, False
            while len(self._text) - self._at < 2 * before + wanted and self._more(stream):
                grown = True
            if not grown:
                return None
            if before == 0:
                return _MORE

    def _more(self, stream: IO[bytes]) -> bool:
        block = stream.read(BLOCK_BYTES)
        self._text = self._text[self._at :] + self._decoder.decode(block, not block)
        self._at = 0
        if len(self._text) > _LARGEST_ELEMENT:
            raise FormatError("an element is longer than any road: this is no Overpass answer", self._path)
        return bool(block)

    def _refuse_remark(self, text: str) -> None:
        try:
            remark = str(json.loads(text).get("remark", ""))
        except (ValueError, RecursionError, AttributeError):
            raise FormatError("the Overpass answer is cut off or damaged: ask again", self._path) from None
        if "error" in remark.lower() or "timed out" in remark.lower():
            raise FormatError(
                f"the Overpass server gave up ({remark[:200]}): ask for a smaller area, or later", self._path
            )


_MORE = object()
