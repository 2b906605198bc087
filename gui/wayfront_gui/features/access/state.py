"""The points (opportunities) of one slot, which measure of access the map shows, and what was found. No Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.session.formatting import short
from wayfront_gui.session.saved import node_of
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import History, SlotState
from wayfront_gui.ui.translation import marked, plural, translated

if TYPE_CHECKING:
    from wayfront.places.snapping import SnappedPlaces
    from wayfront.results.access import Measures

MOST_POINTS = 100_000
_SECONDS = (60, 120, 180, 300, 420, 600, 720, 900, 1200, 1500, 1800, 2700, 3600, 5400, 7200, 10800)
_METRES = (100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10_000, 15_000, 20_000, 30_000, 50_000)
_COUNTS = tuple(factor * 10**power for power in range(7) for factor in (1, 2, 5))
MOST_NTH = 20


class Measure(StrEnum):
    """What of every node the map shows."""

    WITHIN = "within"
    EXPONENTIAL = "exponential"
    GAUSSIAN = "gaussian"
    POWER = "power"
    NEAREST = "nearest"
    MEAN = "mean"


MEASURE_LABELS = {
    Measure.WITHIN: marked("Points within a distance"),
    Measure.EXPONENTIAL: marked("Points, exponential decay"),
    Measure.GAUSSIAN: marked("Points, Gaussian decay"),
    Measure.POWER: marked("Points, decay by a power"),
    Measure.NEAREST: marked("Distance to the nearest"),
    Measure.MEAN: marked("Mean distance"),
}
"""The name of each measure in the panel."""
MEASURE_HINTS = {
    Measure.WITHIN: marked("How many points every node reaches within the distance or time below"),
    Measure.EXPONENTIAL: marked(
        "All points, each counted less the farther it is: a share of 1/e at the distance below"
    ),
    Measure.GAUSSIAN: marked("All points, each counted less by a bell curve whose deviation is the distance below"),
    Measure.POWER: marked("All points, each counted in inverse proportion to its distance from the one below on"),
    Measure.NEAREST: marked("How far every node has it to the nearest point, or to the second, the third …"),
    Measure.MEAN: marked("How far the points within the distance or time below are on average"),
}


class Opportunity(NamedTuple):
    """A point: at a node, or on a road of which that is the nearer end.

    weight    how much it counts
    arc       the lowest arc of its road, ``NONE`` at a node
    fraction  where on that arc it is, 0 … 1 by length
    """

    node: int
    weight: float = 1.0
    arc: int = NONE
    fraction: float = 0.0


def opportunities_of(snapped: SnappedPlaces) -> tuple[Opportunity, ...]:
    """Return the places of a table that are near roads, where they are, with their weights."""
    there = snapped.chosen(snapped.on_road)
    columns = there.nodes, there.places.weights, there.arcs, there.fractions
    return tuple(map(Opportunity, *(column.tolist() for column in columns)))


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be found: of which points, by which measure; ``reach`` is a raw distance.

    ``towards`` are distances from nodes to points, or else from points to nodes.
    """

    points: tuple[Opportunity, ...]
    measure: Measure
    reach: int
    nth: int
    towards: bool

    @property
    def weights(self) -> tuple[float, ...]:
        """How much each point counts."""
        return tuple(point.weight for point in self.points)

    @property
    def weighed(self) -> bool:
        """Whether some point counts otherwise than once."""
        return any(weight != 1 for weight in self.weights)

    def ends(self, network: RoadNetwork, metric: Metric, which: slice = slice(None)) -> Ends:
        """Return how the points, or some of them, are reached, or left."""
        from wayfront.places.snapping import ends_along

        points = self.points[which]
        nodes, arcs = np.array([(point.node, point.arc) for point in points], np.int64).T
        fractions = np.array([point.fraction for point in points])
        ends, at_node = ends_along(network, metric, arcs, fractions, leaving=not self.towards), arcs == NONE
        ends.nodes[at_node, 0] = nodes[at_node]
        return ends

    def measures(self, metric: Metric) -> Measures:
        """Return the measure as the engine takes it."""
        from wayfront.results.access import Decay, DecayKind, Measures

        value = float(metric.in_unit(np.array([self.reach]))[0])
        if self.measure is Measure.WITHIN:
            return Measures(within=(value,))
        if self.measure is Measure.NEAREST:
            return Measures(nearest=(self.nth,))
        if self.measure is Measure.MEAN:
            return Measures(mean=True, limit=value)
        exponent = {"exponent": 1.0} if self.measure is Measure.POWER else {}
        return Measures(decay=Decay(DecayKind(str(self.measure)), max(value, metric.scale), **exponent))


