"""Gives everything that is seen its texts in another language, as it stands: nothing is made anew.

A widget need not know of it. It may, where it keeps texts that it paints itself: Qt sends it ``LanguageChange``.
"""

from __future__ import annotations

from collections.abc import Callable

import shiboken6
from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QEvent, QModelIndex, QObject, Qt
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QTabBar,
    QWidget,
)

from wayfront_gui.ui.translation import made_again, made_from

TEXTS = (
    "text",
    "title",
    "windowTitle",
    "toolTip",
    "statusTip",
    "iconText",
    "accessibleName",
    "accessibleDescription",
    "placeholderText",
    "prefix",
    "suffix",
    "specialValueText",
)
"""Properties of widgets and actions that are texts."""
ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
_NOT_EDITED = QAbstractItemView.EditTrigger.NoEditTriggers
_texts: dict[type, tuple[str, ...]] = {}
"""Which of ``TEXTS`` things of a class have."""
_MADE = "made of "
"""Begins the name of the property that keeps what a text was made from: several may be the same in a language."""


def retranslate(application: QApplication) -> None:
    """Have all texts of all windows in the language in use."""
    widgets = application.allWidgets()
    done: set[int] = set()
    for widget in widgets:
        if shiboken6.isValid(widget):
            for each in (widget, *widget.actions()):
                if id(each) not in done:
                    done.add(id(each))
                    _renew(each)
    for widget in widgets:
        if shiboken6.isValid(widget):
            _renew_items(widget)
            widget.update()
    for window in application.topLevelWidgets():  # which passes it on to all in it
        application.sendEvent(window, QEvent(QEvent.Type.LanguageChange))


def _renew(thing: QObject) -> None:
    kind = type(thing)
    if kind not in _texts:
        _texts[kind] = tuple(name for name in TEXTS if _has(thing, name))
    for name in _texts[kind]:
        before = getattr(thing, name)()
        if before:
            _replace(thing, name, before, getattr(thing, _setter(name)))


def _has(thing: QObject, name: str) -> bool:
    """Return whether a thing has a text of that name that is not typed by somebody."""
    methods = (getattr(thing, each, None) for each in (name, _setter(name)))
    typed = name == "text" and isinstance(thing, QLineEdit)
    return thing.metaObject().indexOfProperty(name) >= 0 and all(map(callable, methods)) and not typed


def _setter(name: str) -> str:
    return f"set{name[0].upper()}{name[1:]}"


def _replace(thing: QObject, name: str, before: str, write: Callable[[str], object]) -> None:
    kept = thing.property(_MADE + name)
    made = kept[1] if kept is not None and kept[0] == before else made_from(before)
    after = made_again(before) if made is None else made.again()
    if made is not None:
        thing.setProperty(_MADE + name, (after, made))
    if after != before:
        write(after)


def _renew_items(widget: QWidget) -> None:
    if isinstance(widget, QTabBar):
        for index in range(widget.count()):
            widget.setTabText(index, made_again(widget.tabText(index)))
            widget.setTabToolTip(index, made_again(widget.tabToolTip(index)))
    if isinstance(widget, QHeaderView):  # its texts are those of its table's model
        return
    if isinstance(widget, QComboBox | QAbstractItemView) and (model := widget.model()) is not None:
        typed = isinstance(widget, QAbstractItemView) and widget.editTriggers() != _NOT_EDITED
        blocked = widget.blockSignals(True)  # nobody chose or typed anything
        _renew_model(model, typed=typed)
        widget.blockSignals(blocked)
    if isinstance(widget, QAbstractItemView):
        widget.viewport().update()
        widget.scheduleDelayedItemsLayout()


def _renew_model(model: QAbstractItemModel, *, typed: bool) -> None:
    """Renew the items of a model that keeps texts; one that makes them when it is asked takes none.

    What people ``typed`` into it stays.
    """
    root = QModelIndex()
    for column in range(1 if isinstance(model, QAbstractListModel) else model.columnCount(root)):
        for role in ROLES:
            before = model.headerData(column, Qt.Orientation.Horizontal, role)
            if (after := _other(before)) is not None:
                model.setHeaderData(column, Qt.Orientation.Horizontal, after, role)
        for row in range(model.rowCount(root)):
            index = model.index(row, column)
            for role in () if typed and index.flags() & Qt.ItemFlag.ItemIsEditable else ROLES:
                if (after := _other(index.data(role))) is not None:
                    model.setData(index, after, role)


def _other(before: object) -> str | None:
    """Return what a text of a model is now, None where it is the same or no text."""
    after = made_again(before) if isinstance(before, str) else None
    return None if after == before else after
