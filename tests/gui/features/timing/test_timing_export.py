"""Timings as a chart and as a table: the same figures on the screen, a slide and in a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from pytestqt.qtbot import QtBot

from wayfront.safe.errors import WriteError
from wayfront_gui.features.timing.export import CSV_COLUMNS, save_picture, timing_page, write_timings
from wayfront_gui.features.timing.plots import fitting_size
from wayfront_gui.features.timing.tables import axis_for, bars, chart_texts, three_digits, timing_markdown, timing_table
from wayfront_gui.features.timing.timing_chart import chart_height
from wayfront_gui.ui.style import text_width
from wayfront_gui.ui.theme import THEMES

pytestmark = pytest.mark.usefixtures("qapp")


def row(algorithm: str, median: float | None, device: str = "cpu", **changes: Any) -> dict[str, Any]:
    runs = 0 if median is None else 5
    low, high = (None, None) if median is None else (median * 0.9, median * 1.2)
    network = {"name": "Testville", "nodes": 1200, "arcs": 3400, "metric": "distance", "unit": "0.1 m"}
    whole = {
        "network": network,
        "algorithm": algorithm,
        "device": device,
        "device_name": {"cpu": "Some Processor", "cuda": "Some Card"}[device],
        "options": {},
        "source": 7,
        "reached": 1200,
        "sum_distance": 99,
        "max_distance": 9,
        "farthest": 3,
        "steps": 4,
        "relaxations": 3400,
        "time_ms": {"median": median, "min": low, "max": high, "runs": runs},
        "transfer_ms": 0.1,
        "tree_ms": 0.2,
        "traced_ms": 0.3,
        "verified": None,
        "machine": {"processor": "Some Processor", "cores": "4", "python": "3.11", "date": "2026-01-02"},
    }
    return whole | changes


def pixels(image: QImage, colour: str) -> list[tuple[int, int]]:
    wanted = QColor(colour).rgb()
    width, height = image.width(), image.height()
    return [(x, y) for y in range(0, height, 2) for x in range(width) if image.pixel(x, y) == wanted]


# ------------------------------------------------------------------------------------------------ what it says


def test_what_all_rows_share_stands_in_the_title_and_not_at_the_bars() -> None:
    rows = [row("dijkstra", 10.0), row("near-far", 20.0)]
    assert chart_texts(rows).title == "Shortest paths on Testville from node 7"
    assert "1,200 nodes" in chart_texts(rows).subtitle
    assert "median of 5 clean runs" in chart_texts(rows).subtitle
    assert [bar.detail for bar in bars(rows)] == ["Some Processor", "Some Processor"]


def test_a_title_fits_its_page_and_counts_what_it_cannot_name() -> None:
    title = (
        "Shortest paths on the roads of a county with quite a long name of its own, and on those of two other counties"
    )
    assert fitting_size("short", 1200, 23, 14) == 23
    size = fitting_size(title, 1200, 23, 14)
    advance = text_width(title, size, bold=True)
    assert 14 <= size < 23 and (advance <= 1200 or size == 14)
    network = row("dijkstra", 1.0)["network"]
    rows = [row("dijkstra", 1.0, network={**network, "name": f"Town {number}"}) for number in range(5)]
    assert chart_texts(rows).title == "Shortest paths on 5 networks"
    assert bars(rows)[2].detail == "Some Processor · Town 2"


def test_what_differs_stands_at_the_bars() -> None:
    rows = [row("near-far", 10.0, options={"delta": 5}), row("near-far", 20.0, options={"delta": 9}, source=8)]
    assert [bar.detail for bar in bars(rows)] == [
        "Some Processor · from node 7 · Δ 5",
        "Some Processor · from node 8 · Δ 9",
    ]
    assert chart_texts(rows).title == "Shortest paths on Testville"


def test_bars_that_would_be_called_alike_are_told_apart() -> None:
    again = [row("dijkstra", 1.0), row("near-far", 2.0), row("dijkstra", 1.5), row("dijkstra", 2.0, closed_arcs=3)]
    shown = bars(again)
    assert len({(bar.label, bar.detail) for bar in shown}) == 4
    assert shown[0].detail.endswith("timing 1 of 2") and shown[2].detail.endswith("timing 2 of 2")
    assert shown[1].detail == "Some Processor" and shown[3].detail == "Some Processor · 3 closed"


def test_a_time_whose_runs_do_not_agree_is_marked_in_chart_and_table() -> None:
    noisy = row("dijkstra", 10.0)
    noisy["time_ms"]["noisy"] = True
    rows = [noisy, row("near-far", 2.0)]
    assert [bar.median_text for bar in bars(rows)] == ["≈ 10.0", "2.00"]
    assert [cells[2] for cells in timing_table(rows).rows] == ["≈ 10.0", "2.00"]
    assert "≈: the runs differ" in chart_texts(rows).subtitle
    assert "≈" not in chart_texts(rows[1:]).subtitle
    marked, plain = (picture_of(each) for each in (rows, [row("dijkstra", 10.0), rows[1]]))
    assert marked != plain


def picture_of(rows: list[dict[str, Any]]) -> QImage:
    return timing_page(rows).picture("light", 1000)


def test_a_search_without_clean_runs_has_no_time() -> None:
    assert [bar.label for bar in bars([row("dijkstra", None), row("near-far", 3.0)])] == ["near-far"]


def test_the_caption_names_machine_card_versions_and_day() -> None:
    card = {"processor": "Some Processor", "cores": "4", "card": "Some Card", "driver": "5.1", "date": "2026-01-02"}
    first, second = chart_texts([row("a", 1.0), row("b", 1.0, "cuda", machine=card)]).caption
    assert first == "Some Processor, 4 cores · Some Card, driver 5.1"
    assert second == "Python 3.11 · 2026-01-02"


def test_the_axis_turns_logarithmic_when_medians_differ_too_much() -> None:
    near, far = bars([row("a", 10.0), row("b", 150.0)]), bars([row("a", 1.0), row("b", 150.0)])
    linear, logarithmic = axis_for(near), axis_for(far)
    assert not linear.logarithmic
    assert linear.fraction(0) == 0
    assert linear.fraction(75) == pytest.approx(linear.fraction(150) / 2)
    assert logarithmic.logarithmic
    assert logarithmic.fraction(100) - logarithmic.fraction(10) == pytest.approx(
        logarithmic.fraction(10) - logarithmic.fraction(1), abs=1e-9
    )
    assert 0 < logarithmic.fraction(0.9) < logarithmic.fraction(180) <= 1


@pytest.mark.parametrize(("median", "other"), [(0.02, 0.03), (3.0, 7.0), (1.0, 1000.0), (40.0, 41.0), (0.5, 40_000.0)])
def test_ticks_are_round_and_on_the_axis(median: float, other: float) -> None:
    axis = axis_for(bars([row("a", median), row("b", other)]))
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 18
    assert all(0 <= axis.fraction(tick) <= 1 for tick in ticks)
    assert all(f"{tick:.0e}"[0] in "0123456789" and float(f"{tick:.1e}") == pytest.approx(tick) for tick in ticks)


@pytest.mark.parametrize(
    ("ms", "text"),
    [(0.0, "0.00"), (0.4123, "0.412"), (6.534, "6.53"), (31.25, "31.2"), (187.4, "187"), (12345, "12,345")],
)
def test_milliseconds_have_three_digits(ms: float, text: str) -> None:
    assert three_digits(ms) == text


# ------------------------------------------------------------------------------------------------ as a picture


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_bars_are_as_long_as_their_medians(theme: str, qtbot: QtBot) -> None:
    image = timing_page([row("slow", 40.0), row("fast", 10.0, "cuda")]).picture(theme, 900)
    assert image.width() == 900
    assert image.pixelColor(3, 3) == QColor(THEMES[theme].chart.background)
    cpu, cuda = (max(x for x, _ in pixels(image, THEMES[theme].devices[key])) for key in ("processor", "card"))
    assert cpu > cuda + 100, "the solid end of the CPU's bar, four times as long, lies further to the right"


def test_the_chart_grows_with_rows_and_scale(qtbot: QtBot) -> None:
    one, two = (timing_page(rows).picture("dark") for rows in ([row("a", 1.0)], [row("a", 1.0), row("b", 2.0)]))
    assert two.height() > one.height()
    double = timing_page([row("a", 1.0)]).picture("dark", scale=2)
    assert (double.width(), double.height()) == (2 * one.width(), 2 * one.height())


def test_a_chart_of_nothing_says_so(qtbot: QtBot) -> None:
    image = timing_page([row("a", None)]).picture("dark", 600)
    background = QColor(THEMES["dark"].chart.background).rgb()
    colours = {image.pixel(x, y) for x in range(0, image.width(), 3) for y in range(image.height())}
    assert background in colours
    assert len(colours) > 1, "the words stand there"


def test_a_picture_that_cannot_be_written_is_refused(tmp_path: Path, qtbot: QtBot) -> None:
    image = timing_page([row("a", 1.0)]).picture("dark")
    save_picture(image, tmp_path / "chart.png")
    assert QImage(str(tmp_path / "chart.png")).size() == image.size()
    with pytest.raises(WriteError, match="cannot be written"):
        save_picture(image, tmp_path / "nowhere" / "chart.png")


# -------------------------------------------------------------------------------------------------- as a table


def test_the_table_holds_every_figure(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    write_timings([row("near-far", 12.5, options={"delta": 5, "mode": "auto"}), row("dijkstra", None)], path)
    with path.open(newline="", encoding="utf-8") as file:
        first, second = csv.DictReader(file)
    assert tuple(first) == CSV_COLUMNS
    assert (first["network"], first["nodes"], first["unit"]) == ("Testville", "1200", "0.1 m")
    assert float(first["median_ms"]) == 12.5
    assert first["options"] == "delta=5; mode=auto"
    assert "processor=Some Processor" in first["machine"]
    assert (second["median_ms"], second["runs"]) == ("", "0")


def test_names_are_no_formulas_and_numbers_stay_numbers(tmp_path: Path) -> None:
    path = tmp_path / "times.csv"
    network = row("a", 1.0)["network"] | {"name": '=HYPERLINK("http://x","y")', "credit": "+1 (555)"}
    write_timings([row("@sum", -1.5, network=network, machine={"processor": "=1"}, options={})], path)
    with path.open(newline="", encoding="utf-8") as file:
        (read,) = csv.DictReader(file)
    assert read["network"] == '\'=HYPERLINK("http://x","y")'
    assert (read["algorithm"], read["credit"]) == ("'@sum", "'+1 (555)")
    assert (read["median_ms"], read["nodes"], read["machine"]) == ("-1.5", "1200", "processor==1")


def test_a_table_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="cannot be written"):
        write_timings([row("a", 1.0)], tmp_path / "nowhere" / "t.csv")


def test_timings_are_written_by_the_suffix(tmp_path: Path, qtbot: QtBot) -> None:
    rows = [row("near-far", 12.5), row("dijkstra | old", 25.0)]
    for suffix in (".png", ".svg", ".pdf", ".csv", ".json", ".md"):
        write_timings(rows, tmp_path / f"times{suffix}")
    drawn = QImage(1280, round(chart_height(rows)), QImage.Format.Format_RGB32)
    painter = QPainter(drawn)
    QSvgRenderer(str(tmp_path / "times.svg")).render(painter)
    painter.end()
    chart = timing_page(rows).picture("dark")
    places = [(x, y) for x in range(0, 1280, 7) for y in range(0, drawn.height(), 3)]
    differ = [abs(chart.pixelColor(*at).green() - drawn.pixelColor(*at).green()) for at in places]
    assert sum(each > 40 for each in differ) < 0.02 * len(places)
    assert max(chart.pixelColor(*at).green() for at in places) > 100, "an empty drawing would not have passed"
    assert (tmp_path / "times.pdf").read_bytes().startswith(b"%PDF")
    assert json.loads((tmp_path / "times.json").read_text(encoding="utf-8"))["rows"][0]["algorithm"] == "near-far"
    table = (tmp_path / "times.md").read_text(encoding="utf-8")
    assert "| **dijkstra / old** | Some Processor | 25.0 | 22.5 | 30.0 | 2.0 |" in table
    assert table.startswith("## Shortest paths on Testville from node 7")
    assert timing_markdown([row("a", None)]) == "No timed searches yet.\n"
