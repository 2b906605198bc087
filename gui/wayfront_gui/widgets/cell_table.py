"""A small table whose cells are typed into."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem

from wayfront_gui.look.drawing import figures_font
from wayfront_gui.look.plain import hint, one_line

_READ_ONLY = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
_OPENING = (Qt.Key.Key_F2, Qt.Key.Key_Return, Qt.Key.Key_Enter)
"""Keys that begin to type into a cell."""


class CellTable(QTableWidget):
    """Rows of short texts; some columns are changed by F2, Enter or a double click. Tab leaves the table."""

    typed = Signal(int, int, str)
    """Row, column and new text of a cell that a person changed."""
    chosen = Signal(int)
    """The row that a person chose."""

    def __init__(self, name: str, titles: Sequence[str], editable: Collection[int]) -> None:
        super().__init__(0, len(titles))
        self._columns, self._editable = frozenset(editable), True
        self._shown: list[tuple[str, ...]] = []
        self._showing = False
        self.setAccessibleName(name)
        self.setToolTip(hint(name))
        self.setHorizontalHeaderLabels(list(titles))
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setFont(figures_font(self.font()))
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.set_editable(True)
        self.cellChanged.connect(self._on_changed)
        self.currentCellChanged.connect(lambda row, *_: None if self._showing else self.chosen.emit(row))

    def set_editable(self, editable: bool) -> None:
        """Let cells be changed, or only be read."""
        self._editable = editable
        triggers = QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        self.setEditTriggers(triggers if editable else QAbstractItemView.EditTrigger.NoEditTriggers)

    def show_rows(self, rows: Sequence[tuple[str, ...]]) -> None:
        """Show these rows; what is chosen stays chosen."""
        if list(rows) == self._shown:
            return
        self._showing = True
        row, column = self.currentRow(), self.currentColumn()
        self.setRowCount(len(rows))
        for number, texts in enumerate(rows):
            for place, text in enumerate(texts):
                item = QTableWidgetItem(one_line(text))
                if place not in self._columns:
                    item.setFlags(_READ_ONLY)
                self.setItem(number, place, item)
        self._shown = list(rows)
        if rows and row >= 0:
            self.setCurrentCell(min(row, len(rows) - 1), max(column, 0))
        self._showing = False

    def choose(self, row: int) -> None:
        """Show a row as the chosen one, −1 for none."""
        if row == self.currentRow():
            return
        self._showing = True
        if row < 0:
            self.setCurrentCell(-1, -1)
            self.clearSelection()
        else:
            self.setCurrentCell(row, max(self._columns, default=0))
        self._showing = False

    def sizeHint(self) -> QSize:
        """Return the size of some rows: a dock gives a table what room it has."""
        return QSize(super().sizeHint().width(), 5 * self.verticalHeader().defaultSectionSize())

    def minimumSizeHint(self) -> QSize:
        """Return the height of the titles and two rows."""
        return QSize(0, 3 * self.verticalHeader().defaultSectionSize())

    def event(self, event: QEvent) -> bool:
        """Keep the keys that begin to type from being taken for shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _OPENING:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Begin to type into the cell, or into the one of its row that can be changed."""
        if event.key() in _OPENING and self.currentRow() >= 0 and self._editable:
            if self.currentColumn() not in self._columns:
                self.setCurrentCell(self.currentRow(), max(self._columns))
            self.editItem(self.currentItem())
        else:
            super().keyPressEvent(event)

    def _on_changed(self, row: int, column: int) -> None:
        if self._showing:
            return
        item = self.item(row, column)
        assert item is not None
        text = item.text().strip()
        was, self._shown = self._shown, []  # so that a text that will not do is shown again as it was
        if text != was[row][column]:
            self.typed.emit(row, column, text)
        else:
            self._shown = was
