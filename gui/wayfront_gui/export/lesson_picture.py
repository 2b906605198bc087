"""The picture and the text of a lesson's moment, as handouts and films show them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAbstractTextDocumentLayout, QFont, QImage, QPainter, QPalette, QTextDocument

from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.result import Result
from wayfront.search.to_target.result import RouteResult
from wayfront_gui.export.captions import font
from wayfront_gui.lessons.lesson import Lesson
from wayfront_gui.lessons.markup import to_html, to_line
from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.lessons.staging import Staged
from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.map.matrix_drawing import MatrixDrawing
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.race_picture import RacePicture
from wayfront_gui.model.formatting import title
from wayfront_gui.model.matrix_replay import MatrixReplay
from wayfront_gui.model.pair_route import Ends
from wayfront_gui.model.pairs import Measure, Pairs
from wayfront_gui.model.race import Caption, Lane
from wayfront_gui.scene.closed_roads import ClosedRoads
from wayfront_gui.scene.geometry import Extent, Plane
from wayfront_gui.scene.lesson_marks import LessonMarks
from wayfront_gui.scene.matrix_picture import MatrixPicture
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import translated

TEXT = 13
"""Pixels of the texts round a matrix."""
_BY_PARAGRAPH = "p, ul { margin-top: 0; margin-bottom: 0.5em; }"


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What a moment shows: maps, one for each of its searches, or one and the matrix of a search for all pairs."""

    scenes: tuple[Scene, ...]
    matrix: MatrixDrawing | None = None


def shown_of(staged: Staged, style: Style) -> Shown:
    """Return what is shown at a moment. Raises ``NetworkError`` for missing nodes."""
    ends, scenes, matrix = staged.ends, list[Scene](), None
    for result in staged.results:
        if isinstance(result, PairsResult):
            pairs = Pairs.of(result)
            pair = ends if ends.target is not None else Ends(ends.source, pairs.farthest(ends.source))
            scene, matrix = _scene_of_pairs(pairs, result, pair, style), _matrix_of(pairs, pair, style)
        else:
            scene = _scene_of(result, ends, style)
        scene.marks = LessonMarks.of(staged.moment.marks, result.network)
        scenes.append(scene)
    return at_step(Shown(tuple(scenes), matrix), staged, float(staged.step))


def _scene_of(result: Result, ends: Ends, style: Style) -> Scene:
    scene = Scene.of_result(result, style)
    if ends.target is not None and not isinstance(result, RouteResult):
        scene.set_route(result.route(ends.target).nodes)
    return scene


def _scene_of_pairs(pairs: Pairs, result: PairsResult, pair: Ends, style: Style) -> Scene:
    """Return what the map of a search for all pairs shows: the distances from a source, and the path of a pair."""
    scene = Scene.of(result.network, style)
    scene.source, scene.closed = pair.source, ClosedRoads.of(result.network, result.closures)
    scene.show_pairs(pairs, Measure.CLOSENESS)
    if pair.target is not None:
        known = pairs.route(pair.source, pair.target)
        scene.set_route(_route_of(result, pair.source, pair.target) if known is None else known)
    return scene


def _route_of(result: PairsResult, source: int, target: int) -> NDArray[np.int32]:
    """Return the nodes of a path that a search for all pairs left no matrix for: it takes a search of its own."""
    from wayfront import search  # with all searches, which a window's start does without

    closed, metric = result.closures, result.metric.name
    return search(result.network, source, target=target, metric=metric, closures=closed, runs=0, trace_budget=None).path


def _matrix_of(pairs: Pairs, pair: Ends, style: Style) -> MatrixDrawing | None:
    """Return the matrix of a search for all pairs, None where it was not kept."""
    matrix = MatrixReplay.of(pairs)
    return None if matrix is None else MatrixDrawing(MatrixPicture(matrix, style), pairs, 0.0, pair)


def at_step(of: Shown, staged: Staged, step: float) -> Shown:
    """Return what a moment shows at a step on the way to it, or at its own."""
    finished = staged.moment.when.finished and step >= staged.step
    scenes, shown = of.scenes, list[Scene]()
    for scene, result in zip(scenes, staged.results, strict=True):
        assert result.trace is not None
        steps = len(result.trace)
        own = min(step, steps - 1.0)
        if isinstance(result, PairsResult):
            now = replace(scene, step=own, settled=own >= steps - 1.0)
        else:
            now = replace(scene, mode="tree" if finished else "search", step=own)
        if len(scenes) > 1:
            said = translated("step {step:,} of {steps:,}", step=max(math.floor(own) + 1, 0), steps=steps)
            first, last = not shown, len(shown) == len(scenes) - 1
            now.caption = Caption(Lane(title(result.algorithm), "", said, None, 0.0, 0.0), scale=first, credit=last)
        shown.append(now)
    return Shown(tuple(shown), of.matrix and replace(of.matrix, position=shown[0].step))


