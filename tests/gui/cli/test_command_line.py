"""The command line: what it prints, where, with which exit code, and what it costs to start."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor, QImage

from calling import Command
from wayfront import search
from wayfront.devices.cuda_support import WHY_NOT, cuda
from wayfront.errors import SearchCancelled
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.cli.timed_in_turns import fastest_first, time_results
from wayfront_gui.look.theme import THEMES

# ----------------------------------------------------------------------------------------------------- the window


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """Return what the window is opened with, which does not open: it ends with exit code 3."""
    calls: list[str | None] = []

    def run(path: str | None, *, fresh: bool = False, **others: object) -> int:
        assert not fresh and set(others.values()) <= {None, ""}
        calls.append(path)
        return 3

    monkeypatch.setattr("wayfront_gui.window.app.run", run)
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
    asked: list[tuple[str | None, Any]] = []

    def run(path: str | None, *, wishes: Any = None, **_others: object) -> int:
        asked.append((path, wishes))
        return 0

    monkeypatch.setattr("wayfront_gui.window.app.run", run)
    words = ("--source", 5, "-a", "near-far", "--option", "delta=7", "--theme", "light", "--full-screen", "-d", "cpu")
    assert wayfront("synthetic:ring", *words).code == 0
    assert wayfront("--theme", "paper").code == 0, "options alone are the window's too"
    assert wayfront().code == 0
    (path, wishes), (_, themed), (_, nothing) = asked
    assert (path, wishes.source, wishes.algorithm, wishes.device) == ("synthetic:ring", "5", "near-far", "cpu")
    assert (wishes.options, wishes.theme, wishes.full_screen) == ({"delta": "7"}, "light", True)
    assert (themed.theme, themed.asks_search, nothing) == ("paper", False, None)
    refused = wayfront("window", "synthetic:ring", "-a", "magic", "-d", "cpu")
    assert (refused.code, len(asked)) == (1, 3)
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

    monkeypatch.setattr("wayfront_gui.window.app.run", run)
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
heavy = {"numpy", "numba", "PySide6", "psutil", "pyqtgraph", "scipy", "rich"} & set(sys.modules)
sys.exit(f"loaded: {heavy}" if heavy else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_solving_loads_no_qt(tiny: Path) -> None:
    script = f"""
import sys
from wayfront_gui.cli.command_line import main
try:
    main(["solve", {str(tiny)!r}, "--source", "1", "--device", "cpu", "--json"])
except SystemExit as left:
    assert not left.code, left.code
