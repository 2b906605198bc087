"""Read and write edge lists: a table with a line for each arc, and one of nodes beside it.

A table is text with commas, semicolons or tabs between its fields, with a line of titles or without, as spreadsheets,
pandas, Gephi and people write it: ``town.csv`` with the arcs, ``town.nodes.csv`` with the nodes. What is wrong is named
with file and line; what is written is read again as the same network.
"""

from __future__ import annotations

import csv
import io
import math
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.registry import files_beside, split_compression
from wayfront.formats.streams import ROWS, Opening, line_blocks, origin_lines, write_compressed
from wayfront.network.conventions import FARTHEST, UNIT, drawn_at, is_drawing
from wayfront.network.copies import require_whole_nodes
from wayfront.network.details import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT, ranks_of
from wayfront.safe.errors import FormatError, NetworkError

SUFFIXES = (".csv", ".tsv")
"""What tables of arcs are called; the first is what they are saved as."""
SEPARATORS = (",", ";", "\t")
COMMENT = "#"
FEWEST = 3
"""Fields of a line: tail, head and weight at least."""
MOST_COLUMNS = 1_000
"""Fields of a line at most: as many metrics as a network may have."""

TAILS = ("tail", "source", "from", "u", "start")
HEADS = ("head", "target", "to", "v", "end")
NODES = ("node", "id")
IGNORED = ("id", "type", "label", "kind")
"""Columns that other programs write beside arcs and that say nothing of their weights."""
_LONGITUDE, _LATITUDE = ("longitude", "lon", "lng"), ("latitude", "lat")

_NODES = ".nodes"
_NUMBER = re.compile(r"\s*[-+]?[.,]?\d")
_SCALE = re.compile(r"[0-9.eE+-]+")
_TITLE = re.compile(r"([^\[\]]*)(?:\[\s*([^\[\]\s]+)(?:\s+([^\[\]\s]+))?\s*\]\s*)?")
_OTHER_TEXT = re.compile(rb"\A\s*[\[{<%]|^[ \t]*p[ \t]+(sp|aux)[ \t]", re.MULTILINE)
_LONGEST_TITLE = 40

_BYTES_PER_BYTE = 40
"""Memory that a byte of text takes at most while it is read: a line may be as short as ``1,2,3`` and name two nodes."""
_BYTES_PER_ARC, _BYTES_PER_NODE = 80, 250
"""Peak memory of putting the arrays together."""

_Metric = tuple[str, str, float]
"""Name, unit and scale of weights."""


# -------------------------------------------------------------------------------------------------- layout


@dataclass(frozen=True, slots=True)
class Table:
    """How a table is laid out, as its first line says: its separator, and the titles, none where it has none."""

    separator: str
    titles: tuple[str, ...]

    @classmethod
    def of(cls, first: str, numeric: int) -> Table:
        """Return the layout; the first line has titles unless a number stands in field ``numeric``."""
        separator = max(SEPARATORS, key=first.count)
        fields = split(first, separator)
        has_titles = len(fields) <= numeric or _NUMBER.match(fields[numeric]) is None
        return cls(separator, tuple(field.strip() for field in fields) if has_titles else ())

    def column(self, names: Sequence[str]) -> int:
        """Return the index of the first column with one of these titles, -1 for none."""
        titles = [title.lower() for title in self.titles]
        return next((titles.index(name) for name in names if name in titles), -1)


def split(line: str, separator: str) -> list[str]:
    """Return the fields of a line. Raises ``csv.Error`` for quotes that do not close."""
    return next(csv.reader([line], delimiter=separator, strict=True)) if '"' in line else line.split(separator)


def is_skipped(line: str) -> bool:
    """Return whether a line is blank or a comment."""
    return not line.strip() or line.lstrip().startswith(COMMENT)


def metric_title(title: str) -> _Metric | None:
    """Return name, unit and scale that the title of a column says, such as ``length [0.1 m]`` or, without a unit,
    ``weight [0.1]``; None for no title.
    """
    found = _TITLE.fullmatch(title) if len(title) <= _LONGEST_TITLE and title.isprintable() else None
    if found is None or not found[1].strip():
        return None
    scale, unit = found[2], found[3]
    if scale is None or (unit is None and not _NUMBER.match(scale)):  # one word that is no number is a unit
        return found[1].rstrip(), scale or "", 1.0
    try:
        factor = float(scale) if _SCALE.fullmatch(scale) else math.nan
    except ValueError:
        return None
    return (found[1].rstrip(), unit or "", factor) if 0 < factor < math.inf else None


