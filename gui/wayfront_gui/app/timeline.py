"""The plots of all steps of a replay, with buttons to zoom; the plots are made when they are first shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from wayfront_gui.ui.controls import SPRING, in_column, in_row, tool_button
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import keep_scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront_gui.app.plots import Plots

HEIGHT = 184
KEY_ZOOM = 2.0


class Timeline(QWidget):
    """The plots with buttons to zoom."""

    sought = Signal(float)
    """The step at the pointer, with its fraction."""

    def __init__(self) -> None:
        super().__init__()
        self._made: Plots | None = None
        self._theme = DARK
        self.zoom_in = tool_button(
            14,
            translated("Zoom into the steps"),
            translated("Show fewer steps, round the one that is shown"),
            lambda: self.plots.zoom(KEY_ZOOM),
        )
        self.zoom_out = tool_button(
            14,
            translated("Zoom out of the steps"),
            translated("Show more steps"),
            lambda: self.plots.zoom(1 / KEY_ZOOM),
        )
        self.all = tool_button(14, translated("All steps"), translated("Show all steps"), self._show_all)
        buttons = in_column(self.zoom_in, self.zoom_out, self.all, SPRING, spacing=2)
        self._row = in_row(buttons)
        self.setLayout(self._row)
        keep_scaled(self.setFixedHeight, HEIGHT)

    @property
    def plots(self) -> Plots:
        """The plots, which are made at the first call."""
        if self._made is None:
            from wayfront_gui.app.plots import Plots

            self._made = plots = Plots()
            plots.setAccessibleName(translated("Frontier, relaxations and time of each step"))
            plots.sought.connect(self.sought)
            plots.set_theme(self._theme)
            self._row.insertWidget(0, plots, 1)
        return self._made

    def _show_all(self) -> None:
        self.plots.show_all()

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        if self._made is not None:
            self._made.set_theme(theme)
        for name, button in (("plus", self.zoom_in), ("minus", self.zoom_out), ("fit", self.all)):
            button.setIcon(icon(name, theme, "muted"))
