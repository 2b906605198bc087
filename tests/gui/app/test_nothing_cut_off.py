"""No text of a panel or dialog is cut off or covered: in each language, with usual and with large texts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QDialog,
    QLabel,
    QLayout,
    QScrollBar,
    QStackedLayout,
    QToolButton,
    QWidget,
)
from tests.gui.app.test_every_control import close_roads, lead_routes, pick_depots, show_search

from screenshots import DIALOGS
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.panels import BESIDE, SIDE, all_sections
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.finding.control import Finder
from wayfront_gui.ui import translation
from wayfront_gui.ui.controls import ElidedLabel
from wayfront_gui.ui.style import apply_theme
from wayfront_gui.ui.theme import DARK

_SLACK = 3
"""Pixels that a style sheet's borders may take from what a widget asks for."""


def cut_off(root: QWidget) -> list[str]:
    """Return a line for each widget in ``root`` whose text is cut off, that sticks out or that covers another.

    A label that shows an ellipsis, and has a tooltip for it, does so on purpose.
    """
    found = []
    for widget in [root, *root.findChildren(QWidget)]:
        if widget.isVisible():
            found += [f"{_name(widget)}: {fault}" for fault in (*_too_small(widget), *_outside(widget))]
            found += [f"{_name(one)} lies over {_name(other)}" for one, other in _covered(widget)]
    return found


def _too_small(widget: QWidget) -> list[str]:
    has, faults = widget.size(), []
    if isinstance(widget, QLabel) and not isinstance(widget, ElidedLabel) and widget.text():
        if widget.wordWrap():
            if widget.heightForWidth(has.width()) > has.height() + _SLACK:
                faults.append(f"{has.height()} of {widget.heightForWidth(has.width())} pixels high")
        elif widget.sizeHint().width() > has.width() + _SLACK:
            faults.append(f"{has.width()} of {widget.sizeHint().width()} pixels wide")
    elif isinstance(widget, QAbstractButton):
        asked = widget.minimumSizeHint() if isinstance(widget, QToolButton) else widget.sizeHint()
        if asked.width() > has.width() + _SLACK or asked.height() > has.height() + _SLACK:
            faults.append(f"{has.toTuple()} of {asked.toTuple()} pixels")
    elif isinstance(widget, QScrollBar) and widget.width() > widget.height() and widget.maximum() > widget.minimum():
        faults.append("scrolls sideways")
    return faults


def _outside(widget: QWidget) -> list[str]:
    """Return whether a scroll bar downward hides the right side of what is in a scroll area."""
    port = widget.parentWidget()
    area = None if port is None else port.parentWidget()
    if port is None or not isinstance(area, QAbstractScrollArea) or port is not area.viewport():
        return []
    return [f"{port.width()} of {widget.width()} pixels wide"] if port.width() < widget.width() else []


def _covered(holder: QWidget) -> list[tuple[QWidget, QWidget]]:
    """Return pairs of widgets of one layout that lie over each other."""
    layout = holder.layout()
    if layout is None or isinstance(layout, QStackedLayout):
        return []
    laid_out = [each for each in holder.findChildren(QWidget) if each.isVisible() and each.parentWidget() is holder]
    laid_out = [each for each in laid_out if _holds(layout, each)]
    return [(a, b) for a, b in combinations(laid_out, 2) if _meet(a, b)]


def _meet(one: QWidget, other: QWidget) -> bool:
    both = one.geometry().intersected(other.geometry())
    return both.width() > _SLACK and both.height() > _SLACK


def _holds(layout: QLayout, widget: QWidget) -> bool:
    inner = (each for each in layout.children() if isinstance(each, QLayout))
    return layout.indexOf(widget) >= 0 or any(_holds(each, widget) for each in inner)


def _name(widget: QWidget) -> str:
    holder = widget.parentWidget()
    text = widget.text() if isinstance(widget, (QLabel, QAbstractButton)) else widget.accessibleName()
    return f"{type(holder).__name__} › {type(widget).__name__} {text!r}"


LOW = QSize(1280, 500)


@pytest.fixture(params=translation.LANGUAGES)
def spoken(
    request: pytest.FixtureRequest, qapp: QApplication, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Window]:
    monkeypatch.setattr(Worker, "submit", lambda *_1, **_2: 0)
    translation.use_language(request.param)
    window = make_window(settings)
    window.show()
    yield window
    window.close()
    translation.use(None)
    apply_theme(qapp, DARK)


@pytest.mark.parametrize("scale", [100, 200])
def test_no_text_of_a_panel_is_cut_off(spoken: Window, grid: RoadNetwork, scale: int) -> None:
    spoken.resize(LOW)
    spoken.appearance.choose_text_scale(scale)
    show_search(spoken, grid)
    lead_routes(spoken)
    close_roads(spoken)
    pick_depots(spoken)
    found = []
    for column in (SIDE, BESIDE):
        spoken.panels.ask_for(column)
        for section in all_sections():
            if section.beside:
                spoken.panels.show(section.name, True)
            QApplication.processEvents()
            found += [f"{column}: {fault}" for fault in cut_off(spoken)]
    assert found == []


def test_no_text_of_a_dialog_is_cut_off(spoken: Window, grid: RoadNetwork) -> None:
    spoken.resize(LOW)
    show_search(spoken, grid)
    found = []
    for name in DIALOGS:
        spoken.actions_by_name[name].trigger()
        QApplication.processEvents()
        for shown in (*spoken.findChildren(QDialog), spoken.host.control(Finder).box, spoken.question):
            found += cut_off(shown) if shown.isVisible() else []
        for dialog in spoken.findChildren(QDialog):
            dialog.close()
        spoken.host.control(Finder).box.close_card()
        spoken.question.close_card()
    assert found == []


@pytest.mark.usefixtures("qapp")
def test_what_is_cut_off_is_found() -> None:
    holder = QWidget()
    narrow, covering = QLabel("a text that is longer than its label", holder), QLabel(holder)
    narrow.setGeometry(0, 0, 40, 20)
    covering.setGeometry(10, 5, 40, 20)
    holder.show()
    (fault,) = cut_off(holder)
    assert "40 of" in fault
    holder.close()
