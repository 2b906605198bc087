"""The map in a window: what it shows, and what it tells of the mouse."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from map_layers import pixel_of
from pointer import move_pointer
from there import there
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront_gui.map import map_item
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.map.view import MapView
from wayfront_gui.ui.theme import THEMES

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def view(qtbot: QtBot, grid: RoadNetwork, caplog: pytest.LogCaptureFixture) -> Iterator[MapView]:
    view = MapView()
    qtbot.addWidget(view)
    view.resize(480, 360)
    view.set_network(grid)
    view.show()
    qtbot.waitExposed(view)
    view.grab()
    yield view
    # What fails in a painter does not escape; it is only logged.
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def emitted(signal: Any) -> list[tuple[Any, ...]]:
    """Return a list that collects what a signal tells."""
    calls: list[tuple[Any, ...]] = []
    signal.connect(lambda *arguments: calls.append(arguments))
    return calls


def drag(view: MapView, start: QPoint, *way: QPoint) -> None:
    QTest.mousePress(view.viewport(), LEFT, NONE, start)
    for pos in way:
        move_pointer(view.viewport(), pos)
    QTest.mouseRelease(view.viewport(), LEFT, NONE, way[-1])


def colours(image: QImage) -> set[int]:
    return {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}


# ------------------------------------------------------------------------------------------------- pointing


def test_a_click_sets_the_source(view: MapView) -> None:
    moved, chosen = emitted(view.source_moved), emitted(view.target_chosen)
    QTest.mouseClick(view.viewport(), LEFT, NONE, pixel_of(view, 30))
    assert moved == [(30, True)] and chosen == []


def test_a_right_click_and_a_shift_click_choose_a_target(view: MapView) -> None:
    moved, chosen = emitted(view.source_moved), emitted(view.target_chosen)
    QTest.mouseClick(view.viewport(), RIGHT, NONE, pixel_of(view, 41))
    QTest.mouseClick(view.viewport(), LEFT, SHIFT, pixel_of(view, 42))
    assert chosen == [(41,), (42,)] and moved == []


def test_a_double_click_is_one_click(view: MapView) -> None:
    moved = emitted(view.source_moved)
    QTest.mouseClick(view.viewport(), LEFT, NONE, pixel_of(view, 30))
    # QTest sends only what makes a click the second of two.
    QTest.mouseDClick(view.viewport(), LEFT, NONE, pixel_of(view, 30))
    QTest.mouseRelease(view.viewport(), LEFT, NONE, pixel_of(view, 30))
    assert moved == [(30, True)]


def test_dragging_the_source_marker_moves_it_until_it_is_let_go(view: MapView) -> None:
    view.set_source(30)
    view.source_moved.connect(lambda node, _final: view.set_source(node))  # as the model does
    before, moved = view.camera(), emitted(view.source_moved)
    drag(view, pixel_of(view, 30) + QPoint(5, 5), pixel_of(view, 31), pixel_of(view, 44))
    assert moved == [(31, False), (44, False), (44, True)]
    assert view.camera() == before and view.map_scene.markers.source == 44


def test_the_marker_stays_where_the_model_has_it_and_a_result_does_not_move_it(view: MapView, result: Result) -> None:
    view.set_source(30)
    moved = emitted(view.source_moved)
    drag(view, pixel_of(view, 30), pixel_of(view, 31), pixel_of(view, 44))
    assert moved[-1] == (44, True) and view.map_scene.markers.source == 30
    view.set_source(44)
    with view.changing() as shown:
        shown.show_result(result)
    assert result.source != 44 and view.map_scene.markers.source == 44


def test_a_drag_ends_with_its_network(view: MapView, grid: RoadNetwork) -> None:
    view.set_source(30)
    moved = emitted(view.source_moved)
    QTest.mousePress(view.viewport(), LEFT, NONE, pixel_of(view, 30))
    move_pointer(view.viewport(), pixel_of(view, 31))
    view.set_network(small_network([(0, 0), (9000, 5)], [(0, 1)]))
    view.grab()
    QTest.mouseRelease(view.viewport(), LEFT, NONE, QPoint(100, 100))
    assert moved == [(31, False)]


def test_nothing_is_hovered_while_something_is_dragged(view: MapView) -> None:
    hovered = emitted(view.node_hovered)
    view.set_source(20)
    move_pointer(view.viewport(), pixel_of(view, 20))
    drag(view, pixel_of(view, 20), pixel_of(view, 40), pixel_of(view, 41))
    assert hovered == [(20,), (-1,)] and view.map_scene.markers.hovered is None


def test_dragging_elsewhere_pans_and_sets_no_source(view: MapView) -> None:
    view.set_source(30)
    moved, changed = emitted(view.source_moved), emitted(view.view_changed)
    before = pixel_of(view, 30)
    start = pixel_of(view, 75)
    drag(view, start, start + QPoint(40, 25))
    assert moved == [] and changed
    assert (pixel_of(view, 30) - before - QPoint(40, 25)).manhattanLength() <= 2


def test_hovering_tells_each_node_once_and_none_when_the_mouse_has_left(view: MapView) -> None:
    hovered = emitted(view.node_hovered)
    for pos in (pixel_of(view, 50), pixel_of(view, 50) + QPoint(1, 0), QPoint(2, 2)):
        move_pointer(view.viewport(), pos)
    assert hovered == [(50,), (-1,)]
    move_pointer(view.viewport(), pixel_of(view, 51))
    QApplication.sendEvent(view, QEvent(QEvent.Type.Leave))
    assert hovered[2:] == [(51,), (-1,)]


def turn_wheel(view: MapView, pos: QPoint, fingers: int) -> None:
    """Turn the wheel by four notches; ``fingers``: pixels that fingers moved on a touchpad, 0 for a wheel."""
    at, turned, phase = QPointF(pos), QPoint(0, 480), Qt.ScrollPhase.NoScrollPhase
    wheel = QWheelEvent(at, at, QPoint(0, fingers), turned, Qt.MouseButton.NoButton, NONE, phase, False)
    QApplication.sendEvent(view.viewport(), wheel)


@pytest.mark.parametrize("fingers", [0, 48])
def test_the_wheel_zooms_at_the_cursor_softly_and_a_touchpad_at_once(view: MapView, qtbot: QtBot, fingers: int) -> None:
    pos, before = pixel_of(view, 60), view.camera().scale
    wanted = before * 1.0015**480
    turn_wheel(view, pos, fingers)
    first = view.camera().scale
    assert first == pytest.approx(wanted) if fingers else before < first < wanted
    qtbot.waitUntil(lambda: view.camera().scale == pytest.approx(wanted))
    assert (pixel_of(view, 60) - pos).manhattanLength() <= 3
    view.grab()
    assert view.node_at(QPointF(pixel_of(view, 60))) == 60


def test_far_from_the_map_an_arrow_points_back_and_a_click_on_it_goes_there(view: MapView) -> None:
    moved, empty = emitted(view.source_moved), view.map_scene.style.colours.background
    view.pan(3000, 0)
    image = view.grab().toImage()
    way = view.map_scene.way_back
    assert way is not None and way.east > 0 and abs(way.east) > abs(way.north)
    assert image.pixelColor(20, 20).name() == empty and len(colours(image)) > 2
    QTest.mouseClick(view.viewport(), LEFT, NONE, view.viewport().rect().center())
    view.grab()
    assert view.map_scene.way_back is None and moved == []
    assert view.node_at(QPointF(view.viewport().rect().center())) >= 0


def test_colours_are_fitted_to_what_is_seen_once_it_rests(view: MapView, result: Result, qtbot: QtBot) -> None:
    with view.changing() as shown:
        shown.show_result(result)
    scene = view.map_scene
    whole, legend = scene.found.nodes.colour.copy(), scene.found.nodes.legend
    view.set_colours_fitted(True)
    view.zoom(3.0)
    seen = view.camera().extent
    qtbot.waitUntil(lambda: scene.seen == seen)
    inside = there(scene.geometry).nodes_in(seen) & result.reached
    assert scene.found.nodes.colour[inside].min() == 0 and scene.found.nodes.colour[inside].max() == 255
    assert np.ptp(whole[inside]) < 255 and scene.found.nodes.legend != legend
    view.set_colours_fitted(False)
    assert np.array_equal(scene.found.nodes.colour, whole) and scene.found.nodes.legend == legend


def test_zoom_has_an_end_on_either_side(view: MapView) -> None:
    view.zoom(1e12)
    near = view.camera().scale
    view.zoom(1e12)
    assert view.camera().scale == pytest.approx(near)
    view.zoom(1e-12)
    fitting = view.camera().scale * 4
    view.fit()
    assert view.camera().scale == pytest.approx(fitting)


def test_the_whole_map_stays_whole_when_the_window_is_resized(view: MapView, qtbot: QtBot) -> None:
    view.resize(300, 300)
    qtbot.wait(1)
    bounds, seen = there(view.map_scene.geometry).bounds, view.camera().extent
    assert seen.left < bounds.left and seen.right > bounds.right and seen.top > bounds.top
    assert seen.width < 300 / (300 - 2 * 20) * 1.05 * max(bounds.width, bounds.height)  # a margin of 20 pixels


# -------------------------------------------------------------------------------------------------- showing


def test_the_painted_camera_is_the_one_that_pointing_uses(view: MapView) -> None:
    view.pan(13, -7)
    view.zoom(1.7, QPointF(100, 50))
    view.grab()
    painted, told = there(view.map_item.frame).camera, view.camera()
    assert painted.to_pixels(0, 0) == pytest.approx(told.to_pixels(0, 0), abs=1e-6)
    assert painted.scale == pytest.approx(told.scale) and (painted.width, painted.height) == (480, 360)


def test_the_map_lies_right_wherever_its_window_places_it(qtbot: QtBot, grid: RoadNetwork) -> None:
    """A window paints its widgets on one store, where the map's own corner is not the store's."""
    window = QWidget()
    qtbot.addWidget(window)
    view = MapView(window)
    view.setGeometry(70, 40, 480, 360)
    view.set_network(grid)
    window.resize(600, 450)
    window.show()
    qtbot.waitExposed(window)
    # Not by grab(), which would paint on a store of the map's own.
    qtbot.waitUntil(lambda: view.map_item.frame is not None)
    painted, told = there(view.map_item.frame).camera, view.camera()
    assert painted.to_pixels(0, 0) == pytest.approx(told.to_pixels(0, 0), abs=1e-6)
    assert painted.scale == pytest.approx(told.scale) and (painted.width, painted.height) == (480, 360)


def test_steps_and_tree_change_what_is_seen(view: MapView, result: Result) -> None:
    with view.changing() as shown:
        shown.show_result(result)
    pictures = []
    for step in (-1, 3, 9.5):
        view.show_step(step)
        pictures.append(view.grab().toImage())
    with view.changing() as shown:
        shown.mode = "tree"
    pictures.append(view.grab().toImage())
    assert all(a != b for i, a in enumerate(pictures) for b in pictures[:i])
    view.show_step(3)
    assert view.grab().toImage() == pictures[1]


def test_a_route_and_its_target_are_drawn_over_the_map(view: MapView, result: Result) -> None:
    with view.changing() as shown:
        shown.show_result(result)
    view.show_step(100)
    before = view.grab().toImage()
    with view.changing() as shown:
        shown.set_route(result.route(result.farthest).nodes)
    route = QColor(THEMES["dark"].map.route).rgb()
    assert view.map_scene.markers.target == result.farthest
    assert route in colours(view.grab().toImage()) and route not in colours(before)
    with view.changing() as shown:
        shown.set_route(None)
    assert view.grab().toImage() == before


@pytest.mark.parametrize("theme", sorted(THEMES))
def test_the_theme_gives_the_ground(view: MapView, theme: str) -> None:
    with view.changing() as shown:
        shown.style = replace(shown.style, theme_name=theme)
    assert view.grab().toImage().pixelColor(470, 5) == QColor(THEMES[theme].map.background)


def test_another_colour_map_recolours_what_was_reached(view: MapView, result: Result) -> None:
    with view.changing() as shown:
        shown.show_result(result)
    view.show_step(100)
    plasma = view.grab().toImage()
    with view.changing() as shown:
        shown.style = replace(shown.style, colour_map="dusk")
    assert view.grab().toImage() != plasma


def test_a_live_search_shows_its_latest_step(view: MapView, result: Result) -> None:
    assert result.trace is not None
    bare = view.grab().toImage()
    with view.changing() as shown:
        shown.show_live(result.trace, None)
    assert view.map_scene.step == len(result.trace) - 1
    assert view.grab().toImage() != bare
    with view.changing() as shown:
        shown.forget_search()
    assert view.grab().toImage() == bare


def test_without_a_map_there_is_a_sentence(view: MapView) -> None:
    view.set_network(None)
    empty = view.grab().toImage()
    assert len(colours(empty)) == 1
    with view.changing() as shown:
        shown.message = "This network has no coordinates."
    assert len(colours(view.grab().toImage())) > 1
    assert view.node_at(QPointF(100, 100)) == -1
    view.fit()
    view.zoom(2)
    view.pan(3, 3)
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(100, 100))


def small_network(places: list[tuple[int, int]], arcs: list[tuple[int, int]]) -> RoadNetwork:
    tails, heads = np.array(arcs, np.int32).reshape(-1, 2).T
    return RoadNetwork.from_arcs(
        name="small",
        node_count=len(places),
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1, np.ones(len(tails), np.int32))],
        coordinates=np.array(places, np.int32).reshape(-1, 2),
    )


@pytest.mark.parametrize(
    ("places", "arcs"),
    [
        ([], []),
        ([(5, 5)], []),
        ([(5, 5), (5, 5), (5, 5)], [(0, 1), (1, 2), (2, 0)]),
        ([(0, 5), (9000, 5)], [(0, 1)]),
        ([(5, 0), (5, 9000)], [(0, 0), (1, 1)]),
    ],
    ids=["no node", "one node", "one place", "a line", "self-loops"],
)
def test_degenerate_networks_are_shown_and_pointed_at(
    view: MapView, places: list[tuple[int, int]], arcs: list[tuple[int, int]], caplog: pytest.LogCaptureFixture
) -> None:
    view.set_network(small_network(places, arcs))
    moved = emitted(view.source_moved)
    view.grab()
    view.zoom(3.0)
    view.pan(5, 5)
    view.fit()
    view.grab()
    QTest.mouseClick(view.viewport(), LEFT, NONE, QPoint(240, 180))
    assert len(moved) == (1 if places else 0)
    assert not caplog.records


def test_no_failure_of_a_painter_escapes_and_it_is_told_once(
    view: MapView, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(map_item, "paint_overlay", fail)
    with caplog.at_level(logging.ERROR):
        view.grab()
        view.grab()
    assert [record.message for record in caplog.records] == ["the map could not be painted"]
    caplog.clear()


# ----------------------------------------------------------------------------------------- the other thread


def test_a_slow_raster_goes_on_beside_the_old_image(
    view: MapView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = view.map_item.frame
    monkeypatch.setattr(map_item, "SLOW_RASTER_MS", -1.0)
    view.zoom(2.0)
    standing_in = view.grab().toImage()
    assert view.map_item.frame is old and len(colours(standing_in)) > 1
    qtbot.waitUntil(lambda: view.map_item.settled)
    assert there(view.map_item.frame).camera.scale == pytest.approx(view.camera().scale)
    sharp = view.grab().toImage()
    monkeypatch.setattr(map_item, "SLOW_RASTER_MS", 1e9)
    view.map_item.forget_frame()
    assert view.grab().toImage() == sharp


def test_of_many_requests_the_latest_is_drawn(view: MapView, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_item, "SLOW_RASTER_MS", -1.0)
    for _ in range(5):
        view.zoom(1.2)
        view.grab()
    qtbot.waitUntil(lambda: view.map_item.settled)
    assert there(view.map_item.frame).camera.scale == pytest.approx(view.camera().scale)


def test_a_pan_by_whole_pixels_is_sharp_at_once(view: MapView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_item, "SLOW_RASTER_MS", -1.0)
    view.pan(20, -13)
    moved = view.grab().toImage()
    assert view.map_item.settled and view.map_item.frame is not None
    monkeypatch.setattr(map_item, "SLOW_RASTER_MS", 1e9)
    view.map_item.forget_frame()
    assert view.grab().toImage() == moved


def test_a_closed_or_hidden_view_leaves_no_thread(view: MapView, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_item, "SLOW_RASTER_MS", -1.0)
    view.zoom(2.0)
    view.grab()
    view.hide()
    assert view.map_item.settled
    view.show()
    view.zoom(2.0)
    view.grab()
    view.close()
    assert view.map_item.settled


# ------------------------------------------------------------------------------------------------- pictures


def test_a_picture_at_scale_2_has_the_same_layout(grid: RoadNetwork, result: Result, qapp: QApplication) -> None:
    scene = Scene.of(grid, Style("light"))
    scene.show_result(result)
    scene.step = 5.0
    one, two = render(scene, 200, 150), render(scene, 200, 150, scale=2)
    assert (two.width(), two.height(), two.devicePixelRatio()) == (400, 300, 2)
    small = two.scaled(200, 150, mode=Qt.TransformationMode.SmoothTransformation)
    greys = [
        np.array([[image.pixelColor(x, y).lightness() for x in range(200)] for y in range(150)], float)
        for image in (one, small)
    ]
    assert np.abs(greys[0] - greys[1]).mean() < 6
    # Moved by a few pixels the pictures differ far more: the roads lie at the same logical places.
    assert np.abs(np.roll(greys[0], 4, axis=1) - greys[1]).mean() > 2 * np.abs(greys[0] - greys[1]).mean()


def rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_picture_of_a_search_has_a_legend_in_the_colours_of_the_map(
    theme: str, grid: RoadNetwork, result: Result, qapp: QApplication
) -> None:
    scene = Scene.of(grid, Style(theme))
    bare = render(scene, 640, 400)
    scene.show_result(result)
    image = render(scene, 640, 400)
    ends = [rgb(image.pixelColor(x, 400 - 16 - 50)) for x in (18, 16 + 247)]
    assert np.allclose(ends, Style(theme).gradient[[0, -1]], atol=12)
    assert rgb(bare.pixelColor(18, 400 - 16 - 50)) == rgb(QColor(Style(theme).colours.background))
    small = render(scene, 200, 120)
    scene.found = replace(scene.found, nodes=replace(scene.found.nodes, legend=None))
    assert small == render(scene, 200, 120), "no room: the map goes first"


def test_the_view_pictures_what_it_shows(view: MapView, result: Result) -> None:
    with view.changing() as shown:
        shown.show_result(result)
    view.show_step(6)
    assert view.picture(480, 360)() == view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def test_a_picture_needs_pixels(qapp: QApplication) -> None:
    with pytest.raises(ValueError, match="no pixels"):
        render(Scene.of(None), 0, 100)
