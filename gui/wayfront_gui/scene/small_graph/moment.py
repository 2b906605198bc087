"""What a search has done on a small graph by a step: the label of every node, and its state. No Qt.

A node is *settled* once no later step expands it and its label is final. It is known only afterwards of a search that
corrects labels, so it is read from the whole trace; in Dijkstra's it is when the node leaves the queue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.trace.schema import Trace
from wayfront_gui.model.graph_numbers import NO_LABEL, NOT_KNOWN

Int64Array = NDArray[np.int64]
Int32Array = NDArray[np.int32]
Flags = NDArray[np.bool_]

NO_ARC = -1


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A small graph after a step of a search.

    labels, before   int64 [n]: the nodes' tentative distances after the step and before it, ``NO_LABEL`` for infinity,
                     ``NOT_KNOWN`` where a trace does not say
    frontier         bool [n]: expanded in this step
    settled          bool [n]: done with
    changed          bool [n]: their labels fell in this step
    parents          int32 [n]: the arc that gave each node its label, ``NO_ARC`` for none
    tried            bool [m]: arcs that this step tried;  improving: those that lowered a label
    finished         whether the search is over, so that nothing belongs to this step
    """

    labels: Int64Array
    before: Int64Array
    frontier: Flags
    settled: Flags
    changed: Flags
    parents: Int32Array
    tried: Flags
    improving: Flags
    finished: bool = False

    @property
    def labelled(self) -> Flags:
        """Which nodes have a label."""
        return self.labels != NO_LABEL


def untouched(network: RoadNetwork) -> Moment:
    """Return a small graph on which nothing has been searched."""
    n, m = network.node_count, network.arc_count
    none = np.full(n, NO_LABEL, np.int64)
    no_nodes, no_arcs = np.zeros(n, bool), np.zeros(m, bool)
    return Moment(none, none, no_nodes, no_nodes, no_nodes, np.full(n, NO_ARC, np.int32), no_arcs, no_arcs)


def finished(network: RoadNetwork, metric: Metric, distances: NDArray[Any], parents: Int32Array) -> Moment:
    """Return a small graph with a finished tree; ``distances`` [n] as in a ``Result``."""
    reached = distances < np.iinfo(distances.dtype).max
    labels = np.where(reached, distances, NO_LABEL).astype(np.int64)
    tails, heads = network.tails(), network.targets
    tight = (parents[heads] == tails) & reached[heads]
    tight[tight] = distances[tails[tight]].astype(np.int64) + metric.weights[tight] == distances[heads[tight]]
    bare = untouched(network)
    return Moment(
        labels=labels,
        before=labels,
        frontier=bare.frontier,
        settled=reached,
        changed=bare.changed,
        parents=_one_for_each(bare.parents, heads, tight),
        tried=bare.tried,
        improving=bare.improving,
        finished=True,
    )


class Steps:
    """The moments of one trace; ``distances`` [n] are the final ones, None for a search that still runs.

    ``closed`` are the arcs that the search does not take. ``labels`` int64 [steps + 1, n] are those before the first
    step and after each.
    """

    def __init__(
        self,
        network: RoadNetwork,
        metric: Metric,
        trace: Trace,
        distances: NDArray[Any] | None,
        closed: NDArray[Any] | None = None,
    ) -> None:
        self._network, self._metric, self._trace = network, metric, trace
        self._open = np.ones(network.arc_count, bool)
        if closed is not None:
            self._open[closed] = False
        self.labels = _labels(trace, network.node_count, distances)
        self._last_expanded = np.full(network.node_count, len(trace), np.int64)
        for step in range(len(trace)):
            self._last_expanded[trace.frontier(step)] = step
        self._parents = np.full((1, network.node_count), NO_ARC, np.int32)

    def at(self, step: int) -> Moment:
        """Return the moment after a step, before the first one for −1."""
        trace, n, m = self._trace, self._network.node_count, self._network.arc_count
        step = min(step, len(trace) - 1)
        after, before = self.labels[step + 1], self.labels[max(step, 0)]
        frontier, tried = np.zeros(n, bool), np.zeros(m, bool)
        if step >= 0:
            frontier[trace.frontier(step)] = True
            tried = frontier[self._network.tails()] & self._open & self._of_phase(step)
        changed = (after != before) & (after != NO_LABEL)
        parents = self._parents_at(step)
        improving = np.zeros(m, bool)
        improving[parents[changed & (parents != NO_ARC)]] = True
        final = (trace.last_improved >= 0) & (trace.last_improved <= step)
        settled = final & (self._last_expanded <= step) & ~frontier
        if step == len(trace) - 1:
            settled |= final & ~frontier
        return Moment(after, before, frontier, settled, changed, parents, tried, improving)

    def _of_phase(self, step: int) -> Flags:
        """Return the arcs that a step's phase tries: those of Δ-stepping try light arcs, then heavy ones."""
        width = self._trace.bucket_high[step] - self._trace.bucket_low[step]
        phase, weights = self._trace.label_names[self._trace.labels[step, 2]], self._metric.weights
        if phase == "light arcs":
            return np.asarray(weights <= width)
        return np.asarray(weights > width) if phase == "heavy arcs" else np.ones(len(weights), bool)

    def _parents_at(self, step: int) -> Int32Array:
        """Return the arcs that gave labels up to a step [n]; found in turn, and kept."""
        while len(self._parents) < step + 2:
            done = len(self._parents) - 1
            self._parents = np.concatenate([self._parents, self._next_parents(done)[None]])
        return self._parents[step + 1]

    def _next_parents(self, step: int) -> Int32Array:
        """Return the arcs that gave labels after a step: one over which a label fell, from what its tail had then."""
        network, weights = self._network, self._metric.weights
        tails, heads = network.tails(), network.targets
        before, after = self.labels[step], self.labels[step + 1]
        fell = (after != before)[heads] & (after[heads] >= 0) & self._open
        parents = self._parents[step]
        for at_tail in (after, before):
            # A step of several passes may lower a tail once more after it gave a label, so both are looked at.
            gave = fell & (at_tail[tails] >= 0) & (at_tail[tails] + weights == after[heads])
            parents = _one_for_each(parents, heads, gave)
        return parents


