"""The dialog that says what the program is and what it runs on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from wayfront.version import __version__
from wayfront_gui.look.plain import hint
from wayfront_gui.look.text_scale import keep_scaled, scaled, text_scale
from wayfront_gui.model.diagnostics import Licence
from wayfront_gui.translation import marked, translated, translated_message
from wayfront_gui.widgets.controls import GAP, PlainLabel, label, push_button
from wayfront_gui.widgets.scrolling import Scrolling, fit_screen

ABOUT = marked("Watch shortest-path searches run on real road networks, on the GPU and the CPU, with truthful timing.")
COPIED = marked("Copied")
ICON_SIDE = 64
MARGIN = 20
WIDTH = 560
LICENCES_HEIGHT = 104


def text_field(text: str, name: str) -> QPlainTextEdit:
    """Return a field with a text to read and to copy."""
    field = QPlainTextEdit(text)
    field.setProperty("framed", True)
    field.setReadOnly(True)
    field.setAccessibleName(name)
    field.setToolTip(hint(name))
    field.setTabChangesFocus(True)
    return field


def copy_button(text: str, about: str, copied: Callable[[], str]) -> QPushButton:
    """Return a button that copies what ``copied`` returns to the clipboard, and says that it did."""
    button = push_button(text, about)

    def copy() -> None:
        QGuiApplication.clipboard().setText(copied())
        button.setText(translated(COPIED))

    button.clicked.connect(copy)
    return button


class AboutDialog(QDialog):
    """Shows version, machine and licences; copies the diagnostics that belong to a report."""

    def __init__(
        self, facts: Mapping[str, str], licences: Sequence[Licence], diagnostics: Callable[[], str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(translated("About wayfront"))
        listed = "\n".join(f"{library} {version}: {name}" for library, version, name in licences)
        self.licences = text_field(
            f"wayfront {__version__}: MIT\n{listed}",
            translated("Licences"),
        )
        keep_scaled(self.licences.setFixedHeight, LICENCES_HEIGHT)
        self.copy = copy_button(
            translated("Copy diagnostics"), translated("Copy versions, machine and log, for a report"), diagnostics
        )
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, GAP * 2)
        column.setSpacing(GAP * 2)
        column.addLayout(_head())
        column.addLayout(_grid(facts))
        column.addWidget(label(translated("Licences"), "caption"))
        column.addWidget(self.licences)
        buttons = _buttons(self, self.copy)
        buttons.setContentsMargins(MARGIN, 0, MARGIN, MARGIN)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Scrolling(content), 1)
        layout.addLayout(buttons)
        high = column.heightForWidth(scaled(WIDTH)) + buttons.sizeHint().height()
        fit_screen(self, QSize(scaled(WIDTH), high))


class ReportDialog(QDialog):
    """Shows what a run left that did not end as it should."""

    def __init__(self, report: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(translated("What happened last time"))
        fit_screen(self, QSize(WIDTH + 120, 420) * text_scale.factor)
        self.report = text_field(report, translated("Report of the last run"))
        self.copy = copy_button(translated("Copy"), translated("Copy the report to the clipboard"), lambda: report)
        layout = QVBoxLayout(self)
        layout.addWidget(
            label(translated("The program did not end as it should. A report of this helps to mend it."), wrap=True)
        )
        layout.addWidget(self.report, 1)
        layout.addLayout(_buttons(self, self.copy))


def _buttons(dialog: QDialog, copy: QPushButton) -> QHBoxLayout:
    """Return the lowest row: what copies, and what closes."""
    close = push_button(translated("Close"), translated("Close this window"), rank="main")
    close.clicked.connect(dialog.accept)
    close.setDefault(True)
    row = QHBoxLayout()
    row.addWidget(copy)
    row.addStretch(1)
    row.addWidget(close)
    return row


def _head() -> QHBoxLayout:
    """Return the icon beside name, version and what the program is."""
    picture = PlainLabel()
    picture.setPixmap(QApplication.windowIcon().pixmap(scaled(ICON_SIDE)))
    texts = QVBoxLayout()
    texts.setSpacing(2)
    texts.addWidget(label(f"wayfront {__version__}", "figure"))
    texts.addWidget(label(translated(ABOUT), wrap=True))
    head = QHBoxLayout()
    head.setSpacing(GAP * 2)
    head.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
    head.addLayout(texts, 1)
    return head


def _grid(facts: Mapping[str, str]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(GAP * 2)
    grid.setVerticalSpacing(3)
    grid.setColumnStretch(1, 1)
    for row, (caption, value) in enumerate(facts.items()):
        grid.addWidget(label(translated(caption)), row, 0, Qt.AlignmentFlag.AlignTop)
        text = label(translated_message(value), "value", wrap=True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(text, row, 1)
    return grid
