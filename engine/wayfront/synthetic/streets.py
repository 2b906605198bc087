"""Hold a growing plane street map, whose pieces meet only in nodes, and lay new lines over it.

A new line is split where it crosses a street, and so is that street; points closer than
a few metres become one node. Pieces are about 25 m long and are indexed by the grid cell of their midpoint, so that
neighbours are found in a few cells. This is the local part of Y. Parish and P. Müller, "Procedural modeling of
cities", SIGGRAPH 2001; ``growth.py`` decides where streets go.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront.synthetic.land import WATER, Land, ground_at

MINOR, SECONDARY, PRIMARY, MOTORWAY = 0, 1, 2, 3
CELL = 120.0
SNAP = 9.0
"""Nodes do not lie closer to each other than this, in metres."""

NOWHERE: Any = np.int64(-1)
"""No node or piece. What Numba sees to be a number of the text, it would compile a form of its own for."""
_GROUND: Any = np.int64(0)
_BRIDGE: Any = np.int64(1)
_HALF_PIECE = 32.0  # no piece reaches farther than this from its midpoint
_NODES, _PIECES, _LINES, _SALT = 0, 1, 2, 4

Floats = NDArray[np.float64]


class Streets(NamedTuple):
    """Arrays of the street map; the first ``counts[0]`` nodes and ``counts[1]`` pieces are in use.

    x, y       float64: nodes in metres
    tail, head int32: a piece's nodes, in the direction in which its street was laid
    kind       uint8: road class
    bridge     uint8: 1 over water
    line       int32: number of the street that the piece belongs to
    first      int32 [rows, columns]: a cell's first piece, −1 for none
    following  int32: the next piece of the same cell
    counts     int64 [5]: nodes, pieces, lines, random numbers drawn, and the seed of those
    """

    x: Floats
    y: Floats
    tail: NDArray[np.int32]
    head: NDArray[np.int32]
    kind: NDArray[np.uint8]
    bridge: NDArray[np.uint8]
    line: NDArray[np.int32]
    first: NDArray[np.int32]
    following: NDArray[np.int32]
    counts: NDArray[np.int64]


def empty_streets(land: Land, room: int, salt: int) -> Streets:
    """Return a map without streets with room for ``room`` pieces; ``salt`` seeds its growth."""
    counts = np.zeros(5, np.int64)
    counts[_SALT] = salt
    shape = int(land.height / CELL) + 1, int(land.width / CELL) + 1
    return Streets(
        x=np.empty(room),
        y=np.empty(room),
        tail=np.empty(room, np.int32),
        head=np.empty(room, np.int32),
        kind=np.empty(room, np.uint8),
        bridge=np.empty(room, np.uint8),
        line=np.empty(room, np.int32),
        first=np.full(shape, -1, np.int32),
        following=np.empty(room, np.int32),
        counts=counts,
    )


@part
def is_full(streets: Streets) -> bool:
    """Return whether another line might not fit."""
    return max(streets.counts[_NODES], streets.counts[_PIECES]) + 4000 > len(streets.x)


@loop
def lay_line(streets: Streets, land: Land, points: Floats, kind: int, longest_bridge: float) -> None:
    """Lay a line of points [p, 2] at most 50 m apart; it stops at the border and at water it cannot bridge."""
    line = streets.counts[_LINES]
    streets.counts[_LINES] += 1
    at, k = NOWHERE, types.int64(0)
    while k < len(points):
        x, y = points[k, 0], points[k, 1]
        if not (0.0 <= x < land.width and 0.0 <= y < land.height):
            at = NOWHERE
        elif ground_at(land, x, y) == WATER:
            shore = _far_shore(land, points, k, longest_bridge)
            if shore < 0 or at < 0:
                at = NOWHERE
            else:
                for j in range(k, shore):
                    at = _add_piece(streets, at, _add_node(streets, points[j, 0], points[j, 1]), kind, line, _BRIDGE)
                end = _node_at(streets, points[shore, 0], points[shore, 1])
                at = _add_piece(streets, at, end, kind, line, _BRIDGE)
                k = shore
        elif at < 0:
            at = _node_at(streets, x, y)
        else:
            at = _connect(streets, at, x, y, kind, line)
        k += 1


@part
def _far_shore(land: Land, points: Floats, k: int, longest: float) -> int:
    """Return the index of the first dry point after k within a bridge's length, or −1."""
    gone = 0.0
    for j in range(k + 1, len(points)):
        dx, dy = points[j, 0] - points[j - 1, 0], points[j, 1] - points[j - 1, 1]
        gone += np.sqrt(dx * dx + dy * dy)
        inside = 0.0 <= points[j, 0] < land.width and 0.0 <= points[j, 1] < land.height
        if gone > longest or not inside:
            return -1
        if ground_at(land, points[j, 0], points[j, 1]) != WATER:
            return j
    return -1


