"""Provide what an algorithm works with: network on a device, work arrays, launches, observer of its steps.

An algorithm takes a ``Run``, requests work arrays, launches bodies through it, and after every step calls
``step_done`` and yields. Whether anything is recorded, and on which device it runs, it does not know.

What one kind of search does in its own way is its ``Procedure``; ``wayfront.searching.execution`` runs all kinds.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import Ability, Check, Device, DeviceArray, no_check
from wayfront.devices.workspace import Workspace
from wayfront.kernels.arguments import Arcs, InArcs, Recording
from wayfront.kernels.forest import Seeds
from wayfront.kernels.observing import fill
from wayfront.network.arcs import NOTHING_CLOSED
from wayfront.network.copies import counted_ranks, is_split
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.results.result import BaseResult, SearchKind
from wayfront.safe.errors import DeviceMemoryError, SearchCancelled
from wayfront.safe.options import AUTO, OptionValue
from wayfront.trace.observing import ArcCounts, Observer, RunTracer, Tracer
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES
from wayfront.trace.schema import StepNote, Trace

if TYPE_CHECKING:
    from wayfront.results.pairs import PairsSummary


ALWAYS_FREE_BYTES = 1 << 24
"""Bytes that are always there: asking how many are free would cost small searches more than they take."""

TREE_BYTES, TRACE_BYTES = 9, 12
"""Bytes for each node that making the tree takes, and a trace's own arrays on the device."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What a run works on: a network with one of its metrics, a device, the values of an algorithm's options.

    ``distance_dtype`` is int32 or int64; see ``wayfront.searching.distances`` for what is safe. ``check`` raises an
    exception once the search is to end.

    Where roads are closed, ``network`` and ``metric`` lack them, ``closures`` are their arcs and ``whole`` the network
    they belong to, int64 [k] of its internal numbers; None where ``network`` is whole. For a search against the arcs
    all of these are the reversed network's.
    """

    device: Device
    network: RoadNetwork
    metric: Metric
    options: Mapping[str, OptionValue]
    distance_dtype: np.dtype[Any]
    check: Check = no_check
    whole: RoadNetwork | None = None
    closures: NDArray[np.int64] = field(default_factory=lambda: NOTHING_CLOSED)


class BaseRun(Workspace, ABC):
    """What runs of every kind of search have: the network on its device, the options, and the observer of steps.

    ``infinity`` is the largest value of the distances' dtype and means "not reached". ``block`` is the number of
    threads of a block: the option of that name, if there is one and it has a value.
    """

    def __init__(self, setting: Setting) -> None:
        device, network, options = setting.device, setting.network, setting.options
        self.observer: Observer = Observer()
        block = options.get("block", AUTO)
        super().__init__(device, device.block if block == AUTO else int(block), setting.check)
        self.network = network
        self.metric: Metric = setting.metric
        self.whole: RoadNetwork = setting.whole or setting.network
        self.closures: NDArray[np.int64] = setting.closures
        self.options = options
        self.node_count: int = network.node_count
        self.distance_dtype: np.dtype[Any] = setting.distance_dtype
        self.infinity: int = int(np.iinfo(self.distance_dtype).max)
        self.on_device: NetworkArrays = network_on(device, network, self.metric)
        self.arcs: Arcs = self.on_device.arcs

    def array(self, name: str, size: int, dtype: DTypeLike) -> DeviceArray:
        """Return the work array of that name, uninitialised at first and then as the last run left it.

        Making it takes none of a traced run's time: clean runs find it made.
        """
        if self.has_array(name):
            return super().array(name, size, dtype)
        with self.observer.untimed():
            return super().array(name, size, dtype)

    def counters(self, size: int) -> DeviceArray:
        """Return ``size`` int32 counters set to 0; each call sets them again."""
        counters = self.array("counters", size, np.int32)
        self.launch(fill, size, counters, 0)
        return counters

    def in_arcs(self) -> InArcs:
        """Return the arcs that enter each node, copied to the device at the first call."""
        return in_arcs_on(self.device, self.network, self.metric)

    def recording(self, improved: DeviceArray) -> Recording:
        """Return where kernels note what a step improved: the observer's arrays and ``improved``, or dummies."""
        unused = self.array("unused", 1, np.int32)
        if not self.observer.recording:
            return Recording(0, unused, unused, unused)
        return Recording(1, self.observer.first_reached, self.observer.last_improved, improved)

    @abstractmethod
    def make_tracer(self, budget_bytes: int) -> RunTracer:
        """Return an observer that records every step, frontiers within a byte budget."""


