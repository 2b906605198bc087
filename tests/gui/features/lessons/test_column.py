"""A lesson's text in a column: what is laid out, how high it is, and that nothing in it is obeyed."""

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from wayfront_gui.features.lessons.column import Column
from wayfront_gui.features.lessons.markup import to_html, to_line

WIDTH, LETTERS = 300.0, 16.0


def _inked(html: str, width: float = WIDTH) -> list[tuple[int, int]]:
    """Return the pixels that a text leaves in a picture twice as wide as its column."""
    column = Column(html, width, LETTERS)
    image = QImage(round(2 * width), max(round(column.height), 1), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    column.paint(painter, QPointF(0, 0), "#000000")
    painter.end()
    return [(x, y) for y in range(image.height()) for x in range(image.width()) if image.pixelColor(x, y).value() < 200]


def test_a_text_wraps_in_its_column_and_nothing_is_below_its_height(qtbot: QtBot) -> None:
    text = "All nodes of the frontier are expanded at once, " * 4
    one, wrapped = Column("nodes", WIDTH, LETTERS), Column(text, WIDTH, LETTERS)
    assert wrapped.height >= 3 * one.height
    assert Column(text, 2 * WIDTH, LETTERS).height < wrapped.height
    inked = _inked(text)
    assert max(x for x, _ in inked) < WIDTH
    assert max(y for _, y in inked) > wrapped.height - 2 * one.height


def test_a_word_that_is_longer_than_the_column_is_broken(qtbot: QtBot) -> None:
    assert max(x for x, _ in _inked("m" * 100)) < WIDTH


def test_paragraphs_lists_rules_and_titles_are_told_apart(qtbot: QtBot) -> None:
    line = Column("x", WIDTH, LETTERS).height
    assert Column("", WIDTH, LETTERS).height == 0.0
    assert Column(to_html("x"), WIDTH, LETTERS).height > line
    assert Column("<h1>x</h1>", WIDTH, LETTERS).height > 1.5 * line
    paragraphs, points = (Column(to_html(text), WIDTH, LETTERS).height for text in ("x\n\nx", "- x\n- x"))
    assert points < paragraphs
    assert min(x for x, _ in _inked(to_html("- x"))) > LETTERS / 2
    assert max(x for x, _ in _inked("x<hr/>")) > WIDTH - 2 > max(x for x, _ in _inked("x"))
    assert min(x for x, _ in _inked('<p align="right">x</p>')) > WIDTH - 2 * LETTERS


def test_bold_letters_and_formulas_are_set_as_such_also_behind_signs_of_two_units(qtbot: QtBot) -> None:
    plain = len(_inked("<p>😀 node</p>"))
    assert len(_inked("<p>😀 <b>node</b></p>")) > plain
    assert _inked(to_html("😀 *x*")) != _inked(to_html("😀 x"))
    low, high = (max(y for _, y in _inked(to_html(f"$x{shift}2$"))) for shift in "_^")
    assert low > high


def test_what_a_strangers_text_writes_as_markup_is_shown_as_it_is(qtbot: QtBot) -> None:
    given = '<img src="https://example.org/x.png"><b>x</b>'
    assert Column(to_html(given), WIDTH, LETTERS).height > Column("<p>x</p>", WIDTH, LETTERS).height
    assert len(_inked(to_line(given))) > 5 * len(_inked("x"))
