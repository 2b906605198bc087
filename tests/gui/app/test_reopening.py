"""A window that is opened again: network, source, algorithm and view are there, unless a person wants it fresh."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront_gui.app.awaiting import awaited
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.first_search import StartOptions
from wayfront_gui.app.jobs import OpenJob, Report, SearchJob
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.session.choice import Choice, Targets
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.saved import SavedSession


@pytest.fixture
def make(settings: Settings) -> Iterator[Callable[[], Window]]:
    opened: list[Window] = []

    def make_one() -> Window:
        opened.append(make_window(settings))
        opened[-1].resize(1280, 800)
        opened[-1].show()
        return opened[-1]

    yield make_one
    for window in opened:
        window.close()
        window.deleteLater()


def closed_after_a_choice(make: Callable[[], Window], qtbot: QtBot, grid_file: Path) -> tuple[object, ...]:
    """Open, choose and close a window as a person does; return what it showed."""
    window = make()
    window.open_first(str(grid_file))
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.result is not None)
    window.map.source_moved.emit(17, True)
    slot.choose_metric("travel time")
    slot.choose_algorithm("bellman-ford")
    window.map.zoom(3.0)
    shown = _shown(window)
    window.close()
    return shown


def _shown(window: Window) -> tuple[object, ...]:
    slot, seen = window.session.active, window.map.seen
    name = None if slot.network is None else slot.network.name
    view = None if seen is None else tuple(round(side) for side in (seen.left, seen.bottom, seen.right, seen.top))
    return name, slot.source, slot.metric_name, slot.algorithm, view


def test_reopening_restores_network_source_algorithm_and_view(
    make: Callable[[], Window], qtbot: QtBot, grid_file: Path
) -> None:
    before = closed_after_a_choice(make, qtbot, grid_file)
    assert before[:4] == ("Grid", 17, "travel time", "bellman-ford") and before[4] is not None
    again = make()
    again.open_first(None)
    slot = again.session.active
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.algorithm == "bellman-ford")
    assert _shown(again) == before


def test_an_algorithm_with_a_name_is_looked_up_after_the_first_picture(
    make: Callable[[], Window], qtbot: QtBot, grid_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = closed_after_a_choice(make, qtbot, grid_file)
    picture = threading.Event()
    monkeypatch.setattr(awaited, "picture", picture)
    again = make()
    again.open_first(None)
    slot = again.session.active
    qtbot.waitUntil(lambda: slot.network is not None)
    assert slot.source is None and _shown(again)[4] == before[4]
    kept = again.controller.files.saved()
    assert kept is not None and kept.choice["algorithm"] == "bellman-ford", "a window closed by now loses nothing"
    picture.set()
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.algorithm == "bellman-ford")
    assert _shown(again) == before


@pytest.mark.parametrize(("long", "lane"), [(False, "search"), (True, "search"), (True, "open tree")])
def test_a_long_search_that_ran_at_the_end_is_chosen_and_not_begun_again(
    make: Callable[[], Window], qtbot: QtBot, grid_file: Path, monkeypatch: pytest.MonkeyPatch, long: bool, lane: str
) -> None:
    run, held, begun = SearchJob.run, threading.Event(), threading.Event()

    def run_held(job: SearchJob, report: Report) -> Result:
        if job.request.algorithm == "bellman-ford" and not held.is_set():
            begun.set()
            report.cancel.wait(30)
        return run(job, report)

    monkeypatch.setattr(SearchJob, "run", run_held)
    if long:
        monkeypatch.setattr("wayfront_gui.app.remembering.LONG_S", 0.0)
    window = make()
    window.open_first(str(grid_file))
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.result is not None and not window.controller.worker.busy)
    slot.choose_algorithm("bellman-ford")
    window.controller.worker.submit(SearchJob(there(slot.request(runs=0, trace_budget=None)), slot.id, lane))
    assert begun.wait(30)
    window.close()
    held.set()
    again = make()
    again.open_first(None)
    slot = again.session.active
    qtbot.waitUntil(lambda: slot.source is not None and not again.controller.worker.busy)
    assert slot.algorithm == "bellman-ford"
    asked = long and lane == "search"
    assert (slot.result is None) == asked
    bar = again.message_bar
    assert (bar.isVisible() and "not been started again" in bar.text) == asked, (
        "a tree beside the search begins by itself"
    )
    if asked:
        assert bar.button.text() == "Run"
        bar.button.click()
        assert not bar.isVisible()
        qtbot.waitUntil(lambda: slot.result is not None and not again.controller.worker.busy)


def asked_to_open(window: Window, monkeypatch: pytest.MonkeyPatch, path: str | None, *, fresh: bool) -> list[str]:
    asked: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(
            Worker, "submit", lambda _self, job, *_, **__: asked.append(job.path) if isinstance(job, OpenJob) else None
        )
        window.open_first(path, fresh=fresh)
    return [Path(path).name for path in asked]


def test_a_fresh_start_a_file_and_the_choice_not_to_reopen_leave_it_out(
    make: Callable[[], Window], monkeypatch: pytest.MonkeyPatch, settings: Settings, grid: RoadNetwork
) -> None:
    settings.saved = SavedSession.of("/a/grid.wayfront", grid, Choice(source=3), None)
    window = make()
    assert asked_to_open(window, monkeypatch, None, fresh=False) == ["grid.wayfront"]
    assert asked_to_open(window, monkeypatch, None, fresh=True) == ["city.wayfront"]
    assert asked_to_open(window, monkeypatch, "/b/other.gr", fresh=False) == ["other.gr"]
    window.actions_by_name["file.reopen"].trigger()
    assert asked_to_open(window, monkeypatch, None, fresh=False) == ["city.wayfront"]


def test_what_cannot_be_opened_again_gives_way_to_another_network(
    make: Callable[[], Window], qtbot: QtBot, grid_file: Path, settings: Settings, grid: RoadNetwork
) -> None:
    settings.saved = SavedSession.of(str(grid_file.with_name("gone.wayfront")), grid, Choice(source=3), None)
    window = make()
    assert settings.saved is not None
    window.controller.files.restore(settings.saved, str(grid_file))
    qtbot.waitUntil(lambda: window.session.active.network is not None)
    assert window.message_bar.isVisible() and "gone.wayfront" in window.message_bar.text


def test_a_saved_choice_is_read_whole_and_what_does_not_fit_is_left_out(grid: RoadNetwork) -> None:
    choice = Choice(
        metric="travel time",
        algorithm="near-far",
        options={"near-far": {"delta": 70}},
        source=17,
        targets=Targets((7, 60), 60),
        closures=as_arcs([2, 5]),
    )
    saved = SavedSession.of("a.gr", grid, choice, (0.0, 1.0, 2.0, 3.0))
    assert SavedSession.read(saved.text()) == saved
    assert saved.choice_on(grid) == choice
    alone = {name: value for name, value in saved.choice.items() if name != "targets"}
    assert SavedSession("a.gr", "key", alone).choice_on(grid).targets == Targets.only(60), "as versions before kept it"
    strange = {
        "kind": 7,
        "metric": "tolls",
        "algorithm": "of-tomorrow",
        "options": {"near-far": {"delta": -3}, "x": 1},
        "source": 10**30,
        "target": "x",
        "targets": [7, -1],
        "closures": [-1],
        "sample": True,
    }
    assert SavedSession("a.gr", "key", strange).choice_on(grid) == Choice(metric="length")
    for text in ("", "[]", "{}", '{"version": 1}', saved.text().replace("3.0", "NaN"), "x" * 100_000):
        with pytest.raises((TypeError, ValueError)):
            SavedSession.read(text)


def test_dialogs_begin_where_one_was_last(
    make: Callable[[], Window], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, settings: Settings
) -> None:
    started: list[str] = []
    chosen = tmp_path / "roads" / "a.csv"
    chosen.parent.mkdir()

    def ask(_window: Window, _title: str, start: str, _filters: str) -> tuple[str, str]:
        started.append(start)
        return (str(chosen) if len(started) == 1 else ""), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", ask)
    monkeypatch.setattr(Worker, "submit", lambda *_, **__: 0)
    window = make()
    window.actions_by_name["file.open"].trigger()
    window.close()
    again = make()
    again.actions_by_name["file.open"].trigger()
    assert started[1] == str(chosen.parent)
    assert settings.folder == str(chosen.parent)


def test_a_start_begins_with_the_search_that_the_command_line_asks_for(
    make: Callable[[], Window], qtbot: QtBot, grid_file: Path
) -> None:
    asked = StartOptions("117", "near-far", None, 1, "travel time", {"delta": "7"}, full_screen=True)
    window = make()
    window.open_first(str(grid_file), asked=asked)
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.result is not None)
    assert slot.network is not None and slot.source == slot.network.node(117)
    assert _shown(window)[2:4] == ("travel time", "near-far")
    assert slot.result is not None and slot.result.options["delta"] == 7
    assert window.windowState() & Qt.WindowState.WindowFullScreen


def test_what_a_network_lacks_is_said_and_its_middle_is_searched_from(
    make: Callable[[], Window], qtbot: QtBot, grid_file: Path
) -> None:
    window = make()
    window.open_first(str(grid_file), asked=StartOptions("no such street"))
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.result is not None)
    assert "no such street" in window.message_bar.text
