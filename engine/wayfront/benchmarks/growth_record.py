"""What a measurement of growth found: figures of every algorithm at every size, and how each of them grows."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.safe.errors import OptionError
from wayfront.safe.options import OptionValue

FEWEST_NODES = 256
"""Smaller networks are searched in finer steps, for lessons: their counts would not belong to the others."""

SMALLEST, LARGEST = 1_024, 65_536
"""The sizes from which and up to which growth is measured where nobody names others."""

MOST_NODES = 1 << 26


class Measure(StrEnum):
    """A figure whose growth is shown."""

    STEPS = "steps"
    RELAXATIONS = "relaxations"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class GrowthRequest:
    """What is measured.

    kind        a generator's name, with parameters where they are not the usual ones: ``rmat?degree=16``
    algorithms  names of searches for one tree
    sizes       how many nodes networks have, rising; a grid has the square that is nearest
    networks    how many networks of each size are searched: their seeds are 1, 2, …
    runs        clean runs on each network
    seconds     what all of it may take; a search that would take longer than what is left is left out
    options     options of algorithms, by the algorithm's name, where they are not the usual ones
    subject     "searches" for one tree, or "flows" by programs in place of algorithms, of which only times are measured
    """

    kind: str
    algorithms: tuple[str, ...]
    sizes: tuple[int, ...]
    device: str = "cpu"
    threads: int = 1
    networks: int = 3
    runs: int = 3
    seconds: float = 60.0
    options: Mapping[str, Mapping[str, OptionValue]] = field(default_factory=dict)
    subject: str = "searches"

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is measured."""
        return tuple(Measure) if self.subject == "searches" else (Measure.TIME,)


def doubling(smallest: int = SMALLEST, largest: int = LARGEST) -> tuple[int, ...]:
    """Return sizes from the smallest on, each twice the one before, up to the largest. Raises ``OptionError``."""
    if not FEWEST_NODES <= smallest <= MOST_NODES:
        raise OptionError(f"the smallest network has {FEWEST_NODES} to {MOST_NODES:,} nodes, not {smallest:,}")
    if not 4 * smallest <= largest <= MOST_NODES:
        raise OptionError(
            f"growth is seen from three sizes on: the largest network has {4 * smallest:,} to {MOST_NODES:,} nodes, "
            f"not {largest:,}"
        )
    sizes = [smallest]
    while 2 * sizes[-1] <= largest:
        sizes.append(2 * sizes[-1])
    return tuple(sizes)


@dataclass(frozen=True, slots=True)
class GrowthPoint:
    """The figures of one algorithm at one size: ``steps`` and ``relaxations`` of each network, and all clean runs.

    A search that settles one node at a time has as many steps as nodes that it settles.
    """

    algorithm: str
    nodes: int
    arcs: int
    steps: tuple[int, ...]
    relaxations: tuple[int, ...]
    runs_ms: tuple[float, ...]

    def figures(self, measure: Measure) -> tuple[float, ...]:
        """Return the single figures of a measure; times are in milliseconds."""
        return {Measure.STEPS: self.steps, Measure.RELAXATIONS: self.relaxations, Measure.TIME: self.runs_ms}[measure]

    def median(self, measure: Measure) -> float:
        """Return the median of a measure's figures."""
        return float(statistics.median(self.figures(measure)))

    def with_network(self, steps: int, relaxations: int, runs_ms: tuple[float, ...]) -> GrowthPoint:
        """Return the point with the figures of one more network."""
        tried = (*self.relaxations, relaxations)
        return replace(self, steps=(*self.steps, steps), relaxations=tried, runs_ms=(*self.runs_ms, *runs_ms))


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why an algorithm was not measured at ``nodes`` nodes and more, 0 for not at all.

    problem  what was refused, a sentence; empty where time was short
    ahead_s  the seconds it would have taken, None where that is not known
    left_s   the seconds that were left
    """

    nodes: int
    problem: str = ""
    ahead_s: float | None = None
    left_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Growth:
    """What was measured so far.

    points    by size, and within one in the order in which the algorithms were asked for
    left_out  why an algorithm was not measured at the larger sizes, or at all
    done      whether nothing is left to be measured
    """

    request: GrowthRequest
    points: tuple[GrowthPoint, ...] = ()
    left_out: Mapping[str, LeftOut] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)
    device_name: str = ""
    done: bool = False

    def of(self, algorithm: str) -> tuple[GrowthPoint, ...]:
        """Return the points of one algorithm, by size."""
        return tuple(point for point in self.points if point.algorithm == algorithm)

    def fit(self, algorithm: str, measure: Measure) -> Fit | None:
        """Return how a measure of one algorithm grows, None before there are three sizes."""
        points = self.of(algorithm)
        return _fit(tuple(point.nodes for point in points), tuple(point.median(measure) for point in points))

    def record(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        asked = self.request
        return {
            "subject": asked.subject,
            "kind": asked.kind,
            "device": asked.device,
            "device_name": self.device_name,
            "threads": asked.threads,
            "networks_a_size": asked.networks,
            "runs_a_network": asked.runs,
            "options": {name: dict(options) for name, options in asked.options.items()},
            "points": [asdict(point) for point in self.points],
            "growth": [
                {"algorithm": name, "measure": measure.value, **_fit_record(self.fit(name, measure))}
                for name in asked.algorithms
                for measure in asked.measures
            ],
            "left_out": {name: asdict(why) for name, why in self.left_out.items()},
            "complete": self.done,
            "machine": dict(self.machine),
        }


def _fit_record(fit: Fit | None) -> dict[str, Any]:
    if fit is None:
        return {"exponent": None, "spread": None, "laws": [], "bend": None}
    bend = None if fit.bend is None else list(fit.bend)
    return {"exponent": fit.exponent, "spread": fit.spread, "laws": list(fit.laws), "bend": bend}


@lru_cache(maxsize=256)
def _fit(nodes: tuple[int, ...], figures: tuple[float, ...]) -> Fit | None:
    """Return what ``fit_growth`` does; a chart asks for it each time that it is painted."""
    return fit_growth(nodes, figures)


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
