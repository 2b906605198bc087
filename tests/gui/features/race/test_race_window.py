"""A race in the window: searches recorded one after another, on maps with one camera and one clock."""

from __future__ import annotations

import csv
import threading
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_result

from map_layers import layer
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result
from wayfront.safe.errors import DeviceError
from wayfront.searching.run import Progress
from wayfront_gui.app.jobs import Report, SearchJob, _Watcher
from wayfront_gui.app.window import Window
from wayfront_gui.features.export.dialogs import PictureDialog, RaceFilmDialog
from wayfront_gui.features.export.film_file import pixels_of
from wayfront_gui.features.race.field import FIELD
from wayfront_gui.features.race.panel import RacePanel
from wayfront_gui.features.race.state import Race
from wayfront_gui.map.view import MapView


class Engine:
    """Stands in for the engine: notes every search, and takes longer for those later in the field."""

    def __init__(self) -> None:
        self.done: list[tuple[str, bool]] = []
        self.fails = ""

    def run(self, job: SearchJob, _report: Report) -> Result:
        asked = job.request
        if asked.algorithm == self.fails:
            raise DeviceError("this one does not work")
        timed = asked.runs is None
        self.done.append((asked.algorithm, timed))
        slow = 1.0 + FIELD.index(asked.algorithm) if asked.algorithm in FIELD else 1.0
        found = make_result(asked.network, asked.source, runs_ms=(slow,) * timed)
        object.__setattr__(found, "algorithm", asked.algorithm)
        return found


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    engine = Engine()

    def run(job: SearchJob, report: Report) -> Result:
        return engine.run(job, report)

    monkeypatch.setattr(SearchJob, "run", run)
    return engine


@pytest.fixture
def raced(window: Window, engine: Engine, grid: RoadNetwork, qtbot: QtBot) -> Window:
    """The window after a race of four on the grid, paused."""
    slot = window.session.active
    slot.open(grid)
    slot.choose_source(grid.node(130))
    window.actions_by_name["race.fill"].trigger()
    qtbot.waitUntil(lambda: window.session.clock.playing)
    window.session.clock.pause()
    return window


def test_a_message_leaves_the_zoomed_maps_of_a_race_as_they_were(raced: Window) -> None:
    panes, bar = raced.central.panes, raced.message_bar
    bar.hide()
    QApplication.processEvents()
    panes.main.zoom(3.0)
    before, room = [view.camera() for view in panes.all_maps], panes.height()
    for _ in range(2):
        bar.show_problem("why " * 200)
        QApplication.processEvents()
        assert panes.height() < room
        bar.hide()
        QApplication.processEvents()
        assert panes.height() == room
        for view, camera in zip(panes.all_maps, before, strict=True):
            assert view.camera().extent == pytest.approx(camera.extent, rel=1e-6), "it is not zoomed out"


def test_the_legend_gives_way_on_the_small_maps_of_a_race(raced: Window, grid: RoadNetwork) -> None:
    view = raced.map
    raced.resize(1280, 720)
    raced.controller.choose_target(grid.node(200))
    raced.session.clock.go_to(raced.session.clock.length)
    assert len(raced.central.panes.all_maps) == 4
    assert view.map_scene.found.nodes.legend is not None
    named = view.grab().toImage()
    found = view.map_scene.found
    view.map_scene.found = replace(found, nodes=replace(found.nodes, legend=None))
    view.map_item.update()
    assert view.grab().toImage() == named, "the legend would lie over the map"


