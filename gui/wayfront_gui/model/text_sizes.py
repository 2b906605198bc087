"""The sizes of texts that can be chosen, in percent of what the system has. No Qt."""

from __future__ import annotations

LEAST, USUAL, MOST = 80, 100, 250
STOPS = (80, 90, 100, 110, 125, 150, 175, 200, 225, 250)
"""The sizes that the commands for larger and smaller texts go through."""


def next_stop(percent: int, by: int) -> int:
    """Return the size after another one, or before it where ``by`` is negative; that at the end has none."""
    beyond = [stop for stop in STOPS if (stop > percent if by > 0 else stop < percent)]
    return percent if not beyond else beyond[0] if by > 0 else beyond[-1]
