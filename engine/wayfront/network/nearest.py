"""Find the roads and the nodes that are nearest to many points.

Roads run along straight pieces, from node to node or from point to point of an arc's shape. Over the pieces lies a tree
of boxes, sixteen in each, packed in Morton order (I. Kamel and C. Faloutsos, "On packing R-trees", CIKM 1993). A point
looks into the nearest box first and into none that is farther away than what it has found. It measures on a plane that
touches the Earth where it is itself, so that a metre eastward is a metre in Iceland too; what lies beyond the 180th
meridian is seen one turn farther.

Of what is equally near the road with the lowest arc is taken, or the lowest node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.devices.compiling import loop, part
from wayfront.network.conventions import METRES_PER_DEGREE
from wayfront.network.copies import begin_of
from wayfront.network.schema import offsets_of, ranks_of
from wayfront.network.structure import morton_order
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.memory import require_memory

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric, RoadNetwork

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]
Floats = NDArray[np.float64]

METRES = METRES_PER_DEGREE / 1e6
"""Metres of a microdegree northward."""
AT_NODE_M = 0.05
"""Who is so near to an end of a road is at its node: coordinates are given to a decimetre."""

_FANOUT = 16
_LEVELS = 8
"""Sixteen to the power of eight is more than there can be pieces."""
_AT_ONCE = 1 << 14
"""Points between two reports, and looks at whether somebody cancelled."""
_BYTES_OF_AN_ARC, _BYTES_OF_A_PIECE, _BYTES_OF_A_NODE = 60, 60, 60
"""Memory at the peak of making: New York, Porto and Iceland, simplified or not, took 36 to 51 for an arc or a bend, and
57 for a node."""


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Straight pieces with boxes over them: read-only.

    pieces  int32 [p, 4]: both ends of each piece, in microdegrees; the second may lie beyond 180°
    owners  int32 [p]: the road, or the node, of each
    order   int32 [p]: the pieces in Morton order
    boxes   int32 [b, 4]: west, south, east, north of sixteen pieces in that order each, then of sixteen boxes each,
            up to one that holds all
    levels  int64: where each level of boxes begins, and their number
    """

    pieces: Int32Array
    owners: Int32Array
    order: Int32Array
    boxes: Int32Array
    levels: Int64Array

    @classmethod
    def over(cls, pieces: Int32Array, owners: Int32Array) -> Tree:
        """Return the tree over some pieces, at least one."""
        middles = ((pieces[:, :2].astype(np.int64) + pieces[:, 2:]) // 2).astype(np.int32)
        order = morton_order(middles)
        low = np.minimum(pieces[:, :2], pieces[:, 2:])[order]
        high = np.maximum(pieces[:, :2], pieces[:, 2:])[order]
        boxes: list[Int32Array] = []
        while not boxes or len(low) > 1:
            starts = np.arange(0, len(low), _FANOUT)
            low, high = np.minimum.reduceat(low, starts), np.maximum.reduceat(high, starts)
            boxes.append(np.concatenate((low, high), axis=1))
        tree = cls(pieces, owners, order, np.concatenate(boxes), offsets_of([len(level) for level in boxes]))
        for array in (tree.pieces, tree.owners, tree.order, tree.boxes, tree.levels):
            array.flags.writeable = False
        return tree

    def nearest(
        self, coordinates: Floats, cancel: Event | None = None, report: Callable[[float], None] | None = None
    ) -> tuple[Int32Array, Floats, Floats]:
        """Return of each point, degrees [k, 2], the nearest piece int32 [k], where on it (0 … 1), and how many metres.

        ``report`` is called with the fraction of the points that is done. Raises ``SearchCancelled``.
        """
        k = len(coordinates)
        found, at, metres = np.empty(k, np.int32), np.empty(k), np.empty(k)
        points = np.ascontiguousarray(coordinates, np.float64) * 1e6
        for begin in range(0, k, _AT_ONCE):
            if cancel is not None and cancel.is_set():
                raise SearchCancelled("finding the nearest roads was cancelled")
            rows = slice(begin, begin + _AT_ONCE)
            arrays = (self.pieces, self.owners, self.order, self.boxes, self.levels)
            _search(points[rows], *arrays, found[rows], at[rows], metres[rows])
            if report is not None:
                report(min(begin + _AT_ONCE, k) / k)
        return found, at, metres


@dataclass(frozen=True, slots=True, eq=False)
class Roads:
    """The roads of a network, r of them: arcs along one line, in either direction or beside each other. Read-only.

    of_arc  int32 [m]: the road of each arc
    first   int32 [r], rising: its lowest arc, in whose direction the road runs
    ahead   bool [m]: whether an arc runs in its road's direction
    starts  int64 [r + 1]: where the pieces of each road begin among those of ``tree``
    """

    of_arc: Int32Array
    first: Int32Array
    ahead: NDArray[np.bool_]
    starts: Int64Array
    tree: Tree

    def along(self, metric: Metric, *, last: bool = False) -> tuple[Int64Array, Int64Array]:
        """Return the lightest arc of each road in its direction, and against it, int64 [r] each; −1 for none.

        Of equally light ones it is the first, or else the last: by that one who arrives at a split node may pass into
        a road that restrictions know several times (``formats.osm.turns``).
        """
        arcs = np.full((2, len(self.first)), -1, np.int64)
        _lightest(self.of_arc, self.ahead, metric.weights, last, arcs)
        return arcs[0], arcs[1]


def roads_of(network: RoadNetwork) -> Roads:
    """Return the roads of a network, found once in O(m log m).

    Raises ``NetworkError`` where it has no coordinates or no arcs, and ``MemoryShortError``.
    """
    _coordinates(network)
    if not network.arc_count:
        raise NetworkError(f"{network.name} has no roads to put places on")
    return network.derive("roads", lambda: _find_roads(network))


def nearest_nodes(network: RoadNetwork, coordinates: Floats, cancel: Event | None = None) -> tuple[Int32Array, Floats]:
    """Return the nearest node of each point, degrees [k, 2], int32 [k], and how many metres away it is, float64 [k].

    Raises as ``roads_of`` does.
    """
    nodes = _coordinates(network)
    if not len(nodes):
        raise NetworkError(f"{network.name} has no nodes")

    def make() -> Tree:
        require_memory(_BYTES_OF_A_NODE * len(nodes), network.name)
        return Tree.over(np.concatenate((nodes, nodes), axis=1), np.arange(len(nodes), dtype=np.int32))

    found, _, metres = network.derive("tree of nodes", make).nearest(coordinates, cancel)
    return found, metres


def points_of(x: ArrayLike, y: ArrayLike) -> tuple[Floats, bool]:
    """Return longitudes and latitudes as one array [k, 2], and whether they are those of one point, given as numbers.

    Raises ``NetworkError`` for what are no such degrees.
    """
    try:
        lon, lat = np.asarray(x, np.float64), np.asarray(y, np.float64)
    except (TypeError, ValueError):
        raise NetworkError("X and Y are numbers, or columns of numbers: degrees of longitude and of latitude") from None
    if lon.shape != lat.shape or lon.ndim > 1:
        raise NetworkError(f"X and Y are columns of one length, not {list(lon.shape)} and {list(lat.shape)}")
    points = np.stack((np.atleast_1d(lon), np.atleast_1d(lat)), axis=1)
    wrong = np.flatnonzero(~(np.abs(points) <= (180.0, 90.0)).all(axis=1))
    if len(wrong):
        lon_lat = ", ".join(f"{value:g}" for value in points[wrong[0]])
        raise NetworkError(
            f"X and Y are degrees of longitude and latitude; row {wrong[0] + 1} has {lon_lat}, which is on no map"
        )
    return points, lon.ndim == 0


def handed_out(found: Int32Array, metres: Floats, single: bool, with_metres: bool) -> Any:
    """Return what was found, and how far it is if that is asked for: of a single point as numbers."""
    answer = (int(found[0]), float(metres[0])) if single else (found, metres)
    return answer if with_metres else answer[0]


def _coordinates(network: RoadNetwork) -> Int32Array:
    if network.coordinates is None:
        raise NetworkError(
            f"{network.name} has no coordinates, so nothing lies near its roads: open it with its file of coordinates"
        )
    return network.coordinates


# ------------------------------------------------------------------------------------------------------- roads


def _find_roads(network: RoadNetwork) -> Roads:
    coordinates, shapes = _coordinates(network), network.shapes
    m, bends = network.arc_count, 0 if shapes is None else len(shapes.points)
    require_memory(_BYTES_OF_AN_ARC * m + _BYTES_OF_A_PIECE * (m + bends), network.name)
    tails, heads = begin_of(network, network.tails()), begin_of(network, network.targets)
    pair = np.minimum(tails, heads).astype(np.int64) * network.node_count + np.maximum(tails, heads)
    back = tails > heads
    if shapes is None:
        bend_starts, bend_points = np.zeros(1, np.int64), np.empty((0, 2), np.int32)
        order = np.argsort(pair, kind="stable")
        begins = np.flatnonzero(np.diff(pair[order], prepend=-1))
    else:
        bend_starts, bend_points = shapes.offsets, shapes.points
        line = np.empty(m, np.uint64)
        _digest(tails, heads, bend_starts, bend_points, back, line)
        order = np.lexsort((line, pair))
        new = (np.diff(pair[order], prepend=-1) != 0) | (np.diff(line[order], prepend=np.uint64(0)) != 0)
        new[0] = True
        begins = np.flatnonzero(new)
    first = order[begins]  # sorting keeps the order of arcs
    by_arc = np.argsort(first)
    of_arc = np.empty(m, np.int32)
    of_arc[order] = np.repeat(ranks_of(by_arc.astype(np.int32)), np.diff(begins, append=m))
    first = first[by_arc]
    counts = np.ones(len(first), np.int64) if shapes is None else np.diff(bend_starts)[first] + 1
    starts = offsets_of(counts)
    pieces, owners = np.empty((int(starts[-1]), 4), np.int32), np.repeat(np.arange(len(first), dtype=np.int32), counts)
    _lay(first, tails, heads, coordinates, bend_starts, bend_points, starts, pieces)
    ahead = back == back[first[of_arc]]
    lowest = first.astype(np.int32)
    for array in (of_arc, lowest, ahead, starts):
        array.flags.writeable = False
    return Roads(of_arc, lowest, ahead, starts, Tree.over(pieces, owners))


@loop
def _digest(tails: Any, heads: Any, starts: Any, points: Any, back: Any, line: Any) -> None:
    """Find a number for the line of each arc, the same in both directions; of loops, whether it runs back on it."""
    for arc in range(len(tails)):
        begin, end = starts[arc], starts[arc + 1]
        forward, backward = np.uint64(0), np.uint64(0)
        for at in range(end - begin):
            forward = _mixed(forward, points[begin + at, 0], points[begin + at, 1])
            backward = _mixed(backward, points[end - 1 - at, 0], points[end - 1 - at, 1])
        if tails[arc] == heads[arc]:
            back[arc] = backward < forward
        line[arc] = backward if back[arc] else forward


@part
def _mixed(digest: Any, x: Any, y: Any) -> Any:
    """Take a point into a number (the finaliser of Steele, Lea and Flood's SplitMix)."""
    value = digest * np.uint64(31) + np.uint64(x + 2_000_000_000) * np.uint64(4_294_967_311) + np.uint64(y + 2**31)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@loop
def _lay(
    first: Any, tails: Any, heads: Any, coordinates: Any, bends: Any, points: Any, starts: Any, pieces: Any
) -> None:
    """Lay the pieces of each road: a piece across the 180th meridian goes on beyond it."""
    for road in range(len(first)):
        arc = first[road]
        x, y = coordinates[tails[arc], 0], coordinates[tails[arc], 1]
        for piece in range(starts[road], starts[road + 1]):
            if piece + 1 < starts[road + 1]:
                bend = bends[arc] + piece - starts[road]
                to_x, to_y = points[bend, 0], points[bend, 1]
            else:
                to_x, to_y = coordinates[heads[arc], 0], coordinates[heads[arc], 1]
            east = np.int64(to_x) - x
            if east > 180_000_000:
                east -= 360_000_000
            elif east < -180_000_000:
                east += 360_000_000
            pieces[piece, 0], pieces[piece, 1], pieces[piece, 2], pieces[piece, 3] = x, y, x + east, to_y
            x, y = to_x, to_y


@loop
def _lightest(of_arc: Any, ahead: Any, weights: Any, last: Any, arcs: Any) -> None:
    for arc in range(len(of_arc)):
        way, road = 0 if ahead[arc] else 1, of_arc[arc]
        known = arcs[way, road]
        if known < 0 or weights[arc] < weights[known] or (last and weights[arc] == weights[known]):
            arcs[way, road] = arc


# --------------------------------------------------------------------------------------------------- searching


@loop
def _search(
    points: Any, pieces: Any, owners: Any, order: Any, boxes: Any, levels: Any, found: Any, at: Any, metres: Any
) -> None:
    """Find the nearest piece of each point, microdegrees, where on it, and how far."""
    top = len(levels) - 2
    waiting = np.empty((_LEVELS * _FANOUT, 2), np.int64)  # level and number of boxes
    away = np.empty(_LEVELS * _FANOUT)  # and the square of how far they are at least
    for point in range(len(points)):
        narrow = np.cos(points[point, 1] * (np.pi / 180e6))
        y = points[point, 1]
        best, best_owner, best_piece, best_at = np.inf, 0, 0, 0.0
        for turn in range(3):
            x = points[point, 0] + (0.0 if turn == 0 else (360e6 if turn == 1 else -360e6))
            waiting[0, 0], waiting[0, 1] = top, 0
            away[0] = _to_box(boxes, levels[top], x, y, narrow)
            count = 1
            while count:
                count -= 1
                if away[count] > best:
                    continue
                level, box = waiting[count, 0], waiting[count, 1]
                if level == 0:
                    for rank in range(box * _FANOUT, min(box * _FANOUT + _FANOUT, len(order))):
                        piece = order[rank]
                        ax, ay = (pieces[piece, 0] - x) * narrow, pieces[piece, 1] - y
                        bx, by = (pieces[piece, 2] - x) * narrow - ax, pieces[piece, 3] - y - ay
                        length = bx * bx + by * by
                        where = 0.0 if length == 0.0 else min(max(-(ax * bx + ay * by) / length, 0.0), 1.0)
                        far = (ax + where * bx) ** 2 + (ay + where * by) ** 2
                        owner = owners[piece]
                        if far < best or (
                            far == best and (owner < best_owner or (owner == best_owner and piece < best_piece))
                        ):
                            best, best_owner, best_piece, best_at = far, owner, piece, where
                    continue
                below = levels[level - 1]
                bottom = count
                for child in range(box * _FANOUT, min(box * _FANOUT + _FANOUT, levels[level] - below)):
                    far = _to_box(boxes, below + child, x, y, narrow)
                    if far > best:
                        continue
                    place = count
                    while place > bottom and away[place - 1] < far:  # the nearest on top
                        away[place] = away[place - 1]
                        waiting[place, 0], waiting[place, 1] = waiting[place - 1, 0], waiting[place - 1, 1]
                        place -= 1
                    away[place], waiting[place, 0], waiting[place, 1] = far, level - 1, child
                    count += 1
        found[point], at[point], metres[point] = best_piece, best_at, np.sqrt(best) * METRES


@part
def _to_box(boxes: Any, box: Any, x: Any, y: Any, narrow: Any) -> Any:
    """Return the square of how far a point is from a box."""
    across = max(boxes[box, 0] - x, x - boxes[box, 2], 0.0) * narrow
    upward = max(boxes[box, 1] - y, y - boxes[box, 3], 0.0)
    return across * across + upward * upward


def fractions(roads: Roads, found: Int32Array, at: Floats) -> Floats:
    """Return where on its road each point is, 0 … 1 by length, from where on a piece it is; 0 or 1 near its ends."""
    part_of_road = np.empty(len(found))
    _fraction(roads.tree.pieces, roads.tree.owners, roads.starts, found, at, part_of_road)
    return part_of_road


@loop
def _fraction(pieces: Any, owners: Any, starts: Any, found: Any, at: Any, part_of_road: Any) -> None:
    for point in range(len(found)):
        road = owners[found[point]]
        before, total = 0.0, 0.0
        for piece in range(starts[road], starts[road + 1]):
            middle = (np.float64(pieces[piece, 1]) + pieces[piece, 3]) / 2
            across = (np.float64(pieces[piece, 2]) - pieces[piece, 0]) * np.cos(middle * (np.pi / 180e6))
            length = np.sqrt(across**2 + (np.float64(pieces[piece, 3]) - pieces[piece, 1]) ** 2) * METRES
            if piece < found[point]:
                before += length
            elif piece == found[point]:
                before += at[point] * length
            total += length
        if before <= AT_NODE_M and before <= total - before:
            part_of_road[point] = 0.0
        elif total - before <= AT_NODE_M:
            part_of_road[point] = 1.0
        else:
            part_of_road[point] = before / total
