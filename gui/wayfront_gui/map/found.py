"""What was found of a search, as a map shows it: when each node is reached, its colour, the tree. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.copies import begin_of
from wayfront.results.result import RouteResult
from wayfront.safe.errors import NetworkError
from wayfront_gui.map.geometry import MapGeometry, read_only
from wayfront_gui.map.legend import Legend, NodeColours
from wayfront_gui.map.raster import NEVER, colour_by_value
from wayfront_gui.map.subtrees import levels_in_tree
from wayfront_gui.session.pairs import MOST_MATRIX_NODES, goes_by_pivots

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric
    from wayfront.results.result import Result
    from wayfront.trace.schema import Trace
    from wayfront_gui.map.geometry import Extent
    from wayfront_gui.session.pairs import Measure, Pairs

CLIP_PERCENTILE = 97
"""Distances above it share the last colour, so that a few distant nodes do not take most of the colour map."""
_SAMPLED = 20_000
"""Nodes among which the distance that has the last colour is looked for; in smaller networks all."""
_NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Live:
    """A search that still runs, at its latest step; ``distances`` [n] where they are known."""

    trace: Trace
    distances: NDArray[Any] | None


@dataclass(frozen=True, eq=False)
class Tree:
    """The finished tree of a search on a map.

    ``arcs`` int32 [n] lead to each node where roads are bent, or from there in a search towards the source, else None.
    """

    geometry: MapGeometry | None
    parents: NDArray[np.int32]
    arcs: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, result: Result, geometry: MapGeometry | None) -> Tree:
        """Return the tree of a result. Raises ``NetworkError`` if it is of other arcs than those of the map."""
        parents = read_only(result.parents)
        chains = geometry.chains if geometry else None
        if chains is None:
            return cls(geometry, parents)
        weights = result.metric.weights
        if len(weights) != len(chains.targets):
            raise NetworkError("a search of other arcs does not belong to the map shown")
        if len(result.closures):
            weights = weights.copy()
            weights[result.closures] = np.iinfo(np.int32).max  # a parallel arc is lighter
        return cls(geometry, parents, chains.tree_arcs(parents, read_only(weights), reverse=result.reverse))

    @cached_property
    def levels(self) -> NDArray[np.uint8]:
        """The level of each line of the map by the size of the subtree below it, uint8 [lines]."""
        assert self.geometry is not None
        if self.geometry.chains is not None and self.arcs is not None:
            return read_only(self.geometry.chains.levels_of_tree(self.parents, self.arcs))
        return read_only(levels_in_tree(self.geometry.line_a, self.geometry.line_b, self.parents))


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a search found.

    nodes       when each node is reached, and its colour
    trace       its steps, None where none were recorded
    tree        its finished tree, None of a search that runs or has none
    route_from  step from which its route is drawn: of a search to a target when it has found it
    centre      the centre of an all-pairs search; ``centre_of``: of which sources, where these are not all nodes
    measured    what its colours are made of, None where these are not the distances of one tree
    reverse     whether its ways lead to the source
    """

    nodes: NodeColours
    trace: Trace | None = None
    tree: Tree | None = None
    route_from: int = -1
    centre: int | None = None
    centre_of: str = ""
    measured: tuple[Metric, NDArray[Any]] | None = None
    reverse: bool = False

    @classmethod
    def nothing(cls, node_count: int) -> Found:
        """Return what is found where nothing was searched."""
        never, rows = np.full(node_count, NEVER, np.uint32), np.zeros(node_count, np.uint8)
        return cls(NodeColours(read_only(never), read_only(rows), _NOTHING, None))

    @classmethod
    def of(cls, result: Result, geometry: MapGeometry | None, seen: Extent | None) -> Found:
        """Return what a finished search found; ``seen`` is the part of the plane whose distances have all colours."""
        trace = result.trace
        if trace is not None:
            first_step = trace.first_reached.view(np.uint32)
        else:
            first_step = np.where(result.reached, 0, NEVER).astype(np.uint32)
        nodes = NodeColours(read_only(first_step), _NO_ROWS, _NOTHING, None)
        route_from = len(trace) - 1 if trace and isinstance(result, RouteResult) else -1
        measured = result.metric, read_only(result.distances)
        found = cls(nodes, trace, Tree.of(result, geometry), route_from, measured=measured, reverse=result.reverse)
        return found.coloured(geometry, seen)

    @classmethod
    def of_live(cls, live: Live) -> Found:
        """Return what a search has found that still runs. Without distances, steps give the colours."""
        first_step = read_only(live.trace.first_reached.view(np.uint32))
        if live.distances is None:
            colour = _rows(first_step, first_step, float(len(live.trace)))
        else:
            last = last_coloured(live.distances, first_step != NEVER)
            colour = _rows(read_only(live.distances), first_step, last)
        return cls(NodeColours(first_step, colour, _NOTHING, None), live.trace)

    @classmethod
    def of_pairs(cls, pairs: Pairs, measure: Measure) -> Found:
        """Return the finished sources of an all-pairs search.

        Sources that were finished before the trace began, in a run that was resumed, are there from its start.
        """
        n, trace = pairs.network.node_count, pairs.trace
        at, rows = pairs.colours(measure)
        first_step, colour = np.full(n, NEVER, np.uint32), np.zeros(n, np.uint8)
        first_step[at] = 0 if trace is None else np.maximum(trace.first_reached[begin_of(pairs.network, at)], 0)
        colour[at] = rows
        legend = Legend.of_pairs(pairs, measure) if len(at) else None
        dots = at if pairs.sampled or n <= MOST_MATRIX_NODES else _NOTHING
        nodes = NodeColours(read_only(first_step), read_only(colour), dots, legend)
        route_from = len(trace) - 1 if trace and goes_by_pivots(trace) else -1
        centre = None if pairs.centre is None else pairs.centre.node
        return cls(nodes, trace, None, route_from, centre, pairs.scope)

    def coloured(self, geometry: MapGeometry | None, seen: Extent | None) -> Found:
        """Return the same, coloured by its distances: by those of a part of the plane, or of the whole map for None."""
        if self.measured is None:
            return self
        (metric, distances), first_step = self.measured, self.nodes.first_step
        low, high = 0.0, 0.0
        if seen is not None and geometry is not None:
            low, high = span_of(distances[geometry.nodes_in(seen) & (first_step != NEVER)])
        if high > low:
            # Distances are at most as wide as their type, so a difference of two is too.
            above = read_only(distances - distances.dtype.type(low))
            colour, legend = _rows(above, first_step, high - low), Legend.of(metric, high, low, reverse=self.reverse)
        else:
            last = last_coloured(distances, first_step != NEVER)
            colour, legend = _rows(distances, first_step, last), Legend.of(metric, last, reverse=self.reverse)
        return replace(self, nodes=replace(self.nodes, colour=colour, legend=legend))


_NO_ROWS = read_only(np.zeros(0, np.uint8))


def _rows(values: NDArray[Any], first_step: NDArray[np.uint32], last: float) -> NDArray[np.uint8]:
    """Return the row of the colour map of every reached node; ``last`` has the last one."""
    colour = np.empty(len(values), np.uint8)
    colour_by_value(values, first_step, last, colour)
    return read_only(colour)


def span_of(distances: NDArray[Any]) -> tuple[float, float]:
    """Return between which distances colours are spread: a few that are far out have the first or the last."""
    some = distances[:: max(len(distances) // _SAMPLED, 1)]
    if not len(some):
        return 0.0, 0.0
    low, high = np.percentile(some, (100 - CLIP_PERCENTILE, CLIP_PERCENTILE))
    return float(np.floor(low)), float(high)


def last_coloured(distances: NDArray[Any], reached: NDArray[np.bool_]) -> float:
    """Return the distance from which on nodes have only the last colour of the map."""
    every = max(len(distances) // _SAMPLED, 1)
    some = distances[::every][reached[::every]]
    return float(np.percentile(some, CLIP_PERCENTILE)) if len(some) else 1.0
