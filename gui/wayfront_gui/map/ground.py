"""What a map in the window shows beside roads and searches, made in threads: names, and water and parks."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPainterPath, QPen, QTransform

from wayfront.network.conventions import SMALL
from wayfront_gui.map.areas import Areas, Shape
from wayfront_gui.map.camera import Camera
from wayfront_gui.map.labels import Label, LabelLook
from wayfront_gui.map.painting import has_pixels, pixels_in_unit, round_pen, text_units, transparent
from wayfront_gui.map.scene import Backdrop, Scene
from wayfront_gui.map.tiles import BackgroundWork, Tiles
from wayfront_gui.ui.style import one_line
from wayfront_gui.ui.theme import MapColours
from wayfront_gui.ui.translation import current

FEW_NAMES = 400
"""Named roads and features of a network whose names need no thread."""
MARGIN = 128
"""Logical pixels round the view in which water and parks are drawn too, so that they are there when one pans."""


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    what: object
    camera: Camera
    image: QImage

    def covers(self, camera: Camera) -> bool:
        """Return whether it shows all that a camera sees, as large as that does."""
        return self.camera.scale == camera.scale and self.camera.extent.contains(camera.extent)


class Wide:
    """The last picture of something on a map, larger than the view; a thread paints the next one meanwhile."""

    def __init__(self, name: str, update: Callable[[], object], owner: QObject) -> None:
        self._work = BackgroundWork(name, owner)
        self._work.finished.connect(update)
        self._drawn: _Drawn | None = None

    def paint(self, painter: QPainter, camera: Camera, what: object, draw: Callable[[Camera], QImage]) -> None:
        """Paint the last picture of ``what`` for a camera in logical pixels, and ``draw`` it anew where it is short."""
        drawn = self._drawn if self._drawn is not None and self._drawn.what == what else None
        if drawn is None or not drawn.covers(camera):
            wide = replace(
                camera,
                left=camera.left - MARGIN / camera.scale,
                top=camera.top + MARGIN / camera.scale,
                width=camera.width + 2 * MARGIN,
                height=camera.height + 2 * MARGIN,
            )

            def work() -> None:
                self._drawn = _Drawn(what, wide, draw(wide))

            self._work.start(work)
        if drawn is not None:
            left, top = camera.to_pixels(drawn.camera.left, drawn.camera.top)
            grown = camera.scale / drawn.camera.scale
            painter.drawImage(QRectF(left, top, drawn.camera.width * grown, drawn.camera.height * grown), drawn.image)

    def forget(self) -> None:
        """Keep no picture."""
        self._drawn = None

    def stop(self) -> None:
        """End the thread."""
        self._work.stop()


class Ground:
    """Keeps the last names and areas of one map, its ``owner``; ``update`` asks to paint it when there are others."""

    def __init__(self, update: Callable[[], object], owner: QObject) -> None:
        self._names = BackgroundWork("map names", owner)
        self._areas, self._backdrops = (Wide(f"map {what}", update, owner) for what in ("areas", "backdrops"))
        self._tiles = Tiles(update, owner)
        self.facts, self.legend = KeptFacts(edge_facts), KeptFacts(legend_facts)
        self._names.finished.connect(update)

    def labels(self, scene: Scene, camera: Camera, ratio: float) -> tuple[Label, ...]:
        """Return the names to paint now for a camera in logical pixels, until those of that camera are there."""
        names = scene.around.names
        if names is None or not scene.wanted.names or not names.count:
            return ()
        if names.count <= FEW_NAMES:
            return names.layout(camera, letter_ends)
        if not names.fits(camera):
            colours = scene.style.colours
            self._names.start(lambda: set_ahead(names.layout(camera, letter_ends), colours, ratio))
        return names.at_hand(camera)

    def paint_tiles(self, painter: QPainter, scene: Scene, camera: Camera) -> None:
        """Paint background tiles for a camera in logical pixels as far as they are there."""
        if scene.shows_tiles:
            self._tiles.paint(painter, scene, camera)
        else:
            self._tiles.forget_missing()

    def paint_areas(self, painter: QPainter, scene: Scene, camera: Camera, ratio: float) -> None:
        """Paint water and parks for a camera in logical pixels as they were drawn last, and draw them anew."""
        areas, colours = scene.around.areas, scene.style.colours
        if areas is not None and scene.wanted.areas:
            self._areas.paint(painter, camera, (areas, colours), lambda wide: picture(areas, wide, ratio, colours))

    def paint_backdrops(self, painter: QPainter, scene: Scene, camera: Camera, ratio: float) -> None:
        """Paint the layers' backdrops likewise."""
        if found := backdrops(scene):
            self._backdrops.paint(painter, camera, found, lambda wide: backdrop_picture(found, wide, ratio))
        else:
            self._backdrops.forget()

    def stop(self) -> None:
        """End the threads."""
        for work in (self._names, self._areas, self._backdrops, self._tiles):
            work.stop()


