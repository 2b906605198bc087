"""What is said below the map of a presentation, in letters that one reads across a room."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QProgressBar, QSizePolicy

from wayfront.safe.options import AUTO
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.features.lessons.panel import LessonChoices, LessonText
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.session import formatting
from wayfront_gui.session.formatting import title_of
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import GAP, MARGIN, ElidedLabel, Figure, Scrolling, in_column, in_row
from wayfront_gui.ui.translation import translated

SHOWN = (0, 1, 2, 4)
"""Which figures of a step are shown: its number, frontier, relaxations, and the bucket or what is special to it."""
MOST_OF_WINDOW = 0.4
"""How much of the window's height a lesson's text takes at most; a longer one scrolls."""
_FINE = 1000
"""Parts of the bar that shows how far the replay is."""


class PresentationCaption(QFrame):
    """Says what searches where, which step is shown, and what a lesson says of it."""

    def __init__(self, session: Session, play: LessonPlay) -> None:
        super().__init__()
        self._session, self._play = session, play
        self.setProperty("slide", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = ElidedLabel(rank="headline")
        self.keys = ElidedLabel(translated("Space plays, the arrow keys step, Esc goes back"))
        self.keys.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.lesson, self.choices = LessonText(play), LessonChoices(play, across=True)
        self._lesson = Scrolling(self.lesson)
        self.figures: list[Figure] = []
        self._captions: list[str] = []
        self._row = in_row(spacing=3 * GAP)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, _FINE)
        self.keys.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        head = in_row((self.title, 1), self.keys, spacing=3 * GAP)
        # Choices are below what scrolls: one would not know that there are any.
        parts = head, self._lesson, self.choices, self._row, self._bar
        self.setLayout(in_column(*parts, margins=(2 * MARGIN, MARGIN, 2 * MARGIN, MARGIN)))
        for changed in (session.result_changed, session.network_changed, session.choice_changed, session.live_changed):
            changed.connect(self.show_now)
        session.replay_moved.connect(self._show_step)
        play.changed.connect(self._show_lesson)
        self.hide()

    def _show_lesson(self) -> None:
        """Show the moment of a lesson where one is played, at most as high as leaves the map most of the room."""
        self._lesson.setHidden(self._play.moment is None)
        self._take_rank("headline" if self._play.moment is None else "second")
        room = self.width() - 4 * MARGIN
        most = MOST_OF_WINDOW * self.window().height()
        choices = self.choices.sizeHint().height() + GAP if self.choices.buttons else 0
        least = 4 * self.fontMetrics().height()
        self._lesson.setFixedHeight(round(min(self.lesson.heightForWidth(room) + GAP, max(most - choices, least))))

    def _take_rank(self, rank: str) -> None:
        """Write the title large, or small where the lesson has one of its own."""
        if self.title.property("rank") != rank:
            self.title.setProperty("rank", rank)
            self.style().unpolish(self.title)
            self.style().polish(self.title)
            self._fit()

    def show_now(self) -> None:
        """Show what searches where, unless nobody sees it."""
        if self.isHidden():
            return
        slot = self._session.active
        name = slot.algorithm if slot.result is None else slot.result.algorithm
        searched = "" if name == AUTO else formatting.title(name)
        where = "" if slot.network is None else title_of(slot.network.name)
        self.title.show_text(" · ".join(filter(None, (searched, where))))
        self._fit()
        self._show_step()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Say which keys there are only beside a title that is seen whole."""
        super().resizeEvent(event)
        self._fit()
        self._show_lesson()

    def _fit(self) -> None:
        asked = sum(part.fontMetrics().horizontalAdvance(part.text()) for part in (self.title, self.keys))
        self.keys.setVisible(asked + 4 * MARGIN + 3 * GAP <= self.width())

    def _show_step(self) -> None:
        if self.isHidden():
            return
        slot, player = self._session.active, self._session.active.player
        pairs: list[tuple[str, str]] = []
        if player.trace is not None and slot.network is not None and slot.shown_metric is not None:
            pairs = formatting.about_step(player.trace, player.steps_done - 1, slot.network, slot.shown_metric)
            pairs = [pairs[index] for index in SHOWN if index < len(pairs)]
        captions = [caption for caption, _ in pairs]
        if captions != self._captions:
            self._list(captions)
        for figure, (_, value) in zip(self.figures, pairs, strict=True):
            figure.show_value(value)
        self._bar.setValue(round(_FINE * player.fraction) if pairs else 0)

    def _list(self, captions: list[str]) -> None:
        """Have a figure for each caption."""
        for figure in self.figures:
            self._row.removeWidget(figure)
            figure.hide()
            figure.deleteLater()
        self._captions, self.figures = captions, [Figure(caption) for caption in captions]
        for index, figure in enumerate(self.figures):
            self._row.addWidget(figure, 2 if index == len(SHOWN) - 1 else 1)  # bounds are the longest


class Presentation:
    """Goes into a presentation and back; every shortcut works in it as before."""

    def __init__(self, host: Host) -> None:
        self._window, self._panels, self._central = host.window, host.panels, host.central
        self._action = host.actions["view.present"]
        self._before = Qt.WindowState.WindowNoState
        self.on = False
        self.caption = PresentationCaption(host.session, host.session.state(LessonPlay))
        host.central.add_below(self.caption)
        host.tools.before.append(self.leave)
        host.closing.connect(self.leave)  # what is kept is how the window stands without it

    @command(
        "view.present",
        "P&resent",
        keys=("F5",),
        hint="The map on the whole screen with large captions; every key works, Esc goes back",
        at=(2, 1),
        under="show",
        checkable=True,
    )
    def present(self, wanted: bool) -> None:
        """Fill the screen with the map, or go back to the window as it was."""
        if wanted == self.on:
            return
        self.on = wanted
        self._action.setChecked(wanted)
        window, full = self._window, Qt.WindowState.WindowFullScreen
        if wanted:
            self._before = window.windowState()
        window.menuBar().setVisible(not wanted)
        window.statusBar().setVisible(not wanted)
        self._panels.clear_away(wanted)
        self.caption.setVisible(wanted)
        self.caption.show_now()
        window.setWindowState(self._before | full if wanted else self._before)
        self._central.view.setFocus()

    def leave(self) -> bool:
        """Go back to the window; return whether it was a presentation."""
        was_on = self.on
        self.present(False)
        return was_on
