"""The dialogs that export, used as a person would."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import av
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result
from wayfront_gui.dialogs.export import ExportDialog
from wayfront_gui.dialogs.export_film import ReplayFilmDialog
from wayfront_gui.dialogs.export_picture import OWN, PictureDialog, PosterDialog
from wayfront_gui.export.subject import Subject
from wayfront_gui.map.offscreen import render
from wayfront_gui.scene.scene import Scene
from wayfront_gui.window.window import Window

LONG = 30_000
Kind = type[ReplayFilmDialog] | type[PictureDialog] | type[PosterDialog]
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
        qtbot.waitUntil(lambda: not dialog.preview.pixmap().isNull(), timeout=LONG)
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
    qtbot.waitUntil(lambda: "about" in dialog.expected.text(), timeout=LONG)
    assert dialog.expected.text().startswith("15 frames of 640 × 360 pixels, about ")
    before = dialog.preview.pixmap().toImage()
    dialog.moment.setValue(0)
    qtbot.waitUntil(lambda: dialog.preview.pixmap().toImage() != before, timeout=LONG)
    dialog.save.click()
    qtbot.waitUntil(lambda: not dialog.isVisible(), timeout=LONG)
    assert news == [f"Saved {tmp_path / 'file.gif'}"]
    with av.open(str(tmp_path / "file.gif")) as film:
        frames = list(film.decode(video=0))
    assert (len(frames), frames[0].width, frames[0].height) == (15, 640, 360)


def test_a_film_can_be_cancelled_and_the_dialog_stays(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    dialog = opened(ReplayFilmDialog)
    dialog.write(tmp_path / "long.mp4")
    qtbot.waitUntil(lambda: dialog.stage.startswith("Frame"), timeout=LONG)
    assert not dialog.save.isEnabled()
    dialog.stop.click()
    qtbot.waitUntil(lambda: not dialog.worker.busy, timeout=LONG)
    assert dialog.isVisible()
    assert dialog.save.isEnabled()
    assert not list(tmp_path.iterdir())
    dialog.write(tmp_path / "wrong.avi")
    qtbot.waitUntil(lambda: "no film" in dialog.problem.text(), timeout=LONG)


def test_a_picture_has_the_size_that_was_chosen(opened: Open, qtbot: QtBot, tmp_path: Path) -> None:
    sizes = {}
    for name, chosen in (("screen", "As on the screen, 480 × 300"), ("hd", "Full HD, 1920 × 1080"), ("own", "Other")):
        dialog = opened(PictureDialog)
        assert isinstance(dialog, PictureDialog)
        dialog.size_choice.setCurrentIndex(dialog.size_choice.findText(chosen))
        assert dialog.across.isEnabled() == (dialog.size_choice.currentData() == OWN)
        dialog.upward.setValue(500)
        dialog.write(tmp_path / f"{name}.png")
        qtbot.waitUntil(lambda shown=dialog: not shown.isVisible(), timeout=LONG)  # type: ignore[misc]
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
    dialog.save.click()
    qtbot.waitUntil(lambda: not dialog.isVisible(), timeout=LONG)
    assert (tmp_path / "file.pdf").read_bytes().startswith(b"%PDF")


def test_the_window_opens_them_only_where_there_is_something_to_save(
    window: Window, grid: RoadNetwork, qtbot: QtBot
) -> None:
    for name in ("picture", "poster", "film"):
        window.actions_by_name[f"file.{name}"].trigger()
        assert not window.findChildren(ExportDialog)
        assert "There is no" in window.message_bar.text
