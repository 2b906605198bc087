"""Keeps a map showing what a slot holds, and passes on what a person did on the map."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from weakref import WeakValueDictionary

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent

from wayfront.network.copies import end_of
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, RouteResult
from wayfront_gui.app.controller import Controller
from wayfront_gui.app.feature import Host
from wayfront_gui.map.geometry import Plane
from wayfront_gui.map.view import MapView
from wayfront_gui.session import formatting
from wayfront_gui.session.routes import joined, roads_at
from wayfront_gui.session.slot import Slot, node_in
from wayfront_gui.session.state import Notice
from wayfront_gui.ui.cards import FactsCard
from wayfront_gui.ui.translation import translated, translated_message

Show = Callable[[Slot, MapView], None]
"""Shows something of a slot on its map."""


class MapSync(QObject):
    """Keeps every map showing what its slot holds, and passes on what a person did on it; maps keep no search.

    The window's own map shows the active slot; where there are several, each other one has a map beside it.
    """

    def __init__(self, host: Host) -> None:
        super().__init__(host.window)
        self._host, self._session, self._controller = host, host.session, host.controller
        self.main, self._panes = host.view, host.central.panes
        self._followed: list[tuple[Callable[[Slot], Iterable[Notice]], Show]] = []
        self._slots: set[int] = set()
        self._joined: set[MapView] = set()
        self.follow(lambda slot: (slot.network_changed,), self._show_network)
        self._session.network_changed.connect(self._show_no_map)
        self.follow(lambda slot: (slot.source_changed,), self._show_source)
        self.follow(lambda slot: (slot.target_changed,), self._show_route)
        self._opened: WeakValueDictionary[MapView, RoadNetwork] = WeakValueDictionary()
        self.follow(lambda slot: (slot.result_changed,), self._show_result)
        self.follow(lambda slot: (slot.live_changed,), self._show_live)
        self.follow(lambda slot: (slot.measure_changed,), self._show_pairs)
        self.follow(lambda slot: (slot.view_changed, slot.player.moved), self._show_step)
        self.main.source_moved.connect(self._controller.choose_source)
        connect_targets(self.main, self._controller)
        self.hover = HoverFacts(self.main, lambda node: facts_of_node(self._session.active, node))
        self._panes.map_added.connect(self._on_map)
        self._session.slots_changed.connect(self._arrange)
        self._session.active_changed.connect(self._on_active)
        self._session.dragged_changed.connect(self._show_dragged)
        self._arrange()

    def follow(self, notices: Callable[[Slot], Iterable[Notice]], show: Show) -> None:
        """Call ``show`` with a slot and its map whenever one of the slot's notices says so, or the map is another."""
        self._followed.append((notices, show))
        for slot in self._session.slots:
            if slot.id in self._slots:
                self._connect(slot, notices, show)

    def view_of(self, slot: Slot) -> MapView | None:
        """Return the map of a slot, None while it has none."""
        return self.main if slot is self._session.active else self._panes.map_of(slot.id)

    def slot_of(self, view: MapView) -> Slot | None:
        """Return the slot that a map shows, None for maps without one."""
        return next((slot for slot in self._session.slots if self.view_of(slot) is view), None)

    def _connect(self, slot: Slot, notices: Callable[[Slot], Iterable[Notice]], show: Show) -> None:
        for notice in notices(slot):
            notice.connect(partial(self._call, slot, show))

    def _call(self, slot: Slot, show: Show) -> None:
        if _has_map(slot) and (view := self.view_of(slot)) is not None:
            show(slot, view)

    def _show_all(self, slot: Slot) -> None:
        for _, show in self._followed:
            self._call(slot, show)

    def _on_active(self) -> None:
        self._arrange()
        self._show_all(self._session.active)

    def _arrange(self) -> None:
        slots = self._session.slots
        for slot in slots:
            if slot.id not in self._slots:
                self._slots.add(slot.id)
                for notices, show in self._followed:
                    self._connect(slot, notices, show)
        whole = all(slot.part is None for slot in slots)  # a neighbourhood is seen from elsewhere
        ids = [slot.id for slot in slots]
        self._panes.show_maps(ids, self._session.active.id, split_map=self._session.split and whole)

    def _on_map(self, slot_id: int) -> None:
        """Show all of a slot on the map that it has now."""
        slot = next(slot for slot in self._session.slots if slot.id == slot_id)
        view = self._panes.map_of(slot_id)
        assert view is not None
        if view not in self._joined:
            self._joined.add(view)
            view.source_moved.connect(partial(self._choose_source, view))
            connect_targets(view, self._controller, partial(self._as_active, view))
            view.node_hovered.connect(partial(self._describe, view))
            HoverFacts(view, partial(self._facts, view))
        self._show_all(slot)

    # ------------------------------------------------------------------------------------------------ showing

    def _show_network(self, slot: Slot, view: MapView) -> None:
        seen = view.seen if slot.opened is not None and self._opened.get(view) is slot.opened else None
        if slot.opened is not None:
            self._opened[view] = slot.opened
        view.set_network(slot.network)
        if seen is not None:  # a turn was closed or reopened: the places are the same
            view.look_at(seen)
        with view.changing() as scene:
            scene.scale_bar = not slot.laid_out  # a layout that is not a map has no lengths

    def _show_no_map(self) -> None:
        """Empty the window's own map where the active slot has none."""
        if not _has_map(self._session.active):
            self.main.set_network(None)

    def _show_source(self, slot: Slot, view: MapView) -> None:
        view.set_source(slot.shown_source)

    def _show_route(self, slot: Slot, view: MapView) -> None:
        show_routes(view, slot)
        if (ends := slot.shown_ends) is not None:
            with view.changing() as scene:
                scene.mark(target=ends.target)

    def _show_result(self, slot: Slot, view: MapView) -> None:
        view.set_dragged(None, 0.0)
        with view.changing() as scene:
            scene.show_result(slot.result)
        self._show_source(slot, view)
        if view is not self.main:
            self._show_route(slot, view)
        self._show_live(slot, view)
        self._show_pairs(slot, view)
        self._show_step(slot, view)

    def _show_step(self, slot: Slot, view: MapView) -> None:
        show_step(view, slot)

    def _show_live(self, slot: Slot, view: MapView) -> None:
        live = slot.live
        if live is None:
            return
        view.set_dragged(None, 0.0)
        if live.pairs is None:
            with view.changing() as scene:
                scene.show_live(live.trace, None)
        else:
            self._show_pairs(slot, view)
            self._show_source(slot, view)
            self._show_route(slot, view)
            self._show_step(slot, view)

    def _show_pairs(self, slot: Slot, view: MapView) -> None:
        if slot.shown_pairs is not None:
            with view.changing() as scene:
                scene.show_pairs(slot.shown_pairs, slot.measure)

    def _show_dragged(self) -> None:
        """Show the tree that follows the mouse in the active slot on every map of the same network."""
        active = self._session.active
        drawn = self._controller.control_of(active).quick.drawn
        for slot in self._session.slots:
            view = self.view_of(slot)
            if active.dragged is not None and slot.part is active.part and view is not None and _has_map(slot):
                view.set_dragged(drawn, active.dragged.asked_at)

    # ------------------------------------------------------------------------------------------------- acting

    def _as_active(self, view: MapView, node: int) -> int | None:
        """Return what a node of a map is in the active slot's network, None where it is not in it."""
        slot = self.slot_of(view)
        return node if slot is None else node_in(self._session.active, slot, node)

    def _choose_source(self, view: MapView, node: int, final: bool) -> None:
        """Search from a node of a map; one that is not in the active neighbourhood makes the whole network active."""
        its, slot = self._as_active(view, node), self.slot_of(view)
        if its is None and slot is not None:
            self._session.activate(slot)
            its = node
        if its is not None:
            self._controller.choose_source(its, final)

    def _describe(self, view: MapView, node: int) -> None:
        """Say what the search of this map found of the node under the pointer."""
        if (slot := self.slot_of(view)) is not None:
            self._controller.news.emit(describe_node(slot, node) if node >= 0 else "")

    def _facts(self, view: MapView, node: int) -> Facts:
        slot = self.slot_of(view)
        return [] if slot is None else facts_of_node(slot, node)


