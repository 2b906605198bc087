"""A step of the replay paints what it changes, and the screen then shows what painting all of it would."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage, QRegion
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid, make_result

from wayfront_gui.map import map_item
from wayfront_gui.map.changed_tiles import tiles_region
from wayfront_gui.map.view import MapView
from wayfront_gui.scene.dragged_picture import DraggedPicture
from wayfront_gui.scene.shading import TILE_HEIGHT, TILE_WIDTH


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
    view.set_result(result)
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
    trees = [picture.draw(side, distances, parents, 9, network.metrics[0]) for side in range(2)]
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
