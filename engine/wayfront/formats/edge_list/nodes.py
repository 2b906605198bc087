"""Read the table of nodes: what each is called, and where it is."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import FormatError
from wayfront.formats.edge_list.columns import NODES, Table
from wayfront.formats.edge_list.lines import rows
from wayfront.formats.progress import Opening
from wayfront.network.drawing import FARTHEST, drawn_at

_NUMERIC = 1
"""The field whose number says that a table of nodes has no titles, which is refused."""


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


@dataclass(frozen=True, slots=True)
class _Columns:
    """Where a table of nodes has what; −1 where it has it not. ``drawn`` tells x and y from degrees."""

    node: int
    name: int
    across: int
    up: int
    drawn: bool

    @classmethod
    def of(cls, table: Table, path: Path) -> _Columns:
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
        return cls(node, table.column(("name", "label")), across, up, drawn)


_LONGITUDE, _LATITUDE = ("longitude", "lon", "lng"), ("latitude", "lat")


def read_nodes(path: Path, opening: Opening) -> NodeTable:
    """Return the nodes of a table. Raises ``FormatError`` (file, line), ``OpenCancelled`` and ``MemoryShortError``."""
    found = NodeTable()
    columns: _Columns | None = None
    places: list[tuple[float, float]] = []
    for number, table, fields in rows(path, opening, _NUMERIC):
        columns = columns or _Columns.of(table, path)
        node = fields[columns.node]
        if not node:
            raise FormatError("the node has no id: put one in the first column", path, number)
        if node in found.index:
            raise FormatError(f"node {node!r} is listed twice", path, number)
        found.index[node] = len(found.index)
        if columns.name >= 0:
            found.names.append(fields[columns.name])
        if columns.across >= 0 and (fields[columns.across] or fields[columns.up]):
            places.append(_place(fields, columns, path, number))
        if len(places) not in (0, len(found.index)):
            raise FormatError("some nodes have a place and some have none: give all of them one, or none", path, number)
    if columns is None:
        raise FormatError("the table of nodes is empty", path)
    if places:
        x_y = np.array(places)
        found.coordinates = drawn_at(x_y) if columns.drawn else np.rint(x_y * 1e6).astype(np.int32)
    return found


def _place(fields: list[str], columns: _Columns, path: Path, number: int) -> tuple[float, float]:
    """Return the two numbers that say where a node is."""
    farthest = (FARTHEST, FARTHEST) if columns.drawn else (180, 90)
    x, y = (_finite(fields[column]) for column in (columns.across, columns.up))
    if not (abs(x) <= farthest[0] and abs(y) <= farthest[1]):
        wanted = (
            f"x and y of a drawing are numbers within ±{FARTHEST:,}"
            if columns.drawn
            else "longitude and latitude are degrees within ±180 and ±90"
        )
        raise FormatError(f"the node has no place that can be read: {wanted}", path, number)
    return x, y


def _finite(text: str) -> float:
    """Return a number, infinity for what is none."""
    try:
        value = float(text)
    except ValueError:
        return math.inf
    return value if math.isfinite(value) else math.inf
