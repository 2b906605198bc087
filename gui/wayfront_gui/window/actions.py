"""Every command of the window, said once: menus, shortcuts, tooltips, the palette and the keyboard page read it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QAbstractSpinBox, QComboBox, QWidget


@dataclass(frozen=True, slots=True)
class Command:
    """One thing a person can do.

    ``name`` is ``menu.what``; ``handler`` is a method of ``handlers.Handlers``, called with ``argument`` unless
    that is empty. ``keys`` are shortcuts, the first of which is shown. Commands of one ``group`` exclude each
    other; ``checkable`` ones are called with their new state.
    """

    name: str
    text: str
    handler: str
    keys: tuple[str, ...] = ()
    hint: str = ""
    argument: str = ""
    group: str = ""
    checkable: bool = False
    gap: bool = False  # a separator stands before it in its menu

    @property
    def menu(self) -> str:
        """The menu it stands in."""
        return self.name.partition(".")[0]


MENUS = {"file": "&File", "search": "&Search", "replay": "&Replay", "view": "&View", "help": "&Help"}

COMMANDS: tuple[Command, ...] = (
    Command("file.open", "&Open…", "open_file", ("Ctrl+O",), "Open a road network or a recorded search"),
    Command("file.place", "Open p&lace…", "open_place", ("Ctrl+Shift+O",), "Download the roads of any place"),
    Command("file.catalogue", "Open c&atalogue…", "open_catalogue", (), "Download a part of the USA from DIMACS"),
    Command("file.coordinates", "Choose &coordinates…", "open_coordinates", (), "Take the map from a .co file"),
    Command("file.picture", "&Save picture…", "save_picture", ("Ctrl+S",), "Save the map as it is now", gap=True),
    Command("file.trace", "Save &recorded search…", "save_trace", ("Ctrl+Shift+S",), "Save every step for a replay"),
    Command("file.timings", "&Export timings…", "export_timings", ("Ctrl+E",), "Save the timings as picture or table"),
    Command("file.quit", "&Quit", "quit", ("Ctrl+Q",), gap=True),
    Command("search.run", "&Run", "run", ("R", "Ctrl+Return"), "Search from the source with what is chosen"),
    Command("search.cancel", "&Cancel", "cancel", ("Esc",), "Stop what runs; if nothing does, clear the route"),
    Command(
        "search.source", "&Source by node id…", "ask_source", ("Ctrl+G",), "Search from a node by its id", gap=True
    ),
    Command("search.target", "Route &to node id…", "ask_target", ("Ctrl+T",), "Show the route to a node by its id"),
    Command("search.farthest", "Route to the &farthest node", "route_to_farthest", ("X",), "Show the longest route"),
    Command("search.no_route", "C&lear the route", "clear_route", ("Ctrl+Backspace",)),
    Command("search.lay_out", "&Lay the network out", "lay_out", (), "Find a map for a network without one", gap=True),
    Command("replay.play", "&Play", "toggle_playing", ("Space",), "Play or pause"),
    Command("replay.back", "Step &back", "step_by", ("Left",), "One step back", argument="-1"),
    Command("replay.forward", "Step &forward", "step_by", ("Right",), "One step forward", argument="1"),
    Command("replay.far_back", "Ten steps back", "step_by", ("Ctrl+Left", "PgDown"), argument="-10"),
    Command("replay.far_forward", "Ten steps forward", "step_by", ("Ctrl+Right", "PgUp"), argument="10"),
    Command("replay.start", "To the &start", "go_to_start", ("Home",), "First step"),
    Command("replay.end", "To the &end", "go_to_end", ("End",), "Last step"),
    Command("replay.slower", "S&lower", "change_speed", (",", "<"), "Half the speed", argument="-1", gap=True),
    Command("replay.faster", "F&aster", "change_speed", (".", ">"), "Twice the speed", argument="1"),
    Command("replay.by_step", "Every step alike", "walk", ("1",), argument="step", group="walk", gap=True),
    Command("replay.by_time", "By measured time, slowed down", "walk", ("2",), argument="time", group="walk"),
    Command("replay.by_distance", "By distance", "walk", ("3",), argument="distance", group="walk"),
    Command("view.tree", "&Tree", "show_tree", ("T",), "Show the finished shortest-path tree", checkable=True),
    Command("view.fit", "&Fit the map", "fit", ("F", "Ctrl+0"), "Show the whole network", gap=True),
    Command("view.zoom_in", "Zoom &in", "zoom", ("+", "="), "Zoom in", argument="1.5"),
    Command("view.zoom_out", "Zoom &out", "zoom", ("-",), "Zoom out", argument="0.6667"),
    Command("view.left", "Move left", "pan", ("Shift+Left",), argument="left"),
    Command("view.right", "Move right", "pan", ("Shift+Right",), argument="right"),
    Command("view.up", "Move up", "pan", ("Shift+Up",), argument="up"),
    Command("view.down", "Move down", "pan", ("Shift+Down",), argument="down"),
    Command("view.swap_theme", "&Dark or light", "swap_theme", ("D",), "Change between dark and light", gap=True),
    Command("view.theme_auto", "Colours of the system", "choose_theme", argument="auto", group="theme"),
    Command("view.theme_dark", "Dark colours", "choose_theme", argument="dark", group="theme"),
    Command("view.theme_light", "Light colours", "choose_theme", argument="light", group="theme"),
    Command("view.plasma", "Distances in plasma", "choose_colour_map", argument="plasma", group="colour map", gap=True),
    Command("view.dusk", "Distances in dusk", "choose_colour_map", argument="dusk", group="colour map"),
    Command("view.explanation", "&Explanation", "show_explanation", ("E",), "How it works", checkable=True, gap=True),
    Command("view.panels", "Hide the &panels", "hide_panels", ("P",), "The map alone", checkable=True),
    Command("view.full_screen", "F&ull screen", "full_screen", ("F11",), checkable=True),
    Command("help.palette", "&Find a command…", "show_palette", ("Ctrl+K", "Ctrl+Shift+P"), "Every command by name"),
    Command("help.keyboard", "&Keyboard and mouse", "show_keyboard", ("F1", "?")),
    Command("help.about", "&About wayfront", "show_about", gap=True),
)


def make_actions(owner: QWidget, handlers: object) -> dict[str, QAction]:
    """Return an action per command, in the table's order, whose shortcuts work anywhere in ``owner``."""
    actions: dict[str, QAction] = {}
    groups: dict[str, QActionGroup] = {}
    for command in COMMANDS:
        action = QAction(command.text, owner)
        action.setShortcuts([QKeySequence(key) for key in command.keys])
        action.setCheckable(command.checkable or bool(command.group))
        action.setToolTip(tooltip(command))
        action.setStatusTip("")
        action.setIconVisibleInMenu(False)
        action.setMenuRole(QAction.MenuRole.NoRole)
        if command.group:
            group = groups.setdefault(command.group, QActionGroup(owner))
            group.addAction(action)
        action.triggered.connect(_call(getattr(handlers, command.handler), command))
        owner.addAction(action)
        actions[command.name] = action
    actions["file.quit"].setMenuRole(QAction.MenuRole.QuitRole)
    actions["help.about"].setMenuRole(QAction.MenuRole.AboutRole)
    return actions


