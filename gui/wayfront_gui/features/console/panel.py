"""The Python console: what was run and what came of it, over the lines that are typed."""

from __future__ import annotations

import rlcompleter
import sys
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QShowEvent, QTextCharFormat, QTextCursor, QTextOption
from PySide6.QtWidgets import QPlainTextEdit, QWidget

import wayfront
from wayfront.devices import choose_device
from wayfront.results.pairs import PairsResult
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError, OptionError, SearchCancelled
from wayfront.safe.text import printable
from wayfront_gui.app.feature import Host
from wayfront_gui.app.slot_control import SlotControl
from wayfront_gui.features.console.interpreter import ERROR, OUT, Interpreter, is_complete, wait_for
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.controls import GAP, MARGIN, in_column, in_row, label, push_button
from wayfront_gui.ui.style import code_font, keep_sized, qt_colour
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import translated

TICK_MS = 30
"""How often output is shown while something runs."""
SHORT_S = 0.3
"""What runs no longer than this needs no button to interrupt it."""
JOIN_S = 1.0
MOST_LINES, LONGEST_LINE = 5000, 2000
MOST_TYPED_LINES = 8
"""Lines that are seen of what is typed; more are scrolled."""
MOST_KEPT = 200
"""Inputs that the arrow keys bring back."""
MOST_CANDIDATES = 100
ECHO = "echo"
PROMPT, GOES_ON, INDENT = ">>>", "...", "    "


class _Typed(QPlainTextEdit):
    """Lines that are typed. Enter runs them once they are whole, Tab completes, arrows bring back what was run."""

    entered = Signal()
    completed = Signal()
    interrupted = Signal()
    ended = Signal()
    """Ctrl+D: the end of what ``input()`` reads."""
    turned = Signal(int)
    """An arrow key leads beyond the lines: −1 to what was run before, 1 to what came after."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Obey the console's keys; type all others."""
        key, keys = event.key(), event.modifiers()
        cursor = self.textCursor()
        control = bool(keys & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier))
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not keys & Qt.KeyboardModifier.ShiftModifier:
            self.entered.emit()
        elif key == Qt.Key.Key_Tab and self.toPlainText().strip():
            self.completed.emit()
        elif key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self.setTabChangesFocus(True)  # an empty line keeps nobody
            self.focusNextPrevChild(key == Qt.Key.Key_Tab)
            self.setTabChangesFocus(False)
        elif key == Qt.Key.Key_C and control and not cursor.hasSelection():
            self.interrupted.emit()
        elif key == Qt.Key.Key_D and control:
            self.ended.emit()
        elif key == Qt.Key.Key_Up and cursor.blockNumber() == 0:
            self.turned.emit(-1)
        elif key == Qt.Key.Key_Down and cursor.blockNumber() == self.blockCount() - 1:
            self.turned.emit(1)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep Tab, and the keys of the console that are commands of the window elsewhere."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
            if control and event.key() in (Qt.Key.Key_C, Qt.Key.Key_D):
                event.accept()
                return True
        return super().event(event)

    def show_text(self, text: str) -> None:
        """Have another text, with the cursor behind it."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)


class _Window(QObject):
    """Calls functions on the window's thread for a console that runs on another one."""

    asked = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.asked.connect(self._call, Qt.ConnectionType.QueuedConnection)

    def _call(self, call: Callable[[], None]) -> None:
        call()


