"""The pieces of road that are reached within limits, and their lines.

A road is an arc, with the arc that leads back along the same line where there is one. Who has reached its tail goes on
along it, and who has reached its head comes back if traffic may; so a point of the road is reached by whichever end is
the better, and a limit cuts the road in at most two places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH, offsets_of

Float = NDArray[np.float64]

_MOST_ARCS = 4096
"""Of a node among which the arc that leads back is looked for: beyond that, each direction is a road of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces of roads, each within one band: farther than the limit before it, and no farther than its own.

    arcs       int64 [k]: the arc along whose line a piece lies
    begin, end float64 [k]: the shares of the arc's length, from its tail, between which it lies; alike for a mere point
    band       int32 [k]: the index of its limit
    from_node  int32 [k]: the end of the road from which it is reached, its tail where it is reached from both
    """

    arcs: NDArray[np.int64]
    begin: Float
    end: Float
    band: NDArray[np.int32]
    from_node: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.arcs)

    @property
    def columns(self) -> tuple[NDArray[Any], ...]:
        """Its arrays, in their order."""
        return self.arcs, self.begin, self.end, self.band, self.from_node

    def chosen(self, which: NDArray[Any] | slice) -> Pieces:
        """Return some of the pieces."""
        return Pieces(*(column[which] for column in self.columns))

    @classmethod
    def together(cls, parts: Sequence[Pieces]) -> Pieces:
        """Return all pieces of some parts, at least one, in their order."""
        return cls(*(np.concatenate(columns) for columns in zip(*(part.columns for part in parts), strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Lines: ``points`` float64 [p, 2], microdegrees, those of line k at ``offsets[k]:offsets[k + 1]``.

    Longitudes run on beyond ±180° where a line crosses the antimeridian.
    """

    points: Float
    offsets: NDArray[np.int64]

    def chosen(self, which: NDArray[np.bool_]) -> Lines:
        """Return some of the lines."""
        counts = np.diff(self.offsets)
        return Lines(self.points[np.repeat(which, counts)], offsets_of(counts[which]))

    @classmethod
    def together(cls, parts: Sequence[Lines]) -> Lines:
        """Return all lines of some parts, at least one, in their order."""
        points = np.concatenate([part.points for part in parts])
        return cls(points, offsets_of(np.concatenate([np.diff(part.offsets) for part in parts])))


def roads_back(network: RoadNetwork) -> NDArray[np.int64]:
    """Return for each arc the one that leads back along the same line, int64 [m], ``NONE`` where there is none.

    No arc is that of two others. Found once for a network.
    """

    def make() -> NDArray[np.int64]:
        back = np.full(network.arc_count, NONE, np.int64)
        shape_offsets, points = _shapes(network)
        _pair(network.offsets, network.targets, shape_offsets, points, back)
        return back

    return network.derive("roads back", make)


def open_arcs(network: RoadNetwork, closures: NDArray[np.integer] | None) -> NDArray[np.bool_]:
    """Return whether traffic may take each arc, bool [m]; where none is closed, it is kept with the network."""
    if closures is None or not len(closures):
        return network.derive("open arcs", lambda: np.ones(network.arc_count, np.bool_))
    is_open = np.ones(network.arc_count, np.bool_)
    is_open[closures] = False
    is_open.flags.writeable = False
    return is_open


