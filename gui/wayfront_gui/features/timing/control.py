"""Exporting the times that were measured in the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import with_suffix
from wayfront_gui.features.timing.export import CHART_FILES, write_timings
from wayfront_gui.ui.translation import translated


class TimingCommands:
    """Exports timings, and gives their panel the room that they need."""

    def __init__(self, host: Host) -> None:
        self._host, self._session = host, host.session
        self._session.timings_changed.connect(lambda: host.docks.make_room_later("time"))  # a first brings lines

    @command(
        "file.timings", "&Export timings…", keys=("Ctrl+E",), hint="Save the timings as picture or table", at=(2, 7)
    )
    def export_timings(self) -> None:
        """Ask where and save the timings as a picture or a table."""
        rows = tuple(self._session.chosen_timings)
        if not rows:
            self._host.reports.show_problem(translated("There are no timings to export yet: run a search first."))
            return
        target = ask_where(self._host.dialogs.save, translated("Export timings"), "timings.png")
        if target is not None:
            theme = self._host.appearance.theme.name
            self._host.controller.files.save(target, lambda p: write_timings(rows, p, theme))


def ask_where(ask: Callable[[str, str, str], tuple[str, str]], title: str, name: str) -> Path | None:
    """Ask where to save figures, and as which kind of file; None for nowhere."""
    kinds = {translated(text): suffix for text, suffix in CHART_FILES.items()}
    path, kind = ask(title, name, ";;".join(kinds))
    return with_suffix(path, kinds.get(kind, ".png")) if path else None
