"""Points on the map: discs whose areas grow with their weights, laid into one picture for each view."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter, QPen

from wayfront.devices.compiling import loop
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Plane, read_only
from wayfront_gui.map.painting import has_pixels, pixels_in_unit, translucent
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.ui.theme import rgb

if TYPE_CHECKING:
    from wayfront_gui.session.points import Points

_RADII = ((200, 4.5), (2_000, 3.5), (20_000, 2.6))
_LEAST_RADIUS, _FAR_RADIUS, _LARGEST = 1.9, 2.6, 14.0
"""Radii of discs in units of the map's texts, of up to so many points; of more, of far ones, and of heavy ones."""
_WIDER = 2.6
"""How much wider than usual the disc of a heavy point is."""
_MOST_COVERED = 0.06
"""The share of a picture that discs may cover together before they are narrowed."""
_LEAST_PIXELS = 0.8
"""No disc has a smaller radius, in physical pixels."""
_SOLID, _FAINTEST = 0.8, 0.2
"""How opaque small discs are, where there is room and where they lie on each other."""
_HEAVY = 98.0
"""Points of this percentile are as large as discs become, so that one giant does not make all others dust."""


@dataclass(frozen=True, slots=True, eq=False)
class PointMarks(Layer):
    """The points that pass the filter: where they are on the map's plane, how large, and which are far from roads.

    ``x``, ``y`` and ``radius`` are float32 [k], the widest first, so that small points lie on top; ``far`` is bool [k].
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    radius: NDArray[np.float32]
    far: NDArray[np.bool_]
    _painted: dict[str, tuple[Any, QImage]] = field(default_factory=dict)

    NAME: ClassVar[str] = "points"
    ORDER: ClassVar[int] = 41

    @classmethod
    def of(cls, points: Points, plane: Plane) -> PointMarks | None:
        """Return the marks of a slot's points, None where there are none."""
        snapped = points.snapped
        if snapped is None or not points.meant.any():
            return None
        meant = points.meant
        radius = radii(snapped.places.weights[meant])
        far = ~snapped.on_road[meant]
        radius[far] = _FAR_RADIUS
        order = np.argsort(-radius, kind="stable")
        on_plane = plane.from_degrees(snapped.places.coordinates[meant][order]).astype(np.float32)
        x, y = (np.ascontiguousarray(axis) for axis in on_plane.T)
        return cls(read_only(x), read_only(y), read_only(radius[order]), read_only(far[order]))

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the discs: into one picture that stays while the view does, one by one where there are no pixels."""
        if has_pixels(painter, scene.style):
            painter.drawImage(QPointF(0, 0), self._picture(scene, camera, pixels_in_unit(painter, scene.style)))
            return
        colours = scene.style.colours
        x, y = camera.to_pixels(self.x, self.y)
        for at_x, at_y, radius, far in zip(
            x.tolist(), y.tolist(), self.radius.tolist(), self.far.tolist(), strict=True
        ):
            painter.setPen(QPen(translucent(colours.closed if far else colours.casing, 230), 1.0))
            painter.setBrush(translucent(colours.ink, 0 if far else round(255 * _opacity(radius))))
            painter.drawEllipse(QPointF(at_x, at_y), radius, radius)

    def _picture(self, scene: Scene, camera: Camera, ratio: float) -> QImage:
        colours = scene.style.colours
        key = camera, ratio, scene.style
        painted = self._painted.get("")
        if painted is None or painted[0] != key:
            rows, columns = max(round(camera.height * ratio), 1), max(round(camera.width * ratio), 1)
            pixels = np.zeros((rows, columns), np.uint32)
            view = camera.scale * ratio, camera.left, camera.top
            share, opacity = self._share(view, rows, columns, ratio)
            shown = np.array([rgb(colours.ink), rgb(colours.casing), rgb(colours.closed)], np.float32)
            stamp_points(
                pixels,
                self.x,
                self.y,
                self.radius,
                self.far,
                view,
                np.float32(ratio * share),
                np.float32(opacity),
                shown,
            )
            image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied).copy()
            image.setDevicePixelRatio(ratio)
            painted = self._painted[""] = key, image
        return painted[1]

    def _share(self, view: tuple[float, float, float], rows: int, columns: int, ratio: float) -> tuple[float, float]:
        """Return by how much discs are narrowed, and how opaque small ones are, so that streets are seen between them.

        Both change in steps, so that discs stay as they are while the map is moved.
        """
        scale, left, top = view
        x, y = (self.x - left) * scale, (top - self.y) * scale
        seen = self.radius[(x >= 0) & (x < columns) & (y >= 0) & (y < rows)]
        most = _MOST_COVERED * rows * columns
        covered = math.pi * ratio**2 * float(np.square(seen, dtype=np.float64).sum())
        if covered <= most:
            return 1.0, _SOLID
        share = 2.0 ** (math.floor(math.log2(most / covered)) / 2)
        least = math.pi * _LEAST_PIXELS**2 * len(seen)
        opacity = 1.0 if least <= most else 2.0 ** (math.floor(math.log2(most / least)) / 2)
        return share, max(_SOLID * opacity, _FAINTEST)


def radii(weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the radii of points, float32 [k], whose areas grow with their weights where these differ."""
    usual = next((radius for count, radius in _RADII if len(weights) <= count), _LEAST_RADIUS)
    if not len(weights) or weights.min() == weights.max():
        return np.full(len(weights), usual, np.float32)
    heavy = float(np.percentile(weights, _HEAVY)) or float(weights.max())
    widest = min(usual * _WIDER, _LARGEST)
    return np.clip(widest * np.sqrt(weights / heavy), usual / 2.5, widest).astype(np.float32)


