"""Drawing: a small graph of one's own, by the pointer and by typing."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature, Section
from wayfront_gui.features.drawing.control import GraphEditor
from wayfront_gui.features.drawing.panel import GraphPanel

FEATURE = Feature(
    "drawing",
    at=20,
    controls=(GraphEditor,),
    sections=(
        Section(
            "drawing",
            "Graph",
            lambda host: GraphPanel(host.session, host.actions),
            "Nodes and arcs of a small graph, to be read and typed",
            at=90,
            activities=("teach",),
            tools=("edit.graph",),
            text="&Graph",
            tall=lambda _host: True,
        ),
    ),
)
