"""Spread the sources of an all-pairs search over the workers of a Dask scheduler.

Sources go out in chunks, a few for each worker at a time, and come back as figures (and rows, where they are kept). A
chunk whose worker died is searched again by another one; what is finished stays, and is noted in the checkpoint like
that of any search. Figures do not depend on who found them, so that the result is that of one machine, bit for bit.

A worker is a process with one thread for tasks: one for each card, or for each group of cores. It takes the network and
its cut for the dissection from its cache by their keys; one that lacks any is sent both once. The cut is made here.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.store import dissection_of
from wayfront.errors import DeviceError, SearchCancelled
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO, OptionValue, resolve
from wayfront.plugins.sending import send_file
from wayfront.search.all_pairs.cluster import LOCAL, connect
from wayfront.search.all_pairs.procedure import AllPairs
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.all_pairs.worker import ChunkFound, Missing, Task, find_chunk, holds, take_network
from wayfront.search.procedure import Progress
from wayfront.search.registry import SearchKind, require_kind
from wayfront.search.result import Timing
from wayfront.timing.machine import machine_facts

if TYPE_CHECKING:
    from distributed import Client, Future

CHUNKS_EACH, MOST_SOURCES, MOST_ROW_BYTES = 16, 4096, 1 << 28
"""Chunks for each worker, of at most so many sources, whose rows take at most so many bytes where they are kept."""

AHEAD = 3
"""Chunks for each worker that are sent out at a time, so that none waits for the next."""

POLL_S = 0.1
"""How often it is looked whether the search was cancelled."""

CUT_FOR = "dissection-all-pairs"


def spread_pairs(
    procedure: AllPairs,
    network: RoadNetwork,
    closures: NDArray[np.int64],
    *,
    scheduler: str,
    algorithm: str,
    device: str,
    metric: str | None,
    options: Mapping[str, Any] | None,
    threads: int,
    verify: bool,
    keeps_rows: bool,
    progress: Callable[[Progress], None] | None,
    cancel: threading.Event | None,
) -> PairsResult:
    """Search from all sources of a procedure that are not finished; arguments and errors as those of ``all_pairs``.

    Raises ``DeviceError`` where no worker can be reached, or where none can finish a chunk.
    """
    values: dict[str, OptionValue] = {}
    plugin = None
    if algorithm != AUTO:
        declared = require_kind(algorithm, SearchKind.ALL_PAIRS)
        values, plugin = resolve(declared.options, options), send_file(declared.home)
    cells = dissection_of(network, cancel=cancel, only_kept=algorithm != CUT_FOR)
    task = Task(
        network.content_key,
        algorithm,
        device,
        network.metric(metric).name,
        dict(options or {}),
        threads,
        verify=verify,
        keeps_rows=keeps_rows,
        closures=closures,
        wants_cut=cells is not None,
        plugin=plugin,
    )
    with connect(scheduler, device, threads) as client:
        spreading = _Spreading(client, task, procedure, network, cells, progress, cancel)
        spreading.run()
    found = spreading.found
    machine = machine_facts() | (dict(found[0].machine) if found else {}) | {"workers": str(len(spreading.workers))}
    names = Counter(chunk.algorithm for chunk in found)
    result = procedure.make_result(
        network=network,
        metric=network.metric(metric),
        algorithm=names.most_common(1)[0][0] if names else algorithm,
        options=values,
        device=found[0].device if found else device,
        device_name=" and ".join(sorted({chunk.device_name for chunk in found})),
        relaxations=None,
        timing=Timing((spreading.took_ms,) if found else (), 0.0, 0.0, None, machine, _longest(found)),
        verified=True if verify else None,
        note=_found_by(len(spreading.workers), scheduler) if found else "",
        closures=closures,
        device_bytes=max((chunk.device_bytes or 0 for chunk in found), default=0) or None,
    )
    return replace(result, proved=sum(chunk.proved for chunk in found), compared=sum(chunk.compared for chunk in found))


def _found_by(workers: int, scheduler: str) -> str:
    where = "on this machine" if scheduler == LOCAL else f"of {scheduler}"
    return f"{workers} {'worker' if workers == 1 else 'workers'} {where} found the rows"


def _longest(found: list[ChunkFound]) -> dict[str, float]:
    """Return what preparing took where it took longest."""
    names = dict.fromkeys(name for chunk in found for name in chunk.prepare_ms)
    return {name: max(chunk.prepare_ms.get(name, 0.0) for chunk in found) for name in names}


class _Spreading:
    """Sends out the chunks of one search and takes in what is found."""

    def __init__(
        self,
        client: Client,
        task: Task,
        procedure: AllPairs,
        network: RoadNetwork,
        cells: Any,
        progress: Callable[[Progress], None] | None,
        cancel: threading.Event | None,
    ) -> None:
        self._client, self._task, self._procedure, self._cancel = client, task, procedure, cancel
        self._report = progress
        self._parcel = replace(network, _derived={}), None if cells is None else replace(cells, _derived={})
        self._sources = procedure.collector.begin(procedure.sources)
        self._finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._sent: dict[Any, tuple[Future, slice]] = {}
        self._dtype: np.dtype[Any] | None = None
        self.found: list[ChunkFound] = []
        self.workers: set[str] = set()
        self.took_ms = 0.0

    def run(self) -> None:
        """Search from all sources. Raises ``SearchCancelled``, ``DeviceError``, and what a worker raised."""
        client = self._client
        held = client.run(holds, self._task)
        lacking = [address for address, there in held.items() if not there]
        if lacking:
            client.run(take_network, *self._parcel, workers=lacking)
        waiting = self._chunks(len(held))
        if waiting:
            self._make_ready(list(held))
        begin = time.perf_counter()
        try:
            while waiting or self._sent:
                while waiting and len(self._sent) < AHEAD * max(1, len(client.nthreads())):
                    self._send(waiting.pop())
                self._take_next()
                self._tell(begin)
        finally:
            client.cancel([future for future, _ in self._sent.values()])
        self.took_ms = (time.perf_counter() - begin) * 1e3

    def _make_ready(self, workers: list[str]) -> None:
        """Let every worker compile and fold for one source before the time begins, as a search on one device does.

        Raises ``SearchCancelled`` and what a worker raised. One that died is not waited for: another takes its chunks.
        """
        begin, first, elsewhere = time.perf_counter(), self._sources[:1], {"allow_other_workers": True, "pure": False}
        futures = [
            self._client.submit(find_chunk, self._task, first, workers=[address], **elsewhere) for address in workers
        ]
        try:
            self._tell(begin, "compiling on the workers")
            while not all(future.done() for future in futures):
                self._stop_if_cancelled()
                time.sleep(POLL_S)
            self._stop_if_cancelled()
            for future in futures:
                self._result_of(future)
        finally:
            self._client.cancel(futures)

    def _stop_if_cancelled(self) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise SearchCancelled("the search was stopped between two chunks")

    def _chunks(self, workers: int) -> list[slice]:
        """Return the chunks, the first one last."""
        count, row_bytes = len(self._sources), 8 * self._parcel[0].node_count
        size = min(max(1, count // (CHUNKS_EACH * max(workers, 1))), MOST_SOURCES)
        if self._task.keeps_rows:
            size = max(1, min(size, MOST_ROW_BYTES // row_bytes))
        return [slice(first, min(first + size, count)) for first in range(0, count, size)][::-1]

    def _send(self, chunk: slice) -> None:
        future = self._client.submit(find_chunk, self._task, self._sources[chunk], pure=False)
        self._sent[future.key] = (future, chunk)
        future.add_done_callback(self._finished.put)

    def _take_next(self) -> None:
        """Wait a moment for a chunk; keep what it found, or send it again where its worker lacks the network."""
        self._stop_if_cancelled()
        try:
            future = self._finished.get(timeout=POLL_S)
        except queue.Empty:
            return
        _, chunk = self._sent.pop(future.key)
        found: ChunkFound | Missing = self._result_of(future)
        if isinstance(found, Missing):
            with suppress(OSError):  # it died since: another one takes the chunk
                self._client.run(take_network, *self._parcel, workers=[found.worker])
            self._send(chunk)
            return
        self._keep(chunk.start, found)

    def _result_of(self, future: Future) -> Any:
        """Return what a worker answered. Raises what it raised, and ``DeviceError`` where it died again and again."""
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker:
            raise DeviceError(
                "several workers died one after another over the same sources: see what they logged, or give them more "
                "memory"
            ) from None

    def _keep(self, first: int, found: ChunkFound) -> None:
        procedure, collector = self._procedure, self._procedure.collector
        if found.rows is not None:
            if self._dtype is None or found.rows.dtype.itemsize > self._dtype.itemsize:
                self._dtype = found.rows.dtype
                procedure.prepare_rows(self._dtype)
            collector.keep_rows(first, found.rows)
        collector.keep_figures(first, *found.figures)
        procedure.note_progress(over=False)
        self.workers.add(found.worker)
        self.found.append(found._replace(rows=None))

    def _tell(self, begin: float, stage: str = "searching") -> None:
        if self._report is None:
            return
        figures = self._procedure.collector.figures
        done, now = int(figures.done.sum()), time.perf_counter() - begin
        found = done - self._procedure.found_before
        ahead = now / found * len(self._sources) if found else None
        self._report(
            Progress(
                stage,
                len(self.found),
                seconds_ahead=ahead,
                summary=figures.copy,
                sources_done=done,
                sources_wanted=len(figures.done),
            )
        )