@loop
def _connect(streets: Streets, at: int, x: float, y: float, kind: int, line: int) -> int:
    """Lay pieces from a node to a point, with a node at every crossing; return the last node."""
    for _ in range(12):
        piece, share = first_crossing(streets, streets.x[at], streets.y[at], x, y, at)
        if piece < 0:
            break
        cx = streets.x[at] + share * (x - streets.x[at])
        cy = streets.y[at] + share * (y - streets.y[at])
        at = _add_piece(streets, at, _split(streets, piece, cx, cy), kind, line, _GROUND)
    return _add_piece(streets, at, _node_at(streets, x, y), kind, line, _GROUND)


@loop
def _add_node(streets: Streets, x: float, y: float) -> int:
    node = streets.counts[_NODES]
    streets.x[node], streets.y[node] = x, y
    streets.counts[_NODES] += 1
    return node


@part
def _add_piece(streets: Streets, tail: int, head: int, kind: int, line: int, bridge: int) -> int:
    """Add a piece between two nodes, unless they are one; return its head."""
    if tail == head:
        return head
    piece = streets.counts[_PIECES]
    streets.counts[_PIECES] += 1
    streets.tail[piece], streets.head[piece] = tail, head
    streets.kind[piece], streets.line[piece], streets.bridge[piece] = kind, line, bridge
    i = int(0.5 * (streets.y[tail] + streets.y[head]) / CELL)
    j = int(0.5 * (streets.x[tail] + streets.x[head]) / CELL)
    streets.following[piece] = streets.first[i, j]
    streets.first[i, j] = piece
    return head


@loop
def _split(streets: Streets, piece: int, x: float, y: float) -> int:
    """Return the node of a piece at a point on it: an end that is near, else a new one."""
    for node in (streets.tail[piece], streets.head[piece]):
        dx, dy = streets.x[node] - x, streets.y[node] - y
        if dx * dx + dy * dy < SNAP * SNAP:
            return node
    node = _add_node(streets, x, y)
    head = streets.head[piece]
    streets.head[piece] = node
    kind, line, bridge = streets.kind[piece], streets.line[piece], streets.bridge[piece]
    _add_piece(streets, node, types.int64(head), types.int64(kind), types.int64(line), types.int64(bridge))
    return node


@loop
def _cells(streets: Streets, low_x: float, low_y: float, high_x: float, high_y: float) -> tuple[int, int, int, int]:
    """Return the rows and columns of cells whose pieces may touch a rectangle: first row, past row, …"""
    rows, columns = streets.first.shape
    return (
        max(int((low_y - _HALF_PIECE) / CELL), 0),
        min(int((high_y + _HALF_PIECE) / CELL) + 1, rows),
        max(int((low_x - _HALF_PIECE) / CELL), 0),
        min(int((high_x + _HALF_PIECE) / CELL) + 1, columns),
    )


