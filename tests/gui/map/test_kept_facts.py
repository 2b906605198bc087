"""What explains a map at its edges looks the same where it is kept as pictures, and never says what was."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QObject
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

import wayfront
from wayfront_gui.map.ground import Ground
from wayfront_gui.map.overlay import paint_overlay
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.style import Style


@pytest.fixture(scope="module")
def scene() -> Scene:
    network = wayfront.open_network("synthetic:grid?rows=16&columns=16")
    scene = Scene.of_result(wayfront.search(network, 0, "dijkstra", device="cpu", runs=0, trace_budget=None))
    scene.attribution = "Drawn by hand"
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
    scene.attribution = "Measured by others"
    after = painted(scene, ground, 1.0)
    assert (after != before).any() and np.abs(after - painted(scene, None, 1.0)).max() <= 3
    ground.stop()
