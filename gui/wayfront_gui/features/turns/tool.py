"""The map's tool for signs of forbidden turns: it points at them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QMouseEvent

from wayfront_gui.features.turns.layer import TurnSigns
from wayfront_gui.map.view import MapView, Tool


class SignTool(Tool):
    """Reports the sign under the pointer; clicks and drags are the map's."""

    pointed = Signal(int)
    """The sign under the pointer, −1 for none."""

    def __init__(self, view: MapView) -> None:
        super().__init__(view)
        self.row = -1
        """The sign under the pointer, −1 for none."""

    @property
    def signs(self) -> TurnSigns | None:
        """The signs that the map shows, None for none."""
        scene = self.view.map_scene
        layer = scene.layers.get(TurnSigns.NAME)
        shown = scene.wanted.signs and scene.diagram is None
        return layer if shown and isinstance(layer, TurnSigns) else None

    def move(self, event: QMouseEvent, *, over_marker: bool = False) -> bool:
        """Point at a sign, unless another tool is chosen."""
        if over_marker or event.buttons() or self.view.takes_other_tool(self) or (signs := self.signs) is None:
            self.leave()
            return False
        seen, at = self.view.in_text_units(event.position())
        self._point(signs.sign_at(seen, at.x(), at.y()))
        return self.row >= 0

    def leave(self) -> None:
        """Point at nothing."""
        self._point(-1)

    def forget(self) -> None:
        """Point at nothing of the network that is closed."""
        self._point(-1)

    def _point(self, row: int) -> None:
        if row != self.row:
            self.row = row
            self.pointed.emit(row)
