"""The call for traffic assignment, and what reads its question from TNTP files."""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wayfront.devices import open_device
from wayfront.formats.streams import Opening, read_head
from wayfront.formats.tntp import recognise_tntp
from wayfront.formats.tntp.reader import nodes_beside, read_net, read_trips
from wayfront.network.arcs import checked_arcs
from wayfront.network.arguments import require_network, whole_number
from wayfront.network.road_network import RoadNetwork
from wayfront.results.assignment import CANCELLED, LIMIT, REACHED, STALLED, Assignment, Iteration
from wayfront.results.traffic import Bpr, CapacityError, Floats
from wayfront.safe.errors import FormatError, NetworkError, NotConvergedWarning, OptionError, SearchCancelled
from wayfront.safe.options import AUTO
from wayfront.safe.text import shortened
from wayfront.searching.assignment.equilibrium import Method, Targets, scalar_product
from wayfront.searching.assignment.loading import Loaded, Loader
from wayfront.searching.flows.demand import Demand

USUAL_GAP, USUAL_ITERATIONS = 1e-4, 1_000
_SMALLEST_STEP = 1e-14


def assign(
    network: RoadNetwork,
    demand: Demand,
    roads: Bpr,
    *,
    no_passage: ArrayLike | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    method: str = Method.BICONJUGATE,
    gap: float = USUAL_GAP,
    iterations: int = USUAL_ITERATIONS,
    device: str = AUTO,
    threads: int = 1,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Assignment:
    """Find flows at which nobody gets there sooner by another road (static user equilibrium).

    ``demand`` has the trips of pairs, ``roads`` what passing each arc costs at its flow, in the order of the
    network's arcs. ``no_passage``, bool [n], names zones: nodes that trips begin and end at, and that nobody drives
    through; nothing is sent over the arcs ``closures``. ``method`` is "frank-wolfe", "conjugate" or "biconjugate",
    which takes the fewest iterations; they end at a relative ``gap``, the share of all costs that shortest paths
    would save, or after so many ``iterations``. A gap of 1e-4 is usual for flows that are compared with each other,
    1e-6 takes some ten times as many iterations.

    Each iteration makes a tree of every origin on the device (``device`` and ``threads`` as for ``wayfront.search``);
    the network is cut first where it is not yet. Paths are found by whole weights, of which the largest is 2³¹ − 2, and
    gaps are computed in float64 by the costs themselves; ``Iteration.resolution`` says how much that leaves open.
    ``progress`` receives what is being done, and the fraction done by the logarithm of the gap, −1 where that is not
    known. Cancelled, it returns the flows so far, once there are any.

    Warns (``NotConvergedWarning``) where the gap was not reached. Raises ``NetworkError``, ``OptionError``,
    ``DeviceError``, ``MemoryShortError`` and ``SearchCancelled``.

    Frank and Wolfe, 1956; Mitradjieva and Lindberg, The stiff is moving, Transportation Science 47(2), 2013.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> demand = wayfront.Demand.between(network, [0, 3], [11, 8], [500, 300])
        >>> found = wayfront.assign(network, demand, wayfront.Bpr(60.0, 200.0), device="cpu")
        >>> found.converged, found.relative_gap <= 1e-4, found.method
        (True, True, 'biconjugate')
    """
    asked = _Asked.checked(network, demand, roads, no_passage, method, gap, iterations)
    closed = checked_arcs(network, closures)
    loader = Loader(network, demand, asked.no_passage, closed, open_device(device, threads), progress, cancel)
    roads, targets, ended = asked.roads, Targets(asked.method), ""
    known: list[Iteration] = []
    flow, begin = loader.load(roads.costs(np.zeros(network.arc_count))).flow, time.perf_counter()
    evaluated = flow, roads.costs(flow)
    while not ended:
        costs = roads.costs(flow)
        try:
            loaded = loader.load(costs)
        except SearchCancelled:
            if not known:
                raise
            ended = CANCELLED
            break
        evaluated, now = (flow, costs), _iteration(roads, flow, costs, loaded, loader.arrived, begin)
        target, step = loaded.flow, 0.0
        if now.relative_gap <= gap:
            ended = REACHED
        elif len(known) + 1 >= iterations:
            ended = LIMIT
        else:
            target = targets.towards(flow, loaded.flow, costs, roads.slopes)
            step = roads.minimum_step(flow, target - flow)
            targets.went(target, step)
            flow = np.maximum(flow + step * (target - flow), 0.0)
            if step <= _SMALLEST_STEP and target is loaded.flow:
                ended = STALLED
        known.append(replace(now, step=step))
        if progress is not None:
            progress(f"iteration {len(known):,}: relative gap {now.relative_gap:.2g}", asked.fraction(known))
    found = Assignment(
        network=network,
        roads=roads,
        flow=evaluated[0],
        cost=evaluated[1],
        origins=loader.origins,
        destinations=loader.destinations,
        trips=loader.trips,
        no_passage=asked.no_passage,
        closures=closed,
        arrived=loader.arrived,
        unreached=loader.unreached,
        staying=demand.staying,
        method=asked.method.value,
        iterations=tuple(known),
        gap=gap,
        ended=ended,
        device=loader.device.id,
    )
    for array in evaluated:
        array.flags.writeable = False
    if ended in (LIMIT, STALLED):
        warnings.warn(found.remark, NotConvergedWarning, stacklevel=2)
    return found


def _iteration(roads: Bpr, flow: Floats, costs: Floats, loaded: Loaded, trips: float, begin: float) -> Iteration:
    """Return what is known of flows: gaps are of the costs themselves, in float64."""
    total, excess = scalar_product(costs, flow), scalar_product(costs, flow - loaded.flow)
    return Iteration(
        relative_gap=excess / total if total > 0.0 else 0.0,
        average_excess_cost=excess / trips if trips > 0.0 else 0.0,
        total_cost=total,
        shortest_cost=scalar_product(costs, loaded.flow),
        objective=roads.integral(flow),
        step=0.0,
        resolution=loaded.resolution,
        seconds=time.perf_counter() - begin,
    )


@dataclass(frozen=True, slots=True)
class _Asked:
    """What was asked for, checked."""

    roads: Bpr
    no_passage: NDArray[np.bool_]
    method: Method
    gap: float

    @classmethod
    def checked(
        cls,
        network: RoadNetwork,
        demand: Demand,
        roads: Bpr,
        no_passage: ArrayLike | None,
        method: str,
        gap: float,
        iterations: int,
    ) -> _Asked:
        """Raise ``NetworkError`` and ``OptionError`` for what does not fit."""
        n, m = require_network(network).node_count, network.arc_count
        if not isinstance(roads, Bpr):
            raise OptionError(f"roads are wayfront.Bpr(free_flow, capacity, …), not {shortened(roads)}")
        if len(roads) not in (1, m):
            raise NetworkError(f"roads have costs of {len(roads):,} arcs, and {network.name} has {m:,}")
        if not isinstance(demand, Demand) or demand.trips is None:
            raise OptionError("assignment takes trips of pairs: wayfront.Demand.between or Demand.read gives them")
        assert demand.origins is not None and demand.destinations is not None
        if max(demand.origins.max(initial=-1), demand.destinations.max(initial=-1)) >= n:
            raise NetworkError(f"the demand is of another network than {network.name}")
        try:
            chosen = Method(method)
        except ValueError:
            raise OptionError(f"a method is one of {', '.join(Method)}, not {shortened(method)}") from None
        if isinstance(gap, bool) or not isinstance(gap, int | float | np.number) or not 0 <= gap < math.inf:
            raise OptionError(f"the gap is a number of at least 0, such as 1e-4, not {shortened(gap)}")
        whole_number(iterations, "iterations", 1)
        closed = np.zeros(n, np.bool_) if no_passage is None else np.array(no_passage)
        if closed.shape != (n,) or closed.dtype != np.bool_:
            raise NetworkError(f"no_passage says of each of {n:,} nodes, True or False, whether nobody drives through")
        closed.flags.writeable = False
        return cls(roads.spread(m), closed, chosen, float(gap))

    def fraction(self, known: Sequence[Iteration]) -> float:
        """Return how far the gap has come, by logarithm, −1 where that cannot be known."""
        first, now = known[0].relative_gap, known[-1].relative_gap
        if not 0.0 < self.gap < first:
            return -1.0
        return min(max(math.log(first / max(now, self.gap)) / math.log(first / self.gap), 0.0), 1.0)


# ------------------------------------------------------------------------------------------------------------- TNTP


@dataclass(frozen=True, slots=True, eq=False)
class TntpTown:
    """What TNTP files ask of traffic assignment: the arguments of ``assign``.

    ``no_passage`` bool [n] marks the zones that nobody drives through. ``length`` and ``toll`` float64 [m] are those of
    the file, ``kind`` int64 [m] what it calls the type of a road.
    """

    network: RoadNetwork
    demand: Demand
    roads: Bpr
    no_passage: NDArray[np.bool_]
    length: Floats
    toll: Floats
    kind: NDArray[np.int64]


def read_tntp(
    net: str | Path,
    trips: str | Path,
    *,
    nodes: str | Path | None = None,
    toll_factor: float = 0.0,
    distance_factor: float = 0.0,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> TntpTown:
    """Read a question of traffic assignment from TNTP files: a network, and a table of trips, here also in CSV or
    Parquet (``Demand.read``).

    ``nodes`` is the file with the places of nodes, ``…_node.tntp`` beside ``…_net.tntp`` by default, where it is. What
    passing a road costs is its time, and its toll and its length times these factors, of which a collection of such
    files says what its solutions were found with (Chicago Sketch: 0.02 and 0.04). Raises ``FormatError`` with file and
    line, ``OptionError``, ``MemoryShortError`` and ``OpenCancelled``.

        >>> import tempfile, wayfront
        >>> from pathlib import Path
        >>> head = "<NUMBER OF ZONES> 2\\n<NUMBER OF NODES> 2\\n<FIRST THRU NODE> 1\\n<NUMBER OF LINKS> 2\\n"
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     net, trips = Path(folder, "town_net.tntp"), Path(folder, "town_trips.tntp")
        ...     _ = net.write_text(head + "1 2 100 1 10 0.15 4 0 0 1 ;\\n1 2 300 1 15 0.15 4 0 0 1 ;\\n")
        ...     _ = trips.write_text("<TOTAL OD FLOW> 400\\n<END OF METADATA>\\nOrigin 1\\n2 : 400.0;\\n")
        ...     town = wayfront.read_tntp(net, trips)
        >>> town.network.name, town.demand, town.roads.capacity.tolist()
        ('town', <Demand: 400 trips of 1 pair>, [100.0, 300.0])
    """
    for noun, factor in (("toll_factor", toll_factor), ("distance_factor", distance_factor)):
        if isinstance(factor, bool) or not isinstance(factor, int | float | np.number) or not 0 <= factor < math.inf:
            raise OptionError(f"{noun} is a number of at least 0, not {shortened(factor)}")
    net, trips, opening = Path(net), Path(trips), Opening(progress, cancel)
    read = read_net(net, nodes_beside(net) if nodes is None else Path(nodes), opening, share=0.5)
    fixed = toll_factor * read.toll + distance_factor * read.length
    try:
        roads = Bpr(read.free_flow, read.capacity, read.b, read.power, fixed)
    except CapacityError as problem:
        raise FormatError(
            "the capacity is 0, so that any flow takes for ever: give the road one, or b = 0",
            net,
            int(read.lines[problem.arc]),
        ) from None
    network, ids = read.network, read.network.node_ids
    if recognise_tntp(read_head(trips)):
        demand = _demand(network, trips, net.name, opening)
    else:
        demand = Demand.read(trips, network, cancel=cancel)
    return TntpTown(network, demand, roads, ids < read.first_through, read.length, read.toll, read.kind)


def _demand(network: RoadNetwork, trips: Path, net: str, opening: Opening) -> Demand:
    """Return the demand of a table of trips in TNTP. Raises ``FormatError`` for zones that a network has not."""
    table, ids = read_trips(trips, opening, share=0.5), network.node_ids
    ends: list[NDArray[np.integer]] = []
    for noun, named in (("origin", table.origins), ("destination", table.destinations)):
        at = np.minimum(np.searchsorted(ids, named), len(ids) - 1)
        wrong = np.flatnonzero(ids[at] != named)
        if len(wrong):
            raise FormatError(
                f"{noun} {named[wrong[0]]} is no node of {net}: the files belong to different networks",
                trips,
                int(table.lines[wrong[0]]),
            )
        ends.append(at)
    return Demand.between(network, ends[0], ends[1], table.amounts)