def title_of_metric(name: str, unit: str, scale: float) -> str:
    """Return the title of a column of weights, which ``metric_title`` reads."""
    measured = unit if scale == 1 else f"{scale!r} {unit}".rstrip()
    return f"{name} [{measured}]" if measured else name


def looks_like_arcs(head: bytes) -> bool:
    """Return whether a text begins like a table of arcs: titles of three columns or more, or an arc."""
    if b"\0" in head or _OTHER_TEXT.search(head):
        return False
    lines = [line for line in head.decode("utf-8-sig", "replace").splitlines() if not is_skipped(line)]
    first, second = (_fields(line) for line in (*lines, "", "")[:2])
    if len(first) < FEWEST:
        return False
    titles = [title.strip().lower() for title in first]
    titled = bool({*TAILS} & {*titles} and {*HEADS} & {*titles}) or titles[0] in NODES
    return titled or any(len(row) >= FEWEST and _NUMBER.match(row[2]) is not None for row in (first, second))


def _fields(line: str) -> list[str]:
    try:
        return split(line, Table.of(line, FEWEST - 1).separator)
    except csv.Error:
        return []


# --------------------------------------------------------------------------------------- files and lines


def stem_of(path: Path) -> str:
    """Return the name of the network that a table of arcs is called after."""
    name, _ = split_compression(path)
    return name[: -len(Path(name).suffix)] if name.lower().endswith(SUFFIXES) and Path(name).stem else name


def nodes_of(path: Path) -> Path:
    """Return where the table of nodes is saved that belongs to a table of arcs, compressed alike."""
    name, packing = split_compression(path)
    suffix = Path(name).suffix if name.lower().endswith(SUFFIXES) else SUFFIXES[0]
    return path.with_name(f"{stem_of(path)}{_NODES}{suffix}{packing}")


def nodes_beside(path: Path) -> Path | None:
    """Return the table of nodes beside a table of arcs, in any compression, None where there is none."""
    return next(files_beside(path, split_compression(nodes_of(path))[0]), None)


def rows(path: Path, opening: Opening, numeric: int) -> Iterator[tuple[int, Table, list[str]]]:
    """Yield line number, layout and fields of each line of data; the first line of all gives the layout.

    Fields are without blanks around them. Raises ``FormatError`` for text that is no UTF-8, quotes that do not close,
    and lines with more or fewer fields than the first, and ``MemoryShortError``.
    """
    table: Table | None = None
    number, width = 0, 0
    for block in line_blocks(path, opening):
        opening.require_memory(_BYTES_PER_BYTE * len(block), path)
        for line in _decoded(block.tobytes(), path, number):
            number += 1
            if is_skipped(line):
                continue
            first = table is None
            if max(map(line.count, SEPARATORS)) >= MOST_COLUMNS:
                raise FormatError(f"the line has more than {MOST_COLUMNS:,} columns: keep those of arcs", path, number)
            try:
                table = table or Table.of(line, numeric)
                fields = [field.strip() for field in split(line, table.separator)]
            except csv.Error as problem:  # of the first line too, which gives the layout
                raise FormatError(f"the quotes of this line do not close ({problem})", path, number) from None
            width = width or len(fields)
            if len(fields) != width:
                raise FormatError(
                    f"the line has {len(fields)} fields where the first has {width}: put as many in each", path, number
                )
            if not (first and table.titles):
                yield number, table, fields


