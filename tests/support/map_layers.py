"""What the layers of a scene hold and where its nodes are, for tests that ask what a map shows."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint

from there import there
from wayfront_gui.features.small_graphs.layer import shown_graph
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.view import MapView


def pixel_of(view: MapView, node: int) -> QPoint:
    """Return where a node of a road map is on the screen."""
    geometry = there(view.map_scene.geometry)
    x, y = view.camera().to_pixels(float(geometry.x[node]), float(geometry.y[node]))
    return QPoint(int(x), int(y))


def layer(scene: Scene, key: str) -> Any:
    """Return the layer with a key, None where there is none."""
    return scene.layers.get(key)


def graph_in(scene: Scene) -> Any:
    """Return the small graph that is drawn in place of roads, None where roads are drawn."""
    shown = shown_graph(scene)
    return None if shown is None else shown.graph


def moment_in(scene: Scene) -> Any:
    """Return what the search has done on that graph."""
    shown = shown_graph(scene)
    return None if shown is None else shown.moment(scene)
