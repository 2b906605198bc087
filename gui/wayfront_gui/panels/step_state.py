"""The panel of what a search on a small graph holds after the step shown: queue, heap, buckets, piles or flags."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from wayfront_gui.look.theme import Theme
from wayfront_gui.model.session import Session
from wayfront_gui.model.small_networks import is_small
from wayfront_gui.model.step_tables import held_table
from wayfront_gui.translation import marked, translated
from wayfront_gui.widgets.controls import GAP, MARGIN, label
from wayfront_gui.widgets.node_chips import NodeChips

LARGER = marked(
    "On networks of up to 200 nodes this shows what a search holds: its queue, heap, buckets, piles or flags."
)
NOT_YET = marked("Search from a node: what the search holds after each step is shown here.")
NOT_TOLD = marked("This search does not tell what it holds.")


class StepStatePanel(QWidget):
    """Shows what the active slot's search holds; ``point_at`` points at a node on the map, -1 at none."""

    def __init__(self, session: Session, point_at: Callable[[int], object]) -> None:
        super().__init__()
        self._session = session
        self.title = label(rank="value", wrap=True)
        self.chips = NodeChips()
        self.chips.node_hovered.connect(point_at)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        layout.addWidget(self.title)
        layout.addWidget(self.chips)
        layout.addStretch(1)
        for changed in (session.network_changed, session.result_changed, session.live_changed, session.view_changed):
            changed.connect(self._show)
        session.replay_moved.connect(self._show)
        session.dragged_changed.connect(self._show)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use the theme's colours."""
        self.chips.set_theme(theme)

    def showEvent(self, event: QShowEvent) -> None:
        """Bring the table up to date, which is not kept while nobody sees it."""
        super().showEvent(event)
        self._show()

    def _show(self) -> None:
        if not self.isVisible():
            return
        slot = self._session.active
        table = held_table(slot)
        self.chips.setVisible(table is not None)
        self.chips.show_table(table)
        if table is not None:
            self.title.setText(table.title)
            return
        searched = slot.result is not None or slot.pairs is not None
        self.title.setText(translated(LARGER if not is_small(slot.network) else NOT_TOLD if searched else NOT_YET))
