"""The land beside lines: areas, outlines, zones and their borders against figures that are known."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from wayfront.network.schema import offsets_of
from wayfront.results.isochrones.field import Area, PlacedLines, RoadField, ZoneField
from wayfront.results.isochrones.plane import EqualAreaPlane

PLANE = EqualAreaPlane(8.0, 47.0)
WIDTH = 100.0


def placed(*lines: list[tuple[float, float]]) -> PlacedLines:
    x, y = np.concatenate([np.array(line, np.float64) for line in lines]).T
    return PlacedLines(PLANE, x, y, offsets_of(np.array([len(line) for line in lines])))


def polygons(area: Area) -> shapely.MultiPolygon:
    return shapely.MultiPolygon([(rings[0], rings[1:]) for rings in area.nested(area.points)])


def square(side: float) -> list[tuple[float, float]]:
    return [(-side, -side), (side, -side), (side, side), (-side, side), (-side, -side)]


def test_areas_are_outer_rings_with_their_holes_and_islands_in_these() -> None:
    field = RoadField(placed(square(900), square(500)), WIDTH, "of squares")
    field.add(np.array([True, True]))
    area = field.level().area()
    parts = sorted(area.nested(area.points), key=lambda rings: -np.ptp(rings[0]))
    assert [len(rings) for rings in parts] == [2, 2]
    signed = [[shapely.LinearRing(ring).is_ccw for ring in rings] for rings in parts]
    assert signed == [[True, False], [True, False]], "as RFC 7946 wants them"
    truth = shapely.union_all([shapely.LinearRing(square(side)).buffer(WIDTH) for side in (900, 500)])
    assert area.square_metres == pytest.approx(truth.area, rel=0.005)
    assert polygons(area).is_valid and polygons(area).hausdorff_distance(truth) < WIDTH / 5


def test_land_has_an_outline_only_where_roads_go_on() -> None:
    field = RoadField(placed([(0, 0), (1000, 0)], [(1000, 0), (3000, 0)]), WIDTH, "of a road")
    field.add(np.array([True, False]))
    near = field.level()
    field.add(np.array([False, True]))
    far = field.level()
    (line,) = near.outline(far)
    assert line[:, 0].min() > 1000 and np.abs(line[:, 1]).max() < WIDTH
    assert far.outline(far) == []
    ring = far.without(near).area()
    assert ring.square_metres == pytest.approx(2000 * 2 * WIDTH, rel=0.02)


def test_zones_meet_where_both_roads_are_as_near_and_are_all_of_the_land() -> None:
    lines = placed([(-500, 0), (500, 0)], [(-500, 120), (500, 120)], [(900, 0), (900, 50)])
    zones = ZoneField(lines, np.array([0, 1, 2], np.int32), 3, WIDTH, "of roads")
    areas = [polygons(zones.level(zone).area()) for zone in range(3)]
    truth = shapely.union_all([shapely.LineString([(-500, y), (500, y)]).buffer(WIDTH) for y in (0, 120)])
    assert areas[0].area == pytest.approx(areas[1].area, rel=0.01)
    assert areas[0].area + areas[1].area == pytest.approx(truth.area, rel=0.01)
    assert areas[0].intersection(areas[1]).area < 1e-6
    border = np.concatenate(zones.border(0))
    assert border[:, 1] == pytest.approx(60.0, abs=1.0) and np.ptp(border[:, 0]) > 1000
    assert zones.border(2) == [], "land ends round it"
    between = RoadField(lines, WIDTH, "of roads")
    between.add(np.array([False, False, True]))
    assert areas[2].symmetric_difference(polygons(between.level().area())).area < 1e-6


@pytest.mark.parametrize("points", [[(0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)]])
def test_a_point_alone_has_a_disc(points: list[tuple[float, float]]) -> None:
    field = RoadField(placed(points), WIDTH, "of a point")
    field.add(np.array([True]))
    assert field.level().area().square_metres == pytest.approx(np.pi * WIDTH**2, rel=0.015)


def test_nothing_has_no_land() -> None:
    field = RoadField(PlacedLines(PLANE, np.zeros(0), np.zeros(0), np.zeros(1, np.int64)), WIDTH, "of nothing")
    field.add(np.zeros(0, np.bool_))
    assert field.level().area().square_metres == 0 and field.level().outline(field.level()) == []


def test_far_ends_of_the_plane_come_back() -> None:
    random = np.random.default_rng(3)
    for latitude in (-80.0, 0.0, 65.0, 89.9):
        plane = EqualAreaPlane(170.0, latitude)
        there: NDArray[np.float64] = random.uniform(-3e6, 3e6, (2, 50))
        x, y = plane.project(*plane.degrees(*there))
        assert x == pytest.approx(there[0], abs=0.01) and y == pytest.approx(there[1], abs=0.01)
