"""The detour view, and how two results differ: the extra distance of every node, drawn in place of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.features.closures.costs import CUT_OFF, Detour
from wayfront_gui.map.found import last_coloured
from wayfront_gui.map.geometry import read_only
from wayfront_gui.map.legend import Legend, NodeColours, measured
from wayfront_gui.map.raster import NEVER, colour_by_value
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.style import CUT_OFF_ROW
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront.network.road_network import Metric

MOST_DOTS = 2000
"""So many nodes that are no longer reached are dots too, since the roads next to a few would hardly be seen."""


@dataclass(frozen=True, slots=True, eq=False)
class Detours(Layer):
    """What closed roads cost the nodes of a finished tree, drawn in its place."""

    colours: NodeColours

    NAME: ClassVar[str] = "detour"
    ORDER: ClassVar[int] = 60
    PRECEDENCE: ClassVar[int] = 10

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of what became farther wherever the tree would be drawn."""
        return self.colours if scene.mode == "tree" else None


def detour_colours(detour: Detour) -> Detours:
    """Return what closed roads cost: nodes as near as before have no colour, as if they were not reached."""
    ink = translated("no longer reached: {cut_off:,}", cut_off=detour.cut_off) if detour.cut_off else ""
    title = translated("extra {distance} because of closed roads", distance=measured(detour.metric))
    nothing = None if detour.longer else translated("no node became farther")
    return Detours(detour_and_cut_off(detour.extra, detour.metric, title, ink, nothing))


def detour_and_cut_off(
    extra: NDArray[np.int64], metric: Metric, title: str, ink: str, nothing: str | None
) -> NodeColours:
    """Return colours of what is above 0, and of ``CUT_OFF``; ``nothing`` says that nothing is above 0."""
    cut_off = extra == CUT_OFF
    first_step = read_only(np.where(extra != 0, 0, NEVER).astype(np.uint32))
    farthest = last_coloured(extra, extra > 0) if (extra > 0).any() else 1.0
    colour = np.empty(len(extra), np.uint8)
    colour_by_value(read_only(extra), first_step, farthest, colour)
    colour = np.where(cut_off, CUT_OFF_ROW, np.minimum(colour, CUT_OFF_ROW - 1)).astype(np.uint8)
    dots = np.flatnonzero(cut_off).astype(np.int32) if cut_off.sum() <= MOST_DOTS else np.zeros(0, np.int32)
    legend = Legend.to_last(title, metric, farthest, ink) if nothing is None else Legend(nothing, "", "", "", ink)
    return NodeColours(first_step, read_only(colour), read_only(dots), legend, "detour_table")
