"""Painting what has texts in units that grow with them, over a map that does not; and its colours and pens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from wayfront_gui.map.camera import Camera
from wayfront_gui.map.style import Style

_RASTERS = (1, 2, 3)
"""What Qt calls widgets, pixmaps and images: they have pixels, unlike SVG and PDF."""


@contextmanager
def text_units(painter: QPainter, style: Style, camera: Camera) -> Iterator[Camera]:
    """Let a painter of logical pixels count in units of ``style.text_scale`` of them; yield the camera in these."""
    scale = style.text_scale
    painter.save()
    painter.scale(scale, scale)
    try:
        yield camera if scale == 1.0 else camera.in_units(scale)
    finally:
        painter.restore()


@contextmanager
def transparent(columns: int, rows: int, ratio: float) -> Iterator[tuple[QImage, QPainter]]:
    """Yield a picture of so many pixels with nothing on it, and a painter of it that counts in logical pixels."""
    image = QImage(max(columns, 1), max(rows, 1), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        yield image, painter
    finally:
        painter.end()


def has_pixels(painter: QPainter, style: Style) -> bool:
    """Return whether a painter paints such units as pixels, unlike one of an SVG, a PDF or a poster."""
    return painter.device().devType() in _RASTERS and painter.worldTransform().m11() == style.text_scale


def pixels_in_unit(painter: QPainter, style: Style) -> float:
    """Return the side in physical pixels of what a painter counts as one; of a poster, more of them."""
    ratio = float(painter.device().devicePixelRatioF())
    return ratio * style.text_scale if has_pixels(painter, style) else ratio


def translucent(colour: str | QColor, alpha: int = 255) -> QColor:
    """Return a colour that lets through what is below it, the more the less ``alpha`` 0 … 255 is."""
    result = QColor(colour)
    result.setAlpha(alpha)
    return result


def round_pen(colour: QColor, width: float) -> QPen:
    """Return a pen whose lines have round ends and corners."""
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
