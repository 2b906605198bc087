"""What a scene takes over from a search, how it is drawn, and which node a place means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from PySide6.QtGui import QPainter

from there import there
from wayfront import search
from wayfront.dissection.store import dissection_of
from wayfront.network.details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError
from wayfront_gui.features.lessons.file import Marks
from wayfront_gui.features.lessons.layer import LessonMarks
from wayfront_gui.features.live_tree.picture import warm_up
from wayfront_gui.map import picking
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame, frontier_trail
from wayfront_gui.map.legend import NodeColours
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.raster import NEVER, NODE_BITS, NODE_MASK
from wayfront_gui.map.scene import AS_ROADS, Layer, Scene
from wayfront_gui.map.shading import light_lines
from wayfront_gui.map.style import Style, road_weights, tree_weights
from wayfront_gui.ui.colour_maps import COLOUR_MAPS
from wayfront_gui.ui.theme import THEMES, rgb


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
    colours = scene.found.nodes.colour[result.reached][order].astype(int)
    assert (np.diff(colours) >= 0).all() and colours[0] == 0 and colours[-1] == 255
    assert (scene.found.nodes.first_step[~result.reached] == NEVER).all()


def test_the_legend_tells_what_the_last_colour_begins_at(scene: Scene, result: Result) -> None:
    legend = there(scene.found.nodes.legend)
    last = round(float(np.percentile(result.distances[result.reached], 97)))
    assert legend.title == "distance from the source"
    assert (legend.first, legend.last) == ("0", f"≥ {result.metric.describe(last)}")
    assert legend.middle == result.metric.describe(round(last / 2))
    assert legend.ticks and legend.marks == (
        *legend.ticks,
        (1.0, legend.last),
    ), "said there"


def has_legend(scene: Scene) -> bool:
    return scene.found.nodes.legend is not None


def test_the_legend_speaks_of_times_and_goes_with_its_search(grid: RoadNetwork, result: Result) -> None:
    scene = Scene.of(grid)
    assert not has_legend(scene)
    scene.show_result(replace(result, metric=grid.metric("travel time")))
    assert scene.found.nodes.legend is not None and scene.found.nodes.legend.title == "travel time from the source"
    scene.show_live(there(result.trace), None)
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
    reached = scene.found.nodes.first_step != NEVER
    assert (
        np.argsort(scene.found.nodes.colour[reached], kind="stable")
        == np.argsort(scene.found.nodes.first_step[reached], kind="stable")
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
    with pytest.raises(NetworkError, match="does not belong to the map shown"):
        scene.show_live(there(result.trace), None)


def test_frontier_and_trail_fade_with_age(scene: Scene) -> None:
    assert scene.found.trace is not None
    scene.step = 4.5
    nodes, weights = frontier_trail(scene)
    # Of this short search the trail is one step and a half: 4 is half a step old, 3 is at the end of it.
    assert nodes.tolist() == [*scene.found.trace.frontier(3), *scene.found.trace.frontier(4)]
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
    scene, result = Scene.of(network), search(network, source, "dijkstra", "cpu", runs=1, trace=True)
    scene.wanted = AS_ROADS
    scene.show_result(result)
    return scene, result


def heights(scene: Scene) -> list[int]:
    """Return how far north the path runs, point by point: 0 at the nodes, 1 and -1 on bends."""
    assert scene.geometry is not None
    y = scene.geometry.y[scene.markers.path] - scene.geometry.y[0]
    return np.sign(np.round(y, 2)).astype(int).tolist()


@pytest.mark.parametrize(("source", "target"), [(0, 3), (3, 0)])
def test_a_route_follows_the_bends_of_the_arcs_it_takes(bent: RoadNetwork, source: int, target: int) -> None:
    scene, result = searched(bent, source)
    scene.set_route(result.route(target).nodes)
    assert scene.markers.route.tolist() == list(range(4))[:: 1 if source == 0 else -1]
    # Each chain has one point more than bends: half-way.
    expected = [0, 1, 1, 1, 0, 1, 1, 0, 0]
    assert heights(scene) == (expected if source == 0 else expected[::-1])
    along = np.diff(there(scene.geometry).x[scene.markers.path])
    assert (along >= 0).all() if source == 0 else (along <= 0).all()
    scene.set_route(None)
    assert len(scene.markers.path) == 0 and scene.markers.target is None


def test_a_route_that_no_tree_explains_is_straight(bent: RoadNetwork) -> None:
    scene = Scene.of(bent)
    scene.set_route(np.array([0, 1, 2], np.int32))
    assert scene.markers.path.tolist() == [0, 1, 2]
    scene, _ = searched(bent, 0)
    scene.set_route(np.array([2, 1], np.int32))
    assert scene.markers.path.tolist() == [2, 1]


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
    geometry = there(scene.geometry)
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
    scene.wanted = AS_ROADS
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


def test_a_lesson_shows_the_cells_of_a_cut_at_its_step(result: Result) -> None:
    network = result.network
    assert LessonMarks.of(Marks(cells=2), network).cells is None, "it has not been cut yet"
    cut = there(dissection_of(network))
    marks = LessonMarks.of(Marks(cells=2), network, 3)
    assert marks.cells is not None and LessonMarks.of(Marks(), network).cells is None
    assert marks == LessonMarks.of(Marks(cells=2), network, 3), "made once"
    depth = cut.depth[cut.cell_of][cut.position]
    shown = marks.cells.first_step == 0
    assert (shown == (depth >= 2)).all() and 0 < shown.sum() < network.node_count
    scene = Scene.of_result(result)
    scene.mode, scene.step = "search", 3.0
    scene.put(marks)
    assert scene.node_colours is marks.cells and scene.table is scene.style.zone_table and scene.trail == 0.0
    ends = network.tails(), network.targets
    inside = shown[ends[0]] & shown[ends[1]]
    assert inside.any() and (marks.cells.colour[ends[0]] == marks.cells.colour[ends[1]])[inside].all(), "no arc leaves"
    scene.step = 4.0
    assert scene.node_colours is not marks.cells and scene.table is scene.style.table, "the search goes on"
    scene.step, scene.mode = 3.0, "tree"
    assert scene.node_colours is not marks.cells


@dataclass(frozen=True, eq=False)
class Flag(Layer):
    """A subject of which the map knows nothing."""

    colours: NodeColours
    painted: list[str]

    NAME: ClassVar[str] = "flag"
    ORDER: ClassVar[int] = 70
    PRECEDENCE: ClassVar[int] = 70

    def node_colours(self, scene: Scene) -> NodeColours:
        return self.colours

    def paint_below(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        self.painted.append("below")

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        self.painted.append("over")

    def paint_edges(self, painter: QPainter, scene: Scene, camera: Camera, base: float) -> None:
        self.painted.append("edges")


@pytest.mark.usefixtures("qapp")
def test_a_layer_that_the_map_does_not_know_takes_the_search_s_place_until_it_is_taken_away(result: Result) -> None:
    scene = Scene.of_result(result)
    scene.mode = "tree"
    tree = render(scene, 200, 150)
    flag = Flag(replace(scene.node_colours, legend=None, table="zone_table"), [])
    scene.put(flag)
    copied = replace(scene)
    assert scene.node_colours is flag.colours and scene.shows_whole and not scene.shows_tree
    assert scene.table is scene.style.zone_table and render(scene, 200, 150) != tree
    assert flag.painted == ["below", "over", "edges"]
    assert "flag" not in scene.alone("tree").layers, "films show the search"
    scene.take_away("flag")
    assert render(scene, 200, 150) == tree and "flag" in copied.layers, "a copy keeps its own"


def test_a_drawing_has_no_scale_bar() -> None:
    length = Metric("length", "m", 1.0, np.ones(1, np.int32))
    ends: dict[str, Any] = {"tails": np.array([0]), "heads": np.array([1]), "metrics": [length]}
    for places, has_lengths in (
        ([[0, 0], [9000, 0]], False),
        ([[15_000_000, 48_000_000], [15_010_000, 48_000_000]], True),
    ):
        network = RoadNetwork.from_arcs(name="Two", node_count=2, coordinates=np.array(places), **ends)
        assert Scene.of(network).scale_bar is has_lengths
