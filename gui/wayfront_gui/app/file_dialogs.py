"""The dialogs that ask for files: each begins in the folder where one was last, of whatever kind."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from wayfront_gui.app.settings import LONGEST_PATH, Settings
from wayfront_gui.resources import BUNDLED, asset


class FileDialogs:
    """Asks for a file to open or to save, and remembers its folder."""

    def __init__(self, window: QWidget, settings: Settings) -> None:
        self._window = window
        self._settings = settings

    def open(self, title: str, filters: str) -> str:
        """Return the file that a person chose, an empty string for none."""
        path, _ = QFileDialog.getOpenFileName(self._window, title, self._start_at(), filters)
        return self._remembered(path)

    def save(self, title: str, name: str, filters: str) -> tuple[str, str]:
        """Return where to save, an empty string for nowhere, and which of the filters was chosen."""
        path, kind = QFileDialog.getSaveFileName(self._window, title, self._start_at(name), filters)
        return self._remembered(path), kind

    def _remembered(self, path: str) -> str:
        folder = str(Path(path).parent)
        if path and len(folder) <= LONGEST_PATH:
            self._settings.folder = folder
        return path

    def _start_at(self, name: str = "") -> str:
        """Return where a dialog starts: where one was last, beside the file opened last, or among the documents.

        Nobody keeps files beside those that come with the program.
        """
        own = asset(BUNDLED).parent
        beside = (str(Path(path).parent) for path in self._settings.recent if Path(path).parent != own)
        folder = next((f for f in (self._settings.folder, *beside) if f and os.path.isdir(f)), "")  # noqa: PTH112
        if not folder:
            folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        return str(Path(folder) / name)


def with_suffix(path: str, suffix: str) -> Path:
    """Return where a file is written that was named without its suffix."""
    return Path(path) if Path(path).suffix else Path(path + suffix)
