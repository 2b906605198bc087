"""A lesson that is played: which moment is shown, what is known of its search, and what was answered. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import choose_device
from wayfront.network.arcs import arcs_between
from wayfront.network.copies import all_sources, node_count_of
from wayfront.network.finding import node_called
from wayfront.results.result import SearchKind
from wayfront.safe.errors import DeviceError, FormatError, NetworkError, WayfrontError
from wayfront.safe.options import AUTO
from wayfront.searching.registry import find_algorithm
from wayfront_gui.features.lessons.conditions import (
    Figures,
    NeverError,
    Recorded,
    Results,
    figures_of,
    filled,
    step_of,
    uses_time,
)
from wayfront_gui.features.lessons.file import Lesson, Moment, Question, Search
from wayfront_gui.session.choice import central_node, choose_sources
from wayfront_gui.session.pairs import MOST_MATRIX_NODES, Ends
from wayfront_gui.session.session import Session
from wayfront_gui.session.state import Notice
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.trace.schema import Trace


class LessonPlay:
    """The lesson that is open, None for none, and how far it is.

    ``expected`` are the nodes that a prediction asks for, ``expected_names`` what people call them, ``picked`` those
    chosen so far. ``problem`` says why the search
    of the moment cannot be shown.
    """

    def __init__(self, _session: Session | None = None) -> None:
        self.lesson: Lesson | None = None
        self.index = 0
        self.figures: dict[int, Figures] = {}
        self.ready = False
        self.problem = ""
        self.revealed = False
        self.chosen: int | None = None
        self.expected: tuple[int, ...] = ()
        self.expected_names: tuple[str, ...] = ()
        self.picked: frozenset[int] = frozenset()

        self.moment_changed = Notice()
        """Another moment is to be shown, or none."""
        self.changed = Notice()
        """Something of the moment that is shown has changed."""

    # ------------------------------------------------------------------------------------------------- moments

    @property
    def moment(self) -> Moment | None:
        """The moment that is shown."""
        return None if self.lesson is None else self.lesson.moments[self.index]

    @property
    def count(self) -> int:
        """How many moments there are."""
        return 0 if self.lesson is None else len(self.lesson.moments)

    def open(self, lesson: Lesson | None, index: int = 0) -> None:
        """Play a lesson from a moment on, or none."""
        self.lesson, self.figures = lesson, {}
        self._show(min(max(index, 0), max(self.count - 1, 0)))

    def go_to(self, index: int) -> None:
        """Show another moment, if there is one of that index."""
        if 0 <= index < self.count and index != self.index:
            self._show(index)

    def next(self) -> None:
        """Show the answer that is waited for, or else the next moment."""
        if self.asks and not self.revealed:
            self.reveal()
        else:
            self.go_to(self.index + 1)

    def back(self) -> None:
        """Show the moment before."""
        self.go_to(self.index - 1)

    def _show(self, index: int) -> None:
        self.index, self.ready, self.problem = index, False, ""
        self.revealed, self.chosen, self.picked = False, None, frozenset()
        self.expected, self.expected_names = (), ()
        self.moment_changed()
        self.changed()

    # ------------------------------------------------------------------------------------------------- searches

    def take_figures(
        self, figures: Figures, expected: tuple[int, ...] = (), expected_names: tuple[str, ...] = ()
    ) -> None:
        """Take what is known of the search of the moment, now that its step is shown; ``expected`` nodes come next."""
        self.figures[self.index] = figures
        self.ready, self.problem = True, ""
        moment = self.moment
        asks = moment is not None and moment.predict
        self.expected, self.expected_names = (expected, expected_names) if asks else ((), ())
        self.changed()

    def let_go(self) -> None:
        """Ask for no nodes any more: the network that they were of is closed."""
        self.expected, self.expected_names, self.picked = (), (), frozenset()
        self.changed()

    def take_problem(self, problem: str) -> None:
        """Say why the moment cannot be shown."""
        self.ready, self.problem = True, problem
        self.changed()

    def filled(self, text: str) -> str:
        """Return a text of the moment with its figures."""
        names = {} if self.lesson is None else self.lesson.names
        earlier = {name: self.figures.get(index, {}) for name, index in names.items()}
        return filled(text, self.figures.get(self.index, {}), earlier)

    # ------------------------------------------------------------------------------------------------ questions

    @property
    def question(self) -> Question | None:
        """The question of the moment."""
        return None if self.moment is None else self.moment.question

    @property
    def predicts(self) -> bool:
        """Whether nodes that come next are asked for."""
        return bool(self.expected)

    @property
    def prediction(self) -> str:
        """What is asked where nodes that come next are asked for; of several searches those of the first."""
        if self.moment is not None and self.moment.search.beside:
            first = self.figures.get(self.index, {}).get("algorithm", "")
            return translated("Which nodes does the next step of {algorithm} expand?", algorithm=first)
        return translated("Which nodes does the next step expand?")

    @property
    def asks(self) -> bool:
        """Whether there is something to answer."""
        return self.question is not None or self.predicts

    @property
    def verdict(self) -> Verdict | None:
        """How well the next nodes were predicted, once that is shown."""
        return judge(self.expected, self.picked) if self.predicts and self.revealed else None

    def pick(self, node: int) -> None:
        """Choose a node as one that comes next, or take it back."""
        if self.predicts and not self.revealed:
            self.picked ^= {node}
            self.changed()

    def choose(self, choice: int) -> None:
        """Answer a question by one of its choices, and show the answer."""
        if self.question is not None and 0 <= choice < len(self.question.choices):
            self.chosen, self.revealed = choice, True
            self.changed()

    def reveal(self) -> None:
        """Show the answer, and the nodes that come next."""
        if self.asks and not self.revealed:
            self.revealed = True
            self.changed()


MOST_NODES = 200
"""Nodes of a frontier that a person is asked for."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The nodes that were guessed and come next, those that do not, and those that were missed; internal numbers."""

    right: tuple[int, ...]
    wrong: tuple[int, ...]
    missed: tuple[int, ...]

    @property
    def perfect(self) -> bool:
        """Whether exactly the nodes that come next were guessed."""
        return not self.wrong and not self.missed


