"""One search from several sources: how far each node is from the nearest of them, which one that is, and the way.

*In one search.* A source more costs next to nothing, since all of them begin with distances of their own and each node
is settled once. A dissection takes several seeds itself. Every other algorithm searches the network with one node more,
from which an arc leads to each seed, as heavy as the seed is far from its source: then distances from this node are
distances from the nearest source, by whatever algorithm on whatever device. What its trace says of that node is left
out.

*Forest.* Final distances say which source is nearest to a node (``kernels.forest``), of equally near ones the first.
Parents come from the pass that all trees have. So that the way to a node stays with the node's own source, its
distance is raised there by its source's index times more than any distance: then arcs between nodes of two sources are
not tight.

*The k nearest* of each node come from one search too, in which a node is settled k times, by different sources.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, open_device
from wayfront.devices.device import Ability, Device
from wayfront.dissection.points import checked_ends, open_nodes
from wayfront.kernels.forest import Entries, Ranks, Seeds, name_nearest, settle_nearest
from wayfront.kernels.parents import ParentPass
from wayfront.network.arcs import checked_arcs, closed_flags, facing, without_arcs
from wayfront.network.arguments import node_indices, whole_number
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT, NO_PATH
from wayfront.network.small_graphs import tiny_network
from wayfront.places.places import Places
from wayfront.places.snapping import SnappedPlaces
from wayfront.results.nearest import Nearest, Ranked
from wayfront.results.result import SearchKind
from wayfront.safe.errors import CertificateError, NetworkError, OptionError
from wayfront.safe.memory import require_memory
from wayfront.safe.options import AUTO
from wayfront.searching.certificate import certify, tree_problem
from wayfront.searching.customised import is_prepared
from wayfront.searching.distances import WIDE, in_fewest_bits, overflows
from wayfront.searching.execution import execute
from wayfront.searching.registry import algorithms, require_kind
from wayfront.searching.run import Found, Run, SearchOptions, Setting
from wayfront.trace.schema import NOT_SETTLED, Trace

SETTLED_AT_ONCE = 1 << 18
"""Nodes that are settled before it is looked whether to stop."""


def search_forest(network: RoadNetwork, sources: Any, asked: SearchOptions) -> Nearest:
    """Find the nearest of several sources for every node; errors as those of ``wayfront.search``."""
    place = _Place.of(network, sources, asked)
    device = open_device(asked.device, asked.threads)
    known = None if asked.options else network
    name = place.forest.fastest(device, known, traced=asked.traced) if asked.algorithm == AUTO else asked.algorithm
    chosen = require_kind(name, SearchKind.ONE_TREE)
    asked = replace(asked, algorithm=name)
    if chosen.seeded:
        if asked.traced:
            others = ", ".join(other.name for other in algorithms(SearchKind.ONE_TREE) if not other.seeded)
            raise OptionError(f"{name} records no steps from several sources; these do: {others}")
        return execute(place.forest, network, asked)
    joined = _joined(place.searched, place.searched.metric(asked.metric), place.forest.seeds)
    asked = replace(asked, closures=None, reverse=False)
    return execute(replace(place.forest, joined=True), joined, asked)


@dataclass(frozen=True, slots=True)
class _Place:
    """What several sources are searched on, checked: the network that is followed, and the procedure."""

    searched: RoadNetwork
    forest: Forest

    @classmethod
    def of(cls, network: RoadNetwork, sources: Any, asked: SearchOptions) -> _Place:
        metric, closed = network.metric(asked.metric), checked_arcs(network, asked.closures)
        origins = points_on(network, sources, metric, reverse=asked.reverse)
        searched = without_arcs(*facing(network, closed, reverse=asked.reverse))
        base = {"network": network, "metric": metric, "closures": closed, "reverse": asked.reverse}
        return cls(searched, Forest(origins, seeds_at(network, origins, closed, reverse=asked.reverse), searched, base))


def points_on(network: RoadNetwork, sources: Any, metric: Metric, *, reverse: bool) -> Ends:
    """Return sources as points on the network: places, which are put on its roads, and nodes, internal numbers.

    Raises ``NetworkError`` for those of another network, and for no nodes.
    """
    if isinstance(sources, Places):
        sources = sources.on(network)
    if not isinstance(sources, SnappedPlaces | Ends):
        sources = node_indices(sources, network)
    return ends_on(network, sources, metric, "sources", leaving=not reverse)


def ends_on(network: RoadNetwork, points: Any, metric: Metric, noun: str, *, leaving: bool) -> Ends:
    """Return the ends by which points are left, or else reached: such as ``SnappedPlaces``, ``Ends``, or nodes.

    Raises ``NetworkError`` for those of another network, and for what is none of these.
    """
    if not hasattr(points, "destinations"):
        return checked_ends(network, points, noun, leaving=leaving)
    if points.network is not network:
        raise NetworkError(
            f"these places lie on another network than {network.name}: places.on(network) puts them on this one"
        )
    found: Ends = points.origins(metric) if leaving else points.destinations(metric)
    return checked_ends(network, found, noun, leaving=leaving)


def seeds_at(network: RoadNetwork, origins: Ends, closed: NDArray[np.int64], *, reverse: bool) -> Seeds:
    """Return the nodes at which ways from sources begin, with ``reverse`` end, but those that only closed roads join.

    Raises ``NetworkError`` for costs that no road has, and where no source is left.
    """
    nodes = open_nodes(network, origins, closed_flags(network, closed), leaving=not reverse)
    source, end = np.nonzero(nodes != NONE)
    if not len(source):
        raise NetworkError("no source is on the network: give at least one node, or one point near an open road")
    costs = origins.costs[source, end].astype(np.int64)
    if costs.max() > LARGEST_WEIGHT:
        raise NetworkError(f"a source is {costs.max():,} from a node; it may be {LARGEST_WEIGHT:,}, in raw weights")
    return Seeds(nodes[source, end], costs, source.astype(np.int32))


def _joined(network: RoadNetwork, metric: Metric, seeds: Seeds) -> RoadNetwork:
    """Return a network with a node more, the last one, from which an arc leads to every seed: one metric, no map."""
    n, (order, rank) = network.node_count, network.id_order()
    offsets = np.append(network.offsets, network.arc_count + len(seeds.nodes)).astype(network.offsets.dtype)
    targets = np.concatenate((network.targets, seeds.nodes))
    weights = np.concatenate((metric.weights, seeds.costs.astype(np.int32)))
    for array in (offsets, targets, weights):
        array.flags.writeable = False
    return replace(
        network,
        offsets=offsets,
        targets=targets,
        metrics=(replace(metric, weights=weights),),
        node_ids=np.append(network.node_ids, np.int64(-1)),  # never seen, nor looked for
        coordinates=None,
        road_class=None,
        road_names=None,
        node_names=None,
        shapes=None,
        surroundings=None,
        content_key=f"{network.content_key}-joined",
        _derived={"id_order": (np.append(order, np.int32(n)), np.append(rank, np.int32(n)))},
    )


@dataclass(frozen=True, slots=True)
class Forest:
    """The procedure for the forest of several sources.

    searched  the network that is followed, reversed or without closed roads where that is asked for
    base      the fields of ``BaseResult`` that say what was asked for
    joined    whether one node more is searched from, by an algorithm that begins at one node
    """

    origins: Ends
    seeds: Seeds
    searched: RoadNetwork
    base: dict[str, Any]
    joined: bool = False
    kind = SearchKind.ONE_TREE

    def fastest(self, device: Device, network: RoadNetwork | None, *, traced: bool = False) -> str:
        """Return the name of the fastest search on a device: the dissection of a processor where the cut is kept."""
        prepared = not traced and Ability.HOST_LOOPS in device.abilities and is_prepared(device, network)
        return "dissection" if prepared else device.fastest

    def make_run(self, setting: Setting) -> Run:
        """Return a run from the node that leads to all seeds, or from the seeds."""
        if self.joined:
            return Run(setting, setting.network.node_count - 1)
        return Run(setting, int(self.seeds.nodes[0]), self.seeds)

    def for_compiling(self) -> Forest:
        """Return the procedure from two nodes of a tiny network."""
        tiny = tiny_network(zeros=False)
        seeds = Seeds(np.arange(2, dtype=np.int32), np.zeros(2, np.int64), np.arange(2, dtype=np.int32))
        base = {"network": tiny, "metric": tiny.metrics[0], "reverse": False}
        return Forest(Ends.at_nodes(tiny, [0, 1]), seeds, tiny, base)

    def finish(self, run: Run) -> Found[Nearest] | None:
        """Copy the distances back and make the forest; None if the distances overflowed."""
        begin = time.perf_counter()
        if overflows(run):
            return None
        distances = in_fewest_bits(run.device.get(run.distances, run.node_count)[: self.searched.node_count])
        copied = time.perf_counter()
        metric, network = self.base["metric"].name, self.searched
        by_parents = ParentPass.of(network, metric, WIDE)
        nearest, parents = make_forest(network, network.metric(metric).weights, self.seeds, distances, by_parents)
        made = time.perf_counter()
        for array in (distances, nearest, parents):
            array.flags.writeable = False
        make_result = partial(self._make_result, distances=distances, nearest=nearest, parents=parents)
        return Found(make_result, transfer_ms=(copied - begin) * 1e3, tree_ms=(made - copied) * 1e3)

    def _make_result(self, **found: Any) -> Nearest:
        """Return the result of what was asked for, whatever network was searched."""
        trace = found.pop("trace")
        if trace is not None and self.joined:
            trace = _without_last_node(trace, self.seeds)
        first = int(self.seeds.nodes[0])
        return Nearest(**{**found, **self.base}, trace=trace, source=first, origins=self.origins)


def make_forest(
    network: RoadNetwork, weights: NDArray[Any], seeds: Seeds, distances: NDArray[Any], parent_pass: ParentPass
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return which source is nearest to each node, and its parent, int32 [n] each, of final distances [n].

    ``network`` is the one that was followed, by ``weights`` [m], of closed arcs larger than any distance;
    ``parent_pass`` is of the same in 64 bits. Raises ``NetworkError`` where distances times sources outgrow these.
    """
    n = network.node_count
    nearest, waiting, parents = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    roots = np.empty(len(seeds.nodes), np.int32)
    count = name_nearest(network.offsets, network.targets, weights, distances, seeds, nearest, roots, waiting)
    apart = int(distances.max(initial=0)) + LARGEST_WEIGHT + 1
    none = np.iinfo(np.int64).max
    if (int(nearest.max(initial=0)) + 2) * apart >= none:
        raise NetworkError("the distances from so many sources are too long to be kept apart: search from fewer")
    raised = np.where(nearest < 0, none, distances + nearest.astype(np.int64) * apart)
    parent_pass.find(raised, roots[:count], parents)
    return nearest, parents


