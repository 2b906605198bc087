"""Turn street pieces into a road network: prune, straighten, make streets one-way, measure, number.

Growth leaves pieces of 25 m. Runs of pieces between junctions become few arcs: of all points that only shape a
street the most significant ones are kept (D. Douglas and T. Peucker, "Algorithms for the reduction of the number of
points required to represent a digitized line", The Canadian Cartographer 10(2), 1973), as many as the wanted
number of nodes leaves room for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.network.connectivity import strong_labels
from wayfront.network.earth import METRES_PER_DEGREE
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.synthetic.land import Land
from wayfront.synthetic.motorways import Roadworks
from wayfront.synthetic.portable_random import cosine_sine
from wayfront.synthetic.streets import MINOR, SECONDARY, Streets

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SPEEDS_KMH = np.array([30, 50, 70, 110])
"""Speed by road class."""

_COSINE_AT_CENTRE = 0.6427876096865394  # of 50° north
_CENTRE = (8_000_000, 50_000_000)
_ONE_WAY_FROM, _ONE_WAY_SHARE = 0.66, 0.5
_STUB = 30.0


@dataclass(slots=True)
class Pieces:
    """Straight pieces of road: end nodes, road class, and whether traffic runs only from tail to head."""

    tail: Ints
    head: Ints
    kind: NDArray[np.uint8]
    one_way: NDArray[np.bool_]

    def only(self, keep: NDArray[Any]) -> Pieces:
        """Return the pieces that a mask or a list of indices selects."""
        return Pieces(self.tail[keep], self.head[keep], self.kind[keep], self.one_way[keep])


def join(streets: Streets, works: Roadworks, land: Land, salt: int) -> tuple[Floats, Floats, Pieces]:
    """Return the nodes (x, y) and pieces of streets and motorways together, pruned, with one-way streets."""
    nodes, count = int(streets.counts[0]), int(streets.counts[1])
    positions = np.array(works.positions).reshape(-1, 2)
    x = np.concatenate((streets.x[:nodes], positions[:, 0]))
    y = np.concatenate((streets.y[:nodes], positions[:, 1]))
    one_way, turned = _one_way_lines(streets, land, salt)
    tail, head = streets.tail[:count].astype(np.int64), streets.head[:count].astype(np.int64)
    extra = np.array(works.pieces, np.int64).reshape(-1, 3)
    pieces = Pieces(
        np.concatenate((np.where(turned, head, tail), extra[:, 0])),
        np.concatenate((np.where(turned, tail, head), extra[:, 1])),
        np.concatenate((streets.kind[:count], extra[:, 2].astype(np.uint8))),
        np.concatenate((one_way, np.ones(len(extra), bool))),
    )
    return x, y, _prune(_without_twins(pieces), x, y, land)


def _one_way_lines(streets: Streets, land: Land, salt: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Choose which pieces are one-way, and which of these run against the direction in which they were laid.

    A street is one-way as a whole, by a draw; only small streets of the centre are.
    """
    count = int(streets.counts[1])
    tail, line = streets.tail[:count], streets.line[:count]
    rows = np.clip((streets.y[tail] / 100.0).astype(np.int64), 0, land.urban.shape[0] - 1)
    columns = np.clip((streets.x[tail] / 100.0).astype(np.int64), 0, land.urban.shape[1] - 1)
    central = land.urban[rows, columns] >= _ONE_WAY_FROM
    draws = np.random.PCG64(salt).random_raw(int(streets.counts[2]))
    chosen = (draws >> np.uint64(40)) < np.uint64(int(_ONE_WAY_SHARE * (1 << 24)))
    one_way = central & (streets.kind[:count] == MINOR) & chosen[line]
    return one_way, one_way & ((draws & np.uint64(1)) == 1)[line]


