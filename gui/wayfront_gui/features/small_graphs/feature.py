"""Small graphs: discs and arrows in place of roads, what a search holds after each step, and what its threads do."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.app.file_dialogs import save_as
from wayfront_gui.features.timing.export import save_picture
from wayfront_gui.session.slot import is_small
from wayfront_gui.ui.translation import marked, translated

HELD = "held"
PICTURE_FILES = {marked("PNG picture (*.png)"): ".png"}


class ShowingHeld:
    """Shows what the search holds on a small network; on a larger one, or of all pairs, there is nothing to show."""

    def __init__(self, host: Host) -> None:
        self._host, self._held = host, False
        for changed in (host.session.network_changed, host.session.result_changed):
            changed.connect(self._show)

    def _show(self) -> None:
        slot = self._host.session.active
        held = is_small(slot.network) and slot.pairs is None
        if held != self._held:
            self._host.panels.offer(HELD, held)
        self._held = held


def _keep(host: Host, name: str, picture: QImage) -> None:
    """Ask where and save a picture."""
    save_as(host, translated("Save picture"), name, PICTURE_FILES, lambda path: save_picture(picture, path))


def _held(host: Host) -> QWidget:
    from wayfront_gui.features.small_graphs.panels import StepStatePanel

    return StepStatePanel(host.session, host.view.point_at, partial(_keep, host, "queue-and-flags"))


def _threads(host: Host) -> QWidget:
    from wayfront_gui.features.small_graphs.panels import ThreadsPanel

    return ThreadsPanel(host.session, host.view.point_at, partial(_keep, host, "threads"))


FEATURE = Feature(
    "small graphs",
    controls=(ShowingHeld,),
    sections=(
        Section(
            HELD,
            "Queue and flags",
            _held,
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
            _threads,
            "Which thread of a card takes which node of a small network in a step",
            at=110,
            keys=("Shift+H",),
            beside=True,
            text="T&hreads",
        ),
    ),
)
