"""The composition root: it makes the application, the models, the engine thread and the window, and joins them.

``python -m wayfront_gui.window.app [FILE]`` opens the window as ``wayfront [FILE]`` does.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from wayfront.network.naming import SYNTHETIC
from wayfront.sources.store import split_name
from wayfront_gui.engine_thread.worker import Worker
from wayfront_gui.look import icons
from wayfront_gui.look.application_style import apply_theme, choose_theme
from wayfront_gui.model.session import Session
from wayfront_gui.resources import asset
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.key_filter import FieldsKeepTheirKeys
from wayfront_gui.window.settings import Settings
from wayfront_gui.window.window import Window

BUNDLED = "city.wayfront"
SIGNAL_CHECK_MS = 200


def make_window(settings: Settings) -> Window:
    """Return a window over a new session and engine thread; closing it joins the thread."""
    return Window(Controller(Session(), Worker()), settings)


def run(path: str | None = None) -> int:
    """Open the window on a file, or on the bundled network, and return the program's exit code.

    A file that does not exist is refused before there is an application: one line on stderr, exit code 1.
    """
    if path is not None and not _exists(path):
        sys.stderr.write(f"wayfront: {path}: {os.strerror(errno.ENOENT)}\n")
        return 1
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("wayfront")
    application.setOrganizationName("wayfront")
    application.setDesktopFileName("wayfront")
    application.setWindowIcon(icons.program_icon())
    settings = Settings()
    apply_theme(application, choose_theme(settings.theme))
    keys = FieldsKeepTheirKeys(application)
    application.installEventFilter(keys)
    window = make_window(settings)
    window.show()
    window.controller.open(str(asset(BUNDLED)) if path is None else path)
    window.controller.find_abilities()  # after the map is there: compilers take a while to load
    signal.signal(signal.SIGINT, lambda *_: window.close())
    # Python handles a signal only when it runs: let it, now and then, while Qt waits for events.
    alive = QTimer(application)
    alive.timeout.connect(lambda: None)
    alive.start(SIGNAL_CHECK_MS)
    return application.exec()


def _exists(path: str) -> bool:
    """Whether there is such a file, or the name is one of a network that is made or downloaded."""
    return Path(path).exists() or path.startswith(SYNTHETIC) or split_name(path) is not None


if __name__ == "__main__":
    sys.exit(run(sys.argv[1] if len(sys.argv) > 1 else None))
