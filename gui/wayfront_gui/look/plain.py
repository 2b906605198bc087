"""Texts that a file or a server may have written, as labels, tooltips, menus and titles show them: never as markup.

Qt guesses whether a text is markup. A road called ``<img src=…>`` then makes it read a file, which may never answer.
"""

from __future__ import annotations

from PySide6.QtGui import Qt

from wayfront.plain_text import printable

LONGEST_LINE = 400
"""Characters of a line that are shown: Qt takes seconds for a line of a megabyte."""
MOST_LINES = 40


def shown(text: str) -> str:
    """Return a text of some lines without anything that a label would obey, and not longer than one can read."""
    lines = text[: LONGEST_LINE * MOST_LINES].split("\n", MOST_LINES)
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = ["…"]
    return "\n".join(one_line(line) for line in lines)


def one_line(text: str) -> str:
    """Return a text as one line, as ``shown`` does."""
    line = printable(text[: LONGEST_LINE + 1])
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 1]}…"


def hint(text: str) -> str:
    """Return the tooltip that shows a text as it is; one that Qt would take for markup is escaped."""
    plain = shown(text)
    return Qt.convertFromPlainText(plain) if Qt.mightBeRichText(plain) else plain


def menu_entry(text: str) -> str:
    """Return the text of a menu's entry, in which ``&`` would underline the next letter."""
    return one_line(text).replace("&", "&&")


def window_title(text: str) -> str:
    """Return the title of a window, in which ``[*]`` would stand for unsaved changes."""
    return one_line(text).replace("[*]", "[*][*]")
