"""The picture and the text of a lesson's moment, as handouts and films show them."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QAbstractTextDocumentLayout, QFont, QPainter, QPalette, QTextDocument

from wayfront.network.finding import node_called
from wayfront_gui.export.captions import font
from wayfront_gui.lessons.lesson import Lesson
from wayfront_gui.lessons.markup import to_html, to_line
from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.lessons.staging import Staged
from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.scene.geometry import Extent, Plane
from wayfront_gui.scene.lesson_marks import LessonMarks
from wayfront_gui.scene.scene import Scene
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import translated

_BY_PARAGRAPH = "p, ul { margin-top: 0; margin-bottom: 0.5em; }"


def scene_of(staged: Staged, style: Style) -> Scene:
    """Return what the map shows at a moment. Raises ``NetworkError`` for nodes that are not there."""
    result, moment = staged.result, staged.moment
    scene = Scene.of_result(result, style)
    scene.mode, scene.step = "tree" if moment.when.tree else "search", float(staged.step)
    network, marks = result.network, moment.marks
    scene.marks = LessonMarks.of(marks, network)
    if marks.route is not None:
        scene.set_route(result.route(node_called(network, marks.route)).nodes)
    return scene


def answer_scene(staged: Staged, style: Style) -> Scene:
    """Return what the map shows once a prediction is answered: the step that was asked for, and its nodes."""
    scene = scene_of(staged, style)
    scene.step = float(staged.step + 1)
    scene.marks = replace(scene.marks, right=staged.expected)
    return scene


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
        text += f"<p><b>{to_line(translated('Which nodes does the next step expand?'))}</b></p>"
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