def backdrops(scene: Scene) -> tuple[Backdrop, ...]:
    """Return the backdrops of a scene's layers, in the order in which they are painted."""
    return tuple(found for layer in scene.layers.values() if (found := layer.backdrop(scene)) is not None)


def paint_backdrops(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what a camera in logical pixels sees of the layers' backdrops."""
    found = backdrops(scene)
    if found and has_pixels(painter, scene.style):
        image = backdrop_picture(found, camera, pixels_in_unit(painter, scene.style))
        painter.drawImage(QPointF(0, 0), image)
        return
    for each in found:
        painter.save()
        each.paint(painter, camera)
        painter.restore()


@lru_cache(maxsize=3)
def backdrop_picture(found: tuple[Backdrop, ...], camera: Camera, ratio: float) -> QImage:
    """Return backdrops as a picture, which frames of one camera share."""
    with transparent(round(camera.width * ratio), round(camera.height * ratio), ratio) as (image, painter):
        for each in found:
            each.paint(painter, camera)
    return image


_GREENS = ("park", "wood")
RIVER, COAST = 1.6, 2.2
"""Width of a river without a bed and of a coast, in pixels."""
_AT_ONCE = 250
"""Sides of a line that are stroked in one call, which takes some milliseconds."""
_FILLED_AT_ONCE = 4000
"""Points of an area that are filled in one call, about as long."""


def paint_areas(painter: QPainter, scene: Scene, camera: Camera) -> None:
    """Paint what a camera in logical pixels sees."""
    if scene.around.areas is None or not scene.wanted.areas:
        return
    colours = scene.style.colours
    if has_pixels(painter, scene.style):
        painter.drawImage(
            QPointF(0, 0), picture(scene.around.areas, camera, pixels_in_unit(painter, scene.style), colours)
        )
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setOpacity(colours.land_strength)
    shapes = list(scene.around.areas.seen(camera))
    waters = [_path(shape) for shape in shapes if shape.kind == "water"]
    _paint(painter, (shape if shape.filled else _outside(shape, waters) for shape in shapes), colours)
    painter.restore()


@lru_cache(maxsize=6)
def picture(areas: Areas, camera: Camera, ratio: float, colours: MapColours) -> QImage:
    """Return water and green as a translucent picture, which frames of one camera share."""
    with transparent(round(camera.width * ratio), round(camera.height * ratio), ratio) as (image, painter):
        _paint(painter, _in_pieces(areas.seen(camera), camera), colours)
        # Areas that overlap are no stronger where they do.
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_DestinationIn)
        whole = QRectF(-1, -1, camera.width + 2, camera.height + 2)
        painter.fillRect(whole, QColor.fromRgbF(0, 0, 0, colours.land_strength))
    return image


def _paint(painter: QPainter, shapes: Iterable[Shape], colours: MapColours) -> None:
    for shape in shapes:
        colour = QColor(_colour(shape.kind, colours))
        path = _path(shape)
        if shape.rows is not None:
            painter.setClipRect(QRectF(-1, shape.rows[0], painter.window().width() + 2, shape.rows[1] - shape.rows[0]))
        if shape.filled:
            painter.fillPath(path, colour)
            painter.setClipping(False)
        else:
            painter.strokePath(path, round_pen(colour, COAST if shape.kind == "coast" else RIVER))


def _in_pieces(shapes: Iterable[Shape], camera: Camera) -> Iterator[Shape]:
    """Yield the shapes, large ones piece by piece: Qt keeps Python's lock while it paints one, and the window waits."""
    for shape in shapes:
        if shape.filled:
            pieces = sum(map(len, shape.outlines)) // _FILLED_AT_ONCE + 1
            rows = np.linspace(0, camera.height, pieces + 1).round().astype(int).tolist()
            yield from [shape] if pieces == 1 else shape.in_rows(rows)
            continue
        for outline in shape.outlines:
            for first in range(0, len(outline) - 1, _AT_ONCE):
                yield Shape(shape.kind, (outline[first : first + _AT_ONCE + 1],))


def _outside(line: Shape, waters: list[QPainterPath]) -> Shape:
    """Return a line without what is within waters: where both are translucent, it would be stronger than they."""
    box = _path(line).boundingRect().adjusted(-1, -1, 1, 1)  # a straight line has none of its own
    near = [water for water in waters if water.boundingRect().intersects(box)]
    pieces: list[NDArray[np.float64]] = []
    for outline in line.outlines:
        dry = np.array([not any(water.contains(QPointF(x, y)) for water in near) for x, y in outline.tolist()])
        changes = np.flatnonzero(dry[1:] != dry[:-1]) + 1
        runs = zip(np.split(outline, changes), np.split(dry, changes), strict=True)
        pieces += [run for run, kept in runs if kept[0] and len(run) > 1]
    return Shape(line.kind, tuple(pieces))


