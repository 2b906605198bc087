"""Depots: the best places for one, two or three among candidates that a person clicks."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature, Section
from wayfront_gui.features.depots.control import DepotControl
from wayfront_gui.features.depots.panel import DepotsPanel
from wayfront_gui.features.depots.state import DepotChoice

FEATURE = Feature(
    "depots",
    at=30,
    controls=(DepotControl,),
    states=(DepotChoice,),
    sections=(
        Section(
            "depots",
            "Depots",
            lambda host: DepotsPanel(host.session, host.actions),
            "The best places for one, two or three depots",
            at=50,
            activities=("explore",),
            tools=("search.depots",),
            text="&Depots",
        ),
    ),
)
