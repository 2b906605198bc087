"""What isochrones are: areas round the roads within each limit, the pieces of these roads, and files of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from wayfront.network.exporting import DEGREES, import_interop, road_name_column
from wayfront.network.geopackage import Layer, LineStrings
from wayfront.network.projection import projected
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import ROAD_CLASSES
from wayfront.results.isochrones.field import DECIMALS, Area
from wayfront.results.isochrones.pieces import Lines, Pieces
from wayfront.results.layers import feature_collection, save_areas
from wayfront.safe.errors import OptionError
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas

NEAREST = -1
"""In place of a source's index where what is within a limit of any source is meant."""


@dataclass(frozen=True, slots=True, eq=False)
class Isochrone:
    """What is within a limit, or of a ring between the limit before it and its own.

    source    index of the source, ``NEAREST`` where it is the nearest of all
    beyond    the limit before, of a ring; 0 otherwise. In the metric's unit, as ``within``
    nodes     how many nodes are reached in it
    road_m    how many metres of road are, each counted once, whichever directions it has
    area      where that is
    """

    source: int
    beyond: float
    within: float
    nodes: int
    road_m: float
    area: Area

    @property
    def area_km2(self) -> float:
        """How large the area is, in square kilometres."""
        return self.area.square_metres / 1e6


