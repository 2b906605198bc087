"""The commands of the Edit menu."""

from __future__ import annotations

from wayfront_gui.window.graph_editor import GraphEditor
from wayfront_gui.window.undo import Undo


class EditCommands:
    """Undoes and redoes what a person chose, and draws graphs."""

    def __init__(self, undo: Undo, graphs: GraphEditor) -> None:
        self._undo, self._graphs = undo, graphs

    def undo(self) -> None:
        """Undo the last choice."""
        self._undo.undo()

    def redo(self) -> None:
        """Make the choice again that was undone."""
        self._undo.redo()

    def draw_graph(self, wanted: bool) -> None:
        """Take the tool that changes the graph, or put it away."""
        if wanted:
            self._graphs.begin()
        else:
            self._graphs.end()

    def type_picked(self) -> None:
        """Type the picked node's name or the picked arc's weight."""
        self._graphs.type_picked()

    def delete_picked(self) -> None:
        """Delete the picked node or arc."""
        self._graphs.delete()
