"""A map on which a left turn is forbidden, so that the way into North Lane leads round the block and across."""

from __future__ import annotations

import json
from pathlib import Path

PLACES = {1: (0, 1), 2: (1, 1), 3: (2, 1), 5: (1, 2), 6: (2, 0), 7: (1, 0)}
"""Nodes in units of 100 m east and north."""
WAYS = {
    10: ([1, 2], "Long Road"),
    11: ([2, 3], "Long Road"),
    12: ([3, 6], "East Street"),
    13: ([6, 7], "South Street"),
    14: ([7, 2], "Cross Street"),
    15: ([2, 5], "North Lane"),
}


def write_map(folder: Path, *restrictions: tuple[str, int, int, int]) -> Path:
    """Write the map as an Overpass answer with restrictions, by default of the left turn: kind, from, via node, to."""
    made = [{"type": "node", "id": node, "lon": 8 + x / 700, "lat": 50 + y / 1100} for node, (x, y) in PLACES.items()]
    for way, (nodes, name) in WAYS.items():
        made.append({"type": "way", "id": way, "nodes": nodes, "tags": {"highway": "residential", "name": name}})
    for number, (kind, origin, via, end) in enumerate(restrictions or (("no_left_turn", 10, 2, 15),), 100):
        members = [("way", origin, "from"), ("node", via, "via"), ("way", end, "to")]
        made.append(
            {
                "type": "relation",
                "id": number,
                "tags": {"type": "restriction", "restriction": kind},
                "members": [{"type": each, "ref": ref, "role": role} for each, ref, role in members],
            }
        )
    path = folder / "block.json"
    path.write_text(json.dumps({"version": 0.6, "elements": made}))
    return path
