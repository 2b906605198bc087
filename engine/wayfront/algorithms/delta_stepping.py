"""Δ-stepping without queues: which bucket a node is in is one number beside it.

Nodes wait in buckets of width Δ by their distance. The first bucket that is not empty is emptied again and again,
relaxing its light arcs (w ≤ Δ), since those may put nodes back into it; once it stays empty its nodes' distances are
final, and their heavy arcs are relaxed, once. Sets of nodes do not suit a GPU, so ``bucket[v]`` names v's bucket, or is
``NOWHERE`` for a node in none; "is bucket i empty" is a count, and "which bucket is next" is a minimum
over all nodes (the study names that problem; the reductions are ours). What a phase relaxes is written down first, as a
list of requests: the prefix sum of its nodes' out-degrees says where each node's requests begin, so that all are
written at once without a lock, and then each arc has a thread of its own however many its node has. The study's list
holds the source nodes, n at most, and spreads their arcs over threads by such sums; ours holds the arcs. Light and
heavy arcs are distinguished where they are relaxed, not kept in two lists.

Δ chooses between Dijkstra (small: many steps, no work twice) and Bellman-Ford (large: few steps, much work twice).

Of the three rules for Δ the second is printed as the sum of all weights over n, the nodes; both that and the mean, over
the arcs, are offered.

Meyer and Sanders, Δ-stepping: a parallelizable shortest path algorithm, J. Algorithms 2003; bucket indices and the
three rules for Δ from a Chinese study of CUDA Dijkstra, Bellman-Ford, Δ-stepping and sparse matrix–vector Bellman-Ford
(after 2011).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.atomics import atomic_add, atomic_min
from wayfront.devices.cuda_support import cuda
from wayfront.devices.device import BlockKernel, DeviceArray
from wayfront.kernels.arguments import Arcs, lowers
from wayfront.kernels.reduction import Positions, scan_shares, scan_totals
from wayfront.network.arcs import arcs_from
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO, Option
from wayfront.searching.registry import algorithm
from wayfront.searching.run import Run
from wayfront.trace.observing import ArcCounts
from wayfront.trace.schema import StateRow, StepNote
from wayfront.trace.step_views import ARC, Blocks, Launch, Recorded, held_state

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

NOWHERE = 2**31 - 1

FIRST, TAKEN, TAKEN_ARCS, REMOVED, REMOVED_ARCS, COUNTERS = range(6)
"""Indices in ``counters``, int32: the first bucket in use; how many nodes were just taken from a bucket and how many
arcs leave them; and the same of all nodes removed from it since it was opened."""

BUCKET, REMOVED_ROW, RELAXED = "Bucket {number}", "Removed, heavy arcs to come", "Relaxed by the last step"

HEAVY = "heavy arcs"


class Buckets(NamedTuple):
    """Which bucket each node is in, and what the open bucket held.

    bucket        int32 [n]: the index of the node's bucket, or NOWHERE
    was_removed   int8 [n]: 1 once the node was removed from a bucket, so that its heavy arcs are relaxed once
    taken         int32 [n]: the nodes just taken from the open bucket
    removed       int32 [n]: all nodes removed from it since it was opened
    counters      int32 [COUNTERS]
    """

    bucket: DeviceArray
    was_removed: DeviceArray
    taken: DeviceArray
    removed: DeviceArray
    counters: DeviceArray


class Requests(NamedTuple):
    """The arcs to relax: each one's index and tail, int32 [m]."""

    node: DeviceArray
    arc: DeviceArray


def start_search(i: int, source: int, infinity: int, distances: DeviceArray, buckets: Buckets) -> None:
    """Put the source alone into bucket 0."""
    distances[i] = 0 if i == source else infinity
    buckets.bucket[i] = 0 if i == source else NOWHERE
    buckets.was_removed[i] = 0


def reset_counters(i: int, counters: DeviceArray) -> None:
    """Open a new bucket: nothing is taken from it yet, and the first one in use has still to be found."""
    counters[i] = NOWHERE if i == FIRST else 0


def find_first_bucket(i: int, bucket: DeviceArray, counters: DeviceArray) -> None:
    """Reduce the smallest bucket index in use."""
    index = bucket[i]
    if index < counters[FIRST]:
        atomic_min(counters, FIRST, index)


