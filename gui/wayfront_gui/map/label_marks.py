"""Painting the names on the map: each is set once, with a halo, and then laid on every frame as a small picture."""

from __future__ import annotations

import math
import threading
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QTransform

from wayfront_gui.look.plain import one_line
from wayfront_gui.look.theme import MapColours
from wayfront_gui.map.text_units import has_pixels, pixels_in_unit
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.labels import Label, LabelLook
from wayfront_gui.scene.scene import Scene

_HALO = 3.2
"""Width of the line round letters that keeps them apart from roads, half of it outside of them."""
_LONGEST = 48
"""Letters of a name; more would cross half a map."""
_WATER = ("water", "glacier")
_GREEN = ("park", "wood")
_ROADS = ("road", "main road")


def paint_labels(painter: QPainter, scene: Scene, camera: Camera, labels: tuple[Label, ...] | None = None) -> None:
    """Paint the names that a camera in logical pixels sees: ``labels``, or those that are laid out for it.

    Of the latter only names that are seen whole: nobody can move a picture to read the rest. A window's edge cuts
    names, since they would come and go while one pans.
    """
    if scene.names is None or not scene.layers.names:
        return
    whole = labels is None
    if labels is None:
        labels = scene.names.layout(camera, letter_ends)
    seen = QRectF(0, 0, camera.width, camera.height)
    pictures, ratio = has_pixels(painter, scene.style), pixels_in_unit(painter, scene.style)
    colours = scene.style.colours
    for label in labels:
        x, y = camera.to_pixels(label.x, label.y)
        if not (-200 < x < camera.width + 200 and -200 < y < camera.height + 200):
            continue
        if whole and not seen.contains(_box(label).translated(x, y)):
            continue
        if pictures:
            image, half = _picture(label, colours, ratio)
            at = (round((x - half.x()) * ratio) / ratio, round((y - half.y()) * ratio) / ratio)
            painter.drawImage(QPointF(*at), image)
        else:
            painter.save()
            painter.translate(x, y)
            _set(painter, _outline(label), label, colours)
            painter.restore()


def set_ahead(labels: tuple[Label, ...], colours: MapColours, ratio: float) -> None:
    """Set names, so that painting them takes no time."""
    for label in labels:
        _picture(label, colours, ratio)


@lru_cache(maxsize=4096)
def letter_ends(text: str, look: LabelLook) -> NDArray[np.float64]:
    """Return where the letters of a name end, in pixels from its start."""
    return np.cumsum([_advance(letter, look) for letter in _shown(text, look)])


@lru_cache(maxsize=8192)
def _advance(letter: str, look: LabelLook) -> float:
    return QFontMetricsF(_font(look)).horizontalAdvance(letter)


class _Fonts(threading.local):
    """The fonts of one thread: a font remembers which glyphs it found, those of its thread, without a lock."""

    def __init__(self) -> None:
        self.by_look: dict[LabelLook, QFont] = {}


_fonts = _Fonts()


def _font(look: LabelLook) -> QFont:
    font = _fonts.by_look.get(look)
    if font is None:
        font = _fonts.by_look[look] = _made_font(look)
    return font


def _made_font(look: LabelLook) -> QFont:
    font = QFont()
    font.setPixelSize(round(look.size))
    font.setWeight(QFont.Weight(look.weight))
    font.setItalic(look.italic)
    if look.capitals:
        font.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 108)
    return font


def _shown(text: str, look: LabelLook) -> str:
    line = one_line(text)
    line = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
    return line.upper() if look.capitals else line


def _outline(label: Label) -> QPainterPath:
    """Return a name's letters round its anchor, in pixels."""
    font, text, path = _font(label.look), _shown(label.text, label.look), QPainterPath()
    base = QFontMetricsF(font).capHeight() / 2
    ends = letter_ends(label.text, label.look)
    if not len(label.letters):
        path.addText(-QFontMetricsF(font).horizontalAdvance(text) / 2, base, font, text)
        return QTransform().rotateRadians(label.angle).map(path)
    begins = np.concatenate(([0.0], ends[:-1]))
    for letter, (x, y, angle), width in zip(text, label.letters.tolist(), (ends - begins).tolist(), strict=True):
        piece = QPainterPath()
        piece.addText(-width / 2, base, font, letter)
        path.addPath(QTransform().translate(x, y).rotateRadians(angle).map(piece))
    return path


@lru_cache(maxsize=2048)
def _box(label: Label) -> QRectF:
    """Return the rectangle that a name with its halo takes round its anchor, in pixels."""
    return _outline(label).boundingRect().adjusted(-_HALO, -_HALO, _HALO, _HALO)


@lru_cache(maxsize=2048)
def _picture(label: Label, colours: MapColours, ratio: float) -> tuple[QImage, QPointF]:
    """Return a name as a picture, and where in it the anchor is, in logical pixels."""
    path, box = _outline(label), _box(label)
    left, top = math.floor(box.left()), math.floor(box.top())
    columns, rows = (math.ceil((side + 1) * ratio) for side in (box.right() - left, box.bottom() - top))
    image = QImage(max(columns, 1), max(rows, 1), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(0)
    painter = QPainter(image)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(-left, -top)
        _set(painter, path, label, colours)
    finally:
        painter.end()
    return image, QPointF(-left, -top)


def _set(painter: QPainter, path: QPainterPath, label: Label, colours: MapColours) -> None:
    halo = QColor(colours.casing)
    halo.setAlphaF(0.8)
    pen = QPen(halo, _HALO)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.strokePath(path, pen)
    painter.fillPath(path, _ink(label.kind, colours))


def _ink(kind: str, colours: MapColours) -> QColor:
    named = colours.water_ink if kind in _WATER else colours.green_ink if kind in _GREEN else colours.ink
    ink = QColor(named)
    ink.setAlphaF(0.72 if kind in _ROADS else 0.9)
    return ink
