"""Undo and redo of what a person chose: source, target, closed roads, algorithm and options, and the style.

With a choice comes back at once what was shown with it: the result with its replay at the same step, in a race all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, zip_longest
from typing import Protocol

from PySide6.QtCore import QTimer

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.session.choice import Choice
from wayfront_gui.session.points import AskedPoints, Points
from wayfront_gui.session.session import KEPT_BYTES
from wayfront_gui.session.shown import Shown, let_go
from wayfront_gui.session.state import History, Notice
from wayfront_gui.session.turning import is_made


@dataclass(frozen=True, slots=True)
class Remembered:
    """What one undo goes back to: the choices and points of all slots by their ids, and the style of the map.

    A slot that is cut out of another one has no choice of its own. ``shown`` is filled when the choices are left.
    """

    choices: dict[int, Choice]
    points: dict[int, AskedPoints]
    theme: str
    colour_map: str
    shown: dict[int, Shown | None] = field(default_factory=dict, compare=False)


class Undoable(Protocol):
    """What has changes of its own to undo while it is ``on``."""

    changed: Notice

    @property
    def on(self) -> bool: ...  # noqa: D102 - see the class

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
        self._window = host.window
        self._maps, self._appearance = host.central.panes, host.appearance
        self._instead: list[Undoable] = []
        self._applying = False
        self._history = History(self._now())
        self._awaited: tuple[int, History[Remembered] | None] = (0, None)
        self._networks = self._open_networks()
        session, main = self._session, self._maps.main
        for changed in (
            session.choice_changed,
            session.source_changed,
            session.target_changed,
            session.closures_changed,
            session.changed(Points),
            self._appearance.changed,
        ):
            changed.connect(self._on_changed)
        session.slots_changed.connect(self.note)
        session.network_closing.connect(self._keep_all)
        session.network_changed.connect(self._on_network)
        self._controller.files.opened.connect(self._forget)
        for moved in (main.source_moved, main.target_moved):
            moved.connect(self.note)
        self._show()

    def take_turns_with(self, other: Undoable) -> None:
        """Undo and redo what ``other`` did while that is on."""
        self._instead.append(other)
        other.changed.connect(self._show)

    @command(
        "edit.undo",
        "&Undo",
        keys=("Ctrl+Z",),
        hint="Undo the last choice: source, target, closed roads, points, algorithm, options, colours",
        at=(1, 1),
    )
    def undo(self) -> None:
        """Go back before the last change, of a graph while one is drawn, of points while access is shown."""
        if (other := self._other) is not None:
            other.undo()
            return
        self.note()
        ahead = self._ahead
        if ahead is self._history and self._drop_turns():
            return
        self._apply(ahead.undone())

    @command("edit.redo", "&Redo", keys=("Ctrl+Shift+Z", "Ctrl+Y"), hint="Make the undone choice again", at=(1, 2))
    def redo(self) -> None:
        """Make the change again that was undone last."""
        if (other := self._other) is not None:
            other.redo()
            return
        self._apply(self._ahead.redone())

    @property
    def _ahead(self) -> History[Remembered]:
        """The history as it will be once the network with closed turns is made that it waits for."""
        number, history = self._awaited
        return history if history is not None and self._controller.worker.awaits(number) else self._history

    def _drop_turns(self) -> bool:
        """Drop networks with other turns that are still being made; return whether there were any."""
        dropped = [self._controller.control_of(slot).drop_turns() for slot in self._session.slots]
        return any(dropped)

    @property
    def _other(self) -> Undoable | None:
        return next((other for other in self._instead if other.on), None)

    def _now(self) -> Remembered:
        choices = {slot.id: slot.choice for slot in self._session.slots if slot.part is None}
        points = {slot.id: slot.state(Points).asked for slot in self._session.slots if slot.part is None}
        return Remembered(choices, points, self._appearance.choice, self._appearance.colour_map)

    def _on_changed(self) -> None:
        """Keep what is shown, then note the change; in a race, which changes one slot after the other, after that."""
        self._keep_shown()
        if self._session.several:
            QTimer.singleShot(0, self._window, self.note)
        else:
            self.note()

    def _keep_shown(self) -> None:
        """Keep what is shown the first time that what is chosen is no longer what was noted."""
        noted = self._history.now
        if not (self._applying or noted.shown or self._now().choices == noted.choices):
            self._keep_all()

    def _keep_all(self) -> None:
        """Keep what is shown; a turn that is closed takes the network that it was found on."""
        noted = self._history.now
        if self._applying or noted.shown:
            return
        for slot in self._session.slots:
            if slot.id in noted.choices:
                noted.shown[slot.id] = self._controller.control_of(slot).shown(noted.choices[slot.id])

    def note(self, *_: object) -> None:
        """Note what is chosen now, once no button of the mouse is pressed."""
        if self._applying or self._maps.pressed:
            return
        now, noted = self._now(), self._history.now
        if now.choices.keys() != noted.choices.keys():  # slots came or went
            self._forget()
        elif now == noted:
            noted.shown.clear()
        elif self._is_of_others(now, noted):
            self._history = replace(self._history, now=now)
        else:
            if self._ahead is not self._history:
                self._drop_turns()
            self._history = self._history.changed(now)
            self._let_go()
        self._show()

    def _is_of_others(self, now: Remembered, noted: Remembered) -> bool:
        """Return whether only slots beside the active one differ: a race that is run gives them what it shares."""
        active = self._session.active
        mine = now.choices.keys() if active.part is not None else {active.id}
        style = (now.theme, now.colour_map) == (noted.theme, noted.colour_map)
        same = all(now.choices[each] == noted.choices[each] and now.points[each] == noted.points[each] for each in mine)
        return style and same

    def _let_go(self) -> None:
        """Keep what was found for the changes nearest to now, as much as is kept of searches that were timed."""
        history = self._history
        states = chain.from_iterable(zip_longest(reversed(history.before), history.after))
        let_go((each for state in states if state for each in state.shown.values() if each), KEPT_BYTES)

    def _open_networks(self) -> dict[int, RoadNetwork | None]:
        return {slot.id: slot.opened for slot in self._session.slots if slot.part is None}

    def _on_network(self) -> None:
        """Begin anew where a network was opened; that another slot became active is reported like this too."""
        now, before = self._open_networks(), self._networks
        if now.keys() != before.keys() or any(now[each] is not before[each] for each in now):
            self._forget()

    def _forget(self, *_: object) -> None:
        """Begin anew: a choice of another network means nothing on this one."""
        self._history, self._networks = History(self._now()), self._open_networks()
        self._show()

    def _apply(self, history: History[Remembered]) -> None:
        if history is self._history or self._awaits_turns(history):
            return
        self._drop_turns()  # what is still being made for another undo would come after this one
        before, now = self._history.now, history.now
        for slot in self._session.slots:
            if slot.id in before.choices and slot.id not in before.shown:
                before.shown[slot.id] = self._controller.control_of(slot).shown(before.choices[slot.id])
        shown = dict(now.shown)
        now.shown.clear()
        self._history, self._applying = history, True
        try:
            if before.choices != now.choices:
                self._controller.choose_again(now.choices, shown)
            for slot in self._session.slots:
                if slot.id in now.points:
                    slot.state(Points).ask(now.points[slot.id])
            if before.theme != now.theme:
                self._appearance.choose_theme(now.theme)
            if before.colour_map != now.colour_map:
                self._appearance.choose_colour_map(now.colour_map)
        finally:
            self._applying = False
        self._let_go()
        self._show()

    def _awaits_turns(self, history: History[Remembered]) -> bool:
        """Return whether a network with closed turns has to be made first; ``history`` is applied once it is."""
        for slot in self._session.slots:
            choice = history.now.choices.get(slot.id)
            if choice is not None and slot.opened is not None and not is_made(slot.opened, choice.turns):
                self._drop_turns()
                made = partial(self._apply, history)
                self._awaited = self._controller.control_of(slot).await_turns(choice.turns, made), history
                return True
        return False

    def _show(self) -> None:
        other, history = self._other, self._history
        self._actions["edit.undo"].setEnabled(bool(history.before) if other is None else other.can_undo)
        self._actions["edit.redo"].setEnabled(bool(history.after) if other is None else other.can_redo)
