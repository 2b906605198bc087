"""The dialog that asks how a film of what streets carry shall be: first it finds what that is within each distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wayfront_gui.app.jobs import CallJob, Report
from wayfront_gui.features.export.dialogs import FilmDialog, Take
from wayfront_gui.features.export.replay_film import Shot
from wayfront_gui.features.export.subject import Subject
from wayfront_gui.features.flows.film import FlowsFilm, find_stages
from wayfront_gui.features.flows.state import FlowsFound
from wayfront_gui.session.formatting import title_of
from wayfront_gui.ui.translation import marked, plural, translated


@dataclass(frozen=True, slots=True, eq=False)
class FlowsSubject:
    """What the window shows, what streets carry there, and on how many threads more of that is found."""

    shown: Subject
    found: FlowsFound
    threads: int


class FlowsFilmDialog(FilmDialog):
    """Asks how a film of trips within farther and farther distances shall be."""

    _TITLE = marked("Save a film of what streets carry")
    _SECONDS = 12.0
    _REPLAYS = False

    def fill(self, subject: FlowsSubject) -> None:  # type: ignore[override]
        """Ask for a title and captions as well, and begin to find the trips within each distance."""
        super().fill(subject.shown)
        self._subject = subject
        self.title = self.form.line(translated("Title"), title_of(subject.found.network.name))
        self.captions = self.form.switch(translated("Name, distance, trips and busiest road"), True)
        self.loop = self.form.switch(translated("Its end fades into its beginning"))
        self._stages: Sequence[FlowsFound] = (replace(subject.found, before=None),)
        self._complete_stages = False

    def show_modeless(self) -> None:
        """Show the dialog, and find what streets carry within each distance."""
        super().show_modeless()
        self.start(CallJob(self._find_stages, "stages"), self._take_stages)

    def shot(self) -> Shot:
        """Return how the film is taken."""
        gif = self.format.currentData() == ".gif"
        return replace(super().shot(), loops=self.loop.isChecked(), fades=not gif, captions=self.captions.isChecked())

    def taking(self) -> Take:
        """Return what makes the film of what was found so far."""
        scene, stages, heading = self._subject.shown.scene, self._stages, self.title.text()
        return lambda shot: FlowsFilm.of(scene, stages, shot, heading)

    def repeats(self) -> bool:
        """Return whether the film begins again at its end."""
        return self.loop.isChecked() or super().repeats()

    def about(self) -> str:
        """Return size, frames and distances."""
        said = super().about()
        if not self._complete_stages:
            return said
        count = plural("{count:,} distance", "{count:,} distances", len(self._stages))
        return f"{said}\n{count}"

    def show_state(self) -> None:
        """A film is saved once all of it is known."""
        super().show_state()
        self.save.setEnabled(self.save.isEnabled() and self._complete_stages)

    def _cancel(self) -> None:
        """Stop what is being done; without all distances there is no film, and the dialog closes."""
        if self._complete_stages:
            super()._cancel()
        else:
            self.reject()

    def _find_stages(self, report: Report) -> Any:
        found = self._subject.found
        everywhere = found if found.asked.radius is None else None
        return find_stages(
            found.network,
            found.metric.name,
            found.closures,
            found.asked.ties,
            threads=self._subject.threads,
            everywhere=None if everywhere is None else replace(everywhere, before=None),
            progress=report.progress,
            cancel=report.cancel,
        )

    def _take_stages(self, stages: Sequence[FlowsFound]) -> None:
        self._stages, self._complete_stages = stages, True
        self.change()
