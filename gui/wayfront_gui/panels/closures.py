"""The panel of closed roads: the tools, the list, what the closures cost, and the most critical road."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from wayfront_gui.look.theme import Theme
from wayfront_gui.model.closures import Arcs, closed_roads
from wayfront_gui.model.session import Session
from wayfront_gui.translation import marked, plural, translated
from wayfront_gui.widgets.action_row import action_row
from wayfront_gui.widgets.closed_list import ClosedList
from wayfront_gui.widgets.controls import GAP, MARGIN, label

MOST_ROADS = 200
"""Closed roads that are listed."""
CHANGED_BY = {
    "roads.close": marked("Close"),
    "roads.reopen": marked("Reopen"),
    "edit.undo": marked("Undo"),
    "edit.redo": marked("Redo"),
}
KEPT_BY = {"roads.reopen_all": marked("Reopen all"), "roads.open": marked("Open…"), "roads.save": marked("Save…")}
SHOWN_BY = {
    "roads.detours": marked("Detour view"),
    "roads.critical": marked("Most critical"),
    "roads.close_critical": marked("Close it"),
}
EMPTY = marked("No road is closed. Press C, then click roads on the map, or drag over them.")


class ClosuresPanel(QWidget):
    """Lists the active slot's closed roads, and says what they cost. ``show_road`` shows arcs on the map."""

    def __init__(self, session: Session, actions: Mapping[str, QAction], show_road: Callable[[Arcs], None]) -> None:
        super().__init__()
        self._session = session
        self.count = label(rank="value", wrap=True)
        self.list = ClosedList()
        self.list.reopened.connect(self._reopen)
        self.list.chosen.connect(show_road)
        self.totals = label(wrap=True)
        self.critical = label(wrap=True)
        self.critical.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        layout.addLayout(action_row(actions, CHANGED_BY))
        layout.addWidget(self.count)
        layout.addWidget(self.list, 1)
        layout.addLayout(action_row(actions, KEPT_BY))
        layout.addLayout(action_row(actions, SHOWN_BY))
        layout.addWidget(self.totals)
        layout.addWidget(self.critical)
        for changed in (session.closures_changed, session.network_changed, session.choice_changed):
            changed.connect(self._show_roads)
        session.detours_changed.connect(self._show_totals)
        session.critical_changed.connect(self._show_critical)
        self._show_roads()
        self._show_totals()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self.list.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the list up to date, which is not kept while nobody sees it."""
        super().showEvent(event)
        self._show_roads()

    def _reopen(self, arcs: Arcs) -> None:
        self._session.active.closures.reopen(arcs)

    def _show_roads(self) -> None:
        if not self.isVisible():
            return
        slot = self._session.active
        if slot.network is None or slot.metric is None or not len(slot.closures.arcs):
            self.list.show_roads((), 0)
            self.count.setText(translated(EMPTY))
            return
        roads, count = closed_roads(slot.network, slot.closures.arcs, slot.metric, MOST_ROADS)
        self.list.show_roads(roads, count)
        self.count.setText(plural("{count:,} closed road", "{count:,} closed roads", count))

    def _show_totals(self) -> None:
        found = self._session.active.detours.found
        self.totals.setText("" if found is None else f"{found.text}.")
        self.totals.setVisible(found is not None)

    def _show_critical(self) -> None:
        found = self._session.active.critical
        self.critical.setText("" if found is None else found.text)
        self.critical.setVisible(found is not None)