class Run(BaseRun):
    """One algorithm on one network from one source, or from several ``seeds`` where it takes these itself.

    ``distances`` is the device array [n] that holds the result when the search ends; unreached nodes hold
    ``infinity``. ``parents`` is where a search that keeps parents itself leaves them; for all others the tree is made
    afterwards.
    """

    def __init__(self, setting: Setting, source: int, seeds: Seeds | None = None) -> None:
        super().__init__(setting)
        self.source = source
        self.seeds: Seeds | None = seeds
        self.parents: DeviceArray = None
        self.distances: DeviceArray = self.array("distances", self.node_count, self.distance_dtype)

    def make_tracer(self, budget_bytes: int) -> Tracer:
        """Return an observer that records every step, frontiers within a byte budget."""
        degrees, largest = self.network.out_degrees(), self.network.weight_range(self.metric)[1]
        return Tracer(self, degrees, self.source, self.distance_dtype, budget_bytes, self.arcs, largest)

    def expand_marked(self, mark: DeviceArray, *, later: bool = False) -> None:
        """Announce that the present step expands the nodes whose mark is not 0, before its launches or among them.

        With ``later`` the marks are looked at when the step ends; until then they stay as they are, or are made.
        """
        self.observer.expand_marked(mark, self.distances, later=later)

    def expand_list(self, nodes: DeviceArray, count: int, arc_counts: ArcCounts | None = None) -> None:
        """Announce that the present step expands the first ``count`` nodes of a list, in which none occurs twice.

        The list has to stay as it is until the step ends. ``arc_counts`` returns how many arcs it tries of each node,
        where these are not all arcs that leave it.
        """
        self.observer.expand_list(nodes, count, arc_counts)

    def expand_reached(self, *, later: bool = False) -> None:
        """Announce that the present step expands every node that has a distance, likewise."""
        self.observer.expand_reached(self.distances, later=later)

    def step_done(self, note: StepNote, improved: DeviceArray | None = None) -> None:
        """Announce that a step ended, and what it was.

        A search that noted first and last steps of nodes in the observer's arrays gives its count of improved nodes,
        which is then set to 0 for the next step; for others the observer compares all distances with those it saw last.
        """
        self.observer.step_done(self.distances, note, improved)


@dataclass(frozen=True, slots=True)
class NetworkArrays:
    """The arcs that leave each node, on one device, and the order of file ids.

    arcs      V, E and W of Harish and Narayanan
    id_order  int32 [n]: nodes by rising file id; ``id_rank`` int32 [n] is its inverse
    counted_rank  int32 [n]: as ``id_rank``, −1 for copies of split nodes that do not count
    """

    arcs: Arcs
    id_order: DeviceArray
    id_rank: DeviceArray
    counted_rank: DeviceArray


def network_on(device: Device, network: RoadNetwork, metric: Metric) -> NetworkArrays:
    """Return the network's arrays on a device, copied there at the first call."""
    order, rank = network.id_order()
    ranks, split = _put(device, network, "id rank", lambda: rank), is_split(network)
    return NetworkArrays(
        arcs=Arcs(
            offsets=_put(device, network, "offsets", lambda: network.offsets),
            targets=_put(device, network, "targets", lambda: network.targets),
            weights=_put(device, network, f"weights {metric.name}", lambda: metric.weights),
        ),
        id_order=_put(device, network, "id order", lambda: order),
        id_rank=ranks,
        counted_rank=_put(device, network, "counted rank", lambda: counted_ranks(network)) if split else ranks,
    )


def in_arcs_on(device: Device, network: RoadNetwork, metric: Metric) -> InArcs:
    """Return the arcs that enter each node, copied to the device at the first call."""
    offsets, order = network.in_arcs()
    return InArcs(
        offsets=_put(device, network, "in offsets", lambda: offsets),
        tails=_put(device, network, "in tails", lambda: network.tails()[order]),
        weights=_put(device, network, f"in weights {metric.name}", lambda: metric.weights[order]),
    )


def _put(device: Device, network: RoadNetwork, label: str, make: Callable[[], NDArray[Any]]) -> DeviceArray:
    return network.derive(f"{label}{in_memory_of(device)}", lambda: device.put(make()))


def in_memory_of(device: Device) -> str:
    """Return how the keys of all arrays end that lie in a device's memory."""
    return f" in {device.memory}"


