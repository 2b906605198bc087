"""The panel of a race: each search with its place, its figures and its strip on the common clock."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from wayfront.search.to_target.result import RouteResult
from wayfront_gui.look.icons import icon
from wayfront_gui.look.text_scale import keep_scaled
from wayfront_gui.look.theme import DARK, Theme
from wayfront_gui.model import formatting
from wayfront_gui.model.race import Lane, Runner, ordinal
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.translation import marked, plural, translated
from wayfront_gui.widgets.controls import GAP, MARGIN, TitleLabel, label, push_button, tool_button
from wayfront_gui.widgets.race_chart import RaceChart
from wayfront_gui.widgets.race_strip import RaceStrip

EMPTY = marked(
    "Two to six searches from one source on one clock, recorded one after another. Add a search and choose what it is "
    "in the Search panel, or let four race that are there."
)
PLACE_WIDTH = 34


class RaceRow(QWidget):
    """One search of a race. Its name makes it the one that the panels show."""

    def __init__(self, session: Session, slot: Slot) -> None:
        super().__init__()
        self._session, self.slot = session, slot
        self.place = label(rank="name")
        keep_scaled(self.place.setFixedWidth, PLACE_WIDTH)
        self.name = QToolButton()
        self.name.setCheckable(True)
        self.name.setProperty("rank", "toggle")
        self.name.setToolTip(translated("Show this search in the panels, to choose its algorithm, options and device"))
        self.name.clicked.connect(partial(session.activate, slot))
        self.figure = label(rank="value")
        self.figure.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.remove = tool_button(14, translated("Remove this search"))
        self.remove.setToolTip(translated("Take this search out of the race"))
        self.remove.clicked.connect(partial(session.remove_slot, slot))
        self.strip = RaceStrip(slot.player)
        self.strip.sought.connect(lambda share: session.clock.go_to(share * session.clock.length))
        self.facts = TitleLabel(rank="caption")
        rows = QGridLayout(self)
        rows.setContentsMargins(0, 0, 0, GAP)
        rows.setHorizontalSpacing(6)
        rows.setVerticalSpacing(3)
        rows.setColumnStretch(1, 1)
        rows.addWidget(self.place, 0, 0, 3, 1)
        rows.addWidget(self.name, 0, 1, 1, 2, Qt.AlignmentFlag.AlignLeft)
        rows.addWidget(self.remove, 0, 3)
        rows.addWidget(self.strip, 1, 1, 1, 3)
        rows.addWidget(self.facts, 2, 1)
        rows.addWidget(self.figure, 2, 2, 1, 2)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self.strip.set_theme(theme)
        self.remove.setIcon(icon("cross", theme, "muted"))

    def show_lane(self, lane: Lane, runner: Runner) -> None:
        """Show where the search is."""
        self.place.setText("" if lane.place is None else ordinal(lane.place))
        self.name.setText(lane.title)
        self.name.setChecked(self.slot is self._session.active)
        self.figure.setText(lane.figure)
        self.facts.show_text(" · ".join(filter(None, (lane.detail, _facts(runner)))))
        self.name.setAccessibleName(lane.text)
        self.strip.setAccessibleName(translated("Replay of {search}", search=lane.text))
        self.remove.setAccessibleName(translated("Remove {search}", search=lane.text))
        self.strip.update()


class RacePanel(QWidget):
    """Shows who is where, and who ended when."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self._theme = DARK
        self._rows: list[RaceRow] = []
        self.about = label(translated(EMPTY), wrap=True)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.chart = RaceChart()
        self._order = label(translated("Finishing order"), rank="caption")
        self.fill = _button(actions["race.fill"])
        self.fill.setProperty("rank", "main")
        self.add, self.leave = _button(actions["race.add"]), _button(actions["race.leave"])
        self.split, self.difference = _toggle(actions["race.split"]), _toggle(actions["race.difference"])
        ends, views = QHBoxLayout(), QHBoxLayout()
        rows: tuple[tuple[QHBoxLayout, tuple[QWidget, ...]], ...] = (
            (ends, (self.add, self.leave)),
            (views, (self.split, self.difference)),
        )
        for row, widgets in rows:
            row.setSpacing(GAP)
            for widget in widgets:
                row.addWidget(widget)
            row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        for widget in (self.about, self.fill):
            layout.addWidget(widget)
        layout.addLayout(ends)
        layout.addLayout(views)
        layout.addLayout(self._list)
        layout.addWidget(self._order)
        layout.addWidget(self.chart)
        layout.addStretch(1)
        for changed in (session.slots_changed, session.active_changed, session.race.changed, session.choice_changed):
            changed.connect(self._show)
        for changed in (session.result_changed, session.clock.moved, session.clock.pace_changed):
            changed.connect(self._show_lanes)
        self._show()

    @property
    def rows(self) -> list[RaceRow]:
        """A row for each search, in the order of the maps."""
        return list(self._rows)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        self.chart.set_theme(theme)
        for row in self._rows:
            row.set_theme(theme)

    def _show(self) -> None:
        race, slots = self._session.race, self._session.slots if self._session.race.on else []
        for row in [row for row in self._rows if row.slot not in slots]:
            self._rows.remove(row)
            row.hide()
            row.deleteLater()
        for slot in slots[len(self._rows) :]:
            row = RaceRow(self._session, slot)
            row.set_theme(self._theme)
            self._rows.append(row)
            self._list.addWidget(row)
        self.about.setVisible(not race.on)
        self.fill.setVisible(not race.on)
        for widget in (self.leave, self.split, self.difference):
            widget.setVisible(race.on)
        self.add.setEnabled(not race.full)
        self._show_lanes()

    def _show_lanes(self) -> None:
        race = self._session.race
        found = race.lanes() if race.on else []
        for widget in (self._order, self.chart):
            widget.setVisible(any(lane.share > 0 for lane in found))
        if race.on:
            self.chart.show_lanes(found)
            for row, lane, runner in zip(self._rows, found, race.runners, strict=True):
                row.show_lane(lane, runner)


def _facts(runner: Runner) -> str:
    """Return what a search did, in one line."""
    result = runner.result
    if result is None or result.trace is None or runner.player.trace is None:
        return ""
    traced = translated("traced {time}", time=formatting.milliseconds(result.timing.traced_ms))
    if isinstance(result, RouteResult):
        count = result.settled_count
        return plural("{count:,} node settled · {traced}", "{count:,} nodes settled · {traced}", count, traced=traced)
    return translated(
        "{steps:,} steps · {relaxations:,} relaxations · {traced}",
        steps=len(result.trace),
        relaxations=result.relaxations or 0,
        traced=traced,
    )


def _button(action: QAction) -> QPushButton:
    """Return a button that does what an action does."""
    button = push_button(action.iconText(), action.toolTip())
    button.clicked.connect(action.trigger)
    return button


def _toggle(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.setProperty("rank", "toggle")
    return button
