"""The event loop stays fluent while searches run."""

from __future__ import annotations

import time

import pytest
from PySide6.QtWidgets import QApplication

from latency import measure_event_loop
from wayfront_gui.resources import BUNDLED, asset

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
