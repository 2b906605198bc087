"""The content of the map: a network, a search or its tree at a step, and the markers. No Qt.

``scene.camera.Camera`` is the view; ``scene.frame.Frame`` has the G-buffer of one camera and colours it. The window,
the picture export and the benchmark all use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.search.to_target.result import RouteResult
from wayfront_gui.model.matrix_replay import goes_by_pivots
from wayfront_gui.model.pairs import MOST_MATRIX_NODES
from wayfront_gui.scene.areas import Areas
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.geometry import Extent, MapGeometry, Plane, read_only
from wayfront_gui.scene.graph_marks import GraphMarks
from wayfront_gui.scene.labels import Names
from wayfront_gui.scene.layers import Layers
from wayfront_gui.scene.legend import Legend
from wayfront_gui.scene.lesson_marks import LessonMarks
from wayfront_gui.scene.node_colours import NodeColours
from wayfront_gui.scene.raster import NEVER, colour_by_value
from wayfront_gui.scene.small_graph.shown import ShownGraph
from wayfront_gui.scene.style import NO_LINES, LineWeights, Style, road_weights, tree_weights
from wayfront_gui.scene.subtrees import levels_in_tree

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.search.result import Result
    from wayfront.trace.schema import Trace
    from wayfront_gui.model.pairs import Measure, Pairs
    from wayfront_gui.model.race import Caption
    from wayfront_gui.scene.isochrones import Isochrones
    from wayfront_gui.scene.small_graph.graph import SmallGraph
    from wayfront_gui.scene.small_graph.moment import Moment
    from wayfront_gui.scene.way_back import WayBack

Mode = Literal["search", "tree"]

TRAIL_SHARE = 0.02
"""The share of a search's steps that glow behind the frontier."""
CLIP_PERCENTILE = 97
"""Distances above it share the last colour, so that a few distant nodes do not take most of the colour map."""
_SAMPLED = 20_000
"""Nodes among which the distance that has the last colour is looked for; in smaller networks all."""
_NOTHING = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Drawing:
    """How each line is drawn: ``levels`` uint8 [lines] index ``weights``."""

    levels: NDArray[np.uint8]
    weights: LineWeights


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """The picture of a tree that follows the mouse: a G-buffer with its camera, and what shading needs of every node.

    gbuffer     uint32 [height, width]
    first_step  uint32 [n]: 0 for reached nodes, else ``NEVER``
    colour      uint8 [n]: row of the colour map for reached nodes
    legend      what the colours mean
    tree        of a small graph its distances and parents
    """

    camera: Camera
    gbuffer: NDArray[np.uint32]
    first_step: NDArray[np.uint32]
    colour: NDArray[np.uint8]
    legend: Legend
    tree: tuple[NDArray[Any], NDArray[np.int32]] | None = None


