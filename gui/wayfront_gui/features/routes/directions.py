"""What a route takes and its directions, road by road, on a card over the map."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QToolButton,
    QWidget,
)

from wayfront_gui.session.choice import Targets
from wayfront_gui.session.routes import Journey, Stretch
from wayfront_gui.ui.controls import (
    DETAIL_ROLE,
    GAP,
    MARGIN,
    SPRING,
    ElidedLabel,
    NamedRows,
    in_column,
    in_row,
    tool_button,
)
from wayfront_gui.ui.icons import icon
from wayfront_gui.ui.style import figures_font, hint, keep_rows_sized, keep_scaled, keep_sized, one_line, scaled
from wayfront_gui.ui.theme import Theme
from wayfront_gui.ui.translation import marked, plural, translated

WIDTH = 330
FROM_EDGE = 12
CHOICE_WIDTH = 26
ROWS = 7
ROW_HEIGHT = 26
MOST_ROADS = 500
"""Roads of a route that are listed."""
NO_NAME = marked("unnamed road")


class DirectionsCard(QFrame):
    """Says what a route takes, and lists its roads, in the map's upper right corner until dismissed.

    Where there are several targets, a button for each shows the directions to it. A map without room for the card, as
    in a race of many, is left alone.
    """

    target_picked = Signal(int)
    """The target whose directions shall be shown."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._map = parent
        self._wanted = False
        self._targets = Targets()
        self._dismissed: int | None = None
        self._stretches: tuple[Stretch, ...] = ()
        self.setProperty("card", True)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.headline = ElidedLabel(rank="headline")
        self.headline.setFont(figures_font(self.headline.font()))
        self.detail = ElidedLabel()
        self._choices = in_row(SPRING, spacing=4)
        self.choices: list[QToolButton] = []
        about = translated("Hide the directions; the route stays")
        self._dismiss = tool_button(16, translated("Hide the directions"), about, self._on_dismissed)
        self._rows = QStandardItemModel(self)
        self.list = QListView()
        self.list.setAccessibleName(translated("Roads of the route"))
        self.list.setModel(self._rows)
        self.list.setItemDelegate(NamedRows(self.list, ROW_HEIGHT, (0, 0, GAP, 0)))
        self.list.setUniformItemSizes(True)
        keep_rows_sized(self.list)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        head = in_row((self.headline, 1), self._dismiss)
        head.setAlignment(self._dismiss, Qt.AlignmentFlag.AlignTop)
        parts = self._choices, head, self.detail, self.list
        self.setLayout(in_column(*parts, spacing=4, margins=(MARGIN, GAP, GAP, GAP)))
        keep_sized(self, DirectionsCard._fit)
        self.hide()

    def _fit(self) -> None:
        """Take the size that texts of now need."""
        self.setFixedWidth(scaled(WIDTH))
        self.move_to_corner()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self._dismiss.setIcon(icon("cross", theme))

    def show_journey(self, targets: Targets, journey: Journey | None) -> None:
        """Show the directions to the target that is shown; hide without any, or if they were dismissed."""
        if targets != self._targets:
            self._list_targets(targets)
        self._targets = targets
        if targets.shown != self._dismissed:
            self._dismissed = None
        if journey is not None:
            self.headline.show_text(journey.headline)
            self.detail.show_text(journey.detail)
            self._list(journey.stretches)
        self._wanted = journey is not None and self._dismissed is None
        self.move_to_corner()

    def _list_targets(self, targets: Targets) -> None:
        """Offer the targets by their numbers, where there are several."""
        wanted = targets.nodes if len(targets.nodes) > 1 else ()
        while len(self.choices) > len(wanted):
            gone = self.choices.pop()
            self._choices.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        while len(self.choices) < len(wanted):
            number = len(self.choices)
            button = QToolButton()
            button.setText(str(number + 1))
            button.setToolTip(translated("Show the directions to this target"))
            button.setAccessibleName(translated("Target {number}", number=number + 1))
            button.setCheckable(True)
            button.setProperty("rank", "chip")
            keep_scaled(button.setFixedWidth, CHOICE_WIDTH)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.clicked.connect(partial(self._pick, number))
            self._choices.insertWidget(number, button)
            button.show()  # now: the card takes its size next
            self.choices.append(button)
        for node, button in zip(wanted, self.choices, strict=True):
            button.setChecked(node == targets.shown)

    def _pick(self, number: int) -> None:
        self.choices[number].setChecked(self._targets.nodes[number] == self._targets.shown)
        self.target_picked.emit(self._targets.nodes[number])

    def _list(self, stretches: tuple[Stretch, ...]) -> None:
        if stretches == self._stretches:
            return
        self._stretches = stretches
        self._rows.clear()
        for stretch in stretches[:MOST_ROADS]:
            item = QStandardItem(one_line(stretch.name or translated(NO_NAME)))
            item.setData(stretch.length, DETAIL_ROLE)
            item.setToolTip(hint(f"{stretch.name or translated(NO_NAME)}, {stretch.length}"))
            item.setEnabled(bool(stretch.name))
            self._rows.appendRow(item)
        if len(stretches) > MOST_ROADS:
            self._rows.appendRow(_more(len(stretches) - MOST_ROADS))

    def listed(self) -> list[tuple[str, str]]:
        """Return the listed names with their lengths."""
        items = [self._rows.item(row) for row in range(self._rows.rowCount())]
        return [(item.text(), item.data(DETAIL_ROLE)) for item in items]

    def move_to_corner(self) -> None:
        """Move to the map's corner, at most half as high as the map; hide where there is no room."""
        around = self._map.parentWidget()
        shared = around is not None and around.size() != self._map.size()
        room = (
            self._map.width() / 2 if shared else self._map.width()
        )  # maps of a race have captions in the other corner
        self.setVisible(self._wanted and room >= scaled(WIDTH) + 2 * FROM_EDGE)
        high = scaled(ROW_HEIGHT)
        most_rows = max(self._map.height() // 2 // high, 2)
        self.list.setFixedHeight(min(self._rows.rowCount(), ROWS, most_rows) * high)
        self.list.setVisible(self._rows.rowCount() > 0)
        layout = self.layout()
        assert layout is not None
        for label in (self.headline, self.detail):
            label.ensurePolished()  # only then is its type as large as it will be
        layout.activate()
        self.adjustSize()
        self.move(self._map.width() - self.width() - FROM_EDGE, FROM_EDGE)

    def _on_dismissed(self) -> None:
        self._dismissed = self._targets.shown
        self._wanted = False
        self.hide()


def _more(roads: int) -> QStandardItem:
    """Return the last row of a list that is too long to be read."""
    item = QStandardItem(plural("and {count:,} more road", "and {count:,} more roads", roads))
    item.setData("", DETAIL_ROLE)
    item.setEnabled(False)
    return item
