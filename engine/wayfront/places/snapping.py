"""Put places on a network: each on the nearest road, at the point of it that is nearest.

Who is on a road leaves it at either end that traffic may reach and arrives by either end; the weight of an arc is
divided as its length is, to whole raw weights. The way from a place to its road counts for nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.formats.streams import ProgressCallback
from wayfront.network.arguments import require_network
from wayfront.network.copies import is_split
from wayfront.network.ends import NONE, Ends
from wayfront.network.nearest import fractions, roads_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.memory import require_memory
from wayfront.safe.text import shortened

if TYPE_CHECKING:
    import geopandas
    import pandas

    from wayfront.places.places import Places

_BYTES_OF_A_PLACE = 200


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SnappedPlaces:
    """Where k places are on a network. Arrays are read-only.

    places        the places themselves
    network       the network that they are on
    limit_m       how many metres a place may be from its road
    on_road       bool [k]: whether a road is so near
    metres        float64 [k]: how far each is from the nearest road, also of those that are too far
    far           int64, rising: the indices of those that are too far
    arcs          int64 [k]: the lowest arc of the nearest road, internal numbers
    fractions     float64 [k]: where on that arc the place is, from 0 at its tail to 1 at its head, by length
    coordinates   float64 [k, 2]: that point of the road, degrees of longitude and latitude

    What is closed is left to the search: the ends of a place on a closed road are those of an open one.

        >>> import tempfile, wayfront
        >>> street = wayfront.from_pandas({"source": [1, 2], "target": [2, 1], "weight": [90, 90]}, nodes={
        ...     "node": [1, 2], "x": [8.0, 8.003], "y": [50.0, 50.0]})
        >>> houses = wayfront.Places.from_arrays([8.001, 8.002, 9.0], [50.0, 50.001, 50.0], ids=["a", "b", "c"])
        >>> snapped = houses.on(street, limit_m=300)
        >>> snapped
        <SnappedPlaces: 3 on Table of edges, 1 farther than 300 m from every road>
        >>> snapped.far.tolist(), snapped.metres[:2].round().tolist(), snapped.fractions[:2].round(3).tolist()
        ([2], [0.0, 111.0], [0.333, 0.667])
        >>> leaving, arriving = snapped.origins(street.metric()), snapped.destinations(street.metric())
        >>> leaving.costs[0].tolist(), arriving.costs[0].tolist(), leaving.nodes[2].tolist()
        ([60, 30], [30, 60], [-1, -1])
        >>> snapped.chosen(snapped.on_road).places.ids.tolist(), snapped.within(50).far.tolist()
        (['a', 'b'], [1, 2])
        >>> snapped.nodes.tolist()
        [0, 1, -1]
        >>> list(snapped.to_pandas())
        ['id', 'name', 'weight', 'lon', 'lat', 'on_road', 'metres', 'road_lon', 'road_lat']
        >>> snapped.to_geodataframe("EPSG:32632").crs.to_epsg()
        32632
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     snapped.save(f"{folder}/houses.csv")
        ...     wayfront.Places.read(f"{folder}/houses.csv").ids.tolist()
        ['a', 'b', 'c']
    """

    places: Places
    network: RoadNetwork
    limit_m: float
    on_road: NDArray[np.bool_]
    metres: NDArray[np.float64]
    far: NDArray[np.int64]
    arcs: NDArray[np.int64]
    fractions: NDArray[np.float64]
    coordinates: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.metres)

    def __repr__(self) -> str:
        far = f", {len(self.far):,} farther than {self.limit_m:g} m from every road" if len(self.far) else ""
        return f"<SnappedPlaces: {len(self):,} on {self.network.name}{far}>"

    def chosen(self, which: NDArray[Any] | slice) -> SnappedPlaces:
        """Return some of the places where they are: bool [k], or their indices in the order wanted."""
        chosen = replace(
            self,
            places=self.places.chosen(which),
            on_road=self.on_road[which],
            metres=self.metres[which],
            far=np.flatnonzero(~self.on_road[which]),
            arcs=self.arcs[which],
            fractions=self.fractions[which],
            coordinates=self.coordinates[which],
        )
        for array in (chosen.on_road, chosen.metres, chosen.far, chosen.arcs, chosen.fractions, chosen.coordinates):
            array.flags.writeable = False
        return chosen

    def within(self, limit_m: float) -> SnappedPlaces:
        """Return the same places with another limit: nothing is looked for again. Raises ``OptionError``."""
        on_road = self.metres <= _checked_limit(limit_m)
        on_road.flags.writeable = False
        return replace(self, limit_m=float(limit_m), on_road=on_road, far=np.flatnonzero(~on_road))

    @property
    def nodes(self) -> NDArray[np.int32]:
        """The nearer end of each place's road, internal numbers int32 [k], for what takes nodes; -1 where it is far."""
        at_tail = self.fractions < 0.5
        ends = np.where(at_tail, self.network.tails()[self.arcs], self.network.targets[self.arcs])
        return np.where(self.on_road, ends, np.int32(NONE)).astype(np.int32)

    def origins(self, metric: Metric) -> Ends:
        """Return how the places are left: the nodes that their roads lead to, with what is left to them.

        Rows are those of the places; one that is too far has no node. Where arcs run beside each other, the lightest
        counts.
        """
        return self._ends(metric, leaving=True)

    def destinations(self, metric: Metric) -> Ends:
        """Return how the places are reached: the nodes from which their roads come, with how far they are from there.

        Rows are those of the places; one that is too far has no node.
        """
        return self._ends(metric, leaving=False)

    def _ends(self, metric: Metric, *, leaving: bool) -> Ends:
        arcs = np.where(self.on_road, self.arcs, NONE)
        return ends_along(self.network, metric, arcs, self.fractions, leaving=leaving)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the frame of the places, with ``on_road``, ``metres``, the ``road``'s name where that is known, and
        ``road_lon`` and ``road_lat``, the point of the road.
        """
        from wayfront.network.exporting import frame

        return frame(self._columns())

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns = self.places._columns() | {"on_road": self.on_road, "metres": self.metres}
        names = self.network.road_names
        if names is not None and len(self):
            columns["road"] = np.array([*names.names, ""], object)[names.of_arc[self.arcs]]
        return columns | {"road_lon": self.coordinates[:, 0], "road_lat": self.coordinates[:, 1]}

    def to_geodataframe(self, crs: Any = None) -> geopandas.GeoDataFrame:
        """Return the frame of ``to_pandas`` with the places' points, in degrees or in the coordinates of ``crs``."""
        from wayfront.places.writing import point_frame

        return point_frame(self._columns(), self.places.coordinates, crs)

    def save(self, path: str | Path, crs: Any = None) -> None:
        """Write the table of ``to_pandas`` as ``Places.save`` does."""
        from wayfront.places.writing import save_points

        save_points(path, self.places.title, self._columns(), self.places.coordinates, crs)


