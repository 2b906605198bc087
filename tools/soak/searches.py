"""Searches of every algorithm on networks of many shapes, against SciPy and an independent check of the tree.

The check shares no code with the program's certificate: distances come from SciPy, and each parent is looked up among
the arcs and followed to the source in plain NumPy.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from soak.report import Row

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork
    from wayfront.results.result import Result

_LARGEST = 2**31 - 1
_SLOW_S = 20.0
"""A search of one of these small networks may take this long."""


def search_networks(seed: int, count: int) -> Row:
    """Run at least ``count`` searches and count wrong distances, wrong trees and exceptions."""
    from wayfront import algorithms
    from wayfront.results.result import SearchKind

    row = Row("searches against SciPy")
    r = random.Random(seed)
    names = [each.name for each in algorithms(SearchKind.ONE_TREE) if _on_the_cpu(each)]
    networks = 0
    _compile(names)
    while row.tried < count:
        network = _draw_network(r)
        networks += 1
        for source in {0, r.randrange(network.node_count), r.randrange(network.node_count)}:
            expected = scipy_distances(network, source)
            for name in names:
                row.tried += 1
                attempt = partial(_problem, network, source, name, expected)
                _try(row, f"seed {seed}, network {networks}, {network.name}, {name} from {source}", attempt)
    row.remarks = f"{len(names)} algorithms, {networks:,} networks"
    return row


def _on_the_cpu(algorithm: Any) -> bool:
    from wayfront.devices import describe_device

    return bool(algorithm.runs_on(describe_device("cpu")))


def _compile(names: list[str]) -> None:
    """Search once with each algorithm and dtype of distances: compiling is no hang."""
    from wayfront import search
    from wayfront.network.road_network import Metric, RoadNetwork

    nodes = np.arange(64)
    for largest in (1, _LARGEST):
        metrics = [Metric("weight", "", 1.0, np.where(nodes % 9 == 0, 0, largest).astype(np.int32))]
        ring = RoadNetwork.from_arcs(name="ring", node_count=64, tails=nodes, heads=(nodes + 1) % 64, metrics=metrics)
        for name in names:
            search(ring, 0, name, "cpu", runs=0, trace_budget=None)


def _try(row: Row, what: str, attempt: Callable[[], str]) -> None:
    from wayfront.safe.errors import OptionError

    begin = time.process_time()
    try:
        problem = attempt()
    except OptionError as refusal:
        problem = "" if "bucket" in str(refusal) else f"refused: {refusal}"  # Δ-stepping says where 32 bits end
    except Exception as error:
        row.add_fault("tracebacks", f"{what}: {type(error).__name__}: {error}")
        return
    if problem:
        row.add_fault("wrong", f"{what}: {problem}")
    if time.process_time() - begin > _SLOW_S:
        row.add_fault("hangs", f"{what}: {time.process_time() - begin:.0f} s")


def _problem(network: RoadNetwork, source: int, name: str, expected: NDArray[np.float64]) -> str:
    from wayfront import search

    result = search(network, source, name, "cpu", runs=0, trace_budget=None)
    found = np.where(result.reached, result.distances, np.inf)
    if not np.array_equal(found, expected):
        return "distances differ from SciPy's"
    return tree_problem(network, result)


def scipy_distances(network: RoadNetwork, source: int) -> NDArray[np.float64]:
    """Return SciPy's distances, infinite for nodes that are not reached. Of parallel arcs SciPy gets the shortest."""
    n, tails = network.node_count, network.tails().astype(np.int64)
    heads, weights = network.targets.astype(np.int64), network.metrics[0].weights.astype(np.float64)
    order = np.lexsort((weights, heads, tails))
    pairs = (tails * n + heads)[order]
    first = np.ones(len(pairs), np.bool_)
    first[1:] = pairs[1:] != pairs[:-1]
    kept = order[first]
    offsets = np.searchsorted(tails[kept], np.arange(n + 1))
    matrix = csr_array((weights[kept], heads[kept], offsets), shape=(n, n))  # an explicit zero stays an arc
    return np.asarray(dijkstra(matrix, indices=source))


