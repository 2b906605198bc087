"""The content of the map: a network, what was searched on it, markers, and the layers of what else is shown. No Qt.

``camera.Camera`` is the view; ``frame.Frame`` has the G-buffer of one camera and colours it. The window, the picture
export and the benchmark all use them.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import starmap, zip_longest
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.network.conventions import is_drawing
from wayfront.network.copies import begin_of, is_split
from wayfront.results.result import RouteResult
from wayfront.safe.errors import NetworkError
from wayfront_gui.map.areas import Areas
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.found import Found, Live
from wayfront_gui.map.geometry import Extent, MapGeometry, Plane, led_back, read_only
from wayfront_gui.map.labels import Names
from wayfront_gui.map.legend import NodeColours
from wayfront_gui.map.raster import NEVER, NO_LINES, Drawing
from wayfront_gui.map.style import Style, flow_weights, road_weights, tree_weights

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result
    from wayfront.trace.schema import Trace
    from wayfront_gui.map.camera import WayBack
    from wayfront_gui.session.pairs import Measure, Pairs

Mode = Literal["search", "tree"]

TRAIL_SHARE = 0.02
"""The share of a search's steps that glow behind the frontier."""
_NOTHING = np.zeros(0, np.int32)
_FEATURES = "wayfront_gui.features"


@dataclass(frozen=True, slots=True)
class Layers:
    """What a person wants of names of roads and places; water and parks; background tiles; graphs in place of roads;
    signs of forbidden turns."""

    names: bool = True
    areas: bool = True
    tiles: bool = False
    graph: bool = True
    signs: bool = True


AS_ROADS = Layers(graph=False)
"""What a road map shows, however small it is."""


@dataclass(frozen=True, slots=True)
class Edges:
    """What a layer leaves of a map's edges.

    credit, scale  whether attribution is painted, and whether scale bar and legend are
    key            whether a diagram's signs are explained
    head           units above all that is shown which are the layer's own
    legend_from    a map that is narrower has no legend
    """

    credit: bool = True
    scale: bool = True
    key: bool = True
    head: float = 0.0
    legend_from: float = 0.0


class Backdrop(Protocol):
    """What takes longer to paint than a frame: an unchanging value, of which equal ones have equal pictures."""

    def paint(self, painter: QPainter, camera: Camera) -> None:
        """Paint what a camera sees."""


