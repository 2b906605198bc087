"""The jobs of the engine thread. A job holds all it needs and uses nothing of the window."""

from __future__ import annotations

import gc
import logging
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import deputies_answer
from wayfront.formats.options import OpeningOptions
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import NetworkError, NetworkNotHereError, OptionError, TraceError
from wayfront_gui.app.awaiting import SEARCH, await_compiled, await_picture, is_compiled
from wayfront_gui.resources import BUNDLED, RECORDED, asset
from wayfront_gui.session import formatting
from wayfront_gui.session.choice import SearchRequest, central_node
from wayfront_gui.session.pairs import Pairs
from wayfront_gui.session.slot import is_small
from wayfront_gui.session.turning import Turns, before_closing, with_closed_turns
from wayfront_gui.ui.translation import marked, translated

if TYPE_CHECKING:
    from wayfront.devices import DeviceInfo
    from wayfront.searching.prepared import Prepared
    from wayfront.searching.registry import Algorithm
    from wayfront.searching.result_file import RecordedNetwork
    from wayfront.searching.run import Progress


log = logging.getLogger(__name__)
CPU = "cpu"
STAGES = {
    "forecast": marked("Estimating the time"),
    "tracing": marked("Searching"),
    "searching": marked("Searching"),
    "timing": marked("Timing clean runs"),
}
"""The stages of a search, as the status line shows them."""
LIVE_AFTER_S = 0.25
"""A search that ends sooner is not shown live: its replay follows at once."""
LIVE_INTERVAL_S = 0.1
LIVE_SHARE = 0.1
"""The share of a search's time that showing it live may cost."""


@dataclass(frozen=True, slots=True)
class Report:
    """The callbacks of a running job.

    ``progress(stage, fraction)`` reports how far it is (-1 if that is unknown), ``live`` takes what was found so far (a
    ``Trace``, or ``Pairs`` of a search for all pairs), and ``forecast(text, seconds)`` announces how long it will take.
    """

    cancel: Event
    progress: Callable[[str, float], None]
    live: Callable[[Any], None]
    forecast: Callable[[str, float], None] = lambda _text, _seconds: None


def is_trace(path: str) -> bool:
    """Return whether a file is a recorded search, by content or by name: a damaged one is then refused as a trace."""
    from wayfront.trace.file import SUFFIX, is_trace_file

    return Path(path).suffix == SUFFIX or is_trace_file(path)


class Job(Protocol):
    """Something the engine thread does.

    Of jobs of one ``lane`` only the newest counts. ``slot`` is the id of the slot that a job works for, None if it
    works for all; jobs of different slots are in different lanes.
    """

    @property
    def lane(self) -> str: ...  # noqa: D102 - see the class

    @property
    def slot(self) -> int | None: ...  # noqa: D102 - see the class

    def run(self, report: Report) -> Any:
        """Do the job and return its result. Runs on the engine thread."""


