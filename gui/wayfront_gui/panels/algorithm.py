"""How the network is searched: the algorithm with its idea and paper, its options, the device, and the button."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from wayfront.options import AUTO
from wayfront_gui.model.session import Session
from wayfront_gui.widgets.controls import GAP, MARGIN, ChoiceBox, caption, label
from wayfront_gui.widgets.option_form import OptionForm

if TYPE_CHECKING:
    from wayfront.devices import DeviceInfo
    from wayfront.options import OptionValue
    from wayfront.search.registry import Algorithm

AUTOMATIC_SUMMARY = "The fastest for the device: near-far in one resident kernel on CUDA, else Dijkstra with buckets."


class AlgorithmPanel(QWidget):
    """Chooses algorithm, options and device; Run becomes Cancel while a search runs."""

    def __init__(self, session: Session, run: Callable[[], None], cancel: Callable[[], None]) -> None:
        super().__init__()
        self._session = session
        self._run, self._cancel = run, cancel
        self._searching = False
        self.algorithm = ChoiceBox()
        self.device = ChoiceBox()
        self.button = QPushButton("Run")
        self.button.setProperty("rank", "main")
        self.button.setToolTip("Search from the source with what is chosen here (R)")
        self.button.clicked.connect(self._press)
        self._summary = label(AUTOMATIC_SUMMARY, wrap=True)
        self._paper = label(rank="caption", wrap=True)
        self._form = OptionForm(self._set_option)
        self._arrange()
        self.show_algorithms((), ())
        self.show_devices(())
        self.algorithm.currentIndexChanged.connect(self._choose_algorithm)
        self.device.currentIndexChanged.connect(self._choose_device)
        session.choice_changed.connect(self._show_choice)
        self._show_choice()

    def _arrange(self) -> None:
        choices = QGridLayout()
        choices.setSpacing(GAP)
        choices.setColumnStretch(1, 1)
        for row, (text, box) in enumerate((("Algorithm", self.algorithm), ("Device", self.device))):
            choices.addWidget(caption(text, box), 2 * row, 0)
            choices.addWidget(box, 2 * row, 1)
        about = QVBoxLayout()
        about.setContentsMargins(0, 0, 0, GAP // 2)
        about.setSpacing(GAP // 2)
        about.addWidget(self._summary)
        about.addWidget(self._paper)
        about.addWidget(self._form)
        choices.addLayout(about, 1, 0, 1, 2)
        buttons = QHBoxLayout()
        buttons.addWidget(self.button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP + 4)
        layout.addLayout(choices)
        layout.addLayout(buttons)

    def show_algorithms(self, known: Sequence[Algorithm], devices: Sequence[DeviceInfo]) -> None:
        """List the declared algorithms by family; one that no device here can run cannot be chosen."""
        here = [device for device in devices if device.available]
        model = QStandardItemModel(self)
        model.appendRow(_item("Automatic", AUTO, AUTOMATIC_SUMMARY))
        for family, group in groupby(known, lambda a: a.family):
            members = list(group)
            model.appendRow(_heading(family) if len(members) > 1 else _separator())
            for declared in members:
                item = _item(declared.title, declared.name, f"{declared.summary}\n{declared.paper}")
                if not any(declared.runs_on(device) for device in here):
                    item.setText(f"{declared.title} — not here")
                    item.setFlags(Qt.ItemFlag.NoItemFlags)
                model.appendRow(item)
        _swap_model(self.algorithm, model, self._session.active.algorithm)

    def show_devices(self, devices: Sequence[DeviceInfo]) -> None:
        """List the machine's devices (``DeviceInfo``); one that cannot run says why and cannot be chosen."""
        model = QStandardItemModel(self)
        model.appendRow(_item("Automatic", AUTO, "CUDA where there is a card, else the processor"))
        for device in devices:
            item = _item(_device_title(device), device.id, device.name)
            if not device.available:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setToolTip(device.why_not)
            model.appendRow(item)
        _swap_model(self.device, model, self._session.active.device)

    def show_searching(self, searching: bool) -> None:
        """Offer Cancel while a search runs, else Run."""
        self._searching = searching
        self.button.setText("Cancel" if searching else "Run")

    def _press(self) -> None:
        if self._searching:
            self._cancel()
        else:
            self._run()

    def _choose_algorithm(self, row: int) -> None:
        self._session.active.choose_algorithm(self.algorithm.itemData(row))

    def _choose_device(self, row: int) -> None:
        self._session.active.choose_device(self.device.itemData(row))

    def _set_option(self, name: str, value: OptionValue) -> None:
        self._session.active.set_option(name, value)

    def _show_choice(self) -> None:
        slot = self._session.active
        self.algorithm.choose_data(slot.algorithm)
        self.device.choose_data(slot.device)
        declared = slot.declared
        self._summary.setText(AUTOMATIC_SUMMARY if declared is None else declared.summary)
        self._paper.setText("" if declared is None else declared.paper)
        self._paper.setVisible(declared is not None)
        self._form.show_options(() if declared is None else declared.options, slot.options())


def _swap_model(box: ChoiceBox, model: QStandardItemModel, chosen: str) -> None:
    blocked = box.blockSignals(True)
    box.setModel(model)
    box.choose_data(chosen)
    box.blockSignals(blocked)


def _heading(family: str) -> QStandardItem:
    heading = QStandardItem(family[:1].upper() + family[1:])
    heading.setFlags(Qt.ItemFlag.NoItemFlags)
    return heading


def _separator() -> QStandardItem:
    """Return the line over a family of one: its only member is its heading too."""
    line = QStandardItem()
    line.setData("separator", Qt.ItemDataRole.AccessibleDescriptionRole)  # what a list of choices draws as a line
    line.setFlags(Qt.ItemFlag.NoItemFlags)
    return line


def _item(text: str, data: str, hint: str) -> QStandardItem:
    item = QStandardItem(text)
    item.setData(data, Qt.ItemDataRole.UserRole)
    item.setToolTip(hint)
    return item


def _device_title(device: DeviceInfo) -> str:
    if not device.available:
        return f"{device.label} — not here"
    return device.label if device.exclusive else f"{device.label} — {device.name}"
