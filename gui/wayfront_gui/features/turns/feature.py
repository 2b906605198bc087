"""Turns: the signs of forbidden ones on the map, and what they say."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature
from wayfront_gui.features.turns.control import SignControl

FEATURE = Feature("turns", at=60, controls=(SignControl,))
