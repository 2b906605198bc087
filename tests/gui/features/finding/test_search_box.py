"""The search box in the window: what it lists, shows on the map, and does."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

from named_town import SIDE, named_town
from wayfront.network.finding import suggestions
from wayfront.network.names import Named, NameIndex
from wayfront.network.road_network import RoadNetwork
from wayfront.synthetic.textbooks import from_name
from wayfront_gui.app.window import Window
from wayfront_gui.features.finding import control
from wayfront_gui.features.finding.box import SearchBox, Use
from wayfront_gui.features.finding.control import Finder
from wayfront_gui.features.finding.layer import FoundMark
from wayfront_gui.map.offscreen import render
from wayfront_gui.map.scene import Scene

DOWN, UP, RETURN, ESCAPE = Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Return, Qt.Key.Key_Escape
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def town(window: Window, qtbot: QtBot) -> Window:
    """The window with a town whose names are read, and no search."""
    window.controller.find_abilities()
    window.session.active.open(named_town())
    open_box(window)
    qtbot.waitUntil(lambda: NameIndex.is_made(opened(window)))
    press(window, ESCAPE)
    return window


def opened(window: Window) -> RoadNetwork:
    network = window.session.active.network
    assert network is not None
    return network


def box_of(window: Window) -> SearchBox:
    return window.host.control(Finder).box


def open_box(window: Window, typed: str = "", command: str = "edit.find") -> SearchBox:
    window.actions_by_name[command].trigger()
    box_of(window).line.setText(typed)
    return box_of(window)


def press(window: Window, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(box_of(window).line, key, modifier)


def mark(window: Window) -> FoundMark | None:
    layer = window.map.map_scene.layers.get("found")
    assert layer is None or isinstance(layer, FoundMark)
    return layer


def listed(window: Window) -> list[str]:
    return [row.text for row in box_of(window).rows]


def at(row: int, column: int) -> int:
    return row * SIDE + column


def test_a_street_is_shown_while_one_goes_through_the_list_and_esc_puts_all_back(town: Window) -> None:
    view = town.map
    view.zoom(8.0)
    before = view.camera()
    box = open_box(town, "row street")
    assert box.isVisible() and len(listed(town)) == SIDE
    first = mark(town)
    assert first is not None and len(first.lines) == SIDE - 1
    assert view.camera() == before, "typing moves nothing"
    seen = {listed(town).index(f"Row {row} Street"): row for row in (0, 11)}
    for index, row in sorted(seen.items()):
        while box.list.currentIndex().row() < index:
            press(town, DOWN)
        shown = mark(town)
        assert shown is not None and shown.node // SIDE == row
        column, line = view.camera().to_pixels(*shown.place(view.map_scene))
        assert view.rect().contains(round(column), round(line))
        assert view.camera() != before and view.camera().scale == pytest.approx(before.scale)
    press(town, ESCAPE)
    assert not box.isVisible() and mark(town) is None
    assert view.camera().left == pytest.approx(before.left) and view.camera().top == pytest.approx(before.top)


def test_what_is_in_view_moves_no_map(town: Window) -> None:
    town.map.fit()
    before = town.map.camera()
    open_box(town, "row 0")
    press(town, DOWN)
    assert mark(town) is not None and town.map.camera() == before
    box_of(town).line.setText("row 11")
    press(town, DOWN)
    assert town.map.camera() != before, "it lay under the box"
    box_of(town).line.setText("row 0")
    press(town, DOWN)
    assert town.map.seen is None, "the map is as it was: whole"


def test_enter_goes_there_and_the_pin_stays_until_esc(town: Window) -> None:
    town.map.fit()
    whole = town.map.camera().scale
    open_box(town, "4 row")
    assert listed(town)[0] == "Row 4 Street"
    press(town, RETURN)
    assert town.map.seen is None, "it is as long as the town"
    open_box(town, "142")
    press(town, RETURN)
    assert not box_of(town).isVisible() and town.map.hasFocus()
    assert town.map.camera().scale > whole
    assert mark(town) is not None
    town.actions_by_name["search.cancel"].trigger()
    assert mark(town) is None


def test_keys_and_buttons_take_what_was_found_as_source_and_target(town: Window, qtbot: QtBot) -> None:
    slot = town.session.active
    open_box(town, "row 3 street / column 5")
    press(town, RETURN, CTRL)
    assert slot.source == at(3, 5) and mark(town) is None
    qtbot.waitUntil(lambda: slot.result is not None and not town.controller.worker.busy)
    open_box(town, "0.009, 0.009")
    assert "0 m from the nearest node" in box_of(town).rows[0].detail
    press(town, RETURN, SHIFT)
    assert slot.target == at(9, 9)
    box = open_box(town, "gridton")
    assert box.buttons[Use.SOURCE].isVisible() and "Ctrl" in box.buttons[Use.SOURCE].text()
    QTest.mouseClick(box.buttons[Use.SOURCE], Qt.MouseButton.LeftButton)
    assert slot.source == at(5, 5)
    qtbot.waitUntil(lambda: not town.controller.worker.busy)
    for command, found in (
        ("search.source", at(0, 0)),
        ("search.target", at(0, 1)),
        ("search.further_target", at(0, 2)),
    ):
        open_box(town, str(found + 1), command)
        assert not box.buttons[Use.GO].isVisible()
        press(town, RETURN)
    qtbot.waitUntil(lambda: not town.controller.worker.busy)
    assert (slot.source, list(slot.targets.nodes)) == (at(0, 0), [at(0, 1), at(0, 2)])


def test_commands_stand_among_names_and_alone_after_a_sign(town: Window) -> None:
    open_box(town, "fit")
    assert listed(town)[0] == "Fit the map"
    assert box_of(town).rows[0].detail == "F or Ctrl+0" and not any(
        b.isVisible() for b in box_of(town).buttons.values()
    )
    box_of(town).line.setText("long")
    assert listed(town)[0] == "Long Lake" and "Move the map" not in listed(town)
    box_of(town).line.setText("> long")
    assert "Long Lake" not in listed(town)
    open_box(town, "fit", "search.source")
    assert listed(town) == [], "a command is no source"
    open_box(town, "zoom in")
    before = town.map.camera().scale
    press(town, RETURN)
    assert town.map.camera().scale > before


def test_nothing_found_is_said_and_so_is_a_position_off_the_map(town: Window) -> None:
    box = open_box(town, "qqqq")
    assert not box.rows and box.said.text().startswith("Nothing found. Type a street, a place")
    box.line.setText("52.5, 13.4")
    assert "52.5, 13.4 is 5,906.5 km from the nearest node of town" in box.said.text()
    press(town, RETURN)
    assert box.isVisible(), "there is nothing to take"
    box.line.setText("")
    assert "coordinates" in box.said.text()


def test_what_was_used_last_is_offered_first(town: Window, qtbot: QtBot) -> None:
    for typed in ("> fit the", "gridton", "row 4 street"):
        open_box(town, typed)
        press(town, RETURN)
    open_box(town)
    assert listed(town) == ["Row 4 Street", "Gridton", "Fit the map"]
    press(town, ESCAPE)
    town.session.active.open(make_grid())
    open_box(town)
    assert listed(town) == ["Fit the map"], "what this network does not have is left out"


def test_another_network_in_an_open_box(town: Window, qtbot: QtBot) -> None:
    box = open_box(town, "142")
    assert listed(town)[0] == "142"
    assert box.rows[0].what.index == at(11, 9)  # type: ignore[union-attr]
    town.session.active.open(make_grid())
    assert box.isVisible() and box.rows[0].what.index == 42  # type: ignore[union-attr]
    qtbot.waitUntil(lambda: NameIndex.is_made(opened(town)))
    box.line.setText("row 4")
    assert "This network has no names" in box.said.text()
    press(town, ESCAPE)
    assert mark(town) is None


def test_names_are_read_in_the_background_once_a_network_is_shown(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window.host.control(Finder)._soon.setInterval(1)
    window.session.active.open(named_town())
    assert not NameIndex.is_made(opened(window)), "the first picture goes first"
    qtbot.waitUntil(lambda: NameIndex.is_made(opened(window)))


def test_a_box_that_is_opened_before_its_names_are_there_says_so_and_fills_up(
    window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[bool] = []
    finder = window.host.control(Finder)
    monkeypatch.setattr(finder._reading, "start", lambda work: begun.append(True))
    window.session.active.open(named_town())
    open_box(window, "gridton")
    assert begun and not box_of(window).rows and "still being read" in box_of(window).said.text()
    box_of(window).line.setText("142")
    assert listed(window) == ["142"], "ids need no names"
    monkeypatch.undo()
    box_of(window).line.setText("gridton")
    finder._read()
    qtbot.waitUntil(lambda: listed(window)[:1] == ["Gridton"])


def test_a_drawn_graph_has_pins_on_its_discs_and_no_lengths(window: Window, qtbot: QtBot) -> None:
    window.session.active.open(from_name("example:paper-e"))
    open_box(window)
    qtbot.waitUntil(lambda: NameIndex.is_made(opened(window)))
    window.session.active.choose_source(1)
    box_of(window).line.setText("c")
    assert (box_of(window).rows[0].text, box_of(window).rows[0].detail) == ("C", "Node")
    shown, scene = mark(window), window.map.map_scene
    assert shown is not None and scene.diagram is not None and shown.place(scene) == scene.place(shown.node)
    press(window, ESCAPE)


def test_without_a_network_there_are_commands(window: Window) -> None:
    open_box(window, "1")
    assert "once a network is open" in box_of(window).said.text() or box_of(window).rows
    box_of(window).line.setText("open")
    assert "Open…" in listed(window)


def test_without_a_map_a_node_is_the_source(window: Window, qtbot: QtBot) -> None:
    window.controller.find_abilities()
    window.session.active.open(make_grid(coordinates=False))
    box = open_box(window, "142")
    assert not box.buttons[Use.GO].isVisible() and mark(window) is None
    press(window, RETURN)
    assert window.session.active.source == 42
    qtbot.waitUntil(lambda: window.session.active.result is not None and not window.controller.worker.busy)


def test_the_focus_may_leave_for_another_program(town: Window) -> None:
    box = open_box(town, "row")
    town.map.setFocus(Qt.FocusReason.ActiveWindowFocusReason)
    assert box.isVisible(), "a position may be copied there"
    box.line.setFocus()
    town.map.setFocus(Qt.FocusReason.MouseFocusReason)
    assert not box.isVisible() and mark(town) is None


def test_a_race_shows_it_on_every_map_and_searches_from_it_in_all(town: Window, qtbot: QtBot) -> None:
    town.session.active.choose_source(0)
    town.actions_by_name["race.add"].trigger()
    qtbot.waitUntil(lambda: len(town.session.slots) > 1 and not town.controller.worker.busy)
    open_box(town, "row 4 street")
    shown = [view for view in town.central.panes.all_maps if "found" in view.map_scene.layers]
    assert len(shown) == len(town.session.slots)
    press(town, RETURN, CTRL)
    qtbot.waitUntil(lambda: not town.controller.worker.busy)
    assert {slot.source for slot in town.session.slots} == {shown_node(town, "row 4 street")}


def shown_node(window: Window, text: str) -> int:
    names = NameIndex.of(opened(window))
    return names.node(suggestions(opened(window), text, names).found[0])


def picture(scene: Scene) -> np.ndarray:
    image = render(scene, 300, 300).convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint32).reshape(300, 300).copy()


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("typed", ["row 4 street", "gridton", "142", "long lake"])
def test_the_mark_is_painted_where_it_is(typed: str) -> None:
    network = named_town()
    names = NameIndex.of(network)
    named: Named = suggestions(network, typed, names).found[0]
    found = FoundMark.of(network, named, names.node(named), names)
    assert found is not None
    scene = Scene.of(network)
    bare = picture(scene)
    scene.put(found)
    changed = np.argwhere(picture(scene) != bare)
    assert len(changed) > 100
    assert found.extent.left < found.x < found.extent.right
    wide = np.ptp(changed[:, 1])
    assert wide > 200 if typed.startswith("row") else wide < 40


def test_it_waits_until_the_first_picture(window: Window) -> None:
    assert window.host.control(Finder)._soon.interval() == control.AFTER_MS
