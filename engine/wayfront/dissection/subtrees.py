"""Cells shared out over threads of the host: subtrees, whose arrays lie side by side, and the few cells above them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from wayfront.dissection.shape import Dissection


def divided(cut: Dissection, threads: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Return cells, parents first, and below them subtrees, first cells and ends, of which there are some a thread."""
    ends, most, cell = cut.end, cut.cell_count // (4 * threads) if threads > 1 else cut.cell_count, 0
    above, subtrees = list[int](), list[tuple[int, int]]()
    while cell < cut.cell_count:
        if ends[cell] - cell > most:
            above.append(cell)
            cell += 1
        else:
            subtrees.append((cell, int(ends[cell])))
            cell = int(ends[cell])
    return above, subtrees


def side_by_side(work: Callable[[int, int], None], parts: list[tuple[int, int]], threads: int) -> None:
    """Do work on parts in so many threads."""
    if threads == 1:
        for part in parts:
            work(*part)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, *part) for part in parts]:
            done.result()
