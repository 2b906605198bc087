"""Closed roads on the map, at any zoom: crossed out; the one under a tool, and the most critical one; and detours.

A closed road is drawn as a line with crosses along it: at least one, and one more for every ``APART`` pixels. Where
many are close together, one cross stands for all in its cell. The detour view colours nodes in place of a search by
what closed roads cost them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from wayfront.network.arcs import joining_arcs
from wayfront_gui.features.closures.costs import CUT_OFF, Detour
from wayfront_gui.map.camera import Camera, shares_in_view
from wayfront_gui.map.found import last_coloured
from wayfront_gui.map.geometry import Extent, MapGeometry, read_only
from wayfront_gui.map.legend import Legend, NodeColours, measured
from wayfront_gui.map.painting import round_pen, translucent
from wayfront_gui.map.raster import NEVER, colour_by_value
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.style import CUT_OFF_ROW
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.results.result import Result
    from wayfront_gui.map.chains import Chains

ARM = 3.8
"""Half the side of a cross, in logical pixels."""
SHORTEST = 1.5
"""Shorter pieces of a road are under their cross."""
ARROW_AT, ARROW_LONG, ARROW_WIDE = 15.0, 6.5, 4.5
"""How far from a cross the arrow of its direction ends, and its size."""


Float64Array = NDArray[np.float64]
Role = Literal["critical", "closed", "pointed"]
_ORDERS = {"critical": 30, "closed": 31, "pointed": 32}

SURROUNDINGS = 300.0
"""Metres round a road that are shown with it, or more round a longer one."""


@dataclass(frozen=True, slots=True, eq=False)
class ClosedRoads(Layer):
    """The straight pieces of closed roads on a map's plane, in metres.

    A tool's and the most critical roads are others: ``role`` says which these are, and is their key.

    ends     float64 [k, 4]: x and y of where each piece begins and ends, in the direction that is closed
    begin    float64 [k]: how far along its road a piece begins
    whole    float64 [k]: length of its road
    one_way  bool [k]: whether the other direction of its road is open
    arcs     int64: the closed arcs
    """

    ends: Float64Array
    begin: Float64Array
    whole: Float64Array
    one_way: NDArray[np.bool_]
    arcs: NDArray[np.int64]
    role: Role = "closed"

    @classmethod
    def of(cls, network: RoadNetwork, arcs: NDArray[np.int64], role: Role = "closed") -> ClosedRoads | None:
        """Return the roads of closed arcs, None where there is nothing to draw. ``network`` has coordinates."""
        geometry = MapGeometry.of(network)
        if not len(arcs):
            return None
        points, counts, one_way = _courses(network, geometry, arcs)
        x, y = geometry.x[points].astype(np.float64), geometry.y[points].astype(np.float64)
        road = np.repeat(np.arange(len(counts)), counts)
        inside = road[1:] == road[:-1]
        ends = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)[inside]
        lengths = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1])
        road = road[1:][inside]
        whole = np.bincount(road, lengths, len(counts))
        first = np.concatenate([[0], np.cumsum(whole)[:-1]])
        begin = np.cumsum(lengths) - lengths - first[road]
        return cls(ends, np.maximum(begin, 0.0), whole[road], one_way[road], arcs, role) if len(ends) else None

    @property
    def key(self) -> str:
        """Its role."""
        return self.role

    @property
    def order(self) -> int:
        """After routes: the critical road, over it closed ones, and those under a tool on top."""
        return _ORDERS[self.role]

    @property
    def of_search(self) -> bool:
        """The search goes round closed roads."""
        return self.role == "closed"

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the roads as what they are, where no diagram shows them."""
        if scene.diagram is not None:
            return
        colours, seen = scene.style.colours, _marks(self, camera)
        if self.role == "critical":
            _paint_lines(painter, seen.lines, ((translucent(colours.casing, 215), 11.0), (QColor(colours.target), 7.0)))
        elif self.role == "closed":
            _paint_closed(painter, seen, colours.closed, colours.casing)
        else:
            _paint_lines(painter, seen.lines, ((translucent(colours.casing, 215), 6.5), (QColor(colours.ink), 3.0)))
            _paint_arrows(painter, seen.arrows, colours.ink, colours.casing)

    @property
    def extent(self) -> Extent:
        """What to show so that the roads are seen with their surroundings."""
        (left, bottom), (right, top) = (
            fit((fit(self.ends[:, :2], axis=0), fit(self.ends[:, 2:], axis=0)), axis=0) for fit in (np.min, np.max)
        )
        return Extent(left, bottom, right, top).grown(max(right - left, top - bottom, SURROUNDINGS))


def layer_of_result(result: Result) -> ClosedRoads | None:
    """Return the roads that a search did not take, None where all were open."""
    return ClosedRoads.of(result.network, result.closures)


