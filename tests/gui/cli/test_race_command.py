"""``wayfront race`` into films, pictures and tables."""

from __future__ import annotations

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
    film, picture, table = (tmp_path / name for name in ("race.gif", "race.png", "race.json"))
    outcome = wayfront("race", "synthetic:ring", *TWO, "-o", film, *SMALL, "--seconds", 0.6)
    assert outcome.code == 0, outcome.err
    assert "15 frames of 320 × 200 pixels" in outcome.err and "dijkstra-heap" in outcome.out
    with av.open(str(film)) as opened:
        assert sum(1 for _ in opened.decode(video=0)) == 15
    assert wayfront("race", "synthetic:ring", *TWO, "-o", picture, *SMALL, "--split", "--at", 0.5).code == 0
    drawn = QImage(str(picture))
    assert (drawn.width(), drawn.height()) == (320, 200)
    assert wayfront("race", "synthetic:ring", *TWO, "-o", table, "--runs", 1).code == 0
    rows = json.loads(table.read_text("utf-8"))["rows"]
    assert {row["algorithm"] for row in rows} == {"dijkstra", "dijkstra-heap"}


def test_what_makes_no_race_is_refused(wayfront: Command, tmp_path: Path) -> None:
    picture = tmp_path / "race.png"
    for given, said in (
        (("-a", "dijkstra"), "two to 6 searches"),
        ((*TWO, "--seconds", 3), "is no film"),
        (("-a", "dijkstra,nothing"), "nothing"),
    ):
        outcome = wayfront("race", "synthetic:ring", *given, "-o", picture, "--runs", 1)
        assert outcome.code == 1 and said in outcome.err, outcome.err
    outcome = wayfront("race", "synthetic:ring", *TWO, "-o", tmp_path / "race.csv", "--split")
    assert outcome.code == 1 and "is a table" in outcome.err
