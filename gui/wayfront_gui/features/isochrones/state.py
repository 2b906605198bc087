"""Isochrones: bands of distance or time round one source or several, with areas and the share reached. No Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import NOTHING_CLOSED
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront_gui.session.formatting import short
from wayfront_gui.session.routes import roads_at
from wayfront_gui.session.slot import Slot
from wayfront_gui.session.state import SlotState
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.results.nearest import Nearest

MOST_BANDS = 12
WANTED_BANDS = 6
"""How many bands there are about, where a person does not say how wide they are."""
MOST_SOURCES = 8
"""As many colours are told apart with ease."""
_SECONDS = (10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800)
"""Round widths of bands of time."""
CLIP = 0.97
"""The bands reach as far as this share of the nodes, since a few distant ones would make all bands too wide."""


@dataclass(frozen=True, slots=True)
class Band:
    """All that is within a distance: ``nodes`` of them, their ``share`` of the network's, and the area round them."""

    label: str
    nodes: int
    share: float
    area_m2: float


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """How far every node is from the nearest of some sources.

    distances  int64 [n] in raw weights, -1 where no source reaches a node
    nearest    int32 [n]: the index of the nearest source among ``sources``, -1 likewise; of two equally near the first
    closures   arcs that were closed
    reverse    whether ways lead to the sources
    """

    network: RoadNetwork
    metric: Metric
    sources: tuple[int, ...]
    distances: NDArray[np.int64]
    nearest: NDArray[np.int32]
    closures: NDArray[np.int64] = field(default_factory=lambda: NOTHING_CLOSED)
    reverse: bool = False

    @classmethod
    def of(
        cls,
        network: RoadNetwork,
        metric: Metric,
        sources: Sequence[int],
        rows: Sequence[NDArray[Any]],
        closures: NDArray[np.int64] = NOTHING_CLOSED,
        *,
        reverse: bool = False,
    ) -> Reach:
        """Return the reach of trees: ``rows`` are the distances [n] from each source, "not reached" as in a result."""
        from wayfront.results.nearest import nearest_source

        return cls(network, metric, tuple(sources), *nearest_source(rows), closures, reverse)

    @classmethod
    def of_nearest(cls, found: Nearest) -> Reach:
        """Return the reach of the sources of a forest."""
        sources = tuple(found.sources.tolist())
        return cls(found.network, found.metric, sources, found.distances, found.nearest, found.closures, found.reverse)

    @property
    def several(self) -> bool:
        """Whether there are several sources."""
        return len(self.sources) > 1

    def usual_step(self) -> int:
        """Return a round width of bands in raw weights, of which there are about ``WANTED_BANDS``."""
        reached = self.distances[self.distances >= 0]
        far = float(np.quantile(reached, CLIP)) * self.metric.scale if len(reached) else 1.0
        return max(round(round_width(far / WANTED_BANDS, self.metric.unit) / self.metric.scale), 1)

    def limits(self, step: int) -> tuple[int, ...]:
        """Return the ends of the bands ``step`` wide, in raw weights."""
        reached = self.distances[self.distances >= 0]
        far = float(np.quantile(reached, CLIP)) if len(reached) else 0.0
        count = min(max(int(np.ceil(far / step)), 1), MOST_BANDS)
        return tuple(step * band for band in range(1, count + 1))

    def band_of(self, limits: Sequence[int]) -> NDArray[np.int32]:
        """Return the band of every node, int32 [n]; ``len(limits)`` beyond the last, -1 where it is not reached."""
        band = np.searchsorted(np.asarray(limits, np.int64), self.distances, "left").astype(np.int32)
        band[self.distances < 0] = -1
        return band

    def bands(self, limits: Sequence[int], areas_m2: Sequence[float]) -> list[Band]:
        """Return what is within each limit, of which the areas are known."""
        found = []
        for limit, area_m2 in zip(limits, areas_m2, strict=True):
            nodes = int(((self.distances >= 0) & (self.distances <= limit)).sum())
            share = nodes / max(self.network.node_count, 1)
            found.append(Band(f"≤ {short(self.metric, limit)}", nodes, share, area_m2))
        return found

    def zones(self, areas_m2: Sequence[float]) -> list[Band]:
        """Return what is nearest to each source, of which the areas are known."""
        count = self.network.node_count
        nodes = np.bincount(self.nearest[self.nearest >= 0], minlength=len(self.sources))
        return [
            Band(
                roads_at(self.network, source) or translated("node {node}", node=self.network.node_name(int(source))),
                int(nodes[index]),
                int(nodes[index]) / max(count, 1),
                areas_m2[index],
            )
            for index, source in enumerate(self.sources)
        ]


