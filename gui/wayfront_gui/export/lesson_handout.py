"""The handout of a lesson: picture and text of each moment on A4 pages as PDF, the answers at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QImage, QPainter, QPen, QTextDocument

from wayfront_gui.charts.pages import POINTS_PER_MM, write_pdf_pages
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.export.captions import font, title_font
from wayfront_gui.export.lesson_picture import (
    Shown,
    answered,
    document,
    paint_document,
    picture_of,
    play_of,
    shown_of,
    words_of,
)
from wayfront_gui.lessons.lesson import Lesson
from wayfront_gui.lessons.markup import to_line
from wayfront_gui.lessons.staging import Staged, stage
from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.theme import THEMES
from wayfront_gui.scene.style import Style
from wayfront_gui.translation import translated

WIDTH, HEIGHT = 210 * POINTS_PER_MM, 297 * POINTS_PER_MM
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
_COLUMN = WIDTH - 2 * MARGIN


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """What stands together on a page: a heading, then a picture or none, then a text."""

    heading: QTextDocument
    picture: QImage | None
    text: QTextDocument

    @property
    def picture_height(self) -> float:
        """How high its picture is, which is as wide as the column."""
        return 0.0 if self.picture is None else _COLUMN * self.picture.height() / self.picture.width()

    @property
    def height(self) -> float:
        """How high it is, with the room below it."""
        head = self.heading.size().height() + GAP / 2
        return head + self.picture_height + (0.0 if self.picture is None else GAP) + self.text.size().height() + 2 * GAP


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
    write_pdf_pages(path, WIDTH, HEIGHT, lesson.title, paints)


def _blocks(lesson: Lesson, theme: str, report: Report) -> list[Block]:
    play, style = play_of(lesson), Style(theme)
    head = document(to_line(translated(lesson.title)), _COLUMN, TITLE, title_font(1))
    about = " · ".join(filter(None, (translated(lesson.about), lesson.by)))
    blocks = [Block(head, None, document(to_line(about), _COLUMN, TEXT))]
    answers: list[Block] = []
    before: Staged | None = None
    for index, each in enumerate(stage(lesson, report.progress, report.cancel)):
        play.go_to(index)
        play.take_figures(each.figures, each.expected, each.names)
        heading, text, answer = words_of(play)
        numbered = f"{index + 1}  {heading}"
        picture = None if before is not None and _same_picture(before, each) else _picture(shown_of(each, style), each)
        blocks.append(Block(_heading(numbered), picture, document(text, _COLUMN, TEXT)))
        if answer:
            shown = _picture(answered(each, style), each) if play.predicts else None
            above = "" if answers else f'<p style="font-size:{TITLE:.0f}px">{to_line(translated("Answers"))}</p>'
            answers.append(Block(_heading(f"{above}<p>{numbered}</p>"), shown, document(answer, _COLUMN, TEXT)))
        before = each
    return blocks + answers


def _same_picture(before: Staged, now: Staged) -> bool:
    """Return whether two moments show the same, so that the second needs no picture."""
    shown = ((each.step, each.moment.when.finished, each.moment.view, each.moment.marks) for each in (before, now))
    return before.result is now.result and len(set(shown)) == 1


def _picture(shown: Shown, staged: Staged) -> QImage:
    height = PICTURE_HEIGHT if len(shown.scenes) <= BESIDE else RACE_HEIGHT
    return picture_of(shown, staged, round(_COLUMN * SMALL), round(height * SMALL), FINE / SMALL)


def _heading(html: str) -> QTextDocument:
    return document(html, _COLUMN, HEADING, title_font(1))


def _pages(blocks: Sequence[Block]) -> list[list[Block]]:
    """Divide blocks among pages; one that does not fit below the others begins a page."""
    pages: list[list[Block]] = [[]]
    room = HEIGHT - 2 * MARGIN
    for block in blocks:
        if pages[-1] and block.height - 2 * GAP > room:
            pages.append([])
            room = HEIGHT - 2 * MARGIN
        pages[-1].append(block)
        room -= block.height
    return pages


def _paint_page(painter: QPainter, *, page: Sequence[Block], number: int, count: int, title: str) -> None:
    ink, y = THEMES[PRINTED].map.ink, MARGIN
    for block in page:
        paint_document(painter, block.heading, QPointF(MARGIN, y), ink)
        y += block.heading.size().height() + GAP / 2
        if block.picture is not None:
            area = QRectF(MARGIN, y, _COLUMN, block.picture_height)
            painter.drawImage(area, block.picture)
            painter.setPen(QPen(qt_colour(ink, 0.3), 0.5))
            painter.drawRect(area)
            y += block.picture_height + GAP
        paint_document(painter, block.text, QPointF(MARGIN, y), ink)
        y += block.text.size().height() + 2 * GAP
    foot = document(title, _COLUMN, FOOT, font(1))
    paint_document(painter, foot, QPointF(MARGIN, HEIGHT - MARGIN + 2 * GAP), ink)
    place = document(f'<p align="right">{number} / {count}</p>', _COLUMN, FOOT, font(1))
    paint_document(painter, place, QPointF(MARGIN, HEIGHT - MARGIN + 2 * GAP), ink)