def _empty_bucket_on_card(node_count: int, offsets: DeviceArray, buckets: Buckets) -> None:
    sums = cuda.shared.array(COUNTERS, types.int32)
    before = cuda.shared.array(COUNTERS, types.int32)
    me, i = cuda.threadIdx.x, cuda.grid(1)
    first = buckets.counters[FIRST]
    takes = i < node_count and first != NOWHERE and buckets.bucket[i] == first
    if me < COUNTERS:
        sums[me] = 0
    if cuda.syncthreads_or(1 if takes else 0) == 0:  # most blocks have nothing in the bucket
        return
    index, removed_index, removes = 0, 0, False
    if takes:
        buckets.bucket[i] = NOWHERE
        degree = offsets[i + 1] - offsets[i]
        index = atomic_add(sums, TAKEN, 1)
        atomic_add(sums, TAKEN_ARCS, degree)
        removes = buckets.was_removed[i] == 0
        if removes:
            buckets.was_removed[i] = 1
            removed_index = atomic_add(sums, REMOVED, 1)
            atomic_add(sums, REMOVED_ARCS, degree)
    cuda.syncthreads()
    if TAKEN <= me < COUNTERS:
        before[me] = atomic_add(buckets.counters, me, sums[me])
    cuda.syncthreads()
    if takes:
        buckets.taken[before[TAKEN] + index] = i
        if removes:
            buckets.removed[before[REMOVED] + removed_index] = i


def _empty_bucket_on_processor(
    _blocks: int, _block: int, node_count: int, offsets: DeviceArray, buckets: Buckets
) -> None:
    counters = buckets.counters
    first = counters[FIRST]
    if first == NOWHERE:
        return
    for i in range(node_count):
        if buckets.bucket[i] == first:
            buckets.bucket[i] = NOWHERE
            degree = offsets[i + 1] - offsets[i]
            buckets.taken[counters[TAKEN]] = i
            counters[TAKEN] += 1
            counters[TAKEN_ARCS] += degree
            if buckets.was_removed[i] == 0:
                buckets.was_removed[i] = 1
                buckets.removed[counters[REMOVED]] = i
                counters[REMOVED] += 1
                counters[REMOVED_ARCS] += degree


empty_bucket: Final = BlockKernel(_empty_bucket_on_card, _empty_bucket_on_processor)
"""Take every node out of the first bucket that is in it, and list it for the heavy phase, once; a thread for each node.

A block counts in shared memory, and adds its counts to those of all once.
"""


def reset_taken(i: int, counters: DeviceArray) -> None:
    """Reset the counters of what was last taken, and keep those of what was removed in all."""
    counters[TAKEN + i] = 0


def add_requests(
    i: int,
    lane_bits: int,
    share_bits: int,
    nodes: DeviceArray,
    offsets: DeviceArray,
    positions: Positions,
    requests: Requests,
) -> None:
    """Write the requests of a listed node, one for each of its arcs, from its own position on.

    2^``lane_bits`` threads write those of one node side by side; a share has 2^``share_bits`` nodes.
    """
    k = i >> lane_bits
    lanes = 1 << lane_bits
    node = nodes[k]
    begin = positions.within[k] + positions.shares[k >> share_bits] - offsets[node]
    arc, end = offsets[node] + (i & (lanes - 1)), offsets[node + 1]
    while arc < end:
        requests.node[begin + arc] = node
        requests.arc[begin + arc] = arc
        arc += lanes


