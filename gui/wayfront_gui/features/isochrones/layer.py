"""Isochrones: bands or zones as colours of nodes, their outlines, land and legend on the map, and their files.

Files are areas for geographic programs (GeoJSON, RFC 7946), or a table (CSV).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from wayfront.safe.files import write_text_whole
from wayfront_gui.features.isochrones.field import ReachField
from wayfront_gui.features.isochrones.state import Band, Reach, area_text
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent, MapGeometry, Plane, read_only
from wayfront_gui.map.legend import NodeColours
from wayfront_gui.map.painting import pixels_in_unit, translucent, transparent
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.scene import Layer, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.ui.translation import translated

NO_LAND = 255
"""In ``Isochrones.land``: a cell that is in no band."""
SHORTEST_CELLS = 30
"""Shorter lines, in sides of a cell, are not drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Isochrones(Layer):
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

    NAME: ClassVar[str] = "isochrones"
    ORDER: ClassVar[int] = 10
    PRECEDENCE: ClassVar[int] = 40

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
            "zone_table" if several else "table",
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
            tuple(segments_worth_drawing(field, field.outline(limit)) for limit in limits),
            tuple(segments_worth_drawing(field, border) for border in field.borders(len(reach.sources))),
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

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of bands or zones."""
        return self.colours

    def edge_facts(self, scene: Scene) -> object:
        """Return the bands, where they are shown."""
        return self if self._shown(scene) else None

    def _shown(self, scene: Scene) -> bool:
        """Whether nothing else colours the nodes in their place."""
        return scene.node_colours is self.colours

    def paint_below(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint land and outlines."""
        if not self._shown(scene):
            return
        painter.drawImage(QPointF(0, 0), _drawn(self, camera, pixels_in_unit(painter, scene.style), scene.style))
        if self.several and scene.geometry is not None:
            for index, source in enumerate(self.reach.sources):
                x, y = camera.to_pixels(float(scene.geometry.x[source]), float(scene.geometry.y[source]))
                _paint_source(painter, scene.style, QPointF(x, y), index)

    def paint_edges(self, painter: QPainter, scene: Scene, camera: Camera, base: float) -> None:
        """Paint the legend, where this map has legends."""
        if scene.edges.scale and self._shown(scene):
            _paint_bands(painter, scene.style, self, camera, base)


def segments_worth_drawing(field: ReachField, lines: list[NDArray[np.float64]]) -> NDArray[np.float32]:
    """Return the segments of lines that are worth drawing: rings round a street corner and cut ends are hairs."""
    least = SHORTEST_CELLS * field.cell
    long = [line for line in lines if np.hypot(*np.diff(line, axis=0).T).sum() >= least]
    return np.concatenate([np.zeros((0, 4)), *(np.hstack([line[:-1], line[1:]]) for line in long)]).astype(np.float32)


