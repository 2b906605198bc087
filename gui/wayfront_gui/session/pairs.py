"""What an all-pairs search has found so far, as the window shows it: a value of every source, diameter, centre."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import NOTHING_CLOSED, without_arcs
from wayfront.network.copies import begin_of, copies_of, end_of, node_count_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.pairs import Centre, Pair, PairsResult, PairsSummary
from wayfront.results.result import Result
from wayfront.trace.pivots import improve_by_pivots, matrix_of_arcs
from wayfront.trace.schema import NO_PATH, Trace
from wayfront_gui.session.routes import Route, arcs, no_way
from wayfront_gui.ui.translation import marked, translated

MOST_MATRIX_NODES = 512
"""Networks of more nodes have no matrix on the screen: its cells would be smaller than pixels."""
OUTER_SHARE = 0.005
"""Share of the values at either end that have the first or the last colour, so that a few do not take all others."""
MANY = 0.5
"""Share of the most nodes that a source reaches from which on another one reaches many."""
MOST_VALUES = 200_000
"""Number of values from which the ends of the colours are found."""


class Measure(StrEnum):
    """By what a source's node is coloured."""

    CLOSENESS = "closeness"
    ECCENTRICITY = "eccentricity"


MEASURE_LABELS = {Measure.CLOSENESS: marked("Closeness"), Measure.ECCENTRICITY: marked("Eccentricity")}
"""The name of each measure in the menu, the search panel and the search box."""
MEASURE_HINTS = {
    Measure.CLOSENESS: marked(
        "Colour sources of all pairs by closeness outward, how near they are to all others: 1 / mean distance"
    ),
    Measure.ECCENTRICITY: marked("Colour sources of all pairs by their distance to the node farthest from them"),
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """The sources of one all-pairs search, and what is known of each.

    sources  int32 [k], internal node numbers
    figures  of the same length; ``done`` tells which sources are finished
    trace    the steps so far, or those of the finished search; None if nothing was recorded
    result   of a finished search; None while it runs, and for one that was stopped
    closures  int64 [c], internal numbers of the arcs that are closed for the search; ``network`` has them all
    """

    network: RoadNetwork
    metric: Metric
    sources: NDArray[np.int32]
    figures: PairsSummary
    trace: Trace | None
    result: PairsResult | None = None
    closures: NDArray[np.int64] = field(default_factory=lambda: NOTHING_CLOSED)

    @classmethod
    def of(cls, result: PairsResult) -> Pairs:
        """Return what a finished search found."""
        return cls(result.network, result.metric, result.sources, result.figures, result.trace, result, result.closures)

    @cached_property
    def searched(self) -> tuple[RoadNetwork, Metric]:
        """The network without the closed arcs, which the search was given, and its metric."""
        network = without_arcs(self.network, self.closures)
        return network, network.metric(self.metric.name)

    @cached_property
    def _done(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.figures.done)

    @property
    def finished(self) -> int:
        """The number of finished sources."""
        return len(self._done)

    @property
    def sampled(self) -> bool:
        """Whether only some nodes are sources."""
        return len(self.sources) < node_count_of(self.network)

    @property
    def scope(self) -> str:
        """Which sources diameter and centre are of where these are not all nodes, for example ``sampled sources``."""
        if self.sampled:
            return "sampled sources"
        return "" if self.finished == len(self.sources) else "finished sources"

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        """Where each node is among the sources, whichever copy names it, -1 for one that is none."""
        places = np.full(self.network.node_count, -1, np.int32)
        places[self.sources] = np.arange(len(self.sources), dtype=np.int32)
        return places[begin_of(self.network, np.arange(len(places), dtype=np.int32))]

    def _place(self, node: int) -> int | None:
        """Return where a finished source is in the arrays by source, None for any other node."""
        place = int(self._places[node])
        return place if place >= 0 and self.figures.done[place] else None

    def prepare(self) -> Pairs:
        """Find now what would be found when it is first asked for: on the engine thread, so that no frame waits."""
        _ = self._places, self._by_measure, self.diameter, self.centre
        return self

    # ------------------------------------------------------------------------------------------- of the whole network

    @cached_property
    def diameter(self) -> Pair | None:
        """The largest distance between a finished source and a node, None before there is one above 0."""
        found = self.figures.diameter(self.sources, self.network.node_ids)
        return None if found is None or found.distance == 0 else found

    @cached_property
    def centre(self) -> Centre | None:
        """The finished source of the smallest eccentricity in the largest strongly connected component."""
        return self.figures.centre(self.sources, self.searched[0])

    # --------------------------------------------------------------------------------------------------- by source

    @cached_property
    def _by_measure(self) -> dict[Measure, NDArray[np.float64]]:
        """The values of finished sources."""
        closeness = self.figures.closeness(node_count_of(self.network))[self._done]
        eccentricity = self.figures.eccentricity[self._done].astype(np.float64)
        return {Measure.CLOSENESS: closeness, Measure.ECCENTRICITY: eccentricity}

    def scale(self, measure: Measure) -> tuple[float, float]:
        """Return the values that have the first and the last colour.

        Only sources that reach many nodes count: others, in small components, are near to all that they reach.
        """
        reached = self.figures.reached[self._done]
        values = self._by_measure[measure][reached >= MANY * reached.max(initial=0)]
        values = values[np.isfinite(values)]
        if not len(values):
            return 0.0, 0.0
        low, high = np.quantile(values[:: -(-len(values) // MOST_VALUES)], (OUTER_SHARE, 1 - OUTER_SHARE))
        return float(low), float(high)

    def colours(self, measure: Measure) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return the finished sources that reach another node, all copies, and each one's row of the colour map."""
        some = self.figures.reached[self._done] > 1
        values, (low, high) = self._by_measure[measure][some], self.scale(measure)
        share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
        rows = np.round(255 * np.clip(share, 0.0, 1.0)).astype(np.uint8)
        copies, whose = copies_of(self.network, self.sources[self._done[some]])
        return copies, rows[whose]

    def describe(self, value: float, measure: Measure) -> str:
        """Return a value with its unit: ``12.3 km``, or ``1 / 4.56 km`` for a closeness."""
        if measure is Measure.ECCENTRICITY:
            return self.metric.describe(round(value))
        return f"1 / {self.metric.describe(round(1 / value))}" if value > 0 else "0"

    def about(self, node: int) -> list[str]:
        """Return what is known of a node as a source."""
        place = self._place(node)
        if place is None:
            return [translated("no source") if self._places[node] < 0 else translated("not finished")]
        others = int(self.figures.reached[place]) - 1
        if others == 0:
            return [translated("reaches no other node")]
        far, mean = int(self.figures.eccentricity[place]), round(int(self.figures.total[place]) / others)
        end = self.network.node_name(int(self.figures.farthest[place]))
        facts = [
            translated("eccentricity {distance}, to node {node}", distance=self.metric.describe(far), node=end),
            translated("mean {distance}", distance=self.metric.describe(mean)),
        ]
        if others < node_count_of(self.network) - 1:
            facts.append(translated("reaches {nodes:,} nodes", nodes=others + 1))
        return facts

    def farthest(self, node: int) -> int | None:
        """Return the node farthest from a finished source, None if it is none or reaches no other."""
        place = self._place(node)
        return None if place is None or self.figures.reached[place] < 2 else int(self.figures.farthest[place])

    # --------------------------------------------------------------------------------------------------- the matrix

    @cached_property
    def matrix(self) -> NDArray[Any] | None:
        """The distances of a small network by source and node, -1 where there is no path; None if they are not kept."""
        kept = None if self.result is None else self.result.matrix
        return None if kept is None or self.network.node_count > MOST_MATRIX_NODES else np.asarray(kept)

    def distance(self, source: int, target: int) -> int | None:
        """Return a distance of the matrix, -1 where there is no path; None where it is not known."""
        place = self._place(source)
        return None if self.matrix is None or place is None else int(self.matrix[place, end_of(self.network, target)])

    def route(self, source: int, target: int) -> NDArray[np.int32] | None:
        """Return the nodes of a shortest path by the matrix, empty if there is none; None where it is not known."""
        place = self._place(source)
        if self.matrix is None or place is None:
            return None
        begin, end = begin_of(self.network, source), end_of(self.network, target)
        return tight_path(*self.searched, self.matrix[place], begin, end)


def tight_path(
    network: RoadNetwork, metric: Metric, distances: NDArray[Any], source: int, target: int
) -> NDArray[np.int32]:
    """Return the shortest path of fewest arcs, int32 nodes from source to target; empty if there is none.

    ``distances`` [n] are those from the source, -1 where there is no path. Each node is visited once, since arcs of
    weight zero may form cycles.
    """
    before = {source: source}
    waiting = deque([source])
    while waiting and target not in before:
        tail = waiting.popleft()
        for arc in range(int(network.offsets[tail]), int(network.offsets[tail + 1])):
            head = int(network.targets[arc])
            if head not in before and distances[head] == distances[tail] + metric.weights[arc]:
                before[head] = tail
                waiting.append(head)
    if target not in before:
        return np.empty(0, np.int32)
    path = [target]
    while path[-1] != source:
        path.append(before[path[-1]])
    return np.array(path[::-1], np.int32)


DIAMETERS = {
    "": marked("Diameter from node {source} to node {target}: {length} over {arcs}"),
    "sampled sources": marked(
        "Diameter of the sampled sources from node {source} to node {target}: {length} over {arcs}"
    ),
    "finished sources": marked(
        "Diameter of the finished sources from node {source} to node {target}: {length} over {arcs}"
    ),
}
"""What the longest shortest path is, by the sources that it is found among."""


class Ends(NamedTuple):
    """Two nodes, internal numbers; without a target the pair is that of the node farthest from the source."""

    source: int
    target: int | None


class PairRoute:
    """The pair that was chosen, the one under the pointer, and the tree from the chosen one's source."""

    def __init__(self) -> None:
        self.chosen: Ends | None = None
        self.hovered: Ends | None = None
        self.tree: Result | None = None

    def forget(self) -> None:
        """Show no pair: another search follows."""
        self.chosen = self.hovered = self.tree = None

    def ends(self, pairs: Pairs) -> Ends | None:
        """Return the pair that is shown, with its target as soon as that is known."""
        shown = self.hovered or self.chosen
        if shown is None or shown.target is not None:
            return shown
        tree = self._tree_from(shown.source)
        return Ends(shown.source, pairs.farthest(shown.source) if tree is None else tree.farthest)

    def tree_wanted(self, pairs: Pairs) -> int | None:
        """Return the node from which a search has to find the tree, None if the route is known without."""
        chosen = self.chosen
        if chosen is None or self._tree_from(chosen.source) is not None:
            return None
        known = pairs.matrix is not None and pairs.farthest(chosen.source) is not None
        return None if known else chosen.source

    def route(self, pairs: Pairs) -> Route | None:
        """Return the route between the nodes that are shown, None while there is none to show or it is not known."""
        shown = self.ends(pairs)
        if shown is None or shown.target is None:
            return None
        source, target = shown.source, shown.target
        tree = self._tree_from(source)
        nodes = pairs.route(source, target) if tree is None else tree.route(target).nodes
        if nodes is None:
            return None
        called = pairs.network.node_name
        if len(nodes) == 0:
            return Route(nodes, no_way(called(source), called(target)))
        distance = pairs.distance(source, target) if tree is None else int(tree.distances[target])
        assert distance is not None
        diameter = pairs.diameter
        longest = diameter is not None and (diameter.source, diameter.target) == (source, target)
        text = translated(
            DIAMETERS[pairs.scope] if longest else "Route from node {source} to node {target}: {length} over {arcs}",
            source=called(source),
            target=called(target),
            length=pairs.metric.describe(distance),
            arcs=arcs(nodes),
        )
        return Route(nodes, text)

    def _tree_from(self, source: int) -> Result | None:
        return self.tree if self.tree is not None and self.tree.source == source else None


NEVER = np.iinfo(np.int32).max
"""Step of a cell that no step reaches."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixReplay:
    """A distance matrix with its history.

    distances  int [rows, n], -1 where there is no path; a row for each source, ascending by node
    sources    int32 [rows]
    first      int32 [rows, n]: step that first gave the cell a distance, −1 for one that it begins with, ``NEVER``
               without a path
    last       int32 [rows, n]: step that gave it its distance
    pivots     whether steps are pivots rather than sources
    """

    distances: NDArray[np.int64]
    sources: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    pivots: bool

    @classmethod
    def of(cls, pairs: Pairs) -> MatrixReplay | None:
        """Return the history of a finished search's matrix; None where none was kept."""
        matrix = pairs.matrix
        if matrix is None:
            return None
        order = np.argsort(pairs.sources, kind="stable")
        distances, sources = matrix[order].astype(np.int64), pairs.sources[order]
        trace = pairs.trace
        if trace is not None and goes_by_pivots(trace):
            first, last = pivot_steps(*pairs.searched, trace)
            return cls(distances, sources, first[sources], last[sources], pivots=True)
        done = np.zeros(len(sources), np.int32) if trace is None else np.maximum(trace.first_reached[sources], 0)
        last = np.repeat(done.astype(np.int32)[:, None], distances.shape[1], axis=1)
        return cls(distances, sources, np.where(distances == NO_PATH, np.int32(NEVER), last), last, pivots=False)

    @property
    def largest(self) -> int:
        """The largest distance, at least 1."""
        return max(int(self.distances.max(initial=1)), 1)


def goes_by_pivots(trace: Trace) -> bool:
    """Return whether a trace begins with steps that finish no rows: Floyd and Warshall's pivots."""
    return len(trace) > 0 and int(trace.improved[0]) == 0


def pivot_steps(network: RoadNetwork, metric: Metric, trace: Trace) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and the last step at which each cell changed, int32 [n, n]; −1 for what arcs give it before.

    Steps that finish rows, after the pivots, change nothing.
    """
    matrix = matrix_of_arcs(network, metric.name)
    first = np.where(matrix == NO_PATH, np.int32(NEVER), np.int32(-1))
    last = np.full(matrix.shape, -1, np.int32)
    steps = np.repeat(np.arange(len(trace), dtype=np.int32), np.diff(trace.frontier_offsets))
    pivots = trace.improved[steps] == 0  # the others finish rows
    improve_by_pivots(matrix, trace.frontier_nodes[pivots], steps[pivots], first, last)
    return first, last
