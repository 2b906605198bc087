"""The panel of the search: network, metric, algorithm and Run, and what folds below them."""

from __future__ import annotations

import math
import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QCheckBox,
    QDoubleSpinBox,
    QLineEdit,
    QListView,
    QSpinBox,
    QStyleOptionViewItem,
    QWidget,
)

from wayfront.devices import DeviceInfo, automatic_device, describe_device
from wayfront.results.result import BaseResult, SearchKind
from wayfront.safe.errors import OptionError
from wayfront.safe.options import AUTO, Option, OptionValue
from wayfront.searching.registry import Algorithm, find_algorithm
from wayfront_gui.app.network_panel import NetworkPanel
from wayfront_gui.session import formatting
from wayfront_gui.session.choice import FASTEST_ROUTE, FIRST
from wayfront_gui.session.session import Session
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.controls import (
    DETAIL_ROLE,
    GAP,
    MARGIN,
    ChoiceBox,
    Fold,
    Form,
    NamedRows,
    caption,
    captioned,
    check_box,
    demi_bold,
    holding,
    in_column,
    in_row,
    label,
    let_go_when_done,
    number_field,
    push_button,
)
from wayfront_gui.ui.style import hint, keep_scaled, one_line
from wayfront_gui.ui.translation import marked, plural, translated, translated_message

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
TEXT_ROLE = Qt.ItemDataRole.DisplayRole
ENTRY_HEIGHT, ENTRY_MARGIN = 24, 10
MOST_ENTRIES = 24
"""Rows of the list of algorithms that are seen at once."""
MOST_DIGITS = 6
"""Of a number of cores in a recording."""
TYPED_WITHIN_S = 1.0
"""Letters typed one after the other within this time are of one word."""
FOLD_MARGIN = 6
"""Left of the mark of a fold, whose title then begins near where captions do."""


class SearchPanel(QWidget):
    """What is searched, by what and how, and Run: what is seldom changed folds into lines below that."""

    def __init__(self, network: NetworkPanel, algorithm: AlgorithmPanel) -> None:
        super().__init__()
        self.network, self.algorithm = network, algorithm
        self._folds = holding(
            in_column(algorithm.more, network.about, spacing=0, margins=(FOLD_MARGIN, 0, FOLD_MARGIN, 0))
        )
        self.setLayout(in_column(network, algorithm, self._folds, margins=(0, 0, 0, GAP)))

    def show_lines(self, shown: bool) -> None:
        """Show what is seldom changed as lines, or not until one of them is open or says that something differs."""
        more, about = self.algorithm.more, self.network.about
        self._folds.setVisible(shown or more.is_open or about.is_open or bool(more.header.summary))


