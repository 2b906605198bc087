"""The job of the chart of growth: it runs on the engine thread, so that no other search disturbs its times."""

from __future__ import annotations

from dataclasses import dataclass, field

from wayfront.benchmarks.growth_record import Growth, GrowthRequest
from wayfront_gui.engine_thread.jobs import Report

LANE = "growth"


@dataclass(frozen=True, slots=True)
class GrowthJob:
    """Measure how searches grow; what was measured so far is shown after every search."""

    request: GrowthRequest
    slot: None = field(default=None, init=False)
    lane: str = field(default=LANE, init=False)

    def run(self, report: Report) -> Growth:
        """Return all that was measured."""
        from wayfront.benchmarks.growth import measure_growth

        found = Growth(self.request)
        for so_far in measure_growth(self.request, report.progress, report.cancel):
            found = so_far
            report.live(found)
        return found
