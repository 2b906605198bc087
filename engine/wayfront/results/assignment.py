"""Flows of traffic near user equilibrium, and how near they are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network import exporting
from wayfront.network.projection import projected
from wayfront.network.road_network import RoadNetwork
from wayfront.results.arc_files import save_arcs
from wayfront.results.traffic import Bpr, Floats
from wayfront.safe.errors import CertificateError
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas
    import pandas

REACHED, LIMIT, STALLED, CANCELLED = "reached", "iterations", "stalled", "cancelled"
"""Why iterating ended: at the gap that was asked for, after so many iterations, where no step lowers the integral of
the costs any more, or because somebody cancelled it."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Iteration:
    """What was known of the flows of one iteration, before its step.

    relative_gap         (total_cost − shortest_cost) / total_cost
    average_excess_cost  (total_cost − shortest_cost) / trips: what a trip could save at these costs, on average
    total_cost           flows times costs, summed over arcs
    shortest_cost        what all trips cost along paths that are shortest by these costs
    objective            the sum of the integrals of the costs, which is least at equilibrium
    step                 how far was gone towards the iteration's target, 0 … 1; 0 in the last one
    resolution           the part to which costs were rounded to find paths; every path may be longer by one an arc
    seconds              time since the first loading
    """

    relative_gap: float
    average_excess_cost: float
    total_cost: float
    shortest_cost: float
    objective: float
    step: float
    resolution: float
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """What every arc of a network carries near user equilibrium, at which nobody gets there sooner by another road.

    roads       what passing each arc costs at its flow
    flow, cost  float64 [m], read-only: what an arc carries, and what it costs at that
    origins, destinations, trips   the pairs [k] that were sent; ``no_passage`` bool [n] are zones nobody drives through
    closures    int64, rising: arcs that nothing was sent over
    arrived, unreached, staying    trips that were sent, those that no path leads to, those that end where they begin
    method      how directions were chosen, ``iterations`` what was known of each
    gap         the relative gap that was asked for; ``ended`` why iterating ended: "reached", "iterations", "stalled"
                or "cancelled"
    device      on what trees were made

        >>> import wayfront
        >>> network = wayfront.from_pandas({"source": ["a", "a"], "target": ["b", "b"], "weight": [10, 15]})
        >>> roads = wayfront.Bpr(free_flow=[10.0, 15.0], capacity=[100.0, 300.0])
        >>> demand = wayfront.Demand.between(network, [0], [1], [400.0])
        >>> found = wayfront.assign(network, demand, roads, gap=1e-9, device="cpu")
        >>> found.converged, found.cost.round(6).tolist(), float(found.flow.sum())
        (True, [16.217709, 16.217709], 400.0)
        >>> found.verify()
        >>> list(found.columns()) == list(found.to_pandas()), len(found.iterations_to_pandas()) == len(found.iterations)
        (True, True)
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(path := pathlib.Path(folder, "flows.csv"))
        ...     path.read_text().split()[0]
        'tail,head,flow,cost,free_flow_cost,saturation'
        >>> import numpy as np
        >>> from dataclasses import replace
        >>> placed = network.with_coordinates(np.array([[0, 0], [1000, 0]]))
        >>> len(replace(found, network=placed).to_geodataframe())
        2
    """

    network: RoadNetwork
    roads: Bpr
    flow: Floats
    cost: Floats
    origins: NDArray[np.int32]
    destinations: NDArray[np.int32]
    trips: Floats
    no_passage: NDArray[np.bool_]
    closures: NDArray[np.int64]
    arrived: float
    unreached: float
    staying: float
    method: str
    iterations: tuple[Iteration, ...]
    gap: float
    ended: str
    device: str

    @property
    def converged(self) -> bool:
        """Whether the relative gap is at most what was asked for."""
        return self.ended == REACHED

    @property
    def relative_gap(self) -> float:
        """The relative gap of these flows; see ``Iteration``."""
        return self.iterations[-1].relative_gap

    @property
    def average_excess_cost(self) -> float:
        """What a trip could save by a shortest path at these costs, on average."""
        return self.iterations[-1].average_excess_cost

    @property
    def remark(self) -> str:
        """A sentence on why these flows are no equilibrium, "" where they are one to the gap that was asked for."""
        at = f"the relative gap is {self.relative_gap:.2g} after {len(self.iterations):,} iterations"
        wanted = f"above the {self.gap:.2g} that was asked for"
        return {
            REACHED: "",
            LIMIT: f"{at}, {wanted}: the flows are no equilibrium yet, so allow more iterations",
            STALLED: f"{at}, {wanted}, and no step lowers it any further in 64-bit numbers: ask for a larger gap",
            CANCELLED: f"cancelled: {at}, {wanted}",
        }[self.ended]

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return what is known of each arc, [m]: ends, name, flow, cost with and without it, and flow / capacity."""
        capacity, (labels, _) = self.roads.capacity, exporting.labels_of(self.network)
        ends = {"tail": labels[self.network.tails()], "head": labels[self.network.targets]}
        names = {} if self.network.road_names is None else {"name": exporting.road_name_column(self.network)}
        return {
            **ends,
            **names,
            "flow": self.flow,
            "cost": self.cost,
            "free_flow_cost": self.roads.free_flow + self.roads.fixed,
            "saturation": np.divide(self.flow, capacity, out=np.zeros_like(self.flow), where=capacity > 0),
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return ``columns`` as a pandas frame of the arcs in internal order (extra ``interop``)."""
        return exporting.frame(self.columns())

    def iterations_to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame of the iterations (extra ``interop``), from 1."""
        rows = [{name: getattr(each, name) for name in Iteration.__slots__} for each in self.iterations]
        frame = exporting.import_interop("pandas").DataFrame(rows, columns=Iteration.__slots__)
        frame.index = frame.index.rename("iteration") + 1
        return frame

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return the frame of ``to_pandas`` with the line of each arc, in degrees or in the system ``crs``.

        Raises ``NetworkError`` without coordinates, and ``OptionError`` for what is no coordinate reference system.
        """
        lines = exporting.lines_of(self.network)
        return projected(exporting.line_frame(self.columns(), lines), crs)

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write a row for each arc, whole or not at all: .csv, .parquet, .gpkg or .geojson; errors of ``save_arcs``."""
        save_arcs(self.network, self.columns(), path, crs)

    def verify(self) -> None:
        """Prove that these are flows of the trips, and that the gap is what it is said to be. Raises
        ``CertificateError``.

        At every node as much arrives as leaves, up to rounding; costs are those of the flows; and shortest paths, found
        anew in float64 from every origin by the costs themselves, cost what was reported, up to the resolution.
        """
        n, tails, heads = self.network.node_count, self.network.tails(), self.network.targets
        passable = self.cost.copy()
        passable[self.closures] = np.inf
        shortest = np.empty(len(self.trips))
        for origin in np.unique(self.origins).tolist():
            mine = self.origins == origin
            shortest[mine] = _shortest(self.network, passable, origin, self.no_passage)[self.destinations[mine]]
        sent = np.isfinite(shortest)
        balance = np.bincount(heads, self.flow, n) - np.bincount(tails, self.flow, n)
        balance += np.bincount(self.origins[sent], self.trips[sent], n)
        balance -= np.bincount(self.destinations[sent], self.trips[sent], n)
        off = np.abs(balance)
        if (self.flow < 0).any() or off.max(initial=0.0) > _ROUNDING * max(self.arrived, 1.0):
            node = self.network.node_name(int(np.argmax(off)))
            raise CertificateError(f"at node {node} {off.max():g} trips more arrive than leave, or the other way round")
        if self.flow[self.closures].any():
            raise CertificateError("closed arcs carry something")
        if not np.allclose(self.cost, self.roads.costs(self.flow), rtol=1e-12):
            raise CertificateError("costs are not those of the flows")
        last = self.iterations[-1]
        exact, total = float(shortest[sent] @ self.trips[sent]), float(self.cost @ self.flow)
        allowed = last.resolution * n * self.arrived + _ROUNDING * total
        if (
            abs(total - last.total_cost) > _ROUNDING * total
            or not -_ROUNDING * total <= last.shortest_cost - exact <= allowed
        ):
            raise CertificateError(
                f"trips cost {total:.9g}, by shortest paths {exact:.9g}, where {last.total_cost:.9g} and "
                f"{last.shortest_cost:.9g} are reported"
            )

    def __repr__(self) -> str:
        name, at = printable(self.network.name), f"relative gap {self.relative_gap:.2g}"
        return f"<Assignment of {self.arrived:,.6g} trips on {name}: {at} after {len(self.iterations):,} iterations>"


def _shortest(network: RoadNetwork, costs: Floats, source: int, no_passage: NDArray[np.bool_]) -> Floats:
    """Return what the cheapest path to each node costs, float64 [n], infinite where there is none."""
    found = np.full(network.node_count, np.inf)
    correct_labels(network.offsets, network.targets, costs, source, no_passage, found, np.empty(len(found), np.int32))
    return found


@loop
def correct_labels(
    offsets: Any, targets: Any, costs: Any, source: int, no_passage: Any, found: Any, queue: Any
) -> None:
    """Write costs of shortest paths to ``found`` [n], infinite before: Bellman and Ford's method with a queue [n]."""
    n = len(found)
    waiting = np.zeros(n, np.bool_)
    found[source], queue[0], first, count = 0.0, source, 0, 1
    while count:
        node = queue[first]
        first, count = (first + 1) % n, count - 1
        waiting[node] = False
        if no_passage[node] and node != source:
            continue
        for arc in range(offsets[node], offsets[node + 1]):
            head, cost = targets[arc], found[node] + costs[arc]
            if cost < found[head]:
                found[head] = cost
                if not waiting[head]:
                    waiting[head] = True
                    queue[(first + count) % n] = head
                    count += 1
