"""Access on the map: the streets coloured by what every node reaches, and the points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import read_only
from wayfront_gui.map.legend import Legend, NodeColours
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.raster import NEVER, colour_by_value
from wayfront_gui.map.scene import Layer, Scene

if TYPE_CHECKING:
    from wayfront_gui.features.access.state import AccessFound

LAST_PERCENTILE = 99.0
_SAMPLED = 20_000
FEW, SMALL, LARGE = 200, 3.5, 8.0
"""Up to so many points are large discs; the diameters of small and large ones, in logical pixels."""


def last_value(found: AccessFound) -> float:
    """Return the value from which on nodes have the last colour: of counts the most, of distances nearly all."""
    some = found.values[:: max(len(found.values) // _SAMPLED, 1)]
    some = some[np.isfinite(some)]
    if found.counts:
        return max(float(found.values.max(initial=0)), 1.0)
    return max(float(np.percentile(some, LAST_PERCENTILE)) if len(some) else 0.0, found.metric.scale)


def access_colours(found: AccessFound, last: float) -> NodeColours:
    """Return the colours of what was found; ``last`` has the last one."""
    values = found.values
    if values.dtype.kind == "f":
        known = np.isfinite(values) & (values > 0) if found.counts else np.isfinite(values)
        values = np.where(known, values, 0.0)
    else:
        known = values > 0
    first_step, colour = np.where(known, np.uint32(0), np.uint32(NEVER)), np.empty(len(values), np.uint8)
    colour_by_value(read_only(values), first_step, last, colour)
    return NodeColours(read_only(first_step), read_only(colour), np.zeros(0, np.int32), _legend(found, last))


def _legend(found: AccessFound, last: float) -> Legend:
    if not found.counts:
        return Legend.to_last(found.title, found.metric, round(last / found.metric.scale))
    power = 10.0 ** math.floor(math.log10(last / 4)) if last >= 4 else 1.0
    step = next(power * factor for factor in (1, 2, 5, 10) if last / (power * factor) <= 5)
    ticks = tuple((n * step / last, f"{n * step:,.4g}") for n in range(int(last / step * 0.85) + 1))
    return Legend(found.title, "0", "", f"{last:,.4g}", "", ticks)


@dataclass(frozen=True, slots=True, eq=False)
class AccessMarks(Layer):
    """The points, and the colours of what was found, None until then; ``held`` is the index of one that is moved."""

    nodes: tuple[int, ...] = ()
    held: int | None = None
    colours: NodeColours | None = None

    NAME: ClassVar[str] = "access"
    ORDER: ClassVar[int] = 42
    PRECEDENCE: ClassVar[int] = 60

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of what every node reaches."""
        return self.colours

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint a disc for every point, that which is moved larger."""
        geometry = scene.geometry
        if geometry is None or not self.nodes:
            return
        colours = scene.style.colours
        chosen = list(self.nodes)
        x, y = camera.to_pixels(geometry.x[chosen], geometry.y[chosen])
        discs = QPolygonF([QPointF(*at) for at in zip(x.tolist(), y.tolist(), strict=True)])
        size = LARGE if len(chosen) <= FEW else SMALL
        cap = Qt.PenCapStyle.RoundCap
        for colour, width in ((translucent(colours.casing, 230), size + 2.5), (QColor(colours.ink), size)):
            painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, cap))
            painter.drawPoints(discs)
        if self.held is not None and self.held < len(chosen):
            at = QPointF(float(x[self.held]), float(y[self.held]))
            for colour, width in ((translucent(colours.casing, 230), 20.0), (QColor(colours.target), 15.0)):
                painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, cap))
                painter.drawPoint(at)
