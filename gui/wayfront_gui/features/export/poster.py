"""Posters: the map of a search on a sheet, with title, coordinates, scale and legend set in type.

Everything is measured in hundredths of the sheet's shorter side, so that a poster looks the same on a wall and on a
telephone; only roads are finer on large sheets. The same painting goes into pictures, PDF and SVG.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QLinearGradient, QPainter, QPainterPath, QPen

from wayfront_gui.features.export.captions import PosterWords
from wayfront_gui.features.export.sheets import MM_PER_INCH, Layout, Paper
from wayfront_gui.features.export.vector_drawing import paint_roads
from wayfront_gui.features.timing.export import save_picture
from wayfront_gui.features.timing.plots import POINTS_PER_MM, write_pdf, write_svg
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.geometry import Extent
from wayfront_gui.map.offscreen import draw_frame, roads
from wayfront_gui.map.overlay import legend_brush, length_label, paint_marks, scale_bar_length
from wayfront_gui.map.scene import Scene
from wayfront_gui.ui.style import one_line, qt_colour, text_font, text_width
from wayfront_gui.ui.translation import made_again

PaintRoads = Callable[[QPainter, Scene, Camera], None]

_CENTRE, _LEFT, _RIGHT = (
    side | Qt.AlignmentFlag.AlignVCenter
    for side in (Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
)
_MARKER = 0.11
"""Size of markers: what is a pixel on the screen has so many hundredths of the shorter side."""
_FOOT = 3.2
"""Below all texts nothing stands: printers need some margin."""
_CAPITALS = 0.72
"""Height of capital letters, as a share of a font's size."""
_BETWEEN_VALUES = 0.03
"""Between two values of the legend, as a share of its width."""
_ROUND_MAP, _ROUND_GRAPH = 0.04, 0.12
"""Room round a whole road map, and round the discs and labels of a small graph, as a share of each side."""
_FILLED_MOST = 2.4
"""At most so many times as large as it would fit in whole is a map that fills its frame."""


@dataclass(frozen=True, slots=True, eq=False)
class Poster:
    """What is on a poster.

    ``extent`` is the part of the plane shown, None for what the window shows at first. ``fills``: the map is so large
    that it fills its frame, round the source, rather than to be seen whole.
    """

    scene: Scene
    words: PosterWords
    paper: Paper
    layout: Layout
    extent: Extent | None = None
    fills: bool = True


def write_poster(poster: Poster, path: str | Path) -> None:
    """Write a poster as ``.pdf``, ``.svg`` or a picture, by the path's suffix. Raises ``WriteError``."""
    paper, suffix = poster.paper, Path(path).suffix.lower()
    title = poster.words.title or "wayfront"
    if suffix == ".pdf":
        write_pdf(path, paper.width_mm, paper.height_mm, title, [lambda painter: paint(painter, poster)], POINTS_PER_MM)
    elif suffix == ".svg":
        unit = 96 / MM_PER_INCH

        def paint_scaled(painter: QPainter) -> None:
            painter.scale(unit, unit)
            paint(painter, poster)

        write_svg(path, paper.width_mm * unit, paper.height_mm * unit, title, paint_scaled)
    else:
        save_picture(draw(poster), path)


def draw(poster: Poster, dpi: float | None = None) -> QImage:
    """Return a poster as a picture, with its paper's pixels in an inch or others."""
    per_mm = (dpi or poster.paper.dpi) / MM_PER_INCH
    size = round(poster.paper.width_mm * per_mm), round(poster.paper.height_mm * per_mm)
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(QColor(poster.scene.style.colours.background))  # the last row of pixels may lie half beyond the sheet

    def paint_pixels(painter: QPainter, scene: Scene, camera: Camera) -> None:
        fine = painter.worldTransform().m11()
        columns, rows = round(camera.width * fine), round(camera.height * fine)
        close = replace(camera, scale=camera.scale * fine, width=columns, height=rows, pixel_ratio=fine)
        painter.drawImage(QRectF(0, 0, camera.width, camera.height), roads(scene, close, draw_frame(scene, close)))

    painter = QPainter(image)
    try:
        painter.scale(per_mm, per_mm)
        paint(painter, poster, paint_pixels)
    finally:
        painter.end()
    image.setDotsPerMeterX(round(1000 * per_mm))
    image.setDotsPerMeterY(round(1000 * per_mm))
    return image


