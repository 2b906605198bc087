"""Arcs by their ends and along routes, and roads that are closed: without them, and kept in a file.

Searches find their way around closed arcs in a network without them: nodes, their ids and all metrics stay, and the
arcs that are left keep their order. So whatever searches a network searches one with closed roads too, and a closed
bridge leaves nodes unreached like any other gap.

The file is a table of two columns, ``from,to``, with the network's own node ids: one line closes every arc from the
one node to the other, parallel ones included. It closes one direction; a road that is closed both ways has two lines.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.network.arguments import indices, node_indices, require_network
from wayfront.network.copies import begin_of, copies_of, is_split, turn_arcs
from wayfront.network.id_tables import ids_in, read_table, write_table
from wayfront.network.road_network import Int64Array, Metric, RoadNetwork
from wayfront.network.schema import offsets_of
from wayfront.safe.errors import FormatError, NetworkError, NotInNetworkError
from wayfront.safe.text import shortened

NOTHING_CLOSED: NDArray[np.int64] = np.empty(0, np.int64)
NOTHING_CLOSED.flags.writeable = False

HEADER = "from,to"
LARGEST_FILE = 1 << 28
"""Bytes of a table that is read: some ten million arcs."""

_ENDING = " without closed arcs"


def arcs_from(network: RoadNetwork, nodes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the arcs that leave these nodes, int64, node by node."""
    begin = network.offsets[nodes].astype(np.int64)
    counts = network.offsets[nodes + 1] - begin
    return np.arange(counts.sum()) + np.repeat(begin - (np.cumsum(counts) - counts), counts)


