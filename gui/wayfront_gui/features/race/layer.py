"""A race on its maps: what is said of each search (place, name, how far it is), and all of them in one picture.

The picture is drawn without a window: for ``wayfront race``, export and films.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from wayfront_gui.features.closures.layer import detour_and_cut_off
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.legend import NodeColours, measured
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.scene import Edges, Layer, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.ui.style import draw_line, one_line, text_font
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront_gui.features.race.state import Caption, Difference

_CORNER = 12.0
TITLE, DETAIL = 15, 12
"""Sizes of the two lines of text, in logical pixels."""
_PADDING = 9.0
_MEDAL = 13.0
"""Radius of the disc with the place."""
_BAR = 3.0
"""Height of the bar that shows how far a search is."""


_HEAD = 64.0
"""Height of the caption with its margin."""
_LEGEND_FROM = 550.0
"""A race's maps fill their room: on one that is narrower the legend would lie over most of it."""


@dataclass(frozen=True, slots=True)
class RaceCaption(Layer):
    """What a map of a race says of its search."""

    caption: Caption

    NAME: ClassVar[str] = "caption"
    ORDER: ClassVar[int] = 5
    STEADY: ClassVar[bool] = False

    @property
    def edges(self) -> Edges:
        """Scale, legend and credit stand on one map each; none explains the signs of a diagram."""
        return Edges(self.caption.credit, self.caption.scale, key=False, head=_HEAD, legend_from=_LEGEND_FROM)

    def paint_edges(self, painter: QPainter, scene: Scene, camera: Camera, base: float) -> None:
        """Paint the caption into the upper left corner."""
        paint_caption(painter, scene.style, self.caption, camera.width)


def paint_caption(painter: QPainter, style: Style, caption: Caption, width: float) -> None:
    """Paint the caption into the upper left corner of a map ``width`` logical pixels wide."""
    colours, lane = style.colours, caption.lane
    widest = width - 2 * _CORNER - 2 * _PADDING
    title, detail = fitting_title(lane.title, widest - 2 * _MEDAL - 9), text_font(DETAIL)  # as large before the finish
    second = " · ".join(filter(None, (lane.detail, lane.figure)))
    medal = 2 * _MEDAL + 9 if lane.place is not None else 0.0
    room = max(widest - medal, 20.0)
    wide = max(_wide(title, lane.title), _wide(detail, second))
    text = min(wide, room)
    high = QFontMetricsF(title).height() + QFontMetricsF(detail).height() + 2
    box = QRectF(_CORNER, _CORNER, text + medal + 2 * _PADDING, high + 2 * _PADDING - 2)
    painter.setPen(QPen(QColor(colours.bloom), 1.5) if caption.chosen else Qt.PenStyle.NoPen)
    painter.setBrush(translucent(colours.background, 205))
    painter.drawRoundedRect(box, 6, 6)
    left = box.left() + _PADDING
    if lane.place is not None:
        _paint_medal(painter, style, QPointF(left + _MEDAL, box.center().y()), lane.place)
        left += medal
    top = box.top() + _PADDING - 1
    _line(painter, title, QRectF(left, top, text, QFontMetricsF(title).height()), lane.title, colours.ink, 240)
    top += QFontMetricsF(title).height() + 2
    _line(painter, detail, QRectF(left, top, text, QFontMetricsF(detail).height()), second, colours.ink, 185)
    if lane.place is None and lane.progress > 0:
        bar = QRectF(box.left() + 6, box.bottom() - _BAR, (box.width() - 12) * lane.progress, _BAR)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.bloom))
        painter.drawRoundedRect(bar, _BAR / 2, _BAR / 2)


def fitting_title(text: str, room: float) -> QFont:
    """Return the largest font of titles in which a text has room, or the smallest."""
    fonts = [text_font(pixels, bold=True) for pixels in range(TITLE, DETAIL - 2, -1)]
    return next((font for font in fonts if _wide(font, text) <= room), fonts[-1])


def _paint_medal(painter: QPainter, style: Style, at: QPointF, place: int) -> None:
    """Paint the place on a disc; the winner's is full of light."""
    colours = style.colours
    light, ground = QColor(colours.bloom), QColor(colours.background)
    painter.setPen(QPen(light if place == 1 else QColor(colours.unreached), 2.0))
    painter.setBrush(light if place == 1 else ground)
    painter.drawEllipse(at, _MEDAL, _MEDAL)
    painter.setFont(text_font(TITLE, bold=True))
    painter.setPen(ground if place == 1 else QColor(colours.ink))
    disc = QRectF(at.x() - _MEDAL, at.y() - _MEDAL, 2 * _MEDAL, 2 * _MEDAL)
    painter.drawText(disc, int(Qt.AlignmentFlag.AlignCenter), str(place))


def _wide(font: QFont, text: str) -> float:
    """Return the width of a text, in steps of some pixels: figures that run must not make the box tremble."""
    return -(-QFontMetricsF(font).horizontalAdvance(one_line(text)) // 16) * 16


def _line(painter: QPainter, font: QFont, box: QRectF, text: str, colour: str, strength: int) -> None:
    painter.setFont(font)
    painter.setPen(translucent(colour, strength))
    draw_line(painter, box, one_line(text), Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True, slots=True, eq=False)
class Differences(Layer):
    """Where a search differs from another, drawn in its place."""

    colours: NodeColours

    NAME: ClassVar[str] = "difference"
    ORDER: ClassVar[int] = 61
    PRECEDENCE: ClassVar[int] = 20

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of how far apart the two are."""
        return self.colours


def difference_colours(difference: Difference) -> Differences:
    """Return how two results differ: nodes of equal distance have no colour, as if they were not reached."""
    one_only = difference.one_only
    ink = translated("reached by only one: {one_only:,}", one_only=one_only) if one_only else ""
    title = translated("difference of the {distance}", distance=measured(difference.metric))
    nothing = None if difference.differ else translated("no difference")
    return Differences(detour_and_cut_off(difference.apart, difference.metric, title, ink, nothing))
