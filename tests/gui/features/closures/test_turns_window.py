"""Turns that are closed by hand, in the whole window: picked on the map, by ids and tables, undone, kept, reopened."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

import wayfront
from map_layers import layer, pixel_of
from pointer import move_pointer
from round_the_block import write_map
from there import there
from wayfront import OsmOptions
from wayfront.formats.native.codec import save_network
from wayfront.network.copies import end_of
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.window import Window
from wayfront_gui.features.closures.panel import ClosuresPanel
from wayfront_gui.features.closures.turn_control import TurnControl
from wayfront_gui.features.closures.turns import Approach, ClosedTurns, TurnTool, road_to, to_junction
from wayfront_gui.features.routes.panel import RoutePanel
from wayfront_gui.features.turns.layer import placed
from wayfront_gui.session.closures import as_arcs
from wayfront_gui.session.saved import SavedSession, SessionFile
from wayfront_gui.session.turning import Turn, as_turns, with_closed_turns

LEFT = (1, 2, 5)
"""The left turn from Long Road into North Lane."""
OTHER, BACK = (7, 2, 3), (7, 2, 1)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The map, with all its turns open, in a file that every start opens alike."""
    network = wayfront.open_network(write_map(tmp_path), osm=OsmOptions(turns="off"), cache=False)
    path = tmp_path / "open.wayfront"
    save_network(network, path)
    return path


@pytest.fixture
def on_block(window: Window, file: Path, qtbot: QtBot) -> Window:
    window.actions_by_name["view.graph"].trigger()
    window.session.active.choose_device("cpu")
    window.session.active.choose_algorithm("dijkstra")
    window.controller.files.open(str(file))
    idle(window, qtbot)
    network = there(window.session.active.network)
    window.controller.choose_source(network.node(1), True)
    idle(window, qtbot)
    window.controller.choose_target(network.node(5))
    window.panels.show("closures", True)
    window.map.grab()
    return window


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each network with closed turns was made on the window's thread."""
    found: list[bool] = []

    def noted(*asked: Any, **how: Any) -> RoadNetwork:
        found.append(threading.current_thread() is threading.main_thread())
        return wayfront.without_turns(*asked, **how)

    monkeypatch.setattr("wayfront_gui.session.turning.without_turns", noted)
    monkeypatch.setattr("wayfront_gui.session.turning.MOST_KEPT", 1)
    return found


def idle(window: Window, qtbot: QtBot) -> None:
    qtbot.waitUntil(
        lambda: window.session.active.tree is not None and not window.controller.worker.busy, timeout=20_000
    )
    window.map.grab()


def network_of(window: Window) -> RoadNetwork:
    return there(window.session.active.network)


def length(window: Window) -> int:
    slot = window.session.active
    tree = there(slot.tree)
    return int(tree.distances[end_of(tree.network, tree.network.node(5))])


def between(window: Window, one: int, other: int, share: float) -> QPoint:
    network, view = network_of(window), window.map
    a, b = (pixel_of(view, network.node(each)) for each in (one, other))
    return QPoint(round(a.x() + share * (b.x() - a.x())), round(a.y() + share * (b.y() - a.y())))


def pick(window: Window, qtbot: QtBot) -> None:
    """Close the left turn by two clicks."""
    viewport, none = window.map.viewport(), Qt.KeyboardModifier.NoModifier
    for at in (between(window, 1, 2, 0.75), between(window, 2, 5, 0.5)):
        move_pointer(viewport, at + QPoint(1, 1))
        move_pointer(viewport, at)
        QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, none, at)
    qtbot.waitUntil(lambda: window.session.active.turns == (LEFT,))
    idle(window, qtbot)


