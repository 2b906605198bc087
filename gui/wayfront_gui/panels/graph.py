"""The panel of the graph that is being drawn: arcs and nodes as tables, and a line to type them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from wayfront.errors import NetworkError
from wayfront.network.drawing import UNIT
from wayfront.network.small import SMALL
from wayfront_gui.model.graph_editing import Picked, weight_of
from wayfront_gui.model.session import Session
from wayfront_gui.translation import marked, plural, translated, translated_message
from wayfront_gui.widgets.action_row import action_row
from wayfront_gui.widgets.cell_table import CellTable
from wayfront_gui.widgets.controls import GAP, MARGIN, label

DONE_BY = {
    "edit.graph": marked("Draw"),
    "edit.type": marked("Type"),
    "edit.delete": marked("Delete"),
}
KEPT_BY = {
    "file.new": marked("New"),
    "file.network": marked("Save…"),
    "edit.undo": marked("Undo"),
    "edit.redo": marked("Redo"),
}
WEIGHT, NAME, X, Y = 2, 0, 1, 2
"""Columns that can be changed."""


class GraphPanel(QWidget):
    """Lists nodes and arcs of the active slot's small graph; what is typed there changes it."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session, self._editing = session, session.graph_editing
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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        layout.addLayout(action_row(actions, DONE_BY))
        layout.addWidget(self.count)
        layout.addWidget(self.line)
        layout.addWidget(self.problem)
        layout.addWidget(self.arcs, 3)
        layout.addWidget(self.nodes, 2)
        layout.addLayout(action_row(actions, KEPT_BY))
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
