"""The commands of the Search menu."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence

from wayfront.errors import NetworkError
from wayfront.search.registry import SearchKind
from wayfront_gui.dialogs.question_card import QuestionCard
from wayfront_gui.translation import translated
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.depot_control import DepotControl
from wayfront_gui.window.isochrone_control import IsochroneControl

TWICE_WITHIN_S = 4.0
"""Within this time a second Esc clears the route: one alone may have been meant for something else."""


class SearchCommands:
    """Runs and stops searches, and asks for nodes by their ids."""

    def __init__(
        self,
        controller: Controller,
        question: QuestionCard,
        leave_tools: Sequence[Callable[[], bool]],
        depots: DepotControl,
        isochrones: IsochroneControl,
        measure_growth: Callable[[], None],
        leave_presentation: Callable[[], bool],
    ) -> None:
        self._controller = controller
        self._session = controller.session
        self._question = question
        self._leave_tools = (*leave_tools, depots.leave_tool, isochrones.leave)
        self._depots = depots
        self._asked_s = -math.inf
        self._isochrones = isochrones
        self._leave_presentation = leave_presentation
        self.measure_growth = measure_growth

    def run(self) -> None:
        """Search from the source with what is chosen."""
        self._controller.run()

    def cancel(self) -> None:
        """Leave a presentation, stop what runs, put a tool of the map away, or, twice in a row, clear the route."""
        if self._leave_presentation():
            return
        asked_s, self._asked_s = self._asked_s, -math.inf
        if self._controller.worker.busy:
            self._controller.cancel()
        elif not any(leave() for leave in self._leave_tools) and self._session.active.route() is not None:
            if time.monotonic() - asked_s <= TWICE_WITHIN_S:
                self.clear_route()
            else:
                self._asked_s = time.monotonic()
                self._controller.news.emit(translated("Esc again clears the route."))

    def resume(self) -> None:
        """Go on with a search for all pairs that was stopped."""
        self._controller.resume()

    def show_isochrones(self, shown: bool) -> None:
        """Show bands of distance or time round the source."""
        self._isochrones.show(shown)

    def one_centre(self) -> None:
        """Take all sources of isochrones away but the first."""
        self._session.active.isochrones.keep_first()

    def pick_depots(self, picking: bool) -> None:
        """Let clicks choose candidates for depots, or sources again."""
        self._depots.pick(picking)

    def clear_candidates(self) -> None:
        """Have no candidates for depots."""
        self._session.active.depots.clear()

    def cut(self) -> None:
        """Cut the network in the background."""
        self._controller.cuts.start()

    def choose_kind(self, kind: str) -> None:
        """Choose what a search finds."""
        self._session.active.choose_kind(SearchKind(kind))

    def ask_source(self) -> None:
        """Ask for a node's id and search from it."""
        self._question.ask(translated("Search from node id…"), self._answer_source)

    def _answer_source(self, answer: str) -> None:
        slot = self._session.active
        if slot.network is not None:
            self._controller.choose_source(slot.network.node(_node_id(answer)))

    def ask_target(self) -> None:
        """Ask for a node's id and show the route to it."""
        self._question.ask(translated("Route to node id…"), self._answer_target)

    def _answer_target(self, answer: str) -> None:
        if (network := self._session.active.network) is not None:
            self._controller.choose_target(network.node(_node_id(answer)))

    def ask_further_target(self) -> None:
        """Ask for a node's id and show the route to it too, or no longer."""
        self._question.ask(translated("One more target by node id…"), self._answer_further_target)

    def _answer_further_target(self, answer: str) -> None:
        if (network := self._session.active.network) is not None:
            self._controller.toggle_target(network.node(_node_id(answer)))

    def route_to_farthest(self) -> None:
        """Show the route to the farthest node, of all pairs the diameter's."""
        slot = self._session.active
        if slot.pairs is not None and slot.live is None:
            slot.show_diameter()
        elif slot.tree is not None and slot.live is None:
            self._controller.choose_target(slot.tree.farthest)

    def clear_route(self) -> None:
        """Remove the routes from the map."""
        self._controller.choose_target(None)

    def lay_out(self) -> None:
        """Find a map for a network without one."""
        self._controller.files.lay_out()


def _node_id(answer: str) -> int:
    try:
        return int(answer.replace(",", "").replace(" ", ""))
    except ValueError:
        raise NetworkError("A node id is a whole number, as in the network's file.") from None
