"""The window: panels round the map, commands, and the controls of the core and of every feature. It decides nothing."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow

from wayfront.safe.errors import DeviceError, DeviceLostError
from wayfront.sources.store import split_name
from wayfront_gui.app.about import HelpCommands, ReportDialog
from wayfront_gui.app.actions import MenuBar, connect_actions, make_actions
from wayfront_gui.app.appearance import Appearance
from wayfront_gui.app.areas import Areas
from wayfront_gui.app.central import CentralArea
from wayfront_gui.app.commands import Command, commands_of, for_platform, in_menus
from wayfront_gui.app.controller import Controller
from wayfront_gui.app.dropping import Dropping
from wayfront_gui.app.feature import Host, Tools, all_features, feature_commands
from wayfront_gui.app.file_dialogs import FileDialogs
from wayfront_gui.app.first_search import StartOptions
from wayfront_gui.app.job_dialog import JobDialog
from wayfront_gui.app.jobs import Abilities
from wayfront_gui.app.languages import Languages
from wayfront_gui.app.map_sync import MapSync, describe_node
from wayfront_gui.app.menu_file import FileCommands
from wayfront_gui.app.menu_replay import ReplayCommands
from wayfront_gui.app.menu_search import SearchCommands
from wayfront_gui.app.menu_view import ViewCommands
from wayfront_gui.app.network_panel import NetworkPanel, NoMap
from wayfront_gui.app.panels import Panels
from wayfront_gui.app.remembering import Remembering, SessionFiles
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.reports import Questions, Reports, StatusLine
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.undo import Undo
from wayfront_gui.map.view import MapView
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.session import formatting
from wayfront_gui.session.formatting import title_of
from wayfront_gui.ui.cards import MessageBar, QuestionCard
from wayfront_gui.ui.style import window_title
from wayfront_gui.ui.translation import marked, translated, translated_message

ON_CPU = marked("Search on the C&PU")
OPENING = marked("Opening the map.")
NO_NODES = marked("Click to make the first node.")
NOTHING_OPEN = marked("Drop a road network here, or open one with Ctrl+O.")
CORE_FIRST = (Panels, Appearance, MapSync, Undo)
"""Controls of the core that those of features build on."""
CORE_LAST = (
    SessionFiles,
    Remembering,
    Dropping,
    Languages,
    Areas,
    FileCommands,
    SearchCommands,
    ReplayCommands,
    ViewCommands,
    HelpCommands,
)


def _recent_name(path: str) -> str:
    """Return what a file is called among the recent ones, "" where there is none."""
    return str(Path(path).resolve()) if os.path.exists(path) else ""  # noqa: PTH110 - it may be longer than allowed


def all_commands() -> list[Command]:
    """Return every command of core and features, in the order of the menus."""
    core = [each for kind in (*CORE_FIRST, *CORE_LAST) for each in commands_of(kind)]
    return in_menus([*core, *feature_commands()])


class Window(QMainWindow):
    """The one window of the program. What controls use of it is its ``host``."""

    restored = Signal()
    closing = Signal()

    def __init__(self, controller: Controller, settings: Settings) -> None:
        super().__init__()
        self.controller, self.settings = controller, settings
        self.session = controller.session
        controller.files.places = lambda: settings.recent
        controller.files.reading_of = lambda path: settings.reading_of(_recent_name(path) or path)
        self._busy = controller.worker.busy
        self.setObjectName("window")
        self.setWindowTitle("wayfront")
        self.setAcceptDrops(True)
        self.map = MapView()
        controller.files.look_at = self.map.look_at
        settings.name_plugins()
        self.host = self._make_host()
        self.commands, self.actions_by_name = self.host.commands, self.host.actions
        self.panels = self.host.panels = self.host.add(Panels)
        self.reports = self.host.reports = Reports(self.status, self.message_bar, controller, self)
        self.appearance = self.host.appearance = self.host.add(Appearance)
        over = self.message_bar, self.central.tools, self.central.panes
        self.appearance.colour(self.panels.replay, self.panels, self.status, *over)
        features = [kind for feature in all_features() for kind in feature.controls]
        declared = list(self.commands)  # those of plug-ins, which come and go, are connected where they are made
        for kind in (*CORE_FIRST[2:], *features, *CORE_LAST):
            self.host.add(kind)
        self.panels.follow_menus(MenuBar(self.menuBar(), self.commands, self.actions_by_name, self.host))
        connect_actions(self.actions_by_name, declared, self.host.controls)
        self._wire()
        self._restore()

    def _make_host(self) -> Host:
        """Return what controls may use, as far as it is there before them; and what is over and under the map."""
        controller, host = self.controller, Host()
        host.window, host.session, host.controller, host.settings = self, self.session, controller, self.settings
        host.view, host.tools = self.map, Tools(self.map)
        host.commands = list(for_platform(all_commands(), sys.platform))
        host.actions = actions = make_actions(self, host.commands)
        host.restored, host.closing = self.restored, self.closing
        self.status = host.status = StatusLine(controller.cancel)
        self.message_bar = MessageBar()
        self.central = host.central = CentralArea(self.session, self.message_bar, self.map)
        self.no_map = NoMap(controller.files.lay_out, actions["file.coordinates"].trigger, self.map)
        self.central.add_card(
            self.no_map, lambda: self.no_map.move(self.map.rect().center() - self.no_map.rect().center())
        )
        controller.camera = self.central.panes.camera
        self.question = host.question = QuestionCard(self.central)  # in a race the map itself has little room
        host.dialogs, host.questions = FileDialogs(self, self.settings), Questions(self)
        self.statusBar().addWidget(self.status, 1)
        self.statusBar().setSizeGripEnabled(False)
        return host

    def open_first(self, path: str | None, *, fresh: bool = False, asked: StartOptions | None = None) -> None:
        """Open a file, or without one what was open when the window was closed, or else the bundled network.

        ``fresh`` leaves out what was open, and so do ``asked`` for the first search.
        """
        if asked is not None and asked.full_screen:
            self.actions_by_name["view.full_screen"].trigger()
        bundled = str(asset(BUNDLED))
        if asked is not None and asked.asks_search:
            search_from = lambda slot, node: self.controller.control_of(slot).choose_source(node)  # noqa: E731
            begin = partial(asked.begin, search_from, lambda why: self.reports.report_once(translated_message(why)))
            self.controller.files.open(bundled if path is None else path, begin=begin)
            return
        saved = self.settings.saved if self.settings.reopen and not fresh and path is None else None
        if saved is not None:
            self.controller.files.restore(saved, bundled)
        else:
            self.controller.open(bundled if path is None else path)

    def offer_report(self, report: str) -> None:
        """Offer to read what an earlier run left that did not end as it should."""
        show = lambda: ReportDialog(report, self).open()  # noqa: E731 - made when it is asked for
        self.reports.report_once(
            translated("wayfront did not close properly last time."), translated("Show report"), show
        )

    def _wire(self) -> None:
        controller, session, files = self.controller, self.session, self.controller.files
        search, replay = self.panels.panel(AlgorithmPanel), self.panels.panel(ReplayPanel)
        files.opened.connect(self._on_opened)
        files.failed_at_start.connect(self.reports.report_once)
        files.left_waiting.connect(self.reports.ask_to_run)
        files.memory_short.connect(self.host.questions.about_memory)
        files.network_not_here.connect(self.host.questions.about_network)
        controller.abilities_found.connect(self._on_abilities)
        controller.device_failed.connect(self._on_device_failed)
        controller.searching_changed.connect(search.show_searching)
        controller.worker.busy_changed.connect(self._on_busy)
        self.map.node_hovered.connect(self._show_node)
        session.clock.playing_changed.connect(replay.show_playing)
        session.network_changed.connect(self._show_network)
        session.dragged_changed.connect(self._show_dragged)
        for changed in (session.result_changed, session.live_changed):
            changed.connect(self._show_hovered_node)

    def _restore(self) -> None:
        self.host.control(Remembering).restore()
        self.settings.read_all()
        if problem := self.settings.take_problem():
            self.reports.report_once(problem)
        self.restored.emit()
        self.setFocusProxy(self.map)  # where the focus goes from fields that were typed in
        self.map.setFocus()

    # ------------------------------------------------------------------------------------------------ showing

    def _on_opened(self, path: str) -> None:
        network = self.session.active.network
        if (name := _recent_name(path)) or split_name(path) is not None:
            self.settings.remember_file(name or path, "" if network is None else network.reading)

    def _on_device_failed(self, problem: DeviceError, search_on_cpu: Callable[[], None]) -> None:
        """Offer the CPU; a device that is lost cannot be chosen again."""
        self.message_bar.show_problem(translated_message(str(problem)), translated(ON_CPU), search_on_cpu)
        if isinstance(problem, DeviceLostError):
            self.panels.panel(AlgorithmPanel).lose_device(problem.device, translated_message(str(problem)))

    def _on_abilities(self, abilities: Abilities) -> None:
        panel = self.panels.panel(AlgorithmPanel)
        panel.show_algorithms(abilities.algorithms, abilities.devices)
        panel.show_devices(abilities.devices)

    def _on_busy(self, busy: bool) -> None:
        if not busy:
            self.panels.panel(NetworkPanel).show_roads()
            self.panels.panel(AlgorithmPanel).show_buttons()  # a search that was stopped has noted what it found
        self._busy = busy
        self._show_message()

    def _show_message(self) -> None:
        """Say on an empty map why it is empty."""
        network = self.session.active.network
        empty = NO_NODES if network is not None else OPENING if self._busy else NOTHING_OPEN
        with self.map.changing() as scene:
            scene.message = "" if network is not None and network.node_count else translated(empty)

    def _show_node(self, node: int) -> None:
        self.status.show_hover(describe_node(self.session.active, node))

    def _show_hovered_node(self) -> None:
        """Describe the node under a resting pointer again: another search has other distances."""
        hovered = self.map.map_scene.markers.hovered
        self._show_node(-1 if hovered is None else hovered)

    def _show_network(self) -> None:
        network = self.session.active.network
        self._show_message()
        self.setWindowTitle("wayfront" if network is None else window_title(f"{title_of(network.name)} — wayfront"))
        if network is not None and network.coordinates is None:
            self.no_map.show_for(title_of(network.name))
            self.central.move_cards()
        else:
            self.no_map.hide()

    def _show_dragged(self) -> None:
        tree = self.session.active.dragged
        if tree is not None:
            self.reports.show(formatting.dragged(tree))

    # ------------------------------------------------------------------------------------------------- events

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let panels yield to the map where there is no room for them."""
        super().resizeEvent(event)
        self.panels.fit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if self.dropping.takes(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the files together, and say which cannot be."""
        if self.dropping.takes(event.mimeData()):
            self.dropping.drop(event.mimeData())
            event.acceptProposedAction()

    @property
    def dropping(self) -> Dropping:
        """What opens files that are dropped on the window."""
        return self.host.control(Dropping)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how the window stood and join the engine thread."""
        for dialog in self.findChildren(JobDialog):
            dialog.close()
        self.closing.emit()
        self.host.control(Remembering).keep()
        self.controller.shut_down()
        super().closeEvent(event)
