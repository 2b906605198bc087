"""How searches grow, as chart and table: the same laws on the screen and in every file."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from wayfront.benchmarks.growth_record import Growth, GrowthPoint, GrowthRequest, LeftOut
from wayfront_gui.features.growth import words
from wayfront_gui.features.growth.chart import GrowthChart, growth_page
from wayfront_gui.features.growth.files import GROWTH_COLUMNS, write_growth
from wayfront_gui.features.timing.plots import power_of_ten
from wayfront_gui.ui.theme import THEMES

pytestmark = pytest.mark.usefixtures("qapp")

SIZES = (256, 512, 1024, 2048, 4096)


def made(left_out: dict[str, LeftOut]) -> Growth:
    """Return figures of two searches: one linear, one whose steps bend and whose time is the square."""
    points = []
    for n in SIZES:
        points.append(GrowthPoint("straight", n, 4 * n, (n, n), (4 * n, 4 * n), (n / 1e3, n / 9e2)))
        points.append(GrowthPoint("curved", n, 4 * n, (900 + n, 900 + n), (n * n, n * n), (n * n / 1e6,)))
    request = GrowthRequest("grid", ("straight", "curved"), SIZES, networks=2, runs=1)
    machine = {"processor": "Some Processor", "cores": "4", "date": "2026-01-02"}
    return Growth(request, tuple(points), left_out, machine, "Some CPU", True)


@pytest.fixture(scope="module")
def growth() -> Growth:
    return made({"curved": LeftOut(8192, "", 41.5, 12.0)})


@pytest.mark.parametrize("theme", THEMES)
def test_the_chart_has_both_searches_in_colours_of_their_own(growth: Growth, theme: str) -> None:
    image = growth_page(growth).picture(theme)
    assert (image.width(), image.height()) == (1280, round(GrowthChart(growth).height))
    marks = range(40, 70)  # beside the names below the plots
    seen = {image.pixel(x, y) for y in range(400, image.height()) for x in marks}
    for colour in THEMES[theme].map.zones[:2]:
        assert QColor(colour).rgb() in seen
    assert GrowthChart(growth).least_height < GrowthChart(growth).height


def test_where_there_is_little_width_plots_are_below_each_other(growth: Growth) -> None:
    narrow, wide = (GrowthChart(growth, width).least_height for width in (340, 640))
    assert narrow > wide > GrowthChart(growth).least_height
    image = QImage(340, int(narrow), QImage.Format.Format_RGB32)
    painter = QPainter(image)
    GrowthChart(growth, 340).paint(painter, "light", narrow)
    painter.end()
    colour = QColor(THEMES["light"].map.zones[0]).rgb()
    rows = [y for y in range(image.height()) if any(image.pixel(x, y) == colour for x in range(0, 340, 2))]
    gaps = [after - before for before, after in pairwise(rows)]
    assert sum(gap > 40 for gap in gaps) >= 3, "three plots, each with its rows below it"
    ground = QColor(THEMES["light"].chart.background).rgb()
    assert all(image.pixel(x, y) == ground for x in (0, 339) for y in range(image.height())), "nothing reaches the edge"


def test_a_chart_of_nothing_yet_can_be_drawn() -> None:
    request = GrowthRequest("ring", ("straight",), SIZES)
    assert not growth_page(Growth(request)).picture("dark").isNull()


def test_laws_exponents_and_reasons_are_told(growth: Growth) -> None:
    text = words.growth_markdown(growth)
    assert "| **straight** | n, p = 1.00 | n, p = 1.00 | n, p = 1.00 |" in text
    assert "bends: no single power" in text
    assert "n², p = 2.00" in text
    assert "curved is left out from 8,192 nodes on: it would take 41.5 s of 12 s left for all" in text
    assert "2 networks of each size" in text
    assert "Some Processor" in text


def test_every_kind_of_file_is_written(growth: Growth, tmp_path: Path) -> None:
    paths = {suffix: tmp_path / f"growth{suffix}" for suffix in (".png", ".svg", ".pdf", ".csv", ".json", ".md")}
    for path in paths.values():
        write_growth(growth, path, "paper", 1.0)
    assert QImage(str(paths[".png"])).width() == 1280
    assert QSvgRenderer(str(paths[".svg"])).isValid()
    assert paths[".pdf"].read_bytes().startswith(b"%PDF")
    with paths[".csv"].open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == GROWTH_COLUMNS
    assert len(rows) == len(growth.points)
    assert (rows[0]["steps_laws"], rows[0]["median_ms"]) == ("n", str((0.256 + 256 / 900) / 2))
    assert json.loads(paths[".json"].read_text("utf-8"))["kind"] == "grid"
    assert paths[".md"].read_text("utf-8") == words.growth_markdown(growth)


def test_every_reason_is_a_sentence() -> None:
    reasons = {"a": LeftOut(0, "it does not run on cpu"), "b": LeftOut(512, "memory is short"), "c": LeftOut(1024)}
    assert words.left_out(made(reasons)) == [
        "a is left out: it does not run on cpu",
        "b is left out from 512 nodes on: memory is short",
        "c is left out from 1,024 nodes on: the time is over",
    ]


def test_many_laws_that_fit_are_a_range() -> None:
    noise = (1.0, 9.0, 0.5, 6.0, 2.0)
    points = [GrowthPoint("a", n, n, (1,), (1,), (off,)) for n, off in zip(SIZES, noise, strict=True)]
    found = Growth(GrowthRequest("ring", ("a",), SIZES), tuple(points))
    assert "| constant to n" in words.growth_markdown(found)


def test_ticks_are_powers_of_ten_from_ten_thousand_on() -> None:
    assert [power_of_ten(value) for value in (0.01, 500.0, 1000.0, 1e4, 2e5)] == [
        "0.01",
        "500",
        "1,000",
        "10⁴",
        "2·10⁵",
    ]
