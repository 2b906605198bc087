"""Files of depots: the candidates with the figures of the best choices, as points or a table (CSV). No Qt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from wayfront.network.geopackage import GEOPACKAGE, Layer
from wayfront.results.layers import GEOJSON, save_layers
from wayfront.safe.files import write_text_whole
from wayfront.safe.text import csv_text
from wayfront_gui.features.depots.state import DepotsFound

CSV = ".csv"


def write_depots(found: DepotsFound, path: Path) -> None:
    """Write candidates as ``.geojson`` or ``.gpkg``, or with any other suffix as a table. Raises ``WriteError``."""
    if path.suffix.lower() in (GEOJSON, GEOPACKAGE):
        save_layers(found.network, layers(found), path)
    else:
        write_text_whole(path, csv_text(rows(found)))


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


def layers(found: DepotsFound) -> list[Layer]:
    """Return the rows as points, of a network that has coordinates."""
    placed = [([row.pop("x"), row.pop("y")], row) for row in rows(found)]
    return [Layer("depots", "Point", placed, found.network.credit)]
