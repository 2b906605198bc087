"""The job that finds isochrones: a tree from each source, then bands, outlines and areas."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from wayfront_gui.engine_thread.jobs import Report, SearchJob
from wayfront_gui.model.isochrones import Reach
from wayfront_gui.model.request import SearchRequest
from wayfront_gui.scene.isochrones import Isochrones
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    from wayfront.search.prepared import Prepared


@dataclass(frozen=True, slots=True, eq=False)
class IsochronesJob:
    """Find isochrones round the request's source, whose ``distances`` are known, and round ``others``."""

    request: SearchRequest
    distances: NDArray[Any]
    others: tuple[int, ...]
    step: int | None
    prepared: Prepared | None
    slot: int
    lane: str = field(default="isochrones", init=False)

    def run(self, report: Report) -> Isochrones:
        """Return what is to be drawn."""
        asked, rows = self.request, [self.distances]
        report.progress(translated("Finding isochrones"), -1.0)
        if self.prepared is not None and self.others:
            self.prepared.close_exactly(asked.closures)
            rows += list(self.prepared.trees(self.others))
        else:
            searches = (SearchJob(replace(asked, source=node), self.slot) for node in self.others)
            rows += [search.run(report).distances for search in searches]
        metric = asked.network.metric(asked.metric)
        return Isochrones.of(Reach.of(asked.network, metric, (asked.source, *self.others), rows), self.step)
