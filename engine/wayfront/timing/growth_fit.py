"""Fit how a figure grows with the size of a network: its exponent, and which of the usual laws it may follow.

Where a figure is c · n^p, its logarithm over that of n is a line of slope p. The line is fitted by least squares, and
the spread of p is the half width of its 95 % confidence interval (Student's t), which says how well the sizes that
were measured determine it: few sizes or figures that scatter give a wide one.

A law such as n log n is no power, so comparing exponents would be unfair to it: over the sizes of an experiment it
looks like n^1.09. Each law is tested by itself instead: the figures divided by the law must show no trend, that is,
the fitted exponent of the quotient must be 0 within its own spread. All laws that pass are listed. Where n and n log n
both pass, the sizes do not tell them apart, and nothing here pretends that they do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FEWEST_SIZES = 3
"""A line through two points has no spread."""

NEGLIGIBLE_TREND = 0.02
"""An exponent below this counts as none: terms of lower order, as in n/2 + 1 steps, make as much at small sizes."""

FEWEST_TO_BEND = 5
"""Sizes from which on a curve is looked for."""

CLEAR_BEND = 0.25
"""How far the exponents at both ends differ at least before growth is called no power: those of n log n differ less."""

_T_975 = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
)
"""The quantiles 0.975 of Student's t for 1, 2, … degrees of freedom."""

LAWS: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "constant": np.ones_like,
    "log n": np.log,
    "√n": np.sqrt,
    "n": lambda n: n,
    "n log n": lambda n: n * np.log(n),
    "n√n": lambda n: n * np.sqrt(n),
    "n²": lambda n: n**2,
    "n² log n": lambda n: n**2 * np.log(n),
    "n³": lambda n: n**3,
}
"""The laws that are tested, by name, each up to a constant factor."""


@dataclass(frozen=True, slots=True)
class Fit:
    """How a figure grows.

    exponent  of the power that fits best; ``spread`` is the half width of its 95 % confidence interval
    factor    of that power: the figure is about ``factor * n**exponent``
    laws      names of the laws that the figures may follow, the one that fits best first; empty where none does
    bend      the exponents at the smallest and the largest size where they differ clearly, so that no power fits
    sizes     how many sizes were fitted
    """

    exponent: float
    spread: float
    factor: float
    laws: tuple[str, ...]
    bend: tuple[float, float] | None
    sizes: int

    def at(self, nodes: float) -> float:
        """Return the fitted figure at a size."""
        return self.factor * nodes**self.exponent


def fit_growth(nodes: Sequence[float], figures: Sequence[float]) -> Fit | None:
    """Return how figures grow with the number of nodes, None where fewer than three sizes can be fitted.

    Sizes below 2 and figures that are not positive have no use in a power and are left out.
    """
    pairs = sorted((n, value) for n, value in zip(nodes, figures, strict=True) if n >= 2 and value > 0)
    if len({n for n, _ in pairs}) < FEWEST_SIZES:
        return None
    n, values = np.array(pairs, np.float64).T
    slope, spread, level = _line(np.log(n), np.log(values))
    bend = _bend(np.log(n), np.log(values))
    return Fit(slope, spread, math.exp(level), () if bend else _laws(n, values), bend, len(pairs))


def _laws(n: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[str, ...]:
    """Return the laws after dividing by which no trend is left, the one that leaves the least scatter first."""
    left: dict[str, float] = {}
    for name, law in LAWS.items():
        quotients = np.log(values / law(n))
        trend, spread, _ = _line(np.log(n), quotients)
        if abs(trend) <= max(spread, NEGLIGIBLE_TREND):
            left[name] = float(np.var(quotients))
    return tuple(sorted(left, key=left.__getitem__))


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return slope, half width of its confidence interval, and y at x = 0 of the line of least squares."""
    deviations = x - x.mean()
    square = float(deviations @ deviations)
    slope = float(deviations @ y) / square
    left = y - y.mean() - slope * deviations
    freedom = len(x) - 2
    spread = _t(freedom) * math.sqrt(float(left @ left) / freedom / square)
    return slope, spread, float(y.mean() - slope * x.mean())


def _bend(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float] | None:
    """Return the slopes at both ends of the parabola of least squares where it clearly differs from a line."""
    if len(x) < FEWEST_TO_BEND:
        return None
    deviations = x - x.mean()
    columns = np.stack((np.ones_like(x), deviations, deviations**2), axis=1)
    inverse = np.linalg.pinv(columns.T @ columns)
    coefficients = inverse @ columns.T @ y
    left = y - columns @ coefficients
    freedom = len(x) - 3
    doubt = _t(freedom) * math.sqrt(float(left @ left) / freedom * float(inverse[2, 2]))
    first, last = (float(coefficients[1] + 2 * coefficients[2] * at) for at in (deviations[0], deviations[-1]))
    clear = abs(coefficients[2]) > doubt and abs(last - first) > CLEAR_BEND
    return (first, last) if clear else None


def _t(freedom: int) -> float:
    return _T_975[min(freedom, len(_T_975)) - 1]
