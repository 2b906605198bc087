"""The box over the timeline that tells all about the step under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from wayfront_gui.panels.parts import GAP
from wayfront_gui.theme import figures_font

LIFT = 6
"""How far above its owner the box stands, in pixels."""


class StepBox(QFrame):
    """A small card in the window of ``owner``, above it; the pointer passes through."""

    def __init__(self, owner: QWidget) -> None:
        super().__init__(owner)
        self._owner = owner
        self.words = ""
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._text = QLabel()
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setFont(figures_font(self.font()))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(GAP + 2, GAP - 2, GAP + 2, GAP - 2)
        layout.addWidget(self._text)
        self.hide()

    def tell(self, lines: Sequence[tuple[str, str]], x: int) -> None:
        """Tell ``lines``, captions with words, over the place ``x`` of the owner."""
        self.words = "\n".join(f"{caption}: {words}" for caption, words in lines)
        muted = self.palette().placeholderText().color().name()
        rows = "".join(
            f'<tr><td style="color:{muted}; padding-right:14px">{escape(caption)}</td>'
            f'<td style="white-space:pre">{escape(words)}</td></tr>'
            for caption, words in lines
        )
        self._text.setText(f"<table cellspacing=1>{rows}</table>")
        window = self._owner.window()
        if self.parentWidget() is not window:
            self.setParent(window)
        self.resize(self.sizeHint())
        place = self._owner.mapTo(window, QPoint(x, 0))
        left = min(max(place.x() - self.width() // 2, 0), max(window.width() - self.width(), 0))
        self.move(left, max(place.y() - self.height() - LIFT, 0))
        self.show()
        self.raise_()
