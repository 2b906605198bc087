"""Read TNTP, the text files in which problems of traffic assignment are passed on.

``town_net.tntp`` has a line for each road: tail, head, capacity, length, free-flow time, b, power, speed, toll, kind.
``town_trips.tntp`` has the trips from each zone to each other, ``town_node.tntp`` x and y of the nodes, and
``town_flow.tntp`` flows that somebody found. Lines of metadata, ``<NUMBER OF ZONES> 24``, come first; ``~`` begins a
comment, a semicolon ends a line. Nodes 1 … zones are zones, and those below ``<FIRST THRU NODE>`` begin and end trips
alone: nobody drives through them. The format is described at github.com/bstabler/TransportationNetworks.

What is wrong is named with file and line. Memory grows with what is read, not with what a file announces.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.registry import files_beside, split_compression
from wayfront.formats.streams import Opening, line_blocks
from wayfront.network.conventions import FARTHEST, drawn_at
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT
from wayfront.safe.errors import FormatError, NetworkError

COLUMNS = ("tail", "head", "capacity", "length", "free-flow time", "b", "power", "speed", "toll", "kind")
"""What the fields of a line of a network are."""
TIME, LENGTH = "travel time", "length"

ZONES, NODES, LINKS = "NUMBER OF ZONES", "NUMBER OF NODES", "NUMBER OF LINKS"
FIRST_THROUGH, TOTAL, END = "FIRST THRU NODE", "TOTAL OD FLOW", "END OF METADATA"

_MOST_DECIMALS = 6
_BYTES_PER_BYTE = 40
"""Memory that a byte of text takes at most while it is read: a line of a table of trips may be as short as ``1:1;``."""
_NODES_WITHOUT_ARCS = 1 << 20
_LARGEST_ID = 2**31 - 1
_LARGEST = 1e15
_TOWN_DEGREES = 5.0
"""A place where people drive to work is smaller; what is larger was drawn in units of its own."""
_TOTAL_OFF = 0.01
"""By how much the trips of a file may differ from the total that it announces, which is rounded in some."""
_METADATA = re.compile(r"\s*<([^<>]+)>(.*)")
_NET = re.compile(r"(?P<stem>.*?)_(?P<what>net(?:work)?)(?P<suffix>\.tntp)?", re.IGNORECASE)
_SHOWN = 40

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class TntpNet:
    """What a network file says, its roads in the order of ``network``'s arcs.

    zones          how many zones there are, the nodes with ids 1 … zones
    first_through  the smallest id of a node that may be passed through
    capacity, length, free_flow, b, power, speed, toll   float64 [m]
    kind, lines    int64 [m]; the latter says where in the file a road stands
    """

    network: RoadNetwork
    zones: int
    first_through: int
    capacity: Floats
    length: Floats
    free_flow: Floats
    b: Floats
    power: Floats
    speed: Floats
    toll: Floats
    kind: NDArray[np.int64]
    lines: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class TntpTrips:
    """A table of trips: ids of ``origins`` and ``destinations`` int64 [k], ``amounts`` float64 [k], > 0.

    ``lines`` int64 [k] says where in the file each stands.
    """

    origins: NDArray[np.int64]
    destinations: NDArray[np.int64]
    amounts: Floats
    lines: NDArray[np.int64]


@dataclass(slots=True)
class _Lines:
    """The metadata of a file, and where each stands."""

    path: Path
    opening: Opening
    metadata: dict[str, tuple[str, int]] = field(default_factory=dict)
    last: int = 0

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield number and text of each line that is no metadata, no comment and not blank, without semicolon."""
        for block in line_blocks(self.path, self.opening):
            self.opening.require_memory(_BYTES_PER_BYTE * len(block), self.path)
            for line in block.tobytes().decode("utf-8", "replace").splitlines():
                self.last += 1
                text = line.strip()
                if not text or text.startswith("~"):
                    continue
                said = _METADATA.match(text)
                if said is None:
                    yield self.last, text
                else:
                    self.metadata[said[1].strip().upper()] = said[2].strip(), self.last

    def whole(self, key: str, least: int = 0) -> int | None:
        """Return a whole number of the metadata, None where there is none. Raises ``FormatError``."""
        if key not in self.metadata:
            return None
        text, line = self.metadata[key]
        digits = text.split()[0] if text else ""
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 10 and least <= int(digits) <= _LARGEST_ID):
            self.refuse(f"<{key}> is a whole number of at least {least}, not {text[:_SHOWN]!r}", line)
        return int(digits)

    def refuse(self, problem: str, line: int | None = None) -> NoReturn:
        """Raise ``FormatError``."""
        raise FormatError(problem, self.path, line)

    def number(self, text: str, noun: str, line: int) -> float:
        """Return a number that is not negative, and no larger than anybody means. Raises ``FormatError``."""
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not 0 <= value <= _LARGEST:
            self.refuse(f"the {noun} is a number between 0 and {_LARGEST:.0e}, not {text[:_SHOWN]!r}", line)
        return value

    def node_id(self, text: str, noun: str, line: int) -> int:
        """Return the id of a node. Raises ``FormatError``."""
        if not (text.isascii() and text.isdigit() and len(text) <= 10 and 1 <= int(text) <= _LARGEST_ID):
            self.refuse(f"the {noun} is a whole number of at least 1, not {text[:_SHOWN]!r}", line)
        return int(text)


