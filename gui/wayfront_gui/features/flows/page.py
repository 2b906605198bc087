"""What a page holds of what streets carry: no search, but trips over each road and their colours. No Qt.

The heading's ``flows`` has ``trips`` in all, the ``unit`` in which the sections count them, and whether they show
``changes``. Edges are those of ``content``.

    flow level     of each edge: how wide it is drawn, 0 for nothing, a byte
    flow row       the row of its colour, a byte; absent where it is the level
    flow           trips over it, in units
    flow change    by how much these became more, signed; absent where no closed roads are compared
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.features.flows.layer import flow_colours
from wayfront_gui.features.flows.state import FlowsFound, Roads
from wayfront_gui.features.page.coding import LARGEST, signed, varints
from wayfront_gui.features.page.content import Content, Opening, legend_told, map_content
from wayfront_gui.ui.translation import translated

if TYPE_CHECKING:
    from wayfront_gui.map.scene import Scene

_PARTS = 1000.0
"""Trips that are no whole ones are told to a thousandth."""


def flows_content(
    scene: Scene, found: FlowsFound, opening: Opening, *, beside: Content | None = None, whole: bool = True
) -> Content:
    """Return what a page holds of what streets carry, on the map of a scene; ``beside`` as in ``Content.of``.

    ``whole`` says that it is the trips of everybody to everywhere, or to all that is near enough. Raises
    ``OptionError`` for a network too large, and ``MemoryShortError``.
    """
    geometry, network = scene.geometry, found.network
    assert geometry is not None
    colours = flow_colours(found)
    assert colours.flow is not None
    legend = colours.legend
    assert legend is not None
    bare, order = map_content(
        scene,
        network,
        found.metric,
        opening,
        closures=found.closures,
        ramp=legend.colours,
        table=colours.table,
        beside=beside,
    )
    of_line = Roads.of(network).of_line
    lines = order if geometry.chains is None else _line_of_each(of_line)[order]
    roads = of_line[lines]
    carried = found.on_roads[roads]
    unit = _unit(carried)
    sections = {
        "flow level": colours.flow[lines].tobytes(),
        "flow": varints(np.round(carried / unit).astype(np.int64)),
    }
    if found.before is not None:
        change = np.round((carried - found.before[roads]) / unit).astype(np.int64)
        sections |= {"flow row": colours.colour[lines].tobytes(), "flow change": varints(signed(change))}
    told = legend_told(legend)
    heading = {
        "shows": "flows",
        "subtitle": found.words,
        "legend": told if whole else told | {"title": translated("trips over every road")},
        "flows": {"trips": float(found.flows.trips), "unit": unit, "changes": found.before is not None},
    }
    return Content(bare.heading | heading, bare.sections | sections)


def _line_of_each(of_line: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return a line of each road."""
    lines = np.zeros(int(of_line.max(initial=-1)) + 1, np.int64)
    lines[of_line] = np.arange(len(of_line))
    return lines


def _unit(carried: NDArray[np.float64]) -> float:
    """Return in what trips are counted: whole ones where all are, else thousandths, or as finely as is exact."""
    if (carried == np.round(carried)).all() and carried.max(initial=0.0) <= LARGEST:
        return 1.0
    return max(1 / _PARTS, float(carried.max(initial=0.0)) / (LARGEST // 4))
