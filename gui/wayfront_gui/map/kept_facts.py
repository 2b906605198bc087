"""What explains a map at its edges, kept as small pictures while it stays the same.

Scale bar, legend and attribution are some dozen texts and shapes, as much work for each frame as all roads of a step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QImage, QPainter

from wayfront.network.small import SMALL
from wayfront_gui.map.text_units import text_units
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.scene import Scene

_APART = 16
"""Rows or columns of pixels without anything that part one picture from the next."""

Paint = Callable[[QPainter, Scene, Camera], None]


class KeptFacts:
    """Paints facts of one map: as they are while they change from frame to frame, and then as pictures.

    ``facts`` returns all that they are made of, None while they are another at every frame.
    """

    def __init__(self, facts: Callable[[Scene], tuple[object, ...] | None]) -> None:
        self._facts_of = facts
        self._facts: object = None
        self._pictures: list[tuple[QPointF, QImage]] | None = None

    def paint(self, painter: QPainter, scene: Scene, camera: Camera, paint: Paint) -> None:
        """Paint what ``paint`` paints of a scene, for a camera in logical pixels."""
        ratio = float(painter.device().devicePixelRatioF())
        facts = self._facts_of(scene)
        now = facts and (*facts, camera.scale, camera.width, camera.height, ratio)
        if now is None or now != self._facts:
            self._facts, self._pictures = now, None
            with text_units(painter, scene.style, camera) as view:
                paint(painter, scene, view)
            return
        if self._pictures is None:
            self._pictures = _pictures(scene, camera, ratio, paint)
        for at, image in self._pictures:
            painter.drawImage(at, image)


def facts_stay(scene: Scene) -> bool:
    """Return whether the facts are the same at every step: a race's caption and a small graph's key are not."""
    return scene.caption is None and scene.geometry is not None and scene.geometry.node_count > SMALL


def edge_facts(scene: Scene) -> tuple[object, ...]:
    """Return what attribution, scale and bands are made of."""
    bands = scene.isochrones if scene.shows_bands else None
    return (scene.geometry, scene.style, scene.attribution, scene.shows_tiles, scene.scale_bar, bands)


def legend_facts(scene: Scene) -> tuple[object, ...] | None:
    """Return what a legend is made of; every tree has another one while its source is dragged."""
    legend = scene.node_colours.legend
    return None if scene.dragged is not None else (scene.style, scene.scale_bar, legend)


def _pictures(scene: Scene, camera: Camera, ratio: float, paint: Paint) -> list[tuple[QPointF, QImage]]:
    """Paint the facts apart; return what is there of them, and where, in logical pixels."""
    whole = QImage(round(camera.width * ratio), round(camera.height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    whole.setDevicePixelRatio(ratio)
    whole.fill(0)
    painter = QPainter(whole)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        with text_units(painter, scene.style, camera) as view:
            paint(painter, scene, view)
    finally:
        painter.end()
    filled = np.frombuffer(whole.constBits(), np.uint32).reshape(whole.height(), -1) != 0
    found = []
    for top, bottom in _runs(np.logical_or.reduce(filled, axis=1)):
        for left, right in _runs(np.logical_or.reduce(filled[top:bottom], axis=0)):
            part = whole.copy(QRect(left, top, right - left, bottom - top))
            found.append((QPointF(left / ratio, top / ratio), part))
    return found


def _runs(filled: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the beginnings and ends of what is filled; runs that are hardly apart are one."""
    at = np.flatnonzero(filled)
    if not len(at):
        return []
    breaks = np.flatnonzero(np.diff(at) > _APART)
    begins, ends = at[np.concatenate(([0], breaks + 1))], at[np.concatenate((breaks, [len(at) - 1]))] + 1
    return list(zip(begins.tolist(), ends.tolist(), strict=True))
