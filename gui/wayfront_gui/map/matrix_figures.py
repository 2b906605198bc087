"""The numbers of a small graph's distance matrix, written into its cells as such a table is worked by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter

from wayfront.network.small import SMALL
from wayfront.trace.schema import Trace
from wayfront_gui.look.plain import one_line
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.map.small_graph.inks import text_on
from wayfront_gui.map.small_graph.lettering import font_of, measure
from wayfront_gui.model.graph_numbers import Numbers
from wayfront_gui.model.matrix_replay import MatrixReplay
from wayfront_gui.model.pairs import Pairs

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
    font = font_of(scaled(NAME_TEXT), bold=True)
    painter.setFont(font)
    painter.setPen(heading)
    metrics, end = QFontMetricsF(font), Qt.TextElideMode.ElideRight
    for column, name in enumerate(figures.columns):
        box = QRectF(cells.left() + column * wide, cells.top() - scaled(20), wide, scaled(18))
        where = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom
        painter.drawText(box, where, metrics.elidedText(name, end, wide - 2))
    for row, name in enumerate(figures.rows):
        box = QRectF(cells.left() - figures.beside, cells.top() + row * tall, figures.beside - scaled(6), tall)
        where = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, where, metrics.elidedText(name, end, box.width()))
    painter.restore()
