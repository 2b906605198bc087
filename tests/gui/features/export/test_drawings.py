"""Drawings as SVG and PDF, rendered and compared with the picture; posters; large pictures, drawn in bands."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from tests.gui.conftest import drawn, make_result

from there import there
from wayfront.results.result import Result
from wayfront.safe.errors import OpenCancelled, WriteError
from wayfront_gui.features.export import tiled_picture
from wayfront_gui.features.export import vector_drawing as vector_picture
from wayfront_gui.features.export.captions import PosterWords
from wayfront_gui.features.export.film_file import pixels_of
from wayfront_gui.features.export.poster import Poster, draw, write_poster
from wayfront_gui.features.export.sheets import LAYOUTS, MOST_PIXELS, PAPERS
from wayfront_gui.features.export.tiled_picture import write_tiled
from wayfront_gui.features.export.vector_drawing import light, strokes, write_drawing
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.offscreen import camera_for, draw_frame, render, roads
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.map.style import Style

pytestmark = pytest.mark.usefixtures("qapp")
NEAR = 2.0
"""Two renderings of one scene differ at most by so much on average, of 255: each smooths edges in its own way."""


def scene_of(result: Result, mode: str, theme: str = "dark") -> Scene:
    scene = Scene.of_result(result, Style(theme))
    scene.mode, scene.step = ("tree", -1.0) if mode == "tree" else ("search", 8.0)
    return scene


def channels(image: QImage) -> np.ndarray:
    return pixels_of(image.convertToFormat(QImage.Format.Format_RGB32))[..., 2::-1].astype(np.int16)


def rgb_of(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def rendered(path: Path, width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    QSvgRenderer(str(path)).render(painter, QRectF(0, 0, width, height))
    painter.end()
    return image


@pytest.mark.parametrize(("mode", "theme"), [("search", "dark"), ("search", "light"), ("tree", "light")])
def test_an_svg_looks_like_the_picture(mode: str, theme: str, result: Result, tmp_path: Path) -> None:
    scene, path = scene_of(result, mode, theme), tmp_path / "map.svg"
    write_drawing(scene, path, 480, 300)
    picture, drawing = channels(render(scene, 480, 300)), channels(rendered(path, 480, 300))
    assert np.abs(picture - drawing).mean() < NEAR
    bare = channels(roads(replace(scene, geometry=None), camera_for(scene, 480, 300), None))
    assert np.abs(picture - bare).mean() > 2 * NEAR, "an empty drawing would not have passed"


def test_long_paths_are_divided_for_viewers_that_cut_them_off(
    result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene, files = scene_of(result, "tree"), [tmp_path / name for name in ("whole.svg", "divided.svg")]
    for file, most in zip(files, (vector_picture.MOST_ELEMENTS, 3), strict=True):
        monkeypatch.setattr(vector_picture, "MOST_ELEMENTS", most)
        write_drawing(scene, file, 480, 300)
    whole, divided = (file.read_text("utf-8").count("<path") for file in files)
    assert divided > whole
    assert np.abs(channels(rendered(files[0], 480, 300)) - channels(rendered(files[1], 480, 300))).mean() < 0.1


def test_a_pdf_has_the_pictures_size_and_looks_like_it(result: Result, tmp_path: Path) -> None:
    scene, path = scene_of(result, "search"), tmp_path / "map.pdf"
    write_drawing(scene, path, 480, 300)
    written = path.read_bytes()
    box = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", written)
    assert written.startswith(b"%PDF")
    assert box is not None
    assert [float(side) for side in box.groups()] == pytest.approx([360, 225], abs=0.5)
    ghostscript = shutil.which("gs")
    if ghostscript is not None:
        image = tmp_path / "map.png"
        smooth = ["-dTextAlphaBits=4", "-dGraphicsAlphaBits=4", "-r96", "-sDEVICE=png16m"]
        subprocess.run([ghostscript, "-q", "-dBATCH", "-dNOPAUSE", *smooth, f"-o{image}", str(path)], check=True)
        drawn = channels(QImage(str(image)).scaled(480, 300))
        assert np.abs(channels(render(scene, 480, 300)) - drawn).mean() < 2 * NEAR


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_drawing_of_streets_has_their_dots_and_arrows(theme: str, tmp_path: Path) -> None:
    block = drawn([(0, 1), (1, 2), (2, 1), (2, 3), (3, 0), (0, 3)], [(0, 0), (900, 0), (900, 600), (0, 600)])
    scene, path = scene_of(make_result(block, 0), "search", theme), tmp_path / "streets.svg"
    scene.wanted = AS_ROADS
    camera = camera_for(scene, 300, 200)
    shown = scene.drawing(camera)
    assert shown.weights.details
    bare = Frame.draw(there(scene.geometry), replace(shown, weights=replace(shown.weights, details=False)), camera)
    picture, lines = channels(roads(scene, camera, draw_frame(scene, camera))), channels(roads(scene, camera, bare))
    scene.scale_bar, scene.found = False, replace(scene.found, nodes=replace(scene.found.nodes, legend=None))
    scene.mark(source=None)
    write_drawing(scene, path, 300, 200)
    drawing = channels(rendered(path, 300, 200))
    details = np.abs(picture - lines).max(axis=2) > 60
    assert details.sum() > 40, "two arrows, of which one is on each one-way street"
    assert np.abs(picture - drawing)[details].mean() < 0.4 * np.abs(lines - drawing)[details].mean()


def test_lines_have_the_pictures_colours_and_end_with_it(result: Result) -> None:
    scene = scene_of(result, "search")
    camera = camera_for(scene, 480, 300, extent=there(scene.geometry).bounds)
    close = replace(camera, scale=camera.scale * 3)
    for seen in (camera, close):
        drawn = strokes(scene, seen)
        lines = np.concatenate([stroke.lines for stroke in drawn])
        assert (lines >= -1e-6).all()
        assert (lines[:, ::2] <= 480 + 1e-6).all()
        assert (lines[:, 1::2] <= 300 + 1e-6).all()
    large = camera_for(replace(scene, step=-1.0), 480, 300, 4.0)
    dark = replace(scene, mode="tree")
    shown = np.unique(channels(roads(dark, large, draw_frame(dark, large))).reshape(-1, 3), axis=0)
    colours = {rgb_of(QColor.fromRgb(stroke.colour)) for stroke in strokes(dark, large)}
    assert len(colours) > 20
    assert len(colours & set(map(tuple, shown.tolist()))) > 0.9 * len(colours), "a pixel within a line has its colour"


def test_light_turns_lines_into_the_picture(result: Result) -> None:
    for theme in ("dark", "light"):
        scene = scene_of(result, "search", theme)
        camera = camera_for(scene, 240, 150)
        whole = channels(roads(scene, camera, draw_frame(scene, camera))).astype(float)
        plain = channels(roads(replace(scene, step=-1.0), camera, draw_frame(scene, camera))).astype(float)
        over = light(scene, camera).astype(float)
        unlit = over[..., 3] == 0
        assert 0.05 < unlit.mean() < 0.95
        opacity = over[..., 3:] / 255
        far = (np.abs(whole - plain).max(axis=2) < 1) & unlit
        assert far.any()
        background = np.array(rgb_of(QColor(scene.style.colours.background)))
        empty = (plain == background).all(axis=2)
        lit = background * (1 - opacity) + over[..., :3] * opacity
        assert np.abs(lit - whole)[empty].max() <= 2


# ------------------------------------------------------------------------------------------------------ posters


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_poster_has_its_texts_at_the_foot_and_the_map_above(layout: str, result: Result) -> None:
    words = PosterWords.of(result, "Smalltown")
    assert (words.title, words.coordinates) == ("Smalltown", "49.0020° N   7.0060° E")
    poster = Poster(scene_of(result, "tree"), words, PAPERS["a4"], LAYOUTS[layout])
    picture = draw(poster, dpi=30)
    assert (picture.width(), picture.height()) == (248, 351)
    without = draw(replace(poster, words=replace(words, title="", coordinates="", facts="")), dpi=30)
    rows = np.flatnonzero(np.abs(channels(picture) - channels(without)).max(axis=(1, 2)))
    assert rows.min() > 0.7 * 351, "texts are at the foot"
    assert rows.max() < 350
    background = np.array(rgb_of(QColor(poster.scene.style.colours.background)))
    upper = channels(picture)[: 351 // 2]
    assert (upper != background).any(axis=2).mean() > 0.02, "and the map is above them"
    fitted = draw(replace(poster, fills=False), dpi=30)
    assert fitted != picture


def test_every_sheet_can_be_written(result: Result, tmp_path: Path) -> None:
    for paper in PAPERS.values():
        longest = max(paper.width_mm, paper.height_mm) / 25.4 * paper.dpi
        assert longest <= MOST_PIXELS + 1
        assert paper.turned(True).width_mm >= paper.turned(True).height_mm or paper.pixels_across
    poster = Poster(scene_of(result, "tree"), PosterWords.of(result), PAPERS["phone"], LAYOUTS["full"])
    write_poster(poster, tmp_path / "phone.png")
    assert QImage(str(tmp_path / "phone.png")).width() == 1080
    write_poster(replace(poster, paper=PAPERS["a0"]), tmp_path / "wall.pdf")
    assert b"/MediaBox [0 0 2384" in (tmp_path / "wall.pdf").read_bytes().replace(b".000000", b"")
    with pytest.raises(WriteError, match="no folder"):
        write_poster(poster, tmp_path / "nowhere" / "a.svg")


def test_a_posters_svg_looks_like_its_picture(result: Result, tmp_path: Path) -> None:
    poster = Poster(scene_of(result, "tree", "light"), PosterWords.of(result), PAPERS["square"], LAYOUTS["gallery"])
    write_poster(poster, tmp_path / "poster.svg")
    side = 400
    drawn = channels(rendered(tmp_path / "poster.svg", side, side))
    assert np.abs(channels(draw(poster, dpi=side / 500 * 25.4)) - drawn).mean() < NEAR


@pytest.mark.parametrize(("theme", "step"), [("dark", 6.0), ("light", 9.5)])
def test_bands_are_the_whole_picture(
    theme: str, step: float, result: Result, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiled_picture, "BAND_PIXELS", 480 * 46)
    scene, told = Scene.of_result(result, Style(theme)), list[float]()
    scene.step = step
    write_tiled(scene, tmp_path / "map.png", 240, 150, 2.0, progress=lambda _stage, share: told.append(share))
    written = QImage(str(tmp_path / "map.png"))
    assert len(told) == 7
    assert told[-1] == 1.0
    whole = render(scene, 240, 150, 2.0)
    difference = np.abs(pixels_of(written.convertToFormat(whole.format())).astype(int) - pixels_of(whole))
    assert difference.max() <= 2, "but for how texts and circles are rounded"
    assert difference.mean() < 0.01


def test_a_cancelled_picture_leaves_nothing(result: Result, tmp_path: Path) -> None:
    cancel = Event()
    cancel.set()
    with pytest.raises(OpenCancelled):
        write_tiled(Scene.of_result(result), tmp_path / "map.png", 240, 150, cancel=cancel)
    assert not list(tmp_path.iterdir())