def _without_twins(pieces: Pieces) -> Pieces:
    """Return pieces with at most one between two nodes, but for one-way pairs in opposite directions."""
    forth = pieces.one_way
    low = np.where(forth, pieces.tail, np.minimum(pieces.tail, pieces.head))
    high = np.where(forth, pieces.head, np.maximum(pieces.tail, pieces.head))
    _, first = np.unique((low << 32) | high, return_index=True)
    return pieces.only(np.sort(first))


def _prune(pieces: Pieces, x: Floats, y: Floats, land: Land) -> Pieces:
    """Remove main roads that end without a junction, except those that leave the map, and tiny stubs of others."""
    inside = (np.minimum(x, land.width - x) > 60.0) & (np.minimum(y, land.height - y) > 60.0)
    length = _lengths(x, y, pieces.tail, pieces.head)
    alive = np.ones(len(length), bool)
    for _ in range(1000):
        live = np.flatnonzero(alive)
        degree = np.bincount(np.concatenate((pieces.tail[live], pieces.head[live])), minlength=len(x))
        loose = (degree == 1) & inside
        ends = loose[pieces.tail[live]] | loose[pieces.head[live]]
        gone = live[ends & ((pieces.kind[live] >= SECONDARY) | (length[live] < 0.5 * _STUB))]
        if not len(gone):
            break
        alive[gone] = False
    return pieces.only(alive)


def _lengths(x: Floats, y: Floats, a: Ints, b: Ints) -> Floats:
    dx, dy = x[a] - x[b], y[a] - y[b]
    return np.sqrt(dx * dx + dy * dy)


def junction_count(pieces: Pieces, nodes: int) -> int:
    """Return the number of nodes that must stay: junctions, ends, and nodes where a road changes its kind."""
    return int(_junctions(pieces, nodes).sum())


def _junctions(pieces: Pieces, nodes: int) -> NDArray[np.bool_]:
    both = np.concatenate((pieces.tail, pieces.head))
    degree = np.bincount(both, minlength=nodes)
    change = np.zeros(nodes, bool)
    for values in (pieces.kind.astype(np.int64), pieces.one_way.astype(np.int64)):
        total = np.zeros(nodes, np.int64)
        np.add.at(total, both, np.concatenate((values, values)))
        high = np.zeros(nodes, np.int64)
        np.maximum.at(high, both, np.concatenate((values, values)))
        change |= 2 * high != total
    ways = np.where(pieces.one_way, 1, 0)
    flow = np.zeros(nodes, np.int64)
    np.add.at(flow, both, np.concatenate((ways, -ways)))
    return (degree > 0) & ((degree != 2) | change | (flow != 0))


def straighten(x: Floats, y: Floats, pieces: Pieces, wanted: int) -> Pieces:
    """Return longer pieces over ``wanted`` nodes: all junctions and the points that shape streets most."""
    key = _junctions(pieces, len(x))
    order = np.argsort(np.concatenate((pieces.tail, pieces.head)), kind="stable")
    ends = np.concatenate((pieces.tail, pieces.head))
    starts = np.concatenate(([0], np.cumsum(np.bincount(ends, minlength=len(x)))))
    chain, bounds, first, along = _chains(pieces.tail, pieces.head, key, order % len(pieces.tail), starts)
    significance = _significance(x, y, chain, bounds)
    inner = np.flatnonzero((significance > 0) & ~key)
    ranked = inner[np.lexsort((inner, -significance[inner]))]
    keep = key.copy()
    keep[ranked[: max(0, wanted - int(key.sum()))]] = True
    kept = keep[chain]
    number = np.repeat(np.arange(len(first)), np.diff(bounds))[kept]
    nodes = chain[kept]
    same = number[1:] == number[:-1]
    a, b, number = nodes[:-1][same], nodes[1:][same], number[1:][same]
    forth = along[number]
    result = Pieces(
        np.where(forth, a, b), np.where(forth, b, a), pieces.kind[first[number]], pieces.one_way[first[number]]
    )
    return _without_twins(result.only(result.tail != result.head))


