"""The panel of a race: each search with its place, its figures and its strip on the common clock."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import pairwise
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QImage,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QPushButton, QSizePolicy, QToolButton, QWidget

from wayfront.results.result import RouteResult
from wayfront_gui.app.scrubber import outline
from wayfront_gui.features.race.state import Lane, Race, Runner, ordinal
from wayfront_gui.session import formatting
from wayfront_gui.session.replay import Player
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    TitleLabel,
    in_column,
    in_row,
    label,
    push_button,
    tool_button,
)
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import keep_scaled, keep_sized, qt_colour, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import marked, plural, translated

EMPTY = marked(
    "Two to six searches from the same source, replayed side by side. Start with four, or add searches and choose each "
    "in the Search panel."
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
        about = translated("Take this search out of the race")
        remove = partial(session.remove_slot, slot)
        self.remove = tool_button(14, translated("Remove this search"), about, remove)
        self.strip = RaceStrip(slot.player)
        self.strip.sought.connect(lambda share: session.clock.go_to(share * session.clock.length))
        self.facts = TitleLabel(rank="caption")
        head = in_row(self.name, SPRING, self.remove, spacing=6)
        foot = in_row((self.facts, 1), self.figure, spacing=6)
        lines = in_column(head, self.strip, foot, spacing=3)
        self.setLayout(in_row(self.place, (lines, 1), spacing=6, margins=(0, 0, 0, GAP)))

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
        self._list = in_column(spacing=0)
        self.fill = _button(actions["race.fill"])
        self.fill.setProperty("rank", "main")
        self.add, self.leave = _button(actions["race.add"]), _button(actions["race.leave"])
        ends = in_row(self.add, self.leave, SPRING)
        self.save = push_button(translated("Save…"), actions["race.save"].toolTip(), press=actions["race.save"].trigger)
        self.save.setAccessibleName(translated("Save the ranking"))
        parts = self.about, self.fill, ends, self._list, in_row(self.save, SPRING), SPRING
        self.setLayout(in_column(*parts, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        for changed in (
            session.slots_changed,
            session.active_changed,
            session.state(Race).changed,
            session.choice_changed,
        ):
            changed.connect(self._show)
        for changed in (session.result_changed, session.clock.moved, session.clock.pace_changed):
            changed.connect(self._show_lanes)
        self._show()

    @property
    def rows(self) -> list[RaceRow]:
        """A row for each search, those that take the shortest first."""
        return list(self._rows)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        for row in self._rows:
            row.set_theme(theme)

    def _show(self) -> None:
        race, slots = self._session.state(Race), self._session.slots if self._session.several else []
        for row in [row for row in self._rows if row.slot not in slots]:
            self._rows.remove(row)
            row.hide()
            row.deleteLater()
        for slot in [slot for slot in slots if slot not in [row.slot for row in self._rows]]:
            row = RaceRow(self._session, slot)
            row.set_theme(self._theme)
            self._rows.append(row)
            self._list.addWidget(row)
        self.about.setVisible(not race.on)
        self.fill.setVisible(not race.on)
        self.leave.setVisible(race.on)
        self.save.setVisible(race.on)
        self.add.setEnabled(not race.full)
        self._show_lanes()

    def _show_lanes(self) -> None:
        """Show where each search is, those first that take the shortest; those not recorded yet come last."""
        race = self._session.state(Race)
        if not race.on:
            return
        lanes = dict(zip(self._session.slots, zip(race.lanes(), race.runners, strict=True), strict=True))
        for row in self._rows:
            row.show_lane(*lanes[row.slot])
        shares = {slot: lane.share for slot, (lane, _) in lanes.items()}
        ranked = sorted(self._rows, key=lambda row: (shares[row.slot] <= 0, shares[row.slot]))
        if ranked != self._rows:
            self._rows = ranked
            for row in ranked:
                self._list.removeWidget(row)
                self._list.addWidget(row)
            for row, after in pairwise(ranked):
                QWidget.setTabOrder(row.remove, after.name)
                QWidget.setTabOrder(after.name, after.remove)


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
    return push_button(action.iconText(), action.toolTip(), press=action.trigger)


HEIGHT = 30


class RaceStrip(QWidget):
    """Shows one player's trace; all strips of a race have the same scale. Pressing or dragging seeks the clock."""

    sought = Signal(float)
    """A moment of the clock, as a share of its length, 0 … 1."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self._theme = DARK
        self._images: tuple[QImage, QImage] | None = None
        self._shown: tuple[Any, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        keep_sized(self, lambda each: each.updateGeometry())
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_theme(self, theme: Theme) -> None:
        """Paint in the theme's colours."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Return a low and wide size."""
        return QSize(240, scaled(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the frontier, played up to the clock's moment, and where the search ends."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colours, clock, player = self._theme.interface, self._player.clock, self._player
        area = QRectF(0, 1, self.width(), self.height() - 2)
        painter.fillRect(QRectF(area.left(), area.bottom() - 1, area.width(), 1), qt_colour(colours.line))
        if player.trace is None:
            return
        now = area.width() * clock.fraction
        wide = area.width() * min(player.span / clock.length, 1.0)
        played, ahead = self._draw(wide, area)
        for left, right, image in ((0.0, now, played), (now, area.width(), ahead)):
            painter.setClipRect(QRectF(left, 0, right - left, self.height()))
            painter.drawImage(QPointF(0, 0), image)
        painter.setClipping(False)
        painter.setPen(QPen(qt_colour(colours.text, 0.9 if clock.now >= player.span else 0.45), 1.5))
        end = min(max(wide, 1.0), area.width() - 1)
        painter.drawLine(QPointF(end, area.top()), QPointF(end, area.bottom()))
        painter.setPen(QPen(qt_colour(colours.text, 0.8), 1))
        here = min(now, area.width() - 0.5)
        painter.drawLine(QPointF(here, 0), QPointF(here, self.height()))

    def _draw(self, wide: float, area: QRectF) -> tuple[QImage, QImage]:
        """Return the frontier as played and as still ahead, drawn once for a trace and a size."""
        ratio = self.devicePixelRatioF()
        shown = (id(self._player.trace), id(self._player.marks), wide, area.width(), ratio, self._theme.name)
        if self._images is None or shown != self._shown:
            colours, path = self._theme.interface, self._frontier(wide, area)
            fills = qt_colour(colours.accent, 0.9), qt_colour(colours.faint, 0.5)
            self._images, self._shown = (self._fill(path, fills[0]), self._fill(path, fills[1])), shown
        return self._images

    def _fill(self, path: QPainterPath, colour: QColor) -> QImage:
        image = QImage(self.size() * self.devicePixelRatioF(), QImage.Format.Format_ARGB32_Premultiplied)
        image.setDevicePixelRatio(self.devicePixelRatioF())
        image.fill(0)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(path, colour)
        painter.end()
        return image

    def _frontier(self, wide: float, area: QRectF) -> QPainterPath:
        trace = self._player.trace
        assert trace is not None
        heights = outline(self._player.marks, trace.frontier_size, max(round(wide), 1))
        path = QPainterPath(area.bottomLeft())
        for x, height in enumerate(heights.tolist()):
            path.lineTo(area.left() + x, area.bottom() - 2 - height * (area.height() - 3))
        path.lineTo(area.left() + wide, area.bottom() - 2 - float(heights[-1]) * (area.height() - 3))
        path.lineTo(area.left() + wide, area.bottom())
        path.closeSubpath()
        return path

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Seek to the pointer."""
        self._seek(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Seek to the pointer while it is pressed."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._seek(event)

    def _seek(self, event: QMouseEvent) -> None:
        self.sought.emit(min(max(event.position().x() / max(self.width(), 1), 0.0), 1.0))