def next_nodes(trace: Trace | None, step: int) -> tuple[int, ...]:
    """Return the nodes that the step after ``step`` expands, ascending; none where it is not known whole, or too many.

    Before the first step, ``step`` is -1.
    """
    if trace is None or trace.stride != 1 or not 0 <= step + 1 < len(trace):
        return ()
    nodes = sorted({int(node) for node in trace.frontier(step + 1)})
    return tuple(nodes) if len(nodes) <= MOST_NODES else ()


def judge(expected: Collection[int], picked: Collection[int]) -> Verdict:
    """Compare what was guessed with what comes next."""
    return Verdict(
        tuple(sorted(set(expected) & set(picked))),
        tuple(sorted(set(picked) - set(expected))),
        tuple(sorted(set(expected) - set(picked))),
    )


Tell = Callable[[str, float], None]


@dataclass(frozen=True, slots=True, eq=False)
class Staged:
    """A moment with its searches: the ``step`` (index) that is shown; ``expected`` nodes come next.

    ``results`` are the searches that are shown in step, the moment's own first. ``names`` are what people call the
    nodes that come next.
    """

    moment: Moment
    results: Results
    step: int
    figures: Figures
    expected: tuple[int, ...]
    names: tuple[str, ...]

    @property
    def result(self) -> Recorded:
        """The moment's own search."""
        return self.results[0]

    @property
    def ends(self) -> Ends:
        """The two nodes between which its path is shown. Raises ``NetworkError`` for a node that is not there."""
        return ends_of(self.moment, self.result.network)


def stage(lesson: Lesson, tell: Tell, cancel: Event) -> Iterator[Staged]:
    """Open and search for each moment in turn; what two moments share is done once.

    Raises ``FormatError`` with file and line for what cannot be shown, and ``OpenCancelled`` or ``SearchCancelled``.
    """
    opened: dict[str, RoadNetwork] = {}
    shown: tuple[Search, Results] | None = None
    for index, moment in enumerate(lesson.moments):
        tell(f"moment {index + 1} of {len(lesson.moments)}", index / len(lesson.moments))
        try:
            name = lesson.network_of(moment)
            if name not in opened:
                opened.clear()  # of large networks one at a time
                opened[name] = _open(name, cancel)
            timed = uses_time(moment.text)
            if shown is None or shown[0] != moment.search or (timed and not shown[1][0].timing.runs_ms):
                shown = moment.search, _searches(opened[name], moment.search, cancel, timed=timed)
            yield staged(moment, shown[1])
        except (WayfrontError, NeverError) as problem:
            if cancel.is_set():
                raise
            raise FormatError(str(problem), lesson.path, moment.line) from None


