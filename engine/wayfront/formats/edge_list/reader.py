"""Read an edge list: arcs line by line, each with file and line where it is wrong."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from wayfront.errors import FormatError, NetworkError
from wayfront.formats.edge_list.columns import FEWEST, HEADS, IGNORED, NODES, TAILS, Table, metric_title
from wayfront.formats.edge_list.files import stem_of
from wayfront.formats.edge_list.lines import rows
from wayfront.formats.edge_list.nodes import NodeTable, read_nodes
from wayfront.formats.progress import Opening
from wayfront.network.node_names import NodeNames
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT

_LONGEST_TITLE = 40
_BYTES_PER_ARC, _BYTES_PER_NODE = 80, 250
"""Peak memory of putting the arrays together."""


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which fields of a line are tail, head and weights, and what the weights are: name, unit and scale."""

    tail: int
    head: int
    weights: tuple[int, ...]
    metrics: tuple[tuple[str, str, float], ...]


@dataclass(slots=True)
class _Arcs:
    """Arcs in the file's order, tails and heads by number of ``index``, and a list of weights for each metric."""

    index: dict[str, int]
    tails: array[int] = field(default_factory=lambda: array("i"))
    heads: array[int] = field(default_factory=lambda: array("i"))
    weights: tuple[array[int], ...] = ()
    metrics: tuple[tuple[str, str, float], ...] = (("weight", "", 1.0),)


def read_edge_list(path: Path, nodes: Path | None, opening: Opening) -> RoadNetwork:
    """Return the network of a table of arcs, and of the table of nodes that belongs to it, if any.

    Nodes that are all whole numbers keep them as ids; otherwise what they are called are names, and ids count from 1.
    Raises ``FormatError`` (file, line, what is wrong), ``MemoryShortError`` and ``OpenCancelled``.
    """
    opening.enter("reading arcs", 0.8 if nodes else 1.0)
    table = NodeTable() if nodes is None else read_nodes(nodes, opening)
    arcs = _read_arcs(path, table, nodes, opening)
    opening.require_memory(_BYTES_PER_ARC * len(arcs.tails) + _BYTES_PER_NODE * len(arcs.index), path)
    if not arcs.index:
        raise FormatError("there are no arcs in it", path)
    try:
        return _put_together(path, arcs, table)
    except NetworkError as problem:
        raise FormatError(str(problem), path) from None


def _read_arcs(path: Path, table: NodeTable, nodes: Path | None, opening: Opening) -> _Arcs:
    arcs = _Arcs(dict(table.index))
    columns: _Columns | None = None
    for number, layout, fields in rows(path, opening, FEWEST - 1):
        if columns is None:
            columns = _columns(layout, len(fields), path)
            arcs.metrics = columns.metrics
            arcs.weights = tuple(array("i") for _ in columns.weights)
        for column, ends in ((columns.tail, arcs.tails), (columns.head, arcs.heads)):
            name = fields[column]
            if not name:
                raise FormatError("the arc has no tail or no head: name both of its nodes", path, number)
            if nodes is not None and name not in arcs.index:
                raise FormatError(f"node {name!r} is not in {nodes.name}: list it there", path, number)
            ends.append(arcs.index.setdefault(name, len(arcs.index)))
        for column, weights in zip(columns.weights, arcs.weights, strict=True):
            weights.append(_weight(fields[column], path, number))
    return arcs


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


def _metric(title: str, path: Path) -> tuple[str, str, float]:
    found = metric_title("weight" if title.lower() == "weight" else title)
    if found is None or len(title) > _LONGEST_TITLE or not title.isprintable():
        raise FormatError(
            f"{title[:_LONGEST_TITLE]!a} is no title of weights; one is written like weight, or length [0.1 m]", path, 1
        )
    return found


def _weight(text: str, path: Path, number: int) -> int:
    """Return a weight. Raises ``FormatError`` saying what is wrong with it."""
    if text.isascii() and text.isdigit() and int(text[:12]) <= LARGEST_WEIGHT and len(text) <= 12:
        return int(text)
    try:
        value = float(text)
    except ValueError:
        problem = f"the weight {text[:_LONGEST_TITLE]!a} is no number"
    else:
        if value < 0:
            problem = f"the weight {text} is negative: searches here take none below 0"
        elif value > LARGEST_WEIGHT:
            problem = f"the weight {text[:_LONGEST_TITLE]} is above {LARGEST_WEIGHT:,}: use larger units"
        else:
            problem = f"the weight {text} is no whole number: multiply all of them by 10, 100 or so"
    raise FormatError(problem, path, number)


def _put_together(path: Path, arcs: _Arcs, table: NodeTable) -> RoadNetwork:
    ids = _whole_numbers(list(arcs.index))
    order = np.arange(len(arcs.index))
    names: Sequence[str] = table.names
    if ids is None:
        if any(table.names):
            raise FormatError("nodes have names in the column node and in a column name: keep one of them", path)
        names = tuple(arcs.index)
    elif not table.index:  # no table says in which order they stand
        order = np.argsort(ids, kind="stable")
        ids = ids[order]
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return RoadNetwork.from_arcs(
        name=stem_of(path),
        node_count=len(order),
        tails=rank[np.array(arcs.tails, np.int64)],
        heads=rank[np.array(arcs.heads, np.int64)],
        metrics=[
            Metric(*metric, np.array(weights, np.int32))
            for metric, weights in zip(arcs.metrics, arcs.weights or (array("i"),), strict=True)
        ],
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