class PairSteps:
    """The moments of a search for all pairs, seen from one source.

    ``matrices`` [steps + 1, n · n] are those before the first pivot and after each; of a search that finishes rows
    they are None, and ``rows`` [sources, n] are the distances from its ``sources``. ``labels`` are all that occur.
    """

    def __init__(
        self,
        network: RoadNetwork,
        trace: Trace,
        matrices: NDArray[Any] | None,
        rows: NDArray[Any] | None,
        sources: NDArray[np.int32],
    ) -> None:
        self._network, self._trace, self._matrices, self._rows = network, trace, matrices, rows
        self._sources = sources
        held = [each for each in (matrices, rows) if each is not None]
        self.labels = np.unique(held[0]) if held else np.zeros(0, np.int64)

    def at(self, step: int, source: int | None, *, whole: bool) -> Moment:
        """Return the moment after a step, with the distances from a source; ``whole`` is the finished search.

        Before the first step, at −1, these are the weights of its arcs where pivots follow.
        """
        bare, last = untouched(self._network), len(self._trace) - 1
        step = last if whole else min(step, last)
        if source is None:
            return bare
        after, before = (self._labels(max(each, -1), source) for each in (step, step - 1))
        frontier = bare.frontier.copy()
        if step >= 0 and not whole:
            frontier[self._trace.frontier(step)] = True
        settled = after != NO_LABEL if whole else bare.settled
        changed = bare.changed if whole else (after != before) & (after != NO_LABEL)
        return replace(
            bare, labels=after, before=before, frontier=frontier, settled=settled, changed=changed, finished=whole
        )

    def _labels(self, step: int, source: int) -> Int64Array:
        n = self._network.node_count
        if self._matrices is not None:
            return np.asarray(self._matrices[step + 1].reshape(n, n)[source], np.int64)
        row = np.flatnonzero(self._sources == source)
        if self._rows is None or not len(row) or self._trace.first_reached[source] > step:
            return np.full(n, NO_LABEL, np.int64)
        return np.asarray(self._rows[row[0]], np.int64)


def _one_for_each(parents: Int32Array, heads: Int32Array, chosen: Flags) -> Int32Array:
    """Return parents [n] with the first chosen arc to each head in place of what it had."""
    arcs = np.flatnonzero(chosen)[::-1]
    result = parents.copy()
    result[heads[arcs]] = arcs
    return result


def _labels(trace: Trace, n: int, distances: NDArray[Any] | None) -> Int64Array:
    """Return the labels before the first step and after each, int64 [steps + 1, n], as far as the trace says them."""
    if trace.tentative is not None:
        return trace.tentative
    steps = np.arange(-1, len(trace))[:, None]
    labels = np.full((len(trace) + 1, n), NO_LABEL, np.int64)
    labels[(steps >= trace.first_reached) & (trace.first_reached >= 0)] = NOT_KNOWN
    if distances is not None:
        final = np.broadcast_to(distances.astype(np.int64), labels.shape)
        known = (steps >= trace.last_improved) & (trace.last_improved >= 0)
        labels[known] = final[known]
    return labels
