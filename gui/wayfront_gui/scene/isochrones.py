"""What isochrones look like on the map: bands or zones as colours of nodes, their outlines, their land. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront_gui.model.isochrones import Band, Reach
from wayfront_gui.scene.geometry import Extent, MapGeometry, read_only
from wayfront_gui.scene.node_colours import NodeColours
from wayfront_gui.scene.raster import NEVER
from wayfront_gui.scene.reach_field import ReachField
from wayfront_gui.scene.segment_lines import without_short_lines

NO_LAND = 255
"""In ``Isochrones.land``: a cell that is in no band."""
SHORTEST_CELLS = 30
"""Shorter lines, in sides of a cell, are not drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Isochrones:
    """Bands round the nearest of some sources, ready to be drawn.

    step      the width of a band, ``limits`` their ends, in raw weights
    bands     what is within each limit; ``zones``: what is nearest to each source
    colours   of nodes: rows of the colour map by band, or of several sources the index of the nearest one
    outlines  of each band, float32 [k, 4] segments x, y, x, y in the plane; ``borders`` likewise between zones
    land      uint8 [rows, columns]: the same rows as ``colours`` for the cells of ``field``, the highest row first
    field     distances and zones of the land, of which all this is made
    """

    reach: Reach
    step: int
    limits: tuple[int, ...]
    bands: tuple[Band, ...]
    zones: tuple[Band, ...]
    colours: NodeColours
    outlines: tuple[NDArray[np.float32], ...]
    borders: tuple[NDArray[np.float32], ...]
    land: NDArray[np.uint8]
    field: ReachField

    @classmethod
    def of(cls, reach: Reach, step: int | None = None) -> Isochrones:
        """Return the bands ``step`` raw weights wide, by default of a round width, of a network with a map."""
        step = reach.usual_step() if step is None else step
        limits = reach.limits(step)
        field = ReachField.of(MapGeometry.of(reach.network), reach)
        several = len(reach.sources) > 1
        band = reach.band_of(limits)
        inside = (band >= 0) & (band < len(limits))
        rows = reach.nearest if several else band_rows(band, len(limits))
        colours = NodeColours(
            read_only(np.where(inside, 0, NEVER).astype(np.uint32)),
            read_only(np.where(inside, rows, 0).astype(np.uint8)),
            np.zeros(0, np.int32),
            None,
        )
        cells = field.bands(limits)
        land = np.where(cells < 0, NO_LAND, field.zone if several else band_rows(cells, len(limits))).astype(np.uint8)
        return cls(
            reach,
            step,
            limits,
            tuple(reach.bands(limits, field.area_within)),
            tuple(reach.zones(field.area_of_zone)) if several else (),
            colours,
            tuple(_seen(field, field.outline(limit)) for limit in limits),
            tuple(_seen(field, border) for border in field.borders(len(reach.sources))),
            land[::-1].copy(),
            field,
        )

    @property
    def extent(self) -> Extent:
        """The part of the plane that ``land`` covers."""
        return self.field.extent

    @property
    def several(self) -> bool:
        """Whether there are several sources, whose zones are coloured instead of the bands."""
        return len(self.reach.sources) > 1


def _seen(field: ReachField, segments: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return the lines that are worth drawing: rings round a street corner and cut ends are hairs, and show nothing."""
    return without_short_lines(segments, SHORTEST_CELLS * field.cell).astype(np.float32)


def band_rows(band: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return the row of the colour map of each band, evenly spread; the last row belongs to no band."""
    return np.round((band + 0.5) / count * (NO_LAND - 1)).astype(np.int32)
