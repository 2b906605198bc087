"""Plug-ins in the window: a file is added by the menu, remembered, loaded again, and blamed in the banner."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from wayfront.network.road_network import RoadNetwork
from wayfront.plugins import loading
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.window import Window
from wayfront_gui.features.explanation.panel import ExplanationPanel
from wayfront_gui.features.finding.control import Finder
from wayfront_gui.features.plugins.control import PluginControl
from wayfront_gui.features.plugins.dialog import PluginsDialog
from wayfront_gui.ui.colour_maps import Colours, anchors

SEARCH = """
from wayfront.safe.options import Option
from wayfront.searching.registry import algorithm


@algorithm(
    name="mine", title="My search", paper="none", family="Mine", summary="SUMMARY", phases=(),
    options=(Option("speed", int, 3, "How fast."),),
)
def search(run):
    yield
"""
COLOURS = """
from wayfront_gui.ui.colour_maps import Colours

EMBER = Colours("ember", "From dark red to pale yellow", ("#400810", "#ff9030", "#fff0c0"))
"""


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for no installed plug-ins."""
    monkeypatch.setattr(loading, "_installed", {group: [] for group in loading.GROUPS})


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(SEARCH + COLOURS, encoding="utf-8")
    return path


def open_dialog(window: Window) -> PluginsDialog:
    window.actions_by_name["file.plugins"].trigger()
    return next(each for each in window.findChildren(PluginsDialog) if each.isVisible())


def declares(dialog: PluginsDialog) -> list[str]:
    items = [dialog.list.topLevelItem(row) for row in range(dialog.list.topLevelItemCount())]
    return [item.text(1) for item in items if item is not None]


def palette(window: Window, typed: str) -> list[str]:
    """Return the commands that the palette lists for what is typed."""
    window.actions_by_name["help.palette"].trigger()
    box = window.host.control(Finder).box
    box.line.setText(f">{typed}")
    shown = [row.what.name for row in box.rows]
    box.close_card()
    return shown


def press(button: QWidget) -> None:
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def listed(window: Window) -> bool:
    return window.panels.panel(AlgorithmPanel).algorithm.findData("mine") >= 0


def test_a_file_is_added_chosen_changed_and_removed(
    window: Window, mine: Path, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(mine), ""))
    window.session.active.open(grid)
    dialog = open_dialog(window)
    assert not dialog.drop.isEnabled()
    press(dialog.add)
    qtbot.waitUntil(lambda: listed(window))
    assert declares(dialog) == ["algorithm mine, colours ember"]
    qtbot.waitUntil(lambda: window.status.message == "Loaded: algorithm mine, colours ember.")
    assert window.settings.plugins == (str(mine),)
    window.actions_by_name["view.colours_ember"].trigger()
    assert window.map.map_scene.style.colour_map == "ember"
    assert "view.colours_ember" in palette(window, "ember")
    window.session.active.choose_algorithm("mine")
    assert window.session.active.options() == {"speed": 3}
    assert "SUMMARY" in window.panels.panel(ExplanationPanel).idea.text()
    assert "mine.toml: there is no such file" in window.panels.panel(ExplanationPanel).idea.text()

    mine.write_text(SEARCH.replace("SUMMARY", "Another summary.") + COLOURS.replace("#400810", "#102030"), "utf-8")
    window.actions_by_name["file.reload_plugins"].trigger()
    assert "Another summary." in window.panels.panel(ExplanationPanel).idea.text()
    assert anchors("ember").tolist()[0] == [16.0, 32.0, 48.0]
    assert window.actions_by_name["view.colours_ember"].isChecked()

    mine.write_text(SEARCH + "oops\n", encoding="utf-8")
    press(dialog.reload)
    qtbot.waitUntil(lambda: not listed(window))
    assert "A plug-in is left out: " in window.message_bar.text
    assert "mine.py:12: NameError: name 'oops' is not defined" in window.message_bar.text
    assert declares(dialog) == ["left out"]
    assert "view.colours_ember" not in window.actions_by_name
    assert not palette(window, "ember")
    assert window.map.map_scene.style.colour_map == "dawn"
    assert "mine.py:12: NameError" in dialog.about.text()
    assert window.session.active.declared is None, "what is chosen is gone, and nothing falls over it"

    press(dialog.drop)
    assert declares(dialog) == []
    assert not list(window.settings.plugins)
    press(dialog.close_button)
    window.actions_by_name["file.reload_plugins"].trigger()
    assert "There is no plug-in of a file to load again" in window.message_bar.text
    qtbot.waitUntil(lambda: not window.controller.worker.busy)


def test_colours_are_in_the_menu_behind_the_programs_own(
    settings: Settings, mine: Path, request: pytest.FixtureRequest
) -> None:
    settings.plugins = (str(mine),)
    settings.colour_map = "ember"
    window: Window = request.getfixturevalue("window")
    action = window.actions_by_name["view.colours_ember"]
    assert action.isChecked()
    menu = next(each for each in action.associatedObjects() if isinstance(each, QMenu))
    texts = [each.text() for each in menu.actions()]
    assert texts.index("Distances in batlow") < texts.index("Distances in ember")
    assert window.map.map_scene.style.colour_map == "ember"
    window.actions_by_name["view.dusk"].trigger()
    assert not action.isChecked()
    action.trigger()
    assert settings.colour_map == "ember"
    assert anchors("ember").tolist()[0] == [64.0, 8.0, 16.0]
    window.host.control(PluginControl).remove(str(mine))
    assert window.map.map_scene.style.colour_map == "dawn"
    assert "Distances in ember" not in [each.text() for each in menu.actions()]
    window.controller.worker.cancel()


def test_a_file_that_is_gone_and_one_that_fails_are_named_and_the_window_opens(
    settings: Settings, mine: Path, request: pytest.FixtureRequest, qtbot: QtBot
) -> None:
    mine.write_text("import there_is_none\n", encoding="utf-8")
    settings.plugins = (str(mine),)
    window: Window = request.getfixturevalue("window")
    qtbot.waitUntil(lambda: "mine.py:1: ModuleNotFoundError" in window.message_bar.text)
    mine.unlink()
    window.host.control(PluginControl).restore()
    assert f"{mine}: there is no such file" in window.message_bar.text
    press(window.message_bar.button)
    assert open_dialog(window).isVisible()
    for dialog in window.findChildren(PluginsDialog):
        dialog.close()


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (("Ember", "", ("#000000", "#ffffff")), "small letters, figures and hyphens, not 'Ember'"),
        (("dawn", "", ("#000000", "#ffffff")), "the program has colours of that name"),
        (("ember", "", ("#000000", "red")), "a colour of ember is written #rrggbb, not 'red'"),
        (("ember", "", ("#000000",)), "ember has 1 colours; between 2 and 256 are needed"),
    ],
)
def test_colours_that_cannot_be_are_refused(values: tuple[str, str, tuple[str, ...]], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        Colours(*values)