def _courses(
    network: RoadNetwork, geometry: MapGeometry, arcs: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.bool_]]:
    """Return the points of every closed road one after the other, how many each has, and which are closed one way."""
    tails, heads = network.tails()[arcs], network.targets[arcs]
    chains = geometry.chains
    if chains is None:
        keys = np.minimum(tails, heads).astype(np.int64) * network.node_count + np.maximum(tails, heads)
    else:
        keys = chains.of_arc[arcs].astype(np.int64)
    _, first, road = np.unique(keys, return_index=True, return_inverse=True)
    both = np.zeros(len(first), bool)
    both[road[tails != tails[first][road]]] = True
    back, joined = joining_arcs(network, heads[first], tails[first])
    one_way = joined & ~both & (tails[first] != heads[first])
    if chains is None:
        straight = tails[first] != heads[first]
        points = np.stack([tails[first], heads[first]], axis=1)[straight].ravel()
        return points, np.full(int(straight.sum()), 2), one_way[straight]
    # Of parallel courses only that one counts whose arcs are closed.
    one_way &= np.isin(keys[first], chains.of_arc[back])
    drawn = keys[first] >= 0
    points, counts = _points_of_chains(chains, keys[first][drawn], tails[first][drawn])
    return points, counts, one_way[drawn]


def _points_of_chains(
    chains: Chains, chosen: NDArray[np.int64], tails: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the points of chains one after the other, each from the end ``tails`` on, and how many each has."""
    a, b, begin = chains.a[chosen], chains.b[chosen], chains.bends[chosen].astype(np.int64)
    counts = chains.bends[chosen + 1] - begin + 2
    chain = np.repeat(np.arange(len(chosen)), counts)
    at = np.arange(len(chain)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.where((a == tails)[chain], at, counts[chain] - 1 - at)
    inner = begin[chain] + at - 1
    return np.select([at == 0, at == counts[chain] - 1], [a[chain], b[chain]], inner).astype(np.int32), counts


APART = 72.0
"""Logical pixels between two crosses of one road, about."""
CELL = 13.0
"""Side of the square of logical pixels in which there is one cross at most."""
MARGIN = 12.0
"""How far beyond the view marks are still drawn, in logical pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """What is drawn of closed roads, in the camera's pixels.

    lines    float64 [k, 4]: pieces of roads inside the view
    crosses  float64 [c, 2]: middles of crosses
    arrows   float64 [a, 4]: middles and directions (of length 1) of the crosses of one closed direction
    """

    lines: Float64Array
    crosses: Float64Array
    arrows: Float64Array


def marks(roads: ClosedRoads, camera: Camera) -> Marks:
    """Return what to draw of closed roads in a camera's view; ``camera`` is in logical pixels."""
    x0, y0 = camera.to_pixels(roads.ends[:, 0], roads.ends[:, 1])
    x1, y1 = camera.to_pixels(roads.ends[:, 2], roads.ends[:, 3])
    first, last = shares_in_view(x0, y0, x1, y1, camera, MARGIN)
    seen = np.flatnonzero(first <= last)
    x0, y0, dx, dy, first, last = x0[seen], y0[seen], (x1 - x0)[seen], (y1 - y0)[seen], first[seen], last[seen]
    lines = np.stack([x0 + first * dx, y0 + first * dy, x0 + last * dx, y0 + last * dy], axis=1)
    piece, share = _crosses(roads, seen, first, last, camera.scale)
    at = np.stack([x0[piece] + share * dx[piece], y0[piece] + share * dy[piece]], axis=1)
    cells = np.floor(at / CELL).astype(np.int64)
    _, kept = np.unique(cells[:, 0] << 32 | (cells[:, 1] & 0xFFFFFFFF), return_index=True)
    at, piece = at[kept], piece[kept]
    length = np.maximum(np.hypot(dx, dy), 1e-9)[piece]
    along = np.stack([dx[piece] / length, dy[piece] / length], axis=1)
    directed = roads.one_way[seen][piece] & (length > 1e-6)
    return Marks(lines, at, np.concatenate([at, along], axis=1)[directed])


def _crosses(
    roads: ClosedRoads, seen: NDArray[np.intp], first: Float64Array, last: Float64Array, scale: float
) -> tuple[NDArray[np.intp], Float64Array]:
    """Return on which of the seen pieces each cross is, and at what share of its length."""
    ends = roads.ends[seen]
    length = np.maximum(np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]), 1e-9)
    number = np.maximum(np.round(roads.whole[seen] * scale / APART), 1.0)
    apart = np.maximum(roads.whole[seen] / number, 1e-9)
    # Crosses are half a distance from the road's ends; those of a piece lie between where it is clipped.
    low = np.ceil((roads.begin[seen] + first * length) / apart - 0.5)
    high = np.minimum(np.ceil((roads.begin[seen] + last * length) / apart - 0.5), number)
    none = roads.whole[seen] <= 1e-9  # a road between two nodes on one spot
    low, high = np.where(none, 0.0, low), np.where(none, 1.0, high)
    counts = np.maximum(high - low, 0.0).astype(np.int64)
    piece = np.repeat(np.arange(len(seen)), counts)
    within = np.arange(len(piece)) - np.repeat(np.cumsum(counts) - counts, counts)
    along = (low[piece] + within + 0.5) * apart[piece] - roads.begin[seen][piece]
    return piece, np.clip(along / length[piece], 0.0, 1.0)


