"""Files of features: layers as GeoJSON (RFC 7946), which has one list of them and degrees, or as a GeoPackage."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from wayfront.network.geopackage import GEOPACKAGE, Layer, LineStrings, write_geopackage
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import OptionError
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_text

GEOJSON, GPX, CSV = ".geojson", ".gpx", ".csv"
DEGREES_ALONE = (GEOJSON, ".json", GPX)
"""Suffixes of files whose formats know no other coordinates."""
AREA_FILES = (GEOJSON, GEOPACKAGE, CSV)
"""Suffixes of files of areas."""


def check_projectable(path: str | Path, crs: object) -> None:
    """Raise ``OptionError`` for a file whose format has degrees alone, where another system is asked for."""
    suffix = Path(path).suffix.lower()
    if crs is not None and suffix in DEGREES_ALONE:
        raise OptionError(f"{path}: a {suffix} file holds degrees alone: write {GEOPACKAGE}, or leave the system out")


def feature_collection(network: RoadNetwork, layers: Sequence[Layer | LineStrings]) -> dict[str, Any]:
    """Return what is on a network's map as a GeoJSON collection, with whom its licence asks to name."""
    features = [
        {"type": "Feature", "geometry": {"type": layer.geometry, "coordinates": coordinates}, "properties": facts}
        for layer in layers
        for coordinates, facts in layer.rows
    ]
    credit: dict[str, Any] = {"attribution": network.credit} if network.credit else {}
    return {"type": "FeatureCollection", "name": network.name, **credit, "features": features}


def save_layers(
    network: RoadNetwork, layers: Sequence[Layer | LineStrings], path: str | Path, crs: object = None
) -> None:
    """Write what is on a network's map: with the suffix ``.gpkg`` as a GeoPackage, with any other as GeoJSON.

    Raises ``OptionError`` for a system ``crs`` that there is not or that GeoJSON has not, and ``WriteError``.
    """
    check_projectable(path, crs)
    if Path(path).suffix.lower() == GEOPACKAGE:
        write_geopackage(path, layers, crs)
    else:
        _write_geojson(path, feature_collection(network, layers))


def save_areas(
    path: str | Path,
    crs: object,
    *,
    layers: Callable[[], Sequence[Layer | LineStrings]],
    geojson: Callable[[], dict[str, Any]],
    facts: Callable[[], list[dict[str, Any]]],
) -> None:
    """Write areas as ``.gpkg``, ``.geojson``, or ``.csv``, the facts alone.

    Raises ``OptionError`` for another suffix, a system ``crs`` that there is not or that GeoJSON has not, and
    ``WriteError``.
    """
    suffix = Path(path).suffix.lower()
    check_projectable(path, crs)
    if suffix == GEOPACKAGE:
        write_geopackage(path, layers(), crs)
    elif suffix == GEOJSON:
        _write_geojson(path, geojson())
    elif suffix == CSV:
        write_text_whole(path, csv_text(facts()))
    else:
        raise OptionError(f"{path}: unknown suffix; areas are written as {', '.join(AREA_FILES)}")


def _write_geojson(path: str | Path, collection: dict[str, Any]) -> None:
    write_text_whole(path, json.dumps(collection) + "\n")