@dataclass(slots=True, eq=False)
class Scene:
    """Everything one picture of the map shows.

    step        of ``trace``; may be fractional, negative shows nothing reached
    first_step  uint32 [n], ``NEVER`` where no step reaches; empty without a search
    colour      uint8 [n]: row of the colour map for reached nodes
    parents     int32 [n] of a finished search, else None
    source      where the next search starts; set by what shows the model, by nothing else
    route       int32: nodes of a route from the source to ``target``; ``further``: those to other targets
    path        int32: points of the map along the route, its nodes and the bends between them; ``further_paths``: those
                of further routes
    route_from  step from which the route is drawn: of a search to a target when it has found it
    targets     all targets, in the order of their numbers
    centre      the centre of an all-pairs search
    centre_of   of which sources it is the centre, where these are not all nodes
    dots        int32: sources of an all-pairs search that are drawn as dots, since they are few
    settled     whether an all-pairs search is shown without the glow of a step
    detour      what closed roads cost, with rows of ``Style.detour_table``; drawn in place of the finished tree
    dragged     the picture of a tree whose source is being dragged; drawn in place of all other searches
    latency     how long the picture before that took from the mouse to the screen, as text
    served      how far the nearest depot is; drawn on all roads in place of a search
    candidates  the nodes where a depot could be; ``depots``: those of them where one is to be
    difference  where a search differs from another, with rows of ``Style.detour_table``; drawn in place of the search
    isochrones  bands of distance; their colours are drawn on all roads in place of a search
    closed      the closed roads; ``pointed``: those that a tool would change now; ``critical``: the most critical one
    graph_marks  what is marked on a graph that is being drawn
    caption     what is said of a search that races with others
    marks       what a lesson points out
    names       names of roads and of what lies round them; ``layers``: what of these is wanted
    areas       water and parks
    plane       where the map is on the Earth, or as if it were there
    legend      what the colours mean; None where they do not show distances
    small       the network as a small graph, None for a larger one
    way_back    where the map is when nothing of it is in view
    seen        the part of the plane whose distances have all colours; None for the whole map
    """

    geometry: MapGeometry | None = None
    style: Style = field(default_factory=Style)
    mode: Mode = "search"
    step: float = -1.0
    source: int | None = None
    target: int | None = None
    hovered: int | None = None
    route: NDArray[np.int32] = field(default_factory=lambda: _NOTHING)
    further: tuple[NDArray[np.int32], ...] = ()
    route_from: int = -1
    path: NDArray[np.int32] = field(default_factory=lambda: _NOTHING)
    further_paths: tuple[NDArray[np.int32], ...] = ()
    targets: tuple[int, ...] = ()
    centre: int | None = None
    centre_of: str = ""
    dots: NDArray[np.int32] = field(default_factory=lambda: _NOTHING)
    settled: bool = False
    detour: NodeColours | None = None
    dragged: Drawn | None = None
    latency: str = ""
    served: NodeColours | None = None
    candidates: tuple[int, ...] = ()
    depots: tuple[int, ...] = ()
    difference: NodeColours | None = None
    isochrones: Isochrones | None = None
    closed: ClosedRoads | None = None
    pointed: ClosedRoads | None = None
    critical: ClosedRoads | None = None
    graph_marks: GraphMarks | None = None
    caption: Caption | None = None
    marks: LessonMarks = field(default_factory=LessonMarks)
    attribution: str = ""
    message: str = ""
    scale_bar: bool = True
    names: Names | None = None
    areas: Areas | None = None
    plane: Plane | None = None
    layers: Layers = field(default_factory=Layers)
    trace: Trace | None = None
    parents: NDArray[np.int32] | None = None
    first_step: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    colour: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    legend: Legend | None = None
    small: ShownGraph | None = None
    way_back: WayBack | None = None
    seen: Extent | None = None
    _measured: tuple[Metric, NDArray[Any]] | None = None
    _class_levels: NDArray[np.uint8] | None = None
    _tree_levels: NDArray[np.uint8] | None = None
    _tree_arcs: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, network: RoadNetwork | None, style: Style | None = None) -> Scene:
        """Show a network without a search. Raises ``NetworkError`` if it cannot be drawn as a map."""
        if network is None:
            return cls(style=style or Style())
        scene = cls(MapGeometry.of(network), style or Style(), attribution=network.credit)
        scene.names = network.derive("names", lambda: Names(network, MapGeometry.of(network)))
        scene.areas, scene.plane = Areas.of(network), Plane.of(network)
        scene.small = ShownGraph.of(network)
        scene.forget_search()
        return scene

    @classmethod
    def of_result(cls, result: Result, style: Style | None = None) -> Scene:
        """Show a finished search of a network with a map, with the node where it started."""
        scene = cls.of(result.network, style)
        scene.source = result.source
        scene.closed = ClosedRoads.of(result.network, result.closures)
        scene.show_result(result)
        if isinstance(result, RouteResult):
            scene.set_route(result.path)
        return scene

    def forget_search(self) -> None:
        """Show the bare network: no node reached, no route."""
        n = self.geometry.node_count if self.geometry else 0
        self.trace, self.parents, self._tree_levels = None, None, None
        self.first_step, self.colour = read_only(np.full(n, NEVER, np.uint32)), read_only(np.zeros(n, np.uint8))
        self.mode, self.step, self.legend = "search", -1.0, None
        self._tree_arcs, self._measured, self.route_from = None, None, -1
        self.centre, self.dots, self.settled = None, _NOTHING, False
        self.small = self.small and self.small.without_search()
        self.set_route(None)

    def show_result(self, result: Result) -> None:
        """Take over a finished search; mode, step and source marker stay as they are.

        A result may be late: a person may have moved the source on since that search began. Raises ``NetworkError``
        if it is a search of another network.
        """
        self._check_size(len(result.parents))
        self.centre, self.dots, self.settled = None, _NOTHING, False
        self.trace, self.parents, self._tree_levels = result.trace, read_only(result.parents), None
        self._find_tree_arcs(result)
        if result.trace is not None:
            first_step = result.trace.first_reached.view(np.uint32)
        else:
            first_step = np.where(result.reached, 0, NEVER).astype(np.uint32)
        self.first_step = read_only(first_step)
        self._measured = result.metric, read_only(result.distances)
        self.route_from = len(result.trace) - 1 if result.trace and isinstance(result, RouteResult) else -1
        self._colour_measured()
        self.small = self.small and self.small.with_result(result)
        if self.geometry is not None and not self.geometry.has_classes and self._class_levels is None:
            # Of the first tree found on the network, on every map of it: those of a race draw the same roads.
            self._class_levels = result.network.derive(
                "road classes of a tree", lambda: _classes_from_tree(self._levels_of_tree())
            )

    def show_live(self, trace: Trace, distances: NDArray[Any] | None) -> None:
        """Take over a search that still runs, at its latest step. Without distances, steps give the colours.

        Raises ``NetworkError`` if it is a search of another network.
        """
        self._check_size(len(trace.first_reached))
        self.centre, self.dots, self.settled = None, _NOTHING, False
        self.trace, self.parents, self._tree_levels = trace, None, None
        self.mode, self.step, self.legend = "search", float(len(trace) - 1), None
        self._measured, self.route_from = None, -1
        self.small = self.small and self.small.with_live(trace, distances)
        self.first_step = read_only(trace.first_reached.view(np.uint32))
        if distances is not None:
            self._colour_by_distance(distances)
        else:
            self._colour_by(self.first_step, float(len(trace)))

    def show_pairs(self, pairs: Pairs, measure: Measure) -> None:
        """Colour the finished sources of an all-pairs search; step and route stay as they are.

        Sources that were finished before the trace began, in a run that was resumed, are there from its start. Raises
        ``NetworkError`` if it is a search of another network.
        """
        n = pairs.network.node_count
        self._check_size(n)
        nodes, rows = pairs.colours(measure)
        self.trace, self.parents, self._tree_levels, self._tree_arcs = pairs.trace, None, None, None
        self._measured = None
        self.route_from = len(pairs.trace) - 1 if pairs.trace and goes_by_pivots(pairs.trace) else -1
        self.mode, self.legend = "search", Legend.of_pairs(pairs, measure) if len(nodes) else None
        self.small = self.small and self.small.with_pairs(pairs)
        first_step, colour = np.full(n, NEVER, np.uint32), np.zeros(n, np.uint8)
        first_step[nodes] = 0 if pairs.trace is None else np.maximum(pairs.trace.first_reached[nodes], 0)
        colour[nodes] = rows
        self.first_step, self.colour = read_only(first_step), read_only(colour)
        self.dots = nodes if pairs.sampled or n <= MOST_MATRIX_NODES else _NOTHING
        self.centre, self.centre_of = None if pairs.centre is None else pairs.centre.node, pairs.scope

    def fit_colours(self, seen: Extent | None) -> None:
        """Give all colours to the distances in a part of the plane; None gives them to the whole map."""
        if seen != self.seen:
            self.seen = seen
            self._colour_measured()

    def set_route(
        self, nodes: NDArray[np.int32] | None, further: Sequence[NDArray[np.int32]] = (), targets: tuple[int, ...] = ()
    ) -> None:
        """Show a route, the nodes from the source to the target; None or empty shows none.

        ``further`` are routes to others of the ``targets``.
        """
        self.route = _NOTHING if nodes is None else np.asarray(nodes, np.int32)
        self.target = int(self.route[-1]) if len(self.route) else None
        self.further, self.targets = tuple(further), targets
        self.path, self.further_paths = self._bent(self.route), tuple(map(self._bent, further))

    def _bent(self, route: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the points of the map along a route."""
        chains = self.geometry.chains if self.geometry else None
        return route if chains is None or self._tree_arcs is None else chains.path(route, self._tree_arcs)

    def _find_tree_arcs(self, result: Result) -> None:
        """Find the arcs of a result's tree if arcs are bent, since parallel ones differ; update the route's path."""
        chains = self.geometry.chains if self.geometry else None
        if chains is not None:
            if len(result.metric.weights) != len(chains.targets):
                raise NetworkError("a search of other arcs does not belong to the map shown")
            weights = result.metric.weights
            if len(result.closures):
                weights = weights.copy()
                weights[result.closures] = np.iinfo(np.int32).max  # a parallel arc is lighter
            self._tree_arcs = chains.tree_arcs(read_only(result.parents), read_only(weights))
            self.set_route(self.route, self.further, self.targets)

    def _check_size(self, nodes: int) -> None:
        shown = self.geometry.node_count if self.geometry else nodes
        if shown != nodes:
            # The kernels do not check indices.
            raise NetworkError(f"a search of {nodes:,} nodes does not belong to the map shown, which has {shown:,}")

    def _colour_measured(self) -> None:
        """Colour by the distances of a finished search, between those that are seen if the colours are fitted."""
        if self._measured is None:
            return
        metric, distances = self._measured
        low, high = 0.0, 0.0
        if self.seen is not None and self.geometry is not None:
            inside = self.geometry.nodes_in(self.seen) & (self.first_step != NEVER)
            low, high = span_of(distances[inside])
        if high > low:
            # Distances are at most as wide as their type, so a difference of two is too.
            self._colour_by(read_only(distances - distances.dtype.type(low)), high - low)
            self.legend = Legend.of(metric, high, low)
        else:
            self.legend = Legend.of(metric, self._colour_by_distance(distances))

    def _colour_by_distance(self, distances: NDArray[Any]) -> float:
        """Set the colour of every reached node; return the distance from which on every node has the last one."""
        farthest = last_coloured(distances, self.first_step != NEVER)
        self._colour_by(read_only(distances), farthest)
        return farthest

    def _colour_by(self, values: NDArray[Any], last: float) -> None:
        colour = np.empty(len(values), np.uint8)
        colour_by_value(values, self.first_step, last, colour)
        self.colour = read_only(colour)

    def _levels_of_tree(self) -> NDArray[np.uint8]:
        assert self.geometry is not None and self.parents is not None
        chains = self.geometry.chains
        if self._tree_levels is None and chains is not None and self._tree_arcs is not None:
            self._tree_levels = read_only(chains.levels_of_tree(self.parents, self._tree_arcs))
        if self._tree_levels is None:
            ends = (self.geometry.line_a, self.geometry.line_b)
            self._tree_levels = read_only(levels_in_tree(*ends, self.parents))
        return self._tree_levels

    @property
    def route_found(self) -> bool:
        """Whether the search has found the route by the step that is shown."""
        return self.mode == "tree" or self.step >= self.route_from

    @property
    def graph(self) -> SmallGraph | None:
        """The small graph that is drawn in place of roads, None where roads are drawn."""
        return self.small.graph if self.small is not None and self.layers.graph else None

    @property
    def moment(self) -> Moment | None:
        """What the search has done on the small graph that is drawn."""
        if self.small is None or self.graph is None:
            return None
        if self.dragged is not None and self.dragged.tree is not None:
            return self.small.with_tree(*self.dragged.tree).moment(0.0, None, whole=True)
        return self.small.moment(self.step, self.source, whole=self.settled or self.mode == "tree")

    @property
    def home(self) -> Extent:
        """The part of the plane that holds what is shown of the network at first. Not without a network."""
        assert self.geometry is not None
        return self.geometry.home if self.graph is None else self.graph.home

    def place(self, node: int) -> tuple[float, float]:
        """Return where a node is drawn on the plane: metres east and north of its middle."""
        at = self.graph or self.geometry
        assert at is not None
        return float(at.x[node]), float(at.y[node])

    @property
    def shows_tiles(self) -> bool:
        """Whether background tiles are wanted, and the map is one of the Earth, as those with a scale are."""
        return self.layers.tiles and self.scale_bar and self.plane is not None

    @property
    def shows_served(self) -> bool:
        """Whether the distances from the nearest depot are drawn, on all roads."""
        return self.dragged is None and self.served is not None

    @property
    def shows_detour(self) -> bool:
        """Whether the detour view is drawn, on all roads."""
        return self.dragged is None and self.served is None and self.mode == "tree" and self.detour is not None

    @property
    def shows_bands(self) -> bool:
        """Whether isochrones are drawn, on all roads."""
        return self.dragged is None and self.served is None and self.isochrones is not None

    @property
    def shows_tree(self) -> bool:
        """Whether the finished tree is drawn rather than the search."""
        if self.dragged is not None or self.served is not None or self.shows_bands or self.difference is not None:
            return self.dragged is not None
        return self.mode == "tree" and self.parents is not None and self.detour is None

    @property
    def shows_whole(self) -> bool:
        """Whether what is drawn has no steps."""
        return (
            self.shows_tree or self.shows_detour or self.shows_served or self.shows_bands or self.difference is not None
        )

    @property
    def node_colours(self) -> NodeColours:
        """How nodes are coloured now."""
        if self.dragged is not None:
            return NodeColours(self.dragged.first_step, self.dragged.colour, _NOTHING, self.dragged.legend)
        if self.served is not None:
            return self.served
        if self.shows_bands and self.isochrones is not None:
            return self.isochrones.colours
        if self.difference is not None:
            return self.difference
        if self.shows_detour and self.detour is not None:
            return self.detour
        dots = self.dots if self.graph is None else _NOTHING
        return NodeColours(self.first_step, self.colour, dots, self.legend)

    @property
    def table(self) -> NDArray[np.uint32]:
        """The pixels of ``node_colours``."""
        if self.shows_bands and self.isochrones is not None and self.isochrones.several:
            return self.style.zone_table
        compared = self.difference is not None and not (self.dragged or self.served or self.shows_bands)
        return self.style.detour_table if compared or self.shows_detour else self.style.table

    @property
    def trail(self) -> float:
        """How many steps glow behind the frontier; 0 without a trace."""
        if self.trace is None or self.shows_whole or self.settled or self.graph is not None:
            return 0.0
        return max(len(self.trace) * TRAIL_SHARE, 1.5)

    @property
    def shaded_step(self) -> float:
        """The step by which nodes are lit: the last possible one for what is finished."""
        finished = self.shows_whole or self.settled or (self.trace is None and self.parents is not None)
        return float(NEVER - 1) if finished else self.step

    def drawing(self, camera: Camera) -> Drawing:
        """Return how the lines are drawn from a camera."""
        assert self.geometry is not None
        if self.graph is not None:  # all of it is painted over the roads
            return Drawing(self.geometry.line_class, NO_LINES)
        # Rounded, so that the weights do not change with every notch of a pan.
        zoom = round(self.geometry.typical_line * camera.scale / camera.pixel_ratio, 4)
        if self.shows_tree:
            return Drawing(self._levels_of_tree(), tree_weights(zoom, camera.line_unit))
        levels = self.geometry.line_class if self._class_levels is None else self._class_levels
        return Drawing(levels, road_weights(zoom, camera.line_unit))


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


def _classes_from_tree(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Estimate road classes where the file has none: a road with a large subtree is important."""
    of_level = np.digitize(np.arange(256), (125, 165, 200)).astype(np.uint8)
    return read_only(of_level[levels])
