"""A view that two cores raster is the view that one rasters."""

from __future__ import annotations

import numpy as np
import pytest

import wayfront
from wayfront_gui.scene import shared_raster
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.frame import Frame
from wayfront_gui.scene.scene import Scene


@pytest.mark.parametrize(("ratio", "zoom"), [(1.0, 1.0), (2.0, 3.0)])
def test_two_cores_raster_what_one_does(monkeypatch: pytest.MonkeyPatch, ratio: float, zoom: float) -> None:
    scene = Scene.of(wayfront.open_network("synthetic:grid?rows=40&columns=40"))
    assert scene.geometry is not None
    whole = Camera.fitting(scene.geometry.home, 320, 240, ratio)
    camera = Camera(whole.scale * zoom, whole.left, whole.top, 320, 240, ratio)
    alone = Frame.draw(scene.geometry, scene.drawing(camera), camera)
    monkeypatch.setattr(shared_raster, "usable_cores", lambda: 2)
    monkeypatch.setattr(shared_raster, "SHARED_FROM", 1)
    shared = Frame.draw(scene.geometry, scene.drawing(camera), camera)
    assert alone.gbuffer.any() and (shared.gbuffer == alone.gbuffer).all() and shared.raster_ms > 0
    drawing, stop = scene.drawing(camera), np.ones(1, np.uint8)
    assert not Frame.draw(scene.geometry, drawing, camera, stop).gbuffer.any(), "a stop is heeded by both"
