"""Rows of nodes with their distances, as a queue, a bucket or a pile holds them; the node under the pointer is told."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen

from wayfront_gui.look.drawing import qt_colour
from wayfront_gui.look.plain import one_line
from wayfront_gui.look.text_scale import scaled
from wayfront_gui.model.step_tables import HeldNode, HeldTable
from wayfront_gui.translation import translated
from wayfront_gui.widgets.step_picture import StepPicture

_PIXELS, _TITLE_PIXELS = 13, 12
_CHIP, _LINE, _GAP, _PAD = 24, 18, 6, 8
_LONGEST = 24
EMPTY = "–"
"""Stands where a part holds no node."""


@dataclass(frozen=True, slots=True)
class _Chip:
    held: HeldNode
    box: QRectF
    name_width: float


class NodeChips(StepPicture):
    """Shows a ``HeldTable``: the title of each part, and below it its nodes from first to last."""

    def __init__(self) -> None:
        super().__init__(translated("What the search holds"), width_hint=240)
        self._table: HeldTable | None = None
        self._chips: list[_Chip] = []
        self._titles: list[tuple[QRectF, str]] = []

    def show_table(self, table: HeldTable | None) -> None:
        """Show another table, or none."""
        if table != self._table:
            self._table = table
            self.setAccessibleDescription("" if table is None else table.text)
            self._arrange()

    def _arrange(self) -> None:
        """Place titles and chips in lines of the widget's width, and ask for the height that they take."""
        self._chips, self._titles = [], []
        gap, chip, room = scaled(_GAP), scaled(_CHIP), max(self.width() - 2, 1)
        y = 0.0
        for row in self._table.rows if self._table is not None else ():
            self._titles.append((QRectF(0, y, room, scaled(_LINE)), row.title))
            y, x = y + scaled(_LINE) + gap / 2, 1.0
            for held in row.nodes:
                name, width = self._measure(held)
                if x > 1.0 and x + width > room:
                    x, y = 1.0, y + chip + gap
                self._chips.append(_Chip(held, QRectF(x, y, width, chip), name))
                x += width + gap
            if not row.nodes:
                self._titles.append((QRectF(1, y, room, chip), EMPTY))
            y += chip + gap * 1.5
        self.setFixedHeight(max(round(y), 1))
        self.update()

    def _measure(self, held: HeldNode) -> tuple[float, float]:
        """Return the width of the name's part of a chip, and that of all of it."""
        metrics, pad = QFontMetricsF(self._font(_PIXELS)), scaled(_PAD)
        name = metrics.horizontalAdvance(_short(held.name)) + 2 * pad
        return name, name + (metrics.horizontalAdvance(held.key) + 1.5 * pad if held.key else 0.0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw titles, and each node as its name on a field beside its distance."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours = self._theme.interface
        painter.setFont(self._font(_TITLE_PIXELS))
        painter.setPen(qt_colour(colours.muted))
        for box, title in self._titles:
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), one_line(title))
        for chip in self._chips:
            self._paint_chip(painter, chip)

    def _paint_chip(self, painter: QPainter, chip: _Chip) -> None:
        colours, middle = self._theme.interface, int(Qt.AlignmentFlag.AlignCenter)
        hovered = chip.held.node == self._hovered
        painter.setPen(QPen(qt_colour(colours.accent if hovered else colours.line), 1.4 if hovered else 1.0))
        painter.setBrush(qt_colour(colours.raised))
        painter.drawRoundedRect(chip.box, 5, 5)
        name = QRectF(chip.box)
        if chip.held.key:
            name.setWidth(chip.name_width)
            key = QRectF(chip.box)
            key.setLeft(name.right())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qt_colour(colours.lifted))
            painter.drawRoundedRect(name.adjusted(1, 1, 0, -1), 4, 4)
            painter.setFont(self._font(_PIXELS))
            painter.setPen(qt_colour(colours.text))
            painter.drawText(key, middle, chip.held.key)
        painter.setFont(self._font(_PIXELS, bold=True))
        painter.setPen(qt_colour(colours.text))
        painter.drawText(name, middle, _short(chip.held.name))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell which node the pointer is over."""
        at = event.position()
        self._hover(next((chip.held.node for chip in self._chips if chip.box.contains(at)), -1))


def _short(name: str) -> str:
    line = one_line(name)
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
