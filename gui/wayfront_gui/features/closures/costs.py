"""How much farther nodes became since roads were closed, by figures and in words. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric
from wayfront.network.schema import NO_PATH
from wayfront.results.result import Result
from wayfront_gui.session.closures import Arcs, as_arcs, describe_road
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import SlotState
from wayfront_gui.ui.translation import plural, translated

CUT_OFF = -1
"""Stands for the extra distance of a node that is no longer reached."""


@dataclass(frozen=True, slots=True, eq=False)
class Detour:
    """What closed roads cost the nodes of one tree.

    extra    int64 [n] in the metric's raw weights: 0 for nodes as far as before, or never reached; ``CUT_OFF``
    longer   number of nodes that became farther
    cut_off  number of nodes that are no longer reached
    total    sum of what the others became farther
    farthest the node that became farther most, None where none did; of several, that with the smallest number
    """

    metric: Metric
    extra: NDArray[np.int64]
    longer: int
    cut_off: int
    total: int
    farthest: int | None

    @classmethod
    def of(cls, metric: Metric, before: NDArray[Any], now: NDArray[Any]) -> Detour:
        """Compare distances [n] with all roads open and with some closed, −1 where no path leads."""
        extra = extra_distances(before, now)
        longer = extra > 0
        farthest = int(np.argmax(extra)) if longer.any() else None
        return cls(metric, extra, int(longer.sum()), int((extra == CUT_OFF).sum()), int(extra[longer].sum()), farthest)

    @property
    def text(self) -> str:
        """The totals in words: ``41,203 nodes are farther, on average 1.8 km more, at most 5.2 km``."""
        parts = []
        if self.farthest is not None:
            mean, most = self.metric.describe(round(self.total / self.longer)), int(self.extra[self.farthest])
            one = "{count:,} node is farther, on average {mean} more, at most {most}"
            many = "{count:,} nodes are farther, on average {mean} more, at most {most}"
            parts.append(plural(one, many, self.longer, mean=mean, most=self.metric.describe(most)))
        if self.cut_off:
            one, many = "{count:,} node is no longer reached", "{count:,} nodes are no longer reached"
            parts.append(plural(one, many, self.cut_off))
        return "; ".join(parts) or translated("No node is farther than with all roads open")

    def about(self, node: int) -> str:
        """Return what the closed roads cost one node, "" where they cost it nothing."""
        extra = int(self.extra[node])
        if extra == CUT_OFF:
            return translated("no longer reached")
        return translated("{distance} farther", distance=self.metric.describe(extra)) if extra else ""


class Detours(SlotState):
    """Whether the detour view is wanted, and what it has to show of the result that a slot shows.

    The tree with all roads open comes from a search of its own, unless the
    slot showed it before.
    """

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot)
        self._result: Result | None = None
        self._open: Result | None = None
        self.wanted = False
        self.found: Detour | None = None
        slot.result_changed.connect(self._on_result)
        self._on_result()

    def _on_result(self) -> None:
        self.show(self.slot.tree)

    def about(self, node: int) -> str:
        """Return what the closed roads cost a node, "" where they cost it nothing."""
        return "" if self.found is None else self.found.about(node)

    def forget(self) -> None:
        """Have no tree to compare."""
        self.show(None)

    def want(self, wanted: bool) -> None:
        """Show the detour view wherever roads are closed, or never."""
        if wanted != self.wanted:
            self.wanted = wanted
            self._compare()
            self.changed()

    def show(self, result: Result | None) -> None:
        """Take the result that is shown now, or none."""
        self._result = result
        if result is None:
            self._open = None
        elif not len(result.closures):
            self._open = result
        self._compare_and_tell()

    def take_open(self, tree: Result) -> None:
        """Take a tree with all roads open, found because of ``needs_open_tree``."""
        self._open = tree
        self._compare_and_tell()

    @property
    def needs_open_tree(self) -> bool:
        """Whether a search with all roads open has to come first."""
        return self.wanted and self._result is not None and len(self._result.closures) > 0 and not self._comparable

    @property
    def _comparable(self) -> bool:
        """Whether both trees have the same source, direction and metric of the same arcs."""
        before, now = self._open, self._result
        return (
            before is not None
            and now is not None
            and (before.source, before.reverse) == (now.source, now.reverse)
            and before.metric.weights is now.metric.weights
        )

    def _compare_and_tell(self) -> None:
        found = self.found
        self._compare()
        if self.found is not found:
            self.changed()

    def _compare(self) -> None:
        before, now = self._open, self._result
        if not self.wanted or now is None or not len(now.closures):
            self.found = None
        elif before is not None and self._comparable:
            self.found = Detour.of(now.metric, before.distances, now.distances)
        elif self.found is not None and len(self.found.extra) != now.network.node_count:
            self.found = None  # else the detours before stay until the open tree is there


def extra_distances(before: NDArray[Any], now: NDArray[Any]) -> NDArray[np.int64]:
    """Return how much farther each node is now, int64 [n]; ``CUT_OFF`` where it was reached and no longer is."""
    was, reached = before != NO_PATH, now != NO_PATH
    extra = np.where(was & reached, now.astype(np.int64) - before.astype(np.int64), 0)
    extra[was & ~reached] = CUT_OFF
    extra.flags.writeable = False
    return extra


MOST_ROADS = 32
"""Roads that are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class TriedRoad:
    """What closing one road alone would cost: the totals of a ``Detour``. ``arcs`` are those that closing it closes."""

    arcs: Arcs
    cut_off: int
    longer: int
    total: int
    most: int

    @classmethod
    def of(cls, arcs: Arcs, cost: Detour) -> TriedRoad:
        """Return the totals of a detour, without what it has of every node."""
        most = 0 if cost.farthest is None else int(cost.extra[cost.farthest])
        return cls(arcs, cost.cut_off, cost.longer, cost.total, most)


