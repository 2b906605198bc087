"""Cut pieces in two by KaHIP.

Sanders and Schulz, "Think locally, act globally: highly balanced graph partitioning", SEA 2013.
"""

from __future__ import annotations

import numpy as np

from wayfront.dissection.components import LARGEST_SIDE
from wayfront.dissection.pieces import FIRST, SECOND, Labels, Pieces

_IMBALANCE = 2 * LARGEST_SIDE - 1
_FAST, _ECO = 0, 1
_ECO_NODES = 5000
"""Pieces with at least so many nodes are cut with more care: their separators are the large ones."""


def cut_with_kahip(pieces: Pieces) -> Labels:
    """Return the side of every node, ``FIRST`` or ``SECOND``, both of which occur in each connected piece."""
    import kahip

    sides = np.empty(len(pieces.nodes), np.int8)
    for piece in range(len(pieces)):
        starts, targets = pieces.graph(piece)
        n = len(starts) - 1
        mode = _ECO if n >= _ECO_NODES else _FAST
        ones = np.ones(max(n, len(targets)), np.int32)
        _, found = kahip.kaffpa(ones[:n], starts, ones[: len(targets)], targets, 2, _IMBALANCE, True, 1, mode)
        labels = np.array(found, np.int8)
        if labels.min() == labels.max():  # it may put all nodes on one side
            labels[: n // 2], labels[n // 2 :] = FIRST, SECOND
        sides[pieces.offsets[piece] : pieces.offsets[piece + 1]] = labels
    return sides
