"""Dialogs to save a film: of the search that is shown, or of a race."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QSlider, QWidget

from wayfront_gui.dialogs.export import PREVIEW, AskWhere, ExportDialog
from wayfront_gui.engine_thread.export_jobs import CallJob
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.export.film_file import Film, estimate_bytes, require_film_support, write_film
from wayfront_gui.export.race_film import RaceFilm
from wayfront_gui.export.replay_film import ReplayFilm, Shot
from wayfront_gui.export.subject import RaceSubject, Subject
from wayfront_gui.model.formatting import memory_size
from wayfront_gui.model.network_title import title_of
from wayfront_gui.model.replay_clock import WALK_LABELS, Walk
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.translation import marked, translated, translated_message

KINDS = {
    ".mp4": marked("MP4 film (*.mp4)"),
    ".webm": marked("WebM film (*.webm)"),
    ".gif": marked("Animated GIF (*.gif)"),
}
SIZES = {
    marked("Full HD, 1920 × 1080"): (1280, 720, 1.5),
    marked("HD, 1280 × 720"): (1280, 720, 1.0),
    "4K, 3840 × 2160": (1280, 720, 3.0),
    marked("Upright, 1080 × 1920"): (720, 1280, 1.5),
    marked("Square, 1080 × 1080"): (720, 720, 1.5),
    marked("Small, 640 × 360"): (960, 540, 2 / 3),
}
"""Width and height in points, and pixels in a point: texts are as large in all of them."""
RATES = (30, 60, 25, 15)
_STOPS = 200
"""Positions of the slider below the preview."""
_FORECAST_MS = 1200
"""A size is forecast once nothing was changed for so long."""

Take = Callable[[Shot], Film]
"""Makes the film of a shot, on another thread. Raises ``OptionError`` where there is none."""


class FilmDialog(ExportDialog):
    """Asks how a film shall be, and writes it. ``seen`` is the part of the plane that the window shows."""

    def __init__(
        self,
        title: str,
        seen: Extent | None,
        walk: Walk,
        seconds: float,
        ask_where: AskWhere,
        wrote: Callable[[str], None],
        parent: QWidget,
    ) -> None:
        super().__init__(title, ask_where, wrote, parent)
        self._seen = seen
        self.forecast = ""
        self._forecasts = QTimer(self)
        self._forecasts.setSingleShot(True)
        self._forecasts.setInterval(_FORECAST_MS)
        self._forecasts.timeout.connect(self._start_forecast)
        self.format = self.add_choice(
            translated("Format"), {translated(text).partition(" (")[0]: suffix for suffix, text in KINDS.items()}
        )
        self.size_choice = self.add_choice(translated("Size"), {translated(text): size for text, size in SIZES.items()})
        self.seconds = self.add_number(translated("Length"), 1, 600, seconds, " s", decimals=1)
        self.rate = self.add_choice(
            translated("Rate"), {translated("{rate} frames a second", rate=rate): rate for rate in RATES}
        )
        self.walk = self.add_choice(
            translated("Replay"), {translated(text): walk for walk, text in WALK_LABELS.items()}
        )
        self.walk.choose_data(walk)
        self.part = self.add_choice(
            translated("Map"), {translated("As it is seen"): True, translated("Whole network"): False}
        )
        self.moment = QSlider(Qt.Orientation.Horizontal)
        self.moment.setRange(0, _STOPS)
        self.moment.setValue(_STOPS // 2)
        self.moment.setAccessibleName(translated("Moment of the preview"))
        self.moment.setToolTip(translated("The moment of the film that the preview shows"))
        self.moment.valueChanged.connect(self._settled.start)
        self.left.addWidget(self.moment)
        self.left.addStretch(1)

    # ------------------------------------------------------------------------------------- what a film is of

    def shot(self) -> Shot:
        """Return how the film is taken."""
        width, height, scale = self.size_choice.currentData()
        return Shot(
            width,
            height,
            scale,
            self._seen if self.part.currentData() else None,
            fps=self.rate.currentData(),
            seconds=float(self.seconds.value()),
            walk=self.walk.currentData(),
        )

    def taking(self) -> Take:
        """Return what makes the film as it is chosen now."""
        raise NotImplementedError

    def repeats(self) -> bool:
        """Return whether a film begins again at its end."""
        return self.format.currentData() == ".gif"

    # ------------------------------------------------------------------------------------------- the dialog's part

    def kinds(self) -> str:
        """Return the chosen format, then the others."""
        chosen = self.format.currentData()
        kinds = [KINDS[chosen], *(text for suffix, text in KINDS.items() if suffix != chosen)]
        return ";;".join(map(translated, kinds))

    def file_name(self) -> str:
        """Return how the file may be called."""
        return f"wayfront{self.format.currentData()}"

    def drawing(self) -> Callable[[Report], QImage]:
        """Return what draws the frame that the slider points at."""
        shot, at, take = self.shot(), self.moment.value() / _STOPS, self.taking()
        ratio = self.devicePixelRatioF() * min(PREVIEW.width() / shot.width, PREVIEW.height() / shot.height)

        def draw(_report: Report) -> QImage:
            film = take(replace(shot, scale=max(ratio, 0.1)))
            return film.draw(round(at * (film.frame_count - 1)))

        return draw

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the film."""
        require_film_support(path)
        gif = path.suffix.lower() == ".gif"
        shot, repeats, take = self.shot(), gif or self.repeats(), self.taking()
        shot = replace(shot, fades=shot.fades and not gif)
        return lambda report: write_film(
            take(shot), path, repeats=repeats, progress=report.progress, cancel=report.cancel
        )

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
        frames = translated(
            "{frames:,} frames of {width} × {height} pixels",
            frames=round(shot.seconds * shot.fps),
            width=round(width * scale),
            height=round(height * scale),
        )
        self.expected.setText(f"{frames}, {self.forecast or translated('estimating the size')}")
        self.save.setEnabled(not self.progress.isVisible())

    def _start_forecast(self) -> None:
        if self.progress.isVisible():
            return
        try:
            require_film_support("film")
        except ValueError as problem:
            self.show_problem(translated_message(str(problem)))
            return
        shot, take, suffix = self.shot(), self.taking(), self.format.currentData()
        job = CallJob(lambda _report: estimate_bytes(take(shot), suffix), "forecast", quiet=True)
        self.worker.submit(job, self._show_forecast)

    def _show_forecast(self, size: int) -> None:
        self.forecast = translated("about {size}", size=memory_size(size))
        self.show_state()


