"""Makes a QAction for each command of the table, and joins it to the method that the command names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from wayfront.synthetic.textbooks import EXAMPLES
from wayfront_gui.app.commands import ACTIVITIES, MENUS, Command, commands_of
from wayfront_gui.app.feature import Host, Submenu, all_features
from wayfront_gui.ui.style import hint, menu_entry
from wayfront_gui.ui.translation import marked, translated


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
    action.setCheckable(command.is_switch or bool(command.group))
    action.setToolTip(tooltip(command))
    action.setStatusTip("")
    action.setIconVisibleInMenu(False)
    action.setMenuRole(QAction.MenuRole.NoRole)
    owner.addAction(action)
    return action


def connect_actions(actions: Mapping[str, QAction], commands: Sequence[Command], controls: Iterable[object]) -> None:
    """Let each action call the method that is offered as its command."""
    of = {each.name: control for control in controls for each in commands_of(type(control))}
    for each in commands:
        actions[each.name].triggered.connect(_call(getattr(of[each.name], each.does), each))


def _call(method: Callable[..., None], command: Command) -> Callable[[bool], None]:
    def call(checked: bool) -> None:
        arguments: list[str | bool] = []
        if command.argument:
            arguments.append(command.argument)
        if command.is_switch:
            arguments.append(checked)
        method(*arguments)

    return call


class MenuBar:
    """The menus of the window: every command in its menu, and of the activities' menus the chosen one's."""

    def __init__(self, bar: QMenuBar, commands: Sequence[Command], actions: Mapping[str, QAction], host: Host) -> None:
        # One that Qt makes is lost to Python as soon as a filter of events has seen it.
        self._menus = {key: QMenu(translated(menu.title), bar) for key, menu in MENUS.items()}
        for key, own in self._menus.items():
            if "/" not in key:
                bar.addMenu(own)
        for key, own in list(self._menus.items()):
            self._fill(key, own, [each for each in commands if each.menu == key], actions, host)

    def _fill(
        self, key: str, menu: QMenu, commands: Iterable[Command], actions: Mapping[str, QAction], host: Host
    ) -> None:
        """Add the commands of a menu and the menus in it, with a line between two sections."""
        rows: list[tuple[tuple[int, float], QAction | QMenu]] = []
        declared = [*SUBMENUS, *(each for feature in all_features() for each in feature.submenus)]
        for command in commands:
            rows.append((command.at, actions[command.name]))
            for each in declared:
                if each.behind == command.name:
                    own = QMenu(translated(each.title), menu)
                    self._menus[each.name] = own
                    own.setObjectName(each.name)
                    own.aboutToShow.connect(partial(each.fill, own, host))
                    rows.append(((command.at[0], command.at[1] + 0.001), own))
        rows += [(MENUS[inner].at, own) for inner, own in self._menus.items() if inner.rpartition("/")[0] == key]
        section = None
        for at, row in sorted(rows, key=lambda each: each[0]):
            if section not in (None, at[0]):
                menu.addSeparator()
            section = at[0]
            if isinstance(row, QMenu):
                menu.addMenu(row)
            else:
                menu.addAction(row)

    def menu(self, key: str) -> QMenu:
        """Return the menu with that key of ``MENUS``, or with that name of a ``Submenu``. Raises ``KeyError``."""
        return self._menus[key]

    def show_activity(self, chosen: str) -> None:
        """Have the menu of that activity in the bar, and none of the others."""
        for name in ACTIVITIES:
            self._menus[name].menuAction().setVisible(name == chosen)


def _fill_recent(menu: QMenu, host: Host) -> None:
    fill_files(menu, host.settings.recent, host.controller.open)


def _fill_examples(menu: QMenu, host: Host) -> None:
    menu.clear()
    for example in EXAMPLES:
        action = menu.addAction(menu_entry(translated(example.title)))
        action.setToolTip(hint(translated(example.source)))
        action.triggered.connect(lambda _checked=False, name=example.opened_by: host.controller.open(name))


SUBMENUS = (
    Submenu("file.open", marked("Open &recent"), "recent", _fill_recent),
    Submenu("file.open", marked("Open e&xample"), "examples", _fill_examples),
)


def fill_files(menu: QMenu, paths: Sequence[str], open_file: Callable[[str], None]) -> None:
    """List files in a menu that is about to be shown."""
    menu.clear()
    for path in paths:
        action = menu.addAction(menu_entry(path))
        action.setToolTip(hint(path))
        action.triggered.connect(lambda _checked=False, path=path: open_file(path))
    if not paths:
        menu.addAction(translated("Nothing yet")).setEnabled(False)


def keys_text(command: Command) -> str:
    """Return a command's shortcuts for display, or an empty string."""
    return translated(" or ").join(map(_native, command.keys))


def tooltip(command: Command) -> str:
    """Return what a button for the command shows, with its first shortcut."""
    return f"{command.about} ({_native(command.keys[0])})" if command.keys else command.about


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
