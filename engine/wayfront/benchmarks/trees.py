"""Time trees by nested dissection beside other searches: cut, customise, one tree, many, all pairs.

All search from the same random sources and take turns, and every distance that any of them finds is compared with what
a proven Dijkstra finds. A program that is so slow that all sources would take longer than is allowed searches from the
first of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.benchmarks import clique_trees
from wayfront.benchmarks.other_programs import Reference, programs, whole
from wayfront.benchmarks.tree_times import Stage, Times, TreeBenchmark, Work, customising_work, tree_work
from wayfront.devices import CPU, describe_device, open_device
from wayfront.devices.device import Ability, Device, DeviceArray
from wayfront.dissection.engine import Engine, make_engine
from wayfront.dissection.shape import Dissection
from wayfront.dissection.store import dissection_of, keep_dissection, load_cut
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.safe.errors import CertificateError, NetworkError, OptionError, SearchCancelled, WayfrontError
from wayfront.searching.all_pairs.call import all_pairs
from wayfront.searching.call import search
from wayfront.searching.distances import distance_dtypes
from wayfront.searching.registry import find_algorithm
from wayfront.searching.tree import make_live_parents
from wayfront.timing.harness import interleave, machine_facts, stopwatch, time_runs

SOURCES, BATCH, SECONDS = 32, 1024, 60.0
"""Sources, trees of a batch, and the seconds that one program or stage may take, unless others are asked for."""

BESIDE = ("dijkstra", "near-far-resident")
"""Searches of ours that prepare nothing."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to time: on which ``devices``, with how many ``threads`` of the CPU, sources, and trees of a batch.

    ``seconds`` are what one program, or one stage, may take; without ``others`` dissection is timed alone. With
    ``published``, what is timed is what CliqueTrees.jl publishes: customising, one tree and a block of trees, on one
    thread and on ``threads``; ``others`` are then its figures.
    ``progress`` is called with a line of text for each stage.
    """

    devices: tuple[str, ...]
    threads: int = 1
    sources: int = SOURCES
    batch: int = BATCH
    seconds: float = SECONDS
    others: bool = True
    metric: str | None = None
    progress: Callable[[str], None] = lambda _text: None
    published: bool = False


Once = Callable[[int], tuple[float, NDArray[np.int64]]]
"""Searches from a source; returns the milliseconds and the distances, −1 where there is no path."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """One program on one device that takes turns with the others."""

    program: str
    device: str
    device_name: str
    once: Once
    work: Work | None = None
    detail: str = ""

    @property
    def name(self) -> str:
        return " ".join(filter(None, (f"{self.program} on {self.device}", self.detail)))


def benchmark_trees(network: RoadNetwork, request: Request, cancel: Event) -> TreeBenchmark:
    """Time everything on one network.

    Raises ``CertificateError`` for a wrong distance, what cutting raises, and ``SearchCancelled``.
    """
    return _Benchmark(network, request, cancel).run()


def take_cut(network: RoadNetwork, path: str) -> None:
    """Let a network have its cut from a file. Raises ``FormatError`` where that is damaged or another network's."""
    keep_dissection(network, load_cut(path, network))


