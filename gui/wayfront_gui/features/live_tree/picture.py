"""The map's picture of a tree whose source moves: drawn anew many times a second into arrays made once. No Qt.

It is drawn on the engine thread, right after its tree; the window only shades it. There are three of every array: one
is shown, one may wait to be shown, and one is drawn. Few lines of a tree differ from those of the tree before, and only
their pixels are drawn (see ``tree_strengths`` and ``line_pieces``).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, loop_without_allocation, part_without_allocation
from wayfront.network.conventions import SMALL
from wayfront.network.road_network import Metric
from wayfront_gui.features.live_tree.line_pieces import (
    Changes,
    Pieces,
    WideLines,
    clear_wide,
    draw_changes,
    draw_wide,
    lay_wide,
    settle,
)
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.found import CLIP_PERCENTILE
from wayfront_gui.map.frame import PARENTS, two_nodes, warm_up_map
from wayfront_gui.map.geometry import MapGeometry, read_only
from wayfront_gui.map.legend import Legend, NodeColours
from wayfront_gui.map.raster import LineWeights, colour_reached
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.style import tree_weights
from wayfront_gui.map.subtrees import SMALL_SIZES, Resizing, level_of_size, levels_of_small, levels_per_log, resize

if TYPE_CHECKING:
    from wayfront_gui.map.chains import Chains


_NO_DOTS = np.zeros(0, np.int32)
SIDES = 3
"""How many pictures there are at once."""
_SAMPLED = 4096
"""Nodes among which the distance that has the last colour is looked for."""
_FIRST_ROOM = 1 << 18
"""Pieces of wide lines for which there is room at first."""
_COMPARED = 64
"""Words of eight lines that are compared at once with how they are drawn."""
_TREE, _SCALE, _WIDE, _NOTHING = 0, 1, 2, 3
"""The stages of a drawing."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn(Layer):
    """The picture of a tree that follows the mouse, drawn in place of all searches.

    camera, gbuffer  from where it is seen, and its G-buffer, uint32 [height, width]
    nodes            the colours of reached nodes
    tree             of a small graph its distances and parents
    """

    camera: Camera
    gbuffer: NDArray[np.uint32]
    nodes: NodeColours
    tree: tuple[NDArray[Any], NDArray[np.int32]] | None = None

    NAME: ClassVar[str] = "dragged"
    ORDER: ClassVar[int] = 62
    PRECEDENCE: ClassVar[int] = 60

    @property
    def picture(self) -> tuple[Camera, NDArray[np.uint32]]:
        """The camera and the G-buffer."""
        return self.camera, self.gbuffer

    def node_colours(self, scene: Scene) -> NodeColours:
        """Return the colours of the tree."""
        return self.nodes