def _opacity(radius: float) -> float:
    """Return how opaque a disc is: a wide one lets streets through."""
    return min(max(1.1 - 0.06 * radius, 0.45), 0.92)


def stamp_one() -> None:
    """Compile what lays points into a picture, on the thread that has time for it."""
    none, flag = np.zeros(1, np.float32), np.zeros(1, np.bool_)
    for array in (none, flag):
        array.flags.writeable = False
    shown = np.zeros((3, 3), np.float32)
    stamp_points(
        np.zeros((1, 1), np.uint32), none, none, none, flag, (1.0, 0.0, 0.0), np.float32(1.0), np.float32(1.0), shown
    )


@loop
def stamp_points(pixels, x, y, radii, far, view, ratio, opacity, shown):  # type: ignore[no-untyped-def]
    """Lay discs over a picture of premultiplied pixels 0xAARRGGBB, uint32 [height, width], in the order of the points.

    ``ratio`` is how many pixels wide a radius of 1 is. Small discs have no edge of their own, which would hide others,
    and ``opacity`` is theirs. ``shown`` are red, green and blue of discs, of what keeps them apart from roads, and of
    rings of far points.
    """
    height, width = pixels.shape
    scale, left, top = view
    for i in range(len(x)):
        px, py = (x[i] - left) * scale, (top - y[i]) * scale
        radius = max(radii[i] * ratio, _LEAST_PIXELS)
        plain = radius < 2.2
        edge = radius if plain else radius + ratio
        if not (-edge <= px < width + edge and -edge <= py < height + edge):
            continue
        solid = opacity if plain else min(max(1.1 - 0.06 * radii[i], 0.45), 0.92)
        reach = edge + 0.5
        for r in range(max(math.ceil(py - reach - 0.5), 0), min(math.floor(py + reach - 0.5), height - 1) + 1):
            for c in range(max(math.ceil(px - reach - 0.5), 0), min(math.floor(px + reach - 0.5), width - 1) + 1):
                away = math.hypot(c + 0.5 - px, r + 0.5 - py)
                outer = min(max(edge + 0.5 - away, 0.0), 1.0)
                if outer == 0.0:
                    continue
                disc = min(max(radius + 0.5 - away, 0.0), 1.0)
                if plain:
                    over = 2 if far[i] else 0
                    pixels[r, c] = _over(pixels[r, c], shown[over, 0], shown[over, 1], shown[over, 2], solid * disc)
                    continue
                inner = min(max(radius - 1.25 * ratio + 0.5 - away, 0.0), 1.0)
                if far[i]:
                    over, share = 2, 0.9 * (disc - inner)
                else:
                    # A clear edge round a disc that lets streets through.
                    pixels[r, c] = _over(pixels[r, c], shown[1, 0], shown[1, 1], shown[1, 2], 0.75 * (outer - disc))
                    over, share = 0, solid * inner + 0.95 * (disc - inner)
                pixels[r, c] = _over(pixels[r, c], shown[over, 0], shown[over, 1], shown[over, 2], share)


@loop
def _over(under, red, green, blue, share):  # type: ignore[no-untyped-def]
    """Lay a colour over a premultiplied pixel, as opaque as ``share`` says, 0 … 1."""
    rest = 1.0 - share
    alpha = np.uint32(np.float64((under >> np.uint32(24)) & np.uint32(255)) * rest + 255.0 * share + 0.5)
    r = np.uint32(np.float64((under >> np.uint32(16)) & np.uint32(255)) * rest + red * share + 0.5)
    g = np.uint32(np.float64((under >> np.uint32(8)) & np.uint32(255)) * rest + green * share + 0.5)
    b = np.uint32(np.float64(under & np.uint32(255)) * rest + blue * share + 0.5)
    return (alpha << np.uint32(24)) | (r << np.uint32(16)) | (g << np.uint32(8)) | b
