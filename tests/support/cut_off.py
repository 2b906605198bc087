"""What a person would see cut off, or over something else, among the widgets that are shown."""

from __future__ import annotations

from itertools import combinations

from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QLabel,
    QLayout,
    QScrollBar,
    QStackedLayout,
    QToolButton,
    QWidget,
)

from wayfront_gui.ui.controls import ElidedLabel

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
