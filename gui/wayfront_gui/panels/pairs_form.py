"""The part of the search panel for all pairs: how many sources, and by what they are coloured."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSpinBox, QWidget

from wayfront_gui.look.text_scale import keep_scaled
from wayfront_gui.model.pairs import MEASURE_HINTS, MEASURE_LABELS, Measure
from wayfront_gui.model.session import Session
from wayfront_gui.translation import translated
from wayfront_gui.widgets.controls import GAP, ChoiceBox, caption, number_field

DEFAULT_SAMPLE = 1000
SAMPLE_WIDTH = 94


class PairsForm(QWidget):
    """Chooses the sources, all nodes or a sample of them, and the measure that colours them."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.sources = ChoiceBox()
        self.sources.addItem(translated("All nodes"), False)
        self.sources.addItem(translated("A sample"), True)
        self.sources.setToolTip(translated("From which nodes to search: a sample is spread evenly over the network"))
        self.count = QSpinBox()
        self.count.setRange(1, DEFAULT_SAMPLE)
        self.count.setGroupSeparatorShown(True)
        self.count.setKeyboardTracking(False)
        keep_scaled(self.count.setFixedWidth, SAMPLE_WIDTH)
        self.count.setToolTip(translated("Number of sources"))
        self.count.setAccessibleName(translated("Number of sources"))
        number_field(self.count)
        self.measure = ChoiceBox()
        for measure, text in MEASURE_LABELS.items():
            self.measure.addItem(translated(text), measure)
            self.measure.setItemData(
                self.measure.count() - 1, translated(MEASURE_HINTS[measure]), Qt.ItemDataRole.ToolTipRole
            )
        self.measure.setToolTip(translated("What the colours of the sources show"))
        self._arrange()
        self.sources.currentIndexChanged.connect(self._choose_sources)
        self.count.valueChanged.connect(self._choose_count)
        self.measure.currentIndexChanged.connect(self._choose_measure)
        session.network_changed.connect(self._show_choice)
        session.choice_changed.connect(self._show_choice)
        session.measure_changed.connect(self._show_choice)
        self._show_choice()

    def _arrange(self) -> None:
        rows = QGridLayout(self)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(GAP)
        rows.setColumnStretch(1, 1)
        sources = QHBoxLayout()
        sources.setSpacing(GAP)
        sources.addWidget(self.sources, 1)
        sources.addWidget(self.count)
        rows.addWidget(caption(translated("Sources"), self.sources), 0, 0)
        rows.addLayout(sources, 0, 1)
        rows.addWidget(caption(translated("Colours"), self.measure), 1, 0)
        rows.addWidget(self.measure, 1, 1)

    def _choose_sources(self, row: int) -> None:
        sampled = bool(self.sources.itemData(row))
        self._session.active.choose_sample(min(DEFAULT_SAMPLE, self.count.maximum()) if sampled else None)

    def _choose_count(self, count: int) -> None:
        self._session.active.choose_sample(count)

    def _choose_measure(self, row: int) -> None:
        self._session.active.choose_measure(Measure(self.measure.itemData(row)))

    def _show_choice(self) -> None:
        slot = self._session.active
        nodes = 1 if slot.network is None else max(slot.network.node_count, 1)
        blocked = self.count.blockSignals(True)
        self.count.setMaximum(nodes)
        self.count.setValue(slot.source_count)
        self.count.blockSignals(blocked)
        self.count.setVisible(slot.sample is not None)
        self.sources.choose_data(slot.sample is not None)
        self.measure.choose_data(slot.measure)
