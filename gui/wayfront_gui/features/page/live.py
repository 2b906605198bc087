"""What a page holds so that its source can be dragged: how the network is cut, and what each road weighs. No Qt.

The browser folds the cut's cells itself (``web/src/cut.ts``), in half a second for New York. What the folding makes is
thirteen times as large as cut and weights: these take 10 bits a node, since most weights follow from lengths.

    cut children   of each cell, in preorder: how many children it has, a byte
    cut cell       of each node: its cell, less that of the node before; signed
    along          of each edge: 0 where no arc leads from its smaller end to its larger one, else 1 + that arc's weight
                   less what is expected, signed: the heading's ``pace`` of its class times its length in 16ths of units
    against        the same for the other direction, less the weight along where there is one
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.store import dissection_of
from wayfront.network.schema import ROAD_CLASSES
from wayfront.safe.errors import OptionError
from wayfront_gui.features.page.coding import differences, signed, varints
from wayfront_gui.session.formatting import memory_size

if TYPE_CHECKING:
    from wayfront.dissection.shape import Dissection
    from wayfront.results.result import Result
    from wayfront_gui.features.page.content import Edges

MOST_BYTES = 1 << 30
"""What a browser keeps of folded cells at most: tabs that want much more are ended by some."""
FINER = 16
"""Lengths are whole numbers of such parts of a unit, so that browsers expect the same weights to the last digit."""
NONE = -1


def live_of(
    result: Result, edges: Edges, x: NDArray[np.int64], y: NDArray[np.int64]
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what heading and sections have of a search whose source can be dragged; x and y [n] are in units.

    Cuts the network unless its cut is kept. Raises ``OptionError`` for a network too large for browsers, and what
    refuses networks that cannot be cut.
    """
    network = result.network
    cut = dissection_of(network)
    assert cut is not None
    needed = bytes_in_browsers(cut)
    if needed > MOST_BYTES:
        raise OptionError(
            f"a browser would need {memory_size(needed)} to drag the source on {network.name}, which is more than most "
            "give to a page: write it without --live, or choose a part of the map"
        )
    cell_of_node = np.empty(cut.node_count, np.int64)
    cell_of_node[cut.node_at] = cut.cell_of
    along, against = _weights(result, edges)
    length = _lengths(edges, x, y)
    pace = _paces(edges.kind, length, along)
    expected = np.floor(length * np.array(pace)[edges.kind] + 0.5).astype(np.int64)
    beside = np.where(along == NONE, expected, along)
    heading = {"cells": cut.cell_count, "pace": pace}
    return heading, {
        "cut children": np.bincount(cut.parent[1:], minlength=cut.cell_count).astype(np.uint8).tobytes(),
        "cut cell": varints(signed(differences(cell_of_node))),
        "along": varints(np.where(along == NONE, 0, 1 + signed(along - expected))),
        "against": varints(np.where(against == NONE, 0, 1 + signed(against - beside))),
    }


def bytes_in_browsers(cut: Dissection) -> int:
    """Return how many bytes folded cells take in a browser."""
    own, border = np.diff(cut.offsets).astype(np.int64), np.diff(cut.border_offsets)
    inner = ~cut.is_leaf
    return 8 * int((own * border).sum() + (own * (own + border))[inner].sum())


def _weights(result: Result, edges: Edges) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the least weight along and against each edge, as the search followed arcs; ``NONE`` where none is open."""
    network = result.network
    arcs = np.ones(network.arc_count, np.bool_)
    arcs[result.closures] = False
    tails, heads = network.tails().astype(np.int64), network.targets.astype(np.int64)
    arcs &= tails != heads
    chosen = np.flatnonzero(arcs)
    of_arc = edges.of_arcs(network, chosen)
    upward = (tails[chosen] < heads[chosen]) != result.reverse
    weights = result.metric.weights[chosen].astype(np.int64)
    found = []
    for direction in (upward, ~upward):
        least = np.full(len(edges.low), np.iinfo(np.int64).max)
        np.minimum.at(least, of_arc[direction], weights[direction])
        found.append(np.where(least == np.iinfo(np.int64).max, NONE, least))
    return found[0], found[1]


def _lengths(edges: Edges, x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the length of each edge along its bends, in parts of units, each of its lines rounded down."""
    before = np.cumsum(edges.bends) - edges.bends
    ends = before + edges.bends + 2 * np.arange(1, len(edges.low) + 1)
    sides = []
    for of_nodes, of_bends in ((x, edges.x), (y, edges.y)):
        path = np.empty(len(of_bends) + 2 * len(edges.low), np.int64)
        inside = np.ones(len(path), np.bool_)
        inside[ends - 1] = inside[ends - 2 - edges.bends] = False
        path[ends - 2 - edges.bends], path[ends - 1] = of_nodes[edges.low], of_nodes[edges.high]
        path[inside] = of_bends
        sides.append(np.diff(path).astype(np.float64))
    parts = np.floor(FINER * np.sqrt(sides[0] * sides[0] + sides[1] * sides[1])).astype(np.int64)
    parts[ends[:-1] - 1] = 0  # from one edge to the next
    whole = np.concatenate([[0], np.cumsum(parts)])
    return whole[ends - 1] - whole[ends - 2 - edges.bends]


def _paces(kind: NDArray[np.uint8], length: NDArray[np.int64], along: NDArray[np.int64]) -> list[float]:
    """Return for each class the usual weight of a part of a unit."""
    paces = []
    for number in range(len(ROAD_CLASSES)):
        some = (kind == number) & (length > 0) & (along != NONE)
        paces.append(float(np.median(along[some] / length[some])) if some.any() else 0.0)
    return paces
