"""The dialogs that export, used as a person would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from wayfront import open_network, search
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import MissingPackageError
from wayfront_gui.app.window import Window
from wayfront_gui.features.export import page_dialog
from wayfront_gui.features.export.captions import SearchWords
from wayfront_gui.features.export.dialogs import (
    FILLING,
    OWN,
    WHOLE,
    ExportDialog,
    FilmDialog,
    PictureDialog,
    PosterDialog,
    RaceFilmDialog,
    ReplayFilmDialog,
)
from wayfront_gui.features.export.film_file import Film, pixels_of
from wayfront_gui.features.export.page_dialog import NOW, TREE, PageDialog
from wayfront_gui.features.export.poster import _camera
from wayfront_gui.features.export.replay_film import RaceFilm, ReplayFilm
from wayfront_gui.features.export.sheets import LAYOUTS
from wayfront_gui.features.export.subject import RaceSubject, Subject
from wayfront_gui.features.page import document
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.session.replay import WALK_LABELS
from wayfront_gui.session.state import Walk

Kind = type[ReplayFilmDialog] | type[PictureDialog] | type[PosterDialog] | type[PageDialog]
Open = Callable[[Kind], ExportDialog]


def subject_of(result: Result, scene: Scene) -> Subject:
    return Subject(
        scene, result.network, None, (480, 300), 1.0, lambda scale: lambda: render(scene, 480, 300, scale), result
    )


@pytest.fixture
def news() -> list[str]:
    return []


@pytest.fixture
def opened(result: Result, qtbot: QtBot, tmp_path: Path, news: list[str]) -> Iterator[Open]:
    """Open a dialog over the search of the grid; where it asks for a file, the first kind is taken."""
    parent = QWidget()
    qtbot.addWidget(parent)
    dialogs: list[ExportDialog] = []

    def open_dialog(kind: Kind) -> ExportDialog:
        scene = Scene.of_result(result)
        scene.step = 6.0

        def ask(_title: str, _name: str, kinds: str) -> tuple[str, str]:
            return str(tmp_path / "file"), kinds.split(";;", maxsplit=1)[0]

        dialog = kind(subject_of(result, scene), ask, news.append, parent)
        dialogs.append(dialog)
        dialog.show()
        qtbot.waitUntil(lambda: not dialog.preview.pixmap().isNull())
        return dialog

    yield open_dialog
    for dialog in dialogs:
        dialog.close()


def test_the_sheet_of_a_preview_has_an_edge(opened: Open) -> None:
    dialog = opened(PosterDialog)
    sheet, edge = dialog.preview.pixmap().toImage(), dialog.palette().mid().color()
    right, bottom = sheet.width() - 1, sheet.height() - 1
    for x, y in ((0, bottom // 2), (right, bottom // 2), (right // 2, 0), (right // 2, bottom)):
        assert sheet.pixelColor(x, y).name() == edge.name()


def test_a_film_is_chosen_forecast_and_saved(opened: Open, qtbot: QtBot, tmp_path: Path, news: list[str]) -> None:
    dialog = opened(ReplayFilmDialog)
    assert isinstance(dialog, ReplayFilmDialog)
    dialog.format.setCurrentIndex(dialog.format.findText("Animated GIF"))
    dialog.size_choice.setCurrentIndex(dialog.size_choice.findText("Small, 640 × 360"))
    dialog.seconds.setValue(1)
    dialog.rate.setCurrentIndex(dialog.rate.findData(15))
    dialog.title.setText("My grid")
    qtbot.waitUntil(lambda: "about" in dialog.expected.text())
    assert dialog.expected.text().startswith("15 frames of 640 × 360 pixels, about ")
    before = dialog.preview.pixmap().toImage()
    dialog.moment.setValue(0)
    qtbot.waitUntil(lambda: dialog.preview.pixmap().toImage() != before)
    dialog.save.click()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert news == [f"Saved {tmp_path / 'file.gif'}"]
    with av.open(str(tmp_path / "file.gif")) as film:
        frames = list(film.decode(video=0))
    assert (len(frames), frames[0].width, frames[0].height) == (15, 640, 360)


def test_a_moment_is_drawn_as_soon_as_the_slider_rests_wherever_it_is(opened: Open) -> None:
    dialog = opened(ReplayFilmDialog)
    assert isinstance(dialog, ReplayFilmDialog)
    waits = dialog._settled.interval()
    for stop in (0, dialog.moment.maximum()):
        dialog.moment.setValue(stop)
        assert dialog._settled.isActive()
        assert dialog._settled.interval() == waits


def film_saved(dialog: FilmDialog, path: Path, walk: Walk, qtbot: QtBot) -> list[np.ndarray]:
    """Save a film by ``walk`` as a person would, and return its pictures."""
    dialog.format.setCurrentIndex(dialog.format.findData(".gif"))
    dialog.size_choice.setCurrentIndex(dialog.size_choice.findText("Small, 640 × 360"))
    dialog.rate.setCurrentIndex(dialog.rate.findData(15))
    dialog.seconds.setValue(1)
    dialog.walk.setCurrentIndex(dialog.walk.findText(WALK_LABELS[walk]))
    assert dialog.shot().walk is walk
    dialog.write(path)
    qtbot.waitUntil(lambda: not dialog.isVisible())
    with av.open(str(path)) as film:
        return [frame.to_ndarray(format="rgb24").astype(np.int16) for frame in film.decode(video=0)]


def nearest(shown: np.ndarray, films: dict[Walk, Film], index: int) -> Walk:
    """Return the walk by which a film's picture is most like the one shown."""
    drawn = {walk: pixels_of(film.draw(index))[..., 2::-1].astype(np.int16) for walk, film in films.items()}
    return min(drawn, key=lambda walk: float(np.abs(drawn[walk] - shown).mean()))


