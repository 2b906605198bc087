"""What every arc carries when everybody goes by a shortest path: flows given back through the dissection, exactly.

A shortest path has exactly one decomposition: the first node in each higher separator while it ascends from its source,
then the last node on each border while it descends to its destination (``flows_lanes``). What goes to every node is
given back along it to entries of L and R, added up over all sources, and at last brought to arcs (``flows_fronts``).

With *one* path a pair, everything is whole numbers: the path of a pair follows from the cut and the weights alone, and
does not depend on other sources, lanes or threads. The paths from a source need not form a tree. The flows times the
weights of their arcs add up to the distances of all pairs, exactly: nothing else proves as much for as little.

An arc of weight 0 could be on a way back to where a path has been. So where there is one, a weight w is taken for
w · n + 1, which orders paths by length, then by their number of arcs, and a shortest one meets no node twice.

Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology 25(2), 2001; variants in
Social Networks 30(2), 2008. Delling, Goldberg, Pajor and Werneck, "Customizable route planning", 2011.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.devices.device import Device
from wayfront.dissection.host.flows_classes import flow_by_classes
from wayfront.dissection.host.flows_closing import RememberedFlows
from wayfront.dissection.host.flows_fronts import Fronts, bytes_of_fronts
from wayfront.dissection.host.flows_lanes import (
    WIDTH,
    flow_along_lanes,
    uses_of,
    walk_of,
    ways_of,
)
from wayfront.dissection.host.flows_ties import TiedFronts, flow_along_ties, paths_of
from wayfront.dissection.host.flows_ties_classes import flow_ties_by_classes
from wayfront.dissection.passing import Counted, Entries, FindsFlows, Sent, Uses
from wayfront.dissection.shape import Dissection, FrontLayout
from wayfront.formats.streams import ProgressCallback
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.memory import require_memory
from wayfront.timing.harness import usable_cores

SHARED = 7
"""How many times as many sources as nodes take as long one by one as all of them by classes, each on one core."""

SOURCES_AT_ONCE = 4 * WIDTH
"""Sources that a core takes in one go, some tens of milliseconds: between two of them work can be cancelled."""

WHOLE_LIMIT = 1 << 53
"""Whole demand that adds up to less than this is added up exactly."""

LANE_LIMIT = (1 << 31) // WIDTH
"""Demand from one member of a source that is below this is added up over lanes in 32 bits."""

UNPACKING = 8
"""Threads of the host at most that bring a card's flows to arcs, which takes as long as finding them there."""

FIXED_BITS = 60
"""Bits that demand of parts is rounded to, all destinations together."""


@dataclass(frozen=True, slots=True, eq=False)
class DissectionFlows:
    """What arcs and nodes carry; of whole demand below 2⁵³ in all int64 and exact, else float64.

    arc_flow   [m]; 0 for closed arcs and those that lead back to their own tail
    through    [n]: what passes a node and neither starts nor ends there
    trips      the demand that arrives; ``unreached`` that for which there is no path. Nobody goes from a node to itself
    seconds    of each part: "close", "thin", "flow" and "unpack"; a card needs no thinning
    on_card    whether a card found them
    """

    arc_flow: NDArray[Any]
    through: NDArray[Any]
    trips: int | float
    unreached: int | float
    seconds: dict[str, float]
    on_card: bool = False


