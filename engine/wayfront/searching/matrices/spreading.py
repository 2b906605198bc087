"""Spread the origins of a matrix over the workers of a Dask scheduler, as all pairs are.

A worker prepares the network once and keeps it until it is asked for a matrix by another metric or with other closed
roads. Destinations go with every chunk: they are small beside the rows that come back.
"""

from __future__ import annotations

import os
import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.store import dissection_of
from wayfront.network.ends import Ends
from wayfront.results.matrix import Points
from wayfront.searching.all_pairs.spreading import Spreading, connect
from wayfront.searching.all_pairs.worker import DEVICE_VARIABLE, Missing, holds, network_of, sent_as_they_are
from wayfront.searching.matrices.finding import Finder, prepared_for
from wayfront.searching.matrices.keeping import Keeper
from wayfront.searching.matrices.question import Question, Show


class _Task(NamedTuple):
    """What is the same for all origins; ``columns`` are the destinations by each metric."""

    content_key: str
    key: str
    metric: str
    others: tuple[str, ...]
    columns: tuple[Ends, ...]
    closures: NDArray[np.int64]
    reverse: bool
    device: str
    threads: int
    wants_cut: bool = True


class _Found(NamedTuple):
    """Rows of some origins by each metric, and who found them."""

    arrays: list[NDArray[Any]]
    device: str
    device_name: str
    worker: str


def _find_rows(task: _Task, rows: tuple[Ends, ...]) -> _Found | Missing:
    """Find the rows of some origins, in a worker."""
    from distributed import get_worker

    worker = get_worker().address
    if not holds(task):
        return Missing(worker)
    network = network_of(task)
    with sent_as_they_are():
        points, columns = (Points(ends[0], np.arange(len(ends[0])), None, ends[1:]) for ends in (rows, task.columns))
        question = Question(
            network,
            network.metric(task.metric),
            tuple(network.metric(name) for name in task.others),
            points,
            columns,
            task.closures,
            task.reverse,
        )
        device = os.environ.get(DEVICE_VARIABLE, task.device)
        prepared = prepared_for(question, device, task.threads)
        arrays = Finder(question, prepared).rows(np.arange(len(rows[0])))
    return _Found(arrays, prepared.device.id, prepared.device.name, worker)


class _SpreadRows(Spreading[_Found]):
    def __init__(
        self, client: Any, task: _Task, question: Question, kept: Keeper, progress: Show | None, how: Any
    ) -> None:
        super().__init__(client, _find_rows, task, question.network, *how)
        self._question, self._kept, self._progress = question, kept, progress
        self._done = 0
        self.found: list[_Found] = []

    def count(self) -> int:
        """Return how many rows are still to be found."""
        return len(self._kept.left)

    def row_bytes(self) -> int:
        """Return the bytes of a row."""
        return 8 * self._question.shape[1] * (1 + len(self._question.others))

    def payload(self, chunk: slice) -> tuple[Ends, ...]:
        """Return the origins of a chunk by each metric."""
        rows, places = self._question.rows, self._kept.left[chunk]
        return tuple(ends.chosen(places) for ends in (rows.ends, *rows.others))

    def keep(self, chunk: slice, found: _Found) -> None:
        """Keep the rows."""
        self._kept.take(self._kept.left[chunk], found.arrays)
        self._done += chunk.stop - chunk.start
        self.found.append(found._replace(arrays=[]))

    def report(self, begin: float, stage: str = "finding distances") -> None:
        """Report how many rows are found."""
        if self._progress is not None:
            self._progress(stage, self._done / max(self.count(), 1))


def spread_rows(
    question: Question,
    kept: Keeper,
    scheduler: str,
    device: str,
    threads: int,
    progress: Show | None,
    cancel: threading.Event | None,
) -> tuple[str, str, float]:
    """Find the rows that are left; return the device, its names, and the milliseconds that it took.

    Raises ``DeviceError`` where no worker can be reached, or where none can finish a chunk.
    """
    cells = dissection_of(question.network, progress=progress, cancel=cancel)
    columns = (question.columns.ends, *question.columns.others)
    others = tuple(other.name for other in question.others)
    task = _Task(
        *(question.network.content_key, question.key, question.metric.name, others, columns),
        *(question.closures, question.reverse, device, threads),
    )
    with connect(scheduler, device, threads) as client:
        spreading = _SpreadRows(client, task, question, kept, progress, (cells, cancel))
        spreading.run()
    found = spreading.found
    names = " and ".join(sorted({chunk.device_name for chunk in found}))
    return found[0].device if found else device, names, spreading.took_ms
