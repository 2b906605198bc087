"""Time flows between all nodes of a network beside Brandes' algorithm in other programs: networkx, igraph, NetworKit.

All take turns. A program that would take longer than is allowed begins at some random sources alone, and its time for
all is that, by their share. What others find from their sources is compared with ours; NetworKit chooses sources
itself, so that its betweenness is compared on a small network instead. Ours are proven by distances of trees.

Brandes, A faster algorithm for betweenness centrality, Journal of Mathematical Sociology 25(2), 2001.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from threading import Event, Timer
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.benchmarks.other_programs import EXTRA, MOST_OBJECTS, OURS, TooLargeError
from wayfront.benchmarks.part_times import PartBenchmark, PartTimes, facts_of
from wayfront.devices import CPU
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.opening import open_network
from wayfront.results.flows import ALL, ONE, Flows
from wayfront.safe.errors import CertificateError, SearchCancelled
from wayfront.searching.flows.call import flows
from wayfront.synthetic.portable_random import Draws
from wayfront.timing.harness import interleave, machine_facts, stopwatch

SECONDS, TURNS = 30.0, 3
"""What one program may take in all turns, we in each; and how often all take turns."""

QUESTIONS = {ONE: "one path a pair", ALL: "all shortest paths"}
SMALL = "synthetic:grid?columns=9&rows=7&seed=4"
"""Where exact betweenness is compared."""

SAMPLE = 64
"""Sources from which we find flows to learn how long all would take."""

NEAR = 1e-6
"""By how much sums in floating point may differ, as a share of the largest."""

_SEED = 29

Nodes = NDArray[np.int32]
Passed = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Other:
    """Another program: ``find`` is what is timed, ``passed`` makes float64 [n] of what it returns, where it can."""

    name: str
    find: Callable[[Nodes], Any]
    passed: Callable[[Any], Passed] | None


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
    among all shortest paths and know no radius, so they stand beside that question alone.

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
        counts = {OURS: _affordable_of_ours(ours, order, seconds, cancel)}
        ours(order[:SAMPLE], cancel, verify=True)
        candidates: dict[str, Callable[[], float]] = {
            OURS: lambda ours=ours, count=counts[OURS]: stopwatch(lambda: ours(order[:count], cancel))  # type: ignore[misc]
        }
        for other in (
            _others(network, measured, left_out, progress) if others and rule == ALL and radius is None else ()
        ):
            if cancel is not None and cancel.is_set():
                raise SearchCancelled("the benchmark was stopped")
            progress(f"{network.name}: {question} by {other.name}")
            counts[other.name] = count = _affordable(other, order, seconds / TURNS)
            if other.passed is not None:
                _compare(other.name, other.passed(other.find(order[:count])), ours(order[:count], cancel).through)
            candidates[other.name] = (
                lambda other=other, count=count: stopwatch(lambda: other.find(order[:count]))  # type: ignore[misc]
            )
        runs = interleave(candidates, TURNS, cancel=cancel, longest_s=seconds * len(candidates))
        asked = {"ties": rule, "radius": radius}
        times += [PartTimes(name, question, counts[name], n, runs[name], asked) for name in candidates]
    facts = facts_of(network, measured)
    return PartBenchmark("flows", "source", facts, tuple(times), tuple(left_out), dict(machine_facts()))


def _affordable_of_ours(ours: Callable[..., Flows], order: Nodes, seconds: float, cancel: Event | None) -> int:
    """Return from how many sources we find flows in some seconds: from all of them where that works out.

    All take far less than their share each, since what lies below a cell is found for many sources together.
    """
    ours(order[:1], cancel)  # what is compiled or cut once
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
    took_ms = stopwatch(lambda: ours(order[:SAMPLE], cancel)) / min(SAMPLE, len(order))
    return max(1, min(len(order), int(seconds * 1000 / max(took_ms, 1e-6))))


def _affordable(other: _Other, order: Nodes, seconds: float) -> int:
    """Return from how many sources another program finds flows in some seconds."""
    took_ms = stopwatch(lambda: other.find(order[:1]))
    return max(1, min(len(order), int(seconds * 1000 / max(took_ms, 1e-6))))


def _compare(who: str, found: Passed, expected: Passed) -> None:
    if not np.allclose(found, expected, rtol=NEAR, atol=NEAR * max(float(expected.max(initial=0.0)), 1.0)):
        raise CertificateError(f"{who} and {OURS} do not find the same flows, so times say nothing")


# --------------------------------------------------------------------------------------------------- other programs


def _others(
    network: RoadNetwork, metric: Metric, left_out: list[tuple[str, str]], progress: Callable[[str], None]
) -> Iterator[_Other]:
    if (metric.weights == 0).any():
        left_out.append(("other programs", "a road of weight 0 makes endlessly many shortest paths for them"))
        return
    for name, make in _MAKERS.items():
        progress(name)
        try:
            yield make(network, metric)
        except ImportError:
            left_out.append((name, f"it is not installed; it comes with {EXTRA}"))
        except (TooLargeError, MemoryError) as problem:
            left_out.append((name, str(problem) or "this machine has not enough memory for it"))


def _lightest(network: RoadNetwork, metric: Metric) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:
    """Return tails, heads and weights of the arcs that shortest paths can take: of parallel ones one, and no loop."""
    matrix = network.to_scipy(metric.name, raw=True).tocoo()
    there = matrix.row != matrix.col
    return matrix.row[there], matrix.col[there], matrix.data[there].astype(np.float64)


def _networkx(network: RoadNetwork, metric: Metric) -> _Other:
    module: Any = import_module("networkx")
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


def _igraph(network: RoadNetwork, metric: Metric) -> _Other:
    module: Any = import_module("igraph")
    tails, heads, weights = _lightest(network, metric)
    graph = module.Graph(n=network.node_count, edges=np.stack((tails, heads), axis=1), directed=True)
    listed = weights.tolist()

    def find(sources: Nodes) -> Any:
        return graph.betweenness(directed=True, weights=listed, sources=sources.tolist())

    return _Other(f"igraph {module.__version__}", find, np.array)


def _networkit(network: RoadNetwork, metric: Metric) -> _Other:
    module: Any = import_module("networkit")
    module.setNumberOfThreads(1)

    def graph_of(network: RoadNetwork, metric: Metric) -> Any:
        tails, heads, weights = _lightest(network, metric)
        arcs = weights, (tails.astype(np.uint64), heads.astype(np.uint64))
        return module.GraphFromCoo(arcs, n=network.node_count, weighted=True, directed=True)

    small = open_network(SMALL)
    exact = module.centrality.Betweenness(graph_of(small, small.metric()), normalized=False).run()
    _compare("NetworKit", np.array(exact.scores()), flows(small, ties=ALL, device=CPU).through)
    graph = graph_of(network, metric)

    def find(sources: Nodes) -> Any:
        return module.centrality.EstimateBetweenness(graph, len(sources), False, False).run()

    return _Other(f"NetworKit {module.__version__}", find, None)


_MAKERS: dict[str, Callable[[RoadNetwork, Metric], _Other]] = {
    "networkx": _networkx,
    "igraph": _igraph,
    "NetworKit": _networkit,
}
