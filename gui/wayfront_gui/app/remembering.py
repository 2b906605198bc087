"""Shows the window as the settings say, keeps how it stood in them, and sets everything back."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSize

from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError
from wayfront.timing.harness import usable_cores
from wayfront_gui.app.feature import Host
from wayfront_gui.app.jobs import SearchJob
from wayfront_gui.app.settings import switch
from wayfront_gui.session.saved import RAN_LONG, SavedSession, SessionFile
from wayfront_gui.session.saved import SUFFIX as SESSION_SUFFIX
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.colour_maps import is_known
from wayfront_gui.ui.controls import Fold
from wayfront_gui.ui.theme import THEMES
from wayfront_gui.ui.translation import translated, translated_message

log = logging.getLogger(__name__)
START_SIZE = QSize(1440, 900)
LONG_S = 3.0
"""A search that has run for so long when the window is closed is not begun again by itself at the next start."""
FRAME_HEIGHT = 36
"""What a system's frame takes of a screen's height, above a window that fills it."""
SAVED_GEOMETRY = b"\x01\xd9\xd0\xcb"
"""How what ``saveGeometry`` returns begins."""


def first_place(free: QRect) -> tuple[QSize, QPoint]:
    """Return the window's first size, and where the upper left corner of its frame is, on a screen's free part.

    Qt moves a window by its frame, which begins where the free part does if the window fills that.
    """
    size = START_SIZE.boundedTo(QSize(free.width(), free.height() - FRAME_HEIGHT))
    left = free.left() + (free.width() - size.width()) // 2
    return size, QPoint(left, free.top() + (free.height() - size.height() - FRAME_HEIGHT) // 2)


class Remembering:
    """Joins the settings with the window."""

    def __init__(self, host: Host) -> None:
        self._window, self._settings, self._controller = host.window, host.settings, host.controller
        self._actions, self._panels, self._central, self._appearance = (
            host.actions, host.panels, host.central, host.appearance,
        )  # fmt: skip
        self._switches = [(host.actions[each.name], switch(*each.kept)) for each in host.commands if each.kept]

    def restore(self) -> None:
        """Show the window as it stood when it was closed; as at a first start what is not kept or cannot be used."""
        self._fit_screen()
        for what, restore, keys in (
            ("the theme and the colours", self._appearance.restore, ("theme", "colour_map")),
            ("what the map shows", self._restore_switches, ()),
            ("how searches run", self._restore_searches, ("speed", "threads", "osm")),
            ("the window's layout", self._restore_layout, ()),  # what is stored of it changes at every end
        ):
            self._try(what, restore, keys)

    def _try(self, what: str, restore: Callable[[], None], keys: tuple[str, ...]) -> None:
        """Restore some settings; whatever that raises is reported, and the window begins without them."""
        try:
            restore()
        except Exception:
            log.exception("%s cannot be restored", what)
            self._settings.refuse(what, *keys)

    def _restore_switches(self) -> None:
        self._actions["file.reopen"].setChecked(self._settings.reopen)
        for action, kept in self._switches:
            action.setChecked(not self._settings.get(kept))
            action.trigger()

    def _restore_searches(self) -> None:
        settings, session = self._settings, self._controller.session
        session.clock.set_speed(settings.speed)
        session.active.choose_threads(self._threads)
        self._controller.files.osm = settings.osm

    def _restore_layout(self) -> None:
        settings = self._settings
        stored = settings.geometry
        # Qt also refuses the position of a window that was on a screen of quite another size: that is no damage.
        if stored.size() and not self._window.restoreGeometry(stored) and not stored.startsWith(SAVED_GEOMETRY):
            settings.refuse("the window's position", "window/geometry")
        self._panels.restore(settings.layout)

    def keep(self) -> None:
        """Keep how the window stands, which hides it: what is closed is gone at once, whatever still has to end."""
        settings, session = self._settings, self._controller.session
        settings.geometry = self._window.saveGeometry()
        self._window.hide()
        settings.layout = self._panels.layout()
        settings.speed = session.clock.speed
        saved, seen = self._controller.files.saved(), self._central.view.seen
        if saved is not None and settings.reopen:
            view = None if seen is None else (seen.left, seen.bottom, seen.right, seen.top)
            worker = self._controller.worker
            job = worker.running  # in another lane it is a tree beside the search, which begins anew by itself
            long = isinstance(job, SearchJob) and job.lane == "search" and worker.running_s >= LONG_S
            settings.saved = replace(
                saved, view=view, choice={**saved.choice, RAN_LONG: True} if long else saved.choice
            )
        for action, kept in self._switches:
            settings.put(kept, action.isChecked())
        if session.active.threads != self._threads:
            settings.threads = session.active.threads
        settings.save()

    def reset(self) -> None:
        """Set everything back to what it is at a first start."""
        self._settings.forget_all()
        for fold in self._window.findChildren(Fold):
            if fold.objectName():  # those of the side column stand in the layout
                fold.set_open(False)
        self.restore()

    @property
    def _threads(self) -> int:
        return min(self._settings.threads, usable_cores())

    def _fit_screen(self) -> None:
        """Take the first size and place: with the system's frame in the middle of the screen, and never beyond it."""
        window = self._window
        size, place = first_place(window.screen().availableGeometry())
        window.resize(size)
        window.move(place)


class SessionFiles:
    """Joins session files with the window."""

    def __init__(self, host: Host) -> None:
        self._controller, self._session = host.controller, host.session
        self._view, self._appearance, self._reports = host.view, host.appearance, host.reports
        self._controller.files.openers[SESSION_SUFFIX] = self.open

    def now(self) -> SessionFile | None:
        """Return what is open now, None where nothing is."""
        slots, saved = [slot for slot in self._session.slots if slot.part is None], self._controller.files.saved()
        if saved is None or not slots:
            return None
        first = self._session.active if self._session.active in slots else slots[0]
        others = [slot for slot in slots if slot is not first]
        more = [
            SavedSession.of(saved.opened_by, each.network, each.choice, None, each.states)
            for each in others
            if each.network
        ]
        seen = self._view.seen if first is self._session.active else None
        view = None if seen is None else (seen.left, seen.bottom, seen.right, seen.top)
        return SessionFile(
            (replace(saved, view=view), *more),
            self._appearance.theme.name,
            self._appearance.colour_map,
            self._session.split,
        )

    def open(self, path: str) -> None:
        """Show what a session file holds; what is open stays where that cannot be read."""
        try:
            file = SessionFile.read(path)
        except FormatError as problem:
            self._reports.show_problem(translated_message(str(problem)))
            return
        if file.theme in THEMES:
            self._appearance.choose_theme(file.theme)
        if is_known(file.colour_map):
            self._appearance.choose_colour_map(file.colour_map)
        self._controller.files.open_saved(file.slots[0], partial(self._begin, file, Path(path).name))

    def _begin(self, file: SessionFile, name: str, slot: Slot, network: RoadNetwork) -> bool:
        """Take over the choices of all slots on the network that was opened, and search."""
        if network.content_key != file.slots[0].content_key:
            self._controller.news.emit(
                translated(
                    "The network of {name} has changed since it was saved: closed roads and the view are left out.",
                    name=name,
                )
            )
        self._session.keep_active()
        for other in file.slots[1:]:
            added = self._session.add_slot()
            self._controller.control_of(added).choose(replace(other.choice_on(network), turns=slot.turns))
        if len(file.slots) > 1:
            self._session.share_map(file.split)
        return self._controller.files.begin_saved(file.slots[0], slot, network)
