"""Access: what every node reaches of points that a person puts on the map, and drags."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.access.control import AccessControl
from wayfront_gui.features.access.state import AccessChoice


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.access.panel import AccessPanel

    return AccessPanel(host.session, host.actions)


FEATURE = Feature(
    "access",
    at=45,
    controls=(AccessControl,),
    states=(AccessChoice,),
    sections=(
        Section(
            "access",
            "Access",
            _panel,
            "What every node reaches of points such as shops, and how near they are",
            at=20,
            activities=("analyse",),
            tools=("search.access",),
        ),
    ),
)
