"""A session and a lesson that an older version wrote open for ever, with all that they say."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest
from pytestqt.qtbot import QtBot

from there import there
from wayfront.algorithms.dissection.dissection import ASCENT
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront.results.result import Result
from wayfront.searching.result_file import load_trace
from wayfront_gui.app.window import Window
from wayfront_gui.features.lessons.file import read_lesson
from wayfront_gui.features.lessons.play import stage
from wayfront_gui.session.saved import SessionFile

DATA = Path(__file__).parents[1] / "data"


@pytest.fixture
def ring() -> RoadNetwork:
    return open_network(str(DATA / "tiny-d.gr"))


def test_the_session_that_is_kept_says_what_it_said(ring: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    file = SessionFile.read(DATA / "kept.wfsession")
    assert (file.theme, file.colour_map, file.split) == ("light", "viridis", True)
    assert [slot.view for slot in file.slots] == [(-900.0, -700.0, 800.0, 750.0), None]
    first, second = (slot.choice_on(ring) for slot in file.slots)
    assert (first.metric, first.algorithm, first.device, first.threads) == ("travel time", "delta-stepping", "cpu", 2)
    assert first.options == {"delta-stepping": {"delta": 50}}
    assert first.source == ring.node(1)
    assert first.targets.nodes == (ring.node(5), ring.node(4))
    assert first.targets.shown == ring.node(4)
    assert first.closures.tolist() == [2]
    assert (second.metric, second.algorithm, second.device) == ("length", "dijkstra-heap", "auto")
    assert second.options == {"dijkstra-heap": {"heap": "lazy"}}
    assert second.closures.tolist() == [2]


def test_the_session_that_is_kept_opens_in_the_window(window: Window, qtbot: QtBot) -> None:
    window.controller.open(str(DATA / "kept.wfsession"))
    session = window.session
    found = lambda: len(session.slots) == 2 and all(slot.result is not None for slot in session.slots)  # noqa: E731
    qtbot.waitUntil(found, timeout=60_000)
    assert [slot.algorithm for slot in session.slots] == ["delta-stepping", "dijkstra-heap"]
    assert [slot.closures.arcs.tolist() for slot in session.slots] == [[2], [2]]
    assert window.appearance.theme.name == "light"


def test_the_lesson_that_is_kept_is_played() -> None:
    lesson = read_lesson(DATA / "kept-lesson.toml")
    assert lesson.title == 'A lesson of "before"'
    first, second, third, fourth = lesson.moments
    assert (first.name, first.title, first.panels) == ("start", "Two buckets", ("explanation", "held"))
    assert first.view == (-74.0, 40.7, -73.9, 40.8)
    assert (first.marks.nodes, first.marks.arcs, first.marks.route) == (("1", "2"), (("1", "2"),), "5")
    assert first.question is not None
    assert (first.question.choices, first.question.right) == (("9", "18"), 0)
    assert [each.algorithm for each in first.search.beside] == ["dijkstra-heap", "near-far"]
    assert third.predict
    played = list(stage(lesson, lambda _stage, _share: None, Event()))
    assert [each.moment for each in played] == [first, second, third, fourth]
    assert [each.result.algorithm for each in played] == [
        *("delta-stepping", "dijkstra-to-target"),
        *("floyd-warshall", "dissection"),
    ]
    assert played[0].step == 1, "the second, counted from 0"
    assert isinstance(played[0].result, Result)
    assert played[0].result.distances[played[0].result.network.node(5)] == -1, "the only arc to 5, from 2, is closed"
    cells = there(played[3].result.trace)
    assert cells.step(played[3].step).note.phase == "ascend", "the lesson calls it climb"
    assert cells.step(played[3].step + 1).note.phase == "descend"


def test_phases_of_the_trace_that_is_kept_have_their_names_and_reasons_of_today(ring: RoadNetwork) -> None:
    trace = there(load_trace(DATA / "kept-dissection.wftrace", ring).trace)
    notes = [trace.step(step).note for step in range(len(trace))]
    assert {note.phase for note in notes} == {"ascend", "descend"}
    reasons = {note.reason for note in notes if note.phase == "ascend"}
    assert reasons == {ASCENT.reason}, "which has a Japanese text"
