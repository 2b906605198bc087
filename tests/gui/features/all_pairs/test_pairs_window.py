"""All pairs in the whole window, offscreen: choosing, running, stopping, resuming, the matrix, routes, export."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import geopandas
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QToolTip
from pytestqt.qtbot import QtBot

from made_pairs import make_pairs
from wayfront.network.details import NodeNames
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import SearchKind
from wayfront.searching.result_file import save_trace
from wayfront.synthetic import ring
from wayfront_gui.app.map_sync import describe_node
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.window import Window
from wayfront_gui.features.all_pairs.control import PairsCommands
from wayfront_gui.features.all_pairs.pairs_panel import PairsPanel
from wayfront_gui.features.timing.export import PAIRS_COLUMNS, save_pairs
from wayfront_gui.map.raster import NEVER
from wayfront_gui.session import formatting
from wayfront_gui.session.pairs import Ends, MatrixReplay, Measure, Pairs


@pytest.fixture
def window(window: Window) -> Window:
    window.session.active.choose_kind(SearchKind.ALL_PAIRS)
    return window


@pytest.fixture
def shown(window: Window, grid: RoadNetwork) -> Window:
    """The window with a search of the grid by pivots, as it is after its replay."""
    window.session.active.open(grid)
    pairs = Pairs.of(make_pairs(grid, pivots=True))
    window.controller.active.of_kind[SearchKind.ALL_PAIRS].show(pairs, MatrixReplay.of(pairs))
    return window


def move_to(window: Window, source: int, target: int) -> None:
    """Move the pointer to the middle of a pair's cell."""
    matrix = window.host.control(PairsCommands).matrix
    assert matrix.matrix is not None
    cells, (rows, columns) = matrix.cells, matrix.matrix.distances.shape
    at = QPointF(
        cells.left() + (target + 0.5) * cells.width() / columns, cells.top() + (source + 0.5) * cells.height() / rows
    )
    no, none = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(matrix, QMouseEvent(QEvent.Type.MouseMove, at, matrix.mapToGlobal(at), no, no, none))


def markers(window: Window) -> tuple[int | None, int | None]:
    """Return the nodes that the markers of source and target are at."""
    return window.map.map_scene.markers.source, window.map.map_scene.markers.target


def test_a_search_for_all_pairs_is_run_replayed_and_timed(
    window: Window, qtbot: QtBot, grid: RoadNetwork, grid_file: Path
) -> None:
    with qtbot.waitSignal(window.controller.files.opened):
        window.controller.open(str(grid_file))
    assert window.session.active.pairs is None and not window.controller.worker.busy, "a person starts it"
    window.actions_by_name["search.run"].trigger()
    qtbot.waitUntil(lambda: bool(window.session.timings))
    slot, scene = window.session.active, window.map.map_scene
    expected = make_pairs(grid)
    assert slot.pairs is not None and slot.result is None
    assert (slot.pairs.figures.eccentricity == expected.figures.eccentricity).all()
    assert slot.matrix is not None and (slot.matrix.distances == expected.matrix).all()
    assert window.host.control(PairsCommands).matrix.isVisible()
    assert window.session.timings[0]["source_count"] == grid.node_count
    assert slot.comparable(window.session.timings[0])
    slot.choose_sample(20)
    assert not slot.comparable(window.session.timings[0])
    window.session.clock.pause()
    slot.player.seek(float(slot.player.last))
    assert scene.settled and scene.found.centre == expected.centre.node
    assert (scene.markers.route[0], scene.markers.route[-1]) == (expected.diameter.source, expected.diameter.target)
    assert (scene.found.nodes.first_step != NEVER).sum() == grid.node_count - 1, "one node reaches nothing"


