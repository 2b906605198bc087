"""The command line: what opens the window, what it costs to start, what is listed."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage

from calling import Command
from wayfront_gui.cli.running import MISUSED


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Return what the window is opened with, which does not open: it ends with exit code 3."""
    calls: list[str | None] = []

    def run(path: str | None, *, fresh: bool = False, **others: object) -> int:
        assert not fresh and set(others.values()) <= {None, ""}
        calls.append(path)
        return 3

    monkeypatch.setattr("wayfront_gui.app.start.run", run)
    return calls


@pytest.mark.parametrize("arguments", [(), ("map.gr",), ("window", "list"), ("a/map.gr",), ("synthetic:ring",)])
def test_nothing_or_a_file_opens_the_window(
    arguments: tuple[str, ...],
    opened: list[str | None],
    wayfront: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    for name in ("map.gr", "list", "a/map.gr"):
        (tmp_path / name).touch()
    assert wayfront(*arguments).code == 3, "the window's exit code is the program's"
    assert opened == [arguments[-1] if arguments else None]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nope.gr",), "nope.gr: there is no such file"),
        (("window", "nope"), "nope: there is no such file"),
        (("folder",), "folder: Is a directory"),
        (("dimacs:NY",), "dimacs:NY (New York City) is not on this machine yet"),
        (("place:Nowhere",), "place:Nowhere is not on this machine yet"),
        (("dimacs:XX",), "the catalogue has no 'dimacs:XX'"),
    ],
)
def test_what_cannot_be_opened_opens_no_window(
    arguments: tuple[str, ...],
    message: str,
    opened: list[str | None],
    wayfront: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path / "data"))
    (tmp_path / "folder").mkdir()
    outcome = wayfront(*arguments)
    assert (outcome.code, outcome.out, opened) == (1, "", [])
    assert outcome.err.startswith(f"wayfront: {message}")
    assert outcome.err.count("\n") == 1


def test_an_unreadable_file_opens_no_window(
    tiny: Path, opened: list[str | None], wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_arguments: False)
    outcome = wayfront(tiny)
    assert (outcome.code, opened) == (1, [])
    assert outcome.err == f"wayfront: {tiny}: Permission denied\n"


def test_the_window_is_asked_for_a_search_a_theme_and_the_whole_screen(
    wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str | None, Any]] = []

    def run(path: str | None, *, asked: Any = None, **_others: object) -> int:
        started.append((path, asked))
        return 0

    monkeypatch.setattr("wayfront_gui.app.start.run", run)
    words = ("--source", 5, "-a", "near-far", "--option", "delta=7", "--theme", "light", "--full-screen", "-d", "cpu")
    assert wayfront("synthetic:ring", *words).code == 0
    assert wayfront("--theme", "paper").code == 0, "options alone are the window's too"
    assert wayfront().code == 0
    (path, first), (_, themed), (_, nothing) = started
    assert (path, first.source, first.algorithm, first.device) == ("synthetic:ring", "5", "near-far", "cpu")
    assert (first.options, first.theme, first.full_screen) == ({"delta": "7"}, "light", True)
    assert (themed.theme, themed.asks_search, nothing) == ("paper", False, None)
    refused = wayfront("window", "synthetic:ring", "-a", "magic", "-d", "cpu")
    assert (refused.code, len(started)) == (MISUSED, 3)
    assert "there is no algorithm 'magic'" in refused.err


@pytest.mark.parametrize(
    "words", [("--language", "ja", "window"), ("window", "--language", "ja"), ("--language", "ja")]
)
def test_the_windows_language_may_stand_before_the_command(
    words: tuple[str, ...], wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def run(_path: str | None, *, language: str, **_others: object) -> int:
        asked.append(language)
        return 0

    monkeypatch.setattr("wayfront_gui.app.start.run", run)
    monkeypatch.setattr("wayfront_gui.cli.command_line.use_language", lambda _code: None)
    assert wayfront(*words).code == 0
    assert asked == ["ja"]


def test_a_mistyped_command_is_wrong_usage_and_not_a_file(wayfront: Command) -> None:
    outcome = wayfront("slove", "x.gr")
    assert outcome.code == 2
    assert "slove" in outcome.err


def test_version_and_help(wayfront: Command) -> None:
    from wayfront.version import __version__

    assert wayfront("--version").out == f"wayfront {__version__}\n"
    shown = wayfront("--help")
    assert shown.code == 0
    assert all(command in shown.out for command in ("solve", "list", "info", "render", "compare", "benchmark"))


def test_help_loads_neither_numba_nor_qt() -> None:
    script = """
import sys
from wayfront_gui.cli.command_line import main
try:
    main(["--help"])
except SystemExit as left:
    assert not left.code, left.code
heavy = {"numpy", "numba", "PySide6", "psutil", "pyqtgraph", "scipy", "rich", "statistics"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_list_names_every_algorithm_with_options_and_every_device(wayfront: Command) -> None:
    from wayfront.searching.registry import algorithms

    record = wayfront("list", "--json").record
    assert [a["name"] for a in record["algorithms"]] == [a.name for a in algorithms()]
    assert {a["kind"] for a in record["algorithms"]} == {"one tree", "all pairs", "a route"}
    delta = next(a for a in record["algorithms"] if a["name"] == "delta-stepping")
    assert {"name", "type", "default", "bounds", "help"} <= set(delta["options"][0])
    assert [d["id"] for d in record["devices"]] == ["cpu", "cuda:0", "simulator"]
    assert [d["kind"] for d in record["devices"]] == ["cpu", "cuda", "simulator"]
    shown = wayfront("list").out
    assert all(a.name in shown for a in algorithms())


def test_info_counts_what_is_odd(tiny: Path, wayfront: Command) -> None:
    record = wayfront("info", tiny, "--json").record
    assert (record["nodes"], record["arcs"]) == (6, 9)
    assert (record["parallel_arcs"], record["self_loops"]) == (1, 1)
    assert record["parts"] == {"strongly_connected": 2, "largest": 5}
    length = record["metrics"][0]
    assert (length["smallest"], length["largest"], length["zero_weights"]) == (0, 300, 2)
    west, south, east, north = record["bounds"]
    assert west < east
    assert south < north
    assert record["memory_bytes"] > 0
    assert len(record["content_key"]) == 32
    shown = wayfront("info", tiny).out
    assert "2 strongly connected" in shown


def test_growth_prints_laws_and_writes_chart_and_tables(tmp_path: Path, wayfront: Command) -> None:
    files = [tmp_path / name for name in ("g.png", "g.csv")]
    outcome = wayfront(
        "growth", "ring", "-a", "dijkstra-heap", "--option", "heap=decrease-key", "-d", "cpu",
        "--from", 256, "--to", 1024, "--networks", 1, "--runs", 1,
        *(argument for path in files for argument in ("-o", path)),
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert "n; p = 1.00" in outcome.out
    assert "dijkstra-heap: heap decrease-key" in " ".join(outcome.out.split()), "lines break where the times are short"
    assert not QImage(str(files[0])).isNull()
    with files[1].open(newline="", encoding="utf-8") as file:
        assert [row["steps"] for row in csv.DictReader(file)] == ["256.0", "512.0", "1024.0"]
