"""Find a node by what people call it: its id or name, a position, a road, a crossing of two, or a place.

``look_up`` takes what was written down, as in a command, and is exact; ``suggestions`` goes with what is being typed.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from wayfront.network.arguments import require_network
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.names import NODE, POSITION, ROAD, Fit, Named, NameIndex, folded, node_named
from wayfront.network.positions import Position, blocks, nearest_node, positions_in
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkError, NotInNetworkError, OptionError
from wayfront.safe.text import shortened

_QUOTED = 10
"""How many names of nodes an error quotes."""
_SIMILAR = 5
"""How many similar names an error proposes."""
_SHOWN = 60
_ID = re.compile(r"[+-]?\d{1,19}", re.ASCII)
_NODE = re.compile(r"(?:node\s*|https?://\S*/node/)(\d{1,19})\b\S*", re.ASCII | re.IGNORECASE)
"""A node as people write its id, or as the address of its page at OpenStreetMap."""
_BESIDE_M = 10_000.0
"""A position so far from every node belongs to another map, unless the map itself is large."""


@dataclass(frozen=True, slots=True)
class Found:
    """A node, by its index, and in a few words which one it is where its name leaves that open."""

    node: int
    remark: str = ""


def node_called(network: RoadNetwork, name: str) -> int:
    """Return the index of the node that people call ``name``: the first of that name, else the one with that id.

    Raises ``NetworkError`` when there is none.

        >>> import wayfront
        >>> network = wayfront.from_pandas({"source": ["Rome"], "target": ["Pisa"], "weight": [5]})
        >>> wayfront.node_called(network, "Rome")
        1
    """
    name, names = _text(name), () if network.node_names is None else network.node_names.names
    if name and name in names:
        return names.index(name)
    if name.isascii() and name.removeprefix("-").isdigit():
        return network.node(int(name))
    some = ", ".join([each for each in names if each][:_QUOTED])
    there = f"its nodes are called {some}{' …' if len(names) > _QUOTED else ''}" if some else "its nodes have ids alone"
    raise NotInNetworkError(f"{network.name} has no node called {name!r}; {there}")


def find_node(network: RoadNetwork, text: str) -> int:
    """Return the index of the node that a text names.

    A text is a node's name or id; ``LAT,LON`` in degrees, for the node nearest to that position; the name of a road,
    for the node in the middle of its longest stretch; two roads with `` / `` between them, for their crossing; or a
    place on the map, such as a town or a suburb. Case and accents need not be right. Raises ``NetworkError``, with
    similar names, where nothing is called so, and ``OptionError`` for what is no text.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> wayfront.find_node(network, "5") == network.node(5)
        True
    """
    return look_up(require_network(network), text).node


def look_up(network: RoadNetwork, text: str) -> Found:
    """Return the node that a text names as ``find_node`` reads it, and which one it is of those that it might be."""
    text = _text(text)
    names = () if network.node_names is None else network.node_names.names
    if text and text in names:
        return Found(names.index(text))
    if _ID.fullmatch(text):
        return Found(network.node(int(text)))
    if readings := positions_in(text):
        named = _at_position(network, readings)
        return Found(named.index, f"{_node(network, named.index)}, {_length(named.length_m)} away")
    if link := _NODE.fullmatch(text):
        return Found(network.node(int(link[1])))
    if not folded(text):
        raise NotInNetworkError("a node needs a name: its id, LAT,LON, or a road")
    index = NameIndex.of(network)
    called = index.called(text)
    if not called:
        return _crossing(network, index, text)
    best = called[0]
    node = index.node(best)
    if node < 0:
        raise NotInNetworkError(f"{network.name} has no coordinates: name a node by its id instead of {text}")
    parts = sum(each.kind == ROAD and folded(each.name) == folded(best.name) for each in called)
    return Found(node, _remark(network, index, best, node, parts))


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What a text that is being typed may mean, the likeliest first, and why one that is a position or an id is not."""

    found: tuple[Named, ...]
    problem: str = ""


def suggestions(network: RoadNetwork, text: str, names: NameIndex | None) -> Suggestions:
    """Return what a text may mean: a node's id, a position, a crossing, and of ``names``, where these are at hand."""
    text, found, problem = text.strip(), [], ""
    try:
        if number := _ID.fullmatch(text) or _NODE.fullmatch(text):
            node = network.node(int(number[number.lastindex or 0]))
            found.append(node_named(network, node))
        elif readings := positions_in(text):
            found.append(_at_position(network, readings))
    except NetworkError as why:
        problem = str(why)
    if names is not None:
        one, stroke, other = text.partition("/")
        if stroke and folded(one) and folded(other):
            found += names.crossings(one, other)
        known = {each.index for each in found if each.kind == NODE}
        found += [each for each in names.find(text) if each.kind != NODE or each.index not in known]
    return Suggestions(tuple(found), problem)


