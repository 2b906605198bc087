"""Panels by themselves: the scrubber's plot, and forms made from declared options."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QSpinBox
from pytestqt.qtbot import QtBot

from wayfront.options import Option, OptionValue
from wayfront_gui.panels.options import OptionForm
from wayfront_gui.panels.scrubber import FrontierScrubber, frontier_outline

OPTIONS = (
    Option("delta", int, 0, "Bucket width.", bounds=(10, 5000), unit="m", automatic=0),
    Option("factor", float, 1.5, "A factor.", bounds=(0.5, 4.0)),
    Option("queue", str, "list", "How nodes wait.", choices=("list", "bitmap")),
    Option("block_size", int, 256, "Threads of a block.", choices=(128, 256, 512), unit="threads"),
    Option("strict", bool, False, "Be strict."),
)


def test_outline_keeps_every_peak() -> None:
    sizes = np.ones(10_000, np.int32)
    sizes[4321] = 400
    heights = frontier_outline(np.linspace(0, 1, 10_000), sizes, 100)
    assert heights.argmax() == 43
    assert heights.max() == 1.0
    assert heights[0] == np.sqrt(1 / 400)


def test_outline_of_few_steps_has_no_holes() -> None:
    heights = frontier_outline(np.array([0.0, 0.5, 1.0]), np.array([4, 16, 1], np.int32), 10)
    assert heights.tolist() == [0.5] * 5 + [1.0] * 4 + [0.25]
    assert frontier_outline(np.zeros(0), np.zeros(0, np.int32), 10).tolist() == [0.0] * 10


def test_scrubber_is_a_slider_for_keys_and_screen_readers(qtbot: QtBot) -> None:
    scrubber = FrontierScrubber()
    qtbot.addWidget(scrubber)
    taken: list[float] = []
    scrubber.scrubbed.connect(taken.append)
    scrubber.show_steps(np.linspace(0, 1, 5), np.arange(5, dtype=np.int32))
    scrubber.show_fraction(0.5)
    assert taken == [], "showing is not scrubbing"
    scrubber.triggerAction(FrontierScrubber.SliderAction.SliderPageStepAdd)
    assert taken == [0.6]
    scrubber.show_nothing()
    assert not scrubber.isEnabled()


def test_form_has_the_right_field_for_each_option(qtbot: QtBot) -> None:
    changes: dict[str, OptionValue] = {}
    form = OptionForm(changes.__setitem__)
    qtbot.addWidget(form)
    form.show_options(OPTIONS, {o.name: o.default for o in OPTIONS})

    delta = form.findChild(QSpinBox, "option delta")
    assert delta is not None
    assert (delta.text(), delta.suffix(), delta.maximum()) == ("auto", " m", 5000)
    delta.setValue(300)
    factor = form.findChild(QDoubleSpinBox, "option factor")
    assert factor is not None
    assert (factor.minimum(), factor.maximum(), factor.value()) == (0.5, 4.0, 1.5)
    factor.setValue(2.25)
    queue, block = form.findChild(QComboBox, "option queue"), form.findChild(QComboBox, "option block_size")
    assert queue is not None and block is not None
    assert block.currentText() == "256 threads"
    queue.setCurrentIndex(1)
    block.setCurrentIndex(0)
    strict = form.findChild(QCheckBox, "option strict")
    assert strict is not None
    strict.setChecked(True)
    assert changes == {"delta": 300, "factor": 2.25, "queue": "bitmap", "block_size": 128, "strict": True}
    assert "From 10 to 5000 m." in delta.toolTip() and "By default auto." in delta.toolTip()


def test_values_between_automatic_and_the_lowest_become_the_lowest(qtbot: QtBot) -> None:
    changes: dict[str, OptionValue] = {}
    form = OptionForm(changes.__setitem__)
    qtbot.addWidget(form)
    form.show_options(OPTIONS[:1], {"delta": 0})
    delta = form.findChild(QSpinBox, "option delta")
    assert delta is not None
    delta.setValue(3)
    assert (delta.value(), changes) == (10, {"delta": 10})
