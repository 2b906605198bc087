"""The one engine thread: it opens files, runs searches and owns the CUDA context.

The window's thread submits jobs and keeps those that wait in a plain list, so that no lock is needed; the engine
thread has one job at a time. A newer job of the same lane and slot drops those still waiting, and a ticket that was
dropped never reports again, whatever its job still does. A job is stopped by asking (``threading.Event``), which the
engine looks at between two steps: a thread is never terminated.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, QThread, Signal, Slot

from wayfront.errors import OpenCancelled, SearchCancelled, WayfrontError
from wayfront_gui.engine_thread.jobs import Job, Report

log = logging.getLogger(__name__)
_numbers = itertools.count(1)


def _nothing(_: Any) -> None:
    pass


def _not_settled(_: Exception) -> bool:
    return False


@dataclass(slots=True, eq=False)
class Ticket:
    """A submitted job. Its three callbacks are called in the window's thread, unless it is stale.

    ``on_failed`` returns whether that settles the problem; if not, ``Worker.failed`` reports it.
    """

    job: Job
    on_done: Callable[[Any], None]
    on_live: Callable[[Any], None]
    on_failed: Callable[[Exception], bool] = _not_settled
    number: int = field(default_factory=_numbers.__next__)
    cancel: Event = field(default_factory=Event)


class _Engine(QObject):
    """Lives in the engine thread and does one ticket after the other."""

    progressed = Signal(int, str, float)
    live = Signal(int, object)
    forecast = Signal(int, str, float)
    ended = Signal(int, object, object)

    @Slot(object)
    def execute(self, ticket: Ticket) -> None:
        """Run a ticket's job and report how it ended: with a value, or with an exception."""
        number = ticket.number
        report = Report(
            cancel=ticket.cancel,
            progress=lambda stage, fraction: self.progressed.emit(number, stage, fraction),
            live=lambda trace: self.live.emit(number, trace),
            forecast=lambda text, seconds: self.forecast.emit(number, text, seconds),
        )
        try:
            self.ended.emit(number, ticket.job.run(report), None)
        except Exception as problem:
            self.ended.emit(number, None, problem)


class Worker(QObject):
    """Passes jobs to the engine thread, one at a time, and their results back."""

    progressed = Signal(str, float)
    """The stage of the running job, and the fraction done (-1: unknown)."""
    forecast = Signal(str, float)
    """How long the running search will take, as text and in seconds."""
    busy_changed = Signal(bool)
    failed = Signal(str)
    """Why a job failed, as a message for a person."""
    _started = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[Ticket] = []
        self._running: Ticket | None = None
        self._stale: set[int] = set()
        self._thread = QThread()
        self._thread.setObjectName("wayfront engine")
        self._engine = _Engine()
        self._engine.moveToThread(self._thread)
        self._started.connect(self._engine.execute)
        self._engine.progressed.connect(self._on_progress)
        self._engine.live.connect(self._on_live)
        self._engine.forecast.connect(self._on_forecast)
        self._engine.ended.connect(self._on_ended)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether a job is running or waiting."""
        return self._running is not None or bool(self._waiting)

    @property
    def running(self) -> Job | None:
        """The running job, None if there is none or it was cancelled."""
        ticket = self._running
        return None if ticket is None or ticket.number in self._stale else ticket.job

    def submit(
        self,
        job: Job,
        on_done: Callable[[Any], None] = _nothing,
        on_live: Callable[[Any], None] = _nothing,
        *,
        on_failed: Callable[[Exception], bool] = _not_settled,
        interrupt: bool = True,
    ) -> int:
        """Do ``job`` as soon as the thread is free; return its number.

        Jobs of its lane and slot that still wait are dropped. ``interrupt`` also stops the one of its lane and slot
        that runs; without it that one may finish and report.
        """
        self._waiting = [t for t in self._waiting if not _same_lane(t.job, job)]
        if interrupt and self._running is not None and _same_lane(self._running.job, job):
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

    def shut_down(self) -> None:
        """Stop everything and join the thread; the worker is of no use after that."""
        self.cancel()
        self._thread.quit()
        self._thread.wait()

    def _drop_running(self) -> None:
        assert self._running is not None
        self._stale.add(self._running.number)
        self._running.cancel.set()

    def _next(self) -> None:
        if self._running is not None or not self._waiting:
            return
        self._running = self._waiting.pop(0)
        self.busy_changed.emit(True)
        self._started.emit(self._running)

    def _counts(self, number: int) -> bool:
        return self._running is not None and self._running.number == number and number not in self._stale

    @Slot(int, str, float)
    def _on_progress(self, number: int, stage: str, fraction: float) -> None:
        if self._counts(number):
            self.progressed.emit(stage, fraction)

    @Slot(int, str, float)
    def _on_forecast(self, number: int, text: str, seconds: float) -> None:
        if self._counts(number):
            self.forecast.emit(text, seconds)

    @Slot(int, object)
    def _on_live(self, number: int, trace: Any) -> None:
        if self._counts(number) and self._running is not None:
            self._running.on_live(trace)

    @Slot(int, object, object)
    def _on_ended(self, number: int, value: Any, problem: Exception | None) -> None:
        ticket, counts = self._running, self._counts(number)
        assert ticket is not None
        self._running = None
        self._stale.discard(number)
        if counts and problem is None:
            ticket.on_done(value)
        elif not counts or problem is None or isinstance(problem, (SearchCancelled, OpenCancelled)):
            pass  # cancelled
        elif not ticket.on_failed(problem):
            self.failed.emit(problem_text(problem))
        self._next()
        if self._running is None:
            self.busy_changed.emit(False)


def _same_lane(job: Job, other: Job) -> bool:
    return (job.lane, job.slot) == (other.lane, other.slot)


def problem_text(problem: BaseException | None) -> str:
    """Return the message for a problem; an unexpected one is logged with its traceback."""
    if isinstance(problem, WayfrontError):
        return str(problem)
    if isinstance(problem, FileNotFoundError):
        return f"There is no file {problem.filename}."
    if isinstance(problem, IsADirectoryError):
        return f"{problem.filename} is a folder, not a network."
    if isinstance(problem, OSError):
        return f"{problem.filename}: {problem.strerror}." if problem.filename else str(problem)
    if isinstance(problem, MemoryError):
        return "This machine has not enough memory for that."
    log.error("unexpected problem in the engine thread", exc_info=problem)
    return f"An unexpected problem occurred ({type(problem).__name__}: {problem})."
