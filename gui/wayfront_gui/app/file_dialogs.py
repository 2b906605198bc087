"""The dialogs that ask for files: each begins in the folder where one was last, of whatever kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import QFileDialog, QWidget

from wayfront_gui.app.settings import LONGEST_PATH, Settings
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront_gui.app.feature import Host


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


def save_as(host: Host, title: str, name: str, kinds: Mapping[str, str], write: Callable[[Path], None]) -> None:
    """Ask where to save what is shown, and let ``write`` write it there, in a thread.

    ``kinds`` has the suffixes of files by the names of their kinds, as marked for translation; the first is usual.
    """
    suffixes = {translated(text): suffix for text, suffix in kinds.items()}
    usual = next(iter(suffixes.values()))
    path, kind = host.dialogs.save(title, f"{name}{usual}", ";;".join(suffixes))
    if path:
        host.controller.files.save(with_suffix(path, suffixes.get(kind, usual)), write)


def with_suffix(path: str, suffix: str) -> Path:
    """Return where a file is written that was named without its suffix."""
    return Path(path) if Path(path).suffix else Path(path + suffix)