def paint(painter: QPainter, poster: Poster, draw_roads: PaintRoads = paint_roads) -> None:
    """Paint a poster in millimetres; ``draw_roads`` paints background and roads in the pixels of a camera."""
    paper, layout, colours = poster.paper, poster.layout, poster.scene.style.colours
    hundredth = paper.short_mm / 100
    sheet = QRectF(0, 0, paper.width_mm, paper.height_mm)
    painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
    painter.fillRect(sheet, QColor(colours.background))
    margin, band = layout.frame * hundredth, layout.band * hundredth
    area = sheet.adjusted(margin, margin, -margin, -margin if layout.over else -band)
    camera, metres_per_mm = _camera(poster, area, band if layout.over else 0.0)
    painter.save()
    painter.translate(area.topLeft())
    painter.scale(paper.line_mm, paper.line_mm)
    draw_roads(painter, poster.scene, camera)
    painter.restore()
    _paint_marks(painter, poster.scene, camera, area.topLeft(), paper.line_mm, hundredth)
    if layout.line:
        painter.setPen(QPen(qt_colour(colours.ink, 0.35), 0.12 * hundredth))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area)
    block = QRectF(sheet.left(), sheet.bottom() - band, sheet.width(), band)
    if layout.over:
        _paint_veil(painter, block.adjusted(0, -0.5 * band, 0, 0), colours.background)
    inset = max(layout.frame, 7.0) * hundredth
    _paint_texts(painter, poster, block.adjusted(inset, 0, -inset, 0), hundredth, metres_per_mm)


def _camera(poster: Poster, area: QRectF, covered: float) -> tuple[Camera, float]:
    """Return the camera of the map's area, in units as wide as its finest roads, and the metres in a millimetre.

    The network is placed above ``covered`` millimetres at the foot, where texts stand over the map.
    """
    unit, scene = poster.paper.line_mm, poster.scene
    width, height = max(round(area.width() / unit), 1), max(round(area.height() / unit), 1)
    if scene.geometry is None:
        return Camera(1.0, 0.0, 0.0, width, height), 1.0
    free = max(height - round(0.8 * covered / unit), 1)
    extent = poster.extent or scene.home
    margin = 0.0 if poster.extent else _ROUND_MAP if scene.diagram is None else _ROUND_GRAPH
    fitted = Camera.fitting(extent, width, free, 1.0, margin)
    if poster.fills:
        fitted = _filled(fitted, extent, scene)
    fitted = replace(fitted, height=height, thickness=scene.style.colours.thickness)
    return fitted, 1 / (fitted.scale * unit)


def _filled(fitted: Camera, extent: Extent, scene: Scene) -> Camera:
    """Return a closer camera, whose picture an extent fills as far as that makes sense, near the source."""
    wanted = max(fitted.width / max(extent.width, 1e-9), fitted.height / max(extent.height, 1e-9))
    scale = max(min(wanted, _FILLED_MOST * fitted.scale), fitted.scale)
    across, upward = fitted.width / scale, fitted.height / scale
    x, y = extent.middle
    if scene.geometry is not None and scene.markers.source is not None:
        x, y = scene.place(scene.markers.source)
    left = _between(x - across / 2, extent.left, extent.right - across)
    top = _between(y + upward / 2, extent.bottom + upward, extent.top)
    return replace(fitted, scale=scale, left=left, top=top)


def _between(wanted: float, low: float, high: float) -> float:
    """Return the number between two limits that is next to the wanted one; their middle if they are the wrong way."""
    return min(max(wanted, low), high) if low <= high else (low + high) / 2


def _paint_marks(painter: QPainter, scene: Scene, camera: Camera, at: QPointF, unit: float, hundredth: float) -> None:
    """Paint route and markers, as large beside the sheet as they are beside a window."""
    if scene.geometry is None:
        return
    size = _MARKER * hundredth
    larger = replace(
        camera,
        scale=camera.scale * unit / size,
        width=round(camera.width * unit / size),
        height=round(camera.height * unit / size),
    )
    painter.save()
    painter.translate(at)
    painter.scale(size, size)
    painter.setClipRect(QRectF(0, 0, larger.width, larger.height))
    paint_marks(painter, scene, larger)
    painter.restore()


def _paint_veil(painter: QPainter, area: QRectF, background: str) -> None:
    veil = QLinearGradient(area.topLeft(), area.bottomLeft())
    for at, alpha in ((0.0, 0.0), (0.4, 0.75), (0.65, 0.94), (1.0, 1.0)):
        veil.setColorAt(at, qt_colour(background, alpha))
    painter.fillRect(area, veil)


def _paint_texts(painter: QPainter, poster: Poster, block: QRectF, hundredth: float, metres_per_mm: float) -> None:
    """Paint title, coordinates and facts, then legend and scale, from the top of the block down."""
    words, align = poster.words, _LEFT if poster.layout.left else _CENTRE
    ink = poster.scene.style.colours.ink
    small = poster.layout.left and poster.layout.over
    lines = (
        (words.title.upper(), 4.2 if small else 6.0, QFont.Weight.DemiBold, 18.0, 1.0),
        (words.coordinates, 1.9, QFont.Weight.Normal, 12.0, 0.8),
        (poster.scene.facts or words.facts, 1.55, QFont.Weight.Normal, 3.0, 0.62),
    )
    top = block.top() + 3.4 * hundredth
    for text, size, weight, spacing, strength in lines:
        if text:
            row = QRectF(block.left(), top, block.width(), 1.3 * size * hundredth)
            _paint_text(painter, row, text, size * hundredth, qt_colour(ink, strength), align, weight, spacing)
            top = row.bottom() + 0.75 * hundredth
    bottom = block.bottom() - _FOOT * hundredth
    foot = QRectF(block.left(), bottom - 6.2 * hundredth, block.width(), 4.2 * hundredth)
    _paint_legend(painter, poster, foot, hundredth)
    _paint_scale(painter, poster, foot, hundredth, metres_per_mm)
    credit = QRectF(block.left(), bottom - 1.3 * hundredth, block.width(), 1.3 * hundredth)
    _paint_text(painter, credit, words.credit, 0.95 * hundredth, qt_colour(ink, 0.42), align)


