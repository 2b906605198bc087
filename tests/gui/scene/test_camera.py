"""Which part of the plane a camera shows, and where on it a pixel is."""

from __future__ import annotations

import pytest

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.geometry import Extent


def test_a_fitting_camera_shows_all_centred_with_a_margin() -> None:
    camera = Camera.fitting(Extent(-100, -50, 300, 50), 500, 300, margin=0.1)
    assert camera.scale == pytest.approx(1.0)
    assert camera.to_pixels(100, 0) == pytest.approx((250, 150))
    assert camera.to_plane(*camera.to_pixels(17, -3)) == pytest.approx((17, -3))
    assert camera.extent == pytest.approx((-150, -150, 350, 150))


def test_a_small_view_of_a_network_has_room_for_the_markers_at_its_border() -> None:
    camera = Camera.fitting(Extent(0, 0, 100, 100), 400, 700, 2.0)
    column, _ = camera.to_pixels(0, 0)
    assert column == pytest.approx(40)


def test_a_place_without_size_can_be_looked_at() -> None:
    assert Camera.fitting(Extent(5, 5, 5, 5), 100, 100).to_pixels(5, 5) == pytest.approx((50, 50))
