"""The light of a frontier depends on where nodes are, not on how many, and is the same however a picture is cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame, Painter
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style


@pytest.fixture
def scene(grid: RoadNetwork, result: Result) -> Scene:
    scene = Scene.of(grid)
    scene.show_result(result)
    return scene


def paint(scene: Scene, camera: Camera) -> NDArray[np.uint32]:
    pixels = np.empty((camera.height, camera.width), np.uint32)
    Frame.draw(there(scene.geometry), scene.drawing(camera), camera).paint(scene, pixels)
    return pixels


def looking(scene: Scene) -> Camera:
    return Camera.fitting(there(scene.geometry).bounds, 320, 200)


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_light_brightens_a_dark_map_and_darkens_a_light_one(scene: Scene, theme: str) -> None:
    scene.style = Style(theme)
    camera = looking(scene)
    frame = Frame.draw(there(scene.geometry), scene.drawing(camera), camera)
    without, lit = (np.empty(frame.gbuffer.shape, np.uint32) for _ in range(2))
    scene.step = 4.0
    Painter().shade(frame, scene, without)
    frame.paint(scene, lit)
    before, after = (each[..., None] >> np.array([16, 8, 0], np.uint32) & 255 for each in (without, lit))
    ground = frame.gbuffer == 0
    change = after.astype(int).sum(-1)[ground] - before.astype(int).sum(-1)[ground]
    assert np.count_nonzero(change) > 100
    assert (change >= 0).all() if theme == "dark" else (change <= 0).all()


def test_nodes_of_one_place_shine_as_one(scene: Scene) -> None:
    """Shape nodes lie as close as that; their light was added up, and made suns."""
    scene.step = 4.0
    assert scene.found.trace is not None
    trace, some = scene.found.trace, scene.found.trace.frontier(4)[:1]
    pictures = []
    for count in (1, 40):
        offsets = np.arange(len(trace) + 1, dtype=trace.frontier_offsets.dtype) * count
        shining = replace(trace, frontier_nodes=np.repeat(some, count * len(trace)), frontier_offsets=offsets)
        scene.found = replace(scene.found, trace=shining)
        pictures.append(paint(scene, looking(scene)))
    dark = replace(trace, frontier_offsets=np.zeros_like(trace.frontier_offsets))
    scene.found = replace(scene.found, trace=dark)
    assert (pictures[0] == pictures[1]).all() and (pictures[0] != paint(scene, looking(scene))).any()


def test_a_picture_drawn_in_bands_is_the_whole_picture(scene: Scene) -> None:
    scene.step = 4.0
    whole = looking(scene)
    expected = paint(scene, whole)
    for first, last in ((0, 70), (70, 131), (131, 200)):
        band = replace(whole, top=whole.top - first / whole.scale, height=last - first)
        apart = (paint(scene, band)[..., None] >> np.array([16, 8, 0], np.uint32) & 255).astype(int)
        apart -= (expected[first:last, :, None] >> np.array([16, 8, 0], np.uint32) & 255).astype(int)
        assert np.abs(apart).max() <= 3


def test_from_one_step_to_another_the_picture_is_what_it_would_be_at_once(scene: Scene) -> None:
    assert scene.geometry is not None and scene.found.trace is not None
    camera = looking(scene)
    frame = Frame.draw(scene.geometry, scene.drawing(camera), camera)
    painter, pixels = Painter(), np.empty(frame.gbuffer.shape, np.uint32)
    for step in (0.0, 0.4, 1.0, 3.5, 3.5, 7.0, 2.0, -1.0, 5.0, 400.0, 6.2):
        scene.step = step
        painter.paint(frame, scene, pixels)
        expected = np.empty_like(pixels)
        frame.paint(scene, expected)
        assert (pixels == expected).all(), step
        pixels_before = pixels.copy()
        painter.paint(frame, scene, pixels)
        assert (pixels == pixels_before).all()
    scene.style = Style("light")
    painter.paint(frame, scene, pixels)
    frame.paint(scene, expected)
    assert (pixels == expected).all()


def test_in_a_street_map_roads_shine_along_their_length(scene: Scene) -> None:
    scene.step = 4.0
    geometry = there(scene.geometry)
    reached = scene.found.nodes.first_step[geometry.owner_a], scene.found.nodes.first_step[geometry.owner_b]
    hot = np.flatnonzero((reached[0] == 4) & (reached[1] > 4))
    line = hot[np.argmax(geometry.x[geometry.line_b[hot]] - geometry.x[geometry.line_a[hot]])]
    a, b = geometry.line_a[line], geometry.line_b[line]
    scale = 240 / float(geometry.x[b] - geometry.x[a])  # the road leads to the right
    camera = Camera(scale, float(geometry.x[a]) - 60 / scale, float(geometry.y[a]) + 40 / scale, 320, 80)
    frame = Frame.draw(geometry, scene.drawing(camera), camera)
    dark, lit = (np.empty(frame.gbuffer.shape, np.uint32) for _ in range(2))
    Painter().shade(frame, scene, dark)
    frame.paint(scene, lit)
    along = slice(60, 60 + 110)
    assert (frame.gbuffer[48, along] == 0).all() and (lit[48, along] != dark[48, along]).all()
    far = slice(60 + 170, 60 + 200)
    assert (lit[48, far] == dark[48, far]).all(), "the other half belongs to a node that was not reached yet"


def test_two_cores_lay_the_light_that_one_does(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    geometry = there(scene.geometry)
    camera = Camera.fitting(geometry.bounds, 200, 150)
    frame = Frame.draw(geometry, scene.drawing(camera), camera)
    alone, shared = (np.empty(frame.gbuffer.shape, np.uint32) for _ in range(2))
    painters = Painter(), Painter()
    for step in (2.0, 3.5, 9.0, 4.0):
        scene.step = step
        monkeypatch.setattr("wayfront_gui.map.frame._SHARED_FROM", 1 << 30)
        painters[0].paint(frame, scene, alone)
        monkeypatch.setattr("wayfront_gui.map.frame._SHARED_FROM", 1)
        painters[1].paint(frame, scene, shared)
        assert (alone == shared).all()
