"""The composition root: it makes the application, the models, the engine thread and the window, and joins them.

``python -m wayfront_gui.window.app [FILE]`` opens the window as ``wayfront [FILE]`` does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QApplication

from wayfront.files import NO_SUCH_FILE
from wayfront.leftovers import remove_unfinished
from wayfront.network.naming import is_made
from wayfront.plain_text import printable
from wayfront.sources.store import split_name
from wayfront_gui import interrupts
from wayfront_gui.engine_thread.worker import Worker, join_left
from wayfront_gui.look import icons
from wayfront_gui.look.application_style import apply_theme, choose_theme
from wayfront_gui.model.session import Session
from wayfront_gui.window import crash_file, unexpected
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.interrupts import Leaving
from wayfront_gui.window.key_filter import FieldsKeepTheirKeys
from wayfront_gui.window.language import speak
from wayfront_gui.window.settings import Settings
from wayfront_gui.window.start_wishes import StartWishes
from wayfront_gui.window.window import Window

SWITCH_S = 0.001
"""How long a thread may run Python while another waits; 5 ms by default, of which a few make a frame late."""


def make_window(settings: Settings) -> Window:
    """Return a window over a new session and engine thread; closing it joins the thread."""
    theme = choose_theme(settings.theme)
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    apply_theme(application, theme, theme.text_factor(settings.text_scale))  # widgets take their sizes from it
    worker = Worker()
    try:
        return Window(Controller(Session(), worker), settings)
    except BaseException:
        worker.shut_down()  # a thread that runs must not be destroyed
        raise


def run(
    path: str | None = None,
    *,
    fresh: bool = False,
    text_scale: int | None = None,
    language: str = "",
    wishes: StartWishes | None = None,
) -> int:
    """Open the window on a file, or on what was open at last, and return the program's exit code.

    ``fresh`` opens the bundled network instead. ``text_scale`` is how large texts are from now on, in percent;
    ``language`` is what they are written in this time, instead of what the settings say. ``wishes`` are those for the
    first search and for how the window stands.

    A file that does not exist is refused before there is an application: one line on stderr, exit code 1. Ctrl-C and
    SIGTERM close the window at any moment; the exit code is then 130 or 143.
    """
    if path is not None and not _exists(path):
        sys.stderr.write(f"wayfront: {printable(path)}: {NO_SUCH_FILE}\n")
        return 1
    leaving, left = Leaving(_leave), crash_file.reports_left()
    with (
        crash_file.noted_run() as forget_run,
        interrupts.cancelling(leaving.asked),
        interrupts.cleaned_up_by(forget_run),
    ):
        code = _show(path, fresh, text_scale, language, left, wishes or StartWishes())
        stopped = interrupts.exit_code()
    code = code if stopped is None else stopped
    if not join_left(0.0):
        # Nothing stops a compiler or a driver; what is written is written whole, so the process may end under them.
        remove_unfinished()
        sys.stderr.flush()
        os._exit(code)
    return code


def _show(
    path: str | None, fresh: bool, text_scale: int | None, language: str, left: Sequence[str], wishes: StartWishes
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
    if wishes.theme is not None:
        settings.theme = wishes.theme
    keys = FieldsKeepTheirKeys(application)
    application.installEventFilter(keys)
    # A frame takes Python's lock some dozen times, and each time waits this long while the engine thread runs Python.
    sys.setswitchinterval(SWITCH_S)
    window = make_window(settings)
    application.installEventFilter(window.dropping)
    window.show()
    window.open_first(path, fresh=fresh, wishes=wishes)
    window.controller.find_abilities()  # after the map is there: compilers take a while to load
    if left:
        window.offer_report("\n".join(left))
    with unexpected.logged(window.reports.show_problem):
        return application.exec()


def _leave() -> None:
    """Close every window and leave every event loop, those of dialogs too."""
    QApplication.closeAllWindows()
    QApplication.exit(0)


def _exists(path: str) -> bool:
    """Whether there is such a file, or the name is one of a network that is made or downloaded."""
    return Path(path).exists() or is_made(path) or split_name(path) is not None


if __name__ == "__main__":
    sys.exit(run(sys.argv[1] if len(sys.argv) > 1 else None))
