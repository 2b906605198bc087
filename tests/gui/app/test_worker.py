"""The engine thread does one job at a time, stops when asked, and never reports what no longer counts."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QThread
from pytestqt.qtbot import QtBot

from wayfront.safe.errors import FormatError, NetworkError, SearchCancelled
from wayfront.searching.run import Progress
from wayfront_gui.app.engine_thread import KEPT_LANE, Worker, join_left, problem_text
from wayfront_gui.app.jobs import Report, _Watcher


@dataclass
class Task:
    """A job that does what a test says."""

    do: Callable[[Report], Any]
    lane: str = "search"
    slot: int | None = None
    threads: list[int] = field(default_factory=list)

    def run(self, report: Report) -> Any:
        self.threads.append(threading.get_ident())
        return self.do(report)


def _note(answers: list[int], number: int, _: Any) -> None:
    answers.append(number)


def wait_for_cancel(report: Report) -> None:
    assert report.cancel.wait(5), "nobody cancelled"
    raise SearchCancelled("stopped")


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.shut_down()


def test_runs_off_the_window_s_thread_and_answers_in_it(worker: Worker, qtbot: QtBot) -> None:
    task, answers = Task(lambda _: 42), []
    worker.submit(task, lambda value: answers.append((value, QThread.currentThread() is worker.thread())))
    qtbot.waitUntil(lambda: bool(answers))
    assert answers == [(42, True)]
    assert task.threads != [threading.get_ident()]
    assert not worker.busy


def test_a_newer_job_of_its_lane_stops_the_running_one_and_drops_the_waiting(worker: Worker, qtbot: QtBot) -> None:
    answers: list[str] = []
    ran: list[str] = []

    def job(name: str, do: Callable[[Report], Any] = lambda _: None) -> None:
        def run(report: Report) -> Any:
            ran.append(name)
            return do(report)

        worker.submit(Task(run), lambda _: answers.append(name))

    job("first", wait_for_cancel)
    job("second")
    job("third")
    qtbot.waitUntil(lambda: not worker.busy)
    assert answers == ["third"]
    assert "second" not in ran


def test_without_interruption_the_running_job_may_finish(worker: Worker, qtbot: QtBot) -> None:
    answers: list[int] = []
    go = threading.Event()
    worker.submit(Task(lambda _: go.wait(5)), lambda _: answers.append(1))
    for number in (2, 3, 4):
        worker.submit(Task(lambda _: None), partial(_note, answers, number), interrupt=False)
    go.set()
    qtbot.waitUntil(lambda: not worker.busy)
    assert answers == [1, 4], "of those that waited only the newest counts"


def test_lanes_do_not_disturb_each_other(worker: Worker, qtbot: QtBot) -> None:
    answers: list[str] = []
    go = threading.Event()
    worker.submit(Task(lambda _: go.wait(5), lane="open"), lambda _: answers.append("open"))
    worker.submit(Task(lambda _: None, lane="search"), lambda _: answers.append("search"))
    go.set()
    qtbot.waitUntil(lambda: not worker.busy)
    assert answers == ["open", "search"]


def test_a_cancelled_job_reports_nothing_even_if_it_finishes(worker: Worker, qtbot: QtBot) -> None:
    answers: list[Any] = []
    go = threading.Event()

    def stubborn(report: Report) -> str:
        go.wait(5)
        report.progress("too late", 1.0)
        return "done all the same"

    worker.progressed.connect(lambda *said: answers.append(said))
    worker.failed.connect(answers.append)
    worker.submit(Task(stubborn), answers.append, answers.append)
    worker.cancel()
    go.set()
    qtbot.waitUntil(lambda: not worker.busy)
    assert answers == []


def test_cancelling_one_lane_leaves_the_others(worker: Worker, qtbot: QtBot) -> None:
    answers: list[str] = []
    worker.submit(Task(wait_for_cancel, lane="search"), lambda _: answers.append("search"))
    worker.submit(Task(lambda _: None, lane="open"), lambda _: answers.append("open"))
    worker.cancel("search")
    qtbot.waitUntil(lambda: not worker.busy)
    assert answers == ["open"]


def test_progress_and_live_pictures_arrive_in_order(worker: Worker, qtbot: QtBot) -> None:
    seen: list[Any] = []

    def tell(report: Report) -> str:
        report.progress("reading", 0.5)
        report.live("half")
        return "whole"

    worker.progressed.connect(lambda stage, fraction: seen.append((stage, fraction)))
    worker.submit(Task(tell), seen.append, seen.append)
    qtbot.waitUntil(lambda: not worker.busy)
    assert seen == [("reading", 0.5), "half", "whole"]


def test_a_forecast_arrives_unless_its_job_was_dropped(worker: Worker, qtbot: QtBot) -> None:
    told: list[Any] = []
    worker.forecast.connect(lambda words, seconds: told.append((words, seconds)))
    worker.submit(Task(lambda report: report.forecast("long", 12.5)))
    qtbot.waitUntil(lambda: not worker.busy)
    go = threading.Event()

    def stubborn(report: Report) -> None:
        go.wait(5)
        report.forecast("too late", 1.0)

    worker.submit(Task(stubborn))
    worker.cancel()
    go.set()
    qtbot.waitUntil(lambda: not worker.busy)
    assert told == [("long", 12.5)]


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize("announces", [True, False])
def test_progress_of_a_search_with_known_steps_has_a_share_and_a_forecast(live: bool, announces: bool) -> None:
    told: list[Any] = []
    report = Report(
        threading.Event(), lambda *said: told.append(said), told.append, lambda *said: told.append(("ahead", *said))
    )
    watcher = _Watcher(report, "dijkstra", live, announces)
    watcher(Progress("forecast", 0, None, 2000, 25.0))
    watcher(Progress("tracing", 500, None, 2000, 25.0))
    watcher(Progress("timing", 7))
    forecast = ("ahead", "Dijkstra, bucket queue will take about 25 s here: 2,000 steps", 25.0)
    assert told == [
        ("Estimating the time", 0.0),
        *([forecast] if announces else []),  # clean runs were announced with the run that was recorded
        ("Searching, step 500", 0.25),
        ("Timing clean runs, step 7", -1.0),
    ]


def test_a_failure_is_told_problem_text_and_the_thread_lives_on(
    worker: Worker, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    problems: list[str] = []
    worker.failed.connect(problems.append)

    def refuse(_: Report) -> None:
        raise FormatError("arc count is too small", "a.gr", 3)

    def stumble(_: Report) -> None:
        raise ZeroDivisionError("oh")

    worker.submit(Task(refuse, lane="a"))
    worker.submit(Task(stumble, lane="b"))
    answers: list[int] = []
    worker.submit(Task(lambda _: 1, lane="c"), answers.append)
    qtbot.waitUntil(lambda: answers == [1])
    assert problems == ["a.gr:3: arc count is too small", "An unexpected problem occurred (ZeroDivisionError: oh)."]
    assert "Traceback" in caplog.text, "what nobody foresaw is in the log with its traceback"


def test_busy_is_told_once_for_a_chain_of_jobs(worker: Worker, qtbot: QtBot) -> None:
    told: list[bool] = []
    worker.busy_changed.connect(told.append)

    def go_on(_: Any) -> None:
        worker.submit(Task(lambda _: None))

    worker.submit(Task(lambda _: None), go_on)
    qtbot.waitUntil(lambda: told[-1:] == [False])
    assert told[0] is True
    assert told.count(False) == 1


def test_shutting_down_stops_a_running_job(qtbot: QtBot) -> None:
    worker = Worker()
    worker.submit(Task(wait_for_cancel))
    assert worker.shut_down(), "its thread has ended"
    assert not worker.busy


def test_a_thread_that_does_not_notice_is_not_waited_for_and_not_destroyed() -> None:
    go_on = threading.Event()
    answers: list[Any] = []
    worker = Worker()
    worker.submit(Task(lambda _: go_on.wait(5)), answers.append)
    assert not worker.shut_down(0.0), "it goes on"
    worker.deleteLater()
    del worker
    go_on.set()
    assert join_left()
    QCoreApplication.processEvents()
    assert answers == []


def test_shutting_down_drops_searches_but_not_files_that_were_to_be_saved() -> None:
    done: list[str] = []
    started = threading.Event()
    worker = Worker()

    def save(name: str) -> None:
        started.set()
        time.sleep(0.1)
        done.append(name)

    worker.submit(Task(lambda _: save("first"), lane=KEPT_LANE))
    assert started.wait(5)
    worker.submit(Task(lambda _: done.append("a search")))
    worker.submit(Task(lambda _: save("second"), lane=KEPT_LANE, slot=2))
    assert worker.shut_down(0.0), "it waits for the files, however short the limit is"
    assert done == ["first", "second"]


@pytest.mark.parametrize("problem", [MemoryError(), SystemExit(3), RecursionError("too deep"), KeyError("nodes")])
def test_whatever_a_job_raises_is_one_sentence_and_the_thread_goes_on(
    worker: Worker, qtbot: QtBot, problem: BaseException
) -> None:
    told: list[str] = []
    answers: list[int] = []
    worker.failed.connect(told.append)

    def fail(_: Report) -> None:
        raise problem

    worker.submit(Task(fail))
    worker.submit(Task(lambda _: 7, lane="other"), answers.append)
    qtbot.waitUntil(lambda: bool(answers))
    assert len(told) == 1 and told[0].endswith(".") and "\n" not in told[0]


def test_what_cannot_be_shown_is_told_and_the_next_job_runs(worker: Worker, qtbot: QtBot) -> None:
    told: list[str] = []
    answers: list[int] = []
    busy: list[bool] = []
    worker.failed.connect(told.append)
    worker.busy_changed.connect(busy.append)

    def show(_: Any) -> None:
        raise NetworkError("it has too many nodes for a map")

    worker.submit(Task(lambda _: 1), show)
    worker.submit(Task(lambda _: 2, lane="other"), answers.append)
    qtbot.waitUntil(lambda: busy[-1:] == [False])
    assert told == ["it has too many nodes for a map"]
    assert answers == [2]


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (FileNotFoundError(2, "No such file", "x.gr"), "There is no file x.gr."),
        (IsADirectoryError(21, "Is a directory", "maps"), "maps is a folder, not a network."),
        (PermissionError(13, "Permission denied", "x.gr"), "x.gr: Permission denied."),
        (MemoryError(), "This machine has not enough memory for that."),
    ],
)
def test_problem_text(problem: Exception, words: str) -> None:
    assert problem_text(problem) == words
