"""Isochrones in the window: they follow the shown tree, clicks choose further sources, and files take them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray
from PySide6.QtCore import QObject

from wayfront.network.geopackage import GEOPACKAGE
from wayfront.results.layers import GEOJSON
from wayfront.results.result import SearchKind
from wayfront_gui.app.commands import command
from wayfront_gui.app.engine_thread import Asked
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.isochrones.files import CSV, write_isochrones
from wayfront_gui.features.isochrones.layer import Isochrones
from wayfront_gui.features.isochrones.state import MOST_SOURCES, IsochroneChoice, Reach
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.results.nearest import Nearest
    from wayfront.searching.prepared import Prepared

TOOL = "isochrones"
AREAS = {marked("GeoJSON areas (*.geojson)"): GEOJSON, marked("GeoPackage areas (*.gpkg)"): GEOPACKAGE}
TABLE = {marked("CSV table (*.csv)"): CSV}


@dataclass(frozen=True, slots=True, eq=False)
class IsochronesJob:
    """Find isochrones round the request's source, whose ``distances`` are known, and round ``others``."""

    request: SearchRequest
    distances: NDArray[Any]
    others: tuple[int, ...]
    step: int | None
    prepared: Prepared | None
    slot: int
    lane: str = field(default="isochrones", init=False)

    def run(self, report: Report) -> Isochrones:
        """Return what is to be drawn."""
        asked, metric = self.request, self.request.network.metric(self.request.metric)
        report.progress(translated("Finding isochrones"), -1.0)
        if not self.others:
            rows = [self.distances]
            one = Reach.of(asked.network, metric, [asked.source], rows, asked.closures, reverse=asked.reverse)
            return Isochrones.of(one, self.step)
        return Isochrones.of(Reach.of_nearest(self._nearest(report)), self.step)

    def _nearest(self, report: Report) -> Nearest:
        """Return which of the sources is nearest to each node: one sweep of a prepared network, or one search."""
        from wayfront import search_nearest

        asked, sources = self.request, [self.request.source, *self.others]
        if self.prepared is not None:
            self.prepared.close_exactly(asked.closures)
            return self.prepared.nearest(sources)
        given: dict[str, Any] = {"metric": asked.metric, "closures": asked.closures, "reverse": asked.reverse}
        return search_nearest(asked.network, sources, device=asked.device, **given, cancel=report.cancel)


class IsochroneControl(QObject):
    """Finds the active slot's isochrones whenever its tree, their width or their sources change."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session, self._view = host, host.session, host.view
        self._asked = Asked(host.controller.worker)
        self._wanted = False
        session = self._session
        host.tools.add(TOOL, self.leave, self._toggle, beside=True)
        for changed in (session.changed(IsochroneChoice), session.result_changed, session.slots_changed):
            changed.connect(self._find)
        session.changed(IsochroneChoice).connect(self._show_panel)
        session.dragged_changed.connect(self._forget)
        session.network_closing.connect(self._forget)

    @property
    def _choice(self) -> IsochroneChoice:
        return self._session.active.state(IsochroneChoice)

    @command(
        "search.isochrones",
        "Isoc&hrones",
        keys=("I",),
        hint="Bands of distance or time round the source, and clicks for further sources",
        at=(1, 1),
        under="explore",
        checkable=True,
    )
    def show(self, shown: bool) -> None:
        """Show isochrones, or what is shown without them; in a race there are none."""
        self._choice.want(shown)
        slot, say = self._session.active, self._host.reports.show
        if shown and self._session.several:
            say(translated("Isochrones are not shown during a race: end it first."))
        elif shown and slot.tree is None:
            say(translated("Search first (R): isochrones are drawn round its source."))
        elif shown:
            if slot.tree is not None and slot.tree.metric.name != slot.metric_name:
                self._host.controller.active.show_quickly()  # minutes were chosen, and the tree is one of metres
            say(translated("Click on the map to add sources; I hides the isochrones."))

    @command(
        "search.one_centre",
        "Keep the f&irst source",
        keys=("Shift+I",),
        hint="Remove the other sources of isochrones",
        at=(1, 2),
        under="explore",
    )
    def keep_first(self) -> None:
        """Take all sources away but the first."""
        self._choice.keep_first()

    @command(
        "file.isochrones",
        "Sav&e isochrones…",
        hint="Save areas as GeoJSON or GeoPackage, or a table of them",
        at=(1, 3),
        under="explore",
    )
    def export(self) -> None:
        """Ask where and save the isochrones that are shown as areas or as a table."""
        found = self._view.map_scene.layers.get(TOOL)
        if not isinstance(found, Isochrones):
            self._host.reports.show_problem(translated("There are no isochrones to save yet: show them first (I)."))
            return
        on_earth = not self._session.active.laid_out  # else there is nowhere for areas to be
        kinds = {**(AREAS if on_earth else {}), **TABLE}
        write = partial(write_isochrones, found.found)
        save_as(self._host, translated("Save isochrones"), "isochrones", kinds, write)

    def leave(self) -> bool:
        """Show no isochrones any more; return whether there were some."""
        wanted = self._choice.wanted
        self._choice.want(False)
        return wanted

    def _toggle(self, node: int) -> None:
        choice = self._choice
        if choice.full and node not in choice.others:
            self._host.reports.show(
                translated(
                    "No more than {most_sources} sources: more colours could not be told apart.",
                    most_sources=MOST_SOURCES,
                )
            )
        elif node != self._session.active.source:
            choice.toggle(node)

    def _find(self) -> None:
        """Ask for isochrones unless they are shown or asked for."""
        slot = self._session.active
        choice, result = self._choice, None if slot.kind is SearchKind.ROUTE else slot.tree
        shown = choice.wanted and not self._session.several
        self._host.tools.pick(TOOL, shown)
        request = slot.request(runs=0, trace_budget=None, source=None if result is None else result.source)
        if not shown or result is None or request is None or result.network.coordinates is None:
            self._forget()
            return
        # The tree may be of another metric than is chosen now, and of other closed roads.
        request = replace(request, metric=result.metric.name, closures=result.closures, reverse=result.reverse)
        same = (slot.metric_name, slot.reverse) == (result.metric.name, result.reverse)
        prepared = self._host.controller.control_of(slot).prepared if same else None
        self._asked.ask(
            (slot.id, id(result.distances), choice.others, choice.step),
            lambda: IsochronesJob(request, result.distances, choice.others, choice.step, prepared, slot.id),
            partial(self._on_found, slot),
        )

    def _on_found(self, slot: Slot, found: Isochrones) -> None:
        if slot is self._session.active:
            self._view.put(found)
            slot.state(IsochroneChoice).show(found.bands, found.zones)

    def _forget(self) -> None:
        """Take away isochrones of another tree than the one that is shown."""
        if self._asked.forget():
            self._view.take_away(TOOL)

    def _show_panel(self) -> None:
        """Show the panel of isochrones once they are wanted."""
        wanted, before, self._wanted = self._choice.wanted, self._wanted, self._choice.wanted
        if wanted and not before:
            self._host.panels.show("isochrones", True)
        self._host.actions["search.isochrones"].setChecked(wanted)
