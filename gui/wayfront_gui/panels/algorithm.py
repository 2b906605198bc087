"""The panel of the search: the algorithm with its idea and paper, its options, the device, and the Run button."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from wayfront.devices import DeviceInfo, automatic_device
from wayfront.options import AUTO
from wayfront.search.registry import Algorithm, SearchKind, find_algorithm
from wayfront_gui.look.plain import hint, one_line
from wayfront_gui.model.session import Session
from wayfront_gui.model.slot import Slot
from wayfront_gui.panels.pairs_form import PairsForm
from wayfront_gui.translation import marked, translated, translated_message
from wayfront_gui.widgets.controls import GAP, MARGIN, ChoiceBox, caption, label, push_button
from wayfront_gui.widgets.option_form import OptionForm

if TYPE_CHECKING:
    from wayfront.options import OptionValue

ONE_CORE = marked("This search runs on one core.")
NO_TARGET = marked("Right-click a target on the map: this search ends there.")
KINDS = {
    SearchKind.ONE_TREE: (marked("One tree"), marked("Shortest paths from one source to all nodes")),
    SearchKind.ALL_PAIRS: (
        marked("All pairs"),
        marked("Shortest paths from every node, or a sample of them, to all nodes"),
    ),
    SearchKind.ROUTE: (marked("One route"), marked("The shortest path from the source to one target, and no more")),
}
"""The kinds of search that the window runs, with name and hint."""


class AlgorithmPanel(QWidget):
    """Chooses kind, algorithm, options, device and threads; Run becomes Cancel while a search runs.

    ``resume`` goes on with a stopped search where ``resumable`` returns that there is one. ``buttons`` is a widget of
    its own, which stays in sight where the panel scrolls.
    """

    def __init__(
        self,
        session: Session,
        run: Callable[[], None],
        cancel: Callable[[], None],
        resume: Callable[[], None],
        resumable: Callable[[], bool],
    ) -> None:
        super().__init__()
        self.session = session
        self._run, self._cancel, self._resumable = run, cancel, resumable
        self._searching = False
        self._known: Sequence[Algorithm] = ()
        self._listed: SearchKind | None = None
        self.kind = ChoiceBox()
        self.kind.setToolTip(translated("What a search finds"))
        for kind, (text, about) in KINDS.items():
            self.kind.addItem(translated(text), kind)
            self.kind.setItemData(self.kind.count() - 1, hint(translated(about)), Qt.ItemDataRole.ToolTipRole)
        self.pairs = PairsForm(session)
        self.algorithm = ChoiceBox()
        self.algorithm.setToolTip(translated("How to search"))
        self.device = ChoiceBox()
        self.device.setToolTip(translated("What searches: a graphics card or the processor"))
        self.threads = ChoiceBox()
        self.threads.setToolTip(translated("Cores of the device that a search uses"))
        self._cores = caption(translated("Cores"), self.threads)
        self._devices: Sequence[DeviceInfo] = ()
        self.buttons = QWidget()
        self.button = push_button(translated("Run"), rank="main")
        self.button.clicked.connect(self._press)
        self.resume = push_button(translated("Resume"), translated("Go on with the search that was stopped (Ctrl+R)"))
        self.resume.clicked.connect(resume)
        self._summary = label(wrap=True)
        self.paper = label(rank="caption", wrap=True)
        self.one_core = label(translated(ONE_CORE), "caption", wrap=True)
        self.no_target = label(translated(NO_TARGET), "caption", wrap=True)
        self._form = OptionForm(self._set_option)
        self._arrange()
        self.show_algorithms((), ())
        self.show_devices(())
        self.kind.currentIndexChanged.connect(self._choose_kind)
        self.algorithm.currentIndexChanged.connect(self._choose_algorithm)
        self.device.currentIndexChanged.connect(self._choose_device)
        self.threads.currentIndexChanged.connect(self._choose_threads)
        session.choice_changed.connect(self._show_choice)
        session.target_changed.connect(self._show_choice)
        session.result_changed.connect(self.show_buttons)
        session.network_changed.connect(self.show_buttons)
        self._show_choice()

    def _arrange(self) -> None:
        about = QVBoxLayout()
        about.setContentsMargins(0, 0, 0, GAP // 2)
        about.setSpacing(GAP // 2)
        about.addWidget(self._summary)
        about.addWidget(self.paper)
        about.addWidget(self._form)
        # Rows of their own: in a grid a text across both columns would make that of the captions wider.
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        layout.setSpacing(GAP)
        layout.addLayout(_row(caption(translated("Find"), self.kind), self.kind))
        layout.addWidget(self.pairs)
        layout.addWidget(self.no_target)
        layout.addLayout(_row(caption(translated("Algorithm"), self.algorithm), self.algorithm))
        layout.addLayout(about)
        layout.addLayout(_row(caption(translated("Device"), self.device), self.device))
        layout.addLayout(_row(self._cores, self.threads))
        layout.addWidget(self.one_core)
        buttons = QHBoxLayout(self.buttons)
        buttons.setContentsMargins(MARGIN, GAP, MARGIN, MARGIN)
        buttons.setSpacing(GAP)
        buttons.addWidget(self.button, 1)
        buttons.addWidget(self.resume)

    def show_algorithms(self, known: Sequence[Algorithm], devices: Sequence[DeviceInfo]) -> None:
        """List the declared algorithms by family; disable those that no available device can run."""
        self._known = known
        self._devices = devices
        self._listed = None
        self._list_algorithms()

    def _list_algorithms(self) -> None:
        """List the algorithms of the kind that is chosen."""
        kind = self.session.active.kind
        if kind is self._listed:
            return
        self._listed = kind
        here = [device for device in self._devices if device.available]
        model = QStandardItemModel(self)
        model.appendRow(_item(translated("Automatic"), AUTO, translated("The fastest search for the device")))
        for family, group in groupby((a for a in self._known if a.kind is kind), lambda a: a.family):
            members = list(group)
            model.appendRow(_heading(family) if len(members) > 1 else _separator())
            for declared in members:
                item = _item(
                    translated_message(declared.title),
                    declared.name,
                    f"{_summary(declared)}\n{_kind_and_paper(declared)}",
                )
                if not any(declared.runs_on(device) for device in here):
                    item.setText(translated("{name} — not available", name=translated_message(declared.title)))
                    item.setFlags(Qt.ItemFlag.NoItemFlags)
                model.appendRow(item)
        _swap_model(self.algorithm, model, self.session.active.algorithm)

    def show_devices(self, devices: Sequence[DeviceInfo]) -> None:
        """List the machine's devices; disable those that are not available, with the reason as tooltip."""
        self._devices = devices
        model = QStandardItemModel(self)
        model.appendRow(_item(translated("Automatic"), AUTO, translated("The first GPU if there is one, else the CPU")))
        for device in devices:
            item = _item(_device_title(device), device.id, device.name)
            if not device.available:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setToolTip(hint(translated_message(device.why_not)))
            model.appendRow(item)
        _swap_model(self.device, model, self.session.active.device)
        self._show_choice()

    def lose_device(self, device_id: str, why: str) -> None:
        """List a device that stopped working as not available, with the reason as tooltip."""
        self.show_devices([replace(d, available=False, why_not=why) if d.id == device_id else d for d in self._devices])

    def show_searching(self, searching: bool) -> None:
        """Offer Cancel while a search runs, else Run."""
        self._searching = searching
        self.show_buttons()

    def show_buttons(self) -> None:
        """Offer Run or Cancel, and Resume where a search was stopped."""
        pairs = self.session.active.kind is SearchKind.ALL_PAIRS
        self.button.setText(translated("Cancel") if self._searching else translated("Run"))
        self.button.setEnabled(self._searching or self.session.active.network is not None)
        self.button.setToolTip(
            hint(translated("Search for all pairs (R)") if pairs else translated("Search from the source (R)"))
        )
        self.resume.setVisible(pairs and not self._searching and self._resumable())

    def _press(self) -> None:
        if self._searching:
            self._cancel()
        else:
            self._run()

    def _choose_kind(self, row: int) -> None:
        self.session.active.choose_kind(SearchKind(self.kind.itemData(row)))

    def _choose_algorithm(self, row: int) -> None:
        self.session.active.choose_algorithm(self.algorithm.itemData(row))

    def _choose_device(self, row: int) -> None:
        self.session.active.choose_device(self.device.itemData(row))
        if self.threads.isHidden():
            self.session.active.choose_threads(1)

    def _choose_threads(self, row: int) -> None:
        self.session.active.choose_threads(self.threads.itemData(row))

    def _set_option(self, name: str, value: OptionValue) -> None:
        self.session.active.set_option(name, value)

    def _show_choice(self) -> None:
        slot = self.session.active
        self._list_algorithms()
        self.show_buttons()
        self.kind.choose_data(slot.kind)
        self.pairs.setVisible(slot.kind is SearchKind.ALL_PAIRS)
        self.no_target.setVisible(slot.lacks_target)
        self.algorithm.choose_data(slot.algorithm)
        self.device.choose_data(slot.device)
        declared, device = slot.declared, self._chosen_device()
        self._summary.setText(_automatic_summary(device, slot) if declared is None else _summary(declared))
        self.paper.setText("" if declared is None else _kind_and_paper(declared))
        self.paper.setVisible(declared is not None)
        self._form.show_options(() if declared is None else declared.options, slot.options())
        self._form.follow(self.algorithm)
        self._show_threads(device)

    def _chosen_device(self) -> DeviceInfo | None:
        """Return the device that the search would run on, None while the devices are not known."""
        if self.session.active.device == AUTO:
            return automatic_device(self._devices) if self._devices else None
        return next((info for info in self._devices if info.id == self.session.active.device), None)

    def _show_threads(self, device: DeviceInfo | None) -> None:
        """Offer the device's cores where it has several; say so where the search cannot use them."""
        slot, most = self.session.active, 1 if device is None else device.threads
        if self.threads.count() == 0 or self.threads.itemData(self.threads.count() - 1) != most:
            blocked = self.threads.blockSignals(True)
            self.threads.clear()
            for count in _thread_counts(most):
                self.threads.addItem(f"{count}", count)
            self.threads.blockSignals(blocked)
        self.threads.choose_data(slot.threads)
        self.threads.setVisible(most > 1)
        self._cores.setVisible(most > 1)
        declared = slot.declared
        if declared is None and device is not None and slot.kind is SearchKind.ONE_TREE:
            declared = find_algorithm(device.fastest)
        several = most > 1 and slot.threads > 1
        self.one_core.setVisible(several and declared is not None and declared.sequential)


