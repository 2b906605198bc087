"""Where the distances of two results differ: zero everywhere proves that two searches found the same. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric
from wayfront_gui.model.detour import CUT_OFF
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    from wayfront.search.result import Result


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """How far apart two results of one network and metric are at every node.

    apart     int64 [n] in the metric's raw weights, 0 or more; ``CUT_OFF`` where only one of the two reaches a node
    differ    number of nodes with another distance, ``one_only`` of those that only one of the two reaches
    most      the largest difference
    """

    metric: Metric
    apart: NDArray[np.int64]
    differ: int
    one_only: int
    most: int

    @classmethod
    def of(cls, first: Result, second: Result) -> Difference | None:
        """Compare two results; None where they are of other networks or metrics, whose distances mean nothing."""
        if first.network.targets is not second.network.targets or first.metric.name != second.metric.name:
            return None
        reached = first.reached, second.reached
        both = reached[0] & reached[1]
        apart = np.where(both, np.abs(first.distances.astype(np.int64) - second.distances.astype(np.int64)), 0)
        apart[reached[0] != reached[1]] = CUT_OFF
        apart.flags.writeable = False
        one_only = int((apart == CUT_OFF).sum())
        return cls(first.metric, apart, int((apart > 0).sum()), one_only, int(apart.max(initial=0)))

    @property
    def none(self) -> bool:
        """Whether both found the same distance at every node."""
        return not self.differ and not self.one_only

    @property
    def text(self) -> str:
        """The figures in words: ``41 of 264,346 nodes differ, at most by 1.2 km``."""
        nodes = len(self.apart)
        if self.none:
            return translated("no difference at any of {nodes:,} nodes", nodes=nodes)
        parts = []
        if self.differ:
            text = "{differ:,} of {nodes:,} nodes differ, at most by {most}"
            parts.append(translated(text, differ=self.differ, nodes=nodes, most=self.metric.describe(self.most)))
        if self.one_only:
            text = "{some:,} of {nodes:,} nodes are reached by only one"
            parts.append(translated(text, some=self.one_only, nodes=nodes))
        return "; ".join(parts)
