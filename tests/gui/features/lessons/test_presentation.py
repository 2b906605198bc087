"""A presentation: the map on the whole screen with what is shown in large letters, and back to the window."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from wayfront import open_network, search
from wayfront.results.result import Result
from wayfront_gui.app.panels import MOST_OF_PRESENTATION
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.settings import Settings, switch
from wayfront_gui.app.window import Window
from wayfront_gui.features.lessons.file import Lesson, Moment, Question, Search
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.features.lessons.presentation import Presentation, PresentationCaption
from wayfront_gui.features.small_graphs.panels import StepStatePanel
from wayfront_gui.session.session import Session


@pytest.fixture
def active(window: Window, qtbot: QtBot) -> Window:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def shown(window: Window) -> dict[str, bool]:
    parts: dict[str, QWidget] = {
        "menus": window.menuBar(),
        "status": window.status,
        "bar": window.panels.bar,
        "replay": window.panels.panel(ReplayPanel),
        "search": window.panels.panel(AlgorithmPanel),
        "caption": window.host.control(Presentation).caption,
    }
    return {name: part.isVisible() for name, part in parts.items()}


def present(window: Window, result: Result) -> None:
    window.resize(1600, 1000)
    slot = window.session.active
    slot.open(result.network)
    slot.show(result)
    slot.player.load(result.trace, result.distances)
    QTest.keyClick(window, Qt.Key.Key_F5)
    QApplication.processEvents()


def test_a_presentation_shows_the_map_and_its_caption_alone_and_escape_goes_back(
    active: Window, result: Result
) -> None:
    active.resize(1600, 1000)
    before = shown(active)
    assert not before["caption"] and before["menus"] and before["bar"]
    present(active, result)
    assert {name for name, seen in shown(active).items() if seen} == {"caption"}
    assert active.isFullScreen() and active.actions_by_name["view.present"].isChecked()
    QTest.keyClick(active, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert shown(active) == before and not active.isFullScreen()
    assert not active.actions_by_name["view.present"].isChecked()


def test_keys_play_in_a_presentation_and_its_caption_follows(active: Window, result: Result) -> None:
    present(active, result)
    caption, player = active.host.control(Presentation).caption, active.session.active.player
    assert "Grid" in caption.title.text()
    QTest.keyClick(active, Qt.Key.Key_Home)
    assert caption.figures[0].value == f"1 of {player.step_count}"
    QTest.keyClick(active, Qt.Key.Key_Right)
    assert caption.figures[0].value == f"2 of {player.step_count}"
    assert not caption.lesson.isVisible()
    active.host.control(Presentation).present(False)


def test_a_lessons_text_is_in_the_caption_of_a_presentation(qtbot: QtBot) -> None:
    play = LessonPlay()
    caption = PresentationCaption(Session(), play)
    qtbot.addWidget(caption)
    caption.resize(800, 400)
    caption.show()
    assert not caption.lesson.isVisible()
    moment = Moment(1, "Rings", "Every ring is one step.", Search())
    play.open(Lesson(Path("short.toml"), "Short", "", "", (moment,)))
    assert caption.lesson.isVisible() and "Every ring" in caption.lesson.text.text()
    play.open(None)
    assert not caption.lesson.isVisible()


def test_a_window_closed_in_a_presentation_opens_as_a_window(
    window: Window, settings: Settings, result: Result
) -> None:
    present(window, result)
    window.close()
    assert not window.host.control(Presentation).on and settings.layout


def test_the_rows_of_every_steps_figures_are_there_again(window: Window, settings: Settings) -> None:
    window.resize(1600, 1000)
    window.actions_by_name["replay.more"].trigger()
    assert window.panels.panel(ReplayPanel).timeline.isVisible()
    window.close()
    assert settings.get(switch("window/more_figures", False))


def test_queue_and_flags_lie_along_the_foot_of_a_presentation(active: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wayfront_gui.session.slot.SMALL", 200)
    network = open_network("example:paper-e")
    found = search(network, 0, "dijkstra-heap", "cpu", runs=0, trace_budget=1 << 20)
    present(active, found)
    active.resize(1600, 1000)
    held = active.panels.beside
    QTest.keyClick(active, Qt.Key.Key_H)
    QApplication.processEvents()
    QApplication.processEvents()
    assert held.isVisible() and active.panels.panel(StepStatePanel).chips.isVisible()
    assert active.map.width() > 0.95 * active.width(), "the map has the whole width"
    assert held.height() <= MOST_OF_PRESENTATION * active.height() + 1
    chips = active.panels.panel(StepStatePanel).chips
    assert chips.visibleRegion().boundingRect().height() == chips.height(), "its row is seen whole"
    QTest.keyClick(active, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert not active.host.control(Presentation).on
    assert held.isVisible() and held.x() > active.map.x(), "beside the map"


def test_the_choices_of_a_question_can_be_clicked_in_a_presentation(qtbot: QtBot) -> None:
    play = LessonPlay()
    caption = PresentationCaption(Session(), play)
    qtbot.addWidget(caption)
    caption.resize(1000, 600)
    caption.show()
    question = Question("How many steps?", "Two.", ("One", "Two & a half", "Three"), 1)
    moments = (
        Moment(1, "Rings", "Every ring is one step.", Search(), question=question),
        Moment(2, "On", "", Search()),
    )
    play.open(Lesson(Path("short.toml"), "Short", "", "", moments))
    QApplication.processEvents()
    buttons = caption.choices.buttons
    assert [button.text() for button in buttons] == ["One", "Two && a half", "Three"]
    for button in buttons:
        assert button.isVisible() and button.visibleRegion().boundingRect().size() == button.size(), "none is cut"
    caption.resize(1000, 330)
    long = replace(moments[0], text="Every ring is one step. " * 60)
    play.open(Lesson(Path("long.toml"), "Long", "", "", (long, moments[1])))
    QApplication.processEvents()
    assert caption.lesson.visibleRegion().boundingRect().height() < caption.lesson.height(), "a long text scrolls"
    buttons = caption.choices.buttons
    for button in buttons:
        assert button.visibleRegion().boundingRect().size() == button.size(), "but no choice does"
    QTest.mouseClick(buttons[2], Qt.MouseButton.LeftButton)
    assert play.chosen == 2 and "Not quite" in caption.lesson.answer.text()
    play.next()
    assert not caption.choices.buttons and not caption.choices.isVisible()