def round_width(about: float, unit: str) -> float:
    """Return a round number near ``about``, in minutes and hours where the unit is a second."""
    if unit == "s":
        return float(min(_SECONDS, key=lambda width: abs(np.log(width / max(about, 1e-9)))))
    power = 10.0 ** np.floor(np.log10(max(about, 1e-9)))
    return float(min((factor * power for factor in (1, 2, 5, 10)), key=lambda width: abs(width - about)))


def widths(metric: Metric) -> tuple[int, ...]:
    """Return round widths of bands to choose from, in raw weights."""
    values = _SECONDS[1:10] if metric.unit == "s" else (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000)
    return tuple(max(round(value / metric.scale), 1) for value in values)


def area_text(square_metres: float) -> str:
    """Return an area: ``12.3 km²``, ``4,560 m²``."""
    if square_metres >= 1e5:
        return f"{square_metres / 1e6:,.3g} km²" if square_metres < 1e9 else f"{square_metres / 1e6:,.0f} km²"
    return f"{square_metres:,.0f} m²"


class IsochroneChoice(SlotState):
    """The isochrones of one slot: round its source, and round ``others``, which clicks choose while they are shown.

    ``step`` is the width of a band in raw weights, None for a round one. ``bands`` and ``zones`` are what was found,
    empty until then.
    """

    def __init__(self, slot: Slot) -> None:
        super().__init__(slot)
        self.wanted = False
        self.step: int | None = None
        self.others: tuple[int, ...] = ()
        self.bands: tuple[Band, ...] = ()
        self.zones: tuple[Band, ...] = ()
        self._metric = self._shown_metric
        slot.choice_changed.connect(self._on_metric)
        slot.result_changed.connect(self._on_metric)

    @property
    def _shown_metric(self) -> str | None:
        metric = self.slot.shown_metric
        return None if metric is None else metric.name

    def _on_metric(self) -> None:
        if self._metric != self._shown_metric:
            self._metric = self._shown_metric
            self.choose_step(None)  # its unit may be another

    @property
    def full(self) -> bool:
        """Whether there are as many sources as there may be."""
        return len(self.others) + 1 >= MOST_SOURCES

    def want(self, wanted: bool) -> None:
        """Show isochrones, or what is shown without them."""
        if wanted != self.wanted:
            self.wanted = wanted
            self.changed()

    def choose_step(self, step: int | None) -> None:
        """Make bands ``step`` wide, in raw weights, or as wide as is usual."""
        if step != self.step:
            self.step = step
            self.changed()

    def toggle(self, node: int) -> None:
        """Make a node a source beside the slot's, or no longer; beyond the most there may be it stays none."""
        if node in self.others:
            self.others = tuple(other for other in self.others if other != node)
        elif self.full:
            return
        else:
            self.others = (*self.others, node)
        self.changed()

    def keep_first(self) -> None:
        """Have no sources but the slot's own."""
        if self.others:
            self.others = ()
            self.changed()

    def forget(self) -> None:
        """Have no other sources and no width of one's own: they belong to another network or metric."""
        self.step, self.others, self.bands, self.zones = None, (), (), ()
        self.changed()

    def show(self, bands: tuple[Band, ...], zones: tuple[Band, ...]) -> None:
        """Take what was found."""
        self.bands, self.zones = bands, zones
        self.changed()
