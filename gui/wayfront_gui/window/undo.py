"""Undo and redo of what a person chose: source, target, closed roads, algorithm and options, and the style."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction

from wayfront_gui.map.race import MapPanes
from wayfront_gui.model.choice import Choice
from wayfront_gui.model.history import History
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.controller import Controller


@dataclass(frozen=True, slots=True)
class Remembered:
    """What one undo goes back to: the active slot's choice and the style of the map."""

    slot: int
    choice: Choice
    theme: str
    colour_map: str


class Undo:
    """Remembers every choice. All that a press of the mouse changes until its release is one change."""

    def __init__(
        self, controller: Controller, maps: MapPanes, appearance: Appearance, actions: Mapping[str, QAction]
    ) -> None:
        self._controller = controller
        self._session = session = controller.session
        self._graph = session.graph_editing
        self._maps = maps
        self._appearance = appearance
        self._actions = actions
        self._applying = False
        self._history = History(self._now())
        for changed in (
            session.choice_changed,
            session.source_changed,
            session.target_changed,
            session.closures_changed,
            appearance.changed,
        ):
            changed.connect(self._note)
        session.network_changed.connect(self._forget)
        self._graph.changed.connect(self._show)
        controller.files.opened.connect(self._forget)
        maps.main.road_tool.ended.connect(self._note)
        maps.main.source_moved.connect(self._note)
        maps.main.target_moved.connect(self._note)
        self._show()

    def undo(self) -> None:
        """Go back before the last change, of the graph while one is drawn."""
        if self._graph.on:
            self._graph.undo()
            return
        self._note()
        self._apply(self._history.undone())

    def redo(self) -> None:
        """Make the change again that was undone last."""
        if self._graph.on:
            self._graph.redo()
            return
        self._apply(self._history.redone())

    def _now(self) -> Remembered:
        slot = self._session.active
        return Remembered(slot.id, slot.choice, self._appearance.choice, self._appearance.colour_map)

    def _note(self, *_: object) -> None:
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
        graph, history = self._graph, self._history
        self._actions["edit.undo"].setEnabled(graph.can_undo if graph.on else bool(history.before))
        self._actions["edit.redo"].setEnabled(graph.can_redo if graph.on else bool(history.after))
