"""What streets carry on the map: rivers of light, wide and bright by the log of their trips, and their changes."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.features.flows.state import FlowsFound, Roads, Trips, amount
from wayfront_gui.map.geometry import read_only
from wayfront_gui.map.legend import Legend, NodeColours
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.ui.translation import marked, translated

LEVELS = 255
LEAST_SHARE = 1e-5
"""Of the most trips of a road: one that has fewer has the first colour."""
FEWEST = 0.05
"""The share of roads that have the first colour at least."""
LEAST_CHANGE = 1e-4
"""Likewise of the largest change: one that is smaller is not painted, since roundings of sums would be."""
MOST_TICKS = 6
ONE_WAY = marked("come from here"), marked("go to here")
BOTH_WAYS = marked("on one side"), marked("on the other")
"""What the two colours of the trips over a road mean: in a street both ways, trips go to and fro."""
_NO_DOTS = np.zeros(0, np.int32)


@dataclass(frozen=True, slots=True)
class Scale:
    """What has the first and what the last colour: all roads of the ``FEWEST`` trips have the first one.

    Else streets of a neighbourhood, which carry about the same, would look alike beside some that carry nothing.
    """

    low: float
    high: float

    @classmethod
    def of(cls, values: NDArray[np.float64], least_share: float = LEAST_SHARE) -> Scale:
        """Return the scale of what is above 0 among some values."""
        some = values[values > 0]
        if not len(some):
            return cls(0.5, 1.0)
        high = float(some.max())
        return cls(min(max(float(np.quantile(some, FEWEST, method="lower")), high * least_share), high / 2), high)

    def share(self, value: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Return where values are between the ends by their logs, 0 … 1."""
        logs = np.log(np.maximum(value, self.low) / self.low) / math.log(self.high / self.low)
        return np.asarray(np.clip(logs, 0, 1), np.float64)

    def levels(self, values: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return levels of 1 … 255 of what is above 0, and 0 of what is not."""
        levels = np.where(values > 0, 1 + np.round((LEVELS - 1) * self.share(values)), 0)
        return levels.astype(np.uint8)

    def ticks(self, begin: float = 0.0, end: float = 1.0) -> tuple[tuple[float, str], ...]:
        """Return powers of ten, each with its place between two shares of the bar, the least first."""
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        every = max(math.ceil((last - first + 1) / MOST_TICKS), 1)
        powers = [10.0**power for power in range(first, last + 1, every)]
        return tuple((begin + (end - begin) * float(self.share(value)), amount(value)) for value in powers)


def flow_colours(found: FlowsFound) -> NodeColours:
    """Return the colours of what streets carry, or of how it changes."""
    if found.before is not None:
        return change_colours(found.network, found.on_roads - found.before, found.title)
    levels = Scale.of(found.on_roads).levels(found.on_roads)
    return coloured(found.network, levels, levels, flow_legend(found), "flow_table")


def flow_legend(found: FlowsFound) -> Legend:
    """Return what the colours of what streets carry mean."""
    scale = Scale.of(found.on_roads)
    return Legend(found.title, "", "", amount(scale.high), "", _apart(scale.ticks()), "flow_ramp")


def _apart(ticks: tuple[tuple[float, str], ...]) -> tuple[tuple[float, str], ...]:
    """Return ticks without those whose text would touch that of the end."""
    return tuple(tick for tick in ticks if tick[0] < 0.86)


def change_colours(network: RoadNetwork, change: NDArray[np.float64], title: str) -> NodeColours:
    """Return the colours of roads that carry less and of those that carry more, float64 [roads]."""
    scale = Scale.of(np.abs(change), LEAST_CHANGE)
    size = np.where(np.abs(change) >= scale.low, np.abs(change), 0.0)
    levels = scale.levels(size)
    rows = np.where(change < 0, 127 - levels // 2, 128 + levels // 2).astype(np.uint8)
    most = amount(scale.high) if levels.any() else "0"
    legend = Legend(title, f"−{most}", "0", f"+{most}", "", (), "change_ramp")
    return coloured(network, levels, rows, legend, "change_table")


def trip_colours(network: RoadNetwork, trips: Trips) -> NodeColours:
    """Return the colours of where the trips over one road come from and where they go to."""
    larger = np.maximum(trips.one_side, trips.other_side)
    scale = Scale.of(larger)
    levels = scale.levels(larger)
    rows = np.where(trips.one_side >= trips.other_side, 127 - levels // 2, 128 + levels // 2).astype(np.uint8)
    title = translated("the trips over this road")
    ends = BOTH_WAYS if trips.both_ways else ONE_WAY
    legend = Legend(title, translated(ends[0]), "", translated(ends[1]), "", (), "change_ramp")
    return coloured(network, levels, rows, legend, "change_table")


def coloured(
    network: RoadNetwork,
    levels: NDArray[np.uint8],
    rows: NDArray[np.uint8],
    legend: Legend,
    table: Literal["flow_table", "change_table"],
) -> NodeColours:
    """Return colours of lines, from the levels and rows of roads."""
    of_line = Roads.of(network).of_line
    levels, rows = levels[of_line], rows[of_line]
    first_step = np.where(levels > 0, np.uint32(0), np.uint32(NEVER))
    return NodeColours(read_only(first_step), read_only(rows), _NO_DOTS, legend, table, flow=read_only(levels))


@dataclass(frozen=True, slots=True, eq=False)
class FlowMarks(Layer):
    """The colours of what streets carry; ``words`` say it on posters, and ``paged`` makes pages of it."""

    colours: NodeColours
    words: str = ""
    paged: Callable[[Scene, Any], Any] | None = None

    NAME: ClassVar[str] = "flows"
    ORDER: ClassVar[int] = 41
    PRECEDENCE: ClassVar[int] = 50

    @property
    def of_tree(self) -> bool:
        """Posters and pictures show it in place of the tree."""
        return True

    @property
    def page_maker(self) -> Callable[[Scene, Any], Any] | None:
        """What makes pages."""
        return self.paged

    @property
    def facts(self) -> str:
        """What posters say of it."""
        return self.words

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours, where roads are drawn and not a diagram."""
        return self.colours if scene.diagram is None else None