def plain_text(command: Command) -> str:
    """Return a command's text without the mark of its menu key."""
    return command.text.replace("&", "")


def keys_text(command: Command) -> str:
    """Return a command's shortcuts as this system writes them."""
    return " or ".join(QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) for key in command.keys)


def tooltip(command: Command) -> str:
    """Return what a button for the command says, with its first shortcut."""
    text = command.hint or plain_text(command)
    return f"{text} ({keys_text(command).partition(' or ')[0]})" if command.keys else text


def _call(handler: Callable[..., None], command: Command) -> Callable[[bool], None]:
    def call(checked: bool) -> None:
        if command.checkable:
            handler(checked)
        elif command.argument:
            handler(command.argument)
        else:
            handler()

    return call


class FieldsKeepTheirKeys(QObject):
    """An event filter: keys that a focused field or button understands are not taken for shortcuts.

    Space presses a button that has the focus, arrows change a spin box; everywhere else they play and step.
    """

    _KEPT: tuple[tuple[type[QWidget], frozenset[Qt.Key]], ...] = (
        (QAbstractButton, frozenset({Qt.Key.Key_Space})),
        (QComboBox, frozenset({Qt.Key.Key_Space, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractSpinBox, frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End})),
        (QAbstractItemView, frozenset({Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})),
    )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Accept the question whether a key is to stay with the field."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            for kind, keys in self._KEPT:
                if isinstance(watched, kind) and event.key() in keys and not event.modifiers():
                    event.accept()
                    return True
        return False