def _has_map(slot: Slot) -> bool:
    return slot.network is not None and slot.network.coordinates is not None


def show_step(view: MapView, slot: Slot) -> None:
    """Show on a map the step that a slot's replay is at, or its tree."""
    result = slot.result
    if slot.dragged is not None or (result is None and slot.live is None and slot.pairs is None):
        return
    if slot.shown_pairs is not None:
        ended = slot.live is None and slot.player.position >= slot.player.last
        view.show_step(slot.player.position, settled=ended)
    elif slot.live is None and (slot.tree_shown or result is None or result.trace is None):
        with view.changing() as scene:
            scene.mode = "tree"
    else:
        view.show_step(slot.player.position)


def show_routes(view: MapView, slot: Slot) -> None:
    """Show on a map the routes to a slot's targets."""
    targets = slot.targets.nodes if slot.shown_pairs is None else ()
    if slot.awaits_ways:  # the line before stays until the one that leads through all targets is found
        with view.changing() as scene:
            scene.mark(target=slot.target, targets=targets)
        return
    ways = [way for way in slot.ways() if way is not None and len(way)]
    whole = [joined(ways)] if slot.targets.through and ways else ways
    shown = next((way for way in whole if way.nodes[-1] == slot.target or not targets or whole is not ways), None)
    further = [way for way in whole if way is not shown]
    with view.changing() as scene:
        arcs = [None if way is None else way.arcs for way in (shown, *further)]
        scene.set_route(None if shown is None else shown.nodes, [way.nodes for way in further], targets, arcs)
        scene.mark(target=slot.target if targets else scene.markers.target)


