"""Jobs of the dialogs that export: they draw previews, forecast sizes and write files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wayfront_gui.engine_thread.jobs import Report


@dataclass(frozen=True, slots=True)
class CallJob:
    """Call a function with the job's ``Report``; of those of one lane only the newest counts.

    A ``quiet`` one is not reported as work.
    """

    call: Callable[[Report], Any]
    lane: str
    quiet: bool = False
    slot: None = field(default=None, init=False)

    def run(self, report: Report) -> Any:
        """Return what the function returns."""
        return self.call(report)
