"""Which searches race where nobody chose them: the command line's help names them too."""

from __future__ import annotations

FIELD = ("dijkstra", "near-far", "delta-stepping", "bellman-ford-queue")
"""The searches of a race that a person starts without choosing: they differ in what they do, and all run everywhere."""


ROUTE_FIELD = ("dijkstra-to-target", "bidirectional", "a-star", "alt")
"""The same where searches for a route are chosen."""
