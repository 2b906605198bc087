"""Turns that a person closed, and the networks in which they cannot be made. No Qt.

A turn that is closed changes a network's nodes and arcs, so it has other internal numbers; ids stay. What was chosen on
one is therefore chosen anew on the other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import joining_arcs
from wayfront.network.closed_turns import without_turns
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.session.closures import NO_ARCS, Arcs, as_arcs

if TYPE_CHECKING:
    from wayfront.searching.result_file import RecordedNetwork
    from wayfront_gui.session.choice import Choice

Turn: TypeAlias = tuple[int, int, int]
"""The ids of three nodes: where one comes from, where one turns, and where one would go."""
Turns: TypeAlias = tuple[Turn, ...]
"""Closed turns, sorted and distinct."""
MOST_KEPT = 3
"""Networks that are kept with the one that was opened: undo and redo go back to them at once."""
MOST_TURNS = 500
"""Closed turns at most."""
_OPENED = "opened with closed turns"


def as_turns(rows: Iterable[Iterable[int]]) -> Turns:
    """Return rows of three ids as ``Turns``."""
    return tuple(sorted({(int(a), int(b), int(c)) for a, b, c in rows}))


def is_made(opened: RoadNetwork, turns: Turns) -> bool:
    """Return whether ``with_closed_turns`` has the network at hand; else it is made on the engine thread."""
    return not turns or turns in _kept(opened)


def opened_of(network: RoadNetwork) -> tuple[RoadNetwork, Turns]:
    """Return the network that was opened, and the turns that were closed in it by ``with_closed_turns`` since."""
    if not network.has_derived(_OPENED):
        return network, ()
    return network.derive(_OPENED, lambda: (network, ()))


def _kept(opened: RoadNetwork) -> dict[Turns, RoadNetwork]:
    return opened.derive("networks with closed turns", dict)


def closed_networks(opened: RoadNetwork) -> tuple[RoadNetwork, ...]:
    """Return the networks that ``with_closed_turns`` made from one and keeps."""
    return tuple(_kept(opened).values())


def with_closed_turns(opened: RoadNetwork, turns: Turns, cancel: Event | None = None) -> RoadNetwork:
    """Return the network that was opened without some turns; the last few are kept with it.

    Raises ``NetworkError`` for a turn that it does not have, and ``OpenCancelled``.
    """
    if not turns:
        return opened
    kept = _kept(opened)
    made = kept.pop(turns, None)
    if made is None:
        made = without_turns(opened, list(turns), cancel=cancel)
        made.derive(_OPENED, lambda: (opened, turns))
    kept[turns] = made
    for older in list(kept)[:-MOST_KEPT]:
        kept.pop(older, None)  # two threads may tidy at once
    return made


def before_closing(recorded: RecordedNetwork) -> tuple[RecordedNetwork, Turns]:
    """Return a trace's network before turns were closed in it, and these turns.

    It is the network itself, and no turns, where turns cost only since then, or more are closed than a slot may have.
    """
    changes = recorded.turn_changes
    first = next((at for at, change in enumerate(changes) if change.closed), len(changes))
    turns = as_turns(row for change in changes[first:] for row in np.reshape(change.closed, (-1, 3)).tolist())
    if not turns or len(turns) > MOST_TURNS or not all(change.closed for change in changes[first:]):
        return recorded, ()
    return replace(recorded, content_key=changes[first].of, turn_changes=changes[:first]), turns


def moved_node(node: int | None, before: RoadNetwork, now: RoadNetwork) -> int | None:
    """Return what a node of one network is in another one with the same ids, by its first copy."""
    return None if node is None else now.node(int(before.node_ids[node]))


def moved_choice(choice: Choice, before: RoadNetwork, now: RoadNetwork, turns: Turns) -> Choice:
    """Return a ``Choice`` on one network as it is on another one of the same roads, with ``turns`` closed."""
    targets = choice.targets
    nodes = tuple(now.node(int(before.node_ids[node])) for node in targets.nodes)
    return replace(
        choice,
        source=moved_node(choice.source, before, now),
        targets=replace(targets, nodes=nodes, shown=moved_node(targets.shown, before, now), rank=0),
        closures=_moved_arcs(choice.closures, before, now),
        turns=turns,
    )


def _moved_arcs(arcs: Arcs, before: RoadNetwork, now: RoadNetwork) -> Arcs:
    if not len(arcs):
        return NO_ARCS
    tails, heads = (_moved(ends[arcs], before, now) for ends in (before.tails(), before.targets))
    found, _ = joining_arcs(now, tails, heads)
    wanted = set(map(tuple, _facts(before, arcs).tolist()))
    return as_arcs(
        [arc for arc, facts in zip(found.tolist(), _facts(now, found).tolist(), strict=True) if tuple(facts) in wanted]
    )


def _moved(nodes: NDArray[np.int32], before: RoadNetwork, now: RoadNetwork) -> NDArray[np.int32]:
    order, _ = now.id_order()
    return order[np.searchsorted(now.node_ids, before.node_ids[nodes], sorter=order)]


def _facts(network: RoadNetwork, arcs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return what tells an arc from those side by side: the ids of its ends, and its weights."""
    ids = network.node_ids
    ends = [ids[network.tails()[arcs]], ids[network.targets[arcs]]]
    return np.stack([*ends, *(metric.weights[arcs].astype(np.int64) for metric in network.metrics)], axis=1)
