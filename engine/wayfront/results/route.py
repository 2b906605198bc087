"""A route: a shortest path with its arcs, its length and time, the names of its streets, and its line on the map."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import NOTHING_CLOSED, roads_along, route_arcs
from wayfront.network.copies import begin_of, is_split, turn_arcs
from wayfront.network.geopackage import GEOPACKAGE, Layer, write_geopackage
from wayfront.network.projection import projected
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.layers import GEOJSON, GPX, check_projectable
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas

FILES = (GEOJSON, ".json", GPX, GEOPACKAGE)


@dataclass(frozen=True, slots=True)
class Street:
    """Consecutive arcs of a route on one road: its name, "" for none, and its length in the unit of ``metric``."""

    name: str
    length: float
    metric: Metric = field(repr=False)

    def __str__(self) -> str:
        raw = round(self.length / self.metric.scale)
        return f"{self.name or 'unnamed'}, {self.metric.describe(raw)}"


@dataclass(frozen=True, eq=False)
class Route:
    """A shortest path from a source to a target; without nodes where there is none.

    It counts, iterates and indexes as its ``nodes`` do, and NumPy takes it for them.

    nodes     int32 [k], internal numbers from source to target; of a split node always the first copy
    distance  raw weight of the metric that was searched by, −1 without a path
    closures  arcs that were closed for the search

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> route = wayfront.search(network, 0, "dijkstra", "cpu").route(3)
        >>> len(route), len(route.arcs), route.to_geojson()["geometry"]["type"], len(route.to_geodataframe())
        (4, 3, 'LineString', 1)
        >>> route.gpx_track() in route.to_gpx(), sorted(route.summary())[0]
        (True, 'cost')
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     route.save(f"{folder}/route.gpx")
    """

    network: RoadNetwork
    metric: Metric
    nodes: NDArray[np.int32]
    distance: int
    closures: NDArray[np.int64] = field(default_factory=lambda: NOTHING_CLOSED)

    def __post_init__(self) -> None:
        if len(self.nodes) and is_split(self.network):
            self._join_copies()

    def _join_copies(self) -> None:
        """Take turns at split nodes out, so that each node and each arc of the way is there once."""
        arcs = route_arcs(self.network, self.nodes, self.metric, self.closures)
        arcs = arcs[~turn_arcs(self.network)[arcs]]
        nodes = begin_of(self.network, np.append(self.nodes[:1], self.network.targets[arcs]))
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "arcs", arcs)

    @cached_property
    def arcs(self) -> NDArray[np.int64]:
        """The arc from each node to the next, internal numbers, int64 [k − 1]."""
        if len(self.nodes) < 2:
            return np.empty(0, np.int64)
        return route_arcs(self.network, self.nodes, self.metric, self.closures)

    @property
    def ids(self) -> NDArray[np.int64]:
        """The file's ids of the nodes, int64 [k]."""
        return self.network.node_ids[self.nodes]

    @property
    def cost(self) -> float:
        """The distance in the unit of the metric that was searched by, infinity without a path."""
        return self.distance * self.metric.scale if self.distance >= 0 else float("inf")

    @property
    def length_m(self) -> float | None:
        """The length in metres, None where the network has no lengths, or there is no path."""
        return self._sum("m")

    @property
    def time_s(self) -> float | None:
        """The travel time in seconds, None where the network has no times, or there is no path."""
        return self._sum("s")

    def _sum(self, unit: str) -> float | None:
        metric = next((metric for metric in (self.metric, *self.network.metrics) if metric.unit == unit), None)
        return None if metric is None or not len(self.nodes) else _cost(metric, self.arcs)

    @property
    def streets(self) -> tuple[Street, ...]:
        """The roads along the way, with lengths where the network has them; none where it has no names."""
        metric = next((metric for metric in self.network.metrics if metric.unit == "m"), self.metric)
        return tuple(Street(name, _cost(metric, arcs), metric) for name, arcs in roads_along(self.network, self.arcs))

    @cached_property
    def line(self) -> NDArray[np.float64]:
        """The way on the map: degrees of longitude and latitude, float64 [p, 2], along the shapes of its roads.

        Raises ``NetworkError`` where the network has no coordinates.
        """
        return self._line(self._places, 0, len(self.arcs))

    @property
    def _places(self) -> NDArray[np.int32]:
        """The coordinates of all nodes. Raises ``NetworkError`` where there are none."""
        if self.network.coordinates is None:
            raise NetworkError(f"{self.network.name} has no coordinates, so a route has no line")
        return self.network.coordinates

    def _line(self, places: NDArray[np.int32], first: int, last: int) -> NDArray[np.float64]:
        """Return the way on the map along the arcs ``first`` to ``last − 1``."""
        shapes, points = self.network.shapes, [places[self.nodes[first : first + 1]]]
        arcs, heads = self.arcs[first:last].tolist(), self.nodes[first + 1 : last + 1].tolist()
        for arc, head in zip(arcs, heads, strict=True):
            points += ([shapes.of(arc)] if shapes is not None else []) + [places[head : head + 1]]
        return np.concatenate(points) / 1e6

    # ------------------------------------------------------------------------------------------- as a sequence

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[int]:
        return iter(self.nodes.tolist())

    def __getitem__(self, index: Any) -> Any:
        return self.nodes[index]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.nodes, dtype, copy=True if copy is None else copy)

    def __repr__(self) -> str:
        if not len(self.nodes) and self.distance >= 0:
            return f"<Route along one road: {self.metric.describe(self.distance)}, {printable(self.network.name)}>"
        if not len(self.nodes):
            return f"<Route: no path, {printable(self.network.name)}>"
        ends = f"{self.network.node_name(int(self.nodes[0]))} → {self.network.node_name(int(self.nodes[-1]))}"
        return f"<Route {ends}: {self.metric.describe(self.distance)}, {len(self.nodes) - 1:,} arcs>"

    # --------------------------------------------------------------------------------------------- going on

    def summary(self) -> dict[str, Any]:
        """Return what the route is as JSON values, with the file's ids. Raises ``NetworkError`` without a path."""
        self._require_path()
        return {
            "from": int(self.ids[0]),
            "to": int(self.ids[-1]),
            "metric": self.metric.name,
            "distance": self.distance,
            "cost": self.cost,
            "length_m": self.length_m,
            "time_s": self.time_s,
            "streets": [{"name": street.name, "length": street.length} for street in self.streets],
            "nodes": self.ids.tolist(),
        }

    def to_geojson(self) -> dict[str, Any]:
        """Return the route as a GeoJSON feature, a line (RFC 7946). Raises ``NetworkError`` without path or map."""
        facts = self.summary()
        del facts["nodes"]  # the line says where they are
        return {
            "type": "Feature",
            "properties": facts,
            "geometry": {"type": "LineString", "coordinates": _two_ended(self.line).tolist()},
        }

    def to_gpx(self) -> str:
        """Return the route as a GPX 1.1 document with one track. Raises ``NetworkError`` without path or map."""
        return gpx_document([self])

    def gpx_track(self) -> str:
        """Return the route as the track of a GPX document. Raises ``NetworkError`` without path or map."""
        self._require_path()
        points = "".join(f'      <trkpt lat="{y:.6f}" lon="{x:.6f}"/>\n' for x, y in self.line.tolist())
        roads = [road for road, _arcs in roads_along(self.network, self.arcs)] or [""]
        begin, end = roads[0] or self.ids[0], roads[-1] or self.ids[-1]
        name = printable(f"{self.network.name}: {begin} – {end}")
        credit = f"    <desc>{escape(printable(self.network.credit))}</desc>\n" if self.network.credit else ""
        return f"  <trk>\n    <name>{escape(name)}</name>\n{credit}    <trkseg>\n{points}    </trkseg>\n  </trk>\n"

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return the streets of the route as lines in a GeoPandas frame (extra ``interop``), in its order.

        Where the network has no road names there is one line. Lines are in degrees, or in the coordinate reference
        system ``crs``. Raises ``NetworkError`` without path or map, and ``OptionError`` for what is no such system.
        """
        from wayfront.network.exporting import line_frame

        parts = self._parts()
        rows = {"name": [name for name, _, _ in parts], "cost": [cost for _, cost, _ in parts]}
        return projected(line_frame(rows, [line for _, _, line in parts]), crs)

    def _parts(self) -> list[tuple[str, float, NDArray[np.float64]]]:
        """Return name, cost and line of each street of the route. Raises ``NetworkError`` without path or map."""
        self._require_path()
        parts = roads_along(self.network, self.arcs) or [("", self.arcs)]
        ends = np.cumsum([0, *(len(arcs) for _, arcs in parts)]).tolist()
        places = self._places
        return [
            (name, _cost(self.metric, arcs), _two_ended(self._line(places, first, last)))
            for (name, arcs), first, last in zip(parts, ends[:-1], ends[1:], strict=True)
        ]

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write the route as GeoJSON (``.geojson``, ``.json``), GPX (``.gpx``) or GeoPackage (``.gpkg``).

        A GeoPackage has a layer of routes and one of their streets, in degrees or in the coordinate reference system
        ``crs``. Raises ``OptionError`` for another suffix or system, ``NetworkError`` without path or map, and
        ``WriteError``.
        """
        suffix = _suffix(path, crs)
        if suffix == GEOPACKAGE:
            write_geopackage(path, _layers([self]), crs)
        else:
            write_text_whole(path, self.to_gpx() if suffix == GPX else _json(self.to_geojson()))

    def _require_path(self) -> None:
        if not len(self.nodes):
            none = "the way along one road has no nodes" if self.distance >= 0 else "there is no path"
            raise NetworkError(f"{none}, so there is nothing to write")


