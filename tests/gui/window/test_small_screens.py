"""Windows on small screens: nothing is outside, the map keeps most of the room, and a transport always stays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QScreen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from wayfront.devices import devices
from wayfront.search.result import Result
from wayfront_gui.model import step_formatting
from wayfront_gui.panels.lesson import LessonPanel
from wayfront_gui.panels.step_state import StepStatePanel
from wayfront_gui.widgets.controls import ElidedLabel
from wayfront_gui.window.app import make_window
from wayfront_gui.window.dock_table import DOCKS
from wayfront_gui.window.remembering import START_SIZE
from wayfront_gui.window.settings import Settings
from wayfront_gui.window.window import Window

SCROLL_BAR = 9


@pytest.fixture
def sized(window: Window, qtbot: QtBot) -> Iterator[Window]:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    yield window


def resize(window: Window, width: int, height: int) -> None:
    window.resize(width, height)
    QApplication.processEvents()
    assert window.size() == QSize(width, height), "nothing in it asks for more"


def shown_in(window: Window, part: QWidget) -> bool:
    """Whether all of a part is inside the window and seen."""
    place = QRect(part.mapTo(window, QPoint()), part.size())
    return window.rect().contains(place) and part.visibleRegion().boundingRect().size() == part.size()


def shown_in_width(window: Window, part: QWidget) -> bool:
    """Whether no side of a part is cut off where its panel scrolls."""
    return part.visibleRegion().isEmpty() or part.visibleRegion().boundingRect().width() == part.width()


def map_share(window: Window) -> float:
    return window.map.width() * window.map.height() / (window.width() * window.height())


@pytest.mark.parametrize("size", [(1280, 720), (1024, 600), (3840, 2160)])
def test_the_first_window_fits_the_screen(
    qtbot: QtBot, size: tuple[int, int], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = QRect(0, 24, size[0], size[1] - 24)
    monkeypatch.setattr(QScreen, "availableGeometry", lambda _screen: free)
    window = make_window(settings)
    assert free.contains(QRect(window.pos(), window.size()))
    assert window.size() == START_SIZE.boundedTo(free.size() - QSize(0, 36))
    window.close()


def test_run_and_timeline_are_inside_a_small_window(sized: Window) -> None:
    resize(sized, 1280, 684)
    for part in (sized.algorithm_panel.button, sized.replay_panel.scrubber, sized.status, sized.docks.rail):
        assert shown_in(sized, part)
    assert map_share(sized) > 0.5


def test_no_caption_of_a_figure_is_cut_off(sized: Window, result: Result) -> None:
    slot, panel = sized.session.active, sized.replay_panel
    slot.open(result.network)
    slot.show(result)
    slot.player.load(result.trace, result.distances)
    for width, most in ((1280, 2), (1000, 4), (800, 6)):
        resize(sized, width, 684)
        figures = [figure for figure in panel.figures.values() if not figure.isHidden()]
        assert len(figures) >= len(panel.figures) - 2 - most, "this search has neither queue nor settled nodes"
        panel.figures["bucket"].show_value("a bucket whose bounds are long")
        QApplication.processEvents()
        for figure in figures:
            caption = figure.findChildren(ElidedLabel)[0]
            assert caption.fontMetrics().horizontalAdvance(caption.text()) <= caption.width(), caption.text()


def test_a_long_mode_is_shown_whole_before_lesser_figures(
    sized: Window, result: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "relax all that is near, from a frontier list"
    monkeypatch.setattr(step_formatting, "modes", lambda _trace: [text])
    slot, panel = sized.session.active, sized.replay_panel
    slot.open(result.network)
    slot.show(result)
    slot.player.load(result.trace, result.distances)
    mode, lesser = panel.figures["mode"], panel.figures["relaxations"]
    both = 0
    for width in range(1000, 1900, 60):
        resize(sized, width, 684)
        mode.show_value(text)
        QApplication.processEvents()
        value = mode.findChildren(ElidedLabel)[1]
        if not lesser.isHidden():
            both += 1
            assert value.fontMetrics().horizontalAdvance(text) <= value.width(), width
    assert both


def test_the_map_keeps_most_of_a_tiny_window_and_panels_are_a_click_away(sized: Window) -> None:
    resize(sized, 700, 450)
    assert map_share(sized) > 0.65
    assert shown_in(sized, sized.replay_panel.scrubber) and sized.replay_panel.height() < 50
    search = rail_button(sized, "view.search")
    QTest.mouseClick(search, Qt.MouseButton.LeftButton)
    assert shown_in(sized, sized.algorithm_panel.button) and sized.map.width() > 0.4 * sized.width()
    boxes = (sized.algorithm_panel.kind, sized.algorithm_panel.device, sized.network_panel.metrics)
    assert all(shown_in_width(sized, box) for box in boxes), "the scroll bar takes nothing away"
    QTest.mouseClick(rail_button(sized, "view.explanation"), Qt.MouseButton.LeftButton)
    assert sized.explanation.isVisible() and not sized.algorithm_panel.isVisible(), "one yields to the other"
    QTest.mouseClick(rail_button(sized, "view.explanation"), Qt.MouseButton.LeftButton)
    resize(sized, 1920, 1000)
    assert {row.name: sized.actions_by_name[f"view.{row.name}"].isChecked() for row in DOCKS} == {
        row.name: row.shown and row.name != "explanation" for row in DOCKS
    }, "what yielded is back, and what was closed is not"
    assert map_share(sized) > 0.55


def test_the_lesson_that_is_played_stays_and_has_the_room_that_others_spare(sized: Window, qtbot: QtBot) -> None:
    play, panel = sized.lesson, sized.docks.panel(LessonPanel)
    sized.actions_by_name["lesson.dijkstras-ball"].trigger()
    qtbot.waitUntil(lambda: play.ready)
    for width, height in ((1280, 684), (1920, 1000), (1280, 684), (1440, 864)):
        resize(sized, width, height)
        assert panel.isVisible() and sized.map.width() > 0.4 * width
    (text,) = panel.findChildren(QScrollArea)
    for index in range(2):
        play.go_to(index)
        qtbot.waitUntil(lambda: play.ready and text.verticalScrollBar().maximum() == 0)
        assert sized.docks.panel(StepStatePanel).isVisible()


def test_a_panel_too_wide_for_the_column_of_a_lesson_yields_until_a_person_opens_it(
    sized: Window, qtbot: QtBot
) -> None:
    resize(sized, 1280, 720)
    sized.appearance.choose_text_scale(200)
    sized.actions_by_name["lesson.dijkstras-ball"].trigger()
    qtbot.waitUntil(lambda: sized.lesson.ready)
    sized.docks.offer("explanation", True)
    QApplication.processEvents()
    assert not sized.explanation.isVisible() and sized.map.width() > 0.45 * sized.width()
    QTest.keyClick(sized.map, Qt.Key.Key_E)
    assert sized.explanation.isVisible() and sized.docks.panel(LessonPanel).isVisible()


def test_no_field_of_a_narrow_panel_is_cut_off(sized: Window) -> None:
    """A processor with several cores has the widest row; a scroll bar may take some of the panel."""
    resize(sized, 1280, 684)
    cores = [replace(device, threads=64) for device in devices() if device.id == "cpu"]
    sized.algorithm_panel.show_devices(cores)
    sized.session.active.choose_algorithm("delta-stepping")
    sized.network_panel.roads.show()
    QApplication.processEvents()
    column = sized.algorithm_panel.parentWidget()
    assert column is not None and sized.algorithm_panel.threads.isVisible()
    narrowest = next(row.narrowest for row in DOCKS if row.name == "search")
    assert column.minimumSizeHint().width() + SCROLL_BAR <= narrowest


def rail_button(window: Window, name: str) -> QWidget:
    rail = window.findChild(QToolBar, "rail")
    assert rail is not None
    return rail.widgetForAction(window.actions_by_name[name])


def test_panels_take_less_than_a_third_of_a_usual_window(sized: Window) -> None:
    resize(sized, 1600, 1000)
    assert map_share(sized) > 0.62


def test_hiding_the_panels_leaves_play_and_timeline(sized: Window) -> None:
    resize(sized, 1280, 800)
    before = sized.map.height()
    QTest.keyClick(sized.map, Qt.Key.Key_P)
    QApplication.processEvents()
    assert shown_in(sized, sized.replay_panel.scrubber) and sized.replay_panel.height() < 50
    assert not sized.algorithm_panel.isVisible() and sized.map.height() > before
    QTest.keyClick(sized.map, Qt.Key.Key_E)
    assert sized.explanation.isVisible() and not sized.algorithm_panel.isVisible()
    QTest.keyClick(sized.map, Qt.Key.Key_P)
    QApplication.processEvents()
    assert sized.algorithm_panel.isVisible() and sized.replay_panel.height() > 100


def test_what_yielded_is_wanted_the_next_time(sized: Window, settings: Settings) -> None:
    resize(sized, 700, 450)
    sized.actions_by_name["view.time"].trigger()
    sized.actions_by_name["view.time"].trigger()
    sized.close()
    again = make_window(settings)
    again.resize(1920, 1000)
    again.show()
    QApplication.processEvents()
    shown = {row.name: again.actions_by_name[f"view.{row.name}"].isChecked() for row in DOCKS}
    again.close()
    assert shown == {row.name: row.shown and row.name != "time" for row in DOCKS}
