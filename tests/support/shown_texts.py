"""Every text that a window shows, or says to those who do not see it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

from PySide6.QtCore import QAbstractItemModel, QAbstractListModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QComboBox,
    QDockWidget,
    QDoubleSpinBox,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QTextEdit,
    QWidget,
)

ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole)


def shown_texts(root: QWidget) -> Iterator[tuple[QWidget, str]]:
    """Yield the texts of a window and of all in it, each with its widget."""
    for widget in (root, *root.findChildren(QWidget)):
        for text in (*_of_all(widget), *_of_kind(widget)):
            if text:
                yield widget, _plain(text)


def _of_all(widget: QWidget) -> Iterator[str]:
    yield from (widget.toolTip(), widget.accessibleName(), widget.accessibleDescription(), widget.statusTip())
    if widget.isWindow() or isinstance(widget, QDockWidget):
        yield widget.windowTitle()
    for action in widget.actions():
        yield from (action.text(), action.iconText(), action.toolTip())


def _of_kind(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QMenu | QGroupBox):
        yield widget.title()
    elif isinstance(widget, QLineEdit):
        if not isinstance(widget.parentWidget(), QAbstractSpinBox):
            yield widget.placeholderText()
    elif isinstance(widget, QSpinBox | QDoubleSpinBox):
        yield from (widget.prefix(), widget.suffix(), widget.specialValueText())
    elif isinstance(widget, QComboBox):
        yield from _of_model(widget.model())
    elif isinstance(widget, QTextEdit | QPlainTextEdit):
        yield widget.toPlainText()
    elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
        yield from _of_model(widget.model())


def _of_model(model: QAbstractItemModel) -> Iterator[str]:
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
    for column in range(columns):
        heading = model.headerData(column, Qt.Orientation.Horizontal)
        if isinstance(heading, str):
            yield heading
        for row in range(model.rowCount(QModelIndex())):
            yield from (text for role in ROLES if isinstance(text := model.index(row, column).data(role), str))


def _plain(text: str) -> str:
    """Return a text without markup."""
    return unescape(re.sub(r"<[^<>]+>", " ", text)) if text.startswith("<") or "</" in text else text