def tree_problem(network: RoadNetwork, result: Result) -> str:
    """Return what is wrong with the parents of a result, or an empty string."""
    parents, reached = result.parents.astype(np.int64), result.reached
    distances = result.distances.astype(np.int64)
    inner = reached.copy()
    inner[result.source] = False
    if (parents[~inner] != -1).any():
        return "the source or a node that is not reached has a parent"
    if (parents[inner] < 0).any() or (parents >= network.node_count).any():
        return "a reached node has no parent"
    tails, heads = network.tails(), network.targets
    tight = np.zeros(network.node_count, np.bool_)
    used = reached[tails] & (parents[heads] == tails)
    exact = distances[tails[used]] + network.metrics[0].weights[used] == distances[heads[used]]
    tight[heads[used][exact]] = True
    if not tight[inner].all():
        return "a parent is not a neighbour at the right distance"
    above = np.where(inner, parents, result.source)
    above[~reached] = np.flatnonzero(~reached)
    for _ in range(network.node_count.bit_length() + 1):
        above = above[above]  # after k rounds, everybody's ancestor 2^k arcs up
    return "" if (above[reached] == result.source).all() else "the parents form a cycle"


# --------------------------------------------------------------------------------------------------------- shapes


def _draw_network(r: random.Random) -> RoadNetwork:
    from wayfront.network.road_network import Metric, RoadNetwork

    shape = r.choice(list(SHAPES))
    n = r.choice((1, 2, 3, 7, 30, 200, 600))
    arcs = np.array(list(SHAPES[shape](r, n)) if n > 1 else [], np.int64).reshape(-1, 2)
    largest = r.choice((0, 1, 3, 100, 10_000, 10**6))
    weights = np.array([r.randint(r.choice((0, 1, largest)), max(largest, 1)) for _ in arcs], np.int64)
    if r.random() < 0.05 and n <= 30:
        weights = np.where(weights > 0, _LARGEST - weights, 0)
    return RoadNetwork.from_arcs(
        name=f"{shape} of {n} nodes, weights to {largest}",
        node_count=n,
        tails=arcs[:, 0],
        heads=arcs[:, 1],
        metrics=[Metric("weight", "", 1, weights.astype(np.int32))],
        node_ids=np.array(r.sample(range(3 * n), n)),
    )


Arcs = Iterator[tuple[int, int]]


def _random(r: random.Random, n: int) -> Arcs:
    for _ in range(n * r.choice((1, 2, 4, 8))):
        yield r.randrange(n), r.randrange(n)


def _path(r: random.Random, n: int) -> Arcs:
    order = r.sample(range(n), n)
    yield from pairwise(order)


def _ring(r: random.Random, n: int) -> Arcs:
    yield from _path(r, n)
    for node in range(n):
        yield node, (node + 1) % n
        yield (node + 1) % n, node


def _grid(r: random.Random, n: int) -> Arcs:
    columns = max(int(n**0.5), 1)
    for node in range(n):
        if node + columns < n:
            yield node, node + columns
            yield node + columns, node
        if (node + 1) % columns and node + 1 < n:
            yield node, node + 1
            if r.random() < 0.8:
                yield node + 1, node
    yield 0, n - 1


def _star(r: random.Random, n: int) -> Arcs:
    centre = r.randrange(n)
    for node in range(n):
        yield centre, node
        if r.random() < 0.7:
            yield node, centre


def _dense(r: random.Random, n: int) -> Arcs:
    few = min(n, 40)
    for tail in range(few):
        for head in range(few):
            if r.random() < 0.7:
                yield tail, head
    yield 0, 0


def _islands(r: random.Random, n: int) -> Arcs:
    size = max(n // 5, 1)
    for _ in range(3 * n):
        tail = r.randrange(n)
        yield tail, min(tail // size * size + r.randrange(size), n - 1)


def _parallel(r: random.Random, n: int) -> Arcs:
    for tail, head in _path(r, n):
        for _ in range(r.choice((1, 2, 5))):
            yield tail, head
            yield head, tail
            yield tail, tail


def _layers(r: random.Random, n: int) -> Arcs:
    for tail in range(n - 1):
        for _ in range(3):
            yield tail, min(tail + r.randint(1, 9), n - 1)


SHAPES: dict[str, Callable[[random.Random, int], Arcs]] = {
    "random": _random,
    "path": _path,
    "ring": _ring,
    "grid": _grid,
    "star": _star,
    "dense": _dense,
    "islands": _islands,
    "parallel arcs": _parallel,
    "layers": _layers,
}
