"""Finding: one box for streets, places, nodes, positions and commands."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature
from wayfront_gui.features.finding.control import Finder

FEATURE = Feature("finding", at=3, controls=(Finder,))
