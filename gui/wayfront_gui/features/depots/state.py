"""The candidates for depots that a person clicked, and which of them are the best. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.results.nearest import MOST_CANDIDATES, MOST_DEPOTS, Aim, Depots
from wayfront_gui.session.routes import roads_at
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import SlotState
from wayfront_gui.ui.translation import marked, plural, translated

AIM_LABELS = {Aim.TOTAL: marked("Least mean distance"), Aim.LARGEST: marked("Least largest distance")}
"""The name of each aim in the panel."""
AIM_HINTS = {
    Aim.TOTAL: marked("On average, nodes are as near to a depot as possible"),
    Aim.LARGEST: marked("The largest distance to a depot is as small as possible"),
}


@dataclass(frozen=True, slots=True, eq=False)
class DepotsFound:
    """What was found for some candidates: the distances from each, and the best choice by number and aim.

    rows    [c, n] in raw weights, −1 where no path leads
    """

    network: RoadNetwork
    metric: Metric
    candidates: tuple[int, ...]
    rows: NDArray[np.integer]
    best: dict[tuple[int, str], Depots]

    def nearest(self, depots: Depots) -> NDArray[np.integer]:
        """Return each node's distance [n] from the nearest of some depots, −1 where none reaches it."""
        rows = self.rows[[self.candidates.index(node) for node in depots.nodes]]
        largest = np.iinfo(rows.dtype).max
        nearest = np.where(rows == NO_PATH, largest, rows).min(axis=0)
        return np.where(nearest == largest, NO_PATH, nearest)

    def describe(self, depots: Depots) -> str:
        """Return how well a choice serves the nodes, in one line."""
        mean = self.metric.describe(round(depots.mean(self.network.node_count)))
        text = translated("mean {mean} · largest {largest}", mean=mean, largest=self.metric.describe(depots.largest))
        if not depots.unreached:
            return text
        missing = plural("{count:,} node not reached", "{count:,} nodes not reached", depots.unreached)
        return f"{text} · {missing}"

    def name(self, node: int) -> str:
        """Return the id of a node, and its roads."""
        roads = roads_at(self.network, node)
        name = translated("node {node}", node=self.network.node_name(node))
        return f"{name}, {roads}" if roads else name


class DepotChoice(SlotState):
    """The candidates of one slot, how many depots are wanted and what for, and what was found.

    ``picking`` says that clicks on the map choose candidates; the map then shows the distances from the best depots.
    """

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot)
        self.candidates: tuple[int, ...] = ()
        self.count = 1
        self.aim = Aim.TOTAL
        self.picking = False
        self.found: DepotsFound | None = None

    @property
    def best(self) -> Depots | None:
        """The best choice for what is wanted, None until it was found."""
        found = self.found
        return None if found is None else found.best.get((min(self.count, len(found.candidates)), self.aim))

    @property
    def full(self) -> bool:
        """Whether there are as many candidates as there may be."""
        return len(self.candidates) >= MOST_CANDIDATES

    def pick(self, picking: bool) -> None:
        """Take the tool for candidates, or put it away."""
        if picking != self.picking:
            self.picking = picking
            self.changed()

    def toggle(self, node: int) -> None:
        """Make a node a candidate, or no longer; beyond the most there may be it stays none."""
        if node in self.candidates:
            self.candidates = tuple(other for other in self.candidates if other != node)
        elif self.full:
            return
        else:
            self.candidates = (*self.candidates, node)
        self._lose()

    def forget(self) -> None:
        """Have no candidates."""
        self.candidates = ()
        self._lose()

    def want(self, count: int, aim: Aim) -> None:
        """Choose how many depots there are to be, 1 … 3, and what for."""
        self.count, self.aim = min(max(count, 1), MOST_DEPOTS), aim
        self.changed()

    def show(self, found: DepotsFound | None) -> None:
        """Take what was found; None where the metric or the roads are others now."""
        if found is not self.found and (found is None or found.candidates == self.candidates):
            self.found = found
            self.changed()

    def _lose(self) -> None:
        self.found = None
        self.changed()