@dataclass(frozen=True, slots=True, eq=False)
class AccessFound:
    """What was found: a value for every node, infinite where no point is reached, and what it is of."""

    network: RoadNetwork
    metric: Metric
    asked: Asked
    closures: NDArray[np.int64]
    values: NDArray[Any]

    @property
    def counts(self) -> bool:
        """Whether values are counted points, and not distances."""
        return self.asked.measure not in (Measure.NEAREST, Measure.MEAN)

    @property
    def title(self) -> str:
        """What the values are."""
        asked, reach = self.asked, short(self.metric, self.asked.reach)
        if asked.measure is Measure.WITHIN:
            text = "weight of the points within {distance}" if self.asked.weighed else "points within {distance}"
            return translated(text, distance=reach)
        if asked.measure is Measure.MEAN:
            return translated("mean distance of the points within {distance}", distance=reach)
        if asked.measure is Measure.NEAREST:
            return (
                translated("distance to the nearest point")
                if asked.nth == 1
                else translated("distance to {nth} points", nth=asked.nth)
            )
        text = "points, less the farther they are ({distance})"
        if self.asked.weighed:
            text = "weight of the points, less the farther they are ({distance})"
        return translated(text, distance=reach)

    def describe(self, value: float) -> str:
        """Return a value as text."""
        if not math.isfinite(value):
            return translated("none reached")
        if not self.counts:
            return self.metric.describe(round(value / self.metric.scale))
        if self.asked.weighed:
            return f"{value:,.6g}" if value < 1e6 else f"{value:,.0f}"
        if self.asked.measure is Measure.WITHIN:
            return plural("{count:,} point", "{count:,} points", int(value))
        return translated("{value} points", value=f"{value:,.3g}" if value < 1000 else f"{value:,.0f}")

    @property
    def summary(self) -> str:
        """What the values are over all nodes, in one line."""
        known = self.values[np.isfinite(self.values)]
        if self.counts:
            some = np.count_nonzero(known > 0) / max(len(self.values), 1)
            average, most = float(known.mean()) if len(known) else 0.0, float(known.max(initial=0))
            return translated(
                "mean {mean} · most {most} · {share:.0%} of the nodes reach at least one",
                mean=f"{average:,.3g}" if average < 1000 else f"{average:,.0f}",
                most=f"{most:,.4g}" if most < 10_000 else f"{most:,.0f}",
                share=some,
            )
        if not len(known):
            return translated("none reached")
        share = len(known) / max(len(self.values), 1)
        mean, median = (self.describe(float(value)) for value in (known.mean(), np.median(known)))
        return translated(
            "mean {mean} · median {median} · {share:.0%} of the nodes", mean=mean, median=median, share=share
        )


