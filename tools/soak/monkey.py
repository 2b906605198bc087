"""A random user of the window: keys, clicks, drags, wheel, menus, dialogs, and files dropped, hostile ones too.

``python -m soak.monkey --events 3000 --seed 1`` prints what went wrong, exceptions, words of Qt and times that
the event loop stood still, and leaves with 1 after an exception. It uses no network: servers never answer it. With
``--changing`` it mostly opens other networks, graphs, recorded searches, sessions and lessons while searches, races,
lessons, drags and exports run.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest import mock

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QSettings, Qt, QtMsgType, QUrl, qInstallMessageHandler
from PySide6.QtGui import QDropEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from soak import REPOSITORY, TEST_DATA
from soak.stalls import Stall, StallWatch
from wayfront.safe.errors import DownloadError
from wayfront_gui.app.engine_thread import join_left
from wayfront_gui.app.jobs import Report
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.all_pairs.pairs_panel import PairsPanel
from wayfront_gui.features.places import dialogs as places

KEYS = (
    *(Qt.Key(key) for key in range(Qt.Key.Key_A, Qt.Key.Key_Z + 1)),
    *(Qt.Key(key) for key in range(Qt.Key.Key_0, Qt.Key.Key_9 + 1)),
    *(Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Backtab, Qt.Key.Key_Delete),
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End),
    *(Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_F11),
)
MODIFIERS = (
    *(Qt.KeyboardModifier.NoModifier,) * 4,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)
BUTTONS = (*(Qt.MouseButton.LeftButton,) * 3, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton)
SIZES = ((1280, 800), (800, 600), (1600, 1000), (400, 300))
LEFT_OUT = ("file.quit",)
BEGINNINGS = (
    *("search.run", "search.one_tree", "search.all_pairs", "search.route", "search.farthest", "search.resume"),
    *("search.cut", "search.depots", "search.isochrones", "search.lay_out", "search.cancel"),
    *("race.fill", "race.add", "race.two", "race.next", "race.remove", "race.difference", "race.split", "race.leave"),
    *("roads.close", "roads.reopen_all", "roads.detours", "roads.critical", "roads.close_critical"),
    *("replay.play", "replay.end", "replay.next_bucket", "edit.undo", "edit.redo", "edit.graph", "file.film"),
    *("lesson.next", "lesson.back", "lesson.answer", "lesson.close"),
)
"""Commands that begin something, or change what runs."""
EXPECTED = ("This plugin does not support",)
"""What Qt says of every window without a screen."""


@dataclass(slots=True)
class Findings:
    """What went wrong: exceptions and words on the log with what was done before, and stalls of the event loop."""

    exceptions: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    stalls: list[Stall] = field(default_factory=list)
    worst_ms: float = 0.0


class Monkey:
    """Does one random thing after the other to a window; what it does follows from the seed."""

    def __init__(self, window: Window, seed: int, files: list[str], saves: Path, *, changing: bool = False) -> None:
        self.window = window
        self.chance = random.Random(seed)
        self.did: list[str] = []
        self._files = files
        self._saves = saves
        often = [self.press, self.click, self.command]
        self._doings = [*often, *often, self.drag, self.turn]
        self._rare = [self.drop, self.drop, self.answer, self.answer, self.resize, self.rest]
        if changing:
            self._networks = files_to_change_between(saves.parent)
            often = [self.change_network, self.begin, self.begin, self.aim, self.aim, self.choose]
            self._doings = [*often, *often, self.drag, self.press, self.bring_back]
            self._rare = [self.answer, self.rest, self.rest, self.keep, self.command]

    def act(self) -> None:
        """Do something."""
        doing = self.chance.choice(self._doings if self.chance.random() < 0.8 else self._rare)
        doing()
        QApplication.processEvents()

    def chosen_file(self, *_: Any) -> tuple[str, str]:
        """Answer a file dialog that opens something."""
        return (self.chance.choice([*self._files, ""]), "")

    def chosen_name(self, *arguments: Any) -> tuple[str, str]:
        """Answer a file dialog that saves something; sometimes where nothing can be saved."""
        kinds = str(arguments[3]).split(";;") if len(arguments) > 3 else [""]
        name = self.chance.choice(["out.png", "out.csv", "out", "no/such/folder/out.png", ""])
        return (str(self._saves / name) if name else "", self.chance.choice(kinds))

    def press(self) -> None:
        """Press a key where the focus is."""
        key, modifiers = self.chance.choice(KEYS), self.chance.choice(MODIFIERS)
        if key == Qt.Key.Key_Q and modifiers == Qt.KeyboardModifier.ControlModifier:
            return
        self._note("press", key.name, modifiers.name)
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def click(self) -> None:
        """Click anywhere, on the map or on what lies round it."""
        widget = self._any_widget()
        at = self._place_in(widget)
        self._note("click", type(widget).__name__, at.toTuple())
        click = QTest.mouseDClick if self.chance.random() < 0.1 else QTest.mouseClick
        click(widget, self.chance.choice(BUTTONS), self.chance.choice(MODIFIERS), at)

    def drag(self) -> None:
        """Press, move and release, mostly on the map."""
        widget = self.window.map.viewport() if self.chance.random() < 0.7 else self._any_widget()
        button = self.chance.choice(BUTTONS)
        self._note("drag", type(widget).__name__)
        QTest.mousePress(widget, button, Qt.KeyboardModifier.NoModifier, self._place_in(widget))
        for _ in range(self.chance.randrange(1, 6)):
            QTest.mouseMove(widget, self._place_in(widget))
            QApplication.processEvents()
        QTest.mouseRelease(widget, button, Qt.KeyboardModifier.NoModifier, self._place_in(widget))

    def turn(self) -> None:
        """Turn the wheel."""
        widget = self.window.map.viewport() if self.chance.random() < 0.7 else self._any_widget()
        at = QPointF(self._place_in(widget))
        by = QPoint(0, self.chance.choice([120, -120, 1200, -1200, 1]))
        self._note("turn", type(widget).__name__, by.y())
        held = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        QApplication.sendEvent(widget, QWheelEvent(at, QPointF(widget.mapToGlobal(at)), QPoint(), by, *held, False))

    def command(self) -> None:
        """Choose a command of a menu."""
        name = self.chance.choice([name for name in self.window.actions_by_name if name not in LEFT_OUT])
        self._note("command", name)
        self.window.actions_by_name[name].trigger()

    def change_network(self) -> None:
        """Open another network, graph, recorded search, session or lesson, whatever runs."""
        path = self.chance.choice(self._networks + [str(path) for path in sorted(self._saves.iterdir())])
        self._note("open", Path(path).name)
        self.window.controller.open(path)

    def begin(self) -> None:
        """Begin a search, a race, a lesson, a tool, or go on in one."""
        name = self.chance.choice([name for name in BEGINNINGS if name in self.window.actions_by_name])
        self._note("begin", name)
        self.window.actions_by_name[name].trigger()

    def aim(self) -> None:
        """Choose a source or a target on one of the maps, or drag one there."""
        view = self.chance.choice(self.window.central.panes.all_maps)
        area, button = view.viewport(), self.chance.choice(BUTTONS[:4])
        at = self._place_in(area)
        self._note("aim", button.name, at.toTuple())
        if self.chance.random() < 0.6:
            QTest.mouseClick(area, button, self.chance.choice(MODIFIERS), at)
            return
        QTest.mousePress(area, button, Qt.KeyboardModifier.NoModifier, at)
        for _ in range(3):
            QTest.mouseMove(area, self._place_in(area))
            QTest.qWait(self.chance.choice([0, 5, 30]))
        if self.chance.random() < 0.3:
            self.change_network()
            QTest.qWait(self.chance.choice([0, 30, 100]))
            QTest.mouseMove(area, self._place_in(area))
        QTest.mouseRelease(area, button, Qt.KeyboardModifier.NoModifier, self._place_in(area))

    def choose(self) -> None:
        """Choose another entry of one of the boxes of the Search panel, or of a clock."""
        panel = self.window.panels.panel(AlgorithmPanel)
        boxes = [
            panel.kind,
            panel.algorithm,
            panel.algorithm,
            self.window.panels.panel(PairsPanel).measure,
            self.window.panels.panel(ReplayPanel).walk,
        ]
        box = self.chance.choice(boxes)
        rows = [row for row in range(box.count()) if box.model().index(row, 0).flags() & Qt.ItemFlag.ItemIsEnabled]
        if rows:  # a heading cannot be chosen
            row = self.chance.choice(rows)
            self._note("choose", box.itemText(row))
            box.setCurrentIndex(row)

    def bring_back(self) -> None:
        """Show one of the timed searches again, mostly of another network."""
        if self.window.session.runs:
            index = self.chance.randrange(len(self.window.session.runs))
            self._note("bring back", index)
            self.window.controller.files.bring_back(index)

    def keep(self) -> None:
        """Save the recorded search or the session, to be opened later."""
        name = self.chance.choice(["file.trace", "file.session"])
        self._note("keep", name)
        self.window.actions_by_name[name].trigger()

    def drop(self) -> None:
        """Drop a file on the window."""
        path = self.chance.choice(self._files)
        self._note("drop", path)
        mime = QMimeData()
        mime.setUrls([QUrl.fromLocalFile(path)])
        buttons = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        self.window.dropEvent(QDropEvent(QPointF(99, 99), Qt.DropAction.CopyAction, mime, *buttons, QEvent.Type.Drop))

    def answer(self) -> None:
        """Answer or close the dialogs that are open."""
        for dialog in self.window.findChildren(QDialog):
            if dialog.isVisible():
                accepts = self.chance.random() < 0.5
                self._note("answer", type(dialog).__name__, accepts)
                (dialog.accept if accepts else dialog.reject)()

    def resize(self) -> None:
        """Give the window another size."""
        self.window.resize(*self.chance.choice(SIZES))

    def rest(self) -> None:
        """Look on for a moment, so that what was begun may end."""
        QTest.qWait(self.chance.choice([1, 20, 200]))

    def _any_widget(self) -> QWidget:
        top = QApplication.activeModalWidget() or self.window
        visible = [widget for widget in top.findChildren(QWidget) if widget.isVisible() and widget.isEnabled()]
        return self.chance.choice(visible or [top])

    def _place_in(self, widget: QWidget) -> QPoint:
        return QPoint(self.chance.randrange(max(widget.width(), 1)), self.chance.randrange(max(widget.height(), 1)))

    def _note(self, *words: object) -> None:
        self.did.append(" ".join(map(str, words)))


def hostile_files(folder: Path, seed: int) -> list[str]:
    """Return files to open: some good ones, damaged ones of every format, and what is no file at all."""
    chance = random.Random(seed)
    good = [path for path in sorted(TEST_DATA.iterdir()) if path.is_file()]
    files = [*map(str, good), str(REPOSITORY / "assets" / "city.wayfront"), str(folder), str(folder / "missing.gr"), ""]
    for path in good:
        data = bytearray(path.read_bytes())
        for _ in range(1 + len(data) // 400):
            data[chance.randrange(len(data))] = chance.randrange(256)
        for name, content in (("bad", bytes(data)), ("short", bytes(data[: len(data) // 2])), ("empty", b"")):
            damaged = folder / f"{name}-<b>&{path.name}"
            damaged.write_bytes(content)
            files.append(str(damaged))
    (folder / "noise.wftrace").write_bytes(chance.randbytes(2000))
    files.append(str(folder / "noise.wftrace"))
    if os.name == "posix":
        os.mkfifo(folder / "pipe.gr")
        files += [str(folder / "pipe.gr"), "/dev/zero", "/dev/null"]
    files += ["synthetic:grid?columns=30&rows=30", "synthetic:ring?n=0", "dimacs:NOWHERE"]
    return files


def files_to_change_between(folder: Path) -> list[str]:
    """Write graphs into ``folder``, and return networks with and without maps, small and larger ones, and lessons."""
    graphs = []
    for nodes in (1, 5, 12):
        path = folder / f"graph-{nodes}.txt"
        path.write_text("\n".join(f"{u} {(u * 7 + 1) % nodes} {u % 5 + 1}" for u in range(nodes)) + "\n0 0 3\n")
        graphs.append(str(path))
    made = [f"synthetic:grid?columns={side}&rows={side}" for side in (4, 9, 40, 120)]
    maps = [str(TEST_DATA / "tiny-d.gr"), str(TEST_DATA / "tiny.osm"), str(REPOSITORY / "assets" / "city.wayfront")]
    return [*graphs, *made, *maps, *map(str, sorted((REPOSITORY / "assets" / "tours").glob("*.toml")))]


def _no_server(*asked: object) -> None:
    """Stand in for a download: the server says nothing until the person gives up, or refuses at once."""
    report = asked[-1]
    assert isinstance(report, Report)
    if report.cancel.wait(0.3):
        return
    raise DownloadError("the server did not answer")


@contextmanager
def _watched(findings: Findings, monkey: Monkey) -> Iterator[None]:
    """Note exceptions, words of Qt and the log while the block lasts."""

    def note_exception(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        text = "".join(traceback.format_exception(kind, problem, trace)[-9:])
        findings.exceptions.append(f"{text}   after {' | '.join(monkey.did[-5:])}")

    def note_words(_kind: QtMsgType, _context: object, words: str) -> None:
        if not any(expected in words for expected in EXPECTED):
            findings.words.append(f"{words}   after {' | '.join(monkey.did[-3:])}")

    class Log(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            findings.exceptions.append(f"{self.format(record)}   after {' | '.join(monkey.did[-5:])}")

    log, hook = Log(logging.ERROR), sys.excepthook
    logging.getLogger().addHandler(log)
    sys.excepthook = note_exception
    qt_before = qInstallMessageHandler(note_words)
    try:
        yield
    finally:
        qInstallMessageHandler(qt_before)
        sys.excepthook = hook
        logging.getLogger().removeHandler(log)


def play(
    window: Window,
    events: int,
    seed: int,
    folder: Path,
    *,
    changing: bool = False,
    after_each: Callable[[int], None] = lambda _event: None,
) -> Findings:
    """Do ``events`` random things to a window and return what went wrong; ``changing`` opens networks most often."""
    findings = Findings()
    saves = folder / "saves"
    saves.mkdir()
    monkey = Monkey(window, seed, hostile_files(folder, seed), saves, changing=changing)
    with ExitStack() as stack:
        for download in ("find_places", "download_network", "download_place"):
            stack.enter_context(mock.patch.object(places, download, _no_server))
        stack.enter_context(mock.patch.object(Window, "close", return_value=False))  # the palette can quit, too
        stack.enter_context(mock.patch.object(QFileDialog, "getOpenFileName", monkey.chosen_file))
        stack.enter_context(mock.patch.object(QFileDialog, "getSaveFileName", monkey.chosen_name))
        stack.enter_context(mock.patch.dict(os.environ, {"WAYFRONT_DATA": str(folder / "data")}))
        stack.enter_context(_watched(findings, monkey))
        watch = stack.enter_context(StallWatch())
        for event in range(events):
            try:
                monkey.act()
            except Exception as problem:  # the window's own code, called without Qt in between
                sys.excepthook(type(problem), problem, problem.__traceback__)
            after_each(event)
        for dialog in window.findChildren(QDialog):
            dialog.reject()
    findings.stalls, findings.worst_ms = watch.stalls, watch.worst_ms
    return findings


def main() -> int:
    """Play as long as asked, print what was found, and return 1 if there was an exception."""
    parser = argparse.ArgumentParser(description="Use the window at random.")
    parser.add_argument("--events", type=int, default=3000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--changing", action="store_true", help="open other networks most often")
    asked = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication(sys.argv[:1])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        window = make_window(Settings(store))
        window.resize(*SIZES[0])
        window.show()
        window.controller.find_abilities()
        window.controller.open(str(REPOSITORY / "assets" / "city.wayfront"))
        findings = play(window, asked.events, asked.seed, folder, changing=asked.changing)
        window.close()
        join_left()
        application.processEvents()
    for text in (*findings.exceptions, *findings.words):
        sys.stdout.write(f"{text}\n")
    for stall in sorted(findings.stalls, key=lambda stall: -stall.busy_ms)[:20]:
        sys.stdout.write(f"{stall.milliseconds:.0f} ms, {stall.busy_ms:.0f} ms of work  {stall.where}\n")
    sys.stdout.write(
        f"{asked.events} events: {len(findings.exceptions)} exceptions, {len(findings.words)} words of Qt, "
        f"{len(findings.stalls)} stalls, longest {findings.worst_ms:.0f} ms\n"
    )
    return 1 if findings.exceptions else 0


if __name__ == "__main__":
    sys.exit(main())
