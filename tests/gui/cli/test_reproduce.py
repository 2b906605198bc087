"""``wayfront reproduce``: what it prints and writes of a paper's table, what it leaves out, and its picture."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage

from calling import command
from wayfront.papers import reproduction
from wayfront.papers.comparison import Cell, Comparison, RatioRow, Skipped
from wayfront.papers.description import Contender, Graph, Hardware, Paper, Ratio, Rival, Table
from wayfront.safe.errors import SearchCancelled
from wayfront_gui.cli.running import MISUSED, REFUSED
from wayfront_gui.features.papers import tables as paper_formatting
from wayfront_gui.features.papers.chart import axis_for, paper_page
from wayfront_gui.features.papers.tables import markdown
from wayfront_gui.features.timing.plots import Sheet
from wayfront_gui.ui.style import text_width
from wayfront_gui.ui.theme import THEMES

RING = Graph("Ring", "synthetic:ring?n=50", stands_for="the Equator")
TABLE = Table(
    "Two queues",
    (RING, Graph("Atlantis", "dimacs:E")),
    (
        Contender("heap", "dijkstra-heap", on=Hardware.CPU),
        Contender("buckets", "dijkstra", on=Hardware.CPU),
        Contender("card", "near-far-resident"),
    ),
    {("Ring", "heap"): 8.0, ("Ring", "buckets"): 2.0, ("Ring", "card"): 1.0},
    (Ratio("buckets", "heap"),),
    (Rival("Somebody else's", "Ring", 7_200_000.0, "an abacus, 1999", Hardware.CPU),),
    ours="a whole search",
    theirs="nobody knows",
    note="Not to be taken seriously.",
)
SIZES = tuple(Graph(f"{n} nodes", f"synthetic:ring?n={n}", value=n) for n in (16, 64, 256))
SWEEP = Table(
    "Figure 1",
    SIZES,
    (Contender("heap", "dijkstra-heap", on=Hardware.CPU), Contender("card", "near-far")),
    {("64 nodes", "card"): 2.0, ("256 nodes", "card"): 3.0},
    sweep="nodes",
)
PAPER = Paper("X", "A paper", "Nobody", "1999", "Pentium III", (TABLE,))
OTHER = Paper("Y", "Another", "Noone", "2000", "a slide rule", (SWEEP,))

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def wayfront(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Call ``wayfront`` with these arguments where there are two small papers; return exit code, stdout and stderr."""
    monkeypatch.setattr("wayfront.papers.PAPERS", (PAPER, OTHER))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))

    def call(*arguments: object) -> tuple[int, str, str]:
        outcome = command(capsys)(*arguments)
        return outcome.code, outcome.out, outcome.err

    return call


def comparison(ours: float = 3.0, device: str = "cpu") -> Comparison:
    """Return a table as if measured, with the ratio ``ours``."""
    cells = tuple(
        Cell(label, label, {}, device, "a processor", runs, paper)
        for label, runs, paper in (("heap", (ours,) * 3, 8.0), ("buckets", (0.9, 1.0, 1.1), 2.0))
    )
    return Comparison(PAPER, TABLE, RING, (50, 100), 50, 1234, cells, machine={"processor": "a processor"})


# ------------------------------------------------------------------------------------------------------- command


def test_times_stand_beside_the_papers_and_skips_are_named(wayfront: Command) -> None:
    code, out, err = wayfront("reproduce", "x", "-d", "cpu", "--runs", 2)
    assert code == 0, err
    lines = out.splitlines()
    assert "Paper X: Two queues" in out
    assert "Pentium III" in out
    assert "Not to be taken seriously." in out
    assert any("Ring, in place of the Equator" in line for line in lines)
    heap = next(line for line in lines if line.startswith("heap"))
    assert heap.split()[-3:] == ["2", "8.00", "ms"]
    assert any("buckets over heap" in line and line.rstrip().endswith("4.00×") for line in lines)
    assert any("Somebody else's" in line and "2.0 h" in line for line in lines)
    messages = " ".join(err.split())
    assert "paper X, Ring, without card: that is for cuda" in messages
    assert "paper X, Atlantis, left out: dimacs:E" in messages
    assert "'wayfront fetch dimacs:E'" in messages


def test_a_gpus_figure_stands_in_a_row_of_its_own(wayfront: Command) -> None:
    _, out, _ = wayfront("reproduce", "x", "-d", "cpu", "--runs", 1)
    (card,) = (line for line in out.splitlines() if line.startswith("card"))
    assert card.split() == ["card", "the", "authors'", "GPU", "1.00", "ms"]
    assert out.index("Two queues") < out.index("card") < out.index("Timed here: a whole search.")
    assert out.index("Timed here") < out.index("Timed by the authors: nobody knows.") < out.index("Not to be taken")


def test_tables_are_chosen_by_their_titles(wayfront: Command) -> None:
    code, out, _ = wayfront("reproduce", "all", "-d", "cpu", "--runs", 1, "--table", "figure")
    assert code == 0
    assert "Figure 1" in out
    assert "Two queues" not in out
    code, _, err = wayfront("reproduce", "all", "--table", "chair")
    assert code == MISUSED
    assert "no table's title contains 'chair'; there are: 'Two queues', 'Figure 1'" in " ".join(err.split())