def test_a_race_is_recorded_in_turn_and_shown_on_maps_with_one_camera(
    raced: Window, engine: Engine, qtbot: QtBot
) -> None:
    assert engine.done == [*((name, False) for name in FIELD), *((name, True) for name in FIELD)]
    assert [timing["algorithm"] for timing in raced.session.timings] == list(FIELD)
    clock = raced.session.clock
    clock.go_to(clock.length)
    assert [lane.place for lane in raced.session.state(Race).lanes()] == [1, 2, 3, 4]
    maps = raced.central.panes.all_maps
    assert [
        layer(view.map_scene, "caption").caption.lane.place for view in maps if layer(view.map_scene, "caption")
    ] == [1, 2, 3, 4]
    assert all(view.map_scene.step == 10.0 for view in maps)

    assert len(maps) == 4 and len({(view.width(), view.height()) for view in maps}) == 1
    maps[2].zoom(2.5)
    maps[1].pan(30, -10)
    assert [view.camera().left for view in maps] == pytest.approx([maps[0].camera().left] * 4)

    def settled() -> bool:
        raced.grab()  # what takes longer than a frame is drawn in the background
        return all(view.map_item.settled and there(view.map_item.frame).camera == view.camera() for view in maps)

    qtbot.waitUntil(settled)
    buffers = [id(there(view.map_item.frame).gbuffer) for view in maps]
    assert len(set(buffers[1:])) == 1, "the roads are drawn once, for the first perhaps before"
    drawn = raced.central.picture(1)()
    assert drawn.size() == raced.central.panes.size(), "a picture has all maps"
    grabbed = raced.central.panes.grab().toImage()
    pixel = maps[3].geometry().center() - QPoint(31, 17)
    assert drawn.pixelColor(pixel) == grabbed.pixelColor(pixel) and drawn != maps[0].grab().toImage()
    maps[0].node_hovered.emit(5)
    assert [view.map_scene.markers.hovered for view in maps[1:]] == [5] * 3

    raced.actions_by_name["race.split"].trigger()
    panes = raced.central.panes.panes
    maps[3].zoom(1.7)
    places = [view.camera().left - pane.left / view.camera().scale for view, pane in zip(maps, panes, strict=True)]
    assert places == pytest.approx([places[0]] * 4), "a map that is split goes on from strip to strip"
    raced.actions_by_name["view.fit"].trigger()
    assert maps[0].map_scene.geometry is not None
    bounds = maps[0].map_scene.geometry.bounds
    assert maps[0].camera().left < bounds.left and maps[3].camera().extent.right > bounds.right
    raced.actions_by_name["race.split"].trigger()
    assert all(view.camera().extent.contains(bounds) for view in maps), "a network that was seen whole stays whole"
    maps[0].zoom(4.0)
    camera = maps[1].camera()
    seen, metres = camera.extent, 1 / camera.scale
    raced.actions_by_name["race.split"].trigger()
    strips = [view.camera().extent for view in maps]
    expected = pytest.approx((seen.left, seen.right), abs=2 * metres)  # four strips may be wider by a pixel or two
    assert (strips[0].left, strips[3].right) == expected, "and a part stays that part"


def test_every_lane_keeps_its_title_when_it_becomes_the_active_one(raced: Window) -> None:
    session, maps = raced.session, raced.central.panes
    for count in (5, 6):
        raced.actions_by_name["race.add"].trigger()
        titles = [
            layer(view.map_scene, "caption") and layer(view.map_scene, "caption").caption.lane.title
            for view in maps.all_maps
        ]
        assert titles == [lane.title for lane in session.state(Race).lanes()] and len(titles) == count
    for _ in range(6):
        raced.actions_by_name["race.next"].trigger()
        captions = [layer(view.map_scene, "caption") for view in maps.all_maps]
        assert None not in captions
        assert [caption.caption.chosen for caption in captions if caption] == [
            slot is session.active for slot in session.slots
        ]


@pytest.mark.parametrize("timing", [False, True])
def test_a_race_that_is_stopped_shows_and_plays_what_it_recorded(
    raced: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, timing: bool
) -> None:
    """Stop at the third search to record, and at the third to time; the last one is shown, of which nothing may be."""
    session, run = raced.session, SearchJob.run
    held = threading.Event()

    def run_two(job: SearchJob, report: Report) -> Result:
        if (job.request.runs is None) == timing and job.request.algorithm == FIELD[2]:
            held.set()
            report.cancel.wait(30)
        return run(job, report)

    monkeypatch.setattr(SearchJob, "run", run_two)
    raced.actions_by_name["race.next"].trigger()
    session.activate(session.slots[3])
    raced.controller.run()
    qtbot.waitUntil(held.is_set)
    raced.actions_by_name["search.cancel"].trigger()
    qtbot.waitUntil(lambda: not raced.controller.worker.busy)
    found = session.state(Race).lanes()
    assert "0.00 µs" not in [lane.figure for lane in found]
    assert [lane.figure == "stopped" for lane in found] == ([False] * 4 if timing else [False, False, True, True])
    assert [lane.place for lane in found] == [None] * 4, "not all were timed"
    play = raced.actions_by_name["replay.play"]
    assert play.isEnabled()
    play.trigger()
    assert session.clock.playing
    session.clock.pause()


