"""Time flows between all nodes of a network beside other programs: networkx, igraph, NetworKit and cityseer.

All take turns. A program that would take longer than is allowed begins at some random sources alone, and its time for
all is that, by their share. What others find from their sources is compared with ours; NetworKit chooses sources
itself, so that its betweenness is compared on a small network instead. Ours are proven by distances of trees.

NetworKit's approximation draws as many random paths as it needs for an error of at most ``ERROR`` of the normalised
betweenness of every node; its time for fewer is scaled likewise. cityseer knows flows within a radius alone.

Brandes, A faster algorithm for betweenness centrality, Journal of Mathematical Sociology 25(2), 2001. Riondato,
Kornaropoulos, Fast approximation of betweenness centrality through sampling, Data Mining and Knowledge Discovery 30(2),
2016. Simons, The cityseer Python package for pedestrian-scale network-based urban analysis, Environment and Planning B
50(5), 2023.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from threading import Event, Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.benchmarks.growth import check_kind, network_name
from wayfront.benchmarks.growth_record import Growth, GrowthPoint, GrowthRequest
from wayfront.benchmarks.other_programs import EXTRA, MOST_OBJECTS, OURS, TooLargeError
from wayfront.benchmarks.part_times import PartBenchmark, PartTimes, facts_of
from wayfront.devices import CPU
from wayfront.dissection.cut.cutting import dissect
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.opening import open_network
from wayfront.results.flows import ALL, ONE, Flows
from wayfront.safe.errors import CertificateError, SearchCancelled
from wayfront.searching.flows.call import MANY_PAIRS, MANY_SOURCES, flows
from wayfront.synthetic.generators import from_name
from wayfront.synthetic.portable_random import Draws
from wayfront.timing.harness import interleave, machine_facts, stopwatch

SECONDS, TURNS = 30.0, 3
"""What one program may take in all turns, we in each; and how often all take turns."""

QUESTIONS = {ONE: "one path a pair", ALL: "all shortest paths"}
SMALL = "synthetic:grid?columns=9&rows=7&seed=4"
"""Where exact betweenness is compared."""

NEAR = 1e-6
"""By how much sums in floating point may differ, as a share of the largest."""

ERROR, RISK = 0.01, 0.1
"""How far NetworKit's approximation may be from the normalised betweenness of a node, and how likely one is farther."""

CUTTING = f"{OURS}, cutting once"

_SEED = 29

Nodes = NDArray[np.int32]
Passed = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Other:
    """Another program: ``find`` is what is timed, ``passed`` makes float64 [n] of what it returns, where it can.

    ``of`` is how many sources all of it takes, as many as there are nodes where None; ``least`` the fewest.
    """

    name: str
    find: Callable[[Nodes], Any]
    passed: Callable[[Any], Passed] | None
    of: int | None = None
    least: int = 1


class _UnfitError(Exception):
    """A question that a program does not answer. Never leaves this module."""


