"""The calls for flows and betweenness: what every road carries when demand is sent along shortest paths."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, open_device
from wayfront.devices.cpu import CpuDevice
from wayfront.devices.device import Device
from wayfront.dissection.engine import CLOSED
from wayfront.dissection.host.flows import LANE_LIMIT, DissectionFlows, dissection_flows, flows_on_card
from wayfront.dissection.shape import Dissection
from wayfront.dissection.store import dissection_of
from wayfront.network.arcs import checked_arcs, closed_flags
from wayfront.network.arguments import is_whole, node_indices, require_network
from wayfront.network.conventions import RADIUS_M, is_drawing
from wayfront.network.copies import begin_of, end_of, is_split, one_of_each, turn_arcs
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.places.snapping import SnappedPlaces
from wayfront.results.access import Decay
from wayfront.results.flows import ALL, ONE, Flows
from wayfront.safe.errors import DeviceError, NetworkError, OptionError, SearchCancelled
from wayfront.safe.options import AUTO
from wayfront.safe.text import shortened
from wayfront.searching.all_pairs.call import all_pairs
from wayfront.searching.customised import Wanted, customised_on
from wayfront.searching.distances import NARROW, WIDE
from wayfront.searching.flows.answer import Answer
from wayfront.searching.flows.by_trees import NO_LIMIT, Asked, Found, OpenArcs, Sums, Targets, flows_by_trees
from wayfront.searching.flows.checkpoint import Checkpoint, find_in_parts
from wayfront.searching.flows.demand import Demand
from wayfront.searching.flows.in_lanes import flows_in_lanes, suits
from wayfront.searching.flows.over_arc import flows_over_arc
from wayfront.searching.run import Progress

TREES, DISSECTION = "trees", "dissection"
"""Algorithms."""

MANY_SOURCES, MANY_PAIRS = 256, 4_000_000
"""From so many sources, and pairs, on, a dissection is made: trees alone would take some tenths of a second, at least.
Whether its cut is kept already plays no part, since the paths of pairs depend on the algorithm."""

ADDING = "adding up distances"

ROWS = 64
"""Trees whose distances are added up at once."""

NOT_ON_CARD = (
    "{device} finds flows between all nodes or within a radius, by weights of nodes that are whole numbers and add up "
    "to less than 33 million: leave the rest out, or the device"
)

WHOLE = 1 << 53
"""Whole numbers below this are exact in floating point."""

_ROUNDING = 1e-12
_NO_PLACES = np.empty((0, 3))
_NO_NODES = np.empty(0, np.int32)


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
    over: int | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    algorithm: str = AUTO,
    device: str = AUTO,
    threads: int = 1,
    scheduler: str | None = None,
    verify: bool = False,
    checkpoint: str | Path | None = None,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Flows:
    """Send demand along shortest paths, and return what every arc and node carries.

    ``demand`` is one trip from every node to every other one by default, split ones counted once; else a
    ``wayfront.Demand``: weights of nodes, or a table of trips; or places, whose weights are those of the nodes at them.
    Only what leaves ``sources`` (internal numbers) counts, all nodes where None. Nothing counts between nodes farther
    apart than ``radius``, in the metric's unit; ``decay`` (a ``Decay``, or its text such as "exponential:600") lowers
    demand by distance. With ``figures`` reach, closeness and others of each source come from the same trees. ``over``
    an arc (internal number): only trips that pass it count, so that ``starts`` and ``ends`` say who uses it, and
    ``arc_flow`` where they come from and go.

    ``ties``: "one" shortest path carries all trips of a pair, or "all" shortest paths the same share each (Brandes
    2001). Of arcs of weight 0 as few as possible are taken. ``algorithm``: by "trees" one after the other, or by
    "dissection", which cuts the network first and finds one path a pair between all nodes, or from many ``sources``, a
    thousand times as fast; "auto" cuts where there is enough to find. Which of equally long paths carries a pair's
    trips depends on the algorithm, and on nothing else. ``verify`` proves the flows (``Flows.verify``), after a
    dissection against the distances of all trees, which takes some times as long. ``metric``, ``device``, ``threads``,
    ``closures`` and ``cancel`` are as for ``wayfront.search``; ``progress`` receives what is being done and the
    fraction done. A card finds the same flows as the CPU by dissection, within a radius, too, where weights of nodes
    are whole numbers; what is too long for its 32 bits the CPU finds. ``scheduler`` spreads the sources over the
    workers of a Dask scheduler (extra ``cluster``): its address, or "local" for one process a card, or a group of
    ``threads`` cores, of this machine; what they find adds up.

    ``checkpoint`` is a file (usually ``*.wfflows``), or a folder for one, in which what finished sources send is noted
    every half minute and when the call ends early: the same call goes on from there. By dissection, and over one arc,
    nothing is noted, since that takes seconds, nor of what a ``scheduler`` spreads.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``MemoryShortError``, ``SearchCancelled``,
    ``FormatError`` for a damaged checkpoint or that of another call, ``WriteError``, and ``CertificateError`` should
    something be wrong.

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
    if algorithm not in (AUTO, TREES, DISSECTION):
        raise OptionError(f"flows are found by {TREES} or by {DISSECTION}, not by {shortened(algorithm)}")
    if over is not None and (not is_whole(over) or not 0 <= over < network.arc_count or over in closed):
        raise OptionError(f"trips pass over an open arc, by its internal number, not over {shortened(over)}")
    if over is not None and figures:
        raise OptionError("figures are of whole trees, not of what passes one arc: leave one of the two out")
    asked = asked_of(network, measured, demand, sources, radius, decay, ties, figures)
    chosen = CPU if device == AUTO else device
    opened = open_device(chosen if scheduler is None else CPU, threads)
    noted = None if checkpoint is None else Path(checkpoint)
    processor, card = processor_and_card(opened)
    given = Given(network, measured, asked, radius, closed, over, processor, card, noted, progress, cancel)
    if given.card is not None and not (given.on_card and algorithm != TREES):
        raise DeviceError(NOT_ON_CARD.format(device=opened.id))
    with opened.reserve(cancel):
        if scheduler is None:
            found = without_staying(given, found_by(given, algorithm))
        else:
            found = _spread(given, algorithm, scheduler, chosen, demand)  # of which workers take what stays
        if verify and found.distance is None:
            found = found._replace(distance=_sum_of_distances(given))
    result = flows_of(given, found)
    if verify:
        result.verify()
    return result


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


