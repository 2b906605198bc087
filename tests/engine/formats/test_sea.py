"""The sea of OpenStreetMap files: areas made of coastlines, which have the water on their right."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from wayfront.formats.osm.lines import Line
from wayfront.formats.osm.sea import clipped, sea_round, within
from wayfront.network.details import KINDS, Surroundings
from wayfront.opening import open_network

XY = tuple[float, float]
TOWN = np.array([(10.0 + x / 100, 50.0 + y / 100) for x in range(11) for y in range(11)])
"""Nodes of roads, a tenth of a degree wide."""
COAST: list[XY] = [(9.99, 50.1), (9.98, 50.07), (9.99, 50.03), (9.99, 50.0)]
"""West of the town, from north to south: the sea is in the west. It ends where the data do."""
ISLE: list[XY] = [(9.95, 50.04), (9.96, 50.04), (9.96, 50.05), (9.95, 50.05), (9.95, 50.04)]
"""Counterclockwise, so with water round it."""


def line(points: list[XY], first: int, last: int) -> Line:
    return Line(first, last, np.rint(np.array(points) * 1e6).astype(np.int32))


def sea(*coasts: Line, nodes: NDArray[np.float64] = TOWN) -> list[NDArray[np.float64]]:
    return [outline / 1e6 for outline in sea_round(coasts, np.rint(nodes * 1e6).astype(np.int32))]


def wet(outlines: list[NDArray[np.float64]], *points: XY) -> list[bool]:
    return within(np.array(points), outlines).tolist()


def test_the_sea_is_on_the_right_of_a_coastline_and_goes_on_beyond_the_data() -> None:
    found = sea(line(COAST, 1, 2))
    assert wet(found, (9.95, 50.05), (9.975, 50.07), (9.985, 50.07), (10.05, 50.05)) == [True, True, False, False]
    assert wet(found, (9.95, 50.15), (9.95, 49.95), (10.05, 50.15)) == [True, True, False]


def test_an_island_is_dry_and_a_ring_on_land_is_not_one() -> None:
    inland = [(x + 0.1, y) for x, y in ISLE]
    found = sea(line(COAST, 1, 2), line(ISLE, 3, 3), line(inland, 4, 4))
    assert wet(found, (9.955, 50.045), (9.94, 50.045), (10.055, 50.045)) == [False, True, False]


def test_round_an_island_there_is_sea_on_all_sides() -> None:
    shore = [(9.99, 49.99), (10.11, 49.99), (10.11, 50.11), (9.99, 50.11), (9.99, 49.99)]
    found = sea(line(shore, 1, 1))
    assert wet(found, (10.05, 50.05), (9.98, 50.05), (10.05, 50.19), (10.19, 49.91)) == [False, True, True, True]


def test_a_ring_that_runs_clockwise_is_water() -> None:
    pond = [(x + 0.052, y) for x, y in reversed(ISLE)]
    assert wet(sea(line(pond, 1, 1)), (10.007, 50.045), (10.05, 50.05)) == [True, False]


def test_coastlines_are_joined_by_their_direction() -> None:
    upper, lower = line(COAST[:2], 1, 5), line(COAST[1:], 5, 2)
    assert wet(sea(lower, upper), (9.95, 50.05), (10.05, 50.05)) == [True, False]


def test_a_strait_is_between_two_coastlines() -> None:
    opposite = [(x - 0.03, y) for x, y in reversed(COAST)]
    found = sea(line(COAST, 1, 2), line(opposite, 3, 4))
    assert wet(found, (9.94, 50.02), (9.97, 50.02), (10.05, 50.05)) == [False, True, False]


@pytest.mark.parametrize(
    "coasts",
    [
        [line(COAST[::-1], 1, 2)],  # the town would lie in the sea
        [line(COAST, 1, 2), line([(x - 0.03, y) for x, y in COAST], 3, 4)],  # two seas without land between them
        [line([(9.99, 50.1), (9.98, 50.06)], 1, 2), line([(9.95, 50.04), (9.99, 50.04)], 3, 4)],  # would go on across
        [line([(9.0, 49.0), (9.0, 51.0)], 1, 2)],  # far away
        [],
    ],
)
def test_broken_coastlines_make_no_sea(coasts: list[Line]) -> None:
    assert sea(*coasts) == []


def test_a_bridge_may_cross_the_sea_and_a_town_may_not_lie_in_it() -> None:
    bridge = np.column_stack([np.linspace(9.95, 9.98, 5), np.full(5, 50.05)])
    assert sea(line(COAST, 1, 2), nodes=np.concatenate([TOWN, bridge]))
    assert not sea(line(COAST, 1, 2), nodes=np.concatenate([TOWN, bridge, TOWN - np.array([0.05, 0])]))


def test_a_line_is_clipped_at_a_box() -> None:
    box = (0.0, 0.0, 10.0, 10.0)
    crossing = clipped(np.array([(-5.0, 5.0), (5.0, 5.0), (5.0, 15.0), (8.0, 15.0), (8.0, -1.0)]), box)
    assert [piece.tolist() for piece in crossing] == [[[0, 5], [5, 5], [5, 10]], [[8, 10], [8, 0]]]
    ring = clipped(np.array([(5.0, 5.0), (15.0, 5.0), (15.0, 6.0), (5.0, 6.0), (5.0, 5.0)]), box)
    assert [piece.tolist() for piece in ring] == [[[10, 6], [5, 6], [5, 5], [10, 5]]]
    assert clipped(np.array([(-5.0, 5.0), (-1.0, 20.0)]), box) == []


def test_points_are_within_an_odd_number_of_outlines() -> None:
    square = np.array([(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0), (0.0, 0.0)])
    outlines = [square + np.array([k, 0]) for k in range(3)]
    points = np.random.default_rng(3).uniform(-1, 12, (500, 2))
    inside = sum(((points >= [k, 0]) & (points <= [k + 9, 9])).all(axis=1).astype(int) for k in range(3))
    assert (within(points, outlines) == (inside % 2 == 1)).all()


def osm_file(folder: Path, form: str, missing: int | None = None) -> Path:
    """Write the town as two roads, and the coast as a way of which a node may be missing."""
    places = dict(enumerate([*TOWN[:11].tolist(), *COAST], 1))
    ways = {1: (list(range(1, 12)), {"highway": "residential"}), 2: ([12, 13, 14, 15], {"natural": "coastline"})}
    located = {node: xy for node, xy in places.items() if node != missing}
    if form == "json":
        path = folder / "coast.json"
        elements = [{"type": "node", "id": i, "lon": x, "lat": y} for i, (x, y) in located.items()]
        lines = [{"type": "way", "id": way, "nodes": refs, "tags": tags} for way, (refs, tags) in ways.items()]
        path.write_text(json.dumps({"version": 0.6, "osm3s": {}, "elements": [*elements, *lines]}))
        return path
    path = folder / "coast.osm"
    nodes = "".join(f'<node id="{i}" lon="{x:.7f}" lat="{y:.7f}"/>' for i, (x, y) in located.items())
    roads = "".join(
        f'<way id="{way}">{"".join(f"<nd ref={chr(34)}{ref}{chr(34)}/>" for ref in refs)}'
        + "".join(f'<tag k="{key}" v="{value}"/>' for key, value in tags.items())
        + "</way>"
        for way, (refs, tags) in ways.items()
    )
    path.write_text(f'<osm version="0.6">{nodes}{roads}</osm>')
    return path


def waters(around: Surroundings | None) -> list[NDArray[np.float64]]:
    assert around is not None
    (feature,) = np.flatnonzero(around.kind == KINDS.index("water"))
    rings = range(around.outlines[feature], around.outlines[feature + 1])
    return [around.points[around.offsets[ring] : around.offsets[ring + 1]] / 1e6 for ring in rings]


@pytest.mark.parametrize("form", ["osm", "json"])
@pytest.mark.parametrize("missing", [None, 15])
def test_files_have_a_sea_and_keep_it(
    form: str, missing: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    path = osm_file(tmp_path, form, missing)
    for _ in range(2):  # the second time from the cache
        around = open_network(path).surroundings
        assert wet(waters(around), (9.95, 50.05), (10.0, 50.05)) == [True, False]
        assert around is not None
        assert around.count(("coast",)) == 0  # it is the sea's border
        assert around.size[around.kind == KINDS.index("water")] > 1e6
