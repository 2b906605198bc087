"""The panel of docs/development/adding-a-panel.md works as it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

import wayfront
from documents import DOCS, blocks
from wayfront_gui.model.session import Session
from wayfront_gui.window import dock_table

PAGE = DOCS / "development" / "adding-a-panel.md"


@pytest.mark.usefixtures("qapp")
def test_the_example_of_a_panel_shows_the_result(qtbot: QtBot, data: Path) -> None:
    space: dict[str, Any] = {**vars(dock_table), "__name__": "reached"}
    (panel,), (row,) = blocks(PAGE, "python"), blocks(PAGE, "text")
    exec(compile(panel, "reached.py", "exec"), space)
    dock = eval(row.strip().rstrip(","), space)
    assert dock.name == "reached"
    session = Session()
    context: Any = dock_table.PanelContext(session, None, {}, None, None)  # type: ignore[arg-type]
    shown: Any = dock.make(context)
    qtbot.addWidget(shown)
    assert shown.count.text() == "No search yet"
    network = wayfront.open_network(data / "tiny-d.gr", cache=False)
    session.active.open(network)
    session.active.show(wayfront.search(network, 0, "dijkstra", device="cpu", runs=0))
    assert shown.count.text().endswith("nodes reached")
