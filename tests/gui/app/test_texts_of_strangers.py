"""Names from files and servers are shown as they are, wherever the window shows them: no markup, no file opened."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtGui import Qt as QtGuiNames
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QDialog, QLabel, QMenu, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from repository import REPOSITORY
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.sources.places import Candidate
from wayfront_gui.app.about import AboutDialog
from wayfront_gui.app.replay_panel import ReplayPanel
from wayfront_gui.app.window import Window
from wayfront_gui.features.explanation.panel import ExplanationPanel
from wayfront_gui.features.lessons.file import Lesson, Moment, Question, Search
from wayfront_gui.features.lessons.panel import LessonText
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.features.places.dialogs import CatalogueDialog, PlaceDialog
from wayfront_gui.features.routes.panel import RoutePanel
from wayfront_gui.ui import style as plain
from wayfront_gui.ui.cards import message_box
from wayfront_gui.ui.controls import label

IMAGE = "<img src='file:///never/opened.png'>"
ATTACKS = (
    IMAGE,
    "<b>bold</b>",
    "&x &amp; &lt;u>",
    "\x1b[31mred\x07\r\n",
    "\u202egnp.live",
    "[*] <a href='file:///x'>here</a>",
    "<table>" + "x" * 1_000_000,
)
PICTURE = "\ufffc"
"""What stands for a picture in a document's text."""
MOST = 20_000
"""Characters that a widget may be given: Qt lays out this many in an instant."""


def hostile_network(attack: str) -> RoadNetwork:
    arcs = np.array([0, 1], np.int32)
    return RoadNetwork.from_arcs(
        name=attack,
        node_count=2,
        tails=arcs,
        heads=arcs[::-1],
        metrics=[
            Metric(attack[:60], attack[:60], 1, np.ones(2, np.int32)),
            Metric("time", "s", 1, np.ones(2, np.int32)),
        ],
        coordinates=np.array([[0, 0], [1000, 500]], np.int32),
        origin=attack,
        attribution=attack,
        notes=(attack,),
    )


def show_everywhere(window: Window, attack: str) -> None:
    """Let every part of the window show a text."""
    window.settings.remember_file(f"/maps/{attack}")
    recent = window.findChild(QMenu, "recent")
    assert recent is not None
    recent.aboutToShow.emit()
    window.session.active.open(hostile_network(attack))
    panel = window.panels.panel(RoutePanel)
    for rows in (panel.stops, panel.steps):
        rows.list_rows([(0, attack, attack, attack)] * 3)
    panel.headline.setText(attack)
    panel.detail.setText(attack)
    window.reports.show(attack)
    window.reports.show_problem(attack)
    window.status.show_hover(attack)
    window.status.show_progress(attack, -1)
    window.no_map.show_for(attack)
    window.question.ask(attack, lambda _: None)
    window.question._show_problem(attack)
    window.panels.panel(ReplayPanel).figures["step"].show_value(attack, attack)
    window.panels.panel(ExplanationPanel)._show(attack)
    window.session.state(LessonPlay).open(hostile_lesson(attack))
    window.session.state(LessonPlay).reveal()


def hostile_lesson(attack: str) -> Lesson:
    """Return a lesson that says a text wherever it can, as far as lessons are read."""
    line, text = attack[:400], attack[:5_000]
    moment = Moment(1, line, text, Search(), question=Question(text, text, (line,), 0))
    return Lesson(Path("a.toml"), line, line, line, (moment,))


def tooltips(of: QWidget) -> Iterator[str]:
    """Yield the tooltips of a widget, of all in it, of its actions and of the rows of its lists."""
    for widget in (of, *of.findChildren(QWidget)):
        yield widget.toolTip()
        model: QAbstractItemModel | None = None
        if isinstance(widget, QComboBox | QAbstractItemView):
            model = widget.model()
        for row in range(0 if model is None else model.rowCount()):
            assert model is not None
            yield str(model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) or "")
    for action in of.findChildren(QAction):
        yield action.toolTip()


def obeyed(tooltip: str) -> bool:
    """Return whether Qt would take something in a tooltip for markup: a picture, a link, or bold letters."""
    if not QtGuiNames.mightBeRichText(tooltip):
        return False
    document = QTextDocument()
    document.setHtml(tooltip)
    markup = document.toHtml()
    return PICTURE in document.toPlainText() or "<a href" in markup or "font-weight:700" in markup


@pytest.mark.usefixtures("qapp")
def test_the_attacks_work_on_texts_that_nobody_escaped() -> None:
    assert all(obeyed(attack) for attack in ATTACKS[:2])


