"""A street map marks junctions, dead ends and one-way streets, in the colours of their nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from wayfront.network.details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.found import Tree
from wayfront_gui.map.frame import Frame
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.raster import NODE_BITS, NODE_MASK
from wayfront_gui.map.scene import AS_ROADS, Scene
from wayfront_gui.map.street_details import draw_street_details


def street(arcs: list[tuple[int, int]], *, bent: bool = False) -> RoadNetwork:
    """Return four nodes in a row, 100 m apart, joined by these arcs, which may have a bend in their middle."""
    tails, heads = (np.array(ends, np.int32) for ends in zip(*arcs, strict=True))
    places = np.array([[900 * i, 0] for i in range(4)], np.int32)
    network = RoadNetwork.from_arcs(
        name="street",
        node_count=4,
        tails=tails,
        heads=heads,
        metrics=[Metric("length", "m", 1, np.full(len(arcs), 100, np.int32))],
        coordinates=places,
    )
    if bent:
        middles = (places[network.tails()] + places[network.targets]) // 2
        network = replace(network, shapes=Shapes(np.arange(len(arcs) + 1), middles), content_key="", _derived={})
    return network


BOTH = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)]
CAMERA = Camera(1.0, -170.0, 50.0, 340, 100)


def details(network: RoadNetwork) -> NDArray[np.uint32]:
    gbuffer = np.zeros((CAMERA.height, CAMERA.width), np.uint32)
    draw_street_details(gbuffer, MapGeometry.of(network), CAMERA, 2.0)
    return gbuffer


@pytest.mark.parametrize("bent", [False, True])
def test_ends_of_streets_have_a_dot_and_bends_none(bent: bool) -> None:
    gbuffer = details(street(BOTH, bent=bent))
    assert set(np.unique(gbuffer[gbuffer > 0] & NODE_MASK)) == {0, 3}
    rows, columns = np.nonzero(gbuffer)
    assert set(np.round((columns - 170) / 150.0)) == {-1.0, 1.0} and np.abs(rows - 49.5).max() < 4


@pytest.mark.parametrize("bent", [False, True])
@pytest.mark.parametrize("onward", [False, True])
def test_an_arrow_points_the_one_way_of_a_street(bent: bool, onward: bool) -> None:
    closed = (2, 1) if onward else (1, 2)
    gbuffer = details(street([arc for arc in BOTH if arc != closed], bent=bent))
    seen = (gbuffer >> NODE_BITS)[:, 170 - 60 : 170 + 60] > 40
    assert seen.any() and (seen == seen[::-1]).all(), "as far to either side of the street"
    rows, columns = np.nonzero(seen)
    spread = [np.ptp(rows[columns == column]) for column in sorted(set(columns))]
    assert (np.sign(np.diff(spread)).sum() < 0) == onward, "its point is ahead"


def test_only_maps_of_streets_have_details_and_trees_have_none() -> None:
    scene = Scene.of(street(BOTH))
    scene.wanted = AS_ROADS
    assert scene.geometry is not None
    near, far = CAMERA, replace(CAMERA, scale=0.2)
    assert scene.drawing(near).weights.details and not scene.drawing(far).weights.details
    lines = replace(scene.drawing(near), weights=replace(scene.drawing(near).weights, details=False))
    with_dots, without = (Frame.draw(scene.geometry, each, near).gbuffer for each in (scene.drawing(near), lines))
    assert (with_dots >= without).all() and (with_dots > without).any()
    tree = Tree(scene.geometry, np.array([-1, 0, 1, 2], np.int32))
    scene.found, scene.mode = replace(scene.found, tree=tree), "tree"
    assert not scene.drawing(near).weights.details


def test_a_main_road_has_a_casing_where_it_crosses_a_minor_one() -> None:
    network = RoadNetwork.from_arcs(
        name="crossing",
        node_count=4,
        tails=np.array([0, 1, 2, 3], np.int32),
        heads=np.array([1, 0, 3, 2], np.int32),
        metrics=[Metric("length", "m", 1, np.full(4, 200, np.int32))],
        coordinates=np.array([[-900, 0], [900, 0], [0, -900], [0, 900]], np.int32),
        road_class=np.array([0, 0, 3, 3], np.uint8),
    )
    scene = Scene.of(network)
    scene.wanted = AS_ROADS
    assert scene.geometry is not None
    camera = Camera(1.0, -20.0, 20.0, 40, 40)
    gbuffer = Frame.draw(scene.geometry, scene.drawing(camera), camera).gbuffer
    coverage = (gbuffer[20] >> NODE_BITS).astype(int)
    lit = np.flatnonzero(coverage)
    gaps = np.flatnonzero(coverage == 0)
    assert len(gaps) and lit[0] == 0 and lit[-1] == 39, "the minor road goes on beyond the casing on either side"
    main = coverage[gaps[0] + 1 : gaps[-1]]
    assert main.max() > coverage[0] > 0 and len(main) >= 2
