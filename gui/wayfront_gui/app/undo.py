"""Undo and redo of what a person chose: source, target, closed roads, algorithm and options, and the style."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.session.choice import Choice
from wayfront_gui.session.state import History, Notice


@dataclass(frozen=True, slots=True)
class Remembered:
    """What one undo goes back to: the active slot's choice and the style of the map."""

    slot: int
    choice: Choice
    theme: str
    colour_map: str


class Undoable(Protocol):
    """What has changes of its own to undo while it is ``on``."""

    changed: Notice
    on: bool

    @property
    def can_undo(self) -> bool: ...  # noqa: D102 - see the class

    @property
    def can_redo(self) -> bool: ...  # noqa: D102 - see the class

    def undo(self) -> None: ...  # noqa: D102 - see the class

    def redo(self) -> None: ...  # noqa: D102 - see the class


class Undo:
    """Remembers every choice. All that a press of the mouse changes until its release is one change."""

    def __init__(self, host: Host) -> None:
        self._controller, self._session, self._actions = host.controller, host.session, host.actions
        self._maps, self._appearance = host.central.panes, host.appearance
        self._instead: Undoable | None = None
        self._applying = False
        self._history = History(self._now())
        session, main = self._session, self._maps.main
        for changed in (
            session.choice_changed,
            session.source_changed,
            session.target_changed,
            session.closures_changed,
            self._appearance.changed,
        ):
            changed.connect(self.note)
        session.network_changed.connect(self._forget)
        self._controller.files.opened.connect(self._forget)
        for moved in (main.source_moved, main.target_moved):
            moved.connect(self.note)
        self._show()

    def take_turns_with(self, other: Undoable) -> None:
        """Undo and redo what ``other`` did while that is on."""
        self._instead = other
        other.changed.connect(self._show)

    @command(
        "edit.undo",
        "&Undo",
        keys=("Ctrl+Z",),
        hint="Undo the last choice: source, target, closed roads, algorithm, options, colours",
        at=(1, 1),
    )
    def undo(self) -> None:
        """Go back before the last change, of the graph while one is drawn."""
        if (other := self._other) is not None:
            other.undo()
            return
        self.note()
        self._apply(self._history.undone())

    @command("edit.redo", "&Redo", keys=("Ctrl+Shift+Z", "Ctrl+Y"), hint="Make the undone choice again", at=(1, 2))
    def redo(self) -> None:
        """Make the change again that was undone last."""
        if (other := self._other) is not None:
            other.redo()
            return
        self._apply(self._history.redone())

    @property
    def _other(self) -> Undoable | None:
        return self._instead if self._instead is not None and self._instead.on else None

    def _now(self) -> Remembered:
        slot = self._session.active
        return Remembered(slot.id, slot.choice, self._appearance.choice, self._appearance.colour_map)

    def note(self, *_: object) -> None:
        """Note what is chosen now, once no button of the mouse is pressed."""
        if self._applying or self._maps.pressed:
            return
        now = self._now()
        if now.slot != self._history.now.slot:  # another slot has become active: what it had chosen is no change
            self._forget()
            return
        self._history = self._history.changed(now)
        self._show()

    def _forget(self, *_: object) -> None:
        """Begin anew: a choice of another network means nothing on this one."""
        self._history = History(self._now())
        self._show()

    def _apply(self, history: History[Remembered]) -> None:
        if history is self._history:
            return
        before, now = self._history.now, history.now
        self._history, self._applying = history, True
        try:
            if before.choice != now.choice:
                self._controller.active.choose_again(now.choice)
            if before.theme != now.theme:
                self._appearance.choose_theme(now.theme)
            if before.colour_map != now.colour_map:
                self._appearance.choose_colour_map(now.colour_map)
        finally:
            self._applying = False
        self._show()

    def _show(self) -> None:
        other, history = self._other, self._history
        self._actions["edit.undo"].setEnabled(bool(history.before) if other is None else other.can_undo)
        self._actions["edit.redo"].setEnabled(bool(history.after) if other is None else other.can_redo)
