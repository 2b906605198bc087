"""The commands of the Race menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction

from wayfront_gui.dialogs.export_film import RaceFilmDialog
from wayfront_gui.export.subject import RaceSubject
from wayfront_gui.map.race import MapPanes
from wayfront_gui.model.race_field import MOST_LANES
from wayfront_gui.translation import translated
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.file_dialogs import FileDialogs

BESIDE = ("view.explanation", "view.isochrones", "view.depots", "view.closures")
"""The panels that give the race's panel their room."""


class RaceCommands:
    """Begins and ends races, and chooses how they are shown; ``actions`` show and hide docks."""

    def __init__(
        self,
        controller: Controller,
        say: Callable[[str], None],
        actions: Mapping[str, QAction],
        panes: MapPanes,
        dialogs: FileDialogs,
    ) -> None:
        self._controller = controller
        self._session = controller.session
        self._say = say
        self._actions = actions
        self._panes = panes
        self._dialogs = dialogs
        self._put_away: list[str] = []

    def fill(self) -> None:
        """Let four searches race from the source."""
        self._session.race.fill()
        self._show_panel()
        self._controller.run()

    def add(self) -> None:
        """Add a search, which the panels then show."""
        added = self._session.race.add()
        self._show_panel()
        if added is None:
            self._say(translated("{most_lanes} searches race, as many as can.", most_lanes=MOST_LANES))
        else:
            self._session.activate(added)
            self._say(translated("Choose the new search in the Search panel, then Run (R)."))

    def remove(self) -> None:
        """Take the search that the panels show out of the race."""
        if self._session.race.on:
            self._session.remove_slot(self._session.active)

    def next(self) -> None:
        """Show the next search of the race in the panels."""
        slots = self._session.slots
        self._session.activate(slots[(slots.index(self._session.active) + 1) % len(slots)])

    def split(self, split: bool) -> None:
        """Show one map in strips, or a map for each search."""
        self._session.race.set_split(split)

    def show_difference(self, shown: bool) -> None:
        """Show where distances differ from those of the first search."""
        self._session.race.set_difference(shown)

    def save_film(self) -> None:
        """Ask how, and save a film of the race, at first of what its maps show of the network now."""
        results = [slot.result for slot in self._session.slots]
        recorded = tuple(result for result in results if result is not None and result.trace is not None)
        if not self._session.race.on or len(recorded) < len(results):
            self._say(translated("There is no race to film yet: run one first (Shift+R)."))
            return
        style, clock, race = self._panes.all_maps[0].map_scene.style, self._session.clock, self._session.race
        subject = RaceSubject(recorded, style, self._panes.seen, race.split, clock.walk)
        RaceFilmDialog(subject, self._dialogs.save, self._controller.news.emit, self._panes.window()).show_modeless()

    def leave(self) -> None:
        """Keep only the search that the panels show."""
        self._controller.race.stop()
        self._session.race.leave()
        shown = ["view.race"] if self._actions["view.race"].isChecked() else []
        for name in (*shown, *(name for name in self._put_away if not self._actions[name].isChecked())):
            self._actions[name].trigger()
        self._put_away = []

    def _show_panel(self) -> None:
        """Show the panel of races in place of those beside it, until the race is ended."""
        if not self._actions["view.race"].isChecked():
            self._put_away = [name for name in BESIDE if self._actions[name].isChecked()]
            for name in (*self._put_away, "view.race"):
                self._actions[name].trigger()
