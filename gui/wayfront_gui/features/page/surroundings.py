"""What a page holds of what lies round the roads: their names, places, water, parks and woods. No Qt.

The heading has ``kinds``, and ``places``: kind, name, x and y in metres of the plane, and size of all that have a
name. ``web/src/names.ts`` and ``web/src/land.ts`` lay them out as the window does.

    road name        of each named road: which of the heading's ``road_names`` it has
    road rank        its class, a byte
    road points      how many points it has
    road x, road y   of each of these, in units, less those of the point before; signed
    area kind        of each area or line: its kind, a byte
    area size        square metres of its largest outline, or metres of a line
    area rings       how many outlines it has
    ring points      how many points each of these has
    ring x, ring y   as of roads, in units of ``COARSER`` of the heading's
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.details import AREAS, KINDS, LINES
from wayfront_gui.features.page.coding import differences, signed, varints
from wayfront_gui.map.geometry import Extent, MapGeometry, Plane
from wayfront_gui.map.labels import LOOKS, NamedRoads

if TYPE_CHECKING:
    from wayfront.network.details import Surroundings
    from wayfront.network.road_network import RoadNetwork
    from wayfront_gui.features.page.content import Grid

COARSER = 4
"""Outlines are laid thinly over roads: they need not be as exact."""
_AROUND = 0.5
"""How far beyond the roads what lies round them is there, as a share of the map's longer side."""


def surroundings_of(network: RoadNetwork, grid: Grid) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what heading and sections have of a network's surroundings."""
    roads, named = _roads(network, grid)
    around = network.surroundings
    bounds = MapGeometry.of(network).bounds
    seen = bounds.grown(_AROUND * max(bounds.width, bounds.height))
    found = {} if around is None else dict(_areas(around, Plane.of(network), grid, seen))
    rings = found.pop("rings", b"")
    heading = {
        "kinds": list(KINDS),
        "places": [] if around is None else list(_places(around, Plane.of(network), seen)),
        "road_names": named,
        "named_roads": len(roads.pop("road", b"")),
        "areas": len(found.get("area kind", b"")),
        "rings": len(rings),
    }
    return heading, roads | found


def _roads(network: RoadNetwork, grid: Grid) -> tuple[dict[str, bytes], list[str]]:
    """Return the sections of named roads, with "road" as long as there are roads, and the names that they have."""
    names = network.road_names
    if names is None or network.road_class is None:
        return {}, []
    geometry = MapGeometry.of(network)
    roads = NamedRoads.of(network, geometry)
    used, name = np.unique(roads.name, return_inverse=True)
    x, y = grid.put(geometry.x[roads.points], geometry.y[roads.points])
    sections = {
        "road": bytes(len(roads)),
        "road name": varints(name),
        "road rank": roads.rank.tobytes(),
        "road points": varints(np.diff(roads.offsets)),
        "road x": varints(signed(differences(x))),
        "road y": varints(signed(differences(y))),
    }
    return sections, [names.names[index] for index in used.tolist()]


def _places(around: Surroundings, plane: Plane, seen: Extent) -> Iterator[tuple[int, str, float, float, int]]:
    """Yield what has a name."""
    x, y = plane.project(around.position)
    inside = (x >= seen.left) & (x <= seen.right) & (y >= seen.bottom) & (y <= seen.top)
    for index in np.flatnonzero(inside).tolist():
        if around.names[index] and KINDS[around.kind[index]] in LOOKS:
            at = round(float(x[index]), 1), round(float(y[index]), 1)
            yield int(around.kind[index]), around.names[index], *at, int(around.size[index])


def _areas(around: Surroundings, plane: Plane, grid: Grid, seen: Extent) -> Iterator[tuple[str, bytes]]:
    """Yield the sections of areas and lines near the roads, with "rings" as long as there are outlines."""
    if not len(around.points):
        return
    x, y = plane.project(around.points)
    inside = (x >= seen.left) & (x <= seen.right) & (y >= seen.bottom) & (y <= seen.top)
    met = np.concatenate([[0], np.cumsum(inside)])[around.offsets]
    of_ring = np.repeat(np.arange(len(around)), np.diff(around.outlines))
    kinds = np.isin(around.kind, [KINDS.index(kind) for kind in (*AREAS, *LINES)])
    near = np.zeros(len(around), np.bool_)
    near[of_ring[np.diff(met) > 0]] = True
    chosen = np.flatnonzero(kinds & near)
    rings = np.flatnonzero(np.isin(of_ring, chosen))
    columns, rows = (side // COARSER for side in grid.put(x, y))
    kept = _differing(columns, rows, around.offsets)
    counts = np.diff(np.concatenate([[0], np.cumsum(kept)])[around.offsets])[rings]
    points = np.flatnonzero(kept & np.isin(_owners(around.offsets), rings))
    yield "rings", bytes(len(rings))
    yield "area kind", around.kind[chosen].tobytes()
    yield "area size", varints(around.size[chosen])
    yield "area rings", varints(np.bincount(np.searchsorted(chosen, of_ring[rings]), minlength=len(chosen)))
    yield "ring points", varints(counts)
    yield "ring x", varints(signed(differences(columns[points])))
    yield "ring y", varints(signed(differences(rows[points])))


def _owners(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def _differing(x: NDArray[np.int64], y: NDArray[np.int64], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which points are not where the one before is; the first of each outline always counts."""
    kept = (np.diff(x, prepend=x[0] - 1) != 0) | (np.diff(y, prepend=y[0] - 1) != 0)
    kept[offsets[:-1][np.diff(offsets) > 0]] = True
    return kept