class AlgorithmPanel(QWidget):
    """Chooses an algorithm, says what was left to the program, and runs: Run becomes Cancel while a search runs.

    ``more`` is a part of its own, which folds: what else there is to choose of a search. ``resume`` goes on with a
    stopped search where ``resumable`` returns that there is one. ``choose_way`` takes whether ways lead to the source.
    """

    def __init__(
        self,
        session: Session,
        run: Callable[[], None],
        cancel: Callable[[], None],
        resume: Callable[[], None],
        resumable: Callable[[], bool],
        choose_way: Callable[[bool], None],
    ) -> None:
        super().__init__()
        self.session = session
        self._run, self._cancel, self._resumable = run, cancel, resumable
        self._searching = False
        self._known: Sequence[Algorithm] = ()
        self._devices: Sequence[DeviceInfo] = ()
        self.pairs = PairsForm(session)
        self.algorithm = AlgorithmBox(
            translated("How to search: open the list and type a name to find it"),
            partial(_choose, session, Slot.choose_algorithm),
        )
        self.no_target = label(translated(NO_TARGET), "caption", wrap=True)
        self.automatic = label(wrap=True)
        self.button = push_button(translated("Run"), rank="main", press=self._press)
        self.resume = push_button(
            translated("Resume"), translated("Go on with the search that was stopped (Ctrl+R)"), press=resume
        )
        self.options = MoreOptions(session, choose_way)
        self.kind, self.device, self.threads = self.options.kind, self.options.device, self.options.threads
        self.way = self.options.way
        self.more = Fold(
            translated("More"),
            self.options,
            about=translated("What a search finds, which way, its options, device and cores"),
        )
        self.more.setObjectName("more")
        buttons = in_row((self.button, 1), self.resume)
        chosen = captioned(translated("Algorithm"), self.algorithm)
        parts = chosen, self.pairs, self.no_target, self.automatic, buttons
        self.setLayout(in_column(*parts, margins=(MARGIN, 0, MARGIN, 0)))
        self.show_algorithms((), ())
        self.show_devices(())
        session.choice_changed.connect(self._show_choice)
        session.target_changed.connect(self._show_choice)
        for changed in (session.result_changed, session.network_changed):
            changed.connect(self._show_found)
        self._show_choice()

    def show_algorithms(self, known: Sequence[Algorithm], devices: Sequence[DeviceInfo]) -> None:
        """List the declared algorithms; disable those that no available device can run."""
        self._known, self._devices = known, devices
        here = [device for device in devices if device.available]
        model = QStandardItemModel(self)
        model.appendRow(_item(translated("Automatic"), AUTO, translated("The fastest search for the device")))
        for heading, members in grouped(known):
            if heading:
                model.appendRow(_heading(heading))
            for declared in members:
                about = f"{_summary(declared)}\n{_kind_and_paper(declared)}"
                detail = translated("to a target") if declared.kind is SearchKind.ROUTE else ""
                item = _item(translated_message(declared.title), declared.name, about, detail)
                if not any(declared.runs_on(device) for device in here):
                    item.setData(translated("not available"), DETAIL_ROLE)
                    item.setFlags(Qt.ItemFlag.NoItemFlags)
                model.appendRow(item)
        _swap_model(self.algorithm, model, self.session.active.algorithm)

    def show_devices(self, devices: Sequence[DeviceInfo]) -> None:
        """List the machine's devices; disable those that are not available, with the reason as tooltip."""
        self._devices = devices
        self.options.show_devices(devices)
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

    def _show_choice(self) -> None:
        slot = self.session.active
        self.pairs.setVisible(slot.kind is SearchKind.ALL_PAIRS)
        self.no_target.setVisible(slot.lacks_target)
        self.algorithm.choose_data(slot.algorithm)
        self.options.show_choice(self._device)
        self.more.set_summary(" · ".join(_unusual(slot)))
        self._show_found()

    def _show_found(self) -> None:
        """Say what the program chose, of the search that is shown if it is the one that is chosen."""
        chosen = automatic_choice(self.session.active, self._device)
        self.automatic.setText(translated("Automatic: {chosen}", chosen=chosen) if chosen else "")
        self.automatic.setVisible(bool(chosen))
        self.show_buttons()

    @property
    def _device(self) -> DeviceInfo | None:
        """The device that the search would run on, None while the devices are not known."""
        if self.session.active.device == AUTO:
            return automatic_device(self._devices) if self._devices else None
        return next((info for info in self._devices if info.id == self.session.active.device), None)


def grouped(known: Sequence[Algorithm]) -> list[tuple[str, list[Algorithm]]]:
    """Return algorithms in the order of the list, under its headings: first those that are tried first, without one."""
    first = [each for name in FIRST for each in known if each.name == name]
    others = [each for each in known if each.name not in FIRST]
    pairs = [each for each in others if each.own and each.kind is SearchKind.ALL_PAIRS]
    groups = (
        ("", first),
        (translated("From papers"), [each for each in others if each.own and each not in pairs]),
        (translated("From papers: all pairs"), pairs),
        (translated("From plug-ins"), [each for each in others if not each.own]),
    )
    return [(heading, members) for heading, members in groups if members]


def automatic_choice(slot: Slot, device: DeviceInfo | None) -> str:
    """Return what the program chooses for a search, or chose for the one that is shown; empty where it was not asked.

    ``Dijkstra, bucket queue · CPU, 2 cores`` and, once it was searched with it, ``Δ = 5,000``.
    """
    result = _shown_result(slot)
    parts = []
    if slot.algorithm == AUTO:
        parts.append(_automatic_search(slot, device) if result is None else formatting.title(result.algorithm))
    if slot.device == AUTO and (result is not None or device is not None):
        parts.append(_on_device(slot, device, result))
    if result is not None and (delta := formatting.automatic_delta(result)) is not None:
        parts.append(f"Δ = {delta:,}")
    return " · ".join(parts)


def _shown_result(slot: Slot) -> BaseResult | None:
    """Return the result that is shown if it is of the search that is chosen now."""
    result = slot.result if slot.pairs is None else slot.pairs.result
    if result is None or slot.live is not None or result.kind is not slot.kind:
        return None
    declared = slot.declared
    same = (
        result.metric.name == slot.metric_name
        and slot.algorithm in (AUTO, result.algorithm)
        and slot.device in (AUTO, result.device)
        and _cores_of(result, slot.threads) in (slot.threads, 1 if result.note else slot.threads)
        and (declared is None or dict(result.options) == slot.options())
    )
    return result if same else None


