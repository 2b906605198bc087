"""The panel of the graph that is being drawn: arcs and nodes as tables, and a line to type them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from wayfront.network.conventions import SMALL, UNIT
from wayfront.safe.errors import NetworkError
from wayfront_gui.features.drawing.state import GraphEditing, Picked, weight_of
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import GAP, MARGIN, action_row, in_column, label
from wayfront_gui.ui.style import figures_font, hint, one_line
from wayfront_gui.ui.translation import marked, plural, translated, translated_message

DONE_BY = {
    "edit.graph": marked("Draw"),
    "edit.type": marked("Type"),
    "edit.delete": marked("Delete"),
}
CHANGED_BY = {
    "edit.undo": marked("Undo"),
    "edit.redo": marked("Redo"),
}
KEPT_BY = {
    "file.new": marked("New"),
    "file.network": marked("Save…"),
    "file.picture": marked("Picture…"),
}
WEIGHT, NAME, X, Y = 2, 0, 1, 2
"""Columns that can be changed."""


class GraphPanel(QWidget):
    """Lists nodes and arcs of the active slot's small graph; what is typed there changes it."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session, self._editing = session, session.state(GraphEditing)
        self.count = label(rank="value", wrap=True)
        self.line = QLineEdit()
        self.line.setAccessibleName(translated("Arc or node to add"))
        self.line.setPlaceholderText(translated("A B 9 adds an arc, C a node"))
        self.line.setToolTip(translated("Type tail, head and weight of an arc, or the name of a node, and press Enter"))
        self.line.returnPressed.connect(self._add)
        self.problem = label(wrap=True)
        self.problem.hide()
        tables = [translated("Tail"), translated("Head"), translated("Weight")]
        self.arcs = CellTable(translated("Arcs"), tables, editable={WEIGHT})
        self.nodes = CellTable(translated("Nodes"), [translated("Name"), "x", "y"], editable={NAME, X, Y})
        self.arcs.typed.connect(self._type_arc)
        self.nodes.typed.connect(self._type_node)
        self.arcs.chosen.connect(lambda row: self._editing.pick(Picked(arc=row)))
        self.nodes.chosen.connect(lambda row: self._editing.pick(Picked(node=row)))
        above = (action_row(actions, DONE_BY), self.count, self.line, self.problem)
        below = (action_row(actions, CHANGED_BY), action_row(actions, KEPT_BY))
        parts = (*above, (self.arcs, 3), (self.nodes, 2), *below)
        self.setLayout(in_column(*parts, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        self._editing.changed.connect(self._show)
        session.network_changed.connect(self._show)
        session.choice_changed.connect(self._show)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the tables up to date, which are not kept while nobody sees them."""
        super().showEvent(event)
        self._show()

    # ------------------------------------------------------------------------------------------------- typing

    def _add(self) -> None:
        """Add the arc or the node that was typed."""
        words = self.line.text().replace(",", " ").split()
        if len(words) == 3:
            self._try(lambda: self._editing.join_called(words[0], words[1], weight_of(words[2])))
        elif len(words) == 1:
            self._try(lambda: self._editing.add_node(name=words[0]))
        elif words:
            self._complain(translated("Type an arc as A B 9, or the name of a node."))

    def _type_arc(self, row: int, _column: int, text: str) -> None:
        metric = self._session.active.metric_name
        self._try(lambda: self._editing.set_weight(row, metric, weight_of(text)))

    def _type_node(self, row: int, column: int, text: str) -> None:
        if column == NAME:
            self._try(lambda: self._editing.set_name(row, text))
        else:
            self._try(lambda: self._editing.move(row, self._moved(row, column, text)))

    def _moved(self, row: int, column: int, text: str) -> tuple[int, int]:
        """Return the place of a node with another x or y. Raises ``NetworkError``."""
        network = self._session.active.network
        assert network is not None and network.coordinates is not None
        x, y = network.coordinates[row].tolist()
        try:
            typed = round(float(text) * UNIT)
        except (ValueError, OverflowError):
            raise NetworkError("x and y are numbers") from None
        if abs(typed) > 180_000_000:
            raise NetworkError("x and y are numbers within ±180,000")
        return (typed, y) if column == X else (x, typed)

    def _try(self, change: Callable[[], None]) -> None:
        try:
            change()
        except NetworkError as problem:
            self._complain(translated_message(str(problem)))
            self._show()
        else:
            self.line.clear()
            self._complain("")

    def _complain(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))

    # ------------------------------------------------------------------------------------------------ showing

    def _show(self) -> None:
        if not self.isVisible():
            return
        network, on = self._session.active.network, self._editing.on
        self.line.setEnabled(on)
        self.arcs.set_editable(on)
        self.nodes.set_editable(on)
        if network is None or network.node_count > SMALL or network.coordinates is None:
            self.count.setText(translated("No graph is open. Ctrl+N begins one; a network of few nodes is one too."))
            self.arcs.show_rows([])
            self.nodes.show_rows([])
            return
        nodes = plural("{count:,} node", "{count:,} nodes", network.node_count)
        arcs = plural("{count:,} arc", "{count:,} arcs", network.arc_count)
        self.count.setText(translated("{nodes}, {arcs}", nodes=nodes, arcs=arcs))
        names = [network.node_name(node) for node in range(network.node_count)]
        weights = network.metric(self._session.active.metric_name).weights.tolist()
        ends = zip(network.tails().tolist(), network.targets.tolist(), weights, strict=True)
        self.arcs.show_rows([(names[tail], names[head], str(weight)) for tail, head, weight in ends])
        places = zip(names, network.coordinates.tolist(), strict=True)
        self.nodes.show_rows([(name, f"{x / UNIT:g}", f"{y / UNIT:g}") for name, (x, y) in places])
        self.arcs.choose(self._editing.picked.arc)
        self.nodes.choose(self._editing.picked.node)


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
        """Return the size of some rows: a column gives a table what room it has."""
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
