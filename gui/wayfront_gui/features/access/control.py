"""Access in the window: clicks add and remove points, drags move them, and the streets are coloured as they go."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QObject

from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.app.jobs import Report
from wayfront_gui.app.undo import Undo
from wayfront_gui.features.access.layer import AccessMarks, access_colours, last_value
from wayfront_gui.features.access.state import AccessChoice, AccessFound, Asked, Opportunity
from wayfront_gui.features.access.tool import PointTool
from wayfront_gui.session.choice import SearchRequest
from wayfront_gui.session.state import Notice
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.searching.live_access import LiveAccess

TOOL = "access"
SCATTERED = 100
TABLES = {marked("CSV table (*.csv)"): ".csv", marked("Parquet table (*.parquet)"): ".parquet"}
POINTS = {marked("GeoPackage points (*.gpkg)"): ".gpkg", marked("GeoJSON points (*.geojson)"): ".geojson"}


class Kept:
    """What the engine thread keeps between jobs of one slot: the sums, and of what they are."""

    def __init__(self) -> None:
        self._of: tuple[Any, ...] = ()
        self._points: tuple[Opportunity, ...] = ()
        self._live: LiveAccess | None = None

    def find(self, request: SearchRequest, asked: Asked, report: Report) -> AccessFound:
        """Return what is asked for: where one point alone was moved, its tree is exchanged."""
        from wayfront.searching.live_access import LiveAccess

        network, metric = request.network, request.network.metric(request.metric)
        of = metric.name, request.closures.tobytes(), replace(asked, points=()), asked.weights
        live, before = self._live, self._points
        self._live = None  # should anything fail, it is half done
        moved = [i for i, pair in enumerate(zip(before, asked.points, strict=False)) if pair[0] != pair[1]]
        if live is not None and live.network is network and of == self._of and len(moved) <= 1:
            live.report(None, report.cancel)
            for index in moved:
                live.move(index, asked.ends(network, metric, slice(index, index + 1)))
        else:
            report.progress(translated("Finding what every node reaches"), -1.0)
            live = LiveAccess(
                network,
                asked.ends(network, metric),
                asked.measures(metric),
                weights=asked.weights,
                metric=metric.name,
                reverse=not asked.towards,
                closures=request.closures,
                progress=report.progress,
                cancel=report.cancel,
            )
        self._of, self._points, self._live = of, asked.points, live
        return AccessFound(network, metric, asked, request.closures, live.values())


@dataclass(frozen=True, slots=True, eq=False)
class AccessJob:
    """Find what is asked for on the request's network; ``last`` has the last colour, None for that which fits."""

    request: SearchRequest
    asked: Asked
    last: float | None
    kept: Kept
    slot: int
    quiet: bool
    lane: str = field(default="access", init=False)

    def run(self, report: Report) -> tuple[AccessFound, AccessMarks, float]:
        """Return what was found and what is drawn of it."""
        found = self.kept.find(self.request, self.asked, report)
        last = last_value(found) if self.last is None else self.last
        return found, AccessMarks(colours=access_colours(found, last)), last


