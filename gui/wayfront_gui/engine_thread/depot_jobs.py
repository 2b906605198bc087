"""The job that chooses depots among candidates: the distances from each, then every choice of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from wayfront_gui.engine_thread.jobs import Report, SearchJob
from wayfront_gui.model.depots import DepotsFound
from wayfront_gui.model.request import SearchRequest
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    from wayfront.search.prepared import Prepared


@dataclass(frozen=True, slots=True, eq=False)
class DepotsJob:
    """Find the best depots; ``request`` says on what network and how to search from each candidate."""

    request: SearchRequest
    candidates: tuple[int, ...]
    prepared: Prepared | None
    slot: int
    lane: str = field(default="depots", init=False)

    def run(self, report: Report) -> DepotsFound:
        """Return distances and choices."""
        from wayfront.search.depots import best_depots

        asked, prepared = self.request, self.prepared
        report.progress(translated("Searching from the candidates"), -1.0)
        if prepared is not None:
            prepared.close_exactly(asked.closures)
            rows = prepared.trees(self.candidates)
        else:
            searches = (SearchJob(replace(asked, source=node), self.slot) for node in self.candidates)
            found = (search.run(report) for search in searches)
            # Some may be in 32 bits, others in 64, which mark unreached nodes otherwise.
            rows = np.stack([np.where(r.reached, r.distances, np.int64(np.iinfo(np.int64).max)) for r in found])
        best = best_depots(
            self.candidates,
            rows,
            cancel=report.cancel,
            progress=lambda share: report.progress(translated("Choosing depots"), share),
        )
        return DepotsFound(asked.network, asked.network.metric(asked.metric), self.candidates, rows, best)
