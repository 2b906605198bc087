"""The composition root: it makes the application, the models, the engine thread and the window, and joins them.

``python -m wayfront_gui.app.start [FILE]`` opens the window as ``wayfront [FILE]`` does.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QWidget,
)

import wayfront_gui.quick_imports  # noqa: F401 - for all that follow
from wayfront.network.conventions import is_made
from wayfront.safe.files import NO_SUCH_FILE
from wayfront.safe.folders import remove_unfinished
from wayfront.safe.text import printable
from wayfront.sources.store import split_name
from wayfront_gui import interrupts
from wayfront_gui.app import faults
from wayfront_gui.app.awaiting import awaited
from wayfront_gui.app.compiling import Compiling
from wayfront_gui.app.controller import Controller
from wayfront_gui.app.engine_thread import Worker, join_left
from wayfront_gui.app.first_search import StartOptions
from wayfront_gui.app.languages import speak
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.window import Window
from wayfront_gui.map.frame import warm_up_map
from wayfront_gui.session.session import Session
from wayfront_gui.ui import icons
from wayfront_gui.ui.controls import name_controls
from wayfront_gui.ui.style import apply_theme, choose_theme

SWITCH_S = 0.0002
"""How long a thread may run Python while another waits; 5 ms by default, of which a few make a frame late.

A tree that follows the mouse waits for Python's lock after each of its kernels: each wait took 0.15 ms with 1 ms here.
"""

NO_MAP_MS = 2000
"""How long what the first picture does not need waits for that."""


def make_window(settings: Settings) -> Window:
    """Return a window over a new session and engine thread; closing it joins the thread."""
    name_controls()
    theme = choose_theme(settings.theme)
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    apply_theme(application, theme, theme.text_factor(settings.text_scale))  # widgets take their sizes from it
    worker = Worker()
    ending: Worker | Controller = worker
    try:
        ending = controller = Controller(Session(), worker)
        return Window(controller, settings)
    except BaseException:
        ending.shut_down()
        join_left()  # a thread that runs must not be destroyed
        raise


def run(
    path: str | None = None,
    *,
    fresh: bool = False,
    text_scale: int | None = None,
    language: str = "",
    asked: StartOptions | None = None,
) -> int:
    """Open the window on a file, or on what was open at last, and return the program's exit code.

    ``fresh`` opens the bundled network instead. ``text_scale`` is how large texts are from now on, in percent;
    ``language`` is what they are written in this time, instead of what the settings say. ``asked`` are those for the
    first search and for how the window stands.

    A file that does not exist is refused before there is an application: one line on stderr, exit code 1. Ctrl-C and
    SIGTERM close the window at any moment; the exit code is then 130 or 143.
    """
    if path is not None and not _exists(path):
        sys.stderr.write(f"wayfront: {printable(path)}: {NO_SUCH_FILE}\n")
        return 1
    leaving, left = Leaving(_leave), faults.reports_left()
    with (
        faults.noted_run() as forget_run,
        interrupts.cancelling(leaving.asked),
        interrupts.cleaned_up_by(forget_run),
    ):
        code = _show(path, fresh, text_scale, language, left, asked or StartOptions())
        stopped = interrupts.exit_code()
    code = code if stopped is None else stopped
    if not join_left(0.0):
        # Nothing stops a compiler or a driver; what is written is written whole, so the process may end under them.
        remove_unfinished()
        sys.stderr.flush()
        os._exit(code)
    return code


def _show(
    path: str | None, fresh: bool, text_scale: int | None, language: str, left: Sequence[str], asked: StartOptions
) -> int:
    """Make the application and the window, and run them until they end; offer what was ``left`` by earlier runs."""
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("wayfront")
    application.setOrganizationName("wayfront")
    application.setDesktopFileName("wayfront")
    application.setWindowIcon(icons.program_icon())
    settings = Settings()
    speak(application, language or settings.language)
    if text_scale is not None:
        settings.text_scale = text_scale
    if asked.theme is not None:
        settings.theme = asked.theme
    # A frame takes Python's lock some dozen times, and each time waits this long while the engine thread runs Python.
    sys.setswitchinterval(SWITCH_S)
    window = make_window(settings)
    compiling = Compiling(partial(warm_up_map, bent=False), window)
    compiling.progressed.connect(partial(window.status.show_quiet, stops=False))
    further = functools.cache(lambda: _go_on(window, compiling))
    try:
        awaited.picture.clear()
        compiling.begin()
        if sys.platform == "darwin":  # no other system asks a program that runs to open a file
            application.installEventFilter(window.dropping)
        window.show()
        window.open_first(path, fresh=fresh, asked=asked)
        window.map.map_item.shown.connect(further, Qt.ConnectionType.QueuedConnection)
        QTimer.singleShot(NO_MAP_MS, window, further)
        if left:
            window.offer_report("\n".join(left))
        with faults.logged(window.reports.show_problem):
            return application.exec()
    except BaseException:
        window.controller.shut_down()
        join_left()  # as in ``make_window``
        raise
    finally:
        awaited.picture.set()
        compiling.stop()


def _go_on(window: Window, compiling: Compiling) -> None:
    """Do what the first picture did without: a filter sees thousands of events, compilers take a while to load."""
    application = QApplication.instance()
    assert application is not None
    application.installEventFilter(FieldsKeepTheirKeys(window))
    awaited.picture.set()
    compiling.load_map()
    window.controller.find_abilities()


def _leave() -> None:
    """Close every window and leave every event loop, those of dialogs too."""
    QApplication.closeAllWindows()
    QApplication.exit(0)


def _exists(path: str) -> bool:
    """Whether there is such a file, or the name is one of a network that is made or downloaded."""
    return os.path.exists(path) or is_made(path) or split_name(path) is not None  # noqa: PTH110 - any name


if __name__ == "__main__":
    sys.exit(run(sys.argv[1] if len(sys.argv) > 1 else None))


class Leaving(QObject):
    """Calls ``leave`` in the window's thread once ``asked`` is set, from whichever thread, also before events run."""

    _came = Signal()

    def __init__(self, leave: Callable[[], None]) -> None:
        super().__init__()
        self._leave = leave
        self._came.connect(self._on_came, Qt.ConnectionType.QueuedConnection)
        self.asked: threading.Event = _Asked(self._came.emit)

    def _on_came(self) -> None:
        self._leave()