class AccessControl(QObject):
    """Finds access for the active slot whenever its points, its measure, its metric or its closed roads change."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session, self._view = host, host.session, host.view
        self.changed: Notice = Notice()
        self._kept: dict[int, Kept] = {}
        self._asked: tuple[Any, ...] | None = None
        self._marks = AccessMarks()
        self._last: float | None = None
        self._shown = False
        session = self._session
        host.tools.add(TOOL, self.leave_tool, self._toggle)
        tool = host.view.tool(PointTool)
        tool.moved.connect(self._move)
        tool.clicked.connect(self._toggle)
        for changed in (
            session.changed(AccessChoice), session.choice_changed, session.closures_changed, session.network_changed,
            session.slots_changed,
        ):  # fmt: skip
            changed.connect(self._find)
        session.changed(AccessChoice).connect(self._show)
        session.network_closing.connect(self._forget)
        host.control(Undo).take_turns_with(self)

    @property
    def _choice(self) -> AccessChoice:
        return self._session.active.state(AccessChoice)

    # ----------------------------------------------------------------------------------------------- undo

    @property
    def on(self) -> bool:
        """Whether undo is that of the points."""
        return self._choice.shown

    @property
    def can_undo(self) -> bool:
        """Whether there is a change of the points to undo."""
        return bool(self._choice.history.before)

    @property
    def can_redo(self) -> bool:
        """Whether there is an undone change to make again."""
        return bool(self._choice.history.after)

    def undo(self) -> None:
        """Have the points before the last change."""
        self._choice.undo()

    def redo(self) -> None:
        """Have the points of the change again that was undone."""
        self._choice.redo()

    # -------------------------------------------------------------------------------------------- commands

    @command(
        "search.access",
        "Acc&ess",
        keys=("Y",),
        hint="Click points on the map, such as shops: streets are coloured by what they reach. Points can be dragged",
        at=(4, 1),
        under="analyse",
        checkable=True,
    )
    def show(self, shown: bool) -> None:
        """Show access and let clicks add points, or put both away."""
        self._choice.show(shown)
        say = self._host.reports.show
        if shown and self._session.several:
            say(translated("Access is not shown during a race: end it first."))
        elif shown:
            say(translated("Click on the map to add points, drag them, or click one to remove it. Y ends this."))

    @command(
        "search.scatter",
        "Scatter 100 points",
        hint="Add 100 points at random nodes, to try access without a table of your own",
        at=(4, 2),
        under="analyse",
    )
    def scatter(self) -> None:
        """Add points at random nodes, the same ones each time."""
        choice, network = self._choice, self._session.active.network
        if network is None:
            return
        taken = set(choice.nodes)
        draws = np.random.default_rng(len(taken)).permutation(network.node_count)
        fresh = [node for node in draws[: SCATTERED + len(taken)].tolist() if node not in taken]
        choice.show(True)
        choice.put((*choice.points, *map(Opportunity, fresh[:SCATTERED])))

    @command("search.no_points", "Remove all poi&nts", keys=("Shift+Y",), at=(4, 3), under="analyse")
    def clear(self) -> None:
        """Have no points."""
        self._choice.put(())

    @command(
        "file.access",
        "Save a&ccess…",
        hint="Save what every node reaches as CSV, Parquet, GeoPackage or GeoJSON",
        at=(4, 4),
        under="analyse",
    )
    def save(self) -> None:
        """Ask where and save what was found of every node."""
        found = self._choice.found
        if found is None:
            self._host.reports.show_problem(translated("There is no access to save yet: add points first (Y)."))
            return
        on_earth = found.network.coordinates is not None and not self._session.active.laid_out
        kinds = {**TABLES, **(POINTS if on_earth else {})}
        save_as(self._host, translated("Save access"), "access", kinds, partial(_write, found))

    def leave_tool(self) -> bool:
        """Put access away; return whether it was shown."""
        shown = self._choice.shown
        self._choice.show(False)
        return shown

    # ------------------------------------------------------------------------------------------- the map

    def _toggle(self, node: int) -> None:
        self._choice.toggle(node)

    def _move(self, index: int, node: int, final: bool) -> None:
        choice = self._choice
        if choice.shown and index < len(choice.points):
            choice.move(index, node, final=final)

    def _find(self) -> None:
        """Ask for what is shown unless it is known or asked for."""
        slot, choice = self._session.active, self._choice
        asked, request = choice.asked, slot.request(runs=0, trace_budget=None, source=0)
        shown = choice.shown and not self._session.several
        if not shown or asked is None or request is None or request.network.coordinates is None:
            self._stop()
            return
        key = slot.id, id(request.network), request.metric, id(request.closures), asked
        if key == self._asked:
            return
        self._asked, dragging = key, choice.dragging is not None
        job = AccessJob(
            *(request, asked, self._last if dragging else None),
            *(self._kept.setdefault(slot.id, Kept()), slot.id, dragging),
        )
        worker = self._host.controller.worker
        done = partial(self._on_found, choice, request)
        worker.submit(job, done, on_failed=self._on_failed, interrupt=not dragging)

    def _on_found(
        self, choice: AccessChoice, request: SearchRequest, found: tuple[AccessFound, AccessMarks, float]
    ) -> None:
        """Show what was found, while a point is moved also what it was a moment ago."""
        known, now = found[0], choice.asked
        if choice is not self._choice or now is None or not choice.shown or known.network is not choice.slot.network:
            return
        same = replace(known.asked, points=()) == replace(now, points=())
        if known.asked == now or (same and choice.dragging is not None):
            self._marks, self._last = found[1], found[2]
            choice.take(known)

    def _on_failed(self, _problem: BaseException) -> bool:
        self._asked = None
        return False

    def _stop(self) -> None:
        """Ask for nothing, and drop what is asked for."""
        if self._asked is not None:
            self._host.controller.worker.cancel("access", self._asked[0])
        self._asked = None

    def _forget(self) -> None:
        self._stop()
        self._kept.clear()
        self._marks, self._last = AccessMarks(), None

    def _show(self) -> None:
        """Show points and colours; the panel when the tool is taken, which puts others away."""
        choice = self._choice
        shown = choice.shown and not self._session.several
        if shown:
            colours = None if choice.found is None else self._marks.colours
            self._view.put(AccessMarks(choice.nodes, choice.dragging, colours))
        else:
            self._view.take_away(TOOL)
        self._view.tool(PointTool).hold_points(choice.nodes if shown else ())
        self._host.tools.pick(TOOL, shown)
        shown, before, self._shown = choice.shown, self._shown, choice.shown
        if shown and not before:
            self._host.tools.taken(TOOL)
            self._host.panels.show("access", True)
        self._host.actions["search.access"].setChecked(shown)
        self.changed()


def _write(found: AccessFound, path: Path) -> None:
    """Write what was found of every node. Raises ``OptionError``, ``NetworkError`` and ``WriteError``."""
    from wayfront.results.access import Access

    asked, measures = found.asked, found.asked.measures(found.metric)
    Access(
        network=found.network,
        metric=found.metric,
        towards=asked.towards,
        points=len(asked.points),
        left_out=0,
        measures=measures,
        columns={measures.names[0]: found.values},
        closures=found.closures,
        device="cpu",
        elapsed_ms=0.0,
    ).save(path)
