"""Asks how a page shall begin, and writes it: a search, a race or what streets carry as one file for browsers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtGui import QImage

from wayfront.dissection.store import dissection_of
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.export.dialogs import PREVIEW, ExportDialog, seen_or_whole
from wayfront_gui.features.export.subject import Subject
from wayfront_gui.features.page.content import Content, Opening
from wayfront_gui.features.page.document import SUFFIX, about_bytes, about_further, bundle, write_content
from wayfront_gui.features.page.several import race_of
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import Scene
from wayfront_gui.session.formatting import memory_size, title_of
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.results.result import Result

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
        plays = translated("It plays the race") if subject.raced else translated("It plays the search")
        moments = {plays: PLAYS, translated("As in the window"): NOW, translated("Finished tree"): TREE}
        if subject.paged is None:
            self.begins = form.choice(translated("At first"), moments)
        on_map = not subject.raced and subject.paged is None and subject.scene.diagram is None
        self.live = form.switch(translated("The source can be dragged")) if on_map else None

    def opening(self) -> Opening:
        """Return how the page begins."""
        subject = self._subject
        live = self.live is not None and self.live.isChecked()
        if subject.paged is not None:
            return Opening(self.title.text(), extent=self._extent())
        scene, begins = subject.scene, self.begins.currentData()
        step = f"{100 * subject.share:.4f}%" if subject.raced else f"{max(scene.step, 0) + 1:g}"
        moment = {PLAYS: "", NOW: "tree" if scene.shows_tree else step, TREE: "tree"}[begins]
        return Opening(self.title.text(), subject.walk, moment, self._extent(), live=live)

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
        subject, extent = self._subject, self._extent()
        if subject.raced:
            return lambda _report: subject.race(_WIDTH, _HEIGHT, small, extent).draw()
        now = subject.paged is not None or self.begins.currentData() == NOW
        scene = subject.scene.copy() if now else subject.scene.alone("tree")
        return lambda _report: render(scene, _WIDTH, _HEIGHT, small, extent)

    def writing(self, path: Path) -> Callable[[Report], Any]:
        """Return what writes the page."""
        bundle()
        content, opening = self._content, self.opening()
        return lambda report: write_content(content(opening, report), path)

    def _content(self, opening: Opening, report: Report) -> Content:
        """Return what the page holds, in a thread of its own."""
        subject = self._subject
        if subject.paged is not None:
            content: Content = subject.paged(subject.scene, opening)
            return content
        if subject.raced:
            return race_of([(_shown(subject, result), result) for result in subject.results], opening)
        result = subject.result
        assert result is not None
        if opening.live:
            dissection_of(result.network, progress=report.progress, cancel=report.cancel)
        return Content.of(subject.scene, result, opening)

    def about(self) -> str:
        """Return about how large the file will be, and what it needs."""
        subject = self._subject
        geometry, live = subject.scene.geometry, self.live is not None and self.live.isChecked()
        assert geometry is not None
        further = about_further(geometry.node_count) * max(len(subject.raced) - 1, 0)
        return translated(
            "One file of about {size}, which any browser plays without a network",
            size=memory_size(about_bytes(geometry.node_count + len(geometry.x), live=live) + further),
        )

    def _extent(self) -> Any:
        return self._subject.extent if self.part.currentData() else None


def _shown(subject: Subject, result: Result) -> Scene:
    """Return what shows one search of a race as the window does: as roads, or as a small graph."""
    scene = Scene.of_result(result, subject.scene.style)
    scene.wanted = subject.scene.wanted
    return scene
