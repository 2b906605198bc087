"""Small pieces that several panels are made of."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from wayfront_gui.look.drawing import figures_font

MARGIN = 14
"""Between a dock's border and its content, in pixels."""
GAP = 8
LABEL_WIDTH = 68
"""Captions left of fields, so that the fields of all panels stand in one column."""


def label(text: str = "", rank: str = "second", *, wrap: bool = False) -> QLabel:
    """Return a label; ``rank`` (name, second, figure, caption) gives size and colour in the style sheet."""
    result = QLabel(text)
    result.setProperty("rank", rank)
    result.setWordWrap(wrap)
    result.setTextFormat(Qt.TextFormat.PlainText)
    if rank == "figure":
        result.setFont(figures_font(result.font()))
    return result


def caption(text: str, field: QWidget) -> QLabel:
    """Return the caption that stands left of a field."""
    result = label(text)
    result.setBuddy(field)
    result.setMinimumWidth(LABEL_WIDTH)
    result.setMinimumHeight(field.sizeHint().height())
    return result


class ElidedLabel(QLabel):
    """A label of one line that ends in … where the room ends; the tooltip tells all."""

    def __init__(self, text: str = "", rank: str = "second") -> None:
        super().__init__()
        self.setProperty("rank", rank)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_text(text)

    def show_text(self, text: str, hint: str = "") -> None:
        """Show ``text``, with ``hint`` (or the text itself) as tooltip."""
        self.setText(text)
        self.setToolTip(hint or text)

    def minimumSizeHint(self) -> QSize:
        """Need no width."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw as much as fits."""
        painter = QPainter(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.setPen(self.palette().color(self.foregroundRole()))
        painter.drawText(self.rect(), int(self.alignment() | Qt.AlignmentFlag.AlignVCenter), text)


class Figure(QWidget):
    """A figure with a caption over it; its width does not depend on the figure, so nothing dances."""

    def __init__(self, caption: str) -> None:
        super().__init__()
        self._value = ElidedLabel(rank="value")
        self._value.setFont(figures_font(self.font()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        layout.addWidget(ElidedLabel(caption, "caption"))
        layout.addWidget(self._value)

    def show_value(self, value: str, hint: str = "") -> None:
        """Show another value."""
        self._value.show_text(value, hint)

    @property
    def value(self) -> str:
        """What is shown."""
        return self._value.text()


class ChoiceBox(QComboBox):
    """A list to choose from that ignores the wheel, so that scrolling a panel changes nothing in it."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(6)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel."""
        event.ignore()

    def choose_data(self, data: object) -> None:
        """Show the entry that holds ``data`` without telling anyone."""
        index = self.findData(data)
        if index >= 0 and index != self.currentIndex():
            blocked = self.blockSignals(True)
            self.setCurrentIndex(index)
            self.blockSignals(blocked)


def tool_button(size: int = 20) -> QToolButton:
    """Return a flat button for an icon of ``size`` pixels."""
    button = QToolButton()
    button.setIconSize(QSize(size, size))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
