"""What streets carry, in one slot: what is asked for, what was found, and the trips over one road. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import begin_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ROAD_CLASSES
from wayfront_gui.features.access.state import reaches
from wayfront_gui.map.geometry import MapGeometry, read_only
from wayfront_gui.session.formatting import short
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import SlotState
from wayfront_gui.ui.translation import marked, plural, translated

if TYPE_CHECKING:
    from wayfront.results.flows import Flows
    from wayfront_gui.session.choice import SearchRequest

Ties = Literal["one", "all"]
Float64 = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Roads:
    """The roads of a map: a line with both of its directions, or where arcs are bent a chain of lines.

    Lines between any copies of split nodes, which lie upon each other, are one road.

    of_arc   int32 [m]: the road of each arc, -1 for a loop that is not drawn, and for a turn
    of_line  int32 [lines]: the road of each drawing line
    count    how many there are
    """

    of_arc: NDArray[np.int32]
    of_line: NDArray[np.int32]
    count: int
    _keys: NDArray[np.int64]

    @classmethod
    def of(cls, network: RoadNetwork) -> Roads:
        """Return the roads of a network with coordinates, found at the first call."""
        return network.derive("drawn roads", lambda: cls._find(network, MapGeometry.of(network)))

    @classmethod
    def _find(cls, network: RoadNetwork, geometry: MapGeometry) -> Roads:
        if (chains := geometry.chains) is not None:
            return cls(read_only(chains.of_arc), read_only(chains.of_line), len(chains.a), np.zeros(0, np.int64))
        ends = begin_of(network, geometry.line_a), begin_of(network, geometry.line_b)
        keys, of_line = np.unique(_keys_of(*ends), return_inverse=True)
        roads = cls(np.zeros(0, np.int32), read_only(of_line.astype(np.int32)), len(keys), keys)
        of_arc = roads.between(begin_of(network, network.tails()), begin_of(network, network.targets))
        return replace(roads, of_arc=read_only(of_arc))

    def between(self, ends: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the straight roads that join pairs of nodes, first copies of split ones, int32; -1 for none."""
        keys = _keys_of(ends, others)
        at = np.minimum(np.searchsorted(self._keys, keys), max(len(self._keys) - 1, 0))
        if not len(self._keys):
            return np.full(len(ends), -1, np.int32)
        return np.where((self._keys[at] == keys) & (ends != others), at, -1).astype(np.int32)

    def summed(self, of_arcs: NDArray[Any]) -> Float64:
        """Return the sums of a figure of arcs [m] over each road, float64 [count]."""
        drawn = self.of_arc >= 0
        return np.bincount(self.of_arc[drawn], of_arcs[drawn].astype(np.float64), self.count).astype(np.float64)

    def arcs(self, road: int) -> NDArray[np.int64]:
        """Return the arcs of a road, both directions, sorted."""
        return np.flatnonzero(self.of_arc == road)


