"""Where the arcs of a small graph run on the screen, from disc to disc, and where their heads are."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainterPath, QPolygonF

from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.small_graph.courses import curve
from wayfront_gui.scene.small_graph.graph import SmallGraph

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
