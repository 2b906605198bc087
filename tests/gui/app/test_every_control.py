"""Every control of the window and of its dialogs is used once, as a person uses it, and every command is given once.

Nothing is computed meanwhile: what each of them does is tested where it belongs. Here none may be dead, raise, or be
out of reach.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, SignalInstance
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QFileDialog,
    QLineEdit,
    QMenuBar,
    QSlider,
    QSpinBox,
    QTableView,
    QWidget,
)
from shiboken6 import isValid
from tests.gui.conftest import make_grid, make_result

from lessons import QUIZ
from made_pairs import make_pairs
from repository import TEST_DATA
from soak.monkey import play
from wayfront.network.road_network import RoadNetwork
from wayfront.network.turn_costs import SECONDS, TurnCosts
from wayfront.results.result import SearchKind
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.panels import SIDE, all_sections
from wayfront_gui.app.window import Window
from wayfront_gui.features.depots.state import DepotChoice
from wayfront_gui.features.drawing.control import GraphEditor
from wayfront_gui.features.drawing.state import GraphEditing
from wayfront_gui.features.finding.control import Finder
from wayfront_gui.features.lessons.file import parse_lesson
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.features.race.state import Race
from wayfront_gui.features.timing.panel import TimingPanel
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.pairs import MatrixReplay, Pairs
from wayfront_gui.ui.controls import Fold

KINDS = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QSlider)
OF_QT = (QComboBox, QAbstractSpinBox, QMenuBar, QTableView)
"""What has controls within it."""
OF_QT_BY_NAME = ("qt_toolbar_ext_button", "ScrollLeftButton", "ScrollRightButton")
ENDS = ("file.quit",)
"""Commands that end the program."""
ELSEWHERE = {
    "AccessPanel.save": ("features/access/test_access_window.py", "panel.save, LEFT"),
    "AccessPanel.clear": ("features/access/test_access_window.py", "panel.clear, LEFT"),
    "AccessPanel.nth": ("features/access/test_access_window.py", "panel.nth.setValue"),
    "FlowsPanel.compares": ("features/flows/test_flows_window.py", "panel.compares, LEFT"),
    "FlowsPanel.save": ("features/flows/test_flows_window.py", "panel.save, LEFT"),
    "FlowsPanel.film": ("features/flows/test_flows_window.py", "panel(FlowsPanel).film, LEFT"),
    "PointsPanel.text": ("features/points/test_points_window.py", "panel.text.setText"),
    "PointsPanel.least": ("features/points/test_points_window.py", "panel.least.setValue"),
    "PointsPanel.limit": ("features/points/test_points_window.py", "panel.limit.setValue"),
    "PointsPanel.matrix": ("features/points/test_matrix_of_points.py", ".matrix.click"),
    "PointsPanel.matrix_to": ("features/points/test_matrix_of_points.py", ".matrix_to.click"),
    "PointsPanel.save": ("features/points/test_points_window.py", ".save.click"),
    "PointsPanel.remove": ("features/points/test_points_window.py", ".remove.click"),
    **{
        f"QWidget: Use points as: {use}": ("features/points/test_points_window.py", f'use["{use}"].click')
        for use in ("Sources", "Opportunities", "Targets", "Depots")
    },
    "MoreOptions.threads": ("app/test_window.py", "choose_threads"),
    "ClosuresPanel: Close it": ("features/closures/test_closing_roads.py", "roads.close_critical"),
    "ClosuresPanel.save_totals": ("features/closures/test_closing_roads.py", ".save_totals"),
    "ClosuresPanel.save_critical": ("features/closures/test_closing_roads.py", ".save_critical"),
    "StepStatePanel.save": ("features/small_graphs/test_small_graph_panels.py", ".save.click"),
    "ThreadsPanel.save": ("features/small_graphs/test_small_graph_panels.py", ".save.click"),
    "ConsolePanel.stop": ("features/console/test_console_window.py", "console.stop, Qt"),
    "DepotsPanel.save": ("features/depots/test_where_to_be.py", "panel.save, LEFT"),
    "IsochronesPanel.alone": ("features/isochrones/test_isochrones_window.py", ".alone"),
    "IsochronesPanel.export": ("features/isochrones/test_isochrones_window.py", ".export"),
    **{
        f"PictureDialog.{name}": ("features/export/test_export_dialogs.py", f".{name}.")
        for name in ("across", "upward", "stop")
    },
    "NetworkFacts.regions": ("app/test_osm_window.py", "NetworkPanel).regions"),
    "AlgorithmPanel.resume": ("features/all_pairs/test_pairs_window.py", "resume"),
    "RoadsForm.largest": ("app/test_osm_window.py", "largest"),
    "RoadsForm.simplify": ("app/test_osm_window.py", "simplify"),
    "RoadsForm.traffic": ("app/test_osm_window.py", "traffic"),
    "RoadsForm.turns": ("app/test_osm_window.py", "turns"),
    "RoadsForm.country": ("app/test_osm_window.py", "roads.country.setCurrentIndex"),
    "RoadsForm.costly": ("app/test_osm_window.py", "roads.costly.setChecked"),
    "TurnCostsForm.side": ("app/test_osm_window.py", "costs.side.setCurrentIndex"),
    **{
        f"TurnCostsForm: {field.metadata['label']}": ("app/test_osm_window.py", "costs.seconds[name].setValue")
        for field in fields(TurnCosts)
        if field.name in SECONDS
    },
}
"""Controls that appear only with results, with roads of OpenStreetMap or while something runs, and who uses them."""


def controls(root: QWidget) -> list[QWidget]:
    """Return the controls in a window, without parts of others and without Qt's own."""
    found: list[QWidget] = []
    for widget in root.findChildren(QWidget):
        parent = widget.parentWidget()
        part = isinstance(parent, OF_QT) or widget.objectName() in OF_QT_BY_NAME
        if isinstance(widget, KINDS) and not part:
            found.append(widget)
    return found


