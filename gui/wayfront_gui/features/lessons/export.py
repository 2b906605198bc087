"""The picture and the text of a lesson's moment, as handouts and films show them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QPen

from wayfront.results.pairs import PairsResult
from wayfront.results.result import Result, RouteResult
from wayfront_gui.app.jobs import Report
from wayfront_gui.features.all_pairs.drawing import MatrixDrawing, MatrixPicture
from wayfront_gui.features.closures.layer import ClosedRoads
from wayfront_gui.features.export.captions import paint_strip
from wayfront_gui.features.export.film_file import require_film_support, write_film
from wayfront_gui.features.lessons.column import Column
from wayfront_gui.features.lessons.file import Lesson
from wayfront_gui.features.lessons.layer import LessonMarks
from wayfront_gui.features.lessons.markup import to_html, to_line
from wayfront_gui.features.lessons.play import LessonPlay, Staged, stage
from wayfront_gui.features.race.layer import RaceCaption
from wayfront_gui.features.race.state import Caption, Lane
from wayfront_gui.features.timing.plots import POINTS_PER_MM, write_pdf
from wayfront_gui.map.geometry import Extent, Plane
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.panes import RacePicture
from wayfront_gui.map.scene import Scene
from wayfront_gui.map.style import Style
from wayfront_gui.session.formatting import title
from wayfront_gui.session.pairs import Ends, MatrixReplay, Measure, Pairs
from wayfront_gui.ui.style import qt_colour, text_font
from wayfront_gui.ui.theme import THEMES
from wayfront_gui.ui.translation import translated

MATRIX_TEXT = 13
"""Pixels of the texts round a matrix."""


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
        scene.put(LessonMarks.of(staged.moment.marks, result.network, staged.step))
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
    scene.mark(source=pair.source)
    if (closed := ClosedRoads.of(result.network, result.closures)) is not None:
        scene.put(closed)
    scene.show_pairs(pairs, Measure.CLOSENESS)
    if pair.target is not None:
        known = pairs.route(pair.source, pair.target)
        scene.set_route(_route_of(result, pair.source, pair.target) if known is None else known)
    return scene


def _route_of(result: PairsResult, source: int, target: int) -> NDArray[np.int32]:
    """Return the nodes of a path that a search for all pairs left no matrix for: it takes a search of its own."""
    from wayfront import search  # with all searches, which a window's start does without

    closed, metric = result.closures, result.metric.name
    return search(result.network, source, target=target, metric=metric, closures=closed).path


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
            lane = Lane(title(result.algorithm), "", said, None, 0.0, 0.0)
            now.put(RaceCaption(Caption(lane, scale=first, credit=last)))
        shown.append(now)
    return Shown(tuple(shown), of.matrix and replace(of.matrix, position=shown[0].step))


def answered(staged: Staged, style: Style) -> Shown:
    """Return what is shown once a prediction is answered: the step that was asked for, and its nodes."""
    shown = at_step(shown_of(staged, style), staged, staged.step + 1.0)
    marks = LessonMarks.of(staged.moment.marks, staged.result.network, staged.step)
    shown.scenes[0].put(replace(marks, right=staged.expected))
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
        shown.matrix.paint(painter, rest, scale, text_font(MATRIX_TEXT))
    finally:
        painter.end()
    return image


def extent_of(staged: Staged) -> Extent | None:
    """Return the part of the plane that a moment shows, None for all."""
    if staged.moment.view is None:
        return None
    return Plane.of(staged.result.network).extent_of_degrees(staged.moment.view)


def words_of(play: LessonPlay) -> tuple[str, str, str]:
    """Return heading, text with the question, and answer of the moment that is shown, as HTML."""
    moment = play.moment
    assert moment is not None
    question = moment.question
    text = to_html(play.filled(translated(moment.text)))
    if question is not None:
        text += f"<p><b>{to_line(play.filled(translated(question.text)))}</b></p>"
        if question.choices:
            text += "<ul>" + "".join(f"<li>{to_line(translated(choice))}</li>" for choice in question.choices) + "</ul>"
    if play.predicts:
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


def told(lesson: Lesson, report: Report) -> Iterator[tuple[Staged, str, str, str]]:
    """Yield every moment once it is staged, with what ``words_of`` says of it. Raises as ``stage`` does."""
    play = LessonPlay()
    play.open(lesson)
    for index, each in enumerate(stage(lesson, report.progress, report.cancel)):
        play.go_to(index)
        play.take_figures(each.figures, each.expected, each.names)
        yield each, *words_of(play)


FILM_WIDTH, FILM_HEIGHT = 1280, 720
SCALE, FPS = 1.5, 30
GIF_SCALE, GIF_FPS = 0.75, 10
"""A GIF keeps every picture nearly whole."""
TEXT_WIDTH = 420
"""Of the column of text at the right, in points."""
_FILM_MARGIN = 28.0
_FILM_HEADING, _FILM_TEXT = 25.0, 18.0
STEPS_S, READING_S, LEAST_S, ANSWER_S = 2.5, 0.32, 4.0, 3.0
"""How long the steps to a moment take; seconds for a word that is read, and at least; before an answer is shown."""
_SMALLEST = 0.6
"""A text that is too long for its column is set smaller, down to this share."""


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """One moment of a film: from which step it begins, its pictures, and its texts without and with the answer."""

    staged: Staged
    shown: Shown
    begin: float
    steps: int
    asks: int
    rest: int
    heading: str
    text: str
    answer: str

    @property
    def frames(self) -> int:
        """How many pictures it has."""
        return self.steps + self.asks + self.rest


class LessonFilm:
    """A ``Film`` of a lesson whose moments were staged."""

    def __init__(self, takes: list[Take], style: Style, scale: float = SCALE, fps: int = FPS) -> None:
        self._takes, self._style, self._scale, self.fps = takes, style, scale, fps
        self._kept: tuple[tuple[int, float, bool], QImage] | None = None
        self.size = (round(FILM_WIDTH * scale) // 2 * 2, round(FILM_HEIGHT * scale) // 2 * 2)

    @property
    def frame_count(self) -> int:
        """How many pictures there are."""
        return sum(take.frames for take in self._takes)

    def draw(self, index: int) -> QImage:
        """Return one picture."""
        at, number = index, 0
        while at >= self._takes[number].frames:
            at -= self._takes[number].frames
            number += 1
        take = self._takes[number]
        share = min((at + 1) / take.steps, 1.0) if take.steps else 1.0
        step = take.begin + share * (take.staged.step - take.begin)
        key = number, step, at >= take.steps + take.asks
        if self._kept is None or self._kept[0] != key:
            self._kept = key, self._picture(take, step, answer=key[2])
        image = self._kept[1].copy()
        painter = QPainter(image)
        paint_strip(
            painter, QRectF(0, 0, FILM_WIDTH, FILM_HEIGHT), index / max(self.frame_count - 1, 1), self._style.colours
        )
        painter.end()
        return image

    def _picture(self, take: Take, step: float, *, answer: bool) -> QImage:
        colours = self._style.colours
        if answer and take.staged.moment.predict:
            now = answered(take.staged, self._style)
        else:
            now = at_step(take.shown, take.staged, step)
        shown = picture_of(now, take.staged, FILM_WIDTH - TEXT_WIDTH, FILM_HEIGHT, self._scale)
        image = QImage(*self.size, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(self._scale)
        image.fill(qt_colour(colours.background))
        painter = QPainter(image)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawImage(QPointF(0, 0), shown)
            left = float(FILM_WIDTH - TEXT_WIDTH)
            painter.fillRect(
                QRectF(left, 0, TEXT_WIDTH, FILM_HEIGHT), qt_colour(THEMES[self._style.theme_name].interface.panel)
            )
            text = take.text + (take.answer if answer else "")
            _paint_words(painter, QRectF(left, 0, TEXT_WIDTH, FILM_HEIGHT), take.heading, text, colours.ink)
        finally:
            painter.end()
        return image


def write_lesson_film(lesson: Lesson, theme: str, path: str | Path, report: Report) -> int:
    """Search every moment, and write the film; return its size in bytes. Raises as ``stage`` and ``write_film`` do."""
    require_film_support(path)
    style = Style(theme)
    gif = Path(path).suffix.lower() == ".gif"
    scale, fps = (GIF_SCALE, GIF_FPS) if gif else (SCALE, FPS)
    film = LessonFilm(_takes(lesson, style, fps, report), style, scale, fps)
    return write_film(film, path, repeats=gif, progress=report.progress, cancel=report.cancel)


def _takes(lesson: Lesson, style: Style, fps: int, report: Report) -> list[Take]:
    takes: list[Take] = []
    for each, heading, text, answer in told(lesson, report):
        before = takes[-1].staged if takes and takes[-1].staged.result is each.result else None
        begin = -1.0 if before is None else float(before.step)
        moves = each.step > begin
        takes.append(
            Take(
                each,
                shown_of(each, style),
                begin if moves else float(each.step),
                round(STEPS_S * fps) if moves else 0,
                round((ANSWER_S + READING_S * _words(text)) * fps) if answer else 0,
                round(max(LEAST_S, READING_S * _words(answer or text)) * fps),
                heading,
                text,
                f"<hr/><p><b>{translated('Answer')}</b></p>{answer}" if answer else "",
            )
        )
    return takes


def _words(html: str) -> int:
    return len(re.sub(r"<[^<>]+>", " ", html).split())


def _paint_words(painter: QPainter, area: QRectF, heading: str, text: str, ink: str) -> None:
    """Paint a heading and a text into a column, as large as there is room for."""
    room = area.adjusted(_FILM_MARGIN, _FILM_MARGIN, -_FILM_MARGIN, -_FILM_MARGIN)
    share = 1.0
    while True:
        head = Column(heading, room.width(), _FILM_HEADING * share, bold=True)
        body = Column(text, room.width(), _FILM_TEXT * share)
        whole = head.height + _FILM_MARGIN / 2 + body.height
        if whole <= room.height() or share <= _SMALLEST:
            break
        share -= 0.05
    painter.setPen(Qt.PenStyle.NoPen)
    head.paint(painter, room.topLeft(), ink)
    body.paint(painter, room.topLeft() + QPointF(0, head.height + _FILM_MARGIN / 2), ink)


PAGE_WIDTH, PAGE_HEIGHT = 210 * POINTS_PER_MM, 297 * POINTS_PER_MM
"""Of a page, in points."""
MARGIN, GAP = 50.0, 12.0
PICTURE_HEIGHT, RACE_HEIGHT = 218.0, 350.0
"""Of a picture, and of one with more searches than go beside each other."""
BESIDE = 2
FINE = 3.0
"""Pixels of a picture in a point."""
PRINTED = "paper"
"""The theme of what is printed, and the usual one of pictures in it."""
SMALL = 1.5
"""How many times as many points a map has than the paper below it: its texts would cover a picture so low."""
TITLE, HEADING, TEXT, FOOT = 21.0, 13.0, 10.5, 8.0
_COLUMN = PAGE_WIDTH - 2 * MARGIN


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What stands together on a page: a heading, then a picture or none, then a text."""

    heading: Column
    picture: QImage | None
    text: Column

    @property
    def picture_height(self) -> float:
        """How high its picture is, which is as wide as the column."""
        return 0.0 if self.picture is None else _COLUMN * self.picture.height() / self.picture.width()

    @property
    def height(self) -> float:
        """How high it is, with the room below it."""
        head = self.heading.height + GAP / 2
        return head + self.picture_height + (0.0 if self.picture is None else GAP) + self.text.height + 2 * GAP


