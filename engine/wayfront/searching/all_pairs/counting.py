"""Counting pairs by distance: every distance is looked at once more, which figures of all pairs do without.

Figures come by classes of sources that see a cell's border alike, with sums and largest values of differences alone. A
bin is not the same for all members of a class, so here trees are made one by one, in lanes, and the distances of a
cell's nodes are counted as they are made: together where they all fall into one bin, else each by itself. A network
that cannot be cut is searched by Dijkstra.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, open_device
from wayfront.dissection.engine import Engine
from wayfront.network.arcs import facing
from wayfront.network.copies import counted
from wayfront.network.road_network import Metric
from wayfront.results.histogram import Histogram
from wayfront.results.pairs import PairsResult
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.memory import require_memory
from wayfront.safe.text import shortened
from wayfront.searching.all_pairs.proof import reference_row
from wayfront.searching.customised import Wanted, customised_on
from wayfront.searching.distances import NARROW, WIDE
from wayfront.searching.run import Progress, SearchOptions

Bins = int | Sequence[float] | NDArray[Any]

MOST_BINS = 10_000
AT_ONCE = 1 << 10
"""Sources that are counted before anybody is asked whether to go on."""
COUNTING = "counting distances"


def checked_bins(bins: Bins) -> int | NDArray[np.float64]:
    """Return how many bins there are to be, or their edges in the metric's unit. Raises ``OptionError``."""
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        if not 1 <= bins <= MOST_BINS:
            raise OptionError(f"there are 1 to {MOST_BINS:,} bins, not {bins:,}")
        return int(bins)
    try:
        edges = np.array(bins, np.float64)  # the caller keeps their own
    except (ValueError, TypeError):
        edges = np.zeros(0)
    if edges.ndim != 1 or not 2 <= len(edges) <= MOST_BINS + 1 or isinstance(bins, str | bool):
        raise OptionError(
            f"bins are a number of them, or their edges, 2 to {MOST_BINS + 1:,} distances, not {shortened(bins)}"
        )
    if not (np.isfinite(edges).all() and edges[0] >= 0 and (edges[1:] > edges[:-1]).all()):
        raise OptionError(f"edges of bins are 0 or more, each above the one before, not {shortened(bins)}")
    return edges


def count_distances(
    result: PairsResult, bins: int | NDArray[np.float64], asked: SearchOptions, *, by_source: bool
) -> Histogram:
    """Return how many pairs of a result lie how far apart, on the cores of the processor.

    So many ``bins`` go from 0 to the largest distance. Raises ``MemoryShortError``, ``SearchCancelled``.
    """
    metric, sources = result.metric, result.sources
    edges = np.linspace(0.0, result.diameter.distance * metric.scale, bins + 1) if isinstance(bins, int) else bins
    if edges[-1] <= edges[0]:  # all pairs at distance 0
        edges = np.array([0.0, 1.0])
    limits = _raw(edges, metric)
    if by_source:
        require_memory(4 * len(sources) * len(limits), f"the histogram of each of {len(sources):,} sources")
    began = time.perf_counter()
    counts = np.zeros(len(edges) - 1, np.int64)
    each = np.zeros((len(sources) if by_source else 0, len(edges) - 1), np.int32)
    done, first, first_s = 0, 0, began
    for found in _found(result, limits, asked):
        counts += found.sum(axis=0, dtype=np.int64)
        if by_source:
            each[done : done + len(found)] = found
        done += len(found)
        now = time.perf_counter()
        if not first:  # what compiling and customising take is no forecast
            first, first_s = done, now
        ahead = (now - first_s) / (done - first) * len(sources) if done > first else None
        asked.check(COUNTING)
        asked.report(
            Progress(
                "searching",
                done,
                steps_ahead=len(sources),
                seconds_ahead=ahead,
                sources_done=done,
                sources_wanted=len(sources),
                doing=COUNTING,
            )
        )
    for array in (edges, counts, each):
        array.flags.writeable = False
    outside = result.pairs_reached - int(counts.sum())
    return Histogram(edges, counts, outside, each if by_source else None, time.perf_counter() - began)


def _raw(edges: NDArray[np.float64], metric: Metric) -> NDArray[np.int64]:
    """Return the smallest raw distance in each bin, and behind them the largest of the last one and 1."""
    limits = [np.ceil(metric.raw_limit(edge)) for edge in edges[:-1].tolist()]
    limits.append(np.floor(metric.raw_limit(float(edges[-1]))) + 1)
    return np.minimum(limits, 2.0**62).astype(np.int64)


def _found(result: PairsResult, limits: NDArray[np.int64], asked: SearchOptions) -> Iterator[NDArray[np.int32]]:
    """Yield the counts [some, b] of sources, in their order."""
    network, closed = facing(result.network, result.closures, reverse=result.reverse)
    device = open_device(CPU, asked.threads if asked.device == CPU else 1)
    try:
        customised = customised_on(device, network, asked.report_preparing, asked.cancel)
    except NetworkError:  # its separators are too large
        yield from _by_rows(result, limits, asked)
        return
    for dtype in (NARROW, WIDE):
        wanted = Wanted(result.metric.name, closed.tobytes(), dtype)
        if customised.customise(wanted):
            break
    for first in range(0, len(result.sources), AT_ONCE * device.threads):
        some = result.sources[first : first + AT_ONCE * device.threads]
        found = customised.use(wanted, partial(_count, some, limits))
        assert found is not None
        yield found


def _count(sources: NDArray[np.int32], limits: NDArray[np.int64], engine: Engine) -> NDArray[np.int32]:
    from wayfront.dissection.host.engine import HostEngine

    assert isinstance(engine, HostEngine)
    return engine.batch.histograms(sources, limits)


def _by_rows(result: PairsResult, limits: NDArray[np.int64], asked: SearchOptions) -> Iterator[NDArray[np.int32]]:
    """Yield the counts [1, b] of each source, from its row by Dijkstra."""
    network, metric = result.searched
    counting, rows = counted(network), len(limits) + 1
    for source in result.sources.tolist():
        asked.check(COUNTING)
        row = reference_row(network, metric, source)[counting]
        counts = np.bincount(np.searchsorted(limits, row, side="right"), minlength=rows)
        yield counts[np.newaxis, 1:-1].astype(np.int32)
