"""The dialog that measures how searches grow, and draws the chart while it does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QDialog, QProgressBar, QScrollArea, QWidget

from wayfront.benchmarks.growth_record import LARGEST, SMALLEST, Growth, GrowthRequest, Measure, doubling
from wayfront.devices import automatic_device, describe_device, devices
from wayfront.results.result import SearchKind
from wayfront.safe.errors import OptionError
from wayfront.searching.registry import algorithms
from wayfront_gui.app.engine_thread import Worker, problem_text
from wayfront_gui.app.job_dialog import closing_button, plain_button, problem_label
from wayfront_gui.app.jobs import CallJob, Report, WriteJob
from wayfront_gui.features.export.dialogs import AskWhere
from wayfront_gui.features.growth import words
from wayfront_gui.features.growth.chart import GrowthChart
from wayfront_gui.features.growth.files import write_growth
from wayfront_gui.features.growth.words import KIND_LABELS
from wayfront_gui.features.timing.export import ask_where
from wayfront_gui.session.formatting import short_device_name
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    ElidedLabel,
    Form,
    check_box,
    fit_screen,
    in_column,
    in_row,
)
from wayfront_gui.ui.style import keep_scaled, scaled, text_scale
from wayfront_gui.ui.translation import translated, translated_message

SIZE = (1180, 660)
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
        self._job: CallJob | None = None
        self.form = GrowthForm()
        self.chart = GrowthView(theme)
        self.problem = problem_label()
        self._stage = ElidedLabel()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        about = translated("Time searches on networks of growing size")
        self.measure = plain_button(translated("Measure"), about, "main", self.start_or_stop)
        about = translated("Save the chart as a picture or a table")
        self.export = plain_button(translated("Save…"), about, press=self.ask)
        self.close_button = closing_button(self)
        self._arrange()
        worker.progressed.connect(self._show_progress)
        worker.busy_changed.connect(self._on_busy)
        self._show_state()

    def _arrange(self) -> None:
        left, right = (_scrolling(widget) for widget in (self.form, self.chart))
        left.setFrameShape(QScrollArea.Shape.NoFrame)
        left.setFixedWidth(self.form.sizeHint().width() + left.verticalScrollBar().sizeHint().width() + GAP)
        buttons = in_row(
            (self._stage, 2), (self._bar, 1), SPRING, self.export, self.close_button, self.measure, spacing=GAP
        )
        both = in_row(left, (right, 1), spacing=2 * GAP)
        self.setLayout(in_column((both, 1), self.problem, buttons, margins=(MARGIN, MARGIN, MARGIN, MARGIN)))
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
        self._job = CallJob(partial(measure, request), LANE)
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
        target = ask_where(self._ask_where, translated("Save growth"), "growth.png")
        if target is not None:
            theme = self._theme()
            job = WriteJob(lambda path: write_growth(growth, path, theme), target)
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


def _scrolling(content: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area


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

    def _make_room(self) -> None:
        if self.growth is not None:
            chart = GrowthChart(self.growth, self.width() / text_scale.factor)
            self.setMinimumHeight(scaled(chart.least_height))

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
            GrowthChart(self.growth, self.width() / factor).paint(painter, self._theme(), self.height() / factor)


POWERS = range(8, 23)
"""Sizes are powers of two: 2^8 to 2^22 nodes."""

FIRST_CHOSEN = ("dijkstra-heap", "bellman-ford-queue", "delta-stepping", "near-far")


class GrowthForm(QWidget):
    """Asks what to measure."""

    def __init__(self) -> None:
        super().__init__()
        form = Form()
        self.kind = form.choice(
            translated("Kind"),
            {translated(text): name for name, text in KIND_LABELS.items()},
            translated("What the made networks are like"),
        )
        sizes = {f"{1 << power:,}": 1 << power for power in POWERS}
        self.smallest = form.choice(translated("From"), sizes, translated("Nodes of the smallest networks"))
        self.largest = form.choice(
            translated("To"), sizes, translated("Nodes of the largest networks; sizes double in between")
        )
        self.smallest.choose_data(SMALLEST)
        self.largest.choose_data(LARGEST)
        self.device = form.choice(
            translated("Device"), _usable_devices(), translated("What searches: a graphics card or the processor")
        )
        self.device.choose_data(automatic_device(devices()).id)
        self.device.currentIndexChanged.connect(self._list_algorithms)
        self.networks = form.number(
            translated("Seeds"), 1, 20, 3, hint=translated("Networks of each size; their seeds differ")
        )
        self.runs = form.number(
            translated("Runs"), 1, 20, 3, hint=translated("Clean runs on each network; medians count")
        )
        self.seconds = form.number(
            translated("Seconds"),
            1,
            3600,
            60,
            hint=translated("What all of it may take; slower searches are left out"),
        )
        self.algorithms: dict[str, QCheckBox] = {}
        """The box of each search that the device runs, by name."""
        self._boxes = in_column(spacing=GAP // 2)
        self.setLayout(in_column(form, self._boxes, SPRING, margins=(0, 0, GAP, 0)))
        self._list_algorithms()

    def request(self) -> GrowthRequest:
        """Return what is chosen. Raises ``OptionError`` where it cannot be measured."""
        return GrowthRequest(
            kind=self.kind.currentData(),
            algorithms=tuple(self.chosen()),
            sizes=doubling(self.smallest.currentData(), self.largest.currentData()),
            device=self.device.currentData(),
            networks=int(self.networks.value()),
            runs=int(self.runs.value()),
            seconds=self.seconds.value(),
        )

    def chosen(self) -> list[str]:
        """Return the names of the checked algorithms."""
        return [name for name, box in self.algorithms.items() if box.isChecked()]

    def choose(self, names: Sequence[str]) -> None:
        """Check these algorithms and no others."""
        for name, box in self.algorithms.items():
            box.setChecked(name in names)

    def _list_algorithms(self) -> None:
        """List the searches for one tree that the device runs; those that were checked stay so."""
        kept = self.chosen() or FIRST_CHOSEN
        for box in self.algorithms.values():
            self._boxes.removeWidget(box)
            box.deleteLater()
        device = describe_device(self.device.currentData())
        listed = [algorithm for algorithm in algorithms(SearchKind.ONE_TREE) if algorithm.runs_on(device)]
        self.algorithms = {
            algorithm.name: check_box(translated_message(algorithm.title), translated_message(algorithm.summary))
            for algorithm in listed
        }
        for box in self.algorithms.values():
            self._boxes.addWidget(box)
        self.choose(kept)


def _usable_devices() -> dict[str, str]:
    """Return names and ids of the devices that can be timed beside what else this process runs."""
    here = [device for device in devices() if device.available and not device.exclusive]
    return {f"{device.label} · {short_device_name(device.name)}": device.id for device in here}


LANE = "growth"


def measure(request: GrowthRequest, report: Report) -> Growth:
    """Measure how searches grow, and return all of it; what was measured so far is shown after every search."""
    from wayfront.benchmarks.growth import measure_growth

    found = Growth(request)
    for so_far in measure_growth(request, report.progress, report.cancel):
        found = so_far
        report.live(found)
    return found
