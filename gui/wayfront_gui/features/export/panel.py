"""The panel of what is shown to others: how the map looks, and what can be saved of it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront.safe.options import AUTO
from wayfront_gui.app.appearance import Appearance, theme_command
from wayfront_gui.app.feature import Host
from wayfront_gui.ui.colour_names import COLOURS
from wayfront_gui.ui.controls import GAP, MARGIN, ChoiceBox, captioned, command_button, in_column, in_row, label, switch
from wayfront_gui.ui.theme import THEMES
from wayfront_gui.ui.translation import translated

LAYERS = ("view.names", "view.areas", "view.tiles", "view.fit_colours")


class ShowPanel(QWidget):
    """Saves the map as picture, poster, film or page, presents it, and changes how it looks."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        appearance, actions = host.appearance, host.actions
        self._appearance: Appearance = appearance
        themes = ((actions[theme_command(name)].iconText(), name) for name in (AUTO, *THEMES))
        self.theme = ChoiceBox(translated("Colours of window and map"), appearance.choose_theme, themes)
        self.theme.setAccessibleName(translated("Theme"))
        self.colours = ChoiceBox(
            translated("Colours of distance"), appearance.choose_colour_map, ((name, name) for name in COLOURS)
        )
        self.colours.setAccessibleName(translated("Colours of distance"))
        save = in_column(
            in_row(
                (command_button(actions["file.picture"], translated("Picture…")), 1),
                (command_button(actions["file.poster"], translated("Poster…")), 1),
            ),
            in_row(
                (command_button(actions["file.film"], translated("Film…")), 1),
                (command_button(actions["file.page"], translated("Page…")), 1),
            ),
        )
        parts = (
            label(translated("Save the map"), "caption"),
            save,
            command_button(actions["view.present"], translated("Present")),
            GAP,
            label(translated("How it looks"), "caption"),
            captioned(translated("Theme"), self.theme),
            captioned(translated("Colours"), self.colours),
        )
        switches = in_column(*(switch(actions[name]) for name in LAYERS))
        self.setLayout(in_column(*parts, switches, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        appearance.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.theme.choose_data(self._appearance.choice)
        self.colours.choose_data(self._appearance.colour_map)
