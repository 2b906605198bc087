"""Lessons in the window: every tour is played to its end, and a lesson is made, played and exported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot
from tests.gui.conftest import make_grid

from lessons import EVERY_KIND, QUIZ, TWO_IN_STEP
from map_layers import layer
from wayfront.formats.native.codec import save_network
from wayfront_gui.app.window import Window
from wayfront_gui.features.all_pairs.control import PairsCommands
from wayfront_gui.features.lessons.commands import MomentDialog
from wayfront_gui.features.lessons.conditions import UNKNOWN
from wayfront_gui.features.lessons.control import found_in
from wayfront_gui.features.lessons.file import Moment, OtherSearch, read_lesson
from wayfront_gui.features.lessons.layer import LessonMarks
from wayfront_gui.features.lessons.play import LessonPlay
from wayfront_gui.features.lessons.tours import TOURS


def test_every_tour_is_played_from_end_to_end(window: Window, qtbot: QtBot) -> None:
    play, slot = window.session.state(LessonPlay), window.session.active
    for name in TOURS:
        window.actions_by_name[f"lesson.{name}"].trigger()
        for index in range(play.count):
            qtbot.waitUntil(lambda: play.ready)
            moment = play.moment
            assert (play.index, play.problem, moment is None) == (index, "", False)
            assert moment is not None
            found = [found_in(each) for each in window.session.slots]
            assert [None if each is None else each.algorithm for each in found] == [
                each.algorithm for each in moment.search.each
            ]
            assert slot.tree_shown == (moment.when.finished and slot.pairs is None)
            question = moment.question
            for text in (moment.text, "" if question is None else question.text + question.answer):
                assert UNKNOWN not in play.filled(text), "every figure is known"
            assert moment.predict == play.predicts
            if play.predicts:
                window.map.place_chosen.emit(play.expected[0])
                assert layer(window.map.map_scene, "lesson").picked == (play.expected[0],)
            if play.asks:
                step = slot.player.step
                window.actions_by_name["lesson.next"].trigger()
                assert play.revealed
                assert slot.player.step == step + play.predicts
                assert layer(window.map.map_scene, "lesson").right == play.expected[: int(play.predicts)]
            window.actions_by_name["lesson.next"].trigger()
        assert play.index == play.count - 1


def test_a_lesson_is_made_played_and_handed_out(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    actions, play = window.actions_by_name, window.session.state(LessonPlay)
    actions["lesson.add"].trigger()
    assert "no recorded search to add" in window.message_bar.text
    actions["lesson.handout"].trigger()
    assert "no lesson to save" in window.message_bar.text
    save_network(make_grid(), tmp_path / "grid.wayfront")
    window.controller.open(str(tmp_path / "grid.wayfront"))
    slot = window.session.active
    qtbot.waitUntil(lambda: slot.result is not None)
    window.session.clock.pause()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "mine"), ""))
    for title, step in (("First", 1), ("Second", 2)):
        slot.player.seek(float(step))
        actions["lesson.add"].trigger()
        (dialog,) = window.findChildren(MomentDialog)
        dialog.title.setText(title)
        dialog.text.setPlainText("Of {stepps}")
        assert dialog.lesson.text() == ("Mine" if title == "First" else "")
        dialog.question.setText("How many?")
        dialog.choices.setText("8; 9")
        dialog.accept()
        assert "a star before the right one" in dialog.problem.text()
        dialog.choices.setText("8; *9; 18")
        dialog.accept()
        assert "there is no figure {stepps}" in dialog.problem.text()
        dialog.text.setPlainText("Of {steps}")
        dialog.accept()
        dialog.deleteLater()
        qtbot.waitUntil(lambda: play.ready and not window.findChildren(MomentDialog))
        assert play.problem == ""
    lesson = read_lesson(tmp_path / "mine.toml")
    assert [moment.search.network for moment in lesson.moments] == ["grid.wayfront"] * 2
    assert (lesson.title, [moment.view for moment in lesson.moments]) == ("Mine", [None, None])
    assert [moment.question and moment.question.right for moment in lesson.moments] == [1, 1]
    assert [moment.when.text for moment in lesson.moments] == ["step 2", "step 3"]
    assert window.settings.lessons == str(tmp_path)
    actions["lesson.back"].trigger()
    qtbot.waitUntil(lambda: play.ready)
    assert (play.index, slot.player.step) == (0, 1)
    actions["lesson.reload"].trigger()
    assert play.index == 0
    slot.player.seek(4.0)
    for title, as_shown in (("Other", False), ("Another", True)):
        slot.choose_target(0)
        actions["lesson.edit"].trigger()
        (dialog,) = window.findChildren(MomentDialog)
        assert dialog.text.toPlainText() == "Of {steps}" and dialog.question.text() == "How many?"
        assert dialog.choices.text() == "8; *9; 18"
        dialog.title.setText(title)
        dialog.as_shown.setChecked(as_shown)
        dialog.accept()
        dialog.deleteLater()
        qtbot.waitUntil(lambda: play.ready and not window.findChildren(MomentDialog))
        slot.player.seek(4.0)
    changed = read_lesson(tmp_path / "mine.toml")
    assert [moment.title for moment in changed.moments] == ["Another", "Second"]
    assert [moment.when.text for moment in changed.moments] == ["step 5", "step 3"]
    assert slot.network is not None
    assert [moment.marks.route for moment in changed.moments] == [slot.network.node_name(0), None]
    actions["lesson.close"].trigger()
    actions["lesson.edit"].trigger()
    assert "lesson of your own" in window.message_bar.text
    assert layer(window.map.map_scene, "lesson") == LessonMarks()


def test_two_searches_are_shown_in_step_with_roads_closed(
    window: Window, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, play, session = tmp_path / "two.toml", window.session.state(LessonPlay), window.session
    path.write_text(TWO_IN_STEP, encoding="utf-8")
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: play.ready)
    assert (play.problem, [slot.player.step for slot in session.slots]) == ("", [1, 1])
    assert [slot.result and slot.result.algorithm for slot in session.slots] == ["dijkstra-heap", "bellman-ford-v3"]
    assert all(len(slot.closures.arcs) == 1 for slot in session.slots)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "handout"), ""))
    window.actions_by_name["lesson.handout"].trigger()
    qtbot.waitUntil((tmp_path / "handout.pdf").is_file)
    window.actions_by_name["lesson.add"].trigger()
    (dialog,) = window.findChildren(MomentDialog)
    dialog.accept()
    dialog.deleteLater()
    qtbot.waitUntil(lambda: play.ready and play.count == 4)
    added = read_lesson(path).moments[-1].search
    assert (added.closed, added.beside) == ((("A", "C"),), (OtherSearch("bellman-ford-v3"),))
    play.go_to(1)
    qtbot.waitUntil(lambda: play.ready)
    assert [slot.tree_shown for slot in session.slots] == [True, True]
    play.go_to(2)
    qtbot.waitUntil(lambda: play.ready)
    assert len(session.slots) == 1 and not len(session.active.closures.arcs)


def test_what_cannot_be_shown_is_said_with_its_line(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "quiz.toml"
    path.write_text("[", encoding="utf-8")
    window.controller.open(str(path))
    assert "quiz.toml:1" in window.message_bar.text
    assert window.session.state(LessonPlay).lesson is None
    path.write_text(QUIZ.replace("node C is settled", "node Q is settled"), encoding="utf-8")
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: bool(window.session.state(LessonPlay).problem))
    assert window.session.state(LessonPlay).problem.startswith("quiz.toml:7: ")


def test_routes_race_and_all_pairs_are_shown_with_their_matrix(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    path, play, session = tmp_path / "kinds.toml", window.session.state(LessonPlay), window.session
    path.write_text(EVERY_KIND, encoding="utf-8")
    window.controller.open(str(path))
    qtbot.waitUntil(lambda: play.ready)
    assert (play.problem, len(session.slots)) == ("", 4)
    assert [slot.player.step for slot in session.slots] == [1] * 4
    assert session.slots[2].options()["delta"] == 70
    for slot in session.slots:
        route, network = slot.route(), slot.network
        assert route is not None and network is not None
        assert [network.node_name(int(node)) for node in route.nodes[[0, -1]]] == ["Arad", "Bucharest"]
    drawn = [window.map.map_scene.route_found]
    again = add_moment(window, qtbot, 7)
    assert again.search == replace(read_lesson(path).moments[0].search, metric="length")
    assert again.marks.route is None and again.when.text == "step 2"
    play.go_to(1)
    qtbot.waitUntil(lambda: play.ready)
    assert all(slot.tree_shown for slot in session.slots)
    assert [*drawn, window.map.map_scene.route_found] == [False, True], "a route is not given away before it is found"
    last = max(slot.player.step_count for slot in session.slots)
    session.clock.go_to(last - 2.0)
    assert add_moment(window, qtbot, 8).when.text == f"step {last - 1}", "the longest search counts"
    for index, shown in ((2, False), (3, True), (4, True), (5, True)):
        play.go_to(index)
        qtbot.waitUntil(lambda: play.ready)
        assert (play.problem, len(session.slots), window.host.control(PairsCommands).matrix.isVisibleTo(window)) == (
            "",
            1,
            shown,
        )
        if index == 3:
            assert session.active.player.before and len(play.expected) == 1
            assert window.host.control(PairsCommands).matrix.text == "A → E: no path", (
                "but one for which nobody knows a way yet"
            )
            window.actions_by_name["lesson.next"].trigger()
            assert play.verdict is not None and session.active.player.step == 0
        if index == 4:
            added = add_moment(window, qtbot, 9)
            assert (added.search.algorithm, added.search.source, added.when.text) == ("floyd-warshall", "A", "step 3")
    assert add_moment(window, qtbot, 10).search.sample == 3


def add_moment(window: Window, qtbot: QtBot, count: int) -> Moment:
    """Add what is shown to the lesson that is open, which then has so many moments."""
    window.actions_by_name["lesson.add"].trigger()
    (dialog,) = window.findChildren(MomentDialog)
    dialog.accept()
    dialog.deleteLater()
    play = window.session.state(LessonPlay)
    qtbot.waitUntil(lambda: play.ready and play.count == count)
    assert play.lesson is not None and play.problem == ""
    return play.lesson.moments[-1]
