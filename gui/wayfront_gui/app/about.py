"""The commands of the Help menu."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import PySide6
from PySide6.QtCore import QSize, Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from wayfront.devices import Ability, DeviceInfo
from wayfront.timing.harness import machine_facts
from wayfront.version import __version__
from wayfront_gui.app.commands import command
from wayfront_gui.app.feature import Host
from wayfront_gui.app.jobs import Abilities
from wayfront_gui.app.keyboard_page import KeyboardDialog
from wayfront_gui.app.remembering import Remembering
from wayfront_gui.ui.controls import (
    GAP,
    SPRING,
    PlainLabel,
    Scrolling,
    fit_screen,
    holding,
    in_column,
    in_row,
    label,
    push_button,
)
from wayfront_gui.ui.style import hint, keep_scaled, scaled, text_scale
from wayfront_gui.ui.translation import marked, translated, translated_message
from wayfront_gui.ui.typeface import TYPEFACE

RESET = marked(
    "Colours, panels, the window's place and size, speed, recent files and what is opened at the next start go back to "
    "what they are at a first start. Your files stay as they are."
)


class HelpCommands:
    """Lists the shortcuts of all commands, says what the program is, and sets its settings back."""

    def __init__(self, host: Host) -> None:
        self._host, self._parent, self._log = host, host.window, host.controller.log
        self._abilities = Abilities((), ())
        host.controller.abilities_found.connect(self._take_abilities)

    @command("help.keyboard", "&Keyboard and mouse", keys=("F1", "?"), at=(1, 2))
    def show_keyboard(self) -> None:
        """Show all shortcuts."""
        page = KeyboardDialog(self._host.commands, self._host.appearance.theme, self._parent)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.show()

    @command("help.reset", "&Reset settings…", hint="As at a first start", at=(3, 1))
    def reset_settings(self) -> None:
        """Ask, and set everything back to what it is at a first start."""
        self._host.questions.ask(
            translated("Reset settings?"), translated(RESET), translated("Reset"), self._host.control(Remembering).reset
        )

    @command("help.about", "&About wayfront", hint="Versions, machine, licences", at=(4, 1))
    def show_about(self) -> None:
        """Say what the program is and what it runs on."""
        found = facts(self._abilities.devices, self._abilities.driver, self._of_qt())
        AboutDialog(found, licences(), lambda: report(found, self._log.lines), self._parent).open()

    def _of_qt(self) -> dict[str, str]:
        """Return what only Qt knows: its versions, and the screens."""
        screens = ", ".join(
            f"{screen.size().width()} × {screen.size().height()}, {screen.devicePixelRatio():g}×"
            for screen in QGuiApplication.screens()
        )
        return {
            "Qt": f"{qVersion()}, PySide6 {PySide6.__version__}",
            marked("Screen"): f"{screens} ({QGuiApplication.platformName()})",
        }

    def _take_abilities(self, abilities: Abilities) -> None:
        self._abilities = abilities


ABOUT = marked("Watch shortest-path searches run on real road networks, on the GPU and the CPU, with truthful timing.")
COPIED = marked("Copied")
ICON_SIDE = 64
MARGIN = 20
WIDTH = 560
LICENCES_HEIGHT = 104


def text_field(text: str, name: str) -> QPlainTextEdit:
    """Return a field with a text to read and to copy."""
    field = QPlainTextEdit(text)
    field.setProperty("framed", True)
    field.setReadOnly(True)
    field.setAccessibleName(name)
    field.setToolTip(hint(name))
    field.setTabChangesFocus(True)
    return field


def copy_button(text: str, about: str, copied: Callable[[], str]) -> QPushButton:
    """Return a button that copies what ``copied`` returns to the clipboard, and says that it did."""
    button = push_button(text, about)

    def copy() -> None:
        QGuiApplication.clipboard().setText(copied())
        button.setText(translated(COPIED))

    button.clicked.connect(copy)
    return button


class AboutDialog(QDialog):
    """Shows version, machine and licences; copies the diagnostics that belong to a report."""

    def __init__(
        self, facts: Mapping[str, str], licences: Sequence[Licence], diagnostics: Callable[[], str], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(translated("About wayfront"))
        listed = "\n".join(f"{library} {version}: {name}" for library, version, name in licences)
        self.licences = text_field(
            f"wayfront {__version__}: MIT\n{listed}",
            translated("Licences"),
        )
        keep_scaled(self.licences.setFixedHeight, LICENCES_HEIGHT)
        self.copy = copy_button(
            translated("Copy diagnostics"), translated("Copy versions, machine and log, for a report"), diagnostics
        )
        content = in_column(
            _head(),
            _grid(facts),
            label(translated("Licences"), "caption"),
            self.licences,
            spacing=GAP * 2,
            margins=(MARGIN, MARGIN, MARGIN, GAP * 2),
        )
        buttons = _buttons(self, self.copy)
        buttons.setContentsMargins(MARGIN, 0, MARGIN, MARGIN)
        self.setLayout(in_column((Scrolling(holding(content)), 1), buttons))
        high = content.heightForWidth(scaled(WIDTH)) + buttons.sizeHint().height()
        fit_screen(self, QSize(scaled(WIDTH), high))


class ReportDialog(QDialog):
    """Shows what a run left that did not end as it should."""

    def __init__(self, report: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(translated("What happened last time"))
        fit_screen(self, QSize(WIDTH + 120, 420) * text_scale.factor)
        self.report = text_field(report, translated("Report of the last run"))
        self.copy = copy_button(translated("Copy"), translated("Copy the report to the clipboard"), lambda: report)
        layout = QVBoxLayout(self)
        layout.addWidget(
            label(translated("wayfront did not close properly. The report helps to find out why."), wrap=True)
        )
        layout.addWidget(self.report, 1)
        layout.addLayout(_buttons(self, self.copy))


def _buttons(dialog: QDialog, copy: QPushButton) -> QHBoxLayout:
    """Return the lowest row: what copies, and what closes."""
    close = push_button(translated("Close"), translated("Close this window"), "main", dialog.accept)
    close.setDefault(True)
    return in_row(copy, SPRING, close)


def _head() -> QHBoxLayout:
    """Return the icon beside name, version and what the program is."""
    picture = PlainLabel()
    picture.setPixmap(QApplication.windowIcon().pixmap(scaled(ICON_SIDE)))
    picture.setAlignment(Qt.AlignmentFlag.AlignTop)
    texts = in_column(label(f"wayfront {__version__}", "figure"), label(translated(ABOUT), wrap=True), spacing=2)
    return in_row(picture, (texts, 1), spacing=GAP * 2)


def _grid(facts: Mapping[str, str]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(GAP * 2)
    grid.setVerticalSpacing(3)
    grid.setColumnStretch(1, 1)
    for index, (caption, value) in enumerate(facts.items()):
        grid.addWidget(label(translated(caption)), index, 0, Qt.AlignmentFlag.AlignTop)
        text = label(translated_message(value), "value", wrap=True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        grid.addWidget(text, index, 1)
    return grid


_DISTRIBUTION = "wayfront-engine"
LONGEST_LICENCE = 60
"""A longer text is a licence, not the name of one."""


class Licence(NamedTuple):
    """A library that the program uses, and the name of its licence."""

    library: str
    version: str
    name: str


def facts(devices: Sequence[DeviceInfo], driver: str, window: Mapping[str, str]) -> dict[str, str]:
    """Return captions and values, of which ``window`` are those that only Qt knows; ``driver`` is NVIDIA's version."""
    machine = machine_facts()
    versions = {"Python": machine["python"], **window}
    versions |= {"NumPy": machine["numpy"], "Numba": f"{machine['numba']}, numba-cuda {machine['numba-cuda']}"}
    return {
        marked("Processor"): f"{machine['processor']}, {machine['cores']} cores",
        marked("Card"): _cards(devices, driver),
        marked("System"): machine["system"],
        **versions,
    }