class ReplayFilmDialog(FilmDialog):
    """Asks how a film of a search's replay shall be."""

    def __init__(self, subject: Subject, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(translated("Save film"), subject.extent, subject.walk, 10.0, ask_where, wrote, parent)
        self._subject = subject
        self.title = self.add_text(translated("Title"), title_of(subject.network.name))
        self.captions = self.add_switch(translated("Name, step, time and result"), True)
        self.loop = self.add_switch(translated("Its end fades into its beginning"), False)
        self.begin()

    def shot(self) -> Shot:
        """Return how the film is taken."""
        return replace(
            super().shot(),
            loops=self.loop.isChecked(),
            fades=self.format.currentData() != ".gif",
            captions=self.captions.isChecked(),
        )

    def taking(self) -> Take:
        """Return what makes the film of the replay."""
        subject = self._subject
        words = subject.film_words(self.title.text())
        return lambda shot: ReplayFilm(subject.scene, shot, words, subject.distances)

    def repeats(self) -> bool:
        """Return whether the film begins again at its end."""
        return self.loop.isChecked() or super().repeats()


class RaceFilmDialog(FilmDialog):
    """Asks how a film of a race shall be."""

    def __init__(
        self, subject: RaceSubject, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget
    ) -> None:
        super().__init__(
            translated("Save a film of the race"), subject.extent, subject.walk, 12.0, ask_where, wrote, parent
        )
        self._subject = subject
        self.arrangement = self.add_choice(
            translated("Searches"), {translated("Side by side"): False, translated("One map in strips"): True}
        )
        self.arrangement.choose_data(subject.split)
        self.captions = self.add_switch(translated("Names, figures and places"), True)
        self.begin()

    def shot(self) -> Shot:
        """Return how the film is taken."""
        return replace(super().shot(), fades=False, captions=self.captions.isChecked())

    def taking(self) -> Take:
        """Return what makes the film of the race."""
        subject = self._subject
        return partial(RaceFilm, subject.results, style=subject.style, split_map=self.arrangement.currentData())
