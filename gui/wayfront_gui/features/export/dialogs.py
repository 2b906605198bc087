"""Base of the dialogs that export: a preview, a form, what the file will be, and where to write it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QImage, QPainter, QPen, QPixmap
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

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
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.offscreen import render
from wayfront_gui.session.formatting import memory_size, title_of
from wayfront_gui.session.replay import WALK_LABELS
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.controls import GAP, ChoiceBox, caption, label, number_field
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

    ``ask_where`` asks for the file, ``wrote`` is told its name.
    """

    def __init__(self, title: str, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(title, parent)
        self._ask_where, self._wrote = ask_where, wrote
        self.preview = QLabel()
        self.preview.setFixedSize(PREVIEW)
        self.preview.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.preview.setAccessibleName(translated("Preview"))
        self.expected = label(wrap=True)
        self.close_button = plain_button(translated("Close"), translated("Close this window (Esc)"))
        self.close_button.clicked.connect(self.reject)
        self.save = plain_button(translated("Save…"), translated("Choose a name and save"), "main")
        self.save.clicked.connect(self.ask)
        self.form = QVBoxLayout()
        self.form.setSpacing(GAP)
        self.left = QVBoxLayout()
        self.left.addWidget(self.preview)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(_SETTLED_MS)
        self._settled.timeout.connect(self._draw_preview)
        self._captions: list[QLabel] = []
        self._complete = False
        self._arrange()

    def begin(self) -> None:
        """Show the first preview; to be called once the form is complete."""
        self._complete = True
        self.change()

    def _arrange(self) -> None:
        right = QWidget()
        keep_scaled(right.setFixedWidth, FORM_WIDTH)
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(self.form)
        column.addStretch(1)
        column.addWidget(self.expected)
        both = QHBoxLayout()
        both.setSpacing(2 * GAP)
        both.addLayout(self.left)
        both.addWidget(right)
        buttons = QHBoxLayout()
        buttons.setSpacing(GAP)
        buttons.addWidget(self.problem, 1)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        buttons.addWidget(self.save)
        self.column.addLayout(both)
        self.footer.addWidget(self.progress)
        self.footer.addLayout(buttons)

    # ---------------------------------------------------------------------------------------- what a dialog is of

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

    # ------------------------------------------------------------------------------------------------ the form

    def add_choice(self, text: str, entries: dict[str, Any]) -> ChoiceBox:
        """Add a row to choose one of the entries, texts with what they stand for."""
        box = ChoiceBox()
        for entry, data in entries.items():
            box.addItem(entry, data)
        box.currentIndexChanged.connect(self.change)
        self.add_row(text, box)
        return box

    def add_number(
        self, text: str, low: float, high: float, value: float, suffix: str = "", decimals: int = 0
    ) -> QSpinBox | QDoubleSpinBox:
        """Add a row for a number."""
        box: QSpinBox | QDoubleSpinBox
        if decimals:
            box = QDoubleSpinBox()
            box.setDecimals(decimals)
        else:
            box = QSpinBox()
            low, high, value = int(low), int(high), int(value)
        box.setRange(low, high)  # type: ignore[arg-type]
        box.setValue(value)  # type: ignore[arg-type]
        box.setSuffix(suffix)
        number_field(box)
        box.valueChanged.connect(self.change)
        self.add_row(text, box)
        return box

    def add_switch(self, text: str, on: bool) -> QCheckBox:
        """Add a row to switch something on or off."""
        box = QCheckBox(text)
        box.setChecked(on)
        box.toggled.connect(self.change)
        self.form.addWidget(box)
        return box

    def add_text(self, text: str, value: str) -> QLineEdit:
        """Add a row for a line of text."""
        line = QLineEdit(value)
        line.textChanged.connect(self.change)
        self.add_row(text, line)
        return line

    def add_row(self, text: str, *fields: QWidget) -> None:
        """Add a row: a caption, and fields beside it."""
        row = QHBoxLayout()
        row.setSpacing(GAP)
        self._captions.append(caption(text, fields[0]))
        row.addWidget(self._captions[-1])
        for field in fields:
            field.setAccessibleName(text)
            row.addWidget(field, 1)
        self.form.addLayout(row)
        self._captions[-1].ensurePolished()  # only then it knows how wide it will be
        widest = max(max(each.sizeHint().width(), each.minimumWidth()) for each in self._captions)
        for each in self._captions:
            each.setMinimumWidth(widest)

    # ------------------------------------------------------------------------------------------------ doing it

    def change(self) -> None:
        """Something was chosen: show what applies now, and a preview soon."""
        if self._complete:
            self.show_state()
            self._settled.start()

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

    def __init__(self, subject: Subject, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(translated("Save picture"), ask_where, wrote, parent)
        self._subject = subject
        width, height = (round(side * subject.ratio) for side in subject.size)
        entries: dict[str, Any] = {
            translated("As on the screen, {width} × {height}", width=width, height=height): ON_SCREEN,
            **{translated(text): size for text, size in SIZES.items()},
            translated("Other"): OWN,
        }
        self.size_choice = self.add_choice(translated("Size"), entries)
        self.across = self.add_number(translated("Width"), 16, LARGEST, width, translated(" pixels"))
        self.upward = self.add_number(translated("Height"), 16, LARGEST, height, translated(" pixels"))
        self.detail = self.add_choice(
            translated("Lines"),
            {
                translated("As in the window"): 1.0,
                translated("Finer"): 0.5,
                translated("Twice as large"): 2.0,
                translated("Four times"): 4.0,
            },
        )
        self.part = self.add_choice(
            translated("Map"), {translated("As it is seen"): True, translated("Whole network"): False}
        )
        self.left.addStretch(1)
        self.begin()

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

    def show_state(self) -> None:
        """Show the size, and enable what applies now."""
        own = self.size_choice.currentData() == OWN
        self.across.setEnabled(own)
        self.upward.setEnabled(own)
        width, height, scale = self.page()
        columns, rows = round(width * scale), round(height * scale)
        self.expected.setText(
            translated(
                "{columns:,} × {rows:,} pixels; SVG and PDF: {width:,} × {height:,} points, sharp at any size",
                columns=columns,
                rows=rows,
                width=width,
                height=height,
            )
        )
        self.save.setEnabled(not self.progress.isVisible())

    def _extent(self) -> Any:
        return self._subject.extent if self.part.currentData() else None

    def _as_it_is(self) -> bool:
        """Whether the picture is the window's own, with what stands beside the map."""
        as_seen = self.part.currentData() or self._subject.extent is None
        return self.size_choice.currentData() == ON_SCREEN and as_seen and self.detail.currentData() == 1.0


class PosterDialog(ExportDialog):
    """Asks for sheet, layout and title of a poster, and writes it."""

    def __init__(self, subject: Subject, ask_where: AskWhere, wrote: Callable[[str], None], parent: QWidget) -> None:
        super().__init__(translated("Save poster"), ask_where, wrote, parent)
        self._subject = subject
        self.layout_choice = self.add_choice(
            translated("Layout"), {translated(layout.label): name for name, layout in LAYOUTS.items()}
        )
        self.sheet = self.add_choice(
            translated("Sheet"), {translated(paper.label): name for name, paper in PAPERS.items()}
        )
        self.sheet.choose_data("a3")
        self.landscape = self.add_switch(translated("Landscape"), False)
        self.title = self.add_text(translated("Title"), title_of(subject.network.name))
        self.part = self.add_choice(
            translated("Map"),
            {
                translated("As it is seen"): SEEN,
                translated("Whole network"): WHOLE,
                translated("Round the source, filling the frame"): FILLING,
            },
        )
        self.part.choose_data(WHOLE)
        moments = {translated("As in the window"): False}
        if subject.scene.parents is not None:
            moments = {translated("Finished tree"): True, **moments}
        self.tree = self.add_choice(translated("Search"), moments)
        self.left.addStretch(1)
        self.begin()

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

    def show_state(self) -> None:
        """Show how large the sheet is."""
        paper = self.poster().paper
        columns, rows = (round(side * paper.dpi / MM_PER_INCH) for side in (paper.width_mm, paper.height_mm))
        self.landscape.setEnabled(not paper.pixels_across)
        self.expected.setText(
            translated(
                "{width:g} × {height:g} mm; as PNG {columns:,} × {rows:,} pixels, as PDF and SVG sharp at any size",
                width=paper.width_mm,
                height=paper.height_mm,
                columns=columns,
                rows=rows,
            )
        )
        self.save.setEnabled(not self.progress.isVisible())


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
        self.size_choice = self.add_choice(
            translated("Size"), {translated(text): size for text, size in FILM_SIZES.items()}
        )
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
