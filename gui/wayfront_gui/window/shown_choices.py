"""Keeps what is checked in menus and on buttons in step with the session, whoever changed that."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction

from wayfront_gui.model.session import Session
from wayfront_gui.model.small_networks import is_small
from wayfront_gui.window.depot_control import DepotControl
from wayfront_gui.window.docks import Docks
from wayfront_gui.window.graph_editor import GraphEditor
from wayfront_gui.window.road_control import RoadControl


class ShownChoices:
    """Checks the actions of what is chosen; a tool that is taken shows its panel and puts the other tools away."""

    def __init__(
        self,
        session: Session,
        actions: Mapping[str, QAction],
        docks: Docks,
        roads: RoadControl,
        depots: DepotControl,
        graphs: GraphEditor,
    ) -> None:
        self._session, self._actions, self._docks = session, actions, docks
        self._roads, self._depots, self._graphs = roads, depots, graphs
        self._picked = self._banded = self._drawing = self._small = False
        session.graph_editing.changed.connect(self._show_drawing)
        roads.tool_changed.connect(self._on_road_tool)
        session.depots_changed.connect(self._show_picking)
        session.isochrones_changed.connect(self._show_isochrones)
        session.clock.pace_changed.connect(self._show_walk)
        session.race.changed.connect(self._show_race)
        for changed in (session.view_changed, session.result_changed, session.live_changed):
            changed.connect(self._show_tree)
        for changed in (session.choice_changed, session.measure_changed):
            changed.connect(self._show_pairs)
        session.network_changed.connect(self._show_held)
        self._show_tree()
        self._show_pairs()
        self._show_drawing()

    def _show_tree(self) -> None:
        slot = self._session.active
        self._actions["view.tree"].setEnabled(slot.tree_offered)
        self._actions["view.tree"].setChecked(slot.tree_shown)

    def _show_pairs(self) -> None:
        slot = self._session.active
        for name in (f"search.{slot.kind.name.lower()}", f"view.{slot.measure}"):
            self._actions[name].setChecked(True)

    def _show_held(self) -> None:
        """Show what the search holds once a small network is open, and no longer when a larger one is."""
        small = is_small(self._session.active.network)
        if small != self._small:
            self._docks.show("held", small)
        self._small = small

    def _show_walk(self) -> None:
        self._actions[f"replay.by_{self._session.clock.walk}"].setChecked(True)

    def _show_race(self) -> None:
        race = self._session.race
        for name, checked in (("split", race.split), ("difference", race.difference)):
            self._actions[f"race.{name}"].setChecked(checked)

    def _show_isochrones(self) -> None:
        """Show the panel of isochrones once they are wanted."""
        wanted = self._session.active.isochrones.wanted
        if wanted and not self._banded:
            self._docks.show("isochrones", True)
        self._banded = wanted
        self._actions["search.isochrones"].setChecked(wanted)

    def _show_picking(self) -> None:
        """Show the panel of depots when the tool for candidates is taken, and put one for roads away."""
        picking = self._session.active.depots.picking
        if picking and not self._picked:
            self._roads.leave_tool()
            self._graphs.end()
            self._docks.show("depots", True)
        self._picked = picking
        self._actions["search.depots"].setChecked(picking)

    def _on_road_tool(self, action: object) -> None:
        """Put the other tools away when one for roads is taken."""
        if action is not None:
            self._depots.pick(False)
            self._graphs.end()

    def _show_drawing(self) -> None:
        """Show the panel of the graph when the tool that draws it is taken, and put the other tools away."""
        editing = self._session.graph_editing
        if editing.on and not self._drawing:
            self._roads.leave_tool()
            self._depots.leave_tool()
            self._docks.show("drawing", True)
        self._drawing = editing.on
        self._actions["edit.graph"].setChecked(editing.on)
        for name in ("edit.type", "edit.delete"):
            self._actions[name].setEnabled(editing.on and bool(editing.picked))
