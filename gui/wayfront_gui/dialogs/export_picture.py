"""Dialogs to save the map as a picture or a drawing, and as a poster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from wayfront_gui.charts.export import save_picture
from wayfront_gui.dialogs.export import PREVIEW, AskWhere, ExportDialog
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.export.poster import Poster, draw, write_poster
from wayfront_gui.export.sheets import LAYOUTS, MM_PER_INCH, PAPERS
from wayfront_gui.export.subject import Subject, search_alone
from wayfront_gui.export.tiled_picture import write_tiled
from wayfront_gui.export.vector_picture import write_drawing, write_race_drawing
from wayfront_gui.map.offscreen import render
from wayfront_gui.model.network_title import title_of
from wayfront_gui.translation import marked, translated

PICTURE_KINDS = marked(
    "PNG picture (*.png);;SVG drawing (*.svg);;PDF drawing (*.pdf);;JPEG picture (*.jpg);;WebP picture (*.webp)"
)
POSTER_KINDS = marked("PDF (*.pdf);;PNG picture (*.png);;SVG drawing (*.svg)")
_DRAWINGS = (".svg", ".pdf")
ON_SCREEN, OWN = "screen", "own"
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
            translated("Map"), {translated("As it is seen"): True, translated("Whole network"): False}
        )
        self.part.setCurrentIndex(1)
        moments = {translated("As in the window"): False}
        if subject.scene.parents is not None:
            moments = {translated("Finished tree"): True, **moments}
        self.tree = self.add_choice(translated("Search"), moments)
        self.fill = self.add_switch(translated("The map fills its frame"), True)
        self.left.addStretch(1)
        self.begin()

    def poster(self) -> Poster:
        """Return the poster that was chosen."""
        subject = self._subject
        scene = search_alone(subject.scene, "tree") if self.tree.currentData() else subject.scene
        return Poster(
            scene,
            subject.poster_words(self.title.text()),
            PAPERS[self.sheet.currentData()].turned(self.landscape.isChecked()),
            LAYOUTS[self.layout_choice.currentData()],
            subject.extent if self.part.currentData() else None,
            fills=self.fill.isChecked(),
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
