"""A graph is drawn in the window with the mouse and with the keyboard, searched, saved, and never lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from map_layers import graph_in
from pointer import move_pointer
from wayfront.network.road_network import RoadNetwork
from wayfront.synthetic.textbooks import EXAMPLES
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.control import RoadControl
from wayfront_gui.features.drawing.control import GraphEditor
from wayfront_gui.features.drawing.panel import WEIGHT, GraphPanel
from wayfront_gui.features.drawing.state import GraphEditing, Picked
from wayfront_gui.features.drawing.tool import GraphTool
from wayfront_gui.features.small_graphs.graph import disc_radius

LEFT, NOTHING = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
PLACES = {"A": (0.15, 0.5), "B": (0.45, 0.25), "C": (0.45, 0.75), "D": (0.8, 0.75), "E": (0.8, 0.25)}
ARCS = ("AB9", "AC4", "BC10", "BD2", "BE3", "CD2", "CE11", "DB2", "ED2")


@pytest.fixture
def drawing(window: Window, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Window:
    """A window in which an empty graph is drawn."""
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))
    window.actions_by_name["file.new"].trigger()
    return window


def graph_of(window: Window) -> RoadNetwork:
    network = window.session.active.network
    assert network is not None
    return network


def arcs_of(network: RoadNetwork) -> list[str]:
    ends = zip(network.tails().tolist(), network.targets.tolist(), network.metrics[0].weights.tolist(), strict=True)
    return [f"{network.node_name(tail)}{network.node_name(head)}{weight}" for tail, head, weight in ends]


def at(window: Window, name: str) -> QPoint:
    x, y = PLACES[name]
    return QPoint(round(x * window.map.width()), round(y * window.map.height()))


def on_screen(window: Window, node: int) -> tuple[float, float]:
    """Return where a node is in the window."""
    graph = graph_in(window.map.map_scene)
    assert graph is not None
    x, y = window.map.camera().to_pixels(float(graph.x[node]), float(graph.y[node]))
    corner = window.map.viewport().mapTo(window, QPoint(0, 0))
    return x + corner.x(), y + corner.y()


def drag(window: Window, start: QPoint, end: QPoint, modifier: Qt.KeyboardModifier = NOTHING) -> None:
    viewport = window.map.viewport()
    QTest.mousePress(viewport, LEFT, modifier, start)
    for place in ((start + end) / 2, end):
        move_pointer(viewport, place)
        QApplication.processEvents()
    QTest.mouseRelease(viewport, LEFT, modifier, end)


def draw_example(window: Window) -> None:
    for name in PLACES:
        QTest.mouseClick(window.map.viewport(), LEFT, NOTHING, at(window, name))
    for arc in ARCS:
        drag(window, at(window, arc[0]), at(window, arc[1]))
        field = window.host.control(GraphEditor).field
        assert field.isVisible()
        field.setText(arc[2:])
        QTest.keyClick(field, Qt.Key.Key_Return)


def test_the_graph_of_paper_e_is_drawn_by_mouse_searched_and_saved(
    drawing: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw_example(drawing)
    assert arcs_of(graph_of(drawing)) == arcs_of(EXAMPLES[0].build())
    drawing.session.active.choose_source(0)
    drawing.actions_by_name["search.run"].trigger()
    qtbot.waitUntil(lambda: drawing.session.active.result is not None, timeout=60_000)
    result = drawing.session.active.result
    assert result is not None
    assert result.distances.tolist() == [0, 8, 4, 6, 11]

    path = tmp_path / "mine.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    drawing.actions_by_name["file.network"].trigger()
    qtbot.waitUntil(lambda: not drawing.session.state(GraphEditing).unsaved, timeout=30_000)
    assert path.read_text().splitlines()[:2] == ["tail,head,weight", "A,B,9"]
    saved = drawing.controller.files.saved()
    assert saved is not None
    assert saved.opened_by == str(path)


def test_clicks_and_drags_pick_move_name_and_pan(drawing: Window) -> None:
    editing, viewport = drawing.session.state(GraphEditing), drawing.map.viewport()
    draw_example(drawing)
    QTest.mouseClick(viewport, LEFT, NOTHING, at(drawing, "D"))
    assert editing.picked == Picked(node=3)
    middle = (at(drawing, "B") + at(drawing, "E")) / 2
    QTest.mouseClick(viewport, LEFT, NOTHING, middle)  # on the weight
    assert editing.picked.arc == 4
    assert drawing.host.control(GraphEditor).field.text() == "3"
    drawing.host.control(GraphEditor).field.setText("x")
    QTest.keyClick(drawing.host.control(GraphEditor).field, Qt.Key.Key_Return)
    assert drawing.host.control(GraphEditor).field.isVisible()
    QTest.keyClick(drawing.host.control(GraphEditor).field, Qt.Key.Key_Escape)
    assert not drawing.host.control(GraphEditor).field.isVisible()
    assert arcs_of(graph_of(drawing))[4] == "BE3"
    assert drawing.message_bar.isVisible()
    below_a_message = on_screen(drawing, 1)
    drawing.message_bar.hide()
    QApplication.processEvents()
    assert on_screen(drawing, 1) == pytest.approx(below_a_message, abs=1.5), "messages move nothing that was drawn"

    QTest.mouseClick(viewport, LEFT, NOTHING, at(drawing, "A"))
    QTest.mouseDClick(viewport, LEFT, NOTHING, at(drawing, "A"))
    QTest.mouseRelease(viewport, LEFT, NOTHING, at(drawing, "A"))
    assert drawing.host.control(GraphEditor).field.isVisible()
    drawing.host.control(GraphEditor).field.setText("Start")
    QTest.keyClick(drawing.host.control(GraphEditor).field, Qt.Key.Key_Tab)
    assert graph_of(drawing).node_name(0) == "Start"

    seen = drawing.map.camera()
    start, end = at(drawing, "A"), at(drawing, "A") + QPoint(0, 120)
    drag(drawing, start, end, Qt.KeyboardModifier.ShiftModifier)
    assert drawing.map.tool(GraphTool).at(end.toPointF()).node == 0
    assert drawing.map.tool(GraphTool).at(start.toPointF()).node == -1
    assert drawing.map.camera().extent == pytest.approx(seen.extent, abs=seen.extent.width / 500)
    count = graph_of(drawing).node_count
    drag(drawing, QPoint(20, 20), QPoint(60, 50))
    assert graph_of(drawing).node_count == count
    assert drawing.map.camera().left < seen.left
    drag(drawing, end + QPoint(40, 30), end + QPoint(40, 150))
    assert graph_of(drawing).node_count == count + 1
    assert arcs_of(graph_of(drawing))[2] == "StartA1"  # A is free again
    drawing.host.control(GraphEditor).field.leave()


def test_what_is_typed_is_left_where_a_menu_changes_the_graph_meanwhile(drawing: Window) -> None:
    draw_example(drawing)
    drawing.session.state(GraphEditing).pick(Picked(node=4))
    drawing.actions_by_name["edit.type"].trigger()
    field = drawing.host.control(GraphEditor).field
    field.setText("Last")
    drawing.actions_by_name["edit.delete"].trigger()
    assert not field.isVisible() and graph_of(drawing).node_count == 4
    assert "Last" not in [graph_of(drawing).node_name(node) for node in range(4)]


def test_undo_delete_and_escape(drawing: Window) -> None:
    actions = drawing.actions_by_name
    draw_example(drawing)
    drawing.controller.active.slot.choose_source(3)
    drawing.session.state(GraphEditing).pick(Picked(node=1))
    assert actions["edit.delete"].isEnabled()
    actions["edit.delete"].trigger()
    assert arcs_of(graph_of(drawing)) == ["AC4", "CD2", "CE11", "ED2"]
    assert drawing.session.active.source == 2
    assert not actions["edit.delete"].isEnabled()
    actions["edit.undo"].trigger()
    assert arcs_of(graph_of(drawing)) == list(ARCS)
    actions["edit.redo"].trigger()
    assert graph_of(drawing).node_count == 4
    assert actions["edit.graph"].isChecked()
    actions["roads.close"].trigger()
    assert not actions["edit.graph"].isChecked()
    actions["edit.graph"].trigger()
    assert drawing.host.control(RoadControl).leave_tool() is False
    actions["search.cancel"].trigger()
    assert not actions["edit.graph"].isChecked()
    click = at(drawing, "B")
    QTest.mouseClick(drawing.map.viewport(), LEFT, NOTHING, click)
    assert graph_of(drawing).node_count == 4  # the click set the source, as always


def test_a_graph_is_typed_in_the_panel(drawing: Window) -> None:
    panel = drawing.panels.panel(GraphPanel)
    for text in ("A B 9", "A, C, 4", "Z"):
        panel.line.setText(text)
        QTest.keyClick(panel.line, Qt.Key.Key_Return)
    assert arcs_of(graph_of(drawing)) == ["AB9", "AC4"]
    assert panel.count.text() == "4 nodes, 2 arcs"
    for text, problem in (
        ("A B", "Type an arc as A B 9, or the name of a node."),
        ("A B x", "a weight is a whole number from 0 to 2,147,483,647"),
        ("Z", "there is a node 'Z' already: take another name"),
    ):
        panel.line.setText(text)
        QTest.keyClick(panel.line, Qt.Key.Key_Return)
        assert panel.problem.text() == problem
        assert panel.line.text() == text
    panel.arcs.setCurrentCell(1, 0)
    assert drawing.session.state(GraphEditing).picked == Picked(arc=1)
    QTest.keyClick(panel.arcs, Qt.Key.Key_F2)
    assert panel.arcs.currentColumn() == WEIGHT
    editor = panel.arcs.viewport().focusWidget() or QApplication.focusWidget()
    assert editor is not None
    panel.arcs.item(1, WEIGHT).setText("44")  # type: ignore[union-attr]
    panel.nodes.item(0, 0).setText("Start")  # type: ignore[union-attr]
    panel.nodes.item(0, 1).setText("-12.5")  # type: ignore[union-attr]
    graph = graph_of(drawing)
    assert arcs_of(graph) == ["StartB9", "StartC44"]
    assert graph.coordinates is not None
    assert graph.coordinates[0, 0] == -12_500
    panel.nodes.item(0, 2).setText("high")  # type: ignore[union-attr]
    assert panel.problem.text() == "x and y are numbers"
    assert panel.nodes.item(0, 2).text() == "0"  # type: ignore[union-attr]
    drawing.actions_by_name["edit.graph"].trigger()
    assert not panel.line.isEnabled()


def test_a_graph_that_was_not_saved_is_offered_again_and_kept_for_the_next_start(
    drawing: Window, grid: RoadNetwork, tmp_path: Path
) -> None:
    draw_example(drawing)
    drawing.session.active.open(grid)
    assert drawing.message_bar.isVisible()
    assert "has changes that are not saved" in drawing.message_bar.text
    assert not drawing.session.state(GraphEditing).on
    drawing.message_bar.button.click()
    assert arcs_of(graph_of(drawing)) == list(ARCS)
    drawing.close()
    assert drawing.settings.saved is not None
    assert Path(drawing.settings.saved.opened_by) == tmp_path / "cache" / "graphs" / "unsaved.wayfront"


def test_only_small_graphs_are_drawn(window: Window) -> None:
    from wayfront.synthetic import grid as made

    window.session.active.open(made(20, 20))
    window.actions_by_name["edit.graph"].trigger()
    assert "at most 200 nodes" in window.message_bar.text
    assert not window.actions_by_name["edit.graph"].isChecked()


def all_seen(window: Window) -> bool:
    scene, camera = window.map.map_scene, window.map.camera()
    assert graph_in(scene) is not None
    radius = disc_radius(graph_in(scene), camera)
    x, y = camera.to_pixels(graph_in(scene).x, graph_in(scene).y)
    return bool((np.minimum(np.minimum(x, camera.width - x), np.minimum(y, camera.height - y)) > radius).all())


def test_a_graph_that_is_typed_fills_the_map(drawing: Window) -> None:
    drawing.panels.show("drawing", True)
    panel, view = drawing.panels.panel(GraphPanel), drawing.map
    for count, typed in enumerate(("A B 9", "B A 4", "B C 2", "D E 1", "F G 1", "H A 3", "I J 5")):
        panel.line.setText(typed)
        panel.line.returnPressed.emit()
        QApplication.processEvents()
        assert all_seen(drawing) and view.size_seen > 0.9, count
    before = view.camera()
    panel.line.setText("J A 7")
    panel.line.returnPressed.emit()
    assert view.camera().scale == pytest.approx(before.scale), "an arc between nodes moves none"
    view.zoom(4.0)
    close = view.camera().scale
    assert close > 1.5 * before.scale
    panel.line.setText("K")
    panel.line.returnPressed.emit()
    assert view.camera().scale == pytest.approx(close, rel=0.01), "who looks at a part goes on doing so"


def test_a_graph_drawn_with_the_mouse_stays_where_it_is(drawing: Window) -> None:
    scale = drawing.map.camera().scale
    draw_example(drawing)
    assert drawing.map.camera().scale == pytest.approx(scale)
    drag(drawing, at(drawing, "E"), at(drawing, "E") + QPoint(20, -10), Qt.KeyboardModifier.ShiftModifier)
    assert drawing.map.camera().scale == pytest.approx(scale)


def test_a_message_covers_no_node_of_a_small_graph(drawing: Window) -> None:
    draw_example(drawing)
    drawing.map.fit()
    QApplication.processEvents()
    before = drawing.map.camera()
    drawing.message_bar.show_problem("something is wrong")
    QApplication.processEvents()
    scene, camera = drawing.map.map_scene, drawing.map.camera()
    assert graph_in(scene) is not None
    _, y = camera.to_pixels(graph_in(scene).x, graph_in(scene).y)
    assert camera.height < before.height - 20 and y.min() > disc_radius(graph_in(scene), camera)
    drawing.message_bar.hide()
    QApplication.processEvents()
    assert drawing.map.camera() == before