@dataclass(frozen=True, slots=True)
class OpenJob:
    """Open a network or a recorded trace.

    ``opened`` is the network that is open already: a trace that belongs to it needs no second reading. A trace stores
    how its OpenStreetMap data were read, which overrides ``options``. Of its network it says what to look for, among
    ``places`` too (``recorded_network.find_network``); ``network`` is what a person chose to open or make for it.
    ``turns`` are closed by hand in a network, if it has all of them.
    """

    path: str
    options: OpeningOptions = field(default_factory=OpeningOptions)
    opened: RoadNetwork | None = None
    slot: int | None = None
    network: str | None = None
    places: tuple[str, ...] = ()
    turns: Turns = ()
    lane: str = field(default="open", init=False)

    def run(self, report: Report) -> Opened:
        """Return the network, or what was recorded with its network; all is ready to be shown."""
        if is_trace(self.path):
            opened = self._open_trace(report)
            prepare(network_of(opened), report.progress)
            return opened
        return turned(self._read(self.path, self.options, report), self.turns, report)

    def _read(self, path: str, options: OpeningOptions, report: Report) -> RoadNetwork:
        from wayfront import open_network

        return open_network(path, options, progress=report.progress, cancel=report.cancel)

    def _open_trace(self, report: Report) -> Result | Pairs:
        from wayfront.searching.result_file import load_recorded, read_network_entry

        recorded = read_network_entry(self.path)
        before, turns = before_closing(recorded)
        network = self._recorded_on(recorded, before, report)
        if not network.reading and recorded.reading:  # a cached network does not say it
            network = replace(network, reading=recorded.reading)
        if turns and network.content_key == before.content_key:
            network = _closed_as(recorded, len(before.turn_changes), network, turns, report)
        found = load_recorded(self.path, network)
        return found if isinstance(found, Result) else Pairs.of(found).prepare()

    def _recorded_on(self, recorded: RecordedNetwork, before: RecordedNetwork, report: Report) -> RoadNetwork:
        """Return the network of a trace ``before`` turns were closed in it; as ``recorded`` if it is only here so."""
        from wayfront.searching.result_file import find_network

        options = self._reading(recorded)
        read = cache(lambda path: self._read(str(path), options, report))
        for each in (before, recorded):
            if self.opened is not None and each.is_made_from(self.opened):
                return each.changed(self.opened)
        if self.network is not None:
            network = read(self.network)
            if needs_layout(network) and not before.is_made_from(network):
                network = LayoutJob(network).run(report)  # the trace was recorded on the map this makes
            return before.changed(network)
        places = (*self.places, str(asset(BUNDLED)))
        try:
            return find_network(self.path, before, read, places)
        except NetworkNotHereError:
            return find_network(self.path, recorded, read, places)

    def _reading(self, recorded: RecordedNetwork) -> OpeningOptions:
        """Return how the network of a trace was read; a trace that does not say it leaves ``options`` as they are."""
        from wayfront.formats.options import OsmOptions

        if not recorded.reading:
            return replace(self.options, remembered_osm=True)
        try:
            return replace(self.options, osm=OsmOptions.described(recorded.reading), remembered_osm=True)
        except OptionError as problem:
            raise TraceError(f"{self.path}: {problem}") from problem


def turned(network: RoadNetwork, turns: Turns, report: Report) -> RoadNetwork:
    """Return a network with turns closed, or as it is where it lacks one of them, ready to be shown."""
    if turns:
        report.progress(translated("Closing turns"), -1.0)
        with suppress(NetworkError):
            network = with_closed_turns(network, turns, report.cancel)
    prepare(network, report.progress)
    return network


def _closed_as(
    recorded: RecordedNetwork, changed: int, before: RoadNetwork, turns: Turns, report: Report
) -> RoadNetwork:
    """Return the network of a trace from that before its turns were closed, after ``changed`` other changes.

    Turns that were closed one after the other can make another network than all at once: these are not listed then.
    """
    closed = turned(before, turns, report)
    if closed.content_key == recorded.content_key:
        return closed
    return replace(recorded, turn_changes=recorded.turn_changes[changed:]).changed(before)


@dataclass(frozen=True, slots=True, eq=False)
class CloseTurnsJob:
    """Make the network without some turns, and its map."""

    opened: RoadNetwork
    turns: Turns
    slot: int
    lane: str = field(default="turns", init=False)

    def run(self, report: Report) -> RoadNetwork:
        """Return the network, which the opened one keeps. Raises ``NetworkError`` and ``OpenCancelled``."""
        report.progress(translated("Closing turns"), -1.0)
        network = with_closed_turns(self.opened, self.turns, report.cancel)
        prepare(network, report.progress)
        return network


@dataclass(frozen=True, slots=True)
class FirstSearch:
    """The bundled network with its first search, recorded beforehand, without the times of the machine that did it."""

    network: RoadNetwork
    result: Result


@dataclass(frozen=True, slots=True)
class FirstJob:
    """Open the bundled network with its first search, where none is compiled yet."""

    path: str = field(default_factory=lambda: str(asset(BUNDLED)))
    slot: int | None = None
    lane: str = field(default="open", init=False)

    @classmethod
    def opens(cls, path: str) -> bool:
        """Return whether it is what a file is to be opened by."""
        return Path(path) == asset(BUNDLED) and not is_compiled(SEARCH)

    def run(self, report: Report) -> RoadNetwork | FirstSearch:
        """Return the network and the search; the network alone, should the search be of another version of it."""
        from wayfront.results.result import Timing
        from wayfront.searching.result_file import load_trace

        network = network_of(OpenJob(self.path).run(report))
        try:
            result = load_trace(asset(RECORDED), network)
        except (TraceError, FileNotFoundError):
            log.warning("the search that comes with the bundled network cannot be shown", exc_info=True)
            return network
        trace = result.trace
        assert trace is not None
        untimed = replace(trace, time_ns=np.zeros_like(trace.time_ns))  # they are those of another machine
        return FirstSearch(network, replace(result, trace=untimed, timing=Timing((), 0.0, 0.0, None)))


