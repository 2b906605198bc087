"""Painting over the roads: route, markers, scale bar, legend, attribution, message, in logical pixels."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen, QPolygonF

from wayfront.sources.tiles import CREDIT
from wayfront_gui.map.camera import Camera, WayBack
from wayfront_gui.map.ground import Ground, facts_stay, paint_areas, paint_backdrops, paint_labels
from wayfront_gui.map.legend import Legend
from wayfront_gui.map.painting import pixels_in_unit, round_pen, text_units, translucent
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.map.tiles import paint_kept_tiles
from wayfront_gui.session.choice import LETTERS
from wayfront_gui.ui.style import one_line
from wayfront_gui.ui.theme import MapColours
from wayfront_gui.ui.translation import made_again, marked, translated

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
_SCALE_BAR_ROOM = 32.0
_BOTH_IN_A_LINE = 2.5 * _LEGEND.width()
"""A map that is narrower has no room for a legend and an attribution beside each other."""
_LEGEND_STOPS = 16
_NORTH = 24.0
"""Width of the arrow to the north."""
_ASIDE = 3.0
"""How far beside a road a route is drawn that leads along it both ways."""


def paint_overlay(painter: QPainter, scene: Scene, camera: Camera, ground: Ground | None = None) -> None:
    """Paint everything over the roads; ``camera`` is in logical pixels, ``ground`` the window's."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    with text_units(painter, scene.style, camera) as view:
        if scene.geometry is not None:
            paint_marks(painter, scene, view, ground)
            if ground is None or not facts_stay(scene):
                _paint_edges(painter, scene, view)
                _paint_legend_of(painter, scene, view)
        if scene.message and (scene.geometry is None or not scene.geometry.node_count):
            painter.setFont(_font(_MESSAGE_PIXELS))
            painter.setPen(_ink(scene.style.colours, 170))
            room = QRectF(0, 0, view.width, view.height).adjusted(40, 40, -40, -40)
            painter.drawText(room, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), scene.message)
    if ground is not None and facts_stay(scene):
        ground.facts.paint(painter, scene, camera, _paint_edges)
        ground.legend.paint(painter, scene, camera, _paint_legend_of)


