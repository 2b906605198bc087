"""The panel of isochrones: how wide bands are, and what is within each or nearest to each source."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QGridLayout, QToolButton, QVBoxLayout, QWidget

from wayfront_gui.features.isochrones.state import Band, IsochroneChoice, area_text, short, widths
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import GAP, MARGIN, ChoiceBox, PlainLabel, caption, label, push_button
from wayfront_gui.ui.translation import marked, translated

EMPTY = marked(
    "Press I: the map shows what is within bands of distance or time round the source, with the area and the share of "
    "all nodes. Clicks then add further sources, and the map shows which one is nearest."
)


class IsochronesPanel(QWidget):
    """Shows the active slot's isochrones, and chooses the width of their bands."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self.shown = QToolButton()
        self.shown.setDefaultAction(actions["search.isochrones"])
        self.shown.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.shown.setProperty("rank", "toggle")
        self.step = ChoiceBox()
        self.step.setToolTip(translated("How wide each band is"))
        self.about = label(translated(EMPTY), wrap=True)
        self.alone = push_button(translated("Keep the first source"))
        self.alone.setToolTip(translated("Take all further sources away"))
        self.alone.clicked.connect(actions["search.one_centre"].trigger)
        self.export = push_button(translated("Export…"), actions["file.isochrones"].toolTip())
        self.export.clicked.connect(actions["file.isochrones"].trigger)
        self._cells: list[PlainLabel] = []
        self._listed: object = ""
        choices = QGridLayout()
        choices.setSpacing(GAP)
        choices.setColumnStretch(1, 1)
        choices.addWidget(caption(translated("Bands"), self.step), 0, 0)
        choices.addWidget(self.step, 0, 1)
        self._table = QGridLayout()
        self._table.setHorizontalSpacing(GAP * 2)
        self._table.setVerticalSpacing(3)
        self._table.setColumnStretch(0, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        layout.addWidget(self.shown, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(choices)
        layout.addWidget(self.about)
        layout.addLayout(self._table)
        layout.addWidget(self.alone)
        layout.addWidget(self.export)
        layout.addStretch(1)
        self.step.currentIndexChanged.connect(self._choose_step)
        for changed in (session.changed(IsochroneChoice), session.choice_changed, session.network_changed):
            changed.connect(self._show)
        self._show()

    def _choose_step(self, row: int) -> None:
        self._session.active.state(IsochroneChoice).choose_step(self.step.itemData(row))

    def _show(self) -> None:
        choice = self._session.active.state(IsochroneChoice)
        self._list_widths()
        self.step.choose_data(choice.step)
        self.about.setVisible(not choice.wanted or not choice.bands)
        self.alone.setVisible(bool(choice.others))
        self.export.setVisible(choice.wanted and bool(choice.bands))
        for cell in self._cells:
            self._table.removeWidget(cell)
            cell.hide()
            cell.deleteLater()
        self._cells = []
        if choice.wanted:
            self._fill(
                0,
                (translated("Nearest to"), translated("nodes"), translated("share"), translated("area")),
                choice.zones,
            )
            self._fill(
                len(choice.zones) + 1,
                (translated("Within"), translated("nodes"), translated("share"), translated("area")),
                choice.bands,
            )

    def _list_widths(self) -> None:
        """Offer round widths in the metric's unit."""
        metric = self._session.active.metric
        listed = None if metric is None else (metric.name, metric.unit, metric.scale)
        if listed == self._listed:
            return
        self._listed = listed
        blocked = self.step.blockSignals(True)
        self.step.clear()
        self.step.addItem(translated("Automatic"), None)
        if metric is not None:
            for width in widths(metric):
                self.step.addItem(short(metric, width), width)
        self.step.blockSignals(blocked)

    def _fill(self, top: int, heads: tuple[str, ...], rows: tuple[Band, ...]) -> None:
        if not rows:
            return
        lines = [heads, *((r.label, f"{r.nodes:,}", f"{100 * r.share:.1f} %", area_text(r.area_m2)) for r in rows)]
        for line, texts in enumerate(lines):
            for column, text in enumerate(texts):
                cell = label(text, "caption" if line == 0 else "value" if column == 0 else "second")
                if column:
                    cell.setAlignment(Qt.AlignmentFlag.AlignRight)
                self._table.addWidget(cell, top + line, column)
                self._cells.append(cell)
