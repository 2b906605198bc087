"""The application's Qt palette and style sheet, made of a theme.

Qt's style "Fusion" is used on every system, so that the window looks the same everywhere and only the colours follow
the system.
"""

from __future__ import annotations

import re
from dataclasses import fields

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from wayfront.options import AUTO
from wayfront_gui.look.drawing import scaled_font
from wayfront_gui.look.text_scale import text_scale
from wayfront_gui.look.theme import DARK, LIGHT, THEMES, InterfaceColours, Theme
from wayfront_gui.resources import asset

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