def test_no_name_is_taken_for_markup_anywhere_in_the_window(window: Window) -> None:
    for attack in ATTACKS:
        show_everywhere(window, attack)
        check_that_nothing_is_obeyed(window, attack)


def check_that_nothing_is_obeyed(window: Window, attack: str) -> None:
    for shown in window.findChildren(QLabel):
        fits, rich = len(shown.text()) < MOST, shown.textFormat() != Qt.TextFormat.PlainText
        assert fits, shown.objectName()
        if rich:
            # An explanation escapes a name that comes from a trace, a lesson all of its text.
            hidden = attack not in shown.text()
            ours = window.panels.panel(ExplanationPanel).isAncestorOf(shown) or isinstance(
                shown.parentWidget(), LessonText
            )
            assert hidden and ours, shown.text()[:80]
    for tooltip in tooltips(window):
        safe = len(tooltip) < MOST and not obeyed(tooltip)
        assert safe, tooltip[:80]
    assert not any(c in window.windowTitle() for c in "\x1b\x07\r\n\u202e")
    window.grab()


def test_every_label_says_whether_its_text_is_markup(window: Window, qtbot: QtBot) -> None:
    """Those of dialogs and boxes too; only explanations, and lessons, which escape what they say, are rich text."""
    dialogs: list[QDialog] = [PlaceDialog(None, lambda _: None, window), CatalogueDialog(lambda _: None, window)]
    dialogs.append(message_box(window, "A question", IMAGE))
    window.actions_by_name["help.about"].trigger()
    boxes = [*window.findChildren(QMessageBox), *window.findChildren(AboutDialog)]
    assert len(boxes) == 2
    unsure = [
        label
        for label in window.findChildren(QLabel)
        if label.textFormat() == Qt.TextFormat.AutoText and label.objectName() != "qt_msgboxex_icon_label"
    ]
    assert [(label.objectName(), label.text()) for label in unsure] == []
    rich = [label for label in window.findChildren(QLabel) if label.textFormat() == Qt.TextFormat.RichText]
    panel = window.panels.panel(ExplanationPanel)
    assert rich and all(panel.isAncestorOf(label) or isinstance(label.parentWidget(), LessonText) for label in rich)
    for dialog in (*dialogs, *boxes):
        dialog.reject()


def test_places_of_the_geocoder_are_plain(window: Window) -> None:
    dialog = PlaceDialog(None, lambda _: None, window)
    for attack in ATTACKS:
        dialog._show_found((Candidate(attack, attack, attack, 7.0, 49.0, (7.0, 49.0, 7.1, 49.1), None),) * 2)
        safe = len(dialog.places.item(0).text()) < MOST and not any(obeyed(tooltip) for tooltip in tooltips(dialog))
        assert safe, attack[:80]
    dialog.reject()


def test_texts_of_menus_and_titles() -> None:
    assert plain.menu_entry("a & b\tc") == "a && b\\tc"
    assert plain.window_title("new[*].gr") == "new[*][*].gr"
    assert plain.shown("one\ntwo\x1b") == "one\ntwo\\x1b"
    assert plain.hint("plain & simple\nx < y") == "plain & simple\nx < y"
    assert plain.one_line("x" * 1000) == "x" * 399 + "…"
    assert len(plain.shown("\n" * 1000).split("\n")) == plain.MOST_LINES + 1
    assert label(IMAGE).text() == IMAGE, "it is shown, not hidden"


def _of_ours(text: ast.expr) -> bool:
    """Whether it is a literal in the reader's language, without fields that a stranger might have written."""
    if not (isinstance(text, ast.Call) and isinstance(text.func, ast.Name) and text.func.id == "translated"):
        return False
    return not text.keywords and isinstance(text.args[0], ast.Constant)


def test_every_tooltip_in_the_sources_is_written_here_or_escaped() -> None:
    """A tooltip is a literal of ours, or what ``hint`` or ``tooltip`` (of our own commands and options) returns."""
    escaping = {"hint", "plain_hint", "tooltip", "_hint"}
    calls = [
        (path.name, node.lineno, node.args[0])
        for path in (REPOSITORY / "gui").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "setToolTip"
    ]
    assert len(calls) > 15
    unsafe = [
        (name, line)
        for name, line, text in calls
        if not isinstance(text, ast.Constant)
        and not _of_ours(text)
        and not (isinstance(text, ast.Call) and isinstance(text.func, ast.Name) and text.func.id in escaping)
    ]
    assert unsafe == []
