"""Spread the sources of an all-pairs search, or of another, over the workers of a Dask scheduler.

Sources go out in chunks, a few for each worker at a time, and come back as figures (and rows, where they are kept). A
chunk whose worker died is searched again by another one; what is finished stays, and is noted in the checkpoint like
that of any search. Figures do not depend on who found them, so that the result is that of one machine, bit for bit.

A worker is a process with one thread for tasks: one for each card, or for each group of cores. It takes the network and
its cut for the dissection from its cache by their keys; one that lacks any is sent both once. The cut is made here.
Where nobody started a scheduler, one is started here with workers on this machine.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import Ability, choose_device, devices
from wayfront.dissection.shape import Dissection
from wayfront.dissection.store import dissection_of
from wayfront.network.road_network import RoadNetwork
from wayfront.plugins.loading import send_file
from wayfront.results.pairs import PairsResult
from wayfront.results.result import SearchKind, Timing
from wayfront.safe.errors import DeviceError, MissingPackageError, OptionError, SearchCancelled
from wayfront.safe.options import AUTO, OptionValue, resolve
from wayfront.searching.all_pairs.driving import AllPairs
from wayfront.searching.all_pairs.worker import (
    DEVICE_VARIABLE,
    ChunkFound,
    Missing,
    Task,
    Wants,
    find_chunk,
    holds,
    take_network,
)
from wayfront.searching.registry import require_kind
from wayfront.searching.run import Progress, SearchOptions
from wayfront.timing.harness import machine_facts

if TYPE_CHECKING:
    from distributed import Client, Future


Found = TypeVar("Found")

CHUNKS_EACH, MOST_SOURCES, MOST_ROW_BYTES = 16, 4096, 1 << 28
"""Chunks for each worker, of at most so many sources, whose rows take at most so many bytes where they are kept."""

AHEAD = 3
"""Chunks for each worker that are sent out at a time, so that none waits for the next."""

POLL_S = 0.1
"""How often it is looked whether the search was cancelled."""

CUT_FOR = "dissection-all-pairs"


def spread_pairs(
    procedure: AllPairs, network: RoadNetwork, asked: SearchOptions, scheduler: str, *, keeps_rows: bool
) -> PairsResult:
    """Search from all sources of a procedure that are not finished; arguments and errors as those of ``all_pairs``.

    Raises ``DeviceError`` where no worker can be reached, or where none can finish a chunk.
    """
    values: dict[str, OptionValue] = {}
    plugin, measured = None, network.metric(asked.metric)
    if asked.algorithm != AUTO:
        declared = require_kind(asked.algorithm, SearchKind.ALL_PAIRS)
        values, plugin = resolve(declared.options, asked.options), send_file(declared.home)
    cells = dissection_of(network, cancel=asked.cancel, only_kept=asked.algorithm != CUT_FOR)
    sent = replace(asked, metric=measured.name, runs=0, trace_budget=None, progress=None, cancel=None)
    task = Task(network.content_key, sent, keeps_rows=keeps_rows, wants_cut=cells is not None, plugin=plugin)
    with connect(scheduler, asked.device, asked.threads) as client:
        spreading = _SpreadPairs(client, task, procedure, network, cells, asked)
        spreading.run()
    found = spreading.found
    machine = machine_facts() | (dict(found[0].machine) if found else {}) | {"workers": str(len(spreading.workers))}
    names = Counter(chunk.algorithm for chunk in found)
    return procedure.make_result(
        network=network,
        metric=measured,
        algorithm=names.most_common(1)[0][0] if names else asked.algorithm,
        options=values,
        device=found[0].device if found else asked.device,
        device_name=" and ".join(sorted({chunk.device_name for chunk in found})),
        relaxations=None,
        timing=Timing((spreading.took_ms,) if found else (), 0.0, 0.0, None, machine, _longest(found)),
        verified=True if asked.verify else None,
        note=_found_by(len(spreading.workers), scheduler) if found else "",
        closures=asked.closures,
        reverse=asked.reverse,
        device_bytes=max((chunk.device_bytes or 0 for chunk in found), default=0) or None,
    )


def _found_by(workers: int, scheduler: str) -> str:
    where = "on this machine" if scheduler == LOCAL else f"of {scheduler}"
    return f"{workers} {'worker' if workers == 1 else 'workers'} {where} found the rows"


def _longest(found: list[ChunkFound]) -> dict[str, float]:
    """Return what preparing took where it took longest."""
    names = dict.fromkeys(name for chunk in found for name in chunk.prepare_ms)
    return {name: max(chunk.prepare_ms.get(name, 0.0) for chunk in found) for name in names}


class Spreading(ABC, Generic[Found]):
    """Sends out chunks of so many sources and takes in what is found; ``task`` is the same for all of them.

    ``work(task, payload)`` is what a worker does with a chunk's payload. It returns what it found, or ``Missing`` where
    it lacks the network.
    """

    def __init__(
        self,
        client: Client,
        work: Callable[[Any, Any], Found | Missing],
        task: Wants,
        network: RoadNetwork,
        cells: Dissection | None,
        cancel: threading.Event | None,
    ) -> None:
        self._client, self._work, self._task, self._cancel = client, work, task, cancel
        self._parcel = replace(network, _derived={}), None if cells is None else replace(cells, _derived={})
        self._finished: queue.SimpleQueue[Future] = queue.SimpleQueue()
        self._sent: dict[Any, tuple[Future, slice]] = {}
        self.took_ms: float = 0.0

    @abstractmethod
    def count(self) -> int:
        """Return how many sources there are."""

    @abstractmethod
    def row_bytes(self) -> int:
        """Return how many bytes a worker returns of a source, 0 where that is little."""

    @abstractmethod
    def payload(self, chunk: slice) -> Any:
        """Return what a worker gets of a chunk."""

    @abstractmethod
    def keep(self, chunk: slice, found: Found) -> None:
        """Take what was found of a chunk."""

    @abstractmethod
    def report(self, begin: float, stage: str = "searching") -> None:
        """Report how far the search is."""

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
                self.report(begin)
        finally:
            client.cancel([future for future, _ in self._sent.values()])
        self.took_ms = (time.perf_counter() - begin) * 1e3

    def _make_ready(self, workers: list[str]) -> None:
        """Let every worker compile and customise for one source before the time begins, as a search on one device does.

        Raises ``SearchCancelled`` and what a worker raised. One that died is not waited for: another takes its chunks.
        """
        begin, first = time.perf_counter(), self.payload(slice(0, 1))
        elsewhere = {"allow_other_workers": True, "pure": False}
        futures = [
            self._client.submit(self._work, self._task, first, workers=[address], **elsewhere) for address in workers
        ]
        try:
            self.report(begin, "compiling on the workers")
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

    def chunk_size(self, workers: int) -> int:
        """Return how many sources go to one of so many workers together."""
        size = min(max(1, self.count() // (CHUNKS_EACH * max(workers, 1))), MOST_SOURCES)
        return max(1, min(size, MOST_ROW_BYTES // max(self.row_bytes(), 1)))

    def _chunks(self, workers: int) -> list[slice]:
        """Return the chunks, the first one last."""
        count, size = self.count(), self.chunk_size(workers)
        return [slice(first, min(first + size, count)) for first in range(0, count, size)][::-1]

    def _send(self, chunk: slice) -> None:
        future = self._client.submit(self._work, self._task, self.payload(chunk), pure=False)
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
        found: Found | Missing = self._result_of(future)
        if isinstance(found, Missing):
            with suppress(OSError):  # it died since: another one takes the chunk
                self._client.run(take_network, *self._parcel, workers=[found.worker])
            self._send(chunk)
            return
        self.keep(chunk, found)

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


class _SpreadPairs(Spreading[ChunkFound]):
    """Spreads the sources of an all-pairs search."""

    def __init__(
        self,
        client: Client,
        task: Task,
        procedure: AllPairs,
        network: RoadNetwork,
        cells: Dissection | None,
        asked: SearchOptions,
    ) -> None:
        super().__init__(client, find_chunk, task, network, cells, asked.cancel)
        self._procedure, self._asked = procedure, asked
        self._row_bytes = 8 * network.node_count if task.keeps_rows else 0
        self._sources = procedure.collector.begin(procedure.sources)
        self._dtype: np.dtype[Any] | None = None
        self.found: list[ChunkFound] = []
        self.workers: set[str] = set()

    def count(self) -> int:
        """Return how many sources are not finished."""
        return len(self._sources)

    def row_bytes(self) -> int:
        """Return the bytes of a row, where rows are kept."""
        return self._row_bytes

    def payload(self, chunk: slice) -> NDArray[np.int32]:
        """Return the sources of a chunk."""
        return self._sources[chunk]

    def keep(self, chunk: slice, found: ChunkFound) -> None:
        """Keep figures, and rows where they are wanted."""
        first, procedure, collector = chunk.start, self._procedure, self._procedure.collector
        if found.rows is not None:
            if self._dtype is None or found.rows.dtype.itemsize > self._dtype.itemsize:
                self._dtype = found.rows.dtype
                procedure.prepare_rows(self._dtype)
            collector.keep_rows(first, found.rows)
        collector.keep_figures(first, *found.figures)
        if found.proved:
            procedure.note_proved(collector.places[first : first + found.proved], found.compared)
        procedure.note_progress(over=False)
        self.workers.add(found.worker)
        self.found.append(found._replace(rows=None))

    def report(self, begin: float, stage: str = "searching") -> None:
        """Report how many sources are finished."""
        figures = self._procedure.collector.figures
        done, now = int(figures.done.sum()), time.perf_counter() - begin
        found = done - self._procedure.found_before
        ahead = now / found * len(self._sources) if found else None
        self._asked.report(
            Progress(
                stage,
                len(self.found),
                seconds_ahead=ahead,
                summary=figures.copy,
                sources_done=done,
                sources_wanted=len(figures.done),
            )
        )


LOCAL = "local"

UNPROFILED = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}
"""Workers search in compiled code, which Dask's profiler cannot see into, and it can crash Python 3.11."""

