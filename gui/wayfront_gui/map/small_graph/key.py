"""What the signs of a small graph mean, in rows at the lower left of its picture."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from wayfront_gui.map.small_graph.arcs import DASHES, WIDTHS, ArcKind, Kinds
from wayfront_gui.map.small_graph.inks import Inks
from wayfront_gui.map.small_graph.lettering import font_of, measure
from wayfront_gui.map.small_graph.nodes import NodeState, paint_disc, state_of
from wayfront_gui.scene.small_graph.graph import SmallGraph
from wayfront_gui.scene.small_graph.moment import Moment
from wayfront_gui.translation import marked, translated

ROW = 20.0
PIXELS = 11
_SIGN, _GAP, _DISC = 22.0, 18.0, 5.5
NODE_TEXTS = {
    NodeState.UNREACHED: marked("not reached yet"),
    NodeState.WAITING: marked("waiting"),
    NodeState.FRONTIER: marked("expanded now"),
    NodeState.SETTLED: marked("settled"),
}
ARC_TEXTS = {
    ArcKind.TREE: marked("tree so far"),
    ArcKind.IMPROVING: marked("lowered a label"),
    ArcKind.TRIED: marked("tried in vain"),
    ArcKind.ROUTE: marked("route"),
    ArcKind.CLOSED: marked("closed"),
}
FINISHED_TEXTS = {NodeState.SETTLED: marked("reached"), NodeState.UNREACHED: marked("not reached")}
TREE_TEXT = marked("shortest-path tree")
FELL = marked("label fell")


@dataclass(frozen=True, slots=True)
class Entry:
    """A sign and what it means; ``paint`` paints the sign into a box."""

    text: str
    paint: Callable[[QPainter, QRectF], None]

    @property
    def width(self) -> float:
        """How much room it takes."""
        return _SIGN + 6 + measure(self.text, PIXELS)[0]


def entries_of(graph: SmallGraph, moment: Moment, kinds: Kinds, colour: QColor, inks: Inks) -> list[Entry]:
    """Return the signs that a moment shows, nodes first; ``colour`` is one of the colours of distance."""
    if not moment.labelled.any():
        return []
    present = {state_of(moment, node) for node in range(len(moment.labels))}
    texts = {**NODE_TEXTS, **FINISHED_TEXTS} if moment.finished else NODE_TEXTS
    entries = [Entry(translated(texts[state]), _disc(state, colour, inks)) for state in NodeState if state in present]
    if moment.changed.any():
        entries.append(Entry(translated(FELL), _fallen(inks)))
    for kind, text in ARC_TEXTS.items():
        if (kinds == kind).any():
            shown = TREE_TEXT if moment.finished and kind is ArcKind.TREE else text
            entries.append(Entry(translated(shown), _line(kind, colour, inks)))
    if graph.numbers.unit:
        text = translated("weights and labels in {unit}", unit=graph.numbers.unit)
        entries.append(Entry(text, lambda painter, box: None))
    return entries


def rows_of(entries: Iterable[Entry], room: float) -> list[list[Entry]]:
    """Return entries in as many rows as it takes to fit them into ``room``."""
    rows: list[list[Entry]] = []
    used = np.inf
    for entry in entries:
        if used + entry.width > room:
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += entry.width + _GAP
    return rows


def paint_rows(painter: QPainter, rows: list[list[Entry]], at: QPointF, inks: Inks) -> None:
    """Paint rows of entries, the last one above ``at``, which is at their left."""
    painter.setFont(font_of(PIXELS))
    top = at.y() - ROW * len(rows)
    width = max((sum(e.width for e in row) + _GAP * (len(row) - 1) for row in rows), default=0.0)
    paper = QColor(inks.page)
    paper.setAlpha(225)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paper)
    painter.drawRoundedRect(QRectF(at.x() - 6, top - 3, width + 12, ROW * len(rows) + 5), 4, 4)
    for index, row in enumerate(rows):
        x, y = at.x(), top + ROW * index
        for entry in row:
            entry.paint(painter, QRectF(x, y, _SIGN, ROW))
            painter.setPen(inks.dim)
            painter.setFont(font_of(PIXELS))
            text = QRectF(x + _SIGN + 4, y, entry.width, ROW)
            painter.drawText(text, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), entry.text)
            x += entry.width + _GAP


def _disc(state: NodeState, colour: QColor, inks: Inks) -> Callable[[QPainter, QRectF], None]:
    def paint(painter: QPainter, box: QRectF) -> None:
        paint_disc(painter, box.center(), _DISC, state, colour, inks)

    return paint


def _fallen(inks: Inks) -> Callable[[QPainter, QRectF], None]:
    def paint(painter: QPainter, box: QRectF) -> None:
        painter.setPen(QPen(inks.step, 1.4))
        painter.setBrush(inks.step)
        painter.drawRoundedRect(QRectF(box.center().x() - 9, box.center().y() - 6, 18, 12), 3, 3)
        painter.setPen(QPen(inks.on_step, 1.3))
        for side in (-1, 1):
            painter.drawLine(box.center() + QPointF(3 * side, -1.5), box.center() + QPointF(0, 2))

    return paint


def _line(kind: ArcKind, colour: QColor, inks: Inks) -> Callable[[QPainter, QRectF], None]:
    inked = {ArcKind.TREE: colour, ArcKind.ROUTE: inks.route, ArcKind.CLOSED: inks.closed}.get(kind, inks.step)

    def paint(painter: QPainter, box: QRectF) -> None:
        pen = QPen(inked, WIDTHS[kind], Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
        if kind in DASHES:
            pen.setDashPattern(DASHES[kind])
        painter.setPen(pen)
        painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right() - 2, box.center().y()))

    return paint
