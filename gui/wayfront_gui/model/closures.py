"""The closed roads of a slot: which arcs are closed, what can be undone, and how they are listed. No Qt.

Closing and reopening are pure functions from one set of arcs to the next; ``History`` keeps the sets before and after.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wayfront.network.closures import joining_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_NAME
from wayfront_gui.model.notice import Notice

Arcs: TypeAlias = NDArray[np.int64]
"""Internal arc numbers, sorted, distinct and read-only."""

MOST_UNDONE = 200
"""Changes that can be undone."""


class RoadAction(StrEnum):
    """What the tool for roads does to those that it touches."""

    CLOSE = "close"
    REOPEN = "reopen"


def as_arcs(arcs: Any) -> Arcs:
    """Return arc numbers in any order as ``Arcs``."""
    found = np.unique(np.asarray(arcs, np.int64))
    found.flags.writeable = False
    return found


NO_ARCS = as_arcs([])


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The closed arcs now, the sets before that undo goes back to, and those after that redo goes on to.

    ``stroke`` is that of the last change: what one stroke of the mouse changes, bit by bit, is undone at once.
    """

    arcs: Arcs = field(default_factory=lambda: NO_ARCS)
    before: tuple[Arcs, ...] = ()
    after: tuple[Arcs, ...] = ()
    stroke: int | None = None

    def changed(self, arcs: Arcs, stroke: int | None = None) -> History:
        """Return the history with other closed arcs; the same where they are the same."""
        if np.array_equal(arcs, self.arcs):
            return self
        joined = stroke is not None and stroke == self.stroke
        before = self.before if joined else (*self.before, self.arcs)[-MOST_UNDONE:]
        return History(arcs, before, stroke=stroke)

    def undone(self) -> History:
        """Return the history one change earlier; the same where there is none."""
        if not self.before:
            return self
        return History(self.before[-1], self.before[:-1], (self.arcs, *self.after))

    def redone(self) -> History:
        """Return the history with the change that was undone last; the same where there is none."""
        if not self.after:
            return self
        return History(self.after[0], (*self.before, self.arcs), self.after[1:])


class Closures:
    """The closed roads of one slot; ``changed`` is called after every change."""

    def __init__(self, changed: Notice) -> None:
        self._changed = changed
        self._history = History()

    @property
    def arcs(self) -> Arcs:
        """The closed arcs."""
        return self._history.arcs

    @property
    def can_undo(self) -> bool:
        """Whether a change can be undone."""
        return bool(self._history.before)

    @property
    def can_redo(self) -> bool:
        """Whether a change was undone."""
        return bool(self._history.after)

    def close(self, arcs: Arcs, stroke: int | None = None) -> None:
        """Close ``arcs`` as well, as a part of a stroke or by themselves."""
        self._take(self._history.changed(as_arcs(np.union1d(self.arcs, arcs)), stroke))

    def reopen(self, arcs: Arcs, stroke: int | None = None) -> None:
        """Open those of ``arcs`` that are closed."""
        self._take(self._history.changed(as_arcs(np.setdiff1d(self.arcs, arcs)), stroke))

    def replace(self, arcs: Arcs) -> None:
        """Close ``arcs`` and nothing else."""
        self._take(self._history.changed(as_arcs(arcs)))

    def undo(self) -> None:
        """Go back before the last change."""
        self._take(self._history.undone())

    def redo(self) -> None:
        """Make the change again that was undone last."""
        self._take(self._history.redone())

    def forget(self) -> None:
        """Close nothing, with nothing to undo: the arcs are those of a network before."""
        self._take(History())

    def copy(self, other: Closures) -> None:
        """Take over what another slot has closed, with its history."""
        self._take(other._history)

    def _take(self, history: History) -> None:
        if history is not self._history:
            self._history = history
            self._changed()


# ---------------------------------------------------------------------------------------------------------- listing


@dataclass(frozen=True, slots=True, eq=False)
class ClosedRoad:
    """A closed road between two nodes, as it is listed.

    ``name`` is "" where it is unknown, ``length`` has its unit, ``ends`` says from where to where and in which
    directions, ``arcs`` are those that are closed.
    """

    arcs: Arcs
    name: str
    length: str
    ends: str


def closed_roads(network: RoadNetwork, arcs: Arcs, searched: Metric, most: int) -> tuple[tuple[ClosedRoad, ...], int]:
    """Return closed roads with a name first, then by their nodes' ids, at most ``most``, and how many there are.

    Arcs of one name between the same two nodes are one road.
    """
    if not len(arcs):
        return (), 0
    tails, heads = network.tails()[arcs], network.targets[arcs]
    names = np.full(len(arcs), NO_NAME) if network.road_names is None else network.road_names.of_arc[arcs]
    ids = network.node_ids
    order = np.lexsort((np.maximum(ids[tails], ids[heads]), np.minimum(ids[tails], ids[heads]), names, names < 0))
    keys = np.stack([np.minimum(tails, heads), np.maximum(tails, heads), names])[:, order]
    first = np.flatnonzero(np.concatenate([[True], (keys[:, 1:] != keys[:, :-1]).any(axis=0)]))
    last = np.append(first[1:], len(order))
    lengths = length_metric(network, searched)
    rows = zip(first[:most].tolist(), last[:most].tolist(), strict=True)
    return tuple(_road(network, as_arcs(arcs[order[i:j]]), lengths) for i, j in rows), len(first)


def length_metric(network: RoadNetwork, searched: Metric) -> Metric:
    """Return the network's length, or where it has none the metric that was searched by."""
    return next((m for m in network.metrics if m.name == "length"), searched)


def describe_road(network: RoadNetwork, arcs: Arcs, searched: Metric) -> str:
    """Return one line on the arcs of one road: ``High Street, 120 m, between nodes 4 and 7``."""
    road = _road(network, arcs, length_metric(network, searched))
    return ", ".join(filter(None, (road.name, road.length, road.ends)))


def road_arcs(network: RoadNetwork, arcs: Arcs) -> Arcs:
    """Return the arcs between the ends of ``arcs``, in both directions: a road as far as its ends tell."""
    tails, heads = network.tails()[arcs], network.targets[arcs]
    return as_arcs(np.concatenate([joining_arcs(network, *ends)[0] for ends in ((tails, heads), (heads, tails))]))


def _road(network: RoadNetwork, arcs: Arcs, lengths: Metric) -> ClosedRoad:
    name = "" if network.road_names is None else network.road_names.name(int(arcs[0]))
    length = lengths.describe(int(lengths.weights[arcs].min()))
    return ClosedRoad(arcs, name, length, _ends(network, arcs))


def _ends(network: RoadNetwork, arcs: Arcs) -> str:
    """Return between which nodes the arcs of one road lead, and whether another direction stays open."""
    tails, heads = network.tails()[arcs], network.targets[arcs]
    one, other = int(network.node_ids[tails[0]]), int(network.node_ids[heads[0]])
    if (tails != tails[0]).any() or one == other:
        return f"between nodes {min(one, other)} and {max(one, other)}"
    back = len(joining_arcs(network, heads[:1], tails[:1])[0]) > 0
    return f"only from node {one} to node {other}" if back else f"from node {one} to node {other}"
