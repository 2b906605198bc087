"""Isochrones: what is within bands of distance or time round one source, or nearest to which of several."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.isochrones.control import IsochroneControl
from wayfront_gui.features.isochrones.state import IsochroneChoice


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.isochrones.panel import IsochronesPanel

    return IsochronesPanel(host.session, host.actions, host.view)


FEATURE = Feature(
    "isochrones",
    at=40,
    controls=(IsochroneControl,),
    states=(IsochroneChoice,),
    sections=(
        Section(
            "isochrones",
            "Isochrones",
            _panel,
            "What is within bands of distance or time, or nearest to which source",
            at=30,
            activities=("explore",),
            text="&Isochrones",
        ),
    ),
)
