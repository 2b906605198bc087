"""Explanations: every algorithm has a true one, it lights up with the replay, and the terminal tells it too."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontInfo, QFontMetricsF, QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import wayfront
from repository import REPOSITORY
from wayfront.algorithms.near_far import MODES as RESIDENT_MODES
from wayfront.devices import describe_device
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.options import AUTO
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.trace.recorder import Recorder
from wayfront.trace.schema import StepNote, Trace
from wayfront_gui.app.settings import Settings
from wayfront_gui.app.start import make_window
from wayfront_gui.app.window import Window
from wayfront_gui.cli.command_line import main
from wayfront_gui.features.explanation.panel import LINE_HEIGHT, NOTHING_CHOSEN, PADDING, ExplanationPanel, PseudoCode
from wayfront_gui.features.explanation.texts import ExplanationError, explain, explained, read_explanation
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Live
from wayfront_gui.ui.theme import DARK, LIGHT, PAPER

NAMES = [a.name for a in algorithms()]
PERFORMANCE = REPOSITORY / "docs" / "performance.md"
WIDEST_LINE = 40
"""Characters of pseudo-code that the panel has room for."""
PHASES = ("light arcs", "light arcs", "light arcs", "heavy arcs")

# ------------------------------------------------------------------------------------------------- what is told


def test_every_algorithm_has_an_explanation_and_every_explanation_an_algorithm() -> None:
    assert sorted(NAMES) == list(explained())


@pytest.mark.parametrize("name", NAMES)
def test_every_phase_lights_lines_and_every_line_belongs_to_a_phase(name: str) -> None:
    code, declared = explain(name).code, set(find_algorithm(name).phases)
    assert {phase for line in code for phase in line.phases} == declared


@pytest.mark.parametrize("name", [n for n in NAMES if find_algorithm(n).runs_on(describe_device("cpu"))])
def test_every_step_of_a_search_lights_lines(name: str, grid: RoadNetwork) -> None:
    variants: list[dict[str, Any]] = [{}]
    if name == "adaptive":  # both modes, and the way back
        variants = [{"judge": "frontier size", "list_up_to": 4}]
    for options in variants:
        kind = find_algorithm(name).kind
        if kind is SearchKind.ALL_PAIRS:
            trace = wayfront.all_pairs(grid, name, "cpu", options=options, runs=0, trace=True).trace
        else:
            target = 1 if kind is SearchKind.ROUTE else None
            trace = wayfront.search(grid, 0, name, "cpu", target=target, options=options, runs=0, trace=True).trace
        assert trace is not None
        notes = {(trace.step(i).note.phase, trace.step(i).note.mode) for i in range(len(trace))}
        assert {phase for phase, _ in notes} == set(find_algorithm(name).phases)
        assert all(explain(name).line_at_work(*note) in explain(name).lines_of(*note) for note in notes)


def test_lines_of_a_mode_are_lit_in_that_mode_alone() -> None:
    told = explain("near-far-resident")
    grid, block = (set(told.lines_of("relax near", mode)) for mode in RESIDENT_MODES)
    assert grid & block and grid - block and block - grid
    assert told.lines_of("settle bucket", "grid") == ()


@pytest.mark.parametrize("name", NAMES)
def test_texts_are_whole_and_fit_the_panel(name: str) -> None:
    told = explain(name)
    assert 6 <= len(told.code) <= 16
    assert max(len(line.text) for line in told.code) <= WIDEST_LINE
    assert 150 < len(told.idea) < 420
    assert 2 <= len(told.look) <= 3
    assert told.sources and all((told.cost.order, told.cost.roads, told.cost.gpu))
    for text in (told.idea, *told.look, told.cost.roads, told.cost.gpu, *told.sources):
        assert text.endswith((".", "!")) or text.endswith(")."), text


@pytest.mark.parametrize("name", NAMES)
def test_our_figures_are_those_of_the_performance_page(name: str) -> None:
    table = [line for line in PERFORMANCE.read_text("utf-8").splitlines() if line.startswith("| ")]
    for figures in explain(name).figures:
        for row in figures.rows if figures.ours else ():
            assert any(all(_contains(figure, line) for figure in row[1:]) for line in table), row


def _contains(figure: str, line: str) -> bool:
    return any(figure == word.strip("()") for word in line.split())


def test_parallel_reduction_is_set_beside_the_heap_that_beats_it() -> None:
    figures = explain("cuda-dijkstra").figures[0]
    times = {row[0]: float(row[1]) for row in figures.rows}
    assert min(times, key=times.__getitem__) == "CPU, heap"
    faster = {row[0]: row[2] for row in figures.rows}
    for name in ("GPU, blocks of 512", "GPU, Thrust library", "GPU, blocks of 128", "CPU, loop"):
        assert faster[name] == f"{times['CPU, loop, -O2'] / times[name]:.2f} ×"
    assert "0.13 against 4075.55" in figures.note


WHOLE = """
idea = "An idea."
look = ["Here."]
sources = ["A paper."]
[cost]
order = "O(1)"
roads = "Little."
gpu = "Less."
[[code]]
phases = ["go"]
lines = '''
go
  on
'''
"""


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("idea = ", "ida = "), "some.toml:1: idea is missing"),
        (('look = ["Here."]', 'look = "Here."'), "some.toml:3: look is a list, not 'Here.'"),
        (('look = ["Here."]', "look = [1]"), "some.toml:3: look is a list of texts"),
        (('gpu = "Less."', 'gpu = "Less."\ngpus = 2'), "some.toml:9: there is no key 'gpus' here"),
        (('phases = ["go"]', 'phase = ["go"]'), "some.toml:10: there is no key 'phase' here"),
        (('phases = ["go"]', 'modes = ["grid"]'), "some.toml:10: modes without phases light nothing"),
        (
            ('phases = ["go"]', 'phases = ["go"]\nwork = 3'),
            "some.toml:11: work is the number of a line that a phase",
        ),
        (('phases = ["go"]', "work = 1"), "some.toml:10: work is the number of a line that a phase runs"),
        (('phases = ["go"]', 'phases = ["go"]\nwork = -1'), "some.toml:11: work is a number from 0 on, not -1"),
        (("[cost]", "[cost"), "some.toml:5: the file is no TOML: Expected ']'"),
        (
            ("[cost]", 'figures = [{title = "T", hardware = "H", columns = ["a"], rows = [["1", "2"]]}]\n[cost]'),
            "some.toml:5: every row has as many fields as there are columns",
        ),
    ],
)
def test_a_slip_of_the_pen_is_told_with_its_place(change: tuple[str, str], problem: str, tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text(WHOLE, "utf-8")
    told = read_explanation(path)
    assert [line.text for line in told.code] == ["go", "  on"] and told.algorithm == "some"
    path.write_text(WHOLE.replace(*change), "utf-8")
    with pytest.raises(ExplanationError) as refused:
        read_explanation(path)
    assert problem in str(refused.value)


def test_texts_of_a_plugins_author_may_be_as_long_as_they_like(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_text(WHOLE.replace("An idea.", "An  idea. " * 60).replace("Less.", "Less, " * 100), "utf-8")
    told = read_explanation(path)
    assert (told.idea, told.cost.gpu) == (("An idea. " * 60).strip(), ("Less, " * 100).strip())


def test_what_is_not_explained_names_what_is() -> None:
    with pytest.raises(ExplanationError, match=r"no explanation of 'bogus'; there are: .*delta-stepping"):
        explain("bogus")


# ------------------------------------------------------------------------------------------------- on the panel


@pytest.fixture
def bucket_search(result: Result) -> Result:
    """A search by Δ-stepping: three light steps and a heavy one, again and again."""
    return replace(result, algorithm="delta-stepping", trace=bucket_trace(result.network, 11))


def bucket_trace(network: RoadNetwork, steps: int) -> Trace:
    recorder = Recorder(network.out_degrees())
    for index in range(steps):
        recorder.add(np.array([index], np.int32), 1, 1000, StepNote(phase=PHASES[index % len(PHASES)]))
    reached = np.zeros(network.node_count, np.int32)
    return recorder.finish(reached, reached.copy())


class Stage:
    """A panel with the session and the player it follows."""

    def __init__(self, qtbot: QtBot) -> None:
        self.session = Session()
        self.slot, self.player = self.session.active, self.session.active.player
        self.panel = ExplanationPanel(self.session)
        qtbot.addWidget(self.panel)

    def show(self, result: Result) -> None:
        self.player.load(None, None)
        self.slot.show(result)
        self.player.load(result.trace, result.distances)

    @property
    def lit(self) -> int | None:
        return self.panel.code.lit


@pytest.fixture
def stage(qtbot: QtBot) -> Stage:
    return Stage(qtbot)


LIGHT_LINES = explain("delta-stepping").lines_of("light arcs", "all nodes")
LIGHT_LINE = explain("delta-stepping").line_at_work("light arcs", "all nodes")
HEAVY_LINE = explain("delta-stepping").line_at_work("heavy arcs", "all nodes")


def test_the_line_at_work_follows_the_player(stage: Stage, bucket_search: Result) -> None:
    stage.show(bucket_search)
    assert stage.lit == LIGHT_LINE
    stage.player.seek(3.0)
    assert stage.lit == HEAVY_LINE != LIGHT_LINE
    stage.player.seek(3.99)
    assert stage.lit == HEAVY_LINE
    stage.player.step_by(1)
    assert stage.lit == LIGHT_LINE
    stage.slot.show_tree(True)
    assert stage.lit is None, "the finished tree is no step"
    stage.slot.show_tree(False)
    assert stage.lit == LIGHT_LINE


def test_a_frame_of_the_same_phase_changes_nothing(
    stage: Stage, bucket_search: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.show(bucket_search)
    calls: list[None] = []
    monkeypatch.setattr(stage.panel.code, "update", lambda: calls.append(None))
    for position in np.linspace(0, 2.9, 60):
        stage.player.seek(float(position))
    assert not calls
    stage.player.seek(3.0)
    assert calls and stage.lit == HEAVY_LINE


def test_in_a_slow_replay_the_light_goes_down_the_lines_of_a_step(stage: Stage, bucket_search: Result) -> None:
    stage.show(bucket_search)
    clock = stage.session.clock
    clock.set_speed(1 / 8)
    clock.play()
    assert stage.player.step_s == pytest.approx(clock.duration_s / 10)
    seen = []
    for position in np.linspace(0.0, 0.999, 50):
        clock.now = float(position)
        stage.player.follow_clock()
        seen.append(stage.lit)
    assert list(dict.fromkeys(seen)) == list(LIGHT_LINES) and stage.panel.code.run == LIGHT_LINES
    clock.set_speed(64)
    clock.now = 0.5
    stage.player.follow_clock()
    assert stage.lit == LIGHT_LINE, "a fast one stays where most of the work is done"
    clock.pause()
    assert stage.player.step_s < 0.1
    stage.player.seek(float(stage.player.last))
    assert stage.player.step_s == 0.0


def test_the_last_deed_decides_what_is_explained(stage: Stage, bucket_search: Result) -> None:
    panel, slot, player, clock = stage.panel, stage.slot, stage.player, stage.session.clock
    assert panel.idea.text().count(NOTHING_CHOSEN) == 1
    slot.choose_algorithm("near-far")
    assert panel.algorithm == "near-far"
    assert panel.way_back.isHidden()
    stage.show(bucket_search)
    assert panel.algorithm == "delta-stepping"
    clock.play()
    slot.choose_algorithm("relax-update")
    assert (panel.algorithm, stage.lit) == ("relax-update", None), "a choice shows at once"
    assert "Δ-stepping" in panel.way_back.text() and not panel.way_back.isHidden()
    clock.advance()
    assert panel.algorithm == "relax-update", "who reads is left in peace while the replay goes on"
    player.step_by(1)
    assert (panel.algorithm, stage.lit) == ("delta-stepping", LIGHT_LINE)
    assert panel.way_back.isHidden()
    slot.choose_algorithm("dijkstra")
    panel.way_back.linkActivated.emit("map")
    assert panel.algorithm == "delta-stepping"
    slot.choose_algorithm("near-far")
    slot.choose_algorithm(AUTO)
    assert panel.algorithm == "delta-stepping"


def test_an_option_changes_no_explanation(stage: Stage, bucket_search: Result) -> None:
    stage.slot.choose_algorithm("near-far")
    stage.show(bucket_search)
    stage.slot.set_option("delta", 7)
    assert stage.panel.algorithm == "delta-stepping"


def test_lines_are_lit_while_a_search_still_runs(stage: Stage, bucket_search: Result, result: Result) -> None:
    stage.show(result)
    stage.slot.choose_algorithm("delta-stepping")
    stage.panel.show_searching(True)
    assert stage.panel.algorithm == "delta-stepping"
    stage.player.seek(1.0)
    assert stage.panel.algorithm == "dijkstra", "the search before it is still on the map"
    stage.player.load(None, None)
    for steps, line in ((3, LIGHT_LINE), (4, HEAVY_LINE), (9, LIGHT_LINE)):
        live = Live(bucket_trace(result.network, steps), result.metric)
        stage.slot.show_live(live)
        stage.player.follow(live.trace)
        assert stage.lit == line
    stage.slot.choose_algorithm("near-far")
    assert (stage.panel.algorithm, stage.lit) == ("near-far", None)
    stage.panel.show_searching(False)
    stage.show(bucket_search)
    assert (stage.panel.algorithm, stage.lit) == ("delta-stepping", LIGHT_LINE)


def test_a_recorded_search_of_another_version_is_no_error(stage: Stage, result: Result) -> None:
    stage.show(replace(result, algorithm="of-tomorrow"))
    assert "of-tomorrow" in stage.panel.idea.text()
    assert stage.panel.code.isHidden() and stage.lit is None


@pytest.mark.parametrize("name", NAMES)
def test_every_explanation_is_shown_whole(name: str, stage: Stage) -> None:
    stage.slot.choose_algorithm(name)
    panel, told = stage.panel, explain(name)
    assert panel.code.accessibleName().splitlines()[-1].strip() == told.code[-1].text.strip()
    shown = panel.rest.text()
    for figures in told.figures:
        for row in figures.rows:
            assert all(f">{cell}</td>" in shown for cell in row)
    panel.resize(348, 600)
    panel.show()
    assert panel.horizontalScrollBar().maximum() == 0, "nothing is wider than the panel"


def test_the_theme_colours_texts_and_lines(stage: Stage, bucket_search: Result, qtbot: QtBot) -> None:
    stage.show(bucket_search)
    code = stage.panel.code
    code.resize(code.sizeHint())
    assert LIGHT_LINE is not None
    row = PADDING + LIGHT_LINE * LINE_HEIGHT + LINE_HEIGHT // 2
    for theme in (LIGHT, DARK):
        stage.panel.set_theme(theme)
        assert stage.lit == LIGHT_LINE
        assert theme.interface.muted in stage.panel.rest.text()
        picture = code.grab().toImage()
        assert picture.pixelColor(2, row) == QColor(theme.interface.accent), "the bar beside a lit line"
        assert picture.pixelColor(code.width() - 20, 5) == QColor(theme.interface.ground)


def test_lines_go_dark_slowly_and_then_nothing_runs(stage: Stage, bucket_search: Result, qtbot: QtBot) -> None:
    stage.show(bucket_search)
    code = stage.panel.code
    stage.panel.show()
    qtbot.waitExposed(stage.panel)
    stage.player.seek(3.0)
    assert LIGHT_LINE is not None and HEAVY_LINE is not None
    assert code.glow[LIGHT_LINE] == 1.0
    qtbot.waitUntil(lambda: code.glow[LIGHT_LINE] == 0.0)
    assert code.glow == [float(line == HEAVY_LINE) for line in range(len(code.glow))]
    stage.player.seek(4.0)
    stage.panel.hide()
    assert code.glow[HEAVY_LINE] == 0.0


# ------------------------------------------------------------------------------------------------- in the window


def test_a_key_shows_and_hides_the_panel(window: Window, qtbot: QtBot) -> None:
    window.resize(1920, 1000)
    action, width = window.actions_by_name["view.explanation"], window.map.width()
    assert not action.isChecked()
    QTest.keyClick(window, Qt.Key.Key_E)
    assert window.panels.panel(ExplanationPanel).isVisible() and action.isChecked()
    qtbot.waitUntil(lambda: window.map.width() < width)
    QTest.keyClick(window, Qt.Key.Key_E)
    assert not window.panels.panel(ExplanationPanel).isVisible() and not action.isChecked()
    qtbot.waitUntil(lambda: window.map.width() == width)


def test_teaching_opens_it_and_leaving_that_closes_it(window: Window) -> None:
    window.resize(1920, 1000)
    for activity, shown in (("teach", True), ("compare", False), ("teach", True)):
        window.actions_by_name[f"activity.{activity}"].trigger()
        assert window.panels.panel(ExplanationPanel).isVisible() == shown


def test_whether_it_is_shown_is_remembered(window: Window, settings: Settings) -> None:
    window.actions_by_name["view.explanation"].trigger()
    window.close()
    again = make_window(settings)
    again.show()
    found = again.panels.panel(ExplanationPanel).isVisible(), again.actions_by_name["view.explanation"].isChecked()
    again.close()
    again.deleteLater()
    assert found == (False, False)


# ----------------------------------------------------------------------------------------------- on the terminal


def test_the_terminal_tells_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["explain", "adaptive"])
    assert left.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    explanation = explain("adaptive")
    assert explanation.idea in told
    for line in explanation.code:
        assert " ".join(line.text.split()) in told
    for part in ("relax, update, switch", explanation.cost.order, "18 % faster", explanation.sources[0]):
        assert part in told


def test_the_terminal_tells_it_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["explain", "delta-stepping", "--json"])
    record = json.loads(capsys.readouterr().out)
    assert (record["algorithm"], record["title"]) == ("delta-stepping", "Δ-stepping")
    assert {phase for line in record["code"] for phase in line["phases"]} == {"light arcs", "heavy arcs"}
    assert record["cost"]["order"] == explain("delta-stepping").cost.order


def test_a_wrong_name_is_answered_with_the_right_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["explain", "deltastepping"])
    captured = capsys.readouterr()
    assert (left.value.code, captured.out) == (2, "")
    assert all(name in captured.err for name in NAMES)
    assert len(captured.err.strip().splitlines()) == 1


LINES = ("印の付いたノードがある間:", "  u ← 最小", "    u を確定", "  mm")


@pytest.mark.parametrize("family", ["DejaVu Sans", "DejaVu Sans Mono"])
def test_lines_are_indented_in_a_font_whose_spaces_are_narrow(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    if QFontInfo(QFont(family)).family() != family:
        pytest.skip(f"this machine has no font {family}")
    monkeypatch.setattr(QFontDatabase, "systemFont", lambda _which: QFont(family))
    code = PseudoCode()
    qtbot.addWidget(code)
    code.set_theme(PAPER)
    code.show_lines(LINES)
    code.resize(code.sizeHint())
    picture = code.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    grey = np.frombuffer(picture.constBits(), np.uint8).reshape(picture.height(), -1)[:, : picture.width()]
    begins = []
    for row in range(len(LINES)):
        top = PADDING + row * LINE_HEIGHT
        ink = np.any(grey[top : top + LINE_HEIGHT, 4:-4] < 128, axis=0)
        assert ink.any() and not ink[-2:].any(), "no line is cut"
        begins.append(int(ink.argmax()))
    digit = QFontMetricsF(code.font()).horizontalAdvance("0")
    away = [(begin - begins[0]) / digit for begin in begins]
    assert away == pytest.approx([0, 2, 4, 2], abs=0.6), "in digits, for each leading space"


def test_an_explanation_is_copied_as_text(qtbot: QtBot) -> None:
    session = Session()
    panel = ExplanationPanel(session)
    qtbot.addWidget(panel)
    panel.show()
    assert not panel.copy.isVisible(), "automatic has no explanation"
    session.active.choose_algorithm("delta-stepping")
    told = explain("delta-stepping")
    panel.copy.click()
    text = QGuiApplication.clipboard().text()
    assert text.startswith(find_algorithm("delta-stepping").title) and told.idea in text
    assert "\n".join(line.text for line in told.code) in text
    assert told.cost.order in text and all(each in text for each in (*told.look, *told.sources))
    assert all("\t".join(row) in text for figures in told.figures for row in figures.rows)
