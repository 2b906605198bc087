"""Depots in the window: clicks choose candidates, the engine thread finds the best, the map shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from wayfront.network.geopackage import GEOPACKAGE
from wayfront.results.layers import GEOJSON
from wayfront.results.nearest import MOST_CANDIDATES
from wayfront_gui.app.commands import command
from wayfront_gui.app.engine_thread import Asked
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.jobs import Report, distances_from
from wayfront_gui.features.depots.files import CSV, write_depots
from wayfront_gui.features.depots.layer import DepotMarks, depot_colours
from wayfront_gui.features.depots.state import DepotChoice, DepotsFound
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.searching.prepared import Prepared

TOOL = "depots"
POINTS = {
    marked("GeoJSON points (*.geojson)"): GEOJSON,
    marked("GeoPackage, for GIS (*.gpkg)"): GEOPACKAGE,
}
TABLE = {marked("CSV table (*.csv)"): CSV}


@dataclass(frozen=True, slots=True, eq=False)
class DepotsJob:
    """Find the best depots; ``request`` says on what network and how to search from each candidate."""

    request: SearchRequest
    candidates: tuple[int, ...]
    prepared: Prepared | None
    slot: int
    lane: str = field(default="depots", init=False)

    def run(self, report: Report) -> DepotsFound:
        """Return distances and choices."""
        from wayfront.results.nearest import best_depots

        asked = self.request
        report.progress(translated("Searching from the candidates"), -1.0)
        rows = distances_from(self.candidates, asked, self.prepared, self.slot, report)
        best = best_depots(
            self.candidates,
            rows,
            cancel=report.cancel,
            progress=lambda share: report.progress(translated("Choosing depots"), share),
        )
        return DepotsFound(asked.network, asked.network.metric(asked.metric), self.candidates, rows, best)


class DepotControl(QObject):
    """Finds the best depots of the active slot whenever its candidates, its metric or its closed roads change."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session, self._view = host, host.session, host.view
        self._asked = Asked(host.controller.worker)
        self._picked = False
        session = self._session
        host.tools.add(TOOL, self.leave_tool, self._toggle)
        for changed in (
            session.changed(DepotChoice), session.choice_changed, session.closures_changed, session.network_changed,
        ):  # fmt: skip
            changed.connect(self._find)
        session.changed(DepotChoice).connect(self._show)
        session.network_closing.connect(self._asked.forget)

    @property
    def _choice(self) -> DepotChoice:
        return self._session.active.state(DepotChoice)

    @command(
        "search.depots",
        "&Where to put depots",
        keys=("N",),
        hint="Click nodes on the map; the best of them for one, two or three depots are found",
        at=(2, 1),
        under="explore",
        checkable=True,
    )
    def pick(self, picking: bool) -> None:
        """Take the tool for candidates, or put it away."""
        self._choice.pick(picking)
        if picking and self._session.active.network is not None:
            self._host.reports.show(translated("Click nodes on the map: the best depots among them are found at once."))

    @command("search.no_candidates", "Clear the can&didates", keys=("Shift+N",), at=(2, 2), under="explore")
    def clear(self) -> None:
        """Have no candidates for depots."""
        self._choice.forget()

    @command(
        "file.depots",
        "Sa&ve depots…",
        hint="Save the best depots and the candidates with their figures, as points or a table",
        at=(2, 3),
        under="explore",
    )
    def save(self) -> None:
        """Ask where and save what was found."""
        found = self._choice.found
        if found is None:
            self._host.reports.show_problem(translated("There are no depots to save yet: choose candidates first (N)."))
            return
        on_earth = found.network.coordinates is not None and not self._session.active.laid_out
        kinds = {**(POINTS if on_earth else {}), **TABLE}
        save_as(self._host, translated("Save depots"), "depots", kinds, partial(write_depots, found))

    def leave_tool(self) -> bool:
        """Put the tool away; return whether there was one."""
        picking = self._choice.picking
        self._choice.pick(False)
        return picking

    def _toggle(self, node: int) -> None:
        depots = self._choice
        if depots.full and node not in depots.candidates:
            self._host.reports.show(
                translated(
                    "No more than {most_candidates} candidates: every combination of them is tried.",
                    most_candidates=MOST_CANDIDATES,
                )
            )
        depots.toggle(node)

    def _find(self) -> None:
        """Ask for the best depots unless they are known or asked for."""
        slot = self._session.active
        choice, request = self._choice, slot.request(runs=0, trace_budget=None, source=0)
        if not choice.candidates or request is None:
            self._asked.forget()
            return
        key = slot.id, id(request.network), choice.candidates, request.metric, id(request.closures), request.reverse
        if key == self._asked.key:
            return
        prepared = self._host.controller.control_of(slot).prepared
        self._asked.ask(key, lambda: DepotsJob(request, choice.candidates, prepared, slot.id), choice.show)
        choice.show(None)  # what was found is of another metric, or of other roads

    def _show(self) -> None:
        """Show the candidates; the panel with its figures when the tool is taken, which puts others away."""
        choice = self._choice
        best, found = choice.best, choice.found
        colours = None if best is None or found is None or not choice.picking else depot_colours(found, best)
        self._view.put(DepotMarks(choice.candidates, () if best is None else best.nodes, colours))
        self._host.tools.pick(TOOL, choice.picking)
        picking, before, self._picked = choice.picking, self._picked, choice.picking
        if picking and not before:
            self._host.tools.taken(TOOL)
            self._host.panels.show("depots", True)
        self._host.actions["search.depots"].setChecked(picking)
