"""Asks how a page shall begin, and writes it: the search as one file that any browser plays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtGui import QImage

from wayfront.dissection.store import dissection_of
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.export.dialogs import PREVIEW, ExportDialog, seen_or_whole
from wayfront_gui.features.export.subject import Subject
from wayfront_gui.features.page.content import Opening
from wayfront_gui.features.page.document import SUFFIX, about_bytes, bundle, write_page
from wayfront_gui.map.offscreen import render
from wayfront_gui.session.formatting import memory_size, title_of
from wayfront_gui.ui.translation import marked, translated

PLAYS, NOW, TREE = "plays", "now", "tree"
"""What a page shows at first."""
_WIDTH, _HEIGHT = 1280, 800


class PageDialog(ExportDialog):
    """Asks for title, part of the map and how a page begins, and writes it."""

    _TITLE = marked("Save page")

    def fill(self, subject: Subject) -> None:
        """Ask for the title, the part of the map that is shown at first, and the moment."""
        self._subject, form = subject, self.form
        self.title = form.line(translated("Title"), title_of(subject.network.name))
        self.part = form.choice(translated("Map"), seen_or_whole())
        self.part.choose_data(False)
        moments = {
            translated("It plays the search"): PLAYS,
            translated("As in the window"): NOW,
            translated("Finished tree"): TREE,
        }
        self.begins = form.choice(translated("At first"), moments)
        self.live = form.switch(translated("The source can be dragged"))

    def opening(self) -> Opening:
        """Return how the page begins."""
        scene, begins = self._subject.scene, self.begins.currentData()
        now = "tree" if scene.shows_tree else f"{max(scene.step, 0) + 1:g}"
        moment = {PLAYS: "", NOW: now, TREE: "tree"}[begins]
        live = self.live.isChecked()
        return Opening(self.title.text(), self._subject.walk, moment, self._extent(), live=live)

    def kinds(self) -> str:
        """Return the kinds of files."""
        return translated("Page for browsers (*.html)")

    def file_name(self) -> str:
        """Return how the file may be called."""
        return f"wayfront{SUFFIX}"

    def drawing(self) -> Callable[[Report], QImage]:
        """Return what draws the map as the page shows it at first."""
        bundle()  # what no page can be written without is said at once
        small = self.devicePixelRatioF() * min(PREVIEW.width() / _WIDTH, PREVIEW.height() / _HEIGHT)
        begins, extent = self.begins.currentData(), self._extent()
        scene = self._subject.scene.copy() if begins == NOW else self._subject.scene.alone("tree")
        return lambda _report: render(scene, _WIDTH, _HEIGHT, small, extent)

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the page."""
        bundle()
        subject, opening = self._subject, self.opening()
        result = subject.result
        assert result is not None

        def write(report: Report) -> None:
            if opening.live:
                dissection_of(result.network, progress=report.progress, cancel=report.cancel)
            write_page(subject.scene, result, path, opening)

        return write

    def about(self) -> str:
        """Return about how large the file will be, and what it needs."""
        geometry = self._subject.scene.geometry
        assert geometry is not None
        return translated(
            "One file of about {size}, which any browser plays without a network",
            size=memory_size(about_bytes(geometry.node_count + len(geometry.x), live=self.live.isChecked())),
        )

    def _extent(self) -> Any:
        return self._subject.extent if self.part.currentData() else None
