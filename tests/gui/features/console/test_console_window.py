"""The console in the window: its names follow the slot, its searches are the window's, its keys and its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.window import Window
from wayfront_gui.features.console.panel import ConsolePanel, candidates
from wayfront_gui.features.race.state import Race

KEYS = Qt.KeyboardModifier
CTRL = KEYS.ControlModifier


@pytest.fixture
def console(window: Window, qtbot: QtBot, grid_file: Path) -> ConsolePanel:
    """The console, opened by its keys over the grid after its first search."""
    window.resize(1920, 1000)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: bool(window.session.timings))
    window.session.clock.pause()
    QTest.keyClick(window, Qt.Key.Key_J, CTRL | KEYS.ShiftModifier)
    panel = window.panels.panel(ConsolePanel)
    qtbot.waitUntil(lambda: panel.isVisible() and panel.typed.hasFocus())
    return panel


def enter(console: ConsolePanel, qtbot: QtBot, text: str) -> str:
    """Type a text and run it to its end; return what it wrote."""
    before = len(console.output.toPlainText())
    QTest.keyClicks(console.typed, text)
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not console.interpreter.running)
    written = console.output.toPlainText()[before:]
    assert written.startswith(f">>> {text}\n") and console.typed.toPlainText() == ""
    return written.removeprefix(f">>> {text}\n")


def test_nothing_of_it_is_loaded_before_it_is_opened() -> None:
    code = (
        "import sys; from wayfront_gui.app.panels import all_sections\n"
        "assert any(each.name == 'console' for each in all_sections())\n"
        "print([each for each in sys.modules if each.startswith('wayfront_gui.features.console')])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "interpreter" not in said and "panel" not in said and "console.feature" in said


def test_names_follow_the_active_slot(console: ConsolePanel, window: Window, qtbot: QtBot, grid: RoadNetwork) -> None:
    session, names = window.session, console.interpreter.names
    assert enter(console, qtbot, "network.node_count, result.source") == f"(109, {session.active.source})\n"
    assert enter(console, qtbot, "bool(result.distances.max() > np.int32(0))") == "True\n"
    enter(console, qtbot, "result = 5")
    assert enter(console, qtbot, "result") == "5\n", "what a person assigns stays"
    session.active.show(make_result(session.active.network or grid, 17))
    assert enter(console, qtbot, "result.source") == "17\n", "until the window shows another"
    added = session.state(Race).add("bellman-ford")
    assert added is not None
    session.activate(added)
    assert enter(console, qtbot, "print(result)") == "None\n"
    session.keep_active()
    session.active.open(make_grid(name="Another"))
    enter(console, qtbot, "0")
    assert names["network"] is session.active.network
    assert enter(console, qtbot, "network.name") == "'Another'\n"


def test_a_search_is_chosen_run_and_shown_by_the_window(console: ConsolePanel, window: Window, qtbot: QtBot) -> None:
    slot = window.session.active
    assert enter(console, qtbot, "r = search(network.node(117), 'near-far', metric='travel time', delta=70)") == ""
    found = slot.result
    assert found is not None and (found.source, found.algorithm, found.metric.name) == (17, "near-far", "travel time")
    assert (slot.source, slot.algorithm, slot.options()["delta"]) == (17, "near-far", 70)
    assert slot.player.trace is not None, "with its replay"
    assert enter(console, qtbot, "search(18).source, result.source") == "(18, 18)\n", "at once, not at the next input"
    choice = slot.choice
    for wrong, said in (
        ("search(1000)", "NetworkError: There is no node 1000"),
        ("search(3, 'quickest')", "OptionError"),
        ("search(3, metric='beauty')", "NetworkError"),
        ("search(3, 'near-far', delat=7)", "near-far has no option delat; it has: delta"),
        ("search(3, device='abacus')", "abacus"),
    ):
        assert said in enter(console, qtbot, wrong)
        assert slot.choice == choice, "what is refused changes nothing"


def test_a_search_that_is_interrupted_is_stopped(
    console: ConsolePanel, window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wayfront.safe.errors import SearchCancelled
    from wayfront_gui.app.jobs import Report, SearchJob

    def run(_job: SearchJob, report: Report) -> None:
        report.cancel.wait(60)
        raise SearchCancelled("stopped")

    monkeypatch.setattr(SearchJob, "run", run)
    QTest.keyClicks(console.typed, "search(3)")
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.controller.worker.busy and console.stop.isVisible())
    QTest.keyClick(console.typed, Qt.Key.Key_C, CTRL)
    qtbot.waitUntil(lambda: not console.interpreter.running and not window.controller.worker.busy)
    assert console.output.toPlainText().rstrip().endswith(("KeyboardInterrupt", "The search was stopped."))


def test_the_window_goes_on_beside_an_endless_loop_and_ends_it(
    console: ConsolePanel, window: Window, qtbot: QtBot
) -> None:
    QTest.keyClicks(console.typed, "while True: pass")
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(console.stop.isVisible)
    window.session.active.player.seek(2.0)
    assert window.map.map_scene.step == pytest.approx(2.0)
    QTest.keyClicks(console.typed, "1")
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    assert console.typed.toPlainText() == "1", "what is typed meanwhile waits"
    QTest.mouseClick(console.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not console.interpreter.running and not console.stop.isVisible())
    QTest.keyClick(console.typed, Qt.Key.Key_C, CTRL)
    assert console.typed.toPlainText() == ""
    QTest.keyClicks(console.typed, "while True: pass")
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(console.stop.isVisible)  # and the window is closed behind the test


def test_blocks_history_and_completion_by_keys(console: ConsolePanel, qtbot: QtBot) -> None:
    typed = console.typed
    QTest.keyClicks(typed, "def twice(x):")
    QTest.keyClick(typed, Qt.Key.Key_Return)
    assert typed.toPlainText() == "def twice(x):\n    "
    QTest.keyClicks(typed, "return 2 * x")
    QTest.keyClick(typed, Qt.Key.Key_Return)
    QTest.keyClick(typed, Qt.Key.Key_Backspace, CTRL)
    for _ in range(2):
        if typed.toPlainText():
            QTest.keyClick(typed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not console.interpreter.running)
    assert "twice" in console.interpreter.names and typed.toPlainText() == ""
    assert enter(console, qtbot, "twice(21)") == "42\n"
    QTest.keyClick(typed, Qt.Key.Key_Up)
    assert typed.toPlainText() == "twice(21)"
    QTest.keyClick(typed, Qt.Key.Key_Up)
    assert typed.toPlainText().startswith("def twice")
    for _ in range(4):
        QTest.keyClick(typed, Qt.Key.Key_Down)
    assert typed.toPlainText() == ""
    QTest.keyClicks(typed, "network.node_c")
    QTest.keyClick(typed, Qt.Key.Key_Tab)
    assert typed.toPlainText() == "network.node_count"
    typed.show_text("network.node_")
    QTest.keyClick(typed, Qt.Key.Key_Tab)
    assert typed.toPlainText() == "network.node_" and "node_count  node_ids" in console.output.toPlainText()
    typed.show_text("")
    QTest.keyClick(typed, Qt.Key.Key_Tab)
    assert not typed.hasFocus(), "an empty line is no trap for the keyboard"


def test_input_is_read_from_the_line(console: ConsolePanel, qtbot: QtBot) -> None:
    QTest.keyClicks(console.typed, "name = input('Who? ')")
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: console.output.toPlainText().endswith("Who? "))
    QTest.keyClicks(console.typed, "Ada Lovelace")
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not console.interpreter.running)
    assert console.interpreter.names["name"] == "Ada Lovelace"


def test_exit_closes_the_console_and_not_the_program(console: ConsolePanel, window: Window, qtbot: QtBot) -> None:
    QTest.keyClicks(console.typed, "exit()")
    QTest.keyClick(console.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not console.isVisible())
    assert window.isVisible() and window.map.hasFocus() and not window.actions_by_name["view.console"].isChecked()
    QTest.keyClick(window, Qt.Key.Key_J, CTRL | KEYS.ShiftModifier)
    qtbot.waitUntil(console.isVisible)
    assert enter(console, qtbot, "6 * 7") == "42\n"


def test_nothing_that_is_printed_is_obeyed(console: ConsolePanel, qtbot: QtBot) -> None:
    assert enter(console, qtbot, r"print('<b>a</b>\x1b[31mred\u202e')") == "<b>a</b>\\x1b[31mred\\u202e\n"
    assert len(enter(console, qtbot, "print('x' * 10_000)")) < 2100


def test_candidates_are_names_without_what_calls_them() -> None:
    assert candidates("le", {"length": 1, "lever": 2}) == ["len", "length", "lever"]
    assert candidates("text.sta", {"text": ""}) == ["text.startswith"]
    assert candidates("nothing.a", {}) == []
