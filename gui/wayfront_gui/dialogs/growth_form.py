"""The form of the chart of growth: kind, sizes, algorithms, device, and how often and how long is measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtWidgets import QCheckBox, QFormLayout, QSpinBox, QVBoxLayout, QWidget

from wayfront.benchmarks.growth_record import LARGEST, SMALLEST, GrowthRequest, doubling
from wayfront.devices import automatic_device, describe_device, devices
from wayfront.search.registry import SearchKind, algorithms
from wayfront_gui.look.plain import hint
from wayfront_gui.model.device_names import short_device_name
from wayfront_gui.model.growth_words import KIND_LABELS
from wayfront_gui.translation import translated, translated_message
from wayfront_gui.widgets.controls import GAP, ChoiceBox, check_box, label, number_field

POWERS = range(8, 23)
"""Sizes are powers of two: 2^8 to 2^22 nodes."""

FIRST_CHOSEN = ("dijkstra-heap", "bellman-ford-queue", "delta-stepping", "near-far")


class GrowthForm(QWidget):
    """Asks what to measure."""

    def __init__(self) -> None:
        super().__init__()
        self._rows = QFormLayout()
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(GAP)
        self._rows.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.kind = self._choice(
            translated("Kind"),
            translated("What the made networks are like"),
            {translated(text): name for name, text in KIND_LABELS.items()},
        )
        sizes = {f"{1 << power:,}": 1 << power for power in POWERS}
        self.smallest = self._choice(translated("From"), translated("Nodes of the smallest networks"), sizes)
        self.largest = self._choice(
            translated("To"), translated("Nodes of the largest networks; sizes double in between"), sizes
        )
        self.smallest.choose_data(SMALLEST)
        self.largest.choose_data(LARGEST)
        self.device = self._choice(
            translated("Device"), translated("What searches: a graphics card or the processor"), _usable_devices()
        )
        self.device.choose_data(automatic_device(devices()).id)
        self.device.currentIndexChanged.connect(self._list_algorithms)
        self.networks = self._number(
            translated("Seeds"), translated("Networks of each size; their seeds differ"), 3, 20
        )
        self.runs = self._number(translated("Runs"), translated("Clean runs on each network; medians count"), 3, 20)
        self.seconds = self._number(
            translated("Seconds"), translated("What all of it may take; slower searches are left out"), 60, 3600
        )
        self.algorithms: dict[str, QCheckBox] = {}
        """The box of each search that the device runs, by name."""
        self._boxes = QVBoxLayout()
        self._boxes.setSpacing(GAP // 2)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, GAP, 0)
        column.setSpacing(GAP)
        column.addLayout(self._rows)
        column.addLayout(self._boxes)
        column.addStretch(1)
        self._list_algorithms()

    def request(self) -> GrowthRequest:
        """Return what is chosen. Raises ``OptionError`` where it cannot be measured."""
        return GrowthRequest(
            kind=self.kind.currentData(),
            algorithms=tuple(self.chosen()),
            sizes=doubling(self.smallest.currentData(), self.largest.currentData()),
            device=self.device.currentData(),
            networks=self.networks.value(),
            runs=self.runs.value(),
            seconds=float(self.seconds.value()),
        )

    def chosen(self) -> list[str]:
        """Return the names of the checked algorithms."""
        return [name for name, box in self.algorithms.items() if box.isChecked()]

    def choose(self, names: Sequence[str]) -> None:
        """Check these algorithms and no others."""
        for name, box in self.algorithms.items():
            box.setChecked(name in names)

    def _list_algorithms(self) -> None:
        """List the searches for one tree that the device runs; those that were checked stay so."""
        kept = self.chosen() or FIRST_CHOSEN
        for box in self.algorithms.values():
            self._boxes.removeWidget(box)
            box.deleteLater()
        device = describe_device(self.device.currentData())
        listed = [algorithm for algorithm in algorithms(SearchKind.ONE_TREE) if algorithm.runs_on(device)]
        self.algorithms = {
            algorithm.name: check_box(translated_message(algorithm.title), translated_message(algorithm.summary))
            for algorithm in listed
        }
        for box in self.algorithms.values():
            self._boxes.addWidget(box)
        self.choose(kept)

    def _choice(self, text: str, about: str, entries: dict[str, Any]) -> ChoiceBox:
        box = ChoiceBox()
        for entry, data in entries.items():
            box.addItem(entry, data)
        self._add(text, about, box)
        return box

    def _number(self, text: str, about: str, value: int, most: int) -> QSpinBox:
        box = QSpinBox()
        box.setRange(1, most)
        box.setValue(value)
        number_field(box)
        self._add(text, about, box)
        return box

    def _add(self, text: str, about: str, field: QWidget) -> None:
        field.setAccessibleName(text)
        field.setToolTip(hint(about))
        name = label(text)
        name.setBuddy(field)
        self._rows.addRow(name, field)


def _usable_devices() -> dict[str, str]:
    """Return names and ids of the devices that can be timed beside what else this process runs."""
    here = [device for device in devices() if device.available and not device.exclusive]
    return {f"{device.label} · {short_device_name(device.name)}": device.id for device in here}
