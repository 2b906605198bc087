"""The land round roads: areas, outlines and borders against circles and lines whose figures are known."""

from __future__ import annotations

import csv
import json
import math
from io import StringIO
from itertools import pairwise
from pathlib import Path

import geopandas
import numpy as np
import pandas
import pytest
import shapely
from numpy.typing import NDArray
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront.safe.text import csv_text
from wayfront_gui.features.isochrones import files
from wayfront_gui.features.isochrones.field import Areas, ReachField, square_metres
from wayfront_gui.features.isochrones.files import Bands, geojson, write_isochrones
from wayfront_gui.features.isochrones.layer import (
    FILL_ALPHA,
    LAST_ROW,
    SHORTEST_CELLS,
    Isochrones,
    row_colours,
    segments_worth_drawing,
)
from wayfront_gui.features.isochrones.state import Reach
from wayfront_gui.map.ground import backdrop_picture, backdrops
from wayfront_gui.map.offscreen import camera_for
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style

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
    ((line,),) = cone.outlines([600.0])
    assert np.hypot(*line.T) == pytest.approx(600.0, abs=1.0)
    assert lengths([line]) == pytest.approx(2 * math.pi * 600, rel=0.01)
    (areas,) = cone.within([600.0])
    assert square_metres(areas) == pytest.approx(math.pi * 600**2, rel=0.01)


def test_the_end_of_the_land_is_no_outline(cone: ReachField) -> None:
    assert cone.outlines([2000.0]) == [[]]
    ((disc,),) = cone.within([2000.0])
    assert square_metres([disc]) == pytest.approx(math.pi * 950**2, rel=0.01)


def test_zones_share_their_border_and_are_all_of_the_land(cone: ReachField) -> None:
    left, right = cone.zones(2)
    assert square_metres(left) == pytest.approx(square_metres(right), rel=0.03)
    assert square_metres(left) + square_metres(right) == pytest.approx(math.pi * 950**2, rel=0.01)
    assert max(ring[:, 0].max() for ring in left[0]) == pytest.approx(5.0, abs=CELL)
    assert cone.zones(1) == []


def test_what_is_within_less_is_within_more_and_specks_are_left_out(cone: ReachField) -> None:
    random = np.random.default_rng(5)
    rough = ReachField(
        cone.distance + random.normal(0, 60, cone.distance.shape), cone.zone, cone.left, cone.bottom, CELL
    )
    inner, outer = (shapely.MultiPolygon([(area[0], area[1:]) for area in areas]) for areas in rough.within([400, 500]))
    assert inner.is_valid and outer.is_valid and inner.within(outer.buffer(1e-6))
    assert min(shapely.Polygon(ring).area for part in outer.geoms for ring in part.interiors) >= 4 * CELL**2


def test_the_border_between_two_sources_is_where_both_are_as_near(cone: ReachField) -> None:
    (border,) = cone.borders(2)
    assert np.concatenate(border)[:, 0] == pytest.approx(5.0, abs=CELL)
    assert lengths(border) == pytest.approx(2 * 950, rel=0.03)
    assert cone.borders(1) == []


def test_isochrones_of_a_network_have_all_that_is_drawn(grid: RoadNetwork) -> None:
    rows = [make_result(grid, source).distances for source in (0, 100)]
    alone = Isochrones.of(Reach.of(grid, grid.metrics[0], (0,), rows[:1]), 300)
    assert (
        not alone.several and alone.zones == () and len(alone.outlines) == len(alone.found.limits) == len(alone.bands)
    )
    areas = [band.area_m2 for band in alone.bands]
    assert areas == sorted(areas) and areas[0] > 0
    inside = alone.colours.first_step == 0
    assert inside.sum() == alone.bands[-1].nodes and (alone.colours.first_step[~inside] == NEVER).all()
    rows_of_bands = np.unique(alone.colours.colour[inside])
    assert len(rows_of_bands) == len(alone.found.limits) and rows_of_bands.max() <= LAST_ROW

    both = Isochrones.of(Reach.of(grid, grid.metrics[0], (0, 100), rows))
    assert both.several and len(both.zones) == 2 and len(both.borders) == 1
    shown = both.colours.first_step == 0
    assert (both.colours.colour[shown] == both.reach.nearest[shown]).all()
    assert len(both.found.zone_areas) == 2 and (shown == (both.reach.nearest >= 0)).all()


def turned(ring: Float) -> float:
    return float(np.sum(ring[:-1, 0] * ring[1:, 1] - ring[1:, 0] * ring[:-1, 1])) / 2


