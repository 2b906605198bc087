"""Count the files of the program that a click on the map passes until its search is drawn.

usage: QT_QPA_PLATFORM=offscreen python tools/click_files.py [--list]

The bundled map is opened and searched once, so that nothing is loaded or compiled any more; then a source is clicked.
What is called from the press until the first picture of the new search is counted, in the window's thread and in the
engine's, and apart from that what the window calls until the job is with the engine thread.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from PySide6.QtCore import QPoint, QSettings, Qt, Slot
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from wayfront_gui.app import engine_thread
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window

ROOTS = ("wayfront", "wayfront_gui")
WAIT_MS = 60_000


class Passed:
    """The modules whose functions are called while ``on``, by thread."""

    def __init__(self) -> None:
        self.on = False
        self.window: Counter[str] = Counter()
        self.engine: Counter[str] = Counter()

    def profile(self, into: Counter[str]) -> Callable[[FrameType, str, Any], None]:
        """Return a profile function that counts calls."""

        def note(frame: FrameType, event: str, _argument: Any) -> None:
            if self.on and event == "call":
                name = frame.f_globals.get("__name__", "")
                if name.partition(".")[0] in ROOTS and not frame.f_code.co_name.startswith("<module"):
                    into[name] += 1

        return note


def room(module: str) -> str:
    """Return the folder of a module: ``wayfront.searching``, ``wayfront_gui.features.routes``."""
    parts = module.split(".")
    return ".".join(parts[: 3 if parts[1:2] == ["features"] else 2])


def until(true: Callable[[], bool], application: QApplication) -> None:
    """Let events pass until something is true. Raises ``TimeoutError``."""
    for _ in range(WAIT_MS // 5):
        application.processEvents()
        if true():
            return
        QTest.qWait(5)
    raise TimeoutError("nothing was drawn within a minute")


def click(window: Window, share: float, application: QApplication) -> None:
    """Click the node nearest to a point of the map, ``share`` of its width from the left, until its search is drawn."""
    view, slot = window.map, window.session.active
    before = slot.result
    at = QPoint(round(view.width() * share), view.height() // 2)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)
    until(lambda: slot.result is not before and slot.result is not None, application)
    view.viewport().repaint()


def measure(window: Window, application: QApplication, passed: Passed) -> int:
    """Count what a click passes; return how many files it passed until its job was submitted."""
    worker = window.controller.worker
    until(lambda: window.session.active.result is not None and not worker.busy, application)
    click(window, 0.4, application)  # what is loaded with the first click is no part of the second
    until(lambda: not worker.busy, application)
    submit, submitted = worker.submit, list[int]()

    def noted(*arguments: Any, **named: Any) -> int:
        submitted.append(len(passed.window))
        return submit(*arguments, **named)

    worker.submit = noted  # type: ignore[method-assign]
    passed.on = True
    sys.setprofile(passed.profile(passed.window))
    click(window, 0.6, application)
    sys.setprofile(None)
    passed.on = False
    return submitted[0]


def main() -> None:
    """Open, search, click, and print what was passed."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    passed, execute = Passed(), engine_thread._Engine.execute

    @Slot(object)
    def watched(engine: engine_thread._Engine, ticket: engine_thread.Ticket) -> None:
        sys.setprofile(passed.profile(passed.engine))
        try:
            execute(engine, ticket)
        finally:
            sys.setprofile(None)

    watched.__name__ = "execute"  # Qt finds the slot, and with it the thread, by that name
    engine_thread._Engine.execute = watched  # type: ignore[method-assign, assignment]
    with tempfile.TemporaryDirectory() as folder:
        window = make_window(Settings(QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat)))
        window.show()
        window.open_first(None, fresh=True)
        window.controller.find_abilities()
        submitted = measure(window, application, passed)
        window.close()
    every = passed.window + passed.engine
    print(f"until the job is submitted: {submitted} files")
    print(f"until it is drawn: {len(every)} files in {len({room(each) for each in every})} rooms")
    for name, counted in (("window", passed.window), ("engine", passed.engine)):
        print(f"  {name}'s thread: {len(counted)} files in {len({room(each) for each in counted})} rooms")
    if "--list" in sys.argv:
        for module in sorted(every):
            print(f"{passed.window[module]:8,} {passed.engine[module]:8,}  {module}")


if __name__ == "__main__":
    main()
