"""The panel of what streets carry: which paths count, how far, what closed roads change, and the figures."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from wayfront_gui.features.access.panel import ReachSlider
from wayfront_gui.features.flows.bars import ShareBars
from wayfront_gui.features.flows.state import FlowChoice, FlowsFound, busiest_streets, shares_by_class
from wayfront_gui.session.formatting import short
from wayfront_gui.session.session import Session
from wayfront_gui.ui.controls import (
    GAP,
    MARGIN,
    SPRING,
    ChoiceBox,
    caption,
    captioned,
    check_box,
    holding,
    in_column,
    in_row,
    label,
    push_button,
)
from wayfront_gui.ui.translation import marked, translated

EMPTY = marked(
    "Press Z to see how many trips pass each road when everybody goes everywhere by a shortest path. "
    "Close a bridge (C), and see where they go then."
)
TIES = {"one": marked("One path for each pair"), "all": marked("All shortest paths alike")}
TIES_HINTS = (
    marked("Of several shortest paths one carries all trips of a pair: always the same, in whole trips"),
    marked("All shortest paths of a pair carry the same share, as the betweenness of textbooks has it"),
)


class FlowsPanel(QWidget):
    """Shows what the active slot's streets carry, and chooses what counts."""

    def __init__(self, session: Session, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._session = session
        self.about = label(wrap=True)
        ties = [(translated(text), name) for name, text in TIES.items()]
        self.ties = ChoiceBox(
            translated("Which path the trips of a pair take"), lambda name: self._choice.want(ties=name), ties
        )
        self.ties.explain_entries(map(translated, TIES_HINTS))
        self.radius = ReachSlider()
        self.radius.setToolTip(translated("Only trips up to this distance count: what a neighbourhood's streets carry"))
        self.radius.setAccessibleName(translated("Farthest trip"))
        self.radius.valueChanged.connect(self._want_radius)
        self.distance = label(rank="value")
        self.compares = check_box(
            translated("What closed roads change"),
            translated("Paint which roads carry fewer trips and which carry more than with all roads open"),
        )
        self.compares.toggled.connect(lambda compares: self._choice.want(compares=compares))
        self.summary = label(rank="value", wrap=True)
        self.trips = label(rank="value", wrap=True)
        self.save = push_button(
            translated("Save…"), actions["file.flows"].toolTip(), press=actions["file.flows"].trigger
        )
        self.film = push_button(
            translated("Film…"), actions["file.flows_film"].toolTip(), press=actions["file.flows_film"].trigger
        )
        self._of_ways = label(translated("Their way leads over"), "caption")
        self.classes, self.streets = ShareBars(), ShareBars()
        self._of_streets = label(translated("Busiest streets, of all trips"), "caption")
        self._listed: FlowsFound | None = None
        self._closed_row = holding(in_row(self.compares, SPRING))
        parts = (
            self.about,
            captioned(translated("Paths"), self.ties),
            in_row(caption(translated("Up to"), self.radius), (self.radius, 1), self.distance),
            self._closed_row,
            self.summary,
            self.trips,
            in_row(self.save, self.film, SPRING),
            self._of_ways,
            self.classes,
            self._of_streets,
            self.streets,
            SPRING,
        )
        self.setLayout(in_column(*parts, margins=(MARGIN, GAP, MARGIN, MARGIN)))
        for changed in (
            *(session.changed(FlowChoice), session.network_changed, session.choice_changed, session.closures_changed),
        ):
            changed.connect(self._show)
        self._show()

    @property
    def _choice(self) -> FlowChoice:
        return self._session.active.state(FlowChoice)

    def _want_radius(self, index: int) -> None:
        offered = (*self._choice.reaches, None)
        if index < len(offered):
            self._choice.want(radius=offered[index])

    def _show(self) -> None:
        choice = self._choice
        metric, found, offered = choice.metric, choice.found, (*choice.reaches, None)
        self.about.setVisible(not choice.shown)
        self.about.setText(translated(EMPTY))
        self.ties.choose_data(choice.ties)
        with QSignalBlocker(self.radius), QSignalBlocker(self.compares):
            self.radius.setRange(0, len(offered) - 1)
            self.radius.setValue(offered.index(choice.radius) if choice.radius in offered else len(offered) - 1)
            self.compares.setChecked(choice.compares)
        if metric is None or choice.radius is None:
            self.distance.setText(translated("any distance"))
        else:
            self.distance.setText(short(metric, choice.radius))
        self.radius.setEnabled(metric is not None)
        self._closed_row.setVisible(len(self._session.active.closures.arcs) > 0)
        self.summary.setVisible(found is not None and choice.shown)
        self.summary.setText("" if found is None else found.summary)
        self.trips.setVisible(choice.trips is not None)
        self.trips.setText("" if choice.trips is None else choice.trips.summary)
        self._show_shares(found if choice.shown else None)
        self.save.setEnabled(found is not None)
        self.film.setEnabled(found is not None and choice.shown)

    def _show_shares(self, found: FlowsFound | None) -> None:
        """Show over which roads trips go, counted once for what was found."""
        if found is not self._listed:
            self._listed = found
            self.classes.show_shares([] if found is None else shares_by_class(found.flows))
            self.streets.show_shares([] if found is None else busiest_streets(found))
        self._of_ways.setVisible(bool(self.classes.rows))
        self._of_streets.setVisible(bool(self.streets.rows))