def test_a_runner_that_will_take_long_is_announced(
    raced: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, run = raced.session, SearchJob.run
    held = threading.Event()

    def run_slowly(job: SearchJob, report: Report) -> Result:
        if job.request.algorithm == FIELD[1]:
            watcher = _Watcher(report, FIELD[1], job.request.live, announces=job.request.trace_budget is not None)
            watcher(Progress("forecast", 0, None, 1000, 200.0))
            held.wait(30)
        return run(job, report)

    monkeypatch.setattr(SearchJob, "run", run_slowly)
    raced.controller.run()
    bar = raced.message_bar
    qtbot.waitUntil(lambda: "will take about" in bar.text and bar.isVisible())
    assert session.state(Race).lanes()[1].figure == "recording, about 3 min"
    held.set()
    qtbot.waitUntil(lambda: not bar.isVisible())
    qtbot.waitUntil(lambda: session.clock.playing)
    session.clock.pause()


def drag(raced: Window, view: MapView, node: int, qtbot: QtBot) -> None:
    """Drag the source on one of the maps, until its tree is shown on all."""
    view.source_moved.emit(node, False)
    scenes = [each.map_scene for each in raced.central.panes.all_maps]
    dragged = raced.session.active
    qtbot.waitUntil(lambda: dragged.dragged is not None and dragged.dragged.source == node)
    assert layer(scenes[0], "dragged") is not None and len({id(layer(scene, "dragged")) for scene in scenes}) == 1
    assert layer(scenes[0], "dragged").camera == raced.central.panes.camera()


def test_all_that_a_person_does_to_a_race(
    raced: Window, engine: Engine, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    view, session = raced.central.panes.all_maps[3], raced.session
    panel, clock = raced.panels.panel(RacePanel), session.clock
    clock.go_to(clock.length)
    shares = {slot: lane.share for slot, lane in zip(session.slots, session.state(Race).lanes(), strict=True)}
    assert [row.place.text() for row in panel.rows] == ["1st", "2nd", "3rd", "4th"], "one ranking"
    assert [shares[row.slot] for row in panel.rows] == pytest.approx([0.25, 0.5, 0.75, 1.0])
    qtbot.waitUntil(lambda: sorted(row.y() for row in panel.rows) == [row.y() for row in panel.rows])

    engine.done.clear()
    for split in (False, True):
        drag(raced, view, 7 + split, qtbot)
        assert [slot.source for slot in session.slots] == [7 + split] * 4
        assert {lane.figure for lane in session.state(Race).lanes()} == {"follows the source"}, (
            "dragging records nothing"
        )
        raced.actions_by_name["race.split"].trigger()
    assert {row.place.text() for row in panel.rows} == {""}
    assert len({name for name, _ in engine.done}) == 1, "one tree for all maps"
    engine.done.clear()
    engine.fails = FIELD[1]
    view.source_moved.emit(7, True)
    qtbot.waitUntil(lambda: len(engine.done) == 6 and session.clock.playing)
    session.clock.pause()
    figures = [lane.figure for lane in session.state(Race).lanes()]
    assert [figure == "failed" for figure in figures] == [False, True, False, False], "the others ran all the same"
    assert [slot.result.source for slot in session.slots if slot.result is not None] == [7] * 3
    view.target_chosen.emit(20)
    routes = [len(each.map_scene.markers.route) for each in raced.central.panes.all_maps]
    assert min(routes[0], *routes[2:]) > 1

    rows = sorted(panel.rows, key=lambda row: session.slots.index(row.slot))
    assert panel.isVisible() and panel.rows[-1] is rows[1], "the one that failed is the last"
    QTest.mouseClick(rows[2].name, Qt.MouseButton.LeftButton)
    assert session.active is session.slots[2]
    assert raced.central.panes.all_maps[2] is raced.map, "the window's own map takes the active search's place"
    strip = rows[0].strip
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=strip.rect().center())
    assert session.clock.fraction == pytest.approx(0.5, abs=0.02)
    draw_the_race(raced, qtbot, tmp_path / "race")
    raced.actions_by_name["race.film"].trigger()
    QTest.mouseClick(rows[1].remove, Qt.MouseButton.LeftButton)
    assert len(session.slots) == 3 == len(raced.central.panes.all_maps)
    assert not raced.findChildren(RaceFilmDialog), "of a race that is not recorded there is no film"
    film_the_race(raced, qtbot, monkeypatch, tmp_path / "race")

    raced.actions_by_name["race.next"].trigger()
    raced.actions_by_name["race.leave"].trigger()
    assert raced.central.panes.all_maps == [raced.map] and len(session.slots) == 1
    assert layer(raced.map.map_scene, "caption") is None and raced.map.map_item.share is None
    assert raced.map.size() == raced.central.panes.size()
    assert session.active.algorithm == FIELD[3]


def draw_the_race(window: Window, qtbot: QtBot, path: Path) -> None:
    """Save pictures of the race, larger than on the screen and as a drawing, in which all maps are."""
    for suffix in (".png", ".svg"):
        window.actions_by_name["file.picture"].trigger()
        dialog = window.findChild(PictureDialog)
        assert isinstance(dialog, PictureDialog)
        dialog.size_choice.setCurrentIndex(dialog.size_choice.findText("Other"))
        dialog.across.setValue(900)
        dialog.upward.setValue(600)
        dialog.write(path.with_suffix(suffix))
        qtbot.waitUntil(lambda: not window.findChildren(PictureDialog))
    picture, drawing = QImage(str(path.with_suffix(".png"))), QImage(900, 600, QImage.Format.Format_RGB32)
    painter = QPainter(drawing)
    QSvgRenderer(str(path.with_suffix(".svg"))).render(painter, QRectF(0, 0, 900, 600))
    painter.end()
    drawn, other = (
        pixels_of(image.convertToFormat(QImage.Format.Format_RGB32))[..., :3] for image in (picture, drawing)
    )
    quarters = [
        drawn[rows, columns]
        for rows in (slice(0, 300), slice(300, 600))
        for columns in (slice(0, 450), slice(450, 900))
    ]
    assert all((quarter > 90).any(axis=2).mean() > 0.005 for quarter in quarters), "a map in each"
    assert np.abs(drawn.astype(int) - other).mean() < 4


def film_the_race(window: Window, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Save a film of the race as a person does, and compare its pictures with those that the race has then."""
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "Animated GIF (*.gif)"))
    window.actions_by_name["file.film"].trigger()
    dialog = window.findChild(RaceFilmDialog)
    assert isinstance(dialog, RaceFilmDialog)
    for box, chosen in (
        (dialog.format, "Animated GIF"),
        (dialog.size_choice, "Small, 640 × 360"),
        (dialog.rate, "15 frames a second"),
        (dialog.part, "Whole network"),
        (dialog.arrangement, "One map in strips"),
    ):
        box.setCurrentIndex(box.findText(chosen))
    dialog.seconds.setValue(1)
    qtbot.waitUntil(lambda: not dialog.preview.pixmap().isNull())
    plain = dialog.preview.pixmap().toImage()
    dialog.captions.click()
    qtbot.waitUntil(lambda: dialog.preview.pixmap().toImage() != plain)
    film = dialog.taking()(dialog.shot())
    dialog.save.click()
    qtbot.waitUntil(lambda: not window.findChildren(RaceFilmDialog))
    with av.open(str(path.with_suffix(".gif"))) as opened:
        frames = [frame.to_ndarray(format="bgra").astype(np.int16) for frame in opened.decode(video=0)]
    assert len(frames) == film.frame_count == 15
    for index in (3, 14):
        assert np.abs(frames[index] - pixels_of(film.draw(index)))[..., :3].mean() < 6
    assert np.abs(frames[3] - frames[14]).mean() > 1, "the race goes on"


def test_the_mouse_may_rest_on_a_map_while_another_is_added(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    panes, pointed = window.central.panes, list[int]()
    make = panes._take_spare

    def make_while_pointing() -> MapView:
        view = make()
        window.map.node_hovered.emit(3)  # the map that is shown has just moved under the mouse
        return view

    monkeypatch.setattr(panes, "_take_spare", make_while_pointing)
    window.map.node_hovered.connect(pointed.append)
    window.session.state(Race).add()
    assert pointed == [3] and len(panes.all_maps) == 2


def test_the_ranking_is_saved_as_a_table_and_a_chart(
    window: Window, engine: Engine, grid: RoadNetwork, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    panel, slot = window.panels.panel(RacePanel), window.session.active
    window.actions_by_name["race.save"].trigger()
    assert "no ranking to save yet" in window.status.message
    slot.open(grid)
    slot.choose_source(grid.node(130))
    window.actions_by_name["race.fill"].trigger()
    qtbot.waitUntil(lambda: window.session.clock.playing)
    window.session.clock.pause()
    path = tmp_path / "race.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    panel.save.click()
    qtbot.waitUntil(path.is_file)
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["algorithm"] for row in rows] == list(FIELD), "each takes longer than the one before"
    assert [float(row["median_ms"]) for row in rows] == [1.0, 2.0, 3.0, 4.0]
    path = tmp_path / "race.svg"
    panel.save.click()
    qtbot.waitUntil(path.is_file)
    assert QSvgRenderer(str(path)).isValid()
