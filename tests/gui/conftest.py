"""Fixtures of the tests that draw or need a window; nothing may be left running behind a test."""

from __future__ import annotations

import heapq
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# Before Qt is first used: a window of its own on every machine, with or without a screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen" if sys.platform != "darwin" else "cocoa")

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QSettings, QThread, QTimer, QTranslator
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from ended_threads import left_running
from wayfront.formats.native.codec import save_network
from wayfront.network.details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.plugins import loading
from wayfront.results.result import Result, Timing
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote, Trace
from wayfront_gui.app.engine_thread import join_left
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.ui import translation

for waiting in (QtBot.waitUntil, QtBot.waitSignal, QtBot.waitExposed):
    # Five seconds may be too few beside other tests, and where kernels are compiled first.
    waiting.__kwdefaults__ = {**(waiting.__kwdefaults__ or {}), "timeout": 120_000}


@pytest.fixture(autouse=True)
def no_plugin_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without files of plug-ins, and forget those that a test adds: they are the process's, not a window's."""
    monkeypatch.setattr(loading, "_named", {})


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """Leave the language as it was, Qt's own texts too: it is the process's, and a test may choose another one."""
    before = translation.current()
    yield
    translation.use(before)
    if application := QCoreApplication.instance():
        for translator in application.findChildren(QTranslator):
            application.removeTranslator(translator)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let pass what the offscreen platform itself says of every window."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.qt_log_ignore("propagateSizeHints", extend=True))


@pytest.fixture(autouse=True)
def nothing_left_running(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test behind which a thread or a timer goes on, or a window is shown."""
    before = set(threading.enumerate())
    started: list[QThread | QTimer] = []
    for kind in (QThread, QTimer):
        monkeypatch.setattr(kind, "start", _noting(kind.start, started))
    yield
    join_left()  # threads that a closed dialog left behind have been asked to end
    left = [o for o in started if shiboken6.isValid(o) and (o.isRunning() if isinstance(o, QThread) else o.isActive())]
    # A QThread's Python side shows as a dummy thread, which lives on after it; those were looked at above.
    # Those of a CPU with several cores wait for its next search as long as the process lives.
    kept = ("Dummy-", "wayfront-cpu")
    threads = left_running(before, kept)
    assert not left, f"still running: {left}"
    assert not threads, f"still running: {threads}"
    # The pointer of the next test would be over it.
    shown = [w for w in QApplication.topLevelWidgets() if w.isVisible()] if QApplication.instance() else []
    assert not shown, f"still shown: {[(w, w.objectName(), w.geometry(), w.parent()) for w in shown]}"


def _noting(start: Callable[..., Any], started: list[QThread | QTimer]) -> Callable[..., Any]:
    def call(self: QThread | QTimer, *arguments: Any) -> Any:
        started.append(self)
        return start(self, *arguments)

    return call


@pytest.fixture(autouse=True)
def roads_of_the_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the grid of tests as the road map for which it stands: here small graphs have fewer nodes."""
    monkeypatch.setattr("wayfront_gui.session.slot.SMALL", COLUMNS * ROWS)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings in a file of this test's own."""
    return Settings(QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat))


COLUMNS, ROWS = 12, 9


def drawn(arcs: list[tuple[int, int]], places: list[tuple[int, int]], shapes: Shapes | None = None) -> RoadNetwork:
    """Return a network of these arcs between places in microdegrees, all of length 1."""
    ends = np.array(arcs, np.int32).reshape(-1, 2)
    return RoadNetwork.from_arcs(
        name="drawn",
        node_count=len(places),
        tails=ends[:, 0],
        heads=ends[:, 1],
        metrics=[Metric("length", "m", 1.0, np.ones(len(arcs), np.int32))],
        coordinates=np.array(places, np.int32),
        shapes=shapes,
    )


