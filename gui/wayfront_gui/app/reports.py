"""What the program reports to a person: news in the status line, problems and long waits over the map."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMessageBox, QProgressBar, QWidget

from wayfront.devices import why_no_card
from wayfront.safe.errors import MemoryShortError, NetworkNotHereError
from wayfront_gui.app.awaiting import SEARCH, is_compiled
from wayfront_gui.app.controller import Controller
from wayfront_gui.app.jobs import Abilities
from wayfront_gui.session import formatting
from wayfront_gui.ui.cards import MessageBar, message_box
from wayfront_gui.ui.controls import GAP, MARGIN, ElidedLabel, holding, in_row, label, tool_button
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import figures_font, keep_scaled, keep_sized
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import translated

log = logging.getLogger(__name__)
FORECAST_FROM_S = 1.0
"""A search that takes longer by its forecast is announced in the status line …"""
NOTICED_FROM_S = 10.0
"""… and one that takes longer than this, over the map too."""


ASKED_FOR = frozenset({"open", "search", "save"})
"""Lanes of jobs that a person asks for; others go on by themselves."""


class Reports(QObject):
    """Shows what controller and worker report."""

    def __init__(self, status: StatusLine, strip: MessageBar, controller: Controller, parent: QObject) -> None:
        super().__init__(parent)
        self._status, self._message_bar = status, strip
        self._forecast = ""
        self._once, self._opens = "", 0
        self._question = ""
        self._cancel, self._run = controller.cancel, controller.run
        controller.news.connect(self._on_news)
        controller.files.opened.connect(self._on_opened)
        controller.abilities_found.connect(self._on_abilities)
        controller.searching_changed.connect(self._on_searching)
        controller.worker.progressed.connect(status.show_progress)
        controller.worker.busy_changed.connect(status.show_busy)
        controller.worker.busy_changed.connect(self._on_busy)
        controller.worker.forecast.connect(self._on_forecast)
        controller.worker.failed.connect(self.show_problem)
        controller.worker.done.connect(self._on_done)

    def _on_news(self, news: str) -> None:
        log.info("%s", news)
        self.show(news)

    def show(self, news: str) -> None:
        """Show news in the status line."""
        self._status.show_message(news)

    def show_problem(self, problem: str) -> None:
        """Show a problem in the strip over the map."""
        log.warning("%s", problem)
        self._message_bar.show_problem(problem)

    def report_once(self, problem: str, action: str = "", act: Callable[[], None] = lambda: None) -> None:
        """Show a problem that the file which opens all the same, and its search, leave where it is."""
        log.warning("%s", problem)
        self._message_bar.show_problem(problem, action, act)
        self._once, self._opens = self._message_bar.text, 1

    def ask_to_run(self, why: str) -> None:
        """Ask whether to run the search that is chosen; whatever is run answers that."""
        self.report_once(why, translated("Run"), self._run)
        self._question = self._message_bar.text

    def _on_done(self, lane: str) -> None:
        """Hide a problem that is over: something that a person asked for has worked since."""
        if lane == "search":
            self._end_forecast()
        if lane not in ASKED_FOR:
            return
        if lane == "search":
            self._message_bar.hide_notice()  # a race goes on with searches that take less
        if self._message_bar.text != self._once:
            self._message_bar.hide_problem()
        elif lane == "search" and not self._opens:
            self._once = ""  # the file's own search: the next one is somebody's who has read it

    def _on_opened(self, path: str) -> None:
        """Hide a problem that is over, except one that nobody has had the time to read."""
        log.info("opened %s", path)
        if self._opens and self._message_bar.text == self._once:
            self._opens = 0
        else:
            self._once = ""
            self._message_bar.hide()

    def _on_abilities(self, abilities: Abilities) -> None:
        if not is_compiled(SEARCH):
            return  # that a recorded search is shown is what is to be read
        if why := why_no_card(abilities.devices):
            self.show(translated("Searches run on the CPU: {reason}", reason=formatting.no_card(why)))

    def _on_forecast(self, forecast: str, seconds: float) -> None:
        """Announce a search that will take a while, and how to stop one that takes long."""
        if seconds >= FORECAST_FROM_S:
            self._forecast = forecast
            self.show(forecast)
        if seconds > NOTICED_FROM_S:
            notice = translated("{forecast}. Esc stops it.", forecast=forecast)
            self._message_bar.show_notice(notice, translated("Stop"), self._cancel)

    def _on_searching(self, searching: bool) -> None:
        if not searching:
            self._end_forecast()
        elif self._message_bar.text == self._question:
            self._message_bar.hide()

    def _on_busy(self, busy: bool) -> None:
        if not busy:  # a search that was stopped or failed, whoever asked for it
            self._end_forecast()

    def _end_forecast(self) -> None:
        """Take back what was announced of a search that has ended: a lesson's and clean runs are nobody's choice."""
        self._message_bar.hide_notice()
        if self._forecast and self._status.message == self._forecast:
            self.show("")


class Questions:
    """Asks in a box over the window; the window works meanwhile."""

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent

    def about_memory(self, problem: MemoryShortError, open_anyway: Callable[[], None]) -> None:
        """Ask whether to open a map that may not fit."""
        self.ask(
            translated("Not enough memory"), formatting.memory_short(problem), translated("Open anyway"), open_anyway
        )

    def about_network(self, problem: NetworkNotHereError, make_it: Callable[[], None]) -> None:
        """Ask whether to make the network that a trace names."""
        self.ask(translated("Make the network?"), formatting.network_not_here(problem), translated("Make it"), make_it)

    def ask(self, title: str, text: str, button: str, do_it: Callable[[], None]) -> None:
        """Ask with a button called ``button``, which calls ``do_it``, and one to cancel."""
        box = message_box(self._parent, title, text)
        box.addButton(button, QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.accepted.connect(do_it)
        box.open()


BAR_WIDTH = 130
STAGE_WIDTH = 190


class StatusLine(QWidget):
    """Shows messages at the left, the node under the pointer and progress with a Stop button at the right.

    What is done in the background has a line of its own, dim and without a bar, with its own Stop button.
    """

    quiet_stopped = Signal()
    """A person wants what is done in the background to stop."""

    def __init__(self, cancel: Callable[[], None]) -> None:
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
        self._stop = tool_button(14, translated("Stop"), translated("Stop (Esc)"), cancel)
        self._quiet_text = label(rank="caption")
        self._quiet_stop = tool_button(
            12,
            translated("Do not prepare live trees"),
            translated("Do not prepare live trees for this network"),
            lambda: self.quiet_stopped.emit(),  # noqa: PLW0108 - a click says whether a button is checked
        )
        self._quiet = holding(in_row(self._quiet_text, self._quiet_stop, spacing=GAP // 2))
        self._work = holding(in_row(self._stage, self._bar, self._stop))
        parts = (self._message, 1), (self.hover, 1), self._quiet, self._work
        self.setLayout(in_row(*parts, spacing=2 * GAP, margins=(MARGIN, 0, GAP, 0)))
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

    def show_quiet(self, text: str, *, stops: bool = True) -> None:
        """Show what is done in the background, and may ``stop``; nothing where ``text`` is empty."""
        self._quiet_stop.setVisible(stops)
        self._quiet_text.setText(text)
        self._quiet.setVisible(bool(text))

    @property
    def quiet(self) -> str:
        """What is done in the background, as it was reported last."""
        return self._quiet_text.text()

    def show_busy(self, busy: bool) -> None:
        """Show or hide the progress."""
        self._work.setVisible(busy)