def _decoded(block: bytes, path: Path, before: int) -> list[str]:
    try:
        return block.decode("utf-8-sig" if before == 0 else "utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError as problem:
        line = before + 1 + block.count(b"\n", 0, problem.start)
        raise FormatError("the text is not UTF-8: save it as UTF-8", path, line) from None


# --------------------------------------------------------------------------------------------------- nodes


@dataclass(slots=True)
class NodeTable:
    """The nodes of a table in its order.

    index        the number of each node by what arcs call it
    names        what the column ``name`` calls each, none without that column
    coordinates  int32 [n, 2] microdegrees, None where the table has no places
    """

    index: dict[str, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)
    coordinates: NDArray[np.int32] | None = None


def _node_columns(table: Table, path: Path) -> tuple[int, int, int, int, bool]:
    """Return where a table of nodes has ids, names and places, −1 for nowhere, and whether x and y are of a drawing."""
    x, y, longitude, latitude = (table.column(names) for names in (("x",), ("y",), _LONGITUDE, _LATITUDE))
    drawn = longitude < 0 or latitude < 0
    across, up = (x, y) if drawn else (longitude, latitude)
    node = table.column(NODES)
    if not table.titles or node < 0 or (across < 0) != (up < 0):
        raise FormatError(
            "a table of nodes begins with the titles of its columns: node, and name, x and y, or longitude and "
            "latitude",
            path,
            1,
        )
    return node, table.column(("name", "label")), across, up, drawn


def read_nodes(path: Path, opening: Opening) -> NodeTable:
    """Return the nodes of a table. Raises ``FormatError`` (file, line), ``OpenCancelled`` and ``MemoryShortError``."""
    found = NodeTable()
    places: list[tuple[float, float]] = []
    drawn = False
    columns = None
    for number, table, fields in rows(path, opening, 1):
        columns = columns or _node_columns(table, path)
        at, name, across, up, drawn = columns
        node = fields[at]
        if not node:
            raise FormatError("the node has no id: put one in the first column", path, number)
        if node in found.index:
            raise FormatError(f"node {node!r} is listed twice", path, number)
        found.index[node] = len(found.index)
        if name >= 0:
            found.names.append(fields[name])
        if across >= 0 and (fields[across] or fields[up]):
            places.append(_place(fields[across], fields[up], drawn, path, number))
        if len(places) not in (0, len(found.index)):
            raise FormatError("some nodes have a place and some have none: give all of them one, or none", path, number)
    if not found.index:
        raise FormatError("the table of nodes is empty", path)
    if places:
        x_y = np.array(places)
        found.coordinates = drawn_at(x_y) if drawn else np.rint(x_y * 1e6).astype(np.int32)
    return found


def _place(across: str, up: str, drawn: bool, path: Path, number: int) -> tuple[float, float]:
    """Return the two numbers that say where a node is."""
    try:
        x, y = float(across), float(up)
    except ValueError:
        x = y = math.inf
    if abs(x) <= (FARTHEST if drawn else 180) and abs(y) <= (FARTHEST if drawn else 90):
        return x, y
    degrees = "longitude and latitude are degrees within ±180 and ±90"
    wanted = f"x and y of a drawing are numbers within ±{FARTHEST:,}" if drawn else degrees
    raise FormatError(f"the node has no place that can be read: {wanted}", path, number)


# ---------------------------------------------------------------------------------------------------- arcs


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which fields of a line are tail, head and weights, and what the weights are."""

    tail: int
    head: int
    weights: tuple[int, ...]
    metrics: tuple[_Metric, ...]


def read_edge_list(path: Path, nodes: Path | None, opening: Opening) -> RoadNetwork:
    """Return the network of a table of arcs, and of the table of nodes that belongs to it, if any.

    Nodes that are all whole numbers keep them as ids; otherwise what they are called are names, and ids count from 1.
    Raises ``FormatError`` (file, line, what is wrong), ``MemoryShortError`` and ``OpenCancelled``.
    """
    opening.enter("reading arcs", 0.8 if nodes else 1.0)
    table = NodeTable() if nodes is None else read_nodes(nodes, opening)
    index, ends, weights = dict(table.index), (array("i"), array("i")), [array("i")]
    columns = _Columns(0, 1, (2,), (("weight", "", 1.0),))
    for number, layout, fields in rows(path, opening, FEWEST - 1):
        if not ends[0]:
            columns = _columns(layout, len(fields), path)
            weights = [array("i") for _ in columns.weights]
        for column, found in zip((columns.tail, columns.head), ends, strict=True):
            name = fields[column]
            if not name:
                raise FormatError("the arc has no tail or no head: name both of its nodes", path, number)
            if nodes is not None and name not in index:
                raise FormatError(f"node {name!r} is not in {nodes.name}: list it there", path, number)
            found.append(index.setdefault(name, len(index)))
        for column, values in zip(columns.weights, weights, strict=True):
            values.append(_weight(fields[column], path, number))
    opening.require_memory(_BYTES_PER_ARC * len(ends[0]) + _BYTES_PER_NODE * len(index), path)
    if not index:
        raise FormatError("there are no arcs in it", path)
    metrics = [
        Metric(*metric, np.array(values, np.int32)) for metric, values in zip(columns.metrics, weights, strict=True)
    ]
    try:
        return _put_together(path, list(index), ends, metrics, table)
    except NetworkError as problem:
        raise FormatError(str(problem), path) from None


def _columns(layout: Table, width: int, path: Path) -> _Columns:
    """Return what stands where: by the titles where there are any, else tail, head and weights in this order."""
    if width < FEWEST:
        raise FormatError("a line of an edge list has tail, head and weight, with commas between them", path, 1)
    tail, head = layout.column(TAILS), layout.column(HEADS)
    if layout.column(NODES) == 0 and tail < 0:
        raise FormatError("this is a table of nodes: open the table of arcs that it belongs to", path)
    if tail < 0 or head < 0:
        tail, head = 0, 1
    titles = layout.titles or ("tail", "head", "weight", *(f"weight {number}" for number in range(2, width - 1)))
    weights = [
        column
        for column, title in enumerate(titles)
        if column not in (tail, head) and not (layout.titles and title.lower() in IGNORED)
    ]
    if not weights:
        raise FormatError("there is no column of weights: add one with the title weight", path, 1)
    return _Columns(tail, head, tuple(weights), tuple(_metric(titles[column], path) for column in weights))


def _metric(title: str, path: Path) -> _Metric:
    found = metric_title("weight" if title.lower() == "weight" else title)
    if found is None:
        raise FormatError(
            f"{title[:_LONGEST_TITLE]!a} is no title of weights; one is written like weight, or length [0.1 m]", path, 1
        )
    return found


def _weight(text: str, path: Path, number: int) -> int:
    """Return a weight. Raises ``FormatError`` saying what is wrong with it."""
    if text.isascii() and text.isdigit() and len(text) <= 12 and int(text) <= LARGEST_WEIGHT:
        return int(text)
    what = f"the weight {text[:_LONGEST_TITLE]} is"
    try:
        value = float(text)
    except ValueError:
        problem = f"the weight {text[:_LONGEST_TITLE]!a} is no number"
    else:
        if value < 0:
            problem = f"{what} negative: searches here take none below 0"
        elif value > LARGEST_WEIGHT:
            problem = f"{what} above {LARGEST_WEIGHT:,}: use larger units"
        else:
            problem = f"{what} no whole number: multiply all of them by 10, 100 or so"
    raise FormatError(problem, path, number)


def _put_together(
    path: Path, called: list[str], ends: tuple[array[int], array[int]], metrics: list[Metric], table: NodeTable
) -> RoadNetwork:
    """Return the network of nodes as they are ``called`` and arcs by their numbers. Raises ``NetworkError``."""
    ids = _whole_numbers(called)
    order = np.arange(len(called))
    names: Sequence[str] = table.names
    if ids is None:
        if any(table.names):
            raise FormatError("nodes have names in the column node and in a column name: keep one of them", path)
        names = called
    elif not table.index:  # no table says in which order they stand
        order = np.argsort(ids, kind="stable")
        ids = ids[order]
    rank = ranks_of(order)
    tails, heads = (rank[np.array(numbers, np.int64)] for numbers in ends)
    return RoadNetwork.from_arcs(
        name=stem_of(path),
        node_count=len(order),
        tails=tails,
        heads=heads,
        metrics=metrics,
        node_ids=ids,
        coordinates=table.coordinates,
        node_names=NodeNames.of(names) if any(names) else None,
        origin=str(path.absolute()),
    )


def _whole_numbers(names: list[str]) -> np.ndarray | None:
    """Return names as int64 ids, None unless each is a whole number, written as such."""
    try:
        ids = np.array([int(name) for name in names], np.int64)
    except (ValueError, OverflowError):
        return None
    return ids if all(str(number) == name for number, name in zip(ids.tolist(), names, strict=True)) else None


# -------------------------------------------------------------------------------------------------- writing

_DEGREE = 1_000_000


def save_edge_list(network: RoadNetwork, path: Path, opening: Opening) -> list[Path]:
    """Write the tables of arcs and of nodes, and return both files.

    Shapes, classes and names of roads are no part of them. Both appear whole or not at all. Raises ``NetworkError`` for
    a network without nodes or with a name of a metric or a node that a table cannot hold, ``OpenCancelled`` and
    ``WriteError``.
    """
    if not network.node_count:
        raise NetworkError(f"{network.name} has no nodes: an edge list needs one")
    require_whole_nodes(network, "an edge list")
    titles = [title_of_metric(m.name, m.unit, m.scale) for m in network.metrics]
    for metric, title in zip(network.metrics, titles, strict=True):
        if metric_title(title) != (metric.name, metric.unit, metric.scale):
            raise NetworkError(f"the metric {metric.name!r} has a name or unit that no table can hold")
    called = _called(network)
    beside = nodes_of(path)
    comments = origin_lines(network) if network.attribution else []
    with ExitStack() as files:  # neither takes its place before both are complete
        for target, stage, rows in (
            (beside, "writing nodes", _node_rows(network, called)),
            (path, "writing arcs", _arc_rows(network, titles, called)),
        ):
            opening.enter(stage, 0.5)
            file = files.enter_context(write_compressed(target))
            file.write("".join(f"{COMMENT} {line}\n" for line in comments).encode())
            for text in _texts(rows):
                opening.report(0.0)
                file.write(text)
    return [path, beside]


def _called(network: RoadNetwork) -> Sequence[str]:
    """Return what the tables call each node: its name where names say all that ids say, else its id."""
    if network.node_names is not None:
        names = network.node_names.names
        in_order = np.array_equal(network.node_ids, np.arange(1, network.node_count + 1))
        told_apart = all(names) and len(set(names)) == len(names) and not any(n.startswith(COMMENT) for n in names)
        if in_order and told_apart and not all(map(_is_whole, names)):
            return names
    return [str(number) for number in network.node_ids.tolist()]


def _is_whole(name: str) -> bool:
    return name.isascii() and name.removeprefix("-").isdigit()


def _node_rows(network: RoadNetwork, called: Sequence[str]) -> Iterator[list[str]]:
    """Yield the titles and a line for each node."""
    named = network.node_names is not None and called is not network.node_names.names
    titles, columns = ["node"], [called]
    if named and network.node_names is not None:
        titles.append("name")
        columns.append(network.node_names.names)
    if network.coordinates is not None:
        drawn = is_drawing(network)
        titles += ["x", "y"] if drawn else ["longitude", "latitude"]
        unit = UNIT if drawn else _DEGREE
        columns += [[_decimal(value, unit) for value in axis] for axis in network.coordinates.T.tolist()]
    yield titles
    yield from (list(row) for row in zip(*columns, strict=True))


def _decimal(value: int, unit: int) -> str:
    """Return a whole number of parts of a unit, a power of ten, as an exact decimal."""
    whole, part = divmod(abs(value), unit)
    digits = f"{part:0{len(str(unit)) - 1}}".rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}{'.' if digits else ''}{digits}"


def _arc_rows(network: RoadNetwork, titles: list[str], called: Sequence[str]) -> Iterator[list[str]]:
    """Yield the titles and a line for each arc."""
    yield ["tail", "head", *titles]
    tails = network.tails()
    for begin in range(0, network.arc_count, ROWS):
        part = slice(begin, begin + ROWS)
        ends = ([called[node] for node in nodes[part].tolist()] for nodes in (tails, network.targets))
        weights = (map(str, metric.weights[part].tolist()) for metric in network.metrics)
        yield from (list(row) for row in zip(*ends, *weights, strict=True))


def _texts(rows: Iterable[list[str]]) -> Iterator[bytes]:
    """Yield the lines of rows as text, many at a time."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for number, row in enumerate(rows, 1):
        writer.writerow(row)
        if number % ROWS == 0:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()
