"""Texts in another size: every part of the window, the map and its pictures have it, and it is kept."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel, QListView, QStyleOptionViewItem, QWidget
from pytestqt.qtbot import QtBot

from wayfront.results.result import Result
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.window import Window
from wayfront_gui.map.offscreen import camera_for, render
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.ui.style import apply_theme, keep_scaled, scaled
from wayfront_gui.ui.theme import DARK, LEAST, MOST, PROJECTOR, STOPS, next_stop


@pytest.fixture
def texts(window: Window, qapp: QApplication) -> Iterator[Window]:
    yield window
    apply_theme(qapp, DARK)


def points(widget: QWidget) -> float:
    return QFont(widget.font()).pointSizeF()


def test_larger_and_smaller_texts_go_through_all_sizes_and_stop_at_the_ends() -> None:
    up, down = [LEAST], [MOST]
    while next_stop(up[-1], 1) != up[-1]:
        up.append(next_stop(up[-1], 1))
    while next_stop(down[-1], -1) != down[-1]:
        down.append(next_stop(down[-1], -1))
    assert up == down[::-1] == list(STOPS)
    assert (next_stop(130, 1), next_stop(130, -1)) == (150, 125)


def test_larger_text_is_larger_everywhere_and_is_kept(texts: Window, settings: Settings) -> None:
    usual, kept = points(texts.panels.panel(ReplayPanel)), QLabel()
    keep_scaled(kept.setFixedWidth, 100)
    for _ in range(3):
        texts.actions_by_name["view.larger_text"].trigger()
    assert settings.text_scale == 150 and texts.status.message == "Text at 150 %."
    assert points(texts.panels.panel(ReplayPanel)) == pytest.approx(1.5 * usual)
    assert texts.map.map_scene.style.text_scale == 1.5
    assert kept.width() == scaled(100) == 150
    texts.actions_by_name["view.smaller_text"].trigger()
    assert settings.text_scale == 125 and kept.width() == 125
    texts.actions_by_name["view.usual_text"].trigger()
    assert settings.text_scale == 100 and points(texts.panels.panel(ReplayPanel)) == pytest.approx(usual)
    kept.deleteLater()


def test_columns_are_as_wide_as_their_texts_need_and_no_wider_afterwards(texts: Window, qtbot: QtBot) -> None:
    texts.resize(2000, 1000)
    usual = texts.panels.side.width()
    texts.appearance.choose_text_scale(200)
    qtbot.waitUntil(lambda: texts.panels.side.width() == 2 * usual)
    texts.appearance.choose_text_scale(100)
    qtbot.waitUntil(lambda: texts.panels.side.width() == usual)


@pytest.mark.parametrize("percent", [100, 200, 250])
def test_every_word_of_the_bar_is_there_with_large_texts_in_a_low_window(texts: Window, percent: int) -> None:
    texts.resize(1280, 720)
    texts.appearance.choose_text_scale(percent)
    QApplication.processEvents()
    bar = texts.panels.bar
    for button in bar.buttons.values():
        assert button.isVisible() and bar.rect().contains(button.geometry())
        assert button.fontMetrics().horizontalAdvance(button.text()) <= button.width(), button.text()
    play = texts.actions_by_name["replay.play"].icon()
    assert all(play.actualSize(QSize(side, side)).width() == side for side in (20, 75)), "icons grow with the texts"


def test_the_projectors_theme_has_large_texts_and_thick_lines(texts: Window, settings: Settings) -> None:
    texts.actions_by_name["view.theme_projector"].trigger()
    assert settings.text_scale == 100 and texts.map.map_scene.style.text_scale == PROJECTOR.least_text
    assert texts.map.camera().thickness == PROJECTOR.map.thickness > 1
    texts.actions_by_name["view.smaller_text"].trigger()
    assert "has no smaller one" in texts.status.message and scaled(10) == 15
    texts.actions_by_name["view.theme_dark"].trigger()
    assert texts.map.camera().thickness == 1 and scaled(10) < 15


@pytest.mark.usefixtures("qapp")
def test_a_picture_with_larger_texts_has_the_same_map(result: Result) -> None:
    usual, large = (Scene.of_result(result, Style.of("dark", percent)) for percent in (100, 200))
    assert camera_for(usual, 2000, 600) == camera_for(large, 2000, 600)
    left_of_it = [render(scene, 2000, 600).copy(0, 0, 600, 600) for scene in (usual, large)]
    lit = [sum(part.pixelColor(x, y).lightness() > 60 for x in range(600) for y in range(600)) for part in left_of_it]
    assert lit[1] > 2 * lit[0] > 0, "its legend and scale are larger"


def test_rows_of_lists_grow_with_the_texts_in_them(texts: Window, result: Result) -> None:
    texts.resize(2400, 1400)
    slot = texts.session.active
    slot.open(result.network)
    slot.show(result)
    for _ in range(2):
        texts.session.add_timing(slot, result, slot.choice)
    texts.panels.offer("time", True)
    texts.panels.show("closures", True)
    texts.controller.active.take_closures(np.arange(4, dtype=np.int64))
    QApplication.processEvents()
    lists = [view for view in texts.findChildren(QListView) if view.isVisible() and view.model().rowCount() > 1]
    assert {view.accessibleName() for view in lists} == {"Closed roads", "Timed searches"}
    for percent in (100, 150, 200, 80, 100):
        texts.appearance.choose_text_scale(percent)
        QApplication.processEvents()
        for view in lists:
            rows = [view.visualRect(view.model().index(row, 0)) for row in range(2)]
            needed = view.itemDelegate().sizeHint(QStyleOptionViewItem(), view.model().index(0, 0)).height()
            assert rows[0].height() == rows[1].top() - rows[0].top() == needed, (percent, view.accessibleName())
