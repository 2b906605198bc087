"""The search box: a line over the map, below it what was found, and what the keys do with it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QHideEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QBoxLayout, QListView, QPushButton, QWidget

from wayfront_gui.features.finding.rows import Row
from wayfront_gui.ui.cards import LineCard
from wayfront_gui.ui.controls import DETAIL_ROLE, GAP, NamedRows, holding, label, push_button
from wayfront_gui.ui.style import keep_rows_sized, one_line, scaled
from wayfront_gui.ui.translation import marked, translated

ROWS = 9
FEWEST_ROWS = 3
ROW_HEIGHT = 28
MOST_OF_MAP = 0.62
"""The share of the map's height that the box takes: what is found is shown on the rest."""


class Use(Enum):
    """What is done with what was found."""

    GO = "go"
    SOURCE = "source"
    TARGET = "target"
    FURTHER = "further"


BUTTONS = (
    (Use.GO, marked("Go there"), "Return", marked("Show it on the map")),
    (Use.SOURCE, marked("As source"), "Ctrl+Return", marked("Search from there")),
    (Use.TARGET, marked("As target"), "Shift+Return", marked("Show the route to there")),
)
_KEYS = {
    Qt.KeyboardModifier.NoModifier: None,
    Qt.KeyboardModifier.ControlModifier: Use.SOURCE,
    Qt.KeyboardModifier.ShiftModifier: Use.TARGET,
}
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: ROWS, Qt.Key.Key_PageUp: -ROWS}
_STEPS |= {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}


class _Rows(QAbstractListModel):
    """The rows as the list shows them; only those in view are asked for."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def show(self, rows: list[Row]) -> None:
        """Take other rows."""
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        """Return how many there are."""
        return len(self._rows)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> str | None:
        """Return a row's text, its detail, or what a screen reader says of it."""
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(row.text)
        if role == DETAIL_ROLE:
            return one_line(row.detail)
        return row.spoken if role == Qt.ItemDataRole.AccessibleTextRole else None


