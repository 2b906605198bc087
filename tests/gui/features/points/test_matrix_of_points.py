"""The matrix of points in the window: saved as a table while it is found, to the same points or another table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

import wayfront
from there import there
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.window import Window
from wayfront_gui.features.points.panel import PointsPanel
from wayfront_gui.session.points import AskedPoints, Points


@pytest.fixture
def shown(on_grid: Window, grid: RoadNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Window:
    """Return a window with three points, one of them at no road, and another table, of the island too."""
    coordinates = there(grid.coordinates) / 1e6
    lon, lat = coordinates[[0, 8]].T
    places = wayfront.Places.from_arrays([*lon, 170.0], [*lat, 10.0], ids=["a", "b", "far"])
    assert on_grid.session.active.state(Points).take(AskedPoints(places), places.on(grid))
    table = tmp_path / "other.csv"
    table.write_text("id,lon,lat\n" + "".join(f"{node},{x:.6f},{y:.6f}\n" for node, (x, y) in
                                              ((5, coordinates[5]), (7, coordinates[7]))), "utf-8")  # fmt: skip
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_asked: (str(table), ""))
    return on_grid


def save_to(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.unlink(missing_ok=True)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_asked: (str(path), ""))


@pytest.mark.parametrize("name", ["m.csv", "m.parquet", "m.npz"])
def test_points_to_themselves_and_to_another_table(
    shown: Window, grid: RoadNetwork, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    path, panel = tmp_path / name, shown.panels.panel(PointsPanel)
    slot = shown.session.active
    slot.closures.close(wayfront.arcs_between(grid, np.array([0]), np.array([1])))
    slot.choose_metric("travel time")
    for press, columns in ((panel.matrix.click, [0, 8]), (panel.matrix_to.click, [5, 7])):
        expected = wayfront.distance_matrix(
            grid, [0, 8], columns, "travel time", device="cpu", closures=slot.closures.arcs
        )
        save_to(path, monkeypatch)
        press()
        qtbot.waitUntil(lambda: not shown.controller.worker.busy)
        assert shown.status.message == f"Saved {path}: 2 × 2 distances."
        if name == "m.npz":
            with np.load(path) as arrays:
                assert arrays["distance"].tolist() == expected.raw.tolist()
            continue
        frame = pandas.read_csv(path) if name == "m.csv" else pandas.read_parquet(path)
        assert frame["origin"].tolist() == ["a", "a", "b", "b"]
        assert frame.iloc[:, 2].tolist() == expected.values.ravel().tolist()


def test_pairs_without_a_path_are_counted(
    shown: Window, grid: RoadNetwork, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, around = tmp_path / "m.csv", np.flatnonzero(grid.targets == 8)
    shown.session.active.closures.close(around)
    save_to(path, monkeypatch)
    shown.actions_by_name["file.points_matrix"].trigger()
    qtbot.waitUntil(lambda: not shown.controller.worker.busy)
    assert shown.status.message == f"Saved {path}: 2 × 2 distances, without 1 that have no path."
    assert pandas.read_csv(path).iloc[:, 2].isna().tolist() == [False, True, False, False]


def test_what_cannot_be_is_said(
    shown: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    save_to(tmp_path / "m.docx", monkeypatch)
    shown.actions_by_name["file.points_matrix"].trigger()
    qtbot.waitUntil(lambda: not shown.controller.worker.busy)
    assert ".docx" in shown.message_bar.text and not (tmp_path / "m.docx").exists()
    shown.session.active.state(Points).want(text="nobody")
    for command in ("file.points_matrix", "file.points_matrix_to"):
        caplog.clear()
        shown.actions_by_name[command].trigger()
        assert "open a table of points first" in caplog.text
    panel = shown.panels.panel(PointsPanel)
    assert not panel.matrix.isEnabled() and not panel.matrix_to.isEnabled()