def test_a_recorded_search_for_all_pairs_is_opened_and_saved_again(
    window: Window, qtbot: QtBot, tmp_path: Path, grid: RoadNetwork
) -> None:
    slot, path = window.session.active, tmp_path / "pairs.wftrace"
    save_trace(make_pairs(grid, np.arange(40), matrix=False), path)
    slot.choose_kind(SearchKind.ONE_TREE)
    slot.open(grid)
    with qtbot.waitSignal(window.controller.files.opened):
        window.controller.open(str(path))
    assert slot.pairs is not None and slot.pairs.finished == 40 and slot.pairs.result is not None
    assert (slot.kind, slot.algorithm, slot.sample) == (SearchKind.ALL_PAIRS, "dijkstra-in-turn", 40)
    assert window.session.clock.playing and slot.player.trace is not None and len(slot.player.trace) == 4
    window.session.clock.pause()
    again = tmp_path / "again.wftrace"
    window.controller.files.save_trace(str(again))
    qtbot.waitUntil(again.exists)
    shown, data = slot.pairs, bytearray(path.read_bytes())
    data[len(data) // 2] ^= 255
    path.write_bytes(data)
    window.controller.open(str(path))
    qtbot.waitUntil(window.message_bar.isVisible)
    assert "pairs.wftrace" in window.message_bar.text and slot.pairs is shown


def test_the_panel_shows_the_sources_of_the_kind_and_remembers_its_algorithm(window: Window, qtbot: QtBot) -> None:
    panel = window.panels.panel(AlgorithmPanel)
    with qtbot.waitSignal(window.controller.abilities_found):
        window.controller.find_abilities()
    assert panel.pairs.isVisibleTo(panel)
    window.session.active.choose_algorithm("dijkstra-in-turn")
    window.actions_by_name["search.one_tree"].trigger()
    assert panel.kind.currentText() == "One tree" and not panel.pairs.isVisibleTo(panel)
    assert window.session.active.algorithm == "auto", "each kind remembers its own"
    panel.kind.setCurrentIndex(1)
    assert window.session.active.algorithm == "dijkstra-in-turn"
    assert window.actions_by_name["search.all_pairs"].isChecked()
    window.session.active.open(ring(40))
    panel.pairs.sources.setCurrentIndex(1)
    assert window.session.active.sample == 40 and panel.pairs.count.maximum() == 40
    panel.pairs.count.setValue(7)
    assert window.session.active.source_count == 7
    panel.pairs.sources.setCurrentIndex(0)
    assert window.session.active.sample is None


def test_a_long_search_is_seen_while_it_runs_keeps_what_it_found_and_goes_on(window: Window, qtbot: QtBot) -> None:
    """Relax and update takes 600 steps over all nodes for each source of this ring."""
    slot = window.session.active
    slot.open(ring(1200).with_coordinates(np.arange(2400).reshape(1200, 2)))
    slot.choose_algorithm("relax-update-in-turn")
    slot.choose_device("cpu")
    window.controller.run()
    qtbot.waitUntil(lambda: slot.live is not None)
    live = slot.live
    assert live is not None and live.pairs is not None
    seen = live.pairs.finished
    scene = window.map.map_scene
    assert 0 < seen < 1200 and (scene.found.nodes.first_step != NEVER).sum() == seen
    assert scene.found.centre is not None and scene.markers.target is not None, "the diameter so far"
    assert " of 1,200 sources" in window.status.stage
    window.controller.cancel()
    kept = slot.pairs
    assert kept is not None and kept.result is None and slot.live is None
    stopped = kept.finished
    assert seen <= stopped < 1200 and "kept" in window.status.message
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    assert window.controller.resumable() and window.panels.panel(AlgorithmPanel).resume.isVisible()
    slot.choose_sample(5)
    assert not window.panels.panel(AlgorithmPanel).resume.isVisible(), "other sources"
    window.actions_by_name["search.resume"].trigger()
    assert not window.controller.worker.busy and "no search to resume" in window.status.message
    slot.choose_sample(None)
    slot.choose_algorithm("dijkstra-in-turn")
    window.panels.panel(AlgorithmPanel).resume.click()
    qtbot.waitUntil(lambda: (found := slot.pairs) is not None and found.result is not None)
    whole = slot.pairs
    assert whole is not None and whole.result is not None
    assert whole.finished == 1200 and stopped <= whole.result.found_before < 1200
    assert (scene.found.nodes.first_step != NEVER).all(), "those found before are there from the start"
    assert not window.controller.resumable() and not window.panels.panel(AlgorithmPanel).resume.isVisible()


def test_a_route_of_a_large_network_is_found_by_a_search_of_its_own(window: Window, qtbot: QtBot) -> None:
    slot = window.session.active
    network = ring(1200).with_coordinates(np.arange(2400).reshape(1200, 2))
    slot.open(network)
    window.controller.active.of_kind[SearchKind.ALL_PAIRS].show(
        Pairs.of(make_pairs(network, np.array([0, 600]), matrix=False)), None
    )
    qtbot.waitUntil(lambda: slot.route() is not None)
    route, found = slot.route(), slot.pairs
    assert route is not None and found is not None and found.diameter is not None
    assert (route.nodes[0], route.nodes[-1]) == (found.diameter.source, found.diameter.target)
    assert route.text.startswith("Diameter of the sampled sources from node ")
    assert window.map.map_scene.found.centre_of == "sampled sources"
    assert "centre of the sampled sources" in "\n".join(formatting.pairs_outcome(found))
    window.map.source_moved.emit(5, True)
    qtbot.waitUntil(lambda: (r := slot.route()) is not None and r.nodes[0] == 5)
    assert slot.pair.tree is not None and slot.shown_ends == Ends(5, slot.pair.tree.farthest)
    window.map.target_chosen.emit(9)
    assert (route := slot.route()) is not None and route.nodes[-1] == 9, "the same tree has it"


def test_resting_on_a_cell_shows_its_pair_on_the_map(shown: Window) -> None:
    slot, scene, matrix = shown.session.active, shown.map.map_scene, shown.host.control(PairsCommands).matrix
    assert slot.pairs is not None and slot.pairs.diameter is not None
    move_to(shown, 3, 40)
    markers = scene.markers
    assert (markers.source, markers.target) == (3, 40) and (markers.route[0], markers.route[-1]) == (3, 40)
    distance = slot.pairs.metric.describe(slot.pairs.distance(3, 40) or 0)
    assert matrix.text == f"103 → 140: {distance}"
    assert distance in shown.status.message
    move_to(shown, 3, 108)
    assert matrix.text == "103 → 208: no path" and len(scene.markers.route) == 0
    QApplication.sendEvent(matrix, QEvent(QEvent.Type.Leave))
    assert (scene.markers.source, scene.markers.target) == (slot.pairs.diameter.source, slot.pairs.diameter.target)


def test_the_keyboard_moves_from_cell_to_cell(shown: Window) -> None:
    slot, matrix = shown.session.active, shown.host.control(PairsCommands).matrix
    slot.choose_pair(Ends(5, 7))
    matrix.setFocus()
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Up):
        QTest.keyClick(matrix, key)
    assert slot.shown_ends == Ends(4, 9)
    QTest.keyClick(matrix, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert slot.shown_ends == Ends(0, 9)
    shown.actions_by_name["search.no_route"].trigger()
    assert markers(shown) == (None, None)
    shown.actions_by_name["search.farthest"].trigger()
    found = slot.pairs
    assert found is not None and found.diameter is not None
    assert markers(shown) == found.diameter[1:]


def test_a_press_keeps_the_pair(shown: Window) -> None:
    slot, matrix = shown.session.active, shown.host.control(PairsCommands).matrix
    move_to(shown, 8, 20)
    at = matrix.cells.topLeft() + QPointF(20.5, 8.5) * matrix.cells.width() / 109
    QTest.mouseClick(matrix, Qt.MouseButton.LeftButton, pos=QPoint(round(at.x()), round(at.y())))
    QApplication.sendEvent(matrix, QEvent(QEvent.Type.Leave))
    assert slot.shown_ends == Ends(8, 20)


def test_pivots_sweep_over_the_matrix_in_the_replay(shown: Window) -> None:
    matrix, player = shown.host.control(PairsCommands).matrix, shown.session.active.player
    player.seek(40.0)
    cells = matrix.cells
    picture = matrix.grab().toImage()
    ratio = picture.devicePixelRatio()

    def colour(source: float, target: float) -> int:
        size = cells.width() / 109
        x, y = cells.left() + (target + 0.5) * size, cells.top() + (source + 0.5) * size
        return int(picture.pixelColor(round(x * ratio), round(y * ratio)).value())

    assert colour(40, 108) > colour(30, 108) + 40 and colour(108, 40) > colour(108, 30) + 40, "row and column shine"
    player.seek(float(player.last))
    picture = matrix.grab().toImage()
    assert abs(colour(40, 108) - colour(30, 108)) < 10, "no path leads there"


def test_the_measure_colours_the_map_and_is_remembered_with_the_slot(shown: Window) -> None:
    scene, slot = shown.map.map_scene, shown.session.active
    assert scene.found.nodes.legend is not None and scene.found.nodes.legend.title.startswith("closeness")
    before = scene.found.nodes.colour
    shown.actions_by_name["view.eccentricity"].trigger()
    assert slot.measure is Measure.ECCENTRICITY and scene.found.nodes.legend.title.startswith("eccentricity")
    assert (scene.found.nodes.colour != before).any()
    assert shown.panels.panel(PairsPanel).measure.currentText() == "Eccentricity"
    assert describe_node(slot, 5).split("  ·  ")[1].startswith("eccentricity ")


def test_the_matrix_can_be_hidden_and_is_beside_or_below_the_map(shown: Window) -> None:
    matrix = shown.host.control(PairsCommands).matrix
    assert matrix.isVisible()
    beside = matrix.geometry()
    shown.resize(760, 1000)
    QApplication.processEvents()
    assert matrix.geometry().topLeft().y() > 0 == beside.topLeft().y()
    shown.actions_by_name["view.matrix"].trigger()
    assert not matrix.isVisible()
    shown.actions_by_name["view.matrix"].trigger()
    assert matrix.isVisible()


def test_the_picture_has_map_and_matrix(shown: Window) -> None:
    middle, matrix = shown.central, shown.host.control(PairsCommands).matrix
    picture = middle.picture(2)()
    assert picture.width() == 2 * (middle.view.width() + matrix.width())
    assert picture.height() == 2 * middle.view.height()
    x, y = (2 * middle.view.width() + 2 * matrix.cells.left() + 3, 2 * matrix.cells.top() + 3)
    assert picture.pixelColor(round(x), round(y)) == matrix.picture(2).pixelColor(
        round(2 * matrix.cells.left() + 3), round(y)
    )
    shown.actions_by_name["view.matrix"].trigger()
    assert middle.picture(2)().width() == 2 * middle.view.width()


def test_the_matrix_is_saved_where_it_is_seen(
    shown: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel, network = shown.host.control(PairsCommands).matrix, shown.session.active.network
    assert network is not None and panel.matrix is not None
    assert panel.actions() == [shown.actions_by_name["file.matrix"]]
    for suffix in (".csv", ".png"):
        path = tmp_path / f"matrix{suffix}"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, path=path: (str(path), ""))
        shown.actions_by_name["file.matrix"].trigger()
        qtbot.waitUntil(path.exists)
    head, *rows = csv.reader(io.StringIO((tmp_path / "matrix.csv").read_text()))
    assert head == ["source", *(network.node_name(node) for node in range(network.node_count))]
    assert [[int(cell or -1) for cell in row[1:]] for row in rows] == panel.matrix.distances.tolist()
    assert QImage(str(tmp_path / "matrix.png")).width() == 2 * panel.width()


def test_a_search_for_one_tree_takes_the_place_of_all_pairs(shown: Window, qtbot: QtBot) -> None:
    shown.actions_by_name["search.one_tree"].trigger()
    shown.map.source_moved.emit(17, True)
    qtbot.waitUntil(lambda: shown.session.active.result is not None)
    assert shown.session.active.pairs is None and not shown.host.control(PairsCommands).matrix.isVisible()
    assert (shown.map.map_scene.markers.source, shown.map.map_scene.found.centre) == (17, None)
    assert len(shown.map.map_scene.found.nodes.dots) == 0


def test_the_table_of_sources_has_what_was_found(grid: RoadNetwork, tmp_path: Path) -> None:
    pairs = Pairs.of(make_pairs(grid, np.array([4, 108])))
    save_pairs(pairs, tmp_path / "pairs.csv")
    with (tmp_path / "pairs.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    per = f"closeness_outward_per_{grid.metrics[0].unit}"
    assert tuple(rows[0]) == tuple(per if name == "closeness_outward" else name for name in PAIRS_COLUMNS)
    assert [row["node"] for row in rows] == ["104", "208"]
    figures = pairs.figures
    assert float(rows[0]["mean"]) == pytest.approx(figures.mean[0], rel=1e-5)
    assert float(rows[0][per]) == pytest.approx(figures.closeness(109, grid.metrics[0].scale)[0], rel=1e-8)
    assert int(rows[0]["eccentricity"]) == figures.eccentricity[0]
    assert int(rows[0]["farthest"]) == figures.farthest[0] + 100
    assert (rows[1]["mean"], rows[1][per], rows[1]["reached"], rows[1]["proved"]) == ("", "0", "1", "")
    save_pairs(pairs, tmp_path / "pairs.gpkg")
    points = geopandas.read_file(tmp_path / "pairs.gpkg", layer="sources")
    assert points["node"].tolist() == [104, 208] and points["mean"].isna().tolist() == [False, True]
    assert points["mean"][0] == figures.mean[0]
    assert grid.coordinates is not None
    assert points.geometry.get_coordinates().to_numpy().tolist() == (grid.coordinates[[4, 108]] / 1e6).tolist()
    named = replace(grid, node_names=NodeNames.of([f"={node}" for node in range(grid.node_count)]))
    save_pairs(Pairs.of(make_pairs(named, np.array([4]))), tmp_path / "named.csv")
    with (tmp_path / "named.csv").open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["name"], row["farthest_name"]) == ("'=4", f"'={int(row['farthest']) - 100}")


def test_the_tab_of_what_a_search_holds_leaves_while_all_pairs_are_shown(window: Window, qtbot: QtBot) -> None:
    window.resize(1920, 1000)
    held = window.panels.content("held")
    window.session.active.choose_kind(SearchKind.ONE_TREE)
    window.controller.open("example:paper-e")
    qtbot.waitUntil(lambda: window.session.active.result is not None and not window.controller.worker.busy)
    assert held.isVisible()
    window.session.active.choose_kind(SearchKind.ALL_PAIRS)
    window.controller.run()
    qtbot.waitUntil(lambda: window.session.active.pairs is not None and not window.controller.worker.busy)
    assert not held.isVisible()
    window.session.active.choose_kind(SearchKind.ONE_TREE)
    window.controller.run()
    qtbot.waitUntil(lambda: window.session.active.pairs is None and not window.controller.worker.busy)
    assert held.isVisible()


def test_pairs_are_counted_by_distance_when_asked_for(
    shown: Window, qtbot: QtBot, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs, counts = shown.session.active.pairs, shown.host.control(PairsCommands).counts
    panel = PairsPanel(shown.session, shown.actions_by_name, counts)
    qtbot.addWidget(panel)
    assert pairs is not None and pairs.matrix is not None
    assert panel.count.isVisibleTo(panel) and not panel.bars.isVisibleTo(panel)
    shown.actions_by_name["search.distances"].trigger()
    shown.controller.cancel()
    qtbot.waitUntil(lambda: not shown.controller.worker.busy)
    assert counts.of(pairs) is None
    with qtbot.waitSignal(counts.changed, timeout=60_000):
        shown.actions_by_name["search.distances"].trigger()
    found = counts.of(pairs)
    assert found is not None and found.counts.sum() == (pairs.matrix >= 0).sum()
    assert panel.bars.isVisibleTo(panel) and not panel.count.isVisibleTo(panel)
    assert f"{int(found.counts[0]):,} pairs" in panel.bars.text_of(0)
    panel.bars.resize(panel.bars.sizeHint())
    assert len({panel.bars.grab().toImage().pixel(x, 80) for x in range(0, 160, 2)}) > 1
    at, said = QPoint(2, 10), []
    monkeypatch.setattr(QToolTip, "showText", lambda _at, text, _widget: said.append(text))
    QApplication.sendEvent(panel.bars, QHelpEvent(QEvent.Type.ToolTip, at, panel.bars.mapToGlobal(at)))
    assert said == [panel.bars.text_of(0)]
    another = Pairs.of(make_pairs(grid))
    shown.controller.active.of_kind[SearchKind.ALL_PAIRS].show(another, MatrixReplay.of(another))
    assert panel.count.isVisibleTo(panel) and not panel.bars.isVisibleTo(panel)
