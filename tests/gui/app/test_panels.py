"""Panels by themselves: the scrubber, the list of algorithms, messages, and forms made from declared options."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QSpinBox
from pytestqt.qtbot import QtBot

from pointer import move_pointer
from search_checks import device_info
from there import there
from wayfront.algorithms.near_far import choose_delta
from wayfront.devices import describe_device
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.options import AUTO, Option, OptionValue
from wayfront.searching.call import search
from wayfront.searching.registry import algorithms, find_algorithm
from wayfront.searching.routes import FASTEST
from wayfront_gui.app.scrubber import Scrubber
from wayfront_gui.app.search_panel import AlgorithmPanel, OptionForm
from wayfront_gui.session.choice import FASTEST_ROUTE, FIRST
from wayfront_gui.session.session import Session
from wayfront_gui.ui.cards import MessageBar

ENABLED = Qt.ItemFlag.ItemIsEnabled
OPTIONS = (
    Option("delta", int, AUTO, "Bucket width.", bounds=(10, 5000), unit="m", automatic=True),
    Option("factor", float, 1.5, "A factor.", bounds=(0.5, 4.0)),
    Option("queue", str, "list", "How nodes wait.", choices=("list", "bitmap")),
    Option("block_size", int, 256, "Threads of a block.", choices=(128, 256, 512), unit="threads"),
    Option("strict", bool, False, "Be strict."),
)


def make_panel(*, resumable: bool = False) -> AlgorithmPanel:
    """Return a panel whose buttons do nothing."""
    return AlgorithmPanel(Session(), do_nothing, do_nothing, do_nothing, lambda: resumable, lambda _reverse: None)


def do_nothing() -> None:
    """Stand for what a button does."""


def say_step(step: int) -> list[tuple[str, str]]:
    return [("Step", f"{step + 1}"), ("Why", "a < b")]


@pytest.fixture
def scrubber(qtbot: QtBot, result: Result) -> Scrubber:
    """A scrubber over eleven steps, 214 pixels wide, so that a step takes 20."""
    scrubber = Scrubber(say_step)
    qtbot.addWidget(scrubber)
    scrubber.resize(214, 90)
    scrubber.show_trace(there(result.trace), np.linspace(0, 1, 11), None)
    scrubber.show()
    return scrubber


def test_scrubber_is_a_slider_for_keys_and_screen_readers(scrubber: Scrubber) -> None:
    taken: list[float] = []
    scrubber.scrubbed.connect(taken.append)
    scrubber.show_fraction(0.5)
    assert taken == [], "showing is not scrubbing"
    scrubber.triggerAction(Scrubber.SliderAction.SliderPageStepAdd)
    assert taken == [0.6]
    scrubber.show_nothing()
    assert not scrubber.isEnabled() and scrubber.columns is None


def test_resting_on_the_scrubber_or_its_strips_tells_of_the_step_there(scrubber: Scrubber) -> None:
    for y in (10, 60, 88):
        move_pointer(scrubber, QPoint(7 + 65, y))
        assert scrubber.tooltip_text == "Step: 4\nWhy: a < b"
    move_pointer(scrubber, QPoint(213, 40))
    assert scrubber.tooltip_text.startswith("Step: 11")
    scrubber.leaveEvent(QEvent(QEvent.Type.Leave))
    assert scrubber.tooltip_text == ""


def test_what_is_told_follows_the_trace_under_a_resting_pointer(scrubber: Scrubber, result: Result) -> None:
    move_pointer(scrubber, QPoint(7 + 100, 40))
    assert scrubber.tooltip_text.startswith("Step: 6")
    scrubber.show_trace(there(result.trace), np.linspace(0, 1, 11) ** 2, None)
    assert scrubber.tooltip_text.startswith("Step: 8")
    scrubber.show_nothing()
    assert scrubber.tooltip_text == ""


def test_columns_are_gathered_once_for_each_trace_and_width(scrubber: Scrubber, result: Result) -> None:
    assert result.trace is not None
    marks = np.linspace(0, 1, 11)
    scrubber.show_trace(result.trace, marks, None)
    first = scrubber.columns
    assert first is not None and len(first.frontier) == 200
    scrubber.show_trace(result.trace, marks, None)
    scrubber.grab()
    assert scrubber.columns is first
    scrubber.resize(314, 90)
    assert scrubber.columns is not first and len(scrubber.columns.frontier) == 300


def test_the_played_part_is_drawn_in_the_accent(scrubber: Scrubber) -> None:
    scrubber.show_fraction(0.5)
    image = scrubber.grab().toImage()
    row = round(scrubber.height() - 17 - 9 - 7 - 2)  # just over the plot's base
    left, right = (image.pixelColor(x, row) for x in (60, 160))
    assert left.red() - left.blue() > 20, "amber"
    assert right.red() <= right.blue(), "grey"


def test_five_searches_come_first_and_all_others_stand_under_from_papers(algorithm_panel: AlgorithmPanel) -> None:
    declared = replace(find_algorithm("near-far"), name="of-mine", title="Of mine", search=lambda _: iter(()))
    cpu = device_info("cpu", "a processor", True)
    algorithm_panel.show_algorithms((declared, *algorithms()), (cpu,))
    box = algorithm_panel.algorithm
    texts = [box.itemText(row) for row in range(box.count())]
    names = [box.itemData(row) for row in range(box.count())]
    assert names[0] == AUTO and tuple(names[1:6]) == FIRST and texts[6] == "From papers"
    assert [text for text, name in zip(texts, names, strict=True) if name is None] == [
        "From papers", "From papers: all pairs", "From plug-ins",
    ]  # fmt: skip
    assert sorted(filter(None, names)) == sorted([AUTO, "of-mine", *(a.name for a in algorithms())]), "each once"
    assert names[-1] == "of-mine"
    enabled = {name: bool(box.model().index(row, 0).flags() & ENABLED) for row, name in enumerate(names)}
    assert not enabled[None] and enabled["dijkstra"] and not enabled["near-far-resident"]


def test_the_automatic_route_is_what_the_engine_takes() -> None:
    assert FASTEST_ROUTE == FASTEST


@pytest.mark.parametrize(
    ("typed", "found"),
    [("floyd", "floyd-warshall"), ("DELTA", "delta-stepping"), ("both", "bidirectional"), ("heap a", "heap-apsp")],
)
def test_typing_finds_an_algorithm_by_any_word_of_its_name(
    algorithm_panel: AlgorithmPanel, typed: str, found: str
) -> None:
    algorithm_panel.show_algorithms(algorithms(), (device_info("cpu", "a processor", True),))
    view = algorithm_panel.algorithm.view()
    view.setCurrentIndex(view.model().index(0, 0))
    for letter in typed:
        view.keyboardSearch(letter)
    assert view.currentIndex().data(Qt.ItemDataRole.UserRole) == found
    view.keyboardSearch("?")
    assert view.currentIndex().data(Qt.ItemDataRole.UserRole) == found, "nothing is called like that"


def test_one_letter_again_goes_on_to_the_next_of_its_names(algorithm_panel: AlgorithmPanel) -> None:
    algorithm_panel.show_algorithms(algorithms(), (device_info("cpu", "a processor", True),))
    view, passed = algorithm_panel.algorithm.view(), []
    view.setCurrentIndex(view.model().index(0, 0))
    for _ in range(3):
        view.keyboardSearch("n")
        passed.append(view.currentIndex().data(Qt.ItemDataRole.UserRole))
    assert passed == ["near-far", "dissection", "cuda-dijkstra"][: len(passed)] or passed[:2] == [
        "near-far",
        "dissection",
    ]


def test_a_line_says_what_was_left_to_the_program(algorithm_panel: AlgorithmPanel, grid: RoadNetwork) -> None:
    panel, slot = algorithm_panel, algorithm_panel.session.active
    assert panel.automatic.text() == "Automatic: the fastest search", "no device is known yet"
    panel.show_devices((FOUR_CORES,))
    assert panel.automatic.text() == "Automatic: Dijkstra, bucket queue · CPU, 1\N{NO-BREAK SPACE}core"
    slot.choose_threads(2)
    assert panel.automatic.text().endswith("CPU, 1\N{NO-BREAK SPACE}core"), "it cannot use two"
    slot.choose_algorithm("near-far")
    assert panel.automatic.text() == "Automatic: CPU, 2\N{NO-BREAK SPACE}cores"
    slot.open(grid)
    result = search(grid, 0, "near-far", "cpu", threads=2, trace=True)
    slot.show(result)
    delta = choose_delta(grid, grid.metrics[0])
    one = "Automatic: CPU, 1\N{NO-BREAK SPACE}core"  # on so small a network
    assert panel.automatic.text() == f"{one} · Δ = {delta:,}"
    slot.set_option("delta", 777)
    assert panel.automatic.text() == "Automatic: CPU, 2\N{NO-BREAK SPACE}cores", "the next search has another Δ"
    slot.choose_device("cpu")
    assert panel.automatic.isHidden(), "nothing is left to the program"


def test_more_says_what_is_not_as_usual(algorithm_panel: AlgorithmPanel) -> None:
    panel, slot = algorithm_panel, algorithm_panel.session.active
    panel.show_devices((FOUR_CORES,))
    assert not panel.more.is_open and panel.more.header.summary == ""
    slot.choose_algorithm("near-far")
    slot.set_option("delta", 5000)
    assert panel.more.header.summary == "Δ = 5,000"
    slot.choose_device("cpu")
    slot.choose_threads(4)
    assert panel.more.header.summary == "Δ = 5,000 · CPU · 4\N{NO-BREAK SPACE}cores"
    slot.choose_algorithm("dijkstra-heap")
    slot.set_option("heap", "decrease-key")
    assert panel.more.header.summary.startswith("heap = decrease-key · ")
    slot.choose_kind(SearchKind.ALL_PAIRS)
    assert panel.more.header.summary.startswith("All pairs · ") and not panel.pairs.isHidden()


CARD = replace(describe_device("cuda:0"), name="a card", available=True)
FOUR_CORES = replace(describe_device("cpu"), name="a processor", available=True, threads=4)
ONE_CORE_ONLY = replace(FOUR_CORES, threads=1)


def texts_of(box: QComboBox) -> list[str]:
    return [box.itemText(row) for row in range(box.count())]


@pytest.fixture
def algorithm_panel(qtbot: QtBot) -> AlgorithmPanel:
    panel = make_panel()
    qtbot.addWidget(panel)
    return panel


def test_cores_can_be_chosen_for_a_device_that_has_several(algorithm_panel: AlgorithmPanel) -> None:
    panel, slot = algorithm_panel, algorithm_panel.session.active
    assert panel.threads.isHidden(), "no device is known yet"
    panel.show_devices((ONE_CORE_ONLY, CARD))
    slot.choose_device("cpu")
    assert panel.threads.isHidden()
    panel.show_devices((FOUR_CORES, CARD))
    assert not panel.threads.isHidden()
    assert texts_of(panel.threads) == ["1", "2", "4"]
    assert panel.threads.currentText() == "1"
    panel.threads.setCurrentIndex(2)
    assert slot.threads == 4
    panel.device.setCurrentIndex(panel.device.findData("cuda:0"))
    assert panel.threads.isHidden() and slot.threads == 1, "a card has no cores to choose"


def test_the_automatic_device_offers_the_cores_of_the_device_that_it_takes(algorithm_panel: AlgorithmPanel) -> None:
    algorithm_panel.show_devices((FOUR_CORES, CARD))
    assert algorithm_panel.threads.isHidden(), "it takes the card"
    algorithm_panel.show_devices((FOUR_CORES, replace(CARD, available=False, why_not="no driver")))
    assert not algorithm_panel.threads.isHidden()


def test_the_panel_says_where_a_search_uses_one_core(algorithm_panel: AlgorithmPanel) -> None:
    panel, slot = algorithm_panel, algorithm_panel.session.active
    panel.show_devices((FOUR_CORES,))
    slot.choose_algorithm("dijkstra")
    assert panel.options.one_core.isHidden(), "one core is all that was asked for"
    slot.choose_threads(2)
    assert not panel.options.one_core.isHidden() and panel.options.one_core.text() == "This search runs on one core."
    slot.choose_algorithm("near-far")
    assert panel.options.one_core.isHidden()
    slot.choose_algorithm(AUTO)
    assert not panel.options.one_core.isHidden(), "the CPU's fastest search is sequential"


def test_what_a_search_finds_stands_before_its_paper(algorithm_panel: AlgorithmPanel) -> None:
    declared = find_algorithm("near-far")
    algorithm_panel.session.active.choose_algorithm("near-far")
    assert algorithm_panel.options.paper.text() == f"One tree · {declared.paper}"


def test_a_notice_ends_but_a_problem_stays(qtbot: QtBot) -> None:
    bar = MessageBar()
    qtbot.addWidget(bar)
    bar.show_notice("This will take long.")
    assert bar.isVisible() and bar.text == "This will take long."
    bar.hide_notice()
    assert not bar.isVisible()
    bar.show_notice("This will take long.")
    bar.show_problem("it went wrong")
    bar.hide_notice()
    assert bar.isVisible() and bar.text == "It went wrong"


def test_form_has_the_right_field_for_each_option(qtbot: QtBot) -> None:
    changes: dict[str, OptionValue] = {}
    form = OptionForm(changes.__setitem__)
    qtbot.addWidget(form)
    form.show_options(OPTIONS, {o.name: o.default for o in OPTIONS})

    delta = there(form.findChild(QSpinBox, "option delta"))
    assert (delta.text(), delta.suffix(), delta.maximum()) == ("auto", " m", 5000)
    delta.setValue(300)
    factor = there(form.findChild(QDoubleSpinBox, "option factor"))
    assert (factor.minimum(), factor.maximum(), factor.value()) == (0.5, 4.0, 1.5)
    factor.setValue(2.25)
    queue, block = form.findChild(QComboBox, "option queue"), form.findChild(QComboBox, "option block_size")
    assert queue is not None and block is not None
    assert block.currentText() == "256 threads"
    queue.setCurrentIndex(1)
    block.setCurrentIndex(0)
    strict = there(form.findChild(QCheckBox, "option strict"))
    strict.setChecked(True)
    assert changes == {"delta": 300, "factor": 2.25, "queue": "bitmap", "block_size": 128, "strict": True}
    assert "From 10 to 5000 m." in delta.toolTip() and "By default auto." in delta.toolTip()

    before = changes.copy()
    later: dict[str, OptionValue] = {"delta": 20, "factor": 3.0, "queue": "list", "block_size": 256, "strict": False}
    form.show_options(OPTIONS, later)
    assert (delta.text(), factor.value(), strict.isChecked()) == ("20 m", 3.0, False), "as a lesson chose them"
    assert block.currentText() == "256 threads" and changes == before, "what is only shown is not set again"
    form.show_options(OPTIONS, later | {"delta": AUTO})
    assert delta.text() == "auto"


def test_values_between_automatic_and_the_lowest_become_the_lowest(qtbot: QtBot) -> None:
    changes: dict[str, OptionValue] = {}
    form = OptionForm(changes.__setitem__)
    qtbot.addWidget(form)
    form.show_options(OPTIONS[:1], {"delta": AUTO})
    delta = there(form.findChild(QSpinBox, "option delta"))
    delta.setValue(3)
    assert (delta.value(), changes) == (10, {"delta": 10})