class ConsolePanel(QWidget):
    """A console whose ``network``, ``result`` and ``search`` are those of the active slot.

    What is typed runs beside the window, which goes on. A name is given again when the window has another object for
    it, so what a person assigns to it stays until then.
    """

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host, self._controller, self._session = host, host.controller, host.session
        self._theme: Theme = DARK
        self._given: dict[str, Any] = {}
        self._history: list[str] = []
        self._at = 0
        self._search: tuple[SlotControl, object, SimpleQueue[Any]] | None = None
        self._problem = ""
        self._window = _Window(self)
        self.interpreter = Interpreter({"wayfront": wayfront, "np": np, "search": self.search})
        self.output, self.typed = QPlainTextEdit(), _Typed()
        self._prompt = label(PROMPT)
        self.stop = push_button(translated("Interrupt"), translated("Stop what runs (Ctrl+C)"), press=self.interrupt)
        self._begun_s = 0.0
        self._ticks = QTimer(self)
        self._ticks.setInterval(TICK_MS)
        self._ticks.timeout.connect(self._tick)
        self._arrange()
        self.typed.entered.connect(self._on_entered)
        self.typed.completed.connect(self._complete)
        self.typed.interrupted.connect(self.interrupt)
        self.typed.ended.connect(self._on_end_of_input)
        self.typed.turned.connect(self._turn)
        self.typed.document().contentsChanged.connect(self._fit)
        self._controller.worker.failed.connect(self._on_failed)
        host.closing.connect(self._end)
        self._write(
            ECHO,
            translated(
                "Python {version}. network, result and search(source, algorithm) are those of the window; wayfront and "
                "np are here too. Nodes are internal numbers: network.node(id). Ctrl+C interrupts.",
                version=".".join(map(str, sys.version_info[:3])),
            )
            + "\n",
        )
        self._follow()
        self._show_running()

    def _arrange(self) -> None:
        self.output.setReadOnly(True)
        self.output.setMaximumBlockCount(MOST_LINES)
        self.output.setAccessibleName(translated("Output of Python"))
        self.typed.setAccessibleName(translated("Python to run"))
        self.typed.setAccessibleDescription(
            translated("Enter runs it, Shift+Enter begins a line, Tab completes, arrow keys bring back what was run.")
        )
        for each in (self.output, self.typed):
            each.setProperty("framed", "true")
            each.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
            keep_sized(each, lambda edit: edit.setFont(code_font()))
        keep_sized(self._prompt, lambda each: each.setFont(code_font()))
        keep_sized(self.typed, lambda _: self._fit())
        line = in_row(self._prompt, (self.typed, 1), self.stop)
        line.setAlignment(self._prompt, Qt.AlignmentFlag.AlignTop)
        self._prompt.setContentsMargins(0, GAP // 2, 0, 0)
        self.setLayout(in_column((self.output, 1), line, margins=(MARGIN, GAP, MARGIN, GAP)))
        self.setFocusProxy(self.typed)

    def set_theme(self, theme: Theme) -> None:
        """Write in the theme's colours from now on."""
        self._theme = theme

    def _fit(self) -> None:
        """Be as high as what is typed, up to some lines."""
        lines = min(max(self.typed.blockCount(), 1), MOST_TYPED_LINES)
        margins = 2 * (self.typed.document().documentMargin() + self.typed.frameWidth()) + 2
        self.typed.setFixedHeight(round(lines * QFontMetricsF(code_font()).lineSpacing() + margins))
        goes_on = "\n".join([PROMPT, *[GOES_ON] * (lines - 1)])
        self._prompt.setText("" if self.interpreter.reading else goes_on)

    def showEvent(self, event: QShowEvent) -> None:
        """Take the keys where a person opens the console; not where a window begins with it."""
        super().showEvent(event)
        if self.window().isActiveWindow():  # later: who loses the focus may change what is being laid out now
            QTimer.singleShot(0, self.typed, self.typed.setFocus)

    # -------------------------------------------------------------------------------------------------- typing

    def _on_entered(self) -> None:
        text = self.typed.toPlainText()
        if self.interpreter.reading:
            self._write(ECHO, text + "\n")
            self.typed.show_text("")
            self.interpreter.give(text)
        elif self.interpreter.running:
            return
        elif not text.strip():
            self.typed.show_text("")
        elif self.typed.textCursor().atEnd() and is_complete(text):
            self.run(text)
        else:
            self.typed.insertPlainText("\n" + self._indentation())

    def _indentation(self) -> str:
        """Return the spaces with which the line after that of the cursor begins."""
        cursor = self.typed.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        deeper = INDENT if before.rstrip().endswith(":") else ""
        return before[: len(before) - len(before.lstrip())] + deeper

    def run(self, source: str) -> None:
        """Run a source, as if it had been typed."""
        self.typed.show_text("")
        self._history = [*(each for each in self._history if each != source), source][-MOST_KEPT:]
        self._at = len(self._history)
        lines = source.rstrip("\n").split("\n")
        shown = "\n".join(f"{GOES_ON if row else PROMPT} {line}" for row, line in enumerate(lines))
        self._write(ECHO, shown + "\n")
        self._follow()
        self.interpreter.start(source)
        self._begun_s = time.monotonic()
        self._ticks.start()
        self._show_running()

    def _turn(self, by: int) -> None:
        """Bring back what was run before, or after that."""
        self._at = min(max(self._at + by, 0), len(self._history))
        if not self.interpreter.reading:
            self.typed.show_text(self._history[self._at] if self._at < len(self._history) else "")

    def _complete(self) -> None:
        """Complete the name before the cursor, as far as it can only be one; list the candidates of several."""
        cursor = self.typed.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        if self.interpreter.running or not before.strip():
            self.typed.insertPlainText(INDENT)
            return
        word = before[len(before.rstrip("".join(sorted(_NAME)))) :] if before[-1] in _NAME else ""
        found = candidates(word, self.interpreter.names) if word else []
        common = _common(found)
        if len(common) > len(word):
            self.typed.insertPlainText(common[len(word) :])
        elif len(found) > 1:
            names = [each.rpartition(".")[2] for each in found[:MOST_CANDIDATES]]
            self._write(ECHO, "  ".join([*names, *(["…"] if len(found) > MOST_CANDIDATES else [])]) + "\n")

    def interrupt(self) -> None:
        """Stop what runs, and the search for which it waits; without that, put away what is typed."""
        if self.interpreter.running:
            if self._search is not None:
                self._controller.cancel()
            self.interpreter.interrupt()
        else:
            self.typed.show_text("")

    def _on_end_of_input(self) -> None:
        if self.interpreter.reading:
            self.interpreter.give(None)
        elif not self.interpreter.running and not self.typed.toPlainText():
            self._close()

    def _close(self) -> None:
        self._host.panels.show("console", False)
        self._host.view.setFocus()

    # ------------------------------------------------------------------------------------------------- running

    def _tick(self) -> None:
        """Show what was printed, answer a search that has ended, and notice that what ran has ended."""
        ended = self.interpreter.finish()
        texts, left_out = self.interpreter.take_output()
        for kind, text in texts:
            self._write(kind, text)
        if left_out:
            self._write(ECHO, "\n" + translated("… {count:,} more characters are left out", count=left_out) + "\n")
        if self._search is not None:
            self._answer_search()
        if ended is not None or not self.interpreter.running:
            self._ticks.stop()
        self._show_running()
        if ended:
            self._close()

    def _show_running(self) -> None:
        self.stop.setVisible(self.interpreter.running and time.monotonic() - self._begun_s > SHORT_S)
        self._fit()

    def _write(self, kind: str, text: str) -> None:
        """Add a text to the output, without anything that a text edit would obey."""
        colours = self._theme.interface
        look = QTextCharFormat()
        look.setForeground(qt_colour({OUT: colours.text, ERROR: colours.bad, ECHO: colours.muted}[kind]))
        bar = self.output.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        cursor = QTextCursor(self.output.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.insertText("\n".join(_cut(line) for line in text.replace("\r", "\n").split("\n")), look)
        if at_end:
            bar.setValue(bar.maximum())

    def _follow(self) -> None:
        """Give the names of what the window shows now, where it is something else than before."""
        slot = self._session.active
        pairs = None if slot.pairs is None else slot.pairs.result
        for name, value in {"network": slot.network, "result": slot.result or pairs}.items():
            if name not in self._given or value is not self._given[name]:
                self._given[name] = self.interpreter.names[name] = value

    def _end(self) -> None:
        """Let nothing run on behind a closed window."""
        self._ticks.stop()
        self.interpreter.end(JOIN_S)

    # ----------------------------------------------------------------------------------------------- searching

    def search(
        self,
        source: int | None = None,
        algorithm: str | None = None,
        *,
        metric: str | None = None,
        target: int | None = None,
        device: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Result | PairsResult:
        """Choose these in the window, search as Run does, and return what is found once the window shows it.

        What is left out stays as it is chosen. ``source`` and ``target`` are internal numbers: ``network.node(id)``.
        Raises what the search or a choice raises, and ``SearchCancelled`` if the search is stopped.
        """
        answers: SimpleQueue[Any] = SimpleQueue()

        def begin() -> None:
            try:
                self._begin_search(answers, source, algorithm, metric, target, device, threads, options)
            except Exception as problem:
                answers.put(problem)

        self._window.asked.emit(begin)
        found = wait_for(answers)
        if isinstance(found, Exception):
            raise found
        assert isinstance(found, (Result, PairsResult))
        return found

    def _begin_search(
        self,
        answers: SimpleQueue[Any],
        source: int | None,
        algorithm: str | None,
        metric: str | None,
        target: int | None,
        device: str | None,
        threads: int | None,
        options: dict[str, Any],
    ) -> None:
        """Choose, and run; a choice that is refused changes nothing."""
        control = self._controller.active
        slot, before = control.slot, control.slot.choice
        if slot.network is None:
            raise NetworkError("Open a network first.")
        for node in (source, target):
            if node is not None and not 0 <= node < slot.network.node_count:
                most = slot.network.node_count - 1
                raise NetworkError(f"There is no node {node}: internal numbers go from 0 to {most}.")
        choices: list[tuple[Any, Callable[[Any], None]]] = [
            (algorithm, slot.choose_algorithm),
            (metric, slot.choose_metric),
            (device, slot.choose_device),
            (threads, slot.choose_threads),
            (target, slot.choose_target),
            (source, slot.choose_source),
        ]
        try:
            if device is not None:
                choose_device(device)
            for value, choose in choices:
                if value is not None:
                    choose(value)
            for name, value in options.items():
                _set_option(slot, name, value)
        except Exception:
            control.choose(before)
            raise
        self._problem = ""
        shown = slot.result, slot.pairs
        control.run()
        if not control.searching:
            raise NetworkError(slot.missing)
        self._search = control, shown, answers

    def _answer_search(self) -> None:
        """Hand over what a search found, once it has ended."""
        assert self._search is not None
        control, before, answers = self._search
        slot = control.slot
        there = slot in self._session.slots
        if there and control.searching:
            return
        self._search = None
        pairs = None if slot.pairs is None else slot.pairs.result
        found = slot.result or pairs
        if not there or slot.live is not None or found is None or (slot.result, slot.pairs) == before:
            answers.put(SearchCancelled(self._problem or "The search was stopped."))
        else:
            self._follow()
            answers.put(found)

    def _on_failed(self, problem: str) -> None:
        self._problem = problem


def _set_option(slot: Slot, name: str, value: Any) -> None:
    if name not in slot.options():
        known = ", ".join(slot.options()) or "none"
        raise OptionError(f"{slot.algorithm} has no option {name}; it has: {known}.")
    slot.set_option(name, value)


_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.")
"""What a name that is completed consists of."""


def candidates(word: str, names: dict[str, Any]) -> list[str]:
    """Return the names that begin with a word, each once; nothing is called for that but what an attribute needs."""
    completer, found = rlcompleter.Completer(names), list[str]()
    while (each := completer.complete(word, len(found))) is not None:
        found.append(each)
    return sorted({each.rstrip("(").rstrip() if each.endswith("()") else each.rstrip("(") for each in found})


def _common(names: list[str]) -> str:
    """Return how all of some sorted names begin."""
    if not names:
        return ""
    first, last = names[0], names[-1]
    same = next((at for at, letters in enumerate(zip(first, last, strict=False)) if letters[0] != letters[1]), None)
    return first[: min(len(first), len(last))] if same is None else first[:same]


def _cut(line: str) -> str:
    plain = printable(line.expandtabs(8))
    return plain if len(plain) <= LONGEST_LINE else f"{plain[:LONGEST_LINE]}…"
