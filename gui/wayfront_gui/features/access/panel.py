"""The panel of access: which measure, how far it reaches, in which direction, and what it is over all nodes."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtWidgets import QSlider, QSpinBox, QWidget

from wayfront_gui.features.access.state import (
    MEASURE_HINTS,
    MEASURE_LABELS,
    MOST_NTH,
    AccessChoice,
    Measure,
)
from wayfront_gui.session.formatting import short
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    ChoiceBox,
    caption,
    captioned,
    holding,
    in_column,
    in_row,
    label,
    number_field,
    push_button,
)
from wayfront_gui.ui.translation import marked, plural, translated

EMPTY = marked(
    "Press Y, then click on the map where shops, schools or stops are. Streets are coloured by what they reach; points "
    "can be dragged, and another click removes one."
)


class ReachSlider(QSlider):
    """A slider over some round distances that leaves the wheel to the panel."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setPageStep(1)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # the map keeps its keys after a click

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the panel."""
        event.ignore()


class AccessPanel(QWidget):
    """Shows the active slot's access, and chooses what of it the map shows."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self.about = label(wrap=True)
        labels = [(translated(text), measure) for measure, text in MEASURE_LABELS.items()]
        self.measure = ChoiceBox(translated("What of every node the map shows"), self._want_measure, labels)
        self.measure.explain_entries(translated(MEASURE_HINTS[measure]) for measure in MEASURE_LABELS)
        self.reach = ReachSlider()
        self.reach.setToolTip(translated("How far it reaches: the streets change as you drag"))
        self.reach.setAccessibleName(translated("Reach"))
        self.reach.valueChanged.connect(self._want_reach)
        self.distance = label(rank="value")
        self.nth = QSpinBox()
        self.nth.setRange(1, MOST_NTH)
        self.nth.setToolTip(translated("1 is the nearest point, 2 the second nearest …"))
        number_field(self.nth)
        self.nth.valueChanged.connect(lambda nth: self._choice.want(nth=nth))
        ways = [
            (translated("To the points"), True),
            (translated("From the points"), False),
        ]
        self.direction = ChoiceBox(
            translated("Whether ways lead from every node to the points or back: one-way streets differ"),
            self._want_direction,
            ways,
        )
        self.summary = label(rank="value", wrap=True)
        self.scatter = push_button(
            translated("Scatter 100"), actions["search.scatter"].toolTip(), press=actions["search.scatter"].trigger
        )
        self.clear = push_button(
            translated("Remove all"), actions["search.no_points"].toolTip(), press=actions["search.no_points"].trigger
        )
        self.save = push_button(
            translated("Save…"), actions["file.access"].toolTip(), press=actions["file.access"].trigger
        )
        self._reach_row = holding(in_row(caption(translated("Reach"), self.reach), (self.reach, 1), self.distance))
        self._nth_row = holding(captioned(translated("Nearest"), self.nth))
        parts = (
            self.about,
            captioned(translated("Show"), self.measure),
            self._reach_row,
            self._nth_row,
            captioned(translated("Way"), self.direction),
            self.summary,
            SPRING,
            in_row(self.scatter, self.clear, self.save, SPRING),
        )
        self.setLayout(in_column(*parts, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        session.changed(AccessChoice).connect(self._show)
        session.network_changed.connect(self._show)
        session.choice_changed.connect(self._show)
        self._show()

    @property
    def _choice(self) -> AccessChoice:
        return self._session.active.state(AccessChoice)

    def _want_measure(self, measure: Measure) -> None:
        self._choice.want(measure)

    def _want_reach(self, index: int) -> None:
        offered = self._choice.reaches
        if index < len(offered):
            self._choice.want(reach=offered[index])

    def _want_direction(self, towards: bool) -> None:
        self._choice.want(towards=towards)

    def _show(self) -> None:
        choice = self._choice
        count, offered, metric = len(choice.points), choice.reaches, choice.metric
        asked, about = choice.asked, plural("{count:,} point", "{count:,} points", count)
        if asked is not None and asked.weighed:
            about += " · " + translated("weight {weight}", weight=f"{sum(asked.weights):,.10g}")
        self.about.setText(about if count else translated(EMPTY))
        self.measure.choose_data(choice.measure)
        self.direction.choose_data(choice.towards)
        self._nth_row.setVisible(choice.measure is Measure.NEAREST)
        self._reach_row.setVisible(choice.measure is not Measure.NEAREST and metric is not None)
        reach = choice.reach_now
        if metric is not None and reach is not None:
            with QSignalBlocker(self.reach), QSignalBlocker(self.nth):
                self.reach.setRange(0, len(offered) - 1)
                self.reach.setValue(offered.index(reach) if reach in offered else 0)
                self.nth.setValue(choice.nth)
            self.distance.setText(short(metric, reach))
        self.clear.setEnabled(count > 0)
        found = choice.found
        self.save.setEnabled(found is not None)
        self.summary.setVisible(found is not None and choice.shown)
        self.summary.setText("" if found is None else found.summary)
