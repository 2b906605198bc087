"""Show what the threads of the searches for all pairs do in a step on a small graph."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wayfront.algorithms.all_pairs.floyd_warshall_blocked_kernels import PART
from wayfront.options import AUTO
from wayfront.search.step_view import Recorded
from wayfront.search.thread_grid import NODE, ROW, TILE, Blocks, Launch
from wayfront.trace.schema import NO_PATH

_WIDTHS = (32, 64, 128)
_CHOSEN = 64
"""The width that a card chooses itself on a small graph."""


def block_a_row(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launch of a pivot: a block for each row, or for several, whose threads take entries side by side.

    A block has nothing to do where its row has no path to the pivot; neither has a thread beyond the row's entries.
    Steps that deliver rows have none.
    """
    n, pivot, matrices = recorded.network.node_count, recorded.trace.frontier(step), recorded.trace.matrices
    if recorded.trace.improved[step] or matrices is None or len(pivot) != 1:
        return ()
    rows = int(recorded.options.get("rows", 1))
    to_pivot = matrices[step].reshape(n, n)[:, pivot[0]] != NO_PATH
    to_pivot[pivot[0]] = False
    first = np.arange(0, n, rows, dtype=np.int32)
    items = np.repeat(first, blocks.block)
    at_work = np.array([to_pivot[row : row + rows].any() for row in first])
    busy = np.repeat(at_work, blocks.block) & (np.tile(np.arange(blocks.block), len(first)) < n)
    return (blocks.launch("improve_rows", items, busy, ROW),)


def block_a_tile(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launch of a phase of the blocked search: a block for each tile that it may improve.

    Tiles are numbered row by row. The blocks of the pivot's own row and column have nothing to do in the last phase.
    """
    trace = recorded.trace
    nodes, phase = trace.frontier(step), trace.step(step).note.phase
    if trace.improved[step] or not len(nodes):
        return ()
    width = _tile_width(recorded, blocks)
    sides, pivot = -(-recorded.network.node_count // width), int(nodes[0]) // width
    every = np.arange(sides)
    if phase == "pivot tile":
        kernel, row, column, at_work = "close_tile", np.array([pivot]), np.array([pivot]), np.ones(1, bool)
    elif phase == "rest":
        kernel, row, column = "join_rest", np.repeat(every, sides), np.tile(every, sides)
        at_work = (row != pivot) & (column != pivot)
    else:
        other, down = np.repeat(every, 2), np.tile([False, True], sides)
        kernel, row, column = "join_cross", np.where(down, other, pivot), np.where(down, pivot, other)
        at_work = other != pivot
    of_tile = replace(blocks, block=(width // PART) ** 2)
    items, busy = np.repeat(row * sides + column, of_tile.block), np.repeat(at_work, of_tile.block)
    return (of_tile.launch(kernel, items, busy, TILE),)


def _tile_width(recorded: Recorded, blocks: Blocks) -> int:
    """Return the rows of a tile: as many as asked for or chosen, but no tile was narrower than what it closed."""
    trace, asked = recorded.trace, recorded.options.get("tile", AUTO)
    widest = int(trace.frontier_size[trace.improved == 0].max())
    fitting = [width for width in _WIDTHS if (width // PART) ** 2 <= blocks.facts.most_block]
    least = max(widest, _CHOSEN if asked == AUTO else int(asked))
    return next((width for width in fitting if width >= least), fitting[-1])


def thread_a_source(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launch of a batch: a thread for each source, which searches from it alone; a block each by itself."""
    if recorded.options.get("block", AUTO) == AUTO:
        blocks = replace(blocks, block=1)
    return (blocks.listed("settle_nodes", recorded.trace.frontier(step).tolist()),)


def warp_a_node(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return a round of a batch: a thread for each node in each search, with work where the search has a source.

    The threads of a warp serve one node. Which of them found their node marked differs from round to round.
    """
    n, searches = recorded.network.node_count, int(recorded.options.get("searches", blocks.facts.warp))
    items = np.repeat(np.arange(n, dtype=np.int32), searches)
    busy = np.tile(np.arange(searches) < recorded.trace.frontier_size[step], n)
    kernel = "relax_together" if recorded.options.get("shared", True) else "relax_alone"
    return blocks.launch(kernel, items, busy, NODE), blocks.launch("update_tasks", items, busy, NODE)