def benchmark_flows(
    network: RoadNetwork,
    ties: tuple[str, ...] = (ONE, ALL),
    *,
    metric: str | None = None,
    radius: float | None = None,
    threads: int = 1,
    seconds: float = SECONDS,
    others: bool = True,
    progress: Callable[[str], None] = lambda _text: None,
    cancel: Event | None = None,
) -> PartBenchmark:
    """Time flows from every node to every other one, or those within a ``radius`` in the metric's unit.

    The network is cut before; customising, which new weights take, is part of what is timed. Other programs share flows
    among all shortest paths, so they stand beside that question alone.

    Raises ``CertificateError`` for wrong flows, what ``wayfront.flows`` raises, and ``SearchCancelled``.
    """
    measured, n = network.metric(metric), network.node_count
    order = Draws(_SEED).permutation(n).astype(np.int32)
    left_out: list[tuple[str, str]] = []
    times: list[PartTimes] = []
    for rule in ties:
        question = QUESTIONS[rule] + ("" if radius is None else f" within {radius:g} {measured.unit}".rstrip())

        def ours(
            sources: Nodes,
            stop: Event | None,
            rule: str = rule,
            *,
            verify: bool = False,
            progress: Callable[[str, float], None] | None = None,
        ) -> Flows:
            return flows(
                network, metric=measured.name, sources=sources, radius=radius, ties=rule, device=CPU, threads=threads,
                verify=verify, progress=progress, cancel=stop,
            )  # fmt: skip

        progress(f"{network.name}: {question}")
        counts, wholes = {OURS: _affordable_of_ours(ours, order, seconds, cancel)}, {OURS: n}
        ours(order[: _sample(n)], cancel, verify=True)
        candidates: dict[str, Callable[[], float]] = {
            OURS: lambda ours=ours, count=counts[OURS]: stopwatch(lambda: ours(order[:count], cancel))  # type: ignore[misc]
        }
        for other in _others(network, measured, radius, left_out, progress) if others and rule == ALL else ():
            if cancel is not None and cancel.is_set():
                raise SearchCancelled("the benchmark was stopped")
            progress(f"{network.name}: {question} by {other.name}")
            counts[other.name] = count = _affordable(other, order, seconds / TURNS)
            wholes[other.name] = other.of or n
            if other.passed is not None:
                _compare(other.name, other.passed(other.find(order[:count])), ours(order[:count], cancel).through)
            candidates[other.name] = (
                lambda other=other, count=count: stopwatch(lambda: other.find(order[:count]))  # type: ignore[misc]
            )
        runs = interleave(candidates, TURNS, cancel=cancel, longest_s=seconds * len(candidates))
        asked = {"ties": rule, "radius": radius}
        times += [PartTimes(name, question, counts[name], wholes[name], runs[name], asked) for name in candidates]
    facts = facts_of(network, measured)
    return PartBenchmark("flows", "source", facts, tuple(times), tuple(left_out), dict(machine_facts()))


def _affordable_of_ours(ours: Callable[..., Flows], order: Nodes, seconds: float, cancel: Event | None) -> int:
    """Return from how many sources we find flows in some seconds: from all of them where that works out.

    All take far less than their share each, since what lies below a cell is found for many sources together.
    """
    sample = order[: _sample(len(order))]
    ours(sample, cancel)  # what is compiled or cut once
    stop = Event()

    def watch(_what: str, _fraction: float) -> None:
        if cancel is not None and cancel.is_set():
            stop.set()

    timer = Timer(max(seconds, 1.0), stop.set)
    timer.start()
    try:
        ours(order, stop, progress=watch)
    except SearchCancelled:
        if cancel is not None and cancel.is_set():
            raise
    else:
        return len(order)
    finally:
        timer.cancel()
        timer.join()
    took_ms = stopwatch(lambda: ours(sample, cancel)) / len(sample)
    return max(1, min(len(order), int(seconds * 1000 / max(took_ms, 1e-6))))


