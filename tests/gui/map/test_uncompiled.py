"""What answers for the map's kernels until they are compiled draws the same picture."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wayfront import open_network, search
from wayfront.devices.compiling import stand_in
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import Result
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame, Painter
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.scene import Mode, Scene
from wayfront_gui.map.street_details import draw_street_details
from wayfront_gui.map.subtrees import levels_in_tree, subtree_sizes
from wayfront_gui.resources import BUNDLED, asset

SIZE = 400, 300


@contextmanager
def uncompiled() -> Iterator[None]:
    """Let NumPy answer for the map's kernels."""
    stand_in(True)
    try:
        yield
    finally:
        stand_in(False)


@pytest.fixture(scope="module")
def city() -> Result:
    return search(open_network(str(asset(BUNDLED))), 16_377, "dijkstra", "cpu", trace=True)


def camera_at(geometry: MapGeometry, zoom: float) -> Camera:
    """Return a camera on the middle of a map, so many times nearer than what shows all of it."""
    whole = Camera.fitting(geometry.bounds, *SIZE)
    scale = whole.scale * zoom
    (x, y), (width, height) = geometry.bounds.middle, SIZE
    return replace(whole, scale=scale, left=x - width / 2 / scale, top=y + height / 2 / scale)


@pytest.mark.parametrize("zoom", [1.0, 4.0, 20.0, 150.0])
@pytest.mark.parametrize("mode", ["search", "tree"])
def test_lines_are_drawn_alike(city: Result, zoom: float, mode: Mode) -> None:
    scene = Scene.of_result(city)
    assert scene.geometry is not None
    scene.mode = mode
    camera = camera_at(scene.geometry, zoom)
    drawn = Frame.draw(scene.geometry, scene.drawing(camera), camera).gbuffer
    with uncompiled():
        alike = Frame.draw(scene.geometry, scene.drawing(camera), camera).gbuffer
    assert np.count_nonzero(drawn) > 1000
    differ = drawn != alike
    coverage = np.abs((drawn >> 25).astype(int) - (alike >> 25).astype(int))
    assert differ.sum() <= 20  # of lines kept apart from many below, in whatever order
    assert coverage.max() <= 2


@pytest.mark.parametrize("zoom", [1.0, 4.0, 20.0])
def test_steps_are_coloured_alike_with_their_glow(city: Result, zoom: float) -> None:
    scene = Scene.of_result(city)
    assert scene.geometry is not None
    camera = camera_at(scene.geometry, zoom)
    frame = Frame.draw(scene.geometry, scene.drawing(camera), camera)
    for step in (0.0, 60.0, 61.5, 62.0, 400.0, 30.0):
        scene.step = step
        pictures: list[NDArray[np.uint32]] = []
        for painter in (Painter(), Painter()):
            pixels = np.zeros(frame.gbuffer.shape, np.uint32)
            if pictures:
                with uncompiled():
                    painter.paint(frame, scene, pixels)
            else:
                painter.paint(frame, scene, pixels)
            pictures.append(pixels)
        away = np.abs(pictures[0].view(np.uint8).astype(int) - pictures[1].view(np.uint8).astype(int))
        assert away.max() <= 3
        assert np.count_nonzero(away) <= 20


def test_one_painter_may_go_on_with_the_other_kernels(city: Result) -> None:
    scene = Scene.of_result(city)
    assert scene.geometry is not None
    camera = camera_at(scene.geometry, 1.0)
    frame, painter = Frame.draw(scene.geometry, scene.drawing(camera), camera), Painter()
    pixels, expected = np.zeros((2, *frame.gbuffer.shape), np.uint32)
    for step in (100.0, 101.0):
        scene.step = step
        with uncompiled():
            painter.paint(frame, scene, pixels)
    for step in (102.0, 103.0):
        scene.step = step
        painter.paint(frame, scene, pixels)
    Painter().paint(frame, scene, expected)
    assert np.array_equal(pixels, expected)


def test_dots_and_arrows_are_drawn_alike(city: Result) -> None:
    geometry = MapGeometry.of(city.network)
    camera = camera_at(geometry, 60.0)
    drawn, alike = np.zeros((2, SIZE[1], SIZE[0]), np.uint32)
    draw_street_details(drawn, geometry, camera, 3.0)
    with uncompiled():
        draw_street_details(alike, geometry, camera, 3.0)
    assert np.count_nonzero(drawn) > 100
    assert np.array_equal(drawn, alike)


def arrays_of(geometry: MapGeometry) -> list[NDArray[Any]]:
    """Return what kernels made of a map."""
    lines: list[NDArray[Any]] = [geometry.x, geometry.y, geometry.line_a, geometry.line_b, geometry.line_class]
    return [*lines, geometry.cell_offsets, geometry.cell_boxes]


def test_geometry_is_the_same(city: Result) -> None:
    chance = np.random.default_rng(5)
    tails, heads = chance.integers(0, 300, (2, 500)).astype(np.int32)  # loops, parallel arcs, nodes without any
    strange = RoadNetwork.from_arcs(
        name="strange",
        node_count=320,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1, np.ones(500, np.int32))],
        coordinates=chance.integers(-5000, 5000, (320, 2)).astype(np.int32),
        road_class=chance.integers(0, 4, 500).astype(np.uint8),
    )
    for network in (city.network, strange, replace(strange, road_class=None)):
        geometry = MapGeometry._build(network)
        points = chance.uniform(-600, 600, (20, 2))
        found = [geometry.nearest_node(x, y, 300.0) for x, y in points.tolist()]
        network.forget("")
        with uncompiled():
            alike = MapGeometry._build(network)
            assert found == [alike.nearest_node(x, y, 300.0) for x, y in points.tolist()]
        for one, other in zip(arrays_of(geometry), arrays_of(alike), strict=True):
            assert one.dtype == other.dtype
            assert np.array_equal(one, other)


def test_subtrees_are_the_same(city: Result) -> None:
    geometry = MapGeometry.of(city.network)
    cycle = np.array([1, 2, 0, 0, 9, -1, 5], np.int32)
    sizes = [subtree_sizes(parents) for parents in (city.parents, cycle)]
    levels = levels_in_tree(geometry.line_a, geometry.line_b, city.parents)
    with uncompiled():
        assert np.array_equal(sizes[0], subtree_sizes(city.parents))
        assert np.array_equal(sizes[1][4:], subtree_sizes(cycle)[4:])
        assert np.array_equal(levels, levels_in_tree(geometry.line_a, geometry.line_b, city.parents))
