"""The panel of routes: where they lead and what they take, what they are saved as, and directions step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QColor,
    QHideEvent,
    QKeyEvent,
    QPainter,
    QPalette,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
    QStandardItem,
    QStandardItemModel,
)
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from wayfront.results.directions import Step, Turn, directions
from wayfront.results.layers import GEOJSON, GPX
from wayfront.results.route import Route as Way
from wayfront_gui.features.routes.control import RouteControl
from wayfront_gui.features.routes.others import OthersControl
from wayfront_gui.features.turns.words import return_texts
from wayfront_gui.session.choice import LETTERS
from wayfront_gui.session.routes import (
    best_way,
    detour,
    main_road,
    measures,
    other_than,
    own_part,
    place_name,
    step_text,
)
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    ChoiceBox,
    WrappedLabel,
    captioned,
    check_box,
    holding,
    in_column,
    in_row,
    label,
    push_button,
)
from wayfront_gui.ui.style import figures_font, hint, keep_rows_sized, keep_sized, one_line, qt_colour, scaled
from wayfront_gui.ui.theme import DARK, Theme
from wayfront_gui.ui.translation import marked, plural, translated, translated_message

MOST_STEPS = 300
"""Steps of directions that are listed."""
LISTED_AFTER_MS = 120
"""How long a route stays as it is before its directions are listed: while it is dragged they would only flicker."""
BADGE = 22
"""Width of the letters before places, and of the arrows before steps."""
PADDING = 5
EMPTY = marked("Right-click on the map where you want to go, or find a place there and take it as the target.")
BY = {"s": marked("Fastest"), "m": marked("Shortest")}
"""How a metric's routes are called, by its unit."""
ANGLES = {
    Turn.DEPART: 0,
    Turn.ON: 0,
    Turn.STRAIGHT: 0,
    Turn.SLIGHT_LEFT: -45,
    Turn.LEFT: -90,
    Turn.SHARP_LEFT: -135,
    Turn.SLIGHT_RIGHT: 45,
    Turn.RIGHT: 90,
    Turn.SHARP_RIGHT: 135,
    Turn.U_TURN: 180,
}
"""Degrees to the right by which the arrow of a turn points away from straight on; one that arrives has none."""
BADGE_ROLE, DETAIL_ROLE, VALUE_ROLE = (Qt.ItemDataRole.UserRole + number for number in (1, 2, 3))
Index = QModelIndex | QPersistentModelIndex


