"""What small graphs show of a search: what it holds, what its threads do, labels and matrices worked by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from map_layers import graph_in, moment_in
from plain_labels import DELTA_4, DIJKSTRA, NEVER, PAPER_E, PASSES, PIVOTS_FROM_A, Rows, arcs_of, pivot_matrices
from pointer import move_pointer
from there import there
from wayfront import all_pairs, search
from wayfront.network.road_network import RoadNetwork
from wayfront.network.small_graphs import empty_graph
from wayfront.opening import open_network
from wayfront_gui.features.all_pairs.drawing import MatrixFigures
from wayfront_gui.features.all_pairs.panel import MatrixPanel
from wayfront_gui.features.drawing.state import GraphEditing
from wayfront_gui.features.small_graphs.panels import LARGER_HELD, NOT_YET, WOULD_BE, StepStatePanel, ThreadsPanel
from wayfront_gui.features.small_graphs.words import held_table, thread_table
from wayfront_gui.map.scene import Scene
from wayfront_gui.session.pairs import MatrixReplay, Pairs
from wayfront_gui.session.session import Session
from wayfront_gui.ui.theme import LIGHT


@pytest.fixture(scope="module")
def example() -> RoadNetwork:
    return open_network("example:paper-e")


@pytest.fixture
def session(example: RoadNetwork) -> Session:
    session = Session()
    session.active.open(example)
    return session


@pytest.fixture
def pointed() -> list[int]:
    return []


@pytest.fixture
def kept() -> list[QImage]:
    return []


def shown(qtbot: QtBot, panel: QWidget) -> None:
    qtbot.addWidget(panel)
    panel.resize(340, 500)
    panel.show()


def find(session: Session, algorithm: str) -> None:
    network = there(session.active.network)
    result = search(network, 0, algorithm, "cpu", runs=0, trace=True)
    session.active.player.load(result.trace, result.distances)
    session.active.show(result)


def test_the_flags_of_a_step_and_the_node_under_the_pointer(
    qtbot: QtBot, session: Session, pointed: list[int], kept: list[QImage]
) -> None:
    panel = StepStatePanel(session, pointed.append, kept.append)
    shown(qtbot, panel)
    assert panel.title.text() == NOT_YET
    find(session, "bellman-ford-v3")
    session.active.player.seek(1.0)
    table = held_table(session.active)
    assert table is not None and panel.title.text() == table.title
    flagged = {(held.name, held.key) for row in table.rows for held in row.nodes}
    assert flagged == {("D", "6"), ("E", "12")}, "their labels fell in the second pass"
    assert "D 6" in panel.chips.accessibleDescription()
    panel.set_theme(LIGHT)
    panel.grab()
    panel.save.click()
    (picture,) = kept
    assert picture.width() == 2 * panel.chips.width()
    columns = {picture.pixelColor(x, 2 * 36).name() for x in range(picture.width())}
    assert LIGHT.interface.panel in columns and len(columns) > 3, "chips with their names on the panel's ground"
    for x in range(0, 200, 4):
        move_pointer(panel.chips, QPoint(x, 36))
    move_pointer(panel.chips, QPoint(330, 36))
    assert {3, 4} <= set(pointed) and pointed[-1] == -1


def test_larger_networks_have_no_tables(
    qtbot: QtBot, grid: RoadNetwork, pointed: list[int], kept: list[QImage]
) -> None:
    session = Session()
    session.active.open(grid)
    panel = StepStatePanel(session, pointed.append, kept.append)
    shown(qtbot, panel)
    assert panel.title.text() == LARGER_HELD and not panel.chips.isVisible() and not panel.save.isVisible()
    assert panel.title.property("rank") == "second", "as faint as what other panels say while they are empty"
    assert held_table(session.active) is None and thread_table(session.active) is None


def test_the_threads_of_a_step_say_what_they_took(
    qtbot: QtBot, session: Session, pointed: list[int], kept: list[QImage]
) -> None:
    panel = ThreadsPanel(session, pointed.append, kept.append)
    shown(qtbot, panel)
    find(session, "bellman-ford-v3")
    session.active.player.seek(1.0)
    table = thread_table(session.active)
    assert table is not None and WOULD_BE in panel.about.text()
    launch = table.grid.launches[0]
    assert [table.taken(launch, 0, thread) for thread in range(6)] == ["A", "B", "C", "D", "E", ""]
    assert np.flatnonzero(launch.busy[0]).tolist() == [1, 2], "B and C were flagged"
    assert f"{launch.threads - 2:,} idle" in panel.rows.accessibleDescription()
    panel.set_theme(LIGHT)
    panel.grab()
    places = [(QPointF(x, y), panel.rows.thread_at(QPointF(x, y))) for y in range(0, 120, 3) for x in range(0, 330, 3)]
    at = {found[2]: place for place, found in places if found is not None and found[0].kernel == launch.kernel}
    move_pointer(panel.rows, at[2].toPoint())
    assert panel.rows.toolTip() == "thread 2 of block 0: C, at work"
    move_pointer(panel.rows, at[20].toPoint())
    assert pointed == [2, -1]


def test_a_sequential_search_has_no_threads_and_a_tree_shows_the_end(session: Session) -> None:
    find(session, "dijkstra")
    assert thread_table(session.active) is None
    session.active.show_tree(True)
    table = there(held_table(session.active))
    left = [(held.name, held.key) for row in table.rows for held in row.nodes]
    assert left == [("E", "15")], "only what is outdated is left in the queue at the end"


@pytest.fixture
def pairs(example: RoadNetwork) -> Iterator[Pairs]:
    yield Pairs.of(all_pairs(example, "floyd-warshall", "cpu", runs=0, keep="matrix", trace=True))


def test_labels_of_all_pairs_are_the_row_of_the_source_after_each_pivot(example: RoadNetwork, pairs: Pairs) -> None:
    scene = Scene.of(example)
    scene.show_pairs(pairs, "closeness")  # type: ignore[arg-type]
    scene.mark(source=0)
    rows = []
    for step in range(-1, 4):
        scene.step = float(step)
        assert moment_in(scene) is not None
        rows.append(moment_in(scene).labels.tolist())
    assert rows[1:] == PIVOTS_FROM_A[1:5]
    scene.settled = True
    assert moment_in(scene) is not None and moment_in(scene).finished


FROM_A = [" ".join("∞" if label == NEVER else str(label) for label in row) for row in PIVOTS_FROM_A[1:]]
"""The row of A after each of the pivots A, B, C, D and E."""


def test_every_number_is_that_of_the_hand_worked_table(pairs: Pairs, qtbot: QtBot) -> None:
    matrix, trace = MatrixReplay.of(pairs), pairs.trace
    assert matrix is not None and trace is not None
    by_hand = pivot_matrices(5, arcs_of(pairs.network))
    for step in range(-1, len(trace)):
        figures = there(MatrixFigures.at(pairs, matrix, trace, step))
        assert figures.rows == figures.columns == ["A", "B", "C", "D", "E"]
        expected = by_hand[min(step + 1, 5)]
        assert figures.texts == [["∞" if cell < 0 else str(cell) for cell in row] for row in expected]
        assert " ".join(figures.texts[0]) == FROM_A[min(max(step, 0), 4)]


def test_rows_that_are_not_finished_are_empty(example: RoadNetwork, qtbot: QtBot) -> None:
    found = Pairs.of(all_pairs(example, "heap-apsp", "cpu", keep="matrix", runs=0, trace=True))
    matrix = there(MatrixReplay.of(found))
    before, after = (MatrixFigures.at(found, matrix, found.trace, step) for step in (-1, matrix.last.max()))
    assert before is not None and after is not None
    assert {text for row in before.texts for text in row} == {""}
    assert after.texts[0] == FROM_A[-1].split()


def test_numbers_are_left_out_where_they_could_not_be_read(pairs: Pairs, qtbot: QtBot) -> None:
    matrix = there(MatrixReplay.of(pairs))
    figures = there(MatrixFigures.at(pairs, matrix, pairs.trace, 0))
    assert figures.pixels(QRectF(0, 0, 400, 400)) > figures.pixels(QRectF(0, 0, 100, 100)) > 0
    assert figures.pixels(QRectF(0, 0, 40, 40)) == 0


def test_the_panel_writes_them_at_the_step_that_is_shown(pairs: Pairs, qtbot: QtBot) -> None:
    session = Session()
    panel = MatrixPanel(session)
    panel.resize(420, 420)
    slot = session.active
    slot.open(pairs.network)
    slot.show_pairs(pairs, MatrixReplay.of(pairs))
    slot.player.load(pairs.trace, None)
    pictures = []
    for step in (0, 3):
        slot.player.seek(float(step))
        assert panel.drawing is not None and panel.drawing.figures is not None
        assert " ".join(panel.drawing.figures.texts[0]) == FROM_A[step]
        image = panel.picture(1.0)
        pictures.append(np.array(image.constBits()).copy())
    assert (pictures[0] != pictures[1]).any()


TABLES: dict[str, tuple[dict[str, Any], Rows]] = {
    "dijkstra": ({}, DIJKSTRA),
    "dijkstra-heap": ({}, DIJKSTRA),
    "bellman-ford-v1": ({}, PASSES),
    "bellman-ford-v2": ({}, PASSES),
    "bellman-ford-v3": ({}, PASSES),
    "delta-stepping": ({"delta": 4}, DELTA_4),
    "near-far": ({"delta": 4}, DIJKSTRA),
}
"""The labels of A, B, C, D and E after every step; near-far's piles hold one node each, in Dijkstra's order."""


@pytest.fixture(scope="module")
def typed() -> RoadNetwork:
    """The graph as somebody types it: five nodes, then nine arcs by the names of their ends."""
    editing = GraphEditing(Session())
    editing.begin(empty_graph("typed"))
    for name in "ABCDE":
        editing.add_node(name=name)
    for tail, head, weight in PAPER_E:
        editing.join_called("ABCDE"[tail], "ABCDE"[head], weight)
    return there(editing.graph)


@pytest.mark.parametrize("name", TABLES)
def test_every_label_is_that_of_the_hand_worked_table(name: str, typed: RoadNetwork) -> None:
    options, table = TABLES[name]
    nodes = [next(v for v in range(5) if typed.node_name(v) == letter) for letter in "ABCDE"]
    scene = Scene.of_result(search(typed, nodes[0], name, "cpu", options=options, runs=0, trace=True))
    assert graph_in(scene) is not None
    shown = []
    for step in range(-1, len(table) - 1):
        scene.step = float(step)
        assert moment_in(scene) is not None
        shown.append([graph_in(scene).numbers.text(int(moment_in(scene).labels[node])) for node in nodes])
    assert shown == [["∞" if label == NEVER else str(label) for label in row] for row in table]
