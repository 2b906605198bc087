"""The panel of all pairs: what a search from every node found, and by what its sources are coloured."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from wayfront.results.result import SearchKind
from wayfront_gui.features.all_pairs.distances import DistanceBars, DistanceCounts
from wayfront_gui.session import formatting
from wayfront_gui.session.pairs import MEASURE_HINTS, MEASURE_LABELS, Measure
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    ChoiceBox,
    captioned,
    command_button,
    holding,
    in_column,
    in_row,
    label,
    push_button,
    switch,
)
from wayfront_gui.ui.translation import marked, translated

NOTHING = marked(
    "A search from every node: how near each is to all others, which is farthest, and where the middle is."
)


class PairsPanel(QWidget):
    """Shows what all pairs found in the active slot; ``run`` searches."""

    def __init__(self, session: Session, actions: Mapping[str, QAction], counts: DistanceCounts) -> None:
        super().__init__()
        self._counts = counts
        self._session, self._run = session, actions["search.run"].trigger
        self.about = label(wrap=True)
        self.search = push_button(
            translated("Search all pairs"), translated("Search from every node"), "main", self._search
        )
        entries = ((translated(text), measure) for measure, text in MEASURE_LABELS.items())
        self.measure = ChoiceBox(translated("By what sources are coloured"), self._choose_measure, entries)
        self.measure.explain_entries(translated(MEASURE_HINTS[measure]) for measure in MEASURE_LABELS)
        self.measure.setAccessibleName(translated("Colours of all pairs"))
        matrix = switch(actions["view.matrix"], translated("Distance matrix of a small network"))
        farthest = command_button(actions["search.farthest"], translated("Longest route"))
        save = command_button(actions["file.pairs"], translated("Save table…"))
        self.count = command_button(actions["search.distances"], translated("Count distances"))
        self.bars = DistanceBars()
        self._found = holding(
            in_column(
                captioned(translated("Colours"), self.measure),
                matrix,
                self.count,
                self.bars,
                in_row((farthest, 1), (save, 1)),
                spacing=GAP,
            )
        )
        self.setLayout(in_column(self.about, self.search, self._found, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        for changed in (session.result_changed, session.live_changed, session.choice_changed, session.measure_changed):
            changed.connect(self._show)
        counts.changed.connect(self._show)
        self._show()

    def _search(self) -> None:
        self._session.active.choose_kind(SearchKind.ALL_PAIRS)
        self._run()

    def _choose_measure(self, chosen: Measure) -> None:
        self._session.active.choose_measure(chosen)

    def _show(self) -> None:
        slot = self._session.active
        pairs = slot.pairs
        self.about.setText(translated(NOTHING) if pairs is None else "\n".join(formatting.pairs_outcome(pairs)))
        self.search.setEnabled(slot.network is not None and slot.live is None)
        self.search.setVisible(pairs is None)  # Run searches them again
        self._found.setVisible(pairs is not None)
        counted = self._counts.of(pairs)
        self.count.setVisible(counted is None and pairs is not None and pairs.result is not None)
        self.bars.show_counts(pairs, counted)
        self.measure.choose_data(Measure(slot.measure))
