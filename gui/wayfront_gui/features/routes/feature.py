"""Routes: what the way to a target takes and its directions, road by road, on a card over the map."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature, Host
from wayfront_gui.features.routes.directions import DirectionsCard


class Directions:
    """Shows the card of the active slot's route, and passes on which target is picked on it."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self.card = DirectionsCard(host.view)
        host.appearance.colour(self.card)
        host.central.add_card(self.card, self.card.move_to_corner)
        self.card.target_picked.connect(lambda node: host.controller.move_target(node, node))
        host.session.target_changed.connect(self._show)

    def _show(self) -> None:
        slot = self._host.session.active
        route = slot.route()
        self._host.reports.show("" if route is None else route.text)
        self.card.show_journey(slot.targets, slot.journey())


FEATURE = Feature("routes", at=4, controls=(Directions,))
