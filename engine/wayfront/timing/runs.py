"""How many clean runs are timed: one policy for searches, comparisons, benchmarks and the papers' tables."""

from __future__ import annotations

RUNS = 5
"""Clean runs where the caller names no number."""

LONG_S = 10.0
"""A run that is forecast to take longer than this, seconds, is timed once where the caller names no number."""

LONGEST_S = 60.0
"""No further run is started after this many seconds: a slow search then has fewer runs, but at least one."""


def how_many_runs(requested: int | None, forecast_s: float | None = None) -> int:
    """Return how many clean runs to time: ``requested``, or without a request ``RUNS``, or 1 for a long run."""
    if requested is not None:
        return requested
    return 1 if (forecast_s or 0.0) > LONG_S else RUNS
