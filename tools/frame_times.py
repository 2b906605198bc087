"""Measures how long the window stands still while a person clicks, drags, recolours and zooms, and how soon it shows.

A frame cannot be shown while the window's thread does something else: the longest time between two ticks of a fast
timer is the longest frame. Beside it stands the processor time of that thread, which other programs do not change. Of
the trees that follow a dragged source it counts those that are painted.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QEvent, QPointF, QSettings, Qt, QTimer
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from wayfront_gui.app.engine_thread import join_left
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import SWITCH_S, make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.live_tree.cutting import LEAST_NODES, MOST_NODES
from wayfront_gui.ui.style import apply_theme, choose_theme

TREES = "trees_per_second"
GOALS_MS = {"first_picture_after_start": 2500.0} | dict.fromkeys(
    ("click_longest", "drag_longest", "recolour_longest", "zoom_longest"), 50.0
)
LEAST_TREES = 60.0
"""Trees a second that are to follow a dragged source: as many as most screens show."""
_TICK_MS = 2
_PATIENCE_S = 120.0
"""How long is waited for a network, its search or its cut."""
_CLICKS = 4
WATCHED_S = 2.5
"""How long a click or a new colour is watched."""
_MOVE_S = 0.016
DRAGGED_S = 5.0
"""How long the source is dragged while trees are counted …"""
_DRAG_MOVE_S = 0.008
"""… with a move twice as often as a screen shows a picture …"""
_ROUND_S = 2.0
"""… and a circle in so much time, in which nearly every move leads to another node even of a small network."""


class Pauses:
    """A context manager: the longest time between two turns of the event loop, and the most processor time in one."""

    def __init__(self, tick_ms: int = _TICK_MS) -> None:
        self._tick_ms = tick_ms
        self.longest_ms = self.busiest_ms = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._tick)

    def __enter__(self) -> Pauses:
        self._last = time.perf_counter(), time.thread_time()
        self._timer.start(self._tick_ms)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._tick()
        self._timer.stop()

    def _tick(self) -> None:
        now = time.perf_counter(), time.thread_time()
        stood, busy = (1e3 * (after - before) for after, before in zip(now, self._last, strict=True))
        self._last = now
        self.note(stood, busy)

    def note(self, stood_ms: float, busy_ms: float) -> None:
        """Take the time between two turns, and the processor time in it."""
        self.longest_ms, self.busiest_ms = max(self.longest_ms, stood_ms), max(self.busiest_ms, busy_ms)


def measure_window(path: str, width: int, height: int) -> dict[str, float]:
    """Return figures in milliseconds of a window of this size that opens ``path``, those of ``GOALS_MS`` but the first.

    Each has another beside it, ``_processor`` instead of ``_longest``. Of a drag there are also
    ``drag_to_tree_median``, from a move to its tree on the screen, and ``TREES``, no milliseconds but trees a second.
    Needs a QApplication.
    """
    sys.setswitchinterval(SWITCH_S)
    with _window() as window:
        window.resize(width, height)
        window.show()
        window.controller.open(path)
        slot = window.session.active
        _wait(lambda: slot.result is not None and not window.controller.worker.busy)
        if slot.network is not None and LEAST_NODES <= slot.network.node_count <= MOST_NODES:
            _wait(lambda: window.controller.active.prepared is not None)
        figures: dict[str, float] = {}
        waits_ms: list[float] = []
        drag = partial(_drag, waits_ms=waits_ms)
        acts: dict[str, Callable[[Window], None]]
        acts = {"click": _click, "drag": drag, "recolour": _recolour, "zoom": _zoom}
        for name, act in acts.items():
            with Pauses() as pauses:
                act(window)
            figures |= {f"{name}_longest": pauses.longest_ms, f"{name}_processor": pauses.busiest_ms}
        if waits_ms:
            figures["drag_to_tree_median"] = statistics.median(waits_ms)
        figures[TREES] = len(waits_ms) / DRAGGED_S
        return figures


def first_picture_ms(path: str) -> float:
    """Return the milliseconds from the start of the program until its window has painted a network's map."""
    begin = time.perf_counter()
    here = "import sys, wayfront_gui.entry; sys.path.append(sys.argv[1])"
    start = f"{here}; from frame_times import start; start(sys.argv[2])"
    command = [sys.executable, "-c", start, str(Path(__file__).parent), path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        return (time.perf_counter() - begin) * 1e3


@contextmanager
def _window() -> Iterator[Window]:
    """Yield a window with settings of its own, and close it."""
    with tempfile.TemporaryDirectory() as folder:
        window = make_window(_settings(folder))
        try:
            yield window
        finally:
            window.close()
            window.deleteLater()


def _settings(folder: str) -> Settings:
    return Settings(QSettings(str(Path(folder) / "settings.ini"), QSettings.Format.IniFormat))


def _wait(until: Callable[[], bool], seconds: float = _PATIENCE_S) -> None:
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end:
        QApplication.processEvents()
        time.sleep(0.001)


def _watch(seconds: float) -> None:
    _wait(lambda: False, seconds)


def _mouse(window: Window, kind: QEvent.Type, at: QPointF) -> None:
    port, left, none = window.map.viewport(), Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    button = none if kind is QEvent.Type.MouseMove else left
    held = none if kind is QEvent.Type.MouseButtonRelease else left
    position = QPointF(port.mapToGlobal(at.toPoint()))
    QApplication.sendEvent(port, QMouseEvent(kind, at, position, button, held, Qt.KeyboardModifier.NoModifier))


def _round(window: Window, share: float) -> QPointF:
    """Return a position on an ellipse round the middle of the map, a share of the way round."""
    port, angle = window.map.viewport(), 2 * math.pi * share
    return QPointF(port.width() * (0.5 + 0.15 * math.cos(angle)), port.height() * (0.5 + 0.2 * math.sin(angle)))


def _click(window: Window) -> None:
    for turn in range(_CLICKS):
        _mouse(window, QEvent.Type.MouseButtonPress, _round(window, turn / _CLICKS))
        _mouse(window, QEvent.Type.MouseButtonRelease, _round(window, turn / _CLICKS))
        _watch(WATCHED_S)


def _drag(window: Window, waits_ms: list[float]) -> None:
    """Drag the source in circles; add to ``waits_ms`` how long each tree that was painted had been waited for."""
    view = window.map
    geometry, source, camera = view.map_scene.geometry, view.map_scene.markers.source, view.camera()
    if geometry is None or source is None:
        return
    x, y = camera.to_pixels(float(geometry.x[source]), float(geometry.y[source]))
    _mouse(window, QEvent.Type.MouseButtonPress, QPointF(x, y) / camera.pixel_ratio)
    _mouse(window, QEvent.Type.MouseMove, _round(window, 0.0))
    _watch(WATCHED_S)  # the first tree lays the pieces of all lines
    view.map_item.tree_painted.connect(waits_ms.append)
    begin = time.monotonic()
    while (now := time.monotonic()) < begin + DRAGGED_S:
        _mouse(window, QEvent.Type.MouseMove, _round(window, (now - begin) / _ROUND_S))
        _watch(now + _DRAG_MOVE_S - time.monotonic())
    view.map_item.tree_painted.disconnect(waits_ms.append)
    _mouse(window, QEvent.Type.MouseButtonRelease, _round(window, 0.0))
    _watch(WATCHED_S)


def _recolour(window: Window) -> None:
    actions = window.actions_by_name
    for name in ("view.plasma", "view.dusk", "view.tree", "view.tree"):
        actions[name].trigger()
        _watch(WATCHED_S / 2)


def _zoom(window: Window) -> None:
    for factor in (1.1, 1 / 1.1):
        for _turn in range(30):
            window.map.zoom(factor)
            _watch(_MOVE_S)


def start(path: str) -> None:
    """Start as the program does, print a line once the map is painted, and end."""
    application = QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as folder:
        settings = _settings(folder)
        apply_theme(application, choose_theme(settings.theme))
        window = make_window(settings)
        window.show()
        window.open_first(path)
        _wait(lambda: window.map.map_item.frame is not None and window.map.map_item.settled)
        window.map.viewport().repaint()
        print(flush=True)  # read by the process that started this one
        window.close()
    join_left()  # the first search may still be importing what it needs
