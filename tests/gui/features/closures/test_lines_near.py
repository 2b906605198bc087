"""The road under the pointer: the nearest line exactly, the lines along a stroke, and the arcs that they draw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.gui.conftest import drawn, make_grid

from wayfront.network.details import Shapes
from wayfront.network.road_network import RoadNetwork
from wayfront.synthetic import random_network
from wayfront_gui.features.closures.roads import Stroke, arcs_of_lines, directions_of_lines, lines_near
from wayfront_gui.map.geometry import MapGeometry

MAPS = [
    make_grid(),
    random_network(300, 700, seed=3).with_coordinates(np.random.default_rng(1).integers(0, 90_000, (300, 2))),
]


def distances(geometry: MapGeometry, stroke: Stroke) -> np.ndarray:
    """Return every line's distance to a stroke, by trying many points of the stroke; inf for lonely nodes."""
    points = np.linspace(stroke[:2], stroke[2:], 1 if stroke.is_point else 400)
    a = np.stack([geometry.x, geometry.y], 1).astype(float)[geometry.line_a]
    b = np.stack([geometry.x, geometry.y], 1).astype(float)[geometry.line_b]
    way = b - a
    length = np.maximum((way**2).sum(1), 1e-12)
    share = np.clip(((points[:, None] - a) * way).sum(2) / length, 0, 1)
    apart = np.sqrt(((points[:, None] - a - share[..., None] * way) ** 2).sum(2)).min(0)
    return np.where(geometry.line_a == geometry.line_b, np.inf, apart)


places = st.tuples(st.floats(-0.1, 1.1), st.floats(-0.1, 1.1))


def on_map(geometry: MapGeometry, place: tuple[float, float]) -> tuple[float, float]:
    bounds = geometry.bounds
    return bounds.left + place[0] * bounds.width, bounds.bottom + place[1] * bounds.height


@given(st.sampled_from(MAPS), places, st.floats(0.001, 2))
@settings(max_examples=60, deadline=None)
def test_the_nearest_line_is_nearest_of_all(network: RoadNetwork, place: tuple[float, float], reach: float) -> None:
    geometry = MapGeometry.of(network)
    x, y = on_map(geometry, place)
    apart = distances(geometry, Stroke(x, y, x, y))
    within = reach * geometry.bounds.width
    lines = lines_near(geometry, Stroke(x, y, x, y), within)
    assert (np.diff(apart[lines]) >= -1e-6).all()
    if not len(lines):
        assert apart.min() >= within - 1e-6
    else:
        assert apart[lines[0]] == pytest.approx(apart.min(), abs=1e-6) and apart[lines[-1]] <= within + 1e-6


@given(st.sampled_from(MAPS), places, places, st.floats(0.01, 0.2))
@settings(max_examples=40, deadline=None)
def test_all_lines_along_a_stroke_are_found_and_no_others(
    network: RoadNetwork, start: tuple[float, float], end: tuple[float, float], reach: float
) -> None:
    geometry = MapGeometry.of(network)
    stroke = Stroke(*on_map(geometry, start), *on_map(geometry, end))
    within = reach * geometry.bounds.width
    slack = np.hypot(stroke.x1 - stroke.x0, stroke.y1 - stroke.y0) / 399
    apart = distances(geometry, stroke)  # at most ``slack`` too large
    found = np.zeros(geometry.line_count, bool)
    found[lines_near(geometry, stroke, within)] = True
    assert found[apart <= within - 1e-6].all() and not found[apart > within + slack + 1e-6].any()


def test_of_lines_on_top_of_each_other_the_first_is_taken_and_lonely_nodes_are_no_roads() -> None:
    network = drawn([(0, 1), (2, 3)], [(0, 0), (9000, 0), (0, 0), (9000, 0), (4000, 3000)])
    geometry = MapGeometry.of(network)
    assert nearest(geometry, 0.0, 0.0).tolist() == [0]
    only_nodes = MapGeometry.of(drawn([], [(0, 0), (9000, 0)]))
    assert len(lines_near(only_nodes, Stroke(-9.0, 0.0, 9.0, 0.0), 1e9)) == 0


def nearest(geometry: MapGeometry, x: float, y: float) -> np.ndarray:
    return lines_near(geometry, Stroke(x, y, x, y), 1e9)[:1]


