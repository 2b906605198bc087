"""Find a node by what people call it: its id or name, a position, a road, a crossing of two, or a place."""

from __future__ import annotations

import difflib
import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arguments import require_network
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.details import KINDS, PLACES
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NotInNetworkError, OptionError
from wayfront.safe.text import shortened

_QUOTED = 10
"""How many names of nodes an error quotes."""
_SIMILAR = 5
"""How many similar names an error proposes."""
_SHOWN = 60
_ID = re.compile(r"[+-]?\d{1,19}", re.ASCII)
_DEGREES = r"([+-]?\d{1,3}(?:\.\d{0,15})?)"
_POSITION = re.compile(rf"{_DEGREES}\s*,\s*{_DEGREES}", re.ASCII)
_LETTERS = str.maketrans({"æ": "ae", "œ": "oe", "ø": "o", "ð": "d", "đ": "d", "þ": "th", "ł": "l", "ı": "i"})
"""Letters that are no letter with an accent, and how they are typed without them."""
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
    if position := _POSITION.fullmatch(text):
        return _nearest(network, text, float(position[1]), float(position[2]))
    wanted = folded(text)
    if not wanted:
        raise NotInNetworkError("a node needs a name: its id, LAT,LON, or a road")
    for index, name in enumerate(names):
        if folded(name) == wanted:
            return Found(index)
    found = _on_road(network, text) or _crossing(network, text) or _at_place(network, wanted)
    if found is None:
        raise NotInNetworkError(_nothing_called(network, text))
    return found


def _text(text: object) -> str:
    """Return a text without blanks at its ends. Raises ``OptionError`` for anything else."""
    if not isinstance(text, str):
        raise OptionError(
            f"a node is named by a text, such as '5', '40.71,-74.01' or a road, not by {text!r}; "
            "network.node(id) takes an id"
        )
    return text.strip()


def folded(text: str) -> str:
    """Return a name without case, accents and needless blanks, so that two ways to write it are equal."""
    plain = unicodedata.normalize("NFKD", text.casefold()).translate(_LETTERS)
    return " ".join("".join(letter for letter in plain if not unicodedata.combining(letter)).split())


# ---------------------------------------------------------------------------------------------------- positions


def _nearest(network: RoadNetwork, text: str, north: float, east: float) -> Found:
    """Return the node nearest to a position in degrees."""
    if not (abs(north) <= 90 and abs(east) <= 180):
        raise NotInNetworkError(f"{text} is no position: latitude is from -90 to 90, longitude from -180 to 180")
    coordinates = network.coordinates
    if coordinates is None or not len(coordinates):
        raise NotInNetworkError(f"{network.name} has no coordinates: name a node by its id instead of {text}")
    node, metres = _nearest_to(coordinates, np.array([east, north]) * 1e6)
    low, high = coordinates.min(axis=0), coordinates.max(axis=0)
    across = math.dist(low.tolist(), high.tolist()) / 1e6 * METRES_PER_DEGREE
    if metres > max(_BESIDE_M, across / 4):
        west, south, east, north = (float(degrees) / 1e6 for degrees in (*low, *high))
        raise NotInNetworkError(
            f"{text} is {_length(metres)} from the nearest node of {network.name}, whose latitudes are {south:.4f} to "
            f"{north:.4f} and longitudes {west:.4f} to {east:.4f}: write LAT,LON"
        )
    return Found(node, f"{_node(network, node)}, {_length(metres)} away")


def _nearest_to(coordinates: NDArray[np.int32], position: NDArray[np.float64]) -> tuple[int, float]:
    """Return the index of the point nearest to a position in microdegrees, and how many metres it is away."""
    east, north = (coordinates[:, axis] - position[axis] for axis in (0, 1))
    east = (east + 180e6) % 360e6 - 180e6
    east *= math.cos(math.radians(float(position[1]) / 1e6))
    squares = east * east + north * north
    node = int(np.argmin(squares))
    return node, math.sqrt(float(squares[node])) / 1e6 * METRES_PER_DEGREE


def _length(metres: float) -> str:
    return f"{metres:,.0f} m" if metres < 1000 else f"{metres / 1000:,.1f} km"


def _node(network: RoadNetwork, node: int) -> str:
    return f"node {network.node_ids[node]}"


# -------------------------------------------------------------------------------------------------------- roads


