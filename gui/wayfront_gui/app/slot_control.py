"""The control of one slot: its searches, live view, replay, clean runs and tree."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from wayfront.devices import CPU, describe_device
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import DeviceError, NetworkError
from wayfront.safe.options import AUTO
from wayfront.timing.harness import RUNS
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront.trace.schema import Trace
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.jobs import CloseTurnsJob, Job, SearchJob
from wayfront_gui.map.camera import Camera
from wayfront_gui.session import formatting
from wayfront_gui.session.choice import Choice, PairsRequest, SearchRequest
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.pairs import MatrixReplay, Pairs
from wayfront_gui.session.session import Session, TimedRun
from wayfront_gui.session.shown import Shown
from wayfront_gui.session.slot import Live, Slot
from wayfront_gui.session.turning import Turns, is_made
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.searching.prepared import Prepared

log = logging.getLogger(__name__)
TREE_AFTER_MS = 900
"""How long the last step is shown before the finished tree replaces it."""
TIMED_FIRST_MS = 500
"""Clean runs that take less are timed before the replay starts, others once it pauses."""


class QuickTrees:
    """What finds trees faster than a search of their own, while a source is dragged; here, nothing does."""

    drawn: Any = None
    """What the map shows of the tree that follows the mouse."""

    @property
    def prepared(self) -> Prepared | None:
        """The slot's network prepared for what is chosen now; None while it is not."""
        return None

    def follow(self, request: SearchRequest) -> bool:
        """Ask for a tree and its picture; return False where a picture cannot follow the mouse."""
        return False

    def tree_job(self, request: SearchRequest) -> Job | None:
        """Return the job that finds a tree, None where a search has to."""
        return None

    def forget(self) -> None:
        """Let go what belongs to a network that is not open any more."""


class KindControl(Protocol):
    """Runs a slot's searches of a kind that is not one tree and not one route."""

    def run(self, *, resumes: bool = False) -> None:
        """Search as chosen, anew or from where the same search was stopped."""

    def resumable(self) -> bool:
        """Return whether a search as chosen was stopped before its end."""

    def show(self, pairs: Pairs, matrix: MatrixReplay | None) -> None:
        """Show what was found, with its replay at the end."""

    def choose_from(self, node: int) -> None:
        """Show what was found from a node."""

    def keep_stopped(self) -> bool:
        """Show what a search that was stopped has found; return whether there is any."""

    def show_again(self) -> bool:
        """Show what was found last again; return whether there is any."""

    def time(self) -> None:
        """Take the times that wait for the replay to pause."""

    def forget(self) -> None:
        """Forget what was to follow on a network that is closed."""


