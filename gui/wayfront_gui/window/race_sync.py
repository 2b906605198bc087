"""Keeps the maps of a race showing what its slots hold, and passes on what a person did on them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from wayfront_gui.map.race import MapPanes
from wayfront_gui.map.view import MapView
from wayfront_gui.model.difference import Difference
from wayfront_gui.model.neighbourhood import node_in
from wayfront_gui.model.node_facts import Facts, describe_node, facts_of_node
from wayfront_gui.model.race import Caption
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.detour_colours import difference_colours
from wayfront_gui.scene.node_colours import NodeColours
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.hover import HoverFacts
from wayfront_gui.window.map_sync import connect_targets, show_routes, show_step


class RaceSync:
    """Joins a map to every slot but the active one, which has the window's own, and says on each how far it is."""

    def __init__(self, panes: MapPanes, main: MapView, session: Session, controller: Controller) -> None:
        self._panes, self._main = panes, main
        self._session = session
        self._controller = controller
        self._known: set[int] = set()
        self._joined: set[MapView] = set()
        self._coloured: dict[int, tuple[Difference, NodeColours]] = {}
        panes.map_added.connect(self._show_slot)
        for changed in (session.slots_changed, session.active_changed, session.race.changed):
            changed.connect(self._arrange)
        session.dragged_changed.connect(self._show_dragged)
        session.clock.moved.connect(self._show_captions)
        session.clock.pace_changed.connect(self._show_captions)
        self._arrange()

    def _arrange(self) -> None:
        slots = self._session.slots
        for slot in slots:
            if slot.id not in self._known:
                self._known.add(slot.id)
                self._connect(slot)
        ids = [slot.id for slot in slots]
        whole = all(slot.part is None for slot in slots)  # a neighbourhood is seen from elsewhere
        self._panes.show_maps(ids, self._session.active.id, split_map=self._session.race.split and whole)
        self._show_captions()

    def _connect(self, slot: Slot) -> None:
        slot.network_changed.connect(partial(self._show_network, slot))
        slot.closures_changed.connect(partial(self._show_network_marks, slot))
        slot.source_changed.connect(partial(self._show_source, slot))
        slot.target_changed.connect(partial(self._show_route, slot))
        slot.result_changed.connect(partial(self._show_result, slot))
        slot.view_changed.connect(partial(self._show_step, slot))
        slot.player.moved.connect(partial(self._show_step, slot))
        slot.choice_changed.connect(self._show_captions)

    def _map(self, slot: Slot) -> MapView | None:
        """Return the map of a slot, None for the active one and while its network has no map."""
        drawn = slot.network is not None and slot.network.coordinates is not None
        return self._panes.map_of(slot.id) if drawn else None

    # ------------------------------------------------------------------------------------------------ showing

    def _show_slot(self, slot_id: int) -> None:
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
        self._show_network(slot)
        self._show_source(slot)
        self._show_result(slot)

    def _show_network(self, slot: Slot) -> None:
        if (view := self._map(slot)) is not None:
            view.set_network(slot.network)
            self._show_network_marks(slot)
            self._show_captions()

    def _show_network_marks(self, slot: Slot) -> None:
        if (view := self._map(slot)) is not None and slot.network is not None:
            view.set_closed(ClosedRoads.of(slot.network, slot.closures.arcs))

    def _show_source(self, slot: Slot) -> None:
        if (view := self._map(slot)) is not None:
            view.set_source(slot.shown_source)

    def _show_route(self, slot: Slot) -> None:
        if (view := self._map(slot)) is not None:
            show_routes(view, slot)

    def _show_result(self, slot: Slot) -> None:
        if (view := self._map(slot)) is not None:
            view.set_dragged(None, 0.0)
            view.set_result(slot.result)
            self._show_route(slot)
            self._show_step(slot)
        self._show_captions()

    def _show_dragged(self) -> None:
        """Show the tree that follows the mouse on the window's own map on the others too."""
        active = self._session.active
        drawn = self._controller.control_of(active).drag.drawn
        for slot in self._session.slots:
            if active.dragged is not None and slot.part is active.part and (view := self._map(slot)) is not None:
                view.set_dragged(drawn, active.dragged.asked_at)

    def _show_step(self, slot: Slot) -> None:
        if (view := self._map(slot)) is not None:
            show_step(view, slot)

    def _show_captions(self) -> None:
        """Say on every map what races there, with scale and legend on the first and credits on the last."""
        maps = self._panes.all_maps
        if not self._session.race.on:
            self._main.set_caption(None)
            self._main.set_difference(None)
            return
        last = len(maps) - 1
        slots = self._session.slots
        for index, (view, lane, slot) in enumerate(zip(maps, self._session.race.lanes(), slots, strict=True)):
            found = self._session.race.difference_of(slot)
            said = lane if found is None else replace(lane, figure=found.text)
            view.set_difference(self._colours_of(slot, found))
            view.set_caption(Caption(said, view is self._main, scale=index == 0, credit=index == last))

    def _colours_of(self, slot: Slot, difference: Difference | None) -> NodeColours | None:
        """Return the colours of how a slot's result differs from the first, made once for each."""
        if difference is None:
            return None
        if slot.id not in self._coloured or self._coloured[slot.id][0] is not difference:
            self._coloured[slot.id] = difference, difference_colours(difference)
        return self._coloured[slot.id][1]

    def _as_active(self, view: MapView, node: int) -> int | None:
        """Return what a node of a map is in the active slot's network, None where it is not in it."""
        slot = self._slot_of(view)
        return node if slot is None else node_in(self._session.active, slot, node)

    def _choose_source(self, view: MapView, node: int, final: bool) -> None:
        """Search from a node of a map; one that is not in the active neighbourhood makes the whole network active."""
        its, slot = self._as_active(view, node), self._slot_of(view)
        if its is None and slot is not None:
            self._session.activate(slot)
            its = node
        if its is not None:
            self._controller.choose_source(its, final)

    def _describe(self, view: MapView, node: int) -> None:
        """Say what the search of this map found of the node under the pointer."""
        slot = self._slot_of(view)
        if slot is not None:
            self._controller.news.emit(describe_node(slot, node) if node >= 0 else "")

    def _facts(self, view: MapView, node: int) -> Facts:
        slot = self._slot_of(view)
        return [] if slot is None else facts_of_node(slot, node)

    def _slot_of(self, view: MapView) -> Slot | None:
        """Return the slot that a map shows, None for the window's own and for maps without a search."""
        return next((slot for slot in self._session.slots if self._panes.map_of(slot.id) is view), None)
