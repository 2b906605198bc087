"""OpenStreetMap files in the window: which roads are taken, what they are called, and what does not fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from there import there
from wayfront.formats.native.codec import save_network
from wayfront.formats.options import OsmOptions
from wayfront.formats.registry import formats, save
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.turn_costs import SECONDS, TurnCosts
from wayfront_gui.app.map_sync import view_bounds
from wayfront_gui.app.menu_file import network_files
from wayfront_gui.app.network_panel import NetworkPanel
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.routes.panel import RoutePanel
from wayfront_gui.session.saved import SavedSession


@pytest.fixture
def window(window: Window) -> Window:
    window.session.active.choose_device("cpu")
    return window


def settle(window: Window, qtbot: QtBot, nodes: int) -> None:
    """Wait until a network of so many nodes is open and searched."""

    def searched() -> bool:
        network = window.session.active.network
        done = network is not None and window.session.active.result is not None and not window.controller.worker.busy
        return done and network is not None and network.node_count == nodes

    qtbot.waitUntil(searched)
    window.session.clock.pause()


def read_as(window: Window, qtbot: QtBot, reading: str) -> None:
    """Wait until the open network was read so."""

    def is_so() -> bool:
        return window.session.active.network is not None and window.session.active.network.reading == reading

    qtbot.waitUntil(is_so)


@pytest.fixture
def town(window: Window, qtbot: QtBot, data: Path) -> Window:
    """The window with the tiny town open and searched."""
    window.panels.panel(NetworkPanel).about.set_open(True)
    window.controller.open(str(data / "tiny.osm"))
    settle(window, qtbot, 11)
    return window


def choose_traffic(window: Window, network_type: str) -> None:
    traffic = window.panels.panel(NetworkPanel).roads.traffic
    traffic.setCurrentIndex(traffic.findData(network_type))


# ---------------------------------------------------------------------------------------------------------- roads


def test_only_what_came_from_a_map_asks_for_its_roads(town: Window, qtbot: QtBot, data: Path) -> None:
    roads = town.panels.panel(NetworkPanel).roads
    assert roads.isVisible()
    assert (roads.traffic.currentText(), roads.simplify.isChecked()) == ("Roads to drive on", False)
    town.controller.open(str(data / "tiny.wayfront"))
    qtbot.waitUntil(lambda: not roads.isVisible())


def test_another_choice_reads_the_file_again_and_is_remembered(town: Window, qtbot: QtBot) -> None:
    roads = town.panels.panel(NetworkPanel).roads
    before = town.session.active.network
    roads.simplify.setChecked(True)
    assert town.session.active.network is before, "what is open stays until the new one is there"
    settle(town, qtbot, 9)
    choose_traffic(town, "walk")
    read_as(town, qtbot, "walk, simplified, all parts")
    roads.simplify.setChecked(False)
    read_as(town, qtbot, "walk, every node, all parts")
    roads.largest.setChecked(True)
    read_as(town, qtbot, "walk, every node, largest parts")
    assert roads.traffic.currentData() == "walk"
    assert not roads.simplify.isChecked() and roads.largest.isChecked()
    assert town.settings.osm == OsmOptions("walk", False, True)
    other = make_window(town.settings)
    assert other.controller.files.osm == OsmOptions("walk", False, True)
    other.close()


def test_another_reading_is_searched_from_the_same_node_where_it_has_it(town: Window, qtbot: QtBot) -> None:
    for source, kept in ((3, True), (8, False)):  # node 8 only bends a lane
        town.panels.panel(NetworkPanel).roads.simplify.setChecked(False)
        settle(town, qtbot, 11)
        whole = there(town.session.active.network)
        town.session.active.choose_source(whole.node(source))
        town.panels.panel(NetworkPanel).roads.simplify.setChecked(True)
        settle(town, qtbot, 9)
        network = town.session.active.network
        assert network is not None and town.session.active.source is not None
        assert (int(network.node_ids[town.session.active.source]) == source) is kept


def test_a_choice_that_cannot_be_read_leaves_all_as_it_was(town: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "motorway.osm"
    path.write_text(
        '<osm version="0.6"><node id="1" lat="50" lon="10"/><node id="2" lat="50" lon="10.1"/>'
        '<way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="motorway"/></way></osm>'
    )
    town.controller.open(str(path))
    settle(town, qtbot, 2)
    network = town.session.active.network
    choose_traffic(town, "walk")
    qtbot.waitUntil(town.message_bar.isVisible)
    qtbot.waitUntil(lambda: not town.controller.worker.busy)
    assert town.session.active.network is network
    assert town.panels.panel(NetworkPanel).roads.traffic.currentData() == "drive", "the panel tells what is open"


def test_forbidden_turns_are_driven_over_where_that_is_wanted(town: Window, qtbot: QtBot, tmp_path: Path) -> None:
    ends = ((10.1, 50.0), (10.0, 50.1), (9.9, 50.0), (10.0, 49.9))
    nodes = "".join(f'<node id="{i}" lon="{x}" lat="{y}"/>' for i, (x, y) in enumerate(((10.0, 50.0), *ends), 1))
    ways = "".join(
        f'<way id="{i}"><nd ref="1"/><nd ref="{i}"/><tag k="highway" v="residential"/></way>' for i in range(2, 6)
    )
    members = "".join(
        f'<member type="{kind}" ref="{ref}" role="{role}"/>'
        for kind, ref, role in (("way", 2, "from"), ("node", 1, "via"), ("way", 3, "to"))
    )
    tags = '<tag k="type" v="restriction"/><tag k="restriction" v="no_right_turn"/>'
    path = tmp_path / "crossing.osm"
    path.write_text(f'<osm version="0.6">{nodes}{ways}<relation id="9">{members}{tags}</relation></osm>')
    town.controller.open(str(path))
    qtbot.waitUntil(lambda: "crossing" in str(getattr(town.session.active.network, "origin", "")))
    qtbot.waitUntil(lambda: not town.controller.worker.busy)
    split = town.session.active.network
    assert split is not None and split.node_count > 5
    town.panels.panel(NetworkPanel).roads.turns.setChecked(False)
    settle(town, qtbot, 5)


def test_turns_cost_what_is_chosen_in_the_country_that_is_chosen(town: Window, qtbot: QtBot, data: Path) -> None:
    roads = town.panels.panel(NetworkPanel).roads
    roads.costs.findChildren(QTimer)[0].setInterval(0)
    roads.turns.setChecked(False)
    read_as(town, qtbot, "drive, every node, all parts")
    assert not roads.costs.isVisible() and not roads.growth.isVisible()
    roads.costly.setChecked(True)
    read_as(town, qtbot, f"drive, every node, all parts, turns cost {TurnCosts()}")
    assert roads.costs.isVisible() and roads.growth.text().startswith("11 nodes of the file became ")
    for name in SECONDS:
        roads.costs.seconds[name].setValue(3.5)
    roads.costs.side.setCurrentIndex(roads.costs.side.findData("left"))
    changed = TurnCosts(3.5, 3.5, 3.5, 3.5, 3.5, "left")
    read_as(town, qtbot, f"drive, every node, all parts, turns cost {changed}")
    roads.country.setCurrentIndex(roads.country.findText("Portugal"))
    reading = f"drive, every node, all parts, limits of pt, turns cost {changed}"
    read_as(town, qtbot, reading)
    assert town.settings.osm.turn_costs == str(changed) and not town.settings.osm.country, "other files lie elsewhere"
    assert there(SavedSession.read(there(town.controller.files.saved()).text()).osm).describe() == reading
    for path, how in (("tiny-d.gr", ""), ("tiny.osm", reading)):
        town.controller.open(str(data / path))
        read_as(town, qtbot, how)
    assert roads.country.currentText() == "Portugal" and roads.costs.text == str(changed)
    roads.costly.setChecked(False)
    read_as(town, qtbot, "drive, every node, all parts, limits of pt")
    assert not roads.costs.isVisible()
    other = Settings(town.settings.store)
    assert there(other.reading_of(str(data / "tiny.osm"))).country == "pt"
    other.store.setValue("readings", '{"a": 7}')
    assert other.reading_of(str(data / "tiny.osm")) is None and "readings" in other.problem()


def test_what_a_format_knows_nothing_of_is_not_offered(town: Window, qtbot: QtBot, data: Path, tmp_path: Path) -> None:
    roads = town.panels.panel(NetworkPanel).roads
    depending = roads.country, roads.turns, roads.costly
    assert all(field.isVisible() for field in depending)
    path = tmp_path / "town.graphml"
    save(there(town.session.active.network), path)
    town.controller.open(str(path))
    qtbot.waitUntil(lambda: there(town.session.active.network).origin == str(path))
    assert roads.traffic.isVisible() and roads.simplify.isVisible()
    assert not any(field.isVisible() for field in depending)
    town.controller.open(str(data / "tiny.osm"))
    qtbot.waitUntil(lambda: there(town.session.active.network).origin != str(path))
    assert all(field.isVisible() for field in depending)


def test_choices_made_one_right_after_the_other_all_count(town: Window, qtbot: QtBot) -> None:
    roads = town.panels.panel(NetworkPanel).roads
    roads.turns.setChecked(False)
    roads.costly.setChecked(True)
    read_as(town, qtbot, f"drive, every node, all parts, turns cost {TurnCosts()}")
    settle(town, qtbot, there(town.session.active.network).node_count)
    first = roads.costs.seconds[SECONDS[0]]
    first.lineEdit().setText("7")
    town.panels.panel(NetworkPanel).show_roads()
    assert first.text() == "7 s", "what is typed stays when a search ends"
    first.setValue(3.5)
    town.panels.panel(NetworkPanel).show_roads()
    assert first.value() == 3.5 and roads.costs.waits, "so does what is about to be told"
    roads.simplify.setChecked(True)
    dearer = replace(TurnCosts(), **{SECONDS[0]: 3.5})  # type: ignore[arg-type]  # mypy takes it for any field
    read_as(town, qtbot, f"drive, simplified, all parts, turns cost {dearer}")
    settle(town, qtbot, there(town.session.active.network).node_count)
    first.setValue(4.5)
    roads.costly.setChecked(False)
    read_as(town, qtbot, "drive, simplified, all parts")
    assert not roads.costs.waits, "turns would cost something again"


def test_a_recorded_search_opens_with_the_roads_it_was_recorded_on(
    town: Window, qtbot: QtBot, data: Path, tmp_path: Path
) -> None:
    town.panels.panel(NetworkPanel).roads.simplify.setChecked(True)
    settle(town, qtbot, 9)
    path = tmp_path / "simplified.wftrace"
    town.controller.files.save_trace(str(path))
    qtbot.waitUntil(path.exists)
    town.controller.files.open(str(data / "tiny.osm"), osm=OsmOptions("bike"))
    read_as(town, qtbot, "bike, every node, all parts")
    town.controller.open(str(path))
    settle(town, qtbot, 9)
    assert town.panels.panel(NetworkPanel).roads.simplify.isChecked()


def test_a_downloaded_place_is_read_for_what_it_was_downloaded(
    window: Window, qtbot: QtBot, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYFRONT_DATA", str(tmp_path))
    place = tmp_path / "places" / "town-walk.osm.json"
    place.parent.mkdir()
    place.write_bytes((data / "tiny.osm").read_bytes())  # told by content, not by its name
    window.controller.files.osm = OsmOptions("bike", simplify=True)
    for path in (str(place), "place:town-walk"):
        window.session.active.network = None
        window.controller.open(path)
        read_as(window, qtbot, "walk, simplified, all parts")
    window.panels.panel(NetworkPanel).roads.simplify.setChecked(False)
    read_as(window, qtbot, "walk, every node, all parts")
    assert window.controller.files.osm == OsmOptions("bike"), "other files are still read for what was chosen of them"
    assert window.settings.recent == (
        "place:town-walk",
        str(place),
    ), "a place is opened again by its name"


def test_remembered_choices_do_not_concern_other_formats(window: Window, qtbot: QtBot, data: Path) -> None:
    window.controller.files.osm = OsmOptions("bike", simplify=True, largest_component=True)
    window.controller.open(str(data / "tiny-d.gr"))
    settle(window, qtbot, 6)
    assert window.controller.files.osm == OsmOptions("bike", simplify=True, largest_component=True)


def test_settings_of_another_version_are_no_options(settings: Settings) -> None:
    assert settings.osm == OsmOptions()
    settings.store.setValue("osm", "fly, every node, all parts")
    assert settings.osm == OsmOptions()


# --------------------------------------------------------------------------------------------------------- memory


def test_a_map_that_may_not_fit_is_opened_only_on_demand(
    window: Window, qtbot: QtBot, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wayfront.safe.memory.available_bytes", lambda: 10_000_000)
    monkeypatch.setenv("WAYFRONT_CACHE", str(tmp_path / "cache"))

    def asked() -> QMessageBox:
        window.controller.open(str(data / "tiny.osm"))
        qtbot.waitUntil(lambda: bool(window.findChildren(QMessageBox)))
        return window.findChildren(QMessageBox)[0]

    box = asked()
    assert box.text().startswith("Opening tiny.osm takes about 0.2 GB of memory, and 0.0 GB are free.")
    assert not window.message_bar.isVisible()
    box.button(QMessageBox.StandardButton.Cancel).click()
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    assert window.session.active.network is None
    assert not window.controller.worker.busy
    next(button for button in asked().buttons() if button.text() == "Open anyway").click()
    settle(window, qtbot, 11)


# ---------------------------------------------------------------------------------------------------------- names


def test_what_is_under_the_pointer_is_told_with_its_roads(town: Window) -> None:
    network = there(town.session.active.network)
    town.map.node_hovered.emit(network.node(8))
    assert town.status.hover.text().startswith("Node 8  ·  Curved Lane  ·  ")
    town.map.node_hovered.emit(network.node(9))
    assert "Lane" not in town.status.hover.text()


def test_a_route_lists_its_directions(town: Window, qtbot: QtBot, data: Path) -> None:
    panel, network = town.panels.panel(RoutePanel), there(town.session.active.network)
    assert panel.steps.texts == []
    town.session.active.choose_source(network.node(1))
    town.controller.run()
    qtbot.waitUntil(lambda: not town.controller.worker.busy)
    town.controller.choose_target(network.node(8))
    assert panel.isVisible(), "the first target shows it"
    qtbot.waitUntil(lambda: len(panel.steps.texts) == 3)
    assert panel.steps.texts[0].endswith("on High Street, 715 m") and "into Curved Lane" in panel.steps.texts[1]
    town.controller.choose_target(network.node(3))
    qtbot.waitUntil(lambda: "on K 7" in panel.steps.texts[0])
    town.controller.choose_target(network.node(8))
    town.controller.open(str(data / "tiny-d.gr"))
    qtbot.waitUntil(lambda: panel.steps.texts == [] and not panel.stops.isVisibleTo(panel))


def test_what_to_know_of_a_network_stands_in_its_panel(town: Window) -> None:
    remarks = town.panels.panel(NetworkPanel).facts.remarks.text()
    assert "The speed of 10 of 18 arcs is assumed from the kind of road." in remarks


# ---------------------------------------------------------------------------------------------------------- files


def test_the_file_dialog_lists_every_format() -> None:
    for declared in formats():
        assert f"{declared.label} files ({' '.join(declared.patterns)})" in network_files().split(";;")


def test_the_file_dialog_lists_maps() -> None:
    for pattern in ("*.osm", "*.osm.gz", "*.osm.bz2", "*.pbf", "*.json", "*.graphml", "*.gr"):
        assert pattern in network_files().partition("(")[2].partition(")")[0].split()


def test_a_dropped_map_opens_whatever_its_name(window: Window, qtbot: QtBot, data: Path, tmp_path: Path) -> None:
    path = tmp_path / "download.bin"
    path.write_bytes((data / "tiny.osm").read_bytes())
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(path))])
    copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    window.dropEvent(QDropEvent(QPointF(300, 300), copy, dropped, left, Qt.KeyboardModifier.NoModifier))
    settle(window, qtbot, 11)


# -------------------------------------------------------------------------------------------------------- regions


def test_regions_far_apart_are_listed_and_shown_when_chosen(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    places = [(9_500_000 + 2_000 * k, 47_100_000 + 900 * (k % 3)) for k in range(9)]
    places += [(-86_600_000 + 2_000 * k, 32_500_000 + 900 * (k % 2)) for k in range(4)]
    tails = np.arange(len(places) - 1)
    network = RoadNetwork.from_arcs(
        name="Two towns",
        node_count=len(places),
        tails=tails,
        heads=tails + 1,
        metrics=[Metric("length", "m", 0.1, np.full(len(tails), 10, np.int32))],
        coordinates=np.array(places, np.int32),
    )
    save_network(network, tmp_path / "two.wayfront")
    window.controller.open(str(tmp_path / "two.wayfront"))
    settle(window, qtbot, 13)
    listed = window.panels.panel(NetworkPanel).regions
    window.panels.panel(NetworkPanel).about.set_open(True)
    assert [listed.itemText(row) for row in range(listed.count())] == [
        "Vaduz · 9",
        "113 km south of Birmingham (Alabama) · 4",
    ]
    assert listed.isVisible()
    at_home = view_bounds(window.map, window.session.active)
    listed.setCurrentIndex(1)
    far = view_bounds(window.map, window.session.active)
    listed.setCurrentIndex(0)
    assert at_home is not None and far is not None
    assert at_home[0] < 9.5 < at_home[2]
    assert far[0] < -86.6 < far[2] < 0
    assert view_bounds(window.map, window.session.active) == pytest.approx(at_home)
    window.controller.open("synthetic:grid?columns=4&rows=4")
    settle(window, qtbot, 16)
    assert not listed.isVisible()