Opened = RoadNetwork | Result | Pairs
"""What a file holds: a network, a tree found on one, or all pairs."""


def network_of(opened: Opened) -> RoadNetwork:
    """Return a network itself, or that of a recorded search."""
    return opened if isinstance(opened, RoadNetwork) else opened.network


def needs_layout(network: RoadNetwork) -> bool:
    """Return whether a network is laid out when it is opened: no file can have its coordinates, or it is small."""
    from wayfront.network.conventions import SYNTHETIC

    return network.coordinates is None and (is_small(network) or network.origin.startswith(SYNTHETIC))


@dataclass(frozen=True, slots=True)
class LayoutJob:
    """Compute a layout for a network without coordinates, in which ``turns`` are closed then if it has them."""

    network: RoadNetwork
    slot: int | None = None
    turns: Turns = ()
    lane: str = field(default="open", init=False)

    def run(self, report: Report) -> RoadNetwork:
        """Return the same network with coordinates."""
        from wayfront.network.layout import pivot_layout

        report.progress(translated("Laying the network out"), -1.0)
        return turned(self.network.with_coordinates(pivot_layout(self.network)), self.turns, report)


@dataclass(frozen=True, slots=True)
class SearchJob:
    """Run a search; in a lane of its own, beside whatever search the slot asks for."""

    request: SearchRequest
    slot: int
    lane: str = "search"

    def run(self, report: Report) -> Result:
        """Return what the search found."""
        await_picture(report.cancel)
        from wayfront import search
        from wayfront.devices import choose_device

        asked, device = self.request, choose_device(self.request.device)
        if device.id == CPU:
            await_compiled(SEARCH, report.cancel, report.progress)
        watcher = _Watcher(report, asked.algorithm, asked.live, announces=asked.trace_budget is not None)
        return search(
            asked.network,
            asked.source,
            asked.algorithm,
            asked.device,
            target=asked.target,
            metric=asked.metric,
            options=asked.options,
            threads=min(asked.threads, device.threads),  # the choice is kept for the CPU
            runs=asked.runs,
            trace_budget=asked.trace_budget,
            progress=watcher,
            cancel=report.cancel,
            closures=asked.closures,
            reverse=asked.reverse,
        )


def distances_from(
    sources: Sequence[int], request: SearchRequest, prepared: Prepared | None, slot: int, report: Report
) -> NDArray[Any]:
    """Return the distances [k, n] from some sources: on the prepared network, or by a search from each as asked for.

    They are those towards them where the request, and what was prepared for it, is ``reverse``.
    """
    if prepared is not None:
        prepared.close_exactly(request.closures)
        return prepared.trees(sources)
    return np.stack([SearchJob(replace(request, source=node), slot).run(report).distances for node in sources])


class Pace:
    """How often a running search is shown: as ``with``, around what that costs the search."""

    def __init__(self, first_after_s: float) -> None:
        self._next = time.monotonic() + first_after_s
        self._begun = 0.0

    def due(self) -> bool:
        """Return whether it is time to show the search again."""
        return time.monotonic() >= self._next

    def __enter__(self) -> None:
        self._begun = time.monotonic()

    def __exit__(self, *_: object) -> None:
        now = time.monotonic()
        self._next = now + max(LIVE_INTERVAL_S, (now - self._begun) / LIVE_SHARE)


class _Watcher:
    """Passes on a search's forecast and progress, and its trace so far as often as that stays cheap."""

    def __init__(self, report: Report, algorithm: str, live: bool, announces: bool) -> None:
        self._report = report
        self._announces = announces
        self._algorithm = algorithm
        self._live = live
        self._pace = Pace(LIVE_AFTER_S)

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "preparing":
            self._report.progress(progress.doing, progress.fraction)
            return
        stage, ahead = translated(STAGES.get(progress.stage, progress.stage)), progress.steps_ahead
        step = translated("{stage}, step {step:,}", stage=stage, step=progress.step) if progress.step else stage
        self._report.progress(step, min(progress.step / ahead, 1.0) if ahead else -1.0)
        if progress.stage == "forecast" and progress.seconds_ahead is not None:
            self._forecast(progress.seconds_ahead, ahead)
        if self._live and progress.snapshot is not None and self._pace.due():
            with self._pace:
                self._report.live(progress.snapshot())

    def _forecast(self, seconds: float, steps: int | None) -> None:
        """Announce how long a search will take; not for the clean runs after it, which were announced with it."""
        if self._announces:
            self._report.forecast(formatting.forecast(formatting.title(self._algorithm), seconds, steps), seconds)


