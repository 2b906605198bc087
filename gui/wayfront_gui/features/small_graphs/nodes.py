"""Painting the nodes of a small graph: discs whose rim and filling say their state, names on them, labels beside them.

A name stands on its disc and the label beside it, or, where names are long, the label on the disc. No state is told by
colour alone: what is not reached has a dotted rim, what waits a hollow disc, what is expanded in
the step two rims, what is settled a filled disc; a label that fell has a frame, and what it was before, crossed out.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QRadialGradient

from wayfront_gui.features.small_graphs.graph import PAD_X, ROOM_INSIDE, Placing, SmallGraph
from wayfront_gui.features.small_graphs.moment import Moment
from wayfront_gui.features.small_graphs.words import NO_LABEL
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.ui.style import figures_font, mixed, one_line
from wayfront_gui.ui.theme import THEMES


class NodeState(Enum):
    """What a search has done with a node."""

    UNREACHED = "unreached"
    WAITING = "waiting"
    FRONTIER = "frontier"
    SETTLED = "settled"


RIM = 1.8
_DOTS = [1.0, 2.2]
_FRONTIER_RING = 0.2
"""From the rim of a disc to the second one of the frontier, in radii, …"""
_LEAST_RING = 2.6
"""… but at least so many pixels."""
_MANY = 60
"""Among more nodes than these there is no room for what labels were before."""
_GLOW = 1.9
"""Radius of the frontier's glow, in radii of a disc."""


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
        """Paint discs and what stands on them, the frontier last."""
        for node in np.argsort(self.moment.frontier, kind="stable").tolist():
            at, state = QPointF(*self.places[node].tolist()), state_of(self.moment, node)
            colour = of_distance(self.scene.style, int(self.rows[node]))
            filling = paint_disc(painter, at, self.placing.sizes.radius, state, colour, self.inks)
            ink = self.inks.dim if state is NodeState.UNREACHED else text_on(filling)
            if not self.placing.inside:
                continue
            room = _box(at, 2 * self.placing.sizes.radius, 2 * self.placing.sizes.radius)
            if not self.graph.long_names:
                pixels = self.placing.inside
                text, pixels = fitting(one_line(self.graph.names[node]), pixels, ROOM_INSIDE * room.width() / 2)
                _paint_text(painter, room, text, pixels, ink, bold=True)
            elif self.moment.changed[node]:
                self._paint_fallen(painter, room.center(), self._label(node), self.placing.inside)
            else:
                _paint_text(painter, room, self._label(node), self.placing.inside, ink, bold=True)

    def _label(self, node: int) -> str:
        return self.graph.numbers.text(int(self.moment.labels[node]))

    def paint_beside(self, painter: QPainter) -> None:
        """Paint labels, or long names, beside the discs; those of labels that fell in this step last."""
        if not self.placing.sizes.label:
            return
        for node in np.argsort(self.moment.changed, kind="stable").tolist():
            at = QPointF(*(self.places[node] + self.placing.beside[node]).tolist())
            room = _box(at, *self.placing.rooms[node].tolist())
            changed = bool(self.moment.changed[node])
            if changed and int(self.moment.before[node]) != NO_LABEL and len(self.places) <= _MANY:
                self._paint_old(painter, node, room)
            if self.graph.long_names:
                self._paint_paper(painter, room)
                ink = self.inks.dim if int(self.moment.labels[node]) == NO_LABEL else self.inks.ink
                _paint_text(painter, room, one_line(self.graph.names[node]), self.placing.sizes.label - 1, ink)
            elif changed:
                self._paint_fallen(painter, at, self._label(node), self.placing.sizes.label)
            else:
                self._paint_label(painter, node, at)

    def _paint_label(self, painter: QPainter, node: int, at: QPointF) -> None:
        pixels, text = self.placing.sizes.label, self._label(node)
        reached = int(self.moment.labels[node]) != NO_LABEL
        width, height = measure(text, pixels)
        box = _box(at, width + 2 * PAD_X, height)
        self._paint_paper(painter, box)
        _paint_text(painter, box, text, pixels, self.inks.ink if reached else self.inks.dim, bold=reached)

    def _paint_fallen(self, painter: QPainter, at: QPointF, text: str, pixels: int) -> None:
        """Paint a label that fell in this step, in a frame."""
        width, height = measure(text, pixels)
        box = _box(at, max(width + 2 * PAD_X, height), height + 1)
        painter.setBrush(self.inks.step)
        painter.setPen(QPen(mixed(self.inks.step, self.inks.ink, 0.3), 1.4))
        painter.drawRoundedRect(box, 4, 4)
        _paint_text(painter, box, text, pixels, self.inks.on_step, bold=True)

    def _paint_old(self, painter: QPainter, node: int, room: QRectF) -> None:
        """Paint what a label was before, crossed out, farther from its disc than the text beside that."""
        text, pixels = self.graph.numbers.text(int(self.moment.before[node])), max(self.placing.sizes.label - 2, 8)
        width, height = measure(text, pixels)
        across, down = self.placing.beside[node].tolist()
        if abs(down) >= 0.8 * abs(across):
            away = QPointF(0.0, (room.height() + height) / 2 if down > 0 else -(room.height() + height) / 2)
        else:
            away = QPointF((room.width() + width) / 2 + 2 if across > 0 else -(room.width() + width) / 2 - 2, 0.0)
        old = _box(room.center() + away, width + 2 * PAD_X, height)
        self._paint_paper(painter, old)
        _paint_text(painter, old, text, pixels, self.inks.dim)
        painter.setPen(QPen(self.inks.dim, 1.2))
        reach = QPointF(width / 2 + 1.5, 0.0)
        painter.drawLine(old.center() - reach, old.center() + reach)

    def _paint_paper(self, painter: QPainter, box: QRectF) -> None:
        """Paint the ground of a text, on which no arc runs through it."""
        paper = translucent(self.inks.page, 240)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(paper)
        painter.drawRoundedRect(box, 4, 4)

    def clear_round(self, painter: QPainter, node: int, out: float) -> None:
        """Clear the page between a disc and the ring that is to be round it, ``out`` pixels from its rim."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.inks.page)
        reach = self.placing.sizes.radius + out
        painter.drawEllipse(QPointF(*self.places[node].tolist()), reach, reach)

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
        ring = radius + max(_FRONTIER_RING * radius, _LEAST_RING)
        painter.drawEllipse(at, ring, ring)
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
    glow.setColorAt(0.45, translucent(colour, 110))
    glow.setColorAt(1.0, translucent(colour, 0))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(glow)
    painter.drawEllipse(at, _GLOW * radius, _GLOW * radius)


def _paint_text(painter: QPainter, box: QRectF, text: str, pixels: int, ink: QColor, *, bold: bool = False) -> None:
    painter.setFont(font_of(pixels, bold=bold))
    painter.setPen(ink)
    painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)


def _box(at: QPointF, width: float, height: float) -> QRectF:
    return QRectF(at.x() - width / 2, at.y() - height / 2, width, height)


_DARK_TEXT, _LIGHT_TEXT = "#0b0e14", "#ffffff"
_BRIGHT = 0.25
"""Luminance of a colour on which dark text is read more easily than light text (WCAG 2.2, relative luminance)."""


@dataclass(frozen=True, slots=True)
class Inks:
    """Colours by meaning; ``step`` is what belongs to the step that is shown, ``on_step`` text on it."""

    page: QColor
    ink: QColor
    dim: QColor
    line: QColor
    hollow: QColor
    step: QColor
    on_step: QColor
    route: QColor
    closed: QColor


@lru_cache(maxsize=8)
def inks_of(style: Style) -> Inks:
    """Return the colours of a style."""
    colours, interface = style.colours, THEMES[style.theme_name].interface
    page, ink, line = QColor(colours.background), QColor(colours.ink), QColor(colours.unreached)
    return Inks(
        page=page,
        ink=ink,
        dim=mixed(ink, page, 0.35),
        line=mixed(line, page, 0.12),
        hollow=mixed(page, line, 0.10),
        step=QColor(interface.accent),
        on_step=QColor(interface.on_accent),
        route=QColor(colours.route),
        closed=QColor(colours.closed),
    )


def of_distance(style: Style, row: int) -> QColor:
    """Return the colour of a row of the colour map."""
    return QColor(*(round(part) for part in style.gradient[row].tolist()))


def text_on(colour: QColor) -> QColor:
    """Return the colour of text that is read on a colour."""
    red, green, blue = (_linear(part) for part in (colour.redF(), colour.greenF(), colour.blueF()))
    return QColor(_DARK_TEXT if 0.2126 * red + 0.7152 * green + 0.0722 * blue > _BRIGHT else _LIGHT_TEXT)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


@lru_cache(maxsize=64)
def font_of(pixels: int, *, bold: bool = False) -> QFont:
    """Return the font of so many pixels."""
    font = figures_font(QFont())
    font.setPixelSize(pixels)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


@lru_cache(maxsize=4096)
def measure(text: str, pixels: int) -> tuple[float, float]:
    """Return width and height of a text, set bold, so that none grows out of its place."""
    metrics = QFontMetricsF(font_of(pixels, bold=True))
    return metrics.horizontalAdvance(text), metrics.height()


def fitting(text: str, pixels: int, room: float, least: int = 7) -> tuple[str, int]:
    """Return a text and the pixels in which it fits into ``room``: set smaller, or else without its beginning."""
    while pixels > least and measure(text, pixels)[0] > room:
        pixels -= 1
    shown = text
    while len(shown) > 2 and measure(shown, pixels)[0] > room:
        shown = f"…{shown.lstrip('…')[1:]}"
    return shown, pixels
