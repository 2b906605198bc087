"""The call for all pairs: distances from many sources to all nodes, reduced to figures of each as they are found."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU
from wayfront.errors import NetworkError, OptionError
from wayfront.network.closing import checked_arcs, without_arcs
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO
from wayfront.search.all_pairs.checkpoint import Checkpoint
from wayfront.search.all_pairs.cluster import LOCAL
from wayfront.search.all_pairs.driving import search_pairs
from wayfront.search.all_pairs.procedure import AllPairs
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.all_pairs.rows import MATRIX, SUMMARY, kept_rows
from wayfront.search.all_pairs.worth_cutting import cut_if_worth
from wayfront.search.execution import execute
from wayfront.search.procedure import Progress
from wayfront.trace.recorder import DEFAULT_BUDGET_BYTES


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
    runs: int | None = None,
    verify: bool = False,
    checkpoint: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    trace_budget: int | None = DEFAULT_BUDGET_BYTES,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    scheduler: str | None = None,
) -> PairsResult:
    """Find the shortest distances from many sources to all nodes, reduced to figures of every source.

    ``sources`` are internal node numbers, all nodes where None. ``algorithm`` is a name from the registry that
    finds all pairs; "auto" takes the fastest for the device, and cuts the network first where so many sources repay
    it. ``keep`` is "summary", which takes a few bytes for each source, "matrix" for all rows in memory, or a path
    that ends in ``.npy`` or ``.zarr``. ``device``, ``metric``, ``options``, ``threads``, ``progress``, ``cancel``
    and ``closures`` are as for ``wayfront.search``. The search is timed as it finds its rows, and repeated until
    there are ``runs`` times: None means five, or one where it takes longer than a second. ``verify`` proves every
    row right as it is found, and compares some with the reference Dijkstra.

    ``checkpoint`` is a file (usually ``*.wfpairs``) in which finished sources are noted every half minute and when the
    search ends early, however it does: the same call then goes on with the others, by any algorithm on any device. It
    is deleted once everything is found. A matrix is written as its name with ``.part`` behind it until it is whole.

    ``scheduler`` spreads the sources over the workers of a Dask scheduler (extra ``cluster``): its address, or "local"
    for one process a card or group of ``threads`` cores of this machine. A chunk whose worker dies goes to another one.
    Then ``device`` and ``threads`` are the workers', the time is that of one run, and no trace is recorded.

    Raises ``NetworkError``, ``OptionError``, ``FormatError`` for a damaged checkpoint or that of another network,
    ``DeviceError``, ``MemoryShortError`` and ``WriteError`` for a matrix that does not fit, ``SearchCancelled``, and
    ``CertificateError`` should a row be wrong.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:ring?nodes=6")
        >>> result = wayfront.all_pairs(network, "dijkstra-in-turn", "cpu", runs=0)
        >>> result.pairs_reached, result.pairs_unreached
        (36, 0)
    """
    chosen = checked_sources(network, sources)
    rows = kept_rows(keep, (len(chosen), network.node_count), network.name)
    closed = checked_arcs(network, closures)
    searched = without_arcs(network, closed)
    measured = searched.metric(metric)
    noted = None if checkpoint is None else Checkpoint(checkpoint, searched, measured)
    if noted is not None and keep == MATRIX:
        raise OptionError(
            "rows in memory are gone when a search is cancelled: to go on later, keep them in a .npy or .zarr file"
        )
    procedure = AllPairs(searched, measured, chosen, rows, noted, verify=verify and scheduler is None)

    def find() -> PairsResult:
        if algorithm == AUTO and not options:
            here = scheduler in (None, LOCAL)  # else the workers' devices are not known
            left = len(chosen) - procedure.found_before
            cut_if_worth(network, left, device if here else CPU, threads, progress, cancel)
        if scheduler is not None:
            from wayfront.search.all_pairs.spreading import spread_pairs

            return spread_pairs(
                procedure,
                network,
                closed,
                scheduler=scheduler,
                algorithm=algorithm,
                device=device,
                metric=metric,
                options=options,
                threads=threads,
                verify=verify,
                keeps_rows=rows is not None,
                progress=progress,
                cancel=cancel,
            )
        return execute(
            procedure,
            network,
            algorithm,
            device,
            metric=metric,
            options=options,
            threads=threads,
            runs=runs,
            trace_budget=trace_budget,
            verify=verify,
            progress=progress,
            cancel=cancel,
            closures=closed,
            drive=search_pairs,
        )

    return procedure.closed_after(find)


def checked_sources(network: RoadNetwork, sources: Sequence[int] | NDArray[np.integer] | None) -> NDArray[np.int32]:
    """Return sources as int32 [k], all nodes for None. Raises ``NetworkError`` unless they are distinct nodes."""
    if sources is None:
        return np.arange(network.node_count, dtype=np.int32)
    given = np.asarray(sources)
    if given.ndim != 1 or not len(given) or given.dtype.kind not in "iu":
        raise NetworkError(
            f"sources are one or more internal node numbers, not {sources!r}; network.node(id) gives a node's number"
        )
    outside = (given < 0) | (given >= network.node_count)
    if outside.any():
        raise NetworkError(
            f"{network.name} has no internal node {given[outside][0]}; they are 0…{network.node_count - 1}"
        )
    if len(np.unique(given)) < len(given):
        raise NetworkError("a node occurs twice among the sources; name each once")
    return given.astype(np.int32)
