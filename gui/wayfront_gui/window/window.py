"""The window: docks round the map, and the wires between panels, map and controller. It decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QMainWindow,
    QMessageBox,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from wayfront.errors import MemoryShortError
from wayfront.sources.store import split_name
from wayfront_gui.dialogs.downloads import DownloadDialog
from wayfront_gui.engine_thread.jobs import Abilities
from wayfront_gui.look.application_style import apply_theme, choose_theme
from wayfront_gui.look.theme import DARK
from wayfront_gui.map.geometry import Plane
from wayfront_gui.map.view import MapView
from wayfront_gui.model import formatting as words
from wayfront_gui.panels.algorithm import AlgorithmPanel
from wayfront_gui.panels.directions import DirectionsCard
from wayfront_gui.panels.explanation import ExplanationPanel
from wayfront_gui.panels.network import NetworkPanel
from wayfront_gui.panels.no_map import NoMap
from wayfront_gui.panels.status import StatusLine
from wayfront_gui.panels.timeline import Timeline
from wayfront_gui.panels.timing import TimingPanel
from wayfront_gui.widgets.cards import Palette, Question
from wayfront_gui.widgets.messages import MessageStrip
from wayfront_gui.window.actions import COMMANDS, MENUS, make_actions
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.handlers import Handlers
from wayfront_gui.window.map_link import MapLink
from wayfront_gui.window.settings import Settings

PANEL_WIDTH = 316
EXPLANATION_WIDTH = 348
START_SIZE = (1440, 900)
TOLD_AFTER_S = 1.0
"""A search that takes longer by its forecast is told beforehand in the status line …"""
NOTICED_AFTER_S = 10.0
"""… and one that takes longer than this, over the map too."""
NOTHING_OPEN = "Drop a road network here, or open one with Ctrl+O."


class Window(QMainWindow):
    """The one window of the program."""

    def __init__(self, controller: Controller, settings: Settings) -> None:
        super().__init__()
        self.controller, self.settings = controller, settings
        controller.osm = settings.osm
        self.session = controller.session
        self.theme = DARK
        self._forecast = ""
        self.setObjectName("window")
        self.setWindowTitle("wayfront")
        self.setAcceptDrops(True)
        self.map = MapView()
        self.actions_by_name = make_actions(self, Handlers(self))
        self._make_panels()
        self._arrange()
        self._make_menus()
        self._wire()
        self._link = MapLink(self.map, self.session, controller)
        self._restore()

    # ------------------------------------------------------------------------------------------------- making

    def _make_panels(self) -> None:
        controller, actions = self.controller, self.actions_by_name
        self.network_panel = NetworkPanel(
            self.session, actions["file.open"].trigger, self._change_roads, self.map.show_region
        )
        self.algorithm_panel = AlgorithmPanel(self.session, controller.run, controller.cancel)
        self.timing_panel = TimingPanel(self.session, actions["file.timings"].trigger)
        self.timeline = Timeline(self.session, actions)
        self.explanation = ExplanationPanel(self.session)
        self.status = StatusLine(controller.cancel)
        self.strip = MessageStrip()
        self.no_map = NoMap(controller.lay_out, actions["file.coordinates"].trigger, self.map)
        self.directions = DirectionsCard(self.map)
        self.question = Question(self.map)
        self.palette_card = Palette(actions, self.map)

    def _arrange(self) -> None:
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.strip)
        column.addWidget(self.map, 1)
        self.setCentralWidget(middle)
        setup = QWidget()
        stack = QVBoxLayout(setup)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addWidget(self.network_panel)
        stack.addWidget(self.algorithm_panel)
        stack.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidget(setup)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.docks = [
            self._dock("Search", scroll, Qt.DockWidgetArea.LeftDockWidgetArea),
            self._dock("Time", self.timing_panel, Qt.DockWidgetArea.LeftDockWidgetArea),
            self._dock("Replay", self.timeline, Qt.DockWidgetArea.BottomDockWidgetArea),
            self._dock("Explanation", self.explanation, Qt.DockWidgetArea.RightDockWidgetArea),
        ]
        self.explanation.setMinimumWidth(EXPLANATION_WIDTH)
        self._hidden_docks: list[QDockWidget] = []
        self.docks[3].toggleViewAction().toggled.connect(self.actions_by_name["view.explanation"].setChecked)
        self.setCorner(Qt.Corner.BottomLeftCorner, Qt.DockWidgetArea.LeftDockWidgetArea)
        self.resizeDocks(self.docks[:2], [PANEL_WIDTH, PANEL_WIDTH], Qt.Orientation.Horizontal)
        self.resizeDocks(self.docks[:2], [540, 300], Qt.Orientation.Vertical)
        self.resizeDocks(self.docks[3:], [EXPLANATION_WIDTH], Qt.Orientation.Horizontal)
        self.statusBar().addWidget(self.status, 1)
        self.statusBar().setSizeGripEnabled(False)

    def _dock(self, title: str, content: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"dock {title}")
        dock.setWidget(content)
        if area == Qt.DockWidgetArea.BottomDockWidgetArea:
            dock.setTitleBarWidget(QWidget(dock))  # the replay needs no heading, and the map every pixel
            dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        else:
            dock.setFeatures(QDockWidget.DockWidgetFeature.DockWidgetMovable)
            content.setMinimumWidth(PANEL_WIDTH - 36)
        self.addDockWidget(area, dock)
        return dock

    def _make_menus(self) -> None:
        menus = {key: self.menuBar().addMenu(title) for key, title in MENUS.items()}
        for command in COMMANDS:
            menu = menus[command.menu]
            if command.gap:
                menu.addSeparator()
            menu.addAction(self.actions_by_name[command.name])
            if command.name == "file.open":
                self._recent = menu.addMenu("Open &recent")
                self._recent.aboutToShow.connect(self._fill_recent)

    def _fill_recent(self) -> None:
        self._recent.clear()
        for path in self.settings.recent:
            action = self._recent.addAction(path)
            action.triggered.connect(lambda _checked=False, path=path: self.controller.open(path))
        if not self.settings.recent:
            self._recent.addAction("Nothing yet").setEnabled(False)

    def _wire(self) -> None:
        controller, worker = self.controller, self.controller.worker
        controller.opened.connect(self._on_opened)
        controller.said.connect(self.say)
        controller.memory_short.connect(self._ask_about_memory)
        controller.abilities_found.connect(self._on_abilities)
        controller.searching_changed.connect(self._on_searching)
        controller.searching_changed.connect(self.explanation.show_searching)
        worker.progressed.connect(self.status.show_progress)
        worker.busy_changed.connect(self._on_busy)
        worker.forecast.connect(self._on_forecast)
        worker.failed.connect(self.say_problem)
        self.map.node_hovered.connect(self._on_hover)
        self.session.clock.playing_changed.connect(self.timeline.show_playing)
        self.session.clock.playing_changed.connect(self.explanation.show_playing)
        self.session.clock.pace_changed.connect(self._show_walk)
        self.session.view_changed.connect(self._show_tree_choice)
        self.session.network_changed.connect(self._show_network)
        self.session.target_changed.connect(self._show_route)
        for changed in (self.session.result_changed, self.session.live_changed):
            changed.connect(self._tell_hovered)
            changed.connect(self._show_tree_choice)
        self._show_tree_choice()
        QApplication.styleHints().colorSchemeChanged.connect(self._on_system_colours)

    # ------------------------------------------------------------------------------------------------ showing

    def say(self, news: str) -> None:
        """Tell news in the status line."""
        self.status.say(news)

    def say_problem(self, problem: str) -> None:
        """Tell a problem in the strip over the map."""
        self.strip.say(problem)

    def say_about(self, title: str, text: str) -> None:
        """Tell what the program is."""
        QMessageBox.about(self, title, text)

    def _on_opened(self, path: str) -> None:
        self.strip.hide()
        if Path(path).exists():
            self.settings.remember_file(str(Path(path).resolve()))
        elif split_name(path) is not None:
            self.settings.remember_file(path)

    def _change_roads(self, name: str, value: str | bool) -> None:
        self.controller.read_again(name, value)
        self.settings.osm = self.controller.osm

    def _ask_about_memory(self, problem: MemoryShortError, open_anyway: Callable[[], None]) -> None:
        """Ask whether to open a map that may not fit."""
        box = QMessageBox(self)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setWindowTitle("Not enough memory")
        box.setText(words.memory_short(problem))
        box.addButton("Open anyway", QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.accepted.connect(open_anyway)
        box.open()

    def _on_abilities(self, abilities: Abilities) -> None:
        self.algorithm_panel.show_algorithms(abilities.algorithms, abilities.devices)
        self.algorithm_panel.show_devices(abilities.devices)
        cuda = next((d for d in abilities.devices if d.kind == "cuda"), None)
        if cuda is not None and not cuda.available:
            self.say(f"Searches run on the processor: {words.no_card(cuda.why_not)}")

    def _on_hover(self, node: int) -> None:
        self.status.show_hover(self.session.active.describe_node(node))

    def _tell_hovered(self) -> None:
        """Tell what is under a resting pointer anew: another search has other distances."""
        hovered = self.map.map_scene.hovered
        self._on_hover(-1 if hovered is None else hovered)

    def _on_busy(self, busy: bool) -> None:
        self.status.show_busy(busy)
        if not busy:
            self.network_panel.show_roads()
        self.map.set_message("" if busy or self.session.active.network is not None else NOTHING_OPEN)

    def _on_forecast(self, forecast: str, seconds: float) -> None:
        """Tell beforehand that a search will take a while, and how to stop one that takes long."""
        if seconds >= TOLD_AFTER_S:
            self._forecast = forecast
            self.say(forecast)
        if seconds > NOTICED_AFTER_S:
            self.strip.notice(f"{forecast}. Cancel or Esc stops it.")

    def _on_searching(self, searching: bool) -> None:
        self.algorithm_panel.show_searching(searching)
        if not searching:
            self.strip.end_notice()
            if self.status.news == self._forecast:
                self.say("")

    def _show_network(self) -> None:
        network = self.session.active.network
        self.setWindowTitle("wayfront" if network is None else f"{network.name} — wayfront")
        if network is not None and network.coordinates is None:
            self.no_map.show_for(network.name)
            self._place_cards()
        else:
            self.no_map.hide()

    def _show_route(self) -> None:
        route = self.session.active.route()
        self.say("" if route is None else route.text)
        self.directions.show_route(
            self.session.active.target, "" if route is None else route.text, self.session.active.directions()
        )

    def _show_tree_choice(self) -> None:
        self.actions_by_name["view.tree"].setEnabled(self.session.active.tree_offered)
        self.actions_by_name["view.tree"].setChecked(self.session.active.tree_shown)

    def _show_walk(self) -> None:
        self.actions_by_name[f"replay.by_{self.session.clock.walk}"].setChecked(True)

    # ------------------------------------------------------------------------------------------------ looking

    def choose_theme(self, choice: str) -> None:
        """Show the window in dark or light colours, or as the system has it."""
        self.settings.theme = choice
        self.actions_by_name[f"view.theme_{choice}"].setChecked(True)
        self.theme = choose_theme(choice)
        apply_theme(QApplication.instance(), self.theme)  # type: ignore[arg-type]
        for painted in (self.timeline, self.timing_panel, self.explanation, self.status, self.strip, self.directions):
            painted.set_theme(self.theme)
        self.map.set_theme(self.theme.name)

    def choose_colour_map(self, name: str) -> None:
        """Draw distances in the colours of that name."""
        self.settings.colour_map = name
        self.actions_by_name[f"view.{name}"].setChecked(True)
        self.map.set_colour_map(name)
        self.timeline.set_colour_map(name)

    def hide_panels(self, hidden: bool) -> None:
        """Show the map alone, or with the panels that were there."""
        if hidden:
            # A window that was closed without panels comes back so, and must yield them all the same.
            self._hidden_docks = [dock for dock in self.docks if not dock.isHidden()] or self.docks
        for dock in self._hidden_docks:
            dock.setHidden(hidden)

    def show_explanation(self, shown: bool) -> None:
        """Show how the algorithm works beside the map, or give the map that room."""
        self.docks[3].setVisible(shown)

    def view_bounds(self) -> tuple[float, float, float, float] | None:
        """Return west, south, east and north of what the map shows, in degrees; None where it shows no real place."""
        network = self.session.active.network
        if network is None or network.coordinates is None or self.session.active.laid_out:
            return None
        return Plane.of(network).degrees(self.map.camera().extent)

    def _on_system_colours(self) -> None:
        if self.settings.theme == "auto":
            self.choose_theme("auto")

    def _restore(self) -> None:
        self.resize(*START_SIZE)
        self.choose_theme(self.settings.theme)
        self.choose_colour_map(self.settings.colour_map)
        self.session.clock.set_speed(self.settings.speed)
        self.restoreGeometry(self.settings.geometry)
        self.restoreState(self.settings.layout)
        self.map.installEventFilter(self)
        self.map.setFocus()

    # ------------------------------------------------------------------------------------------------- events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Keep what lies over the map in its middle."""
        if watched is self.map and event.type() == QEvent.Type.Resize:
            self._place_cards()
        return False

    def _place_cards(self) -> None:
        room = self.map.rect().center() - self.no_map.rect().center()
        self.no_map.move(room)
        self.directions.place()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files."""
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open the first file; a ``.co`` file gives the open network its map."""
        path = next(url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
        network = self.session.active.network
        if ".co" in Path(path).suffixes and network is not None:
            self.controller.open(network.origin, path)
        else:
            self.controller.open(path)
        event.acceptProposedAction()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remember how the window stood and join the engine thread."""
        for dialog in self.findChildren(DownloadDialog):
            dialog.close()
        self.settings.geometry, self.settings.layout = self.saveGeometry(), self.saveState()
        self.settings.speed = self.session.clock.speed
        self.settings.save()
        self.controller.shut_down()
        super().closeEvent(event)