class DraggedPicture:
    """Draws trees of one network from one camera after another; ``draw`` belongs to one thread at a time."""

    def __init__(self, geometry: MapGeometry) -> None:
        n = geometry.node_count
        self._geometry = geometry
        self._owners: NDArray[np.uint32] | None = None
        self._links: Links | None = None
        self._links_for: tuple[object, bool] = None, False
        self._sheet: _Sheet | None = None
        self._camera: Camera | None = None
        self._sample = np.arange(0, n, max(n // _SAMPLED, 1))
        self._sides = tuple((np.empty(n, np.uint32), np.empty(n, np.uint8)) for _ in range(SIDES))

    def look(self, camera: Camera) -> bool:
        """Be ready to draw from a camera; return False where that would take too much."""
        if self._camera != camera:
            self._camera, self._sheet = camera, None
            zoom = round(self._geometry.typical_line * camera.scale / camera.pixel_ratio, 4)
            weights = tree_weights(zoom, camera.line_unit)
            if self._owners is None:
                halves = np.stack([self._geometry.owner_a, self._geometry.owner_b], axis=1)
                self._owners = halves.reshape(-1).astype(np.uint32)
            pieces = Pieces.of(self._geometry, camera, float(weights.width[0]), self._owners)
            if pieces is not None:
                self._sheet = _Sheet(self._geometry, camera, pieces, weights)
        return self._sheet is not None

    def draw(
        self,
        side: int,
        distances: NDArray[Any],
        parents: NDArray[np.int32],
        metric: Metric,
        *,
        reverse: bool = False,
    ) -> Drawn:
        """Draw a tree from the camera of ``look`` into the arrays of a side, 0 … 2; −1 is not reached."""
        sheet = self._sheet
        assert sheet is not None
        distances, parents = read_only(distances), read_only(parents)
        first_step, colour = self._sides[side]
        last = self._last_coloured(distances)
        colour_reached(distances, last, first_step, colour)
        tree = (distances.copy(), parents.copy()) if len(parents) <= SMALL else None
        gbuffer = sheet.draw(side, parents, self._links_of(metric, reverse))
        legend = Legend.of(metric, last, reverse=reverse)
        nodes = NodeColours(read_only(first_step), read_only(colour), _NO_DOTS, legend, in_tree=True)
        return Drawn(sheet.camera, gbuffer, nodes, tree)

    def _links_of(self, metric: Metric, reverse: bool) -> Links:
        """Return the links of the map's nodes; between parallel roads of other courses, the metric decides."""
        bent, (weights, back) = self._geometry.chains is not None, self._links_for
        if self._links is None or (bent and (weights is not metric.weights or back != reverse)):
            self._links = Links.of(self._geometry, metric.weights, reverse=reverse)
            self._links_for = metric.weights, reverse
        return self._links

    def _last_coloured(self, distances: NDArray[Any]) -> float:
        """Return the distance from which on nodes have the last colour, by a sample of them."""
        some = distances[self._sample]
        some = some[some >= 0]
        if not len(some):
            return 1.0
        place = min(len(some) * CLIP_PERCENTILE // 100, len(some) - 1)
        return float(max(np.partition(some, place)[place], 1))


class Base(NamedTuple):
    """What is drawn beneath the G-buffers of all sides.

    drawn    uint8 [lines]: the strengths with which lines are drawn
    narrow   uint32 [pixels]: without wide lines; ``beneath``: with them
    """

    pieces: Pieces
    drawn: NDArray[np.uint8]
    narrow: NDArray[np.uint32]
    beneath: NDArray[np.uint32]
    changes: Changes


class _Sheet:
    """What is drawn from one camera: the G-buffers, and what is beneath them."""

    def __init__(self, geometry: MapGeometry, camera: Camera, pieces: Pieces, weights: LineWeights) -> None:
        self.camera = camera
        self._geometry, self._weights = geometry, weights
        shape, pixels = (camera.height, camera.width), camera.height * camera.width
        self._strengths: TreeStrengths | None = None
        drawn = np.zeros(geometry.line_count, np.uint8)
        narrow, beneath = np.zeros((2, pixels), np.uint32)
        self._base = Base(pieces, drawn, narrow, beneath, Changes.of(pixels, SIDES))
        self._gbuffers = tuple(np.zeros(shape, np.uint32) for _ in range(SIDES))
        self._wide = WideLines.of(geometry.line_count, _FIRST_ROOM)

    def draw(self, side: int, parents: NDArray[np.int32], links: Links) -> NDArray[np.uint32]:
        """Draw a tree and return its G-buffer, that of a side, uint32 [height, width]."""
        if self._strengths is None or self._strengths.links is not links:
            self._strengths = TreeStrengths.of(self._geometry, self._weights, links)
            self._wide = WideLines.of(self._geometry.line_count, len(self._wide.pieces))
            self._base.changes.bounds[1] = -1
        stage = _TREE
        while (lacks := self._draw_from(stage, side, parents, self._strengths)) != _NOTHING:
            if lacks == _SCALE:
                self._strengths = self._strengths.rescaled(self._weights)
            elif stage == _WIDE or self._wide.half_full:
                self._wide = self._wide.larger()
            stage = lacks
        return self._gbuffers[side]

    def _draw_from(self, stage: int, side: int, parents: NDArray[np.int32], strengths: TreeStrengths) -> int:
        """Draw a tree from a stage on; return the stage that lacks something."""
        camera, weights, target = self.camera, self._weights, self._gbuffers[side].reshape(-1)
        look = (*camera.view, camera.width, camera.height), weights.coverage, weights.width
        lines = self._geometry.lines
        return int(_draw_tree(stage, side, parents, strengths, self._base, self._wide, target, lines, *look))


@loop_without_allocation
def _draw_tree(stage, side, parents, tree, base, wide, target, lines, view, coverage, widths):  # type: ignore[no-untyped-def]
    """Draw a tree from a stage on, all in one, so that Python's lock is given up once; return the stage that lacks.

    ``_SCALE`` lacks one for as many nodes as there are now, ``_WIDE`` room for pieces: at first those that are no
    longer needed are dropped.
    """
    links, kept, resizing, scale, strengths, touched, count = tree
    pieces, drawn, narrow, beneath, changes = base
    if stage != _WIDE:
        found = np.uint64(0)
        if stage == _TREE:
            found = resize(parents, kept.parents, kept.sizes, kept.changed, resizing)
            reached = np.int32(1)
            for v in range(np.uint64(len(parents))):
                reached = max(reached, kept.sizes[v])
            if reached != scale.reached:
                return _SCALE
        rescaled = stage == _SCALE
        follow(parents, found, rescaled, kept, links, scale, strengths, wide.level)
        count[0] = list_changed(strengths, drawn, wide.level, wide.drawn, touched)
        draw_changes(narrow, pieces, touched, count[0], strengths, drawn, changes)
        clear_wide(touched, count[0], wide, changes)
    if not lay_wide(touched, count[0], stage == _WIDE, wide, lines, view, widths):
        return _WIDE
    draw_wide(beneath, narrow, touched, count[0], wide, pieces.owners, coverage, changes)
    settle(target, beneath, changes, side)
    return _NOTHING


class Links(NamedTuple):
    """The links by which each node can hang on another, and their lines.

    first       int32 [n + 1]: where the links of each node begin
    others      int32 [k]: the node at the other end of each of them
    links       int32 [k]; of parallel ones the first is that of the lightest arc
    line_first  int32 [links + 1]: where the lines of a link begin; empty where a link is the line of its number
    lines       int32
    """

    first: NDArray[np.int32]
    others: NDArray[np.int32]
    links: NDArray[np.int32]
    line_first: NDArray[np.int32]
    lines: NDArray[np.int32]

    @classmethod
    def of(cls, geometry: MapGeometry, weights: NDArray[np.int32], *, reverse: bool = False) -> Links:
        """Return those of a map; ``weights`` int32 [m] decide between parallel arcs of different courses.

        They lead to each node, with ``reverse`` away from it.
        """
        if geometry.chains is not None:
            return cls._of_chains(geometry.chains, weights, reverse)
        first = np.zeros(geometry.node_count + 1, np.int32)
        lines, others = (np.empty(2 * geometry.line_count, np.int32) for _ in range(2))
        _list_links(geometry.line_a, geometry.line_b, first, lines, others)
        return cls(first, others, lines, *(np.zeros(0, np.int32) for _ in range(2)))

    @classmethod
    def _of_chains(cls, chains: Chains, weights: NDArray[np.int32], reverse: bool) -> Links:
        tails = np.repeat(np.arange(len(chains.offsets) - 1, dtype=np.int32), np.diff(chains.offsets))
        nodes, others = (tails, chains.targets) if reverse else (chains.targets, tails)
        order = np.lexsort((weights, nodes))
        first = _begins(nodes, len(chains.offsets) - 1)
        lines = np.argsort(chains.of_line, kind="stable").astype(np.int32)
        return cls(first, others[order], chains.of_arc[order], _begins(chains.of_line, len(chains.a)), lines)


class Kept(NamedTuple):
    """What is kept of the tree before, each int32 [n], and room for a list of nodes.

    parents, sizes  its parents and the sizes of its subtrees
    links           the link of each node to its parent, -1 for none
    changed         room for the nodes whose parent or size is another
    """

    parents: NDArray[np.int32]
    sizes: NDArray[np.int32]
    links: NDArray[np.int32]
    changed: NDArray[np.int32]


class Scale(NamedTuple):
    """What strength a size of a subtree has in trees of ``reached`` nodes.

    levels      uint8: the levels of small sizes
    strengths   uint8 [256]: the strengths of levels; 0 of wide ones
    wide        uint8 [256]: the first level that is as wide and as strong, of a level wider than most; else 0
    per_log     as ``levels_per_log`` has it
    """

    levels: NDArray[np.uint8]
    strengths: NDArray[np.uint8]
    wide: NDArray[np.uint8]
    per_log: float
    reached: int

    @classmethod
    def of(cls, weights: LineWeights, reached: int) -> Scale:
        """Return the one of trees with so many nodes."""
        usual, per_log = weights.width == weights.width[0], levels_per_log(reached)
        strengths = np.where(usual, weights.coverage + 0.5, 0).astype(np.uint8)
        looks = np.stack((weights.width, weights.coverage))
        first = np.unique(looks, axis=1, return_index=True, return_inverse=True)[1:]
        wide = np.where(usual, 0, first[0][first[1]]).astype(np.uint8)
        return cls(levels_of_small(per_log), strengths, wide, per_log, reached)


class TreeStrengths(NamedTuple):
    """The strengths of all lines of a map in one tree after another.

    strength  uint8 [lines]; 0 for wide lines
    touched   int32 [lines + 1]: room for the lines that are drawn in another way than in the tree before
    listed    int64 [1]: how many these are
    """

    links: Links
    kept: Kept
    resizing: Resizing
    scale: Scale
    strength: NDArray[np.uint8]
    touched: NDArray[np.int32]
    listed: NDArray[np.int64]

    @classmethod
    def of(cls, geometry: MapGeometry, weights: LineWeights, links: Links) -> TreeStrengths:
        """Return those of no tree."""
        n, lines = geometry.node_count, geometry.line_count
        none = np.full((2, n), -1, np.int32)
        kept = Kept(none[0], np.ones(n, np.int32), none[1], np.empty(n, np.int32))
        outside = np.full(lines, np.uint8(weights.coverage[0] + 0.5))
        touched = np.empty(lines + 1, np.int32)  # one is written in vain
        return cls(links, kept, Resizing.of(n), Scale.of(weights, 1), outside, touched, np.zeros(1, np.int64))

    def rescaled(self, weights: LineWeights) -> TreeStrengths:
        """Return those of trees with as many nodes as the present one: every size has another level then."""
        return self._replace(scale=Scale.of(weights, int(self.kept.sizes.max(initial=1))))


def _begins(keys: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return where each key from 0 to ``count`` - 1 begins among the sorted keys, and their end."""
    return np.concatenate(([0], np.cumsum(np.bincount(keys, minlength=count)))).astype(np.int32)


@loop
def _list_links(line_a, line_b, first, lines, others):  # type: ignore[no-untyped-def]
    """Fill ``first``, which is zero, ``lines`` and ``others``."""
    n = len(first) - 1
    for line in range(len(line_a)):
        first[line_a[line]] += 1
        first[line_b[line]] += 1
    total = 0
    for v in range(n):
        total += first[v]
        first[v] = total
    first[n] = total
    for line in range(len(line_a) - 1, -1, -1):
        a, b = line_a[line], line_b[line]
        first[a] -= 1
        lines[first[a]], others[first[a]] = line, b
        first[b] -= 1
        lines[first[b]], others[first[b]] = line, a


@inlined
def _link_to(first, others, links, node, other):  # type: ignore[no-untyped-def]
    """Return the link of a node to another, -1 if none joins them."""
    for i in range(first[node], first[node + 1]):
        if others[i] == other:
            return links[i]
    return np.int32(-1)


@inlined
def _set_link(link, strength, wide, line_first, lines, strengths, wides):  # type: ignore[no-untyped-def]
    """Give all lines of a link a strength and a wide level."""
    if len(line_first):
        for i in range(line_first[link], line_first[link + 1]):
            strengths[lines[i]], wides[lines[i]] = strength, wide
    else:
        strengths[link], wides[link] = strength, wide


@part_without_allocation
def follow(parents, changes, rescaled, kept, joins, scale, strengths, wides):  # type: ignore[no-untyped-def]
    """Bring the strengths and the wide levels of lines to another tree.

    The first ``changes`` of ``kept.changed`` have another parent or size; ``rescaled``, every node may.
    """
    first, others, links, line_first, lines = joins
    old_parents, sizes, old_links, changed = kept
    if rescaled:
        changes = np.uint64(len(changed))
        for node in range(changes):
            changed[node] = node
    none = np.uint8(0)
    for i in range(changes):  # all before the first gets a new link: that may have been another's
        v = np.uint64(changed[i])
        if parents[v] != old_parents[v]:
            if old_links[v] >= 0:
                _set_link(old_links[v], scale.strengths[0], none, line_first, lines, strengths, wides)
            old_parents[v] = parents[v]
            linked = parents[v] >= 0
            old_links[v] = _link_to(first, others, links, np.int64(v), parents[v]) if linked else np.int32(-1)
    for i in range(changes):
        v = np.uint64(changed[i])
        size = sizes[v]
        if old_links[v] >= 0:
            level = scale.levels[size] if size < SMALL_SIZES else level_of_size(size, scale.per_log)
            _set_link(old_links[v], scale.strengths[level], scale.wide[level], line_first, lines, strengths, wides)


@part_without_allocation
def list_changed(strengths, drawn, levels, drawn_levels, touched):  # type: ignore[no-untyped-def]
    """List the lines whose strength or wide level is not as it is drawn, in their order; return how many they are.

    Lines that follow one another lie near to each other, and so do their pixels. Most eight in a row are as they were.
    """
    lines, eight, count = np.uint64(len(drawn)), np.uint64(8), np.uint64(0)
    words, many = lines // eight, np.uint64(_COMPARED)
    now, before = strengths[: words * eight].view(np.uint64), drawn[: words * eight].view(np.uint64)
    wide_now, wide_before = levels[: words * eight].view(np.uint64), drawn_levels[: words * eight].view(np.uint64)
    for begin in range(np.uint64(0), words, many):
        end, differs = min(begin + many, words), np.uint64(0)
        for word in range(begin, end):
            differs |= (now[word] ^ before[word]) | (wide_now[word] ^ wide_before[word])
        if differs:
            for word in range(begin, end):
                if now[word] != before[word] or wide_now[word] != wide_before[word]:
                    first = word * eight
                    count = _list_lines(first, first + eight, strengths, drawn, levels, drawn_levels, touched, count)
    return _list_lines(words * eight, lines, strengths, drawn, levels, drawn_levels, touched, count)


@inlined
def _list_lines(first, end, strengths, drawn, levels, drawn_levels, touched, count):  # type: ignore[no-untyped-def]
    """List those among lines from ``first`` to ``end`` without branches; return the new count."""
    for line in range(first, end):
        touched[count] = line
        count += np.uint64((strengths[line] != drawn[line]) | (levels[line] != drawn_levels[line]))
    return count


def warm_up() -> None:
    """Call every kernel on maps of two nodes, with straight and with bent arcs.

    Loads them from numba's cache, or compiles them (some ten seconds, once per machine). Safe on any thread; it
    holds the interpreter's lock only while compiling.
    """
    for bent in (False, True):
        warm_up_map(bent=bent)
        warm_up_drag(bent=bent)


@cache
def warm_up_drag(*, bent: bool) -> None:
    """Do as ``warm_up``, once, with the kernels that draw a tree whose source is dragged."""
    network = two_nodes(bent)
    geometry, metric = MapGeometry.of(network), network.metrics[0]
    picture = DraggedPicture(geometry)
    picture.look(Camera.fitting(geometry.bounds, 16, 16))
    for dtype in (np.int32, np.int64):
        picture.draw(0, np.array([0, 1], dtype), PARENTS.copy(), metric)
