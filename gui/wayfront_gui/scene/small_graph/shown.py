"""A small graph with what is searched on it, as a scene holds it. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.model.graph_numbers import INFINITE
from wayfront_gui.scene.small_graph.graph import SmallGraph
from wayfront_gui.scene.small_graph.moment import Moment, PairSteps, Steps, finished, untouched

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.search.result import Result
    from wayfront.trace.schema import Trace
    from wayfront_gui.model.pairs import Pairs


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
            steps = Steps(network, metric, result.trace, distances, result.closures)
        return replace(bare, steps=steps, tree=finished(network, metric, distances, result.parents))

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
