"""Drawing: a small graph of one's own, by the pointer and by typing."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature, side_dock
from wayfront_gui.features.drawing.control import GraphEditor
from wayfront_gui.features.drawing.panel import GraphPanel

FEATURE = Feature(
    "drawing",
    at=20,
    controls=(GraphEditor,),
    docks=(
        side_dock(
            "drawing",
            "Graph",
            lambda host: GraphPanel(host.session, host.actions),
            "&Graph panel",
            "Nodes and arcs of a small graph, to be read and typed",
            at=90,
        ),
    ),
)
