"""The distance matrix of a small network beside its map: rows filling, pivots sweeping, a pair under the pointer.

Row and column of a node are at its internal number, so that nodes that are neighbours on the map mostly are in the
matrix too. The matrix shows the slot's replay and keeps no state of its own but the cell that the keyboard moves.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QImage,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from wayfront_gui.look.drawing import figures_font, qt_colour
from wayfront_gui.look.plain import one_line
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.model.matrix_replay import MatrixReplay
from wayfront_gui.model.pair_route import Ends
from wayfront_gui.model.session import Session
from wayfront_gui.panels.matrix_figures import MatrixFigures, paint_figures
from wayfront_gui.scene.matrix_picture import MatrixPicture
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, MARGIN

HEAD, FOOT, SIDE = 46.0, 44.0, 20.0
"""Room for the texts above, below and left of the cells, in pixels."""
SMALLEST = 180
SMALL_FONT = 11
_STOPS = 16
_CTRL = Qt.KeyboardModifier.ControlModifier
_KEYS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class MatrixPanel(QWidget):
    """Shows the matrix of the active slot; hovering or choosing a cell shows its route on the map."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._theme, self._style = DARK, Style()
        self._picture: MatrixPicture | None = None
        self._figures: MatrixFigures | None = None
        self._cell = (0, 0)
        self._image = QImage()
        self._pixels = np.zeros((0, 0), np.uint32)
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
        self._theme = theme
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
        self._figures = None
        self._show_step()

    def _show_step(self) -> None:
        if self._picture is not None:
            player, pairs = self._session.active.player, self._session.active.pairs
            ended = player.position >= player.last
            if pairs is not None:
                self._figures = MatrixFigures.at(pairs, self._picture.matrix, pairs.trace, player.step)
            self._pixels = self._picture.settled() if ended else self._picture.pixels(player.step)
            rows, columns = self._pixels.shape
            self._image = QImage(self._pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)
        self.update()

    def _show_pair(self) -> None:
        ends, matrix = self._session.active.shown_ends, self.matrix
        if ends is not None and ends.target is not None and matrix is not None:
            row = int(np.searchsorted(matrix.sources, ends.source))
            if row < len(matrix.sources) and int(matrix.sources[row]) == ends.source:
                self._cell = (row, ends.target)
        self.setAccessibleDescription(self.text)
        self.update()

    @property
    def text(self) -> str:
        """The pair that is shown and its distance: ``12 → 34: 5.67 km``."""
        slot = self._session.active
        ends, pairs = slot.shown_ends, slot.pairs
        if ends is None or ends.target is None or pairs is None:
            return ""
        name, distance = pairs.network.node_name, pairs.distance(ends.source, ends.target)
        far = "—" if distance is None else translated("no path") if distance < 0 else pairs.metric.describe(distance)
        return f"{one_line(name(ends.source))} → {one_line(name(ends.target))}: {far}"

    # ------------------------------------------------------------------------------------------------ pointing

    @property
    def cells(self) -> QRectF:
        """The rectangle of the cells: a square, of whole pixels a cell where they are that large."""
        beside = scaled(SIDE) if self._figures is None else max(scaled(SIDE), self._figures.beside)
        room = QRectF(self.rect()).adjusted(MARGIN + beside, scaled(HEAD), -MARGIN, -scaled(FOOT))
        side = max(min(room.width(), room.height()), 1.0)
        if self.matrix is not None:
            ratio = self.devicePixelRatioF()
            rows, columns = self.matrix.distances.shape
            whole = int(side * ratio / max(columns, rows))
            if rows == columns and whole >= 1:
                side = whole * columns / ratio
        left, top = (float(max(spare, 0.0) // 2) for spare in (room.width() - side, room.height() - side))
        return QRectF(room.left() + left, room.top() + top, side, side)

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
        """Draw the cells, the pivots of the step, the pair, and the texts."""
        painter.fillRect(self.rect(), qt_colour(self._style.colours.background))
        if self._picture is None:
            return
        cells = self.cells
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, cells.width() < self._image.width())
        painter.drawImage(cells, self._image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        figures, heading = self._figures, qt_colour(self._theme.interface.text)
        pixels = 0 if figures is None else figures.pixels(cells)
        self._paint_pivots(painter, cells, framed=bool(pixels))
        if figures is not None and pixels:
            paint_figures(painter, cells, figures, pixels, self._image, heading)
        self._paint_pair(painter, cells, framed=bool(pixels))
        painter.setPen(
            QPen(qt_colour(self._theme.interface.accent if self.hasFocus() else self._theme.interface.line), 1)
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(cells.adjusted(-1, -1, 1, 1))
        self._paint_head(painter, cells)
        if not pixels:
            self._paint_captions(painter, cells)
        self._paint_legend(painter, cells)

    def _paint_pivots(self, painter: QPainter, cells: QRectF, *, framed: bool) -> None:
        """Fill row and column of each pivot of the step, or draw frames round them."""
        matrix, player = self.matrix, self._session.active.player
        if matrix is None or not matrix.pivots or player.trace is None or player.position >= player.last:
            return
        rows, columns = matrix.distances.shape
        tall, wide = cells.height() / rows, cells.width() / columns
        colour = qt_colour(self._style.colours.bloom, 1.0 if framed else 0.62)
        painter.setPen(QPen(colour, 2.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        paint: Callable[[QRectF], None] = painter.drawRect if framed else lambda box: painter.fillRect(box, colour)
        for pivot in player.trace.frontier(player.step).tolist():
            row = int(np.searchsorted(matrix.sources, pivot))
            if row < rows and int(matrix.sources[row]) == pivot:
                paint(QRectF(cells.left(), cells.top() + row * tall, cells.width(), max(tall, 1.5)))
            paint(QRectF(cells.left() + pivot * wide, cells.top(), max(wide, 1.5), cells.height()))

    def _paint_pair(self, painter: QPainter, cells: QRectF, *, framed: bool) -> None:
        """Draw cross hairs that end at the cell of the pair that is shown, or a frame round it that hides no number."""
        ends, matrix = self._session.active.shown_ends, self.matrix
        if ends is None or ends.target is None or matrix is None:
            return
        rows, columns = matrix.distances.shape
        row = int(np.searchsorted(matrix.sources, ends.source))
        if row >= rows or int(matrix.sources[row]) != ends.source:
            return
        x = cells.left() + (ends.target + 0.5) * cells.width() / columns
        y = cells.top() + (row + 0.5) * cells.height() / rows
        colours = self._style.colours
        if framed:
            wide, tall = cells.width() / columns, cells.height() / rows
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for colour, width in ((qt_colour(colours.casing), 4.5), (qt_colour(colours.route), 2.5)):
                painter.setPen(QPen(colour, width))
                painter.drawRect(QRectF(x - wide / 2, y - tall / 2, wide, tall))
            return
        lines = (QPointF(cells.left(), y), QPointF(x, y)), (QPointF(x, cells.top()), QPointF(x, y))
        for colour, width in ((qt_colour(colours.casing, 0.7), 3.0), (qt_colour(colours.route), 1.2)):
            painter.setPen(QPen(colour, width))
            for begin, end in lines:
                painter.drawLine(begin, end)
        painter.setPen(QPen(qt_colour(colours.casing), 1.5))
        painter.setBrush(qt_colour(colours.target))
        painter.drawEllipse(QPointF(x, y), 4.0, 4.0)

    def _paint_head(self, painter: QPainter, cells: QRectF) -> None:
        """Write what the matrix is, and the pair that is shown."""
        colours = self._theme.interface
        font = figures_font(self.font())
        painter.setFont(font)
        painter.setPen(qt_colour(colours.text))
        wide = max(self.width() - cells.left() - MARGIN, 1.0)
        head = QRectF(cells.left(), cells.top() - scaled(HEAD - 4), wide, scaled(20))
        title = translated("Distances")
        painter.drawText(head, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        used = painter.fontMetrics().horizontalAdvance(title) + GAP
        room = head.adjusted(used, 0, 0, 0)
        text = painter.fontMetrics().elidedText(self.text, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.setPen(qt_colour(colours.muted))
        right = min(room.right(), cells.right())
        room.setRight(max(right, room.left() + painter.fontMetrics().horizontalAdvance(text)))
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_captions(self, painter: QPainter, cells: QRectF) -> None:
        """Write what rows and columns are, where there is no room for the name of each."""
        painter.setFont(self._small_font())
        painter.setPen(qt_colour(self._theme.interface.muted))
        above = QRectF(cells.left(), cells.top() - scaled(20), cells.width(), scaled(16))
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, translated("to node"))
        painter.save()
        painter.translate(cells.left() - scaled(12), cells.center().y())
        painter.rotate(-90)
        beside = QRectF(-scaled(60), -scaled(8), scaled(120), scaled(16))
        painter.drawText(beside, Qt.AlignmentFlag.AlignCenter, translated("from node"))
        painter.restore()

    def _small_font(self) -> QFont:
        font = figures_font(self.font())
        font.setPixelSize(scaled(SMALL_FONT))
        return font

    def _paint_legend(self, painter: QPainter, cells: QRectF) -> None:
        """Draw the colours from 0 to the largest distance."""
        matrix, pairs = self.matrix, self._session.active.pairs
        if matrix is None or pairs is None:
            return
        bar = QRectF(cells.left(), cells.bottom() + scaled(12), min(cells.width(), scaled(250)), 5)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        for share in np.linspace(0, 1, _STOPS):
            red, green, blue = self._style.gradient[round(255 * share)]
            gradient.setColorAt(float(share), QColor(int(red), int(green), int(blue)))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(gradient)
        painter.drawRoundedRect(bar, 2, 2)
        painter.setPen(qt_colour(self._theme.interface.muted))
        painter.setFont(self._small_font())
        below = bar.translated(0, 8).adjusted(0, 0, 0, scaled(12))
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, pairs.metric.describe(matrix.largest))
