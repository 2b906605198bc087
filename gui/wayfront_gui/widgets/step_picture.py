"""What the pictures of a step in a panel share: they are as high as what they show, and tell the node pointed at."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.text_scale import scaled, text_scale
from wayfront_gui.look.theme import DARK, Theme


class StepPicture(QWidget):
    """A picture that is arranged for its width; ``width_hint`` is what it asks for, in pixels at 100 % text size."""

    node_hovered = Signal(int)
    """The node under the pointer, -1 for none."""

    def __init__(self, name: str, width_hint: int) -> None:
        super().__init__()
        self._theme = DARK
        self._hovered = -1
        self._width_hint = width_hint
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(name)
        text_scale.changed.connect(self._arrange)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        self.update()

    @abstractmethod
    def _arrange(self) -> None:
        """Place what is shown in the widget's width, and ask for the height that it takes."""

    def _font(self, pixels: int, *, bold: bool = False) -> QFont:
        font = figures_font(self.font())
        font.setPixelSize(scaled(pixels))
        font.setBold(bold)
        return font

    def sizeHint(self) -> QSize:
        """Return the height that is kept."""
        return QSize(scaled(self._width_hint), self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange it for another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._arrange()

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that the pointer is over no node."""
        self._hover(-1)

    def _hover(self, node: int) -> None:
        if node != self._hovered:
            self._hovered = node
            self.node_hovered.emit(node)
            self.update()
