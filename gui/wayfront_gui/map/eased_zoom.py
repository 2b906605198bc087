"""A zoom by the wheel that does not jump: each notch is spread over some frames."""

from __future__ import annotations

import math
from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF, QTimer

_WHEEL_BASE = 1.0015
"""Zoom factor of one unit of wheel rotation (a notch has 120)."""
_FRAME_MS = 16
_SHARE = 0.3
"""How much of what is left to zoom a frame takes."""
_LAST = 0.004
"""Less than this is left to no other frame, as a natural logarithm."""


class EasedZoom(QObject):
    """Zooms by ``zoom(factor, at)`` until all that the wheel was turned is done; the first part at once."""

    def __init__(self, zoom: Callable[[float, QPointF], None], parent: QObject) -> None:
        super().__init__(parent)
        self._zoom = zoom
        self._left = 0.0
        self._at = QPointF()
        self._frames = QTimer(self)
        self._frames.setInterval(_FRAME_MS)
        self._frames.timeout.connect(self._step)

    @staticmethod
    def factor(rotation: float) -> float:
        """Return by what factor a rotation of the wheel zooms in the end."""
        return float(_WHEEL_BASE**rotation)

    def turn(self, rotation: float, at: QPointF) -> None:
        """Zoom further, about a place in widget coordinates; turning back begins anew from what is seen."""
        further = math.log(self.factor(rotation))
        self._left = further if self._left * further < 0 else self._left + further
        self._at = at
        if not self._frames.isActive():
            self._frames.start()
            self._step()

    def stop(self) -> None:
        """Zoom no further."""
        self._left = 0.0
        self._frames.stop()

    def _step(self) -> None:
        part = self._left * _SHARE if abs(self._left) > _LAST else self._left
        self._left -= part
        self._zoom(math.exp(part), self._at)
        if not self._left:
            self._frames.stop()
