"""Panels of plug-ins: shown, found, remembered and told like the program's own; what fails in one is named there."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QSlider
from pytestqt.qtbot import QtBot

import wayfront
from documents import DOCS, blocks
from wayfront.network.road_network import RoadNetwork
from wayfront.plugins import loading
from wayfront.results.result import Result
from wayfront_gui.app import faults
from wayfront_gui.app.commands import MOST_ENTRIES
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.features.finding.control import Finder
from wayfront_gui.features.plugins.added_panels import Across, PluginPanel
from wayfront_gui.features.plugins.control import PluginControl
from wayfront_gui.features.plugins.marks import PanelMarks
from wayfront_gui.features.plugins.panel import Panel, Shown
from wayfront_gui.map.raster import NEVER
from wayfront_gui.ui import translation

PAGE = next(text for text in blocks(DOCS / "plug-ins.md", "python") if "Panel(" in text)
HEAD = """\
from wayfront_gui.features.plugins.panel import Panel

def make(shown):
    from PySide6.QtWidgets import QLabel
    label = QLabel("here")
BODY
    return label

MINE = Panel("mine", "Mine", make, "What is mine", activities=("explore",))
"""
LINE = 6
"""Where the first line of ``BODY`` stands."""
Add = Callable[..., PluginPanel]


@pytest.fixture(autouse=True)
def no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look for no installed plug-ins."""
    monkeypatch.setattr(loading, "_installed", {group: [] for group in loading.GROUPS})


def text_of(body: str) -> str:
    return HEAD.replace("BODY", "\n".join(f"    {line}" for line in body.splitlines()))


@pytest.fixture
def add(window: Window, tmp_path: Path) -> Add:
    """Write a file and add it, as the dialog does; return the panel, whose name is that of the file."""

    def added(text: str, name: str = "mine") -> PluginPanel:
        path = tmp_path / f"{name}.py"
        path.write_text(text, encoding="utf-8")
        window.host.control(PluginControl).add(str(path))
        made = window.panels.content(f"plugin_{name}")
        assert isinstance(made, PluginPanel)
        return made

    return added


def layer(window: Window, name: str = "mine") -> PanelMarks | None:
    found = window.map.map_scene.layers.get(f"plug-in {name}")
    assert found is None or isinstance(found, PanelMarks)
    return found


def listed(window: Window, command: str) -> list[str]:
    """Return the titles of the menus that list a command."""
    action = window.actions_by_name[command]
    return [each.title() for each in action.associatedObjects() if isinstance(each, QMenu)]


def test_the_panel_of_the_page_is_one_like_all_others(
    window: Window, add: Add, grid: RoadNetwork, result: Result, settings: Settings, tmp_path: Path
) -> None:
    window.session.active.open(grid)
    panel = add(PAGE, "within")
    (count,), (share,) = panel.findChildren(QLabel, "")[1:], panel.findChildren(QSlider)
    assert panel.isVisible() and count.text() == "No search yet", "what somebody adds is open"
    assert layer(window, "within") is None

    window.session.active.show(result)
    budget = int(result.distances.max()) // 2
    within = result.reached & (result.distances <= budget)
    assert count.text() == f"{within.sum():,} nodes within {result.metric.describe(budget)}"
    shown = layer(window, "within")
    assert shown is not None and shown.colours is not None
    assert np.array_equal(shown.colours.first_step != NEVER, within)
    assert shown.colours.colour[result.source] == 0 and shown.colours.colour.max() == 255
    assert shown.colours.legend is not None and shown.colours.legend.title == "m"
    share.setValue(100)
    assert count.text().startswith(f"{result.reached.sum():,} nodes")

    assert listed(window, "view.plugin_within") == ["&Panels"]
    window.actions_by_name["edit.find"].trigger()
    box = window.host.control(Finder).box
    box.line.setText("budget")
    assert [row.text for row in box.rows] == ["Within a budget"]
    box.close_card()

    fold = window.panels.side.folds["plugin_within"]
    QTest.mouseClick(fold.header, Qt.MouseButton.LeftButton)
    assert not panel.isVisible() and not window.actions_by_name["view.plugin_within"].isChecked()
    window.actions_by_name["activity.analyse"].trigger()
    assert panel.isVisible(), "it is open in the other activity still"
    window.actions_by_name["activity.teach"].trigger()
    assert not panel.isVisible()

    window.actions_by_name["help.language_ja"].trigger()
    assert count.text().endswith("ノード") and fold.header.accessibleName() == "予算内"
    assert window.actions_by_name["view.plugin_within"].text() == "予算内"
    window.actions_by_name["help.language_en"].trigger()
    assert count.text().endswith("km") or count.text().endswith(" m")

    window.close()
    again = make_window(settings)
    again.show()
    again.actions_by_name["activity.explore"].trigger()
    assert not again.actions_by_name["view.plugin_within"].isChecked(), "as it was left"
    again.actions_by_name["activity.analyse"].trigger()
    assert again.panels.content("plugin_within").isVisible()
    again.host.control(PluginControl).remove(str(tmp_path / "within.py"))
    assert "view.plugin_within" not in again.actions_by_name
    assert "plugin_within" not in again.panels.side.folds
    assert all(command.does != "plugin_within" for command in again.commands)
    again.close()
    again.deleteLater()


