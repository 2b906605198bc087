"""The panel of closed roads: the tools, the list, what the closures cost, and the most critical road."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPalette,
    QShowEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from wayfront_gui.features.closures.costs import Critical, Detours
from wayfront_gui.features.closures.turns import closed_turns
from wayfront_gui.session.closures import ClosedRoad, closed_roads
from wayfront_gui.session.session import Session
from wayfront_gui.session.turning import Turn
from wayfront_gui.ui.controls import GAP, MARGIN, action_row, holding, in_column, in_row, label, push_button
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import figures_font, hint, keep_rows_sized, keep_sized, one_line, qt_colour, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import marked, plural, translated

MOST_ROADS = 200
"""Closed roads that are listed."""
SEEN_ROADS = 6
"""Rows of the list that are seen at once."""
CHANGED_BY = {
    "roads.close": marked("Close"),
    "roads.close_turn": marked("Turns"),
    "roads.reopen": marked("Reopen"),
}
UNDONE_BY = {
    "edit.undo": marked("Undo"),
    "edit.redo": marked("Redo"),
    "roads.reopen_all": marked("Reopen all"),
}
KEPT_BY = {"roads.open": marked("Open…"), "roads.save": marked("Save…"), "roads.save_turns": marked("Save turns…")}
SHOWN_BY = {
    "roads.detours": marked("Detour view"),
    "roads.critical": marked("Most critical"),
    "roads.close_critical": marked("Close it"),
}
EMPTY = marked("No road is closed. Press C, then click roads on the map, or drag over them; U closes turns.")


class ClosuresPanel(QWidget):
    """Lists the active slot's closed roads and turns, and says what they cost.

    ``show_road`` shows one on the map, ``reopen_turn`` reopens a turn.
    """

    def __init__(
        self,
        session: Session,
        actions: Mapping[str, QAction],
        show_road: Callable[[ClosedRoad], None],
        reopen_turn: Callable[[Turn], None],
    ) -> None:
        super().__init__()
        self._session, self._reopen_turn = session, reopen_turn
        self.count = label(rank="value", wrap=True)
        self.list = ClosedList()
        self.list.reopened.connect(self._reopen)
        self.list.chosen.connect(show_road)
        self.totals = label(wrap=True)
        self.critical = label(wrap=True)
        self.save_totals, self.save_critical = (
            push_button(translated("Save…"), actions[name].toolTip(), press=actions[name].trigger)
            for name in ("roads.save_detours", "roads.save_ranking")
        )
        self.save_totals.setAccessibleName(translated("Save detours"))
        self.save_critical.setAccessibleName(translated("Save critical roads"))
        self._totals = holding(in_row((self.totals, 1), self.save_totals))
        self._critical = holding(in_row((self.critical, 1), self.save_critical))
        changed_by, undone_by, kept_by, shown_by = (
            action_row(actions, texts) for texts in (CHANGED_BY, UNDONE_BY, KEPT_BY, SHOWN_BY)
        )
        parts = (changed_by, undone_by, self.count, (self.list, 1), kept_by, shown_by, self._totals, self._critical)
        below = (None, 0)  # what a short list leaves, which would be round the count
        self.setLayout(in_column(*parts, below, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        for changed in (session.closures_changed, session.network_changed, session.choice_changed):
            changed.connect(self._show_roads)
        session.changed(Detours).connect(self._show_totals)
        session.changed(Critical).connect(self._show_critical)
        self._show_roads()
        self._show_totals()
        self._show_critical()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self.list.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the list up to date, which is not kept while nobody sees it."""
        super().showEvent(event)
        self._show_roads()

    def _reopen(self, road: ClosedRoad) -> None:
        if road.turn is None:
            self._session.active.closures.reopen(road.arcs)
        else:
            self._reopen_turn(road.turn)

    def _show_roads(self) -> None:
        if not self.isVisible():
            return
        slot = self._session.active
        if slot.network is None or slot.metric is None or not (len(slot.closures.arcs) or slot.turns):
            self.list.show_roads((), 0)
            self.count.setText(translated(EMPTY))
            return
        roads, count = closed_roads(slot.network, slot.closures.arcs, slot.metric, MOST_ROADS)
        turns = closed_turns(slot.network, slot.turns)
        self.list.show_roads((*turns, *roads), count + len(turns))
        said = [plural("{count:,} closed road", "{count:,} closed roads", count)] if count else []
        if turns:
            said.append(plural("{count:,} closed turn", "{count:,} closed turns", len(turns)))
        self.count.setText(", ".join(said))

    def _show_totals(self) -> None:
        found = self._session.active.state(Detours).found
        self.totals.setText("" if found is None else f"{found.text}.")
        self._totals.setVisible(found is not None)

    def _show_critical(self) -> None:
        found = self._session.active.state(Critical).road
        self.critical.setText("" if found is None else found.text)
        self._critical.setVisible(found is not None)


ROW_HEIGHT = 42
CROSS = 16
NO_NAME = marked("unnamed road")
ROAD_ROLE = Qt.ItemDataRole.UserRole + 1
Index = QModelIndex | QPersistentModelIndex


