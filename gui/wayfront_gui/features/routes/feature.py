"""Routes: one target or several, via points, what the ways take, directions step by step, and files of them."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.routes.control import RouteControl
from wayfront_gui.features.routes.legs import LegFinder
from wayfront_gui.features.routes.others import OthersControl


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.routes.panel import RoutePanel

    controls = (lambda: host.control(RouteControl)), (lambda: host.control(OthersControl))
    return RoutePanel(host.session, host.actions, *controls)


FEATURE = Feature(
    "routes",
    at=4,
    controls=(RouteControl, OthersControl),
    of_slot=LegFinder,
    sections=(
        Section(
            "route",
            "Route",
            _panel,
            "Source and targets, directions, and files of them",
            at=12,
            activities=("explore",),
        ),
    ),
)
