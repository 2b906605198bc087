"""From where all of a scene is seen: a road map with a margin, a small graph between caption and legend. No Qt."""

from __future__ import annotations

import math
from dataclasses import replace

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.small_graph.graph import SmallGraph

MARGIN = 0.02
"""Room round a road map, as a share of each side."""
_SIDE, _EDGE, _TITLE = 44.0, 50.0, 150.0
"""Room round a small graph for discs and labels: at its sides, above and below, and above it under a film's titles."""
_CAPTION, _DISC = 64.0, 36.0
"""Height of the caption of a race with its margin, and of a disc's upper half with its name."""
_CAPTION_SHARE = 0.8
"""The share of what is free above and below a graph that goes to the caption of a race where there is too little."""
_LEGEND, _KEY_ROW, _KEY_WIDTH = 70.0, 20.0, 1100.0
"""Height of the colours' legend, and of a row of the key, whose entries and gaps are about so wide in all."""
_LEAST_FOR_KEY = 340.0
"""Narrower pictures have no room for what the signs of a small graph mean."""
_LEAST = 0.45
"""The share of each side that a graph has at least, whatever is round it."""
_LEAST_ROUND = 0.9
"""The share of the room round a graph with a key that is kept at least: with less, the key lies over its labels."""


def has_room_for_key(width: float, height: float) -> bool:
    """Return whether a picture of a small graph, in units of its texts, has room for colours and signs below it."""
    if width < _LEAST_FOR_KEY:
        return False
    return (1 - _LEAST) * height >= _LEAST_ROUND * (2 * _EDGE + _height_of_key(width))


def _height_of_key(width: float) -> float:
    """Return how high colours and signs are in a picture of that width, both in units of its texts."""
    rows = math.ceil(_KEY_WIDTH / max(width - 32.0, 1.0))
    return _LEGEND + min(rows, 4) * _KEY_ROW


def fitting_camera(
    scene: Scene,
    width: int,
    height: int,
    ratio: float,
    extent: Extent | None = None,
    *,
    margin: float = MARGIN,
    titled: bool = False,
) -> Camera:
    """Return the camera that shows an extent, or else all of a scene with a network, in so many physical pixels.

    ``margin`` is that of all but small graphs, which leave room for titles if there are any.
    """
    graph = scene.graph
    unit = ratio * scene.style.text_scale
    raced = scene.caption is not None
    if extent is not None or graph is None:
        camera = Camera.fitting(extent or scene.home, width, height, ratio, margin)
        return _lowered(camera, scene.home, _CAPTION * unit) if extent is None and raced else camera
    head = _CAPTION + _DISC if raced else _TITLE if titled else _EDGE
    keyed = not raced and has_room_for_key(width / unit, height / unit)
    return _fit_graph(graph, width, height, ratio, unit, head, keyed, raced)


def _lowered(camera: Camera, home: Extent, head: float) -> Camera:
    """Return a camera that sees all as large, but below ``head`` pixels as far as there is room at the lower edge."""
    free = (camera.height - home.height * camera.scale) / 2
    down = max(min(head - free, free - MARGIN * camera.height), 0.0)
    return replace(camera, top=camera.top + down / camera.scale)


def _fit_graph(
    graph: SmallGraph, width: int, height: int, ratio: float, unit: float, head: float, keyed: bool, raced: bool
) -> Camera:
    """Return the camera that shows a graph where its texts, in units of so many pixels, leave room for it."""
    side = min(_SIDE * unit, (1 - _LEAST) / 2 * width)
    top, foot = head * unit, _EDGE * unit
    if keyed:
        foot += _height_of_key(width / unit) * unit
    free = (1 - _LEAST) * height
    if raced:  # what is below a graph may go, what is under the caption would be hidden
        top = min(top, _CAPTION_SHARE * free)
        foot = min(foot, free - top)
    shrink = min(free / (top + foot), 1.0)
    top, foot = top * shrink, foot * shrink
    home = graph.home
    across, upward = home.width / (width - 2 * side), home.height / (height - top - foot)
    scale = 1 / (max(across, upward) or 1.0)
    x, y = home.middle
    middle = top + (height - top - foot) / 2  # rows of pixels from the top to the middle of the graph
    return Camera(scale, x - width / scale / 2, y + middle / scale, width, height, ratio)
