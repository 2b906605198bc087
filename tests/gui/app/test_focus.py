"""The focus stays on the map whatever a mouse chooses, and Tab reaches every control."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QScrollBar,
    QSpinBox,
    QWidget,
)
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from there import there
from wayfront.devices import devices
from wayfront.network.road_network import RoadNetwork
from wayfront.searching.registry import algorithms
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.start import FieldsKeepTheirKeys
from wayfront_gui.app.window import Window
from wayfront_gui.features.timing.panel import TimingPanel

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def replaying(window: Window, qtbot: QtBot, grid: RoadNetwork) -> Iterator[Window]:
    """The active window, with the program's key filter, a search on the map and its replay paused."""
    application = there(QApplication.instance())
    keys = FieldsKeepTheirKeys()
    application.installEventFilter(keys)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    slot = window.session.active
    slot.open(grid)
    slot.choose_source(30)
    window.controller.active.show_from_the_start(make_result(grid, 30, runs_ms=(2.0, 1.0)))
    window.panels.panel(AlgorithmPanel).show_algorithms(tuple(algorithms()), devices())
    window.panels.show("time", True)
    yield window
    application.removeEventFilter(keys)


def press(key: Qt.Key) -> None:
    """Press a key wherever the focus is."""
    widget = there(QApplication.focusWidget() or QApplication.activeWindow())
    QTest.keyClick(widget, key)


@pytest.mark.parametrize("tabbed", [False, True])
def test_space_after_a_click_on_run_pauses_and_plays(
    replaying: Window, monkeypatch: pytest.MonkeyPatch, tabbed: bool
) -> None:
    runs: list[str] = []
    monkeypatch.setattr(replaying.panels.panel(AlgorithmPanel), "_run", lambda: runs.append("run"))
    if tabbed:  # somebody came to the list of algorithms by Tab before
        replaying.panels.panel(AlgorithmPanel).algorithm.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.mouseClick(replaying.panels.panel(AlgorithmPanel).button, LEFT)
    press(Qt.Key.Key_Space)
    playing = [replaying.session.clock.playing]
    press(Qt.Key.Key_Space)
    playing.append(replaying.session.clock.playing)
    assert (runs, playing) == (["run"], [True, False])


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # what the offscreen one says of a list
def test_keys_after_an_algorithm_was_chosen_by_mouse_leave_the_choice(replaying: Window, qtbot: QtBot) -> None:
    box = replaying.panels.panel(AlgorithmPanel).algorithm
    QTest.mouseClick(box, LEFT)
    view = box.view()
    qtbot.waitUntil(view.isVisible)
    row = box.findData("bellman-ford")
    QTest.mouseMove(view.viewport(), view.visualRect(view.model().index(row, 0)).center())
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(row, 0)).center())
    qtbot.waitUntil(lambda: not view.isVisible())
    assert replaying.session.active.algorithm == "bellman-ford"
    press(Qt.Key.Key_End)
    assert replaying.session.active.algorithm == "bellman-ford"
    assert replaying.session.active.player.position == replaying.session.active.player.last
    press(Qt.Key.Key_Space)
    assert replaying.session.clock.playing and not view.isVisible()


def test_keys_after_a_click_on_a_timing_move_the_replay(replaying: Window) -> None:
    session, panel = replaying.session, replaying.panels.panel(TimingPanel)
    result = there(session.active.result)
    for _ in range(3):
        session.add_timing(session.active, result)
    replaying.panels.show("time", True)
    QApplication.processEvents()  # the column has yet to give the rows their place
    replaying.panels.side.ensureWidgetVisible(panel.list)
    rect = panel.list.visualRect(panel.model.index(0))
    QTest.mouseClick(panel.list.viewport(), LEFT, pos=rect.center())
    press(Qt.Key.Key_End)
    assert panel.list.currentIndex().row() == 0
    assert session.active.player.position == session.active.player.last
    press(Qt.Key.Key_Delete)
    assert len(session.timings) == 2


def test_a_number_gives_the_focus_back_once_it_is_typed_or_clicked(replaying: Window, qtbot: QtBot) -> None:
    replaying.session.active.choose_algorithm("delta-stepping")
    more = replaying.panels.panel(AlgorithmPanel).more
    more.set_open(True)
    field = next(f for f in more.findChildren(QSpinBox) if f.objectName().startswith("option"))
    qtbot.waitUntil(field.isVisible)
    for finish in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        QTest.mouseClick(field.lineEdit(), LEFT)
        assert QApplication.focusWidget() is field
        press(finish)
        assert QApplication.focusWidget() is replaying.map
    before = field.value()
    QTest.mouseClick(field, LEFT, pos=QPoint(field.width() - 8, 6))
    assert field.value() != before
    assert QApplication.focusWidget() is replaying.map


def test_every_control_is_reached_by_tab_and_none_takes_the_focus_by_a_click(replaying: Window) -> None:
    kinds = (QAbstractButton, QComboBox, QAbstractSlider)
    controls = [c for panel in replaying.panels.panels() for kind in kinds for c in panel.findChildren(kind)]
    controls = [c for c in controls if not isinstance(c, QScrollBar) and not _inside(c, QAbstractItemView)]
    assert len(controls) > 20
    for control in controls:
        policy = control.focusPolicy()
        assert not policy & Qt.FocusPolicy.ClickFocus & ~Qt.FocusPolicy.TabFocus, control
        assert policy & Qt.FocusPolicy.TabFocus or control.objectName().startswith("qt_"), control


def _inside(widget: QWidget, kind: type[QWidget]) -> bool:
    parent = widget.parentWidget()
    return parent is not None and (isinstance(parent, kind) or _inside(parent, kind))
