"""Points in the whole window: dropped and opened, seen, filtered, used, saved, undone, and put on another network."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

import wayfront
from map_layers import layer
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.dropping import Dropped, Dropping
from wayfront_gui.app.remembering import SessionFiles
from wayfront_gui.app.window import Window
from wayfront_gui.features.access.panel import AccessPanel
from wayfront_gui.features.access.state import AccessChoice, Measure, Opportunity
from wayfront_gui.features.depots.state import DepotChoice
from wayfront_gui.features.points.layer import radii, stamp_points
from wayfront_gui.features.points.panel import PointsPanel
from wayfront_gui.session.points import Points
from wayfront_gui.ui import translation


@pytest.fixture
def shops(tmp_path: Path, grid: RoadNetwork) -> Path:
    """Return a table of four shops at nodes of the grid, one far away, and a row that is no point."""
    coordinates = there(grid.coordinates)[[13, 45, 90, 13]] / 1e6
    rows = [f"{name},{lon:.6f},{lat:.6f},{weight}" for name, (lon, lat), weight in zip(
        ("Baker", "Butcher", "Grocer", "Bank"), coordinates.tolist(), (5, 1, 9, 2), strict=True
    )]  # fmt: skip
    path = tmp_path / "shops.csv"
    path.write_text("\n".join(["name,lon,lat,weight", *rows, "Far,100,-30,7", "Broken,,1,1"]) + "\n")
    return path


def drop(window: Window, *paths: Path) -> None:
    dragged = QMimeData()
    dragged.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    window.host.control(Dropping).drop(dragged)


def points_of(window: Window) -> Points:
    return window.session.active.state(Points)


def put_on_map(window: Window, qtbot: QtBot, path: Path) -> Points:
    drop(window, path)
    points = points_of(window)
    qtbot.waitUntil(lambda: points.snapped is not None and not window.controller.worker.busy)
    return points


def test_a_dropped_table_is_on_the_map_and_in_the_panel(on_grid: Window, qtbot: QtBot, shops: Path) -> None:
    panel = on_grid.panels.panel(PointsPanel)
    assert "Drop a table of points" in panel.about.text() and not panel.save.isVisible()
    points = put_on_map(on_grid, qtbot, shops)
    assert there(points.snapped).nodes.tolist() == [13, 45, 90, 13, -1]
    assert panel.isVisible() and panel.about.text() == "5 points of shops"
    said = panel.left_out.text().split("\n")
    assert said[0] == "1 row is no point" and said[1] == "line 7: there is no lon"
    assert said[2] == "1 point is farther than 500 m from every road" and said[3].startswith("Far: ")
    marks = layer(on_grid.map.map_scene, "points")
    assert len(marks.x) == 5 and marks.far.sum() == 1
    assert marks.radius[~marks.far].tolist() == sorted(marks.radius[~marks.far].tolist(), reverse=True)
    before = on_grid.map.grab().toImage()
    on_grid.panels.panel(PointsPanel).remove.click()
    assert layer(on_grid.map.map_scene, "points") is None and on_grid.map.grab().toImage() != before
    assert points.about(13) == ""


def test_why_rows_are_no_points_is_said_in_the_windows_language(on_grid: Window, qtbot: QtBot, shops: Path) -> None:
    translation.use_language("ja")
    put_on_map(on_grid, qtbot, shops)
    assert on_grid.panels.panel(PointsPanel).left_out.text().split("\n")[1] == "line 7: lon がありません"


def test_points_are_filtered_by_text_weight_and_limit(on_grid: Window, qtbot: QtBot, shops: Path) -> None:
    panel, points = on_grid.panels.panel(PointsPanel), put_on_map(on_grid, qtbot, shops)
    assert points.about(13) == "Baker (5), Bank (2)" and points.about(14) == ""
    panel.text.setText("BA")
    panel.text.textEdited.emit("BA")
    qtbot.waitUntil(lambda: points.asked.text == "BA")
    assert points.meant.tolist() == [True, False, False, True, False]
    assert panel.about.text() == "5 points of shops · 2 pass the filter"
    panel.least.setValue(3)
    assert there(points.used).places.names.tolist() == ["Baker"] and points.about(13) == "Baker (5)"
    assert len(layer(on_grid.map.map_scene, "points").x) == 1
    points.want(text="", least=0)
    panel.limit.setValue(100_000)
    assert len(there(points.snapped).far) == 1, "it is on another continent"
    points.want(text="nobody")
    assert layer(on_grid.map.map_scene, "points") is None and not any(button.isEnabled() for button in panel.uses)
    on_grid.actions_by_name["search.points_targets"].trigger()
    assert on_grid.session.active.targets.nodes == ()


def test_points_are_sources_opportunities_targets_and_candidates(on_grid: Window, qtbot: QtBot, shops: Path) -> None:
    slot, panel = on_grid.session.active, on_grid.panels.panel(PointsPanel)
    put_on_map(on_grid, qtbot, shops)
    use = {button.text(): button for button in panel.uses}
    use["Opportunities"].click()
    access = slot.state(AccessChoice)
    assert access.nodes == (13, 45, 90, 13) and (access.measure, access.towards) == (Measure.WITHIN, True)
    assert there(access.asked).weights == (5, 1, 9, 2)
    use["Sources"].click()
    qtbot.waitUntil(lambda: access.found is not None and access.found.asked == access.asked)
    expected = wayfront.search(there(slot.network), [13, 45, 90], device="cpu")
    np.testing.assert_array_equal(there(access.found).values, expected.costs)
    use["Targets"].click()
    assert slot.targets.nodes == (90, 13, 45), "the heaviest first"
    use["Depots"].click()
    depots = slot.state(DepotChoice)
    assert depots.candidates == (90, 13, 45) and depots.picking
    qtbot.waitUntil(lambda: depots.found is not None and not on_grid.controller.worker.busy)


def test_opportunities_are_where_they_are_on_their_roads_and_count_by_their_weights(
    window: Window, qtbot: QtBot, grid_file: Path, tmp_path: Path
) -> None:
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: window.session.active.network is not None and not window.controller.worker.busy)
    window.controller.choose_source(3)
    network, table = there(window.session.active.network), tmp_path / "schools.csv"
    (lon, lat), (east, north) = there(network.coordinates)[[13, 14]] / 1e6
    middle = f"{0.7 * lon + 0.3 * east:.7f},{0.7 * lat + 0.3 * north:.7f}"
    table.write_text(f"lon,lat,weight\n{middle},250\n{middle},250\n{lon:.6f},{lat:.6f},0.5\n")
    points = put_on_map(window, qtbot, table)
    access = window.session.active.state(AccessChoice)

    def expect(within: float) -> list[float]:
        qtbot.waitUntil(lambda: access.found is not None and access.found.asked == access.asked)
        found = wayfront.access(network, there(points.used), within=within, device="cpu")
        values: list[float] = found[f"within_{within:g}"].tolist()
        return values

    use = {button.text(): button for button in window.panels.panel(PointsPanel).uses}
    use["Opportunities"].click()
    access.want(reach=200)
    assert expect(200) == there(access.found).values.tolist()
    assert access.nodes == (13, 13, 13) and max(there(access.found).values) == 500.5
    assert access.about(13) == "weight of the points within 200 m: 500.5"
    assert window.panels.panel(AccessPanel).about.text() == "3 points · weight 500.5"
    access.want(Measure.EXPONENTIAL)
    expect(200)
    assert access.about(13).startswith("weight of the points, less the farther they are (200 m): ")
    access.want(Measure.WITHIN)

    before, files = access.points, window.host.control(SessionFiles)
    assert [point.weight for point in before] == [250, 250, 0.5] and before[0].fraction == pytest.approx(0.3, abs=0.01)
    there(files.now()).write(tmp_path / "town.wfsession")
    access.put(())
    files.open(str(tmp_path / "town.wfsession"))
    qtbot.waitUntil(lambda: window.session.active.state(AccessChoice).points == before)
    access = window.session.active.state(AccessChoice)
    network = there(window.session.active.network)
    qtbot.waitUntil(lambda: points.snapped is not None and points.snapped.network is network)
    assert expect(200) == there(access.found).values.tolist(), "a session has them where they were"

    access.move(0, 45, final=True)
    assert access.points[0] == Opportunity(45, 250), "what is dragged to a node keeps its weight"
    qtbot.waitUntil(lambda: access.found is not None and access.found.asked == access.asked)
    left = wayfront.access(network, there(points.used).chosen(slice(1, None)), within=200, device="cpu")["within_200"]
    moved = wayfront.access(network, [45], weights=[250], within=200, device="cpu")["within_200"]
    assert there(access.found).values.tolist() == (left + moved).tolist()
    access.toggle(13)
    assert access.nodes == (45,), "a click takes away all that are there"
    qtbot.waitUntil(lambda: not window.controller.worker.busy)


def test_undo_goes_back_to_other_points(on_grid: Window, qtbot: QtBot, shops: Path) -> None:
    undo, redo = (on_grid.actions_by_name[name] for name in ("edit.undo", "edit.redo"))
    points = put_on_map(on_grid, qtbot, shops)
    points.want(least=5)
    on_grid.actions_by_name["search.remove_points"].trigger()
    assert points.places is None
    undo.trigger()
    qtbot.waitUntil(lambda: points.snapped is not None)
    assert points.meant.tolist() == [True, False, True, False, True]
    undo.trigger()
    assert points.meant.all()
    undo.trigger()
    assert points.places is None
    redo.trigger()
    redo.trigger()
    qtbot.waitUntil(lambda: points.snapped is not None and not on_grid.controller.worker.busy)
    assert points.asked.least == 5


def test_another_network_has_the_points_on_its_own_roads(on_grid: Window, qtbot: QtBot, shops: Path) -> None:
    points = put_on_map(on_grid, qtbot, shops)
    other = wayfront.open_network("synthetic:grid?columns=3&rows=2")
    on_grid.session.active.open(other)
    qtbot.waitUntil(lambda: points.snapped is not None and not on_grid.controller.worker.busy)
    assert there(points.snapped).network is other and len(points.asked.path) > 0
    on_grid.session.active.open(wayfront.from_pandas({"source": [1], "target": [2]}, weight=None))
    assert points.snapped is None and layer(on_grid.map.map_scene, "points") is None


def test_a_session_file_keeps_table_and_filter(
    window: Window, qtbot: QtBot, grid_file: Path, shops: Path, tmp_path: Path
) -> None:
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: window.session.active.network is not None and not window.controller.worker.busy)
    window.controller.choose_source(3)
    points = put_on_map(window, qtbot, shops)
    points.want(text="b", limit_m=800)
    files = window.host.control(SessionFiles)
    there(files.now()).write(tmp_path / "town.wfsession")
    points.remove()
    files.open(str(tmp_path / "town.wfsession"))
    qtbot.waitUntil(lambda: points_of(window).snapped is not None and not window.controller.worker.busy)
    asked = points_of(window).asked
    assert (asked.path, asked.text, asked.limit_m) == (str(shops), "b", 800.0)
    for strange in ({"path": 3}, {"path": ""}, {}):
        points_of(window).take_kept(strange)
        assert points_of(window).wanted is None
    points_of(window).take_kept({"path": str(tmp_path / "gone.csv"), "limit_m": "x", "text": 5, "least": -3})
    qtbot.waitUntil(lambda: not window.controller.worker.busy)
    assert points_of(window).asked is asked, "what cannot be read takes nothing away"


def test_points_are_saved_where_they_are_seen(
    on_grid: Window, qtbot: QtBot, shops: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = tmp_path / "saved.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(saved), ""))
    on_grid.actions_by_name["file.save_points"].trigger()
    put_on_map(on_grid, qtbot, shops).want(least=5)
    on_grid.panels.panel(PointsPanel).save.click()
    qtbot.waitUntil(saved.exists)
    again = wayfront.Places.read(saved)
    assert again.names.tolist() == ["Baker", "Grocer", "Far"]


def test_tables_are_told_from_networks(tmp_path: Path, shops: Path, grid_file: Path) -> None:
    def file(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    places = wayfront.Places.read(shops, leave_out=True)
    for suffix in ("gpkg", "geojson", "parquet"):
        places.save(tmp_path / f"saved.{suffix}")
        assert Dropped.of([str(tmp_path / f"saved.{suffix}")]).points
    arcs = file("arcs.csv", "from,to,length,lon,lat\n1,2,3,4,5\n")
    closed = file("closed.csv", "from,to\n1,2\n")
    lines = file("roads.geojson", '{"type": "FeatureCollection", "features": [{"geometry": {"type": "LineString"}}]}')
    dropped = Dropped.of([str(shops), arcs, closed])
    assert (dropped.points, dropped.network, dropped.closures) == (str(shops), arcs, closed)
    assert Dropped.of([lines]).network == lines and Dropped.of([str(grid_file)]).network == str(grid_file)
    assert Dropped.of([file("empty.csv", "")]).closures


def test_a_table_without_a_map_is_refused_in_a_sentence(
    window: Window, shops: Path, caplog: pytest.LogCaptureFixture
) -> None:
    drop(window, shops)
    assert points_of(window).places is None
    assert "open a network with coordinates first" in caplog.text


def test_discs_are_laid_over_each_other_as_qt_does() -> None:
    """In the middle of a disc and beside it, against a painter; areas grow with weights."""
    pixels = np.zeros((40, 40), np.uint32)
    at, radius, far = (np.array([value], kind) for value, kind in ((20, "f4"), (8, "f4"), (False, "?")))
    for array in (at, radius, far):
        array.flags.writeable = False
    shown = np.array([(255, 255, 255), (7, 10, 15), (255, 0, 0)], np.float32)
    down = -at
    down.flags.writeable = False
    stamp_points(pixels, at, down, radius, far, (1.0, 0.0, 0.0), np.float32(1), np.float32(1), shown)
    image = QImage(pixels.data, 40, 40, 160, QImage.Format.Format_ARGB32_Premultiplied)
    ground = QImage(40, 40, QImage.Format.Format_RGB32)
    ground.fill(0xFF000000)
    painter = QPainter(ground)
    painter.drawImage(0, 0, image)
    painter.end()
    middle, outside = ground.pixelColor(20, 20).red(), ground.pixelColor(35, 20).red()
    assert 140 < middle < 180 and outside == 0, "a wide disc lets streets through"
    assert ground.pixelColor(27, 20).red() > 230, "and has a clear edge"
    widths = radii(np.array([1.0, 4.0, 100.0]))
    assert widths[2] > widths[1] > widths[0] and radii(np.ones(3)).tolist() == [4.5] * 3