def _paint_legend(painter: QPainter, poster: Poster, foot: QRectF, hundredth: float) -> None:
    legend = poster.scene.node_colours.legend
    if legend is None:
        return
    ink = qt_colour(poster.scene.style.colours.ink, 0.7)
    bar = QRectF(foot.left(), foot.top() + 1.7 * hundredth, 30 * hundredth, 0.7 * hundredth)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(legend_brush(poster.scene.style, bar, legend.colours))
    painter.drawRoundedRect(bar, 0.35 * hundredth, 0.35 * hundredth)
    above = QRectF(bar.left(), foot.top(), bar.width(), 1.4 * hundredth)
    below = QRectF(bar.left(), bar.bottom() + 0.35 * hundredth, bar.width(), 1.4 * hundredth)
    rows = [(above, made_again(legend.title), _LEFT)]
    if legend.ticks:
        rows.append((below, legend.last, _RIGHT))
        room = (bar.width() - _text_width(legend.last, 1.05 * hundredth)) / bar.width()
        wide = 10 * hundredth
        for share, text in legend.ticks:
            half = _text_width(text, 1.05 * hundredth) / 2 / bar.width()
            middle = QRectF(bar.left() + share * bar.width() - wide / 2, below.top(), wide, below.height())
            if share + half + _BETWEEN_VALUES < room:  # one that would touch the end is left out
                rows.append((middle, text, _CENTRE) if share > 0 else (below, text, _LEFT))
    else:
        rows += [(below, legend.first, _LEFT), (below, legend.last, _RIGHT)]
    for row, text, align in rows:
        _paint_text(painter, row, text, 1.05 * hundredth, ink, align)


def _paint_scale(painter: QPainter, poster: Poster, foot: QRectF, hundredth: float, metres_per_mm: float) -> None:
    scene = poster.scene
    if not scene.scale_bar or scene.geometry is None or scene.geometry.bounds.width + scene.geometry.bounds.height <= 0:
        return
    metres = scale_bar_length(metres_per_mm, 20 * hundredth)
    length, ink = metres / metres_per_mm, qt_colour(scene.style.colours.ink, 0.7)
    y, rise = foot.top() + 2.4 * hundredth, 0.7 * hundredth
    painter.setPen(QPen(ink, 0.14 * hundredth))
    left = foot.right() - length
    painter.drawPolyline(
        [QPointF(left, y - rise), QPointF(left, y), QPointF(foot.right(), y), QPointF(foot.right(), y - rise)]
    )
    row = QRectF(left, y + 0.35 * hundredth, length, 1.4 * hundredth)
    _paint_text(painter, row.adjusted(-10 * hundredth, 0, 0, 0), length_label(metres), 1.05 * hundredth, ink, _RIGHT)


def _text_width(text: str, size_mm: float) -> float:
    """Return how wide a line of text of that size is, in millimetres."""
    pixels = 200
    return text_width(one_line(text), pixels) * size_mm / pixels


def _paint_text(
    painter: QPainter,
    row: QRectF,
    text: str,
    size_mm: float,
    colour: QColor,
    align: Qt.AlignmentFlag,
    weight: QFont.Weight = QFont.Weight.Normal,
    spacing: float = 0.0,
) -> None:
    """Paint one line, smaller where it would not fit; ``spacing`` is how much wider letters stand, in percent."""
    text = one_line(text)
    # Qt hints fonts for whole pixels, so letters are set large and scaled down.
    pixels = 200
    face = text_font(pixels)
    face.setWeight(weight)
    # Absolute spacing would depend on what the painter paints on.
    face.setLetterSpacing(QFont.SpacingType.PercentageSpacing, 100 + spacing)
    width = QFontMetricsF(face).horizontalAdvance(text)
    scale = size_mm / pixels
    scale *= min(row.width() / max(width * scale, 1e-9), 1.0)
    free = {_LEFT: 0.0, _CENTRE: 0.5, _RIGHT: 1.0}[align] * (row.width() - width * scale)
    # As outlines letters are the same wherever the poster is opened, and stand as far apart in an SVG too.
    outlines = QPainterPath()
    outlines.addText(0, 0, face, text)
    painter.save()
    painter.translate(row.left() + free, row.center().y() + _CAPITALS / 2 * scale * pixels)
    painter.scale(scale, scale)
    painter.fillPath(outlines, colour)
    painter.restore()
