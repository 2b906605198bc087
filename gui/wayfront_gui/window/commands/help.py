"""The commands of the Help menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import PySide6
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from wayfront_gui.dialogs.about import AboutDialog
from wayfront_gui.dialogs.command_palette import CommandPalette
from wayfront_gui.dialogs.keyboard import KeyboardDialog
from wayfront_gui.engine_thread.jobs import Abilities
from wayfront_gui.model.command import Command
from wayfront_gui.model.diagnostics import facts, licences, report
from wayfront_gui.translation import marked, translated
from wayfront_gui.window.appearance import Appearance
from wayfront_gui.window.controller import Controller
from wayfront_gui.window.questions import Questions

RESET = marked(
    "Colours, panels, the window's place and size, speed, recent files and what is opened at the next start go back to "
    "what they are at a first start. Your files stay as they are."
)


class HelpCommands:
    """Finds commands, lists their shortcuts, says what the program is, and sets its settings back."""

    def __init__(
        self,
        parent: QWidget,
        controller: Controller,
        commands: Sequence[Command],
        palette: CommandPalette,
        appearance: Appearance,
        questions: Questions,
        reset: Callable[[], None],
    ) -> None:
        self._parent = parent
        self._log, self._say = controller.log, controller.news.emit
        self._commands = commands
        self._palette = palette
        self._appearance = appearance
        self._questions = questions
        self._reset = reset
        self._abilities = Abilities((), ())
        controller.abilities_found.connect(self._take_abilities)

    def show_palette(self) -> None:
        """Find any command by name."""
        self._palette.show_all()

    def show_keyboard(self) -> None:
        """Show all shortcuts."""
        page = KeyboardDialog(self._commands, self._appearance.theme, self._parent)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.show()

    def choose_language(self, code: str) -> None:
        """Choose the language of all texts, which they have from the next start on."""
        self._appearance.choose_language(code)
        self._say(translated("All texts are in this language when wayfront is started again."))

    def reset_settings(self) -> None:
        """Ask, and set everything back to what it is at a first start."""
        self._questions.ask(translated("Reset settings?"), translated(RESET), translated("Reset"), self._reset)

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
