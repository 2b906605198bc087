"""The source while it is dragged: it belongs to the person who drags, however late a result arrives."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import SearchCancelled
from wayfront_gui.app.jobs import Report, SearchJob
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
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
def window(qtbot: QtBot, settings: Settings, grid: RoadNetwork) -> Iterator[Window]:
    window = make_window(settings)
    window.resize(1280, 800)
    window.show()
    qtbot.waitExposed(window)
    window.session.active.open(grid)
    window.session.active.choose_source(50)
    window.map.grab()
    yield window
    window.close()
    window.deleteLater()


def at(window: Window, node: int) -> QPoint:
    geometry = there(window.map.map_scene.geometry)
    x, y = window.map.camera().to_pixels(float(geometry.x[node]), float(geometry.y[node]))
    return QPoint(int(x), int(y))


def test_a_result_that_arrives_during_a_drag_does_not_take_the_marker_back(
    window: Window, engine: SlowEngine, qtbot: QtBot
) -> None:
    view, slot = window.map, window.session.active
    QTest.mousePress(view.viewport(), LEFT, NONE, at(window, 50))
    QTest.mouseMove(view.viewport(), at(window, 51))
    qtbot.waitUntil(lambda: engine.begun == [51])
    QTest.mouseMove(view.viewport(), at(window, 65))
    assert view.map_scene.source == 65

    engine.may_end.release()  # the search from 51 is done only now
    qtbot.waitUntil(lambda: slot.dragged is not None)
    assert slot.dragged is not None and slot.dragged.source == 51
    assert view.map_scene.shows_tree, "its tree is shown all the same"
    assert view.map_scene.source == slot.source == 65, "but the marker stays under the pointer"

    QTest.mouseRelease(view.viewport(), LEFT, NONE, at(window, 65))
    for _ in range(4):  # a search of the drag may still run; then the final one, and its clean runs
        engine.may_end.release()
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    assert engine.begun[-1] == 65, "the last search starts where the mouse was released"
    assert there(slot.result).source == slot.source == view.map_scene.source == 65
