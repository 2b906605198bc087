"""The window's look: its theme, how large its texts are, and the colours of distance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from PySide6.QtWidgets import QApplication

from wayfront_gui.app.commands import Command, command, offered
from wayfront_gui.app.feature import Host
from wayfront_gui.session.state import Notice
from wayfront_gui.ui.colour_names import COLOURS
from wayfront_gui.ui.style import apply_theme, choose_theme
from wayfront_gui.ui.theme import DARK, USUAL, next_stop
from wayfront_gui.ui.translation import translated


def colour_command(name: str) -> str:
    """Return the name of the command that chooses colours; those of plug-ins cannot have the name of another one."""
    return f"view.{name}" if name in COLOURS else f"view.colours_{name}"


def theme_command(name: str) -> str:
    """Return the name of the command that chooses a theme."""
    return f"view.theme_{name}"


def colour_commands(colours: Mapping[str, str], first: int = 0) -> tuple[Command, ...]:
    """Return a command for each of these colours, names with what they look like, in rows from ``first``."""
    return tuple(
        Command(
            colour_command(name),
            f"Distances in {name}",
            hint=hint,
            at=(1, first + index),
            under="view/colours",
            argument=name,
            group="colour map",
        )
        for index, (name, hint) in enumerate(colours.items())
    )


class Appearance:
    """Colours everything alike, has all texts in one scale, and remembers what was chosen.

    A widget that paints in the colours of a theme has ``set_theme(theme)``, one that paints distances has
    ``set_colour_map(name)`` and ``set_colours_fitted(fitted)``, one whose maps have texts ``set_text_scale(scale)``.
    """

    def __init__(self, host: Host) -> None:
        self._settings, self._actions = host.settings, host.actions
        self._say = host.controller.news.emit
        self._painted: list[object] = []
        self._said: dict[str, object] = {}
        self.theme = DARK
        self.choice = host.settings.theme
        """The theme that was chosen, which may be that of the system."""
        self.colour_map = host.settings.colour_map
        """The colours of distance that were chosen."""
        self.changed = Notice()
        """Another theme or other colours of distance were chosen."""
        QApplication.styleHints().colorSchemeChanged.connect(self._on_system_colours)

    def colour(self, *widgets: object) -> None:
        """Let widgets follow what is chosen, from what it is now on."""
        self._painted += widgets
        for method, value in self._said.items():
            _tell(widgets, method, value)

    def forget(self, widget: object) -> None:
        """Let a widget that is about to go follow no longer."""
        self._painted = [each for each in self._painted if each is not widget]

    def _call(self, method: str, value: object) -> None:
        """Call a method of all widgets that have it."""
        self._said[method] = value
        _tell(self._painted, method, value)

    def restore(self) -> None:
        """Show the colours that were chosen last."""
        self.choose_theme(self._settings.theme)
        self.choose_colour_map(self._settings.colour_map)

    @command("view.theme_auto", "Colours of the system", at=(2, 2), under="view/theme", argument="auto", group="theme")
    @command("view.theme_dark", "Dark colours", at=(2, 3), under="view/theme", argument="dark", group="theme")
    @command("view.theme_light", "Light colours", at=(2, 4), under="view/theme", argument="light", group="theme")
    @command(
        "view.theme_paper", "White paper, for print", at=(2, 5), under="view/theme", argument="paper", group="theme"
    )
    @command(
        "view.theme_projector",
        "Projector",
        hint="Black on white with thick lines and large texts, for a wall in a lit room",
        at=(2, 6),
        under="view/theme",
        argument="projector",
        group="theme",
    )
    def choose_theme(self, choice: str) -> None:
        """Show the window in ``dark`` or ``light`` colours, or as the system has it (``auto``)."""
        self._settings.theme = self.choice = choice
        self._actions[theme_command(choice)].setChecked(True)
        self.theme = choose_theme(choice)
        self._apply()
        self._call("set_theme", self.theme)
        self.changed()

    @command(
        "view.swap_theme",
        "Dark or light",
        keys=("D",),
        hint="Change between dark and light",
        at=(1, 1),
        under="view/theme",
    )
    def swap_theme(self) -> None:
        """Change between dark and light."""
        self.choose_theme("light" if self.theme.name == "dark" else "dark")

    @property
    def text_factor(self) -> float:
        """How many times their usual size texts have."""
        return self.theme.text_factor(self._settings.text_scale)

    def choose_text_scale(self, percent: int) -> None:
        """Have texts of this size everywhere, or of the theme's least where that is larger."""
        self._settings.text_scale = percent
        self._apply()

    @command(
        "view.larger_text",
        "Larger text",
        keys=("Ctrl++", "Ctrl+="),
        hint="Larger texts everywhere: menus, panels, dialogs and the map, up to 250 %",
        at=(1, 1),
        under="view/text",
        argument="1",
    )
    @command(
        "view.smaller_text",
        "Smaller text",
        keys=("Ctrl+-",),
        hint="Smaller texts everywhere, down to 80 %",
        at=(1, 2),
        under="view/text",
        argument="-1",
    )
    @command(
        "view.usual_text",
        "Text at 100 %",
        keys=("Ctrl+Shift+0",),
        hint="As the system has it",
        at=(1, 3),
        under="view/text",
        argument="0",
    )
    def change_text(self, by: str) -> None:
        """Have larger texts (1), smaller ones (-1), or those of the system (0)."""
        before = round(100 * self.text_factor)
        self.choose_text_scale(next_stop(before, int(by)) if int(by) else USUAL)
        after = round(100 * self.text_factor)
        if after == before and self.theme.least_text > 1:
            self._say(translated("Text at {percent} %: the projector's theme has no smaller one.", percent=after))
        else:
            self._say(translated("Text at {percent} %.", percent=after))

    def _apply(self) -> None:
        """Give the application its colours and texts their size."""
        scale = self.text_factor
        apply_theme(QApplication.instance(), self.theme, scale)  # type: ignore[arg-type]
        self._call("set_text_scale", scale)

    @offered(*colour_commands(COLOURS))
    def choose_colour_map(self, name: str) -> None:
        """Draw distances in the colours of that name."""
        self._settings.colour_map = self.colour_map = name
        action = self._actions.get(colour_command(name))  # those of plug-ins have one once there is a menu
        if action is not None:
            action.setChecked(True)
        self._call("set_colour_map", name)
        self.changed()

    @command(
        "view.fit_colours",
        "Fit colours to the &view",
        hint="From the nearest to the farthest node that is seen, so that a part of the map has all colours",
        at=(2, 1),
        under="view/colours",
        kept=("fit_colours", False),
    )
    def fit_colours(self, fitted: bool) -> None:
        """Give what is seen of the map all colours of distance, or the whole map."""
        self._call("set_colours_fitted", fitted)

    def _on_system_colours(self) -> None:
        if self.choice == "auto":
            self.choose_theme("auto")


def _tell(widgets: Iterable[object], method: str, value: object) -> None:
    for widget in widgets:
        if (call := getattr(widget, method, None)) is not None:
            call(value)
