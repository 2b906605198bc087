"""The first start on a machine: the map and a recorded search are there before anything is compiled."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from wayfront import load_trace, open_network, search
from wayfront.devices import compiling as compiled
from wayfront.safe.errors import SearchCancelled
from wayfront.searching import customised
from wayfront_gui.app import awaiting, compiling
from wayfront_gui.app.awaiting import MAP, SEARCH, TREES, await_compiled, await_picture, is_compiled
from wayfront_gui.app.compiling import Compiling
from wayfront_gui.app.jobs import FirstJob
from wayfront_gui.app.window import Window
from wayfront_gui.resources import BUNDLED, RECORDED, asset
from wayfront_gui.session.choice import central_node

Begin = Callable[[str], Compiling]


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Iterator[Begin]:
    """Return what begins a process that runs a text in place of compiling, as on a machine where nothing is kept."""
    owner = QObject()
    made: list[Compiling] = []

    def make(text: str) -> Compiling:
        (tmp_path / "in_place.py").write_text(f"import sys, time\n{text}", encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
        monkeypatch.setattr(compiling, "MODULE", "in_place")
        monkeypatch.setattr(compiling, "all_kept", lambda: False)
        monkeypatch.setattr(compiling, "finished_note", lambda: tmp_path / "finished")
        made.append(Compiling(lambda: None, owner))
        made[0].begin()
        return made[0]

    yield make
    for each in made:
        each.stop()


SAYS = "print('search 1 2', flush=True); print('done search', flush=True)\n"
WAITS = "sys.stdin.read()\n"


def test_the_recorded_search_is_what_the_algorithm_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(customised, "_is_kept", lambda _network: False)  # other tests cut this network
    network = open_network(str(asset(BUNDLED)))
    recorded = load_trace(asset(RECORDED), network)
    source = central_node(network)
    assert source is not None and recorded.source == source
    found = search(network, source, recorded.algorithm, "cpu", options=recorded.options, trace=True)
    assert search(network, source, device="cpu", runs=0).algorithm == recorded.algorithm
    assert recorded.metric.name == network.metrics[0].name
    assert np.array_equal(recorded.distances, found.distances)
    assert np.array_equal(recorded.parents, found.parents)
    assert found.trace is not None and recorded.trace is not None
    for name in ("frontier_offsets", "frontier_nodes", "first_reached"):
        assert np.array_equal(getattr(recorded.trace, name), getattr(found.trace, name))


def test_what_is_shipped_for_the_first_start_is_small() -> None:
    assert asset(RECORDED).stat().st_size < 1_000_000


def test_a_search_waits_for_its_stage_alone(begin: Begin, qtbot: QtBot) -> None:
    made = begin(SAYS + WAITS)
    qtbot.waitUntil(lambda: is_compiled(SEARCH))
    await_compiled(SEARCH, Event(), lambda _text, _share: None)
    assert not is_compiled(MAP)
    made.stop()
    assert is_compiled(MAP) and is_compiled(TREES)


def test_who_waits_hears_how_far_it_is_and_can_leave(begin: Begin, qtbot: QtBot) -> None:
    begin("print('search 3 10', flush=True)\n" + WAITS)
    qtbot.waitUntil(lambda: bool(awaiting.awaited.text))
    heard: list[str] = []
    cancel = Event()

    def report(text: str, _share: float) -> None:
        heard.append(text)
        cancel.set()

    with pytest.raises(SearchCancelled):
        await_compiled(SEARCH, cancel, report)
    assert heard == ["Preparing the fast search: part 3 of 10"]


def test_a_search_lets_the_first_picture_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    picture, cancel = Event(), Event()
    monkeypatch.setattr(awaiting.awaited, "picture", picture)
    for ends_it in (picture, cancel):
        picture.clear()
        waiting = Thread(target=await_picture, args=(cancel,))
        waiting.start()
        waiting.join(0.2)
        assert waiting.is_alive()
        ends_it.set()
        waiting.join(10)
        assert not waiting.is_alive()


def test_kernels_take_over_once_those_of_the_map_are_loaded(begin: Begin, qtbot: QtBot) -> None:
    begin("print('done search\\ndone map', flush=True)\n" + WAITS)
    assert compiled._standing_in.is_set()
    qtbot.waitUntil(lambda: not compiled._standing_in.is_set())
    assert not is_compiled(TREES)


@pytest.mark.parametrize("ends", ["sys.exit(1)", "raise ValueError", "print('what\\nsearch x\\ndone nothing')"])
def test_a_process_that_fails_leaves_compiling_to_who_needs_it(begin: Begin, qtbot: QtBot, ends: str) -> None:
    told: list[str] = []
    begin(ends).progressed.connect(told.append)
    qtbot.waitUntil(lambda: is_compiled(TREES))
    assert not compiled._standing_in.is_set()
    assert told[-1] == ""


def test_a_python_that_is_not_there_is_no_problem(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, tmp_path: Path
) -> None:
    owner = QObject()
    monkeypatch.setattr(compiling, "all_kept", lambda: False)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "none"))
    made = Compiling(lambda: None, owner)
    made.begin()
    qtbot.waitUntil(lambda: is_compiled(SEARCH) and is_compiled(TREES))
    made.stop()


def test_nothing_is_begun_where_nothing_can_be_kept(
    monkeypatch: pytest.MonkeyPatch, qtbot: QtBot, tmp_path: Path
) -> None:
    owner = QObject()
    monkeypatch.setattr(compiling, "finished_note", lambda: tmp_path / "finished")
    monkeypatch.setattr(compiling, "all_kept", lambda: None)
    Compiling(lambda: None, owner).begin()
    assert is_compiled(SEARCH)
    assert not compiled._standing_in.is_set()


@pytest.mark.parametrize("kept", [True, False])
def test_what_is_compiled_is_loaded_after_the_first_picture_and_missed_where_it_is_gone(
    begin: Begin, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    (tmp_path / "finished").touch()
    made = begin(WAITS)
    monkeypatch.setattr(compiling, "all_kept", lambda: kept)
    assert compiled._standing_in.is_set() and is_compiled(SEARCH)
    made.load_map()
    if kept:
        qtbot.waitUntil(lambda: not compiled._standing_in.is_set())
        assert is_compiled(TREES)
    else:
        qtbot.waitUntil(lambda: not is_compiled(SEARCH))
        assert compiled._standing_in.is_set()


def test_the_window_replays_the_recorded_search_and_times_its_own(
    begin: Begin, window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    goes_on = tmp_path / "goes-on"
    said = f"import pathlib\nwhile not pathlib.Path({str(goes_on)!r}).exists(): time.sleep(0.01)\n"
    begin(said + "print('done search', flush=True)\n" + WAITS)
    assert FirstJob.opens(str(asset(BUNDLED)))
    window.open_first(None, fresh=True)
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.player.position > 0)
    result = slot.result
    assert result is not None and result.timing.runs_ms == () and result.timing.traced_ms is None
    assert result.trace is not None and not result.trace.time_ns.any(), "no times of another machine"
    assert window.panels.replay.figures["time"].value == "—"
    window.controller.find_abilities()
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    assert "Recorded beforehand" in window.status.message
    assert slot.source == result.source
    assert window.session.runs == []
    window.session.clock.pause()
    qtbot.waitUntil(lambda: "search" in str(window.controller.worker.running).lower())
    goes_on.touch()
    qtbot.waitUntil(lambda: bool(window.session.runs))
    assert len(window.session.runs[0].timing.runs_ms) > 1


PROGRAM = """
import sys, time
from PySide6.QtCore import QTimer
from numba.core import event
from wayfront_gui.app import start
made, compiled = start.make_window, []
class Listener(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].py_func.__name__)
    def on_end(self, event): pass
event.register("numba:compile", Listener())
def make(settings):
    window = made(settings)
    timer = QTimer(window)
    slot, begun = window.session.active, time.monotonic()
    def look():
        if slot.player.position > 2 and (window.status.quiet or time.monotonic() > begun + 60):
            timer.stop()
            print(window.status.quiet, compiled, flush=True)
            window.close()
    timer.timeout.connect(look)
    timer.start(5)
    return window
start.make_window = make
sys.exit(start.run(fresh=True))
"""


def processes_with(word: str) -> list[str]:
    """Return the command lines of processes whose environment has a word."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if word.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_text())
        except OSError:
            continue
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")
def test_the_wave_moves_before_anything_is_compiled_and_closing_leaves_nothing(tmp_path: Path) -> None:
    own = {"NUMBA_CACHE_DIR": str(tmp_path / "kernels"), "WAYFRONT_CACHE": str(tmp_path / "cache")}
    own |= {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen", "LANG": "C"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=180, env=os.environ | own, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Preparing the fast search: part 1 of 11 []"
    end = time.monotonic() + 10
    while (left := processes_with(str(tmp_path / "kernels"))) and time.monotonic() < end:
        time.sleep(0.05)
    assert left == []