MOMENTS = (2, 4, 6)
"""Pictures of a film of 15 at which three walks have shown three parts of the search of the grid."""


@pytest.mark.parametrize("walk", Walk)
def test_a_saved_film_goes_by_the_walk_that_was_chosen(
    walk: Walk, opened: Open, result: Result, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = opened(ReplayFilmDialog)
    assert isinstance(dialog, ReplayFilmDialog)
    dialog.captions.setChecked(False)
    frames = film_saved(dialog, tmp_path / "film.gif", walk, qtbot)
    shots = {each: replace(dialog.shot(), walk=each) for each in Walk}
    words = SearchWords.of(result)
    films: dict[Walk, Film] = {
        each: ReplayFilm(Scene.of_result(result), shot, words, result.distances) for each, shot in shots.items()
    }
    assert [nearest(frames[index], films, index) for index in MOMENTS] == [walk] * len(MOMENTS)


@pytest.mark.parametrize("walk", Walk)
def test_a_saved_film_of_a_race_goes_by_the_walk_that_was_chosen(
    walk: Walk, result: Result, grid: RoadNetwork, qtbot: QtBot, tmp_path: Path
) -> None:
    parent = QWidget()
    qtbot.addWidget(parent)
    results = (result, make_result(grid, grid.node(100)))
    subject = RaceSubject(results, Style(), None, split=False, walk=walk)
    dialog = RaceFilmDialog(subject, lambda *_: ("", ""), lambda _said: None, parent)
    assert dialog.shot().walk is walk, "the clock of the window is chosen at first"
    dialog.show()
    dialog.captions.setChecked(False)
    frames = film_saved(dialog, tmp_path / "race.gif", walk, qtbot)
    films: dict[Walk, Film] = {each: RaceFilm(results, replace(dialog.shot(), walk=each), Style()) for each in Walk}
    assert [nearest(frames[index], films, index) for index in MOMENTS] == [walk] * len(MOMENTS)


def test_a_film_can_be_cancelled_and_the_dialog_stays(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = opened(ReplayFilmDialog)
    dialog.write(tmp_path / "long.mp4")
    qtbot.waitUntil(lambda: dialog.stage.startswith("Frame"))
    assert not dialog.save.isEnabled()
    dialog.stop.click()
    qtbot.waitUntil(lambda: not dialog.worker.busy)
    assert dialog.isVisible()
    assert dialog.save.isEnabled()
    assert not list(tmp_path.iterdir())
    dialog.write(tmp_path / "wrong.avi")
    qtbot.waitUntil(lambda: "no film" in dialog.problem.text())


def test_a_picture_has_the_size_that_was_chosen(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    sizes = {}
    for name, chosen in (("screen", "As on the screen, 480 × 300"), ("hd", "Full HD, 1920 × 1080"), ("own", "Other")):
        dialog = opened(PictureDialog)
        assert isinstance(dialog, PictureDialog)
        dialog.size_choice.setCurrentIndex(dialog.size_choice.findText(chosen))
        assert dialog.across.isEnabled() == (dialog.size_choice.currentData() == OWN)
        dialog.upward.setValue(500)
        dialog.write(tmp_path / f"{name}.png")
        qtbot.waitUntil(lambda shown=dialog: not shown.isVisible())  # type: ignore[misc]
        picture = QImage(str(tmp_path / f"{name}.png"))
        sizes[name] = (picture.width(), picture.height())
    assert sizes == {"screen": (480, 300), "hd": (1920, 1080), "own": (480, 500)}


def test_a_poster_is_saved_as_pdf_unless_another_kind_is_chosen(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = opened(PosterDialog)
    assert isinstance(dialog, PosterDialog)
    dialog.sheet.setCurrentIndex(dialog.sheet.findData("phone"))
    assert not dialog.landscape.isEnabled()
    assert "1,080 × 2," in dialog.expected.text()
    assert dialog.poster().scene.mode == "tree"
    assert dialog.part.currentData() == WHOLE and not dialog.poster().fills, "whole unless something else is asked for"
    for layout in LAYOUTS:
        dialog.layout_choice.choose_data(layout)
        for part, cropped in ((WHOLE, False), (FILLING, True)):
            dialog.part.choose_data(part)
            poster = dialog.poster()
            camera, _ = _camera(poster, QRectF(0, 0, 200, 260), 40.0)
            assert poster.scene.geometry is not None
            x, y = camera.to_pixels(poster.scene.geometry.x, poster.scene.geometry.y)
            inside = (x >= 0) & (x <= camera.width) & (y >= 0) & (y <= camera.height)
            assert inside.all() != cropped, (layout, part)
    dialog.part.choose_data(WHOLE)
    dialog.save.click()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert (tmp_path / "file.pdf").read_bytes().startswith(b"%PDF")


def test_the_window_opens_them_only_where_there_is_something_to_save(
    window: Window, grid: RoadNetwork, qtbot: QtBot
) -> None:
    for name in ("picture", "poster", "film"):
        window.actions_by_name[f"file.{name}"].trigger()
        assert not window.findChildren(ExportDialog)
        assert "There is no" in window.message_bar.text


def test_a_page_is_chosen_and_saved(
    opened: Open, qtbot: QtBot, tmp_path: Path, news: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (document, page_dialog):
        monkeypatch.setattr(module, "bundle", lambda: ("show()", "main {}"))
    dialog = opened(PageDialog)
    assert isinstance(dialog, PageDialog)
    dialog.title.setText("Our <town>")
    assert dialog.opening().moment == ""
    dialog.begins.choose_data(TREE)
    assert dialog.opening().moment == "tree"
    dialog.begins.choose_data(NOW)
    assert dialog.opening().moment == "7"
    assert "One file of about 186 kB" in dialog.expected.text()
    assert not dialog.opening().live
    assert dialog.live is not None
    dialog.live.setChecked(True)
    dialog.save.click()
    qtbot.waitUntil(lambda: not dialog.isVisible())
    assert news == [f"Saved {tmp_path / 'file.html'}"]
    page = (tmp_path / "file.html").read_text("utf-8")
    assert "<title>Our &lt;town&gt;</title>" in page
    assert '"moment":"7"' in page
    assert "worker-src" in page, "its source can be dragged"


def test_the_source_of_a_small_graph_is_not_offered_to_be_dragged(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_dialog, "bundle", lambda: ("", ""))
    grid = open_network("synthetic:grid?columns=4&rows=3")
    found = search(grid, 0, "dijkstra", "cpu", trace=True)
    scene, parent = Scene.of_result(found), QWidget()
    qtbot.addWidget(parent)
    assert scene.diagram is not None
    dialog = PageDialog(subject_of(found, scene), lambda *_: ("", ""), lambda _: None, parent)
    dialog.show()
    qtbot.waitUntil(lambda: not dialog.preview.pixmap().isNull())
    assert dialog.live is None
    assert not dialog.opening().live
    dialog.close()
    qtbot.waitUntil(lambda: not dialog.isVisible())


def test_a_page_that_cannot_be_written_says_why(opened: Open, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> None:
    monkeypatch.setattr(page_dialog, "bundle", lambda: ("", ""))
    dialog = opened(PageDialog)

    def missing() -> tuple[str, str]:
        raise MissingPackageError("run 'make page'")

    monkeypatch.setattr(page_dialog, "bundle", missing)
    dialog.save.click()
    assert "make page" in dialog.problem.text()


def test_without_a_recorded_search_there_is_no_page(on_grid: Window, caplog: pytest.LogCaptureFixture) -> None:
    on_grid.actions_by_name["file.page"].trigger()
    assert "no recorded search to make a page of" in caplog.text