def _paint_edges(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what of the facts is the same for every search."""
    assert scene.geometry is not None
    edges = scene.edges
    right = _paint_attribution(painter, scene, camera) if edges.credit else camera.width
    measures = scene.scale_bar and scene.diagram is None
    if edges.scale and measures and scene.geometry.bounds.width + scene.geometry.bounds.height > 0:
        _paint_scale_bar(painter, scene.style.colours, camera, right)
    for layer in scene.layers.values():
        layer.paint_edges(painter, scene, camera, _SCALE_BAR_ROOM if measures else 0.0)


def _paint_legend_of(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what the colours mean, and in a diagram the signs."""
    edges, diagram = scene.edges, scene.diagram
    # Below some diagrams no room is kept for a legend, which would lie over their nodes.
    roomy = diagram is None or edges.legend_from > 0 or diagram.has_room_for_key(camera.width, camera.height)
    key = 0.0
    if diagram is not None and edges.key:
        key = diagram.paint_key(painter, scene, camera, _MARGIN, camera.height - _MARGIN + 4)
    legend = scene.node_colours.legend
    if edges.scale and roomy and camera.width >= edges.legend_from and legend is not None:
        # Without a scale bar its labels would stand in the line of the attribution, which reaches them on a narrow map.
        narrow = diagram is None and camera.width < _BOTH_IN_A_LINE
        measures = scene.scale_bar and diagram is None
        base = _LEGEND_RAISE + (_SCALE_BAR_ROOM if measures or narrow else key)
        _paint_legend(painter, scene.style, legend, camera, base)


def paint_marks(painter: QPainter, scene: Scene, camera: Camera, ground: Ground | None = None) -> None:
    """Paint what is at places of the map: areas, names, route, layers, markers."""
    colours, ratio = scene.style.colours, pixels_in_unit(painter, scene.style)
    if ground is None:
        paint_kept_tiles(painter, scene, camera)
        paint_areas(painter, scene, camera)
    else:
        ground.paint_tiles(painter, scene, camera)
        ground.paint_areas(painter, scene, camera, ratio)
    if ground is None:
        paint_backdrops(painter, scene, camera)
    else:
        ground.paint_backdrops(painter, scene, camera, ratio)
    for layer in scene.layers.values():
        layer.paint_below(painter, scene, camera)
    diagram = scene.diagram
    if diagram is not None:
        diagram.paint_diagram(painter, scene, camera)
    else:
        paint_labels(painter, scene, camera, None if ground is None else ground.labels(scene, camera, ratio))
        _paint_route(painter, scene, camera)
    for layer in scene.layers.values():
        layer.paint(painter, scene, camera)
    if scene.found.centre is not None:
        at = _position(scene, camera, scene.found.centre)
        if diagram is not None:  # beside its disc, which has a text
            reach = 0.85 * diagram.radius(camera) + 6
            at += QPointF(reach, -reach)
        # Beside a node of a tiny graph its name would cover others.
        named = diagram is None or diagram.has_room_for_key(camera.width, camera.height)
        _paint_centre(painter, colours, at, CENTRE_OF[scene.found.centre_of] if named else "")
    if diagram is None:
        _paint_ends(painter, scene, camera)


def _paint_ends(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the markers of source, targets and the node under the pointer."""
    colours, markers = scene.style.colours, scene.markers
    for letter, target in zip(LETTERS, markers.ends, strict=False):
        label = letter if len(markers.ends) > 1 else ""
        _paint_target(painter, colours, _position(scene, camera, target), label, target == markers.target)
    if markers.hovered is not None:
        _paint_ring(painter, colours, _position(scene, camera, markers.hovered))
    if markers.source is not None:
        at = _position(scene, camera, markers.source)
        _paint_source(painter, colours, at)
        painter.setFont(_font(_FONT_PIXELS))
        _paint_text(painter, colours, at + QPointF(15, -8), markers.note, 230)


def scale_bar_length(metres_per_pixel: float, longest: float = 130.0) -> float:
    """Return the round length in metres (1, 2 or 5 times a power of ten) whose bar is at most ``longest`` pixels."""
    room = metres_per_pixel * longest
    power = 10.0 ** math.floor(math.log10(room))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= room)


def length_label(metres: float) -> str:
    """Return the text beside a scale bar."""
    return f"{metres / 1000:g} km" if metres >= 1000 else f"{metres:g} m" if metres >= 1 else f"{metres * 100:g} cm"


def legend_brush(style: Style, bar: QRectF, colours: str = "gradient") -> QLinearGradient:
    """Return the colours of distance, or those that a legend names, from the left end of a bar to its right end."""
    gradient, ramp = QLinearGradient(bar.topLeft(), bar.topRight()), getattr(style, colours)
    gradient.setStops(_stops(ramp.astype(np.uint8).tobytes()))
    return gradient


@lru_cache(8)  # while a tree follows the mouse, every picture has a legend of its own, with the same colours
def _stops(ramp: bytes) -> list[tuple[float, QColor]]:
    """Return some of the 256 colours of a ramp, red, green and blue, and where they are."""
    return [(float(share), QColor(*ramp[3 * round(255 * share) :][:3])) for share in np.linspace(0, 1, _LEGEND_STOPS)]


def _position(scene: Scene, camera: Camera, node: int) -> QPointF:
    return QPointF(*camera.to_pixels(*scene.place(node)))


def _ink(colours: MapColours, strength: int) -> QColor:
    """Return the colour of what stands back behind the map, or that does not in this theme."""
    return translucent(colours.ink, 255 if colours.plain else strength)


def _font(pixels: int) -> QFont:
    font = QFont()
    font.setPixelSize(pixels)
    return font


def _paint_route(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint the routes to all targets, that whose directions are shown last and widest."""
    if not scene.route_found:
        return
    colours, markers = scene.style.colours, scene.markers
    others = (translucent(colours.casing, 190), 4.5), (translucent(colours.target), 1.8)
    shown = (translucent(colours.casing, 215), 6.5), (translucent(colours.route), 3.0)
    for path in markers.further_paths:
        paint_path(painter, scene, camera, path, others)
    paint_path(painter, scene, camera, markers.path, shown, markers.to_and_fro)


def paint_path(
    painter: QPainter,
    scene: Scene,
    camera: Camera,
    path: NDArray[np.int32],
    strokes: tuple[tuple[QColor, float], ...],
    to_and_fro: NDArray[np.bool_] | None = None,
) -> None:
    """Paint a line through points of the map, as often as there are strokes.

    Pieces ``to_and_fro`` bool [len(path) − 1] lie to the right of their road, so that both ways are seen.
    """
    if len(path) < 2:
        return
    x, y = path_in_pixels(scene, camera, path, to_and_fro)
    # Points closer than a third of a pixel to the one before add nothing but time.
    cell = np.stack([np.floor(x * 3), np.floor(y * 3)])
    keep = np.ones(len(x), bool)
    keep[1:-1] = (cell[:, 1:-1] != cell[:, :-2]).any(axis=0)
    line = QPolygonF([QPointF(px, py) for px, py in zip(x[keep].tolist(), y[keep].tolist(), strict=True)])
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in strokes:
        painter.setPen(round_pen(colour, width))
        painter.drawPolyline(line)


def path_in_pixels(
    scene: Scene, camera: Camera, path: NDArray[np.int32], to_and_fro: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where a camera sees the points of a path, float64 each; ``to_and_fro`` as ``paint_path`` has it."""
    assert scene.geometry is not None
    x, y = camera.to_pixels(scene.geometry.x[path].astype(np.float64), scene.geometry.y[path].astype(np.float64))
    if to_and_fro is None or not to_and_fro.any():
        return x, y
    dx, dy = np.diff(x), np.diff(y)
    length = np.maximum(np.hypot(dx, dy), 1e-9)
    aside = np.stack([-dy / length, dx / length]) * to_and_fro
    moved = np.zeros((2, len(x)))
    moved[:, :-1] += aside
    moved[:, 1:] += aside
    moved /= np.maximum(np.hypot(*moved), 1.0)  # at a bend as far as on either side of it
    return x + _ASIDE * moved[0], y + _ASIDE * moved[1]


def _paint_source(painter: QPainter, colours: MapColours, at: QPointF) -> None:
    painter.setPen(QPen(translucent(colours.casing, 200), 5.0))
    painter.setBrush(translucent(colours.casing, 200))
    painter.drawEllipse(at, 7.0, 7.0)
    painter.setPen(QPen(translucent(colours.ink), 2.0))
    painter.drawEllipse(at, 7.0, 7.0)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(translucent(colours.ink))
    painter.drawEllipse(at, 3.0, 3.0)


def _paint_target(painter: QPainter, colours: MapColours, at: QPointF, label: str, shown: bool) -> None:
    """Paint a target's disc, with its letter where there are several; that whose directions are shown is larger."""
    radius = 6.5 if not label else 8.5 if shown else 7.0
    painter.setPen(QPen(translucent(colours.casing, 215), 2.0))
    painter.setBrush(translucent(colours.route if label and shown else colours.target))
    painter.drawEllipse(at, radius, radius)
    if label:
        painter.setFont(_font(_FONT_PIXELS))
        painter.setPen(translucent(colours.casing))
        disc = QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)
        painter.drawText(disc, int(Qt.AlignmentFlag.AlignCenter), label)
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(translucent(colours.casing))
    painter.drawEllipse(at, 2.5, 2.5)


def _paint_centre(painter: QPainter, colours: MapColours, at: QPointF, name: str) -> None:
    """Paint a diamond and its name, if it has one: the source is round, and so is the target."""
    diamond = QPolygonF([at + QPointF(dx, dy) for dx, dy in ((0, -8), (8, 0), (0, 8), (-8, 0))])
    painter.setPen(QPen(translucent(colours.casing, 215), 2.5))
    painter.setBrush(translucent(colours.ink))
    painter.drawPolygon(diamond)
    painter.setFont(_font(_FONT_PIXELS))
    _paint_text(painter, colours, at + QPointF(14, 4), translated(name) if name else "", 220)


def _paint_ring(painter: QPainter, colours: MapColours, at: QPointF) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for colour, width in ((translucent(colours.casing, 200), 3.5), (_ink(colours, 235), 1.5)):
        painter.setPen(QPen(colour, width))
        painter.drawEllipse(at, 4.5, 4.5)


def _paint_attribution(painter: QPainter, scene: Scene, camera: Camera) -> float:
    """Paint the attribution into the lower right corner; return its left edge."""
    painter.setFont(_font(_FONT_PIXELS))
    room = max(camera.width - 2 * _MARGIN, 1.0)
    metrics = QFontMetricsF(painter.font())
    credit = ", ".join(filter(None, (scene.around.attribution, CREDIT if scene.shows_tiles else "")))
    text = metrics.elidedText(one_line(credit), Qt.TextElideMode.ElideRight, room)
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
    painter.setBrush(translucent(colours.background, 200))
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
    for colour, width in ((translucent(colours.casing, 160), 4.0), (_ink(colours, 150), 1.25)):
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
    painter.setPen(QPen(translucent(colours.casing, 160), 2.0))
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
    painter.setBrush(translucent(colours.background, 235))  # roads would run through its colours
    painter.drawRoundedRect(bar.adjusted(-6, -40 if legend.ink else -22, 6, 24), 4, 4)
    painter.setBrush(legend_brush(style, bar, legend.colours))
    painter.drawRoundedRect(bar, 2, 2)
    painter.setPen(_ink(colours, 170))
    painter.drawText(QPointF(bar.left(), bar.top() - 7), made_again(legend.title))
    if legend.ink:
        swatch = QRectF(bar.left(), bar.top() - 30, 10, 5)
        painter.drawText(QPointF(swatch.right() + 6, swatch.bottom() + 1), made_again(legend.ink))
        painter.fillRect(swatch, translucent(colours.ink))
    painter.setPen(_ink(colours, 150))
    _paint_ticks(painter, legend, bar)


def _paint_ticks(painter: QPainter, legend: Legend, bar: QRectF) -> None:
    """Paint the round values under the bar and its end, or the labels at both ends, and its middle's if there is room.

    A value whose text would touch that of the next one has its mark alone.
    """
    metrics = QFontMetricsF(painter.font())
    base = bar.bottom() + 4 + metrics.ascent()
    free = bar.right()
    for share, text in reversed(legend.marks):
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


_WIDTH, _HEIGHT = 250.0, 44.0
_WAY_PIXELS = 13
_ARROW = 9.0
_DIGITS = 2


def mark_area(width: float, height: float) -> QRectF:
    """Return where the mark is in a view of this size, in logical pixels."""
    return QRectF((width - _WIDTH) / 2, (height - _HEIGHT) / 2, _WIDTH, _HEIGHT)


def paint_way_back(painter: QPainter, colours: MapColours, way: WayBack, camera: Camera) -> None:
    """Paint the mark; ``camera`` is in logical pixels."""
    area = mark_area(camera.width, camera.height)
    ink, ground = QColor(colours.ink), QColor(colours.background)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(translucent(ink, 70), 1))
    painter.setBrush(ground)
    painter.drawRoundedRect(area, _HEIGHT / 2, _HEIGHT / 2)
    painter.save()
    painter.translate(area.left() + _HEIGHT / 2 + 4, area.center().y())
    painter.rotate(-math.degrees(math.atan2(way.north, way.east)))
    painter.setPen(QPen(ink, 2, c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin))
    painter.drawLine(QPointF(-_ARROW, 0), QPointF(_ARROW, 0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(QPolygonF([QPointF(3, -6), QPointF(_ARROW, 0), QPointF(3, 6)]))
    painter.restore()
    painter.setFont(_font(_WAY_PIXELS))
    painter.setPen(ink)
    room = area.adjusted(_HEIGHT + 4, 0, -12, 0)
    text = translated("The map is {distance} away", distance=length_label(_rounded(way.metres)))
    painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), text)


def _rounded(metres: float) -> float:
    """Return a length with two digits: nobody needs more to find back."""
    power = 10.0 ** (math.floor(math.log10(max(metres, 1.0))) - _DIGITS + 1)
    return round(metres / power) * power