def _automatic_search(slot: Slot, device: DeviceInfo | None) -> str:
    if slot.kind is SearchKind.ROUTE:
        return formatting.title(FASTEST_ROUTE)
    if slot.kind is SearchKind.ALL_PAIRS:
        return translated("the fastest search") if slot.automatic == AUTO else formatting.title(slot.automatic)
    return translated("the fastest search") if device is None else formatting.title(device.fastest)


def _on_device(slot: Slot, device: DeviceInfo | None, result: BaseResult | None) -> str:
    """Return the device that the program takes or took, with its cores where it has several to give."""
    if result is not None:
        cores = _cores_of(result, 0)
        return _with_cores(describe_device(result.device).label, cores)
    assert device is not None
    name = device.fastest if slot.algorithm == AUTO else slot.algorithm
    cores = slot.threads if device.threads > 1 else 0
    return _with_cores(device.label, 1 if cores and _runs_on_one_core(name) else cores)


def _cores_of(result: BaseResult, otherwise: int) -> int:
    """Return how many cores a search used, which may be one of several that it was given; its note then says why."""
    cores = result.timing.machine.get("threads", "")
    return int(cores) if cores.isdecimal() and len(cores) <= MOST_DIGITS else otherwise


def _with_cores(device: str, cores: int) -> str:
    return f"{device}, {_cores_text(cores)}" if cores else device


def _cores_text(count: int) -> str:
    return formatting.unbroken(plural("{count} core", "{count} cores", count))


def _runs_on_one_core(name: str) -> bool:
    try:
        declared = find_algorithm(name)
    except OptionError:  # of a plug-in that is gone
        return False
    return declared.sequential and declared.kind is not SearchKind.ALL_PAIRS


def _unusual(slot: Slot) -> list[str]:
    """Return what was chosen that is not so by itself, beside the algorithm."""
    texts = []
    if slot.kind is not SearchKind.ONE_TREE and slot.algorithm == AUTO:
        texts.append(translated(KINDS[slot.kind][0]))
    if slot.reverse and slot.kind is not SearchKind.ALL_PAIRS:
        texts.append(translated("To here"))
    if slot.declared is not None:
        values = slot.options()
        texts += [
            f"{translated(formatting.option_title(option.name))} = {_plain_value(values[option.name])}"
            for option in slot.declared.options
            if values[option.name] != option.default
        ]
    if slot.device != AUTO:
        texts.append(describe_device(slot.device).label)
    if slot.threads != 1:
        texts.append(_cores_text(slot.threads))
    return texts


def _plain_value(value: OptionValue) -> str:
    if isinstance(value, bool):
        return translated("yes") if value else translated("no")
    return f"{value:,}" if isinstance(value, int) else translated_message(str(value))


