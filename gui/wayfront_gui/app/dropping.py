"""Opens files that are dropped on the window, or that the system asks the program to open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QTimer
from PySide6.QtGui import QFileOpenEvent

from wayfront.formats.edge_list.table import looks_like_arcs
from wayfront.formats.streams import read_head
from wayfront.network.road_network import RoadNetwork
from wayfront.places.recognising import is_table_of_points
from wayfront.safe.errors import FormatError
from wayfront.trace.file import SUFFIX
from wayfront_gui.app.feature import Host
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.translation import plural, translated


class Dropping(QObject):
    """Opens the files together, and says which cannot be."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.window)
        self._controller, self._reports = host.controller, host.reports

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
        """Open a network with its coordinates, or a trace with its network; then tables of closed roads and points."""
        dropped, files, network = Dropped.of(paths), self._controller.files, self._controller.session.active.network
        path = dropped.network or ("" if network is None else network.origin)
        then = partial(self._open_tables, dropped) if dropped.closures or dropped.points else None
        if dropped.trace:
            files.open(dropped.trace, network=dropped.network or None)
        elif dropped.coordinates and not path:
            self._reports.show_problem(translated("Open a network first; the coordinates belong to it."))
        elif dropped.network or dropped.coordinates:
            files.open(path, dropped.coordinates or None, begin=then)
        elif network is None and dropped.closures:
            self._reports.show_problem(translated("Open a network first; a table of closed roads belongs to one."))
        else:
            self._open_now(dropped)
        if dropped.left_out:
            self._reports.report_once(dropped.left_out)

    def _open_tables(self, dropped: Dropped, _slot: Slot, _network: RoadNetwork) -> bool:
        """Open tables once their network is searched; that search begins as always."""
        QTimer.singleShot(0, self, partial(self._open_now, dropped))
        return False

    def _open_now(self, dropped: Dropped) -> None:
        """Close the roads of a table, and put the points of another one on the map."""
        if dropped.closures:
            self._controller.files.closes_roads(dropped.closures)
        if dropped.points:
            self._controller.files.opens_points(dropped.points)


@dataclass(frozen=True, slots=True)
class Dropped:
    """What to open of some files.

    network      the network, with ``coordinates`` if a file of them came with it or is meant for the open one
    trace        the recorded search
    closures     the table of closed roads
    points       the table of points
    left_out     why files are not opened, one sentence, empty where all are
    """

    network: str = ""
    coordinates: str = ""
    trace: str = ""
    closures: str = ""
    points: str = ""
    left_out: str = ""

    @classmethod
    def of(cls, paths: Sequence[str]) -> Dropped:
        """Sort files by name, tables by what is in them: one of each kind is opened, the first that was dropped."""
        kinds: dict[str, list[str]] = {kind: [] for kind in ("network", "coordinates", "trace", "closures", "points")}
        for path in paths:
            kinds[_kind(path)].append(path)
        more = [Path(path).name for found in kinds.values() for path in found[1:]]
        one = "One map is open at a time: {files} was not opened."
        many = "One map is open at a time: {files} were not opened."
        why = plural(one, many, len(more), files=_listed(more)) if more else ""
        return cls(**{kind: found[0] if found else "" for kind, found in kinds.items()}, left_out=why)


def _kind(path: str) -> str:
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    if ".co" in suffixes:
        return "coordinates"
    if suffixes[-2:] == [".nodes", ".csv"]:  # the nodes of an edge list, with their places
        return "coordinates"
    if is_table_of_points(path):
        return "points"
    last = suffixes[-1] if suffixes else ""
    if last == ".csv":
        return "network" if _holds_arcs(path) else "closures"
    return "trace" if last == SUFFIX else "network"


def _holds_arcs(path: str) -> bool:
    """Return whether a table is an edge list, which its name does not tell from a table of closed roads."""
    try:
        return looks_like_arcs(read_head(Path(path)))
    except FormatError:
        return False


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return translated("{files} and {last}", files=", ".join(names[:-1]), last=names[-1])
