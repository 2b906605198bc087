"""What follows from what a person does: a click becomes a search, a search a replay, a replay a tree.

It joins session, player and worker, and says what happened in plain words; it draws nothing.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from wayfront.errors import MemoryShortError, NetworkError
from wayfront.formats.osm.options import AS_DOWNLOADED, OsmOptions
from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result
from wayfront.sources.store import PLACE, network_type_of, split_name
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES, Trace
from wayfront_gui.engine_thread.jobs import AbilitiesJob, LayoutJob, OpenJob, SaveTraceJob, SearchJob, needs_layout
from wayfront_gui.engine_thread.worker import Worker
from wayfront_gui.model.player import Player
from wayfront_gui.model.session import Live, Session

TREE_AFTER_MS = 900
"""How long the last step stands before the finished tree takes its place."""
TICK_MS = 16
TIMED_FIRST_MS = 500
"""Clean runs that take less are timed before the replay starts, others once it stands still."""


class Controller(QObject):
    """Runs searches for the session on the worker and hands their traces to the player."""

    opened = Signal(str)
    """A file was opened: its path."""
    abilities_found = Signal(object)
    """What this machine can run, ``jobs.Abilities``."""
    said = Signal(str)
    """News in plain words that is no problem."""
    searching_changed = Signal(bool)
    memory_short = Signal(object, object)
    """A map may not fit into memory: ``MemoryShortError``, and what to call to open it all the same."""

    def __init__(self, session: Session, player: Player, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.player = player
        self.worker = worker
        self.osm = OsmOptions()
        """How OpenStreetMap files are read unless told otherwise."""
        self._file = ""
        """What the open network was opened by, which may be a name such as ``place:monaco-drive``."""
        self._ticks = QTimer(self)
        self._ticks.setInterval(TICK_MS)
        self._ticks.timeout.connect(player.advance)
        self._tree_delay = QTimer(self)
        self._untimed: SearchJob | None = None
        self._before_live = (0.0, False)
        self._tree_delay.setInterval(TREE_AFTER_MS)
        self._tree_delay.setSingleShot(True)
        self._tree_delay.timeout.connect(partial(session.show_tree, True))
        player.playing_changed.connect(self._on_playing)
        player.moved.connect(self._on_moved)
        player.finished.connect(self._on_finished)
        worker.failed.connect(lambda _problem: self._leave_live())

    def shut_down(self) -> None:
        """Stop the replay and join the engine thread."""
        self._tree_delay.stop()
        self.player.pause()
        self.worker.shut_down()

    # ------------------------------------------------------------------------------------------------- opening

    def find_abilities(self) -> None:
        """Ask the engine thread which algorithms and devices there are."""
        self.worker.submit(AbilitiesJob(), self.abilities_found.emit)

    def open(self, path: str, coordinates: str | None = None, osm: OsmOptions | None = None) -> None:
        """Open a network or a recorded trace; what is open stays until that has worked."""
        self._open(OpenJob(path, coordinates, opened=self.session.network, osm=osm or self._usual(path)))

    def read_again(self, name: str, value: str | bool) -> None:
        """Open the open network's OpenStreetMap file with another choice, by which later files are read, too."""
        network = self.session.network
        if network is not None and network.reading:
            changed: dict[str, Any] = {name: value}
            self.osm = replace(self.osm, **changed)
            self.open(self._file or network.origin, osm=replace(OsmOptions.described(network.reading), **changed))

    def _open(self, job: OpenJob) -> None:
        self.worker.cancel("search")
        self.searching_changed.emit(False)
        self._leave_live()
        self.worker.submit(job, partial(self._on_opened, job.path), on_failed=partial(self._on_not_opened, job))

    def _usual(self, path: str) -> OsmOptions:
        """Return how a file is read unless told otherwise: a downloaded place for what it was downloaded."""
        place = network_type_of(Path(path)) is not None or (split_name(path) or ("",))[0] == PLACE
        return replace(self.osm, network_type=AS_DOWNLOADED) if place else self.osm

    def _on_not_opened(self, job: OpenJob, problem: Exception) -> bool:
        """Ask whether to open what may not fit into memory; other problems are for whoever tells them."""
        if not isinstance(problem, MemoryShortError):
            return False
        self.memory_short.emit(problem, partial(self._open, replace(job, force=True)))
        return True

    def lay_out(self) -> None:
        """Invent a map for the open network."""
        if self.session.network is not None:
            self.worker.submit(LayoutJob(self.session.network), self._on_laid_out)

    def save_trace(self, path: str) -> None:
        """Write the shown search with its trace to a file."""
        result = self.session.result
        if result is None or result.trace is None or self.session.live is not None:
            self.said.emit("There is no recorded search to save yet.")
            return
        self.worker.submit(SaveTraceJob(result, path), lambda p: self.said.emit(f"Saved {Path(p).name}"))

    def _on_opened(self, path: str, opened: RoadNetwork | Result) -> None:
        """Show what was opened; a network made without a map gets one first."""
        network = opened.network if isinstance(opened, Result) else opened
        if needs_layout(network):
            self.worker.submit(LayoutJob(network), partial(self._on_made_laid_out, path, opened))
        else:
            self._show_opened(path, opened)

    def _on_made_laid_out(self, path: str, opened: RoadNetwork | Result, network: RoadNetwork) -> None:
        opened = replace(opened, network=network) if isinstance(opened, Result) else network
        self._show_opened(path, opened, laid_out=True)

    def _show_opened(self, path: str, opened: RoadNetwork | Result, *, laid_out: bool = False) -> None:
        self._file = opened.network.origin if isinstance(opened, Result) else path
        if isinstance(opened, Result):
            self.session.open(opened.network, laid_out=laid_out)
            self.session.choose_metric(opened.metric.name)
            self.session.choose_algorithm(opened.algorithm)
            self.session.place_source(opened.source)
            self._show_from_the_start(opened)
            self.player.play()
        else:
            self.player.load(None, None)
            source = self._source_again(opened)
            self.session.open(opened, laid_out=laid_out)
            self._search_from(self.session.central_node() if source is None else source)
        self.opened.emit(path)

    def _source_again(self, network: RoadNetwork) -> int | None:
        """Return the source in another reading of the map that is open, None where it is left out or another map."""
        old, source = self.session.network, self.session.source
        if old is None or source is None or not network.reading or network.origin != old.origin:
            return None
        try:
            return network.node(int(old.node_ids[source]))
        except NetworkError:
            return None

    def _on_laid_out(self, network: Any) -> None:
        self.session.open(network, laid_out=True)

    def _search_from(self, node: int | None) -> None:
        if node is not None:
            self.session.place_source(node)
            self.run()

    # ------------------------------------------------------------------------------------------------ searching

    def place_source(self, node: int, final: bool = True) -> None:
        """Search from ``node``; while it is dragged (not ``final``) only the tree is shown, as fast as it comes."""
        self.session.place_source(node)
        if final:
            self.run()
            return
        quick = self.session.request(runs=0, trace_budget=None)
        if quick is not None:
            self._untimed = None
            self.player.pause()
            # A quick search that runs may finish: during a drag, stopping it would show nothing at all.
            self.worker.submit(quick, self._on_quick, interrupt=not _is_quick(self.worker.running))

    def run(self) -> None:
        """Run the chosen search with a trace and replay it; clean runs for its time follow."""
        job = self.session.request(runs=0, trace_budget=DEFAULT_BUDGET_BYTES, live=True)
        if job is None:
            self.said.emit("Open a network and click a source on the map first.")
            return
        self._untimed = None
        self._leave_live()
        self.player.pause()
        self._tree_delay.stop()
        self.worker.submit(job, partial(self._on_found, job), partial(self._on_live, job))
        self.searching_changed.emit(True)

    def cancel(self) -> None:
        """Stop whatever the engine thread does; if nothing, take the route away."""
        if self.worker.busy:
            self.worker.cancel()
            self.searching_changed.emit(False)
            self._leave_live()
            self.said.emit("Stopped.")
        else:
            self.session.choose_target(None)

    def _on_live(self, job: SearchJob, trace: Trace) -> None:
        """Show a search that still runs, in place of the result before it."""
        if len(trace) == 0:
            return
        if self.session.live is None:
            self._before_live = self.player.position, self.session.tree_shown
            self.player.load(None, None)
        self.session.show_live(Live(trace, job.network.metric(job.metric)))
        self.player.follow(trace)

    def _leave_live(self) -> None:
        """Show the last result again as it stood, or none, in place of a search that came to nothing."""
        if self.session.live is None:
            return
        result, (position, tree_shown) = self.session.result, self._before_live
        self._show_from_the_start(result)
        self.player.seek(position)
        self.session.show_tree(tree_shown)

    def _on_quick(self, result: Result) -> None:
        if self.player.trace is not None:
            self.player.load(None, None)
        self.session.show(result)
        self.session.show_tree(True)

    def _on_found(self, job: SearchJob, result: Result) -> None:
        self.searching_changed.emit(False)
        runs = clean_runs(result.timing.traced_ms)
        self._untimed = replace(
            job,
            algorithm=result.algorithm,
            device=result.device,
            options=result.options,
            runs=runs,
            trace_budget=None,
            live=False,
        )
        self._show_from_the_start(result)
        # Drawing a replay disturbs what is timed meanwhile, so the two never run together.
        if runs * (result.timing.traced_ms or 0.0) < TIMED_FIRST_MS:
            self._time()
        else:
            self.player.play()

    def _time(self) -> None:
        job, self._untimed = self._untimed, None
        traced = self.session.result
        if job is not None and traced is not None:
            self.worker.submit(job, partial(self._on_timed, traced))

    def _on_timed(self, traced: Result, clean: Result) -> None:
        timing = replace(clean.timing, traced_ms=traced.timing.traced_ms)
        self.session.add_timing(replace(traced, timing=timing))
        if self.player.position == 0:
            self.player.play()

    # ------------------------------------------------------------------------------------------------ replaying

    def _show_from_the_start(self, result: Result | None) -> None:
        self.player.load(None, None)
        self.session.show(result)
        if result is not None:
            self.player.load(result.trace, result.distances)

    def show_tree(self, shown: bool) -> None:
        """Show the finished tree, or go back to the step where the replay stands."""
        shown = shown and self.session.tree_offered
        self._tree_delay.stop()
        if shown:
            self.player.pause()
        self.session.show_tree(shown)

    def _on_playing(self) -> None:
        if self.player.playing:
            self._tree_delay.stop()
            self.session.show_tree(False)
            self._ticks.start()
        else:
            self._ticks.stop()
            self._time()

    def _on_finished(self) -> None:
        if self.session.tree_offered:
            self._tree_delay.start()

    def _on_moved(self) -> None:
        self._tree_delay.stop()
        self.session.show_tree(False)


def clean_runs(traced_ms: float | None) -> int:
    """Return how many clean runs to time: five, fewer where a search takes seconds."""
    if traced_ms is None or traced_ms < 2_000:
        return 5
    return 3 if traced_ms < 10_000 else 1


def _is_quick(job: object) -> bool:
    return isinstance(job, SearchJob) and job.trace_budget is None and job.runs == 0
