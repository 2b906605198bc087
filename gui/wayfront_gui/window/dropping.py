"""Opens files that are dropped on the window, or that the system asks the program to open."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QMimeData, QObject, QTimer
from PySide6.QtGui import QFileOpenEvent

from wayfront.network.road_network import RoadNetwork
from wayfront_gui.model.dropped import Dropped
from wayfront_gui.model.slot import Slot
from wayfront_gui.translation import translated
from wayfront_gui.window.commands.roads import RoadCommands
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.reports import Reports


class Dropping(QObject):
    """Opens the files together, and says which cannot be."""

    def __init__(self, controller: Controller, roads: RoadCommands, reports: Reports, parent: QObject) -> None:
        super().__init__(parent)
        self._controller, self._roads, self._reports = controller, roads, reports

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Open a file that macOS asks the program to open while it runs, as after a double click."""
        if isinstance(event, QFileOpenEvent) and event.file():
            self.open([event.file()])
            return True
        return False

    def takes(self, dragged: QMimeData) -> bool:
        """Return whether there is a file among what is dragged over the window."""
        return any(url.isLocalFile() for url in dragged.urls())

    def drop(self, dragged: QMimeData) -> None:
        """Open the files among what was dropped."""
        self.open([url.toLocalFile() for url in dragged.urls() if url.isLocalFile()])

    def open(self, paths: list[str]) -> None:
        """Open a network with its coordinates, or a trace with its network; then close the roads of a table."""
        dropped, files, network = Dropped.of(paths), self._controller.files, self._controller.session.active.network
        path = dropped.network or ("" if network is None else network.origin)
        if dropped.trace:
            files.open(dropped.trace, network=dropped.network or None)
        elif dropped.coordinates and not path:
            self._reports.show_problem(translated("Open a network first; the coordinates belong to it."))
        elif dropped.network or dropped.coordinates:
            then = partial(self._close_roads, dropped.closures) if dropped.closures else None
            files.open(path, dropped.coordinates or None, begin=then)
        elif network is None:
            self._reports.show_problem(translated("Open a network first; a table of closed roads belongs to one."))
        else:
            self._roads.close_table(dropped.closures)
        if dropped.left_out:
            self._reports.tell_once(dropped.left_out)

    def _close_roads(self, table: str, _slot: Slot, _network: RoadNetwork) -> bool:
        """Close the roads of a table once its network is searched; that search begins as always."""
        QTimer.singleShot(0, self, partial(self._roads.close_table, table))
        return False
