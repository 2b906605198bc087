"""The legend of the map: what its colours mean, in words. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wayfront_gui.model.pairs import Measure

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric
    from wayfront_gui.model.detour import Detour
    from wayfront_gui.model.difference import Difference
    from wayfront_gui.model.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Legend:
    """The texts of the legend: what the first, the middle and the last colour of the colour map mean.

    ``ink`` is what the map's ink means, "" where it colours no roads.
    """

    title: str
    first: str
    middle: str
    last: str
    ink: str = ""

    @classmethod
    def of(cls, metric: Metric, last: float, first: float = 0) -> Legend:
        """Return the legend of distances from ``first`` to ``last``: others have the first or the last colour."""
        title = f"{_measured(metric)} from the source"
        if not first:
            return cls._to_last(title, metric, last)
        low, middle, high = (metric.describe(round(value)) for value in (first, (first + last) / 2, last))
        return cls(title, f"≤ {low}", middle, f"≥ {high}")

    @classmethod
    def of_pairs(cls, pairs: Pairs, measure: Measure) -> Legend:
        """Return the legend of an all-pairs search whose sources are coloured by a measure."""
        low, high = pairs.scale(measure)
        ends = (pairs.describe(value, measure) for value in (low, (low + high) / 2, high))
        what = _measured(pairs.metric)
        title = f"closeness: 1 / mean {what}" if measure is Measure.CLOSENESS else f"eccentricity: largest {what}"
        return cls(title, *ends)

    @classmethod
    def of_depots(cls, metric: Metric, last: float, count: int) -> Legend:
        """Return the legend of the distances from the nearest of some depots, from 0 to ``last``."""
        measured = cls.of(metric, last)
        which = "the depot" if count == 1 else "the nearest depot"
        return replace(measured, title=f"{_measured(metric)} from {which}")

    @classmethod
    def of_detour(cls, detour: Detour, last: float) -> Legend:
        """Return the legend of the detour view, from 0 to ``last``, above which all have the last colour."""
        ink = f"no longer reached: {detour.cut_off:,}" if detour.cut_off else ""
        if not detour.longer:
            return cls("no node became farther", "", "", "", ink)
        return cls._to_last(f"extra {_measured(detour.metric)} because of closed roads", detour.metric, last, ink)

    @classmethod
    def of_difference(cls, difference: Difference, last: float) -> Legend:
        """Return the legend of how two results differ, from 0 to ``last``, above which all have the last colour."""
        ink = f"reached by only one: {difference.one_only:,}" if difference.one_only else ""
        if not difference.differ:
            return cls("no difference", "", "", "", ink)
        return cls._to_last(f"difference of the {_measured(difference.metric)}", difference.metric, last, ink)

    @classmethod
    def _to_last(cls, title: str, metric: Metric, last: float, ink: str = "") -> Legend:
        middle, end = (metric.describe(round(value)) for value in (last / 2, last))
        return cls(title, "0", middle, f"≥ {end}", ink)


def _measured(metric: Metric) -> str:
    return "travel time" if metric.name == "travel time" else "distance"
