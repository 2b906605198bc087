"""``wayfront race`` into films, pictures and tables."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import av
import pytest
from PySide6.QtGui import QImage

from calling import Command

pytestmark = pytest.mark.usefixtures("qapp")  # else the command starts a Qt without widgets, which later tests find

SMALL = ("--size", "320x200", "--scale", 1, "--runs", 1)
TWO = ("-a", "dijkstra,dijkstra-heap")


def test_a_race_is_filmed_drawn_and_tabled(wayfront: Command, tmp_path: Path) -> None:
    film, picture, table, chart = (tmp_path / name for name in ("race.gif", "race.png", "race.json", "race.svg"))
    written = [word for file in (film, table, chart, tmp_path / "race.md") for word in ("-o", file)]
    outcome = wayfront("race", "synthetic:ring", *TWO, *written, *SMALL, "--seconds", 0.6)
    assert outcome.code == 0, outcome.err
    assert "15 frames of 320 × 200 pixels" in outcome.err and "dijkstra-heap" in outcome.out
    with av.open(str(film)) as opened:
        assert sum(1 for _ in opened.decode(video=0)) == 15
    assert wayfront("race", "synthetic:ring", *TWO, "-o", picture, *SMALL, "--split", "--at", 0.5).code == 0
    drawn = QImage(str(picture))
    assert (drawn.width(), drawn.height()) == (320, 200)
    rows = json.loads(table.read_text("utf-8"))["rows"]
    assert {row["algorithm"] for row in rows} == {"dijkstra", "dijkstra-heap"}
    assert "dijkstra-heap" in chart.read_text("utf-8")
    assert "| **dijkstra-heap**" in (tmp_path / "race.md").read_text("utf-8")


def test_the_times_of_a_race_go_to_standard_output_alone(wayfront: Command) -> None:
    outcome = wayfront("race", "synthetic:ring", *TWO, "-d", "cpu", "--runs", 1, "-o", "-")
    assert (outcome.code, outcome.err) == (0, "")
    assert {row["algorithm"] for row in csv.DictReader(io.StringIO(outcome.out))} == {"dijkstra", "dijkstra-heap"}


def test_what_makes_no_race_is_refused(wayfront: Command, tmp_path: Path) -> None:
    picture = tmp_path / "race.png"
    for given, said in (
        (("-a", "dijkstra"), "two to 6 searches"),
        ((*TWO, "--seconds", 3), "no --output is a film"),
        (("-a", "dijkstra,nothing"), "nothing"),
    ):
        outcome = wayfront("race", "synthetic:ring", *given, "-o", picture, "--runs", 1)
        assert outcome.code == 1 and said in outcome.err, outcome.err
    outcome = wayfront("race", "synthetic:ring", *TWO, "-o", tmp_path / "race.csv", "--split")
    assert outcome.code == 1 and "neither a film nor a picture" in outcome.err
