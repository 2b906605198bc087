"""Painting the nodes of a small graph: discs whose rim and filling say their state, names on them, labels beside them.

No state is told by colour alone: what is not reached has a dotted rim, what waits a hollow disc, what is expanded in
the step two rims, what is settled a filled disc; a label that fell has a frame, and what it was before, crossed out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QRadialGradient

from wayfront_gui.look.plain import one_line
from wayfront_gui.map.small_graph.inks import Inks, mixed, of_distance, text_on
from wayfront_gui.map.small_graph.lettering import fitting, font_of, measure
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.small_graph.graph import SmallGraph
from wayfront_gui.scene.small_graph.moment import Moment
from wayfront_gui.scene.small_graph.numbers import NO_LABEL
from wayfront_gui.scene.small_graph.placing import PAD_X, Placing


class NodeState(Enum):
    """What a search has done with a node."""

    UNREACHED = "unreached"
    WAITING = "waiting"
    FRONTIER = "frontier"
    SETTLED = "settled"


RIM = 1.8
_DOTS = [1.0, 2.2]
_FRONTIER_RING = 3.6
"""Pixels from the rim of a disc to the second one of the frontier."""
_GLOW = 2.1
"""Radius of the frontier's glow, in radii of a disc."""
_NAME_ROOM = 1.62
"""Width of a name, in radii of its disc."""


def state_of(moment: Moment, node: int) -> NodeState:
    """Return what a moment says of a node."""
    if moment.frontier[node]:
        return NodeState.FRONTIER
    if moment.settled[node]:
        return NodeState.SETTLED
    return NodeState.UNREACHED if moment.labels[node] == NO_LABEL else NodeState.WAITING


@dataclass(frozen=True, slots=True, eq=False)
class NodePainter:
    """Paints the nodes of one picture at ``places`` float64 [n, 2]; ``rows`` [n] are rows of the colour map."""

    scene: Scene
    graph: SmallGraph
    moment: Moment
    places: NDArray[np.float64]
    placing: Placing
    rows: NDArray[np.uint8]
    inks: Inks

    def paint_discs(self, painter: QPainter) -> None:
        """Paint discs and names, the frontier last."""
        order = np.argsort(self.moment.frontier, kind="stable").tolist()
        for node in order:
            at = QPointF(*self.places[node].tolist())
            state = state_of(self.moment, node)
            colour = of_distance(self.scene.style, int(self.rows[node]))
            filling = paint_disc(painter, at, self.placing.sizes.radius, state, colour, self.inks)
            self._paint_name(painter, node, at, filling, state)

    def _paint_name(self, painter: QPainter, node: int, at: QPointF, filling: QColor, state: NodeState) -> None:
        sizes = self.placing.sizes
        if not sizes.name:
            return
        room = _NAME_ROOM * sizes.radius
        text, pixels = fitting(one_line(self.graph.names[node]), sizes.name, room)
        painter.setFont(font_of(pixels, bold=True))
        painter.setPen(self.inks.dim if state is NodeState.UNREACHED else text_on(filling))
        painter.drawText(_box(at, 2 * sizes.radius, 2 * sizes.radius), int(Qt.AlignmentFlag.AlignCenter), text)

    def paint_labels(self, painter: QPainter) -> None:
        """Paint the tentative distances, those that fell in this step last."""
        if not self.placing.sizes.label:
            return
        for node in np.argsort(self.moment.changed, kind="stable").tolist():
            self._paint_label(painter, node)

    def _paint_label(self, painter: QPainter, node: int) -> None:
        pixels, inks, numbers = self.placing.sizes.label, self.inks, self.graph.numbers
        at = QPointF(*(self.places[node] + self.placing.labels[node]).tolist())
        text = numbers.text(int(self.moment.labels[node]))
        height = self.placing.label_box[1]
        changed = bool(self.moment.changed[node])
        width = max(measure(text, pixels)[0] + 2 * PAD_X, height)
        box = _box(at, width, height)
        if changed and int(self.moment.before[node]) != NO_LABEL:
            box = self._paint_old(painter, node, box, numbers.text(int(self.moment.before[node])))
        paper = QColor(inks.page)
        paper.setAlpha(240)
        painter.setBrush(inks.step if changed else paper)
        painter.setPen(QPen(mixed(inks.step, inks.ink, 0.3), 1.4) if changed else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, 4, 4)
        reached = int(self.moment.labels[node]) != NO_LABEL
        painter.setFont(font_of(pixels, bold=reached))
        painter.setPen(inks.on_step if changed else inks.ink if reached else inks.dim)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _paint_old(self, painter: QPainter, node: int, box: QRectF, text: str) -> QRectF:
        """Paint what a label was before, crossed out, beside where the new one goes; return that."""
        pixels = max(self.placing.sizes.label - 2, 8)
        width = measure(text, pixels)[0] + 2 * PAD_X
        # The pair grows away from the disc.
        across = float(self.placing.labels[node, 0])
        leftward = across < -1.0
        new = box.translated(-width / 2 if abs(across) <= 1.0 else 0.0, 0.0)
        old = QRectF(new.left() - width if leftward else new.right(), new.top(), width, new.height())
        paper = QColor(self.inks.page)
        paper.setAlpha(240)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paper)
        painter.drawRoundedRect(old, 4, 4)
        painter.setFont(font_of(pixels))
        painter.setPen(self.inks.dim)
        painter.drawText(old, int(Qt.AlignmentFlag.AlignCenter), text)
        painter.setPen(QPen(self.inks.dim, 1.2))
        middle, half = old.center(), measure(text, pixels)[0] / 2 + 1.5
        painter.drawLine(middle + QPointF(-half, 0.5), middle + QPointF(half, 0.5))
        return new

    def paint_ring(self, painter: QPainter, node: int, colour: QColor, width: float, out: float) -> None:
        """Paint a ring round a node's disc, ``out`` pixels from its rim."""
        at, radius = QPointF(*self.places[node].tolist()), self.placing.sizes.radius + out
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for ink, pixels in ((self.inks.page, width + 2.5), (colour, width)):
            painter.setPen(QPen(ink, pixels))
            painter.drawEllipse(at, radius, radius)


