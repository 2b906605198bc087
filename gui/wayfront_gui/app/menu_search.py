"""The commands of the Search menu."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from wayfront.results.result import SearchKind
from wayfront.safe.errors import NetworkError
from wayfront_gui.app.commands import Command, command, offered
from wayfront_gui.app.feature import Host
from wayfront_gui.ui.translation import marked, translated

KINDS = (
    (SearchKind.ONE_TREE, marked("&One tree"), marked("Search from one source")),
    (SearchKind.ALL_PAIRS, marked("All &pairs"), marked("Search from every node")),
    (SearchKind.ROUTE, marked("One ro&ute"), marked("Search from one source to one target")),
)
"""The kinds of search in the order of the menu, each with its text and its hint."""
TWICE_WITHIN_S = 4.0
"""Within this time a second Esc clears the route: one alone may have been meant for something else."""


class SearchCommands:
    """Runs and stops searches, and asks for nodes by their ids."""

    def __init__(self, host: Host) -> None:
        self._host, self._controller, self._session = host, host.controller, host.session
        self._asked_s = -math.inf

    @command(
        "search.run", "&Run", keys=("R", "Ctrl+Return"), hint="Search from the source with what is chosen", at=(1, 1)
    )
    def run(self) -> None:
        """Search from the source with what is chosen."""
        self._controller.run()

    @command(
        "search.cancel",
        "&Cancel",
        keys=("Esc",),
        hint="Stop what runs, put the tool away, or clear the route",
        at=(1, 2),
    )
    def cancel(self) -> None:
        """Leave a presentation, stop what runs, put a tool of the map away, or, twice in a row, clear the route."""
        if self._host.tools.leave_first():
            return
        asked_s, self._asked_s = self._asked_s, -math.inf
        if self._controller.worker.busy:
            self._controller.cancel()
        elif not self._host.tools.leave_one() and self._has_route:
            if time.monotonic() - asked_s <= TWICE_WITHIN_S:
                self.clear_route()
            else:
                self._asked_s = time.monotonic()
                self._controller.news.emit(translated("Esc again clears the route."))

    @property
    def _has_route(self) -> bool:
        slot = self._session.active
        return slot.route() is not None or bool(slot.targets.nodes)

    @offered(
        *(
            Command(f"search.{kind.name.lower()}", text, (f"Ctrl+{row}",), hint, (2, row), kind, "kind")
            for row, (kind, text, hint) in enumerate(KINDS, 1)
        )
    )
    def choose_kind(self, kind: str) -> None:
        """Choose what a search finds."""
        self._session.active.choose_kind(SearchKind(kind))

    @command("search.source", "&Source by node id…", keys=("Ctrl+G",), hint="Search from a node by its id", at=(3, 1))
    def ask_source(self) -> None:
        """Ask for a node's id and search from it."""
        self._ask(translated("Search from node id…"), self._controller.choose_source)

    def _ask(self, question: str, choose: Callable[[int], None]) -> None:
        """Ask for a node's id, and choose that node."""

        def answer(typed: str) -> None:
            if (network := self._session.active.network) is not None:
                choose(network.node(_node_id(typed)))

        self._host.question.ask(question, answer)

    @command(
        "search.target", "Route &to node id…", keys=("Ctrl+T",), hint="Show the route to a node by its id", at=(3, 2)
    )
    def ask_target(self) -> None:
        """Ask for a node's id and show the route to it."""
        self._ask(translated("Route to node id…"), self._controller.choose_target)

    @command(
        "search.further_target",
        "O&ne more target by node id…",
        keys=("Ctrl+Shift+T",),
        hint="Show the route to one more node, or no longer to a target",
        at=(3, 3),
    )
    def ask_further_target(self) -> None:
        """Ask for a node's id and show the route to it too, or no longer."""
        self._ask(translated("One more target by node id…"), self._controller.toggle_target)

    @command("search.farthest", "Route to the &farthest node", keys=("X",), hint="Show the longest route", at=(3, 4))
    def route_to_farthest(self) -> None:
        """Show the route to the farthest node, of all pairs the diameter's."""
        slot = self._session.active
        if slot.pairs is not None and slot.live is None:
            slot.show_diameter()
        elif slot.tree is not None and slot.live is None:
            self._controller.choose_target(slot.tree.farthest)

    @command("search.no_route", "C&lear the route", keys=("Ctrl+Backspace",), at=(5, 4))
    def clear_route(self) -> None:
        """Remove the routes from the map."""
        self._controller.choose_target(None)

    @command("search.lay_out", "L&ay the network out", hint="Find a map for a network without one", at=(6, 1))
    def lay_out(self) -> None:
        """Find a map for a network without one."""
        self._controller.files.lay_out()


def _node_id(answer: str) -> int:
    try:
        return int(answer.replace(",", "").replace(" ", ""))
    except ValueError:
        raise NetworkError("A node id is a whole number, as in the network's file.") from None
