"""What the program writes: in any encoding, to any reader, with nothing in it that a terminal obeys; remarks once."""

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
from repository import REPOSITORY
from search_checks import device_info
from soak.kill_writers import CONTROL, WRITERS
from wayfront.devices.cuda_support import WHY_NOT
from wayfront.devices.faults import MISSING
from wayfront.safe.files import write_whole
from wayfront.version import JSON_SCHEMA_VERSION, __version__
from wayfront_gui.cli import console
from wayfront_gui.cli import console as remarks
from wayfront_gui.cli.console import (
    PlainStream,
    bold,
    encodable,
    facts_table,
    make_table,
    plain_streams,
    print_json,
    print_message,
    print_tables,
)
from wayfront_gui.ui.theme import THEMES

# --------------------------------------------------------------------------------------------------------------- output


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
    assert json.loads(raw.getvalue()) == {"schema_version": JSON_SCHEMA_VERSION, "name": "Straße ≤ 東"}


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


# -------------------------------------------------------------------------------------------------------------- remarks


ASKED = ("solve", "synthetic:grid?columns=4&rows=3", "--source", "1", "-a", "dijkstra")


@pytest.fixture
def new_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path))


@pytest.mark.usefixtures("new_cache", "no_card")
def test_a_missing_card_is_remarked_once_in_a_session(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = wayfront(*ASKED), wayfront(*ASKED)
    assert "no CUDA device: no driver; the search runs on the CPU" in first.err
    assert "CUDA" not in second.err
    monkeypatch.setattr("os.getsid", lambda _process: -1, raising=False)
    monkeypatch.setattr("os.getppid", lambda: -1)
    assert "no CUDA device" in wayfront(*ASKED).err


@pytest.mark.usefixtures("new_cache")
def test_without_the_package_for_cards_nobody_expects_one(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    why = f"no CUDA device: {MISSING}"
    found = (device_info("cpu", "a processor", True), device_info("cuda", "CUDA", False, why))
    monkeypatch.setattr("wayfront.devices.devices", lambda: found)
    assert wayfront(*ASKED).err == ""


@pytest.mark.usefixtures("new_cache")
def test_where_nothing_can_be_noted_every_remark_is_made(tmp_path: Path) -> None:
    (tmp_path / "remarks").write_text("a file where a folder has to be")
    assert remarks.is_new("no-card", "there is none")
    assert remarks.is_new("no-card", "there is none")


@pytest.mark.usefixtures("new_cache", "no_card")
@pytest.mark.parametrize("place", [0, 1, len(ASKED)])
def test_quiet_leaves_results_and_errors(wayfront: Command, place: int) -> None:
    done = wayfront(*ASKED[:place], "--quiet", *ASKED[place:])
    assert (done.code, done.err) == (0, "")
    assert "dijkstra on Grid" in done.out
    wrong = wayfront(*ASKED[:-1], "dijkstr", "--quiet")
    assert wrong.code == 2
    assert "there is no algorithm 'dijkstr'" in wrong.err


# -------------------------------------------------------------------------------------------------------------- writing


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no byte reach the disk any more, which shows only when a file is complete."""

    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setenv("WAYFRONT_CACHE", "/dev/null")  # its files, too, would meet the full disk
    monkeypatch.setattr(os, "fsync", full)


FULL = "No space left on device; free some, or choose another disk"

SEARCH = ("--source", 1, "--runs", 1)

COMPARE = (*SEARCH, "-a", "dijkstra-heap", "-d", "cpu")


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize(
    ("command", "options", "shown", "files"),
    [
        ("solve", (*SEARCH, "-a", "dijkstra-heap", "-d", "cpu", "--trace"), "farthest", ("a.wftrace",)),
        ("solve", (*SEARCH, "-a", "dijkstra-heap", "-d", "cpu", "--json", "--trace"), '"farthest"', ("a.wftrace",)),
        ("compare", (*COMPARE, "-o"), "dijkstra-heap", ("a.png", "a.csv", "a.json")),
        ("compare", (*COMPARE, "--json", "-o"), '"median"', ("a.csv", "a.png")),
    ],
)
def test_the_result_is_printed_before_a_file_fails(
    command: str,
    options: tuple[object, ...],
    shown: str,
    files: tuple[str, ...],
    tiny: Path,
    tmp_path: Path,
    wayfront: Command,
) -> None:
    for name in files:
        (tmp_path / name).write_bytes(b"old")
    *before, option = options
    named = [part for name in files for part in (option, tmp_path / name)]
    outcome = wayfront(command, tiny, *before, *named)
    assert outcome.code == 1
    assert shown in outcome.out
    assert outcome.err == "".join(f"wayfront: {tmp_path / name} cannot be written: {FULL}\n" for name in files)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == dict.fromkeys(files, b"old")


def test_a_file_that_fails_keeps_none_of_the_others_from_being_written(
    tiny: Path, tmp_path: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_picture: object, path: str) -> None:
        with write_whole(path):
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    monkeypatch.setattr("wayfront_gui.features.timing.export.save_picture", full)
    outputs = [part for name in ("a.png", "b.csv") for part in ("-o", tmp_path / name)]
    outcome = wayfront("compare", tiny, *COMPARE, *outputs)
    assert outcome.code == 1
    assert outcome.err.splitlines() == [
        f"wayfront: written to {tmp_path / 'b.csv'}",
        f"wayfront: {tmp_path / 'a.png'} cannot be written: Disk quota exceeded; free some, or choose another disk",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["b.csv"]


@pytest.mark.usefixtures("full_disk")
@pytest.mark.parametrize(
    ("arguments", "name"),
    [(("save",), "a.wayfront"), (("render", *SEARCH[:2], "-d", "cpu", "-a", "dijkstra-heap", "-o"), "a.png")],
)
def test_a_network_and_a_picture_that_fail_leave_the_old_file(
    arguments: tuple[object, ...], name: str, tiny: Path, tmp_path: Path, wayfront: Command
) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    outcome = wayfront(arguments[0], tiny, *arguments[1:], path)
    said = f"wayfront: {path} cannot be written: {FULL}\n"
    assert (outcome.code, outcome.out, outcome.err) == (1, "", said)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {name: b"old"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of one process")
def test_every_writer_is_killed_and_no_file_is_half_written() -> None:
    """Few kills of each; ``make soak`` makes many. The control writes in place, and that has to be noticed."""
    command = [sys.executable, "-m", "soak.kill_writers", "--kills", "3", *WRITERS]
    tools = REPOSITORY / "tools"
    done = subprocess.run(command, cwd=tools, capture_output=True, text=True, check=True, timeout=300)
    found = json.loads(done.stdout)
    assert found.keys() == WRITERS.keys()
    control = found.pop(CONTROL)
    assert control["half"]
    assert all(one == {**one, "kills": 3, "failed": 0, "half": [], "left_over": []} for one in found.values()), found