class MoreOptions(QWidget):
    """What a search finds, which way, what the chosen algorithm does, its options, the device and its cores."""

    def __init__(self, session: Session, choose_way: Callable[[bool], None]) -> None:
        super().__init__()
        self._session = session
        kinds = ((translated(text), kind) for kind, (text, _) in KINDS.items())
        self.kind = ChoiceBox(translated("What a search finds"), partial(_choose, session, Slot.choose_kind), kinds)
        self.kind.explain_entries(translated(about) for _, about in KINDS.values())
        self.way = ChoiceBox(
            translated("Whether the ways lead from the source, or to it (Shift+B)"),
            choose_way,
            ((translated("From here"), False), (translated("To here"), True)),
        )
        self._way_row = holding(captioned(translated("Ways"), self.way))
        self._summary = label(wrap=True)
        self.paper = label(rank="caption", wrap=True)
        self._form = OptionForm(self._set_option)
        self.device = ChoiceBox(translated("What searches: a graphics card or the processor"), self._choose_device)
        self.threads = ChoiceBox(
            translated("Cores of the device that a search uses"), partial(_choose, session, Slot.choose_threads)
        )
        self._cores = caption(translated("Cores"), self.threads)
        self.one_core = label(translated(ONE_CORE), "caption", wrap=True)
        # Rows of their own: in a grid a text across both columns would make that of the captions wider.
        parts = (
            self._summary,
            self.paper,
            captioned(translated("Find"), self.kind),
            self._way_row,
            self._form,
            captioned(translated("Device"), self.device),
            in_row(self._cores, (self.threads, 1)),
            self.one_core,
        )
        inset = MARGIN - FOLD_MARGIN
        self.setLayout(in_column(*parts, margins=(inset, 0, inset, GAP)))

    def show_devices(self, devices: Sequence[DeviceInfo]) -> None:
        """List the machine's devices; disable those that are not available, with the reason as tooltip."""
        model = QStandardItemModel(self)
        model.appendRow(_item(translated("Automatic"), AUTO, translated("The first GPU if there is one, else the CPU")))
        for device in devices:
            item = _item(_device_title(device), device.id, device.name)
            if not device.available:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
                item.setToolTip(hint(translated_message(device.why_not)))
            model.appendRow(item)
        _swap_model(self.device, model, self._session.active.device)

    def show_choice(self, device: DeviceInfo | None) -> None:
        """Show what is chosen, to be searched on a device."""
        slot = self._session.active
        self.kind.choose_data(slot.kind)
        self._way_row.setVisible(slot.kind is not SearchKind.ALL_PAIRS)
        self.way.choose_data(slot.reverse)
        self.device.choose_data(slot.device)
        declared = slot.declared
        self._summary.setText(_automatic_summary(device, slot) if declared is None else _summary(declared))
        self.paper.setText("" if declared is None else _kind_and_paper(declared))
        self.paper.setVisible(declared is not None)
        self._form.show_options(() if declared is None else declared.options, slot.options())
        self._form.follow(self.kind)
        self._show_threads(device)

    def _set_option(self, name: str, value: OptionValue) -> None:
        self._session.active.set_option(name, value)

    def _choose_device(self, name: str) -> None:
        self._session.active.choose_device(name)
        if self.threads.isHidden():
            self._session.active.choose_threads(1)

    def _show_threads(self, device: DeviceInfo | None) -> None:
        """Offer the device's cores where it has several; say so where the search cannot use them."""
        slot, most = self._session.active, 1 if device is None else device.threads
        if self.threads.count() == 0 or self.threads.itemData(self.threads.count() - 1) != most:
            self.threads.list_entries((f"{count}", count) for count in _thread_counts(most))
        self.threads.choose_data(slot.threads)
        for part in (self._cores, self.threads):
            part.setVisible(most > 1)
        declared = slot.declared
        if declared is None and device is not None and slot.kind is SearchKind.ONE_TREE:
            declared = find_algorithm(device.fastest)
        several = most > 1 and slot.threads > 1
        self.one_core.setVisible(several and declared is not None and declared.sequential)


class AlgorithmBox(ChoiceBox):
    """A choice box whose entries are found by typing a part of their names, as ``FoundByName`` says."""

    def __init__(self, hint: str, choose: Callable[[Any], object]) -> None:
        super().__init__(hint, choose)
        self.setView(FoundByName())
        self.view().setItemDelegate(_Entries(self, ENTRY_HEIGHT, (ENTRY_MARGIN, 0, ENTRY_MARGIN, 0)))
        self.setMaxVisibleItems(MOST_ENTRIES)


