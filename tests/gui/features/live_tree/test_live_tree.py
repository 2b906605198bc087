"""The picture of a tree that follows the mouse is that of the finished tree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.gui.conftest import make_grid, make_result

from map_layers import layer
from wayfront.network.details import Shapes
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.live_tree import line_pieces
from wayfront_gui.features.live_tree import picture as dragged_picture
from wayfront_gui.features.live_tree.picture import DraggedPicture
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.frame import Frame, Painter
from wayfront_gui.map.geometry import Extent, MapGeometry
from wayfront_gui.map.raster import NEVER, NODE_BITS, NODE_MASK
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.shading import find_rows, shade

VIEWS = {
    "whole": (None, 160, 100, 1.0),
    "sharp": (None, 300, 240, 2.0),
    "part": (Extent(-150.0, -200.0, 260.0, 150.0), 200, 170, 1.0),
    "one street": (Extent(10.0, 10.0, 20.0, 16.0), 120, 80, 1.0),
    "far away": (Extent(9e5, 9e5, 9.1e5, 9.1e5), 120, 80, 1.0),
}


@pytest.fixture(scope="module", params=["straight", "bent"])
def network(request: pytest.FixtureRequest) -> RoadNetwork:
    """The grid, with straight arcs or with one bend in each, towards the north."""
    grid = make_grid()
    if request.param == "straight":
        return grid
    assert grid.coordinates is not None
    middles = (grid.coordinates[grid.tails()] + grid.coordinates[grid.targets]) // 2 + np.array([0, 300], np.int32)
    shapes = Shapes(np.arange(grid.arc_count + 1), middles.astype(np.int32)).frozen()
    return replace(grid, shapes=shapes, content_key="", _derived={})


@pytest.mark.parametrize(("view", "source"), [*zip(VIEWS, (130, 176, 208, 130, 176), strict=True), ("whole", 208)])
def test_it_is_drawn_as_the_finished_tree_is(network: RoadNetwork, view: str, source: int) -> None:
    result = make_result(network, network.node(source))
    scene = Scene.of_result(result)
    scene.mode = "tree"
    assert scene.geometry is not None
    extent, width, height, ratio = VIEWS[view]
    camera = Camera.fitting(extent or scene.geometry.bounds, width, height, ratio)
    expected = Frame.draw(scene.geometry, scene.drawing(camera), camera).gbuffer
    picture = DraggedPicture(scene.geometry)
    assert picture.look(camera)
    for side in (0, 1, 0):  # what another tree left in the arrays must be gone
        other = make_result(network, network.node(100 + 7 * side))
        picture.draw(side, other.distances, other.parents, other.metric)
        drawn = picture.draw(side, result.distances, result.parents, result.metric)
        cover, wanted = drawn.gbuffer >> NODE_BITS, expected >> NODE_BITS
        assert np.abs(cover.astype(int) - wanted.astype(int)).max() <= 2
        clear = (cover > 1) & (wanted > 1)
        same = (drawn.gbuffer & NODE_MASK)[clear] == (expected & NODE_MASK)[clear]
        assert same.all() or same.mean() > 0.97, "ties of coverage alone go to others"
        assert len(same) or view in {"one street", "far away"}
    reached = result.reached
    assert ((drawn.nodes.first_step != NEVER) == reached).all()
    assert np.abs(drawn.nodes.colour[reached].astype(int) - scene.found.nodes.colour[reached].astype(int)).max() <= 3
    assert drawn.nodes.legend is not None and drawn.nodes.legend.title == "distance from the source"


def test_a_drawing_with_too_many_pieces_is_left_to_the_raster(
    network: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    geometry = MapGeometry.of(network)
    picture = DraggedPicture(geometry)
    camera = Camera.fitting(geometry.bounds, 160, 100)
    monkeypatch.setattr(line_pieces, "MOST_PIECES", 100)
    assert not picture.look(camera)
    monkeypatch.undo()
    assert picture.look(replace(camera, left=camera.left + 1.0))


@pytest.mark.parametrize("room", [16, 1 << 18])
def test_whatever_way_the_source_went_the_picture_is_that_of_its_place(
    network: RoadNetwork, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what changed is drawn; whatever is left of the trees before would be seen."""
    monkeypatch.setattr(dragged_picture, "_FIRST_ROOM", room)
    geometry = MapGeometry.of(network)
    camera = Camera.fitting(geometry.bounds, 200, 160)
    picture = DraggedPicture(geometry)
    for turn, source in enumerate((130, 131, 132, 131, 176, 208, 130, 129)):
        result = make_result(network, network.node(source))
        given = (result.distances, result.parents, result.metric)
        afresh = DraggedPicture(geometry)
        assert picture.look(camera) and afresh.look(camera)
        side = turn % 3 % 2  # one side may be drawn twice in a row
        assert (picture.draw(side, *given).gbuffer == afresh.draw(0, *given).gbuffer).all()
        assert picture._sheet is not None
        if room == 16:  # as after very many drawings: the list of changed pixels begins anew
            changes = picture._sheet._base.changes
            assert 0 <= changes.bounds[1] < len(changes.pixels) and not changes.listed.any()
            changes.bounds[1], changes.settled[:] = len(changes.listed) - turn % 2, -1


def test_painting_it_takes_the_kernels_of_every_other_picture(network: RoadNetwork) -> None:
    """Numba compiles others for arrays that may be written, a second in which the window would stand still."""
    scene, pixels = Scene.of(network), np.empty((60, 80), np.uint32)
    assert scene.geometry is not None
    camera, painter = Camera.fitting(scene.geometry.bounds, 80, 60), Painter()
    painter.paint(Frame.draw(scene.geometry, scene.drawing(camera), camera), scene, pixels)
    forms = [list(kernel.signatures) for kernel in (shade, find_rows)]
    picture, tree = DraggedPicture(scene.geometry), make_result(network, network.node(130))
    assert picture.look(camera)
    scene.put(picture.draw(0, tree.distances, tree.parents, tree.metric))
    painter.paint(Frame(camera, np.zeros(0, np.uint8), layer(scene, "dragged").gbuffer, 0.0), scene, pixels)
    assert [list(kernel.signatures) for kernel in (shade, find_rows)] == forms
