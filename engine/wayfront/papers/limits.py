"""Bound how long one run of a table may take."""

from __future__ import annotations

import time
from threading import Event

from wayfront.errors import SearchCancelled


class Deadline(Event):
    """An event that is set with the caller's or by itself, and that raises once a run takes too long or is forecast to.

    The clock starts with ``begin``, so that compiling, which looks whether to stop too, does not count. ``more`` ends
    the reason: how a person allows more time.
    """

    def __init__(self, seconds: float, cancel: Event, endless: bool, more: str = ": --seconds allows more") -> None:
        super().__init__()
        self._more = more
        self._seconds, self._cancel, self._endless = seconds, cancel, endless
        self._begun: float | None = None
        self._forecast_s: float | None = None

    def is_set(self) -> bool:
        """Return whether to stop. Raises ``SearchCancelled``, with the reason, once the time is over."""
        if super().is_set() or self._cancel.is_set():
            return True
        if self._endless:
            return False
        if self._forecast_s is not None and self._forecast_s > self._seconds:
            raise SearchCancelled(f"one run would take about {format_duration(self._forecast_s)} here: --long runs it")
        if self._begun is not None and time.monotonic() - self._begun > self._seconds:
            raise SearchCancelled(f"one run takes longer than {format_duration(self._seconds)} here{self._more}")
        return False

    def check(self) -> None:
        """Raise ``SearchCancelled`` where the work is to stop."""
        if self.is_set():
            raise SearchCancelled("stopped")

    def begin(self) -> None:
        """Start the clock if it is not running."""
        if self._begun is None:
            self._begun = time.monotonic()

    def expect(self, seconds: float) -> None:
        """Set the forecast of the run's time."""
        self._forecast_s = seconds


def format_duration(seconds: float) -> str:
    """Return a duration in a suitable unit: ``12 s``, ``4.5 min``, ``3.2 h``, ``2.1 days``."""
    for size, unit in ((86_400.0, "days"), (3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.3g} s"
