"""Painting a distance matrix at a step of its replay: cells, numbers, pivots and a pair, on any thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPen

from wayfront.network.conventions import SMALL
from wayfront.trace.schema import Trace
from wayfront_gui.features.small_graphs.nodes import font_of, measure, text_on
from wayfront_gui.features.small_graphs.words import Numbers
from wayfront_gui.map.overlay import legend_brush
from wayfront_gui.map.style import Style, pack
from wayfront_gui.session.pairs import Ends, MatrixReplay, Pairs
from wayfront_gui.ui.style import draw_line, figures_font, one_line, qt_colour, scaled
from wayfront_gui.ui.theme import THEMES, Theme, rgb
from wayfront_gui.ui.translation import translated

HEAD, FOOT, SIDE = 46.0, 44.0, 20.0
"""Room for the texts above, below and left of the cells, in pixels."""
MARGIN, GAP = 14, 8
"""Around everything, and between two texts."""
SMALL_FONT = 11


@dataclass(frozen=True, eq=False)
class MatrixDrawing:
    """A matrix as it is painted.

    position  of the replay, −1 before its first step
    ends      the pair that is shown, None for none
    """

    picture: MatrixPicture
    pairs: Pairs
    position: float
    ends: Ends | None = None

    @property
    def matrix(self) -> MatrixReplay:
        """The matrix with its history."""
        return self.picture.matrix

    @property
    def theme(self) -> Theme:
        """The theme whose colours texts have."""
        return THEMES[self.picture.style.theme_name]

    @property
    def step(self) -> int:
        """The step that is shown, −1 before the first."""
        return int(np.floor(self.position + 1e-9))

    @property
    def text(self) -> str:
        """The pair that is shown and its distance, in words."""
        return pair_text(self.pairs, self.ends, self.step)

    @property
    def ended(self) -> bool:
        """Whether the search is over, so that nothing belongs to a step."""
        return self.pairs.trace is None or self.position >= len(self.pairs.trace) - 1

    @cached_property
    def figures(self) -> MatrixFigures | None:
        """The numbers in the cells, None for networks that are no small graphs."""
        return MatrixFigures.at(self.pairs, self.matrix, self.pairs.trace, self.step)

    @cached_property
    def _pixels(self) -> NDArray[np.uint32]:
        return self.picture.settled() if self.ended else self.picture.pixels(self.step)

    @cached_property
    def image(self) -> QImage:
        """The cells, a pixel each; it shares memory with this drawing."""
        rows, columns = self._pixels.shape
        return QImage(self._pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGB32)

    # ------------------------------------------------------------------------------------------------- cells

    def cells(self, area: QRectF, ratio: float) -> QRectF:
        """Return the rectangle of the cells in an area: a square, of whole pixels a cell where they are that large.

        ``ratio`` is the number of physical pixels in a logical one.
        """
        beside = scaled(SIDE) if self.figures is None else max(scaled(SIDE), self.figures.beside)
        room = area.adjusted(MARGIN + beside, scaled(HEAD), -MARGIN, -scaled(FOOT))
        side = max(min(room.width(), room.height()), 1.0)
        rows, columns = self.matrix.distances.shape
        whole = int(side * ratio / max(columns, rows))
        if rows == columns and whole >= 1:
            side = whole * columns / ratio
        left, top = (float(max(spare, 0.0) // 2) for spare in (room.width() - side, room.height() - side))
        return QRectF(room.left() + left, room.top() + top, side, side)

    def _row_of(self, source: int) -> int:
        """Return the row of a source, −1 for a node that is none."""
        row = int(np.searchsorted(self.matrix.sources, source))
        return row if row < len(self.matrix.sources) and int(self.matrix.sources[row]) == source else -1

    # ---------------------------------------------------------------------------------------------- painting

    def paint(self, painter: QPainter, area: QRectF, ratio: float, font: QFont, *, focused: bool = False) -> None:
        """Paint the cells, the pivots of the step, the pair, and the texts, over a ground that is painted first."""
        painter.fillRect(area, qt_colour(self.picture.style.colours.background))
        cells, interface = self.cells(area, ratio), self.theme.interface
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, cells.width() < self.image.width())
        painter.drawImage(cells, self.image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        figures = self.figures
        pixels = 0 if figures is None else figures.pixels(cells)
        self._paint_pivots(painter, cells, framed=bool(pixels))
        if figures is not None and pixels:
            paint_figures(painter, cells, figures, pixels, self.image, qt_colour(interface.text))
        self._paint_pair(painter, cells, framed=bool(pixels))
        painter.setPen(QPen(qt_colour(interface.accent if focused else interface.line), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(cells.adjusted(-1, -1, 1, 1))
        self._paint_head(painter, area, cells, figures_font(font))
        small = figures_font(font)
        small.setPixelSize(scaled(SMALL_FONT))
        painter.setFont(small)
        if not pixels:
            self._paint_captions(painter, cells)
        self._paint_legend(painter, cells)

    def _paint_pivots(self, painter: QPainter, cells: QRectF, *, framed: bool) -> None:
        """Fill row and column of each pivot of the step, or draw frames round them."""
        matrix, trace = self.matrix, self.pairs.trace
        if not matrix.pivots or trace is None or self.ended or self.step < 0:
            return
        rows, columns = matrix.distances.shape
        tall, wide = cells.height() / rows, cells.width() / columns
        colour = qt_colour(self.picture.style.colours.bloom, 1.0 if framed else 0.62)
        painter.setPen(QPen(colour, 2.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        paint: Callable[[QRectF], None] = painter.drawRect if framed else lambda box: painter.fillRect(box, colour)
        for pivot in trace.frontier(self.step).tolist():
            if (row := self._row_of(pivot)) >= 0:
                paint(QRectF(cells.left(), cells.top() + row * tall, cells.width(), max(tall, 1.5)))
            paint(QRectF(cells.left() + pivot * wide, cells.top(), max(wide, 1.5), cells.height()))

    def _paint_pair(self, painter: QPainter, cells: QRectF, *, framed: bool) -> None:
        """Draw cross hairs that end at the cell of the pair that is shown, or a frame round it that hides no number."""
        ends, matrix = self.ends, self.matrix
        row = -1 if ends is None else self._row_of(ends.source)
        if ends is None or ends.target is None or row < 0:
            return
        rows, columns = matrix.distances.shape
        x = cells.left() + (ends.target + 0.5) * cells.width() / columns
        y = cells.top() + (row + 0.5) * cells.height() / rows
        colours = self.picture.style.colours
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

    def _paint_head(self, painter: QPainter, area: QRectF, cells: QRectF, font: QFont) -> None:
        """Write what the matrix is, and the pair that is shown."""
        colours = self.theme.interface
        painter.setFont(font)
        painter.setPen(qt_colour(colours.text))
        wide = max(area.right() - cells.left() - MARGIN, 1.0)
        head = QRectF(cells.left(), cells.top() - scaled(HEAD - 4), wide, scaled(20))
        metrics, title = painter.fontMetrics(), translated("Distances")
        used = metrics.horizontalAdvance(title) + GAP
        if used + metrics.horizontalAdvance(self.text) > wide:  # the pair says what the matrix is
            used = 0
        else:
            painter.drawText(head, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, title)
        room = head.adjusted(used, 0, 0, 0)
        text = metrics.elidedText(self.text, Qt.TextElideMode.ElideRight, int(room.width()))
        painter.setPen(qt_colour(colours.muted))
        right = min(room.right(), cells.right())
        room.setRight(max(right, room.left() + metrics.horizontalAdvance(text)))
        painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_captions(self, painter: QPainter, cells: QRectF) -> None:
        """Write what rows and columns are, where there is no room for the name of each."""
        painter.setPen(qt_colour(self.theme.interface.muted))
        above = QRectF(cells.left(), cells.top() - scaled(20), cells.width(), scaled(16))
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, translated("to node"))
        painter.save()
        painter.translate(cells.left() - scaled(12), cells.center().y())
        painter.rotate(-90)
        beside = QRectF(-scaled(60), -scaled(8), scaled(120), scaled(16))
        painter.drawText(beside, Qt.AlignmentFlag.AlignCenter, translated("from node"))
        painter.restore()

    def _paint_legend(self, painter: QPainter, cells: QRectF) -> None:
        """Draw the colours from 0 to the largest distance."""
        bar = QRectF(cells.left(), cells.bottom() + scaled(12), min(cells.width(), scaled(250)), 5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(legend_brush(self.picture.style, bar))
        painter.drawRoundedRect(bar, 2, 2)
        painter.setPen(qt_colour(self.theme.interface.muted))
        below = bar.translated(0, 8).adjusted(0, 0, 0, scaled(12))
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, self.pairs.metric.describe(self.matrix.largest))


def pair_text(pairs: Pairs, ends: Ends | None, step: int) -> str:
    """Return a pair and its distance after a step: ``12 → 34: 5.67 km``; empty where there is no pair.

    Only Floyd and Warshall's matrix is known after every step; of others it is the distance in the end.
    """
    if ends is None or ends.target is None:
        return ""
    name, trace = pairs.network.node_name, pairs.trace
    if trace is not None and trace.matrices is not None:
        matrix = trace.matrices[min(step + 1, len(trace))]
        distance: int | None = int(matrix[ends.source * pairs.network.node_count + ends.target])
    else:
        distance = pairs.distance(ends.source, ends.target)
    far = "—" if distance is None else translated("no path") if distance < 0 else pairs.metric.describe(distance)
    return f"{one_line(name(ends.source))} → {one_line(name(ends.target))}: {far}"


TENTATIVE = 0.42
"""How far a cell that a later step lowers is from the background to its colour."""
CHANGED = 0.72
"""How far a cell that the present step changed turns towards the heat of a frontier."""
NO_PATH = 0.16
"""How far a cell without a path is from the background to the colour of roads that are not reached."""


@dataclass(frozen=True)
class MatrixPicture:
    """A matrix in the colours of a style: those of the map, from 0 to the largest distance."""

    matrix: MatrixReplay
    style: Style

    def pixels(self, step: int) -> NDArray[np.uint32]:
        """Return the cells at a step, uint32 [rows, n] as 0xFFRRGGBB; at the last step and later the final ones.

        Before the first step, at −1, there is what a matrix begins with.
        """
        matrix = self.matrix
        known, final = matrix.first <= step, matrix.last <= step
        out = np.where(known & final, self._tables[0], np.where(known, self._tables[1], self._tables[3]))
        changed = known & (matrix.last == step) & (step >= 0)
        np.copyto(out, self._tables[2], where=changed)
        return out

    def settled(self) -> NDArray[np.uint32]:
        """Return the finished matrix, without the heat of a step."""
        return np.where(self.matrix.distances >= 0, self._tables[0], self._no_path)

    @cached_property
    def _no_path(self) -> np.uint32:
        background, unreached = (
            np.array(rgb(c)) for c in (self.style.colours.background, self.style.colours.unreached)
        )
        return np.uint32(pack(background + (unreached - background) * NO_PATH))

    @cached_property
    def _tables(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32], np.uint32]:
        """Cells in their colour, as tentative ones and as ones just changed, and the background."""
        colours, distances = self.style.colours, np.maximum(self.matrix.distances, 0)
        index = np.round(distances * (255 / self.matrix.largest)).astype(np.intp)
        background, heat = np.array(rgb(colours.background)), np.array(rgb(colours.heat))
        gradient = self.style.gradient
        kinds = gradient, background + (gradient - background) * TENTATIVE, gradient + (heat - gradient) * CHANGED
        full, tentative, hot = (pack(kind)[index] for kind in kinds)
        return full, tentative, hot, np.uint32(pack(background))


LARGEST_TEXT = 17
"""Pixels of a cell's number, at most."""
LEAST_TEXT = 8
"""Pixels below which a number cannot be read, so that none is written."""
NAME_TEXT, WIDEST_NAME = 11, 60
"""Pixels of a name, and of the longest one beside the rows."""
_ROOM = 0.86
"""The share of a cell that its number may take."""


