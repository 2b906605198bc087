"""Two slots on one engine thread: each runs, cancels and shows its own search and leaves the other's alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import SearchCancelled
from wayfront_gui.app.controller import Controller
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Slot


class SlowEngine:
    """Stands in for the engine: every search waits until it is released or cancelled, and is noted."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.begun: list[tuple[int, int]] = []
        self.cancelled: list[tuple[int, int]] = []

    def run(self, job: SearchJob, report: Report) -> Result:
        key = (job.slot, job.request.source)
        self.begun.append(key)
        while not self.release.wait(0.002):
            if report.cancel.is_set():
                self.cancelled.append(key)
                raise SearchCancelled("stopped")
        return make_result(job.request.network, job.request.source, runs_ms=() if job.request.runs == 0 else (1.0,))


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    engine = SlowEngine()

    def run(job: SearchJob, report: Report) -> Result:
        return engine.run(job, report)

    monkeypatch.setattr(SearchJob, "run", run)
    return engine


@pytest.fixture
def controller(qtbot: QtBot, grid: RoadNetwork) -> Iterator[Controller]:
    session = Session()
    session.active.open(grid)
    controller = Controller(session, Worker())
    session.add_slot()
    yield controller
    controller.shut_down()


def test_a_second_search_cancels_only_its_own_slot_s(controller: Controller, engine: SlowEngine, qtbot: QtBot) -> None:
    first, second = controller.session.slots
    controller.control_of(first).choose_source(1)
    qtbot.waitUntil(lambda: engine.begun == [(first.id, 1)])
    controller.control_of(second).choose_source(2)
    controller.control_of(second).choose_source(3)
    qtbot.wait(20)
    assert engine.cancelled == [] and engine.begun == [(first.id, 1)], "the other slot's search goes on"
    controller.control_of(first).choose_source(4)
    qtbot.waitUntil(lambda: engine.cancelled == [(first.id, 1)])
    engine.release.set()
    qtbot.waitUntil(lambda: not controller.worker.busy)
    assert engine.begun[1:3] == [(second.id, 3), (first.id, 4)], "what waited and was replaced never begins"
    assert sources_shown(first, second) == [4, 3]
    assert {timing["source"] for timing in controller.session.timings} == {104, 103}


def test_stopping_one_slot_leaves_the_other_searching(controller: Controller, engine: SlowEngine, qtbot: QtBot) -> None:
    first, second = controller.session.slots
    controller.control_of(first).choose_source(1)
    controller.control_of(second).choose_source(2)
    qtbot.waitUntil(lambda: engine.begun == [(first.id, 1)])
    controller.control_of(first).stop()
    qtbot.waitUntil(lambda: engine.begun[1:] == [(second.id, 2)])
    engine.release.set()
    qtbot.waitUntil(lambda: not controller.worker.busy)
    assert sources_shown(first, second) == [None, 2]


def test_a_removed_slot_s_search_is_stopped_and_reports_nothing(
    controller: Controller, engine: SlowEngine, qtbot: QtBot
) -> None:
    first, second = controller.session.slots
    controller.control_of(second).choose_source(2)
    qtbot.waitUntil(lambda: engine.begun == [(second.id, 2)])
    controller.session.remove_slot(second)
    qtbot.waitUntil(lambda: not controller.worker.busy)
    assert engine.cancelled == [(second.id, 2)] and second.result is None
    with pytest.raises(KeyError):
        controller.control_of(second)
    engine.release.set()
    controller.control_of(first).choose_source(7)
    qtbot.waitUntil(lambda: not controller.worker.busy)
    assert sources_shown(first) == [7]


def test_a_live_search_is_shown_in_its_own_slot(controller: Controller, result: Result) -> None:
    first, second = controller.session.slots
    assert result.trace is not None
    for slot in (first, second):
        slot.show(result)
    second.choose_source(5)
    asked = second.request(runs=0, trace_budget=1 << 20, live=True)
    assert asked is not None
    controller.control_of(second)._on_live(asked, result.trace)
    assert second.live is not None and first.live is None
    assert first.tree_offered and not second.tree_offered
    assert [s.player.trace is result.trace for s in (first, second)] == [False, True]


def sources_shown(*slots: Slot) -> list[int | None]:
    return [None if slot.result is None else slot.result.source for slot in slots]
