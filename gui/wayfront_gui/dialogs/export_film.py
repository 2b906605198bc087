"""Dialog to save a film of the search that is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QLineEdit, QSlider, QWidget

from wayfront_gui.dialogs.export import PREVIEW, AskWhere, ExportDialog
from wayfront_gui.engine_thread.export_jobs import CallJob
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.export.film_file import estimate_bytes, require_film_support, write_film
from wayfront_gui.export.replay_film import ReplayFilm, Shot
from wayfront_gui.export.subject import Subject
from wayfront_gui.model.formatting import memory_size
from wayfront_gui.model.replay_clock import WALK_LABELS

KINDS = {".mp4": "MP4 film (*.mp4)", ".webm": "WebM film (*.webm)", ".gif": "Animated GIF (*.gif)"}
SIZES = {
    "Full HD, 1920 × 1080": (1280, 720, 1.5),
    "HD, 1280 × 720": (1280, 720, 1.0),
    "4K, 3840 × 2160": (1280, 720, 3.0),
    "Upright, 1080 × 1920": (720, 1280, 1.5),
    "Square, 1080 × 1080": (720, 720, 1.5),
    "Small, 640 × 360": (960, 540, 2 / 3),
}
"""Width and height in points, and pixels in a point: texts are as large in all of them."""
RATES = (30, 60, 25, 15)
_STOPS = 200
"""Positions of the slider below the preview."""
_FORECAST_MS = 1200
"""A size is forecast once nothing was changed for so long."""


class FilmDialog(ExportDialog):
    """Asks how a film of the replay shall be, and writes it."""

    def __init__(self, subject: Subject, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget) -> None:
        super().__init__("Save film", subject, ask_where, wrote, parent)
        self.forecast = ""
        self._forecasts = QTimer(self)
        self._forecasts.setSingleShot(True)
        self._forecasts.setInterval(_FORECAST_MS)
        self._forecasts.timeout.connect(self._start_forecast)
        self.format = self.add_choice("Format", {text.partition(" (")[0]: suffix for suffix, text in KINDS.items()})
        self.size_choice = self.add_choice("Size", SIZES)
        self.seconds = self.add_number("Length", 1, 600, 10, " s", decimals=1)
        self.rate = self.add_choice("Rate", {f"{rate} frames a second": rate for rate in RATES})
        self.walk = self.add_choice("Replay", {text: walk for walk, text in WALK_LABELS.items()})
        self.walk.choose_data(subject.walk)
        self.title = QLineEdit(subject.network.name)
        self.title.textChanged.connect(self.change)
        self.add_row("Title", self.title)
        self.part = self.add_choice("Map", {"As it is seen": True, "Whole network": False})
        self.captions = self.add_switch("Name, step, time and result", True)
        self.loop = self.add_switch("Its end fades into its beginning", False)
        self.moment = QSlider(Qt.Orientation.Horizontal)
        self.moment.setRange(0, _STOPS)
        self.moment.setValue(_STOPS // 2)
        self.moment.setAccessibleName("Moment of the preview")
        self.moment.valueChanged.connect(self._settled.start)
        self.left.addWidget(self.moment)
        self.left.addStretch(1)
        self.begin()

    def shot(self) -> Shot:
        """Return how the film is taken."""
        width, height, scale = self.size_choice.currentData()
        return Shot(
            width,
            height,
            scale,
            self._subject.extent if self.part.currentData() else None,
            fps=self.rate.currentData(),
            seconds=float(self.seconds.value()),
            walk=self.walk.currentData(),
            loops=self.loop.isChecked(),
            fades=self.format.currentData() != ".gif",
            captions=self.captions.isChecked(),
        )

    def film(self, shot: Shot) -> ReplayFilm:
        """Return the film. Raises ``OptionError`` where there is none, or it would be too long."""
        subject = self._subject
        return ReplayFilm(subject.scene, shot, subject.film_words(self.title.text()), subject.distances)

    def kinds(self) -> str:
        """Return the chosen format, then the others."""
        chosen = self.format.currentData()
        return ";;".join([KINDS[chosen], *(text for suffix, text in KINDS.items() if suffix != chosen)])

    def file_name(self) -> str:
        """Return how the file may be called."""
        return f"wayfront{self.format.currentData()}"

    def drawing(self) -> Callable[[Report], QImage]:
        """Return what draws the frame that the slider points at."""
        shot, at = self.shot(), self.moment.value() / _STOPS
        ratio = self.devicePixelRatioF() * min(PREVIEW.width() / shot.width, PREVIEW.height() / shot.height)
        film = self.film(replace(shot, scale=max(ratio, 0.1)))
        return lambda _report: film.draw(round(at * (film.frame_count - 1)))

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the film."""
        require_film_support(path)
        shot, repeats = self.shot(), self.loop.isChecked() or path.suffix.lower() == ".gif"
        film = self.film(replace(shot, fades=path.suffix.lower() != ".gif"))
        return lambda report: write_film(film, path, repeats=repeats, progress=report.progress, cancel=report.cancel)

    def change(self) -> None:
        """Show another preview, and soon how large the file will be."""
        self.forecast = ""
        super().change()
        if self._complete:
            self._forecasts.start()

    def done(self, result: int) -> None:
        """Stop the forecast as well."""
        self._forecasts.stop()
        super().done(result)

    def show_state(self) -> None:
        """Show size and number of frames, and enable what applies now."""
        width, height, scale = self.size_choice.currentData()
        shot = self.shot()
        frames = f"{round(shot.seconds * shot.fps):,} frames of {round(width * scale)} × {round(height * scale)} pixels"
        self.expected.setText(f"{frames}, {self.forecast or 'size not known yet'}")
        self.save.setEnabled(not self.progress.isVisible())

    def _start_forecast(self) -> None:
        if self.progress.isVisible():
            return
        try:
            require_film_support("film")
            film = self.film(self.shot())
        except ValueError as problem:
            self.show_problem(str(problem))
            return
        suffix = self.format.currentData()
        job = CallJob(lambda _report: estimate_bytes(film, suffix), "forecast", quiet=True)
        self.worker.submit(job, self._show_forecast)

    def _show_forecast(self, size: int) -> None:
        self.forecast = f"about {memory_size(size)}"
        self.show_state()