@loop
def _chains(
    tail: Ints, head: Ints, key: NDArray[np.bool_], incident: Ints, starts: Ints
) -> tuple[Ints, Ints, Ints, NDArray[np.bool_]]:
    """Walk from every key node along each piece to the next key node.

    Returns the nodes of all chains one after the other, the chains' bounds in them, each chain's first piece,
    and whether that piece was walked from tail to head.
    """
    count = len(tail)
    chain, bounds = np.empty(2 * count + 2, np.int64), np.zeros(count + 1, np.int64)
    first, along = np.empty(count, np.int64), np.empty(count, np.bool_)
    used = np.zeros(count, np.bool_)
    filled, chains = 0, 0
    for root in range(len(key)):
        if not key[root]:
            continue
        for index in range(starts[root], starts[root + 1]):
            piece = incident[index]
            if used[piece]:
                continue
            first[chains], along[chains] = piece, tail[piece] == root
            at = root
            chain[filled] = at
            filled += 1
            while True:
                used[piece] = True
                at = head[piece] if tail[piece] == at else tail[piece]
                chain[filled] = at
                filled += 1
                if key[at]:
                    break
                onward = incident[starts[at]]
                piece = incident[starts[at] + 1] if onward == piece else onward
            chains += 1
            bounds[chains] = filled
    return chain[:filled].copy(), bounds[: chains + 1].copy(), first[:chains].copy(), along[:chains].copy()


@loop
def _significance(x: Floats, y: Floats, chain: Ints, bounds: Ints) -> Floats:
    """Return for each inner node how far a street moves without it, in metres; a loop keeps points in its middle."""
    significance = np.zeros(len(x))
    stack = np.empty((len(chain) + 2, 2), np.int64)
    limit = np.empty(len(chain) + 2)
    for c in range(len(bounds) - 1):
        stack[0, 0], stack[0, 1], limit[0] = bounds[c], bounds[c + 1] - 1, 1e9
        is_loop = chain[bounds[c]] == chain[bounds[c + 1] - 1]
        depth = 1
        while depth:
            depth -= 1
            a, b, most = stack[depth, 0], stack[depth, 1], limit[depth]
            if b - a < 2:
                continue
            ax, ay = x[chain[a]], y[chain[a]]
            ux, uy = x[chain[b]] - ax, y[chain[b]] - ay
            square = ux * ux + uy * uy
            best, at = -1.0, a + 1
            for k in range(a + 1, b):
                wx, wy = x[chain[k]] - ax, y[chain[k]] - ay
                share = min(max((wx * ux + wy * uy) / (square + 1e-9), 0.0), 1.0)
                dx, dy = wx - share * ux, wy - share * uy
                if dx * dx + dy * dy > best:
                    best, at = dx * dx + dy * dy, k
            # A point is never more significant than the one whose removal comes first.
            most = min(most, np.sqrt(best) + 1e-6)
            if is_loop and (a == bounds[c] or b == bounds[c + 1] - 1) and most < 1e6:
                most = 1e6 if b - a > (bounds[c + 1] - bounds[c]) // 3 else most
            significance[chain[at]] = most
            stack[depth, 0], stack[depth, 1], limit[depth] = a, at, most
            stack[depth + 1, 0], stack[depth + 1, 1], limit[depth + 1] = at, b, most
            depth += 2
    return significance


