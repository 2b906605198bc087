"""The commands of the Race menu."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction

from wayfront.errors import NetworkError
from wayfront.network.cut_out import Near
from wayfront.network.small import SMALL
from wayfront.options import AUTO
from wayfront.search.registry import SearchKind
from wayfront_gui.dialogs.export_film import RaceFilmDialog
from wayfront_gui.dialogs.question_card import QuestionCard
from wayfront_gui.export.subject import RaceSubject
from wayfront_gui.map.race import MapPanes
from wayfront_gui.model.neighbourhood import USUAL_COUNT, cut_round
from wayfront_gui.model.race_field import MOST_LANES
from wayfront_gui.model.replay_clock import Walk
from wayfront_gui.scene.geometry import around
from wayfront_gui.translation import translated
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.file_dialogs import FileDialogs

PAIR, ROUTE_PAIR = ("dijkstra", "bellman-ford-v3"), ("dijkstra-to-target", "a-star")
"""What is shown in step: the chosen search and the first of these that is another one."""
BESIDE = ("view.explanation", "view.isochrones", "view.depots", "view.closures")
"""The panels that give the race's panel their room."""


class RaceCommands:
    """Begins and ends races, and chooses how they are shown; ``actions`` show and hide docks."""

    def __init__(
        self,
        controller: Controller,
        say: Callable[[str], None],
        actions: Mapping[str, QAction],
        panes: MapPanes,
        dialogs: FileDialogs,
        question: QuestionCard,
    ) -> None:
        self._controller = controller
        self._session = controller.session
        self._say = say
        self._actions = actions
        self._panes = panes
        self._dialogs = dialogs
        self._question = question
        self._put_away: list[str] = []
        self._speed = 0.0

    def fill(self) -> None:
        """Let four searches race from the source."""
        self._session.race.fill()
        self._show_panel()
        self._controller.run()

    def add(self) -> None:
        """Add a search, which the panels then show."""
        added = self._session.race.add()
        self._show_panel()
        if added is None:
            self._say(translated("{most_lanes} searches race, as many as can.", most_lanes=MOST_LANES))
        else:
            self._session.activate(added)
            self._say(translated("Choose the new search in the Search panel, then Run (R)."))

    def show_two(self) -> None:
        """Show the chosen search and another one side by side, in step."""
        slot = self._session.active
        pair = ROUTE_PAIR if slot.kind is SearchKind.ROUTE else PAIR
        first = slot.algorithm if slot.algorithm != AUTO and slot.kind is not SearchKind.ALL_PAIRS else pair[0]
        self.leave()
        slot.choose_algorithm(first)
        self._session.race.add(next(other for other in pair if other != first))
        self._session.clock.set_walk(Walk.STEP)
        self._show_panel()
        self._controller.run()

    def ask_neighbourhood(self) -> None:
        """Ask how many nodes to cut out round the source, and show them beside the map."""
        if self._session.active.network is None or self._session.active.source is None:
            self._say(translated("Open a network and click a source on the map first."))
        else:
            self._question.ask(translated("How many nodes round the source? (40, or 40 hops)"), self._cut_out)

    def _cut_out(self, answer: str) -> None:
        words = answer.split() or [str(USUAL_COUNT)]
        near = Near.HOPS if words[1:] == ["hops"] else Near.DISTANCE
        if not words[0].isdecimal() or words[1:] not in ([], [Near.HOPS], [Near.DISTANCE]):
            raise NetworkError("Type a number of nodes, as 40, or 40 hops for those that few arcs lead to.")
        count = int(words[0][:9])
        if not 1 <= count <= SMALL:
            raise NetworkError(f"A neighbourhood has 1 to {SMALL} nodes.")
        slot = self._session.active
        if slot.part is not None:
            slot = next(other for other in self._session.slots if other.part is None)
            self._session.activate(slot)
        self.leave()
        found = cut_round(slot, count, near)
        assert found is not None
        added = self._session.race.add()
        assert added is not None
        added.open(found.network, laid_out=slot.laid_out, part=found)
        assert slot.source is not None
        added.choose_source(found.inside(slot.source) or 0)
        self._session.clock.set_walk(Walk.DISTANCE)
        self._speed = self._session.clock.speed
        self._controller.race.is_new_neighbourhood = True
        self._show_panel()
        self._panes.main.look_at(around(found))
        self._controller.run()

    def remove(self) -> None:
        """Take the search that the panels show out of the race."""
        if self._session.race.on:
            self._session.remove_slot(self._session.active)

    def next(self) -> None:
        """Show the next search of the race in the panels."""
        slots = self._session.slots
        self._session.activate(slots[(slots.index(self._session.active) + 1) % len(slots)])

    def split(self, split: bool) -> None:
        """Show one map in strips, or a map for each search."""
        self._session.race.set_split(split)

    def show_difference(self, shown: bool) -> None:
        """Show where distances differ from those of the first search."""
        self._session.race.set_difference(shown)

    def save_film(self) -> None:
        """Ask how, and save a film of the race, at first of what its maps show of the network now."""
        results = [slot.result for slot in self._session.slots]
        recorded = tuple(result for result in results if result is not None and result.trace is not None)
        if not self._session.race.on or len(recorded) < len(results):
            self._say(translated("There is no race to film yet: run one first (Shift+R)."))
            return
        style, clock, race = self._panes.all_maps[0].map_scene.style, self._session.clock, self._session.race
        subject = RaceSubject(recorded, style, self._panes.seen, race.split, clock.walk)
        RaceFilmDialog(subject, self._dialogs.save, self._controller.news.emit, self._panes.window()).show_modeless()

    def leave(self) -> None:
        """Keep only the search that the panels show."""
        self._controller.race.stop()
        self._session.race.leave()
        if self._speed:  # that before a neighbourhood was shown
            self._session.clock.set_speed(self._speed)
            self._speed = 0.0
        shown = ["view.race"] if self._actions["view.race"].isChecked() else []
        for name in (*shown, *(name for name in self._put_away if not self._actions[name].isChecked())):
            self._actions[name].trigger()
        self._put_away = []

    def _show_panel(self) -> None:
        """Show the panel of races in place of those beside it, until the race is ended."""
        if not self._actions["view.race"].isChecked():
            self._put_away = [name for name in BESIDE if self._actions[name].isChecked()]
            for name in (*self._put_away, "view.race"):
                self._actions[name].trigger()
