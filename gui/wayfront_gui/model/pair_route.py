"""Which pair of an all-pairs search is shown, and the route between its two nodes.

On a small network the matrix has every route at once. Else a route needs a search of its own from the pair's source,
whose tree then has the routes to all other targets too.
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.search.result import Result
from wayfront_gui.model.pairs import Pairs
from wayfront_gui.model.route import Route, arcs, no_way
from wayfront_gui.translation import marked, translated

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