def dissection_flows(
    cut: Dissection,
    network: RoadNetwork,
    weights: NDArray[Any],
    device: Device,
    *,
    sources: NDArray[np.integer[Any]] | None = None,
    origins: NDArray[Any] | None = None,
    destinations: NDArray[Any] | None = None,
    all_ties: bool = False,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> DissectionFlows:
    """Return the flows of one shortest path a pair, from some nodes or all to all nodes, over the cores of a device.

    With ``all_ties`` all shortest paths of a pair share its demand evenly (``flows_ties``), and flows are float64.

    ``weights`` int32 [m], −1 (``CLOSED``) where an arc is closed; ``device`` is one of the host. From ``sources``
    (internal numbers [k], all nodes by default) to every other node t goes origins[i] · destinations[t]: ``origins``
    [k] and ``destinations`` [n], whole numbers or float64, none negative, 1 by default. A source that occurs twice
    counts twice. ``progress`` receives what is being done and the fraction done.

    Raises ``NetworkError`` where paths are too long for 64 bits or demand is infinite, ``MemoryShortError``, and
    ``SearchCancelled``.

        >>> import wayfront
        >>> from wayfront.devices import open_device
        >>> from wayfront.dissection.cut.cutting import dissect
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> weights = network.metrics[0].weights
        >>> found = dissection_flows(dissect(network), network, weights, open_device("cpu"))
        >>> figures = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu").figures
        >>> int((found.arc_flow * weights).sum()) == figures.sum_distance, found.trips, found.unreached
        (True, 132, 0)
    """
    demand = Demand.of(network, sources, origins, destinations)
    clock, given = _Clock(network.name, progress, cancel), np.asarray(weights)
    if all_ties:
        return _flows_of_all_ties(cut, network, given, device, demand, clock)
    layout = FrontLayout.of(cut, network)
    require_memory(bytes_of_fronts(cut, device.threads), f"the flows of {network.name}")
    fronts = _closed(layout, network, _positive(layout, network, given), narrow=demand.is_narrow)
    if fronts.dtype == np.int64:
        demand = demand.widened()
    clock.done("close")
    entries = fronts.thinned()
    clock.done("thin")
    if demand.suits_classes(network.node_count, device.threads):
        uses = _flow_by_classes(cut, fronts, entries, demand, clock)
    else:
        uses = _flow_source_by_source(cut, fronts, entries, demand, device, clock)
    clock.done("flow")
    arc_flow = np.zeros(network.arc_count, uses.l_use.dtype)
    fronts.unpack(entries, uses.l_use, uses.r_use, arc_flow)
    return _finished(cut, network, arc_flow, uses, demand, clock)


class FlowsUnderClosures:
    """The flows of one path a pair, and those after roads are closed: only what these change is found anew.

    found  the flows before, as ``dissection_flows`` finds them
    """

    def __init__(
        self,
        cut: Dissection,
        network: RoadNetwork,
        demand: Demand,
        fronts: Fronts,
        positive: NDArray[np.int64],
        clock: _Clock,
    ) -> None:
        self._cut, self._network, self._demand, self._layout = cut, network, demand, FrontLayout.of(cut, network)
        self._positive = positive
        self._remembered = RememberedFlows(
            fronts,
            self._layout,
            demand.destinations[cut.node_at],
            demand.given(cut),
            network_name=clock.name,
            report=clock.report,
        )
        clock.done("flow")
        self.found: DissectionFlows = self._unpacked(fronts, self._remembered.entries, self._remembered.uses, clock)

    @classmethod
    def of(
        cls,
        cut: Dissection,
        network: RoadNetwork,
        weights: NDArray[Any],
        *,
        sources: NDArray[np.integer[Any]] | None = None,
        origins: NDArray[Any] | None = None,
        destinations: NDArray[Any] | None = None,
        progress: ProgressCallback | None = None,
        cancel: Event | None = None,
    ) -> FlowsUnderClosures | None:
        """Find the flows before any road is closed; None where distances or flows outgrow 32 bits.

        Arguments and errors are those of ``dissection_flows``.
        """
        demand, clock = Demand.of(network, sources, origins, destinations), _Clock(network.name, progress, cancel)
        require_memory(bytes_of_fronts(cut, 1), f"the flows of {network.name}")
        layout = FrontLayout.of(cut, network)
        positive, fronts = _positive(layout, network, np.asarray(weights)), Fronts(layout, np.dtype(np.int32))
        if not (demand.is_narrow and fronts.close(positive)):
            return None
        clock.done("close")
        return cls(cut, network, demand, fronts, positive, clock)

    def after(
        self,
        weights: NDArray[Any],
        *,
        progress: ProgressCallback | None = None,
        cancel: Event | None = None,
    ) -> DissectionFlows | None:
        """Return the flows for weights int32 [m] that are closed (−1) at more arcs, and the same at others.

        They equal those of ``dissection_flows``. None where that does not work: distances outgrow 32 bits, other arcs
        are different, the last arc of weight 0 is closed, so that other paths of the same length are taken, or roads
        are closed nearly everywhere. Raises ``MemoryShortError`` and ``SearchCancelled``.
        """
        clock, layout, before = _Clock(self._network.name, progress, cancel), self._layout, self._positive
        require_memory(bytes_of_fronts(self._cut, 1), f"the flows of {self._network.name}")
        positive, fronts = _positive(layout, self._network, np.asarray(weights)), Fronts(layout, np.dtype(np.int32))
        differs = layout.arcs[positive[layout.arcs] != before[layout.arcs]]
        if not len(differs):
            return self.found
        if (positive[differs] >= 0).any() or not fronts.close(positive):
            return None
        clock.done("close")
        changed = self._remembered.closed(fronts, layout.cell_of_arc[differs], clock.report)
        clock.done("flow")
        return None if changed is None else self._unpacked(fronts, *changed, clock)

    def _unpacked(self, fronts: Fronts, entries: Entries, uses: Uses, clock: _Clock) -> DissectionFlows:
        arc_flow = np.zeros(self._network.arc_count, np.int64)
        fronts.unpack(entries, uses.l_use, uses.r_use, arc_flow)
        return _finished(self._cut, self._network, arc_flow, uses, self._demand, clock)


def flows_on_card(
    cut: Dissection,
    network: RoadNetwork,
    weights: NDArray[Any],
    engine: FindsFlows,
    *,
    sources: NDArray[np.integer[Any]] | None = None,
    origins: NDArray[Any] | None = None,
    destinations: NDArray[Any] | None = None,
    all_ties: bool = False,
    limit: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> DissectionFlows | None:
    """Return what ``dissection_flows`` does by a card's engine, None where distances or demand do not fit its 32 bits.

    The engine is of the same cut, and is customised for other weights than it was. Nothing goes farther than a raw
    distance of ``limit``. Raises ``DeviceMemoryError`` too.

    Unpacking needs the fronts, and ties their numbers of paths: threads of the host make them, while the card works if
    it can.
    """
    demand = Demand.of(network, sources, origins, destinations)
    clock, given = _Clock(network.name, progress, cancel), np.asarray(weights)
    layout, n, threads = engine.fronts, network.node_count, min(UNPACKING, usable_cores())
    positive = _positive(layout, network, given)
    fits = demand.is_narrow and int(positive.max(initial=0)) <= np.iinfo(np.int32).max
    if not fits or not engine.customise(positive.astype(np.int32)):
        return None
    require_memory((4 if all_ties else 1) * bytes_of_fronts(cut, threads), f"the flows of {network.name}")
    if limit is not None and (positive != given).any():  # arcs count in distances, too
        limit = limit * n + n - 1
    fronts, order = Fronts(layout, np.dtype(np.int32)), np.argsort(cut.position[demand.nodes], kind="stable")
    sent = Sent(demand.nodes[order], demand.members[order], demand.destinations[cut.node_at])
    tied, arc_flow = None, np.zeros(network.arc_count, np.float64 if all_ties else np.int64)
    with ThreadPoolExecutor(1) as beside:
        closing = beside.submit(fronts.close, positive)
        if all_ties:
            if not closing.result():
                return None
            tied = TiedFronts(fronts, threads)
        clock.done("close")
        counted = None if tied is None else Counted(fronts.shape.front_at, tied.counts)
        passed = engine.passed(sent, fronts.strides, clock.check, clock.report, limit=limit, paths=counted)
        if not closing.result() or passed is None:
            return None
    entries, uses = passed
    clock.done("flow")
    if tied is None:
        fronts.unpack(entries, uses.l_use, uses.r_use, arc_flow, threads=threads)
    else:
        _unpack_ties(network, tied, entries, uses, arc_flow)
        demand, uses = replace(demand, whole=False), uses._replace(arrived=uses.arrived.astype(np.float64))
    return replace(_finished(cut, network, arc_flow, uses, demand, clock), on_card=True)


def _unpack_ties(network: RoadNetwork, tied: TiedFronts, entries: Entries, uses: Uses, arc_flow: NDArray[Any]) -> None:
    """Bring what passes each path to arcs. Raises ``NetworkError`` where there are more paths than can be counted."""
    if not np.isfinite(uses.l_use.sum() + uses.r_use.sum()):
        raise NetworkError(
            f"{network.name} has pairs of nodes with more shortest paths than float64 counts: ask for one path a pair"
        )
    tied.unpack(entries, uses.l_use, uses.r_use, arc_flow)


def _finished(
    cut: Dissection, network: RoadNetwork, arc_flow: NDArray[Any], uses: Uses, demand: Demand, clock: _Clock
) -> DissectionFlows:
    """Return what arcs carry and nodes."""
    arrived = np.empty_like(uses.arrived)
    arrived[cut.node_at] = uses.arrived
    sums = _with_nodes(network, arc_flow, arrived, demand)
    clock.done("unpack")
    return DissectionFlows(*sums, clock.seconds)


def _flows_of_all_ties(
    cut: Dissection, network: RoadNetwork, weights: NDArray[Any], device: Device, demand: Demand, clock: _Clock
) -> DissectionFlows:
    """Return flows that all shortest paths of a pair share."""
    layout = FrontLayout.of(cut, network)
    require_memory(4 * bytes_of_fronts(cut, device.threads), f"the flows of {network.name}")
    fronts = _closed(layout, network, _positive(layout, network, weights), narrow=True)
    tied = TiedFronts(fronts)
    clock.done("close")
    entries = fronts.thinned()
    clock.done("thin")
    demand = demand.widened()
    wanted, counted = demand.destinations[cut.node_at].astype(np.float64), tied.counts_of(entries)

    def make() -> Callable[[NDArray[np.int32], NDArray[Any], Uses], None]:
        walk = walk_of(cut, entries, wanted)
        ways = ways_of(walk, fronts.dtype)
        paths = paths_of(counted, ways)
        return lambda sources, members, uses: flow_along_ties(
            fronts.infinity, sources, members, walk, ways, paths, uses
        )

    if demand.suits_classes(network.node_count, device.threads):
        uses = flow_ties_by_classes(
            *(fronts, entries, counted, wanted, demand.given(cut)), network_name=clock.name, report=clock.report
        )
    else:
        uses = _shared_out(cut, entries, demand, device, clock, make)
    clock.done("flow")
    arc_flow = np.zeros(network.arc_count)
    _unpack_ties(network, tied, entries, uses, arc_flow)
    return _finished(cut, network, arc_flow, uses, replace(demand, whole=False), clock)


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """What goes from k nodes to all n: ``members[i] · destinations[t] · unit`` from node i to t.

    nodes         int32 [k]
    members       int32 [k] where flows fit 32 bits, else float64
    destinations  int32 or int64 [n]
    unit          a power of 2; 1 for whole demand
    whole         whether sums are whole numbers that float64 holds
    """

    nodes: NDArray[np.int32]
    members: NDArray[Any]
    destinations: NDArray[Any]
    unit: float
    whole: bool

    @classmethod
    def of(
        cls,
        network: RoadNetwork,
        sources: NDArray[np.integer[Any]] | None,
        origins: NDArray[Any] | None,
        destinations: NDArray[Any] | None,
    ) -> Demand:
        """Return demand in the fewest bits. Raises ``NetworkError`` where it is too large."""
        n = network.node_count
        nodes = np.arange(n, dtype=np.int32) if sources is None else np.asarray(sources, np.int32)
        members = np.ones(len(nodes), np.int64) if origins is None else np.asarray(origins)
        wanted = np.ones(n, np.int64) if destinations is None else np.asarray(destinations)
        most, many = float(wanted.sum(dtype=np.float64)), float(members.sum(dtype=np.float64))
        if not np.isfinite(most * many):
            raise NetworkError(f"the demand on {network.name} is infinite, or no number: look at its weights")
        whole = members.dtype.kind in "iu" and wanted.dtype.kind in "iu" and most * many < WHOLE_LIMIT
        if whole and most < LANE_LIMIT and many <= np.iinfo(np.int32).max:
            return cls(nodes, members.astype(np.int32), wanted.astype(np.int32), 1.0, whole)
        unit = 1.0 if whole or not most else 2.0 ** (int(np.frexp(most)[1]) - FIXED_BITS)
        return cls(nodes, members.astype(np.float64), np.rint(wanted / unit).astype(np.int64), unit, whole)

    @property
    def is_narrow(self) -> bool:
        """Whether flows fit 32 bits."""
        return self.destinations.dtype == np.int32

    def widened(self) -> Demand:
        """Return the same in 64 bits."""
        wide = self.members.astype(np.float64), self.destinations.astype(np.int64)
        return Demand(self.nodes, *wide, self.unit, self.whole)

    def suits_classes(self, node_count: int, threads: int) -> bool:
        """Return whether so many sources are found sooner by classes on one core than one by one on all."""
        return SHARED * len(np.unique(self.nodes)) >= node_count * threads

    def given(self, cut: Dissection) -> NDArray[Any]:
        """Return the members of each position [n]."""
        given = np.zeros(cut.node_count, self.members.dtype)
        np.add.at(given, cut.position[self.nodes], self.members)
        return given

    @property
    def one_each(self) -> bool:
        """Whether every source has one member."""
        return bool((self.members == 1).all())

    @property
    def sums(self) -> np.dtype[Any]:
        """The dtype of what is added up."""
        return np.dtype(np.int64 if self.is_narrow else np.float64)


class _Clock:
    """Notes how long parts take, tells how far work is, and ends it when it is cancelled."""

    def __init__(self, name: str, progress: ProgressCallback | None, cancel: Event | None) -> None:
        self.name = name
        self._progress, self._cancel, self._last = progress, cancel, time.perf_counter()
        self.seconds: dict[str, float] = {}

    def done(self, part: str) -> None:
        """Note that a part is done."""
        now = time.perf_counter()
        self.seconds[part] = now - self._last
        self._last = now
        self.check()

    def check(self) -> None:
        """Raise ``SearchCancelled`` where somebody cancelled."""
        if self._cancel is not None and self._cancel.is_set():
            raise SearchCancelled("cancelled while flows were found")

    def report(self, fraction: float) -> None:
        """Tell how much of the flows is found. Raises ``SearchCancelled``."""
        self.check()
        if self._progress is not None:
            self._progress("finding flows", fraction)


def _positive(layout: FrontLayout, network: RoadNetwork, weights: NDArray[Any]) -> NDArray[np.int64]:
    """Return weights in 64 bits, w · n + 1 for each w where there is one of 0, and −1 where an arc is closed."""
    wide = weights.astype(np.int64)
    if (wide[layout.arcs] == 0).any():
        wide = np.where(wide < 0, -1, wide * network.node_count + 1)
    return wide


def _closed(layout: FrontLayout, network: RoadNetwork, weights: NDArray[np.int64], *, narrow: bool) -> Fronts:
    """Return closed fronts, in 32 bits where paths and flows fit them. Raises ``NetworkError`` where 64 do not do."""
    for dtype in (np.int32, np.int64) if narrow else (np.int64,):
        fronts = Fronts(layout, np.dtype(dtype))
        if fronts.close(weights):
            return fronts
    raise NetworkError(f"paths of {network.name} with arcs of weight 0 do not fit 64 bits: give these arcs a weight")


def _flow_source_by_source(
    cut: Dissection, fronts: Fronts, entries: Entries, demand: Demand, device: Device, clock: _Clock
) -> Uses:
    """Return what passes each entry."""
    walk, unit = walk_of(cut, entries, demand.destinations[cut.node_at]), demand.one_each

    def make() -> Callable[[NDArray[np.int32], NDArray[Any], Uses], None]:
        ways = ways_of(walk, fronts.dtype)
        return lambda sources, members, uses: flow_along_lanes(
            fronts.infinity, unit, sources, members, walk, ways, uses
        )

    return _shared_out(cut, entries, demand, device, clock, make)


def _shared_out(
    cut: Dissection,
    entries: Entries,
    demand: Demand,
    device: Device,
    clock: _Clock,
    make: Callable[[], Callable[[NDArray[np.int32], NDArray[Any], Uses], None]],
) -> Uses:
    """Return what passes each entry; every core makes what adds up sources, and adds up for itself."""
    order = np.argsort(cut.position[demand.nodes], kind="stable")  # near ones ascend together
    count = len(order)
    padded = -(-count // WIDTH) * WIDTH
    positions = np.full(padded, -1, np.int32)
    positions[:count] = cut.position[demand.nodes][order]
    members = np.zeros(padded, demand.members.dtype)
    members[:count] = demand.members[order]
    cores: list[tuple[Callable[[NDArray[np.int32], NDArray[Any], Uses], None], Uses] | None] = [None] * device.threads

    def work(task: int, core: int) -> None:
        clock.check()
        find, mine = cores[core] = cores[core] or (make(), uses_of(entries, cut.node_count, demand.sums))
        some = slice(task * SOURCES_AT_ONCE, (task + 1) * SOURCES_AT_ONCE)
        find(positions[some], members[some], mine)

    tasks, at_once = range(-(-padded // SOURCES_AT_ONCE)), 4 * device.threads
    for begin in range(0, len(tasks), at_once):
        device.divide(work, tasks[begin : begin + at_once])
        clock.report(min(begin + at_once, len(tasks)) / len(tasks))
    total = uses_of(entries, cut.node_count, demand.sums)
    for core in cores:
        if core is not None:
            for sums, own in zip(total, core[1], strict=True):
                np.add(sums, own, out=sums)
    return total


def _flow_by_classes(cut: Dissection, fronts: Fronts, entries: Entries, demand: Demand, clock: _Clock) -> Uses:
    """Return what passes each entry; sources that see a cell in the same way share it."""
    wanted = demand.destinations[cut.node_at]
    return flow_by_classes(fronts, entries, wanted, demand.given(cut), network_name=clock.name, report=clock.report)


def _with_nodes(
    network: RoadNetwork, arc_flow: NDArray[Any], reaching: NDArray[Any], demand: Demand
) -> tuple[NDArray[Any], NDArray[Any], Any, Any]:
    """Return flows of arcs and through nodes, the demand that arrives, and the demand that cannot, in full units.

    ``reaching`` [n] are the members that reach each node, its own among them.
    """
    own = np.zeros_like(reaching)
    np.add.at(own, demand.nodes, demand.members)
    arriving = (reaching - own) * demand.destinations
    through = -arriving
    _add_at_heads(network.targets, arc_flow, through)
    trips = arriving.sum()
    unreached = (demand.members.sum(dtype=own.dtype) - own) @ demand.destinations.astype(own.dtype) - trips
    if demand.whole:
        return arc_flow.astype(np.int64), through.astype(np.int64), int(trips), int(unreached)
    unit = demand.unit
    return arc_flow * unit, np.maximum(through, 0) * unit, float(trips) * unit, max(float(unreached) * unit, 0.0)


@loop
def _add_at_heads(targets: Any, arc_flow: Any, inward: Any) -> None:
    """Add the flow of each arc to what comes to its head."""
    for arc in range(len(targets)):
        inward[targets[arc]] += arc_flow[arc]
