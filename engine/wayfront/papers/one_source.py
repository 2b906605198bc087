"""Run a table of searches from one source: every search checked, then all timed in turns.

A first search of each contender compiles what it needs, gives its distances, which must be those of a proven Dijkstra,
and shows whether it ends within the time allowed for one run. Those that do then take turns (A B A B) under the timing
harness. One that does not, but whose steps are alike and counted, is timed by its first steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event

import numpy as np

from wayfront.devices import CPU, open_device
from wayfront.errors import CertificateError, SearchCancelled
from wayfront.network.road_network import RoadNetwork
from wayfront.papers import boost
from wayfront.papers.comparison import Cell
from wayfront.papers.description import Contender, Graph, Paper, Table, hardware_of
from wayfront.papers.limits import Deadline
from wayfront.papers.table_run import Request, TableRun
from wayfront.papers.timed_search import TimedSearch
from wayfront.search.call import search
from wayfront.search.procedure import Progress
from wayfront.timing.harness import interleave

SOURCE_ID = 1
"""All searches begin at the node with this id, as in the DIMACS challenge."""

REFERENCE = "dijkstra"

PART_OF_LIMIT = 0.25
"""How much of the time allowed for a run the first steps of a longer one take."""

_Place = tuple[str, str]
"""The label of a contender, and the device it runs on."""


@dataclass(slots=True)
class _Timed:
    """One contender on one device: what makes a run, None where all are made, and the milliseconds of the runs."""

    once: Callable[[], float] | None
    device_name: str
    times: list[float] = field(default_factory=list)
    scale: float = 1.0
    part: str = ""


class OneSourceRun(TableRun):
    """The run of a table of searches from one source on one graph."""

    def __init__(
        self, paper: Paper, table: Table, graph: Graph, network: RoadNetwork, request: Request, cancel: Event
    ) -> None:
        super().__init__(paper, table, graph, request, cancel)
        self._network, self._source = network, network.node(SOURCE_ID)
        self._timed: dict[_Place, _Timed] = {}
        self._endless = Deadline(0.0, cancel, endless=True)  # for what was tried before: only the caller stops it

    def size(self) -> tuple[int, int]:
        """Return the numbers of nodes and arcs."""
        return self._network.node_count, self._network.arc_count

    def measure(self) -> None:
        """Check every search against a proven one, then time them in turns; cancelling keeps the turns made."""
        self._find_reference()
        for contender, device_id in self.pairs():
            if self.cancel.is_set():
                return
            check = self._check_boost if contender.algorithm in boost.SEARCHES else self._check
            self.attempt(contender, device_id, check)
        turns = self._turns()
        try:
            interleave(
                turns, self.request.runs, cancel=self.cancel, longest_s=self.request.seconds * max(len(turns), 1),
                progress=lambda name, _fraction: self.say(f"timing {name}"),
            )  # fmt: skip
        except SearchCancelled:
            return

    def able(self, contender: Contender) -> list[str] | None:
        """Return the devices that a contender can run on; Boost's searches run on the CPU."""
        return [CPU] if contender.algorithm in boost.SEARCHES else super().able(contender)

    def _find_reference(self) -> None:
        """Search with the processor's fastest search, prove it right, and compare it with what is known of the file."""
        found = search(self._network, self._source, REFERENCE, CPU, runs=0, trace_budget=None, verify=True)
        self._distances = found.distances
        infinity = np.iinfo(self._distances.dtype).max
        reached = self._distances[self._distances != infinity].astype(np.int64)
        self.reached: int = len(reached)
        self.sum_distance: int = int(reached.sum())
        known = self.graph.sum_distance
        if known is not None and known != self.sum_distance:
            raise CertificateError(
                f"the distances on {self.graph.name} add up to {self.sum_distance:,}, not {known:,}: it is another file"
            )

    def _check(self, contender: Contender, device_id: str) -> None:
        limit = self.limit()

        def forecast(progress: Progress) -> None:
            limit.begin()
            if progress.seconds_ahead is not None:
                limit.expect(progress.seconds_ahead)

        try:
            found = search(
                self._network, self._source, contender.algorithm, device_id, options=contender.options,
                threads=contender.threads, runs=0, trace_budget=None, progress=forecast, cancel=limit,
            )  # fmt: skip
        except SearchCancelled:
            if self.cancel.is_set() or not contender.alike:
                raise
            self._check_part(contender, device_id)
            return
        if not np.array_equal(found.distances, self._distances):
            raise self._wrong(contender, device_id)
        timed = TimedSearch(contender, device_id, self._network, self._source, found.distances.dtype)
        self._timed[contender.label, device_id] = self._ours(timed, device_id)

    def _check_part(self, contender: Contender, device_id: str) -> None:
        """Time the first steps of a search that would take too long; no distance may be below the right one."""
        timed = TimedSearch(contender, device_id, self._network, self._source, self._distances.dtype)
        steps, total = timed.take_part(self.request.seconds * PART_OF_LIMIT, self.limit())
        if (timed.distances() < self._distances).any():
            raise self._wrong(contender, device_id)
        made = self._timed[contender.label, device_id] = self._ours(timed, device_id)
        if steps < total:
            made.scale, made.part = total / steps, f"{steps:,} of {total:,} steps"

    def _check_boost(self, contender: Contender, device_id: str) -> None:
        """Run and time one of Boost's searches, in a process of its own."""
        runner = boost.BoostSearch(contender.algorithm, self._network, self._source, self._network.metric())
        boost.program()  # compiling it does not count
        limit = self.limit()
        limit.begin()
        times, distances = runner.run(1, limit.check)
        infinity = np.iinfo(self._distances.dtype).max
        if not np.array_equal(distances, np.where(self._distances == infinity, boost.NO_PATH, self._distances)):
            raise self._wrong(contender, device_id)
        if self.request.runs > 1:
            times, _ = runner.run(self.request.runs, self._endless.check)
        self._timed[contender.label, device_id] = _Timed(None, boost.NAME, list(times))

    def _ours(self, timed: TimedSearch, device_id: str) -> _Timed:
        return _Timed(lambda: timed.once(self._endless), open_device(device_id).name)

    def _wrong(self, contender: Contender, device_id: str) -> CertificateError:
        return CertificateError(
            f"{contender.label} on {device_id} does not find the distances of a proven search on {self.graph.name}, so "
            "its time says nothing"
        )

    def _turns(self) -> dict[str, Callable[[], float]]:
        """Return what takes turns: each makes one run and notes its time."""

        def turn(once: Callable[[], float], times: list[float]) -> Callable[[], float]:
            def run() -> float:
                times.append(once())
                return times[-1]

            return run

        return {" on ".join(place): turn(t.once, t.times) for place, t in self._timed.items() if t.once is not None}

    def cells(self) -> tuple[Cell, ...]:
        """Return the timed searches in the order of the table."""
        return tuple(
            Cell(
                contender.label,
                contender.algorithm,
                contender.options,
                device_id,
                timed.device_name,
                tuple(timed.times),
                self.table.published_ms(self.graph, contender, hardware_of(device_id)),
                timed.scale,
                timed.part,
            )
            for contender in self.table.contenders
            for (label, device_id), timed in self._timed.items()
            if label == contender.label and timed.times
        )
