"""The subject of docs/development/adding-a-panel.md works as it is shown."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

import wayfront
from documents import DOCS, blocks
from wayfront_gui import features
from wayfront_gui.app.docks import all_docks
from wayfront_gui.app.feature import all_features
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window

PAGE = DOCS / "development" / "adding-a-panel.md"


@pytest.fixture
def window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, qtbot: QtBot) -> Iterator[Window]:
    """A window over the program with the page's folder in it."""
    folder = tmp_path / "reached"
    folder.mkdir()
    panel, feature = blocks(PAGE, "python")
    for name, text in (("__init__.py", ""), ("panel.py", panel), ("feature.py", feature)):
        (folder / name).write_text(text)
    monkeypatch.setattr(features, "__path__", [*features.__path__, str(tmp_path)])
    for cached in (all_features, all_docks):
        cached.cache_clear()
    made = make_window(settings)
    yield made
    made.close()
    for cached in (all_features, all_docks):
        cached.cache_clear()
    for name in [name for name in sys.modules if name.startswith("wayfront_gui.features.reached")]:
        del sys.modules[name]


def test_the_subject_of_the_page_shows_the_result(window: Window, data: Path) -> None:
    panel: Any = next(each for each in window.docks.panels() if type(each).__name__ == "ReachedPanel")
    assert panel.count.text() == "No search yet"
    network = wayfront.open_network(data / "tiny-d.gr", cache=False)
    window.session.active.open(network)
    window.session.active.show(wayfront.search(network, 0, "dijkstra", device="cpu", runs=0))
    assert panel.count.text().endswith("nodes reached")
    window.actions_by_name["search.reached"].trigger()
    assert window.status.message == panel.count.text()
    assert not window.actions_by_name["view.reached"].isChecked(), "it is hidden at first"
