"""Paint a film's texts: title, subtitle and figures at the top, and how far it is at the bottom."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QRadialGradient

from wayfront.results.result import RouteResult
from wayfront_gui.session.formatting import ending, milliseconds, nodes_text, search_line, title_of
from wayfront_gui.ui.style import one_line, qt_colour, text_font, text_width
from wayfront_gui.ui.theme import MapColours
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront.trace.schema import Trace


MARGIN = 20.0
TITLE_PIXELS, SUBTITLE_PIXELS, FIGURE_PIXELS, SMALL_PIXELS = 24, 13, 17, 11
_GAP = 26.0
"""Between two figures."""
_STRIP = 3.0
"""Height of the line that says how far the film is."""


def paint_caption(painter: QPainter, area: QRectF, caption: Caption, colours: MapColours) -> None:
    """Paint texts into the upper left corner of an area, on a veil of the background."""
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
    height = MARGIN + TITLE_PIXELS + 6
    height += SUBTITLE_PIXELS + 8 if caption.subtitle else 0
    height += SMALL_PIXELS + FIGURE_PIXELS + 16 if caption.figures else 0
    _paint_veil(
        painter, QRectF(area.left(), area.top(), min(1.5 * _width(caption), area.width()), 1.9 * height), colours
    )
    left, room = area.left() + MARGIN, area.width() - 2 * MARGIN
    base = area.top() + MARGIN + TITLE_PIXELS * 0.8
    face = text_font(TITLE_PIXELS, bold=True)
    _paint_line(painter, QPointF(left, base), room, caption.title, face, qt_colour(colours.ink))
    if caption.subtitle:
        base += SUBTITLE_PIXELS + 9
        _paint_line(
            painter,
            QPointF(left, base),
            room,
            caption.subtitle,
            text_font(SUBTITLE_PIXELS),
            qt_colour(colours.ink, 0.72),
        )
    if caption.figures:
        _paint_figures(painter, QPointF(left, base + 16), room, caption.figures, colours)


def paint_strip(painter: QPainter, area: QRectF, share: float, colours: MapColours) -> None:
    """Paint a line along the lower edge of an area, as long as the share 0 … 1 of it that is over."""
    line = QRectF(area.left(), area.bottom() - _STRIP, area.width() * min(max(share, 0.0), 1.0), _STRIP)
    painter.fillRect(line, qt_colour(colours.bloom))


def _width(caption: Caption) -> float:
    """Return about how wide a caption is, margins included."""
    title = text_width(one_line(caption.title), TITLE_PIXELS, bold=True)
    subtitle = text_width(one_line(caption.subtitle), SUBTITLE_PIXELS)
    figures = sum(text_width(each.widest or each.text, FIGURE_PIXELS) + _GAP for each in caption.figures)
    return 2 * MARGIN + max(figures, title, subtitle)


def _paint_veil(painter: QPainter, area: QRectF, colours: MapColours) -> None:
    """Paint the background over the upper left corner, less and less to the right and downward."""
    veil = QRadialGradient(QPointF(0, 0), 1.0)
    for at, alpha in ((0.0, 0.92), (0.5, 0.84), (1.0, 0.0)):
        veil.setColorAt(at, qt_colour(colours.background, alpha))
    painter.save()
    painter.translate(area.topLeft())
    painter.scale(area.width(), area.height())
    painter.fillRect(QRectF(0, 0, 1, 1), veil)
    painter.restore()


def _paint_line(painter: QPainter, at: QPointF, room: float, text: str, face: QFont, colour: QColor) -> None:
    painter.setFont(face)
    painter.setPen(colour)
    painter.drawText(at, QFontMetricsF(face).elidedText(one_line(text), Qt.TextElideMode.ElideRight, room))


def _paint_figures(
    painter: QPainter, at: QPointF, room: float, figures: tuple[Figure, ...], colours: MapColours
) -> None:
    """Paint figures side by side, each with room for its widest text: nothing moves while digits change."""
    x, small, large = at.x(), text_font(SMALL_PIXELS), text_font(FIGURE_PIXELS)
    for caption, text, widest in figures:
        left = room - (x - at.x())
        if left < 40:
            return
        _paint_line(painter, QPointF(x, at.y() + SMALL_PIXELS), left, caption, small, qt_colour(colours.ink, 0.6))
        base = QPointF(x, at.y() + SMALL_PIXELS + FIGURE_PIXELS + 4)
        _paint_line(painter, base, left, text, large, qt_colour(colours.ink))
        wide = QFontMetricsF(large).horizontalAdvance
        x += max(wide(text), wide(widest), QFontMetricsF(small).horizontalAdvance(caption)) + _GAP


class Figure(NamedTuple):
    """A figure with its caption; ``widest`` is a text that takes as much room as it will ever need."""

    caption: str
    text: str
    widest: str = ""


@dataclass(frozen=True, slots=True)
class Caption:
    """The texts over one picture: two lines, then figures side by side; each may be empty."""

    title: str
    subtitle: str = ""
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SearchWords:
    """The texts that belong to one search: what it is, its figures at every step, and what it found at the end.

    ``begun_ms`` float64 [steps+1]: when each step of the traced run began, and when the last one ended; empty without
    measured times.
    """

    title: str
    subtitle: str
    trace: Trace | None = None
    begun_ms: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    ending: tuple[Figure, ...] = ()

    @classmethod
    def of(cls, result: Result, heading: str = "") -> SearchWords:
        """Return the texts of a search; ``heading`` is what to call its network."""
        trace = result.trace
        begun = np.zeros(0) if trace is None else np.concatenate([[0.0], np.cumsum(trace.time_ns) * 1e-6])
        return cls(
            heading or title_of(result.network.name),
            search_line(result),
            trace,
            begun if begun.any() else np.zeros(0),
            tuple(Figure(*told) for told in ending(result)),
        )

    def at(self, position: float) -> Caption:
        """Return the texts at a step, which may be fractional: its number, the traced time, the frontier."""
        if self.trace is None or not len(self.trace):
            return Caption(self.title, self.subtitle)
        step, count = min(max(int(position), 0), len(self.trace) - 1), f"{len(self.trace):,}"
        told, widest = (translated("{step} of {count}", step=done, count=count) for done in (f"{step + 1:,}", count))
        figures = [Figure(translated("step"), told, widest)]
        if len(self.begun_ms):
            now = float(np.interp(position, np.arange(len(self.begun_ms)), self.begun_ms))
            total = milliseconds(float(self.begun_ms[-1]))
            told, widest = (
                translated("{now} of {total}", now=time, total=total) for time in (milliseconds(now), "000 ms")
            )
            figures.append(Figure(translated("traced time"), told, widest))
        told, widest = (
            nodes_text(int(size)) for size in (self.trace.frontier_size[step], self.trace.frontier_size.max())
        )
        figures.append(Figure(translated("frontier"), told, widest))
        return Caption(self.title, self.subtitle, tuple(figures))

    @property
    def at_the_end(self) -> Caption:
        """The texts over the finished tree."""
        return Caption(self.title, self.subtitle, self.ending)


@dataclass(frozen=True, slots=True)
class PosterWords:
    """The texts of a poster; each may be empty."""

    title: str
    coordinates: str = ""
    facts: str = ""
    credit: str = ""

    @classmethod
    def of(cls, result: Result, heading: str = "", *, laid_out: bool = False) -> PosterWords:
        """Return the texts of a search's poster; without coordinates where the map was ``laid_out``."""
        network = result.network
        places = None if laid_out else network.coordinates
        at = "" if places is None else _place(*(places[result.source] / 1e6).tolist())
        facts = translated("Shortest paths from one node to {nodes:,} others", nodes=int(result.reached.sum()) - 1)
        far = result.metric.describe(int(result.distances[result.farthest]))
        if isinstance(result, RouteResult):
            facts = translated("The shortest path to one node, found by settling {nodes:,}", nodes=result.settled_count)
            far = result.metric.describe(max(result.distance, 0))
        credit = " · ".join(part for part in (network.credit, translated("drawn by wayfront")) if part)
        return cls(
            heading or title_of(network.name), at, translated("{facts}, up to {far}", facts=facts, far=far), credit
        )


def _place(east: float, north: float) -> str:
    """Write a place as on old maps: ``40.7128° N   74.0060° W``."""
    return f"{abs(north):.4f}° {'N' if north >= 0 else 'S'}   {abs(east):.4f}° {'E' if east >= 0 else 'W'}"