def _keys_of(ends: NDArray[np.int32], others: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return a number for each pair of nodes, in whatever order."""
    return np.minimum(ends, others).astype(np.int64) << 32 | np.maximum(ends, others)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be found: ``radius`` is a raw distance within which trips count, None for all."""

    ties: Ties
    radius: int | None


@dataclass(frozen=True, slots=True, eq=False)
class FlowsFound:
    """What streets carry, and of what that is.

    on_roads  float64 [roads]: trips over each road in both directions
    before    the same with all roads open, None where none is closed or that is not wanted
    """

    asked: Asked
    flows: Flows
    closures: NDArray[np.int64]
    on_roads: Float64
    before: Float64 | None = None

    @classmethod
    def of(cls, asked: Asked, flows: Flows, closures: NDArray[np.int64]) -> FlowsFound:
        """Return what was found."""
        return cls(asked, flows, closures, Roads.of(flows.network).summed(flows.arc_flow))

    def answers(self, request: SearchRequest, asked: Asked, *, compares: bool) -> bool:
        """Return whether it is what is asked for on the request's network."""
        same = self.network is request.network and self.metric.name == request.metric and self.asked == asked
        beside = (self.before is not None) == (compares and len(request.closures) > 0)
        return same and beside and np.array_equal(self.closures, request.closures)

    def compared(self, before: FlowsFound) -> FlowsFound:
        """Return it beside what streets carry with all roads open."""
        return replace(self, before=before.on_roads)

    @property
    def network(self) -> RoadNetwork:
        """The network."""
        return self.flows.network

    @property
    def metric(self) -> Metric:
        """What paths are shortest by."""
        return self.flows.metric

    @property
    def title(self) -> str:
        """What the colours show."""
        if self.before is not None:
            return translated("trips fewer and more because of closed roads")
        if self.asked.radius is None:
            return translated("trips of everybody to everywhere")
        return translated("trips within {distance}", distance=short(self.metric, self.asked.radius))

    @property
    def words(self) -> str:
        """What posters say of it, in one line."""
        trips, most = float(self.flows.trips), float(self.on_roads.max(initial=0.0))
        share = percent(most / max(trips, 1.0))
        return translated(
            "{trips} trips by shortest paths; the busiest road carries {share}", trips=amount(trips), share=share
        )

    @property
    def summary(self) -> str:
        """The figures of all trips, in lines."""
        trips, unreached = float(self.flows.trips), float(self.flows.unreached)
        lines = [translated("{trips} trips in all", trips=amount(trips))]
        if unreached and self.asked.radius is None:  # else most are too far
            lines.append(translated("{trips} have no way", trips=amount(unreached)))
        most = float(self.on_roads.max(initial=0.0))
        if most > 0:
            share = most / max(trips, 1.0)
            lines.append(
                translated("the busiest road carries {trips}, {share} of all", trips=amount(most), share=percent(share))
            )
        if self.before is not None:
            moved = float(np.maximum(self.on_roads - self.before, 0.0).max(initial=0.0))
            lines.append(translated("at most {trips} more on a road than before", trips=amount(moved)))
        return "\n".join(lines)

    def facts(self, road: int) -> list[tuple[str, str]]:
        """Return what a road carries, as pairs of caption and text."""
        carried = float(self.on_roads[road])
        rank = 1 + int(np.count_nonzero(self.on_roads > carried))
        used = int(np.count_nonzero(self.on_roads))
        share = carried / max(float(self.flows.trips), 1.0)
        facts = [(translated("Trips"), amount(carried))]
        if self.before is not None:
            change = carried - float(self.before[road])
            facts.append(
                (translated("Change"), f"{'+' if change > 0 else '−' if change < 0 else '±'}{amount(abs(change))}")
            )
        if carried:
            facts.append((translated("Share of all"), percent(share)))
            facts.append((translated("Rank"), translated("{rank:,} of {roads:,} roads", rank=rank, roads=used)))
        return facts


class Share(NamedTuple):
    """A share 0 … 1 of all trips, or of their way, and of what."""

    name: str
    share: float


MOST_STREETS = 5
"""Streets that are listed."""
CLASS_LABELS = {
    "motorway": marked("Motorways"),
    "primary": marked("Primary roads"),
    "secondary": marked("Secondary roads"),
    "minor": marked("Minor roads"),
}


def shares_by_class(flows: Flows) -> list[Share]:
    """Return of the way of all trips, by the metric, what leads over each class of roads, the largest class first."""
    network = flows.network
    if network.road_class is None:
        return []
    way = flows.arc_flow.astype(np.float64) * flows.metric.weights
    sums = np.bincount(network.road_class, way, len(ROAD_CLASSES))
    whole = max(float(sums.sum()), 1e-300)
    return [
        Share(translated(text), float(sums[ROAD_CLASSES.index(name)]) / whole) for name, text in CLASS_LABELS.items()
    ]


def busiest_streets(found: FlowsFound) -> list[Share]:
    """Return the named streets whose busiest road carries the most, with its share of all trips."""
    names, of_arc = found.network.road_names, Roads.of(found.network).of_arc
    if names is None:
        return []
    named = np.flatnonzero((names.of_arc >= 0) & (of_arc >= 0))
    most = np.zeros(len(names.names))
    np.maximum.at(most, names.of_arc[named], found.on_roads[of_arc[named]])
    order = np.argsort(-most, kind="stable")[:MOST_STREETS]
    trips = max(float(found.flows.trips), 1.0)
    return [Share(names.names[street], float(most[street]) / trips) for street in order.tolist() if most[street] > 0]


def amount(value: float) -> str:
    """Return a number of trips in few letters: ``912``, ``45,300``, ``3.42 M``, ``17.1 G``."""
    for power, letter in ((1e12, " T"), (1e9, " G"), (1e6, " M")):
        if value >= power:
            return f"{value / power:.3g}{letter}"
    return f"{value:,.0f}" if value >= 1000 or value == round(value) else f"{value:.3g}"


def percent(share: float) -> str:
    """Return a share in three digits at most."""
    return f"{share:.1%}" if share >= 0.01 else f"{share:.2%}" if share >= 1e-4 else f"{100 * share:.1g}%"


@dataclass(frozen=True, slots=True, eq=False)
class Trips:
    """The trips over one road: where they come from and where they go to.

    arcs         of the road
    one_side     float64 [roads]: trips over each road that come to this one where its first arc begins, or go on from
                 there where it is open ``both_ways``; ``other_side``: those at its other end
    count        trips over it; ``sources`` and ``targets``: nodes from which they come and to which they go
    estimated    of how many of the sources all this was found, None for all
    """

    arcs: NDArray[np.int64]
    one_side: Float64
    other_side: Float64
    both_ways: bool
    count: float
    sources: int
    targets: int
    estimated: int | None = None

    @property
    def summary(self) -> str:
        """The figures in one line."""
        said = translated(
            "{trips} trips from {sources} to {targets}",
            trips=amount(self.count),
            sources=plural("{count:,} node", "{count:,} nodes", self.sources),
            targets=plural("{count:,} node", "{count:,} nodes", self.targets),
        )
        if self.estimated is None:
            return said
        return translated("{said}, estimated from {some:,} of them", said=said, some=self.estimated)


class FlowChoice(SlotState):
    """What streets carry in one slot: what is wanted, and what was found.

    ``shown`` says that the map shows it. ``radius`` is a raw distance, None for no limit. ``compares`` paints the
    change that closed roads make, in place of what streets carry then. ``trips`` are those over one road.
    """

    KEPT = "flows"

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot)
        self.shown = False
        self.ties: Ties = "one"
        self.radius: int | None = None
        self.compares = True
        self.found: FlowsFound | None = None
        self.trips: Trips | None = None
        self._metric = slot.metric_name
        slot.choice_changed.connect(self._on_metric)

    @property
    def metric(self) -> Metric | None:
        """The metric that paths are shortest by."""
        return self.slot.metric

    @property
    def reaches(self) -> tuple[int, ...]:
        """The distances to choose from, in raw weights."""
        return () if self.metric is None else reaches(self.metric)

    @property
    def asked(self) -> Asked:
        """What is to be found."""
        return Asked(self.ties, self.radius)

    def show(self, shown: bool) -> None:
        """Show it on the map, or what is shown without it."""
        if shown != self.shown:
            self.shown, self.trips = shown, None
            self.changed()

    def want(self, **wanted: Any) -> None:
        """Choose ``ties``, ``radius`` or ``compares``."""
        if any(getattr(self, name) != value for name, value in wanted.items()):
            for name, value in wanted.items():
                setattr(self, name, value)
            self.trips = None
            self.changed()

    def take(self, found: FlowsFound | None) -> None:
        """Take what was found."""
        if found is not self.found:
            self.found, self.trips = found, None
            self.changed()

    def take_trips(self, trips: Trips | None) -> None:
        """Show the trips over one road, or what all streets carry again."""
        if trips is not self.trips:
            self.trips = trips
            self.changed()

    def forget(self) -> None:
        """Have found nothing: it was of another network."""
        self.found, self.trips, self.radius, self.shown = None, None, None, False
        self.changed()

    def kept(self) -> dict[str, Any] | None:
        """Return what is wanted as plain values; None where nothing differs from the usual."""
        plain = {"shown": self.shown, "ties": self.ties, "radius": self.radius, "compares": self.compares}
        return None if plain == {"shown": False, "ties": "one", "radius": None, "compares": True} else plain

    def take_kept(self, plain: dict[str, Any]) -> None:
        """Take what ``kept`` returned; values that cannot be are left out."""
        radius = plain.get("radius")
        self.ties = "all" if plain.get("ties") == "all" else "one"
        self.radius = radius if isinstance(radius, int) and radius in self.reaches else None
        self.compares = plain.get("compares") is not False
        self.shown = plain.get("shown") is True
        self.changed()

    def _on_metric(self) -> None:
        if self._metric != self.slot.metric_name:
            self._metric, self.radius, self.found, self.trips = self.slot.metric_name, None, None, None
            self.changed()