@dataclass(frozen=True, slots=True)
class MatrixFigures:
    """What is written into the cells of a matrix at a step, and beside its rows and columns.

    texts    a list for each row: the distance as it is on maps of small graphs, ∞ without a path; "" where it is not
             known yet
    rows     names of the sources, from top to bottom
    columns  names of all nodes
    """

    texts: list[list[str]]
    rows: list[str]
    columns: list[str]

    @classmethod
    def at(cls, pairs: Pairs, matrix: MatrixReplay, trace: Trace | None, step: int) -> MatrixFigures | None:
        """Return them after a step of a replay; None for networks that are no small graphs."""
        network = pairs.network
        n = network.node_count
        if n > SMALL:
            return None
        if trace is not None and trace.matrices is not None:
            known = np.ones(matrix.distances.shape, bool)
            distances = trace.matrices[min(step + 1, len(trace))].reshape(n, n)[matrix.sources]
        else:
            known, distances = matrix.last <= step, matrix.distances
        numbers = Numbers.of(pairs.metric, matrix.largest)
        texts = [
            [numbers.text(int(distance)) if shown else "" for distance, shown in zip(row, shows, strict=True)]
            for row, shows in zip(distances.tolist(), known.tolist(), strict=True)
        ]
        names = [one_line(network.node_name(node)) for node in range(n)]
        return cls(texts, [names[source] for source in matrix.sources.tolist()], names)

    @property
    def beside(self) -> float:
        """How wide the names of the rows are, with a margin; the longest are cut."""
        names = max(measure(name, scaled(NAME_TEXT))[0] for name in self.rows)
        return float(min(names + 1, scaled(WIDEST_NAME)) + scaled(6))

    def pixels(self, cells: QRectF) -> int:
        """Return the size of the numbers in so large a matrix; 0 where they would be too small to be read."""
        room = _ROOM * min(cells.width() / len(self.columns), cells.height() / len(self.rows))
        longest = max((text for row in self.texts for text in row), key=len, default="")
        pixels = min(scaled(LARGEST_TEXT), int(0.6 * room))
        while pixels >= LEAST_TEXT and measure(longest, pixels)[0] > room:
            pixels -= 1
        return pixels if pixels >= LEAST_TEXT else 0


def paint_figures(
    painter: QPainter, cells: QRectF, figures: MatrixFigures, pixels: int, colours: QImage, heading: QColor
) -> None:
    """Write the numbers onto the cells, whose ``colours`` are one pixel each, and the names beside them."""
    wide, tall = cells.width() / len(figures.columns), cells.height() / len(figures.rows)
    painter.save()
    painter.setFont(font_of(pixels))
    for row, texts in enumerate(figures.texts):
        for column, text in enumerate(texts):
            painter.setPen(text_on(QColor(colours.pixel(column, row))))
            box = QRectF(cells.left() + column * wide, cells.top() + row * tall, wide, tall)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.setFont(font_of(scaled(NAME_TEXT), bold=True))
    painter.setPen(heading)
    for column, name in enumerate(figures.columns):
        box = QRectF(cells.left() + column * wide + 1, cells.top() - scaled(20), wide - 2, scaled(18))
        draw_line(painter, box, name, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom)
    for row, name in enumerate(figures.rows):
        box = QRectF(cells.left() - figures.beside, cells.top() + row * tall, figures.beside - scaled(6), tall)
        draw_line(painter, box, name, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    painter.restore()
