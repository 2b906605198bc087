"""Closed roads on the map: lines and crosses in every view, and arrows where one direction is closed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.gui.conftest import drawn, make_grid, make_result

from map_layers import layer
from wayfront.network.arcs import without_arcs
from wayfront.network.details import Shapes
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.closures.layer import APART, CELL, MARGIN, ClosedRoads, marks
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.session.closures import as_arcs

GRID = make_grid()


def looking(network: RoadNetwork, zoom: float = 1.0, at: tuple[float, float] | None = None) -> Camera:
    geometry = MapGeometry.of(network)
    whole = Camera.fitting(geometry.bounds, 400, 300)
    x, y = geometry.bounds.middle if at is None else at
    scale = whole.scale * zoom
    return Camera(scale, x - 200 / scale, y + 150 / scale, 400, 300)


def made(network: RoadNetwork, arcs: list[int]) -> ClosedRoads:
    roads = ClosedRoads.of(network, np.array(arcs, np.int64))
    assert roads is not None
    return roads


def arcs_between(network: RoadNetwork, one: int, other: int) -> list[int]:
    tails = network.tails()
    return [e for e in range(network.arc_count) if (tails[e], network.targets[e]) in ((one, other), (other, one))]


def test_nothing_closed_and_loops_without_bends_draw_nothing() -> None:
    assert ClosedRoads.of(GRID, np.zeros(0, np.int64)) is None
    assert ClosedRoads.of(drawn([(0, 0)], [(0, 0), (90, 90)]), np.array([0], np.int64)) is None


@given(st.floats(0.02, 3000.0), st.floats(0.0, 1.0))
@settings(max_examples=60, deadline=None)
def test_a_road_that_crosses_the_view_has_a_cross_in_it_at_any_zoom(zoom: float, share: float) -> None:
    geometry = MapGeometry.of(GRID)
    one, other = 40, 41
    x = float(geometry.x[one] + share * (geometry.x[other] - geometry.x[one]))
    camera = looking(GRID, zoom, (x, float(geometry.y[one])))
    seen = marks(made(GRID, arcs_between(GRID, one, other)), camera)
    assert len(seen.lines) == 1 and len(seen.crosses) >= 1
    inside = (seen.crosses >= -MARGIN) & (seen.crosses <= np.array([400, 300]) + MARGIN)
    assert inside.all() and (abs(seen.crosses[:, 1] - 150) < 0.5).all()
    assert (abs(seen.lines) < 1000).all(), "clipped: far coordinates are no drawing for Qt"


def test_crosses_are_evenly_apart_and_symmetric_along_a_road() -> None:
    geometry = MapGeometry.of(GRID)
    one, other = 40, 41
    length = float(geometry.x[other] - geometry.x[one])
    camera = Camera(3.2 * APART / length, float(geometry.x[one]), float(geometry.y[one]) + 10.0, 400, 300)
    seen = marks(made(GRID, arcs_between(GRID, one, other)), camera).crosses
    apart = 3.2 * APART / 3
    assert np.sort(seen[:, 0]) == pytest.approx([apart / 2, 1.5 * apart, 2.5 * apart], abs=0.1)


def test_a_road_outside_the_view_draws_nothing() -> None:
    geometry = MapGeometry.of(GRID)
    camera = looking(GRID, 40.0, (geometry.bounds.left, geometry.bounds.bottom))
    seen = marks(made(GRID, arcs_between(GRID, 94, 95)), camera)
    assert len(seen.lines) == len(seen.crosses) == 0


def test_crosses_that_would_cover_each_other_are_drawn_once() -> None:
    every = made(GRID, list(range(GRID.arc_count)))
    seen = marks(every, looking(GRID, 0.05))
    cells = np.unique(np.floor(seen.crosses / CELL), axis=0)
    assert len(cells) == len(seen.crosses) < 12
    assert len(marks(every, looking(GRID)).crosses) > 100


def test_an_arrow_shows_the_direction_that_alone_is_closed() -> None:
    tails = GRID.tails()
    geometry = MapGeometry.of(GRID)
    both = arcs_between(GRID, 40, 41)
    assert len(marks(made(GRID, both), looking(GRID)).arrows) == 0
    for arc in both:
        arrow = marks(made(GRID, [arc]), looking(GRID)).arrows[0]
        way = geometry.x[GRID.targets[arc]] - geometry.x[tails[arc]]
        assert arrow[2:] == pytest.approx([np.sign(way), 0.0], abs=1e-3)


def test_a_one_way_road_needs_no_arrow() -> None:
    network = drawn([(0, 1)], [(0, 0), (9000, 0)])
    seen = marks(made(network, [0]), looking(network))
    assert len(seen.crosses) and not len(seen.arrows)


@pytest.fixture
def bent() -> RoadNetwork:
    """Return 0 ⇄ 1 along a bend in the north, 0 → 1 along one in the south, and a loop at 1."""
    points = [[1000, 4000], [1000, 4000], [1000, -4000], [12000, 3000], [12000, -3000]]
    offsets = np.array([0, 1, 2, 3, 5])
    return drawn([(0, 1), (1, 0), (0, 1), (1, 1)], [(0, 0), (9000, 0)], Shapes(offsets, np.array(points, np.int32)))


def test_bent_roads_are_crossed_out_along_their_bends(bent: RoadNetwork) -> None:
    assert bent.shapes is not None
    geometry = MapGeometry.of(bent)
    for arc in range(bent.arc_count):
        roads = made(bent, [arc])
        assert roads.begin[0] == 0 and roads.whole == pytest.approx(roads.whole[0])
        lengths = np.hypot(roads.ends[:, 2] - roads.ends[:, 0], roads.ends[:, 3] - roads.ends[:, 1])
        assert roads.begin == pytest.approx(np.cumsum(lengths) - lengths, abs=0.1)
        ends = [*roads.ends[0, :2], *roads.ends[-1, 2:]]
        tail, head = bent.tails()[arc], bent.targets[arc]
        assert ends == pytest.approx([geometry.x[tail], geometry.y[tail], geometry.x[head], geometry.y[head]])
        north = roads.ends[:, 1].max() > 200
        assert north == (bent.shapes.of(arc)[0, 1] > 0)
    seen = marks(made(bent, [0]), looking(bent))
    assert len(seen.crosses) >= 1 and len(seen.arrows) == len(seen.crosses)


def test_a_road_beside_one_with_the_same_ends_is_one_way_by_itself(bent: RoadNetwork) -> None:
    southern = next(e for e in range(4) if bent.targets[e] == 1 and bent.shapes.of(e)[0, 1] == -4000)  # type: ignore[union-attr]
    assert len(marks(made(bent, [southern]), looking(bent)).arrows) == 0


def test_a_road_between_two_nodes_on_one_spot_has_its_cross() -> None:
    network = drawn([(0, 1), (1, 0), (1, 2)], [(50, 50), (50, 50), (9000, 50)])
    seen = marks(made(network, arcs_between(network, 0, 1)), looking(network))
    assert len(seen.crosses) == 1 and np.isfinite(seen.crosses).all()


def test_what_is_shown_with_a_road_surrounds_it() -> None:
    roads = made(GRID, arcs_between(GRID, 40, 41))
    extent = roads.extent
    assert extent.left < roads.ends[:, [0, 2]].min() - 200 and extent.top > roads.ends[:, [1, 3]].max() + 200


@pytest.mark.usefixtures("qapp")
def test_a_result_is_drawn_with_the_roads_that_were_closed_for_it() -> None:
    closed = as_arcs(arcs_between(GRID, 40, 41))
    result = replace(make_result(without_arcs(GRID, closed), 5), network=GRID, closures=closed)
    scene = Scene.of_result(result)
    assert layer(scene, "closed") is not None and len(layer(scene, "closed").ends) == 1
    scene.mode = "tree"
    crossed = render(scene, 300, 200)
    scene.take_away("closed")
    assert render(scene, 300, 200) != crossed


def test_a_tree_takes_the_open_one_of_two_bent_roads(bent: RoadNetwork) -> None:
    """Both are as long; the closed one would be taken first."""
    geometry = MapGeometry.of(bent)
    chains, shapes = geometry.chains, bent.shapes
    assert chains is not None and shapes is not None
    there = [e for e in range(bent.arc_count) if (bent.tails()[e], bent.targets[e]) == (0, 1)]
    for closed in there:
        arcs = as_arcs([closed])
        result = replace(make_result(without_arcs(bent, arcs), 0), network=bent, metric=bent.metrics[0], closures=arcs)
        scene = Scene.of_result(result)
        scene.wanted, scene.mode = AS_ROADS, "tree"
        levels = scene.drawing(looking(bent)).levels
        drawn_chains = set(chains.of_line[levels > 0].tolist())
        (other,) = (arc for arc in there if arc != closed)
        assert drawn_chains == {int(chains.of_arc[other])}