def _colour(kind: str, colours: MapColours) -> str:
    if kind == "glacier":
        return colours.unreached
    return colours.green if kind in _GREENS else colours.water


def _path(shape: Shape) -> QPainterPath:
    points = np.concatenate(shape.outlines) if shape.outlines else np.zeros((0, 2))
    connect = np.ones(len(points), np.int32)
    ends = np.cumsum([len(outline) for outline in shape.outlines], dtype=np.int64)
    connect[ends - 1] = 0
    from pyqtgraph import arrayToQPath  # a third of a second, which a map without areas need not wait for

    path = arrayToQPath(points[:, 0], points[:, 1], connect=connect, finiteCheck=False)
    path.setFillRule(Qt.FillRule.OddEvenFill)
    return path


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
    if scene.around.names is None or not scene.wanted.names:
        return
    whole = labels is None
    if labels is None:
        labels = scene.around.names.layout(camera, letter_ends)
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
    with transparent(columns, rows, ratio) as (image, painter):
        painter.translate(-left, -top)
        _set(painter, path, label, colours)
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


_APART = 16
"""Rows or columns of pixels without anything that part one picture from the next."""

Paint = Callable[[QPainter, Scene, Camera], None]


class KeptFacts:
    """Paints facts of one map: as they are while they change from frame to frame, and then as pictures.

    ``facts`` returns all that they are made of, None while they are another at every frame.
    """

    def __init__(self, facts: Callable[[Scene], tuple[object, ...] | None]) -> None:
        self._facts_of = facts
        self._facts: object = None
        self._pictures: list[tuple[QPointF, QImage]] | None = None

    def paint(self, painter: QPainter, scene: Scene, camera: Camera, paint: Paint) -> None:
        """Paint what ``paint`` paints of a scene, for a camera in logical pixels."""
        ratio = float(painter.device().devicePixelRatioF())
        facts = self._facts_of(scene)
        now = facts and (*facts, current(), camera.scale, camera.width, camera.height, ratio)
        if now is None or now != self._facts:
            self._facts, self._pictures = now, None
            with text_units(painter, scene.style, camera) as view:
                paint(painter, scene, view)
            return
        if self._pictures is None:
            self._pictures = _pictures(scene, camera, ratio, paint)
        for at, image in self._pictures:
            painter.drawImage(at, image)


def facts_stay(scene: Scene) -> bool:
    """Return whether what is at the edges is the same at every step, and of a map that is large enough to matter."""
    large = scene.geometry is not None and scene.geometry.node_count > SMALL
    return large and all(layer.STEADY for layer in scene.layers.values())


def edge_facts(scene: Scene) -> tuple[object, ...]:
    """Return what attribution and scale are made of, and what layers add to them."""
    added = (layer.edge_facts(scene) for layer in scene.layers.values())
    credit = scene.around.attribution, scene.shows_tiles
    return (scene.geometry, scene.style, *credit, scene.scale_bar, *(fact for fact in added if fact is not None))


def legend_facts(scene: Scene) -> tuple[object, ...] | None:
    """Return what a legend is made of; while a layer draws the roads, every picture has another one."""
    return None if scene.moving is not None else (scene.style, scene.scale_bar, scene.node_colours.legend)


def _pictures(scene: Scene, camera: Camera, ratio: float, paint: Paint) -> list[tuple[QPointF, QImage]]:
    """Paint the facts apart; return what is there of them, and where, in logical pixels."""
    size = round(camera.width * ratio), round(camera.height * ratio)
    with transparent(*size, ratio) as (whole, painter), text_units(painter, scene.style, camera) as view:
        paint(painter, scene, view)
    filled = np.frombuffer(whole.constBits(), np.uint32).reshape(whole.height(), -1) != 0
    found = []
    for top, bottom in _runs(np.logical_or.reduce(filled, axis=1)):
        for left, right in _runs(np.logical_or.reduce(filled[top:bottom], axis=0)):
            part = whole.copy(QRect(left, top, right - left, bottom - top))
            found.append((QPointF(left / ratio, top / ratio), part))
    return found


def _runs(filled: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the beginnings and ends of what is filled; runs that are hardly apart are one."""
    at = np.flatnonzero(filled)
    if not len(at):
        return []
    breaks = np.flatnonzero(np.diff(at) > _APART)
    begins, ends = at[np.concatenate(([0], breaks + 1))], at[np.concatenate((breaks, [len(at) - 1]))] + 1
    return list(zip(begins.tolist(), ends.tolist(), strict=True))
