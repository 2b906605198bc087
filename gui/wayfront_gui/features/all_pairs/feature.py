"""All pairs: the distances between all nodes, their matrix and measures, and the route of any pair."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature, Section
from wayfront_gui.features.all_pairs.control import PairsCommands, PairsControl
from wayfront_gui.features.all_pairs.pairs_panel import PairsPanel

FEATURE = Feature(
    "all pairs",
    at=6,
    controls=(PairsCommands,),
    of_slot=PairsControl,
    sections=(
        Section(
            "pairs",
            "All pairs",
            lambda host: PairsPanel(host.session, host.actions),
            "Distances between all nodes, and what follows from them",
            at=15,
            activities=("analyse",),
            opened=("analyse",),
            text="&All pairs",
        ),
    ),
)