class _Benchmark:
    """The benchmark of one network, while it runs."""

    def __init__(self, network: RoadNetwork, request: Request, cancel: Event) -> None:
        self._network, self._request, self._cancel = network, request, cancel
        self._metric = network.metric(request.metric)
        self._times: list[Times] = []
        self._left_out: list[tuple[str, str]] = []
        self._machine = dict(machine_facts())

    def run(self) -> TreeBenchmark:
        """Time everything."""
        network = self._network
        self._say("proving distances")
        self._reference = Reference(network, self._metric, min(self._request.sources, network.node_count))
        cells = self._cut()
        devices = self._request.devices if cells is not None else ()
        dissection = self._measures if self._request.published else self._dissection
        turns = [turn for device_id in devices for turn in dissection(device_id)]
        if self._request.published:
            self._take_turns(turns)
            if self._request.others:
                self._times += clique_trees.published(network, self._metric)
                self._left_out.append(clique_trees.WITHOUT)
        else:
            self._take_turns([*turns, *(self._others() if self._request.others else ())])
        facts = {"name": network.name, "nodes": network.node_count, "arcs": network.arc_count}
        return TreeBenchmark(
            facts | {"metric": self._metric.name, "unit": self._metric.unit},
            {} if cells is None else _cut_facts(cells),
            len(self._reference.sources),
            tuple(self._times),
            tuple(self._left_out),
            self._machine,
        )

    def _say(self, what: str) -> None:
        if self._cancel.is_set():
            raise SearchCancelled("the benchmark was stopped")
        self._request.progress(f"{self._network.name}: {what}")

    def _cut(self) -> Dissection | None:
        """Return the network's cells, None where its fronts would be too large."""
        self._say("cutting")
        try:
            cells = dissection_of(self._network, cancel=self._cancel)
        except NetworkError as problem:
            self._leave_out(OURS, problem)
            return None
        assert cells is not None, "it is cut where none is kept"
        detail = f"by {cells.method}, when it was made"
        self._times.append(Times(Stage.CUT, OURS, CPU, open_device(CPU).name, (cells.cut_ms,), detail))
        self._cells = cells
        return cells

    def _dissection(self, device_id: str) -> Iterator[_Turn]:
        """Time dissection's own stages on a device, and yield what takes turns with other programs."""
        on_cores = Ability.HOST_LOOPS in describe_device(device_id).abilities
        device = open_device(device_id, self._request.threads if on_cores else 1)
        self._machine |= device.describe()
        self._say(f"customising on {device.name}")
        try:
            with device.reserve(self._cancel):
                stages = DissectionStages(device, self._cells, self._network, self._metric, self._reference)
                self._times += stages.customising(self._cancel)
                if device.asynchronous:
                    self._times.append(stages.in_a_row(self._cancel))
                self._times.append(stages.parents(self._cancel))
                self._say(f"trees of a batch on {device.name}")
                batch = stages.batch(self._request.batch, self._request.seconds, self._cancel)
                self._times.append(batch)
                self._say(f"all pairs on {device.name}")
                self._times.append(stages.all_pairs(batch.median_ms, self._request.seconds, self._cancel))
        except (CertificateError, SearchCancelled):
            raise
        except (WayfrontError, MemoryError) as problem:
            self._leave_out(f"{OURS} on {device.id}", problem)
            return
        yield _Turn(OURS, device.id, device.name, stages.once, stages.tree_work)

    def _measures(self, device_id: str) -> Iterator[_Turn]:
        """Do as ``_dissection`` with what CliqueTrees.jl measures, on a processor with one thread and with all."""
        on_cores = Ability.HOST_LOOPS in describe_device(device_id).abilities
        for threads in sorted({1, self._request.threads}) if on_cores else (0,):
            device = open_device(device_id, max(threads, 1))
            self._machine |= device.describe()
            where = clique_trees.where(device.name, threads)
            self._say(f"customising and blocks {where}")
            try:
                with device.reserve(self._cancel):
                    stages = DissectionStages(device, self._cells, self._network, self._metric, self._reference)
                    customising, _ = stages.customising(self._cancel)
                    block = stages.batch(clique_trees.BLOCK, self._request.seconds, self._cancel)
            except (CertificateError, SearchCancelled):
                raise
            except (WayfrontError, MemoryError) as problem:
                self._leave_out(f"{OURS} {where}", problem)
                continue
            for one in (customising, block):
                self._times.append(replace(one, detail=", ".join(filter(None, (one.detail, where)))))
            yield _Turn(OURS, device.id, device.name, stages.once, stages.tree_work, where)

    def _leave_out(self, program: str, problem: object) -> None:
        self._left_out.append((program, str(problem) or "this machine has not enough memory for it"))

    def _others(self) -> Iterator[_Turn]:
        """Yield our searches that prepare nothing, and other programs."""
        for name in BESIDE:
            algorithm = find_algorithm(name)
            for device_id in self._request.devices:
                if algorithm.runs_on(describe_device(device_id)):
                    device = open_device(device_id)
                    yield _Turn(name, device.id, device.name, self._ours(name, device.id))
        processor = open_device(CPU).name
        for name, program in programs(self._network, self._metric):
            self._say(name)
            if isinstance(program, str):
                self._leave_out(name, program)
            else:
                yield _Turn(program.name, CPU, processor, _once(program.search, program.distances))

    def _ours(self, name: str, device_id: str) -> Once:
        def once(source: int) -> tuple[float, NDArray[np.int64]]:
            found = search(
                self._network, source, name, device_id, metric=self._metric.name, runs=1,
                cancel=self._cancel,
            )  # fmt: skip
            return found.timing.runs_ms[0], whole(found.distances)

        return once

    def _take_turns(self, turns: list[_Turn]) -> None:
        """Let all search from every source in turns; each slow one afterwards, from the first few."""
        quick: list[_Turn] = []
        slow: list[tuple[_Turn, int]] = []
        for turn in turns:
            self._say(f"{turn.name}, a first tree")
            source = int(self._reference.sources[0])
            _, distances = turn.once(source)
            self._reference.compare(turn.name, source, distances)
            ms, _ = turn.once(source)
            wanted = len(self._reference.sources)
            possible = max(1, min(wanted, int(self._request.seconds * 1000 / max(ms, 1e-6))))
            if possible == wanted:
                quick.append(turn)
            else:
                slow.append((turn, possible))
        if quick:
            self._time(quick, len(self._reference.sources))
        for turn, possible in slow:
            self._time([turn], possible)

    def _time(self, turns: list[_Turn], count: int) -> None:
        """Let some search from the first sources in turns."""
        names = ", ".join(turn.name for turn in turns)
        self._say(f"timing {names} from {count:,} source{'s' if count > 1 else ''}")
        runs = interleave(
            {turn.name: self._next_source(turn) for turn in turns}, count, cancel=self._cancel,
            longest_s=self._request.seconds * len(turns),
        )  # fmt: skip
        for turn in turns:
            measured, wanted = runs[turn.name], len(self._reference.sources)
            part = f"{len(measured):,} of {wanted:,} sources" if len(measured) < wanted else ""
            self._times.append(
                Times(
                    *(Stage.TREE, turn.program, turn.device, turn.device_name, measured, turn.detail),
                    part=part, work=turn.work,
                )
            )  # fmt: skip

    def _next_source(self, turn: _Turn) -> Callable[[], float]:
        """Return a function that searches from the next source at each call, and checks what was found."""
        sources = iter(self._reference.sources.tolist())

        def once() -> float:
            source = next(sources)
            ms, distances = turn.once(source)
            self._reference.compare(turn.name, source, distances)
            return ms

        return once