def snap(
    places: Places,
    network: RoadNetwork,
    limit_m: float,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> SnappedPlaces:
    """Return where places are on a network: ``Places.on``."""
    require_network(network)
    _checked_limit(limit_m)
    require_memory(_BYTES_OF_A_PLACE * len(places), places.title)
    if progress is not None:
        progress("finding roads", 0.0)
    roads = roads_of(network)
    report = None if progress is None else partial(progress, "finding roads")
    found, at, metres = roads.tree.nearest(places.coordinates, cancel, report)
    pieces = roads.tree.pieces[found]
    lon_lat = (pieces[:, :2] + at[:, None] * (pieces[:, 2:].astype(np.int64) - pieces[:, :2])) / 1e6
    lon_lat[:, 0] = (lon_lat[:, 0] + 180) % 360 - 180
    on_road = metres <= limit_m
    arrays = (
        on_road,
        metres,
        np.flatnonzero(~on_road),
        roads.first[roads.tree.owners[found]].astype(np.int64),
        fractions(roads, found, at),
        lon_lat,
    )
    for array in arrays:
        array.flags.writeable = False
    return SnappedPlaces(places, network, float(limit_m), *arrays)


def ends_along(
    network: RoadNetwork,
    metric: Metric,
    on: NDArray[np.int64],
    fractions: NDArray[np.float64],
    *,
    leaving: bool,
) -> Ends:
    """Return how points of a network's roads are left, or reached.

    ``on`` int64 [k] are the lowest arcs of their roads, ``NONE`` for points on none; ``fractions`` float64 [k] are as
    in ``SnappedPlaces``. Raises ``NetworkError`` for a metric of another network.
    """
    k = len(on)
    if len(metric.weights) != network.arc_count:
        raise NetworkError(f"the metric {metric.name} is not one of {network.name}: it has other arcs")
    nodes = np.full((k, 2), NONE, np.int32)
    costs, arcs, offsets = np.zeros((k, 2), np.int64), np.full((k, 2), NONE, np.int64), np.zeros((k, 2), np.int64)
    ends = Ends(nodes, costs, arcs, offsets)
    there = np.flatnonzero(on != NONE)
    if not len(there):
        return ends
    at_tail, at_head = there[fractions[there] == 0], there[fractions[there] == 1]
    nodes[at_tail, 0], nodes[at_head, 0] = network.tails()[on[at_tail]], network.targets[on[at_head]]
    between = there[(fractions[there] != 0) & (fractions[there] != 1)]
    roads = roads_of(network)
    entered = roads.along(metric, last=True) if is_split(network) and not leaving else roads.along(metric)
    for way, lightest in enumerate(roads.along(metric)):
        by = entered[way][roads.of_arc[on[between]]]
        arc = lightest[roads.of_arc[on[between]]]
        passed, arc, by = between[arc >= 0], arc[arc >= 0], by[arc >= 0]
        weight = metric.weights[arc].astype(np.int64)
        ahead = np.floor(fractions[passed] * weight + 0.5).astype(np.int64)  # the same whole in both directions
        offset = ahead if way == 0 else weight - ahead
        arcs[passed, way], offsets[passed, way] = arc, offset
        nodes[passed, way] = network.targets[arc] if leaving else network.tails()[by]
        costs[passed, way] = weight - offset if leaving else offset
    _settle(ends)
    return ends


def _checked_limit(limit_m: float) -> float:
    if not isinstance(limit_m, int | float | np.number) or isinstance(limit_m, bool) or not limit_m >= 0:
        raise OptionError(f"a limit is a number of metres, 0 or more, not {shortened(limit_m)}")
    return float(limit_m)


def _settle(ends: Ends) -> None:
    """Put the only end first, and leave one end where both are the same node, of a loop: the nearer one."""
    nodes, costs, arcs, offsets = ends.nodes, ends.costs, ends.arcs, ends.offsets
    loops = (nodes[:, 0] == nodes[:, 1]) & (nodes[:, 0] != NONE)
    costs[loops, 0] = costs[loops].min(axis=1)
    costs[loops, 1], nodes[loops, 1] = 0, NONE
    second = (nodes[:, 0] == NONE) & (nodes[:, 1] != NONE)
    for array in (nodes, costs, arcs, offsets):
        array[second] = array[second][:, ::-1]
