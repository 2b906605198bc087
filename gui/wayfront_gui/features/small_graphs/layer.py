"""Painting a small graph over its page: arcs, discs, texts, markers, and what the signs mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from wayfront_gui.features.small_graphs.arcs import DASHES, WIDTHS, ArcKind, ArcPainter, ArcShapes, Kinds, kinds_of
from wayfront_gui.features.small_graphs.graph import Placing, SmallGraph, disc_at, disc_radius, placing_of
from wayfront_gui.features.small_graphs.moment import Moment, ShownGraph
from wayfront_gui.features.small_graphs.nodes import (
    Inks,
    NodePainter,
    NodeState,
    font_of,
    inks_of,
    measure,
    of_distance,
    paint_disc,
    state_of,
)
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.found import Live
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.scene import Diagram, Edges, Scene
from wayfront_gui.session.pairs import Pairs
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result

SOURCE_RING, TARGET_RING, HOVER_RING = 6.5, 6.5, 3.0
"""Pixels from the rim of a disc to the ring of a source, of a target, and of a node under the pointer."""
_KEY_COLOUR = 200
"""Row of the colour map whose colour stands for distances in the key."""


_SIDE, _EDGE, _HALF_DISC = 44.0, 50.0, 36.0
"""Room round a small graph for discs and labels: at its sides, above and below; a disc's upper half with its name."""
_TOP, _TOP_SHARE = 64.0, 0.11
"""Room above it for the old label over one that fell, and the share of the height that this takes at most."""
_HEAD_SHARE = 0.8
"""The share of what is free above and below a graph that goes to what is painted above it where there is too little."""
_LEGEND, _KEY_ROW, _KEY_WIDTH = 70.0, 20.0, 1100.0
"""Height of the colours' legend, and of a row of the key, whose entries and gaps are about so wide in all."""
_LEAST_FOR_KEY = 340.0
"""Narrower pictures have no room for what the signs of a small graph mean."""
_LEAST = 0.45
"""The share of each side that a graph has at least, whatever is round it."""
_LEAST_ROUND = 0.9
"""The share of the room round a graph with a key that is kept at least: with less, the key lies over its labels."""