class ClosedList(QListView):
    """Shows closed roads. Delete, or a click on a row's cross, reopens; Enter or a double click shows on the map."""

    reopened = Signal(object)
    """A ``ClosedRoad`` that is to be reopened."""
    chosen = Signal(object)
    """A ``ClosedRoad`` that is to be shown."""

    def __init__(self) -> None:
        super().__init__()
        self._rows = QStandardItemModel(self)
        self._draws = _RoadRows(self)
        self.setModel(self._rows)
        self.setItemDelegate(self._draws)
        self.setUniformItemSizes(True)
        keep_rows_sized(self)
        self.setMouseTracking(True)
        self.setAccessibleName(translated("Closed roads"))
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        keep_sized(self, ClosedList._fit)
        self.activated.connect(self._choose)

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._draws.theme = theme
        self.viewport().update()

    def show_roads(self, roads: Sequence[ClosedRoad], count: int) -> None:
        """List roads, of ``count`` in all; the selected place stays."""
        row = self.currentIndex().row()
        self._rows.clear()
        for road in roads:
            facts = filter(None, (road.name or translated(NO_NAME), road.length, road.ends))
            item = QStandardItem(one_line(", ".join(facts)))
            item.setData(road, ROAD_ROLE)
            item.setToolTip(hint(item.text()))
            self._rows.appendRow(item)
        if count > len(roads):
            more = QStandardItem(translated("and {count:,} more", count=count - len(roads)))
            more.setEnabled(False)
            self._rows.appendRow(more)
        self._fit()
        if row >= 0 and roads:
            self.setCurrentIndex(self._rows.index(min(row, len(roads) - 1), 0))

    def _fit(self) -> None:
        """Be as high as the rows, up to some; where there is none, leave no gap."""
        rows = min(self._rows.rowCount(), SEEN_ROADS)
        self.setFixedHeight(rows * max(self.sizeHintForRow(0), 0) + 2 * self.frameWidth())
        self.setVisible(rows > 0)

    def roads(self) -> list[ClosedRoad]:
        """Return the listed roads."""
        rows = (self._rows.item(row).data(ROAD_ROLE) for row in range(self._rows.rowCount()))
        return [road for road in rows if road is not None]

    def cross_of(self, index: Index) -> QRect:
        """Return where the cross of a row is, in the viewport."""
        row, side = self.visualRect(index), scaled(CROSS)
        return QRect(row.right() - side - GAP, row.top() + (row.height() - side) // 2, side, side)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Reopen the selected road with Delete or Backspace."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._reopen(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Keep Delete and Enter from being taken for shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            kept = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if event.key() in kept and not event.modifiers():
                event.accept()
                return True
        return super().event(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Reopen the road whose cross was clicked."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self.cross_of(index).adjusted(-4, -8, 4, 8).contains(event.position().toPoint()):
            self._reopen(index)
        else:
            super().mouseReleaseEvent(event)

    def _reopen(self, index: QModelIndex) -> None:
        road = index.data(ROAD_ROLE)
        if road is not None:
            self.reopened.emit(road)

    def _choose(self, index: QModelIndex) -> None:
        road = index.data(ROAD_ROLE)
        if road is not None:
            self.chosen.emit(road)


class _RoadRows(QStyledItemDelegate):
    """Draws a road's name and length, below them its ends, and its cross."""

    def __init__(self, of: ClosedList) -> None:
        super().__init__(of)
        self._list = of
        self.theme = DARK

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height of two lines."""
        return QSize(120, scaled(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        road: ClosedRoad | None = index.data(ROAD_ROLE)
        painter.save()
        state = option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver)
        if road is not None and state:
            selected = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.fillRect(option.rect, qt_colour(self.theme.interface.lifted, 1.0 if selected else 0.45))
        painter.setFont(figures_font(option.font))
        row = QRect(option.rect).adjusted(GAP // 2, 4, -scaled(CROSS) - 2 * GAP, -4)
        if road is None:
            painter.setPen(option.palette.color(QPalette.ColorGroup.Active, QPalette.ColorRole.PlaceholderText))
            painter.drawText(row, Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        else:
            self._paint_road(painter, row, option.palette, road)
            icon("cross", self.theme, "text" if state else "muted").paint(painter, self._list.cross_of(index))
        painter.restore()

    def _paint_road(self, painter: QPainter, row: QRect, palette: QPalette, road: ClosedRoad) -> None:
        metrics, right = painter.fontMetrics(), Qt.AlignmentFlag.AlignRight
        text, muted = (
            palette.color(QPalette.ColorGroup.Active, role)
            for role in (QPalette.ColorRole.Text, QPalette.ColorRole.PlaceholderText)
        )
        painter.setPen(muted)
        painter.drawText(row, right, road.length)
        ends = metrics.elidedText(road.ends, Qt.TextElideMode.ElideRight, row.width())
        painter.drawText(row, Qt.AlignmentFlag.AlignBottom, ends)
        if road.name:
            painter.setPen(text)
        room = row.width() - metrics.horizontalAdvance(road.length) - GAP
        name = metrics.elidedText(one_line(road.name or translated(NO_NAME)), Qt.TextElideMode.ElideRight, room)
        painter.drawText(row, Qt.AlignmentFlag.AlignTop, name)
