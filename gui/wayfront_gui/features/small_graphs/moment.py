"""What a search has done on a small graph by a step: the label of every node, and its state. No Qt.

A node is *settled* once no later step expands it and its label is final. It is known only afterwards of a search that
corrects labels, so it is read from the whole trace; in Dijkstra's it is when the node leaves the queue.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.safe.errors import OptionError
from wayfront.searching.registry import find_algorithm
from wayfront.trace.schema import Trace
from wayfront.trace.step_views import NO_ARC, Relaxing, StepArcs, arcs_of_step
from wayfront_gui.features.small_graphs.graph import SmallGraph
from wayfront_gui.features.small_graphs.words import INFINITE, NO_LABEL, NOT_KNOWN

if TYPE_CHECKING:
    from wayfront.results.result import Result
    from wayfront_gui.session.pairs import Pairs


Int64Array = NDArray[np.int64]
Int32Array = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """A small graph after a step of a search.

    labels, before   int64 [n]: the nodes' tentative distances after the step and before it, ``NO_LABEL`` for infinity,
                     ``NOT_KNOWN`` where a trace does not say
    frontier         bool [n]: expanded in this step
    settled          bool [n]: done with
    changed          bool [n]: their labels fell in this step
    parents          int32 [n]: the arc that gave each node its label, ``NO_ARC`` for none
    tried            bool [m]: arcs that this step tried;  improving: those that lowered a distance
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


def finished(
    network: RoadNetwork,
    metric: Metric,
    distances: NDArray[Any],
    parents: Int32Array,
    closed: NDArray[Any] | None = None,
    *,
    reverse: bool = False,
) -> Moment:
    """Return a small graph with a finished tree; ``distances`` [n] as in a ``Result``, ``closed`` arcs are no part."""
    reached = distances != NO_PATH
    labels = np.where(reached, distances, NO_LABEL).astype(np.int64)
    tails, heads = (network.targets, network.tails()) if reverse else (network.tails(), network.targets)
    tight = (parents[heads] == tails) & reached[heads]
    if closed is not None:
        tight[closed] = False
    tight[tight] = distances[tails[tight]].astype(np.int64) + metric.weights[tight] == distances[heads[tight]]
    bare = untouched(network)
    arcs = np.flatnonzero(tight)[::-1]
    gave = bare.parents.copy()
    gave[heads[arcs]] = arcs  # of several to one head the first
    return replace(bare, labels=labels, before=labels, settled=reached, parents=gave, finished=True)


class Steps:
    """The moments of one trace; ``distances`` [n] are the final ones, None for a search that still runs.

    ``closed`` are the arcs that the search does not take, ``relaxing`` the order in which it relaxes the others; with
    ``reverse`` it follows them from their heads to their tails.
    ``labels`` int64 [steps + 1, n] are those before the first step and after each.
    """

    def __init__(
        self,
        network: RoadNetwork,
        metric: Metric,
        trace: Trace,
        distances: NDArray[Any] | None,
        closed: NDArray[Any] | None = None,
        relaxing: Relaxing = Relaxing.IN_TURN,
        *,
        reverse: bool = False,
    ) -> None:
        self._network, self._metric, self._trace = network, metric, trace
        self._open = np.ones(network.arc_count, bool)
        if closed is not None:
            self._open[closed] = False
        self._of_network: NDArray[np.int32] | None = None
        if reverse:  # the arcs of the reversed network by those of the network
            order = network.in_arcs()[1]
            self._network, self._metric = network.reversed(), replace(metric, weights=metric.weights[order])
            self._open, self._of_network = self._open[order], order
        self._relaxing = relaxing
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
        frontier, tried, improving = np.zeros(n, bool), np.zeros(m, bool), np.zeros(m, bool)
        if step >= 0:
            frontier[trace.frontier(step)] = True
            arcs = self._arcs_of(step)
            tried, improving = self._by_network(arcs.tried), self._by_network(arcs.lowered)
        changed = (after != before) & (after != NO_LABEL)
        final = (trace.last_improved >= 0) & (trace.last_improved <= step)
        settled = final & (self._last_expanded <= step) & ~frontier
        if step == len(trace) - 1:
            settled |= final & ~frontier
        parents = self._parents_at(step)
        if self._of_network is not None:
            parents = np.where(parents == NO_ARC, NO_ARC, self._of_network[parents]).astype(np.int32)
        return Moment(after, before, frontier, settled, changed, parents, tried, improving)

    def _by_network(self, flags: Flags) -> Flags:
        """Return flags of the arcs that were searched, bool [m], by the numbers that the network has for these."""
        if self._of_network is None:
            return flags
        found = np.empty_like(flags)
        found[self._of_network] = flags
        return found

    def _arcs_of(self, step: int) -> StepArcs:
        labels = self.labels[step : step + 2]
        return arcs_of_step(self._network, self._metric, self._trace, step, labels, self._relaxing, searched=self._open)

    def _parents_at(self, step: int) -> Int32Array:
        """Return the arcs that gave labels up to a step [n]; found in turn, and kept."""
        while len(self._parents) < step + 2:
            gave, before = self._arcs_of(len(self._parents) - 1).gave, self._parents[-1]
            self._parents = np.concatenate([self._parents, np.where(gave == NO_ARC, before, gave)[None]])
        return self._parents[step + 1]


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