def to_network(x: Floats, y: Floats, pieces: Pieces, land: Land, name: str, origin: str) -> RoadNetwork:
    """Return the largest strongly connected component as a network, its nodes in Morton order, with ids from 1."""
    pieces = _open_traps(pieces, len(x))
    tails, heads, kind = _arcs(pieces)
    kept = _largest_component(tails, heads, len(x))
    lon = _CENTRE[0] + np.rint((x - land.width / 2) * (1e6 / (METRES_PER_DEGREE * _COSINE_AT_CENTRE)))
    lat = _CENTRE[1] + np.rint((y - land.height / 2) * (1e6 / METRES_PER_DEGREE))
    coordinates = np.stack((lon, lat), axis=1).astype(np.int64)
    nodes = np.flatnonzero(kept)
    nodes = nodes[np.argsort(_morton(coordinates[nodes]), kind="stable")]
    number = np.full(len(x), -1, np.int64)
    number[nodes] = np.arange(len(nodes))
    inside = kept[tails] & kept[heads]
    tails, heads, kind = number[tails[inside]], number[heads[inside]], kind[inside]
    order = np.lexsort((heads, tails))
    tails, heads, kind = tails[order], heads[order], kind[order]
    decimetres = _decimetres(coordinates[nodes], tails, heads)
    speeds = SPEEDS_KMH[kind]
    milliseconds = np.maximum((decimetres * 360 + speeds // 2) // speeds, 1)
    return RoadNetwork.from_arcs(
        name=name,
        node_count=len(nodes),
        tails=tails,
        heads=heads,
        metrics=[
            Metric("length", "m", 0.1, decimetres.astype(np.int32)),
            Metric("travel time", "s", 0.001, milliseconds.astype(np.int32)),
        ],
        coordinates=coordinates[nodes],
        road_class=kind,
        attribution="Synthetic city, made by wayfront.synthetic",
        origin=origin,
    )


def _open_traps(pieces: Pieces, nodes: int) -> Pieces:
    """Make one-way streets two-way if they lead into or out of a component without a way back."""
    tails, heads, _ = _arcs(pieces)
    labels = _labels(tails, heads, nodes)
    trap = pieces.one_way & (pieces.kind == MINOR) & (labels[pieces.tail] != labels[pieces.head])
    return Pieces(pieces.tail, pieces.head, pieces.kind, pieces.one_way & ~trap)


def _arcs(pieces: Pieces) -> tuple[Ints, Ints, NDArray[np.uint8]]:
    back = ~pieces.one_way
    return (
        np.concatenate((pieces.tail, pieces.head[back])),
        np.concatenate((pieces.head, pieces.tail[back])),
        np.concatenate((pieces.kind, pieces.kind[back])),
    )


def _labels(tails: Ints, heads: Ints, nodes: int) -> NDArray[np.int32]:
    offsets = np.concatenate(([0], np.cumsum(np.bincount(tails, minlength=nodes))))
    return strong_labels(offsets, heads[np.argsort(tails, kind="stable")])


def _largest_component(tails: Ints, heads: Ints, nodes: int) -> NDArray[np.bool_]:
    return _labels(tails, heads, nodes) == 0


def _morton(coordinates: Ints) -> NDArray[np.uint64]:
    """Return the interleaved bits of both coordinates (Morton code), uint64 [n]."""
    spread = (coordinates - coordinates.min(axis=0)).astype(np.uint64)
    code = np.zeros(len(coordinates), np.uint64)
    for bit in range(26):
        for axis in range(2):
            code |= ((spread[:, axis] >> np.uint64(bit)) & np.uint64(1)) << np.uint64(2 * bit + axis)
    return code


def _decimetres(coordinates: Ints, tails: Ints, heads: Ints) -> Ints:
    """Return arc lengths on the sphere, flat between the two ends, in 0.1 m and at least 1."""
    gap = (coordinates[heads] - coordinates[tails]).astype(np.float64)
    middle = (coordinates[heads, 1] + coordinates[tails, 1]).astype(np.float64) / 2e6
    cosine, _ = cosine_sine(middle / 360.0)
    east, north = gap[:, 0] * cosine, gap[:, 1]
    metres = np.sqrt(east * east + north * north) * (METRES_PER_DEGREE / 1e6)
    return np.maximum(np.rint(metres * 10.0).astype(np.int64), 1)
