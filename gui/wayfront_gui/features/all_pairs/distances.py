"""How many pairs lie how far apart: counted on the engine thread when a person asks for it, shown as bars."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from wayfront.results.histogram import Histogram
from wayfront.results.pairs import PairsResult
from wayfront_gui.app.jobs import Report
from wayfront_gui.session.pairs import Pairs
from wayfront_gui.ui.style import draw_line, figures_font, scaled
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.searching.run import Progress
    from wayfront_gui.app.engine_thread import Worker

BARS = 32
"""Bins of the chart: as many as can be told apart in a side panel."""
_HEIGHT, _GAP = 84, 1
_LEAST = 1.0
"""Pixels of a bar that has any pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class CountJob:
    """Count the pairs of a finished search by distance."""

    result: PairsResult
    threads: int
    slot: int
    lane: str = field(default="pairs by distance", init=False)

    def run(self, report: Report) -> Histogram:
        """Return the counts."""
        from wayfront.searching.all_pairs.counting import count_distances
        from wayfront.searching.run import SearchOptions

        def tell(progress: Progress) -> None:
            if progress.stage == "preparing":
                report.progress(progress.doing, progress.fraction)
            else:
                share = (progress.sources_done or 0) / max(progress.sources_wanted or 0, 1)
                report.progress(translated("Counting distances"), share)

        asked = SearchOptions(device="cpu", threads=self.threads, progress=tell, cancel=report.cancel)
        report.progress(translated("Counting distances"), -1.0)
        return count_distances(self.result, BARS, asked, by_source=False)


class DistanceCounts(QObject):
    """The counts of searches for all pairs that are kept; ``changed`` when there is another one."""

    changed = Signal()

    def __init__(self, worker: Worker) -> None:
        super().__init__()
        self._worker = worker
        self._asked = 0, 0
        """The job that was asked for last, and the identity of the pairs that it counts."""
        self._of: WeakKeyDictionary[Pairs, Histogram] = WeakKeyDictionary()

    def of(self, pairs: Pairs | None) -> Histogram | None:
        """Return the counts of a search, None where they are not known."""
        return None if pairs is None else self._of.get(pairs)

    def ask(self, pairs: Pairs, threads: int, slot: int) -> None:
        """Have the pairs of a finished search counted, if they are not and no job does it."""
        result, (number, counted) = pairs.result, self._asked
        if result is None or self.of(pairs) is not None or (counted == id(pairs) and self._worker.awaits(number)):
            return

        def take(found: Histogram) -> None:
            self._of[pairs] = found
            self.changed.emit()

        self._asked = self._worker.submit(CountJob(replace(result, trace=None), threads, slot), take), id(pairs)


class DistanceBars(QWidget):
    """Bars of pairs by distance, from 0 to the largest; the bar under the pointer says how many it has."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Pairs, Histogram] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(translated("Pairs by distance"))

    def show_counts(self, pairs: Pairs | None, histogram: Histogram | None) -> None:
        """Show the counts of a search, or nothing."""
        self._shown = None if pairs is None or histogram is None else (pairs, histogram)
        self.setVisible(self._shown is not None)
        if histogram is not None:
            self.setAccessibleDescription(self.text_of(int(histogram.counts.argmax())))
        self.update()

    def text_of(self, bar: int) -> str:
        """Return what a bar shows, in words."""
        if self._shown is None:
            return ""
        pairs, histogram = self._shown
        low, high = (
            pairs.metric.describe(round(pairs.metric.raw_limit(float(edge)))) for edge in histogram.edges[bar : bar + 2]
        )
        count = int(histogram.counts[bar])
        share = count / max(int(histogram.counts.sum()), 1)
        return translated("{low} to {high}: {pairs:,} pairs, {share:.1%}", low=low, high=high, pairs=count, share=share)

    def sizeHint(self) -> QSize:
        """Return the height of bars with a line of text above and below."""
        return QSize(160, scaled(_HEIGHT) + 2 * self.fontMetrics().height() + 4)

    def event(self, event: QEvent) -> bool:
        """Say what the bar under the pointer shows."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._shown is not None:
            count = len(self._shown[1].counts)
            bar = min(max(int(event.pos().x() * count / max(self.width(), 1)), 0), count - 1)
            QToolTip.showText(event.globalPos(), self.text_of(bar), self)
            return True
        return super().event(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the bars, a line below them, and where they begin and end."""
        if self._shown is None:
            return
        pairs, histogram = self._shown
        painter, palette = QPainter(self), self.palette()
        painter.setFont(figures_font(self.font()))
        line = painter.fontMetrics().height()
        floor, count = self.height() - line - 3.0, len(histogram.counts)
        most, wide = max(int(histogram.counts.max()), 1), self.width() / count
        for bar, number in enumerate(histogram.counts.tolist()):
            if number:
                high = max(number / most * (floor - line - 2), _LEAST)
                painter.fillRect(QRectF(bar * wide, floor - high, max(wide - _GAP, 1.0), high), palette.highlight())
        painter.fillRect(QRectF(0, floor, self.width(), 1), palette.mid())
        painter.setPen(palette.color(palette.ColorRole.PlaceholderText))
        draw_line(
            painter, QRectF(0, 0, self.width(), line), translated("Pairs by distance"), Qt.AlignmentFlag.AlignLeft
        )
        below = QRectF(0, floor + 3, self.width(), line)
        end = pairs.metric.describe(round(pairs.metric.raw_limit(float(histogram.edges[-1]))))
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, end)
        painter.end()
