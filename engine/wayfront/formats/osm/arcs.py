"""Directed arcs on the way from roads to a network, and how chains of them become one arc.

A simplified network has an arc for each chain of arcs through nodes that only give a road its shape. A node is passed,
not met, when every traveller who comes through can only go straight on: it has exactly two neighbours, and either one
arc in and one out, or a pair of arcs with each neighbour. Where the class or the name of the road changes the node
stays, so that each chain has one of both. Everything else is kept: junctions, dead ends, ends of one-way streets, nodes
of loops and of parallel arcs. A ring without any such node keeps its first node, and so becomes an arc from that node
to itself. No shortest path starts, ends or turns at a passed node, so the distances between the nodes kept stay the
same; each arc is on exactly one chain. O(n + m).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.details import RoadNames, Shapes
from wayfront.network.schema import offsets_of


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """Directed arcs between nodes, before they are sorted into rows.

    node_ids int64 [n]; coordinates int32 [n, 2] microdegrees; tails, heads int32 [m]; lengths float64 [m] in 0.1 m;
    times float64 [m] in ms; road_class uint8 [m]; names; shapes or None; imputed bool [m]: the speed was assumed
    """

    node_ids: NDArray[np.int64]
    coordinates: NDArray[np.int32]
    tails: NDArray[np.int32]
    heads: NDArray[np.int32]
    lengths: NDArray[np.float64]
    times: NDArray[np.float64]
    road_class: NDArray[np.uint8]
    names: RoadNames
    shapes: Shapes | None
    imputed: NDArray[np.bool_]

    def chosen(self, arc: NDArray[np.integer]) -> Arcs:
        """Return the arcs with the indices ``arc``, in that order, between the same nodes."""
        return replace(
            self,
            tails=self.tails[arc],
            heads=self.heads[arc],
            lengths=self.lengths[arc],
            times=self.times[arc],
            road_class=self.road_class[arc],
            names=self.names.reordered(arc),
            shapes=None if self.shapes is None else self.shapes.reordered(arc),
            imputed=self.imputed[arc],
        )

    def between(self, kept: NDArray[np.bool_]) -> Arcs:
        """Return the same arcs, which all join nodes ``kept`` (bool [n]), without the other nodes."""
        number = (np.cumsum(kept) - 1).astype(np.int32)
        return replace(
            self,
            node_ids=self.node_ids[kept],
            coordinates=self.coordinates[kept],
            tails=number[self.tails],
            heads=number[self.heads],
        )


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """All arcs, chain after chain.

    kept     bool [n]: the nodes at which chains start and end
    offsets  int64 [c+1]: where each chain's arcs stand
    arcs     int64 [m]: the arcs in the order in which they are travelled
    """

    kept: NDArray[np.bool_]
    offsets: NDArray[np.int64]
    arcs: NDArray[np.int64]


def simplified(arcs: Arcs, met: NDArray[np.integer]) -> tuple[Arcs, NDArray[np.int64], int]:
    """Return one arc for each chain of arcs, with the nodes in between as its shape; nodes ``met`` stay in any case.

    Also the number of the chain of each arc, int64 [m], and how many nodes were passed.
    """
    chains = chains_of(len(arcs.node_ids), arcs.tails, arcs.heads, arcs.road_class, arcs.names.of_arc, met)
    begins, ends = chains.offsets[:-1], chains.offsets[1:] - 1
    inner = np.ones(len(chains.arcs), bool)
    inner[ends] = False  # the head of a chain's last arc is its end, not its shape
    shape_offsets = chains.offsets - np.arange(len(chains.offsets))
    whole = replace(
        arcs.chosen(chains.arcs[begins]),
        heads=arcs.heads[chains.arcs[ends]],
        lengths=np.add.reduceat(arcs.lengths[chains.arcs], begins),
        times=np.add.reduceat(arcs.times[chains.arcs], begins),
        shapes=Shapes(shape_offsets, arcs.coordinates[arcs.heads[chains.arcs[inner]]]),
        imputed=np.logical_or.reduceat(arcs.imputed[chains.arcs], begins),
    )
    number = np.empty(len(arcs.tails), np.int64)
    number[chains.arcs] = np.repeat(np.arange(len(begins)), np.diff(chains.offsets))
    return whole.between(chains.kept), number, int((~chains.kept).sum())


def chains_of(
    node_count: int,
    tails: NDArray[np.int32],
    heads: NDArray[np.int32],
    road_class: NDArray[np.uint8],
    names: NDArray[np.int32],
    met: NDArray[np.integer] | tuple[()] = (),
) -> Chains:
    """Return the chains of arcs ``tails[i]`` → ``heads[i]`` [m] with these classes and names [m].

    Nodes ``met`` are ends of chains whatever their arcs are like.
    """
    out_offsets, out_arcs = _rows(node_count, tails)
    in_offsets, in_arcs = _rows(node_count, heads)
    kept = np.ones(node_count, np.bool_)
    _mark_passed(out_offsets, out_arcs, in_offsets, in_arcs, tails, heads, road_class, names, kept)
    kept[np.asarray(met, np.int64)] = True
    offsets = np.empty(len(tails) + 1, np.int64)
    arcs = np.empty(len(tails), np.int64)
    count = _follow(out_offsets, out_arcs, tails, heads, kept, offsets, arcs)
    return Chains(kept, offsets[: count + 1].copy(), arcs)


def _rows(node_count: int, ends: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return offsets_of(np.bincount(ends, minlength=node_count)), np.argsort(ends, kind="stable")


@loop
def _mark_passed(
    out_offsets: Any,
    out_arcs: Any,
    in_offsets: Any,
    in_arcs: Any,
    tails: Any,
    heads: Any,
    kind: Any,
    name: Any,
    kept: Any,
) -> None:
    for node in range(len(kept)):
        outs = out_offsets[node + 1] - out_offsets[node]
        ins = in_offsets[node + 1] - in_offsets[node]
        if outs != ins or outs < 1 or outs > 2:
            continue
        out = out_arcs[out_offsets[node]]
        a, b = heads[out], tails[in_arcs[in_offsets[node]]]
        like = True
        if outs == 2:
            b = heads[out_arcs[out_offsets[node] + 1]]
            c, d = tails[in_arcs[in_offsets[node]]], tails[in_arcs[in_offsets[node] + 1]]
            like = (a == c and b == d) or (a == d and b == c)
        for index in range(outs):
            other, into = out_arcs[out_offsets[node] + index], in_arcs[in_offsets[node] + index]
            like = like and kind[other] == kind[out] and name[other] == name[out]
            like = like and kind[into] == kind[out] and name[into] == name[out]
        if like and a != b and node not in (a, b):
            kept[node] = False


@loop
def _follow(out_offsets: Any, out_arcs: Any, tails: Any, heads: Any, kept: Any, offsets: Any, arcs: Any) -> int:
    """Follow every arc from a kept node to the next kept node; return the number of chains."""
    n = len(kept)
    done = np.zeros(len(tails), np.bool_)
    chains, count = 0, 0
    for rings in range(2):  # first from the nodes kept, then round the rings that have none
        for node in range(n):
            if not kept[node] and rings == 0:
                continue
            for index in range(out_offsets[node], out_offsets[node + 1]):
                arc = out_arcs[index]
                if done[arc]:
                    continue
                kept[node] = True
                offsets[chains] = count
                chains += 1
                while True:
                    done[arc] = True
                    arcs[count] = arc
                    count += 1
                    came, at = tails[arc], heads[arc]
                    if kept[at]:
                        break
                    following = out_arcs[out_offsets[at]]
                    if heads[following] == came:
                        following = out_arcs[out_offsets[at] + 1]
                    arc = following
    offsets[chains] = count
    return chains
