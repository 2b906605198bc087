"""The card of facts beside the pointer, about the node under it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent

from wayfront_gui.map.view import MapView
from wayfront_gui.model.node_facts import Facts
from wayfront_gui.widgets.facts_card import FactsCard

_PUT_AWAY = (QEvent.Type.Leave, QEvent.Type.Hide, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)


class HoverFacts(QObject):
    """Shows facts of a node of a map once the pointer rests on it, then of each node that the pointer goes on to.

    ``facts_of`` returns a node's facts. Off the roads, and with every press, the card is gone until the next rest.
    """

    def __init__(self, view: MapView, facts_of: Callable[[int], Facts]) -> None:
        super().__init__(view)
        self._view, self._facts_of = view, facts_of
        self.card = FactsCard(view.viewport())
        view.viewport().installEventFilter(self)
        view.node_hovered.connect(self._go_on)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """Show the card when the pointer rests, as Qt shows tooltips; put it away when something else is done."""
        if isinstance(event, QHelpEvent):
            self._show(self._view.map_scene.hovered)
            return True
        if event.type() in _PUT_AWAY:
            self.card.hide()
        return False

    def _go_on(self, node: int) -> None:
        if not self.card.isHidden():
            self._show(node if node >= 0 else None)

    def _show(self, node: int | None) -> None:
        facts = [] if node is None else self._facts_of(node)
        if facts and self._view.pointer is not None:
            self.card.show_beside(facts, self._view.pointer.toPoint())
        else:
            self.card.hide()
