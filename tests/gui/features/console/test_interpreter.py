"""What the console runs, without a window: values, errors, blocks, input, interrupts, and what other threads print."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from wayfront_gui.features.console.interpreter import (
    ERROR,
    MOST_PENDING,
    MOST_TEXT,
    OUT,
    Interpreter,
    compiled,
    is_complete,
    text_of,
)

WITHIN_S = 30.0


@pytest.fixture
def interpreter() -> Iterator[Interpreter]:
    made = Interpreter({"np": np})
    yield made
    made.end(WITHIN_S)


def wait(until: Callable[[], Any]) -> Any:
    end = time.monotonic() + WITHIN_S
    while not (found := until()):
        assert time.monotonic() < end
        time.sleep(0.005)
    return found


def run(interpreter: Interpreter, source: str) -> str:
    """Run a source to its end; return what it wrote."""
    assert interpreter.start(source)
    wait(lambda: not interpreter.running or interpreter.finish() is not None)
    return "".join(text for _, text in interpreter.take_output()[0])


def test_values_are_shown_and_names_stay(interpreter: Interpreter) -> None:
    assert run(interpreter, "a = 6") == ""
    assert run(interpreter, "a * 7") == "42\n"
    assert run(interpreter, "_ + 1") == "43\n"
    assert run(interpreter, "a = 2\nb = a + 1\na\nb") == "2\n3\n", "several lines that were pasted"
    assert run(interpreter, "    a = 5\n    a") == "5\n", "as they were indented there"
    assert run(interpreter, "None") == ""
    assert run(interpreter, "for i in range(3): print(i)") == "0\n1\n2\n"


@pytest.mark.parametrize(
    ("source", "complete"),
    [
        ("1 + 1", True),
        ("def f():", False),
        ("def f():\n    return 1", False),
        ("def f():\n    return 1\n", True),
        ("if a:\n    b\nelse:", False),
        ("x = (1,", False),
        ("'''a", False),
        ("x = = 1", True),
        ("a = 1\nb = 2", True),
    ],
)
def test_a_block_goes_on_until_an_empty_line(source: str, complete: bool) -> None:
    assert is_complete(source) is complete


def test_errors_show_only_lines_that_were_typed(interpreter: Interpreter) -> None:
    run(interpreter, "def f(x):\n    return np.broadcast_to(x, (2, 2))\n")
    said = run(interpreter, "f([1, 2, 3])")
    assert "return np.broadcast_to(x, (2, 2))" in said and "f([1, 2, 3])" in said and "ValueError" in said
    assert "numpy" not in said and "interpreter.py" not in said
    said = run(interpreter, "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise KeyError('k')\n")
    assert "ZeroDivisionError" in said and "KeyError: 'k'" in said
    assert "SyntaxError" in run(interpreter, "x = = 1")
    assert run(interpreter, "1 + 1") == "2\n", "an error ends nothing"


def test_an_endless_loop_is_interrupted(interpreter: Interpreter) -> None:
    assert interpreter.start("print('begun')\nwhile True: pass")
    seen: list[tuple[str, str]] = []
    while not seen:
        seen += interpreter.take_output()[0]
    assert interpreter.finish() is None and interpreter.running
    interpreter.interrupt()
    assert wait(lambda: interpreter.finish() is not None)
    texts, _ = interpreter.take_output()
    assert [kind for kind, _ in texts] == [ERROR] and texts[0][1].endswith("KeyboardInterrupt\n")
    assert run(interpreter, "2 + 2") == "4\n"


def test_input_waits_for_a_line_or_an_interrupt(interpreter: Interpreter) -> None:
    assert interpreter.start("name = input('Who? ')")
    wait(lambda: interpreter.reading)
    assert "".join(text for _, text in interpreter.take_output()[0]) == "Who? "
    interpreter.give("Ada")
    wait(lambda: interpreter.finish() is not None)
    assert interpreter.names["name"] == "Ada"
    stops: dict[str, Callable[[], None]] = {
        "EOFError": lambda: interpreter.give(None),
        "KeyboardInterrupt": interpreter.interrupt,
    }
    for said, stop in stops.items():
        assert interpreter.start("input()")
        wait(lambda: interpreter.reading)
        stop()
        wait(lambda: interpreter.finish() is not None)
        assert said in "".join(text for _, text in interpreter.take_output()[0])


@pytest.mark.parametrize("source", ["exit()", "quit()", "raise SystemExit(3)", "import sys; sys.exit()"])
def test_exit_leaves_the_console_alone(interpreter: Interpreter, source: str) -> None:
    assert interpreter.start(source)
    left = None
    while left is None:
        left = interpreter.finish()
    assert left and interpreter.take_output()[0] == []


def test_what_other_threads_print_goes_where_it_went(
    interpreter: Interpreter, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sys.stdout, sys.stdin, sys.displayhook
    assert interpreter.start("input()")
    wait(lambda: interpreter.reading)
    other = threading.Thread(target=print, args=("from elsewhere",))
    other.start()
    other.join()
    interpreter.give("")
    wait(lambda: interpreter.finish() is not None)
    assert capsys.readouterr().out == "from elsewhere\n"
    assert interpreter.take_output()[0] == [(OUT, "''\n")]
    assert (sys.stdout, sys.stdin, sys.displayhook) == before


def test_long_output_is_cut_and_what_floods_is_left_out(interpreter: Interpreter) -> None:
    assert len(text_of(np.zeros(1_000_000))) < 200
    assert len(text_of(list(range(1_000_000)))) < 1000 and text_of([1, 2]) == "[1, 2]"
    assert len(text_of("x" * 1_000_000)) == MOST_TEXT + 1
    assert interpreter.start("for i in range(100_000): print('a line of text')")
    wait(lambda: interpreter.finish() is not None)
    texts, left_out = interpreter.take_output()
    assert sum(len(text) for _, text in texts) == MOST_PENDING
    assert left_out == 100_000 * len("a line of text\n") - MOST_PENDING


def test_what_is_half_typed_has_no_code() -> None:
    assert compiled("while x:", "<console 1>") is None
