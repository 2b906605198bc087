"""Joins isochrones to map and engine: they follow the shown tree, and clicks choose further sources."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from wayfront.search.registry import SearchKind
from wayfront_gui.engine_thread.isochrone_jobs import IsochronesJob
from wayfront_gui.map.view import MapView
from wayfront_gui.model.isochrones import MOST_SOURCES
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.scene.isochrones import Isochrones
from wayfront_gui.translation import translated
from wayfront_gui.window.controller import Controller


class IsochroneControl(QObject):
    """Finds the active slot's isochrones whenever its tree, their width or their sources change."""

    def __init__(self, controller: Controller, view: MapView, say: Callable[[str], None]) -> None:
        super().__init__(view)
        self._controller = controller
        self._session: Session = controller.session
        self._view = view
        self._say = say
        self._asked: tuple[object, ...] | None = None
        self._told = False
        session = self._session
        view.place_chosen.connect(self._toggle)
        for changed in (session.isochrones_changed, session.result_changed, session.slots_changed):
            changed.connect(self._find)
        session.dragged_changed.connect(self._forget)

    def show(self, shown: bool) -> None:
        """Show isochrones, or what is shown without them; in a race there are none."""
        self._session.active.isochrones.want(shown)
        if shown and self._session.race.on:
            self._say(translated("Isochrones are shown once the race is ended."))
        elif shown and self._session.active.tree is None:
            self._say(translated("Search first (R): isochrones are bands round the source of a tree."))
        elif shown:
            self._say(translated("Click nodes on the map for further sources; I puts the isochrones away."))

    def leave(self) -> bool:
        """Show no isochrones any more; return whether there were some."""
        wanted = self._session.active.isochrones.wanted
        self._session.active.isochrones.want(False)
        return wanted

    def _toggle(self, node: int) -> None:
        choice = self._session.active.isochrones
        if not choice.wanted or self._session.active.depots.picking:
            return
        if choice.full and node not in choice.others:
            self._say(
                translated(
                    "There are {most_sources} sources, as many as colours can tell apart.", most_sources=MOST_SOURCES
                )
            )
        elif node != self._session.active.source:
            choice.toggle(node)

    def _find(self) -> None:
        """Ask for isochrones unless they are shown or asked for."""
        slot = self._session.active
        choice, result = slot.isochrones, None if slot.kind is SearchKind.ROUTE else slot.tree
        shown = choice.wanted and not self._session.race.on
        if shown != self._told:
            self._told = shown
            self._view.set_picking(shown or slot.depots.picking)
        request = slot.request(runs=0, trace_budget=None, source=None if result is None else result.source)
        if not shown or result is None or request is None or result.network.coordinates is None:
            self._forget()
            return
        wanted = slot.id, id(result.distances), choice.others, choice.step
        if wanted == self._asked:
            return
        self._asked = wanted
        prepared = self._controller.control_of(slot).drag.ready
        job = IsochronesJob(request, result.distances, choice.others, choice.step, prepared, slot.id)
        self._controller.worker.submit(job, partial(self._on_found, slot, wanted), on_failed=self._on_failed)

    def _on_found(self, slot: Slot, wanted: tuple[object, ...], found: Isochrones) -> None:
        if wanted == self._asked and slot is self._session.active:
            self._view.set_isochrones(found)
            slot.isochrones.show(found.bands, found.zones)

    def _on_failed(self, _problem: BaseException) -> bool:
        self._asked = None
        return False

    def _forget(self) -> None:
        """Take away isochrones of another tree than the one that is shown."""
        if self._asked is not None:
            self._asked = None
            self._view.set_isochrones(None)
