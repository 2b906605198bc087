"""A view of pseudo-code in which the line at work is highlighted, among those that the shown step runs."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF, QHideEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from wayfront_gui.look.drawing import mixed, qt_colour
from wayfront_gui.look.text_scale import keep_sized, scaled
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.translation import translated

FONT_PIXELS = 12
LINE_HEIGHT = 19
PADDING = 8
BAR_WIDTH = 3
AFTERGLOW_S = 0.35
"""How long a highlight takes to fade. A replay may change phase with every frame: without this, lines would flash."""
FADE_MS = 33


class PseudoCode(QWidget):
    """Lines of code, one of them highlighted. Highlighting the same one again costs a comparison.

    ``lit`` is the line at work, None without one; ``run`` are the lines that the step runs: the others are muted.
    """

    def __init__(self) -> None:
        super().__init__()
        self._theme = DARK
        self._lines: tuple[str, ...] = ()
        self.glow: list[float] = []  # of each line, 0 … 1
        self._faded_at = 0.0
        self.lit: int | None = None
        self.run: tuple[int, ...] = ()
        keep_sized(self, PseudoCode._take_font)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fading = QTimer(self)
        self._fading.setInterval(FADE_MS)
        self._fading.timeout.connect(self._fade)

    def _take_font(self) -> None:
        """Take a font of the size that texts have now."""
        font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        font.setPixelSize(scaled(FONT_PIXELS))
        font.setStyleHint(QFont.StyleHint.Monospace)
        self.setFont(font)
        self.setMinimumWidth(self.sizeHint().width())

    def show_lines(self, lines: Sequence[str]) -> None:
        """Show other lines, without highlights."""
        self._lines, self.lit, self.run = tuple(lines), None, ()
        self.glow = [0.0] * len(self._lines)
        self._fading.stop()
        self.setAccessibleName(translated("Pseudo-code: {lines}", lines="\n".join(self._lines)))
        self.setMinimumWidth(self.sizeHint().width())
        self.updateGeometry()
        self.update()

    def light(self, line: int | None, run: tuple[int, ...] = ()) -> None:
        """Highlight the line with this index, let all others fade, and mute those that the step does not ``run``."""
        if line == self.lit and run == self.run:
            return
        self.lit, self.run = line, run
        if line is not None:
            self.glow[line] = 1.0
        if self.isVisible():
            self._faded_at = time.monotonic()
            self._fading.start()
        else:
            self._settle()
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._theme = theme
        self.update()

    def _fade(self) -> None:
        now = time.monotonic()
        loss, self._faded_at = (now - self._faded_at) / AFTERGLOW_S, now
        for line in range(len(self.glow)):
            if line != self.lit:
                self.glow[line] = max(self.glow[line] - loss, 0.0)
        if sum(self.glow) == (self.lit is not None):
            self._fading.stop()
        self.update()

    def _settle(self) -> None:
        self._fading.stop()
        self.glow = [float(line == self.lit) for line in range(len(self._lines))]

    def hideEvent(self, event: QHideEvent) -> None:
        """End fading at once."""
        self._settle()
        super().hideEvent(event)

    def sizeHint(self) -> QSize:
        """Return the size that the longest line needs."""
        metrics = QFontMetricsF(self.font())
        longest = max((metrics.horizontalAdvance(line) for line in self._lines), default=0.0)
        return QSize(round(longest) + 2 * PADDING + BAR_WIDTH, len(self._lines) * scaled(LINE_HEIGHT) + 2 * PADDING)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the lines, with bands under the highlighted ones."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, high = self._theme.interface, scaled(LINE_HEIGHT)
        painter.setPen(QPen(qt_colour(colours.line), 1))
        painter.setBrush(qt_colour(colours.ground))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        for number, (line, glow) in enumerate(zip(self._lines, self.glow, strict=True)):
            row = QRectF(1, PADDING + number * high, self.width() - 2, high)
            if glow > 0:
                painter.fillRect(row, qt_colour(colours.accent, 0.15 * glow))
                painter.fillRect(
                    QRectF(row.left(), row.top(), BAR_WIDTH, row.height()), qt_colour(colours.accent, glow)
                )
            # Without a step all lines have the text colour; beside those that it runs the others are muted.
            runs = not self.run or number in self.run
            painter.setPen(mixed(qt_colour(colours.muted), qt_colour(colours.text), 1.0 if runs else glow))
            text = row.adjusted(BAR_WIDTH + PADDING - 1, 0, 0, 0)
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, line)
