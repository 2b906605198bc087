"""All pairs: the distances between all nodes, their matrix and measures, and the route of any pair."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature
from wayfront_gui.features.all_pairs.control import PairsCommands, PairsControl

FEATURE = Feature("all pairs", at=6, controls=(PairsCommands,), of_slot=PairsControl)
