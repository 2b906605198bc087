"""Cut a network into cells: the pieces of one level in two, then their sides, until all are small."""

from __future__ import annotations

import time
from threading import Event

import numpy as np

from wayfront.dissection.borders import complete
from wayfront.dissection.components import cores, distribute
from wayfront.dissection.cut import cut_with_kahip
from wayfront.dissection.numbering import number
from wayfront.dissection.pieces import SEPARATOR, Pieces, select, split, whole
from wayfront.dissection.separator import separate
from wayfront.dissection.shape import LEAF_NODES, Dissection, Int32Array
from wayfront.errors import SearchCancelled
from wayfront.formats.progress import ProgressCallback
from wayfront.network.road_network import RoadNetwork


def dissect(
    network: RoadNetwork,
    *,
    method: str = "auto",
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> Dissection:
    """Cut a network into cells and return them. Raises ``SearchCancelled``."""
    begin = time.perf_counter()
    graph = whole(network.offsets, network.targets)
    cell_of_node = np.zeros(network.node_count, np.int32)
    parents = [np.array([-1], np.int32)]
    pieces = graph
    done = 0
    while len(pieces):
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("cutting was cancelled")
        cell_of_node[pieces.nodes] = np.repeat(pieces.cells, np.diff(pieces.offsets))
        pieces = select(pieces, np.diff(pieces.offsets) > LEAF_NODES)
        if not len(pieces):
            break
        core, labels = cores(pieces)
        labels = separate(pieces, distribute(pieces, labels, cut_with_kahip(core)))
        first_free = sum(map(len, parents))
        cells, parent = _children(pieces, labels, first_free)
        parents.append(parent)
        pieces = split(pieces, labels, cells)
        done += 1
        if progress is not None:
            progress("cutting", min(done / 20, 1.0))
    if progress is not None:
        progress("cutting", 1.0)
    cut_ms = 1e3 * (time.perf_counter() - begin)
    return complete(network, *number(graph, np.concatenate(parents), cell_of_node), "kahip", cut_ms)


def _children(pieces: Pieces, labels: np.ndarray, first_free: int) -> tuple[Int32Array, Int32Array]:
    """Return (cells [2 k], −1 for empty sides, parent of the new cells)."""
    piece_of = np.repeat(np.arange(len(pieces)), np.diff(pieces.offsets))
    inside = labels != SEPARATOR
    counts = np.bincount(2 * piece_of[inside] + labels[inside], minlength=2 * len(pieces))
    cells = np.full(2 * len(pieces), -1, np.int32)
    there = counts > 0
    cells[there] = first_free + np.arange(np.count_nonzero(there), dtype=np.int32)
    return cells, np.repeat(pieces.cells, 2)[there]