def _without_last_node(trace: Trace, seeds: Seeds) -> Trace:
    """Return a trace without the node that led to all seeds: it is not there, and its distance is none of a small
    graph's.
    """
    n = len(trace.first_reached) - 1
    mine = trace.frontier_nodes == n
    steps = np.repeat(np.arange(len(trace)), np.diff(trace.frontier_offsets))
    sizes, offsets, nodes = trace.frontier_size, trace.frontier_offsets, trace.frontier_nodes
    if trace.stride == 1:
        lost = np.bincount(steps[mine], minlength=len(trace)).astype(sizes.dtype)
        sizes, nodes = sizes - lost, nodes[~mine]
        offsets = offsets - np.concatenate(([0], np.cumsum(lost)))
    else:  # of a thinned frontier it is not known which node would come in its place
        nodes = np.where(mine, seeds.nodes[0], nodes).astype(nodes.dtype)
    figures = dict(trace.figures)
    if "settled" in figures:
        figures["settled"] = np.where(figures["settled"] == n, NOT_SETTLED, figures["settled"]).astype(np.int32)
    return replace(
        trace,
        frontier_nodes=nodes,
        frontier_offsets=offsets,
        frontier_size=sizes,
        first_reached=trace.first_reached[:n],
        last_improved=trace.last_improved[:n],
        figures=figures,
        tentative=None,
        held_nodes=None,
        held_keys=None,
        held_ends=None,
        held_titles=None,
        held_numbers=None,
        held_begins=None,
        held_names=(),
    )


