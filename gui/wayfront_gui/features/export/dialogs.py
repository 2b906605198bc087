"""Base of the dialogs that export: a preview, a form, what the file will be, and where to write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QLabel, QSlider, QWidget

from wayfront_gui.app.file_dialogs import with_suffix
from wayfront_gui.app.job_dialog import JobDialog, plain_button
from wayfront_gui.app.jobs import CallJob, Report
from wayfront_gui.features.export.film_file import Film, estimate_bytes, require_film_support, write_film
from wayfront_gui.features.export.poster import Poster, draw, write_poster
from wayfront_gui.features.export.replay_film import RaceFilm, ReplayFilm, Shot
from wayfront_gui.features.export.sheets import LAYOUTS, MM_PER_INCH, PAPERS
from wayfront_gui.features.export.subject import RaceSubject, Subject
from wayfront_gui.features.export.tiled_picture import write_tiled
from wayfront_gui.features.export.vector_drawing import write_drawing, write_race_drawing
from wayfront_gui.features.timing.export import save_picture
from wayfront_gui.map.offscreen import render
from wayfront_gui.session.formatting import memory_size, title_of
from wayfront_gui.session.replay import WALK_LABELS
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.controls import GAP, SPRING, Form, holding, in_column, in_row, label
from wayfront_gui.ui.style import keep_scaled
from wayfront_gui.ui.translation import marked, translated, translated_message

PREVIEW = QSize(420, 300)
FORM_WIDTH = 330
_SETTLED_MS = 250
"""A preview is drawn once nothing was changed for so long."""
_PREVIEW, _EXPORT = "preview", "export"

AskWhere = Callable[[str, str, str], tuple[str, str]]
"""Takes a title, a file's name and the kinds of files; returns a path, empty for none, and the kind chosen."""