def _sample(nodes: int) -> int:
    """Return from how many sources we find flows to learn how long all would take: enough to be found as those are."""
    return min(max(MANY_SOURCES, MANY_PAIRS // nodes + 1), nodes)


def _affordable(other: _Other, order: Nodes, seconds: float) -> int:
    """Return from how many sources another program finds flows in some seconds."""
    least, most = min(other.least, len(order)), min(other.of or len(order), len(order))
    took_ms = stopwatch(lambda: other.find(order[:least])) / least
    return max(least, min(most, int(seconds * 1000 / max(took_ms, 1e-6))))


def _compare(who: str, found: Passed, expected: Passed) -> None:
    if not np.allclose(found, expected, rtol=NEAR, atol=NEAR * max(float(expected.max(initial=0.0)), 1.0)):
        raise CertificateError(f"{who} and {OURS} do not find the same flows, so times say nothing")


# --------------------------------------------------------------------------------------------------- other programs


def _others(
    network: RoadNetwork,
    metric: Metric,
    radius: float | None,
    left_out: list[tuple[str, str]],
    progress: Callable[[str], None],
) -> Iterator[_Other]:
    if (metric.weights == 0).any():
        left_out.append(("other programs", "a road of weight 0 makes endlessly many shortest paths for them"))
        return
    limit = None if radius is None else math.floor(metric.raw_limit(radius))
    for name, make in _MAKERS.items():
        progress(name)
        try:
            yield make(network, metric, limit)
        except ImportError:
            left_out.append((name, f"it is not installed; it comes with {EXTRA}" if name != CITYSEER else _APART))
        except (_UnfitError, TooLargeError, MemoryError) as problem:
            left_out.append((name, str(problem) or "this machine has not enough memory for it"))


def _lightest(network: RoadNetwork, metric: Metric) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return tails, heads and weights of the arcs that shortest paths can take: of parallel ones one, and no loop."""
    matrix = network.to_scipy(metric.name, raw=True).tocoo()
    there = matrix.row != matrix.col
    return matrix.row[there], matrix.col[there], matrix.data[there].astype(np.float64)


def _networkx(network: RoadNetwork, metric: Metric, limit: int | None) -> _Other:
    module: Any = import_module("networkx")
    _refuse(limit)
    n = network.node_count
    if n + network.arc_count > MOST_OBJECTS:
        raise TooLargeError(f"{network.name} has more than {MOST_OBJECTS:,} nodes and arcs, an object each there")
    graph = module.DiGraph()
    graph.add_nodes_from(range(n))
    tails, heads, weights = _lightest(network, metric)
    graph.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True))
    every = list(range(n))

    def find(sources: Nodes) -> Any:
        return module.betweenness_centrality_subset(graph, sources.tolist(), every, normalized=False, weight="weight")

    return _Other(f"networkx {module.__version__}", find, lambda found: np.array([found[node] for node in every]))


def _refuse(limit: int | None) -> None:
    if limit is not None:
        raise _UnfitError("it knows no radius")


def _igraph(network: RoadNetwork, metric: Metric, limit: int | None) -> _Other:
    module: Any = import_module("igraph")
    _refuse(limit)  # it knows one, but not from some sources alone
    tails, heads, weights = _lightest(network, metric)
    graph = module.Graph(n=network.node_count, edges=np.stack((tails, heads), axis=1), directed=True)
    listed = weights.tolist()

    def find(sources: Nodes) -> Any:
        return graph.betweenness(directed=True, weights=listed, sources=sources.tolist())

    return _Other(f"igraph {module.__version__}", find, np.array)


def _networkit(network: RoadNetwork, metric: Metric, limit: int | None) -> _Other:
    module: Any = import_module("networkit")
    _refuse(limit)
    module.setNumberOfThreads(1)
    small = open_network(SMALL)
    exact = module.centrality.Betweenness(_networkit_graph(small, small.metric()), normalized=False).run()
    _compare("NetworKit", np.array(exact.scores()), flows(small, ties=ALL, device=CPU).through)
    graph = _networkit_graph(network, metric)

    def find(sources: Nodes) -> Any:
        return module.centrality.EstimateBetweenness(graph, len(sources), False, False).run()

    return _Other(f"NetworKit {module.__version__}", find, None)


def _networkit_graph(network: RoadNetwork, metric: Metric, *, directed: bool = True) -> Any:
    module: Any = import_module("networkit")
    tails, heads, weights = _lightest(network, metric)
    if not directed:
        once = tails < heads
        tails, heads, weights = tails[once], heads[once], weights[once]
    arcs = weights, (tails.astype(np.uint64), heads.astype(np.uint64))
    return module.GraphFromCoo(arcs, n=network.node_count, weighted=True, directed=directed)


def _approximation(network: RoadNetwork, metric: Metric, limit: int | None) -> _Other:
    """Return NetworKit's approximation, whose error is at most ``ERROR`` with all of its samples."""
    module: Any = import_module("networkit")
    _refuse(limit)
    matrix = network.to_scipy(metric.name, raw=True)
    if (matrix != matrix.T).nnz:
        raise _UnfitError("it takes no one-way streets")
    module.setNumberOfThreads(1)
    graph = _networkit_graph(network, metric, directed=False)
    approximate = module.centrality.ApproxBetweenness
    coarse = approximate(graph, 1.0, RISK)
    coarse.run()
    least = int(coarse.numberOfSamples())  # as many as there are logs of the longest path, and 1 / error² times as many

    def find(sources: Nodes) -> Any:
        return approximate(graph, math.sqrt(least / len(sources)), RISK).run()

    name = f"NetworKit {module.__version__}, each node within {ERROR:g}"
    return _Other(name, find, None, math.ceil(least / ERROR**2), least)


def _cityseer(network: RoadNetwork, metric: Metric, limit: int | None) -> _Other:
    if limit is None:
        raise _UnfitError("it needs a radius")
    os.environ.setdefault("RAYON_NUM_THREADS", "1")  # read once, when it is first used
    module: Any = import_module("cityseer.rustalgos").graph
    from importlib.metadata import version

    small = open_network(SMALL)
    short = 3 * int(np.median(small.metric().weights))
    ours = flows(small, ties=ALL, radius=float(small.metric().in_unit(np.array([short]))[0]), device=CPU)
    find, every = _cityseer_finder(module, small, small.metric(), short), np.arange(small.node_count, dtype=np.int32)
    _compare("cityseer", find(every), ours.through)
    name, find = f"cityseer {version('cityseer')}", _cityseer_finder(module, network, metric, limit)
    return _Other(name, find, None, least=256)  # a call takes some time of its own


def _cityseer_finder(module: Any, network: RoadNetwork, metric: Metric, limit: int) -> Callable[[Nodes], Passed]:
    """Return what finds what passes nodes, from some sources. Lengths are made of weights: places play no part."""
    graph = module.NetworkStructure()
    graph.set_is_directed(True)
    for node in range(network.node_count):
        graph.add_street_node(str(node), float(node), 0.0, False, 1.0)
    tails, heads, weights = _lightest(network, metric)
    for arc, (tail, head, weight) in enumerate(zip(tails.tolist(), heads.tolist(), weights.tolist(), strict=True)):
        line = f"LINESTRING ({tail} 0, {head} 0)"  # of length |tail - head|
        graph.add_street_edge(tail, head, arc, str(tail), str(head), line, 2 * weight / abs(tail - head))
    radius = 2 * limit + 1  # in half units: no distance is the limit itself, where roundings would decide

    def find(sources: Nodes) -> Passed:
        for source in sources.tolist():
            graph.set_node_live(source, True)
        found = graph.centrality_shortest(
            distances=[radius], betweenness_exprs=[("passed", "1")], tolerance=0.0, pbar_disabled=True
        )
        for source in sources.tolist():
            graph.set_node_live(source, False)
        return np.array(found.metrics["passed"][radius], np.float64)

    return find


CITYSEER = "cityseer"
_APART = "it is not installed: pip install cityseer"
_MAKERS: dict[str, Callable[[RoadNetwork, Metric, int | None], _Other]] = {
    "networkx": _networkx,
    "igraph": _igraph,
    "NetworKit": _networkit,
    "NetworKit's approximation": _approximation,
    CITYSEER: _cityseer,
}


# ----------------------------------------------------------------------------------------------------------- growth


def flows_growth(
    request: GrowthRequest,
    ties: tuple[str, ...] = (ONE,),
    *,
    others: bool = True,
    progress: Callable[[str], None] = lambda _text: None,
    cancel: Event | None = None,
) -> Iterator[Growth]:
    """Yield how what is measured of flows grows with networks of a kind, after each size.

    ``request.seconds`` is what one program may take for one question at one size. Raises what ``benchmark_flows`` does,
    and ``OptionError`` for a kind that does not exist.
    """
    check_kind(request.kind)
    points: list[GrowthPoint] = []
    for size in request.sizes:
        progress(f"making a network of {size:,} nodes")
        network = from_name(network_name(request.kind, size, 1))
        cut_ms = stopwatch(lambda network=network: dissect(network, cancel=cancel))  # type: ignore[misc]
        found = benchmark_flows(
            *(network, ties), threads=request.threads, seconds=request.seconds, others=others, progress=progress,
            cancel=cancel,
        )  # fmt: skip
        measured = {CUTTING: (cut_ms,)} | {
            f"{one.program}, {one.question}": tuple(ms * one.scale for ms in one.runs_ms) for one in found.times
        }
        points += [
            GrowthPoint(name, network.node_count, network.arc_count, (), (), runs) for name, runs in measured.items()
        ]
        names = tuple(dict.fromkeys(point.algorithm for point in points))
        processor, done = str(found.machine.get("processor", "")), size == request.sizes[-1]
        yield Growth(replace(request, algorithms=names), tuple(points), {}, found.machine, processor, done)
