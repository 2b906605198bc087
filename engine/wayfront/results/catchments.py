"""Catchments: the roads that belong to each of several sources, the land beside them, and files of both.

A road belongs to the source that is nearest to it; one that leads from the catchment of a source to that of another is
cut where both are as far. Land belongs to the road that it is beside. So catchments lie side by side, with the holes
that there are between roads.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wayfront.network.arguments import above_zero
from wayfront.network.exporting import DEGREES, import_interop
from wayfront.network.geopackage import Layer, LineStrings
from wayfront.network.projection import projected
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.isochrones.field import Area, PlacedLines, ZoneField, require_contourpy
from wayfront.results.isochrones.pieces import lines_of, open_arcs, reached_pieces
from wayfront.results.layers import feature_collection, save_areas
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas

    from wayfront.results.nearest import Nearest


@dataclass(frozen=True, slots=True, eq=False)
class Catchment:
    """What belongs to a source.

    source   index of the source; ``label`` is what it is called
    nodes    how many nodes it is nearest to
    road_m   how many metres of road are, each counted once, whichever directions it has
    largest  the largest distance of its nodes in raw weights, −1 where it has none
    area     where that is: empty for a source that is nearest to nothing
    """

    source: int
    label: int | str
    nodes: int
    road_m: float
    largest: int
    area: Area

    @property
    def area_km2(self) -> float:
        """How large the area is, in square kilometres."""
        return self.area.square_metres / 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Catchments:
    """The catchments of several sources, in their order; made by ``Nearest.catchments``.

    It counts, iterates and indexes as its ``areas`` do.

    reverse   whether ways lead to the sources
    buffer_m  how far beside a road land belongs to it, metres

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=12&rows=9")
        >>> found = wayfront.search(network, [0, 107]).catchments(buffer_m=60)
        >>> [each.nodes for each in found], len(found.to_geodataframe())
        ([78, 30], 2)
        >>> found[0].label, found.to_geojson()["features"][1]["geometry"]["type"], found.facts()[1]["source"]
        (1, 'MultiPolygon', 108)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(f"{folder}/catchments.gpkg")
    """

    network: RoadNetwork
    metric: Metric
    reverse: bool
    buffer_m: float
    areas: tuple[Catchment, ...]

    def __len__(self) -> int:
        return len(self.areas)

    def __iter__(self) -> Iterator[Catchment]:
        return iter(self.areas)

    def __getitem__(self, index: int) -> Catchment:
        return self.areas[index]

    def __repr__(self) -> str:
        return f"<Catchments of {len(self.areas):,} sources on {printable(self.network.name)}>"

    def facts(self) -> list[dict[str, Any]]:
        """Return what is known of each catchment but its place, in order, as JSON values."""
        return [
            {
                "source": each.label,
                "nodes": each.nodes,
                "road_km": round(each.road_m / 1e3, 6),
                "area_km2": round(each.area_km2, 6),
                "metric": self.metric.name,
                "unit": self.metric.unit,
                "farthest": None if each.largest < 0 else float(self.metric.in_unit(np.array([each.largest]))[0]),
            }
            for each in self.areas
        ]

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return a frame with a row and polygons for each catchment, in degrees, or in the system ``crs``.

        Its columns are those of ``facts``; areas are measured on the Earth whatever ``crs`` is. Needs the extra
        ``interop``.
        """
        geopandas = import_interop("geopandas")
        geometry = [each.area.to_shapely() for each in self.areas]
        return projected(geopandas.GeoDataFrame(self.facts(), geometry=geometry, crs=DEGREES), crs)

    def _layers(self) -> list[Layer | LineStrings]:
        """Return the catchments as a layer of a GeoPackage, in degrees."""
        rows = [(each.area.coordinates, facts) for each, facts in zip(self.areas, self.facts(), strict=True)]
        return [Layer("catchments", "MultiPolygon", rows, self.network.credit)]

    def to_geojson(self) -> dict[str, Any]:
        """Return a GeoJSON collection (RFC 7946) with a feature for each catchment."""
        return feature_collection(self.network, self._layers())

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write a file: ``.geojson``, ``.gpkg``, or ``.csv``, the facts alone.

        A GeoPackage is in degrees or in the coordinate reference system ``crs``. Raises ``OptionError`` for another
        suffix or system, and ``WriteError``.
        """
        save_areas(path, crs, layers=self._layers, geojson=self.to_geojson, facts=self.facts)


def find_catchments(
    found: Nearest,
    *,
    buffer_m: float,
    within: float | None,
    labels: Sequence[int | str] | None,
    cancel: threading.Event | None,
) -> Catchments:
    """Return the catchments of a forest; see ``Nearest.catchments``."""
    network, metric, nearest = found.network, found.metric, found.nearest
    count = len(found.origins)
    if network.coordinates is None:
        raise NetworkError(f"{network.name} has no coordinates, so there are no catchments on a map")
    buffer_m = above_zero(buffer_m, "buffer_m is the width of land beside roads in metres")
    if within is not None and within != math.inf:
        within = above_zero(within, "within is a limit in the metric's unit")
    called = _labels(found) if labels is None else list(labels)
    if len(called) != count:
        raise OptionError(f"{len(called):,} labels are not one for each of {count:,} sources")
    require_contourpy()
    distances = found.distances
    limit = int(distances.max(initial=0)) + int(metric.weights.max(initial=0)) + 1.0
    if within is not None:
        limit = min(limit, metric.raw_limit(within))
    given = (network, metric, distances, np.array([limit]), open_arcs(network, found.closures))
    pieces = reached_pieces(*given, reverse=found.reverse, group=nearest)
    placed = PlacedLines.of(lines_of(network, pieces))
    of_piece = nearest[pieces.from_node]
    zones = ZoneField(placed, of_piece, count, buffer_m, f"of catchments on {network.name}", cancel=cancel)
    near = (nearest >= 0) & (distances <= limit)
    nodes = np.bincount(nearest[near], minlength=count).tolist()
    metres = np.bincount(of_piece, placed.lengths, count).tolist()
    largest = np.full(count, -1, np.int64)
    np.maximum.at(largest, nearest[near], distances[near])
    figures = zip(called, nodes, metres, largest.tolist(), strict=True)
    areas = tuple(Catchment(index, *its, zones.level(index).area()) for index, its in enumerate(figures))
    return Catchments(network, metric, found.reverse, buffer_m, areas)


def _labels(found: Nearest) -> list[int | str]:
    """Return what sources are called without labels: their node's id, or for a point on a road its number from 1 on."""
    on_road = (found.origins.arcs >= 0).any(1) | (found.sources < 0)
    ids = found.network.node_ids[found.sources]
    return [index + 1 if road else int(ids[index]) for index, road in enumerate(on_road.tolist())]
