"""The window's look: its theme, how large its texts are, and the colours of distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from wayfront_gui.look.application_style import apply_theme, choose_theme
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.map.view import MapView
from wayfront_gui.model.notice import Notice
from wayfront_gui.model.view_commands import colour_command
from wayfront_gui.window.settings import Settings


@runtime_checkable
class Themed(Protocol):
    """A widget that paints in the colours of a theme."""

    def set_theme(self, theme: Theme) -> None:
        """Paint in these colours from now on."""


@runtime_checkable
class Coloured(Protocol):
    """A widget that paints distances."""

    def set_colour_map(self, name: str) -> None:
        """Paint distances in the colours of that name from now on."""


@runtime_checkable
class Fitting(Protocol):
    """A widget that can give all colours of distance to the part of a map that is seen."""

    def set_colours_fitted(self, fitted: bool) -> None:
        """Do so from now on, or give them to the whole map."""


@runtime_checkable
class TextScaled(Protocol):
    """A widget whose maps have texts."""

    def set_text_scale(self, scale: float) -> None:
        """Have texts ``scale`` times their usual size from now on."""


class Appearance:
    """Colours everything alike, has all texts in one scale, and remembers what was chosen."""

    def __init__(
        self,
        settings: Settings,
        actions: Mapping[str, QAction],
        view: MapView,
        widgets: Iterable[object],
    ) -> None:
        self._settings = settings
        self._actions = actions
        self._view = view
        self._themed = [widget for widget in widgets if isinstance(widget, Themed)]
        self.theme = DARK
        self.changed = Notice()
        """Another theme or other colours of distance were chosen."""
        QApplication.styleHints().colorSchemeChanged.connect(self._on_system_colours)

    def restore(self) -> None:
        """Show the colours that were chosen last."""
        self.choose_theme(self._settings.theme)
        self.choose_colour_map(self._settings.colour_map)
        self.fit_colours(self._settings.fit_colours)
        self.choose_language(self._settings.language)

    def choose_theme(self, choice: str) -> None:
        """Show the window in ``dark`` or ``light`` colours, or as the system has it (``auto``)."""
        self._settings.theme = choice
        self._actions[f"view.theme_{choice}"].setChecked(True)
        self.theme = choose_theme(choice)
        self._apply()
        for widget in self._themed:
            widget.set_theme(self.theme)
        self._view.set_theme(self.theme.name)
        self.changed()

    @property
    def text_factor(self) -> float:
        """How many times their usual size texts have."""
        return self.theme.text_factor(self._settings.text_scale)

    def choose_text_scale(self, percent: int) -> None:
        """Have texts of this size everywhere, or of the theme's least where that is larger."""
        self._settings.text_scale = percent
        self._apply()

    def _apply(self) -> None:
        """Give the application its colours and texts their size."""
        scale = self.text_factor
        apply_theme(QApplication.instance(), self.theme, scale)  # type: ignore[arg-type]
        for widget in (self._view, *self._themed):
            if isinstance(widget, TextScaled):
                widget.set_text_scale(scale)

    def choose_language(self, choice: str) -> None:
        """Have all texts in another language, or in that of the system, from the next start on."""
        self._settings.language = choice
        self._actions[f"help.language_{choice}"].setChecked(True)

    @property
    def choice(self) -> str:
        """The theme that was chosen, which may be that of the system."""
        return self._settings.theme

    @property
    def colour_map(self) -> str:
        """The colours of distance that were chosen."""
        return self._settings.colour_map

    def choose_colour_map(self, name: str) -> None:
        """Draw distances in the colours of that name."""
        self._settings.colour_map = name
        action = self._actions.get(colour_command(name))  # those of plug-ins have one once there is a menu
        if action is not None:
            action.setChecked(True)
        self._view.set_colour_map(name)
        for widget in self._themed:
            if isinstance(widget, Coloured):
                widget.set_colour_map(name)
        self.changed()

    def fit_colours(self, fitted: bool) -> None:
        """Give what is seen of the map all colours of distance, or the whole map."""
        self._settings.fit_colours = fitted
        self._actions["view.fit_colours"].setChecked(fitted)
        for widget in (self._view, *self._themed):
            if isinstance(widget, Fitting):
                widget.set_colours_fitted(fitted)

    def _on_system_colours(self) -> None:
        if self._settings.theme == "auto":
            self.choose_theme("auto")
