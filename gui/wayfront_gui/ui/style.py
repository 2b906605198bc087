"""The application's Qt palette and style sheet, made of a theme.

Qt's style "Fusion" is used on every system, so that the window looks the same everywhere and only the colours follow
the system.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar

from PySide6 import QtGui
from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QGuiApplication, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget

from wayfront.safe.options import AUTO
from wayfront.safe.text import printable
from wayfront_gui.resources import asset
from wayfront_gui.ui.theme import DARK, LIGHT, THEMES, InterfaceColours, Theme
from wayfront_gui.ui.typeface import use_typeface

_SHOWN, _FONT = "wayfront theme", "wayfront font"
_HAIRLINE = 1
"""Borders of a pixel stay as thin as they are, whatever the scale of texts."""


def choose_theme(choice: str) -> Theme:
    """Return the theme of that name; ``auto`` is the system's, dark where the system does not say."""
    if choice == AUTO:
        light = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Light
        return LIGHT if light else DARK
    return THEMES.get(choice, DARK)


def apply_theme(application: QApplication, theme: Theme, scale: float = 1.0) -> None:
    """Give the whole application the theme's colours, and texts ``scale`` times as large as the system has them.

    Each of these steps looks at every widget again.
    """
    look = f"{theme.name} {scale:g}"
    if application.property(_SHOWN) == look:
        return
    if application.property(_SHOWN) is None:
        application.setStyle("Fusion")
        use_typeface(application)
        application.setProperty(_FONT, application.font())
    application.setProperty(_SHOWN, look)
    # Qt replaces a style sheet by another in three times as long as it takes it away and sets one.
    application.setStyleSheet("")
    application.setFont(scaled_font(application.property(_FONT), scale))
    application.setPalette(_palette(theme.interface))
    application.setStyleSheet(_style_sheet(theme.interface, scale))
    text_scale.choose(scale)


def _palette(colours: InterfaceColours) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for key, colour in {
        role.Window: colours.panel,
        role.WindowText: colours.text,
        role.Base: colours.raised,
        role.AlternateBase: colours.panel,
        role.Text: colours.text,
        role.PlaceholderText: colours.muted,
        role.Button: colours.raised,
        role.ButtonText: colours.text,
        role.BrightText: colours.bad,
        role.ToolTipBase: colours.raised,
        role.ToolTipText: colours.text,
        role.Highlight: colours.accent,
        role.HighlightedText: colours.on_accent,
        role.Link: colours.accent,
        role.LinkVisited: colours.accent,
        role.Accent: colours.accent,
        role.Light: colours.lifted,
        role.Midlight: colours.lifted,
        role.Mid: colours.line,
        role.Dark: colours.line,
        role.Shadow: colours.ground,
    }.items():
        palette.setColor(key, QColor(colour))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, QColor(colours.faint))
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, QColor(colours.line))
    return palette


def _style_sheet(colours: InterfaceColours, scale: float) -> str:
    sheet = asset("style.qss").read_text("utf-8")
    names = [field.name for field in fields(colours)]
    for name in sorted(names, key=len, reverse=True):  # a name may begin with a shorter one
        sheet = sheet.replace(f"@{name}", getattr(colours, name))
    sheet = re.sub(r"\b(\d+)px", lambda found: f"{_length(int(found[1]), scale)}px", sheet)
    return sheet.replace("@icons", asset("icons").as_posix())


def _length(pixels: int, scale: float) -> int:
    return pixels if pixels <= _HAIRLINE else round(pixels * scale)


AnyWidget = TypeVar("AnyWidget", bound=QWidget)


class TextScale(QObject):
    """The scale of the window's texts; there is one of it, ``text_scale``."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.factor = 1.0

    def choose(self, factor: float) -> None:
        """Have texts ``factor`` times their usual size from now on."""
        if factor != self.factor:
            self.factor = factor
            self.changed.emit()


text_scale = TextScale()


def scaled(pixels: float) -> int:
    """Return a length of the usual size in pixels of now."""
    return round(pixels * text_scale.factor)


def keep_scaled(set_size: Callable[[int], object], pixels: float) -> None:
    """Call a widget's ``set_size`` with a length of the usual size in pixels: now, and whenever texts change theirs."""
    widget = getattr(set_size, "__self__", None)
    assert isinstance(widget, QWidget), "a size belongs to a widget"
    method = getattr(type(widget), set_size.__name__)  # by itself it does not keep the widget alive
    keep_sized(widget, lambda each: method(each, scaled(pixels)))


def keep_sized(widget: AnyWidget, resize: Callable[[AnyWidget], object]) -> None:
    """Call ``resize`` with a widget: now, and whenever texts change their size."""
    _Kept(widget, resize)


def keep_rows_sized(view: QAbstractItemView) -> None:
    """Ask for the heights of a list's rows anew whenever texts change their size: Qt keeps those it was told first."""
    keep_sized(view, lambda each: each.scheduleDelayedItemsLayout())


class _Kept(QObject):
    """Gives a widget its size again and again; the widget's end is its own."""

    def __init__(self, widget: QWidget, resize: Callable[[Any], object]) -> None:
        super().__init__(widget)
        self._resize = resize
        text_scale.changed.connect(self._apply)
        self._apply()

    def _apply(self) -> None:
        self._resize(self.parent())


def qt_colour(value: str, alpha: float = 1.0) -> QColor:
    """Return a theme's ``#rrggbb`` as Qt's colour, with an opacity of 0 … 1."""
    result = QColor(value)
    result.setAlphaF(alpha)
    return result


def mixed(colour: QColor, other: QColor, share: float) -> QColor:
    """Return a colour with a share of another, all of it from 1 on."""
    share = min(share, 1.0)
    pairs = zip(colour.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(own + (its - own) * share) for own, its in pairs))


def code_font() -> QFont:
    """Return the system's font with letters of one width, in the scale of texts."""
    return scaled_font(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont), text_scale.factor)


def scaled_font(font: QFont, factor: float) -> QFont:
    """Return a font in another size, which it has in points or in pixels."""
    result = QFont(font)
    if font.pointSizeF() > 0:
        result.setPointSizeF(font.pointSizeF() * factor)
    else:
        result.setPixelSize(round(font.pixelSize() * factor))
    return result


def figures_font(base: QFont) -> QFont:
    """Return ``base`` with digits of one width, so that changing figures do not move."""
    font = QFont(base)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def text_font(pixels: int, bold: bool = False) -> QFont:
    """Return the font of texts that are painted into pictures and charts."""
    font = figures_font(QFont())
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


def text_width(text: str, pixels: int, *, bold: bool = False) -> float:
    """Return how wide a line in that font is."""
    return QFontMetricsF(text_font(pixels, bold)).horizontalAdvance(text)


def draw_line(painter: QPainter, box: QRectF, text: str, align: Qt.AlignmentFlag) -> None:
    """Draw a line into a box with the painter's font and pen, cut with an ellipsis where it does not fit."""
    cut = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, box.width())
    painter.drawText(box, align, cut)


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
    return QtGui.Qt.convertFromPlainText(plain) if QtGui.Qt.mightBeRichText(plain) else plain


def menu_entry(text: str) -> str:
    """Return the text of a menu's entry, in which ``&`` would underline the next letter."""
    return one_line(text).replace("&", "&&")


def window_title(text: str) -> str:
    """Return the title of a window, in which ``[*]`` would stand for unsaved changes."""
    return one_line(text).replace("[*]", "[*][*]")
