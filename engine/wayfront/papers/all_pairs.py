"""Run a table of all-pairs searches: whole where that ends in time, else from some of the sources, scaled to all.

A search is first tried with as many sources as it takes side by side, since fewer would leave a card half empty and
take as long; then with more, until it has all, or as many as the time allowed for one run suffices for. The sources are
drawn evenly, each try's among the next one's, and what any two searches find of the same source must be the same; of
the first few it must be what a proven Dijkstra finds. Floyd–Warshall finds no row sooner than all, so it runs whole or
not at all; where the table's graphs are of one kind and grow, its time on a smaller one is scaled by n³, since it does
the same share of n³ sums on all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import CPU, describe_device
from wayfront.network.road_network import RoadNetwork
from wayfront.papers.comparison import Comparison
from wayfront.papers.description import Contender, Sources, hardware_of
from wayfront.papers.table_run import Deadline, TableRun, Task
from wayfront.results.pairs import PairsResult
from wayfront.safe.errors import CertificateError, SearchCancelled
from wayfront.searching.all_pairs.call import all_pairs
from wayfront.searching.call import search
from wayfront.searching.run import Progress
from wayfront.synthetic.portable_random import Draws

PROVEN = 3
"""Sources of which a proven Dijkstra finds the figures first."""

REFERENCE = "dijkstra"

FIRST_TRY = 10.0
"""How many runs' time the first try of a search from several sources side by side may take."""

GROWTH = 32
"""How many times as many sources the next try has at most."""

_compiled: set[tuple[str, str, bool]] = set()
"""What was compiled in this process: label, device, and whether weights of 0 occur."""


