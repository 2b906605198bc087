"""Says what signs of forbidden turns mean: in the status line at once, in a card where the pointer rests."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent

from wayfront.network.forbidden_turns import forbidden_turns
from wayfront_gui.app.feature import Host
from wayfront_gui.app.map_sync import MapSync
from wayfront_gui.features.turns.layer import TurnSigns, layer_of_network
from wayfront_gui.features.turns.tool import SignTool
from wayfront_gui.features.turns.words import rule_text
from wayfront_gui.map.view import MapView
from wayfront_gui.session.slot import Slot
from wayfront_gui.ui.cards import FactsCard
from wayfront_gui.ui.translation import translated


class SignControl(QObject):
    """Describes the sign under the pointer."""

    def __init__(self, host: Host) -> None:
        super().__init__(host.view)
        self._host, self._tool = host, host.view.tool(SignTool)
        self._tool.pointed.connect(self._on_pointed)
        host.control(MapSync).follow(lambda slot: (slot.network_changed,), _show_signs)
        self.card = FactsCard(host.view.viewport())
        host.view.viewport().installEventFilter(self)

    def text(self, row: int) -> str:
        """Return what a sign of the map says, "" for none."""
        network = self._host.session.active.opened
        return "" if network is None or row < 0 else rule_text(network, forbidden_turns(network), row)

    def _on_pointed(self, row: int) -> None:
        self.card.hide()
        self._host.status.show_hover(self.text(row))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Show the card where the pointer rests on a sign; anything else that is done hides it."""
        if isinstance(event, QHelpEvent) and (text := self.text(self._tool.row)):
            self.card.show_beside([(translated("Sign"), text)], event.pos())
            return True
        if event.type() in (QEvent.Type.Leave, QEvent.Type.Hide, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel):
            self.card.hide()
        return False


def _show_signs(slot: Slot, view: MapView) -> None:
    """Show what the file forbids; turns that are closed by hand have signs of their own."""
    if slot.opened is not None and slot.turns:
        view.set_layer(TurnSigns.NAME, layer_of_network(slot.opened))
