"""Runs what is typed into the console, on a thread of its own, so that the window goes on whatever is computed. No Qt.

pyqtgraph's console was read: it runs everything on the window's thread, where an endless loop ends the window, and has
neither ``input()`` nor completion. Only one input runs at a time. While it does, what its thread prints and reads
goes to the console, and that of all other threads where it went before. It is interrupted as by Ctrl+C in a
terminal: at its next step of Python, not inside a compiled call.
"""

from __future__ import annotations

import ast
import codeop
import ctypes
import io
import linecache
import reprlib
import sys
import textwrap
import threading
import traceback
from collections.abc import Callable
from queue import Empty, SimpleQueue
from types import CodeType
from typing import Any

FILE = "<console {number}>"
LOOKS_S = 0.05
"""How often a thread that waits for the window looks whether it was interrupted."""
MOST_ITEMS, MOST_TEXT = 100, 10_000
"""How many items of a list, and how many characters of any value, are shown."""
MOST_PENDING = 20_000
"""Characters that wait to be shown; what is printed faster than that is left out."""
OUT, ERROR = "out", "error"

_SHORT = reprlib.Repr()
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdeque = _SHORT.maxdict = MOST_ITEMS
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = MOST_TEXT


class Leave:
    """What ``exit`` and ``quit`` are: they close the console, and not the program as Python's own would."""

    def __repr__(self) -> str:
        return "exit() closes the console."

    def __call__(self, *_: object) -> None:
        """Close the console."""
        raise SystemExit


class Interpreter:
    """Names, and what runs with them. All methods are called on one thread, the window's."""

    def __init__(self, names: dict[str, Any]) -> None:
        self.names: dict[str, Any] = {"__name__": "__console__", "exit": Leave(), "quit": Leave(), **names}
        self._number = 0
        self._run: _Run | None = None
        self._before = sys.stdin, sys.stdout, sys.stderr, sys.displayhook
        self._lock = threading.Lock()
        self._pending: list[tuple[str, str]] = []
        self._left_out = self._waiting = 0

    @property
    def running(self) -> bool:
        """Whether something runs, or has ended and was not finished yet."""
        return self._run is not None

    @property
    def reading(self) -> bool:
        """Whether what runs waits for a line, as ``input()`` does."""
        return self._run is not None and self._run.reading

    def start(self, source: str) -> bool:
        """Run a source; return False where it is not complete yet. What is no Python is written as an error."""
        self._number += 1
        name = FILE.format(number=self._number)
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        try:
            code = compiled(source, name)
        except (SyntaxError, ValueError, OverflowError) as problem:
            self.write(ERROR, "".join(traceback.format_exception_only(problem)))
            return True
        if code is None:
            return False
        self._before = sys.stdin, sys.stdout, sys.stderr, sys.displayhook
        self._run = run = _Run(code, self.names, self.write)
        sys.stdin = _Input(run, sys.stdin)
        sys.stdout, sys.stderr = _Output(run, OUT, sys.stdout), _Output(run, ERROR, sys.stderr)
        sys.displayhook = run.show
        run.start()
        return True

    def finish(self) -> bool | None:
        """Return None while something runs; once it has ended, whether it asked to leave. To be called repeatedly."""
        run = self._run
        if run is None or run.is_alive():
            return None
        self._run = None
        sys.stdin, sys.stdout, sys.stderr, sys.displayhook = self._before
        return run.leaves

    def give(self, line: str | None) -> None:
        """Hand what runs a line that it waits for; None is the end of all input."""
        if self._run is not None:
            self._run.lines.put(line)

    def interrupt(self) -> None:
        """Raise ``KeyboardInterrupt`` in what runs."""
        if self._run is not None and self._run.is_alive():
            ident, raised = ctypes.c_ulong(self._run.ident or 0), ctypes.py_object(KeyboardInterrupt)
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, raised)

    def end(self, within_s: float) -> None:
        """Interrupt what runs and wait for it; a compiled call that does not end is left, and ends with the program."""
        if self._run is not None:
            self.interrupt()
            self._run.join(within_s)
            sys.stdin, sys.stdout, sys.stderr, sys.displayhook = self._before
            self._run = None

    def write(self, kind: str, text: str) -> None:
        """Let a text be shown; on any thread."""
        with self._lock:
            fits = text[: max(MOST_PENDING - self._waiting, 0)]
            self._left_out += len(text) - len(fits)
            self._waiting += len(fits)
            if fits:
                self._pending.append((kind, fits))

    def take_output(self) -> tuple[list[tuple[str, str]], int]:
        """Return what is to be shown, and how many characters were left out behind it."""
        with self._lock:
            found = self._pending, self._left_out
            self._pending, self._waiting, self._left_out = [], 0, 0
            return found


