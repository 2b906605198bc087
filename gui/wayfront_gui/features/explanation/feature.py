"""Explanation: how an algorithm works, with the lines of its pseudo-code that the shown step carries out."""

from __future__ import annotations

from wayfront_gui.app.feature import RIGHT, Dock, Feature, Host
from wayfront_gui.features.explanation.panel import ExplanationPanel


class Explaining:
    """Lets the explanation follow what is searched and played, and read its texts again after plug-ins changed."""

    def __init__(self, host: Host) -> None:
        panel, controller, clock = host.docks.panel(ExplanationPanel), host.controller, host.session.clock
        controller.searching_changed.connect(panel.show_searching)
        controller.declared_changed.connect(panel.read_again)
        clock.playing_changed.connect(panel.show_playing)


FEATURE = Feature(
    "explanation",
    controls=(Explaining,),
    docks=(
        Dock(
            "explanation",
            "Explanation",
            RIGHT,
            lambda host: ExplanationPanel(host.session),
            "E&xplanation",
            "How it works",
            at=130,
            keys=("E",),
            width=348,
            narrowest=348,
        ),
    ),
)