@dataclass(frozen=True, slots=True, eq=False)
class ReachedRoads:
    """Pieces of reached road with their lines; ``source`` int32 [k] as in ``Isochrone``."""

    pieces: Pieces
    lines: Lines
    lengths_m: NDArray[np.float64]
    source: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Isochrones:
    """Areas within limits of some sources, the nearest first; made by ``wayfront.isochrones``.

    It counts, iterates and indexes as its ``areas`` do.

    sources   what each source is called: the file's id of its node, or what its table calls it
    cuts      the limits in the metric's unit, rising
    reverse   whether the ways lead to the sources
    rings     whether each area ends where the one before it does; else it contains that
    buffer_m  how far beside a road land belongs to it, metres
    roads     the pieces of reached road, where they were asked for

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=12&rows=9")
        >>> found = wayfront.isochrones(network, 0, cuts=[300, 600], lines=True)
        >>> [round(each.area_km2, 2) for each in found], len(found.to_geodataframe())
        ([0.13, 0.2], 2)
        >>> found.facts()[0]["nodes"], len(found.to_geojson()["features"]) == 2 + len(found.roads_to_geodataframe())
        (4, True)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(f"{folder}/near.gpkg")
    """

    network: RoadNetwork
    metric: Metric
    sources: tuple[int | str, ...]
    cuts: tuple[float, ...]
    reverse: bool
    rings: bool
    buffer_m: float
    areas: tuple[Isochrone, ...]
    roads: ReachedRoads | None = None

    def __len__(self) -> int:
        return len(self.areas)

    def __iter__(self) -> Iterator[Isochrone]:
        return iter(self.areas)

    @overload
    def __getitem__(self, index: int) -> Isochrone: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Isochrone, ...]: ...

    def __getitem__(self, index: int | slice) -> Isochrone | tuple[Isochrone, ...]:
        return self.areas[index]

    def __repr__(self) -> str:
        cuts = ", ".join(f"{cut:g}" for cut in self.cuts)
        way = "to" if self.reverse else "from"
        unit = f" {self.metric.unit}" if self.metric.unit else ""
        return f"<Isochrones {way} {len(self.sources):,} of {printable(self.network.name)}: {cuts}{unit}>"

    # -------------------------------------------------------------------------------------------------- facts

    def facts(self) -> list[dict[str, Any]]:
        """Return what is known of each area but its place, in order, as JSON values."""
        return [
            {
                **self._source(each.source),
                "metric": self.metric.name,
                "unit": self.metric.unit,
                **({"beyond": each.beyond} if self.rings else {}),
                "within": each.within,
                "nodes": each.nodes,
                "road_km": round(each.road_m / 1e3, 6),
                "area_km2": round(each.area_km2, 6),
            }
            for each in self.areas
        ]

    def _source(self, index: int) -> dict[str, Any]:
        alone = index == NEAREST and len(self.sources) > 1
        return {} if alone else {"source": self.sources[max(index, 0)]}

    @cached_property
    def _road_columns(self) -> dict[str, NDArray[Any]]:
        """What is known of each piece of road but its place."""
        roads = self._roads
        pieces, network = roads.pieces, self.network
        columns: dict[str, NDArray[Any]] = {}
        if len(self.sources) == 1 or (roads.source != NEAREST).any():
            columns["source"] = np.array([*self.sources], object)[np.maximum(roads.source, 0)]
        columns["within"] = np.array(self.cuts)[pieces.band]
        ids = network.node_ids
        columns |= {"tail": ids[network.tails()[pieces.arcs]], "head": ids[network.targets[pieces.arcs]]}
        columns |= {"begin": pieces.begin, "end": pieces.end, "length_m": np.round(roads.lengths_m, 3)}
        if network.road_names is not None:
            columns["name"] = road_name_column(network)[pieces.arcs]
        if network.road_class is not None:
            columns["road_class"] = np.array(ROAD_CLASSES, object)[network.road_class[pieces.arcs]]
        return columns

    @property
    def _roads(self) -> ReachedRoads:
        if self.roads is None:
            raise OptionError("the lines of reached road were not kept: ask isochrones() for lines=True")
        return self.roads

    # ------------------------------------------------------------------------------------------------- tables

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return a frame with a row and polygons for each area, in degrees, or in the system ``crs``.

        Columns: ``source`` (where an area is that of one source), ``metric``, ``unit``, with rings ``beyond``,
        ``within``, ``nodes``, ``road_km``, ``area_km2``, which is measured on the Earth whatever ``crs`` is. Needs the
        extra ``interop``.
        """
        geopandas = import_interop("geopandas")
        geometry = [each.area.to_shapely() for each in self.areas]
        return projected(geopandas.GeoDataFrame(self.facts(), geometry=geometry, crs=DEGREES), crs)

    def roads_to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return a frame with a row and a line for each piece of reached road, cut where a limit falls.

        Columns: ``source`` as above, ``within``, the nearest limit; ``tail`` and ``head`` (ids) of the road, ``begin``
        and ``end``, between which shares of its length the piece lies; ``length_m``, and ``name`` and ``road_class``
        where they are known. Raises ``OptionError`` where they were not kept.
        """
        roads = self._roads
        geopandas, shapely = import_interop("geopandas"), import_interop("shapely")
        lines = shapely.from_ragged_array(
            shapely.GeometryType.LINESTRING, roads.lines.points / 1e6, (roads.lines.offsets,)
        )
        return projected(geopandas.GeoDataFrame(self._road_columns, geometry=lines, crs=DEGREES), crs)

    # -------------------------------------------------------------------------------------------------- files

    def _layers(self) -> list[Layer | LineStrings]:
        """Return the areas, and the pieces of road where they were kept, as layers of a GeoPackage, in degrees."""
        return [self._areas_layer(), *([] if self.roads is None else [self._roads_layer()])]

    def _areas_layer(self) -> Layer:
        rows = [(each.area.coordinates, facts) for each, facts in zip(self.areas, self.facts(), strict=True)]
        return Layer("isochrones", "MultiPolygon", rows, self.network.credit)

    def _roads_layer(self) -> LineStrings:
        columns = {name: column.tolist() for name, column in self._road_columns.items()}
        lines = self._roads.lines
        places = np.round(lines.points / 1e6, DECIMALS)
        return LineStrings("roads", places, lines.offsets, columns, self.network.credit)

    def to_geojson(self) -> dict[str, Any]:
        """Return a GeoJSON collection (RFC 7946): the farthest area first, so that nearer ones lie over it, then roads.

        The ``kind`` of a feature is that of its layer, ``isochrones`` or ``roads``.
        """
        areas = self._areas_layer()
        rows = [(where, {"kind": areas.name, **facts}) for where, facts in reversed(areas.rows)]
        layers: list[Layer | LineStrings] = [replace(areas, rows=rows)]
        if self.roads is not None:
            roads = self._roads_layer()
            kinds = [roads.name] * (len(roads.offsets) - 1)
            layers.append(replace(roads, columns={"kind": kinds, **roads.columns}))
        return feature_collection(self.network, layers)

    def save(self, path: str | Path, crs: object = None) -> None:
        """Write a file: ``.geojson``, ``.gpkg`` with a layer of areas and one of roads, or ``.csv``, the areas' facts.

        A GeoPackage is in degrees or in the coordinate reference system ``crs``. Raises ``OptionError`` for another
        suffix or system, and ``WriteError``.
        """
        save_areas(path, crs, layers=self._layers, geojson=self.to_geojson, facts=self.facts)
