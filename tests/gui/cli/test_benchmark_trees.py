"""``wayfront benchmark trees``: its table, its files, what it refuses; measuring itself is tested with the engine."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from calling import command
from wayfront.benchmarks.tree_times import Limits, Stage, Times, TreeBenchmark, Work
from wayfront_gui.cli.running import MISUSED, REFUSED

Command = Callable[..., tuple[int, str, str]]


def found(name: str) -> TreeBenchmark:
    half = {"work": Work(1e6, 1e6), "limits": Limits(4e9, 1e10)}
    return TreeBenchmark(
        {"name": name, "nodes": 9, "arcs": 20, "metric": "length", "unit": "m"},
        {"method": "kahip", "cells": 5, "levels": 3, "largest_front": 4},
        2,
        (
            Times(Stage.CUT, "nested dissection", "cpu", "a core", (900.0,), "by kahip, when it was made"),
            Times(Stage.TREE, "nested dissection", "cuda:0", "a card", (0.5, 0.5), **half),  # type: ignore[arg-type]
            Times(Stage.ALL_PAIRS, "nested dissection", "cuda:0", "a card", (3.0,), part="3 of 9 sources", scale=3.0),
            Times(Stage.TREE, "SciPy 1", "cpu", "a core", (41.0, 43.0)),
        ),
        (("igraph", "it is not installed"),),
        {"processor": "a processor", "cores": "2", "date": "2026-01-01"},
    )


@pytest.fixture
def wayfront(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Call ``wayfront benchmark trees`` with these arguments beside the results of two networks, ``found.json``."""
    monkeypatch.chdir(tmp_path)
    records = [found(name).record() for name in ("Here", "There")]
    Path("found.json").write_text(json.dumps({"benchmarks": records}), encoding="utf-8")

    def call(*arguments: object) -> tuple[int, str, str]:
        outcome = command(capsys)("benchmark", "trees", *arguments)
        return outcome.code, outcome.out, outcome.err

    return call


def test_a_table_shows_times_and_shares(wayfront: Command) -> None:
    code, out, err = wayfront("--from", "found.json")
    assert code == 0, err
    assert "There by length: 9 nodes, 20 arcs; 5 cells in 3 levels, largest front 4" in " ".join(out.split())
    assert "Here, without igraph: it is not installed" in err
    card = next(line for line in out.splitlines() if "GPU" in line)
    assert "50 %" in card
    assert "20 %" in card
    assert "≈ 9.00 ms" in out


def test_every_kind_of_file_is_written(wayfront: Command) -> None:
    names = ["out.png", "out.csv", "out.json", "out.md"]
    code, _, err = wayfront("--from", "found.json", *(word for name in names for word in ("-o", name)))
    assert code == 0, err
    picture = QImage("out.png")
    assert (picture.width(), picture.height() > 600) == (2560, True)
    with Path("out.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["network"] for row in rows] == ["Here"] * 4 + ["There"] * 4
    assert (rows[1]["median_ms"], rows[1]["bytes_share"], rows[3]["bytes"]) == ("0.5", "0.5", "")
    again, tables = (Path(name).read_text(encoding="utf-8") for name in names[2:])
    assert json.loads(again) == json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert "| all pairs (3 of 9 sources) | nested dissection | GPU | ≈ 9.00 ms |" in tables
    assert "Here, without igraph: it is not installed." in tables


def test_networks_are_measured(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def measured(network: object, request: object, _cancel: object) -> TreeBenchmark:
        asked.append(request)
        return found(str(getattr(network, "name", "")))

    monkeypatch.setattr("wayfront.benchmarks.trees.benchmark_trees", measured)
    code, out, err = wayfront(
        "synthetic:ring?n=9", "-d", "cpu", "--sources", 5, "--batch", 7, "--alone", "--published", "--json"
    )
    assert code == 0, err
    assert json.loads(out)["benchmarks"][0]["network"]["name"] == "Ring of 9"
    (request,) = asked
    assert (request.sources, request.batch, request.others, request.published) == (5, 7, False, True)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "name a network"),
        (("synthetic:ring?n=9", "--cut", "a", "--cut", "b"), "there are 2 cuts for 1 networks"),
        (("synthetic:ring?n=9", "--from", "found.json"), "nothing is measured"),
        (("--from", "found.json", "-o", "a.csv", "--theme", "light"), "it is for charts"),
        (("--from", "nowhere.json"), "nowhere.json"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[object, ...], message: str, wayfront: Command) -> None:
    code, out, err = wayfront(*arguments)
    assert (code, out) == (REFUSED if message == "nowhere.json" else MISUSED, "")
    assert message in " ".join(err.split())
