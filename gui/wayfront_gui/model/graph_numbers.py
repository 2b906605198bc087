"""Weights and labels of a small graph as numbers short enough to stand in a picture. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wayfront.network.road_network import Metric

INFINITE = "∞"
UNKNOWN = "?"
NO_LABEL, NOT_KNOWN = -1, -2
"""Labels of nodes that have none yet, and of nodes of which a trace does not say which they have."""

_LONGEST = 5
"""Digits that fit on a disc's label."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """How weights are written: divided by ``divisor``, with ``digits`` behind the point, in ``unit``, "" for none."""

    divisor: float
    digits: int
    unit: str

    @classmethod
    def of(cls, metric: Metric, largest: int) -> Numbers:
        """Return numbers that are exact, or in a larger unit where ``largest`` (as stored) would be too long."""
        value = largest * metric.scale
        larger = {"m": (1000.0, "km"), "s": (60.0, "min")}.get(metric.unit)
        exact = _digits_of(metric, 1 / metric.scale)
        if larger is None or len(f"{value:.{exact}f}") <= _LONGEST:
            return cls(1 / metric.scale, exact, metric.unit)
        divisor = larger[0] / metric.scale
        return cls(divisor, min(_digits_of(metric, divisor), 2 if value < 100 * larger[0] else 1), larger[1])

    def text(self, label: int) -> str:
        """Return a weight or a label (as stored) as text."""
        if label == NO_LABEL:
            return INFINITE
        return UNKNOWN if label == NOT_KNOWN else f"{label / self.divisor:.{self.digits}f}"


def _digits_of(metric: Metric, divisor: float) -> int:
    """Return how many digits a metric's weights have behind the point when they are divided, three at most."""
    values = metric.weights / divisor
    return next((digits for digits in range(3) if np.abs(values - values.round(digits)).max(initial=0.0) < 1e-9), 3)
