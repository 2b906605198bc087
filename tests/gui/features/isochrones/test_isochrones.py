"""The land round roads: areas, outlines and borders against circles and lines whose figures are known."""

from __future__ import annotations

import csv
import json
import math
from io import StringIO

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.isochrones.field import ReachField
from wayfront_gui.features.isochrones.layer import (
    NO_LAND,
    SHORTEST_CELLS,
    Isochrones,
    geojson,
    segments_worth_drawing,
    table,
)
from wayfront_gui.features.isochrones.state import Reach
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.raster import NEVER

SIDE, CELL = 201, 10.0


Float = NDArray[np.float64]


def lengths(lines: list[Float]) -> float:
    return sum(float(np.hypot(*np.diff(line, axis=0).T).sum()) for line in lines)


@pytest.fixture
def cone() -> ReachField:
    """Distances from the middle of a square, in metres; the left half is nearest to source 0, the right one to 1."""
    at = (np.arange(SIDE) - SIDE // 2) * CELL
    x, y = np.meshgrid(at, at)
    distance = np.hypot(x, y)
    distance[distance > 950] = np.inf
    return ReachField(distance, np.where(x < 5, 0, 1).astype(np.int32), float(at[0]), float(at[0]), CELL)


def test_an_outline_of_a_cone_is_a_circle(cone: ReachField) -> None:
    (line,) = cone.outline(600.0)
    assert np.hypot(*line.T) == pytest.approx(600.0, abs=0.5)
    assert lengths([line]) == pytest.approx(2 * math.pi * 600, rel=0.01)
    assert cone.area_within(600.0) == pytest.approx(math.pi * 600**2, rel=0.01)


def test_the_end_of_the_land_is_no_outline(cone: ReachField) -> None:
    assert len(cone.outline(2000.0)) == 0
    assert (cone.bands([300, 600])[[100, 100, 100], [100, 150, 190]] == [0, 1, -1]).all()


def test_the_border_between_two_sources_is_where_both_are_as_near(cone: ReachField) -> None:
    (border,) = cone.borders(2)
    assert np.concatenate(border)[:, 0] == pytest.approx(5.0, abs=CELL)
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


def turned(ring: Float) -> float:
    return float(np.sum(ring[:-1, 0] * ring[1:, 1] - ring[1:, 0] * ring[:-1, 1])) / 2


def test_areas_are_outer_rings_with_their_holes_and_islands_in_these() -> None:
    at = (np.arange(SIDE) - SIDE // 2) * CELL
    away = np.maximum(*np.abs(np.meshgrid(at, at)))
    known = (away < 905) & ~((away > 405) & (away < 595)) & (away > 95)
    field = ReachField(np.where(known, away, np.inf), np.zeros((SIDE, SIDE), np.int32), at[0], at[0], CELL)
    found = sorted(field.within(2000.0), key=lambda rings: -turned(rings[0]))
    sides = [[np.sign(turned(ring)) * np.sqrt(abs(turned(ring))) for ring in rings] for rings in found]
    assert sides == [pytest.approx([1820, -1180], rel=0.02), pytest.approx([820, -180], rel=0.06)]
    assert all((ring[0] == ring[-1]).all() for rings in found for ring in rings)
    assert field.within(50.0) == [] and field.outline(2000.0) == []


def test_short_lines_are_left_out_whether_they_are_closed_or_not(cone: ReachField) -> None:
    ring = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], np.float64)
    length = SHORTEST_CELLS * CELL
    lines = [ring * (length / 4), ring * (length / 5), np.array([(0, 9), (length / 2, 9), (length, 9)]), ring[:2]]
    assert segments_worth_drawing(cone, lines)[:, [1, 3]].tolist() == [
        *([0, 0], [0, length / 4], [length / 4, length / 4], [length / 4, 0]),
        *([9, 9], [9, 9]),
    ]
    assert segments_worth_drawing(cone, []).shape == (0, 4)


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
