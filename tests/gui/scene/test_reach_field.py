"""The land round roads: areas, outlines and borders against circles and lines whose figures are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.model.isochrones import Reach
from wayfront_gui.scene.geometry import MapGeometry
from wayfront_gui.scene.isochrones import NO_LAND, Isochrones
from wayfront_gui.scene.raster import NEVER
from wayfront_gui.scene.reach_field import ReachField

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
