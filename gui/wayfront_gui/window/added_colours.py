"""The colours of plug-ins in the menu View: there as soon as a plug-in declares them, and as long as it does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from wayfront_gui.look.colour_maps import DEFAULT, added_colours
from wayfront_gui.model.command import Command
from wayfront_gui.model.view_commands import colour_command, colour_commands
from wayfront_gui.window.actions import make_action

_BEHIND = "view.fit_colours"
"""The command before which they stand in the menu, behind the program's own colours."""


class AddedColours:
    """Keeps the window's ``commands`` and ``actions`` as plug-ins declare colours; ``choose`` takes their names."""

    def __init__(
        self, owner: QWidget, commands: list[Command], actions: dict[str, QAction], choose: Callable[[str], None]
    ) -> None:
        self._owner, self._commands, self._actions, self._choose = owner, commands, actions, choose
        self._shown: tuple[Command, ...] = ()

    def renew(self) -> None:
        """Show the colours that there are now."""
        for command in self._shown:
            self._commands.remove(command)
            gone = self._actions.pop(command.name)
            for holder in gone.associatedObjects():
                if isinstance(holder, QWidget):
                    holder.removeAction(gone)
            gone.deleteLater()
        self._shown = colour_commands({each.name: each.about for each in added_colours().values()})
        behind = self._actions[_BEHIND]
        at = next(index for index, command in enumerate(self._commands) if command.name == _BEHIND)
        self._commands[at:at] = self._shown
        for command in self._shown:
            action = self._actions[command.name] = make_action(self._owner, command)
            self._actions[colour_command(DEFAULT)].actionGroup().addAction(action)
            action.triggered.connect(lambda _checked, name=command.argument: self._choose(name))
            for menu in behind.associatedObjects():
                if isinstance(menu, QMenu):
                    menu.insertAction(behind, action)
