"""Pictures, reprs and tables of networks and results, as a notebook shows them."""

from __future__ import annotations

import importlib
import os
import re
import sys
from base64 import b64encode
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage

import wayfront
from there import there
from wayfront import pictures
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import OptionError
from wayfront_gui.cli import drawing as library_pictures
from wayfront_gui.features.page import document
from wayfront_gui.ui.theme import THEMES


def image_of(picture: pictures.Picture) -> QImage:
    return QImage.fromData(picture.png)


def test_a_network_is_plotted_by_the_windows_canvas(grid: RoadNetwork) -> None:
    image = image_of(grid.plot(theme="dark", width=300, height=200, scale=1.5))
    assert (image.width(), image.height()) == (450, 300)
    assert image.pixelColor(1, 1) == QColor(THEMES["dark"].map.background)


def test_a_result_is_plotted_as_its_tree_or_at_a_step(result: Result) -> None:
    first, last, tree = (result.plot(step, width=300, height=200, scale=1) for step in (0, 5, None))
    assert len({first.png, last.png, tree.png}) == 3
    with pytest.raises(OptionError, match="this search has the steps 0 to"):
        result.plot(10_000)


def test_a_network_without_a_map_is_laid_out_for_its_picture() -> None:
    image = image_of(wayfront.open_network("synthetic:regular?nodes=300").plot(width=200, height=200, scale=1))
    assert len({image.pixel(x, y) for x in range(0, 200, 2) for y in range(0, 200, 2)}) > 10