def test_areas_are_outer_rings_with_their_holes_and_islands_in_these() -> None:
    at = (np.arange(SIDE) - SIDE // 2) * CELL
    away = np.maximum(*np.abs(np.meshgrid(at, at)))
    known = (away < 905) & ~((away > 405) & (away < 595)) & (away > 95)
    field = ReachField(np.where(known, away, np.inf), np.zeros((SIDE, SIDE), np.int32), at[0], at[0], CELL)
    (areas,) = field.within([2000.0])
    found = sorted(areas, key=lambda rings: -turned(rings[0]))
    sides = [[np.sign(turned(ring)) * np.sqrt(abs(turned(ring))) for ring in rings] for rings in found]
    assert sides == [pytest.approx([1820, -1180], rel=0.02), pytest.approx([820, -180], rel=0.06)]
    assert all((ring[0] == ring[-1]).all() for rings in found for ring in rings)
    assert field.within([50.0]) == [[]] and field.outlines([2000.0]) == [[]]


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
    found = Bands.of(Reach.of(grid, grid.metrics[0], sources, rows), 300)
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
        assert area == pytest.approx(facts["area_m2"], rel=0.01)
    lines = list(csv.DictReader(StringIO(csv_text(files.rows(found)))))
    assert [line["kind"] for line in lines] == ["zone"] * len(found.zones) + ["band"] * len(found.bands)
    assert int(lines[-1]["nodes"]) == found.bands[-1].nodes and lines[-1]["unit"] == "m"


@pytest.mark.parametrize("sources", [(0,), (0, 100)])
@pytest.mark.parametrize("suffix", [".geojson", ".gpkg"])
def test_other_programs_read_valid_areas(
    grid: RoadNetwork, sources: tuple[int, ...], suffix: str, tmp_path: Path
) -> None:
    rows = [make_result(grid, source).distances for source in sources]
    found = Bands.of(Reach.of(grid, grid.metrics[0], sources, rows), 300)
    path = tmp_path / f"near{suffix}"
    write_isochrones(found, path)
    layers = [geopandas.read_file(path, layer=name) for name in geopandas.list_layers(path)["name"]]
    frame = geopandas.GeoDataFrame(pandas.concat(layers, ignore_index=True))
    assert frame.crs.to_epsg() == 4326 and frame.geometry.is_valid.all()
    assert frame["kind"].tolist() == ["band"] * len(found.bands) + ["zone"] * len(found.zones) + ["source"] * len(
        sources
    )
    bands = frame[frame["kind"] == "band"]
    assert set(bands.geom_type) == {"MultiPolygon"}
    assert bands["within"].tolist() == [float(limit) for limit in reversed(found.limits)]
    assert bands["nodes"].tolist() == [band.nodes for band in reversed(found.bands)]
    for nearer, farther in pairwise(reversed(bands.geometry.tolist())):
        assert nearer.within(farther.buffer(1e-7))
    zones = frame[frame["kind"] == "zone"].geometry.tolist()
    if zones:
        assert zones[0].intersection(zones[1]).area < 1e-3 * zones[0].area


def test_areas_are_drawn_by_what_they_are(grid: RoadNetwork, qapp: object) -> None:
    """A band has its colour and a hole none, and a picture of the finished tree shows bands while a film does not."""
    result = make_result(grid, 0)
    scene = Scene.of_result(result, Style("dark"))
    scene.mode = "tree"
    isochrones = Isochrones.of(Reach.of(grid, grid.metrics[0], (0,), [result.distances]), 300)
    scene.put(isochrones)
    camera = camera_for(scene, 400, 300)
    image = backdrop_picture(backdrops(scene), camera, 1.0)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(300, 400, 4)
    for areas, nearer, colour in zip(
        isochrones.found.areas,
        ([], *isochrones.found.areas),
        row_colours(scene.style, len(isochrones.bands), 0),
        strict=False,
    ):
        band = polygon(areas) - polygon(nearer)
        inner = band.buffer(-4 / camera.scale)
        if inner.is_empty:
            continue
        column, row = camera.to_pixels(*inner.representative_point().coords[0])
        blue, green, red, alpha = (int(part) for part in pixels[int(row), int(column)])
        assert alpha == FILL_ALPHA
        wanted = [part * alpha / 255 for part in (colour.blue(), colour.green(), colour.red())]
        assert [blue, green, red] == pytest.approx(wanted, abs=2)
    assert pixels[0, 0].tolist() == [0, 0, 0, 0]
    assert backdrops(scene.alone("tree")) and not backdrops(scene.alone("search"))


def polygon(areas: Areas) -> shapely.MultiPolygon:
    return shapely.MultiPolygon([(area[0], area[1:]) for area in areas])
