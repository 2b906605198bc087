"""How large discs and texts of a small graph are from a camera. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.small_graph.graph import SmallGraph

LARGEST_DISC, SMALLEST_DISC = 24.0, 3.5
LARGEST_SHARE = 0.06
"""Radius of the largest disc as a share of the picture's smaller side: on a small one discs would reach its edges."""
_NAMED, _LABELLED, _WEIGHED = 8.5, 7.5, 6.5
"""Radii from which on discs have names and labels, and arcs have weights: below they could not be read."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Pixels of the radius of a disc, and of the fonts of names, labels and weights, 0 where these are left out."""

    radius: float
    name: int
    label: int
    weight: int


def sizes_for(radius: float) -> Sizes:
    """Return the sizes that go with discs of a radius."""
    return Sizes(
        radius=radius,
        name=round(min(max(0.80 * radius, 8.0), 18.0)) if radius >= _NAMED else 0,
        label=round(min(max(0.70 * radius, 9.0), 15.0)) if radius >= _LABELLED else 0,
        weight=round(min(max(0.62 * radius, 9.0), 14.0)) if radius >= _WEIGHED else 0,
    )


def disc_radius(graph: SmallGraph, camera: Camera) -> float:
    """Return the radius of a disc in a camera's pixels."""
    ratio = camera.pixel_ratio
    largest = min(LARGEST_DISC, LARGEST_SHARE * min(camera.width, camera.height) / ratio)
    return max(min(graph.radius * camera.scale / ratio, largest), SMALLEST_DISC) * ratio