def arcs_from_each(network: RoadNetwork, nodes: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the arcs of ``arcs_from``, and the index of the node that each leaves, int64."""
    counts = network.offsets[nodes + 1] - network.offsets[nodes]
    return arcs_from(network, nodes), np.repeat(np.arange(len(nodes)), counts)


def arcs_between(network: RoadNetwork, tails: ArrayLike, heads: ArrayLike) -> Int64Array:
    """Return all arcs from each tail to its head (internal numbers, [k] each), sorted and distinct, int64.

    Parallel arcs all count. Raises ``NetworkError`` naming the first pair that no arc joins.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> closed = wayfront.arcs_between(network, [0], [1])
        >>> network.tails()[closed].tolist(), network.targets[closed].tolist()
        ([0], [1])
    """
    network = require_network(network)
    tails = node_indices(tails, network, "tails", none=True)
    heads = node_indices(heads, network, "heads", none=True)
    if len(tails) != len(heads):
        raise NetworkError(f"each tail has a head: {len(tails)} tails and {len(heads)} heads are no pairs")
    arcs, joined = joining_arcs(network, tails, heads)
    if not joined.all():
        missing = int(np.argmin(joined))
        raise NotInNetworkError(_no_arc(network, int(tails[missing]), int(heads[missing])))
    return arcs


def joining_arcs(
    network: RoadNetwork, tails: NDArray[np.integer], heads: NDArray[np.integer]
) -> tuple[Int64Array, NDArray[np.bool_]]:
    """Return all arcs from each tail to its head as ``arcs_between`` does, and which pairs have any, bool [k].

    Of split nodes the arcs between any copies count, but for the turns from one copy to another.
    """
    arcs, pair = _joining_copies(network, tails, heads) if is_split(network) else _joining(network, tails, heads)
    joined = np.zeros(len(tails), bool)
    joined[pair] = True
    return np.unique(arcs), joined


def _joining(
    network: RoadNetwork, tails: NDArray[np.integer], heads: NDArray[np.integer]
) -> tuple[Int64Array, Int64Array]:
    """Return all arcs from each tail to its head, pair by pair, and the index of the pair of each."""
    arcs, pair = arcs_from_each(network, np.asarray(tails, np.int64))
    joins = network.targets[arcs] == np.asarray(heads)[pair]
    return arcs[joins], pair[joins]


def _joining_copies(
    network: RoadNetwork, tails: NDArray[np.integer], heads: NDArray[np.integer]
) -> tuple[Int64Array, Int64Array]:
    """Return what ``_joining`` does, between all copies of nodes."""
    copies, of = copies_of(network, np.asarray(tails, np.int64))
    arcs, pair = arcs_from_each(network, copies.astype(np.int64))
    pair = of[pair]
    joins = begin_of(network, network.targets[arcs]) == begin_of(network, np.asarray(heads))[pair]
    joins &= ~turn_arcs(network)[arcs]
    return arcs[joins], pair[joins]


def route_arcs(
    network: RoadNetwork, nodes: NDArray[np.int32], searched: Metric, closed: NDArray[np.int64] = NOTHING_CLOSED
) -> NDArray[np.int64]:
    """Return the arc from each node of a route to the next, int64 [len(nodes) − 1]: the lightest open parallel one."""
    arcs, hops = _joining(network, nodes[:-1], nodes[1:])
    order = np.lexsort((searched.weights[arcs], np.isin(arcs, closed), hops))
    _, lightest = np.unique(hops[order], return_index=True)
    return arcs[order][lightest]


def roads_along(network: RoadNetwork, arcs: NDArray[np.int64]) -> list[tuple[str, NDArray[np.int64]]]:
    """Return the roads of a route in its order, each with its consecutive arcs: the name, "" for none.

    None where the network has no road names, or the route no arcs.
    """
    names = network.road_names
    if names is None or not len(arcs):
        return []
    of_arc = names.of_arc[arcs]
    first = np.flatnonzero(of_arc[1:] != of_arc[:-1]) + 1
    return [(names.name(int(part[0])), part) for part in np.split(arcs, first)]


# ------------------------------------------------------------------------------------------- closed roads


def checked_arcs(network: RoadNetwork, arcs: Sequence[int] | NDArray[np.integer] | None) -> NDArray[np.int64]:
    """Return internal arc numbers as int64 [k], ascending, each once, read-only; none for None.

    Raises ``NetworkError`` unless they are arcs of the network.
    """
    if arcs is None:
        return NOTHING_CLOSED
    wrong = NetworkError(
        f"closed roads are given as internal arc numbers, not as {arcs!r}; wayfront.arcs_between gives those "
        "from one node to another"
    )
    given = indices(arcs, wrong).astype(np.int64)
    outside = (given < 0) | (given >= network.arc_count)
    if outside.any():
        raise NetworkError(
            f"{network.name} has no internal arc {given[outside][0]}; they are 0…{network.arc_count - 1}"
        )
    numbers: NDArray[np.int64] = np.unique(given)
    numbers.flags.writeable = False
    return numbers


def closed_flags(network: RoadNetwork, closed: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return whether each arc is among the numbers ``closed``, bool [m]."""
    flags = np.zeros(network.arc_count, np.bool_)
    flags[closed] = True
    return flags


def facing(network: RoadNetwork, closed: NDArray[np.int64], *, reverse: bool) -> tuple[RoadNetwork, NDArray[np.int64]]:
    """Return what a search follows, the network or its reversed one, and the numbers of closed arcs there, ascending.

    ``closed`` are arcs of the network (of ``checked_arcs``).
    """
    if not reverse:
        return network, closed
    return network.reversed(), np.sort(network.reversed_arcs(closed)).astype(np.int64)


def without_arcs(network: RoadNetwork, closed: NDArray[np.int64]) -> RoadNetwork:
    """Return the network without the arcs ``closed`` (of ``checked_arcs``); itself where these are none.

    The last one made is kept with the network. Its content key is made of the whole network's and the closures: it is
    no file's, and only tells such networks apart.
    """
    if not len(closed):
        return network
    digest = hashlib.blake2b(closed.astype("<i8").tobytes(), digest_size=16).hexdigest()
    key = f"{digest}{_ENDING}"
    if not network.has_derived(key):
        network.forget(_ENDING)
    return network.derive(key, lambda: _remove(network, closed, f"{network.content_key}-{digest}"))


def _remove(network: RoadNetwork, closed: NDArray[np.int64], content_key: str) -> RoadNetwork:
    kept = np.ones(network.arc_count, np.bool_)
    kept[closed] = False
    lost = offsets_of(np.bincount(network.tails()[closed], minlength=network.node_count))
    metrics = tuple(Metric(m.name, m.unit, m.scale, m.weights[kept]).frozen() for m in network.metrics)
    offsets, targets = (network.offsets - lost).astype(network.offsets.dtype), network.targets[kept]
    offsets.flags.writeable = targets.flags.writeable = False
    return replace(
        network,
        offsets=offsets,
        targets=targets,
        metrics=metrics,
        road_class=None,  # what is drawn and told of roads is the whole network's
        road_names=None,
        shapes=None,
        content_key=content_key,
        _derived={"id_order": network.id_order()},
    )


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
    ranks = np.searchsorted(network.node_ids, ids, sorter=order)
    found = np.zeros(ids.shape, bool)
    inside = ranks < network.node_count
    found[inside] = network.node_ids[order[ranks[inside]]] == ids[inside]
    if not found.all():
        row, column = (int(index[0]) for index in np.nonzero(~found))
        raise FormatError(f"{network.name} has no node {ids[row, column]}: take its own ids", path, rows[row][0])
    tails, heads = order[ranks].T
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
    arcs, ids = checked_arcs(network, arcs), network.node_ids
    tails = np.searchsorted(network.offsets, arcs, side="right") - 1
    pairs = np.unique(np.stack([ids[tails], ids[network.targets[arcs]]], axis=1), axis=0)
    write_table(path, HEADER, pairs.tolist())


def _no_arc(network: RoadNetwork, tail: int, head: int) -> str:
    ids = network.node_ids
    return f"no arc of {network.name} leads from node {ids[tail]} to node {ids[head]}: name the two ends of one"


def _rows(path: str | Path) -> list[tuple[int, int, int]]:
    """Return (line, from, to) of every row; empty lines count for nothing."""
    too_large = f"the file is larger than {LARGEST_FILE >> 20} MiB, too large for closed roads"
    header, lines = read_table(path, LARGEST_FILE, too_large)
    if header != HEADER:
        raise FormatError(f"a table of closed roads begins with the line {HEADER}", path, 1)
    rows: list[tuple[int, int, int]] = []
    for number, line in lines:
        ids = ids_in(line, 2)
        if ids is None:
            short = shortened(line)
            raise FormatError(f"{short} is no closed road: write two node ids, {HEADER}", path, number)
        rows.append((number, ids[0], ids[1]))
    return rows
