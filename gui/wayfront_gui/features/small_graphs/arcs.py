"""Painting the arcs of a small graph, each as what it is in the step that is shown, and their weights."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from wayfront.trace.step_views import NO_ARC
from wayfront_gui.features.closures.layer import ClosedRoads
from wayfront_gui.features.small_graphs.graph import Placing, SmallGraph, curve
from wayfront_gui.features.small_graphs.moment import Moment
from wayfront_gui.features.small_graphs.nodes import Inks, font_of, of_distance
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.scene import Scene
from wayfront_gui.ui.style import mixed

Kinds = NDArray[np.int8]


class ArcKind(IntEnum):
    """What an arc is; where several are true, the last of them is shown."""

    PLAIN = 0
    TRIED = 1
    TREE = 2
    IMPROVING = 3
    ROUTE = 4
    POINTED = 5
    CLOSED = 6


WIDTHS = {
    ArcKind.PLAIN: 1.3,
    ArcKind.TRIED: 1.8,
    ArcKind.TREE: 2.8,
    ArcKind.IMPROVING: 3.4,
    ArcKind.ROUTE: 3.8,
    ArcKind.POINTED: 3.8,
    ArcKind.CLOSED: 1.6,
}
DASHES = {ArcKind.TRIED: [3.2, 2.6], ArcKind.CLOSED: [1.0, 2.4]}
"""Strokes and gaps, in widths of the line, of arcs that lead to nothing."""
_CROSS = 5.0
_ROLES = {"critical": ArcKind.POINTED, "closed": ArcKind.CLOSED, "pointed": ArcKind.POINTED}
"""What arcs of closed roads are, by the roads' role."""


def kinds_of(scene: Scene, graph: SmallGraph, moment: Moment) -> Kinds:
    """Return what each arc of the network is, int8 [m]."""
    kinds = np.zeros(graph.network.arc_count, np.int8)
    kinds[moment.tried] = ArcKind.TRIED
    kinds[moment.parents[moment.parents != NO_ARC]] = ArcKind.TREE
    kinds[moment.improving] = ArcKind.IMPROVING
    for route in (scene.markers.route, *scene.markers.further) if scene.route_found else ():
        kinds[_arcs_along(graph, route)] = ArcKind.ROUTE
    for role, kind in _ROLES.items():
        roads = scene.layers.get(role)
        if isinstance(roads, ClosedRoads):
            kinds[roads.arcs] = kind
    return kinds


def _arcs_along(graph: SmallGraph, route: NDArray[np.int32]) -> list[int]:
    """Return the lightest arcs that lead from node to node of a route."""
    offsets, targets, weights = graph.network.offsets, graph.network.targets, graph.metric.weights
    found = []
    for tail, head in itertools.pairwise(route.tolist()):
        arcs = np.arange(offsets[tail], offsets[tail + 1])
        leading = arcs[targets[arcs] == head]
        if len(leading):
            found.append(int(leading[weights[leading].argmin()]))
    return found


