"""The one engine thread: it opens files, runs searches and owns the CUDA context.

The window's thread submits jobs and keeps those that wait in a plain list, so that no lock is needed; the engine
thread has one job at a time. A newer job of the same lane and slot drops those still waiting, and a ticket that was
dropped never reports again, whatever its job still does. A job is stopped by asking (``threading.Event``), which the
engine looks at between two steps: a thread is never terminated. One that does not notice soon, because a compiler or a
server keeps it, is left to end by itself; ``join_left`` waits for those at the end of the program.
"""

from __future__ import annotations

import itertools
import logging
import math
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any

from PySide6.QtCore import QDeadlineTimer, QObject, QThread, Signal, Slot

from wayfront.safe.errors import OpenCancelled, SearchCancelled, WayfrontError
from wayfront_gui.app.jobs import Job, Report
from wayfront_gui.ui.translation import translated, translated_message

log = logging.getLogger(__name__)
_numbers = itertools.count(1)
KEPT_LANE = "save"
"""Jobs of this lane are done before a worker ends: a person asked for those files."""


@dataclass(slots=True, eq=False)
class _Left:
    """A thread that was asked to end, and what lives in it; neither may be destroyed before it has ended."""

    thread: QThread
    engine: QObject
    saves: bool


_left: list[_Left] = []


def _nothing(_: Any) -> None:
    pass


def _not_settled(_: BaseException) -> bool:
    return False


@dataclass(slots=True, eq=False)
class Ticket:
    """A submitted job. Its three callbacks are called in the window's thread, unless it is stale.

    ``on_failed`` returns whether that settles the problem; if not, ``Worker.failed`` reports it.
    """

    job: Job
    on_done: Callable[[Any], None]
    on_live: Callable[[Any], None]
    on_failed: Callable[[BaseException], bool] = _not_settled
    number: int = field(default_factory=_numbers.__next__)
    cancel: Event = field(default_factory=Event)


class _Engine(QObject):
    """Lives in the engine thread and does one ticket after the other."""

    said = Signal(int, object)
    """What to do with the worker in the window's thread, unless the job that says so was dropped by then."""
    ended = Signal(int, object, object)

    @Slot(object)
    def execute(self, ticket: Ticket) -> None:
        """Run a ticket's job and report how it ended: with a value, or with an exception."""
        number = ticket.number

        def say(call: Callable[[Worker], None]) -> None:
            self.said.emit(number, call)

        report = Report(
            cancel=ticket.cancel,
            progress=lambda stage, share: say(lambda worker: worker.progressed.emit(translated_message(stage), share)),
            live=lambda found: say(lambda _worker: ticket.on_live(found)),
            forecast=lambda text, seconds: say(lambda worker: worker.forecast.emit(text, seconds)),
        )
        value, problem = None, None
        try:
            value = ticket.job.run(report)
        except BaseException as raised:  # whatever it is, even an exit: the thread goes on, and says so
            problem = raised
        self.ended.emit(number, value, problem)

    @Slot()
    def leave(self) -> None:
        """End the thread once what was started before is done."""
        QThread.currentThread().quit()