def gpx_document(routes: Iterable[Route]) -> str:
    """Return routes as a GPX 1.1 document with a track for each. Raises ``NetworkError`` without path or map."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gpx version="1.1" creator="wayfront" xmlns="http://www.topografix.com/GPX/1/1">\n'
        f"{''.join(route.gpx_track() for route in routes)}</gpx>\n"
    )


def save_routes(routes: Sequence[Route], path: str | Path, crs: object = None) -> None:
    """Write several routes as GPX (``.gpx``), a track for each, as GeoPackage or as a GeoJSON collection of lines.

    ``crs`` is as for ``Route.save``. Raises ``OptionError`` for another suffix or system, ``NetworkError`` where one of
    them has no path, or the network no coordinates, and ``WriteError``.
    """
    suffix = _suffix(path, crs)
    if suffix == GEOPACKAGE:
        write_geopackage(path, _layers(routes), crs)
    elif suffix == GPX:
        write_text_whole(path, gpx_document(routes))
    else:
        features = [route.to_geojson() for route in routes]
        write_text_whole(path, _json({"type": "FeatureCollection", "features": features}))


def _layers(routes: Sequence[Route]) -> list[Layer]:
    """Return a layer of routes, and one of the streets that they take. Raises ``NetworkError`` without path or map."""
    ways, streets, credit = [], [], ""
    for number, route in enumerate(routes, 1):
        feature, credit = route.to_geojson(), route.network.credit
        facts = {name: fact for name, fact in feature["properties"].items() if name != "streets"}
        ways.append((feature["geometry"]["coordinates"], {"route": number, **facts}))
        for place, (name, cost, line) in enumerate(route._parts(), 1):
            streets.append((line.tolist(), {"route": number, "place": place, "name": name, "cost": cost}))
    return [Layer("routes", "LineString", ways, credit), Layer("streets", "LineString", streets, credit)]


def _two_ended(line: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a line with its point twice where it has only one: no format has such lines."""
    return line if len(line) > 1 else np.repeat(line, 2, axis=0)


def _suffix(path: str | Path, crs: object = None) -> str:
    """Return a file's suffix if routes can be written so. Raises ``OptionError``."""
    suffix = Path(path).suffix.lower()
    if suffix not in FILES:
        raise OptionError(f"{path}: unknown suffix; a route is written as {', '.join(FILES)}")
    check_projectable(path, crs)
    return suffix


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1)


def _cost(metric: Metric, arcs: NDArray[np.int64]) -> float:
    """Return the sum of the weights of some arcs, in the metric's unit."""
    return float(metric.weights[arcs].sum(dtype=np.int64) * metric.scale)