def make_grid(*, coordinates: bool = True, name: str = "Grid") -> RoadNetwork:
    """Return a grid of streets both ways, with ids from 100, and one node that no street reaches."""
    n = COLUMNS * ROWS
    at = np.arange(n).reshape(ROWS, COLUMNS)
    ways = np.concatenate(
        [np.stack([at[:, :-1], at[:, 1:]], -1).reshape(-1, 2), np.stack([at[:-1], at[1:]], -1).reshape(-1, 2)]
    )
    tails, heads = np.concatenate([ways, ways[:, ::-1]]).T
    lengths = 50 + (tails * 7 + heads * 7) % 90
    places = np.stack([at * 0 + np.arange(COLUMNS), (at * 0).T.T + np.arange(ROWS)[:, None]], -1).reshape(-1, 2)
    places = np.concatenate([places, [[COLUMNS, ROWS]]]) * 1000 + [7_000_000, 49_000_000]
    return RoadNetwork.from_arcs(
        name=name,
        node_count=n + 1,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1.0, lengths), Metric("travel time", "s", 0.1, lengths // 3)],
        node_ids=np.arange(n + 1) + 100,
        coordinates=places if coordinates else None,
        origin="a test",
    )


def make_result(network: RoadNetwork, source: int, *, runs_ms: tuple[float, ...] = ()) -> Result:
    """Return what a Dijkstra search in plain Python finds, ten nodes to a step."""
    metric = network.metrics[0]
    unreached = np.iinfo(np.int32).max
    distances = np.full(network.node_count, unreached, np.int32)
    parents = np.full(network.node_count, -1, np.int32)
    distances[source] = 0
    order: list[int] = []
    heap = [(0, source)]
    while heap:
        d, u = heapq.heappop(heap)
        if d > distances[u] or u in order:
            continue
        order.append(u)
        for arc in range(network.offsets[u], network.offsets[u + 1]):
            v, through = int(network.targets[arc]), d + int(metric.weights[arc])
            if through < distances[v]:
                distances[v], parents[v] = through, u
                heapq.heappush(heap, (through, v))
    distances[distances == unreached] = -1
    trace = make_trace(network, order, distances)
    return Result(
        network=network,
        metric=metric,
        source=source,
        algorithm="dijkstra",
        options={},
        device="cpu",
        device_name="a processor",
        distances=distances,
        parents=parents,
        steps=len(trace),
        relaxations=int(trace.relaxations.sum()),
        timing=Timing(runs_ms, 0.5, 0.25, 3.0),
        trace=trace,
    )


def make_trace(network: RoadNetwork, order: list[int], distances: np.ndarray) -> Trace:
    """Return a trace that settles nodes in this order, ten to a step."""
    recorder = Recorder(network.out_degrees())
    steps = np.full(network.node_count, -1, np.int32)
    for index, begin in enumerate(range(0, len(order), 10)):
        frontier = np.array(order[begin : begin + 10], np.int32)
        steps[frontier] = index
        low, high = int(distances[frontier].min()), int(distances[frontier].max()) + 1
        recorder.add(frontier, len(frontier), 1000 * (index + 1), StepNote(bucket=index, low=low, high=high))
    return recorder.finish(steps, steps.copy())


@pytest.fixture
def window(qtbot: QtBot, settings: Settings) -> Iterator[Window]:
    """Return a window that is shown, with nothing opened."""
    window = make_window(settings)
    window.resize(1280, 800)
    window.show()
    qtbot.waitExposed(window)
    yield window
    window.close()
    window.deleteLater()


@pytest.fixture
def grid() -> RoadNetwork:
    """A small network with a map and two metrics."""
    return make_grid()


@pytest.fixture
def on_grid(window: Window, grid: RoadNetwork) -> Window:
    """A window with the grid, to be searched by Dijkstra on the CPU, and with nothing searched."""
    slot = window.session.active
    slot.open(grid)
    slot.choose_device("cpu")
    slot.choose_algorithm("dijkstra")
    return window


@pytest.fixture
def grid_file(tmp_path: Path, grid: RoadNetwork) -> Path:
    """The grid in a file."""
    path = tmp_path / "grid.wayfront"
    save_network(grid, path)
    return path


@pytest.fixture
def result(grid: RoadNetwork) -> Result:
    """A search of the grid, from node 130, with its trace and two clean runs."""
    return make_result(grid, grid.node(130), runs_ms=(2.0, 1.0))
