"""Notes when a starting program reaches each of its parts, for ``first_start.py``; loads only what a start loads."""

from __future__ import annotations

import json as json_text
import resource
import sys
import time
from contextlib import suppress

from wayfront_gui import entry
from wayfront_gui.cli import running  # noqa: F401 - in the order of a start

# isort: split
from PySide6.QtCore import QTimer

from wayfront_gui.app import start
from wayfront_gui.app.awaiting import TREES, is_compiled
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.window import Window

Part = tuple[str, float, float]
"""What was reached, after so many seconds by the clock and of this process's processor time."""
PICTURE, WAVE = "first picture", "moving wave"
_LOOKS_MS = 2


class Watch:
    """Notes in a starting program when each part is reached, and closes its window when nothing is left to do."""

    def __init__(self, begun_s: float) -> None:
        self._begun_s = begun_s
        self.parts: list[Part] = []
        self._window: Window | None = None
        self._timer = QTimer()
        self._timer.timeout.connect(self._look)

    def note(self, part: str) -> None:
        """Note that a part is reached, the first time."""
        if part and part not in (each for each, *_ in self.parts):
            self.parts.append((part, time.time() - self._begun_s, time.process_time()))

    def make(self, settings: Settings) -> Window:
        """Make the window as the program does."""
        self.note("Qt")
        self._window = _make_window(settings)
        self._window.resize(1440, 900)
        self.note("window made")
        self._timer.start(_LOOKS_MS)
        return self._window

    def _look(self) -> None:
        window = self._window
        assert window is not None
        slot, drawn = window.session.active, window.map.map_item.frame is not None
        if slot.network is not None:
            self.note("network read, with its lines")
        if drawn and window.map.map_item.paintings:
            self.note(PICTURE)
        if slot.result is not None:
            self.note("search shown")
        if slot.player.position > 0:
            self.note(WAVE)
        if not is_compiled(TREES):
            self.note(window.status.quiet)
        if window.session.runs:
            self.note("its own search timed")
        if window.session.runs and is_compiled(TREES):
            self._timer.stop()
            window.close()


_make_window = start.make_window


def timed(begun_s: float) -> None:
    """Start as the program does; print the parts as the last line."""
    watch = Watch(begun_s)
    watch.note("Python and imports")
    start.make_window = watch.make
    with suppress(SystemExit):
        entry.main()
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    watch.parts.append(("the process that compiled, alone", 0.0, spent.ru_utime + spent.ru_stime))
    sys.stdout.write(f"{json_text.dumps(watch.parts)}\n")