class AllPairsRun(TableRun):
    """The run of a table of all-pairs searches on one graph."""

    def __init__(self, task: Task, network: RoadNetwork) -> None:
        super().__init__(task, (network.node_count, network.arc_count))
        self.smaller: Comparison | None = None
        """The same table on a smaller graph of the same kind, where there is one."""
        self._network = network
        n = network.node_count
        self._order = Draws(1).permutation(n).astype(np.int32)
        self._figures = np.zeros((n, 3), np.int64)
        self._known = np.zeros(n, np.bool_)
        self._zeros = network.weight_range(network.metric())[0] == 0

    def measure(self) -> None:
        """Check and time every search that can run here, one after the other."""
        for source in self._order[:PROVEN]:
            self._find_reference(int(source))
        for contender, device_id in self.pairs():
            if self.cancel.is_set():
                return
            self.attempt(contender, device_id, self._time)
        self.reached: int = int(self._figures[self._known, 2].sum())
        self.sum_distance: int = int(self._figures[self._known, 1].sum())

    def _find_reference(self, source: int) -> None:
        found = search(self._network, source, REFERENCE, CPU, verify=True)
        reached = found.distances[found.reached].astype(np.int64)
        self._figures[source] = reached.max(), reached.sum(), len(reached)
        self._known[source] = True

    def _time(self, contender: Contender, device_id: str) -> None:
        """Time a search with as many sources as the limit allows, and note it."""
        n = self._network.node_count
        if contender.sources is Sources.ALL or self.request.long:
            try:
                found = self._search(contender, device_id, n, self.limit())
            except SearchCancelled:
                if self.cancel.is_set() or not self._take_from_smaller(contender, device_id):
                    raise
                return
        else:
            together = contender.sources is Sources.TOGETHER
            first = self._at_once(contender, device_id) if together else 1
            found = self._with_most_sources(contender, device_id, min(n, first))
        self._note(contender, device_id, found)

    def _take_from_smaller(self, contender: Contender, device_id: str) -> bool:
        """Scale the time on a smaller graph by n³; return whether there was one."""
        if self.smaller is None or self.smaller.size is None:
            return False
        times = self._network.node_count / self.smaller.size[0]
        for cell in self.smaller.cells:
            if (cell.label, cell.device) == (contender.label, device_id):
                self.timed.append(
                    replace(
                        cell,
                        paper_ms=self.table.published_ms(self.graph, contender, hardware_of(device_id)),
                        scale=cell.scale * times**3,
                        part=cell.part or f"by n³ from {self.smaller.graph.name}",
                    )
                )
                return True
        return False

    def _at_once(self, contender: Contender, device_id: str) -> int:
        """Return how many of all sources a search takes side by side: it is stopped as soon as that is known."""
        known: list[int] = []
        stop = Deadline(0.0, self.cancel, endless=True)

        def report(progress: Progress) -> None:
            if progress.at_once is not None:
                known.append(progress.at_once)
                stop.set()

        with suppress(SearchCancelled):
            self._all_pairs(contender, device_id, None, report, stop)
        if self.cancel.is_set():
            raise SearchCancelled("stopped")
        return known[0]

    def _with_most_sources(self, contender: Contender, device_id: str, count: int) -> PairsResult:
        """Search from more and more sources; return the last search that ended within its time."""
        n, limit_ms = self._network.node_count, self.request.seconds * 1000
        before: PairsResult | None = None
        while True:
            try:
                # Fewer sources than are taken side by side would say nothing of all: the first try may take longer.
                found = self._search(contender, device_id, count, self.limit(FIRST_TRY if before is None else 2.0))
            except SearchCancelled:
                if self.cancel.is_set() or before is None:
                    raise
                return before
            ms = found.timing.runs_ms[0]
            if count == n:
                return found
            if ms * n <= limit_ms * count:
                count = n
            elif 2 * ms > limit_ms:
                return found
            else:
                count = min(n, count * min(GROWTH, int(limit_ms / ms)))
            before = found

    def _search(self, contender: Contender, device_id: str, count: int, limit: Deadline, runs: int = 1) -> PairsResult:
        """Search from the first ``count`` sources and check what was found."""
        self.say(f"{contender.label} on {device_id}, {count:,} source{'s' if count > 1 else ''}")
        compiled = contender.label, device_id, self._zeros
        if compiled in _compiled:
            limit.begin()  # else it begins with the first report, since compiling does not count

        def report(progress: Progress) -> None:
            limit.begin()
            # Only one by the search's own steps counts: where these are unknown, it is that of Dijkstra on a core.
            if progress.steps_ahead is not None and progress.seconds_ahead is not None:
                limit.expect(progress.seconds_ahead)

        found = self._all_pairs(contender, device_id, np.sort(self._order[:count]), report, limit, runs)
        _compiled.add(compiled)
        self._check(contender, device_id, found)
        return found

    def _all_pairs(
        self,
        contender: Contender,
        device_id: str,
        sources: NDArray[np.int32] | None,
        report: Callable[[Progress], None],
        limit: Deadline,
        runs: int = 1,
    ) -> PairsResult:
        return all_pairs(
            self._network, contender.algorithm, device_id, sources=sources, options=contender.options,
            threads=min(contender.threads, describe_device(device_id).threads), runs=runs, progress=report,
            cancel=limit,
        )  # fmt: skip

    def _check(self, contender: Contender, device_id: str, found: PairsResult) -> None:
        """Compare what was found of each source with what is known, and keep the rest. Raises ``CertificateError``."""
        figures, sources = found.figures, found.sources
        new = np.stack((figures.eccentricity, figures.total, figures.reached.astype(np.int64)), axis=1)
        known = self._known[sources]
        if not np.array_equal(new[known], self._figures[sources[known]]):
            raise CertificateError(
                f"{contender.label} on {device_id} does not find the distances of the others on {self.graph.name}, so "
                "its time says nothing"
            )
        self._figures[sources], self._known[sources] = new, True

    def _note(self, contender: Contender, device_id: str, found: PairsResult) -> None:
        """Add a row: with further runs where there is time for them."""
        n, count = self._network.node_count, len(found.sources)
        times = found.timing.runs_ms
        again = min(self.request.runs, int(self.request.seconds * 1000 / max(times[0], 1e-3)))
        if again > 1:
            times = self._search(contender, device_id, count, self.limit(again + 1), again).timing.runs_ms
        part = f"{count:,} of {n:,} sources" if count < n else ""
        self.timed.append(self.cell(contender, device_id, found.device_name, times, n / count, part))
