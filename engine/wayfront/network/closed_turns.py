"""Turns that people close, and tables of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.network.arcs import joining_arcs
from wayfront.network.arguments import require_network
from wayfront.network.copies import begin_of, copies_of
from wayfront.network.costed import with_dear_u_turns
from wayfront.network.id_tables import ids_in, read_table, write_table
from wayfront.network.road_network import RoadNetwork
from wayfront.network.turn_changes import TurnChange
from wayfront.network.turning import FORBIDDEN, MOST_ARCS, Crossings, backs_of, row_lengths, split, stop_if, turns_in
from wayfront.safe.errors import FormatError, NetworkError, NotInNetworkError
from wayfront.safe.text import shortened

HEADER = "from,via,to"
LARGEST_FILE = 1 << 26
"""Bytes of a table that is read: a million turns."""


def without_turns(network: RoadNetwork, turns: ArrayLike, *, cancel: Event | None = None) -> RoadNetwork:
    """Return the network in which some turns cannot be made: rows of the ids of from, via and to, [k, 3].

    Each closes the turn from any road from → via into any road via → to; the way back stays open. Ids are those of
    ``node_ids``, so the same turns close on a network that is opened again. As at restrictions of OpenStreetMap nobody
    turns round at such a node, nor on the road between it and the next junction, unless there is no other way on.
    The nodes of the new network have other internal numbers, and so have its arcs.

    Raises ``NetworkError`` for what are no such rows, where no arcs lead from → via → to, at nodes of more than
    ``MOST_ARCS`` arcs, and for a network without coordinates, whose nodes cannot be told to lie at one place;
    ``OpenCancelled``.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=3&rows=2")
        >>> closed = wayfront.without_turns(network, [(1, 2, 5)])
        >>> way = wayfront.search(closed, closed.node(1), "dijkstra", "cpu").route(closed.node(5))
        >>> way.ids.tolist()
        [1, 2, 3, 6, 5]
    """
    network = require_network(network)
    rows = _checked_rows(turns)
    if not len(rows):
        return network
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates: turns can be closed where nodes have places")
    closed = []
    for row in rows.tolist():
        stop_if(cancel)
        closed.append(arcs_of_turn(network, row))
    vias = np.unique([begin_of(network, int(network.targets[arriving[0]])) for arriving, _ in closed])
    at = np.union1d(vias, _roads_beside(network, set(vias.tolist())))
    crossings = Crossings.of(network, at)
    if crossings.crowded:
        raise NetworkError(
            f"more than {MOST_ARCS} arcs meet at node {network.node_ids[crossings.crowded[0]]} of {network.name}: "
            "turns there cannot be closed"
        )
    crossings.forbid(closed)
    _close_round(network, crossings)
    stop_if(cancel)
    made = with_dear_u_turns(split(network, crossings, f"turns closed by hand: {len(rows):,}"))
    change = TurnChange(network.content_key, closed=tuple(rows.ravel().tolist()))
    return replace(made, turn_changes=(*network.turn_changes, change))


def _checked_rows(turns: ArrayLike) -> NDArray[np.int64]:
    try:
        rows = np.asarray(turns)
    except (ValueError, TypeError, OverflowError):
        rows = np.zeros(1)
    if not rows.size:
        return np.empty((0, 3), np.int64)
    if rows.ndim != 2 or rows.shape[1] != 3 or rows.dtype.kind not in "iu":
        raise NetworkError(f"turns are rows of three node ids, from, via and to, not {shortened(turns)}")
    return np.unique(rows.astype(np.int64), axis=0)


def arcs_of_turn(network: RoadNetwork, turn: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the arcs by which a turn arrives, and those by which it leaves, of the ids of its three nodes.

    Raises ``NetworkError`` where no arcs lead from → via → to.
    """
    nodes = np.array([network.node(each) for each in turn], np.int32)
    found = []
    for tail, head in ((0, 1), (1, 2)):
        arcs, joined = joining_arcs(network, nodes[tail : tail + 1], nodes[head : head + 1])
        if not joined[0]:
            raise NotInNetworkError(
                f"the turn {'-'.join(map(str, turn))}: no arc of {network.name} leads from node {turn[tail]} "
                f"to node {turn[head]}"
            )
        found.append(arcs)
    return found[0], found[1]


def read_turns(path: str | Path) -> NDArray[np.int64]:
    """Return the turns in a table, ids of from, via and to, int64 [k, 3].

    Raises ``FormatError``, with the line, for a file that is no such table.

        >>> import tempfile, wayfront
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wayfront.write_turns(f"{folder}/turns.csv", [(1, 2, 3)])
        ...     wayfront.read_turns(f"{folder}/turns.csv").tolist()
        [[1, 2, 3]]
    """
    too_large = f"the file is larger than {LARGEST_FILE >> 20} MiB, too large for closed turns"
    header, lines = read_table(path, LARGEST_FILE, too_large)
    if header != HEADER:
        raise FormatError(f"a table of closed turns begins with the line {HEADER}", path, 1)
    rows = []
    for number, line in lines:
        row = ids_in(line, 3)
        if row is None:
            raise FormatError(f"{shortened(line)} is no closed turn: write three node ids, {HEADER}", path, number)
        rows.append(row)
    return np.array(rows, np.int64).reshape(-1, 3)


def write_turns(path: str | Path, turns: ArrayLike) -> None:
    """Write turns, rows of three ids, as a table that ``read_turns`` reads.

    Raises ``NetworkError`` for what are no such rows, and ``WriteError``.

        >>> import tempfile, wayfront
        >>> from pathlib import Path
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wayfront.write_turns(f"{folder}/turns.csv", [(1, 2, 3)])
        ...     Path(folder, "turns.csv").read_text().split()
        ['from,via,to', '1,2,3']
    """
    write_table(path, HEADER, _checked_rows(turns).tolist())


def _close_round(network: RoadNetwork, crossings: Crossings) -> None:
    """Forbid turning round, but for arrivals that could not go on at all."""
    before, after = crossings.pair()
    back = backs_of(network, before, after)
    rows = np.repeat(np.arange(len(crossings.arriving)), row_lengths(crossings))
    onward = np.bincount(rows[(crossings.costs != FORBIDDEN) & ~back], minlength=len(crossings.arriving)) > 0
    crossings.costs[back & onward[rows]] = FORBIDDEN


def _roads_beside(network: RoadNetwork, ends: set[int]) -> NDArray[np.int64]:
    """Return the nodes between these and the next junctions, on roads with traffic both ways."""
    roads = ~turns_in(network)
    before, order = network.in_arcs()

    def ahead(node: int) -> set[int]:
        copies, _ = copies_of(network, np.array([node]))
        arcs = [arc for copy in copies for arc in range(network.offsets[copy], network.offsets[copy + 1])]
        return {int(each) for each in begin_of(network, network.targets[[arc for arc in arcs if roads[arc]]])}

    def behind(node: int) -> set[int]:
        copies, _ = copies_of(network, np.array([node]))
        arcs = [order[at] for copy in copies for at in range(before[copy], before[copy + 1])]
        return {int(each) for each in begin_of(network, network.tails()[[arc for arc in arcs if roads[arc]]])}

    found: set[int] = set()
    for node in ends:
        for begin in (ahead(node) & behind(node)) - {node}:
            came, here = node, begin
            while here not in ends and here not in found:
                neighbours = (ahead(here) | behind(here)) - {here}
                if len(neighbours) != 2 or came not in ahead(here) & behind(here):
                    break
                found.add(here)
                neighbours.discard(came)
                came, here = here, neighbours.pop()
    return np.array(sorted(found), np.int64)
