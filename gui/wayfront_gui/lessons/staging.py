"""Search what the moments of a lesson show, one after another: for handouts, films and the tests of tours. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import choose_device
from wayfront.errors import DeviceError, FormatError, NetworkError, WayfrontError
from wayfront.network.closures import arcs_between
from wayfront.network.finding import node_called
from wayfront.options import AUTO
from wayfront.search.registry import SearchKind, find_algorithm
from wayfront_gui.lessons.conditions import NeverError, Recorded, Results, step_of
from wayfront_gui.lessons.figures import Figures, figures_of, uses_time
from wayfront_gui.lessons.lesson import Lesson, Moment, Search
from wayfront_gui.lessons.prediction import next_nodes
from wayfront_gui.model.first_source import central_node
from wayfront_gui.model.pair_route import Ends
from wayfront_gui.model.pairs import MOST_MATRIX_NODES
from wayfront_gui.model.request import choose_sources

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

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

    if wanted.kind is SearchKind.ALL_PAIRS:
        return all_pairs(
            network,
            wanted.algorithm,
            device_of(wanted),
            sources=choose_sources(network.node_count, wanted.sample),
            keep="matrix" if network.node_count <= MOST_MATRIX_NODES else "summary",
            metric=wanted.metric,
            options=dict(wanted.options),
            runs=runs,
            closures=closed_by(wanted, network),
            trace_budget=DEFAULT_BUDGET_BYTES,
            cancel=cancel,
        )
    return search(
        network,
        source_of(wanted, network),
        wanted.algorithm,
        device_of(wanted),
        target=target_of(wanted, network),
        metric=wanted.metric,
        options=dict(wanted.options),
        runs=runs,
        closures=closed_by(wanted, network),
        trace_budget=DEFAULT_BUDGET_BYTES,
        cancel=cancel,
    )
