"""Small graphs: discs and arrows in place of roads, what a search holds after each step, and what its threads do."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.small_graphs.panels import StepStatePanel, ThreadsPanel
from wayfront_gui.session.slot import is_small

HELD = "held"


class ShowingHeld:
    """Shows what the search holds once a small network is open, and no longer when a larger one is."""

    def __init__(self, host: Host) -> None:
        self._host, self._small = host, False
        host.session.network_changed.connect(self._show)

    def _show(self) -> None:
        small = is_small(self._host.session.active.network)
        if small != self._small:
            self._host.panels.offer(HELD, small)
        self._small = small


FEATURE = Feature(
    "small graphs",
    controls=(ShowingHeld,),
    sections=(
        Section(
            HELD,
            "Queue and flags",
            lambda host: StepStatePanel(host.session, host.view.point_at),
            "What a search on a small network holds after each step",
            at=100,
            keys=("H",),
            beside=True,
            lies=True,
            text="&Queue and flags",
        ),
        Section(
            "threads",
            "Threads",
            lambda host: ThreadsPanel(host.session, host.view.point_at),
            "Which thread of a card takes which node of a small network in a step",
            at=110,
            keys=("Shift+H",),
            beside=True,
            text="T&hreads",
        ),
    ),
)
