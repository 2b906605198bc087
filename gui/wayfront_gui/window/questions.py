"""What the window asks before it goes on."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMessageBox, QWidget

from wayfront.errors import MemoryShortError, NetworkNotHereError
from wayfront_gui.model import formatting
from wayfront_gui.translation import translated
from wayfront_gui.widgets.message_bar import message_box


class Questions:
    """Asks in a box over the window; the window works meanwhile."""

    def __init__(self, parent: QWidget) -> None:
        self._parent = parent

    def about_memory(self, problem: MemoryShortError, open_anyway: Callable[[], None]) -> None:
        """Ask whether to open a map that may not fit."""
        self.ask(
            translated("Not enough memory"), formatting.memory_short(problem), translated("Open anyway"), open_anyway
        )

    def about_network(self, problem: NetworkNotHereError, make_it: Callable[[], None]) -> None:
        """Ask whether to make the network that a trace names."""
        self.ask(translated("Make the network?"), formatting.network_not_here(problem), translated("Make it"), make_it)

    def ask(self, title: str, text: str, button: str, do_it: Callable[[], None]) -> None:
        """Ask with a button called ``button``, which calls ``do_it``, and one to cancel."""
        box = message_box(self._parent, title, text)
        box.addButton(button, QMessageBox.ButtonRole.AcceptRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.accepted.connect(do_it)
        box.open()
