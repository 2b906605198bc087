"""The call for matrices: distances from points to points, in memory or written as they are found."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.results.matrix import Matrix
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO
from wayfront.searching.matrices.finding import Finder, prepared_for
from wayfront.searching.matrices.keeping import Keeper, keeper
from wayfront.searching.matrices.question import Question, Show, checked
from wayfront.searching.prepared import Prepared


def distance_matrix(
    network: RoadNetwork,
    origins: Any,
    destinations: Any = None,
    metric: str | None = None,
    device: str = AUTO,
    *,
    also: Sequence[str] = (),
    threads: int = 1,
    reverse: bool = False,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
    limit_m: float | None = None,
    prepared: Prepared | None = None,
    path: str | Path | None = None,
    scheduler: str | None = None,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Matrix:
    """Find the shortest distances from all origins to all destinations.

    Both are ``Places`` (put on the nearest road within ``limit_m`` metres, 500 by default), ``SnappedPlaces``, ``Ends``
    or internal node numbers; one may occur several times. ``destinations`` are the origins where None. Points that no
    road is near have missing rows or columns, and are listed (``Matrix.far_origins``). With ``reverse`` the ways lead
    from the destinations to the origins. ``metric``, ``device``, ``threads``, ``closures`` and ``cancel`` are as for
    ``wayfront.search``; ``progress`` receives what is being done and the fraction done, −1 where that is not known. The
    network is cut, unless its cut is kept, and stays prepared, so that the next matrix by the same metric begins at
    once; ``prepared`` takes what was prepared before, with its own metric, device, closures and direction.

    ``also`` names further metrics that are added up along the same ways, such as the length of the fastest: exactly,
    along the one shortest way that a tree has. That takes a whole tree for each origin, some milliseconds on New York,
    where distances alone are found by sweeps that descend only to the cells with destinations.

    With ``path`` rows are written as they are found, and the matrix may be larger than memory: to a ``.zarr`` folder or
    a ``.npy`` file (raw weights, labels beside them), or in long form to ``.parquet`` or ``.csv`` (a row for each pair,
    in units). After a cancelled call the same one goes on with what a ``.zarr`` or ``.npy`` lacks, which is kept with
    ``.part`` behind its name. ``scheduler`` spreads the origins over the workers of a Dask scheduler (extra
    ``cluster``): its address, or "local" for one process a card, or a group of ``threads`` cores, of this machine.

    Raises ``NetworkError``, ``OptionError``, ``DeviceError``, ``MemoryShortError`` and ``WriteError`` for what does not
    fit, before anything is computed, and ``SearchCancelled``.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> wayfront.distance_matrix(network, [0, 5], [0, 5, 11], device="cpu").values.shape
        (2, 3)
    """
    if prepared is not None and (device, threads, scheduler) != (AUTO, 1, None):
        raise OptionError("what is prepared has a device of its own: leave device, threads and scheduler out")
    question = checked(
        *(network, origins, destinations), metric=metric, also=also, reverse=reverse, closures=closures,
        limit_m=limit_m, prepared=prepared, path=path, progress=progress, cancel=cancel,
    )  # fmt: skip
    if scheduler is not None:
        return _spread(question, path, scheduler, device, threads, progress, cancel)

    def ready() -> Prepared:
        return prepared_for(question, device, threads, progress, cancel) if prepared is None else prepared

    def show(fraction: float) -> None:
        if progress is not None:
            progress("finding distances", fraction)

    def again() -> Prepared:
        return prepared_for(question, device, threads) if prepared is None else prepared

    if path is None and not also:
        found, begin = ready(), time.perf_counter()
        raw = found.matrix(question.rows.ends, question.columns.ends, progress=show, cancel=cancel)
        raw.flags.writeable = False
        took = FoundBy(found.device.id, found.device.name, (time.perf_counter() - begin) * 1e3)
        return _made(question, raw, {}, int(np.count_nonzero(raw != NO_PATH)), took, "", again)
    with keeper(question, path, lambda places: Finder(question, ready()).rows(places)) as kept:
        found = ready()
        finder, begin, wanted = Finder(question, found), time.perf_counter(), len(kept.left)
        done = 0
        for places, arrays in finder.blocks(kept.left, cancel):
            kept.take(places, arrays)
            done += len(places)
            show(done / wanted)
        took = FoundBy(found.device.id, found.device.name, (time.perf_counter() - begin) * 1e3)
        return _finished(question, kept, took, again)


def _spread(
    question: Question,
    path: str | Path | None,
    scheduler: str,
    device: str,
    threads: int,
    progress: Show | None,
    cancel: threading.Event | None,
) -> Matrix:
    """Find a matrix with the workers of a scheduler; here nothing is prepared but for what is asked of it later."""
    from wayfront.searching.matrices.spreading import spread_rows

    def here() -> Prepared:
        return prepared_for(question, AUTO, 1)

    with keeper(question, path, lambda places: Finder(question, here()).rows(places)) as kept:
        found = spread_rows(question, kept, scheduler, device, threads, progress, cancel)
        return _finished(question, kept, FoundBy(*found), here)


class FoundBy(NamedTuple):
    """On what rows were found, its name, and how many milliseconds that took."""

    device: str
    device_name: str
    elapsed_ms: float


def _finished(question: Question, kept: Keeper, by: FoundBy, again: Callable[[], Prepared]) -> Matrix:
    """Return what was kept as a matrix."""
    raw, more = kept.finish()
    return _made(question, raw, more, kept.reached, by, kept.path, again)


def _made(
    question: Question, raw: Any, more: Any, reached: int, by: FoundBy, path: str, again: Callable[[], Prepared]
) -> Matrix:
    """Return a matrix; ``again`` gives what is prepared, for routes."""
    return Matrix(
        labels=question.labels,
        raw=raw,
        more=more,
        reached=reached,
        device=by.device,
        device_name=by.device_name,
        elapsed_ms=by.elapsed_ms,
        path=path,
        closures=question.closures,
        prepare=again,
    )
