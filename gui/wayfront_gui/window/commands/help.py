"""The commands of the Help menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from wayfront.version import __version__
from wayfront_gui.dialogs.command_palette import CommandPalette
from wayfront_gui.dialogs.keyboard import KeyboardDialog
from wayfront_gui.model.commands import Command
from wayfront_gui.widgets.message_bar import message_box
from wayfront_gui.window.appearance import Appearance

ABOUT = (
    "Watch shortest-path searches run on real road networks, on the GPU and the CPU, with truthful timing.\n\n"
    "MIT licence. Built with Qt, PySide6, pyqtgraph, NumPy and Numba."
)


class HelpCommands:
    """Finds commands, lists their shortcuts, and says what the program is."""

    def __init__(
        self, parent: QWidget, commands: Sequence[Command], palette: CommandPalette, appearance: Appearance
    ) -> None:
        self._parent = parent
        self._commands = commands
        self._palette = palette
        self._appearance = appearance

    def show_palette(self) -> None:
        """Find any command by name."""
        self._palette.show_all()

    def show_keyboard(self) -> None:
        """Show all shortcuts."""
        page = KeyboardDialog(self._commands, self._appearance.theme, self._parent)
        page.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        page.show()

    def show_about(self) -> None:
        """Say what the program is."""
        title = f"{QApplication.applicationName()} {__version__}"
        box = message_box(self._parent, title, ABOUT)
        box.setIconPixmap(QApplication.windowIcon().pixmap(64))
        box.open()
