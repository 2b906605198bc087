"""The calls for flows and betweenness: what every road carries when demand is sent along shortest paths."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, open_device
from wayfront.devices.cpu import CpuDevice
from wayfront.network.arcs import checked_arcs, closed_flags
from wayfront.network.arguments import node_indices, require_network
from wayfront.network.conventions import RADIUS_M, is_drawing
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.places.snapping import SnappedPlaces
from wayfront.results.access import Decay
from wayfront.results.flows import ALL, ONE, Flows
from wayfront.safe.errors import DeviceError, OptionError
from wayfront.safe.options import AUTO
from wayfront.safe.text import shortened
from wayfront.searching.flows.by_trees import NO_LIMIT, Asked, Found, OpenArcs, Targets, flows_by_trees
from wayfront.searching.flows.demand import Demand

_NO_PLACES = np.empty((0, 3))


def flows(
    network: RoadNetwork,
    *,
    metric: str | None = None,
    demand: Demand | SnappedPlaces | None = None,
    sources: Sequence[int] | NDArray[np.integer] | None = None,
    radius: float | None = None,
    decay: Decay | str | None = None,
    ties: str = ONE,
    figures: bool = False,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    device: str = AUTO,
    threads: int = 1,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Flows:
    """Send demand along shortest paths, and return what every arc and node carries.

    ``demand`` is one trip from every node to every other one by default; else a ``wayfront.Demand``: weights of nodes,
    or a table of trips; or places, whose weights are those of the nodes at them. Only what leaves ``sources`` (internal
    numbers) counts, all nodes where None. Nothing counts between nodes farther apart than ``radius``, in the metric's
    unit; ``decay`` (a ``Decay``, or its text such as "exponential:600") lowers demand by distance. With ``figures``
    reach, closeness and others of each source come from the same trees.

    ``ties``: "one" shortest path carries all trips of a pair, or "all" shortest paths the same share each (Brandes
    2001). Of arcs of weight 0 as few as possible are taken. ``metric``, ``device``, ``threads``, ``closures`` and
    ``cancel`` are as for ``wayfront.search``; ``progress`` receives what is being done and the fraction done.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``MemoryShortError`` and ``SearchCancelled``.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> found = wayfront.flows(network, ties="all", device="cpu")
        >>> found.through.shape, found.arc_flow.dtype, found.trips
        ((30,), dtype('float64'), 870.0)
    """
    measured = require_network(network).metric(metric)
    closed = checked_arcs(network, closures)
    if ties not in (ONE, ALL):
        raise OptionError(f"ties are {ONE!r} path a pair or {ALL!r} shortest paths, not {shortened(ties)}")
    if isinstance(demand, SnappedPlaces):
        demand = Demand.at_places(demand)
    if not isinstance(demand, Demand | None):
        raise OptionError(f"demand is a wayfront.Demand, or places on the network, not {shortened(demand)}")
    asked = _asked(network, measured, demand, sources, radius, decay, ties, figures)
    opened = open_device(CPU if device == AUTO else device, threads)
    if not isinstance(opened, CpuDevice):
        raise DeviceError(f"flows are found on the CPU, not on {opened.id}: leave the device out")

    def report(fraction: float) -> None:
        if progress is not None:
            progress("adding up flows", fraction)

    began = time.perf_counter()
    arcs = OpenArcs.of(network, measured, closed_flags(network, closed))
    prepared = time.perf_counter()
    report(0.0)
    with opened.reserve(cancel):
        found = flows_by_trees(arcs, asked, network.id_order()[1], opened, report, cancel)
    ended = time.perf_counter()
    whole = ties == ONE and demand is None and asked.decay is None
    flow = _on_arcs(arcs, found.sums.flow, asked.all_ties, whole)
    through, starts, ends = found.sums.through, found.sums.starts, found.sums.ends
    for array in (flow, through, starts, ends):
        array.flags.writeable = False
    arrived, lost, distance = found.sums.totals.tolist()
    return Flows(
        network=network,
        metric=measured,
        ties=ties,
        arc_flow=flow,
        through=through,
        starts=starts,
        ends=ends,
        trips=arrived,
        unreached=max(lost, 0.0),
        distance=found.distance if whole else distance,
        sources=asked.sources,
        radius=radius,
        decay=asked.decay,
        closures=closed,
        figures=_figures(found, asked, measured, network.node_count) if figures else {},
        seconds={"prepare": prepared - began, "trees": ended - prepared, "finish": time.perf_counter() - ended},
        device=opened.id,
    )


def betweenness(
    network: RoadNetwork, *, normalized: bool = True, endpoints: bool = False, ties: str = ALL, **asked: Any
) -> NDArray[np.float64]:
    """Return the betweenness of nodes, float64 [n]: the shares of pairs whose shortest paths pass each.

    As ``networkx.betweenness_centrality`` has it for the directed graph; see ``Flows.betweenness``. The other arguments
    and errors are those of ``wayfront.flows``, such as ``radius`` for local betweenness.

        >>> import wayfront
        >>> network = wayfront.from_pandas({"source": [1, 2], "target": [2, 3], "weight": [5, 5]})
        >>> wayfront.betweenness(network, device="cpu").tolist()
        [0.0, 0.5, 0.0]
    """
    return flows(network, ties=ties, **asked).betweenness(normalized=normalized, endpoints=endpoints)


def _asked(
    network: RoadNetwork,
    metric: Metric,
    demand: Demand | None,
    sources: Any,
    radius: float | None,
    decay: Any,
    ties: str,
    figures: bool,
) -> Asked:
    """Return what trees are asked for. Raises ``NetworkError`` and ``OptionError``."""
    n = network.node_count
    limit = NO_LIMIT
    if radius is not None:
        if isinstance(radius, bool) or not isinstance(radius, int | float | np.number) or not 0 < radius < math.inf:
            raise OptionError(f"the radius is a distance above 0 in the metric's unit, not {shortened(radius)}")
        limit = min(math.floor(metric.raw_limit(float(radius))), NO_LIMIT)
    falling = Decay.read(decay) if isinstance(decay, str) else decay
    if not isinstance(falling, Decay | None):
        raise OptionError(f"a decay is a wayfront.Decay or a text such as 'exponential:600', not {shortened(decay)}")
    chosen = np.arange(n, dtype=np.int32) if sources is None else np.unique(node_indices(sources, network))
    p, targets = _targets(demand, n, chosen)
    sending = np.flatnonzero(p[chosen] > 0) if not figures else np.arange(len(chosen))
    if demand is not None and demand.trips is not None:
        kept = np.repeat(np.isin(np.arange(len(chosen)), sending), np.diff(targets.offsets))
        counts = np.diff(targets.offsets)[sending]
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        targets = Targets(targets.weights, offsets, targets.nodes[kept], targets.trips[kept])
    chosen = chosen[sending]
    chosen.flags.writeable = False
    metres = _NO_PLACES
    if figures and metric.unit == "m" and network.coordinates is not None and not is_drawing(network):
        metres = _places_in_space(network.coordinates)
    return Asked(
        chosen, p[chosen].astype(np.float64), targets, limit, ties == ALL, falling, metric.scale, metres, figures
    )


def _targets(demand: Demand | None, n: int, sources: NDArray[np.int32]) -> tuple[NDArray[np.float64], Targets]:
    """Return p of all nodes, and where demand of the sources goes. Raises ``OptionError`` for another network's."""
    no_nodes, no_trips, alone = np.empty(0, np.int32), np.empty(0), np.zeros(1, np.int64)
    if demand is None:
        return np.ones(n), Targets(np.ones(n), alone, no_nodes, no_trips)
    if demand.leaving is not None and demand.arriving is not None:
        if len(demand.leaving) != n:
            raise OptionError(f"demand is of {len(demand.leaving):,} nodes, and the network has {n:,}")
        return demand.leaving, Targets(demand.arriving.copy(), alone, no_nodes, no_trips)
    assert demand.origins is not None and demand.destinations is not None and demand.trips is not None
    largest = max(int(demand.origins.max(initial=-1)), int(demand.destinations.max(initial=-1)))
    if largest >= n:
        raise OptionError(f"demand is of another network: it has node {largest}, and this one {n:,} nodes")
    first = np.searchsorted(demand.origins, sources, side="left")
    last = np.searchsorted(demand.origins, sources, side="right")
    counts = last - first
    offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    which = np.repeat(first - offsets[:-1], counts) + np.arange(int(offsets[-1]))
    p = np.zeros(n)
    p[demand.origins] = 1.0
    return p, Targets(np.empty(0), offsets, demand.destinations[which], demand.trips[which])


