"""The commands of the File menu."""

from __future__ import annotations

from wayfront.formats.registry import formats, writable
from wayfront.network.conventions import SMALL
from wayfront.trace.file import SUFFIX
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.file_dialogs import with_suffix
from wayfront_gui.app.remembering import SessionFiles
from wayfront_gui.session.saved import SUFFIX as SESSION_SUFFIX
from wayfront_gui.ui.translation import marked, translated, translated_message

COORDINATE_FILES = marked("DIMACS coordinates (*.co *.co.*);;All files (*)")
SESSION_FILES = marked("Sessions (*{suffix})")
TRACE_FILES = marked("Recorded searches (*{suffix})")


def network_files() -> str:
    """Return the filters of a dialog that opens networks and recorded searches: all formats, then each."""
    kinds = [
        (translated("{format} files", format=translated_message(declared.label)), declared.patterns)
        for declared in formats()
    ]
    kinds += [(translated("Recorded searches"), (f"*{SUFFIX}",)), (translated("Sessions"), (f"*{SESSION_SUFFIX}",))]
    every = [pattern for _, patterns in kinds for pattern in patterns]
    listed = [
        (translated("Road networks, recorded searches and sessions"), every),
        *kinds,
        (translated("All files"), ("*",)),
    ]
    return ";;".join(f"{title} ({' '.join(patterns)})" for title, patterns in listed)


class FileCommands:
    """Opens and saves files. Problems are shown over the map; nothing here stops the program."""

    def __init__(self, host: Host) -> None:
        self._host, self._controller, self._session = host, host.controller, host.session
        self._dialogs, self._reports = host.dialogs, host.reports

    @command(
        "file.network",
        "Save net&work…",
        hint="Save nodes and arcs as an edge list, DIMACS, GraphML or .wayfront",
        at=(2, 1),
    )
    def save_network(self) -> None:
        """Ask where and in which format, and save nodes and arcs of what is open."""
        network = self._session.active.network
        if network is None or not network.node_count:
            self._reports.show_problem(translated("There is no network to save yet: open one, or draw a graph."))
            return
        kinds = {f"{declared.label} (*{declared.suffixes[0]})": declared.suffixes[0] for declared in writable()}
        usual = ".csv" if network.node_count <= SMALL else ".wayfront"
        kinds = dict(sorted(kinds.items(), key=lambda kind: kind[1] != usual))
        path, kind = self._dialogs.save(translated("Save network"), f"graph{usual}", ";;".join(kinds))
        if path:
            self._controller.files.save_network(network, with_suffix(path, kinds.get(kind, usual)))

    @command("file.open", "&Open…", keys=("Ctrl+O",), hint="Open a road network or a recorded search", at=(1, 2))
    def open_file(self) -> None:
        """Ask for a network or a trace and open it."""
        path = self._dialogs.open("Open", network_files())
        if path:
            self._controller.open(path)

    @command("file.coordinates", "Choose &coordinates…", hint="Take the map from a .co file", at=(1, 5))
    def open_coordinates(self) -> None:
        """Ask for a coordinate file and open the network again with it."""
        network = self._session.active.network
        if network is None:
            self._reports.show_problem(translated("Open a network first; the coordinates belong to it."))
            return
        path = self._dialogs.open(translated("Choose coordinates"), translated(COORDINATE_FILES))
        if path:
            self._controller.files.open(network.origin, path)

    @command(
        "file.trace", "Save recor&ded search…", keys=("Ctrl+Shift+S",), hint="Save every step for a replay", at=(2, 6)
    )
    def save_trace(self) -> None:
        """Ask where and save the recorded search."""
        path, _ = self._dialogs.save(
            translated("Save recorded search"), f"search{SUFFIX}", translated(TRACE_FILES, suffix=SUFFIX)
        )
        if path:
            self._controller.files.save_trace(str(with_suffix(path, SUFFIX)))

    @command("file.session", "Save sess&ion…", hint="Save network, searches, view and colours as a file", at=(2, 5))
    def save_session(self) -> None:
        """Ask where and save what is open: network, searches, view and colours."""
        session = self._host.control(SessionFiles).now()
        if session is None:
            self._reports.show_problem(translated("There is no session to save yet: open a network first."))
            return
        path, _ = self._dialogs.save(
            translated("Save session"), f"session{SESSION_SUFFIX}", translated(SESSION_FILES, suffix=SESSION_SUFFIX)
        )
        if path:
            self._controller.files.save(with_suffix(path, SESSION_SUFFIX), session.write)

    @command(
        "file.reopen",
        "Reopen at s&tart",
        hint="Begin with what was open: network, source, algorithm and view",
        at=(4, 1),
        checkable=True,
    )
    def reopen(self, wanted: bool) -> None:
        """Begin with what is open now when the window is opened again, or with the bundled network."""
        self._host.settings.reopen = wanted

    @command("file.quit", "&Quit", keys=("Ctrl+Q",), at=(5, 1))
    def quit(self) -> None:
        """Close the window, which ends the program."""
        self._host.window.close()
