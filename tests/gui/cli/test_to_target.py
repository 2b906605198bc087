"""Searches to a target by ``compare``, ``race`` and ``render``; ``solve`` has tests of its own."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from calling import Command
from wayfront.search.registry import SearchKind, algorithms

pytestmark = pytest.mark.usefixtures("qapp", "no_card")

GRID = "synthetic:grid?columns=24&rows=16"


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


def test_times_of_searches_to_a_target_are_kept_and_compared_with(wayfront: Command, tmp_path: Path) -> None:
    path, searched = tmp_path / "a.json", ("compare", GRID, "-a", "a-star", "-d", "cpu", "--source", 1, "--runs", 1)
    assert wayfront(*searched, "--target", 200, "--save", path).code == 0
    outcome = wayfront(*searched, "--target", 200, "--against", path)
    assert (outcome.code, "before ms" in outcome.out) == (0, True), outcome.err
    assert f"against {path}: 1 " in outcome.err
    for other in (("--target", 199), ("-a", "dijkstra")):
        refused = wayfront(*searched, *other, "--against", path)
        assert (refused.code, refused.out) == (1, "")
        assert "from node 1 to node 199" in refused.err or "from node 1, with" in refused.err


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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("compare", "-a", "a-star"), "finds one route and needs a --target"),
        (("compare", "-a", "dijkstra", "--target", 2), "finds one tree; choose an algorithm that finds a route"),
        (("race", "-a", "alt,a-star", "-o", "x.png"), "finds one route and needs a --target"),
        (("render", "-a", "dijkstra", "--target", 2, "-o", "x.png"), "choose an algorithm that finds a route"),
        (("render", "--target", "nowhere", "-o", "x.png"), "nowhere"),
    ],
)
def test_what_does_not_fit_a_target_is_refused(wayfront: Command, given: tuple[object, ...], said: str) -> None:
    command, *others = given
    outcome = wayfront(command, GRID, *others)
    assert outcome.code != 0 and said in outcome.err