def test_its_file_is_loaded_where_there_is_no_qt(tmp_path: Path) -> None:
    (tmp_path / "within.py").write_text(PAGE, encoding="utf-8")
    code = (
        "import sys; sys.modules['PySide6'] = None\n"
        "from wayfront.plugins.loading import load_plugin\n"
        f"print([each.called for each in load_plugin({str(tmp_path / 'within.py')!r}).declared])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "['panel within']"


@pytest.mark.parametrize(
    ("body", "line", "problem"),
    [
        ("1 // 0", LINE, "ZeroDivisionError"),
        ("raise SystemExit(3)", LINE, "SystemExit: 3"),
        ("def down(n):\n    down(n)\ndown(0)", LINE + 1, "RecursionError"),
        ("label.deleteLater()\nreturn shown", 3, "make of the panel mine returned <wayfront_gui"),
        ("import shiboken6\nshiboken6.delete(label)", None, "RuntimeError: libshiboken: Internal C++ object"),
        ("shown.choose_source(10 ** 9)", LINE, "ValueError: nodes are whole numbers from 0 to 108, not [1000000000]"),
        ("shown.show_on_map(nodes=[0.5])", LINE, "ValueError: nodes are whole numbers from 0 to 108, not [0.5]"),
        ("shown.show_on_map(routes=[[0, 50]])", LINE, "ValueError: a route leads from each node to the next"),
        (
            "shown.show_on_map(values=[1.0])",
            LINE,
            "ValueError: values are one for each of 109 nodes, not of shape (1,)",
        ),
        ("shown.show_on_map(nodes=[0] * 5001)", LINE, "ValueError: a panel shows at most 5,000 marks and 100 routes"),
        ("shown.result = 3", LINE, "AttributeError"),
        ("shown.text('{a}')\nshown.text('{a}', b=1)", LINE + 1, "KeyError"),
    ],
)
def test_what_fails_while_it_is_made_is_said_in_its_place(
    window: Window,
    add: Add,
    grid: RoadNetwork,
    result: Result,
    tmp_path: Path,
    body: str,
    line: int | None,
    problem: str,
) -> None:
    window.session.active.open(grid)
    window.session.active.show(result)
    panel = add(text_of(body))
    where = f"{tmp_path / 'mine.py'}:" + ("" if line is None else f"{line}: ")
    assert panel.problem.text().startswith(f"This panel failed: {where}") and problem in panel.problem.text()
    assert panel.problem.isVisible() and panel.again.isVisible()
    assert problem in window.message_bar.text
    assert window.session.active.result is result and layer(window) is None

    (tmp_path / "mine.py").write_text(text_of(""), encoding="utf-8")
    QTest.mouseClick(panel.again, Qt.MouseButton.LeftButton)
    mended = window.panels.content("plugin_mine")
    assert mended is not panel and mended.isVisible() and [each.text() for each in mended.findChildren(QLabel)][-1]
    assert isinstance(mended, PluginPanel) and not mended.problem.text()


def test_what_fails_while_it_is_told_ends_it_and_nothing_else(
    window: Window, add: Add, grid: RoadNetwork, result: Result, tmp_path: Path
) -> None:
    window.session.active.open(grid)
    other = add(
        text_of("shown.result_changed.connect(lambda: label.setText('told'))").replace("mine", "other"), "other"
    )
    panel = add(
        text_of(
            "shown.show_on_map(nodes=[3])\n"
            "shown.result_changed.connect(lambda: 1 // 0)\n"
            "shown.result_changed.connect(lambda: label.setText('never'))\n"
            "label.late = lambda: shown.show_on_map(nodes=[5])"
        )
    )
    label: Any = panel.findChildren(QLabel)[-1]
    assert layer(window) is not None
    window.session.active.show(result)
    assert f"{tmp_path / 'mine.py'}:{LINE + 1}: ZeroDivisionError" in panel.problem.text()
    assert label.text() == "here" and not label.isVisible()
    assert other.findChildren(QLabel)[-1].text() == "told"
    assert layer(window) is None, "what it had on the map is gone"
    problem = window.message_bar.text
    window.session.active.show(result)
    assert window.message_bar.text == problem
    label.late()
    assert layer(window) is None, "nor does what goes on of it draw there"


def test_a_file_that_fails_keeps_the_panel_open_for_when_it_is_mended(
    window: Window, add: Add, tmp_path: Path, settings: Settings
) -> None:
    add(text_of(""))
    path = tmp_path / "mine.py"
    path.write_text("oops\n", encoding="utf-8")
    window.actions_by_name["file.reload_plugins"].trigger()
    assert f"{path}:1: NameError" in window.message_bar.text
    assert "view.plugin_mine" not in window.actions_by_name
    window.close()
    again = make_window(settings)
    path.write_text(text_of(""), encoding="utf-8")
    again.show()
    again.actions_by_name["file.reload_plugins"].trigger()
    assert again.panels.content("plugin_mine").isVisible()
    again.close()
    again.deleteLater()


def test_dots_and_routes_are_drawn_and_gone_with_the_network(
    window: Window, add: Add, grid: RoadNetwork, qtbot: QtBot
) -> None:
    window.session.active.open(grid)
    with qtbot.waitSignal(window.map.map_item.shown):
        window.map.fit()
    before = window.map.grab().toImage()
    body = (
        "shown.show_on_map(nodes=[3, 3, 40], routes=[[0, 1, 2], [7], []], values=[float('nan')] * 109, title='x' * 99)"
    )
    add(text_of(body))
    shown = layer(window)
    assert shown is not None and [path.tolist() for path in shown.paths] == [[0, 1, 2], [7], []]
    QApplication.processEvents()
    assert window.map.grab().toImage() != before
    window.session.active.open(wayfront.open_network("synthetic:grid?columns=4&rows=3"))
    assert layer(window) is None


def test_it_acts_as_a_click_does(window: Window, add: Add, grid: RoadNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    window.session.active.open(grid)
    chosen: list[int | None] = []
    for name in ("choose_source", "choose_target"):
        monkeypatch.setattr(window.controller, name, chosen.append)
    add(text_of("shown.choose_source(7)\nshown.choose_target(8)\nshown.choose_target(None)\nshown.say('done')"))
    assert chosen == [7, 8, None] and window.status.message == "done"


def test_one_beside_the_map_is_a_tab_and_a_wide_one_is_scrolled(window: Window, add: Add) -> None:
    text = text_of("label.setMinimumWidth(3000)\nlabel.setWordWrap(True)")
    panel = add(text.replace('("explore",)', '("explore",), beside=True'))
    tabs = window.panels.beside
    assert panel.isVisible() and tabs.tabText(tabs.currentIndex()) == "Mine"
    assert listed(window, "view.plugin_mine") == ["&Beside the map"]
    (area,) = panel.findChildren(Across)
    assert area.horizontalScrollBar().isVisible() and panel.width() <= tabs.width() < 1000
    add(text)
    assert tabs.count() == 0 and window.panels.side.folds["plugin_mine"].isVisible()
    assert window.panels.side.width() < 600


def test_panels_beyond_what_a_menu_holds_are_found_by_name(window: Window, add: Add) -> None:
    many = "\n".join(f'M{n} = Panel("more-{n}", "More {n}", make, "More", ("explore",))' for n in range(MOST_ENTRIES))
    add(text_of("") + many)
    menu = window.panels.menus
    assert menu is not None and len(menu.menu("view/panels").actions()) == MOST_ENTRIES
    window.actions_by_name["help.palette"].trigger()
    box = window.host.control(Finder).box
    box.line.setText(">more")
    assert {f"More {n}" for n in range(MOST_ENTRIES)} <= {row.text for row in box.rows}
    box.close_card()


def test_a_second_panel_of_one_name_is_left_out(window: Window, add: Add, tmp_path: Path) -> None:
    first = add(text_of(""))
    other = tmp_path / "other.py"
    other.write_text(text_of(""), encoding="utf-8")
    window.host.control(PluginControl).add(str(other))
    assert f"{other}: there is a panel 'mine' already, of {tmp_path / 'mine.py'}" in window.message_bar.text
    assert window.panels.content("plugin_mine") is first


def test_a_panel_of_a_package_is_found_and_blamed_by_the_file_of_its_function(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    panel = Panel("packed", "Packed", nothing, "Of a package", ("explore",))
    package = loading.Plugin("packed of package 1.0", declared=[panel])
    monkeypatch.setattr(loading, "_installed", {**loading._installed, loading.PANELS: [package]})
    window: Window = request.getfixturevalue("window")
    assert not window.actions_by_name["view.plugin_packed"].isChecked()
    window.actions_by_name["view.plugin_packed"].trigger()
    made = window.panels.content("plugin_packed")
    assert isinstance(made, PluginPanel)
    assert made.problem.text() == f"This panel failed: {__file__}:{nothing.__code__.co_firstlineno + 1}: AssertionError"


def test_an_error_in_what_it_does_later_is_named(add: Add, tmp_path: Path) -> None:
    panel = add(text_of("label.press = lambda: 1 // 0"))
    told: list[str] = []
    label: Any = panel.findChildren(QLabel)[-1]
    with faults.logged(told.append):
        try:
            label.press()
        except ZeroDivisionError:
            sys.excepthook(*sys.exc_info())
    assert told == [
        f"A plug-in failed: {tmp_path / 'mine.py'}:{LINE}: ZeroDivisionError: integer division or modulo by zero"
    ]


def nothing(shown: Shown) -> Any:
    raise AssertionError


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"name": "My panel"}, "small letters, figures and hyphens, not 'My panel'"),
        ({"name": 3}, "small letters, figures and hyphens, not 3"),
        ({"title": ""}, "the title of the panel mine is one line of 1 to 40 characters"),
        ({"title": "a\nb"}, "the title of the panel mine is one line"),
        ({"title": "a & b"}, "the title of the panel mine is one line"),
        ({"title": "x" * 41}, "the title of the panel mine is one line"),
        ({"title": "\u202eabc"}, "the title of the panel mine is one line"),
        ({"about": "   "}, "the about of the panel mine is one line"),
        ({"make": None}, "make of the panel mine is a function"),
        ({"activities": ()}, r"activities of the panel mine is a tuple of some of explore, compare"),
        ({"activities": "explore"}, r"not 'explore'"),
        ({"activities": ("analyze",)}, r"not \('analyze',\)"),
        ({"texts": {"ja": {"{a} b": "{b} a"}}}, "other fields than in English"),
        ({"texts": {"ja": {"Mine": "a\nb"}}}, "lines without & in ja too"),
        ({"texts": {"ja": {"Mine": 3}}}, "other fields than in English"),
    ],
)
def test_what_cannot_be_is_refused_when_it_is_declared(changed: dict[str, Any], problem: str) -> None:
    given = {"name": "mine", "title": "Mine", "make": nothing, "about": "What is mine", "activities": ("explore",)}
    with pytest.raises(ValueError, match=problem):
        Panel(**{**given, **changed})


def test_texts_of_plugins_do_not_replace_those_of_the_program() -> None:
    translation.use_language("ja")
    own = translation.translated("Search")
    translation.add_texts({"ja": {"Search": "X", "Only here": "ここだけ"}})
    assert translation.translated("Search") == own != "X"
    assert translation.translated("Only here") == "ここだけ"
    translation.add_texts({})
    assert translation.translated("Only here") == "Only here"
