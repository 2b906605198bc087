"""Painting over the roads: route, markers, scale bar, legend, attribution, message, in logical pixels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen, QPolygonF

from wayfront.sources.tiles import CREDIT
from wayfront_gui.look.plain import one_line
from wayfront_gui.look.theme import MapColours
from wayfront_gui.map.area_marks import paint_areas
from wayfront_gui.map.closure_marks import paint_closures
from wayfront_gui.map.depot_marks import paint_depots
from wayfront_gui.map.graph_edit_marks import paint_graph_marks
from wayfront_gui.map.ground import Ground
from wayfront_gui.map.isochrone_marks import paint_bands, paint_isochrones
from wayfront_gui.map.kept_facts import facts_stay
from wayfront_gui.map.label_marks import paint_labels
from wayfront_gui.map.lesson_marks import paint_lesson_marks
from wayfront_gui.map.race_caption import paint_caption
from wayfront_gui.map.small_graph.painting import paint_key, paint_small_graph
from wayfront_gui.map.text_units import pixels_in_unit, text_units
from wayfront_gui.map.tile_marks import paint_kept_tiles
from wayfront_gui.scene.camera import Camera
from wayfront_gui.scene.fitting import has_room_for_key
from wayfront_gui.scene.legend import Legend
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.small_graph.sizes import disc_radius
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import marked, translated

CENTRE_OF = {
    "": marked("centre"),
    "sampled sources": marked("centre of the sampled sources"),
    "finished sources": marked("centre of the finished sources"),
}
"""What the diamond marks, by what the search for all pairs has found so far."""
_BETWEEN_TICKS = 6
_MARGIN = 16.0
_FONT_PIXELS = 11
_MESSAGE_PIXELS = 15
_LEGEND = QRectF(0, 0, 250, 5)
"""The bar of colours."""
_LEGEND_RAISE = 20.0
"""Height of the bar above the lower margin, which leaves room for its labels."""
_ABOVE_LEGEND = 160.0
"""So much of the map is above the bar at least: on a low one, as in a race, it would cover what it explains."""
_RACE_LEGEND = 2.2 * _LEGEND.width()
"""A race's maps fill their room: on one that is narrower the legend would lie over most of it."""
_SCALE_BAR_ROOM = 32.0
_BOTH_IN_A_LINE = 2.5 * _LEGEND.width()
"""A map that is narrower has no room for a legend and an attribution beside each other."""
_LEGEND_STOPS = 16
_NORTH = 24.0
"""Width of the arrow to the north."""


def paint_overlay(painter: QPainter, scene: Scene, camera: Camera, ground: Ground | None = None) -> None:
    """Paint everything over the roads; ``camera`` is in logical pixels, ``ground`` the window's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with text_units(painter, scene.style, camera) as view:
        if scene.geometry is not None:
            paint_marks(painter, scene, view, ground)
            if ground is None or not facts_stay(scene):
                _paint_facts(painter, scene, view)
        if scene.message and (scene.geometry is None or not scene.geometry.node_count):
            painter.setFont(_font(_MESSAGE_PIXELS))
            painter.setPen(_ink(scene.style.colours, 170))
            room = QRectF(0, 0, view.width, view.height).adjusted(40, 40, -40, -40)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), scene.message)
    if ground is not None and facts_stay(scene):
        ground.facts.paint(painter, scene, camera, _paint_edges)
        ground.legend.paint(painter, scene, camera, _paint_legend_of)


def _paint_facts(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what explains a map at its edges: attribution, scale, what races, legends."""
    _paint_edges(painter, scene, camera)
    _paint_legend_of(painter, scene, camera)


