"""Time matrices between random nodes beside other programs: SciPy, networkx, igraph, NetworKit and pandana.

All take turns. A program that would take longer than is allowed finds the rows of the first origins alone, and its time
for all is that, by their share. Every row that another program finds is compared with ours, and rows of SciPy's, or of
our own proven Dijkstra, decide whether ours are right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.benchmarks.other_programs import EXTRA, NO_PATH, OURS, Program, programs, whole
from wayfront.benchmarks.part_times import PartBenchmark, PartTimes, facts_of
from wayfront.devices import CPU
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import CertificateError, SearchCancelled
from wayfront.searching.call import search
from wayfront.searching.matrices.call import distance_matrix
from wayfront.synthetic.portable_random import Draws
from wayfront.timing.harness import interleave, machine_facts, stopwatch

SIZES, SECONDS, TURNS = (100, 1000, 10_000), 20.0, 5
"""Numbers of origins, and of destinations; what one program may take for one size; and how often all take turns."""

PROVED_ROWS = 3
_SEED = 17

Nodes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _Other:
    """Another program: ``find`` is what is timed, ``rows`` makes int64 [k, l] of what it returns."""

    name: str
    find: Callable[[Nodes, Nodes], Any]
    rows: Callable[[Any, Nodes], NDArray[np.int64]]


def benchmark_matrices(
    network: RoadNetwork,
    sizes: tuple[int, ...] = SIZES,
    *,
    metric: str | None = None,
    device: str = CPU,
    threads: int = 1,
    seconds: float = SECONDS,
    others: bool = True,
    progress: Callable[[str], None] = lambda _text: None,
    cancel: Event | None = None,
) -> PartBenchmark:
    """Time matrices of some sizes on a network whose cut and customising are done before.

    Raises ``CertificateError`` for a wrong distance, what ``distance_matrix`` raises, and ``SearchCancelled``.
    """
    measured = network.metric(metric)
    left_out: list[tuple[str, str]] = []
    times: list[PartTimes] = []
    found = list(_others(network, measured, left_out, progress)) if others else []
    draws, machine = Draws(_SEED), dict(machine_facts())
    for size in sizes:
        origins, destinations = (
            (draws.permutation(-(-size // network.node_count) * network.node_count)[:size] % network.node_count)
            .astype(np.int32)
            for _ in range(2)
        )  # fmt: skip

        def ours(origins: Nodes = origins, destinations: Nodes = destinations) -> Any:
            return distance_matrix(
                network, origins, destinations, measured.name, device, threads=threads, cancel=cancel
            ).raw

        progress(f"{network.name}: {size:,} × {size:,}")
        raw = ours()
        _prove(network, measured, origins, destinations, raw)
        candidates: dict[str, Callable[[], float]] = {OURS: lambda ours=ours: stopwatch(ours)}  # type: ignore[misc]
        rows = {OURS: size}
        for other in found:
            if cancel is not None and cancel.is_set():
                raise SearchCancelled("the benchmark was stopped")
            progress(f"{network.name}: {size:,} × {size:,} by {other.name}")
            rows[other.name] = count = _affordable(other, origins, destinations, raw, seconds / TURNS)
            candidates[other.name] = (
                lambda other=other, count=count, a=origins, b=destinations: stopwatch(  # type: ignore[misc]
                    lambda: other.find(a[:count], b)
                )
            )
        longest_s = seconds * (1 + len(found))
        for name, runs in interleave(candidates, TURNS, cancel=cancel, longest_s=longest_s).items():
            asked = {"origins": size, "destinations": size}
            times.append(PartTimes(name, f"{size:,} × {size:,}", rows[name], size, runs, asked))
    facts = facts_of(network, measured)
    return PartBenchmark("matrices", "row", facts, tuple(times), tuple(left_out), machine)


def _prove(network: RoadNetwork, metric: Metric, origins: Nodes, destinations: Nodes, raw: NDArray[Any]) -> None:
    """Raise ``CertificateError`` unless some rows are those of a proven search."""
    for row in np.linspace(0, len(origins) - 1, PROVED_ROWS).astype(int).tolist():
        proven = search(network, int(origins[row]), "dijkstra", CPU, metric=metric.name, verify=True, runs=0)
        _compare(OURS, network, whole(proven.distances)[destinations], raw[row])


def _compare(who: str, network: RoadNetwork, expected: NDArray[Any], found: NDArray[Any]) -> None:
    if not np.array_equal(expected, found):
        raise CertificateError(f"{who} does not find the distances on {network.name}, so its time says nothing")


def _affordable(other: _Other, origins: Nodes, destinations: Nodes, raw: NDArray[Any], seconds: float) -> int:
    """Return of how many origins a program finds the rows in some seconds; they are compared with ours."""
    other.find(origins[:1], destinations)  # whatever it does once
    took_ms = stopwatch(lambda: other.find(origins[:1], destinations))
    count = max(1, min(len(origins), int(seconds * 1000 / max(took_ms, 1e-6))))
    rows = other.rows(other.find(origins[:count], destinations), destinations)
    if not np.array_equal(rows, raw[:count]):
        raise CertificateError(f"{other.name} and {OURS} do not find the same distances, so times say nothing")
    return count


def _others(
    network: RoadNetwork, metric: Metric, left_out: list[tuple[str, str]], progress: Callable[[str], None]
) -> Iterator[_Other]:
    for name, program in programs(network, metric):
        progress(name)
        if isinstance(program, str):
            left_out.append((name, program))
        else:
            yield _row_by_row(program)
    try:
        yield _pandana(network, metric)
    except ImportError:
        left_out.append(("pandana", f"it is not installed: pip install pandana (it is in no extra such as {EXTRA})"))


def _row_by_row(program: Program) -> _Other:
    """Return a program that searches from one origin after another."""

    def find(origins: Nodes, _destinations: Nodes) -> list[Any]:
        return [program.search(origin) for origin in origins.tolist()]

    def rows(found: list[Any], destinations: Nodes) -> NDArray[np.int64]:
        return np.stack([program.distances(one)[destinations] for one in found])

    return _Other(program.name, find, rows)


_UNREACHED = 4_294_967
"""Pandana's distances are parts of a thousand in 32 bits without a sign; the largest of them is no path."""


def _pandana(network: RoadNetwork, metric: Metric) -> _Other:
    """Return pandana with a network, which it contracts. Raises ``ImportError`` where it is missing."""
    module: Any = import_module("pandana")
    pandas: Any = import_module("pandas")
    n = network.node_count
    arcs = pandas.DataFrame({"weight": metric.weights.astype(np.float64)})
    graph = module.Network(
        pandas.Series(np.zeros(n)), pandas.Series(np.zeros(n)), pandas.Series(network.tails()),
        pandas.Series(network.targets), arcs, twoway=False,
    )  # fmt: skip

    def find(origins: Nodes, destinations: Nodes) -> Any:
        return graph.shortest_path_lengths(
            np.repeat(origins, len(destinations)), np.tile(destinations, len(origins)), imp_name="weight"
        )

    def rows(found: Any, destinations: Nodes) -> NDArray[np.int64]:
        values = np.asarray(found, np.float64).reshape(-1, len(destinations))
        return np.where(values < _UNREACHED, np.rint(values), NO_PATH).astype(np.int64)

    return _Other(f"pandana {module.__version__}", find, rows)
