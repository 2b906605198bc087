"""Live trees: a network is cut in the background, and its tree then follows the source as the mouse drags it."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature
from wayfront_gui.features.live_tree.control import DragControl
from wayfront_gui.features.live_tree.cutting import CutControl

FEATURE = Feature("live tree", at=5, controls=(CutControl,), of_slot=DragControl)