@dataclass(frozen=True, slots=True, eq=False)
class CriticalRoad:
    """The road whose closure would cost most on top of what is closed, and all that were tried, that one first."""

    result: Result
    detour: Detour
    ranking: tuple[TriedRoad, ...]

    @property
    def arcs(self) -> Arcs:
        """The arcs that closing it closes."""
        return self.ranking[0].arcs

    def of_tree(self, result: Result) -> bool:
        """Whether ``result`` is the tree for which the road was found."""
        return result.distances is self.result.distances

    @property
    def text(self) -> str:
        """The road and its figures in words."""
        road = describe_road(self.result.network, self.arcs, self.result.metric)
        text = "Most critical of {count} roads here: {road}. Without it {cost}."
        return translated(text, count=len(self.ranking), road=road, cost=_lower(self.detour.text))


class Critical(SlotState):
    """The most critical road that was found for the tree which a slot shows."""

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot)
        self.road: CriticalRoad | None = None
        for changed in (slot.result_changed, slot.dragged_changed):
            changed.connect(self._on_other)

    def take(self, found: CriticalRoad | None) -> None:
        """Show a road if it was found for the tree that is shown, else none."""
        result = self.slot.result if self.slot.dragged is None else None
        shown = found if found is not None and result is not None and found.of_tree(result) else None
        if shown is not self.road:
            self.road = shown
            self.changed()

    def _on_other(self) -> None:
        self.take(self.road)

    def forget(self) -> None:
        """Have found none."""
        self.take(None)


def busiest(result: Result, sizes: NDArray[np.int32], near: Arcs, most: int = MOST_ROADS) -> Arcs:
    """Return the arcs among ``near`` that are in a tree, the most nodes above them first, at most ``most``.

    ``sizes`` int32 [n] is the number of nodes in each node's subtree, itself included. Of equally busy arcs that with
    the smallest number comes first; closed arcs are in no tree.
    """
    network = result.network
    tails, heads = network.tails()[near], network.targets[near]
    if result.reverse:
        tails, heads = heads, tails
    open_arcs = ~np.isin(near, result.closures)
    reached = result.reached[tails]
    through = np.where(reached, result.distances[tails], 0).astype(np.int64) + result.metric.weights[near]
    in_tree = open_arcs & reached & (result.parents[heads] == tails) & (through == result.distances[heads])
    arcs = near[in_tree]
    order = np.lexsort((arcs, -sizes[heads[in_tree]].astype(np.int64)))
    return arcs[order][:most]


def most_critical(
    result: Result,
    roads: Sequence[Arcs],
    distances_without: Callable[[Arcs], NDArray[Any]],
    tried: Callable[[int], None] = lambda _: None,
) -> CriticalRoad | None:
    """Return the road whose closure costs most: first by nodes no longer reached, then by the sum of what is farther.

    ``distances_without`` returns the distances [n] with some arcs closed as well, ``tried`` takes how many roads were
    tried so far. Of equals the first is returned, None where there are no roads.
    """
    worst: Detour | None = None
    ranking = []
    for number, road in enumerate(roads):
        tried(number)
        closed = as_arcs(np.union1d(result.closures, road))
        cost = Detour.of(result.metric, result.distances, distances_without(closed))
        ranking.append(TriedRoad.of(road, cost))
        if worst is None or (cost.cut_off, cost.total) > (worst.cut_off, worst.total):
            worst = cost
    ranking.sort(key=lambda one: (-one.cut_off, -one.total))  # equals stay in their order
    return None if worst is None else CriticalRoad(result, worst, tuple(ranking))


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
