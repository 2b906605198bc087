"""The calls for all pairs and for closeness: distances from many sources to all nodes, reduced to figures of each.

A network is cut before a search from so many sources that its dissection repays the cut: seconds, not minutes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, Ability, choose_device
from wayfront.dissection.store import dissection_of
from wayfront.network.arcs import checked_arcs, facing, without_arcs
from wayfront.network.arguments import node_indices, require_network
from wayfront.network.copies import all_sources, each_once, without_staying
from wayfront.network.road_network import RoadNetwork
from wayfront.results.matrix_files import MATRIX, SUMMARY, MatrixLabels, kept_rows
from wayfront.results.pairs import INWARD, PairsResult, check_direction
from wayfront.safe.errors import NetworkError, OptionError
from wayfront.safe.options import AUTO
from wayfront.searching.all_pairs.checkpoint import Checkpoint
from wayfront.searching.all_pairs.counting import Bins, checked_bins, count_distances
from wayfront.searching.all_pairs.driving import AllPairs, search_pairs
from wayfront.searching.all_pairs.spreading import LOCAL, spread_pairs
from wayfront.searching.customised import seconds_to_cut
from wayfront.searching.execution import execute
from wayfront.searching.run import Progress, SearchOptions, bytes_recorded


def all_pairs(
    network: RoadNetwork,
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    sources: Sequence[int] | NDArray[np.integer] | None = None,
    keep: str | Path = SUMMARY,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    runs: int | None = 0,
    verify: bool = False,
    checkpoint: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    trace: bool = False,
    trace_budget: int | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    reverse: bool = False,
    scheduler: str | None = None,
    bins: Bins | None = None,
    bins_by_source: bool = False,
) -> PairsResult:
    """Find the shortest distances from many sources to all nodes, reduced to figures of every source.

    ``sources`` are internal node numbers, all nodes where None; one that occurs twice is searched from once, and
    ``PairsResult.sources`` has each once, in this order. A split node is one node: searched from where ways begin, and
    reached where they end. ``algorithm`` is a name from the registry that finds all
    pairs; "auto" takes the fastest for the device, and cuts the network first where so many sources repay it.
    ``keep`` is "summary", which takes a few bytes for each source, "matrix" for all rows in memory, or a path that
    ends in ``.npy`` or ``.zarr``. ``device``, ``metric``, ``options``, ``threads``, ``trace``, ``progress``,
    ``cancel`` and ``closures`` are as for ``wayfront.search``. ``reverse`` finds the distances from all nodes to each
    of the ``sources``: rows, figures and eccentricities are of these. With ``runs`` above 0 the search is timed as it
    finds its rows, and repeated until there are so many times; None means five, or one where it takes longer than a
    second. ``verify`` proves every row right, as it is found or in the matrix of a checkpoint, and compares some
    with the reference Dijkstra. Figures that a checkpoint holds without rows stay unproved: ``proved_rows``,
    ``verified`` and ``note`` of the result say so.

    ``checkpoint`` is a file (usually ``*.wfpairs``) in which finished sources are noted every half minute and when the
    search ends early, however it does: the same call then goes on with the others, by any algorithm on any device. It
    is deleted once everything is found. A matrix is written as its name with ``.part`` behind it until it is whole,
    and replaces none. Its labels are in ``NAME.ids.npz`` beside ``NAME.npy``, and coordinates of the ``.zarr`` group.

    ``bins`` counts all pairs by distance: so many bins from 0 to the largest distance, or between rising edges in the
    metric's unit (``PairsResult.histogram``), with ``bins_by_source`` also those of each source. Figures do without
    looking at each distance, so this takes longer than all else: New York's 70 billion some minute on one core. It is
    counted afterwards on the processor, after the network is cut where that is possible.

    ``scheduler`` spreads the sources over the workers of a Dask scheduler (extra ``cluster``): its address, or "local"
    for one process a card or group of ``threads`` cores of this machine. A chunk whose worker dies goes to another one.
    Then ``device`` and ``threads`` are the workers', the time is that of one run, and no trace is recorded.

    Raises ``NetworkError``, ``OptionError``, ``FormatError`` for a damaged checkpoint or that of another network,
    ``DeviceError``, ``MemoryShortError`` and ``WriteError`` for a matrix that does not fit, ``SearchCancelled``, and
    ``CertificateError`` should a row be wrong.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu")
        >>> result.pairs_reached, result.pairs_unreached
        (36, 0)
    """
    chosen = _chosen(require_network(network), sources, reverse)
    wanted_bins = None if bins is None else checked_bins(bins)
    if bins is None and bins_by_source:
        raise OptionError("bins_by_source says that bins are of each source: name the bins too")
    rows = kept_rows(keep, MatrixLabels(network, network.metric(metric), chosen, reverse))
    closed = without_staying(network, checked_arcs(network, closures))
    searched = without_arcs(*facing(network, closed, reverse=reverse))
    measured = searched.metric(metric)
    noted = None if checkpoint is None else Checkpoint(checkpoint, searched, measured)
    if noted is not None and keep == MATRIX:
        raise OptionError(
            "rows in memory are gone when a search is cancelled: to go on later, keep them in a .npy or .zarr file"
        )
    procedure = AllPairs(searched, measured, chosen, rows, noted, verify=verify, spread=scheduler is not None)

    asked = SearchOptions(
        algorithm=algorithm,
        device=device,
        metric=metric,
        options=options,
        threads=threads,
        runs=runs,
        trace_budget=bytes_recorded(trace, trace_budget),
        verify=verify,
        progress=progress,
        cancel=cancel,
        closures=closed,
        reverse=reverse,
    )

    def find() -> PairsResult:
        if algorithm == AUTO and not options:
            here = scheduler in (None, LOCAL)  # else the workers' devices are not known
            left = len(chosen) - procedure.found_before
            cut_if_worth(network, left, asked if here else replace(asked, device=CPU))
        if scheduler is None:
            return execute(procedure, network, asked, search_pairs)

        return spread_pairs(procedure, network, asked, scheduler, keeps_rows=rows is not None)

    result = procedure.closed_after(find)
    if wanted_bins is None:
        return result
    return replace(result, histogram=count_distances(result, wanted_bins, asked, by_source=bins_by_source))


def _chosen(
    network: RoadNetwork, sources: Sequence[int] | NDArray[np.integer] | None, reverse: bool
) -> NDArray[np.int32]:
    """Return the sources as int32 [k], each once, all nodes for None. Raises ``NetworkError`` unless they are nodes."""
    if sources is None:
        return all_sources(network, reverse=reverse)
    return each_once(network, node_indices(sources, network), reverse=reverse)


def closeness(
    network: RoadNetwork,
    direction: str = INWARD,
    *,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    **asked: Any,
) -> NDArray[np.float64]:
    """Return the closeness (Wasserman–Faust) of nodes per unit of the metric, float64 [k], all nodes by default.

    Split nodes are one each, at their first copies.

    "inward", the default and the field's, is of the distances from all nodes to the node, as
    ``networkx.closeness_centrality`` has it on a directed graph: the network is searched with its arcs turned round.
    "outward" is of the distances from the node to all others. A node that r − 1 of the n − 1 others count for, with
    distances of sum s, has (r − 1) / (n − 1) · (r − 1) / s: 0 where none does, infinity where all distances are 0.

    The other arguments and errors are those of ``wayfront.all_pairs``, such as ``sources``, the nodes that are asked
    for. Raises ``OptionError`` for another direction.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> wayfront.closeness(network, algorithm="dijkstra-in-turn", device="cpu").shape
        (6,)
    """
    reverse = check_direction(direction) == INWARD
    return all_pairs(network, closures=closures, reverse=reverse, **asked).closeness(direction)


A_CORE, A_CARD = 16e6, 280e6
"""Pairs that searches without a cut find in a second on New York: one core by Dijkstra, an H200 by a heap a source."""

WORTH = 3.0
"""How many times as long as the cut a search without one has to take: both are guesses."""

AT_ONCE_S = 2.0
"""A search without a cut that takes less is not worth any preparation."""


def cut_if_worth(network: RoadNetwork, sources: int, asked: SearchOptions) -> None:
    """Cut a network, and keep its cut, where the fastest search from so many sources on the device is by dissection.

    A network that has no small separators is left as it is. Raises ``DeviceError`` and ``SearchCancelled``.
    """
    chosen = choose_device(asked.device)
    rate = A_CORE * min(asked.threads, chosen.threads) if Ability.HOST_LOOPS in chosen.abilities else A_CARD
    without_s = sources * network.node_count / rate
    if chosen.exclusive or without_s < AT_ONCE_S + WORTH * seconds_to_cut(network):
        return

    try:
        dissection_of(network, progress=asked.report_preparing, cancel=asked.cancel)
    except NetworkError:  # its separators are too large: found after a few cuts
        return
