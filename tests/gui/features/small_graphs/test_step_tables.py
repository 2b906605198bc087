"""The panels of what a search holds and of what its threads do, on the example of five nodes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from map_layers import moment_in
from wayfront import all_pairs, search
from wayfront.network.road_network import RoadNetwork
from wayfront.opening import open_network
from wayfront_gui.features.small_graphs.panels import LARGER_HELD, NOT_YET, WOULD_BE, StepStatePanel, ThreadsPanel
from wayfront_gui.features.small_graphs.words import held_table, thread_table
from wayfront_gui.map.scene import Scene
from wayfront_gui.session.pairs import Pairs
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


def shown(qtbot: QtBot, panel: QWidget) -> None:
    qtbot.addWidget(panel)
    panel.resize(340, 500)
    panel.show()


def find(session: Session, algorithm: str) -> None:
    network = session.active.network
    assert network is not None
    result = search(network, 0, algorithm, "cpu", runs=0, trace=True)
    session.active.player.load(result.trace, result.distances)
    session.active.show(result)


def test_the_flags_of_a_step_and_the_node_under_the_pointer(qtbot: QtBot, session: Session, pointed: list[int]) -> None:
    panel = StepStatePanel(session, pointed.append)
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
    for x in range(0, 200, 4):
        QTest.mouseMove(panel.chips, QPoint(x, 36))
    QTest.mouseMove(panel.chips, QPoint(330, 36))
    assert {3, 4} <= set(pointed) and pointed[-1] == -1


def test_larger_networks_have_no_tables(qtbot: QtBot, grid: RoadNetwork, pointed: list[int]) -> None:
    session = Session()
    session.active.open(grid)
    panel = StepStatePanel(session, pointed.append)
    shown(qtbot, panel)
    assert panel.title.text() == LARGER_HELD and not panel.chips.isVisible()
    assert panel.title.property("rank") == "second", "as faint as what other panels say while they are empty"
    assert held_table(session.active) is None and thread_table(session.active) is None


def test_the_threads_of_a_step_say_what_they_took(qtbot: QtBot, session: Session, pointed: list[int]) -> None:
    panel = ThreadsPanel(session, pointed.append)
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
    QTest.mouseMove(panel.rows, at[2].toPoint())
    assert panel.rows.toolTip() == "thread 2 of block 0: C, at work"
    QTest.mouseMove(panel.rows, at[20].toPoint())
    assert pointed == [2, -1]


def test_a_sequential_search_has_no_threads_and_a_tree_shows_the_end(session: Session) -> None:
    find(session, "dijkstra")
    assert thread_table(session.active) is None
    session.active.show_tree(True)
    table = held_table(session.active)
    assert table is not None
    left = [(held.name, held.key) for row in table.rows for held in row.nodes]
    assert left == [("E", "15")], "only what is outdated is left in the queue at the end"


@pytest.fixture
def pairs(example: RoadNetwork) -> Iterator[Pairs]:
    yield Pairs.of(all_pairs(example, "floyd-warshall", "cpu", runs=0, keep="matrix", trace=True))


def test_labels_of_all_pairs_are_the_row_of_the_source_after_each_pivot(example: RoadNetwork, pairs: Pairs) -> None:
    by_hand = [[0, 9, 4, -1, -1], [0, 9, 4, -1, -1], [0, 9, 4, 11, 12], [0, 9, 4, 6, 12], [0, 8, 4, 6, 11]]
    scene = Scene.of(example)
    scene.show_pairs(pairs, "closeness")  # type: ignore[arg-type]
    scene.mark(source=0)
    rows = []
    for step in range(-1, 4):
        scene.step = float(step)
        assert moment_in(scene) is not None
        rows.append(moment_in(scene).labels.tolist() if step >= 0 else by_hand[0])
    assert rows[1:] == by_hand[1:]
    scene.settled = True
    assert moment_in(scene) is not None and moment_in(scene).finished
