"""Isochrones on the map: bands or zones as colours of nodes, their areas and outlines, and a legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen

from wayfront.results.isochrones.field import Area
from wayfront.results.isochrones.plane import EqualAreaPlane
from wayfront_gui.features.isochrones.files import Bands
from wayfront_gui.features.isochrones.state import Band, Reach, area_text
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Plane, read_only
from wayfront_gui.map.legend import NodeColours
from wayfront_gui.map.painting import translucent
from wayfront_gui.map.raster import NEVER
from wayfront_gui.map.scene import Backdrop, Layer, Scene
from wayfront_gui.map.style import Style
from wayfront_gui.ui.translation import translated

LAST_ROW = 254
"""The row of the colour map of the last band's end."""
SHORTEST_BUFFERS = 15
"""Shorter lines, in widths of the buffer, are not drawn."""
Areas = list[list[NDArray[np.float64]]]
"""Areas as rings of points x, y of the map: of each the outer one, then its holes."""


@dataclass(frozen=True, slots=True, eq=False)
class Isochrones(Layer):
    """Bands round the nearest of some sources, ready to be drawn.

    found     the bands, and the areas they take
    colours   of nodes: rows of the colour map by band, or of several sources the index of the nearest one
    areas     what is filled, each with its rings on the map: the bands, or of several sources the zones
    outlines  of each band, float32 [k, 4] segments x, y, x, y on the map; ``borders`` likewise between zones
    """

    found: Bands
    colours: NodeColours
    areas: tuple[Areas, ...]
    outlines: tuple[NDArray[np.float32], ...]
    borders: tuple[NDArray[np.float32], ...]

    NAME: ClassVar[str] = "isochrones"
    ORDER: ClassVar[int] = 10
    PRECEDENCE: ClassVar[int] = 40

    @classmethod
    def of(cls, reach: Reach, step: int | None = None) -> Isochrones:
        """Return the bands ``step`` raw weights wide, by default of a round width, of a network with a map."""
        found = Bands.of(reach, step)
        limits, several, plane = found.limits, reach.several, Plane.of(reach.network)
        band = reach.band_of(limits)
        inside = (band >= 0) & (band < len(limits)) if not several else reach.nearest >= 0
        rows = reach.nearest if several else band_rows(band, len(limits))
        colours = NodeColours(
            read_only(np.where(inside, 0, NEVER).astype(np.uint32)),
            read_only(np.where(inside, rows, 0).astype(np.uint8)),
            np.zeros(0, np.int32),
            None,
            "zone_table" if several else "table",
        )
        return cls(
            found,
            colours,
            tuple(_on_map(area, plane) for area in (found.zone_areas if several else found.areas)),
            tuple(segments_worth_drawing(found, lines, plane) for lines in found.outlines),
            tuple(segments_worth_drawing(found, border, plane) for border in found.borders),
        )

    @property
    def reach(self) -> Reach:
        """How far every node is from the nearest source."""
        return self.found.reach

    @property
    def step(self) -> int:
        """The width of a band in raw weights."""
        return self.found.step

    @property
    def bands(self) -> tuple[Band, ...]:
        """What is within each limit."""
        return self.found.bands

    @property
    def zones(self) -> tuple[Band, ...]:
        """What is nearest to each of several sources."""
        return self.found.zones

    @property
    def several(self) -> bool:
        """Whether there are several sources, whose zones are coloured instead of the bands."""
        return self.reach.several

    @property
    def of_tree(self) -> bool:
        """Pictures of the finished tree show them."""
        return True

    def node_colours(self, scene: Scene) -> NodeColours | None:
        """Return the colours of bands or zones."""
        return self.colours

    def edge_facts(self, scene: Scene) -> object:
        """Return the bands, where the map has a legend of them."""
        return self if self._has_legend(scene) else None

    def _shown(self, scene: Scene) -> bool:
        """Whether nothing else colours the nodes in their place."""
        return scene.node_colours is self.colours

    def _has_legend(self, scene: Scene) -> bool:
        return self._shown(scene) and self.NAME not in scene.legends_beside

    def backdrop(self, scene: Scene) -> Backdrop | None:
        """Return areas and outlines."""
        return Filled(self, scene.style) if self._shown(scene) else None

    def paint_below(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint several sources."""
        if self.several and self._shown(scene) and scene.geometry is not None:
            for index, source in enumerate(self.reach.sources):
                x, y = camera.to_pixels(float(scene.geometry.x[source]), float(scene.geometry.y[source]))
                _paint_source(painter, scene.style, QPointF(x, y), index)

    def paint_edges(self, painter: QPainter, scene: Scene, camera: Camera, base: float) -> None:
        """Paint the legend, where this map has legends."""
        if scene.edges.scale and self._has_legend(scene):
            _paint_bands(painter, scene.style, self, camera, base)


def segments_worth_drawing(found: Bands, lines: list[NDArray[np.float64]], plane: Plane) -> NDArray[np.float32]:
    """Return the segments of lines that are worth drawing: rings round a street corner and cut ends are hairs."""
    least = SHORTEST_BUFFERS * found.buffer_m
    long = [line for line in lines if np.hypot(*np.diff(line, axis=0).T).sum() >= least]
    segments = np.concatenate([np.zeros((0, 4)), *(np.hstack([line[:-1], line[1:]]) for line in long)])
    return _moved(segments.reshape(-1, 2), found.plane, plane).reshape(-1, 4).astype(np.float32)


def _moved(points: NDArray[np.float64], plane: EqualAreaPlane, to: Plane) -> NDArray[np.float64]:
    """Return where points of the plane on which areas are found lie on the map's."""
    return to.from_degrees(np.stack(plane.degrees(points[:, 0], points[:, 1]), axis=1))


def _on_map(area: Area, plane: Plane) -> Areas:
    return area.nested(plane.from_degrees(area.degrees))


def band_rows(band: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """Return the row of the colour map of each band, evenly spread."""
    return np.round((band + 0.5) / count * LAST_ROW).astype(np.int32)


FILL_ALPHA = 70
"""Of areas: roads of the same colour shine through them."""
OUTLINE, BORDER = 1.6, 2.4
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
    of_rows = row_colours(style, len(shown.bands), len(shown.zones))
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


def row_colours(style: Style, bands: int, zones: int) -> list[QColor]:
    """Return the colours of the legend's rows: of zones if there are any, else of bands."""
    if zones:
        return [QColor(colour) for colour in style.zones[:zones]]
    rows = np.round((np.arange(bands) + 0.5) / max(bands, 1) * LAST_ROW).astype(int)
    return [QColor(*(int(part) for part in style.gradient[row])) for row in rows]


@dataclass(frozen=True, slots=True)
class Filled:
    """Areas and outlines of isochrones in a style."""

    shown: Isochrones
    style: Style

    def paint(self, painter: QPainter, camera: Camera) -> None:
        """Paint what a camera sees: each band without what is nearer, or each zone."""
        shown, style = self.shown, self.style
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        nearer: Areas = []
        colours = row_colours(style, len(shown.bands), len(shown.zones))
        for areas, colour in zip(shown.areas, colours, strict=True):
            painter.fillPath(_path(areas, nearer, camera), translucent(colour, FILL_ALPHA))
            nearer = [] if shown.several else areas
        for lines, width in ((shown.outlines, OUTLINE), (shown.borders, BORDER)):
            colour = translucent(style.colours.ink, 235 if width == BORDER else 205)
            # Flat ends: round ones take fifteen times as long, and thousands of short lines are drawn.
            painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            for segments in lines:
                painter.drawLines(_lines(segments, camera))


def _path(areas: Areas, without: Areas, camera: Camera) -> QPainterPath:
    """Return areas ``without`` others as a camera sees them.

    These run the other way round, so that edges which both have cancel out; by the odd-even rule they would be hairs.
    """
    rings = [ring for area in areas for ring in area] + [ring[::-1] for area in without for ring in area]
    if not rings:
        return QPainterPath()
    points = np.concatenate(rings)
    connect = np.ones(len(points), np.int32)
    connect[np.cumsum([len(ring) for ring in rings]) - 1] = 0
    from pyqtgraph import arrayToQPath  # a third of a second, which a start need not wait for

    path = arrayToQPath(*camera.to_pixels(points[:, 0], points[:, 1]), connect=connect, finiteCheck=False)
    path.setFillRule(Qt.FillRule.WindingFill)
    return path


def _lines(segments: NDArray[np.float32], camera: Camera) -> list[QLineF]:
    """Return the segments that a camera sees."""
    x0, y0 = camera.to_pixels(segments[:, 0], segments[:, 1])
    x1, y1 = camera.to_pixels(segments[:, 2], segments[:, 3])
    seen = (np.maximum(x0, x1) > -2) & (np.minimum(x0, x1) < camera.width + 2)
    seen &= (np.maximum(y0, y1) > -2) & (np.minimum(y0, y1) < camera.height + 2)
    return [QLineF(*ends) for ends in np.stack([x0, y0, x1, y1], axis=1)[seen].tolist()]


def _paint_source(painter: QPainter, style: Style, at: QPointF, index: int) -> None:
    colours = style.colours
    painter.setPen(QPen(translucent(colours.casing, 230), 4.0))
    painter.setBrush(QColor(style.zones[index]))
    painter.drawEllipse(at, 7.5, 7.5)
    painter.setPen(QPen(translucent(colours.ink), 1.6))
    painter.drawEllipse(at, 7.5, 7.5)