def compiled(source: str, name: str) -> CodeType | None:
    """Return the code of a source, None where more is to come. Raises ``SyntaxError`` and what else compiling raises.

    Every value that a line of it has is shown, as in Python's own console. A block goes on until an empty line. A part
    of a program may be pasted as it is indented there.
    """
    source = textwrap.dedent(source)
    if codeop.compile_command(source, name, "exec") is None:
        return None
    last = source.rpartition("\n")[2]
    if "\n" in source and last.strip() and last[0].isspace():
        return None
    return compile(ast.Interactive(ast.parse(source, name).body), name, "single")


def is_complete(source: str) -> bool:
    """Return whether Enter runs a source: it is whole, or is no Python, which is then said."""
    try:
        return compiled(source, FILE.format(number=0)) is not None
    except (SyntaxError, ValueError, OverflowError):
        return True


class _Run(threading.Thread):
    """Runs one code. A daemon: one that cannot be interrupted must not keep the program from ending."""

    def __init__(self, code: CodeType, names: dict[str, Any], write: Callable[[str, str], None]) -> None:
        super().__init__(name="wayfront console", daemon=True)
        self._code, self._names, self.write = code, names, write
        self.leaves = self.reading = False
        self.lines: SimpleQueue[str | None] = SimpleQueue()

    def run(self) -> None:
        try:
            exec(self._code, self._names)
        except SystemExit:
            self.leaves = True
        except BaseException as problem:  # whatever it is: it is the person's, and the program goes on
            self.write(ERROR, own_traceback(problem))

    def show(self, value: object) -> None:
        """Write the value of a line, which ``_`` is from then on."""
        if value is not None:
            self.write(OUT, text_of(value) + "\n")
            self._names["_"] = value

    def read_line(self) -> str:
        """Wait for a line; return it with its end, or "" at the end of all input."""
        self.reading = True
        try:
            line = wait_for(self.lines)
        finally:
            self.reading = False
        return "" if line is None else line + "\n"


def wait_for(answers: SimpleQueue[Any]) -> Any:
    """Return what comes; an interrupt is noticed while nothing does."""
    while True:
        try:
            return answers.get(timeout=LOOKS_S)
        except Empty:
            continue


class _Output(io.TextIOBase):
    """Takes what one thread writes; all others go on writing to ``beside``."""

    def __init__(self, run: _Run, kind: str, beside: Any) -> None:
        self._run, self._kind, self._beside = run, kind, beside

    def write(self, text: str) -> int:
        if threading.current_thread() is self._run:
            self._run.write(self._kind, text)
        elif self._beside is not None:
            self._beside.write(text)
        return len(text)

    def flush(self) -> None:
        if threading.current_thread() is not self._run and self._beside is not None:
            self._beside.flush()


class _Input(io.TextIOBase):
    """Asks the console for lines in one thread; all others go on reading ``beside``."""

    def __init__(self, run: _Run, beside: Any) -> None:
        self._run, self._beside = run, beside

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        if threading.current_thread() is self._run:
            return self._run.read_line()
        return "" if self._beside is None else str(self._beside.readline(size))


def text_of(value: object) -> str:
    """Return how a value is shown: as Python shows it, a long one cut."""
    is_long = isinstance(value, (list, tuple, dict, set, frozenset)) and len(value) > MOST_ITEMS
    text = _SHORT.repr(value) if is_long else repr(value)
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"


def own_traceback(problem: BaseException) -> str:
    """Return how an exception came about, by the lines that a person typed alone."""
    found = traceback.TracebackException.from_exception(problem)
    each: traceback.TracebackException | None = found
    while each is not None:
        typed = [frame for frame in each.stack if frame.filename.startswith(FILE.partition("{")[0])]
        each.stack = traceback.StackSummary.from_list(typed)
        each = each.__cause__ or each.__context__
    return "".join(found.format())
