"""Report the progress of opening or saving a network, stop it when cancelled, and refuse what does not fit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

from wayfront.errors import OpenCancelled
from wayfront.memory import require_memory

ProgressCallback = Callable[[str, float], None]
"""Called with the name of the stage and the fraction of the whole that is done, 0 … 1, never falling."""


class Opening:
    """Progress and cancellation of one opening, shared by all its stages.

    Each stage is entered with its share of the whole, and reports its own fraction. ``force`` goes on even if memory
    seems too short.
    """

    def __init__(
        self, progress: ProgressCallback | None = None, cancel: Event | None = None, *, force: bool = False
    ) -> None:
        self._force = force
        self._progress = progress
        self._cancel = cancel
        self._stage = ""
        self._start = 0.0
        self._share = 0.0

    def enter(self, stage: str, share: float) -> None:
        """Begin a stage that is ``share`` (0 … 1) of the whole. Raises ``OpenCancelled``."""
        self._start += self._share
        self._stage, self._share = stage, share
        self.report(0.0)

    def finish(self) -> None:
        """Report that everything is done. Raises ``OpenCancelled``."""
        self._start, self._share = 1.0, 0.0
        self.report(0.0)

    def report(self, fraction: float) -> None:
        """Report that ``fraction`` (0 … 1) of the stage is done. Raises ``OpenCancelled``."""
        if self._cancel is not None and self._cancel.is_set():
            raise OpenCancelled("opening was cancelled")
        if self._progress is not None:
            self._progress(self._stage, min(self._start + self._share * fraction, 1.0))

    def require_memory(self, needed_bytes: int, path: Path) -> None:
        """Raise ``MemoryShortError`` where a file needs more memory than is free, unless it is opened all the same."""
        if not self._force:
            require_memory(needed_bytes, path, can_be_forced=True)