class Layer:
    """What one subject shows on the map: an unchanging value, of which a scene has one for each ``key``.

    Cameras are in logical pixels, or in units of a painter's texts. A subclass says what it needs; the rest is nothing.
    """

    NAME: ClassVar[str] = ""
    ORDER: ClassVar[int] = 0
    """Layers are painted from the lowest to the highest."""
    PRECEDENCE: ClassVar[int] = 0
    """Of layers that colour nodes the highest does; 0 colours none."""
    STEADY: ClassVar[bool] = True
    """Whether what is at the edges of the map stays the same from step to step."""

    @property
    def key(self) -> str:
        """Its key in a scene."""
        return self.NAME

    @property
    def order(self) -> int:
        """When it is painted, as ``ORDER``."""
        return self.ORDER

    @property
    def of_search(self) -> bool:
        """Whether films of the search show it too, and not the window alone."""
        return False

    @property
    def of_tree(self) -> bool:
        """Whether pictures of the finished tree show it too."""
        return self.of_search

    @property
    def page_maker(self) -> Callable[[Scene, Any], Any] | None:
        """What makes the content of a page of what it shows in place of a search, from how the page begins."""
        return None

    @property
    def facts(self) -> str:
        """What posters say in place of the search's facts while it colours nodes or roads, "" for those."""
        return ""

    @property
    def edges(self) -> Edges | None:
        """What it leaves of the map's edges, None where it leaves all."""
        return None

    @property
    def picture(self) -> tuple[Camera, NDArray[np.uint32]] | None:
        """The camera and G-buffer [height, width] of a layer that draws the roads itself, many times a second."""
        return None

    @property
    def tree(self) -> tuple[NDArray[Any], NDArray[np.int32]] | None:
        """Distances and parents of a tree that a diagram shows in place of the search's."""
        return None

    def after(self, search: Result | Live | Pairs | None) -> Layer:
        """Return what the layer becomes with another search."""
        return self

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return how it colours nodes in place of the search, None while it does not."""
        return None

    def edge_facts(self, scene: Scene) -> object:
        """Return what ``paint_edges`` paints, None for nothing: it is kept as a picture while this stays the same."""
        return None

    def backdrop(self, scene: Scene) -> Backdrop | None:
        """Return what lies below the rest of the layer and takes long to paint: in a window a thread does that."""
        return None

    def paint_below(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint what lies below names and routes."""

    def paint_on_arcs(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint what lies on the arcs of a diagram, below their weights."""

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint what lies over the roads, and over names and routes."""

    def paint_edges(self, painter: QPainter, scene: Scene, camera: Camera, base: float) -> None:
        """Paint what explains it at the map's edges, ``base`` units above the lower margin."""


class Diagram(Layer):
    """A layer that is drawn in place of the roads: nodes and arcs of a network that has few of them."""

    @property
    def home(self) -> Extent:
        """The part of the plane that it takes."""
        raise NotImplementedError

    def place(self, node: int) -> tuple[float, float]:
        """Return where a node is on the plane."""
        raise NotImplementedError

    def radius(self, camera: Camera) -> float:
        """Return the radius of a node's disc in a camera's pixels."""
        raise NotImplementedError

    def node_at(self, camera: Camera, x: float, y: float, more: float, anywhere: bool) -> int:
        """Return the node at a place in a camera's pixels or at most ``more`` from it, else -1, or the nearest one."""
        raise NotImplementedError

    def has_room_for_key(self, width: float, height: float) -> bool:
        """Return whether a picture of so many units has room for legend and signs."""
        raise NotImplementedError

    def fitting(self, width: int, height: int, ratio: float, unit: float, titles: float | None, edges: Edges) -> Camera:
        """Return the camera that shows all of it in so many physical pixels, ``unit`` of them to a unit of its texts.

        It leaves room for ``titles`` units above it, None for labels alone.
        """
        raise NotImplementedError

    def paint_diagram(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint it."""
        raise NotImplementedError

    def paint_key(self, painter: QPainter, scene: Scene, camera: Camera, left: float, base: float) -> float:
        """Paint what the signs mean, above ``base`` and right of ``left``; return how high that is."""
        raise NotImplementedError


@cache
def _makers(name: str) -> tuple[Callable[..., Layer | None], ...]:
    """Return the functions of that name that features' ``layer`` modules have, found and not listed.

    ``diagram_of`` makes a diagram of a network, ``layer_of_network`` what belongs to it at any time and
    ``layer_of_result`` what belongs to a finished search; ``layer_of_route``, of a scene and the way, what belongs to a
    search of one route. They return None for none.
    """
    if find_spec("PySide6") is None:
        return ()  # nothing is painted
    package = import_module(_FEATURES)
    layers = [f"{_FEATURES}.{each.name}.layer" for each in pkgutil.iter_modules(package.__path__)]
    modules = [import_module(name) for name in layers if find_spec(name) is not None]
    return tuple(getattr(module, name) for module in modules if hasattr(module, name))


def prepare_layers(network: RoadNetwork) -> None:
    """Make what belongs to a network at any time, which it keeps: of many forbidden turns that takes a while."""
    for make in _makers("layer_of_network"):
        make(network)


@dataclass(frozen=True, slots=True, eq=False)
class Markers:
    """Nodes that are marked, and the routes between them.

    source   where the next search starts; set by what shows the model, by nothing else
    target   that of ``targets`` whose route is described, or the only one; None for none
    targets  all targets, in the order of their numbers, where there are several
    hovered  the node under the pointer
    route    int32: nodes of a route from the source to ``target``; ``further``: those to other targets
    path     int32: points of the map along the route, its nodes and the bends between them; ``further_paths`` likewise
    to_and_fro  bool [len(path) - 1]: pieces of the path along which it also leads back
    note     what is said beside the source
    """

    source: int | None = None
    target: int | None = None
    targets: tuple[int, ...] = ()
    hovered: int | None = None
    route: NDArray[np.int32] = field(default_factory=lambda: _NOTHING)
    further: tuple[NDArray[np.int32], ...] = ()
    path: NDArray[np.int32] = field(default_factory=lambda: _NOTHING)
    further_paths: tuple[NDArray[np.int32], ...] = ()
    to_and_fro: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    note: str = ""

    @property
    def ends(self) -> tuple[int, ...]:
        """The targets that have a marker."""
        return self.targets or (() if self.target is None else (self.target,))


@dataclass(frozen=True, slots=True, eq=False)
class Surroundings:
    """What lies round the roads.

    names        of roads and of what lies round them
    areas        water and parks
    plane        where the map is on the Earth, or as if it were there
    attribution  who made the data
    """

    names: Names | None = None
    areas: Areas | None = None
    plane: Plane | None = None
    attribution: str = ""


@dataclass(slots=True, eq=False)
class Scene:
    """Everything one picture of the map shows.

    mode       whether the search at a step is shown, or its finished tree
    step       of the trace; may be fractional, negative shows nothing reached
    settled    whether an all-pairs search is shown without the glow of a step
    found      what the search found
    layers     what features show, by key, in the order in which they are painted; one ``put`` replaces another
    wanted     which of names, areas, tiles and diagrams are wanted
    message    what is said while there is no map
    scale_bar  whether lengths mean something on the map
    way_back   where the map is when nothing of it is in view
    seen       the part of the plane whose distances have all colours; None for the whole map

    ``legends_beside`` are the names of layers whose legend stands beside the map in the window: copies have it.
    ``first_copies`` is the first copy of each node, where any is split; empty elsewhere.
    """

    geometry: MapGeometry | None = None
    style: Style = field(default_factory=Style)
    mode: Mode = "search"
    step: float = -1.0
    settled: bool = False
    found: Found = field(default_factory=lambda: Found.nothing(0))
    markers: Markers = field(default_factory=Markers)
    around: Surroundings = field(default_factory=Surroundings)
    layers: dict[str, Layer] = field(default_factory=dict)
    wanted: Layers = field(default_factory=Layers)
    message: str = ""
    scale_bar: bool = True
    way_back: WayBack | None = None
    seen: Extent | None = None
    legends_beside: frozenset[str] = frozenset()
    first_copies: NDArray[np.int32] = field(default_factory=lambda: _NOTHING)
    _class_levels: NDArray[np.uint8] | None = None

    @classmethod
    def of(cls, network: RoadNetwork | None, style: Style | None = None) -> Scene:
        """Show a network without a search. Raises ``NetworkError`` if it cannot be drawn as a map."""
        if network is None:
            return cls(style=style or Style())
        geometry = MapGeometry.of(network)
        scene = cls(geometry, style or Style(), scale_bar=not is_drawing(network))
        if is_split(network):
            scene.first_copies = begin_of(network, np.arange(network.node_count, dtype=np.int32))
        names = network.derive("names", lambda: Names(network, geometry))
        scene.around = Surroundings(names, Areas.of(network), Plane.of(network), network.credit)
        scene._put_made("diagram_of", network)
        scene._put_made("layer_of_network", network)
        scene.forget_search()
        return scene

    @classmethod
    def of_result(cls, result: Result, style: Style | None = None) -> Scene:
        """Show a finished search of a network with a map, with the node where it started."""
        scene = cls.of(result.network, style)
        scene.markers = Markers(result.source)
        scene._put_made("layer_of_result", result)
        scene.show_result(result)
        if isinstance(result, RouteResult):
            scene.set_route(result.path)
            scene._put_made("layer_of_route", scene, result.route())
        return scene

    def copy(self) -> Scene:
        """Return a copy with all legends, and without the mark of the node under the pointer, which may change."""
        return replace(self, markers=replace(self.markers, hovered=None), legends_beside=frozenset())

    def alone(self, mode: Mode) -> Scene:
        """Return a copy that shows the search or its tree, and nothing that lies over them in the window alone."""
        tree = mode == "tree"
        kept = {key: each for key, each in self.layers.items() if each.of_search or (tree and each.of_tree)}
        copied = self.copy()
        copied.mode, copied.layers = mode, kept
        return copied

    # ------------------------------------------------------------------------------------------------ layers

    def put(self, layer: Layer) -> None:
        """Show a layer in place of another one with its key."""
        layers = {**self.layers, layer.key: layer}
        self.layers = dict(sorted(layers.items(), key=lambda item: item[1].order))

    def _put_made(self, name: str, *of: Any) -> None:
        for make in _makers(name):
            if (layer := make(*of)) is not None:
                self.put(layer)

    def take_away(self, key: str) -> None:
        """Show no layer with a key any more."""
        self.layers = {other: layer for other, layer in self.layers.items() if other != key}

    @property
    def diagram(self) -> Diagram | None:
        """What is drawn in place of roads, None where roads are drawn."""
        if not self.wanted.graph:
            return None
        return next((layer for layer in self.layers.values() if isinstance(layer, Diagram)), None)

    @property
    def moving(self) -> Layer | None:
        """The layer that draws the roads itself, many times a second."""
        return next((layer for layer in self.layers.values() if layer.picture is not None), None)

    @property
    def edges(self) -> Edges:
        """What layers leave of the map's edges."""
        return next((layer.edges for layer in self.layers.values() if layer.edges is not None), _ALL_EDGES)

    # ------------------------------------------------------------------------------------------------ searches

    def forget_search(self) -> None:
        """Show the bare network: no node reached, no route."""
        self.mode, self.step = "search", -1.0
        self._take(None, Found.nothing(self.geometry.node_count if self.geometry else 0))
        self.set_route(None)

    def show_result(self, result: Result | None) -> None:
        """Take over a finished search, or none; mode, step and source marker stay as they are.

        A result may be late: a person may have moved the source on since that search began. Raises ``NetworkError``
        if it is a search of another network.
        """
        if result is None:
            self.forget_search()
            return
        self._check_size(len(result.parents))
        self._take(result, Found.of(result, self.geometry, self.seen))
        tree = self.found.tree
        if tree is not None and tree.arcs is not None:  # which of parallel roads a route takes is known now
            self.set_route(self.markers.route, self.markers.further, self.markers.targets)
        if self.geometry is not None and not self.geometry.has_classes and self._class_levels is None:
            assert tree is not None
            # Of the first tree found on the network, on every map of it: those of a race draw the same roads.
            self._class_levels = result.network.derive(
                "road classes of a tree", lambda: _classes_from_tree(tree.levels)
            )

    def show_live(self, trace: Trace, distances: NDArray[Any] | None) -> None:
        """Take over a search that still runs, at its latest step. Without distances, steps give the colours.

        Raises ``NetworkError`` if it is a search of another network.
        """
        self._check_size(len(trace.first_reached))
        self.mode, self.step = "search", float(len(trace) - 1)
        live = Live(trace, distances)
        self._take(live, Found.of_live(live))

    def show_pairs(self, pairs: Pairs, measure: Measure) -> None:
        """Colour the finished sources of an all-pairs search; step and route stay as they are.

        Raises ``NetworkError`` if it is a search of another network.
        """
        self._check_size(pairs.network.node_count)
        settled, self.mode = self.settled, "search"
        self._take(pairs, Found.of_pairs(pairs, measure))
        self.settled = settled

    def _take(self, search: Result | Live | Pairs | None, found: Found) -> None:
        self.found, self.settled = found, False
        self.layers = {key: layer.after(search) for key, layer in self.layers.items()}

    def _check_size(self, nodes: int) -> None:
        shown = self.geometry.node_count if self.geometry else nodes
        if shown != nodes:
            # The kernels do not check indices.
            raise NetworkError(f"a search of {nodes:,} nodes does not belong to the map shown, which has {shown:,}")

    def fit_colours(self, seen: Extent | None) -> None:
        """Give all colours to the distances in a part of the plane; None gives them to the whole map."""
        if seen != self.seen:
            self.seen = seen
            self.found = self.found.coloured(self.geometry, seen)

    def set_route(
        self,
        nodes: NDArray[np.int32] | None,
        further: Sequence[NDArray[np.int32]] = (),
        targets: tuple[int, ...] = (),
        arcs: Sequence[NDArray[np.integer] | None] = (),
    ) -> None:
        """Show a route, the nodes from the source to the target; None or empty shows none.

        ``further`` are routes to others of the ``targets``. ``arcs`` are those of the route and of each further one;
        without them they are taken from the tree.
        """
        route = _NOTHING if nodes is None else np.asarray(nodes, np.int32)
        target = int(route[-1]) if len(route) else None
        path, *further_paths = starmap(self.points_along, zip_longest((route, *further), arcs))
        self.mark(
            target=target,
            targets=targets,
            route=route,
            further=tuple(further),
            path=path,
            further_paths=tuple(further_paths),
            to_and_fro=self.to_and_fro(path),
        )

    def to_and_fro(self, path: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return along which pieces a path leads back too."""
        if len(path) < 2 or self.geometry is None or not len(self.first_copies):
            return np.zeros(max(len(path) - 1, 0), np.bool_)
        places = self.geometry.x[path] + 1j * self.geometry.y[path]
        return led_back(places[:-1], places[1:])

    def mark(self, **changed: Any) -> None:
        """Change some of the ``Markers``."""
        self.markers = replace(self.markers, **changed)

    def points_along(self, route: NDArray[np.int32], arcs: NDArray[np.integer] | None) -> NDArray[np.int32]:
        """Return the points of the map along a route over these arcs, or over those of the tree."""
        chains, tree = self.geometry.chains if self.geometry else None, self.found.tree
        if arcs is None and tree is not None and tree.arcs is not None:
            arcs = tree.arcs[route[1:]]
        return route if chains is None or arcs is None else chains.path(route, arcs)

    # ------------------------------------------------------------------------------------------------ what is drawn

    @property
    def route_found(self) -> bool:
        """Whether the search has found the route by the step that is shown."""
        return self.mode == "tree" or self.step >= self.found.route_from

    @property
    def home(self) -> Extent:
        """The part of the plane that holds what is shown of the network at first. Not without a network."""
        diagram = self.diagram
        if diagram is not None:
            return diagram.home
        assert self.geometry is not None
        return self.geometry.home

    def place(self, node: int) -> tuple[float, float]:
        """Return where a node is drawn on the plane: metres east and north of its middle."""
        diagram = self.diagram
        if diagram is not None:
            return diagram.place(node)
        assert self.geometry is not None
        return float(self.geometry.x[node]), float(self.geometry.y[node])

    @property
    def shows_tiles(self) -> bool:
        """Whether background tiles are wanted, and the map is one of the Earth, as those with a scale are."""
        return self.wanted.tiles and self.scale_bar and self.around.plane is not None

    @property
    def node_colours(self) -> NodeColours:
        """How nodes are coloured now."""
        covering = self._covering
        if covering is not None:
            return covering
        return self.found.nodes if self.diagram is None else replace(self.found.nodes, dots=_NOTHING)

    @property
    def facts(self) -> str:
        """What is said of what a layer draws in place of the search, "" where none says anything."""
        return self._covered[1]

    @property
    def _covering(self) -> NodeColours | None:
        """What a layer draws in place of the search."""
        return self._covered[0]

    @property
    def _covered(self) -> tuple[NodeColours | None, str]:
        covering, said, highest = None, "", 0
        for layer in self.layers.values():
            if highest < layer.PRECEDENCE and (colours := layer.node_colours(self)) is not None:
                covering, said, highest = colours, layer.facts, layer.PRECEDENCE
        return covering, said

    @property
    def shows_tree(self) -> bool:
        """Whether a finished tree is drawn rather than the search."""
        covering = self._covering
        return self.mode == "tree" and self.found.tree is not None if covering is None else covering.in_tree

    @property
    def shows_whole(self) -> bool:
        """Whether what is drawn has no steps."""
        return self._covering is not None or self.shows_tree

    @property
    def table(self) -> NDArray[np.uint32]:
        """The pixels of ``node_colours``."""
        table: NDArray[np.uint32] = getattr(self.style, self.node_colours.table)
        return table

    @property
    def trail(self) -> float:
        """How many steps glow behind the frontier; 0 without a trace."""
        trace = self.found.trace
        if trace is None or self.shows_whole or self.settled or self.diagram is not None:
            return 0.0
        return max(len(trace) * TRAIL_SHARE, 1.5)

    @property
    def shaded_step(self) -> float:
        """The step by which nodes are lit: the last possible one for what is finished."""
        finished = self.shows_whole or self.settled or (self.found.trace is None and self.found.tree is not None)
        return float(NEVER - 1) if finished else self.step

    @property
    def shading(self) -> tuple[object, ...]:
        """All that the pixels of roads and their glow depend on; it is equal as long as they look the same."""
        return self.node_colours, self.found.trace, self.style, self.shows_tree, self.shaded_step, self.step, self.trail

    def drawing(self, camera: Camera) -> Drawing:
        """Return how the lines are drawn from a camera."""
        assert self.geometry is not None
        if self.diagram is not None:  # all of it is painted over the roads
            return Drawing(self.geometry.line_class, NO_LINES)
        # Rounded, so that the weights do not change with every notch of a pan.
        zoom = round(self.geometry.typical_line * camera.scale / camera.pixel_ratio, 4)
        flow = self.node_colours.flow
        if flow is not None:
            return Drawing(flow, flow_weights(zoom, camera.line_unit), by_line=True)
        if self.shows_tree:
            assert self.found.tree is not None
            return Drawing(self.found.tree.levels, tree_weights(zoom, camera.line_unit))
        levels = self.geometry.line_class if self._class_levels is None else self._class_levels
        return Drawing(levels, road_weights(zoom, camera.line_unit))


_ALL_EDGES = Edges()


def _classes_from_tree(levels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Estimate road classes where the file has none: a road with a large subtree is important."""
    of_level = np.digitize(np.arange(256), (125, 165, 200)).astype(np.uint8)
    return read_only(of_level[levels])
