"""How small graphs are drawn: courses that keep clear, texts that lie on nothing, labels as they are by hand."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.gui.conftest import drawn

import plain_arcs as plain
import wayfront
from map_layers import graph_in
from plain_arcs import Did, Plain
from plain_labels import arcs_of, delta_rows, dijkstra_rows, pass_rows
from search_checks import make_network, variants
from there import there
from wayfront import search
from wayfront.algorithms.bellman_ford import IN_PLACE
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.opening import open_network
from wayfront.results.result import Result, SearchKind
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.synthetic.textbooks import EXAMPLES
from wayfront.trace.schema import Trace
from wayfront.trace.step_views import NO_ARC, Relaxing, arcs_of_step
from wayfront_gui.features.explanation.texts import explain
from wayfront_gui.features.race.layer import RaceCaption
from wayfront_gui.features.race.state import Caption, Lane
from wayfront_gui.features.small_graphs.graph import (
    Placing,
    SmallGraph,
    arc_at,
    disc_at,
    disc_radius,
    placing_of,
    weight_at,
    weight_box,
)
from wayfront_gui.features.small_graphs.layer import has_room_for_key
from wayfront_gui.features.small_graphs.moment import Moment, ShownGraph, Steps, finished
from wayfront_gui.features.small_graphs.words import NO_LABEL, NOT_KNOWN, Numbers
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.offscreen import fitting_camera
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style


def plain_size(text: str, pixels: int) -> tuple[float, float]:
    return 0.6 * pixels * len(text), 1.3 * pixels


def made(network: RoadNetwork) -> SmallGraph:
    return there(SmallGraph.of(network))


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


def test_arcs_that_bend_outward_are_seen_in_a_narrow_map() -> None:
    graph = there(SmallGraph.of(open_network("example:cormen-dijkstra")))
    bent = graph.courses.control_x.max()
    assert bent > graph.x.max(), "from x to z, beside its way back"
    assert graph.x.max() < graph.home.right < bent and graph.home.left == graph.x.min()


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
    scene.style = Style("dark", text_scale=text)
    scene.put(RaceCaption(Caption(Lane("Dijkstra", "", "", None, 0.5, 0.5))))
    graph = graph_in(scene)
    camera = fitting_camera(scene, width, height, 1.0)
    across, down = camera.to_pixels(graph.x, graph.y)
    radius = disc_radius(graph, camera)
    assert down.min() - radius > 55 * text and down.max() + radius < height
    assert across.min() - radius > 0 and across.max() + radius < width


def test_a_road_map_is_lowered_under_the_caption_of_a_race_only_as_far_as_there_is_room() -> None:
    scene = Scene.of(drawn([(k, k + 1) for k in range(300)], [(40 * k, 10 * (k % 2)) for k in range(301)]))
    assert graph_in(scene) is None
    scene.put(RaceCaption(Caption(Lane("Dijkstra", "", "", None, 0.5, 0.5))))
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
    result = search(example, 0, algorithm, "cpu", runs=0, trace=True)
    assert result.trace is not None
    steps = Steps(example, result.metric, result.trace, result.distances)
    shown = [steps.at(step).labels.tolist() for step in range(-1, len(result.trace))]
    assert shown[: len(by_hand)] == by_hand[: len(shown)] and shown[-1] == by_hand[-1]


def test_the_states_of_dijkstras_steps(example: RoadNetwork) -> None:
    result = search(example, 0, "dijkstra", "cpu", runs=0, trace=True)
    steps = Steps(example, result.metric, there(result.trace), result.distances)
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
    result = search(example, 0, "bellman-ford-v3", "cpu", runs=0, trace=True)
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


NETWORKS = {each.name: wayfront.open_network(f"example:{each.name}") for each in EXAMPLES}
ROUTES = [each.name for each in algorithms(SearchKind.ROUTE)]
LOWERS = re.compile(r"^\s*(d\[v\] ← (?!min)|lower d\[v\]|repeat until lock|label v )")
"""Lines of pseudo-code that only a step runs which lowers a distance."""


def procedure(name: str, result: Result, trace: Trace, did: Plain) -> Iterator[Did] | None:
    """Return the plain procedure of a search, None of the dissection, which relaxes no arcs."""
    options, taken = result.options, trace.settled.tolist()
    in_place = options.get("update") == IN_PLACE
    if name in ("dijkstra", "dijkstra-heap", "cuda-dijkstra"):
        return plain.dijkstra(did, taken)
    if name in ("bellman-ford", "bellman-ford-v1", "bellman-ford-v2", "bellman-ford-v3"):
        flagged = name == "bellman-ford-v3"
        at_once = name != "bellman-ford" and not in_place
        return (plain.passes_at_once if at_once else plain.passes_in_place)(did, flagged=flagged)
    if name in ("bellman-ford-matrix", "relax-update", "adaptive", "advanced-atomics"):
        return plain.passes_at_once(did, flagged=name != "bellman-ford-matrix")
    if name == "bellman-ford-queue":
        one_head = options["serving"] == "one head a step (paper)"
        batch = None if options["batch"] == "auto" else int(options["batch"])
        return plain.queue(did, str(options["order"]), batch, one_head=one_head)
    if name in ("delta-stepping", "near-far"):
        width = int(trace.bucket_high[0] - trace.bucket_low[0])
        return (plain.delta_stepping if name == "delta-stepping" else plain.near_far)(did, width)
    assert name == "dissection"
    return None


def marked(flags: Any) -> set[int]:
    return set(np.flatnonzero(flags).tolist())


def check_step(moment: Moment, did: Did, by: dict[int, int], where: str) -> None:
    assert marked(moment.frontier) == did.expanded, where
    assert marked(moment.tried) == did.tried, where
    assert marked(moment.improving) == did.lowered, where
    assert {node: arc for node, arc in enumerate(moment.parents.tolist()) if arc != NO_ARC} == by, where


def check_code(name: str, trace: Trace, step: int, did: Did) -> None:
    """Check that the line at work is none that lowers a distance where none fell, and that the others are run."""
    note, told = trace.step(step).note, explain(name)
    in_vain = not did.lowered
    assert in_vain == (trace.improved[step] == 0)
    line = there(told.line_at_work(note.phase, note.mode, in_vain=in_vain))
    run = [told.code[each].text for each in told.lines_of(note.phase, note.mode, in_vain=in_vain)]
    assert told.code[line].text in run
    if in_vain:
        assert not LOWERS.match(told.code[line].text), (name, step)
        assert not any(LOWERS.match(text) for text in run if name not in _UPDATING), (name, step)


_UPDATING = ("relax-update", "adaptive", "advanced-atomics", "bidirectional", "bellman-ford-v3")
"""Searches that take over what was offered by the same lines in every step, or label in a line of the loop itself."""


@pytest.mark.parametrize(("name", "options"), variants("cpu"), ids=str)
def test_arcs_and_code_show_what_the_procedure_does_in_its_order(name: str, options: dict[str, Any]) -> None:
    for example, network in NETWORKS.items():
        result = wayfront.search(network, 0, name, "cpu", options=options, runs=0, trace_budget=1 << 24)
        shown, trace, did = ShownGraph.of(network), result.trace, Plain(network, 0)
        assert shown is not None
        assert trace is not None
        steps = there(shown.with_result(result).steps)
        replay = procedure(name, result, trace, did)
        for step in range(len(trace)):
            moment = steps.at(step)
            if replay is None:
                assert not moment.tried.any() and not moment.improving.any()
                continue
            expected = next(replay)
            assert [label if label >= 0 else np.inf for label in moment.labels.tolist()] == did.label, example
            check_step(moment, expected, did.by, f"{example}, step {step}")
            check_code(name, trace, step, expected)


@pytest.mark.parametrize("name", ROUTES)
def test_searches_to_a_target_show_the_arcs_of_the_nodes_that_they_expand(name: str) -> None:
    for network in NETWORKS.values():
        target = int(np.flatnonzero(wayfront.search(network, 0, "dijkstra", "cpu", runs=0).reached)[-1])
        result = wayfront.search(network, 0, name, "cpu", target=target, runs=0, trace_budget=1 << 24)
        shown, trace, did = ShownGraph.of(network), result.trace, Plain(network, 0)
        assert shown is not None
        assert trace is not None
        steps = there(shown.with_result(result).steps)
        both = list(plain.both_ways(did, target, trace.relaxations.tolist())) if name == "bidirectional" else []
        for step in range(len(trace)):
            moment, (node,) = steps.at(step), trace.frontier(step).tolist()
            if both:
                expected = both[step]
                assert not expected.expanded or expected.expanded == {node}
            else:
                expected = Did()
                if trace.relaxations[step]:
                    did.relax(expected, node)
                assert {v: arc for v, arc in enumerate(moment.parents.tolist()) if arc != NO_ARC} == did.by
            assert marked(moment.tried) == expected.tried
            assert marked(moment.improving) == expected.lowered
            assert len(expected.tried) == trace.relaxations[step]
            check_code(name, trace, step, expected)
        if name != "bidirectional":
            assert trace.relaxations[-1] == 0, "the target is settled, and nothing is expanded from it"


def test_the_first_pass_in_place_is_shown_as_it_went() -> None:
    """On Cormen's graph t gets 10 from s and gives x 11; then y lowers t to 8."""
    network = NETWORKS["cormen-dijkstra"]
    result = wayfront.search(network, 0, "bellman-ford", "cpu", trace=True)
    shown = there(ShownGraph.of(network))
    steps = there(shown.with_result(result).steps)
    first, last = steps.at(0), steps.at(2)
    names = [network.node_name(node) for node in range(5)]
    ends = [names[u] + names[v] for u, v in zip(network.tails(), network.targets, strict=True)]
    assert dict(zip(names, first.labels.tolist(), strict=True)) == {"s": 0, "t": 8, "x": 11, "y": 5, "z": 7}
    assert first.frontier.all()
    assert {ends[arc] for arc in marked(first.improving)} == {"st", "sy", "tx", "xz", "yt", "yz"}
    assert {ends[arc] for arc in marked(first.tried & ~first.improving)} == {"ty", "yx", "zx", "zs"}
    assert [ends[arc] for arc in itertools.compress(first.parents, first.parents >= 0)] == ["yt", "tx", "sy", "yz"]
    assert not last.improving.any()
    told, note = explain("bellman-ford"), result.trace.step(2).note if result.trace else None
    assert note is not None
    at_work = there(told.line_at_work(note.phase, note.mode, in_vain=True))
    assert told.code[at_work].text.strip() == "if d[u] + w(u,v) < d[v]:"


