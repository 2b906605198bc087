"""Joins the candidates for depots to map and engine: clicks choose them, and the best are found at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from wayfront.search.depots import MOST_CANDIDATES
from wayfront_gui.engine_thread.depot_jobs import DepotsJob
from wayfront_gui.map.view import MapView
from wayfront_gui.model.depots import DepotsFound
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.scene.depot_colours import depot_colours
from wayfront_gui.translation import translated
from wayfront_gui.window.controller import Controller


class DepotControl(QObject):
    """Finds the best depots of the active slot whenever its candidates, its metric or its closed roads change."""

    def __init__(self, controller: Controller, view: MapView, say: Callable[[str], None]) -> None:
        super().__init__(view)
        self._controller = controller
        self._session: Session = controller.session
        self._view = view
        self._say = say
        self._asked: tuple[object, ...] | None = None
        session = self._session
        view.place_chosen.connect(self._toggle)
        session.depots_changed.connect(self._find)
        session.depots_changed.connect(self._show)
        for changed in (session.choice_changed, session.closures_changed, session.network_changed):
            changed.connect(self._find)

    def pick(self, picking: bool) -> None:
        """Take the tool for candidates, or put it away."""
        self._session.active.depots.pick(picking)
        if picking and self._session.active.network is not None:
            self._say(translated("Click nodes on the map: the best depots among them are found at once."))

    def leave_tool(self) -> bool:
        """Put the tool away; return whether there was one."""
        picking = self._session.active.depots.picking
        self.pick(False)
        return picking

    def _toggle(self, node: int) -> None:
        depots = self._session.active.depots
        if not depots.picking:
            return
        if depots.full and node not in depots.candidates:
            self._say(
                translated(
                    "There are {most_candidates} candidates, the most that every choice is tried of.",
                    most_candidates=MOST_CANDIDATES,
                )
            )
        depots.toggle(node)

    def _find(self) -> None:
        """Ask for the best depots unless they are known or asked for."""
        slot = self._session.active
        choice, request = slot.depots, slot.request(runs=0, trace_budget=None, source=0)
        if not choice.candidates or request is None:
            self._asked = None
            return
        wanted = slot.id, id(request.network), choice.candidates, request.metric, id(request.closures)
        if wanted == self._asked:
            return
        self._asked = wanted
        choice.show(None)  # what was found is of another metric, or of other roads
        prepared = self._controller.control_of(slot).drag.ready
        job = DepotsJob(request, choice.candidates, prepared, slot.id)
        self._controller.worker.submit(job, partial(self._on_found, slot, wanted), on_failed=self._on_failed)

    def _on_found(self, slot: Slot, wanted: tuple[object, ...], found: DepotsFound) -> None:
        if wanted == self._asked:
            slot.depots.show(found)

    def _on_failed(self, _problem: BaseException) -> bool:
        self._asked = None
        return False

    def _show(self) -> None:
        choice = self._session.active.depots
        best, found = choice.best, choice.found
        colours = None if best is None or found is None or not choice.picking else depot_colours(found, best)
        self._view.set_depots(choice.candidates, () if best is None else best.nodes, colours)
        self._view.set_picking(choice.picking)
