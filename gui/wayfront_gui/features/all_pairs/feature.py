"""All pairs: the distances between all nodes, their matrix and measures, and the route of any pair."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from wayfront_gui.app.feature import Feature, Host, Section
from wayfront_gui.features.all_pairs.control import PairsCommands, PairsControl


def _panel(host: Host) -> QWidget:
    from wayfront_gui.features.all_pairs.pairs_panel import PairsPanel

    return PairsPanel(host.session, host.actions, host.control(PairsCommands).counts)


FEATURE = Feature(
    "all pairs",
    at=6,
    controls=(PairsCommands,),
    of_slot=PairsControl,
    sections=(
        Section(
            "pairs",
            "All pairs",
            _panel,
            "Distances between all nodes, and what follows from them",
            at=15,
            activities=("analyse",),
            opened=("analyse",),
            text="&All pairs",
        ),
    ),
)
