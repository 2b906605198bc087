"""The dialog that measures how searches grow, and draws the chart while it does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QDialog, QHBoxLayout, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from wayfront.benchmarks.growth_record import Growth, Measure
from wayfront.errors import OptionError
from wayfront_gui.charts.export import CHART_FILES
from wayfront_gui.charts.growth_chart import least_height, paint_growth_chart
from wayfront_gui.charts.growth_column import least_column_height, paint_growth_column
from wayfront_gui.charts.growth_files import write_growth
from wayfront_gui.dialogs.export import AskWhere, with_suffix
from wayfront_gui.dialogs.growth_form import GrowthForm
from wayfront_gui.dialogs.job_dialog import plain_button
from wayfront_gui.engine_thread.growth_jobs import LANE, GrowthJob
from wayfront_gui.engine_thread.jobs import WriteJob
from wayfront_gui.engine_thread.worker import Worker, problem_text
from wayfront_gui.look.text_scale import keep_scaled, scaled, text_scale
from wayfront_gui.model import growth_words as words
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, MARGIN, ElidedLabel, label
from wayfront_gui.widgets.scrolling import fit_screen

SIZE = (1180, 660)
CHART_WIDTH = 760
"""Room for three plots beside each other, at the usual size of texts; with less they are below each other."""
NARROWEST = 300


class GrowthDialog(QDialog):
    """Measures on the window's engine thread: searches of the window wait meanwhile, so that none disturbs a time.

    ``theme`` returns the name of the theme of now, ``ask_where`` asks for a file, and ``wrote`` is told its name.
    """

    def __init__(
        self,
        worker: Worker,
        theme: Callable[[], str],
        ask_where: AskWhere,
        wrote: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(translated("How searches grow"))
        self._worker, self._theme, self._ask_where, self._wrote = worker, theme, ask_where, wrote
        self._job: GrowthJob | None = None
        self.form = GrowthForm()
        self.chart = GrowthView(theme)
        self.problem = label(wrap=True)
        self.problem.setProperty("tone", "bad")
        self.problem.hide()
        self._stage = ElidedLabel()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self.measure = plain_button(
            translated("Measure"), translated("Make networks, search them and time that"), "main"
        )
        self.measure.clicked.connect(self.start_or_stop)
        self.export = plain_button(translated("Export…"), translated("Save the chart as a picture or a table"))
        self.export.clicked.connect(self.ask)
        self.close_button = plain_button(translated("Close"), translated("Close this window (Esc)"))
        self.close_button.clicked.connect(self.reject)
        self._arrange()
        worker.progressed.connect(self._show_progress)
        worker.busy_changed.connect(self._on_busy)
        self._show_state()

    def _arrange(self) -> None:
        left = QScrollArea()
        left.setWidgetResizable(True)
        left.setFrameShape(QScrollArea.Shape.NoFrame)
        left.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        left.setWidget(self.form)
        left.setFixedWidth(self.form.sizeHint().width() + left.verticalScrollBar().sizeHint().width() + GAP)
        right = QScrollArea()
        right.setWidgetResizable(True)
        right.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        right.setWidget(self.chart)
        both = QHBoxLayout()
        both.setSpacing(2 * GAP)
        both.addWidget(left)
        both.addWidget(right, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(self._stage, 2)
        buttons.addWidget(self._bar, 1)
        buttons.addStretch(1)
        buttons.addWidget(self.export)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.measure)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        column.setSpacing(GAP)
        column.addLayout(both, 1)
        column.addWidget(self.problem)
        column.addLayout(buttons)
        fit_screen(self, QSize(*SIZE) * text_scale.factor)

    def show_modeless(self) -> None:
        """Show the dialog; it is deleted once it is closed."""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.show()

    @property
    def running(self) -> bool:
        """Whether something is being measured, or waits for the engine thread."""
        return self._job is not None

    def start_or_stop(self) -> None:
        """Measure what is chosen, or stop that."""
        if self.running:
            self.stop()
            return
        try:
            request = self.form.request()
        except OptionError as problem:
            self._show_problem(str(problem))
            return
        if not request.algorithms:
            self._show_problem(translated("Choose at least one algorithm."))
            return
        self._show_problem("")
        self._job = GrowthJob(request)
        self.chart.show_growth(Growth(request))
        self._worker.submit(self._job, self._on_done, self.chart.show_growth, on_failed=self._on_failed)
        self._show_state()

    def stop(self) -> None:
        """Stop measuring; what was measured stays in the chart."""
        self._job = None
        self._worker.cancel(LANE)
        self._show_state()

    def ask(self) -> None:
        """Ask where, and write the chart or a table there."""
        growth = self.chart.growth
        if growth is None:
            return
        kinds = {translated(text): suffix for text, suffix in CHART_FILES.items()}
        path, kind = self._ask_where(translated("Export growth"), "growth.png", ";;".join(kinds))
        if path:
            target = with_suffix(path, kinds.get(kind, ".png"))
            job = WriteJob(partial(_write, growth, self._theme()), target)
            self._worker.submit(job, self._on_written)  # a problem is shown over the map: this may be closed by then

    def done(self, result: int) -> None:
        """Stop measuring, and close."""
        if self.running:
            self.stop()
        self._worker.progressed.disconnect(self._show_progress)
        self._worker.busy_changed.disconnect(self._on_busy)
        super().done(result)

    def _on_done(self, growth: Growth) -> None:
        self._job = None
        self.chart.show_growth(growth)
        self._show_state()

    def _on_failed(self, problem: BaseException) -> bool:
        self._job = None
        self._show_problem(problem_text(problem))
        self._show_state()
        return True

    def _on_written(self, path: Path) -> None:
        self._wrote(translated("Saved {path}", path=path))

    def _on_busy(self, busy: bool) -> None:
        """Notice that the whole window was told to stop."""
        if not busy:
            self._job = None
            self._show_state()

    def _show_progress(self, stage: str, fraction: float) -> None:
        if self.running and self._worker.running is self._job:
            self._stage.show_text(stage)
            self._bar.setValue(max(int(fraction * 1000), 0))

    def _show_problem(self, problem: str) -> None:
        self.problem.setText(translated_message(problem))
        self.problem.setVisible(bool(problem))

    def _show_state(self) -> None:
        self.measure.setText(translated("Stop") if self.running else translated("Measure"))
        self.form.setEnabled(not self.running)
        self._stage.setVisible(self.running)
        self._bar.setVisible(self.running)
        self.export.setEnabled(self.chart.growth is not None and bool(self.chart.growth.points))


def _write(growth: Growth, theme: str, path: Path) -> None:
    write_growth(growth, path, theme)


class GrowthView(QWidget):
    """The chart of what was measured so far."""

    def __init__(self, theme: Callable[[], str]) -> None:
        super().__init__()
        self._theme = theme
        self.growth: Growth | None = None
        self.setAccessibleName(translated("Chart of growth"))
        keep_scaled(self.setMinimumWidth, NARROWEST)

    def show_growth(self, growth: Growth) -> None:
        """Draw what was measured so far."""
        self.growth = growth
        self._make_room()
        self.setAccessibleDescription(
            "; ".join(
                f"{name}: {', '.join(words.law(growth.fit(name, measure)) for measure in Measure)}"
                for name in growth.request.algorithms
            )
        )
        self.update()

    @property
    def _stacked(self) -> bool:
        return self.width() < scaled(CHART_WIDTH)

    def _make_room(self) -> None:
        if self.growth is not None:
            width = self.width() / text_scale.factor
            least = least_column_height(self.growth, width) if self._stacked else least_height(self.growth)
            self.setMinimumHeight(scaled(least))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Ask for the height that the chart needs at another width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._make_room()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the chart, or what it will show."""
        painter = QPainter(self)
        if self.growth is None:
            painter.setPen(self.palette().placeholderText().color())
            hint = translated("Choose networks and algorithms, then press Measure.")
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, hint)
        else:
            factor = text_scale.factor
            painter.scale(factor, factor)
            paint = paint_growth_column if self._stacked else paint_growth_chart
            paint(painter, self.growth, self._theme(), self.width() / factor, self.height() / factor)
