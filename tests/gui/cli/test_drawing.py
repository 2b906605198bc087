"""What commands draw: ``render``, ``race``, ``lesson``, ``first-light``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import av
import pytest
from PySide6.QtGui import QColor, QImage

from calling import Command
from lessons import TWO_IN_STEP
from wayfront_gui.cli.running import MISUSED
from wayfront_gui.features.lessons.tours import TOURS
from wayfront_gui.map import offscreen
from wayfront_gui.map.raster import MAX_COVERAGE
from wayfront_gui.map.style import Style
from wayfront_gui.ui.theme import THEMES

# ------------------------------------------------------------------------------------------------------------- x render


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


def test_render_fills_isochrones(data: Path, tmp_path: Path, wayfront: Command) -> None:
    paths = [tmp_path / f"{name}.png" for name in ("bare", "bands")]
    for path, more in zip(paths, ((), ("--isochrones", "auto")), strict=True):
        outcome = wayfront(
            "render", data / "tiny-d.gr", "--source", 1, "-d", "cpu", "--size", "320x200", *more, "-o", path
        )
        assert outcome.code == 0, outcome.err
    ground = QColor(THEMES["dark"].map.background)
    images = [QImage(str(path)) for path in paths]
    filled = [sum(image.pixelColor(x, y) != ground for x in range(320) for y in range(200)) for image in images]
    assert filled[1] > 2 * filled[0]


def test_render_draws_what_streets_carry(data: Path, tmp_path: Path, wayfront: Command) -> None:
    drawn = {}
    for name, more in {
        "tree": (),
        "flows": ("--show", "flows"),
        "closed": ("--show", "flows", "--close", "1-2"),
    }.items():
        path = tmp_path / f"{name}.png"
        outcome = wayfront("render", data / "tiny-d.gr", "-d", "cpu", "--size", "320x200", *more, "-o", path)
        assert outcome.code == 0, outcome.err
        drawn[name] = QImage(str(path))
    assert drawn["tree"] != drawn["flows"] != drawn["closed"]
    strongest = QColor(THEMES["dark"].map.flow[-1])
    bright = [drawn["flows"].pixelColor(x, y) for x in range(320) for y in range(140)]
    assert any(abs(each.red() - strongest.red()) + abs(each.blue() - strongest.blue()) < 60 for each in bright)
    poster = wayfront("render", data / "tiny-d.gr", "--show", "flows", "--poster", "gallery", "-o", tmp_path / "p.svg")
    busiest = f'stroke="#{int(Style().flow_table[255, MAX_COVERAGE]) & 0xFFFFFF:06x}"'
    assert poster.code == 0 and busiest in (tmp_path / "p.svg").read_text("utf-8")
    for wrong, name in {("--tree",): "no.png", ("--source", 1): "no.png", ("--walk", "time"): "no.mp4"}.items():
        refused = wayfront("render", data / "tiny-d.gr", "--show", "flows", *wrong, "-o", tmp_path / name)
        assert refused.code == MISUSED and "shows no search" in refused.err
    small = ("--size", "160x100", "--scale", 1, "--seconds", 0.6, "--fps", 5, "--loop")
    film = wayfront("render", data / "tiny-d.gr", "--show", "flows", *small, "-o", tmp_path / "film.gif")
    assert film.code == 0 and "3 frames of 160 × 100 pixels" in film.err, film.err


def test_render_draws_a_recorded_trace_in_the_light(data: Path, tmp_path: Path, wayfront: Command) -> None:
    trace, path = tmp_path / "run.wftrace", tmp_path / "run.png"
    solved = wayfront("solve", data / "tiny-d.gr", "--source", 1, "-d", "cpu", "--runs", 0, "--trace", trace, "--json")
    assert solved.code == 0
    outcome = wayfront("render", trace, "--theme", "light", "--size", "200x160", "-o", path)
    assert outcome.code == 0, outcome.err
    assert QImage(str(path)).pixelColor(1, 1) == QColor(THEMES["light"].map.background)


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
    assert outcome.code == MISUSED
    assert "no recorded search" in outcome.err


def test_a_network_without_coordinates_is_drawn_only_when_a_layout_is_wanted(
    tiny: Path, tmp_path: Path, wayfront: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront_gui.session.slot.SMALL", 0)  # a small one is laid out without a word
    alone = tmp_path / "alone.gr"
    alone.write_bytes(tiny.read_bytes())
    arguments = ("render", alone, "--source", 1, "-d", "cpu", "--size", "200x160", "-o", tmp_path / "x.png")
    refused = wayfront(*arguments)
    assert refused.code == 1
    assert "--coordinates" in refused.err
    assert "--layout" in refused.err
    assert wayfront(*arguments, "--layout").code == 0
    assert not QImage(str(tmp_path / "x.png")).isNull()


def test_first_light_writes_what_the_window_would_show(tiny: Path, tmp_path: Path, wayfront: Command) -> None:
    outcome = wayfront("first-light", tiny, "--output", tmp_path / "out", "--device", "cpu")
    assert outcome.code == 0, outcome.err
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {"search.png", "tree.png", "timing.png", "timing.csv"}
    assert all(str(tmp_path / "out" / name) in outcome.err for name in written)


# ---------------------------------------------------------------------------------------------------------- render film


def test_render_writes_films(wayfront: Command, tmp_path: Path) -> None:
    path = tmp_path / "film.gif"
    small = ("--size", "160x100", "--scale", 1, "--seconds", 0.6, "--walk", "distance", "--device", "cpu")
    outcome = wayfront("render", "synthetic:ring", "-o", path, *small)
    assert outcome.code == 0, outcome.err
    assert "15 frames of 160 × 100 pixels" in outcome.err
    with av.open(str(path)) as film:
        assert sum(1 for _ in film.decode(video=0)) == 15
    for refused in (("--at", "0.5"), ("--tree",)):
        assert "has no effect here" in wayfront("render", "synthetic:ring", "-o", path, *refused).err
    assert "is no film" in wayfront("render", "synthetic:ring", "-o", tmp_path / "a.png", "--loop").err


def test_render_writes_drawings_and_posters(wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ring = ("render", "synthetic:ring", "--device", "cpu", "-o")
    # It would draw a picture at once, for which one of 16,384 × 16,384 has no room.
    monkeypatch.setattr(offscreen, "roads", None)
    assert wayfront(*ring, tmp_path / "a.png", "--size", "300x200").code == 0
    monkeypatch.undo()
    assert QImage(str(tmp_path / "a.png")).width() == 300
    for name, *options in (
        ("a.svg", "--size", "300x200"),
        ("b.pdf", "--poster", "wide", "--paper", "a4", "--title", "Ring"),
    ):
        outcome = wayfront(*ring, tmp_path / name, *options)
        assert outcome.code == 0, outcome.err
        assert (tmp_path / name).read_bytes()[:5] in (b"<?xml", b"%PDF-")
    for refused, why in (
        (("--paper", "a4"), "it is for a --poster"),
        (("--poster", "wide", "--size", "300x200"), "--paper says how large"),
        (("--title", "Ring"), "only films and posters"),
        (("--scale", "2"), "a drawing has no pixels"),
    ):
        assert why in wayfront(*ring, tmp_path / "c.svg", *refused).err
    assert not (tmp_path / "c.svg").exists()


# ----------------------------------------------------------------------------------------------------------------- race


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
        assert outcome.code == MISUSED and said in outcome.err, outcome.err
    outcome = wayfront("race", "synthetic:ring", *TWO, "-o", tmp_path / "race.csv", "--split")
    assert outcome.code == MISUSED and "neither a film nor a picture" in outcome.err


# --------------------------------------------------------------------------------------------------------------- lesson


def test_a_lesson_is_handed_out_and_what_cannot_be_written_is_said(wayfront: Command, tmp_path: Path) -> None:
    lesson, handout = tmp_path / "two.toml", tmp_path / "two.pdf"
    lesson.write_text(TWO_IN_STEP, encoding="utf-8")
    outcome = wayfront("lesson", lesson, "-o", handout)
    assert outcome.code == 0 and "handout written to" in outcome.err + outcome.out, outcome.err
    assert handout.read_bytes().startswith(b"%PDF")
    for given, said in (
        (("nothing", "-o", handout), "there is no tour 'nothing'"),
        ((lesson, "-o", tmp_path / "two.doc"), "two.doc"),
        ((tmp_path / "none.toml", "-o", handout), "none.toml"),
    ):
        outcome = wayfront("lesson", *given)
        assert outcome.code != 0 and said in outcome.err, outcome.err
    listed = wayfront("lesson")
    assert listed.code == 0 and all(name in listed.out for name in TOURS)
