"""Loads or compiles every kernel of the map, so that the first picture does not wait for a compiler. No Qt."""

from __future__ import annotations

from functools import cache

import numpy as np

from wayfront.network.road_details import Shapes
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.dragged_picture import DraggedPicture
from wayfront_gui.scene.frame import Frame
from wayfront_gui.scene.geometry import MapGeometry, read_only
from wayfront_gui.scene.layers import AS_ROADS
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.street_details import draw_street_details

_PARENTS = read_only(np.array([-1, 0], np.int32))


def warm_up() -> None:
    """Call every kernel on maps of two nodes, with straight and with bent arcs.

    Loads them from numba's cache, or compiles them (some ten seconds, once per machine). Safe on any thread; it
    holds the interpreter's lock only while compiling.
    """
    for bent in (False, True):
        warm_up_map(bent=bent)
        warm_up_drag(bent=bent)


@cache
def warm_up_map(*, bent: bool) -> None:
    """Do as ``warm_up``, once, with what the window's thread calls for a map, of bent arcs or of straight ones."""
    network = _two_nodes(bent)
    scene = Scene.of(network)
    scene.layers = AS_ROADS
    assert scene.geometry is not None
    arcs = np.array([0, 1], np.int32)
    recorder = Recorder(network.out_degrees())
    recorder.add(arcs[:1], 1, 0, StepNote())
    trace = recorder.finish(np.array([0, 0], np.int32), np.array([0, 0], np.int32))
    camera = Camera.fitting(scene.geometry.bounds, 16, 16)
    pixels = np.empty((16, 16), np.uint32)
    for distances in (None, np.array([0, 1], np.int32)):
        scene.show_live(trace, distances)
        Frame.draw(scene.geometry, scene.drawing(camera), camera).paint(scene, pixels)
    scene.dots = arcs[:1]
    Frame.draw(scene.geometry, scene.drawing(camera), camera).paint(scene, pixels)
    chains = scene.geometry.chains
    if chains is not None:
        chains.levels_of_tree(_PARENTS, chains.tree_arcs(_PARENTS, read_only(network.metrics[0].weights)))
    scene.parents, scene.mode = _PARENTS, "tree"
    scene.drawing(camera)
    draw_street_details(np.zeros((16, 16), np.uint32), scene.geometry, camera, 1.0)
    scene.geometry.nearest_node(0.0, 0.0)


@cache
def warm_up_drag(*, bent: bool) -> None:
    """Do as ``warm_up``, once, with the kernels that draw a tree whose source is dragged."""
    network = _two_nodes(bent)
    geometry, metric = MapGeometry.of(network), network.metrics[0]
    picture = DraggedPicture(geometry)
    picture.look(Camera.fitting(geometry.bounds, 16, 16))
    for dtype in (np.int32, np.int64):
        picture.draw(0, np.array([0, 1], dtype), _PARENTS.copy(), np.iinfo(dtype).max, metric)


def _two_nodes(bent: bool) -> RoadNetwork:
    arcs = np.array([0, 1], np.int32)
    shapes = Shapes(np.array([0, 1, 2]), np.array([[500, 500], [500, 500]], np.int32)) if bent else None
    return RoadNetwork.from_arcs(
        name="two nodes",
        node_count=2,
        tails=arcs,
        heads=arcs[::-1],
        metrics=[Metric("length", "m", 1, np.ones(2, np.int32))],
        coordinates=np.array([[0, 0], [1000, 500]], np.int32),
        road_class=np.zeros(2, np.uint8),
        shapes=shapes,
    )
