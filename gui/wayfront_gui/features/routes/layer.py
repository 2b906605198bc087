"""The place of a step of directions on the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPen

from wayfront_gui.map.camera import Camera
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.scene import Layer, Scene

RADIUS = 11.0


@dataclass(frozen=True, slots=True)
class StepMark(Layer):
    """A ring round the node at which a step of directions begins."""

    node: int

    NAME: ClassVar[str] = "step of directions"
    ORDER: ClassVar[int] = 45

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the ring."""
        x, y = camera.to_pixels(*scene.place(self.node))
        colours = scene.style.colours
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, width in ((translucent(colours.casing, 220), 5.5), (translucent(colours.route), 2.5)):
            painter.setPen(QPen(colour, width))
            painter.drawEllipse(int(x - RADIUS), int(y - RADIUS), int(2 * RADIUS), int(2 * RADIUS))
