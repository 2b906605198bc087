"""How nodes are coloured, and what their colours mean, in words. No Qt."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.session.pairs import Measure
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric
    from wayfront_gui.session.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Legend:
    """The texts of the legend: what the first, the middle and the last colour of the colour map mean.

    ``ink`` is what the map's ink means, "" where it colours no roads. ``ticks`` are round values and where they are
    between the ends, 0 … 1; where there are some, they stand in place of the three texts. ``colours`` names the ramp
    of ``Style`` that the bar has.
    """

    title: str
    first: str
    middle: str
    last: str
    ink: str = ""
    ticks: tuple[tuple[float, str], ...] = ()
    colours: Literal["gradient", "flow_ramp", "change_ramp"] = "gradient"

    @property
    def marks(self) -> tuple[tuple[float, str], ...]:
        """The ticks, and at the end of the colours the value from which on all have the last one."""
        return (*self.ticks, (1.0, self.last)) if self.ticks else ()

    @classmethod
    def of(cls, metric: Metric, last: float, first: float = 0, *, reverse: bool = False) -> Legend:
        """Return the legend of distances from ``first`` to ``last``: others have the first or the last colour."""
        text = "{distance} to the source" if reverse else "{distance} from the source"
        title = translated(text, distance=measured(metric))
        if not first:
            return cls.to_last(title, metric, last)
        low, middle, high = (metric.describe(round(value)) for value in (first, (first + last) / 2, last))
        return cls(title, f"≤ {low}", middle, f"≥ {high}")

    @classmethod
    def of_pairs(cls, pairs: Pairs, measure: Measure) -> Legend:
        """Return the legend of an all-pairs search whose sources are coloured by a measure."""
        low, high = pairs.scale(measure)
        first, middle, last = (pairs.describe(value, measure) for value in (low, (low + high) / 2, high))
        what = measured(pairs.metric)
        title = (
            translated("closeness (outward): 1 / mean {distance}", distance=what)
            if measure is Measure.CLOSENESS
            else translated("eccentricity: largest {distance}", distance=what)
        )
        return cls(title, first, middle, last)

    @classmethod
    def to_last(cls, title: str, metric: Metric, last: float, ink: str = "") -> Legend:
        """Return a legend with a title from 0 to ``last``, above which all have the last colour."""
        middle, end = (metric.describe(round(value)) for value in (last / 2, last))
        return cls(title, "0", middle, f"≥ {end}", ink, ticks_of(metric, last))


@dataclass(frozen=True, slots=True, eq=False)
class NodeColours:
    """How the nodes of a map are coloured.

    first_step  uint32 [n]: from which step on a node has its colour, ``NEVER`` where none reaches it; of what has no
                steps 0
    colour      uint8 [n]: the row of its colour
    dots        int32: nodes that are drawn as dots too, since they are few
    legend      what the colours mean; None where they do not show distances
    table       the table of ``Style`` that the rows are of
    in_tree     whether lines are drawn as those of a tree
    flow        uint8 [lines]: how much each line carries, 0 for nothing; ``first_step`` and ``colour`` are then of
                lines instead of nodes. None where nodes have colours
    """

    first_step: NDArray[np.uint32]
    colour: NDArray[np.uint8]
    dots: NDArray[np.int32]
    legend: Legend | None
    table: Literal["table", "detour_table", "zone_table", "flow_table", "change_table"] = "table"
    in_tree: bool = False
    flow: NDArray[np.uint8] | None = None


MOST_TICKS = 5
_MINUTE, _HOUR = 60.0, 3600.0
_TIMES = (
    *(1, 2, 5, 10, 15, 20, 30),
    *(_MINUTE * n for n in (1, 2, 5, 10, 15, 20, 30)),
    *(_HOUR * n for n in (1, 2, 3, 6, 12)),
    *(_HOUR * n * 10**power for power in range(1, 6) for n in (2, 5, 10)),
)


def ticks_of(metric: Metric, last: float) -> tuple[tuple[float, str], ...]:
    """Return round values of a metric from 0 to ``last`` (as stored), each with its share of that: at most five."""
    end = last * metric.scale
    if end <= 0:
        return ()
    power = 10.0 ** math.floor(math.log10(end / MOST_TICKS))
    round_steps = [power * factor for factor in (1, 2, 5, 10)]
    steps = _TIMES if metric.unit == "s" and end >= MOST_TICKS else round_steps
    step = next(step for step in (*steps, *round_steps) if end / step < MOST_TICKS)
    if not metric.unit:
        step = max(round(step), 1)
    return tuple((n * step / end, _round(n * step, metric.unit)) for n in range(int(end / step) + 1))


def _round(value: float, unit: str) -> str:
    """Return a round value in as few letters as it takes."""
    if not value:
        return "0"
    if unit == "m":
        return f"{value / 1000:g} km" if value >= 1000 else f"{value:g} m"
    if unit == "s":
        if value < _MINUTE:
            return f"{value:g} s"
        return f"{value / _MINUTE:g} min" if value < 2 * _HOUR and value % _HOUR else f"{value / _HOUR:g} h"
    return f"{value:,.0f}"


def measured(metric: Metric) -> str:
    """Return what a metric measures, in words."""
    return translated("travel time") if metric.name == "travel time" else translated("distance")