class SearchBox(LineCard):
    """Shows rows for what is typed. It decides nothing: who listens fills it."""

    WIDE = 560

    typed = Signal(str)
    """Another text stands in the line."""
    moved = Signal(bool)
    """Another row is chosen, or none; whether a person went there, by the arrows."""
    accepted = Signal(object)
    """The chosen row is taken for a ``Use``, or None for the usual one."""
    left = Signal()
    """The box is put away with Escape."""
    gone = Signal()
    """The box is no longer shown."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []
        self._items = _Rows(self)
        self.list = QListView()
        self.list.setAccessibleName(translated("Found"))
        self.list.setModel(self._items)
        self.list.setItemDelegate(NamedRows(self.list, ROW_HEIGHT, (GAP, 0, GAP, 0)))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        keep_rows_sized(self.list)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.clicked.connect(lambda _index: self._chosen(by_hand=True))
        self.list.doubleClicked.connect(lambda _index: self.accepted.emit(None))
        self.said = label(wrap=True)
        self.buttons = {use: self._button(use, text, keys, about) for use, text, keys, about in BUTTONS}
        self._foot_row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._foot_row.setContentsMargins(0, 0, 0, 0)
        self._foot_row.setSpacing(GAP // 2)
        for button in self.buttons.values():
            self._foot_row.addWidget(button)
        self._foot = holding(self._foot_row)
        for part in (self.list, self.said, self._foot):
            self._layout.addWidget(part)
        self.line.setToolTip(translated("Arrows choose, Enter accepts, Esc closes"))
        self.line.textChanged.connect(self.typed)

    def _button(self, use: Use, text: str, keys: str, about: str) -> QPushButton:
        native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        native = native.replace("Return", translated("Enter"))  # as it stands on keys
        button = push_button(f"{translated(text)}   {native}", translated(about), press=lambda: self.accepted.emit(use))
        button.setAccessibleName(translated(text))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return button

    def ask(self, hint: str, text: str) -> None:
        """Open with a text; ``hint`` stands in the empty line."""
        self.open(hint)
        self.above.hide()  # what can be typed stands below the line, too
        self.line.setPlaceholderText(hint)
        self.move(GAP // 2, GAP // 2)  # over the command that opens it, and at the side: the map is below
        self.line.setText(text)
        if not text:
            self.typed.emit("")

    def changeEvent(self, event: QEvent) -> None:
        """List the rows anew in another language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and self._rows:
            self.typed.emit(self.line.text())

    @property
    def chosen(self) -> Row | None:
        """The row that is chosen, None without one."""
        row = self.list.currentIndex().row()
        return self._rows[row] if 0 <= row < len(self._rows) else None

    @property
    def rows(self) -> list[Row]:
        """What is listed."""
        return self._rows

    def show_rows(self, rows: Sequence[Row], said: str = "") -> None:
        """List rows, the first of them chosen, and say something below them."""
        self._rows = list(rows)
        self._items.show(self._rows)
        self.said.setText(said)
        self.said.setVisible(bool(said))
        self.list.setVisible(bool(self._rows))
        self.list.setCurrentIndex(self._items.index(0, 0))
        self._chosen(by_hand=False)
        if said and not self._rows:
            self._speak(said)

    def offer(self, uses: Sequence[Use]) -> None:
        """Show what can be done with the chosen row."""
        for use, button in self.buttons.items():
            button.setVisible(use in uses)
        self._foot.setVisible(bool(uses))
        self._fit()

    def _fit(self) -> None:
        """Take the height that is needed, and leave the map some."""
        inner = self.width() - 2 * GAP
        shown = [button.sizeHint().width() for button in self.buttons.values() if not button.isHidden()]
        beside = sum(shown) + GAP // 2 * len(shown) <= inner
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        self._foot_row.setDirection(direction)
        if not beside:  # rows have more need of the room, and Enter alone is what people press anyway
            self.buttons[Use.GO].hide()
        self._foot_row.activate()
        self._foot.updateGeometry()
        others = self.line.sizeHint().height() + 4 * GAP
        others += 0 if self._foot.isHidden() else self._foot.sizeHint().height()
        others += 0 if self.said.isHidden() else self.said.heightForWidth(inner)
        high = self._map.height()
        by_share, by_whole = ((round(part) - others) // scaled(ROW_HEIGHT) for part in (high * MOST_OF_MAP, high))
        room = max(by_share, min(by_whole, FEWEST_ROWS), 1)
        self.list.setFixedHeight(min(len(self._rows), ROWS, room) * scaled(ROW_HEIGHT))
        self._layout.invalidate()
        self._layout.activate()
        self.resize(self.width(), self._layout.sizeHint().height())

    def take_key(self, event: QKeyEvent) -> bool:
        """Move through the list, accept, or leave."""
        key = Qt.Key(event.key())
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if modifiers in _KEYS:
                self.accepted.emit(_KEYS[modifiers])
            return True
        if key == Qt.Key.Key_Escape:
            self.left.emit()
            return super().take_key(event)
        step = _STEPS.get(key)
        if step is None:
            return super().take_key(event)
        if self._rows:
            row = min(max(self.list.currentIndex().row() + step, 0), len(self._rows) - 1)
            self.list.setCurrentIndex(self._items.index(row, 0))
            self._chosen(by_hand=True)
        return True

    def _chosen(self, *, by_hand: bool) -> None:
        if (row := self.chosen) is not None:
            self._speak(row.spoken)
        self.moved.emit(by_hand)

    def _speak(self, text: str) -> None:
        """Let a screen reader say what the focus, which stays in the line, does not."""
        if self.isVisible():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self.line, text))

    def hideEvent(self, event: QHideEvent) -> None:
        """Tell that it is gone."""
        super().hideEvent(event)
        self.gone.emit()