def ends_of(network: RoadNetwork, arcs: np.ndarray) -> list[tuple[int, int]]:
    return list(zip(network.tails()[arcs].tolist(), network.targets[arcs].tolist(), strict=True))


def test_a_line_stands_for_both_directions_and_for_parallel_arcs() -> None:
    network = drawn([(0, 1), (0, 1), (1, 0), (1, 2), (2, 1)], [(0, 0), (9000, 0), (18000, 0)])
    geometry = MapGeometry.of(network)
    line = nearest(geometry, float(geometry.x[0]), float(geometry.y[0]))
    assert ends_of(network, arcs_of_lines(network, line)) == [(0, 1), (0, 1), (1, 0)]


@pytest.mark.parametrize(("share", "head"), [(0.1, 0), (0.9, 1)])
def test_a_click_means_the_direction_to_the_nearer_end(share: float, head: int) -> None:
    network = drawn([(0, 1), (1, 0)], [(0, 0), (9000, 0)])
    geometry = MapGeometry.of(network)
    x = float(geometry.x[0] + share * (geometry.x[1] - geometry.x[0]))
    lines = np.array([0], np.int32)
    towards = directions_of_lines(geometry, lines, Stroke(x, 0.0, x, 0.0))
    assert ends_of(network, arcs_of_lines(network, lines, towards)) == [(1 - head, head)]


def test_a_stroke_means_the_direction_in_which_it_was_drawn() -> None:
    network = drawn([(0, 1), (1, 0)], [(0, 0), (9000, 0)])
    geometry = MapGeometry.of(network)
    lines = np.array([0], np.int32)
    for way, arc in ((1.0, (0, 1)), (-1.0, (1, 0))):
        stroke = Stroke(-way * 500, 0.0, way * 500, 30.0)
        towards = directions_of_lines(geometry, lines, stroke)
        assert ends_of(network, arcs_of_lines(network, lines, towards)) == [arc]


@pytest.fixture
def bent() -> RoadNetwork:
    """Return two roads from 0 to 1 and back, one bent northwards, one southwards, and a bent loop at 1."""
    points = np.array([[1000, 4000], [1000, 4000], [1000, -4000], [1000, -4000], [12000, 3000], [12000, -3000]])
    arcs = [(0, 1), (1, 0), (0, 1), (1, 0), (1, 1)]
    return drawn(arcs, [(0, 0), (9000, 0)], Shapes(np.array([0, 1, 2, 3, 4, 6]), points.astype(np.int32)))


@pytest.mark.parametrize(("north", "chosen"), [(1, (0, 1)), (-1, (2, 3))])
def test_of_roads_with_the_same_ends_the_one_on_that_course_is_meant(
    bent: RoadNetwork, north: int, chosen: tuple[int, int]
) -> None:
    geometry = MapGeometry.of(bent)
    chains = geometry.chains
    assert chains is not None
    lines = lines_near(geometry, Stroke(float(geometry.x[0]), north * 200.0, float(geometry.x[1]), north * 200.0), 1.0)
    arcs = arcs_of_lines(bent, lines)
    assert len(set(chains.of_arc[arcs].tolist())) == 1
    assert sorted(ends_of(bent, arcs)) == [(0, 1), (1, 0)]
    shapes = bent.shapes
    assert shapes is not None and all(np.sign(shapes.of(int(arc))[0, 1]) == north for arc in arcs)


def test_a_click_on_a_bent_road_means_the_end_that_is_nearer_along_it(bent: RoadNetwork) -> None:
    geometry = MapGeometry.of(bent)
    for node in (0, 1):
        x, y = float(geometry.x[node]), float(geometry.y[node])
        other_x, other_y = float(geometry.x[1 - node]), float(geometry.y[1 - node])
        x, y = 0.9 * x + 0.1 * other_x, 0.9 * y + 0.1 * other_y + 30.0
        line = nearest(geometry, x, y)
        towards = directions_of_lines(geometry, line, Stroke(x, y, x, y))
        assert ends_of(bent, arcs_of_lines(bent, line, towards)) == [(1 - node, node)]


def test_a_loop_is_one_road(bent: RoadNetwork) -> None:
    geometry = MapGeometry.of(bent)
    right = geometry.bounds.right
    line = nearest(geometry, right, 0.0)
    assert ends_of(bent, arcs_of_lines(bent, line)) == [(1, 1)]
