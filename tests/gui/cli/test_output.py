"""What the program writes: in any encoding, to any reader, with nothing in it that a terminal obeys."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calling import Command
from wayfront.devices.cuda_support import WHY_NOT
from wayfront.version import __version__
from wayfront_gui.cli import console
from wayfront_gui.cli.console import bold, facts_table, make_table, print_json, print_message, print_tables
from wayfront_gui.cli.streams import PlainStream, encodable, plain_streams
from wayfront_gui.look.theme import THEMES

HOSTILE = "\x1b]0;pwned\x07[red]x[/red] :car: \x9b31m\u202e"
SHOWN = "\\x1b]0;pwned\\x07[red]x[/red] :car: \\x9b31m\\u202e"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "wayfront_gui", *arguments],
        env=os.environ | environment,
        capture_output=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """Return a network in a file whose name a terminal and rich would obey."""
    path = tmp_path / "\x1b]0;pwned\x07[red]x[bold].gr"
    path.write_text("p sp 2 1\na 1 2 3\n", encoding="utf-8")
    return path


# ------------------------------------------------------------------------------------------------ names of strangers


@pytest.mark.skipif(sys.platform == "win32", reason="no such file names there")
@pytest.mark.parametrize("arguments", [("info",), ("info", "--json"), ("solve", "--source", "1", "--device", "cpu")])
def test_a_hostile_name_is_shown(arguments: tuple[str, ...], hostile: Path, wayfront: Command) -> None:
    outcome = wayfront(arguments[0], hostile, *arguments[1:])
    assert outcome.code == 0, outcome.err
    assert not OBEYED.search(outcome.out + outcome.err)
    assert "[red]x[bold]" in outcome.out
    assert wayfront("solve", hostile, "--source", "7", "--device", "cpu").err.endswith("ids lie between 1 and 2\n")


def test_names_in_errors_are_shown(wayfront: Command) -> None:
    for arguments in (("info", HOSTILE), ("solve", "synthetic:ring", "--source", 1, "-a", HOSTILE), (HOSTILE,)):
        outcome = wayfront(*arguments)
        assert outcome.code in (1, 2)
        assert SHOWN in outcome.err
        assert not OBEYED.search(outcome.err)


def test_tables_take_every_text_literally(capsys: pytest.CaptureFixture[str]) -> None:
    table = make_table(HOSTILE, ("name", HOSTILE), caption=HOSTILE)
    table.add_row(bold(HOSTILE), HOSTILE)
    print_tables(table, facts_table(HOSTILE, {"name": f"{HOSTILE}\nnext line"}))
    out = capsys.readouterr().out
    assert out.count(SHOWN) == 7
    assert not OBEYED.search(out)


class _Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def test_progress_takes_every_text_literally(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with console.progress_bar() as show:
        show(HOSTILE, 0.5)
    print_message(HOSTILE)
    written = terminal.getvalue()
    assert "[red]x[/red]" in written
    assert "\x1b]0;" not in written
    assert "\x9b" not in written


def test_json_is_valid_whatever_is_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    value = {"name": HOSTILE + "\udcff", "figures": [float("nan"), float("inf"), 1.5], "row": {"t": (float("-inf"), 2)}}
    print_json(value)
    out = capsys.readouterr().out
    assert not OBEYED.search(out)
    read = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert read["name"] == value["name"]
    assert (read["figures"], read["row"]) == ([None, None, 1.5], {"t": [None, 2]})


# -------------------------------------------------------------------------------------------------------- encodings


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "cp850"])
def test_a_poor_encoding_gets_plainer_characters(encoding: str, wayfront: Command, monkeypatch: Any) -> None:
    raw = io.BytesIO()
    poor = io.TextIOWrapper(raw, encoding=encoding, errors="strict", write_through=True)
    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(sys, "stdout", poor)
        from wayfront_gui.cli.command_line import main

        main(["explain", "delta-stepping"])
    written = raw.getvalue().decode(encoding)
    assert "<=" in written
    assert "\ufffd" not in written
    assert written.isascii() or encoding != "ascii"


def test_what_an_encoding_has_is_kept() -> None:
    assert encodable("a ≤ b × ü", "utf-8") == "a ≤ b × ü"
    assert encodable("a ≤ b × ü", "latin-1") == "a <= b × ü"
    assert encodable("a ≤ b × ü 東", "ascii") == "a <= b x \\xfc \\u6771"


@pytest.mark.parametrize("arguments", [("solve", "--help"), ("data",), ("solve", "x.gr", "--no-such-…")])
def test_commands_write_ascii_where_that_is_asked_for(arguments: tuple[str, ...]) -> None:
    done = run(*arguments, PYTHONIOENCODING="ascii", LC_ALL="C", TERM="dumb", NO_COLOR="1")
    assert done.returncode == (2 if "x.gr" in arguments else 0), done.stderr
    assert (done.stdout + done.stderr).isascii()
    assert b"Traceback" not in done.stderr


def test_json_keeps_every_character_in_ascii(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", write_through=True))
    print_json({"name": "Straße ≤ 東"})
    assert json.loads(raw.getvalue()) == {"name": "Straße ≤ 東"}


# ----------------------------------------------------------------------------------------------------------- readers


class _Broken(io.StringIO):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    def write(self, _text: str) -> int:
        raise OSError(self.number, os.strerror(self.number))


def test_the_version_is_printed_without_the_command_line() -> None:
    script = """
