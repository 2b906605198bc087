"""Painting a small graph over its page: arcs, discs, texts, markers, and what the signs mean."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter

from wayfront_gui.map.small_graph.arcs import ArcPainter, kinds_of
from wayfront_gui.map.small_graph.inks import inks_of, of_distance
from wayfront_gui.map.small_graph.key import ROW, entries_of, paint_rows, rows_of
from wayfront_gui.map.small_graph.lettering import measure
from wayfront_gui.map.small_graph.nodes import NodePainter
from wayfront_gui.map.small_graph.pointed_arcs import paint_pointed_arcs
from wayfront_gui.map.small_graph.shape_of_arcs import ArcShapes
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.fitting import has_room_for_key
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.small_graph.placing import Placing, placing_of

SOURCE_RING, TARGET_RING, HOVER_RING = 6.5, 6.5, 3.0
"""Pixels from the rim of a disc to the ring of a source, of a target, and of a node under the pointer."""
_KEY_ROW = 200
"""Row of the colour map whose colour stands for distances in the key."""


def placed(scene: Scene, camera: Camera) -> Placing:
    """Return where the texts of a scene's small graph stand; ``camera`` is in logical pixels."""
    assert scene.small is not None
    return placing_of(scene.small.graph, camera, scene.small.widest_label, measure)


def paint_small_graph(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the small graph of a scene, which has one; ``camera`` is in logical pixels."""
    graph, moment = scene.graph, scene.moment
    assert graph is not None and moment is not None
    inks, placing, rows = inks_of(scene.style), placed(scene, camera), scene.node_colours.colour
    places = np.stack(camera.to_pixels(graph.x, graph.y), axis=1)
    shapes = ArcShapes.of(graph, camera, placing.sizes.radius)
    arcs = ArcPainter(
        scene, graph, places, shapes, placing, kinds_of(scene, graph, moment), rows, inks, camera.thickness
    )
    nodes = NodePainter(scene, graph, moment, places, placing, rows, inks)
    painter.save()
    arcs.paint_lines(painter)
    paint_pointed_arcs(painter, scene, camera)
    arcs.paint_weights(painter)
    targets = scene.targets or (() if scene.target is None else (scene.target,))
    for ringed in (*targets, *(() if scene.source is None else (scene.source,))):
        nodes.clear_round(painter, ringed, SOURCE_RING)
    nodes.paint_discs(painter)
    for target in targets:
        nodes.paint_ring(painter, target, inks.route, 2.4, TARGET_RING)
    if scene.source is not None:
        nodes.paint_ring(painter, scene.source, inks.ink, 2.0, SOURCE_RING)
    if scene.hovered is not None:
        nodes.paint_ring(painter, scene.hovered, inks.ink, 1.4, HOVER_RING)
    nodes.paint_beside(painter)
    painter.restore()


def paint_key(painter: QPainter, scene: Scene, camera: Camera, left: float, base: float) -> float:
    """Paint what the signs mean, above ``base`` and right of ``left``; return how high that is."""
    graph, moment = scene.graph, scene.moment
    if graph is None or moment is None or not has_room_for_key(camera.width, camera.height):
        return 0.0
    inks = inks_of(scene.style)
    colour = of_distance(scene.style, _KEY_ROW)
    rows = rows_of(entries_of(graph, moment, kinds_of(scene, graph, moment), colour, inks), camera.width - 2 * left)
    if rows:
        paint_rows(painter, rows, QPointF(left, base), inks)
    return ROW * len(rows) + (10.0 if rows else 0.0)
