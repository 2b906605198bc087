"""Signs of forbidden turns on the map: as they stand at roads, turned into the direction of those who arrive.

They fade in where streets are far apart enough for them, lie beside the road that one arrives on, and one that would
cover another is left out: nearer to the map there is room for it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from wayfront.network.forbidden_turns import ForbiddenTurns, TurnRule, forbidden_turns
from wayfront_gui.features.turns.words import Way, way_between
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import MapGeometry
from wayfront_gui.map.painting import round_pen, translucent
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.style import Style

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

FROM, FULL = 0.30, 0.55
"""Logical pixels in a metre from which signs are seen, and from which they are seen whole."""
SMALL, LARGE, LARGE_FROM = 7.5, 11.5, 1.6
"""Radius of signs in logical pixels where they appear, and from so many pixels in a metre on."""
BACK_BY, BESIDE, APART = 2.0, 1.35, 2.15
"""How far from the node the first sign of a road stands, how far beside the road, and how far signs of one road are
apart, in radii."""
LONGEST_M = 80.0
"""So much of a road tells where its sign stands."""
_ORDER = {TurnRule.NO: 0, TurnRule.ONLY: 0, TurnRule.NO_U_TURN: 1, TurnRule.BARRIER: 2}
"""Of signs that would cover each other, the first is seen."""
RED, BLUE, WHITE, BLACK = "#c8102e", "#1c5fb8", "#ffffff", "#14181f"
"""The colours of signs, in every theme: those of the road."""

Float64Array = NDArray[np.float64]


class Placed(NamedTuple):
    """A sign in a camera's pixels: its row, middle, and by how many degrees it is turned to the right."""

    row: int
    x: float
    y: float
    turned: float


@dataclass(frozen=True, slots=True, eq=False)
class TurnSigns(Layer):
    """The signs of a network.

    rules  what each is, ``TurnRule``; ``ways`` where it points
    at     float64 [k, 2]: places of their nodes on the plane, in metres
    roads  of each float64 [p, 2]: where the road comes from, from the node backward
    rank   which sign of its road each is, from 0
    """

    rules: tuple[TurnRule, ...]
    ways: tuple[Way, ...]
    at: Float64Array
    roads: tuple[Float64Array, ...]
    rank: tuple[int, ...]

    NAME: ClassVar[str] = "turn signs"
    ORDER: ClassVar[int] = 28

    @classmethod
    def of(cls, network: RoadNetwork) -> TurnSigns | None:
        """Return the signs of a network with coordinates, None where nothing is forbidden."""
        turns = forbidden_turns(network)
        return cls.of_rows(network, turns) if len(turns) else None

    @classmethod
    def of_rows(cls, network: RoadNetwork, turns: ForbiddenTurns) -> TurnSigns:
        """Return the signs of some rows."""
        geometry, tails = MapGeometry.of(network), network.tails()
        x, y = (points.astype(np.float64) for points in (geometry.x, geometry.y))
        roads, rank = [], []
        counts: dict[tuple[int, int], int] = {}
        for arc, via in zip(turns.arriving.tolist(), turns.via.tolist(), strict=True):
            ends = np.array([tails[arc], network.targets[arc]], np.int32)
            points = ends if geometry.chains is None else geometry.chains.path(ends, np.array([arc]))
            roads.append(_beginning(np.stack([x[points], y[points]], axis=1)[::-1]))
            place = int(tails[arc]), via
            rank.append(counts.get(place, 0))
            counts[place] = rank[-1] + 1
        ways = tuple(
            Way.BACK if rule == TurnRule.NO_U_TURN else way_between(network, arriving, leaving)
            for rule, arriving, leaving in zip(turns.rule, turns.arriving.tolist(), turns.leaving.tolist(), strict=True)
        )
        at = np.stack([x[turns.via], y[turns.via]], axis=1)
        return cls(tuple(map(TurnRule, turns.rule.tolist())), ways, at, tuple(roads), tuple(rank))

    @property
    def of_search(self) -> bool:
        """The search keeps to them."""
        return True

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the signs that are seen, where roads are drawn."""
        if scene.diagram is not None or not scene.wanted.signs:
            return
        strength = strength_of(camera)
        if strength <= 0:
            return
        painter.save()
        painter.setOpacity(painter.opacity() * strength)
        paint_signs(painter, self, scene.style, camera)
        painter.restore()

    def sign_at(self, camera: Camera, x: float, y: float) -> int:
        """Return the sign at a place in a camera's logical pixels, −1 for none."""
        return sign_near(self, camera, x, y) if strength_of(camera) > 0 else -1


