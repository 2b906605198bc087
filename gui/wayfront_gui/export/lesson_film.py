"""The film of a lesson: each moment's search up to its step, with its text beside it for as long as reading takes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter

from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.export.captions import paint_strip, title_font
from wayfront_gui.export.film_file import require_film_support, write_film
from wayfront_gui.export.lesson_picture import (
    Shown,
    answered,
    at_step,
    document,
    paint_document,
    picture_of,
    play_of,
    shown_of,
    words_of,
)
from wayfront_gui.lessons.lesson import Lesson
from wayfront_gui.lessons.staging import Staged, stage
from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.theme import THEMES
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import translated

WIDTH, HEIGHT = 1280, 720
SCALE, FPS = 1.5, 30
GIF_SCALE, GIF_FPS = 0.75, 10
"""A GIF keeps every picture nearly whole."""
TEXT_WIDTH = 420
"""Of the column of text at the right, in points."""
MARGIN = 28.0
HEADING, TEXT = 25.0, 18.0
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
        self.size = (round(WIDTH * scale) // 2 * 2, round(HEIGHT * scale) // 2 * 2)

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
        paint_strip(painter, QRectF(0, 0, WIDTH, HEIGHT), index / max(self.frame_count - 1, 1), self._style.colours)
        painter.end()
        return image

    def _picture(self, take: Take, step: float, *, answer: bool) -> QImage:
        colours = self._style.colours
        if answer and take.staged.moment.predict:
            now = answered(take.staged, self._style)
        else:
            now = at_step(take.shown, take.staged, step)
        shown = picture_of(now, take.staged, WIDTH - TEXT_WIDTH, HEIGHT, self._scale)
        image = QImage(*self.size, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(self._scale)
        image.fill(qt_colour(colours.background))
        painter = QPainter(image)
        try:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawImage(QPointF(0, 0), shown)
            left = float(WIDTH - TEXT_WIDTH)
            painter.fillRect(
                QRectF(left, 0, TEXT_WIDTH, HEIGHT), qt_colour(THEMES[self._style.theme_name].interface.panel)
            )
            text = take.text + (take.answer if answer else "")
            _paint_words(painter, QRectF(left, 0, TEXT_WIDTH, HEIGHT), take.heading, text, colours.ink)
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
    play, takes = play_of(lesson), list[Take]()
    for index, each in enumerate(stage(lesson, report.progress, report.cancel)):
        play.go_to(index)
        play.take_figures(each.figures, each.expected, each.names)
        heading, text, answer = words_of(play)
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
    return len(re.sub(r"<[^>]+>", " ", html).split())


def _paint_words(painter: QPainter, area: QRectF, heading: str, text: str, ink: str) -> None:
    """Paint a heading and a text into a column, as large as there is room for."""
    room = area.adjusted(MARGIN, MARGIN, -MARGIN, -MARGIN)
    share = 1.0
    while True:
        head = document(heading, room.width(), HEADING * share, title_font(1))
        body = document(text, room.width(), TEXT * share)
        whole = head.size().height() + MARGIN / 2 + body.size().height()
        if whole <= room.height() or share <= _SMALLEST:
            break
        share -= 0.05
    painter.setPen(Qt.PenStyle.NoPen)
    paint_document(painter, head, room.topLeft(), ink)
    paint_document(painter, body, room.topLeft() + QPointF(0, head.size().height() + MARGIN / 2), ink)