class RoutePanel(QWidget):
    """Lists the active slot's source and targets, and the directions to the one that is shown."""

    def __init__(
        self,
        session: Session,
        actions: Mapping[str, QAction],
        control: Callable[[], RouteControl],
        others: Callable[[], OthersControl],
    ) -> None:
        super().__init__()
        self._session, self._control = session, control
        self.empty = label(translated(EMPTY), wrap=True)
        self.by = ChoiceBox(translated("What makes one route better than another"), self._choose_metric)
        self._by_row = holding(captioned(translated("Prefer"), self.by))
        self.stops = Rows(translated("Source and targets"))
        self.stops.chosen.connect(self._choose_stop)
        self.stops.removed.connect(self._remove)
        self.stops.shifted.connect(self._shift)
        self.add = push_button(translated("Add…"), actions["search.further_target"].toolTip())
        self.add.clicked.connect(actions["search.further_target"].trigger)
        self.remove = push_button(
            translated("Remove"), translated("Remove the selected target (Delete)"), press=self._drop
        )
        self.earlier = push_button(
            translated("Earlier"), translated("Move the selected target up (Alt+Up)"), press=lambda: self._move(-1)
        )
        self.later = push_button(
            translated("Later"), translated("Move the selected target down (Alt+Down)"), press=lambda: self._move(1)
        )
        self.through = check_box(
            translated("One route through all"), translated("In their order, as via points (Shift+T)")
        )
        self.through.clicked.connect(lambda wanted: control().lead_through(wanted))
        self.others_wanted = check_box(translated("Alternative routes"), actions["search.alternatives"].toolTip())
        self.others_wanted.clicked.connect(lambda wanted: control().show_others(wanted))
        self.others = Rows(translated("Alternative routes"))
        self.alone = label(translated("No other way is worth considering here."), "second", wrap=True)
        self.others.chosen.connect(lambda rank: others().choose(rank))
        self.headline = WrappedLabel()
        self.headline.setProperty("rank", "headline")
        self.headline.setFont(figures_font(self.headline.font()))
        self.detail, self.detour = label(wrap=True), label(rank="value", wrap=True)
        self.returns = label(wrap=True)
        self.gpx = push_button(
            translated("Save GPX…"),
            translated("For navigation devices: a track for each route"),
            rank="main",
            press=lambda: control().save(GPX),
        )
        self.geojson = push_button(
            translated("Save GeoJSON…"),
            translated("For maps and GIS: a line for each route"),
            press=lambda: control().save(GEOJSON),
        )
        self.copy = push_button(
            translated("Copy"), translated("Copy the directions as text"), press=lambda: control().copy()
        )
        self.distances = push_button(
            translated("Save distances…"), actions["file.distances"].toolTip(), press=actions["file.distances"].trigger
        )
        self.steps = Rows(translated("Directions"))
        self.steps.chosen.connect(self._choose_step)
        self._order = holding(in_row((self.earlier, 1), (self.later, 1), spacing=GAP // 2))
        edit = in_row((self.add, 1), (self.remove, 1), spacing=GAP // 2)
        self._saves = holding(
            in_column(
                in_row((self.gpx, 1), (self.geojson, 1), spacing=GAP // 2),
                in_row((self.copy, 1), (self.distances, 1), spacing=GAP // 2),
                spacing=GAP // 2,
            )
        )
        found = (self.headline, self.detail, self.returns, self.detour, self._saves, self.steps)
        parts = (
            self._by_row,
            self.stops,
            edit,
            self.through,
            self._order,
            self.others_wanted,
            self.others,
            self.alone,
            *found,
        )
        self._chosen = holding(in_column(*parts, spacing=GAP))
        self.setLayout(in_column(self.empty, self._chosen, SPRING, spacing=GAP, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        self._listed: Sequence[tuple[Way, Step]] = ()
        self._ways: Sequence[Way] = ()
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(LISTED_AFTER_MS)
        self._delay.timeout.connect(self.list_steps)
        for changed in (
            session.target_changed,
            session.source_changed,
            session.result_changed,
            session.network_changed,
        ):
            changed.connect(self._show)
        for changed in (session.choice_changed, session.slots_changed):
            changed.connect(self._show_metrics)
        session.live_changed.connect(self._show)
        self._show()
        self._show_metrics()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        for rows in (self.stops, self.others, self.steps):
            rows.set_theme(theme)

    # ------------------------------------------------------------------------------------------------- choosing

    @property
    def _slot(self) -> Slot:
        return self._session.active

    def _choose_metric(self, name: str) -> None:
        self._control().search_by(name)

    def _choose_stop(self, row: int) -> None:
        """Show the directions to a target, and where it is."""
        if row > 0:
            target = self._slot.targets.nodes[row - 1]
            self._control().change(lambda targets: targets.moved(target, target))
        node = self._slot.source if row == 0 else self._slot.targets.nodes[row - 1]
        if node is not None:
            self._control().go_to(node)

    def _selected(self) -> int | None:
        """Return the target that is selected in the list, else the one whose directions are shown."""
        nodes, row = self._slot.targets.nodes, self.stops.currentIndex().row()
        return nodes[row - 1] if 0 < row <= len(nodes) else self._slot.target

    def _remove(self, row: int) -> None:
        if 0 < row <= len(self._slot.targets.nodes):
            self._control().remove(self._slot.targets.nodes[row - 1])

    def _shift(self, row: int, by: int) -> None:
        nodes = self._slot.targets.nodes
        if 0 < row <= len(nodes):
            node = nodes[row - 1]
            self._control().change(lambda targets: targets.shifted(node, by))
            self.stops.select(self._slot.targets.nodes.index(node) + 1)

    def _drop(self) -> None:
        if (node := self._selected()) is not None:
            self._control().remove(node)

    def _move(self, by: int) -> None:
        if (node := self._selected()) is not None:
            self._shift(self._slot.targets.nodes.index(node) + 1, by)

    def _choose_step(self, row: int) -> None:
        if row < len(self._listed):
            self._control().show_step(*self._listed[row])

    # -------------------------------------------------------------------------------------------------- showing

    def _show_metrics(self) -> None:
        network = self._slot.network
        metrics = () if network is None else network.metrics
        names = [(translated(BY.get(m.unit, "")) or _capital(translated_message(m.name)), m.name) for m in metrics]
        if names != [(self.by.itemText(row), self.by.itemData(row)) for row in range(self.by.count())]:
            self.by.list_entries(names)
        self.by.choose_data(self._slot.metric_name)
        self._by_row.setVisible(len(names) > 1 and not self._session.several)

    def _show(self) -> None:
        """Show the places and what the routes take at once, the directions once the route rests."""
        slot, targets = self._slot, self._slot.targets
        several = len(targets.nodes) > 1
        route, ways = slot.route(), slot.ways()
        pair = slot.shown_pairs is not None
        self.empty.setVisible(not targets.nodes and route is None)
        self._chosen.setVisible(self.empty.isHidden())
        self.stops.list_rows(self._stop_rows())
        self.stops.setVisible(bool(targets.nodes) and not pair)
        self.remove.setEnabled(bool(targets.nodes) and not pair)
        self.add.setEnabled(slot.network is not None and not pair)
        self.through.setVisible(several)
        self.through.setChecked(targets.through)
        self._order.setVisible(several and targets.through)
        self.others_wanted.setVisible(bool(targets.nodes) and not pair and not targets.through)
        self.others_wanted.setChecked(targets.others)
        self._list_others()
        self._ways = slot.shown_ways()
        self.headline.setText(measures(self._ways))
        self.headline.setVisible(bool(self._ways))
        lost = route is not None and not len(route.nodes)
        self.detail.setText(
            best_way(self._ways, other=slot.other_chosen)
            if self._ways
            else route.text
            if lost and route is not None
            else ""
        )
        self.detail.setVisible(bool(self.detail.text()))
        self.returns.setText("\n".join(text for way in self._ways for text in return_texts(way)))
        self.returns.setVisible(bool(self.returns.text()))
        self._show_detour(ways)
        found = any(way is not None and len(way) for way in ways)
        for button in (self.gpx, self.geojson):
            button.setEnabled(found and slot.network is not None and slot.network.coordinates is not None)
        self.copy.setEnabled(bool(self._ways))
        self.distances.setEnabled(slot.tree is not None and slot.live is None)
        self.steps.setEnabled(False)  # those listed may be of another route
        if self._ways and self.isVisible():
            self._delay.start()
        elif not self._ways:
            self.list_steps()

    def showEvent(self, event: QShowEvent) -> None:
        """List the directions, which are not kept while nobody sees them."""
        super().showEvent(event)
        self.list_steps()

    def hideEvent(self, event: QHideEvent) -> None:
        """List nothing more."""
        self._delay.stop()
        super().hideEvent(event)

    def _stop_rows(self) -> list[tuple[str, str, str, str]]:
        slot = self._slot
        network, ways = slot.network, slot.ways()
        if network is None or slot.source is None or slot.shown_pairs is not None:
            return []
        rows = [("○", place_name(network, slot.source), "", "")]
        before = slot.open_ways() or [None] * len(ways)
        ways = ways or [None] * len(slot.targets.nodes)
        before = before or [None] * len(ways)
        letters = LETTERS if len(slot.targets.nodes) > 1 else "●"  # as on the map
        for letter, node, way, way_before in zip(letters, slot.targets.nodes, ways, before, strict=False):
            takes = "" if way is None else measures([way]) or translated("no way leads there")
            farther = "" if way is None or way_before is None else detour([way], [way_before])
            rows.append((letter, place_name(network, node, way), takes, farther))
        return rows

    def _list_others(self) -> None:
        """List the routes that differ, the shortest first, the chosen one selected."""
        slot = self._slot
        ways = slot.other_ways()
        rank = slot.targets.rank if slot.targets.rank < len(ways) else 0
        rows: list[Row] = []
        for number, way in enumerate(ways):
            road = main_road(way, own_part(way, [other for other in ways if other is not way]))
            text = translated("by {road}", road=road) if road else translated("route {number}", number=number + 1)
            more = "" if number == 0 else other_than(way, ways[0])
            rows.append(("○" if number == rank else "", text, measures([way]), more))
        self.others.list_rows(rows if len(rows) > 1 else [])
        self.others.setVisible(len(rows) > 1)
        self.alone.setVisible(len(rows) == 1)
        if len(rows) > 1:
            self.others.select(rank)

    def _show_detour(self, ways: Sequence[Way | None]) -> None:
        """Say what closed roads cost the route that is shown."""
        slot, before = self._slot, self._slot.open_ways()
        text = ""
        if before and slot.targets.through and None not in ways:
            text = detour([way for way in ways if way is not None], before)
        elif before and slot.targets.shown is not None:
            number = slot.targets.nodes.index(slot.targets.shown)
            way = ways[number]
            text = "" if way is None else detour([way], [before[number]])
        self.detour.setText(
            translated("{detour} by closed roads", detour=text) if text[:1] in "+±\N{MINUS SIGN}" and text else text
        )
        self.detour.setVisible(bool(text))

    def list_steps(self) -> None:
        """List the directions of the route that is shown."""
        self._delay.stop()
        self._listed = [(way, step) for way in self._ways for step in directions(way, on_map=not self._slot.laid_out)]
        letters = iter(LETTERS if len(self._slot.targets.nodes) > 1 and self._slot.targets.through else "")
        rows: list[tuple[Any, str, str, str]] = []
        for _, step in self._listed[:MOST_STEPS]:
            badge: Any = ANGLES.get(step.turn, "●")
            if step.turn is Turn.ARRIVE:
                badge = next(letters, "●")
            rows.append((badge, step_text(step), "", step.measured))
        more = len(self._listed) - MOST_STEPS
        if more > 0:
            rows.append(("", plural("and {count:,} more step", "and {count:,} more steps", more), "", ""))
        self.steps.list_rows(rows)
        self.steps.setVisible(bool(rows))
        self.steps.setEnabled(True)
        if self._ways:
            self._control().show_step(self._ways[0], None)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


Row = tuple[Any, str, str, str]
"""What stands before a row (a letter, or the angle of an arrow), its text, what stands below it, and at its right."""


class Rows(QListView):
    """A list as high as its rows, whose texts are wrapped. Enter or a click chooses a row, Delete removes it."""

    chosen = Signal(int)
    removed = Signal(int)
    shifted = Signal(int, int)
    """A row, and by how many it shall be moved down."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._rows = QStandardItemModel(self)
        self._shown: list[Row] = []
        self._draws = _RowPainter(self)
        self.setModel(self._rows)
        self.setItemDelegate(self._draws)
        self.setAccessibleName(name)
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        for set_policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            set_policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        keep_rows_sized(self)
        keep_sized(self, Rows.fit)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._draws.theme = theme
        self.viewport().update()

    def list_rows(self, rows: Sequence[Row]) -> None:
        """List other rows; the selected place stays."""
        if list(rows) == self._shown:
            return
        current = self.currentIndex().row()
        self._shown = list(rows)
        self._rows.clear()
        for badge, *texts in rows:
            text, below, value = map(one_line, texts)
            item = QStandardItem(text)
            said = ", ".join(
                filter(None, (badge if isinstance(badge, str) and badge in LETTERS else "", text, below, value))
            )
            item.setData(said, Qt.ItemDataRole.AccessibleTextRole)
            item.setToolTip(hint(said))
            for role, data in ((BADGE_ROLE, badge), (DETAIL_ROLE, below), (VALUE_ROLE, value)):
                item.setData(data, role)
            self._rows.appendRow(item)
        if 0 <= current < len(rows):
            self.select(current)
        self.fit()

    @property
    def texts(self) -> list[str]:
        """What is said of each row."""
        return [str(self._rows.item(row).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(len(self._shown))]

    def select(self, row: int) -> None:
        """Make a row the current one."""
        self.setCurrentIndex(self._rows.index(row, 0))

    def fit(self) -> None:
        """Take the height that all rows need in this width."""
        heights = (
            self._draws.height(self._rows.index(row, 0), self.viewport().width()) for row in range(len(self._shown))
        )
        self.setFixedHeight(sum(heights) + 2 * self.frameWidth())
        self.scheduleDelayedItemsLayout()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Wrap the texts anew."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def event(self, event: QEvent) -> bool:
        """Keep the keys of the list from being taken for shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_own(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose with Enter, remove with Delete, move with Alt and the arrows."""
        row, key = self.currentIndex().row(), event.key()
        alt = event.modifiers() == Qt.KeyboardModifier.AltModifier
        if row >= 0 and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(row)
        elif row >= 0 and key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.removed.emit(row)
        elif row >= 0 and alt and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.shifted.emit(row, -1 if key == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)


def _is_own(event: QKeyEvent) -> bool:
    if event.modifiers() == Qt.KeyboardModifier.AltModifier:
        return event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down)
    own = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Up, Qt.Key.Key_Down)
    return not event.modifiers() and event.key() in own


class _RowPainter(QStyledItemDelegate):
    """Draws a row: its letter or arrow, its text in as many lines as it needs, its detail below, its value beside."""

    def __init__(self, of: Rows) -> None:
        super().__init__(of)
        self._list = of
        self.theme = DARK

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Return the height that the text needs in the list's width."""
        width = self._list.viewport().width()
        return QSize(10, self.height(index, width))

    def height(self, index: Index, width: int) -> int:
        """Return the height of a row in a list of that width."""
        metrics = self._list.fontMetrics()
        lines = self._text_box(index, QRect(0, 0, width, 0)).height()
        below = metrics.height() if index.data(DETAIL_ROLE) else 0
        return int(max(lines + below, scaled(BADGE)) + 2 * scaled(PADDING))

    def _text_box(self, index: Index, row: QRect) -> QRect:
        """Return where the text of a row is drawn, as high as it is."""
        metrics = self._list.fontMetrics()
        value = metrics.horizontalAdvance(str(index.data(VALUE_ROLE) or ""))
        room = max(row.width() - scaled(BADGE) - GAP - (value + GAP if value else 0), 4 * metrics.averageCharWidth())
        box = metrics.boundingRect(QRect(0, 0, room, 10_000), int(Qt.TextFlag.TextWordWrap), str(index.data()))
        return QRect(row.left() + scaled(BADGE) + GAP, row.top() + scaled(PADDING), room, box.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        interface = self.theme.interface
        state = option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver)
        if state:
            selected = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qt_colour(interface.lifted, 1.0 if selected else 0.45))
            painter.drawRoundedRect(QRectF(option.rect), 5, 5)
        painter.setFont(figures_font(option.font))
        group = (
            QPalette.ColorGroup.Active
            if option.state & QStyle.StateFlag.State_Enabled
            else QPalette.ColorGroup.Disabled
        )
        ink = option.palette.color(group, QPalette.ColorRole.Text)
        muted = option.palette.color(group, QPalette.ColorRole.PlaceholderText)
        row, text = QRect(option.rect), str(index.data())
        value, below = str(index.data(VALUE_ROLE) or ""), str(index.data(DETAIL_ROLE) or "")
        box, line = self._text_box(index, row), option.fontMetrics.height()
        one_line = not below and box.height() < 2 * line
        if one_line:  # in the middle of its row, as its badge is
            box = QRect(box.left(), row.top(), box.width(), row.height())
        first = row if one_line else QRect(row.left(), box.top(), row.width(), line)
        self._paint_badge(painter, index.data(BADGE_ROLE), QRectF(row if below else first), ink)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(ink)
        painter.drawText(
            box, int(Qt.TextFlag.TextWordWrap) | int(middle if one_line else Qt.AlignmentFlag.AlignTop), text
        )
        painter.setPen(muted)
        painter.drawText(first.adjusted(0, 0, -GAP // 2, 0), int(Qt.AlignmentFlag.AlignRight | middle), value)
        painter.drawText(box.translated(0, box.height()), int(Qt.AlignmentFlag.AlignLeft), below)
        painter.restore()

    def _paint_badge(self, painter: QPainter, badge: int | str, row: QRectF, ink: QColor) -> None:
        side = float(scaled(BADGE))
        box = QRectF(row.left() + 1, row.center().y() - side / 2, side, side)
        middle, colours = box.center(), self.theme.map
        if isinstance(badge, int):
            _paint_arrow(painter, middle, badge, side / GRID, ink)
        elif badge == "○":
            painter.setPen(QPen(ink, 2.0))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(middle, side * 0.24, side * 0.24)
        elif badge:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.target))
            radius = side * (0.42 if badge in LETTERS else 0.24)
            painter.drawEllipse(middle, radius, radius)
            if badge in LETTERS:
                painter.setPen(QColor(colours.casing))
                painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), str(badge))


GRID = 24.0
"""Side of the square on which arrows are drawn."""


def _paint_arrow(painter: QPainter, middle: QPointF, angle: int, scale: float, ink: QColor) -> None:
    """Paint the arrow of a turn: from below to the middle, and on by an angle to the right."""
    painter.save()
    painter.translate(middle)
    painter.scale(scale, scale)
    painter.translate(-4 * math.sin(math.radians(angle)), 0)  # its ink is centred, not its stem
    painter.setPen(QPen(ink, 2.2, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if angle == 180:
        painter.drawPolyline(QPolygonF([QPointF(4, 9), QPointF(4, -6), QPointF(-4, -6), QPointF(-4, 5)]))
        painter.translate(-4, 0)
        painter.rotate(180)
    else:
        painter.drawLine(QPointF(0, 9), QPointF(0, 1))
        painter.translate(0, 1)
        painter.rotate(angle)
        painter.drawLine(QPointF(0, 0), QPointF(0, -8))
        painter.translate(0, -3)
    painter.drawPolyline(QPolygonF([QPointF(-4, -1.5), QPointF(0, -5.5), QPointF(4, -1.5)]))
    painter.restore()
