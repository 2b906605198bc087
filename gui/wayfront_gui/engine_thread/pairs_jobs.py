"""The jobs of a search for all pairs: the search itself, and the tree that has the route of one pair."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from wayfront.search.result import Result
from wayfront_gui.engine_thread.jobs import LIVE_AFTER_S, STAGES, Pace, Report, SearchJob
from wayfront_gui.model import formatting
from wayfront_gui.model.matrix_replay import MatrixReplay
from wayfront_gui.model.pairs import MOST_MATRIX_NODES, Pairs
from wayfront_gui.model.request import PairsRequest, SearchRequest
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    from wayfront.search.procedure import Progress


@dataclass(frozen=True, slots=True)
class PairsFound:
    """A finished search for all pairs, and on a small network its matrix with the steps at which cells changed."""

    pairs: Pairs
    matrix: MatrixReplay | None


@dataclass(frozen=True, slots=True)
class PairsJob:
    """Search for all pairs.

    Finished sources are kept in the file ``checkpoint`` until all are; a search that ``resumes`` goes on from there,
    any other begins anew.
    """

    request: PairsRequest
    slot: int
    checkpoint: Path | None = None
    resumes: bool = False
    lane: str = field(default="search", init=False)

    def run(self, report: Report) -> PairsFound:
        """Return what the search found."""
        from wayfront import all_pairs
        from wayfront.devices import choose_device

        asked = self.request
        if self.checkpoint is not None and not self.resumes:
            with suppress(FileNotFoundError):
                self.checkpoint.unlink()
        result = all_pairs(
            asked.network,
            asked.algorithm,
            asked.device,
            sources=asked.sources,
            keep="matrix" if asked.network.node_count <= MOST_MATRIX_NODES else "summary",
            metric=asked.metric,
            options=asked.options,
            threads=min(asked.threads, choose_device(asked.device).threads),
            runs=asked.runs,
            checkpoint=self.checkpoint,
            progress=_PairsWatcher(report, asked),
            cancel=report.cancel,
            trace_budget=asked.trace_budget,
            closures=asked.closures,
        )
        pairs = Pairs.of(result).prepare()
        return PairsFound(pairs, None if asked.trace_budget is None else MatrixReplay.of(pairs))


@dataclass(frozen=True, slots=True)
class TreeJob:
    """Find a tree beside whatever search comes next: from one node of a pair, or with all roads open."""

    request: SearchRequest
    slot: int
    lane: str = "tree"

    def run(self, report: Report) -> Result:
        """Return the tree."""
        return SearchJob(self.request, self.slot).run(report)


class _PairsWatcher:
    """Passes on the forecast and the number of finished sources, and what was found as often as that stays cheap."""

    def __init__(self, report: Report, request: PairsRequest) -> None:
        self._report = report
        self._asked = request
        self._metric = request.network.metric(request.metric)
        self._pace = Pace(LIVE_AFTER_S)
        self._begun = time.monotonic()
        self._before: int | None = None
        self._announced: set[bool] = set()

    def __call__(self, progress: Progress) -> None:
        if progress.stage == "preparing":
            self._report.progress(progress.doing, progress.fraction)
            return
        done, wanted = progress.sources_done or 0, progress.sources_wanted or len(self._asked.sources)
        if self._before is None:
            self._before = done
        left_s = self._seconds_left(progress, wanted - done, wanted - self._before)
        by_steps = progress.step / progress.steps_ahead if progress.steps_ahead else 0.0
        if self._asked.trace_budget is None:  # timed again: it was announced with the search before
            self._report.progress(translated(STAGES["timing"]), -1.0)
            return
        self._report.progress(formatting.sources_so_far(done, wanted, left_s), min(max(done / wanted, by_steps), 1.0))
        self._announce(progress, wanted)
        if progress.snapshot is not None and progress.summary is not None and self._pace.due():
            with self._pace:
                found, trace = progress.summary(), progress.snapshot()
                asked = self._asked
                so_far = Pairs(asked.network, self._metric, asked.sources, found, trace)
                self._report.live(so_far.prepare())

    def _announce(self, progress: Progress, wanted: int) -> None:
        """Announce how long the search will take, and once more when it is known how much memory."""
        ahead, taken = progress.seconds_ahead, progress.bytes_ahead
        if ahead is not None and (taken is not None) not in self._announced:
            self._announced.add(taken is not None)
            self._report.forecast(formatting.pairs_forecast(self._asked.algorithm, ahead, wanted, taken), ahead)

    def _seconds_left(self, progress: Progress, missing: int, at_first: int) -> float | None:
        """Return the forecast of the time that is left, None where nothing is known."""
        if progress.seconds_ahead is None:
            return None
        if progress.steps_ahead:
            return max(progress.seconds_ahead - (time.monotonic() - self._begun), 0.0)
        return progress.seconds_ahead * missing / max(at_first, 1)
