"""Timing: how long searches took, in the window's panel and as charts and tables."""

from __future__ import annotations

from wayfront_gui.app.feature import LEFT, Dock, Feature
from wayfront_gui.features.timing.control import TimingCommands
from wayfront_gui.features.timing.panel import TimingPanel

FEATURE = Feature(
    "timing",
    controls=(TimingCommands,),
    docks=(
        Dock(
            "time",
            "Time",
            LEFT,
            lambda host: TimingPanel(
                host.session, host.actions["file.timings"].trigger, host.controller.files.bring_back
            ),
            "Time pane&l",
            "How long searches took",
            at=20,
            width=312,
            height=320,
            narrowest=280,
            yields=0.55,
            lowest=620,
        ),
    ),
)
