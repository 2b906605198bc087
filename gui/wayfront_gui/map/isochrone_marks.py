"""Painting isochrones over the map: land and outlines of their bands, their sources, and what each band reaches."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from wayfront_gui.map.text_units import pixels_in_unit
from wayfront_gui.model.isochrones import Band, area_text
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.isochrones import NO_LAND, Isochrones
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import translated

LAND_ALPHA = 44
OUTLINE, BORDER = 1.3, 2.2
"""Widths of the lines round bands and between zones, in logical pixels."""
_MARGIN, _ROW, _SWATCH = 16.0, 17.0, 10.0
_PIXELS = 11
MOST_COVERED = 0.04
"""The share of a map that the legend covers at most with all figures: without them it is half as wide."""


def paint_isochrones(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint land and outlines; ``camera`` is in logical pixels."""
    shown = scene.isochrones
    if shown is None:
        return
    painter.drawImage(QPointF(0, 0), _drawn(shown, camera, pixels_in_unit(painter, scene.style), scene.style))
    if shown.several and scene.geometry is not None:
        for index, source in enumerate(shown.reach.sources):
            x, y = camera.to_pixels(float(scene.geometry.x[source]), float(scene.geometry.y[source]))
            _paint_source(painter, scene.style, QPointF(x, y), index)


def paint_bands(painter: QPainter, style: Style, shown: Isochrones, camera: Camera, base: float) -> None:
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
    painter.setBrush(_colour(colours.background, 225))  # roads would run through its texts
    painter.drawRoundedRect(box, 4, 4)
    of_rows = row_colours(style, shown)
    for index, text in enumerate(texts):
        top = box.top() + 6 + _ROW * index
        painter.fillRect(QRectF(box.left() + 8, top + (_ROW - _SWATCH) / 2, _SWATCH, _SWATCH), of_rows[index])
        left = box.left() + 8 + _SWATCH + 8
        painter.setPen(_colour(colours.ink, 215))
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
    image = QImage(round(camera.width * ratio), round(camera.height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    left, top = camera.to_pixels(shown.extent.left, shown.extent.top)
    room = QRectF(left, top, shown.extent.width * camera.scale, shown.extent.height * camera.scale)
    painter.drawImage(room, _land(shown, style))
    for lines, width in ((shown.outlines, OUTLINE), (shown.borders, BORDER)):
        for segments in lines:
            colour = _colour(style.colours.ink, 235 if width == BORDER else 175)
            # Flat ends: round ones take fifteen times as long, and thousands of short lines are drawn.
            painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
            painter.drawLines(_lines(segments, camera))
    painter.end()
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
    painter.setPen(QPen(_colour(colours.casing, 230), 4.0))
    painter.setBrush(QColor(style.zones[index]))
    painter.drawEllipse(at, 7.5, 7.5)
    painter.setPen(QPen(_colour(colours.ink), 1.6))
    painter.drawEllipse(at, 7.5, 7.5)


def _colour(value: str, alpha: int = 255) -> QColor:
    colour = QColor(value)
    colour.setAlpha(alpha)
    return colour