def _on_road(network: RoadNetwork, text: str) -> Found | None:
    """Return the node in the middle of the longest stretch of a road, None where no road is called so."""
    arcs = _arcs_of_road(network, text)
    if not len(arcs):
        return None
    stretches = _stretches(network.tails()[arcs].tolist(), network.targets[arcs].tolist())
    longest = max(stretches, key=len)
    node = _middle(network, longest)
    where = "the middle one" if len(stretches) == 1 else f"in the middle of the longest of its {len(stretches):,} parts"
    total = sum(map(len, stretches))
    if total == 1:
        return Found(node, _node(network, node))
    return Found(node, f"{_node(network, node)}, {where}, of {total:,}; 'ROAD / ROAD' names a crossing")


def _crossing(network: RoadNetwork, text: str) -> Found | None:
    """Return the crossing of two roads with a stroke between them, None where the text has no such form.

    Raises ``NetworkError`` where one of them is missing, or they do not meet.
    """
    roads = [road.strip() for road in text.split("/")]
    if len(roads) != 2 or not all(roads):
        return None
    common: set[int] | None = None
    for road in roads:
        arcs = _arcs_of_road(network, road)
        if not len(arcs):
            raise NotInNetworkError(_nothing_called(network, road))
        nodes = {*network.tails()[arcs].tolist(), *network.targets[arcs].tolist()}
        common = nodes if common is None else common & nodes
    if not common:
        raise NotInNetworkError(
            f"{roads[0]} and {roads[1]} have no node in common in {network.name}: name another crossing"
        )
    node = _middle(network, common)
    others = "" if len(common) == 1 else f", one of {len(common):,} where they meet"
    return Found(node, f"{_node(network, node)}{others}")


def _arcs_of_road(network: RoadNetwork, text: str) -> NDArray[np.int64]:
    """Return the arcs of all roads that are called so, int64, none where there are none."""
    roads = network.road_names
    if roads is None:
        return np.empty(0, np.int64)
    wanted, names = folded(text), network.derive("folded roads", lambda: tuple(map(folded, roads.names)))
    same = [index for index, name in enumerate(names) if name == wanted]
    return np.flatnonzero(np.isin(roads.of_arc, same)) if same else np.empty(0, np.int64)


def _stretches(tails: Sequence[int], heads: Sequence[int]) -> list[set[int]]:
    """Return the nodes of the connected parts of a road, which directions do not matter for."""
    beside: dict[int, list[int]] = {}
    for tail, head in zip(tails, heads, strict=True):
        beside.setdefault(tail, []).append(head)
        beside.setdefault(head, []).append(tail)
    parts = []
    while beside:
        part, waiting = set(), [next(iter(beside))]
        while waiting:
            node = waiting.pop()
            if node in beside:
                part.add(node)
                waiting += beside.pop(node)
        parts.append(part)
    return parts


def _middle(network: RoadNetwork, nodes: Iterable[int]) -> int:
    """Return the node nearest to the middle of some, the one of the smallest id where there are no coordinates."""
    members = np.array(sorted(nodes, key=lambda node: int(network.node_ids[node])))
    if network.coordinates is None:
        return int(members[0])
    points = network.coordinates[members]
    return int(members[_nearest_to(points, points.mean(axis=0))[0]])


# --------------------------------------------------------------------------------------------- places and errors


def _at_place(network: RoadNetwork, wanted: str) -> Found | None:
    """Return the node nearest to a place, the largest of that name, rather than a lake; None without any."""
    around = network.surroundings
    if around is None or network.coordinates is None:
        return None
    same = [index for index, name in enumerate(around.names) if name and folded(name) == wanted]
    if not same:
        return None
    place = max(same, key=lambda index: (KINDS[around.kind[index]] in PLACES, int(around.size[index])))
    node, metres = _nearest_to(network.coordinates, around.position[place].astype(np.float64))
    return Found(node, f"{_node(network, node)}, {_length(metres)} from its middle")


def _nothing_called(network: RoadNetwork, text: str) -> str:
    """Return that nothing is called so, and what is similar."""
    shown = shortened(text, _SHOWN)
    names: list[str] = [] if network.node_names is None else list(network.node_names.names)
    names += [] if network.road_names is None else network.road_names.names
    names += [] if network.surroundings is None else network.surroundings.names
    known = {folded(name): name for name in reversed(names) if name}
    if not known:
        return f"{network.name} has no names: {shown} can be a node's id, or LAT,LON"
    wanted = folded(text[:_SHOWN])
    similar = sorted((name for name in known if wanted in name), key=len)
    similar = (similar or difflib.get_close_matches(wanted, known, _SIMILAR))[:_SIMILAR]
    advice = (
        f"similar are {', '.join(known[name] for name in similar)}" if similar else "name a node by its id or LAT,LON"
    )
    kinds = [
        kind for kind, there in (("road", network.road_names), ("place", network.surroundings)) if there is not None
    ]
    return f"{network.name} has no {' or '.join(['node', *kinds])} called {shown}; {advice}"
