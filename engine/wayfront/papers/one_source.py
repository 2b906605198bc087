"""Run a table of searches from one source: every search checked, then all timed in turns.

A first search of each contender compiles what it needs, gives its distances, which must be those of a proven Dijkstra,
and shows whether it ends within the time allowed for one run. Those that do then take turns (A B A B) under the timing
harness. One that does not, but whose steps are alike and counted, is timed by its first steps.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, describe_device, open_device
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.papers import boost
from wayfront.papers.comparison import Cell
from wayfront.papers.description import Contender
from wayfront.papers.table_run import Deadline, TableRun, Task
from wayfront.safe.errors import CertificateError, SearchCancelled
from wayfront.safe.options import resolve
from wayfront.searching.call import search
from wayfront.searching.registry import find_algorithm
from wayfront.searching.run import Progress, Run, Setting
from wayfront.timing.harness import interleave, stopwatch

SOURCE_ID = 1
"""All searches begin at the node with this id, as in the DIMACS challenge."""

REFERENCE = "dijkstra"

PART_OF_LIMIT = 0.25
"""How much of the time allowed for a run the first steps of a longer one take."""


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

    def __init__(self, task: Task, network: RoadNetwork) -> None:
        super().__init__(task, (network.node_count, network.arc_count))
        self._network, self._source = network, network.node(SOURCE_ID)
        self._searches: dict[tuple[str, str], _Timed] = {}
        """By the label of a contender and the device it runs on."""
        self._endless = Deadline(0.0, self.cancel, endless=True)  # for what was tried before: only the caller stops it

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
        found = search(self._network, self._source, REFERENCE, CPU, verify=True)
        self._distances = found.distances
        reached = self._distances[found.reached].astype(np.int64)
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
                threads=min(contender.threads, describe_device(device_id).threads), progress=forecast, cancel=limit,
            )  # fmt: skip
        except SearchCancelled:
            if self.cancel.is_set() or not contender.alike:
                raise
            self._check_part(contender, device_id)
            return
        if not np.array_equal(found.distances, self._distances):
            raise self._wrong(contender, device_id)
        timed = TimedSearch(contender, device_id, self._network, self._source, found.distances.dtype)
        self._searches[contender.label, device_id] = self._ours(timed, device_id)

    def _check_part(self, contender: Contender, device_id: str) -> None:
        """Time the first steps of a search that would take too long; no distance may be below the right one."""
        timed = TimedSearch(contender, device_id, self._network, self._source, self._distances.dtype)
        steps, total = timed.take_part(self.request.seconds * PART_OF_LIMIT, self.limit())
        labels = timed.distances()
        if (labels < np.where(self._distances == NO_PATH, np.iinfo(labels.dtype).max, self._distances)).any():
            raise self._wrong(contender, device_id)
        made = self._searches[contender.label, device_id] = self._ours(timed, device_id)
        if steps < total:
            made.scale, made.part = total / steps, f"{steps:,} of {total:,} steps"

    def _check_boost(self, contender: Contender, device_id: str) -> None:
        """Run and time one of Boost's searches, in a process of its own."""
        runner = boost.BoostSearch(contender.algorithm, self._network, self._source, self._network.metric())
        boost.program()  # compiling it does not count
        limit = self.limit()
        limit.begin()
        times, distances = runner.run(1, limit.check)
        if not np.array_equal(distances, self._distances):
            raise self._wrong(contender, device_id)
        if self.request.runs > 1:
            times, _ = runner.run(self.request.runs, self._endless.check)
        self._searches[contender.label, device_id] = _Timed(None, boost.NAME, list(times))

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

        return {" on ".join(which): turn(t.once, t.times) for which, t in self._searches.items() if t.once is not None}

    def cells(self) -> tuple[Cell, ...]:
        """Return the timed searches in the order of the table."""
        return tuple(
            self.cell(contender, device_id, timed.device_name, tuple(timed.times), timed.scale, timed.part)
            for contender in self.table.contenders
            for (label, device_id), timed in self._searches.items()
            if label == contender.label and timed.times
        )


SLOW_MS = 1000.0
"""From here on what the first run allocates and prepares makes no difference, so that it counts as a clean one."""


class TimedSearch:
    """One contender on one device, prepared so that further runs allocate nothing.

    ``distance_dtype`` is that of a whole search from the same source, which showed that its distances fit.
    """

    def __init__(
        self, contender: Contender, device_id: str, network: RoadNetwork, source: int, distance_dtype: np.dtype[Any]
    ) -> None:
        self._algorithm = find_algorithm(contender.algorithm)
        options = resolve(self._algorithm.options, contender.options)
        device = open_device(device_id, min(contender.threads, describe_device(device_id).threads))
        self._run = Run(Setting(device, network, network.metric(), options, distance_dtype), source)
        self._steps = math.inf
        self._warm = False

    def once(self, limit: Deadline) -> float:
        """Run once and return the milliseconds. Raises ``SearchCancelled`` where the limit says so."""
        if not self._warm:
            self._warm, first = True, stopwatch(lambda: self._go(limit))
            if first > SLOW_MS:
                return first
        return stopwatch(lambda: self._go(limit))

    def take_part(self, seconds: float, limit: Deadline) -> tuple[int, int]:
        """Let further runs make only as many of the first steps as ``seconds`` allow; return these and all steps."""
        count_steps = self._algorithm.count_steps
        total = count_steps(self._run) if count_steps is not None else None
        assert total is not None, "only searches whose steps are counted beforehand can be timed in part"
        self._go(limit, most_steps=1)  # compiles
        begin = time.perf_counter()
        self._steps = self._go(limit, until=begin + seconds)
        self._warm = True
        return int(self._steps), total

    def distances(self) -> NDArray[Any]:
        """Return the distances as the last run left them."""
        return self._run.device.get(self._run.distances, self._run.node_count)

    def _go(self, limit: Deadline, most_steps: float = math.inf, until: float = math.inf) -> int:
        """Search until it ends, has made ``most_steps``, or the clock passes ``until``; return the steps made."""
        taken, most = 0, min(most_steps, self._steps)
        for made in self._algorithm.search(self._run):
            limit.check()
            taken += made or 1
            if until < math.inf:
                self._run.device.synchronize()  # else launches are only sent
            if taken >= most or time.perf_counter() > until:
                break
        self._run.device.synchronize()
        return taken
