"""The program's icons, drawn as SVG: sharp at any scale and in the theme's own colours."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from wayfront_gui.resources import asset
from wayfront_gui.ui.theme import Theme

GRID = 24
"""Side of the square on which icons are drawn."""
_SCALES = (1, 2, 4)
"""Pixels of the grid's unit in the pictures of an icon: Qt makes icons smaller, but never larger.

They are pictures of three sizes, not one for three densities of pixels: texts of 250 % need icons that are large.
"""
_BAR = '<rect x="{}" y="{}" width="{}" height="{}" rx=".8"/>'
_FIELD = '<rect x="{}" y="{}" width="4" height="5" rx="1"/>'
FILLED = {
    "play": '<path d="M8 5L19 12L8 19z"/>',
    "pause": _BAR.format(7, 5, 3.6, 14) + _BAR.format(13.4, 5, 3.6, 14),
    "back": '<path d="M18 6L9 12L18 18z"/>' + _BAR.format(6, 6, 2.2, 12),
    "forward": '<path d="M6 6L15 12L6 18z"/>' + _BAR.format(15.8, 6, 2.2, 12),
    "start": '<path d="M19 6L12.5 12L19 18zM12.5 6L6 12L12.5 18z"/>',
    "reverse": '<path d="M16 5L5 12L16 19z"/>',
    "next": '<path d="M5 6L11.5 12L5 18zM11.5 6L17.5 12L11.5 18z"/>' + _BAR.format(17.6, 6, 2.2, 12),
    "previous": '<path d="M19 6L12.5 12L19 18zM12.5 6L6.5 12L12.5 18z"/>' + _BAR.format(4.2, 6, 2.2, 12),
}
LINED = {
    "cross": '<path d="M7 7L17 17M17 7L7 17"/>',
    "plus": '<path d="M12 6V18M6 12H18"/>',
    "minus": '<path d="M6 12H18"/>',
    "fit": '<path d="M9 5H5V9M15 5H19V9M9 19H5V15M15 19H19V15"/>',
    "loop": '<path d="M15 6.804A6 6 0 1 1 9 6.804M4.8 7.404L9 6.804L9.2 2.604"/>',
    "further": '<path d="M5 6L11 12L5 18M13 6L19 12L13 18"/>',
    "search": '<circle cx="10.5" cy="10.5" r="5.5"/><path d="M14.7 14.7L19 19"/>',
    "time": '<circle cx="12" cy="12" r="7.5"/><path d="M12 7.5V12L15 14"/>',
    "replay": '<path d="M4 14L8 8L12 11L16 5L20 9M4 18.5H20M10 16.5V20.5"/>',
    "explore": '<path d="M5 17.4C5 12 10 12 13 12M17 13C14.5 10.2 13.2 8.4 13.2 6.8A3.8 3.8 0 0 1 20.8 6.8'
    'C20.8 8.4 19.5 10.2 17 13z"/><circle cx="5" cy="19" r="1.6"/>',
    "compare": '<path d="M5 19V11M10 19V5M15 19V9M20 19V14"/>',
    "analyse": '<path d="M5 5H19V19H5zM5 9.7H19M5 14.3H19M9.7 5V19M14.3 5V19"/>',
    "teach": '<path d="M3 9L12 5L21 9L12 13zM7 11V16Q12 19 17 16V11M21 9V14"/>',
    "show": '<rect x="3.5" y="5.5" width="17" height="13" rx="1.5"/><path d="M10 9L15 12L10 15z"/>',
    "closures": '<circle cx="12" cy="12" r="7.5"/><path d="M7.5 12H16.5"/>',
    "depots": '<path d="M4 12L12 5L20 12M6.5 10.5V19H17.5V10.5"/>',
    "explanation": '<path d="M12 7Q9 5 4 5V17.5Q9 17.5 12 19.5V7Q15 5 20 5V17.5Q15 17.5 12 19.5"/>',
    "lesson": '<rect x="3.5" y="5" width="17" height="11" rx="1.5"/><path d="M7 9H13M7 12H11M8.5 20L12 16L15.5 20"/>',
    "panel": '<rect x="4.5" y="5.5" width="15" height="13" rx="2"/><path d="M10 5.5V18.5"/>',
    "log": '<rect x="4" y="5.5" width="16" height="13" rx="2"/><path d="M7.5 9.2L10.3 12L7.5 14.8M12.2 15H16"/>',
    "race": '<path d="M5 6H18.5M5 12H11M5 18H15"/>',
    "isochrones": "".join(f'<ellipse cx="12" cy="12" rx="{rx}" ry="{0.88 * rx}"/>' for rx in (3.0, 6.2, 9.0)),
    "held": "".join(_FIELD.format(*at) for at in ((4, 6), (10, 6), (16, 6), (4, 14), (10, 14))),  # a queue
    "threads": '<path d="M6 5V19M10 5V19M14 5V12M18 5V19"/>',
}
"""Elements of SVG on the grid, filled or stroked in one colour."""


def icon(name: str, theme: Theme, role: str = "text", chosen: str = "") -> QIcon:
    """Return the icon of that name in one of the theme's colours, fainter where disabled.

    That of a checked action has the colour ``chosen``, if it is given.
    """
    result = QIcon()
    looks = [(role, QIcon.Mode.Normal, QIcon.State.Off), ("faint", QIcon.Mode.Disabled, QIcon.State.Off)]
    if chosen:
        looks.insert(0, (chosen, QIcon.Mode.Normal, QIcon.State.On))
    for colour, mode, state in looks:
        drawing = _drawing(name, getattr(theme.interface, colour))
        for scale in _SCALES:
            result.addPixmap(_pixmap(drawing, scale), mode, state)
    return result


def program_icon() -> QIcon:
    """Return the program's own icon: a source, rings of a search round it, and the glowing front."""
    return QIcon(str(asset("icons/wayfront.svg")))


def _drawing(name: str, colour: str) -> QSvgRenderer:
    line = 'fill="none" stroke="{}" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"'
    look = (f'fill="{colour}"', FILLED[name]) if name in FILLED else (line.format(colour), LINED[name])
    svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {0}"><g {1}>{2}</g></svg>'.format(GRID, *look)
    return QSvgRenderer(QByteArray(svg.encode()))


def _pixmap(drawing: QSvgRenderer, scale: int) -> QPixmap:
    pixmap = QPixmap(GRID * scale, GRID * scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    drawing.render(painter)
    painter.end()
    return pixmap
