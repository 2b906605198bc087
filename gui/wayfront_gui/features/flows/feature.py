"""What streets carry: everybody's trips by shortest paths, where those over a road lead, what closed roads change."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.flows.control import FlowControl
from wayfront_gui.features.flows.state import FlowChoice


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.flows.panel import FlowsPanel

    return FlowsPanel(host.session, host.actions)


FEATURE = Feature(
    "flows",
    at=46,
    controls=(FlowControl,),
    states=(FlowChoice,),
    sections=(
        Section(
            "flows",
            "What streets carry",
            _panel,
            "How many trips pass each road when everybody goes everywhere, and what changes where one is closed",
            at=18,
            activities=("analyse",),
            tools=("search.flows", "search.trips"),
        ),
    ),
)