def relax_request(
    i: int, heavy: int, delta: int, arcs: Arcs, distances: DeviceArray, bucket: DeviceArray, requests: Requests
) -> None:
    """Relax the i-th request if its arc is light (w ≤ Δ) or heavy as asked; an improved node changes its bucket."""
    arc = requests.arc[i]
    weight = arcs.weights[arc]
    if (weight > delta) == (heavy != 0):
        target = arcs.targets[arc]
        offer = distances[requests.node[i]] + weight
        if lowers(distances, target, offer):
            atomic_min(bucket, target, offer // delta)


def read_buckets(
    run: Run, bucket: DeviceArray, removed: tuple[DeviceArray, int], relaxed: tuple[DeviceArray, int]
) -> Callable[[], tuple[StateRow, ...]]:
    """Return what reads the buckets in use, and two lists with their lengths."""

    def read() -> tuple[StateRow, ...]:
        distances, index = run.device.get(run.distances, run.node_count), run.device.get(bucket, run.node_count)
        rows = []
        for number in np.unique(index[index != NOWHERE]).tolist():
            nodes = np.flatnonzero(index == number)
            rows.append(StateRow(BUCKET, nodes.tolist(), distances[nodes].tolist(), number))
        for title, (array, count) in ((REMOVED_ROW, removed), (RELAXED, relaxed)):
            nodes = run.device.get(array, count)
            rows.append(StateRow(title, nodes.tolist(), distances[nodes].tolist()))
        return tuple(rows)

    return read


def threads_of_requests(recorded: Recorded, step: int, blocks: Blocks) -> tuple[Launch, ...]:
    """Return the launches that empty the bucket, list the requests, and relax those of the phase, a thread each."""
    note, network = recorded.trace.step(step).note, recorded.network
    nodes = np.array(recorded.held(step + 1, RELAXED), np.int64)
    if not len(nodes):
        return ()
    degrees, arcs = network.out_degrees(), arcs_from(network, nodes)
    heavy = recorded.metric.weights[arcs] > note.high - note.low
    lanes = min(blocks.facts.warp_bits, (len(arcs) // len(nodes)).bit_length())
    listing = blocks.lanes("add_requests", nodes, degrees, lane_bits=lanes)
    relaxing = blocks.launch("relax_request", arcs, heavy == (note.phase == HEAVY), ARC)
    if note.phase == HEAVY:
        return listing, relaxing
    return blocks.nodes("empty_bucket", network.node_count, nodes), listing, relaxing


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
    buckets: Buckets
    positions: Positions
    requests: Requests


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
    state=held_state("Buckets", ("Held in", "Nodes", "Distances")),
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
    buckets = Buckets(
        bucket=run.array("bucket", n, np.int32),
        was_removed=run.array("was removed", n, np.int8),
        taken=run.array("taken", n, np.int32),
        removed=run.array("removed", n, np.int32),
        counters=run.array("bucket counters", COUNTERS, np.int32),
    )
    positions = Positions(
        within=run.array("positions", n, np.int32), shares=run.array("share total", n // run.block + 1, np.int32)
    )
    requests = Requests(
        node=run.array("request node", run.network.arc_count, np.int32),
        arc=run.array("request arc", run.network.arc_count, np.int32),
    )
    run.launch(start_search, n, run.source, run.infinity, run.distances, buckets)
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
    run.launch(reset_counters, COUNTERS, buckets.counters)
    run.launch(find_first_bucket, run.node_count, buckets.bucket, buckets.counters)
    return _empty_bucket(run, state)


def _empty_bucket_again(run: Run, state: _State) -> list[int]:
    """Empty the same bucket of what came back into it; return the counters."""
    run.launch(reset_taken, 2, state.buckets.counters)
    return _empty_bucket(run, state)


def _empty_bucket(run: Run, state: _State) -> list[int]:
    blocks = (run.node_count + run.block - 1) // run.block
    run.launch_blocks(empty_bucket, blocks, run.node_count, run.arcs.offsets, state.buckets)
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
    run.launch(add_requests, count << lanes, lanes, share_bits, nodes, offsets, positions, requests)
    run.launch(relax_request, arcs, heavy, delta, run.arcs, run.distances, state.buckets.bucket, requests)
    run.expand_list(nodes, count, state.heavy_counts if heavy else state.light_counts)
    reason = f"a thread for each of {arcs:,} requests"
    bounds = {"bucket": index, "low": index * delta, "high": (index + 1) * delta}
    run.step_done(StepNote("requests", reason, phase, **bounds))
    run.observer.hold(read_buckets(run, state.buckets.bucket, removed, (nodes, count)))


def _delta(run: Run) -> int:
    """Return Δ as given, or by the rule, but as wide as indices of buckets need to fit their int32 with 64 bits.

    The rule's is as wide with 32 bits, so that a search has the same buckets in both. Raises ``OptionError`` if the
    indices might not fit with the Δ given; those of 32-bit distances always do.
    """
    given = run.options["delta"]
    offer = run.network.distance_bound(run.metric) + run.network.weight_range(run.metric)[1]
    least = offer // NOWHERE + 1
    if given == AUTO:
        return max(choose_delta(run.network, run.metric, str(run.options["rule"])), least)
    if int(given) < least and run.distance_dtype.itemsize == 8:
        raise OptionError(
            f"delta {given} could need {offer // int(given):,} buckets here; choose at least {least:,}, or auto"
        )
    return int(given)
