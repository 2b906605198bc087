"""``compare`` with options, sweeps, baselines, tables and standard output."""

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
from wayfront import open_network
from wayfront.errors import FormatError, OptionError
from wayfront.search.result import Result
from wayfront_gui.charts.export import write_timings
from wayfront_gui.cli.stdout_output import check_stdout
from wayfront_gui.cli.timed_in_turns import time_results
from wayfront_gui.cli.variants import parse_asked
from wayfront_gui.look.theme import THEMES
from wayfront_gui.model.baseline import LONGEST_FILE, compared, read_baseline, verdict
from wayfront_gui.model.option_sweep import sweep_lines

SEARCHED = ("-d", "cpu", "--source", 1, "--runs", 1)
SWEPT = ("-a", "near-far,dijkstra", "--option", "delta=5..500/3", *SEARCHED)


@pytest.fixture(scope="module")
def measured() -> list[Result]:
    """Return searches over three values of an option, and one without it."""
    ring, asked = open_network("synthetic:ring?nodes=9"), parse_asked(["delta=5..500/3"])
    return time_results(ring, 0, ["near-far", "dijkstra"], ["cpu"], None, 1, Event(), asked=asked)


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


def test_a_sweep_is_drawn_over_its_values_and_as_a_table(
    rows: list[dict[str, Any]], tmp_path: Path, qapp: object
) -> None:
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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "-", "--json"), "would both print on standard output"),
        (("-o", "-", "--format", "mp3"), "--format mp3: unknown suffix"),
        (("-o", "x.csv", "--format", "csv"), "--format has no effect here"),
        (("-o", "-", "-o", "-"), "given twice"),
        (("--as-table",), "--as-table has no effect here"),
        (("--save", "x.txt"), "x.txt: unknown suffix"),
        (("--against", "missing.json"), "missing.json: there is no such file"),
        (("--option", "speed=1"), "dijkstra does not have an option 'speed'"),
    ],
)
def test_options_of_outputs_are_refused_before_anything_is_opened(
    words: tuple[str, ...], message: str, wayfront: Command
) -> None:
    outcome = wayfront("compare", "x.gr", "-a", "dijkstra", *words)
    assert (outcome.code, outcome.out) == (1, "")
    assert message in outcome.err


def test_bytes_do_not_go_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    check_stdout(".csv")
    with pytest.raises(OptionError, match=r"a \.png is not for a terminal"):
        check_stdout(".png")


# --------------------------------------------------------------------------------------------------------- baselines


def test_times_are_kept_and_compared_with(tiny: Path, tmp_path: Path, wayfront: Command) -> None:
    path, searched = tmp_path / "a.json", ("compare", tiny, "-a", "dijkstra", *SEARCHED)
    assert wayfront(*searched, "--save", path).code == 0
    outcome = wayfront(*searched, "--against", path)
    assert outcome.code == 0, outcome.err
    assert all(column in outcome.out for column in ("before ms", "ratio", "between"))
    assert f"against {path}: 1 " in outcome.err
    elsewhere = wayfront(*searched[:-3], 2, "--runs", 1, "--against", path)
    assert elsewhere.code == 1
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
    ],
)
def test_a_strangers_baseline_is_refused_with_its_row(
    spoil: Callable[[dict[str, Any]], object], rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    spoil(rows[1])
    with pytest.raises(FormatError, match="row 2 is no time of a search"):
        read_baseline(kept(rows, tmp_path / "a.json"))


@pytest.mark.parametrize("text", ["", "[", "[]", "7", '{"rows": []}', '{"rows": 7}', "[" * 9999])
def test_what_holds_no_times_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(FormatError, match="it holds no times; 'wayfront compare --save"):
        read_baseline(path)
    path.write_bytes(b" " * (LONGEST_FILE + 1))
    with pytest.raises(FormatError, match="too large"):
        read_baseline(path)
