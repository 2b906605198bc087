"""Named roads as long lines, for their names on the map: all lines of one name, joined where they meet. No Qt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront_gui.scene.geometry import MapGeometry, read_only

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

Int32Array = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class NamedRoads:
    """Roads, each a line between two of its ends or junctions with itself.

    offsets  int32 [roads+1]: the points of a road are ``points[offsets[r]:offsets[r + 1]]``
    points   int32: points of the map's geometry
    name     int32 [roads], index into the network's names
    rank     uint8 [roads]: the road class of its first line
    boxes    float32 [roads, 4]: left, bottom, right, top
    lengths  float32 [roads] in metres
    """

    offsets: Int32Array
    points: Int32Array
    name: Int32Array
    rank: NDArray[np.uint8]
    boxes: NDArray[np.float32]
    lengths: NDArray[np.float32]

    @classmethod
    def of(cls, network: RoadNetwork, geometry: MapGeometry) -> NamedRoads:
        """Return the named roads of a network, made at the first call; none where no road has a name."""
        return network.derive("named roads", lambda: cls._build(network, geometry))

    @classmethod
    def _build(cls, network: RoadNetwork, geometry: MapGeometry) -> NamedRoads:
        name = _names_of_lines(network, geometry)
        named = np.flatnonzero((name >= 0) & (geometry.line_a != geometry.line_b))
        order = named[np.argsort(name[named], kind="stable")]
        if not len(order):
            nothing = np.zeros(0, np.int32)
            return cls(np.zeros(1, np.int32), nothing, nothing, nothing.astype(np.uint8), _BOXES, _LENGTHS)
        ends = (read_only(geometry.line_a[order]), read_only(geometry.line_b[order]))
        offsets, points, first = _join(*ends, read_only(name[order]), len(geometry.x))
        x, y = geometry.x[points], geometry.y[points]
        starts = offsets[:-1]
        stretches = np.hypot(np.diff(x, append=x[-1:]), np.diff(y, append=y[-1:]))
        stretches[offsets[1:] - 1] = 0  # from the end of a road to the start of the next
        boxes = [np.minimum.reduceat(x, starts), np.minimum.reduceat(y, starts)]
        boxes += [np.maximum.reduceat(x, starts), np.maximum.reduceat(y, starts)]
        lengths = np.add.reduceat(stretches, starts)
        rank = geometry.line_class[order[first]]
        return cls(offsets, points, name[order[first]], rank, np.stack(boxes, axis=1), lengths)

    def __len__(self) -> int:
        """Return the number of roads."""
        return len(self.name)


_BOXES, _LENGTHS = np.zeros((0, 4), np.float32), np.zeros(0, np.float32)


def _names_of_lines(network: RoadNetwork, geometry: MapGeometry) -> Int32Array:
    """Return the name of each drawing line, int32 [lines], -1 for none."""
    if network.road_names is None or network.road_class is None:
        return np.full(geometry.line_count, -1, np.int32)
    of_arc = network.road_names.of_arc
    arcs = np.flatnonzero(of_arc >= 0)
    chains = geometry.chains
    if chains is not None:
        of_chain = np.full(len(chains.a), -1, np.int32)
        arcs = arcs[chains.of_arc[arcs] >= 0]
        of_chain[chains.of_arc[arcs]] = of_arc[arcs]
        return of_chain[chains.of_line]
    n = geometry.node_count
    tails, heads = network.tails()[arcs].astype(np.int64), network.targets[arcs].astype(np.int64)
    keys = np.minimum(tails, heads) * n + np.maximum(tails, heads)
    order = np.argsort(keys)
    wanted = geometry.line_a.astype(np.int64) * n + geometry.line_b
    at = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1) if len(keys) else wanted
    names = np.full(geometry.line_count, -1, np.int32)
    if len(keys):
        found = keys[order[at]] == wanted
        names[found] = of_arc[arcs[order[at[found]]]]
    return names


@loop
def _join(a, b, name, point_count):  # type: ignore[no-untyped-def]
    """Return (offsets, points, first line) of the roads made of lines a–b, which are sorted by their names.

    ``newest[p]`` is the latest end of this name's lines at point p (2 × line, + 1 for its b), ``older`` leads to
    those before it. Roads begin where not just two lines meet; what is left are loops.
    """
    lines = len(a)
    newest, older = np.full(point_count, -1, np.int32), np.empty(2 * lines, np.int32)
    degree, used = np.zeros(point_count, np.int32), np.zeros(lines, np.bool_)
    offsets, points = np.zeros(lines + 1, np.int32), np.empty(2 * lines, np.int32)
    first = np.empty(lines, np.int32)
    roads, count, start = np.int64(0), np.int64(0), np.int64(0)
    while start < lines:
        end = start
        while end < lines and name[end] == name[start]:
            for side in range(2):
                p = a[end] if side == 0 else b[end]
                older[2 * end + side], newest[p] = newest[p], 2 * end + side
                degree[p] += 1
            end += 1
        for turn in range(3):  # from a's, from b's, then the loops
            for i in range(start, end):
                p = b[i] if turn == 1 else a[i]
                if used[i] or (turn < 2 and degree[p] == 2):
                    continue
                first[roads], line = i, i
                points[count] = p
                count += 1
                while line >= 0:
                    used[line] = True
                    p = b[line] if a[line] == p else a[line]
                    points[count] = p
                    count += 1
                    line = -1
                    if degree[p] == 2:
                        link = newest[p]
                        while link >= 0:
                            if not used[link // 2]:
                                line = link // 2
                            link = older[link]
                roads += 1
                offsets[roads] = count
        for i in range(start, end):
            newest[a[i]] = newest[b[i]] = -1
            degree[a[i]] = degree[b[i]] = 0
        start = end
    return offsets[: roads + 1].copy(), points[:count].copy(), first[:roads].copy()
