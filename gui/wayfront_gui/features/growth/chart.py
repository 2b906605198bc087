"""Draw how searches grow: steps, relaxations and time over the size, and below each plot the laws that fit.

Both axes are logarithmic, so that a power is a straight line and its exponent the slope. Medians have marks of a shape
of their own for every algorithm, whiskers reach from the least to the largest figure, and the fitted power is dashed.
Plots stand beside each other, or where there is little width below each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from wayfront.benchmarks.growth_record import Growth, Measure
from wayfront_gui.features.growth import words
from wayfront_gui.features.timing.export import WIDTH, Page
from wayfront_gui.features.timing.plots import (
    AXIS_HEIGHT,
    GAP,
    MARGIN,
    Curve,
    Sheet,
    Side,
    decades,
    paragraph_height,
    power_of_ten,
    short_number,
)
from wayfront_gui.features.timing.tables import Axis
from wayfront_gui.ui.translation import translated

WIDE = 760
"""Room for three plots beside each other; with less they are below each other."""
PLOT_TITLE = 26.0
PLOT_HEIGHT, LEAST_PLOT = 320.0, 130.0
ROW_HEIGHT = 42.0
TICK_WIDTH, PLOT_GAP = 42.0, 14.0
TOP, BETWEEN = 16.0, 8.0
"""Above and below all, and between two texts."""
_LEAST_RANGE = 8.0
"""How far an axis reaches at least: figures that stay the same shall look so."""
_NAMES = 0.22, 240.0
"""The share of the width that names beside plots have, and the most of it."""


@dataclass(frozen=True)
class GrowthChart:
    """The chart of what was measured so far, laid out for a width in device-independent pixels."""

    growth: Growth
    width: float = WIDTH

    @property
    def height(self) -> float:
        """How high it is at its usual size."""
        return self._height_beside_plots + len(self._rows) * PLOT_HEIGHT

    @property
    def least_height(self) -> float:
        """The least height at which it can be read."""
        return self._height_beside_plots + len(self._rows) * LEAST_PLOT

    @property
    def _rows(self) -> list[tuple[Measure, ...]]:
        """The measures whose plots are beside each other, from top to bottom."""
        measures = self.growth.request.measures
        return [measures] if self._wide else [(measure,) for measure in measures]

    @property
    def _wide(self) -> bool:
        return self.width >= WIDE

    @property
    def _margin(self) -> float:
        return min(MARGIN, self.width / 40) if self._wide else 12.0

    @property
    def _names(self) -> float:
        """Room for the names beside plots; below each other they are beside the laws."""
        return min(self.width * _NAMES[0], _NAMES[1]) if self._wide else 0.0

    @cached_property
    def _above(self) -> list[tuple[str, int]]:
        """Texts above the plots with their sizes, the title first."""
        growth = self.growth
        texts = [(words.title(growth), 23 if self._wide else 18), (words.subtitle(growth), 13)]
        return texts if self._wide else [*texts, (" ".join(words.about_networks(growth)), 12)]

    @cached_property
    def _below(self) -> list[str]:
        return [text for text in (*words.left_out(self.growth), *words.caption(self.growth)) if text]

    @cached_property
    def _height_beside_plots(self) -> float:
        width = self.width - 2 * self._margin
        above = (paragraph_height(text, width, size, bold=not i) for i, (text, size) in enumerate(self._above))
        texts = [*above, *(paragraph_height(text, width) for text in self._below)]
        block = PLOT_TITLE + AXIS_HEIGHT + len(self.growth.request.algorithms) * ROW_HEIGHT + GAP
        return 2 * TOP + sum(texts) + len(texts) * BETWEEN + len(self._rows) * block

    # ---------------------------------------------------------------------------------------------- painting

    def paint(self, painter: QPainter, theme: str, height: float) -> None:
        """Paint the chart into this height; the plots take what is left beside the texts."""
        sheet = Sheet(painter, theme, self.width, height, self._margin)
        plots, y = max((height - self._height_beside_plots) / len(self._rows), LEAST_PLOT), TOP
        for number, (text, size) in enumerate(self._above):
            y = self._paragraph(sheet, y, text, size, bold=not number)
        if self._wide:
            about = QRectF(sheet.page.left(), y + PLOT_TITLE, self._names - GAP, plots)
            sheet.paragraph(about, "\n\n".join(words.about_networks(self.growth)))
        for measures in self._rows:
            self._paint_plots(sheet, y, plots, measures)
            y += PLOT_TITLE + plots + AXIS_HEIGHT
            y = self._paint_laws(sheet, y, measures) + GAP
        for text in self._below:
            y = self._paragraph(sheet, y, text)

    def _paragraph(self, sheet: Sheet, top: float, text: str, size: int = 12, *, bold: bool = False) -> float:
        """Draw a text over the width of the page; return where what follows begins."""
        height = paragraph_height(text, sheet.page.width(), size, bold=bold)
        sheet.paragraph(QRectF(sheet.page.left(), top, sheet.page.width(), height), text, size, bold=bold)
        return top + height + BETWEEN

    def _column(self, sheet: Sheet, measures: Sequence[Measure], index: int) -> tuple[float, float]:
        """Return left end and width of the plot of a measure, with the figures of its axis."""
        width = (sheet.page.width() - self._names) / len(measures)
        return sheet.page.left() + self._names + index * width, width

    def _paint_plots(self, sheet: Sheet, top: float, height: float, measures: Sequence[Measure]) -> None:
        for index, measure in enumerate(measures):
            left, width = self._column(sheet, measures, index)
            area = QRectF(left + TICK_WIDTH, top + PLOT_TITLE, width - TICK_WIDTH - PLOT_GAP, height)
            figures = _range(self.growth, measure)
            upward = Side(figures, decades(figures), power_of_ten, translated(words.MEASURE_LABELS[measure]))
            sheet.plot(area, _sizes(self.growth), upward, _curves(self.growth, measure, sheet.theme.map.zones))

    def _paint_laws(self, sheet: Sheet, top: float, measures: Sequence[Measure]) -> float:
        """Draw the name of each algorithm with the law of each measure, and the exponent below it."""
        colours = sheet.theme.map.zones
        for number, name in enumerate(self.growth.request.algorithms):
            room = self._names or sheet.page.width() / 2
            key = Curve(colours[number % len(colours)], (), name, mark=number)
            sheet.key(QRectF(sheet.page.left(), top + 1, room - BETWEEN, 22), key)
            for index, measure in enumerate(measures):
                left, width = self._column(sheet, measures, index)
                indent, fit = TICK_WIDTH if self._wide else room, self.growth.fit(name, measure)
                box = QRectF(left + indent, top + 1, width - indent - PLOT_GAP, 22)
                sheet.text(box, words.law(fit), 14, bold=True)
                sheet.text(box.translated(0, 19), words.exponent(fit))
            top += ROW_HEIGHT
        return top


def growth_page(growth: Growth) -> Page:
    """Return the chart at its usual size."""
    chart = GrowthChart(growth)
    return Page(chart.height, lambda painter, theme, _width: chart.paint(painter, theme, chart.height))


def _sizes(growth: Growth) -> Side:
    sizes = growth.request.sizes
    return Side(Axis(sizes[0] / 1.25, sizes[-1] * 1.25, logarithmic=True), sizes, short_number, translated("nodes, n"))


def _range(growth: Growth, measure: Measure) -> Axis:
    """Return the axis upwards: over all figures, with some room, and never over a small range alone."""
    figures = [value for point in growth.points for value in point.figures(measure) if value > 0]
    low, high = (min(figures) / 1.5, max(figures) * 1.5) if figures else (1.0, 100.0)
    short = max(_LEAST_RANGE / (high / low), 1.0)
    return Axis(low / math.sqrt(short), high * math.sqrt(short), logarithmic=True)


def _curves(growth: Growth, measure: Measure, colours: Sequence[str]) -> list[Curve]:
    """Return the fitted powers over all sizes, where the figures follow one, then the medians with their whiskers."""
    fits, medians = [], []
    for number, name in enumerate(growth.request.algorithms):
        colour, fit = QColor(colours[number % len(colours)]), growth.fit(name, measure)
        shown = [point for point in growth.of(name) if point.median(measure) > 0]
        figures = [(point.nodes, [value for value in point.figures(measure) if value > 0]) for point in shown]
        points = [(point.nodes, point.median(measure)) for point in shown]
        whiskers = [(nodes, min(values), max(values)) for nodes, values in figures]
        medians.append(Curve(colour.name(), points, mark=number, whiskers=whiskers))
        if fit is not None and fit.bend is None:
            colour.setAlphaF(0.75)
            ends = [(n, fit.at(n)) for n in (growth.request.sizes[0], growth.request.sizes[-1])]
            fits.append(Curve(colour.name(QColor.NameFormat.HexArgb), ends, dashed=True))
    return [*fits, *medians]