def _text(text: object) -> str:
    """Return a text without blanks at its ends. Raises ``OptionError`` for anything else."""
    if not isinstance(text, str):
        raise OptionError(
            f"a node is named by a text, such as '5', '40.71,-74.01' or a road, not by {text!r}; "
            "network.node(id) takes an id"
        )
    return text.strip()


def _at_position(network: RoadNetwork, readings: tuple[Position, ...]) -> Named:
    """Return the node nearest to a position, of several readings to the first that lies on the map."""
    text, coordinates = str(readings[0]), network.coordinates
    if coordinates is None or not len(coordinates):
        raise NotInNetworkError(f"{network.name} has no coordinates: name a node by its id instead of {text}")
    low, high = blocks(network)
    low, high = low.min(axis=0), high.max(axis=0)
    across = math.dist(low.tolist(), high.tolist()) / 1e6 * METRES_PER_DEGREE
    for reading in filter(lambda each: each.on_earth, readings):
        node, metres = nearest_node(network, reading)
        if metres <= max(_BESIDE_M, across / 4):
            return Named(POSITION, str(reading), Fit.SAME, node, reading, metres)
    if not readings[0].on_earth:
        raise NotInNetworkError(f"{text} is no position: latitude is from -90 to 90, longitude from -180 to 180")
    metres = nearest_node(network, readings[0])[1]
    west, south, east, north = (float(degrees) / 1e6 for degrees in (*low, *high))
    raise NotInNetworkError(
        f"{text} is {_length(metres)} from the nearest node of {network.name}, whose latitudes are {south:.4f} to "
        f"{north:.4f} and longitudes {west:.4f} to {east:.4f}: write LAT,LON"
    )


def _length(metres: float) -> str:
    return f"{metres:,.0f} m" if metres < 1000 else f"{metres / 1000:,.1f} km"


def _node(network: RoadNetwork, node: int) -> str:
    return f"node {network.node_ids[node]}"


def _remark(network: RoadNetwork, index: NameIndex, best: Named, node: int, parts: int) -> str:
    """Return which node was taken for a name."""
    called = _node(network, node)
    if best.kind == NODE:
        return ""
    if best.kind != ROAD:
        assert best.at is not None
        return f"{called}, {_length(nearest_node(network, best.at)[1])} from its middle"
    if parts > 1:
        near = f", near {best.near}" if best.near else ""
        return f"{called}, in the middle of the largest of its {parts:,} parts{near}; 'ROAD / ROAD' names a crossing"
    total = len(index.nodes(best))
    return called if total == 1 else f"{called}, the middle one, of {total:,}; 'ROAD / ROAD' names a crossing"


def _crossing(network: RoadNetwork, index: NameIndex, text: str) -> Found:
    """Return the crossing of two roads with a stroke between them.

    Raises ``NetworkError`` where the text has no such form, one of them is missing, or they do not meet.
    """
    roads = [road.strip() for road in text.split("/")]
    if len(roads) != 2 or not all(map(folded, roads)):
        raise NotInNetworkError(_nothing_called(network, index, text))
    for road in roads:
        if not any(each.kind == ROAD for each in index.called(road)):
            raise NotInNetworkError(_nothing_called(network, index, road))
    common = index.crossings(*roads, exactly=True)
    if not common:
        raise NotInNetworkError(
            f"{roads[0]} and {roads[1]} have no node in common in {network.name}: name another crossing"
        )
    others = "" if len(common) == 1 else f", one of {len(common):,} where they meet"
    return Found(common[0].index, f"{_node(network, common[0].index)}{others}")


def _nothing_called(network: RoadNetwork, index: NameIndex, text: str) -> str:
    """Return that nothing is called so, and what is similar."""
    shown = shortened(text, _SHOWN)
    if not len(index):
        return f"{network.name} has no names: {shown} can be a node's id, or LAT,LON"
    similar = index.similar(text[:_SHOWN], _SIMILAR)
    advice = f"similar are {', '.join(similar)}" if similar else "name a node by its id or LAT,LON"
    kinds = [
        kind for kind, there in (("road", network.road_names), ("place", network.surroundings)) if there is not None
    ]
    return f"{network.name} has no {' or '.join(['node', *kinds])} called {shown}; {advice}"
