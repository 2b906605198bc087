"""Files of depots: the candidates with the figures of the best choices, as points (GeoJSON) or a table (CSV). No Qt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_text
from wayfront_gui.features.depots.state import DepotsFound

GEOJSON, CSV = ".geojson", ".csv"


def write_depots(found: DepotsFound, path: Path) -> None:
    """Write candidates as ``.geojson``, or with any other suffix as a table. Raises ``WriteError``."""
    write_text_whole(path, geojson(found) if path.suffix.lower() == GEOJSON else csv_text(rows(found)))


def rows(found: DepotsFound) -> list[dict[str, Any]]:
    """Return a row for each depot of each best choice, and one for every other candidate."""
    network, scale, chosen = found.network, found.metric.scale, set[int]()
    written: list[dict[str, Any]] = []
    for (count, aim), depots in found.best.items():
        for node in depots.nodes:
            chosen.add(node)
            mean, largest = depots.mean(network.node_count) * scale, depots.largest * scale
            figures = {"mean": mean, "largest": largest, "unit": found.metric.unit, "unreached": depots.unreached}
            written.append({**_node(found, node), "depots": count, "aim": str(aim), **figures})
    others = [_node(found, node) for node in found.candidates if node not in chosen]
    return [*written, *others]


def _node(found: DepotsFound, node: int) -> dict[str, Any]:
    coordinates = found.network.coordinates
    x, y = (None, None) if coordinates is None else (coordinates[node] / 1e6).tolist()
    return {"node": int(found.network.node_ids[node]), "name": found.name(node), "x": x, "y": y}


def geojson(found: DepotsFound) -> str:
    """Return the rows as points, of a network that has coordinates."""
    features = [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [row.pop("x"), row.pop("y")]},
            "properties": row,
        }
        for row in rows(found)
    ]
    credit = {"attribution": found.network.credit} if found.network.credit else {}
    return json.dumps({"type": "FeatureCollection", "name": found.network.name, **credit, "features": features}) + "\n"
