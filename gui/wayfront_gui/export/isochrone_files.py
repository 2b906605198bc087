"""Isochrones as files: areas for geographic programs (GeoJSON, RFC 7946), or a table (CSV). No Qt."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.files import write_text_whole
from wayfront_gui.model.isochrones import Band
from wayfront_gui.scene.geometry import Plane
from wayfront_gui.scene.isochrones import Isochrones
from wayfront_gui.scene.segment_lines import polygons

_DECIMALS = 6
"""Of a degree: a tenth of a metre."""
Facts = dict[str, Any]


def write_isochrones(found: Isochrones, path: Path) -> None:
    """Write isochrones as ``.geojson``, or with any other suffix as a table. Raises ``WriteError``."""
    write_text_whole(path, geojson(found) if path.suffix.lower() == ".geojson" else table(found))


def table(found: Isochrones) -> str:
    """Return a CSV line for each zone and for each band."""
    out = io.StringIO()
    rows = [*_zones(found), *_bands(found)]
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def geojson(found: Isochrones) -> str:
    """Return the areas of bands, the farthest first so that nearer ones lie over it, of zones, and the sources."""
    network, field = found.reach.network, found.field
    plane = Plane.of(network)
    bands = [_area(plane, field.within(limit), row) for limit, row in zip(found.limits, _bands(found), strict=True)]
    zones = [_area(plane, field.zone_outline(index), row) for index, row in enumerate(_zones(found))]
    assert network.coordinates is not None
    sources = [
        _feature("Point", (network.coordinates[node] / 1e6).tolist(), {"kind": "source", "node": _id(found, node)})
        for node in found.reach.sources
    ]
    credit = {"attribution": network.credit} if network.credit else {}
    features = [*reversed(bands), *zones, *sources]
    return json.dumps({"type": "FeatureCollection", "name": network.name, **credit, "features": features}) + "\n"


def _bands(found: Isochrones) -> list[Facts]:
    metric = found.reach.metric
    return [
        {"kind": "band", "label": band.label, "within": limit * metric.scale, "unit": metric.unit, **_figures(band)}
        for limit, band in zip(found.limits, found.bands, strict=True)
    ]


def _zones(found: Isochrones) -> list[Facts]:
    return [
        {"kind": "zone", "label": zone.label, "source": _id(found, node), **_figures(zone)}
        for node, zone in zip(found.reach.sources, found.zones, strict=False)  # one source alone has no zone
    ]


def _figures(band: Band) -> Facts:
    return {"nodes": band.nodes, "share": round(band.share, 6), "area_m2": round(band.area_m2)}


def _id(found: Isochrones, node: int) -> int:
    return int(found.reach.network.node_ids[node])


def _area(plane: Plane, outline: NDArray[np.float64], facts: Facts) -> Facts:
    """Return the area with this outline as a feature."""
    areas = [[np.round(plane.to_degrees(ring), _DECIMALS).tolist() for ring in rings] for rings in polygons(outline)]
    return _feature("MultiPolygon", areas, facts)


def _feature(kind: str, coordinates: list[Any], facts: Facts) -> Facts:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": facts}
