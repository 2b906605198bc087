"""No text of a panel or dialog is cut off or covered: in each language, with usual and with large texts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QLabel, QWidget
from tests.gui.app.test_every_control import close_roads, pick_depots, show_search

from cut_off import cut_off
from screenshots import DIALOGS
from wayfront.network.road_network import RoadNetwork
from wayfront_gui.app.about import HelpCommands
from wayfront_gui.app.docks import all_docks
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.ui import translation
from wayfront_gui.ui.style import apply_theme
from wayfront_gui.ui.theme import DARK

LOW = QSize(1280, 500)
NARROWEST, WIDE = 1, 400


@pytest.fixture(params=translation.LANGUAGES)
def spoken(
    request: pytest.FixtureRequest, qapp: QApplication, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Window]:
    monkeypatch.setattr(Worker, "submit", lambda *_1, **_2: 0)
    translation.use_language(request.param)
    window = make_window(settings)
    window.show()
    yield window
    window.close()
    translation.use(None)
    apply_theme(qapp, DARK)


@pytest.mark.parametrize("scale", [100, 200])
def test_no_text_of_a_panel_is_cut_off(spoken: Window, grid: RoadNetwork, scale: int) -> None:
    spoken.resize(LOW)
    spoken.appearance.choose_text_scale(scale)
    show_search(spoken, grid)
    close_roads(spoken)
    pick_depots(spoken)
    found = []
    for wanted in (*({row} for row in all_docks()), {row for row in all_docks() if row.shown}):
        for row in all_docks():
            if spoken.actions_by_name[f"view.{row.name}"].isChecked() != (row in wanted):
                spoken.actions_by_name[f"view.{row.name}"].trigger()
        QApplication.processEvents()
        shown = [dock for dock in spoken.findChildren(QDockWidget) if dock.isVisible()]
        assert shown
        for width in (NARROWEST, WIDE):
            spoken.resizeDocks(shown, [width] * len(shown), Qt.Orientation.Horizontal)
            QApplication.processEvents()
            for dock in shown:
                found += cut_off(dock)
    assert found == []


def test_no_text_of_a_dialog_is_cut_off(spoken: Window, grid: RoadNetwork) -> None:
    spoken.resize(LOW)
    show_search(spoken, grid)
    found = []
    for name in DIALOGS:
        spoken.actions_by_name[name].trigger()
        QApplication.processEvents()
        for shown in (*spoken.findChildren(QDialog), spoken.host.control(HelpCommands).palette, spoken.question):
            found += cut_off(shown) if shown.isVisible() else []
        for dialog in spoken.findChildren(QDialog):
            dialog.close()
        spoken.host.control(HelpCommands).palette.close_card()
        spoken.question.close_card()
    assert found == []


@pytest.mark.usefixtures("qapp")
def test_what_is_cut_off_is_found() -> None:
    holder = QWidget()
    narrow, covering = QLabel("a text that is longer than its label", holder), QLabel(holder)
    narrow.setGeometry(0, 0, 40, 20)
    covering.setGeometry(10, 5, 40, 20)
    holder.show()
    (fault,) = cut_off(holder)
    assert "40 of" in fault
    holder.close()
