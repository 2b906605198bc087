"""The window: docks round the map, and the wires between panels, map and controller. It decides nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow

from wayfront.errors import DeviceError, DeviceLostError
from wayfront.sources.store import split_name
from wayfront_gui.dialogs.about import ReportDialog
from wayfront_gui.dialogs.command_palette import CommandPalette
from wayfront_gui.dialogs.growth import GrowthDialog
from wayfront_gui.dialogs.job_dialog import JobDialog
from wayfront_gui.dialogs.question_card import QuestionCard
from wayfront_gui.engine_thread.jobs import Abilities
from wayfront_gui.lessons.play import LessonPlay
from wayfront_gui.look.plain import window_title
from wayfront_gui.map.view import MapView
from wayfront_gui.model import formatting
from wayfront_gui.model.commands import all_commands
from wayfront_gui.model.network_title import title_of
from wayfront_gui.model.node_facts import describe_node
from wayfront_gui.model.platform_keys import for_platform
from wayfront_gui.panels.algorithm import AlgorithmPanel
from wayfront_gui.panels.directions import DirectionsCard
from wayfront_gui.panels.explanation import ExplanationPanel
from wayfront_gui.panels.network import NetworkPanel
from wayfront_gui.panels.no_map import NoMap
from wayfront_gui.panels.replay import ReplayPanel
from wayfront_gui.panels.status import StatusLine
from wayfront_gui.panels.timing import TimingPanel
from wayfront_gui.resources import BUNDLED, asset
from wayfront_gui.translation import marked, translated, translated_message
from wayfront_gui.widgets.message_bar import MessageBar
from wayfront_gui.window.actions import connect_actions, make_actions
from wayfront_gui.window.added_colours import AddedColours
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.commands.edit import EditCommands
from wayfront_gui.window.commands.file import FileCommands
from wayfront_gui.window.commands.help import HelpCommands
from wayfront_gui.window.commands.lesson import LessonCommands
from wayfront_gui.window.commands.race import RaceCommands
from wayfront_gui.window.commands.replay import ReplayCommands
from wayfront_gui.window.commands.roads import RoadCommands
from wayfront_gui.window.commands.search import SearchCommands
from wayfront_gui.window.commands.view import ViewCommands
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.depot_control import DepotControl
from wayfront_gui.window.dock_table import PanelContext, dock_commands
from wayfront_gui.window.docks import Docks
from wayfront_gui.window.dropping import Dropping
from wayfront_gui.window.file_dialogs import FileDialogs
from wayfront_gui.window.graph_editor import GraphEditor
from wayfront_gui.window.isochrone_control import IsochroneControl
from wayfront_gui.window.lesson_control import LessonControl
from wayfront_gui.window.map_sync import MapSync
from wayfront_gui.window.menus import fill_menu_bar
from wayfront_gui.window.middle import Middle
from wayfront_gui.window.plugin_control import PluginControl, name_remembered
from wayfront_gui.window.presentation import Presentation
from wayfront_gui.window.questions import Questions
from wayfront_gui.window.race_sync import RaceSync
from wayfront_gui.window.remembering import Remembering
from wayfront_gui.window.reports import Reports
from wayfront_gui.window.road_control import RoadControl
from wayfront_gui.window.session_files import SessionFiles
from wayfront_gui.window.settings import Settings
from wayfront_gui.window.shown_choices import ShownChoices
from wayfront_gui.window.start_wishes import StartWishes
from wayfront_gui.window.undo import Undo

ON_CPU = marked("Search on the &CPU")
OPENING = marked("Opening the map. The very first start takes some seconds longer.")
NO_NODES = marked("Click to make the first node.")
NOTHING_OPEN = marked("Drop a road network here, or open one with Ctrl+O.")


class Window(QMainWindow):
    """The one window of the program."""

    def __init__(self, controller: Controller, settings: Settings) -> None:
        super().__init__()
        self.controller, self.settings = controller, settings
        controller.files.places = lambda: settings.recent
        self.session = controller.session
        self.lesson = LessonPlay()
        self._busy = controller.worker.busy
        self.setObjectName("window")
        self.setWindowTitle("wayfront")
        self.setAcceptDrops(True)
        self.map = MapView()
        controller.files.look_at = self.map.look_at
        name_remembered(settings)
        self.commands = list(for_platform(all_commands(dock_commands()), sys.platform))
        self.actions_by_name = make_actions(self, self.commands)
        self._make_cards()
        self._make_docks()
        fill_menu_bar(self.menuBar(), self.commands, self.actions_by_name, settings, controller.open)
        self._connect_commands()
        self._wire()
        self._map_sync = MapSync(self.map, self.session, controller)
        self._race_sync = RaceSync(self.middle.panes, self.map, self.session, controller)
        self._restore()

    def open_first(self, path: str | None, *, fresh: bool = False, wishes: StartWishes | None = None) -> None:
        """Open a file, or without one what was open when the window was closed, or else the bundled network.

        ``fresh`` leaves out what was open, and so do ``wishes`` for the first search.
        """
        if wishes is not None and wishes.full_screen:
            self.actions_by_name["view.full_screen"].trigger()
        bundled = str(asset(BUNDLED))
        if wishes is not None and wishes.asks_search:
            search_from = lambda slot, node: self.controller.control_of(slot).choose_source(node)  # noqa: E731
            begin = partial(wishes.begin, search_from, lambda why: self.reports.tell_once(translated_message(why)))
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
        self.reports.tell_once(
            translated("The program did not end as it should last time."), translated("Show report"), show
        )

    # ------------------------------------------------------------------------------------------------- making

    def _make_cards(self) -> None:
        """Make what is over, above and under the map."""
        controller, actions = self.controller, self.actions_by_name
        self.status = StatusLine(controller.cancel, controller.cuts.cancel)
        self.message_bar = MessageBar()
        self.no_map = NoMap(controller.files.lay_out, actions["file.coordinates"].trigger, self.map)
        self.directions = DirectionsCard(self.map)
        self.middle = Middle(self.session, self.message_bar, self.map)
        controller.camera = self.middle.panes.camera
        self.question = QuestionCard(self.middle)  # in a race the map itself has little room
        self.palette_card = CommandPalette(self.commands, actions, self.middle)
        self.setCentralWidget(self.middle)
        self.statusBar().addWidget(self.status, 1)
        self.statusBar().setSizeGripEnabled(False)

    def _make_docks(self) -> None:
        context = PanelContext(
            self.session, self.controller, self.actions_by_name, self.map, self._change_roads, self.lesson
        )
        self.docks = Docks(self, context)
        self.network_panel = self.docks.panel(NetworkPanel)
        self.algorithm_panel = self.docks.panel(AlgorithmPanel)
        self.timing_panel = self.docks.panel(TimingPanel)
        self.replay_panel = self.docks.panel(ReplayPanel)
        self.explanation = self.docks.panel(ExplanationPanel)
        self.presentation = Presentation(
            self, self.session, self.lesson, self.docks, self.middle, self.actions_by_name["view.present"]
        )

    def _connect_commands(self) -> None:
        controller = self.controller
        self.reports = Reports(self.status, self.message_bar, controller, self)
        over = self.status, self.message_bar, self.directions, self.middle.matrix, self.middle.panes
        themed = (*self.docks.panels(), self.docks, *over)
        self.appearance = Appearance(self.settings, self.actions_by_name, self.map, themed)
        self.roads = RoadControl(self.session, self.map, self.reports.show, self.status.show_hover)
        dialogs = FileDialogs(self, self.settings)
        self.roads_commands = RoadCommands(
            dialogs, controller, self.actions_by_name, self.roads, self.question, self.reports, self.docks.show
        )
        self.depots = DepotControl(controller, self.map, self.reports.show)
        self.graphs = GraphEditor(controller, self.map, self.reports)
        self.isochrones = IsochroneControl(controller, self.map, self.reports.show)
        self._choices = ShownChoices(
            self.session, self.actions_by_name, self.docks, self.roads, self.depots, self.graphs
        )
        self._questions = Questions(self)
        self.dropping = Dropping(controller, self.roads_commands, self.reports, self)
        self.undo = Undo(controller, self.middle.panes, self.appearance, self.actions_by_name)
        remembering = self._remembering = Remembering(
            self, self.settings, controller, self.actions_by_name, self.docks, self.middle, self.appearance
        )
        sessions = SessionFiles(controller, self.map, self.appearance, self.reports)
        race = RaceCommands(
            controller, self.reports.show, self.actions_by_name, self.middle.panes, dialogs, self.question
        )
        lessons = LessonControl(self.lesson, controller, self.map, self.reports, self.docks.offer, self.settings)
        over_map = self.middle, self.appearance, self.reports
        colours = AddedColours(self, self.commands, self.actions_by_name, self.appearance.choose_colour_map)
        self.plugins = PluginControl(
            self.settings, controller, self.appearance, colours, self.reports,
            self.explanation.read_again, self.actions_by_name["file.plugins"].trigger, self,
        )  # fmt: skip
        menus = {
            "edit": EditCommands(self.undo, self.graphs),
            "file": FileCommands(
                self, controller, self.settings, dialogs, sessions, *over_map, race.save_film, self.graphs, self.plugins
            ),
            "search": SearchCommands(
                *(controller, self.question, (self.roads.leave_tool, self.graphs.end), self.depots, self.isochrones),
                measure_growth=partial(self._measure_growth, dialogs),
                leave_presentation=self.presentation.leave,
            ),
            "roads": self.roads_commands,
            "race": race,
            "lesson": LessonCommands(self, lessons, dialogs, self.appearance),
            "replay": ReplayCommands(self.session, self.reports.show, self.replay_panel.show_timeline),
            "view": ViewCommands(
                self, controller, self.map, self.appearance, self.docks, self.middle, self.presentation
            ),
            "help": HelpCommands(
                self, controller, self.commands, self.palette_card, self.appearance, self._questions, remembering.reset
            ),
        }
        connect_actions(self.actions_by_name, self.commands, menus)

    def _measure_growth(self, dialogs: FileDialogs) -> None:
        theme, worker = (lambda: self.appearance.theme.name), self.controller.worker
        GrowthDialog(worker, theme, dialogs.save, self.controller.news.emit, self).show_modeless()

    def _wire(self) -> None:
        controller, session = self.controller, self.session
        controller.files.opened.connect(self._on_opened)
        controller.files.failed_at_start.connect(self.reports.tell_once)
        controller.files.memory_short.connect(self._questions.about_memory)
        controller.files.network_not_here.connect(self._questions.about_network)
        controller.abilities_found.connect(self._on_abilities)
        controller.device_failed.connect(self._on_device_failed)
        controller.searching_changed.connect(self.algorithm_panel.show_searching)
        controller.searching_changed.connect(self.explanation.show_searching)
        controller.worker.busy_changed.connect(self._on_busy)
        self.map.node_hovered.connect(self._show_node)
        session.clock.playing_changed.connect(self.replay_panel.show_playing)
        session.clock.playing_changed.connect(self.explanation.show_playing)
        session.network_changed.connect(self._show_network)
        session.target_changed.connect(self._show_route)
        self.message_bar.covers.connect(self.directions.leave_room)
        self.directions.target_picked.connect(lambda node: controller.move_target(node, node))
        session.dragged_changed.connect(self._show_dragged)
        for changed in (session.result_changed, session.live_changed):
            changed.connect(self._show_hovered_node)

    def _restore(self) -> None:
        self._remembering.restore()
        if problem := self.settings.problem():
            self.reports.tell_once(problem)
        self.plugins.restore()
        self.map.installEventFilter(self)
        for changed, dock in (
            (self.lesson.changed, "lesson"),
            (self.session.isochrones_changed, "isochrones"),
            (self.session.depots_changed, "depots"),
        ):
            changed.connect(partial(self.docks.make_room_later, dock))
        self.setFocusProxy(self.map)  # where the focus goes from fields that were typed in
        self.map.setFocus()

    # ------------------------------------------------------------------------------------------------ showing

    def _on_opened(self, path: str) -> None:
        if Path(path).exists():
            self.settings.remember_file(str(Path(path).resolve()))
        elif split_name(path) is not None:
            self.settings.remember_file(path)

    def _change_roads(self, name: str, value: str | bool) -> None:
        self.controller.files.read_again(name, value)
        self.settings.osm = self.controller.files.osm

    def _on_device_failed(self, problem: DeviceError, search_on_cpu: Callable[[], None]) -> None:
        """Offer the CPU; a device that is lost cannot be chosen again."""
        self.message_bar.show_problem(translated_message(str(problem)), translated(ON_CPU), search_on_cpu)
        if isinstance(problem, DeviceLostError):
            self.algorithm_panel.lose_device(problem.device, translated_message(str(problem)))

    def _on_abilities(self, abilities: Abilities) -> None:
        self.algorithm_panel.show_algorithms(abilities.algorithms, abilities.devices)
        self.algorithm_panel.show_devices(abilities.devices)

    def _on_busy(self, busy: bool) -> None:
        if not busy:
            self.network_panel.show_roads()
            self.algorithm_panel.show_buttons()  # a search that was stopped has noted what it found
        self._busy = busy
        self._show_message()

    def _show_message(self) -> None:
        """Say on an empty map why it is empty."""
        network, busy = self.session.active.network, self._busy
        opened = network is not None
        if network is not None and not network.node_count:
            self.map.set_message(translated(NO_NODES))
            return
        self.map.set_message("" if opened else translated(OPENING if busy else NOTHING_OPEN))

    def _show_node(self, node: int) -> None:
        self.status.show_hover(describe_node(self.session.active, node))

    def _show_hovered_node(self) -> None:
        """Describe the node under a resting pointer again: another search has other distances."""
        hovered = self.map.map_scene.hovered
        self._show_node(-1 if hovered is None else hovered)

    def _show_network(self) -> None:
        network = self.session.active.network
        self._show_message()
        self.setWindowTitle("wayfront" if network is None else window_title(f"{title_of(network.name)} — wayfront"))
        if network is not None and network.coordinates is None:
            self.no_map.show_for(title_of(network.name))
            self._move_cards()
        else:
            self.no_map.hide()

    def _show_route(self) -> None:
        slot = self.session.active
        route = slot.route()
        text = "" if route is None else route.text
        self.reports.show(text)
        self.directions.show_journey(slot.targets, slot.journey())

    def _show_dragged(self) -> None:
        tree = self.session.active.dragged
        if tree is not None:
            self.reports.show(formatting.dragged(tree))

    # ------------------------------------------------------------------------------------------------- events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Keep the cards over the map where they belong."""
        if watched is self.map and event.type() == QEvent.Type.Resize:
            self._move_cards()
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let docks yield to the map where there is no room for them."""
        super().resizeEvent(event)
        self.docks.fit()

    def _move_cards(self) -> None:
        self.no_map.move(self.map.rect().center() - self.no_map.rect().center())
        self.directions.move_to_corner()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if self.dropping.takes(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the files together, and say which cannot be."""
        if self.dropping.takes(event.mimeData()):
            self.dropping.drop(event.mimeData())
            event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how the window stood and join the engine thread."""
        for kind in (JobDialog, GrowthDialog):
            for dialog in self.findChildren(kind):
                dialog.close()
        self.graphs.keep()
        self.presentation.leave()  # what is kept is how the window stands without it
        self._remembering.keep()
        self.plugins.close()
        self.controller.shut_down()
        super().closeEvent(event)
