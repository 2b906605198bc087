"""What explains a map at its edges looks the same where it is kept as pictures, and never says what was."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest
import shiboken6
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRect
from PySide6.QtGui import QImage, QPainter, QRegion
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

import wayfront
from wayfront_gui.features.live_tree.picture import DraggedPicture
from wayfront_gui.map import map_item
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.ground import Ground, _font
from wayfront_gui.map.labels import LOOKS
from wayfront_gui.map.map_item import tiles_region
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.shading import TILE_HEIGHT, TILE_WIDTH
from wayfront_gui.map.style import Style
from wayfront_gui.map.tiles import BackgroundWork
from wayfront_gui.map.view import MapView
from wayfront_gui.ui.translation import use_language


@pytest.fixture(scope="module")
def scene() -> Scene:
    network = wayfront.open_network("synthetic:grid?rows=16&columns=16")
    scene = Scene.of_result(wayfront.search(network, 0, "dijkstra", device="cpu", runs=0, trace_budget=None))
    scene.around = replace(scene.around, attribution="Drawn by hand")
    return scene


def painted(scene: Scene, ground: Ground | None, ratio: float) -> NDArray[np.int64]:
    assert scene.geometry is not None
    camera = Camera.fitting(scene.geometry.home, 640, 480)
    image = QImage(round(640 * ratio), round(480 * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0xFF203040)
    painter = QPainter(image)
    paint_overlay(painter, scene, camera, ground)
    painter.end()
    channels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return channels.astype(np.int64)


def test_a_legend_changes_its_language(qapp: QApplication, scene: Scene) -> None:
    owner = QObject()
    ground = Ground(lambda: None, owner)
    painted(scene, ground, 1.0)
    english = painted(scene, ground, 1.0)
    use_language("ja")
    try:
        japanese = [painted(scene, ground, 1.0) for _ in range(2)]
        assert all((np.abs(each - english) > 100).any() for each in japanese), "at once, and then as a picture"
    finally:
        use_language("en")
    painted(scene, ground, 1.0)
    assert (painted(scene, ground, 1.0) == english).all()


@pytest.mark.parametrize(("ratio", "text_scale"), [(1.0, 1.0), (2.0, 1.5)])
def test_kept_pictures_look_as_what_they_are_of(
    qapp: QApplication, scene: Scene, ratio: float, text_scale: float
) -> None:
    owner = QObject()
    ground = Ground(lambda: None, owner)
    for style in (Style(text_scale=text_scale), Style("light", text_scale=text_scale)):
        scene.style = style
        wanted = painted(scene, None, ratio)
        assert (painted(scene, ground, ratio) == wanted).all()
        for _ in range(2):
            assert np.abs(painted(scene, ground, ratio) - wanted).max() <= 3
    ground.stop()


def test_other_facts_are_painted_anew(qapp: QApplication, scene: Scene) -> None:
    owner = QObject()
    ground = Ground(lambda: None, owner)
    before = [painted(scene, ground, 1.0) for _ in range(3)][-1]
    scene.around = replace(scene.around, attribution="Measured by others")
    after = painted(scene, ground, 1.0)
    assert (after != before).any() and np.abs(after - painted(scene, None, 1.0)).max() <= 3
    ground.stop()


def test_a_region_holds_the_tiles_from_the_first_to_the_last_of_each_row() -> None:
    changed = np.zeros((4, 5), np.bool_)
    changed[1, [1, 3]] = changed[3, 0] = True
    wanted = QRegion(QRect(TILE_WIDTH, TILE_HEIGHT, 3 * TILE_WIDTH, TILE_HEIGHT))
    wanted += QRect(0, 3 * TILE_HEIGHT, TILE_WIDTH, TILE_HEIGHT)
    assert tiles_region(changed, 1.0) == wanted
    halved = tiles_region(changed, 2.0)
    assert halved.boundingRect() == QRect(0, TILE_HEIGHT // 2, 2 * TILE_WIDTH, 3 * TILE_HEIGHT // 2)
    assert tiles_region(np.zeros((2, 2), np.bool_), 1.0).isEmpty()


def on_screen(view: MapView) -> NDArray[np.uint8]:
    return pixels(view.screen().grabWindow(view.winId()).toImage())


def pixels(image: QImage) -> NDArray[np.uint8]:
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1, 4)[..., :3]


def test_the_screen_shows_each_step_whole(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    regions: list[QRegion] = []

    def noted(changed: NDArray[np.bool_], ratio: float) -> QRegion:
        regions.append(tiles_region(changed, ratio))
        return regions[-1]

    monkeypatch.setattr(map_item, "tiles_region", noted)
    network = make_grid()
    result = make_result(network, network.node(130))
    view = MapView()
    qtbot.addWidget(view)
    view.resize(420, 340)
    view.show()
    view.set_network(network)
    view.set_source(result.source)
    with view.changing() as scene:
        scene.show_result(result)
    qtbot.waitUntil(lambda: view.map_item.frame is not None and view.map_item.settled)
    assert result.trace is not None
    for step in (*range(len(result.trace)), 2, 5.5, -1):
        painted = view.map_item.paintings
        view.show_step(float(step))
        qtbot.waitUntil(lambda painted=painted: view.map_item.paintings > painted)  # type: ignore[misc]
        shown = on_screen(view)
        assert (pixels(view.grab().toImage()) == shown).all(), step
    assert len(regions) > len(result.trace) / 2
    areas = [region.boundingRect().width() * region.boundingRect().height() for region in regions]
    assert min(areas) < view.width() * view.height() / 2
    view.close()


def test_the_marker_of_a_dragged_source_waits_for_its_tree(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """One picture shows both; without a tree the marker comes by itself."""
    monkeypatch.setattr(map_item, "_MARKER_MS", 3_600_000)
    network = make_grid()
    view = MapView()
    qtbot.addWidget(view)
    view.resize(300, 300)
    view.set_network(network)
    view.show()
    qtbot.waitUntil(lambda: view.map_item.frame is not None and view.map_item.settled)
    assert view.map_scene.geometry is not None and view.map_item.frame is not None
    picture, n = DraggedPicture(view.map_scene.geometry), network.node_count
    assert picture.look(view.map_item.frame.camera)
    distances, parents = np.zeros(n, np.int32), np.full(n, -1, np.int32)
    trees = [picture.draw(side, distances, parents, network.metrics[0]) for side in range(2)]
    painted = view.map_item.paintings
    view.set_dragged(trees[0], 0.0)
    qtbot.waitUntil(lambda: view.map_item.paintings > painted)
    QApplication.processEvents()
    painted = view.map_item.paintings
    view.set_source(7)
    QApplication.processEvents()
    assert view.map_item.paintings == painted
    view.set_dragged(trees[1], 0.0)
    qtbot.waitUntil(lambda: view.map_item.paintings > painted)
    painted = view.map_item.paintings
    view.map_item._marker_due.setInterval(0)
    view.set_source(8)
    qtbot.waitUntil(lambda: view.map_item.paintings > painted)


@pytest.mark.usefixtures("qapp")
def test_a_piece_that_fails_is_logged_and_the_next_is_done(qtbot: QtBot, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ValueError("no such place")

    owner = QObject()
    work, done = BackgroundWork("map names", owner), list[str]()
    with qtbot.waitSignal(work.finished):
        work.start(fail)
    assert "map names could not be made" in caplog.text and "no such place" in caplog.text
    with qtbot.waitSignal(work.finished):
        work.start(lambda: done.append("laid out"))
    assert done == ["laid out"]


@pytest.mark.usefixtures("qapp")
def test_what_works_for_a_map_is_deleted_with_it() -> None:
    """Not by Python's collector of garbage, which runs in any thread."""
    view = MapView()
    workers = [each for each in view.map_item.children() if type(each).__module__.startswith("wayfront_gui")]
    assert {type(each).__name__ for each in workers} == {"BackgroundRaster", "BackgroundWork"}
    view.close()
    view.deleteLater()
    QCoreApplication.sendPostedEvents(view, QEvent.Type.DeferredDelete)
    assert not any(shiboken6.isValid(each) for each in workers)


@pytest.mark.usefixtures("qapp")
def test_no_two_threads_share_a_font() -> None:
    look, theirs = LOOKS["road"], list[object]()
    thread = threading.Thread(target=lambda: theirs.append(_font(look)))
    thread.start()
    thread.join()
    assert theirs[0] is not _font(look) and _font(look) is _font(look)