def _on_arcs(arcs: OpenArcs, flow: NDArray[np.float64], all_ties: bool, whole: bool) -> NDArray[Any]:
    """Return the flows of the network's arcs: parallel ones as light as each other share where all ties do."""
    if whole or not all_ties:
        on_arcs = np.zeros(len(arcs.slots), np.int64 if whole else np.float64)
        on_arcs[arcs.first] = flow
        return on_arcs
    times = np.bincount(arcs.slots[arcs.slots >= 0], minlength=len(flow))
    return np.where(arcs.slots >= 0, (flow / np.maximum(times, 1))[arcs.slots] if len(flow) else 0.0, 0.0)


def _figures(found: Found, asked: Asked, metric: Metric, n: int) -> dict[str, NDArray[np.float64]]:
    """Return the figures of sources in the metric's unit."""
    reach, farness, harmonic, straight = found.figures.T.copy()
    far = farness * metric.scale
    with np.errstate(invalid="ignore", divide="ignore"):
        closeness = np.where(reach > 0, reach / far * reach / max(n - 1, 1), 0.0)
        straightness = np.where(reach > 0, straight / metric.scale / reach, 0.0)
    figures = {"reach": reach, "farness": far, "closeness": closeness, "harmonic": harmonic / metric.scale}
    if len(asked.metres):
        figures["straightness"] = straightness
    for array in figures.values():
        array.flags.writeable = False
    return figures


def _places_in_space(coordinates: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the places of nodes on the sphere, metres from its middle, float64 [n, 3]: chords are straight lines."""
    lon, lat = np.radians(coordinates.T / 1e6)
    return RADIUS_M * np.stack((np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)), axis=1)