class SlotControl(QObject):
    """Runs one slot's searches on the worker and hands their traces to the slot's player; it draws nothing."""

    news = Signal(str)
    """A message for the status line that is no problem."""
    searching_changed = Signal(bool)
    device_failed = Signal(object)
    """A device other than the CPU could not run a search, the ``DeviceError``."""

    def __init__(
        self,
        session: Session,
        slot: Slot,
        worker: Worker,
        camera: Callable[[], Camera | None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.slot = slot
        self.session = session
        self._clock = session.clock
        self.worker = worker
        self._untimed: SearchRequest | None = None
        self._chosen = slot.choice
        self._before_live = (0.0, False)
        self._takes_closures = False
        self._stroke_followed = False
        self._asked_turns: tuple[int, Turns] = (0, ())
        self.searching = False
        """Whether a search that a person asked for still runs, or waits to."""
        self.searching_changed.connect(self._note_searching)
        self.camera = camera
        self.quick = QuickTrees()
        self.of_kind: dict[SearchKind, KindControl] = {}
        self.stroke_is_followed: Callable[[], bool] = lambda: True
        """Whether a tree's picture follows a stroke that closes roads, or its result."""
        self._tree_delay = QTimer(self)
        self._tree_delay.setInterval(TREE_AFTER_MS)
        self._tree_delay.setSingleShot(True)
        self._tree_delay.timeout.connect(partial(slot.show_tree, True))
        slot.player.moved.connect(self._on_moved)
        slot.player.finished.connect(self._on_finished)
        slot.network_closing.connect(self._let_go)
        slot.closures_changed.connect(self._on_closures)

    def end(self) -> None:
        """Stop this slot's jobs and timers, because the slot is removed or the window closes."""
        self.worker.cancel(slot=self.slot.id)
        self._tree_delay.stop()

    def _let_go(self) -> None:
        """Stop what was begun on the network that is closed, and forget what was to follow there."""
        self.end()
        self._untimed = None
        self._stroke_followed = False
        for other in self.of_kind.values():
            other.forget()
        self.quick.forget()
        self.searching_changed.emit(False)

    def _note_searching(self, searching: bool) -> None:
        self.searching = searching

    def shown(self, choice: Choice) -> Shown | None:
        """Return what the slot shows for a choice, so that it can be shown again."""
        return Shown.of(self.slot, choice, searching=self.searching)

    @property
    def prepared(self) -> Prepared | None:
        """The slot's network prepared for many quick trees, for what is chosen now; None while it is not."""
        return self.quick.prepared

    @property
    def _other(self) -> KindControl | None:
        """What runs searches of the chosen kind where this does not itself."""
        return self.of_kind.get(self.slot.kind)

    # ------------------------------------------------------------------------------------------------ searching

    def choose_source(self, node: int, final: bool = True) -> None:
        """Search from ``node``; while it is dragged (not ``final``) only the tree is shown, as fast as it comes.

        Where all pairs are searched, it is the source of the pair that is shown instead.
        """
        if (other := self._other) is not None:
            other.choose_from(node)
            return
        self.slot.choose_source(node)
        if final:
            self.run()
        else:
            self._follow()

    def _follow(self) -> None:
        """Show the tree from the source while that is dragged: its picture as fast as it comes, or else its result."""
        quick = self.slot.request(runs=0, trace_budget=None)
        if quick is None or quick.target is not None or not self.quick.follow(quick):
            self.show_quickly()
            return
        self._untimed = None
        self._clock.pause()
        self._tree_delay.stop()

    def show_quickly(self) -> None:
        """Search for the tree alone, as fast as it comes: while the source is dragged, and when roads are closed."""
        quick = self.slot.request(runs=0, trace_budget=None)
        if quick is not None:
            self._untimed = None
            self._clock.pause()
            # A quick search that runs may finish: during a drag, stopping it would show nothing at all.
            interrupt = not _is_quick(self.worker.running)
            failed = partial(self.on_failed, quick)
            job = self.quick.tree_job(quick) or self._job(quick)
            self.worker.submit(job, self._on_quick, on_failed=failed, interrupt=interrupt)

    def run(self, again: TimedRun | None = None, shown: Shown | None = None) -> None:
        """Run the chosen search with a trace and replay it; clean runs follow, unless it is one to show ``again``.

        One that was ``shown`` before is not replayed: it stands where it stood then.
        """
        self._chosen = self.slot.choice
        if (other := self._other) is not None:
            other.run()
            return
        asked = self.slot.request(runs=0, trace_budget=DEFAULT_BUDGET_BYTES, live=True)
        if asked is None:
            self.news.emit(self.slot.missing)
            return
        self.prepare_to_run()
        found: Callable[[Result], None] = partial(self._on_found, asked)
        if again is not None:
            found = partial(self._on_found_again, again)
        elif shown is not None:
            found = partial(self._on_found_before, shown)
        self.worker.submit(
            self._job(asked),
            found,
            partial(self._on_live, asked),
            on_failed=partial(self.on_failed, asked),
        )
        self.searching_changed.emit(True)

    def prepare_to_run(self) -> None:
        """Leave what is shown as it is without a replay that moves: a search follows."""
        self._untimed = None
        self.leave_live()
        self._clock.pause()
        self._tree_delay.stop()

    def stop(self) -> None:
        """Stop this slot's search; show what it found of all pairs, or again what was found before it."""
        self.worker.cancel("search", self.slot.id)
        self.searching_changed.emit(False)
        if self.slot.dragged is not None:
            self.show_quickly()
        elif not any(other.keep_stopped() for other in self.of_kind.values()):
            self._keep_stopped()

    def _keep_stopped(self) -> None:
        """Go on showing what a search that was stopped recorded so far."""
        live = self.slot.live
        if live is not None and not live.stopped:
            self.slot.show_live(replace(live, stopped=True))
            self.news.emit(
                translated(
                    "Stopped after step {trace:,}: what was recorded stays. R searches anew.", trace=len(live.trace)
                )
            )

    def _job(self, request: SearchRequest) -> SearchJob:
        return SearchJob(request, self.slot.id)

    def search_on_cpu(self) -> None:
        """Run the search that a device failed at on the CPU, and stay there."""
        slot, declared = self.slot, self.slot.declared
        if declared is not None and not declared.runs_on(describe_device(CPU)):
            slot.choose_algorithm(AUTO)
        slot.choose_device(CPU)
        self.run()

    def on_failed(self, request: SearchRequest | PairsRequest, problem: BaseException) -> bool:
        """Show the result before the failed search again; the worker reports what is not a device's fault."""
        self.searching_changed.emit(False)
        self.leave_live()
        if isinstance(problem, DeviceError) and request.device != CPU:
            self.device_failed.emit(problem)
            return True
        return False

    def _on_live(self, request: SearchRequest, trace: Trace) -> None:
        self.show_live(Live(trace, request.network.metric(request.metric)))

    def show_live(self, live: Live) -> None:
        """Show a search that still runs, in place of the result before it."""
        slot = self.slot
        if len(live.trace) == 0:
            return
        if slot.live is None:
            self._before_live = slot.player.position, slot.tree_shown
            slot.player.load(None, None)
        slot.show_live(live)
        slot.player.follow(live.trace)

    def leave_live(self) -> None:
        """Show the last result again as before the search that was stopped or failed, or none."""
        if self.slot.live is None:
            return
        position, tree_shown = self._before_live
        if not any(other.show_again() for other in self.of_kind.values()):
            self.show_from_the_start(self.slot.result)
        self.slot.player.seek(position)
        self.slot.show_tree(tree_shown)

    def _on_quick(self, result: Result) -> None:
        self.searching_changed.emit(False)
        if self.slot.player.trace is not None:
            self.slot.player.load(None, None)
        self.slot.show(result)
        self.slot.show_tree(True)

    def _on_found(self, request: SearchRequest, result: Result) -> None:
        self.searching_changed.emit(False)
        log.info("%s on %s: %d steps", formatting.title(result.algorithm), result.device_name, result.steps)
        self.show_from_the_start(result)
        self._untimed = request.clean(result)
        if said := formatting.islet(result) or result.note:
            self.news.emit(f"{said[:1].upper()}{said[1:]}.")
        # Drawing a replay disturbs what is timed meanwhile, so the two never run together.
        if RUNS * (result.timing.traced_ms or 0.0) < TIMED_FIRST_MS:
            self._time()
        else:
            self._clock.play()

    def show_recorded(self, result: Result) -> bool:
        """Replay a search that was recorded beforehand where none is compiled yet; clean runs follow here too.

        Returns whether a tree from there is what is chosen.
        """
        asked = self.slot.request(runs=0, trace_budget=None, source=result.source)
        if asked is None or self.slot.kind is not SearchKind.ONE_TREE or self.slot.metric_name != result.metric.name:
            return False
        if self.slot.reverse != result.reverse:
            return False
        self.slot.choose_source(result.source)
        self._chosen = self.slot.choice
        self.show_from_the_start(result)
        self._untimed = asked.clean(result)
        self.news.emit(
            translated("Recorded beforehand: this machine's own search is being prepared, and is timed after that.")
        )
        self._clock.play()
        return True

    def _on_found_again(self, run: TimedRun, result: Result) -> None:
        """Show a search that was timed before, with its times."""
        self.searching_changed.emit(False)
        run.found = replace(result, timing=replace(run.timing, traced_ms=result.timing.traced_ms))
        self.show_from_the_start(run.found)
        self._clock.play()

    def _on_found_before(self, shown: Shown, result: Result) -> None:
        """Show a search again whose result was let go."""
        self.searching_changed.emit(False)
        self.show_from_the_start(result)
        self._look_at(shown)

    def bring_back(self, run: TimedRun) -> None:
        """Choose what was chosen for a timed search on this network, and show it again."""
        self.choose(run.choice)
        if run.found is not None and run.found.network is self.slot.network:
            self.prepare_to_run()
            self.show_from_the_start(run.found)
            self._clock.play()
        elif self.slot.kind is not SearchKind.ALL_PAIRS:
            self.run(again=run)
        else:
            self.news.emit(translated("Run (R) searches all pairs with these choices again."))

    def choose_again(self, choice: Choice, shown: Shown | None) -> None:
        """Go back, or on, to another choice on this network, and to what was ``shown`` with it.

        What is not kept any more is searched for again, and shown at the same step.
        """
        before = self.slot.choice
        self.choose(choice)
        if self.searching and self._chosen == choice:
            return
        if self.searching:
            self.worker.cancel("search", self.slot.id)
            self.searching_changed.emit(False)
        if shown is not None and shown.is_on(self.slot):
            return
        if shown is not None and shown.found_on(self.slot.network) is not None:
            self.show_again(shown)
        elif shown is not None and shown.recorded and choice.kind is not SearchKind.ALL_PAIRS:
            self.run(shown=shown)
        elif choice.kind is not SearchKind.ALL_PAIRS and not _finds_the_same(choice, before):
            self.show_quickly()

    def show_again(self, shown: Shown) -> None:
        """Show what was shown before, at the step or as the tree that was seen then."""
        self.worker.cancel("search", self.slot.id)
        self.prepare_to_run()
        found, others = shown.found, self.of_kind.get(SearchKind.ALL_PAIRS)
        if isinstance(found, Live):
            self.show_live(found)
        elif isinstance(found, Pairs):
            assert others is not None
            others.show(found, shown.matrix)
        else:
            self.show_from_the_start(found)
        self._look_at(shown)

    def _look_at(self, shown: Shown) -> None:
        self.slot.player.seek(shown.position)
        self.show_tree(shown.tree)

    # ------------------------------------------------------------------------------------------ closed turns

    @property
    def turns(self) -> Turns:
        """The slot's closed turns, as they will be once the network that was asked for last is made."""
        number, turns = self._asked_turns
        return turns if self.worker.awaits(number) else self.slot.turns

    def await_turns(
        self, turns: Turns, once_made: Callable[[], None], without: Callable[[], None] | None = None
    ) -> int:
        """Call ``once_made`` when the network in which these turns are closed is at hand: now, or once it is made.

        Returns the number of the job that makes it on the engine thread, 0 for none. ``without`` is called where the
        network lacks a turn, and the problem is not reported then.
        """
        opened = self.slot.opened
        assert opened is not None
        self.drop_turns()
        if is_made(opened, turns):
            once_made()
            return 0

        def lacking(problem: BaseException) -> bool:
            if without is None or not isinstance(problem, NetworkError):
                return False
            without()
            return True

        def made(_network: RoadNetwork) -> None:
            if self.slot.opened is opened and self.slot in self.session.slots:
                once_made()

        job = CloseTurnsJob(opened, turns, self.slot.id)
        number = self.worker.submit(job, made, on_failed=lacking)
        self._asked_turns = number, turns
        return number

    def drop_turns(self) -> bool:
        """Drop a network of other turns that is still being made; return whether there was one."""
        asked = self.worker.awaits(self._asked_turns[0])
        if asked:
            self.worker.cancel("turns", self.slot.id)
        return asked

    def choose(self, choice: Choice) -> None:
        """Take a choice without a search for its closed roads."""
        self._takes_closures = True
        self.slot.take_turns(choice.turns)
        self.slot.take_choice(choice)
        self._takes_closures = False

    def _time(self) -> None:
        for other in self.of_kind.values():
            other.time()
        request, self._untimed = self._untimed, None
        traced = self.slot.result
        if request is not None and traced is not None:
            failed = partial(self.on_failed, request)
            self.worker.submit(self._job(request), partial(self._on_timed, traced), on_failed=failed)

    def _on_timed(self, traced: Result, clean: Result) -> None:
        timing = replace(clean.timing, traced_ms=traced.timing.traced_ms)
        log.info("%d clean runs: %s", len(timing.runs_ms), formatting.milliseconds(timing.median_ms))
        timed = replace(traced, timing=timing, device_name=clean.device_name)
        self.session.add_timing(self.slot, timed, self._chosen)
        self.slot.player.take_time(timing.median_ms)
        if self.slot.player.position == 0:
            self._clock.play()

    # ------------------------------------------------------------------------------------------- closed roads

    def take_closures(self, arcs: NDArray[np.int64]) -> None:
        """Close exactly these arcs without a search: what was found with them is shown next."""
        self._takes_closures = True
        self.slot.closures.replace(as_arcs(arcs))
        self._takes_closures = False

    def _on_closures(self) -> None:
        """Find the tree anew, as in a drag during a stroke; all pairs may take hours, so a person starts that."""
        if self._takes_closures:
            return
        if self.session.several:
            self.news.emit(translated("Run (R) races with the roads that are closed now."))
            return
        if self.slot.kind is not SearchKind.ALL_PAIRS:
            if self.slot.closures.in_stroke and self.stroke_is_followed():
                self._stroke_followed = True
                self._follow()
            else:
                self.show_quickly()
        elif self.slot.shown_pairs is not None:
            self.news.emit(translated("Run (R) searches all pairs with the roads that are closed now."))

    def end_stroke(self) -> None:
        """Show the tree whole that a stroke over roads left as the picture of a drag."""
        if self._stroke_followed:
            self._stroke_followed = False
            self.show_quickly()

    # ------------------------------------------------------------------------------------------------ replaying

    def show_from_the_start(self, result: Result | None) -> None:
        """Show a result, or none, with its replay at the first step; what was shown before is timed no more."""
        self._untimed = None
        self.slot.player.load(None, None)
        self.slot.show(result)
        if result is not None:
            self.slot.player.load(result.trace, result.distances, result.timing.median_ms)

    def show_tree(self, shown: bool) -> None:
        """Show the finished tree, or go back to the step of the replay."""
        shown = shown and self.slot.tree_offered
        self._tree_delay.stop()
        if shown:
            self._clock.pause()
        self.slot.show_tree(shown)

    def follow_clock(self) -> None:
        """Show the search while the clock runs; take the times that wait for it to pause."""
        if self._clock.playing:
            self._tree_delay.stop()
            self.slot.show_tree(False)
        else:
            self._time()

    def _on_finished(self) -> None:
        if self.slot.tree_offered and not self.session.several:  # others may still be on their way
            self._tree_delay.start()

    def _on_moved(self) -> None:
        self._tree_delay.stop()
        self.slot.show_tree(False)


def _finds_the_same(choice: Choice, other: Choice) -> bool:
    """Return whether searches by two choices find the same tree or route, apart from what has to be run to see it."""
    same = (choice.source, choice.reverse) == (other.source, other.reverse)
    same = same and choice.turns == other.turns and np.array_equal(choice.closures, other.closures)
    return same and (choice.kind is not SearchKind.ROUTE or choice.targets == other.targets)


def _is_quick(job: object) -> bool:
    if isinstance(job, SearchJob):
        return job.request.trace_budget is None and job.request.runs == 0
    return bool(getattr(job, "quick", False))