def use(control: QWidget) -> None:
    """Use a control as a person does, and fail if it does not notice."""
    noticed: list[object] = []

    def note(signal: SignalInstance) -> None:
        signal.connect(lambda *_: noticed.append(control))

    if isinstance(control, QAbstractButton):
        note(control.clicked)
        # On a box with a short text, the middle of a wide row is beside it.
        at = QPoint(8, control.height() // 2) if isinstance(control, QCheckBox) else QPoint()
        for _ in range(1 + control.isCheckable()):
            QTest.mouseClick(control, Qt.MouseButton.LeftButton, pos=at)
    elif isinstance(control, QComboBox):
        note(control.currentIndexChanged)
        before = control.currentIndex()
        for index in (*range(control.count()), before):
            control.setCurrentIndex(index)
        noticed += [control] * (control.count() < 2)
    elif isinstance(control, (QSpinBox, QDoubleSpinBox)):
        note(control.valueChanged)
        for step in (control.stepUp, control.stepDown):
            step()
    elif isinstance(control, QLineEdit):
        note(control.textChanged)
        QTest.keyClicks(control, "7")
        control.clear()
    elif isinstance(control, QSlider):
        note(control.valueChanged)
        control.setValue(control.maximum())
        control.setValue(control.minimum())
    assert noticed, f"{describe(control)} does not notice that it is used"


def describe(control: QWidget) -> str:
    """Return where a control is and how it is called there: the same for every row of a list."""
    holder = control.parentWidget()
    while holder is not None:
        for name, held in vars(holder).items():
            if held is control:
                return f"{type(holder).__name__}.{name}"
        holder = holder.parentWidget()
    text = control.text() if isinstance(control, QAbstractButton) else ""
    return f"{type(control.parentWidget()).__name__}: {control.accessibleName() or text or control.toolTip()}"


@pytest.fixture
def idle(window: Window, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> Window:
    """The window with all panels after a search of the grid, in which nothing more is computed."""
    monkeypatch.setattr(Worker, "submit", lambda *_1, **_2: 0)
    for name in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, name, lambda *_: ("", ""))
    window.resize(2700, 700)  # where both columns and the tools of all panels have room
    return window


def show_everything(window: Window) -> None:
    """Show all panels, whatever activity they belong to, with all their parts."""
    window.host.tools.leave_first()  # a presentation
    for row in all_sections():
        window.panels.offer(row.name, True)
    window.panels.ask_for(SIDE)
    for fold in window.findChildren(Fold):
        fold.set_open(True)


def show_search(window: Window, grid: RoadNetwork) -> None:
    """Show every panel and a timed search of the grid, with a route."""
    show_everything(window)
    for fold in window.findChildren(Fold):
        fold.set_open(True)
    slot, result = window.session.active, make_result(grid, grid.node(130), runs_ms=(2.0, 1.0))
    slot.open(grid)
    slot.choose_source(result.source)
    slot.show(result)
    slot.choose_target(result.farthest)
    window.session.add_timing(slot, result)
    slot.player.load(result.trace, result.distances, 1.5)


def close_roads(window: Window) -> None:
    window.session.active.closures.close(as_arcs([3]))
    window.session.active.closures.close(as_arcs([9]))
    window.actions_by_name["edit.undo"].trigger()


def lead_routes(window: Window) -> None:
    """Have two targets, and one route through both."""
    window.panels.show("route", True)
    for node in (41, 60):
        window.controller.toggle_target(node)
    window.actions_by_name["search.through"].trigger()


def pick_depots(window: Window) -> None:
    window.session.active.state(DepotChoice).toggle(5)


def show_more(window: Window) -> None:
    window.actions_by_name["replay.more"].trigger()


def choose_all_pairs(window: Window) -> None:
    window.session.active.choose_kind(SearchKind.ALL_PAIRS)


def find_all_pairs(window: Window) -> None:
    network = window.session.active.network
    assert network is not None
    pairs = Pairs.of(make_pairs(network, pivots=True))
    window.controller.active.of_kind[SearchKind.ALL_PAIRS].show(pairs, MatrixReplay.of(pairs))


def choose_own_sample(window: Window) -> None:
    choose_all_pairs(window)
    window.session.active.choose_sample(7)


def race(window: Window) -> None:
    window.session.state(Race).add()


def forget_map(window: Window) -> None:
    window.session.active.open(make_grid(coordinates=False))


def fail(window: Window) -> None:
    window.message_bar.show_problem("It does not work.", "Another way", lambda: None)


def choose_timing(window: Window) -> None:
    window.panels.panel(TimingPanel).list.selectAll()


def open_palette(window: Window) -> None:
    window.actions_by_name["help.palette"].trigger()


def ask(window: Window) -> None:
    window.actions_by_name["roads.close_ids"].trigger()


def find_node(window: Window) -> None:
    QApplication.processEvents()  # the console, which was shown now, takes the focus
    window.actions_by_name["edit.find"].trigger()
    window.host.control(Finder).box.line.setText("130")


def search_on_cores(window: Window) -> None:
    window.session.active.choose_device("cpu")


def draw_graph(window: Window) -> None:
    window.actions_by_name["file.new"].trigger()
    window.session.state(GraphEditing).add_node((0, 0))
    window.host.control(GraphEditor).type_picked()


def work(window: Window) -> None:
    window.status.show_busy(True)
    window.status.show_quiet("Cutting")


def play_lesson(window: Window) -> None:
    window.session.state(LessonPlay).open(parse_lesson(QUIZ, Path("quiz.toml")))


def nothing_more(_window: Window) -> None:
    pass


STATES = (
    nothing_more, show_more, lead_routes, close_roads, draw_graph, pick_depots, choose_all_pairs, choose_own_sample,
    find_all_pairs, forget_map, fail, work, choose_timing, open_palette, find_node, find_node, find_node, ask,
    search_on_cores, race, race, play_lesson,
    nothing_more,
)  # fmt: skip


def use_all(window: Window, used: set[str]) -> None:
    """Use every control of a window that can be used and was not, those too that appear by that."""
    fresh = True
    while fresh:
        fresh = False
        for tab in range(window.panels.beside.count()):
            window.panels.beside.setCurrentIndex(tab)
            for control in controls(window):
                name = describe(control) if isValid(control) and control.isVisible() and control.isEnabled() else ""
                if name and name not in used:
                    used.add(name)
                    use(control)
                    fresh = True
                    show_everything(window)  # what folds, closes and goes to another activity was used, too
                    window.panels.beside.setCurrentIndex(tab)
            QApplication.processEvents()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # menus without a screen
def test_every_control_can_be_used(idle: Window, grid: RoadNetwork) -> None:
    used: set[str] = set()
    show_everything(idle)  # before there is a network
    use_all(idle, used)
    for prepare in STATES:
        idle.session.state(Race).leave()
        show_search(idle, grid)
        prepare(idle)
        use_all(idle, used)
    every = {describe(control) for control in controls(idle)}
    assert len(used) > 60
    assert every - used <= set(ELSEWHERE)
    for file, word in ELSEWHERE.values():
        assert word in (Path(__file__).parents[1] / file).read_text("utf-8")


def test_every_command_can_be_given(idle: Window, grid: RoadNetwork) -> None:
    show_search(idle, grid)
    for name, action in idle.actions_by_name.items():
        if name not in ENDS and action.isEnabled():
            action.trigger()
            for dialog in idle.findChildren(QDialog):
                dialog.close()
    QApplication.processEvents()
    assert not idle.findChildren(QDialog)


EVENTS = 120


def test_a_random_user_breaks_nothing(window: Window, tmp_path: Path) -> None:
    window.controller.open(str(TEST_DATA / "tiny.wayfront"))
    findings = play(window, EVENTS, 5, tmp_path)
    assert findings.exceptions == []
    assert findings.words == []