def staged(moment: Moment, results: Results) -> Staged:
    """Return a moment with its searches. Raises ``NeverError`` and ``NetworkError``."""
    step = step_of(moment.when, results)
    expected = next_nodes(results[0].trace, step)
    names = tuple(results[0].network.node_name(node) for node in expected)
    return Staged(moment, results, step, figures_of(results, step), expected, names)


def ends_of(moment: Moment, network: RoadNetwork) -> Ends:
    """Return the two nodes between which a moment shows a path, its target None where it shows none.

    It is the route that the moment points out, or that which its searches to a target find. Raises ``NetworkError``.
    """
    search, route = moment.search, moment.marks.route
    if route is None and SearchKind.ROUTE in {each.kind for each in search.each}:
        route = search.target
    return Ends(source_of(search, network), None if route is None else node_called(network, route))


def source_of(search: Search, network: RoadNetwork) -> int:
    """Return the node that a search starts from, by default one in the middle. Raises ``NetworkError``."""
    source = central_node(network) if search.source is None else node_called(network, search.source)
    if source is None:
        raise NetworkError(f"{network.name} has no nodes to search from")
    return source


def closed_by(search: Search, network: RoadNetwork) -> NDArray[np.int64]:
    """Return the arcs that a search does not take. Raises ``NetworkError``."""
    ends = np.array([[node_called(network, end) for end in arc] for arc in search.closed], np.int64).reshape(-1, 2)
    return arcs_between(network, *ends.T)


def target_of(search: Search, network: RoadNetwork) -> int | None:
    """Return the node where a search ends that is one to a target, else None. Raises ``NetworkError``."""
    if search.kind is not SearchKind.ROUTE or search.target is None:
        return None
    return node_called(network, search.target)


def device_of(search: Search) -> str:
    """Return the device for a search: the one it names if that is here and can run it, else ``AUTO``."""
    try:
        device = choose_device(search.device)
    except DeviceError:
        return AUTO
    if AUTO in (search.device, search.algorithm) or not find_algorithm(search.algorithm).runs_on(device):
        return AUTO
    return device.id


def _open(name: str, cancel: Event) -> RoadNetwork:
    from wayfront import open_network
    from wayfront.network.layout import pivot_layout

    network = open_network(name, cancel=cancel)
    return network if network.coordinates is not None else network.with_coordinates(pivot_layout(network))


def _searches(network: RoadNetwork, wanted: Search, cancel: Event, *, timed: bool) -> Results:
    """Return what a moment's searches find; the first has clean runs if it is to be ``timed``."""
    first, *others = wanted.each
    found = _search(network, first, cancel, runs=None if timed else 0)
    return found, *(_search(network, each, cancel, runs=0) for each in others)


def _search(network: RoadNetwork, wanted: Search, cancel: Event, runs: int | None) -> Recorded:
    from wayfront import all_pairs, search
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    device = device_of(wanted)
    asked: dict[str, Any] = {
        "metric": wanted.metric,
        "options": dict(wanted.options),
        "runs": runs,
        "closures": closed_by(wanted, network),
        "trace_budget": DEFAULT_BUDGET_BYTES,
        "cancel": cancel,
    }
    if wanted.kind is SearchKind.ALL_PAIRS:
        sources = all_sources(network)[choose_sources(node_count_of(network), wanted.sample)]
        keep = "matrix" if network.node_count <= MOST_MATRIX_NODES else "summary"
        return all_pairs(network, wanted.algorithm, device, sources=sources, keep=keep, **asked)
    source, target = source_of(wanted, network), target_of(wanted, network)
    return search(network, source, wanted.algorithm, device, target=target, **asked)
