"""What the program reports to a person: news in the status line, problems and long waits over the map."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtCore import QObject

from wayfront.devices import why_no_card
from wayfront_gui.engine_thread.jobs import Abilities
from wayfront_gui.model import formatting
from wayfront_gui.panels.status import StatusLine
from wayfront_gui.translation import translated
from wayfront_gui.widgets.message_bar import MessageBar
from wayfront_gui.window.controller import Controller

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
        controller.news.connect(self._on_news)
        controller.cuts.progressed.connect(status.show_quiet)
        controller.files.opened.connect(self._on_opened)
        controller.abilities_found.connect(self._on_abilities)
        controller.searching_changed.connect(self._on_searching)
        controller.worker.progressed.connect(status.show_progress)
        controller.worker.busy_changed.connect(status.show_busy)
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

    def tell_once(self, problem: str, action: str = "", act: Callable[[], None] = lambda: None) -> None:
        """Show a problem that the file which opens all the same, and its search, leave where it is."""
        log.warning("%s", problem)
        self._message_bar.show_problem(problem, action, act)
        self._once, self._opens = self._message_bar.text, 1

    def _on_done(self, lane: str) -> None:
        """Hide a problem that is over: something that a person asked for has worked since."""
        if lane not in ASKED_FOR:
            return
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
        if why := why_no_card(abilities.devices):
            self.show(translated("Searches run on the CPU: {reason}", reason=formatting.no_card(why)))

    def _on_forecast(self, forecast: str, seconds: float) -> None:
        """Announce a search that will take a while, and how to stop one that takes long."""
        if seconds >= FORECAST_FROM_S:
            self._forecast = forecast
            self.show(forecast)
        if seconds > NOTICED_FROM_S:
            self._message_bar.show_notice(translated("{forecast}. Cancel or Esc stops it.", forecast=forecast))

    def _on_searching(self, searching: bool) -> None:
        if not searching:
            self._message_bar.hide_notice()
            if self._status.message == self._forecast:
                self.show("")
