"""On the map: the place of a step of directions, and how a route comes back to a node."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QPolygonF

from wayfront.results.route import Route as Way
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.overlay import path_in_pixels
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.session.routes import returns_of

RADIUS = 11.0
APART = 70.0
"""About how far arrows are apart along a loop, in logical pixels."""
LONG, WIDE = 9.0, 5.5
"""Length of an arrow, and half its breadth."""
SHORTEST_LOOP = 60.0
"""A loop that is shorter on the screen has neither arrows nor numbers."""
BEFORE, DISC, TEXT_PIXELS = 22.0, 7.5, 11
"""How far before the node the numbers of its passes are, their size, and that of their text."""


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


@dataclass(frozen=True, slots=True, eq=False)
class ReturnMarks(Layer):
    """Arrows along the loops by which a route comes back to nodes, and numbers before each pass.

    loops   int32 each: points of the map from the road by which a node is passed first, to the one by which it is last
    to_and_fro  of each, bool: pieces along which it also leads back
    passes  of each: the indices of the node's first and last pass among its points
    """

    loops: tuple[NDArray[np.int32], ...]
    to_and_fro: tuple[NDArray[np.bool_], ...]
    passes: tuple[tuple[int, int], ...]

    NAME: ClassVar[str] = "returns"
    ORDER: ClassVar[int] = 44

    @property
    def of_search(self) -> bool:
        """Films show the route that it belongs to."""
        return True

    @classmethod
    def of(cls, scene: Scene, ways: list[Way]) -> ReturnMarks | None:
        """Return the loops of routes on a map, None for none."""
        loops, passes = [], []
        for way in ways:
            for loop in returns_of(way):
                begin, end = _road_before(way, loop.first), _road_after(way, loop.last)
                parts = [
                    scene.points_along(way.nodes[one : other + 1], way.arcs[one:other])
                    for one, other in ((begin, loop.first), (loop.first, loop.last), (loop.last, end))
                ]
                loops.append(np.concatenate([parts[0], parts[1][1:], parts[2][1:]]))
                passes.append((len(parts[0]) - 1, len(parts[0]) + len(parts[1]) - 2))
        return cls(tuple(loops), tuple(map(scene.to_and_fro, loops)), tuple(passes)) if loops else None

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint arrows and numbers, where roads are drawn."""
        if scene.diagram is not None or not scene.route_found:
            return
        for loop, to_and_fro, passes in zip(self.loops, self.to_and_fro, self.passes, strict=True):
            points = np.stack(path_in_pixels(scene, camera, loop, to_and_fro), axis=1)
            walked = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
            if walked[passes[1]] - walked[passes[0]] < SHORTEST_LOOP:
                continue
            _paint_arrows(painter, scene, points, walked, passes)
            for number, place in enumerate(passes, 1):
                back = min(BEFORE, (walked[place] - walked[0 if number == 1 else passes[0]]) / 2)
                _paint_number(painter, scene, _at(points, walked, walked[place] - back), number)


def layer_of_route(scene: Scene, way: Way) -> ReturnMarks | None:
    """Return how the route of a search comes back to nodes, None where it does not."""
    return ReturnMarks.of(scene, [way])


def _road_before(way: Way, place: int) -> int:
    """Return the place among a route's nodes where the road begins by which it arrives."""
    weights, begin = way.metric.weights, place - 1
    while begin > 0 and weights[way.arcs[begin]] == 0:
        begin -= 1
    return begin


def _road_after(way: Way, place: int) -> int:
    """Return the place among a route's nodes where the road ends by which it leaves."""
    weights, end = way.metric.weights, place + 1
    while end < len(way.nodes) - 1 and weights[way.arcs[end - 1]] == 0:
        end += 1
    return end


def _at(points: NDArray[np.float64], walked: NDArray[np.float64], along: float) -> QPointF:
    return QPointF(*(float(np.interp(along, walked, axis)) for axis in points.T))


def _paint_arrows(
    painter: QPainter,
    scene: Scene,
    points: NDArray[np.float64],
    walked: NDArray[np.float64],
    passes: tuple[int, int],
) -> None:
    """Paint arrows along a loop: one for every ``APART`` pixels between its passes, and one behind the last."""
    colours = scene.style.colours
    first, last = walked[passes[0]], walked[passes[1]]
    count = max(round((last - first) / APART), 2)
    # Not symmetric: on a road to and fro they would stand side by side.
    for along in (*(first + (np.arange(count) + 0.3) * (last - first) / count), last + BEFORE):
        if along + LONG / 2 > walked[-1]:
            continue
        tip, back = _at(points, walked, along + LONG / 2), _at(points, walked, along - LONG / 2)
        way = tip - back
        length = max(float(np.hypot(way.x(), way.y())), 1e-9)
        side = QPointF(-way.y(), way.x()) * (WIDE / length)
        painter.setPen(QPen(translucent(colours.casing, 230), 1.5))
        painter.setBrush(translucent(colours.route))
        painter.drawPolygon(QPolygonF([tip, back + side, back + way * 0.3, back - side]))


def _paint_number(painter: QPainter, scene: Scene, at: QPointF, number: int) -> None:
    colours, font = scene.style.colours, QFont()
    font.setPixelSize(TEXT_PIXELS)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QPen(translucent(colours.casing, 230), 1.5))
    painter.setBrush(translucent(colours.route))
    painter.drawEllipse(at, DISC, DISC)
    painter.setPen(translucent(colours.casing))
    disc = QRectF(at.x() - DISC, at.y() - DISC, 2 * DISC, 2 * DISC)
    painter.drawText(disc, int(Qt.AlignmentFlag.AlignCenter), str(number))