def reached_pieces(
    network: RoadNetwork,
    metric: Metric,
    distances: NDArray[np.integer],
    limits: Float,
    is_open: NDArray[np.bool_],
    *,
    reverse: bool = False,
    nodes: NDArray[np.int32] | None = None,
    group: NDArray[np.int32] | None = None,
) -> Pieces:
    """Return the pieces of road within rising ``limits``, float64 [bands] in raw weights.

    ``distances`` [n] are those of the nodes, −1 where there is no path; with ``reverse`` they lead from the nodes to
    where everybody goes. Arcs that are not open (``open_arcs``) lead nowhere. ``nodes``, rising, are those within the
    last limit and those to which the search went from them, all by default: the work grows with their number alone.
    ``group`` [n] says which nodes belong together: a road between two groups that is reached from both ends is cut
    where both ways are as long.
    """
    if nodes is None:
        nodes = np.empty(0, np.int32)
    arcs = int((network.offsets[nodes + 1] - network.offsets[nodes]).sum()) if len(nodes) else network.arc_count
    given = (network.offsets, network.targets, metric.weights, is_open, roads_back(network), nodes, distances, limits)
    count, room = 0, arcs // 2 + arcs // 16 + 16  # a piece for each road, and those cut
    while True:
        found = np.empty(room, np.int64), np.empty(room), np.empty(room), np.empty(room, np.int32)
        from_node = np.empty(room, np.int32)
        count = _find_pieces(*given, reverse, np.empty(0, np.int32) if group is None else group, *found, from_node)
        if count <= room:
            return Pieces(*found, from_node).chosen(slice(count))
        room = count


def pieces_round(
    network: RoadNetwork,
    metric: Metric,
    ends: Ends,
    distances: NDArray[np.integer],
    limits: Float,
    is_open: NDArray[np.bool_],
    *,
    reverse: bool = False,
) -> tuple[Pieces, NDArray[np.int64]]:
    """Return the pieces of the roads on which points stand, and these roads' arcs, whose other pieces do not hold.

    Who stands on a road goes along it both ways that traffic may, without having passed an end of it.
    """
    back = roads_back(network)
    on_road: dict[int, list[tuple[int, int]]] = {}
    for arcs, offsets in zip(ends.arcs.tolist(), ends.offsets.tolist(), strict=True):
        for arc, offset in zip(arcs, offsets, strict=True):
            if arc != NONE:
                other = int(back[arc])
                on_road.setdefault(arc if other == NONE else min(arc, other), []).append((arc, offset))
    tails, rows = network.tails(), []
    for road, stands in on_road.items():
        known: list[tuple[float, float]] = []
        for band, limit in enumerate(limits.tolist()):
            spans = list(known)
            for arc in (road, int(back[road])):
                if arc == NONE or not is_open[arc]:
                    continue
                weight, forth = int(metric.weights[arc]), arc == road
                # Along the arc from where one is, and with reverse along it to where one goes.
                starts = [offset / weight if weight else 0.0 for other, offset in stands if other == arc]
                begins = [(start, 0.0) for start in starts]
                node = int(network.targets[arc]) if reverse else int(tails[arc])
                if distances[node] != NO_PATH:
                    begins.append((1.0 if reverse else 0.0, float(distances[node])))
                for start, cost in begins:
                    if cost <= limit:
                        far = (limit - cost) / weight if weight else 1.0
                        span = (max(start - far, 0.0), start) if reverse else (start, min(start + far, 1.0))
                        spans.append(span if forth else (1.0 - span[1], 1.0 - span[0]))
            merged = _union(spans)
            rows += [(road, *span, band, int(tails[road])) for span in _without(merged, known)]
            known = merged
    columns = list(zip(*rows, strict=True)) if rows else [()] * 5
    types = (np.int64, np.float64, np.float64, np.int32, np.int32)
    found = Pieces(*(np.array(column, dtype) for column, dtype in zip(columns, types, strict=True)))
    return found, np.array(list(on_road), np.int64)


