"""How small graphs are drawn: courses that keep clear, texts that lie on nothing, labels as they are by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.gui.conftest import drawn

from plain_labels import arcs_of, delta_rows, dijkstra_rows, pass_rows
from wayfront import search
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.opening import open_network
from wayfront_gui.model.graph_numbers import NO_LABEL, NOT_KNOWN, Numbers
from wayfront_gui.model.race import Caption, Lane
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.fitting import fitting_camera, has_room_for_key
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.small_graph.graph import SmallGraph
from wayfront_gui.scene.small_graph.hits import arc_at, disc_at, weight_at, weight_box
from wayfront_gui.scene.small_graph.moment import NO_ARC, Steps, finished
from wayfront_gui.scene.small_graph.placing import Placing, placing_of
from wayfront_gui.scene.small_graph.shown import ShownGraph
from wayfront_gui.scene.small_graph.sizes import disc_radius
from wayfront_gui.scene.style import Style


def plain_size(text: str, pixels: int) -> tuple[float, float]:
    return 0.6 * pixels * len(text), 1.3 * pixels


def made(network: RoadNetwork) -> SmallGraph:
    graph = SmallGraph.of(network)
    assert graph is not None
    return graph


@pytest.fixture(scope="module")
def example() -> RoadNetwork:
    return open_network("example:paper-e")


def seen_from(graph: SmallGraph, width: int = 1000, height: int = 700) -> tuple[Camera, Placing]:
    camera = fitting_camera(Scene.of(graph.network), width, height, 1.0)
    return camera, placing_of(graph, camera, "88", plain_size)


def test_a_key_is_shown_only_where_it_lies_below_the_lowest_label(example: RoadNetwork) -> None:
    graph, keyed = made(example), 0
    for width, height in ((700, 320), (620, 360), (450, 360), (450, 380), (341, 294), (341, 420)):
        if has_room_for_key(width, height):
            keyed += 1
            camera, placing = seen_from(graph, width, height)
            rows = -(-1000 // (width - 32))  # of a key with all that it may have
            lowest = camera.to_pixels(graph.x, graph.y)[1].max() + placing.sizes.radius + 16
            assert lowest < height - 20 * rows - 57, "where the title of the colours is"
    assert 0 < keyed < 6


# -------------------------------------------------------------------------------------------------- courses


def test_one_weight_both_ways_is_one_line_and_two_weights_are_two_that_part() -> None:
    places = [(0, 0), (9000, 0), (9000, 9000)]
    network = drawn([(0, 1), (1, 0), (1, 2), (2, 1)], places)
    by_pair = {(0, 1): 5, (1, 0): 5, (1, 2): 3, (2, 1): 4}
    weights = np.array([by_pair[int(u), int(v)] for u, v in zip(network.tails(), network.targets, strict=True)])
    graph = made(RoadNetwork.from_arrays(
        name="two", offsets=network.offsets, targets=network.targets, coordinates=network.coordinates,
        metrics=[Metric("weight", "", 1.0, weights.astype(np.int32))],
    ))  # fmt: skip
    courses = graph.courses
    assert len(courses.arc) == 3 and (courses.back >= 0).sum() == 1
    # The middle of a parabola is halfway between that of the straight line and the control point.
    middle_x = (graph.x[courses.tail] + graph.x[courses.head] + 2 * courses.control_x) / 4
    middle_y = (graph.y[courses.tail] + graph.y[courses.head] + 2 * courses.control_y) / 4
    ways = zip(courses.tail.tolist(), courses.head.tolist(), strict=True)
    middle = dict(zip(ways, zip(middle_x, middle_y, strict=True), strict=True))
    apart = np.hypot(*np.subtract(middle[1, 2], middle[2, 1]))
    assert apart > graph.radius, "each has its own line"
    assert (courses.of_arc >= 0).all()


def test_a_course_goes_round_a_node_that_lies_on_its_way() -> None:
    graph = made(drawn([(0, 1), (1, 2), (0, 2)], [(0, 0), (9000, 0), (18000, 0)]))
    courses = graph.courses
    long = int(np.flatnonzero((courses.tail == 0) & (courses.head == 2))[0])
    short = int(np.flatnonzero((courses.tail == 0) & (courses.head == 1))[0])
    height = graph.y.max() - graph.y.min()
    assert abs(courses.control_y[long] - graph.y[0]) / 2 > graph.radius > height
    assert courses.control_y[short] == pytest.approx(graph.y[0])


def test_larger_networks_and_those_without_places_are_no_small_graphs(grid: RoadNetwork) -> None:
    assert ShownGraph.of(grid) is None, "tests draw the grid as a road map"
    bare = RoadNetwork.from_arcs(
        name="bare", node_count=2, tails=np.array([0]), heads=np.array([1]),
        metrics=[Metric("weight", "", 1.0, np.array([1], np.int32))],
    )  # fmt: skip
    assert SmallGraph.of(bare) is None


# ------------------------------------------------------------------------------------------------------ texts


def boxes_of(graph: SmallGraph, camera: Camera, placing: Placing) -> list[tuple[float, float, float, float]]:
    """Return the boxes of all texts beside discs and on arcs: left, top, right, bottom."""
    x, y = camera.to_pixels(graph.x, graph.y)
    middles = np.stack([x, y], axis=1) + placing.beside
    boxes = [(*(at - room / 2), *(at + room / 2)) for at, room in zip(middles, placing.rooms, strict=True)]
    for course in np.flatnonzero(placing.weights >= 0).tolist():
        left, top, width, height = weight_box(graph, placing, camera, course)
        boxes.append((left, top, left + width, top + height))
    return boxes


@pytest.mark.parametrize("name", ["paper-e", "cormen-nine", "romania", "sedgewick-eight"])
@pytest.mark.parametrize("width", [700, 1280, 2560])
def test_no_text_lies_on_another_and_every_arc_of_an_example_has_its_weight(name: str, width: int) -> None:
    graph = made(open_network(f"example:{name}"))
    camera, placing = seen_from(graph, width, width * 9 // 16)
    boxes = boxes_of(graph, camera, placing)
    for index, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[index + 1 :]:
            across = min(right, other[2]) - max(left, other[0])
            down = min(bottom, other[3]) - max(top, other[1])
            assert across < 4 or down < 4, f"{name}: two texts lie on each other"
    beyond = np.maximum(np.abs(placing.beside) - placing.rooms / 2, 0.0)
    assert not placing.sizes.label or np.hypot(*beyond.T).min() > placing.sizes.radius, (
        f"{name}: a text lies over its node"
    )
    assert (placing.weights >= 0).mean() > (0.99 if width > 1000 and name == "paper-e" else 0.6)


@pytest.mark.parametrize(("width", "height", "text"), [(306, 264, 2.0), (930, 620, 1.0)])
def test_the_caption_of_a_race_lies_over_no_node(width: int, height: int, text: float) -> None:
    scene = Scene.of(open_network("example:romania"))
    scene.style, scene.caption = Style("dark", text_scale=text), Caption(Lane("Dijkstra", "", "", None, 0.5, 0.5))
    assert scene.graph is not None
    camera = fitting_camera(scene, width, height, 1.0)
    across, down = camera.to_pixels(scene.graph.x, scene.graph.y)
    radius = disc_radius(scene.graph, camera)
    assert down.min() - radius > 55 * text and down.max() + radius < height
    assert across.min() - radius > 0 and across.max() + radius < width


def test_a_road_map_is_lowered_under_the_caption_of_a_race_only_as_far_as_there_is_room() -> None:
    scene = Scene.of(drawn([(k, k + 1) for k in range(300)], [(40 * k, 10 * (k % 2)) for k in range(301)]))
    assert scene.graph is None
    scene.caption = Caption(Lane("Dijkstra", "", "", None, 0.5, 0.5))
    for height, lower in ((300, 0.0), (80, 24.0), (20, 9.6)):
        alone, raced = fitting_camera(scene, 400, height, 1.0, scene.home), fitting_camera(scene, 400, height, 1.0)
        assert raced.scale == alone.scale
        rows = [camera.to_pixels(0.0, scene.home.middle[1])[1] for camera in (alone, raced)]
        assert rows[1] - rows[0] == pytest.approx(lower, abs=1)


def test_texts_that_could_not_be_read_are_left_out_and_come_back_when_one_zooms_in(example: RoadNetwork) -> None:
    graph = made(example)
    _, small = seen_from(graph, 60, 40)
    assert small.inside == 0 and (small.weights < 0).all()
    _, large = seen_from(graph)
    assert large.inside > 0 and (large.weights >= 0).all()


def test_numbers_are_exact_or_in_a_larger_unit() -> None:
    weights = np.array([7, 12], np.int32)
    assert Numbers.of(Metric("weight", "", 1.0, weights), 123_456_789).text(123_456_789) == "123456789"
    assert Numbers.of(Metric("length", "m", 0.1, weights), 500).text(123) == "12.3"
    far = Numbers.of(Metric("length", "m", 1.0, weights * 1000), 250_000)
    assert (far.text(12_000), far.unit) == ("12", "km")
    assert far.text(NO_LABEL) == "∞" and far.text(NOT_KNOWN) == "?"


# ---------------------------------------------------------------------------------------------------- moments


@pytest.mark.parametrize("algorithm", ["dijkstra", "bellman-ford-v3", "delta-stepping"])
def test_labels_of_every_step_are_those_worked_out_by_hand(example: RoadNetwork, algorithm: str) -> None:
    arcs = arcs_of(example)
    by_hand = {
        "dijkstra": lambda: dijkstra_rows(5, arcs, 0)[0],
        "bellman-ford-v3": lambda: pass_rows(5, arcs, 0),
        "delta-stepping": lambda: delta_rows(5, arcs, 0, 4)[0],
    }[algorithm]()
    result = search(example, 0, algorithm, "cpu", runs=0)
    assert result.trace is not None
    steps = Steps(example, result.metric, result.trace, result.distances)
    shown = [steps.at(step).labels.tolist() for step in range(-1, len(result.trace))]
    assert shown[: len(by_hand)] == by_hand[: len(shown)] and shown[-1] == by_hand[-1]


def test_the_states_of_dijkstras_steps(example: RoadNetwork) -> None:
    result = search(example, 0, "dijkstra", "cpu", runs=0)
    assert result.trace is not None
    steps = Steps(example, result.metric, result.trace, result.distances)
    _, order = dijkstra_rows(5, arcs_of(example), 0)
    tails, heads = example.tails(), example.targets
    for step, node in enumerate(order):
        now = steps.at(step)
        assert np.flatnonzero(now.frontier).tolist() == [node]
        assert np.flatnonzero(now.settled).tolist() == sorted(order[:step])
        assert set(tails[now.tried].tolist()) <= {node}
        assert (heads[now.improving] == np.flatnonzero(now.changed)).all()
        labelled = now.labelled & (np.arange(5) != 0)
        assert (now.parents[labelled] != NO_ARC).all() and now.parents[0] == NO_ARC
        through = now.labels[tails[now.parents[labelled]]] + result.metric.weights[now.parents[labelled]]
        assert (through == now.labels[labelled]).all()
    last = finished(example, result.metric, result.distances, result.parents)
    assert (tails[last.parents[1:]] == result.parents[1:]).all() and last.settled.all()


def test_a_trace_without_labels_shows_those_it_knows(example: RoadNetwork) -> None:
    result = search(example, 0, "bellman-ford-v3", "cpu", runs=0)
    assert result.trace is not None
    steps = Steps(example, result.metric, replace(result.trace, tentative=None), result.distances)
    first, last = steps.at(0).labels.tolist(), steps.at(len(result.trace) - 1).labels.tolist()
    assert first == [0, NOT_KNOWN, 4, NO_LABEL, NO_LABEL] and last == [0, 8, 4, 6, 11]


# ----------------------------------------------------------------------------------------------------- hits


def test_discs_arcs_and_weights_are_hit_where_they_are_drawn(example: RoadNetwork) -> None:
    graph = made(example)
    camera, placing = seen_from(graph)
    x, y = camera.to_pixels(graph.x, graph.y)
    for node in range(5):
        assert disc_at(graph, camera, x[node] + 6, y[node] - 6) == node
    assert disc_at(graph, camera, 2.0, 2.0) == -1 and disc_at(graph, camera, 2.0, 2.0, anywhere=True) >= 0
    for course in range(len(graph.courses.arc)):
        left, top, width, height = weight_box(graph, placing, camera, course)
        middle = left + width / 2, top + height / 2
        assert weight_at(graph, placing, camera, *middle) == graph.courses.arc[course]
        assert graph.courses.of_arc[arc_at(graph, camera, *middle)] == course
    assert arc_at(graph, camera, 2.0, 2.0) == -1 and weight_at(graph, placing, camera, 2.0, 2.0) == -1
