"""The commands of the Search menu."""

from __future__ import annotations

import math
import time

from wayfront.results.result import SearchKind
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
    """Runs and stops searches."""

    def __init__(self, host: Host) -> None:
        self._host, self._controller, self._session = host, host.controller, host.session
        self._asked_s = -math.inf
        for changed in (self._session.choice_changed, self._session.slots_changed):
            changed.connect(self._show_way)

    def _show_way(self) -> None:
        self._host.actions["search.towards"].setChecked(self._session.active.reverse)

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
        hint="Stop what runs, leave the tool, or clear the route",
        at=(1, 2),
    )
    def cancel(self) -> None:
        """Leave a presentation, stop what runs, put a tool of the map away, or, twice in a row, clear the route."""
        if self._host.tools.leave_first():
            return
        asked_s, self._asked_s = self._asked_s, -math.inf
        if self._controller.worker.busy_as_reported:
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

    @command(
        "search.towards",
        "To&wards the source",
        keys=("Shift+B",),
        hint="Ways that lead to the source instead of from it",
        at=(2, 4),
        checkable=True,
    )
    def search_towards(self, wanted: bool) -> None:
        """Search towards the source, or from it again."""
        self._controller.choose_way(wanted)

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
