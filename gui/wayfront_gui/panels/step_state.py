"""The panel of what a search on a small graph holds after the step shown: queue, heap, buckets, piles or flags."""

from __future__ import annotations

from collections.abc import Callable

from wayfront_gui.model.session import Session
from wayfront_gui.model.small_networks import is_small
from wayfront_gui.model.step_tables import held_table
from wayfront_gui.panels.step_panel import StepPanel
from wayfront_gui.translation import marked, translated
from wayfront_gui.widgets.controls import label
from wayfront_gui.widgets.node_chips import NodeChips

LARGER = marked(
    "On networks of up to 200 nodes this shows what a search holds: its queue, heap, buckets, piles or flags."
)
NOT_YET = marked("Search from a node: what the search holds after each step is shown here.")
NOT_TOLD = marked("This search does not tell what it holds.")


class StepStatePanel(StepPanel):
    """Shows what the active slot's search holds; ``point_at`` points at a node on the map, -1 at none."""

    def __init__(self, session: Session, point_at: Callable[[int], object]) -> None:
        title, chips = label(rank="value", wrap=True), NodeChips()
        super().__init__(session, point_at, chips, title, above=True)
        self.title, self.chips = title, chips

    def _show(self) -> None:
        slot = self._session.active
        table = held_table(slot)
        self.chips.setVisible(table is not None)
        self.chips.show_table(table)
        if table is not None:
            self._say(table.title, "value")
            return
        searched = slot.result is not None or slot.pairs is not None
        text = translated(LARGER if not is_small(slot.network) else NOT_TOLD if searched else NOT_YET)
        self._say(text, "second")

    def _say(self, text: str, rank: str) -> None:
        """Write what is held, or fainter why nothing is shown."""
        self.title.setText(text)
        if self.title.property("rank") != rank:
            self.title.setProperty("rank", rank)
            self.style().unpolish(self.title)  # otherwise the style sheet does not see the new property
            self.style().polish(self.title)