sys.exit("Qt was loaded" if "PySide6" in sys.modules else 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------------------------------------------------- solve


def test_solve_prints_one_json_object(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront(
        "solve", tiny, "--source", 1, "--algorithm", "dijkstra", "--device", "cpu", "--verify", "--runs", 2, "--json"
    )
    assert (outcome.code, outcome.err) == (0, "")
    record = outcome.record
    assert record["network"]["nodes"] == 6
    assert record["network"]["arcs"] == 9
    assert record["source"] == 1
    assert record["reached"] == 5, "nothing leads to node 6"
    assert record["sum_distance"] == 90 + 290 + 590 + 90
    assert (record["max_distance"], record["farthest"]) == (590, 4)
    assert record["verified"] is True
    assert record["time_ms"]["runs"] == 2
    assert record["steps"] > 0


def test_solve_prints_the_same_as_a_table(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront("solve", tiny, "--source", 1, "-a", "dijkstra", "-d", "cpu", "--verify", "--runs", 1)
    assert outcome.code == 0
    assert "node 4 at 590" in outcome.out
    assert "proved right" in outcome.out


def test_solve_says_plainly_that_a_result_is_wrong(tmp_path: Path, wayfront: Command) -> None:
    losing = tmp_path / "losing.gr"  # in the second pass node 4 is offered 2 and then 7, and the exchanges keep 7
    losing.write_text("p sp 4 4\na 1 2 1\na 1 3 2\na 2 4 1\na 3 4 5\n")
    search = ("solve", losing, "--source", 1, "-d", "cpu", "--runs", 0, "-a", "bellman-ford-v3")
    exchanges = ("--option", "update=two arrays with exchanges (2020)")
    outcome = wayfront(*search, *exchanges)
    assert outcome.code == 0
    assert "no: the result is wrong" in outcome.out
    assert "the arc from node 2 to node 4 gives a shorter path to node 4" in outcome.err
    assert wayfront(*search, *exchanges, "--json").record["verified"] is False
    refused = wayfront(*search, *exchanges, "--verify")
    assert refused.code == 1
    assert "the arc from node 2 to node 4 gives a shorter path to node 4" in refused.err


def test_solve_by_another_metric_and_with_options(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront(
        "solve", tiny, "--source", 1, "-a", "near-far", "-d", "cpu", "--metric", "travel-time",
        "--option", "delta=50", "--runs", 0, "--json",
    )  # fmt: skip
    record = outcome.record
    assert record["network"]["metric"] == "travel time"
    assert record["options"]["delta"] == 50
    assert record["time_ms"] == {"median": None, "min": None, "max": None, "runs": 0, "noisy": False}


@pytest.mark.usefixtures("no_card")
def test_without_a_card_auto_says_so_in_one_line_and_searches_on_the_cpu(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront("solve", tiny, "--source", 1, "--device", "auto", "--runs", 0, "--json")
    assert outcome.err.splitlines() == ["wayfront: no CUDA device: no driver; the search runs on the CPU"]
    assert outcome.record["device"] == "cpu"


@pytest.mark.usefixtures("no_card")
@pytest.mark.parametrize(
    "command",
    [
        ("solve", "--source", 1),
        ("compare", "-a", "dijkstra"),
        ("compare", "-a", "dijkstra", "--devices", "cpu,cuda"),
        ("benchmark", "search"),
        ("benchmark", "steps"),
        ("first-light", "-o", "unused"),
        ("render", "-o", "x.png"),
    ],
    ids=lambda command: "-".join(str(argument) for argument in command),
)
def test_a_device_that_is_asked_for_and_missing_is_refused(
    command: tuple[object, ...], tiny: Path, wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = command if "--devices" in command else (*command, "--device", "cuda")
    outcome = wayfront(
        *arguments[: 2 if arguments[0] == "benchmark" else 1],
        tiny,
        *arguments[2 if arguments[0] == "benchmark" else 1 :],
    )
    assert (outcome.code, outcome.out) == (1, "")
    assert "no CUDA device: no driver" in outcome.err
    assert outcome.err.count("\n") == 1


def test_threads_are_used_or_said_to_be_of_no_use(
    tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.devices.cpu.usable_cores", lambda: 2)
    searched = ("solve", tiny, "--source", 1, "--device", "cpu", "--threads", 2, "--runs", 0, "--json")
    outcome = wayfront(*searched, "-a", "dijkstra")
    assert "this search ran on one core: it is sequential" in " ".join(outcome.err.split())
    assert outcome.record["machine"]["threads"] == "1"
    made = wayfront(
        *(word if word != tiny else "synthetic:grid?columns=150&rows=150" for word in searched), "-a", "bellman-ford-v1"
    )
    assert (made.err, made.record["machine"]["threads"]) == ("", "2")


@pytest.mark.skipif(cuda is None, reason=WHY_NOT or "numba-cuda is there")
def test_the_simulator_is_chosen_before_numba_starts(tiny: Path) -> None:
    arguments = [
        "solve",
        str(tiny),
        "--source",
        "1",
        "-a",
        "near-far",
        "--device",
        "simulator",
        "--runs",
        "0",
        "--json",
    ]
    script = f"from wayfront_gui.cli.command_line import main; main({arguments!r})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["device"], record["sum_distance"]) == ("simulator", 1060)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--source", 99), "has no node 99"),
        (("--source", 1, "--algorithm", "magic"), "there is no algorithm 'magic'"),
        (("--source", 1, "--option", "delta"), "written key=value"),
        (("--source", 1, "--option", "speed=3"), "no option 'speed'"),
        (("--source", 1, "--metric", "beauty"), "no metric 'beauty'"),
    ],
)
def test_refusals_are_one_plain_line(
    arguments: tuple[object, ...], message: str, tiny: Path, wayfront: Command
) -> None:
    outcome = wayfront("solve", tiny, "--device", "cpu", *arguments)
    assert outcome.code == 1
    assert outcome.out == ""
    assert outcome.err.startswith("wayfront: ")
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_a_missing_file_is_refused(tmp_path: Path, wayfront: Command) -> None:
    outcome = wayfront("info", tmp_path / "nowhere.gr")
    assert outcome.code == 1
    assert "nowhere.gr" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("arguments", [("solve",), ("solve", "x.gr", "--threads", "one"), ("info",), ("list", "--no")])
def test_wrong_usage_has_its_own_exit_code(arguments: tuple[str, ...], wayfront: Command) -> None:
    assert wayfront(*arguments).code == 2


def test_ctrl_c_stops_cleanly(tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from wayfront_gui.cli import engine_calls

    opened = engine_calls.open_network

    def interrupted(*arguments: Any, **options: Any) -> RoadNetwork:
        network = opened(*arguments, **options)
        signal.raise_signal(signal.SIGINT)
        return network

    monkeypatch.setattr(engine_calls, "open_network", interrupted)
    before = signal.getsignal(signal.SIGINT)
    outcome = wayfront("solve", tiny, "--source", 1, "--device", "cpu", "--json")
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "wayfront: cancelled\n")
    assert signal.getsignal(signal.SIGINT) is before


# --------------------------------------------------------------------------------------------------- list and info


def test_list_names_every_algorithm_with_options_and_every_device(wayfront: Command) -> None:
    from wayfront.search.registry import algorithms

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


# --------------------------------------------------------------------------------------------------------- render


@pytest.mark.usefixtures("qapp")
def test_render_draws_the_search_and_the_tree(data: Path, tmp_path: Path, wayfront: Command) -> None:
    drawn = {}
    for name, how in {"start": ("--step", 0), "end": ("--at", 1.0), "tree": ("--tree",)}.items():
        path = tmp_path / f"{name}.png"
        outcome = wayfront(
            "render", data / "tiny-d.gr", "--source", 1, "-d", "cpu", "-a", "dijkstra", *how,
            "--size", "320x200", "--scale", 2, "-o", path,
        )  # fmt: skip
        assert (outcome.code, outcome.out) == (0, ""), outcome.err
        drawn[name] = QImage(str(path))
        assert (drawn[name].width(), drawn[name].height()) == (640, 400)
        assert drawn[name].pixelColor(1, 1) == QColor(THEMES["dark"].map.background)
    assert drawn["start"] != drawn["end"] != drawn["tree"]


@pytest.mark.usefixtures("qapp")
def test_render_draws_a_recorded_trace_in_the_light(data: Path, tmp_path: Path, wayfront: Command) -> None:
    trace, path = tmp_path / "run.wftrace", tmp_path / "run.png"
    solved = wayfront("solve", data / "tiny-d.gr", "--source", 1, "-d", "cpu", "--runs", 0, "--trace", trace, "--json")
    assert solved.code == 0
    outcome = wayfront("render", trace, "--theme", "light", "--size", "200x160", "-o", path)
    assert outcome.code == 0, outcome.err
    assert QImage(str(path)).pixelColor(1, 1) == QColor(THEMES["light"].map.background)


@pytest.mark.usefixtures("qapp")
def test_render_makes_the_network_of_a_trace_only_when_it_is_named(tmp_path: Path, wayfront: Command) -> None:
    name, trace, picture = "synthetic:grid?columns=4&rows=3", tmp_path / "run.wftrace", tmp_path / "run.png"
    assert wayfront("solve", name, "--source", 1, "-d", "cpu", "--runs", 0, "--trace", trace, "--json").code == 0
    drawn = ("render", trace, "--size", "64x64", "-o", picture)
    outcome = wayfront(*drawn)
    assert (outcome.code, outcome.out) == (1, "")
    assert "if you want it to be made" in outcome.err
    assert "--network" in outcome.err
    assert not picture.exists()
    outcome = wayfront(*drawn, "--network", "synthetic:grid?columns=4&rows=4")
    assert outcome.code == 1
    assert "is not that network" in outcome.err
    assert wayfront(*drawn, "--network", name).code == 0
    assert picture.exists()
    outcome = wayfront("render", name, "--network", name, "-o", picture)
    assert outcome.code == 1
    assert "no recorded search" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--step", 3, "--tree"), "one of --step"),
        (("--size", "wide"), "WIDTHxHEIGHT"),
        (("--bbox", "1,2,3"), "west,south,east,north"),
        (("--step", 10_000), "not 10000"),
    ],
)
@pytest.mark.usefixtures("qapp")
def test_render_refuses_what_it_cannot_show(
    arguments: tuple[object, ...], message: str, tiny: Path, tmp_path: Path, wayfront: Command
) -> None:
    outcome = wayfront("render", tiny, "--source", 1, "-d", "cpu", "-o", tmp_path / "x.png", *arguments)
    assert outcome.code == 1
    assert message in outcome.err
    assert not (tmp_path / "x.png").exists()


@pytest.mark.usefixtures("qapp")
def test_a_network_without_coordinates_is_drawn_only_when_a_layout_is_wanted(
    tiny: Path, tmp_path: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront_gui.model.small_networks.MOST_NODES", 0)  # a small one is laid out without a word
    alone = tmp_path / "alone.gr"
    alone.write_bytes(tiny.read_bytes())
    arguments = ("render", alone, "--source", 1, "-d", "cpu", "--size", "200x160", "-o", tmp_path / "x.png")
    refused = wayfront(*arguments)
    assert refused.code == 1
    assert "--coordinates" in refused.err
    assert "--layout" in refused.err
    assert wayfront(*arguments, "--layout").code == 0
    assert not QImage(str(tmp_path / "x.png")).isNull()


# ----------------------------------------------------------------------------------------- compare and benchmark


@pytest.mark.usefixtures("qapp")
def test_compare_times_side_by_side_and_writes_chart_and_tables(tiny: Path, tmp_path: Path, wayfront: Command) -> None:
    files = [tmp_path / name for name in ("c.png", "c.csv", "c.json")]
    outcome = wayfront(
        "compare", tiny, "--algorithms", "dijkstra,dijkstra-heap,near-far", "--device", "cpu", "--source", 1,
        "--runs", 2, *(argument for path in files for argument in ("-o", path)),
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert all(name in outcome.out for name in ("dijkstra-heap", "near-far", "× fastest"))
    assert not QImage(str(files[0])).isNull()
    with files[1].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {row["algorithm"] for row in rows} == {"dijkstra", "dijkstra-heap", "near-far"}
    medians = [float(row["median_ms"]) for row in rows]
    assert medians == sorted(medians)
    written = json.loads(files[2].read_text(encoding="utf-8"))["rows"]
    assert len(written) == 3
    assert {(row["steps"], row["relaxations"]) for row in written} == {(None, None)}, "clean runs count nothing"
    assert {(row["steps"], row["relaxations"]) for row in rows} == {("", "")}


@pytest.mark.usefixtures("qapp")
def test_growth_prints_laws_and_writes_chart_and_tables(tmp_path: Path, wayfront: Command) -> None:
    files = [tmp_path / name for name in ("g.png", "g.csv")]
    outcome = wayfront(
        "growth", "ring", "-a", "dijkstra-heap", "--option", "heap=decrease-key", "-d", "cpu",
        "--from", 256, "--to", 1024, "--networks", 1, "--runs", 1,
        *(argument for path in files for argument in ("-o", path)),
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert "n; p = 1.00" in outcome.out
    assert "dijkstra-heap: heap decrease-key" in outcome.out
    assert not QImage(str(files[0])).isNull()
    with files[1].open(newline="", encoding="utf-8") as file:
        assert [row["steps"] for row in csv.DictReader(file)] == ["256.0", "512.0", "1024.0"]
    refused = wayfront("growth", "town")
    assert (refused.code, refused.out) == (1, "")
    assert "there is no generator 'town'" in refused.err


def test_compare_names_searches_that_cannot_use_several_threads(
    tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.devices.cpu.usable_cores", lambda: 8)
    outcome = wayfront(
        "compare", tiny, "--source", 1, "--runs", 1, "-d", "cpu", "-a", "dijkstra", "--threads", 2, "--json"
    )
    assert outcome.err == "wayfront: dijkstra on cpu: this search ran on one core: it is sequential\n"


def test_compare_leaves_out_what_cannot_run_there(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront(
        "compare", tiny, "-a", "dijkstra,near-far-resident", "-d", "cpu", "--source", 1, "--runs", 1, "--json"
    )
    assert [row["algorithm"] for row in outcome.record["rows"]] == ["dijkstra"]
    assert "near-far-resident is left out" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-o", "times.exe"), "times.exe"),
        (("-o", "nowhere/times.png"), "no folder"),
        (("-d", "abacus"), "no device 'abacus'"),
        (("-d", "cpu,simulator"), "simulator is timed alone"),
        (("-d", "cpu", "--runs", 0), "at least one clean run"),
    ],
)
def test_compare_refuses_before_it_times(
    arguments: tuple[object, ...], message: str, tiny: Path, wayfront: Command
) -> None:
    outcome = wayfront("compare", tiny, "-a", "dijkstra", *arguments)
    assert outcome.code == 1
    assert message in " ".join(outcome.err.split())


def test_times_of_searches_that_disagree_are_refused(grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    from wayfront.errors import CertificateError
    from wayfront_gui.cli import engine_calls

    class Found:
        def __init__(self, name: str) -> None:
            self.name = name

        def summary(self) -> dict[str, Any]:
            return {
                "reached": 9,
                "sum_distance": len(self.name),
                "max_distance": 5,
                "time_ms": {"median": 1.0},
            }

    monkeypatch.setattr(engine_calls, "run_search", lambda _network, _source, name, *_others, **_more: Found(name))
    with pytest.raises(CertificateError, match="do not agree"):
        time_results(grid, 0, ["dijkstra", "dijkstra-heap"], ["cpu"], None, 1, Event())


def test_compared_searches_take_turns(grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    from wayfront_gui.cli import engine_calls

    order: list[str] = []
    search = engine_calls.run_search

    def noting(network: RoadNetwork, source: int, name: str, *others: Any, **more: Any) -> Any:
        if more["runs"]:
            order.append(name)
        return search(network, source, name, *others, **more)

    monkeypatch.setattr(engine_calls, "run_search", noting)
    rows = fastest_first(time_results(grid, 0, ["dijkstra", "dijkstra-heap"], ["cpu"], None, 3, Event()))
    assert order == ["dijkstra", "dijkstra-heap"] * 3
    assert [row["time_ms"]["runs"] for row in rows] == [3, 3]


def test_benchmark_search_takes_turns_with_scipy(
    tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setattr("wayfront.papers.boost._COMPILERS", ())
    outcome = wayfront(
        "benchmark", "search", tiny, "-a", "dijkstra,near-far", "--option", "delta=5..500/2",
        "--device", "cpu", "--source", 1, "--runs", 3, "--json",
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    scipy, own, *swept = outcome.record["rows"]
    assert [row["search"].partition(", ")[2] for row in swept] == ["delta 5", "delta 500"]
    assert "Boost is left out: no C++ compiler was found" in outcome.err
    assert scipy["search"] == "scipy dijkstra"
    assert scipy["ratio"] == 1.0
    assert own["ratio"] == pytest.approx(own["median"] / scipy["median"])
    assert [row["runs"] for row in (scipy, own)] == [3, 3]


def test_benchmark_search_checks_and_lists_boosts_searches(
    tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    wrong: list[int] = []

    def run(self: Any, runs: int, _check: object) -> tuple[tuple[float, ...], Any]:
        if "bellman" in self._name:
            raise SearchCancelled("one run takes longer than 10 s here")
        found = search(self._network, self._source, "dijkstra", "cpu", runs=0, trace_budget=None).distances
        return (2.0,) * runs, np.where(found == np.iinfo(found.dtype).max, -1, found) + len(wrong)

    monkeypatch.setattr("wayfront.papers.boost.why_not", lambda: "")
    monkeypatch.setattr("wayfront.papers.boost.BoostSearch.run", run)
    words = ("benchmark", "search", tiny, "-a", "dijkstra", "--device", "cpu", "--source", 1, "--runs", 3, "--json")
    outcome = wayfront(*words)
    assert outcome.code == 0, outcome.err
    *_, boost = outcome.record["rows"]
    assert (boost["search"], boost["median"], boost["runs"]) == ("boost dijkstra, one thread", 2.0, 3)
    assert "boost:bellman-ford is left out: one run takes longer than 10 s here" in outcome.err
    wrong.append(1)
    assert "boost:dijkstra does not find our distances" in wayfront(*words).err


def test_benchmark_steps_measures_every_value_of_an_option(tiny: Path, wayfront: Command) -> None:
    swept = ("-a", "near-far", "-d", "cpu", "--source", 1, "--option", "delta=5..500/2")
    outcome = wayfront("benchmark", "steps", tiny, *swept)
    assert outcome.code == 0, outcome.err
    assert "near-far, delta 5 " in outcome.out
    assert "near-far, delta 500 " in outcome.out


def test_benchmark_open_times_file_and_cache(tiny: Path, wayfront: Command) -> None:
    record = wayfront("benchmark", "open", tiny, "--runs", 2, "--json").record
    assert set(record["times"]) == {"from the file", "from the cache"}
    assert all(spread["runs"] == 2 and spread["median"] > 0 for spread in record["times"].values())
    assert record["peak_bytes"] > 0


@pytest.mark.usefixtures("qapp")
def test_benchmark_canvas_reports_milliseconds(tiny: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    for watched in ("WATCHED_S", "DRAGGED_S"):
        monkeypatch.setattr(f"wayfront_gui.window.frame_times.{watched}", 0.05)
    monkeypatch.setattr("wayfront_gui.window.frame_times.first_picture_ms", lambda _path: 1.0)  # another process
    record = wayfront("benchmark", "canvas", tiny, "--size", "200x120", "--json").record
    assert record["size"] == [200, 120]
    assert record["figures_ms"].keys() >= record["goals_ms"].keys()
    assert all(value > 0 for value in record["figures_ms"].values())
    assert record["trees_per_second"].keys() == {"while_dragged", "goal"}


@pytest.mark.usefixtures("qapp")
def test_first_light_writes_what_the_window_would_show(tiny: Path, tmp_path: Path, wayfront: Command) -> None:
    outcome = wayfront("first-light", tiny, "--output", tmp_path / "out", "--device", "cpu")
    assert outcome.code == 0, outcome.err
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"search.png", "tree.png", "timing.png", "timing.csv"}
    assert all(str(tmp_path / "out" / name) in outcome.err for name in written)
