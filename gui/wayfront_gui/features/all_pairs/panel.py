"""The distance matrix of a small network beside its map: rows filling, pivots sweeping, a pair under the pointer.

Row and column of a node are at its internal number, so that nodes that are neighbours on the map mostly are in the
matrix too. The matrix shows the slot's replay and keeps no state of its own but the cell that the keyboard moves.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent

from wayfront_gui.app.central import Shown
from wayfront_gui.features.all_pairs.drawing import MatrixDrawing, MatrixPicture
from wayfront_gui.map.style import Style
from wayfront_gui.session.pairs import Ends, MatrixReplay
from wayfront_gui.session.session import Session
from wayfront_gui.ui.style import qt_colour
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import translated

SMALLEST = 180
_CTRL = Qt.KeyboardModifier.ControlModifier
_KEYS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class MatrixPanel(Shown):
    """Shows the matrix of the active slot; hovering or choosing a cell shows its route on the map."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._style = Style()
        self._picture: MatrixPicture | None = None
        self.drawing: MatrixDrawing | None = None
        """What is painted, None while there is no matrix."""
        self._cell = (0, 0)
        self.setObjectName("matrix")
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(SMALLEST, SMALLEST)
        self.setAccessibleName(translated("Distance matrix"))
        self.setCursor(Qt.CursorShape.CrossCursor)
        session.result_changed.connect(self._show_matrix)
        session.replay_moved.connect(self._show_step)
        session.target_changed.connect(self._show_pair)

    @property
    def matrix(self) -> MatrixReplay | None:
        """The matrix that is shown, None while there is none."""
        return None if self._picture is None else self._picture.matrix

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._restyle(replace(self._style, theme_name=theme.name))

    def set_colour_map(self, name: str) -> None:
        """Draw distances in the colours of that colour map."""
        self._restyle(replace(self._style, colour_map=name))

    def _restyle(self, style: Style) -> None:
        self._style = style
        self._show_matrix()

    # ------------------------------------------------------------------------------------------------- showing

    def _show_matrix(self) -> None:
        matrix = self._session.active.matrix
        self._picture = None if matrix is None else MatrixPicture(matrix, self._style)
        self._show_step()

    def _show_step(self) -> None:
        slot = self._session.active
        self.drawing = None
        if self._picture is not None and slot.pairs is not None:
            self.drawing = MatrixDrawing(self._picture, slot.pairs, slot.player.position, slot.shown_ends)
        self.update()

    def _show_pair(self) -> None:
        ends, matrix = self._session.active.shown_ends, self.matrix
        if ends is not None and ends.target is not None and matrix is not None:
            row = int(np.searchsorted(matrix.sources, ends.source))
            if row < len(matrix.sources) and int(matrix.sources[row]) == ends.source:
                self._cell = (row, ends.target)
        if self.drawing is not None:
            self.drawing = replace(self.drawing, ends=ends)
        self.setAccessibleDescription(self.text)
        self.update()

    @property
    def text(self) -> str:
        """The pair that is shown and its distance: ``12 → 34: 5.67 km``."""
        return "" if self.drawing is None else self.drawing.text

    # ------------------------------------------------------------------------------------------------ pointing

    @property
    def cells(self) -> QRectF:
        """The rectangle of the cells, empty while there is no matrix."""
        if self.drawing is None:
            return QRectF()
        return self.drawing.cells(QRectF(self.rect()), self.devicePixelRatioF())

    def pair_at(self, pos: QPointF) -> Ends | None:
        """Return the pair of the cell at a position in the widget, None beside the cells."""
        cells, matrix = self.cells, self.matrix
        if matrix is None or not cells.contains(pos):
            return None
        rows, columns = matrix.distances.shape
        row = min(int((pos.y() - cells.top()) * rows / cells.height()), rows - 1)
        column = min(int((pos.x() - cells.left()) * columns / cells.width()), columns - 1)
        return Ends(int(matrix.sources[row]), column)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show the pair under the pointer."""
        self._session.active.hover_pair(self.pair_at(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the pair under the pointer: it stays when the pointer leaves."""
        if event.button() == Qt.MouseButton.LeftButton and (pair := self.pair_at(event.position())) is not None:
            self._session.active.choose_pair(pair)

    def leaveEvent(self, event: QEvent) -> None:
        """Show the chosen pair again."""
        self._session.active.hover_pair(None)

    def event(self, event: QEvent) -> bool:
        """Keep the arrow keys from stepping the replay while the matrix has the focus."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _KEYS:
            event.setAccepted(not event.modifiers() & ~(_CTRL | Qt.KeyboardModifier.KeypadModifier))
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move to another cell with the arrow keys, ten cells with Ctrl."""
        by, matrix = _KEYS.get(Qt.Key(event.key())), self.matrix
        if by is None or matrix is None:
            super().keyPressEvent(event)
            return
        steps = 10 if event.modifiers() & _CTRL else 1
        rows, columns = matrix.distances.shape
        row = min(max(self._cell[0] + by[0] * steps, 0), rows - 1)
        column = min(max(self._cell[1] + by[1] * steps, 0), columns - 1)
        self._session.active.choose_pair(Ends(int(matrix.sources[row]), column))

    # ------------------------------------------------------------------------------------------------- drawing

    def sizeHint(self) -> QSize:
        """Return a square."""
        return QSize(440, 440)

    def picture(self, scale: float) -> QImage:
        """Return the matrix as it is now, ``scale`` times as large."""
        image = QImage(round(self.width() * scale), round(self.height() * scale), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        painter = QPainter(image)
        try:
            self._paint(painter)
        finally:
            painter.end()
        return image

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the matrix."""
        self._paint(QPainter(self))

    def _paint(self, painter: QPainter) -> None:
        area = QRectF(self.rect())
        if self.drawing is None:
            painter.fillRect(area, qt_colour(self._style.colours.background))
        else:
            self.drawing.paint(painter, area, self.devicePixelRatioF(), self.font(), focused=self.hasFocus())