class _Asked(threading.Event):
    """An event that tells when it is set."""

    def __init__(self, tell: Callable[[], None]) -> None:
        super().__init__()
        self._tell = tell

    def set(self) -> None:
        super().set()
        self._tell()


_CHOSEN = (QAbstractButton, QComboBox)


class FieldsKeepTheirKeys(QObject):
    """An event filter: keys that a focused field or button understands are not taken for shortcuts.

    Space presses a button that has the focus, arrows change a spin box; everywhere else they play and step. A list that
    has the focus by a click keeps none of them: its row was chosen, and End is to show the end of the replay. Whoever
    came to a button or a choice by Tab and then clicks another one has left the first: its keys are the window's again.
    """

    _KEPT: tuple[tuple[type[QWidget], frozenset[Qt.Key]], ...] = (
        (QAbstractButton, frozenset({Qt.Key.Key_Space})),
        (QComboBox, frozenset({Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractSpinBox, frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractItemView, frozenset({Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})),
    )

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clicked: QObject | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Accept the question whether a key is to stay with the field."""
        # Every event of the program comes here, and asking one for its type takes longer than looking at its class.
        if isinstance(event, QFocusEvent):
            if event.gotFocus() and isinstance(watched, QWidget):
                self._clicked = watched if event.reason() == Qt.FocusReason.MouseFocusReason else None
        elif isinstance(event, QMouseEvent):
            if event.type() == QEvent.Type.MouseButtonPress and isinstance(watched, _CHOSEN):
                _leave_for(watched)
        elif isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            for kind, keys in self._KEPT:
                kept = isinstance(watched, kind) and event.key() in keys and not event.modifiers()
                if kept and not (kind is QAbstractItemView and watched is self._clicked):
                    event.accept()
                    return True
        return False


def _leave_for(clicked: QWidget) -> None:
    """Give the focus of a button or a choice to the window, where another one is clicked."""
    focused = QApplication.focusWidget()
    if isinstance(focused, _CHOSEN) and focused is not clicked and focused.window().focusProxy() is not None:
        focused.window().setFocus()