def answered(staged: Staged, style: Style) -> Shown:
    """Return what is shown once a prediction is answered: the step that was asked for, and its nodes."""
    shown = at_step(shown_of(staged, style), staged, staged.step + 1.0)
    shown.scenes[0].marks = replace(shown.scenes[0].marks, right=staged.expected)
    return shown


def picture_of(shown: Shown, staged: Staged, width: int, height: int, scale: float) -> QImage:
    """Return what a moment shows in a picture of so many points, each ``scale`` pixels.

    A matrix is beside the map, or below it where the picture is higher than wide, as in the window.
    """
    extent, scenes = extent_of(staged), shown.scenes
    if len(scenes) > 1:
        return RacePicture(scenes, width, height, scale, extent=extent).draw()
    if shown.matrix is None:
        return render(scenes[0], width, height, scale, extent)
    image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    beside = width >= height
    wide, high = (width // 2, height) if beside else (width, height // 2)
    painter = QPainter(image)
    try:
        painter.drawImage(QPointF(0, 0), render(scenes[0], wide, high, scale, extent))
        rest = QRectF(wide, 0, width - wide, height) if beside else QRectF(0, high, width, height - high)
        shown.matrix.paint(painter, rest, scale, font(TEXT))
    finally:
        painter.end()
    return image


def extent_of(staged: Staged) -> Extent | None:
    """Return the part of the plane that a moment shows, None for all."""
    if staged.moment.view is None:
        return None
    return Plane.of(staged.result.network).extent_of_degrees(staged.moment.view)


def words_of(play: LessonPlay, *, asked: bool = True) -> tuple[str, str, str]:
    """Return heading, text and answer of the moment that is shown, as HTML; without the question if not ``asked``."""
    moment = play.moment
    assert moment is not None
    question = moment.question
    text = to_html(play.filled(translated(moment.text)))
    if question is not None and asked:
        text += f"<p><b>{to_line(play.filled(translated(question.text)))}</b></p>"
        if question.choices:
            text += "<ul>" + "".join(f"<li>{to_line(translated(choice))}</li>" for choice in question.choices) + "</ul>"
    if play.predicts and asked:
        text += f"<p><b>{to_line(play.prediction)}</b></p>"
    return to_line(play.filled(translated(moment.title))), text, answer_of(play)


def answer_of(play: LessonPlay) -> str:
    """Return what is to be answered at the moment that is shown, as HTML; empty where nothing is asked."""
    question, lesson = play.question, play.lesson
    said = ""
    if question is not None and question.choices:
        said += f"<p><b>{to_line(translated(question.choices[question.right]))}</b></p>"
    if question is not None:
        said += to_html(play.filled(translated(question.answer)))
    if play.predicts and lesson is not None:
        said += f"<p>{to_line(translated('The next step expands: {nodes}', nodes=', '.join(play.expected_names)))}</p>"
    return said


def play_of(lesson: Lesson) -> LessonPlay:
    """Return a play that goes through a lesson's moments as they are staged."""
    play = LessonPlay()
    play.open(lesson)
    return play


def document(html: str, width: float, pixels: float, face: QFont | None = None) -> QTextDocument:
    """Return a text laid out in a column of that width, its letters ``pixels`` large."""
    made = QTextDocument()
    chosen = face or font(round(pixels))
    chosen.setPixelSize(max(round(pixels), 1))
    made.setDefaultFont(chosen)
    made.setDocumentMargin(0)
    made.setDefaultStyleSheet(_BY_PARAGRAPH)
    made.setHtml(html)
    made.setTextWidth(width)
    return made


def paint_document(painter: QPainter, made: QTextDocument, at: QPointF, ink: str) -> None:
    """Paint a text in one colour from its upper left corner on."""
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(QPalette.ColorRole.Text, qt_colour(ink))
    context.clip = QRectF(0, 0, made.size().width(), made.size().height())
    painter.save()
    painter.translate(at)
    made.documentLayout().draw(painter, context)
    painter.restore()
