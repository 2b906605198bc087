"""Joins the map's tool for turns to the active slot: closes and reopens them, and shows their signs."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject

from wayfront.network.closed_turns import HEADER, arcs_of_turn, read_turns, write_turns
from wayfront.network.forbidden_turns import may_turn
from wayfront.safe.errors import NetworkError
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import with_suffix
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.features.closures.layer import ClosedRoads
from wayfront_gui.features.closures.turns import ClosedTurns, TurnTool
from wayfront_gui.features.turns.words import turn_text
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.view import MapView
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.turning import MOST_TURNS, Turn, Turns, as_turns
from wayfront_gui.ui.translation import marked, translated

TOOL = "turns"
AROUND_M = 150.0
"""How far round a turn the map is shown."""
NEWS = marked(
    "Click the road on which one arrives, near the junction, then the one to turn into. Esc ends closing turns."
)
TABLES = marked("Closed turns (*.csv);;All files (*)")
_ID, _BETWEEN = r"\s*+(-?\d{1,19})", r"(?:\s*+[-,]|\s)"
_IDS = re.compile(_BETWEEN.join((_ID, _ID, _ID)) + r"\s*+", re.ASCII)
_HEAD = 1 << 10


class TurnControl(QObject):
    """Closes and reopens turns, by the tool on the map, by ids and by tables."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._session, self._controller = host, host.session, host.controller
        self._tool = tool = host.view.tool(TurnTool)
        tool.pointed.connect(self._on_pointed)
        tool.picked.connect(lambda turn: self.close([turn]))
        tool.reopened.connect(lambda turn: self.reopen([turn]))
        tool.missed.connect(self._on_missed)
        host.tools.add(TOOL, self.leave_tool)
        host.control(MapSync).follow(lambda slot: (slot.network_changed,), _show_closed)
        self._session.network_changed.connect(self._follow_network)

    # ------------------------------------------------------------------------------------------------ the tool

    @command(
        "roads.close_turn",
        "Close t&urns",
        keys=("U",),
        hint="Close the turn from one road into another: click the one on which one arrives, then the other",
        at=(1, 5),
        checkable=True,
    )
    def take_tool(self, chosen: bool) -> None:
        """Take the tool that closes turns, which puts other tools away, or put it away."""
        network = self._session.active.network
        chosen = chosen and network is not None and network.coordinates is not None
        self._tool.choose(network if chosen else None, chosen)
        self._host.actions["roads.close_turn"].setChecked(chosen)
        if chosen:
            self._host.tools.taken(TOOL)
        self._host.reports.show(translated(NEWS) if chosen else "")

    def leave_tool(self) -> bool:
        """Put the tool away; return whether there was one."""
        chosen = self._tool.taken
        if chosen:
            self.take_tool(False)
        return chosen

    def _follow_network(self) -> None:
        """Go on with the tool on the network in which other turns are closed."""
        if self._tool.taken:
            self._tool.choose(self._session.active.network, True)

    def _on_pointed(self, arcs: tuple[int, ...], turn: tuple[int, int] | None) -> None:
        network, view = self._tool.network, self._host.view
        roads = None if network is None else ClosedRoads.of(network, np.array(arcs, np.int64), "pointed")
        view.set_layer("pointed", roads)
        text = ""
        if network is not None and turn is not None:
            said = turn_text(network, *turn)
            open_ = may_turn(network, *turn)
            text = translated("Close: {turn}", turn=said) if open_ else translated("Forbidden: {turn}", turn=said)
        self._host.status.show_hover(text)

    def _on_missed(self) -> None:
        self._host.reports.show(
            translated("No turn from there leads to another: click a road near a junction.")
            if self._tool.approach is None
            else translated("Click a road that leaves the marked junction; the right button begins anew.")
        )

    # --------------------------------------------------------------------------------------- closing, reopening

    @property
    def turns(self) -> Turns:
        """The active slot's closed turns, as they will be once the network that was asked for last is made."""
        return self._controller.control_of(self._session.active).turns

    def close(self, turns: list[Turn]) -> None:
        """Close turns as well."""
        self.replace(as_turns((*self.turns, *turns)))

    def reopen(self, turns: list[Turn]) -> None:
        """Open those of ``turns`` that are closed."""
        self.replace(tuple(turn for turn in self.turns if turn not in turns))

    def replace(self, turns: Turns) -> None:
        """Close these turns and no others; the network without them is made on the engine thread."""
        slot = self._session.active
        if slot.opened is None or turns == self.turns:
            return
        if slot.part is not None:
            problem = translated("Turns are closed on the whole network: close the neighbourhood first.")
        elif len(turns) > MOST_TURNS:
            problem = translated("At most {most} turns can be closed.", most=MOST_TURNS)
        elif slot.opened.coordinates is None:
            problem = translated("Turns can be closed where nodes have places: this network has no map.")
        else:
            self._controller.control_of(slot).await_turns(turns, partial(slot.take_turns, turns))
            return
        self._host.reports.show_problem(problem)

    @command(
        "roads.close_turn_ids",
        "Close a turn &by node ids…",
        keys=("Ctrl+U",),
        hint="Close a turn by the ids of three nodes: from, at, to",
        at=(1, 6),
    )
    def ask_turn(self) -> None:
        """Ask for the nodes of a turn and close it."""
        self._host.question.ask(translated("Close the turn over nodes… (three ids: 12-57-60)"), self._answer)

    def _answer(self, answer: str) -> None:
        opened, found = self._session.active.opened, _IDS.fullmatch(answer)
        if opened is None:
            raise NetworkError("Open a network first.")
        if found is None:
            raise NetworkError("A turn is named by the ids of three nodes, as in 12-57-60.")
        turn = int(found[1]), int(found[2]), int(found[3])
        arcs_of_turn(opened, turn)  # says what is wrong with it
        self.close([turn])

    # ------------------------------------------------------------------------------------------------ the list

    def show(self, turn: Turn) -> None:
        """Show on the map where a turn is."""
        network, view = self._session.active.network, self._host.view
        if network is not None and network.coordinates is not None:
            x, y = view.map_scene.place(network.node(turn[1]))
            view.look_at(Extent(x - AROUND_M, y - AROUND_M, x + AROUND_M, y + AROUND_M))

    @command("roads.save_turns", "Save c&losed turns…", hint="Save the closed turns as a CSV table", at=(3, 5))
    def save(self) -> None:
        """Ask where and save a table of the closed turns."""
        turns = self._session.active.turns
        if not turns:
            self._host.reports.show_problem(translated("There are no closed turns to save yet: close one first (U)."))
            return
        path, _ = self._host.dialogs.save(translated("Save closed turns"), "closed-turns.csv", translated(TABLES))
        if path:
            self._controller.files.save(with_suffix(path, ".csv"), partial(write_turns, turns=turns))

    def takes(self, path: str) -> bool:
        """Return whether a file is a table of turns, by its first line."""
        try:
            with Path(path).open("rb") as file:
                head = file.readline(_HEAD)
        except OSError:
            return False
        first = head.decode("utf-8-sig", "replace").partition("\n")[0]
        return first.replace('"', "").replace(" ", "").strip().lower() == HEADER

    def close_table(self, path: str) -> None:
        """Close the turns of a table, and no others. Raises ``FormatError``."""
        self.replace(as_turns(read_turns(path).tolist()))


def _show_closed(slot: Slot, view: MapView) -> None:
    assert slot.network is not None
    view.set_layer(ClosedTurns.NAME, ClosedTurns.of(slot.network, slot.turns))
