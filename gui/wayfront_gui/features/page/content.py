"""What a page holds of a recorded search: a heading for people and sizes, and sections of numbers. No Qt.

Nodes are in the order of the network, which is that of places; edges, each a drawn road between two nodes, in the
order of their smaller ends. ``web/src/read.ts`` reads what this file writes, and both say what each section is.

    x, y         of each node, in units of the heading's ``unit`` metres, less that of the node before; signed
    degree       of each node: the edges whose smaller end it is
    ahead        of each edge: its larger end, less its smaller one
    kind         of each edge: its road class, a byte; absent where the network has none
    bends        of each edge: points between its ends; absent where all are straight
    bend x, y    of each bend, from the smaller end on, less those of the point before; signed
    closed       edges that the search does not pass, as indices, less the one before
    way          of each node: 0 without a parent, else 1 + which of its edges, in their order, leads to it
    first        of each node: 1 + the first step that reached it, 0 for never, less that of its parent; signed
    distance     of each node: 1 + its distance in raw weights, 0 for none, less that of its parent; signed
    times        of each node: in how many recorded frontiers it is
    when         of each of these: the step, less the first that reached it, then less that of the one before; signed
    size, tried, improved, time   of each step: nodes of its frontier, arcs tried, distances improved, nanoseconds
    settled      of each step: the distance that is settled then, less that of the step before; signed
    ids          of each node: its id in the file, less that of the node before; signed
    graph        of a small network, in place of roads: see ``small``
    cut …        and what roads weigh, where the source can be dragged: see ``live``
    code         of each step: which of the heading's ``code`` it runs, see ``code``; absent where nothing explains it
    flow …       what streets carry, in place of a search: see ``flows/page.py``
    road …       names, and what else lies round the roads: see ``surroundings``
    table, hot   of each theme: the red, then the green, then the blue of its tables, each less the one before

Of several searches, as in a race, see ``several``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.schema import ROAD_CLASSES
from wayfront.results.result import RouteResult
from wayfront.safe.errors import OptionError
from wayfront.safe.memory import require_memory
from wayfront.timing.harness import spread
from wayfront.version import __version__
from wayfront_gui.features.page.code import code_of
from wayfront_gui.features.page.coding import differences, signed, varints
from wayfront_gui.features.page.live import live_of
from wayfront_gui.features.page.small import graph_of
from wayfront_gui.features.page.surroundings import surroundings_of
from wayfront_gui.features.page.words import words
from wayfront_gui.map.found import last_coloured
from wayfront_gui.map.geometry import MapGeometry, Plane
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.style import Style
from wayfront_gui.session.formatting import ending, nodes_text, search_line, title_of
from wayfront_gui.session.state import Walk
from wayfront_gui.ui.theme import THEMES
from wayfront_gui.ui.translation import current

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric, RoadNetwork
    from wayfront.results.result import Result
    from wayfront.trace.schema import Trace
    from wayfront_gui.map.geometry import Extent
    from wayfront_gui.map.legend import Legend
    from wayfront_gui.map.scene import Scene

VERSION = 1
"""Of the format. A page brings what draws it, so no reader meets another version; it says so if one does."""

FINEST, COARSEST = 0.05, 1.0
"""Metres in a unit of coordinates, at least and at most …"""
UNITS_A_LINE = 128
"""… and so that a usual line is so many of them long."""
MOST_NODES = 1 << 24
"""A pixel's owner is looked up in a picture of at most 4,096 × 4,096."""
LARGEST_ID = 1 << 51
"""Twice the difference of two ids is then exact in browsers."""
_BYTES_A_LINE = 400
"""Memory that a node or a line takes while it is coded, roughly; and a node in a recorded frontier."""
_BYTES_A_FRONTIER = 60