def _paint_edges(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what of the facts is the same for every search."""
    assert scene.geometry is not None
    colours, caption = scene.style.colours, scene.caption
    right = _paint_attribution(painter, scene, camera) if caption is None or caption.credit else camera.width
    scaled = caption is None or caption.scale
    measures = scene.scale_bar and scene.graph is None
    if scaled and measures and scene.geometry.bounds.width + scene.geometry.bounds.height > 0:
        _paint_scale_bar(painter, colours, camera, right)
    if caption is not None:
        paint_caption(painter, scene.style, caption, camera.width)
    if scaled and scene.shows_bands and scene.isochrones is not None:
        base = _SCALE_BAR_ROOM if measures else 0.0
        paint_bands(painter, scene.style, scene.isochrones, camera, base)


def _paint_legend_of(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what the colours mean, and on a small graph the signs."""
    caption = scene.caption
    scaled = caption is None or caption.scale
    measures = scene.scale_bar and scene.graph is None
    # Below some small graphs no room is kept for a legend, which would lie over their nodes.
    roomy = scene.graph is None or has_room_for_key(camera.width, camera.height)
    spacious = roomy if caption is None else camera.width >= _RACE_LEGEND
    keyed = scaled and caption is None
    key = paint_key(painter, scene, camera, _MARGIN, camera.height - _MARGIN + 4) if keyed else 0.0
    if scaled and spacious and (legend := scene.node_colours.legend) is not None:
        # Without a scale bar its labels would stand in the line of the attribution, which reaches them on a narrow map.
        narrow = scene.graph is None and camera.width < _BOTH_IN_A_LINE
        base = _LEGEND_RAISE + (_SCALE_BAR_ROOM if measures or narrow else key)
        _paint_legend(painter, scene.style, legend, camera, base)


def paint_marks(painter: QPainter, scene: Scene, camera: Camera, ground: Ground | None = None) -> None:
    """Paint what is at places of the map: areas, isochrones, names, route, closed roads, depots, markers."""
    colours, ratio = scene.style.colours, pixels_in_unit(painter, scene.style)
    if ground is None:
        paint_kept_tiles(painter, scene, camera)
        paint_areas(painter, scene, camera)
    else:
        ground.paint_tiles(painter, scene, camera)
        ground.paint_areas(painter, scene, camera, ratio)
    if scene.shows_bands:
        paint_isochrones(painter, scene, camera)
    if scene.graph is not None:
        paint_small_graph(painter, scene, camera)
        paint_graph_marks(painter, scene, camera)
    else:
        paint_labels(painter, scene, camera, None if ground is None else ground.labels(scene, camera, ratio))
        _paint_route(painter, scene, camera)
        paint_closures(painter, scene, camera)
    paint_depots(painter, scene, camera)
    paint_lesson_marks(painter, scene, camera)
    if scene.centre is not None:
        at = _position(scene, camera, scene.centre)
        if scene.graph is not None:  # beside its disc, which has a text
            reach = 0.85 * disc_radius(scene.graph, camera) + 6
            at += QPointF(reach, -reach)
        # Beside a node of a tiny graph its name would cover others.
        named = scene.graph is None or has_room_for_key(camera.width, camera.height)
        _paint_centre(painter, colours, at, CENTRE_OF[scene.centre_of] if named else "")
    if scene.graph is None:
        _paint_ends(painter, scene, camera)


def _paint_ends(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the markers of source, targets and the node under the pointer."""
    colours = scene.style.colours
    targets = scene.targets or (() if scene.target is None else (scene.target,))
    for number, target in enumerate(targets, 1):
        label = str(number) if len(targets) > 1 else ""
        _paint_target(painter, colours, _position(scene, camera, target), label, target == scene.target)
    if scene.hovered is not None:
        _paint_ring(painter, colours, _position(scene, camera, scene.hovered))
    if scene.source is not None:
        _paint_source(painter, colours, _position(scene, camera, scene.source))
        painter.setFont(_font(_FONT_PIXELS))
        _paint_text(painter, colours, _position(scene, camera, scene.source) + QPointF(15, -8), scene.latency, 230)


def scale_bar_length(metres_per_pixel: float, longest: float = 130.0) -> float:
    """Return the round length in metres (1, 2 or 5 times a power of ten) whose bar is at most ``longest`` pixels."""
    room = metres_per_pixel * longest
    power = 10.0 ** math.floor(math.log10(room))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= room)


def length_label(metres: float) -> str:
    """Return the text beside a scale bar."""
    return f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m" if metres >= 1 else f"{metres * 100:g} cm"


def legend_brush(style: Style, bar: QRectF) -> QLinearGradient:
    """Return the colours of distance from the left end of a bar to its right end."""
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for share in np.linspace(0, 1, _LEGEND_STOPS):
        red, green, blue = style.gradient[round(255 * share)]
        gradient.setColorAt(float(share), QColor(int(red), int(green), int(blue)))
    return gradient


def _position(scene: Scene, camera: Camera, node: int) -> QPointF:
    return QPointF(*camera.to_pixels(*scene.place(node)))


def _colour(value: str, alpha: int = 255) -> QColor:
    colour = QColor(value)
    colour.setAlpha(alpha)
    return colour


def _ink(colours: MapColours, strength: int) -> QColor:
    """Return the colour of what stands back behind the map, or that does not in this theme."""
    return _colour(colours.ink, 255 if colours.plain else strength)


def _font(pixels: int) -> QFont:
    font = QFont()
    font.setPixelSize(pixels)
    return font


def _paint_route(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the routes to all targets, that whose directions are shown last and widest."""
    if not scene.route_found:
        return
    colours = scene.style.colours
    for path in scene.further_paths:
        _paint_path(painter, scene, camera, path, ((_colour(colours.casing, 190), 4.5), (_colour(colours.target), 1.8)))
    _paint_path(
        painter, scene, camera, scene.path, ((_colour(colours.casing, 215), 6.5), (_colour(colours.route), 3.0))
    )


def _paint_path(
    painter: QPainter, scene: Scene, camera: Camera, path: NDArray[np.int32], strokes: tuple[tuple[QColor, float], ...]
) -> None:
    if len(path) < 2:
        return
    assert scene.geometry is not None
    x, y = camera.to_pixels(scene.geometry.x[path].astype(np.float64), scene.geometry.y[path].astype(np.float64))
    # Points closer than a third of a pixel to the one before add nothing but time.
    cell = np.stack([np.floor(x * 3), np.floor(y * 3)])
    keep = np.ones(len(x), bool)
    keep[1:-1] = (cell[:, 1:-1] != cell[:, :-2]).any(axis=0)
    line = QPolygonF([QPointF(px, py) for px, py in zip(x[keep].tolist(), y[keep].tolist(), strict=True)])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in strokes:
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(line)


def _paint_source(painter: QPainter, colours: MapColours, at: QPointF) -> None:
    painter.setPen(QPen(_colour(colours.casing, 200), 5.0))
    painter.setBrush(_colour(colours.casing, 200))
    painter.drawEllipse(at, 7.0, 7.0)
    painter.setPen(QPen(_colour(colours.ink), 2.0))
    painter.drawEllipse(at, 7.0, 7.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_colour(colours.ink))
    painter.drawEllipse(at, 3.0, 3.0)


def _paint_target(painter: QPainter, colours: MapColours, at: QPointF, label: str, shown: bool) -> None:
    """Paint a target's disc, with its number where there are several; that whose directions are shown is larger."""
    radius = 6.5 if not label else 8.5 if shown else 7.0
    painter.setPen(QPen(_colour(colours.casing, 215), 2.0))
    painter.setBrush(_colour(colours.route if label and shown else colours.target))
    painter.drawEllipse(at, radius, radius)
    if label:
        painter.setFont(_font(_FONT_PIXELS))
        painter.setPen(_colour(colours.casing))
        disc = QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(disc, int(Qt.AlignmentFlag.AlignCenter), label)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_colour(colours.casing))
    painter.drawEllipse(at, 2.5, 2.5)


def _paint_centre(painter: QPainter, colours: MapColours, at: QPointF, name: str) -> None:
    """Paint a diamond and its name, if it has one: the source is round, and so is the target."""
    diamond = QPolygonF([at + QPointF(dx, dy) for dx, dy in ((0, -8), (8, 0), (0, 8), (-8, 0))])
    painter.setPen(QPen(_colour(colours.casing, 215), 2.5))
    painter.setBrush(_colour(colours.ink))
    painter.drawPolygon(diamond)
    painter.setFont(_font(_FONT_PIXELS))
    _paint_text(painter, colours, at + QPointF(14, 4), translated(name) if name else "", 220)


def _paint_ring(painter: QPainter, colours: MapColours, at: QPointF) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((_colour(colours.casing, 200), 3.5), (_ink(colours, 235), 1.5)):
        painter.setPen(QPen(colour, width))
        painter.drawEllipse(at, 4.5, 4.5)


def _paint_attribution(painter: QPainter, scene: Scene, camera: Camera) -> float:
    """Paint the attribution into the lower right corner; return its left edge."""
    painter.setFont(_font(_FONT_PIXELS))
    room = max(camera.width - 2 * _MARGIN, 1.0)
    metrics = QFontMetricsF(painter.font())
    credit = ", ".join(filter(None, (scene.attribution, CREDIT if scene.shows_tiles else "")))
    text = metrics.elidedText(
        one_line(credit),
        Qt.TextElideMode.ElideRight,
        room,
    )
    width = metrics.horizontalAdvance(text)
    left = camera.width - _MARGIN - width
    _paint_text(painter, scene.style.colours, QPointF(left, camera.height - _MARGIN), text, 150)
    return left


def _paint_text(painter: QPainter, colours: MapColours, at: QPointF, text: str, strength: int) -> None:
    """Paint one line of text from its base line on, on a half-transparent background over the roads."""
    if not text:
        return
    text = one_line(text)
    room = QFontMetricsF(painter.font()).boundingRect(text).translated(at).adjusted(-4, -2, 4, 2)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_colour(colours.background, 200))
    painter.drawRoundedRect(room, 3, 3)
    painter.setPen(_ink(colours, strength))
    painter.drawText(at, text)


