"""The commands of the Edit menu."""

from __future__ import annotations

from wayfront_gui.window.undo import Undo


class EditCommands:
    """Undoes and redoes what a person chose."""

    def __init__(self, undo: Undo) -> None:
        self._undo = undo

    def undo(self) -> None:
        """Undo the last choice."""
        self._undo.undo()

    def redo(self) -> None:
        """Make the choice again that was undone."""
        self._undo.redo()