def test_every_search_declares_an_order_that_its_options_allow() -> None:
    for each in algorithms(SearchKind.ONE_TREE):
        for options in ({}, {"update": IN_PLACE}):
            assert find_algorithm(each.name).relaxing_with(options)


def test_a_replay_in_another_order_falls_back_on_labels() -> None:
    """As on a card, where threads relax in any order: 2 → 1 → 0 in one step, against the order of the numbers."""
    network = make_network(3, [(2, 1, 1), (1, 0, 1), (2, 0, 9)])
    result = wayfront.search(network, 2, "bellman-ford-v1", "cpu", options={"update": IN_PLACE}, trace=True)
    assert result.trace is not None
    trace = replace(result.trace, frontier_nodes=np.array([1, 2, *result.trace.frontier_nodes[1:]], np.int32))
    offsets = trace.frontier_offsets + (np.arange(len(trace.frontier_offsets)) > 0)
    trace = replace(trace, frontier_offsets=offsets)
    assert trace.frontier(0).tolist() == [1, 2]
    labels = np.array([[-1, -1, 0], [2, 1, 0]])
    arcs = arcs_of_step(network, network.metrics[0], trace, 0, labels, Relaxing.IN_TURN)
    ends = list(zip(network.tails().tolist(), network.targets.tolist(), strict=True))
    assert {ends[arc] for arc in marked(arcs.lowered)} == {(2, 1), (1, 0)}
    assert {ends[arc] for arc in marked(arcs.tried)} == {(2, 1), (1, 0), (2, 0)}
    assert [ends[arc] for arc in arcs.gave if arc != NO_ARC] == [(1, 0), (2, 1)]