@dataclass(frozen=True, slots=True)
class Abilities:
    """What this machine can run: declared algorithms, and every device, with the version of the cards' driver."""

    algorithms: tuple[Algorithm, ...]
    devices: tuple[DeviceInfo, ...]
    driver: str = ""


def find_abilities(report: Report) -> Abilities:
    """Load the algorithms and find the devices, on the thread that will use them.

    That thread owns the CUDA context, and the window need not wait while compilers load for a second or more. What
    killed programs left of files they wrote is deleted first.
    """
    from wayfront.devices import devices, why_no_card
    from wayfront.results.result import SearchKind
    from wayfront.safe.folders import sweep_leftovers
    from wayfront.searching.registry import algorithms
    from wayfront.timing.harness import nvidia_driver_version

    spare_blas()
    sweep_leftovers()
    report.progress(translated("Loading algorithms"), -1.0)
    here = devices()
    driver = "" if why_no_card(here) else nvidia_driver_version()
    kinds = (SearchKind.ONE_TREE, SearchKind.ROUTE, SearchKind.ALL_PAIRS)
    found = Abilities(tuple(each for kind in kinds for each in algorithms(kind)), here, driver)
    # Compilers leave a million objects behind. Frozen, they no longer stop the window at every collection; to
    # collect them first would stop it once more.
    gc.freeze()
    return found


def load_algorithms(report: Report) -> None:
    """Load the algorithms once the first picture is there, on the thread that loads compilers: two threads cannot."""
    await_picture(report.cancel)
    spare_blas()
    from wayfront.searching.registry import algorithms

    algorithms()


@dataclass(frozen=True, slots=True)
class WriteJob:
    """Write a file: ``write`` takes the path, and uses nothing that the window may change meanwhile."""

    write: Callable[[Path], None]
    path: Path
    slot: None = field(default=None, init=False)
    lane: str = field(default="save", init=False)

    def run(self, report: Report) -> Path:
        """Return the path."""
        self.write(self.path)
        return self.path


def prepare(network: RoadNetwork, progress: Callable[[str, float], None]) -> None:
    """Make the map's lines, its regions and the first source, which the network keeps, and load the map's kernels.

    Raises ``NetworkError`` for a network that is too large for a map, before it takes the place of another.
    """
    from wayfront_gui.map.areas import Areas
    from wayfront_gui.map.frame import warm_up_map
    from wayfront_gui.map.geometry import MapGeometry
    from wayfront_gui.map.labels import NamedRoads
    from wayfront_gui.map.scene import prepare_layers

    progress(translated("Drawing the map"), -1.0)
    central_node(network)
    if network.coordinates is not None:
        geometry = MapGeometry.of(network)
        if network.road_names is not None:
            NamedRoads.of(network, geometry)
        Areas.of(network)
        prepare_layers(network)
        if not deputies_answer():
            warm_up_map(bent=geometry.chains is not None)


_BLAS = "scipy.linalg.cython_blas"
_ASKS = "numba.np.arraymath"


def spare_blas() -> None:
    """Let Numba find no BLAS: it looks for one before it compiles, and all of ``scipy.linalg`` is imported for it.

    That takes a fifth of a second. No kernel here multiplies matrices; a process that compiles other people's kernels,
    as one that uses the library does, is left alone.
    """
    if _ASKS in sys.modules or _BLAS in sys.modules:
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]  # what is None cannot be imported
    try:
        import_module(_ASKS)
    finally:
        del sys.modules[_BLAS]


@dataclass(frozen=True, slots=True)
class CallJob:
    """Call a function with the job's ``Report``; of those of one lane only the newest counts.

    A ``quiet`` one is not reported as work.
    """

    call: Callable[[Report], Any]
    lane: str
    quiet: bool = False
    slot: None = field(default=None, init=False)

    def run(self, report: Report) -> Any:
        """Return what the function returns."""
        return self.call(report)