@loop
def _node_at(streets: Streets, x: float, y: float) -> int:
    """Return the node at a point: one that is near, or a new one, on the street there if there is one."""
    low_i, high_i, low_j, high_j = _cells(streets, x - SNAP, y - SNAP, x + SNAP, y + SNAP)
    best, on_piece = SNAP * SNAP, NOWHERE
    nearest = -1
    for i in range(low_i, high_i):
        for j in range(low_j, high_j):
            piece = streets.first[i, j]
            while piece >= 0:
                for node in (streets.tail[piece], streets.head[piece]):
                    dx, dy = streets.x[node] - x, streets.y[node] - y
                    if dx * dx + dy * dy < best:
                        best, nearest = dx * dx + dy * dy, node
                square, _ = _to_piece(streets, piece, x, y)
                if square < 16.0 and streets.bridge[piece] == 0:
                    on_piece = piece
                piece = streets.following[piece]
    if nearest >= 0:
        return nearest
    return _split(streets, on_piece, x, y) if on_piece >= 0 else _add_node(streets, x, y)


@part
def _to_piece(streets: Streets, piece: int, x: float, y: float) -> tuple[float, float]:
    """Return the squared distance from a point to a piece, and the piece's squared length."""
    ax, ay = streets.x[streets.tail[piece]], streets.y[streets.tail[piece]]
    ux, uy = streets.x[streets.head[piece]] - ax, streets.y[streets.head[piece]] - ay
    square = ux * ux + uy * uy
    share = min(max(((x - ax) * ux + (y - ay) * uy) / (square + 1e-9), 0.0), 1.0)
    dx, dy = ax + share * ux - x, ay + share * uy - y
    return dx * dx + dy * dy, square


@part
def first_crossing(streets: Streets, px: float, py: float, qx: float, qy: float, skip: int) -> tuple[int, float]:
    """Return the first piece that p → q crosses and at which share of the way, or (−1, 1).

    Pieces at the node ``skip`` do not count, nor do crossings in the first metre.
    """
    low_i, high_i, low_j, high_j = _cells(streets, min(px, qx), min(py, qy), max(px, qx), max(py, qy))
    dx, dy = qx - px, qy - py
    least = 1.0 / (np.sqrt(dx * dx + dy * dy) + 1e-9)
    found, best = -1, 1.0
    for i in range(low_i, high_i):
        for j in range(low_j, high_j):
            piece = streets.first[i, j]
            while piece >= 0:
                tail, head = streets.tail[piece], streets.head[piece]
                if skip not in (tail, head) and streets.bridge[piece] == 0:
                    ux, uy = streets.x[head] - streets.x[tail], streets.y[head] - streets.y[tail]
                    across = dx * uy - dy * ux
                    if across != 0.0:
                        wx, wy = streets.x[tail] - px, streets.y[tail] - py
                        share = (wx * uy - wy * ux) / across
                        along = (wx * dy - wy * dx) / across
                        if least < share <= best and 0.0 <= along <= 1.0:
                            found, best = piece, share
                piece = streets.following[piece]
    return found, best


@loop
def is_near(streets: Streets, x: float, y: float, dx: float, dy: float, radius: float) -> bool:
    """Return whether a street runs within the radius and, unless (dx, dy) is (0, 0), within 40° of that direction."""
    low_i, high_i, low_j, high_j = _cells(streets, x - radius, y - radius, x + radius, y + radius)
    any_way = dx == 0.0 and dy == 0.0
    for i in range(low_i, high_i):
        for j in range(low_j, high_j):
            piece = streets.first[i, j]
            while piece >= 0:
                square, length = _to_piece(streets, piece, x, y)
                if square < radius * radius:
                    tail, head = streets.tail[piece], streets.head[piece]
                    along = dx * (streets.x[head] - streets.x[tail]) + dy * (streets.y[head] - streets.y[tail])
                    if any_way or along * along > 0.587 * length:
                        return True
                piece = streets.following[piece]
    return False
