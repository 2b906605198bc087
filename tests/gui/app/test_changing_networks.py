"""Another network is opened under what runs: nothing of the former one is used with the new one, or shown on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

from map_layers import layer
from repository import REPOSITORY, TEST_DATA
from soak.monkey import play
from there import there
from wayfront.formats.native.codec import save_network
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront_gui.app.jobs import Opened, OpenJob, Report, SearchJob
from wayfront_gui.app.window import Window
from wayfront_gui.features.lessons.commands import MomentDialog
from wayfront_gui.features.lessons.file import Lesson, read_lesson
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.features.live_tree.control import DragControl
from wayfront_gui.features.race.state import Race
from wayfront_gui.session.choice import Targets

EVENTS = 120
TINY = str(TEST_DATA / "tiny.wayfront")


class Gate:
    """Holds the engine's thread in jobs of one kind until it is opened."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.reached = threading.Event()

    def wait(self, report: Report) -> None:
        self.reached.set()
        while not self.open.wait(0.01) and not report.cancel.is_set():
            pass


@pytest.fixture
def gate() -> Iterator[Gate]:
    gate = Gate()
    yield gate
    gate.open.set()


@pytest.fixture
def opening(monkeypatch: pytest.MonkeyPatch, gate: Gate) -> Gate:
    """Hold every file that is opened."""
    read: Callable[[OpenJob, Report], Opened] = OpenJob.run

    def run(job: OpenJob, report: Report) -> Opened:
        gate.wait(report)
        return read(job, report)

    monkeypatch.setattr(OpenJob, "run", run)
    return gate


@pytest.fixture
def searched(window: Window, grid: RoadNetwork, qtbot: QtBot) -> Window:
    """The window after a search of the grid, whose clean runs wait for the replay to pause."""
    window.session.active.open(grid)
    window.controller.choose_source(grid.node(130))
    qtbot.waitUntil(lambda: window.session.active.result is not None)
    return window


def opened(window: Window, gate: Gate, qtbot: QtBot, name: str = "tiny") -> RoadNetwork:
    """Let the file be read, and return its network once it is shown and nothing runs any more."""
    gate.open.set()
    qtbot.waitUntil(lambda: name in getattr(window.session.active.network, "name", ""))
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    return there(window.session.active.network)


def test_a_file_is_shown_in_every_slot_whichever_is_active_by_then(
    searched: Window, opening: Gate, qtbot: QtBot
) -> None:
    session = searched.session
    searched.controller.open(TINY)
    assert opening.reached.wait(30)
    added = there(session.state(Race).add())
    session.activate(added)
    network = opened(searched, opening, qtbot)
    assert [slot.network for slot in session.slots] == [network] * 2
    for slot in session.slots:
        session.activate(slot)
        assert slot.metric is not None and slot.metric in network.metrics
        assert slot.request(runs=0, trace_budget=None) is None or slot.source in range(network.node_count)


def test_a_file_is_shown_when_the_slot_that_was_active_is_gone(searched: Window, opening: Gate, qtbot: QtBot) -> None:
    session, first = searched.session, searched.session.active
    added = there(session.state(Race).add())
    searched.controller.open(TINY)
    assert opening.reached.wait(30)
    session.remove_slot(first)
    opened(searched, opening, qtbot)
    assert session.slots == [added]


