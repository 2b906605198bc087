"""The dialog that asks how a film of what streets carry shall be: first it finds what that is within each distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from wayfront_gui.app.jobs import CallJob, Report
from wayfront_gui.features.export.dialogs import ReplayFilmDialog, Take
from wayfront_gui.features.export.subject import Subject
from wayfront_gui.features.flows.film import FlowsFilm, find_stages
from wayfront_gui.features.flows.state import FlowsFound
from wayfront_gui.ui.translation import marked, plural


@dataclass(frozen=True, slots=True, eq=False)
class FlowsSubject:
    """What the window shows, what streets carry there, and on how many threads more of that is found."""

    shown: Subject
    found: FlowsFound
    threads: int


class FlowsFilmDialog(ReplayFilmDialog):
    """Asks how a film of trips within farther and farther distances shall be."""

    _TITLE = marked("Save a film of what streets carry")
    _CAPTIONS = marked("Name, distance, trips and busiest road")
    _SECONDS = 12.0
    _REPLAYS = False

    def fill(self, subject: FlowsSubject) -> None:  # type: ignore[override]
        """Ask as for the film of a search; what was found is the only distance as yet."""
        super().fill(subject.shown)
        self._threads = subject.threads
        self._stages: Sequence[FlowsFound] = (replace(subject.found, before=None),)
        self._complete_stages = False

    def show_modeless(self) -> None:
        """Show the dialog, and find what streets carry within each distance."""
        super().show_modeless()
        self.start(CallJob(self._find_stages, "stages"), self._take_stages)

    def taking(self) -> Take:
        """Return what makes the film of what was found so far."""
        scene, stages, heading = self._subject.scene, self._stages, self.title.text()
        return lambda shot: FlowsFilm.of(scene, stages, shot, heading)

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
        found = self._stages[-1]
        return find_stages(
            found.network,
            found.metric.name,
            found.closures,
            found.asked.ties,
            threads=self._threads,
            everywhere=found if found.asked.radius is None else None,
            progress=report.progress,
            cancel=report.cancel,
        )

    def _take_stages(self, stages: Sequence[FlowsFound]) -> None:
        self._stages, self._complete_stages = stages, True
        self.change()