def processor_and_card(opened: Device) -> tuple[CpuDevice, Device | None]:
    """Return a device, and the card that it is: beside a card there is the CPU, for what the card leaves to it."""
    card = None if isinstance(opened, CpuDevice) else opened
    device = opened if card is None else open_device(CPU)
    assert isinstance(device, CpuDevice)
    return device, card


class Given(NamedTuple):
    """A call's arguments, checked."""

    network: RoadNetwork
    metric: Metric
    asked: Asked
    radius: float | None
    closed: NDArray[np.int64]
    over: int | None
    device: CpuDevice
    card: Device | None
    noted: Path | None
    progress: Callable[[str, float], None] | None
    cancel: threading.Event | None

    def report(self, fraction: float, what: str = "") -> None:
        """Tell how much is done."""
        if self.progress is not None and what:
            self.progress(what, fraction)
        elif self.progress is not None:
            self.progress("finding flows", fraction)

    def check(self) -> None:
        """Raise ``SearchCancelled`` where somebody cancelled."""
        if self.cancel is not None and self.cancel.is_set():
            raise SearchCancelled("finding flows was stopped")

    @property
    def plain(self) -> bool:
        """Whether flows are by weights of nodes, which a dissection finds, if only a card's within a radius."""
        asked = self.asked
        all_count = asked.decay is None and not asked.figures and self.over is None
        return all_count and len(asked.targets.weights) == self.network.node_count

    @property
    def cuttable(self) -> bool:
        """Whether flows by dissection are those that are asked for."""
        return self.plain and self.asked.limit == NO_LIMIT

    @property
    def on_card(self) -> bool:
        """Whether a card finds such flows: whole demand that is not too large."""
        if not self.plain:
            return False
        shares, wanted = _whole(self.asked.shares), _whole(self.asked.targets.weights)
        return shares.dtype == wanted.dtype == np.int64 and int(wanted.sum()) < LANE_LIMIT


