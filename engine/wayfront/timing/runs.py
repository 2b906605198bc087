"""How many clean runs are timed, and when they agree: one policy for searches, comparisons and the papers' tables."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

RUNS = 5
"""Clean runs where the caller names no number, and the number of latest ones that are to agree."""

STEADY = 0.10
"""Largest spread of runs that agree."""

SETTLING_S = 0.5
"""How long runs that do not agree are repeated, seconds: a processor that was idle takes some of it to speed up."""

LONG_S = 10.0
"""A run that is forecast to take longer than this, seconds, is timed once where the caller names no number."""

LONGEST_S = 60.0
"""No further run is started after this many seconds: a slow search then has fewer runs, but at least one."""


def how_many_runs(requested: int | None, forecast_s: float | None = None) -> int:
    """Return how many clean runs to time: ``requested``, or without a request ``RUNS``, or 1 for a long run."""
    if requested is not None:
        return requested
    return 1 if (forecast_s or 0.0) > LONG_S else RUNS


def spread(runs_ms: Sequence[float]) -> float:
    """Return how far runs differ, as a share of their median: from the first to the third quarter of them, or from
    the fastest to the median where that is more. A single slow run in many does not count.
    """
    if len(runs_ms) < 2:
        return 0.0
    median = statistics.median(runs_ms)
    first, _, third = statistics.quantiles(runs_ms, n=4, method="inclusive")
    return max(third - first, median - min(runs_ms)) / median if median > 0 else 0.0
