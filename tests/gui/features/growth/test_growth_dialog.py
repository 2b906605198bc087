"""The dialog that measures how searches grow, used as a person would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from there import there
from wayfront_gui.app.engine_thread import Worker
from wayfront_gui.features.growth.chart import WIDE
from wayfront_gui.features.growth.dialog import GrowthDialog


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.shut_down()


@pytest.fixture
def news() -> list[str]:
    return []


@pytest.fixture
def dialog(qtbot: QtBot, worker: Worker, tmp_path: Path, news: list[str]) -> Iterator[GrowthDialog]:
    parent = QWidget()
    qtbot.addWidget(parent)
    dialog = GrowthDialog(worker, lambda: "dark", lambda *_: (str(tmp_path / "growth"), ""), news.append, parent)
    dialog.form.kind.choose_data("ring")
    dialog.form.smallest.choose_data(256)
    dialog.form.largest.choose_data(1024)
    dialog.form.device.choose_data("cpu")
    dialog.form.networks.setValue(1)
    dialog.form.runs.setValue(1)
    dialog.form.seconds.setValue(600)
    dialog.form.choose(("dijkstra",))
    dialog.show()
    yield dialog
    dialog.close()


def test_it_measures_draws_and_saves(dialog: GrowthDialog, qtbot: QtBot, tmp_path: Path, news: list[str]) -> None:
    assert not dialog.export.isEnabled()
    dialog.measure.click()
    assert dialog.running
    assert dialog.measure.text() == "Stop"
    qtbot.waitUntil(lambda: not dialog.running)
    growth = there(dialog.chart.growth)
    assert growth.done
    assert [point.nodes for point in growth.points] == [256, 512, 1024]
    assert dialog.chart.accessibleDescription().startswith("dijkstra: n, n, ")
    dialog.resize(WIDE + 600, 600)
    qtbot.waitUntil(lambda: dialog.chart.width() >= WIDE)
    beside_each_other = dialog.chart.minimumHeight()
    dialog.resize(700, 600)
    qtbot.waitUntil(lambda: dialog.chart.width() < WIDE)
    assert dialog.chart.minimumHeight() > beside_each_other
    assert not dialog.chart.grab().isNull()
    dialog.export.click()
    qtbot.waitUntil(lambda: bool(news))
    assert news == [f"Saved {tmp_path / 'growth.png'}"]
    assert not QImage(str(tmp_path / "growth.png")).isNull()


def test_it_is_stopped_and_keeps_what_it_found(dialog: GrowthDialog, qtbot: QtBot) -> None:
    dialog.form.largest.choose_data(1 << 22)
    dialog.form.networks.setValue(20)
    dialog.measure.click()
    qtbot.waitUntil(lambda: dialog.chart.growth is not None and bool(dialog.chart.growth.points))
    dialog.measure.click()
    assert not dialog.running
    assert dialog.form.isEnabled()
    growth = there(dialog.chart.growth)
    assert not growth.done


def test_the_windows_own_stop_ends_it_too(dialog: GrowthDialog, worker: Worker, qtbot: QtBot) -> None:
    dialog.form.largest.choose_data(1 << 22)
    dialog.form.networks.setValue(20)
    dialog.measure.click()
    qtbot.waitUntil(lambda: worker.running is not None)
    worker.cancel()
    qtbot.waitUntil(lambda: not dialog.running)
    assert dialog.measure.text() == "Measure"


def test_impossible_choices_are_said_at_once(dialog: GrowthDialog) -> None:
    dialog.form.choose(())
    dialog.measure.click()
    assert dialog.problem.text() == "Choose at least one algorithm."
    dialog.form.choose(("dijkstra",))
    dialog.form.smallest.choose_data(1 << 20)
    dialog.measure.click()
    assert "the largest network has" in dialog.problem.text()
    assert not dialog.running


def test_the_list_holds_what_the_device_runs_and_keeps_what_was_checked(dialog: GrowthDialog) -> None:
    assert "near-far" in dialog.form.algorithms
    assert "near-far-resident" not in dialog.form.algorithms
    dialog.form.device.currentIndexChanged.emit(0)
    assert dialog.form.chosen() == ["dijkstra"]