class ExportDialog(JobDialog):
    """Shows how the file will look, and writes it; closing it stops that.

    ``ask_where`` asks for the file, ``wrote`` is told its name. Each kind of dialog fills the form, and says what draws
    and what writes; ``_TITLE`` is its title.
    """

    _TITLE = ""

    def __init__(self, subject: Any, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(translated(self._TITLE), parent)
        self._ask_where, self._wrote = ask_where, wrote
        self.preview = QLabel()
        self.preview.setFixedSize(PREVIEW)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.preview.setAccessibleName(translated("Preview"))
        self.expected = label(wrap=True)
        self.save = plain_button(translated("Save…"), translated("Choose a name and save"), "main", self.ask)
        self.form = Form(self.change)
        self.left = in_column(self.preview)
        self._settled = self._later(_SETTLED_MS, self._draw_preview)
        self._complete = False
        right = holding(in_column(self.form, SPRING, self.expected))
        keep_scaled(right.setFixedWidth, FORM_WIDTH)
        self.column.addLayout(in_row(self.left, right, spacing=2 * GAP))
        self.footer.addWidget(self.progress)
        self.footer.addLayout(in_row((self.problem, 1), SPRING, self.close_button, self.save))
        self.fill(subject)
        self.left.addStretch(1)
        self._complete = True
        self.change()

    def _later(self, milliseconds: int, do: Callable[[], None]) -> QTimer:
        """Return what does something once it was not started again for so long."""
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(milliseconds)
        timer.timeout.connect(do)
        return timer

    # ---------------------------------------------------------------------------------------- what a dialog is of

    def fill(self, subject: Any) -> None:
        """Add the rows of the form."""
        raise NotImplementedError

    def kinds(self) -> str:
        """Return the kinds of files, as a file dialog takes them."""
        raise NotImplementedError

    def file_name(self) -> str:
        """Return how a file may be called."""
        raise NotImplementedError

    def drawing(self) -> Callable[[Report], QImage]:
        """Return what draws the preview, on another thread. Raises ``OptionError`` where the choice is impossible."""
        raise NotImplementedError

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the file, on another thread. Raises ``OptionError`` as well."""
        raise NotImplementedError

    def about(self) -> str:
        """Return what the file will be, and enable the fields that apply now."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------------ doing it

    def change(self) -> None:
        """Something was chosen: show what applies now, and a preview soon."""
        if self._complete:
            self.show_state()
            self._settled.start()

    def show_state(self) -> None:
        """Show what the file will be; nothing is saved while something is."""
        self.expected.setText(self.about())
        self.save.setEnabled(not self.progress.isVisible())

    def ask(self) -> None:
        """Ask where, and write the file there."""
        path, kind = self._ask_where(self.windowTitle(), self.file_name(), self.kinds())
        if path:
            self.write(with_suffix(path, next(iter(_suffixes(kind or self.kinds())), "")))

    def write(self, path: Path) -> None:
        """Write the file."""
        try:
            writing = self.writing(path)
        except ValueError as problem:  # an option that is impossible says so
            self.show_problem(translated_message(str(problem)))
            return
        self.start(CallJob(writing, _EXPORT), lambda _found: self._on_written(path))

    def done(self, result: int) -> None:
        """Stop what is drawn or written, and close."""
        self._complete = False
        self._settled.stop()
        super().done(result)

    def _on_written(self, path: Path) -> None:
        self._wrote(translated("Saved {path}", path=path))
        self.accept()

    def _draw_preview(self) -> None:
        if self.worker.busy and self.progress.isVisible():
            return
        try:
            drawing = self.drawing()
        except ValueError as problem:
            self.show_problem(translated_message(str(problem)))
            return
        self.show_problem("")
        self.worker.submit(CallJob(drawing, _PREVIEW, quiet=True), self._show_preview)

    def _show_preview(self, image: QImage) -> None:
        ratio = self.devicePixelRatioF()
        room = PREVIEW * ratio
        image.setDevicePixelRatio(1.0)
        fitted = image.scaled(room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
        fitted.setDevicePixelRatio(ratio)
        painter = QPainter(fitted)  # a white sheet on a white window would have no edge
        try:
            painter.setPen(QPen(self.palette().mid().color(), 1.0))
            painter.drawRect(QRectF(0.5, 0.5, fitted.width() / ratio - 1, fitted.height() / ratio - 1))
        finally:
            painter.end()
        self.preview.setPixmap(QPixmap.fromImage(fitted))


def seen_or_whole() -> dict[str, bool]:
    """Return the parts of the map that are shown, by what they are called: whether it is the part that is seen."""
    return {translated("As it is seen"): True, translated("Whole network"): False}


def _suffixes(kinds: str) -> list[str]:
    """Return the suffixes in ``PNG picture (*.png);;…``."""
    return [part.strip("*();") for part in kinds.replace("(", " ").replace(")", " ").split() if part.startswith("*.")]


PICTURE_KINDS = marked(
    "PNG picture (*.png);;SVG drawing (*.svg);;PDF drawing (*.pdf);;JPEG picture (*.jpg);;WebP picture (*.webp)"
)
POSTER_KINDS = marked("PDF (*.pdf);;PNG picture (*.png);;SVG drawing (*.svg)")
_DRAWINGS = (".svg", ".pdf")
ON_SCREEN, OWN = "screen", "own"
SEEN, WHOLE, FILLING = "seen", "whole", "filling"
"""What of a map is on a poster: the part in the window, all of it, or what fills the frame round the source."""
SIZES = {
    marked("Full HD, 1920 × 1080"): (1920, 1080),
    "4K, 3840 × 2160": (3840, 2160),
    "8K, 7680 × 4320": (7680, 4320),
    "16K, 15360 × 8640": (15360, 8640),
    marked("Square, 4096 × 4096"): (4096, 4096),
}
"""Sizes in pixels."""
LARGEST = 16384
_POINTS = 1000.0
"""The shorter side of a picture in points, if texts are to be as large in it as in a window."""


class PictureDialog(ExportDialog):
    """Asks how large a picture of the map shall be, and writes it."""

    _TITLE = marked("Save picture")

    def fill(self, subject: Subject) -> None:
        """Ask for size, lines and part of the map."""
        self._subject, form = subject, self.form
        width, height = (round(side * subject.ratio) for side in subject.size)
        entries: dict[str, Any] = {
            translated("As on the screen, {width} × {height}", width=width, height=height): ON_SCREEN,
            **{translated(text): size for text, size in SIZES.items()},
            translated("Other"): OWN,
        }
        self.size_choice = form.choice(translated("Size"), entries)
        self.across = form.number(translated("Width"), 16, LARGEST, width, suffix=translated(" pixels"))
        self.upward = form.number(translated("Height"), 16, LARGEST, height, suffix=translated(" pixels"))
        details = {
            translated("As in the window"): 1.0,
            translated("Finer"): 0.5,
            translated("Twice as large"): 2.0,
            translated("Four times"): 4.0,
        }
        self.detail = form.choice(translated("Lines"), details)
        self.part = form.choice(translated("Map"), seen_or_whole())

    def page(self) -> tuple[int, int, float]:
        """Return width and height in points, and the pixels in a point."""
        chosen, subject = self.size_choice.currentData(), self._subject
        if chosen == ON_SCREEN:
            scale = subject.ratio * self.detail.currentData()
            columns, rows = (round(side * subject.ratio) for side in subject.size)
        else:
            columns, rows = (int(self.across.value()), int(self.upward.value())) if chosen == OWN else chosen
            scale = max(min(columns, rows) / _POINTS, 0.25) * self.detail.currentData()
        return max(round(columns / scale), 1), max(round(rows / scale), 1), scale

    def kinds(self) -> str:
        """Return the kinds of files."""
        return translated(PICTURE_KINDS)

    def file_name(self) -> str:
        """Return how the file may be called."""
        return "wayfront.png"

    def drawing(self) -> Callable[[Report], QImage]:
        """Return what draws the picture, as small as the preview."""
        width, height, _scale = self.page()
        small = self.devicePixelRatioF() * min(PREVIEW.width() / width, PREVIEW.height() / height)
        subject, extent = self._subject, self._extent()
        if self._as_it_is():
            whole = subject.whole(min(small, subject.ratio))
            return lambda _report: whole()
        if subject.raced:
            return lambda _report: subject.race(width, height, small, extent).draw()
        return lambda _report: render(subject.scene, width, height, small, extent)

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the picture, or a drawing of its size in points."""
        width, height, scale = self.page()
        subject, extent = self._subject, self._extent()
        drawn = path.suffix.lower() in _DRAWINGS
        if subject.raced and drawn:
            return lambda _report: write_race_drawing(subject.race(width, height, 1.0, extent), path)
        if drawn:
            return lambda _report: write_drawing(subject.scene, path, width, height, extent)
        if self._as_it_is():
            whole = subject.whole(scale)
            return lambda _report: save_picture(whole(), path)
        if subject.raced:
            return lambda _report: save_picture(subject.race(width, height, scale, extent).draw(), path)
        if path.suffix.lower() == ".png":
            return lambda report: write_tiled(
                subject.scene, path, width, height, scale, extent, report.progress, report.cancel
            )
        return lambda _report: save_picture(render(subject.scene, width, height, scale, extent), path)

    def about(self) -> str:
        """Return the size, and enable what applies now."""
        own = self.size_choice.currentData() == OWN
        self.across.setEnabled(own)
        self.upward.setEnabled(own)
        width, height, scale = self.page()
        columns, rows = round(width * scale), round(height * scale)
        return translated(
            "{columns:,} × {rows:,} pixels; SVG and PDF: {width:,} × {height:,} points, sharp at any size",
            columns=columns,
            rows=rows,
            width=width,
            height=height,
        )

    def _extent(self) -> Any:
        return self._subject.extent if self.part.currentData() else None

    def _as_it_is(self) -> bool:
        """Whether the picture is the window's own, with what stands beside the map."""
        as_seen = self.part.currentData() or self._subject.extent is None
        return self.size_choice.currentData() == ON_SCREEN and as_seen and self.detail.currentData() == 1.0


class PosterDialog(ExportDialog):
    """Asks for sheet, layout and title of a poster, and writes it."""

    _TITLE = marked("Save poster")

    def fill(self, subject: Subject) -> None:
        """Ask for layout, sheet and title, and for what is shown."""
        self._subject, form = subject, self.form
        self.layout_choice = form.choice(
            translated("Layout"), {translated(layout.label): name for name, layout in LAYOUTS.items()}
        )
        self.sheet = form.choice(translated("Sheet"), {translated(paper.label): name for name, paper in PAPERS.items()})
        self.sheet.choose_data("a3")
        self.landscape = form.switch(translated("Landscape"))
        self.title = form.line(translated("Title"), title_of(subject.network.name))
        parts = {
            translated("As it is seen"): SEEN,
            translated("Whole network"): WHOLE,
            translated("Round the source, filling the frame"): FILLING,
        }
        self.part = form.choice(translated("Map"), parts)
        self.part.choose_data(WHOLE)
        moments = {translated("As in the window"): False}
        if subject.scene.found.tree is not None:
            moments = {translated("Finished tree"): True, **moments}
        self.tree = form.choice(translated("Search"), moments)

    def poster(self) -> Poster:
        """Return the poster that was chosen."""
        subject = self._subject
        scene = subject.scene.alone("tree") if self.tree.currentData() else subject.scene
        return Poster(
            scene,
            subject.poster_words(self.title.text()),
            PAPERS[self.sheet.currentData()].turned(self.landscape.isChecked()),
            LAYOUTS[self.layout_choice.currentData()],
            subject.extent if self.part.currentData() == SEEN else None,
            fills=self.part.currentData() == FILLING,
        )

    def kinds(self) -> str:
        """Return the kinds of files."""
        return translated(POSTER_KINDS)

    def file_name(self) -> str:
        """Return how the file may be called."""
        return "wayfront-poster.pdf"

    def drawing(self) -> Callable[[Report], QImage]:
        """Return what draws the poster, as small as the preview."""
        poster = self.poster()
        paper = poster.paper
        per_mm = self.devicePixelRatioF() * min(PREVIEW.width() / paper.width_mm, PREVIEW.height() / paper.height_mm)
        return lambda _report: draw(poster, per_mm * MM_PER_INCH)

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the poster."""
        poster = self.poster()
        return lambda _report: write_poster(poster, path)

    def about(self) -> str:
        """Return how large the sheet is."""
        paper = self.poster().paper
        columns, rows = (round(side * paper.dpi / MM_PER_INCH) for side in (paper.width_mm, paper.height_mm))
        self.landscape.setEnabled(not paper.pixels_across)
        return translated(
            "{width:g} × {height:g} mm; as PNG {columns:,} × {rows:,} pixels, as PDF and SVG sharp at any size",
            width=paper.width_mm,
            height=paper.height_mm,
            columns=columns,
            rows=rows,
        )


KINDS = {
    ".mp4": marked("MP4 film (*.mp4)"),
    ".webm": marked("WebM film (*.webm)"),
    ".gif": marked("Animated GIF (*.gif)"),
}
FILM_SIZES = {
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
    """Asks how a film shall be, and writes it. It lasts ``_SECONDS`` at first, and ``_REPLAYS`` a search or not."""

    _SECONDS = 10.0
    _REPLAYS = True

    def fill(self, subject: Subject | RaceSubject) -> None:
        """Ask for format, size, length, rate and replay, and for the part of the map."""
        form, self._seen = self.form, subject.extent
        self.forecast = ""
        self._forecasts = self._later(_FORECAST_MS, self._start_forecast)
        self.format = form.choice(
            translated("Format"), {translated(text).partition(" (")[0]: suffix for suffix, text in KINDS.items()}
        )
        self.size_choice = form.choice(
            translated("Size"), {translated(text): size for text, size in FILM_SIZES.items()}
        )
        self.seconds = form.number(translated("Length"), 1, 600, self._SECONDS, suffix=" s", decimals=1)
        self.rate = form.choice(
            translated("Rate"), {translated("{rate} frames a second", rate=rate): rate for rate in RATES}
        )
        if self._REPLAYS:
            walks = {translated(text): walk for walk, text in WALK_LABELS.items()}
            self.walk = form.choice(translated("Replay"), walks)
            self.walk.choose_data(subject.walk)
        self.part = form.choice(translated("Map"), seen_or_whole())
        self.moment = QSlider(Qt.Orientation.Horizontal)
        self.moment.setRange(0, _STOPS)
        self.moment.setValue(_STOPS // 2)
        self.moment.setAccessibleName(translated("Moment of the preview"))
        self.moment.setToolTip(translated("The moment of the film that the preview shows"))
        self.moment.valueChanged.connect(lambda _stop: self._settled.start())
        self.left.addWidget(self.moment)

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
            walk=self.walk.currentData() if self._REPLAYS else Walk.STEP,
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

    def about(self) -> str:
        """Return size and number of frames, and how large the file will be about."""
        width, height, scale = self.size_choice.currentData()
        shot = self.shot()
        frames = translated(
            "{frames:,} frames of {width} × {height} pixels",
            frames=round(shot.seconds * shot.fps),
            width=round(width * scale),
            height=round(height * scale),
        )
        return f"{frames}, {self.forecast or translated('estimating the size')}"

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
    """Asks how a film of a search's replay shall be. Its captions say ``_CAPTIONS``."""

    _TITLE = marked("Save film")
    _CAPTIONS = marked("Name, step, time and result")

    def fill(self, subject: Subject) -> None:  # type: ignore[override]
        """Ask for a title and captions as well, and whether the film loops."""
        super().fill(subject)
        self._subject = subject
        self.title = self.form.line(translated("Title"), title_of(subject.network.name))
        self.captions = self.form.switch(translated(self._CAPTIONS), True)
        self.loop = self.form.switch(translated("Its end fades into its beginning"))

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

    _TITLE = marked("Save a film of the race")
    _SECONDS = 12.0

    def fill(self, subject: RaceSubject) -> None:  # type: ignore[override]
        """Ask for the arrangement of the searches and captions as well."""
        super().fill(subject)
        self._subject = subject
        self.arrangement = self.form.choice(
            translated("Searches"), {translated("Side by side"): False, translated("One map in strips"): True}
        )
        self.arrangement.choose_data(subject.split)
        self.captions = self.form.switch(translated("Names, figures and places"), True)

    def shot(self) -> Shot:
        """Return how the film is taken."""
        return replace(super().shot(), fades=False, captions=self.captions.isChecked())

    def taking(self) -> Take:
        """Return what makes the film of the race."""
        subject = self._subject
        return partial(RaceFilm, subject.results, style=subject.style, split_map=self.arrangement.currentData())
