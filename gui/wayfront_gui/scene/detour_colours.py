"""The colours of the detour view, and of how two results differ: the extra distance of every node. No Qt."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.model.detour import CUT_OFF, Detour
from wayfront_gui.model.difference import Difference
from wayfront_gui.scene.geometry import read_only
from wayfront_gui.scene.legend import Legend
from wayfront_gui.scene.node_colours import NodeColours
from wayfront_gui.scene.raster import NEVER, colour_by_value
from wayfront_gui.scene.scene import last_coloured
from wayfront_gui.scene.style import CUT_OFF_ROW

MOST_DOTS = 2000
"""So many nodes that are no longer reached are dots too, since the roads next to a few would hardly be seen."""


def detour_colours(detour: Detour) -> NodeColours:
    """Return the colours of what closed roads cost: nodes as near as before have none, as if they were not reached."""
    return _colours(detour.extra, lambda last: Legend.of_detour(detour, last))


def difference_colours(difference: Difference) -> NodeColours:
    """Return the colours of how two results differ: nodes of equal distance have none, as if they were not reached."""
    return _colours(difference.apart, lambda last: Legend.of_difference(difference, last))


def _colours(extra: NDArray[np.int64], legend: Callable[[float], Legend]) -> NodeColours:
    """Return colours of what is above 0, and of ``CUT_OFF``; ``legend`` takes the value of the last colour."""
    cut_off = extra == CUT_OFF
    first_step = read_only(np.where(extra != 0, 0, NEVER).astype(np.uint32))
    farthest = last_coloured(extra, extra > 0) if (extra > 0).any() else 1.0
    colour = np.empty(len(extra), np.uint8)
    colour_by_value(read_only(extra), first_step, farthest, colour)
    colour = np.where(cut_off, CUT_OFF_ROW, np.minimum(colour, CUT_OFF_ROW - 1)).astype(np.uint8)
    dots = np.flatnonzero(cut_off).astype(np.int32) if cut_off.sum() <= MOST_DOTS else np.zeros(0, np.int32)
    return NodeColours(first_step, read_only(colour), read_only(dots), legend(farthest))
