"""What is particular to all pairs: how a run is made, what becomes of its rows, and what the result is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices import Ability
from wayfront.devices.device import Device, DeviceInfo
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.all_pairs.checkpoint import Checkpoint
from wayfront.search.all_pairs.collecting import Collector, Discarding, TakesRows
from wayfront.search.all_pairs.proof import Prover
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.all_pairs.rows import KeptRows
from wayfront.search.all_pairs.run import PairsRun
from wayfront.search.customised import is_prepared
from wayfront.search.pairs_summary import PairsSummary
from wayfront.search.procedure import Found
from wayfront.search.registry import SearchKind
from wayfront.search.run import Setting


class AllPairs:
    """The procedure for all pairs: from ``sources``, internal numbers [k], with ``rows`` to keep them or None."""

    kind = SearchKind.ALL_PAIRS

    def __init__(
        self,
        network: RoadNetwork,
        metric: Metric,
        sources: NDArray[np.int32],
        rows: KeptRows | None,
        checkpoint: Checkpoint | None,
        *,
        verify: bool,
    ) -> None:
        self.sources = sources
        self._rows = rows
        self._checkpoint = checkpoint
        self._prover = Prover(network, metric, sources) if verify else None
        takers: list[TakesRows] = [taker for taker in (self._prover, rows) if taker is not None]
        figures = PairsSummary.empty(len(sources))
        self.found_before: int = 0 if checkpoint is None else checkpoint.load(sources, figures, rows)
        self.collector: Collector = Collector(figures, tuple(takers))

    @property
    def proves(self) -> bool:
        """Whether every row is proved right as it is found."""
        return self._prover is not None

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the dissection where the network's cut is kept, else the fastest search for all pairs on a device."""
        return "dissection-all-pairs" if is_prepared(device, network) else fastest(device)

    def make_run(self, setting: Setting) -> PairsRun:
        """Return a run from the sources that are not finished."""
        return PairsRun(setting, self.collector.begin(self.sources), self.collector)

    def finish(self, run: PairsRun) -> Found[PairsResult]:
        """Return what was found: the rows were delivered before."""
        return Found(self.make_result, run.delivered_s * 1e3, 0.0)

    def rehearsal(self) -> Rehearsal:
        """Return the procedure with which everything is compiled."""
        return Rehearsal()

    def prepare_rows(self, dtype: np.dtype[Any]) -> None:
        """Make what keeps rows ready for distances of a dtype."""
        if self._rows is not None:
            self._rows.prepare(dtype)

    def note_progress(self, *, over: bool) -> None:
        """Save what is finished where that is due; ``over`` says that every source is, and only timing follows."""
        if self._checkpoint is None:
            return
        if over:
            self._checkpoint.save(self.sources, self.collector.figures, self._rows)
        else:
            self._checkpoint.save_if_due(self.sources, self.collector.figures, self._rows)

    def make_result(self, **base: Any) -> PairsResult:
        """Return the result, given the fields of ``BaseResult``."""
        rows, prover = self._rows, self._prover
        if not base["relaxations"]:
            base["relaxations"] = None  # no step counted any
        return PairsResult(
            **base,
            sources=self.sources,
            figures=self.collector.figures.copy(),
            matrix=None if rows is None else rows.finish(),
            matrix_path="" if rows is None else rows.path,
            found_before=self.found_before,
            proved=0 if prover is None else prover.proved,
            compared=0 if prover is None else prover.compared,
        )

    def closed_after(self, search: Callable[[], PairsResult]) -> PairsResult:
        """Return what a search returns; where it ends early, save what is finished if there is a checkpoint."""
        try:
            result = search()
        except BaseException:
            self._end_early()
            raise
        if self._checkpoint is not None:
            self._checkpoint.close()
        return result

    def _end_early(self) -> None:
        """Save what is finished where there is a checkpoint; else nothing unfinished is left behind."""
        resumable = self._checkpoint is not None and self.collector.figures.done.any()
        try:
            if self._checkpoint is not None and resumable:
                self._checkpoint.save(self.sources, self.collector.figures, self._rows)
        finally:
            if self._rows is not None:
                (self._rows.close if resumable else self._rows.discard)()


def fastest(device: DeviceInfo | Device) -> str:
    """Return the name of the fastest search for all pairs on a device."""
    return "dijkstra-in-turn" if Ability.HOST_LOOPS in device.abilities else "heap-apsp"


class Rehearsal:
    """The procedure from all nodes of a small network, which keeps nothing."""

    kind = SearchKind.ALL_PAIRS

    def fastest(self, device: Device, network: RoadNetwork | None) -> str:
        """Return the name of the fastest search for all pairs on a device."""
        return fastest(device)

    def make_run(self, setting: Setting) -> PairsRun:
        """Return a run from every node."""
        return PairsRun(setting, np.arange(setting.network.node_count, dtype=np.int32), Discarding(wants_rows=True))

    def finish(self, run: PairsRun) -> None:
        """Return nothing."""

    def rehearsal(self) -> Rehearsal:
        """Return itself."""
        return self
