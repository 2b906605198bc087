"""Split nodes: several nodes with one id, at one place, so that forbidden turns cannot be made there.

``formats.osm.turns`` makes them. Of the nodes that share an id searches start at the first, from which every arc may be
taken, and end at the last, where every arrival leads; arcs of weight 0 between them are turns. So whoever names a node
by any of its copies means the first where ways begin, and the last where they end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.safe.errors import NetworkError

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

Int32Array = NDArray[np.int32]
Nodes = TypeVar("Nodes", bound=Any)


def _ends(network: RoadNetwork) -> tuple[Int32Array, Int32Array]:
    """Return the first and the last copy of each node, int32 [n] each; both empty where no node is split."""

    def make() -> tuple[Int32Array, Int32Array]:
        order, _ = network.id_order()
        ids = network.node_ids[order]
        new = np.ones(len(ids), np.bool_)
        np.not_equal(ids[1:], ids[:-1], out=new[1:])
        if new.all():
            return np.empty(0, np.int32), np.empty(0, np.int32)
        begins = np.flatnonzero(new)
        counts = np.diff(begins, append=len(ids))
        first, last = np.empty(len(ids), np.int32), np.empty(len(ids), np.int32)
        first[order], last[order] = (
            np.repeat(order[begins], counts),
            np.repeat(order[begins + counts - 1], counts),
        )
        return first, last

    return network.derive("copies", make)


def is_split(network: RoadNetwork) -> bool:
    """Return whether any node of a network is split."""
    return len(_ends(network)[0]) > 0


def split_count(network: RoadNetwork) -> int:
    """Return how many nodes are split, each counted once.

    >>> import wayfront
    >>> split_count(wayfront.open_network("synthetic:ring?nodes=6"))
    0
    """
    first, last = _ends(network)
    return int(np.count_nonzero((first != last) & (first == np.arange(len(first)))))


def place_count(network: RoadNetwork) -> int:
    """Return how many nodes there are if all copies of one count once.

    >>> import wayfront
    >>> place_count(wayfront.open_network("synthetic:ring?nodes=6"))
    6
    """
    first, _ = _ends(network)
    return int(np.count_nonzero(first == np.arange(len(first)))) if len(first) else network.node_count


def begin_of(network: RoadNetwork, nodes: Nodes, *, reverse: bool = False) -> Nodes:
    """Return where searches from nodes begin, internal numbers, one or an array; −1 stays.

    With ``reverse`` the search goes against the arcs, and begins where ways end.
    """
    return _mapped(_ends(network)[1 if reverse else 0], nodes)


def end_of(network: RoadNetwork, nodes: Nodes, *, reverse: bool = False) -> Nodes:
    """Return where searches to nodes end, as ``begin_of`` says where they begin."""
    return begin_of(network, nodes, reverse=not reverse)


def _mapped(copies: Int32Array, nodes: Any) -> Any:
    if not len(copies):
        return nodes
    if np.ndim(nodes) == 0:
        return int(copies[nodes])
    return np.where(nodes < 0, nodes, copies[nodes]).astype(nodes.dtype)


def each_once(network: RoadNetwork, nodes: NDArray[np.integer], *, reverse: bool = False) -> Int32Array:
    """Return where searches from nodes begin, each once, int32 in the order of the first occurrences."""
    begins = begin_of(network, nodes, reverse=reverse).astype(np.int32)
    return begins[np.sort(np.unique(begins, return_index=True)[1])]


def all_sources(network: RoadNetwork, *, reverse: bool = False) -> Int32Array:
    """Return where searches from all nodes begin, each once, int32 in the order of first copies."""
    every = np.arange(network.node_count, dtype=np.int32)
    firsts = np.flatnonzero(begin_of(network, every) == every).astype(np.int32)
    return begin_of(network, firsts, reverse=reverse)


def copies_of(network: RoadNetwork, nodes: NDArray[np.integer]) -> tuple[Int32Array, NDArray[np.int64]]:
    """Return all copies of each node [k], one after the other, int32, and the index of whose copy each is, int64."""
    order, rank = network.id_order()
    begins = rank[begin_of(network, nodes)].astype(np.int64)
    counts = rank[end_of(network, nodes)] - begins + 1
    whose = np.repeat(np.arange(len(nodes)), counts)
    within = np.arange(len(whose)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[begins[whose] + within], whose


def turn_arcs(network: RoadNetwork) -> NDArray[np.bool_]:
    """Return which arcs are no roads but turns, from one copy of a node to another, bool [m]."""
    first, _ = _ends(network)
    if not len(first):
        return np.zeros(network.arc_count, np.bool_)

    def make() -> NDArray[np.bool_]:
        tails, heads = network.tails(), network.targets
        return (first[tails] == first[heads]) & (tails != heads)

    return network.derive("copies turns", make)


def require_whole_nodes(network: RoadNetwork, what: str) -> None:
    """Raise ``NetworkError`` for a network with split nodes, which a format that names nodes by ids would join."""
    if is_split(network):
        raise NetworkError(
            f"{network.name} has {split_count(network):,} split nodes, at which turns are forbidden, and {what} cannot "
            "hold them: save it as .wayfront, or open it with turns off"
        )


def node_count_of(network: RoadNetwork) -> int:
    """Return how many nodes there are for people: a split one is one.

    >>> import wayfront
    >>> node_count_of(wayfront.open_network("synthetic:ring?nodes=6"))
    6
    """
    return int(np.count_nonzero(counted(network))) if is_split(network) else network.node_count


def counted(network: RoadNetwork) -> NDArray[np.bool_]:
    """Return which nodes count where nodes for people are counted, bool [n]: of a split one the copy where ways end.

    From where ways begin a turn leads there, so that the distance of a node to itself is 0. In a network that is turned
    round it is the first copy. Of nodes without that turn, such as a closed one, all copies count.
    """
    first, _ = _ends(network)
    if not len(first):
        return np.ones(network.node_count, np.bool_)

    def make() -> NDArray[np.bool_]:
        ends = network.targets[_staying(network)]
        known = np.zeros(network.node_count, np.bool_)
        known[first[ends]] = True
        chosen = ~known[first]
        chosen[ends] = True
        chosen.flags.writeable = False
        return chosen

    return network.derive("copies counted", make)


def _staying(network: RoadNetwork) -> NDArray[np.int64]:
    """Return the turns of split nodes from where ways begin to where they end: nobody goes anywhere by them."""
    first, last = _ends(network)
    turns = np.flatnonzero(turn_arcs(network))
    tails, heads = network.tails()[turns], network.targets[turns]
    along = (first[tails] == tails) & (last[tails] == heads)
    back = (last[tails] == tails) & (first[tails] == heads)
    return turns[along | back]


def without_staying(network: RoadNetwork, closed: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return arcs to close without turns that lead from where ways begin to where they end, which stay open."""
    return np.setdiff1d(closed, _staying(network)) if len(closed) and is_split(network) else closed


def counted_ranks(network: RoadNetwork) -> Int32Array:
    """Return each node's rank by file id, int32 [n], −1 for copies that are not ``counted``."""
    rank = network.id_order()[1]
    return np.where(counted(network), rank, -1).astype(np.int32) if is_split(network) else rank


def one_of_each(network: RoadNetwork) -> NDArray[np.bool_]:
    """Return which nodes are the last of their copies, bool [n]: as many as there are ids."""
    _, last = _ends(network)
    return np.ones(network.node_count, np.bool_) if not len(last) else last == np.arange(network.node_count)
