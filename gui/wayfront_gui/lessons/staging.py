"""Search what the moments of a lesson show, one after another: for handouts, films and the tests of tours. No Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import choose_device
from wayfront.errors import DeviceError, FormatError, NetworkError, WayfrontError
from wayfront.network.closures import arcs_between
from wayfront.network.finding import node_called
from wayfront.options import AUTO
from wayfront.search.registry import find_algorithm
from wayfront_gui.lessons.conditions import NeverError, step_of
from wayfront_gui.lessons.figures import Figures, figures_of
from wayfront_gui.lessons.lesson import Lesson, Moment, Search
from wayfront_gui.lessons.prediction import next_nodes
from wayfront_gui.model.first_source import central_node

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.search.result import Result

Tell = Callable[[str, float], None]


@dataclass(frozen=True, slots=True, eq=False)
class Staged:
    """A moment with its search: the ``step`` (index) that is shown, or the tree; ``expected`` nodes come next.

    ``names`` are what people call these. ``beside`` is the search that is shown in step with it, None for none.
    """

    moment: Moment
    result: Result
    step: int
    figures: Figures
    expected: tuple[int, ...]
    names: tuple[str, ...]
    beside: Result | None = None

    @property
    def results(self) -> tuple[Result, ...]:
        """The searches that are shown, the moment's own first."""
        return (self.result,) if self.beside is None else (self.result, self.beside)


def stage(lesson: Lesson, tell: Tell, cancel: Event) -> Iterator[Staged]:
    """Open and search for each moment in turn; what two moments share is done once.

    Raises ``FormatError`` with file and line for what cannot be shown, and ``OpenCancelled`` or ``SearchCancelled``.
    """
    opened: dict[str, RoadNetwork] = {}
    shown: tuple[Search, Result, Result | None] | None = None
    for index, moment in enumerate(lesson.moments):
        tell(f"moment {index + 1} of {len(lesson.moments)}", index / len(lesson.moments))
        try:
            name = lesson.network_of(moment)
            if name not in opened:
                opened.clear()  # of large networks one at a time
                opened[name] = _open(name, cancel)
            if shown is None or shown[0] != moment.search:
                shown = moment.search, *_searches(opened[name], moment.search, cancel)
            yield staged(moment, *shown[1:])
        except (WayfrontError, NeverError) as problem:
            if cancel.is_set():
                raise
            raise FormatError(str(problem), lesson.path, moment.line) from None


def staged(moment: Moment, result: Result, beside: Result | None = None) -> Staged:
    """Return a moment with its search. Raises ``NeverError`` and ``NetworkError``."""
    step = step_of(moment.when, result)
    expected = next_nodes(result.trace, step)
    names = tuple(result.network.node_name(node) for node in expected)
    return Staged(moment, result, step, figures_of(result, step), expected, names, beside)


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


def other_of(search: Search) -> Search:
    """Return the search that is shown beside one."""
    return replace(search, algorithm=search.beside, options=(), beside="")


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


def _searches(network: RoadNetwork, wanted: Search, cancel: Event) -> tuple[Result, Result | None]:
    return _search(network, wanted, cancel), _search(network, other_of(wanted), cancel) if wanted.beside else None


def _search(network: RoadNetwork, wanted: Search, cancel: Event) -> Result:
    from wayfront import search
    from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES

    return search(
        network,
        source_of(wanted, network),
        wanted.algorithm,
        device_of(wanted),
        metric=wanted.metric,
        options=dict(wanted.options),
        runs=0,
        closures=closed_by(wanted, network),
        trace_budget=DEFAULT_BUDGET_BYTES,
        cancel=cancel,
    )
