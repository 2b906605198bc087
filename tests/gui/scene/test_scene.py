"""What a scene takes over from a search, how it is drawn, and which node a place means."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from wayfront import search
from wayfront.errors import NetworkError
from wayfront.network.road_details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.result import Result
from wayfront_gui.look.colour_maps import COLOUR_MAPS
from wayfront_gui.look.theme import THEMES, rgb
from wayfront_gui.scene import picking
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.frame import Frame, frontier_trail
from wayfront_gui.scene.glow import light_lines
from wayfront_gui.scene.kernel_warmup import warm_up
from wayfront_gui.scene.layers import AS_ROADS
from wayfront_gui.scene.raster import NEVER, NODE_BITS, NODE_MASK
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.style import Style, road_weights, tree_weights


@pytest.fixture
def scene(grid: RoadNetwork, result: Result) -> Scene:
    scene = Scene.of(grid)
    scene.show_result(result)
    return scene


def frame_of(scene: Scene, width: int = 160, height: int = 100) -> Frame:
    assert scene.geometry is not None
    camera = Camera.fitting(scene.geometry.bounds, width, height)
    return Frame.draw(scene.geometry, scene.drawing(camera), camera)


# ------------------------------------------------------------------------------------------------- searches


def test_colours_follow_the_distance_and_leave_out_what_was_not_reached(scene: Scene, result: Result) -> None:
    order = np.argsort(result.distances[result.reached])
    colours = scene.colour[result.reached][order].astype(int)
    assert (np.diff(colours) >= 0).all() and colours[0] == 0 and colours[-1] == 255
    assert (scene.first_step[~result.reached] == NEVER).all()


def test_the_legend_tells_what_the_last_colour_begins_at(scene: Scene, result: Result) -> None:
    assert scene.legend is not None
    last = round(float(np.percentile(result.distances[result.reached], 97)))
    assert scene.legend.title == "distance from the source"
    assert (scene.legend.first, scene.legend.last) == ("0", f"≥ {result.metric.describe(last)}")
    assert scene.legend.middle == result.metric.describe(round(last / 2))


def has_legend(scene: Scene) -> bool:
    return scene.legend is not None


def test_the_legend_speaks_of_times_and_goes_with_its_search(grid: RoadNetwork, result: Result) -> None:
    scene = Scene.of(grid)
    assert not has_legend(scene)
    scene.show_result(replace(result, metric=grid.metric("travel time")))
    assert scene.legend is not None and scene.legend.title == "travel time from the source"
    assert result.trace is not None
    scene.show_live(result.trace, None)
    assert not has_legend(scene), "a live search is coloured by steps"
    scene.show_result(result)
    scene.forget_search()
    assert not has_legend(scene)


def test_without_a_trace_all_that_was_reached_is_shown(grid: RoadNetwork, result: Result) -> None:
    scene = Scene.of(grid)
    scene.show_result(replace(result, trace=None))
    frame = frame_of(scene)
    pixels = np.empty_like(frame.gbuffer)
    frame.paint(scene, pixels)
    drawn = frame.gbuffer > 0
    lonely = (frame.gbuffer & NODE_MASK) == grid.node_count - 1
    unreached = scene.style.table[256][frame.gbuffer >> NODE_BITS]
    assert (pixels[drawn & lonely] == unreached[drawn & lonely]).all()
    assert (pixels[drawn & ~lonely] != unreached[drawn & ~lonely]).mean() > 0.9


def test_a_live_search_without_distances_is_coloured_by_step(grid: RoadNetwork, result: Result) -> None:
    assert result.trace is not None
    scene = Scene.of(grid)
    scene.show_live(result.trace, None)
    assert scene.step == len(result.trace) - 1
    reached = scene.first_step != NEVER
    assert (
        np.argsort(scene.colour[reached], kind="stable") == np.argsort(scene.first_step[reached], kind="stable")
    ).all()


def test_a_search_of_another_network_is_refused(result: Result) -> None:
    places = np.array([[0, 0], [5, 5]], np.int32)
    other = RoadNetwork.from_arrays(
        name="other",
        offsets=np.zeros(3, np.int32),
        targets=np.zeros(0, np.int32),
        metrics=[replace(result.metric, weights=np.zeros(0, np.int32))],
        coordinates=places,
    )
    scene = Scene.of(other)
    with pytest.raises(NetworkError, match="does not belong to the map shown"):
        scene.show_result(result)
    assert result.trace is not None
    with pytest.raises(NetworkError, match="does not belong to the map shown"):
        scene.show_live(result.trace, None)


def test_frontier_and_trail_fade_with_age(scene: Scene) -> None:
    assert scene.trace is not None
    scene.step = 4.5
    nodes, weights = frontier_trail(scene)
    # Of this short search the trail is one step and a half: 4 is half a step old, 3 is at the end of it.
    assert nodes.tolist() == [*scene.trace.frontier(3), *scene.trace.frontier(4)]
    assert set(weights[:10]) == {0} and 0 < weights[-1] < 256
    scene.step = 4.0
    assert frontier_trail(scene)[1][-1] == 256
    for outside in (-1.0, 1000.0):
        scene.step = outside
        assert len(frontier_trail(scene)[0]) == 0


def test_the_tree_draws_its_arcs_and_leaves_out_the_others(scene: Scene, result: Result) -> None:
    scene.mode = "tree"
    geometry = scene.geometry
    assert geometry is not None and scene.shows_tree
    levels = scene.drawing(Camera.fitting(geometry.bounds, 160, 100)).levels
    a, b = geometry.line_a, geometry.line_b
    in_tree = (result.parents[a] == b) | (result.parents[b] == a)
    assert ((levels > 0) == in_tree).all() and in_tree.any() and not in_tree.all()
    assert tree_weights(1.0, 1.0).coverage[0] == 0
    assert (np.diff(tree_weights(1.0, 1.0).coverage) >= 0).all()


def test_without_road_classes_the_tree_tells_the_important_roads(scene: Scene, grid: RoadNetwork) -> None:
    assert scene.geometry is not None and not scene.geometry.has_classes
    camera = Camera.fitting(scene.geometry.bounds, 160, 100)
    assert set(Scene.of(grid).drawing(camera).levels) == {0}
    assert len(set(scene.drawing(camera).levels)) > 1


# ---------------------------------------------------------------------------------------------------- bends


@pytest.fixture
def bent() -> RoadNetwork:
    """Four nodes in a row; two ways from 0 to 1, the longer by the south, and one round from 1 to 2, both two-way."""
    north, south, bow = [(500, 400), (600, 400)], [(400, -900), (600, -900)], [(1500, 700)]
    arcs = [(0, 1, 30, south), (0, 1, 20, north), (1, 0, 20, north[::-1]), (1, 2, 15, bow), (2, 1, 15, bow)]
    arcs += [(2, 3, 10, []), (3, 2, 10, [])]
    tails, heads, weights = (np.array([arc[i] for arc in arcs], np.int32) for i in range(3))
    offsets = np.concatenate(([0], np.cumsum([len(arc[3]) for arc in arcs])))
    return RoadNetwork.from_arcs(
        name="bent",
        node_count=4,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1, weights)],
        coordinates=np.array([[0, 0], [1000, 0], [2000, 0], [3000, 0]], np.int32),
        shapes=Shapes(offsets, np.array([place for arc in arcs for place in arc[3]], np.int32)),
    )


def searched(network: RoadNetwork, source: int) -> tuple[Scene, Result]:
    scene, result = Scene.of(network), search(network, source, "dijkstra", "cpu", runs=1)
    scene.layers = AS_ROADS
    scene.show_result(result)
    return scene, result


def heights(scene: Scene) -> list[int]:
    """Return how far north the path runs, point by point: 0 at the nodes, 1 and -1 on bends."""
    assert scene.geometry is not None
    y = scene.geometry.y[scene.path] - scene.geometry.y[0]
    return np.sign(np.round(y, 2)).astype(int).tolist()


@pytest.mark.parametrize(("source", "target"), [(0, 3), (3, 0)])
def test_a_route_follows_the_bends_of_the_arcs_it_takes(bent: RoadNetwork, source: int, target: int) -> None:
    scene, result = searched(bent, source)
    scene.set_route(result.route(target).nodes)
    assert scene.route.tolist() == list(range(4))[:: 1 if source == 0 else -1]
    # Each chain has one point more than bends: half-way.
    expected = [0, 1, 1, 1, 0, 1, 1, 0, 0]
    assert heights(scene) == (expected if source == 0 else expected[::-1])
    assert scene.geometry is not None
    along = np.diff(scene.geometry.x[scene.path])
    assert (along >= 0).all() if source == 0 else (along <= 0).all()
    scene.set_route(None)
    assert len(scene.path) == 0 and scene.target is None


def test_a_route_that_no_tree_explains_is_straight(bent: RoadNetwork) -> None:
    scene = Scene.of(bent)
    scene.set_route(np.array([0, 1, 2], np.int32))
    assert scene.path.tolist() == [0, 1, 2]
    scene, _ = searched(bent, 0)
    scene.set_route(np.array([2, 1], np.int32))
    assert scene.path.tolist() == [2, 1]


def test_of_parallel_streets_the_tree_draws_the_one_it_takes(bent: RoadNetwork) -> None:
    scene, _ = searched(bent, 0)
    scene.mode, geometry = "tree", scene.geometry
    assert geometry is not None
    levels = scene.drawing(Camera.fitting(geometry.bounds, 160, 100)).levels
    south = np.minimum(geometry.y[geometry.line_a], geometry.y[geometry.line_b]) < geometry.y[0] - 1
    assert south.sum() == 4 and (levels[south] == 0).all() and (levels[~south] > 0).all()
    first, second = (levels[geometry.owner_a == node].max() for node in (0, 2))
    assert first > second, "the tree grows thinner outward"


def test_pixels_of_a_bent_street_belong_to_its_nearer_end(bent: RoadNetwork) -> None:
    scene, _ = searched(bent, 0)
    frame = frame_of(scene, 640, 400)
    owners = np.unique(frame.gbuffer[frame.gbuffer > 0] & NODE_MASK)
    assert owners.tolist() == [0, 1, 2, 3]
    geometry = scene.geometry
    assert geometry is not None
    metres = (geometry.x[1] - geometry.x[0]) / 1000
    for east, north, node in ((420, -900, 0), (580, -900, 1), (1400, 560, 1), (1600, 560, 2)):
        place = frame.camera.to_pixels(geometry.x[0] + east * metres, geometry.y[0] + north * metres)
        assert picking.node_at(scene, frame, *place, 2.0) == node


def test_a_search_of_other_arcs_is_refused_where_arcs_are_bent(bent: RoadNetwork) -> None:
    _, result = searched(bent, 0)
    fewer = replace(result, metric=replace(result.metric, weights=np.ones(3, np.int32)))
    with pytest.raises(NetworkError, match="other arcs"):
        Scene.of(bent).show_result(fewer)


# ---------------------------------------------------------------------------------------------------- style


@pytest.mark.parametrize("theme", sorted(THEMES))
@pytest.mark.parametrize("colour_map", sorted(COLOUR_MAPS))
def test_tables_run_from_the_ground_and_keep_reached_and_unreached_apart(theme: str, colour_map: str) -> None:
    style = Style(theme, colour_map)
    red, green, blue = rgb(style.colours.background)
    assert (style.table[:, 0] == 0xFF000000 | red << 16 | green << 8 | blue).all()
    assert (style.table >> 24 == 255).all()
    channels = np.stack([style.table >> 16 & 255, style.table >> 8 & 255, style.table & 255]).astype(int)
    apart = np.abs(channels[:, :256, 45] - channels[:, 256:, 45]).max(axis=0)
    assert apart.min() >= 12


@pytest.mark.parametrize(("across", "down"), [(7, 0), (-7, 4), (0, -9), (12, 20), (0, 0)])
@pytest.mark.parametrize("scale", [0.0625, 0.5])
def test_a_frame_that_moves_by_whole_pixels_is_the_one_drawn_there(
    bent: RoadNetwork, across: int, down: int, scale: float
) -> None:
    scene = Scene.of(bent)
    scene.layers = AS_ROADS
    assert scene.geometry is not None
    camera = Camera(scale, -40.0 / scale, 60.0 / scale, 80, 120)
    drawing = scene.drawing(camera)
    old = Frame.draw(scene.geometry, drawing, camera)
    there = replace(camera, left=camera.left + across / scale, top=camera.top - down / scale)
    moved = old.moved(scene.geometry, drawing, there)
    assert moved is not None and moved.camera == there and old.gbuffer.any()
    np.testing.assert_array_equal(moved.gbuffer, Frame.draw(scene.geometry, drawing, there).gbuffer)


def test_a_frame_is_drawn_anew_where_little_of_it_stays_or_it_was_zoomed(scene: Scene) -> None:
    assert scene.geometry is not None
    camera = Camera.fitting(scene.geometry.bounds, 80, 120)
    drawing = scene.drawing(camera)
    old = Frame.draw(scene.geometry, drawing, camera)
    pixel = 1 / camera.scale
    for other in (
        replace(camera, left=camera.left + 45 * pixel),
        replace(camera, left=camera.left + 300 * pixel, top=camera.top - 300 * pixel),
        replace(camera, left=camera.left + 1.5 * pixel),
        replace(camera, scale=camera.scale * 1.01),
        replace(camera, width=81),
    ):
        assert old.moved(scene.geometry, drawing, other) is None


def test_roads_grow_with_the_zoom_but_classes_stay_apart() -> None:
    near, far = road_weights(64.0, 1.0), road_weights(1.0, 1.0)
    assert (near.coverage[:4] > far.coverage[:4]).all()
    assert (np.diff(near.coverage[:4]) > 0).all()
    assert far.width[:4].tolist() == [1, 1, 2, 2]
    assert (road_weights(1.0, 2.0).width[:4] == 2 * far.width[:4]).all()


# -------------------------------------------------------------------------------------------------- picking


def test_the_nearest_drawn_pixel_within_the_radius_is_meant() -> None:
    gbuffer = np.zeros((20, 30), np.uint32)
    gbuffer[10, 10] = 50 << NODE_BITS | 7
    gbuffer[10, 16] = 90 << NODE_BITS | 8
    assert picking.node_in_buffer(gbuffer, 11.0, 10.5, 9.0) == 7
    assert picking.node_in_buffer(gbuffer, 15.0, 10.5, 9.0) == 8
    # Equally far from both: the one that is covered better.
    assert picking.node_in_buffer(gbuffer, 13.5, 10.5, 9.0) == 8
    assert picking.node_in_buffer(gbuffer, 28.0, 2.0, 9.0) == -1
    assert picking.node_in_buffer(gbuffer, -50.0, 500.0, 9.0) == -1


def test_far_from_all_roads_the_map_itself_is_asked(scene: Scene) -> None:
    frame = frame_of(scene)
    assert picking.node_at(scene, frame, 0.0, 99.0, 3.0) == -1
    node = picking.node_at(scene, frame, 0.0, 99.0, 3.0, anywhere=True)
    assert scene.geometry is not None and node == scene.geometry.nearest_node(*frame.camera.to_plane(0.0, 99.0))


def test_every_node_can_be_picked_where_it_lies(scene: Scene) -> None:
    frame, geometry = frame_of(scene, 640, 400), scene.geometry
    assert geometry is not None
    for node in range(geometry.node_count):
        place = frame.camera.to_pixels(float(geometry.x[node]), float(geometry.y[node]))
        assert picking.node_at(scene, frame, *place, 2.0) == node
        assert picking.is_near(scene, frame.camera, node, *place, 0.1)
    assert not picking.is_near(scene, frame.camera, None, 0.0, 0.0, 1e9)


def test_warming_up_draws_without_any_network_and_loads_what_street_maps_need() -> None:
    warm_up()
    assert light_lines.signatures


def test_a_scene_without_a_network_has_nothing_to_draw() -> None:
    scene = Scene.of(None)
    assert scene.geometry is None and not scene.shows_tree and scene.trail == 0
