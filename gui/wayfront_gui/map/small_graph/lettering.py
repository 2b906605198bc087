"""The type of small graphs: figures of one width, so that changing labels do not move."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QFont, QFontMetricsF

from wayfront_gui.look.drawing import figures_font


@lru_cache(maxsize=64)
def font_of(pixels: int, *, bold: bool = False) -> QFont:
    """Return the font of so many pixels."""
    font = figures_font(QFont())
    font.setPixelSize(pixels)
    if bold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


@lru_cache(maxsize=4096)
def measure(text: str, pixels: int) -> tuple[float, float]:
    """Return width and height of a text, set bold, so that none grows out of its place."""
    metrics = QFontMetricsF(font_of(pixels, bold=True))
    return metrics.horizontalAdvance(text), metrics.height()


def fitting(text: str, pixels: int, room: float, least: int = 7) -> tuple[str, int]:
    """Return a text and the pixels in which it fits into ``room``: set smaller, or else without its beginning."""
    while pixels > least and measure(text, pixels)[0] > room:
        pixels -= 1
    shown = text
    while len(shown) > 2 and measure(shown, pixels)[0] > room:
        shown = f"…{shown.lstrip('…')[1:]}"
    return shown, pixels
