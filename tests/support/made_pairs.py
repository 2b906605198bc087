"""Results of searches for all pairs, made by SciPy and a recorder: in batches of sources, or by pivots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.sparse.csgraph import dijkstra

from wayfront.network.road_network import RoadNetwork
from wayfront.results.pairs import PairsResult, PairsSummary
from wayfront.results.result import Timing
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote, Trace

BATCH = 10


def make_pairs(
    network: RoadNetwork, sources: np.ndarray | None = None, *, pivots: bool = False, matrix: bool = True
) -> PairsResult:
    """Return what a search from ``sources`` finds, ten of them to a step, or first a pivot to a step."""
    n = network.node_count
    sources = np.arange(n, dtype=np.int32) if sources is None else np.asarray(sources, np.int32)
    rows = dijkstra(network.to_scipy(), indices=sources)
    rows = np.where(np.isinf(rows), -1, rows).astype(np.int64)
    figures = PairsSummary.empty(len(sources))
    ids = np.argsort(np.argsort(network.node_ids))
    farthest = np.lexsort((np.broadcast_to(-ids, rows.shape), rows))[:, -1]
    figures.set(np.arange(len(sources)), rows.max(1), farthest, np.maximum(rows, 0).sum(1), (rows >= 0).sum(1))
    trace = make_pivot_trace(network, sources) if pivots else make_batch_trace(network, sources)
    return PairsResult(
        network=network,
        metric=network.metrics[0],
        algorithm="dijkstra-in-turn",
        options={},
        device="cpu",
        device_name="a processor",
        timing=Timing((4.0, 5.0), 0.5, 0.0, None),
        steps=len(trace),
        trace=trace,
        sources=sources,
        figures=figures,
        matrix=rows if matrix else None,
    )


def stopped_after(result: PairsResult, sources: int) -> PairsSummary:
    """Return the figures of a search that was stopped after some sources."""
    figures = result.figures.copy()
    return replace(figures, done=np.arange(len(result.sources)) < sources)


def make_batch_trace(network: RoadNetwork, sources: np.ndarray) -> Trace:
    """Return the trace of a search from ten sources at a time."""
    recorder = Recorder(network.out_degrees())
    done = np.full(network.node_count, -1, np.int32)
    for step, first in enumerate(range(0, len(sources), BATCH)):
        frontier = np.sort(sources[first : first + BATCH])
        done[frontier] = step
        recorder.add(frontier, len(frontier), 1000 * (step + 1), StepNote(phase="search", relaxations=0))
    return recorder.finish(done, done.copy())


def make_pivot_trace(network: RoadNetwork, sources: np.ndarray) -> Trace:
    """Return the trace of Floyd and Warshall's search: each node is a pivot, then all rows are finished."""
    recorder = Recorder(network.out_degrees())
    n = network.node_count
    for pivot in range(n):
        recorder.add(np.array([pivot], np.int32), 0, 1000, StepNote(phase="relax through k", relaxations=0))
    recorder.add(np.sort(sources), len(sources), 100, StepNote(phase="deliver rows", relaxations=0))
    done = np.full(n, -1, np.int32)
    done[sources] = n
    return recorder.finish(done, done.copy())
