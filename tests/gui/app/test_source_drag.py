"""The source while it is dragged: it belongs to the person who drags, however late a result arrives."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from map_layers import pixel_of
from pointer import move_pointer
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import SearchCancelled
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.app.window import Window

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class SlowEngine:
    """Stands in for the engine: each search waits until the test lets that many end."""

    def __init__(self) -> None:
        self.may_end = threading.Semaphore(0)
        self.begun: list[int] = []

    def run(self, network: RoadNetwork, source: int, report: Report) -> Result:
        self.begun.append(source)
        while not self.may_end.acquire(timeout=0.002):
            if report.cancel.is_set():
                raise SearchCancelled("stopped")
        return make_result(network, source)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    engine = SlowEngine()

    def run(job: SearchJob, report: Report) -> Result:
        return engine.run(job.request.network, job.request.source, report)

    monkeypatch.setattr(SearchJob, "run", run)
    return engine


@pytest.fixture
def window(window: Window, grid: RoadNetwork) -> Window:
    window.session.active.open(grid)
    window.session.active.choose_source(50)
    window.map.grab()
    return window


def test_a_result_that_arrives_during_a_drag_does_not_take_the_marker_back(
    window: Window, engine: SlowEngine, qtbot: QtBot
) -> None:
    view, slot = window.map, window.session.active
    QTest.mousePress(view.viewport(), LEFT, NONE, pixel_of(window.map, 50))
    move_pointer(view.viewport(), pixel_of(window.map, 51))
    qtbot.waitUntil(lambda: engine.begun == [51])
    move_pointer(view.viewport(), pixel_of(window.map, 65))
    assert view.map_scene.markers.source == 65

    engine.may_end.release()  # the search from 51 is done only now
    qtbot.waitUntil(lambda: slot.dragged is not None)
    assert slot.dragged is not None and slot.dragged.source == 51
    assert view.map_scene.shows_tree, "its tree is shown all the same"
    assert view.map_scene.markers.source == slot.source == 65, "but the marker stays under the pointer"

    QTest.mouseRelease(view.viewport(), LEFT, NONE, pixel_of(window.map, 65))
    for _ in range(4):  # a search of the drag may still run; then the final one, and its clean runs
        engine.may_end.release()
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    assert engine.begun[-1] == 65, "the last search starts where the mouse was released"
    assert there(slot.result).source == slot.source == view.map_scene.markers.source == 65
