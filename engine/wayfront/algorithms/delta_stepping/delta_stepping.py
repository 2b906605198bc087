"""Δ-stepping without queues: which bucket a node is in is one number beside it.

Nodes wait in buckets of width Δ by their distance. The first bucket that is not empty is emptied again and again,
relaxing its light arcs (w ≤ Δ), since those may put nodes back into it; once it stays empty its nodes' distances are
final, and their heavy arcs are relaxed, once. Sets of nodes do not suit a GPU, so ``bucket[v]`` names v's bucket,
"is bucket i empty" is a count, and "which bucket is next" is a minimum over all nodes (the study names that problem;
the reductions are ours). What a phase relaxes is written down first, as a list of requests: the prefix sum of its
nodes' out-degrees says where each node's requests begin, so that all are written at once without a lock, and then each
arc has a thread of its own however many its node has. The study's list holds the source nodes, n at most, and spreads
their arcs over threads by such sums; ours holds the arcs. Light and heavy arcs are distinguished where they are
relaxed, not kept in two lists.

Δ chooses between Dijkstra (small: many steps, no work twice) and Bellman-Ford (large: few steps, much work twice).

Of the three rules for Δ the second is printed as the sum of all weights over n, the nodes; both that and the mean, over
the arcs, are offered.

Meyer and Sanders, Δ-stepping: a parallelizable shortest path algorithm, J. Algorithms 2003; bucket indices and the
three rules for Δ from a Chinese study of CUDA Dijkstra, Bellman-Ford, Δ-stepping and
sparse matrix–vector Bellman-Ford (after 2011).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.delta_stepping import delta_stepping_kernels as bodies
from wayfront.algorithms.delta_stepping.delta_stepping_kernels import (
    FIRST,
    NOWHERE,
    REMOVED,
    REMOVED_ARCS,
    TAKEN,
    TAKEN_ARCS,
)
from wayfront.algorithms.delta_stepping.delta_stepping_view import buckets_after, read_buckets, threads_of_requests
from wayfront.devices.device import DeviceArray
from wayfront.errors import OptionError
from wayfront.kernels.reduction import Positions, scan_shares, scan_totals
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.options import AUTO, Option
from wayfront.search.recording import ArcCounts
from wayfront.search.registry import algorithm
from wayfront.search.run import Run
from wayfront.trace.schema import StepNote

LARGEST, SUM_OVER_NODES, MEAN, MEDIAN = RULES = (
    "largest weight / largest degree",
    "sum of weights / nodes",
    "mean weight",
    "median weight",
)
"""The study's three rules, its second in two readings: it prints 1/n of the sum, and the mean is 1/m of it."""

OPTIONS = (
    Option(
        "rule",
        str,
        LARGEST,
        "How Δ is chosen where it is not given; the study prints the sum of all weights over the nodes, and the mean "
        "over the arcs is our reading of that.",
        choices=RULES,
    ),
    Option(
        "delta",
        int,
        AUTO,
        "Bucket width in raw weights; auto follows the rule.",
        bounds=(1, 2**31 - 1),
        unit="weights",
        automatic=True,
    ),
)


def choose_delta(network: RoadNetwork, metric: Metric, rule: str) -> int:
    """Return Δ ≥ 1 by one of the rules."""
    if network.arc_count == 0:
        return 1
    if rule == SUM_OVER_NODES:
        delta = metric.weights.sum(dtype=np.int64) / network.node_count
    elif rule == MEAN:
        delta = metric.weights.mean()
    elif rule == MEDIAN:
        delta = np.median(metric.weights)
    else:
        delta = network.weight_range(metric)[1] / int(network.out_degrees().max())
    return max(1, round(float(delta)))


@dataclass(frozen=True, slots=True)
class _State:
    """Δ of one search, how many light and heavy arcs leave each node, and the work arrays."""

    delta: int
    light_counts: ArcCounts
    heavy_counts: ArcCounts
    buckets: bodies.Buckets
    positions: Positions
    requests: bodies.Requests


@algorithm(
    name="delta-stepping",
    reading_order=400,
    title="Δ-stepping",
    paper="Meyer and Sanders 2003; bucket index per node and request list from a CUDA study of four searches",
    family="Δ-stepping",
    summary="Nodes wait in buckets of width Δ. The first bucket is emptied over its light arcs until it stays empty, "
    "then its heavy arcs are relaxed once, and the next bucket is opened.",
    phases=("light arcs", "heavy arcs"),
    options=OPTIONS,
    state=buckets_after,
    threads=threads_of_requests,
)
def delta_stepping(run: Run) -> Iterator[None]:
    """Run Δ-stepping; a step is one light phase or the heavy phase of one bucket."""
    state = _start(run)
    nothing = (state.buckets.removed, 0)
    run.observer.hold(read_buckets(run, state.buckets.bucket, nothing, nothing))
    counts = _open_next_bucket(run, state)
    while counts[FIRST] != NOWHERE:
        index = counts[FIRST]
        while counts[TAKEN]:
            removed = (state.buckets.removed, counts[REMOVED])
            _relax(run, state, index, "light arcs", state.buckets.taken, counts[TAKEN], counts[TAKEN_ARCS], removed)
            yield
            counts = _empty_bucket_again(run, state)
        _relax(run, state, index, "heavy arcs", state.buckets.removed, counts[REMOVED], counts[REMOVED_ARCS], nothing)
        yield
        counts = _open_next_bucket(run, state)


