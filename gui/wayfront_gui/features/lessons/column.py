"""A lesson's text, laid out in a column for a handout or a film.

Such a text is laid out on the engine thread, where a ``QTextDocument`` may stop the window for ever: it connects
signals with Python's lock held and waits for one of Qt's, while the window's thread, disconnecting a signal, holds that
one and waits for Python's. ``QTextLayout`` has no signals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QFont, QPainter, QPen, QTextCharFormat, QTextLayout, QTextOption

from wayfront_gui.ui.style import qt_colour, text_font

_BLANKS = re.compile(r"\s+")
_AFTER, _LINE = 0.5, 1.25
"""Room below a paragraph, in letters; how far lines that are set apart are, in their heights."""
_INDENT, _BULLET = 2.0, 0.9
"""How far the lines of a list are set in, and their bullets out from there, in letters."""
_RULE = 0.5
"""How thick a rule is, in points."""
_TITLE = 1.6
"""Letters of a title above a heading, as a share of the heading's."""


@dataclass(slots=True)
class _Block:
    """A paragraph, a line of a list, a rule, or a text outside of all."""

    kind: str = ""
    right: bool = False
    apart: bool = False
    """Whether its lines are farther apart than letters are high."""
    text: str = ""
    formats: list[tuple[int, int, frozenset[str]]] = field(default_factory=list)
    """Where a run of letters with these tags begins, and how long it is."""


class _Reader(HTMLParser):
    """Divides what ``markup`` makes into blocks; only its own tags are known, so that no text can ask for anything."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks = [_Block()]
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block or a run of letters."""
        if tag in ("h1", "p", "li", "hr"):
            self.blocks.append(_Block(tag, ("align", "right") in attrs, tag == "p" and "style" in dict(attrs)))
        elif tag != "ul":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """End a block or a run of letters."""
        if tag in ("h1", "p", "li"):
            self.blocks.append(_Block())
        elif tag in self._open:
            self._open.remove(tag)

    def handle_data(self, data: str) -> None:
        """Take letters."""
        block, data = self.blocks[-1], _BLANKS.sub(" ", data)
        if self._open:
            block.formats.append((_length(block.text), _length(data), frozenset(self._open)))
        block.text += data


def _length(text: str) -> int:
    """Return the length of a text as Qt counts it, in units of UTF-16."""
    return len(text.encode("utf-16-le")) // 2


class Column:
    """A text of ``markup`` laid out in a column of ``width`` points, its letters ``pixels`` points large."""

    def __init__(self, html: str, width: float, pixels: float, *, bold: bool = False) -> None:
        self._font, self._width = text_font(max(round(pixels), 1), bold), width
        self._laid: list[tuple[_Block, QTextLayout | None, QPointF]] = []
        letter, top, after, before = float(self._font.pixelSize()), 0.0, 0.0, ""
        reader = _Reader()
        reader.feed(html)
        reader.close()
        for block in (each for each in reader.blocks if each.text.strip() or each.kind == "hr"):
            top += 0.0 if block.kind == before == "li" else after
            before = block.kind
            left = _INDENT * letter if block.kind == "li" else 0.0
            layout, high = (None, letter * _AFTER) if block.kind == "hr" else _lay(block, self._font, width - left)
            self._laid.append((block, layout, QPointF(left, top)))
            top, after = top + high, letter * _AFTER if block.kind else 0.0
        self.height = top
        """How high it is, in points."""

    def paint(self, painter: QPainter, at: QPointF, ink: str) -> None:
        """Paint it in one colour from its upper left corner on."""
        painter.save()
        painter.translate(at)
        painter.setFont(self._font)
        for block, layout, place in self._laid:
            painter.setPen(QPen(qt_colour(ink), _RULE))
            if layout is None:
                painter.drawLine(place, QPointF(self._width, place.y()))
                continue
            if block.kind == "li":
                first = layout.lineAt(0)
                out = _BULLET * self._font.pixelSize()
                painter.drawText(place + QPointF(-out, first.y() + first.ascent()), "•")
            layout.draw(painter, place)
        painter.restore()


def _lay(block: _Block, font: QFont, width: float) -> tuple[QTextLayout, float]:
    """Return the lines of a block in a column of that width, and how high they are."""
    if block.kind == "h1":
        font = QFont(font)
        font.setPixelSize(round(font.pixelSize() * _TITLE))
    layout, option = QTextLayout(block.text, font), QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    option.setAlignment(Qt.AlignmentFlag.AlignRight if block.right else Qt.AlignmentFlag.AlignLeft)
    layout.setTextOption(option)
    layout.setFormats([_format(*each) for each in block.formats])
    share, down = _LINE if block.apart else 1.0, 0.0
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0.0, down + line.height() * (share - 1.0)))
        down += line.height() * share
    layout.endLayout()
    return layout, down


def _format(start: int, length: int, tags: frozenset[str]) -> QTextLayout.FormatRange:
    """Return how a run of letters looks."""
    looks, run = QTextCharFormat(), QTextLayout.FormatRange()
    if "b" in tags:
        looks.setFontWeight(QFont.Weight.Bold)
    looks.setFontItalic("i" in tags)
    if "code" in tags:
        looks.setFontFixedPitch(True)
        looks.setFontFamilies(["monospace"])
    for tag, place in (
        ("sub", QTextCharFormat.VerticalAlignment.AlignSubScript),
        ("sup", QTextCharFormat.VerticalAlignment.AlignSuperScript),
    ):
        if tag in tags:
            looks.setVerticalAlignment(place)
    run.start, run.length, run.format = start, length, looks
    return run
