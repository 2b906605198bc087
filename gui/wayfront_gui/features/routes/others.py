"""Alternatives to the route that is shown: found beside its tree, drawn quietly below it, chosen by a click.

The tree towards the target stays as long as the target does. While the source is dragged, the tree that follows it and
this one give the alternatives at every position of the mouse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter

from wayfront.devices import CPU
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.route import Route as Way
from wayfront_gui.app.engine_thread import Asked
from wayfront_gui.app.feature import Host
from wayfront_gui.app.jobs import Report
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.overlay import paint_path
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.view import MapView, Tool
from wayfront_gui.session.choice import MOST_OTHERS
from wayfront_gui.session.closures import Arcs
from wayfront_gui.session.routes import Leg, other_than, own_part
from wayfront_gui.session.slot import Slot

if TYPE_CHECKING:
    from wayfront.searching.prepared import Prepared

MOST_WHILE_DRAGGED = 1_000_000
"""Nodes of a network whose alternatives are chosen within a frame, while the source is dragged."""
PIXELS = 11
"""Of the texts beside routes."""
_WIDE, _HIGH = 5.0, 3.0
"""What is left around them."""


@dataclass(frozen=True, slots=True, eq=False)
class Towards:
    """The tree towards a target, or from it where that which is shown leads to its source.

    ``key`` is what it was found for: network, metric, closed roads, direction and target.
    """

    key: tuple[object, ...]
    target: int
    left: NDArray[Any]
    behind: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class From:
    """A tree from a source, with ``reverse`` towards it: distances [n] and parents [n]."""

    source: int
    ahead: NDArray[Any]
    before: NDArray[np.int32]
    reverse: bool


@dataclass(slots=True)
class Back:
    """What a network is prepared for in the other direction, made once; only jobs use it."""

    prepared: Prepared | None = None


def legs_between(network: RoadNetwork, metric: Metric, closed: Arcs, tree: From, towards: Towards) -> tuple[Leg, ...]:
    """Return the routes that two trees give, the shortest first."""
    from wayfront.searching.alternatives import Trees, alternatives_of

    ends, arrays = [tree.source, towards.target], [(tree.ahead, tree.before), (towards.left, towards.behind)]
    if tree.reverse:
        ends, arrays = ends[::-1], arrays[::-1]
    source, target = ends
    found = alternatives_of(Trees.of(network, metric, closed, (source, target), [*arrays[0], *arrays[1]]), MOST_OTHERS)
    ways = sorted(found.routes, key=lambda way: way.distance)
    return tuple(Leg(source, target, way) for way in ways)


@dataclass(frozen=True, slots=True, eq=False)
class OthersJob:
    """Find the tree towards a target, unless it is known, and the alternatives that it and another tree give."""

    network: RoadNetwork
    metric: Metric
    closed: Arcs
    tree: From
    towards: Towards
    known: bool
    back: Back
    prepares: bool
    slot: int
    lane: str = field(default="alternatives", init=False)
    quiet: ClassVar[bool] = True

    def run(self, report: Report) -> tuple[Towards, tuple[Leg, ...]]:
        """Return the tree towards the target, and the routes."""
        towards = self.towards if self.known else self._found(report)
        return towards, legs_between(self.network, self.metric, self.closed, self.tree, towards)

    def _found(self, report: Report) -> Towards:
        from wayfront import prepare, search

        target, reverse = self.towards.target, not self.tree.reverse
        if not self.prepares:
            asked: dict[str, Any] = {"metric": self.metric.name, "closures": self.closed, "cancel": report.cancel}
            found = search(self.network, target, device=CPU, reverse=reverse, **asked)
            return replace(self.towards, left=found.distances, behind=found.parents)
        back = self.back.prepared
        of = self.network, self.metric.name, reverse
        if back is None or (back.network, back.metric.name, back.reverse) != of:
            self.back.prepared = None  # its fronts go before others are made
            back = prepare(self.network, self.metric.name, CPU, reverse=reverse, cancel=report.cancel)
            self.back.prepared = back
        back.close_exactly(self.closed)
        n = self.network.node_count
        left, behind = np.empty(n, back.distance_dtype), np.empty(n, np.int32)
        back.tree_into(target, left, behind)
        return replace(self.towards, left=left, behind=behind)


class OthersControl(QObject):
    """Finds the alternatives to the active slot's route whenever it is another one, and shows them on the map."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._session, self._view, self._controller = host.session, host.view, host.controller
        self._asked, self._back = Asked(host.controller.worker), Back()
        self._towards: Towards | None = None
        self._chosen_for: object = None
        host.view.tool(OthersTool).chosen.connect(self.choose)
        session = host.session
        for changed in (session.target_changed, session.result_changed, session.slots_changed, session.live_changed):
            changed.connect(self._find)
        session.network_closing.connect(self._forget)

    def choose(self, rank: int) -> None:
        """Show the directions of one of the routes, and save that; the shortest is 0."""
        slot = self._session.active
        if rank < len(slot.other_ways()):
            slot.take_targets(replace(slot.targets, rank=rank))

    def choose_next(self) -> None:
        """Choose the next one, after the last the shortest."""
        slot = self._session.active
        if others := slot.other_ways():
            self.choose((slot.targets.rank + 1) % len(others))

    def _find(self) -> None:
        """Find the routes unless they are known, and show them."""
        slot = self._session.active
        self._show(slot)
        tree, metric, network = _tree_of(slot), slot.way_metric, slot.network
        wanted = slot.targets.others and not slot.targets.through and not self._session.several
        if not wanted or tree is None or metric is None or network is None or slot.target is None:
            if not wanted:
                self._asked.forget()
            return
        closed, target = slot.shown_closures, slot.target
        key = id(network.targets), metric.name, closed.tobytes(), tree.reverse, target
        whole = (slot.id, *key, tree.source)
        if self._chosen_for == whole:
            return
        towards = self._towards if self._towards is not None and self._towards.key == key else None
        if towards is not None and network.node_count <= MOST_WHILE_DRAGGED:
            self._take(slot, whole, (towards, legs_between(network, metric, closed, tree, towards)))
        elif slot.dragged is None:  # else the thread is busy with trees, and their arrays are overwritten
            none = np.empty(0, np.int32)
            asked = Towards(key, target, none, none) if towards is None else towards
            how = towards is not None, self._back, slot.is_cut, slot.id
            job = OthersJob(network, metric, closed, tree, asked, *how)
            self._asked.ask(whole, lambda: job, partial(self._take, slot, whole))

    def _take(self, slot: Slot, whole: object, found: tuple[Towards, tuple[Leg, ...]]) -> None:
        self._asked.forget()
        if slot is self._session.active:
            self._chosen_for, (self._towards, legs) = whole, found
            slot.take_others(legs)

    def _show(self, slot: Slot) -> None:
        ways = slot.other_ways()
        if len(ways) < 2 or self._session.several or self._view.map_scene.geometry is None or slot.laid_out:
            self._view.take_away(OtherRoutes.NAME)
        else:
            self._view.put(OtherRoutes.of(self._view.map_scene, ways, slot.targets.rank))

    def _forget(self) -> None:
        self._asked.forget()
        self._towards, self._back, self._chosen_for = None, Back(), None
        self._view.take_away(OtherRoutes.NAME)


