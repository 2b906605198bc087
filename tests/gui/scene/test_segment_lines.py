"""Segments as lines and areas: a square with a hole, an island in it, and lines that are too short to be seen."""

from __future__ import annotations

import csv
import json
from io import StringIO
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.export.isochrone_files import geojson, table
from wayfront_gui.model.isochrones import Reach
from wayfront_gui.scene.isochrones import Isochrones
from wayfront_gui.scene.segment_lines import polygons, without_short_lines

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
