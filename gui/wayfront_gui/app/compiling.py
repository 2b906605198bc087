"""The first start on a machine: another process compiles while the window works without what is not compiled yet.

Numba holds Python's lock while it compiles, and a window in that process would stand still. So another process
compiles, keeps what it made where Numba looks for it, and reports each part. Until the map's kernels are
there, NumPy draws in their place (``wayfront.devices.compiling.deputy``); a search waits for its own, and its times are
never those of something else. The process ends with the window, whatever becomes of that, and goes on next time.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QProcess, Signal

from wayfront.devices.compiling import all_kept, compiled_here, deputies_answer, stand_in
from wayfront_gui.app.awaiting import MAP, SEARCH, STAGES, TREES, awaited, finished_note, is_compiled
from wayfront_gui.map.tiles import BackgroundWork
from wayfront_gui.ui.translation import marked, translated

log = logging.getLogger(__name__)

MODULE = "wayfront_gui.cli.compiling"
_SAID = {
    SEARCH: marked("Preparing the fast search: part {part} of {parts}"),
    MAP: marked("Preparing the fast map: part {part} of {parts}"),
    TREES: marked("Preparing trees that follow the mouse: part {part} of {parts}"),
}
_ENDS_MS = 1000


class Compiling(QObject):
    """Runs the process that compiles, where something is not compiled yet."""

    progressed = Signal(str)
    """How far it is, in words; empty when it has ended."""

    def __init__(self, warm_up_map: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._warm_up_map = warm_up_map
        self._begun_s = 0.0
        self._process = QProcess(self)
        self._process.readyReadStandardOutput.connect(self._on_said)
        self._process.finished.connect(self._end)
        self._process.errorOccurred.connect(self._end)
        self._loading = BackgroundWork("map kernels", self)
        self._loading.finished.connect(self._on_loaded)
        self._missing = False

    def begin(self) -> None:
        """Begin where something is not compiled yet and can be kept; the first picture needs nothing compiled.

        Where everything is, that waits to be loaded until ``load_map``.
        """
        if finished_note().exists():
            stand_in(True)
        elif (kept := all_kept()) is not None:
            self._compile(kept)

    def _compile(self, kept: bool) -> None:
        awaited.begin()
        stand_in(not kept)
        self._begun_s = time.monotonic()
        self._process.setStandardErrorFile(QProcess.nullDevice())
        self._process.start(sys.executable, ["-m", MODULE])

    def stop(self) -> None:
        """End the process; a part that it has not finished is compiled next time."""
        self._process.blockSignals(True)
        self._process.kill()
        self._process.waitForFinished(_ENDS_MS)
        self._end()
        self._loading.stop()
        stand_in(False)

    def _on_said(self) -> None:
        while self._process.canReadLine():
            words = bytes(self._process.readLine().data()).decode("ascii", "replace").split()
            if len(words) == 3 and words[0] in STAGES:
                stage, part, parts = words
                awaited.text = translated(_SAID[stage], part=part, parts=parts)
                self.progressed.emit(awaited.text)
            elif len(words) == 2 and words[0] == "done" and words[1] in STAGES:
                awaited.stages[words[1]].set()
                if words[1] == MAP:
                    self.load_map()

    def load_map(self) -> None:
        """Load what is compiled for the map, and then draw with it."""

        def load() -> None:
            with compiled_here():
                self._missing = all_kept() is False
                if not self._missing:
                    self._warm_up_map()

        if is_compiled(MAP) and deputies_answer():
            self._loading.start(load)

    def _on_loaded(self) -> None:
        if self._missing and is_compiled(TREES):
            self._compile(False)  # somebody has emptied Numba's cache
        else:
            stand_in(False)

    def _end(self) -> None:
        """Leave what is missing to whoever needs it, as in any other program."""
        if not is_compiled(TREES):
            log.info("compiling ended after %.1f s", time.monotonic() - self._begun_s)
        if not is_compiled(MAP):
            stand_in(False)
        awaited.end()
        self.progressed.emit("")
