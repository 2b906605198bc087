"""Run the papers' tables on this machine: every search that can run here, in turns, its distances checked.

The searches of one table on one graph are timed together. A first search of each contender compiles what it needs,
gives its distances, and shows whether it ends within the time allowed for one run; those that agree then take turns
(A B A B) under the timing harness. What cannot run, is missing or takes too long is reported and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import DeviceInfo, describe_device, devices, open_device
from wayfront.errors import CertificateError, OptionError, SearchCancelled, WayfrontError
from wayfront.network.road_network import RoadNetwork
from wayfront.papers.comparison import Cell, Comparison, Skipped
from wayfront.papers.description import Contender, Graph, Paper, Table
from wayfront.papers.graphs import open_graph
from wayfront.papers.timed_search import Deadline, TimedSearch
from wayfront.search.call import search
from wayfront.search.execution import Progress
from wayfront.search.registry import Algorithm, algorithms
from wayfront.timing.harness import interleave
from wayfront.timing.machine import machine_facts
from wayfront.timing.runs import RUNS

SECONDS = 10.0
"""A search whose run takes longer is left out, unless long runs were requested."""

SOURCE_ID = 1
"""All searches begin at the node with this id, as in the DIMACS challenge."""


@dataclass(frozen=True, slots=True)
class Request:
    """How to run: ``devices``, clean ``runs`` of each search, ``seconds`` allowed for one run, ``folders`` of data.

    ``long`` also runs what takes longer. ``progress`` is called with a line of text for each stage.
    """

    devices: tuple[str, ...]
    runs: int = RUNS
    seconds: float = SECONDS
    long: bool = False
    folders: tuple[str | Path, ...] = ()
    progress: Callable[[str], None] = lambda _text: None


def reproduce(papers: Iterable[Paper], request: Request, cancel: Event) -> Iterator[Comparison]:
    """Yield the comparison of each table on each graph when it is complete; when cancelled, what there is of the last.

    Where searches disagree on the distances, nothing is timed and ``disagreement`` says so. Raises ``SearchCancelled``
    after the last yield once ``cancel`` is set.
    """
    for paper in papers:
        for table in paper.tables:
            for graph in table.graphs:
                yield _compare(paper, table, graph, request, cancel)
                if cancel.is_set():
                    raise SearchCancelled("stopped; what was measured until then is kept")


def _compare(paper: Paper, table: Table, graph: Graph, request: Request, cancel: Event) -> Comparison:
    if graph.vast and not request.long:
        return _absent(paper, table, graph, "it takes long to make and to search: --long runs it")
    request.progress(f"paper {paper.letter}: opening {graph.name}")
    try:
        network = open_graph(graph, request.folders, cancel)
    except (WayfrontError, OSError) as problem:
        return _absent(paper, table, graph, str(problem))
    group = _TableRun(paper, table, graph, network, request, cancel)
    try:
        group.check_all()
    except CertificateError as problem:
        return replace(group.comparison(), disagreement=str(problem))
    group.time_all()
    return group.comparison()


def _absent(paper: Paper, table: Table, graph: Graph, why: str) -> Comparison:
    return Comparison(paper, table, graph, skipped=(Skipped("", "", why),))


Pair = tuple[str, str]
"""The label of a contender, and the device it runs on."""


class _TableRun:
    """The run of one table on one graph."""

    def __init__(
        self, paper: Paper, table: Table, graph: Graph, network: RoadNetwork, request: Request, cancel: Event
    ) -> None:
        self._paper, self._table, self._graph = paper, table, graph
        self._network, self._request, self._cancel = network, request, cancel
        self._source = network.node(SOURCE_ID)
        self._skipped: list[Skipped] = []
        self._ready: dict[Pair, TimedSearch] = {}
        self._times: dict[Pair, list[float]] = {}
        self._reference: NDArray[Any] | None = None
        self._facts = (0, 0)

    def check_all(self) -> None:
        """Search once with each contender on each device; keep those that end in time and agree."""
        # Whole searches first: a search that is timed by its steps is checked against their distances.
        pairs = sorted(self._pairs(), key=lambda pair: pair[0].measure == "step")
        for contender, device_id in pairs:
            if self._cancel.is_set():
                return
            self._request.progress(f"paper {self._paper.letter}, {self._graph.name}: {contender.label} on {device_id}")
            try:
                self._check_one(contender, device_id)
            except SearchCancelled as stopped:
                if not self._cancel.is_set():
                    self._skip(contender, device_id, str(stopped))
            except CertificateError:
                raise
            except (WayfrontError, MemoryError) as problem:
                self._skip(contender, device_id, str(problem) or "this machine has not enough memory for it")

    def _pairs(self) -> list[tuple[Contender, str]]:
        known = {algorithm.name: algorithm for algorithm in algorithms()}
        pairs = []
        for contender in self._table.contenders:
            if contender.algorithm not in known:
                self._skip(contender, "", f"there is no algorithm {contender.algorithm!r} in this version")
                continue
            usable = _usable(contender, known[contender.algorithm], self._request.devices)
            if not usable:
                meant = [info.id for info in devices() if _suits(info, contender, known[contender.algorithm])]
                self._skip(contender, "", f"that is for {' or '.join(meant)}, which is not among the devices chosen")
            pairs += [(contender, device_id) for device_id in usable]
        return pairs

    def _check_one(self, contender: Contender, device_id: str) -> None:
        limit = Deadline(self._request.seconds, self._cancel, self._request.long)
        if contender.measure == "step":
            if self._reference is None:
                raise OptionError("no whole search ended in time, so its distances cannot be checked")
            timed = self._timed(contender, device_id, self._reference)
            limit.begin()
            distances, settled = timed.first_steps(limit)
            self._check_settled(contender, device_id, distances, settled, self._reference)
        else:

            def forecast(progress: Progress) -> None:
                limit.begin()
                if progress.seconds_ahead is not None:
                    limit.expect(progress.seconds_ahead)

            found = search(
                self._network, self._source, contender.algorithm, device_id,
                options=contender.options, runs=0, trace_budget=None, progress=forecast, cancel=limit,
            )  # fmt: skip
            self._check(contender, device_id, found.distances)
            timed = self._timed(contender, device_id, found.distances)
        self._ready[contender.label, device_id] = timed

    def _timed(self, contender: Contender, device_id: str, distances: NDArray[Any]) -> TimedSearch:
        return TimedSearch(contender, device_id, self._network, self._source, distances.dtype, self._cancel)

    def _check(self, contender: Contender, device_id: str, distances: NDArray[Any]) -> None:
        """Raise ``CertificateError`` unless all searches find these distances, and their sum is that of the file."""
        if self._reference is None:
            reached = distances[distances != np.iinfo(distances.dtype).max].astype(np.int64)
            self._reference, self._facts = distances, (len(reached), int(reached.sum()))
            known = self._graph.sum_distance
            if known is not None and known != self._facts[1]:
                raise CertificateError(
                    f"{contender.label} on {device_id} finds distances that add up to {self._facts[1]:,} on "
                    f"{self._graph.name}, not {known:,}: another file, or a wrong search"
                )
        if not np.array_equal(distances, self._reference):
            raise CertificateError(
                f"{contender.label} on {device_id} does not find the distances of the others on {self._graph.name}, so "
                "its time says nothing"
            )

    def _check_settled(
        self, contender: Contender, device_id: str, distances: NDArray[Any], settled: int, reference: NDArray[Any]
    ) -> None:
        """Compare the nodes that a search had settled when it stopped with those of a whole search."""
        in_order = np.sort(reference)
        final = reference < in_order[min(settled, len(in_order)) - 1]
        if not np.array_equal(distances[final], reference[final]):
            raise CertificateError(f"{contender.label} on {device_id} settles other distances on {self._graph.name}")

    def time_all(self) -> None:
        """Time the searches kept, in turns; cancelling keeps the turns made."""
        self._times = {pair: [] for pair in self._ready}
        turns = {" on ".join(pair): self._turn(pair, timed) for pair, timed in self._ready.items()}
        try:
            interleave(
                turns, self._request.runs, cancel=self._cancel, longest_s=self._request.seconds * max(len(turns), 1),
                progress=lambda name, _fraction: self._request.progress(
                    f"paper {self._paper.letter}, {self._graph.name}: timing {name}"
                ),
            )  # fmt: skip
        except SearchCancelled:
            return

    def _turn(self, pair: Pair, timed: TimedSearch) -> Callable[[], float]:
        def once() -> float:
            ms = timed.once()
            self._times[pair].append(ms)
            return ms

        return once

    def comparison(self) -> Comparison:
        """Return the comparison as far as it has come."""
        machine = machine_facts()
        for device_id in dict.fromkeys(device_id for _, device_id in self._ready):
            machine |= open_device(device_id).describe()
        return Comparison(
            self._paper,
            self._table,
            self._graph,
            (self._network.node_count, self._network.arc_count),
            *self._facts,
            self._cells(),
            tuple(self._skipped),
            machine,
        )

    def _cells(self) -> tuple[Cell, ...]:
        """Return the timed searches in the order of the table."""
        names = {device_id: open_device(device_id).name for _, device_id in self._times}
        return tuple(
            Cell(
                contender.label,
                contender.algorithm,
                contender.options,
                device_id,
                names[device_id],
                contender.measure,
                tuple(times),
                self._table.published_ms(self._graph, contender),
            )
            for contender in self._table.contenders
            for (label, device_id), times in self._times.items()
            if label == contender.label and times
        )

    def _skip(self, contender: Contender, device_id: str, why: str) -> None:
        self._skipped.append(Skipped(contender.label, device_id, why))


def _usable(contender: Contender, algorithm: Algorithm, device_ids: Sequence[str]) -> list[str]:
    return [device_id for device_id in device_ids if _suits(describe_device(device_id), contender, algorithm)]


def _suits(info: DeviceInfo, contender: Contender, algorithm: Algorithm) -> bool:
    return algorithm.runs_on(info) and contender.needs in info.abilities
