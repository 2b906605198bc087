"""``wayfront compare`` and ``benchmark search``: options, sweeps, baselines, searches to a target."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage

from calling import Command
from wayfront import open_network, search
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import FormatError, OptionError, SearchCancelled
from wayfront.searching.registry import algorithms
from wayfront_gui.cli.outputs import check_stdout
from wayfront_gui.cli.running import MISUSED
from wayfront_gui.cli.variants import Turns, check_asked, choices, fastest_first, parse_asked, swept_option
from wayfront_gui.features.timing.baseline import LONGEST_FILE, compared, read_baseline, verdict
from wayfront_gui.features.timing.export import write_timings
from wayfront_gui.features.timing.tables import sweep_lines
from wayfront_gui.ui.theme import THEMES

# ------------------------------------------------------------------------------------------------------------- variants


NAMES = ("dijkstra", "near-far", "delta-stepping")


def test_an_option_is_for_all_that_have_it_and_for_one_by_name() -> None:
    asked = parse_asked(["delta=500", "near-far:delta=7"])
    check_asked(asked, NAMES)
    assert choices("dijkstra", asked) == [{}]
    assert choices("near-far", asked) == [{"delta": 7}], "what names an algorithm counts for more"
    assert choices("delta-stepping", asked) == [{"delta": 500}]
    assert swept_option(asked) == ""


def test_a_sweep_has_values_of_equal_ratios_in_the_type_of_the_option() -> None:
    asked = parse_asked(["delta=1000..100000/3"])
    assert choices("near-far", asked) == [{"delta": 1000}, {"delta": 10_000}, {"delta": 100_000}]
    assert swept_option(asked) == "delta"
    few = parse_asked(["delta=1..2/9"])
    assert choices("near-far", few) == [{"delta": 1}, {"delta": 2}], "whole numbers, each once"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["delta"], "key=value"),
        (["near-far:=5"], "key=value"),
        (["delta=1", "delta=2"], "given twice"),
        (["delta=5..1/3"], "goes up"),
        (["delta=1..9/1"], "2 to 64 values"),
        (["delta=1..9/999"], "2 to 64 values"),
        (["speed=3"], "none of dijkstra, near-far, delta-stepping has an option 'speed'"),
        (["bellman-ford-v1:block=3"], "is not among"),
        (["near-far:rule=x"], "near-far: there is no option 'rule'"),
        (["delta=0..9/3"], "near-far: delta lies between"),
        (["rule=1..9/3"], "delta-stepping: rule is no number"),
    ],
)
def test_what_cannot_be_is_refused_with_its_reason(given: list[str], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        check_asked(parse_asked(given), NAMES)


def test_one_option_is_swept_at_a_time() -> None:
    with pytest.raises(OptionError, match="sweeps one option, not delta and width"):
        swept_option(parse_asked(["delta=1..9/3", "width=1..9/3"]))


# ------------------------------------------------------------------------------------------------------------ x compare


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


def test_times_of_searches_that_disagree_are_refused(grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    from wayfront.safe.errors import CertificateError
    from wayfront_gui.cli import searching

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

    monkeypatch.setattr(searching, "run_search", lambda _network, _source, name, *_others, **_more: Found(name))
    with pytest.raises(CertificateError, match="do not agree"):
        Turns(["dijkstra", "dijkstra-heap"], ["cpu"], 1).time(grid, Event())


def test_compared_searches_take_turns(grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    from threading import Event

    from wayfront_gui.cli import searching

    order: list[str] = []
    search = searching.run_search

    def noting(network: RoadNetwork, source: int, name: str, *others: Any, **more: Any) -> Any:
        if more["runs"]:
            order.append(name)
        return search(network, source, name, *others, **more)

    monkeypatch.setattr(searching, "run_search", noting)
    rows = fastest_first(Turns(["dijkstra", "dijkstra-heap"], ["cpu"], 3).time(grid, Event()))
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
        return (2.0,) * runs, found + len(wrong)

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


# ------------------------------------------------------------------------------------------------------ compare options


SEARCHED = ("-d", "cpu", "--source", 1, "--runs", 1)

SWEPT = ("-a", "near-far,dijkstra", "--option", "delta=5..500/3", *SEARCHED)


@pytest.fixture(scope="module")
def measured() -> list[Result]:
    """Return searches over three values of an option, and one without it."""
    ring, asked = open_network("synthetic:ring?nodes=9"), parse_asked(["delta=5..500/3"])
    return Turns(["near-far", "dijkstra"], ["cpu"], 1, asked=asked).time(ring, Event())


@pytest.fixture
def rows(measured: list[Result]) -> list[dict[str, Any]]:
    """Return their rows, which a test may change."""
    return [result.summary() for result in measured]


def kept(rows: list[dict[str, Any]], path: Path) -> Path:
    path.write_text(json.dumps({"rows": rows}), "utf-8")
    return path


def test_a_sweep_runs_every_value_in_order_and_the_others_once(rows: list[dict[str, Any]]) -> None:
    assert [row["options"].get("delta") for row in rows] == [5, 50, 500, None]
    swept, level = sweep_lines(rows, "delta")
    assert [value for value, _ in swept.points] == [5, 50, 500]
    assert (level.label, level.points) == ("dijkstra", ())
    assert level.level is not None


def test_a_sweep_is_drawn_over_its_values_and_as_a_table(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    chart, table, drawing = tmp_path / "chart.png", tmp_path / "table.png", tmp_path / "table.svg"
    write_timings(rows, chart, "dark", 1.0, "delta")
    write_timings(rows, table, "dark", 1.0, as_table=True)
    write_timings(rows, drawing, as_table=True)
    line = QColor(THEMES["dark"].map.zones[0]).rgb()
    picture = QImage(str(chart))
    assert any(picture.pixel(x, y) == line for x in range(0, picture.width(), 3) for y in range(130, 500))
    assert QImage(str(table)).height() < picture.height()
    assert "near-far" in drawing.read_text("utf-8")


def test_standard_output_gets_the_file_alone(tiny: Path, wayfront: Command) -> None:
    outcome = wayfront("compare", tiny, *SWEPT, "-o", "-")
    assert (outcome.code, outcome.err) == (0, "")
    assert [row["algorithm"] for row in csv.DictReader(io.StringIO(outcome.out))] == ["near-far"] * 3 + ["dijkstra"]
    assert wayfront("compare", tiny, *SWEPT, "-o", "-", "--format", "md").out.startswith("## Shortest paths")


def test_bytes_do_not_go_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    check_stdout(".csv")
    with pytest.raises(OptionError, match=r"a \.png is not for a terminal"):
        check_stdout(".png")


def test_times_are_kept_and_compared_with(tiny: Path, tmp_path: Path, wayfront: Command) -> None:
    path, searched = tmp_path / "a.json", ("compare", tiny, "-a", "dijkstra", *SEARCHED)
    assert wayfront(*searched, "--save", path).code == 0
    outcome = wayfront(*searched, "--against", path)
    assert outcome.code == 0, outcome.err
    assert all(column in outcome.out for column in ("before ms", "ratio", "between"))
    assert f"against {path}: 1 " in outcome.err
    elsewhere = wayfront(*searched[:-3], 2, "--runs", 1, "--against", path)
    assert elsewhere.code == MISUSED
    assert "nodes by length from node 2, with these roads closed: leave --against out" in elsewhere.err


def test_a_row_is_compared_with_its_like_by_ratio_and_spread(rows: list[dict[str, Any]], tmp_path: Path) -> None:
    times = {"median": 2.0, "min": 1.0, "max": 4.0, "runs": 3, "noisy": False}
    before = [row | {"time_ms": times} for row in rows[:2]]
    now = [row | {"time_ms": times | {"median": 9.0, "min": 8.0, "max": 10.0}} for row in rows]
    beside, remarks = compared(now, read_baseline(kept(before, tmp_path / "a.json")))
    assert (beside[0]["ratio"], beside[0]["ratio_between"], verdict(beside[0])) == (4.5, [2.0, 10.0], "slower")
    assert [("before" in row) for row in beside] == [True, True, False, False]
    assert len(remarks) == 2
    same, _ = compared(before, read_baseline(tmp_path / "a.json"))
    assert verdict(same[0]) == "same"
    other = [before[0] | {"sum_distance": 7, "machine": {"processor": "another"}}]
    _, (remark,) = compared(now[:1], read_baseline(kept(other, tmp_path / "b.json")))
    assert "that was another network" in remark
    elsewhere = [before[0] | {"machine": {"processor": "another"}}]
    _, (remark,) = compared(now[:1], read_baseline(kept(elsewhere, tmp_path / "c.json")))
    assert "was measured on another, not on " in remark


@pytest.mark.parametrize(
    "spoil",
    [
        lambda row: row.pop("network"),
        lambda row: row.update(time_ms={"median": -1, "min": -1, "max": -1, "runs": 1}),
        lambda row: row.update(time_ms={"median": 9.0, "min": 1.0, "max": 2.0, "runs": 1}),
        lambda row: row.update(time_ms={"median": True, "min": True, "max": True, "runs": 1}),
        lambda row: row.update(algorithm=["x"]),
        lambda row: row.update(algorithm="x" * 999),
        lambda row: row.update(options=7),
        lambda row: row.update(reached=1.5),
        lambda row: row.clear(),
    ],
)
def test_a_strangers_baseline_is_refused_with_its_row(
    spoil: Callable[[dict[str, Any]], object], rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    spoil(rows[1])
    with pytest.raises(FormatError, match="row 2 is no time of a search"):
        read_baseline(kept(rows, tmp_path / "a.json"))


@pytest.mark.parametrize(
    "text",
    ["", "[", "[]", "7", f'{{"rows": [{"9" * 5000}]}}', '{"rows": [1e999]}', '{"rows": []}', '{"rows": 7}', "[" * 9999],
)
def test_what_holds_no_times_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=r"it holds no times.*'wayfront compare --save"):
        read_baseline(path)
    path.write_bytes(b" " * (LONGEST_FILE + 1))
    with pytest.raises(FormatError, match="too large"):
        read_baseline(path)


# ------------------------------------------------------------------------------------------------------------ to target


GRID = "synthetic:grid?columns=24&rows=16"


@pytest.mark.usefixtures("no_card")
def test_searches_to_a_target_are_compared_by_what_they_settle(wayfront: Command, tmp_path: Path) -> None:
    table = tmp_path / "times.csv"
    outcome = wayfront("compare", GRID, "--source", 1, "--target", 200, "--runs", 1, "-o", table)
    assert outcome.code == 0, outcome.err
    assert "from node 1 to node 200" in outcome.out and " settled" in outcome.out
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert {row["algorithm"] for row in rows} == {a.name for a in algorithms(SearchKind.ROUTE)}
    assert {row["target"] for row in rows} == {"200"} and len({row["distance"] for row in rows}) == 1
    assert all(0 < int(row["settled"]) <= 384 for row in rows)
    assert [float(row["landmarks_ms"]) > 0 for row in rows if row["algorithm"] == "alt"] == [True]


@pytest.mark.usefixtures("no_card")
def test_times_of_searches_to_a_target_are_kept_and_compared_with(wayfront: Command, tmp_path: Path) -> None:
    path, searched = tmp_path / "a.json", ("compare", GRID, "-a", "a-star", "-d", "cpu", "--source", 1, "--runs", 1)
    assert wayfront(*searched, "--target", 200, "--save", path).code == 0
    outcome = wayfront(*searched, "--target", 200, "--against", path)
    assert (outcome.code, "before ms" in outcome.out) == (0, True), outcome.err
    assert f"against {path}: 1 " in outcome.err
    for other in (("--target", 199), ("-a", "dijkstra")):
        refused = wayfront(*searched, *other, "--against", path)
        assert (refused.code, refused.out) == (MISUSED, "")
        assert "from node 1 to node 199" in refused.err or "from node 1, with" in refused.err


@pytest.mark.usefixtures("no_card")
def test_searches_to_a_target_race_and_are_drawn_with_their_route(wayfront: Command, tmp_path: Path) -> None:
    ends = ("--source", 1, "--target", 200)
    outcome = wayfront("race", GRID, *ends, "--runs", 1, "-o", tmp_path / "race.json")
    assert outcome.code == 0, outcome.err
    rows = json.loads((tmp_path / "race.json").read_text("utf-8"))["rows"]
    assert {row["algorithm"] for row in rows} == {a.name for a in algorithms(SearchKind.ROUTE)}
    pictures = []
    for target in (200, 384):
        path = tmp_path / f"{target}.png"
        outcome = wayfront("render", GRID, "--source", 1, "--target", target, "-a", "a-star", "-o", path)
        assert outcome.code == 0, outcome.err
        pictures.append(QImage(str(path)))
    assert pictures[0] != pictures[1]