def test_what_is_asked_for_while_a_file_is_read_is_not_searched_on_it(
    searched: Window, opening: Gate, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot, searches = searched.session.active, list[RoadNetwork]()

    def run(job: SearchJob, _report: Report) -> Result:
        searches.append(job.request.network)
        return make_result(*_source(job))

    monkeypatch.setattr(SearchJob, "run", run)
    before = slot.network
    searched.controller.open(TINY)
    assert opening.reached.wait(30)
    searched.map.source_moved.emit(3, True)
    network = opened(searched, opening, qtbot)
    assert before not in searches, "the former network is not searched once it is closed"
    assert slot.result is None or slot.result.network is network


def _source(job: SearchJob) -> tuple[RoadNetwork, int]:
    return job.request.network, job.request.source


def test_a_search_that_waits_to_be_timed_is_forgotten_with_its_network(searched: Window, qtbot: QtBot) -> None:
    session, control = searched.session, searched.controller.active
    asked = there(session.active.request(runs=0, trace_budget=None))
    result = make_result(asked.network, asked.source)
    control._on_found(asked, replace(result, timing=replace(result.timing, traced_ms=1e6)))
    assert session.clock.playing, "a search that takes long is timed once its replay pauses"
    timed = len(session.runs)
    other = make_grid(name="Other")
    session.active.open(other)
    session.active.show(make_result(other, 5))
    session.clock.pause()
    control.follow_clock()
    qtbot.waitUntil(lambda: not searched.controller.worker.busy)
    assert len(session.runs) == timed, "its times would be noted as those of the other network's search"


def test_a_race_times_what_it_recorded_though_the_target_is_taken_away(
    window: Window, grid: RoadNetwork, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot, session = window.session.active, window.session

    def run(job: SearchJob, _report: Report) -> Result:
        if job.request.trace_budget is not None:
            return make_result(job.request.network, job.request.source)
        assert job.request.target == 20, "what is timed is what was recorded"
        return make_result(job.request.network, job.request.source, runs_ms=(1.0, 2.0))

    monkeypatch.setattr(SearchJob, "run", run)
    slot.open(grid)
    slot.choose_kind(SearchKind.ROUTE)
    slot.choose_source(7)
    slot.take_targets(Targets.only(20))
    assert session.state(Race).add() is not None
    last = session.slots[-1]

    def take_targets_away() -> None:
        if last.result is not None:
            for each in session.slots:
                each.take_targets(Targets())

    last.result_changed.connect(take_targets_away)
    window.controller.run()
    qtbot.waitUntil(lambda: session.clock.playing)
    session.clock.pause()
    assert len(session.runs) == 2


def test_a_race_ends_with_its_network(
    window: Window, grid: RoadNetwork, gate: Gate, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = list[RoadNetwork]()

    def run(job: SearchJob, report: Report) -> Result:
        searches.append(job.request.network)
        gate.wait(report)
        return make_result(*_source(job))

    monkeypatch.setattr(SearchJob, "run", run)
    session = window.session
    session.active.open(grid)
    session.active.choose_source(7)
    assert session.state(Race).add() is not None
    window.controller.run()
    assert gate.reached.wait(30)
    other = make_grid(name="Other")
    session.active.open(other)
    gate.open.set()
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    assert searches == [grid], "the second search is not begun"
    assert [slot.network for slot in session.slots] == [other] * 2
    assert [slot.result for slot in session.slots] == [None, None]


def test_nothing_of_a_closed_network_is_asked_for_or_pointed_out(
    window: Window, grid: RoadNetwork, qtbot: QtBot
) -> None:
    window.session.active.open(grid)
    window.session.state(LessonPlay).open(_predicting())
    qtbot.waitUntil(lambda: window.session.state(LessonPlay).predicts)
    window.session.state(LessonPlay).pick(window.session.state(LessonPlay).expected[0])
    window.session.active.open(make_grid(name="Other"))
    assert not window.session.state(LessonPlay).predicts and not window.session.state(LessonPlay).picked
    window.session.state(LessonPlay).reveal()
    marks = layer(window.map.map_scene, "lesson")
    assert marks is None or not (marks.picked or marks.right or marks.wrong or marks.missed)


def _predicting() -> Lesson:
    """Return a tour from the first moment on that asks for a prediction."""
    for path in sorted((REPOSITORY / "assets" / "tours").glob("*.toml")):
        lesson = read_lesson(path)
        found = [moment for moment in lesson.moments if moment.predict]
        if found:
            return replace(lesson, moments=tuple(found))
    raise AssertionError("no tour asks for a prediction")


def test_a_moment_whose_search_is_gone_is_refused_in_its_dialog(
    searched: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    path = tmp_path / "own.toml"
    monkeypatch.setattr("wayfront_gui.app.file_dialogs.QFileDialog.getSaveFileName", lambda *_: (str(path), ""))
    searched.actions_by_name["lesson.new"].trigger()
    dialog = searched.findChild(MomentDialog)
    assert isinstance(dialog, MomentDialog)
    dialog.title.setText("A title")
    searched.session.active.open(make_grid(name="Other"))
    dialog.accept()
    assert dialog.isVisible() and "no recorded search" in dialog.problem.text()
    assert not path.exists()
    dialog.reject()


def test_a_network_that_is_closed_is_let_go(searched: Window, grid: RoadNetwork) -> None:
    drag = searched.controller.active.quick
    assert isinstance(drag, DragControl)
    request = searched.session.active.request(runs=0, trace_budget=None)
    assert request is not None and drag._drag_of(request).network is grid
    searched.session.active.open(make_grid(name="Other"))
    assert drag._drag is None and drag._not_followed is None


def test_the_derived_forms_of_a_closed_network_are_let_go(
    searched: Window, grid: RoadNetwork, opening: Gate, qtbot: QtBot
) -> None:
    assert grid.has_derived("map geometry")
    searched.controller.open(TINY)
    network = opened(searched, opening, qtbot)
    assert not grid.has_derived("map geometry"), "they refer to their network, and to nobody else's use"
    assert network.has_derived("map geometry")


def test_a_random_user_who_changes_networks_breaks_nothing(window: Window, tmp_path: Path) -> None:
    save_network(make_grid(), tmp_path / "grid.wayfront")
    window.controller.open(str(tmp_path / "grid.wayfront"))
    findings = play(window, EVENTS, 3, tmp_path, changing=True)
    assert findings.exceptions == []
    assert findings.words == []