def test_what_was_measured_before_is_shown_and_drawn(wayfront: Command, tmp_path: Path) -> None:
    measured = tmp_path / "measured.json"
    _, first, _ = wayfront("reproduce", "all", "-d", "cpu", "--runs", 2, "-o", measured)
    drawn = tmp_path / "drawn.png"
    code, again, err = wayfront("reproduce", "all", "--from", measured, "-o", drawn, "-o", tmp_path / "tables.md")
    assert code == 0, err
    assert again == first
    assert QImage(str(drawn)).width() == 2560
    tables = (tmp_path / "tables.md").read_text(encoding="utf-8")
    assert "### Two queues" in tables
    assert "| card | the authors' GPU | 1.00 ms |" in tables
    assert "| time | on | 16 nodes | 64 nodes | 256 nodes |" in tables
    assert "|  | the authors | 4.00× |" in tables
    assert "Atlantis, left out: dimacs:E" in tables
    code, _, err = wayfront("reproduce", "all", "--from", measured, "--runs", 3)
    assert code == MISUSED
    assert "nothing is measured" in err


def test_every_kind_of_file_is_written(wayfront: Command, tmp_path: Path) -> None:
    files = [tmp_path / f"out.{suffix}" for suffix in ("png", "svg", "csv", "json")]
    code, _, err = wayfront(
        "reproduce", "x", "-d", "cpu", "--runs", 2, *(word for path in files for word in ("-o", path))
    )
    assert code == 0, err
    assert QImage(str(files[0])).width() == 2560
    assert "<svg" in files[1].read_text(encoding="utf-8")
    with files[2].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kinds = ["time", "time", "published", "published", "ratio", "left out", "left out"]
    assert [row["kind"] for row in rows] == kinds
    heap, buckets, theirs, _, ratio, card, atlantis = rows
    assert (theirs["search"], theirs["paper_ms"], theirs["paper_device"]) == ("card", "1.0", "GPU")
    assert float(ratio["ratio"]) == pytest.approx(float(heap["median_ms"]) / float(buckets["median_ms"]))
    assert (ratio["paper_ratio_low"], heap["paper_ms"], heap["runs"]) == ("4.0", "8.0", "2")
    assert (card["search"], atlantis["graph"]) == ("card", "Atlantis")
    record = json.loads(files[3].read_text(encoding="utf-8"))
    assert [paper["letter"] for paper in record["papers"]] == ["X"]
    assert record["machine"]["processor"]


def test_json_is_all_there_is_on_stdout(wayfront: Command) -> None:
    code, out, _ = wayfront("reproduce", "x", "-d", "cpu", "--runs", 1, "--json")
    assert code == 0
    ring, atlantis = json.loads(out)["papers"][0]["comparisons"]
    assert {row["label"] for row in ring["rows"]} == {"heap", "buckets"}
    assert (ring["graph"]["stands_for"], ring["reached"]) == ("the Equator", 50)
    assert atlantis["graph"]["nodes"] is None
    assert "wayfront fetch dimacs:E" in atlantis["skipped"][0]["why"]


def test_ctrl_c_keeps_what_was_measured(wayfront: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_arguments: object) -> Iterator[Comparison]:
        yield comparison()
        raise SearchCancelled("stopped")

    monkeypatch.setattr(reproduction, "reproduce", stopped)
    code, out, err = wayfront("reproduce", "x", "-d", "cpu", "-o", tmp_path / "kept.csv")
    assert code == 130
    assert "buckets over heap" in out
    assert "is kept" in err
    assert "heap" in (tmp_path / "kept.csv").read_text(encoding="utf-8")


def test_wrong_distances_are_an_error_at_the_end(wayfront: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Comparison(PAPER, TABLE, RING, (50, 100), disagreement="heap on cpu is wrong")
    monkeypatch.setattr(reproduction, "reproduce", lambda *_arguments: iter([wrong, comparison()]))
    code, out, err = wayfront("reproduce", "x", "-d", "cpu")
    assert code == 1
    assert "heap on cpu is wrong" in err
    assert "buckets over heap" in out, "the rest goes on"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("z",), "there is no paper 'z'"),
        (("x", "--runs", 0), "at least one clean run"),
        (("x", "-d", "abacus"), "no device 'abacus'"),
        (("x", "-o", "table.exe"), "table.exe"),
        (("x", "-o", "nowhere/table.csv"), "no folder"),
    ],
)
def test_what_cannot_be_is_refused_first(arguments: tuple[object, ...], message: str, wayfront: Command) -> None:
    code, out, err = wayfront("reproduce", *arguments)
    assert (code, out) == (REFUSED if message == "no folder" else MISUSED, "")
    assert message in " ".join(err.split())


# ------------------------------------------------------------------------------------------------ texts, picture


