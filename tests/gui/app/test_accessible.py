"""Every control has a name for those who do not see it and a tooltip, and Tab goes through a panel as one reads it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QMessageBox,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from wayfront.devices import devices
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.searching.registry import algorithms
from wayfront_gui.app.network_panel import NetworkPanel
from wayfront_gui.app.panels import all_sections
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.window import Window
from wayfront_gui.features.explanation.panel import ExplanationPanel

HINTED = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit)
"""What has a tooltip, too; beside the pointer on a slider stand the figures of the step there."""
NAMED = (*HINTED, QAbstractSlider)
DIALOGS = (
    *("file.place", "file.catalogue", "file.picture", "file.poster", "file.film", "file.page", "file.plugins"),
    *("help.palette", "help.keyboard", "help.about", "help.reset", "search.growth", "search.source"),
)
"""Commands that open a dialog or a card without asking the system for a file."""
TAB = Qt.FocusPolicy.TabFocus


def controls(of: QWidget) -> Iterator[QWidget]:
    """Yield what can be used in a widget, without the parts that Qt makes such things of."""
    for widget in of.findChildren(QWidget):
        parent = widget.parentWidget()
        scrolls = isinstance(widget, QScrollBar) or isinstance(parent, QAbstractSpinBox | QComboBox)
        viewport = isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget
        if scrolls or viewport or widget.objectName().startswith("qt_") or _in_list_of_choices(widget):
            continue
        if widget.focusPolicy() & TAB or isinstance(widget, NAMED):
            yield widget


def _in_list_of_choices(widget: QWidget) -> bool:
    return widget.window().metaObject().className().startswith("QComboBoxPrivate")


def name_of(widget: QWidget) -> str:
    """Return what a screen reader says of a control; what a field holds is its value, not its name."""
    if isinstance(widget, QLineEdit) and not widget.accessibleName():
        labels = [label.text() for label in widget.window().findChildren(QLabel) if label.buddy() is widget]
        return labels[0] if labels else ""
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def test_every_control_of_the_window_and_its_dialogs_has_a_name_and_a_hint(
    window: Window, result: Result, qtbot: QtBot
) -> None:
    window.panels.panel(AlgorithmPanel).show_algorithms(tuple(algorithms()), devices())
    slot = window.session.active
    slot.open(result.network)
    slot.choose_source(result.source)
    window.controller.active.show_from_the_start(result)
    for declared in algorithms():
        slot.choose_algorithm(declared.name)  # each has options of its own
        assert [
            f"{c.objectName()}: {name_of(c)}" for c in controls(window.panels.panel(AlgorithmPanel)) if not name_of(c)
        ] == []
    window.reports.report_once("A road is missing.", "Look for it")  # the button of the message bar has a name now
    for command in DIALOGS:
        window.actions_by_name[command].trigger()
    dialogs = [w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible()]
    assert len(dialogs) == len(DIALOGS) - 2, "the palette and the question are cards in the window"
    found = [c for top in (window, *dialogs) for c in controls(top)]
    assert len(found) > 90
    nameless = [f"{type(c).__name__} in {type(c.parentWidget()).__name__}" for c in found if not name_of(c)]
    in_docks = [c for panel in window.panels.panels() for c in controls(panel) if isinstance(c, HINTED)]
    unhinted = [f"{type(c).__name__} {name_of(c)}" for c in in_docks if not c.toolTip()]
    for dialog in dialogs:
        assert dialog.windowTitle() or isinstance(dialog, QMessageBox)
        dialog.close()
    assert (nameless, unhinted) == ([], [])


def spoken(widget: QWidget) -> str:
    return QAccessible.queryAccessibleInterface(widget).text(QAccessible.Text.Name)


def test_a_choice_box_is_called_by_what_it_chooses_and_not_by_what_is_chosen(
    window: Window, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.panels.panel(AlgorithmPanel).show_algorithms(tuple(algorithms()), devices())
    window.panels.panel(AlgorithmPanel).show_devices(devices())
    window.session.active.open(grid)
    panel = window.panels.panel(AlgorithmPanel)
    boxes = (window.panels.panel(NetworkPanel).metrics, panel.kind, panel.algorithm, panel.device, panel.threads)
    assert [spoken(box) for box in boxes] == ["Metric", "Find", "Algorithm", "Device", "Cores"]
    for command in ("file.picture", "file.poster", "search.growth"):
        window.actions_by_name[command].trigger()
    tops = [window, *(w for w in QApplication.topLevelWidgets() if isinstance(w, QDialog) and w.isVisible())]
    found = [box for top in tops for box in top.findChildren(QComboBox)]
    assert len(found) > 12
    for box in found:
        assert spoken(box), box.toolTip()
        assert spoken(box) != box.currentText() or box.count() == 0, spoken(box)
    for top in tops[1:]:
        top.close()
    told = QAccessible.queryAccessibleInterface(panel.kind)
    assert told.text(QAccessible.Text.Value) == panel.kind.currentText() == "One tree"
    assert told.role() == QAccessible.Role.ComboBox and told.childCount() == 1
    assert told.child(0).object() is panel.kind.view() and told.indexOfChild(told.child(0)) == 0
    asked = QAccessible.queryAccessibleInterface(panel.kind).actionInterface()
    assert set(asked.actionNames()) >= {"ShowMenu", "Press"}
    shown: list[str] = []
    monkeypatch.setattr(panel.kind, "showPopup", lambda: shown.append("list"))
    asked.doAction("Press")
    asked.doAction("nonsense")
    assert shown == ["list"]


def test_tab_goes_through_every_panel_as_one_reads_it(window: Window, grid: RoadNetwork, qtbot: QtBot) -> None:
    window.resize(2000, 2400)
    window.panels.panel(AlgorithmPanel).show_algorithms(tuple(algorithms()), devices())
    window.panels.panel(AlgorithmPanel).show_devices(devices())
    slot = window.session.active
    slot.open(grid)
    slot.choose_algorithm("near-far")  # its fields are made later than those above and below them
    opened = [row for row in all_sections() if row.beside or "explore" in row.activities]
    for row in opened:
        window.panels.show(row.name, True)
    window.panels.show("explanation", True)
    qtbot.waitUntil(lambda: window.panels.replay.isVisible() and window.panels.panel(ExplanationPanel).isVisible())
    chain: list[QWidget] = []
    widget = window.map.nextInFocusChain()
    while widget is not None and widget is not window.map:
        if (
            widget.focusPolicy() & TAB
            and widget.isVisible()
            and not isinstance(widget.parentWidget(), QAbstractSpinBox)
        ):
            chain.append(widget)
        widget = widget.nextInFocusChain()
    of_panel = [(panel, c) for c in chain if (panel := panel_of(window, c)) is not None]
    passed = [name for name, _ in groupby(of_panel, lambda pair: pair[0])]
    assert len(passed) == len(set(passed)) >= 5, "Tab enters each panel once"
    for panel, of_one in groupby(of_panel, lambda pair: pair[0]):
        for (_, control), (_, after) in pairwise(of_one):
            if control.isAncestorOf(after):
                continue  # what scrolls comes before what is in it
            first, second = (each.mapTo(window, QPoint(0, each.height() // 2)) for each in (control, after))
            same_row = abs(first.y() - second.y()) < 14
            assert second.x() > first.x() if same_row else second.y() > first.y(), panel


def panel_of(window: Window, widget: QWidget) -> str | None:
    """Return the name of the panel that a control is in."""
    for row in all_sections():
        if window.panels.content(row.name).isAncestorOf(widget):
            return row.name
    return "replay" if window.panels.replay.isAncestorOf(widget) else None