import sys
sys.argv = ["wayfront", "--version"]
from wayfront_gui.entry import main
main()
assert not {"typer", "numpy"} & set(sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"wayfront {__version__}\n", "")


@pytest.mark.skipif(sys.platform == "win32", reason="no sh")
def test_a_reader_that_leaves_is_no_error() -> None:
    script = f"{sys.executable} -m wayfront_gui data | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert re.fullmatch("Downloaded to .*\n0\n", done.stdout)
    assert done.stderr == ""


@pytest.mark.parametrize(("number", "gone"), [(errno.EPIPE, True), (errno.ENOSPC, False)])
def test_a_stream_that_takes_nothing_is_written_to_once(number: int, gone: bool) -> None:
    stream = PlainStream(_Broken(number))
    stream.write("a")
    stream.write("b")
    stream.flush()
    assert stream.failure is not None
    assert (stream.failure.errno, stream.reader_gone) == (number, gone)


def test_a_full_disk_is_told_and_the_work_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from wayfront_gui.cli.command_line import main

    errors = io.StringIO()
    monkeypatch.setattr(sys, "stdout", _Broken(errno.ENOSPC))
    monkeypatch.setattr(sys, "stderr", errors)
    trace = tmp_path / "saved.wftrace"
    with pytest.raises(SystemExit) as left:
        main(["solve", "synthetic:ring?nodes=9", "--source", "1", "--device", "cpu", "--trace", str(trace)])
    assert left.value.code == 1
    assert "the output cannot be written: No space left on device" in errors.getvalue()
    assert trace.is_file()


def test_no_output_at_all_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with plain_streams() as (out, _):
        print_json({"a": 1})
        assert (out.isatty(), out.failure) == (False, None)
        with pytest.raises(OSError, match="fileno"):
            out.fileno()


def test_a_stream_that_a_library_kept_takes_no_more() -> None:
    below = io.StringIO()
    stream = PlainStream(below)
    stream.detach_quietly()
    stream.write("late")
    assert below.getvalue() == ""


# ------------------------------------------------------------------------------------------- what nobody foresaw


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Let ``data`` fail in a way that nobody foresaw; return the folder of reports."""

    def fail() -> None:
        raise KeyError("unforeseen\x1b")

    monkeypatch.setattr("wayfront.sources.store.stored", fail)
    folder = tmp_path / "state"
    monkeypatch.setattr("platformdirs.user_state_path", lambda *_, **__: folder)
    monkeypatch.delenv("WAYFRONT_DEBUG", raising=False)
    return folder


def test_an_unforeseen_error_is_a_sentence_and_a_report(failing: Path, wayfront: Command) -> None:
    outcome = wayfront("data")
    report = failing / "last-error.txt"
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert outcome.err.startswith("wayfront: unexpected error, KeyError: 'unforeseen\\x1b'; please report it with ")
    assert str(report) in outcome.err
    assert "in fail" in report.read_text("utf-8")
    assert "Traceback" in report.read_text("utf-8")
    if os.name == "posix":
        assert failing.stat().st_mode & 0o077 == 0


def test_an_unforeseen_error_without_a_place_for_the_report(failing: Path, wayfront: Command) -> None:
    failing.touch()
    outcome = wayfront("data")
    assert (outcome.code, outcome.err.count("\n")) == (1, 1)
    assert "WAYFRONT_DEBUG=1 shows where" in outcome.err


def test_an_unforeseen_error_can_be_raised(failing: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wayfront_gui.cli.command_line import main

    monkeypatch.setenv("WAYFRONT_DEBUG", "1")
    with pytest.raises(KeyError, match="unforeseen"):
        main(["data"])
    assert not failing.exists()


# -------------------------------------------------------------------------------------------------- what is listed


@pytest.mark.skipif(bool(WHY_NOT), reason="no numba-cuda, so no simulator")
def test_the_simulator_is_ready_without_any_setting(wayfront: Command) -> None:
    simulator = next(d for d in wayfront("list", "--json").record["devices"] if d["id"] == "simulator")
    assert (simulator["available"], simulator["why_not"]) == (True, "")
    assert "NUMBA_ENABLE_CUDASIM" not in wayfront("list").out


def test_the_themes_are_those_of_the_look(wayfront: Command) -> None:
    assert (
        f"'purple' is not one of {', '.join(THEMES)}"
        in wayfront("render", "x.gr", "-o", "x.png", "--theme", "purple").err
    )
