"""A device that runs out of memory, fails or is lost: one sentence, the window goes on, and the CPU is offered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

import wayfront
from search_checks import device_info
from wayfront.devices import CPU
from wayfront.network.road_network import RoadNetwork
from wayfront.results.result import Result, SearchKind
from wayfront.safe.errors import DeviceError, DeviceLostError
from wayfront.safe.options import AUTO
from wayfront.searching.registry import algorithms
from wayfront_gui.app.jobs import Abilities
from wayfront_gui.app.search_panel import AlgorithmPanel
from wayfront_gui.app.window import Window

CARD = "cuda:0"
SHORT = "the network needs 12 GB of the card's memory, and 3 GB are free: search on the CPU, or close other programs"
LOST = "the card stopped working (error 719): search on the CPU, or start the program again"


class Card:
    """Stands in for the engine: searches on the CPU are found, all others fail as a card's driver says."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.problem: Exception = DeviceError(SHORT)
        self.asked: list[str] = []

    def search(self, _network: RoadNetwork, _source: int, _algorithm: str, device: str, **_options: object) -> Result:
        self.asked.append(device)
        if device != CPU:
            raise self.problem
        return self.result


@pytest.fixture
def card(result: Result, monkeypatch: pytest.MonkeyPatch) -> Card:
    engine = Card(result)
    monkeypatch.setattr(wayfront, "search", engine.search)
    monkeypatch.setattr("wayfront.devices.choose_device", lambda _id=AUTO: device_info(CPU, "a processor", True))
    return engine


@pytest.fixture
def window(card: Card, window: Window, qtbot: QtBot, grid_file: Path) -> Window:
    devices = (device_info(CPU, "a processor", True), device_info(CARD, "a card", True))
    window.controller.abilities_found.emit(Abilities(algorithms(SearchKind.ONE_TREE), devices))
    window.session.active.choose_device(CARD)
    window.controller.open(str(grid_file))
    qtbot.waitUntil(lambda: bool(card.asked) and not window.controller.worker.busy)
    return window


def test_a_failing_device_is_one_sentence_and_the_cpu_is_a_key_away(window: Window, qtbot: QtBot, card: Card) -> None:
    bar = window.message_bar
    assert bar.text == SHORT[:1].upper() + SHORT[1:]
    assert bar.button.isVisible() and bar.button.text() == "Search on the C&PU"
    assert window.panels.panel(AlgorithmPanel).button.text() == "Run", "no search is under way"
    QTest.keyClick(bar.button, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: bool(window.session.timings))
    assert window.session.active.result is not None
    assert not bar.isVisible()
    assert window.session.active.device == CPU
    assert CARD in card.asked and card.asked[-1] == CPU


def test_an_algorithm_that_needs_the_card_gives_way_to_the_automatic_choice(window: Window, card: Card) -> None:
    needs_card = next(
        a for a in algorithms(SearchKind.ONE_TREE) if not a.runs_on(device_info(CPU, "a processor", True))
    )
    window.session.active.choose_algorithm(needs_card.name)
    window.controller.active.search_on_cpu()
    assert (window.session.active.algorithm, window.session.active.device) == (AUTO, CPU)


def test_another_problem_offers_nothing(window: Window) -> None:
    window.reports.show_problem("there is no file x.gr")
    assert window.message_bar.isVisible() and not window.message_bar.button.isVisible()


def test_a_lost_device_cannot_be_chosen_again(window: Window, qtbot: QtBot, card: Card) -> None:
    card.problem = DeviceLostError(LOST, CARD)
    window.controller.run()
    qtbot.waitUntil(lambda: window.message_bar.text.startswith("The card stopped"))
    devices = window.panels.panel(AlgorithmPanel).device
    row = devices.findData(CARD)
    flags = devices.model().flags(devices.model().index(row, 0))
    assert not flags & Qt.ItemFlag.ItemIsEnabled
    assert devices.itemText(row).endswith("not available")
    assert devices.itemData(row, Qt.ItemDataRole.ToolTipRole) == LOST
