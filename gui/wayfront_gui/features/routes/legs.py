"""Routes that no tree of a slot has: from one via point to the next, and as they were before roads were closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from wayfront.devices import CPU
from wayfront.network.road_network import RoadNetwork
from wayfront.results.route import Route as Way
from wayfront_gui.app.engine_thread import Asked
from wayfront_gui.app.jobs import Report
from wayfront_gui.app.slot_control import SlotControl
from wayfront_gui.session.closures import Arcs
from wayfront_gui.session.routes import Leg

if TYPE_CHECKING:
    from wayfront.searching.prepared import Prepared


@dataclass(frozen=True, slots=True, eq=False)
class LegsJob:
    """Find routes: ``wanted`` has both ends of each, and what is closed for it.

    On a network that is prepared they come from trees, else from searches that end at their target.
    """

    network: RoadNetwork
    metric: str
    wanted: Sequence[tuple[int, int, Arcs]]
    prepared: Prepared | None
    slot: int
    lane: str = field(default="legs", init=False)
    quiet: ClassVar[bool] = True

    def run(self, report: Report) -> tuple[Leg, ...]:
        """Return the routes."""
        if self.prepared is None:
            return tuple(Leg(a, b, self._searched(a, b, closed, report)) for a, b, closed in self.wanted)
        before = self.prepared.closures  # a drag counts on those that it closed
        try:
            return tuple(Leg(a, b, _of_tree(self.prepared, a, b, closed)) for a, b, closed in self.wanted)
        finally:
            self.prepared.close_exactly(before)

    def _searched(self, source: int, target: int, closed: Arcs, report: Report) -> Way:
        from wayfront import search
        from wayfront.searching.routes import FASTEST

        return search(
            self.network,
            source,
            FASTEST,
            CPU,
            target=target,
            metric=self.metric,
            runs=0,
            closures=closed,
            cancel=report.cancel,
        ).route(target)


def _of_tree(prepared: Prepared, source: int, target: int, closed: Arcs) -> Way:
    prepared.close_exactly(closed)
    return prepared.tree(target).route(source) if prepared.reverse else prepared.tree(source).route(target)


class LegFinder:
    """Finds for one slot the routes that it wants and its tree does not have, whenever they are others."""

    def __init__(self, control: SlotControl) -> None:
        self._control, self._slot, self._asked = control, control.slot, Asked(control.worker)
        for changed in (self._slot.target_changed, self._slot.result_changed):
            changed.connect(self._find)
        self._slot.network_closing.connect(self._asked.forget)

    def _find(self) -> None:
        slot = self._slot
        wanted, network = slot.wanted_ways(), slot.network
        metric = slot.way_metric
        if not wanted or network is None or metric is None:
            return
        prepared = self._control.prepared if slot.metric_name == metric.name else None
        key = id(network.targets), metric.name, tuple((a, b, closed.tobytes()) for a, b, closed in wanted)
        job = LegsJob(network, metric.name, wanted, prepared, slot.id)
        self._asked.ask(key, lambda: job, partial(self._take, network))

    def _take(self, network: RoadNetwork, found: Sequence[Leg]) -> None:
        self._asked.forget()
        if self._slot.network is network:
            self._slot.take_ways(found)
