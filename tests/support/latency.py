"""How late the window's event loop runs while other work goes on: what a person feels as stutter."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QCoreApplication, QEventLoop, Qt, QTimer

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
