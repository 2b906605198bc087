"""Plug-ins: algorithms, formats, colours and panels of a person's own, from files that are added in the window."""

from __future__ import annotations

from wayfront_gui.app.feature import Feature
from wayfront_gui.features.plugins.control import PluginControl

FEATURE = Feature("plug-ins", at=90, controls=(PluginControl,))