# ------------------------------------------------------------------------------------------------- networks


def nodes_beside(path: Path) -> Path | None:
    """Return ``town_node.tntp`` beside ``town_net.tntp``, in any compression, None where there is none."""
    name, _ = split_compression(path)
    found = _NET.fullmatch(name)
    if found is None:
        return None
    for what in ("node", "nodes"):
        cased = what.capitalize() if found["what"][0].isupper() else what
        for beside in files_beside(path, f"{found['stem']}_{cased}{found['suffix'] or ''}"):
            return beside
    return None


def read_network(path: Path, nodes: Path | None, opening: Opening) -> RoadNetwork:
    """Return the network of a file, with free-flow times and lengths; errors are those of ``read_net``."""
    return read_net(path, nodes, opening).network


def read_net(path: Path, nodes: Path | None, opening: Opening, share: float = 1.0) -> TntpNet:
    """Return what a network file says, with the places of a file of nodes, if any; ``share`` is of all that is opened.

    Nodes are ordered by id. Times and lengths have no unit, since the format says none. Raises ``FormatError`` (file,
    line, what is wrong), ``MemoryShortError`` and ``OpenCancelled``.
    """
    opening.enter("reading arcs", share * (0.8 if nodes else 1.0))
    lines = _Lines(path, opening)
    tails, heads, stand, numbers = array("q"), array("q"), array("q"), [array("d") for _ in COLUMNS[2:]]
    for line, text in lines:
        fields = text.rstrip("; \t").split()
        if len(fields) != len(COLUMNS):
            if LINKS not in lines.metadata and re.match(r"origin\b", text, re.IGNORECASE):
                lines.refuse("this is a table of trips: open the network that it belongs to, …_net.tntp", line)
            lines.refuse(f"a road has {len(COLUMNS)} fields ({', '.join(COLUMNS)}), not {len(fields)}", line)
        tails.append(lines.node_id(fields[0], "tail", line))
        heads.append(lines.node_id(fields[1], "head", line))
        for noun, column, given in zip(COLUMNS[2:], numbers, fields[2:], strict=True):
            column.append(lines.number(given, noun, line))
        stand.append(line)
    ends = np.frombuffer(tails, np.int64), np.frombuffer(heads, np.int64)
    ids = _node_ids(lines, *ends)
    order = np.argsort(ends[0], kind="stable")
    capacity, length, free_flow, b, power, speed, toll, kind = (np.frombuffer(each)[order] for each in numbers)
    try:
        network = RoadNetwork.from_arcs(
            name=_name_of(path),
            node_count=len(ids),
            tails=np.searchsorted(ids, ends[0][order]),
            heads=np.searchsorted(ids, ends[1][order]),
            metrics=[_metric(TIME, free_flow), _metric(LENGTH, length)],
            node_ids=ids,
            coordinates=None if nodes is None else _coordinates(nodes, ids, opening, share * 0.2),
            origin=str(path.absolute()),
        )
    except NetworkError as problem:
        raise FormatError(str(problem), path) from None
    return TntpNet(
        network,
        lines.whole(ZONES) or 0,
        lines.whole(FIRST_THROUGH) or 1,
        *(capacity, length, free_flow, b, power, speed, toll, kind.astype(np.int64)),
        lines=np.frombuffer(stand, np.int64)[order],
    )


