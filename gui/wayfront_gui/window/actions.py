"""Makes a QAction for each command of the table, and joins it to the method that the command names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QWidget

from wayfront_gui.model.command import Command
from wayfront_gui.translation import translated
from wayfront_gui.widgets.shortcuts import tooltip


def make_actions(owner: QWidget, commands: Sequence[Command]) -> dict[str, QAction]:
    """Return an action per command, in the table's order, whose shortcuts work anywhere in ``owner``."""
    actions: dict[str, QAction] = {}
    groups: dict[str, QActionGroup] = {}
    for command in commands:
        action = make_action(owner, command)
        if command.group:
            group = groups.setdefault(command.group, QActionGroup(owner))
            group.addAction(action)
        actions[command.name] = action
    actions["file.quit"].setMenuRole(QAction.MenuRole.QuitRole)
    actions["help.about"].setMenuRole(QAction.MenuRole.AboutRole)
    return actions


def make_action(owner: QWidget, command: Command) -> QAction:
    """Return the action of a command, whose shortcuts work anywhere in ``owner``."""
    action = QAction(translated(command.text), owner)
    action.setIconText(command.plain_text)  # what a button shows
    action.setShortcuts([QKeySequence(key) for key in command.keys])
    action.setCheckable(command.checkable or bool(command.group))
    action.setToolTip(tooltip(command))
    action.setStatusTip("")
    action.setIconVisibleInMenu(False)
    action.setMenuRole(QAction.MenuRole.NoRole)
    owner.addAction(action)
    return action


def connect_actions(actions: Mapping[str, QAction], commands: Sequence[Command], menus: Mapping[str, object]) -> None:
    """Let each action call its command's method of ``menus[command.menu]``."""
    for command in commands:
        actions[command.name].triggered.connect(_call(getattr(menus[command.menu], command.does), command))


def _call(method: Callable[..., None], command: Command) -> Callable[[bool], None]:
    def call(checked: bool) -> None:
        arguments: list[str | bool] = []
        if command.argument:
            arguments.append(command.argument)
        if command.checkable:
            arguments.append(checked)
        method(*arguments)

    return call
