"""All pairs by nested dissection: every source climbs and descends in the fronts of one customised network.

The matrices of a cell are read once for many sources, which lie side by side. See ``algorithms.dissection.dissection``
for the idea; Sao, Kannan, Gera and Vuduc, A supernodal all-pairs shortest path algorithm, PPoPP 2020, eliminate the
same way and then make the whole matrix.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

import numpy as np

from wayfront.algorithms.dissection.dissection import prepare
from wayfront.devices.device import Ability
from wayfront.search.all_pairs.run import PairsRun
from wayfront.search.customised import Customised, Wanted, customised_on
from wayfront.search.registry import SearchKind, Tell, algorithm
from wayfront.trace.schema import StepNote

ON_CARD, A_CORE = 1024, 256
"""Sources taken side by side, on a card and for each core of a processor: so many read a matrix together."""

WITHOUT_ROWS, FIGURE_BYTES = 1 << 15, 64
"""Sources that a card takes together where it keeps no rows of distances, and the bytes that each of them takes."""

TREES = StepNote("many sources", "a cell's matrices are read once for all of them", "climb and descend")


def _at_once(run: PairsRun) -> int:
    if run.device.lane_bits and run.distance_dtype == np.int32 and not run.keeper.wants_rows:
        return run.at_once(FIGURE_BYTES, most=WITHOUT_ROWS)  # a card's engine divides them itself
    if Ability.HOST_LOOPS in run.device.abilities and not run.keeper.wants_rows:  # few, so that it can be cancelled
        return run.at_once(FIGURE_BYTES, most=A_CORE * run.device.threads)
    most = ON_CARD if run.device.lane_bits else A_CORE * run.device.threads
    return run.at_once(run.node_count * run.distance_dtype.itemsize, most=most)


def prepare_pairs(run: PairsRun, tell: Tell, cancel: threading.Event | None) -> Mapping[str, float] | None:
    """Cut and customise as for one tree, and compile what finds figures, which no rehearsal does."""
    prepared = prepare(run, tell, cancel)
    if prepared is not None and not run.keeper.wants_rows:
        customised, wanted = customised_on(run.device, run.whole), Wanted.by(run)
        if customised.finds_figures(wanted):
            customised.figures(wanted, run.sources[: _at_once(run)])
    return prepared


def _count_batches(run: PairsRun) -> int:
    """Return how many batches there will be."""
    return -(-len(run.sources) // _at_once(run))


@algorithm(
    name="dissection-all-pairs",
    reading_order=605,
    title="Nested dissection from every source",
    paper="George 1973; all pairs: Sao, Kannan, Gera and Vuduc 2020",
    family="All pairs",
    summary="Cuts the network and folds it for the metric once, then makes the trees of many sources together.",
    phases=("climb and descend",),
    count_steps=_count_batches,
    kind=SearchKind.ALL_PAIRS,
    prepare=prepare_pairs,
)
def dissection_all_pairs(run: PairsRun) -> Iterator[int]:
    """Make the trees of every source; a step is a batch of them."""
    customised, wanted = customised_on(run.device, run.whole), Wanted.by(run)
    if customised.finds_figures(wanted) and not run.keeper.wants_rows:
        return _find_figures(run, customised, wanted)
    return _find_rows(run, customised, wanted)


def _find_figures(run: PairsRun, customised: Customised, wanted: Wanted) -> Iterator[int]:
    at_once = _at_once(run)
    for first in range(0, len(run.sources), at_once):
        run.check()
        found = customised.figures(wanted, run.sources[first : first + at_once])
        run.figures_done(first, found.eccentricity, found.farthest, found.total, found.reached, note=TREES)
        yield 1


def _find_rows(run: PairsRun, customised: Customised, wanted: Wanted) -> Iterator[int]:
    n, at_once = run.node_count, _at_once(run)
    rows = run.array("distances", at_once * n, run.distance_dtype)
    source_stride, node_stride = (1, at_once) if run.device.lane_bits else (n, 1)
    for batch in run.batches(at_once):
        run.check()
        sources = run.sources[batch.first : batch.first + batch.count]
        customised.trees(wanted, sources, rows, source_stride=source_stride, node_stride=node_stride)
        run.rows_done(batch, rows, source_stride=source_stride, node_stride=node_stride, note=TREES)
        yield 1