def write_handout(lesson: Lesson, theme: str, path: str | Path, report: Report) -> None:
    """Search and draw every moment, and write the pages. Pictures have the colours of ``theme``.

    Raises ``WriteError``, and as ``stage`` does for a moment that cannot be shown.
    """
    blocks = _blocks(lesson, theme, report)
    pages = _pages(blocks)
    title = to_line(translated(lesson.title))
    paints = [
        partial(_paint_page, page=page, number=i, count=len(pages), title=title) for i, page in enumerate(pages, 1)
    ]
    write_pdf(path, PAGE_WIDTH, PAGE_HEIGHT, lesson.title, paints)


def _blocks(lesson: Lesson, theme: str, report: Report) -> list[Block]:
    style = Style(theme)
    head = Column(to_line(translated(lesson.title)), _COLUMN, TITLE, bold=True)
    about = " · ".join(filter(None, (translated(lesson.about), lesson.by)))
    blocks = [Block(head, None, Column(to_line(about), _COLUMN, TEXT))]
    answers: list[Block] = []
    before: Staged | None = None
    for number, (each, heading, text, answer) in enumerate(told(lesson, report), 1):
        numbered = f"{number}  {heading}"
        picture = None if before is not None and _same_picture(before, each) else _picture(shown_of(each, style), each)
        blocks.append(Block(_heading(numbered), picture, Column(text, _COLUMN, TEXT)))
        if answer:
            shown = _picture(answered(each, style), each) if each.moment.predict and each.expected else None
            above = "" if answers else f"<h1>{to_line(translated('Answers'))}</h1>"
            answers.append(Block(_heading(f"{above}<p>{numbered}</p>"), shown, Column(answer, _COLUMN, TEXT)))
        before = each
    return blocks + answers


