"""Drawing: a small graph of one's own, by the pointer and by typing."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.drawing.control import GraphEditor


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.drawing.panel import GraphPanel

    return GraphPanel(host.session, host.actions)


FEATURE = Feature(
    "drawing",
    at=20,
    controls=(GraphEditor,),
    sections=(
        Section(
            "drawing",
            "Graph",
            _panel,
            "Nodes and arcs of a small graph, to be read and typed",
            at=90,
            activities=("teach",),
            tools=("edit.graph",),
            text="&Graph",
            tall=lambda _host: True,
        ),
    ),
)
