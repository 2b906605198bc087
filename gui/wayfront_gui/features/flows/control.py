"""What streets carry, in the window: found in the background, painted, pointed at, and followed road by road."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, QTimer

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.closures.layer import ClosedRoads
from wayfront_gui.features.flows.layer import FlowMarks, flow_colours, trip_colours
from wayfront_gui.features.flows.state import Asked, FlowChoice, FlowsFound, Roads, Trips
from wayfront_gui.features.flows.tool import FlowTool
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.session.closures import NO_ARCS
from wayfront_gui.session.routes import roads_at
from wayfront_gui.session.state import Notice
from wayfront_gui.ui.cards import FactsCard
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.searching.flows.live import LiveFlows
    from wayfront_gui.features.flows.trips import Effort
    from wayfront_gui.features.page.content import Content, Opening
    from wayfront_gui.map.scene import Scene

TOOL = "flows"
POINTED = "pointed"
REST_MS = 350
"""How long the brush rests on a road before its trips are counted more exactly."""
TABLES = {marked("CSV table (*.csv)"): ".csv", marked("Parquet table (*.parquet)"): ".parquet"}
LINES = {marked("GeoPackage lines (*.gpkg)"): ".gpkg", marked("GeoJSON lines (*.geojson)"): ".geojson"}


class Kept:
    """What the engine thread keeps between jobs: what all streets carry while roads are open, to close some of them."""

    def __init__(self) -> None:
        self._of: tuple[str | None, int] | None = None
        self._live: LiveFlows | None = None

    def live(self, request: SearchRequest, threads: int, report: Report) -> LiveFlows:
        """Return flows that follow closed roads, found at the first call for a network and a metric."""
        from wayfront import LiveFlows

        of = request.metric, threads
        if self._live is None or self._of != of or self._live.before.network is not request.network:
            self._live = None  # its memory is wanted
            self._live = LiveFlows(
                request.network,
                metric=request.metric,
                threads=threads,
                progress=report.progress,
                cancel=report.cancel,
            )
            self._of = of
        return self._live


@dataclass(frozen=True, slots=True, eq=False)
class FlowsJob:
    """Find what streets carry; ``before`` is that with all roads open, found too if it is wanted and not there."""

    request: SearchRequest
    asked: Asked
    compares: bool
    before: FlowsFound | None
    kept: Kept
    slot: int
    lane: str = field(default="flows", init=False)

    def run(self, report: Report) -> tuple[FlowsFound, FlowsFound | None, FlowMarks]:
        """Return what was found, the same with all roads open where that is known, and what is drawn."""
        closures, before = self.request.closures, self.before
        if not len(closures):
            found = before if before is not None else self._find(closures, report)
            return found, found, _marks_of(found)
        if self.compares and before is None:
            before = self._find(NO_ARCS, report)
        found = self._find(closures, report)
        if self.compares and before is not None:
            found = found.compared(before)
        return found, before, _marks_of(found)

    def _find(self, closures: Any, report: Report) -> FlowsFound:
        from wayfront import flows
        from wayfront.devices import choose_device

        asked, network = self.asked, self.request.network
        metric = network.metric(self.request.metric)
        report.progress(translated("Finding what streets carry"), -1.0)
        threads = min(self.request.threads, choose_device("cpu").threads)
        if asked.ties == "one" and asked.radius is None:
            live = self.kept.live(self.request, threads, report)
            found = live.closing(closures, progress=report.progress, cancel=report.cancel)
            return FlowsFound.of(asked, found, closures)
        found = flows(
            network,
            metric=metric.name,
            radius=None if asked.radius is None else float(metric.in_unit(np.array([asked.radius]))[0]),
            ties=asked.ties,
            closures=closures,
            device="cpu",
            threads=threads,
            progress=report.progress,
            cancel=report.cancel,
        )
        return FlowsFound.of(asked, found, closures)


@dataclass(frozen=True, slots=True, eq=False)
class TripsJob:
    """Find the trips over one road, with little effort while the mouse moves."""

    request: SearchRequest
    kept: dict[str, Any]
    arcs: Any
    asked: Asked
    effort: Effort
    slot: int
    quiet: bool
    lane: str = field(default="trips", init=False)

    def run(self, report: Report) -> tuple[Trips, FlowMarks] | None:
        """Return the trips and what is drawn of them; None where that was cancelled."""
        from wayfront_gui.features.flows.trips import TripFinder

        network = self.request.network
        metric = network.metric(self.request.metric)
        finder = self.kept.get("finder")
        if finder is None or finder.of != (network, metric.name, self.request.closures.tobytes()):
            finder = TripFinder(network, metric, self.request.closures, report.progress, report.cancel)
            self.kept["finder"] = finder
        trips = finder.find(self.arcs, self.asked.radius, self.asked.ties, self.effort, report.cancel)
        return None if trips is None else (trips, FlowMarks(trip_colours(network, trips), trips.summary))


class FlowControl(QObject):
    """Finds what streets carry for the active slot whenever what is wanted, its metric or its closed roads change."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session, self._view = host, host.session, host.view
        self.changed: Notice = Notice()
        self._before: dict[tuple[Any, ...], FlowsFound] = {}
        self._kept: dict[str, Any] = {}
        self._flows_kept = Kept()
        self._asked: tuple[Any, ...] | None = None
        self._marks: tuple[FlowsFound, FlowMarks] | None = None
        self._trip_marks: FlowMarks | None = None
        self._brushes = self._holds = self._shown = self._rests = False
        self._road: int = -1
        self.card = FactsCard(host.view.viewport())
        host.view.viewport().installEventFilter(self)
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(REST_MS)
        self._rest.timeout.connect(partial(self._find_trips, at_rest=True))
        host.tools.add(TOOL, self.leave_tool, beside=True)
        tool = host.view.tool(FlowTool)
        tool.pointed.connect(self._on_pointed)
        tool.held.connect(self._on_held)
        session = self._session
        for changed in (
            session.changed(FlowChoice), session.choice_changed, session.closures_changed, session.network_changed,
            session.slots_changed, session.active_changed,
        ):  # fmt: skip
            changed.connect(self._find)
        for changed in (session.changed(FlowChoice), session.slots_changed, session.active_changed):
            changed.connect(self._show)
        session.network_closing.connect(self._forget)

    @property
    def _choice(self) -> FlowChoice:
        return self._session.active.state(FlowChoice)

    @property
    def _is_shown(self) -> bool:
        return self._choice.shown and not self._session.several

    # -------------------------------------------------------------------------------------------- commands

    @command(
        "search.flows",
        "&What streets carry",
        keys=("Z",),
        hint="How many trips pass each road when everybody goes everywhere by a shortest path",
        at=(1, 1),
        under="analyse/flows",
        checkable=True,
    )
    def show(self, shown: bool) -> None:
        """Show what streets carry, or what is shown without it."""
        self._choice.show(shown)
        say = self._host.reports.show
        if shown and self._session.several:
            say(translated("What streets carry is not shown during a race: end it first."))
        elif shown:
            say(translated("Point at a road to see its trips. Shift+Z follows them; Z ends this."))

    @command(
        "search.trips",
        "&Trips over a road",
        keys=("Shift+Z",),
        hint="Point at a road: where its trips come from and where they go. A click holds it, Esc ends this",
        at=(1, 2),
        under="analyse/flows",
        checkable=True,
    )
    def brush(self, wanted: bool) -> None:
        """Take the brush that follows the trips over a road, or put it away."""
        self._brushes, self._holds = wanted, False
        if wanted:
            self._host.tools.taken(TOOL)
            self._choice.show(True)
            self._host.reports.show(translated("Point at a road, or click one to hold it. Esc ends this."))
        else:
            self._put_trips_away()
        self._show()

    @command(
        "file.flows",
        "&Save what streets carry…",
        hint="Save the trips over every road as CSV, Parquet, GeoPackage or GeoJSON",
        at=(1, 3),
        under="analyse/flows",
    )
    def save(self) -> None:
        """Ask where and save what every road carries."""
        found = self._choice.found
        if found is None:
            self._host.reports.show_problem(translated("There is nothing to save yet: show what streets carry (Z)."))
            return
        on_earth = found.network.coordinates is not None and not self._session.active.laid_out
        kinds = {**(LINES if on_earth else {}), **TABLES}
        save_as(self._host, translated("Save what streets carry"), "flows", kinds, found.flows.save)

    @command(
        "file.flows_film",
        "Save a &film of what streets carry…",
        hint="Film what streets carry while trips may be longer and longer, as MP4, WebM or GIF",
        at=(1, 4),
        under="analyse/flows",
    )
    def save_film(self) -> None:
        """Ask how, and save a film of what streets carry within farther and farther distances."""
        from wayfront_gui.features.export.feature import ExportCommands
        from wayfront_gui.features.flows.dialog import FlowsFilmDialog, FlowsSubject

        found, subject = self._choice.found, self._host.control(ExportCommands).subject()
        if found is None or subject is None or not self._is_shown:
            self._host.reports.show_problem(translated("There is nothing to save yet: show what streets carry (Z)."))
            return
        request = self._session.active.request(runs=0, trace_budget=None, source=0)
        threads = 1 if request is None else request.threads
        FlowsFilmDialog(
            FlowsSubject(subject, found, threads), self._host.dialogs.save, self._host.controller.news.emit,
            self._host.window,
        ).show_modeless()  # fmt: skip

    def leave_tool(self) -> bool:
        """Put the brush away, or else what streets carry; return whether there was either."""
        if self._brushes:
            self.brush(False)
            return True
        shown = self._choice.shown
        self._choice.show(False)
        return shown

    # ------------------------------------------------------------------------------------------- finding

    def _find(self) -> None:
        """Ask for what is shown unless it is known or asked for."""
        slot, choice = self._session.active, self._choice
        request = slot.request(runs=0, trace_budget=None, source=0)
        if not self._is_shown or request is None or request.network.coordinates is None:
            self._stop()
            return
        key = slot.id, id(request.network), request.metric, id(request.closures), choice.asked, choice.compares
        if key == self._asked:
            return
        self._asked = key
        self._put_trips_away()
        if choice.found is not None and choice.found.answers(request, choice.asked, compares=choice.compares):
            return
        unclosed = slot.id, id(request.network), request.metric, choice.asked
        job = FlowsJob(request, choice.asked, choice.compares, self._before.get(unclosed), self._flows_kept, slot.id)
        done = partial(self._on_found, choice, key, unclosed)
        self._host.controller.worker.submit(job, done, on_failed=self._on_failed)

    def _on_found(
        self,
        choice: FlowChoice,
        key: tuple[Any, ...],
        unclosed: tuple[Any, ...],
        found: tuple[FlowsFound, FlowsFound | None, FlowMarks],
    ) -> None:
        known, before, marks = found
        if choice is not self._choice or key != self._asked or known.network is not choice.slot.network:
            return
        if before is not None:
            self._before = {unclosed: before}
        self._marks = known, marks
        choice.take(known)
        self._mark(self._view.tool(FlowTool).line)

    def _on_failed(self, _problem: BaseException) -> bool:
        self._asked = None
        self._choice.show(False)
        return False

    def _stop(self) -> None:
        """Ask for nothing, and drop what is asked for."""
        if self._asked is not None:
            self._host.controller.worker.cancel("flows", self._asked[0])
        self._asked = None

    def _forget(self) -> None:
        self._stop()
        self._put_trips_away()
        self._before, self._marks, self._brushes = {}, None, False
        self._kept, self._flows_kept = {}, Kept()
        self.card.hide()

    # ------------------------------------------------------------------------------------------- pointing

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Put the card away when the pointer leaves, and when another tool has it."""
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide, QEvent.Type.Wheel):
            self.card.hide()
        elif event.type() == QEvent.Type.MouseMove and not self.card.isHidden():
            tool = self._view.tool(FlowTool)
            if self._view.takes_other_tool(tool):
                tool.leave()
                self._mark(-1)
        return False

    def _on_pointed(self, line: int) -> None:
        """Say what the road under the pointer carries, and with the brush follow its trips."""
        network = self._session.active.network
        road = -1 if line < 0 or network is None else int(Roads.of(network).of_line[line])
        self._mark(line)
        if self._brushes and not self._holds and road >= 0:
            self._follow(road)

    def _on_held(self, line: int) -> None:
        network = self._session.active.network
        if line < 0 or network is None:
            self._holds = False
            self._put_trips_away()
            return
        self._holds = True
        self._follow(int(Roads.of(network).of_line[line]))
        self._mark(line)

    def _mark(self, line: int) -> None:
        """Mark the road of a line, with its figures beside the pointer and in the status line; -1 for none."""
        network, found = self._session.active.network, self._choice.found
        if line < 0 or network is None or found is None or found.network is not network:
            self._view.take_away(POINTED)
            self._host.status.show_hover("")
            self.card.hide()
            return
        roads, geometry = Roads.of(network), MapGeometry.of(network)
        road = int(roads.of_line[line])
        marks = ClosedRoads.of(network, roads.arcs(road), "pointed")
        self._view.set_layer(POINTED, marks)
        facts = found.facts(road)
        name = roads_at(network, int(geometry.owner_a[line]))
        if name:
            facts = [(translated("Street"), name), *facts]
        self._host.status.show_hover("  ·  ".join(f"{caption}: {text}" for caption, text in facts))
        if self._view.pointer is not None:
            self.card.show_beside(facts, self._view.pointer.toPoint())

    # ------------------------------------------------------------------------------------------- trips over a road

    def _follow(self, road: int) -> None:
        if road != self._road:
            self._road = road
            self._find_trips(at_rest=False)
            self._rest.start()

    def _find_trips(self, *, at_rest: bool) -> None:
        slot, choice = self._session.active, self._choice
        request = slot.request(runs=0, trace_budget=None, source=0)
        if self._road < 0 or not self._is_shown or request is None:
            return
        from wayfront_gui.features.flows.trips import AT_REST, WHILE_MOVING

        arcs, effort = Roads.of(request.network).arcs(self._road), AT_REST if at_rest else WHILE_MOVING
        job = TripsJob(request, self._kept, arcs, choice.asked, effort, slot.id, quiet=bool(self._kept))
        # One that follows the mouse is soon done; a longer one ends as soon as the mouse goes on.
        self._host.controller.worker.submit(job, partial(self._on_trips, choice), interrupt=self._rests)
        self._rests = at_rest

    def _on_trips(self, choice: FlowChoice, found: tuple[Trips, FlowMarks] | None) -> None:
        if found is None or choice is not self._choice or not self._brushes or self._road < 0:
            return
        self._trip_marks = found[1]
        choice.take_trips(found[0])

    def _put_trips_away(self) -> None:
        self._rest.stop()
        self._road, self._trip_marks, self._holds = -1, None, False
        self._host.controller.worker.cancel("trips")
        self._choice.take_trips(None)

    # ------------------------------------------------------------------------------------------- the map

    def _painted(self) -> FlowMarks | None:
        """Return what is painted: the trips over a road, or what all streets carry."""
        choice = self._choice
        if choice.trips is not None and self._trip_marks is not None:
            return self._trip_marks
        if choice.found is None:
            return None
        if self._marks is None or self._marks[0] is not choice.found:  # it was that of another slot
            self._marks = choice.found, _marks_of(choice.found)
        return self._marks[1]

    def _show(self) -> None:
        """Show the colours; the panel when they are first shown."""
        choice, shown = self._choice, self._is_shown
        self._view.set_layer(TOOL, self._painted() if shown else None)
        if not choice.shown:
            self._brushes = False
            self._road, self._trip_marks = -1, None
        self._view.tool(FlowTool).use(points=shown, brushes=shown and self._brushes)
        before, self._shown = self._shown, choice.shown
        if choice.shown and not before:
            self._host.panels.show("flows", True)
        self._host.actions["search.flows"].setChecked(choice.shown)
        self._host.actions["search.trips"].setChecked(self._brushes)
        self.changed()


def _marks_of(found: FlowsFound) -> FlowMarks:
    """Return the colours of what streets carry, with what makes a page of it."""
    return FlowMarks(flow_colours(found), found.words, partial(_page_of, found))


def _page_of(found: FlowsFound, scene: Scene, opening: Opening) -> Content:
    from wayfront_gui.features.flows.page import flows_content  # with what writes pages

    return flows_content(scene, found, opening)