def test_two_clicks_close_a_turn_and_undo_opens_it(on_block: Window, qtbot: QtBot) -> None:
    slot, view = on_block.session.active, on_block.map
    short, opened = length(on_block), slot.opened
    view.zoom(1.3)
    view_before = view.seen
    on_block.actions_by_name["roads.close_turn"].trigger()
    assert view.tool(TurnTool).taken
    pick(on_block, qtbot)
    assert slot.opened is opened and slot.network is not opened
    assert np.allclose(there(view.seen), there(view_before)), "the map stays where it was"
    assert length(on_block) > 2.5 * short
    assert network_of(on_block).node_ids[[there(slot.source), *slot.targets.nodes]].tolist() == [1, 5]
    assert there(slot.route()).nodes.size and on_block.panels.panel(RoutePanel).returns.text().startswith("Comes back")
    assert there(layer(view.map_scene, ClosedTurns.NAME)).turns == (LEFT,)
    (row,) = on_block.panels.panel(ClosuresPanel).list.roads()
    assert row.name == "No left turn from Long Road into North Lane" and row.turn == LEFT
    on_block.actions_by_name["edit.undo"].trigger()
    idle(on_block, qtbot)
    assert not slot.turns and slot.network is opened and length(on_block) == short
    assert layer(view.map_scene, ClosedTurns.NAME) is None
    on_block.actions_by_name["edit.redo"].trigger()
    idle(on_block, qtbot)
    assert slot.turns == (LEFT,) and length(on_block) > 2.5 * short


def test_a_right_click_on_its_sign_and_the_list_reopen_a_turn(on_block: Window, qtbot: QtBot) -> None:
    slot, view = on_block.session.active, on_block.map
    on_block.host.control(TurnControl).close([LEFT])
    qtbot.waitUntil(lambda: slot.turns == (LEFT,))
    idle(on_block, qtbot)
    on_block.actions_by_name["roads.close_turn"].trigger()
    signs, camera = layer(view.map_scene, ClosedTurns.NAME), view.camera()
    unit = view.map_scene.style.text_scale
    (sign,) = placed(signs.signs, camera.in_units(camera.pixel_ratio * unit))
    at = QPoint(round(sign.x * unit), round(sign.y * unit))
    QTest.mouseClick(view.viewport(), Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, at)
    qtbot.waitUntil(lambda: not slot.turns)
    idle(on_block, qtbot)
    on_block.actions_by_name["edit.undo"].trigger()
    idle(on_block, qtbot)
    panel = on_block.panels.panel(ClosuresPanel)
    panel.list.setCurrentIndex(panel.list.model().index(0, 0))
    QTest.keyClick(panel.list, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not slot.turns)
    idle(on_block, qtbot)


def test_closed_roads_and_turns_go_together(on_block: Window, qtbot: QtBot) -> None:
    slot = on_block.session.active
    network = network_of(on_block)
    slot.closures.close(as_arcs(wayfront.arcs_between(network, [network.node(3)], [network.node(6)])))
    idle(on_block, qtbot)
    on_block.host.control(TurnControl).close([LEFT])
    qtbot.waitUntil(lambda: slot.turns == (LEFT,))
    idle(on_block, qtbot)
    turned = network_of(on_block)
    arcs = slot.closures.arcs
    assert [turned.node_ids[turned.tails()[arcs]].tolist(), turned.node_ids[turned.targets[arcs]].tolist()] == [
        [3],
        [6],
    ]
    panel = on_block.panels.panel(ClosuresPanel)
    assert panel.count.text() == "1 closed road, 1 closed turn" and len(panel.list.roads()) == 2
    on_block.actions_by_name["roads.reopen_all"].trigger()
    qtbot.waitUntil(lambda: not slot.turns and not len(slot.closures.arcs))
    idle(on_block, qtbot)