@dataclass(frozen=True, slots=True)
class Edges:
    """The roads between nodes as a page has them.

    low, high  int64 [edges]: the smaller and the larger end; sorted by these
    kind       uint8 [edges]: road class
    bends      int64 [edges]: how many points there are between the ends; ``x`` and ``y`` of all of them, in units
    of_node    int64 [n]: the edge that leads to each node's parent, −1 for none
    closed     int64: those that no search passes, ascending
    of_chain   int64: the edge of each chain of the map; None where edges are pairs of nodes
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    kind: NDArray[np.uint8]
    bends: NDArray[np.int64]
    x: NDArray[np.int64]
    y: NDArray[np.int64]
    of_node: NDArray[np.int64]
    closed: NDArray[np.int64]
    of_chain: NDArray[np.int64] | None

    def of_arcs(self, network: RoadNetwork, arcs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the edge of each of some arcs, of which none is a loop."""
        if self.of_chain is not None:
            chains = MapGeometry.of(network).chains
            assert chains is not None
            return self.of_chain[chains.of_arc[arcs]]
        return self.between(network.tails()[arcs].astype(np.int64), network.targets[arcs].astype(np.int64))

    def between(self, tails: NDArray[np.int64], heads: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the edge between each two nodes, where edges are pairs of nodes."""
        n = len(self.of_node)
        return np.searchsorted(self.low * n + self.high, np.minimum(tails, heads) * n + np.maximum(tails, heads))

    @property
    def ways(self) -> NDArray[np.int64]:
        """The number of each node's edge among all that meet it, from 1; 0 for none."""
        count = max(len(self.low), 1)
        loops = self.low == self.high
        at = np.concatenate([self.low, self.high[~loops]])
        edge = np.concatenate([np.arange(len(self.low)), np.flatnonzero(~loops)])
        keys = np.sort(at * count + edge)
        nodes = np.flatnonzero(self.of_node >= 0)
        ways = np.zeros(len(self.of_node), np.int64)
        found = np.searchsorted(keys, nodes * count + self.of_node[nodes])
        ways[nodes] = 1 + found - np.searchsorted(keys, nodes * count)
        return ways


@dataclass(frozen=True, slots=True)
class Opening:
    """How a page begins.

    title   what it calls its network, "" for that one's name
    walk    by what it plays
    moment  which it shows at first: the number of a step, from 1, or "tree"; it plays from the first step for ""
    extent  the part of the plane that is shown at first, None for what a window shows
    embedded  whether it is a frame in something else, as in a notebook: smaller, and not playing by itself
    live      whether its source can be dragged, for which the browser makes the trees
    """

    title: str = ""
    walk: Walk = Walk.STEP
    moment: str = ""
    extent: Extent | None = None
    embedded: bool = False
    live: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """A page's heading, which is written as JSON, and its sections, deflated together."""

    heading: dict[str, Any]
    sections: dict[str, bytes]

    @classmethod
    def of(cls, scene: Scene, result: Result, opening: Opening, *, beside: Content | None = None) -> Content:
        """Return what a page holds of a search that a scene shows.

        ``beside`` is a search on the same network, whose roads and names are not told again. Raises ``OptionError``
        for a search without steps or a network too large, ``MemoryShortError``.
        """
        trace, geometry = result.trace, scene.geometry
        if trace is None or not len(trace):
            raise OptionError("a page shows the steps of a search, and here is none that was recorded")
        assert geometry is not None
        _check_network(result.network, geometry, len(trace.frontier_nodes))
        grid = Grid.of(geometry)
        edges = _edges_of(scene, result, grid)
        code, steps_code = code_of(result)
        graph = graph_of(result) if scene.diagram is not None else None
        sections = dict(_search(result, trace, edges)) | steps_code
        if graph is not None:
            sections["graph"] = graph
        heading = _texts(scene, result, opening.title) | _heading(scene, result, edges) | {"code": code}
        if beside is not None:
            return cls(beside.heading | heading, beside.sections | sections)
        around, there = _roads_of(result.network, geometry, grid, edges)
        sections = there | sections | dict(_themes(scene))
        heading |= around | _plain_heading(scene, result.network, grid, opening)
        if opening.live and graph is None:  # of which no picture is drawn but by steps
            told, cut = live_of(result, edges, *grid.put(geometry.x, geometry.y))
            heading |= told
            sections |= cut
        return cls(heading, sections)


def map_content(
    scene: Scene,
    network: RoadNetwork,
    metric: Metric,
    opening: Opening,
    *,
    closures: NDArray[Any],
    ramp: str = "gradient",
    table: str = "table",
    beside: Content | None = None,
) -> tuple[Content, NDArray[np.intp]]:
    """Return what a page holds of a map without a search, and of each edge the line or the chain that it is.

    ``ramp`` and ``table`` are colours of ``Style``; ``beside`` and errors as in ``Content.of``.
    """
    geometry = scene.geometry
    assert geometry is not None
    _check_network(network, geometry, 0)
    grid = Grid.of(geometry)
    edges, order = _plain_edges(network, geometry, grid, closures)
    heading = {
        "title": opening.title or title_of(network.name),
        "subtitle": nodes_text(network.node_count),
        "ending": [],
        "legend": {"title": "", "marks": []},
        "credit": network.credit,
        "edges": len(edges.low),
        "bends": len(edges.x),
        "closed": len(edges.closed),
        "steps": 0,
        "frontiers": 0,
        "source": -1,
        "route": [],
        "reverse": False,
        "metric": {"name": metric.name, "unit": metric.unit, "scale": metric.scale},
        "last": 0,
        "clean_ns": None,
        "spread": 0.0,
        "code": None,
        **_plain_heading(scene, network, grid, opening, ramp),
    }
    sections = {"closed": varints(differences(edges.closed)), **dict(_themes(scene, table))}
    if beside is not None:
        return Content(beside.heading | heading, beside.sections | sections), order
    around, there = _roads_of(network, geometry, grid, edges)
    return Content(heading | around, there | sections), order


def _check_network(network: RoadNetwork, geometry: MapGeometry, frontiers: int) -> None:
    """Raise ``OptionError`` for a network that no page can hold, and ``MemoryShortError``."""
    if geometry.node_count > MOST_NODES:
        raise OptionError(f"a page shows {MOST_NODES:,} nodes at most, and there are {geometry.node_count:,}")
    ids = network.node_ids
    if not -LARGEST_ID <= int(ids.min()) <= int(ids.max()) <= LARGEST_ID:
        raise OptionError(f"a page has ids of nodes up to {LARGEST_ID:,}, and some here are larger: number them anew")
    require_memory(
        _BYTES_A_LINE * (geometry.node_count + geometry.line_count) + _BYTES_A_FRONTIER * frontiers,
        f"the page of {network.name}",
    )


@dataclass(frozen=True, slots=True)
class Grid:
    """The whole units in which a page counts metres of the plane, from the lower left corner of the map on."""

    unit: float
    left: float
    bottom: float

    @classmethod
    def of(cls, geometry: MapGeometry) -> Grid:
        """Return the units of a map."""
        unit = min(max(geometry.typical_line / UNITS_A_LINE, FINEST), COARSEST)
        return cls(unit, geometry.bounds.left, geometry.bounds.bottom)

    def put(self, x: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return places of the plane in units."""
        across, upward = x.astype(np.float64) - self.left, y.astype(np.float64) - self.bottom
        return np.round(across / self.unit).astype(np.int64), np.round(upward / self.unit).astype(np.int64)


def _plain_edges(
    network: RoadNetwork, geometry: MapGeometry, grid: Grid, closures: NDArray[Any]
) -> tuple[Edges, NDArray[np.intp]]:
    """Return the edges of a map without a tree, and of each the line, or where roads are bent the chain, that it is.

    ``closures`` are closed arcs.
    """
    chains, n = geometry.chains, geometry.node_count
    none = np.zeros(0, np.int64)
    if chains is None:
        a, b, kind = geometry.line_a.astype(np.int64), geometry.line_b.astype(np.int64), geometry.line_class
        bends, x, y = np.zeros(len(a), np.int64), none, none
    else:
        a, b = chains.a.astype(np.int64), chains.b.astype(np.int64)
        kind = np.zeros(len(a), np.uint8)
        kind[chains.of_line] = geometry.line_class
        bends, x, y = _bends_of(network, grid, a)
    low, high = np.minimum(a, b), np.maximum(a, b)
    order = np.lexsort((high, low))
    if len(x):
        x, y = _reordered(bends, order, a > b, x, y)
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    edges = Edges(
        *(low[order], high[order], kind[order], bends[order], x, y, np.full(n, -1, np.int64), none),
        of_chain=None if chains is None else place,
    )
    return replace(edges, closed=_closed(network, closures, edges)), order


def _edges_of(scene: Scene, result: Result, grid: Grid) -> Edges:
    """Return the edges of a map, with those of a tree among them."""
    geometry, parents = scene.geometry, result.parents.astype(np.int64)
    assert geometry is not None
    edges, _ = _plain_edges(result.network, geometry, grid, result.closures)
    chains, of_node = geometry.chains, edges.of_node
    nodes = np.flatnonzero(parents >= 0)
    if chains is None:
        of_node[nodes] = edges.between(nodes, parents[nodes])
    else:
        tree = scene.found.tree
        assert tree is not None
        assert tree.arcs is not None
        assert edges.of_chain is not None
        of_node[nodes] = edges.of_chain[chains.of_arc[tree.arcs[nodes]]]
    return edges


def _closed(network: RoadNetwork, closures: NDArray[Any], edges: Edges) -> NDArray[np.int64]:
    """Return the edges that have closed arcs."""
    arcs = np.asarray(closures, np.int64)
    return np.unique(edges.of_arcs(network, arcs[network.tails()[arcs] != network.targets[arcs]]))


def _bends_of(
    network: RoadNetwork, grid: Grid, a: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return how many bends each chain has, and where they are, in units, each chain's from its end ``a`` on."""
    geometry, shapes = MapGeometry.of(network), network.shapes
    chains = geometry.chains
    assert shapes is not None
    assert chains is not None
    arcs = np.flatnonzero(chains.of_arc >= 0)
    arcs = arcs[network.tails()[arcs] == a[chains.of_arc[arcs]]]
    arc = np.full(len(a), -1, np.int64)
    arc[chains.of_arc[arcs][::-1]] = arcs[::-1]  # of several the first
    bends = np.where(arc >= 0, np.diff(shapes.offsets)[arc], 0)
    chosen = _runs(shapes.offsets[arc], bends)
    near = np.repeat(geometry.x[a], bends)
    return bends, *grid.put(*Plane.of(network).project_near(shapes.points[chosen], near))


def _runs(begins: NDArray[Any], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the whole numbers of runs that begin at ``begins`` and have ``counts`` of them."""
    return np.repeat(begins - (np.cumsum(counts) - counts), counts) + np.arange(int(counts.sum()))


def _reordered(
    bends: NDArray[np.int64],
    order: NDArray[np.intp],
    turned: NDArray[np.bool_],
    x: NDArray[np.int64],
    y: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return bends in another order of their edges, those of ``turned`` edges from the other end on."""
    begins, counts = (np.cumsum(bends) - bends)[order], bends[order]
    onward = _runs(begins, counts)
    back = np.repeat(2 * begins + counts - 1, counts) - onward
    chosen = np.where(np.repeat(turned[order], counts), back, onward)
    return x[chosen], y[chosen]


# ---------------------------------------------------------------------------------------------------------- sections


def _roads_of(
    network: RoadNetwork, geometry: MapGeometry, grid: Grid, edges: Edges
) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Return what heading and sections have of a network's roads, and of what lies round them."""
    around, named = surroundings_of(network, grid)
    ids = varints(signed(differences(network.node_ids)))
    return around, dict(_places(geometry, grid, edges)) | named | {"ids": ids}


def _places(geometry: MapGeometry, grid: Grid, edges: Edges) -> Iterator[tuple[str, bytes]]:
    """Yield where nodes and edges are."""
    n = geometry.node_count
    x, y = grid.put(geometry.x[:n], geometry.y[:n])
    yield "x", varints(signed(differences(x)))
    yield "y", varints(signed(differences(y)))
    yield "degree", varints(np.bincount(edges.low, minlength=n))
    yield "ahead", varints(edges.high - edges.low)
    if geometry.has_classes:
        yield "kind", edges.kind.tobytes()
    if len(edges.x):
        yield "bends", varints(edges.bends)
        first = np.cumsum(edges.bends)[edges.bends > 0] - edges.bends[edges.bends > 0]
        for name, of_nodes, of_bends in (("bend x", x, edges.x), ("bend y", y, edges.y)):
            moved = np.diff(of_bends, prepend=0)
            moved[first] = of_bends[first] - of_nodes[edges.low[edges.bends > 0]]
            yield name, varints(signed(moved))


def _search(result: Result, trace: Trace, edges: Edges) -> Iterator[tuple[str, bytes]]:
    """Yield what the search found, and its steps."""
    parents = result.parents
    has_parent = edges.of_node >= 0

    def above_parent(values: NDArray[np.int64]) -> NDArray[np.int64]:
        return signed(values - np.where(has_parent, values[parents], 0))

    yield "closed", varints(differences(edges.closed))
    yield "way", varints(edges.ways)
    yield "first", varints(above_parent(trace.first_reached.astype(np.int64) + 1))
    yield "distance", varints(above_parent(np.maximum(result.distances.astype(np.int64), -1) + 1))
    steps = np.repeat(np.arange(len(trace)), np.diff(trace.frontier_offsets))
    order = np.lexsort((steps, trace.frontier_nodes))
    nodes, steps = trace.frontier_nodes[order], steps[order]
    yield "times", varints(np.bincount(nodes, minlength=len(parents)))
    begins = np.diff(nodes, prepend=-1) != 0
    yield "when", varints(signed(steps - np.where(begins, trace.first_reached[nodes], np.roll(steps, 1))))
    for name, values in (
        ("size", trace.frontier_size),
        ("tried", trace.relaxations),
        ("improved", trace.improved),
        ("time", trace.time_ns),
    ):
        yield name, varints(np.maximum(values, 0))
    yield "settled", varints(signed(differences(trace.settled_distance(result.distances))))


def _themes(scene: Scene, table: str = "table") -> Iterator[tuple[str, bytes]]:
    """Yield the tables of colours of all themes; ``table`` is the name of one of ``Style``."""
    for name in THEMES:
        style = Style(name, scene.style.colour_map)
        yield f"table {name}", _planes(getattr(style, table))
        yield f"hot {name}", _planes(style.hot[None, :])


def _planes(pixels: NDArray[np.uint32]) -> bytes:
    channels = np.stack([(pixels >> shift) & 255 for shift in (16, 8, 0)]).astype(np.uint8)
    return np.diff(channels, axis=2, prepend=np.uint8(0)).astype(np.uint8).tobytes()


# ----------------------------------------------------------------------------------------------------------- heading


def _texts(scene: Scene, result: Result, title: str) -> dict[str, Any]:
    """Return what the page says of a search in words."""
    legend = scene.found.nodes.legend
    assert legend is not None
    return {
        "title": title or title_of(result.network.name),
        "subtitle": search_line(result),
        "ending": ending(result),
        "legend": legend_told(legend),
        "credit": result.network.credit,
    }


def legend_told(legend: Legend) -> dict[str, Any]:
    """Return a legend as the heading has it."""
    marks = legend.marks or ((0.0, legend.first), (0.5, legend.middle), (1.0, legend.last))
    return {"title": legend.title, "marks": marks}


def _heading(scene: Scene, result: Result, edges: Edges) -> dict[str, Any]:
    """Return how many of everything a search has, and what its numbers mean."""
    trace, metric, timing = result.trace, result.metric, result.timing
    assert trace is not None
    first_step = trace.first_reached.view(np.uint32)
    return {
        "edges": len(edges.low),
        "bends": len(edges.x),
        "closed": len(edges.closed),
        "steps": len(trace),
        "frontiers": len(trace.frontier_nodes),
        "source": result.source,
        "route": result.path.tolist() if isinstance(result, RouteResult) else [],
        "route_length": result.distance if isinstance(result, RouteResult) else -1,
        "reverse": bool(result.reverse),
        "metric": {"name": metric.name, "unit": metric.unit, "scale": metric.scale},
        "last": last_coloured(result.distances, first_step != NEVER),
        "clean_ns": None if timing.median_ms is None else round(timing.median_ms * 1e6),
        "spread": round(spread(timing.runs_ms), 6),
    }


def _plain_heading(
    scene: Scene, network: RoadNetwork, grid: Grid, opening: Opening, ramp: str = "gradient"
) -> dict[str, Any]:
    """Return what a page says of a network, whatever it shows there, and how it looks; ``ramp`` is one of ``Style``."""
    catalogue, geometry, plane = current(), scene.geometry, Plane.of(network)
    assert geometry is not None
    return {
        "version": VERSION,
        "program": f"wayfront {__version__}",
        "language": "en" if catalogue is None else catalogue.language,
        "words": words(),
        "nodes": geometry.node_count,
        "unit": grid.unit,
        "corner": [grid.left, grid.bottom],
        "middle": list(plane.middle),
        "metres": [plane.across, plane.upward],
        "on_earth": bool(scene.scale_bar),
        "bounds": list(geometry.bounds),
        "typical": geometry.typical_line,
        "classes": list(ROAD_CLASSES) if geometry.has_classes else [],
        "themes": {name: _theme(name, scene.style.colour_map, ramp) for name in THEMES},
        "theme": scene.style.theme_name,
        "walk": opening.walk,
        "moment": opening.moment,
        "home": list(opening.extent or scene.home),
        "embedded": opening.embedded,
    }


def _theme(name: str, colour_map: str, ramp: str) -> dict[str, Any]:
    """Return a theme's colours of the map and of the controls, and how it mixes them."""
    theme, style = THEMES[name], Style(name, colour_map)
    look, interface = theme.map, theme.interface
    gradient = getattr(style, ramp)[np.round(np.linspace(0, 255, 16)).astype(int)].round().astype(int).tolist()
    return {
        "map": {
            key: getattr(look, key)
            for key in (
                *("background", "core", "bloom", "core_strength", "bloom_strength", "glow_adds", "ink", "casing"),
                *("route", "target", "closed", "water", "green", "water_ink", "green_ink", "land_strength"),
                *("thickness", "plain"),
            )
        },
        "interface": {
            key: getattr(interface, key)
            for key in ("ground", "panel", "raised", "lifted", "line", "text", "muted", "faint", "accent", "on_accent")
        },
        "gradient": gradient,
        "text": theme.least_text,
    }
