"""What exported pictures and films say about a search, as texts. No Qt."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.search.to_target.result import RouteResult
from wayfront_gui.model.device_names import short_device_name
from wayfront_gui.model.formatting import milliseconds, nodes_text, outcome, times, title
from wayfront_gui.model.network_title import title_of
from wayfront_gui.translation import translated, translated_message

if TYPE_CHECKING:
    from wayfront.search.result import Result
    from wayfront.trace.schema import Trace


class Figure(NamedTuple):
    """A figure with its caption; ``widest`` is a text that takes as much room as it will ever need."""

    caption: str
    text: str
    widest: str = ""


@dataclass(frozen=True, slots=True)
class Caption:
    """The texts over one picture: two lines, then figures side by side; each may be empty."""

    title: str
    subtitle: str = ""
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SearchWords:
    """The texts that belong to one search: what it is, its figures at every step, and what it found at the end.

    ``begun_ms`` float64 [steps+1]: when each step of the traced run began, and when the last one ended; empty without
    measured times.
    """

    title: str
    subtitle: str
    trace: Trace | None = None
    begun_ms: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    ending: tuple[Figure, ...] = ()

    @classmethod
    def of(cls, result: Result, heading: str = "") -> SearchWords:
        """Return the texts of a search; ``heading`` is what to call its network."""
        network, trace = result.network, result.trace
        begun = np.zeros(0) if trace is None else np.concatenate([[0.0], np.cumsum(trace.time_ns) * 1e-6])
        nodes = nodes_text(network.node_count)
        device = short_device_name(result.device_name)
        subtitle = translated(
            "{search} on {device} · {metric} · {nodes}",
            search=title(result.algorithm),
            device=device,
            metric=translated_message(result.metric.name),
            nodes=nodes,
        )
        ending = [Figure(translated("result"), outcome(result))]
        if result.timing.median_ms is not None:
            ending.append(Figure(times(result), milliseconds(result.timing.median_ms)))
        return cls(
            heading or title_of(network.name), subtitle, trace, begun if begun.any() else np.zeros(0), tuple(ending)
        )

    def at(self, position: float) -> Caption:
        """Return the texts at a step, which may be fractional: its number, the traced time, the frontier."""
        if self.trace is None or not len(self.trace):
            return Caption(self.title, self.subtitle)
        step, count = min(max(int(position), 0), len(self.trace) - 1), f"{len(self.trace):,}"
        figures = [
            Figure(
                translated("step"),
                translated("{step} of {count}", step=f"{step + 1:,}", count=count),
                translated("{step} of {count}", step=count, count=count),
            )
        ]
        if len(self.begun_ms):
            now = float(np.interp(position, np.arange(len(self.begun_ms)), self.begun_ms))
            total = milliseconds(float(self.begun_ms[-1]))
            figures.append(
                Figure(
                    translated("traced time"),
                    translated("{now} of {total}", now=milliseconds(now), total=total),
                    translated("{now} of {total}", now="000 ms", total=total),
                )
            )
        sizes = self.trace.frontier_size
        figures.append(
            Figure(
                translated("frontier"),
                nodes_text(int(sizes[step])),
                nodes_text(int(sizes.max())),
            )
        )
        return Caption(self.title, self.subtitle, tuple(figures))

    @property
    def at_the_end(self) -> Caption:
        """The texts over the finished tree."""
        return Caption(self.title, self.subtitle, self.ending)


@dataclass(frozen=True, slots=True)
class PosterWords:
    """The texts of a poster; each may be empty."""

    title: str
    coordinates: str = ""
    facts: str = ""
    credit: str = ""

    @classmethod
    def of(cls, result: Result, heading: str = "", *, laid_out: bool = False) -> PosterWords:
        """Return the texts of a search's poster; without coordinates where the map was ``laid_out``."""
        network = result.network
        places = None if laid_out else network.coordinates
        at = "" if places is None else _place(*(places[result.source] / 1e6).tolist())
        facts = translated("Shortest paths from one node to {nodes:,} others", nodes=int(result.reached.sum()) - 1)
        far = result.metric.describe(int(result.distances[result.farthest]))
        if isinstance(result, RouteResult):
            facts = translated("The shortest path to one node, found by settling {nodes:,}", nodes=result.settled_count)
            far = result.metric.describe(max(result.distance, 0))
        credit = " · ".join(part for part in (network.credit, translated("drawn by wayfront")) if part)
        return cls(
            heading or title_of(network.name), at, translated("{facts}, up to {far}", facts=facts, far=far), credit
        )


def _place(east: float, north: float) -> str:
    """Write a place as on old maps: ``40.7128° N   74.0060° W``."""
    return f"{abs(north):.4f}° {'N' if north >= 0 else 'S'}   {abs(east):.4f}° {'E' if east >= 0 else 'W'}"