def test_texts_of_times_and_ratios() -> None:
    assert [paper_formatting.duration(ms) for ms in (0.0, 3.1e-6, 0.00013, 12.3, 119_999.0, 11_700_000.0, None)] == [
        "0",
        "3.10 ns",
        "0.13 µs",
        "12.3 ms",
        "120 s",
        "3.2 h",
        "—",
    ]
    assert [paper_formatting.published(span) for span in (None, (1.5, 1.5), (1.15, 1.2))] == [
        "—",
        "1.50×",
        "1.15 – 1.20×",
    ]
    part = Cell("a", "a", {}, "cpu", "a processor", (2.0,), None, 4.0, "1 of 4 sources")
    assert (paper_formatting.median(part), paper_formatting.search(part)) == ("≈ 8.00 ms", "a (1 of 4 sources)")
    assert paper_formatting.ratio(2.0, scaled=True) == "≈ 2.00×"
    many = Comparison(PAPER, TABLE, RING, skipped=tuple(Skipped(k, "", "no card") for k in ("a", "b")))
    assert paper_formatting.left_out(many) == ["paper X, Ring, without a, b: no card"]


def test_what_was_run_in_part_is_told_search_by_search() -> None:
    heap = Cell("heap", "heap", {}, "cpu", "a processor", (2.0,), None, 2.0, "1 of 2 sources")
    shown = [Comparison(OTHER, SWEEP, graph, (1, 1), cells=(heap,)) for graph in SIZES]
    shown[1] = replace(shown[1], cells=(replace(heap, part="3 of 4 sources"),))
    assert "\n≈ heap: 1 of 2 sources on 16 nodes · 256 nodes; 3 of 4 sources on 64 nodes.\n" in markdown(shown)


def test_the_axis_holds_one_and_all_ratios() -> None:
    axis = axis_for([RatioRow("a", "b", "cpu", "cpu", 0.02, None), RatioRow("a", "b", "cpu", "cpu", 3.0, (1.0, 700.0))])
    assert axis.low < 0.02
    assert axis.high > 700
    assert axis.fraction(0.02) < axis.fraction(1.0) < axis.fraction(3.0) < axis.fraction(700.0)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_bars_grow_from_one_towards_the_faster(theme: str) -> None:
    colours = [QColor(each) for each in (THEMES[theme].devices["processor"], THEMES[theme].chart.dim)]

    def columns(ours: float) -> tuple[np.ndarray, int]:
        """Return the columns of the row's bar, and where the paper's begins, which is faster by 4: at 1."""
        image = paper_page([comparison(ours)]).picture(theme)
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[160:205]
        found = [(pixels & 0xFFFFFF == each.rgb() & 0xFFFFFF).sum(axis=0) for each in colours]
        return np.flatnonzero(found[0]), int(np.flatnonzero(found[1] > 11).min())  # letters are no bar

    (faster, one), (slower, other_one) = columns(3.0), columns(1 / 3)
    assert faster.min() == pytest.approx(one, abs=6)
    assert slower.max() == pytest.approx(other_one, abs=6), "but for rounded corners"
    assert np.ptp(faster) > 60
    assert np.ptp(slower) > 60
    assert faster.mean() > slower.mean()


def test_headings_have_room_above_figures_that_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    right: dict[str, float] = {}
    draw = Sheet.text

    def text(sheet: Sheet, box: QRectF, text: str, *how: Any, **more: Any) -> None:
        right[text] = box.right()
        draw(sheet, box, text, *how, **more)

    monkeypatch.setattr(Sheet, "text", text)
    paper_page([replace(comparison(), table=replace(TABLE, published={}))]).picture("dark")
    assert right["here"] < right["paper"] - text_width("paper", 12)


def test_a_sweep_is_drawn_as_lines_ours_whole_and_theirs_dashed() -> None:
    """Of the card's line, the first graph has a time here only, the others have the authors' too."""
    theme = THEMES["light"]
    colours = [QColor(colour).rgb() & 0xFFFFFF for colour in theme.modes.values()]

    def cells(k: int) -> tuple[Cell, ...]:
        return tuple(
            Cell(label, label, {}, device, device, (ms * 2**k,), None, scale)
            for label, device, ms, scale in (("heap", "cpu", 1.0, 1.0), ("card", "cuda:0", 0.01, 4.0))
        )

    shown = [Comparison(OTHER, SWEEP, graph, (1, 1), cells=cells(k)) for k, graph in enumerate(SIZES)]
    image = paper_page(shown).picture("light")
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1) & 0xFFFFFF
    left_half = pixels[:, :900]
    counts = [int((left_half == colour).sum()) for colour in colours[:3]]
    assert counts[0] > 100
    assert counts[1] > counts[0], "the card has two lines"
    assert counts[2] == 0, "there is no third search"
    few = paper_page(shown[:1]).picture("light")
    assert few.height() < image.height(), "one graph makes no line"


def test_nothing_measured_is_a_picture_that_says_so(tmp_path: Path) -> None:
    empty = paper_page([]).picture("light", scale=2.0)
    assert (empty.width(), empty.devicePixelRatio()) == (2560, 2.0)
    paper_page([]).write(tmp_path / "empty.svg", "nothing", "dark", 1.0)
    assert "No two searches" in (tmp_path / "empty.svg").read_text(encoding="utf-8")