@certify.register(Nearest)
def _certify_forest(result: Nearest) -> None:
    """Prove that no arc and no source lowers a distance, that ways lead to their sources, and no source before is as
    near.
    """
    problem = _forest_problem(result)
    if problem:
        raise CertificateError(f"the result of {result.algorithm} is wrong: {problem}")


def _forest_problem(result: Nearest) -> str:
    """Return why a forest is wrong, or an empty string."""
    n, ids = result.network.node_count, result.network.node_ids
    d, nearest, reached = result.distances.astype(np.int64), result.nearest, result.reached
    if any(array.shape != (n,) for array in (d, result.parents, nearest)):
        return f"its arrays are not of {n:,} nodes"
    if (d[reached] < 0).any() or ((nearest >= 0) != reached).any() or nearest.max(initial=-1) >= len(result.origins):
        return "a distance is negative, or the nearest sources are not those of the nodes with a distance"
    seeds = seeds_at(result.network, result.origins, result.closures, reverse=result.reverse)
    far = np.where(reached, d, np.iinfo(np.int64).max)
    nearer = far[seeds.nodes] > seeds.costs
    if nearer.any():
        return f"node {ids[seeds.nodes[np.argmax(nearer)]]} is nearer to a source that stands there"
    begins = far[seeds.nodes] == seeds.costs
    if (nearest[seeds.nodes[begins]] > seeds.of[begins]).any():
        return "a source that comes before is as near to a node where it stands"
    is_root = np.zeros(n, np.bool_)
    is_root[seeds.nodes[begins & (nearest[seeds.nodes] == seeds.of)]] = True
    return _ways_problem(result, far, is_root)