def _cut_facts(cells: Dissection) -> dict[str, Any]:
    return {
        "method": cells.method,
        "cells": cells.cell_count,
        "levels": int(cells.depth.max(initial=-1)) + 1,
        "largest_front": int(cells.front_sizes.max(initial=0)),
    }


def _once(run: Callable[[int], Any], distances: Callable[[Any], NDArray[np.int64]]) -> Once:
    def once(source: int) -> tuple[float, NDArray[np.int64]]:
        found: list[Any] = []
        ms = stopwatch(lambda: found.append(run(source)))
        return ms, distances(found[0])

    return once


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
        self.tree_work: Work = tree_work(cells, reference.sources, self._dtype.itemsize)

    def _customised(self) -> tuple[Engine, np.dtype[Any]]:
        for dtype in distance_dtypes(self.device, self._network, self._metric):
            engine = make_engine(self.device, self._cells, self._network, dtype, threads=self.device.threads)
            if engine.customise(self._weights):
                return engine, dtype
        raise AssertionError("distances of 64 bits are never too narrow")

    def once(self, source: int) -> tuple[float, NDArray[np.int64]]:
        """Make one tree; return its milliseconds and its distances, −1 where there is no path."""
        ms = stopwatch(lambda: self._tree(source))
        return ms, whole(self.device.get(self._out, self._network.node_count))

    def customising(self, cancel: Event) -> Iterator[Times]:
        """Yield the times of customising, and of customising with a tree after it, in turns."""
        first = int(self._reference.sources[0])
        work = customising_work(self._cells, self._dtype.itemsize)

        def both() -> None:
            self._engine.customise(self._weights)
            self._tree(first)

        both()
        turns = {Stage.CUSTOMISE: self._customise, Stage.FROM_SCRATCH: both}
        runs = interleave({stage.value: _timed(run) for stage, run in turns.items()}, RUNS, cancel=cancel)
        yield self.times(Stage.CUSTOMISE, runs[Stage.CUSTOMISE.value], work=work)
        yield self.times(Stage.FROM_SCRATCH, runs[Stage.FROM_SCRATCH.value])

    def in_a_row(self, cancel: Event) -> Times:
        """Return the time of a tree where those of all sources are sent one after the other, with one wait."""
        sources = self._reference.sources.tolist()

        def send() -> None:
            for source in sources:
                self._engine.tree(source, self._out)
            self.device.synchronize()

        runs = tuple(ms / len(sources) for ms in time_runs(send, RUNS, cancel=cancel))
        return self.times(Stage.IN_A_ROW, runs, work=self.tree_work)

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

        The rows' memory was written to before, by a batch that is not timed: handing out its pages takes several times
        as long as the trees, and whoever uses the rows again has them. The rows of the proven sources are checked.
        Raises ``CertificateError``.
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

        search()  # the first touch of the rows
        self._check_rows(sources, rows)
        runs = tuple(ms / count for ms in time_runs(search, RUNS, cancel=cancel, longest_s=seconds))
        return self.times(Stage.BATCH, runs, f"{count:,} at once", work=self.tree_work)

    def _check_rows(self, sources: NDArray[np.int32], rows: DeviceArray) -> None:
        found = self.device.get(rows).reshape(self._network.node_count, len(sources))
        who = f"a batch of {OURS} on {self.device.id}"
        for k in range(min(len(sources), len(self._reference.sources))):
            self._reference.compare(who, int(sources[k]), whole(found[:, k]))

    def all_pairs(self, each_ms: float, seconds: float, cancel: Event) -> Times:
        """Return the time of all pairs; from as many sources as the time allowed suffices for, scaled to all.

        Raises ``CertificateError``.
        """
        n = self._network.node_count
        count = max(1, min(n, int(seconds * 1000 / max(each_ms, 1e-6))))
        found = all_pairs(
            self._network, ALL_PAIRS, self.device.id, sources=np.sort(self._reference.order[:count]),
            metric=self._metric.name, threads=self.device.threads, runs=1, cancel=cancel,
        )  # fmt: skip
        self._reference.compare_figures(f"{ALL_PAIRS} on {self.device.id}", found)
        work = Work(n * self.tree_work.additions, n * self.tree_work.bytes_moved)
        part = f"{count:,} of {n:,} sources" if count < n else ""
        return self.times(Stage.ALL_PAIRS, found.timing.runs_ms, part=part, scale=n / count, work=work)

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
