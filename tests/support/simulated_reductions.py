"""What kernels find whose threads work together in a block, where there are more elements than threads.

A network of a few dozen nodes gives every thread of the simulator one node at most. Here blocks and elements are chosen
freely, and both forms of the kernels are run: that by shared memory, which the simulator takes, and that by shuffles,
which cards take.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest import mock

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms import bellman_ford_queue as queue_kernels
from wayfront.algorithms.bellman_ford_queue import ENDS, HEAD, SUM, SUMS, Queue, add_up
from wayfront.devices import open_device
from wayfront.devices.cuda_support import cuda, cuda_function
from wayfront.devices.device import BlockKernel
from wayfront.kernels import reduction
from wayfront.kernels.reduction import (
    NO_NODE,
    Nearest,
    Positions,
    Settling,
    nearest_of_shares,
    scan_shares,
    scan_totals,
)

INFINITY = 2**31 - 1


class Case:
    """Kernels in blocks of so many threads; ``wrong`` names those that found something else than NumPy."""

    def __init__(self, seed: int, block: int) -> None:
        """Begin with nothing wrong."""
        self.random, self.block, self.device = np.random.default_rng(seed), block, open_device("simulator")
        self.wrong = list[str]()

    def expect(self, what: str, truth: Any) -> None:
        """Note what is wrong."""
        if not truth:
            self.wrong.append(f"{what} in blocks of {self.block}")

    def settle(self) -> None:
        """Settle nodes, of equal distances the one with the smallest number, until none is left.

        The threads of two blocks take two nodes each, and some of them a third; where the second round begins and ends
        are the nodes that are not settled.
        """
        n, blocks = 5 * self.block + 5, 2
        threads = blocks * self.block
        left = [0, 1, threads - 1, threads, threads + 1, 2 * threads, n - 1]
        distances, settled = np.full(n, 9, np.int32), np.ones(n, np.int8)
        distances[left], settled[left] = [2, 2, INFINITY, 1, 2, 0, 2], 0
        distances[3] = 0
        expected = [2 * threads, threads, 0, 1, threads + 1, n - 1, NO_NODE]
        put, device = self.device.put, self.device
        nearest = Nearest(device.empty(blocks, np.int32), device.empty(blocks, np.int32))
        settling = Settling(*(put(array) for array in (settled, _zeros(1), np.full(n, NO_NODE, np.int32), _zeros(1))))
        find, on_card = device.prepare_blocks(nearest_of_shares, self.block), put(distances)
        for node in expected:
            find(blocks, n, INFINITY, on_card, settling.settled, nearest)
            self._choose(blocks, nearest, settling, node)
        self.expect("the order", device.get(settling.order, len(expected)).tolist() == expected)

    def choose(self, least: Sequence[int]) -> None:
        """Settle the nearest of more shares than threads, which is the smallest node of those that are least."""
        put, shares = self.device.put, 2 * self.block + 3
        distances, nodes = np.full(shares, 5, np.int32), self.random.permutation(shares).astype(np.int32)
        distances[least] = 3
        arrays = np.zeros(shares, np.int8), _zeros(1), _zeros(shares), _zeros(1)
        settling = Settling(*(put(array) for array in arrays))
        self._choose(shares, Nearest(put(distances), put(nodes)), settling, int(nodes[least].min()))

    def _choose(self, shares: int, nearest: Nearest, settling: Settling, expected: int) -> None:
        seen = self.device.empty(self.block, np.int32)
        kernel = BlockKernel(_settle, lambda *_: None)
        self.device.prepare_blocks(kernel, self.block)(1, shares, nearest, settling, seen)
        self.expect("the nearest node", (self.device.get(seen) == expected).all())

    def scan(self, n: int, blocks: int) -> None:
        """Add up the arcs before each of n listed nodes, and the shares' totals by one block."""
        put, get = self.device.put, self.device.get
        degrees = self.random.integers(0, 9, n)
        offsets = np.concatenate(([0], np.cumsum(degrees))).astype(np.int32)
        nodes = self.random.permutation(n).astype(np.int32)
        positions = Positions(self.device.empty(n, np.int32), put(np.zeros(blocks, np.int32)))
        self.device.prepare_blocks(scan_shares, self.block)(blocks, n, put(nodes), put(offsets), positions)
        before = np.cumsum(degrees[nodes]) - degrees[nodes]
        first = before[np.arange(n) // self.block * self.block]
        self.expect("sums within shares", (get(positions.within) == before - first).all())
        shares = np.add.reduceat(degrees[nodes], np.arange(0, n, self.block))
        self.expect("totals of shares", (get(positions.shares)[: len(shares)] == shares).all())
        totals = self.random.integers(0, 9, 2 * self.block + 5).astype(np.int32)
        scanned = put(totals)
        self.device.prepare_blocks(scan_totals, self.block)(1, len(totals), scanned)
        self.expect("totals", (get(scanned) == np.cumsum(totals) - totals).all())

    def add_up(self, waiting: int, blocks: int) -> None:
        """Add up the distances of queued nodes, whose places go round the ring's end."""
        put = self.device.put
        size = waiting + 7
        distances = self.random.integers(0, 99, size).astype(np.int32)
        ring, ends = self.random.permutation(size).astype(np.int32), np.zeros(ENDS, np.int32)
        ends[HEAD] = size - 5
        sums = put(np.zeros(SUMS, np.int64))
        queue = Queue(size, put(ring), put(np.zeros(size, np.int32)), put(ends), sums)
        self.device.prepare_blocks(add_up, self.block)(blocks, waiting, put(distances), queue)
        nodes = ring[(ends[HEAD] + np.arange(waiting)) % size]
        self.expect("the sum of distances", self.device.get(sums)[SUM] == distances[nodes].sum())


def _zeros(count: int) -> NDArray[np.int32]:
    return np.zeros(count, np.int32)


def _settle(shares: int, nearest: Nearest, settling: Settling, seen: Any) -> None:
    """Settle the nearest of all shares, and let every thread write which it sees."""
    reduction.settle_of_block(shares, nearest, settling)
    seen[cuda.threadIdx.x] = settling.chosen[0]


def wrong_reductions(seed: int) -> list[str]:
    """Return what is found wrongly in either form, in blocks of one warp and of several."""
    wrong = list[str]()
    forms = (
        (reduction._nearest_by_halves, reduction._sums_by_reach),
        (reduction._nearest_by_warps, reduction._sums_by_warps),
    )
    for nearest, sums in forms:
        with (
            mock.patch.object(reduction, "_nearest_of_block", cuda_function(nearest)),
            mock.patch.object(reduction, "sums_of_block", cuda_function(sums)),
            mock.patch.object(queue_kernels, "sums_of_block", cuda_function(sums)),
        ):
            for block in (32, 64):
                case = Case(seed, block)
                case.settle()
                for least in ([0], [block], [2 * block + 2], range(block, 2 * block), range(2, 2 * block, block)):
                    case.choose(least)
                case.scan(2 * block + 7, 3)
                case.add_up(3 * block + 1, 2)
                wrong += [f"{what} by {nearest.__name__}" for what in case.wrong]
    return wrong