@pytest.mark.parametrize("how", [{"theme": "night"}, {"width": 0}, {"scale": 0.0}, {"width": 40_000}])
def test_impossible_pictures_are_refused(grid: RoadNetwork, how: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        grid.plot(**how)  # type: ignore[arg-type]


def test_a_trace_is_plotted_and_filmed_as_its_result_is(result: Result, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    trace = there(result.trace)
    small: dict[str, Any] = {"width": 120, "height": 80, "scale": 1}
    assert trace.plot(5, **small).png == result.plot(5, **small).png
    assert trace.plot(**small).png == result.plot(**small).png
    for form in ("mp4", "gif"):
        film = trace.animate(seconds=0.4, walk="distance", form=form, **small)
        assert repr(film) == f"<Film: {form.upper()} of {len(film.data):,} bytes>"
        film.save(tmp_path / f"search.{form}")
        with av.open(tmp_path / f"search.{form}") as opened:
            assert opened.streams.video[0].width == 120
            assert sum(1 for _ in opened.decode(video=0)) == round(0.4 * (25 if form == "gif" else 30))
        tag = "<img" if form == "gif" else "<video controls"
        assert film._repr_html_().startswith(tag)
        assert f"base64,{b64encode(film.data).decode()}" in film._repr_html_()
        with pytest.raises(OptionError, match=f"written as .{form}"):
            film.save(tmp_path / "search.webm")


def test_a_search_is_shown_as_a_page(result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "bundle", lambda: ("show('<&>')", "main {}"))
    page = result.show("40%", theme="dark", height=300)
    shown = page._repr_mimebundle_()
    frame = re.fullmatch(
        r'<iframe id="wayfront-\w+" sandbox="allow-scripts" style="([^"]*)" srcdoc="([^"]*)"></iframe>',
        shown["text/html"],
    )
    assert frame is not None
    assert "height:300px" in frame[1]
    assert unescape(frame[2]) == page.html
    assert '"moment":"40%","home"' in page.html
    assert '"embedded":true' in page.html
    assert shown["image/png"] == b64encode(there(pictures.shown_picture(result, result.network))).decode()
    assert shown["text/plain"] == repr(page) == f"<Page: HTML of {len(page.html.encode()):,} bytes>"
    page.save(tmp_path / "search.html")
    assert (tmp_path / "search.html").read_text("utf-8") == page.html
    with pytest.raises(OptionError, match=r"written as \.html"):
        page.save(tmp_path / "search.htm")


@pytest.mark.parametrize(
    ("how", "words"), [({"theme": "night"}, "no theme 'night'"), ({"height": 99}, "at least 100 pixels")]
)
def test_impossible_pages_are_refused(result: Result, how: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        result.show(**how)
    with pytest.raises(OptionError, match="trace=True"):
        replace(result, trace=None).show()


def test_searches_are_shown_side_by_side(grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "bundle", lambda: ("show()", "main {}"))
    results = [wayfront.search(grid, 0, name, "cpu", trace=True) for name in ("dijkstra", "near-far")]
    race = wayfront.Race(results)
    html = race.show("40%", theme="dark", embedded=False).html
    assert '"shows":"race"' in html
    assert '"moment":"40%"' in html
    assert '"embedded":false' in html
    with pytest.raises(OptionError, match="trace=True"):
        wayfront.Race([results[0], replace(results[1], trace=None)]).show()


def test_a_network_without_a_map_is_laid_out_for_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "bundle", lambda: ("", ""))
    network = wayfront.open_network("synthetic:regular?nodes=30")
    html = wayfront.search(network, 0, "dijkstra", "cpu", trace=True).show().html
    assert '"on_earth":false' in html


@pytest.mark.parametrize(
    ("how", "words"),
    [({"form": "avi"}, "a film has the form"), ({"walk": "run"}, "no walk 'run'"), ({"seconds": 0}, "has 0 frames")],
)
def test_impossible_films_are_refused(result: Result, how: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        there(result.trace).animate(**how)


def test_a_trace_of_no_tree_cannot_be_drawn(result: Result) -> None:
    alone = replace(there(result.trace), recorded_of=None)
    assert alone._repr_png_() is None
    with pytest.raises(OptionError, match="belongs to no tree"):
        alone.plot()


def test_notebooks_show_pictures_of_what_is_not_too_large(result: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    network, trace = result.network, result.trace
    assert trace is not None
    tree = network.plot(**pictures.SHOWN), result.plot(**pictures.SHOWN)
    drawn: list[Any] = []
    draw = library_pictures.draw

    def noted(subject: Any, **how: Any) -> bytes:
        drawn.append(subject)
        return draw(subject, **how)

    monkeypatch.setattr(library_pictures, "draw", noted)
    for shown, picture in zip((network._repr_mimebundle_(), result._repr_mimebundle_()), tree, strict=True):
        png = b64encode(picture.png).decode()
        assert shown["image/png"] == png
        assert f"base64,{png}" in shown["text/html"]
    assert drawn == [network, result], "each is drawn once"
    assert trace._repr_png_() == tree[1].png
    monkeypatch.setattr(pictures, "MOST_NODES_SHOWN", network.node_count - 1)
    assert "<img" not in network._repr_mimebundle_()["text/html"]
    assert result._repr_mimebundle_().keys() == {"text/html"}


def test_drawing_for_a_notebook_asks_no_display_and_leaves_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    asked = []
    monkeypatch.setattr(library_pictures, "start_qt", lambda: asked.append(os.environ.get("QT_QPA_PLATFORM")))
    monkeypatch.setattr(sys, "platform", "linux")
    library_pictures._qt_without_a_display()
    assert asked == ["offscreen"]
    assert "QT_QPA_PLATFORM" not in os.environ


def test_without_the_window_plot_says_what_is_missing(grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "CANVAS", "wayfront_gui.nothing_of_this_name")
    with pytest.raises(OptionError, match="the window's canvas, which cannot be loaded here"):
        grid.plot()
    assert "image/png" not in grid._repr_mimebundle_()


def test_the_canvas_that_the_engine_names_is_there() -> None:
    canvas = importlib.import_module(pictures.CANVAS)
    assert callable(canvas.draw)
    assert callable(canvas.film)


def test_a_picture_is_shown_and_saved(grid: RoadNetwork, tmp_path: Path) -> None:
    picture = grid.plot(width=60, height=40, scale=1)
    assert picture._repr_png_() == picture.png
    assert repr(picture) == f"<Picture: PNG of {len(picture.png):,} bytes>"
    picture.save(tmp_path / "grid.png")
    assert (tmp_path / "grid.png").read_bytes() == picture.png
    with pytest.raises(OptionError, match=r"written as \.png"):
        picture.save(tmp_path / "grid.svg")


def test_reprs_are_one_line(grid: RoadNetwork, result: Result) -> None:
    nodes, arcs = grid.node_count, grid.arc_count
    assert repr(grid) == f"<RoadNetwork Grid: {nodes} nodes, {arcs} arcs; length in m, travel time in 0.1 s>"
    reached = int(result.reached.sum())
    assert repr(result) == f"<Result dijkstra on cpu, Grid from 130: {reached} of {nodes} nodes reached, 1.5 ms>"


def test_reprs_of_traces_and_of_all_pairs_are_one_line(result: Result) -> None:
    assert result.trace is not None
    assert repr(result.trace) == f"<Trace: {len(result.trace)} steps over {result.network.node_count} nodes>"
    ring = wayfront.open_network("synthetic:ring?nodes=9")
    pairs = wayfront.all_pairs(ring, "dijkstra-in-turn", "cpu", sources=[0, 4], runs=0, trace=True)
    assert repr(pairs) == "<PairsResult dijkstra-in-turn on cpu, Ring of 9 from 2 of 9 nodes>"


def test_notebooks_get_tables_in_which_nothing_of_a_stranger_is_obeyed(result: Result) -> None:
    hostile = replace(result.network, name="<script>", attribution="A & B")
    shown = "".join(of._repr_mimebundle_()["text/html"] for of in (hostile, replace(result, network=hostile)))
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "A &amp; B" in shown
    assert "1.5 ms (median; clean runs: 2)" in shown
