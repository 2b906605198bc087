"""The commands of the View menu."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow

from wayfront_gui.map.view import MapView
from wayfront_gui.model.pairs import Measure
from wayfront_gui.model.text_sizes import USUAL, next_stop
from wayfront_gui.translation import translated
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.docks import Docks
from wayfront_gui.window.middle import Middle
from wayfront_gui.window.presentation import Presentation

PAN_SHARE = 0.15
"""How far one press of an arrow moves the map, as a share of its smaller side."""


class ViewCommands:
    """Changes what is seen: tree or search, where the map is seen from, colours, docks."""

    def __init__(
        self,
        window: QMainWindow,
        controller: Controller,
        view: MapView,
        appearance: Appearance,
        docks: Docks,
        middle: Middle,
        presentation: Presentation,
    ) -> None:
        self._window = window
        self._controller = controller
        self._view = view
        self._appearance = appearance
        self._docks = docks
        self._middle = middle
        self._presentation = presentation

    def show_tree(self, shown: bool) -> None:
        """Show the finished tree, or the current step of the replay."""
        self._controller.show_tree(shown)

    def fit(self) -> None:
        """Show the whole network."""
        self._view.fit()

    def zoom(self, factor: str) -> None:
        """Zoom about the middle of the map."""
        self._view.zoom(float(factor))

    def pan(self, direction: str) -> None:
        """Move the map a little."""
        by = round(PAN_SHARE * min(self._view.width(), self._view.height()))
        dx, dy = {"left": (by, 0), "right": (-by, 0), "up": (0, by), "down": (0, -by)}[direction]
        self._view.pan(dx, dy)

    def swap_theme(self) -> None:
        """Change between dark and light."""
        self._appearance.choose_theme("light" if self._appearance.theme.name == "dark" else "dark")

    def choose_theme(self, choice: str) -> None:
        """Choose dark, light, or what the system has."""
        self._appearance.choose_theme(choice)

    def change_text(self, by: str) -> None:
        """Have larger texts (1), smaller ones (-1), or those of the system (0)."""
        before = round(100 * self._appearance.text_factor)
        self._appearance.choose_text_scale(next_stop(before, int(by)) if int(by) else USUAL)
        after = round(100 * self._appearance.text_factor)
        news = self._controller.news.emit
        if after == before and self._appearance.theme.least_text > 1:
            news(translated("Text at {percent} %: the projector's theme has no smaller one.", percent=after))
        else:
            news(translated("Text at {percent} %.", percent=after))

    def choose_colour_map(self, name: str) -> None:
        """Choose the colours of distance."""
        self._appearance.choose_colour_map(name)

    def fit_colours(self, fitted: bool) -> None:
        """Give what is seen of the map all colours of distance, or the whole map."""
        self._appearance.fit_colours(fitted)

    def choose_measure(self, name: str) -> None:
        """Choose by what the sources of all pairs are coloured."""
        self._controller.session.active.choose_measure(Measure(name))

    def show_matrix(self, shown: bool) -> None:
        """Show the distance matrix of a small network, or give the map its room."""
        self._middle.want_matrix(shown)

    def show_layer(self, name: str, shown: bool) -> None:
        """Show names, or water and parks, on every map, or not."""
        panes = self._middle.panes
        panes.set_layers(replace(panes.main.map_scene.layers, **{name: shown}))

    def show_dock(self, name: str, shown: bool) -> None:
        """Show a dock, or hide it and give the map its room."""
        self._docks.show(name, shown)

    def hide_panels(self, hidden: bool) -> None:
        """Show the map alone, or with its docks."""
        self._docks.hide_all(hidden)

    def present(self, wanted: bool) -> None:
        """Show the map on the whole screen with large captions, or go back."""
        self._presentation.present(wanted)

    def full_screen(self, full: bool) -> None:
        """Fill the screen, or go back to a window."""
        state = self._window.windowState()
        full_screen = Qt.WindowState.WindowFullScreen
        self._window.setWindowState(state | full_screen if full else state & ~full_screen)