def _paint_scale_bar(painter: QPainter, colours: MapColours, camera: Camera, right: float) -> None:
    """Paint a scale bar into the lower left corner, unless it would reach ``right``."""
    metres = scale_bar_length(1 / camera.scale)
    pixels = metres * camera.scale
    label = length_label(metres)
    left, base = _MARGIN, camera.height - _MARGIN - 2
    painter.setFont(_font(_FONT_PIXELS))
    if left + pixels + 8 + QFontMetricsF(painter.font()).horizontalAdvance(label) > right:
        return
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((_colour(colours.casing, 160), 4.0), (_ink(colours, 150), 1.25)):
        painter.setPen(QPen(colour, width))
        painter.drawPolyline(
            QPolygonF(
                [
                    QPointF(left, base - 5),
                    QPointF(left, base),
                    QPointF(left + pixels, base),
                    QPointF(left + pixels, base - 5),
                ]
            )
        )
    _paint_text(painter, colours, QPointF(left + pixels + 8, base + 2), label, 150)
    north = left + pixels + 8 + QFontMetricsF(painter.font()).horizontalAdvance(label) + 20
    if north + _NORTH < right:
        _paint_north(painter, colours, QPointF(north, base))


def _paint_north(painter: QPainter, colours: MapColours, at: QPointF) -> None:
    """Paint an arrow to where north is, which is always up, and its letter."""
    arrow = QPolygonF([at + QPointF(dx, dy) for dx, dy in ((0, -13), (4.5, 1), (0, -2), (-4.5, 1))])
    painter.setPen(QPen(_colour(colours.casing, 160), 2.0))
    painter.setBrush(_ink(colours, 150))
    painter.drawPolygon(arrow)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.drawPolygon(arrow)
    _paint_text(painter, colours, at + QPointF(9, 2), "N", 150)


