"""Look into one step of a search on a small graph: what the search held after it, and what its threads did in it.

Either is a table that a window or a lesson shows. An algorithm declares both in a file of its family
(``Algorithm.state``, ``Algorithm.threads``); what was recorded of a step decides, nothing is searched again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CUDA, describe_device
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.small import SMALL
from wayfront.options import AUTO, OptionValue
from wayfront.search.registry import SearchKind, find_algorithm
from wayfront.search.thread_grid import Blocks, ThreadGrid
from wayfront.trace.schema import NO_PATH, Trace
from wayfront.trace.step_state import StateRow, StepState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wayfront.search.result import BaseResult


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """A search that was recorded, finished or not: what it ran on, by which algorithm, and its trace so far.

    ``network`` and ``metric`` are those that the search was given, without closed roads.
    """

    network: RoadNetwork
    metric: Metric
    algorithm: str
    options: Mapping[str, OptionValue]
    device: str
    trace: Trace

    @classmethod
    def of(cls, result: BaseResult) -> Recorded | None:
        """Return a finished search; None where nothing was recorded."""
        if result.trace is None:
            return None
        network, metric = result.searched
        return cls(network, metric, result.algorithm, result.options, result.device, result.trace)

    @property
    def whole(self) -> bool:
        """Whether its trace has every label and every node of each frontier, as those of small graphs do."""
        return self.trace.tentative is not None and self.trace.stride == 1

    def labels(self, done: int) -> NDArray[np.int64]:
        """Return the distances after so many steps [n], ``NO_PATH`` where none is known; only where it is ``whole``."""
        assert self.trace.tentative is not None
        return self.trace.tentative[done]

    def changed(self, step: int) -> NDArray[np.int64]:
        """Return the nodes whose distance fell in a step."""
        return np.flatnonzero(self.labels(step) != self.labels(step + 1))

    def reached(self, done: int) -> NDArray[np.int64]:
        """Return the nodes that have a distance after so many steps."""
        return np.flatnonzero(self.labels(done) != NO_PATH)

    def expanded_next(self, done: int) -> NDArray[np.integer]:
        """Return the nodes that the next step expands; after the last, those that changed in it and wait in vain."""
        return self.trace.frontier(done) if done < len(self.trace) else self.changed(done - 1)

    def row(self, title: str, nodes: NDArray[np.integer], done: int) -> StateRow:
        """Return a row with these nodes and their distances after so many steps."""
        return StateRow(title, tuple(nodes.tolist()), tuple(self.labels(done)[nodes].tolist()))

    def held(self, done: int, title: str) -> tuple[int, ...]:
        """Return the nodes that the search held under a title after so many steps; none where it did not say."""
        rows = self.trace.held(done) or ()
        return next((tuple(row.nodes) for row in rows if row.title == title), ())

    def blocks(self) -> tuple[Blocks, bool]:
        """Return how launches were made on its device, or would be on a card; and whether they were."""
        info = describe_device(self.device)
        facts = info.launches or describe_device(CUDA).launches
        assert facts is not None
        asked = self.options.get("block", AUTO)
        return Blocks(min(facts.block if asked == AUTO else int(asked), facts.most_block), facts), bool(info.launches)


def state_after(recorded: Recorded, done: int) -> StepState | None:
    """Return what a search on a small graph held after ``done`` steps, 0 … ``len(trace)``.

    None where its trace does not tell: of larger networks, of older files, and of algorithms that declare nothing.
    """
    state = find_algorithm(recorded.algorithm).state
    found: StepState | None = state(recorded, done) if state is not None and recorded.whole else None
    return found


def thread_grid(recorded: Recorded, step: int) -> ThreadGrid | None:
    """Return what the threads of a card did in a step, 0 … ``len(trace)`` − 1, as launched or as they would be.

    None where its trace does not tell, as above, and for searches without threads.
    """
    algorithm = find_algorithm(recorded.algorithm)
    threads, pairs = algorithm.threads, algorithm.kind is SearchKind.ALL_PAIRS
    small = recorded.network.node_count <= SMALL and recorded.trace.stride == 1
    if threads is None or not (small if pairs else recorded.whole):
        return None
    blocks, as_launched = recorded.blocks()
    return ThreadGrid(threads(recorded, step, blocks), as_launched)


def held_state(recorded: Recorded, done: int, title: str, columns: tuple[str, str, str]) -> StepState | None:
    """Return the rows that a search reported itself, under a title; None where its trace lacks them."""
    rows = recorded.trace.held(done)
    return None if rows is None else StepState(title, columns, rows)