def require_room(
    device: Device, network: RoadNetwork, metric: Metric, distance_dtype: np.dtype[Any], *, traced: bool
) -> None:
    """Raise ``DeviceMemoryError`` where a device has less memory free than every search takes at least.

    That is the network's arcs, as far as they are not there yet, distances and tree, and what a trace notes of each
    node. A search's own arrays come on top, and are refused where they do not fit.
    """
    n = network.node_count
    needed = n * (distance_dtype.itemsize + TREE_BYTES)
    if traced:
        needed += n * (distance_dtype.itemsize + TRACE_BYTES)
    if Ability.HOST_LOOPS not in device.abilities:  # there, arrays are read where they lie
        arrays = {
            "offsets": network.offsets.nbytes,
            "targets": network.targets.nbytes,
            f"weights {metric.name}": metric.weights.nbytes,
            "id order": 4 * n,
            "id rank": 4 * n,
        }
        ending = in_memory_of(device)
        needed += sum(size for label, size in arrays.items() if not network.has_derived(label + ending))
    if needed < ALWAYS_FREE_BYTES:
        return
    free = device.free_bytes()
    if needed > free:
        raise DeviceMemoryError(
            f"{network.name} takes at least {needed / 1e9:,.1f} GB on {device.id} ({device.name}), and "
            f"{free / 1e9:,.1f} GB are free there: choose another device or a smaller network, or close other programs"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchOptions:
    """How someone wants a search to be run: what ``wayfront.search`` and ``wayfront.all_pairs`` are given alike.

    ``trace_budget`` are the bytes within which steps are recorded, None where they are not. ``wayfront.search``
    explains the others.
    """

    algorithm: str = AUTO
    device: str = AUTO
    metric: str | None = None
    options: Mapping[str, Any] | None = None
    threads: int = 1
    runs: int | None = 0
    trace_budget: int | None = None
    verify: bool = False
    progress: Callable[[Progress], None] | None = None
    cancel: threading.Event | None = None
    closures: Sequence[int] | NDArray[np.integer] | None = None
    reverse: bool = False

    @property
    def traced(self) -> bool:
        """Whether steps are recorded."""
        return self.trace_budget is not None

    def report(self, progress: Progress) -> None:
        """Report how far the search is to whoever wants to know it."""
        if self.progress is not None:
            self.progress(progress)

    def report_preparing(self, doing: str, fraction: float) -> None:
        """Report what is prepared and how much of that is done, -1 where it is not known."""
        self.report(Progress("preparing", 0, doing=doing, fraction=fraction))

    def check(self, title: str) -> None:
        """Raise ``SearchCancelled`` once somebody stopped the search, which is called by its title."""
        if self.cancel is not None and self.cancel.is_set():
            raise SearchCancelled(f"{title} was stopped")


def bytes_recorded(trace: bool, trace_budget: int | None) -> int | None:
    """Return within how many bytes steps are recorded, None for not at all: a budget alone asks for a trace too."""
    return DEFAULT_BUDGET_BYTES if trace and trace_budget is None else trace_budget


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a search is.

    ``stage`` is "preparing", "forecast", "tracing", "searching" or "timing"; ``step`` counts from 0. ``snapshot``
    returns the trace so far and may be called only inside the callback that received it; None in clean runs. Where the
    number of steps is known beforehand, ``steps_ahead`` has it, and ``seconds_ahead`` forecasts the time of one clean
    run from that of its first steps; the stage "forecast" is reported once, before the search starts. In the stage
    "preparing", ``doing`` says what is done and ``fraction`` how much of it is, -1 where that is not known.

    A search for all pairs says in ``bytes_ahead`` what its arrays will take on the device, before they are made, in
    another report of the stage "forecast", and in ``at_once``, before the first of them are searched from, how many
    sources it takes side by side. It says how many of the sources wanted are finished, and ``summary`` returns what was
    found of them; it too may be called only inside the callback.
    """

    stage: str
    step: int
    snapshot: Callable[[], Trace] | None = None
    steps_ahead: int | None = None
    seconds_ahead: float | None = None
    summary: Callable[[], PairsSummary] | None = None
    sources_done: int | None = None
    sources_wanted: int | None = None
    bytes_ahead: int | None = None
    at_once: int | None = None
    doing: str = ""
    fraction: float = -1.0


RunType = TypeVar("RunType", bound=BaseRun)

ResultType_co = TypeVar("ResultType_co", bound=BaseResult, covariant=True)


@dataclass(frozen=True, slots=True)
class Found(Generic[ResultType_co]):
    """What a finished run leaves behind.

    ``make_result`` takes the fields of ``BaseResult`` by keyword. ``transfer_ms`` is the time of copying results back,
    ``tree_ms`` that of making them from what the search left (the parents, for a tree).
    """

    make_result: Callable[..., ResultType_co]
    transfer_ms: float
    tree_ms: float


class Runs(Protocol[RunType, ResultType_co]):
    """Makes the runs of one kind of search, and what comes of them."""

    def make_run(self, setting: Setting) -> RunType:
        """Return the run that an algorithm of this kind takes."""
        ...

    def finish(self, run: RunType) -> Found[ResultType_co] | None:
        """Return what a run found, or None if its distances overflowed and it must be repeated in a wider dtype."""
        ...


class Procedure(Runs[RunType, ResultType_co], Protocol[RunType, ResultType_co]):
    """What one kind of search does in its own way."""

    @property
    def kind(self) -> SearchKind:
        """The kind of the algorithms that it runs."""
        ...

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the name of the fastest algorithm of this kind on a device, with what is prepared for a network."""
        ...

    def for_compiling(self) -> Runs[RunType, ResultType_co]:
        """Return the same for a network of 64 nodes, with which everything is compiled."""
        ...
