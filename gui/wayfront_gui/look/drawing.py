"""Colours and fonts for widgets that paint themselves."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont, QFontDatabase

from wayfront_gui.look.text_scale import text_scale


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
