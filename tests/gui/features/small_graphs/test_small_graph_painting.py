"""Small graphs as they are painted: every label stands in the picture, and no state is told by colour alone."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from tests.gui.conftest import drawn

from map_layers import graph_in
from plain_labels import arcs_of, dijkstra_rows, pass_rows
from there import there
from wayfront import search
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront.results.result import Result
from wayfront_gui.features.closures.layer import ClosedRoads
from wayfront_gui.features.export.vector_drawing import write_drawing
from wayfront_gui.features.lessons.layer import LessonMarks
from wayfront_gui.features.small_graphs.arcs import DASHES, WIDTHS, ArcKind, ArcShapes
from wayfront_gui.features.small_graphs.graph import NOWHERE, disc_radius
from wayfront_gui.features.small_graphs.layer import rows_of, shown_graph
from wayfront_gui.features.small_graphs.nodes import NodeState, inks_of, paint_disc
from wayfront_gui.map import picking
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.offscreen import camera_for, render
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.map.style import Style

pytestmark = pytest.mark.usefixtures("qapp")
SIZE = 700, 500


@pytest.fixture(scope="module")
def example() -> RoadNetwork:
    return open_network("example:paper-e")


@pytest.fixture(scope="module")
def found(example: RoadNetwork) -> dict[str, Result]:
    return {name: search(example, 0, name, "cpu", runs=0, trace=True) for name in ("dijkstra", "bellman-ford-v3")}


def scene_of(result: Result, step: float | None = None, theme: str = "dark") -> Scene:
    scene = Scene.of_result(result, Style(theme))
    scene.scale_bar, scene.found = False, replace(scene.found, nodes=replace(scene.found.nodes, legend=None))
    scene.mode, scene.step = ("tree", 0.0) if step is None else ("search", step)
    return scene


def texts_of(scene: Scene, path: Path) -> list[str]:
    """Return the texts of a drawing in the order in which they were painted."""
    write_drawing(scene, path, *SIZE)
    return [
        "".join(element.itertext()).strip()
        for element in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    ]


@pytest.mark.parametrize("algorithm", ["dijkstra", "bellman-ford-v3"])
def test_every_label_of_every_step_stands_in_the_picture(
    found: dict[str, Result], algorithm: str, tmp_path: Path
) -> None:
    result = found[algorithm]
    assert result.trace is not None
    arcs = arcs_of(result.network)
    by_hand = dijkstra_rows(5, arcs, 0)[0] if algorithm == "dijkstra" else pass_rows(5, arcs, 0)
    graph = there(graph_in(scene_of(result)))
    weights = [graph.weights[arc] for arc in graph.courses.arc.tolist()]
    for step in range(len(result.trace)):
        labels, before = by_hand[min(step + 1, len(by_hand) - 1)], by_hand[step]
        wanted = ["∞" if label < 0 else str(label) for label in labels]
        old = [str(was) for was, now in zip(before, labels, strict=True) if was >= 0 and was != now]
        texts = texts_of(scene_of(result, step), tmp_path / "step.svg")
        # Weights, names, then labels with what they were before; what the signs mean comes last.
        names = [texts.index(name) for name in "ABCDE"]
        shown = texts[max(names) + 1 :]
        shown = [text for text in shown if re.fullmatch(r"∞|\d+", text)]
        assert sorted(shown) == sorted(wanted + old), f"after step {step}"
        assert sorted(texts[: min(names)]) == sorted(weights), "one for each line"


def test_states_differ_without_colour() -> None:
    pictures = []
    grey = QColor(128, 128, 128)
    for state in NodeState:
        image = QImage(60, 60, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        painter = QPainter(image)
        paint_disc(painter, image.rect().center().toPointF(), 14.0, state, grey, inks_of(Style("paper")))
        painter.end()
        pictures.append(np.frombuffer(image.convertToFormat(QImage.Format.Format_Grayscale8).bits(), np.uint8).copy())
    for index, one in enumerate(pictures):
        for other in pictures[index + 1 :]:
            assert (np.abs(one.astype(int) - other) > 40).sum() > 60
    looks = {(WIDTHS[kind], tuple(DASHES.get(kind, ()))) for kind in ArcKind}
    assert len(looks) >= len(ArcKind) - 1, "kinds of arcs differ in width or dashes"


@pytest.mark.parametrize("theme", ["dark", "light", "paper", "projector"])
def test_a_step_and_the_tree_are_drawn_in_every_theme(found: dict[str, Result], theme: str) -> None:
    bare, first, tree = (
        render(scene, *SIZE)
        for scene in (
            Scene.of(found["dijkstra"].network, Style(theme)),
            scene_of(found["dijkstra"], 1.0, theme),
            scene_of(found["dijkstra"], None, theme),
        )
    )
    assert first not in (bare, tree)
    roads = scene_of(found["dijkstra"], 1.0, theme)
    roads.wanted = AS_ROADS
    assert graph_in(roads) is None and render(roads, *SIZE) != first


def test_an_undirected_line_has_a_head_only_where_one_of_its_ways_matters() -> None:
    network = drawn([(0, 1), (1, 0), (1, 2)], [(0, 0), (9000, 0), (9000, 9000)])
    result = search(network, 0, "dijkstra-heap", "cpu", runs=0, trace=True)
    scene, page = scene_of(result, -1.0), QImage(*SIZE, QImage.Format.Format_RGB32)

    def heads_at(step: float) -> set[tuple[int, bool, bool]]:
        ArcShapes.of.cache_clear()
        scene.step = step
        camera = camera_for(scene, *SIZE)
        painter = QPainter(page)
        shown = there(shown_graph(scene))
        shown.paint_diagram(painter, scene, camera)
        painter.end()
        graph = there(graph_in(scene))
        kept = ArcShapes.of(graph, camera, disc_radius(graph, camera))
        return set(kept._lines)  # the lines as they were drawn: course, head, head at its beginning

    before, first = heads_at(-1.0), heads_at(0.0)
    graph = there(graph_in(scene))
    both, one = graph.course_between(0, 1), graph.course_between(1, 2)
    assert graph.course_between(1, 0) == both and graph.course_between(0, 2) == -1
    assert before == {(both, False, False), (one, True, False)}
    forward = int(graph.courses.tail[both]) == 0
    assert first == {(both, forward, not forward), (one, True, False)}, "the arc that gave node 1 its label"
    second = heads_at(1.0)
    assert second == {(both, True, True), (one, True, False)}, "the arc of the tree, and the one back, no shorter way"


def test_what_a_lesson_points_out_lies_on_the_arc_that_is_bent() -> None:
    network = drawn([(0, 1), (0, 2), (2, 1)], [(0, 0), (9000, 0), (4500, 0)])
    scene = Scene.of(network)
    camera, graph = camera_for(scene, *SIZE), graph_in(scene)
    assert graph is not None
    bare = render(scene, *SIZE)
    scene.put(LessonMarks(arcs=((0, 1),)))
    marked = render(scene, *SIZE)
    straight = camera.to_pixels((graph.x[0] + graph.x[1]) / 2, (graph.y[0] + graph.y[1]) / 2)
    bent = ArcShapes.of(graph, camera, disc_radius(graph, camera)).point(graph.course_between(0, 1), 0.4)
    differs = [
        bare.pixel(round(x), round(y)) != marked.pixel(round(x), round(y)) for x, y in (straight, bent.toTuple())
    ]
    assert differs == [False, True]


def test_the_band_over_an_arc_leaves_its_weight_clear() -> None:
    scene = Scene.of(drawn([(0, 1)], [(0, 0), (9000, 0)]))
    camera, shown = camera_for(scene, *SIZE), shown_graph(scene)
    assert shown is not None
    graph, placing, course = shown.graph, shown.placing(camera), shown.graph.course_between(0, 1)
    shapes = ArcShapes.of(graph, camera, placing.sizes.radius)
    weight, line = shapes.point(course, float(placing.weights[course])), shapes.point(course, 0.2)
    beside_text = round(weight.x() - placing.boxes[course, 0] / 2) + 3, round(weight.y())
    beside_line = round(line.x()), round(line.y()) + 3
    bare = render(scene, *SIZE)
    scene.put(LessonMarks(arcs=((0, 1),)))
    marked = render(scene, *SIZE)
    changes = [
        abs(QColor(bare.pixel(*at)).lightness() - QColor(marked.pixel(*at)).lightness())
        for at in (beside_text, beside_line)
    ]
    assert changes[0] < 12 < changes[1], changes


def test_routes_closed_roads_and_the_pointer_are_seen(found: dict[str, Result]) -> None:
    result = found["dijkstra"]
    plain = render(scene_of(result), *SIZE)
    scene = scene_of(result)
    scene.set_route(np.array([0, 2, 3, 1], np.int32))
    assert (routed := render(scene, *SIZE)) != plain
    closing = there(ClosedRoads.of(result.network, np.array([0], np.int64)))
    scene.put(closing)
    assert (closed := render(scene, *SIZE)) != routed
    scene.mark(hovered=3)
    assert render(scene, *SIZE) != closed


def test_clicks_find_discs_and_a_map_with_nodes_in_view_needs_no_way_back(found: dict[str, Result]) -> None:
    scene = scene_of(found["dijkstra"])
    camera = camera_for(scene, *SIZE)
    frame = Frame.draw(there(scene.geometry), scene.drawing(camera), camera)
    assert not frame.gbuffer.any(), "nothing is drawn as roads"
    for node in range(5):
        at = camera.to_pixels(*scene.place(node))
        assert picking.node_at(scene, frame, *at, 2.0) == node
    assert picking.node_at(scene, frame, 1.0, 1.0, 2.0) == -1
    assert picking.node_at(scene, frame, 1.0, 1.0, 2.0, anywhere=True) >= 0


def test_a_loop_at_a_node_without_others_is_drawn() -> None:
    alone = Scene.of(drawn([(0, 0)], [(0, 0)]))
    assert graph_in(alone) is not None and render(alone, 300, 200) != render(Scene(), 300, 200)


def test_the_key_takes_as_many_rows_as_it_needs() -> None:
    class Wide:
        width = 90.0

    assert [len(row) for row in rows_of([Wide(), Wide(), Wide()], 250.0)] == [2, 1]  # type: ignore[list-item]
    assert rows_of([], 250.0) == [] and NOWHERE < 0


@pytest.mark.parametrize(
    ("width", "height", "text"), [(1280, 720, 1.0), (900, 400, 1.0), (1280, 720, 2.0), (500, 900, 1.0)]
)
def test_a_graph_is_fitted_into_what_caption_and_legend_leave(
    found: dict[str, Result], width: int, height: int, text: float
) -> None:
    scene = scene_of(found["dijkstra"], 2.0)
    scene.style = Style("dark", text_scale=text)
    camera = camera_for(scene, width, height)
    graph = there(graph_in(scene))
    x, y = camera.to_pixels(graph.x, graph.y)
    radius = disc_radius(graph, camera.in_units(text)) * text
    assert x.min() > radius and x.max() < width - radius
    assert y.min() > 1.5 * radius and y.max() < height - 75 * text - radius
