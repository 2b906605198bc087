"""The panel of what the threads of a card do in the step shown: which took which node, and which were idle."""

from __future__ import annotations

from collections.abc import Callable

from wayfront_gui.model.session import Session
from wayfront_gui.model.small_networks import is_small
from wayfront_gui.model.step_tables import thread_table
from wayfront_gui.panels.step_panel import StepPanel
from wayfront_gui.translation import marked, translated
from wayfront_gui.widgets.controls import label
from wayfront_gui.widgets.thread_rows import ThreadRows

LARGER = marked("On networks of up to 200 nodes this shows which thread of a card takes which node in a step.")
NONE = marked("This step has no threads side by side: choose a search that runs on a card.")
LAUNCHED = marked("As the device launched them. A row is a warp, a square a thread.")
WOULD_BE = marked("Recorded on the processor; so a card would launch it. A row is a warp, a square a thread.")
SIGNS = marked("Filled: at work. Hollow: looked and had nothing to do. Dot: beyond the work.")


class ThreadsPanel(StepPanel):
    """Shows the threads of the active slot's step; ``point_at`` points at a node on the map, -1 at none."""

    def __init__(self, session: Session, point_at: Callable[[int], object]) -> None:
        about, rows = label(wrap=True), ThreadRows()
        super().__init__(session, point_at, rows, about, above=False)
        self.about, self.rows = about, rows

    def _show(self) -> None:
        slot = self._session.active
        table = thread_table(slot)
        self.rows.setVisible(table is not None)
        self.rows.show_table(table)
        if table is None:
            self.about.setText(translated(NONE if is_small(slot.network) else LARGER))
        else:
            kind = translated(LAUNCHED if table.grid.as_launched else WOULD_BE)
            self.about.setText(f"{kind}\n{translated(SIGNS)}")