def connect_targets(
    view: MapView, controller: Controller, as_active: Callable[[int], int | None] = lambda node: node
) -> None:
    """Let targets be chosen and moved on a map; ``as_active`` says what its nodes are in the active slot's network."""

    def pass_on(act: Callable[..., None], *nodes: int) -> None:
        known = [as_active(node) for node in nodes]
        if None not in known:
            act(*known)

    view.target_chosen.connect(partial(pass_on, controller.choose_target))
    view.target_toggled.connect(partial(pass_on, controller.toggle_target))
    view.target_moved.connect(partial(pass_on, controller.move_target))


def view_bounds(view: MapView, slot: Slot) -> tuple[float, float, float, float] | None:
    """Return west, south, east and north of the view in degrees; None where the slot's map is not of the Earth."""
    if slot.network is None or slot.network.coordinates is None or slot.laid_out:
        return None
    return Plane.of(slot.network).degrees(view.camera().extent)


_PUT_AWAY = (QEvent.Type.Leave, QEvent.Type.Hide, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class HoverFacts(QObject):
    """Shows facts of a node of a map once the pointer rests on it, then of each node that the pointer goes on to.

    ``facts_of`` returns a node's facts. Off the roads, and with every press, the card is gone until the next rest.
    """

    def __init__(self, view: MapView, facts_of: Callable[[int], Facts]) -> None:
        super().__init__(view)
        self._view, self._facts_of = view, facts_of
        self.card = FactsCard(view.viewport())
        view.viewport().installEventFilter(self)
        view.node_hovered.connect(self._go_on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Show the card when the pointer rests, as Qt shows tooltips; put it away when something else is done."""
        if isinstance(event, QHelpEvent):
            self._show(self._view.map_scene.markers.hovered)
            return True
        if event.type() in _PUT_AWAY:
            self.card.hide()
        return False

    def _go_on(self, node: int) -> None:
        if not self.card.isHidden():
            self._show(node if node >= 0 else None)

    def _show(self, node: int | None) -> None:
        facts = [] if node is None else self._facts_of(node)
        if facts and self._view.pointer is not None:
            self.card.show_beside(facts, self._view.pointer.toPoint())
        else:
            self.card.hide()


Facts = list[tuple[str, str]]
"""Pairs of caption and text."""


def describe_node(slot: Slot, node: int) -> str:
    """Return one line on a node: its id, its roads, and what the search that is shown found of it."""
    if slot.network is None or not 0 <= node < slot.network.node_count:
        return ""
    said = [translated("Node {node}", node=slot.network.node_name(node)), roads_at(slot.network, node)]
    if (pairs := slot.shown_pairs) is not None:
        said += pairs.about(node)
    else:
        said += [text for caption, text in _found(slot, node) if caption != translated("Parent")]
        if slot.result is not None and slot.live is None and slot.dragged is None:
            said += [state.about(node) for state in slot.states]
    return "  ·  ".join(filter(None, said))


def facts_of_node(slot: Slot, node: int) -> Facts:
    """Return the facts of a card on a node: street, distance, parent, the step that reached it."""
    network = slot.network
    if network is None or not 0 <= node < network.node_count:
        return []
    facts = [(translated("Node"), network.node_name(node))]
    if roads := roads_at(network, node):
        facts.append((translated("Street"), roads))
    if (pairs := slot.shown_pairs) is not None:
        return [*facts, (translated("All pairs"), ", ".join(pairs.about(node)))]
    return facts + _found(slot, node)


def _found(slot: Slot, node: int) -> Facts:
    """Return what the search for a tree or a route that is shown found of a node."""
    if slot.dragged is not None:
        return [(_caption(slot.dragged.metric.name), slot.dragged.about(node))]
    if slot.live is not None:
        return [(translated("Step"), formatting.steps_so_far(slot.live.trace, node))]
    if (result := slot.result) is None:
        return []
    node = end_of(result.network, node, reverse=result.reverse)
    if not result.reached[node]:
        return [(_caption(result.metric.name), translated("not reached"))]
    parent = int(result.parents[node])
    while parent >= 0 and result.network.node_ids[parent] == result.network.node_ids[node]:  # a turn at a split node
        node, parent = parent, int(result.parents[parent])
    if parent >= 0:
        before = translated("node {node}", node=result.network.node_name(parent))
    else:
        before = translated("none: the source") if node == result.source else translated("none: the target")
    parent_of = translated("Next node") if result.reverse else translated("Parent")
    facts = [(_caption(result.metric.name), _distance(result, node)), (parent_of, before)]
    if result.trace is not None:
        facts.append((translated("Step"), formatting.steps_of(result.trace, node)))
    return facts


def _distance(result: Result, node: int) -> str:
    """Return a node's distance, of a search to a target also from which end it is, and whether it is final."""
    distance = result.metric.describe(int(result.distances[node]))
    if not isinstance(result, RouteResult):
        return distance
    if result.from_target[node]:
        text = "{distance} to the target" if result.settled[node] else "at most {distance} to the target"
    else:
        text = "{distance}" if result.settled[node] else "at most {distance}"
    return translated(text, distance=distance)


def _caption(metric: str) -> str:
    if metric in ("length", "distance"):
        return translated("Distance")
    name = translated_message(metric)
    return name[:1].upper() + name[1:]
