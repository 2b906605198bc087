"""The colours of the distances from the nearest depot. No Qt."""

from __future__ import annotations

import numpy as np

from wayfront.search.depots import Depots
from wayfront_gui.model.depots import DepotsFound
from wayfront_gui.scene.dragged_picture import colour_reached
from wayfront_gui.scene.geometry import read_only
from wayfront_gui.scene.legend import Legend
from wayfront_gui.scene.node_colours import NodeColours
from wayfront_gui.scene.scene import last_coloured


def depot_colours(found: DepotsFound, depots: Depots) -> NodeColours:
    """Return the colours of a choice of depots."""
    nearest = read_only(found.nearest(depots))
    infinity = int(np.iinfo(nearest.dtype).max)
    last = last_coloured(nearest, nearest < infinity)
    first_step, colour = np.empty(len(nearest), np.uint32), np.empty(len(nearest), np.uint8)
    colour_reached(nearest, infinity, last, first_step, colour)
    legend = Legend.of_depots(found.metric, last, len(depots.nodes))
    return NodeColours(read_only(first_step), read_only(colour), np.zeros(0, np.int32), legend)