def layer_of_network(network: RoadNetwork) -> TurnSigns | None:
    """Return the signs of a network, None where nothing is forbidden."""
    return network.derive("turn signs", lambda: TurnSigns.of(network))


def _beginning(points: Float64Array) -> Float64Array:
    """Return the first metres of a line, at least two points."""
    walked = np.cumsum(np.hypot(*np.diff(points, axis=0).T))
    return points[: int(np.searchsorted(walked, LONGEST_M)) + 2]


def strength_of(camera: Camera) -> float:
    """Return how opaque signs are, 0 … 1; ``camera`` is in logical pixels."""
    return min(max((camera.scale - FROM) / (FULL - FROM), 0.0), 1.0)


def radius_of(camera: Camera) -> float:
    """Return the radius of signs in logical pixels."""
    share = (camera.scale - FROM) / (LARGE_FROM - FROM)
    return SMALL + (LARGE - SMALL) * min(max(share, 0.0), 1.0)


def sign_near(signs: TurnSigns, camera: Camera, x: float, y: float) -> int:
    """Return the sign at a place in a camera's logical pixels, −1 for none, however strong signs are."""
    near = [(math.hypot(sign.x - x, sign.y - y), sign.row) for sign in placed(signs, camera)]
    distance, row = min(near, default=(math.inf, -1))
    return row if distance <= radius_of(camera) + 2.0 else -1


@lru_cache(maxsize=8)
def placed(signs: TurnSigns, camera: Camera) -> tuple[Placed, ...]:
    """Return the signs that a camera sees, none over another; ``camera`` is in logical pixels."""
    radius = radius_of(camera)
    x, y = camera.to_pixels(signs.at[:, 0], signs.at[:, 1])
    room = 8 * radius
    seen = np.flatnonzero((x > -room) & (x < camera.width + room) & (y > -room) & (y < camera.height + room))
    found: list[Placed] = []
    cells: dict[tuple[int, int], list[Placed]] = {}
    for row in sorted(seen.tolist(), key=lambda row: (_ORDER[signs.rules[row]], row)):
        sign = _placed(signs, row, camera, radius)
        column, line = int(sign.x // (2 * radius)), int(sign.y // (2 * radius))
        near = [each for i in (-1, 0, 1) for j in (-1, 0, 1) for each in cells.get((column + i, line + j), ())]
        if all(math.hypot(each.x - sign.x, each.y - sign.y) >= 1.8 * radius for each in near):
            cells.setdefault((column, line), []).append(sign)
            found.append(sign)
    return tuple(found)


def _placed(signs: TurnSigns, row: int, camera: Camera, radius: float) -> Placed:
    """Return where a sign stands: before its node, to the right of the road that leads there."""
    points = np.stack(camera.to_pixels(*signs.roads[row].T), axis=1)
    back = radius * (BACK_BY + APART * signs.rank[row])
    walked = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])
    from_x, from_y = (float(np.interp(min(back, walked[-1]), walked, axis)) for axis in points.T)
    x, y = points[0].tolist()
    length = math.hypot(x - from_x, y - from_y) or 1.0
    along, down = (x - from_x) / length, (y - from_y) / length
    if signs.rules[row] is TurnRule.BARRIER:
        return Placed(row, x, y, 0.0)
    at_x, at_y = x - along * back - down * radius * BESIDE, y - down * back + along * radius * BESIDE
    return Placed(row, at_x, at_y, math.degrees(math.atan2(along, -down)))


