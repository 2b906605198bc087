"""Colours and fonts for widgets that paint themselves."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont


def qt_colour(value: str, alpha: float = 1.0) -> QColor:
    """Return a theme's ``#rrggbb`` as Qt's colour, with an opacity of 0 … 1."""
    result = QColor(value)
    result.setAlphaF(alpha)
    return result


def figures_font(base: QFont) -> QFont:
    """Return ``base`` with digits of one width, so that changing figures do not move."""
    font = QFont(base)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font