def flows_of(given: Given, found: Answer) -> Flows:
    """Return what was found as it is handed out."""
    for array in (found.flow, found.through, found.starts, found.ends):
        array.flags.writeable = False
    return Flows(
        network=given.network,
        metric=given.metric,
        ties=ALL if given.asked.all_ties else ONE,
        arc_flow=found.flow,
        through=found.through,
        starts=found.starts,
        ends=found.ends,
        trips=found.trips,
        unreached=found.unreached,
        distance=found.distance,
        sources=given.asked.sources,
        radius=given.radius,
        decay=given.asked.decay,
        closures=given.closed,
        figures=found.figures,
        seconds=found.seconds,
        device=found.device,
    )


def found_by(given: Given, algorithm: str) -> Answer:
    """Find flows by the algorithm that is asked for, or the one that suits."""
    began = time.perf_counter()
    cut = cut_for(given, algorithm, on_card=given.card is not None)
    return _by_trees(given) if cut is None else _by_dissection(given, cut, time.perf_counter() - began)


def without_staying(given: Given, found: Answer) -> Answer:
    """Return flows without those from a split node to itself, which take the turn from its first copy to its last."""
    asked, network = given.asked, given.network
    if not len(asked.ends) or not len(asked.targets.weights):
        return found
    p = np.zeros(network.node_count)
    p[asked.sources] = asked.shares
    turns = np.flatnonzero(turn_arcs(network))
    tails, heads = network.tails()[turns], network.targets[turns]
    straight = (begin_of(network, tails) == tails) & (asked.ends[tails] == heads)
    if given.over is not None:
        straight &= turns == given.over
    turns, tails, heads = turns[straight], tails[straight], heads[straight]
    staying = p[tails] * asked.targets.weights[heads]
    flow, starts, ends = (
        _less(numbers, at, staying) for numbers, at in ((found.flow, turns), (found.starts, tails), (found.ends, heads))
    )
    return found._replace(flow=flow, starts=starts, ends=ends, trips=found.trips - float(staying.sum()))


def _less(numbers: NDArray[Any], at: NDArray[np.integer], taken: NDArray[np.float64]) -> NDArray[Any]:
    """Return numbers without what is taken from some of them, where nothing is left but rounding nothing."""
    found = numbers.copy()
    left = found[at] - taken
    found[at] = np.where(left > _ROUNDING * taken, left, 0.0)
    return found


def cut_for(given: Given, algorithm: str, *, on_card: bool) -> Dissection | None:
    """Return the cut by which flows are found, None where that is by trees."""
    sources, n = len(given.asked.sources), given.network.node_count
    if algorithm == DISSECTION and not (given.cuttable or (on_card and given.on_card)):
        raise OptionError(
            f"by {DISSECTION} flows are found between all nodes, by weights of nodes: leave table of trips, radius, "
            "decay, figures and over out, or the algorithm"
        )
    many = given.cuttable and sources >= MANY_SOURCES and sources * n >= MANY_PAIRS
    if algorithm == TREES or not (algorithm == DISSECTION or on_card or many):
        return None
    try:
        return dissection_of(given.network, progress=given.progress, cancel=given.cancel)
    except NetworkError:  # its separators are too large
        if algorithm == DISSECTION or on_card:
            raise
    return None


def _spread(given: Given, algorithm: str, scheduler: str, device: str, demand: Demand | None) -> Answer:
    """Find flows with the workers of a scheduler, all by the same algorithm: paths depend on it."""
    from wayfront.searching.flows.spreading import FlowTask, spread_flows

    network, asked = given.network, given.asked
    began = time.perf_counter()
    on_card = given.on_card and algorithm != TREES
    if device != CPU and not on_card:
        raise DeviceError(NOT_ON_CARD.format(device=device))
    cut = cut_for(given, algorithm, on_card=device != CPU)
    cut_s = time.perf_counter() - began
    task = FlowTask(
        flows,
        {
            "metric": given.metric.name,
            "demand": demand,
            "radius": given.radius,
            "decay": asked.decay,
            "ties": ALL if asked.all_ties else ONE,
            "figures": asked.figures,
            "over": given.over,
            "closures": given.closed,
            "algorithm": TREES if cut is None else DISSECTION,
        },
        network.content_key,
        device,
        given.device.threads,
        on_card=on_card and cut is not None,
        wants_cut=cut is not None,
    )
    found = spread_flows(task, network, cut, asked.sources, scheduler, given.report, given.cancel)
    return _by_trees(given) if found is None else found._replace(seconds={"cut": cut_s, **found.seconds})


