"""Presents: the map fills the screen, with large captions below it, and everything else is out of sight."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.model.session import Session
from wayfront_gui.panels.presentation import PresentationCaption
from wayfront_gui.window.docks import Docks
from wayfront_gui.window.middle import Middle


class Presentation:
    """Goes into a presentation and back; every shortcut works in it as before."""

    def __init__(
        self, window: QMainWindow, session: Session, play: LessonPlay, docks: Docks, middle: Middle, action: QAction
    ) -> None:
        self._window, self._docks, self._middle, self._action = window, docks, middle, action
        self._before = Qt.WindowState.WindowNoState
        self.on = False
        self.caption = PresentationCaption(session, play)
        middle.add_below(self.caption)

    def present(self, wanted: bool) -> None:
        """Fill the screen with the map, or go back to the window as it was."""
        if wanted == self.on:
            return
        self.on = wanted
        self._action.setChecked(wanted)
        window, full = self._window, Qt.WindowState.WindowFullScreen
        if wanted:
            self._before = window.windowState()
        window.menuBar().setVisible(not wanted)
        window.statusBar().setVisible(not wanted)
        self._docks.clear_away(wanted)
        self.caption.setVisible(wanted)
        self.caption.show_now()
        window.setWindowState(self._before | full if wanted else self._before)
        self._middle.view.setFocus()

    def leave(self) -> bool:
        """Go back to the window; return whether it was a presentation."""
        was_on = self.on
        self.present(False)
        return was_on
