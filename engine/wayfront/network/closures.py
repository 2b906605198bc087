"""Closed arcs: find them by their ends, and keep them in a file.

The file is a table of two columns, ``from,to``, with the network's own node ids: one line closes every arc from the
one node to the other, parallel ones included. It closes one direction; a road that is closed both ways has two lines.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.errors import FormatError, NetworkError
from wayfront.files import read_at_most, write_text_whole
from wayfront.network.road_network import Int64Array, RoadNetwork
from wayfront.network.route_arcs import arcs_from

HEADER = "from,to"
LARGEST_FILE = 1 << 28
"""Bytes of a table that is read: some ten million arcs."""
_ROW = re.compile(r'\s*"?\s*([+-]?\d{1,19})\s*"?\s*,\s*"?\s*([+-]?\d{1,19})\s*"?\s*', re.ASCII)
_SHOWN = 40


def arcs_between(network: RoadNetwork, tails: ArrayLike, heads: ArrayLike) -> Int64Array:
    """Return all arcs from each tail to its head (internal numbers, [k] each), sorted and distinct, int64.

    Parallel arcs all count. Raises ``NetworkError`` naming the first pair that no arc joins.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> closed = wayfront.arcs_between(network, [0], [1])
        >>> network.tails()[closed].tolist(), network.targets[closed].tolist()
        ([0], [1])
    """
    tails, heads = np.asarray(tails, np.int64), np.asarray(heads, np.int64)
    arcs, joined = joining_arcs(network, tails, heads)
    if not joined.all():
        missing = int(np.argmin(joined))
        raise NetworkError(_no_arc(network, int(tails[missing]), int(heads[missing])))
    return arcs


def joining_arcs(
    network: RoadNetwork, tails: NDArray[np.integer], heads: NDArray[np.integer]
) -> tuple[Int64Array, NDArray[np.bool_]]:
    """Return all arcs from each tail to its head as ``arcs_between`` does, and which pairs have any, bool [k]."""
    tails = np.asarray(tails, np.int64)  # a number after the largest of a narrow type would not fit it
    arcs = arcs_from(network, tails)
    pair = np.repeat(np.arange(len(tails)), network.offsets[tails + 1] - network.offsets[tails])
    joins = network.targets[arcs] == np.asarray(heads)[pair]
    joined = np.zeros(len(tails), bool)
    joined[pair[joins]] = True
    return np.unique(arcs[joins]), joined


def read_closures(path: str | Path, network: RoadNetwork) -> Int64Array:
    """Return the arcs that a file closes, sorted and distinct, int64 [k].

    Raises ``FormatError``, with the line, for a file that is no such table or names what the network lacks.

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> closed = wayfront.arcs_between(network, [0, 1], [1, 2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wayfront.write_closures(f"{folder}/closed.csv", network, closed)
        ...     wayfront.read_closures(f"{folder}/closed.csv", network).tolist() == closed.tolist()
        True
    """
    rows = _rows(path)
    ids = np.array([(tail, head) for _, tail, head in rows], np.int64).reshape(-1, 2)
    order, _ = network.id_order()
    places = np.searchsorted(network.node_ids, ids, sorter=order)
    found = np.zeros(ids.shape, bool)
    inside = places < network.node_count
    found[inside] = network.node_ids[order[places[inside]]] == ids[inside]
    if not found.all():
        row, column = (int(place[0]) for place in np.nonzero(~found))
        raise FormatError(f"{network.name} has no node {ids[row, column]}: take its own ids", path, rows[row][0])
    tails, heads = order[places].T
    arcs, joined = joining_arcs(network, tails, heads)
    if not joined.all():
        missing = int(np.argmin(joined))
        raise FormatError(_no_arc(network, int(tails[missing]), int(heads[missing])), path, rows[missing][0])
    return arcs


def write_closures(path: str | Path, network: RoadNetwork, arcs: NDArray[np.integer]) -> None:
    """Write the ends of ``arcs`` as a table that ``read_closures`` reads, by rising ids. Raises ``WriteError``.

    >>> import tempfile, wayfront
    >>> from pathlib import Path
    >>> network = wayfront.from_pandas({"source": [7], "target": [9], "weight": [5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     wayfront.write_closures(f"{folder}/closed.csv", network, [0])
    ...     Path(folder, "closed.csv").read_text().split()
    ['from,to', '7,9']
    """
    ids = network.node_ids
    tails = np.searchsorted(network.offsets, arcs, side="right") - 1
    pairs = np.unique(np.stack([ids[tails], ids[network.targets[arcs]]], axis=1), axis=0)
    lines = [HEADER, *(f"{tail},{head}" for tail, head in pairs.tolist())]
    write_text_whole(path, "\n".join(lines) + "\n")


def _no_arc(network: RoadNetwork, tail: int, head: int) -> str:
    ids = network.node_ids
    return f"no arc of {network.name} leads from node {ids[tail]} to node {ids[head]}: name the two ends of one"


def _rows(path: str | Path) -> list[tuple[int, int, int]]:
    """Return (line, from, to) of every row; empty lines count for nothing."""
    rows: list[tuple[int, int, int]] = []
    lines = _text(path).splitlines()
    header = lines[0].replace('"', "").replace(" ", "").lower() if lines else ""
    if header != HEADER:
        raise FormatError(f"a table of closed roads begins with the line {HEADER}", path, 1)
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        row = _ROW.fullmatch(line)
        if row is None or not all(-(1 << 63) <= int(end) < 1 << 63 for end in row.groups()):
            raise FormatError(f"{_short(line)} is no closed road: write two node ids, {HEADER}", path, number)
        rows.append((number, int(row[1]), int(row[2])))
    return rows


def _text(path: str | Path) -> str:
    too_large = f"the file is larger than {LARGEST_FILE >> 20} MiB, too large for closed roads"
    data = read_at_most(path, LARGEST_FILE, too_large)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FormatError("the file is no text in UTF-8: save it as one", path) from None


def _short(line: str) -> str:
    return repr(line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…")
