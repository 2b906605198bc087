"""Cut pieces until all are small, in several threads: the largest piece that waits is cut next.

A large piece is cut alone and its sides wait for any thread. A small one stays in its thread with all that it falls
into, level by level. The order in which threads finish does not show in the cells.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from threading import Condition, Thread, get_ident
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.components import cores, distribute
from wayfront.dissection.limits import SeparatorLimit
from wayfront.dissection.pieces import NO_PIECES, SEPARATOR, Labels, Pieces, select, split
from wayfront.dissection.separator import separate
from wayfront.dissection.shape import LEAF_NODES, Int32Array

_ALONE = 20_000
"""Nodes of a piece that is cut alone, and whose sides may be cut by other threads."""
SHARED = 3
"""Threads that are worth using for one piece: it has six directions, but they do not take equally long."""
_LOOK_S = 0.05
_SECONDS_A_NODE, _MEASURED = 3e-6, 264_346
"""What a node takes on each level, on one core, and in pieces of up to how many nodes: flows through larger ones are
sent along more lengths of paths, and their arrays are in no cache."""

Tell = Callable[[float], None]
"""Takes the fraction that is done."""


class Cutter(Protocol):
    """What cuts connected pieces in one thread."""

    def cut(self, pieces: Pieces, tell: Tell | None) -> Labels:
        """Return the label of every node, int8 [N]: sides, which need no separator between them, or separators.

        ``tell``, which only large pieces have, gets the fraction done.
        """
        ...

    def stop(self) -> None:
        """Let a cut that another thread makes end soon, by an exception or not."""
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...


class Recursion:
    """The cells found so far, and the pieces that wait to be cut.

    ``cell_of_node`` int32 [n] and ``parent`` are those of a cut that is finished once ``run`` returns.
    """

    def __init__(self, graph: Pieces, limit: SeparatorLimit) -> None:
        self.cell_of_node: Int32Array = np.zeros(len(graph.nodes), np.int32)
        self._parents = [np.array([-1], np.int32)]
        self._cell_count = 1
        self._limit = limit
        self._changed = Condition()
        self._waiting = [(-len(graph.nodes), 0, graph)]
        self._running = 0
        self._stopped = False
        self._failure: BaseException | None = None
        self.processor_s: float = 0.0
        """What the threads that cut took of the processor, without what they waited for others."""
        self._all = self._rest = effort(graph)
        self._begun: dict[int, float] = {}  # by thread: of a large piece that is being cut, what of its effort is done

    @property
    def parent(self) -> Int32Array:
        """The parent of each cell, int32 [c], parents first."""
        return np.concatenate(self._parents)

    def run(self, cutters: list[Cutter], report: Callable[[float], None]) -> None:
        """Cut all pieces, in a thread for each cutter; ``report`` gets the fraction done, and may raise to stop."""
        threads = [Thread(target=self._work, args=(cutter,), name="wayfront cut") for cutter in cutters]
        for thread in threads:
            thread.start()
        done = 0.0
        try:
            while any(thread.is_alive() for thread in threads):
                done = max(done, self._done())
                report(done)
                with self._changed:
                    if not self._ended():
                        self._changed.wait(_LOOK_S)
                if self._ended():
                    break
        finally:
            with self._changed:
                self._stopped = True
                self._changed.notify_all()
            for cutter in cutters:
                if not self._finished():
                    cutter.stop()
            for thread in threads:
                thread.join()
            for cutter in cutters:
                cutter.close()
        if self._failure is not None:
            raise self._failure

    def _done(self) -> float:
        with self._changed:
            return 1.0 - (self._rest - sum(self._begun.values())) / self._all if self._all else 1.0

    def _ended(self) -> bool:
        return self._failure is not None or self._finished()

    def _finished(self) -> bool:
        return not self._waiting and not self._running

    def _work(self, cutter: Cutter) -> None:
        """Cut what waits until nothing can come any more."""
        begun_s = time.thread_time()
        try:
            self._cut_waiting(cutter)
        finally:
            with self._changed:
                self.processor_s += time.thread_time() - begun_s

    def _cut_waiting(self, cutter: Cutter) -> None:
        while True:
            with self._changed:
                while not self._waiting and self._running and not self._stopped:
                    self._changed.wait()
                if self._stopped or not self._waiting:
                    return
                pieces = heapq.heappop(self._waiting)[2]
                self._running += 1
            try:
                self._cut_down(pieces, cutter)
            except BaseException as failure:
                self._failure = self._failure or failure
                self._stopped = True
            finally:
                with self._changed:
                    self._running -= 1
                    self._changed.notify_all()

    def _cut_down(self, pieces: Pieces, cutter: Cutter) -> None:
        """Cut pieces, and their sides if those are small; larger ones wait for any thread."""
        while len(pieces) and not self._stopped:
            alone = len(pieces.nodes) > _ALONE
            pieces = self._cut_level(pieces, cutter)
            if alone:
                with self._changed:
                    for index in range(len(pieces)):
                        piece = pieces.alone(index)
                        heapq.heappush(self._waiting, (-len(piece.nodes), int(piece.cells[0]), piece))
                    self._changed.notify_all()
                return

    def _cut_level(self, pieces: Pieces, cutter: Cutter) -> Pieces:
        """Cut pieces once, note their cells, and return the sides."""
        before = effort(pieces)
        self.cell_of_node[pieces.nodes] = np.repeat(pieces.cells, np.diff(pieces.offsets))
        large = np.diff(pieces.offsets) > LEAF_NODES
        if not large.any():
            with self._changed:
                self._rest -= before
            return NO_PIECES
        if not large.all():
            pieces = select(pieces, large)
        core, labels = cores(pieces)
        me, level = get_ident(), float(len(core.nodes))  # sides of equal size need a level less for each node

        def tell(fraction: float) -> None:
            with self._changed:
                self._begun[me] = fraction * level

        told = tell if len(pieces.nodes) > _ALONE else None
        labels = separate(pieces, distribute(pieces, labels, cutter.cut(core, told)))
        sizes = side_sizes(pieces, labels)
        self._limit.check(np.diff(pieces.offsets) - sizes.reshape(-1, 2).sum(axis=1))
        sides = split(pieces, labels, self._new_cells(pieces, sizes))
        with self._changed:
            self._rest -= before - effort(sides)
            self._begun.pop(me, None)
        return sides

    def _new_cells(self, pieces: Pieces, sizes: NDArray[np.int64]) -> Int32Array:
        """Return the cells of all sides, int32 [2 k], −1 for those without nodes."""
        cells = np.full(2 * len(pieces), -1, np.int32)
        there = sizes > 0
        with self._changed:
            cells[there] = self._cell_count + np.arange(np.count_nonzero(there), dtype=np.int32)
            self._parents.append(np.repeat(pieces.cells, 2)[there])
            self._cell_count += len(self._parents[-1])
        return cells


def effort(pieces: Pieces) -> float:
    """Return what it takes to cut pieces down, in nodes times levels; sides never take more than their piece."""
    sizes = np.diff(pieces.offsets)
    return float((sizes * np.log2(np.maximum(sizes / LEAF_NODES, 1.0))).sum())


def expected_seconds(node_count: int, threads: int) -> float:
    """Return about how long cutting a road network takes: a piece is shared by at most ``SHARED`` threads."""
    seconds, size = 0.0, float(node_count)
    while size > LEAF_NODES:
        pieces = node_count / size
        at_once = min(threads, pieces * max(1, min(SHARED, threads // math.ceil(pieces))))
        seconds += _SECONDS_A_NODE * max(1.0, size / _MEASURED) ** 0.4 * node_count / max(1.0, at_once)
        size /= 2.0
    return seconds


def side_sizes(pieces: Pieces, labels: Labels) -> NDArray[np.int64]:
    """Return the number of nodes on both sides of each piece, int64 [2 k]."""
    piece_of = np.repeat(np.arange(len(pieces)), np.diff(pieces.offsets))
    inside = labels != SEPARATOR
    return np.bincount(2 * piece_of[inside] + labels[inside], minlength=2 * len(pieces))
