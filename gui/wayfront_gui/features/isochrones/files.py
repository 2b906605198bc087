"""What isochrones are made of, and their files: areas as GeoJSON (RFC 7946) or GeoPackage, or a table (CSV). No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.geopackage import GEOPACKAGE, Layer
from wayfront.results.isochrones.field import COARSEST, Area, PlacedLines, RoadField, ZoneField
from wayfront.results.isochrones.pieces import lines_of, open_arcs, reached_pieces
from wayfront.results.isochrones.plane import EqualAreaPlane
from wayfront.results.layers import GEOJSON, save_layers
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_text
from wayfront_gui.features.isochrones.state import Band, Reach
from wayfront_gui.map.geometry import MapGeometry

CSV = ".csv"
BUFFER_M = 250.0
"""How far beside a road land belongs to it …"""
BUFFERS = 200
"""… unless the longer side of a network is so many times as long: then it is more, as a map of it shows less."""
Facts = dict[str, Any]
Float = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Bands:
    """Bands round the nearest of some sources.

    step      the width of a band, ``limits`` their ends, in raw weights
    bands     what is within each limit, ``areas`` where that is
    zones     what is nearest to each of several sources, ``zone_areas`` where that is
    outlines  of each band where roads go on, ``borders`` of each zone but the last: lines on ``plane``
    buffer_m  how far beside a road land belongs to it
    """

    reach: Reach
    step: int
    limits: tuple[int, ...]
    bands: tuple[Band, ...]
    zones: tuple[Band, ...]
    areas: tuple[Area, ...]
    zone_areas: tuple[Area, ...]
    outlines: tuple[list[Float], ...]
    borders: tuple[list[Float], ...]
    plane: EqualAreaPlane
    buffer_m: float

    @classmethod
    def of(cls, reach: Reach, step: int | None = None) -> Bands:
        """Return the bands ``step`` raw weights wide, by default of a round width, of a network with a map."""
        network, metric = reach.network, reach.metric
        step = reach.usual_step() if step is None else step
        limits = reach.limits(step)
        bounds = MapGeometry.of(network).bounds
        buffer_m = max(BUFFER_M, max(bounds.width, bounds.height) / BUFFERS)
        # Beyond the last band comes the rest of all roads that can be reached.
        all_m = max(int(reach.distances.max(initial=0)), limits[-1]) + int(metric.weights.max(initial=0)) + 1
        ends = np.array([*limits, all_m], np.float64)
        given = (network, metric, reach.distances, ends, open_arcs(network, reach.closures))
        pieces = reached_pieces(*given, reverse=reach.reverse, group=reach.nearest)
        placed = PlacedLines.of(lines_of(network, pieces))
        what = f"of {network.name}"
        field = RoadField(placed, buffer_m, what, COARSEST)
        levels = []
        for band in range(len(ends)):
            field.add(pieces.band == band)
            levels.append(field.level())
        areas = tuple(level.area() for level in levels[:-1])
        zone_areas: tuple[Area, ...] = ()
        borders: tuple[list[Float], ...] = ()
        if reach.several:
            count = len(reach.sources)
            zones = ZoneField(placed, reach.nearest[pieces.from_node], count, buffer_m, what, COARSEST)
            zone_areas = tuple(zones.level(zone).area() for zone in range(count))
            borders = tuple(zones.border(zone) for zone in range(count - 1))
        return cls(
            reach,
            step,
            limits,
            tuple(reach.bands(limits, [area.square_metres for area in areas])),
            tuple(reach.zones([area.square_metres for area in zone_areas])) if reach.several else (),
            areas,
            zone_areas,
            tuple(level.outline(levels[-1]) for level in levels[:-1]),
            borders,
            placed.plane,
            buffer_m,
        )


def write_isochrones(found: Bands, path: Path, crs: object = None) -> None:
    """Write isochrones as ``.geojson`` or ``.gpkg``, or with any other suffix as a table. Raises ``WriteError``.

    Those of a GeoPackage are in degrees or in the coordinate reference system ``crs``.
    """
    if path.suffix.lower() in (GEOJSON, GEOPACKAGE):
        save_layers(found.reach.network, layers(found), path, crs)
    else:
        write_text_whole(path, csv_text(rows(found)))


def rows(found: Bands) -> list[Facts]:
    """Return the facts of each zone and of each band."""
    return [*_zones(found), *_bands(found)]


def layers(found: Bands) -> list[Layer]:
    """Return bands, zones and sources, each kind with its facts and where it is, in degrees.

    The farthest band comes first, so that nearer ones lie over it.
    """
    network = found.reach.network
    assert network.coordinates is not None
    bands = [(area.coordinates, row) for area, row in zip(found.areas, _bands(found), strict=True)]
    zones = [(area.coordinates, row) for area, row in zip(found.zone_areas, _zones(found), strict=True)]
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