def _same_picture(before: Staged, now: Staged) -> bool:
    """Return whether two moments show the same, so that the second needs no picture."""
    shown = ((each.step, each.moment.when.finished, each.moment.view, each.moment.marks) for each in (before, now))
    return before.result is now.result and len(set(shown)) == 1


def _picture(shown: Shown, staged: Staged) -> QImage:
    height = PICTURE_HEIGHT if len(shown.scenes) <= BESIDE else RACE_HEIGHT
    return picture_of(shown, staged, round(_COLUMN * SMALL), round(height * SMALL), FINE / SMALL)


def _heading(html: str) -> Column:
    return Column(html, _COLUMN, HEADING, bold=True)


def _pages(blocks: Sequence[Block]) -> list[list[Block]]:
    """Divide blocks among pages; one that does not fit below the others begins a page."""
    pages: list[list[Block]] = [[]]
    room = PAGE_HEIGHT - 2 * MARGIN
    for block in blocks:
        if pages[-1] and block.height - 2 * GAP > room:
            pages.append([])
            room = PAGE_HEIGHT - 2 * MARGIN
        pages[-1].append(block)
        room -= block.height
    return pages


def _paint_page(painter: QPainter, *, page: Sequence[Block], number: int, count: int, title: str) -> None:
    ink, y = THEMES[PRINTED].map.ink, MARGIN
    for block in page:
        block.heading.paint(painter, QPointF(MARGIN, y), ink)
        y += block.heading.height + GAP / 2
        if block.picture is not None:
            area = QRectF(MARGIN, y, _COLUMN, block.picture_height)
            painter.drawImage(area, block.picture)
            painter.setPen(QPen(qt_colour(ink, 0.3), 0.5))
            painter.drawRect(area)
            y += block.picture_height + GAP
        block.text.paint(painter, QPointF(MARGIN, y), ink)
        y += block.text.height + 2 * GAP
    foot = Column(title, _COLUMN, FOOT)
    foot.paint(painter, QPointF(MARGIN, PAGE_HEIGHT - MARGIN + 2 * GAP), ink)
    place = Column(f'<p align="right">{number} / {count}</p>', _COLUMN, FOOT)
    place.paint(painter, QPointF(MARGIN, PAGE_HEIGHT - MARGIN + 2 * GAP), ink)