@dataclass(frozen=True, slots=True, eq=False)
class ArcPainter:
    """Paints the arcs of one picture; ``places`` float64 [n, 2] are those of nodes, ``rows`` [n] of the colour map."""

    scene: Scene
    graph: SmallGraph
    places: NDArray[np.float64]
    shapes: ArcShapes
    placing: Placing
    kinds: Kinds
    rows: NDArray[np.uint8]
    inks: Inks
    thickness: float

    def paint_lines(self, painter: QPainter) -> None:
        """Paint all arcs, those that matter most last."""
        courses = self.graph.courses
        forward = self.kinds[courses.arc]
        backward = np.where(courses.back >= 0, self.kinds[courses.back], ArcKind.PLAIN)
        strongest = np.maximum(forward, backward)
        for kind in ArcKind:
            chosen = np.flatnonzero(strongest == kind).tolist()
            if kind is ArcKind.TREE:  # each has a colour of its own
                for course in chosen:
                    self._paint_courses(painter, [course], kind)
            elif chosen:
                self._paint_courses(painter, chosen, kind)
        self._paint_loops(painter)

    def _paint_courses(self, painter: QPainter, chosen: list[int], kind: ArcKind) -> None:
        """Paint courses of one kind and one colour: all their lines, then their heads."""
        colour, width = self.colour(kind, chosen[0]), WIDTHS[kind] * self.thickness
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # One by one: Qt takes far longer for one path of all of them, which cross each other.
        heads = [self._heads(course, kind) for course in chosen]
        lines = [
            self.shapes.line(course, head=forward >= 0, back_head=back >= 0)
            for course, (forward, back) in zip(chosen, heads, strict=True)
        ]
        if kind >= ArcKind.TREE:
            painter.setPen(_pen(self.inks.page, width + 3.0))
            for line in lines:
                painter.drawPath(line)
        painter.setPen(_pen(colour, width, DASHES.get(kind)))
        for line in lines:
            painter.drawPath(line)
        painter.setPen(Qt.PenStyle.NoPen)
        for course, arcs in zip(chosen, heads, strict=True):
            self._paint_heads(painter, course, arcs, kind, colour)
            if kind is ArcKind.CLOSED:
                self._paint_cross(painter, self.shapes.point(course, 0.3))

    def _heads(self, course: int, kind: ArcKind) -> tuple[int, int]:
        """Return the arcs of a course, there and back, that have a head; -1 for one that has none.

        Where both ways are alike it is drawn without heads, as undirected graphs are; where they differ, each that
        matters has a head of its own, and beside a closed one the open one too.
        """
        arc, back = int(self.graph.courses.arc[course]), int(self.graph.courses.back[course])
        if back < 0 or (kind is ArcKind.CLOSED and self.kinds[arc] != self.kinds[back]):
            return arc, back
        if self.kinds[arc] == self.kinds[back]:
            return -1, -1
        return tuple(each if self.kinds[each] != ArcKind.PLAIN else -1 for each in (arc, back))  # type: ignore[return-value]

    def _paint_heads(
        self, painter: QPainter, course: int, arcs: tuple[int, int], kind: ArcKind, colour: QColor
    ) -> None:
        """Paint the heads of a course: those of arcs of its kind, and that of an arc that is only drawn with it."""
        for arc, backwards in ((arcs[0], False), (arcs[1], True)):
            if arc >= 0:
                its = ArcKind(int(self.kinds[arc]))
                own = its is kind
                larger = (1.25 if own and kind is not ArcKind.PLAIN else 1.0) * (0.6 + 0.4 * self.thickness)
                painter.setBrush(colour if own else self.colour(its, course))
                painter.drawPolygon(
                    self.shapes.head(course, self.placing.sizes.radius, backwards=backwards, larger=larger)
                )

    def colour(self, kind: ArcKind, course: int) -> QColor:
        """Return the colour of a course that is of a kind; the tree's have that of the node to which they lead."""
        if kind is ArcKind.TREE:
            courses = self.graph.courses
            leads_back = int(courses.back[course]) >= 0 and self.kinds[courses.back[course]] == ArcKind.TREE
            ends = (courses.tail if leads_back else courses.head)[course]
            return of_distance(self.scene.style, int(self.rows[ends]))
        inks = self.inks
        return {
            ArcKind.PLAIN: inks.line,
            ArcKind.TRIED: inks.step,
            ArcKind.IMPROVING: inks.step,
            ArcKind.ROUTE: inks.route,
            ArcKind.POINTED: inks.ink,
            ArcKind.CLOSED: inks.closed,
        }[kind]

    def _paint_cross(self, painter: QPainter, at: QPointF) -> None:
        for colour, width in ((self.inks.page, 5.0), (self.inks.closed, 2.4)):
            painter.setPen(_pen(colour, width))
            for side in (1, -1):
                painter.drawLine(at + QPointF(-_CROSS, -side * _CROSS), at + QPointF(_CROSS, side * _CROSS))

    def _paint_loops(self, painter: QPainter) -> None:
        """Paint arcs that lead from a node to itself, which no search takes, as small loops above it."""
        radius = self.placing.sizes.radius
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(_pen(self.inks.line, WIDTHS[ArcKind.PLAIN] * self.thickness))
        for arc in self.graph.courses.loops.tolist():
            node = int(self.graph.network.targets[arc])
            painter.drawPath(loop_path(QPointF(*self.places[node].tolist()), radius))

    # --------------------------------------------------------------------------------------------- weights

    def paint_weights(self, painter: QPainter) -> None:
        """Paint the weights, each on its own arc."""
        pixels = self.placing.sizes.weight
        if not pixels:
            return
        plain, strong = font_of(pixels), font_of(pixels, bold=True)
        courses = self.graph.courses
        paper = translucent(self.inks.page, 236)
        for course in np.flatnonzero(self.placing.weights >= 0).tolist():
            at = self.shapes.point(course, float(self.placing.weights[course]))
            width, height = self.placing.boxes[course].tolist()
            box = QRectF(at.x() - width / 2, at.y() - height / 2, width, height)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(paper)
            painter.drawRoundedRect(box.adjusted(0.5, 0, -0.5, 0), 4, 4)
            back = int(courses.back[course])
            kind = max(int(self.kinds[courses.arc[course]]), int(self.kinds[back]) if back >= 0 else 0)
            painter.setFont(strong if kind >= ArcKind.TREE else plain)
            painter.setPen(self._weight_ink(ArcKind(kind)))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self.graph.weights[int(courses.arc[course])])

    def _weight_ink(self, kind: ArcKind) -> QColor:
        if kind in (ArcKind.TRIED, ArcKind.IMPROVING):
            return mixed(self.inks.step, self.inks.ink, 0.25)
        return self.inks.dim if kind in (ArcKind.PLAIN, ArcKind.CLOSED) else self.inks.ink