class _Entries(NamedRows):
    """Draws entries with what sets them apart at the right, and headings, which stand for nothing, in bold."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the width of text and detail, and the height of a row."""
        wide = sum(option.fontMetrics.horizontalAdvance(str(index.data(role))) for role in (TEXT_ROLE, DETAIL_ROLE))
        return QSize(wide + 2 * ENTRY_MARGIN + 2 * GAP, super().sizeHint(option, index).height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw one row."""
        if index.data(Qt.ItemDataRole.UserRole) is None:
            option.font = demi_bold(option.font)
        super().paint(painter, option, index)


class FoundByName(QListView):
    """A list in which typing finds an entry by the beginning of any word of it, or of what it stands for.

    Accents and dashes do not matter: ``delta`` and ``floyd`` are enough.
    """

    def __init__(self) -> None:
        super().__init__()
        self._typed, self._typed_at = "", -math.inf

    def keyboardSearch(self, text: str) -> None:  # noqa: N802 - Qt's name
        """Go to the next entry that fits what was typed within a moment; one letter again goes on from there."""
        now = time.monotonic()
        begun = now - self._typed_at > TYPED_WITHIN_S
        self._typed_at = now
        self._typed = _plain_words(text) if begun else self._typed + _plain_words(text)
        again = len(set(self._typed)) == 1
        wanted = self._typed[:1] if again else self._typed
        row, rows = self.currentIndex().row(), self.model().rowCount()
        for step in range(rows):
            index = self.model().index((row + (begun or again) + step) % rows, 0)
            if index.flags() & Qt.ItemFlag.ItemIsEnabled and _fits(wanted, index):
                self.setCurrentIndex(index)
                return


def _fits(typed: str, index: QModelIndex) -> bool:
    """Whether any word of an entry begins with what was typed."""
    texts = (index.data(), index.data(Qt.ItemDataRole.UserRole))
    return any(f" {typed}" in f" {_plain_words(str(text))}" for text in texts)


def _plain_words(text: str) -> str:
    """Return a text in small letters without accents, with spaces for all that is neither letter nor figure."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(each if each.isalnum() else " " for each in decomposed if not unicodedata.combining(each))


def _choose(session: Session, choose: Callable[[Slot, Any], None], value: object) -> None:
    """Choose something in the slot that is active by then."""
    choose(session.active, value)


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
    with QSignalBlocker(box):
        box.setModel(model)
        box.choose_data(chosen)


def _heading(text: str) -> QStandardItem:
    heading = QStandardItem(text)
    heading.setData("", DETAIL_ROLE)
    heading.setFlags(Qt.ItemFlag.NoItemFlags)
    return heading


def _item(text: str, data: str, about: str, detail: str = "") -> QStandardItem:
    item = QStandardItem(one_line(text))
    item.setData(data, Qt.ItemDataRole.UserRole)
    item.setData(detail, DETAIL_ROLE)
    item.setToolTip(hint(about))
    return item


def _device_title(device: DeviceInfo) -> str:
    if not device.available:
        return translated("{name} — not available", name=device.label)
    return device.label if device.exclusive else f"{device.label} — {device.name}"


LARGEST_INT = 2**31 - 1

AUTOMATIC = marked("auto")
Change = Callable[[str, OptionValue], None]


class OptionForm(QWidget):
    """Shows one field per option and calls ``change(name, value)`` when the user sets one."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self._change = change
        self._layout = Form()
        self.setLayout(self._layout)
        self._options: Sequence[Option] = ()
        self._fields: list[QWidget] = []

    def show_options(self, options: Sequence[Option], values: Mapping[str, OptionValue]) -> None:
        """Show fields for ``options`` with these values; the same options again keep their fields."""
        if tuple(options) == tuple(self._options):
            for option, field in zip(options, self._fields, strict=True):
                _show_value(field, option, values[option.name])
            return
        self._options, self._fields = options, []
        while self._layout.rowCount():
            self._layout.removeRow(0)
        for option in options:
            field = _field(option, partial(self._change, option.name))
            _show_value(field, option, values[option.name])
            field.setObjectName(f"option {option.name}")
            field.setToolTip(_hint(option))
            name = caption(_first_upper(translated(formatting.option_title(option.name))), field)
            name.setToolTip(_hint(option))
            self._layout.addRow(name, field)
            self._fields.append(field)
        self.setVisible(bool(options))

    def follow(self, before: QWidget) -> None:
        """Let Tab reach the fields after ``before``, in their order: Qt puts fields that are made later last."""
        for field in self._fields:
            self.setTabOrder(before, field)
            before = field


def _first_upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _unit_of(option: Option, value: OptionValue) -> str:
    """Return an option's unit as it stands after a value, in the language in use."""
    unit = option.unit_of(value)
    return f" {translated_message(unit.strip())}" if unit else ""


def _with_unit(option: Option, value: OptionValue) -> str:
    return f"{translated_message(str(value))}{_unit_of(option, value)}"


def _hint(option: Option) -> str:
    lines = [translated_message(option.help)]
    if option.bounds is not None:
        low, high = option.bounds
        lines.append(translated("From {low:g} to {high:g}{unit}.", low=low, high=high, unit=_unit_of(option, high)))
    lines += [
        translated("With “{choice}” a result may be wrong; it is always checked.", choice=choice)
        for choice in option.unsafe
    ]
    lines.append(
        translated(
            "By default {value}.",
            value=translated(AUTOMATIC) if option.default == AUTO else _with_unit(option, option.default),
        )
    )
    return "\n".join(lines)


def _field(option: Option, set_value: Callable[[OptionValue], None]) -> QWidget:
    """Return the field of an option, which shows no value of it yet."""
    if option.kind is bool:
        box = check_box()
        box.toggled.connect(set_value)
        return box
    if option.choices:
        automatic = [(translated(AUTOMATIC), AUTO)] if option.automatic else []
        return ChoiceBox("", set_value, [*automatic, *((_with_unit(option, each), each) for each in option.choices)])
    if option.kind in (int, float):
        return _number(option, set_value)
    line = QLineEdit()
    line.editingFinished.connect(lambda: set_value(line.text()))
    let_go_when_done(line)
    return line


def _show_value(field: QWidget, option: Option, value: OptionValue) -> None:
    """Show a value that was not set here; a field that shows it already keeps what is being typed into it."""
    with QSignalBlocker(field):
        if isinstance(field, QCheckBox):
            field.setChecked(bool(value))
        elif isinstance(field, ChoiceBox):
            field.choose_data(value)
        elif isinstance(field, QSpinBox | QDoubleSpinBox):
            shown = field.minimum() if value == AUTO else option.kind(value)
            if field.value() != shown:
                field.setProperty("value", shown)
                field.setSuffix(_unit_of(option, field.value()))
        elif isinstance(field, QLineEdit) and not field.hasFocus():
            field.setText(str(value))


def _number(option: Option, set_value: Callable[[OptionValue], None]) -> QSpinBox | QDoubleSpinBox:
    box = QSpinBox() if option.kind is int else QDoubleSpinBox()
    most = LARGEST_INT if isinstance(box, QSpinBox) else 1e12
    low, high = option.bounds or (-most, most)
    if isinstance(box, QDoubleSpinBox):
        box.setDecimals(3)
    box.setProperty("minimum", option.kind(_lowest(option, low)))  # the two kinds of box take two kinds of numbers
    box.setProperty("maximum", option.kind(min(high, most)))
    box.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
    box.setGroupSeparatorShown(option.kind is int)
    number_field(box)
    box.setKeyboardTracking(False)
    if option.unit:
        box.valueChanged.connect(lambda value: box.setSuffix(_unit_of(option, value)))
        box.setSuffix(_unit_of(option, box.value()))
    if option.automatic:
        box.setSpecialValueText(translated(AUTOMATIC))
    box.valueChanged.connect(partial(_on_number, box, option, set_value))
    return box


def _lowest(option: Option, low: float) -> float:
    """Return the field's minimum, which lies below the bounds where it stands for ``AUTO``."""
    if not option.automatic:
        return low
    return 0.0 if low > 0 else low - 1


def _on_number(
    box: QSpinBox | QDoubleSpinBox, option: Option, set_value: Callable[[OptionValue], None], value: float
) -> None:
    try:
        set_value(AUTO if option.automatic and value == box.minimum() else option.parse(value))
    except OptionError:
        # Values between the field's minimum, which stands for AUTO, and the lowest legal one mean nothing.
        assert option.bounds is not None
        box.setProperty("value", option.bounds[0])


DEFAULT_SAMPLE = 1000
SAMPLE_WIDTH = 94


class PairsForm(QWidget):
    """Chooses the sources: all nodes, or a sample of them."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.sources = ChoiceBox(
            translated("From which nodes to search: a sample is spread evenly over the network"),
            self._choose_sources,
            ((translated("All nodes"), False), (translated("A sample"), True)),
        )
        self.count = QSpinBox()
        self.count.setRange(1, DEFAULT_SAMPLE)
        self.count.setGroupSeparatorShown(True)
        self.count.setKeyboardTracking(False)
        keep_scaled(self.count.setFixedWidth, SAMPLE_WIDTH)
        self.count.setToolTip(translated("Number of sources"))
        self.count.setAccessibleName(translated("Number of sources"))
        number_field(self.count)
        self.setLayout(in_row(caption(translated("Sources"), self.sources), (self.sources, 1), self.count))
        self.count.valueChanged.connect(partial(_choose, session, Slot.choose_sample))
        session.network_changed.connect(self._show_choice)
        session.choice_changed.connect(self._show_choice)
        self._show_choice()

    def _choose_sources(self, sampled: bool) -> None:
        self._session.active.choose_sample(min(DEFAULT_SAMPLE, self.count.maximum()) if sampled else None)

    def _show_choice(self) -> None:
        slot = self._session.active
        nodes = 1 if slot.network is None else max(slot.network.node_count, 1)
        with QSignalBlocker(self.count):
            self.count.setMaximum(nodes)
            self.count.setValue(slot.source_count)
        self.count.setVisible(slot.sample is not None)
        self.sources.choose_data(slot.sample is not None)