class Worker(QObject):
    """Passes jobs to the engine thread, one at a time, and their results back."""

    progressed = Signal(str, float)
    """The stage of the running job, and the fraction done (-1: unknown)."""
    forecast = Signal(str, float)
    """How long the running search will take, as text and in seconds."""
    busy_changed = Signal(bool)
    """Whether a job is running, other than quiet ones: a tree that follows the mouse is there before anyone looks."""
    done = Signal(str)
    """A job did what it was asked for: its lane."""
    failed = Signal(str)
    """Why a job failed, as a message for a person."""
    _started = Signal(object)
    _ending = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[Ticket] = []
        self._running: Ticket | None = None
        self._stale: set[int] = set()
        self._begun_s = 0.0
        self._busy_told = False
        self._thread: QThread | None = QThread()
        self._thread.setObjectName("wayfront engine")
        self._engine = _Engine()
        self._engine.moveToThread(self._thread)
        self._started.connect(self._engine.execute)
        self._ending.connect(self._engine.leave)
        self._engine.said.connect(self._on_said)
        self._engine.ended.connect(self._on_ended)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a job is running or waiting."""
        return self._running is not None or bool(self._waiting)

    @property
    def busy_as_reported(self) -> bool:
        """Whether a job is running or waiting that people see: a quiet one is not."""
        return any(not _is_quiet(ticket.job) for ticket in (*filter(None, (self._running,)), *self._waiting))

    def awaits(self, number: int) -> bool:
        """Return whether a job is still to report: it waits or runs, and was not dropped."""
        return self._counts(number) or any(ticket.number == number for ticket in self._waiting)

    @property
    def running(self) -> Job | None:
        """The running job, None if there is none or it was cancelled."""
        ticket = self._running
        return None if ticket is None or ticket.number in self._stale else ticket.job

    @property
    def running_s(self) -> float:
        """For how many seconds the running job has run, 0 if there is none or it was cancelled."""
        return 0.0 if self.running is None else time.monotonic() - self._begun_s

    def submit(
        self,
        job: Job,
        on_done: Callable[[Any], None] = _nothing,
        on_live: Callable[[Any], None] = _nothing,
        *,
        on_failed: Callable[[BaseException], bool] = _not_settled,
        interrupt: bool = True,
    ) -> int:
        """Do ``job`` as soon as the thread is free; return its number.

        Jobs of its lane and slot that still wait are dropped. ``interrupt`` also stops the one of its lane and slot
        that runs; without it that one may finish and report. Files to be saved do not drop one another.
        """
        saves = job.lane == KEPT_LANE
        self._waiting = [t for t in self._waiting if saves or not _same_lane(t.job, job)]
        if not saves and interrupt and self._running is not None and _same_lane(self._running.job, job):
            self._drop_running()
        ticket = Ticket(job, on_done, on_live, on_failed)
        self._waiting.append(ticket)
        self._next()
        return ticket.number

    def cancel(self, lane: str | None = None, slot: int | None = None) -> None:
        """Stop what runs and drop what waits; nothing of it reports any more.

        ``lane`` and ``slot`` limit that to the jobs of one lane, of one slot, or both.
        """

        def meant(job: Job) -> bool:
            return lane in (None, job.lane) and slot in (None, job.slot)

        self._waiting = [t for t in self._waiting if not meant(t.job)]
        if self._running is not None and meant(self._running.job):
            self._drop_running()

    def shut_down(self, within_s: float | None = None) -> bool:
        """Stop everything but files being saved, and join the thread; the worker is of no use after that.

        Returns what ``join_left`` does, which also waits later for a thread that has not ended ``within_s`` seconds.
        """
        if self._thread is not None:
            running, saves = self._running, [t for t in self._waiting if t.job.lane == KEPT_LANE]
            keeps = running is not None and running.job.lane == KEPT_LANE
            if running is not None and not keeps:
                running.cancel.set()
            for ticket in saves:
                self._started.emit(ticket)
            self._ending.emit()
            _left.append(_Left(self._thread, self._engine, keeps or bool(saves)))
            self._thread, self._running, self._waiting = None, None, []
        return join_left(within_s)

    def _drop_running(self) -> None:
        assert self._running is not None
        self._stale.add(self._running.number)
        self._running.cancel.set()

    def _next(self) -> None:
        if self._running is not None or not self._waiting or self._thread is None:
            return
        self._running, self._begun_s = self._waiting.pop(0), time.monotonic()
        if not _is_quiet(self._running.job):
            self._busy_told = True
            self.busy_changed.emit(True)
        self._started.emit(self._running)

    def _tell_idle(self) -> None:
        """Report that nothing runs any more that was reported."""
        if self._busy_told and (self._running is None or _is_quiet(self._running.job)):
            self._busy_told = False
            self.busy_changed.emit(False)

    def _counts(self, number: int) -> bool:
        return self._running is not None and self._running.number == number and number not in self._stale

    @Slot(int, object)
    def _on_said(self, number: int, call: Callable[[Worker], None]) -> None:
        if self._counts(number):
            call(self)

    @Slot(int, object, object)
    def _on_ended(self, number: int, value: Any, problem: BaseException | None) -> None:
        ticket, counts = self._running, self._counts(number)
        if ticket is None:
            return  # it was shut down
        self._running = None
        self._stale.discard(number)
        try:
            if counts and problem is None:
                ticket.on_done(value)
                self.done.emit(ticket.job.lane)
            elif not counts or problem is None or isinstance(problem, (SearchCancelled, OpenCancelled)):
                pass  # cancelled
            elif not ticket.on_failed(problem):
                self.failed.emit(problem_text(problem))
        except (WayfrontError, OSError, MemoryError) as unshown:  # what was found cannot be shown
            self.failed.emit(problem_text(unshown))
        finally:
            self._next()
            self._tell_idle()


class Asked:
    """One thing that is asked of the engine thread, of which only the newest answer counts.

    It asks, drops what is stale and shows what comes, for every subject.
    """

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self.key: Hashable | None = None
        """What was asked for or is shown; None for nothing."""

    def ask(
        self,
        key: Hashable,
        job: Callable[[], Job],
        show: Callable[[Any], None],
        failed: Callable[[BaseException], bool] = _not_settled,
    ) -> bool:
        """Have ``job`` done and its answer shown, unless the same was asked for; return whether it is done now.

        ``failed`` is as in ``Worker.submit``; what failed may be asked for again.
        """
        if key == self.key:
            return False
        self.key = key
        self._worker.submit(job(), partial(self._on_found, key, show), on_failed=partial(self._on_failed, key, failed))
        return True

    def forget(self) -> bool:
        """Drop an answer that is still to come; return whether anything was asked for or shown."""
        asked, self.key = self.key is not None, None
        return asked

    def _on_found(self, key: Hashable, show: Callable[[Any], None], found: Any) -> None:
        if key == self.key:
            show(found)

    def _on_failed(self, key: Hashable, failed: Callable[[BaseException], bool], problem: BaseException) -> bool:
        if key == self.key:
            self.key = None
        return failed(problem)


def join_left(within_s: float | None = None) -> bool:
    """Wait for the threads of workers that were shut down; return whether all of them ended ``within_s`` seconds.

    A thread that saves a file has as long as that takes, and without a limit all have.
    """
    end = math.inf if within_s is None else time.monotonic() + within_s
    for left in tuple(_left):
        remaining_s = math.inf if left.saves else max(end - time.monotonic(), 0.0)
        deadline = QDeadlineTimer.ForeverConstant.Forever if math.isinf(remaining_s) else round(remaining_s * 1000)
        if left.thread.wait(QDeadlineTimer(deadline)):
            _left.remove(left)
    return not _left


def _is_quiet(job: Job | None) -> bool:
    return bool(getattr(job, "quiet", False))


def _same_lane(job: Job, other: Job) -> bool:
    return (job.lane, job.slot) == (other.lane, other.slot)


def problem_text(problem: BaseException | None) -> str:
    """Return the message for a problem; an unexpected one is logged with its traceback."""
    if isinstance(problem, WayfrontError):
        return translated_message(str(problem))
    if isinstance(problem, FileNotFoundError):
        return translated("There is no file {filename}.", filename=problem.filename)
    if isinstance(problem, IsADirectoryError):
        return translated("{filename} is a folder, not a network.", filename=problem.filename)
    if isinstance(problem, OSError):
        return f"{problem.filename}: {problem.strerror}." if problem.filename else str(problem)
    if isinstance(problem, MemoryError):
        return translated("This machine has not enough memory for that.")
    log.error("unexpected problem in the engine thread", exc_info=problem)
    return translated(
        "An unexpected problem occurred ({kind}: {problem}).", kind=type(problem).__name__, problem=problem
    )
