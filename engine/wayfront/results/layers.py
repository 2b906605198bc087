"""Files of features: layers as GeoJSON (RFC 7946), which has one list of them and degrees, or as a GeoPackage."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from wayfront.network.geopackage import GEOPACKAGE, Layer, write_geopackage
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import OptionError
from wayfront.safe.files import write_text_whole

GEOJSON, GPX = ".geojson", ".gpx"
DEGREES_ALONE = (GEOJSON, ".json", GPX)
"""Suffixes of files whose formats know no other coordinates."""


def check_projectable(path: str | Path, crs: object) -> None:
    """Raise ``OptionError`` for a file whose format has degrees alone, where another system is asked for."""
    suffix = Path(path).suffix.lower()
    if crs is not None and suffix in DEGREES_ALONE:
        raise OptionError(f"{path}: a {suffix} file holds degrees alone: write {GEOPACKAGE}, or leave the system out")


def feature_collection(network: RoadNetwork, layers: Sequence[Layer]) -> str:
    """Return what is on a network's map as GeoJSON, with whom its licence asks to name."""
    features = [
        {"type": "Feature", "geometry": {"type": layer.geometry, "coordinates": coordinates}, "properties": facts}
        for layer in layers
        for coordinates, facts in layer.rows
    ]
    credit: dict[str, Any] = {"attribution": network.credit} if network.credit else {}
    return json.dumps({"type": "FeatureCollection", "name": network.name, **credit, "features": features}) + "\n"


def save_layers(network: RoadNetwork, layers: Sequence[Layer], path: str | Path, crs: object = None) -> None:
    """Write what is on a network's map: with the suffix ``.gpkg`` as a GeoPackage, with any other as GeoJSON.

    Raises ``OptionError`` for a system ``crs`` that there is not or that GeoJSON has not, and ``WriteError``.
    """
    check_projectable(path, crs)
    if Path(path).suffix.lower() == GEOPACKAGE:
        write_geopackage(path, layers, crs)
    else:
        write_text_whole(path, feature_collection(network, layers))
