"""The program's own colours, dark and light: a palette, a style sheet, and what painted panels need.

Qt's style "Fusion" is the ground on every system, so that the window looks the same everywhere and only the
colours follow the system. Each colour has one meaning; the accent is the frontier's own glow.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from wayfront_gui.charts import timing_chart as chart
from wayfront_gui.resources import asset

CHOICES = ("auto", "dark", "light")


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as ``#rrggbb``."""

    name: str
    ground: str  # behind everything
    panel: str  # docks and menus
    raised: str  # fields and buttons
    lifted: str  # the same under the pointer
    line: str  # separators and borders
    text: str
    muted: str  # second-rank text
    faint: str  # disabled text, empty plots
    accent: str
    on_accent: str
    bad: str
    queue: str  # the line of a queue's length, beside the accent's frontier

    def device(self, kind: str) -> QColor:
        """Return the colour of a kind of device, the same as in the exported chart."""
        return QColor(chart.THEMES[self.name].devices.get(kind, self.muted))

    def mode(self, name: str, tone: int = 0) -> QColor:
        """Return the colour of a thread mapping, in the tone of one of its phases."""
        color = QColor(MODES[self.name].get(name, self.muted))
        role, share = TONES[tone % len(TONES)]
        other = self.color(role)
        parts = zip(color.getRgb()[:3], other.getRgb()[:3], strict=True)  # type: ignore[index]
        return QColor(*(round(own + (mixed - own) * share) for own, mixed in parts))

    def color(self, role: str, alpha: float = 1.0) -> QColor:
        """Return one of the colours by its field name."""
        color = QColor(getattr(self, role))
        color.setAlphaF(alpha)
        return color


DARK = Theme(
    name="dark",
    ground="#070a0f",
    panel="#0d121a",
    raised="#161d29",
    lifted="#1f2837",
    line="#1d2634",
    text="#dce4ef",
    muted="#8b98ac",
    faint="#4d596b",
    accent="#ffbe6e",
    on_accent="#241505",
    bad="#ff7b72",
    queue="#8ab4ff",
)
LIGHT = Theme(
    name="light",
    ground="#f4f5f7",
    panel="#fbfbfc",
    raised="#ffffff",
    lifted="#eceff3",
    line="#dde1e8",
    text="#1a2230",
    muted="#5d697b",
    faint="#a5aebb",
    accent="#b85c00",
    on_accent="#ffffff",
    bad="#c62f26",
    queue="#2f6fd0",
)
MODES = {
    "dark": {
        "all nodes": "#417fd4",
        "frontier list": "#6ae6ea",
        "one thread": "#a0a0a1",
        "grid": "#ffd34e",
        "one block": "#d45d37",
        "grid stride": "#e39f43",
        "requests": "#59b7fc",
        "queue": "#9e4283",
    },
    "light": {
        "all nodes": "#1b5aab",
        "frontier list": "#45d1d4",
        "one thread": "#7a7b7c",
        "grid": "#d4a905",
        "one block": "#aa3606",
        "grid stride": "#b97807",
        "requests": "#2b8fd1",
        "queue": "#781d5f",
    },
}
"""A colour for each way to map a step to threads. They were sought so that all of them stay apart for people of any
colour vision, most of all those that one search changes between."""
TONES = (("text", 0.0), ("text", 0.78), ("panel", 0.5), ("text", 0.4))
"""What the phases of one mode mix into its colour, and how much of it."""


def choose(choice: str) -> Theme:
    """Return the theme for ``dark``, ``light`` or ``auto`` (the system's; dark where it does not tell)."""
    if choice == "auto":
        light = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Light
        return LIGHT if light else DARK
    return LIGHT if choice == "light" else DARK


def apply(application: QApplication, theme: Theme) -> None:
    """Give the whole application this look."""
    application.setStyle("Fusion")
    application.setPalette(_palette(theme))
    application.setStyleSheet(_style_sheet(theme))


def figures_font(base: QFont) -> QFont:
    """Return ``base`` with digits of one width, so that changing figures do not dance."""
    font = QFont(base)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for key, name in {
        role.Window: "panel",
        role.WindowText: "text",
        role.Base: "raised",
        role.AlternateBase: "panel",
        role.Text: "text",
        role.PlaceholderText: "muted",
        role.Button: "raised",
        role.ButtonText: "text",
        role.BrightText: "bad",
        role.ToolTipBase: "raised",
        role.ToolTipText: "text",
        role.Highlight: "accent",
        role.HighlightedText: "on_accent",
        role.Link: "accent",
        role.LinkVisited: "accent",
        role.Accent: "accent",
        role.Light: "lifted",
        role.Midlight: "lifted",
        role.Mid: "line",
        role.Dark: "line",
        role.Shadow: "ground",
    }.items():
        palette.setColor(key, theme.color(name))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, theme.color("faint"))
    palette.setColor(QPalette.ColorGroup.Disabled, role.Highlight, theme.color("line"))
    return palette


def _style_sheet(theme: Theme) -> str:
    sheet = asset("style.qss").read_text("utf-8")
    for name in sorted(Theme.__dataclass_fields__, key=len, reverse=True):
        sheet = sheet.replace(f"@{name}", str(getattr(theme, name)))
    return sheet.replace("@icons", asset("icons").as_posix())
