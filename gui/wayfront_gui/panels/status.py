"""The content of the status bar: the last message, the node under the pointer, and the engine's progress."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QWidget

from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.icons import icon
from wayfront_gui.look.text_scale import keep_scaled, keep_sized
from wayfront_gui.look.theme import Theme
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, MARGIN, ElidedLabel, label, tool_button

BAR_WIDTH = 130
STAGE_WIDTH = 190


class StatusLine(QWidget):
    """Shows messages at the left, the node under the pointer and progress with a Stop button at the right.

    What is done in the background has a line of its own, dim and without a bar, with its own Stop button.
    """

    def __init__(self, cancel: Callable[[], None], cancel_quiet: Callable[[], None]) -> None:
        super().__init__()
        self._message = ElidedLabel()
        self.hover = ElidedLabel(rank="value")
        self.hover.setFont(figures_font(self.font()))
        self.hover.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._stage = ElidedLabel()
        keep_scaled(self._stage.setFixedWidth, STAGE_WIDTH)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        keep_scaled(self._bar.setFixedWidth, BAR_WIDTH)
        self._stop = tool_button(14, translated("Stop"))
        self._stop.setToolTip(translated("Stop (Esc)"))
        self._stop.clicked.connect(cancel)
        self._quiet = QWidget()
        self._quiet_text = label(rank="caption")
        self._quiet_stop = tool_button(12, translated("Do not prepare live trees"))
        self._quiet_stop.setToolTip(translated("Do not prepare live trees for this network"))
        self._quiet_stop.clicked.connect(cancel_quiet)
        quiet = QHBoxLayout(self._quiet)
        quiet.setContentsMargins(0, 0, 0, 0)
        quiet.setSpacing(GAP // 2)
        quiet.addWidget(self._quiet_text)
        quiet.addWidget(self._quiet_stop)
        self._work = QWidget()
        work = QHBoxLayout(self._work)
        work.setContentsMargins(0, 0, 0, 0)
        work.setSpacing(GAP)
        for widget in (self._stage, self._bar, self._stop):
            work.addWidget(widget)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN, 0, GAP, 0)
        layout.setSpacing(2 * GAP)
        layout.addWidget(self._message, 1)
        layout.addWidget(self.hover, 1)
        layout.addWidget(self._quiet)
        layout.addWidget(self._work)
        keep_sized(self, StatusLine._fit)
        self.show_hover("")
        self.show_busy(False)
        self.show_quiet("")

    def _fit(self) -> None:
        """Be as high when idle as when busy, or the map would change its size with every search."""
        parts = (self._message, self._work)
        for part in (*parts, self._stage, self._bar, self._stop):
            part.ensurePolished()  # only then it knows how high it will be
        self.setMinimumHeight(max(part.sizeHint().height() for part in parts))

    def showEvent(self, event: QShowEvent) -> None:
        """Take the height that the style sheet gives."""
        super().showEvent(event)
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        for button in (self._stop, self._quiet_stop):
            button.setIcon(icon("cross", theme, "muted"))

    def show_hover(self, text: str) -> None:
        """Describe what is under the pointer; while nothing is, the message has its room."""
        self.hover.show_text(text)
        self.hover.setVisible(bool(text))

    def show_message(self, message: str) -> None:
        """Show a message until the next."""
        self._message.show_text(message)

    @property
    def message(self) -> str:
        """The last message."""
        return self._message.text()

    @property
    def stage(self) -> str:
        """What the engine does, as it was reported last."""
        return self._stage.text()

    def show_progress(self, stage: str, fraction: float) -> None:
        """Show the engine's stage and how much of it is done, 0 … 1, or -1 where that is unknown."""
        self._stage.show_text(stage[:1].upper() + stage[1:])
        self._bar.setRange(0, 0 if fraction < 0 else 1000)
        self._bar.setValue(max(int(fraction * 1000), 0))

    def show_quiet(self, text: str) -> None:
        """Show what is done in the background, nothing where ``text`` is empty."""
        self._quiet_text.setText(text)
        self._quiet.setVisible(bool(text))

    @property
    def quiet(self) -> str:
        """What is done in the background, as it was reported last."""
        return self._quiet_text.text()

    def show_busy(self, busy: bool) -> None:
        """Show or hide the progress."""
        self._work.setVisible(busy)