def loop_path(at: QPointF, radius: float) -> QPainterPath:
    """Return a loop above a disc."""
    path = QPainterPath(at + QPointF(-0.5 * radius, -0.9 * radius))
    path.cubicTo(
        at + QPointF(-1.1 * radius, -2.6 * radius),
        at + QPointF(1.1 * radius, -2.6 * radius),
        at + QPointF(0.5 * radius, -0.9 * radius),
    )
    return path


def _pen(colour: QColor, width: float, dashes: list[float] | None = None) -> QPen:
    pen = QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin)
    if dashes is not None:
        pen.setDashPattern(dashes)
    return pen


Float64Array = NDArray[np.float64]

GAP = 2.0
"""Pixels between a disc and the head of an arc."""
HEAD_LONG, HEAD_WIDE = 0.62, 0.46
"""Length and width of an arrowhead, as shares of a disc's radius …"""
LEAST_HEAD = 5.5
"""… but at least so long, in pixels."""
_SHARES = np.linspace(0.0, 1.0, 65)


@dataclass(frozen=True, slots=True, eq=False)
class ArcShapes:
    """The courses of a small graph in a camera's pixels.

    begin, control, end  float64 [k, 2] each of the whole parabola
    first, last          float64 [k]: shares of its way between which it is outside of its nodes' discs
    first_neck, last_neck  likewise, without the arrowheads that it may have at these ends
    """

    begin: Float64Array
    control: Float64Array
    end: Float64Array
    first: Float64Array
    last: Float64Array
    first_neck: Float64Array
    last_neck: Float64Array
    _lines: dict[tuple[int, bool, bool], QPainterPath] = field(default_factory=dict)
    _heads: dict[tuple[int, bool, float], QPolygonF] = field(default_factory=dict)

    @classmethod
    @lru_cache(maxsize=16)  # of a picture that stays, as while a search is replayed
    def of(cls, graph: SmallGraph, camera: Camera, radius: float) -> ArcShapes:
        """Return the shapes of a graph whose discs have a radius in the camera's pixels."""
        courses = graph.courses
        places = np.stack(camera.to_pixels(graph.x, graph.y), axis=1)
        control = np.stack(camera.to_pixels(courses.control_x, courses.control_y), axis=1)
        begin, end = places[courses.tail], places[courses.head]
        px, py = curve(_columns(begin), _columns(control), _columns(end), _SHARES)
        head = max(HEAD_LONG * radius, LEAST_HEAD)
        from_begin = np.hypot(px - begin[:, :1], py - begin[:, 1:])
        from_end = np.hypot(px - end[:, :1], py - end[:, 1:])[:, ::-1]
        out, neck = radius + GAP, radius + GAP + 0.8 * head
        return cls(
            begin,
            control,
            end,
            _leaves(from_begin, out),
            1 - _leaves(from_end, out),
            _leaves(from_begin, neck),
            1 - _leaves(from_end, neck),
        )

    def __len__(self) -> int:
        return len(self.first)

    def line(self, course: int, *, head: bool, back_head: bool = False) -> QPainterPath:
        """Return a course from disc to disc, shortened where it has arrowheads: at its end, at its beginning."""
        path = self._lines.get((course, head, back_head))
        if path is None:
            low = float(self.first_neck[course] if back_head else self.first[course])
            high = float(self.last_neck[course] if head else self.last[course])
            path = self._lines[course, head, back_head] = QPainterPath()
            if low < high:
                path.moveTo(self._blossom(course, low, low))
                path.quadTo(self._blossom(course, low, high), self._blossom(course, high, high))
        return path

    def head(self, course: int, radius: float, *, backwards: bool, larger: float = 1.0) -> QPolygonF:
        """Return the arrowhead at the end of a course, or at its beginning, ``larger`` times as large as usual."""
        key = course, backwards, larger
        if key not in self._heads:
            self._heads[key] = self._make_head(course, radius, backwards, larger)
        return self._heads[key]

    def _make_head(self, course: int, radius: float, backwards: bool, larger: float) -> QPolygonF:
        tip = float(self.first[course] if backwards else self.last[course])
        neck = float(self.first_neck[course] if backwards else self.last_neck[course])
        at, base = self._blossom(course, tip, tip), self._blossom(course, neck, neck)
        away = np.hypot(at.x() - base.x(), at.y() - base.y())
        if away < 1e-6:
            return QPolygonF()
        along = QPointF((at.x() - base.x()) / away, (at.y() - base.y()) / away)
        long = larger * max(HEAD_LONG * radius, LEAST_HEAD)
        wide = long * HEAD_WIDE / HEAD_LONG
        back, across = at - along * long, QPointF(-along.y(), along.x()) * (wide / 2 * 1.15)
        return QPolygonF([at, back + across, back + along * (0.22 * long), back - across])

    def point(self, course: int, share: float) -> QPointF:
        """Return where a course is after a share of its way."""
        return self._blossom(course, share, share)

    def _blossom(self, course: int, s: float, t: float) -> QPointF:
        """Return the control point of the part of a course from ``s`` to ``t``, or the point where both are one."""
        begin, control, end = self.begin[course], self.control[course], self.end[course]
        x, y = (1 - s) * (1 - t) * begin + (s * (1 - t) + t * (1 - s)) * control + s * t * end
        return QPointF(float(x), float(y))


def _columns(points: Float64Array) -> tuple[Any, Any]:
    return points[:, 0], points[:, 1]


def _leaves(away: Float64Array, radius: float) -> Float64Array:
    """Return the share of its way at which each course is first ``radius`` away from where it began, at most a half."""
    outside = away >= radius
    at = np.where(outside.any(axis=1), outside.argmax(axis=1), away.shape[1] // 2)
    rows, before = np.arange(len(away)), np.maximum(at - 1, 0)
    low, high = away[rows, before], away[rows, at]
    part = np.clip((radius - low) / np.maximum(high - low, 1e-9), 0.0, 1.0)
    return np.minimum((before + part * (at - before)) / (away.shape[1] - 1), 0.5)
