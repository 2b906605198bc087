"""Depots on the map: candidates, the depots among them, and how far each node is from the nearest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront_gui.map.camera import Camera
from wayfront_gui.map.found import last_coloured
from wayfront_gui.map.geometry import read_only
from wayfront_gui.map.legend import Legend, NodeColours, measured
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.raster import colour_reached
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.results.nearest import Depots
    from wayfront_gui.features.depots.state import DepotsFound


def depot_colours(found: DepotsFound, depots: Depots) -> NodeColours:
    """Return the colours of a choice of depots."""
    nearest = read_only(found.nearest(depots))
    last = last_coloured(nearest, nearest >= 0)
    first_step, colour = np.empty(len(nearest), np.uint32), np.empty(len(nearest), np.uint8)
    colour_reached(nearest, last, first_step, colour)
    from_depots = "{distance} from the depot" if len(depots.nodes) == 1 else "{distance} from the nearest depot"
    title = translated(from_depots, distance=measured(found.metric))
    legend = Legend.to_last(title, found.metric, last)
    return NodeColours(read_only(first_step), read_only(colour), np.zeros(0, np.int32), legend)


CANDIDATE, DEPOT = 4.5, 9.0
"""Half the side of a candidate's square, and of a depot's house, in logical pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class DepotMarks(Layer):
    """The nodes where a depot could be; ``depots``: those of them where one is to be.

    ``colours`` of how far the nearest depot is are drawn on all roads in place of a search; None while none is known.
    """

    candidates: tuple[int, ...] = ()
    depots: tuple[int, ...] = ()
    colours: NodeColours | None = None

    NAME: ClassVar[str] = "depots"
    ORDER: ClassVar[int] = 40
    PRECEDENCE: ClassVar[int] = 50

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of the distances from the nearest depot."""
        return self.colours

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint a square for every candidate and a house for every depot."""
        colours = scene.style.colours
        casing, ink, chosen = translucent(colours.casing, 215), QColor(colours.ink), QColor(colours.target)
        for node in sorted(self.candidates, key=lambda node: node in self.depots):
            x, y = camera.to_pixels(*scene.place(node))
            if node not in self.depots:
                square = QRectF(x - CANDIDATE, y - CANDIDATE, 2 * CANDIDATE, 2 * CANDIDATE)
                painter.setPen(QPen(ink, 1.5))
                painter.setBrush(casing)
                painter.drawRect(square)
                continue
            outline = ((-1.0, 0.9), (-1.0, -0.15), (0.0, -1.1), (1.0, -0.15), (1.0, 0.9))
            house = QPolygonF([QPointF(x + DEPOT * across, y + DEPOT * down) for across, down in outline])
            painter.setPen(QPen(casing, 2.5))
            painter.setBrush(chosen)
            painter.drawPolygon(house)
            painter.fillRect(QRectF(x - 2.2, y + 1.0, 4.4, DEPOT * 0.9 - 1.0), casing)
