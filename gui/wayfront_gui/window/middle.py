"""The middle of the window: the map, and beside it the distance matrix where there is one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage, QPainter, QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from wayfront_gui.map.race import MapPanes
from wayfront_gui.map.view import MapView
from wayfront_gui.model.session import Session
from wayfront_gui.panels.matrix import MatrixPanel
from wayfront_gui.widgets.message_bar import MessageBar


class Middle(QWidget):
    """Map and matrix under the messages."""

    def __init__(self, session: Session, messages: MessageBar, view: MapView) -> None:
        super().__init__()
        self._session = session
        self._wanted = True
        self._messages = messages
        messages.setParent(self)
        self.view = view
        self.setFocusProxy(view)
        self.panes = MapPanes(view)
        self.matrix = MatrixPanel(session)
        self._split = QSplitter()
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(1)
        self._split.addWidget(self.panes)
        self._split.addWidget(self.matrix)
        self._halve()
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._split, 1)
        session.result_changed.connect(self._show_matrix)
        session.live_changed.connect(self._show_matrix)
        self._show_matrix()

    def add_below(self, widget: QWidget) -> None:
        """Have a widget below map and matrix."""
        self._column.addWidget(widget)

    def want_matrix(self, wanted: bool) -> None:
        """Show the matrix wherever there is one, or never."""
        self._wanted = wanted
        self._show_matrix()

    def picture(self, scale: float) -> Callable[[], QImage]:
        """Return what draws the maps as they are now, and the matrix if it is shown, on any thread."""
        if self._session.race.on and self.panes.seen is not None:
            return self.panes.picture(scale)
        draw = self.view.picture(self.view.width(), self.view.height(), scale)
        if not self.matrix.isVisible():
            return draw
        return partial(_join, draw, self.matrix.picture(scale), self._split.orientation())

    def _show_matrix(self) -> None:
        slot = self._session.active
        self.matrix.setVisible(self._wanted and slot.matrix is not None and slot.live is None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the matrix beside the map in a wide window, below it in a narrow one: where its square is larger."""
        wide = event.size().width() >= event.size().height()
        across = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self._split.orientation() != across:
            self._split.setOrientation(across)
            self._halve()
        super().resizeEvent(event)
        self._messages.place()

    def _halve(self) -> None:
        """Give map and matrix the same room; a person may move the border after that."""
        self._split.setSizes([1 << 14, 1 << 14])


def _join(draw: Callable[[], QImage], other: QImage, across: Qt.Orientation) -> QImage:
    """Return two pictures of one scale beside or below each other."""
    first = draw()
    beside = across == Qt.Orientation.Horizontal
    at = QPoint(first.width(), 0) if beside else QPoint(0, first.height())
    width = first.width() + other.width() if beside else max(first.width(), other.width())
    height = max(first.height(), other.height()) if beside else first.height() + other.height()
    joined = QImage(width, height, QImage.Format.Format_RGB32)
    painter = QPainter(joined)
    try:
        for picture, place in ((first, QPoint()), (other, at)):
            picture.setDevicePixelRatio(1.0)
            painter.drawImage(place, picture)
    finally:
        painter.end()
    return joined