def _row(name: QWidget, field: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(GAP)
    row.addWidget(name)
    row.addWidget(field, 1)
    return row


def _thread_counts(most: int) -> list[int]:
    """Return the numbers of threads to choose from: powers of two, and all."""
    return sorted({1 << power for power in range(most.bit_length())} | {most})


def _automatic_summary(device: DeviceInfo | None, slot: Slot) -> str:
    one_tree = slot.kind is SearchKind.ONE_TREE
    on_cut = "" if slot.automatic == AUTO else translated_message(find_algorithm(slot.automatic).title)
    if slot.kind is SearchKind.ROUTE:
        return translated("Dijkstra from both ends, which needs neither coordinates nor preparation.")
    if on_cut and not one_tree:
        return translated("The fastest search now that the network is cut: {on_cut}.", on_cut=on_cut)
    if device is None or not one_tree:
        return translated("The fastest search for the device.")
    fastest = translated_message(find_algorithm(device.fastest).title)
    if on_cut:
        return translated(
            "{fastest}, whose front is seen; trees that follow the mouse are made by {on_cut}.",
            fastest=fastest,
            on_cut=on_cut,
        )
    return translated("The fastest search for the {device}: {fastest}.", device=device.label, fastest=fastest)


def _kind_and_paper(declared: Algorithm) -> str:
    """Return what a search finds, and where it was published."""
    kind = translated_message(declared.kind)
    return f"{kind[:1].upper()}{kind[1:]} · {translated_message(declared.paper)}"


def _summary(declared: Algorithm) -> str:
    return translated_message(declared.summary)


def _swap_model(box: ChoiceBox, model: QStandardItemModel, chosen: str) -> None:
    blocked = box.blockSignals(True)
    box.setModel(model)
    box.choose_data(chosen)
    box.blockSignals(blocked)


def _heading(family: str) -> QStandardItem:
    heading = QStandardItem(translated_message(family[:1].upper() + family[1:]))
    heading.setFlags(Qt.ItemFlag.NoItemFlags)
    return heading


def _separator() -> QStandardItem:
    """Return a line, which stands for the heading over a family with a single algorithm."""
    line = QStandardItem()
    line.setData("separator", Qt.ItemDataRole.AccessibleDescriptionRole)  # the role that Qt draws as a line
    line.setFlags(Qt.ItemFlag.NoItemFlags)
    return line


def _item(text: str, data: str, about: str) -> QStandardItem:
    item = QStandardItem(one_line(text))
    item.setData(data, Qt.ItemDataRole.UserRole)
    item.setToolTip(hint(about))
    return item


def _device_title(device: DeviceInfo) -> str:
    if not device.available:
        return translated("{name} — not available", name=device.label)
    return device.label if device.exclusive else f"{device.label} — {device.name}"
