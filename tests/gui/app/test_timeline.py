"""The rows of every step's figures: zoomed by wheel and buttons, sought by a press, and following the replay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pyqtgraph import LabelItem
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from wayfront.results.result import Result
from wayfront_gui.app.plots import DWARFED, ROWS, Plots, columns, top
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.window import Window
from wayfront_gui.ui import translation
from wayfront_gui.ui.theme import LIGHT
from wayfront_gui.ui.translation import translated


def test_columns_keep_every_peak() -> None:
    values = np.zeros(10_000)
    values[[17, 5_000, 9_999]] = 4.0, 9.0, 2.0
    edges, heights = columns(values, 0.0, 10_000.0, 300)
    assert len(heights) == 300 == len(edges) - 1 and (edges[0], edges[-1]) == (0, 10_000)
    assert sorted(heights[heights > 0]) == [2.0, 4.0, 9.0]
    edges, heights = columns(values, 10.4, 19.6, 300)
    assert edges.tolist() == list(range(10, 22)) and heights.tolist() == values[10:21].tolist(), "a column for each"
    assert [len(part) for part in columns(np.zeros(0), 0.0, 1.0, 300)] == [1, 0]


def test_disturbed_steps_do_not_dwarf_the_others_where_they_may_be_disturbed() -> None:
    values = np.append(np.full(97, 2.0), (500.0, 90.0, 70.0))
    assert top(values, disturbed=True) == DWARFED * 2.0 and top(values) == 500.0
    assert top(np.arange(100.0), disturbed=True) == 99.0 and top(np.zeros(0)) == top(np.zeros(5), disturbed=True) == 1.0


def turn(plots: Plots, at: QPoint, x: int, y: int, keys: Qt.KeyboardModifier) -> None:
    viewport = plots.viewport()
    pointer, button = QPointF(at), Qt.MouseButton.NoButton
    phase, here = Qt.ScrollPhase.NoScrollPhase, QPointF(viewport.mapToGlobal(at))
    QApplication.sendEvent(viewport, QWheelEvent(pointer, here, QPoint(), QPoint(x, y), button, keys, phase, False))


def place(plots: Plots, step: float) -> QPoint:
    box = plots.plots[1].getViewBox()
    return QPoint(round(box.mapViewToScene(QPointF(step, 0.0)).x()), round(box.sceneBoundingRect().center().y()))


NONE = Qt.KeyboardModifier.NoModifier


def test_all_that_a_person_does_to_the_rows(window: Window, result: Result, qtbot: QtBot) -> None:
    slot, panel = window.session.active, window.panels.panel(ReplayPanel)
    slot.open(result.network)
    slot.show(result)
    slot.player.load(result.trace, result.distances)
    assert panel.timeline.isHidden()
    map_height = window.map.height()
    QTest.keyClick(window.map, Qt.Key.Key_G)
    qtbot.waitUntil(lambda: window.map.height() < map_height)
    plots, steps = panel.timeline.plots, float(slot.player.step_count)
    assert plots.seen == (0.0, steps)
    assert panel.timeline.isVisible()

    QTest.mouseClick(plots.viewport(), Qt.MouseButton.LeftButton, NONE, place(plots, 7.5))
    assert slot.player.step == 7, "a press shows the step there"
    drag = QMouseEvent(
        QEvent.Type.MouseMove,
        QPointF(place(plots, 2.5)),
        QPointF(),
        Qt.MouseButton.NoButton,
        Qt.MouseButton.LeftButton,
        NONE,
    )
    QApplication.sendEvent(plots.viewport(), drag)
    assert slot.player.step == 2, "and a drag goes on"

    turn(plots, place(plots, 8.0), 0, 1200, NONE)
    low, high = plots.seen
    assert high - low == pytest.approx(6.0) and low <= 8.0 <= high, (
        "the wheel zooms at the pointer, to six steps at most"
    )
    turn(plots, place(plots, 8.0), 0, 1200, Qt.KeyboardModifier.ShiftModifier)
    assert plots.seen[0] < low
    slot.player.seek(10.0)
    assert plots.seen[0] <= 10.0 <= plots.seen[1], "the shown step stays in sight"
    QTest.mouseClick(panel.timeline.zoom_out, Qt.MouseButton.LeftButton)
    assert plots.seen == (0.0, steps)
    QTest.mouseClick(panel.timeline.zoom_in, Qt.MouseButton.LeftButton)
    assert plots.seen[1] - plots.seen[0] < steps
    QTest.mouseDClick(plots.viewport(), Qt.MouseButton.LeftButton, NONE, place(plots, 9.0))
    assert plots.seen == (0.0, steps)
    turn(plots, place(plots, 3.0), 0, 600, NONE)
    QTest.mouseClick(panel.timeline.all, Qt.MouseButton.LeftButton)
    assert plots.seen == (0.0, steps)

    panel.set_theme(LIGHT)
    slot.player.seek(5.0)
    picture = plots.grab().toImage()
    head, ratio = place(plots, 5.0), picture.devicePixelRatio()
    colours = [QColor(picture.pixel(round((head.x() + dx) * ratio), round(head.y() * ratio))) for dx in (-1, 0, 1)]
    assert min(colour.lightness() for colour in colours) < 90, "a line marks the step that is shown"
    slot.player.load(None, None)
    assert plots.seen == (0.0, 1.0), "without a trace there is nothing to see"
    QTest.keyClick(window.map, Qt.Key.Key_G)
    assert panel.timeline.isHidden()


def test_the_figures_of_all_steps_are_saved_beside_them(
    window: Window, result: Result, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    slot, panel = window.session.active, window.panels.panel(ReplayPanel)
    window.actions_by_name["replay.save"].trigger()
    assert "no steps to save yet" in window.message_bar.text
    slot.open(result.network)
    slot.show(result)
    slot.player.load(result.trace, result.distances)
    assert not panel.save.isVisible()
    QTest.keyClick(window.map, Qt.Key.Key_G)
    qtbot.waitUntil(panel.save.isVisible)
    path = tmp_path / "steps.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    panel.save.click()
    qtbot.waitUntil(path.is_file)
    assert len(path.read_text().splitlines()) == 1 + slot.player.step_count


def test_rows_are_called_in_the_language_in_use(qtbot: QtBot) -> None:
    plots = Plots()
    qtbot.addWidget(plots)
    translation.use_language("ja")
    try:
        QApplication.sendEvent(plots, QEvent(QEvent.Type.LanguageChange))
        names = [item.text for item in plots.ci.items if isinstance(item, LabelItem)]
        assert names == [translated(row.name) for row in ROWS] and "フロンティア" in names
    finally:
        translation.use(None)


def test_no_tick_of_a_count_is_between_two_numbers() -> None:
    assert [ROWS[0].tick(value) for value in (0.0, 0.5, 1.0, 1500.0)] == ["0", "", "1", "1,500"]
