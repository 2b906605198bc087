"""Saves what the window shows as a session file, and shows it again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from wayfront.errors import FormatError
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.look.colour_maps import is_known
from wayfront_gui.look.theme import THEMES
from wayfront_gui.map.view import MapView
from wayfront_gui.model.saved_session import SavedSession
from wayfront_gui.model.session_file import SessionFile
from wayfront_gui.model.slot import Slot
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.reports import Reports


class SessionFiles:
    """Joins session files with the window."""

    def __init__(self, controller: Controller, view: MapView, appearance: Appearance, reports: Reports) -> None:
        self._controller, self._session = controller, controller.session
        self._view, self._appearance, self._reports = view, appearance, reports
        controller.files.session_chosen.connect(self.open)

    def now(self) -> SessionFile | None:
        """Return what is open now, None where nothing is."""
        slots, saved = [slot for slot in self._session.slots if slot.part is None], self._controller.files.saved()
        if saved is None or not slots:
            return None
        first = self._session.active if self._session.active in slots else slots[0]
        others = [slot for slot in slots if slot is not first]
        more = [SavedSession.of(saved.opened_by, each.network, each.choice, None) for each in others if each.network]
        seen = self._view.seen if first is self._session.active else None
        view = None if seen is None else (seen.left, seen.bottom, seen.right, seen.top)
        return SessionFile(
            (replace(saved, view=view), *more),
            self._appearance.theme.name,
            self._appearance.colour_map,
            self._session.race.split,
        )

    def open(self, path: str) -> None:
        """Show what a session file holds; what is open stays where that cannot be read."""
        try:
            file = SessionFile.read(path)
        except FormatError as problem:
            self._reports.show_problem(translated_message(str(problem)))
            return
        if file.theme in THEMES:
            self._appearance.choose_theme(file.theme)
        if is_known(file.colour_map):
            self._appearance.choose_colour_map(file.colour_map)
        while len(self._session.slots) > 1:
            self._session.remove_slot(self._session.slots[-1])
        self._controller.files.open(file.slots[0].opened_by, begin=partial(self._begin, file, Path(path).name))

    def _begin(self, file: SessionFile, name: str, slot: Slot, network: RoadNetwork) -> bool:
        """Take over the choices of all slots on the network that was opened, and search."""
        if network.content_key != file.slots[0].content_key:
            self._controller.news.emit(
                translated(
                    "The network of {name} has changed since it was saved: closed roads and the view are left out.",
                    name=name,
                )
            )
        for other in file.slots[1:]:
            added = self._session.add_slot()
            self._controller.control_of(added).choose(other.choice_on(network))
        if len(file.slots) > 1:
            self._session.race.set_split(file.split)
        return self._controller.files.begin_saved(file.slots[0], slot, network)
