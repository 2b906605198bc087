"""Look into one step of a search on a small graph: what its threads did in it, and what it did with each arc.

What was recorded of a step decides, nothing is searched again. An algorithm declares in a file of its family what its
search has in its queue or buckets (``Algorithm.state``) and how the threads of its kernels divide the work
(``Algorithm.threads``): a function of the recorded step, so that it also shows of a search recorded on the processor
how a card would launch it. Shown are the threads of the step's main launches; a grid is whole blocks, so that its last
threads may be beyond the work.

A step's arcs follow from the distances after every step, from the nodes that it expanded and from the order of
relaxing, which an algorithm declares (``Algorithm.relaxing``). Relaxing in turn lowers distances in place: an arc may
lower one that a later arc lowers again, and a node may be expanded at a distance that it had neither before the step
nor after it. At once, every offer is made from the distances before the step, and the least offer to a node counts. A
replay in that order is believed if it ends at the distances that were recorded. On a card threads relax in any order:
where none that is tried explains the distances, an arc lowered its head if it is tight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CUDA, describe_device
from wayfront.devices.device import LaunchFacts
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.options import AUTO, OptionValue
from wayfront.trace.schema import NO_PATH, StateRow, StepState, Trace

NOTHING = -1
"""What a thread beyond the work took."""

NODE, ARC, ROW, TILE = "node", "arc", "row", "tile"

NO_ARC = -1


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
    def of(cls, result: Any) -> Recorded | None:
        """Return the search of a result; None where nothing was recorded."""
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


def held_state(title: str, columns: tuple[str, str, str]) -> Callable[[Recorded, int], StepState | None]:
    """Return what finds the rows that a search reported itself, under a title; None where its trace lacks them."""

    def after(recorded: Recorded, done: int) -> StepState | None:
        rows = recorded.trace.held(done)
        return None if rows is None else StepState(title, columns, rows)

    return after


class Relaxing(StrEnum):
    """In which order a step relaxes the arcs of the nodes that it expands."""

    IN_TURN = "in turn"
    """Distances are lowered in place: what an arc lowers, those after it read."""
    AT_ONCE = "at once"
    """Offers are made from the distances before the step, which are lowered at its end."""
    BOTH_WAYS = "both ways"
    """One node after the other, of two trees: its arcs from the source, or those that enter it, from the target."""
    NO_ARCS = "no arcs"
    """It relaxes something else than arcs of the network."""


@dataclass(frozen=True, slots=True)
class StepArcs:
    """What a step did with the arcs.

    tried    bool [m]: arcs whose tails it expanded, of its phase where that tries light arcs or heavy ones
    lowered  bool [m]: those over which a distance fell
    gave     int32 [n]: of each node whose distance fell the arc that gave it the last one, ``NO_ARC`` for others
    """

    tried: NDArray[np.bool_]
    lowered: NDArray[np.bool_]
    gave: NDArray[np.int32]


def arcs_of_step(
    network: RoadNetwork,
    metric: Metric,
    trace: Trace,
    step: int,
    labels: NDArray[np.int64],
    relaxing: Relaxing,
    searched: NDArray[np.bool_] | None = None,
) -> StepArcs:
    """Return what a step did with the arcs of a network.

    ``labels`` int64 [2, n] are the distances before the step and after it, negative where there is none or none is
    known. ``searched`` bool [m] says which arcs the search was given, all by default.
    """
    given = np.ones(network.arc_count, bool) if searched is None else searched
    if relaxing is Relaxing.BOTH_WAYS:
        both = _both_ways(network, metric, trace, step, given)
        if both is not None:
            return both
    tried = np.zeros(network.arc_count, bool)
    if (
        relaxing is not Relaxing.NO_ARCS and trace.relaxations[step]
    ):  # a search to a target ends with a node it only takes
        tried = np.isin(network.tails(), trace.frontier(step)) & _of_phase(metric, trace, step) & given
    before, after = labels
    if relaxing is Relaxing.IN_TURN:
        for order in _orders(trace, step):
            found = _in_turn(network, metric, order, tried, before, after)
            if found is not None:
                return StepArcs(tried, *found)
    return StepArcs(tried, *_by_labels(network, metric, tried, before, after))


def _of_phase(metric: Metric, trace: Trace, step: int) -> NDArray[np.bool_]:
    """Return the arcs that a step's phase tries: those of Δ-stepping try light arcs, then heavy ones."""
    width = trace.bucket_high[step] - trace.bucket_low[step]
    phase, weights = trace.label_names[trace.labels[step, 2]], metric.weights
    if phase == "light arcs":
        return np.asarray(weights <= width)
    return np.asarray(weights > width) if phase == "heavy arcs" else np.ones(len(weights), bool)


