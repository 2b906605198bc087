"""The panel of depots: how many, what for, and how well the best choices of one, two and three serve the nodes."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QWidget

from wayfront.results.nearest import MOST_DEPOTS, Aim
from wayfront_gui.features.depots.state import AIM_HINTS, AIM_LABELS, DepotChoice
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import GAP, MARGIN, SPRING, ChoiceBox, captioned, in_column, in_row, label, push_button
from wayfront_gui.ui.translation import marked, plural, translated

NUMBERS = (marked("One"), marked("Two"), marked("Three"))
EMPTY = marked("Press N, then click nodes on the map where a depot could be. Another click takes one away.")


class DepotsPanel(QWidget):
    """Shows the active slot's best depots, and chooses which of the best choices the map shows."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        counts = [(plural("{count} depot", "{count} depots", count), count) for count in range(1, MOST_DEPOTS + 1)]
        self.count = ChoiceBox(translated("How many depots the map shows"), self._want, counts)
        aims = [(translated(text), aim) for aim, text in AIM_LABELS.items()]
        self.aim = ChoiceBox(translated("What makes one choice of depots better than another"), self._want, aims)
        self.aim.explain_entries(translated(AIM_HINTS[aim]) for aim in AIM_LABELS)
        self.about = label(wrap=True)
        self.depots = label(rank="value", wrap=True)
        self._rows = [(label(), label(wrap=True)) for _ in NUMBERS]
        self.clear = push_button(translated("Clear the candidates"), translated("Remove all candidates (Shift+N)"))
        self.clear.clicked.connect(actions["search.no_candidates"].trigger)
        self.save = push_button(
            translated("Save…"), actions["file.depots"].toolTip(), press=actions["file.depots"].trigger
        )
        table = QGridLayout()
        table.setHorizontalSpacing(GAP)
        table.setVerticalSpacing(3)
        table.setColumnStretch(1, 1)
        for row, (number, facts) in enumerate(self._rows):
            table.addWidget(number, row, 0, Qt.AlignmentFlag.AlignTop)
            table.addWidget(facts, row, 1)
        wanted = captioned(translated("Wanted"), self.count), captioned(translated("With"), self.aim)
        parts = (*wanted, self.about, self.depots, table, SPRING, in_row(self.clear, self.save, SPRING))
        self.setLayout(in_column(*parts, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        session.changed(DepotChoice).connect(self._show)
        session.network_changed.connect(self._show)
        self._show()

    def _want(self, _chosen: object) -> None:
        self._session.active.state(DepotChoice).want(int(self.count.currentData()), Aim(self.aim.currentData()))

    def _show(self) -> None:
        choice = self._session.active.state(DepotChoice)
        self.count.choose_data(choice.count)
        self.aim.choose_data(choice.aim)
        number = len(choice.candidates)
        self.about.setText(
            translated(EMPTY) if number == 0 else plural("{count} candidate", "{count} candidates", number)
        )
        self.clear.setEnabled(number > 0)
        best, found = choice.best, choice.found
        self.save.setEnabled(found is not None)
        self.depots.setVisible(best is not None)
        for cell in (cell for row in self._rows for cell in row):
            cell.setText("")
            cell.hide()
        if best is None or found is None:
            return
        self.depots.setText("\n".join(found.name(node)[:1].upper() + found.name(node)[1:] for node in best.nodes))
        for (count, aim), depots in found.best.items():
            if aim is choice.aim:
                each, facts = self._rows[count - 1]
                each.setText(f"{translated(NUMBERS[count - 1])}:")
                facts.setText(found.describe(depots))
                each.show()
                facts.show()

    @property
    def table(self) -> str:
        """How well one, two and three depots serve the nodes, a line each."""
        return "\n".join(f"{each.text()} {facts.text()}" for each, facts in self._rows if each.text())
