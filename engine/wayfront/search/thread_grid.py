"""Say which thread of a card took which node, arc or row in a step, and which had nothing to do.

An algorithm declares beside its kernels how their threads divide the work: a function of the recorded step, so that it
also tells of a search recorded on the processor how a card would launch it. What is shown are the threads of the step's
main launches; a grid is whole blocks, so that its last threads may be beyond the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import LaunchFacts

NOTHING = -1
"""What a thread beyond the work took."""

NODE, ARC, ROW, TILE = "node", "arc", "row", "tile"


@dataclass(frozen=True, slots=True, eq=False)
class Launch:
    """One launch of a kernel.

    kernel  the name of the kernel's body
    block   threads of a block
    warp    threads that run in step
    of      what the items are: "node" (internal number), "arc" (internal number), "row" (of the matrix) or
            "tile" (of the matrix, row by row)
    items   int32 [rounds, threads]: what each thread took, turn by turn where it takes several; ``NOTHING`` where it is
            beyond the work. Threads are whole blocks, and a block whole warps, but for blocks smaller than a warp
    busy    bool [rounds, threads]: whether it had something to do there beyond looking
    """

    kernel: str
    block: int
    warp: int
    of: str
    items: NDArray[np.int32]
    busy: NDArray[np.bool_]

    @property
    def threads(self) -> int:
        """Number of threads launched."""
        return self.items.shape[1]


@dataclass(frozen=True, slots=True, eq=False)
class ThreadGrid:
    """The launches of a step, and whether they were made on a device with blocks, or would be made so on a card."""

    launches: tuple[Launch, ...]
    as_launched: bool


@dataclass(frozen=True, slots=True)
class Blocks:
    """How launches are made: threads of a block as chosen, and what the device prefers."""

    block: int
    facts: LaunchFacts

    def launch(
        self, kernel: str, items: Sequence[int] | NDArray[np.integer], busy: NDArray[np.bool_], of: str = NODE
    ) -> Launch:
        """Return a launch of a thread an item, filled up to whole blocks."""
        return self.rounds(kernel, np.asarray(items, np.int32), busy, max(len(items), 1), of)

    def rounds(
        self, kernel: str, items: NDArray[np.int32], busy: NDArray[np.bool_], threads: int, of: str = NODE
    ) -> Launch:
        """Return a launch of so many threads, of which the i-th takes items i, i + threads and so on."""
        threads = -(-threads // self.block) * self.block
        rounds = max(1, -(-len(items) // threads))
        taken, at_work = np.full(rounds * threads, NOTHING, np.int32), np.zeros(rounds * threads, np.bool_)
        taken[: len(items)], at_work[: len(items)] = items, busy
        shape = (rounds, threads)
        return Launch(
            kernel, self.block, min(self.facts.warp, self.block), of, taken.reshape(shape), at_work.reshape(shape)
        )

    def nodes(self, kernel: str, node_count: int, busy: NDArray[np.integer]) -> Launch:
        """Return a launch of a thread a node, of which those of the listed nodes have something to do."""
        return self.launch(kernel, np.arange(node_count), np.isin(np.arange(node_count), busy))

    def listed(self, kernel: str, nodes: Sequence[int]) -> Launch:
        """Return a launch of a thread a listed node."""
        return self.launch(kernel, nodes, np.ones(len(nodes), np.bool_))

    def lanes(
        self,
        kernel: str,
        nodes: Sequence[int] | NDArray[np.integer],
        degrees: NDArray[np.int32],
        beyond: int = 0,
        lane_bits: int | None = None,
    ) -> Launch:
        """Return a launch of several threads a listed node, of which each takes every so many-th of its arcs.

        One without an arc has nothing to do. ``degrees`` [n] are the arcs of each node, ``beyond`` is for how many more
        nodes there are threads, and ``lane_bits`` the exponent of the threads a node where it is not the device's own.
        """
        lanes = 1 << (self.facts.lane_bits if lane_bits is None else lane_bits)
        items = np.repeat(np.asarray(nodes, np.int32), lanes)
        busy = np.tile(np.arange(lanes), len(nodes)) < degrees[items]
        none = beyond * lanes
        items = np.concatenate((items, np.full(none, NOTHING, np.int32)))
        return self.launch(kernel, items, np.concatenate((busy, np.zeros(none, np.bool_))))
