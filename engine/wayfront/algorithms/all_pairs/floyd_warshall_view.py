"""Show what the threads of Floyd–Warshall do in a step on a small graph."""

from __future__ import annotations

import numpy as np

from wayfront.search.step_view import Recorded
from wayfront.search.thread_grid import ROW, Blocks, Launch
from wayfront.trace.schema import NO_PATH


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