def _cards(devices: Sequence[DeviceInfo], driver: str) -> str:
    cards = [info for info in devices if Ability.GRID_BARRIER in info.abilities and not info.exclusive]
    here = [info.name for info in cards if info.available]
    if here:
        return f"{', '.join(here)}; driver {driver}"
    return next((info.why_not for info in cards if info.why_not), marked("none"))


def report(found: Mapping[str, str], log: Iterable[str] = ()) -> str:
    """Return the facts as plain text, with the last lines of the log below."""
    lines = [f"wayfront {__version__}", *(f"{caption}: {value}" for caption, value in found.items())]
    logged = list(log)
    return "\n".join([*lines, "", *logged] if logged else lines) + "\n"


def licences() -> list[Licence]:
    """Return the typeface and the libraries that the program needs or was installed with, those that are here."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        wanted = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:  # bare sources
        wanted = []
    names = {re.split(r"[^A-Za-z0-9_.-]", line, maxsplit=1)[0] for line in wanted}
    found = (_licence(name) for name in sorted(names - {_DISTRIBUTION}, key=str.lower))
    return [*(Licence(*each) for each in TYPEFACE), *(licence for licence in found if licence is not None)]


def _licence(library: str) -> Licence | None:
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        about = metadata(library)
    except PackageNotFoundError:
        return None
    stated = [text for field in ("License-Expression", "License") for text in about.get_all(field) or []]
    stated += [line.rpartition(" :: ")[2] for line in about.get_all("Classifier") or [] if line.startswith("License")]
    name = next((text for text in stated if text and len(text) <= LONGEST_LICENCE), "see its own files")
    return Licence(library, about["Version"], name)
