"""Time what nested dissection does on one device: customise, a tree, many trees, all pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.benchmarks import hardware_limits, tree_work
from wayfront.benchmarks.reference import Reference, whole
from wayfront.benchmarks.tree_times import Limits, Stage, Times
from wayfront.devices.device import Device, DeviceArray
from wayfront.dissection.engine import Engine, make_engine
from wayfront.dissection.shape import Dissection
from wayfront.errors import OptionError
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.all_pairs.call import all_pairs
from wayfront.search.distances import distance_dtypes
from wayfront.search.live_parents import make_live_parents
from wayfront.timing.harness import interleave, stopwatch, time_runs

OURS = "nested dissection"
ALL_PAIRS = "dissection-all-pairs"

ROWS_BYTES = 2 << 30
"""Bytes that the rows of a batch take at most."""

SIDE_BY_SIDE = 64
"""Batches of more sources than this are a multiple of it: rows then begin with a cache line."""

RUNS = 5


class DissectionStages:
    """Nested dissection on one device, customised for a metric, and what is timed of it.

    Distances are int32, or int64 where these are too narrow. Raises what making an engine raises.
    """

    def __init__(
        self, device: Device, cells: Dissection, network: RoadNetwork, metric: Metric, reference: Reference
    ) -> None:
        self.device = device
        self._network, self._metric, self._cells, self._reference = network, metric, cells, reference
        self._weights = metric.weights
        self._engine, self._dtype = self._customised()
        self._out = device.empty(network.node_count, self._dtype)
        self.tree_work: tree_work.Work = tree_work.tree(cells, reference.sources, self._dtype.itemsize)
        self._additions = hardware_limits.additions_a_second(device)
        self.tree_limits: Limits = self._limits(self.tree_work)

    def _customised(self) -> tuple[Engine, np.dtype[Any]]:
        for dtype in distance_dtypes(self.device, self._network, self._metric):
            engine = make_engine(self.device, self._cells, self._network, dtype, threads=self.device.threads)
            if engine.customise(self._weights):
                return engine, dtype
        raise AssertionError("distances of 64 bits are never too narrow")

    def _limits(self, work: tree_work.Work) -> Limits:
        return Limits(hardware_limits.copied_bytes_a_second(self.device, int(work.bytes_moved)), self._additions)

    def once(self, source: int) -> tuple[float, NDArray[np.int64]]:
        """Make one tree; return its milliseconds and its distances, −1 where there is no path."""
        ms = stopwatch(lambda: self._tree(source))
        return ms, whole(self.device.get(self._out, self._network.node_count))

    def customising(self, cancel: Event) -> Iterator[Times]:
        """Yield the times of customising, and of customising with a tree after it, in turns."""
        first = int(self._reference.sources[0])
        work = tree_work.customising(self._cells, self._dtype.itemsize)

        def both() -> None:
            self._engine.customise(self._weights)
            self._tree(first)

        both()
        turns = {Stage.CUSTOMISE: self._customise, Stage.FROM_SCRATCH: both}
        runs = interleave({stage.value: _timed(run) for stage, run in turns.items()}, RUNS, cancel=cancel)
        yield self.times(Stage.CUSTOMISE, runs[Stage.CUSTOMISE.value], work=work, limits=self._limits(work))
        yield self.times(Stage.FROM_SCRATCH, runs[Stage.FROM_SCRATCH.value])

    def in_a_row(self, cancel: Event) -> Times:
        """Return the time of a tree where those of all sources are sent one after the other, with one wait."""
        sources = self._reference.sources.tolist()

        def send() -> None:
            for source in sources:
                self._engine.tree(source, self._out)
            self.device.synchronize()

        runs = tuple(ms / len(sources) for ms in time_runs(send, RUNS, cancel=cancel))
        return self.times(Stage.IN_A_ROW, runs, work=self.tree_work, limits=self.tree_limits)

    def parents(self, cancel: Event) -> Times:
        """Return the time of finding parents from a tree's distances, which no search of ours counts in its own time.

        Raises ``CertificateError``.
        """
        finder = make_live_parents(self.device, self._network, self._metric, self._weights, self._dtype)
        found = np.empty(self._network.node_count, np.int32)
        runs: list[float] = []
        for source in self._reference.sources.tolist():
            self._tree(source)
            finder.find(self._out, source, found)
            self._reference.compare_parents(f"{OURS} on {self.device.id}", source, found)
            self._tree(source)
            runs += time_runs(partial(finder.find, self._out, source, found), 1, cancel=cancel)
        return self.times(Stage.PARENTS, tuple(runs))

    def batch(self, most: int, seconds: float, cancel: Event) -> Times:
        """Return the time of a tree of a batch, of ``most`` sources or as many as there is room and time for.

        The rows of the proven sources are checked. Raises ``CertificateError``.
        """
        n, row_bytes = self._network.node_count, self._network.node_count * self._dtype.itemsize
        room = min(ROWS_BYTES, self.device.free_bytes() // 2)
        alone_ms = max(stopwatch(lambda: self._tree(int(self._reference.sources[0]))), 1e-3)
        count = max(1, min(most, n, room // max(row_bytes, 1), int(seconds * 1000 / alone_ms)))
        count -= count % SIDE_BY_SIDE if count > SIDE_BY_SIDE else 0
        sources = self._reference.order[:count]
        rows = self.device.empty(count * n, self._dtype)

        def search() -> None:
            self._engine.trees(sources, rows, 1, count)
            self.device.synchronize()

        search()
        self._check_rows(sources, rows)
        runs = tuple(ms / count for ms in time_runs(search, RUNS, cancel=cancel, longest_s=seconds))
        return self.times(Stage.BATCH, runs, f"{count:,} at once", work=self.tree_work, limits=self.tree_limits)

    def _check_rows(self, sources: NDArray[np.int32], rows: DeviceArray) -> None:
        found = self.device.get(rows).reshape(self._network.node_count, len(sources))
        who = f"a batch of {OURS} on {self.device.id}"
        for place in range(min(len(sources), len(self._reference.sources))):
            self._reference.compare(who, int(sources[place]), whole(found[:, place]))

    def all_pairs(self, each_ms: float, seconds: float, cancel: Event) -> Times:
        """Return the time of all pairs; from as many sources as the time allowed suffices for, scaled to all.

        Raises ``CertificateError``.
        """
        n = self._network.node_count
        count = max(1, min(n, int(seconds * 1000 / max(each_ms, 1e-6))))
        found = all_pairs(
            self._network, ALL_PAIRS, self.device.id, sources=np.sort(self._reference.order[:count]),
            metric=self._metric.name, threads=self.device.threads, runs=1, cancel=cancel, trace_budget=None,
        )  # fmt: skip
        self._reference.compare_figures(f"{ALL_PAIRS} on {self.device.id}", found)
        work = tree_work.Work(n * self.tree_work.additions, n * self.tree_work.bytes_moved)
        part = f"{count:,} of {n:,} sources" if count < n else ""
        return self.times(
            Stage.ALL_PAIRS, found.timing.runs_ms, part=part, scale=n / count, work=work, limits=self.tree_limits
        )

    def times(self, stage: Stage, runs_ms: tuple[float, ...], detail: str = "", **more: Any) -> Times:
        """Return times of a stage on this device."""
        if not runs_ms:
            raise OptionError(f"{stage.value}: nothing was timed")
        return Times(stage, OURS, self.device.id, self.device.name, runs_ms, detail, **more)

    def _customise(self) -> None:
        self._engine.customise(self._weights)
        self.device.synchronize()

    def _tree(self, source: int) -> None:
        self._engine.tree(source, self._out)
        self.device.synchronize()


def _timed(run: Callable[[], None]) -> Callable[[], float]:
    return lambda: stopwatch(run)