def _by_trees(given: Given) -> Answer:
    """Find flows source by source."""
    network, metric, asked = given.network, given.metric, given.asked
    began = time.perf_counter()
    arcs = OpenArcs.of(network, metric, closed_flags(network, given.closed))
    prepared = time.perf_counter()
    given.report(0.0)
    rank, over = network.id_order()[1], given.over
    if over is None:
        way = flows_in_lanes if suits(arcs, asked) else flows_by_trees

        def find(part: Asked, report: Callable[[float], None]) -> Found:
            return way(arcs, part, rank, given.device, report, given.cancel)

        if given.noted is None:
            found = find(asked, given.report)
        else:
            found = find_in_parts(find, Checkpoint(given.noted, network.name, arcs, asked, rank), given.report)
    else:
        found = _over(given, arcs, rank)
    ended = time.perf_counter()
    whole = not asked.all_ties and asked.one_each
    flow = _on_arcs(arcs, found.sums.flow, asked.all_ties, whole)
    if over is not None and asked.all_ties:  # of equal arcs beside it none but itself
        flow[arcs.slots == arcs.slots[over]] = 0.0
        flow[over] = found.sums.flow[arcs.slots[over]] if arcs.slots[over] >= 0 else 0.0
    trips, unreached, distance = found.sums.totals.tolist()
    figures = _figures(found, asked, metric, int(one_of_each(network).sum())) if asked.figures else {}
    seconds = {"prepare": prepared - began, "trees": ended - prepared, "finish": time.perf_counter() - ended}
    return Answer(
        flow,
        found.sums.through,
        found.sums.starts,
        found.sums.ends,
        trips,
        max(unreached, 0.0),
        found.distance if whole else distance,
        figures,
        seconds,
    )


def _over(given: Given, arcs: OpenArcs, rank: NDArray[np.int32]) -> Found:
    """Find the flows of the trips over one arc: none where a parallel one is taken in its place."""
    asked, over = given.asked, given.over
    assert over is not None
    slot = int(arcs.slots[over])
    if slot < 0 or (not asked.all_ties and arcs.first[slot] != over):
        return Found(Sums.none(given.network.node_count, len(arcs.heads)), np.zeros((0, 4)), 0)
    found = flows_over_arc(arcs, asked, slot, rank, given.device, given.report, given.cancel)
    beside = int(np.count_nonzero(arcs.slots == slot)) if asked.all_ties else 1
    if beside > 1:
        for numbers in found.sums:
            np.divide(numbers, beside, out=numbers)
    return found


def _by_dissection(given: Given, cut: Dissection, cut_s: float) -> Answer:
    """Find flows back through the dissection."""
    network, asked, n = given.network, given.asked, given.network.node_count
    weights = open_weights(given)

    every: dict[str, Any] = {
        "sources": None if len(asked.sources) == n else asked.sources,
        **ends_of(asked),
        "all_ties": asked.all_ties,
        "progress": given.progress,
        "cancel": given.cancel,
    }
    limit, found = None if asked.limit == NO_LIMIT else asked.limit, None
    if given.card is not None:

        def find(engine: Any) -> DissectionFlows | None:
            return flows_on_card(cut, network, weights, engine, limit=limit, **every)

        found = customised_on(given.card, network, given.progress, given.cancel).lend(np.dtype(NARROW), find)
    if found is None and limit is not None:
        return _by_trees(given)
    if found is None:
        found = dissection_flows(cut, network, weights, given.device, **every)
    return answer_of(given, found, cut_s)


def open_weights(given: Given) -> NDArray[Any]:
    """Return the weights of arcs, −1 for closed ones."""
    weights = given.metric.weights.copy()
    weights[given.closed] = CLOSED
    return weights


def ends_of(asked: Asked) -> dict[str, NDArray[Any] | None]:
    """Return the demand that leaves sources, and that arrives at nodes; None for one trip a pair."""
    return {
        "origins": None if asked.one_each else _whole(asked.shares),
        "destinations": None if asked.one_each and not len(asked.ends) else _whole(asked.targets.weights),
    }


