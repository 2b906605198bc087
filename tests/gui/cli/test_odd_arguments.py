"""Arguments that nobody types: each command refuses them in a sentence, or does what they say, at once."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from calling import Command
from wayfront.timing.harness import time_runs

RING = "synthetic:ring?nodes=9"
SOLVE = ("solve", RING, "--source", "1", "--device", "cpu")
RENDER = ("render", RING, "--device", "cpu", "--output", "o.png")
LONG, LONGEST = "9" * 30, "9" * 5000
OPENING = [
    ("info",),
    ("solve", "--source", "1", "--device", "cpu"),
    ("render", "--output", "o.png", "--device", "cpu"),
    ("save", "o.gr"),
    ("compare", "--devices", "cpu", "-a", "dijkstra", "--runs", "1"),
    ("benchmark", "search", "--devices", "cpu", "--runs", "1"),
    ("first-light", "--device", "cpu"),
    ("window",),
]
"""Commands that open what they are given; the name goes behind the words."""


@pytest.fixture(autouse=True)
def raised(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let errors that nobody foresaw fail the test."""
    monkeypatch.setenv("WAYFRONT_DEBUG", "1")
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Return a folder with things that are no networks."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").touch()
    (tmp_path / "one.wayfront").write_bytes(b"x")
    return tmp_path


def _with(arguments: tuple[str, ...], name: str) -> tuple[str, ...]:
    words = 2 if arguments[0] == "benchmark" else 1
    return (*arguments[:words], name, *arguments[words:])


def _refused(wayfront: Command, *arguments: str) -> None:
    outcome = wayfront(*arguments)
    assert outcome.code in (1, 2), arguments
    assert outcome.out == ""
    assert outcome.err.strip()
    assert outcome.code == 2 or outcome.err.count("\n") == 1, outcome.err
    outcome.err.encode("utf-8")


NAMES = [
    "",
    "x" * 300,
    "x" * 5000,
    "a\0b",
    "folder",
    "empty",
    "one.wayfront",
    "\udcff.gr",
    "dimacs:",
    "place:\0",
    "\ud800",
]
NAMES += ["synthetic:", "synthetic:nope", "synthetic:grid?columns=-1", "synthetic:grid?=", "synthetic:grid?columns=nan"]
NAMES += ["synthetic:grid?columns=2147483647&rows=2147483647", "synthetic:ring?nodes=" + "9" * 5000]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_what_is_no_network_is_not_opened(name: str, files: Path, wayfront: Command) -> None:
    _refused(wayfront, "info", name)


@pytest.mark.parametrize("arguments", OPENING, ids=[" ".join(a[:2]) for a in OPENING])
def test_no_command_waits_for_what_is_no_file(
    arguments: tuple[str, ...], files: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront_gui.app.start.run", lambda _path: pytest.fail("the window opens"))
    for name in ("", "a\0b", "folder", "\ud800"):
        _refused(wayfront, *_with(arguments, name))
    if hasattr(os, "mkfifo"):
        os.mkfifo(files / "fifo")
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind("sock")
            for name in ("fifo", "sock", "/dev/zero"):
                _refused(wayfront, *_with(arguments, name))
    if arguments != ("window",):  # which says itself what is wrong with a file
        _refused(wayfront, *_with(arguments, "one.wayfront"))


@pytest.mark.parametrize(
    "arguments",
    [
        *(("solve", RING, "--device", "cpu", "--source", text) for text in ("", "-1", "nan", LONG, LONGEST)),
        *((*SOLVE, "--runs", text) for text in ("-1", "1.5", "nan", "")),
        *((*SOLVE, "--option", text) for text in ("", "=", "x", "x=", "=x", "\x1b=1")),
        *((*SOLVE, "-a", "delta-stepping", "--option", f"delta={text}") for text in ("", "nan", "-1", LONG, "1e400")),
        *((*SOLVE, "--threads", text) for text in ("0", "-1", "999999", "nan")),
        *((*SOLVE, "--metric", text) for text in ("", "\x1b", "x" * 300)),
        *((*SOLVE, "--algorithm", text) for text in ("", "\x1b", "x" * 300)),
        *(("solve", RING, "--source", "1", "--device", text) for text in ("", "cuda:-1", "cuda:" + LONGEST)),
        *((*SOLVE, "--trace", text) for text in ("", "folder/x", "x" * 300, "a\0b")),
        *((*RENDER, "--size", text) for text in ("0x0", "nanxnan", "9" * 5000 + "x16", "²x²", "")),
        *((*RENDER, "--scale", text) for text in ("nan", "inf", "0", "-1")),
        (*RENDER, "--size", "16384x16384", "--scale", "8"),
        *((*RENDER, "--at", text) for text in ("nan", "inf", "-1")),
        *((*RENDER, "--step", text) for text in ("-1", "nan", "9" * 30)),
        *((*RENDER, "--bbox", text) for text in ("", "nan,nan,nan,nan", "-inf,0,inf,1", "1,2,3")),
        *(("render", RING, "--device", "cpu", "--output", text) for text in ("", "a\0b.png", "x" * 300 + ".png")),
        *(("compare", RING, "-d", "cpu", "-a", "dijkstra", "-o", text) for text in ("", "a\0.csv", "x.nope")),
        *(("save", RING, text) for text in ("", ".gr", "a\0.gr", "x.nope", "x" * 300 + ".gr")),
        *(("first-light", RING, "--output", text) for text in ("", "a\0b", "x" * 300)),
        *(("reproduce", text) for text in ("", "G", "\x1b")),
        *(("reproduce", "A", "--seconds", text) for text in ("nan", "-1", "1e-400")),
        *(("fetch", text) for text in ("", "place:nan,nan,nan,nan", "place:inf,inf,inf,inf", "dimacs:\udcff")),
        *(("data", "remove", text) for text in ("", "..", "../..", "a\0b", "place:..")),
        *(("explain", text) for text in ("", "\x1b", "x" * 300)),
    ],
    ids=lambda arguments: " ".join(arguments)[:60].encode("ascii", "backslashreplace").decode().replace("\0", "0"),
)  # fmt: skip
def test_odd_values_are_refused_in_a_sentence(arguments: tuple[str, ...], wayfront: Command) -> None:
    _refused(wayfront, *arguments)


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="names are Unicode there")
def test_any_byte_may_be_in_a_name(wayfront: Command, tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9 \xff.gr")
    assert wayfront("save", RING, name).code == 0
    outcome = wayfront("info", name, "--json")
    assert outcome.record["nodes"] == 9
    trace = os.fsdecode(b"\xff.wftrace")
    assert wayfront("solve", name, "--source", "1", "--device", "cpu", "--runs", "0", "--trace", trace).code == 0
    assert (tmp_path / trace).is_file()


def test_no_runs_at_all_are_no_time(wayfront: Command) -> None:
    assert "not timed" in wayfront(*SOLVE, "--runs", "0").out


def test_very_many_runs_end_with_the_time_for_them() -> None:
    assert 1 <= len(time_runs(lambda: None, 2_000_000_000, longest_s=0.05)) < 2_000_000_000
