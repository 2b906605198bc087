"""Closed roads: closing and reopening them on the map, what that costs, and the road whose closure costs most."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.closures.control import OpenTrees, RoadControl
from wayfront_gui.features.closures.costs import Critical, Detours
from wayfront_gui.features.closures.layer import ClosedRoads
from wayfront_gui.features.closures.turn_control import TurnControl
from wayfront_gui.session.closures import ClosedRoad


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.closures.panel import ClosuresPanel

    turns = host.control(TurnControl)

    def show_road(road: ClosedRoad) -> None:
        network = host.session.active.network
        if road.turn is not None:
            turns.show(road.turn)
        elif network is not None and network.coordinates is not None:
            host.view.show_roads(ClosedRoads.of(network, road.arcs))

    return ClosuresPanel(host.session, host.actions, show_road, lambda turn: turns.reopen([turn]))


FEATURE = Feature(
    "closures",
    at=10,
    controls=(RoadControl, TurnControl),
    states=(Detours, Critical),
    of_slot=OpenTrees,
    sections=(
        Section(
            "closures",
            "Closed roads",
            _panel,
            "Roads closed for the search, and what that costs",
            at=40,
            activities=("explore",),
            tools=("roads.close", "roads.close_turn", "roads.reopen", "roads.detours", "roads.critical"),
            text="&Closed roads",
            tall=lambda _host: True,
            keys=("L",),
        ),
    ),
)