def _union(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((begin, end))
    return merged


def _without(spans: list[tuple[float, float]], others: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return what disjoint spans cover beyond ``others``, each of which lies within one of them."""
    left = []
    for first, last in spans:
        begin = first
        inner = [other for other in others if first <= other[0] and other[1] <= last]
        for at, until in inner:
            if at > begin:
                left.append((begin, at))
            begin = until
        if last > begin or not inner:
            left.append((begin, last))
    return left


def lines_of(network: RoadNetwork, pieces: Pieces) -> Lines:
    """Return the lines of pieces, along the shapes of their arcs. The network has coordinates."""
    coordinates = network.coordinates
    assert coordinates is not None
    shape_offsets, points = _shapes(network)
    inner = int((shape_offsets[pieces.arcs + 1] - shape_offsets[pieces.arcs]).sum()) if len(shape_offsets) > 1 else 0
    found, offsets = np.empty((2 * len(pieces) + inner, 2)), np.zeros(len(pieces) + 1, np.int64)
    shapes = coordinates, shape_offsets, points
    ends = pieces.arcs, pieces.begin, pieces.end
    count = _follow(network.tails(), network.targets, *shapes, *ends, found, offsets)
    return Lines(found[:count], offsets)


def _shapes(network: RoadNetwork) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return offsets and points of the arcs' shapes; no offsets where all arcs are straight."""
    if network.shapes is None or not len(network.shapes.points):
        return np.zeros(1, np.int64), np.zeros((0, 2), np.int32)
    return network.shapes.offsets, network.shapes.points


# ------------------------------------------------------------------------------------------------------------- loops


@loop
def _pair(offsets: Any, targets: Any, shape_offsets: Any, points: Any, back: Any) -> None:
    """Write to ``back`` [m] which arc leads back along the line of each; it holds ``NONE`` beforehand."""
    for u in range(len(offsets) - 1):
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            if back[arc] >= 0 or v == u or offsets[v + 1] - offsets[v] > _MOST_ARCS:
                continue
            for other in range(offsets[v], offsets[v + 1]):
                if targets[other] == u and back[other] < 0 and _same_line(shape_offsets, points, arc, other):
                    back[arc], back[other] = other, arc
                    break


@part
def _same_line(shape_offsets: Any, points: Any, arc: int, other: int) -> bool:
    """Return whether two arcs between the same nodes pass the same points, one in the other's order turned round."""
    if len(shape_offsets) == 1:
        return True
    first, last = shape_offsets[arc], shape_offsets[arc + 1]
    theirs = shape_offsets[other + 1] - 1
    if theirs + 1 - shape_offsets[other] != last - first:
        return False
    for at in range(first, last):
        if points[at, 0] != points[theirs, 0] or points[at, 1] != points[theirs, 1]:
            return False
        theirs -= 1
    return True


@part
def _share(distance: int, weight: int, limit: float) -> float:
    """Return how much of a road is reached within a limit from an end of it, −1 for nothing."""
    if weight < 0 or distance < 0 or distance > limit:
        return -1.0
    return min((limit - distance) / weight, 1.0) if weight else 1.0


@part
def _until(a: float, b: float, from_a: float, to_b: float, middle: float, apart: bool) -> float:
    """Return where the part of a whole road that is reached from its tail ends; the rest is reached from its head."""
    if a < 0 or b < 0:
        return from_a if a < 0 else to_b
    return min(max(middle, from_a), to_b) if apart else to_b


@loop
def _find_pieces(
    offsets: Any,
    targets: Any,
    weights: Any,
    is_open: Any,
    back: Any,
    nodes: Any,
    distances: Any,
    limits: Any,
    reverse: bool,
    group: Any,
    arcs: Any,
    begin: Any,
    end: Any,
    band: Any,
    from_node: Any,
) -> int:
    """Write pieces as ``reached_pieces`` returns them, as many as there is room for; return how many there are."""
    count = 0
    last = limits[len(limits) - 1]
    listed = len(nodes) > 0  # else all are: a list of all would take longer than their numbers
    for i in range(len(nodes) if listed else len(offsets) - 1):
        u = np.int64(nodes[i]) if listed else i
        for arc in range(offsets[u], offsets[u + 1]):
            other, v = back[arc], targets[arc]
            near, far = np.int64(distances[u]), np.int64(distances[v])
            if 0 <= other < arc or not (0 <= near <= last or 0 <= far <= last):
                continue
            forth = np.int64(weights[arc]) if is_open[arc] else np.int64(-1)
            homeward = np.int64(weights[other]) if other >= 0 and is_open[other] else np.int64(-1)
            if reverse:
                forth, homeward = homeward, forth
            both = forth + homeward if forth + homeward > 0 else 1
            apart = len(group) > 0 and group[u] != group[v]
            known, known_back = -1.0, -1.0  # the shares within the limit before, from either end
            for at in range(len(limits)):
                a, b = _share(near, forth, limits[at]), _share(far, homeward, limits[at])
                from_a, to_b = max(known, 0.0), 1.0 - max(known_back, 0.0)
                whole = max(a, 0.0) + max(b, 0.0) >= 1.0
                if whole:
                    a = _until(a, b, from_a, to_b, (far + homeward - near) / both, apart)
                    b = 1.0 - a
                if a > known and (a > from_a or (a == 0.0 and not whole)):
                    if count < len(arcs):
                        arcs[count], begin[count], end[count] = arc, from_a, a
                        band[count], from_node[count] = at, u
                    count += 1
                if b > known_back and (1.0 - b < to_b or (b == 0.0 and not whole)):
                    if count < len(arcs):
                        arcs[count], begin[count], end[count] = arc, 1.0 - b, to_b
                        band[count], from_node[count] = at, v
                    count += 1
                if whole:
                    break
                known, known_back = a, b
    return count


@loop
def _follow(
    tails: Any,
    targets: Any,
    coordinates: Any,
    shape_offsets: Any,
    points: Any,
    arcs: Any,
    begin: Any,
    end: Any,
    found: Any,
    offsets: Any,
) -> int:
    """Write the points of each piece, and where each begins; return how many there are."""
    count = 0
    for piece in range(len(arcs)):
        arc = arcs[piece]
        u, v = tails[arc], targets[arc]
        first, last = 0, 0
        if len(shape_offsets) > 1:
            first, last = shape_offsets[arc], shape_offsets[arc + 1]
        lon, lat = float(coordinates[u, 0]), float(coordinates[u, 1])
        narrow = np.cos(np.radians(lat / 1e6))
        total = 0.0
        x, y = lon, lat
        for at in range(first, last + 1):
            px, py = (points[at, 0], points[at, 1]) if at < last else (coordinates[v, 0], coordinates[v, 1])
            nx, ny = _beside(float(px), x), float(py)
            total += np.hypot((nx - x) * narrow, ny - y)
            x, y = nx, ny
        start, stop, gone = begin[piece] * total, end[piece] * total, 0.0
        offsets[piece] = count
        begun = False
        x, y = lon, lat
        for at in range(first, last + 1):
            px, py = (points[at, 0], points[at, 1]) if at < last else (coordinates[v, 0], coordinates[v, 1])
            nx, ny = _beside(float(px), x), float(py)
            length = np.hypot((nx - x) * narrow, ny - y)
            if not begun and (start <= gone + length or at == last):
                share = min(max((start - gone) / length, 0.0), 1.0) if length > 0 else 0.0
                found[count, 0], found[count, 1] = x + (nx - x) * share, y + (ny - y) * share
                count += 1
                begun = True
            if begun:
                if stop <= gone + length or at == last:
                    share = min(max((stop - gone) / length, 0.0), 1.0) if length > 0 else 1.0
                    found[count, 0], found[count, 1] = x + (nx - x) * share, y + (ny - y) * share
                    count += 1
                    break
                found[count, 0], found[count, 1] = nx, ny
                count += 1
            gone += length
            x, y = nx, ny
    offsets[len(arcs)] = count
    return count


@part
def _beside(longitude: float, other: float) -> float:
    """Return a longitude in microdegrees on that side of the antimeridian where another one is."""
    return longitude - 360e6 * np.round((longitude - other) / 360e6)