# ------------------------------------------------------------------------------------------------------------- drawing


def paint_signs(painter: QPainter, signs: TurnSigns, style: Style, camera: Camera, closed: str = "") -> None:
    """Paint the signs that a camera sees, those ``closed`` by hand in that colour."""
    scale = radius_of(camera) / 10.0
    for sign in placed(signs, camera):
        painter.save()
        painter.translate(sign.x, sign.y)
        painter.scale(scale, scale)
        painter.rotate(sign.turned)
        paint_sign(painter, signs.rules[sign.row], signs.ways[sign.row], style, closed)
        painter.restore()


_TURNED = {Way.LEFT: -90.0, Way.RIGHT: 90.0, Way.STRAIGHT: 0.0}


def paint_sign(painter: QPainter, rule: TurnRule, way: Way, style: Style, closed: str = "") -> None:
    """Paint a sign of radius 10 round the origin; one ``closed`` by hand in that colour."""
    painter.setPen(QPen(translucent(style.colours.casing, 230), 2.4))
    disc, rim = (BLUE, WHITE) if rule is TurnRule.ONLY else (closed or WHITE, WHITE if closed else RED)
    painter.setBrush(QColor(disc))
    painter.drawEllipse(QPointF(), 10.0, 10.0)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if rule is TurnRule.ONLY:
        painter.setPen(QPen(QColor(rim), 1.0))
        painter.drawEllipse(QPointF(), 9.1, 9.1)
        _paint_arrow(painter, way, QColor(WHITE))
        return
    if rule is TurnRule.BARRIER:
        painter.setBrush(QColor(rim))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawEllipse(QPointF(), 9.4, 9.4)
        painter.setBrush(QColor(WHITE))
        painter.drawRoundedRect(QRectF(-6.2, -1.9, 12.4, 3.8), 0.8, 0.8)
        return
    painter.setPen(QPen(QColor(rim), 1.4 if closed else 2.0))
    painter.drawEllipse(QPointF(), 8.6, 8.6)
    _paint_arrow(painter, way, QColor(WHITE if closed else BLACK))
    painter.setPen(QPen(QColor(BLACK if closed else rim), 1.9))
    side = -1.0 if way in (Way.LEFT, Way.BACK) else 1.0  # not over the arrow's head
    painter.drawLine(QLineF(-6.0 * side, -6.0, 6.0 * side, 6.0))


def _paint_arrow(painter: QPainter, way: Way, ink: QColor) -> None:
    """Paint the arrow of a sign, which comes from below."""
    painter.setPen(round_pen(ink, 2.0))
    line = QPainterPath()
    if way is Way.BACK:
        line.moveTo(2.7, 5.2)
        line.lineTo(2.7, -1.6)
        line.arcTo(QRectF(-2.7, -4.3, 5.4, 5.4), 0, 180)
        line.lineTo(-2.7, 1.0)
        tip, turned = QPointF(-2.7, 4.6), 180.0
    elif way is Way.STRAIGHT:
        line.moveTo(0, 5.4)
        line.lineTo(0, -2.0)
        tip, turned = QPointF(0, -5.8), 0.0
    else:
        side = -1.0 if way is Way.LEFT else 1.0
        line.moveTo(-1.6 * side, 5.2)
        line.lineTo(-1.6 * side, -0.2)
        line.quadTo(-1.6 * side, -1.8, 0.0, -1.8)
        line.lineTo(1.4 * side, -1.8)
        tip, turned = QPointF(5.2 * side, -1.8), _TURNED[way]
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(line)
    painter.save()
    painter.translate(tip)
    painter.rotate(turned)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(QPolygonF([QPointF(0, -0.4), QPointF(3.2, 4.0), QPointF(-3.2, 4.0)]))
    painter.restore()