def _orders(trace: Trace, step: int) -> Iterator[Sequence[int]]:
    """Yield orders in which a step may have expanded its nodes: of a list that the search held, and by their numbers.

    A search holds what it is to expand before the step, or reports after it what it did expand.
    """
    frontier = trace.frontier(step).tolist()
    for done in (step + 1, step):
        for row in trace.held(done) or ():
            if len(row.nodes) == len(frontier) and sorted(row.nodes) == frontier:
                yield row.nodes
    yield frontier


def _in_turn(
    network: RoadNetwork,
    metric: Metric,
    order: Sequence[int],
    tried: NDArray[np.bool_],
    before: NDArray[np.int64],
    after: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int32]] | None:
    """Relax the arcs of nodes in an order, in place; None if that does not end at the distances after the step."""
    at: list[Any] = [None if label < 0 else label for label in before.tolist()]
    lowered, gave = np.zeros(len(tried), bool), np.full(len(at), NO_ARC, np.int32)
    offsets, targets, weights = network.offsets.tolist(), network.targets.tolist(), metric.weights.tolist()
    takes = tried.tolist()
    for node in order:
        label = at[node]
        if label is None:
            continue
        for arc in range(offsets[node], offsets[node + 1]):
            head = targets[arc]
            if takes[arc] and (at[head] is None or label + weights[arc] < at[head]):
                at[head] = label + weights[arc]
                lowered[arc], gave[head] = True, arc
    found = np.array([NO_PATH if label is None else label for label in at], np.int64)
    return (lowered, gave) if (found == after).all() else None


def _both_ways(
    network: RoadNetwork, metric: Metric, trace: Trace, step: int, given: NDArray[np.bool_]
) -> StepArcs | None:
    """Search from both ends up to the step, at the end that is nearer; None where the trace does not say the ends."""
    ends = [row.nodes for row in trace.held(0) or ()]
    if [len(nodes) for nodes in ends] != [1, 1]:
        return None
    tails, heads, weights = network.tails(), network.targets, metric.weights
    trees, settled, found = [{nodes[0]: 0} for nodes in ends], set[int](), None
    for taken in range(step + 1):
        frontier = trace.frontier(taken).tolist()
        found = StepArcs(
            np.zeros(len(given), bool), np.zeros(len(given), bool), np.full(network.node_count, NO_ARC, np.int32)
        )
        if not trace.relaxations[taken]:
            continue
        least = [min((tree[node] for node in tree if node not in settled), default=None) for tree in trees]
        back = least[0] is None or (least[1] is not None and least[1] < least[0])
        tree, leaves, enters = trees[back], *((heads, tails) if back else (tails, heads))
        if len(frontier) != 1 or frontier[0] not in tree:
            return None
        for arc in np.flatnonzero(given & (leaves == frontier[0])).tolist():
            found.tried[arc] = True
            end, offer = int(enters[arc]), tree[frontier[0]] + int(weights[arc])
            if end not in tree or offer < tree[end]:
                tree[end] = offer
                found.lowered[arc], found.gave[end] = True, arc
        settled.add(frontier[0])
    return found


def _by_labels(
    network: RoadNetwork,
    metric: Metric,
    tried: NDArray[np.bool_],
    before: NDArray[np.int64],
    after: NDArray[np.int64],
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Take for each node that fell the first arc whose offer is its distance now, from its tail's before the step.

    Where there is none, its tail may have fallen in the same step, and then given the distance that it has now.
    """
    tails, heads = network.tails(), network.targets
    fell = tried & ((after != before) & (after >= 0))[heads]
    lowered, gave = np.zeros(len(tried), bool), np.full(len(after), NO_ARC, np.int32)
    for at_tail in (after, before):
        tight = np.flatnonzero(fell & (at_tail[tails] >= 0) & (at_tail[tails] + metric.weights == after[heads]))[::-1]
        gave[heads[tight]] = tight
    lowered[gave[gave != NO_ARC]] = True
    return lowered, gave
