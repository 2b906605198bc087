"""Signs of forbidden turns: where they stand, when they are seen, what they say; routes that come back to a node."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint
from PySide6.QtGui import QHelpEvent, QImage, QPainter
from pytestqt.qtbot import QtBot

import wayfront
from map_layers import layer, pixel_of
from pointer import move_pointer
from round_the_block import write_map
from there import there
from wayfront.network.copies import end_of
from wayfront.network.forbidden_turns import TurnRule, forbidden_turns
from wayfront.network.road_network import RoadNetwork
from wayfront.results.route import Route
from wayfront_gui.app.window import Window
from wayfront_gui.features.routes.layer import ReturnMarks
from wayfront_gui.features.routes.panel import RoutePanel
from wayfront_gui.features.turns.control import SignControl
from wayfront_gui.features.turns.layer import FROM, FULL, TurnSigns, paint_sign, placed, strength_of
from wayfront_gui.features.turns.words import Way, return_texts, rule_text
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.session.routes import returns_of


@pytest.fixture
def block(tmp_path: Path) -> RoadNetwork:
    return wayfront.open_network(write_map(tmp_path), cache=False)


def route(network: RoadNetwork, begin: int = 1, end: int = 5) -> Route:
    found = wayfront.search(network, network.node(begin), "dijkstra", "cpu", runs=0)
    return found.route(end_of(network, network.node(end)))


def seen(scene: Scene, scale: float) -> Camera:
    x, y = scene.home.middle
    return Camera(scale, x - 400 / scale, y + 300 / scale, 800, 600)


def signs_of(scene: Scene) -> TurnSigns:
    found = layer(scene, TurnSigns.NAME)
    assert isinstance(found, TurnSigns)
    return found


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (("no_left_turn", 10, 2, 15), "No left turn from Long Road into North Lane"),
        (("no_right_turn", 15, 2, 10), "No right turn from North Lane into Long Road"),
        (("no_straight_on", 10, 2, 11), "No way straight on from Long Road into Long Road"),
        (("only_straight_on", 14, 2, 15), "Straight on only, from Cross Street into North Lane"),
        (("no_u_turn", 15, 2, 15), "No U-turn on North Lane"),
    ],
)
def test_a_sign_says_its_rule(tmp_path: Path, kind: tuple[str, int, int, int], said: str) -> None:
    network = wayfront.open_network(write_map(tmp_path, kind), cache=False)
    turns = forbidden_turns(network)
    assert said in [rule_text(network, turns, row) for row in range(len(turns))]


def test_a_sign_stands_before_its_node_right_of_the_road_and_points_along_it(block: RoadNetwork) -> None:
    scene = Scene.of(block)
    signs, camera = signs_of(scene), seen(scene, 2.0)
    (sign,) = placed(signs, camera)
    x, y = camera.to_pixels(*signs.at[0])
    assert x - 60 < sign.x < x - 15, "whoever arrives comes from the west"
    assert 8 < sign.y - y < 30, "and drives on the right"
    assert sign.turned == pytest.approx(90, abs=1) and signs.ways == (Way.LEFT,)
    assert signs.sign_at(camera, sign.x + 3, sign.y) == 0 and signs.sign_at(camera, float(x), float(y)) == -1


def test_signs_fade_in_and_never_cover_each_other(tmp_path: Path) -> None:
    every = [("no_left_turn", 10, 2, 15), ("no_straight_on", 14, 2, 15), ("no_left_turn", 15, 2, 11)]
    scene = Scene.of(wayfront.open_network(write_map(tmp_path, *every), cache=False))
    signs = signs_of(scene)
    assert [strength_of(seen(scene, scale)) for scale in (FROM, FULL)] == [0.0, 1.0]
    assert signs.sign_at(seen(scene, FROM), 400, 300) == -1
    for scale in (0.4, 1.0, 4.0):
        at = [(sign.x, sign.y) for sign in placed(signs, seen(scene, scale))]
        apart = [math.dist(one, other) for i, one in enumerate(at) for other in at[:i]]
        assert at and min(apart, default=99.0) >= 12
    assert len(placed(signs, seen(scene, 4.0))) == 3


def picture(scene: Scene, camera: Camera) -> np.ndarray:
    image = QImage(camera.width, camera.height, QImage.Format.Format_RGB32)
    image.fill(0)
    painter = QPainter(image)
    for each in scene.layers.values():
        each.paint(painter, scene, camera)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint32).copy()


def test_signs_are_drawn_where_they_are_wanted_and_a_diagram_does_not_take_their_place(block: RoadNetwork) -> None:
    scene = Scene.of(block)
    camera = seen(scene, 2.0)
    scene.wanted = AS_ROADS
    drawn = picture(scene, camera)
    scene.wanted = replace(AS_ROADS, signs=False)
    plain = picture(scene, camera)
    changed = np.flatnonzero(drawn != plain)
    (sign,) = placed(signs_of(scene), camera)
    assert 200 < len(changed) < 900
    assert np.hypot(changed % 800 - sign.x, changed // 800 - sign.y).max() < 14


def test_every_sign_looks_different(qtbot: QtBot) -> None:
    looks = set()
    kinds = [(rule, way) for rule in (TurnRule.NO, TurnRule.ONLY) for way in Way] + [(TurnRule.BARRIER, Way.LEFT)]
    for rule, way in kinds:
        image = QImage(24, 24, QImage.Format.Format_RGB32)
        image.fill(0)
        painter = QPainter(image)
        painter.translate(12, 12)
        paint_sign(painter, rule, way, Style.of("light", 100))
        painter.end()
        looks.add(bytes(image.constBits()))
    assert len(looks) == len(kinds)


# ---------------------------------------------------------------------------------------------------- coming back


def test_a_route_that_comes_back_says_why(block: RoadNetwork) -> None:
    way = route(block)
    (loop,) = returns_of(way)
    assert block.node_ids[way.nodes[[loop.first, loop.last]]].tolist() == [2, 2]
    assert return_texts(way) == (
        "Comes back to Long Road / Cross Street / North Lane, since turning left from Long Road into North Lane is "
        "forbidden.",
    )
    assert not returns_of(route(block, 7, 5)), "straight on is allowed"


def test_a_road_driven_to_and_fro_has_its_two_ways_beside_each_other(tmp_path: Path) -> None:
    closed_block = write_map(tmp_path, ("no_left_turn", 10, 2, 15), ("no_right_turn", 11, 3, 12))
    network = wayfront.open_network(closed_block, cache=False)
    way = route(network)
    scene = Scene.of(network)
    scene.set_route(way.nodes, arcs=[way.arcs])
    ids = network.node_ids[way.nodes].tolist()
    assert ids.count(2) > 1
    assert scene.markers.to_and_fro.any() == (len({*ids}) < 6)
    marks = there(ReturnMarks.of(scene, [way]))
    assert len(marks.loops) == 1 and marks.passes[0][0] < marks.passes[0][1]


def test_a_picture_without_the_window_has_the_arrows_and_numbers_too(block: RoadNetwork, qtbot: QtBot) -> None:
    begin, end = block.node(1), block.node(5)
    found = wayfront.search(block, begin, "bidirectional", "cpu", runs=0, target=end)
    scene = Scene.of_result(found)
    assert len(layer(scene, ReturnMarks.NAME).loops) == 1
    scene.mode, scene.wanted = "tree", AS_ROADS
    with_marks, in_films = render(scene, 400, 300), render(scene.alone("tree"), 400, 300)
    assert with_marks == in_films
    scene.take_away(ReturnMarks.NAME)
    assert render(scene, 400, 300) != with_marks
    straight = wayfront.search(block, begin, "bidirectional", "cpu", runs=0, target=block.node(3))
    assert ReturnMarks.NAME not in Scene.of_result(straight).layers


# ----------------------------------------------------------------------------------------------------- the window


@pytest.fixture
def on_block(window: Window, block: RoadNetwork, qtbot: QtBot) -> Window:
    window.actions_by_name["view.graph"].trigger()
    slot = window.session.active
    slot.open(block)
    slot.choose_device("cpu")
    slot.choose_algorithm("dijkstra")
    window.map.fit()
    window.map.grab()
    return window


def test_pointing_at_a_sign_says_what_it_means(on_block: Window, qtbot: QtBot) -> None:
    view, control = on_block.map, on_block.host.control(SignControl)
    scene, camera = view.map_scene, view.camera()
    (sign,) = placed(signs_of(scene), camera.in_units(camera.pixel_ratio * scene.style.text_scale))
    at = QPoint(round(sign.x * scene.style.text_scale), round(sign.y * scene.style.text_scale))
    move_pointer(view.viewport(), at + QPoint(1, 1))
    move_pointer(view.viewport(), at)

    assert on_block.host.status.hover.text() == "No left turn from Long Road into North Lane"
    help_ = QHelpEvent(QEvent.Type.ToolTip, at, view.viewport().mapToGlobal(at))
    QCoreApplication.sendEvent(view.viewport(), help_)
    assert control.card.isVisible() and "No left turn" in control.card.text
    move_pointer(view.viewport(), pixel_of(view, there(scene.geometry).node_count - 1))
    assert not control.card.isVisible()
    on_block.actions_by_name["view.signs"].trigger()
    move_pointer(view.viewport(), at)
    assert control.text(-1) == "" and not scene.wanted.signs


def test_the_panel_and_the_map_explain_a_route_that_comes_back(on_block: Window, qtbot: QtBot) -> None:
    slot, network = on_block.session.active, there(on_block.session.active.network)
    on_block.controller.choose_source(network.node(1), True)
    qtbot.waitUntil(lambda: slot.tree is not None and not on_block.controller.worker.busy)
    on_block.controller.choose_target(network.node(5))
    panel = on_block.panels.panel(RoutePanel)
    assert panel.returns.text().startswith("Comes back to Long Road") and panel.returns.isVisibleTo(panel)
    marks = layer(on_block.map.map_scene, ReturnMarks.NAME)
    assert len(marks.loops) == 1
    on_block.map.grab()
    on_block.controller.choose_target(network.node(3))
    assert not panel.returns.isVisibleTo(panel) and layer(on_block.map.map_scene, ReturnMarks.NAME) is None
    slot.take_targets(replace(slot.targets, nodes=(), shown=None))
    assert layer(on_block.map.map_scene, ReturnMarks.NAME) is None
