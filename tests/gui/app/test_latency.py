"""The event loop stays fluent while searches run."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication

from wayfront_gui.resources import BUNDLED, asset

TICK_MS = 16


def measure_event_loop(work: Callable[[], object]) -> dict[str, float]:
    """Run ``work`` in a thread and return how far apart a 16 ms timer's ticks came meanwhile.

    The figures are milliseconds between two ticks, ``median``, ``p95`` and ``max``, and their count ``ticks``. Work
    that lasts less than three ticks says nothing: then the figures are nan. Needs a QCoreApplication; what ``work``
    raises is raised here.
    """
    assert QCoreApplication.instance() is not None
    times: list[float] = []
    problems: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as problem:
            problems.append(problem)

    thread = threading.Thread(target=guarded, name="measured work")
    loop = QEventLoop()
    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)

    def tick() -> None:
        times.append(time.perf_counter())
        if not thread.is_alive():
            loop.quit()

    timer.timeout.connect(tick)
    thread.start()
    timer.start(TICK_MS)
    loop.exec()
    timer.stop()
    thread.join()
    if problems:
        raise problems[0]
    apart = np.diff(times) * 1000
    if len(apart) < 3:
        return {"median": np.nan, "p95": np.nan, "max": np.nan, "ticks": float(len(times))}
    median, p95 = np.percentile(apart, (50, 95))
    return {"median": float(median), "p95": float(p95), "max": float(apart.max()), "ticks": float(len(times))}


LIMIT_MS = 25.0


def hold_the_interpreter() -> None:
    """Keep every other thread from running for far longer than a tick, several times."""
    for _ in range(10):
        list(range(3_000_000)).sort(reverse=True)  # one call into C that never lets go
        time.sleep(0.005)


@pytest.fixture
def quiet(qapp: QApplication) -> None:
    """Skip where other programs hold the processor: the loop is late there whatever this one does."""
    p95 = min(measure_event_loop(lambda: time.sleep(0.5))["p95"] for _ in range(3))
    if not p95 < 0.8 * LIMIT_MS:
        pytest.skip(f"this machine is too busy to tell: an idle event loop has a p95 of {p95:.0f} ms")


@pytest.mark.usefixtures("quiet")
def test_work_that_sleeps_disturbs_nothing() -> None:
    figures = measure_event_loop(lambda: time.sleep(0.5))
    assert figures["ticks"] >= 15
    assert 10 < figures["median"] < LIMIT_MS


@pytest.mark.usefixtures("qapp")
def test_work_that_holds_the_interpreter_is_seen() -> None:
    assert measure_event_loop(hold_the_interpreter)["max"] > LIMIT_MS


@pytest.mark.usefixtures("qapp")
def test_what_the_work_raises_is_raised() -> None:
    def stumble() -> None:
        raise ZeroDivisionError("oh")

    with pytest.raises(ZeroDivisionError, match="oh"):
        measure_event_loop(stumble)


@pytest.mark.usefixtures("quiet")
def test_a_running_search_leaves_the_event_loop_fluent() -> None:
    from wayfront import open_network, search

    network = open_network(asset(BUNDLED))

    def searches() -> None:
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            search(network, 0, "dijkstra", "cpu", runs=0)

    search(network, 0, "dijkstra", "cpu", runs=0)  # compiled and warm, as it is from the second search on
    # Another program may take the processor away for a moment: the quietest of three counts.
    best = min(measure_event_loop(searches)["p95"] for _ in range(3))
    assert best < LIMIT_MS