def _ways_problem(result: Nearest, far: NDArray[np.int64], is_root: NDArray[np.bool_]) -> str:
    """Return what is wrong with distances and ways of nodes behind the sources' own, or an empty string.

    ``far`` are the distances, of unreached nodes the largest number; ``is_root`` says at which nodes ways may begin.
    """
    n, ids, (network, metric), nearest = len(far), result.network.node_ids, result.searched, result.nearest
    leaving = np.flatnonzero(result.reached[network.tails()])
    tails, heads = network.tails()[leaving], network.targets[leaving]
    length = far[tails] + metric.weights[leaving]
    if (length < far[heads]).any():
        return f"an arc gives a shorter path to node {ids[heads[np.argmax(length < far[heads])]]}"
    tight = length == far[heads]
    if (nearest[tails[tight]] < nearest[heads[tight]]).any():
        return "a source that comes before is as near to a node"
    made_up = np.zeros(n + 1, np.bool_)
    made_up[heads[tight & (result.parents[heads] == tails) & (nearest[tails] == nearest[heads])]] = True
    roots = result.reached & (result.parents == NO_PATH)
    if (roots & ~is_root).any():
        return f"the way to node {ids[np.argmax(roots & ~is_root)]} begins at no source"
    made_up[:n][roots] = True
    parents = np.append(np.where(roots, n, result.parents), NO_PATH)  # all ways begin at one node more
    return tree_problem(np.append(ids, -1), np.append(result.distances, 0), parents, n, NO_PATH, made_up)


def search_ranked(network: RoadNetwork, sources: Any, k: int, asked: SearchOptions) -> Ranked:
    """Find the ``k`` nearest of several sources for every node, on a processor; errors as those of ``search``."""
    k = whole_number(k, "k, how many of the nearest sources are wanted,", 1)
    if asked.algorithm != AUTO or asked.options:
        raise OptionError("the k nearest sources are found by one search of their own: leave algorithm and options out")
    device = open_device(CPU if asked.device == AUTO else asked.device, asked.threads)
    if Ability.HOST_LOOPS not in device.abilities:
        raise OptionError(f"the k nearest sources are found on the CPU, not on {device.id}: leave the device out")
    place = _Place.of(network, sources, asked)
    seeds, searched, base = place.forest.seeds, place.searched, place.forest.base
    k, n = min(k, len(place.forest.origins)), network.node_count
    require_memory(
        n * k * 12 + (searched.arc_count * k + len(seeds.nodes)) * 16, f"the {k} nearest sources of all nodes"
    )
    ranks = Ranks(np.full((n, k), -1, np.int32), np.full((n, k), NO_PATH, np.int64), np.zeros(n, np.int32))
    order = np.lexsort((seeds.of, seeds.costs))  # sorted, they are a heap
    heap = Entries(seeds.costs[order], seeds.of[order], seeds.nodes[order])
    state, weights = np.array([len(order)]), searched.metric(asked.metric).weights
    with device.reserve(asked.cancel):
        while state[0]:
            asked.check("the search for the nearest sources")
            heap = settle_nearest(searched.offsets, searched.targets, weights, heap, state, ranks, SETTLED_AT_ONCE)
    ranks.sources.flags.writeable = ranks.distances.flags.writeable = False
    return Ranked(
        network=network,
        metric=base["metric"],
        origins=place.forest.origins,
        nearest=ranks.sources,
        distances=ranks.distances,
        reverse=asked.reverse,
        closures=base["closures"],
    )
