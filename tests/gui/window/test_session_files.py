"""Session files: saved, and opened in another window, as a person would."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

from wayfront.errors import FormatError
from wayfront.formats.native.codec import save_network
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.model.choice import Choice
from wayfront_gui.model.saved_session import SavedSession
from wayfront_gui.model.session_file import SessionFile
from wayfront_gui.scene.geometry import Extent
from wayfront_gui.window.window import Window

LONG = 60_000


def saved_of(network: RoadNetwork, path: Path, choice: Choice | None = None) -> SavedSession:
    return SavedSession.of(str(path), network, choice or Choice(metric=network.metrics[0].name, source=3), None)


def test_a_session_is_saved_and_opened_again(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_network(make_grid(), tmp_path / "grid.wayfront")
    window.controller.open(str(tmp_path / "grid.wayfront"))
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.result is not None, timeout=LONG)
    window.controller.choose_source(7)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 7, timeout=LONG)
    window.map.look_at(Extent(-200.0, -150.0, 200.0, 150.0))
    seen = window.map.seen
    window.appearance.choose_theme("light")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    window.actions_by_name["file.session"].trigger()
    qtbot.waitUntil((tmp_path / "mine.wfsession").is_file, timeout=LONG)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("grid.wayfront", "mine.wfsession"):
        (tmp_path / name).rename(moved / name)
    window.appearance.choose_theme("dark")
    window.map.fit()
    window.controller.choose_source(40)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 40, timeout=LONG)
    window.controller.open(str(moved / "mine.wfsession"))
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 7, timeout=LONG)
    assert window.appearance.theme.name == "light"
    assert seen is not None
    assert window.map.seen == pytest.approx(seen, abs=1)


def test_all_searches_of_a_race_come_back(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    grid = make_grid()
    save_network(grid, tmp_path / "grid.wayfront")
    first = Choice(metric="travel time", source=grid.node(130), algorithm="dijkstra", device="cpu")
    racing = (first, replace(first, algorithm="near-far", options={"near-far": {"delta": 60}}))
    file = SessionFile(tuple(saved_of(grid, tmp_path / "grid.wayfront", choice) for choice in racing), split=True)
    file.write(tmp_path / "race.wfsession")
    assert SessionFile.read(tmp_path / "race.wfsession") == replace(file, theme="", colour_map="")
    window.controller.open(str(tmp_path / "race.wfsession"))
    session = window.session
    qtbot.waitUntil(lambda: all(slot.result is not None for slot in session.slots), timeout=LONG)
    assert [slot.algorithm for slot in session.slots] == ["dijkstra", "near-far"]
    assert session.slots[1].option("delta") == 60
    assert session.race.split
    assert {slot.result.source for slot in session.slots if slot.result is not None} == {grid.node(130)}


def test_what_is_no_session_is_refused_and_leaves_what_is_open(
    window: Window, grid: RoadNetwork, tmp_path: Path
) -> None:
    path = tmp_path / "a.wfsession"
    SessionFile((saved_of(grid, tmp_path / "grid.wayfront"),)).write(path)
    good = json.loads(path.read_text(encoding="utf-8"))
    changes: tuple[dict[str, object], ...] = ({"slots": []}, {"version": 99}, {"slots": [{}]})
    for wrong in (b"", b"[]", b"\xff", b"[" * 100_000, *(json.dumps(good | each).encode() for each in changes)):
        path.write_bytes(wrong)
        with pytest.raises(FormatError):
            SessionFile.read(path)
        window.controller.open(str(path))
        assert "the session cannot be read" in window.message_bar.text
    assert window.session.active.network is None
    path.write_text(json.dumps(good | {"theme": "pink", "colour_map": 7, "split": "yes"}), encoding="utf-8")
    assert not SessionFile.read(path).split
