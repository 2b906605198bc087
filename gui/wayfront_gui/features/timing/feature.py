"""Timing: how long searches took, in the window's panel and as charts and tables."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.timing.export import ask_where, write_timings
from wayfront_gui.ui.translation import translated


class TimingCommands:
    """Exports timings."""

    def __init__(self, host: Host) -> None:
        self._host, self._session = host, host.session

    @command(
        "file.timings",
        "Save times (&picture or table)…",
        keys=("Ctrl+E",),
        hint="Save the times as a picture or a table",
        at=(4, 3),
        under="compare",
    )
    def export_timings(self) -> None:
        """Ask where and save the timings as a picture or a table."""
        rows = tuple(self._session.chosen_timings)
        if not rows:
            self._host.reports.show_problem(translated("There are no times to save yet: run a search first."))
            return
        target = ask_where(self._host.dialogs.save, translated("Save times"), "timings.png")
        if target is not None:
            theme = self._host.appearance.theme.name
            self._host.controller.files.save(target, lambda p: write_timings(rows, p, theme))


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.timing.panel import TimingPanel

    return TimingPanel(host.session, host.actions["file.timings"].trigger, host.controller.files.bring_back)


FEATURE = Feature(
    "timing",
    controls=(TimingCommands,),
    sections=(
        Section(
            "time",
            "Times",
            _panel,
            "How long searches took",
            at=20,
            activities=("compare",),
            opened=("compare",),
            text="&Times",
        ),
    ),
)