def _paint_legend(painter: QPainter, style: Style, legend: Legend, camera: Camera, base: float) -> None:
    """Paint the colours and what they mean, ``base`` above the lower margin, unless the map is too small for it."""
    bar = _LEGEND.translated(_MARGIN, camera.height - _MARGIN - base)
    if bar.right() + _MARGIN > camera.width or bar.top() < max(camera.height / 2, _ABOVE_LEGEND):
        return
    colours = style.colours
    painter.setFont(_font(_FONT_PIXELS))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(_colour(colours.background, 235))  # roads would run through its colours
    painter.drawRoundedRect(bar.adjusted(-6, -40 if legend.ink else -22, 6, 24), 4, 4)
    painter.setBrush(legend_brush(style, bar))
    painter.drawRoundedRect(bar, 2, 2)
    painter.setPen(_ink(colours, 170))
    painter.drawText(QPointF(bar.left(), bar.top() - 7), legend.title)
    if legend.ink:
        swatch = QRectF(bar.left(), bar.top() - 30, 10, 5)
        painter.drawText(QPointF(swatch.right() + 6, swatch.bottom() + 1), legend.ink)
        painter.fillRect(swatch, _colour(colours.ink))
    painter.setPen(_ink(colours, 150))
    _paint_ticks(painter, legend, bar)


def _paint_ticks(painter: QPainter, legend: Legend, bar: QRectF) -> None:
    """Paint the round values under the bar, or the labels at both ends, and that of its middle if there is room.

    A value whose text would touch that of the next one has its mark alone.
    """
    metrics = QFontMetricsF(painter.font())
    base = bar.bottom() + 4 + metrics.ascent()
    free = bar.right()
    for share, text in reversed(legend.ticks):
        x, width = bar.left() + share * bar.width(), metrics.horizontalAdvance(text)
        painter.drawLine(QPointF(x, bar.bottom() + 1), QPointF(x, bar.bottom() + 4))
        left = min(max(x - width / 2, bar.left()), bar.right() - width)
        if left + width <= free:
            painter.drawText(QPointF(left, base + 2), text)
            free = left - _BETWEEN_TICKS
    if legend.ticks:
        return
    ends = metrics.horizontalAdvance(legend.first), metrics.horizontalAdvance(legend.last)
    middle = metrics.horizontalAdvance(legend.middle)
    painter.drawText(QPointF(bar.left(), base), legend.first)
    painter.drawText(QPointF(bar.right() - ends[1], base), legend.last)
    if middle / 2 + max(ends) + 4 <= bar.width() / 2:
        painter.drawText(QPointF(bar.center().x() - middle / 2, base), legend.middle)
