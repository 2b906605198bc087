"""Drawing lines, their grid, and the nearest node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from there import there
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import NetworkError
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent, MapGeometry, Plane


def make_network(places: Any, arcs: Any, classes: Any = None, shapes: Any = None) -> RoadNetwork:
    """Return a network from (longitude, latitude) in microdegrees and (tail, head) pairs.

    ``shapes`` are the places each arc passes.
    """
    tails, heads = np.array(arcs, np.int32).reshape(-1, 2).T
    return RoadNetwork.from_arcs(
        name="drawn",
        node_count=len(places),
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1, np.ones(len(tails), np.int32))],
        coordinates=np.array(places, np.int32).reshape(-1, 2),
        road_class=None if classes is None else np.array(classes, np.uint8),
        shapes=None if shapes is None else make_shapes(shapes),
    )


def make_shapes(shapes: Any) -> Shapes:
    offsets = np.concatenate(([0], np.cumsum([len(shape) for shape in shapes])))
    return Shapes(offsets, np.array([place for shape in shapes for place in shape], np.int32).reshape(-1, 2))


def lines_of(geometry: MapGeometry) -> set[tuple[int, int, int]]:
    return set(zip(geometry.line_a.tolist(), geometry.line_b.tolist(), geometry.line_class.tolist(), strict=True))


def test_both_directions_and_parallel_arcs_make_one_line_of_the_best_class() -> None:
    network = make_network(
        [(0, 0), (1000, 0), (2000, 0)], [(0, 1), (1, 0), (0, 1), (2, 1), (1, 1)], classes=[0, 2, 1, 3, 3]
    )
    assert lines_of(MapGeometry.of(network)) == {(0, 1, 2), (1, 2, 3)}


def test_a_node_without_lines_gets_a_point_of_its_own() -> None:
    network = make_network([(0, 0), (1000, 0), (5000, 5000), (9000, 0)], [(0, 1), (2, 2)])
    assert lines_of(MapGeometry.of(network)) == {(0, 1, 0), (2, 2, 0), (3, 3, 0)}


def test_a_degree_on_the_middle_latitude_has_its_length_in_metres() -> None:
    network = make_network([(10_000_000, 59_900_000), (10_200_000, 60_100_000)], [(0, 1)])
    x, y = Plane.of(network).project(there(network.coordinates))
    assert y[1] - y[0] == pytest.approx(0.2 * METRES_PER_DEGREE, rel=1e-4)
    assert x[1] - x[0] == pytest.approx(0.2 * METRES_PER_DEGREE / 2, rel=1e-4)
    assert x.sum() == pytest.approx(0, abs=0.1)


def test_the_degrees_shown_are_those_drawn() -> None:
    network = make_network([(-8_700_000, 41_000_000), (-8_500_000, 41_200_000)], [(0, 1)])
    plane = Plane.of(network)
    extent = plane.extent(-8_700_000, 41_000_000, -8_500_000, 41_200_000)
    assert MapGeometry.of(network).bounds == pytest.approx(extent, abs=0.01)
    assert plane.degrees(extent) == pytest.approx((-8.7, 41.0, -8.5, 41.2))
    assert plane.degrees(Extent(-1e9, -1e9, 1e9, 1e9)) == (-180, -90, 180, 90)
    assert plane.degrees(Extent(1e9, 0, 2e9, 1)) is None


def test_a_far_region_does_not_spoil_the_first_view() -> None:
    near = [(9_500_000 + 1000 * k, 47_100_000 + 500 * k) for k in range(90)]
    far = [(-86_600_000 + 1000 * k, 32_500_000) for k in range(30)]
    geometry = MapGeometry.of(make_network(near + far, [(k, k + 1) for k in range(119)]))
    assert len(geometry.regions) == 2
    assert geometry.home == geometry.regions[0]
    assert geometry.bounds.width > 100 * geometry.home.width
    assert geometry.regions[1].right < geometry.regions[0].left
    scattered = MapGeometry.of(make_network([(k * 10_000_000, 0) for k in range(12)], [(0, 1)]))
    assert scattered.home == scattered.bounds, "no region is large enough for a view of its own"


def test_a_network_on_both_sides_of_the_antimeridian_is_drawn_in_one_piece() -> None:
    places = [(179_900_000, -17_000_000), (-179_900_000, -17_050_000)]
    geometry = MapGeometry.of(make_network(places, [(0, 1)]))
    assert geometry.bounds.width == pytest.approx(0.2 * METRES_PER_DEGREE, rel=0.1)
    assert geometry.x[1] > geometry.x[0]


def test_every_line_is_in_exactly_one_cell_and_inside_its_box() -> None:
    random = np.random.default_rng(5)
    places = random.integers(-500_000, 500_000, (3000, 2))
    geometry = MapGeometry.of(make_network(places, random.integers(0, 3000, (9000, 2))))
    assert len(geometry.cell_boxes) > 50
    assert geometry.cell_offsets[0] == 0 and geometry.cell_offsets[-1] == geometry.line_count
    cell = np.repeat(np.arange(len(geometry.cell_boxes)), np.diff(geometry.cell_offsets))
    left, bottom, right, top = geometry.cell_boxes[cell].T
    for end in (geometry.line_a, geometry.line_b):
        assert (left <= geometry.x[end]).all() and (geometry.x[end] <= right).all()
        assert (bottom <= geometry.y[end]).all() and (geometry.y[end] <= top).all()


def test_the_nearest_node_is_that_of_a_full_search() -> None:
    random = np.random.default_rng(6)
    places = random.integers(-500_000, 500_000, (2000, 2))
    geometry = MapGeometry.of(make_network(places, random.integers(0, 2000, (3000, 2))))
    for x, y in random.uniform(-70_000, 70_000, (50, 2)):
        expected = int(np.argmin((geometry.x - x) ** 2 + (geometry.y - y) ** 2))
        assert geometry.nearest_node(x, y) == expected
    assert geometry.nearest_node(1e6, 1e6, within=10.0) == -1


def test_lines_in_view_are_counted_by_cells() -> None:
    random = np.random.default_rng(7)
    places = random.integers(-500_000, 500_000, (3000, 2))
    geometry = MapGeometry.of(make_network(places, np.stack([np.arange(2999), np.arange(1, 3000)], 1)))
    assert geometry.visible_lines(geometry.bounds) == geometry.line_count
    assert geometry.visible_lines(Extent(1e6, 1e6, 2e6, 2e6)) == 0


@pytest.mark.parametrize(
    ("places", "arcs", "lines"),
    [
        ([], [], 0),
        ([(5, 5)], [], 1),
        ([(5, 5)] * 4, [(0, 1), (1, 2), (2, 3)], 3),
        ([(0, 7), (1000, 7), (2000, 7)], [(0, 1), (1, 2)], 2),
        ([(7, 0), (7, 1000), (7, 2000)], [(0, 1), (1, 2)], 2),
        ([(-180_000_000, -90_000_000), (180_000_000, 90_000_000)], [(0, 1)], 1),
    ],
    ids=["no node", "one node", "one place", "west to east", "south to north", "the whole world"],
)
def test_degenerate_maps_have_a_geometry(places: Any, arcs: Any, lines: int) -> None:
    geometry = MapGeometry.of(make_network(places, arcs))
    assert geometry.line_count == lines
    assert geometry.typical_line > 0
    assert (geometry.nearest_node(0.0, 0.0) >= 0) == bool(places)
    assert np.isfinite(geometry.bounds).all()


def test_a_network_without_coordinates_is_refused_in_words(grid: RoadNetwork) -> None:
    bare = RoadNetwork.from_arrays(
        name="bare", offsets=grid.offsets, targets=grid.targets, metrics=grid.metrics, node_ids=grid.node_ids
    )
    with pytest.raises(NetworkError, match="bare has no coordinates"):
        MapGeometry.of(bare)


def test_the_geometry_of_a_network_is_made_once(grid: RoadNetwork) -> None:
    assert MapGeometry.of(grid) is MapGeometry.of(grid)


# ---------------------------------------------------------------------------------------------------- bends

A, B = (0, 0), (8000, 0)
NORTH, SOUTH = [(0, 3000), (8000, 3000)], [(4000, -3000)]


def pieces(geometry: MapGeometry) -> list[tuple[int, float]]:
    """Return (owner, metres), sorted, of all lines that belong to one node."""
    length = np.hypot(
        geometry.x[geometry.line_a] - geometry.x[geometry.line_b],
        geometry.y[geometry.line_a] - geometry.y[geometry.line_b],
    )
    assert (geometry.owner_a == geometry.owner_b).all()
    return sorted(zip(geometry.owner_a.tolist(), length.tolist(), strict=True))


def test_a_bent_arc_is_drawn_through_its_bends_and_each_half_belongs_to_its_end() -> None:
    # North 3, east 8, south 3 thousand microdegrees: half-way lies in the middle of the second stretch.
    metre = METRES_PER_DEGREE / 1000
    geometry = MapGeometry.of(make_network([A, B], [(0, 1)], shapes=[NORTH]))
    assert geometry.node_count == 2 and len(geometry.x) == 5
    found = pieces(geometry)
    assert [owner for owner, _ in found] == [0, 0, 1, 1]
    assert [metres for _, metres in found] == pytest.approx([3 * metre, 4 * metre] * 2, rel=1e-3)
    assert geometry.typical_line == pytest.approx(14 * metre, rel=1e-3)
    assert geometry.bounds.height == pytest.approx(3 * metre, rel=1e-3), "bends are shown as well"


def test_half_way_is_measured_along_the_road() -> None:
    # Bends only near the first end: half-way lies on the last stretch.
    places = [(0, 1000), (1000, 1000)]
    geometry = MapGeometry.of(make_network([A, B], [(0, 1)], shapes=[places]))
    share = {0: 0.0, 1: 0.0}
    for owner, metres in pieces(geometry):
        share[owner] += metres
    assert share[0] == pytest.approx(share[1], rel=1e-4)


def test_both_directions_of_a_bent_street_are_one_chain_and_parallel_streets_several() -> None:
    network = make_network(
        [A, B], [(0, 1), (1, 0), (0, 1), (1, 0), (0, 1)], [0, 2, 1, 3, 1], [NORTH, NORTH[::-1], SOUTH, [], []]
    )
    geometry = MapGeometry.of(network)
    chains, shapes = geometry.chains, network.shapes
    assert chains is not None and shapes is not None and len(chains.a) == 3
    chain: dict[int, int] = {}
    for arc in range(network.arc_count):
        bends = int(np.diff(shapes.offsets)[arc])
        assert chain.setdefault(bends, int(chains.of_arc[arc])) == chains.of_arc[arc]
    classes = {bends: geometry.line_class[chains.of_line == chain[bends]].tolist() for bends in chain}
    assert classes == {0: [3], 1: [1] * 3, 2: [2] * 4}


def test_streets_that_differ_in_one_place_are_two() -> None:
    near = [NORTH[0], (8000, 3001)]
    chains = MapGeometry.of(make_network([A, B], [(0, 1), (1, 0)], shapes=[NORTH, near[::-1]])).chains
    assert chains is not None and len(chains.a) == 2


def test_a_loop_is_drawn_where_it_has_bends() -> None:
    loop = [(3000, 0), (3000, 3000), (0, 3000)]
    network = make_network([A, B, B], [(0, 0), (0, 0), (1, 1), (2, 2)], shapes=[loop, loop[::-1], [], []])
    geometry = MapGeometry.of(network)
    assert there(geometry.chains).of_arc.tolist() == [0, 0, -1, -1]
    assert [owner for owner, _ in pieces(geometry)] == [0] * 5 + [1, 2], "and nodes that nothing joins are points"


def test_bends_are_never_the_nearest_node() -> None:
    random = np.random.default_rng(11)
    places, bends = random.integers(-50_000, 50_000, (300, 2)), random.integers(-60_000, 60_000, (500, 3, 2))
    geometry = MapGeometry.of(make_network(places, random.integers(0, 300, (500, 2)), shapes=bends))
    x, y = geometry.x[:300], geometry.y[:300]
    for px, py in random.uniform(-7000, 7000, (50, 2)):
        assert geometry.nearest_node(px, py) == int(np.argmin((x - px) ** 2 + (y - py) ** 2))
    cell = np.repeat(np.arange(len(geometry.cell_boxes)), np.diff(geometry.cell_offsets))
    left, bottom, right, top = geometry.cell_boxes[cell].T
    for end in (geometry.line_a, geometry.line_b):
        assert (left <= geometry.x[end]).all() and (geometry.x[end] <= right).all()
        assert (bottom <= geometry.y[end]).all() and (geometry.y[end] <= top).all()


def test_bends_beyond_the_antimeridian_lie_beside_their_nodes() -> None:
    places = [(179_900_000, -17_000_000), (-179_900_000, -17_050_000)]
    shape = [(179_950_000, -17_000_000), (-179_950_000, -17_000_000)]
    geometry = MapGeometry.of(make_network(places, [(0, 1)], shapes=[shape]))
    assert geometry.bounds.width == pytest.approx(0.2 * METRES_PER_DEGREE, rel=0.1)


def test_shapes_without_points_need_no_chains() -> None:
    geometry = MapGeometry.of(make_network([A, B], [(0, 1), (1, 0)], shapes=[[], []]))
    assert geometry.chains is None and lines_of(geometry) == {(0, 1, 0)}
    assert geometry.owner_a is geometry.line_a and geometry.owner_b is geometry.line_b


def test_a_fitting_camera_shows_all_centred_with_a_margin() -> None:
    camera = Camera.fitting(Extent(-100, -50, 300, 50), 500, 300, margin=0.1)
    assert camera.scale == pytest.approx(1.0)
    assert camera.to_pixels(100, 0) == pytest.approx((250, 150))
    assert camera.to_plane(*camera.to_pixels(17, -3)) == pytest.approx((17, -3))
    assert camera.extent == pytest.approx((-150, -150, 350, 150))


def test_a_small_view_of_a_network_has_room_for_the_markers_at_its_border() -> None:
    camera = Camera.fitting(Extent(0, 0, 100, 100), 400, 700, 2.0)
    column, _ = camera.to_pixels(0, 0)
    assert column == pytest.approx(40)


def test_a_place_without_size_can_be_looked_at() -> None:
    assert Camera.fitting(Extent(5, 5, 5, 5), 100, 100).to_pixels(5, 5) == pytest.approx((50, 50))
