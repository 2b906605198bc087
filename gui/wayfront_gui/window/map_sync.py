"""Keeps a map showing what a slot holds, and passes on what a person did on the map."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from wayfront_gui.map.view import MapView
from wayfront_gui.model.node_facts import facts_of_node
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.detour_colours import detour_colours
from wayfront_gui.scene.geometry import Plane
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.hover import HoverFacts


class MapSync:
    """Joins the map to the active slot; the map keeps no state of the search itself."""

    def __init__(self, view: MapView, session: Session, controller: Controller) -> None:
        self._view = view
        self._session = session
        self._controller = controller
        session.network_changed.connect(self._show_network)
        session.source_changed.connect(self._show_source)
        session.target_changed.connect(self._show_route)
        session.result_changed.connect(self._show_result)
        session.live_changed.connect(self._show_live)
        session.measure_changed.connect(self._show_pairs)
        session.view_changed.connect(self._show_step)
        session.replay_moved.connect(self._show_step)
        session.dragged_changed.connect(self._show_dragged)
        session.detours_changed.connect(self._show_detours)
        session.closures_changed.connect(self._show_closed)
        session.critical_changed.connect(self._show_critical)
        view.source_moved.connect(controller.choose_source)
        connect_targets(view, controller)
        self.hover = HoverFacts(view, lambda node: facts_of_node(session.active, node))

    def _show_network(self) -> None:
        slot = self._session.active
        self._view.set_network(slot.network if self._drawn else None)
        self._view.set_scale_bar(not slot.laid_out)
        self._show_closed()

    @property
    def _drawn(self) -> bool:
        network = self._session.active.network
        return network is not None and network.coordinates is not None

    def _show_source(self) -> None:
        if self._drawn:
            self._view.set_source(self._session.active.shown_source)

    def _show_route(self) -> None:
        if self._drawn:
            slot = self._session.active
            ends = slot.shown_ends
            show_routes(self._view, slot)
            if ends is not None:
                self._view.set_target(ends.target)

    def _show_result(self) -> None:
        if self._drawn:
            self._view.set_dragged(None, 0.0)
            self._view.set_result(self._session.active.result)
            self._show_source()
            self._show_live()
            self._show_pairs()
            self._show_step()

    def _show_step(self) -> None:
        if self._drawn:
            show_step(self._view, self._session.active)

    def _show_dragged(self) -> None:
        slot = self._session.active
        drawn = self._controller.control_of(slot).drag.drawn
        if self._drawn and slot.dragged is not None:
            self._view.set_dragged(drawn, slot.dragged.asked_at)

    def _show_detours(self) -> None:
        found = self._session.active.detours.found
        if self._drawn:
            self._view.set_detour(None if found is None else detour_colours(found))

    def _show_closed(self) -> None:
        slot = self._session.active
        if self._drawn and slot.network is not None:
            self._view.set_closed(ClosedRoads.of(slot.network, slot.closures.arcs))

    def _show_critical(self) -> None:
        found = self._session.active.critical
        self._view.set_critical(None if found is None else ClosedRoads.of(found.result.network, found.arcs))

    def _show_live(self) -> None:
        live = self._session.active.live
        if not self._drawn or live is None:
            return
        self._view.set_dragged(None, 0.0)
        if live.pairs is None:
            self._view.set_live(live.trace, None)
        else:
            self._show_pairs()
            self._show_source()
            self._show_route()
            self._show_step()

    def _show_pairs(self) -> None:
        slot = self._session.active
        if self._drawn and slot.shown_pairs is not None:
            self._view.set_pairs(slot.shown_pairs, slot.measure)


def show_step(view: MapView, slot: Slot) -> None:
    """Show on a map the step that a slot's replay is at, or its tree."""
    result = slot.result
    if slot.dragged is not None or (result is None and slot.live is None and slot.pairs is None):
        return
    if slot.shown_pairs is not None:
        ended = slot.live is None and slot.player.position >= slot.player.last
        view.show_step(slot.player.position, settled=ended)
    elif slot.live is None and (slot.tree_shown or result is None or result.trace is None):
        view.show_tree()
    else:
        view.show_step(slot.player.position)


def show_routes(view: MapView, slot: Slot) -> None:
    """Show on a map the routes to a slot's targets."""
    route, further = slot.route(), [each.nodes for each in slot.further_routes()]
    view.set_route(
        None if route is None else route.nodes, further, slot.targets.nodes if slot.shown_pairs is None else ()
    )


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