def _node_ids(lines: _Lines, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ids of all nodes, rising: 1 … n where no larger one occurs, else those that occur."""
    announced, links = lines.whole(NODES, 1), lines.whole(LINKS)
    for key, value in ((NODES, announced), (LINKS, links)):
        if value is None:
            lines.refuse(f"there is no line <{key}>: this is no network in TNTP, or its beginning is lost")
    assert announced is not None
    if links != len(tails):
        lines.refuse(
            f"{links:,} roads are announced here but the file holds {len(tails):,}: is it cut off?",
            lines.metadata[LINKS][1],
        )
    line = lines.metadata[NODES][1]
    if announced > _NODES_WITHOUT_ARCS + 16 * len(tails):
        lines.refuse(f"{announced:,} nodes are announced for {links:,} roads: this is no road network", line)
    occur = np.unique(np.concatenate((tails, heads)))
    if len(occur) == 0 or occur[-1] <= announced:
        return np.arange(1, announced + 1)
    if len(occur) > announced:
        lines.refuse(f"{announced:,} nodes are announced here but roads name {len(occur):,}", line)
    return occur


def _name_of(path: Path) -> str:
    name, _ = split_compression(path)
    found = _NET.fullmatch(name)
    return (found["stem"] if found else Path(name).stem) or name


def _metric(name: str, values: Floats) -> Metric:
    """Return numbers as weights of the largest power of ten that leaves them exact, or else of a millionth."""
    for decimals in range(_MOST_DECIMALS + 1):
        raw = np.rint(values * 10.0**decimals)
        finer = np.max(values, initial=0.0) * 10.0 ** (decimals + 1)
        if np.array_equal(raw / 10.0**decimals, values) or decimals == _MOST_DECIMALS or finer > LARGEST_WEIGHT:
            break
    if np.max(raw, initial=0.0) > LARGEST_WEIGHT:
        raise NetworkError(f"a {name} of {np.max(values):,.0f} is above {LARGEST_WEIGHT:,}: use larger units")
    return Metric(name, "", 10.0**-decimals, raw.astype(np.int32))


# --------------------------------------------------------------------------------------------------- nodes


def _coordinates(path: Path, ids: NDArray[np.int64], opening: Opening, share: float) -> NDArray[np.int32]:
    """Return the places of nodes, int32 [n, 2] microdegrees.

    TNTP does not say what x and y are. Degrees of a town are taken for longitude and latitude; all else is a drawing,
    which is shrunk to one that the map shows.
    """
    opening.enter("reading coordinates", share)
    lines = _Lines(path, opening)
    places = np.full((len(ids), 2), np.nan)
    for count, (line, text) in enumerate(lines):
        fields = text.rstrip("; \t").split()
        if count == 0 and len(fields) >= 3 and not fields[0].isdigit():
            continue  # the titles of the columns
        if len(fields) < 3:
            lines.refuse("a node has an id, x and y", line)
        node = lines.node_id(fields[0], "id of the node", line)
        at = int(np.searchsorted(ids, node))
        if at == len(ids) or ids[at] != node:
            lines.refuse(f"the network has no node {node}: this file belongs to another one", line)
        if not np.isnan(places[at, 0]):
            lines.refuse(f"node {node} is listed twice", line)
        places[at] = _place(lines, fields[1:3], line)
    lacking = np.isnan(places[:, 0])
    if lacking.any():
        lines.refuse(f"{int(lacking.sum()):,} nodes have no place, the first is node {ids[np.argmax(lacking)]}")
    low, high = places.min(axis=0), places.max(axis=0)
    inside = (np.abs(places) <= (180, 90)).all() and (np.abs(places) > FARTHEST / 1e3).any()
    if inside and (high - low <= _TOWN_DEGREES).all():
        return np.rint(places * 1e6).astype(np.int32)
    middle, reach = (low + high) / 2, max(float((high - low).max()) / 2, 1e-9)
    return drawn_at((places - middle) * (0.9 * FARTHEST / reach))


def _place(lines: _Lines, texts: list[str], line: int) -> tuple[float, float]:
    try:
        x, y = (float(text) for text in texts)
    except ValueError:
        x = y = math.nan
    if not (abs(x) <= 1e12 and abs(y) <= 1e12):
        lines.refuse(f"x and y are numbers, not {' '.join(texts)[:_SHOWN]!r}", line)
    return x, y


# --------------------------------------------------------------------------------------------------- trips


def read_trips(path: Path, opening: Opening, share: float = 1.0) -> TntpTrips:
    """Return a table of trips; pairs of zones without any are left out. ``share`` is of all that is opened.

    Raises ``FormatError`` (file, line, what is wrong), ``MemoryShortError`` and ``OpenCancelled``.
    """
    opening.enter("reading trips", share)
    lines = _Lines(path, opening)
    origins, destinations, amounts, stand = array("q"), array("q"), array("d"), array("q")
    origin = None
    for line, text in lines:
        if text[:6].lower() == "origin":
            origin = lines.node_id(text[6:].strip(), "origin", line)
            continue
        if origin is None:
            lines.refuse("trips begin with a line such as 'Origin 1', which says where they start", line)
        for entry in text.split(";"):
            zone, colon, amount = entry.partition(":")
            if colon:
                destination = lines.node_id(zone.strip(), "destination", line)
                number = lines.number(amount.strip(), "number of trips", line)
                if number > 0:
                    origins.append(origin)
                    destinations.append(destination)
                    amounts.append(number)
                    stand.append(line)
            elif entry.strip():
                lines.refuse(f"{entry.strip()[:_SHOWN]!r} is no entry such as '2 : 100.0;', a zone and its trips", line)
    if not lines.metadata and not len(amounts):
        lines.refuse("this is no table of trips in TNTP")
    found = np.array(amounts)
    if TOTAL in lines.metadata:
        text, line = lines.metadata[TOTAL]
        total = lines.number(text.split()[0] if text else "", "total of trips", line)
        if abs(total - found.sum()) > _TOTAL_OFF * total:
            lines.refuse(
                f"{total:,.1f} trips are announced but the file holds {found.sum():,.1f}: is it cut off?", line
            )
    return TntpTrips(np.array(origins, np.int64), np.array(destinations, np.int64), found, np.array(stand, np.int64))


# --------------------------------------------------------------------------------------------------- flows


def read_flows(path: Path, opening: Opening) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
    """Return the ids of tails and heads, int64 [m], flows and costs, float64 [m], of a file of flows.

    Raises ``FormatError`` (file, line, what is wrong), ``MemoryShortError`` and ``OpenCancelled``.
    """
    opening.enter("reading flows", 1.0)
    lines = _Lines(path, opening)
    tails, heads, flows, costs = array("q"), array("q"), array("d"), array("d")
    for count, (line, text) in enumerate(lines):
        fields = text.rstrip("; \t").split()
        if count == 0 and not fields[0].isdigit():
            continue  # the titles of the columns
        if len(fields) < 4:
            lines.refuse("a line of flows has a tail, a head, a flow and a cost", line)
        tails.append(lines.node_id(fields[0], "tail", line))
        heads.append(lines.node_id(fields[1], "head", line))
        flows.append(lines.number(fields[2], "flow", line))
        costs.append(lines.number(fields[3], "cost", line))
    return np.array(tails, np.int64), np.array(heads, np.int64), np.array(flows), np.array(costs)
