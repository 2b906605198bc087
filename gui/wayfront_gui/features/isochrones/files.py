"""What isochrones are made of, and their files: areas as GeoJSON (RFC 7946) or GeoPackage, or a table (CSV). No Qt."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from wayfront.results.geopackage import Layer, write_geopackage
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_text
from wayfront_gui.features.isochrones.field import Areas, ReachField, square_metres
from wayfront_gui.features.isochrones.state import Band, Reach
from wayfront_gui.map.geometry import MapGeometry, Plane

GEOJSON, GEOPACKAGE, CSV = ".geojson", ".gpkg", ".csv"
_DECIMALS = 7
"""Of a degree: a centimetre, as OpenStreetMap has them."""
Facts = dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Bands round the nearest of some sources.

    step    the width of a band, ``limits`` their ends, in raw weights
    bands   what is within each limit, ``areas`` where that is
    zones   what is nearest to each of several sources, ``zone_areas`` where that is
    field   distances and zones of the land, of which areas are made
    """

    reach: Reach
    step: int
    limits: tuple[int, ...]
    bands: tuple[Band, ...]
    zones: tuple[Band, ...]
    areas: tuple[Areas, ...]
    zone_areas: tuple[Areas, ...]
    field: ReachField

    @classmethod
    def of(cls, reach: Reach, step: int | None = None) -> Bands:
        """Return the bands ``step`` raw weights wide, by default of a round width, of a network with a map."""
        step = reach.usual_step() if step is None else step
        limits = reach.limits(step)
        field = ReachField.of(MapGeometry.of(reach.network), reach)
        areas = tuple(field.within(limits))
        several = len(reach.sources) > 1
        zones = tuple(field.zones(len(reach.sources)))
        return cls(
            reach,
            step,
            limits,
            tuple(reach.bands(limits, [square_metres(each) for each in areas])),
            tuple(reach.zones([square_metres(each) for each in zones])) if several else (),
            areas,
            zones,
            field,
        )


def write_isochrones(found: Bands, path: Path) -> None:
    """Write isochrones as ``.geojson`` or ``.gpkg``, or with any other suffix as a table. Raises ``WriteError``."""
    suffix = path.suffix.lower()
    if suffix == GEOPACKAGE:
        write_geopackage(path, layers(found))
    else:
        write_text_whole(path, geojson(found) if suffix == GEOJSON else csv_text(rows(found)))


def rows(found: Bands) -> list[Facts]:
    """Return the facts of each zone and of each band."""
    return [*_zones(found), *_bands(found)]


def geojson(found: Bands) -> str:
    """Return the areas of bands, the farthest first so that nearer ones lie over it, of zones, and the sources."""
    network = found.reach.network
    features = [_feature(layer.geometry, *row) for layer in layers(found) for row in layer.rows]
    credit = {"attribution": network.credit} if network.credit else {}
    return json.dumps({"type": "FeatureCollection", "name": network.name, **credit, "features": features}) + "\n"


def layers(found: Bands) -> list[Layer]:
    """Return bands, zones and sources, each kind with its facts and where it is, in degrees."""
    network = found.reach.network
    plane = Plane.of(network)
    assert network.coordinates is not None
    bands = [(_degrees(plane, areas), row) for areas, row in zip(found.areas, _bands(found), strict=True)]
    zones = [(_degrees(plane, areas), row) for areas, row in zip(found.zone_areas, _zones(found), strict=True)]
    sources = [
        ((network.coordinates[node] / 1e6).tolist(), {"kind": "source", "node": _id(found, node)})
        for node in found.reach.sources
    ]
    kinds = (("bands", "MultiPolygon", bands[::-1]), ("zones", "MultiPolygon", zones), ("sources", "Point", sources))
    return [Layer(name, geometry, rows, network.credit) for name, geometry, rows in kinds if rows]


def _bands(found: Bands) -> list[Facts]:
    metric = found.reach.metric
    return [
        {"kind": "band", "label": band.label, "within": limit * metric.scale, "unit": metric.unit, **_figures(band)}
        for limit, band in zip(found.limits, found.bands, strict=True)
    ]


def _zones(found: Bands) -> list[Facts]:
    return [
        {"kind": "zone", "label": zone.label, "source": _id(found, node), **_figures(zone)}
        for node, zone in zip(found.reach.sources, found.zones, strict=False)  # one source alone has no zone
    ]


def _figures(band: Band) -> Facts:
    return {"nodes": band.nodes, "share": round(band.share, 6), "area_m2": round(band.area_m2)}


def _id(found: Bands, node: int) -> int:
    return int(found.reach.network.node_ids[node])


def _degrees(plane: Plane, areas: Areas) -> list[list[list[Sequence[float]]]]:
    return [[np.round(plane.to_degrees(ring), _DECIMALS).tolist() for ring in area] for area in areas]


def _feature(kind: str, coordinates: Any, facts: Mapping[str, Any]) -> Facts:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": facts}
