"""Depots: the best places for one, two or three among candidates that a person clicks."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.depots.control import DepotControl
from wayfront_gui.features.depots.state import DepotChoice


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.depots.panel import DepotsPanel

    return DepotsPanel(host.session, host.actions)


FEATURE = Feature(
    "depots",
    at=30,
    controls=(DepotControl,),
    states=(DepotChoice,),
    sections=(
        Section(
            "depots",
            "Depots",
            _panel,
            "The best places for one, two or three depots",
            at=50,
            activities=("explore",),
            tools=("search.depots",),
            text="&Depots",
        ),
    ),
)
