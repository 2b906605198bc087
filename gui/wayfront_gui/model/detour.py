"""How much farther nodes became since roads were closed, by figures and in words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric
from wayfront.search.result import Result
from wayfront_gui.model.notice import Notice
from wayfront_gui.translation import plural, translated

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
        """Compare distances [n] with all roads open and with some closed, each with its dtype's own "not reached"."""
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


class Detours:
    """Whether the detour view is wanted, and what it has to show of the result that a slot shows.

    ``changed`` is called when either changes. The tree with all roads open comes from a search of its own, unless the
    slot showed it before.
    """

    def __init__(self, changed: Notice) -> None:
        self._changed = changed
        self._result: Result | None = None
        self._open: Result | None = None
        self.wanted = False
        self.found: Detour | None = None

    def want(self, wanted: bool) -> None:
        """Show the detour view wherever roads are closed, or never."""
        if wanted != self.wanted:
            self.wanted = wanted
            self._compare()
            self._changed()

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
        """Whether both trees have the same source and metric of the same arcs."""
        before, now = self._open, self._result
        return (
            before is not None
            and now is not None
            and before.source == now.source
            and before.metric.weights is now.metric.weights
        )

    def _compare_and_tell(self) -> None:
        found = self.found
        self._compare()
        if self.found is not found:
            self._changed()

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
    was, reached = before != np.iinfo(before.dtype).max, now != np.iinfo(now.dtype).max
    extra = np.where(was & reached, now.astype(np.int64) - before.astype(np.int64), 0)
    extra[was & ~reached] = CUT_OFF
    extra.flags.writeable = False
    return extra
