"""Files that are no networks, dropped on the window: one sentence, what is open stays, and the window never waits."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from repository import TEST_DATA
from wayfront.formats.native.codec import save_network
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.window import Window
from wayfront_gui.map import geometry


@pytest.fixture
def window(window: Window, grid: RoadNetwork) -> Window:
    """A window with a map and a source, but no search."""
    window.session.active.open(grid)
    window.session.active.choose_source(5)
    return window


def hostile(folder: Path) -> list[str]:
    """Return paths that no reader may follow for long."""
    chance = random.Random(3)
    whole = (TEST_DATA / "tiny.wayfront").read_bytes()
    contents = {
        "noise.wftrace": chance.randbytes(5000),
        "cut.wayfront": whole[: len(whole) // 2],
        "empty.gr": b"",
        "noise.osm.pbf": chance.randbytes(5000),
        "zip.wftrace": b"PK\x03\x04" + chance.randbytes(400),
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    found = [*(str(folder / name) for name in contents), str(folder), str(folder / "missing.gr"), "dimacs:NOWHERE"]
    if os.name == "posix":
        os.mkfifo(folder / "pipe.wftrace")
        found += [str(folder / "pipe.wftrace"), "/dev/zero", "/dev/null"]
    return found


def test_what_is_no_network_leaves_all_as_it_was(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    slot = window.session.active
    before = slot.network, slot.source, window.map.map_scene.geometry, window.windowTitle()
    told: list[str] = []
    window.controller.worker.failed.connect(told.append)
    for path in hostile(tmp_path):
        told.clear()
        window.controller.open(path)
        qtbot.waitUntil(lambda: bool(told))
        assert (slot.network, slot.source, window.map.map_scene.geometry, window.windowTitle()) == before
        assert window.message_bar.isVisible() and len(told) == 1 and "\n" not in told[0], path
        assert "unexpected" not in told[0], told
    assert window.panels.panel(AlgorithmPanel).button.isEnabled()


def test_a_network_too_large_for_a_map_leaves_the_map_before_it(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.wayfront"
    assert window.session.active.network is not None
    before = window.session.active.network
    save_network(before, path)
    monkeypatch.setattr(geometry, "MAX_NODES", 10)
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: "a map can show 10" in window.message_bar.text)
    assert window.session.active.network is before
    assert window.map.map_scene.geometry is not None