def band_rows(band: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return the row of the colour map of each band, evenly spread; the last row belongs to no band."""
    return np.round((band + 0.5) / count * (NO_LAND - 1)).astype(np.int32)


LAND_ALPHA = 44
OUTLINE, BORDER = 1.3, 2.2
"""Widths of the lines round bands and between zones, in logical pixels."""
_MARGIN, _ROW, _SWATCH = 16.0, 17.0, 10.0
_PIXELS = 11
MOST_COVERED = 0.04
"""The share of a map that the legend covers at most with all figures: without them it is half as wide."""


def _paint_bands(painter: QPainter, style: Style, shown: Isochrones, camera: Camera, base: float) -> None:
    """Paint the legend, its last row ``base`` above the lower margin: a row for each zone, or for each band."""
    rows: tuple[Band, ...] = shown.zones or shown.bands
    colours = style.colours
    font = QFont()
    font.setPixelSize(_PIXELS)
    font.setFeature(QFont.Tag("tnum"), 1)
    metrics = QFontMetricsF(font)
    texts: list[tuple[str, ...]] = [(row.label, f"{100 * row.share:.0f} %", area_text(row.area_m2)) for row in rows]
    if shown.several:
        texts = [(label, translated("{share} nearest", share=share), area) for label, share, area in texts]
    box, widths = _room_of(metrics, texts, camera, base)
    if (box.width() * box.height()) > MOST_COVERED * camera.width * camera.height:  # the panel has the figures too
        texts = [(label,) for label, *_ in texts]
        box, widths = _room_of(metrics, texts, camera, base)
    if box.right() + _MARGIN > camera.width or box.top() < camera.height / 3:
        return
    painter.setFont(font)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(translucent(colours.background, 225))  # roads would run through its texts
    painter.drawRoundedRect(box, 4, 4)
    of_rows = row_colours(style, shown)
    for index, text in enumerate(texts):
        top = box.top() + 6 + _ROW * index
        painter.fillRect(QRectF(box.left() + 8, top + (_ROW - _SWATCH) / 2, _SWATCH, _SWATCH), of_rows[index])
        left = box.left() + 8 + _SWATCH + 8
        painter.setPen(translucent(colours.ink, 215))
        for column, (part, width) in enumerate(zip(text, widths, strict=True)):
            side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(left, top, width, _ROW), int(side | Qt.AlignmentFlag.AlignVCenter), part)
            left += width + 10


def _room_of(
    metrics: QFontMetricsF, texts: Sequence[tuple[str, ...]], camera: Camera, base: float
) -> tuple[QRectF, list[float]]:
    """Return the legend's box and how wide its columns are."""
    widths = [max(metrics.horizontalAdvance(text) for text in column) for column in zip(*texts, strict=True)]
    wide, high = _SWATCH + sum(widths) + 10 * len(widths) + 16, _ROW * len(texts) + 12
    return QRectF(_MARGIN - 6, camera.height - _MARGIN - base - high, wide, high), widths


def row_colours(style: Style, shown: Isochrones) -> list[QColor]:
    """Return the colours of the legend's rows."""
    if shown.several:
        return [QColor(colour) for colour in style.zones[: len(shown.zones)]]
    count = len(shown.limits)
    rows = np.round((np.arange(count) + 0.5) / count * (NO_LAND - 1)).astype(int)
    return [QColor(*(int(part) for part in style.gradient[row])) for row in rows]


@lru_cache(maxsize=3)
def _drawn(shown: Isochrones, camera: Camera, ratio: float, style: Style) -> QImage:
    """Return land and outlines as a camera sees them, on nothing: drawn once, since a replay paints all the time."""
    left, top = camera.to_pixels(shown.extent.left, shown.extent.top)
    room = QRectF(left, top, shown.extent.width * camera.scale, shown.extent.height * camera.scale)
    with transparent(round(camera.width * ratio), round(camera.height * ratio), ratio) as (image, painter):
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.drawImage(room, _land(shown, style))
        for lines, width in ((shown.outlines, OUTLINE), (shown.borders, BORDER)):
            colour = translucent(style.colours.ink, 235 if width == BORDER else 175)
            # Flat ends: round ones take fifteen times as long, and thousands of short lines are drawn.
            painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            for segments in lines:
                painter.drawLines(_lines(segments, camera))
    return image


def _lines(segments: NDArray[np.float32], camera: Camera) -> list[QLineF]:
    """Return the segments that a camera sees."""
    x0, y0 = camera.to_pixels(segments[:, 0], segments[:, 1])
    x1, y1 = camera.to_pixels(segments[:, 2], segments[:, 3])
    seen = (np.maximum(x0, x1) > -2) & (np.minimum(x0, x1) < camera.width + 2)
    seen &= (np.maximum(y0, y1) > -2) & (np.minimum(y0, y1) < camera.height + 2)
    return [QLineF(*ends) for ends in np.stack([x0, y0, x1, y1], axis=1)[seen].tolist()]


def _land(shown: Isochrones, style: Style) -> QImage:
    """Return the land as an image of a pixel for each cell."""
    table = np.zeros((256, 4), np.float64)
    if shown.several:
        for index, colour in enumerate(row_colours(style, shown)):
            table[index, :3] = colour.blue(), colour.green(), colour.red()
    else:
        table[:, :3] = style.gradient[:, ::-1]
    table[:, :3] *= LAND_ALPHA / 255
    table[:, 3] = LAND_ALPHA
    table[NO_LAND] = 0
    pixels = np.ascontiguousarray(np.round(table).astype(np.uint8)[shown.land])
    rows, columns = shown.land.shape
    return QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied).copy()


