"""Δ-stepping without queues: which bucket a node is in is one number beside it.

Nodes wait in buckets of width Δ by their distance. The first bucket that is not empty is emptied again and again,
relaxing its light arcs (w ≤ Δ), since those may put nodes back into it; once it stays empty its nodes' distances are
final, and their heavy arcs are relaxed, once. Sets of nodes do not suit a GPU, so ``bucket[v]`` names v's bucket,
"is bucket i empty" is a count, and "which bucket is next" is a minimum over all nodes. Light and heavy arcs are told
apart where they are relaxed, not kept in two lists.

Δ chooses between Dijkstra (small: many steps, no work twice) and Bellman-Ford (large: few steps, much work twice).

Meyer and Sanders, Δ-stepping: a parallelizable shortest path algorithm, J. Algorithms 2003; bucket indices and the
three rules for Δ from a Chinese study of CUDA Dijkstra, Bellman-Ford, Δ-stepping and
sparse matrix–vector Bellman-Ford (after 2011).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from wayfront.errors import OptionError
from wayfront.kernels.delta_stepping import (
    NOWHERE,
    empty_bucket,
    find_first_bucket,
    relax_marked,
    start_search,
)
from wayfront.kernels.observing import fill
from wayfront.network import Metric, RoadNetwork
from wayfront.options import Option
from wayfront.registry import algorithm
from wayfront.running import Run
from wayfront.trace import StepNote

RULES = ("largest weight / largest degree", "mean weight", "median weight")

OPTIONS = (
    Option("rule", str, RULES[0], "How Δ is chosen where it is not given.", choices=RULES),
    Option(
        "delta",
        int,
        0,
        "Bucket width in raw weights; auto follows the rule.",
        bounds=(1, 2**31 - 1),
        unit="weights",
        automatic=0,
    ),
)


def choose_delta(network: RoadNetwork, metric: Metric, rule: str) -> int:
    """Return Δ ≥ 1 by one of the CUDA study's three rules."""
    if network.arc_count == 0:
        return 1
    if rule == "mean weight":
        delta = metric.weights.mean()
    elif rule == "median weight":
        delta = np.median(metric.weights)
    else:
        delta = network.weight_range(metric)[1] / int(network.out_degrees().max())
    return max(1, round(float(delta)))


@algorithm(
    name="delta-stepping",
    title="Δ-stepping",
    paper="Meyer and Sanders 2003; bucket index per node from a CUDA study of four shortest-path searches",
    family="Δ-stepping",
    summary="Nodes wait in buckets of width Δ. The first bucket is emptied over its light arcs until it stays empty, "
    "then its heavy arcs are relaxed once, and the next bucket is opened.",
    phases=("light arcs", "heavy arcs"),
    options=OPTIONS,
)
def delta_stepping(run: Run) -> Iterator[None]:
    """Run Δ-stepping; a step is one light phase or the heavy phase of one bucket."""
    n, arrays = run.node_count, run.on_device
    delta = int(run.options["delta"]) or choose_delta(run.network, run.metric, str(run.options["rule"]))
    _check_bucket_count(run, delta)
    bucket = run.array("bucket", n, np.int32)
    chosen, removed = run.array("chosen", n, np.int8), run.array("removed", n, np.int8)
    first = run.array("first bucket", 1, np.int32)
    roads = (arrays.offsets, arrays.targets, arrays.weights, run.distances, bucket)
    run.launch(start_search, n, run.source, run.infinity, run.distances, bucket, chosen, removed)
    index = 0
    while index != NOWHERE:
        bounds = {"bucket": index, "low": index * delta, "high": (index + 1) * delta}
        light = StepNote("all nodes", "this search has no other mode", "light arcs", **bounds)
        while True:
            counter = run.counters(1)
            run.launch(empty_bucket, n, index, bucket, chosen, removed, counter)
            if run.read(counter)[0] == 0:
                break
            run.expand_marked(chosen)
            run.launch(relax_marked, n, False, delta, *roads, chosen)
            run.step_done(light)
            yield
        run.expand_marked(removed)
        run.launch(relax_marked, n, True, delta, *roads, removed)
        run.step_done(StepNote("all nodes", "this search has no other mode", "heavy arcs", **bounds))
        yield
        run.launch(fill, 1, first, NOWHERE)
        run.launch(find_first_bucket, n, bucket, first)
        index = run.read(first)[0]


def _check_bucket_count(run: Run, delta: int) -> None:
    buckets = (run.network.distance_bound(run.metric) + run.network.weight_range(run.metric)[1]) // delta
    if buckets >= NOWHERE:
        raise OptionError(
            f"delta {delta} could need {buckets:,} buckets here; choose at least {buckets // NOWHERE + 1}"
        )
