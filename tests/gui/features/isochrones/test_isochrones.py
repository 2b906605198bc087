"""The land round roads: areas, outlines and borders against circles and lines whose figures are known."""

from __future__ import annotations

import csv
import json
import math
from io import StringIO
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.isochrones.field import ReachField, polygons, without_short_lines
from wayfront_gui.features.isochrones.layer import NO_LAND, Isochrones, geojson, table
from wayfront_gui.features.isochrones.state import Reach
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.raster import NEVER

SIDE, CELL = 201, 10.0


def lengths(segments: NDArray[np.float64]) -> float:
    return float(np.hypot(segments[:, 2] - segments[:, 0], segments[:, 3] - segments[:, 1]).sum())


@pytest.fixture
def cone() -> ReachField:
    """Distances from the middle of a square, in metres; the left half is nearest to source 0, the right one to 1."""
    at = (np.arange(SIDE) - SIDE // 2) * CELL
    x, y = np.meshgrid(at, at)
    distance = np.hypot(x, y)
    distance[distance > 950] = np.inf
    return ReachField(distance, np.where(x < 5, 0, 1).astype(np.int32), float(at[0]), float(at[0]), CELL)


def test_an_outline_of_a_cone_is_a_circle(cone: ReachField) -> None:
    segments = cone.outline(600.0)
    assert np.hypot(segments[:, 0], segments[:, 1]) == pytest.approx(600.0, abs=0.5)
    assert lengths(segments) == pytest.approx(2 * math.pi * 600, rel=0.01)
    assert cone.area_within(600.0) == pytest.approx(math.pi * 600**2, rel=0.01)


def test_the_end_of_the_land_is_no_outline(cone: ReachField) -> None:
    assert len(cone.outline(2000.0)) == 0
    assert (cone.bands([300, 600])[[100, 100, 100], [100, 150, 190]] == [0, 1, -1]).all()


def test_the_border_between_two_sources_is_where_both_are_as_near(cone: ReachField) -> None:
    (border,) = cone.borders(2)
    assert border[:, [0, 2]] == pytest.approx(5.0, abs=CELL)
    assert lengths(border) == pytest.approx(2 * 950, rel=0.03)
    assert cone.borders(1) == []


def test_isochrones_of_a_network_have_all_that_is_drawn(grid: RoadNetwork) -> None:
    rows = [make_result(grid, source).distances for source in (0, 100)]
    alone = Isochrones.of(Reach.of(grid, grid.metrics[0], (0,), rows[:1]), 300)
    assert not alone.several and alone.zones == () and len(alone.outlines) == len(alone.limits) == len(alone.bands)
    areas = [band.area_m2 for band in alone.bands]
    assert areas == sorted(areas) and areas[0] > 0
    inside = alone.colours.first_step == 0
    assert inside.sum() == alone.bands[-1].nodes and (alone.colours.first_step[~inside] == NEVER).all()
    rows_of_bands = np.unique(alone.colours.colour[inside])
    assert len(rows_of_bands) == len(alone.limits) and rows_of_bands.max() < NO_LAND

    both = Isochrones.of(Reach.of(grid, grid.metrics[0], (0, 100), rows))
    assert both.several and len(both.zones) == 2 and len(both.borders) == 1
    shown = both.colours.first_step == 0
    assert (both.colours.colour[shown] == both.reach.nearest[shown]).all()
    geometry = MapGeometry.of(grid)
    assert both.extent.width > geometry.bounds.width and both.extent.top > geometry.bounds.top
    assert set(np.unique(both.land).tolist()) == {0, 1, NO_LAND}


Float = NDArray[np.float64]


def square(middle: float, half: float, *, hole: bool = False) -> Float:
    """Return the sides of a square, with what is inside on their right; of a hole, what is round it."""
    corners = np.array([(-half, -half), (-half, half), (half, half), (half, -half), (-half, -half)]) + middle
    sides = np.array([[*a, *b] for a, b in pairwise(corners)])
    return sides[:, [2, 3, 0, 1]] if hole else sides


def turned(ring: Float) -> float:
    return float(np.sum(ring[:-1, 0] * ring[1:, 1] - ring[1:, 0] * ring[:-1, 1])) / 2


def test_holes_belong_to_the_smallest_ring_round_them() -> None:
    parts = [square(0, 10), square(0, 6, hole=True), square(0, 4), square(0, 1, hole=True), square(50, 3)]
    mixed = np.random.default_rng(5).permutation(np.concatenate(parts))
    found = sorted(polygons(mixed), key=lambda rings: -turned(rings[0]))
    assert [[round(turned(ring)) for ring in rings] for rings in found] == [[400, -144], [64, -4], [36]]
    assert all((ring[0] == ring[-1]).all() for rings in found for ring in rings)
    assert polygons(mixed[:-1])[0][0].shape == (5, 2), "a line that is not closed borders nothing"


def test_short_lines_are_left_out_whether_they_are_closed_or_not() -> None:
    line = np.array([[x, 0.0, x + 1.0, 0.0] for x in range(100, 130)])
    segments = np.concatenate([square(0, 10), square(40, 1), line, line[:5] + np.array([0.0, 9.0, 0.0, 9.0])])
    mixed = np.random.default_rng(3).permutation(segments)
    kept = without_short_lines(mixed, 20.0)
    assert len(kept) == 4 + 30 and (kept[:, 1] != 9.0).all() and not ((kept > 30) & (kept < 50)).any()
    assert without_short_lines(np.zeros((0, 4)), 1.0).shape == (0, 4)


@pytest.mark.parametrize("sources", [(0,), (0, 100)])
def test_isochrones_are_written_as_areas_and_as_a_table(grid: RoadNetwork, sources: tuple[int, ...]) -> None:
    rows = [make_result(grid, source).distances for source in sources]
    found = Isochrones.of(Reach.of(grid, grid.metrics[0], sources, rows), 300)
    written = json.loads(geojson(found))
    features = [(each["properties"], each["geometry"]) for each in written["features"]]
    bands = [each for each in features if each[0]["kind"] == "band"]
    assert [facts["within"] for facts, _ in bands] == [float(limit) for limit in reversed(found.limits)]
    zones = [facts["source"] for facts, _ in features if facts["kind"] == "zone"]
    assert zones == [100, 200][: len(found.zones)] and len(found.zones) in (0, 2)
    points = [geometry["coordinates"] for facts, geometry in features if facts["kind"] == "source"]
    assert grid.coordinates is not None and points == [(grid.coordinates[node] / 1e6).tolist() for node in sources]

    middle, metres = 49.004, 111_195.0  # in a degree of latitude
    for facts, geometry in bands:
        area = sum(turned(np.array(ring)) for rings in geometry["coordinates"] for ring in rings)
        area *= metres**2 * np.cos(np.radians(middle))
        assert area == pytest.approx(facts["area_m2"], rel=0.12), "the outline has about the area of its cells"
    lines = list(csv.DictReader(StringIO(table(found))))
    assert [line["kind"] for line in lines] == ["zone"] * len(found.zones) + ["band"] * len(found.bands)
    assert int(lines[-1]["nodes"]) == found.bands[-1].nodes and lines[-1]["unit"] == "m"
