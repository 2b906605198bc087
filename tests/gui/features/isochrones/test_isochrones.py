"""Isochrones of a network: what is drawn of them, and their files."""

from __future__ import annotations

import csv
import json
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
from wayfront.results.layers import feature_collection
from wayfront.safe.text import csv_text
from wayfront_gui.features.isochrones import files
from wayfront_gui.features.isochrones.files import Bands, layers, write_isochrones
from wayfront_gui.features.isochrones.layer import (
    FILL_ALPHA,
    LAST_ROW,
    SHORTEST_BUFFERS,
    Areas,
    Isochrones,
    row_colours,
    segments_worth_drawing,
)
from wayfront_gui.features.isochrones.state import Reach
from wayfront_gui.map.geometry import Plane
from wayfront_gui.map.ground import backdrop_picture, backdrops
from wayfront_gui.map.offscreen import camera_for
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style

Float = NDArray[np.float64]


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


def test_short_lines_are_left_out_whether_they_are_closed_or_not(grid: RoadNetwork) -> None:
    found, plane = (
        Bands.of(Reach.of(grid, grid.metrics[0], (0,), [make_result(grid, 0).distances]), 300),
        Plane.of(grid),
    )
    ring = np.array([(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)], np.float64)
    length = SHORTEST_BUFFERS * found.buffer_m
    lines = [ring * (length / 4), ring * (length / 5), np.array([(0, 9), (length / 2, 9), (length, 9)]), ring[:2]]
    drawn = segments_worth_drawing(found, lines, plane).reshape(-1, 4)
    assert len(drawn) == 4 + 2 and np.hypot(*(drawn[:, 2:] - drawn[:, :2]).T) == pytest.approx(
        [length / 4] * 4 + [length / 2] * 2, rel=0.01
    )
    assert segments_worth_drawing(found, [], plane).shape == (0, 4)


@pytest.mark.parametrize("sources", [(0,), (0, 100)])
def test_isochrones_are_written_as_areas_and_as_a_table(grid: RoadNetwork, sources: tuple[int, ...]) -> None:
    rows = [make_result(grid, source).distances for source in sources]
    found = Bands.of(Reach.of(grid, grid.metrics[0], sources, rows), 300)
    written = json.loads(json.dumps(feature_collection(grid, layers(found))))
    features = [(each["properties"], each["geometry"]) for each in written["features"]]
    bands = [each for each in features if each[0]["kind"] == "band"]
    assert [facts["within"] for facts, _ in bands] == [float(limit) for limit in reversed(found.limits)]
    zones = [facts["source"] for facts, _ in features if facts["kind"] == "zone"]
    assert zones == [100, 200][: len(found.zones)] and len(found.zones) in (0, 2)
    points = [geometry["coordinates"] for facts, geometry in features if facts["kind"] == "source"]
    assert grid.coordinates is not None and points == [(grid.coordinates[node] / 1e6).tolist() for node in sources]

    middle, along, across = 49.004, 111_213.0, 111_504.0  # metres in a degree of the ellipsoid there
    for facts, geometry in bands:
        area = sum(turned(np.array(ring)) for rings in geometry["coordinates"] for ring in rings)
        area *= along * across * np.cos(np.radians(middle))
        assert area == pytest.approx(facts["area_m2"], rel=0.002)
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
        isochrones.areas,
        ([], *isochrones.areas),
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
