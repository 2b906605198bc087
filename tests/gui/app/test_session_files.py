"""Session files: saved, and opened in another window, as a person would."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

from wayfront.formats.native.codec import save_network
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import FormatError
from wayfront_gui.app.window import Window
from wayfront_gui.map.geometry import Extent
from wayfront_gui.session.choice import Choice
from wayfront_gui.session.saved import SavedSession, SessionFile


def saved_of(network: RoadNetwork, path: Path, choice: Choice | None = None) -> SavedSession:
    return SavedSession.of(str(path), network, choice or Choice(metric=network.metrics[0].name, source=3), None)


def test_a_session_is_saved_and_opened_again(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_network(make_grid(), tmp_path / "grid.wayfront")
    window.controller.open(str(tmp_path / "grid.wayfront"))
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.result is not None)
    window.controller.choose_source(7)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 7)
    window.map.look_at(Extent(-200.0, -150.0, 200.0, 150.0))
    seen = window.map.seen
    window.appearance.choose_theme("light")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    window.actions_by_name["file.session"].trigger()
    qtbot.waitUntil((tmp_path / "mine.wfsession").is_file)
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("grid.wayfront", "mine.wfsession"):
        (tmp_path / name).rename(moved / name)
    window.appearance.choose_theme("dark")
    window.map.fit()
    window.controller.choose_source(40)
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 40)
    window.controller.open(str(moved / "mine.wfsession"))
    qtbot.waitUntil(lambda: slot.result is not None and slot.result.source == 7)
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
    qtbot.waitUntil(lambda: all(slot.result is not None for slot in session.slots))
    assert [slot.algorithm for slot in session.slots] == ["dijkstra", "near-far"]
    assert session.slots[1].option("delta") == 60
    assert session.split
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


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda slot: slot.update(opened_by=7), r"slots\[0\].opened_by in the file is 7, not a text"),
        (lambda slot: slot.update(opened_by="other.wfsession"), "'other.wfsession' is no network"),
        (lambda slot: slot.update(opened_by="x/A.TOML"), "is no network"),
        (lambda slot: slot.update(choice=[]), r"slots\[0\].choice in the file is a list, not a table"),
        (lambda slot: slot.update(view=[0, 0, 1]), "a view is four numbers"),
        (lambda slot: slot.update(view=[0, 0, 1, "1"]), r"slots\[0\].view\[3\] in the file is '1', not a number"),
        (
            lambda slot: slot.update(view=[0, 0, 1, 1e300]),
            "in the file is 1e\\+300, out of bounds",
        ),
        (lambda slot: slot["choice"].update(metric=["length"]), "choice.metric in the file is a list, not a text"),
        (lambda slot: slot["choice"].update(source=10**400), "the file holds a number of 401 digits"),
        (lambda slot: slot["choice"].update(options={"near-far": {"delta": [1]}}), "is a list, not a text"),
        (
            lambda slot: slot["choice"].update(targets=["x" * 9000]),
            "in the file is 'x{40}'…, not a whole",
        ),
        (lambda slot: slot["choice"].update(closures=[[]]), r"closures\[0\] in the file is a list, not a whole number"),
    ],
)
def test_a_wrong_value_is_named_in_one_sentence(
    change: Callable[[dict[str, Any]], object], said: str, grid: RoadNetwork, tmp_path: Path
) -> None:
    path = tmp_path / "a.wfsession"
    SessionFile((saved_of(grid, tmp_path / "grid.wayfront"),)).write(path)
    plain = json.loads(path.read_text(encoding="utf-8"))
    change(plain["slots"][0])
    path.write_text(json.dumps(plain), encoding="utf-8")
    with pytest.raises(FormatError, match=said) as refused:
        SessionFile.read(path)
    assert len(refused.value.problem) < 300


def test_a_slip_in_a_session_is_named_with_its_line(grid: RoadNetwork, tmp_path: Path) -> None:
    path = tmp_path / "a.wfsession"
    SessionFile((saved_of(grid, tmp_path / "grid.wayfront"),)).write(path)
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[2] = lines[2].replace(",", "")
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(FormatError, match="the file is no JSON") as refused:
        SessionFile.read(path)
    assert refused.value.line == 4