REACHED_WITHIN_S = 30.0
"""How long a scheduler, and then its first worker, or all that this machine starts, are waited for."""


def local_devices(device: str, threads: int) -> list[str]:
    """Return the device of each worker that ``local`` starts: every card, or the CPU once for each group of cores.

    ``auto`` and ``cuda`` are every card; ``cuda:1`` is that one alone. Raises ``DeviceError``, and ``OptionError`` for
    the simulator.
    """
    chosen = choose_device(device)
    if chosen.exclusive:
        raise OptionError(f"{chosen.id} runs in one process alone: leave --scheduler out")
    if Ability.HOST_LOOPS in chosen.abilities:
        return [chosen.id] * max(1, chosen.threads // threads)
    if device == chosen.id:
        return [chosen.id]
    return [info.id for info in devices() if info.available and Ability.GRID_BARRIER in info.abilities]


@contextmanager
def connect(scheduler: str, device: str, threads: int) -> Iterator[Client]:
    """Yield a client of the scheduler at an address, or of ``local`` workers, which end with the context.

    Raises ``OptionError`` where Dask is not installed, and ``DeviceError`` where no scheduler or worker answers.
    """
    try:
        import distributed
    except ImportError:
        raise MissingPackageError(
            "spreading sources over workers takes Dask: install the extra 'cluster' (pip install 'wayfront[cluster]')"
        ) from None
    if scheduler == LOCAL:
        ids = local_devices(device, threads)
        with local_cluster(ids) as cluster, distributed.Client(cluster) as client:
            yield _with_workers(client, scheduler, len(ids))
        return
    try:
        client = distributed.Client(scheduler, timeout=REACHED_WITHIN_S, set_as_default=False)
    except (OSError, ValueError) as problem:
        raise DeviceError(f"no scheduler answers at {scheduler} ({problem}): start one with 'dask scheduler'") from None
    with client:
        yield _with_workers(client, scheduler)


def local_cluster(device_ids: list[str]) -> Any:
    """Return a cluster of processes on this machine, one for each device id, which a process that dies is restarted in.

    Its connections are encrypted, with keys that nobody else has: who reaches a scheduler can run anything there.
    """
    from distributed import Nanny, Scheduler, Security, SpecCluster

    security = Security.temporary()
    shared = {"host": "127.0.0.1", "security": security}
    workers = {
        index: {
            "cls": Nanny,
            "options": {
                **shared,
                "nthreads": 1,
                "memory_limit": 0,
                "dashboard": False,
                "silence_logs": logging.CRITICAL,
                "env": {DEVICE_VARIABLE: device_id, **UNPROFILED},
            },
        }
        for index, device_id in enumerate(device_ids)
    }
    return SpecCluster(
        workers=workers,
        scheduler={"cls": Scheduler, "options": {**shared, "dashboard": False}},
        security=security,
        silence_logs=logging.CRITICAL,
    )


def _with_workers(client: Client, scheduler: str, count: int = 1) -> Client:
    """Return the client once so many workers are there, or all that came. Raises ``DeviceError`` where none comes."""
    try:
        client.wait_for_workers(count, timeout=REACHED_WITHIN_S)
    except TimeoutError:
        if client.nthreads():
            return client
        raise DeviceError(
            f"the scheduler at {scheduler} has no worker: start one for each card or group of cores with "
            "'dask worker ADDRESS --nthreads 1'"
        ) from None
    return client