@dataclass(frozen=True, eq=False)
class SmallGraphs(Diagram):
    """A network of few nodes as a graph: discs, arcs with their weights, and at every node its label."""

    shown: ShownGraph

    NAME: ClassVar[str] = "small graph"
    ORDER: ClassVar[int] = 15
    STEADY: ClassVar[bool] = False

    @property
    def of_search(self) -> bool:
        """It is what is searched."""
        return True

    @property
    def graph(self) -> SmallGraph:
        """The graph, whatever is searched on it."""
        return self.shown.graph

    @property
    def home(self) -> Extent:
        """The box round the nodes' places."""
        return self.graph.home

    def place(self, node: int) -> tuple[float, float]:
        """Return where a node is on the plane."""
        return float(self.graph.x[node]), float(self.graph.y[node])

    def radius(self, camera: Camera) -> float:
        """Return the radius of a node's disc in a camera's pixels."""
        return disc_radius(self.graph, camera)

    def node_at(self, camera: Camera, x: float, y: float, more: float, anywhere: bool) -> int:
        """Return the node whose disc is at a place in a camera's pixels, or near it; the nearest one ``anywhere``."""
        return disc_at(self.graph, camera, x, y, more, anywhere)

    def placing(self, camera: Camera) -> Placing:
        """Return where texts stand; ``camera`` is in logical pixels."""
        return placing_of(self.graph, camera, self.shown.widest_label, measure)

    def after(self, search: Result | Live | Pairs | None) -> SmallGraphs:
        """Return the graph with another search."""
        if search is None:
            return SmallGraphs(self.shown.without_search())
        if isinstance(search, Live):
            return SmallGraphs(self.shown.with_live(search.trace, search.distances))
        if isinstance(search, Pairs):
            return SmallGraphs(self.shown.with_pairs(search))
        return SmallGraphs(self.shown.with_result(search))

    def moment(self, scene: Scene) -> Moment:
        """Return what the search has done on it by the step that a scene shows."""
        tree = next((layer.tree for layer in scene.layers.values() if layer.tree is not None), None)
        if tree is not None:
            return self.shown.with_tree(*tree).moment(0.0, None, whole=True)
        return self.shown.moment(scene.step, scene.markers.source, whole=scene.settled or scene.mode == "tree")

    def has_room_for_key(self, width: float, height: float) -> bool:
        """Return whether a picture of so many units has room for colours and signs below the graph."""
        return has_room_for_key(width, height)

    def fitting(self, width: int, height: int, ratio: float, unit: float, titles: float | None, edges: Edges) -> Camera:
        """Return the camera that shows it whole where its texts leave room for it."""
        above = min(max(_TOP_SHARE * height / unit, _EDGE), _TOP) if titles is None else titles
        head = edges.head + _HALF_DISC if edges.head else above
        keyed = edges.key and self.has_room_for_key(width / unit, height / unit)
        side = min(_SIDE * unit, (1 - _LEAST) / 2 * width)
        top, foot = head * unit, _EDGE * unit
        if keyed:
            foot += _height_of_key(width / unit) * unit
        free = (1 - _LEAST) * height
        if edges.head:  # what is below a graph may go, what is above it would hide it
            top = min(top, _HEAD_SHARE * free)
            foot = min(foot, free - top)
        shrink = min(free / (top + foot), 1.0)
        top, foot = top * shrink, foot * shrink
        home = self.graph.home
        across, upward = home.width / (width - 2 * side), home.height / (height - top - foot)
        scale = 1 / (max(across, upward) or 1.0)
        x, y = home.middle
        middle = top + (height - top - foot) / 2  # rows of pixels from the top to the middle of the graph
        return Camera(scale, x - width / scale / 2, y + middle / scale, width, height, ratio)

    def paint_diagram(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint arcs, discs, texts and markers."""
        graph, moment = self.graph, self.moment(scene)
        inks, placing, rows = inks_of(scene.style), self.placing(camera), scene.node_colours.colour
        places = np.stack(camera.to_pixels(graph.x, graph.y), axis=1)
        shapes = ArcShapes.of(graph, camera, placing.sizes.radius)
        arcs = ArcPainter(
            scene, graph, places, shapes, placing, kinds_of(scene, graph, moment), rows, inks, camera.thickness
        )
        nodes = NodePainter(scene, graph, moment, places, placing, rows, inks)
        painter.save()
        arcs.paint_lines(painter)
        for layer in scene.layers.values():
            layer.paint_on_arcs(painter, scene, camera)
        arcs.paint_weights(painter)
        markers = scene.markers
        for ringed in (*markers.ends, *(() if markers.source is None else (markers.source,))):
            nodes.clear_round(painter, ringed, SOURCE_RING)
        nodes.paint_discs(painter)
        for target in markers.ends:
            nodes.paint_ring(painter, target, inks.route, 2.4, TARGET_RING)
        if markers.source is not None:
            nodes.paint_ring(painter, markers.source, inks.ink, 2.0, SOURCE_RING)
        if markers.hovered is not None:
            nodes.paint_ring(painter, markers.hovered, inks.ink, 1.4, HOVER_RING)
        nodes.paint_beside(painter)
        painter.restore()

    def paint_key(self, painter: QPainter, scene: Scene, camera: Camera, left: float, base: float) -> float:
        """Paint what the signs mean, above ``base`` and right of ``left``; return how high that is."""
        if not self.has_room_for_key(camera.width, camera.height):
            return 0.0
        graph, moment = self.graph, self.moment(scene)
        inks = inks_of(scene.style)
        colour = of_distance(scene.style, _KEY_COLOUR)
        rows = rows_of(entries_of(graph, moment, kinds_of(scene, graph, moment), colour, inks), camera.width - 2 * left)
        if rows:
            paint_rows(painter, rows, QPointF(left, base), inks)
        return ROW * len(rows) + (10.0 if rows else 0.0)


def diagram_of(network: RoadNetwork) -> SmallGraphs | None:
    """Return a network as a graph on which nothing is searched, None for one that is no small graph."""
    shown = ShownGraph.of(network)
    return None if shown is None else SmallGraphs(shown)


def shown_graph(scene: Scene) -> SmallGraphs | None:
    """Return the small graph that a scene draws in place of roads, None where it draws roads."""
    diagram = scene.diagram
    return diagram if isinstance(diagram, SmallGraphs) else None


def graph_of(scene: Scene) -> SmallGraph | None:
    """Return the drawing of that graph."""
    shown = shown_graph(scene)
    return None if shown is None else shown.graph


def has_room_for_key(width: float, height: float) -> bool:
    """Return whether a picture of a small graph, in units of its texts, has room for colours and signs below it."""
    if width < _LEAST_FOR_KEY:
        return False
    return (1 - _LEAST) * height >= _LEAST_ROUND * (2 * _EDGE + _height_of_key(width))


def _height_of_key(width: float) -> float:
    """Return how high colours and signs are in a picture of that width, both in units of its texts."""
    rows = math.ceil(_KEY_WIDTH / max(width - 32.0, 1.0))
    return _LEGEND + min(rows, 4) * _KEY_ROW


ROW = 20.0
PIXELS = 11
_SIGN, _GAP, _DISC = 22.0, 18.0, 5.5
NODE_TEXTS = {
    NodeState.UNREACHED: marked("not reached yet"),
    NodeState.WAITING: marked("waiting"),
    NodeState.FRONTIER: marked("expanded now"),
    NodeState.SETTLED: marked("settled"),
}
ARC_TEXTS = {
    ArcKind.TREE: marked("tree so far"),
    ArcKind.IMPROVING: marked("lowered a distance"),
    ArcKind.TRIED: marked("no shorter way"),
    ArcKind.ROUTE: marked("route"),
    ArcKind.CLOSED: marked("closed"),
}
FINISHED_TEXTS = {NodeState.SETTLED: marked("reached"), NodeState.UNREACHED: marked("not reached")}
TREE_TEXT = marked("shortest-path tree")
FELL = marked("distance fell")


@dataclass(frozen=True, slots=True)
class Entry:
    """A sign and what it means; ``paint`` paints the sign into a box."""

    text: str
    paint: Callable[[QPainter, QRectF], None]

    @property
    def width(self) -> float:
        """How much room it takes."""
        return _SIGN + 6 + measure(self.text, PIXELS)[0]


def entries_of(graph: SmallGraph, moment: Moment, kinds: Kinds, colour: QColor, inks: Inks) -> list[Entry]:
    """Return the signs that a moment shows, nodes first; ``colour`` is one of the colours of distance."""
    if not moment.labelled.any():
        return []
    present = {state_of(moment, node) for node in range(len(moment.labels))}
    texts = {**NODE_TEXTS, **FINISHED_TEXTS} if moment.finished else NODE_TEXTS
    entries = [Entry(translated(texts[state]), _disc(state, colour, inks)) for state in NodeState if state in present]
    if moment.changed.any():
        entries.append(Entry(translated(FELL), _fallen(inks)))
    for kind, text in ARC_TEXTS.items():
        if (kinds == kind).any():
            shown = TREE_TEXT if moment.finished and kind is ArcKind.TREE else text
            entries.append(Entry(translated(shown), _line(kind, colour, inks)))
    if graph.numbers.unit:
        text = translated("weights and distances in {unit}", unit=graph.numbers.unit)
        entries.append(Entry(text, lambda painter, box: None))
    return entries


def rows_of(entries: Iterable[Entry], room: float) -> list[list[Entry]]:
    """Return entries in as many rows as it takes to fit them into ``room``."""
    rows: list[list[Entry]] = []
    used = np.inf
    for entry in entries:
        if used + entry.width > room:
            rows.append([])
            used = 0.0
        rows[-1].append(entry)
        used += entry.width + _GAP
    return rows


def paint_rows(painter: QPainter, rows: list[list[Entry]], at: QPointF, inks: Inks) -> None:
    """Paint rows of entries, the last one above ``at``, which is at their left."""
    painter.setFont(font_of(PIXELS))
    top = at.y() - ROW * len(rows)
    width = max((sum(e.width for e in row) + _GAP * (len(row) - 1) for row in rows), default=0.0)
    paper = translucent(inks.page, 225)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(paper)
    painter.drawRoundedRect(QRectF(at.x() - 6, top - 3, width + 12, ROW * len(rows) + 5), 4, 4)
    for index, row in enumerate(rows):
        x, y = at.x(), top + ROW * index
        for entry in row:
            entry.paint(painter, QRectF(x, y, _SIGN, ROW))
            painter.setPen(inks.dim)
            painter.setFont(font_of(PIXELS))
            text = QRectF(x + _SIGN + 4, y, entry.width, ROW)
            painter.drawText(text, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), entry.text)
            x += entry.width + _GAP


def _disc(state: NodeState, colour: QColor, inks: Inks) -> Callable[[QPainter, QRectF], None]:
    def paint(painter: QPainter, box: QRectF) -> None:
        paint_disc(painter, box.center(), _DISC, state, colour, inks)

    return paint


def _fallen(inks: Inks) -> Callable[[QPainter, QRectF], None]:
    def paint(painter: QPainter, box: QRectF) -> None:
        painter.setPen(QPen(inks.step, 1.4))
        painter.setBrush(inks.step)
        painter.drawRoundedRect(QRectF(box.center().x() - 9, box.center().y() - 6, 18, 12), 3, 3)
        painter.setPen(QPen(inks.on_step, 1.3))
        for side in (-1, 1):
            painter.drawLine(box.center() + QPointF(3 * side, -1.5), box.center() + QPointF(0, 2))

    return paint


def _line(kind: ArcKind, colour: QColor, inks: Inks) -> Callable[[QPainter, QRectF], None]:
    inked = {ArcKind.TREE: colour, ArcKind.ROUTE: inks.route, ArcKind.CLOSED: inks.closed}.get(kind, inks.step)

    def paint(painter: QPainter, box: QRectF) -> None:
        pen = QPen(inked, WIDTHS[kind], Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
        if kind in DASHES:
            pen.setDashPattern(DASHES[kind])
        painter.setPen(pen)
        painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right() - 2, box.center().y()))

    return paint
