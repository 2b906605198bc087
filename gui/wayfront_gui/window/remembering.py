"""Shows the window as the settings say, keeps how it stood in them, and sets everything back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QSize
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMainWindow

from wayfront.timing.machine import usable_cores
from wayfront_gui.panels.replay import ReplayPanel
from wayfront_gui.scene.layers import LAYERS, Layers
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.docks import Docks
from wayfront_gui.window.middle import Middle
from wayfront_gui.window.settings import Settings

START_SIZE = QSize(1440, 900)
FRAME_HEIGHT = 36
"""What a system's frame takes of a screen's height, above a window that fills it."""
SAVED_GEOMETRY = b"\x01\xd9\xd0\xcb"
"""How what ``saveGeometry`` returns begins."""


class Remembering:
    """Joins the settings with the window; ``actions`` are those of the commands."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        controller: Controller,
        actions: Mapping[str, QAction],
        docks: Docks,
        middle: Middle,
        appearance: Appearance,
    ) -> None:
        self._window, self._settings, self._controller = window, settings, controller
        self._actions, self._docks, self._middle, self._appearance = actions, docks, middle, appearance
        self._first_layout = window.saveState()

    def restore(self) -> None:
        """Show the window as it stood when it was closed; as at a first start what is not kept or cannot be used."""
        settings, session = self._settings, self._controller.session
        self._fit_screen()
        self._appearance.restore()
        self._actions["view.matrix"].setChecked(settings.matrix)
        self._actions["file.reopen"].setChecked(settings.reopen)
        self._middle.want_matrix(settings.matrix)
        layers = Layers(**{name: getattr(settings, name) for name in LAYERS})
        for name in LAYERS:
            self._actions[f"view.{name}"].setChecked(getattr(layers, name))
        self._middle.panes.set_layers(layers)
        session.clock.set_speed(settings.speed)
        session.active.choose_threads(self._threads)
        self._controller.files.osm = settings.osm
        for stored, restore, what in (
            (settings.geometry, self._window.restoreGeometry, "the window's position"),
            (settings.layout, self._window.restoreState, "the layout of its panels"),
        ):
            # Qt also refuses the position of a window that was on a screen of quite another size: that is no damage.
            if stored.size() and not restore(stored) and not stored.startsWith(SAVED_GEOMETRY):
                settings.refuse(what)
        self._docks.take_layout(slim=settings.slim)
        self._actions["replay.timeline"].setChecked(settings.timeline)
        self._docks.panel(ReplayPanel).show_timeline(settings.timeline)

    def keep(self) -> None:
        """Keep how the window stands, which hides it: what is closed is gone at once, whatever still has to end."""
        settings, session = self._settings, self._controller.session
        settings.geometry = self._window.saveGeometry()
        self._window.hide()
        settings.slim = self._docks.show_wanted()
        settings.layout = self._window.saveState()
        settings.timeline = self._actions["replay.timeline"].isChecked()
        settings.speed = session.clock.speed
        saved, seen = self._controller.files.saved(), self._middle.view.seen
        if saved is not None and settings.reopen:
            view = None if seen is None else (seen.left, seen.bottom, seen.right, seen.top)
            settings.saved = replace(saved, view=view)
        settings.matrix = self._actions["view.matrix"].isChecked()
        for name in LAYERS:
            setattr(settings, name, self._actions[f"view.{name}"].isChecked())
        if session.active.threads != self._threads:
            settings.threads = session.active.threads
        settings.save()

    def reset(self) -> None:
        """Set everything back to what it is at a first start."""
        self._settings.forget_all()
        self._window.restoreState(self._first_layout)
        self.restore()

    @property
    def _threads(self) -> int:
        return min(self._settings.threads, usable_cores())

    def _fit_screen(self) -> None:
        """Take the first size and place: in the middle of the screen, and never larger than that."""
        window = self._window
        free = window.screen().availableGeometry().adjusted(0, FRAME_HEIGHT, 0, 0)
        window.resize(START_SIZE.boundedTo(free.size()))
        window.move(free.center() - window.rect().center())
