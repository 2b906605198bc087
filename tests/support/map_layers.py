"""What the layers of a scene hold, for tests that ask what a map shows."""

from __future__ import annotations

from typing import Any

from wayfront_gui.features.small_graphs.layer import shown_graph
from wayfront_gui.map.scene import Scene


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