def paint_disc(painter: QPainter, at: QPointF, radius: float, state: NodeState, colour: QColor, inks: Inks) -> QColor:
    """Paint the disc of a node in a state, whose distance has a colour; return what it is filled with."""
    if state is NodeState.FRONTIER:
        _paint_glow(painter, at, radius, inks.step)
        painter.setBrush(inks.page)
        painter.setPen(QPen(inks.step, RIM))
        painter.drawEllipse(at, radius + _FRONTIER_RING, radius + _FRONTIER_RING)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(inks.step)
        painter.drawEllipse(at, radius, radius)
        return inks.step
    rim, filling = {
        NodeState.UNREACHED: (inks.line, inks.page),
        NodeState.WAITING: (colour, mixed(inks.page, colour, 0.16)),
        NodeState.SETTLED: (mixed(colour, inks.ink, 0.25), colour),
    }[state]
    pen = QPen(rim, RIM)
    if state is NodeState.UNREACHED:
        pen.setDashPattern(_DOTS)
    painter.setPen(pen)
    painter.setBrush(filling)
    painter.drawEllipse(at, radius, radius)
    return filling


def _paint_glow(painter: QPainter, at: QPointF, radius: float, colour: QColor) -> None:
    glow = QRadialGradient(at, _GLOW * radius)
    inner, outer = QColor(colour), QColor(colour)
    inner.setAlpha(110)
    outer.setAlpha(0)
    glow.setColorAt(0.45, inner)
    glow.setColorAt(1.0, outer)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(glow)
    painter.drawEllipse(at, _GLOW * radius, _GLOW * radius)


def _box(at: QPointF, width: float, height: float) -> QRectF:
    return QRectF(at.x() - width / 2, at.y() - height / 2, width, height)