def _start(run: Run) -> _State:
    n = run.node_count
    delta = _delta(run)
    buckets = bodies.Buckets(
        bucket=run.array("bucket", n, np.int32),
        was_removed=run.array("was removed", n, np.int8),
        taken=run.array("taken", n, np.int32),
        removed=run.array("removed", n, np.int32),
        counters=run.array("bucket counters", bodies.COUNTERS, np.int32),
    )
    positions = Positions(
        within=run.array("positions", n, np.int32),
        shares=run.array("share total", n // run.block + 1, np.int32),
    )
    requests = bodies.Requests(
        node=run.array("request node", run.network.arc_count, np.int32),
        arc=run.array("request arc", run.network.arc_count, np.int32),
    )
    run.launch(bodies.start_search, n, run.source, run.infinity, run.distances, buckets)
    return _State(delta, *_arc_counts(run, delta), buckets, positions, requests)


def _arc_counts(run: Run, delta: int) -> tuple[ArcCounts, ArcCounts]:
    """Return functions that count the light and the heavy arcs of each node, once they are first called."""

    @functools.cache
    def light() -> NDArray[np.int32]:
        tails = run.network.tails()[run.metric.weights <= delta]
        return np.bincount(tails, minlength=run.node_count).astype(np.int32)

    @functools.cache
    def heavy() -> NDArray[np.int32]:
        counts: NDArray[np.int32] = run.network.out_degrees() - light()
        return counts

    return light, heavy


def _open_next_bucket(run: Run, state: _State) -> list[int]:
    """Find the first bucket that is not empty, and empty it; return the counters."""
    buckets = state.buckets
    run.launch(bodies.reset_counters, bodies.COUNTERS, buckets.counters)
    run.launch(bodies.find_first_bucket, run.node_count, buckets.bucket, buckets.counters)
    return _empty_bucket(run, state)


def _empty_bucket_again(run: Run, state: _State) -> list[int]:
    """Empty the same bucket of what came back into it; return the counters."""
    run.launch(bodies.reset_taken, 2, state.buckets.counters)
    return _empty_bucket(run, state)


def _empty_bucket(run: Run, state: _State) -> list[int]:
    blocks = (run.node_count + run.block - 1) // run.block
    run.launch_blocks(bodies.empty_bucket, blocks, run.node_count, run.arcs.offsets, state.buckets)
    return run.read(state.buckets.counters)


def _relax(
    run: Run,
    state: _State,
    index: int,
    phase: str,
    nodes: DeviceArray,
    count: int,
    arcs: int,
    removed: tuple[DeviceArray, int],
) -> None:
    """Write the requests of the listed nodes and relax those that are light, or heavy, as the phase asks.

    After that ``removed``, a list with its length, still waits for its heavy arcs to be relaxed.
    """
    delta, positions, requests, offsets = state.delta, state.positions, state.requests, run.arcs.offsets
    heavy = int(phase == "heavy arcs")
    shares = (count + run.block - 1) // run.block
    run.launch_blocks(scan_shares, shares, count, nodes, offsets, positions)
    run.launch_blocks(scan_totals, 1, shares, positions.shares)
    # Lanes for the mean out-degree of these nodes: a whole warp for each would mostly idle on roads.
    lanes = min(run.device.warp_bits, (arcs // count).bit_length())
    share_bits = run.block.bit_length() - 1
    run.launch(bodies.add_requests, count << lanes, lanes, share_bits, nodes, offsets, positions, requests)
    run.launch(bodies.relax_request, arcs, heavy, delta, run.arcs, run.distances, state.buckets.bucket, requests)
    run.expand_list(nodes, count, state.heavy_counts if heavy else state.light_counts)
    reason = f"a thread for each of {arcs:,} requests"
    bounds = {"bucket": index, "low": index * delta, "high": (index + 1) * delta}
    run.step_done(StepNote("requests", reason, phase, **bounds))
    run.observer.hold(read_buckets(run, state.buckets.bucket, removed, (nodes, count)))


def _delta(run: Run) -> int:
    """Return Δ as given, or by the rule, but as wide as indices of buckets need to fit their int32.

    Raises ``OptionError`` if they might not fit with the Δ given. Indices of 32-bit distances always do.
    """
    given = run.options["delta"]
    offer = run.network.distance_bound(run.metric) + run.network.weight_range(run.metric)[1]
    least = 1 if run.distance_dtype.itemsize == 4 else offer // NOWHERE + 1
    if given == AUTO:
        return max(choose_delta(run.network, run.metric, str(run.options["rule"])), least)
    if int(given) < least:
        raise OptionError(
            f"delta {given} could need {offer // int(given):,} buckets here; choose at least {least:,}, or auto"
        )
    return int(given)