def test_ids_and_tables_close_turns(
    on_block: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot, question = on_block.session.active, on_block.host.question
    for answer, said in (("1-2", "three nodes"), ("1-2-77", "77"), ("1-5-2", "no arc")):
        on_block.actions_by_name["roads.close_turn_ids"].trigger()
        question.line.setText(answer)
        QTest.keyClick(question.line, Qt.Key.Key_Return)
        assert said in question.problem
    question.line.setText(" 1 2, 5 ")
    QTest.keyClick(question.line, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: slot.turns == (LEFT,))
    idle(on_block, qtbot)
    table = tmp_path / "turns.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_a, **_k: (str(table), ""))
    on_block.actions_by_name["roads.save_turns"].trigger()
    qtbot.waitUntil(table.exists)
    assert table.read_text().split() == ["from,via,to", "1,2,5"]
    table.write_text("from,via,to\n1,2,5\n7,2,3\n")
    on_block.controller.files.closes_roads(str(table))
    qtbot.waitUntil(lambda: slot.turns == (LEFT, (7, 2, 3)))
    idle(on_block, qtbot)


def test_sessions_keep_closed_turns(on_block: Window, qtbot: QtBot, tmp_path: Path, made: list[bool]) -> None:
    slot = on_block.session.active
    on_block.host.control(TurnControl).close([LEFT])
    qtbot.waitUntil(lambda: slot.turns == (LEFT,))
    idle(on_block, qtbot)
    network = network_of(on_block)
    slot.closures.close(as_arcs(wayfront.arcs_between(network, [network.node(6)], [network.node(7)])))
    idle(on_block, qtbot)
    far = length(on_block)
    saved = there(on_block.controller.files.saved())
    path = tmp_path / "kept.wfsession"
    SessionFile((SavedSession.read(saved.text()),)).write(path)
    on_block.host.control(TurnControl).reopen([LEFT])
    slot.closures.replace(as_arcs([]))
    qtbot.waitUntil(lambda: not slot.turns)
    idle(on_block, qtbot)
    on_block.controller.files.open(str(path))
    qtbot.waitUntil(lambda: slot.turns == (LEFT,) and len(slot.closures.arcs) == 1)
    idle(on_block, qtbot)
    assert length(on_block) == far and not any(made)


def until_closed(window: Window, qtbot: QtBot, *turns: Turn) -> None:
    qtbot.waitUntil(lambda: window.session.active.turns == turns)
    idle(window, qtbot)


def test_undo_of_networks_that_are_not_kept_is_left_to_the_engine(
    on_block: Window, qtbot: QtBot, made: list[bool]
) -> None:
    slot, turns = on_block.session.active, on_block.host.control(TurnControl)
    undo, redo = (on_block.actions_by_name[name] for name in ("edit.undo", "edit.redo"))
    for turn in (LEFT, OTHER, BACK):
        turns.close([turn])
        until_closed(on_block, qtbot, *turns.turns)
    undo.trigger()
    undo.trigger()
    assert len(slot.turns) == 3, "the network is being made"
    until_closed(on_block, qtbot, LEFT)
    redo.trigger()
    on_block.controller.cancel()
    redo.trigger()
    until_closed(on_block, qtbot, LEFT, OTHER)
    turns.close([BACK])
    undo.trigger()
    assert turns.turns == (LEFT, OTHER), "what is not yet closed is dropped"
    undo.trigger()
    on_block.controller.choose_source(network_of(on_block).node(3), True)
    idle(on_block, qtbot)
    assert turns.turns == (LEFT, OTHER), "another choice takes the place of what is undone"
    on_block.actions_by_name["edit.undo"].trigger()
    idle(on_block, qtbot)
    assert network_of(on_block).node_ids[there(slot.source)] == 1
    assert len(made) >= 5 and not any(made)


def test_redo_takes_the_place_of_an_undo_that_waits_for_its_network(
    on_block: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront_gui.session.turning.MOST_KEPT", 2)
    slot, turns = on_block.session.active, on_block.host.control(TurnControl)
    for turn in (LEFT, OTHER, BACK):
        turns.close([turn])
        until_closed(on_block, qtbot, *turns.turns)
    on_block.actions_by_name["edit.undo"].trigger()
    until_closed(on_block, qtbot, LEFT, OTHER)
    on_block.actions_by_name["edit.undo"].trigger()
    assert turns.turns == (LEFT,) != slot.turns, "the network is being made"
    on_block.actions_by_name["edit.redo"].trigger()
    idle(on_block, qtbot)
    assert slot.turns == (LEFT, OTHER)


def test_a_timed_search_comes_back_with_its_turns(on_block: Window, qtbot: QtBot, made: list[bool]) -> None:
    slot, turns = on_block.session.active, on_block.host.control(TurnControl)
    turns.close([LEFT])
    qtbot.waitUntil(lambda: slot.turns == (LEFT,))
    idle(on_block, qtbot)
    on_block.controller.run()
    idle(on_block, qtbot)
    far, timed = length(on_block), len(on_block.session.runs) - 1
    assert on_block.session.runs[timed].choice.turns == (LEFT,)
    turns.replace((OTHER,))
    qtbot.waitUntil(lambda: slot.turns == (OTHER,))
    idle(on_block, qtbot)
    on_block.controller.files.bring_back(timed)
    qtbot.waitUntil(lambda: slot.turns == (LEFT,))
    idle(on_block, qtbot)
    assert length(on_block) == far and not any(made)


def test_a_recorded_search_lists_its_closed_turns(
    on_block: Window, qtbot: QtBot, tmp_path: Path, made: list[bool]
) -> None:
    slot = on_block.session.active
    on_block.host.control(TurnControl).close([LEFT])
    qtbot.waitUntil(lambda: slot.turns == (LEFT,))
    idle(on_block, qtbot)
    on_block.controller.run()
    idle(on_block, qtbot)
    trace, far = tmp_path / "left.wftrace", length(on_block)
    on_block.controller.files.save_trace(str(trace))
    qtbot.waitUntil(trace.exists)
    for elsewhere in ("synthetic:grid?columns=3&rows=2", ""):
        if elsewhere:
            on_block.controller.files.open(elsewhere)
        else:
            on_block.actions_by_name["roads.reopen_all"].trigger()
        qtbot.waitUntil(lambda: not slot.turns)
        idle(on_block, qtbot)
        opened = slot.opened
        on_block.controller.files.open(str(trace))
        qtbot.waitUntil(lambda: slot.turns == (LEFT,))
        idle(on_block, qtbot)
        (row,) = on_block.panels.panel(ClosuresPanel).list.roads()
        assert row.turn == LEFT and length(on_block) == far
        assert (slot.opened is opened) == (not elsewhere), "a network that is open already is not read again"
    on_block.actions_by_name["roads.reopen_all"].trigger()
    qtbot.waitUntil(lambda: not slot.turns)
    idle(on_block, qtbot)
    assert length(on_block) < far and not any(made)


def test_turns_closed_at_once_are_all_closed(on_block: Window, qtbot: QtBot) -> None:
    slot, turns = on_block.session.active, on_block.host.control(TurnControl)
    turns.close([LEFT])
    turns.close([(7, 2, 3)])
    assert not slot.turns and turns.turns == (LEFT, (7, 2, 3)), "the network is being made"
    qtbot.waitUntil(lambda: slot.turns == (LEFT, (7, 2, 3)))
    turns.reopen([LEFT])
    turns.reopen([(7, 2, 3)])
    qtbot.waitUntil(lambda: not slot.turns and not on_block.controller.worker.busy)
    turns.close([BACK])
    on_block.controller.worker.cancel()
    assert len(on_block.host.control(TurnControl).turns) == 0, "what was dropped is not asked for any more"
    idle(on_block, qtbot)


def test_a_race_shares_closed_turns(on_block: Window, qtbot: QtBot) -> None:
    on_block.session.keep_active()
    added = on_block.session.add_slot()
    on_block.host.control(TurnControl).close([LEFT])
    qtbot.waitUntil(lambda: all(slot.turns == (LEFT,) for slot in on_block.session.slots))
    one, other = on_block.session.slots
    assert one.network is other.network and added.opened is one.opened
    assert there(other.network).node_ids[there(other.source)] == 1


def test_bends_lead_to_the_next_junction(file: Path) -> None:
    network = wayfront.open_network(file)
    (arc,) = wayfront.arcs_between(network, [network.node(3)], [network.node(6)]).tolist()
    walked = to_junction(network, arc)
    assert network.node_ids[network.targets[walked]].tolist() == [6, 7, 2]
    found = there(Approach.of(network, arc))
    (north,) = wayfront.arcs_between(network, [network.node(2)], [network.node(5)]).tolist()
    assert found.via == network.node(2) and road_to(found.onward(network), [north]) == (north,)
    (dead_end,) = wayfront.arcs_between(network, [network.node(2)], [network.node(5)]).tolist()
    assert Approach.of(network, dead_end) is None


def test_networks_with_closed_turns_are_kept(file: Path) -> None:
    network = wayfront.open_network(file)
    turns = as_turns([LEFT, LEFT])
    assert turns == (LEFT,) and with_closed_turns(network, turns) is with_closed_turns(network, turns)
    assert with_closed_turns(network, ()) is network