class AccessChoice(SlotState):
    """The points of one slot, the measure that is wanted, and what was found.

    ``shown`` says that the map shows it, and that clicks add points. ``dragging`` is the point that is being moved.
    """

    KEPT = "access"

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot)
        self.history: History[tuple[Opportunity, ...]] = History(())
        self.shown = False
        self.measure = Measure.WITHIN
        self.reach: int | None = None
        self.nth = 1
        self.towards = True
        self.found: AccessFound | None = None
        self.dragging: int | None = None
        self._moved: tuple[Opportunity, ...] = ()
        self._usual: int | None = None
        self._metric: str | None = slot.metric_name
        slot.choice_changed.connect(self._on_metric)

    @property
    def points(self) -> tuple[Opportunity, ...]:
        """The points, as they are now while one is moved."""
        return self.history.now if self.dragging is None else self._moved

    @property
    def nodes(self) -> tuple[int, ...]:
        """The node of each point."""
        return tuple(point.node for point in self.points)

    @property
    def metric(self) -> Metric | None:
        """The metric that distances are of."""
        return self.slot.metric

    @property
    def reaches(self) -> tuple[int, ...]:
        """The distances to choose from, in raw weights."""
        return () if self.metric is None else reaches(self.metric)

    @property
    def reach_now(self) -> int | None:
        """The distance that is chosen, or the usual one; None without a metric."""
        metric = self.metric
        if metric is None:
            return None
        if self._usual is None:
            self._usual = usual_reach(metric)
        return self._usual if self.reach is None else self.reach

    @property
    def asked(self) -> Asked | None:
        """What is to be found; None without points or a metric."""
        reach = self.reach_now
        if not self.points or reach is None:
            return None
        return Asked(self.points, self.measure, reach, self.nth, self.towards)

    def show(self, shown: bool) -> None:
        """Show access on the map, or what is shown without it."""
        if shown != self.shown:
            self.shown, self.dragging = shown, None
            self.changed()

    def toggle(self, node: int) -> None:
        """Put a point at a node, or take those away that are there."""
        points = self.history.now
        left = tuple(point for point in points if point.node != node)
        self.put(left if len(left) < len(points) else (*points, Opportunity(node)))

    def put(self, points: Iterable[Opportunity]) -> None:
        """Have these points and no others, at most ``MOST_POINTS``."""
        self.dragging = None
        self._go(self.history.changed(tuple(points)[:MOST_POINTS]))

    def move(self, index: int, node: int, *, final: bool) -> None:
        """Put a point at a node, with the weight that it has; unless that is ``final`` it may be moved on."""
        if self.dragging is None:
            self.dragging, self._moved = index, self.history.now
        moved = list(self._moved)
        moved[index] = Opportunity(node, moved[index].weight)
        self._moved = tuple(moved)
        if final:
            self.put(moved)
        else:
            self.changed()

    def undo(self) -> None:
        """Have the points before the last change."""
        self._go(self.history.undone())

    def redo(self) -> None:
        """Have the points of the change again that was undone."""
        self._go(self.history.redone())

    def _go(self, history: History[tuple[Opportunity, ...]]) -> None:
        self.dragging, self.history = None, history
        if not history.now:
            self.found = None
        self.changed()

    def want(
        self,
        measure: Measure | None = None,
        *,
        reach: int | None = None,
        nth: int | None = None,
        towards: bool | None = None,
    ) -> None:
        """Choose another measure, how far it reaches, which point, or in which direction."""
        before = self.measure, self.reach, self.nth, self.towards
        self.measure = self.measure if measure is None else measure
        self.reach = self.reach if reach is None else reach
        self.nth = self.nth if nth is None else min(max(nth, 1), MOST_NTH)
        self.towards = self.towards if towards is None else towards
        if before != (self.measure, self.reach, self.nth, self.towards):
            self.changed()

    def take(self, found: AccessFound | None) -> None:
        """Take what was found."""
        if found is not self.found:
            self.found = found
            self.changed()

    def about(self, node: int) -> str:
        """Return what a node reaches, while the map shows it."""
        if not self.shown or self.found is None:
            return ""
        value = self.found.describe(float(self.found.values[node]))
        return f"{self.found.title}: {value}"

    def forget(self) -> None:
        """Have no points: they were of another network."""
        self.history, self.found, self.dragging = History(()), None, None
        self.reach = self._usual = None
        self.changed()

    def kept(self) -> dict[str, Any] | None:
        """Return points and measure as plain values, nodes by the file's ids; None without points."""
        network, points = self.slot.network, self.history.now[:MOST_KEPT]
        if network is None or not points:
            return None
        nodes, weights, arcs, fractions = map(list, zip(*points, strict=True))
        return {
            "nodes": network.node_ids[nodes].tolist(),
            "weights": weights,
            "arcs": arcs,
            "fractions": fractions,
            "measure": str(self.measure),
            "reach": self.reach,
            "nth": self.nth,
            "towards": self.towards,
            "shown": self.shown,
        }

    def take_kept(self, plain: dict[str, Any]) -> None:
        """Take what ``kept`` returned; nodes that the network does not have, and values of others, are left out."""
        network = self.slot.network
        columns = [plain.get(name) for name in ("nodes", "weights", "arcs", "fractions")]
        nodes, *more = (column[:MOST_KEPT] if isinstance(column, list) else [] for column in columns)
        if network is None or not isinstance(columns[0], list):
            return
        points: dict[object, Opportunity] = {}  # at a node there is one, while a table may have the same place twice
        for row, values in enumerate(zip_longest(nodes, *(column[: len(nodes)] for column in more))):
            point = _kept_point(network, *values)
            if point is not None:
                points.setdefault(point.node if point.arc == NONE else (row, point), point)
        measure, reach, nth = plain.get("measure"), plain.get("reach"), plain.get("nth")
        self.history = History(tuple(points.values()))
        self.measure = next((each for each in Measure if each == measure), Measure.WITHIN)
        self.reach = reach if reach in self.reaches else None
        self.nth = min(max(nth, 1), MOST_NTH) if isinstance(nth, int) else 1
        self.towards = plain.get("towards") is not False
        self.shown = plain.get("shown") is True
        self.changed()

    def _on_metric(self) -> None:
        if self._metric != self.slot.metric_name:
            self._metric, self.reach, self._usual, self.found = self.slot.metric_name, None, None, None
            self.changed()


MOST_KEPT = 2_000
"""Points that a session keeps."""


def _kept_point(network: RoadNetwork, node_id: Any, weight: Any, arc: Any, fraction: Any) -> Opportunity | None:
    """Return a point from plain values, at its node where its road is not one of that; None without a node."""
    node = node_of(network, node_id)
    if node is None:
        return None
    worth = float(weight) if _is_number(weight) and 0 <= weight < math.inf else 1.0
    if not (isinstance(arc, int) and 0 <= arc < network.arc_count and _is_number(fraction) and 0 <= fraction <= 1):
        return Opportunity(node, worth)
    if node not in (network.tails()[arc], network.targets[arc]) or network.coordinates is None:
        return Opportunity(node, worth)
    return Opportunity(node, worth, arc, float(fraction))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def reaches(metric: Metric) -> tuple[int, ...]:
    """Return round distances of a metric in raw weights, ascending."""
    values = _SECONDS if metric.unit == "s" else _METRES if metric.unit == "m" else _COUNTS
    return tuple(dict.fromkeys(max(round(value / metric.scale), 1) for value in values))


def usual_reach(metric: Metric) -> int:
    """Return the distance that is chosen at first: ten minutes, two kilometres, or some fifty roads."""
    offered = reaches(metric)
    about = {"s": 600.0, "m": 2000.0}.get(metric.unit, 50 * float(metric.weights.mean() if len(metric.weights) else 1))
    raw = about / metric.scale if metric.unit in ("s", "m") else about
    return min(offered, key=lambda reach: abs(math.log(reach / max(raw, 1e-9))))
