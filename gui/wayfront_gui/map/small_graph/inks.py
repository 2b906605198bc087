"""The colours of a small graph, made of the map's and of the frontier's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtGui import QColor

from wayfront_gui.look.drawing import mixed
from wayfront_gui.look.theme import THEMES
from wayfront_gui.scene.style import Style

_DARK_TEXT, _LIGHT_TEXT = "#0b0e14", "#ffffff"
_BRIGHT = 0.25
"""Luminance of a colour on which dark text is read more easily than light text (WCAG 2.2, relative luminance)."""


@dataclass(frozen=True, slots=True)
class Inks:
    """Colours by meaning; ``step`` is what belongs to the step that is shown, ``on_step`` text on it."""

    page: QColor
    ink: QColor
    dim: QColor
    line: QColor
    hollow: QColor
    step: QColor
    on_step: QColor
    route: QColor
    closed: QColor


@lru_cache(maxsize=8)
def inks_of(style: Style) -> Inks:
    """Return the colours of a style."""
    colours, interface = style.colours, THEMES[style.theme_name].interface
    page, ink, line = QColor(colours.background), QColor(colours.ink), QColor(colours.unreached)
    return Inks(
        page=page,
        ink=ink,
        dim=mixed(ink, page, 0.35),
        line=mixed(line, page, 0.12),
        hollow=mixed(page, line, 0.10),
        step=QColor(interface.accent),
        on_step=QColor(interface.on_accent),
        route=QColor(colours.route),
        closed=QColor(colours.closed),
    )


def of_distance(style: Style, row: int) -> QColor:
    """Return the colour of a row of the colour map."""
    return QColor(*(round(part) for part in style.gradient[row].tolist()))


def text_on(colour: QColor) -> QColor:
    """Return the colour of text that is read on a colour."""
    red, green, blue = (_linear(part) for part in (colour.redF(), colour.greenF(), colour.blueF()))
    return QColor(_DARK_TEXT if 0.2126 * red + 0.7152 * green + 0.0722 * blue > _BRIGHT else _LIGHT_TEXT)


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