def answer_of(given: Given, found: DissectionFlows, cut_s: float) -> Answer:
    """Return what a dissection found."""
    network, asked, n = given.network, given.asked, given.network.node_count
    through = found.through.astype(np.float64)
    coming = np.bincount(network.targets, found.arc_flow, minlength=n)
    going = np.bincount(network.tails(), found.arc_flow, minlength=n)
    return Answer(
        found.arc_flow if asked.one_each else found.arc_flow.astype(np.float64),
        through,
        np.maximum(going - through, 0.0),
        np.maximum(coming - through, 0.0),
        float(found.trips),
        float(found.unreached),
        None,
        {},
        {"cut": cut_s, **found.seconds},
        given.card.id if given.card is not None and found.on_card else CPU,
    )


def _sum_of_distances(given: Given) -> int | float:
    """Return the sum of demand times distance, in raw weights, of trees that know nothing of flows."""
    asked, n = given.asked, given.network.node_count
    every = len(asked.sources) == n
    if asked.one_each and not len(asked.ends) and asked.limit == NO_LIMIT:
        return _sum_of_all_distances(given, None if every else asked.sources)
    customised = customised_on(given.device, given.network, given.progress, given.cancel)
    for dtype in (NARROW, WIDE):
        wanted = Wanted(given.metric.name, given.closed.tobytes(), dtype)
        if customised.customise(wanted):
            break
    none, rows = np.iinfo(dtype).max, np.empty(ROWS * n, dtype)
    sums: int | float = 0
    for first in range(0, len(asked.sources), ROWS):
        given.check()
        chosen = slice(first, min(first + ROWS, len(asked.sources)))
        customised.trees(wanted, asked.sources[chosen], rows, source_stride=n, node_stride=1)
        found = rows[: (chosen.stop - first) * n].reshape(-1, n)
        found[(found == none) | (found > asked.limit)] = 0
        if asked.one_each:
            sums += int(found[:, one_of_each(given.network)].sum(dtype=np.int64))
        else:
            sums += float(asked.shares[chosen] @ (found @ asked.targets.weights))
        given.report(chosen.stop / len(asked.sources), ADDING)
    return sums


def _sum_of_all_distances(given: Given, sources: NDArray[np.int32] | None) -> int:
    """Return the sum of distances from sources, or from all nodes, to all nodes, exactly."""

    def show(progress: Progress) -> None:
        if progress.sources_done is not None and progress.sources_wanted:
            given.report(progress.sources_done / progress.sources_wanted, ADDING)

    found = all_pairs(
        given.network,
        device=given.device.id,
        sources=sources,
        metric=given.metric.name,
        threads=given.device.threads,
        closures=given.closed,
        progress=show,
        cancel=given.cancel,
    )
    return found.figures.sum_distance


def _whole(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return weights as whole numbers where they are such: these are added up exactly."""
    whole = len(values) > 0 and bool((values == np.floor(values)).all()) and float(values.max()) < WHOLE
    return values.astype(np.int64) if whole else values


def asked_of(
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
        limit = math.floor(min(metric.raw_limit(float(radius)), NO_LIMIT))
    falling = Decay.read(decay) if isinstance(decay, str) else decay
    if not isinstance(falling, Decay | None):
        raise OptionError(f"a decay is a wayfront.Decay or a text such as 'exponential:600', not {shortened(decay)}")
    chosen = np.arange(n, dtype=np.int32) if sources is None else node_indices(sources, network)
    chosen = np.unique(begin_of(network, chosen))
    p, targets = _targets(demand, network, chosen)
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
        chosen,
        p[chosen].astype(np.float64),
        targets,
        limit,
        ties == ALL,
        falling,
        metric.scale,
        metres,
        figures,
        demand is None and falling is None,
        end_of(network, np.arange(n, dtype=np.int32)) if is_split(network) else _NO_NODES,
    )


def _targets(
    demand: Demand | None, network: RoadNetwork, sources: NDArray[np.int32]
) -> tuple[NDArray[np.float64], Targets]:
    """Return p of all nodes, and where demand of the sources goes. Raises ``OptionError`` for another network's."""
    n, no_nodes, no_trips, alone = network.node_count, _NO_NODES, np.empty(0), np.zeros(1, np.int64)
    if demand is None:
        return np.ones(n), Targets(one_of_each(network).astype(np.float64), alone, no_nodes, no_trips)
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
