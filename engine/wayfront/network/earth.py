"""The sphere on which maps are measured."""

from __future__ import annotations

RADIUS_M = 6_371_009.0
"""The earth's mean radius, as in OSMnx, so that lengths of streets agree."""

METRES_PER_DEGREE = 111_195.0
"""A degree of latitude, or of longitude on the equator, in whole metres."""