def _relaxing_of(result: Result) -> Relaxing:
    """Return in which order a search relaxed arcs; that of most where its algorithm is a plug-in's that is gone."""
    try:
        return find_algorithm(result.algorithm).relaxing_with(result.options)
    except OptionError:
        return Relaxing.IN_TURN


@dataclass(frozen=True, eq=False)
class ShownGraph:
    """A small graph, and of a search its steps and its tree, or those of all pairs; each None where there is none."""

    graph: SmallGraph
    steps: Steps | None = None
    tree: Moment | None = None
    pairs: PairSteps | None = None

    @classmethod
    def of(cls, network: RoadNetwork, metric: Metric | None = None) -> ShownGraph | None:
        """Return a network on which nothing is searched, None for one that is no small graph."""
        graph = SmallGraph.of(network, metric)
        return None if graph is None else cls(graph)

    def without_search(self, metric: Metric | None = None) -> ShownGraph:
        """Return the bare graph, with the weights of another metric if one is given."""
        graph = self.graph if metric is None else SmallGraph.of(self.graph.network, metric)
        return ShownGraph(graph or self.graph)

    def with_result(self, result: Result) -> ShownGraph:
        """Return the graph with a finished search of its network."""
        bare, metric = self.without_search(result.metric), result.metric
        network, distances = bare.graph.network, result.distances
        steps = None
        if result.trace is not None:
            relaxing = _relaxing_of(result)
            steps = Steps(network, metric, result.trace, distances, result.closures, relaxing, reverse=result.reverse)
        tree = finished(network, metric, distances, result.parents, result.closures, reverse=result.reverse)
        return replace(bare, steps=steps, tree=tree)

    def with_live(self, trace: Trace, distances: NDArray[Any] | None) -> ShownGraph:
        """Return the graph with a search that still runs."""
        steps = Steps(self.graph.network, self.graph.metric, trace, distances)
        return replace(self.without_search(), steps=steps)

    def with_pairs(self, pairs: Pairs) -> ShownGraph:
        """Return the graph with a search for all pairs, finished or not."""
        bare, trace = self.without_search(pairs.metric), pairs.trace
        if trace is None:
            return bare
        return replace(bare, pairs=PairSteps(pairs.network, trace, trace.matrices, pairs.matrix, pairs.sources))

    def with_tree(self, distances: NDArray[Any], parents: NDArray[np.int32]) -> ShownGraph:
        """Return the graph with a tree that follows its source."""
        tree = finished(self.graph.network, self.graph.metric, distances, parents)
        return replace(self.without_search(), tree=tree)

    def moment(self, step: float, source: int | None, *, whole: bool) -> Moment:
        """Return what is shown: the finished search if ``whole`` or where no steps are known, else a step of it.

        A step below 0 is the moment before the first one. Of all pairs those of ``source`` are shown.
        """
        if self.pairs is not None:
            return self.pairs.at(int(np.floor(step + 1e-9)), source, whole=whole)
        if self.steps is None or (whole and self.tree is not None):
            return self.tree or self._bare
        return self.steps.at(int(np.floor(step + 1e-9)))

    @cached_property
    def _bare(self) -> Moment:
        return untouched(self.graph.network)

    @cached_property
    def widest_label(self) -> str:
        """The longest text that any label has in any step."""
        shown = [of.labels for of in (self.steps, self.tree, self.pairs) if of is not None]
        labels = np.unique(np.concatenate([np.zeros(1, np.int64), *(np.ravel(each) for each in shown)]))
        texts = (self.graph.numbers.text(label) for label in labels.tolist())
        return max(texts, key=len, default=INFINITE)