def _tree_of(slot: Slot) -> From | None:
    """Return the tree that a slot shows, None where it shows none."""
    if slot.live is not None:
        return None
    tree = slot.dragged or slot.tree
    return None if tree is None else From(tree.source, tree.distances, tree.parents, tree.reverse)


# ---------------------------------------------------------------------------------------------------------- on the map


@dataclass(frozen=True, slots=True, eq=False)
class OtherRoutes(Layer):
    """The routes beside the one that was chosen, and how much more each takes.

    paths   int32 [k] points of the map along each, in the order of ``ranks``
    places  where in the plane its text is, x and y; None where all of it is on others
    """

    paths: tuple[NDArray[np.int32], ...]
    texts: tuple[str, ...]
    places: tuple[tuple[float, float] | None, ...]
    ranks: tuple[int, ...]

    NAME: ClassVar[str] = "alternatives"
    ORDER: ClassVar[int] = 20

    @classmethod
    def of(cls, scene: Scene, ways: Sequence[Way], chosen: int) -> OtherRoutes:
        """Return the routes of ``ways`` but the ``chosen`` one."""
        chosen = chosen if chosen < len(ways) else 0
        geometry = scene.geometry
        assert geometry is not None
        ranks = tuple(rank for rank in range(len(ways)) if rank != chosen)
        paths, places = [], []
        for rank in ranks:
            way = ways[rank]
            part = own_part(way, [other for other in ways if other is not way])
            own = scene.points_along(way.nodes[part.start : part.stop + 1], way.arcs[part])
            at = int(own[len(own) // 2]) if part.stop > part.start else None
            paths.append(scene.points_along(way.nodes, way.arcs))
            places.append(None if at is None else (float(geometry.x[at]), float(geometry.y[at])))
        texts = tuple(other_than(ways[rank], ways[chosen]) for rank in ranks)
        return cls(tuple(paths), texts, tuple(places), ranks)

    @property
    def of_tree(self) -> bool:
        """Pictures of the finished tree show them."""
        return True

    def paint_below(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the lines, below the chosen one."""
        colours = scene.style.colours
        strokes = (translucent(colours.casing, 200), 5.5), (translucent(colours.ink, 150), 2.6)
        for path in self.paths:
            paint_path(painter, scene, camera, path, strokes)

    def paint(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint the texts."""
        colours = scene.style.colours
        painter.setFont(_font())
        for box, rank in self.boxes(camera):
            painter.setPen(translucent(colours.ink, 120))
            painter.setBrush(translucent(colours.background, 225))
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(translucent(colours.ink, 235))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self.texts[self.ranks.index(rank)])

    def boxes(self, camera: Camera) -> list[tuple[QRectF, int]]:
        """Return the boxes of the texts in pixels of a camera, none on another one, and the route of each."""
        metrics = QFontMetricsF(_font())
        found: list[tuple[QRectF, int]] = []
        for text, place, rank in zip(self.texts, self.places, self.ranks, strict=True):
            if place is not None:
                middle = QPointF(*camera.to_pixels(*place))
                wide, high = metrics.horizontalAdvance(text) + 2 * _WIDE, metrics.height() + 2 * _HIGH
                box = QRectF(middle.x() - wide / 2, middle.y() - high / 2, wide, high)
                for other in (other for other, _ in found if other.intersects(box)):
                    box.moveTop(
                        other.bottom() + _HIGH if middle.y() > other.center().y() else other.top() - _HIGH - high
                    )
                found.append((box, rank))
        return found


def _font() -> QFont:
    font = QFont()
    font.setPixelSize(PIXELS)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


class OthersTool(Tool):
    """Chooses a route by a click on its text; it is always there, and does nothing elsewhere."""

    chosen = Signal(int)

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self._held = False

    @property
    def pressed(self) -> bool:
        """Whether a button is down on a text."""
        return self._held

    def _at(self, event: QMouseEvent) -> int | None:
        layer = self.view.map_scene.layers.get(OtherRoutes.NAME)
        if not isinstance(layer, OtherRoutes):
            return None
        units, at = self.view.in_text_units(event.position())
        return next((rank for box, rank in layer.boxes(units) if box.contains(at)), None)

    def press(self, event: QMouseEvent) -> bool:
        """Choose the route whose text is clicked."""
        rank = self._at(event) if event.button() == Qt.MouseButton.LeftButton else None
        if rank is None:
            return False
        self._held = True
        self.chosen.emit(rank)
        return True

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Show that a text can be clicked."""
        if not self._held and (over_marker or self._at(event) is None):
            return False
        self.view.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        return True

    def release(self, event: QMouseEvent) -> bool:
        """End the click."""
        held, self._held = self._held, False
        return held

    def forget(self) -> None:
        """End what was begun."""
        self._held = False