def _paint_source(painter: QPainter, style: Style, at: QPointF, index: int) -> None:
    colours = style.colours
    painter.setPen(QPen(translucent(colours.casing, 230), 4.0))
    painter.setBrush(QColor(style.zones[index]))
    painter.drawEllipse(at, 7.5, 7.5)
    painter.setPen(QPen(translucent(colours.ink), 1.6))
    painter.drawEllipse(at, 7.5, 7.5)


_DECIMALS = 6
"""Of a degree: a tenth of a metre."""
Facts = dict[str, Any]


def write_isochrones(found: Isochrones, path: Path) -> None:
    """Write isochrones as ``.geojson``, or with any other suffix as a table. Raises ``WriteError``."""
    write_text_whole(path, geojson(found) if path.suffix.lower() == ".geojson" else table(found))


def table(found: Isochrones) -> str:
    """Return a CSV line for each zone and for each band."""
    out = io.StringIO()
    rows = [*_zones(found), *_bands(found)]
    writer = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def geojson(found: Isochrones) -> str:
    """Return the areas of bands, the farthest first so that nearer ones lie over it, of zones, and the sources."""
    network, field = found.reach.network, found.field
    plane = Plane.of(network)
    bands = [_area(plane, field.within(limit), row) for limit, row in zip(found.limits, _bands(found), strict=True)]
    zones = [_area(plane, field.zone_areas(index), row) for index, row in enumerate(_zones(found))]
    assert network.coordinates is not None
    sources = [
        _feature("Point", (network.coordinates[node] / 1e6).tolist(), {"kind": "source", "node": _id(found, node)})
        for node in found.reach.sources
    ]
    credit = {"attribution": network.credit} if network.credit else {}
    features = [*reversed(bands), *zones, *sources]
    return json.dumps({"type": "FeatureCollection", "name": network.name, **credit, "features": features}) + "\n"


def _bands(found: Isochrones) -> list[Facts]:
    metric = found.reach.metric
    return [
        {"kind": "band", "label": band.label, "within": limit * metric.scale, "unit": metric.unit, **_figures(band)}
        for limit, band in zip(found.limits, found.bands, strict=True)
    ]


def _zones(found: Isochrones) -> list[Facts]:
    return [
        {"kind": "zone", "label": zone.label, "source": _id(found, node), **_figures(zone)}
        for node, zone in zip(found.reach.sources, found.zones, strict=False)  # one source alone has no zone
    ]


def _figures(band: Band) -> Facts:
    return {"nodes": band.nodes, "share": round(band.share, 6), "area_m2": round(band.area_m2)}


def _id(found: Isochrones, node: int) -> int:
    return int(found.reach.network.node_ids[node])


def _area(plane: Plane, areas: list[list[NDArray[np.float64]]], facts: Facts) -> Facts:
    """Return areas as a feature."""
    rings = [[np.round(plane.to_degrees(ring), _DECIMALS).tolist() for ring in area] for area in areas]
    return _feature("MultiPolygon", rings, facts)


def _feature(kind: str, coordinates: list[Any], facts: Facts) -> Facts:
    return {"type": "Feature", "geometry": {"type": kind, "coordinates": coordinates}, "properties": facts}