@lru_cache(maxsize=4)
def _marks(roads: ClosedRoads, camera: Camera) -> Marks:
    """Return the marks of roads, which frames of one camera share."""
    return marks(roads, camera)


def _paint_closed(painter: QPainter, seen: Marks, colour: str, casing: str) -> None:
    _paint_lines(painter, seen.lines, ((translucent(casing, 190), 4.5), (QColor(colour), 1.8)))
    _paint_arrows(painter, seen.arrows, colour, casing)
    arms = [QLineF(x - dx, y - ARM, x + dx, y + ARM) for x, y in seen.crosses.tolist() for dx in (ARM, -ARM)]
    for pen in (round_pen(translucent(casing, 235), 5.2), round_pen(QColor(colour), 2.4)):
        painter.setPen(pen)
        painter.drawLines(arms)


def _paint_lines(painter: QPainter, lines: Float64Array, strokes: tuple[tuple[QColor, float], ...]) -> None:
    long = abs(lines[:, 2] - lines[:, 0]) + abs(lines[:, 3] - lines[:, 1]) >= SHORTEST
    pieces = [QLineF(*ends) for ends in lines[long].tolist()]
    for colour, width in strokes:
        painter.setPen(round_pen(colour, width))
        painter.drawLines(pieces)


def _paint_arrows(painter: QPainter, arrows: Float64Array, colour: str, casing: str) -> None:
    painter.setPen(QPen(translucent(casing, 215), 1.5))
    painter.setBrush(QColor(colour))
    for x, y, along, down in arrows.tolist():
        tip = QPointF(x + ARROW_AT * along, y + ARROW_AT * down)
        back = tip - QPointF(ARROW_LONG * along, ARROW_LONG * down)
        side = QPointF(-ARROW_WIDE * down, ARROW_WIDE * along)
        painter.drawPolygon(QPolygonF([tip, back + side, back - side]))


MOST_DOTS = 2000
"""So many nodes that are no longer reached are dots too, since the roads next to a few would hardly be seen."""


@dataclass(frozen=True, slots=True, eq=False)
class DetourView(Layer):
    """What closed roads cost the nodes of a finished tree, drawn in its place."""

    colours: NodeColours

    NAME: ClassVar[str] = "detour"
    ORDER: ClassVar[int] = 60
    PRECEDENCE: ClassVar[int] = 10

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of what became farther wherever the tree would be drawn."""
        return self.colours if scene.mode == "tree" else None


def detour_colours(detour: Detour) -> DetourView:
    """Return what closed roads cost: nodes as near as before have no colour, as if they were not reached."""
    ink = translated("no longer reached: {cut_off:,}", cut_off=detour.cut_off) if detour.cut_off else ""
    title = translated("extra {distance} because of closed roads", distance=measured(detour.metric))
    nothing = None if detour.longer else translated("no node became farther")
    return DetourView(detour_and_cut_off(detour.extra, detour.metric, title, ink, nothing))


def detour_and_cut_off(
    extra: NDArray[np.int64], metric: Metric, title: str, ink: str, nothing: str | None
) -> NodeColours:
    """Return colours of what is above 0, and of ``CUT_OFF``; ``nothing`` says that nothing is above 0."""
    cut_off = extra == CUT_OFF
    first_step = read_only(np.where(extra != 0, 0, NEVER).astype(np.uint32))
    farthest = last_coloured(extra, extra > 0) if (extra > 0).any() else 1.0
    colour = np.empty(len(extra), np.uint8)
    colour_by_value(read_only(extra), first_step, farthest, colour)
    colour = np.where(cut_off, CUT_OFF_ROW, np.minimum(colour, CUT_OFF_ROW - 1)).astype(np.uint8)
    dots = np.flatnonzero(cut_off).astype(np.int32) if cut_off.sum() <= MOST_DOTS else np.zeros(0, np.int32)
    legend = Legend.to_last(title, metric, farthest, ink) if nothing is None else Legend(nothing, "", "", "", ink)
    return NodeColours(first_step, read_only(colour), read_only(dots), legend, "detour_table")
