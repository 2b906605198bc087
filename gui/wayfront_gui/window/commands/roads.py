"""The commands of the Roads menu."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtGui import QAction

from wayfront.errors import NetworkError
from wayfront.network.closures import arcs_between, joining_arcs, write_closures
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.dialogs.question_card import QuestionCard
from wayfront_gui.engine_thread.road_jobs import CriticalJob, ReadClosuresJob
from wayfront_gui.model.closures import NO_ARCS, Arcs, RoadAction, as_arcs
from wayfront_gui.model.critical import CriticalRoad
from wayfront_gui.model.slot import Slot
from wayfront_gui.translation import marked, translated
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.file_dialogs import FileDialogs
from wayfront_gui.window.reports import Reports
from wayfront_gui.window.road_control import RoadControl

TABLES = marked("Closed roads (*.csv);;All files (*)")
TOOL_NEWS = {
    RoadAction.CLOSE: marked("Click roads to close them, or drag over them. L lists them, Esc puts the tool away."),
    RoadAction.REOPEN: marked("Click closed roads to reopen them, or drag over them. Esc puts the tool away."),
}
_ENDS = re.compile(r"\s*(-?\d{1,19})\s*(-|,|\s|to)\s*(-?\d{1,19})\s*", re.ASCII)


class RoadCommands:
    """Closes and reopens roads, and shows what that costs."""

    def __init__(
        self,
        dialogs: FileDialogs,
        controller: Controller,
        actions: Mapping[str, QAction],
        roads: RoadControl,
        question: QuestionCard,
        reports: Reports,
        show_dock: Callable[[str, bool], None],
    ) -> None:
        self._dialogs = dialogs
        self._controller = controller
        self._session = controller.session
        self._actions = actions
        self._roads = roads
        self._question = question
        self._reports = reports
        self._show_dock = show_dock
        self._panel_was_shown = False
        roads.tool_changed.connect(self._show_tool)
        roads.stroke_ended.connect(self._end_stroke)
        self._session.closures_changed.connect(self._show_state)
        self._session.detours_changed.connect(self._show_detours)
        self._session.critical_changed.connect(self._show_state)
        self._show_state()

    # --------------------------------------------------------------------------------------- closing, reopening

    def choose_tool(self, action: str, chosen: bool) -> None:
        """Take the tool that closes or reopens roads, or put it away."""
        self._roads.choose_tool(RoadAction(action) if chosen else None)
        self._reports.show(TOOL_NEWS[RoadAction(action)] if chosen else "")

    def ask_road(self) -> None:
        """Ask for the ends of a road and close it both ways."""
        self._question.ask(translated("Close the road between nodes… (two ids: 12-57)"), self._answer_road)

    def _answer_road(self, answer: str) -> None:
        network = self._session.active.network
        if network is None:
            raise NetworkError("Open a network first.")
        ends = _ENDS.fullmatch(answer)
        if ends is None:
            raise NetworkError("A road is named by the ids of its two ends, as in 12-57.")
        one, other = np.array([network.node(int(ends[1]))]), np.array([network.node(int(ends[3]))])
        self._session.active.closures.close(as_arcs(_between(network, one, other)))

    def reopen_all(self) -> None:
        """Reopen every closed road."""
        self._session.active.closures.replace(NO_ARCS)

    # ---------------------------------------------------------------------------------------------- the list

    def open_list(self) -> None:
        """Ask for a table and close its roads, and no others."""
        network = self._session.active.network
        if network is None:
            self._reports.show_problem(translated("Open a network first; a table of closed roads belongs to one."))
            return
        path = self._dialogs.open(translated("Open closed roads"), translated(TABLES))
        if path:
            self.close_table(path)

    def close_table(self, path: str) -> None:
        """Close the roads of a table, and no others; a table that cannot be read changes nothing."""
        slot = self._session.active
        assert slot.network is not None
        job = ReadClosuresJob(path, slot.network, slot.id)
        self._controller.worker.submit(job, partial(self._on_table, slot, slot.network))

    def _on_table(self, slot: Slot, network: RoadNetwork, arcs: Arcs) -> None:
        if slot.network is network:
            slot.closures.replace(arcs)

    def save_list(self) -> None:
        """Ask where and save a table of the closed roads."""
        slot = self._session.active
        if slot.network is None or not len(slot.closures.arcs):
            self._reports.show_problem(translated("There are no closed roads to save yet: close one first (C)."))
            return
        path, _ = self._dialogs.save(translated("Save closed roads"), "closed-roads.csv", translated(TABLES))
        if path:
            path = path if "." in path.rpartition("/")[2] else f"{path}.csv"
            write = partial(write_closures, network=slot.network, arcs=slot.closures.arcs)
            self._controller.files.save(Path(path), write)

    # ------------------------------------------------------------------------------------------- what it costs

    def show_detours(self, wanted: bool) -> None:
        """Colour nodes by how much farther they became, or show the tree."""
        slot = self._session.active
        slot.detours.want(wanted)
        if wanted:
            self._show_panel_once()
            self._controller.show_tree(True)
        if wanted and not len(slot.closures.arcs):
            self._reports.show(translated("The detour view shows what closed roads cost: close one (C)."))

    def find_critical(self) -> None:
        """Find the road near the pointer whose closure costs most."""
        slot = self._session.active
        if slot.tree is None or slot.live is not None:
            self._reports.show(
                translated("Search for one tree first; then K finds the most critical road near the pointer.")
            )
            return
        self._show_panel_once()
        job = CriticalJob(slot.tree, self._roads.near_pointer(), slot.id)
        self._controller.worker.submit(job, partial(self._on_critical, slot))

    def _show_panel_once(self) -> None:
        """Show the panel that has the figures, unless a person has hidden it since it was first shown so."""
        if not self._panel_was_shown:
            self._panel_was_shown = True
            self._actions["view.closures"].setChecked(True)
            self._show_dock("closures", True)

    def _on_critical(self, slot: Slot, found: CriticalRoad | None) -> None:
        slot.take_critical(found)
        if found is None:
            self._reports.show(translated("No road near the pointer is in the tree: zoom out, or point elsewhere."))
        elif slot.critical is found:
            self._reports.show(translated("{road} Shift+K closes it.", road=found.text))

    def close_critical(self) -> None:
        """Close the most critical road that was found."""
        slot = self._session.active
        if slot.critical is None:
            self._reports.show(translated("Find the most critical road near the pointer first (K)."))
        else:
            slot.closures.close(slot.critical.arcs)

    def _end_stroke(self) -> None:
        self._controller.active.end_stroke()

    def _show_tool(self, action: RoadAction | None) -> None:
        for each in RoadAction:
            self._actions[f"roads.{each}"].setChecked(action is each)

    def _show_detours(self) -> None:
        self._show_state()
        found = self._session.active.detours.found
        if found is not None:
            self._reports.show(f"{found.text}.")

    def _show_state(self) -> None:
        slot = self._session.active
        self._actions["roads.reopen_all"].setEnabled(len(slot.closures.arcs) > 0)
        self._actions["roads.close_critical"].setEnabled(slot.critical is not None)
        self._actions["roads.detours"].setChecked(slot.detours.wanted)


def _between(network: RoadNetwork, one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the arcs between two nodes, in the directions that there are. Raises ``NetworkError`` for none."""
    there, _ = joining_arcs(network, one, other)
    back, _ = joining_arcs(network, other, one)
    return np.concatenate([there, back]) if len(back) else arcs_between(network, one, other)
